"""What is suspicious about a valid reference.

Nothing here makes a reference invalid.  A finding suggests text to paste only where
that text is certain.
"""

import re
import unicodedata
from collections.abc import Callable, Iterable, Iterator
from dataclasses import dataclass, replace
from enum import StrEnum

from handle_system.encoding import decode
from handle_system.errors import LONGEST_SUGGESTION, HandleSyntaxError, brief
from handle_system.forms import publisher_doi, restored_doi
from handle_system.handle import MAX_OCTETS, Handle
from handle_system.proxies import DEFAULT_PROXIES, DOI_HOSTS, OWN_PAGES
from handle_system.reference import HandleReference, ReferenceForm, reference_or_none
from handle_system.scanning import HYPHEN_LOOK_ALIKES, find_references
from handle_system.text import SURROUNDING_SPACE

__all__ = ["Diagnostic", "DiagnosticCode", "diagnose"]


class DiagnosticCode(StrEnum):
    """The kinds of finding."""

    BIDIRECTIONAL = "bidirectional"
    """A bidirectional control, which makes the handle look like another one."""
    INVISIBLE = "invisible"
    """A zero-width or other invisible character."""
    DAMAGED = "damaged"
    """U+FFFD, which stands where text was decoded wrongly before."""
    WHITE_SPACE = "white-space"
    """White space inside: legal, and rarely meant."""
    SLASH_LOOK_ALIKE = "slash-look-alike"
    """A character that looks like a slash and is another one."""
    PREFIX_LOOK_ALIKE = "prefix-look-alike"
    """A prefix whose digits or dots are not ASCII, or a damaged DOI's."""
    NOT_NFC = "not-nfc"
    """Not in Normalization Form C, so another handle than its NFC twin."""
    TYPOGRAPHIC = "typographic"
    """Typographic quotes, dashes or dots, as "smart" typography puts them in."""
    LOOKS_ENCODED = "looks-encoded"
    """Percent-escapes in a bare handle, where they are not decoded."""
    DOUBLED_SCHEME = "doubled-scheme"
    """A scheme or a proxy's address written twice."""
    GLUED = "glued"
    """A second reference inside the suffix."""
    TRAILING_PUNCTUATION = "trailing-punctuation"
    """Punctuation or a closing bracket at the end."""
    PLACEHOLDER = "placeholder"
    """A placeholder, or a prefix for tests."""
    PROXY_PATH = "proxy-path"
    """A handle that no proxy can be asked for, or an address before one."""
    TOO_LONG = "too-long"
    """More octets than the reference server takes."""
    SERVER = "server"
    """A server is named; links go to the proxy and do not reach it."""


@dataclass(frozen=True, slots=True)
class Diagnostic:
    """One finding about a valid reference.

    Attributes:
        code: Its kind.
        message: What is suspicious, in one sentence without a full stop.
        suggestion: Text to paste in place of the reference, or `None`; of at most
            500 characters.
    """

    code: DiagnosticCode
    message: str
    suggestion: str | None = None


def diagnose(reference: HandleReference) -> tuple[Diagnostic, ...]:
    """Return the findings about a reference, in the order of `DiagnosticCode`.

    Raises:
        TypeError: for anything else than a reference.

    >>> for finding in diagnose(HandleReference.parse("10.1000/a%2Fb")):
    ...     print(finding.code, "->", finding.suggestion)
    looks-encoded -> doi:10.1000/a/b
    """
    if not isinstance(reference, HandleReference):
        raise TypeError(f"a HandleReference is wanted, not {type(reference).__name__}")
    text = str(reference.handle)
    return tuple(
        finding
        if finding.suggestion is None or len(finding.suggestion) <= LONGEST_SUGGESTION
        else replace(finding, suggestion=None)
        for check in _CHECKS
        for finding in check(reference, text)
    )


