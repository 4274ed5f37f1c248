"""Checks of a citation, before and after its handles are resolved.

A finding is a value with a code, a sentence and, where there is one, text to
paste. None is an error: a page with a doubtful identifier is still a page.

PILIN's own policy (*Handle Suffix Format Policy*, 2007) gives one handle,
``102.100.272/Y35XYS0QH``, as the work's and as its version's.
"""

import json
import re
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import replace
from functools import lru_cache
from itertools import pairwise

from handle_system.citing.documents import CitationError
from handle_system.citing.fields import NOT_YET_ASSIGNED
from handle_system.citing.work import Version, Work, covers, label_key, same_label
from handle_system.diagnostics import diagnose
from handle_system.errors import showable
from handle_system.findings.codes import Code
from handle_system.findings.finding import Finding, Place
from handle_system.handle import Handle
from handle_system.reference import HandleReference
from handle_system.suffix_policy import SuffixPolicy

_ZENODO = frozenset({"zenodo.org", "www.zenodo.org", "sandbox.zenodo.org"})
_PAGE = re.compile(
    r"https?://(?P<host>[^/?#]*?)(?::(?:80|443))?"
    r"(?P<path>(?:/[^?#]*?)??)(?:/(?:index[.]html?)?)?(?:\?(?P<query>[^#]*))?(?:#.*)?",
    re.IGNORECASE | re.DOTALL,
)


def check_work(
    work: Work,
    this: Version,
    *,
    release: str | None = None,
    file: str | None = None,
    is_from_environment: bool = False,
    suffix_policy: SuffixPolicy | None = None,
) -> tuple[Finding, ...]:
    """The faults of a work, its history, and the version in hand.

    Args:
        work: The work, with its history as it is listed.
        this: The version in hand.
        release: The release that this version must match: equal to its label, or
            a state within it (the label ``1.2`` covers release 1.2.7, unless the
            history has 1.2.7).
        file: The TOML file that holds the history, or the ``CITATION.cff`` that
            describes the only version, if there is one.
        is_from_environment: Whether the history has the version's handle from an
            environment variable, which ``hdl assign`` leaves as it is.
        suffix_policy: The formats of suffixes, by prefix.

    >>> work = Handle.parse("102.100.272/Y35XYS0QH")
    >>> first = Version(label="1.0", handle=work)
    >>> slip = Work(title="Handle Suffix Format", handle=work, versions=(first,))
    >>> [problem.code.value for problem in check_work(slip, first)]
    ['cite-work-as-version']
    """
    return (
        *_missing(work, this, file, is_from_environment=is_from_environment),
        *_handles(work, this),
        *_suspicious(work, this, suffix_policy),
        *_order(work),
        *_released(work, this, release, file),
    )


def _fault(
    code: Code, message: str, advice: str, version: str | None = None
) -> Finding:
    """A fault of a citation; its subject is the label of a version."""
    return Finding(
        code=code,
        subject=version or "",
        message=message,
        severity=code.severity(),
        advice=advice,
    )


def finding_about_citation(error: CitationError, *places: Place) -> Finding:
    """The finding about a citation that cannot be made."""
    first, *_drawing = str(error).splitlines()
    return Finding(
        code=Code.CITATION,
        subject=error.where,
        message=first,
        severity=Code.CITATION.severity(),
        places=places or (Place(line=error.line or 0),),
        excerpt=error.excerpt,
    )


def check_targets(
    work: Work,
    this: Version,
    targets: Mapping[Handle, Sequence[str]],
    *,
    page_urls: Sequence[str] = (),
) -> Iterator[Finding]:
    """The faults of the addresses that resolved handles lead to.

    The work's handle does not lead to a version before the latest, and a version's
    leads to the version itself, or to its page at Zenodo: Zenodo registers no other
    addresses, and documentation is never there. An address that the author declares as ``url`` is as
    good: a work may have an address that always shows the latest version.

    Args:
        work: The work, with its history.
        this: The version in hand.
        targets: The addresses to which each resolved handle may lead a reader, the
            usual one first; handles without an address are not judged.
        page_urls: The absolute addresses that this version's page may have; none if
            it is not known.
    """
    yield from _work_at_an_older_version(work, targets)
    version_targets = targets.get(this.handle, ()) if this.handle else ()
    if not (version_targets and page_urls):
        return
    if this.url is None and any(map(_is_at_zenodo, version_targets)):
        return
    if not _share_a_page(version_targets, [*page_urls, this.url]):
        page = showable(page_urls[0])
        yield _fault(
            code=Code.CITE_VERSION_TARGET,
            message=f"the handle of version {showable(this.label)} leads to "
            f"{showable(version_targets[0])}, and not to this page, {page}",
            advice=f"have {showable(str(this.handle))} lead to "
            f"{showable(this.url or page_urls[0])}",
            version=this.label,
        )


