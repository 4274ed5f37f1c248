"""A report of what a document refers to, for people and for their editors.

One line for each finding, in the form that editors and build services make links
of: ``name:line:column: message``.  What follows a message, indented, draws the text.
"""

from collections.abc import Iterator, Mapping
from typing import Any

from handle_system.handle import exact_handle
from mdit_handle.record import HANDLES

__all__ = ["render_report"]


def render_report(env: Mapping[Any, Any], *, name: str = "document") -> str:
    """The report of one document, or of several that shared an `env`.

    Args:
        env: What was handed to the parser, after the parsing.
        name: What to call the document.

    >>> print(render_report({"handles": []}), end="")
    document: references: 0, handles: 0, findings: 0
    """
    records = env.get(HANDLES, [])
    keys = {
        exact_handle(record["handle"]).comparison_key
        for record in records
        if record["handle"] is not None
    }
    findings = sum(len(record["diagnostics"]) for record in records)
    references = sum(record["handle"] is not None for record in records)
    lines = [line for record in records for line in _lines(record, name)]
    lines.append(
        f"{name}: references: {references}, handles: {len(keys)}, findings: {findings}"
    )
    return "\n".join(lines) + "\n"


def _lines(record: Mapping[str, Any], name: str) -> Iterator[str]:
    place = [name, *(record[part] for part in ("line", "column") if record[part])]
    where = ":".join(map(str, place))
    for finding in record["diagnostics"]:
        message, *drawing = finding["message"].splitlines()
        yield f"{where}: {message} [handle.{finding['code']}]"
        yield from drawing
        if finding["suggestion"] and not drawing:
            yield f"    write {finding['suggestion']}"
