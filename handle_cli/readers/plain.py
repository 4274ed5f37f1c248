"""Plain text: all of it is prose."""

from collections.abc import Iterator

from handle_cli.readers.source import Lines, SourceKind, SourceReference
from handle_system import Proxies, find_references

__all__ = ["read_plain"]


def read_plain(text: str, proxies: Proxies) -> Iterator[SourceReference]:
    """The references of a plain text."""
    lines = Lines(text)
    for found in find_references(text, proxies=proxies):
        line, column = lines.place(found.start)
        yield SourceReference(
            kind=SourceKind.PLAIN,
            reference=found.reference,
            written=text[found.start : found.end],
            line=line,
            column=column,
        )
