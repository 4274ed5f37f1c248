"""The core rule that repairs links, and records what the document refers to.

It visits the finished inline tokens: markdown-it has decided by then what is a link, and
``linkify`` has made links of what has no scheme, such as ``dx.doi.org/10.1000/182``.
"""

from collections.abc import Mapping, MutableMapping, Sequence

from markdown_it.rules_core import StateCore
from markdown_it.token import Token

from handle_system.diagnostics import findings_about
from handle_system.errors import HandleSyntaxError
from handle_system.findings.finding import Place
from handle_system.found import Found, Markup, empty_target
from handle_system.presenting import Presented
from handle_system.scanning import may_hold_reference
from mdit_handle.inline import (
    CITED,
    FOUND,
    MARKUP,
    REFERENCE,
    SOURCE,
    end_of,
    present_link,
    present_malformed,
    read_target,
    take_reading,
)
from mdit_handle.inline_markup import InlineMarkup, Options
from mdit_handle.positions import BlockPlaces, Page
from mdit_handle.record import add_finding, add_found, add_record

_CELLS = frozenset({"td_open", "th_open"})
# The types of the tokens that can show a reference. A look at the type alone is cheap, and
# most tokens are text and emphasis.
_SHOWING = frozenset({"code_inline", "html_inline", "image", "link_open", "span_open"})


