"""How the part of a handle after the slash is made up, one way or another.

Whoever registers handles chooses a scheme once and for long, so that what uses
suffixes asks for any `SuffixScheme`.  `PilinSuffixes` is the default: short,
opaque, sayable over a telephone, and unique in a namespace with no service to
ask.  The two others are those that people use besides: `UUIDSuffixes`, unique
everywhere and too long to copy by hand, and `SequentialSuffixes`, the shortest,
whose numbers tell how many there are and which came first.
"""

import uuid
from collections.abc import Callable
from typing import Protocol

from handle_system.suffix.lock import ForkAwareLock
from handle_system.suffix.state import Mark, StateFile, StatePath

__all__ = ["SequentialSuffixes", "SuffixScheme", "UUIDSuffixes"]

# What an integer of a state file holds.
_LARGEST = 2**63 - 1


class SuffixScheme(Protocol):
    """A way to make up suffixes."""

    def mint(self) -> str:
        """A suffix that this scheme did not give before.

        Raises:
            MintingError: when none can be given that is certain to be new.
        """
        ...


class UUIDSuffixes:
    """Random UUIDs (RFC 4122, version 4): 36 characters, in small letters.

    Args:
        make: Gives a new UUID of any version.
    """

    __slots__ = ("_make",)

    def __init__(self, make: Callable[[], uuid.UUID] = uuid.uuid4) -> None:
        self._make = make

    def mint(self) -> str:
        """A new UUID as text, such as ``0e3b9e36-4b4c-4e9c-9f4e-0d2a3c1b5f7a``."""
        return str(self._make())


class SequentialSuffixes:
    """The numbers 1, 2, 3, … in decimal digits.

    Without a state file each counter begins anew.  With one, it goes on where
    the last process left off, with no number twice and none left out, however
    many processes count at once; every number costs a commit to the disk.  A
    state file that is lost takes the count with it, as no clock says where it
    was: keep it with the same care as the registry, and after a loss begin with
    a `start` above all that were given.

    Args:
        start: The first number, unless the state file is already past it.
        width: As many digits at least, with zeros in front; a number that has
            more is longer.
        state: The path of a state file, made when it is missing.

    Raises:
        ValueError: when `start` or `width` is negative, or `start` beyond 2**63.

    >>> scheme = SequentialSuffixes(start=9, width=3)
    >>> scheme.mint(), scheme.mint()
    ('009', '010')
    """

    __slots__ = ("_file", "_lock", "_mark", "_start", "_width")

    def __init__(
        self, *, start: int = 1, width: int = 0, state: StatePath | None = None
    ) -> None:
        if not 0 <= start <= _LARGEST:
            raise ValueError(f"start is {start}, and not a number from 0 to 2**63 - 1")
        if width < 0:
            raise ValueError(f"width is {width}, and not a number of digits")
        self._start = start
        self._width = width
        self._file = None if state is None else StateFile(state, "sequential")
        self._lock = ForkAwareLock()
        self._mark = Mark()

    def mint(self) -> str:
        """The next number.

        Raises:
            StateFileError: when the state file cannot be used.
        """
        with self._lock:
            if self._file is None:
                self._mark, number = self._next(self._mark)
            else:
                number = self._file.change(self._next)
        return str(number).zfill(self._width)

    def _next(self, mark: Mark) -> tuple[Mark, int]:
        number = max(self._start, mark.last + 1)
        return Mark(last=number), number
