"""The lists of references of a project, and which of them each document uses.

A document uses its own list; else the list whose patterns name it, that of the fewest
documents first. The list gives its works numbers and letters, and texts that use it show
them. All lists are made once a build, when all documents are read; nothing here knows
builders, nodes or tokens.
"""

import re
import unicodedata
from collections.abc import Callable, Iterable, Mapping, Sequence
from functools import cache, cached_property, partial
from typing import NamedTuple, TypeAlias

from handle_system.citing.in_text_style import Label, letters_of_years
from handle_system.describing.described_work import DescribedWork
from handle_system.describing.described_works import DescribedWorks
from handle_system.describing.list_options import ListOptions, Order, matching
from handle_system.describing.page_settings import PageSettings
from handle_system.handle import Handle

#: Every word of a list by its name, in English.
LABELS = {
    # The name of the link from an entry to a place.
    "back": "Back to the text",
    # Before the titles of other pages.
    "cited_in": "Cited in:",
    "missing": "No metadata yet",
}
# The characters that no id of ours has.
_NO_ID = re.compile("[^a-z0-9]+")


class Mention(NamedTuple):
    """A reference that counts for lists.

    Attributes:
        document: The document that mentions the work.
        handle: Its identifier.
        number: The number of the reference in its document; 0 if nothing leads to it.
    """

    document: str
    handle: Handle
    number: int


class EntryName(NamedTuple):
    """What texts show of an entry of a list, and where they lead.

    Attributes:
        id: The id of the entry in its page.
        label: Its number and letter.
    """

    id: str
    label: Label


class Entry(NamedTuple):
    """A work in a list.

    Attributes:
        handle: Its identifier, as the first mention spells it.
        id: The id of the entry in its page.
        label: Its number and letter.
        mentions: The references to it, in order.
    """

    handle: Handle
    id: str
    label: Label
    mentions: tuple[Mention, ...]


class ListOrder(NamedTuple):
    """The order of a list.

    Attributes:
        keys: The keys of its works.
        letters: The letter of each of them; most have none.
    """

    keys: Sequence[str]
    letters: Sequence[str]


#: The references to each work of a list by the key of its identifier, as they are
#: mentioned. They are collected when somebody asks.
MentionsByKey: TypeAlias = Callable[[], Mapping[str, Sequence[Mention]]]
#: Gives a list the order that was kept, or has it made, for which each of its works is
#: read. It takes the document that shows the list, the number of the list there from 0, the
#: references to its works, and what makes their order.
KeptOrder: TypeAlias = Callable[
    [str, int, MentionsByKey, Callable[[], ListOrder]], ListOrder
]


class ReferenceList:
    """A list of references.

    Attributes:
        page: The document that shows it.
        options: What its author says of it.
        documents: The documents whose works it lists, in the order of the project.
    """

    def __init__(
        self,
        page: str,
        options: ListOptions,
        documents: tuple[str, ...],
        order: ListOrder,
        ids: Sequence[str],
        mentions: MentionsByKey,
    ) -> None:
        """Name the entries, which are made when somebody asks for them.

        Args:
            page: The document that shows it.
            options: What its author says of it.
            documents: The documents whose works it lists.
            order: Its works in order.
            ids: The id of each entry in the page.
            mentions: The references to its works.
        """
        self.page = page
        self.options = options
        self.documents = documents
        self._order = order
        self._ids = ids
        self._indices = {key: index for index, key in enumerate(order.keys)}
        self._mentions = mentions

    def name_of(self, key: str) -> "EntryName | None":
        """What a text shows of an entry, by its key; `None` if the list has none."""
        index = self._indices.get(key)
        if index is None:
            return None
        return EntryName(self._ids[index], Label(index + 1, self._order.letters[index]))

    @cached_property
    def entries(self) -> Mapping[str, Entry]:
        """Its works in order, by the key of their identifiers."""
        by_key = self._mentions()
        entries: dict[str, Entry] = {}
        for key in self._order.keys:
            name = self.name_of(key)
            if name is not None:
                mentions = by_key[key]
                entries[key] = Entry(mentions[0].handle, *name, tuple(mentions))
        return entries


