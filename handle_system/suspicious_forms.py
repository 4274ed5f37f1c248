"""Ways of writing a reference that are valid and seldom meant."""

import re
from collections.abc import Iterator
from dataclasses import replace

from handle_system.bases import DOI_HOSTS, OWN_PAGES
from handle_system.diagnostic import (
    BETWEEN_REFERENCES,
    FORM,
    Diagnostic,
    DiagnosticCode,
    is_reference,
    rewritten,
)
from handle_system.encoding import decode
from handle_system.errors import LONGEST_SUGGESTION, HandleSyntaxError, brief
from handle_system.handle import MAX_OCTETS
from handle_system.reference import HandleReference, ReferenceForm
from handle_system.scan import find_references
from handle_system.text import SURROUNDING_SPACE

__all__ = ["FORM_CHECKS", "PLACEHOLDER_WORD", "TEST_PREFIXES", "is_fine_if_plain"]

_ESCAPE = re.compile("%[0-9A-Fa-f]{2}")
_TRAILING = frozenset(".,;:!?'\"’”»")
_OPENER_OF = {")": "(", "]": "[", "}": "{", ">": "<"}
#: What a placeholder is, in a pattern, if it is a word.
PLACEHOLDER_WORD = r"(?ai:tb[acd]|todo|fixme|placeholder|(?:10\.)?x{3,})"
_PLACEHOLDER = re.compile(rf"{PLACEHOLDER_WORD}|[^<>]*<(?ai:[a-z _-]*)>")
#: DSpace's default prefix, and DataCite's prefix for tests.
TEST_PREFIXES = frozenset({"123456789", "10.5072"})
_INNER = re.compile(
    rf"/({FORM}.*|(?:dx\.|www\.)?doi\.org/10[./].*)",
    re.IGNORECASE | re.ASCII | re.DOTALL,
)
# The longest that a proxy's URL can be before a second host: "//www.doi.org".
_FIRST_HOST = 9
_DOI_HOST = re.compile("(?:https?:)?//(?:dx[.]|www[.])?doi[.]org[:/]", re.IGNORECASE)
# The names of handle system prefixes that begin so have letters: 0.NA, 0.TYPE.
_LOST_DIGIT = re.compile(r"0\.[0-9]{4,9}(?:\.[0-9]{1,9}){0,9}")
_HOSTS = frozenset({*DOI_HOSTS, "hdl.handle.net"})
_DOI_NAMES = tuple(sorted(DOI_HOSTS))
_DIGITS = frozenset("0123456789")
_REPOSITORY = re.compile("(?:handle/){0,100}")


def _looks_encoded(reference: HandleReference) -> Iterator[Diagnostic]:
    if reference.form not in {ReferenceForm.BARE, ReferenceForm.VALUE}:
        return
    text = str(reference.handle)
    if not _ESCAPE.search(text):
        return
    try:
        decoded = decode(text, 0, len(text))
    except HandleSyntaxError:
        # What is no text when decoded was not encoded by anybody: seed 004's
        # own example, cnri.test/handle%abc, is one.
        return
    yield Diagnostic(
        DiagnosticCode.LOOKS_ENCODED,
        "a bare handle is not percent-decoded, and this one holds escapes",
        rewritten(reference, decoded, as_uri=True),
    )


def _doubled_scheme(reference: HandleReference) -> Iterator[Diagnostic]:
    if reference.form is not ReferenceForm.PROXY:
        return
    host = reference.source.find("//") + 2
    found = _INNER.search(reference.source, host)
    if found is None:
        return
    try:
        inner = HandleReference.parse(found[1])
    except HandleSyntaxError:
        return
    # A suffix may hold such text; then the inner reference is another one.
    if inner.handle == reference.handle:
        what = (
            "a proxy's URL"
            if found[1].lower().startswith(_DOI_NAMES)
            else "a reference with a scheme of its own"
        )
        yield Diagnostic(
            DiagnosticCode.DOUBLED_SCHEME,
            f"{what} is written inside a proxy's URL",
            reference.uri(),
        )


def _lost_digit(reference: HandleReference) -> Iterator[Diagnostic]:
    if (
        reference.form is ReferenceForm.PROXY
        and _LOST_DIGIT.fullmatch(reference.handle.prefix)
        and _DOI_HOST.match(reference.source.lstrip(SURROUNDING_SPACE))
    ):
        yield Diagnostic(
            DiagnosticCode.PREFIX_LOOK_ALIKE,
            'a DOI\'s prefix begins with "10.", and this one has lost its first digit',
            rewritten(reference, f"1{reference.handle}", as_uri=True),
        )


