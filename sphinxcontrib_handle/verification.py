"""Verifying while building: fed as documents are read, joined at the end.

The asking is done by a process of its own (`handle_system.verification`).  Here
is only when it is told what: after each document in a serial build, when the
results of readers are merged in a parallel one, and once more when all are
read, for documents that did not change.  Its verdicts are read in
``build-finished``, the last moment at which a warning still counts.
"""

import os
from collections.abc import Iterable
from pathlib import Path
from typing import TYPE_CHECKING

from sphinx.util import logging
from sphinx.util.display import progress_message

from handle_system.checked import CheckedHandle, counted
from handle_system.handle import exact_handle
from handle_system.outcome import OutcomeName
from handle_system.records_file import RecordsFileError
from handle_system.verification import Verification
from handle_system.verification_settings import VerificationSettings, is_address
from sphinxcontrib_handle.check_builder import HandleCheckBuilder
from sphinxcontrib_handle.cite_targets import tell_targets
from sphinxcontrib_handle.domain import Place, handle_domain
from sphinxcontrib_handle.linkcheck import HandleLinkCheckBuilder
from sphinxcontrib_handle.messages import HandleWarning, warn
from sphinxcontrib_handle.options import options
from sphinxcontrib_handle.reports import write_reports
from sphinxcontrib_handle.verified import verified

if TYPE_CHECKING:
    from collections.abc import Set as AbstractSet

    from docutils import nodes
    from sphinx.application import Sphinx
    from sphinx.config import Config
    from sphinx.environment import BuildEnvironment

__all__ = ["VerificationRun", "setup_verification"]

logger = logging.getLogger(__name__)


class VerificationRun:
    """The verification of one build, from its start to its report."""

    def __init__(self) -> None:
        self._verification: Verification | None = None
        self._process = 0
        self._found: list[tuple[CheckedHandle, Place]] | None = None

    def start(self, app: "Sphinx") -> None:
        """Begin, if the project or the builder asks for it."""
        self._found = None
        checks = isinstance(app.builder, HandleCheckBuilder | HandleLinkCheckBuilder)
        if not checks and not app.config.handle_verify:
            return
        try:
            self._verification = Verification(settings(app))
        except (RecordsFileError, ValueError) as error:
            warn(app.config, HandleWarning.CONFIG, f"handle_resolver: {error}")
            return
        self._process = os.getpid()
        if isinstance(app.builder, HandleLinkCheckBuilder):
            app.builder.verified_handles = lambda: [each for each, _ in self.found(app)]

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
        if self._verification is None:
            return
        if exception is not None:
            self._verification.close()
            self._verification = None
            return
        found = self.found(app)
        self._verification = None
        # The link checker has told it in its own way.
        if not isinstance(app.builder, HandleLinkCheckBuilder):
            tell(app.config, found)
            tell_targets(app, [each for each, _ in found])
        if isinstance(app.builder, HandleCheckBuilder):
            checked = [each for each, _ in found]
            write_reports(app, checked)
            malformed = handle_domain(app.env).malformed()
            if malformed or any(each.is_broken for each in checked):
                app.statuscode = 1

    def found(self, app: "Sphinx") -> list[tuple[CheckedHandle, Place]]:
        """Wait for the verdicts: each handle with its first place."""
        if self._found is None and self._verification is not None:
            with progress_message("verifying handles"):
                verdicts = self._verification.finish()
            for notice in self._verification.notices:
                logger.info("%s", notice)
            for warning in self._verification.warnings:
                warn(app.config, HandleWarning.CACHE, warning)
            places = handle_domain(app.env).places()
            self._found = verified(places, verdicts, root=Path(app.srcdir))
        return self._found or []

    def _submit(self, places: Iterable[Place]) -> None:
        # A forked reader holds a copy of this; the pipe is its parent's.
        if self._verification is not None and self._process == os.getpid():
            self._verification.submit(exact_handle(place.handle) for place in places)


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
        user_agent=app.config.user_agent or "",
        tls_verify=app.config.tls_verify,
        tls_cacerts=app.config.tls_cacerts,
    )


def tell(config: "Config", found: list[tuple[CheckedHandle, Place]]) -> None:
    """Tell what was found: warnings at their places, one line of all."""
    for checked, first in found:
        if checked.said and not checked.is_unknown:
            kind = (
                HandleWarning.NOT_REGISTERED
                if checked.is_broken
                else HandleWarning.RECORD
            )
            warn(config, kind, checked.message, location=first.location)
    unknown = [checked for checked, _ in found if checked.is_unknown]
    if unknown:
        reasons = sorted({checked.verdict.reason for checked in unknown})
        warn(
            config,
            HandleWarning.UNREACHABLE,
            f"{len(unknown)} of {len(found)} handles could not be verified, "
            f"which says nothing against them: {'; '.join(reasons)}",
        )
    counts = counted([checked for checked, _ in found])
    logger.info(
        "handles: %d references, %d distinct handles, %d resolved",
        sum(len(checked.places) for checked, _ in found),
        len(found),
        counts[OutcomeName.RESOLVED],
    )


def setup_verification(app: "Sphinx") -> None:
    """Register the moments at which a run is told something."""
    run = VerificationRun()
    app.connect("builder-inited", run.start)
    # After the transforms and collectors that record places.
    app.connect("doctree-read", run.submit_document, priority=900)
    app.connect("env-merge-info", run.submit_merged, priority=900)
    app.connect("env-updated", run.submit_all, priority=900)
    app.connect("build-finished", run.finish)
