"""The report as one HTML page that needs nothing else.

Everything written into it comes from documents and from records, so all of it
is escaped, and only ``http`` and ``https`` targets become links.  A script
filters and sorts where scripts run; without one, the page is the whole table.
"""

from collections.abc import Sequence
from html import escape
from importlib.resources import files

from handle_system.checked import CheckedHandle, CheckedPlace, counted
from handle_system.errors import showable
from handle_system.outcome import OutcomeName

__all__ = ["html_report"]

_LABELS = {
    OutcomeName.RESOLVED: "resolved",
    OutcomeName.NOT_REGISTERED: "not registered",
    OutcomeName.NO_VALUES: "no public values",
    OutcomeName.REFUSED: "refused",
    OutcomeName.UNREACHABLE: "not reached",
}


def html_report(checked: Sequence[CheckedHandle], *, title: str) -> str:
    """The page, with the handles that need a look first.

    Args:
        checked: What was checked.
        title: What was checked, in words.
    """
    rows = sorted(checked, key=_need)
    places = sum(len(each.places) for each in checked)
    shown_title = _text(f"Handles of {title}" if title else "Handles")
    return (
        '<!DOCTYPE html>\n<html lang="en">\n<head>\n<meta charset="utf-8">\n'
        '<meta name="viewport" content="width=device-width, initial-scale=1">\n'
        '<meta http-equiv="Content-Security-Policy" content="default-src \'none\'; '
        "style-src 'unsafe-inline'; script-src 'unsafe-inline'\">\n"
        f"<title>{shown_title}</title>\n<style>\n{_asset('report.css')}</style>\n"
        f"</head>\n<body>\n<main>\n<h1>{shown_title}</h1>\n"
        f"<p>{places} references to {len(checked)} distinct handles.</p>\n"
        f"{_picture(list(checked))}"
        '<table id="handles">\n<caption>Every handle, and every place where it is '
        'written</caption>\n<thead>\n<tr><th scope="col">Handle</th>'
        '<th scope="col">Outcome</th><th scope="col">Leads to</th>'
        '<th scope="col">Written at</th></tr>\n</thead>\n<tbody>\n'
        f"{''.join(map(_row, rows))}</tbody>\n</table>\n</main>\n"
        f"<script>\n{_asset('report.js')}</script>\n</body>\n</html>\n"
    )


def _need(each: CheckedHandle) -> tuple[int, str]:
    order = (each.is_broken, bool(each.said) and not each.is_unknown, each.is_unknown)
    return (order.index(True) if True in order else len(order), each.verdict.handle)


def _row(each: CheckedHandle) -> str:
    name = each.outcome.value
    said = f"<p>{_text(each.said)}</p>" if each.said else ""
    aliases = each.verdict.aliases
    via = f"<p>by way of {_text(', '.join(aliases))}</p>" if aliases else ""
    return (
        f'<tr data-outcome="{name}"><th scope="row">{_text(each.verdict.handle)}</th>'
        f'<td><span class="outcome {name}">{_LABELS[each.outcome]}</span>{said}</td>'
        f"<td>{_target(each.verdict.target)}{via}</td>"
        f"<td><ul>{''.join(map(_place, each.places))}</ul></td></tr>\n"
    )


def _place(place: CheckedPlace) -> str:
    return f"<li>{_text(str(place))} <code>{_text(place.written)}</code></li>"


def _target(target: str | None) -> str:
    if target is None:
        return ""
    if not target.lower().startswith(("http://", "https://")):
        return _text(target)
    return f'<a href="{escape(target)}" rel="noreferrer">{_text(target)}</a>'


def _picture(checked: list[CheckedHandle]) -> str:
    """A bar whose parts are the outcomes, and a legend that says the same."""
    counts = {name: count for name, count in counted(checked).items() if count}
    if not counts:
        return ""
    words = ", ".join(f"{count} {_LABELS[name]}" for name, count in counts.items())
    parts = []
    start = 0.0
    for name, count in counts.items():
        width = 100 * count / len(checked)
        parts.append(
            f'<rect class="{name.value}" x="{start:.3f}" y="0" '
            f'width="{width:.3f}" height="4"/>'
        )
        start += width
    legend = "".join(
        f'<li><span class="outcome {name.value}">{_LABELS[name]}</span> {count}</li>'
        for name, count in counts.items()
    )
    return (
        '<svg class="outcomes" viewBox="0 0 100 4" preserveAspectRatio="none" '
        f'role="img" aria-label="{words}">{"".join(parts)}</svg>\n'
        f'<ul class="legend">{legend}</ul>\n'
    )


def _text(text: str) -> str:
    return escape(showable(text))


def _asset(name: str) -> str:
    return files("handle_system").joinpath("static", name).read_text("utf-8")
