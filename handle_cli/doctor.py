"""``hdl doctor``: what is installed, what is configured, and what to do next.

The lines go into bug reports: they name no path outside of the project, no user, and no
password of an address.
"""

import datetime as dt
import os
import platform
import shutil
import time
from collections import Counter
from collections.abc import Iterable, Iterator, Sequence
from functools import partial
from importlib.metadata import PackageNotFoundError, requires, version
from pathlib import Path
from typing import NamedTuple

import click
from packaging.requirements import Requirement

import handle_system
from handle_cli.checked_texts import findings_about_unreadable_files
from handle_cli.output import (
    Exit,
    UnusableError,
    print_error,
    print_line,
    resolver_option,
)
from handle_cli.paths import shown_path
from handle_cli.project_settings import (
    SETTINGS_TO_TRUST,
    ProjectSettings,
    project_settings,
)
from handle_cli.references_files import files_to_read, files_to_write, old_file
from handle_cli.site_builders import Configuration, configurations
from handle_system.describing.agencies import DOI_RESOLVER
from handle_system.describing.csl_styles import PandocError, check_pandoc
from handle_system.describing.described_works import USUAL_NAME
from handle_system.describing.described_works import read_described_works as read_works
from handle_system.describing.references_file import ReferencesFile
from handle_system.describing.work_findings import (
    command_for,
    update_command,
)
from handle_system.errors import showable
from handle_system.findings.codes import FrontEnd, Severity
from handle_system.findings.finding import Finding
from handle_system.foreign_files import outside_reason, real_path
from handle_system.handle import Handle
from handle_system.project_file import (
    IGNORE_FILE,
    SETTINGS_FILE,
    ignored_patterns,
    project_root,
    written_settings,
)
from handle_system.resolving import DEFAULT_RESOLVER, HttpSettings
from handle_system.resolving.building import build_resolver
from handle_system.resolving.outcomes import Resolved, Unreachable
from handle_system.settings import located, read
from handle_system.text import several, without_passwords
from handle_system.typed_values import TOML

_DISTRIBUTION = "sphinxcontrib-handle"
# The programs and libraries whose versions explain what somebody sees, in this order.
_HOSTS = {
    "docutils": "docutils",
    "sphinx": "Sphinx",
    "myst-parser": "MyST-Parser",
    "myst-nb": "MyST-NB",
    "jupyter-book": "Jupyter Book",
    "markdown-it-py": "markdown-it-py",
    "markdown": "Python-Markdown",
    "mkdocs": "MkDocs",
    "mkdocs-material": "Material for MkDocs",
    "properdocs": "ProperDocs",
    "zensical": "Zensical",
    "pelican": "Pelican",
    "mystmd": "mystmd",
    "pygls": "pygls",
    "pybtex": "pybtex",
    "redis": "redis",
}
# The commands that refuse a setting which needs trust; others obey it, or need it not.
_REFUSED_BY = {
    "proxies": "hdl fix",
    "references": "hdl check",
    "suffix_policy": "hdl check",
}
# The handbook of DOIs, which every server knows.
_ASKED_FOR = "10.1000/182"
_HELP_INDENTATION = " " * 9


class _Checked(NamedTuple):
    """What was looked at, and what came of it.

    Attributes:
        severity: How much it matters; `None` if it is as it should be.
        text: It, in one line.
        help: What to do, if anything; lines below the first are for pasting.
    """

    severity: Severity | None
    text: str
    help: str = ""


