"""`handle_system.citing.checks`: faults of a citation, before and after resolving."""

from dataclasses import replace

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from handle_system.citing.checks import check_targets, check_work, page_key
from handle_system.citing.style import Date
from handle_system.citing.work import Version, Work
from handle_system.handle import Handle

WORK = Handle.parse("102.100.272/Y35XYS0QH")
FIRST = Version(
    label="1.0",
    date=Date(2007, 6, 26),
    handle=Handle.parse("102.100.272/0N8J991QH"),
)
SECOND = Version(label="2.0", date=Date(2008, 1, 1), handle=Handle("1", "second"))
POLICY = Work(title="Policy", handle=WORK, versions=(FIRST, SECOND))


def history(*versions: Version) -> Work:
    """The work with another history."""
    return replace(POLICY, versions=versions)


def version(label: str, handle: str, date: Date | None = None) -> Version:
    """A version with a handle."""
    return Version(label=label, handle=Handle.parse(handle), date=date)


FAULTS = {
    "the work's handle as the version's (PILIN 2007)": (
        history(replace(FIRST, label="V1.0", handle=WORK)),
        [
            (
                "version V1.0 is given the work's own handle, 102.100.272/Y35XYS0QH; "
                "that handle follows the work to its latest version: "
                "give this version one of its own, or write not yet assigned"
            )
        ],
    ),
    "one handle, as the system compares them": (
        history(version("1.0", "10.1000/ABC"), version("1.1", "10.1000/abc")),
        [
            (
                "version 1.1 has the handle of version 1.0, 10.1000/abc; give each version "
                "its own, or write not yet assigned for the one that has none"
            )
        ],
    ),
    "an order of labels that falls": (
        history(SECOND, FIRST),
        [
            (
                "version 2.0 is not listed in its order; "
                "list versions with the oldest first: 1.0, 2.0"
            )
        ],
    ),
    "dates that fall, with a gap": (
        history(FIRST, version("1.5", "1/gap"), version("2", "1/2", Date(2006, 1, 1))),
        [
            (
                "version 2 is dated 2006-01-01, before version 1.0 of 2007-06-26; "
                "correct a date, or list versions with the oldest first"
            )
        ],
    ),
    "dates of which one is not known to the day": (
        history(
            FIRST,
            version("1.5", "1/a", Date(2007, 6)),
            version("1.6", "1/b", Date(2007, 6, 1)),
        ),
        [],
    ),
    "labels without an order": (
        history(version("Spring", "1/a"), SECOND, replace(FIRST, date=None)),
        [],
    ),
    "a label twice": (
        history(FIRST, version("V1.0", "1/twin")),
        ["version V1.0 is in the history twice; keep one of the two"],
    ),
    "a placeholder for the work": (
        replace(history(FIRST), handle=Handle("1", "TBA")),
        [
            (
                "the work Policy has a placeholder for a handle, 1/TBA; "
                "leave it out, or write not yet assigned, until there is one"
            )
        ],
    ),
    **{
        f"a placeholder for a version, {handle}": (
            history(version("1.0", handle)),
            [
                (
                    f"version 1.0 has a placeholder for a handle, {handle}; "
                    "leave it out, or write not yet assigned, until there is one"
                )
            ],
        )
        for handle in (
            *("102.100.272/TBA", "102.100.272/tbd"),
            *("102.100.272/XXXXXXXXX", "10.5072/abc"),
        )
    },
    **{
        # A suffix can be minted beside the work's; a DOI comes from its agency.
        f"a draft of {handle}": (
            Work(title="W", handle=handle, versions=(Version(label="1"),)),
            [
                (
                    f"{has} yet; have one assigned before this version is published"
                    f"{command}"
                )
            ],
        )
        for handle, has, command in (
            (
                Handle("20.1000", "w"),
                "version 1 has no handle",
                ": hdl mint --prefix 20.1000",
            ),
            (Handle("10.1000", "w"), "version 1 has no handle", ""),
            (None, "neither the work nor version 1 has a handle", ""),
        )
    },
    "a work without a handle": (
        replace(history(FIRST), handle=None),
        [
            (
                "the work Policy has no handle yet; "
                "give the handle that leads to its latest version"
            )
        ],
    ),
}


