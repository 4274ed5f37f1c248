"""Links in lists of inlines: references in running text, and the targets of links."""

import re
from collections.abc import Callable, Iterator, Sequence
from itertools import zip_longest
from pathlib import Path
from typing import Any, TypeAlias

from handle_pipelines.pandoc.tree import (
    Inlines,
    Node,
    link,
    plain_text,
    span,
    string,
    text_of,
)
from handle_system.describing.findings import (
    findings_about_undescribed_works,
    findings_about_works,
    update_command,
)
from handle_system.describing.references import References
from handle_system.describing.retraction import RETRACTED, with_marks
from handle_system.describing.updates import Update
from handle_system.diagnostics import findings_about
from handle_system.errors import HandleSyntaxError
from handle_system.findings.codes import Code, Severity
from handle_system.findings.finding import Finding, Place
from handle_system.found import Found, Markup, empty_target, parse_target
from handle_system.presenting import Presented, Presenter
from handle_system.proxies import Proxies
from handle_system.reference import HandleReference
from handle_system.role_citations import Cluster, read_role, texts_around
from handle_system.scanning import find_references
from handle_system.text_runs import LABEL, Part, TextRun, runs

__all__ = ["Linker", "Report"]

#: Takes a finding.
Report: TypeAlias = Callable[[Finding], None]

_ROLE = re.compile(r"\{(hdl|doi)\}\Z")
# What the extension "smart" of Pandoc makes of signs on keyboards, and ends a reference.
_TYPOGRAPHY = frozenset("’‘“”…—")


