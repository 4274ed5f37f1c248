"""Proxies: the one correct link of a handle, and the handle in a link."""

from collections.abc import Iterable, Mapping
from types import MappingProxyType
from typing import TYPE_CHECKING

from handle_system.bases import ProxyBases, checked_base
from handle_system.encoding import encode_path, encode_query
from handle_system.errors import HandleSyntaxError
from handle_system.handle import Handle
from handle_system.text import SURROUNDING_SPACE, exact_text, fold_ascii

if TYPE_CHECKING:
    from handle_system.reference import HandleReference

__all__ = ["DEFAULT_BASES", "DEFAULT_PROXIES", "KNOWN_BASES", "Proxies", "link_at"]

#: Base of the link by prefix; the longest prefix of whole segments wins.
DEFAULT_BASES: Mapping[str, str] = MappingProxyType(
    {"10": "https://doi.org/", "": "https://hdl.handle.net/"}
)

#: Bases that are recognised without being configured.
KNOWN_BASES = (
    "https://hdl.handle.net/",
    "https://doi.org/",
    "https://dx.doi.org/",
    "https://www.doi.org/",
    "https://hdl.loc.gov/",
    "https://resolver.net.au/hdl/",
)


class Proxies:
    """Which proxy a handle's link goes to, and which URLs are proxies' links.

    The prefix decides the base, so one handle has one link however it was
    written: plain ``http:``, ``dx.doi.org`` and proxies that no longer answer
    come out modernised.

    Args:
        bases: Base URL by prefix, laid over `DEFAULT_BASES`.  A prefix covers
            those derived from it: ``10`` covers ``10.1045``, and ``""`` all.
        also: Further base URLs that are recognised in links.

    Raises:
        ValueError: when a base is not an http(s) URL, or a key is no prefix.
        TypeError: when `also` is one text, not a list of them.

    >>> institute = Proxies({"102.100.272": "https://resolver.example.org/hdl"})
    >>> institute.link(Handle("102.100.272", "Y35XYS0QH"))
    'https://resolver.example.org/hdl/102.100.272/Y35XYS0QH'
    """

    __slots__ = (
        "_default",
        "_doi_base",
        "_fallbacks",
        "also",
        "bases",
        "known",
        "name_of",
    )

    def __init__(
        self,
        bases: Mapping[str, str] = DEFAULT_BASES,
        also: Iterable[str] = KNOWN_BASES,
    ) -> None:
        merged = {
            _checked_prefix(prefix): checked_base(base)
            for prefix, base in {**DEFAULT_BASES, **bases}.items()
        }
        self.bases: Mapping[str, str] = MappingProxyType(merged)
        if isinstance(also, str):
            # Its characters would be taken for bases, one by one.
            raise TypeError("also: a list of bases is wanted, and this is one text")
        self.also = tuple(checked_base(base) for base in also)
        self.known = ProxyBases((*merged.values(), *self.also))
        #: What to call the proxy at a base: the base without what all have.
        self.name_of: Mapping[str, str] = MappingProxyType(
            {base: base[base.index("//") + 2 :].rstrip("/") for base in merged.values()}
        )
        self._default = merged[""]
        # Where no prefix below 10 has a base of its own, all DOIs have one.
        below = any(prefix.startswith("10.") for prefix in merged)
        self._doi_base = None if below else merged["10"]
        self._fallbacks = tuple(
            (prefix, f"{prefix}.", base)
            for prefix, base in sorted(
                merged.items(), key=lambda item: len(item[0]), reverse=True
            )
            if prefix
        )

    def base_of(self, handle: Handle) -> str:
        """The base of the handle's link."""
        prefix = handle.prefix
        if self._doi_base is not None and prefix.startswith("10."):
            return self._doi_base
        prefix = fold_ascii(prefix)
        for whole, derived, base in self._fallbacks:
            if prefix == whole or prefix.startswith(derived):
                return base
        return self._default

    def link(self, reference: "HandleReference | Handle") -> str:
        """The one correct link: base, percent-encoded handle, query, fragment.

        A value reference's index and a reference's server have no place in it:
        the proxy decides whom it asks.

        Raises:
            TypeError: for anything else, a text for one, which is to be read first.

        >>> DEFAULT_PROXIES.link(Handle("10.1000", "50% <a>"))
        'https://doi.org/10.1000/50%25%20%3Ca%3E'
        """
        if isinstance(reference, Handle):
            return self.base_of(reference) + encode_path(str(reference))
        try:
            handle = reference.handle
        except AttributeError:
            raise TypeError(
                "a HandleReference or a Handle is wanted, not "
                f"{type(reference).__name__}: read a text with HandleReference.parse()"
            ) from None
        return link_at(self.base_of(handle), str(handle), reference)

    def match(self, url: str) -> "HandleReference | None":
        """The reference that a proxy's URL is, or `None` for any other text."""
        # The two classes name each other: a reference is read by the proxies
        # that are known, and proxies read references.
        from handle_system.reference import reference_or_none  # noqa: PLC0415

        url = exact_text(url)
        if self.known.locate(url.lstrip(SURROUNDING_SPACE)) is None:
            return None
        return reference_or_none(url, self)

    def __eq__(self, other: object) -> bool:
        if not isinstance(other, Proxies):
            return NotImplemented
        return self.bases == other.bases and self.also == other.also

    def __hash__(self) -> int:
        return hash((frozenset(self.bases.items()), self.also))

    def __repr__(self) -> str:
        return f"Proxies({dict(self.bases)!r}, also={self.also!r})"

    def __reduce__(self) -> tuple[type, tuple[dict[str, str], tuple[str, ...]]]:
        return Proxies, (dict(self.bases), self.also)


def link_at(base: str, handle: str, reference: "HandleReference") -> str:
    """The link of a reference at a base, given the text of its handle."""
    link = base + encode_path(handle)
    if reference.query is not None:
        link += "?" + encode_query(reference.query)
    if reference.fragment is not None:
        link += "#" + encode_query(reference.fragment)
    return link


def _checked_prefix(prefix: str) -> str:
    if prefix:
        try:
            Handle(prefix, "x")
        except HandleSyntaxError as error:
            raise ValueError(f"{prefix!r} is not a prefix: {error.reason}") from error
    return fold_ascii(prefix)


#: What holds without configuration: DOIs at doi.org, the rest at hdl.handle.net.
DEFAULT_PROXIES = Proxies()