THIRD = replace(version("3.0", "1/2", Date(2009, 1, 1)), changes='"Ω"')
MISSING = "version 3.0 is not in the history (1.0, 2.0); add"
# The work, the version in hand, the release, the TOML file, and the messages.
CASES: list[tuple[Work, Version, str | None, str | None, list[str]]] = [
    *(
        (POLICY, FIRST, release, None, [])
        for release in (None, "", " ", "1.0", "v1.0.0", "1.0.3")
    ),
    *((work, work.versions[0], None, None, said) for work, said in FAULTS.values()),
    (
        POLICY,
        THIRD,
        None,
        None,
        [f'{MISSING} the row 3.0 | 2009-01-01 | 1/2 | "Ω"'],
    ),
    (POLICY, Version(label="3.0"), None, None, [f"{MISSING} the row 3.0 | - | -"]),
    (
        POLICY,
        THIRD,
        None,
        "works.toml",
        [
            (
                f"{MISSING} to works.toml, below its work:\n"
                "    [[work.version]]\n"
                '    label = "3.0"\n'
                '    date = "2009-01-01"\n'
                '    handle = "1/2"\n'
                '    changes = "\\"Ω\\""'
            )
        ],
    ),
    (
        POLICY,
        FIRST,
        "2.0",
        None,
        ["this is version 1.0, and the release is 2.0; write version 2.0"],
    ),
    (
        POLICY,
        FIRST,
        "1.1",
        None,
        [
            (
                "this is version 1.0, and the release is 1.1; "
                "correct the release, or add the row 1.1 | - | -"
            )
        ],
    ),
    # 1.0 covers 1.0.3 only while 1.0.3 is no version of its own.
    (
        history(FIRST, version("1.0.3", "1/patch")),
        FIRST,
        "1.0.3",
        None,
        ["this is version 1.0, and the release is 1.0.3; write version 1.0.3"],
    ),
]


@pytest.mark.parametrize(("work", "this", "release", "file", "expected"), CASES)
def test_faults(
    work: Work,
    this: Version,
    release: str | None,
    file: str | None,
    expected: list[str],
) -> None:
    """A citation that can be true raises no alarm; each fault has a sentence and its
    remedy, in the syntax of the history, and there are no others."""
    problems = check_work(work, this, release=release, file=file)
    assert [str(problem) for problem in problems] == expected


def test_hostile_text_is_escaped() -> None:
    """A report never carries a character that a terminal obeys."""
    hostile = replace(FIRST, label="\u202a1.0\u202c", handle=WORK)

    problems = check_work(history(hostile), hostile, release="\x1b[31m")
    assert not {"\u202a", "\x1b"} & {*"".join(map(str, problems))}


ONE = "https://example.org/1.0/"
TWO = "https://example.org/2.0/"
TARGETS = {FIRST.handle: ONE, SECOND.handle: TWO, WORK: TWO}


def test_targets() -> None:
    """The work leads to no older version, and the version to its page; an
    address that the author declares is as good; unresolved handles are not judged."""
    targets = {handle: [url] for handle, url in TARGETS.items() if handle}
    latest = "https://example.org/latest/"
    declared = replace(POLICY, url=latest)
    elsewhere = replace(FIRST, url="https://archive.example.org/1")
    there = {
        **targets,
        WORK: [latest],
        Handle.parse(str(FIRST.handle)): [elsewhere.url or ""],
    }

    assert not [*check_targets(POLICY, FIRST, targets, page_urls=[f"{ONE}index.html"])]
    assert not [*check_targets(declared, elsewhere, there, page_urls=[ONE])]
    assert not [*check_targets(POLICY, FIRST, {}, page_urls=[TWO])]
    assert not [*check_targets(POLICY, FIRST, {WORK: [ONE]})]
    # A repository has a page of the work's own, from which it redirects.
    landing = {**targets, WORK: ["https://repository.example.org/doi/10.5281/1"]}
    assert not [*check_targets(POLICY, FIRST, landing)]
    assert not [*check_targets(Work(title="x"), Version(label="1"), targets)]
    stale = [*check_targets(POLICY, FIRST, {**targets, WORK: [ONE]}, page_urls=[TWO])]
    assert [(each.code, each.subject, str(each)) for each in stale] == [
        (
            "cite-work-target",
            "",
            (
                "the work's handle leads to version 1.0, https://example.org/1.0/, and not "
                "to the latest, 2.0; "
                "have 102.100.272/Y35XYS0QH lead to https://example.org/2.0/"
            ),
        ),
        (
            "cite-version-target",
            "1.0",
            (
                "the handle of version 1.0 leads to https://example.org/1.0/, and not to this "
                "page, https://example.org/2.0/; "
                "have 102.100.272/0N8J991QH lead to https://example.org/2.0/"
            ),
        ),
    ]


