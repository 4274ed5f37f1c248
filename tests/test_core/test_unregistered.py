"""DOIs that did not exist when they were asked for, told from the file of references."""

import datetime as dt
import json
from pathlib import Path

import pytest

from handle_system.describing.described_works import read_described_works
from handle_system.describing.page_settings import PageSettings
from handle_system.describing.unregistered import (
    may_be_unregistered,
    unregistered_item,
    unregistered_on,
)
from handle_system.describing.work_findings import findings_about_works
from handle_system.findings.codes import Code, Severity
from handle_system.findings.finding import Finding, Place
from handle_system.handle import Handle
from handle_system.proxies import DEFAULT_PROXIES
from handle_system.verifying.handle_patterns import HandlePatterns

DOI = Handle.parse("10.1038/s41586-021-99999-9")
ASKED = dt.date(2026, 11, 28)
ITEM = unregistered_item(DOI, ASKED)
PLACES = {DOI: [Place("a.md", 3)]}


def told(
    folder: Path,
    *items: object,
    today: dt.date = ASKED,
    reserved: tuple[str, ...] = (),
) -> list[Finding]:
    """What is said of the DOI with these items, each in a file of its own."""
    paths = []
    for number, item in enumerate(items):
        paths.append(folder / f"{number}.json")
        paths[-1].write_text(json.dumps([item]))
    return findings_about_works(
        PLACES,
        read_described_works(paths),
        PageSettings(
            proxies=DEFAULT_PROXIES,
            files=["docs/references.json"],
            reserved=HandlePatterns(reserved),
        ),
        today=today,
    )


def test_the_item() -> None:
    """It is an item that any reader of CSL-JSON takes, without a title."""
    assert ITEM == {
        "id": "doi:10.1038/s41586-021-99999-9",
        "DOI": "10.1038/s41586-021-99999-9",
        "type": "document",
        "custom": {"unregistered": "2026-11-28"},
    }


def test_a_doi_that_did_not_exist(tmp_path: Path) -> None:
    """It is a lead with its date, and says what to do."""
    assert told(tmp_path, ITEM) == [
        Finding(
            code=Code.UNREGISTERED,
            subject=str(DOI),
            message="was not registered when asked for on 2026-11-28",
            severity=Severity.WARNING,
            places=(Place("a.md", 3),),
            advice="a lead, no verdict: look for a typing error, or ask again",
            command="hdl references update --references docs/references.json",
        )
    ]


@pytest.mark.parametrize(
    ("days", "severity"),
    [(0, Severity.WARNING), (30, Severity.WARNING), (31, Severity.NOTE)],
)
def test_after_a_month_it_is_a_note(
    tmp_path: Path, days: int, severity: Severity
) -> None:
    """A DOI may be registered some weeks after its work was published."""
    (finding,) = told(tmp_path, ITEM, today=ASKED + dt.timedelta(days=days))

    assert finding.severity is severity
    assert ("long ago" in finding.advice) is (severity is Severity.NOTE)


def test_a_reserved_doi_is_spared(tmp_path: Path) -> None:
    """A project says of its own which there will be."""
    assert told(tmp_path, ITEM, reserved=("10.1038/s41586-*",)) == []


def test_an_item_that_a_person_wrote_is_believed(tmp_path: Path) -> None:
    """Whoever described the work in another file has looked it up."""
    by_hand = {"id": f"doi:{DOI}", "title": "On urns", "issued": {"raw": "2021"}}

    assert told(tmp_path, by_hand, ITEM) == []
    assert len(told(tmp_path, {**ITEM, **by_hand})) == 1


@pytest.mark.parametrize(
    "day", ["", "soon", 3, None, ["2026-11-28"], "2026-11-28\n", "2026-99-99"]
)
def test_a_day_that_is_none(day: object) -> None:
    """What is not a day says nothing."""
    assert unregistered_on({"custom": {"unregistered": day}}) == ""


@pytest.mark.parametrize(
    ("doi", "is_told"),
    [
        (str(DOI), True),
        ("10.5555/urns", False),
        ("10.5072/urns", False),
        ("10.5281/zenodo.XXXXXXX", False),
    ],
)
def test_examples_and_placeholders_are_spared(doi: str, *, is_told: bool) -> None:
    """Nobody takes them for a work."""
    assert may_be_unregistered(Handle.parse(doi)) is is_told
