"""`handle_system.citing.sources` and `pipeline`: from sources to one citation."""

import datetime as dt
import os
from collections.abc import Mapping, Sequence
from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st

from handle_system.citing.card import Display
from handle_system.citing.citation import Citation
from handle_system.citing.documents import CitationError
from handle_system.citing.fields import HandleReader
from handle_system.citing.formats import CitationFormat
from handle_system.citing.options import OPTIONS
from handle_system.citing.pipeline import (
    PageCitation,
    is_about_another_work,
    read_citation,
    read_work,
    work_source,
)
from handle_system.citing.sources import (
    NamedFile,
    Source,
    SourcePlace,
    configuration_source,
    directive_source,
    page_source,
    read_directive,
    read_front_matter,
)
from handle_system.citing.style import Date
from handle_system.citing.work import Creator, Version, Work, WorkKind
from handle_system.citing.works_files import file_source, read_works
from handle_system.findings.codes import Code
from handle_system.handle import Handle
from handle_system.proxies import DEFAULT_PROXIES
from handle_system.suffix_policy import SuffixPolicy

# What authors write is read with the usual proxies.
READER = HandleReader(proxies=DEFAULT_PROXIES)

WORK = Handle.parse("102.100.272/Y35XYS0QH")
DRAFT = Version(label="0.9", date=Date(2007, 5, 30), changes="Draft | for comment")
FIRST = Version(
    label="1.0",
    date=Date(2007, 6, 26),
    handle=Handle.parse("102.100.272/0N8J991QH"),
    changes="Initial release to public",
)
POLICY = Work(
    title="Handle Suffix Format Policy",
    creators=(
        Creator.person("Carberry", "Josiah", orcid="0000-0002-1825-0097"),
        Creator(name="PILIN Project"),
    ),
    publisher="Monash University",
    handle=WORK,
    versions=(DRAFT, FIRST),
    kind=WorkKind.REPORT,
    license="CC-BY-SA-2.5",
    language="en",
)
OPTIONS_OF_POLICY = {
    "title": "Handle Suffix Format Policy",
    "creators": "Carberry, Josiah <0000-0002-1825-0097>; PILIN Project",
    "publisher": "Monash University",
    "work": "hdl:102.100.272/Y35XYS0QH",
    "kind": "report",
    "license": "CC-BY-SA-2.5",
    "language": "en",
    "version": "1.0",
}
ROWS = (
    "0.9 | 2007-05-30 | - | Draft | for comment",
    "1.0 | 2007-06-26 | 102.100.272/0N8J991QH | Initial release to public",
)
FRONT_MATTER = """\
cite:
  title: Handle Suffix Format Policy
  creators:
    - {family: Carberry, given: Josiah, orcid: 0000-0002-1825-0097}
    - PILIN Project
  publisher: Monash University
  work: 102.100.272/Y35XYS0QH
  kind: report
  license: CC-BY-SA-2.5
  language: en
  version: 1.0
  versions:
    - 0.9 | 2007-05-30 | - | Draft | for comment
    - 1.0 | 2007-06-26 | 102.100.272/0N8J991QH | Initial release to public
"""
TOML = """\
[[work]]
title = "Handle Suffix Format Policy"
creators = [
    "Carberry, Josiah <0000-0002-1825-0097>",
    { name = "PILIN Project" },
]
publisher = "Monash University"
handle = "102.100.272/Y35XYS0QH"
kind = "report"
license = "CC-BY-SA-2.5"
language = "en"

[[work.version]]
label = 0.9
date = 2007-05-30
handle = "not yet assigned"
changes = "Draft | for comment"

[[work.version]]
label = 1.0
date = 2007-06-26
handle = "102.100.272/0N8J991QH"
changes = "Initial release to public"
"""


def numbered(rows: Sequence[str], first: int = 1) -> list[tuple[int | None, str]]:
    """The lines of a body."""
    return list(enumerate(rows, first))


def from_page(text: str) -> Source:
    """The source that front matter is."""
    return page_source(read_front_matter(f"---\n{text}\n---\n"))


def from_toml(text: str) -> Source:
    """The source that a file of one work is."""
    return read_works(text, "works.toml", DEFAULT_PROXIES)[0]


