"""The rows of the HTML report, each made of text that anybody may have written."""

from collections.abc import Sequence
from dataclasses import dataclass
from datetime import UTC, datetime
from html import escape
from unicodedata import combining

from handle_system.errors import showable
from handle_system.text import several
from handle_system.verifying.checked import (
    CheckedHandle,
    CheckedPlace,
    IgnoredHandle,
    MalformedReference,
)

__all__ = ["LABELS", "Row", "checked_row", "ignored_row", "malformed_row", "text"]

#: What can become of a reference, and how the page calls it.
LABELS = {
    "resolved": "resolved",
    "not-registered": "not registered",
    "malformed": "malformed",
    "no-values": "no public values",
    "refused": "refused",
    "unreachable": "not reached",
    "ignored": "ignored",
}

# A hostile record has megabytes; nobody reads so far.
_LONGEST = 1000
_LONGEST_LINK = 8000
_MANY = 10
_TALLEST = 4
_UNITS = (("day", 86400), ("hour", 3600), ("minute", 60))
_SEVERE, _WRONG, _ODD, _UNKNOWN, _FINE, _IGNORED = range(6)


@dataclass(frozen=True, slots=True, kw_only=True)
class Row:
    """A row of the table.

    Attributes:
        kind: One of `LABELS`.
        need: How much it needs a look: the least first.
        title: What it is about, for ordering.
        html: The row itself.
    """

    kind: str
    need: int
    title: str
    html: str


def checked_row(each: CheckedHandle, now: datetime) -> Row:
    """The row of a handle that was asked for."""
    if each.severity.fails:
        need = _SEVERE
    elif each.is_broken:
        need = _WRONG
    elif each.is_unknown:
        need = _UNKNOWN
    else:
        need = _ODD if each.said else _FINE
    aliases = each.verdict.aliases
    via = f"<p>by way of {_text(', '.join(aliases))}</p>" if aliases else ""
    return _row(
        each.outcome.value,
        each.verdict.handle,
        each.places,
        # The outcome's own name says the rest.
        said=each.said if each.verdict.problems or each.is_unknown else "",
        need=need,
        target=f"{_target(each.verdict.target)}{via}",
        answered=_age(each.verdict.answered, now),
    )


def malformed_row(each: MalformedReference) -> Row:
    """The row of what is no reference."""
    need = _SEVERE if each.severity.fails else _ODD
    return _row(
        "malformed", each.place.written, (each.place,), said=each.said, need=need
    )


def ignored_row(each: IgnoredHandle) -> Row:
    """The row of a handle that was not asked for."""
    return _row("ignored", each.handle, each.places, need=_IGNORED)


def text(content: str) -> str:
    """The text as HTML."""
    content = _without_towers(showable(content[: _LONGEST + 1]))
    if len(content) > _LONGEST:
        content = f"{content[:_LONGEST]}…"
    return escape(content)


def _without_towers(content: str) -> str:
    """The text, with marks escaped that stand on many others and over other lines."""
    if content.isascii():
        return content
    height = 0
    shown = []
    for character in content:
        height = height + 1 if combining(character) else 0
        tall = height > _TALLEST
        shown.append(character.encode("unicode_escape").decode() if tall else character)
    return "".join(shown)


def _row(  # noqa: PLR0913 (a cell each)
    kind: str,
    title: str,
    places: Sequence[CheckedPlace],
    *,
    need: int,
    said: str = "",
    target: str = "",
    answered: str = "<td></td>",
) -> Row:
    more = f"<p>{_text(said)}</p>" if said else ""
    html = (
        f'<tr data-outcome="{kind}"><th scope="row">{_text(title)}</th>'
        f'<td data-sort="{need}"><span class="outcome {kind}">{LABELS[kind]}</span>'
        f"{more}</td><td>{target}</td>{answered}"
        f"<td>{_places(places)}</td></tr>\n"
    )
    return Row(kind=kind, need=need, title=title, html=html)


def _text(content: str) -> str:
    # Isolated: letters written from right to left must not move their neighbours.
    return f"<bdi>{text(content)}</bdi>"


def _places(places: Sequence[CheckedPlace]) -> str:
    # A long list scrolls in its cell, for a keyboard too.
    opening = '<ul class="many" tabindex="0">' if len(places) > _MANY else "<ul>"
    return f"{opening}{''.join(map(_place, places))}</ul>"


def _place(place: CheckedPlace) -> str:
    where = _text(str(place))
    if place.url:
        where = f'<a href="{escape(place.url)}" rel="noreferrer">{where}</a>'
    return f"<li>{where} <code>{_text(place.written)}</code></li>"


def _target(target: str | None) -> str:
    if target is None:
        return ""
    is_web = target.lower().startswith(("http://", "https://"))
    if not is_web or len(target) > _LONGEST_LINK or showable(target) != target:
        return _text(target)
    return f'<a href="{escape(target)}" rel="noreferrer">{_text(target)}</a>'


def _age(answered: int | None, now: datetime) -> str:
    """The cell that says how long ago the server answered."""
    if answered is None:
        return "<td></td>"
    moment = datetime.fromtimestamp(answered, UTC)
    seconds = max(int(now.timestamp()) - answered, 0)
    words = "just now"
    for name, length in _UNITS:
        count = seconds // length
        if count:
            words = f"{several(count, name)} ago"
            break
    written = moment.isoformat(timespec="seconds")
    return (
        f'<td data-sort="{seconds}"><time datetime="{written}" '
        f'title="{written}">{words}</time></td>'
    )
