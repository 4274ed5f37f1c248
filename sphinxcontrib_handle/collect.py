r"""The references of Sphinx documents: `LinkTargets` with what only Sphinx has.

Sphinx adds toctrees, docstrings, translated messages and a page's switch. References are
recorded in the domain. Links that have their target only when a document is written are
presented then (`present_late_links`).
"""

from collections.abc import Iterable, Iterator
from dataclasses import replace
from functools import cached_property
from typing import TYPE_CHECKING, Any

from docutils import nodes
from docutils.statemachine import StringList
from sphinx import addnodes
from sphinx.directives.other import TocTree
from sphinx.errors import PycodeError
from sphinx.pycode import ModuleAnalyzer
from sphinx.transforms import SphinxTransform
from sphinx.util.nodes import explicit_title_re

from handle_system.findings.finding import Finding, Place
from handle_system.found import Found, Markup, parse_target
from handle_system.presenting import Presenter
from handle_system.reference import HandleReference
from sphinxcontrib_handle.beside import TextsBeside
from sphinxcontrib_handle.bibtex import (
    bibtex_domain,
    mend_footnotes,
    mend_link,
    note_cited_keys,
)
from sphinxcontrib_handle.domain import handle_domain, recorded_place
from sphinxcontrib_handle.lines import SourceLines
from sphinxcontrib_handle.links import (
    NO_HANDLE,
    PLACE_NUMBER,
    LinkTargets,
    folder_of,
    is_off,
    linked_reference,
    present_link,
    proxies_of,
    unlink,
    upwards,
)
from sphinxcontrib_handle.messages import note_found, report_about_document

if TYPE_CHECKING:
    from sphinx.environment import BuildEnvironment


#: The field, or key of a page's front matter, that switches recognition off.
PAGE_SWITCH = "no-handle"

_TRANSLATED = ":<translated>"
# What stands in these is shown elsewhere, too, or not at all.
_ELSEWHERE = (
    nodes.title,
    nodes.caption,
    nodes.substitution_definition,
    addnodes.only,
)


class CollectReferences(LinkTargets, SphinxTransform):
    """Set the targets of links in a Sphinx document, and record its references."""

    def apply(self, **kwargs: Any) -> None:
        """Work on one document; a translated message is part of its page."""
        if is_translated_message(self.document):
            return
        if any(
            name.lower() == PAGE_SWITCH and is_on(text)
            for name, text in page_fields(self.document)
        ):
            for child in self.document.children:
                if isinstance(child, nodes.Element):
                    child["classes"].append(NO_HANDLE)
        if self.config.handle_recognize:
            mend_footnotes(self.document, self.env)
        self._domain = handle_domain(self.env)
        self._texts_beside = TextsBeside(proxies_of(self.config))
        super().apply(**kwargs)
        if self.config.handle_recognize:
            note_cited_keys(self.document, self.env, self._position_of)

    def _position_of(self, node: nodes.Element, written: str) -> tuple[str, int]:
        """The file and the line of what a node was written as."""
        around = self.place_around(node)
        return self.find_position(around.file, around.line, written, is_exact=False)

    def find_position(
        self, source: str, line: int, written: str, *, is_exact: bool
    ) -> tuple[str, int]:
        """The position in the file of a docstring, or of a translation's original."""
        if source.endswith(_TRANSLATED):
            source, _, number = source.removesuffix(_TRANSLATED).rpartition(":")
            line = int(number) if number.isdecimal() else 0
        if source.startswith("docstring of ") or source.endswith(".bib"):
            # In no file, or found already in that of a bibliography.
            return source, line
        path, mark, name = source.partition(":docstring of ")
        if mark:
            lines = _docstring_lines(path, name)
            return self.lines.find(path, lines.start + 1, written, lines)
        # Docutils names an included file from the working folder, which the next build
        # may not have.
        return self.lines.find(source, line, written, is_exact=is_exact)

    def record(self, node: nodes.Element, found: Found) -> None:
        """Record a reference in the domain."""
        if not isinstance(found.reference, HandleReference):
            return
        domain = self._domain
        document = self.env.docname
        beside = self._texts_beside.of(node, found)
        if beside is not None:
            found = found._replace(beside=beside)
        number = 0
        holders = upwards(node)
        if isinstance(node, nodes.reference) and _is_certainly_shown(holders):
            number = len(domain.data["places"].get(document, ())) + 1
            node[PLACE_NUMBER] = number
        anchor = _anchor(holders, self._first_section)
        domain.note(recorded_place(found, document, anchor, number))

    @cached_property
    def _first_section(self) -> nodes.section | None:
        """The first section of the document, which needs no anchor."""
        return _first_section(self.document)

    def report(self, finding: Finding, node: nodes.Element) -> None:
        """Log a finding, as severe as the project wants its kind."""
        location = (
            f"{node.source}:{node.line or ''}" if node.source else self.env.docname
        )
        document = self.env.docname
        places = [replace(place, document=document) for place in finding.places]
        placed = finding.at(*places)
        report_about_document(self.env, document, placed, location=location)


