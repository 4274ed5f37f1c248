"""``hdl mint``: suffixes that nobody was given before."""

import click

from handle_cli.output import Exit, as_json, json_option, say, trouble
from handle_system import Handle, HandleSyntaxError
from handle_system.errors import showable
from handle_system.suffix import MintingError, PilinSuffixes

__all__ = ["mint"]


@click.command(short_help="Make new suffixes, which tell the time of minting.")
@click.option("--prefix", metavar="P", help="Write whole handles, with this prefix.")
@click.option(
    "--state",
    type=click.Path(dir_okay=False),
    help="A file that keeps any two runs from giving the same suffix.",
)
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

    Without --state no suffix is given twice in one run; with it, in no two runs
    that name the same file, at once or one after another.  Take one file for
    each prefix.

    Exits with 2 if the prefix is none, or no suffix is certain to be new.
    """
    minter = PilinSuffixes(state=state)
    made = []
    try:
        for _ in range(count):
            suffix = minter.mint()
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
