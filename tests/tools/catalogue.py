"""Update the message catalogue from the code: `python -m tests.tools.catalogue`.

Writes the template, adds new messages to each translation, removes obsolete ones,
and compiles the files for Sphinx.  The compiled files are kept beside their sources,
because the build of a wheel does not compile them.

**Add or update a language.** `python -m tests.tools.catalogue` extracts the messages,
updates every `.po` file under `sphinxcontrib_handle/locale/` and compiles it. For a new
language, first add its code to `LANGUAGES` in that file; then translate the new `.po`
file, run the command again and commit both files. A handle is never part of a
translatable message.
"""

import ast
from collections.abc import Iterator
from itertools import chain
from pathlib import Path

from babel.messages.catalog import Catalog
from babel.messages.mofile import write_mo
from babel.messages.pofile import read_po, write_po

from handle_system.citing import style
from handle_system.citing.card import LABELS
from handle_system.describing import lists
from handle_system.describing.page_citations import RETRACTED
from handle_system.describing.states import State
from sphinxcontrib_handle.messages import CATALOGUE, LOCALE_FOLDER

__all__ = ["compiled", "main", "messages", "translations"]

PACKAGE = LOCALE_FOLDER.parent
LANGUAGES = ("de", "es", "fr", "ja")


def messages() -> list[str]:
    """Every message of the pages: those of citations, and those marked in the code."""
    marked = {
        message
        for path in sorted(PACKAGE.rglob("*.py"))
        for message in _marked(ast.parse(path.read_text("utf-8")))
    }
    states = chain.from_iterable((state.label, state.source_noun) for state in State)
    words = {*LABELS.values(), *style.LABELS.values(), *lists.LABELS.values()}
    return sorted({*words, RETRACTED, *states, *marked})


def _marked(tree: ast.AST) -> Iterator[str]:
    for node in ast.walk(tree):
        match node:
            case ast.Call(func=ast.Name(id="_"), args=[ast.Constant(value=str(text))]):
                yield text


def path_of(language: str) -> Path:
    """The source of a translation."""
    return LOCALE_FOLDER / language / "LC_MESSAGES" / f"{CATALOGUE}.po"


def translations(language: str) -> Catalog:
    """A translation from its file."""
    with path_of(language).open("rb") as file:
        return read_po(file, locale=language)


def compiled(catalog: Catalog, path: Path) -> bytes:
    """A translation as compiled for Sphinx."""
    with path.open("wb+") as file:
        write_mo(file, catalog)
        file.seek(0)
        return file.read()


def main() -> None:
    """Update every file."""
    template = Catalog(
        project="sphinxcontrib-handle",
        msgid_bugs_address="see CONTRIBUTING.md",
        fuzzy=False,
    )
    for message in messages():
        template.add(message)
    for language in LANGUAGES:
        path = path_of(language)
        path.parent.mkdir(parents=True, exist_ok=True)
        catalog = translations(language) if path.exists() else Catalog(language)
        catalog.update(template, no_fuzzy_matching=True)
        catalog.obsolete.clear()
        with path.open("wb") as file:
            write_po(file, catalog, omit_header=False, sort_output=True, width=88)
        compiled(catalog, path.with_suffix(".mo"))


if __name__ == "__main__":
    main()
