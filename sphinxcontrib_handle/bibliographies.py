"""Handles in bibliographies that sphinxcontrib-bibtex makes.

Its links exist only in the finished tree, and there a handle given as biblatex
has it (``eprint = {20.1000/100}, eprinttype = {hdl}``) has become a link to
arXiv.  What the entries say is read from its domain, once all documents are
read; nothing of it is imported, so that it need not be installed.

Entries in footnotes are made while a document is read.  They have links, and no
place: theirs is the entry's.  In both kinds TeX's escapes have become a part of
the address.
"""

from collections.abc import Iterator
from functools import lru_cache
from pathlib import Path
from typing import TYPE_CHECKING, Any

from docutils import nodes
from sphinx.transforms import SphinxTransform

from handle_system.display import shown
from handle_system.errors import HandleSyntaxError
from handle_system.reference import HandleReference
from handle_system.scanning import find_references
from handle_system.tex_escapes import without_tex_escapes
from sphinxcontrib_handle.domain import Place, handle_domain
from sphinxcontrib_handle.links import WRITTEN, dress, linked_reference
from sphinxcontrib_handle.options import options, proxies

if TYPE_CHECKING:
    from sphinx.application import Sphinx
    from sphinx.config import Config
    from sphinx.environment import BuildEnvironment

    from handle_system.proxies import Proxies

__all__ = ["repair_bibliographies", "setup_bibliographies"]

# After the bibtex domain, which lists its citations at the same event (500), and
# before verification, which asks for them (900).
_AFTER_BIBTEX = 700
_HANDLE_TYPES = frozenset({"hdl", "handle"})
# The place of what stands in no file.
_NOWHERE = ("", 0)
_ARXIV = ("https://arxiv.org/abs/", "http://arxiv.org/abs/")


def setup_bibliographies(app: "Sphinx") -> None:
    """Read the bibliographies once all documents are read."""
    app.connect("env-updated", _note_citations, priority=_AFTER_BIBTEX)
    app.add_transform(CitedFootnotes)


def _domain(env: "BuildEnvironment") -> Any:
    return env.domains.get("cite") if "cite" in env.domains else None


def _citations(env: "BuildEnvironment") -> list[Any]:
    return list(getattr(_domain(env), "citations", []))


def _note_citations(_app: "Sphinx", env: "BuildEnvironment") -> None:
    places = []
    files = _BibliographyFiles(env)
    if options(env.config).recognize:
        for citation in _citations(env):
            for written, reference in _references(citation.entry, env.config):
                meant = without_tex_escapes(written)
                source, line = files.find(citation.entry.key, meant)
                places.append(
                    Place(
                        citation.bibliography_key.docname,
                        source,
                        line,
                        written,
                        str(reference.handle),
                        reference.handle.comparison_key,
                    )
                )
    handle_domain(env).note_citations(places)


def _references(entry: Any, config: "Config") -> Iterator[tuple[str, HandleReference]]:
    """The handles of an entry, each once: of its fields, and in the text of others."""
    known = set()
    for written, reference in (*_fields(entry, config), *_in_texts(entry, config)):
        if reference.handle not in known:
            known.add(reference.handle)
            yield written, reference


def _fields(entry: Any, config: "Config") -> Iterator[tuple[str, HandleReference]]:
    for name in ("doi", "eprint", "url"):
        written = str(entry.fields.get(name, ""))
        meant = without_tex_escapes(written)
        if name == "eprint" and not _is_handle_eprint(entry):
            continue
        try:
            if name == "url":
                reference = HandleReference.from_link(meant, proxies=proxies(config))
            else:
                reference = HandleReference.parse(meant, proxies=proxies(config))
        except HandleSyntaxError:
            continue
        if reference is not None:
            yield written, reference


def _in_texts(entry: Any, config: "Config") -> Iterator[tuple[str, HandleReference]]:
    """References in running text, and as the addresses of its links."""
    for name in ("howpublished", "note", "addendum", "annote"):
        text = str(entry.fields.get(name, ""))
        for found in find_references(text, proxies=proxies(config)):
            written = text[found.start : found.end]
            try:
                meant = HandleReference.parse(
                    without_tex_escapes(written), proxies=proxies(config)
                )
            except HandleSyntaxError:
                continue
            yield written, meant


def _is_handle_eprint(entry: Any) -> bool:
    return str(entry.fields.get("eprinttype", "")).lower() in _HANDLE_TYPES


def repair_bibliographies(document: nodes.document, env: "BuildEnvironment") -> None:
    """Send links of handles that were sent to arXiv to their proxy."""
    entries = {
        citation.citation_id: citation.entry
        for citation in _citations(env)
        if _is_handle_eprint(citation.entry) or _has_escapes(citation.entry)
    }
    if not entries:
        return
    where = proxies(env.config)
    for element in document.findall(nodes.Element):
        names: list[str] = element.get("ids", [])
        for name in names:
            entry = entries.get(name)
            if entry is not None:
                for link in element.findall(nodes.reference):
                    _read_escapes(link, where)
                _repair_eprint(element, entry, env.config)
    for entry in entries.values():
        _repair_previews(document, entry, env.config)


