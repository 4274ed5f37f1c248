"""The works of a file of references: what became of them, their marks, and their list.

The file is read by the process that mystmd starts for a page, and no server is asked.
"""

from collections.abc import Iterator
from functools import partial
from pathlib import Path
from typing import Any

from handle_pipelines.mystmd.tree import (
    CARD_CLASS,
    Log,
    Node,
    links_of,
    log_finding,
    nodes_of,
    text_node,
)
from handle_system.citing.style import RichText
from handle_system.describing.described_work import DescribedWork
from handle_system.describing.findings import findings_about_files, findings_about_works
from handle_system.describing.list_options import MOST_LISTS, ListOptions
from handle_system.describing.reference_lists import LABELS, Mention, ReferenceLists
from handle_system.describing.references import References, read_references
from handle_system.describing.retraction import RETRACTED, with_marks
from handle_system.describing.updates import Update
from handle_system.handle import Handle
from handle_system.presenting import classes_of
from handle_system.proxies import Proxies
from handle_system.reference import reference_or_none

__all__ = ["LIST_CLASS", "fill_lists", "log_works", "mark_retracted", "read_works"]

#: The class of the node that becomes the list of the page.
LIST_CLASS = "hdl-references"
# A heading travels to menus, and a link holds no other.
_WITHOUT_MARKS = frozenset({"heading", "link"})
_NODE_OF_TAG = {
    "i": "emphasis",
    "b": "strong",
    "sup": "superscript",
    "sub": "subscript",
}


def read_works(path: Path, log: Log) -> References:
    """The works of a file; what cannot be read of it is logged."""
    works = read_references([path])
    for finding in findings_about_files(works):
        log_finding(finding, {}, log)
    return works


def log_works(tree: Node, works: References, proxies: Proxies, log: Log) -> None:
    """Log what became of the works that links lead to."""
    for link, url in links_of(tree):
        reference = reference_or_none(url, proxies)
        if reference is None:
            continue
        for finding in findings_about_works(
            {reference.handle: ()}, works, proxies=proxies
        ):
            log_finding(finding, link, log)


def mark_retracted(tree: Node, works: References, proxies: Proxies) -> None:
    """Put a mark behind each link to a retracted work: text that readers see.

    Accepting a notice silences the finding for authors, and never this mark.
    """
    mark = partial(_mark, proxies=proxies)
    for node in nodes_of(tree, closed=_WITHOUT_MARKS):
        children = node.get("children")
        if isinstance(children, list):
            linked_works = (_linked_work(child, works, proxies) for child in children)
            node["children"] = [*with_marks(children, linked_works, _text_below, mark)]


def _mark(retraction: Update, proxies: Proxies) -> Iterator[Node]:
    word = text_node(RETRACTED)
    if retraction.handle is not None:
        word = _link(retraction.handle, RETRACTED, proxies)
    # No node of its own around it: some exports of mystmd would leave that out.
    yield text_node(" [")
    yield word
    yield text_node("]")


def _linked_work(
    node: Any, works: References, proxies: Proxies
) -> DescribedWork | None:
    """The work that a node is a link to, if a file describes it."""
    match node:
        case {"type": "link", "url": str(url)}:
            reference = reference_or_none(url, proxies)
            return works.get(reference.handle) if reference else None
    return None


def _text_below(node: Any) -> str:
    texts = (below.get("value") for below in nodes_of(node))
    return "".join(text for text in texts if isinstance(text, str))


def fill_lists(tree: Node, works: References, proxies: Proxies) -> None:
    """Write the list of the works that the links of a page lead to, where it belongs."""
    places = [node for node in nodes_of(tree) if node.get("class") == LIST_CLASS]
    if not places:
        return
    own = {
        id(link)
        for node in nodes_of(tree)
        if node.get("class") == CARD_CLASS
        for link, _ in links_of(node)
    }
    mentions = []
    for link, url in links_of(tree):
        reference = reference_or_none(url, proxies)
        if reference is not None and id(link) not in own:
            mentions.append(Mention("", reference.handle, 0))
    lists = ReferenceLists(
        {"": [ListOptions()]},
        {"": mentions},
        works,
        key=lambda handle: handle.comparison_key,
    )
    (made,) = lists.by_page[""]
    items = [
        _item(entry.handle, entry.label.letter, works, proxies)
        for entry in made.entries.values()
    ]
    for place in places[:MOST_LISTS]:
        place["type"] = "list"
        place["ordered"] = False
        place["children"] = items


def _item(handle: Handle, letter: str, works: References, proxies: Proxies) -> Node:
    """A work of the list: its reference, its address, and what became of it."""
    work = works.get(handle) or DescribedWork(handle, {})
    nodes = _rich_nodes(work.reference(letter=letter))
    if nodes:
        nodes.append(text_node(" "))
    nodes.append(_link(handle, proxies.link(handle), proxies))
    if len(nodes) == 1:
        nodes.append(text_node(f" {LABELS['missing']}"))
    update = work.listed_update
    if update is not None:
        when = f" {update.date}" if update.date else ""
        label = {"type": "strong", "children": [text_node(update.state.label)]}
        nodes += [text_node(" "), label, text_node(when)]
        if update.handle is not None:
            noun = update.state.source_noun
            nodes += [text_node(" · "), _link(update.handle, noun, proxies)]
    return {"type": "listItem", "children": [{"type": "paragraph", "children": nodes}]}


def _rich_nodes(runs: RichText) -> list[Node]:
    nodes: list[Node] = []
    for run in runs:
        node = text_node(run.text)
        for tag in reversed(run.tags):
            if tag in _NODE_OF_TAG:
                node = {"type": _NODE_OF_TAG[tag], "children": [node]}
        nodes.append(node)
    return nodes


def _link(handle: Handle, text: str, proxies: Proxies) -> Node:
    return {
        "type": "link",
        "url": proxies.link(handle),
        "class": " ".join(classes_of(handle)),
        "children": [text_node(text)],
    }
