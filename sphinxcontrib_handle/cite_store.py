"""What the environment keeps of citations: which page is which version of what.

Written while pages are read, in several processes; complete from ``env-updated``
on.  Works and versions become objects of the domain then, and not before, so that
which page an object belongs to does not depend on the order of reading.
"""

import os
from typing import TYPE_CHECKING, cast

from sphinx.environment.collectors import EnvironmentCollector

from handle_system.citing.cited import slug
from handle_system.handle import Handle
from sphinxcontrib_handle.cite_sources import Variables
from sphinxcontrib_handle.cited_page import CitedPage, Plain
from sphinxcontrib_handle.domain import handle_domain

if TYPE_CHECKING:
    from collections.abc import Set as AbstractSet

    from docutils import nodes
    from sphinx.application import Sphinx
    from sphinx.environment import BuildEnvironment

__all__ = [
    "cited_page",
    "cited_pages",
    "note_block",
    "note_page",
    "note_variables",
    "setup_store",
    "shows_blocks",
]

# Attributes of the environment: by document, that it shows a block, what it is a
# version of, and which variables it depends on.
_BLOCKS = "handle_blocks"
_PAGES = "handle_cited_pages"
_VARIABLES = "handle_variables"
_ATTRIBUTES = (_BLOCKS, _PAGES, _VARIABLES)

# When places are known and before objects are looked up.
_AFTER_READING = 600


def note_block(env: "BuildEnvironment") -> None:
    """Record that the page being read shows a block."""
    _kept(env, _BLOCKS)[env.docname] = {}


def shows_blocks(env: "BuildEnvironment") -> bool:
    """Whether any page shows a block."""
    return bool(_kept(env, _BLOCKS))


def note_page(env: "BuildEnvironment", page: CitedPage) -> bool:
    """Record what the page being read is; its first block says so, and no other."""
    kept = _kept(env, _PAGES)
    is_first = env.docname not in kept
    if is_first:
        kept[env.docname] = page.to_plain()
    return is_first


def note_variables(env: "BuildEnvironment", variables: Variables) -> None:
    """Record which variables the page being read depends on."""
    _kept(env, _VARIABLES).setdefault(env.docname, {}).update(variables.seen)


def cited_page(env: "BuildEnvironment", docname: str) -> CitedPage | None:
    """What a page is a version of, if it says so."""
    plain = _kept(env, _PAGES).get(docname)
    return None if plain is None else CitedPage.from_plain(plain)


def cited_pages(env: "BuildEnvironment") -> dict[str, CitedPage]:
    """Every page that says what it is a version of: the root page, then by name."""
    kept = _kept(env, _PAGES)
    names = sorted(kept, key=lambda name: (name != env.config.root_doc, name))
    return {name: CitedPage.from_plain(kept[name]) for name in names}


def _kept(env: "BuildEnvironment", attribute: str) -> dict[str, Plain]:
    if not hasattr(env, attribute):
        setattr(env, attribute, {})
    return cast("dict[str, Plain]", getattr(env, attribute))


class CitationCollector(EnvironmentCollector):
    """Forget, merge, and tell what is out of date."""

    def clear_doc(
        self,
        app: "Sphinx",  # noqa: ARG002 - Sphinx calls with it
        env: "BuildEnvironment",
        docname: str,
    ) -> None:
        """Forget a document that is read again or gone."""
        for attribute in _ATTRIBUTES:
            _kept(env, attribute).pop(docname, None)

    def merge_other(
        self,
        app: "Sphinx",  # noqa: ARG002 - Sphinx calls with it
        env: "BuildEnvironment",
        docnames: "AbstractSet[str]",
        other: "BuildEnvironment",
    ) -> None:
        """Take over what another process has read."""
        for attribute in _ATTRIBUTES:
            read = _kept(other, attribute)
            mine = _kept(env, attribute)
            mine.update({name: read[name] for name in docnames if name in read})

    def process_doc(self, app: "Sphinx", doctree: "nodes.document") -> None:
        """Nothing: a page is recorded as its block is made."""

    def get_outdated_docs(
        self,
        app: "Sphinx",  # noqa: ARG002 - Sphinx calls with it
        env: "BuildEnvironment",
        added: set[str],  # noqa: ARG002 - Sphinx calls with it
        changed: set[str],  # noqa: ARG002 - Sphinx calls with it
        removed: set[str],  # noqa: ARG002 - Sphinx calls with it
    ) -> list[str]:
        """The pages that depend on a variable which has changed."""
        return [
            docname
            for docname, seen in _kept(env, _VARIABLES).items()
            if any(os.environ.get(name, "") != value for name, value in seen.items())
        ]


def _note_objects(_app: "Sphinx", env: "BuildEnvironment") -> list[str]:
    """Make objects of works and versions; each belongs to the first page that has it."""
    domain = handle_domain(env)
    # The first page is noted last: what is noted last holds.
    for docname, page in reversed(cited_pages(env).items()):
        work, this = page.work, page.this
        name = _name(work.handle, work.title)
        domain.note_object("work", name, work.title, docname, page.anchor)
        title = f"{work.title}, {this.label}"
        name = _name(this.handle, f"{work.title} {this.label}")
        domain.note_object("version", name, title, docname, page.anchor)
    return []


def _name(handle: Handle | None, title: str) -> str:
    """What an object is called: its handle; without one, its title in short."""
    if handle is None:
        return slug(title) or "work"
    # An inventory has its columns divided by spaces.
    return "".join(str(handle).split())


def setup_store(app: "Sphinx") -> None:
    """Register what keeps citations."""
    app.add_env_collector(CitationCollector)
    app.connect("env-updated", _note_objects, priority=_AFTER_READING)
