"""The references in the source of one inline block, found in one pass.

`handle_system.find_references` reads text and decides where a reference starts and ends.
The source of a block is Markdown.  Here markdown-it's own rules decode its escapes and
entities and delimit its code, and positions in the text are mapped back to the source.
"""

import re
from collections.abc import Iterator, Sequence
from contextlib import suppress
from dataclasses import dataclass
from typing import Literal, NamedTuple

from markdown_it.common.utils import normalizeReference, unescapeAll
from markdown_it.rules_inline import StateInline

from handle_system.display import DisplayStyle, shown
from handle_system.errors import HandleSyntaxError
from handle_system.proxies import DEFAULT_PROXIES, Proxies
from handle_system.reference import HandleReference
from handle_system.role_content import read_role_content
from handle_system.scanning import find_references, may_hold_reference

__all__ = ["InlineReference", "Markup", "Options", "find_in_block", "may_hold_markup"]

#: How a reference is marked up: in running text, in ``<…>``, in a role, as the target
#: of a link, as the target of a link's definition.
Markup = Literal["text", "autolink", "role", "link", "definition"]

#: No reference continues beyond it, and markdown-it leaves none in a source.
_STOP = "\0"
_IN_CODE = str.maketrans(dict.fromkeys("`*_~", _STOP))
_SPECIAL = re.compile(r"[\\&`]")
_RULE_OF = {"\\": "escape", "&": "entity", "`": "backticks"}
_LABEL = re.compile(r"(?<!\\)\[([^\[\]]+)\]")
_CLOSING = re.compile(r"\s*>")
# The name of a role directly before its content, with its braces or without.
_ROLE = re.compile(
    r"(?:\{(?P<role>hdl|doi)\}|(?<![0-9a-z:])(?:hdl|doi):)\Z", re.IGNORECASE
)
# A role, escaped or not; or an escape or an entity that may hide the ":", "/" or "." of a
# reference.
_MARKUP = re.compile(
    r"\{(?:hdl|doi)\\?\}`|\\[:/.]|&(?:#|colon;|sol;|period;)", re.IGNORECASE
)


@dataclass(frozen=True, slots=True, kw_only=True)
class Options:
    """How references are read and shown; for most see `mdit_handle.handle_plugin`.

    With `keep_source` each reference becomes one token that holds its source, for programs
    that write Markdown again.
    """

    proxies: Proxies = DEFAULT_PROXIES
    document_charset: str | None = None
    display: DisplayStyle = "uri"
    text: bool = True
    roles: bool = True
    keep_source: bool = False


class InlineReference(NamedTuple):
    """A reference in the source of a block.

    Attributes:
        source: The source of the block.
        start: Where the markup of the reference begins in it; -1 if unknown.
        end: Where the markup ends; `start` if it does not hold the reference.
        written: The reference as its author wrote it, with escapes and entities decoded.
        markup: How it is marked up.
        meant: The reference, or why it is malformed; `None` before it is read, and if
            it is to be no link.
        text: The text that is shown, if it is not `written`.
        is_title: Whether the author gave that text.
    """

    source: str
    start: int
    end: int
    written: str
    markup: Markup
    meant: HandleReference | HandleSyntaxError | None = None
    text: str = ""
    is_title: bool = False


def may_hold_markup(source: str, proxies: Proxies) -> bool:
    """Whether a source may hold a reference or a role, as a cheap test."""
    may_hold = may_hold_reference(source, proxies=proxies)
    return may_hold or _MARKUP.search(source) is not None


def find_in_block(
    state: StateInline, options: Options
) -> tuple[Sequence[int], Sequence[InlineReference]]:
    """The references in running text, in ``<…>`` and in roles, behind where they start.

    Args:
        state: The state in which a block is parsed.
        options: The plugin's options.
    """
    if not may_hold_markup(state.src, options.proxies):
        return (), ()
    block = _Block(state, options)
    found = [*block.references_in_text(), *block.roles()]
    found.sort(key=lambda each: each.start)
    return [each.start for each in found], found