@click.command()
@click.option(
    "--online",
    is_flag=True,
    help=f"Ask each server for one handle, {_ASKED_FOR}, and say whether it answers.",
)
@resolver_option
def doctor(*, online: bool, resolvers: tuple[str, ...]) -> None:
    """Say what is installed, what is configured, and what to do next.

    The command looks at the project that the current folder belongs to: the versions of
    the programs that it works with, the configuration of a site builder, [tool.handle],
    .hdlignore and the file of references. It reads conf.py, and does not run it. Without
    --online it asks no server.

    The output can go into a bug report: it names no path outside of the project and no
    password.

    Exits with 1 if there is an error or a warning.
    """
    if resolvers and not online:
        raise click.UsageError("--resolver is for --online")
    root = project_root(Path.cwd())
    site_builders = configurations(root)
    # The commands are for the project, from the current folder on.
    project = [shown_path(root)]
    checks = [*_versions(), *_site_builders(site_builders)]
    settings = None
    try:
        settings = project_settings()
    except UnusableError as error:
        checks.append(_Checked(Severity.ERROR, without_passwords(error.message)))
    if settings is not None:
        untrusted = [name for name in SETTINGS_TO_TRUST if _needs_trust(name)]
        checks += _settings(root, untrusted, settings.notes)
        checks += _other_values(root, site_builders)
        # What only trusted settings name, no command reads without being told.
        if "references" not in untrusted:
            checks += _references(settings, project)
            checks += _other_references(settings, project, site_builders)
        checks += _programs(settings)
    for checked in checks:
        _show(checked)
    if online:
        for checked in _servers(settings, resolvers):
            checks.append(checked)
            _show(checked)
    _conclude(checks, project)


def _show(checked: _Checked) -> None:
    if checked.severity is None:
        level = click.style(f"{'ok':<9}", fg="green")
    else:
        name = checked.severity.value
        level = click.style(f"{name:<9}", fg=checked.severity.colour, bold=True)
    print_line(f"{level}{showable(checked.text)}")
    first, *rest = checked.help.split("\n")
    if first:
        label = click.style("help:", fg="green", bold=True)
        print_line(f"{_HELP_INDENTATION}{label} {showable(first)}")
    for line in rest:
        print_line(f"{_HELP_INDENTATION}      {showable(line)}")


def _conclude(checks: Sequence[_Checked], project: Sequence[str]) -> None:
    """Sum up, on the standard error, and end with the exit code."""
    counts = Counter(checked.severity for checked in checks)
    parts = [
        several(counts[severity], severity.value)
        for severity in (Severity.ERROR, Severity.WARNING, Severity.NOTE)
        if counts[severity]
    ]
    result = ", ".join(parts) or "nothing to mend"
    print_error("")
    print_error(f"{len(checks)} checked: {result}.")
    print_error(f"To check the project: {command_for('hdl check', project)}")
    is_bad = counts[Severity.ERROR] or counts[Severity.WARNING]
    click.get_current_context().exit(Exit.FINDINGS if is_bad else Exit.FINE)


def _versions() -> Iterator[_Checked]:
    """The versions of what this package works with, and those that are too old."""
    names = [f"hdl {handle_system.__version__}", f"Python {platform.python_version()}"]
    for distribution, name in _HOSTS.items():
        installed = _installed_version(distribution)
        if installed:
            names.append(f"{name} {installed}")
    yield _Checked(None, ", ".join(names))
    try:
        required = requires(_DISTRIBUTION) or []
    except PackageNotFoundError:
        # It runs from a checkout.
        return
    told = set()
    for requirement in map(Requirement, required):
        installed = _installed_version(requirement.name)
        is_usable = requirement.specifier.contains(installed or "0", prereleases=True)
        if installed and not is_usable and requirement.name not in told:
            # Several extras may have the same requirement.
            told.add(requirement.name)
            wanted = f"{requirement.name}{requirement.specifier}"
            text = (
                f"{requirement.name} {installed} is installed, and {wanted} is needed"
            )
            yield _Checked(Severity.WARNING, text, f'pip install "{wanted}"')


def _installed_version(distribution: str) -> str | None:
    try:
        return version(distribution)
    except PackageNotFoundError:
        return None


def _site_builders(found: Sequence[Configuration]) -> Iterator[_Checked]:
    """The configurations of site builders."""
    for configuration in found:
        name = shown_path(configuration.path)
        builder = configuration.builder.value
        if configuration.problem:
            yield _Checked(Severity.WARNING, f"{name}: {configuration.problem}")
        elif configuration.plugin.is_named:
            names = ", ".join(configuration.plugin.options)
            options = f"; it sets {names}" if names else ""
            yield _Checked(None, f"{name}: {builder} loads the plugin{options}")
        else:
            references = configuration.path.with_name(USUAL_NAME)
            lines = configuration.lines_to_add(references)
            text = f"{name}: {builder} does not load the plugin"
            yield _Checked(Severity.NOTE, text, f"add\n{lines}")
    if not found:
        text = "no configuration of Sphinx, MkDocs or another site builder"
        yield _Checked(Severity.NOTE, text, "hdl check and hdl fix need none")


