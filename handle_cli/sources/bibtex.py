r"""BibTeX and BibLaTeX: ``doi``, ``eprint``, notes, and addresses in any field.

Outside of entries everything is a comment.  Programs keep addresses in fields of
their own (``bdsk-url-1``), and in ``eprint``: what is one word and says that it is
a reference, is one.  TeX's escapes (``\_``, ``\%``) are
read, for databases have them where a style asks for them.
"""

import re
from collections.abc import Iterator

from handle_cli.sources.piece import Piece, PieceKind, decoded
from handle_system import Proxies

__all__ = ["pieces"]

_ENTRY = re.compile(r"@[ ]*(?P<kind>[A-Za-z]+)[ \t\r\n]*[{(]")
_FIELD = re.compile(r"[,\s](?P<name>[A-Za-z][A-Za-z0-9_-]*)\s*=\s*(?P<mark>[{\"])")
_EDGE = re.compile(r"\\.|[{}\"]", re.DOTALL)
_ESCAPE = re.compile(r"\\([_%&#${}])|(?:\\url)?[{}]")
_ADDRESS = re.compile(r"\s*[A-Za-z]{3,5}:\S{1,2000}\s*")
_RUNNING = frozenset({"note", "annote", "annotation", "howpublished", "addendum"})
_NO_ENTRIES = frozenset({"comment", "preamble", "string"})


def pieces(text: str, _proxies: Proxies) -> Iterator[Piece]:
    """The identifiers, addresses and notes of a bibliography."""
    for start, end in _entries(text):
        fields = {
            name: (first, last) for name, first, last in _fields(text, start, end)
        }
        for name, (first, last) in fields.items():
            content = text[first:last]
            if name == "doi":
                yield _piece(content, first, PieceKind.FIELD, doi_only=True)
            elif name in _RUNNING:
                yield _piece(content, first, PieceKind.RUNNING)
            elif name == "eprint" and _holds_handle(text, fields):
                yield _piece(content, first, PieceKind.FIELD)
            elif name == "url" or _ADDRESS.fullmatch(content):
                yield _piece(content, first, PieceKind.TARGET)


def _holds_handle(text: str, fields: dict[str, tuple[int, int]]) -> bool:
    kind = fields.get("eprinttype") or fields.get("archiveprefix")
    return kind is not None and text[slice(*kind)].strip().lower() in {"hdl", "handle"}


def _entries(text: str) -> Iterator[tuple[int, int]]:
    found = list(_ENTRY.finditer(text))
    for number, entry in enumerate(found):
        following = found[number + 1].start() if number + 1 < len(found) else len(text)
        if entry["kind"].lower() not in _NO_ENTRIES:
            yield entry.end(), following


def _fields(text: str, start: int, end: int) -> Iterator[tuple[str, int, int]]:
    position = start
    while (field := _FIELD.search(text, position, end)) is not None:
        first = position = field.end()
        depth = 0
        for edge in _EDGE.finditer(text, first, end):
            mark = edge[0]
            if mark == "{":
                depth += 1
            elif mark == "}" and depth:
                depth -= 1
            elif mark == ("}" if field["mark"] == "{" else '"') and not depth:
                position = edge.end()
                yield field["name"].lower(), first, edge.start()
                break
        else:
            # What is not closed hides the rest of the entry.
            return


def _piece(text: str, begin: int, kind: PieceKind, *, doi_only: bool = False) -> Piece:
    return decoded(text, begin, kind, _ESCAPE, _meant, doi_only=doi_only)


def _meant(found: re.Match[str]) -> str:
    # Braces group and do not show; a space in their place would not, either.
    return found[1] or ""
