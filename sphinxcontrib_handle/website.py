"""Pages of websites: their addresses, and files beside them."""

from pathlib import Path
from typing import TYPE_CHECKING

from sphinx.builders.html import StandaloneHTMLBuilder
from sphinx.errors import NoUri

if TYPE_CHECKING:
    from sphinx.builders import Builder


def page_url(builder: "Builder", docname: str) -> str:
    """The address of a page from the root of the site."""
    return builder.get_target_uri(docname).partition("#")[0]


def write_text(path: Path, text: str) -> None:
    """Write a file beside the pages, unless it holds the text already."""
    path.parent.mkdir(parents=True, exist_ok=True)
    if not path.is_file() or path.read_bytes() != text.encode():
        path.write_text(text, encoding="utf-8", newline="\n")


def is_website(builder: "Builder") -> bool:
    """Whether a builder makes pages for the web, and not for a reader of help."""
    return isinstance(builder, StandaloneHTMLBuilder) and not builder.embedded


def is_in_output(builder: "Builder", document: str) -> bool:
    """Whether what a builder writes holds a document; a book may leave some out."""
    # Manual pages name documents, and link none.
    if builder.name == "man":
        return True
    # It gives an address to documents that no list of contents holds, too.
    if builder.name == "singlehtml":
        is_held = document in builder.env.files_to_rebuild
        return is_held or document == builder.config.root_doc
    try:
        builder.get_target_uri(document)
    except NoUri:
        return False
    return True
