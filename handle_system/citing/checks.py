"""Checks of a citation, before and after its handles are resolved.

A finding is a value with a code, a sentence and, where there is one, text to
paste. None is an error: a page with a doubtful identifier is still a page.

The PILIN Handle Suffix Format policy (seed 002) itself gives one handle,
``102.100.272/Y35XYS0QH``, as the work's and as its version's.
"""

import json
import re
from collections.abc import Iterator, Mapping, Sequence
from functools import lru_cache
from itertools import pairwise
from urllib.parse import urlsplit

from handle_system.citing.citation import CitationCode, CitationProblem
from handle_system.citing.fields import NOT_YET_ASSIGNED
from handle_system.citing.work import (
    Version,
    Work,
    covers,
    label_key,
    same_label,
    sorted_labels,
)
from handle_system.diagnostics import DiagnosticCode, diagnose
from handle_system.errors import showable
from handle_system.handle import Handle
from handle_system.reference import HandleReference

__all__ = ["check_targets", "check_work", "same_page"]

_DEFAULT_PORT = {"http": 80, "https": 443}
_INDEX = re.compile("(?:^|/)(?:index[.]html?)?$")


def check_work(
    work: Work,
    this: Version,
    *,
    release: str | None = None,
    toml_file: str | None = None,
) -> tuple[CitationProblem, ...]:
    """The faults of a work, its history, and the version in hand.

    Args:
        work: The work, with its history as it is listed.
        this: The version in hand.
        release: The release that this version must match: equal to its label, or
            a state within it (the label ``1.2`` covers release 1.2.7, unless the
            history has 1.2.7).
        toml_file: The TOML file that holds the history, if one does.

    >>> work = Handle.parse("102.100.272/Y35XYS0QH")
    >>> first = Version(label="1.0", handle=work)
    >>> slip = Work(title="Handle Suffix Format", handle=work, versions=(first,))
    >>> [problem.code.value for problem in check_work(slip, first)]
    ['work_as_version']
    """
    return (
        *_missing(work, this, toml_file),
        *_handles(work, this),
        *_order(work),
        *_released(work, this, release, toml_file),
    )


def check_targets(
    work: Work,
    this: Version,
    targets: Mapping[Handle, str],
    *,
    page_urls: Sequence[str] = (),
) -> tuple[CitationProblem, ...]:
    """The faults of the addresses that resolved handles lead to.

    The work's handle leads to the address of its latest version's, and a version's
    to the version itself. An address that the author declares as ``url`` is as
    good: a work may have an address that always shows the latest version.

    Args:
        work: The work, with its history.
        this: The version in hand.
        targets: The target of each resolved handle; others are not judged.
        page_urls: The absolute addresses that this version's page may have; none if
            it is not known.
    """
    return (*_work_target(work, targets), *_version_target(this, targets, page_urls))


def same_page(one: str, other: str) -> bool:
    """Whether two addresses are one page for a reader.

    The scheme (http or https), the letter case of the host, its default port, a
    trailing slash, ``index.html`` and the fragment make no difference.

    >>> same_page("http://Example.org/a", "https://example.org:443/a/index.html#top")
    True
    """
    return _page(one) == _page(other)


def _missing(
    work: Work, this: Version, toml_file: str | None
) -> Iterator[CitationProblem]:
    if work.version(this.label) is None:
        labels = ", ".join(version.label for version in work.versions)
        yield CitationProblem(
            code=CitationCode.NOT_IN_HISTORY,
            message=f"version {showable(this.label)} is not in the history"
            f" ({showable(labels)})",
            suggestion=_addition(this.label, toml_file, this),
            version=this.label,
        )
    elif this.handle is None:
        prefix = _minting_prefix(work.handle)
        command = f": hdl mint --prefix {showable(prefix)}" if prefix else ""
        both = "neither the work nor " if work.handle is None else ""
        has = "has a handle yet" if both else "has no handle yet"
        yield CitationProblem(
            code=CitationCode.NOT_YET_ASSIGNED,
            message=f"{both}version {showable(this.label)} {has}",
            suggestion=f"have one assigned before this version is published{command}",
            version=this.label,
        )
    elif work.handle is None:
        yield CitationProblem(
            code=CitationCode.NOT_YET_ASSIGNED,
            message=f"the work {showable(work.title)} has no handle yet",
            suggestion="give the handle that leads to its latest version",
        )


def _handles(work: Work, this: Version) -> Iterator[CitationProblem]:
    known = work.version(this.label) is not None
    if work.handle is not None and _is_placeholder(work.handle):
        yield _placeholder(f"the work {showable(work.title)}", work.handle, None)
    owners: dict[Handle, Version] = {}
    for version in work.versions if known else (*work.versions, this):
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
                suggestion="that handle follows the work to its latest version: give "
                f"this version one of its own, or write {NOT_YET_ASSIGNED[0]}",
                version=version.label,
            )
        elif handle in owners:
            yield CitationProblem(
                code=CitationCode.SAME_HANDLE,
                message=f"{name} has the handle of version "
                f"{showable(owners[handle].label)}, {showable(str(handle))}",
                suggestion="give each version its own, or write "
                f"{NOT_YET_ASSIGNED[0]} for the one that has none",
                version=version.label,
            )
        owners.setdefault(handle, version)


