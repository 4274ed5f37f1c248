"""The references in a file: what each is, and where it stands."""

from collections.abc import Iterator
from dataclasses import dataclass
from typing import assert_never

from handle_cli.sources import Piece, PieceKind, Syntax, pieces
from handle_system import (
    HandleReference,
    HandleSyntaxError,
    Proxies,
    find_references,
)
from handle_system.role_content import read_role_content

__all__ = ["Mention", "mentions"]


@dataclass(frozen=True, slots=True, kw_only=True)
class Mention:
    """A reference, or what was meant for one, in a file.

    Attributes:
        kind: What kind of piece it stands in.
        reference: The reference, or what is wrong with it.
        start: Where it begins in the file's text.
        end: Where it ends there.
        doi_only: Whether only a DOI will do.
    """

    kind: PieceKind
    reference: HandleReference | HandleSyntaxError
    start: int
    end: int
    doi_only: bool = False


def mentions(syntax: Syntax, text: str, proxies: Proxies) -> list[Mention]:
    """The references in a file's text, in the order in which they stand there."""
    return sorted(_mentions(syntax, text, proxies), key=lambda each: each.start)


def _mentions(syntax: Syntax, text: str, proxies: Proxies) -> Iterator[Mention]:
    for piece in pieces(syntax, text, proxies):
        for reference, start, end in _read(piece, proxies):
            first, last = piece.place(start, end)
            yield Mention(
                kind=piece.kind,
                reference=reference,
                start=first,
                end=last,
                doi_only=piece.doi_only,
            )


_Read = tuple[HandleReference | HandleSyntaxError, int, int]


def _read(piece: Piece, proxies: Proxies) -> Iterator[_Read]:
    text = piece.text
    match piece.kind:
        case PieceKind.RUNNING:
            for found in find_references(text, proxies=proxies):
                yield found.reference, found.start, found.end
            return
        case PieceKind.TARGET | PieceKind.ROLE | PieceKind.FIELD:
            pass
        case _:
            assert_never(piece.kind)
    if not text.strip():
        return
    start = len(text) - len(text.lstrip())
    end = len(text.rstrip())
    try:
        reference = _whole(piece, text[start:end], proxies)
    except HandleSyntaxError as error:
        # Without the frames that it came through, which would all be kept.
        yield error.with_traceback(None), start, end
    else:
        if reference is not None:
            yield reference, start, end


def _whole(piece: Piece, text: str, proxies: Proxies) -> HandleReference | None:
    if piece.kind is PieceKind.TARGET:
        return HandleReference.from_link(text, proxies=proxies)
    content = read_role_content(text, proxies=proxies, doi_only=piece.doi_only)
    return content.reference
