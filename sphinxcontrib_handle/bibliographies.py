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
from collections.abc import Iterable, Iterator
from typing import TYPE_CHECKING, Any

from docutils import nodes

from handle_system.errors import HandleSyntaxError
from handle_system.proxies import Proxies
from handle_system.reference import HandleReference
from handle_system.scanning import find_references
from sphinxcontrib_handle.domain import Place, handle_domain
from sphinxcontrib_handle.lines import SourceLines
from sphinxcontrib_handle.links import findings, linked_reference, proxies_of
from sphinxcontrib_handle.messages import warn

if TYPE_CHECKING:
    from sphinx.application import Sphinx
    from sphinx.environment import BuildEnvironment

__all__ = ["mend_footnote", "mend_link", "record_bibliographies"]

# A handle in the place of an identifier of arXiv's (``2101.00001``, ``math.GT/0309136``).
_ARXIV = re.compile(
    r"(?:arXiv:|https?://arxiv\.org/abs/)"
    r"(?=[^\s/,:;]+/)(?![a-z-]+(?:\.[A-Z]{2})?/[0-9]{7})"
)
_BEFORE_ADDRESS = re.compile("https://doi.org/(?=https?://)")
_ESCAPE = re.compile(r"\{\\([_%&#$])\}|\\([_%&#${}])")


def _without_escapes(text: str) -> str:
    return _ESCAPE.sub(lambda found: found[1] or found[2], text)


def mend_link(link: nodes.reference, proxies: Proxies) -> None:
    """Lead a handle to its proxy that leads to arXiv, and decode TeX in an address."""
    if "reftitle" in link:
        # Hovering a citation shows its entry.
        link["reftitle"] = _ARXIV.sub("hdl:", link["reftitle"])
    target = str(link.get("refuri", ""))
    mended = _ARXIV.sub("hdl:", _without_escapes(target))
    mended = _BEFORE_ADDRESS.sub("", mended)
    if mended != target and linked_reference(mended, proxies):
        link["refuri"] = mended
        for text in list(link.findall(nodes.Text)):
            meant = _ARXIV.sub("hdl:", _without_escapes(text))
            text.parent.replace(text, nodes.Text(meant))


def mend_footnote(
    footnote: nodes.footnote, env: "BuildEnvironment", lines: SourceLines
) -> None:
    """Mend the links of an entry in a footnote, and locate them in their file."""
    cited: Any = env.temp_data.get("bibtex_footcite_names", {})
    where = proxies_of(env.config)
    for key in [key for key, name in cited.items() if name in footnote["names"]]:
        for link in footnote.findall(nodes.reference):
            mend_link(link, where)
            reference = linked_reference(link.get("refuri", ""), where)
            if reference is not None:
                handle = str(reference.handle)
                link.source, link.line = _find(env, lines, key, handle)


def record_bibliographies(_app: "Sphinx", env: "BuildEnvironment") -> None:
    """Record the references of all entries, and report what is wrong with them."""
    domain = handle_domain(env)
    # All entries are read again.
    domain.data["citations"] = {}
    if "cite" not in env.domains or not env.config.handle_recognize:
        return
    bibtex: Any = env.domains["cite"]
    lines = SourceLines("utf-8")
    for citation in bibtex.citations:
        known = set()
        for written, meant in _references(citation.entry, proxies_of(env.config)):
            position = _find(env, lines, citation.entry.key, written)
            place = Place(citation.bibliography_key.docname, *position, written, "")
            messages: Iterable[tuple[str, str]]
            if isinstance(meant, HandleSyntaxError):
                place = place._replace(kind="link", reason=meant.reason)
                messages = [("link", str(meant))]
            elif meant.handle in known:
                continue
            else:
                known.add(meant.handle)
                place = place._replace(handle=str(meant.handle))
                messages = findings(written, meant)
            domain.note(place, "citations")
            for kind, message in messages:
                warn(env.config, kind, message, location=place.location)


def _references(
    entry: Any, proxies: Proxies
) -> Iterator[tuple[str, HandleReference | HandleSyntaxError]]:
    """The references of an entry as written, each with its meaning."""
    fields = {name.lower(): str(text) for name, text in entry.fields.items() if text}
    if fields.get("eprinttype", "").lower() not in {"hdl", "handle"}:
        fields.pop("eprint", None)
    named = [fields[name] for name in ("doi", "eprint") if name in fields]
    linked = [fields.get("url", "")]
    for name in ("howpublished", "note", "addendum", "annote"):
        text = fields.get(name, "")
        found = find_references(text, proxies=proxies)
        linked += [text[each.start : each.end] for each in found]
    for written in (*named, *linked):
        parse = HandleReference.parse if written in named else HandleReference.from_link
        try:
            reference = parse(_without_escapes(written), proxies=proxies)
        except HandleSyntaxError as error:
            yield written, error
        else:
            if reference is not None:
                yield written, reference


def _find(
    env: "BuildEnvironment", lines: SourceLines, key: str, written: str
) -> tuple[str, int]:
    """The file and the line of a reference in an entry; no file if not found."""
    bibtex: Any = env.domains["cite"]
    entry = re.compile(rf"\s*@\w+\s*\{{\s*{re.escape(key)}\s*,", re.IGNORECASE)
    for path in map(str, bibtex.bibdata.bibfiles):
        for number, line in enumerate(lines.read(path), 1):
            if entry.match(line):
                return lines.find(path, number, written, slice(number - 1, None))
    return "", 0
