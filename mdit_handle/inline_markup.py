"""The references in the source of one inline block, found in one pass.

`handle_system.find_references` reads text and decides where a reference starts and ends.
The source of a block is Markdown.  Here markdown-it's own rules decode its escapes and
entities and delimit its code, and positions in the text are mapped back to the source.
"""

import re
from collections.abc import Callable, Collection, Iterator, Sequence
from dataclasses import dataclass, field
from functools import cached_property
from pathlib import Path
from typing import TYPE_CHECKING, NamedTuple, TypeAlias

from markdown_it.common.utils import normalizeReference, unescapeAll
from markdown_it.rules_inline import StateInline
from markdown_it.token import Token

from handle_system.errors import HandleSyntaxError
from handle_system.found import Found, Markup
from handle_system.presenting import Presenter
from handle_system.proxies import Proxies
from handle_system.reference import HandleReference, reference_or_none
from handle_system.role_citations import (
    Cluster,
    is_pandoc_key,
    read_pandoc_cluster,
    read_role,
)
from handle_system.role_content import WITHOUT_BRACES
from handle_system.scanning import find_references, may_hold_reference
from handle_system.settings import Settings
from handle_system.shortcodes import shortcodes
from handle_system.text import compiled, fold_ascii

if TYPE_CHECKING:
    from handle_system.describing.described_works import DescribedWorks

#: No reference continues beyond it, and markdown-it leaves none in a source.
_STOP = "\0"
_IN_CODE = str.maketrans(dict.fromkeys("`*_~", _STOP))
# The elements of HTML whose text is code or input.
_CODE_ELEMENT = r"<(?P<element>code|kbd|pre|samp|script|style|textarea|tt)(?=[\s>])"
_SPECIAL = re.compile(rf"\\|&|`|{_CODE_ELEMENT}", re.IGNORECASE)
_RULE_OF = {"\\": "escape", "&": "entity", "`": "backticks", "<": "html_inline"}
_LABEL = re.compile(r"(?<!\\)\[([^\[\]]+)\]")
_CLOSING = re.compile(r"\s*>")
# The name of a role directly before its content, with its braces or without.
_ROLE = re.compile(
    r"(?:\{(?P<role>hdl|doi)\}|(?<![0-9a-z:])(?:hdl|doi):)\Z", re.IGNORECASE | re.ASCII
)
# Brackets that hold none, behind no other and before no target of a link, no label, no
# class and no definition.
_BRACKETS = re.compile(r"(?<![\]!^])\[[^\[\]\0]*\](?![(\[{:])")
# A comment or a program, or the target of a tag of HTML.
_TARGET_IN_HTML = (
    r"(?is)<!--(?:.*?-->|.*)"
    r"|<(script|style|textarea)\b(?:.*?</\1|.*)"
    r"|<[a-z][^<>]*?\shref\s*=\s*"
    r"""(?:"(?P<double>[^"<>]*)"|'(?P<single>[^'<>]*)'|(?P<bare>[^\s"'`{<>]+))"""
)
# An escape or an entity that may hide the ":", "/" or "." of a reference.
_HIDING = re.compile(r"\\[:/.]|&(?:#|colon;|sol;|period;)")


@dataclass(frozen=True, slots=True, kw_only=True)
class Options:
    """How references are read and shown; for most see `mdit_handle.handle_plugin`.

    Attributes:
        values: The settings.
        charset: The charset of percent-encoded octets that are not UTF-8.
        works: The works that files of references describe.
        folder: The folder of the document, whose files are no references.
        presenter: Presents the references.
        keep_source: Each reference becomes one token that holds its source, for programs
            that write Markdown again.
        keep_found: Each token that opens a link, or what was meant for one, has its
            `Found` in ``meta["found"]``, and ``env`` has no record: for programs that
            report what was found themselves.
    """

    values: Settings
    charset: str | None = None
    works: "DescribedWorks | None" = None
    folder: Path | None = None
    keep_source: bool = False
    keep_found: bool = False
    presenter: Presenter = field(init=False)

    def __post_init__(self) -> None:
        presenter = Presenter(
            proxies=self.values.link_proxies,
            display=self.values.display,
            works=self.works,
        )
        object.__setattr__(self, "presenter", presenter)


