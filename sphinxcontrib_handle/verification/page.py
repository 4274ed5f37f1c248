"""The HTML report: one page that needs no other file and no network.

Documents and records supply the text on it, so jinja2 escapes everything, and only
http and https targets become links.  A policy allows the page's own style and script
alone.  Without scripts the page is the whole table.
"""

import base64
import hashlib
from collections import Counter
from collections.abc import Iterable
from datetime import UTC, datetime
from functools import partial
from pathlib import Path

from jinja2 import Environment, FileSystemLoader, StrictUndefined

from handle_system.errors import showable
from handle_system.handle import Handle
from handle_system.proxies import Proxies
from handle_system.resolving.outcomes import OutcomeName
from handle_system.text import several
from handle_system.verifying.findings import OUTCOME_LABELS, ReportRow

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


def html_report(
    rows: Iterable[ReportRow], *, title: str, proxies: Proxies, now: datetime
) -> str:
    """Render the page, with the most urgent rows first.

    Args:
        rows: The rows of the report.
        title: The name of the project.
        proxies: The proxies that handles link to.
        now: The present moment, in UTC.
    """
    kinds = list(_LABELS)
    rows = sorted(
        rows, key=lambda row: (not row.severity.fails, kinds.index(row.kind), row.title)
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
        moment=partial(datetime.fromtimestamp, tz=UTC),
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
        handles=counts.total() - counts["malformed"],
        labels=_LABELS,
        counts={kind: counts[kind] for kind in _LABELS if counts[kind]},
        rows=rows,
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
