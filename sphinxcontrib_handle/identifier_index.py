"""An index of identifiers, by prefix, for projects that ask for one.

A domain's index is a page of its own and a chapter of the book, so it is made
only with ``handle_index = True``: without it nothing appears that was not there.
"""

from collections.abc import Iterable
from itertools import groupby
from typing import TYPE_CHECKING, cast

from sphinx.domains import Index, IndexEntry

from handle_system.handle import exact_handle
from sphinxcontrib_handle.options import options
from sphinxcontrib_handle.translations import _

if TYPE_CHECKING:
    from sphinx.application import Sphinx
    from sphinx.config import Config

    from sphinxcontrib_handle.domain import HandleDomain, Place

__all__ = ["IdentifierIndex", "setup_identifier_index"]


class IdentifierIndex(Index):
    """The identifiers that the documents refer to: ``handle-identifiers``."""

    name = "identifiers"
    localname = _("Index of identifiers")
    shortname = _("identifiers")

    def generate(
        self, docnames: Iterable[str] | None = None
    ) -> tuple[list[tuple[str, list[IndexEntry]]], bool]:
        """The entries, under the prefixes of their handles."""
        domain = cast("HandleDomain", self.domain)
        wanted = None if docnames is None else set(docnames)
        places = [
            place
            for place in domain.places()
            if wanted is None or place.document in wanted
        ]
        places.sort(key=lambda place: place.key)
        content = [
            (prefix, list(self._entries(list(same))))
            for prefix, same in groupby(places, key=_prefix)
        ]
        return content, False

    def _entries(self, places: "list[Place]") -> Iterable[IndexEntry]:
        titles = self.domain.env.titles
        for _key, same in groupby(places, key=lambda place: place.key):
            found = list(same)
            where = list(dict.fromkeys((each.document, each.anchor) for each in found))
            # One place is the entry itself; several stand below it.
            document, anchor = where[0] if len(where) == 1 else ("", "")
            kind = 0 if len(where) == 1 else 1
            yield IndexEntry(found[0].handle, kind, document, anchor, "", "", "")
            for document, anchor in where if kind else ():
                title = titles[document].astext() if document in titles else document
                yield IndexEntry(title, 2, document, anchor, "", "", "")


def _prefix(place: "Place") -> str:
    return exact_handle(place.key).prefix


def setup_identifier_index(app: "Sphinx") -> None:
    """Register the index, once it is known whether it is wanted."""
    # After the options are checked (400).
    app.connect("config-inited", _add_index)


def _add_index(app: "Sphinx", config: "Config") -> None:
    # An index that stays empty would leave a label that leads to no page.
    if options(config).index:
        app.add_index_to_domain("handle", IdentifierIndex)
