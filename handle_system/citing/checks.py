"""Whether a citation can be true: what the build finds without asking anyone.

Each finding is a value with a code, a sentence and, where there is one, text to
paste.  Nothing here is an error: the block is built whatever is found, because
a page with a doubtful identifier is still a page.

The need is old.  The PILIN Handle Suffix Format policy (seed 002) gives one
handle, ``102.100.272/Y35XYS0QH``, as the work's and as its version's.
"""

from collections.abc import Iterator
from dataclasses import dataclass
from enum import StrEnum
from itertools import pairwise

from handle_system.citing.values import NOT_YET_ASSIGNED
from handle_system.citing.version_labels import (
    Numbers,
    covers,
    is_later,
    label_key,
    numbers_of,
    same_label,
)
from handle_system.citing.work import Version, Work
from handle_system.diagnostics import DiagnosticCode, diagnose
from handle_system.errors import showable
from handle_system.handle import Handle
from handle_system.reference import HandleReference

__all__ = ["CitationCode", "CitationProblem", "check_work"]


class CitationCode(StrEnum):
    """What can be wrong; the value is the name under which it is suppressed."""

    NOT_YET_ASSIGNED = "not_yet_assigned"
    """The work, or the version in hand, has no handle yet."""
    NOT_IN_HISTORY = "not_in_history"
    """The version in hand is not in the version history."""
    WORK_AS_VERSION = "work_as_version"
    """A version is given the work's own handle."""
    SAME_HANDLE = "same_handle"
    """Two versions have one handle."""
    SAME_LABEL = "same_label"
    """Two versions have one label."""
    PLACEHOLDER = "placeholder"
    """A handle is a stand-in, or one of a prefix for tests."""
    DATE_ORDER = "date_order"
    """A version is older than the one before it."""
    LABEL_ORDER = "label_order"
    """A version's label comes before that of the version before it."""
    RELEASE = "release"
    """The version in hand is not that of the release."""
    WORK_TARGET = "work_target"
    """The work's handle does not lead to its latest version."""
    VERSION_TARGET = "version_target"
    """The version's handle does not lead to the version."""


@dataclass(frozen=True, slots=True, kw_only=True)
class CitationProblem:
    """One finding.

    Attributes:
        code: What it is.
        message: What is wrong, in a sentence without a full stop.
        suggestion: What to do, with text to paste where there is any.
        version: Label of the version concerned; `None` for the work itself.
    """

    code: CitationCode
    message: str
    suggestion: str
    version: str | None = None

    def __str__(self) -> str:
        return f"{self.message}; {self.suggestion}"


def check_work(
    work: Work, this: Version, *, release: str | None = None
) -> tuple[CitationProblem, ...]:
    """What is doubtful in a work, its history, and the version in hand.

    Args:
        work: The work, with its history.
        this: The version in hand.
        release: The release of what the document describes, if it should be
            this version's: equal to its label, or a state within it (the label
            ``1.2`` covers release 1.2.7, if the history has no 1.2.7).

    >>> work = Handle.parse("102.100.272/Y35XYS0QH")
    >>> first = Version(label="1.0", handle=work)
    >>> slip = Work(title="Handle Suffix Format", handle=work, versions=(first,))
    >>> [problem.code.value for problem in check_work(slip, first)]
    ['work_as_version']
    """
    return (
        *_missing(work, this),
        *_handles(work, this),
        *_order(work),
        *_released(work, this, release),
    )


def _missing(work: Work, this: Version) -> Iterator[CitationProblem]:
    if work.handle is None:
        yield CitationProblem(
            code=CitationCode.NOT_YET_ASSIGNED,
            message=f"the work {showable(work.title)} has no handle yet",
            suggestion="give the handle that leads to its latest version",
        )
    if this.handle is None:
        yield CitationProblem(
            code=CitationCode.NOT_YET_ASSIGNED,
            message=f"version {showable(this.label)} has no handle yet",
            suggestion="have one assigned before this version is published"
            f"{_minted_by(work.handle)}",
            version=this.label,
        )
    if work.position(this) is None:
        labels = ", ".join(version.label for version in work.versions)
        known = f" ({showable(labels)})" if labels else ""
        yield CitationProblem(
            code=CitationCode.NOT_IN_HISTORY,
            message=f"version {showable(this.label)} is not in the history{known}",
            suggestion=f"add the row {showable(_row(this))}",
            version=this.label,
        )


