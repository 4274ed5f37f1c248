"""The HTML report: one page that needs no other file and no network.

Documents and records supply the text on it, so jinja2 escapes everything, and only
http and https targets become links.  A policy allows the page's own style and script
alone.  Without scripts the page is the whole table.
"""

import base64
import hashlib
from collections import Counter
from collections.abc import Sequence
from dataclasses import dataclass
from datetime import UTC, datetime
from pathlib import Path

from jinja2 import Environment, FileSystemLoader, StrictUndefined

from handle_system.errors import showable
from handle_system.handle import Handle
from handle_system.proxies import Proxies
from handle_system.resolving.outcomes import OutcomeName
from handle_system.text import several
from handle_system.verifying.findings import (
    OUTCOME_LABELS,
    CheckedHandle,
    CheckedPlace,
    IgnoredHandle,
    MalformedReference,
)

__all__ = ["html_report"]

_FOLDER = Path(__file__).parent
#: The labels of the kinds of rows, the most urgent first.
_LABELS = {
    "malformed": "malformed",
    "not-registered": OUTCOME_LABELS[OutcomeName.NOT_REGISTERED],
    "record": f"{OUTCOME_LABELS[OutcomeName.RESOLVED]}, leads nowhere",
    "no-values": OUTCOME_LABELS[OutcomeName.NO_VALUES],
    "refused": OUTCOME_LABELS[OutcomeName.REFUSED],
    "unreachable": OUTCOME_LABELS[OutcomeName.UNREACHABLE],
    "resolved": OUTCOME_LABELS[OutcomeName.RESOLVED],
    "ignored": "ignored",
}
# A hostile record may hold megabytes; nobody reads that much.
_LONGEST_TEXT = 1000
_LONGEST_LINK = 8000


@dataclass(frozen=True, slots=True, kw_only=True)
class _Row:
    """A row of the table.

    Attributes:
        kind: One of `_LABELS`.
        title: The handle, or a malformed reference as it is written.
        places: The places that refer to it.
        fails: Whether it makes the check fail.
        description: The finding; may be empty.
        target: Where the handle leads, or an empty string.
        aliases: The handles on the way there.
        answered: When a server answered; `None` if none did.
    """

    kind: str
    title: str
    places: Sequence[CheckedPlace]
    fails: bool = False
    description: str = ""
    target: str = ""
    aliases: Sequence[str] = ()
    answered: datetime | None = None


def html_report(
    checked: Sequence[CheckedHandle],
    malformed: Sequence[MalformedReference] = (),
    ignored: Sequence[IgnoredHandle] = (),
    *,
    title: str,
    proxies: Proxies,
    now: datetime,
) -> str:
    """Render the page, with the most urgent rows first.

    Args:
        checked: The verified handles.
        malformed: The malformed references.
        ignored: The handles that the project excludes.
        title: The name of the project.
        proxies: The proxies that handles link to.
        now: The present moment, in UTC.
    """
    kinds = list(_LABELS)
    rows = sorted(
        [
            *map(_malformed_row, malformed),
            *map(_checked_row, checked),
            *(
                _Row(kind="ignored", title=each.handle, places=each.places)
                for each in ignored
            ),
        ],
        key=lambda row: (not row.fails, kinds.index(row.kind), row.title),
    )
    counts = Counter(row.kind for row in rows)
    environment = Environment(
        loader=FileSystemLoader(_FOLDER),
        autoescape=True,
        undefined=StrictUndefined,
        trim_blocks=True,
        lstrip_blocks=True,
    )
    environment.filters.update(
        shown=_shown,
        several=several,
        link_of=lambda handle: proxies.link(Handle.parse(handle)),
    )
    environment.tests["web"] = _is_web
    style, script = (
        (_FOLDER / f"report.{kind}").read_text("utf-8") for kind in ("css", "js")
    )
    return environment.get_template("report.html.jinja").render(
        title=title,
        now=now,
        style=style,
        script=script,
        style_hash=_hash(style),
        script_hash=_hash(script),
        references=sum(len(row.places) for row in rows if row.kind != "malformed"),
        handles=len(checked) + len(ignored),
        labels=_LABELS,
        counts={kind: counts[kind] for kind in _LABELS if counts[kind]},
        rows=rows,
    )


def _malformed_row(each: MalformedReference) -> _Row:
    return _Row(
        kind="malformed",
        title=each.place.written,
        places=[each.place],
        fails=each.severity.fails,
        description=each.reason,
    )


def _checked_row(each: CheckedHandle) -> _Row:
    verdict = each.verdict
    moment = verdict.answered
    return _Row(
        kind=verdict.code or "resolved",
        title=verdict.handle,
        places=each.places,
        fails=each.severity.fails,
        description=verdict.reason,
        target=verdict.target or "",
        aliases=verdict.aliases,
        answered=None if moment is None else datetime.fromtimestamp(moment, UTC),
    )


def _shown(text: str) -> str:
    """The text, or the beginning of a very long one, with hidden characters escaped."""
    cut = showable(text[: _LONGEST_TEXT + 1])
    return cut if len(cut) <= _LONGEST_TEXT else f"{cut[:_LONGEST_TEXT]}…"


def _is_web(target: str) -> bool:
    """Whether a target becomes a link."""
    is_web = target.lower().startswith(("http://", "https://"))
    return is_web and len(target) <= _LONGEST_LINK and showable(target) == target


def _hash(content: str) -> str:
    """The name of an inline text in a policy; the policy allows no other text."""
    digest = base64.b64encode(hashlib.sha256(content.encode()).digest()).decode()
    return f"'sha256-{digest}'"
