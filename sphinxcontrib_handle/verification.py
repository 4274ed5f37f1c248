"""Verifying while building: fed as documents are read, joined at the end.

The asking is done by a process of its own (`handle_system.verifying.verification`).  Here
is only when it is told what: after each document in a serial build, when the
results of readers are merged in a parallel one, and once more when all are
read, for documents that did not change.  Its verdicts are read in
``build-finished``, the last moment at which a warning still counts.
"""

import gc
import os
from collections.abc import Callable, Iterable, Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import TYPE_CHECKING

from sphinx.util import logging

from handle_system.handle import exact_handle
from handle_system.resolving.http_settings import UnusableSettingError
from handle_system.resolving.records_file import RecordsFileError
from handle_system.verifying.verification import Verification
from handle_system.verifying.verification_settings import (
    VerificationSettings,
    is_address,
)
from sphinxcontrib_handle.check_builder import HandleCheckBuilder
from sphinxcontrib_handle.cite_targets import tell_targets
from sphinxcontrib_handle.domain import Place, handle_domain
from sphinxcontrib_handle.linkcheck import HandleLinkCheckBuilder
from sphinxcontrib_handle.messages import HandleWarning, warn
from sphinxcontrib_handle.options import options
from sphinxcontrib_handle.progress import shown_progress
from sphinxcontrib_handle.reports import discard_reports, write_reports
from sphinxcontrib_handle.selection import Selection
from sphinxcontrib_handle.telling import tell
from sphinxcontrib_handle.verified import Verified, verified

if TYPE_CHECKING:
    from collections.abc import Collection
    from collections.abc import Set as AbstractSet

    from docutils import nodes
    from sphinx.application import Sphinx
    from sphinx.environment import BuildEnvironment

__all__ = ["VerificationRun", "setup_verification"]

logger = logging.getLogger(__name__)


class VerificationRun:
    """The verification of one build, from its start to its report."""

    def __init__(self) -> None:
        self._verification: Verification | None = None
        self._process = 0
        self._submitted: set[str] = set()
        self._found: Verified | None = None
        self._failed = False
        self._is_over = False
        self._counts: Callable[[Place], bool] = lambda _place: True

    def start(self, app: "Sphinx") -> None:
        """Begin, if the project or the builder asks for it."""
        self._submitted = set()
        self._found = None
        self._failed = False
        self._is_over = False
        checks = isinstance(app.builder, HandleCheckBuilder | HandleLinkCheckBuilder)
        if not checks and not app.config.handle_verify:
            return
        if isinstance(app.builder, HandleCheckBuilder):
            discard_reports(app)
        try:
            self._verification = Verification(settings(app))
        except (RecordsFileError, ValueError) as error:
            said = str(error)
            if not isinstance(error, UnusableSettingError):
                said = f"handle_resolver: {said}"
            warn(app.config, HandleWarning.CONFIG, said)
            # Who asks for nothing else must not take silence for success.
            self._failed = checks
            return
        self._process = os.getpid()
        self._counts = Selection(app).counts
        if isinstance(app.builder, HandleLinkCheckBuilder):
            app.builder.verified_handles = lambda: self.found(app)

    def start_again(self, app: "Sphinx", *_what_changed: object) -> "Collection[str]":
        """Begin once more, where an application builds again; nothing is outdated."""
        if self._is_over:
            self.start(app)
        return ()

    def submit_document(self, app: "Sphinx", _doctree: "nodes.document") -> None:
        """Have the handles of the document just read verified."""
        self._submit(handle_domain(app.env).places_of(app.env.docname))

    def submit_merged(
        self,
        _app: "Sphinx",
        env: "BuildEnvironment",
        docnames: "AbstractSet[str]",
        _other: "BuildEnvironment",
    ) -> None:
        """Have the handles of documents that another process read verified."""
        domain = handle_domain(env)
        for docname in sorted(docnames):
            self._submit(domain.places_of(docname))

    def submit_all(self, _app: "Sphinx", env: "BuildEnvironment") -> list[str]:
        """Have the handles of every document verified; nothing becomes outdated."""
        self._submit(handle_domain(env).places())
        return []

    def finish(self, app: "Sphinx", exception: Exception | None) -> None:
        """Wait for the verdicts, and tell them."""
        self._is_over = True
        if self._verification is None:
            if self._failed:
                app.statuscode = 1
            return
        if exception is not None:
            self._verification.close()
            self._verification = None
            return
        with _uncollected():
            found = self.found(app)
            self._verification = None
            self._tell(app, found)

    def _tell(self, app: "Sphinx", found: Verified) -> None:
        # The link checker has told it in its own way.
        if not isinstance(app.builder, HandleLinkCheckBuilder):
            tell(app.config, found)
            tell_targets(app, found.verdicts)
        if isinstance(app.builder, HandleCheckBuilder):
            write_reports(app, found)
            if found.has_failed:
                app.statuscode = 1

    def found(self, app: "Sphinx") -> Verified:
        """Wait for the verdicts, once."""
        if self._found is None and self._verification is not None:
            with shown_progress(app) as progress:
                verdicts = self._verification.finish(progress)
            for notice in self._verification.notices:
                logger.info("%s", notice)
            for warning in self._verification.warnings:
                warn(app.config, HandleWarning.CACHE, warning)
            places = handle_domain(app.env).places()
            self._found = verified(
                app,
                places,
                verdicts,
                counts=self._counts,
                whole=isinstance(
                    app.builder, HandleCheckBuilder | HandleLinkCheckBuilder
                ),
            )
        return self._found or Verified()

    def _submit(self, places: Iterable[Place]) -> None:
        # A forked reader holds a copy of this; the pipe is its parent's.
        if self._verification is None or self._process != os.getpid():
            return
        # All places come by once more at the end: no handle is read twice.
        new = {
            place.key: place.handle
            for place in places
            if place.key not in self._submitted and self._counts(place)
        }
        self._submitted.update(new)
        self._verification.submit(map(exact_handle, new.values()))


