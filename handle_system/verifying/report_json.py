"""The report as plain JSON."""

import json
from collections.abc import Iterable

from handle_system.verifying.checked import CheckedHandle, CheckedPlace

__all__ = ["json_report"]


def json_report(checked: Iterable[CheckedHandle]) -> str:
    """Every handle with its outcome, its target and all its places.

    ::

        [{"handle": …, "outcome": …, "target": …, "reason": …, "problems": […],
          "places": [{"document": …, "line": …, "written": …}]}]

    ``outcome`` is one of ``resolved``, ``not-registered``, ``no-values``,
    ``refused`` and ``unreachable``; ``target`` is a URL or null.  A place that is
    not in the document's own file, but in one that it includes or documents, has
    its ``file`` as well, which is what the line is counted in.

    The same answers give the same text: when they were given is not in it.
    """
    rows = [
        {
            "handle": each.verdict.handle,
            "outcome": each.outcome.value,
            "target": each.verdict.target,
            "reason": each.verdict.reason,
            "problems": list(each.verdict.problems),
            "places": [*map(_place, each.places)],
        }
        for each in checked
    ]
    return json.dumps(rows, ensure_ascii=False, indent=2) + "\n"


def _place(place: CheckedPlace) -> dict[str, object]:
    members: dict[str, object] = {
        "document": place.document,
        "line": place.line,
        "written": place.written,
    }
    return members if place.is_own_file else {**members, "file": place.file}
