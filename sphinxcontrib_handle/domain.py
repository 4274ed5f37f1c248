"""Which document refers to which handle, and where; the directive ``handle-list``.

The environment outlives a build, so it holds plain strings and numbers: pickles stay
readable, and no change of a class makes them stale.

A list needs all documents, so the directive leaves a placeholder, and a post-transform
fills it when its page is written. A page with a list is read and written again whenever
a document has changed.
"""

from fnmatch import fnmatchcase
from itertools import chain
from typing import TYPE_CHECKING, Any, ClassVar, NamedTuple, cast

from docutils import nodes
from docutils.parsers.rst import directives
from sphinx import addnodes
from sphinx.domains import Domain
from sphinx.transforms.post_transforms import SphinxPostTransform
from sphinx.util.docutils import SphinxDirective
from sphinx.util.nodes import make_refnode

from handle_system.display import shown
from handle_system.handle import Handle
from handle_system.reference import HandleReference
from sphinxcontrib_handle.links import dress, proxies_of
from sphinxcontrib_handle.messages import _

if TYPE_CHECKING:
    from collections.abc import Set as AbstractSet

    from sphinx.application import Sphinx
    from sphinx.builders import Builder
    from sphinx.environment import BuildEnvironment

__all__ = [
    "FillLists",
    "HandleDomain",
    "HandleList",
    "HandleListNode",
    "Place",
    "handle_domain",
    "pages_with_lists",
]


class Place(NamedTuple):
    """A reference, or what was meant for one, where its author wrote it.

    Attributes:
        document: Name of the document that shows it.
        source: The file that holds it, as Sphinx names it in warnings: a path, or
            ``path:docstring of module.name``.
        line: Line of the reference itself in `source`, from 1; 0 if not known.
        written: The reference as its author wrote it.
        handle: The handle, decoded, in its author's spelling; empty if it is malformed.
        anchor: Where the document shows it: the id of the section around it; empty
            for the document itself.
        kind: The kind of the warning about what is malformed.
        reason: What is wrong with it.
    """

    document: str
    source: str
    line: int
    written: str
    handle: str
    anchor: str = ""
    kind: str = ""
    reason: str = ""

    @property
    def key(self) -> str:
        """Equal for equal handles (`Handle.comparison_key`)."""
        return Handle.parse(self.handle).comparison_key

    @property
    def location(self) -> str | tuple[str, int | None]:
        """The place, for a message."""
        if self.source and self.line:
            return f"{self.source}:{self.line}"
        return (self.document, self.line or None)


class HandleDomain(Domain):
    """The domain ``handle``: the references, cards and lists of each document.

    Every entry of ``data`` maps the name of a document to a list of tuples.
    """

    name = "handle"
    label = "Handle"
    initial_data: ClassVar[dict[str, Any]] = {
        # The fields of `Place`.
        "places": {},
        # The same for bibliographies, whose entries are known when all is read.
        "citations": {},
        # A citation, its anchor and location; whether the page is the version.
        "cited": {},
        # Nothing: the document has a list of identifiers.
        "lists": {},
    }

    def note(self, place: Place, key: str = "places") -> None:
        """Record a place under a key of ``data``."""
        self.data[key].setdefault(place.document, []).append(tuple(place))

    def places(self) -> list[Place]:
        """Every reference of every document, by document, line and text."""
        return [place for place in self._recorded() if place.handle]

    def malformed(self) -> list[Place]:
        """All that was meant for a reference and is none, in the same order."""
        return [place for place in self._recorded() if not place.handle]

    def _recorded(self) -> list[Place]:
        found = chain(self.data["places"].values(), self.data["citations"].values())
        return sorted(Place(*fields) for fields in chain.from_iterable(found))

    def clear_doc(self, docname: str) -> None:
        """Forget a document that is read again or gone."""
        for kind in self.initial_data:
            self.data[kind].pop(docname, None)

    def merge_domaindata(
        self, docnames: "AbstractSet[str]", otherdata: dict[str, Any]
    ) -> None:
        """Take over what another process has read."""
        for kind in self.initial_data:
            found = otherdata[kind]
            self.data[kind] |= {name: found[name] for name in docnames & found.keys()}

    def resolve_xref(  # noqa: PLR0913, PLR0917 - Sphinx calls with these
        self,
        env: "BuildEnvironment",  # noqa: ARG002 - Sphinx calls with it
        fromdocname: str,
        builder: "Builder",
        typ: str,  # noqa: ARG002 - Sphinx calls with it
        target: str,
        node: addnodes.pending_xref,
        contnode: nodes.Element,
    ) -> nodes.reference:
        """The link from a list back to a document."""
        return make_refnode(builder, fromdocname, target, node["refanchor"], contnode)

    def resolve_any_xref(self, *_args: object) -> list[tuple[str, nodes.reference]]:
        """Nothing: the role ``any`` names no handle.

        Without this method MyST-Parser warns at every such link of a page.
        """
        return []


