"""The page of the core for all documents of a project (`CitingPage`).

Documents are read in any order, some of them not at all, and each link has kept its number
since. When all are read, the page is made of what the domain has recorded, once somebody
asks for it: a build in which nothing has changed makes none.
"""

from collections.abc import Callable, Iterator, Mapping, Sequence
from functools import partial
from pathlib import Path
from typing import TYPE_CHECKING, NamedTuple

from handle_system.collector import collector_at_rest
from handle_system.describing.list_options import ListOptions
from handle_system.describing.lists import ListOrder, Mention, MentionsByKey
from handle_system.describing.page_citations import CitingPage
from handle_system.describing.page_settings import PageSettings
from handle_system.describing.work_findings import CitedWorks, update_command
from handle_system.findings.finding import Finding
from handle_system.found import Found
from handle_system.ignored_case import IgnoredCase
from sphinxcontrib_handle.bibtex import CitedEntries
from sphinxcontrib_handle.domain import (
    HandleDomain,
    RecordedPlace,
    handle_domain,
    recorded_handle,
)
from sphinxcontrib_handle.last_build import digest_of, works_and_options
from sphinxcontrib_handle.links import settings_of
from sphinxcontrib_handle.messages import _
from sphinxcontrib_handle.references_files import (
    file_paths,
    files_of_commands,
    shown_path,
)

if TYPE_CHECKING:
    from sphinx.environment import BuildEnvironment


class StoredOrder(NamedTuple):
    """The order of a list, as plain data; it takes long to make, and seldom changes.

    Attributes:
        build: On what the last build rested for which it was right (`rests_on`).
        rests_on: A digest of all from which it follows.
        keys: The keys of the works in order.
        letters: The letters, by the index of their work; most have none.
    """

    build: str
    rests_on: str
    keys: Sequence[str]
    letters: Mapping[int, str]

    @property
    def order(self) -> ListOrder:
        """The order."""
        letters = [self.letters.get(index, "") for index in range(len(self.keys))]
        return ListOrder(self.keys, letters)


class RecordedMentions(Mapping[str, Sequence[Mention]]):
    """The links of each document, which are made when somebody asks for them.

    An identifier that only a bibliography or a footnote of one holds is listed there, and a
    card shows the document's own.
    """

    def __init__(self, domain: HandleDomain, documents: Sequence[str]) -> None:
        """Take over what a domain has recorded.

        Args:
            domain: The domain.
            documents: The documents with references, in the order of the project.
        """
        self._recorded = domain.data["places"]
        self._documents = documents
        self._made: dict[str, list[Mention]] = {}

    def __getitem__(self, document: str) -> Sequence[Mention]:
        """The links of a document."""
        mentions = self._made.get(document)
        if mentions is None:
            places = (RecordedPlace(*fields) for fields in self._recorded[document])
            mentions = [
                Mention(document, recorded_handle(place.handle), place.number)
                for place in places
                if place.handle
                and not place.is_card
                and not place.source.endswith(".bib")
            ]
            self._made[document] = mentions
        return mentions

    def __iter__(self) -> Iterator[str]:
        """The documents, in the order of the project."""
        return iter(self._documents)

    def __len__(self) -> int:
        """How many documents have references."""
        return len(self._documents)


def project_page(env: "BuildEnvironment") -> CitingPage:
    """The page of a build, for links and lists, made when somebody asks for it first."""
    domain = handle_domain(env)
    if domain.page is None:
        with collector_at_rest():
            domain.page = _made(env, domain)
    return domain.page


def _made(env: "BuildEnvironment", domain: HandleDomain) -> CitingPage:
    options = {
        document: [ListOptions(*fields) for fields in lists]
        for document, lists in domain.data["reference_lists"].items()
    }
    kept_order = partial(_kept_order, domain, works_and_options(env))
    return CitingPage(
        (),
        options,
        domain.references,
        _settings(env),
        RecordedMentions(domain, [*_in_order(env)]),
        kept_order,
    )


def findings_about_works(env: "BuildEnvironment") -> list[Finding]:
    """What is said of the works of all documents."""
    domain = handle_domain(env)
    found = [*_found(domain)]
    if not found:
        return []
    settings = _settings(env)
    cited = CitedWorks(settings.key)
    for one in found:
        cited.add(one)
    findings = cited.findings(domain.references, settings)
    return [*CitedEntries(env).told(findings)]


def _settings(env: "BuildEnvironment") -> PageSettings:
    values = settings_of(env.config)
    paths = [shown_path(path) for path in file_paths(env)]
    return PageSettings(
        proxies=values.link_proxies,
        display=values.display,
        translate=_,
        key=IgnoredCase(env.config.handle_ignore_case).key,
        is_one_page=handle_domain(env).builder.name == "singlehtml",
        reserved=values.unverified,
        files=files_of_commands(env),
        update_command=update_command(paths, [shown_path(Path(env.srcdir))]),
    )


def _found(domain: HandleDomain) -> Iterator[Found]:
    """The references of which something may have to be said, by document.

    Those of its bibliographies follow. What is wrong with a reference as such was said when
    its document was read.
    """
    if domain.told is not None and not domain.told:
        return
    places = domain.data["places"]
    citations = domain.data["citations"]
    for document in sorted({*places, *citations}):
        # The entries of a bibliography come in the order of its style.
        recorded = [*places.get(document, ()), *sorted(citations.get(document, ()))]
        for fields in recorded:
            place = RecordedPlace(*fields)
            if place.handle and not place.is_card and domain.tells(place.handle):
                yield place.found


def _kept_order(
    domain: HandleDomain,
    works_and_options: str,
    page: str,
    index: int,
    mentions: MentionsByKey,
    make: Callable[[], ListOrder],
) -> ListOrder:
    """The order of a list that an earlier build has made, or a new one."""
    stored_orders = domain.data["orders"]
    build = domain.rests_on
    stored = StoredOrder(*stored_orders.get((page, index), ("", "", (), {})))
    if build and stored.build == build:
        return stored.order
    options = domain.data["reference_lists"][page][index]
    rests_on = digest_of((works_and_options, options, [*mentions()]))
    if stored.rests_on == rests_on:
        stored = stored._replace(build=build)
    else:
        keys, letters = make()
        own = {index: letter for index, letter in enumerate(letters) if letter}
        stored = StoredOrder(build, rests_on, keys, own)
    stored_orders[page, index] = tuple(stored)
    return stored.order


def _in_order(env: "BuildEnvironment") -> Iterator[str]:
    """The documents with references, in the order of the tables of contents.

    All others follow by name.
    """
    recorded = handle_domain(env).data["places"]
    yielded: set[str] = set()
    waiting = [env.config.root_doc]
    while waiting:
        name = waiting.pop()
        if name not in yielded:
            yielded.add(name)
            if name in recorded:
                yield name
            waiting += reversed(env.toctree_includes.get(name, []))
    yield from sorted(recorded.keys() - yielded)
