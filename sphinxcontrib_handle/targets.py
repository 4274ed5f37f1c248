"""The transform that completes links, and reports what is wrong with references.

It sets the targets of links that authors or extensions made: ```x <hdl:20.1000/1>`_``,
``.. _x: hdl:20.1000/1``, the option ``:target:`` of an image. Plain docutils uses it as it
is; `sphinxcontrib_handle.collect` extends it for Sphinx.
"""

import os
import re
from pathlib import Path
from typing import Any

from docutils import nodes
from docutils.transforms import Transform
from docutils.utils import urischemes

from handle_system.errors import HandleSyntaxError
from handle_system.reference import HandleReference, reference_or_none
from handle_system.scanning import may_hold_reference
from sphinxcontrib_handle.links import (
    NAMES,
    PROBLEM,
    WRITTEN,
    ReferenceSettings,
    dress,
    findings,
    is_off,
    linked_reference,
    malformed,
    reference_settings,
)

__all__ = ["LinkTargets", "RestoreText", "SourceLines", "unlink"]


class LinkTargets(Transform):
    """Set the targets of authors' links, and report what is wrong with references.

    It runs at 215: after Sphinx has put translations in (20) and docutils the classes of
    ``.. class::`` (210), before substitutions (220) and the resolution of names (260).
    """

    default_priority = 215

    settings: ReferenceSettings

    def apply(self, **_kwargs: Any) -> None:
        """Work on one document."""
        settings = reference_settings(self.document.settings)
        if settings is None:
            return
        self.settings = settings
        self.lines = SourceLines(settings.charset)
        self._texts: list[tuple[nodes.Element, str]] = []
        # A list, for nodes are replaced on the way; and without a condition, which is
        # the fastest way through a tree.
        for node in list(self.document.findall()):
            if isinstance(node, nodes.Element):
                self.treat(node)
        if self._texts:
            pending = nodes.pending(RestoreText, {"texts": self._texts})
            self.document.note_pending(pending, RestoreText.default_priority)

    def note(
        self, written: str, reference: HandleReference, node: nodes.Element
    ) -> None:
        """Record a reference."""

    def note_malformed(
        self, kind: str, written: str, reason: str, node: nodes.Element
    ) -> None:
        """Record what was meant for a reference and is none."""

    def report(self, kind: str, message: str, node: nodes.Element) -> None:
        """Report a message about a node."""
        reporter = self.document.reporter
        report = reporter.warning if kind in _WARNINGS else reporter.info
        report(message, source=node.source or "", line=node.line)

    def treat(self, node: nodes.Element) -> None:
        """Treat one node, if it is a link or was meant for one."""
        if PROBLEM in node:
            self._report_problem(node)
        elif isinstance(node, nodes.reference):
            self._treat_link(node)
        elif isinstance(node, nodes.target) and isinstance(node.get("refuri"), str):
            self._set_target(node)
        elif isinstance(node, nodes.target):
            self.keep_identifiers(node)

    def _is_off(self, node: nodes.Element) -> bool:
        return not self.settings.recognize or is_off(node)

    def _treat_link(self, link: nodes.reference) -> None:
        written = link.attributes.pop(WRITTEN, None)
        names = link.attributes.pop(NAMES, None)
        if names is not None and (self._is_off(link) or _is_literal(link)):
            link.parent.replace(link, _as_docutils_has_it(link))
        elif "hdl" in link["classes"] and written is not None:
            self._treat_own_link(link, written, names or [])
        elif isinstance(link.get("refuri"), str) and not self._is_off(link):
            self._treat_authors_link(link)
        else:
            self._put_text_in(link)
        self.keep_identifiers(link)

    def _treat_own_link(
        self, link: nodes.reference, written: str, names: list[tuple[int, str]]
    ) -> None:
        """Complete a link that the inliner or a role made."""
        self.locate(link, written)
        known = [name for name in names if _is_target(name[1], self.document)]
        if _is_in_link(link):
            link.parent.replace(link, nodes.Text(link.astext()))
        elif known:
            for _, name in known:
                self.report(
                    "target",
                    f"{name}_ is a target of this document, and stays a link to it; "
                    f"for the handle write :hdl:`{written}`",
                    link,
                )
            self._restore_names(link, known)
        else:
            self.note_reference(written, link)

    def _restore_names(
        self, link: nodes.reference, names: list[tuple[int, str]]
    ) -> None:
        text = link.astext()
        parts: list[nodes.Node] = []
        end = 0
        for offset, name in names:
            reference = nodes.reference(
                f"{name}_", name, name=name, refname=nodes.fully_normalize_name(name)
            )
            self.document.note_refname(reference)
            parts += [nodes.Text(text[end:offset]), reference]
            end = offset + len(name) + 1
        link.parent.replace(link, [*parts, nodes.Text(text[end:])])

    def _treat_authors_link(self, link: nodes.reference) -> None:
        """Set the target of a link that an author or an extension made."""
        written = link["refuri"]
        leads_somewhere = written[:4].lower() == "http"
        try:
            reference = self.read(written)
        except HandleSyntaxError as error:
            # A URL in running text that is no reference is nobody's mistake.
            if not (leads_somewhere and link.astext() == written):
                self.locate(link, written)
                kept = link if leads_somewhere else unlink(link)
                kept[PROBLEM] = malformed("link", error)
                self._report_problem(kept)
                self.keep_identifiers(kept)
            return
        if reference is not None:
            self.locate(link, written)
            dress(link, reference, self.settings.proxies)
            self.note_reference(written, link)

    def _set_target(self, target: nodes.target) -> None:
        """Set an explicit target; one beside its link (```x <hdl:…>`_``) is the link's."""
        if self._is_off(target):
            return
        written = target["refuri"]
        is_block = not isinstance(target.parent, nodes.TextElement)
        try:
            reference = self.read(written)
        except HandleSyntaxError as error:
            if is_block:
                self.locate(target, written)
                target[PROBLEM] = malformed("link", error)
                self._report_problem(target)
            return
        if reference is not None:
            target["refuri"] = self.settings.proxies.link(reference)
            if is_block:
                self.locate(target, written)
                self.note_reference(written, target)

    def read(self, target: str) -> HandleReference | None:
        """The reference that a link's target is; `None` for any other target.

        Raises:
            HandleSyntaxError: when it is meant for one and is malformed.
        """
        return HandleReference.from_link(
            target,
            proxies=self.settings.proxies,
            document_charset=self.settings.charset,
        )

    def locate(self, node: nodes.Element, written: str) -> None:
        """Give a node the file and the line of the reference itself."""
        current: nodes.Element | None = node
        # Nodes of other extensions may hold anything there.
        while current and not (isinstance(current.line, int) and current.line):
            current = current.parent
        source = str((current or node).source or self.document.get("source", ""))
        line = current.line if current else None
        node.source, node.line = self.find_position(source, line or 0, written)

    def find_position(self, source: str, line: int, written: str) -> tuple[str, int]:
        """The file, by its full path, and the line of a reference; 0 if not known.

        Args:
            source: The file, as docutils or Sphinx names it.
            line: The line where its block begins; 0 if not known.
            written: The reference as written.
        """
        return self.lines.find(source, line, written)

    def note_reference(self, written: str, node: nodes.Element) -> None:
        """Record a reference, and report what is suspicious about it."""
        if self._is_unused(node.parent):
            return
        proxies = self.settings.proxies
        reference = reference_or_none(written, proxies)
        if reference is None:
            # In the charset of the document.
            reference = linked_reference(node["refuri"], proxies)
        if reference is None:
            return
        if isinstance(node, nodes.reference) and "support_smartquotes" not in node:
            # MyST made the link.
            dress(node, reference, proxies)
        self.note(written, reference, node)
        for kind, message in findings(written, reference):
            self.report(kind, message, node)

    def _report_problem(self, node: nodes.Element) -> None:
        kind, written, reason, message = node.attributes.pop(PROBLEM)
        if "refuri" not in node:
            self.locate(node, written)
        self.note_malformed(kind, written, reason, node)
        self.report(kind, message, node)

    def _put_text_in(self, link: nodes.reference) -> None:
        """Let ``|name|_`` show text alone: a link in a link loses the author's target."""
        for use in list(link.findall(nodes.substitution_reference)):
            definition = self._definition(use)
            if definition is not None and definition.next_node(nodes.reference):
                use.parent.replace(use, nodes.Text(definition.astext()))

    def _definition(
        self, use: nodes.substitution_reference
    ) -> nodes.substitution_definition | None:
        """The definition of a substitution; docutils tries the exact name first."""
        name: str = use["refname"]
        definitions = self.document.substitution_defs
        other = self.document.substitution_names.get(name.lower(), name)
        return definitions.get(name, definitions.get(other))

    def _is_unused(self, node: nodes.Node | None) -> bool:
        """Whether a node defines a substitution that the document does not use."""
        return isinstance(node, nodes.substitution_definition) and not any(
            self._definition(use) is node
            for use in self.document.findall(nodes.substitution_reference)
        )

    def keep_identifiers(self, link: nodes.Element) -> None:
        """Keep typography away from identifiers in the text of a link."""
        for holder in list(link.findall(nodes.TextElement)):
            text = holder.astext()
            if holder.get("support_smartquotes") is False or (
                may_hold_reference(text, proxies=self.settings.proxies)
                and not is_off(link)
            ):
                holder["support_smartquotes"] = False
                self._texts.append((holder, text))


