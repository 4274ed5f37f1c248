"""``hdl suffix``: the time that a suffix tells."""

import click

from handle_cli.output import Exit, as_json, json_option, say, trouble
from handle_cli.parsing import given
from handle_system import HandleSyntaxError
from handle_system.suffix import to_datetime

__all__ = ["suffix"]


@click.command(short_help="Tell when each SUFFIX was minted.")
@click.argument("suffixes", nargs=-1, required=True, metavar="SUFFIX…")
@json_option
def suffix(suffixes: tuple[str, ...], *, in_json: bool) -> None:
    """Tell when each SUFFIX was minted, as "hdl mint" and the PILIN project do.

    A SUFFIX of "-" reads suffixes from the standard input, one to a line.

    Exits with 2 if one is no such suffix.
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
