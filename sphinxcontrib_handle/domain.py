"""Which document refers to which handle, and where.

The environment outlives a build, so what stands in it is plain strings and
numbers: pickles stay readable, and no change of a class makes them stale.
"""

from collections.abc import Iterator
from typing import TYPE_CHECKING, Any, ClassVar, Literal, NamedTuple, cast

from docutils import nodes
from sphinx.domains import Domain, ObjType
from sphinx.roles import XRefRole
from sphinx.util.nodes import make_refnode

if TYPE_CHECKING:
    from collections.abc import Set as AbstractSet

    from sphinx.addnodes import pending_xref
    from sphinx.application import Sphinx
    from sphinx.builders import Builder
    from sphinx.environment import BuildEnvironment

__all__ = [
    "PLACE_ROLE",
    "HandleDomain",
    "Malformed",
    "Place",
    "handle_domain",
    "setup_domain",
]

#: The kind of reference to a place, which lists make; no role of authors.
PLACE_ROLE = "place"

# The data that the reading of a document adds, by its name.
_BY_DOCUMENT = ("places", "malformed", "cited", "shared_problems")

Location = str | tuple[str, int | None]


class Place(NamedTuple):
    """One reference where its author wrote it.

    Attributes:
        document: Name of the document that shows it.
        source: The file that holds it, as Sphinx names it in warnings: a path, or
            ``path:docstring of module.name``.
        line: Line of the reference itself in `source`, from 1; 0 if not known.
        written: The reference as its author wrote it.
        handle: The handle, decoded, in its author's spelling.
        key: Equal for equal handles (`Handle.comparison_key`).
        anchor: Where the document shows it: the id of the section around it; empty
            for the document itself.
    """

    document: str
    source: str
    line: int
    written: str
    handle: str
    key: str
    anchor: str = ""

    @property
    def location(self) -> Location:
        """The place, for a message."""
        return _location(self.document, self.source, self.line)


class Malformed(NamedTuple):
    """A role's content or a link's target that was meant for a reference.

    Attributes:
        document: Name of the document that shows it.
        source: The file that holds it.
        line: Its line there, from 1; 0 if not known.
        written: What its author wrote.
        reason: What is wrong with it.
        kind: The kind of warning that it is told as.
    """

    document: str
    source: str
    line: int
    written: str
    reason: str
    kind: str

    @property
    def location(self) -> Location:
        """The place, for a message."""
        return _location(self.document, self.source, self.line)


