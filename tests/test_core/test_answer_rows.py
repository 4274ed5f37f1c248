"""`handle_system.resolving.answer_rows`: outcomes as rows of the cache's file."""

from zlib import crc32

import pytest
from hypothesis import given
from hypothesis import strategies as st

from handle_system.handle import Handle
from handle_system.resolving.answer_rows import (
    outcome_of_row,
    outcomes_of_rows,
    row_of_outcome,
)
from handle_system.resolving.outcome import (
    NotRegistered,
    NoValues,
    Outcome,
    Refused,
    Resolved,
    Unreachable,
)
from handle_system.resolving.record import HandleRecord
from handle_system.resolving.value import HandleValue
from tests.strategies import handles

URL = HandleValue(index=1, type="URL", data="https://example.org/ä\ud800")

records = st.builds(HandleRecord, handles, st.sampled_from([(), (URL,)]))
outcomes = st.one_of(
    st.just(NotRegistered()),
    st.just(NoValues()),
    st.builds(Refused, st.integers(400, 406)),
    st.builds(
        Resolved,
        records,
        st.lists(handles, max_size=3).map(tuple),
        st.none() | st.text(max_size=20),
    ),
)


@given(handle=handles, outcome=outcomes)
def test_what_is_remembered_is_recalled(handle: Handle, outcome: Outcome) -> None:
    """Every outcome there is to remember, with all that it knows."""
    if isinstance(outcome, Resolved) and not outcome.aliases:
        outcome = Resolved(
            HandleRecord(handle, outcome.record.values), (), outcome.dead_end
        )

    row = row_of_outcome("https://p/", handle, outcome, 17, 86400)

    assert (row.resolver, row.handle, row.outcome, row.asked, row.ttl) == (
        "https://p/",
        handle.comparison_key,
        str(outcome.name),
        17,
        86400,
    )
    assert outcome_of_row(handle, row.outcome, row.body, row.sum) == outcome
    key = handle.comparison_key
    assert list(outcomes_of_rows([row[1:]], {key: handle})) == [
        (key, outcome, 17, 86400)
    ]


def test_the_unreachable_is_not_remembered() -> None:
    """There is nothing to remember of it."""
    with pytest.raises(ValueError) as raised:
        row_of_outcome("p", Handle("20.1", "x"), Unreachable("why"), 0, 0)

    assert str(raised.value) == "what is unreachable is not remembered"


@pytest.mark.parametrize(
    ("name", "body"),
    [
        ("unreachable", b""),
        ("lost", b""),
        ("refused", b""),
        ("resolved", b""),
        ("resolved", b"{"),
        ("resolved", b"{}"),
        ("resolved", b'{"handle":"none","values":[],"aliases":[],"dead_end":null}'),
        ("resolved", b'{"handle":"1/a","values":[],"aliases":[1],"dead_end":null}'),
        ("resolved", b'{"handle":"1/a","values":[],"aliases":[],"dead_end":7}'),
        ("resolved", b'{"a":' * 100_000),
    ],
)
def test_a_row_that_is_none_is_forgotten(name: str, body: bytes) -> None:
    """Whoever wrote it."""
    handle = Handle("20.1", "x")
    row = ("20.1/x", name, 17, 86400, body, crc32(body))

    assert outcome_of_row(handle, name, body, crc32(body)) is None
    assert list(outcomes_of_rows([row], {"20.1/x": handle})) == []


def test_a_row_whose_sum_is_wrong_is_forgotten() -> None:
    """One octet has changed on the disk."""
    handle = Handle("20.1", "x")
    row = ("20.1/x", "resolved", 17, 86400, b"[]", crc32(b"[ ]"))

    assert outcome_of_row(handle, "resolved", b"[]", crc32(b"[ ]")) is None
    assert list(outcomes_of_rows([row], {"20.1/x": handle})) == []
