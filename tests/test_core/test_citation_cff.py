"""A work from `CITATION.cff`, and the TOML and YAML that works are read from."""

from collections.abc import Callable
from contextlib import suppress
from dataclasses import replace

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from handle_system.citing.citation import Citation
from handle_system.citing.documents import (
    CitationError,
    Plain,
    read_toml,
    read_yaml,
)
from handle_system.citing.fields import HandleReader
from handle_system.citing.formats import CitationFormat
from handle_system.citing.formats.cff import ANONYMOUS
from handle_system.citing.pipeline import read_citation, read_work
from handle_system.citing.style import Date, Described, Run
from handle_system.citing.work import (
    Creator,
    Version,
    Work,
    WorkKind,
)
from handle_system.citing.works_files import read_works
from handle_system.handle import Handle
from handle_system.proxies import DEFAULT_PROXIES

# What authors write is read with the usual proxies.
READER = HandleReader(proxies=DEFAULT_PROXIES)

FILE = """\
cff-version: 1.2.0
message: If you use this software, please cite it.
type: software
title: Our
  Software
authors:
  - family-names: Humboldt
    name-particle: von
    given-names: Alexander
    orcid: https://orcid.org/0000-0002-1825-0097
  - name: The Project, Inc.
  - alias: somebody
version: 1.10
date-released: 2021-07-18
license: [Apache-2.0, MIT]
url: https://example.org/
"""
CONCEPT = """\
  - type: doi
    value: 10.5281/zenodo.1
    description: The concept DOI of the work.
"""
VERSIONED = """\
  - type: doi
    value: 10.5281/zenodo.2
    description: The versioned DOI for the version 1.10 of the work.
  - type: doi
    value: 10.5281/zenodo.3
    description: The versioned DOI for the version 1.1 of the work.
"""


def work_of(text: str) -> Work:
    """The work that a file describes."""
    return read_work(read_works(text, "CITATION.cff", DEFAULT_PROXIES)[0], READER)


SOFTWARE = Work(
    title="Our Software",
    creators=(
        Creator.person("von Humboldt", "Alexander", orcid="0000-0002-1825-0097"),
        Creator(name="The Project, Inc."),
        Creator(name="somebody"),
    ),
    versions=(Version(label="1.10", date=Date(2021, 7, 18)),),
    kind=WorkKind.SOFTWARE,
    license="Apache-2.0",
)
ARTICLE = """\
preferred-citation:
  type: article
  title: Our Software, described
  authors:
    - family-names: Humboldt
      given-names: A.
  journal: Journal of Examples
  volume: 9
  issue: 97
  start: 6111
  end: 6113
  year: 2024
  doi: https://doi.org/10.5555/joe.6111
"""
ABOUT_IT = Described(
    type="article-journal",
    title=(Run("Our Software, described"),),
    authors=(Creator.person("Humboldt", "A."),),
    container="Journal of Examples",
    volume="9",
    issue="97",
    pages="6111-6113",
    date=Date(2024),
    handle=Handle("10.5555", "joe.6111"),
)
REPORT = """\
preferred-citation:
  type: report
  title: The Report
  authors: []
  version: '2'
  date-published: 2022-01-01
  doi: 10.5281/zenodo.9
  license-url: https://example.org/license
  publisher:
    name: The Press
"""
SECOND = Version(label="2", date=Date(2022, 1, 1), handle=Handle("10.5281", "zenodo.9"))


@pytest.mark.parametrize(
    ("text", "work"),
    [
        (FILE, SOFTWARE),
        (f"{FILE}{ARTICLE}", replace(SOFTWARE, article=ABOUT_IT)),
        (
            f"{FILE}{REPORT}",
            Work(
                title="The Report",
                publisher="The Press",
                versions=(SECOND,),
                kind=WorkKind.REPORT,
                license="https://example.org/license",
            ),
        ),
        (
            "title: x\nurl: https://example.org/\ndoi: 10.5281/zenodo.1",
            Work(
                title="x",
                handle=Handle("10.5281", "zenodo.1"),
                url="https://example.org/",
                kind=WorkKind.SOFTWARE,
            ),
        ),
        (
            "title: x\nlicense: []\nversion:\ndoi:\nauthors:\nidentifiers:\n",
            Work(title="x", kind=WorkKind.SOFTWARE),
        ),
    ],
    ids=["root", "an article about it", "a report", "no version", "empty values"],
)
def test_file_is_read(text: str, work: Work) -> None:
    """The root describes the work, or a preferred citation that is the work itself;
    numbers stay as they are written, and a file without a version describes the work
    through time."""
    assert work_of(text) == work


