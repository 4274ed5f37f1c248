"""How Pandoc starts the filter: its input, its output, and what it says.

Pandoc gives the syntax tree as JSON on the standard input, and the name of the output's
format as an argument.  It shows the standard error of a filter, and ends if that exits
with another code than 0.
"""

import json
import sys
from collections.abc import Sequence
from typing import Any

import handle_system
from handle_pipelines.pandoc.citations import Keys
from handle_pipelines.pandoc.links import Linker
from handle_pipelines.pandoc.metadata import bibliographies_of, settings_of
from handle_pipelines.pandoc.tree import inline_lists
from handle_system.describing.described_works import read_described_works
from handle_system.errors import showable
from handle_system.findings.finding import Finding, exit_status
from handle_system.findings.reports import text_report
from handle_system.settings import Settings
from handle_system.typed_values import SettingError

# A tree of many megabytes is a book; more is a mistake.
_LARGEST_TREE = 256 * 1024 * 1024
_TOO_DEEP = "the document is nested too deep"
_USAGE = """\
Usage: pandoc --filter pandoc-handle --citeproc PAGE

A filter of Pandoc and Quarto: it links the handles and DOIs of a document, and gives each
key of a citation the spelling that the bibliography has. Pandoc starts it.
"""


def main(arguments: Sequence[str] | None = None) -> None:
    """Filter the document on the standard input.

    Args:
        arguments: The arguments of the process.

    Raises:
        SystemExit: with a message when the input or a setting cannot be used, and with 1
            in a document that is ``strict`` and has an error or a warning.
    """
    given = sys.argv[1:] if arguments is None else arguments
    if "--help" in given:
        sys.stdout.write(_USAGE)
        return
    if "--version" in given:
        sys.stdout.write(f"pandoc-handle {handle_system.__version__}\n")
        return
    try:
        document = _read()
        settings = settings_of(document.get("meta"))
        findings = filter_document(document, settings)
        # In ASCII, which every pipe takes.
        text = json.dumps(document)
    except SettingError as error:
        reason = showable(f"handle{error.path}: {error.reason}")
        raise SystemExit(f"pandoc-handle: {reason}") from error
    except RecursionError as error:
        raise SystemExit(f"pandoc-handle: {_TOO_DEEP}") from error
    if findings:
        _say(text_report(findings))
    if settings.strict and exit_status(findings):
        raise SystemExit(1)
    sys.stdout.write(text)


def filter_document(document: dict[str, Any], settings: Settings) -> list[Finding]:
    """Link the references of a document, in place, and correct its keys.

    Args:
        document: The document, as Pandoc gives it.
        settings: The settings.

    Returns:
        What is wrong or suspicious, in order, each once: Pandoc names no lines.
    """
    metadata = document.get("meta")
    bibliographies = bibliographies_of(metadata)
    works = read_described_works(bibliographies.files)
    keys = Keys(works, bibliographies, settings.link_proxies)
    linker = Linker(works, keys, settings.link_proxies)
    # Citations stand in metadata, too: "nocite".
    for inlines in inline_lists(metadata):
        linker.cite(inlines.nodes)
    for inlines in inline_lists(document.get("blocks")):
        linker.cite(inlines.nodes)
        if not inlines.is_closed:
            linker.link(inlines)
    return settings.policy.applied_to(dict.fromkeys(linker.finish()))


def _read() -> dict[str, Any]:
    """The document that Pandoc gives.

    Raises:
        SystemExit: when it gives anything else.
    """
    data = sys.stdin.buffer.read(_LARGEST_TREE + 1)
    if len(data) > _LARGEST_TREE:
        raise SystemExit("pandoc-handle: the document is larger than 256 MiB")
    try:
        document: Any = json.loads(data)
    except ValueError as error:
        raise SystemExit(f"pandoc-handle: the input cannot be read: {error}") from error
    if not isinstance(document, dict):
        raise SystemExit("pandoc-handle: the input is no document of Pandoc's")
    return document


def _say(report: str) -> None:
    """Write to standard error what its encoding has."""
    encoding = sys.stderr.encoding or "utf-8"
    data = report.encode(encoding, "backslashreplace")
    sys.stderr.write(data.decode(encoding) + "\n")
