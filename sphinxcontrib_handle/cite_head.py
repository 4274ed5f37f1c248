"""What pages say to machines: elements of their heads, and the site's linkset.

Only pages that are a version of a work say anything, and only on the web.  Addresses
are absolute where ``html_baseurl`` is set; else they are relative, to the page in
its head and to the site's root in the linkset, which stands there.
"""

from collections.abc import Callable
from html import escape
from mimetypes import guess_type
from pathlib import Path
from posixpath import join
from typing import TYPE_CHECKING

from sphinx.util.osutil import relative_uri

from handle_system.citing.cited import Cited
from handle_system.citing.fields import is_http_url
from handle_system.citing.page_json import json_ld_text, linkset_text
from handle_system.citing.page_metadata import (
    LinkedFile,
    PageFiles,
    PageMetadata,
    page_metadata,
)
from sphinxcontrib_handle.cite_files import FormatFiles, is_website, url_of, write_text
from sphinxcontrib_handle.cite_leftovers import remove_leftovers
from sphinxcontrib_handle.cite_store import cited_page, cited_pages
from sphinxcontrib_handle.cited_page import CitedPage
from sphinxcontrib_handle.options import options, proxies

if TYPE_CHECKING:
    from docutils import nodes
    from sphinx.application import Sphinx

__all__ = ["LINKSET", "Head", "setup_head"]

#: The file at the site's root.
LINKSET = "linkset.json"

#: Makes a link of an address in the site.
Link = Callable[[str], str]


class Head:
    """Writes heads and linkset."""

    def __init__(self, files: FormatFiles) -> None:
        self._files = files

    def add(
        self,
        app: "Sphinx",
        docname: str,
        _template: str,
        context: dict[str, object],
        _doctree: "nodes.document | None",
    ) -> None:
        """Add to the head of a page."""
        page = cited_page(app.env, docname) if is_website(app.builder) else None
        if page is None:
            return
        here = url_of(app.builder, docname)
        base = app.config.html_baseurl
        link: Link = (
            (lambda url: join(base, url))
            if base
            else (lambda url: relative_uri(here, url))
        )
        cited = _cited(app, page)
        files = self._page_files(app, docname, page, link)
        elements = [
            *_elements(page_metadata(cited, files)),
            f'<script type="application/ld+json">{json_ld_text(cited, files)}</script>',
        ]
        # Themes put it in the head as it is.
        context["metatags"] = "\n".join([str(context.get("metatags", "")), *elements])

    def write_linkset(self, app: "Sphinx", exception: Exception | None) -> None:
        """Write the links of all pages into one file."""
        if exception is not None or not is_website(app.builder):
            return
        self._files.finish(app)
        base = app.config.html_baseurl
        link: Link = (lambda url: join(base, url)) if base else (lambda url: url or ".")
        pages = {
            link(url_of(app.builder, docname)): page_metadata(
                _cited(app, page), self._page_files(app, docname, page, link)
            )
            for docname, page in reversed(cited_pages(app.env).items())
        }
        written = self._files.paths
        if pages:
            linkset = Path(app.outdir, LINKSET)
            write_text(linkset, linkset_text(pages))
            written.add(linkset)
        remove_leftovers(Path(app.outdir), written)

    def _page_files(
        self, app: "Sphinx", docname: str, page: CitedPage, link: Link
    ) -> PageFiles:
        """What is known of a page and the files beside it."""
        url = url_of(app.builder, docname)
        items = options(app.config).cite_items if docname == app.config.root_doc else []
        return PageFiles(
            page_url=link(url) if app.config.html_baseurl else None,
            history_url=f"{link(url)}#{page.anchor}" if page.has_history else None,
            linkset_url=link(LINKSET),
            formats=tuple(
                (form, link(file.url)) for form, file in self._files.of(docname).items()
            ),
            items=tuple(
                LinkedFile(item if is_http_url(item) else link(item), _type_of(item))
                for item in items
            ),
        )


def _cited(app: "Sphinx", page: CitedPage) -> Cited:
    return Cited(work=page.work, version=page.this, proxies=proxies(app.config))


def _elements(metadata: PageMetadata) -> list[str]:
    links = [
        _element("link", rel=link.rel, href=link.href, type=link.type)
        for link in metadata.links
    ]
    metas = [
        _element("meta", name=meta.name, content=meta.content)
        for meta in metadata.metas
    ]
    return [*links, *metas]


def _element(tag: str, **attributes: str | None) -> str:
    written = (
        f'{name}="{escape(value)}"'
        for name, value in attributes.items()
        if value is not None
    )
    return f"<{tag} {' '.join(written)} />"


def _type_of(item: str) -> str:
    known, _ = guess_type(item)
    return known or "application/octet-stream"


def setup_head(app: "Sphinx", files: FormatFiles) -> None:
    """Register what writes heads and linkset."""
    head = Head(files)
    app.connect("html-page-context", head.add)
    app.connect("build-finished", head.write_linkset)
