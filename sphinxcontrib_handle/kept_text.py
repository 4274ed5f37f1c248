"""Identifiers in a text that is no link to them: typography leaves them alone too.

In the text of a link to somewhere else, or of a role, an identifier stays what it
is: links do not nest.  Its characters are its author's all the same, and smart quotes
would make another one of ``doi:10.1000/a--b``.  So each travels in a wrapper of its
own past them, which is taken off again before the document is stored.
"""

from typing import TYPE_CHECKING

from docutils import nodes

from handle_system.scanning import find_references, may_hold_reference
from sphinxcontrib_handle.blocks import Kind, read_block, replace_spans
from sphinxcontrib_handle.links import KEPT, is_off

if TYPE_CHECKING:
    from handle_system.proxies import Proxies
    from sphinxcontrib_handle.reading import Reading

__all__ = ["keep_identifiers", "kept_text", "let_go"]

#: What typography leaves alone as it is, or what is in its wrapper already.
_EXACT = (nodes.literal, nodes.math, nodes.raw)


def keep_identifiers(link: nodes.Element, known: "Reading", proxies: "Proxies") -> None:
    """Wrap the identifiers in a link's text, if typography is to reach that."""
    if link.get("support_smartquotes") is False:
        return
    if not may_hold_reference(link.astext(), proxies=proxies) or is_off(link):
        return
    for holder in list(link.findall(nodes.TextElement)):
        if not isinstance(holder, _EXACT) and KEPT not in holder:
            _keep_in(holder, known, proxies)


def _keep_in(holder: nodes.TextElement, known: "Reading", proxies: "Proxies") -> None:
    block = read_block(holder, known, joins_markup=False)
    wrappers: list[tuple[int, int, nodes.Node]] = []
    for found in find_references(block.text, proxies=proxies):
        kinds = [piece.kind for piece in block.within(found.start, found.end)]
        if kinds == [Kind.TEXT]:
            text = block.text[found.start : found.end]
            wrappers.append((found.start, found.end, _wrapper(text)))
    if wrappers:
        known.is_marked = True
        holder.children = replace_spans(block, wrappers)
        for child in holder.children:
            child.parent = holder


def _wrapper(text: str) -> nodes.inline:
    wrapper = nodes.inline("", text, support_smartquotes=False)
    wrapper[KEPT] = text
    return wrapper


def kept_text(link: nodes.Element) -> "list[nodes.Node]":
    """What a link shows, without the link; an identifier in its wrapper."""
    if link.get("support_smartquotes") is False:
        return [_wrapper(link.astext())]
    return link.children


def let_go(wrapper: nodes.Element) -> None:
    """Leave the text that was wrapped, as it was then."""
    wrapper.replace_self(nodes.Text(wrapper[KEPT]))
