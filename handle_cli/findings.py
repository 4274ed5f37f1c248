"""What is found in a file: malformed references and suspicious ones."""

from collections.abc import Iterator
from dataclasses import dataclass

from handle_cli.files import SourceFile, ignored_lines
from handle_cli.levels import MALFORMED, Level
from handle_cli.mentions import mentions
from handle_cli.settings import ProjectSettings
from handle_system import HandleReference, HandleSyntaxError, diagnose

__all__ = ["MALFORMED", "Finding", "Level", "Place", "Read", "read_text"]


@dataclass(frozen=True, slots=True, kw_only=True)
class Place:
    """Where a reference stands.

    Attributes:
        file: The file, from the project's root on.
        line: The line, from 1; 0 for the file as a whole.
        column: The column in code points, from 1.
        written: The reference, as it stands in the file.
    """

    file: str
    line: int = 0
    column: int = 0
    written: str = ""

    def __str__(self) -> str:
        if not self.line:
            return self.file
        return f"{self.file}:{self.line}:{self.column}"


@dataclass(frozen=True, slots=True, kw_only=True)
class Finding:
    """One thing to be said about a place.

    Attributes:
        place: The place.
        level: How much it matters.
        code: The kind of finding.
        message: What is found, without a full stop.
        suggestion: What can be written instead, or `None`.
        drawn: The reference with what is wrong marked, for people.
    """

    place: Place
    level: Level
    code: str
    message: str
    suggestion: str | None = None
    drawn: str = ""


@dataclass(frozen=True, slots=True)
class Read:
    """A reference that was read, and where it stands."""

    reference: HandleReference
    place: Place


def read_text(
    file: SourceFile, text: str, settings: ProjectSettings
) -> Iterator[Read | Finding]:
    """The references of a file's text, each followed by what is found about it."""
    found = mentions(file.syntax, text, settings.proxies)
    if not found:
        return
    ignored = ignored_lines(text)
    line = 1
    position = 0
    for mention in found:
        line += text.count("\n", position, mention.start)
        position = mention.start
        if line in ignored:
            continue
        place = Place(
            file=file.name,
            line=line,
            column=position - text.rfind("\n", 0, position),
            written=text[mention.start : mention.end],
        )
        match mention.reference:
            case HandleReference() as reference:
                yield Read(reference, place)
                for finding in diagnose(reference):
                    yield Finding(
                        place=place,
                        level=Level.WARNING,
                        code=finding.code.value,
                        message=finding.message,
                        suggestion=finding.suggestion,
                    )
            case HandleSyntaxError() as error:
                yield Finding(
                    place=place,
                    level=Level.ERROR,
                    code=MALFORMED,
                    message=error.reason,
                    suggestion=error.suggestion,
                    drawn=str(error),
                )
