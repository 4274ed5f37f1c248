"""Adjustments for single builders, made as a document is written.

Sphinx's text writer drops the target of a link, so the identifier is put behind a title;
so it is on manual pages, unless their writer shows addresses. Printed output is the
project's choice (``handle_print_identifiers``). LaTeX and Texinfo read some characters of
an address as commands.
"""

from pathlib import Path
from typing import TYPE_CHECKING, Any

import docutils
from docutils import nodes
from sphinx.transforms.post_transforms import SphinxPostTransform
from sphinx.writers.text import TextTranslator

from handle_system.display import shown
from handle_system.reference import HandleReference
from sphinxcontrib_handle.cite.nodes import CardNode
from sphinxcontrib_handle.config import options, proxies
from sphinxcontrib_handle.links import linked_reference

if TYPE_CHECKING:
    from collections.abc import Iterator

    from sphinx.application import Sphinx
    from sphinx.builders import Builder

__all__ = ["TextWriter", "setup_output"]

_STYLE = "print.css"
_FOLDER = "sphinxcontrib_handle"
# A line of TeX may end after these characters, and before a percent sign.
_LINE_ENDS = frozenset("/.:;,)=&_-")
_TEXINFO = str.maketrans({"@": "@@", "{": "@{", "}": "@}", ",": "@comma{}"})


class _HandleLinks(SphinxPostTransform):
    """A transform of links to handles."""

    # After what adds links, or looks at their targets and texts (10 and 15).
    default_priority = 450

    def links(self) -> "Iterator[tuple[nodes.reference, HandleReference]]":
        """The links to handles in a document."""
        where = proxies(self.config)
        for link in list(self.document.findall(nodes.reference)):
            target = link.get("refuri")
            reference = linked_reference(target, where) if target else None
            if reference is not None:
                yield link, reference


class TitledLinks(_HandleLinks):
    """Print the identifiers of links that have a title of their own, if wanted."""

    formats = ("latex",)
    # Before the writers' own preparations, which see the identifiers.
    default_priority = 400

    def run(self, **_kwargs: Any) -> None:
        """Work on one document."""
        if self.is_wanted():
            where = proxies(self.config)
            for link, reference in self.links():
                address = where.link(reference.handle)
                if "hdl" in link["classes"] and not _shows(link, reference, address):
                    self.show(link, shown(reference, where))

    def is_wanted(self) -> bool:
        """Whether the format shows identifiers; in print the project decides."""
        return options(self.config).print_identifiers

    def show(self, link: nodes.reference, identifier: str) -> None:
        """Put the identifier behind the title."""
        link += nodes.Text(f" ({identifier})")


class TextTitledLinks(TitledLinks):
    """Plain text always shows them: Sphinx's writer drops the target."""

    formats = ("text",)

    def is_wanted(self) -> bool:
        """Whether the format shows identifiers."""
        return True


class ManualTitledLinks(TitledLinks):
    """Manual pages show them, unless docutils' writer does (always from 0.22 on)."""

    formats = ("man",)

    def is_wanted(self) -> bool:
        """Whether the format shows identifiers."""
        return docutils.__version_info__ < (0, 22) and not self.config.man_show_urls


class WebTitledLinks(TitledLinks):
    """Web pages mark them for the style sheet of printed pages."""

    formats = ("html",)

    def show(self, link: nodes.reference, identifier: str) -> None:  # noqa: ARG002 - the style sheet shows the address
        """Mark the link."""
        link["classes"].append("hdl-titled")


def _shows(link: nodes.reference, reference: HandleReference, address: str) -> bool:
    """Whether the text of a link holds its identifier or its address."""
    text = link.astext().lower()
    uri = HandleReference(handle=reference.handle).uri()
    return any(
        each.lower() in text
        for each in (str(reference.handle), uri, address, link["refuri"])
    )


class CiteAddresses(SphinxPostTransform):
    """Show the address of a citation once, where writers show the address of a link.

    In a block "cite this version" the URI follows the address that it leads to.
    """

    builders = ("man", "epub")
    default_priority = 450

    def run(self, **_kwargs: Any) -> None:
        """Work on one document."""
        for block in self.document.findall(CardNode):
            shown_before = ""
            for link in list(block.findall(nodes.reference)):
                text = link.astext()
                if text != shown_before and link["refuri"] == shown_before:
                    link.parent.replace(link, nodes.Text(text))
                shown_before = text


