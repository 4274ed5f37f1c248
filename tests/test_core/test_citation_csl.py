"""`handle_system.citing.csl`: an item for citeproc."""

import datetime as dt
import json

from handle_system.citing.cited import Cited
from handle_system.citing.csl import csl_item, csl_json
from handle_system.citing.work import Creator, Version, Work, WorkKind
from handle_system.handle import Handle

CITED = Cited(
    work=Work(
        title="Handle Suffix Format Policy",
        creators=(
            Creator.person("Carberry", "Josiah"),
            Creator.person("Plato"),
            Creator(name="PILIN Project"),
        ),
        publisher="Monash University",
        kind=WorkKind.REPORT,
        language="en",
    ),
    version=Version(
        label="1.0",
        date=dt.date(2007, 6, 26),
        handle=Handle.parse("102.100.272/0N8J991QH"),
    ),
)


def test_handle_stands_in_url_and_custom() -> None:
    """A handle has its link, and itself where the schema leaves room."""
    assert csl_item(CITED) == {
        "id": "carberry-2007-1.0",
        "type": "report",
        "title": "Handle Suffix Format Policy",
        "author": [
            {"family": "Carberry", "given": "Josiah"},
            {"family": "Plato"},
            {"literal": "PILIN Project"},
        ],
        "version": "1.0",
        "publisher": "Monash University",
        "issued": {"date-parts": [[2007, 6, 26]]},
        "URL": "https://hdl.handle.net/102.100.272/0N8J991QH",
        "language": "en",
        "custom": {"handle": "102.100.272/0N8J991QH"},
    }


def test_doi_stands_in_doi() -> None:
    """A DOI is in its own field, and nowhere else but its link."""
    version = Version(label="1", handle=Handle("10.1000", "5"))

    assert csl_item(Cited(work=Work(title="x"), version=version)) == {
        "id": "x-1",
        "type": "document",
        "title": "x",
        "version": "1",
        "DOI": "10.1000/5",
        "URL": "https://doi.org/10.1000/5",
    }


def test_text_is_a_list_of_one_item() -> None:
    """The file is what citeproc takes: an array, in UTF-8 as it is read."""
    work = Work(title="日本")

    text = csl_json(Cited(work=work, version=Version(label="1")))

    assert json.loads(text) == [
        {"id": "work-1", "type": "document", "title": "日本", "version": "1"}
    ]
    assert "日本" in text
    assert text.endswith("]\n")
