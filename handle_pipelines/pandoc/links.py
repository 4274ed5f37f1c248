"""Links in lists of inlines: references in running text, and the targets of links."""

import re
from collections import defaultdict
from collections.abc import Iterator, Sequence
from functools import partial
from itertools import zip_longest
from pathlib import Path
from typing import Any

from handle_pipelines.pandoc.citations import Keys
from handle_pipelines.pandoc.tree import (
    InlineList,
    Inlines,
    Node,
    all_nodes,
    link,
    plain_text,
    span,
    string,
    text_of,
)
from handle_system.describing.described_works import DescribedWorks
from handle_system.describing.page_citations import (
    NEAR,
    CitingPage,
    FoundInPage,
    PageLink,
)
from handle_system.describing.page_settings import PageSettings
from handle_system.describing.parts import Shown
from handle_system.describing.work_findings import update_command
from handle_system.errors import HandleSyntaxError
from handle_system.findings.codes import Code, Severity
from handle_system.findings.finding import Finding, Place
from handle_system.found import Found, Markup, empty_target, parse_target
from handle_system.presenting import Presented, Presenter
from handle_system.proxies import Proxies
from handle_system.reference import HandleReference
from handle_system.role_citations import Cluster, read_role
from handle_system.text_beside import text_beside
from handle_system.text_runs import CODE_LABEL, Part, TextRun, with_links

_ROLE = re.compile(r"\{(hdl|doi)\}\Z")
# What the extension "smart" of Pandoc makes of signs on keyboards, and ends a reference.
_TYPOGRAPHY = frozenset("’‘“”…—")


