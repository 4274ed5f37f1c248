"""The common reference, read in one pass.

What is read here, `handle_system.forms` reads alike, only more slowly: nearly
all references of nearly all documents have one of these forms, and the time of a
build goes into them.
"""

import re

from handle_system.bases import DOI_HOSTS, OWN_PAGES, ProxyBases
from handle_system.encoding import decode_ascii
from handle_system.handle import Handle, is_doi_prefix, trusted_handle

__all__ = ["EMPHASIS", "NOT_BEFORE", "read_plain", "read_plain_in_text"]

#: What a reference never follows directly, as the inside of a pattern's class: it
#: would be the middle of a word, of a URL or of a file's path.
NOT_BEFORE = r"0-9A-Za-z\-.:/?#@&=+%$\\"
#: Opens emphasis, and is looked behind.
EMPHASIS = "*_~"

# A DOI's prefix is 10, or begins with "10.".
_SCHEME = r"((?ai:hdl:|info:hdl/|(?:doi:|info:doi/)(?=[ \xa0]?10[./])))"
_HOST = "((?ai:https?)://)?([A-Za-z.]++)/"
# A repeated group takes memory for each repetition: hostile numbers of segments are
# read in the other way, which has none over a whole text.
_PREFIX = r"([0-9][0-9A-Za-z_-]*+(?>(?:\.[0-9A-Za-z_-]++){0,999}))/"

# The common reference, whole: ASCII, no query, no fragment, and of escapes only
# those of printable ASCII.  Groups and quantifiers give nothing back, so a miss
# costs one pass.
_PLAIN = re.compile(
    rf"(?:{_SCHEME}(?:(?<=:)[ \xa0]|)|{_HOST})?{_PREFIX}"
    r"((?>(?:[!\"$&-;<=>@-~]++|%(?:[2-6][0-9A-Fa-f]|7[0-9A-Ea-e]))+))"
)
# And in running text, where none of the rules for its beginning and its end has
# anything to say about it but that punctuation at the end is the sentence's, and a
# closing bracket too.  Brackets within are those of a SICI, each with its counterpart.
_PLAIN_IN_TEXT = re.compile(
    rf"(?<![{NOT_BEFORE}{EMPHASIS}<])(?:{_SCHEME}|{_HOST}){_PREFIX}"
    r"([0-9A-Za-z/._-]*+(?>(?:(?=[:;(<])(?>(?:[:;](?=[0-9A-Za-z])"
    r"|\([0-9A-Za-z/._:;-]*+\)|<[0-9A-Za-z._-]*+:[0-9A-Za-z._:-]*+>"
    r"|[0-9A-Za-z/._-]++){1,99}))?))"
    r"(?=[,;:!?]?(?:[ \n]|\Z)|[)\]])"
)
_FORM_OF = {"hdl:": "hdl", "doi:": "doi", "info:hdl/": "info", "info:doi/": "info"}
# Handles have at most 2,048 octets, each of which may be escaped; see `_PREFIX`.
_LONGEST = 8192
_DIGITS = frozenset("0123456789")


def read_plain(text: str, bases: ProxyBases) -> tuple[str, Handle] | None:
    """Form and handle of the common reference; `None` has to be read by `read`."""
    plain = _PLAIN.fullmatch(text) if len(text) <= _LONGEST else None
    if plain is None:
        return None
    scheme, web, host, prefix, suffix = plain.groups()
    if scheme is None and host is None:
        # A prefix that ends in letters may be a host's name.
        is_handle = prefix[-1] in _DIGITS
        return ("bare", trusted_handle(prefix, suffix)) if is_handle else None
    if scheme is not None:
        form = _FORM_OF[scheme.lower()]
    elif _is_proxy(web, host, prefix, bases):
        form = "proxy"
    else:
        return None
    return form, trusted_handle(prefix, decode_ascii(suffix))


def read_plain_in_text(
    text: str, begin: int, bases: ProxyBases
) -> tuple[str, Handle, int] | None:
    """Form, handle and end of the common reference that begins at a place of a text.

    `None` is for `handle_system.scanning` to look at more closely.
    """
    plain = _PLAIN_IN_TEXT.match(text, begin)
    if plain is None:
        return None
    scheme, web, host, prefix, run = plain.groups()
    suffix = run.rstrip(".")
    if not suffix or suffix[-1] == "_":
        return None
    if scheme is not None:
        form = _FORM_OF[scheme.lower()]
    elif _is_proxy(web, host, prefix, bases):
        form = "proxy"
    else:
        return None
    return form, trusted_handle(prefix, suffix), plain.start(5) + len(suffix)


def _is_proxy(
    web: str | None, host: str | None, prefix: str, bases: ProxyBases
) -> bool:
    """Whether what stands before a prefix is the address of a proxy that has it."""
    host = (host or "").lower()
    if host not in bases.root_hosts or prefix in OWN_PAGES:
        return False
    return web is not None or host not in DOI_HOSTS or is_doi_prefix(prefix)