@pytest.mark.parametrize(
    ("identifiers", "of_work", "of_version"),
    [
        ("", None, None),
        ("doi: 10.5281/zenodo.2\n", None, "10.5281/zenodo.2"),
        (
            f"identifiers:\n{CONCEPT}{VERSIONED}",
            "10.5281/zenodo.1",
            "10.5281/zenodo.2",
        ),
        (
            f"doi: 10.5281/zenodo.1\nidentifiers:\n{CONCEPT}{VERSIONED}",
            "10.5281/zenodo.1",
            "10.5281/zenodo.2",
        ),
        (
            f"doi: 10.5281/zenodo.2\nidentifiers:\n{CONCEPT}",
            "10.5281/zenodo.1",
            "10.5281/zenodo.2",
        ),
        (
            (
                "identifiers:\n"
                "  - type: doi\n    value: 10.5281/zenodo.1\n"
                "    description: This is the collection of archived snapshots of all "
                "versions of the software\n"
                "  - type: doi\n    value: 10.5281/zenodo.2\n"
                "    description: This is the archived snapshot of version 1.10 of it\n"
            ),
            "10.5281/zenodo.1",
            "10.5281/zenodo.2",
        ),
        (
            (
                "identifiers:\n"
                "  - type: other\n    value: hdl:102.100.272/0N8J991QH\n"
                "    description: The latest version\n"
                "  - type: url\n    value: https://hdl.handle.net/1234/5\n"
                "  - type: url\n    value: https://example.org/\n"
                "  - type: swh\n    value: swh:1:rev:309cf2674ee7a0749978cf8265ab91a60aea0f7d\n"
                "  - type: other\n    value: 1234/6\n"
                "  - type: other\n    value: 'hdl:'\n"
            ),
            "102.100.272/0N8J991QH",
            None,
        ),
        (
            "identifiers:\n  - type: other\n    value: hdl:1234/5\n",
            None,
            "1234/5",
        ),
        (
            (
                "identifiers:\n"
                "  - type: doi\n    value: 10.5281/zenodo.1\n"
                "    description: DOI for versions 1.9.0 and above\n"
                "  - type: doi\n    value: 10.5281/zenodo.4\n"
                "    description: The archive at Zenodo\n"
            ),
            None,
            None,
        ),
        (
            (
                "doi: 10.5281/zenodo.2\nidentifiers:\n"
                "  - type: doi\n    value: 10.5281/zenodo.4\n"
                "    description: Software Heritage's copy\n"
                "  - type: doi\n    value: 10.5281/zenodo.1\n"
                "    description: Collection of all releases\n"
            ),
            "10.5281/zenodo.1",
            "10.5281/zenodo.2",
        ),
        (
            (
                "identifiers:\n  - type: doi\n    value: 10.5281/zenodo.3\n"
                "    description: released in 2021 as a snapshot\n"
            ),
            None,
            "10.5281/zenodo.3",
        ),
        (
            # The plural is of several.
            (
                "identifiers:\n  - type: doi\n    value: 10.5281/zenodo.3\n"
                "    description: The archived releases for the source code\n"
            ),
            None,
            None,
        ),
        (
            # Another spelling of an identifier that is described.
            f"doi: https://doi.org/10.5281/ZENODO.1\nidentifiers:\n{CONCEPT}",
            "10.5281/zenodo.1",
            None,
        ),
        (
            # The version has another one; nothing says what this one names.
            f"doi: 10.5281/zenodo.9\nidentifiers:\n{VERSIONED}",
            None,
            "10.5281/zenodo.2",
        ),
    ],
)
def test_identifiers_are_told_apart(
    identifiers: str, of_work: str | None, of_version: str | None
) -> None:
    """What a description says decides what an identifier names."""
    work = work_of(f"{FILE}{identifiers}")
    handles = (work.handle, work.versions[0].handle)
    assert handles == tuple(
        each and Handle.parse(each) for each in (of_work, of_version)
    )


