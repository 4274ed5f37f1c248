"""Citations in a page of Markdown, as tokens: their texts, the list, and the way back."""

from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass
from typing import TypeAlias

from markdown_it.rules_core import StateCore
from markdown_it.token import Token

from handle_system.citing.in_text import CitingStyle
from handle_system.describing.citing_page import (
    CitedWork,
    CitingPage,
    Mark,
    ShownCitation,
)
from handle_system.describing.list_options import MOST_LISTS, ListOptions, Order
from handle_system.describing.references import References
from handle_system.describing.retraction import NEAR, RETRACTED_CLASS
from handle_system.handle import Handle
from handle_system.presenting import DisplayStyle
from handle_system.proxies import Proxies
from mdit_handle.inline import CITED, CLUSTER, MARKUP

__all__ = ["LIST_NAME", "PageCitations"]

#: The name of the directive for the list.
LIST_NAME = "{handle-references}"

_FENCES = frozenset({"fence", "colon_fence"})
# Some tokens, and the index of one of them.
_Position: TypeAlias = tuple[Sequence[Token], int]


@dataclass(frozen=True, slots=True)
class _Citation:
    """A link that cites its work."""

    link: Sequence[Token]
    work: CitedWork


class PageCitations:
    """Cites works in pages; for the arguments see `mdit_handle.handle_plugin`."""

    def __init__(
        self,
        references: References,
        proxies: Proxies,
        display: DisplayStyle,
        translate: Callable[[str], str] | None,
    ) -> None:
        self._references = references
        self._proxies = proxies
        self._display = display
        self._translate = translate or str

    def rule(self, state: StateCore) -> None:
        """The core rule, which comes when links have their targets."""
        tokens = state.tokens
        directives = [
            index
            for index, token in enumerate(tokens)
            if token.type in _FENCES and token.info.split()[:1] == [LIST_NAME]
        ][:MOST_LISTS]
        page = CitingPage(
            _linked_handles(tokens),
            [_options(tokens[index]) for index in directives],
            self._references,
            self._proxies,
            self._display,
            self._translate,
        )
        _Writer(tokens, page).write(directives)


class _Writer:
    """Writes the citations of a page into its tokens."""

    def __init__(self, tokens: list[Token], page: CitingPage) -> None:
        self._tokens = tokens
        self._page = page
        self._number = 0
        self._is_heading = False

    def write(self, directives: Sequence[int]) -> None:
        """Write the citations, and the lists in place of their directives."""
        for index, token in enumerate(self._tokens):
            if token.type == "inline" and token.children:
                before = self._tokens[index - 1].type if index else ""
                self._is_heading = before == "heading_open"
                token.children = self._cited_tokens(token.children)
        for index, html in zip(directives, self._page.lists_html(), strict=True):
            fence = self._tokens[index]
            block = Token(
                "html_block", "", 0, map=fence.map, block=True, level=fence.level
            )
            block.content = html
            self._tokens[index] = block

    def _cited_tokens(self, tokens: Sequence[Token]) -> list[Token]:
        """The tokens of a block, with what its links and clusters become."""
        made: list[Token] = []
        index = 0
        while index < len(tokens):
            token = tokens[index]
            end = index + 1
            if CLUSTER in token.meta:
                end = _end_of(tokens, index)
                made += self._cluster(tokens[index:end], (tokens, end))
            elif _is_link(token):
                end = _end_of(tokens, index)
                made += self._link(tokens[index:end], (tokens, end))
            else:
                made.append(token)
            index = end
        return made

    def _cluster(self, tokens: Sequence[Token], behind: _Position) -> list[Token]:
        """The tokens of a cluster, from the one that opens it to the one that closes it."""
        opening, *inside, closing = tokens
        is_bracketed = opening.meta.pop(CLUSTER)
        style = self._page.style(is_bracketed=is_bracketed)
        if style is None or not any(map(_is_link, inside)):
            return [opening, *self._cited_tokens(inside), closing]
        citations: list[_Citation] = []
        for index, token in enumerate(inside):
            if _is_link(token):
                end = _end_of(inside, index)
                words = token.meta.pop(CITED, ("", ""))
                text_behind = _beginning((inside, end), behind)
                link = inside[index:end]
                citations.append(self._citation(link, words, text_behind))
        return [opening, *self._together(citations, style, opening.level + 1), closing]

    def _link(self, tokens: Sequence[Token], behind: _Position) -> list[Token]:
        """The tokens of a link that stands alone."""
        words = tokens[0].meta.pop(CITED, None)
        style = self._page.style(is_bracketed=False)
        citation = self._citation(tokens, words or ("", ""), _beginning(behind))
        if words is not None and style is not None:
            return self._together([citation], style, tokens[0].level)
        opening = tokens[0]
        mark = self._page.mark(citation.work, _text_of(tokens))
        return [*tokens, *_mark_tokens(mark, opening.level)]

    def _citation(
        self, link: Sequence[Token], words: tuple[str, str], text_behind: str
    ) -> _Citation:
        """A citation at its place; its link gets its id and its class."""
        opening = link[0]
        self._number += 1
        name = self._page.id_of_place(self._number)
        if name:
            opening.attrs["id"] = name
        handle = Handle.parse(opening.meta["handle"])
        if self._page.is_retracted(handle):
            opening.attrJoin("class", RETRACTED_CLASS)
        return _Citation(link, CitedWork(handle, words, text_behind, self._is_heading))

    def _together(
        self, citations: Sequence[_Citation], style: CitingStyle, level: int
    ) -> list[Token]:
        """The tokens of citations that stand together."""
        works = [citation.work for citation in citations]
        shown = self._page.together(works, style)
        made: list[Token] = []
        for citation, shown_citation in zip(citations, shown.citations, strict=True):
            made += _cited_link(citation.link, shown_citation, level)
        if not shown.opening:
            return made
        inside = [
            *_text_tokens(shown.opening, level + 1),
            *made,
            *_text_tokens(shown.closing, level + 1),
        ]
        return _span(inside, "hdl-bracket", level)


