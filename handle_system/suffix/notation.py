"""PILIN suffixes as they are written: a count of milliseconds, in nine digits.

Source: "Handle Suffix Format Policy for the PILIN Project" (seed 002), section
4.  A suffix counts the milliseconds from the epoch of RFC 4122, 15 October 1582
in UTC, to the moment it was asked for, in base 31 and reversed, so that the
digit which changes most stands first.  The alphabet skips A, E, I, O and U, and
so spells no words by accident.

The policy's table of digits is off by one where it ends: it gives P-S, four
letters, the places 22 to 26, and T-Z without U, six letters, the places 27 to
31.  Its alphabet is right; with P at 22, S at 25, T at 26 and Z at 31 there are
31 digits, and the policy's own two suffixes lead to 25 and 30 May 2007, the
month before it was published.

As in RFC 4122, leap seconds are not counted; a day has 86,400,000 milliseconds.
"""

from datetime import UTC, datetime, timedelta

from handle_system.errors import HandleSyntaxError

__all__ = [
    "ALPHABET",
    "EPOCH",
    "LAST_MILLISECOND",
    "LENGTH",
    "from_datetime",
    "from_milliseconds",
    "milliseconds_of",
    "moment_of",
    "to_datetime",
    "to_milliseconds",
]

#: The digits of base 31, in order of their values.
ALPHABET = "0123456789BCDFGHJKLMNPQRSTVWXYZ"

#: Where the count begins.
EPOCH = datetime(1582, 10, 15, tzinfo=UTC)

#: How many characters a suffix has.
LENGTH = 9

#: The last that nine digits can write: 2420-08-16T03:29:20.670Z.
LAST_MILLISECOND = len(ALPHABET) ** LENGTH - 1

_MILLISECOND = timedelta(milliseconds=1)
_VALUES = {digit: value for value, digit in enumerate(ALPHABET)}

# Two digits at a time: a suffix is written once for each identifier that a
# registry mints, and this halves the divisions. The lower digit stands first.
_PAIRS = [low + high for high in ALPHABET for low in ALPHABET]

_SKIPPED = "AEIOU"
# What a reader takes for a letter that no suffix holds.
_MISREAD = {"O": "0", "I": "1"}
_CAPITALS = str.maketrans("abcdefghijklmnopqrstuvwxyz", "ABCDEFGHIJKLMNOPQRSTUVWXYZ")


def from_milliseconds(milliseconds: int) -> str:
    """The suffix of so many milliseconds since 1582-10-15T00:00:00Z.

    Raises:
        ValueError: when it is negative, or more than nine digits can write.

    >>> from_milliseconds(13399357792865)
    'Y35XYS0QH'
    """
    if not 0 <= milliseconds <= LAST_MILLISECOND:
        raise ValueError(
            f"{milliseconds} milliseconds have no PILIN suffix: "
            f"its nine digits write 0 to {LAST_MILLISECOND}"
        )
    rest, first = divmod(milliseconds, 961)
    rest, second = divmod(rest, 961)
    rest, third = divmod(rest, 961)
    last, fourth = divmod(rest, 961)
    return (
        _PAIRS[first] + _PAIRS[second] + _PAIRS[third] + _PAIRS[fourth] + ALPHABET[last]
    )


def to_milliseconds(suffix: str) -> int:
    """The milliseconds since 1582-10-15T00:00:00Z that a suffix writes.

    ::

        suffix = 9digit      ; the digit of the lowest value first
        digit  = "0"-"9" / "B"-"D" / "F"-"H" / "J"-"N" / "P"-"T" / "V"-"Z"

    The suffix is read as it stands, because it is compared so: a small letter
    makes it another handle's suffix.

    Raises:
        HandleSyntaxError: when the text is not such a suffix. Every text that
            is one has a time.

    >>> to_milliseconds("Y35XYS0QH")
    13399357792865
    """
    if len(suffix) != LENGTH:
        raise _not_a_suffix(suffix)
    milliseconds = 0
    for digit in reversed(suffix):
        value = _VALUES.get(digit)
        if value is None:
            raise _not_a_suffix(suffix)
        milliseconds = milliseconds * len(ALPHABET) + value
    return milliseconds


