"""A work as the files of references describe it."""

from collections.abc import Callable, Mapping, Sequence
from functools import cached_property
from typing import Any

from handle_system.citing.style import (
    Described,
    RichText,
    author_and_year,
    plain_text,
    reference,
    with_letter,
)
from handle_system.describing.items import (
    custom_of,
    describe,
    handle_in,
    has_metadata,
    identifiers,
    members,
)
from handle_system.describing.rich_text import clean_runs
from handle_system.describing.states import State
from handle_system.describing.unregistered import unregistered_on
from handle_system.describing.updates import (
    Update,
    most_serious,
    update_objects,
    update_of_object,
    updates_of,
)
from handle_system.handle import Handle


class DescribedWork:
    """A work as the files describe it.  What is not needed is not read.

    Attributes:
        handle: The identifier.
        item: The stored item, as it stands in its file.
    """

    def __init__(
        self,
        handle: Handle,
        item: Mapping[str, Any],
        updates: Sequence[Mapping[str, Any]] | None = None,
        accepted: Sequence[str] = (),
    ) -> None:
        """Take over what the files say of one identifier.

        Args:
            handle: The identifier.
            item: The stored item.
            updates: Its stored updates; by default those of the item.
            accepted: The notices that any file accepts.
        """
        self.handle = handle
        self.item = item
        self._updates = update_objects(item) if updates is None else updates
        self._accepted = accepted

    @cached_property
    def described(self) -> Described:
        """The item as references, lists and formats need it."""
        return describe(self.item)

    @property
    def update(self) -> Update | None:
        """The most serious update whose notice the project did not accept.

        One without a notice is accepted under the identifier of the work.
        """
        if self.shown_update is None:
            return None
        written = identifiers(custom_of(self.item).get("accepted"))
        accepted = {handle_in(notice) for notice in (*written, *self._accepted)}
        return most_serious(
            update
            for update in self._all_updates
            if (update.handle or self.handle) not in accepted
        )

    @cached_property
    def shown_update(self) -> Update | None:
        """The most serious update, which readers see even if its notice is accepted."""
        return most_serious(self._all_updates)

    @cached_property
    def _all_updates(self) -> Sequence[Update]:
        return updates_of(self.item, self.handle, self._updates)

    @property
    def listed_update(self) -> Update | None:
        """What an entry of a list says became of the work; another identifier is no news."""
        update = self.shown_update
        if update is None or update.state is State.ALIAS:
            return None
        return update

    @property
    def retraction(self) -> Update | None:
        """The update that says that the work was retracted; `None` if it was not."""
        update = self.shown_update
        is_retracted = update is not None and update.state is State.RETRACTED
        return update if is_retracted else None

    @property
    def notices(self) -> set[Handle]:
        """The notices about the work; one without an identifier has that of the work."""
        updates = [self.shown_update, *map(update_of_object, self._updates)]
        return {update.handle or self.handle for update in updates if update}

    @property
    def unregistered_on(self) -> str:
        """The day on which its DOI did not exist; empty if nobody said so."""
        return unregistered_on(self.item)

    @property
    def has_metadata(self) -> bool:
        """Whether enough is known for a reference."""
        return self.described.is_known

    def reference(
        self, translate: Callable[[str], str] = str, *, letter: str = ""
    ) -> RichText:
        """The reference without its link: in the style of the file, else the built-in one.

        It is empty if the item says nothing of the work.

        Args:
            translate: Turns an English word of the style into the reader's language.
            letter: The letter that a list puts behind the year.
        """
        stored = custom_of(self.item).get("reference")
        runs = clean_runs(stored, longest=10_000)
        described = self.described
        if runs:
            return with_letter(runs, described, letter) if letter else runs
        if not self.has_metadata:
            return ()
        return reference(described, translate, letter=letter)

    def author_and_year(self, translate: Callable[[str], str] = str) -> str:
        """A short citation for running text; empty if too little is known."""
        return author_and_year(self.described, translate)

    def author_or_title(self) -> str:
        """Who wrote the work and when, or else its title; empty if neither is known."""
        return self.author_and_year() or plain_text(self.described.title)

    def title(self, translate: Callable[[str], str] = str) -> str:
        """The reference as the title of a link, behind its state; empty if none.

        A mouse that rests on a link shows it; screen readers read it.
        """
        text = plain_text(self.reference(translate))
        update = self.listed_update
        if update is None:
            return text
        label = translate(update.state.label)
        when = f" {update.date}" if update.date else ""
        return f"{label}{when}. {text}".strip()

    @property
    def all_that_is_said(self) -> tuple[object, ...]:
        """All that the files say of the work, as plain data."""
        return (self.item, self._updates, self._accepted)

    def sort_key(self) -> tuple[bool, str, str]:
        """The place in a list: by names, year and title; works without metadata last.

        An item without a title has its container in that place, as in its reference.
        """
        described = self.described
        names = [name.sort_name for name in described.authors or described.editors]
        title = plain_text(described.title) or described.container
        key = " ".join(
            [*names, described.year, title] if names else [title, described.year]
        )
        is_last = not self.has_metadata
        return (is_last, key.casefold(), self.handle.comparison_key)


def described_work(
    handle: Handle,
    items: Sequence[Mapping[str, Any]],
    more_updates: Sequence[Mapping[str, Any]] = (),
) -> DescribedWork:
    """The work that the items of one identifier describe, the first of which wins.

    Args:
        handle: The identifier.
        items: Its stored items, at most one of each file.
        more_updates: Updates from elsewhere, which are added to those of the items.
    """
    if len(items) == 1 and not more_updates:
        return DescribedWork(handle, items[0])
    # A correction by hand says nothing of updates, and does not hide them.
    customs = [custom_of(item) for item in items]
    with_updates = (custom for custom in customs if "updates" in custom)
    updates = [*members(next(with_updates, {}), "updates"), *more_updates]
    accepted = [
        notice for custom in customs for notice in identifiers(custom.get("accepted"))
    ]
    item = next(filter(_has_text, items), items[0] if items else {})
    return DescribedWork(handle, item, updates, accepted)


def _has_text(item: Mapping[str, Any]) -> bool:
    """Whether an item says something of the work, and not only of its notices."""
    return bool(custom_of(item).get("reference")) or has_metadata(item)