def test_an_address_of_a_proxy_is_the_identifier() -> None:
    """Many files have the DOI in ``url``; a ``doi`` beside it wins."""
    text = FILE.replace("https://example.org/", "https://doi.org/10.5281/zenodo.7")

    assert work_of(text).versions[0].handle == Handle("10.5281", "zenodo.7")
    both = work_of(f"{text}doi: 10.5281/zenodo.2\n")
    assert both.versions[0].handle == Handle("10.5281", "zenodo.2")


MANUAL = """\
preferred-citation:
  type: manual
  title: Our Software, the manual
  authors:
    - name: Somebody
  year: '2022'
"""


def test_preferred_citation_without_a_version_is_of_the_version_of_the_file() -> None:
    """Programs of R write a manual so. Its title and authors win; the version, the date,
    the licence and the identifiers come from the file."""
    text = FILE.replace("https://example.org/", "https://doi.org/10.5281/zenodo.7")

    assert work_of(f"{text}{MANUAL}") == Work(
        title="Our Software, the manual",
        creators=(Creator(name="Somebody"),),
        versions=(replace(SOFTWARE.versions[0], handle=Handle("10.5281", "zenodo.7")),),
        kind=WorkKind.MANUAL,
        license="Apache-2.0",
    )
    with_doi = f"{text}{MANUAL}  doi: 10.5281/zenodo.8\n"
    assert work_of(with_doi).versions[0].handle == Handle("10.5281", "zenodo.8")
    of_its_own = f"{text}{MANUAL}  version: '3'\n"
    assert work_of(of_its_own).versions == (Version(label="3"),)


@pytest.mark.parametrize(
    ("preferred", "kind"),
    [
        ("type: report\n  title: About it", "report"),
        ("type: book\n  title: About it", "book"),
        ("type: generic\n  title: About it", "document"),
        ("type: conference-paper\n  title: About it", "paper-conference"),
        ("type: thesis\n  title: About it", "thesis"),
        ("type: report\n  title: Our Software", None),
        ("type: generic\n  title: About it\n  version: '2'", None),
        ("type: software\n  title: About it", None),
    ],
)
def test_preferred_citation_is_the_work_or_about_it(
    preferred: str, kind: str | None
) -> None:
    """A document is the work itself if it has a version, or the title of the file."""
    work = work_of(f"{FILE}preferred-citation:\n  {preferred}\n")

    if kind is None:
        assert work.article is None
        assert work.kind is not None
    else:
        assert work == replace(
            SOFTWARE, article=Described(title=(Run("About it"),), type=kind)
        )


def test_container_and_publisher_of_what_is_about_the_work() -> None:
    """A paper is in proceedings or of a conference, a thesis is of an institution."""
    paper = "type: conference-paper\n  title: About it\n  conference: {name: Conf 9}"
    thesis = "type: thesis\n  title: About it\n  institution: {name: Uni}"

    of_paper = work_of(f"{FILE}preferred-citation:\n  {paper}\n").article
    of_thesis = work_of(f"{FILE}preferred-citation:\n  {thesis}\n").article

    assert of_paper is not None
    assert of_paper.container == "Conf 9"
    assert of_thesis is not None
    assert of_thesis.publisher == "Uni"


@pytest.mark.parametrize(
    "doi", ["10.5555/joe.6111", "https://doi.org/10.5555/JOE.6111"]
)
def test_doi_of_the_article_is_no_identifier_of_the_work(doi: str) -> None:
    """Programs write it into ``doi``, too; the DOI of a package beside it is not that of
    the version."""
    package = "identifiers:\n  - type: doi\n    value: 10.32614/CRAN.package.x\n"

    assert work_of(f"{FILE}doi: {doi}\n{ARTICLE}") == replace(
        SOFTWARE, article=ABOUT_IT
    )
    assert work_of(f"{FILE}doi: {doi}\n{package}{ARTICLE}") == replace(
        SOFTWARE, article=ABOUT_IT
    )


