"""Which DOI a work has that is written without one."""

from typing import Any

import pytest

from handle_system.describing.finding_dois import (
    Candidate,
    Nothing,
    Several,
    Sought,
    Suggestion,
    suggestion,
)
from handle_system.describing.items import item_of_csl
from handle_system.handle import Handle


def csl(
    title: str, family: str = "Doe", year: int = 2011, **more: Any
) -> dict[str, Any]:
    return {
        "type": "article-journal",
        "title": title,
        "author": [{"family": family, "given": "A."}],
        "issued": {"date-parts": [[year]]},
        **more,
    }


def candidate(doi: str, written: dict[str, Any]) -> Candidate:
    handle = Handle.parse(doi)
    return Candidate(handle, item_of_csl(written, handle))


KEPLER = csl(
    "Testing a framework for urns in wild rivers", volume="12", page="7-19"
) | {"container-title": "Physical Review B"}


@pytest.mark.parametrize(
    ("changed", "agreeing", "is_certain"),
    [
        ({}, ("volume", "first page", "container"), True),
        (
            {"container-title": "Phys. Rev. B"},
            ("volume", "first page", "container"),
            True,
        ),
        ({"container-title": "PRB"}, ("volume", "first page", "container"), True),
        ({"volume": "", "page": ""}, ("container",), True),
        ({"container-title": ""}, ("volume", "first page"), True),
        ({"container-title": "", "page": ""}, ("volume",), False),
        ({"container-title": "Physical Review", "page": ""}, ("volume",), False),
        ({"page": "7"}, ("volume", "first page", "container"), True),
        ({"volume": "012"}, ("volume", "first page", "container"), True),
        ({"title": "TESTING a Framework for Urns in wild Rivers."}, None, True),
        ({"type": "document"}, None, True),
    ],
)
def test_the_work_that_agrees(
    changed: dict[str, Any], agreeing: tuple[str, ...] | None, *, is_certain: bool
) -> None:
    """Title, first author and year agree, and the more agrees, the surer it is."""
    found = suggestion(
        Sought({**KEPLER, **changed}), [candidate("10.1000/urns", KEPLER)]
    )

    assert isinstance(found, Suggestion)
    assert found.candidate.handle == Handle.parse("10.1000/urns")
    assert found.is_certain is is_certain
    if agreeing is not None:
        assert found.agreeing == ("title", "first author", "year", *agreeing)


@pytest.mark.parametrize(
    "changed",
    [
        {"title": "Testing a framework for urns in wild lakes"},
        {"author": [{"family": "Roe"}, {"family": "Doe"}]},
        {"issued": {"date-parts": [[2012]]}},
        {"volume": "13"},
        {"page": "8-19"},
        {"issue": "2"},
        {"container-title": "Physical Review Letters"},
        {"container-title": "Physical Review A"},
        {"type": "book"},
        {"type": "dataset"},
    ],
)
def test_whatever_differs_is_no_work_of_the_entry(changed: dict[str, Any]) -> None:
    """One thing that both name, and that differs, is enough."""
    own = {**KEPLER, "issue": "1"}
    other = {**own, **changed}

    assert suggestion(Sought(own), [candidate("10.1000/1", other)]) == Nothing()


# Of the kinds of recorded works that share title, first author and year with another one:
# columns, letters, replies, reissues, parts, talks, archives.
COLUMN = csl("Questions and answers", "Brigham")
LETTER = csl(
    "Letter: Nomenclature of erythropoietic protoporphyria",
    "Johnson",
    1974,
    volume="109",
    issue="4",
    page="574",
)
PLAIN_LETTER = {
    **LETTER,
    "volume": "",
    "issue": "",
    "page": "",
}
TALK = csl("Learning trivializing flows", "Albandea", 2023, type="paper-conference")
PAPER = csl("Potnia: transliteration of ancient texts in Python", "Turnbull", 2025)
REVIEW = csl("Literature review", "Smith", 1998, volume="3", page="12")
REPLY = csl("Reply to the editor", "Jones", 2001, volume="5", page="900")
ERRATUM = csl("Erratum: urns in rivers", "Kim", 2010, volume="8", page="1")
PART = csl("Atlas of urns in rivers", "Lee", 2004, volume="1")
REISSUED = csl("A treatise on tea and urns", "Gray", 1969, page="1")
PREPRINT = csl("Measuring urns by the thousand", "Park", 2022, volume="2")
SUPPLEMENT = csl("Abstracts of the annual meeting", "Board", 2015, issue="S1")


@pytest.mark.parametrize(
    ("own", "wrong"),
    [
        (COLUMN, [COLUMN, {**COLUMN, "page": "3"}]),
        (LETTER, [{**LETTER, "issue": "5", "page": "737b"}]),
        (PLAIN_LETTER, [LETTER, {**LETTER, "issue": "5", "page": "737b"}]),
        (TALK, [{**TALK, "type": "article-journal"}]),
        (PAPER, [{**PAPER, "type": "dataset"}]),
        (REVIEW, [{**REVIEW, "volume": "4", "page": "80"}]),
        (REPLY, [{**REPLY, "page": "902"}]),
        (ERRATUM, [{**ERRATUM, "volume": "9"}]),
        (PART, [{**PART, "volume": "2"}]),
        (REISSUED, [{**REISSUED, "page": "401"}]),
        (PREPRINT, [{**PREPRINT, "volume": "", "type": "article"}]),
        (SUPPLEMENT, [{**SUPPLEMENT, "issue": "S2"}]),
    ],
)
def test_works_that_share_title_author_and_year(
    own: dict[str, Any], wrong: list[dict[str, Any]]
) -> None:
    """None of them is suggested where the right one is missing."""
    others = [candidate(f"10.1000/{n}", each) for n, each in enumerate(wrong)]

    assert isinstance(suggestion(Sought(own), others), Nothing | Several)


def test_two_works_that_agree() -> None:
    """None is suggested, and the same DOI of two agencies is one work."""
    first = candidate("10.1000/Urns", KEPLER)
    same = candidate("10.1000/urns", KEPLER)
    second = candidate("10.1000/copy", KEPLER)

    assert suggestion(Sought(KEPLER), [first, second]) == Several(2)
    assert isinstance(suggestion(Sought(KEPLER), [first, same]), Suggestion)


@pytest.mark.parametrize(
    ("sought", "reason"),
    [
        (Sought(KEPLER), ""),
        (Sought(KEPLER, has_eprint=True), "it is at an archive"),
        (Sought({**KEPLER, "type": "thesis"}), "it is a thesis"),
        (Sought(csl("Urns in rivers")), "its title is short"),
        (Sought(csl("Reply to Doe and others")), "its title is about another work"),
        (
            Sought(csl("Erratum: urns in wild rivers")),
            "its title is about another work",
        ),
        (Sought(csl("Replying machines in the wild")), ""),
    ],
)
def test_what_is_reported_only(sought: Sought, reason: str) -> None:
    """Works of which others have the same title are for people to look at."""
    assert sought.why_reported_only == reason
