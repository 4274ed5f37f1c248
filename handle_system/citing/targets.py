"""Whether handles lead where a citation says: what is found once they are resolved.

`check_work` reads what is written; this looks at where the handles lead, so it is
asked when a build verifies handles.  The work's handle leads where its latest
version's does, and a version's to the version itself.  An address that the
author has declared (``url``) is as good: a work's own address that always shows
the latest version is not that version's address, and right.
"""

import re
from collections.abc import Iterator, Mapping
from urllib.parse import urlsplit

from handle_system.citing.checks import CitationCode, CitationProblem
from handle_system.citing.work import Version, Work
from handle_system.errors import showable
from handle_system.handle import Handle

__all__ = ["check_targets", "same_page"]

_DEFAULT_PORT = {"http": 80, "https": 443}
_INDEX = re.compile("(?:^|/)(?:index[.]html?)?$")


def check_targets(
    work: Work,
    this: Version,
    leads_to: Mapping[Handle, str],
    *,
    page_url: str | None = None,
) -> tuple[CitationProblem, ...]:
    """What is doubtful about where the handles of a work lead.

    Args:
        work: The work, with its history.
        this: The version in hand.
        leads_to: The address that each resolved handle leads to; a handle that
            is not here is not judged.
        page_url: The absolute address of the page in hand, if it is known.
    """
    return (*_of_work(work, leads_to), *_of_version(this, leads_to, page_url))


def same_page(one: str, other: str) -> bool:
    """Whether two addresses are one page, for all that a reader could tell.

    The scheme (http or https), the letter case of the host, its default port, a
    trailing slash, ``index.html`` and the fragment make no difference.

    >>> same_page("http://Example.org/a", "https://example.org:443/a/index.html#top")
    True
    """
    return _page(one) == _page(other)


def _of_work(work: Work, leads_to: Mapping[Handle, str]) -> Iterator[CitationProblem]:
    latest = work.latest
    if work.handle is None or latest is None or latest.handle is None:
        return
    target, expected = leads_to.get(work.handle), leads_to.get(latest.handle)
    if target is None or expected is None:
        return
    declared = (url for url in (expected, latest.url, work.url) if url)
    if not any(same_page(target, url) for url in declared):
        yield CitationProblem(
            code=CitationCode.WORK_TARGET,
            message=(
                f"the work's handle leads to {showable(target)}, and that of its "
                f"latest version, {showable(latest.label)}, to {showable(expected)}"
            ),
            suggestion=f"have {showable(str(work.handle))} lead to {showable(expected)}",
        )


def _of_version(
    this: Version, leads_to: Mapping[Handle, str], page_url: str | None
) -> Iterator[CitationProblem]:
    target = leads_to.get(this.handle) if this.handle is not None else None
    declared = [url for url in (page_url, this.url) if url]
    if target is None or page_url is None:
        return
    if not any(same_page(target, url) for url in declared):
        yield CitationProblem(
            code=CitationCode.VERSION_TARGET,
            message=(
                f"the handle of version {showable(this.label)} leads to "
                f"{showable(target)}, and not to this page, {showable(page_url)}"
            ),
            suggestion=f"have {showable(str(this.handle))} lead to {showable(page_url)}",
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
