"""Answers of agencies, each with the state or the reference that is right."""

import json
from pathlib import Path
from typing import Any

import pytest

from handle_system.citing.style import plain_text
from handle_system.describing.agencies import Agencies
from handle_system.describing.answers import Described
from handle_system.describing.described_work import DescribedWork
from handle_system.describing.items import item_of_csl
from handle_system.handle import Handle
from tests.agency_server import as_csl, running_agency

CORPUS = Path(__file__).parent.parent / "corpus" / "works.jsonl"
ROWS = [json.loads(line) for line in CORPUS.read_text("utf-8").splitlines()]
_ANSWERS = (CORPUS.with_name("works-2.jsonl")).read_text("utf-8").splitlines()
#: The other rows of this file are about runs of the command.
FIELDS = [row for row in map(json.loads, _ANSWERS) if "body" in row]
DOI = Handle.parse("10.5555/w")


@pytest.mark.parametrize("row", ROWS, ids=[row["case"] for row in ROWS])
def test_what_became_of_a_work(row: dict[str, Any]) -> None:
    """An answer gives the state with its notice and its date, and the reference."""
    with running_agency() as server, Agencies(server.url) as agencies:
        server.answer(str(DOI), as_csl(row["body"]))
        description = agencies.describe(DOI)
    assert isinstance(description, Described)
    work = DescribedWork(DOI, description.item)

    update = work.update
    said = {
        "state": update and [update.state.value, update.by, update.date],
        "reference": plain_text(work.reference()),
    }
    assert {name: said[name] for name in row["expected"]} == row["expected"]


@pytest.mark.parametrize("row", FIELDS, ids=[row["case"] for row in FIELDS])
def test_fields_of_an_answer(row: dict[str, Any]) -> None:
    """A journal has its name, codes for nothing are nothing, and words have spaces."""
    with running_agency() as server, Agencies(server.url) as agencies:
        server.answer(str(DOI), as_csl(row["body"]))
        description = agencies.describe(DOI)
    assert isinstance(description, Described)

    said = {name: description.item.get(name) for name in row["expected"]}
    assert said == row["expected"]


@pytest.mark.parametrize(
    ("titles", "name"),
    [
        (["Urns"], "Urns"),
        (["Lancet", "The Lancet"], "Lancet"),
        (["Chaos", "Chaos: An Interdisciplinary Journal"], None),
        (
            [
                "J. Am. Med. Assoc.",
                "JAMA",
                "Journal of the American Medical Association",
            ],
            None,
        ),
        (["Zs. f. Urnen", "ZfU", "Zeitschrift für Urnen"], None),
        (["Acta Urnica", "Acta Physica"], "Acta Urnica"),
        (["IJDL", "Int J Digit Libr", "Pots"], "IJDL"),
        (
            [
                "Proc. Natl. Acad. Sci.",
                "Proceedings of the National Academy of Sciences",
            ],
            None,
        ),
        (["URNS", "Urns"], "URNS"),
        (["Chimia", "Chimia (Aarau)"], "Chimia"),
        (["Acta Ophthalmol. (Copenh.)", "Acta Ophthalmologica"], None),
        (["", "Urns"], "Urns"),
        (["AB", "Œuvres"], "AB"),
    ],
)
def test_name_of_a_journal(titles: list[str], name: str | None) -> None:
    """The title for which all others stand; where none is that, the first stays.

    `None` stands for the last title.
    """
    item = item_of_csl({"type": "journal-article", "container-title": titles}, DOI)

    assert item["container-title"] == (name or titles[-1])


@pytest.mark.parametrize(
    "title",
    [
        "<i>N</i>-acetyl urns",
        "The <i>in</i>side of urns",
        "<i>p</i>53 and <i>BRCA1</i>s",
        "H<sub>2</sub>O and Na<sup>+</sup>",
        "<i>Salmonella</i>, again",
        "On <i>Salmonella</i>-like urns",
        "A <b>Bold</b>ness",
    ],
)
def test_text_beside_italics_that_is_no_word_stays(title: str) -> None:
    """Only a whole word that touches the name of a species is taken from it."""
    assert item_of_csl({"title": title}, DOI)["title"] == title


def test_the_corpus_has_all_rows() -> None:
    """No row is lost."""
    assert (len(ROWS), len(FIELDS)) == (17, 11)
