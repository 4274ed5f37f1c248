"""Guesses at the DOI that damaged text was meant for.

Authors copy DOIs from publishers' pages, drop a character of the prefix, or paste an
address where a DOI belongs.  Each function returns the DOI only where it is certain.
"""

import re
import unicodedata
from typing import NamedTuple

from handle_system.errors import LONGEST_SUGGESTION, brief
from handle_system.forms import MAX_OCTETS
from handle_system.text import compiled

#: A DOI in the place of a link's target, which ends like no file of a site.
BARE_DOI = (
    r"(?ai)10\.[0-9]{4,9}(?:\.[0-9]{1,9}){0,9}(?:/|%2F)"
    r"(?!\S*\.(?:html?|md|rst|ipynb|pdf|png|jpe?g|svg|gif|txt|xml|json|zip)(?:[?#]|\Z))\S+"
)
_DOI = r"10\.[0-9]+(?:\.[0-9]+)*/[^\s?#]+"
_AT_PUBLISHER = (
    r"(?ai)(?:https?:)?//(?:doi\.[^/@\s]+|[^/@\s]+/doi(?:/(?:abs|full|pdf|pdfdirect|epdf|book))?)"
    rf"/({_DOI})"
)
_INSIDE = (
    rf"(?a)(?:[Dd][Oo][Ii]:?\s{{1,8}}|[^\s()\[\]{{}}<>,;|]*[:/])?({_DOI})(?:[?#]\S*)?"
)
_PAGE_OF_DOI = "/(?:abstract|full|pdf|epdf|summary)$"
# A DOI whose "10." lost, gained or changed a character, or that lost all of its prefix but
# "16" before an ISSN: the pattern of 10.1016/0024-3795(91)90181-S.
_DAMAGED_PREFIX = (
    r"(?:(?:10[-,]|0?\.|(?:[0-9]10|1010|10\.10)\.|10(?=[0-9]{4,5}/))"
    r"([0-9]{4,9}(?:\.[0-9]{1,9}){0,9})/|16/(?=[0-9]{4}-[0-9]{3}[0-9X]))"
)
_DAMAGED_DOI = rf"{_DAMAGED_PREFIX}(\S+)"
#: A damaged prefix of a DOI behind the space after a label.
SPACED_DAMAGED_DOI = rf"[ \xa0](?={_DAMAGED_PREFIX}\S)"
_DOI_HOST = r"(?:(?:dx|www)\.)?doi\.org"
_HANDLE_HOST = r"hdl\.handle\.net"
# How authors were seen to mistype the hosts, and the scheme of an address.
_MISSPELT_DOI_HOST = (
    r"(?:(?:(?:dx|www)\.)?(?:doi\.com|dio\.org|doiorg|doi,org|doi\.or|doi\.rog|doi\.ogr)"
    r"|dx\.doi|dxdoi\.org)"
)
_MISSPELT_HANDLE_HOST = r"hdl\.(?:handel|hande)\.net"
#: The scheme of an address with characters that were lost or doubled.
MISSPELT_SCHEME = "(?:h{1,2}t{1,3}ps{0,2}|ttps?)"
_DOI_NUMBER = r"10\.[0-9]{4,9}"
# Of an address whose colon and slashes are not "://": with one of them missing, too many,
# or swapped.
_BROKEN_MARKS = "(?!://[^:/])[:/]{1,5}"
# An address that a PDF broke into lines, of which a space is left.
_GAP = r"[ \xa0]?"
_SPACED_ADDRESS = (
    rf"(?!https?://(?:{_DOI_HOST}|{_HANDLE_HOST})/[^ \xa0])https?://{_GAP}"
    rf"(?:(?:(?:dx|www)\.{_GAP})?doi\.{_GAP}org/{_GAP}(?=10\.[0-9])"
    rf"|(?P<spaced_handle>hdl\.{_GAP}handle\.{_GAP}net/{_GAP}(?=[0-9])))"
)
# A library's proxy puts a host of its own behind the host that it stands for, whose dots
# become hyphens where it has a certificate to show. The name is possessive ("+"): a "/" or
# ":" must follow it, so fewer characters never match, and every address comes here.
_LIBRARY = r"\.[0-9a-z.-]{1,200}+(?::[0-9]{1,5})?/"
# Or it takes the address behind its own, which may be percent-encoded there.
_LOGIN = (
    r"[0-9a-z.-]{1,200}+(?::[0-9]{1,5})?/(?:[0-9a-z_.-]{1,40}+/){0,4}login\?q?url="
    r"https?(?:://|%3A%2F%2F)"
)
# Mail, office and search software puts an address behind its own, and text behind that.
_REWRITING = (
    r"(?:urldefense\.com/v3/__https?:/{1,2}"
    r"|(?:(?:www\.)?google\.[a-z.]{2,6}/url\?(?:[^\s&\#]{1,100}+&){0,5}(?:q|url)="
    r"|[0-9a-z]{1,20}+\.safelinks\.protection\.outlook\.com/\?url=)https?(?:://|%3A%2F%2F))"
)
_BROKEN_ADDRESS = rf"""(?aix)
    # The scheme is broken or misspelt, or there are two.
    (?: https? {_BROKEN_MARKS} | (?: https? [:/]{{1,5}} ){{2,3}}
      | (?!https?:) {MISSPELT_SCHEME} :// )
    (?: {_DOI_HOST} / (?=10\.[0-9]) | (?P<handle> {_HANDLE_HOST} / (?=[0-9]) ) )
    | https?://
      # The host is broken or misspelt, or what stands behind it is.
      (?: (?: {_DOI_HOST} (?: /[ \xa0] | :[ \xa0]? | \.?(?={_DOI_NUMBER}) )
            | doi [:/] [ \xa0]? | {_MISSPELT_DOI_HOST} / ) (?=10\.[0-9])
        | (?P<other_handle> {_MISSPELT_HANDLE_HOST} / (?=[0-9]) )
        # There is no host.
        | (?= {_DOI_NUMBER} (?:\.[0-9]{{1,9}}){{0,9}} / )
        # The host is a library's.
        | (?P<library>
            (?: {_DOI_HOST} | (?:(?:dx|www)-)?doi-org ) {_LIBRARY} (?=10\.[0-9])
            | {_LOGIN} {_DOI_HOST} (?:/|%2F) (?=10\.[0-9])
            | (?P<library_handle> hdl-handle-net {_LIBRARY} (?=[0-9])
              | {_LOGIN} {_HANDLE_HOST} (?:/|%2F) (?=[0-9]) ) )
        # A program rewrote the address.
        | (?P<rewritten> {_REWRITING}
            (?: {_DOI_HOST} (?:/|%2F) (?=10\.[0-9])
              | (?P<rewritten_handle> {_HANDLE_HOST} (?:/|%2F) (?=[0-9]) ) ) ) )
    | (?: https?:// )? {_DOI_HOST} /
      (?: (?:doi|abs)/ | doi%3A | (?:%20){{1,4}} ){{1,3}} (?=10\.[0-9])
    | {_SPACED_ADDRESS}
    # CRAN's form lacks a scheme.
    | {_DOI_HOST} : (?={_DOI_NUMBER})
"""
# The groups of addresses of handles.
_HANDLE_GROUPS = (
    *("handle", "other_handle", "library_handle", "rewritten_handle", "spaced_handle"),
)
_END_OF_REWRITTEN = re.compile("__;|&")
# A query, a fragment and an escape within an address that a program encoded, and what
# stands for a character that it keeps elsewhere: which identifier is meant is not certain.
_UNCERTAIN = "(?i)%(?:3F|23|25)|[*]"
# Most references begin like this, and nothing is wrong with them.
_USUAL_OPENING = re.compile(
    rf"(?:https?://{_DOI_HOST}/|doi:[ \xa0]?)10\.[0-9]{{1,9}}/"
    rf"|(?:hdl:|https?://{_HANDLE_HOST}/|info:hdl/)[0-9]",
    re.IGNORECASE | re.ASCII,
)
# A damaged one, of at most so many characters, names a host or the scheme of DOIs, has no
# host, or has a space. Most other addresses have none of these.
_MAY_BE_DAMAGED = (
    r"https?://(?:10\.|(?:(?i:dx|www)\.)?[ \xa0])"
    r"|(?>(?:[^\sDdHh]++|(?!(?i:doi|dio\.|hdl))[DdHh])*)[DdHh]"
)
_LONGEST_OPENING = 1000
_DOI_OPENING = rf"(?i)https?://{_DOI_HOST}/|doi:[ \xa0]?"
# The prefix of a DOI, in which letters may stand for digits.
_LIKELY_PREFIX = re.compile(r"[1lI][0Oo]\.[0-9OolI]{4,9}(?=/)", re.ASCII)
_DIGIT_OF_LETTER = str.maketrans("OolI", "0011")
_BROKEN = "the address is broken"
_LETTERS = "letters stand for digits in the prefix"
#: Why an address is broken that works only for the members of a library.
OF_LIBRARY = "this is the address of a library's proxy, where others meet a login"
_REWRITTEN = "a program rewrote the address, and reads along where readers go"
# How authors write the identifiers of two services, whose DOIs begin as the row says. The
# DOI of a paper at arXiv stands for all its versions.
_AT_AGENCIES = (
    (
        (
            r"(?ai)(?:10\.48550/){0,2}arxiv[.:/][ ]?"
            r"([0-9]{4}\.[0-9]{4,5}|[a-z-]{2,9}(?:\.[a-z]{2})?/[0-9]{7})(?:v[0-9]{1,3})?"
        ),
        "10.48550/arXiv.",
    ),
    (
        r"(?ai)(?:(?:10\.5281/){0,2}zenodo[.:/]|(?:10\.5281/){1,2})([0-9]{3,9})",
        "10.5281/zenodo.",
    ),
)