def test_a_wrong_target_is_corrected_to_what_is_registered() -> None:
    """The address that the author declares, as in the registrations, and not the file."""
    declared = replace(FIRST, url=ONE)
    targets = {handle: [TWO] for handle in TARGETS if handle}
    pages = [f"{ONE}index.html", ONE]

    advice = [
        problem.advice
        for version in (declared, FIRST)
        for problem in check_targets(POLICY, version, targets, page_urls=pages)
    ]
    assert advice == [
        f"have {FIRST.handle} lead to {ONE}",
        f"have {FIRST.handle} lead to {ONE}index.html",
    ]


def test_page_at_zenodo_is_right() -> None:
    """Zenodo's DOIs lead to Zenodo and never to documentation, unless the author declares
    another address."""
    at_zenodo = {FIRST.handle: ["https://zenodo.org/doi/10.5281/zenodo.1"]}
    targets = {handle: urls for handle, urls in at_zenodo.items() if handle}
    declared = replace(FIRST, url="https://zenodo.org/records/2")
    elsewhere = {handle: ["https://notzenodo.org/records/1"] for handle in targets}

    assert not [*check_targets(POLICY, FIRST, targets, page_urls=[ONE])]
    for version, leads in ((declared, targets), (FIRST, elsewhere)):
        [problem] = check_targets(POLICY, version, leads, page_urls=[ONE])
        assert problem.code.value == "cite-version-target"


def test_any_page_that_a_handle_may_lead_to_is_right() -> None:
    """Of several locations, each may be the page of the version and of the work."""
    targets = {handle: [url] for handle, url in TARGETS.items() if handle}
    mirrored = {
        handle: ["https://a.example/", *urls] for handle, urls in targets.items()
    }

    assert not [*check_targets(POLICY, FIRST, mirrored, page_urls=[ONE])]
    assert [
        problem.code.value
        for problem in check_targets(POLICY, FIRST, mirrored, page_urls=[TWO])
    ] == ["cite-version-target"]


@pytest.mark.parametrize(
    ("one", "other", "same"),
    [
        ("http://example.org", "https://EXAMPLE.org:443/", True),
        ("https://example.org/a/", "https://example.org/a#b", True),
        ("https://example.org/a/index.htm", "https://example.org/a", True),
        ("https://example.org/index.html", "https://example.org", True),
        ("https://example.org/a?b", "https://example.org/a?c", False),
        ("https://example.org/a", "https://example.org/A", False),
        ("https://example.org:8080/", "https://example.org/", False),
        ("https://example.org/aindex.html", "https://example.org/a", False),
        ("ftp://example.org/a", "https://example.org/a", False),
        ("https://[example.org/", "https://[example.org/", True),
        ("https://example.org:x/", "https://example.org/", False),
    ],
)
def test_addresses_of_one_page(one: str, other: str, *, same: bool) -> None:
    """Spellings of one address are one; other addresses are not."""
    assert (page_key(one) == page_key(other)) is same


@settings(max_examples=30)
@given(st.text())
def test_any_target_has_a_key(text: str) -> None:
    """Targets are strangers' text, and any is compared."""
    assert page_key(f"https://{text}/x") == page_key(f"HTTP://{text}/x#top")
