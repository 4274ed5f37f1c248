"""The report as plain JSON."""

import json
from collections.abc import Iterable

from handle_system.checked import CheckedHandle

__all__ = ["json_report"]


def json_report(checked: Iterable[CheckedHandle]) -> str:
    """Every handle with its outcome, its target and all its places.

    ::

        [{"handle": …, "outcome": …, "target": …, "reason": …, "problems": […],
          "places": [{"document": …, "line": …, "written": …}]}]

    ``outcome`` is one of ``resolved``, ``not-registered``, ``no-values``,
    ``refused`` and ``unreachable``; ``target`` is a URL or null.
    """
    rows = [
        {
            "handle": each.verdict.handle,
            "outcome": each.outcome.value,
            "target": each.verdict.target,
            "reason": each.verdict.reason,
            "problems": list(each.verdict.problems),
            "places": [
                {
                    "document": place.document,
                    "line": place.line,
                    "written": place.written,
                }
                for place in each.places
            ],
        }
        for each in checked
    ]
    return json.dumps(rows, ensure_ascii=False, indent=2) + "\n"
