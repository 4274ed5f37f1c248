"""The common reference, read in one pass.

What is read here, `handle_system.forms` reads alike, only more slowly: nearly
all references of nearly all documents have one of these forms, and the time of a
build goes into them.
"""

import re

from handle_system.bases import DOI_HOSTS, OWN_PAGES, ProxyBases
from handle_system.encoding import decode_ascii
from handle_system.handle import Handle, is_doi_prefix, trusted_handle

__all__ = ["read_plain"]

# The common reference, whole: ASCII, no query, no fragment, and of escapes only
# those of printable ASCII.  Groups and quantifiers give nothing back, so a miss
# costs one pass.
_PLAIN = re.compile(
    r"(?:((?ai:hdl:|doi:))[ \xa0]?|((?ai:info:hdl/|info:doi/))"
    r"|((?ai:https?)://)?([A-Za-z.]++)/)?"
    r"([0-9][0-9A-Za-z_-]*+(?>(?:\.[0-9A-Za-z_-]++)*))/"
    r"((?>(?:[!\"$&-;<=>@-~]++|%(?:[2-6][0-9A-Fa-f]|7[0-9A-Ea-e]))+))"
)
_PLAIN_FORMS = {
    "hdl:": ("hdl", False),
    "doi:": ("doi", True),
    "info:hdl/": ("info", False),
    "info:doi/": ("info", True),
}
# Handles have at most 2,048 octets, each of which may be escaped.  A repeated
# group takes memory for each repetition, so that hostile lengths are read in the
# other way, which has none over a whole text.
_LONGEST = 8192
_DIGITS = frozenset("0123456789")


def read_plain(text: str, bases: ProxyBases) -> tuple[str, Handle] | None:
    """Form and handle of the common reference; `None` has to be read by `read`."""
    plain = _PLAIN.fullmatch(text) if len(text) <= _LONGEST else None
    if plain is None:
        return None
    scheme, info, web, host, prefix, suffix = plain.groups()
    if host is not None:
        host = host.lower()
        if host not in bases.root_hosts or prefix in OWN_PAGES:
            return None
        if web is None and host in DOI_HOSTS and not is_doi_prefix(prefix):
            return None
        return "proxy", trusted_handle(prefix, decode_ascii(suffix))
    scheme = scheme or info
    if scheme is not None:
        form, doi_only = _PLAIN_FORMS[scheme.lower()]
        if doi_only and not is_doi_prefix(prefix):
            return None
        return form, trusted_handle(prefix, decode_ascii(suffix))
    # A prefix that ends in letters may be a host's name.
    return ("bare", trusted_handle(prefix, suffix)) if prefix[-1] in _DIGITS else None
