"""Reading who made a work: names and ORCIDs as an author writes them."""

import re
from itertools import pairwise

from handle_system.citing.fields import orcid as _orcid
from handle_system.citing.values import CitationError, read_line
from handle_system.citing.work import Creator

__all__ = ["read_creators", "read_orcid"]

_PERSON_ID = re.compile(r"[ ]*(?:<([^<>]*)>|\(([^()]*)\))$")
_ORCID_IN = re.compile(
    r"(?:https?://orcid\.org/|orcid\.org/|orcid:[ ]*)?"
    r"([0-9]{4}-?[0-9]{4}-?[0-9]{4}-?[0-9]{3}[0-9Xx])/?",
    re.IGNORECASE,
)


def read_orcid(text: str, where: str, line: int | None = None) -> str:
    """An ORCID, bare or as an address.

    Raises:
        CitationError: when it is not one, or its check digit is wrong.
    """
    found = _ORCID_IN.fullmatch(text.strip())
    digits = found[1].replace("-", "").upper() if found else ""
    orcid = "-".join(digits[start : start + 4] for start in range(0, 16, 4))
    try:
        _orcid(orcid)
    except ValueError as error:
        why = (
            "its check digit is wrong" if found else "it is written 0000-0000-0000-0000"
        )
        raise CitationError(
            f"{text.strip()!r} is no ORCID: {why}", where=where, line=line
        ) from error
    return orcid


def read_creators(
    text: str, where: str, line: int | None = None
) -> tuple[Creator, ...]:
    """Creators in a line, divided by semicolons.

    ::

        creators = creator *( ";" creator )
        creator  = ( family "," given | name | "{" name "}" ) [ "<" ORCID ">" ]

    Braces keep the commas and semicolons of a name: ``{Rock, Paper; Scissors}``.

    Raises:
        CitationError: when a creator has no name, or an ORCID is none.

    >>> [c.name for c in read_creators("Carberry, Josiah; PILIN Project", "creators")]
    ['Josiah Carberry', 'PILIN Project']
    """
    parts = _divided(read_line(text, where, line))
    if not parts:
        raise CitationError("nobody is named here", where=where, line=line)
    return tuple(_read_creator(part, where, line) for part in parts)


def _divided(text: str) -> list[str]:
    ends = [-1]
    depth = 0
    for index, character in enumerate(text):
        if character == "{":
            depth += 1
        elif character == "}":
            depth = max(0, depth - 1)
        elif character == ";" and not depth:
            ends.append(index)
    parts = (text[end + 1 : after] for end, after in pairwise((*ends, len(text))))
    return [part.strip() for part in parts if part.strip()]


def _read_creator(text: str, where: str, line: int | None) -> Creator:
    orcid = None
    found = _PERSON_ID.search(text)
    if found and _looks_like_orcid(found):
        orcid = read_orcid(found[1] or found[2] or "", where, line)
        text = text[: found.start()]
    try:
        if text.startswith("{") and text.endswith("}"):
            return Creator(name=text[1:-1].strip(), orcid=orcid)
        family, comma, given = (part.strip() for part in text.partition(","))
        if comma:
            return Creator.person(family, given, orcid=orcid)
        return Creator(name=text, orcid=orcid)
    except ValueError as error:
        raise CitationError(
            f"{text!r} names nobody: a creator is written Family, Given or Name",
            where=where,
            line=line,
        ) from error


def _looks_like_orcid(found: re.Match[str]) -> bool:
    return bool(found[1]) or any(digit in (found[2] or "") for digit in "0123456789")
