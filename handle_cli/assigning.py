"""``hdl assign``: handles for the versions that have none yet."""

from pathlib import Path

import click

from handle_cli.output import Exit, as_json, json_option, say, trouble
from handle_system import HandleSyntaxError
from handle_system.citing.assignment import assign_file
from handle_system.citing.values import CitationError
from handle_system.errors import showable
from handle_system.suffix import MintingError, PilinSuffixes

__all__ = ["assign"]


@click.command
@click.argument("file", type=click.Path(exists=True, dir_okay=False, path_type=Path))
@click.option("--prefix", required=True, metavar="P", help="The new handles' prefix.")
@click.option(
    "--state",
    type=click.Path(dir_okay=False),
    help="A file that keeps any two runs from giving the same suffix.",
)
@click.option(
    "--version",
    "labels",
    multiple=True,
    metavar="LABEL",
    help="A version that is meant; without any, all that have no handle.",
)
@json_option
def assign(
    file: Path,
    *,
    prefix: str,
    state: str | None,
    labels: tuple[str, ...],
    in_json: bool,
) -> None:
    """Give handles to the versions in FILE that have none yet.

    FILE is a TOML file of works and their versions.  A version has no handle if
    its "handle" is missing or says "not yet assigned"; one that an environment
    variable gives is left alone.  Comments, order and spacing stay.

    The new handles are written into the file and printed.  They are not
    registered: see hdl register.

    Exits with 2 if the file cannot be read, or not be written without changing
    more.
    """
    try:
        made = assign_file(
            file, prefix, PilinSuffixes(state=state), labels=labels or None
        )
    except HandleSyntaxError as error:
        trouble(str(error))
        click.get_current_context().exit(Exit.WRONG)
    except (CitationError, MintingError, OSError, UnicodeDecodeError) as error:
        trouble(showable(f"{file}: {error}"))
        click.get_current_context().exit(Exit.WRONG)
    if in_json:
        rows = [(each.path, each.label, str(each.handle)) for each in made]
        names = ("path", "version", "handle")
        say(as_json([dict(zip(names, row, strict=True)) for row in rows]))
        return
    for each in made:
        say(showable(f"version {each.label}: {each.handle}"))
    if not made:
        trouble("every version that is meant has a handle")