def handle_links(state: StateCore) -> None:
    """The core rule that repairs links, and records what was found."""
    reading = take_reading(state.env)
    if reading is None:
        return
    document = _Document(state, reading.options)
    document.note_problems()
    before = ""
    for block in state.tokens:
        if block.type == "inline":
            is_cell = before in _CELLS
            document.finish(block, is_cell=is_cell)
        before = block.type


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
        self._presenter = options.presenter
        self._page = Page(state.src)

    def note_problems(self) -> None:
        """Record the files of references that cannot be read."""
        works = self._options.works
        if works is None:
            return
        from handle_system.describing.work_findings import (  # noqa: PLC0415 - not loaded if not wanted
            findings_about_files,
        )

        for finding in findings_about_files(works):
            code = finding.code.value
            record = add_record(self._env, finding.subject, code, Place())
            add_finding(record, finding, self._options.values.policy)

    def finish(self, block: Token, *, is_cell: bool) -> None:
        """Repair and record the links of a block.  Blocks come in their order."""
        children = block.children or []
        texts: dict[int, Token] = {}
        markups: list[tuple[Token, InlineMarkup]] = []
        for index, token in enumerate(children):
            if token.type not in _SHOWING:
                continue
            if token.type == "image":
                plain_text_of_images(token.children or ())
            markup: InlineMarkup | None
            if token.type == "link_open" and token.markup != MARKUP:
                markup = self._finish_link(children, index, block.content, texts)
            else:
                markup = token.meta.pop(REFERENCE, None)
            if markup is not None and markup.found is not None:
                markups.append((token, markup))
        if texts:
            block.children = _with_texts(children, texts)
        self._note_all(block, markups, is_cell=is_cell)

    def _finish_link(
        self,
        children: Sequence[Token],
        start: int,
        source: str,
        texts: MutableMapping[int, Token],
    ) -> InlineMarkup | None:
        """Repair a link that markdown-it or another plugin made.

        Args:
            children: The tokens of its block.
            start: The index of the token that opens it.
            source: The source of its block.
            texts: Gets the text of a link without any, by that index.
        """
        token = children[start]
        has_been_read = REFERENCE in token.meta
        markup: InlineMarkup | None = token.meta.pop(REFERENCE, None)
        has_target = bool(token.attrs.get("href"))
        if has_target and has_been_read and markup is None:
            return None
        link = children[start : end_of(children, start)]
        if not has_target:
            return self._empty(link, source)
        markup = self._repair(link, markup, source)
        if markup and markup.found and len(link) == 2:
            token.meta["is_empty"] = True
            found = markup.found._replace(is_key=True)
            markup = markup._replace(found=found)
            if self._options.works is not None:
                token.meta[CITED] = ("", "")
            texts[start] = self._text_of(found, token.level + 1)
        return markup

    def _note_all(
        self,
        block: Token,
        markups: Sequence[tuple[Token, InlineMarkup]],
        *,
        is_cell: bool,
    ) -> None:
        """Note everything that was found in a block."""
        # Most blocks hold none.
        if not markups and not is_cell:
            return
        # The text of a footnote, or that a plugin has changed, has a source of its own.
        places: dict[str, BlockPlaces] = {}
        if is_cell:
            # Another cell of the line may hold the same text.
            places[block.content] = self._page.block(block.map, block.content)
            places[block.content].row(0)
        for token, markup in markups:
            source = markup.source
            if source not in places:
                places[source] = self._page.block(block.map, source)
            self._note(block, token, markup, places[source])

    def _repair(
        self, link: Sequence[Token], markup: InlineMarkup | None, source: str
    ) -> InlineMarkup | None:
        """Give a link that is meant for a handle the right address; `None` if it is not."""
        opening, closing = link[0], link[-1]
        is_off = "no-handle" in str(opening.attrs.get("class", "")).split()
        if opening is closing or is_off:
            return None
        href = str(opening.attrs.get("href", ""))
        markup = markup or self._made_of_text(link, source, href)
        if markup is None or markup.found is None:
            return None
        reference = markup.found.reference
        if isinstance(reference, HandleSyntaxError):
            if not href.lower().startswith(("http:", "https:")):
                presented = self._presenter.present(markup.found)
                _unlink(opening, closing, presented)
            return markup
        inside = link[1:-1]
        text = "".join(token.content for token in inside)
        presented = self._presenter.present(
            reference,
            text if inside else None,
            title=str(opening.attrs.get("title", "")),
        )
        present_link(opening, presented, reference)
        markup = markup._replace(found=markup.found._replace(shown=_shown_text(inside)))
        if presented.is_literal:
            for token in inside:
                if token.type == "text":
                    token.type = "text_special"
        return markup

    def _empty(self, link: Sequence[Token], source: str) -> InlineMarkup | None:
        """A link without a target whose text is an identifier."""
        text = _shown_text(link[1:-1])
        if not may_hold_reference(text, proxies=self._options.values.link_proxies):
            return None
        error = empty_target(text, self._options.values.link_proxies)
        if error is None:
            return None
        return InlineMarkup(source, -1, -1, Found(error, markup=Markup.LINK))

    def _made_of_text(
        self, link: Sequence[Token], source: str, href: str
    ) -> InlineMarkup | None:
        """A link that was made of its text, as ``linkify`` does, and where that may stand."""
        if not may_hold_reference(href, proxies=self._options.values.link_proxies):
            return None
        reference = read_target(href, href, self._options)
        if reference is None:
            return None
        text = "".join(token.content for token in link)
        start = source.find(text)
        stands_once = start >= 0 and source.find(text, start + 1) < 0
        if not stands_once:
            found = Found(reference, written=href, markup=Markup.LINK)
            return InlineMarkup(source, -1, -1, found)
        end = start + len(text)
        found = Found(reference, start, end, text, Markup.LINK)
        return InlineMarkup(source, start, end, found)

    def _text_of(self, found: Found, level: int) -> Token:
        """The text of a link without any: the typographer must not change it."""
        text = self._presenter.present(found).text
        return Token(
            "text_special", "", 0, content=text, markup=text, info=MARKUP, level=level
        )

    def _note(
        self,
        block: Token,
        opening: Token,
        markup: InlineMarkup,
        places: BlockPlaces,
    ) -> None:
        """Note what was found at its place, in its token or in the record."""
        found = markup.found
        if found is None:
            return
        place = _place_of(markup, places)
        if place.line and block.map:
            opening.meta["line_in_block"] = place.line - block.map[0]
        # The reference stands behind the beginning of its markup, or nobody knows where.
        written_place = place
        if found.start < 0:
            written_place = Place("", place.line)
        elif found.start != markup.start:
            written_place = places.place(found.start)
        # Where works are described, the rule that tells what is said about them takes it.
        if self._options.keep_found or self._options.works is not None:
            opening.meta[FOUND] = found._replace(place=written_place)
        if self._options.keep_found:
            return
        href = str(opening.attrs.get("href", ""))
        span = self._span(found, written_place)
        record = add_found(self._env, found, href, place, span)
        for finding in findings_about(found, self._options.values.suffixes):
            add_finding(record, finding, self._options.values.policy)
        opening.meta["record"] = record

    def _span(self, found: Found, place: Place) -> tuple[int, int] | None:
        """The span in the document of what was written at a place, if verbatim."""
        is_raw = found.reference.source.endswith(found.written)
        if not (is_raw and place.column and found.start >= 0):
            return None
        lines = self._page.lines
        start = lines.offset(place.line, place.column)
        if not lines.text.startswith(found.written, start):
            return None
        return start, start + len(found.written)


def _with_texts(children: Sequence[Token], texts: Mapping[int, Token]) -> list[Token]:
    """The tokens of a block with a text behind those that open a link without any."""
    whole: list[Token] = []
    for index, token in enumerate(children):
        whole.append(token)
        if index in texts:
            whole.append(texts[index])
    return whole


def _shown_text(tokens: Sequence[Token]) -> str:
    """The text of the tokens of a link, without those of pictures."""
    return "".join(token.content for token in tokens if token.type != "image")


def _place_of(markup: InlineMarkup, places: BlockPlaces) -> Place:
    """The place of markup; without a column if it stands somewhere in its block."""
    if markup.start >= 0:
        return places.place(markup.start)
    has_one_line = "\n" not in markup.source
    return Place("", places.place(0).line if has_one_line else 0)


def _unlink(opening: Token, closing: Token, presented: Presented) -> None:
    """Make a malformed link, which would lead nowhere, plain text."""
    opening.type = "span_open"
    closing.type = "span_close"
    opening.tag = closing.tag = "span"
    present_malformed(opening, presented)
    opening.markup = closing.markup = MARKUP
    opening.info = closing.info = ""