class Linker:
    """Makes the links of a document."""

    def __init__(self, works: DescribedWorks, keys: Keys, proxies: Proxies) -> None:
        """Take over what links are made with.

        Args:
            works: The works whose references are the titles of links.
            keys: The keys of citations.
            proxies: Where links lead.
        """
        self._works = works
        self._keys = keys
        self._proxies = proxies
        self._presenter = Presenter(proxies=proxies, works=works)
        # What was found, and what is said besides, in the order of the document.
        self._said: list[FoundInPage | Finding] = []
        self._lists: list[InlineList] = []
        # The links to identifiers, by their nodes.
        self._links: dict[int, HandleReference] = {}
        # The indices of what links and citations name, by their nodes.
        self._named: defaultdict[int, list[int]] = defaultdict(list)

    def link(self, inlines: InlineList) -> None:
        """Make and correct the links of a list, in place."""
        self._lists.append(inlines)
        inlines.nodes[:] = with_links(
            _parts(inlines.nodes),
            self._proxies,
            link=self._link_of,
            other=self._corrected,
            cut=lambda _node, text: string(text),
        )

    def cite(self, nodes: Inlines) -> None:
        """Correct the keys of the citations of Pandoc's in a list."""
        for node in nodes:
            if node.get("t") == "Cite":
                for one in self._keys.correct(node):
                    if isinstance(one, FoundInPage):
                        self._named[id(node)].append(len(self._said))
                    self._said.append(one)

    def finish(self) -> Iterator[Finding]:
        """Mark the links to retracted works, when all links are made.

        Yields:
            What is wrong or suspicious, in the order of the document.
        """
        for inlines in self._lists:
            if inlines.is_paragraph:
                self._read_beside(inlines.nodes)
        found = (one for one in self._said if isinstance(one, FoundInPage))
        settings = PageSettings(
            proxies=self._proxies,
            cites=False,
            is_complete=self._keys.is_complete,
            update_command=update_command((), ()),
        )
        page = CitingPage(found, {}, self._works, settings)
        for inlines in self._lists:
            inlines.nodes[:] = self._with_marks(inlines, page)
        about_found = iter(page.findings_by_found())
        for one in self._said:
            yield from [one] if isinstance(one, Finding) else next(about_found)

    def _read_beside(self, nodes: Inlines) -> None:
        """Read the texts beside the links and citations of a paragraph."""
        count = sum(len(self._named.get(id(node), ())) for node in all_nodes(nodes))
        for place, node in enumerate(nodes):
            for index in self._named.get(id(node), ()):
                one = self._said[index]
                if not isinstance(one, FoundInPage):
                    continue
                around = None
                if count == 1:
                    around = plain_text(nodes[:place]), plain_text(nodes[place + 1 :])
                own_text = "" if one.found.is_citation else one.found.shown
                found = one.found._replace(beside=text_beside(own_text, around))
                self._said[index] = one._replace(found=found)

    def _with_marks(self, inlines: InlineList, page: CitingPage) -> Iterator[Node]:
        nodes = inlines.nodes
        for place, node in enumerate(nodes):
            if id(node) not in self._links:
                yield node
                continue
            reference = self._links[id(node)]
            behind = partial(_text_behind, inlines, place)
            # Nothing leads to a place in the text.
            link = PageLink(reference.handle, plain_text(node), number=0)
            for part in page.shown_link(link, behind):
                yield from _nodes_of(part, node)

    def _corrected(self, part: Part) -> Iterator[Any]:
        """The nodes for one that is no running text, such as a link or a role."""
        node = part.node
        if part.role:
            # In text, writers of Pandoc take a line end of code for that of a block.
            content = " ".join(plain_text(node).splitlines())
            yield from self._role(part.role, content)
            return
        if isinstance(node, dict) and node.get("t") == "Link":
            self._correct_target(node)
        yield node

    def _link_of(self, found: Found, run: TextRun) -> Node | None:
        """The link of a reference that was found; none, if it is malformed."""
        if isinstance(found.reference, HandleSyntaxError):
            self._note(found)
            return None
        link = self._take(found, _presented_node(self._presenter.present(found)))
        if _is_cut(run.text, found.end):
            self._said.append(_finding_about_cut(found, run.text[found.end]))
        return link

    def _take(self, found: Found, node: Node) -> Node:
        """Take over a reference, and the node that shows it."""
        if isinstance(found.reference, HandleReference):
            self._links[id(node)] = found.reference
            self._named[id(node)].append(len(self._said))
        self._note(found)
        return node

    def _note(self, found: Found) -> None:
        # Pandoc knows no lines.
        placed = found._replace(place=Place(written=found.written))
        self._said.append(FoundInPage(placed))

    def _role(self, name: str, content: str) -> Iterator[Node]:
        """The nodes of a role, as MyST and Sphinx have them."""
        try:
            parsed = read_role(content, proxies=self._proxies, doi_only=name == "doi")
        except HandleSyntaxError as error:
            found = Found(error, written=content, markup=Markup.ROLE)
            malformed = self._presenter.present(found, content)
            yield self._take(found, span([string(content)], malformed.classes))
            return
        if isinstance(parsed, Cluster):
            yield from self._cluster(parsed)
            return
        presented = self._presenter.present_role(parsed)
        yield self._take(parsed.found, _presented_node(presented))

    def _cluster(self, cluster: Cluster) -> Iterator[Node]:
        """The links of a cluster, and the words around them."""
        *before, behind = cluster.texts
        for cited, text in zip(cluster.cited, before, strict=True):
            yield string(text)
            node = _presented_node(self._presenter.present(cited.found))
            yield self._take(cited.found, node)
        yield string(behind)

    def _correct_target(self, node: Node) -> None:
        """Give a link its address and its title, if it leads to a reference."""
        match node:
            case {
                "c": [
                    [str(identity), [*classes], [*pairs]],
                    [*content],
                    [str(target), str(title)],
                ]
            }:
                pass
            case _:
                return
        shown = plain_text(content)
        if not target:
            error = empty_target(shown, self._proxies)
            if error is not None:
                self._note(Found(error, written=shown, markup=Markup.LINK))
            return
        reference = parse_target(target, self._proxies, folder=Path())
        if reference is None:
            return
        is_autolink = shown == target
        found = Found(
            reference,
            written=target,
            markup=Markup.AUTOLINK if is_autolink else Markup.LINK,
            shown="" if is_autolink else shown,
            is_key=not content,
        )
        self._take(found, node)
        presented = self._presenter.present(found, shown or None, title=title)
        if not content:
            content = [string(presented.text)]
        more = [name for name in presented.classes if name not in classes]
        attributes = [identity, [*classes, *more], pairs]
        if isinstance(reference, HandleReference):
            node["c"] = [attributes, content, [presented.href, presented.title]]
        elif not target.lower().startswith(("http:", "https:")):
            node["t"] = "Span"
            pairs.append(["title", presented.title])
            node["c"] = [attributes, content]


