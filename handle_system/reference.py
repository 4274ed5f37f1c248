"""A handle as it is written in a document.

::

    reference = bare | value | hdl | info | urn | doi | proxy
    bare      = [ charset "@" ] handle
    value     = 1*DIGIT ":" handle
    hdl       = "hdl:" [ "/" | "///" | "//" server "/" ] [ index ":" ] path
    info      = "info:" ( "hdl" | "doi" ) "/" path
    urn       = "urn:" ( "hdl" | "doi" ) ":" path
    doi       = "doi:" path
    proxy     = base ( path | short-doi | reference )
    path      = [ charset "@" ] encoded-handle [ "?" query ] [ "#" fragment ]

Sources: "URI scheme for Handle" (2008; ``hdl:`` with a server, ``info:``); CNRI,
"Identifiers and Handles" (1995; ``hdl://prefix``); Sun, "Internationalization of the
Handle System" (1998), section 3 (``charset@``); the public proxy (``urn:``, a reference
after its base).
"""

import re
from contextlib import suppress
from dataclasses import dataclass, field, replace
from ipaddress import ip_address
from typing import final
from urllib.parse import unquote

from handle_system.doi_host import SHORT_DOI, mistake_behind
from handle_system.doi_repair import (
    BARE_DOI,
    OF_LIBRARY,
    MendedOpening,
    contained_doi,
    mended_opening,
    not_ten,
    publisher_doi,
    restored_doi,
)
from handle_system.encoding import (
    charset_named,
    decode,
    encode_path,
    encode_query,
    locate,
)
from handle_system.errors import (
    AddressError,
    HandleSyntaxError,
    ModifierError,
    OtherThingError,
    PrefixError,
    brief,
)
from handle_system.forms import FORMS, HEADS, WORDS, ReferenceForm
from handle_system.handle import CONTROL, SCHEME, Handle, character_kind, split_handle
from handle_system.proxies import DEFAULT_PROXIES, DOI_HOSTS, OWN_PAGES, Proxies
from handle_system.text import SURROUNDING_SPACE, compiled, exact_text

# RFC 3651, section 3.1: a 4-byte unsigned integer.
_MAX_INDEX = 0xFFFFFFFF
_MAX_PORT = 0xFFFF

# A member of an enumeration is looked up anew wherever it is named, and each reference
# needs some.
_BARE = ReferenceForm.BARE
_HDL = ReferenceForm.HDL
_PROXY = ReferenceForm.PROXY
_URN = ReferenceForm.URN

_FORM_OF_GROUP = {f"form_{number}": form for number, form in enumerate(FORMS)}
# The forms that say what they are, and all URLs; authors put a space before a number.
_EXPLICIT = re.compile(
    "|".join(
        [
            "(?P<url>https?:|//)",
            *(
                f"(?P<{group}>{re.escape(form.opening)}{form.gap})"
                for group, form in _FORM_OF_GROUP.items()
            ),
        ]
    ),
    re.IGNORECASE | re.ASCII,
)
_LABEL_OF_URL = re.compile(r"url:\s*(?=https?:)", re.IGNORECASE)
_DOUBLED = "a scheme within a scheme"
_OTHER_ADDRESS = "another address stands behind doi.org, and no DOI"
_HEADS = "|".join(HEADS)
_WORDS = "|".join(WORDS)
_OTHER_SCHEME = re.compile("[A-Za-z][0-9A-Za-z+.-]*:")
# Repeated schemes, bounded; the group is the last one.
_SCHEMES = f"(?ai)((?:urn:)?(?:{_HEADS}|https?):){{1,100}}"
_FULLWIDTH_COLON = f"(?ai)((?:urn.)?(?:{_WORDS})|info|https?)\uff1a"
_INDEX = re.compile("0*([0-9]{1,10}):")
_AUTHORITY = re.compile("//([^/?#]*)/")
_SLASHES = re.compile("/{0,3}")
_SERVER = r"(\[[0-9A-Fa-f:]*:[0-9A-Fa-f:.]*\]|[0-9A-Za-z.-]+)(?::0*([1-9][0-9]{0,4}))?"
_SLASH = re.compile("/|%2[Ff]")
_QUERY_OR_FRAGMENT = re.compile("[?#]")
_NUMERIC_PREFIX = r"(?!0\.)(?:[0-9]+(?:\.[0-9]+)+|[0-9]{4,})/"
_DIGITS = frozenset("0123456789")


