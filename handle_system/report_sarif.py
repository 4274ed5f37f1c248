"""The report as SARIF 2.1.0 (OASIS), for services that annotate changes.

Only what says something about the documents is a result: a handle that is not
registered, at each of its places, and one whose record leads nowhere.  What was
not verified is a notification of the run.
"""

import json
from collections.abc import Iterator, Sequence

from handle_system.checked import CheckedHandle, CheckedPlace
from handle_system.encoding import encode_file
from handle_system.errors import showable

__all__ = ["sarif_report"]

_SCHEMA = "https://docs.oasis-open.org/sarif/sarif/v2.1.0/errata01/os/schemas/sarif-schema-2.1.0.json"
_ROOT = "ROOT"
_RULES = {
    "handle.not-registered": "A handle that the document refers to is not registered.",
    "handle.record": "A handle is registered, and its record leads nowhere.",
}


def sarif_report(checked: Sequence[CheckedHandle], *, version: str) -> str:
    """The report as one run; `version` is that of this software."""
    run = {
        "tool": {
            "driver": {
                "name": "sphinxcontrib-handle",
                "version": version,
                "rules": [
                    {"id": rule, "shortDescription": {"text": text}}
                    for rule, text in _RULES.items()
                ],
            }
        },
        "originalUriBaseIds": {
            _ROOT: {"description": {"text": "The root of what was checked."}}
        },
        "invocations": [
            {
                "executionSuccessful": True,
                "toolExecutionNotifications": [
                    {
                        "level": "note",
                        "message": {
                            "text": f"{showable(each.verdict.handle)}: "
                            f"{showable(each.said)}"
                        },
                    }
                    for each in checked
                    if each.is_unknown
                ],
            }
        ],
        "results": [result for each in checked for result in _results(each)],
        "columnKind": "unicodeCodePoints",
    }
    report = {"$schema": _SCHEMA, "version": "2.1.0", "runs": [run]}
    return json.dumps(report, ensure_ascii=False, indent=2) + "\n"


def _results(each: CheckedHandle) -> Iterator[dict[str, object]]:
    if each.is_unknown or not each.said:
        return
    rule = "handle.not-registered" if each.is_broken else "handle.record"
    for place in each.places:
        yield {
            "ruleId": rule,
            "ruleIndex": list(_RULES).index(rule),
            "level": "warning" if each.is_broken else "note",
            "message": {
                "text": f"{showable(place.written)}: {showable(each.said)}",
            },
            "locations": [{"physicalLocation": _location(place)}],
            "partialFingerprints": {"handle/v1": each.verdict.handle},
        }


def _location(place: CheckedPlace) -> dict[str, object]:
    location: dict[str, object] = {
        "artifactLocation": {"uri": encode_file(place.file), "uriBaseId": _ROOT}
    }
    if place.line:
        location["region"] = {"startLine": place.line}
    return location
