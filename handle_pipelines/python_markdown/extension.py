"""The extension: its parts, and their places among those of Python-Markdown."""

import os
import re
from collections.abc import Callable
from dataclasses import dataclass, replace
from functools import lru_cache
from pathlib import Path, PurePath
from typing import Any
from xml.etree.ElementTree import Element

from markdown import Markdown
from markdown.extensions import Extension
from markdown.preprocessors import Preprocessor
from markdown.treeprocessors import Treeprocessor

from handle_pipelines.python_markdown.citing import cite_works
from handle_pipelines.python_markdown.fences import CARD, LIST, Fence, fences
from handle_pipelines.python_markdown.inline import References, Roles
from handle_pipelines.python_markdown.links import Targets
from handle_pipelines.python_markdown.page import Page, PageList
from handle_pipelines.python_markdown.places import Places
from handle_pipelines.python_markdown.reporting import Document, document_of, report
from handle_pipelines.python_markdown.settings import read_settings
from handle_system.describing.described_works import DescribedWorks as Works
from handle_system.describing.described_works import read_described_works
from handle_system.describing.list_options import (
    MOST_LISTS,
    finding_about_lists,
    options_in,
)
from handle_system.describing.work_findings import findings_about_files
from handle_system.findings.finding import Finding
from handle_system.foreign_files import Stamp, stamp
from handle_system.found import Found
from handle_system.scanning import may_hold_reference

# Before any other preprocessor, such as that of snippets.
_FIRST = 1000
# Behind those that unify white space (30) and read metadata (27), and before fences of
# code (25).
_BEFORE_FENCES = 26
# Before spans of code (190).
_BEFORE_CODE = 191
# Behind links and "<https:…>" (120), before mail (110) and HTML (90).
_BEFORE_MAIL = 115
# Behind attribute lists (8), before the paths of MkDocs (0).
_BEFORE_PATHS = 1
_LAST = -1
# The extensions of PyMdown whose marks an identifier may hold, by their patterns.
_PAIRS = ("delimiter", "mark", "ins", "ins_del", "del", "sub_del", "sup_ins")
# Escapes and entities may hide what begins a reference.
_HIDING = re.compile(r"\\[:/.]|&(?:#|colon;|sol;|period;)", re.IGNORECASE)
_ROLE = re.compile(r"\{(?:hdl|doi)\}`", re.IGNORECASE)


