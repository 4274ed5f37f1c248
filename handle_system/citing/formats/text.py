"""A plain reference, as the card shows it in English."""

from collections.abc import Iterable

from handle_system.citing.entries import Entry
from handle_system.citing.style import plain_text, reference

__all__ = ["write"]


def write(entries: Iterable[Entry]) -> str:
    """The reference of each entry with its link, on a line of its own."""
    return "".join(map(_line, entries))


def _line(entry: Entry) -> str:
    text = plain_text(reference(entry.item, is_shortened=False))
    return f"{text} {entry.url}\n" if entry.url else f"{text}\n"