def _handles(work: Work, this: Version) -> Iterator[CitationProblem]:
    versions = list(work.versions)
    if work.position(this) is None:
        versions.append(this)
    if work.handle is not None and _is_placeholder(work.handle):
        yield _placeholder(f"the work {showable(work.title)}", work.handle, None)
    owners: dict[Handle, Version] = {}
    for version in versions:
        handle = version.handle
        if handle is None:
            continue
        name = f"version {showable(version.label)}"
        if _is_placeholder(handle):
            yield _placeholder(name, handle, version.label)
        if handle == work.handle:
            yield CitationProblem(
                code=CitationCode.WORK_AS_VERSION,
                message=f"{name} is given the work's own handle, {showable(str(handle))}",
                suggestion=(
                    "that handle follows the work to its latest version: give this "
                    f"version one of its own, or write {NOT_YET_ASSIGNED[0]}"
                ),
                version=version.label,
            )
        elif handle in owners:
            other = showable(owners[handle].label)
            yield CitationProblem(
                code=CitationCode.SAME_HANDLE,
                message=f"{name} has the handle of version {other}, "
                f"{showable(str(handle))}",
                suggestion=(
                    "give each version its own, or write "
                    f"{NOT_YET_ASSIGNED[0]} for the one that has none"
                ),
                version=version.label,
            )
        owners.setdefault(handle, version)


def _order(work: Work) -> Iterator[CitationProblem]:
    seen: set[Numbers | str] = set()
    for version in work.versions:
        key = label_key(version.label)
        if key in seen:
            yield CitationProblem(
                code=CitationCode.SAME_LABEL,
                message=f"version {showable(version.label)} is in the history twice",
                suggestion="keep one of the two rows",
                version=version.label,
            )
        seen.add(key)
    for earlier, version in pairwise(work.versions):
        if is_later(earlier.label, than=version.label):
            yield CitationProblem(
                code=CitationCode.LABEL_ORDER,
                message=(
                    f"version {showable(version.label)} stands after "
                    f"version {showable(earlier.label)}"
                ),
                suggestion=f"list versions with the oldest first{_sorted_labels(work)}",
                version=version.label,
            )
    dated = [version for version in work.versions if version.date is not None]
    for earlier, version in pairwise(dated):
        if earlier.date and version.date and version.date < earlier.date:
            yield CitationProblem(
                code=CitationCode.DATE_ORDER,
                message=(
                    f"version {showable(version.label)} is dated {version.date}, "
                    f"before version {showable(earlier.label)} of {earlier.date}"
                ),
                suggestion="correct a date, or list versions with the oldest first",
                version=version.label,
            )


def _released(
    work: Work, this: Version, release: str | None
) -> Iterator[CitationProblem]:
    if not release or not release.strip() or same_label(this.label, release):
        return
    named = work.version(release)
    if named is None and covers(this.label, release):
        return
    yield CitationProblem(
        code=CitationCode.RELEASE,
        message=(
            f"this is version {showable(this.label)}, "
            f"and the release is {showable(release)}"
        ),
        suggestion=(
            f"write version {showable(named.label)}"
            if named
            else f"add the row {showable(release.strip())} | - | -, "
            "or correct the release"
        ),
        version=this.label,
    )


def _minted_by(work: Handle | None) -> str:
    """The command that makes a handle beside the work's, if it is known."""
    if work is None or work.is_doi or _is_placeholder(work):
        return ""
    return f": hdl mint --prefix {showable(work.prefix)}"


def _sorted_labels(work: Work) -> str:
    """The labels in their order, if they all have one."""
    labels = {version.label: numbers_of(version.label) for version in work.versions}
    numbered = {label: numbers for label, numbers in labels.items() if numbers}
    if len(numbered) < len(labels):
        return ""
    ordered = sorted(numbered, key=lambda label: numbered[label])
    return f": {', '.join(map(showable, ordered))}"


def _is_placeholder(handle: Handle) -> bool:
    findings = diagnose(HandleReference(handle=handle))
    return any(finding.code is DiagnosticCode.PLACEHOLDER for finding in findings)


def _placeholder(name: str, handle: Handle, label: str | None) -> CitationProblem:
    return CitationProblem(
        code=CitationCode.PLACEHOLDER,
        message=f"{name} has a stand-in for a handle, {showable(str(handle))}",
        suggestion=f"write {NOT_YET_ASSIGNED[0]} until there is one",
        version=label,
    )


def _row(version: Version) -> str:
    date = version.date.isoformat() if version.date else "-"
    handle = str(version.handle) if version.handle else "-"
    return f"{version.label} | {date} | {handle} | {version.changes}".rstrip(" |")
