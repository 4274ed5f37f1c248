"""What stands behind a host of doi.org: a DOI, a shortDOI, a page, or a mistake.

The hosts answer whatever is asked of them, and a word that an author left there looks
like the shortDOI that it is not.
"""

from typing import NamedTuple

from handle_system.doi_repair import (
    agency_doi,
    contained_doi,
    not_ten,
    restored_doi,
)
from handle_system.errors import (
    AddressError,
    HandleSyntaxError,
    PlaceholderError,
    PrefixError,
    brief,
)
from handle_system.proxies import OWN_PAGES
from handle_system.text import compiled

#: A shortDOI behind its host, without its prefix.  Those in use are in lower case and have
#: no vowel, and few of them have no digit: ``gfrfbm``.
SHORT_DOI = (
    "(?=[a-z]*[0-9])(?=[0-9]*[a-z])[0-9a-z]{3,8}"
    r"|(?!https?\Z|(.)\1*\Z)[b-df-hjkmnp-tv-z]{4,8}"
)

# First segments of the pages of doi.org, now and before 2023, besides those of the proxies.
_PAGES = OWN_PAGES | frozenset(
    """
    about contact data doi-handbook doi_handbook doi_presentations doi_proxy factsheets
    handbook handbook_2000 help history images index meetings members news openurl overview
    publications registration_agencies resources robots search sitemap tools topics
    the-community the-foundation the-identifier welcome whats-new
    """.split()  # noqa: SIM905 (a list of words reads better than one of strings)
)
_FILE = r"(?is).*\.(?:html?|pdf|php|aspx?|png|jpe?g|gif|svg|ico|css|js|json|xml|txt|docx?|pptx?)"
# Brackets, "$", "%" and the like are those of a template for addresses.
_USUAL = r"[0-9A-Za-z._:;,()/+~@=&?# -]+"
# Frameworks of web applications name a part of an address so: ":doi".
_ROUTE = ":[A-Za-z]"
_DIGIT_OR_SPACE = "[0-9 ]"
_ISBN = "97[89](?:-?[0-9]){9}-?[0-9Xx]"
_PLACEHOLDER = r"""(?isx)
    # A word of templates, among others.
    .*(?<![a-z0-9]) (?: pending | placeholder | todo | fixme | tb[acd] | x{3,} | n{3,} )
      (?![a-z0-9]) .*
    # What is to be replaced.
    | (?: your | my | insert | replace ) [_.-] .* | your[a-z]* | example
    # "DOI", "THE_DOI", "doi-here", "DOI:"
    | (?: [a-z]+[_.-] ){0,6} dois? (?: [_.-][a-z]+ ){0,6} :?
"""


class Mistake(NamedTuple):
    """What stands behind a host of doi.org by mistake.

    Attributes:
        error: The class of its error.
        reason: What is wrong, in one sentence without a full stop.
        suggestion: What was certainly meant.
    """

    error: type[HandleSyntaxError]
    reason: str
    suggestion: str | None


def mistake_behind(host: str, path: str) -> Mistake | None:
    """Return what is wrong with a path at a host of doi.org that begins with no DOI.

    `None` for a page of doi.org, and for a template of an address.

    >>> mistake_behind("doi.org", "arXiv:2106.01234").suggestion
    'doi:10.48550/arXiv.2106.01234'
    >>> mistake_behind("doi.org", "the-identifier/what-is-a-doi/")
    """
    is_page = path.partition("/")[0] in _PAGES or compiled(_FILE).fullmatch(path)
    is_template = compiled(_ROUTE).match(path) or not compiled(_USUAL).fullmatch(path)
    if is_page or is_template:
        return None
    shown = brief(path)
    doi = agency_doi(path)
    if doi is not None:
        reason = f'"{shown}" is no DOI'
        return Mistake(AddressError, reason, f"doi:{doi}")
    doi = restored_doi(path)
    if doi is not None:
        reason = not_ten(path.partition("/")[0])
        return Mistake(PrefixError, reason, f"doi:{doi}")
    if compiled(_ISBN).fullmatch(path):
        return Mistake(AddressError, f'"{shown}" is an ISBN, and no DOI', None)
    if compiled(_PLACEHOLDER).fullmatch(path):
        return Mistake(PlaceholderError, f'"{shown}" is a placeholder', None)
    # On the host of the web site, words are pages.
    is_word = host == "www.doi.org" and compiled(_DIGIT_OR_SPACE).search(path) is None
    if is_word or path[0].isdecimal():
        return None
    reason = f'"{shown}" is neither a DOI nor a page of doi.org'
    return Mistake(AddressError, reason, contained_doi(path))
