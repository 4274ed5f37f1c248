"""An update of the file of references: what is asked for, kept, told and formatted."""

import datetime as dt
import signal
import threading
from collections import defaultdict
from collections.abc import Callable, Collection, Iterator, Mapping, Sequence
from contextlib import closing, contextmanager
from dataclasses import dataclass, field
from functools import cached_property
from pathlib import Path
from types import FrameType
from typing import Any, assert_never

import click

from handle_cli.output import (
    Exit,
    UnusableError,
    print_error,
    print_line,
    progress_line,
)
from handle_cli.paths import shown_path
from handle_cli.project_settings import ProjectSettings
from handle_cli.references_writing import PendingItems, WrittenFile
from handle_system import Handle
from handle_system.citing.style import plain_text
from handle_system.describing.agencies import DOI_RESOLVER, Agencies
from handle_system.describing.answers import Described, Description, NoMetadata
from handle_system.describing.compared_texts import (
    CitedText,
    finding_about_text,
    shown_text,
)
from handle_system.describing.csl_styles import (
    PandocError,
    check_pandoc,
    styled_references,
)
from handle_system.describing.described_work import DescribedWork
from handle_system.describing.items import JsonObject, custom_of, has_metadata
from handle_system.describing.states import State
from handle_system.describing.style_files import Style, StyleError, read_style
from handle_system.describing.unregistered import (
    may_be_unregistered,
    registered_item,
    unregistered_item,
    unregistered_on,
)
from handle_system.describing.updates import Update, update_objects
from handle_system.describing.work_findings import command_for
from handle_system.errors import showable
from handle_system.findings.finding import Place
from handle_system.foreign_files import outside_reason
from handle_system.resolving import HttpSettings
from handle_system.resolving.outcomes import NotRegistered, Unreachable
from handle_system.text import several

# Whoever asks for so many identifiers may want to stop.
_MANY = 1_000
# The widest column of identifiers.
_WIDEST = 40
# Members of `custom` that say when and where an answer came from, not what it says.
_NOT_NEWS = {"asked", "reference", "accepted"}
#: The name of the style that needs no pandoc.
BUILT_IN_STYLE = "built-in"

mailto_option = click.option(
    "--mailto",
    default="",
    metavar="ADDRESS",
    help="Your address, for the agencies, which then answer faster.",
)
agency_option = click.option(
    "--resolver",
    default=DOI_RESOLVER,
    show_default=True,
    metavar="URL",
    help="The server to ask for each DOI.",
)


