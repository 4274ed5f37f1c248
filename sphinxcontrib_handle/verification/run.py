"""Run the verification beside the build.

All documents are read when Sphinx emits ``env-updated``.  The run then starts a child
process (`handle_system.verifying.process`), which asks the servers while Sphinx writes
pages.  It reads the verdicts in ``build-finished``, the last event whose warnings
count for ``-W``.
"""

from collections.abc import Mapping
from pathlib import Path
from typing import TYPE_CHECKING

from sphinx.util import logging

from handle_system.resolving import is_address
from handle_system.verifying.findings import Verdict
from handle_system.verifying.process import VerificationProcess
from handle_system.verifying.verification_settings import VerificationSettings
from sphinxcontrib_handle.cite.works import report_targets
from sphinxcontrib_handle.config import options
from sphinxcontrib_handle.verification.builders import (
    HandleCheckBuilder,
    HandleLinkCheckBuilder,
)
from sphinxcontrib_handle.verification.report import (
    log_findings,
    log_process,
    write_reports,
)
from sphinxcontrib_handle.verification.results import Places, Results, select_places

if TYPE_CHECKING:
    from sphinx.application import Sphinx
    from sphinx.environment import BuildEnvironment

__all__ = ["VerificationRun"]


logger = logging.getLogger(__name__)

# The exit status of a check that found nothing wrong, and did not verify everything.
_NOT_VERIFIED = 3


class VerificationRun:
    """The verification of one build; an application that builds again starts anew."""

    def __init__(self) -> None:
        self._process: VerificationProcess | None = None
        self._results: Results | None = None

    def start(self, app: "Sphinx", _env: "BuildEnvironment") -> None:
        """Verify the handles of all documents, if the project or the builder asks."""
        self._close()
        builder = app.builder
        is_check = isinstance(builder, HandleCheckBuilder | HandleLinkCheckBuilder)
        if not is_check and not app.config.handle_verify:
            return
        self._process = VerificationProcess(_settings(app))
        self._process.submit(_handles(select_places(app)[0]))
        if isinstance(builder, HandleLinkCheckBuilder):
            process = self._process
            builder.wait = lambda: self._wait(app, process).handles()

    def finish(self, app: "Sphinx", exception: Exception | None) -> None:
        """Report the results, unless the build has failed."""
        if self._process is not None and exception is None:
            results = self._wait(app, self._process)
            log_process(app, results)
            builder = app.builder
            failed = unsure = False
            if isinstance(builder, HandleLinkCheckBuilder):
                # It has reported the handles in its own way.
                failed, unsure = bool(builder.broken_hyperlinks), bool(results.failure)
            else:
                log_findings(app, results)
                report_targets(app, results.verdicts)
            if isinstance(builder, HandleCheckBuilder):
                write_reports(app, results)
                failed = results.has_failed
                unsure = bool(results.failure) or results.is_nothing_verified
            if failed:
                app.statuscode = 1
            elif unsure and not app.statuscode:
                app.statuscode = _NOT_VERIFIED
        self._close()

    def _wait(self, app: "Sphinx", process: VerificationProcess) -> Results:
        """Wait for the results, once."""
        if self._results is None:
            # Extensions may have added references meanwhile.
            places, ignored = select_places(app)
            process.submit(_handles(places))
            verdicts = _finish(process)
            self._results = Results(app, process, verdicts, places, ignored)
        return self._results

    def _close(self) -> None:
        if self._process is not None:
            self._process.close()
        self._process = None
        self._results = None


def _handles(places: Places) -> dict[str, str]:
    return {key: found[0].handle for key, found in places.items()}


def _finish(process: VerificationProcess) -> Mapping[str, Verdict]:
    """Wait for the process; show every tenth of what is done on one line."""
    logger.info("verifying handles... ", nonl=True, color="bold")
    shown = 0

    def show(done: int, total: int) -> None:
        nonlocal shown
        tenths = 10 * done // total
        if tenths > shown:
            shown = tenths
            logger.info("%d0%% ", tenths, nonl=True)

    verdicts = process.finish(show)
    logger.info("done")
    return verdicts


def _settings(app: "Sphinx") -> VerificationSettings:
    """The settings of the project.

    Paths are relative to the source folder.  The cache is in the folder of the
    doctrees, where a clean build deletes it, unless the project gives a path.
    """
    chosen = options(app.config)
    named = [chosen.resolver] if isinstance(chosen.resolver, str) else chosen.resolver
    cache: str | None = str(Path(app.doctreedir, "handles.sqlite"))
    if chosen.cache is False:
        cache = None
    elif isinstance(chosen.cache, str):
        is_url = is_address(chosen.cache)
        cache = chosen.cache if is_url else str(Path(app.srcdir, chosen.cache))
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
    """Sphinx's `tls_cacerts`, which may be or hold path objects, as text."""
    if isinstance(chosen, Mapping):
        return {str(host): str(path) for host, path in chosen.items()}
    return str(chosen) if chosen else None