def test_address_of_the_article_is_its_identifier() -> None:
    """``url`` of a proxy beside ``doi`` is the same link, and stands for it."""
    beside = f"{FILE}{ARTICLE}  url: https://doi.org/10.5555/joe.6111\n"
    instead = f"{FILE}{ARTICLE}".replace("  doi: ", "  url: ")

    assert work_of(beside).article == ABOUT_IT
    assert work_of(instead).article == ABOUT_IT


def test_preferred_citation_that_is_no_table() -> None:
    """The card is made without it, with a finding."""
    text = "title: x\nversion: 1\npreferred-citation:\n  - doi: 10.1000/182\n"
    [source] = read_works(text, "CITATION.cff", DEFAULT_PROXIES)

    made = read_citation([source], READER)

    assert made.citation.work.article is None
    [problem, *_] = made.problems
    assert (
        problem.message == "CITATION.cff: preferred-citation: a table is expected here"
    )


@pytest.mark.parametrize("authors", ["5", "Jane Doe", "{name: Jane Doe}"])
def test_authors_that_are_no_list_cost_the_authors(authors: str) -> None:
    """The card is made without them, with a finding; a command that needs the work
    stops."""
    text = f"title: x\nversion: 1\nauthors: {authors}\n"
    [source] = read_works(text, "CITATION.cff", DEFAULT_PROXIES)

    made = read_citation([source], READER)

    assert made.citation.work.creators == ()
    [problem, *_] = made.problems
    assert (
        problem.message == "CITATION.cff: authors: a list of authors is expected here"
    )
    assert problem.advice == "the citation is made without it"
    with pytest.raises(CitationError) as caught:
        read_work(source, READER)
    assert str(caught.value) == problem.message


def test_wrong_value_of_an_article_costs_that_value() -> None:
    """Its names, its identifier and the rest of it stay."""
    text = FILE + ARTICLE.replace(
        "    - family-names: Humboldt\n",
        ("    - family-names: Humboldt\n      orcid: 0000-0000-0000-0000\n"),
    ).replace("  journal: Journal of Examples\n", "  journal: [x]\n")
    [source] = read_works(text, "CITATION.cff", DEFAULT_PROXIES)

    made = read_citation([source], READER)

    article = made.citation.work.article
    assert article == ABOUT_IT._replace(container="")
    assert [problem.message for problem in made.problems[:2]] == [
        (
            "CITATION.cff: preferred-citation.authors[0].orcid: "
            "the check digit of the ORCID '0000-0000-0000-0000' is wrong"
        ),
        "CITATION.cff: preferred-citation.journal: text is expected here, not a list",
    ]


def test_wrong_values_of_an_article_beside_its_wrong_identifier() -> None:
    """Without its identifier there is no article, whatever else is wrong there."""
    text = FILE + ARTICLE.replace("joe.6111", "").replace("issue: 97", "issue: [97]")
    [source] = read_works(text, "CITATION.cff", DEFAULT_PROXIES)

    assert read_citation([source], READER).citation.work == SOFTWARE


def test_an_article_that_cannot_be_read_costs_the_article() -> None:
    """The card is made without it, with a finding."""
    text = FILE + ARTICLE.replace("https://doi.org/10.5555/joe.6111", "banana")
    [source] = read_works(text, "CITATION.cff", DEFAULT_PROXIES)

    made = read_citation([source], READER)

    assert made.citation.work == SOFTWARE
    assert [problem.message for problem in made.problems][:1] == [
        'CITATION.cff: preferred-citation.doi: no "/" between prefix and suffix'
    ]


