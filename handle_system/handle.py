"""The handle itself: ``prefix/suffix``."""

import re
from dataclasses import dataclass
from functools import total_ordering
from typing import final

from handle_system.errors import HandleSyntaxError
from handle_system.text import exact_text, fold_ascii, inside_space

__all__ = ["MAX_OCTETS", "Handle"]

#: The longest handle that the reference server takes.
MAX_OCTETS = 2048

_CONTROLS = r"\x00-\x1f\x7f-\x9f"
_NOT_IN_PREFIX = re.compile(rf"[\s{_CONTROLS}\ud800-\udfff:@/]")
_NOT_IN_SUFFIX = re.compile(f"[{_CONTROLS}\ud800-\udfff]")
_SLASH_LOOK_ALIKE = re.compile("[\u2044\u2215\uff0f]")


class _Keyed:
    """What may hold its key, once somebody has asked for it.

    No field, which would be one of what a handle is made of.
    """

    __slots__ = ("_key",)
    _key: str | None


# The slot's own setter, which a frozen class hides.
_set_key = vars(_Keyed)["_key"].__set__


@final
@total_ordering
@dataclass(frozen=True, slots=True, eq=False)
class Handle(_Keyed):
    """An identifier of the Handle System.

    ::

        handle  = prefix "/" suffix
        prefix  = segment *( "." segment )
        segment = 1*( any character but "." "/" ":" "@", white space, controls )
        suffix  = 1*( any character but controls )

    Sources: seed 000 ("Handle Syntax"), seed 004 section 2.3 and the ABNF of
    RFC 3651 as seed 003 carries it.  Narrower than that ABNF: the suffix is not
    empty, and controls (U+0000-1F, 7F-9F) and lone surrogates stand nowhere.
    Wider than the 1998 text: characters beyond the Basic Multilingual Plane,
    which UCS-2 could not write, are allowed.

    A handle in hand is valid.  `str()` gives the author's spelling; nothing is
    normalised.  Handles compare as the system resolves them: the prefix folds
    ASCII case always; the suffix folds it for DOIs only (DOI Handbook) and is
    exact otherwise (seed 000: "By default, handles are case sensitive").

    Attributes:
        prefix: What stands before the first slash.
        suffix: What stands after it; any further slashes belong to it.

    Raises:
        HandleSyntaxError: when the parts are not a handle's.
        TypeError: when they are no texts.

    >>> handle = Handle.parse("10.1000/ABC")
    >>> str(handle), handle == Handle("10.1000", "abc"), handle.is_doi
    ('10.1000/ABC', True, True)
    """

    prefix: str
    suffix: str

    def __post_init__(self) -> None:
        _set_key(self, None)
        for name in ("prefix", "suffix"):
            object.__setattr__(self, name, exact_text(getattr(self, name)))
        source = f"{self.prefix}/{self.suffix}"
        slash = self.prefix.find("/")
        if slash >= 0:
            raise HandleSyntaxError(source, (slash, slash + 1), '"/" in a prefix')
        problem = find_problem(source, 0, len(source), len(self.prefix))
        if problem is not None:
            raise HandleSyntaxError(source, *problem)

    @classmethod
    def parse(cls, text: str) -> "Handle":
        """Read a handle as it stands, with nothing to decode.

        Surrounding white space is removed.  For a handle in one of its written
        forms (`hdl:`, `doi:`, a proxy's URL, …) see `HandleReference.parse`.

        Raises:
            HandleSyntaxError: when the text is not a handle.
        """
        text = exact_text(text)
        start, end = inside_space(text)
        slash = text.find("/", start, end)
        problem = find_problem(text, start, end, slash)
        if problem is not None:
            raise HandleSyntaxError(text, *problem)
        return trusted_handle(text[start:slash], text[slash + 1 : end])

    @property
    def is_doi(self) -> bool:
        """Whether the prefix is ``10`` or derived from it (DOI Handbook, 2.2)."""
        return is_doi_prefix(self.prefix)

    @property
    def prefix_chain(self) -> tuple[str, ...]:
        """The prefix, then each prefix that it is derived from (seed 000).

        Those of more than 2,048 octets, which no server takes, are left out:
        a hostile prefix of many segments would have a chain as long as its
        square.

        >>> Handle.parse("12345.1.2/x").prefix_chain
        ('12345.1.2', '12345.1', '12345')
        """
        chain = [self.prefix]
        dot = self.prefix.rfind(".", 0, MAX_OCTETS)
        while dot > 0:
            chain.append(self.prefix[:dot])
            dot = self.prefix.rfind(".", 0, dot)
        return tuple(chain)

    @property
    def comparison_key(self) -> str:
        """Text that is equal for equal handles, and for no others.

        A plain string, for what outlives the process: caches, indexes, pickles.
        """
        # Wanted at every look into a dictionary, and so worked out once.
        key = self._key
        if key is None:
            prefix, suffix = self.prefix, self.suffix
            if is_doi_prefix(prefix):
                key = fold_ascii(f"{prefix}/{suffix}")
            else:
                key = f"{fold_ascii(prefix)}/{suffix}"
            _set_key(self, key)
        return key

    def __str__(self) -> str:
        return f"{self.prefix}/{self.suffix}"

    # Equality follows the resolver's rule of case while `str()` keeps the
    # author's, so that one identifier written twice is asked for once and yet
    # shown as each author wrote it.
    def __eq__(self, other: object) -> bool:
        if not isinstance(other, Handle):
            return NotImplemented
        return self.comparison_key == other.comparison_key

    def __hash__(self) -> int:
        # Asked for most of all, and so without a call where it is known.
        return hash(self._key or self.comparison_key)

    # What a dataclass would keep are its fields, and the key would be left out.
    def __reduce__(self) -> tuple[type["Handle"], tuple[str, str]]:
        return Handle, (self.prefix, self.suffix)

    def __lt__(self, other: object) -> bool:
        if not isinstance(other, Handle):
            return NotImplemented
        return self.comparison_key < other.comparison_key


