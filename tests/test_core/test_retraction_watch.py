"""A copy of the file of Retraction Watch as a source of states."""

import datetime as dt
import json
from pathlib import Path
from typing import Any

import pytest
from click.testing import Result

from handle_cli.command import hdl
from handle_system.describing.described_works import (
    DescribedWorks,
    read_described_works,
)
from handle_system.describing.page_settings import PageSettings
from handle_system.describing.retraction_watch import read_retractions
from handle_system.describing.work_findings import (
    findings_about_retractions,
    findings_about_works,
)
from handle_system.findings.codes import Code
from handle_system.findings.finding import Fact, Finding, Place
from handle_system.handle import Handle
from handle_system.proxies import DEFAULT_PROXIES
from tests.command_line import runner

HEAD = "Record ID,Title,RetractionDate,RetractionDOI,OriginalPaperDOI,RetractionNature,Reason"
DOI = Handle.parse("10.1000/Urns")
TODAY = dt.date(2026, 11, 28)


def row(
    nature: str = "Retraction",
    date: str = "8/9/2024 0:00",
    notice: str = "10.1000/notice",
    doi: str = "10.1000/URNS",
) -> str:
    return f'1,"Urns, and tea",{date},{notice},{doi},{nature},+Error;'


def works(
    folder: Path, *rows: str, item: dict[str, Any] | None = None
) -> DescribedWorks:
    """The works of a file of references, and of a file with these rows."""
    path = folder / "watch.csv"
    path.write_text("\n".join([HEAD, *rows]))
    named = folder / "references.json"
    if item is not None:
        named.write_text(json.dumps([item]))
    files = [named] if item is not None else []
    return read_described_works(files).with_retractions(path)


def told(references: DescribedWorks) -> list[Finding]:
    return findings_about_works(
        {DOI: [Place("a.md", 3)]},
        references,
        PageSettings(proxies=DEFAULT_PROXIES),
        today=TODAY,
    )


@pytest.mark.parametrize(
    ("rows", "state"),
    [
        ([row()], "retracted"),
        ([row("Expression of concern")], "concern"),
        ([row("Correction")], "corrected"),
        ([row("RETRACTION")], "retracted"),
        # The worse one counts, in any order.
        ([row("Correction", "1/1/2025 0:00"), row()], "retracted"),
        ([row(), row("Expression of concern", "1/1/2025 0:00")], "retracted"),
        # A reinstatement takes back what was before it.
        ([row(date="1/2/2020 0:00"), row("Reinstatement", "1/2/2021 0:00")], None),
        (
            [row(date="1/2/2021 0:00"), row("Reinstatement", "1/2/2020 0:00")],
            "retracted",
        ),
        ([row("Reinstatement")], None),
        ([row("Hiatus")], None),
        ([row(doi="10.1000/other")], None),
        ([row(doi="unavailable")], None),
        ([row(doi="10.1000/other; 10.1000/urns")], "retracted"),
        ([row(date="31/31/2024 0:00")], "retracted"),
        ([row(date="")], "retracted"),
        (["1,short row"], None),
    ],
)
def test_states(tmp_path: Path, rows: list[str], state: str | None) -> None:
    """Each nature of a record is a state of the work."""
    findings = told(works(tmp_path, *rows))

    assert [finding.code.value for finding in findings] == ([state] if state else [])


def test_a_finding_says_who_tells_it(tmp_path: Path) -> None:
    """Both sources are named where they differ."""
    item = {"id": "doi:10.1000/urns", "title": "Urns", "custom": {"agency": "Crossref"}}
    (finding,) = told(works(tmp_path, row(), item=item))

    assert finding.code is Code.RETRACTED
    assert finding.message == "retracted on 2024-08-09"
    assert finding.facts == (
        Fact("notice", "https://doi.org/10.1000/notice"),
        Fact("told by", "watch.csv, with records up to 2024-08-09"),
        Fact("the file of references says", "nothing of it"),
    )


def test_a_state_that_both_tell_is_told_once(tmp_path: Path) -> None:
    """It is the finding of the file of references, as without the other file."""
    update = {"state": "retracted", "by": "10.1000/notice", "date": "2024-08-09"}
    item = {"id": "doi:10.1000/urns", "title": "Urns", "custom": {"updates": [update]}}
    (finding,) = told(works(tmp_path, row(), item=item))

    assert [fact.word for fact in finding.facts] == ["notice"]


def test_an_accepted_notice_stays_silent(tmp_path: Path) -> None:
    """Whoever accepts it knows it from any source."""
    custom = {"accepted": ["10.1000/notice"]}
    item = {"id": "doi:10.1000/urns", "title": "Urns", "custom": custom}

    assert told(works(tmp_path, row(), item=item)) == []


def test_it_describes_no_work(tmp_path: Path) -> None:
    """The file has states, and no metadata: what it names is not described."""
    references = works(tmp_path, row())

    assert DOI not in references
    assert list(references) == []


@pytest.mark.parametrize(
    ("content", "problem"),
    [
        (b"", "it has no column OriginalPaperDOI, so it is none of Retraction Watch"),
        (
            b"a,b\n1,2\n",
            "it has no column OriginalPaperDOI, so it is none of Retraction Watch",
        ),
        (
            HEAD.replace("RetractionDOI,", "").encode(),
            "it has no column RetractionDOI, so it is none of Retraction Watch",
        ),
        (HEAD.encode() + b"\n" + b"x" * 200_000, "line 2 is not CSV: "),
    ],
)
def test_a_file_that_is_none(tmp_path: Path, content: bytes, problem: str) -> None:
    """It is said which column it lacks, or where it cannot be read."""
    path = tmp_path / "watch.csv"
    path.write_bytes(content)

    assert read_retractions(path).problem.startswith(problem)


