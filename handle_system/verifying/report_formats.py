"""Writers of two report formats: SARIF 2.1.0 and JUnit XML.

They know nothing of handles: `handle_system.verifying.reports` and the command
``hdl check`` give them results and test cases.  Any text may be hostile; every
character that would not show as itself is escaped.
"""

import json
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from enum import StrEnum
from pathlib import PurePosixPath, PureWindowsPath
from xml.etree import ElementTree as ET

from handle_system.encoding import encode_file
from handle_system.errors import showable

__all__ = ["JUnitCase", "JUnitResult", "SarifResult", "junit_xml", "sarif_log"]

_SCHEMA = "https://docs.oasis-open.org/sarif/sarif/v2.1.0/errata01/os/schemas/sarif-schema-2.1.0.json"
_ROOT = "%SRCROOT%"


@dataclass(frozen=True, slots=True, kw_only=True)
class SarifResult:
    """One finding at one place.

    Attributes:
        rule: The kind of finding.
        level: ``error``, ``warning`` or ``note``.
        message: The finding.
        file: A path from the root of the sources, or an absolute one.
        line: The line, from 1; 0 for the file as a whole.
        column: The column in code points, from 1; 0 for the line as a whole.
        fingerprint: Identifies the finding across runs; services merge findings with
            equal fingerprints.  Empty to let the service compute one.
    """

    rule: str
    level: str
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
    """Write one run as SARIF 2.1.0 (OASIS).

    Args:
        results: The findings.
        tool: The name of the tool.
        version: The version of the tool.
        rules: A sentence about each kind of finding, with or without results.
        notes: Messages about the run, at no place.
    """
    numbers = {rule: number for number, rule in enumerate(rules)}
    driver = {
        "name": tool,
        "version": version,
        "rules": [
            {"id": rule, "shortDescription": {"text": text}}
            for rule, text in rules.items()
        ],
    }
    invocation = {
        "executionSuccessful": True,
        "toolExecutionNotifications": [
            {"level": "note", "message": {"text": _sarif_text(note)}} for note in notes
        ],
    }
    run = {
        "tool": {"driver": driver},
        "originalUriBaseIds": {
            _ROOT: {"description": {"text": "The root of the sources."}}
        },
        "invocations": [invocation],
        "results": [_sarif_result(each, numbers[each.rule]) for each in results],
        "columnKind": "unicodeCodePoints",
    }
    return json.dumps({"$schema": _SCHEMA, "version": "2.1.0", "runs": [run]}, indent=2)


def _sarif_result(each: SarifResult, number: int) -> dict[str, object]:
    location: dict[str, object] = {"artifactLocation": _sarif_artifact(each.file)}
    if each.line:
        columns = {"startColumn": each.column} if each.column else {}
        location["region"] = {"startLine": each.line, **columns}
    result: dict[str, object] = {
        "ruleId": each.rule,
        "ruleIndex": number,
        "level": each.level,
        "message": {"text": _sarif_text(each.message)},
        "locations": [{"physicalLocation": location}],
    }
    if each.fingerprint:
        result["partialFingerprints"] = {"handle/v2": each.fingerprint}
    return result


def _sarif_text(text: str) -> str:
    """Write a message without placeholders and links.

    SARIF doubles a brace (3.11.5).  It has no escape for text that looks like a link
    (3.11.6), so this puts a space into it.
    """
    shown = showable(text).replace("{", "{{").replace("}", "}}")
    return shown.replace("](", "] (")


def _sarif_artifact(file: str) -> dict[str, str]:
    if PurePosixPath(file).is_absolute():
        return {"uri": f"file://{encode_file(file)}"}
    if PureWindowsPath(file).is_absolute():
        return {"uri": PureWindowsPath(file).as_uri()}
    return {"uri": encode_file(file), "uriBaseId": _ROOT}


class JUnitResult(StrEnum):
    """The result of a test case."""

    PASSED = "passed"
    FAILED = "failure"
    SKIPPED = "skipped"


@dataclass(frozen=True, slots=True, kw_only=True)
class JUnitCase:
    """One test case.

    Attributes:
        group: The file or document that it belongs to.
        name: Its name.
        result: Its result.
        code: The kind of finding, if it failed.
        description: The finding in words; may be empty.
        places: The places of the finding.
    """

    group: str
    name: str
    result: JUnitResult = JUnitResult.PASSED
    code: str = ""
    description: str = ""
    places: Sequence[str] = ()


def junit_xml(cases: Sequence[JUnitCase]) -> str:
    """Write one suite of test cases.

    The format has no standard.  This writes the part that two schemas in use allow:
    ``junit-4.xsd`` of Jenkins' first plugin for it and ``junit-10.xsd`` of the present
    one.  A case there has no file and no line, so both stand in its text.
    """
    results = [case.result for case in cases]
    counts = {
        "tests": str(len(cases)),
        "failures": str(results.count(JUnitResult.FAILED)),
        "errors": "0",
    }
    skipped = str(results.count(JUnitResult.SKIPPED))
    root = ET.Element("testsuites", counts)
    named = {"name": "handles", **counts, "skipped": skipped}
    suite = ET.SubElement(root, "testsuite", named)
    for case in cases:
        _add_case(suite, case)
    ET.indent(root, space="")
    return f'<?xml version="1.0" encoding="utf-8"?>\n{ET.tostring(root, "unicode")}\n'


def _add_case(suite: ET.Element, case: JUnitCase) -> None:
    # XML cannot hold most control characters; `showable` leaves none.
    name, group = showable(case.name), showable(case.group)
    description = showable(case.description)
    element = ET.SubElement(suite, "testcase", classname=group, name=name)
    if case.result is JUnitResult.FAILED:
        failure = ET.SubElement(element, "failure", type=case.code, message=description)
        failure.text = showable(", ".join(case.places))
    elif case.result is JUnitResult.SKIPPED:
        ET.SubElement(element, "skipped").text = description
    elif description:
        ET.SubElement(element, "system-out").text = description
