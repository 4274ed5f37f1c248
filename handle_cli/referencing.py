"""``hdl references``: the file that describes the works which documents cite.

``update`` asks the registration agencies and writes the file, ``list`` prints the
references, and ``accept`` silences a notice.  Only ``update`` asks a server.
"""

import math
import re
import signal
import sys
import time
from collections.abc import Iterable, Iterator, Mapping, Sequence
from contextlib import closing, contextmanager
from dataclasses import dataclass, field
from functools import partial
from pathlib import Path
from types import FrameType
from typing import Any, assert_never

import click

from handle_cli.files import (
    SETTINGS_OF_VERIFICATION,
    ProjectSettings,
    find_files,
    max_file_size_option,
    paths_argument,
    project_settings,
    read_with,
    stays_inside,
    trust_config_option,
)
from handle_cli.findings import ignored_lines
from handle_cli.output import (
    ChangedFileError,
    Exit,
    UnusableError,
    as_json,
    say,
    trouble,
    write_whole,
)
from handle_cli.readers import Syntax, read_references
from handle_cli.references_files import (
    files_to_read,
    files_to_write,
    references_option,
    shown_path,
)
from handle_system import Handle, HandleReference, HandleSyntaxError, Proxies
from handle_system.citing.style import Run, plain_text
from handle_system.describing.agencies import (
    DOI_RESOLVER,
    Agencies,
    Described,
    Description,
    NoMetadata,
    requests_a_second,
)
from handle_system.describing.csl_styles import (
    PandocError,
    has_pandoc,
    styled_references,
)
from handle_system.describing.findings import quoted
from handle_system.describing.items import JsonObject, has_metadata
from handle_system.describing.references_file import (
    DescribedWork,
    References,
    ReferencesFile,
    file_text,
    read_references_file,
)
from handle_system.describing.references_file import (
    read_references as read_described_works,
)
from handle_system.describing.updates import (
    STATE_LABELS,
    State,
    Update,
    standing_update,
    update_objects,
    update_of_object,
)
from handle_system.errors import showable
from handle_system.found import Found
from handle_system.resolving.many import map_unordered
from handle_system.resolving.outcomes import NotRegistered, Unreachable
from handle_system.text import several
from handle_system.verifying.findings import CheckedPlace, ReportRow

__all__ = ["references"]

# More identifiers than these take a while, and the command says how long.
_MANY = 300
# Answers after which the file is written, so that they are kept whatever happens.
_WRITTEN_AFTER = 100
_EMPTY_FILE = b"[]\n"
# The widest column of identifiers.
_WIDEST = 40
# Members of `custom` that say when and where an answer came from, not what it says.
_NOT_NEWS = {"asked", "reference", "accepted"}
_BUILT_IN_STYLE = "built-in"
# Any of these is markup within a line of Markdown, and these at its beginning.
_MARKDOWN = re.compile(r"[\\`*_{}\[\]<>|~&$]")
_MARKDOWN_BEGINNING = re.compile(r"(?:[-+#=:]|[0-9]+[.)])")


@click.group(short_help="Describe the works that documents cite, in one file.")
def references() -> None:
    """Write, print and correct the file of references.

    The file is CSL-JSON, which pandoc, Quarto and Zotero read, and stands beside the
    documents. "hdl references update" writes it from the metadata of the registration
    agencies. Builds and "hdl check" read it, and ask no server.

    Without --references the file is "references" in [tool.handle], else references.json
    in the first PATH.
    """