def test_octets_that_are_no_utf_8(tmp_path: Path) -> None:
    """They cost a character, and no record."""
    path = tmp_path / "watch.csv"
    path.write_bytes(
        b"\xef\xbb\xbf" + f"{HEAD}\n{row()}".encode().replace(b"tea", b"t\xe9a")
    )

    assert len(read_retractions(path).updates_of(DOI)) == 1


@pytest.mark.parametrize(
    ("date", "is_old"), [("10/29/2026 0:00", False), ("10/28/2026 0:00", True)]
)
def test_a_file_that_is_old(tmp_path: Path, date: str, *, is_old: bool) -> None:
    """A note says of which day its newest record is."""
    references = works(tmp_path, row(date=date), row(date="1/1/2001 0:00"))
    findings = findings_about_retractions(references, today=TODAY)

    messages = ["its newest record is of 2026-10-28"] if is_old else []
    assert [finding.message for finding in findings] == messages


def test_a_day_to_come(tmp_path: Path) -> None:
    """A record of a year to come, which is a slip, does not make the others new."""
    references = works(tmp_path, row(date="8/9/2204 0:00"), row(date="8/9/2024 0:00"))
    retractions = references.retractions
    assert retractions is not None

    assert retractions.last_day == dt.date(2024, 8, 9)
    assert len(retractions.updates_of(DOI)) == 2


def test_records_without_a_day(tmp_path: Path) -> None:
    """The file is named without a day, and a warning says that it has none."""
    references = works(tmp_path, row(date=""))
    (finding,) = told(references)
    (about_file,) = findings_about_retractions(references)

    assert Fact("told by", "watch.csv") in finding.facts
    assert about_file.message == "it has no record with a date"


def test_a_work_with_many_records(tmp_path: Path) -> None:
    """Its first forty are kept: a file of a few megabytes may say the same of it a million times."""
    references = works(tmp_path, *[row(doi=";".join([DOI.comparison_key] * 100))] * 2)
    retractions = references.retractions
    assert retractions is not None

    assert len(retractions.updates_of(DOI)) == 40


def test_a_file_with_many_works(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """More than a bound of works are no file of Retraction Watch, and would fill the memory."""
    monkeypatch.setattr("handle_system.describing.retraction_watch._MOST_WORKS", 2)
    rows = [row(doi=f"10.1000/{number}") for number in range(3)]
    too_many = works(tmp_path, *rows).retractions
    as_many = works(tmp_path, *rows[:2]).retractions

    assert too_many is not None
    assert as_many is not None
    assert too_many.problem == "it has more than 2 works"
    assert (as_many.problem, len(as_many)) == ("", 2)


def check(*arguments: str) -> Result:
    return runner().invoke(
        hdl, ["check", "--format", "text", *arguments], catch_exceptions=False
    )


def test_the_command(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """The option and the setting name the file; a stranger's names none outside."""
    monkeypatch.chdir(tmp_path)
    (tmp_path / "pyproject.toml").write_text("[tool.handle]\n")
    (tmp_path / "a.md").write_text("See doi:10.1000/urns now.\n")
    (tmp_path / "watch.csv").write_text(f"{HEAD}\n{row()}")
    by_option = check("--retractions", "watch.csv", "a.md")
    (tmp_path / "pyproject.toml").write_text(
        '[tool.handle]\nretractions = "watch.csv"\n'
    )
    by_setting = check("a.md")
    (tmp_path / "pyproject.toml").write_text(
        '[tool.handle]\nretractions = "/etc/passwd"\n'
    )
    outside = check("a.md")

    for done in (by_option, by_setting):
        assert done.exit_code == 1
        assert (
            "a.md:1:5: warning: doi:10.1000/urns: retracted on 2024-08-09"
            in done.stdout
        )
        assert "watch.csv: note: its newest record is of 2024-08-09" in done.stdout
    assert outside.exit_code == 2
    assert "tool.handle.retractions names" in outside.stderr


def test_a_notice_can_be_accepted(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """The command that the finding names accepts it, for a work that has an item."""
    monkeypatch.chdir(tmp_path)
    (tmp_path / "pyproject.toml").write_text(
        '[tool.handle]\nretractions = "watch.csv"\n'
    )
    (tmp_path / "a.md").write_text("See doi:10.1000/urns now.\n")
    (tmp_path / "watch.csv").write_text(f"{HEAD}\n{row()}")
    without_item = check("a.md")
    item = {"id": "doi:10.1000/urns", "title": "Urns"}
    (tmp_path / "references.json").write_text(json.dumps([item]))
    before = check("a.md")
    arguments = ["references", "accept", "10.1000/notice"]
    accepted = runner().invoke(hdl, arguments, catch_exceptions=False)

    assert "cite another work\n" in without_item.stdout
    assert "hdl references accept 10.1000/notice" in before.stdout
    assert accepted.stdout == "accepted  10.1000/notice, about 10.1000/urns\n"
    assert check("a.md").exit_code == 0