@final
@dataclass(frozen=True, slots=True, kw_only=True)
class HandleReference:
    """A handle as it is written in a document.

    Source: Sun, "Internationalization of the Handle System" (1998), section 3, where it
    is called HandleRef.

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
    """

    handle: Handle
    form: ReferenceForm = field(default=ReferenceForm.BARE, compare=False)
    server: str | None = None
    index: int | None = None
    query: str | None = None
    fragment: str | None = None
    source: str = field(default="", compare=False, repr=False)

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
                that are not UTF-8 (Sun 1998, section 3.2); an unknown name counts
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
            if not reference_or_none(error.suggestion or "", proxies):
                error.suggestion = None
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

        Only the forms that say what they are count, a known proxy's host without a
        scheme, and a bare DOI with four digits or more behind its ``10.``: in a link's
        place any other ``a/b`` is a relative URL. A broken address
        (``https:/doi.org/10.…``) is read as it was certainly meant, and
        `handle_system.diagnose` reports it. ``URL:`` before an address is no part of it
        (RFC 3986, appendix C).

        Raises:
            HandleSyntaxError: if the target is meant for a reference and is
                malformed.
        """
        target = exact_text(target)
        start = len(target) - len(target.lstrip(SURROUNDING_SPACE))
        first = target[start : start + 1]
        label = _LABEL_OF_URL.match(target, start) if first in {"u", "U"} else None
        if label is not None:
            labelled = cls.from_link(
                target[label.end() :],
                document_charset=document_charset,
                proxies=proxies,
            )
            return labelled and replace(labelled, source=target)
        if first == "1" and compiled(BARE_DOI).fullmatch(
            target.strip(SURROUNDING_SPACE)
        ):
            # In the place of an address, octets are encoded.
            bare = cls.parse(
                f"doi:{target[start:]}",
                document_charset=document_charset,
                proxies=proxies,
            )
            return replace(bare, form=ReferenceForm.BARE, source=target)
        is_explicit = _EXPLICIT.match(target, start) or proxies.locate_schemeless(
            target, start
        )
        if not is_explicit and not mended_opening(target, start):
            return None
        try:
            return cls.from_markup(
                target, document_charset=document_charset, proxies=proxies
            )
        except OtherThingError:
            return None

    @classmethod
    def from_markup(
        cls,
        text: str,
        *,
        document_charset: str | None = None,
        proxies: Proxies,
    ) -> "HandleReference":
        """Read a reference where markup says that there is one.

        Unlike `parse`, it reads a damaged beginning and a doubled scheme as they were
        certainly meant. `handle_system.diagnose` reports them.

        Raises:
            HandleSyntaxError: if the text is not a reference.
        """
        try:
            written = cls.parse(
                text, document_charset=document_charset, proxies=proxies
            )
        except HandleSyntaxError as error:
            is_certain = error.reason == _DOUBLED or _mended(text) is not None
            if error.suggestion is None or not is_certain:
                raise
            meant = cls.parse(
                error.suggestion, document_charset=document_charset, proxies=proxies
            )
            return replace(meant, source=text)
        if written.handle.prefix.replace(".", "").isdecimal():
            return written
        # A project may know the proxy of its library.
        is_own = written.form is ReferenceForm.PROXY
        mended = _mended(text)
        if mended is None or (is_own and mended.reason == OF_LIBRARY):
            return written
        # "doi:10.1O00/182" is valid, too.
        meant = cls.parse(
            mended.applied_to(text), document_charset=document_charset, proxies=proxies
        )
        return replace(meant, source=text)

    @property
    def query_and_fragment(self) -> str:
        """The query after its ``?`` and the fragment after its ``#``, as in a URL."""
        query = "" if self.query is None else f"?{encode_query(self.query)}"
        fragment = "" if self.fragment is None else f"#{encode_query(self.fragment)}"
        return query + fragment

    def uri(self) -> str:
        """Return the canonical URI: ``doi:…`` for a DOI, else ``hdl:…``.

        It is in UTF-8 without modifier; reading it gives an equal reference.

        >>> HandleReference.parse("cnri.test/50%").uri()
        'hdl:cnri.test/50%25'
        """
        uri = self.handle.uri()
        if self.server is not None or self.index is not None:
            # Only this scheme has them.
            server = "" if self.server is None else f"//{self.server}/"
            index = "" if self.index is None else f"{self.index}:"
            uri = f"hdl:{server}{index}{encode_path(str(self.handle))}"
        return f"{uri}{self.query_and_fragment}"

    def url(self, proxies: Proxies = DEFAULT_PROXIES) -> str:
        """Return the one correct link: see `Proxies.link`.

        >>> HandleReference.parse("http://dx.doi.org/10.1000/182").url()
        'https://doi.org/10.1000/182'
        """
        return proxies.link(self)

    def __str__(self) -> str:
        return self.uri()


