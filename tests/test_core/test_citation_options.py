"""`handle_system.citing.options`: the directive's options and body."""

import datetime as dt

import pytest

from handle_system.citing.block import Display
from handle_system.citing.formats import CitationFormat
from handle_system.citing.label import SaidLabels
from handle_system.citing.options import CitationContext, read_options
from handle_system.citing.values import CitationError, Reading
from handle_system.citing.work import Creator, Version, Work, WorkKind
from handle_system.handle import Handle

WORK = Handle.parse("102.100.272/Y35XYS0QH")
THIS = Handle.parse("102.100.272/0N8J991QH")
FIRST = Version(label="1.0", date=dt.date(2007, 6, 26), handle=THIS)
OPTIONS = {
    "title": "Handle Suffix Format Policy",
    "work": "102.100.272/Y35XYS0QH",
    "version": "1.0",
    "date": "2007-06-26",
    "handle": "102.100.272/0N8J991QH",
    "history": "",
}
BODY = (
    (12, "0.9 | 2007-05-25 | -                     | Draft | for comment"),
    (13, ""),
    (14, "1.0 | 2007-06-26 | 102.100.272/0N8J991QH | Initial release"),
)


def test_inline_example_says_everything() -> None:
    """The six options of the example give the work, the version, the display."""
    request = read_options(OPTIONS)

    assert request.this == FIRST
    assert request.work == Work(
        title="Handle Suffix Format Policy", handle=WORK, versions=(FIRST,)
    )
    assert request.display == Display(history=True)


def test_every_option_is_read() -> None:
    """Options beyond the example describe the work, the version, the display."""
    request = read_options(
        {
            **OPTIONS,
            "changes": "Initial release to public",
            "creators": "Carberry, Josiah; PILIN Project",
            "publisher": "Monash University",
            "kind": "report",
            "license": "CC-BY-SA-2.5",
            "language": "en-AU",
            "url": "https://example.org/1.0/",
            "formats": "bibtex ris",
            "uris": None,
            "reference": "yes",
            "history": "no",
        }
    )

    this = Version(
        label="1.0",
        date=dt.date(2007, 6, 26),
        handle=THIS,
        changes="Initial release to public",
        url="https://example.org/1.0/",
    )
    assert request.this == this
    assert request.work == Work(
        title="Handle Suffix Format Policy",
        handle=WORK,
        versions=(this,),
        creators=(Creator.person("Carberry", "Josiah"), Creator(name="PILIN Project")),
        publisher="Monash University",
        kind=WorkKind.REPORT,
        license="CC-BY-SA-2.5",
        language="en-AU",
    )
    assert request.display == Display(
        uris=True,
        reference=True,
        formats=(CitationFormat.BIBTEX, CitationFormat.RIS),
    )


def test_body_is_the_history() -> None:
    """Each line is a version; the last column may hold the separator."""
    request = read_options({"title": "Policy", "version": "1.0"}, BODY)

    assert request.work.versions == (
        Version(label="0.9", date=dt.date(2007, 5, 25), changes="Draft | for comment"),
        Version(
            label="1.0",
            date=dt.date(2007, 6, 26),
            handle=THIS,
            changes="Initial release",
        ),
    )
    assert request.this == request.work.versions[1]


def test_row_may_stop_early() -> None:
    """A label alone is a version of which nothing more is known."""
    request = read_options({"title": "Policy"}, [(1, "1.0"), (2, "2.0 | -")])

    assert request.work.versions == (Version(label="1.0"), Version(label="2.0"))


def test_options_complete_the_row_of_their_version() -> None:
    """What the row leaves open, the options say."""
    body = [(1, "0.9 | 2007-05-25"), (2, "1.0")]

    request = read_options(OPTIONS, body)

    assert request.work.versions[1] == request.this == FIRST


def test_version_described_by_options_takes_its_place_in_the_history() -> None:
    """A version that the body leaves out is put where its label sorts."""
    body = [(1, "0.9"), (2, "1.1")]

    labels = [version.label for version in read_options(OPTIONS, body).work.versions]

    assert labels == ["0.9", "1.0", "1.1"]


def test_label_alone_that_the_history_lacks_stays_out_of_it() -> None:
    """A label without anything else may be a slip, and is left to the checks."""
    request = read_options({"title": "Policy", "version": "1.2"}, BODY)

    assert request.this == Version(label="1.2")
    assert request.work.position(request.this) is None


