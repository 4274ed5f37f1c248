"""Citations in a page, as elements: their texts, marks, the list, and the way back."""

from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from functools import cached_property
from html import escape
from itertools import pairwise
from typing import TYPE_CHECKING, TypeAlias
from xml.etree.ElementTree import Element

from markdown.util import AtomicString, code_escape

from handle_pipelines.python_markdown.page import Page, Shown
from handle_system.citing.in_text import CitingStyle
from handle_system.describing.citing_page import CitedWork, CitingPage, Mark
from handle_system.describing.findings import (
    finding_about_work,
    findings_about_undescribed_works,
    update_command,
)
from handle_system.describing.references import References
from handle_system.describing.retraction import NEAR, RETRACTED_CLASS
from handle_system.found import Found, Markup
from handle_system.reference import HandleReference
from handle_system.role_citations import texts_around

if TYPE_CHECKING:
    from handle_system.findings.finding import Place
    from handle_system.handle import Handle

__all__ = ["cite_works", "note_all"]

_HEADINGS = frozenset({"h1", "h2", "h3", "h4", "h5", "h6"})

# What stands in an element, in order.
_Parts: TypeAlias = list[str | Element]


@dataclass(slots=True)
class _Citation:
    """A link to a work.

    Attributes:
        link: The link, which becomes more than a link where it needs a mark.
        work: The work, and what stands around the link.
        number: The number of the link in the page.
    """

    link: Element
    work: CitedWork
    number: int


def note_all(root: Element, page: Page) -> None:
    """Note everything that the elements of a page show, in their order."""
    for element in root.iter():
        shown = page.shown.get(element)
        if shown is None:
            continue
        if shown.found is not None:
            found = shown.found._replace(is_key=shown.found.is_key or shown.is_citing)
            page.note(found, shown.markup)
        if shown.cluster is not None:
            for one in shown.cluster.cited:
                found = Found(
                    one.reference,
                    written=one.written,
                    markup=shown.cluster_markup,
                    is_key=True,
                )
                page.note(found)
    _note_works(page)


def _note_works(page: Page) -> None:
    """Note what became of the works of a page."""
    if page.works is None:
        return
    places: dict[Handle, list[Place]] = {}
    cited: dict[Handle, list[Place]] = {}
    for found in page.found:
        if isinstance(found.reference, HandleReference):
            handle = found.reference.handle
            places.setdefault(handle, []).append(found.place)
            is_listed = bool(page.lists) and found.markup is not Markup.FIELD
            if is_listed or found.is_citation:
                cited.setdefault(handle, []).append(found.place)
    files = [str(file.path) for file in page.works.files]
    for handle, found_at in places.items():
        work = page.works.get(handle)
        if work is not None and work.update is not None:
            finding = finding_about_work(
                handle, work.update, found_at, files, proxies=page.settings.proxies
            )
            page.findings.append(finding)
    command = update_command(files, [])
    page.findings += findings_about_undescribed_works(cited, page.works, command)


def cite_works(root: Element, page: Page) -> list[str]:
    """Write the citations of a page, and return the HTML of its lists."""
    return _Citing(root, page).write()


