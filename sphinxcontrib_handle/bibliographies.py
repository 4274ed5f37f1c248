"""Handles in bibliographies that sphinxcontrib-bibtex makes.

Its links exist only in the finished tree, and there a handle given as biblatex
has it (``eprint = {20.1000/100}, eprinttype = {hdl}``) has become a link to
arXiv.  What the entries say is read from its domain, once all documents are
read; nothing of it is imported, so that it need not be installed.
"""

from collections.abc import Iterator
from pathlib import Path
from typing import TYPE_CHECKING, Any

from docutils import nodes

from handle_system.display import shown
from handle_system.errors import HandleSyntaxError
from handle_system.reference import HandleReference
from sphinxcontrib_handle.domain import Place, handle_domain
from sphinxcontrib_handle.links import dress
from sphinxcontrib_handle.options import options, proxies

if TYPE_CHECKING:
    from sphinx.application import Sphinx
    from sphinx.config import Config
    from sphinx.environment import BuildEnvironment

__all__ = ["repair_bibliographies", "setup_bibliographies"]

# After the bibtex domain, which lists its citations at the same event (500), and
# before verification, which asks for them (900).
_AFTER_BIBTEX = 700
_HANDLE_TYPES = frozenset({"hdl", "handle"})
_ARXIV = ("https://arxiv.org/abs/", "http://arxiv.org/abs/")


def setup_bibliographies(app: "Sphinx") -> None:
    """Read the bibliographies once all documents are read."""
    app.connect("env-updated", _note_citations, priority=_AFTER_BIBTEX)


def _citations(env: "BuildEnvironment") -> list[Any]:
    domain: Any = env.domains.get("cite") if "cite" in env.domains else None
    return list(getattr(domain, "citations", []))


def _note_citations(_app: "Sphinx", env: "BuildEnvironment") -> None:
    places = []
    files = _BibliographyFiles(env)
    if options(env.config).recognize:
        for citation in _citations(env):
            for written, reference in _references(citation.entry, env.config):
                source, line = files.find(citation.entry.key, written)
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
    """The handles of an entry, each once: of its DOI, its eprint, its URL."""
    fields = entry.fields
    known = set()
    for name in ("doi", "eprint", "url"):
        written = str(fields.get(name, ""))
        if name == "eprint" and not _is_handle_eprint(entry):
            continue
        try:
            if name == "url":
                reference = HandleReference.from_link(written, proxies=proxies(config))
            else:
                reference = HandleReference.parse(written, proxies=proxies(config))
        except HandleSyntaxError:
            continue
        if reference is not None and reference.handle not in known:
            known.add(reference.handle)
            yield written, reference


def _is_handle_eprint(entry: Any) -> bool:
    return str(entry.fields.get("eprinttype", "")).lower() in _HANDLE_TYPES


def repair_bibliographies(document: nodes.document, env: "BuildEnvironment") -> None:
    """Send links of handles that were sent to arXiv to their proxy."""
    entries = {
        citation.citation_id: citation.entry
        for citation in _citations(env)
        if _is_handle_eprint(citation.entry)
    }
    if not entries:
        return
    where = proxies(env.config)
    for element in document.findall(nodes.Element):
        names: list[str] = element.get("ids", [])
        for name in names:
            entry = entries.get(name)
            if entry is None:
                continue
            written = str(entry.fields.get("eprint", ""))
            try:
                reference = HandleReference.parse(written, proxies=where)
            except HandleSyntaxError:
                continue
            for link in element.findall(nodes.reference):
                if link.get("refuri") in {base + written for base in _ARXIV}:
                    link.children = [nodes.Text(shown(reference, where))]
                    link.children[0].parent = link
                    dress(link, reference, where)


class _BibliographyFiles:
    """The files of the bibliographies, to say where an entry's handle stands."""

    def __init__(self, env: "BuildEnvironment") -> None:
        domain: Any = env.domains.get("cite") if "cite" in env.domains else None
        self._paths = [
            str(path) for path in getattr(domain, "bibdata", _Nothing).bibfiles
        ]
        self._lines: dict[str, list[str]] = {}

    def find(self, key: str, written: str) -> tuple[str, int]:
        """The file and the line; where it cannot be found, neither."""
        for path in self._paths:
            lines = self._read(path)
            begun = False
            for number, line in enumerate(lines, 1):
                if line.lstrip().startswith("@"):
                    begun = f"{{{key.lower()}," in line.lower().replace(" ", "")
                if begun and written in line:
                    return path, number
        return "", 0

    def _read(self, path: str) -> list[str]:
        if path not in self._lines:
            try:
                text = Path(path).read_text("utf-8", errors="replace")
            except OSError:
                text = ""
            self._lines[path] = text.split("\n")
        return self._lines[path]


class _Nothing:
    bibfiles: tuple[str, ...] = ()