class HandleDomain(Domain):
    """The domain ``handle``: places of references; works and versions as objects."""

    name = "handle"
    label = "Handle"
    object_types: ClassVar[dict[str, ObjType]] = {
        "work": ObjType("work", "work"),
        "version": ObjType("version", "version"),
    }
    roles: ClassVar[dict[str, Any]] = {
        "work": XRefRole(innernodeclass=nodes.inline, warn_dangling=True),
        "version": XRefRole(innernodeclass=nodes.inline, warn_dangling=True),
    }
    initial_data: ClassVar[dict[str, Any]] = {
        # document -> [(source, line, written, handle, key, anchor)]
        "places": {},
        # The same for bibliographies, whose entries are known when all is read.
        "citations": {},
        # document -> [(source, line, written, reason, kind)]
        "malformed": {},
        # The same for bibliographies.
        "malformed_citations": {},
        # document -> [(citation, anchor, source, line, whether the page is the version)]
        "cited": {},
        # document -> [(kind, message)], while documents are read
        "shared_problems": {},
        # (kind, name) -> (document, anchor, title)
        "objects": {},
        # Documents that hold a list, and a digest of all that lists show.
        "lists": [],
        "digest": "",
    }
    dangling_warnings: ClassVar[dict[str, str]] = {
        "work": "no work named %(target)s",
        "version": "no version named %(target)s",
    }

    def note_place(self, place: Place, *, is_citation: bool = False) -> None:
        """Record a reference of a document, or of a bibliography."""
        kind = "citations" if is_citation else "places"
        self.data[kind].setdefault(place.document, []).append(tuple(place[1:]))

    def note_malformed(
        self, malformed: Malformed, *, is_citation: bool = False
    ) -> None:
        """Record what was meant for a reference and is none."""
        kind = "malformed_citations" if is_citation else "malformed"
        self.data[kind].setdefault(malformed.document, []).append(tuple(malformed[1:]))

    def forget_citations(self) -> None:
        """Forget the references of bibliographies, which are all read again."""
        self.data["citations"] = {}
        self.data["malformed_citations"] = {}

    def note_list(self, docname: str) -> None:
        """Record that a document lists identifiers."""
        if docname not in self.data["lists"]:
            self.data["lists"].append(docname)

    def note_object(
        self,
        kind: Literal["work", "version"],
        name: str,
        title: str,
        docname: str,
        anchor: str,
    ) -> None:
        """Record a work or a version that this and other projects can refer to."""
        self.data["objects"][kind, name] = (docname, anchor, title)

    def places(self) -> list[Place]:
        """Every reference of every document, by document, line and text."""
        documents = {*self.data["places"], *self.data["citations"]}
        return sorted(
            place for document in documents for place in self.places_of(document)
        )

    def places_of(self, docname: str) -> list[Place]:
        """The references of one document, in the order in which it shows them."""
        return [
            Place(docname, *rest)
            for kind in ("places", "citations")
            for rest in self.data[kind].get(docname, [])
        ]

    def malformed(self) -> list[Malformed]:
        """All that was meant for a reference and is none."""
        return sorted(
            Malformed(document, *rest)
            for kind in ("malformed", "malformed_citations")
            for document, found in self.data[kind].items()
            for rest in found
        )

    def clear_doc(self, docname: str) -> None:
        """Forget a document that is read again or gone."""
        for kind in (*_BY_DOCUMENT, "citations", "malformed_citations"):
            self.data[kind].pop(docname, None)
        if docname in self.data["lists"]:
            self.data["lists"].remove(docname)
        objects = self.data["objects"]
        for key in [key for key, value in objects.items() if value[0] == docname]:
            del objects[key]

    def merge_domaindata(
        self, docnames: "AbstractSet[str]", otherdata: dict[str, Any]
    ) -> None:
        """Take over what another process has read."""
        for kind in _BY_DOCUMENT:
            for docname in docnames:
                if docname in otherdata[kind]:
                    self.data[kind][docname] = otherdata[kind][docname]
        for docname in otherdata["lists"]:
            if docname in docnames:
                self.note_list(docname)
        for key, value in otherdata["objects"].items():
            if value[0] in docnames:
                self.data["objects"][key] = value

    def get_objects(self) -> Iterator[tuple[str, str, str, str, str, int]]:
        """Works and versions, for ``objects.inv`` and the search."""
        for (kind, name), (docname, anchor, title) in sorted(
            self.data["objects"].items()
        ):
            yield name, title, kind, docname, anchor, 1

    def resolve_xref(  # noqa: PLR0913, PLR0917 - Sphinx calls with these
        self,
        env: "BuildEnvironment",  # noqa: ARG002 - Sphinx calls with it
        fromdocname: str,
        builder: "Builder",
        typ: str,
        target: str,
        node: "pending_xref",
        contnode: nodes.Element,
    ) -> nodes.reference | None:
        """The link to a work or a version of this project."""
        if typ == PLACE_ROLE:
            anchor = node["refanchor"]
            return make_refnode(builder, fromdocname, target, anchor, contnode)
        found = self.data["objects"].get((typ, target))
        if found is None:
            return None
        docname, anchor, title = found
        if not node["refexplicit"]:
            contnode = contnode.copy()
            contnode += nodes.Text(title)
        return make_refnode(builder, fromdocname, docname, anchor, contnode, title)

    def resolve_any_xref(
        self,
        env: "BuildEnvironment",
        fromdocname: str,
        builder: "Builder",
        target: str,
        node: "pending_xref",
        contnode: nodes.Element,
    ) -> list[tuple[str, nodes.reference]]:
        """The same for the role ``any``."""
        found = []
        for kind in ("work", "version"):
            link = self.resolve_xref(
                env, fromdocname, builder, kind, target, node, contnode
            )
            if link is not None:
                found.append((f"handle:{kind}", link))
        return found


def handle_domain(env: "BuildEnvironment") -> HandleDomain:
    """The domain of an environment."""
    return cast("HandleDomain", env.get_domain("handle"))


def setup_domain(app: "Sphinx") -> None:
    """Register the domain."""
    app.add_domain(HandleDomain)


def _location(document: str, source: str, line: int) -> Location:
    if source and line:
        return f"{source}:{line}"
    return (document, line or None)