def handle_domain(env: "BuildEnvironment") -> HandleDomain:
    """The domain of an environment."""
    return cast("HandleDomain", env.get_domain("handle"))


class HandleListNode(nodes.General, nodes.Element):
    """The place of a list, until all documents are read.

    Its attribute ``documents`` are patterns of the documents that count, and
    ``kind`` is ``"doi"``, ``"hdl"`` or ``"all"``.
    """


class HandleList(SphinxDirective):
    """List the identifiers that the documents refer to, and where.

    ::

        .. handle-list::
           :kind: doi
           :documents: guide/*
                       reference

    ``kind`` is ``doi``, ``hdl`` (all others) or ``all``; ``documents`` are patterns
    of document names, one a line. Without them everything is listed.
    """

    has_content = False
    option_spec: ClassVar[dict[str, Any]] = {
        "kind": lambda text: directives.choice(text, ("all", "doi", "hdl")),
        "documents": lambda text: (text or "").split(),
    }

    def run(self) -> list[nodes.Node]:
        """Leave a placeholder."""
        handle_domain(self.env).data["lists"][self.env.docname] = []
        documents = self.options.get("documents", ["*"])
        kind = self.options.get("kind", "all")
        return [HandleListNode(documents=documents, kind=kind)]


class FillLists(SphinxPostTransform):
    """Put the list in the place of its placeholder."""

    # Before references are resolved, at 10: the links back are such.
    default_priority = 8

    def run(self, **_kwargs: Any) -> None:
        """Work on one document as it is about to be written."""
        for placeholder in list(self.document.findall(HandleListNode)):
            placeholder.replace_self(self._list(placeholder))

    def _list(self, placeholder: HandleListNode) -> nodes.container:
        documents, kind = placeholder["documents"], placeholder["kind"]
        groups: dict[str, dict[str, list[Place]]] = {"doi": {}, "hdl": {}}
        for place in sorted(
            handle_domain(self.env).places(), key=lambda each: each.key
        ):
            if any(fnmatchcase(place.document, pattern) for pattern in documents):
                group = "doi" if Handle.parse(place.handle).is_doi else "hdl"
                groups[group].setdefault(place.key, []).append(place)
        kinds = [each for each in groups if groups[each] and kind in {each, "all"}]
        titles = {
            "doi": _("Digital object identifiers (DOI)"),
            "hdl": _("Handles"),
        }
        result = nodes.container(classes=["hdl-list"])
        if not kinds:
            result += nodes.paragraph("", _("No identifiers."))
        for group in kinds:
            if len(kinds) > 1:
                result += nodes.rubric("", titles[group])
            entries = map(self._entry, groups[group].values())
            result += nodes.bullet_list("", *entries, bullet="*")
        return result

    def _entry(self, places: list[Place]) -> nodes.list_item:
        reference = HandleReference(handle=Handle.parse(places[0].handle))
        where = proxies_of(self.config)
        link = nodes.reference("", shown(reference, where), internal=False)
        dress(link, reference, where)
        line = nodes.paragraph("", "", link)
        separator = ": "
        for document, anchor in dict.fromkeys((p.document, p.anchor) for p in places):
            line += nodes.Text(separator)
            line += addnodes.pending_xref(
                "",
                nodes.inline("", self.env.titles[document].astext()),
                refdomain="handle",
                reftype="place",
                reftarget=document,
                refanchor=anchor,
                refdoc=self.env.docname,
            )
            separator = ", "
        return nodes.list_item("", line)


def pages_with_lists(
    _app: "Sphinx",
    env: "BuildEnvironment",
    added: set[str],
    changed: set[str],
    removed: set[str],
) -> list[str]:
    """The pages with lists, if any document has changed."""
    return list(handle_domain(env).data["lists"]) if added | changed | removed else []