_FORM = r"(?:(?:urn:)?(?:hdl|doi):|info:(?:hdl|doi)/|https?://)"
# What stands between two references in a row; each run is tried once, at its start.
_BETWEEN_REFERENCES = re.compile(
    rf"(?<![,;|\s])(?>[,;|\s]+)(?={_FORM})", re.IGNORECASE | re.ASCII
)
_BIDIRECTIONAL = re.compile("[\u061c\u200e\u200f\u202a-\u202e\u2066-\u2069]")
_SLASH_LOOK_ALIKE = re.compile("[\u2044\u2215\u29f8\uff0f]")
# The characters that typography replaces.
_PLAIN_OF_TYPOGRAPHIC = {
    **dict.fromkeys("‘’", "'"),
    **dict.fromkeys("“”", '"'),
    **dict.fromkeys(HYPHEN_LOOK_ALIKES, "-"),
    "…": "...",
    "—": "---",
}
_TYPOGRAPHIC = re.compile(f"[{''.join(_PLAIN_OF_TYPOGRAPHIC)}]")
_WHITE_SPACE = re.compile(r"\s")
# Each run of white space is tried once, at its start.
_REMARK = re.compile(r"(?<!\s)\s+[(\[]")
_ESCAPE = re.compile("%[0-9A-Fa-f]{2}")
_TRAILING = frozenset(".,;:!?'\"’”»")
_OPENER_OF = {")": "(", "]": "[", "}": "{", ">": "<"}
#: DSpace's default prefix, and DataCite's prefix for tests.
_TEST_PREFIXES = frozenset({"123456789", "10.5072"})
_PLACEHOLDER = re.compile(
    r"(?ai:tb[acd]|todo|fixme|placeholder|(?:10\.)?x{3,}|(?:[a-z]+\.)?(?:x{3,}|n{3,})"
    r"|([nx])\1{2,}(?:\.\1{3,})+|zenodo\.?)|[^<>]*<(?ai:[a-z _-]*)>"
)
_INNER = re.compile(
    rf"/({_FORM}.*|(?:dx\.|www\.)?doi\.org/10[./].*)",
    re.IGNORECASE | re.ASCII | re.DOTALL,
)
_SCHEME_BEFORE_URL = re.compile(
    "(?:hdl|doi|info):(?:(?:hdl|doi)/)?(?=https?://)", re.IGNORECASE | re.ASCII
)
_DOI_HOST = re.compile("(?:https?:)?//(?:dx[.]|www[.])?doi[.]org[:/]", re.IGNORECASE)
_REPOSITORY = re.compile("(?:handle/){0,100}")
# A message names this many characters and counts the others.
_NAMED = 3

_Findings = Iterator[Diagnostic]
_Check = Callable[[HandleReference, str], Iterable[Diagnostic]]


def _rewritten(
    reference: HandleReference, handle: str, *, as_uri: bool = False
) -> str | None:
    """Return the reference with another handle, to be pasted.

    `None` if that is not a handle, or too long.  A bare reference stays bare if it
    then reads as that handle; any other becomes the canonical URI.
    """
    if len(handle) > LONGEST_SUGGESTION:
        return None
    prefix, _, suffix = handle.partition("/")
    try:
        changed = replace(reference, handle=Handle(prefix, suffix))
    except HandleSyntaxError:
        return None
    if reference.form is ReferenceForm.BARE and not as_uri:
        again = reference_or_none(handle, DEFAULT_PROXIES)
        if again is not None and again.handle == changed.handle:
            return handle
    return changed.uri()


def _bidirectional(reference: HandleReference, text: str) -> _Findings:
    effect = "changes the direction in which the handle is shown"
    found = _BIDIRECTIONAL.findall(text)
    yield from _characters(reference, DiagnosticCode.BIDIRECTIONAL, found, effect)


def _invisible(reference: HandleReference, text: str) -> _Findings:
    found = [
        character
        for character in text
        if unicodedata.category(character) in {"Cf", "Zl", "Zp"}
        and not _BIDIRECTIONAL.match(character)
    ]
    yield from _characters(reference, DiagnosticCode.INVISIBLE, found, "is invisible")


def _damaged(_: HandleReference, text: str) -> _Findings:
    if "\ufffd" in text:
        yield Diagnostic(
            DiagnosticCode.DAMAGED,
            "U+FFFD stands where a character was lost in decoding",
        )


def _white_space(reference: HandleReference, text: str) -> _Findings:
    if not _WHITE_SPACE.search(text):
        return
    # Only a remark in brackets is certainly not part of the handle.
    remark = _REMARK.search(text)
    yield Diagnostic(
        DiagnosticCode.WHITE_SPACE,
        "white space inside a handle is rarely meant",
        _rewritten(reference, text[: remark.start()])
        if remark and not _WHITE_SPACE.search(text, 0, remark.start())
        else None,
    )


def _slash_look_alike(reference: HandleReference, text: str) -> _Findings:
    found = _SLASH_LOOK_ALIKE.search(text)
    if found:
        yield Diagnostic(
            DiagnosticCode.SLASH_LOOK_ALIKE,
            f'{_named(found.group())} looks like "/" and is another character',
            _rewritten(reference, _SLASH_LOOK_ALIKE.sub("/", text)),
        )


