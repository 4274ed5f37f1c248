"""The card in HTML, its stylesheet, and all that pages say to machines.

Builders of websites write the citation's formats as files beside the page, and link
relations, metadata and JSON-LD into its head.  Addresses are absolute where
``html_baseurl`` is set; else they are relative.  ``handle_linkset = True`` also writes
the relations of all pages into ``linkset.json`` at the root of the site.
"""

from collections.abc import Callable, Iterator, Mapping
from html import escape
from itertools import count
from mimetypes import guess_type
from pathlib import Path, PurePosixPath
from posixpath import dirname, join
from typing import TYPE_CHECKING, NamedTuple

from docutils import nodes
from sphinx.builders.html import StandaloneHTMLBuilder
from sphinx.util.osutil import relative_uri

from handle_system.citing.card import make_card
from handle_system.citing.card_html import (
    SCRIPT,
    STATIC,
    STYLESHEET,
    card_html,
    statement_html,
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
from sphinxcontrib_handle.cite.nodes import CardNode, NoticeNode, setup_nodes
from sphinxcontrib_handle.cite.works import CitedPage, cited, cited_pages
from sphinxcontrib_handle.config import options
from sphinxcontrib_handle.domain import handle_domain
from sphinxcontrib_handle.translations import _

if TYPE_CHECKING:
    from sphinx.application import Sphinx
    from sphinx.builders import Builder
    from sphinx.environment import BuildEnvironment
    from sphinx.writers.html5 import HTML5Translator

__all__ = ["setup_html"]

_LINKSET = "linkset.json"
#: Turns the address of a file of the site, from its root, into a link.
Link = Callable[[str], str]


class FormatFile(NamedTuple):
    """A citation in one format: its address from the root of the site, and its text."""

    url: str
    text: str


def is_website(builder: "Builder") -> bool:
    """Whether a builder makes pages for the web, and not for a reader of help."""
    return isinstance(builder, StandaloneHTMLBuilder) and not builder.embedded


def page_url(builder: "Builder", docname: str) -> str:
    """The address of a page from the root of the site."""
    return builder.get_target_uri(docname).partition("#")[0]


def format_files(
    builder: "Builder", pages: Mapping[str, CitedPage]
) -> dict[str, dict[CitationFormat, FormatFile]]:
    """The files of every page, by its name and the format.

    Two pages of one folder share a file if it holds the same text; else the later page
    has a number in the name.
    """
    files: dict[str, dict[CitationFormat, FormatFile]] = {}
    texts: dict[str, str] = {}
    for docname, page in pages.items():
        folder = dirname(page_url(builder, docname))
        files[docname] = {}
        for form in page.citation.display.formats:
            exported = export(page.citation, form)
            for name in _names(exported.file_name, form.file_suffix):
                url = join(folder, name)
                if texts.setdefault(url, exported.text) == exported.text:
                    break
            files[docname][form] = FormatFile(url, exported.text)
    return files


def _names(name: str, suffix: str) -> Iterator[str]:
    yield name
    for number in count(2):
        yield f"{name.removesuffix(suffix)}-{number}{suffix}"


class PageWriter:
    """Writes the cards, files and heads of one application's builds."""

    def __init__(self) -> None:
        self._pages: dict[str, CitedPage] = {}
        self._files: dict[str, dict[CitationFormat, FormatFile]] = {}

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
            for file in files.values():
                path = Path(builder.outdir, file.url)
                path.parent.mkdir(parents=True, exist_ok=True)
                if not path.is_file() or path.read_bytes() != file.text.encode():
                    path.write_text(file.text, encoding="utf-8", newline="\n")

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
                form: (relative_uri(here, file.url), PurePosixPath(file.url).name)
                for form, file in self._files[docname].items()
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

    def visit_notice(self, writer: "HTML5Translator", node: NoticeNode) -> None:
        """Write the notice as its card does.

        Raises:
            nodes.SkipNode: always.
        """
        page = cited(writer.builder.env, node["docname"], node["number"])
        notice = make_card(page.citation, _).notice
        writer.body.append(f"{statement_html(notice)}\n" if notice else "")
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
        here, base = page_url(app.builder, docname), app.config.html_baseurl
        link: Link = (
            (lambda url: join(base, url))
            if base
            else (lambda url: relative_uri(here, url))
        )
        citation = self._pages[docname].citation
        files = self._page_files(app, docname, self._pages[docname], link)
        json_ld = json_ld_text(citation, files)
        elements = [
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
        context["metatags"] = "\n".join([str(context.get("metatags", "")), *elements])

    def write_linkset(self, app: "Sphinx", exception: Exception | None) -> None:
        """Write the links of all pages into one file, if the project asks for it."""
        if exception is None and app.config.handle_linkset and self._pages:
            base = app.config.html_baseurl
            link: Link = (
                (lambda url: join(base, url)) if base else (lambda url: url or ".")
            )
            pages = {
                link(page_url(app.builder, docname)): page_links(
                    page.citation, self._page_files(app, docname, page, link)
                )
                for docname, page in self._pages.items()
            }
            text = linkset_text(pages)
            Path(app.outdir, _LINKSET).write_text(text, encoding="utf-8", newline="\n")

    def _page_files(
        self, app: "Sphinx", docname: str, page: CitedPage, link: Link
    ) -> PageFiles:
        """The addresses of a page and of the files beside it."""
        url = page_url(app.builder, docname)
        items = options(app.config).cite_items if docname == app.config.root_doc else []
        has_history = page.citation.display.history
        return PageFiles(
            page_url=link(url) if app.config.html_baseurl else None,
            history_url=f"{link(url)}#{page.anchor}" if has_history else None,
            linkset_url=link(_LINKSET) if app.config.handle_linkset else None,
            formats=tuple(
                (form, link(file.url))
                for form, file in self._files.get(docname, {}).items()
            ),
            items=tuple(
                (item if is_http_url(item) else link(item), _media_type(item))
                for item in items
            ),
        )


def _element(tag: str, **attributes: str | None) -> str:
    written = (
        f'{name}="{escape(value)}"'
        for name, value in attributes.items()
        if value is not None
    )
    return f"<{tag} {' '.join(written)} />"


def _media_type(item: str) -> str:
    known, _encoding = guess_type(item)
    return known or "application/octet-stream"


def setup_html(app: "Sphinx") -> None:
    """Register the writers of HTML."""
    writer = PageWriter()
    setup_nodes(app, html=(writer.visit_card, None))
    app.add_node(NoticeNode, html=(writer.visit_notice, None))
    app.connect("env-updated", writer.prepare, priority=900)
    app.connect("write-started", writer.write_files)
    app.connect("html-page-context", writer.add_head)
    app.connect("build-finished", writer.write_linkset)
