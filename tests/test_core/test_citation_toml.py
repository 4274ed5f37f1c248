"""`handle_system.citing.toml`: works and versions from a TOML file."""

import datetime as dt

import pytest
from hypothesis import given
from hypothesis import strategies as st

from handle_system.citing.toml import choose_work, read_toml
from handle_system.citing.values import CitationError, Reading
from handle_system.citing.work import Creator, Version, Work, WorkKind
from handle_system.handle import Handle

FILE = """\
[[work]]
id = "suffix-format"
title = "Handle Suffix Format Policy"
creators = [
    "PILIN Project; Plato,",
    { family = "Carberry", given = "Josiah", orcid = "0000-0002-1825-0097" },
    { name = "Rock, Paper" },
]
publisher = "Monash University"
handle = "102.100.272/Y35XYS0QH"
kind = "report"
license = "CC-BY-SA-2.5"
language = "en"
url = "https://example.org/suffix-format/"

[[work.version]]
label = "0.9"
date = "2007-05-25"
handle = "not yet assigned"

[[work.version]]
label = "1.0"
date = 2007-06-26
handle = "env:HANDLE"
changes = "Initial release to public"
url = "https://example.org/suffix-format/1.0/"

[[work]]
title = "Another"
creators = "Somebody"
"""
READING = Reading(environment={"HANDLE": "hdl:/102.100.272/0N8J991QH"})


def test_file_is_read() -> None:
    """Every key of the schema has its place in the work."""
    first, second = read_toml(FILE, READING)

    assert first.id == "suffix-format"
    assert first.work == Work(
        title="Handle Suffix Format Policy",
        creators=(
            Creator(name="PILIN Project"),
            Creator.person("Plato"),
            Creator.person("Carberry", "Josiah", orcid="0000-0002-1825-0097"),
            Creator(name="Rock, Paper"),
        ),
        publisher="Monash University",
        handle=Handle.parse("102.100.272/Y35XYS0QH"),
        kind=WorkKind.REPORT,
        license="CC-BY-SA-2.5",
        language="en",
        url="https://example.org/suffix-format/",
        versions=(
            Version(label="0.9", date=dt.date(2007, 5, 25)),
            Version(
                label="1.0",
                date=dt.date(2007, 6, 26),
                handle=Handle.parse("102.100.272/0N8J991QH"),
                changes="Initial release to public",
                url="https://example.org/suffix-format/1.0/",
            ),
        ),
    )
    assert second.id is None
    assert second.work == Work(title="Another", creators=(Creator(name="Somebody"),))


def test_file_of_an_editor_of_windows_is_read() -> None:
    """A byte order mark and other line ends change nothing."""
    assert read_toml("\ufeff" + FILE.replace("\n", "\r\n"), READING) == read_toml(
        FILE, READING
    )


def test_work_is_chosen_by_its_id() -> None:
    """A file's only work needs no name; one of several does."""
    works = read_toml(FILE, READING)

    assert choose_work(works, "suffix-format") == works[0].work
    assert choose_work(works[1:]) == works[1].work
    with pytest.raises(CitationError) as unnamed:
        choose_work(works)
    with pytest.raises(CitationError) as unknown:
        choose_work(works, "other")
    with pytest.raises(CitationError) as nameless:
        choose_work(works[1:], "other")
    assert str(unnamed.value) == (
        "work: there are 2 works (suffix-format): name one of them by its id"
    )
    assert str(unknown.value) == 'work: no work has the id "other" (suffix-format)'
    assert str(nameless.value) == 'work: no work has the id "other" (none has an id)'


@pytest.mark.parametrize(
    ("text", "message"),
    [
        ("", "the file: work is missing"),
        (
            "[work]\ntitle = 'x'",
            "work: a work begins with [[work]], in double brackets",
        ),
        ("work = 1", "work: an array is expected here, not a number"),
        ("work = [1]", "work[0]: a table is expected here, not a number"),
        ("works = []", "works: no such key; there are work"),
        ("[[work]]", "work[0]: title is missing"),
        ("[[work]]\ntitle = ' '", "work[0].title: nothing is written here"),
        (
            "[[work]]\ntitle = true",
            "work[0].title: text is expected here, not true or false",
        ),
        (
            "[[work]]\ntitle = 'x'\nhandle = 'TBA'",
            'work[0].handle: no "/": a handle is prefix/suffix\n    TBA\n       ^',
        ),
        (
            "[[work]]\ntitle = 'x'\ncreators = [{ orcid = '0000-0002-1825-0097' }]",
            (
                "work[0].creators[0]: "
                "a creator has a name, or a family name and perhaps a given one"
            ),
        ),
        (
            "[[work]]\ntitle = 'x'\ncreators = [{ name = 'x', given = 'y' }]",
            (
                "work[0].creators[0]: "
                "a creator has a name, or a family name and perhaps a given one"
            ),
        ),
        (
            "[[work]]\ntitle = 'x'\ncreators = [{ name = 'x', orcid = '1' }]",
            (
                "work[0].creators[0].orcid: "
                "'1' is no ORCID: it is written 0000-0000-0000-0000"
            ),
        ),
        (
            "[[work]]\ntitle = 'x'\n[[work.version]]\nlabel = 1.0",
            (
                "work[0].version[0].label: "
                'text is expected here, not a number: write "1.0" in quotes'
            ),
        ),
        (
            (
                "[[work]]\ntitle = 'x'\n[[work.version]]\nlabel = '1'\n"
                "[[work.version]]\nlabel = '2'\ndate = 2007-06-26T00:00:00"
            ),
            "work[0].version[1].date: a date is expected here, not a date with a time",
        ),
        (
            "[[work]]\ntitle = 'x'\n[[work.version]]\nlabel = '1'\ndoi = '10.1/2'",
            (
                "work[0].version[0].doi: "
                "no such key; there are label, date, handle, changes, url"
            ),
        ),
        (
            "[[work]]\nid = 'a'\ntitle = 'x'\n[[work]]\nid = 'a'\ntitle = 'y'",
            'work[1].id: "a" names another work before',
        ),
        (
            "[[work]]\ntitle = ",
            "the file: this is no TOML: Invalid value (at end of document)",
        ),
    ],
)
def test_error_toml(text: str, message: str) -> None:
    """What is wrong is named by its path."""
    with pytest.raises(CitationError) as caught:
        read_toml(text, READING)

    assert str(caught.value) == message


def test_error_of_a_file_nested_too_deep() -> None:
    """A file that would exhaust the parser is an error like others."""
    with pytest.raises(CitationError) as caught:
        read_toml("a = " + "[" * 100_000)

    assert str(caught.value) == "the file: it is nested too deep"


@given(st.text())
def test_reading_fails_in_one_way(text: str) -> None:
    """Whatever a file holds, it is works, or a located error."""
    try:
        outcome: object = read_toml(f"[[work]]\ntitle = '{text}'", READING)
    except CitationError as error:
        outcome = error.where

    assert outcome