def _mended(text: str) -> MendedOpening | None:
    start = len(text) - len(text.lstrip(SURROUNDING_SPACE))
    return mended_opening(text, start)


def reference_or_none(
    text: str, proxies: Proxies, charset: str | None = None
) -> HandleReference | None:
    """Return the reference that a text is, or `None`."""
    try:
        return _read(text, proxies, charset)
    except HandleSyntaxError:
        return None


def _read(text: str, proxies: Proxies, charset: str | None) -> HandleReference:
    stripped = text.strip(SURROUNDING_SPACE)
    if not stripped:
        raise HandleSyntaxError(text, (0, 0), "nothing here: a handle is prefix/suffix")
    start = 0 if len(stripped) == len(text) else text.index(stripped)
    end = start + len(stripped)
    reader = _Reader(text, end, proxies, charset)
    try:
        reference = reader.reference(start)
    except HandleSyntaxError:
        mended = mended_opening(text, start)
        if mended is None:
            raise
    else:
        # "https//doi.org/10.1000/182" has the syntax of a handle, and so has what
        # follows "https://doi.org/1O.1000".
        if reference.handle.is_doi or text[start : start + 4].lower() != "http":
            return reference
        mended = mended_opening(text, start)
        if mended is None:
            return reference
    raise HandleSyntaxError(
        text,
        (start, mended.path),
        mended.reason,
        suggestion=mended.applied_to(text[:end]),
    )


