"""Where prose begins and ends in each syntax: one module for each.

Neither docutils nor markdown-it tells where in a file a word stood, and neither
reads a file that uses the roles and directives of a framework.  So files are
read by what their syntaxes have in common with lines and marks: what is code,
literal or comment is blanked, and what remains is given piece by piece with the
way back to the file.  Which words are references, the core decides.
"""

from collections.abc import Callable, Iterator
from enum import StrEnum
from pathlib import PurePath

from handle_cli.sources import bibtex, cff, markdown, notebook, plain, python, rst
from handle_cli.sources.piece import Piece, PieceKind
from handle_system import Proxies

__all__ = ["Piece", "PieceKind", "Syntax", "pieces", "syntax_of"]


class Syntax(StrEnum):
    """The syntaxes that are read."""

    RST = "rst"
    MARKDOWN = "markdown"
    NOTEBOOK = "notebook"
    PYTHON = "python"
    PLAIN = "plain"
    CFF = "cff"
    BIBTEX = "bibtex"


_BY_SUFFIX = {
    ".rst": Syntax.RST,
    ".rest": Syntax.RST,
    ".md": Syntax.MARKDOWN,
    ".markdown": Syntax.MARKDOWN,
    ".ipynb": Syntax.NOTEBOOK,
    ".py": Syntax.PYTHON,
    ".pyi": Syntax.PYTHON,
    ".txt": Syntax.PLAIN,
    ".cff": Syntax.CFF,
    ".bib": Syntax.BIBTEX,
}

_READERS: dict[Syntax, Callable[[str, Proxies], Iterator[Piece]]] = {
    Syntax.RST: rst.pieces,
    Syntax.MARKDOWN: markdown.pieces,
    Syntax.NOTEBOOK: notebook.pieces,
    Syntax.PYTHON: python.pieces,
    Syntax.PLAIN: plain.pieces,
    Syntax.CFF: cff.pieces,
    Syntax.BIBTEX: bibtex.pieces,
}


def syntax_of(path: PurePath) -> Syntax | None:
    """The syntax of a file, by its name; `None` if it is not read."""
    return _BY_SUFFIX.get(path.suffix.lower())


def pieces(syntax: Syntax, text: str, proxies: Proxies) -> Iterator[Piece]:
    """The pieces of a file's text in which references may stand.

    Args:
        syntax: How the text is read.
        text: The text.
        proxies: Whose URLs are references as well.
    """
    return _READERS[syntax](text, proxies)
