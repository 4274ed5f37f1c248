"""``hdl parse`` and ``hdl link``: a text as a reference, and its one correct link."""

import sys
from collections.abc import Iterable, Iterator

import click

from handle_cli.output import Exit, as_json, json_option, say, say_rows, trouble
from handle_system import (
    DEFAULT_PROXIES,
    HandleReference,
    HandleSyntaxError,
    diagnose,
)
from handle_system.errors import showable

__all__ = ["given", "link", "parse", "read_references", "texts_argument"]

texts_argument = click.argument("texts", nargs=-1, required=True, metavar="TEXT…")


def given(texts: Iterable[str]) -> Iterator[str]:
    """The texts; ``-`` stands for the lines of the standard input."""
    for text in texts:
        if text == "-":
            lines = (line.rstrip("\r\n") for line in sys.stdin)
            yield from filter(str.strip, lines)
        else:
            yield text


def read_references(texts: Iterable[str]) -> tuple[list[HandleReference], int]:
    """The references, and the number of texts that are none; each is reported."""
    references = []
    wrong = 0
    for text in given(texts):
        try:
            references.append(HandleReference.parse(text))
        except HandleSyntaxError as error:
            trouble(str(error))
            wrong += 1
    return references, wrong


@click.command(short_help="Write the one correct link of each TEXT.")
@texts_argument
@json_option
def link(texts: tuple[str, ...], *, in_json: bool) -> None:
    """Write the one correct link of each TEXT, encoded as the proxies read it.

    The TEXT "-" reads texts from the standard input, one to a line.

    Exits with 2 if a text is no reference; the links of the others are written.
    """
    references, wrong = read_references(texts)
    links = [(each.source, DEFAULT_PROXIES.link(each)) for each in references]
    if in_json:
        say(as_json([{"text": text, "link": target} for text, target in links]))
    else:
        for _, target in links:
            say(target)
    click.get_current_context().exit(Exit.WRONG if wrong else Exit.FINE)


@click.command
@texts_argument
@json_option
def parse(texts: tuple[str, ...], *, in_json: bool) -> None:
    """Show the parts of each TEXT, and report what is suspicious.

    The parts are the handle, its prefix and suffix, its canonical URI and its link.
    The TEXT "-" reads texts from the standard input, one to a line.

    Exits with 1 if something is suspicious, with 2 if a text is no reference.
    """
    code = Exit.FINE
    rows = []
    for text in given(texts):
        try:
            reference = HandleReference.parse(text)
        except HandleSyntaxError as error:
            code = Exit.WRONG
            rows.append(_malformed(error))
            if not in_json:
                trouble(str(error))
            continue
        members = _members(reference)
        if members["findings"]:
            code = max(code, Exit.FINDINGS)
        rows.append(members)
        if not in_json:
            _show(reference, members)
    if in_json:
        say(as_json(rows))
    click.get_current_context().exit(code)


def _show(reference: HandleReference, members: dict[str, object]) -> None:
    say(showable(reference.source))
    optional = ("server", "index", "query", "fragment")
    parts = [(name, members[name]) for name in optional]
    say_rows(
        [
            ("kind", "DOI" if members["doi"] else "handle"),
            ("written", str(members["form"])),
            ("prefix", str(members["prefix"])),
            ("suffix", str(members["suffix"])),
            *((name, str(part)) for name, part in parts if part is not None),
            ("URI", str(members["uri"])),
            ("link", str(members["link"])),
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


def _malformed(error: HandleSyntaxError) -> dict[str, object]:
    return {
        "text": error.source,
        "error": error.reason,
        "span": list(error.span),
        "suggestion": error.suggestion,
    }