@dataclass(kw_only=True)
class UpdateRun:
    """One run of the command: what is asked for, and what came of it.

    Attributes:
        file: The file that is written.
        wanted: The DOIs to ask for, each with its first place.
        by_hand: The DOIs whose item a person wrote: nothing is missing if no agency has
            metadata of one.
        texts: The texts beside the DOIs, which are compared with what is new.
        resolver: The server to ask for each DOI.
        mailto: The address of the user, for the agencies; empty if there is none.
        is_refresh: Whether only changes are printed.
        is_whole: Whether a refresh asks for all items of the file.
        today: The date of the run.
        added: How many items are new.
        changed: How many items changed.
        corrected: How many of them changed otherwise than in their state.
        new_states: How many works have a new state.
        other_works: How many texts are about other works than their DOIs.
        without: How many DOIs have neither metadata nor an item.
        unanswered: For how many DOIs no server answered.
    """

    file: WrittenFile
    wanted: Mapping[Handle, Place | None]
    by_hand: Collection[Handle] = ()
    texts: Sequence[CitedText] = ()
    resolver: str = DOI_RESOLVER
    mailto: str = ""
    is_refresh: bool = False
    is_whole: bool = True
    today: dt.date = field(default_factory=dt.date.today)
    added: int = 0
    changed: int = 0
    corrected: int = 0
    new_states: int = 0
    other_works: int = 0
    without: int = 0
    unanswered: int = 0
    _answered: list[Handle] = field(default_factory=list)
    _done: int = 0
    _failures: dict[str, dict[Handle, str]] = field(default_factory=dict)

    @cached_property
    def _pending(self) -> PendingItems:
        return PendingItems(self.file)

    @cached_property
    def _agency_of_prefix(self) -> Mapping[str, str]:
        """The name of the agency of each prefix, as far as the file knows it."""
        return {
            handle.prefix: str(custom_of(item).get("agency"))
            for handle, item in self.file.items.items()
            if "agency" in custom_of(item)
        }

    def ask_agencies(self, http: HttpSettings) -> Exit:
        """Ask for every DOI, and write the answers; the exit code.

        Args:
            http: Time-out, certificates, user agent.

        Raises:
            UnusableError: when the server cannot be asked at all.
        """
        if not self.wanted:
            return Exit.FINE
        count = len(self.wanted)
        try:
            with Agencies(
                self.resolver, http=http, mailto=self.mailto, count=count
            ) as agencies:
                return self.ask(agencies)
        except ValueError as error:
            raise UnusableError(str(error)) from error

    def ask(self, agencies: Agencies) -> Exit:
        """Ask for every DOI, and write the answers; the exit code."""
        # Its end is shown last: a terminal that was closed shows nothing more.
        with progress_line("asking", len(self.wanted)) as note_one:
            return self._ask(agencies, note_one)

    def _ask(self, agencies: Agencies, note_one: Callable[[], None]) -> Exit:
        try:
            with (
                _stopped_by_signals(),
                closing(
                    agencies.describe_all(self.wanted, self._agency_of_prefix)
                ) as answers,
            ):
                for handle, description in answers:
                    with self._pending.changing():
                        self._take(handle, description)
                    note_one()
            self._print_failures()
        except KeyboardInterrupt:
            # First of all: nothing can be shown on a terminal that was closed.
            self._finish()
            counts = f"{self._done} of {len(self.wanted)} asked, all kept"
            print_error(f"stopped: {counts}. Run the same command to go on.")
            return Exit.INTERRUPTED
        finally:
            self._finish()
        if not self._answered:
            return Exit.UNKNOWN
        to_look_at = (
            self.new_states,
            self.other_works,
            self.without,
            self.unanswered,
        )
        if any(to_look_at):
            return Exit.FINDINGS
        return Exit.FINE

    def _take(self, handle: Handle, description: Description) -> None:
        """Keep an answer, and print its line."""
        self._done += 1
        match description:
            case Described(item):
                self._answered.append(handle)
                self._keep(handle, item)
            case NotRegistered():
                self._answered.append(handle)
                self._note_unregistered(handle)
                self._miss("not found", handle, "not registered")
            case NoMetadata(reason):
                self._answered.append(handle)
                self._note_registered(handle)
                self._miss("no metadata", handle, reason)
            case Unreachable(reason):
                self.unanswered += 1
                server = reason.partition(": ")[0]
                self._failures.setdefault(server, {})[handle] = reason
            case _ as unreachable:
                assert_never(unreachable)

    def _keep(self, handle: Handle, item: JsonObject) -> None:
        old = self._described_before(handle)
        if old is None:
            self._pending.items[handle] = item
            self.added += 1
            self._line("added", handle, _summary(DescribedWork(handle, item)))
            self._print_state(handle, None, item)
            self._print_other_works(DescribedWork(handle, item))
            return
        new = _refreshed(old, item)
        if new == old:
            return
        self._pending.items[handle] = new
        self.changed += 1
        is_told = self._print_state(handle, old, new)
        names = _changed_fields(old, new)
        if names or not is_told:
            self.corrected += 1
            self._line("changed", handle, ", ".join(names) or "updates")

    def _print_state(
        self, handle: Handle, old: JsonObject | None, new: JsonObject
    ) -> bool:
        """Print the state of a work, if it is a new one; whether it is."""
        before = DescribedWork(handle, old).update if old else None
        work = DescribedWork(handle, new)
        now = work.update
        if now is None or now == before:
            return False
        self.new_states += 1
        details = _update_details(now)
        if now.state is State.PUBLISHED:
            self._line(now.state.value, handle, details)
            return True
        self._line(now.state.value, handle, work.author_or_title())
        place = self.wanted[handle]
        cited = f"cited in {place.in_file}" if place else ""
        for more in filter(None, (details, cited)):
            print_line(showable(f"{'':<11} {more}"))
        return True

    def _print_other_works(self, work: DescribedWork) -> None:
        """Print the texts that are about another work than this new one."""
        if work.handle in self.by_hand:
            # Another file has the item of a person, who knows better.
            return
        for text in self._texts_of.get(work.handle, ()):
            finding = finding_about_text(text, work)
            if finding is not None:
                says = f"{text.place.in_file} says {shown_text(text.beside)}"
                self._line(finding.code.value, work.handle, says)
                self.other_works += finding.severity.fails

    @cached_property
    def _texts_of(self) -> Mapping[Handle, Sequence[CitedText]]:
        """The texts beside each DOI."""
        texts: defaultdict[Handle, list[CitedText]] = defaultdict(list)
        for text in self.texts:
            texts[text.handle].append(text)
        return texts

    def _described_before(self, handle: Handle) -> JsonObject | None:
        """The item that the file has of a work; one that did not exist is none."""
        old = self.file.items.get(handle)
        return None if old is None or unregistered_on(old) else old

    def _note_unregistered(self, handle: Handle) -> None:
        """Keep that a DOI does not exist, unless it has an item that says otherwise."""
        if (
            handle not in self.by_hand
            and self._described_before(handle) is None
            and may_be_unregistered(handle)
        ):
            old = self.file.items.get(handle)
            self._pending.items[handle] = unregistered_item(handle, self.today, old)

    def _note_registered(self, handle: Handle) -> None:
        """Forget that a DOI did not exist, because it does."""
        old = self.file.items.get(handle)
        if old is not None and unregistered_on(old):
            self._pending.items[handle] = registered_item(old)

    def _miss(self, label: str, handle: Handle, reason: str) -> None:
        if handle in self.by_hand:
            return
        # What an agency described before keeps its item.
        if self._described_before(handle) is None:
            self.without += 1
            self._pending.not_found.add(handle)
        self._print_miss(label, handle, reason)

    def _print_failures(self) -> None:
        """Print a line for each server that gave no answer."""
        for _server, reasons in sorted(self._failures.items()):
            handle = min(reasons)
            if len(reasons) == 1:
                self._print_miss("no answer", handle, reasons[handle])
                continue
            # The first failure says more than those that follow from it.
            reason = next(iter(reasons.values()))
            count = several(len(reasons), "identifier")
            print_line(
                showable(f"{'no answer':<11} {reason} ({count}, such as {handle})")
            )

    def _print_miss(self, label: str, handle: Handle, reason: str) -> None:
        place = self.wanted[handle]
        at = f": {place.in_file}" if place else ""
        self._line(label, handle, f"{reason}{at}")

    def _line(self, label: str, handle: Handle, text: str) -> None:
        line = f"{label:<11} {handle!s:<{self._column_width}}  {text}"
        print_line(showable(line.rstrip()))

    @cached_property
    def _column_width(self) -> int:
        return min(max(map(len, map(str, self.wanted))), _WIDEST)

    def _finish(self) -> None:
        """Write what is left, and when the items were asked for.

        A refresh that got an answer about every item dates the file, in one line.  Any
        other one dates the items that it got an answer about.
        """
        is_done = self._done == len(self.wanted) and not self.unanswered
        day = str(self.today)
        is_dated = self.file.last_asked == day and not self.file.never_asked
        if not self.is_refresh or is_dated:
            self._pending.write()
        elif self.is_whole and is_done:
            self._pending.write(refreshed=day)
        else:
            with self._pending.changing():
                for handle in self._answered:
                    self._date(handle)
            self._pending.write()

    def _date(self, handle: Handle) -> None:
        """Note in an item of the file that it was asked for today."""
        items = self._pending.items
        item = items.get(handle, self.file.items.get(handle))
        # The day of a DOI that does not exist stands in it anyway.
        if item is not None and not unregistered_on(item):
            custom = {**custom_of(item), "asked": str(self.today)}
            items[handle] = {**item, "custom": custom}