class _Draft(_Keyed):
    """A handle while it is made: of the same layout, and not frozen yet.

    A frozen dataclass sets its fields by a detour that costs more than the
    reading of a handle; this stands in the way of every reference of every
    document.
    """

    __slots__ = ("prefix", "suffix")
    prefix: str
    suffix: str


def trusted_handle(prefix: str, suffix: str) -> Handle:
    """A handle of parts that the caller has checked with `find_problem`."""
    draft = _Draft()
    draft.prefix = prefix
    draft.suffix = suffix
    draft._key = None  # noqa: SLF001 (it is about to be a handle)
    draft.__class__ = Handle  # type: ignore[assignment]  # of the same layout
    return draft  # type: ignore[return-value]  # now it is one


def exact_handle(text: str) -> Handle:
    """The handle that `str()` wrote: for pipes, files and pickles.

    `Handle.parse` reads what an author wrote, and removes white space around
    it, which may be a suffix's own.

    Raises:
        HandleSyntaxError: when the text is not a handle.
    """
    text = exact_text(text)
    slash = text.find("/")
    problem = find_problem(text, 0, len(text), slash)
    if problem is not None:
        raise HandleSyntaxError(text, *problem)
    return trusted_handle(text[:slash], text[slash + 1 :])


def find_problem(
    text: str, start: int, end: int, slash: int
) -> tuple[tuple[int, int], str] | None:
    """Why ``text[start:end]``, split at `slash`, is no handle; `None` if it is one.

    Where it is not, as a half-open span of `text`, and in words; a negative
    `slash` is none.  Grammar: see `Handle`.  Linear in the text, of which no
    part is copied: an error about megabytes costs no memory.
    """
    prefix_end = end if slash < 0 else slash
    found = _NOT_IN_PREFIX.search(text, start, prefix_end)
    if found:
        return found.span(), _prefix_reason(found.group(), slash)
    if slash < 0:
        return _no_slash(text, start, end)
    if slash == start:
        return (start, start), "the prefix is missing: a handle is prefix/suffix"
    dot = _dot_beside_nothing(text, start, slash)
    if dot is not None:
        reason = "a prefix has no empty segment: nothing beside this dot"
        return (dot, dot + 1), reason
    if slash + 1 == end:
        return (end, end), 'the suffix is missing: nothing after "/"'
    found = _NOT_IN_SUFFIX.search(text, slash + 1, end)
    if found:
        return (
            found.span(),
            f"{kind_of_character(found.group())} is not allowed in a handle",
        )
    return None


def is_doi_prefix(prefix: str) -> bool:
    """Whether a prefix is ``10`` or begins with ``10.``."""
    return prefix == "10" or prefix.startswith("10.")


def _dot_beside_nothing(text: str, start: int, end: int) -> int | None:
    if text[start] == ".":
        return start
    dots = text.find("..", start, end)
    if dots >= 0:
        return dots
    return end - 1 if text[end - 1] == "." else None


def _no_slash(text: str, start: int, end: int) -> tuple[tuple[int, int], str]:
    if start == end:
        return (start, end), "nothing here: a handle is prefix/suffix"
    look_alike = _SLASH_LOOK_ALIKE.search(text, start, end)
    if look_alike:
        code = ord(look_alike.group())
        return (
            look_alike.span(),
            f'U+{code:04X} only looks like the "/" between prefix and suffix',
        )
    return (end, end), 'no "/": a handle is prefix/suffix'


def _prefix_reason(character: str, slash: int) -> str:
    if character == ":":
        return '":" is not allowed in a prefix'
    if character == "@":
        return '"@" is not allowed in a prefix'
    kind = kind_of_character(character)
    if slash < 0:
        return f"a handle is prefix/suffix, with no {kind} in the prefix"
    return f"{kind} is not allowed in a prefix"


def kind_of_character(character: str) -> str:
    """What to call a character that a handle may not hold."""
    code = f"U+{ord(character):04X}"
    if "\ud800" <= character <= "\udfff":
        return f"a lone surrogate ({code})"
    if _NOT_IN_SUFFIX.match(character):
        return f"a control character ({code})"
    return "white space" if character == " " else f"white space ({code})"
