"""``hdl init``: the settings of a project, written after one question."""

import os
import sys
from collections.abc import Mapping, Sequence
from pathlib import Path, PurePath

import click

from handle_cli.output import Exit, UnusableError, print_error, print_line
from handle_cli.paths import shown_path
from handle_cli.project_settings import project_settings
from handle_cli.references_files import files_to_write
from handle_cli.site_builders import Configuration, configurations
from handle_cli.writing import NotWrittenError, refusal, write_file
from handle_system.citing.documents import load_toml
from handle_system.describing.work_findings import command_for, update_command
from handle_system.errors import showable
from handle_system.foreign_files import outside_reason, read_foreign_file, why_unread
from handle_system.project_file import (
    LONGEST_SETTINGS_FILE,
    SETTINGS_FILE,
    ProjectFileError,
    project_root,
    written_settings,
)

# The answer that stands for nothing.
_NONE = "-"


@click.command()
@click.option("--yes", is_flag=True, help="Take the usual answer without asking.")
def init(*, yes: bool) -> None:
    """Write the settings that a project needs, after one question.

    The question is whether there is to be a file of references. The command shows what
    it writes: the table [tool.handle] of pyproject.toml,
    behind what the file holds, and nothing else. If there is a table already, it writes
    nothing.

    It also shows what the configuration of Sphinx, MkDocs or another site builder lacks,
    for you to add, and the commands to go on with.

    Without a terminal, it writes only with --yes.

    Exits with 0; with 1 if it would have to ask and there is no terminal; with 2 if a file
    cannot be read or written.
    """
    root = project_root(Path.cwd())
    reason = refusal(root / SETTINGS_FILE, root)
    if reason is not None:
        raise UnusableError(f"{SETTINGS_FILE}: {reason}")
    site_builders = configurations(root)
    usual = _usual_file(root, site_builders)
    is_interactive = sys.stdin.isatty() and sys.stdout.isatty()
    is_set_up = _is_set_up(root)
    code = Exit.FINE
    references: Path | None = usual
    if is_set_up:
        name = shown_path(root / SETTINGS_FILE)
        print_error(f"{name}: there is a table [tool.handle], which stays as it is.")
    else:
        if is_interactive and not yes:
            references = _asked(usual, root)
        table = _table(references, root)
        writes = yes or is_interactive
        _show_settings(root, table, writes=writes)
        if writes:
            _write(root, table)
        else:
            print_error("Nothing is written without --yes.")
            code = Exit.FINDINGS
    _show_lines_to_add(site_builders, references)
    _show_next(references, root)
    click.get_current_context().exit(code)


def _is_set_up(root: Path) -> bool:
    """Whether the project has settings.

    Raises:
        UnusableError: when they cannot be read.
    """
    try:
        return written_settings(root) is not None
    except ProjectFileError as error:
        raise UnusableError(str(error)) from error


def _usual_file(root: Path, site_builders: Sequence[Configuration]) -> Path:
    """The file of references that the settings name or that is there, or a new one."""
    settings = project_settings(["references"])
    *_, usual = files_to_write((), settings, [shown_path(root)])
    if settings.references or usual.exists():
        return usual
    # Builders read the file from beside their configuration.
    folders = (configuration.path.parent for configuration in site_builders)
    return next(folders, usual.parent) / usual.name


def _asked(usual: Path, root: Path) -> Path | None:
    """The file of references that the user wants; `None` if there is to be none."""
    chosen: Path | None = click.prompt(
        f'File of references, with the metadata of cited works ("{_NONE}" for none)',
        shown_path(usual),
        value_proc=lambda text: _file_inside(text, root),
    )
    return chosen


def _file_inside(text: str, root: Path) -> Path | None:
    """The file that an answer names, which settings may name only in the project."""
    if text.strip() in {"", _NONE}:
        return None
    path = Path(text.strip())
    reason = outside_reason(path, root)
    if reason:
        raise click.BadParameter(f"it is {reason}")
    return path


def _table(references: Path | None, root: Path) -> Mapping[str, object]:
    """The settings that the answer asks for."""
    if references is None:
        return {}
    return {"references": PurePath(os.path.relpath(references, root)).as_posix()}


def _as_toml(table: Mapping[str, object]) -> str:
    # Only this command writes TOML, and knows how to quote.
    import tomlkit  # noqa: PLC0415 (see above)

    return tomlkit.dumps({"tool": {"handle": table}})


def _show_settings(root: Path, table: Mapping[str, object], *, writes: bool) -> None:
    verb = "gets" if writes else "would get"
    print_line(f"{shown_path(root / SETTINGS_FILE)} {verb}\n")
    for line in _as_toml(table).splitlines():
        print_line(f"    {showable(line)}")


def _write(root: Path, table: Mapping[str, object]) -> None:
    """Put the table behind what the file holds.

    Raises:
        UnusableError: when the file stays as it is.
    """
    path = root / SETTINGS_FILE
    try:
        old = None
        if path.exists():
            old = read_foreign_file(path, LONGEST_SETTINGS_FILE)
        content = _with_table((old or b"").decode("utf-8"), table)
        write_file(path, content.encode("utf-8"), expected=old, root=root)
    except NotWrittenError as error:
        raise UnusableError(f"{SETTINGS_FILE}: it is not written: {error}") from error
    except OSError as error:
        raise UnusableError(f"{SETTINGS_FILE}: {why_unread(error)}") from error
    except ValueError as error:
        reason = "the table cannot stand behind what it holds: add it by hand"
        raise UnusableError(f"{SETTINGS_FILE}: {reason}") from error


def _with_table(old: str, table: Mapping[str, object]) -> str:
    """The text of the file with the table.

    Raises:
        ValueError: when the file would not say what it is to say.
    """
    # Lines of Windows stay so.
    line_end = "\r\n" if "\r\n" in old else "\n"
    added = _as_toml(table).replace("\n", line_end)
    before = old
    if old and not old.endswith("\n"):
        before += line_end
    if old:
        before += line_end
    new = before + added
    # Where it can be read, nothing but a table is called "tool".
    read_again = load_toml(new)
    wanted = load_toml(old)
    wanted["tool"] = {**wanted.get("tool", {}), "handle": table}
    if read_again != wanted:
        raise ValueError("the file says something else then")
    return new


def _show_lines_to_add(
    site_builders: Sequence[Configuration], references: Path | None
) -> None:
    for configuration in site_builders:
        if configuration.plugin.is_named or configuration.problem:
            continue
        name = shown_path(configuration.path)
        print_line(f"\n{name}: for {configuration.builder.value} add\n")
        for line in configuration.lines_to_add(references).splitlines():
            print_line(f"    {showable(line)}")


def _show_next(references: Path | None, root: Path) -> None:
    project = [shown_path(root)]
    print_line("\nThen\n")
    if references is not None:
        print_line(f"    {update_command([], project)}")
    print_line(f"    {command_for('hdl check', project)}")