class HandleExtension(Extension):
    """The extension ``handle`` of Python-Markdown.

    A `Markdown` that has it also has ``handles``, a list of `Found`, and
    ``handle_findings``, a list of `Finding` after the project's policy, about the last text.
    """

    def __init__(self, **options: Any) -> None:
        """Read the options; see `handle_pipelines.python_markdown.settings`.

        Raises:
            ValueError: when there is no such option, or its value cannot be used.
        """
        super().__init__()
        self._settings = read_settings(options)
        self._lines: list[str] = []
        self._document = Document()
        self.page = Page(settings=self._settings, source="", places=Places("", "", 0))

    def extendMarkdown(self, md: Markdown) -> None:  # noqa: N802 - Python-Markdown's name
        """Register the parts."""
        self._md = md
        md.preprocessors.register(_Lines(md, self.begin), "handle-source", _FIRST)
        md.preprocessors.register(_Lines(md, self.read), "handle", _BEFORE_FENCES)
        md.inlinePatterns.register(
            Roles(md, self._page_in_hand), "handle-role", _BEFORE_CODE
        )
        md.inlinePatterns.register(
            References(md, self._page_in_hand), "handle", _BEFORE_MAIL
        )
        md.treeprocessors.register(
            Targets(md, self._page_in_hand), "handle-targets", _BEFORE_PATHS
        )
        md.treeprocessors.register(_End(md, self.end), "handle", _LAST)
        md.registerExtension(self)
        self.reset()

    def _page_in_hand(self) -> Page:
        return self.page

    def reset(self) -> None:
        """Forget the last text."""
        self._publish([], [])

    def begin(self, lines: list[str]) -> list[str]:
        """Begin a text: keep its lines before another extension changes them."""
        self._lines = list(lines)
        return lines

    def read(self, lines: list[str]) -> list[str]:
        """Read the fences of a text, and decide whether it may hold references."""
        self._document = document_of(self._md)
        self.page = page = self._new_page(self._document)
        source = "\n".join(lines)
        page.is_worth = (
            may_hold_reference(source, proxies=self._settings.link_proxies)
            or _HIDING.search(source) is not None
            or _ROLE.search(source) is not None
        )
        page.has_pairs = any(name in self._md.inlinePatterns for name in _PAIRS)
        has_fence = CARD in source or LIST in source
        if self._settings.fences and has_fence:
            return self._without_fences(lines)
        return lines

    def end(self, root: Element) -> None:
        """Write the citations and lists of a text, and report what was found."""
        page = self.page
        if page.shown or page.lists:
            html_of_lists = cite_works(root, page)
            for listed, html in zip(page.lists, html_of_lists, strict=True):
                blocks = self._md.htmlStash.rawHtmlBlocks
                blocks[listed.block] = html or "<div></div>"
        findings = self._settings.policy.applied_to(page.findings)
        self._publish(page.found, findings)
        report(self._document, findings, strict=self._settings.strict)

    def _publish(self, handles: list[Found], findings: list[Finding]) -> None:
        self._md.handles = handles
        self._md.handle_findings = findings

    def _new_page(self, document: Document) -> Page:
        source = "\n".join(self._lines)
        lines_before = document.lines_before(source)
        is_changed = lines_before is None and document.is_origin_of(source)
        file = document.text if is_changed else ""
        page = Page(
            settings=self._settings,
            source=source,
            places=Places(source, document.name, lines_before, file),
            folder=document.path.parent if document.path else None,
        )
        retractions = self._settings.retractions
        if self._settings.references or retractions:
            paths = [document.root / name for name in self._settings.references_files]
            watch = stamp(document.root / retractions) if retractions else None
            read = _works_of(tuple(map(stamp, paths)), watch)
            page.works = read.works
            # A builder makes a parser for each page, and one message about a file is enough.
            if self._settings.strict or not read.is_told:
                found = findings_about_files(read.works)
                page.findings += [_naming_another(document, one) for one in found]
                read.is_told = True
        return page

    def _without_fences(self, lines: list[str]) -> list[str]:
        """The lines with placeholders for cards and lists."""
        # PyMdown's registers itself in the place of Python-Markdown's own fences.
        blocks = self._md.preprocessors
        name = "fenced_code_block"
        own = type(blocks[name]).__module__ if name in blocks else ""
        may_be_indented = own.startswith("pymdownx")
        source = "\n".join(self._lines)
        left: list[str] = []
        position = 0
        offset = 0
        for fence in fences(lines, may_be_indented=may_be_indented):
            left += lines[position : fence.start]
            position = fence.end
            opening = lines[fence.start]
            at = source.find(opening.strip(), offset)
            offset = at + 1 if at >= 0 else offset
            line = source.count("\n", 0, at) + 1 if at >= 0 else 0
            left += ["", f"{fence.indent}{self._placeholder(fence, line)}", ""]
        return [*left, *lines[position:]]

    def _placeholder(self, fence: Fence, line: int) -> str:
        """What stands for the HTML of a fence until the page is written."""
        if fence.name == CARD:
            # Few pages have a card, and it needs all of citing.
            from handle_pipelines.python_markdown.cards import (  # noqa: PLC0415 (as it says)
                card_of,
            )

            html = card_of(fence, line, self.page, self._document.metadata)
            return str(self._md.htmlStash.store(html))
        page = self.page
        page.list_count += 1
        if page.list_count > MOST_LISTS:
            if page.list_count == MOST_LISTS + 1:
                place = page.places.of_line(line) if line else page.places.unknown
                page.findings.append(finding_about_lists(self._document.name, place))
            return ""
        placeholder = self._md.htmlStash.store("")
        number = len(self._md.htmlStash.rawHtmlBlocks) - 1
        page.lists.append(PageList(number, options_in(fence.content)))
        return str(placeholder)


class _Lines(Preprocessor):
    """Hands the lines of a text to the extension."""

    def __init__(self, md: Markdown, run: Callable[[list[str]], list[str]]) -> None:
        super().__init__(md)
        self.run = run


class _End(Treeprocessor):
    """Hands the tree of a page to the extension, behind all other tree processors."""

    def __init__(self, md: Markdown, run: Callable[[Element], None]) -> None:
        super().__init__(md)
        self.run = run


@dataclass(slots=True)
class _ReadWorks:
    """Files of references that were read.

    Attributes:
        works: The works.
        is_told: Whether it was told what cannot be read of them.
    """

    works: Works
    is_told: bool = False


def _naming_another(document: Document, finding: Finding) -> Finding:
    """A finding about a file of references that is missing names one among the pages."""
    path = Path(finding.subject)
    if document.pages is None or path.exists():
        return finding
    another = document.pages / path.name
    if not another.exists():
        return finding
    # With "/", as configurations are written.
    name = PurePath(os.path.relpath(another, document.root)).as_posix()
    return replace(finding, message=f"{finding.message}; {name} is there")


@lru_cache(maxsize=4)
def _works_of(stamps: tuple[Stamp, ...], retractions: Stamp | None) -> _ReadWorks:
    """The works of files, which are read once until one of them changes."""
    works = read_described_works([path for path, *_ in stamps])
    return _ReadWorks(works.with_retractions(retractions[0] if retractions else None))
