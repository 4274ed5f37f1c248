"""What citing registers, in order: its table of contents."""

from typing import TYPE_CHECKING

from sphinxcontrib_handle.citation_writing import setup_citation_writing
from sphinxcontrib_handle.cite_directive import setup_cite_directive
from sphinxcontrib_handle.cite_files import FormatFiles, setup_cite_files
from sphinxcontrib_handle.cite_head import setup_head
from sphinxcontrib_handle.cite_store import setup_store
from sphinxcontrib_handle.cite_transform import setup_cite_transform
from sphinxcontrib_handle.cite_trouble import setup_trouble

if TYPE_CHECKING:
    from sphinx.application import Sphinx

__all__ = ["setup_citing"]


def setup_citing(app: "Sphinx") -> None:
    """Set every part of citing up."""
    files = FormatFiles()
    setup_cite_directive(app)
    setup_citation_writing(app, files)
    setup_cite_files(app, files)
    setup_head(app, files)
    setup_cite_transform(app)
    setup_store(app)
    setup_trouble(app)