def contained_doi(text: str) -> str | None:
    """Return the DOI, as ``doi:…``, that a text meant for one visibly contains.

    >>> [contained_doi(text) for text in ("https://doi.acm.org/10.1145/1", "a/b")]
    ['doi:10.1145/1', None]
    """
    if len(text) > LONGEST_SUGGESTION:
        return None
    inside = compiled(_INSIDE).fullmatch(text)
    if inside is not None:
        return "doi:" + compiled(_PAGE_OF_DOI).sub("", inside[1])
    restored = restored_doi(text) or agency_doi(text)
    return restored and f"doi:{restored}"


def agency_doi(text: str) -> str | None:
    """Return the DOI that a number of arXiv's or Zenodo's stands for; `None` of a DOI.

    >>> [agency_doi(text) for text in ("arXiv:2106.01234v2", "10.5281/7654321")]
    ['10.48550/arXiv.2106.01234', '10.5281/zenodo.7654321']
    """
    for pattern, opening in _AT_AGENCIES:
        written = compiled(pattern).fullmatch(text)
        if written and not text.lower().startswith(opening.lower()):
            return f"{opening}{written[1]}"
    return None


def restored_doi(text: str) -> str | None:
    """Return a DOI whose beginning was damaged as it was.

    >>> restored_doi("0.1093/nar/gkp987"), restored_doi("110.1177/1040638720905833")
    ('10.1093/nar/gkp987', '10.1177/1040638720905833')
    """
    damaged = compiled(_DAMAGED_DOI).fullmatch(text)
    return damaged and f"10.{damaged[1] or '1016'}/{damaged[2]}"


