"""Texts as they come in: their type, the white space around them, their letter case.

And one thing about texts as they go out, which is how many there are.
"""

import re

__all__ = [
    "SURROUNDING_SPACE",
    "exact_text",
    "fold_ascii",
    "inside_space",
    "several",
]

# What the public proxy removes around a name: Unicode white space, the zero
# width characters and the byte order mark.
SURROUNDING_SPACE = (
    "\t\n\v\f\r\x1c\x1d\x1e\x1f\x20\x85\xa0\u1680"
    "\u2000\u2001\u2002\u2003\u2004\u2005\u2006\u2007\u2008\u2009\u200a"
    "\u200b\u200c\u200d\u2028\u2029\u202f\u205f\u2060\u3000\ufeff"
)

# ASCII letters fold, and no others: "Ä" and "ä" are two handles.
_CAPITALS = re.compile("[A-Z]+")


def exact_text(text: object) -> str:
    """The text, of the type `str` itself.

    Frameworks hand in texts of types derived from it, whose parts and sums are
    of that type too: what they do of their own ends here.

    Raises:
        TypeError: when it is no text, `bytes` for one.
    """
    if type(text) is str:
        return text
    if isinstance(text, str):
        return str.__str__(text)
    raise TypeError(f"a text is wanted, of type str; this is {type(text).__name__}")


def inside_space(text: str) -> tuple[int, int]:
    """Where the text begins and ends without the white space around it."""
    start = len(text) - len(text.lstrip(SURROUNDING_SPACE))
    end = len(text.rstrip(SURROUNDING_SPACE))
    return (start, end) if start < end else (0, 0)


def fold_ascii(text: str) -> str:
    """Lower the ASCII letters, and no others."""
    if text.isascii():
        return text.lower()
    return _CAPITALS.sub(lambda found: found.group().lower(), text)


def several(count: int, what: str) -> str:
    """So many of them, in English.

    >>> several(1, "reference"), several(2, "reference")
    ('1 reference', '2 references')
    """
    return f"{count} {what}" if count == 1 else f"{count} {what}s"