def _is_certainly_shown(holders: Iterable[nodes.Node]) -> bool:
    """Whether a page shows a link once, at its place: none of these holds it.

    Titles travel to menus, substitutions are repeated, and a block for one builder may be
    left out.
    """
    # Each reference comes here, and a loop is faster than `any`.
    for holder in holders:  # noqa: SIM110 (see above)
        if isinstance(holder, _ELSEWHERE):
            return False
    return True


def _docstring_lines(path: str, name: str) -> slice:
    """The lines of an object in a module's file, from 0, by the object's full name."""
    try:
        tags = ModuleAnalyzer.for_file(path, name).find_tags()
    except PycodeError:
        return slice(0, None)
    names = [tag for tag in tags if f".{name}".endswith(f".{tag}")]
    if not names:
        return slice(0, None)
    _kind, first, last = tags[max(names, key=len)]
    return slice(first - 1, last)


def _anchor(holders: Iterable[nodes.Element], first_section: nodes.Node | None) -> str:
    """The id of the section that holds a node; none for a page's first.

    Args:
        holders: The node and those that hold it, from it upwards.
        first_section: The first section of the page.
    """
    for holder in holders:
        if isinstance(holder, nodes.section) and holder["ids"]:
            return "" if holder is first_section else str(holder["ids"][0])
    return ""


def _first_section(document: nodes.document) -> nodes.section | None:
    return next(iter(document.findall(nodes.section)), None)


def page_fields(document: nodes.document) -> Iterator[tuple[str, str]]:
    """The names and texts of a page's fields, or of its front matter."""
    # They stand at the top level: the rest of the page need not be searched.
    for holder in document.children:
        for field in holder.children:
            if isinstance(field, nodes.field):
                name, body = field.children
                yield name.astext().strip(), body.astext()


def is_translated_message(document: nodes.document) -> bool:
    """Whether this is one translated message; it comes again with its page."""
    return str(document.get("source", "")).endswith(_TRANSLATED)


def is_on(switch: str) -> bool:
    """Whether the text of a field switches something on, as an empty one does."""
    return str(switch).strip().lower() not in {"false", "no", "off", "0"}


class HandleTocTree(TocTree):
    """Sphinx's directive ``toctree``, whose external entries may be references.

    Sphinx takes an entry without ``//`` for a document and drops it. A reference gets
    its link instead, and its own text as the title.
    """

    def run(self) -> list[nodes.Node]:
        """Make the toctree."""
        if self.config.handle_recognize:
            lines = [self._line(*item) for item in self.content.xitems()]
            self.content = StringList(lines, items=self.content.items)
        return super().run()

    def _line(self, source: str, offset: int, line: str) -> str:
        """The line of an entry as Sphinx reads it."""
        entry = line.strip()
        explicit = explicit_title_re.match(entry)
        title, target = explicit.groups() if explicit else (entry, entry)
        where = proxies_of(self.config)
        reference = linked_reference(target, where)
        if reference is None:
            return line
        lines = SourceLines(self.config.source_encoding)
        position = lines.find_again(source, offset + 1, target)
        found = Found(
            reference, written=target, markup=Markup.LINK, place=Place(*position)
        )
        holders = upwards(self.state.parent)
        anchor = _anchor(holders, _first_section(self.state.document))
        note_found(self.env, "places", found, self.env.docname, anchor)
        return line.replace(entry, f"{title} <{where.link(reference)}>")


def present_late_links(
    links: Iterable[nodes.reference], document: nodes.document, env: "BuildEnvironment"
) -> None:
    """Present the links that have their target only when a document is written.

    They are links by name, and those that sphinxcontrib-bibtex makes.

    Args:
        links: All links of the document.
        document: The document.
        env: The environment.
    """
    if not env.config.handle_recognize:
        return
    where = proxies_of(env.config)
    has_bibtex = bibtex_domain(env) is not None
    presenter = Presenter(proxies=where)
    for link in links:
        if has_bibtex:
            mend_link(link, where)
        target = link.get("refuri")
        if not isinstance(target, str) or "hdl" in link["classes"] or is_off(link):
            continue
        reference = parse_target(target, where, folder=folder_of(document))
        if isinstance(reference, HandleReference):
            present_link(link, reference, presenter)
        elif reference is not None and target[:4].lower() != "http":
            # By name, to a target that has been warned of.
            unlink(link)