def _order(work: Work) -> Iterator[CitationProblem]:
    seen = set()
    for version in work.versions:
        key = label_key(version.label)
        if key in seen:
            yield CitationProblem(
                code=CitationCode.SAME_LABEL,
                message=f"version {showable(version.label)} is in the history twice",
                suggestion="keep one of the two",
                version=version.label,
            )
        seen.add(key)
    ordered = work.ordered
    moved = [
        pair
        for pair in zip(work.versions, ordered, strict=True)
        if pair[0] is not pair[1]
    ]
    if moved:
        listed, _ = moved[0]
        labels = sorted_labels(version.label for version in ordered) or ()
        yield CitationProblem(
            code=CitationCode.LABEL_ORDER,
            message=f"version {showable(listed.label)} is not listed in its order",
            suggestion="list versions with the oldest first: "
            f"{showable(', '.join(labels))}",
            version=listed.label,
        )
    dated = [(version, version.date) for version in ordered if version.date]
    for (earlier, before), (version, date) in pairwise(dated):
        if date < before:
            yield CitationProblem(
                code=CitationCode.DATE_ORDER,
                message=f"version {showable(version.label)} is dated {date}, "
                f"before version {showable(earlier.label)} of {before}",
                suggestion="correct a date, or list versions with the oldest first",
                version=version.label,
            )


def _released(
    work: Work, this: Version, release: str | None, toml_file: str | None
) -> Iterator[CitationProblem]:
    if not release or not release.strip() or same_label(this.label, release):
        return
    named = work.version(release)
    if named is None and covers(this.label, release):
        return
    suggestion = (
        f"write version {showable(named.label)}"
        if named
        else "correct the release, or "
        f"{_addition(' '.join(release.split()), toml_file)}"
    )
    yield CitationProblem(
        code=CitationCode.RELEASE,
        message=f"this is version {showable(this.label)}, "
        f"and the release is {showable(release)}",
        suggestion=suggestion,
        version=this.label,
    )


def _work_target(
    work: Work, targets: Mapping[Handle, str]
) -> Iterator[CitationProblem]:
    latest = work.latest
    if work.handle is None or latest is None or latest.handle is None:
        return
    target, expected = targets.get(work.handle), targets.get(latest.handle)
    if target is None or expected is None:
        return
    declared = (url for url in (expected, latest.url, work.url) if url)
    if not any(same_page(target, url) for url in declared):
        yield CitationProblem(
            code=CitationCode.WORK_TARGET,
            message=f"the work's handle leads to {showable(target)}, and that of its "
            f"latest version, {showable(latest.label)}, to {showable(expected)}",
            suggestion=f"have {showable(str(work.handle))} lead to {showable(expected)}",
        )


def _version_target(
    this: Version, targets: Mapping[Handle, str], page_urls: Sequence[str]
) -> Iterator[CitationProblem]:
    target = targets.get(this.handle) if this.handle else None
    if target is None or not page_urls:
        return
    declared = [*page_urls, this.url] if this.url else page_urls
    if not any(same_page(target, url) for url in declared):
        yield CitationProblem(
            code=CitationCode.VERSION_TARGET,
            message=f"the handle of version {showable(this.label)} leads to "
            f"{showable(target)}, and not to this page, {showable(page_urls[0])}",
            suggestion=f"have {showable(str(this.handle))} lead to {showable(page_urls[0])}",
            version=this.label,
        )


def _page(url: str) -> tuple[str, int | None, str, str] | str:
    try:
        parts = urlsplit(url.strip())
        port = parts.port
    except ValueError:
        return url
    scheme = parts.scheme.lower()
    if scheme not in _DEFAULT_PORT:
        return url
    if port == _DEFAULT_PORT[scheme]:
        port = None
    return (parts.hostname or "", port, _INDEX.sub("", parts.path), parts.query)


def _minting_prefix(work: Handle | None) -> str | None:
    """The prefix beside the work's handle, if suffixes are minted under it."""
    if work is None or work.is_doi or _is_placeholder(work):
        return None
    return work.prefix


@lru_cache(maxsize=4096)
def _is_placeholder(handle: Handle) -> bool:
    findings = diagnose(HandleReference(handle=handle))
    return any(finding.code is DiagnosticCode.PLACEHOLDER for finding in findings)


def _placeholder(name: str, handle: Handle, label: str | None) -> CitationProblem:
    return CitationProblem(
        code=CitationCode.PLACEHOLDER,
        message=f"{name} has a placeholder for a handle, {showable(str(handle))}",
        suggestion=f"write {NOT_YET_ASSIGNED[0]} until there is one",
        version=label,
    )


def _addition(label: str, toml_file: str | None, version: Version | None = None) -> str:
    """The text that adds a version to the history, in the syntax of the history."""
    date = version.date.isoformat() if version and version.date else ""
    handle = str(version.handle) if version and version.handle else ""
    changes = version.changes if version else ""
    if toml_file is None:
        row = f"{label} | {date or '-'} | {handle or '-'} | {changes}"
        return f"add the row {showable(row.rstrip(' |'))}"
    keys = {"label": label, "handle": handle, "changes": changes}
    # A basic string of TOML is a string of JSON.
    lines = [
        f"{key} = {json.dumps(text, ensure_ascii=False)}"
        for key, text in keys.items()
        if text
    ]
    if date:
        lines.insert(1, f"date = {date}")
    written = "\n".join(
        f"    {showable(line)}" for line in ("[[work.version]]", *lines)
    )
    return f"add to {showable(toml_file)}, below its work:\n{written}"