class _Citing:
    """A page while its citations are written."""

    def __init__(self, root: Element, page: Page) -> None:
        self._root = root
        self._page = page
        self._count = 0
        self._headings = {
            inner
            for heading in root.iter()
            if heading.tag in _HEADINGS
            for inner in heading.iter()
        }
        # The citations of each element that shows some.
        self._citations: dict[Element, list[_Citation]] = {}
        for element in root.iter():
            shown = page.shown.get(element)
            if shown is not None and shown.is_linked:
                self._citations[element] = [*self._citations_of(element, shown)]
        self._citing = CitingPage(
            [
                citation.work.handle
                for citations in self._citations.values()
                for citation in citations
            ],
            [listed.options for listed in page.lists],
            page.works or References(()),
            page.settings.proxies,
            page.settings.display,
        )

    def _citations_of(self, element: Element, shown: Shown) -> Iterator[_Citation]:
        is_in_heading = element in self._headings
        if shown.found and isinstance(shown.found.reference, HandleReference):
            self._count += 1
            handle = shown.found.reference.handle
            work = CitedWork(handle, is_in_heading=is_in_heading)
            yield _Citation(element, work, self._count)
        for one in shown.cluster.cited if shown.cluster else ():
            self._count += 1
            presented = self._page.presenter.present(one.reference)
            link = self._page.element(presented, Shown())
            words = one.prefix, one.locator
            work = CitedWork(one.reference.handle, words, is_in_heading=is_in_heading)
            yield _Citation(link, work, self._count)

    def write(self) -> list[str]:
        """Write the citations, and return the HTML of the lists."""
        for element, citations in self._citations.items():
            for citation in citations:
                name = self._citing.id_of_place(citation.number)
                if name:
                    citation.link.set("id", name)
            shown = self._page.shown[element]
            if shown.cluster is not None:
                parts = self._cluster(
                    citations, is_bracketed=shown.cluster.is_bracketed
                )
                _fill(element, parts)
            elif citations:
                self._write_single(element, citations[0], shown)
        return self._citing.lists_html()

    def _write_single(
        self, element: Element, citation: _Citation, shown: Shown
    ) -> None:
        """Write a link that stands alone."""
        style = self._citing.style(is_bracketed=False)
        is_retracted = self._citing.is_retracted(citation.work.handle)
        is_citing = (
            shown.is_citing and style is not None and self._page.works is not None
        )
        if not (is_citing or is_retracted):
            return
        link = _moved(element)
        citation.link = link
        if is_retracted:
            text_behind = self._text_behind(element)
            citation.work = citation.work._replace(text_behind=text_behind)
        if is_citing and style is not None:
            parts = self._together([citation], style)
        else:
            parts = self._marked_link(citation)
        if parts == [link]:
            _move_back(link, element)
        else:
            element.tag = "span"
            _fill(element, parts)

    def _cluster(self, citations: Sequence[_Citation], *, is_bracketed: bool) -> _Parts:
        """What stands in the element of a cluster."""
        style = self._citing.style(is_bracketed=is_bracketed)
        if style is not None and self._page.works is not None:
            return self._together(citations, style)
        words = [citation.work.words for citation in citations]
        *before, behind = texts_around(words, is_bracketed=is_bracketed)
        parts: _Parts = []
        for citation, text in zip(citations, before, strict=True):
            parts += [text, *self._marked_link(citation)]
        return [*parts, behind]

    def _together(self, citations: Sequence[_Citation], style: CitingStyle) -> _Parts:
        """Citations that stand together."""
        works = [citation.work for citation in citations]
        shown = self._citing.together(works, style)
        parts: _Parts = []
        for citation, shown_citation in zip(citations, shown.citations, strict=True):
            link = citation.link
            self._note_retraction(citation)
            if shown_citation.entry_id:
                link.set("href", f"#{shown_citation.entry_id}")
                link.set("role", "doc-biblioref")
            _fill(link, [shown_citation.text])
            mark = _mark_parts(shown_citation.mark)
            parts += [shown_citation.before, link, *mark, shown_citation.behind]
        if not shown.opening:
            return [part for part in parts if part != ""]
        bracket = Element("span", {"class": "hdl-bracket"})
        _fill(bracket, [shown.opening, *parts, shown.closing])
        return [bracket]

    def _marked_link(self, citation: _Citation) -> _Parts:
        """A link that keeps its text, and its mark."""
        text = "".join(citation.link.itertext())
        self._note_retraction(citation)
        mark = self._citing.mark(citation.work, text)
        return [citation.link, *_mark_parts(mark)]

    def _note_retraction(self, citation: _Citation) -> None:
        """Give the link to a retracted work its class."""
        if self._citing.is_retracted(citation.work.handle):
            classes = f"{citation.link.get('class', '')} {RETRACTED_CLASS}"
            citation.link.set("class", classes.strip())

    def _text_behind(self, element: Element) -> str:
        """The beginning of the text behind an element."""
        text = element.tail or ""
        sibling = self._next_siblings.get(element)
        while sibling is not None and len(text) < NEAR:
            text += "".join(sibling.itertext()) + (sibling.tail or "")
            sibling = self._next_siblings.get(sibling)
        return text[:NEAR]

    @cached_property
    def _next_siblings(self) -> dict[Element, Element]:
        return {
            element: sibling
            for parent in self._root.iter()
            for element, sibling in pairwise(parent)
        }


def _mark_parts(mark: Mark | None) -> _Parts:
    """The mark behind the link to a retracted work."""
    if mark is None:
        return []
    word: str | Element = mark.word
    if mark.notice is not None:
        # The word leads to the notice.
        word = Element("a")
        word.set("href", escape(mark.address))
        word.set("title", code_escape(mark.notice.title))
        word.set("aria-label", code_escape(mark.notice.label))
        _fill(word, [mark.word])
    flag = Element("span", {"class": "hdl-flag"})
    _fill(flag, [mark.left, word, mark.right])
    return [" ", flag]


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


def _move_back(moved: Element, element: Element) -> None:
    element.attrib.update(moved.attrib)
    element.text = moved.text
    element.extend(moved)


def _fill(element: Element, parts: _Parts) -> None:
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
