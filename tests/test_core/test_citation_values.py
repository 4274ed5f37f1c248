"""`handle_system.citing.values`: reading single values, and saying where."""

import copy
import datetime as dt
import pickle

import pytest
from hypothesis import given
from hypothesis import strategies as st

from handle_system.citing.formats import CitationFormat
from handle_system.citing.values import (
    CitationError,
    Reading,
    read_date,
    read_flag,
    read_formats,
    read_kind,
    read_language,
    read_license,
    read_line,
    read_url,
)
from handle_system.citing.work import WorkKind
from handle_system.handle import Handle
from handle_system.proxies import Proxies

READING = Reading(environment={"HANDLE": " hdl:/102.100.272/0N8J991QH ", "NONE": ""})


@pytest.mark.parametrize(
    "written",
    [
        "102.100.272/0N8J991QH",
        "hdl:/102.100.272/0N8J991QH",
        "http://resolver.net.au/hdl/102.100.272/0N8J991QH",
        " HDL:102.100.272/0N8J991QH ",
        "env:HANDLE",
    ],
)
def test_handle_is_read_in_any_form(written: str) -> None:
    """An author may paste what the record, the page or the policy shows."""
    assert READING.handle(written, ":handle:") == Handle.parse("102.100.272/0N8J991QH")


@pytest.mark.parametrize(
    "written",
    ["", " ", "-", "not yet assigned", "Not yet assigned", "env:NONE", "env:X"],
)
def test_no_handle_yet(written: str) -> None:
    """That a handle does not exist yet can be written, or left to a variable."""
    assert READING.handle(written, ":handle:") is None


def test_handle_of_a_configured_proxy_is_read() -> None:
    """An institution's own links are handles too."""
    reading = Reading(
        proxies=Proxies(also=["https://hdl.example.org/"]), environment={}
    )

    assert reading.handle("https://hdl.example.org/1234/5", "x") == Handle("1234", "5")


def test_environment_of_the_process_is_the_default(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    """Without another mapping, variables are those of the process."""
    monkeypatch.setenv("HANDLE_OF_THIS_TEST", "1234/5")

    assert Reading().handle("env:HANDLE_OF_THIS_TEST", "x") == Handle("1234", "5")


@pytest.mark.parametrize(
    ("written", "message"),
    [
        (
            "TBA",
            ':handle: no "/": a handle is prefix/suffix\n    TBA\n       ^',
        ),
        (
            "hdl:1234/5?noredirect",
            (
                ":handle: a citation names a handle alone, and hdl:1234/5?noredirect has "
                "a query beside it; write 1234/5"
            ),
        ),
        (
            "hdl:1234/5#s2",
            (
                ":handle: a citation names a handle alone, and hdl:1234/5#s2 has "
                "a fragment beside it; write 1234/5"
            ),
        ),
        (
            "300:1234/5",
            (
                ":handle: a citation names a handle alone, and 300:1234/5 has "
                "an index beside it; write 1234/5"
            ),
        ),
        (
            "hdl://127.0.0.1/1234/5",
            (
                ":handle: a citation names a handle alone, and hdl://127.0.0.1/1234/5 has "
                "a server beside it; write 1234/5"
            ),
        ),
    ],
)
def test_error_handle(written: str, message: str) -> None:
    """What is no handle, or more than one, is shown with its place."""
    with pytest.raises(CitationError) as caught:
        READING.handle(written, ":handle:", 7)

    assert str(caught.value) == message
    assert (caught.value.where, caught.value.line) == (":handle:", 7)


def test_error_in_a_variable_names_the_variable() -> None:
    """A wrong handle from outside the sources says where it came from."""
    with pytest.raises(CitationError) as caught:
        Reading(environment={"H": "TBA"}).handle("env:H", "version[0].handle")

    assert str(caught.value) == (
        "version[0].handle (environment variable H): "
        'no "/": a handle is prefix/suffix\n    TBA\n       ^'
    )


def test_values_are_read() -> None:
    """Each kind of value has one reader."""
    assert read_line(" two\n  lines ", "x") == "two lines"
    assert read_date(" 2007-06-26 ", "x") == dt.date(2007, 6, 26)
    assert read_url(" https://example.org/a ", "x") == "https://example.org/a"
    assert read_kind("Report", "x") is WorkKind.REPORT
    assert read_license(" MIT ", "x") == "MIT"
    assert read_language(" pt-BR ", "x") == "pt-BR"
    assert read_formats("BibTeX, ris ris", "x") == (
        CitationFormat.BIBTEX,
        CitationFormat.RIS,
    )
    assert read_formats("all", "x") == tuple(CitationFormat)
    assert [read_flag(text, "x") for text in (None, "", "yes", "No")] == [
        True,
        True,
        True,
        False,
    ]


@pytest.mark.parametrize(
    "text", ["\u202ba\u202c", "\u2067a\u202eb\u202c\u2069", "\u202c", "שלום"]
)
def test_closed_controls_of_direction_are_text(text: str) -> None:
    """Who writes from right to left may need them."""
    assert read_line(text, "x") == text


@pytest.mark.parametrize(
    ("reader", "written", "reason"),
    [
        (read_line, " ", "nothing is written here"),
        (read_line, "a\x07", "U+0007 is a control character"),
        (
            read_line,
            "\u202ba\u202c \u202eb",
            (
                "U+202E turns the direction of text and is not closed: it would turn what "
                "stands behind, too"
            ),
        ),
        (
            read_line,
            "\u2067a\u202c",
            (
                "U+2067 turns the direction of text and is not closed: it would turn what "
                "stands behind, too"
            ),
        ),
        (read_date, "2007-02-30", "2007-02-30 is no day of the calendar"),
        (
            read_date,
            "26/6/2007",
            "a date is written 2007-06-26 (year, month, day), not '26/6/2007'",
        ),
        (
            read_url,
            "javascript:alert(1)",
            "'javascript:alert(1)' is not an absolute http or https URL",
        ),
        (
            read_kind,
            "novel",
            "'novel' is none of document, manual, report, software, dataset",
        ),
        (
            read_formats,
            "bibtex doc",
            "'doc' is none of all, bibtex, ris, csl-json, cff, text",
        ),
        (read_formats, "", "nothing is none of all, bibtex, ris, csl-json, cff, text"),
        (
            read_license,
            "all mine",
            "'all mine' is neither an SPDX identifier nor an address",
        ),
        (read_language, "e", "'e' is no BCP 47 language tag"),
        (read_flag, "maybe", "'maybe' is neither yes nor no"),
    ],
)
def test_error_value(reader: object, written: str, reason: str) -> None:
    """Every reader says what is wrong, and leaves the place to its caller."""
    assert callable(reader)
    with pytest.raises(CitationError) as caught:
        reader(written, "here", 3)

    assert caught.value.reason == reason
    assert str(caught.value) == f"here: {reason}"
    assert caught.value.line == 3


def test_error_survives_copies() -> None:
    """An error crosses process borders with its place."""
    error = CitationError("wrong", where=":date:", line=3)

    for twin in (copy.copy(error), pickle.loads(pickle.dumps(error))):  # noqa: S301 - our own bytes
        assert (twin.reason, twin.where, twin.line) == ("wrong", ":date:", 3)


@given(st.text())
def test_reading_a_handle_fails_in_one_way(text: str) -> None:
    """Whatever is written, it is a handle, nothing, or a located error."""
    try:
        outcome: object = READING.handle(text, ":handle:")
    except CitationError as error:
        outcome = error.reason

    assert outcome is None or isinstance(outcome, str | Handle)