@contextmanager
def _stopped_by_signals() -> Iterator[None]:
    """Let the signals that end a process stop it as Ctrl-C does."""

    def stop(_number: int, _frame: FrameType | None) -> None:
        raise KeyboardInterrupt

    if threading.current_thread() is not threading.main_thread():
        # Only the main thread receives signals.
        yield
        return
    # A terminal that is closed hangs up; Windows has no such signal.
    names = ("SIGTERM", "SIGHUP")
    numbers = [getattr(signal, name) for name in names if hasattr(signal, name)]
    handlers = {number: signal.getsignal(number) for number in numbers}
    # `nohup` ignores a signal, so that it stops nothing.
    heeded = [number for number in numbers if handlers[number] is not signal.SIG_IGN]
    for number in heeded:
        signal.signal(number, stop)
    try:
        yield
    finally:
        for number in heeded:
            signal.signal(number, handlers[number])


def announce(run: UpdateRun, count_of_all: int, cited: int) -> None:
    """Say what will be asked for.

    Args:
        run: The run.
        count_of_all: How many DOIs there are to ask for; a budget allows for fewer.
        cited: How many DOIs the documents cite.
    """
    name = shown_path(run.file.path)
    count = len(run.wanted)
    if not count:
        asked = f"; last asked {run.file.last_asked}" if run.file.last_asked else ""
        works = several(len(run.file), "work")
        print_error(f"{name}: {works}, nothing is missing{asked}.")
        return
    if run.is_refresh and count < count_of_all:
        total = several(count_of_all, "identifier")
        print_error(f"{name}: asking again for {count} of {total}, the oldest first")
    elif run.is_refresh:
        print_error(f"{name}: asking again for {several(count, 'identifier')}")
    else:
        described = _with_verb(cited - count_of_all, "described", of=cited)
        missing = _with_verb(count_of_all, "missing")
        asking = "" if count == count_of_all else f", asking for {count} of them"
        print_error(f"{name}: {described}, {missing}{asking}")
    if run.resolver != DOI_RESOLVER:
        return
    if not run.mailto:
        print_error("with --mailto, agencies answer two to three times as fast")
    if count > _MANY:
        print_error("Stopping with Ctrl+C keeps what is there.")


