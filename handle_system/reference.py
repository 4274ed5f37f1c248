"""A handle as written in a document: the forms, to and fro."""

import operator
from dataclasses import dataclass, field
from enum import StrEnum
from typing import final

from handle_system.encoding import encode_path, encode_query
from handle_system.errors import HandleSyntaxError, OtherThingError
from handle_system.forms import MAX_INDEX, is_explicit, read, readable
from handle_system.handle import Handle
from handle_system.plain import read_plain, read_plain_in_text
from handle_system.proxies import DEFAULT_PROXIES, Proxies
from handle_system.server import server_named
from handle_system.text import exact_text

__all__ = [
    "HandleReference",
    "ReferenceForm",
    "plain_reference_at",
    "reference_or_none",
]


class ReferenceForm(StrEnum):
    """The ways in which a handle is written."""

    BARE = "bare"
    """The handle itself: ``10.1045/april2006-paskin``. Nothing is decoded."""
    VALUE = "value"
    """One value of it, index first: ``300:0.NA/10``."""
    HDL = "hdl"
    """``hdl:…``, ``hdl:/…`` and ``hdl://…`` (seeds 001 to 004)."""
    INFO = "info"
    """``info:hdl/…`` and ``info:doi/…`` (seed 003, RFC 4452)."""
    URN = "urn"
    """``urn:hdl:…`` and ``urn:doi:…``, which the public proxy accepts."""
    DOI = "doi"
    """``doi:10.…``."""
    PROXY = "proxy"
    """A proxy's URL, and ``doi.org/10.…`` without a scheme."""


@final
@dataclass(frozen=True, slots=True, kw_only=True)
class HandleReference:
    """A handle as it is written in a document (seed 004, section 3: HandleRef).

    References are equal when they say the same; how it is written (`form`,
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
        ValueError: when `server` is not one as `parse` gives it, `index` is not
            from 0 to 4294967295, `form` is none, or `query` or `fragment` holds a
            lone surrogate.
        TypeError: when a part is of another type.
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
        object.__setattr__(self, "form", ReferenceForm(self.form))
        if self.server is not None and server_named(self.server) != self.server:
            raise ValueError(
                f"{self.server!r} is not a server: an IP address or a port"
            )
        if self.index is not None:
            object.__setattr__(self, "index", operator.index(self.index))
            if not 0 <= self.index <= MAX_INDEX:
                raise ValueError(f"{self.index} is no index: from 0 to {MAX_INDEX}")
        for name in ("query", "fragment"):
            text = getattr(self, name)
            if text is not None:
                object.__setattr__(self, name, encode_query(text))

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
                that are not UTF-8 (seed 004, section 3.2); a name that is not
                known counts as none.
            proxies: The proxies whose URLs are references.

        Raises:
            HandleSyntaxError: when the text is not a reference; no text has
                anything else raised.
            TypeError: when it is no text.

        >>> reference = HandleReference.parse("http://dx.doi.org/10.1000%2F182#s2")
        >>> str(reference.handle), reference.fragment, reference.uri()
        ('10.1000/182', 's2', 'doi:10.1000/182#s2')
        """
        text = exact_text(text)
        try:
            return _read(text, proxies, document_charset)
        except HandleSyntaxError as error:
            error.suggestion = readable(
                error.suggestion, proxies.known, document_charset
            )
            raise

    @classmethod
    def from_link(
        cls,
        target: str,
        *,
        document_charset: str | None = None,
        proxies: Proxies = DEFAULT_PROXIES,
    ) -> "HandleReference | None":
        """The reference that a link's target is; `None` for any other target.

        Only the forms that say what they are count: in a link's place a bare
        ``a/b`` is a relative URL.

        Raises:
            HandleSyntaxError: when the target is meant for a reference and is
                malformed.
        """
        target = exact_text(target)
        if not is_explicit(target, proxies.known):
            return None
        try:
            return cls.parse(target, document_charset=document_charset, proxies=proxies)
        except OtherThingError:
            return None

    def uri(self) -> str:
        """The canonical URI: ``doi:…`` for a DOI, else ``hdl:…``; UTF-8, no modifier.

        Reading it gives an equal reference.

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
        query = "" if self.query is None else "?" + encode_query(self.query)
        fragment = "" if self.fragment is None else "#" + encode_query(self.fragment)
        return f"{scheme}{path}{query}{fragment}"

    def __str__(self) -> str:
        return self.uri()


def reference_or_none(text: str, proxies: Proxies) -> HandleReference | None:
    """The reference that a text is, if it is one, for whom the reason is no matter."""
    try:
        return _read(text, proxies, None)
    except HandleSyntaxError:
        return None


def plain_reference_at(
    text: str, begin: int, proxies: Proxies
) -> tuple[HandleReference, int] | None:
    """The common reference that begins at a place of a text, and where it ends."""
    plain = read_plain_in_text(text, begin, proxies.known)
    if plain is None:
        return None
    form, handle, end = plain
    return _plain(form, handle, text[begin:end]), end


def _read(text: str, proxies: Proxies, document_charset: str | None) -> HandleReference:
    plain = read_plain(text, proxies.known)
    if plain is not None:
        return _plain(*plain, text)
    written = read(text, proxies.known, document_charset)
    return HandleReference(
        handle=written.handle,
        form=_FORMS[written.form],
        server=written.server,
        index=written.value_index,
        query=written.query,
        fragment=written.fragment,
        source=text,
    )


class _Draft:
    """A reference while it is made: see the draft of a handle."""

    __slots__ = (
        "form",
        "fragment",
        "handle",
        "index",
        "query",
        "server",
        "source",
    )
    handle: Handle
    form: ReferenceForm
    server: str | None
    index: int | None
    query: str | None
    fragment: str | None
    source: str


def _plain(form: str, handle: Handle, source: str) -> HandleReference:
    draft = _Draft()
    draft.handle = handle
    draft.form = _FORMS[form]
    draft.server = draft.query = draft.fragment = None
    draft.index = None
    draft.source = source
    draft.__class__ = HandleReference  # type: ignore[assignment]  # of the same layout
    return draft  # type: ignore[return-value]  # now it is one


_FORMS = {form.value: form for form in ReferenceForm}
