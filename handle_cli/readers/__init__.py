"""Read the references of a file: one reader for each syntax.

The readers stand on the parsers of the front ends, so that the command finds the
references that Sphinx and the Markdown plugin link.  Each reference comes with its
place in the file.  Where the file does not hold it exactly as written (it has escapes,
or it stands in a definition elsewhere), it is reported, and never rewritten.
"""

from enum import StrEnum
from importlib import import_module
from pathlib import PurePath

from handle_cli.readers.source import (
    Lines,
    SourceKind,
    SourceReference,
    UnreadableError,
    may_hold,
)
from handle_system import Proxies

__all__ = [
    "Lines",
    "SourceKind",
    "SourceReference",
    "Syntax",
    "UnreadableError",
    "read_references",
    "syntax_of",
]


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
# A parser is imported only for a file that may hold a reference.
_READERS = {
    Syntax.RST: "rst.read_rst",
    Syntax.MARKDOWN: "markdown.read_markdown",
    Syntax.NOTEBOOK: "markdown.read_notebook",
    Syntax.PYTHON: "rst.read_python",
    Syntax.PLAIN: "source.read_plain",
    Syntax.CFF: "metadata.read_citation_file",
    Syntax.BIBTEX: "metadata.read_bibtex",
}


def syntax_of(path: PurePath) -> Syntax | None:
    """The syntax of a file, by its name; `None` if it is not read."""
    return _BY_SUFFIX.get(path.suffix.lower())


def read_references(
    syntax: Syntax, text: str, proxies: Proxies
) -> list[SourceReference]:
    """The references of a file's text, in the order of their places.

    Args:
        syntax: How the text is read.
        text: The text.
        proxies: Whose URLs are references.

    Raises:
        UnreadableError: when the syntax does not allow the text.
    """
    if not may_hold(text, proxies):
        return []
    module, _, name = _READERS[syntax].partition(".")
    reader = getattr(import_module(f"handle_cli.readers.{module}"), name)
    try:
        return sorted(reader(text, proxies), key=lambda each: (each.line, each.column))
    except RecursionError as error:
        raise UnreadableError("it is nested too deeply") from error