def _settings(
    root: Path, untrusted: Iterable[str], notes: Iterable[Finding]
) -> Iterator[_Checked]:
    """The settings of the project, which are known to be valid.

    Args:
        root: The folder of the project.
        untrusted: The settings that a command refuses.
        notes: What is wrong with settings of other front ends.
    """
    table = written_settings(root)
    if table is None:
        yield _Checked(
            Severity.NOTE, f"{SETTINGS_FILE}: there is no [tool.handle]", "hdl init"
        )
    else:
        names = ", ".join(table) or "nothing"
        yield _Checked(None, f"{SETTINGS_FILE}: [tool.handle] sets {names}")
    for name in untrusted:
        command = _REFUSED_BY.get(name, "hdl check --verify")
        yield _Checked(
            Severity.NOTE,
            f'{SETTINGS_FILE}: {command} refuses "{name}" in [tool.handle]',
            "--trust-config, in projects whose settings you trust",
        )
    for note in notes:
        yield _Checked(note.severity, f"{SETTINGS_FILE}: {note.message}")
    patterns = ignored_patterns(root)
    if patterns:
        count = several(len(patterns), "pattern")
        yield _Checked(None, f"{IGNORE_FILE}: {count} of paths that are skipped")


def _needs_trust(name: str) -> bool:
    """Whether a setting is used only with ``--trust-config``."""
    try:
        project_settings([name])
    except UnusableError:
        return True
    return False


def _references(
    settings: ProjectSettings, project: Sequence[str]
) -> Iterator[_Checked]:
    """The files of references: what they hold, and how old that is."""
    try:
        files = files_to_read((), settings, project)
    except UnusableError as error:
        yield _Checked(Severity.ERROR, error.message)
        return
    works = read_works(files).with_retractions(settings.retractions)
    if not works.files:
        yield _Checked(
            Severity.NOTE,
            "there is no file of references",
            update_command([], project),
        )
    is_named = bool(settings.references)
    unreadable = findings_about_unreadable_files(works, is_named=is_named)
    yield from map(_from_finding, unreadable)
    old = old_file(works, (), settings, project)
    for file in works.files:
        if not file.items:
            continue
        said = _age(file)
        is_written = file is works.files[-1]
        never_asked = [
            handle
            for handle in file.never_asked
            if handle not in settings.values.unverified
        ]
        if is_written and never_asked:
            text = f"{said}; agencies were never asked about {len(never_asked)}"
            yield _Checked(
                Severity.NOTE, text, update_command([], project, refreshes=True)
            )
        elif is_written and old is not None:
            yield _Checked(old.severity, said, old.command)
        else:
            yield _Checked(None, said)


def _other_references(
    settings: ProjectSettings, project: Sequence[str], found: Iterable[Configuration]
) -> Iterator[_Checked]:
    """The site builders that read other files of references than the command."""
    try:
        files = files_to_write((), settings, project)
    except UnusableError:
        # It has been told.
        return
    for configuration in found:
        read_by_builder = configuration.files_of_references(settings.references)
        if read_by_builder is None:
            continue
        are_same = [*map(real_path, read_by_builder)] == [*map(real_path, files)]
        # A file that is not there yet is missed by nobody.
        if not are_same and (read_by_builder or files[-1].exists()):
            listed = _listed(read_by_builder, settings.root)
            text = (
                f"{shown_path(configuration.path)}: {configuration.builder.value} reads "
                f"{listed or 'no file of references'}, and hdl "
                f"{_listed(files, settings.root)}"
            )
            yield _Checked(
                Severity.NOTE,
                text,
                'name the same files, in "references" of [tool.handle]',
            )


