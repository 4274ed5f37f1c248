"""What can be wrong with a written handle, and how it is shown.

The exception tree::

    ValueError
     └─ HandleSyntaxError      the text is no handle, or no reference to one
         └─ OtherThingError    ... and is no attempt at one: another URL or name

Ordinary trouble while *resolving* a handle is not an exception but a value:
see `handle_system.resolving.outcome`.
"""

import unicodedata

__all__ = ["LONGEST_SUGGESTION", "HandleSyntaxError", "OtherThingError"]

# The drawn source is cut to this many characters on each side of the span, so
# that an error about a megabyte of text stays a message.
_CONTEXT = 60

#: A suggestion is there to be pasted: what is longer is neither made nor shown.
LONGEST_SUGGESTION = 500

# Categories that a terminal or a log would swallow, move or act upon:
# controls, format characters (bidirectional ones among them), surrogates,
# unassigned and private code points, line and paragraph separators.
_UNSHOWABLE = frozenset({"Cc", "Cf", "Cs", "Cn", "Co", "Zl", "Zp"})


class HandleSyntaxError(ValueError):
    """The text is no handle, or no reference to one.

    Attributes:
        source: The whole text that was read.
        span: Half-open offsets into `source` of what is wrong; empty where
            something is missing.
        reason: What is wrong, in one sentence without a full stop.
        suggestion: Text that can be pasted in place of `source`, and that can be
            read; or `None`.

    `str()` shows the reason and draws the source with the span marked under
    it.  Characters that a terminal would hide or obey are drawn as escapes, and
    the marks are aligned by display columns, not by characters:

    >>> print(HandleSyntaxError("10.1000/50%-off", (10, 11), "a lone %"))
    a lone %
        10.1000/50%-off
                  ^
    """

    source: str
    span: tuple[int, int]
    reason: str
    suggestion: str | None

    def __init__(
        self,
        source: str,
        span: tuple[int, int],
        reason: str,
        *,
        suggestion: str | None = None,
    ) -> None:
        super().__init__(source, span, reason)
        self.source = source
        self.span = span
        self.reason = reason
        self.suggestion = suggestion

    def __str__(self) -> str:
        lines = [self.reason, *draw(self.source, self.span)]
        if self.suggestion is not None and len(self.suggestion) <= LONGEST_SUGGESTION:
            lines.append(f"write {showable(self.suggestion)}")
        return "\n".join(lines)

    def __reduce__(
        self,
    ) -> tuple[type, tuple[str, tuple[int, int], str], dict[str, object]]:
        state: dict[str, object] = {"suggestion": self.suggestion}
        return type(self), (self.source, self.span, self.reason), state

    def within(self, source: str, offset: int) -> "HandleSyntaxError":
        """The same error, for a text that holds this one's source at `offset`."""
        start, end = self.span
        suggestion = None
        if self.suggestion is not None:
            around = len(source) - len(self.source)
            if around + len(self.suggestion) <= LONGEST_SUGGESTION:
                after = source[offset + len(self.source) :]
                suggestion = f"{source[:offset]}{self.suggestion}{after}"
        return type(self)(
            source, (start + offset, end + offset), self.reason, suggestion=suggestion
        )


class OtherThingError(HandleSyntaxError):
    """The text is well formed as something else: a page, another scheme's URI.

    Where a malformed reference deserves a warning, this deserves to be left
    alone.
    """


def showable(text: str) -> str:
    r"""The text with every character escaped that would not show as itself.

    >>> showable("10.1000/a\u200bb")
    '10.1000/a\\u200bb'
    """
    if text.isascii() and text.isprintable():
        return text
    return "".join(map(_showable_character, text))


def pasteable(scheme: str, text: str, start: int, end: int) -> str | None:
    """The scheme and ``text[start:end]`` to suggest; `None` if that is too long."""
    if end - start > LONGEST_SUGGESTION - len(scheme):
        return None
    return f"{scheme}{text[start:end]}"


def brief(text: str) -> str:
    """The text, showable and short enough to be named in a sentence."""
    return showable(text[:_CONTEXT]) + ("…" if len(text) > _CONTEXT else "")


def draw(source: str, span: tuple[int, int], indent: str = "    ") -> list[str]:
    """Two lines: the source, and marks under its span.

    The marks end in a caret under the last character of the span; an empty
    span has the caret alone, where something is missing.
    """
    start, end = span
    first = max(0, start - _CONTEXT)
    last = min(len(source), max(end, start) + _CONTEXT)
    end = min(end, start + 2 * _CONTEXT)
    last = min(last, end + _CONTEXT)
    before = ("…" if first else "") + showable(source[first:start])
    marked = showable(source[start:end])
    after = showable(source[end:last]) + ("…" if last < len(source) else "")
    marks = "~" * max(columns(marked) - 1, 0) + "^"
    return [
        f"{indent}{before}{marked}{after}",
        f"{indent}{' ' * columns(before)}{marks}",
    ]


def columns(text: str) -> int:
    """How many columns a terminal gives to the text (UAX #11, wide as two)."""
    if text.isascii():
        return len(text)
    return sum(map(_character_columns, text))


def _character_columns(character: str) -> int:
    if unicodedata.category(character) in {"Mn", "Me"}:
        return 0
    return 2 if unicodedata.east_asian_width(character) in {"W", "F"} else 1


def _showable_character(character: str) -> str:
    category = unicodedata.category(character)
    if category in _UNSHOWABLE or (category == "Zs" and character != " "):
        code = ord(character)
        if code > 0xFFFF:
            return f"\\U{code:08x}"
        return f"\\x{code:02x}" if code <= 0xFF else f"\\u{code:04x}"
    return character