def _repair_eprint(element: nodes.Element, entry: Any, config: "Config") -> None:
    where = proxies(config)
    written, reference = _eprint(entry, config)
    if reference is None:
        return
    for link in element.findall(nodes.reference):
        if link.get("refuri") in {base + written for base in _ARXIV}:
            link.children = [nodes.Text(shown(reference, where))]
            link.children[0].parent = link
            dress(link, reference, where)


def _repair_previews(document: nodes.document, entry: Any, config: "Config") -> None:
    """Hovering a citation shows its entry, with the handle as one of arXiv's."""
    written, reference = _eprint(entry, config)
    if reference is None:
        return
    for link in document.findall(nodes.reference):
        preview = str(link.get("reftitle", ""))
        if link.get("internal") and f"arXiv:{written}" in preview:
            said = shown(reference, proxies(config))
            link["reftitle"] = preview.replace(f"arXiv:{written}", said)


def _eprint(entry: Any, config: "Config") -> tuple[str, HandleReference | None]:
    """The handle that an entry has as an eprint, as it is written and read."""
    written = str(entry.fields.get("eprint", ""))
    if not _is_handle_eprint(entry):
        return written, None
    try:
        return written, HandleReference.parse(written, proxies=proxies(config))
    except HandleSyntaxError:
        return written, None


def _has_escapes(entry: Any) -> bool:
    return any("\\" in str(entry.fields.get(name, "")) for name in ("doi", "url"))


def _read_escapes(link: nodes.reference, where: "Proxies") -> None:
    """Take TeX's escapes out of a handle's link that was made of a field."""
    written = link.get("refuri", "")
    meant = without_tex_escapes(written)
    if meant != written and linked_reference(meant, where) is not None:
        link["refuri"] = meant
        for text in list(link.findall(nodes.Text)):
            text.parent.replace(text, nodes.Text(without_tex_escapes(text)))


class CitedFootnotes(SphinxTransform):
    """Put right the links of cited entries in footnotes, and say where they stand."""

    # Before the first pass (215), which takes their places over.
    default_priority = 205

    def apply(self, **_kwargs: Any) -> None:
        """Work on one document."""
        cited: Any = self.env.temp_data.get("bibtex_footcite_names", {})
        if not cited or not options(self.config).recognize:
            return
        keys = {name: key for key, name in cited.items()}
        files = _BibliographyFiles(self.env)
        entries = _domain(self.env).bibdata.data.entries
        where = proxies(self.config)
        for footnote in self.document.findall(nodes.footnote):
            key = next((keys[name] for name in footnote["names"] if name in keys), None)
            if key is not None and key in entries:
                _repair_eprint(footnote, entries[key], self.config)
            for link in footnote.findall(nodes.reference) if key else ():
                _read_escapes(link, where)
                reference = linked_reference(link.get("refuri", ""), where)
                if reference is not None and key:
                    place = files.find(key, str(reference.handle), link["refuri"])
                    if place != _NOWHERE:
                        link.source, link.line = place
                        link[WRITTEN] = link["refuri"]


class _BibliographyFiles:
    """The files of the bibliographies, to say where an entry's handle stands."""

    def __init__(self, env: "BuildEnvironment") -> None:
        data = getattr(_domain(env), "bibdata", None)
        self._paths = [str(path) for path in getattr(data, "bibfiles", ())]

    def find(self, key: str, *texts: str) -> tuple[str, int]:
        """The file and the line that holds the first of the texts that is found."""
        for text in texts:
            for path in self._paths:
                for number, line in _entries_of(path).get(key.lower(), ()):
                    if text in without_tex_escapes(line):
                        return path, number
        return _NOWHERE


#: Numbered lines of entries, by key in small letters.
_Entries = dict[str, list[tuple[int, str]]]


def _entries_of(path: str) -> _Entries:
    try:
        return _read(path, Path(path).stat().st_mtime_ns)
    except OSError:
        return {}


@lru_cache(maxsize=8)
def _read(path: str, _changed: int) -> _Entries:
    """The lines of a file, which each document with footnotes asks for."""
    entries: _Entries = {}
    entry: list[tuple[int, str]] = []
    text = Path(path).read_text("utf-8", errors="replace")
    for number, line in enumerate(text.split("\n"), 1):
        if line.lstrip().startswith("@"):
            _, _, begun = line.lower().replace(" ", "").partition("{")
            entry = entries.setdefault(begun.partition(",")[0], [])
        entry.append((number, line))
    return entries
