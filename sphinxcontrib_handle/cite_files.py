"""The files that blocks bring along: formats beside the pages, a style, a script.

Formats are written before the pages are, because writers of pages are processes of
their own.  Style and script are linked from pages that have a block, and from no
others.
"""

from collections.abc import Iterator
from dataclasses import dataclass
from itertools import count
from pathlib import Path, PurePosixPath
from posixpath import dirname, join
from typing import TYPE_CHECKING

from sphinx.builders.html import StandaloneHTMLBuilder

from handle_system.citing.cited import Cited
from handle_system.citing.export import CitationExport, export
from handle_system.citing.formats import CitationFormat
from sphinxcontrib_handle.citation_nodes import CiteBlock
from sphinxcontrib_handle.cite_store import cited_pages, shows_blocks
from sphinxcontrib_handle.options import proxies

if TYPE_CHECKING:
    from docutils import nodes
    from sphinx.application import Sphinx
    from sphinx.builders import Builder

__all__ = [
    "FormatFile",
    "FormatFiles",
    "is_website",
    "setup_cite_files",
    "url_of",
    "write_text",
]

# Style and script in the package, and their folder among a site's static files.
_STATIC = Path(__file__).parent / "static"
_STYLE = "sphinxcontrib_handle/handle.css"
_SCRIPT = "sphinxcontrib_handle/handle.js"


@dataclass(frozen=True, slots=True, kw_only=True)
class FormatFile:
    """A citation in one format, beside its page.

    Attributes:
        url: Its address in the site.
        path: The file.
        export: What it holds.
    """

    url: str
    path: Path
    export: CitationExport


def is_website(builder: "Builder") -> bool:
    """Whether a builder makes pages for the web, and not for a reader of help."""
    return isinstance(builder, StandaloneHTMLBuilder) and not builder.embedded


def url_of(builder: "Builder", docname: str) -> str:
    """The address of a page in the site, without what names a part of it."""
    return builder.get_target_uri(docname).partition("#")[0]


class FormatFiles:
    """The formats of every page, as files."""

    def __init__(self) -> None:
        self._files: dict[str, dict[CitationFormat, FormatFile]] = {}
        self._are_written = False

    def finish(self, app: "Sphinx") -> None:
        """Write them if that has not been done: a build need not write a page."""
        if not self._are_written:
            self.write(app, app.builder)
        self._are_written = False

    def of(self, docname: str) -> dict[CitationFormat, FormatFile]:
        """The files of a page, by format."""
        return self._files.get(docname, {})

    @property
    def paths(self) -> set[Path]:
        """All of them."""
        return {each.path for files in self._files.values() for each in files.values()}

    def write(self, app: "Sphinx", builder: "Builder") -> None:
        """Write them all, if the builder makes a site."""
        self._files = {}
        self._are_written = True
        if not is_website(builder):
            return
        taken: dict[str, str] = {}
        where = proxies(app.config)
        for docname, page in cited_pages(builder.env).items():
            cited = Cited(work=page.work, version=page.this, proxies=where)
            found = self._files.setdefault(docname, {})
            for form in page.formats:
                exported = export(cited, form)
                url = _free(dirname(url_of(builder, docname)), exported, taken)
                path = _folder_of(builder, docname) / PurePosixPath(url).name
                found[form] = FormatFile(url=url, path=path, export=exported)
                write_text(path, exported.text)


def _folder_of(builder: "Builder", docname: str) -> Path:
    if "#" in builder.get_target_uri(docname):
        return Path(builder.outdir)
    # Every builder of a website has it.
    return Path(builder.get_outfilename(docname)).parent  # type: ignore[attr-defined]


def _free(folder: str, exported: CitationExport, taken: dict[str, str]) -> str:
    """A name that no other text has: the same text needs one file only."""
    urls = (join(folder, name) for name in _names(exported))
    return next(
        url for url in urls if taken.setdefault(url, exported.text) == exported.text
    )


def _names(exported: CitationExport) -> Iterator[str]:
    yield exported.file_name
    suffix = exported.format.file_suffix
    stem = exported.file_name.removesuffix(suffix)
    for number in count(2):
        yield f"{stem}-{number}{suffix}"


def write_text(path: Path, text: str) -> None:
    """Write a file, unless it says the same already."""
    content = text.encode()
    if not path.is_file() or path.read_bytes() != content:
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_bytes(content)


def _write_static(app: "Sphinx", builder: "Builder") -> None:
    if not isinstance(builder, StandaloneHTMLBuilder) or not shows_blocks(builder.env):
        return
    for name in (_STYLE, _SCRIPT) if is_website(builder) else (_STYLE,):
        text = (_STATIC / PurePosixPath(name).name).read_text("utf-8")
        write_text(Path(app.outdir, "_static", name), text)


def _link_static(
    app: "Sphinx",
    _pagename: str,
    _templatename: str,
    _context: dict[str, object],
    doctree: "nodes.document | None",
) -> None:
    if doctree is None or doctree.next_node(CiteBlock) is None:
        return
    app.add_css_file(_STYLE)
    if is_website(app.builder):
        app.add_js_file(_SCRIPT, loading_method="defer")


def setup_cite_files(app: "Sphinx", files: FormatFiles) -> None:
    """Register what writes and links them."""
    app.connect("write-started", files.write)
    app.connect("write-started", _write_static)
    app.connect("html-page-context", _link_static)