def not_ten(prefix: str) -> str:
    """Say of a damaged prefix that it is none of a DOI."""
    return f'a DOI\'s prefix begins with "10.", and "{brief(prefix)}" does not'


class MendedOpening(NamedTuple):
    """How a reference with a broken address or a mistyped prefix is read.

    Attributes:
        opening: The text to read in place of everything before `path`.
        path: Where the part begins that is as it should be.
        reason: What is wrong, in one sentence without a full stop.
        end: Where that part ends; `None` if it ends with the reference.
    """

    opening: str
    path: int
    reason: str
    end: int | None = None

    def applied_to(self, text: str) -> str:
        """Return the text as it is read, from the beginning of the reference on."""
        return f"{self.opening}{text[self.path : self.end]}"


def mended_opening(text: str, start: int = 0) -> MendedOpening | None:
    """Return what was certainly meant by the beginning of a reference, if it is damaged.

    >>> mended_opening("https:/doi.org/10.1000/182").opening
    'doi:'
    >>> mended_opening("https://doi.org/1O.1000/182").opening
    'doi:10.1000'
    """
    if _USUAL_OPENING.match(text, start) is not None:
        return None
    may_be_damaged = compiled(_MAY_BE_DAMAGED)
    if may_be_damaged.match(text, start, start + _LONGEST_OPENING) is None:
        return None
    mended = _mended_address(text, start)
    if mended is None:
        scheme = compiled(_DOI_OPENING).match(text, start)
        path = scheme.end() if scheme else None
    elif mended.opening == "hdl:":
        return mended
    else:
        path = mended.path
    number = None if path is None else mended_number(text, path)
    if number is None:
        return mended
    opening = f"doi:{number.opening}"
    return (mended or number)._replace(opening=opening, path=number.path)


