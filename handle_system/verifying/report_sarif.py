"""The report as SARIF 2.1.0 (OASIS), for services that annotate changes.

Only what says something about the documents is a result: what is no reference, a
handle that is not registered, at each of its places, and one whose record leads
nowhere.  What was not verified is a notification of the run, unless a project
holds it against its documents.
"""

from collections.abc import Iterator, Sequence

from handle_system.verifying.checked import CheckedHandle, MalformedReference
from handle_system.verifying.sarif_log import SarifLevel, SarifResult, sarif_log
from handle_system.verifying.severity import FINDING_SENTENCES, Severity

__all__ = ["sarif_report"]

_MALFORMED = "What was meant for a reference to a handle is malformed."
_LEVELS: dict[Severity, SarifLevel] = {
    Severity.ERROR: "error",
    Severity.WARNING: "warning",
    Severity.INFO: "note",
}


def sarif_report(
    checked: Sequence[CheckedHandle],
    *,
    version: str,
    malformed: Sequence[MalformedReference] = (),
) -> str:
    """The report as one run.

    Args:
        checked: What was checked.
        version: The version of this software.
        malformed: What is no reference, so that nothing could be asked for.
    """
    codes = sorted({each.code for each in malformed})
    rules = {_rule(code): text for code, text in FINDING_SENTENCES.items()}
    log = sarif_log(
        [*_malformed(malformed), *_checked(checked)],
        tool="sphinxcontrib-handle",
        version=version,
        rules={**rules, **{_rule(code): _MALFORMED for code in codes}},
        notes=[
            f"{each.verdict.handle}: {each.said}"
            for each in checked
            if each.is_unknown and each.severity is Severity.INFO
        ],
    )
    return f"{log}\n"


def _malformed(malformed: Sequence[MalformedReference]) -> Iterator[SarifResult]:
    for each in malformed:
        if each.severity in _LEVELS:
            yield SarifResult(
                rule=_rule(each.code),
                level=_LEVELS[each.severity],
                message=f"{each.place.written}: {each.reason}",
                file=each.place.file,
                line=each.place.line,
            )


def _checked(checked: Sequence[CheckedHandle]) -> Iterator[SarifResult]:
    for each in checked:
        if each.code is None or each.severity not in _LEVELS:
            continue
        if each.is_unknown and not each.severity.fails:
            continue
        for place in each.places:
            yield SarifResult(
                rule=_rule(each.code),
                level=_LEVELS[each.severity],
                message=f"{place.written}: {each.said}",
                file=place.file,
                line=place.line,
                fingerprint=each.verdict.handle,
            )


def _rule(code: str) -> str:
    return f"handle.{code}"
