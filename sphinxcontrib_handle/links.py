"""Links to handles in a doctree, and the transform that completes them.

References in text and roles make links while a document is parsed. `LinkTargets` sets the
targets of links that authors or extensions made (```x <hdl:20.1000/1>`_``,
``.. _x: hdl:20.1000/1``, the option ``:target:`` of an image), and reports what is wrong
with references. Plain docutils uses it as it is; `sphinxcontrib_handle.collect` extends
it for Sphinx. Until it has run, attributes of ours travel with nodes. They hold plain
data, and the transform takes them off.
"""

import re
import sys
from dataclasses import dataclass, field, replace
from functools import cached_property
from pathlib import Path
from typing import Any, NamedTuple
from weakref import WeakKeyDictionary

from docutils import nodes
from docutils.parsers.rst.states import Inliner
from docutils.transforms import Transform
from docutils.transforms.universal import SmartQuotes
from docutils.utils import escape2null, unescape, urischemes

from handle_system.diagnostics import findings_about
from handle_system.errors import HandleSyntaxError, TargetNameError
from handle_system.findings.codes import FrontEnd, Severity
from handle_system.findings.finding import Finding, Place
from handle_system.forms import ReferenceForm
from handle_system.found import Found, Markup, parse_target
from handle_system.presenting import (
    MALFORMED_CLASSES,
    Presented,
    Presenter,
)
from handle_system.proxies import Proxies
from handle_system.reference import HandleReference
from handle_system.scanning import may_hold_reference
from handle_system.settings import ROWS, Settings
from sphinxcontrib_handle.lines import SourceLines

#: A reference at its place, a `Found`.
FOUND = "handle-found"
#: The words before and behind a link that cites its work instead of having a text of its
#: own, in Sphinx.
CITATION = "handle-citation"
#: Whether brackets stand around the links of a role with several, in Sphinx.
CLUSTER = "handle-cluster"
#: The attribute of a cluster whose author asks for names, also where works have numbers.
NAMED = "handle-named"
#: The number of a link among the references of its document, in Sphinx.
PLACE_NUMBER = "handle-place"
#: Whether a document shows marks or citations in brackets: an attribute of its node.
HAS_CITATIONS = "handle-has-citations"
#: Whether a document has links to handles, while Sphinx writes it: an attribute of its node.
HAS_LINKS = "handle-has-links"
#: The class of links and blocks that stay as they are.
NO_HANDLE = "no-handle"

#: The levels of docutils.
_LEVELS = {Severity.ERROR: 3, Severity.WARNING: 2, Severity.NOTE: 1, Severity.OFF: 0}
# A name that docutils takes for a link to a target, with what may stand around it. Behind
# a letter, a hyphen or a colon is a part of the name.
_NAME = re.compile(
    rf"(?<=[-/:'\"(\[{{<])(?<!\w[-:])({Inliner.simplename})_"
    r"(?=[-/:.,;!?'\")\]}>]|\Z)"
)


def target_name_in(
    link: nodes.Element, found: Found, document: nodes.document
) -> re.Match[str] | None:
    """The first name in a reference in running text that is a target of the document.

    Args:
        link: The node of the reference.
        found: The reference.
        document: The document, parsed to its end.
    """
    # Docutils reads no names in the text of emphasis.
    if found.markup is not Markup.TEXT or isinstance(link.parent, nodes.Inline):
        return None
    if "_" not in link.rawsource:
        return None
    for name in _NAME.finditer(link.rawsource):
        if nodes.fully_normalize_name(name[1]) in document.nameids:
            return name
    return None


def target_name_error(name: re.Match[str], found: Found) -> TargetNameError:
    """The error of a reference that holds the name of a target."""
    source = found.reference.source
    reason = f"{name[0]} is a target of this document, and stays a link to it"
    return TargetNameError(source, (0, len(source)), reason)


