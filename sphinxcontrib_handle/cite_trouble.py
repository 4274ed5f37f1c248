"""Warnings about citations: at once, or once for all the pages that share one.

A citation that is on every page of a site would be warned of on every page, by as
many processes as read them.  What is wrong with it is kept until all are read, and
told at the first page that has it.
"""

from dataclasses import dataclass
from typing import TYPE_CHECKING, cast

from sphinxcontrib_handle.messages import HandleWarning, warn

if TYPE_CHECKING:
    from collections.abc import Set as AbstractSet

    from sphinx.application import Sphinx
    from sphinx.environment import BuildEnvironment

__all__ = ["Trouble", "note_trouble", "setup_trouble"]

_SHARED = "handle_shared_trouble"


@dataclass(frozen=True, slots=True, kw_only=True)
class Trouble:
    """What is wrong with a citation.

    Attributes:
        kind: The kind of warning.
        message: What is wrong.
        source: The file, as Sphinx shows it.
        line: The line there, from 1; 0 if not known.
        is_shared: Whether other pages have the same citation, and the same trouble.
    """

    kind: HandleWarning
    message: str
    source: str
    line: int = 0
    is_shared: bool = False


def note_trouble(env: "BuildEnvironment", trouble: Trouble) -> None:
    """Warn of it, or keep it for when all pages are read."""
    if trouble.is_shared:
        entry = (trouble.kind.value, trouble.message)
        _kept(env).setdefault(env.docname, []).append(entry)
        return
    location = f"{trouble.source}:{trouble.line}" if trouble.line else env.docname
    warn(env.config, trouble.kind, trouble.message, location=location)


def _kept(env: "BuildEnvironment") -> dict[str, list[tuple[str, str]]]:
    if not hasattr(env, _SHARED):
        setattr(env, _SHARED, {})
    return cast("dict[str, list[tuple[str, str]]]", getattr(env, _SHARED))


def _forget(
    _app: "Sphinx", env: "BuildEnvironment", _docnames: list[str] | None = None
) -> None:
    _kept(env).clear()


def _merge(
    _app: "Sphinx",
    env: "BuildEnvironment",
    docnames: "AbstractSet[str]",
    other: "BuildEnvironment",
) -> None:
    read = _kept(other)
    _kept(env).update({name: read[name] for name in docnames if name in read})


def _tell(_app: "Sphinx", env: "BuildEnvironment") -> list[str]:
    kept = _kept(env)
    told: set[tuple[str, str]] = set()
    for docname in sorted(kept, key=lambda name: (name != env.config.root_doc, name)):
        for kind, message in kept[docname]:
            if (kind, message) not in told:
                told.add((kind, message))
                warn(env.config, HandleWarning(kind), message, location=docname)
    kept.clear()
    return []


def setup_trouble(app: "Sphinx") -> None:
    """Register what keeps and tells."""
    app.connect("env-before-read-docs", _forget)
    app.connect("env-merge-info", _merge)
    app.connect("env-updated", _tell)
