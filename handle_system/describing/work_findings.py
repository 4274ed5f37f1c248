"""What is said about the works of a page or a project, from the file of references alone."""

import datetime as dt
import shlex
import sys
from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import replace
from pathlib import Path
from typing import TYPE_CHECKING

from handle_system.describing.described_works import DescribedWorks
from handle_system.describing.page_settings import PageSettings
from handle_system.errors import showable
from handle_system.findings.codes import Code, Severity
from handle_system.findings.finding import Fact, Finding, Place
from handle_system.found import Found
from handle_system.handle import Handle
from handle_system.proxies import Proxies
from handle_system.reference import HandleReference
from handle_system.verifying.handle_patterns import HandlePatterns

if TYPE_CHECKING:
    from handle_system.describing.described_work import DescribedWork
    from handle_system.describing.updates import Update
    from handle_system.text_beside import TextBeside

# Days; the file is made anew on each working day.
_OLD_RETRACTIONS = 30
# Characters that no shell of Windows acts on.
_PLAIN = frozenset(
    "abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ0123456789./_-:@%+,="
)


class CitedWorks:
    """The works that a page or a project cites, and where.

    Attributes:
        places: The places of each handle; one spelling stands for all that name the same.
    """

    def __init__(self, key: Callable[[Handle], str]) -> None:
        """Begin with none.

        Args:
            key: Equal for identifiers that name the same work.
        """
        self.places: dict[Handle, list[Place]] = {}
        self._key = key
        self._spellings: dict[str, Handle] = {}
        # Where a project names its own works, which few places do.
        self._of_own_works: set[Place] = set()
        # Handles, their places, and the texts beside them.
        self._texts: list[tuple[Handle, Place, TextBeside]] = []

    def add(self, found: Found) -> None:
        """Take up a reference at its place; of what is malformed nothing is known.

        Args:
            found: The reference. References come in the order of their files.
        """
        if not isinstance(found.reference, HandleReference):
            return
        own = found.reference.handle
        handle = self._spellings.setdefault(self._key(own), own)
        self.places.setdefault(handle, []).append(found.place)
        if found.names_own_work:
            self._of_own_works.add(found.place)
        if found.beside is not None:
            self._texts.append((handle, found.place, found.beside))

    def findings(self, works: DescribedWorks, settings: PageSettings) -> list[Finding]:
        """What became of them, which of them nobody describes, and which are not meant.

        Args:
            works: The works that files describe.
            settings: What is said about works.
        """
        findings = findings_about_works(self.places, works, settings)
        if settings.is_complete and works.files:
            findings += _findings_about_undescribed_works(
                self._describable_places(settings.reserved),
                works,
                settings.update_command,
            )
        return findings + self._findings_about_texts(works)

    def _describable_places(
        self, reserved: HandlePatterns
    ) -> Mapping[Handle, Sequence[Place]]:
        """The places of the works that a file of references may describe."""
        wanted = {}
        for handle, places in self.places.items():
            cited = [place for place in places if place not in self._of_own_works]
            if cited and handle not in reserved:
                wanted[handle] = cited
        return wanted

    def _findings_about_texts(self, works: DescribedWorks) -> list[Finding]:
        """The findings about texts that name other works than their identifiers."""
        if not self._texts:
            return []
        # Most pages have no such texts, and need nothing that compares them.
        from handle_system.describing.compared_texts import (  # noqa: PLC0415 (as it says)
            CitedText,
            findings_about_texts,
        )

        return findings_about_texts(map(CitedText._make, self._texts), works)


def findings_about_works(
    places: Mapping[Handle, Sequence[Place]],
    works: DescribedWorks,
    settings: PageSettings,
    today: dt.date | None = None,
) -> list[Finding]:
    """The finding about each work that was retracted, corrected, and so on.

    A DOI that did not exist has one, too.

    Args:
        places: The places that refer to each handle.
        works: The works that files describe.
        settings: What is said about works.
        today: The date; `None` for that of today.
    """
    findings = []
    for handle, its_places in places.items():
        work = works.get(handle)
        if work is None:
            continue
        if work.update is not None:
            finding = finding_about_work(
                handle,
                work.update,
                its_places,
                settings.files,
                proxies=settings.proxies,
            )
            findings.append(_with_source(finding, work, works))
        elif work.unregistered_on and handle not in settings.reserved:
            day = today or dt.date.today()  # noqa: DTZ011 (the day of the user, as in the file)
            findings.append(
                _finding_about_unregistered(work, its_places, settings.files, day)
            )
    return findings