class InlineMarkup(NamedTuple):
    """Markup in the source of a block that shows a reference.

    Attributes:
        source: The source of the block.
        start: Where the markup begins in it; -1 if unknown.
        end: Where the markup ends; `start` if it does not hold the reference.
        found: The reference in it, or what was meant for one; `None` if it is shown and
            is no link.
        text: The text that is shown, if the markup decides; of a shortcode, the source.
        is_title: Whether the author gave that text.
    """

    source: str
    start: int
    end: int
    found: Found | None
    text: str = ""
    is_title: bool = False


class InlineCluster(NamedTuple):
    """Markup in the source of a block that shows several references together.

    Attributes:
        start: Where the markup begins.
        end: Where the markup ends.
        cluster: The references.
        links: Each of them at its own place.
    """

    start: int
    end: int
    cluster: Cluster
    links: Sequence[InlineMarkup]


#: Where references start in a block, and their markup.
Markups: TypeAlias = tuple[Sequence[int], Sequence[InlineMarkup | InlineCluster]]


def may_hold_markup(source: str, proxies: Proxies) -> bool:
    """Whether a source may hold a reference or a role, as a cheap test."""
    if may_hold_reference(source, proxies=proxies):
        return True
    # Most text has neither escapes nor entities.
    may_hide = "\\" in source or "&" in source
    return may_hide and _HIDING.search(source) is not None


def targets_in_html(html: str) -> Iterator[tuple[int, str]]:
    """The targets of the links in HTML, with their entities, and where each begins."""
    for tag in compiled(_TARGET_IN_HTML).finditer(html):
        quote = tag.lastgroup
        if quote is not None:
            yield tag.start(quote), tag[quote]


def find_in_block(state: StateInline, options: Options) -> Markups:
    """The references in running text, in ``<…>`` and in roles, behind where they start.

    A cluster begins before its references, and stands for them. Shortcodes that may hold
    references are among them, too: these stay text.

    Args:
        state: The state in which a block is parsed.
        options: The plugin's options.
    """
    if not may_hold_markup(state.src, options.values.link_proxies):
        return (), ()
    block = _Block(state, options)
    markups = [
        *block.clusters(),
        *block.references_in_text(),
        *block.roles(),
        *block.shortcodes(),
    ]
    markups.sort(key=lambda markup: markup.start)
    return [markup.start for markup in markups], markups


def _without_labels(source: str, labels: Collection[str]) -> str:
    """A source in which the brackets of the labels of links are closed off."""

    def close_off(label: re.Match[str]) -> str:
        is_label = normalizeReference(label[1]) in labels
        return _STOP + label[0][1:] if is_label else label[0]

    return _LABEL.sub(close_off, source)


def _decoded(special: re.Match[str], written: str, tokens: Sequence[Token]) -> str:
    """The text that a markup stands for.

    Args:
        special: What it begins with.
        written: The markup.
        tokens: What markdown-it makes of it.
    """
    if special["element"]:
        return _STOP * len(written)
    if special[0] != "`":
        # A backslash before a line break ends the line and is no character.
        return tokens[-1].content or _STOP
    if tokens:
        # In code nothing opens emphasis, and no reference begins or ends beyond.
        return written.translate(_IN_CODE)
    # Nothing closes these backticks.
    return written


