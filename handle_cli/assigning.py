"""``hdl assign``: handles for the versions that have none yet."""

import re
from collections.abc import Collection
from pathlib import Path
from typing import Any

import click
import tomlkit

from handle_cli.minting import state_option
from handle_cli.output import Exit, as_json, json_option, say, trouble
from handle_cli.whole_file import write_whole
from handle_system.citing.documents import read_toml
from handle_system.citing.fields import (
    NOT_YET_ASSIGNED,
    CitationError,
    HandleReader,
    allowed_variables,
)
from handle_system.citing.pipeline import read_work
from handle_system.citing.sources import toml_sources
from handle_system.citing.work import label_key
from handle_system.errors import HandleSyntaxError, showable
from handle_system.handle import Handle
from handle_system.suffix import MintingError, mint

__all__ = ["assign", "env_option"]

_LINE_FEED = re.compile(r"(?<!\r)\n")

env_option = click.option(
    "--env",
    "variables",
    multiple=True,
    metavar="NAME",
    help='A variable that "env:NAME" in FILE may read; repeat it for several.',
)


@click.command
@click.argument("file", type=click.Path(exists=True, dir_okay=False, path_type=Path))
@click.option("--prefix", required=True, metavar="P", help="The new handles' prefix.")
@state_option
@click.option(
    "--version",
    "labels",
    multiple=True,
    metavar="LABEL",
    help="A version to assign a handle to; without any, all that have none.",
)
@env_option
@json_option
def assign(
    file: Path,
    *,
    prefix: str,
    state: str | None,
    labels: tuple[str, ...],
    variables: tuple[str, ...],
    in_json: bool,
) -> None:
    """Assign handles to the versions in FILE that have none yet.

    FILE is a TOML file of works and their versions.  A version has no handle if
    its "handle" is missing or says "not yet assigned"; an environment variable
    counts as a handle.  Comments, order and spacing stay.

    The new handles are written into the file and printed.  They are not
    registered: see hdl register.

    Exits with 2 if the file cannot be read, has no such version, or cannot be
    written without another change.
    """
    try:
        reader = HandleReader(environment=allowed_variables(variables))
        text = file.read_bytes().decode("utf-8")
        changed, rows = assigned(text, file.name, prefix, state, labels, reader)
        if rows:
            write_whole(file, changed.encode("utf-8"))
    except HandleSyntaxError as error:
        trouble(str(error))
        click.get_current_context().exit(Exit.WRONG)
    except (CitationError, MintingError, OSError, UnicodeDecodeError) as error:
        trouble(showable(f"{file}: {error}"))
        click.get_current_context().exit(Exit.WRONG)
    if in_json:
        say(as_json(rows))
        return
    for row in rows:
        say(showable(f"version {row['version']}: {row['handle']}"))
    if not rows:
        trouble("all these versions have handles already")


def assigned(
    text: str,
    name: str,
    prefix: str,
    state: str | None,
    labels: Collection[str],
    reader: HandleReader,
) -> tuple[str, list[dict[str, str]]]:
    """The text of a works file with new handles, and the handles by version.

    Raises:
        CitationError: if the file is wrong or has no such version, or if the text
            cannot be edited without another change.
        HandleSyntaxError: if the prefix is wrong.
        MintingError: if no suffix can be minted.
    """
    works = [read_work(source, reader) for source in toml_sources(text, name)]
    known = [version.label for work in works for version in work.versions]
    for label in labels:
        if label_key(label) not in map(label_key, known):
            raise CitationError(
                f"there is no version {label}; there are {', '.join(known)}",
                where="--version",
            )
    mark = text[:1] if text.startswith("\ufeff") else ""
    document = tomlkit.parse(text.removeprefix("\ufeff"))
    expected: Any = read_toml(text)
    wanted = {label_key(label) for label in labels or known}
    rows: list[dict[str, str]] = []
    for w, work in enumerate(works):
        for v, version in enumerate(work.versions):
            row: Any = document["work"][w]["version"][v]
            written = str(row.get("handle", "")).strip().casefold()
            if label_key(version.label) in wanted and written in NOT_YET_ASSIGNED:
                handle = str(Handle(prefix, mint(state=state)))
                is_new = "handle" not in row
                row["handle"] = handle
                if is_new:
                    row["handle"].trivia.indent = row["label"].trivia.indent
                expected["work"][w]["version"][v]["handle"] = handle
                path = f"work[{w}].version[{v}]"
                rows.append({"path": path, "version": version.label, "handle": handle})
    changed = tomlkit.dumps(document)
    if "\r\n" in text:
        # tomlkit ends new lines with a line feed.
        changed = _LINE_FEED.sub("\r\n", changed)
    if read_toml(changed) != expected:
        raise CitationError(
            "it cannot be edited without another change: write the handles by hand",
            where=name,
        )
    return mark + changed, rows