def _with_source(
    finding: Finding, work: "DescribedWork", references: DescribedWorks
) -> Finding:
    """The finding, and who says so if the files of references say something else."""
    told = references.retractions
    if told is None or not told.updates_of(work.handle):
        return finding
    described = DescribedWorks(references.files).get(work.handle)
    other = described.update if described is not None else None
    if work.update == other:
        return finding
    until = f", with records up to {told.last_day}" if told.last_day else ""
    source = Fact("told by", f"{told.path.name}{until}")
    if described is None:
        # Only an item can remember that a notice is accepted.
        facts = (*finding.facts, source)
        advice = "cite another work" if finding.command else ""
        return replace(finding, facts=facts, advice=advice, command="")
    says = other.statement if other is not None else "nothing of it"
    other_source = Fact("the file of references says", says)
    return replace(finding, facts=(*finding.facts, source, other_source))


def _finding_about_unregistered(
    work: "DescribedWork", places: Iterable[Place], files: Iterable[str], today: dt.date
) -> Finding:
    """The finding about a DOI that did not exist when it was asked for."""
    # What reads items is loaded by now.
    from handle_system.describing.unregistered import is_old  # noqa: PLC0415

    code = Code.UNREGISTERED
    severity = code.severity()
    advice = "a lead, no verdict: look for a typing error, or ask again"
    if is_old(work.unregistered_on, today):
        severity = Severity.NOTE
        advice = "that was long ago, and it may be registered since: ask again"
    return Finding(
        code=code,
        subject=str(work.handle),
        message=f"was not registered when asked for on {work.unregistered_on}",
        severity=severity,
        places=tuple(places),
        advice=advice,
        command=update_command(files, ()),
    )


def finding_about_work(
    handle: Handle,
    update: "Update",
    places: Iterable[Place] = (),
    files: Iterable[str] = (),
    *,
    proxies: Proxies,
) -> Finding:
    """The finding about a work that was retracted, corrected, and so on."""
    advice = ""
    command = ""
    if update.state.is_serious:
        advice = "cite another work, or accept the notice"
        command = accept_command(str(update.handle or handle), files)
    code = Code(update.state.value)
    return Finding(
        code=code,
        subject=str(handle),
        message=update.statement,
        severity=code.severity(),
        places=tuple(places),
        facts=_source(update, proxies),
        advice=advice,
        command=command,
    )


def _findings_about_undescribed_works(
    places: Mapping[Handle, Sequence[Place]], references: DescribedWorks, command: str
) -> list[Finding]:
    """The finding about each DOI that the files of references do not describe.

    Nothing is said where a file cannot be read, because it may describe the work.

    Args:
        places: The places that name each work.
        references: The files of references.
        command: The command that describes works.
    """
    files = references.files
    if not files or any(file.problem for file in files):
        return []
    handles = [
        handle for handle in places if handle.is_doi and handle not in references
    ]
    if not handles:
        return []
    # Most pages are described, and need nothing that makes items.
    from handle_system.describing.unregistered import (  # noqa: PLC0415 (as it says)
        may_be_unregistered,
    )

    name = files[-1].path.name
    return [
        _finding_about_undescribed_work(
            handle,
            places[handle],
            name,
            "" if handle in references.not_found else command,
        )
        for handle in handles
        # No update describes a placeholder.
        if may_be_unregistered(handle)
    ]


def _finding_about_undescribed_work(
    handle: Handle, places: Sequence[Place], name: str, command: str
) -> Finding:
    advice = "add its metadata"
    if not command:
        advice = "no agency had its metadata: correct it, or write its item by hand"
    return Finding(
        code=Code.UNDESCRIBED,
        subject=str(handle),
        message=f"{name} does not describe it",
        severity=Code.UNDESCRIBED.severity(),
        places=tuple(places),
        advice=advice,
        command=command,
    )


def _source(update: "Update", proxies: Proxies) -> tuple[Fact, ...]:
    """The notice, or the newer work, with its address if it has one."""
    if not update.by:
        return ()
    address = proxies.link(update.handle) if update.handle else update.by
    return (Fact(update.state.source_noun, address),)


def findings_about_files(references: DescribedWorks) -> list[Finding]:
    """What is wrong with the files of references that a project names."""
    findings = [
        finding_about_file(problem, str(file.path))
        for file, problem in references.unreadable_files(is_made_later=False)
    ]
    return findings + findings_about_retractions(references)


def finding_about_file(
    problem: str, file: str, severity: Severity = Severity.WARNING
) -> Finding:
    """The finding about a file of references that cannot be read.

    Args:
        problem: The problem, without the path.
        file: The name of the file in reports.
        severity: Its severity.
    """
    return Finding(
        code=Code.REFERENCES,
        subject=file,
        message=problem,
        severity=severity,
        places=(Place(file),),
    )


