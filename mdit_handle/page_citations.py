"""Citations in a page of Markdown, as tokens: their texts, marks, lists and findings."""

from collections.abc import Iterator, Sequence

from markdown_it.rules_core import StateCore
from markdown_it.token import Token

from handle_system.describing.described_works import DescribedWorks
from handle_system.describing.list_options import MOST_LISTS, options_in
from handle_system.describing.page_citations import (
    NEAR,
    PAGE,
    CitingPage,
    FoundInPage,
    PageLink,
)
from handle_system.describing.page_settings import PageSettings
from handle_system.describing.parts import Parts, html_of
from handle_system.findings.finding import Policy
from handle_system.handle import Handle
from mdit_handle.beside import found_in_block
from mdit_handle.inline import CITED, CLUSTER, FOUND, MARKUP, NAMED, end_of
from mdit_handle.record import add_finding

#: The name of the directive for the list.
LIST_NAME = "{handle-references}"

_FENCES = frozenset({"fence", "colon_fence"})


class PageCitations:
    """Cites works in pages."""

    def __init__(
        self, works: DescribedWorks, settings: PageSettings, policy: Policy
    ) -> None:
        """Take over what pages have in common.

        Args:
            works: The works that files describe.
            settings: How they are shown.
            policy: The severities of findings.
        """
        self._works = works
        self._settings = settings
        self._policy = policy

    def rule(self, state: StateCore) -> None:
        """The core rule, which comes when links have their targets."""
        tokens = state.tokens
        directives = [
            index
            for index, token in enumerate(tokens)
            if token.type in _FENCES and token.info.split()[:1] == [LIST_NAME]
        ][:MOST_LISTS]
        found = [
            one for block in tokens for one in found_in_block(block.children or ())
        ]
        links = {id(link) for block in tokens for link in _links(block.children or ())}
        page = CitingPage(
            [
                FoundInPage(one, is_linked=id(token) in links, is_checked=True)
                for token, one in found
            ],
            {PAGE: [options_in(tokens[index].content) for index in directives]},
            self._works,
            self._settings,
        )
        of_found = page.findings_by_found()
        for (token, _), findings in zip(found, of_found, strict=True):
            token.meta.pop(FOUND, None)
            for finding in findings:
                add_finding(token.meta["record"], finding, self._policy)
        _Writer(page).write(tokens, directives)


class _Writer:
    """Writes the citations of a page into its tokens."""

    def __init__(self, page: CitingPage) -> None:
        self._page = page
        self._is_heading = False

    def write(self, tokens: list[Token], directives: Sequence[int]) -> None:
        """Write the citations, and the lists in place of their directives."""
        for index, token in enumerate(tokens):
            if token.type == "inline" and token.children:
                before = tokens[index - 1].type if index else ""
                self._is_heading = before == "heading_open"
                token.children = self._cited_tokens(token.children)
        for number, index in enumerate(directives):
            fence = tokens[index]
            block = Token(
                "html_block", "", 0, map=fence.map, block=True, level=fence.level
            )
            block.content = html_of(self._page.list_of(number))
            tokens[index] = block

    def _cited_tokens(self, tokens: Sequence[Token]) -> list[Token]:
        """The tokens of a block, with what its links and clusters become."""
        made: list[Token] = []
        index = 0
        while index < len(tokens):
            token = tokens[index]
            end = index + 1
            if CLUSTER in token.meta:
                end = end_of(tokens, index)
                made += self._cluster(tokens, index, end)
            elif _is_link(token):
                end = end_of(tokens, index)
                made += self._link(tokens, index, end)
            else:
                made.append(token)
            index = end
        return made

    def _cluster(self, tokens: Sequence[Token], start: int, end: int) -> list[Token]:
        """The tokens of a cluster, from the one that opens it to the one that closes it."""
        opening, *inside, closing = tokens[start:end]
        is_bracketed = opening.meta.pop(CLUSTER)
        is_named = opening.meta.pop(NAMED, False)
        links = [
            inside[index : end_of(inside, index)]
            for index, token in enumerate(inside)
            if _is_link(token)
        ]
        if not links:
            # In the text of a link it is text alone.
            return [opening, *inside, closing]
        parts = self._page.shown_cluster(
            [_page_link(link) for link in links],
            lambda: self._text_behind(tokens, end),
            is_bracketed=is_bracketed,
            is_named=is_named,
        )
        return [opening, *_written(parts, links, opening.level + 1), closing]

    def _link(self, tokens: Sequence[Token], start: int, end: int) -> list[Token]:
        """The tokens of a link that stands alone, from the one that opens it."""
        link = tokens[start:end]
        parts = self._page.shown_link(
            _page_link(link), lambda: self._text_behind(tokens, end)
        )
        return _written(parts, [link], link[0].level)

    def _text_behind(self, tokens: Sequence[Token], end: int) -> str | None:
        """The beginning of the text of a block behind a link; `None` in a heading."""
        if self._is_heading:
            return None
        text = ""
        while end < len(tokens) and len(text) < NEAR:
            text += tokens[end].content
            end += 1
        return text


def _page_link(link: Sequence[Token]) -> PageLink:
    """A link as the page knows it."""
    meta = link[0].meta
    text = "".join(token.content for token in link)
    return PageLink(Handle.parse(meta["handle"]), text, meta.pop(CITED, None))


def _written(parts: Parts, links: Sequence[Sequence[Token]], level: int) -> list[Token]:
    """What is shown, as tokens."""
    made: list[Token] = []
    for part in parts:
        if isinstance(part, str):
            made.append(Token("text", "", 0, content=part, level=level))
            continue
        if part.link is None:
            name = "link" if part.tag == "a" else part.tag
            opening = Token(f"{name}_open", part.tag, 1, level=level, markup=MARKUP)
            closing = Token(f"{name}_close", part.tag, -1, level=level, markup=MARKUP)
            inside: Sequence[Token] = ()
        else:
            opening, *inside, closing = links[part.link]
        for name, value in part.attributes.items():
            if name == "class":
                opening.attrJoin(name, value)
            else:
                opening.attrs[name] = value
        if part.parts is not None:
            inside = _written(part.parts, links, level + 1)
        made += [opening, *inside, closing]
    return made


def _links(tokens: Sequence[Token]) -> Iterator[Token]:
    """The tokens that open links to handles, but within no other: a plugin may nest them."""
    end = 0
    for index, token in enumerate(tokens):
        if index >= end and _is_link(token):
            yield token
            end = end_of(tokens, index)


def _is_link(token: Token) -> bool:
    return token.type == "link_open" and "handle" in token.meta
