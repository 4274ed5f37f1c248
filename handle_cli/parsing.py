"""``hdl parse`` and ``hdl link``: a text as a reference, and its one correct link."""

import sys
from collections.abc import Iterable, Iterator, Mapping
from typing import Any, NamedTuple

import click

from handle_cli.output import Exit, as_json, json_option, print_error, print_line
from handle_system import DEFAULT_PROXIES, HandleReference, HandleSyntaxError, diagnose
from handle_system.errors import showable
from handle_system.findings.finding import Finding
from handle_system.findings.reports import text_report

#: How messages name the standard input.
_STDIN = "<stdin>"

texts_argument = click.argument("texts", nargs=-1, required=True, metavar="TEXT…")


class GivenText(NamedTuple):
    """A text that the user gives.

    Attributes:
        text: The text.
        line: Its line in the standard input; `None` if it is an argument.
    """

    text: str
    line: int | None = None

    def placed(self, message: str) -> str:
        """A message about the text, which begins with its line."""
        return message if self.line is None else f"{_STDIN}:{self.line}: {message}"


def given(texts: Iterable[str]) -> Iterator[GivenText]:
    """The texts; ``-`` stands for the lines of the standard input."""
    for text in texts:
        if text != "-":
            yield GivenText(text)
            continue
        for number, line in enumerate(sys.stdin, start=1):
            if line.strip():
                yield GivenText(line.rstrip("\r\n"), number)


def parsed(
    texts: Iterable[str],
) -> Iterator[tuple[GivenText, HandleReference | HandleSyntaxError]]:
    """Each text, and the reference that it is, or the error of a malformed one, reported."""
    for text in given(texts):
        try:
            yield text, HandleReference.parse(text.text)
        except HandleSyntaxError as error:
            print_error(*text.placed(str(error)).split("\n", 1))
            yield text, error


@click.command()
@texts_argument
@json_option
def link(texts: tuple[str, ...], *, in_json: bool) -> None:
    """Write the one correct link of each TEXT, a handle or DOI in any written form.

    The link is an address of the public proxy, https://doi.org/ for DOIs and
    https://hdl.handle.net/ for other handles, with the right characters
    percent-encoded. The TEXT "-" reads texts from the standard input, one to a line.

    What is suspicious, such as a full stop at the end, is a warning on the standard error.

    Exits with 1 if something is suspicious, even if "hdl check" only notes it, with 2 if
    a TEXT is not a handle; the links of the others are written.
    """
    code = Exit.FINE
    rows = []
    for text, reference in parsed(texts):
        if isinstance(reference, HandleSyntaxError):
            code = Exit.WRONG
            continue
        findings = diagnose(reference)
        if findings:
            code = max(code, Exit.FINDINGS)
            print_error(*text.placed(text_report(findings)).split("\n", 1))
        rows.append(
            {
                "text": reference.source,
                "link": DEFAULT_PROXIES.link(reference),
                "findings": [_finding_members(finding) for finding in findings],
            }
        )
    if in_json:
        print_line(as_json(rows))
    else:
        for row in rows:
            print_line(str(row["link"]))
    click.get_current_context().exit(code)


def _finding_members(finding: Finding) -> dict[str, Any]:
    return {
        "code": finding.code,
        "message": finding.message,
        "suggestion": finding.suggestion,
    }


@click.command()
@texts_argument
@json_option
def parse(texts: tuple[str, ...], *, in_json: bool) -> None:
    """Show the parts of each TEXT, a handle or DOI in any written form.

    The parts are the prefix, the suffix, the canonical URI (hdl:… or doi:…) and the
    link. Below them stands what is suspicious, such as a full stop at the end, with the
    correct form if it is certain. The command asks no server: "hdl resolve" shows whether
    a handle is registered.

    The TEXT "-" reads texts from the standard input, one to a line.

    Exits with 1 if something is suspicious, even if "hdl check" only notes it, with 2 if
    a TEXT is not a handle.
    """
    code = Exit.FINE
    rows = []
    for _text, reference in parsed(texts):
        if isinstance(reference, HandleSyntaxError):
            code = Exit.WRONG
            rows.append(
                {
                    "text": reference.source,
                    "error": reference.reason,
                    "span": reference.span,
                    "suggestion": reference.suggestion,
                }
            )
            continue
        row = _parts(reference)
        rows.append(row)
        if row["findings"]:
            code = max(code, Exit.FINDINGS)
        if not in_json:
            _show(row)
    if in_json:
        print_line(as_json(rows))
    click.get_current_context().exit(code)


def _parts(reference: HandleReference) -> dict[str, Any]:
    return {
        "text": reference.source,
        "form": reference.form,
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
        "findings": [_finding_members(finding) for finding in diagnose(reference)],
    }


def _show(parts: Mapping[str, Any]) -> None:
    print_line(showable(parts["text"]))
    rows = {
        "kind": "DOI" if parts["doi"] else "handle",
        "written": parts["form"],
        **{
            name: parts[name]
            for name in ("prefix", "suffix", "server", "index", "query", "fragment")
        },
        "URI": parts["uri"],
        "link": parts["link"],
    }
    for name, value in rows.items():
        if value is not None:
            print_line(f"  {name:<10}{showable(str(value))}")
    for finding in parts["findings"]:
        print_line(f"  {finding['code']}: {showable(finding['message'])}")
        if finding["suggestion"] is not None:
            print_line(f"    write {showable(finding['suggestion'])}")