def _prefix_look_alike(reference: HandleReference, _: str) -> _Findings:
    prefix, suffix = reference.handle.prefix, reference.handle.suffix
    plain = "".join(map(_plain_digit_or_dot, prefix))
    if plain != prefix:
        yield Diagnostic(
            DiagnosticCode.PREFIX_LOOK_ALIKE,
            f'the prefix is not the "{brief(plain)}" that it looks like',
            _rewritten(reference, f"{plain}/{suffix}"),
        )


def _damaged_doi(reference: HandleReference, text: str) -> _Findings:
    at_doi_host = reference.form is ReferenceForm.PROXY and _DOI_HOST.match(
        reference.source.lstrip(SURROUNDING_SPACE)
    )
    if not at_doi_host or reference.handle.is_doi:
        return
    restored = restored_doi(text)
    if restored is not None:
        yield Diagnostic(
            DiagnosticCode.PREFIX_LOOK_ALIKE,
            f'a DOI\'s prefix begins with "10.", and "{reference.handle.prefix}" does not',
            _rewritten(reference, restored, as_uri=True),
        )


def _not_nfc(reference: HandleReference, text: str) -> _Findings:
    if not unicodedata.is_normalized("NFC", text):
        yield Diagnostic(
            DiagnosticCode.NOT_NFC,
            "the handle is not in Unicode's Normalization Form C, "
            "and names something else than its twin that is",
            _rewritten(reference, unicodedata.normalize("NFC", text)),
        )


def _typographic(reference: HandleReference, text: str) -> _Findings:
    found = _TYPOGRAPHIC.search(text)
    if found is None:
        return
    plain = _TYPOGRAPHIC.sub(lambda mark: _PLAIN_OF_TYPOGRAPHIC[mark.group()], text)
    yield Diagnostic(
        DiagnosticCode.TYPOGRAPHIC,
        f"{_named(found.group())} is what typography makes of "
        f'"{_PLAIN_OF_TYPOGRAPHIC[found.group()]}"',
        # An em dash may stand for one hyphen as well as for three.
        None if "—" in text else _rewritten(reference, plain),
    )


def _looks_encoded(reference: HandleReference, text: str) -> _Findings:
    if reference.form not in {ReferenceForm.BARE, ReferenceForm.VALUE}:
        return
    if not _ESCAPE.search(text):
        return
    try:
        decoded = decode(text, 0, len(text))
    except HandleSyntaxError:
        # It was never encoded: cnri.test/handle%abc, seed 004's own example.
        return
    yield Diagnostic(
        DiagnosticCode.LOOKS_ENCODED,
        "a bare handle is not percent-decoded, and this one holds escapes",
        _rewritten(reference, decoded, as_uri=True),
    )


def _doubled_scheme(reference: HandleReference, _: str) -> _Findings:
    if reference.form is not ReferenceForm.PROXY:
        return
    source = reference.source
    if _SCHEME_BEFORE_URL.match(source):
        yield Diagnostic(
            DiagnosticCode.DOUBLED_SCHEME,
            "a scheme is written before a proxy's URL",
            reference.uri(),
        )
        return
    found = _INNER.search(source, source.find("//") + 2)
    inner = reference_or_none(found[1], DEFAULT_PROXIES) if found else None
    # A suffix may hold such text; then the inner reference is another one.
    if found is None or inner is None or inner.handle != reference.handle:
        return
    is_schemeless = found[1].lower().startswith(tuple(DOI_HOSTS))
    what = "a proxy's URL" if is_schemeless else "a reference with a scheme of its own"
    yield Diagnostic(
        DiagnosticCode.DOUBLED_SCHEME,
        f"{what} is written inside a proxy's URL",
        reference.uri(),
    )


def _glued(reference: HandleReference, _: str) -> _Findings:
    handle = reference.handle
    found = _BETWEEN_REFERENCES.search(handle.suffix)
    rest = handle.suffix[found.end() :] if found else ""
    if reference_or_none(rest, DEFAULT_PROXIES) is None:
        return
    apart = None
    if len(handle.suffix) <= LONGEST_SUGGESTION:
        kept, *others = _BETWEEN_REFERENCES.split(handle.suffix)
        first = _rewritten(reference, f"{handle.prefix}/{kept}", as_uri=True)
        read = [reference_or_none(other, DEFAULT_PROXIES) for other in others]
        uris = [first, *(other and other.uri() for other in read)]
        row = ", ".join(uri for uri in uris if uri)
        # Running text must then hold these references and no others.
        if [one.reference.uri() for one in find_references(row)] == uris:
            apart = row
    yield Diagnostic(
        DiagnosticCode.GLUED, "a second reference stands inside the suffix", apart
    )