def directive(body: Sequence[str] = (), **options: str | None) -> Source:
    """A directive whose options stand on the lines 2, 3, … and its body from 10."""
    lines = {name: number for number, name in enumerate(options, 2)}
    return directive_source(options, numbered(body, 10), lines)


@pytest.mark.parametrize(
    "source",
    [
        directive(ROWS, **OPTIONS_OF_POLICY),
        from_page(FRONT_MATTER),
        page_source(
            {
                **{f"cite-{name}": text for name, text in OPTIONS_OF_POLICY.items()},
                "cite-versions": "\n".join(ROWS),
                "author": "ignored",
            }
        ),
        from_toml(TOML),
    ],
    ids=["directive", "front matter", "field list", "TOML"],
)
def test_every_source_gives_the_same_citation(source: Source) -> None:
    """One work is one citation, wherever it is written."""
    policy = Citation(work=POLICY, version=FIRST)
    assert read_citation([source], READER) == PageCitation(
        citation=policy, display=Display()
    )


def test_nearest_source_wins_value_by_value() -> None:
    """The directive goes before the page, the file and the configuration."""
    conf = {"project": "Project", "release": "1.0.3", "author": "Somebody"}
    made = read_citation(
        [
            directive(title="Here", history=None, reference="no"),
            page_source({"cite-title": "There", "cite-publisher": "P"}),
            from_toml(TOML),
            configuration_source(conf, ["history", "uris", "ris"]),
        ],
        READER,
    )

    assert (made.citation.work.title, made.citation.work.publisher) == ("Here", "P")
    assert made.citation.work.creators == POLICY.creators
    assert made.citation.version == FIRST
    assert made.display == Display(
        reference=False, history=True, uris=True, formats=(CitationFormat.RIS,)
    )


@pytest.mark.parametrize(
    ("settings", "creators"),
    [
        ({"author": "Jane Doe, John Roe and Q. X"}, ["Jane Doe", "John Roe", "Q. X"]),
        ({"author": "Jane Doe; John & Co"}, ["Jane Doe; John & Co"]),
        ({"author": "Acme, Inc."}, ["Acme, Inc."]),
        ({"author": "Jane Doe, University of Q"}, ["Jane Doe, University of Q"]),
        ({"author": "unknown", "copyright": "2020–2024, Acme"}, ["Acme"]),
        ({"copyright": "%Y, Jane Doe"}, ["Jane Doe"]),
        ({"author": "Author name not set"}, []),
    ],
)
def test_configuration_alone_gives_a_citation(
    settings: Mapping[str, str], creators: list[str]
) -> None:
    """Project, author or copyright, and release are a citation; one warning says that
    nothing has a handle yet."""
    conf = {"project": "Tool", "release": "1.10", **settings}
    made = read_citation([directive(), configuration_source(conf)], READER)

    assert made.citation.work.title == "Tool"
    assert [creator.whole for creator in made.citation.work.creators] == creators
    assert made.citation.version == Version(label="1.10")
    assert [str(problem) for problem in made.problems] == [
        (
            "neither the work nor version 1.10 has a handle yet; "
            "have one assigned before this version is published"
        )
    ]


@pytest.mark.parametrize(
    ("near", "conf", "label"),
    [
        ({"version": "v0.9"}, {"handle_version": "1.0"}, "0.9"),
        ({}, {"handle_version": "0.9", "read_the_docs": "1.0"}, "0.9"),
        ({}, {"read_the_docs": "v0.9", "release": "1.0"}, "0.9"),
        ({}, {"read_the_docs": "latest", "release": "1.0.7"}, "1.0"),
        ({}, {"read_the_docs": "latest"}, "1.0"),
        ({}, {"release": "2.0"}, "2.0"),
        ({"version": "3"}, {}, "3"),
    ],
)
def test_version_in_hand(
    near: dict[str, str], conf: dict[str, str], label: str
) -> None:
    """The nearest source that names a version decides; a release means the version that
    covers it, and Read the Docs one of the history."""
    made = read_citation(
        [directive(**near), from_toml(TOML), configuration_source(conf)], READER
    )

    assert made.citation.version.label == label
    assert (made.citation.version in made.citation.work.versions) is (
        label in {"0.9", "1.0"}
    )