class _Block:
    """The source of a block as text, in which code and labels of links are closed off."""

    def __init__(self, state: StateInline, options: Options) -> None:
        self._options = options
        self._source = state.src
        self._ruler = state.md.inline.ruler
        # Where each character of the text stands in the source, and where it ends.
        self._offsets: Sequence[int] = range(len(state.src) + 1)
        self._escaped: list[int] = []
        # Where each code begins in the text, and where it begins and ends in the source.
        self._codes: list[tuple[int, int, int]] = []
        # Where the next tag stands that closes an element; -1 if there is none.
        self._closings: dict[str, int] = {}
        labels = state.env.get("references", {})
        is_text = not labels and _SPECIAL.search(state.src) is None
        self._text = state.src if is_text else self._decode(state, labels)

    @cached_property
    def _rules(self) -> dict[str, Callable[[StateInline, bool], bool]]:
        """The active rules for inline text."""
        rules = zip(
            self._ruler.get_active_rules(), self._ruler.getRules(""), strict=True
        )
        return dict(rules)

    def _decode(self, state: StateInline, labels: Collection[str]) -> str:
        """The text of the source; notes where each of its characters stands there."""
        source = _without_labels(self._source, labels) if labels else self._source
        parsed = StateInline(source, state.md, {}, [])
        parts: list[str] = []
        offsets: list[int] = []
        position = 0
        for special in _SPECIAL.finditer(source):
            start = special.start()
            # It may stand in the markup before.
            end = self._end_of_markup(special, parsed) if start >= position else None
            if end is None:
                continue
            parts.append(source[position:start])
            offsets += range(position, start)
            written = source[start:end]
            if special[0] == "`" and parsed.tokens:
                self._codes.append((len(offsets), start, end))
            decoded = _decoded(special, written, parsed.tokens)
            parsed.tokens.clear()
            parts.append(decoded)
            if len(decoded) == len(written):
                offsets += range(start, end)
            else:
                self._escaped.append(len(offsets))
                offsets += [start] * len(decoded)
            position = end
        parts.append(source[position:])
        offsets += range(position, len(source) + 1)
        self._offsets = offsets
        return "".join(parts)

    def _end_of_markup(self, special: re.Match[str], parsed: StateInline) -> int | None:
        """Where the markup ends that a character begins; `None` if it begins none.

        Args:
            special: The character, or the tag.
            parsed: The state of markdown-it's parser, which gets the tokens.
        """
        rule = self._rules.get(_RULE_OF[special[0][0]])
        parsed.pos = special.start()
        if rule is None or not rule(parsed, False):  # noqa: FBT003 - markdown-it's signature
            return None
        if special["element"]:
            return self._end_of_element(special["element"], parsed.pos)
        return parsed.pos

    @cached_property
    def _folded(self) -> str:
        """The source with lower-case letters, for names of elements."""
        return fold_ascii(self._source)

    def _end_of_element(self, name: str, start: int) -> int:
        """Where the element ends whose first tag ends at `start`; there if it is open."""
        closing = f"</{fold_ascii(name)}"
        known = self._closings.get(closing, 0)
        if 0 <= known < start:
            known = self._folded.find(closing, start)
            self._closings[closing] = known
        return start if known < 0 else known

    def references_in_text(self) -> Iterator[InlineMarkup]:
        """The references in running text and in ``<…>``, in order."""
        source = self._source
        offsets = self._offsets
        for found in find_references(
            self._text,
            proxies=self._options.values.link_proxies,
            escaped=self._escaped,
            malformed=True,
            document_charset=self._options.charset,
            text_prefixes=self._options.values.text_prefixes,
        ):
            start, end = offsets[found.start], offsets[found.end]
            # The decoded "<" of "\\<" or "&lt;" begins further to the left.
            is_open = source[start - 1] == "<" and offsets[found.start - 1] == start - 1
            # Behind a label, an identifier alone is no target: "doi: <10.1000/182>".
            is_open = is_open and not source[start].isdecimal()
            closing = _CLOSING.match(source, end) if is_open else None
            if closing and "autolink" in self._rules:
                # A malformed one is the target of markdown-it's own link.
                if isinstance(found.reference, HandleReference):
                    yield self._autolink(found, start, end, closing.end())
            elif self._options.values.text:
                text = found.written
                placed = found
                if start != found.start or source[start:end] != text:
                    written = source[start:end]
                    placed = found._replace(start=start, end=end, written=written)
                if is_pandoc_key(source, start):
                    placed = placed._replace(is_key=True)
                yield InlineMarkup(source, start, end, placed, text)

    def _autolink(
        self, found: Found, start: int, end: int, behind: int
    ) -> InlineMarkup:
        """The reference in ``<…>``: it has entities, and its backslashes are characters.

        Args:
            found: It, as it was found in text.
            start: Where it begins in the source.
            end: The offset behind it.
            behind: The offset behind its bracket.
        """
        written = self._source[start:end]
        text = unescapeAll(written.replace("\\", "\\\\"))
        reference = found.reference
        try:
            reference = HandleReference.from_markup(
                text, proxies=self._options.values.link_proxies
            )
        except HandleSyntaxError:
            text = found.written
        placed = Found(reference, start, end, written, Markup.AUTOLINK)
        return InlineMarkup(self._source, start - 1, behind, placed, text)

    def clusters(self) -> Iterator[InlineCluster]:
        """The clusters of Pandoc's in running text."""
        if not self._options.values.text or "@" not in self._text:
            return
        for brackets in _BRACKETS.finditer(self._text):
            start, end = self._offsets[brackets.start()], self._offsets[brackets.end()]
            # The decoded "[" of "\\[" begins further to the left.
            if self._source[start] != "[" or "@" not in brackets[0]:
                continue
            content_start, content_end = brackets.start() + 1, brackets.end() - 1
            cluster = read_pandoc_cluster(
                self._text,
                content_start,
                content_end,
                proxies=self._options.values.link_proxies,
            )
            if cluster is not None:
                yield self._cluster(cluster, start, end, self._offsets, Markup.TEXT)

    def _cluster(
        self,
        cluster: Cluster,
        start: int,
        end: int,
        offsets: Sequence[int],
        kind: Markup,
    ) -> InlineCluster:
        """A cluster at its place.

        Args:
            cluster: The cluster, as it was read.
            start: Where its markup begins in the source.
            end: The offset behind it.
            offsets: Where the characters that were read stand in the source.
            kind: How its references are marked up.
        """
        source = self._source
        links: list[InlineMarkup] = []
        for one in cluster.cited:
            first = offsets[one.start]
            last = offsets[one.start + len(one.written)]
            written = source[first:last]
            found = Found(one.reference, first, last, written, kind, is_key=True)
            text = self._options.presenter.text(one.reference)
            links.append(InlineMarkup(source, first, last, found, text))
        return InlineCluster(start, end, cluster, links)

    def roles(self) -> Iterator[InlineMarkup | InlineCluster]:
        """The roles ``{hdl}`…``` and ``{doi}`…```, and those whose braces are missing."""
        for index, start, end in self._codes:
            name = _ROLE.search(self._text, max(index - len("x{hdl}"), 0), index)
            if name is None:
                continue
            begin = self._offsets[name.start()]
            is_escaped = begin + len(name[0]) < start
            if name["role"] and not is_escaped and self._options.values.roles:
                yield self._role(name["role"], begin, start, end)
            elif name["role"] and is_escaped and self._options.keep_source:
                yield InlineMarkup(self._source, begin, start, None)
            elif not name["role"] and not is_escaped:
                yield from self._role_without_braces(begin, start, end)

    def shortcodes(self) -> Iterator[InlineMarkup]:
        """The shortcodes that may hold a reference, which stay as they are written."""
        for start, end in shortcodes(self._source):
            text = self._source[start:end]
            if may_hold_markup(text, self._options.values.link_proxies):
                yield InlineMarkup(self._source, start, end, None, text)

    def _role(
        self, name: str, begin: int, code: int, end: int
    ) -> InlineMarkup | InlineCluster:
        """A role.

        Args:
            name: Its name.
            begin: Where it begins in the source.
            code: Where its content begins, with its backticks.
            end: The offset behind it.
        """
        source = self._source
        proxies = self._options.values.link_proxies
        content = source[code:end].strip("`")
        start = code + (end - code - len(content)) // 2
        try:
            role = read_role(
                content,
                proxies=proxies,
                document_charset=self._options.charset,
                doi_only=name.lower() == "doi",
            )
        except HandleSyntaxError as error:
            malformed = error.with_traceback(None)
            stop = start + len(content)
            found = Found(malformed, start, stop, content, Markup.ROLE)
            return InlineMarkup(source, begin, end, found, content)
        if isinstance(role, Cluster):
            offsets = range(start, end + 1)
            return self._cluster(role, begin, end, offsets, Markup.ROLE)
        start += role.start
        stop = start + len(role.written)
        written = source[start:stop]
        found = role.found._replace(start=start, end=stop, written=written)
        return InlineMarkup(
            source,
            begin,
            end,
            found if role.linked else None,
            self._options.presenter.role_text(role),
            is_title=role.title is not None,
        )

    def _role_without_braces(
        self, begin: int, code: int, end: int
    ) -> Iterator[InlineMarkup]:
        written = self._source[begin:end]
        name = self._source[begin:code]
        content = written.removeprefix(name).strip("`").strip()
        if reference_or_none(name + content, self._options.values.link_proxies) is None:
            return
        error = HandleSyntaxError(
            written,
            (0, len(name)),
            WITHOUT_BRACES,
            suggestion=f"{{{name[:-1].lower()}}}`{content}`",
        )
        found = Found(error, begin, end, written, Markup.ROLE)
        yield InlineMarkup(self._source, begin, end, found)
