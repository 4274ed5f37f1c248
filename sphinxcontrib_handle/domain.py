"""Which document refers to which handle, and where.

The environment outlives a build, so it holds plain strings and numbers: pickles stay
readable, and no change of a class makes them stale.
"""

import os
from functools import lru_cache
from types import MappingProxyType
from typing import TYPE_CHECKING, Any, ClassVar, NamedTuple, cast

from docutils import nodes
from sphinx import addnodes
from sphinx.domains import Domain
from sphinx.util.nodes import make_refnode

from handle_system.describing.described_works import DescribedWorks
from handle_system.findings.finding import Finding, Place
from handle_system.found import Found
from handle_system.handle import Handle
from handle_system.reference import HandleReference
from handle_system.text_beside import TextBeside

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator, Mapping, Sequence
    from collections.abc import Set as AbstractSet

    from sphinx.builders import Builder
    from sphinx.environment import BuildEnvironment

    from handle_system.describing.page_citations import CitingPage
    from sphinxcontrib_handle.read_files import FactsOfFiles, ReadFiles


class RecordedPlace(NamedTuple):
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
        is_card: Whether a citation card holds it, which names the document's own work.
        number: Its number among the references of its document, from 1; 0 if nothing can
            lead to it.
        beside: The text beside it, as plain data (`TextBeside.to_plain`); empty if there
            is none that can be compared with the work.
    """

    document: str
    source: str
    line: int
    written: str
    handle: str
    anchor: str = ""
    is_card: bool = False
    number: int = 0
    beside: tuple[Any, ...] = ()

    @property
    def essence(self) -> tuple[object, ...]:
        """All of it but its position in its source."""
        return self._replace(line=0, anchor="")

    @property
    def key(self) -> str:
        """Equal for equal handles (`Handle.comparison_key`)."""
        return recorded_handle(self.handle).comparison_key

    @property
    def place(self) -> Place:
        """Where it is written, its file as Sphinx names it."""
        return Place(self.source, self.line, 0, self.written, self.document)

    @property
    def found(self) -> Found:
        """What was found, as far as it is recorded."""
        return Found(
            HandleReference(handle=recorded_handle(self.handle)),
            place=self.place,
            beside=TextBeside.from_plain(self.beside) if self.beside else None,
        )


# Several steps of a build ask for each; the bound is that of a large project.
@lru_cache(maxsize=200_000)
def recorded_handle(text: str) -> Handle:
    """The handle of a recorded place, from its spelling there (`RecordedPlace.handle`)."""
    return Handle.parse(text)


def recorded_place(
    found: Found, document: str, anchor: str = "", number: int = 0
) -> RecordedPlace:
    """The plain data of a reference that was found.

    Args:
        found: The reference, or the error of a malformed one.
        document: Name of the document that shows it.
        anchor: Where the document shows it.
        number: Its number among the references of the document.
    """
    reference = found.reference
    handle = ""
    if isinstance(reference, HandleReference):
        handle = str(reference.handle)
    return RecordedPlace(
        document=document,
        source=found.place.file,
        line=found.place.line,
        written=reference.source,
        handle=handle,
        anchor=anchor,
        number=number,
        beside=found.beside.to_plain() if found.beside else (),
    )


class CitedKey(NamedTuple):
    """A citation that sphinxcontrib-bibtex makes, where its author wrote it.

    Attributes:
        key: The key of the entry.
        source: The file that holds it, as Sphinx names it in warnings.
        line: Its line in `source`, from 1; 0 if not known.
        id: The id of its node; empty if it is a footnote's.
    """

    key: str
    source: str
    line: int
    id: str = ""


class IdentifiedEntry(NamedTuple):
    """An entry of sphinxcontrib-bibtex that identifies its work.

    Attributes:
        handle: The identifier of the work.
        document: The document that has the bibliography.
        id: The id of the entry there.
    """

    handle: Handle
    document: str
    id: str


_HANDLE, _IS_CARD, _BESIDE = map(
    RecordedPlace._fields.index, ("handle", "is_card", "beside")
)
# The entries of the domain's data that map names of documents.
_BY_DOCUMENT = (
    "places",
    "citations",
    "cited_keys",
    "findings",
    "cited",
    "lists",
    "reference_lists",
    "essences",
)


class HandleDomain(Domain):
    """The domain ``handle``: the references, cards and lists of each document.

    Every entry of ``data`` that other processes fill maps the name of a document to a list
    of tuples.
    """

    name = "handle"
    label = "Handle"
    data_version = 4
    initial_data: ClassVar[dict[str, Any]] = {
        # The fields of `RecordedPlace`.
        "places": {},
        # What `Finding.to_plain` gives.
        "findings": {},
        # The same as places for bibliographies, whose entries are known when all is read.
        "citations": {},
        # The fields of `CitedKey`.
        "cited_keys": {},
        # A citation, its anchor and location; whether the page is the version.
        "cited": {},
        # Nothing: the document has a list of identifiers.
        "lists": {},
        # The fields of `ListOptions` for each list of references.
        "reference_lists": {},
        # A digest of what lists and findings take from the document.
        "essences": {},
        # By the name of a builder: a digest, for each document, of all that it showed of
        # works and lists when that builder wrote last.
        "shown": {},
        # By the name of a builder: the fields of `LastBuild`.
        "last_builds": {},
        # By the page and the index of a list: the fields of `StoredOrder`.
        "orders": {},
        # The fields of `FactsOfFiles`; none if a file has to be read again.
        "files": (),
    }
    #: The files of references of this build, and what is known of them before any work is
    #: read. They are set where the build begins.
    files: "ReadFiles"
    facts: "FactsOfFiles"
    #: A digest of all on which lists, texts and findings of this build rest; empty if
    #: nothing describes works (`sphinxcontrib_handle.last_build.rests_on`).
    rests_on: str = ""
    #: The handles of which something is to be said, as documents spell them; `None` if
    #: that is not known, because something has changed since the last build.
    told: "frozenset[str] | None" = None
    #: The titles of links that this build has made, by the handles of the works to which the
    #: links lead. It is set where the files are read.
    titles: dict[Handle, str]
    #: The page of this build, which is made when somebody asks for it (`project_page`).
    page: "CitingPage | None" = None
    #: The entries that identify their works, by the keys that cite them. They are looked up
    #: when all documents are read.
    entries: "Mapping[str, Sequence[IdentifiedEntry]]" = MappingProxyType({})
    #: Those of retracted works, once somebody has asked for them.
    retracted: "Mapping[str, Sequence[IdentifiedEntry]] | None" = None
    #: The process that builds; `None` where a text is parsed without a build. With ``-j``,
    #: Sphinx reads documents in others.
    process: int | None = None
    #: The address of one document on the page of another.
    address: "Callable[[str, str], str]"
    #: Whether the output that is written, of which a build may have several, has a document.
    has_page: "Callable[[str], bool]"
    #: The builder of this build.
    builder: "Builder"

    @property
    def references(self) -> DescribedWorks:
        """The works that the files of references describe, which are read only now."""
        return self.files.works

    @property
    def has_lists(self) -> bool:
        """Whether a page has a list of references."""
        return bool(self.data["reference_lists"])

    @property
    def describes_works(self) -> bool:
        """Whether a file of references describes works, or a page lists some."""
        return self.has_lists or self.has_works

    @property
    def has_works(self) -> bool:
        """Whether a file of references describes works."""
        return self.facts.has_works

    @property
    def retracted_entries(self) -> "Mapping[str, Sequence[IdentifiedEntry]]":
        """The entries of retracted works, by the keys that cite them."""
        if self.retracted is None:
            self.retracted = self._retracted_entries() if self.has_works else {}
        return self.retracted

    def _retracted_entries(self) -> "dict[str, list[IdentifiedEntry]]":
        retracted: dict[str, list[IdentifiedEntry]] = {}
        for key, entries in self.entries.items():
            for entry in entries:
                work = self.references.get(entry.handle)
                if work is not None and work.retraction is not None:
                    retracted.setdefault(key, []).append(entry)
        return retracted

    def note(self, place: RecordedPlace, key: str = "places") -> None:
        """Record a place under a key of ``data``."""
        self.data[key].setdefault(place.document, []).append(tuple(place))

    def places(self) -> list[RecordedPlace]:
        """Every reference of every document, by document, line and text."""
        return sorted(place for place in self._recorded() if place.handle)

    def cited(self) -> dict[Handle, list[RecordedPlace]]:
        """The places of each cited handle of which something is to be said.

        The document's own work is not cited.
        """
        recorded = [
            RecordedPlace(*fields)
            for fields in self._fields()
            if fields[_HANDLE] and not fields[_IS_CARD] and self.tells(fields[_HANDLE])
        ]
        cited: dict[Handle, list[RecordedPlace]] = {}
        for place in sorted(recorded):
            cited.setdefault(recorded_handle(place.handle), []).append(place)
        return cited

    def tells(self, text: str) -> bool:
        """Whether something may have to be said of a handle that a document spells so."""
        return self.told is None or text in self.told

    @property
    def has_texts(self) -> bool:
        """Whether a text beside an identifier can be compared with its work."""
        return any(fields[_BESIDE] for fields in self._fields())

    def note_finding(self, document: str, finding: Finding) -> None:
        """Record a finding about a document, with the severity of its kind."""
        findings = self.data["findings"].setdefault(document, [])
        findings.append(finding.to_plain())

    def findings(self) -> list[Finding]:
        """The findings about all documents; what many pages share, once."""
        plain = [
            each
            for name in sorted(self.data["findings"])
            for each in self.data["findings"][name]
        ]
        return list(dict.fromkeys(map(Finding.from_plain, plain)))

    def _recorded(self) -> "Iterator[RecordedPlace]":
        return (RecordedPlace(*fields) for fields in self._fields())

    def _fields(self) -> "Iterator[tuple[Any, ...]]":
        for key in ("places", "citations"):
            for places in self.data[key].values():
                yield from places

    def clear_doc(self, docname: str) -> None:
        """Forget a document that is read again or gone."""
        for kind in _BY_DOCUMENT:
            self.data[kind].pop(docname, None)

    def process_doc(
        self,
        env: "BuildEnvironment",  # noqa: ARG002 - Sphinx calls with it
        docname: str,
        document: nodes.document,  # noqa: ARG002 - Sphinx calls with it
    ) -> None:
        """Forget what a process that reads for another one need not send back.

        It sends the whole environment, of which the other takes what was read. In a large
        project a page that is read again would come back with thousands of others.
        """
        if self.process in {None, os.getpid()}:
            return
        self.process = os.getpid()
        for kind, known in self.data.items():
            if isinstance(known, dict):
                own = {docname: known[docname]} if docname in known else {}
                self.data[kind] = own

    def merge_domaindata(
        self, docnames: "AbstractSet[str]", otherdata: dict[str, Any]
    ) -> None:
        """Take over what another process has read."""
        for kind in _BY_DOCUMENT:
            other = otherdata[kind]
            self.data[kind] |= {name: other[name] for name in docnames & other.keys()}

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
