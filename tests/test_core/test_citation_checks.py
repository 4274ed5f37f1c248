"""`handle_system.citing.checks`: whether a citation can be true."""

import datetime as dt

import pytest

from handle_system.citing.checks import CitationCode, check_work
from handle_system.citing.work import Version, Work
from handle_system.handle import Handle

WORK = Handle.parse("102.100.272/Y35XYS0QH")
FIRST = Version(
    label="1.0", date=dt.date(2007, 6, 26), handle=Handle.parse("102.100.272/0N8J991QH")
)
SECOND = Version(
    label="2.0", date=dt.date(2008, 1, 1), handle=Handle.parse("102.100.272/SECOND001")
)
POLICY = Work(title="Policy", handle=WORK, versions=(FIRST, SECOND))


def messages(work: Work, this: Version, release: str | None = None) -> list[str]:
    """The findings as they are shown."""
    return [str(problem) for problem in check_work(work, this, release=release)]


def codes(work: Work, this: Version, release: str | None = None) -> list[CitationCode]:
    """The findings' codes."""
    return [problem.code for problem in check_work(work, this, release=release)]


@pytest.mark.parametrize("release", [None, "", " ", "1.0", "v1.0.0", "1.0.3"])
def test_true_citation_has_no_finding(release: str | None) -> None:
    """What can be true raises no alarm."""
    assert messages(POLICY, FIRST, release) == []


def test_policys_own_slip_is_found() -> None:
    """Seed 002 gives the work's handle as its version's."""
    slip = Version(label="V1.0", date=dt.date(2007, 6, 26), handle=WORK)

    assert messages(POLICY.with_versions(slip), slip) == [
        (
            "version V1.0 is given the work's own handle, 102.100.272/Y35XYS0QH; "
            "that handle follows the work to its latest version: "
            "give this version one of its own, or write not yet assigned"
        )
    ]


def test_version_that_the_history_lacks_is_found_with_its_row() -> None:
    """The row to add is written out."""
    third = Version(label="3.0", date=dt.date(2009, 1, 1), handle=Handle("1", "2"))

    assert messages(POLICY, third) == [
        (
            "version 3.0 is not in the history (1.0, 2.0); "
            "add the row 3.0 | 2009-01-01 | 1/2"
        )
    ]
    assert messages(POLICY.with_versions(), FIRST) == [
        (
            "version 1.0 is not in the history; "
            "add the row 1.0 | 2007-06-26 | 102.100.272/0N8J991QH"
        )
    ]


def test_missing_handles_are_found() -> None:
    """Work and version each say that they have no handle; others do not."""
    draft = Version(label="2.1")
    work = Work(title="Policy", versions=(FIRST, Version(label="2.0"), draft))

    assert messages(work, draft) == [
        (
            "the work Policy has no handle yet; "
            "give the handle that leads to its latest version"
        ),
        (
            "version 2.1 has no handle yet; "
            "have one assigned before this version is published"
        ),
    ]


def test_one_handle_for_two_versions_is_found() -> None:
    """Handles count as the system compares them."""
    upper = Version(label="1.0", handle=Handle.parse("10.1000/ABC"))
    lower = Version(label="1.1", handle=Handle.parse("10.1000/abc"))

    assert messages(POLICY.with_versions(upper, lower), upper) == [
        (
            "version 1.1 has the handle of version 1.0, 10.1000/abc; "
            "give each version its own, or write not yet assigned for the one that has none"
        )
    ]


@pytest.mark.parametrize(
    "handle",
    [
        "102.100.272/TBA",
        "102.100.272/tbd",
        "102.100.272/XXXXXXXXX",
        "123456789/42",
        "10.5072/abc",
    ],
)
def test_stand_in_is_found(handle: str) -> None:
    """A stand-in, or a prefix that is nobody's, is no identifier."""
    version = Version(label="1.0", handle=Handle.parse(handle))

    assert messages(POLICY.with_versions(version), version) == [
        (
            f"version 1.0 has a stand-in for a handle, {handle}; "
            "write not yet assigned until there is one"
        )
    ]


def test_stand_in_for_the_work_is_found() -> None:
    """The work's own handle is looked at as well."""
    work = Work(title="Policy", handle=Handle("1", "TBA"), versions=(FIRST,))

    assert messages(work, FIRST) == [
        (
            "the work Policy has a stand-in for a handle, 1/TBA; "
            "write not yet assigned until there is one"
        )
    ]


def test_falling_labels_and_dates_are_found() -> None:
    """A history runs from the oldest to the newest."""
    assert messages(POLICY.with_versions(SECOND, FIRST), FIRST) == [
        (
            "version 1.0 stands after version 2.0; "
            "list versions with the oldest first: 1.0, 2.0"
        ),
        (
            "version 1.0 is dated 2007-06-26, before version 2.0 of 2008-01-01; "
            "correct a date, or list versions with the oldest first"
        ),
    ]


def test_labels_without_an_order_are_not_put_in_one() -> None:
    """Where one label has no numbers, nobody knows where it belongs."""
    spring = Version(label="Spring", handle=Handle("1", "spring"))

    assert messages(POLICY.with_versions(SECOND, FIRST, spring), FIRST)[0] == (
        "version 1.0 stands after version 2.0; list versions with the oldest first"
    )


@pytest.mark.parametrize(
    ("work", "hint"),
    [("20.1000/w", ": hdl mint --prefix 20.1000"), ("10.1000/w", ""), ("1/TBA", "")],
    ids=["handle", "DOI", "stand-in"],
)
def test_command_that_makes_a_handle_is_named(work: str, hint: str) -> None:
    """Beside the work's own; a DOI is its agency's to give."""
    draft = Version(label="1")
    cited = Work(title="W", handle=Handle.parse(work), versions=(draft,))

    assert messages(cited, draft)[0] == (
        "version 1 has no handle yet; have one assigned before this version is "
        f"published{hint}"
    )


def test_dates_are_compared_across_versions_without_one() -> None:
    """A version without a date hides nothing."""
    gap = Version(label="1.5", handle=Handle("1", "gap"))
    early = Version(label="2.0", date=dt.date(2006, 1, 1), handle=Handle("1", "early"))

    assert codes(POLICY.with_versions(FIRST, gap, early), FIRST) == [
        CitationCode.DATE_ORDER
    ]


def test_label_twice_is_found() -> None:
    """Two rows of one version are one too many."""
    twin = Version(label="V1.0", handle=Handle("1", "twin"))

    assert messages(POLICY.with_versions(FIRST, twin), FIRST) == [
        "version V1.0 is in the history twice; keep one of the two rows"
    ]


def test_other_release_is_found() -> None:
    """The version in hand is that of the release, or a finding says which is."""
    assert messages(POLICY, FIRST, "2.0") == [
        "this is version 1.0, and the release is 2.0; write version 2.0"
    ]
    assert messages(POLICY, FIRST, "1.1") == [
        (
            "this is version 1.0, and the release is 1.1; "
            "add the row 1.1 | - | -, or correct the release"
        )
    ]


def test_release_with_a_row_of_its_own_is_not_covered() -> None:
    """That 1.0 covers 1.0.3 holds only while 1.0.3 has no version of its own."""
    patch = Version(label="1.0.3", handle=Handle("1", "patch"))

    assert codes(POLICY.with_versions(FIRST, patch), FIRST, "1.0.3") == [
        CitationCode.RELEASE
    ]


def test_hostile_text_is_shown_escaped() -> None:
    """A finding never carries what a terminal would obey."""
    version = Version(label="1.0\u202e", handle=WORK)

    assert "\u202e" not in "".join(messages(POLICY.with_versions(version), version))