def test_options_describe_a_version_of_the_history() -> None:
    """They replace values of their row, or add a version; a card that is only shown is
    not checked."""
    row = read_citation(
        [directive(version="1.0", url="https://e.org/"), from_toml(TOML)], READER
    )
    new = read_citation(
        [directive(version="1.1", handle="1/2"), from_toml(TOML)], READER
    )

    assert row.citation.version.url == "https://e.org/"
    assert row.citation.version.changes == FIRST.changes
    assert row.citation.work.latest == row.citation.version
    assert [each.label for each in new.citation.work.ordered] == ["0.9", "1.0", "1.1"]
    assert new.problems == ()
    shown = read_citation([directive(title="T", version="1", example=None)], READER)
    assert (shown.display.example, shown.problems) == (True, ())


@pytest.mark.parametrize(
    "text",
    [
        ":title: A\n  title\n\tof three lines\n:version: '1.0'\n:history:\n\n0.9\n1.0",
        '---\ntitle: A title of three lines\nversion: "1.0"\nhistory:\n---\n0.9\n1.0',
    ],
    ids=["colons", "hyphens"],
)
def test_text_of_a_directive(text: str) -> None:
    """Options begin with colons or stand between hyphens, and go on below; values may be
    in quotes."""
    read = read_directive(text, 4)
    made = read_citation([directive_source(*read)], READER)

    assert (made.citation.work.title, made.citation.version.label) == (
        "A title of three lines",
        "1.0",
    )
    assert made.display.history
    assert [each.label for each in made.citation.work.versions] == ["0.9", "1.0"]
    first = text.count("\n", 0, text.index("title"))
    assert read.lines["title"] == 4 + first
    assert read.body[-1] == (4 + text.count("\n"), "1.0")


def test_release_must_match() -> None:
    """The release is compared where the page speaks for all of it; the remedy is in the
    syntax of the history."""
    made = read_citation(
        [directive(version="0.9"), from_toml(TOML)], release="2.0", reader=READER
    )

    assert [str(problem).partition(";")[0] for problem in made.problems] == [
        "version 0.9 has no handle yet",
        "this is version 0.9, and the release is 2.0",
    ]
    assert '[[work.version]]\n    label = "2.0"' in made.problems[1].advice


def test_another_version_than_that_of_citation_cff() -> None:
    """A CITATION.cff has no history to which a row could be added."""
    cff = "title: T\nauthors: []\nversion: 1.0.0\ndate-released: 2026-03-01\n"
    (source,) = read_works(cff, "CITATION.cff", DEFAULT_PROXIES)
    made = read_citation([directive(version="1.1.0"), source], READER)

    assert [str(problem) for problem in made.problems] == [
        (
            "version 1.1.0 is not the one that CITATION.cff describes (1.0.0); "
            'write version: "1.1.0" in CITATION.cff'
        )
    ]


def test_fault_has_the_line_of_its_row() -> None:
    """A warning about a version stands at the version."""
    rows = [*ROWS, "1.1 | 2007-01-01 | 1/2"]
    made = read_citation(
        [directive(rows, title="T", work="1/w", version="1.0")], READER
    )

    assert [(each.subject, each.first.line) for each in made.problems] == [("1.1", 12)]


DATE = "a date is written 2007-06-26 (year, month, day), not '2007-6'"


SITE = {"title": "The Manual", "work": "20.1000/manual"}


@pytest.mark.parametrize(
    "of_page",
    [
        {},
        {"version": "2.0", "license": "MIT"},
        {"title": " The  Manual"},
        # A title may be translated.
        {"title": "Das Handbuch", "work": "hdl:20.1000/manual"},
        # It is reported with its place when the citation is read.
        {"work": "no handle"},
    ],
)
def test_a_page_about_the_work_of_its_site(of_page: dict[str, str]) -> None:
    """Neither its handle nor, without one, its title is another."""
    assert not is_about_another_work(
        [directive_source(of_page)], directive_source(SITE), READER
    )


@pytest.mark.parametrize(
    "of_page", [{"title": "A Policy"}, {"title": "The Manual", "work": "20.1000/other"}]
)
def test_a_page_about_another_work_than_its_site(of_page: dict[str, str]) -> None:
    """Its handle tells, or where one of the works has none, its title."""
    assert is_about_another_work(
        [directive_source(of_page)], directive_source(SITE), READER
    )


