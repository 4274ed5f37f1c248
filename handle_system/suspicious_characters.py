"""Characters that a handle may hold and that are seldom meant."""

import re
import unicodedata
from collections.abc import Iterable, Iterator

from handle_system.diagnostic import (
    BETWEEN_REFERENCES,
    Diagnostic,
    DiagnosticCode,
    rewritten,
)
from handle_system.errors import brief
from handle_system.reference import HandleReference

__all__ = ["ASCII_CHECKS", "CHARACTER_CHECKS"]

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