@dataclass(frozen=True)
class ReferenceSettings:
    """How the references of a document are read and shown.

    Attributes:
        values: The settings.
        charset: Charset of percent-encoded octets that are not UTF-8.
        describes_works: Whether a post-transform cites works by names, years or numbers.
    """

    values: Settings = field(default_factory=Settings)
    charset: str | None = None
    describes_works: bool = False

    @cached_property
    def for_markdown(self) -> Settings:
        """The settings of the Markdown plugin: MyST reads roles, and transforms show."""
        return replace(self.values, roles=False, display="uri")

    @cached_property
    def presenter(self) -> Presenter:
        """Presents references while a document is parsed, without any works."""
        values = self.values
        return Presenter(proxies=values.link_proxies, display=values.display)


def reference_settings(settings: Any) -> ReferenceSettings | None:
    """The settings for a document with these docutils settings, if it has any.

    A parser sets them as ``handle_references``. In Sphinx they come from the
    configuration of the application, if that has loaded the extension.
    """
    own = getattr(settings, "handle_references", None)
    if isinstance(own, ReferenceSettings):
        return own
    config = _sphinx_config(settings)
    if config is None:
        return None
    return _settings_of_references(config)


def _sphinx_config(settings: Any) -> Any:
    """Sphinx's configuration, if its application has loaded the extension.

    Other programs may give docutils' settings an ``env`` of their own.
    """
    sphinx_config = sys.modules.get("sphinx.config")
    config: Any = getattr(getattr(settings, "env", None), "config", None)
    if sphinx_config is None or not isinstance(config, sphinx_config.Config):
        return None
    return config if "handle_recognize" in config else None


# The settings of each project that is built.
_SETTINGS: WeakKeyDictionary[Any, ReferenceSettings] = WeakKeyDictionary()


def proxies_of(config: Any) -> Proxies:
    """The proxies that the options of a Sphinx project name."""
    return settings_of(config).link_proxies


def settings_of(config: Any) -> Settings:
    """The settings of a Sphinx project, as its options have them when it is read."""
    return _settings_of_references(config).values


def _settings_of_references(config: Any) -> ReferenceSettings:
    settings = _SETTINGS.get(config)
    if settings is None:
        values = {
            name: config[f"handle_{name}"]
            for name, row in ROWS.items()
            if row.is_for(FrontEnd.SPHINX)
        }
        settings = ReferenceSettings(
            Settings(**values), config.source_encoding, describes_works=True
        )
        _SETTINGS[config] = settings
    return settings


def linked_reference(target: str, proxies: Proxies) -> HandleReference | None:
    """The reference that a link's target is; `None` for any other, malformed or not.

    A bare DOI may be the name of a document, or of a file.
    """
    reference = parse_target(target, proxies)
    if not isinstance(reference, HandleReference):
        return None
    return None if reference.form is ReferenceForm.BARE else reference


def text_node(
    found: Found, settings: ReferenceSettings, *, text: str, rawsource: str
) -> nodes.TextElement:
    """The node of a reference in running text: a link, or text if it is malformed.

    `LinkTargets` completes the link. A malformed URL stays the link to it that docutils
    makes.

    Args:
        found: The reference.
        settings: Where links go.
        text: The text that is shown.
        rawsource: The markup of the reference.
    """
    if isinstance(found.reference, HandleReference):
        link = nodes.reference(rawsource, text, internal=False)
        set_presented(link, settings.presenter.present(found.reference, text))
        return link
    if text[:4].lower() == "http":
        return nodes.reference(rawsource, text, refuri=text)
    return nodes.inline(rawsource, text)


def present_link(
    node: nodes.reference, reference: HandleReference, presenter: Presenter
) -> None:
    """Give a link its target, its classes, and a title if its text needs one."""
    title = node.get("reftitle", "")
    set_presented(node, presenter.present(reference, node.astext(), title=title))


def set_presented(node: nodes.reference, presented: Presented) -> None:
    """Make a node the link that the core has decided on."""
    node["refuri"] = presented.href
    node["classes"] = list(dict.fromkeys((*node["classes"], *presented.classes)))
    if presented.is_literal:
        node["support_smartquotes"] = False
    if presented.title:
        node["reftitle"] = presented.title