class Linker:
    """Makes the links of a document."""

    def __init__(
        self,
        works: References,
        proxies: Proxies,
        report: Report,
        *,
        is_complete: bool = True,
    ) -> None:
        """Take over what links are made with.

        Args:
            works: The works whose references are the titles of links.
            proxies: Where links lead.
            report: Takes what is wrong or suspicious.
            is_complete: Whether no other bibliography may have a work.
        """
        self._works = works
        self._is_complete = is_complete
        self._proxies = proxies
        self._report = report
        self._presenter = Presenter(proxies=proxies, works=works)

    def link(self, nodes: Inlines, *, has_marks: bool) -> None:
        """Make and correct the links of a list, in place.

        Args:
            nodes: The list.
            has_marks: Whether links to retracted works get a mark.
        """
        label = ""
        made: list[tuple[Any, HandleReference | None]] = []
        for run in runs(_parts(nodes)):
            made += self._linked(run, label)
            label = _label_in(run[-1].node)
        if has_marks:
            works = (self._works.get(to.handle) if to else None for _, to in made)
            linked = [node for node, _ in made]
            nodes[:] = with_marks(linked, works, plain_text, self._mark)
        else:
            nodes[:] = [node for node, _ in made]

    def _linked(
        self, run: Sequence[Part], label: str
    ) -> Iterator[tuple[Any, HandleReference | None]]:
        """The nodes of a run, each with the reference that it is a link to."""
        first = run[0]
        if first.role:
            # In text, writers of Pandoc take a line end of code for that of a block.
            content = " ".join(plain_text(first.node).splitlines())
            yield from self._role(first.role, content)
            return
        if first.text is None:
            is_link = isinstance(first.node, dict) and first.node.get("t") == "Link"
            reference = self._correct_target(first.node) if is_link else None
            yield first.node, reference
            return
        text_run = TextRun(run, label)
        text = text_run.text
        position = text_run.start
        for found in find_references(text, proxies=self._proxies, malformed=True):
            self._say(found)
            if isinstance(found.reference, HandleSyntaxError):
                continue
            if _is_cut(text, found.end):
                self._report(_finding_about_cut(found, text[found.end]))
            for node in text_run.between(position, found.start, _cut):
                yield node, None
            yield _presented_node(self._presenter.present(found)), found.reference
            position = found.end
        for node in text_run.between(position, len(text), _cut):
            yield node, None

    def _role(
        self, name: str, content: str
    ) -> Iterator[tuple[Any, HandleReference | None]]:
        """The nodes of a role, as MyST and Sphinx have them."""
        try:
            parsed = read_role(content, proxies=self._proxies, doi_only=name == "doi")
        except HandleSyntaxError as error:
            found = Found(error, written=content, markup=Markup.ROLE)
            self._say(found)
            malformed = self._presenter.present(found, content)
            yield span([string(content)], malformed.classes), None
            return
        if isinstance(parsed, Cluster):
            yield from self._cluster(parsed)
            return
        found = Found(
            parsed.reference,
            written=parsed.written,
            markup=Markup.ROLE,
            shown=parsed.title or "",
        )
        self._say(found)
        presented = self._presenter.present(
            found,
            parsed.title,
            with_scheme=parsed.with_scheme,
            is_linked=parsed.linked,
        )
        yield _presented_node(presented), parsed.reference

    def _cluster(
        self, cluster: Cluster
    ) -> Iterator[tuple[Any, HandleReference | None]]:
        """The links of a cluster, and the words around them."""
        words = [(cited.prefix, cited.locator) for cited in cluster.cited]
        *before, behind = texts_around(words, is_bracketed=cluster.is_bracketed)
        for cited, text in zip(cluster.cited, before, strict=True):
            found = Found(cited.reference, written=cited.written, markup=Markup.ROLE)
            self._say(found)
            yield string(text), None
            yield _presented_node(self._presenter.present(found)), cited.reference
        yield string(behind), None

    def _correct_target(self, node: Node) -> HandleReference | None:
        """Give a link its address and its title; the reference that it leads to."""
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
                return None
        shown = plain_text(content)
        if not target:
            error = empty_target(shown, self._proxies)
            if error is not None:
                self._say(Found(error, written=shown, markup=Markup.LINK))
            return None
        reference = parse_target(target, self._proxies, folder=Path())
        if reference is None:
            return None
        is_autolink = shown == target
        found = Found(
            reference,
            written=target,
            markup=Markup.AUTOLINK if is_autolink else Markup.LINK,
            shown="" if is_autolink else shown,
            is_key=not content,
        )
        self._say(found)
        presented = self._presenter.present(found, shown or None, title=title)
        if not content:
            content = [string(presented.text)]
        more = [name for name in presented.classes if name not in classes]
        attributes = [identity, [*classes, *more], pairs]
        if isinstance(reference, HandleReference):
            node["c"] = [attributes, content, [presented.href, presented.title]]
            return reference
        if not target.lower().startswith(("http:", "https:")):
            node["t"] = "Span"
            pairs.append(["title", presented.title])
            node["c"] = [attributes, content]
        return None

    def _say(self, found: Found) -> None:
        for finding in findings_about(found):
            self._report(finding)
        if isinstance(found.reference, HandleReference):
            places = {found.reference.handle: (Place(written=found.written),)}
            for finding in findings_about_works(
                places, self._works, proxies=self._proxies
            ):
                self._report(finding)
            if self._is_complete:
                command = update_command((), ())
                for finding in findings_about_undescribed_works(
                    places, self._works, command
                ):
                    self._report(finding)

    def _mark(self, retraction: Update) -> Iterator[Node]:
        word = string(RETRACTED)
        if retraction.handle is not None:
            href = self._proxies.link(retraction.handle)
            word = link([word], href, "", ())
        yield {"t": "Space"}
        yield span([string("["), word, string("]")], ("hdl-flag",))


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
            yield Part(string(text), text)
        elif _is_address(node):
            yield Part(node, plain_text(node), is_address=True)
        else:
            yield Part(node, text_of(node))


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


def _label_in(node: object) -> str:
    """The label that a node of markup shows, marked up; empty for any other node."""
    match node:
        case {"t": "Strong" | "Emph", "c": [{"t": "Str", "c": str(text)}]} if (
            LABEL.fullmatch(text)
        ):
            return f"*{text}*"
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


def _cut(_node: Any, text: str) -> Node:
    return string(text)
