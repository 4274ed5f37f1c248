"""The Sphinx extension: every handle and DOI of a documentation set made right.

::

    extensions = ["sphinxcontrib_handle"]

is all it takes.  What is registered, in which order and why, stands in
`sphinxcontrib_handle.extension`; it is imported when Sphinx calls `setup`, so
that importing this package costs nothing and needs no Sphinx.
"""

from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from sphinx.application import Sphinx
    from sphinx.util.typing import ExtensionMetadata

__all__ = ["setup"]


def setup(app: "Sphinx") -> "ExtensionMetadata":
    """Set the extension up: Sphinx calls this."""
    from sphinxcontrib_handle.extension import setup_extension  # noqa: PLC0415 - lazy

    return setup_extension(app)