@contextmanager
def _uncollected() -> Iterator[None]:
    """Look for no garbage meanwhile.

    At the end of a build all that it knows is alive: to look through it takes half a
    second for 500 pages, when somebody waits for the end, and may be due just then.
    """
    was_enabled = gc.isenabled()
    gc.disable()
    try:
        yield
    finally:
        if was_enabled:
            gc.enable()


def settings(app: "Sphinx") -> VerificationSettings:
    """How this project wants its handles verified.

    Paths are relative to the source folder.  The cache stands with the
    doctrees, where a clean build forgets it, unless a path is given.

    Raises:
        ValueError: when a resolver is not one.
    """
    chosen = options(app.config)
    named = [chosen.resolver] if isinstance(chosen.resolver, str) else chosen.resolver
    cache: str | None = str(Path(app.doctreedir, "handles.sqlite"))
    if chosen.cache is False:
        cache = None
    elif isinstance(chosen.cache, str):
        cache = str(Path(app.srcdir, chosen.cache))
    return VerificationSettings(
        resolvers=tuple(
            each if is_address(each) else str(Path(app.srcdir, each)) for each in named
        ),
        connections=chosen.connections,
        timeout=chosen.timeout,
        cache=cache,
        budget=chosen.budget,
        user_agent=str(app.config.user_agent or ""),
        tls_verify=bool(app.config.tls_verify),
        tls_cacerts=_authorities(app.config.tls_cacerts),
    )


def _authorities(chosen: object) -> str | dict[str, str] | None:
    """Sphinx's `tls_cacerts` as text; it may be a path object, or hold them."""
    if isinstance(chosen, dict):
        return {str(host): str(path) for host, path in chosen.items()}
    return str(chosen) if chosen else None


def setup_verification(app: "Sphinx") -> None:
    """Register the moments at which a run is told something."""
    run = VerificationRun()
    app.connect("builder-inited", run.start)
    # The first moment that comes with each build of an application.
    app.connect("env-get-outdated", run.start_again)
    # After the transforms and collectors that record places.
    app.connect("doctree-read", run.submit_document, priority=900)
    app.connect("env-merge-info", run.submit_merged, priority=900)
    app.connect("env-updated", run.submit_all, priority=900)
    app.connect("build-finished", run.finish)
