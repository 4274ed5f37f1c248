"""Guesses at the DOI that damaged text was meant for.

Authors copy DOIs from publishers' pages, drop a character of the prefix, or paste an
address where a DOI belongs.  Each function returns the DOI only where it is certain.
"""

import re

from handle_system.errors import LONGEST_SUGGESTION

__all__ = ["contained_doi", "publisher_doi", "restored_doi"]

_DOI = r"10\.[0-9]+(?:\.[0-9]+)*/[^\s?#]+"
_AT_PUBLISHER = re.compile(
    r"(?:https?:)?//(?:doi\.[^/@\s]+|[^/@\s]+/doi(?:/(?:abs|full|pdf|pdfdirect|epdf|book))?)"
    rf"/({_DOI})",
    re.IGNORECASE | re.ASCII,
)
_INSIDE = re.compile(rf"(?:[^\s()\[\]{{}}<>,;|]*[:/])?({_DOI})(?:[?#]\S*)?", re.ASCII)
_PAGE_OF_DOI = re.compile("/(?:abstract|full|pdf|epdf|summary)$")
# A DOI that lost a character of its "10.", or all of its prefix but "16" before an
# ISSN: the pattern of 10.1016/0024-3795(91)90181-S.
_DAMAGED_DOI = re.compile(
    r"(?:(?:10-|0?\.)([0-9]{4,9}(?:\.[0-9]{1,9}){0,9})/|16/(?=[0-9]{4}-[0-9]{3}[0-9X]))"
    r"(\S+)"
)
# With a digit among its letters, it is hardly a word.
_LIKELY_SHORT_DOI = re.compile("(?!10)(?=[a-z]*[0-9])(?=[0-9]*[a-z])[0-9a-z]{3,8}")


def contained_doi(text: str) -> str | None:
    """Return the DOI, as ``doi:…``, that a text meant for one visibly contains.

    >>> [contained_doi(text) for text in ("https://doi.acm.org/10.1145/1", "a/b")]
    ['doi:10.1145/1', None]
    """
    if len(text) > LONGEST_SUGGESTION:
        return None
    inside = _INSIDE.fullmatch(text)
    if inside is not None:
        return "doi:" + _PAGE_OF_DOI.sub("", inside[1])
    if _LIKELY_SHORT_DOI.fullmatch(text):
        return f"doi:10/{text}"
    restored = restored_doi(text)
    return restored and f"doi:{restored}"


def restored_doi(text: str) -> str | None:
    """Return a DOI whose beginning was damaged as it was.

    >>> restored_doi("0.1093/nar/gkp987"), restored_doi("10-1098/rspl.1895.0041")
    ('10.1093/nar/gkp987', '10.1098/rspl.1895.0041')
    """
    damaged = _DAMAGED_DOI.fullmatch(text)
    return damaged and f"10.{damaged[1] or '1016'}/{damaged[2]}"


def publisher_doi(url: str) -> str | None:
    """Return the DOI in a publisher's own address of one.

    >>> publisher_doi("https://onlinelibrary.wiley.com/doi/abs/10.1002/x.1/full")
    '10.1002/x.1'
    """
    found = _AT_PUBLISHER.match(url)
    return found and _PAGE_OF_DOI.sub("", found[1])