@references.command(short_help="Ask for what the file of references lacks.")
@paths_argument
@references_option
@click.option(
    "--refresh", is_flag=True, help="Ask for all identifiers again; print the changes."
)
@click.option(
    "--mailto",
    default="",
    metavar="ADDRESS",
    help="Your address, for the agencies, which then answer faster.",
)
@click.option(
    "--style",
    metavar="FILE",
    help='Format all references in this CSL style, with pandoc; "built-in" for ours.',
)
@click.option(
    "--resolver",
    default=DOI_RESOLVER,
    show_default=True,
    metavar="URL",
    help="The server that is asked for each DOI.",
)
@trust_config_option
@max_file_size_option
def update(  # noqa: PLR0913 (one for each option)
    paths: tuple[str, ...],
    *,
    given_files: tuple[Path, ...],
    refresh: bool,
    mailto: str,
    style: str | None,
    resolver: str,
    trust_config: bool,
    max_file_size: float,
) -> None:
    """Describe the DOIs in files and folders, from their own metadata.

    The registration agency of each DOI is asked for its metadata, with two requests at
    most, and no page of a publisher is opened. The answers are written into the last
    file of references. Ctrl-C keeps what is there; the same command then goes on.

    Items of handles that are no DOIs are written by hand. An item that you wrote
    yourself keeps its text; --refresh asks only for later notices about the work.

    Exits with 0 if all DOIs are described, with 1 if one has no metadata, with 2 if a
    file or a setting cannot be used, with 3 if no server answered, with 130 if you
    stopped it.
    """
    settings = _settings(given_files, trust_config=trust_config)
    files = files_to_write(given_files, settings, paths)
    works = _readable(read_described_works(files))
    places = _places(paths, settings, max_file_size)
    dois = {handle: place for handle, place in places.items() if handle.is_doi}
    by_hand = [each for each in places if not each.is_doi and each not in works]
    wanted = {handle: dois.get(handle) for handle in dois if handle not in works}
    target = Target(files[-1], settings.root)
    if refresh:
        in_target = (handle for handle in target.handles if handle.is_doi)
        wanted = {handle: dois.get(handle) for handle in (*in_target, *wanted)}
    csl_style = _csl_style(style)
    run = UpdateRun(target=target, wanted=wanted, is_refresh=refresh)
    _announce(run, len(dois), mailto=mailto, resolver=resolver)
    code = Exit.FINE
    if wanted:
        http = settings.verification.http
        try:
            with Agencies(
                resolver, http=http, mailto=mailto, count=len(wanted)
            ) as agencies:
                code = run.ask(agencies)
        except ValueError as error:
            raise UnusableError(showable(str(error))) from error
    if csl_style is not None:
        _format(target, csl_style)
    elif run.added and target.is_styled:
        trouble("the new references are in the built-in style: pass --style again")
    _conclude(run, paths, by_hand)
    click.get_current_context().exit(code)


@references.command("list", short_help="Print the references.")
@click.argument(
    "paths",
    nargs=-1,
    metavar="[PATH]…",
    type=click.Path(exists=True, allow_dash=True),
)
@references_option
@click.option(
    "--format",
    "format_name",
    type=click.Choice(["text", "markdown", "json"]),
    default="text",
    show_default=True,
    help="How the references are written.",
)
@trust_config_option
@max_file_size_option
def list_works(
    paths: tuple[str, ...],
    *,
    given_files: tuple[Path, ...],
    format_name: str,
    trust_config: bool,
    max_file_size: float,
) -> None:
    """Print the references of the file, or of the works that PATHs cite.

    They are sorted as on a page: by name, and works without metadata last. A line below a reference says if the work was retracted, corrected or superseded.

    Exits with 0, or with 2 if a file or a setting cannot be used.
    """
    settings = _settings(given_files, trust_config=trust_config)
    files = _existing(files_to_read(given_files, settings, paths))
    described = _readable(read_described_works(files))
    if paths:
        handles: Iterable[Handle] = _places(paths, settings, max_file_size)
    else:
        handles = described
    works = [described.get(handle) or DescribedWork(handle, {}) for handle in handles]
    works.sort(key=DescribedWork.sort_key)
    match format_name:
        case "json":
            say(as_json([_json_entry(work, settings.proxies) for work in works]))
        case "markdown":
            for work in works:
                say(_markdown_entry(work, settings.proxies))
        case _:
            say("\n\n".join(_text_entry(work, settings.proxies) for work in works))


