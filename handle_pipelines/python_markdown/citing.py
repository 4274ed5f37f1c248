"""Citations in a page, as elements: their texts, marks, the lists, and the findings."""

from collections.abc import Sequence
from functools import cached_property, partial
from html import escape
from itertools import pairwise
from typing import TypeAlias
from xml.etree.ElementTree import Element

from markdown.util import AtomicString, code_escape

from handle_pipelines.python_markdown.beside import BLOCKS, TextsBeside
from handle_pipelines.python_markdown.page import Page, Showing
from handle_system.describing.page_citations import (
    NEAR,
    PAGE,
    CitingPage,
    FoundInPage,
    PageLink,
)
from handle_system.describing.page_settings import PageSettings
from handle_system.describing.parts import Parts, Shown, html_of
from handle_system.describing.work_findings import update_command
from handle_system.reference import HandleReference
from handle_system.role_citations import CitedReference

_HEADINGS = frozenset({"h1", "h2", "h3", "h4", "h5", "h6"})

# What stands in an element, in order.
_Pieces: TypeAlias = list[str | Element]


def cite_works(root: Element, page: Page) -> list[str]:
    """Write the citations of a page, and note what was found and is said about it.

    Returns:
        The HTML of its lists.
    """
    texts_beside = TextsBeside(root, page.shown)
    # Who read the cards has said what is wrong in them.
    found = [FoundInPage(one, is_linked=False, is_checked=True) for one in page.found]
    shown_elements: list[Element] = []
    for element in root.iter():
        shown = page.shown.get(element)
        if shown is None:
            continue
        shown_elements.append(element)
        # A cluster may hold the same text twice.
        markup = shown.markup if shown.cluster is None else ""
        for one in shown.all_found:
            placed = one._replace(
                place=page.places.next(one.written, markup),
                beside=texts_beside.of(element, one),
            )
            found.append(FoundInPage(placed, is_linked=shown.is_linked))
    page.found = [one.found for one in found]
    files = [str(file.path) for file in page.works.files] if page.works else []
    settings = PageSettings(
        proxies=page.settings.link_proxies,
        display=page.settings.display,
        suffix_policy=page.settings.suffixes,
        files=files,
        update_command=update_command(files, []),
    )
    lists = [listed.options for listed in page.lists]
    citing = CitingPage(found, {PAGE: lists}, page.works, settings)
    page.findings += citing.findings()
    writer = _Writer(root, page, citing)
    for element in shown_elements:
        writer.write(element)
    return [html_of(citing.list_of(index)) for index in range(len(lists))]


class _Writer:
    """Writes the citations of a page into its elements."""

    def __init__(self, root: Element, page: Page, citing: CitingPage) -> None:
        self._root = root
        self._page = page
        self._citing = citing
        self._headings = {
            inner
            for heading in root.iter()
            if heading.tag in _HEADINGS
            for inner in heading.iter()
        }

    def write(self, element: Element) -> None:
        """Write what an element shows, in the order of the page."""
        shown = self._page.shown[element]
        text_behind = partial(self._text_behind, element)
        if not shown.is_linked:
            return
        if shown.cluster is not None:
            links = [*map(self._link_of, shown.cluster.cited)]
            parts = self._citing.shown_cluster(
                [
                    _page_link(link, one.reference, (one.prefix, one.locator))
                    for link, one in zip(links, shown.cluster.cited, strict=True)
                ],
                text_behind,
                is_bracketed=shown.cluster.is_bracketed,
                is_named=shown.cluster.is_named,
            )
            _fill(element, _written(parts, links))
        elif shown.found and isinstance(shown.found.reference, HandleReference):
            words = ("", "") if shown.is_citing else None
            link = _page_link(element, shown.found.reference, words)
            first, *others = self._citing.shown_link(link, text_behind)
            if isinstance(first, Shown) and first.link == 0 and not others:
                _complete(element, first, [])
            else:
                links = [_moved(element)]
                element.tag = "span"
                _fill(element, _written((first, *others), links))

    def _link_of(self, cited: CitedReference) -> Element:
        """The link of a reference in a cluster."""
        presented = self._page.presenter.present(cited.reference)
        return self._page.element(presented, Showing())

    def _text_behind(self, element: Element) -> str | None:
        """The beginning of the text of a block behind an element; `None` in a heading."""
        if element in self._headings:
            return None
        text = ""
        holder: Element | None = element
        while holder is not None and holder.tag not in BLOCKS and len(text) < NEAR:
            text += holder.tail or ""
            sibling = self._next_siblings.get(holder)
            while sibling is not None and len(text) < NEAR:
                text += "".join(sibling.itertext()) + (sibling.tail or "")
                sibling = self._next_siblings.get(sibling)
            holder = self._parents.get(holder)
        return text

    @cached_property
    def _next_siblings(self) -> dict[Element, Element]:
        return {
            element: sibling
            for parent in self._root.iter()
            for element, sibling in pairwise(parent)
        }

    @cached_property
    def _parents(self) -> dict[Element, Element]:
        return {element: parent for parent in self._root.iter() for element in parent}


def _page_link(
    element: Element, reference: HandleReference, words: tuple[str, str] | None
) -> PageLink:
    """A link as the page knows it."""
    return PageLink(reference.handle, "".join(element.itertext()), words)


def _written(parts: Parts, links: Sequence[Element]) -> _Pieces:
    """What is shown, as texts and elements."""
    made: _Pieces = []
    for part in parts:
        if isinstance(part, str):
            made.append(part)
            continue
        element = Element(part.tag) if part.link is None else links[part.link]
        _complete(element, part, links)
        made.append(element)
    return made


def _complete(element: Element, shown: Shown, links: Sequence[Element]) -> None:
    """Give an element its attributes, and what it holds."""
    for name, value in shown.attributes.items():
        if name == "class":
            element.set(name, f"{element.get(name, '')} {value}".strip())
        else:
            # Python-Markdown escapes no "&" that looks like an entity.
            element.set(name, escape(value) if name == "href" else code_escape(value))
    if shown.parts is not None:
        _fill(element, _written(shown.parts, links))


def _moved(element: Element) -> Element:
    """A new element with all that an element is and holds, but for the text behind it."""
    moved = Element(element.tag, dict(element.attrib))
    moved.text = element.text
    moved.extend(element)
    for child in list(element):
        element.remove(child)
    element.attrib.clear()
    element.text = None
    return moved


def _fill(element: Element, parts: _Pieces) -> None:
    """Give an element its texts and elements, in place of what it holds."""
    for child in list(element):
        element.remove(child)
    element.text = AtomicString("")
    last: Element | None = None
    for part in parts:
        if isinstance(part, Element):
            element.append(part)
            last = part
        elif last is None:
            element.text = AtomicString(f"{element.text}{code_escape(part)}")
        else:
            last.tail = AtomicString(f"{last.tail or ''}{code_escape(part)}")