def conclude(
    run: UpdateRun, paths: Sequence[str], without_item: Sequence[Handle]
) -> None:
    """Sum up, on the standard error.

    Args:
        run: The run.
        paths: The files and folders that the command reads.
        without_item: The handles that are not DOIs, and that no file describes.
    """
    if without_item:
        lacking = f"{shown_path(run.file.path)} has no item of"
        first = without_item[0]
        if len(without_item) == 1:
            print_error(
                f"1 handle is not a DOI, and {lacking} it: write one by hand ({first})"
            )
        else:
            print_error(
                f"{len(without_item)} handles are not DOIs, and {lacking} them: write them "
                f"by hand (such as {first})"
            )
    if not run.wanted:
        return
    counts = _counts_of_refresh(run) if run.is_refresh else _counts_of_update(run)
    parts = [several(len(run.file), "work"), *counts]
    commit = " Commit it." if run.added and not run.is_refresh else ""
    print_error(f"{shown_path(run.file.path)}: {', '.join(parts)}.{commit}")
    if run.unanswered:
        unanswered = several(run.unanswered, "identifier")
        print_error(f"{unanswered} got no answer: run the command again.")
    command = command_for("hdl check", paths)
    if run.new_states:
        them = "it" if run.new_states == 1 else "them"
        print_error(f"Look at {them} in the text: {command}")
    if run.other_works:
        texts = several(run.other_works, "text")
        verb = "is" if run.other_works == 1 else "are"
        print_error(f"{texts} {verb} about other works than the DOIs: {command}")


def _with_verb(count: int, participle: str, *, of: int = 0) -> str:
    """How many identifiers are something, with the verb.

    >>> _with_verb(57, "described", of=61), _with_verb(1, "missing")
    ('57 of 61 identifiers are described', '1 is missing')
    """
    verb = "is" if (of or count) == 1 else "are"
    counted = f"{count} of {several(of, 'identifier')}" if of else str(count)
    return f"{counted} {verb} {participle}"


def _counts_of_update(run: UpdateRun) -> list[str]:
    counts = [f"{run.added} added"]
    missing = run.without + run.unanswered
    if missing:
        counts.append(f"{missing} still missing")
    return counts


def _counts_of_refresh(run: UpdateRun) -> list[str]:
    answered = len(run.wanted) - run.unanswered
    is_all = run.is_whole and not run.unanswered
    counts = ["all asked today" if is_all else f"{answered} asked today"]
    if run.added:
        counts.append(f"{run.added} added")
    if run.corrected:
        counts.append(f"{run.corrected} changed")
    if run.new_states:
        verb = "has" if run.new_states == 1 else "have"
        counts.append(f"{run.new_states} {verb} a new state")
    if not (run.added or run.changed or run.new_states):
        counts.append("nothing new")
    if run.without:
        counts.append(f"{run.without} without metadata")
    return counts


