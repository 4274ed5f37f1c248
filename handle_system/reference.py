"""A handle as it is written in a document."""

import operator
from dataclasses import dataclass, field
from typing import final

from handle_system.encoding import encode_path, encode_query
from handle_system.errors import (
    LONGEST_SUGGESTION,
    HandleSyntaxError,
    OtherThingError,
)
from handle_system.forms import (
    MAX_INDEX,
    ReferenceForm,
    is_explicit,
    read_parts,
    server_named,
)
from handle_system.handle import Handle
from handle_system.proxies import DEFAULT_PROXIES, Proxies
from handle_system.text import exact_text

__all__ = ["HandleReference", "ReferenceForm"]

# How often a suggestion is mended in its turn before it is given up.
_MENDINGS = 3


@final
@dataclass(frozen=True, slots=True, kw_only=True)
class HandleReference:
    """A handle as it is written in a document (seed 004, section 3: HandleRef).

    References are equal when they say the same; the way they are written (`form`,
    `source`) does not count.

    Attributes:
        handle: The handle referred to.
        form: The form it was written in.
        server: ``host[:port]`` that an ``hdl://`` reference is presented to.
        index: Index of the one value that is meant.
        query: Text after the first unencoded ``?``, fit for a URL.
        fragment: Text after the first unencoded ``#``, fit for a URL.
        source: The text that was read, as it was written.

    Raises:
        ValueError: if `server` is not one as `parse` gives it, `index` is not
            from 0 to 4294967295, `form` is unknown, or `query` or `fragment` holds
            a lone surrogate.
        TypeError: if a part is of another type.
    """

    handle: Handle
    form: ReferenceForm = field(default=ReferenceForm.BARE, compare=False)
    server: str | None = None
    index: int | None = None
    query: str | None = None
    fragment: str | None = None
    source: str = field(default="", compare=False, repr=False)

    def __post_init__(self) -> None:
        if not isinstance(self.handle, Handle):
            raise TypeError(f"a Handle is wanted, not {type(self.handle).__name__}")
        if type(self.form) is not ReferenceForm:
            object.__setattr__(self, "form", ReferenceForm(self.form))
        if self.server is not None and server_named(self.server) != self.server:
            raise ValueError(
                f"{self.server!r} is not a server: an IP address or a port"
            )
        if self.index is not None:
            object.__setattr__(self, "index", operator.index(self.index))
            if not 0 <= self.index <= MAX_INDEX:
                raise ValueError(f"{self.index} is no index: from 0 to {MAX_INDEX}")
        if self.query is not None:
            object.__setattr__(self, "query", encode_query(self.query))
        if self.fragment is not None:
            object.__setattr__(self, "fragment", encode_query(self.fragment))

    @classmethod
    def parse(
        cls,
        text: str,
        *,
        document_charset: str | None = None,
        proxies: Proxies = DEFAULT_PROXIES,
    ) -> "HandleReference":
        """Read a reference in any of its forms, in any letter case of the scheme.

        Surrounding white space is removed, as the public proxy does.  In all
        forms but the bare one and the value's, octets are percent-decoded once,
        and ``?`` and ``#`` begin query and fragment (RFC 3986, section 3).

        Args:
            text: The reference and nothing else.
            document_charset: Charset of the document that holds it, for octets
                that are not UTF-8 (seed 004, section 3.2); an unknown name counts
                as none.
            proxies: The proxies whose URLs are references.

        Raises:
            HandleSyntaxError: if the text is not a reference; no text raises
                anything else.
            TypeError: if it is not text.

        >>> reference = HandleReference.parse("http://dx.doi.org/10.1000%2F182#s2")
        >>> str(reference.handle), reference.fragment, reference.uri()
        ('10.1000/182', 's2', 'doi:10.1000/182#s2')
        """
        text = exact_text(text)
        try:
            return _read(text, proxies, document_charset)
        except HandleSyntaxError as error:
            error.suggestion = _readable(error.suggestion, proxies, document_charset)
            raise

    @classmethod
    def from_link(
        cls,
        target: str,
        *,
        document_charset: str | None = None,
        proxies: Proxies = DEFAULT_PROXIES,
    ) -> "HandleReference | None":
        """Return the reference that a link's target is; `None` for any other target.

        Only the forms that say what they are count: in a link's place a bare
        ``a/b`` is a relative URL.

        Raises:
            HandleSyntaxError: if the target is meant for a reference and is
                malformed.
        """
        target = exact_text(target)
        if not is_explicit(target, proxies):
            return None
        try:
            return cls.parse(target, document_charset=document_charset, proxies=proxies)
        except OtherThingError:
            return None

    def uri(self) -> str:
        """Return the canonical URI: ``doi:…`` for a DOI, else ``hdl:…``.

        It is in UTF-8 without modifier; reading it gives an equal reference.

        >>> HandleReference.parse("cnri.test/50%").uri()
        'hdl:cnri.test/50%25'
        """
        path = encode_path(str(self.handle))
        if self.index is not None:
            path = f"{self.index}:{path}"
        if self.server is not None:
            path = f"//{self.server}/{path}"
        plain = self.index is None and self.server is None
        scheme = "doi:" if plain and self.handle.is_doi else "hdl:"
        query = "" if self.query is None else f"?{self.query}"
        fragment = "" if self.fragment is None else f"#{self.fragment}"
        return f"{scheme}{path}{query}{fragment}"

    def url(self, proxies: Proxies = DEFAULT_PROXIES) -> str:
        """Return the one correct link: see `Proxies.link`.

        >>> HandleReference.parse("http://dx.doi.org/10.1000/182").url()
        'https://doi.org/10.1000/182'
        """
        return proxies.link(self)

    def __str__(self) -> str:
        return self.uri()


def reference_or_none(text: str, proxies: Proxies) -> HandleReference | None:
    """Return the reference that a text is, or `None`."""
    try:
        return _read(text, proxies, None)
    except HandleSyntaxError:
        return None


def _read(text: str, proxies: Proxies, document_charset: str | None) -> HandleReference:
    parts = read_parts(text, proxies, document_charset)
    return HandleReference(
        handle=parts.handle,
        form=parts.form,
        server=parts.server,
        index=parts.value_index,
        query=parts.query,
        fragment=parts.fragment,
        source=text,
    )


def _readable(
    suggestion: str | None, proxies: Proxies, document_charset: str | None
) -> str | None:
    """Return a suggestion that can be read, mended if need be; else `None`."""
    for _ in range(_MENDINGS):
        if suggestion is None or len(suggestion) > LONGEST_SUGGESTION:
            return None
        try:
            read_parts(suggestion, proxies, document_charset)
        except HandleSyntaxError as error:
            suggestion = error.suggestion
        else:
            return suggestion
    return None