def _text_behind(inlines: InlineList, place: int) -> str | None:
    """The beginning of the text behind a node; `None` in a heading."""
    if inlines.is_heading:
        return None
    return plain_text(inlines.nodes[place + 1 : place + 1 + NEAR])


def _nodes_of(part: str | Shown, own_link: Node) -> Iterator[Node]:
    """The nodes of what is shown in the place of a link."""
    if isinstance(part, str):
        yield {"t": "Space"} if part == " " else string(part)
        return
    if part.link is not None:
        yield own_link
        return
    content = [node for one in part.parts or () for node in _nodes_of(one, own_link)]
    if part.tag == "a":
        href, title = part.attributes["href"], part.attributes.get("title", "")
        yield link(content, href, title, ())
    else:
        yield span(content, part.attributes["class"].split())


def _parts(nodes: Sequence[Any]) -> Iterator[Part]:
    is_in_link = False
    role = ""
    for node, next_node in zip_longest(nodes, nodes[1:]):
        match node:
            case {"t": "RawInline", "c": ["html", str(html)]}:
                is_opening = html[:3].lower() in {"<a ", "<a\n"}
                is_closing = html[:3].lower() == "</a"
                is_in_link = is_opening or (is_in_link and not is_closing)
        if role or is_in_link:
            yield Part(node, None, role=role)
            role = ""
            continue
        role = _role_of(node, next_node)
        if role:
            text = node["c"][: -len("{hdl}")]
            if text:
                yield Part(string(text), text)
        elif _is_address(node):
            yield Part(node, plain_text(node), is_address=True)
        else:
            yield Part(node, text_of(node), emphasised=_emphasised(node))


def _role_of(node: object, next_node: object) -> str:
    """The name of the role that begins at the end of a text; empty if none does."""
    match node, next_node:
        case {"t": "Str", "c": str(text)}, {"t": "Code", "c": [_, str()]}:
            name = _ROLE.search(text)
            return name[1] if name else ""
    return ""


def _is_address(node: object) -> bool:
    """Whether a node is a link of an address that shows the address."""
    match node:
        case {"t": "Link", "c": [_, [{"t": "Str", "c": str(text)}], [str(target), ""]]}:
            return text == target and target.startswith(("http:", "https:"))
    return False


def _emphasised(node: object) -> str:
    """The text that a node emphasises, if it holds nothing else, or a label as code."""
    match node:
        case {"t": "Strong" | "Emph", "c": [{"t": "Str", "c": str(text)}]}:
            return text
        case {"t": "Code", "c": [_, str(text)]} if CODE_LABEL.fullmatch(text):
            return text
    return ""


def _presented_node(presented: Presented) -> Node:
    """A reference as readers see it: a link, or text that its author wants unlinked."""
    text = string(presented.text)
    if not presented.href:
        return span([text], presented.classes)
    return link([text], presented.href, presented.title, presented.classes)


def _is_cut(text: str, end: int) -> bool:
    """Whether typography may have ended a reference in a word."""
    return text[end : end + 1] in _TYPOGRAPHY and text[end + 1 : end + 2].isalnum()


def _finding_about_cut(found: Found, sign: str) -> Finding:
    return Finding(
        code=Code.TYPOGRAPHIC,
        subject=found.written,
        message=f"it ends before {sign}, which Pandoc may have made of a part of it",
        severity=Severity.NOTE,
        places=(Place(written=found.written),),
        advice="write it in angle brackets, where no typography is",
    )
