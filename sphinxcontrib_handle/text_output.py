"""Where a reader cannot follow links, identifiers are shown.

Sphinx's text writer writes the text of a link and nothing else, so a link with a
title of its own would lose its target.  So it would on a manual page, unless its
writer shows addresses by itself.  Paper is the project's own choice: with
``handle_print_identifiers = True`` a book has the identifier behind such links,
and so has a web page that is printed.
"""

from pathlib import Path
from typing import TYPE_CHECKING, Any

import docutils
from docutils import nodes
from sphinx.transforms.post_transforms import SphinxPostTransform

from handle_system.display import shown
from handle_system.reference import HandleReference
from sphinxcontrib_handle.citation_nodes import CiteBlock
from sphinxcontrib_handle.options import options, proxies

if TYPE_CHECKING:
    from collections.abc import Iterator

    from sphinx.application import Sphinx
    from sphinx.builders import Builder

__all__ = [
    "Book",
    "ManualPage",
    "PlainText",
    "ShownAddresses",
    "WebPage",
    "setup_text_output",
]

_STYLE = "print.css"
_TITLED = "hdl-titled"


class _TitledLinks(SphinxPostTransform):
    """What is done with links whose text does not show their identifier."""

    # After the links that come late (15) and what resolves references (10).
    default_priority = 400

    def run(self, **_kwargs: Any) -> None:
        """Work on one document as it is about to be written."""
        if self.is_wanted():
            for link, reference in self._titled():
                self.show(link, reference)

    def is_wanted(self) -> bool:
        """Whether the project asks for it."""
        return options(self.config).print_identifiers

    def show(self, link: nodes.reference, reference: HandleReference) -> None:
        """Put the identifier, in parentheses, at the end of a link's text."""
        text = shown(reference, proxies(self.config))
        link.append(nodes.Text(f" ({text})"))

    def _titled(self) -> "Iterator[tuple[nodes.reference, HandleReference]]":
        where = proxies(self.config)
        for link in list(self.document.findall(nodes.reference)):
            if "hdl" not in link["classes"] or "refuri" not in link:
                continue
            reference = where.match(link["refuri"])
            if reference is None:
                continue
            text = link.astext().lower()
            told = (
                str(reference.handle),
                HandleReference(handle=reference.handle).uri(),
                where.link(reference.handle),
                link["refuri"],
            )
            if not any(each.lower() in text for each in told):
                yield link, reference


class PlainText(_TitledLinks):
    """Plain text: always, for the text writer drops the address."""

    formats = ("text",)

    def is_wanted(self) -> bool:
        """Always."""
        return True


class ManualPage(_TitledLinks):
    """A manual page: wherever its writer does not show the address."""

    formats = ("man",)

    def is_wanted(self) -> bool:
        """From docutils 0.22 on its writer shows every address, before on request."""
        return docutils.__version_info__ < (0, 22) and not self.config.man_show_urls


class Book(_TitledLinks):
    """LaTeX, for what is printed."""

    formats = ("latex",)


class ShownAddresses(SphinxPostTransform):
    """Manual pages and EPUB, which show a link's address: once is enough.

    In a block "cite this version" the URI stands behind the address that it leads to.
    """

    builders = ("man", "epub")
    # After what looks at texts and addresses of links.
    default_priority = 450

    def run(self, **_kwargs: Any) -> None:
        """Work on one document as it is about to be written."""
        for block in self.document.findall(CiteBlock):
            shown_before = ""
            for link in list(block.findall(nodes.reference)):
                text = link.astext()
                if text != shown_before and link["refuri"] == shown_before:
                    link.parent.replace(link, nodes.Text(text))
                shown_before = text


class WebPage(_TitledLinks):
    """HTML: a class, which the style of printed pages asks for."""

    formats = ("html",)

    def show(self, link: nodes.reference, reference: HandleReference) -> None:  # noqa: ARG002 - the style has the address
        """Mark the link."""
        link["classes"].append(_TITLED)


def _write_style(app: "Sphinx", builder: "Builder") -> None:
    if builder.format == "html" and options(app.config).print_identifiers:
        folder = Path(app.outdir, "_static", "sphinxcontrib_handle")
        folder.mkdir(parents=True, exist_ok=True)
        source = Path(__file__).parent / "static" / _STYLE
        (folder / _STYLE).write_bytes(source.read_bytes())


def _link_style(app: "Sphinx") -> None:
    if options(app.config).print_identifiers:
        app.add_css_file(f"sphinxcontrib_handle/{_STYLE}")


def setup_text_output(app: "Sphinx") -> None:
    """Register what shows identifiers."""
    for transform in (PlainText, ManualPage, Book, ShownAddresses, WebPage):
        app.add_post_transform(transform)
    app.connect("builder-inited", _link_style)
    app.connect("write-started", _write_style)