@pytest.mark.parametrize(
    ("text", "message"),
    [
        ("", "CITATION.cff: a table is expected here"),
        ("[" * 5_000, "CITATION.cff:1: it is nested too deep"),
        (
            "authors: []",
            "CITATION.cff: title: a title is required, and no source gives one",
        ),
        (
            "title: []",
            "CITATION.cff: title: a title is required, and no source gives one",
        ),
        ("title: [x]", "CITATION.cff: title: text is expected here, not a list"),
        (
            "title: x\nauthors: [[y]]",
            "CITATION.cff: authors[0]: a table is expected here, not a list",
        ),
        (
            "title: x\nauthors: [5]",
            (
                "CITATION.cff: authors[0]: "
                "a creator has a name, or a family name and perhaps a given one"
            ),
        ),
        (
            "title: x\nversion: [1]",
            "CITATION.cff: version: text is expected here, not a list",
        ),
        (
            "title: x\nauthors:\n  - affiliation: y",
            (
                "CITATION.cff: authors[0]: "
                "a creator has a name, or a family name and perhaps a given one"
            ),
        ),
        (
            "title: x\nauthors:\n  - name: y\n    orcid: z",
            "CITATION.cff: authors[0].orcid: 'z' is not an ORCID, which is written 0000-0000-0000-0000",
        ),
        (
            "title: x\nidentifiers:\n  - value: y",
            "CITATION.cff: identifiers[0]: an identifier has a type and a value",
        ),
        (
            "title: x\ndoi: y",
            'CITATION.cff: doi: no "/" between prefix and suffix\n    y\n     ^',
        ),
        (
            "title: x\nversion: 1\nidentifiers:\n  - {type: doi, value: y}",
            'CITATION.cff: identifiers[0].value: no "/" between prefix and suffix\n    y\n     ^',
        ),
        (
            "title: x\npreferred-citation:\n  type: report",
            "CITATION.cff: preferred-citation.title: a title is required, and no source gives one",
        ),
        (
            "title: x\nversion: 1\ndate-released: July",
            (
                "CITATION.cff: date-released: "
                "a date is written 2007-06-26 (year, month, day), not 'July'"
            ),
        ),
    ],
)
def test_error_of_a_file(text: str, message: str) -> None:
    """A wrong value is named by the file and its path; a file that is nested without
    end is refused before it is parsed."""
    with pytest.raises(CitationError) as caught:
        work_of(text)
    assert str(caught.value) == message


LINE = st.text(st.characters(exclude_categories=["C", "Z"]), min_size=1)
HANDLES = st.builds(
    Handle, st.sampled_from(["10.1000", "1234", "cnri.test"]), LINE.map("x{}x".format)
)
VERSIONS = st.builds(
    Version,
    label=LINE,
    date=st.none() | st.dates().map(lambda day: Date(day.year, day.month, day.day)),
    handle=st.none() | HANDLES,
)
CREATORS = st.one_of(
    # The format names "anonymous" where there is no creator.
    LINE.filter(ANONYMOUS.__ne__).map(Creator),
    st.builds(Creator.person, LINE, LINE, LINE | st.just(""), orcid=st.just("")),
)
WORKS = st.builds(
    Work,
    title=LINE,
    creators=st.tuples(CREATORS),
    publisher=st.none() | LINE,
    handle=st.none() | HANDLES,
    versions=st.tuples(VERSIONS),
    kind=st.sampled_from(WorkKind),
)


@settings(max_examples=40)
@given(WORKS)
def test_what_is_written_is_read_back(work: Work) -> None:
    """Our own file gives back the work, the version, and which handle is whose."""
    cited = Citation(work=work, version=work.versions[0])
    assert work_of(CitationFormat.CFF.export(cited)) == work


Read = Callable[[str], Plain]


def test_values_are_text_as_it_is_written() -> None:
    """1.10 is not 1.1, in TOML and in YAML; dates and flags are text too."""
    assert read_toml(
        "\ufeffa = 1.10\nb = 2007-06-26\nc = true\nd = [2, {e = 'x'}]"
    ) == {"a": "1.10", "b": "2007-06-26", "c": "True", "d": ["2", {"e": "x"}]}
    assert read_yaml("a: 1.10\nb: 2007-06-26\nc: true\nd: [2, {e: x}]\nf:") == {
        "a": "1.10",
        "b": "2007-06-26",
        "c": "true",
        "d": ["2", {"e": "x"}],
        "f": "",
    }


