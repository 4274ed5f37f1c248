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
    sound_targets,
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
    recalled = outcome_of_row("https://p/", handle, row.outcome, row.body, row.sum)
    assert recalled == outcome
    key = handle.comparison_key
    assert list(outcomes_of_rows("https://p/", [row[1:]], {key: handle})) == [
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
    checksum = crc32(f"p {name} 20.1/x".encode() + body)
    row = ("20.1/x", name, 17, 86400, body, checksum)

    assert outcome_of_row("p", handle, name, body, checksum) is None
    assert list(outcomes_of_rows("p", [row], {"20.1/x": handle})) == []
    assert list(sound_targets("p", [row], {"20.1/x"})) == []


BODY = b"https://a.example/\n[]"


@pytest.mark.parametrize(
    "summed",
    [
        b"p resolved 20.1/xhttps://a.example/\n[ ]",
        b"p resolved 20.1/yhttps://a.example/\n[]",
        b"q resolved 20.1/xhttps://a.example/\n[]",
        b"p refused 20.1/xhttps://a.example/\n[]",
    ],
)
def test_a_row_whose_sum_is_wrong_is_forgotten(summed: bytes) -> None:
    """One octet has changed on the disk, or an index leads to another's row."""
    handle = Handle("20.1", "x")
    right = crc32(b"p resolved 20.1/x" + BODY)
    row = ("20.1/x", "resolved", 17, 86400, BODY, right)
    damaged = (*row[:5], crc32(summed))

    assert list(sound_targets("p", [row], {"20.1/x"})) == [
        ("20.1/x", "https://a.example/", 17)
    ]
    assert len(list(outcomes_of_rows("p", [row], {"20.1/x": handle}))) == 1
    assert outcome_of_row("p", handle, "resolved", BODY, crc32(summed)) is None
    assert list(outcomes_of_rows("p", [damaged], {"20.1/x": handle})) == []
    assert list(sound_targets("p", [damaged], {"20.1/x"})) == []
