"""Verdicts on their way from one process to another."""

import json
from dataclasses import replace

from hypothesis import given
from hypothesis import strategies as st

from handle_system.handle import Handle
from handle_system.resolving.outcome import OutcomeName
from handle_system.verifying.verdict import Verdict
from handle_system.verifying.verdict_packing import packed, packed_lines, unpacked

HANDLES = {
    handle.comparison_key: handle
    for handle in (Handle("20.1000", str(number)) for number in range(1200))
}
TEXTS = st.text(max_size=20)
VERDICTS = st.builds(
    Verdict,
    handle=st.just(""),
    outcome=st.sampled_from(OutcomeName),
    target=st.none() | TEXTS,
    reason=st.just("") | TEXTS,
    aliases=st.just(()) | st.lists(TEXTS, max_size=2).map(tuple),
    problems=st.just(()) | st.lists(TEXTS, max_size=2).map(tuple),
    answered=st.none() | st.integers(min_value=0),
)


@given(st.lists(VERDICTS, max_size=20))
def test_nothing_is_lost_on_the_way(drawn: list[Verdict]) -> None:
    """Whatever a record holds."""
    sent = {
        key: replace(verdict, handle=str(handle))
        for (key, handle), verdict in zip(HANDLES.items(), drawn, strict=False)
    }
    lines = list(packed_lines(packed(key, each) for key, each in sent.items()))
    received = dict(
        pair for line in lines for pair in unpacked(json.loads(line), HANDLES)
    )

    assert received == sent
    assert {key: each.answered for key, each in received.items()} == {
        key: each.answered for key, each in sent.items()
    }
    assert all(line.count("\n") == 1 for line in lines)


def test_plain_verdicts_travel_flat_and_some_at_a_time() -> None:
    """Thousands of small objects would take longer to read."""
    good = Verdict(
        handle="20.1000/7", outcome=OutcomeName.RESOLVED, target="https://example.org/"
    )
    bad = Verdict(handle="20.1000/8", outcome=OutcomeName.NOT_REGISTERED)

    lines = list(packed_lines([packed("20.1000/8", bad), packed("20.1000/7", good)]))
    many = list(packed_lines(packed(key, good) for key in HANDLES))

    assert lines == [
        '{"plain":["20.1000/7", "https://example.org/", null]}\n',
        (
            '{"verdicts":[["20.1000/8", {"handle": "20.1000/8", '
            '"outcome": "not-registered", "target": null, "reason": "", '
            '"aliases": [], "problems": [], "answered": null}]]}\n'
        ),
    ]
    assert [len(json.loads(line)["plain"]) for line in many] == [1500, 1500, 600]
