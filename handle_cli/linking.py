"""``hdl link``: the one correct link of a handle."""

import click

from handle_cli.exits import Exit
from handle_cli.output import as_json, json_option, say
from handle_cli.texts import read_references, texts_argument
from handle_system import DEFAULT_PROXIES

__all__ = ["link"]


@click.command(short_help="Write the one correct link of each TEXT.")
@texts_argument
@json_option
def link(texts: tuple[str, ...], *, in_json: bool) -> None:
    """Write the one correct link of each TEXT, encoded as the proxies read it.

    A TEXT of "-" reads texts from the standard input, one to a line.

    Exits with 2 if a text is no reference; the links of the others are written.
    """
    references, wrong = read_references(texts)
    links = [(each.source, DEFAULT_PROXIES.link(each)) for each in references]
    if in_json:
        say(as_json([{"text": text, "link": target} for text, target in links]))
    else:
        for _, target in links:
            say(target)
    click.get_current_context().exit(Exit.WRONG if wrong else Exit.FINE)
