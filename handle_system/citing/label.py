"""Which version a page is, when several places could say.

The nearest wins: the directive's option, the page's metadata, the
configuration, the name under which Read the Docs builds, the release of what is
described.  The first three name a version outright.  The other two were made
for something else, so they are asked which version of the history they mean:
``latest`` and ``main`` mean none, and release 1.2.7 means version 1.2 if that is
the nearest there is.
"""

from dataclasses import dataclass

from handle_system.citing.version_labels import covers, numbers_of
from handle_system.citing.work import Version, Work

__all__ = ["SaidLabels", "choose_label"]


@dataclass(frozen=True, slots=True, kw_only=True)
class SaidLabels:
    """What each place says of which version this is.

    Attributes:
        page: The page's metadata.
        configured: The configuration.
        read_the_docs: The name of the version that Read the Docs builds.
        release: The release of what is described.
    """

    page: str | None = None
    configured: str | None = None
    read_the_docs: str | None = None
    release: str | None = None


def choose_label(work: Work, said: SaidLabels) -> str | None:
    """The label of the version in hand, if no option of a directive gives it.

    Returns:
        A label of the work's history, if there is one that is meant; else what
        was said, for the checks to find out; `None` if nothing was.

    >>> history = Work(title="A", versions=(Version(label="1.1"), Version(label="1.2")))
    >>> choose_label(history, SaidLabels(read_the_docs="latest", release="1.2.7"))
    '1.2'
    """
    for label in (said.page, said.configured):
        if label and label.strip():
            named = work.version(label)
            return named.label if named else label.strip()
    if said.read_the_docs:
        named = work.version(said.read_the_docs)
        if named:
            return named.label
    if not said.release or not said.release.strip():
        return None
    named = _meant(work, said.release)
    return named.label if named else said.release.strip()


def _meant(work: Work, release: str) -> Version | None:
    named = work.version(release)
    if named is not None:
        return named
    covering = [version for version in work.versions if covers(version.label, release)]
    return max(covering, key=_precision, default=None)


def _precision(version: Version) -> int:
    numbers = numbers_of(version.label)
    return len(numbers.release) if numbers else 0
