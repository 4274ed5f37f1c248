"""Where a page's citation comes from, beside its directive.

The page's own metadata, a file of works, the configuration, and the name under
which Read the Docs builds.  Files are dependencies of the page, and so are the
environment variables that they name: a page is read again when one has changed.
"""

import os
from collections.abc import Iterator, Mapping
from functools import lru_cache
from pathlib import Path
from typing import TYPE_CHECKING

from docutils import nodes

from handle_system.citing.block import Display
from handle_system.citing.gathering import Surroundings, named_source
from handle_system.citing.label import SaidLabels
from handle_system.citing.source import SourceName, read_source
from handle_system.citing.values import Reading
from handle_system.citing.work import Work
from handle_system.proxies import Proxies
from sphinxcontrib_handle.options import options, proxies

if TYPE_CHECKING:
    from sphinx.environment import BuildEnvironment

__all__ = ["READ_THE_DOCS", "Variables", "metadata_of", "surroundings"]

#: The variable that holds the name of the version that Read the Docs builds.
READ_THE_DOCS = "READTHEDOCS_VERSION"


class Variables(Mapping[str, str]):
    """Environment variables, and which of them were looked at.

    Attributes:
        seen: What each of them was; empty for one that is not set.
    """

    def __init__(self) -> None:
        self.seen: dict[str, str] = {}

    def __getitem__(self, name: str) -> str:
        self.seen[name] = os.environ.get(name, "")
        return self.seen[name]

    def __iter__(self) -> Iterator[str]:
        return iter(self.seen)

    def __len__(self) -> int:
        return len(self.seen)


def metadata_of(document: nodes.document) -> dict[str, object]:
    """A page's field list, or its front matter, as text by name.

    Sphinx has not collected them yet when blocks are made.
    """
    found: dict[str, object] = {}
    for child in document.children:
        if isinstance(child, (nodes.docinfo, nodes.field_list)):
            for each in child.findall(nodes.field):
                name, body = each.children
                found[name.astext().strip()] = body.astext()
    return found


def surroundings(
    env: "BuildEnvironment",
    document: nodes.document,
    own_options: Mapping[str, str | None],
    variables: Variables,
) -> Surroundings:
    """All that is known of a page beside its directive.

    Raises:
        CitationError: when the page's metadata, or the file, are no citation.
    """
    chosen = options(env.config)
    metadata = metadata_of(document)
    reading = Reading(proxies=proxies(env.config), environment=variables)
    named = named_source(own_options, metadata, chosen.work)
    return Surroundings(
        metadata=metadata,
        work=_read(env, named, reading) if named else None,
        said=SaidLabels(
            configured=chosen.version,
            read_the_docs=variables[READ_THE_DOCS] or None,
            release=env.config.release or None,
        ),
        display=Display.of(chosen.cite_show),
        reading=reading,
    )


def _read(env: "BuildEnvironment", named: SourceName, reading: Reading) -> Work:
    path = Path(env.srcdir, named.path)
    if not named.is_configured:
        path = Path(env.relfn2path(named.path)[1])
    env.note_dependency(path)
    try:
        stamp = path.stat()
    except OSError:
        # The reader says it in its own words.
        return read_source(path, named.id, reading=reading)
    return _reread(
        path,
        named.id,
        reading.proxies,
        (stamp.st_mtime_ns, stamp.st_size),
        reading.environment,
    )


def _reread(
    path: Path,
    identity: str | None,
    where: Proxies,
    stamp: tuple[int, int],
    environment: Mapping[str, str],
) -> Work:
    """Read a file once for all the pages that name it."""
    work, seen = _remembered(path, identity, where, stamp)
    # Every one is looked at, so that the page depends on them all.
    if [name for name, value in seen if environment.get(name, "") != value]:
        _remembered.cache_clear()
        work, _ = _remembered(path, identity, where, stamp)
    return work


@lru_cache(maxsize=64)
def _remembered(
    path: Path, identity: str | None, where: Proxies, _stamp: tuple[int, int]
) -> tuple[Work, tuple[tuple[str, str], ...]]:
    variables = Variables()
    reading = Reading(proxies=where, environment=variables)
    return read_source(path, identity, reading=reading), tuple(variables.seen.items())