def test_tags_make_no_objects() -> None:
    """A tag of YAML is ignored; a merge key is a key."""
    assert read_yaml("a: !!python/object/apply:os.system [x]\n<<: {b: c}") == {
        "a": ["x"],
        "<<": {"b": "c"},
    }


BOMB = "a0: &a0 [x, x, x, x, x, x, x, x, x, x]\n" + "".join(
    f"a{n}: &a{n} [{', '.join([f'*a{n - 1}'] * 8)}]\n" for n in range(1, 18)
)
MERGES = "a0: &a0 {x: 1}\n" + "".join(
    f"a{n}: &a{n} {{<<: [*a{n - 1}, *a{n - 1}]}}\n" for n in range(1, 40)
)


@pytest.mark.parametrize(
    ("read", "text", "line", "reason"),
    [
        (
            read_toml,
            "a = \n",
            None,
            "this is not TOML: Invalid value (at line 1, column 5)",
        ),
        (
            read_yaml,
            "a: x\nb: [\n",
            3,
            "this is not YAML: expected the node content, but found '<stream end>'",
        ),
        (
            read_yaml,
            "a: \x00",
            None,
            (
                "this is not YAML: unacceptable character #x0000: "
                "special characters are not allowed"
            ),
        ),
        (read_yaml, "? [a]\n: b", 1, "this is not YAML: found unhashable key"),
        (
            read_yaml,
            "x:\n a: &a [*a]",
            2,
            "this is not YAML: found unconstructable recursive node",
        ),
        (
            read_toml,
            f"a = 1\nb = {'1' * 5_000}",
            2,
            "it has a number of 1,000 digits or more",
        ),
        (
            read_toml,
            f"b = 0x{'f' * 5_000}",
            1,
            "it has a number of 1,000 digits or more",
        ),
        (read_toml, f"\n[{'a.' * 100_000}b]", 2, "it is nested too deep"),
        (read_toml, f"{'a.' * 19}b = [1]", None, "it is nested too deep"),
        (read_toml, f"a = {'[' * 5_000}", None, "it is nested too deep"),
        (read_yaml, "[" * 2_000, 1, "it is nested too deep"),
        (read_yaml, "[[]," * 600, None, "it is nested too deep"),
        (read_yaml, "- " * 2_000, None, "it is nested too deep"),
        (read_yaml, BOMB, None, "it has more than 20000 values"),
        (read_yaml, MERGES, None, "it is nested too deep"),
        (read_toml, f"a = [{'1,' * 20_001}]", None, "it has more than 20000 values"),
        (
            read_toml,
            f"a = '{'x ' * 5_001}'",
            None,
            "a value has 10002 characters, and at most 10000 are read",
        ),
        (
            read_toml,
            "#" * 500_001,
            None,
            "it has 500001 characters, and at most 500000 are read",
        ),
        (
            read_yaml,
            "#" * 100_001,
            None,
            "it has 100001 characters, and at most 100000 are read",
        ),
    ],
    ids=lambda value: str(value)[:20] if isinstance(value, str) else "",
)
def test_document_out_of_bounds(
    read: Read, text: str, line: int | None, reason: str
) -> None:
    """A stranger's file costs a bounded time and space, and the error has the line
    where it is known."""
    with pytest.raises(CitationError) as caught:
        read(text)
    assert str(caught.value) == f"the file: {reason}"
    assert caught.value.line == line


@pytest.mark.parametrize("read", [read_toml, read_yaml])
@given(text=st.text(st.sampled_from("a1.=[]{}:-,&*!'\"\\\n# \t\ufeff\x00é")))
def test_reading_fails_in_one_way(read: Read, text: str) -> None:
    """Any text is plain data, or an error."""
    with suppress(CitationError):
        assert isinstance(read(text), str | list | dict)
