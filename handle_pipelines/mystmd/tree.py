"""References in the syntax tree that mystmd gives to a plugin.

The tree is JSON: a node is a table with a ``type``, and has ``children`` or a ``value``.
It is made from the documents of anybody, and any part of it may be missing or of another
type.  What is no node stays as it is.

mystmd makes a citation of each link to a DOI, with data that it fetches from doi.org.
The links of this plugin are no citations, and ask nobody.  They carry an ``hdl:`` URI,
which mystmd leaves alone, until it is done with citations:

1. `link_references` in the stage ``document`` makes links of references;
2. `correct_targets` in the stage ``project`` gives each link its address.
"""

from collections.abc import Callable, Iterator, Mapping
from functools import partial
from typing import Any, TypeAlias

from handle_system.diagnostics import findings_about
from handle_system.errors import HandleSyntaxError, showable
from handle_system.findings.finding import Finding
from handle_system.found import Found, Markup, empty_target, parse_target
from handle_system.presenting import (
    PresentedWorks,
    Presenter,
    display_text,
    is_identifier,
)
from handle_system.proxies import Proxies
from handle_system.reference import HandleReference
from handle_system.role_citations import Cluster, read_role
from handle_system.text_runs import CODE_LABEL, Part, TextRun, with_links

Node: TypeAlias = dict[str, Any]
#: Takes a message about a document.
Log: TypeAlias = Callable[[str], None]
#: The references that links lead to, by the identities of the links.
References: TypeAlias = Mapping[int, HandleReference]

#: The class of the paragraphs of a citation, which names the document's own versions.
CARD_CLASS = "hdl-cite"
#: The class of the node that becomes the list of the page.
LIST_CLASS = "hdl-references"
# ZERO WIDTH SPACE, where a browser may end a line.
_BREAK = "\u200b"

# No reference is looked for below these nodes.
_CLOSED = frozenset(
    {
        *("cite", "citeGroup", "crossReference", "link"),
        *("code", "html", "inlineCode", "inlineMath", "math", "raw"),
        *("output", "outputs"),
    }
)


def text_node(text: str) -> Node:
    """A node of running text."""
    return {"type": "text", "value": text}


def reference_link(reference: HandleReference, text: str) -> Node:
    """A link to a reference that mystmd takes for no citation."""
    uri = reference.uri()
    if uri.startswith("doi:"):
        uri = f"hdl:{uri.removeprefix('doi:')}"
    return {"type": "link", "url": uri, "class": "hdl", "children": [text_node(text)]}


def link_references(tree: Node, proxies: Proxies, log: Log) -> None:
    """Make links of the references in running text."""
    for node in nodes_of(tree, closed=_CLOSED):
        children = node.get("children")
        if isinstance(children, list):
            linked = with_links(
                map(_part, children),
                proxies,
                link=partial(_link_of, proxies, log),
                other=lambda part: [part.node],
                cut=_cut,
            )
            node["children"] = [*linked]


def correct_targets(
    tree: Node, proxies: Proxies, log: Log, works: PresentedWorks | None = None
) -> References:
    """Give each link to a handle its address and its title.

    A link without a text gets one, and a title that the author wrote stays.

    Args:
        tree: The document.
        proxies: Where links lead.
        log: Takes what is wrong or suspicious.
        works: The works whose references are the titles of links, if there are any.
    """
    references: dict[int, HandleReference] = {}
    presenter = Presenter(proxies=proxies, works=works)
    for link, url in links_of(tree):
        if not url:
            _log_empty_target(link, proxies, log)
            continue
        reference = parse_target(url, proxies)
        if isinstance(reference, HandleReference):
            references[id(link)] = reference
            _correct_target(link, reference, presenter, log)
        elif reference is not None:
            found = Found(reference, written=url, markup=Markup.LINK)
            _log_about(found, line_of(link), log)
    return references


def _log_empty_target(link: Node, proxies: Proxies, log: Log) -> None:
    """Log a link without a target whose text is an identifier."""
    text = _text_of(link)
    error = empty_target(text, proxies)
    if error is not None:
        found = Found(error, written=text, markup=Markup.LINK)
        _log_about(found, line_of(link), log)


def _correct_target(
    link: Node, reference: HandleReference, presenter: Presenter, log: Log
) -> None:
    _take_breaks_out(link, reference, presenter.proxies)
    text = _text_of(link)
    if link.get("class") != "hdl":
        # The links of this plugin were examined when they were made.
        written = link["url"]
        found = Found(reference, written=written, markup=Markup.LINK, shown=text)
        _log_about(found, line_of(link), log)
    has_text = bool(link.get("children"))
    presented = presenter.present(
        reference,
        text if has_text else None,
        title=text_or_nothing(link.get("title")),
    )
    link["url"] = presented.href
    if presented.title:
        link["title"] = presented.title
    if not has_text:
        link["children"] = [text_node(presented.text)]


def _take_breaks_out(link: Node, reference: HandleReference, proxies: Proxies) -> None:
    """Take the breaks out of an identifier that mystmd put into a long text of a link.

    They are copied with it, and make it another identifier.
    """
    text = _text_of(link)
    unbroken = text.replace(_BREAK, "")
    if unbroken != text and is_identifier(unbroken, reference, proxies):
        link["children"][0]["value"] = unbroken


