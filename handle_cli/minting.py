"""``hdl mint`` makes new suffixes, and ``hdl suffix`` reads their time."""

import click

from handle_cli.output import Exit, as_json, json_option, say, trouble
from handle_cli.parsing import given
from handle_system import Handle, HandleSyntaxError
from handle_system.errors import showable
from handle_system.suffix import MintingError, to_datetime
from handle_system.suffix import mint as mint_suffix

__all__ = ["mint", "state_option", "suffix"]

state_option = click.option(
    "--state",
    type=click.Path(dir_okay=False),
    help="A file that keeps any two runs from making the same suffix.",
)


@click.command(short_help="Make new suffixes, which tell the time of minting.")
@click.option("--prefix", metavar="P", help="Write whole handles, with this prefix.")
@state_option
@click.option(
    "--count",
    type=click.IntRange(min=1),
    default=1,
    show_default=True,
    help="How many.",
)
@json_option
def mint(*, prefix: str | None, state: str | None, count: int, in_json: bool) -> None:
    """Make new suffixes: nine characters each, which tell the time of minting.

    Without --state no suffix is made twice in one run; with it, in no two runs
    that name the same file, at once or one after another.  Take one file for
    each prefix.

    Exits with 2 if the prefix is wrong, or if no suffix is certain to be new.
    """
    made = []
    try:
        for _ in range(count):
            suffix = mint_suffix(state=state)
            made.append(suffix if prefix is None else str(Handle(prefix, suffix)))
            if not in_json:
                say(made[-1])
    except HandleSyntaxError as error:
        trouble(str(error))
        click.get_current_context().exit(Exit.WRONG)
    except MintingError as error:
        trouble(showable(str(error)))
        click.get_current_context().exit(Exit.WRONG)
    if in_json:
        say(as_json(made))


@click.command(short_help="Show when each SUFFIX was minted.")
@click.argument("suffixes", nargs=-1, required=True, metavar="SUFFIX…")
@json_option
def suffix(suffixes: tuple[str, ...], *, in_json: bool) -> None:
    """Show when each SUFFIX was minted, by "hdl mint" or the PILIN project.

    A SUFFIX of "-" reads suffixes from the standard input, one to a line.

    Exits with 2 if one is not such a suffix.
    """
    code = Exit.FINE
    rows = []
    for text in given(suffixes):
        try:
            moment = to_datetime(text)
        except HandleSyntaxError as error:
            trouble(str(error))
            code = Exit.WRONG
            continue
        written = moment.isoformat(timespec="milliseconds").replace("+00:00", "Z")
        rows.append({"suffix": text, "time": written})
        if not in_json:
            say(f"{text} {written}")
    if in_json:
        say(as_json(rows))
    click.get_current_context().exit(code)