def folder_of(document: nodes.document) -> Path | None:
    """The folder of the file of a document."""
    source = document.get("source")
    return Path(source).parent if source else None


def inline_nodes(document: nodes.document) -> list[Any]:
    """The nodes that stand in text, in their order: links, and what was meant for them."""
    return elements_within(document, nodes.Inline)


def elements_within(root: nodes.Element, element_class: type) -> list[Any]:
    """The elements of a class among an element and all that it holds, in their order.

    It is a list, for some are replaced. Docutils' `findall` makes a generator of every
    node, and takes twice as long; every page is searched, and each link.
    """
    found: list[Any] = []
    waiting: list[nodes.Node] = [root]
    while waiting:
        node = waiting.pop()
        if isinstance(node, element_class):
            found.append(node)
        for child in reversed(node.children):
            # Most nodes are texts, which hold nothing.
            if not isinstance(child, nodes.Text):
                waiting.append(child)  # noqa: PERF401 - a generator is slower
    return found


def texts_within(root: nodes.Node) -> list[nodes.Text]:
    """The texts that a node is or holds, in their order; a list, too."""
    texts: list[nodes.Text] = []
    waiting: list[nodes.Node] = [root]
    while waiting:
        node = waiting.pop()
        if isinstance(node, nodes.Text):
            texts.append(node)
        else:
            waiting += node.children[::-1]
    return texts


def upwards(node: nodes.Node | None) -> list[nodes.Element]:
    """A node, the node that holds it, and so on up to the document."""
    ancestors = []
    current: Any = node
    while current is not None:
        ancestors.append(current)
        current = current.parent
    return ancestors


def is_off(node: nodes.Node) -> bool:
    """Whether the node or one that holds it has the class ``no-handle``."""
    return any(NO_HANDLE in holder.get("classes", ()) for holder in upwards(node))


class _Surroundings(NamedTuple):
    """What the nodes that hold a node say of it.

    Attributes:
        are_off: Whether it or one of them has the class ``no-handle``.
        are_literal: Whether one is a literal block, such as ``parsed-literal``.
        are_link: Whether one is a link: in MyST, a role may stand in the text of one.
    """

    are_off: bool
    are_literal: bool
    are_link: bool


def _surroundings(node: nodes.Element) -> _Surroundings:
    are_off = NO_HANDLE in node["classes"]
    are_literal = False
    are_link = False
    for holder in upwards(node.parent):
        if NO_HANDLE in holder.attributes.get("classes", ()):
            are_off = True
        if isinstance(holder, nodes.FixedTextElement):
            are_literal = True
        elif isinstance(holder, nodes.reference) or holder.tagname == "pending_xref":
            are_link = True
    return _Surroundings(are_off, are_literal, are_link)