class ReferenceLists:
    """All lists of a project.

    Attributes:
        by_page: The lists of each page that has any, in their order there.
        is_numbered: Whether texts show numbers.
    """

    def __init__(
        self,
        options: Mapping[str, Sequence[ListOptions]],
        mentions: Mapping[str, Sequence[Mention]],
        references: DescribedWorks,
        settings: PageSettings,
        kept_order: KeptOrder | None = None,
    ) -> None:
        """Make the lists.

        Args:
            options: The options of each list, by the page that shows it.
            mentions: The references of each document, in the order of the project.
            references: The works that files describe.
            settings: How works are shown.
            kept_order: Gives a list the order that was kept, or has it made; `None` if
                no order is kept.
        """
        self._mentions = mentions
        self._references = references
        self._settings = settings
        self.is_numbered = settings.display == "number"
        self._kept_order = kept_order
        self.by_page: dict[str, tuple[ReferenceList, ...]] = {}
        for page in sorted(options):
            taken_ids: dict[str, int] = {}
            self.by_page[page] = tuple(
                self._made(page, index, of_list, taken_ids)
                for index, of_list in enumerate(options[page])
            )
        self._used_by = self._choose()
        listed = {
            document
            for lists in self.by_page.values()
            for reference_list in lists
            for document in reference_list.documents
        }
        taken_names: dict[str, int] = {}
        # What each document whose works a list names is called in ids.
        self._names_in_ids = {
            document: _new_id(document, taken_names)
            for document in mentions
            if document in listed
        }

    def used_by(self, document: str) -> ReferenceList | None:
        """The list that gives the citations of a document their labels and targets."""
        return self._used_by.get(document)

    def name_of_entry(self, document: str, handle: Handle) -> EntryName | None:
        """What a document shows of the entry of a work in the list that it uses."""
        used = self._used_by.get(document)
        return used.name_of(self._settings.key(handle)) if used else None

    def shown_label(self, label: Label) -> str:
        """The part of an entry's label that texts show: its number, or its letter."""
        return str(label.number) if self.is_numbered else label.letter

    def mentions(self, document: str) -> Sequence[Mention]:
        """The references of a document that count for lists."""
        return self._mentions.get(document, ())

    def id_of_place(self, document: str, number: int) -> str:
        """The id of a reference, to which an entry leads back; empty if none does."""
        name = self._names_in_ids.get(document)
        return f"cites-{name}-{number}" if name and number else ""

    def _made(
        self, page: str, index: int, options: ListOptions, taken_ids: dict[str, int]
    ) -> ReferenceList:
        documents: tuple[str, ...] = (page,)
        if options.patterns:
            documents = tuple(matching(self._mentions, options.patterns))
        by_key = cache(partial(self._mentions_by_key, documents))

        def make() -> ListOrder:
            return self._make_order(by_key(), options)

        kept_order = self._kept_order
        order = kept_order(page, index, by_key, make) if kept_order else make()
        beginning = f"ref-{page}" if self._settings.is_one_page else "ref"
        ids = [_new_id(f"{beginning}-{key}", taken_ids) for key in order.keys]
        return ReferenceList(page, options, documents, order, ids, by_key)

    def _mentions_by_key(self, documents: Iterable[str]) -> dict[str, list[Mention]]:
        by_key: dict[str, list[Mention]] = {}
        for document in documents:
            for mention in self.mentions(document):
                by_key.setdefault(self._settings.key(mention.handle), []).append(
                    mention
                )
        return by_key

    def _make_order(
        self, by_key: Mapping[str, Sequence[Mention]], options: ListOptions
    ) -> ListOrder:
        works = {
            key: self._references.work(mentions[0].handle)
            for key, mentions in by_key.items()
        }
        keys = self._ordered(works, options)
        described = [works[key].described for key in keys]
        return ListOrder(keys, [*letters_of_years(described, self._settings.translate)])

    def _ordered(
        self, works: Mapping[str, DescribedWork], options: ListOptions
    ) -> list[str]:
        """The keys of works, which come as they are mentioned, in the order of a list."""
        is_own_list = not options.patterns
        usual = Order.MENTION if self.is_numbered and is_own_list else Order.NAME
        order = Order(options.order or usual)
        if order is Order.MENTION:
            return list(works)
        by_name = sorted(works, key=lambda key: works[key].sort_key())
        if order is Order.YEAR:
            by_name.sort(key=lambda key: works[key].described.year, reverse=True)
        return by_name

    def _choose(self) -> dict[str, ReferenceList]:
        """The list that each document uses."""
        lists = [listed for of_page in self.by_page.values() for listed in of_page]
        with_patterns = [listed for listed in lists if listed.options.patterns]
        with_patterns.sort(key=lambda listed: (len(listed.documents), listed.page))
        used_by: dict[str, ReferenceList] = {}
        for listed in lists:
            if not listed.options.patterns:
                used_by.setdefault(listed.page, listed)
        for listed in with_patterns:
            for document in listed.documents:
                used_by.setdefault(document, listed)
        return used_by


def _new_id(text: str, taken: dict[str, int]) -> str:
    """An id made of a text, which differs from those that are taken.

    Args:
        text: The text.
        taken: By each id, the last number behind it: thousands may be alike.
    """
    if not text.isascii():
        text = unicodedata.normalize("NFKD", text).encode("ascii", "ignore").decode()
    name = _NO_ID.sub("-", text.lower()).strip("-") or "page"
    new_id = name
    while new_id in taken:
        taken[name] = taken.get(name, 1) + 1
        new_id = f"{name}-{taken[name]}"
    taken[new_id] = 1
    return new_id