@references.command(short_help="Silence one notice, and no later one.")
@click.argument("notice")
@references_option
@trust_config_option
def accept(notice: str, *, given_files: tuple[Path, ...], trust_config: bool) -> None:
    """Silence the notice with this identifier, such as that of a correction.

    The file remembers it for each work that the notice is about. A later notice about
    the same work is reported again. For a work without a notice, NOTICE is the
    identifier of the work itself.

    Exits with 0 if the notice is silent now, with 2 if no item has it, or a file or a
    setting cannot be used.
    """
    settings = _settings(given_files, trust_config=trust_config)
    files = _existing(files_to_read(given_files, settings))
    accepted = _handle(notice)
    _readable(read_described_works(files))
    target = Target(files[-1], settings.root)
    changes: JsonItems = {}
    for handle, item in target.pairs():
        updates = filter(None, map(update_of_object, update_objects(item)))
        notices = {each.handle or handle for each in updates}
        standing = standing_update(item, handle)
        if standing is not None:
            notices.add(standing.handle or handle)
        if accepted in notices:
            changes[handle] = _accepting(item, str(accepted))
    if not changes:
        reason = f"no item of {shown_path(target.path)} has this notice"
        raise UnusableError(f"{showable(str(accepted))}: {reason}")
    target.write(changes)
    for handle in changes:
        say(showable(f"accepted  {accepted}, about {handle}"))


JsonItems = dict[Handle, JsonObject]


class Target:
    """The file that the command writes."""

    def __init__(self, path: Path, root: Path) -> None:
        """Read the file, if it exists.

        Args:
            path: The file.
            root: The folder of the project.

        Raises:
            UnusableError: when an item of it cannot be read, and would be lost, or
                when a symbolic link leads to it, out of the project.
        """
        if not stays_inside(path, root):
            reason = "a symbolic link leads to it, out of the project"
            raise UnusableError(f"{shown_path(path)}: {reason}")
        self.path = path
        self._read()

    @property
    def handles(self) -> list[Handle]:
        """The identifiers of its items."""
        return [handle for handle, _item in self.pairs()]

    @property
    def is_styled(self) -> bool:
        """Whether it holds references in a CSL style."""
        items = self._file.items.values()
        return any("reference" in _custom_of(item) for item in items)

    def __len__(self) -> int:
        return len(self._file.items)

    def get(self, handle: Handle) -> JsonObject | None:
        """The item of an identifier, if the file has one."""
        return self._file.items.get(handle.comparison_key)

    def pairs(self) -> Iterator[tuple[Handle, JsonObject]]:
        """Each item, with its identifier."""
        read = References([self._file])
        for handle in read:
            item = self.get(handle)
            if item is not None:
                yield handle, item

    def write(self, changes: Mapping[Handle, JsonObject]) -> None:
        """Put items into the file, as it is now, in one piece.

        Raises:
            UnusableError: when it cannot be written, or read any more.
        """
        if not changes:
            return
        for _ in range(3):
            self._read()
            items = dict(self._file.items)
            items.update({each.comparison_key: changes[each] for each in changes})
            content = file_text(items).encode("utf-8", "replace")
            if content == self._file.octets:
                return
            try:
                self._replace(content)
            except ChangedFileError:
                # Somebody wrote it a moment ago: put the items into that file.
                continue
            self._read()
            return
        raise UnusableError(f"{shown_path(self.path)}: another program changes it")

    def _read(self) -> None:
        self._file: ReferencesFile = read_references_file(self.path)
        if self._file.problem:
            raise UnusableError(f"{shown_path(self.path)}: {self._file.problem}")

    def _replace(self, content: bytes) -> None:
        expected = self._file.octets
        if not self.path.exists():
            self.path.parent.mkdir(parents=True, exist_ok=True)
            with self.path.open("xb") as stream:
                stream.write(_EMPTY_FILE)
            expected = _EMPTY_FILE
        write_whole(self.path, content, expected=expected)


