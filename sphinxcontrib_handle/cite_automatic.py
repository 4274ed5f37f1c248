"""Blocks without a directive: which pages get one, and where it stands."""

from typing import TYPE_CHECKING

from docutils import nodes

from sphinxcontrib_handle.cite_directive import CitePlaceholder
from sphinxcontrib_handle.cite_sources import metadata_of
from sphinxcontrib_handle.collect import is_on

if TYPE_CHECKING:
    from sphinx.environment import BuildEnvironment

__all__ = ["PAGE_SWITCH", "add_placeholder", "place_notice"]

#: The field, or key of a page's front matter, that keeps the block off the page.
PAGE_SWITCH = "no-cite"


def add_placeholder(env: "BuildEnvironment", document: nodes.document) -> None:
    """Add the place of a block at the end of the page, if the project wants one there.

    A page with a directive has its block already.
    """
    wanted = env.config.handle_cite
    if not wanted or (wanted == "root" and env.docname != env.config.root_doc):
        return
    if document.next_node(CitePlaceholder) is not None:
        return
    switch = metadata_of(document).get(PAGE_SWITCH)
    if switch is not None and is_on(str(switch)):
        return
    placeholder = CitePlaceholder(options={}, body=[], lines={}, automatic=True)
    placeholder.source = str(document.get("source", ""))
    sections = [each for each in document.children if isinstance(each, nodes.section)]
    (sections[-1] if sections else document).append(placeholder)


def place_notice(document: nodes.document, notice: nodes.Element) -> None:
    """Put the notice of an old version below the page's title."""
    title = document.next_node(nodes.title)
    if title is None or not isinstance(title.parent, nodes.section):
        document.insert(0, notice)
        return
    title.parent.insert(title.parent.index(title) + 1, notice)
