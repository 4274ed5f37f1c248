"""Verdicts on their way from the process that verifies: JSON, a message a line.

::

    {"plain": [KEY, TARGET, ANSWERED, KEY, TARGET, ANSWERED, …]}
    {"verdicts": [[KEY, {"handle": …, "outcome": …, …}], …]}

Nearly all say that a handle leads somewhere, and nothing more.  Those come flat, and
without the handle's spelling, which the receiver knows: they are read at the very end
of a build, when somebody waits for it, and thousands of small objects take longer.
"""

import json
from collections.abc import Iterable, Iterator, Mapping
from typing import Any, NewType

from handle_system.handle import Handle
from handle_system.verifying.verdict import Verdict, plain_verdict

__all__ = ["PackedVerdict", "packed", "packed_lines", "unpacked"]

#: One verdict's part of a message.
PackedVerdict = NewType("PackedVerdict", str)

# Verdicts in one message.
_TOGETHER = 500
_PLAIN = "plain"
_OTHERS = "verdicts"


def packed(key: str, verdict: Verdict) -> PackedVerdict:
    """The verdict for a handle of this comparison key, fit for `packed_lines`."""
    if verdict.is_good and not (verdict.aliases or verdict.reason):
        # Without the brackets: it becomes part of a larger array.
        flat = json.dumps([key, verdict.target, verdict.answered])
        return PackedVerdict(flat[1:-1])
    return PackedVerdict(json.dumps([key, verdict.to_json()]))


def packed_lines(verdicts: Iterable[PackedVerdict]) -> Iterator[str]:
    """The messages that carry these verdicts."""
    plain: list[str] = []
    others: list[str] = []
    for each in verdicts:
        (others if each.startswith("[") else plain).append(each)
    for name, group in ((_PLAIN, plain), (_OTHERS, others)):
        for start in range(0, len(group), _TOGETHER):
            together = ",".join(group[start : start + _TOGETHER])
            yield f'{{"{name}":[{together}]}}\n'


def unpacked(
    message: Mapping[str, Any], handles: Mapping[str, Handle]
) -> Iterator[tuple[str, Verdict]]:
    """The verdicts of a message, by comparison key; none, if it carries none.

    Args:
        message: The message.
        handles: The handles that were asked for, by their keys.
    """
    members = iter(message.get(_PLAIN, ()))
    for key, target, answered in zip(members, members, members, strict=True):
        yield key, plain_verdict(handles[key], target, answered)
    for key, verdict in message.get(_OTHERS, ()):
        yield key, Verdict.from_json(verdict)