@dataclass(kw_only=True)
class UpdateRun:
    """One run of the command: what is asked for, and what came of it.

    Attributes:
        target: The file that is written.
        wanted: The DOIs to ask for, each with its first place.
        is_refresh: Whether only changes are printed.
        added: How many items are new.
        changed: How many items changed.
        new_states: How many works have a new state.
        without: How many DOIs have no metadata.
    """

    target: Target
    wanted: Mapping[Handle, CheckedPlace | None]
    is_refresh: bool
    added: int = 0
    changed: int = 0
    new_states: int = 0
    without: int = 0
    _answered: int = 0
    _done: int = 0
    _started: float = field(default_factory=time.monotonic)
    _shown_at: float = 0.0
    _pending: JsonItems = field(default_factory=dict)

    def ask(self, agencies: Agencies) -> Exit:
        """Ask for every DOI, and write the answers; the exit code."""

        def describe(handle: Handle) -> tuple[Handle, Description]:
            return handle, agencies.describe(handle)

        try:
            with (
                _stopped_by_signals(),
                closing(
                    map_unordered(
                        describe, self.wanted, connections=min(8, len(self.wanted))
                    )
                ) as answers,
            ):
                for handle, description in answers:
                    self._take(handle, description)
        except KeyboardInterrupt:
            self._hide_progress()
            self._write()
            counts = f"{self._done} of {len(self.wanted)} asked, all kept"
            trouble(f"stopped: {counts}. Run the same command to go on.")
            return Exit.INTERRUPTED
        finally:
            self._hide_progress()
            self._write()
        if not self._answered:
            return Exit.UNKNOWN
        return Exit.FINDINGS if self.without else Exit.FINE

    def _take(self, handle: Handle, description: Description) -> None:
        """Keep an answer, and print its line."""
        self._done += 1
        self._hide_progress()
        match description:
            case Described(item):
                self._answered += 1
                self._keep(handle, item)
            case NotRegistered():
                self._answered += 1
                self._miss("not found", handle, "not registered")
            case NoMetadata(reason):
                self._answered += 1
                self._miss("no metadata", handle, reason)
            case Unreachable(reason):
                self._miss("no answer", handle, f"{reason}; run the command again")
            case _ as unreachable:
                assert_never(unreachable)
        if len(self._pending) >= _WRITTEN_AFTER:
            self._write()
        self._show_progress()

    def _keep(self, handle: Handle, item: JsonObject) -> None:
        old = self.target.get(handle)
        if old is None:
            self._pending[handle] = item
            self.added += 1
            self._line("added", handle, _summary(DescribedWork(handle, item)))
            self._tell_state(handle, None, item)
            return
        new = _refreshed(old, item)
        if new == old:
            return
        self._pending[handle] = new
        self.changed += 1
        is_told = self._tell_state(handle, old, new)
        names = _changed_fields(old, new)
        if names or not is_told:
            self._line("changed", handle, ", ".join(names) or "updates")

    def _tell_state(
        self, handle: Handle, old: JsonObject | None, new: JsonObject
    ) -> bool:
        """Print the state of a work, if it is a new one; whether it is."""
        before = standing_update(old, handle) if old else None
        now = standing_update(new, handle)
        if now is None or now == before:
            return False
        self.new_states += 1
        self._line(now.state.value, handle, _update_details(now))
        return True

    def _miss(self, label: str, handle: Handle, reason: str) -> None:
        self.without += 1
        place = self.wanted[handle]
        at = f": {place.in_file}" if place else ""
        self._line(label, handle, f"{reason}{at}")

    def _line(self, label: str, handle: Handle, text: str) -> None:
        width = min(max(map(len, map(str, self.wanted))), _WIDEST)
        say(showable(f"{label:<11} {handle!s:<{width}}  {text}"))

    def _write(self) -> None:
        self.target.write(self._pending)
        self._pending.clear()

    def _show_progress(self) -> None:
        now = time.monotonic()
        if not sys.stderr.isatty() or now - self._shown_at < 0.1:
            return
        self._shown_at = now
        left = (now - self._started) / self._done * (len(self.wanted) - self._done)
        text = f"asking  {self._done}/{len(self.wanted)}  about {_duration(left)}"
        click.echo(f"\r{text}", err=True, nl=False)

    def _hide_progress(self) -> None:
        if sys.stderr.isatty():
            click.echo("\r\x1b[K", err=True, nl=False)