#: Kinds of messages that are warnings in plain docutils; the others are information.
_WARNINGS = frozenset({"syntax", "link", "target", "markup"})


def unlink(link: nodes.Element) -> nodes.inline:
    """Leave the text of a link, and return it."""
    text = nodes.inline(link.rawsource, "", *link.children)
    text["classes"] = ["hdl", "hdl-malformed"]
    text.source, text.line = link.source, link.line
    link.replace_self(text)
    return text


def _as_docutils_has_it(link: nodes.reference) -> nodes.Node:
    """What docutils makes of a reference in text: a link, if it knows the scheme."""
    text = link.astext()
    if text.partition(":")[0].lower() in urischemes.schemes:
        return nodes.reference(link.rawsource, text, refuri=text)
    return nodes.Text(text)


def _is_target(name: str, document: nodes.document) -> bool:
    return nodes.fully_normalize_name(name) in document.nameids


def _is_literal(node: nodes.Node) -> bool:
    """Whether a node stands in a literal block, such as ``parsed-literal``."""
    parent = node.parent
    while isinstance(parent, nodes.TextElement):
        if isinstance(parent, nodes.FixedTextElement):
            return True
        parent = parent.parent
    return False


def _is_in_link(node: nodes.Node) -> bool:
    """Whether a link stands in the text of another, as a role may in MyST."""
    parent: nodes.Element | None = node.parent
    while parent is not None:
        # A pending reference is Sphinx's, and plain docutils has no such class.
        if isinstance(parent, nodes.reference) or parent.tagname == "pending_xref":
            return True
        if not isinstance(parent, nodes.Inline):
            return False
        parent = parent.parent
    return False