def _glued(reference: HandleReference) -> Iterator[Diagnostic]:
    suffix = reference.handle.suffix
    found = BETWEEN_REFERENCES.search(suffix)
    if found is None or not is_reference(suffix[found.end() :]):
        return
    yield Diagnostic(
        DiagnosticCode.GLUED,
        "a second reference stands inside the suffix",
        _taken_apart(reference) if len(suffix) <= LONGEST_SUGGESTION else None,
    )


def _taken_apart(reference: HandleReference) -> str | None:
    """The references in a row, if running text then holds these, and no others."""
    handle = reference.handle
    kept, *others = BETWEEN_REFERENCES.split(handle.suffix)
    first = rewritten(reference, f"{handle.prefix}/{kept}", as_uri=True)
    if first is None or not all(map(is_reference, others)):
        return None
    uris = [first, *(HandleReference.parse(other).uri() for other in others)]
    row = ", ".join(uris)
    found = [one.reference.uri() for one in find_references(row)]
    return row if found == uris else None


def _trailing_punctuation(reference: HandleReference) -> Iterator[Diagnostic]:
    suffix = reference.handle.suffix
    if suffix[-1].isalnum():
        return
    excess = {
        closer: suffix.count(closer) - suffix.count(opener)
        for closer, opener in _OPENER_OF.items()
    }
    end = len(suffix)
    while end:
        last = suffix[end - 1]
        if excess.get(last, 0) > 0:
            excess[last] -= 1
        elif last not in _TRAILING and not last.isspace():
            break
        end -= 1
    if 0 < end < len(suffix):
        yield Diagnostic(
            DiagnosticCode.TRAILING_PUNCTUATION,
            f"{brief(suffix[end:])!r} at the end is probably not meant",
            rewritten(reference, f"{reference.handle.prefix}/{suffix[:end]}"),
        )


def _placeholder(reference: HandleReference) -> Iterator[Diagnostic]:
    handle = reference.handle
    if handle.prefix in TEST_PREFIXES:
        yield Diagnostic(
            DiagnosticCode.PLACEHOLDER, f'"{handle.prefix}" is a prefix for tests'
        )
        return
    for part in (handle.prefix, handle.suffix):
        if _PLACEHOLDER.fullmatch(part):
            yield Diagnostic(
                DiagnosticCode.PLACEHOLDER, f'"{brief(part)}" is a placeholder'
            )
            return


def _proxy_path(reference: HandleReference) -> Iterator[Diagnostic]:
    handle = reference.handle
    if handle.prefix in OWN_PAGES:
        yield Diagnostic(
            DiagnosticCode.PROXY_PATH,
            f'proxies keep "/{handle.prefix}/" for their own pages, '
            "so a link to this handle does not resolve it",
        )
    elif handle.prefix == "handle":
        # Repositories have their own pages at /handle/prefix/suffix.
        yield Diagnostic(
            DiagnosticCode.PROXY_PATH,
            '"handle/" is part of a repository\'s address, not of a handle',
            rewritten(
                reference, _REPOSITORY.sub("", handle.suffix, count=1), as_uri=True
            ),
        )
    elif handle.prefix.lower() in _HOSTS and handle.suffix[0] in _DIGITS:
        inner = rewritten(reference, handle.suffix, as_uri=True)
        if inner is not None:
            yield Diagnostic(
                DiagnosticCode.PROXY_PATH,
                f'"{handle.prefix}/" is part of a proxy\'s address, not of a handle',
                inner,
            )


def _too_long(reference: HandleReference) -> Iterator[Diagnostic]:
    octets = len(str(reference.handle).encode())
    if octets > MAX_OCTETS:
        yield Diagnostic(
            DiagnosticCode.TOO_LONG,
            f"{octets} octets; the reference server takes {MAX_OCTETS}",
        )


def _server(reference: HandleReference) -> Iterator[Diagnostic]:
    if reference.server is not None:
        yield Diagnostic(
            DiagnosticCode.SERVER,
            f"a link goes to the proxy, not to the server {reference.server}",
            replace(reference, server=None).uri(),
        )


FORM_CHECKS = (
    _looks_encoded,
    _lost_digit,
    _doubled_scheme,
    _glued,
    _trailing_punctuation,
    _placeholder,
    _proxy_path,
    _too_long,
    _server,
)


def is_fine_if_plain(reference: HandleReference) -> bool:
    """Whether no check finds anything, if the handle is one of which none would."""
    source = reference.source
    return reference.server is None and (
        reference.form is not ReferenceForm.PROXY
        or (
            # Every scheme holds a colon.
            source.find(":", source.find("//") + 2) < 0
            and source.lower().find("doi.org/", source.find("//") + _FIRST_HOST) < 0
            and not reference.handle.prefix.startswith("0.")
        )
    )
