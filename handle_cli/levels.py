"""How much a finding matters."""

from enum import StrEnum

__all__ = ["MALFORMED", "SKIPPED", "Level"]

#: The code of a reference that cannot be read.
MALFORMED = "malformed"
#: The code of a file that is not read.
SKIPPED = "skipped"


class Level(StrEnum):
    """How much a finding matters."""

    ERROR = "error"
    """The document is wrong."""
    WARNING = "warning"
    """It deserves a look."""
    NOTE = "note"
    """It says something about the check, not about the document."""
