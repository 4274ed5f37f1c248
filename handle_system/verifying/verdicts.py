"""Verdicts: the outcome of each handle as plain data, the finding about it, a report."""

import json
from collections import Counter
from collections.abc import Collection, Iterable, Mapping, Sequence
from dataclasses import dataclass, field, fields, replace
from functools import partial
from types import MappingProxyType
from typing import Any, assert_never

from handle_system.encoding import encode_file
from handle_system.errors import HandleSyntaxError, showable
from handle_system.findings.codes import Code
from handle_system.findings.finding import Finding, Place
from handle_system.handle import Handle
from handle_system.reference import HandleReference
from handle_system.resolving.outcomes import (
    Outcome,
    OutcomeName,
    Provenance,
    Resolved,
)
from handle_system.text import several

# More reasons are counted.
_MOST_REASONS = 3

#: The names of the outcomes in messages and on pages.
OUTCOME_LABELS: Mapping[OutcomeName, str] = MappingProxyType(
    {name: name.value.replace("-", " ") for name in OutcomeName}
)


@dataclass(frozen=True, slots=True, kw_only=True)
class Verdict:
    """The outcome of one handle as plain data.

    Attributes:
        handle: The handle, in its author's spelling.
        outcome: The name of the outcome.
        target: The absolute URL that the record leads to, or `None`.
        reason: Why nothing is known, or why a record leads nowhere; without a full
            stop, else empty.
        aliases: The handles passed on the way to the record.
        possible_targets: The absolute URLs that the record may lead a reader to, `target`
            first.
        addresses: All absolute URLs in the record, `target` first.
        replaced_by: The handle that replaces this one, as its record says; else empty.
        indexes: The indexes of the values in the record.
        answered: When a server answered, in seconds since 1970; `None` if none did.
        is_remembered: Whether the outcome comes from the cache.
        caveat: A clause about an older outcome that no server confirms now; else empty.
    """

    handle: str
    outcome: OutcomeName
    target: str | None = None
    reason: str = ""
    aliases: tuple[str, ...] = ()
    possible_targets: tuple[str, ...] = ()
    addresses: tuple[str, ...] = ()
    replaced_by: str = ""
    indexes: tuple[int, ...] = field(default=(), compare=False)
    answered: int | None = field(default=None, compare=False)
    is_remembered: bool = field(default=False, compare=False)
    caveat: str = field(default="", compare=False)

    @classmethod
    def from_json(cls, members: Mapping[str, Any]) -> "Verdict":
        """Read an object that the filter ``python -m handle_system.resolving`` wrote.

        Raises:
            LookupError, TypeError, ValueError: The object has another shape.
        """
        values = {name: members[name] for name in _MEMBERS}
        values["outcome"] = OutcomeName(values["outcome"])
        # JSON has no tuples.
        lists = {
            name: tuple(value)
            for name, value in values.items()
            if isinstance(value, list)
        }
        return cls(**{**values, **lists})

    def to_json(self) -> dict[str, Any]:
        """The object that `from_json` reads."""
        return {name: getattr(self, name) for name in _MEMBERS}

    @property
    def code(self) -> Code | None:
        """The kind of finding; `None` if the handle is registered and leads somewhere."""
        if self.outcome is not OutcomeName.RESOLVED:
            return Code(self.outcome.value)
        if self.reason:
            return Code.RECORD
        return Code.SUPERSEDED if self.replaced_by else None

    @property
    def description(self) -> str:
        """The finding in words, without a full stop; empty if there is none.

        A record or a server may have written part of it, so every character that
        would not show as itself is escaped.
        """
        finding = self._finding
        if finding and self.caveat:
            finding = f"{finding}; {self.caveat}"
        return showable(finding)

    @property
    def _finding(self) -> str:
        match self.outcome:
            case OutcomeName.NOT_REGISTERED:
                return "this handle is not registered"
            case OutcomeName.NO_VALUES:
                return "this handle is registered, and has no public values"
            case OutcomeName.RESOLVED:
                superseded = f"superseded by {self.replaced_by}"
                return self.reason or (superseded if self.replaced_by else "")
            case OutcomeName.REFUSED | OutcomeName.UNREACHABLE:
                label = OUTCOME_LABELS[self.outcome]
                return f"{label}, so not verified: {self.reason}"
            case _:
                assert_never(self.outcome)


