"""Run the verification beside the build.

All documents are read when Sphinx emits ``env-updated``.  The run then starts a child
process (`handle_system.verifying.process`), which asks the servers while Sphinx writes
pages.  It reads the verdicts in ``build-finished``, the last event whose warnings
count for ``-W``.
"""

from collections.abc import Iterable, Mapping
from fnmatch import fnmatchcase
from functools import partial
from pathlib import Path
from typing import TYPE_CHECKING

from sphinx.util import logging

from handle_system.findings.finding import exit_status
from handle_system.ignored_case import IgnoredCase
from handle_system.resolving import is_address
from handle_system.verifying.process import VerificationProcess
from handle_system.verifying.servers import (
    canonical_server,
    key_at_server,
    server_to_ask_for,
)
from handle_system.verifying.verdicts import is_in_doubt
from handle_system.verifying.verification_settings import VerificationSettings
from sphinxcontrib_handle.cite.versions_of_works import keys_in_doubt
from sphinxcontrib_handle.domain import RecordedPlace, handle_domain, recorded_handle
from sphinxcontrib_handle.links import settings_of
from sphinxcontrib_handle.verification.builders import (
    HandleCheckBuilder,
    HandleLinkCheckBuilder,
)
from sphinxcontrib_handle.verification.report import (
    Places,
    Results,
    log_findings,
    log_process,
    log_unanswered,
    write_reports,
)

if TYPE_CHECKING:
    from sphinx.application import Sphinx

    from handle_system.handle import Handle

logger = logging.getLogger(__name__)

# The exit status of a check that found nothing wrong, and did not verify everything.
_NOT_VERIFIED = 3


class VerificationRun:
    """The verification of one build."""

    def __init__(self, app: "Sphinx") -> None:
        """Start the process."""
        self._app = app
        self._process = VerificationProcess(_settings(app))
        self._results: Results | None = None
        self._recorded: list[RecordedPlace] = []
        # The places to verify, and those that the project excludes.
        self._places: Places = {}
        self._ignored: Places = {}

    def submit(self) -> None:
        """Submit the handles of all documents."""
        builder = self._app.builder
        self._recorded = handle_domain(self._app.env).places()
        self._places, self._ignored = _submit(self._app, self._process, self._recorded)
        if isinstance(builder, HandleLinkCheckBuilder):
            builder.wait = self._wait

    def report(self) -> None:
        """Wait for the results, and report them."""
        _report(self._app, self._wait())

    def close(self) -> None:
        """End the process."""
        self._process.close()

    def _wait(self) -> Results:
        """Wait for the results, once; show every tenth of what is done on one line."""
        if self._results is not None:
            return self._results
        app = self._app
        process = self._process
        if handle_domain(app.env).places() != self._recorded:
            # Extensions have added references meanwhile.
            self.submit()
        places = self._places
        logger.info("verifying handles... ", nonl=True, color="bold")
        shown = 0

        def show(done: int, total: int) -> None:
            nonlocal shown
            if 10 * done // total > shown:
                shown = 10 * done // total
                logger.info("%d0%% ", shown, nonl=True)

        verdicts = process.finish(show)
        doubtful = keys_in_doubt(app, verdicts)
        for key, its_places in places.items():
            if is_in_doubt(verdicts[key], (place.written for place in its_places)):
                doubtful.add(key)
        verdicts |= process.ask_again({key: verdicts[key] for key in doubtful})
        logger.info("done")
        self._results = Results(app, process, verdicts, places, self._ignored)
        return self._results


def _submit(
    app: "Sphinx", process: VerificationProcess, recorded: Iterable[RecordedPlace]
) -> tuple[Places, Places]:
    """Submit the handles of the project that are new.

    Returns:
        The places to verify, and those that the project excludes.  A handle is verified
        if one of its places counts.
    """
    config = app.config
    builder = app.builder
    ignored_handles = settings_of(config).unverified
    servers = frozenset(map(canonical_server, config.handle_servers))
    ignored_case = IgnoredCase(config.handle_ignore_case)
    verified: dict[str, list[RecordedPlace]] = {}
    ignored: dict[str, list[RecordedPlace]] = {}
    handles: dict[str, Handle] = {}
    servers_of_keys: dict[str, str] = {}
    for place in recorded:
        handle = recorded_handle(place.handle)
        is_ignored = (
            any(
                fnmatchcase(place.document, pattern)
                for pattern in config.handle_verify_exclude_documents
            )
            or handle in ignored_handles
            or (isinstance(builder, HandleLinkCheckBuilder) and builder.ignores(place))
        )
        server = server_to_ask_for(place.written, servers)
        key = key_at_server(handle, server, ignored_case)
        if server is not None:
            servers_of_keys[key] = server
        if is_ignored:
            ignored.setdefault(key, []).append(place)
        else:
            verified.setdefault(key, []).append(place)
            handles.setdefault(key, handle)
    process.submit(handles, servers_of_keys)
    return verified, {key: ignored[key] for key in ignored if key not in verified}


def _report(app: "Sphinx", results: Results) -> None:
    """Log the results, write reports, and set the exit status of a check."""
    log_process(app, results)
    log_unanswered(app, results)
    builder = app.builder
    if isinstance(builder, HandleLinkCheckBuilder):
        # It has reported the handles in its own way.
        if builder.broken_hyperlinks:
            app.statuscode = 1
        elif results.process.failure and not app.statuscode:
            app.statuscode = _NOT_VERIFIED
    else:
        log_findings(app, results)
    if isinstance(builder, HandleCheckBuilder):
        write_reports(app, results)
        app.statuscode = app.statuscode or exit_status(results.findings)


def _settings(app: "Sphinx") -> VerificationSettings:
    """The settings of the project.

    Paths are relative to the source folder.  The cache is in the folder of the
    doctrees, where a clean build deletes it, unless the project gives a path.
    """
    config = app.config
    cache = config.handle_cache
    if cache is None:
        cache = str(Path(app.doctreedir, "handles.sqlite"))
    # Sphinx allows path objects here.
    cacerts = config.tls_cacerts or None
    if isinstance(cacerts, Mapping):
        cacerts = {host: str(path) for host, path in cacerts.items()}
    elif cacerts is not None:
        cacerts = str(cacerts)
    return settings_of(config).verification(
        partial(_from_source, app),
        _from_source(app, cache) if cache else None,
        user_agent=str(config.user_agent or ""),
        tls_verify=bool(config.tls_verify),
        tls_cacerts=cacerts,
    )


def _from_source(app: "Sphinx", named: str) -> str:
    """An address as it is; a path from the source folder."""
    return named if is_address(named) else str(Path(app.srcdir, named))