@contextmanager
def _stopped_by_signals() -> Iterator[None]:
    """Let the signal that ends a process stop it as Ctrl-C does."""

    def stop(_number: int, _frame: FrameType | None) -> None:
        raise KeyboardInterrupt

    try:
        before = signal.signal(signal.SIGTERM, stop)
    except ValueError:
        # Only the main thread receives signals.
        yield
        return
    try:
        yield
    finally:
        signal.signal(signal.SIGTERM, before)


def _announce(run: UpdateRun, cited: int, *, mailto: str, resolver: str) -> None:
    """Say what will be asked for, and how long that takes."""
    name = shown_path(run.target.path)
    count = len(run.wanted)
    if not count:
        trouble(f"{name}: {several(len(run.target), 'item')}, nothing is missing.")
        return
    if run.is_refresh:
        trouble(f"{name}: asking again for {several(count, 'identifier')}")
    else:
        verb = "is" if count == 1 else "are"
        total = several(cited, "identifier")
        trouble(f"{name}: {count} of {total} {verb} missing")
    if resolver != DOI_RESOLVER:
        return
    rate = requests_a_second(is_polite=bool(mailto))
    if not mailto:
        polite = requests_a_second(is_polite=True)
        trouble(f"slower without --mailto ({rate:g} instead of {polite:g} a second)")
    if count > _MANY:
        trouble(
            f"{count} identifiers, about {_duration(count / rate)} at {rate:g} a "
            "second. Stopping with Ctrl+C keeps what is there."
        )


def _conclude(run: UpdateRun, paths: Sequence[str], by_hand: list[Handle]) -> None:
    """Sum up, on the standard error."""
    if by_hand:
        noun = "handle is no DOI" if len(by_hand) == 1 else "handles are no DOIs"
        trouble(f"{len(by_hand)} {noun}: write an item by hand")
    if not run.wanted:
        return
    parts = [several(len(run.target), "item")]
    if run.added or not run.is_refresh:
        parts.append(f"{run.added} added")
    if run.is_refresh:
        parts += [f"{run.changed} changed", several(run.new_states, "new state")]
    summary = f"{shown_path(run.target.path)}: {', '.join(parts)}."
    if run.without:
        summary += f" {run.without} without metadata."
    if run.new_states:
        command = " ".join(map(quoted, paths))
        summary += f" See them in the text: hdl check {command}"
    trouble(summary)


def _duration(seconds: float) -> str:
    if seconds < 90:
        return f"{math.ceil(seconds)} s"
    return f"{math.ceil(seconds / 60)} min"


def _settings(given: Sequence[Path], *, trust_config: bool) -> ProjectSettings:
    trusted = ["references"] if given or trust_config else []
    # No other server is named by a setting here.
    return project_settings([*trusted, *SETTINGS_OF_VERIFICATION, "proxies"])


def _existing(files: tuple[Path, ...]) -> tuple[Path, ...]:
    if not files:
        raise UnusableError(
            "there is no file of references: name it with --references, or as "
            '"references" in [tool.handle]'
        )
    return files


def _readable(works: References) -> References:
    """The works, if every file can be read.

    Raises:
        UnusableError: with the first problem.
    """
    for file in works.files:
        if file.problem:
            raise UnusableError(f"{shown_path(file.path)}: {file.problem}")
    return works