def _other_values(root: Path, found: Iterable[Configuration]) -> Iterator[_Checked]:
    """The settings that Sphinx's configuration and the project's table give differently.

    The files of references are compared with those of the command.
    """
    written = written_settings(root) or {}
    # What cannot be used is told elsewhere.
    table = read(written, FrontEnd.SPHINX, TOML, notes=[], complaints=[])
    of_table = located(table, partial(_path_from, root))
    for configuration in found:
        if not configuration.obeys_table:
            continue
        folder = configuration.path.parent
        values = read(configuration.plugin.settings, FrontEnd.SPHINX, complaints=[])
        of_build = located(values, partial(_path_from, folder))
        names = [
            name
            for name in of_build.keys() & of_table.keys() - {"references"}
            if _as_list(of_build[name]) != _as_list(of_table[name])
        ]
        if names:
            yield _Checked(
                Severity.NOTE,
                f"{shown_path(configuration.path)} and [tool.handle] differ in "
                f"{', '.join(sorted(names))}: {configuration.builder.value} obeys its own",
                "set it in one of them",
            )


def _as_list(value: object) -> object:
    """A text as a list of one, which is the same where a setting takes several."""
    return [value] if isinstance(value, str) else value


def _path_from(folder: Path, path: str) -> str:
    return os.path.normpath(folder / path)


def _listed(paths: Iterable[Path], root: Path) -> str:
    return ", ".join(_path_inside(path, root) for path in paths)


def _path_inside(path: Path, root: Path) -> str:
    """The path; one outside of the project is not named."""
    if outside_reason(path, root):
        return "a file outside of the project"
    return shown_path(path)


def _age(file: ReferencesFile) -> str:
    """How many works a file describes, and when they were asked for."""
    said = f"{shown_path(file.path)}: {several(len(file.items), 'work')}"
    if not file.last_asked:
        return said
    today = dt.date.today()  # noqa: DTZ011 (the day of the user, as in the file)
    days = (today - dt.date.fromisoformat(file.last_asked)).days
    return f"{said}, last asked {file.last_asked}, {several(days, 'day')} ago"


def _from_finding(finding: Finding) -> _Checked:
    text = f"{finding.subject}: {finding.message}"
    return _Checked(finding.severity, text, finding.command or finding.advice)


def _programs(settings: ProjectSettings) -> Iterator[_Checked]:
    """Other programs, which some options need."""
    if settings.values.style:
        yield _pandoc()
    if shutil.which("git") is None:
        yield _Checked(
            Severity.NOTE, "git is not installed: hdl check does not obey .gitignore"
        )


def _pandoc() -> _Checked:
    """The program that a CSL style needs."""
    try:
        advice = check_pandoc()
    except PandocError as error:
        return _Checked(Severity.WARNING, f"--style {error}")
    return _Checked(Severity.NOTE if advice else None, advice or "pandoc is installed")


def _servers(
    settings: ProjectSettings | None, resolvers: Sequence[str]
) -> Iterator[_Checked]:
    """Whether each server answers."""
    http = HttpSettings() if settings is None else settings.verification.http
    for name in resolvers or (DOI_RESOLVER, DEFAULT_RESOLVER):
        yield _answer_of(name, http)


def _answer_of(name: str, http: HttpSettings) -> _Checked:
    """Whether one server answers, and in which time."""
    shown = without_passwords(name)
    handle = Handle.parse(_ASKED_FOR)
    started = time.monotonic()
    try:
        with build_resolver([name], http=http) as resolver:
            outcome = resolver.resolve(handle)
    except ValueError as error:
        return _Checked(Severity.ERROR, f"{shown}: {without_passwords(str(error))}")
    seconds = time.monotonic() - started
    match outcome:
        case Resolved():
            return _Checked(None, f"{shown}: {handle} in {seconds:.1f} s")
        case Unreachable(reason):
            help_ = "set HTTPS_PROXY, or work offline with --resolver FILE"
            return _Checked(Severity.ERROR, f"{shown}: {reason}", help_)
        case _:
            said = f"{handle} is {outcome.name.replace('-', ' ')}"
            return _Checked(None, f"{shown}: it answers that {said}")