# Each verdict is written and read by them.
_MEMBERS = tuple(member.name for member in fields(Verdict))


def verdict_of(
    handle: Handle, outcome: Outcome, provenance: Provenance | None = None
) -> Verdict:
    """Reduce an outcome to plain data."""
    verdict = partial(
        Verdict,
        handle=str(handle),
        outcome=outcome.name,
        target=outcome.target,
        reason=outcome.reason or "",
        answered=None if provenance is None else provenance.answered,
        is_remembered=provenance is not None and provenance.is_remembered,
        caveat="" if provenance is None else provenance.caveat,
    )
    if not isinstance(outcome, Resolved):
        return verdict()
    return verdict(
        aliases=tuple(map(str, outcome.aliases)),
        possible_targets=outcome.possible_targets,
        addresses=outcome.addresses,
        replaced_by=str(outcome.record.replaced_by or ""),
        indexes=tuple(value.index for value in outcome.record.public_values),
    )


def nothing_verified(verdicts: Collection[Verdict]) -> str:
    """The message of a verification in which no handle has an outcome: why it has none.

    >>> silent = Verdict(
    ...     handle="20.1000/1", outcome=OutcomeName.UNREACHABLE, reason="no connection"
    ... )
    >>> nothing_verified([silent])
    'the only handle could not be verified: no connection'
    >>> nothing_verified([silent] * 8)
    'none of the 8 handles could be verified: no connection'
    """
    if len(verdicts) == 1:
        message = "the only handle could not be verified"
    else:
        message = f"none of the {len(verdicts)} handles could be verified"
    return f"{message}: {common_reasons(verdicts)}"


def common_reasons(verdicts: Iterable[Verdict]) -> str:
    """The reasons why handles are not verified, the most frequent first."""
    # Each resolver that was asked gives a reason of its own.
    counts = Counter(
        reason for verdict in verdicts for reason in verdict.reason.split("; ")
    )
    reasons = [reason for reason, _ in counts.most_common(_MOST_REASONS)]
    if len(counts) > _MOST_REASONS:
        reasons.append(f"and {several(len(counts) - _MOST_REASONS, 'more reason')}")
    return showable("; ".join(reasons))


#: The fields of the template of a place's URL.
PLACE_FIELDS = ("{file}", "{line}", "{document}")


def place_url(template: str, file: str, line: int, document: str) -> str:
    """Fill in a URL that shows a place, such as a file at a line on a forge.

    Args:
        template: A URL with some of `PLACE_FIELDS`.
        file: The file, with forward slashes.
        line: The line, from 1; with 0 the URL has no fragment.
        document: The name of the document.

    >>> place_url("https://forge.example/{file}#L{line}", "docs/a b.rst", 3, "a b")
    'https://forge.example/docs/a%20b.rst#L3'
    """
    if not line:
        template = template.partition("#")[0]
    values = (encode_file(file), str(line or ""), encode_file(document))
    # The values are percent-encoded, so none of them holds a brace.
    for name, value in zip(PLACE_FIELDS, values, strict=True):
        template = template.replace(name, value)
    return template


def finding_about(verdict: Verdict, places: Sequence[Place]) -> Finding | None:
    """The finding about the outcome of a handle; `None` if it leads somewhere.

    Args:
        verdict: The outcome.
        places: The places that refer to the handle.
    """
    code = verdict.code
    if code is None:
        return None
    return Finding.of_kind(code, verdict.handle, verdict.description).at(*places)


@dataclass(frozen=True, slots=True, kw_only=True)
class CheckedHandle:
    """A handle of a check, for reports that list handles without a finding, too.

    Attributes:
        handle: The handle, in its author's spelling.
        places: The places that refer to it.
        verdict: Its outcome; `None` if the project excludes it.
        finding: The finding about the outcome, as severe as the project wants it.
    """

    handle: str
    places: tuple[Place, ...]
    verdict: Verdict | None = None
    finding: Finding | None = None