@dataclass(slots=True)
class _Reader:
    """Readers of one source; each takes the position where its part begins.

    They read the whole source, so that every error points at the author's text.
    """

    text: str
    end: int
    proxies: Proxies
    charset: str | None

    def reference(self, start: int, *, nested: bool = False) -> HandleReference:
        """Read any form; a `nested` one stands behind a proxy's base."""
        explicit = _EXPLICIT.match(self.text, start, self.end)
        if explicit is None:
            index = _INDEX.match(self.text, start, self.end)
            if index is not None:
                return self.bare(index.end(), index=self.index(index))
            return self.schemeless(start) or self.bare(start)
        group = explicit.lastgroup or ""
        if group == "url":
            return self.url(start, nested=nested)
        written_form = _FORM_OF_GROUP[group]
        if written_form.form is _HDL:
            return self.hdl(explicit.end())
        return self.path(
            written_form.form, explicit.end(), doi_only=written_form.is_doi
        )

    def hdl(self, start: int) -> HandleReference:
        """Read what follows ``hdl:``."""
        authority = _AUTHORITY.match(self.text, start, self.end)
        if authority and (server := _server_named(authority[1])):
            # A server presents a whole handle; else this is the prefix, as in 1995.
            with suppress(HandleSyntaxError):
                return self.indexed_path(authority.end(), server)
        slashes = _SLASHES.match(self.text, start, self.end)
        return self.indexed_path(slashes.end() if slashes else start)

    def indexed_path(self, start: int, server: str | None = None) -> HandleReference:
        """Read ``[ index ":" ] path``."""
        found = _INDEX.match(self.text, start, self.end)
        index = self.index(found) if found else None
        start = found.end() if found else start
        return self.path(_HDL, start, server=server, index=index)

    def index(self, found: re.Match[str]) -> int:
        """Return the index of a value."""
        if int(found[1]) > _MAX_INDEX:
            raise HandleSyntaxError(
                self.text,
                found.span(1),
                f"the index of a value is at most {_MAX_INDEX}",
            )
        return int(found[1])

    def url(self, start: int, *, nested: bool) -> HandleReference:
        """Read a URL; only a known proxy's is a reference."""
        text = self.text
        end = self.end
        tail = self.proxies.locate(text, start)
        if tail is None:
            doi = publisher_doi(text[start:end])
            raise OtherThingError(
                text,
                (start, end),
                "this is not an address of doi.org, hdl.handle.net or another known proxy",
                suggestion=doi and f"doi:{doi}",
            )
        # The public proxy ignores leading slashes.
        first = tail.start
        while text.startswith("/", first):
            first += 1
        path_end = self.path_end(first)
        slash = _SLASH.search(text, first, path_end)
        at_doi = tail.host in DOI_HOSTS
        if text[first : first + 1] in _DIGITS:
            if slash:
                return self.numbered(first, path_end, at_doi=at_doi)
        # A reference of its own begins with a scheme or a host's name.
        elif not nested and (inner := self.inner(first, at_doi=at_doi)):
            return inner
        # The proxy decodes before it looks for its own pages.
        segment = unquote(text[first : slash.start() if slash else path_end])
        if at_doi:
            if slash is None and compiled(SHORT_DOI).fullmatch(segment):
                return self.finished(_PROXY, Handle("10", segment), path_end)
            is_page = segment[segment.find("@") + 1 :][:1] not in _DIGITS
            if not nested and (is_page or slash is None):
                self.refuse_mistake(tail.host, first, path_end)
        else:
            # A name without a slash is a page, or a prefix's own record.
            is_page = slash is None or segment in OWN_PAGES
        if is_page:
            kind = "DOI" if at_doi else "handle"
            reason = f"this is a page of {tail.host} itself, not a {kind}"
            raise OtherThingError(text, (first, path_end), reason)
        return self.path(_PROXY, first, path_end)

    def numbered(self, first: int, end: int, *, at_doi: bool) -> HandleReference:
        """Read a handle behind a proxy's base, whose prefix begins with a digit."""
        reference = self.path(_PROXY, first, end)
        if not at_doi or reference.handle.is_doi:
            return reference
        restored = restored_doi(str(reference.handle))
        if restored is None:
            return reference
        # At doi.org, it was certainly meant for a DOI.
        prefix = reference.handle.prefix
        meant = replace(reference, handle=split_handle(restored))
        span = (first, first + len(prefix))
        raise PrefixError(self.text, span, not_ten(prefix), suggestion=meant.uri())

    def refuse_mistake(self, host: str, first: int, end: int) -> None:
        """Raise the error of what certainly stands behind a host of doi.org by mistake."""
        mistake = mistake_behind(host, unquote(self.text[first:end]))
        if mistake is not None:
            span = (first, end)
            raise mistake.error(
                self.text, span, mistake.reason, suggestion=mistake.suggestion
            )

    def inner(self, first: int, *, at_doi: bool) -> HandleReference | None:
        """Read a reference of its own behind a proxy's base.

        The public proxy takes ``https://hdl.handle.net/hdl:20.1000/100``; copied
        links come doubled, some of them without the second scheme, which at the
        hosts of doi.org can be nothing else.
        """
        text = self.text
        scheme = SCHEME.match(text, first, self.end)
        # "https://doi.org/DOI:" is a placeholder.
        if scheme is None or (at_doi and scheme.end() == self.end):
            return self.schemeless(first) if at_doi else None
        try:
            inner = self.reference(first, nested=True)
        except OtherThingError as error:
            if not at_doi:
                raise
            contained = contained_doi(text[first : self.end])
            if contained is None:
                raise AddressError(text, error.span, _OTHER_ADDRESS) from None
            is_doubled = self.proxies.locate(text, first) is not None
            reason = _DOUBLED if is_doubled else error.reason
            raise HandleSyntaxError(
                text, error.span, reason, suggestion=contained
            ) from None
        return replace(inner, form=_PROXY)

    def schemeless(self, start: int) -> HandleReference | None:
        """Read ``doi.org/10.…``, or another known host before a digit, if it is there."""
        tail = self.proxies.locate_schemeless(self.text, start)
        if tail is None:
            return None
        wanted = ("10.", "10/") if tail.host in DOI_HOSTS else tuple(_DIGITS)
        if not self.text.startswith(wanted, tail.start):
            return None
        return self.path(_PROXY, tail.start)

    def bare(self, start: int, *, index: int | None = None) -> HandleReference:
        """Read a handle as it stands."""
        text = self.text
        end = self.end
        # Few references hold one.
        if "@" in text:
            slash = text.find("/", start, end)
            at = text.find("@", start, max(slash, start))
            if at >= 0 and charset_named(text[start:at]) is not None:
                start = at + 1
        colon = "\uff1a" in text and compiled(_FULLWIDTH_COLON).match(text, start, end)
        if colon:
            raise HandleSyntaxError(
                text,
                (colon.end() - 1, colon.end()),
                'U+FF1A only looks like the ":" after a scheme',
                suggestion=f"{colon[1]}:{text[colon.end() : end]}",
            )
        try:
            handle = split_handle(text[start:end])
        except HandleSyntaxError as error:
            scheme = _OTHER_SCHEME.match(text, start, end)
            if scheme is None:
                raise error.within(text, start) from None
            reason = f"this {brief(scheme[0])} URI is not a handle"
            raise OtherThingError(text, scheme.span(), reason) from None
        # A proxy's host, or one below it.
        if f".{handle.prefix.lower()}".endswith(self.proxies.host_ends):
            raise OtherThingError(
                text,
                (start, start + len(handle.prefix)),
                "this looks like a URL without its scheme",
                suggestion=f"https://{text[start:end]}",
            )
        form = _BARE if index is None else ReferenceForm.VALUE
        return HandleReference(handle=handle, form=form, index=index, source=text)

    def path(
        self,
        form: ReferenceForm,
        start: int,
        end: int | None = None,
        *,
        doi_only: bool = False,
        server: str | None = None,
        index: int | None = None,
    ) -> HandleReference:
        """Read an encoded handle with its query and fragment.

        Octets are decoded first and the handle is split at its first slash after, as
        the public proxy does it: ``%2F`` may be that slash.

        Args:
            form: The form that is being read.
            start: Where the path begins.
            end: Where its query or fragment begins, if the caller knows.
            doi_only: Whether the scheme says that this is a DOI.
            server: The server before it.
            index: The index before it.
        """
        text = self.text
        if end is None:
            end = self.path_end(start)
        first = start
        modifier = None
        # Few references hold one.
        at = text.find("@", start, end) if "@" in text else -1
        if at >= 0 and not _SLASH.search(text, start, at):
            first = at + 1
            modifier = text[start:at]
            if charset_named(modifier) is None:
                reason = (
                    f'"{brief(modifier)}" before "@" is not the name of a known charset'
                )
                raise ModifierError(text, (start, max(at, start + 1)), reason)
        decoded = decode(text, first, end, modifier, self.charset)
        written = decoded
        if form is _URN and ":" in decoded.partition("/")[0]:
            # In a URN, the first ":" may stand for the slash.
            written = decoded.replace(":", "/", 1)
        try:
            handle = split_handle(written, doi_only=doi_only)
        except HandleSyntaxError as error:
            span = locate(text, first, end, decoded, error.span)
            reason = error.reason
            suggestion = None
            schemes = compiled(_SCHEMES).match(text, first, end)
            if schemes is not None:
                reason = _DOUBLED
                suggestion = text[schemes.start(1) : self.end]
            elif error.suggestion is not None and decoded == text[first:end]:
                suggestion = error.within(text, first).suggestion
            elif doi_only:
                path = text[start : self.end]
                if written != decoded:
                    path = path.replace(":", "/", 1)
                raise self.no_doi(span, reason, written, path) from None
            raise HandleSyntaxError(text, span, reason, suggestion=suggestion) from None
        return self.finished(form, handle, end, server=server, index=index)

    def no_doi(
        self, span: tuple[int, int], reason: str, decoded: str, path: str
    ) -> HandleSyntaxError:
        """Return the error of what is no DOI behind the scheme of one.

        Args:
            span: What is wrong.
            reason: Why.
            decoded: The handle.
            path: What stands behind the scheme.
        """
        suggestion = contained_doi(path)
        if suggestion is not None and self.proxies.locate_schemeless(path):
            return HandleSyntaxError(self.text, span, _DOUBLED, suggestion=suggestion)
        if restored_doi(decoded) is not None:
            reason = not_ten(decoded.partition("/")[0])
            return PrefixError(self.text, span, reason, suggestion=suggestion)
        if suggestion is None and compiled(_NUMERIC_PREFIX).match(decoded):
            suggestion = f"hdl:{path}"
        return HandleSyntaxError(self.text, span, reason, suggestion=suggestion)

    def path_end(self, start: int) -> int:
        """Return where the query or the fragment begins, or the end."""
        # Few references have one.
        if "?" not in self.text and "#" not in self.text:
            return self.end
        found = _QUERY_OR_FRAGMENT.search(self.text, start, self.end)
        return found.start() if found else self.end

    def finished(
        self,
        form: ReferenceForm,
        handle: Handle,
        end: int,
        *,
        server: str | None = None,
        index: int | None = None,
    ) -> HandleReference:
        """Return the reference to a handle whose path ends at `end` (RFC 3986, 3.4)."""
        query = fragment = None
        if end < self.end:
            found = CONTROL.search(self.text, end, self.end)
            if found is not None:
                reason = f"{character_kind(found[0])} is not allowed in a URI"
                raise HandleSyntaxError(self.text, found.span(), reason)
            before, mark, after = self.text[end : self.end].partition("#")
            query = encode_query(before[1:]) if before else None
            fragment = encode_query(after) if mark else None
        return HandleReference(
            handle=handle,
            form=form,
            server=server,
            index=index,
            query=query,
            fragment=fragment,
            source=self.text,
        )


def _server_named(authority: str) -> str | None:
    """Return ``host[:port]`` in its canonical form, if the text names a server.

    An IP literal or a port tells a server ("URI scheme for Handle", 2008) from a prefix
    (CNRI, "Identifiers and Handles", 1995).
    """
    found = compiled(_SERVER).fullmatch(authority)
    if found is None or int(found[2] or 0) > _MAX_PORT:
        return None
    host, port = found[1].lower(), found[2]
    try:
        ip_address(host.strip("[]"))
    except ValueError:
        if host.startswith("[") or port is None:
            return None
    return host if port is None else f"{host}:{port}"
