"""The card in HTML, its stylesheet, and all that pages say to machines.

Builders of websites write the citation's formats as files beside the page, and link
relations, metadata and JSON-LD into its head.  Addresses are absolute where
``html_baseurl`` is set; else they are relative.  ``handle_linkset = True`` also writes
the relations of all pages into ``linkset.json`` at the root of the site.
"""

from collections.abc import Callable, Mapping
from functools import partial
from html import escape
from mimetypes import guess_type
from pathlib import Path, PurePosixPath
from posixpath import dirname, join
from typing import TYPE_CHECKING, TypeAlias

from docutils import nodes
from sphinx.builders.html import StandaloneHTMLBuilder
from sphinx.util.osutil import relative_uri

from handle_system.citing.card import (
    SCRIPT,
    STATIC,
    STYLESHEET,
    card_html,
    make_card,
)
from handle_system.citing.fields import is_http_url
from handle_system.citing.formats import CitationFormat, export
from handle_system.citing.metadata import (
    PageFiles,
    json_ld_text,
    linkset_text,
    page_links,
    page_metas,
)
from sphinxcontrib_handle.cite.nodes import CardNode, setup_nodes
from sphinxcontrib_handle.cite.works import CitedPage, cited, cited_pages
from sphinxcontrib_handle.domain import handle_domain
from sphinxcontrib_handle.messages import _

if TYPE_CHECKING:
    from sphinx.application import Sphinx
    from sphinx.builders import Builder
    from sphinx.environment import BuildEnvironment
    from sphinx.writers.html5 import HTML5Translator

__all__ = ["setup_html"]

_LINKSET = "linkset.json"
#: The files of each page: by format, the address from the root of the site, and the text.
Files: TypeAlias = dict[str, dict[CitationFormat, tuple[str, str]]]


def is_website(builder: "Builder") -> bool:
    """Whether a builder makes pages for the web, and not for a reader of help."""
    return isinstance(builder, StandaloneHTMLBuilder) and not builder.embedded


def page_url(builder: "Builder", docname: str) -> str:
    """The address of a page from the root of the site."""
    return builder.get_target_uri(docname).partition("#")[0]


def format_files(builder: "Builder", pages: Mapping[str, CitedPage]) -> Files:
    """The files of every page.

    Two pages of one folder share a file if it holds the same text; else the later page
    has a number in the name.
    """
    files: Files = {}
    texts: dict[str, list[str]] = {}
    for docname, page in pages.items():
        folder = dirname(page_url(builder, docname))
        files[docname] = {}
        for form in page.citation.display.formats:
            text = export(page.citation, form)
            name = page.citation.file_name(form)
            known = texts.setdefault(join(folder, name), [])
            if text not in known:
                known.append(text)
            number = known.index(text) + 1
            if number > 1:
                name = (
                    f"{name.removesuffix(form.file_suffix)}-{number}{form.file_suffix}"
                )
            files[docname][form] = (join(folder, name), text)
    return files