def usable_style(
    given: str | None, settings: ProjectSettings, *, trust_config: bool
) -> Style | str | None:
    """The style to use: that of a file, `BUILT_IN_STYLE`, or `None` if none is named.

    Args:
        given: The style of the command line, which wins.
        settings: The settings, which may name a style.
        trust_config: Whether a setting may name a file outside of the project.

    Raises:
        UnusableError: when it cannot be used. That is said before anything is asked.
    """
    if given == BUILT_IN_STYLE:
        return given
    if given is not None:
        name = "--style"
        path = Path(given)
    elif settings.values.style:
        name = "tool.handle.style"
        path = settings.root / settings.values.style
        reason = outside_reason(path, settings.root)
        if reason and not trust_config:
            raise UnusableError(
                f"{name} names {shown_path(path)}, which is {reason}; "
                "pass --style, or --trust-config to allow it"
            )
    else:
        return None
    if not path.is_file():
        raise UnusableError(f"{name}: {shown_path(path)}: there is no such file")
    try:
        style = read_style(path)
    except StyleError as error:
        raise UnusableError(f"{name}: {shown_path(path)}: {error}") from error
    try:
        advice = check_pandoc()
    except PandocError as error:
        raise UnusableError(f"{name} {error}") from error
    if advice:
        print_error(advice)
    return style


def format_references(file: WrittenFile, style: Style | str) -> list[Handle]:
    """Store the references of all items in a style, or remove them.

    Returns:
        The works with metadata for which the style prints nothing.

    Raises:
        UnusableError: when pandoc cannot format them.
    """
    texts: dict[Handle, str] = {}
    if isinstance(style, Style):
        try:
            texts = styled_references(file.items, style)
        except PandocError as error:
            raise UnusableError(str(error)) from error
    changes: dict[Handle, JsonObject] = {}
    for handle, item in file.items.items():
        custom = custom_of(item).copy()
        custom.pop("reference", None)
        if handle in texts:
            custom["reference"] = texts[handle]
        changed = item.copy()
        changed.pop("custom", None)
        if custom:
            changed["custom"] = custom
        if changed != item:
            changes[handle] = changed
    file.write(changes)
    if not isinstance(style, Style):
        return []
    return [
        handle
        for handle, item in file.items.items()
        if handle not in texts and has_metadata(item)
    ]


def _refreshed(old: JsonObject, new: JsonObject) -> JsonObject:
    """The new item under the old spelling; the old one if it says nothing new.

    The text of an item that a person wrote stays, its updates get those of the agency
    besides, and the accepted notices stay.
    """
    old_custom = custom_of(old)
    new_custom = custom_of(new)
    if "agency" not in old_custom and has_metadata(old):
        updates = _merged_updates(old, new)
        if updates == update_objects(old):
            return old
        return {**old, "custom": {**old_custom, "updates": updates}}
    custom = new_custom.copy()
    for name in ("accepted", "reference"):
        if name in old_custom:
            custom[name] = old_custom[name]
    refreshed = new.copy()
    for name in ("id", "DOI"):
        if name in old:
            refreshed[name] = old[name]
    refreshed["custom"] = custom
    if _changed_fields(old, refreshed):
        # The text of a style is older than the item now.
        custom.pop("reference", None)
    elif _news(old_custom) == _news(new_custom):
        return old
    return refreshed


def _merged_updates(old: JsonObject, new: JsonObject) -> list[Mapping[str, Any]]:
    """The updates of an item that a person wrote, and behind them the new ones."""
    merged = update_objects(old)
    stated = {_statement(update) for update in merged}
    merged += [
        update for update in update_objects(new) if _statement(update) not in stated
    ]
    return merged


def _statement(update: Mapping[str, Any]) -> tuple[str, str]:
    """What a stored update states, without its date."""
    return (str(update.get("state")).lower(), str(update.get("by")).lower())


def _news(custom: Mapping[str, Any]) -> dict[str, Any]:
    return {name: value for name, value in custom.items() if name not in _NOT_NEWS}


def _changed_fields(old: JsonObject, new: JsonObject) -> list[str]:
    names = [name for name in {**old, **new} if name not in {"custom", "id"}]
    return [name for name in names if old.get(name) != new.get(name)]


def _summary(work: DescribedWork) -> str:
    """A work on one line: names, year and title."""
    item = work.described
    title = plain_text(item.title)
    short = work.author_and_year()
    if not (item.authors or item.editors):
        return short
    return f"{short}. {title}" if title else short


def _update_details(update: Update) -> str:
    """The date and the notice of an update, behind its state."""
    noun = update.state.source_noun
    if update.state is State.PUBLISHED:
        noun = "as"
    by = f"{noun} {update.by}" if update.by else ""
    return ", ".join(part for part in (update.date, by) if part)
