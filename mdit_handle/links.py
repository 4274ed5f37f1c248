"""The core rule that repairs links, and records what the document refers to.

It visits the finished inline tokens: markdown-it has decided by then what is a link, and
``linkify`` has made links of what has no scheme, such as ``dx.doi.org/10.1000/182``.
"""

from collections.abc import Sequence

from markdown_it.rules_core import StateCore
from markdown_it.token import Token

from handle_system.display import shown, shows
from handle_system.errors import HandleSyntaxError
from handle_system.found import Found, Markup
from handle_system.reference import HandleReference
from handle_system.scanning import may_hold_reference
from mdit_handle.inline import (
    FOUND,
    MALFORMED,
    MARKUP,
    REFERENCE,
    SOURCE,
    CoreRule,
    dress,
)
from mdit_handle.positions import FindPosition, Page, Position
from mdit_handle.record import HANDLES, add_finding, add_record, add_reference
from mdit_handle.references import InlineReference, Options

__all__ = ["link_rule", "plain_text_of_images"]


def link_rule(options: Options) -> CoreRule:
    """The core rule, for a parser with these options."""

    def handle_links(state: StateCore) -> None:
        state.env.setdefault(HANDLES, [])
        documents = state.env[FOUND]
        if documents.pop() is not None:
            document = _Document(state, options)
            for block in state.tokens:
                if block.type == "inline":
                    block.children = document.finish(block)
        if not documents:
            del state.env[FOUND]

    return handle_links


def plain_text_of_images(children: Sequence[Token]) -> None:
    """Make plain text of alternative texts, in which only text is rendered."""
    for token in children:
        token.meta.pop(REFERENCE, None)
        if token.type in {"text_special", SOURCE}:
            token.type = "text"
        if token.type == "image":
            plain_text_of_images(token.children or ())


class _Document:
    """A document that may hold references, while its links are repaired."""

    def __init__(self, state: StateCore, options: Options) -> None:
        self._env = state.env
        self._options = options
        self._source = state.src
        # MyST makes nodes of the tokens at once, in the same process.
        self._keeps_found = bool(state.md.options.get("handle_found"))
        self._page = Page(state.src)
        self._may_have_cells = "|" in state.src

    def finish(self, block: Token) -> list[Token]:
        """Repair and record the links of a block.  Blocks come in their order."""
        children = block.children or []
        finished: list[Token] = []
        references: list[tuple[Token, InlineReference]] = []
        for index, token in enumerate(children):
            finished.append(token)
            if token.type == "text":
                continue
            if token.type == "image":
                plain_text_of_images(token.children or ())
            found: InlineReference | None = token.meta.pop(REFERENCE, None)
            if token.type == "link_open" and token.markup != MARKUP:
                link = _link_at(children, index)
                found = self._repair(link, found, block.content)
                if found is not None and len(link) == 2:
                    finished.append(self._text_of(found, token.level + 1))
            if found is not None and found.meant is not None:
                references.append((token, found))
        if not references and not self._may_have_cells:
            return finished
        # The text of a footnote, or that a plugin has changed, has a source of its own.
        sources = [found.source for _, found in references] or [block.content]
        find = {
            source: self._page.visit(block.map, source)
            for source in dict.fromkeys(sources)
        }
        for token, found in references:
            self._record(block, token, found, find[found.source])
        return finished

    def _repair(
        self, link: Sequence[Token], found: InlineReference | None, source: str
    ) -> InlineReference | None:
        """Give a link that is meant for a handle the right address; `None` if it is not."""
        opening, closing = link[0], link[-1]
        proxies = self._options.proxies
        href = str(opening.attrs.get("href", ""))
        is_off = "no-handle" in str(opening.attrs.get("class", "")).split()
        may_be_one = found or may_hold_reference(href, proxies=proxies)
        if opening is closing or is_off or not may_be_one:
            return None
        found = found or _guess(link, source, href)
        try:
            # Normalization makes ASCII of the name of a host.
            reference = self._read(found.written) or self._read(href)
        except HandleSyntaxError as error:
            if not href.lower().startswith(("http:", "https:")):
                _unlink(opening, closing)
            return found._replace(meant=error)
        if reference is None:
            return None
        inside = link[1:-1]
        text = "".join(token.content for token in inside)
        is_identifier = not inside or shows(text, reference, proxies)
        dress(opening, reference, proxies, is_identifier=is_identifier)
        if is_identifier:
            for token in inside:
                if token.type == "text":
                    token.type = "text_special"
        return found._replace(meant=reference)

    def _read(self, target: str) -> HandleReference | None:
        return HandleReference.from_link(
            target,
            proxies=self._options.proxies,
            document_charset=self._options.document_charset,
        )

    def _text_of(self, found: InlineReference, level: int) -> Token:
        """The text of a link without any: the typographer must not change it."""
        text = found.written
        if isinstance(found.meant, HandleReference):
            text = shown(found.meant, self._options.proxies, self._options.display)
        return Token(
            "text_special", "", 0, content=text, markup=text, info=MARKUP, level=level
        )

    def _record(
        self,
        block: Token,
        opening: Token,
        found: InlineReference,
        find: FindPosition,
    ) -> None:
        position, span = self._locate(found, find)
        record = add_record(self._env, found.written, found.markup, position, span)
        if isinstance(found.meant, HandleSyntaxError):
            code = "syntax" if found.markup == "role" else "link"
            add_finding(record, code, str(found.meant), found.meant.suggestion)
        elif found.meant is not None:
            add_reference(record, found.meant, str(opening.attrs["href"]))
        opening.meta["record"] = record
        if self._keeps_found and found.meant is not None:
            opening.meta["found"] = Found(
                found.meant, found.start, found.end, found.written, Markup(found.markup)
            )
        if position.line and block.map:
            opening.meta["line_in_block"] = position.line - block.map[0]

    def _locate(
        self, found: InlineReference, find: FindPosition
    ) -> tuple[Position, tuple[int, int] | None]:
        """The position of a reference, and its span if the source holds it verbatim."""
        if found.start < 0:
            return Position(find(0).line if "\n" not in found.source else None), None
        position = find(found.start)
        # The title of a role comes before the reference.
        begin = found.source.rfind(found.written, found.start, found.end)
        if position.offset is None or begin < 0:
            return position, None
        start = position.offset + begin - found.start
        end = start + len(found.written)
        is_verbatim = self._source[start:end] == found.written
        return position, (start, end) if is_verbatim else None


def _unlink(opening: Token, closing: Token) -> None:
    """Make a malformed link, which would lead nowhere, plain text."""
    opening.type, closing.type = "span_open", "span_close"
    opening.tag = closing.tag = "span"
    opening.attrs = {"class": MALFORMED}
    opening.markup = closing.markup = MARKUP
    opening.info = closing.info = ""


def _link_at(children: Sequence[Token], start: int) -> Sequence[Token]:
    """The tokens of a link, from the one that opens it to the one that closes it."""
    level = children[start].level
    for end in range(start + 1, len(children)):
        if children[end].type == "link_close" and children[end].level == level:
            return children[start : end + 1]
    return children[start : start + 1]


def _guess(link: Sequence[Token], source: str, href: str) -> InlineReference:
    """A link that was made of its text, as ``linkify`` does, and where that may stand."""
    text = "".join(token.content for token in link)
    start = source.find(text)
    if source.find(text, start + 1) >= 0:
        start = -1
    return InlineReference(source, start, start + len(text), href, "link")