def _trailing_punctuation(reference: HandleReference, _: str) -> _Findings:
    suffix = reference.handle.suffix
    if suffix[-1].isalnum() or _PLACEHOLDER.fullmatch(suffix):
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
            _rewritten(reference, f"{reference.handle.prefix}/{suffix[:end]}"),
        )


def _placeholder(reference: HandleReference, _: str) -> _Findings:
    prefix, suffix = reference.handle.prefix, reference.handle.suffix
    if prefix in _TEST_PREFIXES:
        yield Diagnostic(
            DiagnosticCode.PLACEHOLDER, f'"{prefix}" is a prefix for tests'
        )
        return
    for part in (prefix, suffix):
        if _PLACEHOLDER.fullmatch(part):
            yield Diagnostic(
                DiagnosticCode.PLACEHOLDER, f'"{brief(part)}" is a placeholder'
            )
            return


def _proxy_path(reference: HandleReference, text: str) -> _Findings:
    prefix, suffix = reference.handle.prefix, reference.handle.suffix
    whose, address, inner = "a proxy's", f"{prefix}/", None
    if prefix == "handle":
        # Repositories have their own pages at /handle/prefix/suffix.
        whose, inner = "a repository's", _REPOSITORY.sub("", suffix, count=1)
    elif prefix.lower() in {*DOI_HOSTS, "hdl.handle.net"} and suffix[0].isdecimal():
        inner = suffix
    elif inner := publisher_doi(f"//{text}"):
        whose, address = "a publisher's", text[: text.find(inner)]
    if inner is not None:
        yield Diagnostic(
            DiagnosticCode.PROXY_PATH,
            f'"{brief(address)}" is part of {whose} address, not of a handle',
            _rewritten(reference, inner, as_uri=True),
        )
    elif prefix in OWN_PAGES:
        yield Diagnostic(
            DiagnosticCode.PROXY_PATH,
            f'proxies keep "/{prefix}/" for their own pages, '
            "so a link to this handle does not resolve it",
        )
    elif ".." in suffix.split("/")[:-1]:
        yield Diagnostic(
            DiagnosticCode.PROXY_PATH,
            'HTTP servers refuse a path with the segment "..", '
            "so no proxy can be asked for this handle",
        )


def _too_long(_: HandleReference, text: str) -> _Findings:
    octets = len(text.encode())
    if octets > MAX_OCTETS:
        yield Diagnostic(
            DiagnosticCode.TOO_LONG,
            f"{octets} octets; the reference server takes {MAX_OCTETS}",
        )


def _server(reference: HandleReference, _: str) -> _Findings:
    if reference.server is not None:
        yield Diagnostic(
            DiagnosticCode.SERVER,
            f"a link goes to the proxy, not to the server {reference.server}",
            replace(reference, server=None).uri(),
        )


def _characters(
    reference: HandleReference,
    code: DiagnosticCode,
    characters: Iterable[str],
    effect: str,
) -> _Findings:
    found = sorted(set(characters))
    if not found:
        return
    named = ", ".join(map(_named, found[:_NAMED]))
    others = len(found) - _NAMED
    if others > 0:
        named += f" and {others} other{'s' if others > 1 else ''}"
    if len(found) > 1:
        named += ": each"
    text = str(reference.handle).translate(dict.fromkeys(map(ord, found)))
    yield Diagnostic(code, f"{named} {effect}", _rewritten(reference, text))


def _named(character: str) -> str:
    return f"U+{ord(character):04X} {unicodedata.name(character, '')}".rstrip()


def _plain_digit_or_dot(character: str) -> str:
    if character.isascii():
        return character
    digit = unicodedata.digit(character, None)
    if digit is not None:
        return str(digit)
    # One dot leader, fullwidth and small full stops.
    return "." if unicodedata.normalize("NFKC", character) == "." else character


_CHECKS: tuple[_Check, ...] = (
    _bidirectional,
    _invisible,
    _damaged,
    _white_space,
    _slash_look_alike,
    _prefix_look_alike,
    _damaged_doi,
    _not_nfc,
    _typographic,
    _looks_encoded,
    _doubled_scheme,
    _glued,
    _trailing_punctuation,
    _placeholder,
    _proxy_path,
    _too_long,
    _server,
)