def role(
    name: str, content: str, proxies: Proxies, log: Log, line: int = 0
) -> list[Node]:
    """The nodes of a role ``hdl`` or ``doi``; its text, if that is malformed.

    Args:
        name: The name of the role.
        content: The text of the role.
        proxies: Where links lead.
        log: Takes what is wrong or suspicious.
        line: The line of the role; 0 if it is not known.
    """
    try:
        parsed = read_role(content, proxies=proxies, doi_only=name == "doi")
    except HandleSyntaxError as error:
        _log_about(Found(error, written=content, markup=Markup.ROLE), line, log)
        return [text_node(content)]
    if isinstance(parsed, Cluster):
        return _cluster_nodes(parsed, content, proxies, log, line)
    _log_about(parsed.found, line, log)
    text = Presenter(proxies=proxies).role_text(parsed)
    if not parsed.linked:
        return [text_node(text)]
    return [reference_link(parsed.reference, text)]


def _cluster_nodes(
    cluster: Cluster, content: str, proxies: Proxies, log: Log, line: int
) -> list[Node]:
    """The links of a cluster, and the words around them."""
    *before, behind = cluster.texts
    nodes: list[Node] = []
    for cited, text in zip(cluster.cited, before, strict=True):
        lines_before = content.count("\n", 0, cited.start)
        _log_about(cited.found, line and line + lines_before, log)
        link = reference_link(cited.reference, display_text(cited.reference, proxies))
        nodes += [text_node(text), link]
    nodes.append(text_node(behind))
    return [made for made in nodes if made != text_node("")]


def links_of(tree: Node) -> Iterator[tuple[Node, str]]:
    """Each link, and the target that it has now."""
    for node in nodes_of(tree):
        url = node.get("url")
        if node.get("type") == "link" and isinstance(url, str):
            yield node, url


def text_or_nothing(value: object) -> str:
    """A value that should be text; nothing for any other."""
    return value if isinstance(value, str) else ""


def nodes_of(tree: Node, closed: frozenset[str] = frozenset()) -> Iterator[Node]:
    """Each node, before those below it, but none at or below one of a closed type."""
    return (node for node, _ in nodes_on_lines(tree, closed))


def nodes_on_lines(
    tree: Node, closed: frozenset[str] = frozenset()
) -> Iterator[tuple[Node, int]]:
    """The same nodes, each with its line, or that of the nearest one around it; or 0."""
    waiting: list[tuple[Any, int]] = [(tree, 0)]
    while waiting:
        node, line_around = waiting.pop()
        if not isinstance(node, dict) or str(node.get("type")) in closed:
            continue
        line = line_of(node) or line_around
        yield node, line
        children = node.get("children")
        if isinstance(children, list):
            waiting += ((child, line) for child in reversed(children))


def _part(child: Any) -> Part:
    """A node, with its text if that is running text.

    mystmd makes links of addresses before this plugin sees the tree, and cuts DOIs: of
    ``doi:10.1002/(SICI)…3.0.CO;2-V`` it makes a text, a link to ``http://3.0.CO`` and a
    text.
    """
    match child:
        case {"type": "text", "value": str(text)}:
            return Part(child, text)
        case {
            "type": "link",
            "url": str(url),
            "children": [{"type": "text", "value": str(text)}],
        } if url in {text, f"http://{text}"}:
            return Part(child, text, is_address=url == text)
        case {"type": "strong" | "emphasis"}:
            return Part(child, None, emphasised=_text_of(child))
        case {"type": "inlineCode", "value": str(text)} if CODE_LABEL.fullmatch(text):
            return Part(child, None, emphasised=text)
    return Part(child, None)


def _link_of(proxies: Proxies, log: Log, found: Found, run: TextRun) -> Node | None:
    """The link of a reference that was found; none, if it is malformed."""
    first = run.node_at(found.start)
    _log_about(found, line_of(first), log)
    reference = found.reference
    if isinstance(reference, HandleSyntaxError):
        return None
    link = reference_link(reference, run.text[found.start : found.end])
    if first.get("type") == "link":
        # mystmd has made a link of the address, and may make a citation of it.
        link["url"] = proxies.link(reference)
    if "position" in first:
        link["position"] = first["position"]
    return link


def _cut(node: Node, text: str) -> Node:
    """A node of text in the place of another one."""
    cut = text_node(text)
    if "position" in node:
        cut["position"] = node["position"]
    return cut


def log_finding(finding: Finding, line: int, log: Log) -> None:
    """Log a finding in one line of text.

    Args:
        finding: The finding.
        line: The line of the document that it is about; 0 if it is not known.
        log: Takes the text.
    """
    parts = [finding.message_at(finding.first), *finding.help_lines()]
    where = f"line {line}: " if line else ""
    if finding.code.is_about_file:
        where = showable(f"{finding.first.file}: ")
    level = finding.severity.value
    log(f"{where}{level}: {'; '.join(parts)} [handle.{finding.code}]")


def _log_about(found: Found, line: int, log: Log) -> None:
    for finding in findings_about(found):
        log_finding(finding, line, log)


def _text_of(node: Node) -> str:
    """The text of a node whose children are texts; empty for any other."""
    match node:
        case {"children": [{"type": "text", "value": str(text)}]}:
            return text
    return ""


def line_of(node: object) -> int:
    """The line of a node; 0 if it is not known."""
    match node:
        case {"position": {"start": {"line": int(line)}}}:
            return line
    return 0
