"""What the pages say in words of ours, in the reader's language.

Sphinx looks the messages up in the catalogue ``sphinxcontrib.handle``, of which
the folder ``locale`` holds a translation for each language.  An identifier is
never part of a message.
"""

from pathlib import Path
from typing import TYPE_CHECKING

from sphinx.locale import get_translation

if TYPE_CHECKING:
    from sphinx.application import Sphinx

__all__ = ["CATALOGUE", "LOCALE_FOLDER", "_", "setup_translations"]

#: The name of the catalogue.
CATALOGUE = "sphinxcontrib.handle"
#: The folder that holds its translations.
LOCALE_FOLDER = Path(__file__).parent / "locale"

_ = get_translation(CATALOGUE)


def setup_translations(app: "Sphinx") -> None:
    """Tell Sphinx where the translations are."""
    app.add_message_catalog(CATALOGUE, str(LOCALE_FOLDER))