def finding_about_age(
    last_asked: str, age: int, name: str, command: str, *, today: dt.date
) -> Finding | None:
    """The note that nobody asked for a long time what became of the works.

    It is about the last file, because the command writes no other.

    Args:
        last_asked: The day since which nobody asked (`ReferencesFile.last_asked`).
        age: The days after which a file is old; 0 if it never is.
        name: The name of the last file in reports.
        command: The command that asks.
        today: The date.
    """
    if not last_asked or not age:
        return None
    # The file gives days of the calendar alone.
    if (today - dt.date.fromisoformat(last_asked)).days <= age:
        return None
    message = f"states were last asked for on {last_asked}"
    return _finding_about_old_file(name, message, "ask again", command)


def _finding_about_old_file(
    name: str, message: str, advice: str, command: str = ""
) -> Finding:
    return Finding(
        code=Code.REFERENCES_AGE,
        subject=name,
        message=message,
        severity=Code.REFERENCES_AGE.severity(),
        places=(Place(name),),
        advice=advice,
        command=command,
    )


def findings_about_retractions(
    references: DescribedWorks,
    shown: Callable[[Path], str] = str,
    today: dt.date | None = None,
) -> list[Finding]:
    """What is to be said about the file of Retraction Watch: it is unreadable, or old.

    Args:
        references: The files of references.
        shown: Gives the name of a file in reports.
        today: The date; `None` for that of today.
    """
    file = references.retractions
    if file is None:
        return []
    name = shown(file.path)
    if file.problem:
        return [finding_about_file(file.problem, name)]
    if file.last_day is None:
        return [finding_about_file("it has no record with a date", name)]
    day = today or dt.date.today()  # noqa: DTZ011 (the day of the user)
    if (day - file.last_day).days <= _OLD_RETRACTIONS:
        return []
    message = f"its newest record is of {file.last_day}"
    advice = "get the newest file of Retraction Watch"
    return [_finding_about_old_file(name, message, advice)]


def update_command(
    files: Iterable[str], paths: Iterable[str], *, refreshes: bool = False
) -> str:
    """The command that asks for the works which the files do not describe.

    Args:
        files: The paths of the files of references; none if the command finds them.
        paths: The files and folders that cite the works.
        refreshes: Whether it asks again what became of all works.

    >>> update_command(["docs/refs.json"], ["docs"])
    'hdl references update --references docs/refs.json docs'
    >>> update_command([], ["."], refreshes=True)
    'hdl references update --refresh'
    """
    begin = "hdl references update --refresh" if refreshes else "hdl references update"
    return command_for(_with_files(begin, files), paths)


def _with_files(command: str, files: Iterable[str]) -> str:
    return " ".join([command, *(f"--references {quoted(path)}" for path in files)])


def command_for(command: str, paths: Iterable[str]) -> str:
    """A command for files and folders, safe to paste into a shell.

    Without a path the commands read the current folder.

    >>> command_for("hdl check", ["docs", "README.md"]), command_for("hdl check", ["."])
    ('hdl check docs README.md', 'hdl check')
    """
    named = [*paths]
    if named == ["."]:
        return command
    return " ".join([command, *map(quoted, named)])


def accept_command(notice: str, files: Iterable[str] = ()) -> str:
    """The command that accepts a notice, safe to paste into a shell.

    Args:
        notice: The identifier of the notice.
        files: The paths of the files of references; none if the command finds them.

    >>> accept_command("10.1016/s0140-6736(10)60175-4")
    "hdl references accept '10.1016/s0140-6736(10)60175-4'"
    """
    return command_for(_with_files("hdl references accept", files), [notice])


def quoted(text: str) -> str:
    """An argument as a shell reads it; an invisible character is shown as an escape."""
    shown = showable(text)
    if sys.platform == "win32":
        return _quoted_for_windows(shown)
    return shlex.quote(shown)


def _quoted_for_windows(text: str) -> str:
    """An argument that both ``cmd``, which knows no apostrophes, and programs read.

    `shlex` quotes for POSIX alone.
    """
    if text and set(text) <= _PLAIN and not text.startswith("-"):
        return text
    parts = map(_with_doubled_end, text.split('"'))
    inner = '\\"'.join(parts)
    return f'"{inner}"'


def _with_doubled_end(text: str) -> str:
    """The text with each backslash at its end twice, for a quotation mark behind it."""
    count = len(text) - len(text.rstrip("\\"))
    return text + "\\" * count