@pytest.mark.parametrize(
    ("source", "line", "message"),
    [
        (directive(title=" "), 2, ":title: there is no text here"),
        (directive(version="1"), None, ":title: a title is required, and no source gives one"),
        (directive(title="T"), None, ':version: no option, history or configuration says which version this is: set "version" on the page or in the file of the work, or "release" of the project'),
        (directive(title="T", history="maybe", version="1"), 3, ":history: 'maybe' is none of yes, true, on, no, false, off"),
        (directive(title="T", creators=";"), 3, ":creators: there is no name here"),
        (directive(title="T", creators="{ }"), 3, ":creators: a creator has a name, or a family name and perhaps a given one"),
        (from_page("cite: {title: T, creators: 'A; , Ann'}"), None, "cite.creators[1]: a creator has a name, or a family name and perhaps a given one"),
        (directive(title="T", formats="doc", version="1"), 3, ":formats: 'doc' is none of all, bibtex, ris, csl-json, cff, text"),
        (work_source(Work(title=" ")), None, "work.title: there is no text here"),
        (from_page("cite: {title: T, creators: [A, {given: B}]}"), None, "cite.creators[1]: a creator has a name, or a family name and perhaps a given one"),
        (from_page("cite:\n  title: [T]"), None, "cite.title: text is expected here, not a list"),
        (from_page("cite:\n  title: T\n  versions: [{label: 1, day: 2}]"), None, "cite.versions[0]: there is no key day; there are label, date, changes, handle, url, pdf"),
        (from_page("cite:\n  title: T\n  versions: '| 2007'"), None, "cite.versions[0]: a row begins with the version's label: 1.0 | 2007-06-26 | 102.100.272/0N8J991QH | Initial release"),
        (from_toml("[[work]]"), None, "works.toml: work[0].title: a title is required, and no source gives one"),
        (from_toml("[[work]]\ntitle = 'T'\n[[work.version]]\n[[work.version]]\nlabel = 1"), None, "works.toml: work[0].version[0].label: a label is required, and no source gives one"),
        (from_toml("[[work]]\ntitle = 'T'\nversion = [['x']]"), None, "works.toml: work[0].version[0]: a table is expected here, not a list"),
        (from_toml("[[work]]\ntitle = 'T'\nhndle = '1/2'"), None, "works.toml: work[0]: there is no key hndle; did you mean handle?"),
        (from_toml("[[work]]\ntitle = 'T'\nhandle = 'env:SECRET'"), None, "works.toml: work[0].handle: the environment variable SECRET may not be read: list it in handle_environment in conf.py, or name it with --env on the command line"),
    ],
    ids=lambda value: value[:30] if isinstance(value, str) else "",
)  # fmt: skip
def test_wrong_value_is_located(source: Source, line: int | None, message: str) -> None:
    """The error has the place of the value in its own source, and its line; a work that a
    program makes is read like any other source."""
    with pytest.raises(CitationError) as caught:
        read_citation([source], READER)
    assert str(caught.value) == message
    assert caught.value.line == line


@pytest.mark.parametrize(
    ("source", "line", "message"),
    [
        (directive(title="T", version="1", date="2007-6"), 4, f":date: {DATE}"),
        (directive(["1 | 2007-6"], title="T"), 10, f"version history, 1: {DATE}"),
        (directive(title="T", creators="A <>", version="1"), 3, ":creators: '<>' is not an ORCID, which is written 0000-0000-0000-0000"),
        (directive(title="T", creators="A <12>", version="1"), 3, ":creators: '12' is not an ORCID, which is written 0000-0000-0000-0000"),
        (directive(title="T", kind="novel", version="1"), 3, ":kind: 'novel' is none of document, manual, report, software, dataset"),
        (work_source(Work(title="T", versions=(Version(label="1", url="javascript:x"),))), None, "work.versions[0].url: 'javascript:x' is not an absolute http or https URL"),
        (work_source(Work(title="T", creators=(Creator(name="A", orcid="12"),), versions=(Version(label="1"),))), None, "work.creators[0].orcid: '12' is not an ORCID, which is written 0000-0000-0000-0000"),
        (directive(title="T", language="?", version="1"), 3, ":language: '?' is not a BCP 47 language tag"),
    ],
    ids=lambda value: value[:30] if isinstance(value, str) else "",
)  # fmt: skip
def test_a_wrong_value_that_is_not_needed_is_left_out(
    source: Source, line: int | None, message: str
) -> None:
    """The citation is made without it, and the finding has its place; the command that
    registers it refuses it."""
    made = read_citation([source], READER)

    assert made.citation.work.title == "T"
    problem = made.problems[0]
    assert (problem.code, problem.message) == (Code.CITATION, message)
    assert problem.advice == "the citation is made without it"
    assert problem.first.line == (line or 0)


