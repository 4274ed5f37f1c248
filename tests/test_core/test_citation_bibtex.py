"""`handle_system.citing.bibtex`: an entry for BibTeX and BibLaTeX."""

import datetime as dt

import pytest
from hypothesis import given
from hypothesis import strategies as st

from handle_system.citing.bibtex import bibtex
from handle_system.citing.cited import Cited
from handle_system.citing.work import Creator, Version, Work, WorkKind
from handle_system.errors import HandleSyntaxError
from handle_system.handle import Handle

TEXT = st.text(st.characters(exclude_categories=["C", "Z"]), min_size=1)


def entry(work: Work, version: Version) -> str:
    """The entry of a version."""
    return bibtex(Cited(work=work, version=version))


def test_handle_stands_in_eprint() -> None:
    """A handle is a handle: `eprint`, `eprinttype` and `url`, and no `doi`."""
    work = Work(
        title="Handle Suffix Format Policy",
        creators=(Creator.person("Carberry", "Josiah"), Creator(name="PILIN Project")),
        publisher="Monash University",
        kind=WorkKind.REPORT,
    )
    version = Version(
        label="1.0",
        date=dt.date(2007, 6, 26),
        handle=Handle.parse("102.100.272/0N8J991QH"),
    )

    assert entry(work, version) == (
        "@techreport{carberry-2007-1.0,\n"
        "  author = {Carberry, Josiah and {PILIN Project}},\n"
        "  title = {{Handle Suffix Format Policy}},\n"
        "  version = {1.0},\n"
        "  institution = {{Monash University}},\n"
        "  year = {2007},\n"
        "  month = jun,\n"
        "  eprint = {102.100.272/0N8J991QH},\n"
        "  eprinttype = {hdl},\n"
        "  url = {https://hdl.handle.net/102.100.272/0N8J991QH},\n"
        "}\n"
    )


def test_doi_stands_in_doi_as_it_is() -> None:
    """A DOI's field is verbatim: nothing in it is a command."""
    version = Version(label="1", handle=Handle.parse("10.1000/a_b&c<d>2:$1~^"))

    assert entry(Work(title="x"), version) == (
        "@misc{x-1,\n"
        "  title = {{x}},\n"
        "  version = {1},\n"
        "  doi = {10.1000/a_b&c<d>2:$1~^},\n"
        "  url = {https://doi.org/10.1000/a_b%26c%3Cd%3E2:$1~%5E},\n"
        "}\n"
    )


@pytest.mark.parametrize(
    ("handle", "link"),
    [
        ("1234/a{b", "https://hdl.handle.net/1234/a%7Bb"),
        ("10.1000/a{b", "https://doi.org/10.1000/a%7Bb"),
        ("1234/a}{b", "https://hdl.handle.net/1234/a%7D%7Bb"),
        ("1234/50%", "https://hdl.handle.net/1234/50%25"),
        ("10.1000/a#b", "https://doi.org/10.1000/a%23b"),
        ("1234/a?b", "https://hdl.handle.net/1234/a%3Fb"),
        ("1234/a b", "https://hdl.handle.net/1234/a%20b"),
        ("1234/a\\b", "https://hdl.handle.net/1234/a%5Cb"),
    ],
)
def test_identifier_that_would_link_elsewhere_is_left_to_the_link(
    handle: str, link: str
) -> None:
    """An identifier that BibLaTeX would make a wrong link of has its right one."""
    text = entry(Work(title="x"), Version(label="1", handle=Handle.parse(handle)))

    assert text == (
        f"@misc{{x-1,\n  title = {{{{x}}}},\n  version = {{1}},\n"
        f"  url = {{{link}}},\n}}\n"
    )


def test_matched_braces_stay() -> None:
    """An identifier may hold braces in pairs."""
    text = entry(Work(title="x"), Version(label="1", handle=Handle("1234", "a{b}")))

    assert "  eprint = {1234/a{b}},\n" in text


def test_special_characters_of_tex_print_as_themselves() -> None:
    """What TeX would act upon is written as the command that prints it."""
    text = entry(Work(title=r"50% & $ # _ ^ ~ \ {x} <y>|"), Version(label="1"))

    assert (
        r"  title = {{50\% \& \$ \# \_ \textasciicircum{} \textasciitilde{} "
        r"\textbackslash{} \textbraceleft{}x\textbraceright{} "
        r"\textless{}y\textgreater{}\textbar{}}},"
    ) in text


def test_names_are_not_taken_apart() -> None:
    """Braces hold together what BibTeX would divide."""
    work = Work(
        title="x",
        creators=(
            Creator(name="Rock and Roll, Inc."),
            Creator.person("Plato"),
            Creator.person("Smith, Jr.", "Ann and Bob"),
            Creator.person("von Neumann", "John"),
        ),
    )

    assert (
        "  author = {{Rock and Roll, Inc.} and {Plato} and "
        "{Smith, Jr.}, {Ann and Bob} and von Neumann, John},\n"
    ) in entry(work, Version(label="1"))


@pytest.mark.parametrize(
    ("kind", "entry_type", "publisher"),
    [
        (WorkKind.DOCUMENT, "misc", "organization"),
        (WorkKind.MANUAL, "manual", "organization"),
        (WorkKind.REPORT, "techreport", "institution"),
        (WorkKind.SOFTWARE, "software", "organization"),
        (WorkKind.DATASET, "dataset", "publisher"),
    ],
)
def test_each_kind_has_its_type(
    kind: WorkKind, entry_type: str, publisher: str
) -> None:
    """Every kind of work has an entry type, and that type's field for its body."""
    text = entry(Work(title="x", kind=kind, publisher="P"), Version(label="1"))

    assert text.startswith(f"@{entry_type}{{x-1,\n")
    assert f"  {publisher} = {{{{P}}}},\n" in text


@given(title=TEXT, name=TEXT, suffix=TEXT)
def test_nothing_escapes_its_field(title: str, name: str, suffix: str) -> None:
    """Whatever is cited, the entry's braces match, and close at its end."""
    try:
        handle = Handle("1234", suffix)
    except HandleSyntaxError:
        return
    work = Work(title=title, creators=(Creator(name=name),))

    text = entry(work, Version(label=title, handle=handle))

    depths = [0]
    for character in text.removesuffix("\n"):
        depths.append(depths[-1] + (character == "{") - (character == "}"))
    assert depths[-1] == 0
    start = text.index("{") + 1
    assert min(depths[start:-1]) == 1
