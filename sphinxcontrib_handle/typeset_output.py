"""Links that survive typesetting: what TeX and Texinfo would make of an address.

To TeX a dollar is a command, in what is read and in what is followed.  Texinfo sets
two hyphens as a dash, except in an address that stands for itself.  And to both an
identifier is one long word, which runs off the paper; in a block "cite this version",
which is full of them, it may end a line where an address may.
"""

from typing import TYPE_CHECKING, Any

from docutils import nodes
from sphinx.transforms.post_transforms import SphinxPostTransform

from sphinxcontrib_handle.citation_nodes import CiteBlock
from sphinxcontrib_handle.options import proxies

if TYPE_CHECKING:
    from collections.abc import Iterator

    from sphinx.application import Sphinx

__all__ = ["TexLinks", "TexinfoLinks", "setup_typeset_output"]

# After these a line may end in an address; before a percent sign, too.
_ENDS_A_LINE = frozenset("/.:;,)=&_-")
_TEXINFO = str.maketrans({"@": "@@", "{": "@{", "}": "@}", ",": "@comma{}"})


class _Links(SphinxPostTransform):
    """What is done with links of handles."""

    # After what looks at texts and addresses, and may add to them (400).
    default_priority = 450

    def links(self) -> "Iterator[nodes.reference]":
        """The links of handles in a document."""
        where = proxies(self.config)
        for link in list(self.document.findall(nodes.reference)):
            target = link.get("refuri")
            if isinstance(target, str) and where.match(target) is not None:
                yield link


class TexLinks(_Links):
    """LaTeX: dollars in addresses are encoded; the text of a link keeps them."""

    formats = ("latex",)

    def run(self, **_kwargs: Any) -> None:
        """Work on one document as it is about to be written."""
        for link in self.links():
            link["refuri"] = link["refuri"].replace("$", "%24")
        for block in self.document.findall(CiteBlock):
            for link in list(block.findall(nodes.reference)):
                if link.astext() != link["refuri"]:
                    _let_break(link)


class TexinfoLinks(_Links):
    """Texinfo: two hyphens stay two, in the text of a link and in its footnote."""

    formats = ("texinfo",)

    def run(self, **_kwargs: Any) -> None:
        """Work on one document as it is about to be written."""
        for link in self.links():
            # An image is no text, and a title is a name as well, which takes none
            # of this.
            if isinstance(link.parent, nodes.title) or not all(
                isinstance(each, nodes.Text) for each in link.children
            ):
                continue
            text = link.astext()
            if "--" in f"{text} {link['refuri']}" and text != link["refuri"]:
                address = link["refuri"].translate(_TEXINFO)
                shown = text.translate(_TEXINFO).replace("--", "-@w{}-")
                # Twice, for three in a row.
                shown = shown.replace("--", "-@w{}-")
                written = f"@uref{{{address},{shown}}}"
                link.replace_self(nodes.raw("", written, format="texinfo"))


def _let_break(link: nodes.reference) -> None:
    text = link.astext()
    link.clear()
    start = 0
    for end in range(1, len(text) + 1):
        is_end = end == len(text)
        if is_end or text[end - 1] in _ENDS_A_LINE or text[end] == "%":
            link += nodes.Text(text[start:end])
            if not is_end:
                link += nodes.raw("", "\\allowbreak{}", format="latex")
            start = end


def setup_typeset_output(app: "Sphinx") -> None:
    """Register what prepares links."""
    for transform in (TexLinks, TexinfoLinks):
        app.add_post_transform(transform)