def test_every_wrong_value_is_left_out_at_once() -> None:
    """Thousands of them take one reading; twenty are named."""
    rows = [f"{number} | July | 20.1000/{number} | x" for number in range(3000)]

    made = read_citation([directive(rows, title="T", version="1")], READER)

    assert len(made.citation.work.versions) == 3000
    assert not any(version.date for version in made.citation.work.versions)
    left_out = [each for each in made.problems if each.code is Code.CITATION]
    assert [problem.first.line for problem in left_out] == [*range(10, 30)]


@pytest.mark.parametrize(
    ("options", "rows", "said"),
    [
        (
            {"handle": "20.1000/x."},
            [],
            (
                Code.TRAILING_PUNCTUATION,
                "20.1000/x.: '.' at the end is probably not meant; write 20.1000/x",
                0,
            ),
        ),
        (
            {"work": "20.1000/a b"},
            [],
            (
                Code.WHITE_SPACE,
                "20.1000/a b: white space inside a handle is rarely meant",
                0,
            ),
        ),
        (
            {},
            ["0.9 | 2025-01-01 | 20.1000/a\u200bb | x", "1.0 | - | 20.1000/1"],
            (
                Code.INVISIBLE,
                (
                    "20.1000/a\\u200bb: U+200B ZERO WIDTH SPACE is invisible; "
                    "write 20.1000/ab"
                ),
                10,
            ),
        ),
        (
            {"handle": "102.100.272/Y35XYSOQH"},
            [],
            (
                Code.SUFFIX,
                (
                    "102.100.272/Y35XYSOQH: the alphabet of PILIN suffixes skips the letter "
                    '"O"; write 102.100.272/Y35XYS0QH'
                ),
                0,
            ),
        ),
    ],
)
def test_identifiers_are_examined(
    options: dict[str, str], rows: list[str], said: tuple[Code, str, int]
) -> None:
    """Readers copy the identifiers of a card, so each is examined as a reference is."""
    reader = HandleReader(
        suffix_policy=SuffixPolicy({"102.100.272": "pilin"}), proxies=DEFAULT_PROXIES
    )

    made = read_citation([directive(rows, title="T", version="1.0", **options)], reader)

    (problem,) = (each for each in made.problems if not each.code.names_subject)
    assert (problem.code, problem.lines()[0], problem.first.line) == said


@pytest.mark.parametrize("between", [", ", "; ", " and "])
def test_one_identifier_stands_in_a_cell(between: str) -> None:
    """Two would become one that nobody has registered."""
    with pytest.raises(CitationError) as caught:
        read_citation(
            [directive([f"1 | - | 20.1000/a{between}20.1000/b"], title="T")], READER
        )

    assert str(caught.value) == (
        f"version history, 1: 20.1000/a{between}20.1000/b are 2 identifiers, and one "
        "stands here: give each version its own"
    )


TWO_WORKS = "[[work]]\nid = 'a'\ntitle = 'A'\n[[work]]\nid = 'b'\ntitle = 'B'\n"


@pytest.mark.parametrize(
    ("text", "identity", "title"),
    [("\ufeff[[work]]\ntitle = 'T'", None, "T"), (TWO_WORKS, "b", "B")],
)
def test_work_of_a_file(
    tmp_path: Path, text: str, identity: str | None, title: str
) -> None:
    """A work is chosen by its id; a file's only work needs none."""
    path = tmp_path / "works.toml"
    path.write_text(text, encoding="utf-8")
    source = file_source(
        NamedFile(text, SourcePlace(":source:")),
        path,
        identity,
        proxies=DEFAULT_PROXIES,
    )
    assert read_work(source, READER).title == title


