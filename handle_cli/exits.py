"""The exit codes of ``hdl``, the same for every subcommand."""

from enum import IntEnum

__all__ = ["Exit"]


class Exit(IntEnum):
    """What the command tells the shell."""

    FINE = 0
    """Nothing to say."""
    FINDINGS = 1
    """Something was found that deserves a look, or that was changed."""
    WRONG = 2
    """The arguments, or a file they name, cannot be used."""
    UNKNOWN = 3
    """No server gave an answer: nothing may be concluded."""
    INTERRUPTED = 130
    """Somebody pressed Ctrl-C, or answered no question."""