def _cited_link(link: Sequence[Token], shown: ShownCitation, level: int) -> list[Token]:
    """The link of a citation with its text, and what stands around it."""
    opening, *_, closing = link
    if shown.entry_id:
        opening.attrs["href"] = f"#{shown.entry_id}"
        opening.attrs["role"] = "doc-biblioref"
    return [
        *_text_tokens(shown.before, level),
        opening,
        *_text_tokens(shown.text, opening.level + 1),
        closing,
        *_mark_tokens(shown.mark, opening.level),
        *_text_tokens(shown.behind, opening.level),
    ]


def _mark_tokens(mark: Mark | None, level: int) -> list[Token]:
    """The mark behind the link to a retracted work."""
    if mark is None:
        return []
    inside = [
        *_text_tokens(mark.left, level + 1),
        *_notice_tokens(mark, level + 1),
        *_text_tokens(mark.right, level + 1),
    ]
    return [*_text_tokens(" ", level), *_span(inside, "hdl-flag", level)]


def _notice_tokens(mark: Mark, level: int) -> list[Token]:
    """The word of the mark, which leads to the notice if that is known."""
    if mark.notice is None:
        return _text_tokens(mark.word, level)
    attributes: dict[str, str | int | float] = {
        "href": mark.address,
        "title": mark.notice.title,
        "aria-label": mark.notice.label,
    }
    opening = Token("link_open", "a", 1, attrs=attributes, level=level, markup=MARKUP)
    closing = Token("link_close", "a", -1, level=level, markup=MARKUP)
    return [opening, *_text_tokens(mark.word, level + 1), closing]


def _span(inside: Sequence[Token], name: str, level: int) -> list[Token]:
    """An element with a class around tokens."""
    opening = Token(
        "span_open", "span", 1, attrs={"class": name}, level=level, markup=MARKUP
    )
    closing = Token("span_close", "span", -1, level=level, markup=MARKUP)
    return [opening, *inside, closing]


def _linked_handles(tokens: Sequence[Token]) -> Iterator[Handle]:
    """The handles of the links, in their order."""
    for block in tokens:
        for token in block.children or ():
            if _is_link(token):
                yield Handle.parse(token.meta["handle"])


def _is_link(token: Token) -> bool:
    return token.type == "link_open" and "handle" in token.meta


def _end_of(tokens: Sequence[Token], start: int) -> int:
    """The index behind the token that closes what a token opens."""
    level = tokens[start].level
    for index in range(start + 1, len(tokens)):
        if tokens[index].nesting == -1 and tokens[index].level == level:
            return index + 1
    return start + 1


def _text_of(tokens: Sequence[Token]) -> str:
    return "".join(token.content for token in tokens)


def _beginning(*parts: _Position) -> str:
    """The beginning of the text at some positions, which follow each other."""
    text = ""
    for tokens, start in parts:
        index = start
        while index < len(tokens) and len(text) < NEAR:
            text += tokens[index].content
            index += 1
    return text[:NEAR]


def _text_tokens(text: str, level: int) -> list[Token]:
    """A text as a token; none if it is empty."""
    return [Token("text", "", 0, content=text, level=level)] if text else []


def _options(fence: Token) -> ListOptions:
    """The options of a list, as far as a page knows them."""
    for line in fence.content.splitlines():
        name, _, value = line.strip().removeprefix(":").partition(":")
        if name == "sort" and value.strip() in [*Order]:
            return ListOptions((), value.strip())
    return ListOptions()