def _places(
    paths: tuple[str, ...], settings: ProjectSettings, max_file_size: float
) -> dict[Handle, CheckedPlace]:
    """The handles that files refer to, each with its first place."""
    reader = partial(_wanted_references, settings=settings)
    places: dict[Handle, CheckedPlace] = {}
    for file in find_files(paths, settings):
        found = read_with(reader, file, max_file_size)
        if isinstance(found, ReportRow):
            trouble(showable(f"{file.name}: {found.description}"))
            continue
        for each in found:
            if isinstance(each.reference, HandleReference):
                place = CheckedPlace(
                    file=file.name, document=file.name, line=each.place.line
                )
                places.setdefault(each.reference.handle, place)
    return places


def _wanted_references(
    syntax: Syntax, text: str, settings: ProjectSettings
) -> list[Found]:
    ignored = ignored_lines(text)
    found = read_references(syntax, text, settings.proxies, settings.text_prefixes)
    return [each for each in found if each.place.line not in ignored]


def _handle(text: str) -> Handle:
    try:
        return HandleReference.parse(text).handle
    except HandleSyntaxError as error:
        raise UnusableError(str(error)) from error


def _custom_of(item: Mapping[str, Any]) -> JsonObject:
    custom = item.get("custom")
    return custom if isinstance(custom, dict) else {}


def _accepting(item: JsonObject, notice: str) -> JsonObject:
    """The item, which accepts a notice."""
    custom = _custom_of(item)
    listed = custom.get("accepted")
    accepted = [*listed] if isinstance(listed, list) else []
    if notice not in accepted:
        accepted.append(notice)
    return {**item, "custom": {**custom, "accepted": accepted}}


def _refreshed(old: JsonObject, new: JsonObject) -> JsonObject:
    """The new item under the old spelling; the old one if it says nothing new.

    The text of an item that a person wrote stays, and so do the accepted notices.
    """
    old_custom, new_custom = _custom_of(old), _custom_of(new)
    is_by_hand = "agency" not in old_custom and has_metadata(old)
    kept: JsonObject = {
        name: old_custom[name]
        for name in ("accepted", "reference")
        if name in old_custom
    }
    if is_by_hand:
        news = {name: value for name, value in new_custom.items() if name == "updates"}
        merged = {**old, "custom": {**old_custom, **news}}
        return merged if news else old
    spelling: JsonObject = {name: old[name] for name in ("id", "DOI") if name in old}
    custom: JsonObject = {**new_custom, **kept}
    refreshed: JsonObject = {**new, **spelling, "custom": custom}
    if _changed_fields(old, refreshed):
        # The text of a style is older than the item now.
        custom.pop("reference", None)
    elif _news(old_custom) == _news(new_custom):
        return old
    return refreshed


def _news(custom: Mapping[str, Any]) -> dict[str, Any]:
    return {name: value for name, value in custom.items() if name not in _NOT_NEWS}


def _changed_fields(old: JsonObject, new: JsonObject) -> list[str]:
    names = [name for name in {**old, **new} if name not in {"custom", "id"}]
    return [name for name in names if old.get(name) != new.get(name)]


def _summary(work: DescribedWork) -> str:
    """A work on one line: names, year and title."""
    item = work.style_item
    title = plain_text(item.title)
    short = work.author_and_year()
    if not (item.authors or item.editors):
        return short
    return f"{short}. {title}" if title else short


def _update_details(update: Update) -> str:
    """The date and the notice of an update, behind its state."""
    noun = STATE_LABELS[update.state][1]
    if update.state is State.PUBLISHED:
        noun = "as"
    by = f"{noun} {update.by}" if update.by else ""
    return ", ".join(part for part in (update.date, by) if part)


def _csl_style(style: str | None) -> Path | str | None:
    """The style to use; a file that does not exist is said before anything is asked."""
    if style is None or style == _BUILT_IN_STYLE:
        return style
    path = Path(style)
    if not path.is_file():
        raise UnusableError(showable(f"--style: {style}: there is no such file"))
    if not has_pandoc():
        raise UnusableError(
            "--style needs the program pandoc (https://pandoc.org/installing.html), "
            "which is not installed; without --style references have the built-in style"
        )
    return path


