"""What is suspicious about a valid reference.

Nothing here makes a reference invalid: each finding is a value, with text that
can be pasted in its place where one can be told.
"""

import re
import unicodedata
from collections.abc import Callable, Iterable, Iterator
from dataclasses import dataclass, replace
from enum import StrEnum

from handle_system.bases import DOI_HOSTS, OWN_PAGES
from handle_system.encoding import decode
from handle_system.errors import LONGEST_SUGGESTION, HandleSyntaxError, brief
from handle_system.handle import MAX_OCTETS, Handle
from handle_system.proxies import DEFAULT_PROXIES
from handle_system.reference import (
    HandleReference,
    ReferenceForm,
    reference_or_none,
)
from handle_system.scanning import find_references
from handle_system.text import SURROUNDING_SPACE

__all__ = ["Diagnostic", "DiagnosticCode", "diagnose"]

#: How a reference begins that says what it is, as part of a pattern.
FORM = r"(?:(?:urn:)?(?:hdl|doi):|info:(?:hdl|doi)/|https?://)"

#: What stands between two references that were written in a row.
# Each run is tried once, at its start.
BETWEEN_REFERENCES = re.compile(
    rf"(?<![,;|\s])(?>[,;|\s]+)(?={FORM})", re.IGNORECASE | re.ASCII
)


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
    """A character that looks like a slash and is none."""
    PREFIX_LOOK_ALIKE = "prefix-look-alike"
    """A prefix of digits or dots that are not the ASCII ones, or a DOI's that lost one."""
    NOT_NFC = "not-nfc"
    """Not in Normalization Form C, so another handle than its NFC twin."""
    TYPOGRAPHIC = "typographic"
    """Typographic quotes, dashes or dots, as "smart" typography puts them in."""
    LOOKS_ENCODED = "looks-encoded"
    """Percent-escapes in a bare handle, where they are not decoded."""
    DOUBLED_SCHEME = "doubled-scheme"
    """A proxy's URL around a reference with a scheme or a proxy of its own."""
    GLUED = "glued"
    """A second reference inside the suffix."""
    TRAILING_PUNCTUATION = "trailing-punctuation"
    """Punctuation or a closing bracket at the end."""
    PLACEHOLDER = "placeholder"
    """A placeholder, or a prefix for tests."""
    PROXY_PATH = "proxy-path"
    """A prefix that the public proxies keep for their own pages, or a proxy's name."""
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
        suggestion: What can be pasted in place of the reference, or `None`; of
            at most 500 characters.
    """

    code: DiagnosticCode
    message: str
    suggestion: str | None = None


def rewritten(
    reference: HandleReference, handle: str, *, as_uri: bool = False
) -> str | None:
    """The reference with another handle, to be pasted.

    `None` if that is no handle, or longer than anybody would paste.
    A bare reference stays bare if it then reads as that handle; any other
    becomes the canonical URI.
    """
    if len(handle) > LONGEST_SUGGESTION:
        return None
    prefix, _, suffix = handle.partition("/")
    try:
        changed = replace(reference, handle=Handle(prefix, suffix))
    except HandleSyntaxError:
        return None
    bare = reference.form is ReferenceForm.BARE and not as_uri
    return handle if bare and _reads_as(handle, changed.handle) else changed.uri()


def is_reference(text: str) -> bool:
    """Whether the text is a reference."""
    return reference_or_none(text, DEFAULT_PROXIES) is not None


def _reads_as(text: str, handle: Handle) -> bool:
    reference = reference_or_none(text, DEFAULT_PROXIES)
    return reference is not None and reference.handle == handle


_BIDIRECTIONAL = re.compile("[\u061c\u200e\u200f\u202a-\u202e\u2066-\u2069]")
_SLASH_LOOK_ALIKE = re.compile("[\u2044\u2215\u29f8\uff0f]")
_TYPOGRAPHIC = {
    "‘": "'",
    "’": "'",
    "“": '"',
    "”": '"',
    "–": "--",
    "—": "---",
    "…": "...",
}
_WHITE_SPACE = re.compile(r"\s")
# How many characters a message names; the others it counts.
_TOLD = 3
_TYPOGRAPHIC_MARK = re.compile("[‘’“”–—…]")


def _bidirectional(reference: HandleReference) -> Iterator[Diagnostic]:
    yield from _characters(
        reference,
        DiagnosticCode.BIDIRECTIONAL,
        _BIDIRECTIONAL.findall(str(reference.handle)),
        "changes the direction in which the handle is shown",
    )


def _invisible(reference: HandleReference) -> Iterator[Diagnostic]:
    text = str(reference.handle)
    if text.isascii():
        return
    invisible = [
        character
        for character in text
        if unicodedata.category(character) in {"Cf", "Zl", "Zp"}
        and not _BIDIRECTIONAL.match(character)
    ]
    yield from _characters(
        reference, DiagnosticCode.INVISIBLE, invisible, "is invisible"
    )


def _damaged(reference: HandleReference) -> Iterator[Diagnostic]:
    if "\ufffd" in str(reference.handle):
        yield Diagnostic(
            DiagnosticCode.DAMAGED,
            "U+FFFD stands where a character was lost in decoding",
        )


def _white_space(reference: HandleReference) -> Iterator[Diagnostic]:
    text = str(reference.handle)
    if _WHITE_SPACE.search(text):
        # Space between two references would glue them when it goes.
        is_one = BETWEEN_REFERENCES.search(text) is None
        yield Diagnostic(
            DiagnosticCode.WHITE_SPACE,
            "white space inside a handle is rarely meant",
            rewritten(reference, "".join(text.split())) if is_one else None,
        )


def _slash_look_alike(reference: HandleReference) -> Iterator[Diagnostic]:
    text = str(reference.handle)
    found = _SLASH_LOOK_ALIKE.search(text)
    if found:
        yield Diagnostic(
            DiagnosticCode.SLASH_LOOK_ALIKE,
            f'{_named(found.group())} looks like "/" and is another character',
            rewritten(reference, _SLASH_LOOK_ALIKE.sub("/", text)),
        )


def _prefix_look_alike(reference: HandleReference) -> Iterator[Diagnostic]:
    prefix = reference.handle.prefix
    if prefix.isascii():
        return
    plain = "".join(map(_plain_digit_or_dot, prefix))
    if plain != prefix:
        yield Diagnostic(
            DiagnosticCode.PREFIX_LOOK_ALIKE,
            f'the prefix is not the "{brief(plain)}" that it looks like',
            rewritten(reference, f"{plain}/{reference.handle.suffix}"),
        )


def _not_nfc(reference: HandleReference) -> Iterator[Diagnostic]:
    text = str(reference.handle)
    if not unicodedata.is_normalized("NFC", text):
        yield Diagnostic(
            DiagnosticCode.NOT_NFC,
            "the handle is not in Unicode's Normalization Form C, "
            "and names something else than its twin that is",
            rewritten(reference, unicodedata.normalize("NFC", text)),
        )


def _typographic(reference: HandleReference) -> Iterator[Diagnostic]:
    text = str(reference.handle)
    found = _TYPOGRAPHIC_MARK.search(text)
    if found:
        yield Diagnostic(
            DiagnosticCode.TYPOGRAPHIC,
            f"{_named(found.group())} is what typography makes of "
            f'"{_TYPOGRAPHIC[found.group()]}"',
            rewritten(
                reference,
                _TYPOGRAPHIC_MARK.sub(lambda mark: _TYPOGRAPHIC[mark.group()], text),
            ),
        )


def _characters(
    reference: HandleReference,
    code: DiagnosticCode,
    characters: Iterable[str],
    effect: str,
) -> Iterator[Diagnostic]:
    found = sorted(set(characters))
    if found:
        named = ", ".join(map(_named, found[:_TOLD]))
        others = len(found) - _TOLD
        if others > 0:
            named += f" and {others} other{'s' if others > 1 else ''}"
        if len(found) > 1:
            named += ": each"
        text = str(reference.handle).translate(dict.fromkeys(map(ord, found)))
        yield Diagnostic(code, f"{named} {effect}", rewritten(reference, text))


def _named(character: str) -> str:
    code = f"U+{ord(character):04X}"
    name = unicodedata.name(character, "")
    return f"{code} {name}" if name else code


def _plain_digit_or_dot(character: str) -> str:
    if character.isascii():
        return character
    digit = unicodedata.digit(character, None)
    if digit is not None:
        return str(digit)
    # One dot leader, fullwidth and small full stops.
    return "." if unicodedata.normalize("NFKC", character) == "." else character


CHARACTER_CHECKS = (
    _bidirectional,
    _invisible,
    _damaged,
    _white_space,
    _slash_look_alike,
    _prefix_look_alike,
    _not_nfc,
    _typographic,
)

#: Those of them that can find something in ASCII, which nearly all handles are.
ASCII_CHECKS = (_white_space,)


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


_Check = Callable[[HandleReference], Iterable[Diagnostic]]

_CHECKS = (*CHARACTER_CHECKS, *FORM_CHECKS)
_CHECKS_OF_ASCII = (*ASCII_CHECKS, *FORM_CHECKS)
# Nearly every handle is of this kind, and each is asked for: of printable ASCII, no
# longer than most, with no "%" or "|", no comma or semicolon but before a digit, a
# letter or digit at its end, and a prefix of digits; and no placeholder.
_PLAIN = re.compile(
    rf"(?!(?:{'|'.join(map(re.escape, sorted(TEST_PREFIXES)))})/)[0-9.]{{1,99}}/"
    rf"(?!{PLACEHOLDER_WORD}\Z)"
    r"(?>(?:[!-$&-+\--:<-{}~]++|[,;](?=[0-9])){1,99})(?<=[0-9A-Za-z])"
)
_LONGEST_PLAIN = 500


def diagnose(reference: HandleReference) -> tuple[Diagnostic, ...]:
    """The findings about a reference, in the order of `DiagnosticCode`.

    Raises:
        TypeError: for anything else than a reference.

    >>> for finding in diagnose(HandleReference.parse("10.1000/a%2Fb")):
    ...     print(finding.code, "->", finding.suggestion)
    looks-encoded -> doi:10.1000/a/b
    """
    if not isinstance(reference, HandleReference):
        raise TypeError(f"a HandleReference is wanted, not {type(reference).__name__}")
    text = str(reference.handle)
    if (
        len(text) <= _LONGEST_PLAIN
        and _PLAIN.fullmatch(text)
        and is_fine_if_plain(reference)
    ):
        return ()
    checks = _CHECKS_OF_ASCII if text.isascii() else _CHECKS
    return tuple(
        _pasteable(finding) for check in checks for finding in check(reference)
    )


def _pasteable(finding: Diagnostic) -> Diagnostic:
    if finding.suggestion is None or len(finding.suggestion) <= LONGEST_SUGGESTION:
        return finding
    return replace(finding, suggestion=None)
