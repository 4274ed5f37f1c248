"""Plain text: its type, the white space around it, its letter case, its plural."""

import re
from collections.abc import Iterable
from functools import cache
from string import ascii_lowercase, ascii_uppercase

# A word that may be an address.
_WORD = re.compile(r"[^\s'\"]+")

#: The characters that the public proxy removes around a name: Unicode white space, zero-width
#: characters, the byte order mark.
SURROUNDING_SPACE = (
    "\t\n\v\f\r\x1c\x1d\x1e\x1f\x20\x85\xa0\u1680"
    "\u2000\u2001\u2002\u2003\u2004\u2005\u2006\u2007\u2008\u2009\u200a"
    "\u200b\u200c\u200d\u2028\u2029\u202f\u205f\u2060\u3000\ufeff"
)

#: A pattern of the marks, embeddings and isolates that say in which direction text runs.
DIRECTION_MARK = "[\u061c\u200e\u200f\u202a-\u202e\u2066-\u2069]"

# A "</script>" ends an element of HTML wherever it stands, and "<!--" hides the
# text after it. JSON can write the same characters as escapes.
_SCRIPT_SAFE = str.maketrans(
    {character: f"\\u{ord(character):04X}" for character in "<>&\u2028\u2029"}
)

_LOWER_OF_CAPITAL = str.maketrans(ascii_uppercase, ascii_lowercase)


def exact_text(text: str) -> str:
    """Return the text as the type `str` itself.

    Frameworks pass subclasses of `str`, whose slices and sums are of that type too
    and may carry markup; the core keeps none of them.

    Raises:
        TypeError: if it is not text, `bytes` for one.
    """
    return str.__str__(text)


@cache
def compiled(pattern: str) -> re.Pattern[str]:
    """A long pattern, which is compiled when a text may match it: most never do."""
    return re.compile(pattern)


def closest_name(name: str, known: Iterable[str]) -> str | None:
    """The known name that a mistyped one was meant for; `None` if none is close.

    >>> closest_name("histroy", ["history", "uris"])
    'history'
    """
    # Few names are mistyped.
    from difflib import get_close_matches  # noqa: PLC0415 (see above)

    return next(iter(get_close_matches(name, list(known), n=1)), None)


def fold_ascii(text: str) -> str:
    """Lower the ASCII letters and no others: "Ä" and "ä" are two handles."""
    return text.lower() if text.isascii() else text.translate(_LOWER_OF_CAPITAL)


def several(count: int, what: str) -> str:
    """Return a count with its noun, in English.

    >>> several(1, "reference"), several(2, "reference")
    ('1 reference', '2 references')
    """
    return f"{count} {what}" if count == 1 else f"{count} {what}s"


def without_passwords(text: str) -> str:
    """Return the text with three dots in the place of user info in addresses.

    >>> without_passwords("'redis://:secret@example.org/0' is no path")
    "'redis://…@example.org/0' is no path"
    """
    return _WORD.sub(_without_user_info, text)


def _without_user_info(word: re.Match[str]) -> str:
    # A password may hold a slash or an `@` by mistake.
    scheme, slashes, rest = word[0].partition("://")
    _, at, host = rest.rpartition("@")
    return f"{scheme}{slashes}…@{host}" if at else word[0]


def safe_in_script(text: str) -> str:
    """A text of JSON that neither ends a ``script`` element nor begins a comment in it."""
    return text.translate(_SCRIPT_SAFE)
