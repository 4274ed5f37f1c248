"""Findings: malformed and suspicious references, and handles that fail verification."""

from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from enum import StrEnum
from typing import NamedTuple

from handle_cli.readers import SourceReference, Syntax, read_references
from handle_system import HandleReference, HandleSyntaxError, Proxies, diagnose
from handle_system.diagnostics import DiagnosticCode
from handle_system.verifying.findings import FINDING_DESCRIPTIONS

__all__ = [
    "MALFORMED",
    "RULES",
    "SKIPPED",
    "Finding",
    "Level",
    "Place",
    "Read",
    "find_wanted",
    "findings_about",
    "ignored_lines",
]

#: The code of a reference that cannot be parsed.
MALFORMED = "malformed"
#: The code of a file that is not read.
SKIPPED = "skipped"
_IGNORE = "hdl: ignore"
_COMMENT_MARKS = ".#%/<>!-()[]:* \t\r"

#: One sentence about each kind of finding; services show it as the title of a rule.
RULES: Mapping[str, str] = {
    MALFORMED: "A reference to a handle is malformed.",
    SKIPPED: "A file was not read.",
    DiagnosticCode.BIDIRECTIONAL: "A reference holds a bidirectional control.",
    DiagnosticCode.INVISIBLE: "A reference holds an invisible character.",
    DiagnosticCode.DAMAGED: "A reference was decoded wrongly before: it holds U+FFFD.",
    DiagnosticCode.WHITE_SPACE: "A reference holds white space.",
    DiagnosticCode.SLASH_LOOK_ALIKE: "A reference holds what looks like a slash only.",
    DiagnosticCode.PREFIX_LOOK_ALIKE: "A prefix only looks like another one.",
    DiagnosticCode.NOT_NFC: "A handle is not in Normalization Form C.",
    DiagnosticCode.TYPOGRAPHIC: "A reference holds typographic signs.",
    DiagnosticCode.LOOKS_ENCODED: "A bare handle holds what look like percent-escapes.",
    DiagnosticCode.DOUBLED_SCHEME: "A reference stands inside a proxy's URL.",
    DiagnosticCode.GLUED: "A reference stands inside another one's suffix.",
    DiagnosticCode.TRAILING_PUNCTUATION: "A reference ends in punctuation.",
    DiagnosticCode.PLACEHOLDER: "A handle is a placeholder.",
    DiagnosticCode.PROXY_PATH: "A prefix is a part of a proxy's address.",
    DiagnosticCode.TOO_LONG: "A handle is longer than servers take.",
    DiagnosticCode.SERVER: "A reference names a server, which links do not reach.",
    **{code.value: sentence for code, sentence in FINDING_DESCRIPTIONS.items()},
}


class Level(StrEnum):
    """How much a finding matters."""

    ERROR = "error"
    """The document is wrong, or a file that was named cannot be read."""
    WARNING = "warning"
    """It deserves a look."""
    NOTE = "note"
    """It is about the check, not about the document."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Place:
    """The place of a reference.

    Attributes:
        file: The file, from the current folder on.
        line: The line, from 1; 0 for the file as a whole.
        column: The column in code points, from 1; 0 if it is unknown.
        written: The reference as its author wrote it.
    """

    file: str
    line: int = 0
    column: int = 0
    written: str = ""

    def __str__(self) -> str:
        numbers = [str(each) for each in (self.line, self.column) if each]
        return ":".join([self.file, *numbers])


@dataclass(frozen=True, slots=True, kw_only=True)
class Finding:
    """A finding about a place.

    Attributes:
        place: The place.
        level: How much it matters.
        code: The kind of finding.
        message: The finding in words, without a full stop.
        suggestion: The text to write instead, or `None`.
        drawn: The reference with carets under the error, for people.
    """

    place: Place
    level: Level
    code: str
    message: str
    suggestion: str | None = None
    drawn: str = ""


class Read(NamedTuple):
    """A reference and its place."""

    reference: HandleReference
    place: Place


def find_wanted(
    syntax: Syntax, text: str, proxies: Proxies
) -> Iterator[SourceReference]:
    """The references of a file's text that no comment excludes.

    Raises:
        UnreadableError: when the syntax does not allow the text.
    """
    found = read_references(syntax, text, proxies)
    ignored = ignored_lines(text) if found else frozenset()
    return (each for each in found if each.line not in ignored)


def findings_about(
    reference: HandleReference | HandleSyntaxError, place: Place
) -> Iterator[Finding]:
    """The findings about one reference, without asking a server."""
    if isinstance(reference, HandleSyntaxError):
        yield Finding(
            place=place,
            level=Level.ERROR,
            code=MALFORMED,
            message=reference.reason,
            suggestion=reference.suggestion,
            drawn=str(reference),
        )
        return
    for found in diagnose(reference):
        yield Finding(
            place=place,
            level=Level.WARNING,
            code=found.code.value,
            message=found.message,
            suggestion=found.suggestion,
        )


def ignored_lines(text: str) -> frozenset[int]:
    """The lines, from 1, that a comment ``hdl: ignore`` excludes.

    The comment excludes its own line; if it has that line for itself, it also excludes
    the block that follows.
    """
    ignored: set[int] = set()
    if _IGNORE not in text:
        return frozenset()
    lines = text.split("\n")
    for number, line in enumerate(lines, start=1):
        before, mark, after = line.partition(_IGNORE)
        if not mark:
            continue
        ignored.add(number)
        if (before + after).strip(_COMMENT_MARKS):
            continue
        following = number
        while following < len(lines) and not lines[following].strip():
            following += 1
        while following < len(lines) and lines[following].strip():
            following += 1
            ignored.add(following)
    return frozenset(ignored)
