"""CITATION.cff: the fields that hold identifiers and addresses.

Line by line, for what YAML readers give has lost where it stood; the fields are
those of the Citation File Format 1.2.0, and each of them is a scalar on one line.
"""

import re
from collections.abc import Iterator

from handle_cli.sources.piece import Piece, PieceKind, decoded
from handle_system import Proxies

__all__ = ["pieces"]

_FIELD = re.compile(
    r"^[ ]*(?:-[ ]+)?(?P<name>doi|url|repository|value|type):[ ]+"
    r"(?:\"(?P<double>[^\"\n\\]*)\"|'(?P<single>[^'\n]*)'"
    r"|(?P<plain>[^\s\"'#|>&*!][^\n]*?))[ \t]*(?:[ \t]#[^\n]*)?\r?$",
    re.MULTILINE,
)
_ITEM = re.compile(r"^[ ]*-[ ]", re.MULTILINE)


def pieces(text: str, _proxies: Proxies) -> Iterator[Piece]:
    """The identifiers and addresses of a citation file."""
    found = list(_FIELD.finditer(text))
    for number, field in enumerate(found):
        # The fields of one item stand side by side.
        near = found[max(0, number - 2) : number + 3]
        shape = field.lastgroup or "plain"
        start, content = field.start(shape), field[shape]
        name = field["name"]
        if name == "doi" or (name == "value" and _is_doi(text, near, field)):
            yield decoded(content, start, PieceKind.FIELD, doi_only=True)
        elif name != "type":
            yield decoded(content, start, PieceKind.TARGET)


def _is_doi(text: str, fields: list[re.Match[str]], value: re.Match[str]) -> bool:
    """Whether the identifier in the same item of the list is of type ``doi``."""
    for field in fields:
        if field["name"] == "type" and field[field.lastgroup or "plain"] == "doi":
            first, last = sorted((field.start(), value.start()))
            # The later of the two begins no item of its own.
            if _ITEM.search(text, first + 1, text.find(":", last)) is None:
                return True
    return False
