"""``hdl parse``: what a text is."""

import click

from handle_cli.exits import Exit
from handle_cli.output import as_json, json_option, say, say_rows, trouble
from handle_cli.texts import given, texts_argument
from handle_system import (
    DEFAULT_PROXIES,
    HandleReference,
    HandleSyntaxError,
    diagnose,
)
from handle_system.errors import showable

__all__ = ["parse"]


@click.command
@texts_argument
@json_option
def parse(texts: tuple[str, ...], *, in_json: bool) -> None:
    """Tell what each TEXT is, and what is suspicious about it.

    The handle, its parts, its canonical URI and its one correct link are shown.
    A TEXT of "-" reads texts from the standard input, one to a line.

    Exits with 1 if something is suspicious, with 2 if a text is no reference.
    """
    code = Exit.FINE
    rows = []
    for text in given(texts):
        try:
            reference = HandleReference.parse(text)
        except HandleSyntaxError as error:
            code = Exit.WRONG
            rows.append(_wrong(error))
            if not in_json:
                trouble(str(error))
            continue
        if diagnose(reference):
            code = max(code, Exit.FINDINGS)
        rows.append(_members(reference))
        if not in_json:
            _show(reference)
    if in_json:
        say(as_json(rows))
    click.get_current_context().exit(code)


def _show(reference: HandleReference) -> None:
    handle = reference.handle
    say(showable(reference.source))
    parts = {
        "server": reference.server,
        "index": None if reference.index is None else str(reference.index),
        "query": reference.query,
        "fragment": reference.fragment,
    }
    say_rows(
        [
            ("kind", "DOI" if handle.is_doi else "handle"),
            ("written", reference.form.value),
            ("prefix", handle.prefix),
            ("suffix", handle.suffix),
            *((name, part) for name, part in parts.items() if part is not None),
            ("URI", reference.uri()),
            ("link", DEFAULT_PROXIES.link(reference)),
        ]
    )
    for finding in diagnose(reference):
        say(f"  {finding.code}: {showable(finding.message)}")
        if finding.suggestion is not None:
            say(f"    write {showable(finding.suggestion)}")


def _members(reference: HandleReference) -> dict[str, object]:
    return {
        "text": reference.source,
        "form": reference.form.value,
        "handle": str(reference.handle),
        "prefix": reference.handle.prefix,
        "suffix": reference.handle.suffix,
        "doi": reference.handle.is_doi,
        "server": reference.server,
        "index": reference.index,
        "query": reference.query,
        "fragment": reference.fragment,
        "uri": reference.uri(),
        "link": DEFAULT_PROXIES.link(reference),
        "findings": [
            {
                "code": finding.code.value,
                "message": finding.message,
                "suggestion": finding.suggestion,
            }
            for finding in diagnose(reference)
        ],
    }


def _wrong(error: HandleSyntaxError) -> dict[str, object]:
    return {
        "text": error.source,
        "error": error.reason,
        "span": list(error.span),
        "suggestion": error.suggestion,
    }