def _is_at_zenodo(url: str) -> bool:
    """Whether an address is a page of Zenodo, or of its sandbox."""
    return page_key(url)[0] in _ZENODO


def _share_a_page(targets: Sequence[str], urls: Sequence[str | None]) -> bool:
    """Whether one of the targets is the page of one of the addresses."""
    pages = {page_key(url) for url in urls if url}
    return any(page_key(target) in pages for target in targets)


def _work_at_an_older_version(
    work: Work, targets: Mapping[Handle, Sequence[str]]
) -> Iterator[Finding]:
    """The fault of a work's handle that leads to a version before the latest.

    A repository may have a page of the work's own, which leads on to the latest version:
    only the address of another version is certainly wrong.
    """
    latest = work.latest
    work_targets = targets.get(work.handle, ()) if work.handle else ()
    if latest is None or latest.handle is None or not work_targets:
        return
    if not targets.get(latest.handle):
        # Before it is registered, the work leads to the version before.
        return
    right = [*_addresses(latest, targets), work.url]
    if _share_a_page(work_targets, right):
        return
    for version in work.ordered:
        if version is latest:
            break
        if not _share_a_page(work_targets, _addresses(version, targets)):
            continue
        expected = next(filter(None, right), "its address")
        yield _fault(
            code=Code.CITE_WORK_TARGET,
            message=f"the work's handle leads to version {showable(version.label)}, "
            f"{showable(work_targets[0])}, and not to the latest, "
            f"{showable(latest.label)}",
            advice=f"have {showable(str(work.handle))} lead to {showable(expected)}",
        )
        return


def _addresses(
    version: Version, targets: Mapping[Handle, Sequence[str]]
) -> list[str | None]:
    """The addresses of a version: those that its handle leads to, and its own."""
    of_handle = targets.get(version.handle, ()) if version.handle else ()
    return [*of_handle, version.url]


def page_key(url: str) -> tuple[str, str, str] | str:
    """A key that all addresses share that are one page for a reader, and no others.

    The scheme (http or https), the letter case of the host, its default port, a
    trailing slash, ``index.html`` and the fragment make no difference.

    >>> page_key("http://Example.org/a") == page_key(
    ...     "https://example.org:443/a/index.html#top"
    ... )
    True
    """
    found = _PAGE.fullmatch(url.strip())
    if found is None:
        return url
    return found["host"].lower(), found["path"], found["query"] or ""


def _missing(
    work: Work,
    this: Version,
    file: str | None,
    *,
    is_from_environment: bool,
) -> Iterator[Finding]:
    if work.version(this.label) is None:
        labels = ", ".join(version.label for version in work.versions)
        where = "in the history"
        if file is not None and not _is_toml(file):
            where = f"the one that {showable(file)} describes"
        yield _fault(
            code=Code.CITE_NOT_IN_HISTORY,
            message=f"version {showable(this.label)} is not {where}"
            f" ({showable(labels)})",
            advice=_addition(this, file),
            version=this.label,
        )
    elif this.handle is None:
        message = f"version {showable(this.label)} has no handle yet"
        if work.handle is None:
            message = (
                f"neither the work nor version {showable(this.label)} has a handle yet"
            )
        assigned_file = None if is_from_environment else file
        command = _assigning_command(work.handle, assigned_file)
        yield _fault(
            code=Code.CITE_NOT_YET_ASSIGNED,
            message=message,
            advice=f"have one assigned before this version is published{command}",
            version=this.label,
        )
    elif work.handle is None:
        yield _fault(
            code=Code.CITE_NOT_YET_ASSIGNED,
            message=f"the work {showable(work.title)} has no handle yet",
            advice="give the handle that leads to its latest version",
        )


def _is_toml(file: str) -> bool:
    return file.casefold().endswith(".toml")


def _assigning_command(work_handle: Handle | None, file: str | None) -> str:
    """The command that gives a version a handle beside the work's, behind a colon."""
    # Agencies assign DOIs.
    if work_handle is None or work_handle.is_doi or _is_placeholder(work_handle):
        return ""
    prefix = showable(work_handle.prefix)
    if file is None or not _is_toml(file):
        return f": hdl mint --prefix {prefix}"
    return f": hdl assign {file} --prefix {prefix}"