class TexLinks(_HandleLinks):
    """LaTeX: encode dollars in addresses, and let the citation's addresses break."""

    formats = ("latex",)

    def run(self, **_kwargs: Any) -> None:
        """Work on one document."""
        for link, _ in self.links():
            link["refuri"] = link["refuri"].replace("$", "%24")
        for block in self.document.findall(CardNode):
            for link in list(block.findall(nodes.reference)):
                if link.astext() != link["refuri"]:
                    _let_break(link)


def _let_break(link: nodes.reference) -> None:
    text = link.astext()
    link.clear()
    start = 0
    for end in range(1, len(text)):
        if text[end - 1] in _LINE_ENDS or text[end] == "%":
            link += nodes.Text(text[start:end])
            link += nodes.raw("", "\\allowbreak{}", format="latex")
            start = end
    link += nodes.Text(text[start:])


class TexinfoLinks(_HandleLinks):
    """Texinfo: two hyphens stay two, in the text of a link and in its footnote."""

    formats = ("texinfo",)

    def run(self, **_kwargs: Any) -> None:
        """Work on one document."""
        for link, _ in self.links():
            text = link.astext()
            if (
                "--" not in f"{text} {link['refuri']}"
                or text == link["refuri"]
                # A title is the name of its section too, and takes no raw Texinfo.
                or isinstance(link.parent, nodes.title)
                or not all(isinstance(each, nodes.Text) for each in link.children)
            ):
                continue
            address = link["refuri"].translate(_TEXINFO)
            # Twice, for three in a row.
            written = text.translate(_TEXINFO)
            for _again in range(2):
                written = written.replace("--", "-@w{}-")
            link.replace_self(
                nodes.raw("", f"@uref{{{address},{written}}}", format="texinfo")
            )


class TextWriter(TextTranslator):
    """Sphinx's writer of plain text, which breaks no identifier after a hyphen.

    A non-breaking hyphen is in the place of each hyphen until the lines are broken. An
    identifier that is longer than a line is still broken.
    """

    _HYPHEN = "\N{NON-BREAKING HYPHEN}"

    def visit_Text(self, node: nodes.Text) -> None:  # noqa: N802 - docutils' name
        """Write a text."""
        parent = node.parent
        if self._HYPHEN not in self.document.astext() and (
            "hdl" in parent.get("classes", ())
            # What has no handle yet is cited by its address.
            or (parent.parent and isinstance(parent.parent.parent, CardNode))
        ):
            self.add_text(node.astext().replace("-", self._HYPHEN))
        else:
            super().visit_Text(node)

    def depart_document(self, node: nodes.Element) -> None:
        """Put the hyphens back."""
        super().depart_document(node)
        if self._HYPHEN not in self.document.astext():
            self.body = self.body.replace(self._HYPHEN, "-")


def _set_text_writer(app: "Sphinx") -> None:
    if app.builder.name == "text" and "text" not in app.registry.translators:
        app.set_translator("text", TextWriter)


def _link_style(app: "Sphinx") -> None:
    if options(app.config).print_identifiers:
        app.add_css_file(f"{_FOLDER}/{_STYLE}")


def _write_style(app: "Sphinx", builder: "Builder") -> None:
    if builder.format == "html" and options(app.config).print_identifiers:
        folder = Path(app.outdir, "_static", _FOLDER)
        folder.mkdir(parents=True, exist_ok=True)
        source = Path(__file__).parent / "static" / _STYLE
        (folder / _STYLE).write_bytes(source.read_bytes())


def setup_output(app: "Sphinx") -> None:
    """Register the transforms, the text writer and the style sheet."""
    for transform in (
        TitledLinks,
        TextTitledLinks,
        ManualTitledLinks,
        WebTitledLinks,
        CiteAddresses,
        TexLinks,
        TexinfoLinks,
    ):
        app.add_post_transform(transform)
    app.connect("builder-inited", _set_text_writer)
    app.connect("builder-inited", _link_style)
    app.connect("write-started", _write_style)