def _format(target: Target, style: Path | str) -> None:
    """Store the references of all items in a style, or remove them."""
    items = dict(target.pairs())
    texts: dict[Handle, str] = {}
    if isinstance(style, Path):
        try:
            texts = styled_references(items, style)
        except PandocError as error:
            raise UnusableError(str(error)) from error
    changes: JsonItems = {}
    for handle, item in items.items():
        custom = _custom_of(item).copy()
        custom.pop("reference", None)
        if handle in texts:
            custom["reference"] = texts[handle]
        changed = item.copy()
        changed.pop("custom", None)
        if custom:
            changed["custom"] = custom
        if changed != item:
            changes[handle] = changed
    target.write(changes)


def _state_line(update: Update | None, proxies: Proxies) -> str:
    """``Retracted 2010-02-06: https://doi.org/…``, or nothing."""
    if update is None:
        return ""
    label, _noun = STATE_LABELS[update.state]
    when = f" {update.date}" if update.date else ""
    url = f": {proxies.link(update.handle)}" if update.handle else ""
    return f"{label}{when}{url}"


def _text_entry(work: DescribedWork, proxies: Proxies) -> str:
    reference = plain_text(work.reference())
    url = proxies.link(work.handle)
    lines = [showable(f"{reference} {url}".strip())]
    state = _state_line(work.update, proxies)
    if state:
        lines.append(showable(f"    {state}"))
    if not reference:
        lines.append("    No metadata yet")
    return "\n".join(lines)


def _markdown_entry(work: DescribedWork, proxies: Proxies) -> str:
    reference = _markdown_text(work.reference())
    if _MARKDOWN_BEGINNING.match(reference):
        # A character reference begins neither a list nor a heading.
        reference = f"&#{ord(reference[0])};{reference[1:]}"
    entry = f"- {reference} <{proxies.link(work.handle)}>".replace("-  ", "- ")
    state = _state_line(work.update, proxies)
    if state:
        words, _, url = state.partition(": ")
        entry += f"\\\n  **{words}**" + (f": <{url}>" if url else "")
    if not reference:
        entry += "\\\n  No metadata yet"
    return entry


_MARKDOWN_MARKS = {"i": ("*", "*"), "b": ("**", "**")}


def _markdown_text(runs: Iterable[Run]) -> str:
    """Runs in Markdown; nothing in their text is markup."""
    parts: list[str] = []
    open_tags: list[str] = []
    for text, tags in _apart(runs):
        shared = 0
        while tags[shared : shared + 1] == tuple(open_tags[shared : shared + 1]) != ():
            shared += 1
        while len(open_tags) > shared:
            parts.append(_markdown_mark(open_tags.pop())[1])
        for tag in tags[shared:]:
            open_tags.append(tag)
            parts.append(_markdown_mark(tag)[0])
        parts.append(_MARKDOWN.sub(r"\\\g<0>", showable(text)))
    parts += [_markdown_mark(tag)[1] for tag in reversed(open_tags)]
    return "".join(parts)


def _markdown_mark(tag: str) -> tuple[str, str]:
    return _MARKDOWN_MARKS.get(tag, (f"<{tag}>", f"</{tag}>"))


def _apart(runs: Iterable[Run]) -> Iterator[Run]:
    """The runs, without tags around white space: a mark does not stand beside it."""
    for text, tags in runs:
        core = text.strip()
        if not tags or core == text:
            yield Run(text, tags)
            continue
        start = text.index(core)
        if start:
            yield Run(text[:start])
        if core:
            yield Run(core, tags)
        if text[start + len(core) :]:
            yield Run(text[start + len(core) :])


def _json_entry(work: DescribedWork, proxies: Proxies) -> dict[str, object]:
    update = work.update
    return {
        "id": HandleReference(handle=work.handle).uri(),
        "reference": plain_text(work.reference()),
        "url": proxies.link(work.handle),
        "state": update.state.value if update else None,
        "by": (update.by or None) if update else None,
        "date": (update.date or None) if update else None,
    }