def _mended_address(text: str, start: int) -> MendedOpening | None:
    """Return what was certainly meant by a broken address."""
    broken = compiled(_BROKEN_ADDRESS).match(text, start)
    if broken is None:
        return None
    path = broken.end()
    reason = OF_LIBRARY if broken["library"] else _BROKEN
    end = None
    if broken["rewritten"]:
        reason = _REWRITTEN
        mark = _END_OF_REWRITTEN.search(text, path, path + MAX_OCTETS)
        end = mark and mark.start()
    if broken["rewritten"] or "%3a%2f%2f" in broken[0].lower():
        last = path + MAX_OCTETS if end is None else end
        if compiled(_UNCERTAIN).search(text, path, last):
            return None
    head = "hdl:" if any(broken.group(*_HANDLE_GROUPS)) else "doi:"
    return MendedOpening(head, path, reason, end)


def mended_number(text: str, start: int = 0) -> MendedOpening | None:
    """Return what was meant by a bare DOI in whose number letters stand for digits.

    >>> mended_number("10.1O00/182").opening
    '10.1000'
    """
    likely = _LIKELY_PREFIX.match(text, start)
    if likely is None:
        return None
    prefix = likely[0].translate(_DIGIT_OF_LETTER)
    if prefix == likely[0]:
        return None
    return MendedOpening(prefix, likely.end(), _LETTERS)


def plain_prefix(prefix: str) -> str:
    """Return a prefix with ASCII digits and dots for those that look like them.

    >>> plain_prefix("10．1000")
    '10.1000'
    """
    if prefix.isascii():
        return prefix
    return "".join(map(_plain_digit_or_dot, prefix))


def _plain_digit_or_dot(character: str) -> str:
    # One dot leader, fullwidth and small full stops.
    if unicodedata.normalize("NFKC", character) == ".":
        return "."
    return str(unicodedata.digit(character, character))


def publisher_doi(url: str) -> str | None:
    """Return the DOI in a publisher's own address of one.

    >>> publisher_doi("https://onlinelibrary.wiley.com/doi/abs/10.1002/x.1/full")
    '10.1002/x.1'
    """
    found = compiled(_AT_PUBLISHER).match(url)
    return found and compiled(_PAGE_OF_DOI).sub("", found[1])