def test_options_go_before_another_source() -> None:
    """Value by value, the page overrides what a file gives."""
    work = Work(title="Policy", publisher="PILIN", handle=WORK, versions=(FIRST,))
    context = CitationContext(
        work=work,
        label="v1.0",
        display=Display(history=True, formats=(CitationFormat.TEXT,)),
    )

    untouched = read_options({}, context=context)
    changed = read_options({"title": "Rules", "handle": "-"}, context=context)

    assert (untouched.work, untouched.this) == (work, FIRST)
    assert untouched.display == context.display
    assert changed.work.title == "Rules"
    assert changed.work.publisher == "PILIN"
    assert changed.this.handle is None
    assert changed.work.versions == (changed.this,)


def test_latest_version_is_taken_when_nothing_names_one() -> None:
    """A page that says no more is about the newest version."""
    work = Work(title="Policy", versions=(FIRST, Version(label="2.0")))

    assert read_options({}, context=CitationContext(work=work)).this == FIRST


def test_handle_comes_from_the_environment() -> None:
    """An identifier that is known only when building is handed in then."""
    context = CitationContext(reading=Reading(environment={"PID": str(THIS)}))

    request = read_options({**OPTIONS, "handle": "env:PID"}, context=context)

    assert request.this.handle == THIS


@pytest.mark.parametrize(
    ("options", "body", "message", "line"),
    [
        (
            {"version": "1"},
            (),
            ":title: a work needs a title, and no other source gives one",
            None,
        ),
        (
            {"title": "", "version": "1"},
            (),
            ":title: nothing is written here",
            None,
        ),
        (
            {"title": "Policy"},
            (),
            (
                ":version: which version this is, nothing says: neither this option, "
                "nor a history, nor the configuration"
            ),
            None,
        ),
        (
            {"titel": "Policy"},
            (),
            (
                ":titel: no such option; there are title, work, version, date, handle, "
                "changes, creators, publisher, kind, license, language, url, formats, "
                "history, uris, reference"
            ),
            None,
        ),
        (
            {**OPTIONS, "date": "June 2007"},
            (),
            ":date: a date is written 2007-06-26 (year, month, day), not 'June 2007'",
            None,
        ),
        (
            {**OPTIONS, "license": "all mine"},
            (),
            ":license: 'all mine' is neither an SPDX identifier nor an address",
            None,
        ),
        (
            {"title": "Policy"},
            [(4, "| 2007-06-26")],
            (
                "version history: a row begins with the version's label: "
                "1.0 | 2007-06-26 | 102.100.272/0N8J991QH | what changed"
            ),
            4,
        ),
        (
            {"title": "Policy"},
            [(4, "1.0"), (5, "1.1 | soon")],
            (
                "version history, 1.1: "
                "a date is written 2007-06-26 (year, month, day), not 'soon'"
            ),
            5,
        ),
        (
            {"title": "Policy"},
            [(4, "1.0 | - | TBA")],
            (
                'version history, 1.0: no "/": a handle is prefix/suffix\n'
                "    TBA\n       ^"
            ),
            4,
        ),
        (
            {**OPTIONS, "date": "2007-06-27"},
            BODY,
            ":date: 2007-06-27, but the row of version 1.0 says 2007-06-26",
            14,
        ),
        (
            {**OPTIONS, "handle": "-"},
            BODY,
            (
                ":handle: not yet assigned, but the row of version 1.0 says "
                "102.100.272/0N8J991QH"
            ),
            14,
        ),
    ],
)
def test_error_options(
    options: dict[str, str | None],
    body: list[tuple[int, str]],
    message: str,
    line: int | None,
) -> None:
    """What cannot be read says what, in which option or on which line."""
    with pytest.raises(CitationError) as caught:
        read_options(options, body)

    assert str(caught.value) == message
    assert caught.value.line == line


def test_label_that_is_no_line_is_an_error() -> None:
    """Wherever the label comes from: a configuration can hold anything."""
    context = CitationContext(work=Work(title="x"), said=SaidLabels(release="1\x002"))

    with pytest.raises(CitationError) as caught:
        read_options({}, (), context)

    assert str(caught.value) == ":version: U+0000 is a control character"
