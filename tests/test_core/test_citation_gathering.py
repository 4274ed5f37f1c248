"""`handle_system.citing.gathering`: one citation from four sources."""

import pytest

from handle_system.citing.block import Display
from handle_system.citing.cff import read_cff
from handle_system.citing.gathering import (
    DIRECTIVE_OPTIONS,
    Surroundings,
    gather_citation,
    named_source,
)
from handle_system.citing.label import SaidLabels
from handle_system.citing.source import SourceName
from handle_system.citing.toml import choose_work, read_toml
from handle_system.citing.values import CitationError, Reading
from handle_system.citing.work import Work
from tests.policy_sources import CFF, ENVIRONMENT, OPTIONS, TOML

READING = Reading(environment=ENVIRONMENT)


def history(*labels: str) -> Work:
    """A work with these versions."""
    rows = "".join(f"[[work.version]]\nlabel = '{label}'\n" for label in labels)
    return choose_work(read_toml(f"[[work]]\ntitle = 'x'\n{rows}"))


def test_four_sources_give_one_citation() -> None:
    """Directive, metadata, TOML and CITATION.cff say the same the same way."""
    inline = gather_citation(OPTIONS, (), Surroundings(reading=READING))

    page = gather_citation(
        {}, (), Surroundings(metadata={f"cite-{k}": v for k, v in OPTIONS.items()})
    )
    toml = gather_citation(
        {}, (), Surroundings(work=choose_work(read_toml(TOML, READING)))
    )
    cff = gather_citation({}, (), Surroundings(work=read_cff(CFF)))

    assert page == inline
    assert toml == inline
    assert cff == inline


def test_nearest_source_wins_value_by_value() -> None:
    """The directive goes before the page, the page before the file."""
    around = Surroundings(
        metadata={"cite-title": "Of the page", "cite-publisher": "Of the page"},
        work=read_cff(CFF),
        display=Display(history=True),
    )

    request = gather_citation({"title": "Of the directive"}, (), around)

    assert request.work.title == "Of the directive"
    assert request.work.publisher == "Of the page"
    assert [creator.name for creator in request.work.creators] == ["PILIN Project"]
    assert request.display.history


def test_body_goes_before_the_histories_of_others() -> None:
    """A history is taken whole: the directive's, else the page's, else the file's."""
    around = Surroundings(metadata={"cite-versions": "2.0"}, work=history("3.0"))

    directive = gather_citation({}, [(1, ""), (2, "1.0")], around)
    page = gather_citation({}, [(1, " ")], around)
    file = gather_citation({}, (), Surroundings(work=history("3.0")))

    assert [
        [version.label for version in request.work.versions]
        for request in (directive, page, file)
    ] == [["1.0"], ["2.0"], ["3.0"]]


def test_version_is_said_by_the_nearest_place() -> None:
    """Option, page, configuration, build, release: in this order."""
    said = SaidLabels(configured="3.0", release="4.0")
    work = history("1.0", "2.0", "3.0", "4.0")

    def label(options: dict[str, str | None], metadata: dict[str, object]) -> str:
        around = Surroundings(work=work, metadata=metadata, said=said)
        return gather_citation(options, (), around).this.label

    assert label({"version": "1.0"}, {"cite-version": "2.0"}) == "1.0"
    assert label({}, {"cite-version": "2.0"}) == "2.0"
    assert label({}, {}) == "3.0"


def test_release_means_a_version_of_the_directives_own_history() -> None:
    """The history that the release is looked up in is the one that is shown."""
    around = Surroundings(said=SaidLabels(release="1.0.7"))

    request = gather_citation({"title": "x"}, [(1, "1.0"), (2, "2.0")], around)

    assert request.this.label == "1.0"


def test_error_is_named_as_its_source_has_it() -> None:
    """An option that overrides the page's is the directive's own."""
    around = Surroundings(metadata={"cite-title": "x", "cite-date": "soon"})

    with pytest.raises(CitationError) as of_page:
        gather_citation({"version": "1"}, (), around)
    with pytest.raises(CitationError) as of_directive:
        gather_citation({"version": "1", "date": "later"}, (), around)

    assert of_page.value.where == "cite-date"
    assert of_directive.value.where == ":date:"


def test_file_of_the_work_is_named_by_the_nearest_place() -> None:
    """The directive's file goes before the page's, and that before the site's."""
    page = {"cite-source": "page.toml#b"}

    assert named_source({"source": "own.toml"}, page, "site.toml") == SourceName(
        "own.toml"
    )
    assert named_source({"source": None}, page, "site.toml") == SourceName(
        "page.toml", "b"
    )
    assert named_source({}, {"cite-source": " "}, "site.toml#c") == SourceName(
        "site.toml", "c", is_configured=True
    )
    assert named_source({}, {}, " ") is None


def test_options_of_the_front_end_are_no_options_of_the_citation() -> None:
    """Where the work comes from, and whether it is an example, change nothing in it."""
    plain = {"title": "x", "version": "1"}

    assert gather_citation(
        {**plain, "source": "a.toml", "example": None}, (), Surroundings()
    ) == gather_citation(plain, (), Surroundings())
    assert set(plain) | {"source", "example"} < set(DIRECTIVE_OPTIONS)


def test_option_that_there_is_not_is_answered_with_those_there_are() -> None:
    """The message names every option of the directive."""
    with pytest.raises(CitationError) as caught:
        gather_citation({"sorce": "a.toml"}, (), Surroundings())

    assert str(caught.value) == (
        ":sorce: no such option; there are source, title, work, version, date, handle, "
        "changes, creators, publisher, kind, license, language, url, formats, history, "
        "uris, reference, example"
    )