@pytest.mark.parametrize(
    ("name", "content", "identity", "message"),
    [
        ("works.toml", b"x = 1", None, "it has the key work, and no other"),
        (
            "works.toml",
            b"work = 1",
            None,
            "work: a work begins with [[work]], in double",
        ),
        ("works.toml", b"[work]", None, "work: a work begins with [[work]], in double"),
        (
            "works.toml",
            b"[[work]]\nlabel = 1.1.2",
            None,
            "this is not TOML: Expected newline",
        ),
        ("works.toml", TWO_WORKS.encode(), None, "there are 2 works (a, b): name one"),
        (
            "works.toml",
            TWO_WORKS.encode(),
            "c",
            'no work has the id "c"; there are a, b',
        ),
        (
            "works.toml",
            TWO_WORKS.replace("b", "a").encode(),
            "a",
            "there are 2 works (a, a): name one of them by its id",
        ),
        (
            "CITATION.cff",
            b"title: x",
            "x",
            'no work has the id "x"; there are no ids',
        ),
    ],
)
def test_file_that_cannot_be_read(
    tmp_path: Path,
    name: str,
    content: bytes,
    identity: str | None,
    message: str,
) -> None:
    """The error names the file; an unknown id is answered with those there are."""
    path = tmp_path / name
    path.write_bytes(content)
    with pytest.raises(CitationError) as caught:
        file_source(
            NamedFile(name, SourcePlace(":source:", 7)),
            path,
            identity,
            proxies=DEFAULT_PROXIES,
        )
    assert str(caught.value).startswith(f"{name}: {message}")
    assert caught.value.line is None


@pytest.mark.parametrize(
    ("name", "content", "reason"),
    [
        ("wroks.toml", None, "there is no file {path}"),
        ("works.toml", b"\xff", "{path} is not UTF-8 text"),
        ("works.json", b"{}", "a works file ends with .toml, or with .cff"),
        ("works.toml", b"#" * 2_000_001, "{path} is larger than 2 MB"),
    ],
)
def test_file_that_is_named_wrongly(
    tmp_path: Path, name: str, content: bytes | None, reason: str
) -> None:
    """The error has the place where the file is named, and the path that was read."""
    path = tmp_path / name
    if content is not None:
        path.write_bytes(content)
    with pytest.raises(CitationError) as caught:
        file_source(
            NamedFile(name, SourcePlace(":source:", 7)), path, proxies=DEFAULT_PROXIES
        )
    assert str(caught.value) == f":source: {name}: {reason.format(path=path)}"
    assert caught.value.line == 7


def test_a_pipe_is_no_works_file(tmp_path: Path) -> None:
    """A pipe, which may never end, is not opened."""
    path = tmp_path / "works.toml"
    os.mkfifo(path)
    with pytest.raises(CitationError) as caught:
        file_source(
            NamedFile("works.toml", SourcePlace(":source:")),
            path,
            proxies=DEFAULT_PROXIES,
        )
    assert str(caught.value) == f":source: works.toml: {path} is not an ordinary file"


def test_folder_is_no_works_file(tmp_path: Path) -> None:
    """A folder is not read as a file."""
    path = tmp_path / "works.toml"
    path.mkdir()
    with pytest.raises(CitationError) as caught:
        file_source(
            NamedFile("works.toml", SourcePlace("handle_work in conf.py")),
            path,
            proxies=DEFAULT_PROXIES,
        )
    assert str(caught.value) == (
        f"handle_work in conf.py: works.toml: {path} is not an ordinary file"
    )


@pytest.mark.parametrize(
    ("metadata", "message"),
    [
        ({"cite-titel": "T"}, "cite-titel: no such option; did you mean title?"),
        ({"cite": {"formats": {"a": 1.1}}}, 'cite.formats: text is expected here, not a number: write "1.1" in quotes'),
        ({"cite-version": 1.1}, 'cite-version: text is expected here, not a number: write "1.1" in quotes'),
        ({"cite": {"versions": [[[[[[[[[[[[[[[[[[[[[]]]]]]]]]]]]]]]]]]]]]}}, "cite.versions: it is nested too deep"),
        ({"cite": {"creators": ["x"] * 20_001}}, "cite.creators: it has more than 20000 values"),
    ],
)  # fmt: skip
def test_metadata_that_is_no_citation(
    metadata: dict[str, object], message: str
) -> None:
    """A mistyped name, and a number whose spelling is lost, are errors."""
    with pytest.raises(CitationError) as caught:
        page_source(metadata)
    assert str(caught.value).startswith(message)