class RestoreText(Transform):
    """Undo what docutils' own smart quotes do to identifiers.

    Sphinx's smart quotes heed an attribute of the node. Docutils' do not, and other
    parsers bring those (nbsphinx is one).
    """

    # After docutils' smart quotes, at 855.
    default_priority = 860

    def apply(self, **_kwargs: Any) -> None:
        """Restore the texts of one document."""
        pending: Any = self.startnode
        for node, text in pending.details["texts"]:
            if node.astext() != text:
                node.clear()
                node.append(nodes.Text(text))


# Markup, escapes and encodings leave this much of a reference as it stands.
_PLAIN_START = re.compile(r"[A-Za-z0-9:/.+-]*")
_SHORTEST = 4


class SourceLines:
    """Finds the lines of references in source files.

    Docutils counts lines wrongly in some blocks, and knows only the first line of others.
    So a reference is looked up in its file, near the line that is known.
    """

    def __init__(self, encoding: str | None) -> None:
        self._encoding = encoding or "utf-8"
        self._files: dict[str, list[str]] = {}
        self._used: dict[tuple[str, int, str], int] = {}

    def find(
        self, source: str, line: int, written: str, lines: slice = slice(None)
    ) -> tuple[str, int]:
        """The file, by its full path, and the line of a reference.

        It is the line nearest to `line` that holds the reference; `line` if none does.
        Each occurrence is found once: references come in the order of the document. Of
        two lines as near the later one counts, for blocks begin before their references.

        Args:
            source: The file, as docutils or Sphinx names it.
            line: The line where its block begins; 0 if not known.
            written: The reference as written.
            lines: The lines that may hold it, counted from 0.
        """
        if not source or source.startswith("<"):
            return source, line
        # Docutils names an included file from the working folder, which the next build
        # may not have.
        path = os.path.abspath(source)  # noqa: PTH100 - a name need not be a path
        found = _PLAIN_START.match(written)
        needle = found[0] if found else ""
        if len(needle) < _SHORTEST:
            return path, line
        numbers = range(1, len(self.read(path)) + 1)[lines]
        nearest = line
        if line not in numbers or not self._is_free(path, line, needle):
            nearest = min(
                (number for number in numbers if self._is_free(path, number, needle)),
                key=lambda number: (abs(number - line), -number),
                default=line,
            )
        key = (path, nearest, needle)
        self._used[key] = self._used.get(key, 0) + 1
        return path, nearest

    def _is_free(self, path: str, number: int, needle: str) -> bool:
        """Whether a line holds a reference more often than it was found there."""
        used = self._used.get((path, number, needle), 0)
        return used < self.read(path)[number - 1].count(needle)

    def read(self, path: str) -> list[str]:
        """The lines of a file; none if it cannot be read."""
        if path not in self._files:
            try:
                text = Path(path).read_text(self._encoding, errors="replace")
            except (OSError, LookupError, ValueError):
                # No path, or no known encoding.
                text = ""
            self._files[path] = text.split("\n")
        return self._files[path]
