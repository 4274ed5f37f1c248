"""The comment ``hdl: ignore``, which excludes references from a check."""

from dataclasses import replace

from handle_cli.project_settings import ProjectSettings
from handle_cli.readers import SourceText, read_references
from handle_system.found import Found

_COMMENT = "hdl: ignore"
_COMMENT_MARKS = ".#%/<>!-()[]:* \t\r"


def wanted_references(source: SourceText, settings: ProjectSettings) -> list[Found]:
    """The references of a text that no comment excludes, with their file."""
    ignored = ignored_lines(source.text)
    references = references_of(source, settings)
    return [found for found in references if found.place.line not in ignored]


def references_of(source: SourceText, settings: ProjectSettings) -> list[Found]:
    """The references of a text, with their file.

    Raises:
        UnreadableError: when the syntax does not allow the text.
    """
    references = read_references(
        source.syntax,
        source.text,
        settings.values,
        source.folder,
        source.charset,
    )
    return [
        found._replace(place=replace(found.place, file=source.name))
        for found in references
    ]


def ignored_lines(text: str) -> set[int]:
    """The lines, from 1, that a comment ``hdl: ignore`` excludes.

    The comment excludes its own line; if it has that line for itself, it also excludes
    the block that follows.
    """
    ignored: set[int] = set()
    if _COMMENT not in text:
        return ignored
    is_awaited = is_block = False
    for number, line in enumerate(text.split("\n"), start=1):
        before, mark, after = line.partition(_COMMENT)
        is_block = bool(line.strip()) and (is_block or is_awaited)
        if mark or is_block:
            ignored.add(number)
        if mark:
            is_awaited = not (before + after).strip(_COMMENT_MARKS)
        elif line.strip():
            is_awaited = False
    return ignored
