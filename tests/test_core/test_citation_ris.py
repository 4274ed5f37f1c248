"""`handle_system.citing.ris`: a record in RIS."""

import datetime as dt
import re

import pytest
from hypothesis import given
from hypothesis import strategies as st

from handle_system.citing.cited import Cited
from handle_system.citing.ris import ris
from handle_system.citing.work import Creator, Version, Work, WorkKind
from handle_system.handle import Handle


def test_handle_stands_in_ur() -> None:
    """A handle is in the field for addresses, and not in that for DOIs."""
    work = Work(
        title="Handle Suffix Format Policy",
        creators=(Creator.person("Carberry", "Josiah"), Creator(name="PILIN Project")),
        publisher="Monash University",
        kind=WorkKind.REPORT,
        language="en",
    )
    version = Version(
        label="1.0",
        date=dt.date(2007, 6, 26),
        handle=Handle.parse("102.100.272/0N8J991QH"),
    )

    assert ris(Cited(work=work, version=version)) == (
        "TY  - RPRT\n"
        "ID  - carberry-2007-1.0\n"
        "AU  - Carberry, Josiah\n"
        "AU  - PILIN Project\n"
        "TI  - Handle Suffix Format Policy\n"
        "ET  - 1.0\n"
        "PB  - Monash University\n"
        "PY  - 2007\n"
        "DA  - 2007/06/26\n"
        "UR  - https://hdl.handle.net/102.100.272/0N8J991QH\n"
        "LA  - en\n"
        "ER  - \n"
    )


def test_doi_stands_in_do() -> None:
    """A DOI is as it is; a semicolon does not cut its link in two."""
    version = Version(label="1", handle=Handle.parse("10.1000/3.0.CO;2-V"))

    assert ris(Cited(work=Work(title="x"), version=version)) == (
        "TY  - GEN\n"
        "ID  - x-1\n"
        "TI  - x\n"
        "ET  - 1\n"
        "DO  - 10.1000/3.0.CO;2-V\n"
        "UR  - https://doi.org/10.1000/3.0.CO%3B2-V\n"
        "ER  - \n"
    )


@pytest.mark.parametrize(
    ("creator", "name"),
    [
        (
            Creator(name="PILIN Project and Friends, Inc."),
            "PILIN Project and Friends Inc.",
        ),
        (Creator(name="Rock, Paper, Scissors"), "Rock Paper Scissors"),
        (Creator.person("King, Jr.", "Martin Luther"), "King Jr., Martin Luther"),
        (Creator.person("Plato"), "Plato"),
        (Creator(name=","), ","),
    ],
    ids=["body", "several", "person", "one name", "comma"],
)
def test_comma_stands_between_names_alone(creator: Creator, name: str) -> None:
    """A body with a comma in its name is not taken for a person."""
    work = Work(title="x", creators=(creator,))

    assert f"\nAU  - {name}\n" in ris(Cited(work=work, version=Version(label="1")))


def test_doi_with_a_line_end_is_an_address_only() -> None:
    """U+2028 ends a line to some readers; in the address it is encoded."""
    version = Version(label="1", handle=Handle("10.1000", "a\u2028TY  - BOOK"))

    record = ris(Cited(work=Work(title="x"), version=version))

    assert record == (
        "TY  - GEN\nID  - x-1\nTI  - x\nET  - 1\n"
        "UR  - https://doi.org/10.1000/a%E2%80%A8TY%20%20-%20BOOK\nER  - \n"
    )


@given(st.text(st.characters(exclude_categories=["C", "Z"]), min_size=1))
def test_every_line_is_a_tag(title: str) -> None:
    """No text can begin a line of its own."""
    record = ris(Cited(work=Work(title=title), version=Version(label=title)))

    assert all(re.match("[A-Z]{2}  - ", line) for line in record.splitlines())