def milliseconds_of(moment: datetime) -> int:
    """The whole milliseconds from 1582-10-15T00:00:00Z to a moment.

    Raises:
        ValueError: when the moment has no time zone, or lies before the epoch
            or beyond what nine digits can write.
    """
    if moment.utcoffset() is None:
        raise ValueError(
            f"{moment.isoformat()} has no time zone: "
            "a PILIN suffix needs one moment, not one for each zone"
        )
    milliseconds = (moment - EPOCH) // _MILLISECOND
    if milliseconds < 0:
        raise ValueError(
            f"{moment.isoformat()} has no PILIN suffix: "
            "it lies before 1582-10-15T00:00:00Z, where the count begins"
        )
    if milliseconds > LAST_MILLISECOND:
        raise ValueError(
            f"{moment.isoformat()} has no PILIN suffix: it lies after "
            f"{written(LAST_MILLISECOND)}, the last that nine digits can write"
        )
    return milliseconds


def moment_of(milliseconds: int) -> datetime:
    """The moment (UTC) so many milliseconds after 1582-10-15T00:00:00Z."""
    return EPOCH + milliseconds * _MILLISECOND


def written(milliseconds: int) -> str:
    """The moment as messages show it: ``2007-05-25T03:49:52.865Z``."""
    moment = moment_of(milliseconds).replace(tzinfo=None)
    return f"{moment.isoformat(timespec='milliseconds')}Z"


def from_datetime(moment: datetime) -> str:
    """The suffix of a moment; what is finer than a millisecond is cut off.

    Nothing is minted: the same moment gives the same suffix every time.

    Raises:
        ValueError: when the moment has no time zone, or lies before
            1582-10-15T00:00:00Z or after 2420-08-16T03:29:20.670Z.

    >>> from_datetime(datetime(2007, 5, 25, 3, 49, 52, 865000, tzinfo=UTC))
    'Y35XYS0QH'
    """
    return from_milliseconds(milliseconds_of(moment))


def to_datetime(suffix: str) -> datetime:
    """When a suffix was minted, to the millisecond, in UTC.

    Raises:
        HandleSyntaxError: when the text is not a PILIN suffix.

    >>> to_datetime("0N8J991QH").isoformat()
    '2007-05-30T05:50:34.750000+00:00'
    """
    return moment_of(to_milliseconds(suffix))


def _not_a_suffix(text: str) -> HandleSyntaxError:
    span, reason = _problem(text)
    return HandleSyntaxError(text, span, reason, suggestion=_repaired(text))


def _problem(text: str) -> tuple[tuple[int, int], str]:
    for place, character in enumerate(text[: LENGTH + 1]):
        if character not in _VALUES:
            return (place, place + 1), _why_no_digit(character)
    if len(text) > LENGTH:
        return (LENGTH, len(text)), (
            f"a PILIN suffix ends after {LENGTH} characters, and this has {len(text)}"
        )
    return (len(text), len(text)), (
        f"a PILIN suffix has {LENGTH} characters, and this has {len(text)}"
    )


def _why_no_digit(character: str) -> str:
    capital = character.translate(_CAPITALS)
    if capital in _SKIPPED:
        return f'the alphabet of PILIN suffixes skips the letter "{capital}"'
    if capital in _VALUES:
        return "a PILIN suffix is written in capital letters"
    return "a PILIN suffix has digits and capital letters only"


def _repaired(text: str) -> str | None:
    """The text as it was probably meant, if that is a suffix."""
    if len(text) > 4 * LENGTH:
        return None
    text = text.strip().translate(_CAPITALS)
    text = "".join(_MISREAD.get(character, character) for character in text)
    if len(text) == LENGTH and all(character in _VALUES for character in text):
        return text
    return None
