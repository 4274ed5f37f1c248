"""`handle_system.citing`: single values, labels, works and citations."""

import copy
import datetime as dt
import io
import pickle
from collections.abc import Callable
from dataclasses import replace
from typing import Any

import pytest
from hypothesis import example, given, settings
from hypothesis import strategies as st

from handle_system.citing.card import Display
from handle_system.citing.citation import Citation, slug
from handle_system.citing.documents import CitationError
from handle_system.citing.fields import (
    HandleReader,
    allowed_variables,
    divided_license,
    http_url,
    iso_date,
    language_tag,
    one_line,
    read_orcid,
)
from handle_system.citing.formats import CitationFormat
from handle_system.citing.pipeline import (
    PageCitation,
    from_plain,
    read_work,
    to_plain,
)
from handle_system.citing.sources import configuration_source, directive_source
from handle_system.citing.style import Date, Described, Run
from handle_system.citing.work import (
    ARTICLE_TYPES,
    Creator,
    Version,
    Work,
    WorkKind,
    covers,
    same_label,
)
from handle_system.handle import Handle
from handle_system.proxies import DEFAULT_PROXIES, Proxies

# What authors write is read with the usual proxies.
READER = HandleReader(proxies=DEFAULT_PROXIES)

READER = HandleReader(
    proxies=Proxies(also=["https://hdl.example.org/"]),
    environment={
        "H": "hdl:1234/5",
        "NONE": "",
        "WRONG": "ghp_s3cret",
        "QUERY": "1/2?x",
    },
)


def test_allow_list_of_variables(monkeypatch: pytest.MonkeyPatch) -> None:
    """Only variables on the list are read; one that is not set is empty."""
    monkeypatch.setenv("H", "1234/5")
    monkeypatch.delenv("NONE", raising=False)

    assert allowed_variables(["H", "NONE"]) == {"H": "1234/5", "NONE": ""}


@pytest.mark.parametrize(
    ("read", "written", "value"),
    [
        *(
            (READER.read, written, Handle("1234", "5"))
            for written in (
                *("1234/5", " HDL:1234/5 ", "hdl:/1234/5", "env:H"),
                *("https://hdl.handle.net/1234/5", "https://hdl.example.org/1234/5"),
            )
        ),
        *(
            (READER.read, written, None)
            for written in (
                *("", " ", "-", "not yet assigned", "Not yet assigned", "env:NONE"),
            )
        ),
        (one_line, " two\n  lines ", "two lines"),
        (one_line, "\u05d0\u200f!", "\u05d0\u200f!"),
        (iso_date, " 2007-06-26 ", Date(2007, 6, 26)),
        (iso_date, "2007-06", Date(2007, 6)),
        (iso_date, "2007", Date(2007)),
        (http_url, " https://example.org/a ", "https://example.org/a"),
        (language_tag, "i-sami-no", "i-sami-no"),
        (divided_license, "MIT", ("MIT", "https://spdx.org/licenses/MIT")),
        (divided_license, "All rights reserved", ("All rights reserved", None)),
        (
            divided_license,
            "Creative Commons 2.5 <https://example.org/by>",
            ("Creative Commons 2.5", "https://example.org/by"),
        ),
        (divided_license, "A <javascript:x>", ("A <javascript:x>", None)),
        (language_tag, " pt-BR ", "pt-BR"),
        (read_orcid, "https://orcid.org/0000-0002-1825-0097", "0000-0002-1825-0097"),
        (read_orcid, "orcid:000000021694233x", "0000-0002-1694-233X"),
    ],
)
def test_value_is_read(
    read: Callable[[str], object], written: str, value: object
) -> None:
    """An author may paste a handle as a record, a page or the policy shows it, write
    that there is none yet, or leave it to a variable; marks of direction are text."""
    assert read(written) == value


