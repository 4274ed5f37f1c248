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

from handle_system.errors import HandleSyntaxError
from handle_system.reference import HandleReference
from handle_system.scanning import find_references
from sphinxcontrib_handle.config import proxies
from sphinxcontrib_handle.domain import Malformed, Place, handle_domain
from sphinxcontrib_handle.lines import SourceLines
from sphinxcontrib_handle.links import findings, linked_reference
from sphinxcontrib_handle.messages import HandleWarning, warn

if TYPE_CHECKING:
    from sphinx.application import Sphinx
    from sphinx.environment import BuildEnvironment

__all__ = ["mend_footnotes", "mend_links", "record_bibliographies"]

# A handle in the place of an identifier of arXiv's (``2101.00001``, ``math.GT/0309136``).
_ARXIV = re.compile(
    r"(?:arXiv:|https?://arxiv\.org/abs/)"
    r"(?=[^\s/,:;]+/)(?![a-z-]+(?:\.[A-Z]{2})?/[0-9]{7})"
)
_BEFORE_ADDRESS = re.compile("https://doi.org/(?=https?://)")
_ESCAPE = re.compile(r"\{\\([_%&#$])\}|\\([_%&#${}])")


def _without_escapes(text: str) -> str:
    return _ESCAPE.sub(lambda found: found[1] or found[2], text)


def mend_links(document: nodes.Element, env: "BuildEnvironment") -> None:
    """Lead handles to their proxy that lead to arXiv, and decode TeX in addresses."""
    if "cite" not in env.domains:
        return
    for link in document.findall(nodes.reference):
        if "reftitle" in link:
            # Hovering a citation shows its entry.
            link["reftitle"] = _ARXIV.sub("hdl:", link["reftitle"])
        target = str(link.get("refuri", ""))
        mended = _ARXIV.sub("hdl:", _without_escapes(target))
        mended = _BEFORE_ADDRESS.sub("", mended)
        if mended != target and linked_reference(mended, proxies(env.config)):
            link["refuri"] = mended
            for text in list(link.findall(nodes.Text)):
                meant = _ARXIV.sub("hdl:", _without_escapes(text))
                text.parent.replace(text, nodes.Text(meant))


def mend_footnotes(document: nodes.document, env: "BuildEnvironment") -> None:
    """Mend the links of entries in footnotes, and locate them in their file."""
    cited: Any = env.temp_data.get("bibtex_footcite_names", {})
    keys = {name: key for key, name in cited.items()}
    if not keys:
        return
    files = _BibliographyFiles(env)
    for footnote in document.findall(nodes.footnote):
        for key in [keys[name] for name in footnote["names"] if name in keys]:
            mend_links(footnote, env)
            for link in footnote.findall(nodes.reference):
                target = link.get("refuri", "")
                reference = linked_reference(target, proxies(env.config))
                if reference is not None:
                    link.source, link.line = files.find(key, str(reference.handle))


def record_bibliographies(_app: "Sphinx", env: "BuildEnvironment") -> None:
    """Record the references of all entries, and report what is wrong with them."""
    domain = handle_domain(env)
    # All entries are read again.
    domain.data |= {"citations": {}, "malformed_citations": {}}
    if "cite" not in env.domains or not env.config.handle_recognize:
        return
    files = _BibliographyFiles(env)
    for citation in _bibtex(env).citations:
        document = citation.bibliography_key.docname
        known = set()
        for written, meant in _references(citation.entry, env):
            position = files.find(citation.entry.key, written)
            if isinstance(meant, HandleSyntaxError):
                kind = HandleWarning.LINK.value
                wrong = Malformed(document, *position, written, meant.reason, kind)
                domain.note("malformed_citations", wrong)
                warn(env.config, kind, str(meant), location=wrong.location)
            elif meant.handle not in known:
                known.add(meant.handle)
                place = Place(document, *position, written, str(meant.handle))
                domain.note("citations", place)
                for code, message in findings(written, meant):
                    warn(env.config, code, message, location=place.location)


def _bibtex(env: "BuildEnvironment") -> Any:
    """The domain of sphinxcontrib-bibtex."""
    return env.domains["cite"]


def _references(
    entry: Any, env: "BuildEnvironment"
) -> Iterator[tuple[str, HandleReference | HandleSyntaxError]]:
    """The references of an entry as written, each with its meaning."""
    where = proxies(env.config)
    fields = {name.lower(): str(text) for name, text in entry.fields.items() if text}
    if fields.get("eprinttype", "").lower() not in {"hdl", "handle"}:
        fields.pop("eprint", None)
    for name in [name for name in ("doi", "eprint", "url") if name in fields]:
        written = fields[name]
        parse = HandleReference.from_link if name == "url" else HandleReference.parse
        try:
            reference = parse(_without_escapes(written), proxies=where)
        except HandleSyntaxError as error:
            yield written, error
        else:
            if reference is not None:
                yield written, reference
    for name in ("howpublished", "note", "addendum", "annote"):
        text = fields.get(name, "")
        for found in find_references(text, proxies=where):
            written = text[found.start : found.end]
            reference = linked_reference(_without_escapes(written), where)
            if reference is not None:
                yield written, reference


class _BibliographyFiles:
    """The files of the bibliographies, in which references are located."""

    def __init__(self, env: "BuildEnvironment") -> None:
        self._paths = [str(path) for path in _bibtex(env).bibdata.bibfiles]
        self._lines = SourceLines("utf-8")

    def find(self, key: str, written: str) -> tuple[str, int]:
        """The file and the line of a reference in an entry; no file if not found."""
        entry = re.compile(rf"\s*@\w+\s*\{{\s*{re.escape(key)}\s*,", re.IGNORECASE)
        for path in self._paths:
            for number, line in enumerate(self._lines.read(path), 1):
                if entry.match(line):
                    rest = slice(number - 1, None)
                    return self._lines.find(path, number, written, rest)
        return "", 0
