"""The report as one HTML page that needs nothing else.

Everything written into it comes from documents and from records, so all of it
is escaped, and only ``http`` and ``https`` targets become links.  A script
filters and sorts where scripts run; without one, the page is the whole table.
Of a text that is very long the beginning is shown.
"""

import base64
import hashlib
from collections.abc import Sequence
from datetime import datetime
from html import escape
from importlib.resources import files

from handle_system.text import several
from handle_system.verifying.checked import (
    CheckedHandle,
    IgnoredHandle,
    MalformedReference,
)
from handle_system.verifying.report_html_rows import (
    LABELS,
    checked_row,
    ignored_row,
    malformed_row,
    text,
)

__all__ = ["html_report"]

_COLUMNS = ("Handle", "Outcome", "Leads to", "Answered", "Written at")


def html_report(
    checked: Sequence[CheckedHandle],
    *,
    title: str,
    now: datetime,
    malformed: Sequence[MalformedReference] = (),
    ignored: Sequence[IgnoredHandle] = (),
) -> str:
    """The page, with what needs a look first.

    Args:
        checked: What was checked.
        title: What was checked, in words.
        now: The moment that ages count from, in UTC.
        malformed: What is no reference, so that nothing could be asked for.
        ignored: What was not asked for, as the project wishes.
    """
    style, script = _asset("report.css"), _asset("report.js")
    heading = text(f"Handles of {title}" if title else "Handles")
    places = [each.places for each in checked] + [each.places for each in ignored]
    rows = sorted(
        [
            *map(malformed_row, malformed),
            *(checked_row(each, now) for each in checked),
            *map(ignored_row, ignored),
        ],
        key=lambda row: (row.need, row.title),
    )
    columns = "".join(f'<th scope="col">{each}</th>' for each in _COLUMNS)
    return (
        '<!DOCTYPE html>\n<html lang="en">\n<head>\n<meta charset="utf-8">\n'
        '<meta name="viewport" content="width=device-width, initial-scale=1">\n'
        '<meta http-equiv="Content-Security-Policy" content="default-src \'none\'; '
        f"base-uri 'none'; form-action 'none'; style-src {_source(style)}; "
        f'script-src {_source(script)}">\n'
        f"<title>{heading}</title>\n<style>{style}</style>\n"
        f"</head>\n<body>\n<main>\n<h1>{heading}</h1>\n"
        f"<p>{several(sum(map(len, places)), 'reference')} to "
        f"{several(len(places), 'distinct handle')}, verified on {_moment(now)}.</p>\n"
        f"{_picture([row.kind for row in rows])}"
        '<div class="scroll" role="region" aria-labelledby="caption" tabindex="0">\n'
        '<table id="handles">\n<caption id="caption">Every handle, and every place '
        f"where it is written</caption>\n<thead>\n<tr>{columns}</tr>\n</thead>\n<tbody>\n"
        f"{''.join(row.html for row in rows)}</tbody>\n</table>\n</div>\n</main>\n"
        f"<script>{script}</script>\n</body>\n</html>\n"
    )


def _moment(moment: datetime) -> str:
    shown = moment.isoformat(sep=" ", timespec="minutes").partition("+")[0]
    return f'<time datetime="{moment.isoformat(timespec="seconds")}">{shown} UTC</time>'


def _picture(kinds: list[str]) -> str:
    """A bar whose parts are the outcomes, and a legend that says the same."""
    counts = {kind: kinds.count(kind) for kind in LABELS if kind in kinds}
    if not counts:
        return ""
    words = ", ".join(f"{count} {LABELS[kind]}" for kind, count in counts.items())
    parts = []
    start = 0.0
    for kind, count in counts.items():
        width = 100 * count / len(kinds)
        parts.append(
            f'<rect class="{kind}" x="{start:.3f}" y="0" '
            f'width="{width:.3f}" height="4"/>'
        )
        start += width
    legend = "".join(
        f'<li><span class="outcome {kind}">{LABELS[kind]}</span> {count}</li>'
        for kind, count in counts.items()
    )
    return (
        '<svg class="outcomes" viewBox="0 0 100 4" preserveAspectRatio="none" '
        f'role="img" aria-label="{escape(words)}">{"".join(parts)}</svg>\n'
        f'<ul class="legend">{legend}</ul>\n'
    )


def _source(content: str) -> str:
    """What a policy calls an inline text: nothing else than this one runs."""
    digest = base64.b64encode(hashlib.sha256(content.encode()).digest()).decode()
    return f"'sha256-{digest}'"


def _asset(name: str) -> str:
    return files("handle_system.verifying").joinpath("static", name).read_text("utf-8")
