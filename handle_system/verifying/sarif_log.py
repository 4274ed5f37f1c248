"""SARIF 2.1.0 (OASIS): one run of a tool, and what it found.

Files are named from the root of the sources on, which a service that shows the
results beside the files calls ``%SRCROOT%`` and knows better than whoever wrote
them; one that lies elsewhere is named by a whole URI.
"""

import json
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from pathlib import PurePosixPath, PureWindowsPath

from handle_system.encoding import encode_file
from handle_system.errors import showable

__all__ = ["SarifLevel", "SarifResult", "sarif_log"]

_SCHEMA = "https://docs.oasis-open.org/sarif/sarif/v2.1.0/errata01/os/schemas/sarif-schema-2.1.0.json"
_ROOT = "%SRCROOT%"

#: ``error``, ``warning`` or ``note``.
SarifLevel = str


@dataclass(frozen=True, slots=True, kw_only=True)
class SarifResult:
    """One finding at one place, in text that may be anybody's.

    Attributes:
        rule: The kind of finding.
        level: ``error``, ``warning`` or ``note``.
        message: What is found.
        file: Where: a path from the root of the sources, or an absolute one.
        line: The line in it, from 1; 0 for the file as a whole.
        column: The column in code points, from 1; 0 for the line as a whole.
        fingerprint: What makes it the same finding in another run; empty for
            its place.
    """

    rule: str
    level: SarifLevel
    message: str
    file: str
    line: int = 0
    column: int = 0
    fingerprint: str = ""


def sarif_log(
    results: Iterable[SarifResult],
    *,
    tool: str,
    version: str,
    rules: Mapping[str, str],
    notes: Sequence[str] = (),
) -> str:
    """The log of one run, as JSON.

    Args:
        results: What was found.
        tool: The tool's name.
        version: The tool's version.
        rules: What each kind of finding is, in a sentence; those without a result
            are named too.
        notes: What is to be said of the run, and of no place.
    """
    numbers = {rule: number for number, rule in enumerate(rules)}
    run = {
        "tool": {
            "driver": {
                "name": tool,
                "version": version,
                "rules": [
                    {"id": rule, "shortDescription": {"text": text}}
                    for rule, text in rules.items()
                ],
            }
        },
        "originalUriBaseIds": {
            _ROOT: {"description": {"text": "The root of the sources."}}
        },
        "invocations": [
            {
                "executionSuccessful": True,
                "toolExecutionNotifications": [
                    {"level": "note", "message": {"text": _message(note)}}
                    for note in notes
                ],
            }
        ],
        "results": [_result(each, numbers[each.rule]) for each in results],
        "columnKind": "unicodeCodePoints",
    }
    report = {"$schema": _SCHEMA, "version": "2.1.0", "runs": [run]}
    return json.dumps(report, indent=2)


def _result(each: SarifResult, number: int) -> dict[str, object]:
    location: dict[str, object] = {"artifactLocation": _artifact(each.file)}
    if each.line:
        region = {"startLine": each.line}
        if each.column:
            region["startColumn"] = each.column
        location["region"] = region
    result: dict[str, object] = {
        "ruleId": each.rule,
        "ruleIndex": number,
        "level": each.level,
        "message": {"text": _message(each.message)},
        "locations": [{"physicalLocation": location}],
    }
    if each.fingerprint:
        result["partialFingerprints"] = {"handle/v1": each.fingerprint}
    return result


def _message(text: str) -> str:
    """The text as a message that has neither placeholders nor links of its own.

    SARIF writes a brace twice (3.11.5), and knows no way to write what looks like
    a link and is none (3.11.6): so a space goes in between.
    """
    shown = showable(text).replace("{", "{{").replace("}", "}}")
    return shown.replace("](", "] (")


def _artifact(file: str) -> dict[str, str]:
    if PurePosixPath(file).is_absolute():
        return {"uri": f"file://{encode_file(file)}"}
    if PureWindowsPath(file).is_absolute():
        return {"uri": PureWindowsPath(file).as_uri()}
    return {"uri": encode_file(file), "uriBaseId": _ROOT}