def _handles(work: Work, this: Version) -> Iterator[Finding]:
    is_listed = work.version(this.label) is not None
    versions = work.versions if is_listed else (*work.versions, this)
    named = [
        (f"the work {showable(work.title)}", work.handle, None),
        *(
            (f"version {showable(version.label)}", version.handle, version.label)
            for version in versions
        ),
    ]
    owners: dict[Handle, str] = {}
    for name, handle, label in named:
        if handle is None:
            continue
        if _is_placeholder(handle):
            yield _fault(
                code=Code.CITE_PLACEHOLDER,
                message=f"{name} has a placeholder for a handle, {showable(str(handle))}",
                advice=f"leave it out, or write {NOT_YET_ASSIGNED[0]}, until there "
                "is one",
                version=label,
            )
        if handle not in owners:
            owners[handle] = name
        elif handle == work.handle:
            yield _fault(
                code=Code.CITE_WORK_AS_VERSION,
                message=f"{name} is given the work's own handle, {showable(str(handle))}",
                advice="that handle follows the work to its latest version: give "
                f"this version one of its own, or write {NOT_YET_ASSIGNED[0]}",
                version=label,
            )
        else:
            yield _fault(
                code=Code.CITE_SAME_HANDLE,
                message=f"{name} has the handle of {owners[handle]}, "
                f"{showable(str(handle))}",
                advice="give each version its own, or write "
                f"{NOT_YET_ASSIGNED[0]} for the one that has none",
                version=label,
            )


def _suspicious(
    work: Work, this: Version, suffix_policy: SuffixPolicy | None
) -> Iterator[Finding]:
    """The findings about the identifiers themselves: readers copy them from the card."""
    handles = [work.handle, this.handle]
    handles += [version.handle for version in work.versions]
    for handle in dict.fromkeys(handles):
        if handle is None:
            continue
        for finding in diagnose(HandleReference(handle=handle), suffix_policy):
            if finding.code is not Code.PLACEHOLDER:
                place = Place(written=str(handle))
                yield replace(finding, subject=str(handle), places=(place,))


def _order(work: Work) -> Iterator[Finding]:
    owners: dict[object, Version] = {}
    for version in work.versions:
        if owners.setdefault(label_key(version.label), version) is not version:
            yield _fault(
                code=Code.CITE_SAME_LABEL,
                message=f"version {showable(version.label)} is in the history twice",
                advice="keep one of the two",
                version=version.label,
            )
    ordered = work.ordered
    for version, expected in zip(work.versions, ordered, strict=True):
        if version is not expected:
            labels = ", ".join(known.label for known in ordered)
            yield _fault(
                code=Code.CITE_LABEL_ORDER,
                message=f"version {showable(version.label)} is not listed in its order",
                advice=f"list versions with the oldest first: {showable(labels)}",
                version=version.label,
            )
            break
    dated = [(version, version.date) for version in ordered if version.date]
    for (earlier, before), (version, date) in pairwise(dated):
        if date.is_before(before):
            yield _fault(
                code=Code.CITE_DATE_ORDER,
                message=f"version {showable(version.label)} is dated {date.isoformat()}, "
                f"before version {showable(earlier.label)} of {before.isoformat()}",
                advice="correct a date, or list versions with the oldest first",
                version=version.label,
            )


def _released(
    work: Work,
    this: Version,
    release: str | None,
    file: str | None,
) -> Iterator[Finding]:
    label = " ".join((release or "").split())
    if not label or same_label(this.label, label):
        return
    released = work.version(label)
    if released is not None:
        advice = f"write version {showable(released.label)}"
    elif covers(this.label, label):
        return
    else:
        addition = _addition(Version(label=label), file)
        advice = f"correct the release, or {addition}"
    yield _fault(
        code=Code.CITE_RELEASE,
        message=f"this is version {showable(this.label)}, "
        f"and the release is {showable(label)}",
        advice=advice,
        version=this.label,
    )


@lru_cache(maxsize=4096)
def _is_placeholder(handle: Handle) -> bool:
    return any(
        finding.code is Code.PLACEHOLDER
        for finding in diagnose(HandleReference(handle=handle))
    )


def _addition(version: Version, file: str | None) -> str:
    """The text that adds a version to the history, in the syntax of the history.

    A ``CITATION.cff`` has one version and no history.
    """
    if file is not None and not _is_toml(file):
        line = f'version: "{version.label}"'
        return f"write {showable(line)} in {showable(file)}"
    cells = {
        "label": version.label,
        "date": version.date.isoformat() if version.date else "",
        "handle": str(version.handle or ""),
        "changes": version.changes,
    }
    if file is None:
        row = " | ".join(cell or "-" for cell in cells.values())
        return f"add the row {showable(row.removesuffix(' | -'))}"
    # A basic string of TOML is a string of JSON.
    lines = (
        f"    {name} = {json.dumps(cell, ensure_ascii=False)}"
        for name, cell in cells.items()
        if cell
    )
    first = f"add to {file}, below its work:"
    return "\n".join(map(showable, (first, "    [[work.version]]", *lines)))
