"""Which references are verified, and which the project leaves out."""

from fnmatch import fnmatchcase
from functools import lru_cache
from typing import TYPE_CHECKING

from handle_system.handle import exact_handle
from handle_system.verifying.handle_patterns import HandlePatterns
from sphinxcontrib_handle.linkcheck import HandleLinkCheckBuilder
from sphinxcontrib_handle.options import options, proxies

if TYPE_CHECKING:
    from sphinx.application import Sphinx

    from sphinxcontrib_handle.domain import Place

__all__ = ["Selection"]


class Selection:
    """What a build verifies.

    A handle is asked for if one of its places counts.  A place in a document that
    is left out never does.
    """

    def __init__(self, app: "Sphinx") -> None:
        chosen = options(app.config)
        self._handles = HandlePatterns(chosen.verify_ignore)
        self._documents = chosen.verify_exclude_documents
        self._builder = app.builder
        self._proxies = proxies(app.config)
        # Asked for each reference, of which a document has many.
        self._is_excluded = lru_cache(maxsize=None)(self._match_document)

    def counts(self, place: "Place") -> bool:
        """Whether a place counts."""
        if self._is_excluded(place.document):
            return False
        builder = self._builder
        if not self._handles and not isinstance(builder, HandleLinkCheckBuilder):
            return True
        handle = exact_handle(place.handle)
        if handle in self._handles:
            return False
        return not (
            isinstance(builder, HandleLinkCheckBuilder)
            and builder.leaves_out(
                place.document, place.written, self._proxies.link(handle)
            )
        )

    def _match_document(self, docname: str) -> bool:
        return any(fnmatchcase(docname, pattern) for pattern in self._documents)
