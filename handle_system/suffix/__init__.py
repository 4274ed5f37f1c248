"""Suffixes: what stands after the slash of a handle, made up or read.

`mint` gives a new one as the PILIN project wrote its own (Handle Suffix Format
policy, seed 002): nine characters that tell nothing to a reader and the time of
minting to a program.  `to_datetime` and `from_datetime` translate between the
two.  Other ways to make up suffixes stand beside it as a `SuffixScheme`.

The errors::

    ValueError
     └─ HandleSyntaxError        the text is no PILIN suffix
    MintingError                 no suffix could be given that is certain to be new
     ├─ ClockStalledError        ... because the clock does not go on
     └─ StateFileError           ... because of the state file
"""

from handle_system.suffix.minting import (
    Clock,
    ClockStalledError,
    PilinSuffixes,
    Wait,
    mint,
    utc_now,
)
from handle_system.suffix.notation import (
    ALPHABET,
    EPOCH,
    from_datetime,
    from_milliseconds,
    to_datetime,
    to_milliseconds,
)
from handle_system.suffix.schemes import (
    SequentialSuffixes,
    SuffixScheme,
    UUIDSuffixes,
)
from handle_system.suffix.state import MintingError, StateFileError, StatePath

__all__ = [
    "ALPHABET",
    "EPOCH",
    "Clock",
    "ClockStalledError",
    "MintingError",
    "PilinSuffixes",
    "SequentialSuffixes",
    "StateFileError",
    "StatePath",
    "SuffixScheme",
    "UUIDSuffixes",
    "Wait",
    "from_datetime",
    "from_milliseconds",
    "mint",
    "to_datetime",
    "to_milliseconds",
    "utc_now",
]