def unlink(link: nodes.Element) -> nodes.inline:
    """Leave the text of a link, and return it."""
    classes = list(MALFORMED_CLASSES)
    text = nodes.inline(link.rawsource, "", *link.children, classes=classes)
    text.source = link.source
    text.line = link.line
    link.replace_self(text)
    return text


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
        self._has_smart_quotes = any(
            _changes_kept_text(transform)
            for _priority, transform, *_ in self.document.transformer.transforms
        )
        for node in inline_nodes(self.document):
            self.treat(node)
        if self._texts:
            pending = nodes.pending(RestoreText, {"texts": self._texts})
            self.document.note_pending(pending, RestoreText.default_priority)

    def note(self, node: nodes.Element, found: Found) -> None:
        """Record what was found, and report what is wrong or suspicious about it."""
        found = self.located(node, found)
        node.source = found.place.file
        node.line = found.place.line
        self.record(node, found)
        for finding in findings_about(found, self.settings.values.suffixes):
            self.report(finding, node)

    def record(self, node: nodes.Element, found: Found) -> None:
        """Record what was found; plain docutils has nowhere to."""

    def report(self, finding: Finding, node: nodes.Element) -> None:
        """Report a finding about a node."""
        level = _LEVELS[finding.severity]
        text = "\n".join(finding.lines())
        self.document.reporter.system_message(
            level, text, source=node.source or "", line=node.line
        )

    def find_position(
        self, source: str, line: int, written: str, *, is_exact: bool
    ) -> tuple[str, int]:
        """The file and the line of a reference; 0 if not known.

        Args:
            source: The file, as docutils or Sphinx names it.
            line: The line where its block begins; 0 if not known.
            written: The reference as written.
            is_exact: Whether a parser knew the line of the reference itself.
        """
        _path, line = self.lines.find(source, line, written, is_exact=is_exact)
        return source, line

    def treat(self, node: nodes.Element) -> None:
        """Treat one node, if it is a link or was meant for one."""
        found: Found | None = node.attributes.pop(FOUND, None)
        if isinstance(node, nodes.reference):
            self._treat_link(node, found)
        elif found is not None:
            around = _surroundings(node)
            is_no_reference = around.are_off or around.are_literal
            if not (found.markup.is_text and is_no_reference):
                self.note(node, found)
        # A pending reference is Sphinx's, and plain docutils has no such class.
        elif isinstance(node, nodes.target) or node.tagname == "pending_xref":
            if isinstance(node.get("refuri"), str) and self._recognizes(node):
                self._set_target(node)
            self.keep_identifiers(node)
        elif isinstance(node, nodes.inline) and NO_HANDLE in node["classes"]:
            self.keep_identifiers(node)

    def _treat_link(self, link: nodes.reference, found: Found | None) -> None:
        is_from_text = found is not None and found.markup.is_text
        around = _surroundings(link)
        is_recognized = self.settings.values.recognize and not around.are_off
        if is_from_text and (not is_recognized or around.are_literal):
            link.parent.replace(link, _as_docutils_has_it(link))
        elif found is not None and "hdl" in link["classes"]:
            self._treat_own_link(link, found, is_in_link=around.are_link)
        elif not isinstance(link.get("refuri"), str):
            # Docutils resolves it later: its target is a name.
            self._put_text_in(link)
        elif is_recognized:
            self._set_target(link, found)
        self.keep_identifiers(link)

    def _recognizes(self, node: nodes.Element) -> bool:
        """Whether references in text and in links of authors count at a node."""
        return self.settings.values.recognize and not is_off(node)

    def _treat_own_link(
        self, link: nodes.reference, found: Found, *, is_in_link: bool
    ) -> None:
        """Complete a link that the inliner, a role or the Markdown plugin made."""
        name = target_name_in(link, found, self.document)
        if is_in_link:
            link.parent.replace(link, nodes.Text(link.astext()))
        elif name is not None:
            self._restore_name(link, name, found)
        elif not self._is_unused(link.parent):
            is_presented = "support_smartquotes" in link or "reftitle" in link
            if not is_presented and isinstance(found.reference, HandleReference):
                # A link that the Markdown plugin made has a text by now.
                present_link(link, found.reference, self.settings.presenter)
            self.note(link, found)

    def _restore_name(
        self, link: nodes.reference, name: re.Match[str], found: Found
    ) -> None:
        """Leave a reference to docutils in which a name is a target."""
        place = self.located(link, found).place
        link.source = place.file
        link.line = place.line
        error = target_name_error(name, found)
        for finding in findings_about(found._replace(reference=error, place=place)):
            self.report(finding, link)
        refname = nodes.fully_normalize_name(name[1])
        reference = nodes.reference(name[0], name[1], name=name[1], refname=refname)
        self.document.note_refname(reference)
        before, behind = name.string[: name.start()], name.string[name.end() :]
        link.parent.replace(link, [_text(before), reference, _text(behind)])

    def _set_target(self, node: nodes.Element, found: Found | None = None) -> None:
        """Set the target of a link that an author or an extension made.

        Args:
            node: A link, or the target of links.
            found: The reference, if a parser has found it already.
        """
        written = node["refuri"]
        settings = self.settings
        if found is None:
            read = parse_target(
                written,
                settings.values.link_proxies,
                settings.charset,
                folder_of(self.document),
            )
            if read is None:
                return
            found = Found(read, written=written, markup=Markup.LINK)
        reference = found.reference
        # In ```x <hdl:…>`_``, docutils makes a link and a target beside it. The link
        # is noted.
        is_beside_link = isinstance(node, nodes.target) and isinstance(
            node.parent, nodes.TextElement
        )
        if isinstance(reference, HandleSyntaxError):
            if not is_beside_link:
                self._note_malformed_target(node, found)
            return
        node["refuri"] = settings.values.link_proxies.link(reference)
        if is_beside_link or self._is_unused(node.parent):
            return
        if isinstance(node, nodes.reference):
            present_link(node, reference, settings.presenter)
        self.note(node, found)

    def _note_malformed_target(self, node: nodes.Element, found: Found) -> None:
        """Note a malformed target; it stays a link only if it is a URL."""
        written = node["refuri"]
        is_url = written[:4].lower() == "http"
        # A URL as text that is no reference is nobody's mistake.
        is_bare_url = is_url and node.astext() == written
        if is_bare_url and not found.markup.is_text:
            return
        if isinstance(node, nodes.reference) and not is_url:
            node = unlink(node)
            self.keep_identifiers(node)
        self.note(node, found)

    def located(self, node: nodes.Element, found: Found) -> Found:
        """A reference at its place, as far as that is known."""
        is_exact = found.place.line > 0
        place = found.place if is_exact else self.place_around(node)
        written = found.reference.source
        if not written.endswith(found.written):
            # A file holds it with its escapes.
            written = found.written
        position = self.find_position(
            place.file, place.line, written, is_exact=is_exact
        )
        if position == (found.place.file, found.place.line):
            return found
        return found._replace(place=Place(*position))

    def place_around(self, node: nodes.Element) -> Place:
        """The place of the nearest node that has one, from a node upwards.

        The link of a picture has none, and the picture has.
        """
        nearest = node
        for other in (*node.findall(nodes.image), *upwards(node)):
            # Nodes of other extensions may hold anything there.
            if isinstance(other.line, int) and other.line:
                nearest = other
                break
        source = nearest.source or self.document.get("source", "")
        line = nearest.line if isinstance(nearest.line, int) else 0
        return Place(str(source), line)

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
        other = self.document.substitution_names.get(name.lower(), "")
        return definitions.get(name, definitions.get(other))

    def _is_unused(self, node: nodes.Node | None) -> bool:
        """Whether a node defines a substitution that the document does not use."""
        return (
            isinstance(node, nodes.substitution_definition)
            and id(node) not in self._used_definitions
        )

    @cached_property
    def _used_definitions(self) -> set[int]:
        """The ids of the definitions of substitutions that the document uses."""
        uses = self.document.findall(nodes.substitution_reference)
        return {id(self._definition(use)) for use in uses}

    def keep_identifiers(self, link: nodes.Element) -> None:
        """Keep typography away from identifiers in the text of a link."""
        for holder in elements_within(link, nodes.TextElement):
            is_kept = holder.get("support_smartquotes") is False
            if not is_kept and self._may_show_reference(holder) and not is_off(link):
                holder["support_smartquotes"] = False
                is_kept = True
            if is_kept and self._has_smart_quotes:
                self._texts.append((holder, holder.astext()))

    def _may_show_reference(self, holder: nodes.Element) -> bool:
        return may_hold_reference(
            holder.astext(), proxies=self.settings.values.link_proxies
        )


def _changes_kept_text(transform: type[Transform]) -> bool:
    """Whether a transform makes smart quotes of docutils in text that is to be kept."""
    if not issubclass(transform, SmartQuotes):
        return False
    # Those of Sphinx leave such text alone.
    return not transform.__module__.startswith("sphinx.")


def _text(raw: str) -> nodes.Text:
    return nodes.Text(unescape(escape2null(raw)))


def _as_docutils_has_it(link: nodes.reference) -> nodes.Node:
    """The node that docutils alone makes: a link, if it knows the scheme."""
    text = link.astext()
    if text.partition(":")[0].lower() in urischemes.schemes:
        return nodes.reference(link.rawsource, text, refuri=text)
    return nodes.Text(text)


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