class PageWriter:
    """Writes the cards, files and heads of one application's builds."""

    def __init__(self) -> None:
        self._pages: dict[str, CitedPage] = {}
        self._files: Files = {}

    def prepare(self, app: "Sphinx", env: "BuildEnvironment") -> list[str]:
        """Collect the citations of the site, when all pages are read."""
        self._pages = cited_pages(env) if is_website(app.builder) else {}
        self._files = format_files(app.builder, self._pages)
        if app.builder.format == "html" and handle_domain(env).data["cited"]:
            app.config.html_static_path.append(str(STATIC))
        return []

    def write_files(self, _app: "Sphinx", builder: "Builder") -> None:
        """Write the formats before the pages, which processes of their own write."""
        for files in self._files.values():
            for url, text in files.values():
                path = Path(builder.outdir, url)
                path.parent.mkdir(parents=True, exist_ok=True)
                if not path.is_file() or path.read_bytes() != text.encode():
                    path.write_text(text, encoding="utf-8", newline="\n")

    def visit_card(self, writer: "HTML5Translator", node: CardNode) -> None:
        """Write a card; its children are for other builders.

        Raises:
            nodes.SkipNode: always.
        """
        builder = writer.builder
        docname = node["docname"]
        page = cited(builder.env, docname, node["number"])
        downloads = {}
        # The files of a page belong to its first card.
        if page == self._pages.get(docname):
            here = page_url(builder, builder.current_docname)
            downloads = {
                form: (relative_uri(here, url), PurePosixPath(url).name)
                for form, (url, _text) in self._files[docname].items()
            }
        base = builder.config.html_baseurl
        url = join(base, page_url(builder, docname)) if base else None
        card = make_card(page.citation, _, page_url=url)
        # A target before the directive gives the card its own ids too.
        anchor, *others = node["ids"]
        writer.body += (f'<span id="{escape(each)}"></span>' for each in others)
        # All pages of a site may be one HTML document.
        group = f"{docname}-{anchor}"
        writer.body.append(card_html(card, anchor, downloads, group=group))
        raise nodes.SkipNode

    def add_head(
        self,
        app: "Sphinx",
        docname: str,
        _template: str,
        context: dict[str, object],
        doctree: nodes.document | None,
    ) -> None:
        """Link the stylesheet and the script, and add the metadata of a page."""
        if doctree is not None and doctree.next_node(CardNode) is not None:
            app.add_css_file(STYLESHEET)
            if is_website(app.builder):
                app.add_js_file(SCRIPT, loading_method="defer")
        if docname not in self._pages:
            return
        citation = self._pages[docname].citation
        files = self._page_files(app, docname, page_url(app.builder, docname))
        json_ld = json_ld_text(citation, files)
        elements = [
            str(context.get("metatags", "")),
            *(
                _element("link", rel=each.rel, href=each.href, type=each.type)
                for each in page_links(citation, files)
            ),
            *(
                _element("meta", name=name, content=content)
                for name, content in page_metas(citation, files)
            ),
            f'<script type="application/ld+json">{json_ld}</script>',
        ]
        # Themes put it into the head as it is.
        context["metatags"] = "\n".join(elements)

    def write_linkset(self, app: "Sphinx", exception: Exception | None) -> None:
        """Write the links of all pages into one file, if the project asks for it."""
        if exception is None and app.config.handle_linkset and self._pages:
            link = _link(app, _LINKSET)
            pages = {
                link(page_url(app.builder, docname)): page_links(
                    page.citation, self._page_files(app, docname, _LINKSET)
                )
                for docname, page in self._pages.items()
            }
            text = linkset_text(pages)
            Path(app.outdir, _LINKSET).write_text(text, encoding="utf-8", newline="\n")

    def _page_files(self, app: "Sphinx", docname: str, here: str) -> PageFiles:
        """The addresses of a page and its files, for links from the address `here`."""
        link, url = _link(app, here), page_url(app.builder, docname)
        page = self._pages[docname]
        is_root = docname == app.config.root_doc
        items = app.config.handle_cite_items if is_root else []
        history = (
            f"{link(url)}#{page.anchor}" if page.citation.display.history else None
        )
        return PageFiles(
            page_url=link(url) if app.config.html_baseurl else None,
            history_url=history,
            linkset_url=link(_LINKSET) if app.config.handle_linkset else None,
            formats=tuple(
                (form, link(url)) for form, (url, _text) in self._files[docname].items()
            ),
            items=tuple(
                (
                    item if is_http_url(item) else link(item),
                    guess_type(item)[0] or "application/octet-stream",
                )
                for item in items
            ),
        )


def _link(app: "Sphinx", here: str) -> Callable[[str], str]:
    """Turns an address from the root of the site into a link on the page `here`."""
    base = app.config.html_baseurl
    return partial(join, base) if base else partial(relative_uri, here)


def _element(tag: str, **attributes: str | None) -> str:
    written = (
        f'{name}="{escape(value)}"'
        for name, value in attributes.items()
        if value is not None
    )
    return f"<{tag} {' '.join(written)} />"


def setup_html(app: "Sphinx") -> None:
    """Register the writers of HTML."""
    writer = PageWriter()
    setup_nodes(app, html=(writer.visit_card, None))
    app.connect("env-updated", writer.prepare, priority=900)
    app.connect("write-started", writer.write_files)
    app.connect("html-page-context", writer.add_head)
    app.connect("build-finished", writer.write_linkset)