def without_answered(
    findings: Iterable[Finding], verdicts: Iterable[tuple[Verdict, Iterable[Place]]]
) -> list[Finding]:
    """The findings without those about an earlier answer, where there is a new one.

    Args:
        findings: The findings.
        verdicts: The new answers, each with the places of the handle.
    """
    answered = {
        place
        for verdict, places in verdicts
        if verdict.outcome is not OutcomeName.UNREACHABLE
        for place in places
    }
    return [
        finding
        for finding in findings
        if finding.code is not Code.UNREGISTERED or answered.isdisjoint(finding.places)
    ]


def verdicts_of_places(
    verdict: Verdict, places: Iterable[Place]
) -> list[tuple[Verdict, list[Place]]]:
    """The verdict on a handle, and the places it is about.

    A reference to one value, such as ``300:0.NA/10``, has a verdict of its own if the
    record does not have that value.

    Args:
        verdict: The verdict on the handle.
        places: The places that refer to it.
    """
    by_index: dict[int | None, list[Place]] = {}
    for place in places:
        index = None
        if not verdict.is_remembered:
            index = _missing_index(verdict, place.written)
        by_index.setdefault(index, []).append(place)
    return [
        (_without_value(verdict, index), its_places)
        for index, its_places in by_index.items()
    ]


def _without_value(verdict: Verdict, index: int | None) -> Verdict:
    if index is None:
        return verdict
    return replace(verdict, reason=f"its record has no value of index {index}")


def is_in_doubt(verdict: Verdict, references: Iterable[str]) -> bool:
    """Whether a remembered record lacks a value that one of the references names.

    It is no evidence: the value may be newer than the answer.

    Args:
        verdict: The verdict on a handle.
        references: What refers to it, as written.
    """
    return verdict.is_remembered and any(
        _missing_index(verdict, written) is not None for written in references
    )


def _missing_index(verdict: Verdict, written: str) -> int | None:
    """The index of the value that a reference names, if the record does not have it.

    >>> verdict = Verdict(handle="0.NA/10", outcome=OutcomeName.RESOLVED, indexes=(100,))
    >>> _missing_index(verdict, "300:0.NA/10"), _missing_index(verdict, "100:0.NA/10")
    (300, None)
    """
    index = _index_of_value(written)
    is_resolved = verdict.outcome is OutcomeName.RESOLVED and not verdict.reason
    if index is None or not is_resolved or index in verdict.indexes:
        return None
    return index


def _index_of_value(written: str) -> int | None:
    """The index in a reference to one value of a record, such as ``300:0.NA/10``."""
    if not written[:1].isdigit():
        # No other written form begins with a digit and has an index.
        return None
    try:
        return HandleReference.parse(written).index
    except HandleSyntaxError:
        return None


def count_outcomes(verdicts: Iterable[Verdict]) -> str:
    """How many handles have each outcome: ``3 resolved, 1 not registered``.

    Outcomes without a handle are left out.
    """
    counts = Counter(verdict.outcome for verdict in verdicts)
    return ", ".join(
        f"{counts[name]} {label}"
        for name, label in OUTCOME_LABELS.items()
        if counts[name]
    )


def outcome_report(handles: Iterable[CheckedHandle]) -> str:
    """Write every verified handle with its outcome, its target and all its places.

    ::

        [{"handle": …, "outcome": …, "target": …, "reason": …,
          "addresses": […],
          "places": [{"document": …, "line": …, "written": …}]}]

    ``outcome`` is one of ``resolved``, ``not-registered``, ``no-values``, ``refused``
    and ``unreachable``; ``target`` is a URL or null; ``reason`` says why a handle was
    not verified, or why its record leads nowhere; ``addresses`` are all URLs of the
    record, the target first.  A place in an included file or a
    docstring has the name of that ``file``, too: ``line`` counts its lines.

    Equal answers give equal text: the report does not say when they were given.
    """
    verified = [
        {
            "handle": checked.verdict.handle,
            "outcome": checked.verdict.outcome.value,
            "target": checked.verdict.target,
            "reason": checked.verdict.reason,
            "addresses": checked.verdict.addresses,
            "places": [*map(_json_place, checked.places)],
        }
        for checked in handles
        if checked.verdict is not None
    ]
    return json.dumps(verified, ensure_ascii=False, indent=2)


def _json_place(place: Place) -> dict[str, object]:
    file = {} if place.is_own_file else {"file": place.file}
    return {
        "document": place.document,
        "line": place.line,
        "written": place.written,
        **file,
    }
