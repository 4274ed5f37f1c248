"""What the citation block says, in English: the only sentences that it holds.

The core knows no language but this one.  Each member's value is the message
itself, as gettext would have it, so a front end passes it through its own
catalogue and gets English where there is no translation.  An identifier is
never part of a message: ``{identifier}`` marks its place, because not every
language puts it last, and `around` gives the words on either side of it.

The two statements are those of the PILIN Handle Suffix Format policy
(seed 002), word for word.
"""

from collections.abc import Callable
from enum import StrEnum

__all__ = ["PLACE", "Translate", "Words", "around", "untranslated"]

#: Turns an English message into the reader's language.
Translate = Callable[[str], str]

#: Where the identifier goes in a message that holds one.
PLACE = "{identifier}"


def _(message: str) -> str:
    """Mark a message for the collectors of gettext."""
    return message


class Words(StrEnum):
    """The messages, by name."""

    CITE_LATEST = _("To cite the latest version of this work use {identifier}")
    """The statement for the work through time (seed 002)."""
    CITE_THIS = _("To cite this version of this work, use {identifier}")
    """The statement for the version in hand (seed 002)."""
    OLD_VERSION = _("You are reading an old version; the latest is {identifier}")
    """The notice on a version that is not the latest one."""
    NOT_YET_ASSIGNED = _("not yet assigned")
    """In the place of an identifier that does not exist yet."""
    TITLE = _("Cite this version")
    """The block's heading."""
    HISTORY = _("Version history")
    """The caption of the table of versions."""
    VERSION = _("Version")
    """A column of that table: the version's label."""
    DATE = _("Date")
    """A column: when the version was published."""
    CHANGES = _("Status & changes")
    """A column: what the version changed."""
    IDENTIFIER = _("Identifier")
    """A column: the version's handle."""
    THIS_VERSION = _("this version")
    """Marks the row of the version in hand."""
    REFERENCE = _("Reference")
    """The heading of the reference as it would stand in a bibliography."""
    FORMATS = _("Formats")
    """The heading of the formats for reference managers."""
    PLAIN_TEXT = _("Plain text")
    """The one format whose name is a word."""
    COPY = _("Copy")
    """The button that copies an identifier or a format."""
    COPIED = _("Copied")
    """What is said when that is done."""


def untranslated(message: str) -> str:
    """The message as it stands: the `Translate` of those who have no other."""
    return message


def around(words: Words, translate: Translate = untranslated) -> tuple[str, str]:
    """What a message says before and after its identifier.

    A translation that has lost the place keeps its words, and the identifier
    follows them: a catalogue's slip must not lose what the block is for.

    >>> around(Words.CITE_THIS)
    ('To cite this version of this work, use ', '')
    """
    message = translate(words.value)
    before, place, after = message.partition(PLACE)
    return (before, after) if place else (f"{message.rstrip()} ", "")
