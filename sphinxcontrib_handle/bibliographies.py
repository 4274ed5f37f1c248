r"""Handles in the bibliographies of sphinxcontrib-bibtex.

Its links exist only in the finished tree; those of entries in footnotes exist while a
document is read. Three things are wrong with them. A handle given as biblatex has it
(``eprint = {20.1000/100}, eprinttype = {hdl}``) leads to arXiv. TeX's escapes
(``10.1000/a\_b``) are part of the address. And ``https://doi.org/`` stands before a
``doi`` that is an address itself.

The entries are read from the domain of that extension when all documents are read.
Nothing of it is imported: it need not be installed.
"""

import re
from collections.abc import Iterator
from typing import TYPE_CHECKING, Any

from docutils import nodes
from sphinx.transforms import SphinxTransform

from handle_system.display import shown
from handle_system.errors import HandleSyntaxError
from handle_system.reference import HandleReference
from handle_system.scanning import find_references
from sphinxcontrib_handle.config import options, proxies
from sphinxcontrib_handle.domain import Malformed, Place, handle_domain
from sphinxcontrib_handle.lines import SourceLines
from sphinxcontrib_handle.links import (
    dress,
    findings,
    linked_reference,
)
from sphinxcontrib_handle.messages import HandleWarning, warn

if TYPE_CHECKING:
    from sphinx.application import Sphinx
    from sphinx.environment import BuildEnvironment

__all__ = ["CitedFootnotes", "mend_links", "record_bibliographies"]

_HANDLE_TYPES = frozenset({"hdl", "handle"})
_ARXIV = re.compile(r"https?://arxiv\.org/abs/")
_ESCAPE = re.compile(r"\{\\([_%&#$])\}|\\([_%&#${}])")


def _without_escapes(text: str) -> str:
    return _ESCAPE.sub(lambda found: found[1] or found[2], text)


def _domain(env: "BuildEnvironment") -> Any:
    return env.domains.get("cite") if "cite" in env.domains else None


def record_bibliographies(_app: "Sphinx", env: "BuildEnvironment") -> None:
    """Record the references of all entries, and report what is wrong with them."""
    domain = handle_domain(env)
    # All entries are read again.
    domain.data |= {"citations": {}, "malformed_citations": {}}
    if not options(env.config).recognize:
        return
    files = _BibliographyFiles(env)
    for citation in getattr(_domain(env), "citations", []):
        document = citation.bibliography_key.docname
        known = set()
        for written, meant in _references(citation.entry, env):
            source, line = files.find(citation.entry.key, written)
            if isinstance(meant, HandleSyntaxError):
                malformed = Malformed(
                    document, source, line, written, meant.reason, "link"
                )
                domain.note("malformed_citations", malformed)
                warn(
                    env.config,
                    HandleWarning.LINK,
                    str(meant),
                    location=malformed.location,
                )
            elif meant.handle not in known:
                known.add(meant.handle)
                handle = meant.handle
                place = Place(
                    document, source, line, written, str(handle), handle.comparison_key
                )
                domain.note("citations", place)
                for kind, message in findings(written, meant):
                    warn(
                        env.config,
                        kind,
                        message,
                        location=place.location,
                    )


def _references(
    entry: Any, env: "BuildEnvironment"
) -> Iterator[tuple[str, HandleReference | HandleSyntaxError]]:
    """The references of an entry as written, each with its meaning."""
    where = proxies(env.config)
    for name in ("doi", "eprint", "url"):
        written = str(entry.fields.get(name, ""))
        if not written or (name == "eprint" and not _is_handle_eprint(entry)):
            continue
        parse = HandleReference.from_link if name == "url" else HandleReference.parse
        try:
            reference = parse(_without_escapes(written), proxies=where)
        except HandleSyntaxError as error:
            yield written, error
        else:
            if reference is not None:
                yield written, reference
    for name in ("howpublished", "note", "addendum", "annote"):
        text = str(entry.fields.get(name, ""))
        for found in find_references(text, proxies=where):
            written = text[found.start : found.end]
            reference = linked_reference(_without_escapes(written), where)
            if reference is not None:
                yield written, reference


def _is_handle_eprint(entry: Any) -> bool:
    return str(entry.fields.get("eprinttype", "")).lower() in _HANDLE_TYPES


def _eprints(env: "BuildEnvironment") -> dict[str, HandleReference]:
    """The handles that entries have as eprints, by their spelling."""
    data = getattr(getattr(_domain(env), "bibdata", None), "data", None)
    found = {}
    for entry in getattr(data, "entries", {}).values():
        if _is_handle_eprint(entry):
            written = str(entry.fields.get("eprint", ""))
            reference = linked_reference(f"hdl:{written}", proxies(env.config))
            if reference is not None:
                found[written] = reference
    return found


def mend_links(document: nodes.Element, env: "BuildEnvironment") -> None:
    """Lead links of handles to their proxy that lead to arXiv, and decode TeX."""
    if _domain(env) is None:
        return
    where = proxies(env.config)
    eprints = _eprints(env)
    for link in document.findall(nodes.reference):
        target = str(link.get("refuri", ""))
        reference = eprints.get(_ARXIV.sub("", target))
        meant = _without_escapes(target)
        # The field is an address itself, behind which it was put.
        whole = meant.removeprefix("https://doi.org/")
        if linked_reference(whole, where) is not None:
            meant = whole
        if reference is not None:
            link.clear()
            link.append(nodes.Text(shown(reference, where)))
            dress(link, reference, where)
        elif meant != target and linked_reference(meant, where) is not None:
            link["refuri"] = meant
            for text in list(link.findall(nodes.Text)):
                text.parent.replace(text, nodes.Text(_without_escapes(text)))
        # Hovering a citation shows its entry.
        title = str(link.get("reftitle", ""))
        for written, each in eprints.items() if "arXiv:" in title else ():
            title = title.replace(f"arXiv:{written}", shown(each, where))
            link["reftitle"] = title


class CitedFootnotes(SphinxTransform):
    """Mend the links of entries in footnotes, and locate them in their file."""

    # Before the transform of links (215), which records them.
    default_priority = 205

    def apply(self, **_kwargs: Any) -> None:
        """Work on one document."""
        cited: Any = self.env.temp_data.get("bibtex_footcite_names", {})
        if not cited or not options(self.config).recognize:
            return
        keys = {name: key for key, name in cited.items()}
        files = _BibliographyFiles(self.env)
        for footnote in self.document.findall(nodes.footnote):
            key = next((keys[name] for name in footnote["names"] if name in keys), None)
            if key is not None:
                mend_links(footnote, self.env)
                for link in footnote.findall(nodes.reference):
                    reference = linked_reference(
                        link.get("refuri", ""), proxies(self.config)
                    )
                    if reference is not None:
                        link.source, link.line = files.find(key, str(reference.handle))


class _BibliographyFiles:
    """The files of the bibliographies, in which references are located."""

    def __init__(self, env: "BuildEnvironment") -> None:
        data = getattr(_domain(env), "bibdata", None)
        self._paths = [str(path) for path in getattr(data, "bibfiles", ())]
        self._lines = SourceLines("utf-8")

    def find(self, key: str, written: str) -> tuple[str, int]:
        """The file and the line of a reference in an entry; no file if not found."""
        entry = re.compile(rf"\s*@\w+\s*\{{\s*{re.escape(key)}\s*,", re.IGNORECASE)
        for path in self._paths:
            for number, line in enumerate(self._lines.read(path), 1):
                if entry.match(line):
                    return self._lines.find(
                        path, number, written, slice(number - 1, None)
                    )
        return "", 0