class _Block:
    """The source of a block as text, in which code and labels of links are closed off."""

    def __init__(self, state: StateInline, options: Options) -> None:
        self._options = options
        self._source = state.src
        ruler = state.md.inline.ruler
        rules = zip(ruler.get_active_rules(), ruler.getRules(""), strict=True)
        self._rules = dict(rules)
        # Where each character of the text stands in the source, and where it ends.
        self._offsets: list[int] = []
        self._escaped: list[int] = []
        # Where each code begins in the text, and where it begins and ends in the source.
        self._codes: list[tuple[int, int, int]] = []
        self._text = "".join(self._decode(state))

    def _decode(self, state: StateInline) -> Iterator[str]:
        labels = state.env.get("references", {})

        def close_off(found: re.Match[str]) -> str:
            is_label = normalizeReference(found[1]) in labels
            return _STOP + found[0][1:] if is_label else found[0]

        source = _LABEL.sub(close_off, self._source) if labels else self._source
        parsed = StateInline(source, state.md, {}, [])
        position = 0
        for special in _SPECIAL.finditer(source):
            start = parsed.pos = special.start()
            rule = self._rules.get(_RULE_OF[special[0]])
            if start < position or rule is None or not rule(parsed, False):  # noqa: FBT003 - markdown-it's signature
                continue
            end = parsed.pos
            decoded = written = source[start:end]
            self._offsets += range(position, start)
            if special[0] != "`":
                # A backslash before a line break ends the line and is no character.
                decoded = parsed.tokens[-1].content or _STOP
            elif parsed.tokens:
                # In code nothing opens emphasis, and no reference begins or ends beyond.
                decoded = written.translate(_IN_CODE)
                self._codes.append((len(self._offsets), start, end))
            parsed.tokens.clear()
            yield source[position:start]
            yield decoded
            if len(decoded) == len(written):
                self._offsets += range(start, end)
            else:
                self._escaped.append(len(self._offsets))
                self._offsets += [start] * len(decoded)
            position = end
        yield source[position:]
        self._offsets += range(position, len(source) + 1)

    def references_in_text(self) -> Iterator[InlineReference]:
        """The references in running text and in ``<…>``, in order."""
        source, offsets, proxies = self._source, self._offsets, self._options.proxies
        for found in find_references(
            self._text, proxies=proxies, escaped=self._escaped
        ):
            start, end = offsets[found.start], offsets[found.end]
            written, reference = self._text[found.start : found.end], found.reference
            closing = _CLOSING.match(source, end) if "autolink" in self._rules else None
            # The decoded "<" of "\<" or "&lt;" begins further to the left.
            is_open = offsets[found.start - 1] == start - 1 and source[start - 1] == "<"
            if closing and is_open:
                # An autolink has entities, and its backslashes are characters.
                raw = unescapeAll(source[start:end].replace("\\", "\\\\"))
                with suppress(HandleSyntaxError):
                    reference = HandleReference.parse(raw, proxies=proxies)
                    written = raw
                yield InlineReference(
                    source, start - 1, closing.end(), written, "autolink", reference
                )
            elif self._options.text:
                yield InlineReference(source, start, end, written, "text", reference)

    def roles(self) -> Iterator[InlineReference]:
        """The roles ``{hdl}`…``` and ``{doi}`…```, and those whose braces are missing."""
        for index, start, end in self._codes:
            name = _ROLE.search(self._text, max(index - len("x{hdl}"), 0), index)
            if name is None:
                continue
            begin = self._offsets[name.start()]
            is_escaped = begin + len(name[0]) < start
            content = self._source[start:end].strip("`")
            if name["role"] and not is_escaped and self._options.roles:
                yield self._role(name["role"], begin, end, content)
            elif name["role"] and is_escaped and self._options.keep_source:
                yield InlineReference(self._source, begin, start, content, "role")
            elif not name["role"] and not is_escaped:
                yield from self._role_without_braces(begin, start, end)

    def _role(self, name: str, start: int, end: int, written: str) -> InlineReference:
        proxies = self._options.proxies
        found = InlineReference(self._source, start, end, written, "role")
        try:
            role = read_role_content(
                written,
                proxies=proxies,
                document_charset=self._options.document_charset,
                doi_only=name.lower() == "doi",
            )
        except HandleSyntaxError as error:
            return found._replace(meant=error)
        style = self._options.display if role.with_scheme else "handle"
        return found._replace(
            written=role.written,
            meant=role.reference if role.linked else None,
            text=role.title or shown(role.reference, proxies, style),
            is_title=role.title is not None,
        )

    def _role_without_braces(
        self, start: int, code: int, end: int
    ) -> Iterator[InlineReference]:
        written, name = self._source[start:end], self._source[start:code]
        content = written.removeprefix(name).strip("`").strip()
        with suppress(HandleSyntaxError):
            HandleReference.parse(name + content, proxies=self._options.proxies)
            meant = HandleSyntaxError(
                written,
                (0, len(name)),
                "a role has its name in braces",
                suggestion=f"{{{name[:-1].lower()}}}`{content}`",
            )
            yield InlineReference(self._source, start, end, written, "role", meant)
