"""What the page shows of works, as nodes: the one writer of `Parts` for Sphinx's builders."""

from collections.abc import Sequence
from typing import TYPE_CHECKING

from docutils import nodes

from handle_system.describing.parts import Parts, Shown, Target, text_of
from handle_system.presenting import address_segments
from sphinxcontrib_handle.citation_nodes import HtmlLink
from sphinxcontrib_handle.domain import HandleDomain, handle_domain

if TYPE_CHECKING:
    from sphinx.environment import BuildEnvironment

_TAG_NODES: dict[str, type[nodes.TextElement]] = {
    "b": nodes.strong,
    "i": nodes.emphasis,
    "p": nodes.paragraph,
    "span": nodes.inline,
    "strong": nodes.strong,
    "sub": nodes.subscript,
    "sup": nodes.superscript,
    "time": nodes.inline,
}
# The attributes that nodes of docutils have, too.
_OF_NODES = frozenset({"class", "href"})
_STAY_WITH_NEXT = "\\nopagebreak"


class PartsWriter:
    """Writes parts for the builder of a build.

    Attributes:
        ids: The ids that links have got. Only the first of links that are repeated has one.
    """

    def __init__(self, env: "BuildEnvironment") -> None:
        """Begin with a document."""
        domain = handle_domain(env)
        self.ids: set[str] = set()
        self._domain = domain
        self._format = domain.builder.format
        self._builder_name = domain.builder.name
        self._is_html = domain.builder.format == "html"

    def nodes_of(
        self, parts: Parts, document: str, links: Sequence[nodes.reference] = ()
    ) -> list[nodes.Node]:
        """The nodes of parts.

        Args:
            parts: What is shown.
            document: The document that shows it.
            links: The links about which the page was asked.
        """
        made: list[nodes.Node] = []
        for part in parts:
            if isinstance(part, str):
                made.append(nodes.Text(part))
            elif part.link is not None:
                made.append(self._completed(links[part.link], part, document))
            elif part.tag == "a":
                made += self._new_link(part, document)
            else:
                made += self._element(part, document, links)
        return made

    def _completed(
        self, link: nodes.reference, shown: Shown, document: str
    ) -> nodes.TextElement:
        """A link of the document with what the page adds to it, or what stands for it."""
        name = shown.attributes.get("id", "")
        if name and name not in self.ids:
            self.ids.add(name)
            link["ids"].append(name)
        link["classes"] += shown.attributes.get("class", "").split()
        if shown.parts is None:
            return link
        text = text_of(shown.parts)
        if shown.target is None or not self._shows(shown.target):
            link.clear()
            link += nodes.Text(text)
            return link
        if self._builder_name == "man":
            # A manual page would print the id.
            return nodes.inline(link.rawsource, text, classes=link["classes"])
        made = self._link_to(shown, shown.target, document)
        made.rawsource = link.rawsource
        made["ids"] = link["ids"]
        made["classes"] = link["classes"]
        if "reftitle" in link:
            made["reftitle"] = link["reftitle"]
        return made

    def _shows(self, target: Target) -> bool:
        """Whether the output of this build has a target."""
        # The builder `linkcheck` checks the works, and shows no list.
        is_linkcheck = self._builder_name == "linkcheck"
        return not is_linkcheck and self._domain.has_page(target.document)

    def _new_link(self, shown: Shown, document: str) -> list[nodes.Node]:
        if shown.target is not None:
            if self._builder_name == "man":
                # A manual page would print the id.
                return [nodes.Text(text_of(shown.parts or ()))]
            return [self._link_to(shown, shown.target, document)]
        address = shown.attributes["href"]
        parts = shown.parts or ()
        if parts == (address,):
            content = self._address(address)
        elif self._is_html:
            content = self.nodes_of(parts, document)
        else:
            # On paper a bare word leads nowhere.
            return [nodes.Text(text_of(parts))]
        link = self._link(shown, internal=False, refuri=address)
        link += content
        return [link]

    def _link_to(self, shown: Shown, target: Target, document: str) -> nodes.reference:
        """A link to an id within the project."""
        where = link_within_project(self._domain, document, target.document, target.id)
        link = self._link(shown, internal=True, **where)
        link += nodes.Text(text_of(shown.parts or ()))
        return link

    def _link(self, shown: Shown, **attributes: object) -> nodes.reference:
        """A link without content."""
        classes = shown.attributes.get("class", "").split()
        own = {
            name: value
            for name, value in shown.attributes.items()
            if name not in _OF_NODES and name != "id"
        }
        if self._is_html and own:
            return HtmlLink("", "", classes=classes, html=own, **attributes)
        return nodes.reference("", "", classes=classes, **attributes)

    def _element(
        self, shown: Shown, document: str, links: Sequence[nodes.reference]
    ) -> list[nodes.Node]:
        classes = shown.attributes.get("class", "").split()
        parts = shown.parts or ()
        is_update = "hdl-update" in classes
        if is_update and not self._is_html:
            parts = _with_address(parts)
        content = self.nodes_of(parts, document, links)
        made = _TAG_NODES[shown.tag]("", "", *content, classes=classes)
        if is_update and self._format == "latex":
            return [nodes.raw("", _STAY_WITH_NEXT, format="latex"), made]
        return [made]

    def _address(self, url: str) -> list[nodes.Node]:
        """An address, which breaks after slashes only."""
        if self._format != "latex":
            return [nodes.Text(url)]
        first, *others = address_segments(url)
        made: list[nodes.Node] = [nodes.Text(first)]
        for segment in others:
            made.append(nodes.raw("", "\\allowbreak{}", format="latex"))
            made.append(nodes.Text(segment))
        return made


def _with_address(parts: Parts) -> Parts:
    """What became of a work, with the address of who says it in place of a word."""
    last = parts[-1]
    if not isinstance(last, Shown) or last.tag != "a":
        return parts
    address = last.attributes["href"]
    attributes = {"class": last.attributes["class"], "href": address}
    return (*parts[:-2], ": ", Shown((address,), attributes, "a"))


def link_within_project(
    domain: HandleDomain, document: str, target_document: str, target_id: str
) -> dict[str, str]:
    """The attributes of a link from a document to an id in another, or to that one.

    The result has ``refid`` or ``refuri``.
    """
    # All documents of ``singlehtml`` are one page, where ids of ours differ.
    if domain.builder.name == "singlehtml" and target_id:
        document = target_document
    if target_id and document == target_document:
        return {"refid": target_id}
    address = domain.address(document, target_document)
    return {"refuri": f"{address}#{target_id}" if target_id else address}
