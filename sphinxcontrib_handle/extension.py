"""What the extension registers, in order: its table of contents.

Each component registers itself; reasons for priorities stand beside them.
"""

from typing import TYPE_CHECKING

from handle_system import __version__
from sphinxcontrib_handle.bibliographies import setup_bibliographies
from sphinxcontrib_handle.check_builder import setup_check_builder
from sphinxcontrib_handle.citing import setup_citing
from sphinxcontrib_handle.collection import setup_collection
from sphinxcontrib_handle.domain import setup_domain
from sphinxcontrib_handle.handle_list import setup_handle_list
from sphinxcontrib_handle.identifier_index import setup_identifier_index
from sphinxcontrib_handle.linkcheck import setup_linkcheck
from sphinxcontrib_handle.myst import setup_myst
from sphinxcontrib_handle.options import setup_options
from sphinxcontrib_handle.recognition import setup_recognition
from sphinxcontrib_handle.roles import setup_roles
from sphinxcontrib_handle.text_output import setup_text_output
from sphinxcontrib_handle.translations import setup_translations
from sphinxcontrib_handle.typeset_output import setup_typeset_output
from sphinxcontrib_handle.verification import setup_verification
from sphinxcontrib_handle.whole_identifiers import setup_whole_identifiers

if TYPE_CHECKING:
    from sphinx.application import Sphinx
    from sphinx.util.typing import ExtensionMetadata

__all__ = ["ENV_VERSION", "setup_extension"]

#: Raised when the shape of what is stored in the environment changes.
ENV_VERSION = 2


def setup_extension(app: "Sphinx") -> "ExtensionMetadata":
    """Set every component up."""
    app.require_sphinx("8.1")
    setup_options(app)  # First: the others read them.
    setup_translations(app)
    setup_domain(app)
    setup_roles(app)
    setup_myst(app)
    setup_recognition(app)
    setup_collection(app)
    setup_bibliographies(app)
    setup_handle_list(app)
    setup_identifier_index(app)
    setup_text_output(app)
    setup_whole_identifiers(app)
    setup_typeset_output(app)
    setup_citing(app)
    setup_check_builder(app)
    setup_linkcheck(app)
    setup_verification(app)  # After what collects places.
    return {
        "version": __version__,
        "env_version": ENV_VERSION,
        "parallel_read_safe": True,
        "parallel_write_safe": True,
    }
