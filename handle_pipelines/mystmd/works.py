"""The works of a file of references: what became of them, their marks, and their list.

The file is read by the process that mystmd starts for a page, and no server is asked.
"""

from collections.abc import Iterable, Iterator, Sequence
from functools import partial
from pathlib import Path
from typing import Any

from handle_pipelines.mystmd.tree import (
    CARD_CLASS,
    LIST_CLASS,
    Log,
    Node,
    References,
    links_of,
    log_finding,
    nodes_of,
    nodes_on_lines,
    text_node,
    text_or_nothing,
)
from handle_system.describing.described_works import (
    DescribedWorks,
    read_described_works,
)
from handle_system.describing.list_options import MOST_LISTS, ListOptions
from handle_system.describing.page_citations import (
    NEAR,
    PAGE,
    CitingPage,
    FoundInPage,
    PageLink,
)
from handle_system.describing.page_settings import PageSettings
from handle_system.describing.parts import Parts, Shown
from handle_system.describing.work_findings import findings_about_files
from handle_system.findings.finding import Place, Policy
from handle_system.found import Found, Markup
from handle_system.presenting import is_identifier
from handle_system.proxies import Proxies
from handle_system.text_beside import text_beside

# A heading travels to menus, and a link holds no other.
_WITHOUT_MARKS = frozenset({"heading", "link"})
# The types of nodes by the names of elements; what any other element holds stands by
# itself, because some exports of mystmd leave out what they do not know.
_TYPES = {
    "a": "link",
    "b": "strong",
    "i": "emphasis",
    "li": "listItem",
    "p": "paragraph",
    "strong": "strong",
    "sub": "subscript",
    "sup": "superscript",
    "ul": "list",
}


def read_works(path: Path, log: Log) -> DescribedWorks:
    """The works of a file; what cannot be read of it is logged."""
    works = read_described_works([path])
    for finding in findings_about_files(works):
        log_finding(finding, 0, log)
    return works


def describe_page(
    tree: Node,
    references: References,
    works: DescribedWorks,
    proxies: Proxies,
    log: Log,
) -> None:
    """Log what is said about the works of a page, write its list, and mark its links.

    Accepting a notice silences the finding for authors, and never the mark.

    Args:
        tree: The page, whose links have their addresses.
        references: The references that they lead to.
        works: The works of the file.
        proxies: Where links lead.
        log: Takes what is said.
    """
    links = [
        (node, line) for node, line in nodes_on_lines(tree) if id(node) in references
    ]
    around = _texts_around(tree, references)
    # The links of a card lead to the document's own versions.
    own = {
        id(link)
        for node in nodes_of(tree)
        if node.get("class") == CARD_CLASS
        for link, _ in links_of(node)
    }
    found = []
    for number, (link, line) in enumerate(links, 1):
        reference = references[id(link)]
        shown = text_below(link)
        own_text = "" if is_identifier(shown, reference, proxies) else shown
        found.append(
            FoundInPage(
                Found(
                    reference,
                    markup=Markup.LINK,
                    # The column is not shown: it tells the links of a line apart.
                    place=Place(line=line, column=number),
                    beside=text_beside(own_text, around.get(id(link))),
                ),
                is_linked=id(link) not in own,
                # Its own findings were logged with its address.
                is_checked=True,
                # Nothing leads to a place in the text.
                number=0,
            )
        )
    lists = {PAGE: [ListOptions()]}
    settings = PageSettings(proxies=proxies, cites=False)
    page = CitingPage(found, lists, works, settings)
    policy = Policy({})
    for (_, line), findings in zip(links, page.findings_by_found(), strict=True):
        for finding in policy.applied_to(findings):
            # Where the link has no line, its paragraph may have one.
            log_finding(finding, line, log)
    _fill_lists(tree, page)
    # An entry of the list says by itself what became of its work.
    _mark_retracted(tree, page, references)


def _texts_around(tree: Node, references: References) -> dict[int, tuple[str, str]]:
    """The text before and behind each link that is the only one of its paragraph."""
    texts = {}
    for block in nodes_of(tree):
        if block.get("type") != "paragraph":
            continue
        nodes = [*nodes_of(block)]
        places = [place for place, node in enumerate(nodes) if id(node) in references]
        if len(places) == 1:
            (place,) = places
            link = nodes[place]
            # What is in the link stands directly behind it.
            end = place + len([*nodes_of(link)])
            texts[id(link)] = _text_of(nodes[:place]), _text_of(nodes[end:])
    return texts


def text_below(node: Any) -> str:
    """The text of a node, and of those below it."""
    return _text_of(nodes_of(node))


def _text_of(nodes: Iterable[Node]) -> str:
    return "".join(text_or_nothing(node.get("value")) for node in nodes)


def _fill_lists(tree: Node, page: CitingPage) -> None:
    """Write the list of the works that the links of a page lead to, where it belongs."""
    places = [node for node in nodes_of(tree) if node.get("class") == LIST_CLASS]
    if not places:
        return
    made = _nodes_of(page.list_of(0), {})
    items = made[0]["children"] if made else []
    for place in places[:MOST_LISTS]:
        place["type"] = "list"
        place["ordered"] = False
        place["children"] = items


def _mark_retracted(tree: Node, page: CitingPage, references: References) -> None:
    """Put a mark behind each link to a retracted work: text that readers see."""
    for node in nodes_of(tree, closed=_WITHOUT_MARKS):
        children = node.get("children")
        if isinstance(children, list):
            node["children"] = [*_with_marks(children, page, references)]


def _with_marks(
    nodes: Sequence[Any], page: CitingPage, references: References
) -> Iterator[Any]:
    for place, node in enumerate(nodes):
        reference = references.get(id(node))
        if reference is None:
            yield node
            continue
        behind = partial(_text_behind, nodes, place)
        link = PageLink(reference.handle, text_below(node), number=0)
        yield from _nodes_of(page.shown_link(link, behind), node)


def _text_behind(nodes: Sequence[Any], place: int) -> str:
    return "".join(map(text_below, nodes[place + 1 : place + 1 + NEAR]))


def _nodes_of(parts: Parts, own_link: Node) -> list[Node]:
    """The nodes of what is shown; a link of the page keeps what it holds."""
    nodes: list[Node] = []
    for part in parts:
        if isinstance(part, Shown):
            made = _node_of(part, own_link)
        else:
            made = [text_node(part)]
        nodes += made
    return _joined(nodes)


def _joined(nodes: Sequence[Node]) -> list[Node]:
    """Nodes, in which texts that follow each other are one."""
    joined: list[Node] = []
    for node in nodes:
        last = joined[-1] if joined else {}
        if node.get("type") == last.get("type") == "text":
            joined[-1] = text_node(last["value"] + node["value"])
        else:
            joined.append(node)
    return joined


def _node_of(shown: Shown, own_link: Node) -> list[Node]:
    if shown.link is not None:
        return [own_link]
    children = _nodes_of(shown.parts or (), own_link)
    kind = _TYPES.get(shown.tag)
    if kind is None:
        return children
    node: Node = {"type": kind, "children": children}
    if kind == "link":
        node["url"] = shown.attributes["href"]
        for name in ("class", "title"):
            if name in shown.attributes:
                node[name] = shown.attributes[name]
    return [node]
