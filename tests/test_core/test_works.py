"""Answers of agencies, each with the state or the reference that is right."""

import json
from pathlib import Path
from typing import Any

import pytest

from handle_system.citing.style import plain_text
from handle_system.describing.agencies import Agencies
from handle_system.describing.answers import Described
from handle_system.describing.described_work import DescribedWork
from handle_system.handle import Handle
from tests.agency_server import as_csl, running_agency

CORPUS = Path(__file__).parent.parent / "corpus" / "works.jsonl"
ROWS = [json.loads(line) for line in CORPUS.read_text("utf-8").splitlines()]
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


def test_the_corpus_has_all_rows() -> None:
    """No row is lost."""
    assert len(ROWS) == 17