@pytest.mark.parametrize(
    ("read", "written", "reason"),
    [
        (READER.read, "TBA", 'no "/" between prefix and suffix\n    TBA\n       ^'),
        *(
            (
                READER.read,
                written,
                (
                    f"{written} is more than a handle, which a citation names alone: "
                    "write 1234/5"
                ),
            )
            for written in (
                "hdl:1234/5?noredirect",
                "hdl:1234/5#s2",
                "300:1234/5",
                "hdl://127.0.0.1/1234/5",
            )
        ),
        (
            READER.read,
            "env:GITHUB_TOKEN",
            (
                "the environment variable GITHUB_TOKEN may not be read: list it in "
                "handle_environment in conf.py, or name it with --env on the command line"
            ),
        ),
        (READER.read, "env:WRONG", "the environment variable WRONG holds no handle"),
        (one_line, " ", "there is no text here"),
        (one_line, "a\x07", "U+0007 is a control character"),
        (one_line, "a\u202eb\u202c", "U+202E is a control character"),
        (one_line, "\u2067a", "U+2067 is a control character"),
        (iso_date, "2007-02-30", "2007-02-30 is not a day of the calendar"),
        (iso_date, "2007-13", "2007-13 is not a day of the calendar"),
        (
            iso_date,
            "26/6/2007",
            "a date is written 2007-06-26 (year, month, day), not '26/6/2007'",
        ),
        (
            http_url,
            "javascript:alert(1)",
            "'javascript:alert(1)' is not an absolute http or https URL",
        ),
        (language_tag, "e", "'e' is not a BCP 47 language tag"),
        (
            read_orcid,
            "0000-0002-1825-0098",
            "the check digit of the ORCID '0000-0002-1825-0098' is wrong",
        ),
        (
            read_orcid,
            "12",
            "'12' is not an ORCID, which is written 0000-0000-0000-0000",
        ),
    ],
)
def test_error_of_a_value(
    read: Callable[[str], object],
    written: str,
    reason: str,
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    """Every reader says what is wrong; the value of a variable is in no message."""
    monkeypatch.setenv("GITHUB_TOKEN", "ghp_s3cret")
    with pytest.raises(ValueError) as caught:
        read(written)
    assert str(caught.value) == reason
    assert "s3cret" not in repr(caught.value.__cause__)


def test_error_survives_copies() -> None:
    """An error crosses the borders of processes with its place."""
    error = CitationError("wrong", where=":date:", line=3)
    for twin in (copy.copy(error), pickle.loads(pickle.dumps(error))):  # noqa: S301 - our own bytes
        assert (twin.reason, twin.where, twin.line) == ("wrong", ":date:", 3)


@pytest.mark.parametrize(
    ("text", "creators"),
    [
        ("Carberry, Josiah", (Creator.person("Carberry", "Josiah"),)),
        (
            "PILIN Project; ; Plato",
            (Creator(name="PILIN Project"), Creator(name="Plato")),
        ),
        (
            "{Rock, Paper; Scissors} ;",
            (Creator(name="Rock, Paper; Scissors"),),
        ),
        ("Ann (the younger)", (Creator(name="Ann (the younger)"),)),
        (
            "von Neumann, John <0000-0002-1825-0097>; B (0000-0002-1694-233X)",
            (
                Creator.person("von Neumann", "John", orcid="0000-0002-1825-0097"),
                Creator(name="B", orcid="0000-0002-1694-233X"),
            ),
        ),
    ],
)
def test_creators_in_a_line(text: str, creators: tuple[Creator, ...]) -> None:
    """Semicolons divide creators, a comma family and given names; braces keep both."""
    options = {"title": "T", "creators": text}
    assert read_work(directive_source(options), READER).creators == creators


SEVERAL = (
    ':creators: "Jane Doe, John Roe and Max Moe" may be several people: divide people by '
    'semicolons, "Jane Doe; John Roe; Max Moe", or write the name of one body in braces, '
    '"{Jane Doe, John Roe and Max Moe}"'
)


def test_names_that_may_be_several_people_are_an_error() -> None:
    """Nothing is guessed: the error shows both ways to write them, and both are read."""
    text = "Jane Doe, John Roe and Max Moe"
    with pytest.raises(CitationError) as caught:
        read_work(directive_source({"title": "T", "creators": text}), READER)
    assert str(caught.value) == SEVERAL

    for written, names in (
        ("Jane Doe; John Roe; Max Moe", ["Jane Doe", "John Roe", "Max Moe"]),
        (f"{{{text}}}", [text]),
    ):
        work = read_work(directive_source({"title": "T", "creators": written}), READER)
        assert [creator.whole for creator in work.creators] == names


@pytest.mark.parametrize(
    ("text", "is_one"),
    [
        ("Jane Doe and John Roe", False),
        ("Jane Doe & John Roe", False),
        ("Doe, Jane, Roe, John", False),
        ("A, B; Doe, Jane and Roe, John", False),
        ("Simon and Garfunkel", True),
        ("Department of Science and Technology", True),
        ("Carberry, Josiah, Jr.", True),
        ("de la Vega Rodríguez, María del Carmen", True),
    ],
)
def test_name_of_one(text: str, *, is_one: bool) -> None:
    """One comma divides family and given names; "and" may be part of a body's name."""
    source = directive_source({"title": "T", "creators": text})
    if is_one:
        assert len(read_work(source, READER).creators) == 1
        return
    with pytest.raises(CitationError, match="may be several people"):
        read_work(source, READER)


@pytest.mark.parametrize(
    ("author", "creators"),
    [
        ("Jane Doe", (Creator.person("Doe", "Jane"),)),
        (
            "Jane Doe, John Roe, and Max Moe Jr.",
            (
                Creator.person("Doe", "Jane"),
                Creator.person("Roe", "John"),
                Creator.person("Moe Jr.", "Max"),
            ),
        ),
        (
            "Ludwig van Beethoven; 山田 太郎",
            (Creator.person("van Beethoven", "Ludwig"), Creator(name="山田 太郎")),
        ),
        ("PILIN Project", (Creator(name="PILIN Project"),)),
        ("Jane Doe and others", (Creator(name="Jane Doe and others"),)),
        ("Acme, Inc.", (Creator(name="Acme, Inc."),)),
        ("Area 51 Crew", (Creator(name="Area 51 Crew"),)),
        ("Friends of Sphinx", (Creator(name="Friends of Sphinx"),)),
    ],
)
def test_author_of_a_project(author: str, creators: tuple[Creator, ...]) -> None:
    """`author` of conf.py is people where every part has two words or more and no word
    of a body."""
    source = configuration_source({"project": "T", "author": author})
    assert read_work(source, READER).creators == creators


def test_long_space_in_a_value_takes_linear_time() -> None:
    """Quadratic work on it takes longer than any test may."""
    space = " " * 400_000

    assert divided_license(f"A{space}<x") == (f"A{space}<x", None)
    url = "https://example.org/"
    assert divided_license(f"A{space}<{url}>") == ("A", url)
    with pytest.raises(ValueError, match="are 2 identifiers"):
        READER.read(f"10.1000/1{space}and{space}10.1000/2")


@pytest.mark.parametrize(
    ("name", "url"),
    [
        ("CC-BY-SA-2.5", "https://spdx.org/licenses/CC-BY-SA-2.5"),
        ("mit", "https://spdx.org/licenses/MIT"),
        ("Apache-2.0+", "https://spdx.org/licenses/Apache-2.0"),
        ("https://example.org/licence", "https://example.org/licence"),
        ("House-Rules-1.0", None),
        ("LicenseRef-Ours", None),
        ("MIT OR Apache-2.0", None),
        ("../../evil", None),
    ],
)
def test_address_of_a_license(name: str, url: str | None) -> None:
    """Only a licence of the SPDX list has a page there, whose address has its case."""
    assert Work(title="T", license=name).license_url == url


@pytest.mark.parametrize(
    ("compare", "one", "other", "holds"),
    [
        (same_label, "1.0", "V1.0.0", True),
        (same_label, "1.10", "1.1", False),
        (same_label, "1.0rc1", "1.0", False),
        (same_label, "Second Edition", " second edition", True),
        (same_label, "2007-06-26", "2007-06-27", False),
        (same_label, "1" * 5_000, "1" * 4_999, False),
        (covers, "1.2", "1.2.7", True),
        (covers, "1.2", "1.20", False),
        (covers, "1.2rc1", "1.2.7", False),
        (covers, "Spring", "1.2", False),
    ],
)
def test_labels(
    compare: Callable[[str, str], bool], one: str, other: str, *, holds: bool
) -> None:
    """Spellings of one number are one label, other labels differ in more than case, and
    a version covers the releases below its number."""
    assert compare(one, other) is holds


FIRST = Version(label="1.0", handle=Handle("1", "first"))
SECOND = Version(label="2.0", handle=Handle("1", "second"))
DRAFT = Version(label="2.1")
WORK = Work(title="T", versions=(DRAFT, SECOND, FIRST))


def test_history_of_a_work() -> None:
    """Versions are ordered by their labels, as versions are, or stay as they are
    listed where a label is none; a draft is not the latest."""
    numbers = ("1.9rc1", "v1.0", "1.10", "1.9")
    named = (Version(label="Spring"), FIRST, Version(label="Autumn"))

    listed = Work(title="T", versions=tuple(Version(label=each) for each in numbers))
    assert [each.label for each in listed.ordered] == ["v1.0", "1.9rc1", "1.9", "1.10"]
    assert Work(title="T", versions=named).ordered == named
    assert WORK.ordered == (FIRST, SECOND, DRAFT)
    assert WORK.version("v2") == SECOND
    for version, is_old, neighbours in (
        (FIRST, True, (None, SECOND.handle)),
        (SECOND, False, (FIRST.handle, None)),
        (DRAFT, False, (SECOND.handle, None)),
        (Version(label="3"), False, (None, None)),
    ):
        assert (WORK.is_old(version), WORK.neighbours(version)) == (is_old, neighbours)
    latest = [
        Work(title="T", versions=versions).latest
        for versions in (WORK.versions, (DRAFT,), ())
    ]
    assert latest == [SECOND, DRAFT, None]


def test_version_takes_its_place() -> None:
    """A version replaces its namesake, or joins the history."""
    again = Version(label="v2.0.0", handle=Handle("1", "2"))

    assert WORK.with_version(again).ordered == (FIRST, again, DRAFT)
    listed = Work(title="T", versions=(FIRST, SECOND, DRAFT))
    for label, place in (("0.9", 0), ("1.5", 1), ("2.2", 3), ("Spring", 3)):
        made = listed.with_version(Version(label=label))
        assert made.versions[place].label == label


def test_a_program_gives_a_day_of_datetime() -> None:
    """A version takes it over as a date."""
    day: Any = dt.date(2007, 6, 26)

    assert Version(label="1.0", date=day).date == Date(2007, 6, 26)


@pytest.mark.parametrize(
    ("one", "other", "is_before"),
    [
        (Date(2007, 5), Date(2007, 6, 1), True),
        (Date(2007, 6), Date(2007, 6, 26), False),
        (Date(2007, 6, 26), Date(2007, 6), False),
        (Date(2007), Date(2008, 1), True),
        (Date(2008), Date(2007, 1), False),
        (Date(-350), Date(1), True),
        (Date(words="in press"), Date(2007), False),
        (Date(2007, 6, 26), Date(2007, 6, 26), False),
    ],
)
def test_which_date_is_before(one: Date, other: Date, *, is_before: bool) -> None:
    """Only what is certain counts: a month is not before its days."""
    assert one.is_before(other) is is_before


def test_citation_has_an_address_and_a_key() -> None:
    """The handle's link, or else the version's address; a key of ASCII letters."""
    work = Work(title="日本", creators=(Creator.person("Nguyễn", "Văn"),))
    draft = Version(label="V1.0", url="https://e.org/1/", date=Date(2007, 1, 2))
    cited = Citation(work=work, version=draft)

    assert (cited.url, cited.doi, cited.number) == ("https://e.org/1/", None, "1.0")
    assert cited.key == "nguyen-2007-1.0"
    assert CitationFormat.RIS.file_name(cited) == "work-1.0.ris"
    assert replace(cited, version=FIRST).url == "https://hdl.handle.net/1/first"
    assert Citation(work=WORK, version=FIRST).handles == (
        *(Handle("1", "first"), Handle("1", "second")),
    )
    assert slug("-" * 50 + "a") == "a"


TEXT = st.text(st.characters(exclude_categories=["C", "Z"]), min_size=1)
HANDLES = st.none() | st.builds(Handle, st.just("1.2"), TEXT)
VERSIONS = st.builds(
    Version,
    label=TEXT,
    date=st.none() | st.dates().map(lambda day: Date(day.year, day.month, day.day)),
    changes=TEXT,
    handle=HANDLES,
)
DATES = st.sampled_from([None, Date(2024), Date(2024, 5), Date(words="in press")])
ARTICLES = st.builds(
    lambda title, date, handle, kind: Described(
        kind, (Run(title),), (Creator(title),), date=date, handle=handle
    ),
    TEXT,
    DATES,
    HANDLES,
    st.sampled_from([*ARTICLE_TYPES.values()]),
)
CITATIONS = st.builds(
    Citation,
    work=st.builds(
        Work,
        title=TEXT,
        creators=st.lists(TEXT.map(Creator)).map(tuple),
        handle=HANDLES,
        versions=st.lists(VERSIONS).map(tuple),
        kind=st.sampled_from(WorkKind),
        article=st.none() | ARTICLES,
    ),
    version=VERSIONS,
)
PAGES = st.builds(
    PageCitation,
    citation=CITATIONS,
    display=st.builds(
        Display,
        history=st.booleans(),
        example=st.booleans(),
        formats=st.just(tuple(CitationFormat)),
    ),
)


class PlainUnpickler(pickle.Unpickler):
    """Loads what Python's own types are enough for."""

    def find_class(self, module: str, name: str) -> Any:
        """Refuse any class but a date."""
        assert (module, name) == ("datetime", "date")
        return dt.date


@settings(max_examples=40)
@given(PAGES)
@example(
    PageCitation(
        citation=Citation(
            work=Work(title="T"), version=Version(label="1", changes="handle_system")
        ),
        display=Display(),
    )
)
def test_citation_is_kept_as_plain_data(cited: PageCitation) -> None:
    """An environment holds dictionaries, lists and texts, and gives back the same."""
    plain = to_plain(cited)

    assert from_plain(plain, cited.citation.proxies) == cited
    assert PlainUnpickler(io.BytesIO(pickle.dumps(plain))).load() == plain
