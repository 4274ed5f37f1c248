"""The documents that are open in the editor, as its messages tell them."""

from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass, replace
from functools import cached_property
from pathlib import Path, PurePath

from lsprotocol import types
from pygls import uris

from handle_cli.files import syntax_in_project
from handle_cli.folders import is_excluded
from handle_cli.lsp.positions import (
    Encoding,
    line_starts,
    offset_of_units,
    with_line_feeds,
)
from handle_cli.paths import may_name_a_file
from handle_cli.project_settings import ProjectSettings
from handle_system.syntax import Syntax

# Untitled documents and cells of notebooks have a language and no name.
_SYNTAX_BY_LANGUAGE = {
    "markdown": Syntax.MARKDOWN,
    "myst": Syntax.MARKDOWN,
    "quarto": Syntax.MARKDOWN,
    "rmd": Syntax.MARKDOWN,
    # The language of Markdown in JupyterLab.
    "ipythongfm": Syntax.MARKDOWN,
    "mdx": Syntax.MDX,
    "restructuredtext": Syntax.RST,
    "rst": Syntax.RST,
    "python": Syntax.PYTHON,
    "plaintext": Syntax.PLAIN,
    "text": Syntax.PLAIN,
    "bibtex": Syntax.BIBTEX,
    "bib": Syntax.BIBTEX,
    "html": Syntax.HTML,
    "csv": Syntax.CSV,
    "tsv": Syntax.CSV,
    "latex": Syntax.LATEX,
    "tex": Syntax.LATEX,
}


def file_of(uri: str) -> Path | None:
    """The file that a URI names; `None` if it names none, as no file can have its name."""
    try:
        path = uris.to_fs_path(uri) or ""
    except ValueError:
        return None
    return Path(path) if may_name_a_file(path) else None


@dataclass(frozen=True)
class Document:
    """One version of a document.

    Attributes:
        uri: Its URI, exactly as the client spells it.
        language: The client's name of its language.
        version: The client's number of the version.
        text: The text, with the line ends of the client.
        notebook: The URI of the notebook that it is a cell of; empty if it is none.
    """

    uri: str
    language: str
    version: int
    text: str
    notebook: str = ""

    @property
    def path(self) -> Path | None:
        """Its file, or that of its notebook; `None` if it has none."""
        return file_of(self.notebook or self.uri)

    @cached_property
    def _starts(self) -> list[int]:
        return line_starts(self.text)

    def row(self, line: int) -> str:
        """A line without its end, by its number from 0; empty if there is none."""
        if not 0 <= line < len(self._starts):
            return ""
        end = self._starts[line + 1] if line + 1 < len(self._starts) else None
        return self.text[self._starts[line] : end].rstrip("\r\n")

    def changed(
        self,
        version: int,
        changes: Iterable[types.TextDocumentContentChangeEvent],
        encoding: Encoding,
    ) -> "Document":
        """The document after changes, each of which is about the text before it."""
        document = self
        for change in changes:
            text = change.text
            if isinstance(change, types.TextDocumentContentChangePartial):
                start = document.offset(change.range.start, encoding)
                end = max(start, document.offset(change.range.end, encoding))
                text = f"{document.text[:start]}{text}{document.text[end:]}"
            document = replace(document, text=text)
        return replace(document, version=version)

    def offset(self, position: types.Position, encoding: Encoding) -> int:
        """The offset of a position in the text; its end if the position is behind it."""
        if position.line >= len(self._starts):
            return len(self.text)
        row = self.row(position.line)
        column = offset_of_units(row, position.character, encoding)
        return self._starts[position.line] + column

    @property
    def text_to_read(self) -> str:
        """The text with line feeds alone, as readers and reports count lines."""
        return with_line_feeds(self.text)


class Documents:
    """The open documents, by their URIs, and the cells of open notebooks among them."""

    def __init__(self) -> None:
        self._documents: dict[str, Document] = {}

    def __iter__(self) -> Iterator[str]:
        return iter(list(self._documents))

    def get(self, uri: str) -> Document | None:
        """The document as it is now; `None` if it is not open."""
        return self._documents.get(uri)

    def add(self, item: types.TextDocumentItem, notebook: str = "") -> None:
        """Take a document over."""
        language = item.language_id.lower()
        self._documents[item.uri] = Document(
            item.uri, language, item.version, item.text, notebook
        )

    def change(
        self,
        name: types.VersionedTextDocumentIdentifier,
        changes: Sequence[types.TextDocumentContentChangeEvent],
        encoding: Encoding,
    ) -> None:
        """Change a document, if it is open."""
        document = self._documents.get(name.uri)
        if document is not None:
            changed = document.changed(name.version, changes, encoding)
            self._documents[name.uri] = changed

    def close(self, uri: str) -> None:
        """Forget a document."""
        self._documents.pop(uri, None)


def syntax_of_document(document: Document, settings: ProjectSettings) -> Syntax | None:
    """How a document is read; `None` if the project excludes it, or nobody reads it."""
    by_language = _SYNTAX_BY_LANGUAGE.get(document.language)
    path = document.path
    if path is None:
        return by_language
    if is_excluded(path, settings):
        return None
    by_name = syntax_in_project(PurePath(path), settings)
    # JupyterLab names the text of a notebook's cells after the notebook.
    is_part = document.notebook or by_name is Syntax.NOTEBOOK
    if by_name is None or (is_part and by_language is not None):
        return by_language
    return by_name
