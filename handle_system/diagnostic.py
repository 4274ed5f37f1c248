"""A finding about a reference: suspicious, and valid all the same."""

import re
from dataclasses import dataclass, replace
from enum import StrEnum

from handle_system.errors import LONGEST_SUGGESTION, HandleSyntaxError
from handle_system.handle import Handle
from handle_system.proxy import DEFAULT_PROXIES
from handle_system.reference import (
    HandleReference,
    ReferenceForm,
    reference_or_none,
)

__all__ = [
    "BETWEEN_REFERENCES",
    "FORM",
    "Diagnostic",
    "DiagnosticCode",
    "is_reference",
    "rewritten",
]

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