def test_metadata_as_sphinx_has_it() -> None:
    """Flags and dates are values of Python there; other metadata are ignored."""
    source = page_source(
        {
            "cite-title": "T",
            "cite": {"title": "U", "version": "2", "formats": ["ris", "cff"]},
            "cite-creators": "{Rock; Paper}",
            "cite-source": " works.toml#id ",
            "cite-history": True,
            "cite-date": dt.date(2007, 6, 26),
            "author": 1.5,
        }
    )
    made = read_citation([source], READER)

    assert source.works_file == ("works.toml#id", SourcePlace("cite-source"))
    assert made.citation.work == Work(
        title="T",
        creators=(Creator(name="Rock; Paper"),),
        versions=(made.citation.version,),
    )
    assert made.citation.version == Version(label="2", date=Date(2007, 6, 26))
    assert made.display == Display(
        history=True, formats=(CitationFormat.RIS, CitationFormat.CFF)
    )


def test_front_matter() -> None:
    """Numbers keep their spelling; a slip has its line; other text is not read."""
    matter = "---\ncite-version: 1.10\n---\n# T\n"
    assert read_front_matter(matter) == {"cite-version": "1.10"}
    for other in ("---\na: [\n---\n", "---\n- cite\n---\n", matter[4:], matter[:24]):
        assert read_front_matter(other) == {}
    with pytest.raises(CitationError) as caught:
        read_front_matter("---\ncite:\n  title: [\n---\n")
    assert str(caught.value).startswith("front matter: this is not YAML: ")
    assert caught.value.line == 3


def test_environment_gives_the_handle_of_a_release() -> None:
    """A variable on the list is read."""
    source = from_toml(TOML.replace("102.100.272/0N8J991QH", "env:NEW"))

    made = read_citation(
        [source], HandleReader(environment={"NEW": "1/2"}, proxies=DEFAULT_PROXIES)
    )
    assert made.citation.version.handle == Handle("1", "2")


@given(
    options=st.dictionaries(
        st.sampled_from([name for name in OPTIONS if name != "source"]),
        st.text(max_size=20) | st.sampled_from(["1.0", "1/2", "2007-01-01", "yes"]),
    ),
    body=st.lists(st.text(st.sampled_from("1.| -/a"), max_size=12), max_size=4),
)
def test_any_directive_is_a_citation_or_a_located_error(
    options: dict[str, str | None], body: list[str]
) -> None:
    """No text breaks a build."""
    try:
        made = read_citation([directive_source(options, numbered(body))], READER)
    except CitationError as error:
        where = error.where
    else:
        where = made.citation.work.title
    assert where


@pytest.mark.parametrize(
    ("text", "message"),
    [
        (
            "[[work]]\ntitle = 'T'\ncreators = [" + "'A'," * 5_001 + "]\n",
            "works.toml: work[0].creators: there are 5001, and at most 5000 are read",
        ),
        (
            "[[work]]\ntitle = 'T'\n" + "[[work.version]]\nlabel = '1'\n" * 5_001,
            "works.toml: work[0].version: there are 5001, and at most 5000 are read",
        ),
    ],
    ids=["creators", "versions"],
)
def test_work_is_within_bounds(text: str, message: str) -> None:
    """Each card and each format names them all."""
    with pytest.raises(CitationError) as caught:
        read_citation([directive(version="1"), from_toml(text)], READER)
    assert str(caught.value) == message


def test_directive_is_within_bounds() -> None:
    """A page may come from a stranger, as a file may."""
    long = "x" * 10_001
    for body, options, where in (
        ([], {"title": long}, ":title"),
        ([long], {}, "version history"),
    ):
        with pytest.raises(CitationError) as caught:
            directive(body, **options)
        assert str(caught.value) == (
            f"{where}: a value has 10001 characters, and at most 10000 are read"
        )


@pytest.mark.parametrize(
    ("handle", "command"),
    [
        ("not yet assigned", "hdl assign works.toml --prefix 102.100.272"),
        ("env:NEW", "hdl mint --prefix 102.100.272"),
    ],
)
def test_command_that_gives_a_version_a_handle(handle: str, command: str) -> None:
    """It edits the works file, unless the file has the handle from a variable."""
    source = from_toml(TOML.replace("102.100.272/0N8J991QH", handle))
    reader = HandleReader(environment={"NEW": ""}, proxies=DEFAULT_PROXIES)

    (problem,) = read_citation([directive(version="1.0"), source], reader).problems
    assert problem.advice == (
        f"have one assigned before this version is published: {command}"
    )
