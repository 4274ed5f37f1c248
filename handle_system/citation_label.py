"""Which version a page is, when several places could say.

The nearest wins: the directive's option, the page's metadata, the
configuration, the name under which Read the Docs builds, the release of what is
described.  The first three name a version outright.  The other two were made
for something else, so they are asked which version of the history they mean:
``latest`` and ``main`` mean none, and release 1.2.7 means version 1.2 if that is
the nearest there is.
"""

from handle_system.citation import Version, Work
from handle_system.version_labels import covers, numbers_of

__all__ = ["choose_label"]


def choose_label(
    work: Work | None = None,
    *,
    page: str | None = None,
    configured: str | None = None,
    read_the_docs: str | None = None,
    release: str | None = None,
) -> str | None:
    """The label of the version in hand, if no option of a directive gives it.

    Args:
        work: The work with its history, if another source than the directive
            gives it.
        page: What the page's metadata say.
        configured: What the configuration says.
        read_the_docs: The name of the version that Read the Docs builds.
        release: The release of what is described.

    Returns:
        A label of the history, if there is one that is meant; else what was
        said, for the checks to find out; `None` if nothing was.

    >>> history = Work(title="A", versions=(Version(label="1.1"), Version(label="1.2")))
    >>> choose_label(history, read_the_docs="latest", release="1.2.7")
    '1.2'
    """
    for said in (page, configured):
        if said and said.strip():
            named = work.version(said) if work else None
            return named.label if named else said.strip()
    if read_the_docs and work:
        named = work.version(read_the_docs)
        if named:
            return named.label
    if not release or not release.strip():
        return None
    named = _meant(work, release) if work else None
    return named.label if named else release.strip()


def _meant(work: Work, release: str) -> Version | None:
    named = work.version(release)
    if named is not None:
        return named
    covering = [version for version in work.versions if covers(version.label, release)]
    return max(covering, key=_precision, default=None)


def _precision(version: Version) -> int:
    numbers = numbers_of(version.label)
    return len(numbers.release) if numbers else 0
