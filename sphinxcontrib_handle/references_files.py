"""The files of references that a project names."""

import datetime as dt
import os
from functools import cache, partial
from os.path import relpath
from pathlib import Path
from typing import TYPE_CHECKING, Any

from handle_system.describing.described_works import (
    USUAL_NAME,
    DescribedWorks,
)
from handle_system.describing.work_findings import (
    finding_about_file,
    findings_about_retractions,
)
from handle_system.errors import showable
from sphinxcontrib_handle.domain import HandleDomain, handle_domain
from sphinxcontrib_handle.messages import report_finding_about_run
from sphinxcontrib_handle.read_files import FactsOfFiles, ReadFiles
from sphinxcontrib_handle.website import is_in_output

if TYPE_CHECKING:
    from sphinx.application import Sphinx
    from sphinx.environment import BuildEnvironment


def file_paths(env: "BuildEnvironment") -> list[Path]:
    """The files that the option names, the first of which wins."""
    named: str | list[str] | None = env.config.handle_references
    names = named if isinstance(named, list) else [named or ""]
    return [Path(env.srcdir, name) for name in names if name]


def files_of_commands(env: "BuildEnvironment") -> list[str]:
    """The files that a command has to name, as paths from the current folder on."""
    paths = file_paths(env)
    # The command finds a single file of the usual name by itself.
    is_usual = [path.name for path in paths] == [USUAL_NAME]
    return [] if is_usual else [shown_path(path) for path in paths]


def read_files(
    app: "Sphinx",
    env: "BuildEnvironment",
    _added: set[str],
    _changed: set[str],
    _removed: set[str],
) -> list[str]:
    """Read the files of references; no document has to be read for them.

    Sphinx calls this once a build, at ``env-get-outdated``, before it reads documents.
    """
    named = app.config.handle_retractions
    files = ReadFiles(file_paths(env), Path(app.srcdir, named) if named else None)
    domain = handle_domain(env)
    facts = _facts(files, domain)
    domain.files = files
    domain.facts = facts
    domain.rests_on = ""
    domain.told = None
    domain.page = None
    domain.titles = {}
    domain.process = os.getpid()
    domain.builder = app.builder
    domain.address = app.builder.get_relative_uri
    domain.has_page = partial(is_in_output, app.builder)
    if app.builder.format == "html":
        # Each book of LaTeX and Texinfo holds other documents.
        domain.address = cache(domain.address)
        domain.has_page = cache(domain.has_page)
    for path, problem in facts.problems:
        finding = finding_about_file(problem, shown_path(Path(path)))
        report_finding_about_run(app.config, finding)
    for finding in findings_about_retractions(
        _without_records(files, facts), shown_path
    ):
        report_finding_about_run(app.config, finding)
    return []


def _without_records(files: ReadFiles, facts: FactsOfFiles) -> DescribedWorks:
    """The file of Retraction Watch as far as it is known without its records."""
    if files.retractions is None:
        return DescribedWorks(())
    # Most projects name none, and need nothing that reads one.
    from handle_system.describing.retraction_watch import (  # noqa: PLC0415 (as it says)
        RetractionsFile,
    )

    last = facts.last_retraction
    last_day = dt.date.fromisoformat(last) if last else None
    file = RetractionsFile(files.retractions, facts.retractions_problem, last_day)
    return DescribedWorks((), file)


def _facts(files: ReadFiles, domain: HandleDomain) -> FactsOfFiles:
    """What is known of files, from an earlier build if they are still the same."""
    kept: tuple[Any, ...] = domain.data["files"]
    if kept[:1] == (files.digest,):
        return FactsOfFiles(*kept)
    facts = files.read_facts()
    # What is said of a missing file depends on which others there are.
    is_complete = not any(file.is_missing for file in files.works.files)
    domain.data["files"] = tuple(facts) if is_complete else ()
    return facts


def shown_path(path: Path) -> str:
    """A path as the command takes it: from the current folder on."""
    try:
        return showable(Path(relpath(path)).as_posix())
    except ValueError:
        # Windows has no path from one drive to another.
        return showable(str(path))
