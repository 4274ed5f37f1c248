"""A citation as it would stand in a bibliography.

The order is the one that DataCite recommends for what has versions: creators,
year, title, version, publisher, identifier; the identifier is the whole link
(Crossref's display guidelines), because it survives being copied.
"""

from handle_system.citing.cited import Cited
from handle_system.citing.pieces import Piece, text_of
from handle_system.citing.words import Translate, Words, untranslated

__all__ = ["plain_text", "reference"]

_ENDS = (".", "?", "!", "。", "…")


def reference(cited: Cited, translate: Translate = untranslated) -> tuple[Piece, ...]:
    """The citation as one line, with its link at the end."""
    names = "; ".join(creator.sort_name for creator in cited.creators)
    year = f"({cited.year})" if cited.year else ""
    version = f"{translate(Words.VERSION.value)} {cited.number}"
    sentences = (
        " ".join(part for part in (names, year) if part),
        cited.work.title,
        version,
        cited.work.publisher or "",
    )
    text = " ".join(_ended(sentence) for sentence in sentences if sentence)
    if cited.url is not None:
        return (Piece(f"{text} "), Piece(cited.url, cited.url))
    return (Piece(f"{text} {translate(Words.NOT_YET_ASSIGNED.value)}"),)


def plain_text(cited: Cited) -> str:
    """The same line as text, in English."""
    return f"{text_of(reference(cited))}\n"


def _ended(sentence: str) -> str:
    return sentence if sentence.endswith(_ENDS) else f"{sentence}."
