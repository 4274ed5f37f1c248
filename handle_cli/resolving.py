"""``hdl resolve``: the record of a handle, and where it leads."""

from collections.abc import Iterable

import click
from rich.console import Console
from rich.table import Table
from rich.text import Text

from handle_cli.output import (
    Exit,
    as_json,
    json_option,
    progress_bar,
    resolver_option,
    say,
    trouble,
)
from handle_cli.parsing import read_references, texts_argument
from handle_system.errors import showable
from handle_system.handle import Handle
from handle_system.resolving import DEFAULT_RESOLVER
from handle_system.resolving.building import build_resolver
from handle_system.resolving.cache import Cache
from handle_system.resolving.http_client import HttpSettings
from handle_system.resolving.many import resolve_many
from handle_system.resolving.outcomes import (
    NotRegistered,
    Outcome,
    Refused,
    Resolved,
    Unreachable,
    describe,
)
from handle_system.resolving.records import HandleRecord
from handle_system.resolving.resolvers import close_resolver

__all__ = ["ask", "resolve"]

_WIDE = 200


@click.command(short_help="Show the record of each handle, and where it leads.")
@texts_argument
@resolver_option
@json_option
def resolve(
    texts: tuple[str, ...], *, resolvers: tuple[str, ...], in_json: bool
) -> None:
    """Show the record of each TEXT's handle as a table, and where it leads.

    Without --resolver the public proxy https://hdl.handle.net/ is asked. Aliases are
    followed and named.

    Exits with 1 if a handle is not registered or its record leads nowhere, with 2 if a
    text is no reference, with 3 if no server gave an answer.
    """
    references, wrong = read_references(texts)
    outcomes = ask([each.handle for each in references], resolvers)
    if in_json:
        say(as_json([_members(*each) for each in outcomes.items()]))
    else:
        for handle, outcome in outcomes.items():
            _show(handle, outcome)
    exit_code = Exit.WRONG if wrong else _exit_code(outcomes.values())
    click.get_current_context().exit(exit_code)


def ask(
    handles: Iterable[Handle],
    resolvers: Iterable[str] = (),
    *,
    http: HttpSettings | None = None,
    cache: Cache | None = None,
    budget: int | None = None,
    connections: int = 8,
) -> dict[Handle, Outcome]:
    """The outcomes of the handles, with a progress bar on a terminal.

    Args:
        handles: The handles.
        resolvers: URLs of proxies and paths of records files; the public proxy if
            there are none.
        http: Settings for HTTP.
        cache: A cache; it is closed afterwards.
        budget: How many handles servers may be asked for.
        connections: How many handles are asked for at the same time.

    Raises:
        click.UsageError: when a resolver cannot be used.
    """
    try:
        resolver = build_resolver(
            tuple(resolvers) or (DEFAULT_RESOLVER,),
            http=http,
            cache=cache,
            budget=budget,
            notice=trouble,
        )
    except ValueError as error:
        raise click.UsageError(showable(str(error))) from error
    with progress_bar("Resolving") as show:
        try:
            return resolve_many(
                handles,
                resolver,
                connections=connections,
                progress=lambda _handle, _outcome, done, total: show(done, total),
            )
        finally:
            close_resolver(resolver)


def _exit_code(outcomes: Iterable[Outcome]) -> Exit:
    unknown = False
    for outcome in outcomes:
        match outcome:
            case NotRegistered():
                return Exit.FINDINGS
            case Resolved() if outcome.reason is not None:
                return Exit.FINDINGS
            case Unreachable() | Refused():
                unknown = True
    return Exit.UNKNOWN if unknown else Exit.FINE


def _show(handle: Handle, outcome: Outcome) -> None:
    label = outcome.name.replace("-", " ")
    if not isinstance(outcome, Resolved):
        reason = f", {outcome.reason}" if outcome.reason else ""
        say(showable(f"{handle}: {label}{reason}"))
        return
    say(showable(f"{handle}: {label}"))
    if outcome.aliases:
        way = (*map(str, outcome.aliases), str(outcome.record.handle))
        say(f"by way of {showable(' → '.join(way))}")
    _show_table(outcome.record)
    if outcome.target is not None:
        say(f"leads to {showable(outcome.target)}")
    if outcome.reason is not None:
        say(f"leads nowhere: {showable(outcome.reason)}")


def _show_table(record: HandleRecord) -> None:
    table = Table(box=None, pad_edge=False)
    for name in ("index", "type", "data", "ttl"):
        table.add_column(name, overflow="fold")
    for value in record.values:
        data = value.data
        shown = data if isinstance(data, str) else as_json(data).replace("\n", " ")
        ttl = value.json.get("ttl", "")
        # As `Text`, so that brackets in a record are no markup.
        table.add_row(
            str(value.index),
            Text(showable(value.type)),
            Text(showable(shown)),
            f"{ttl} s" if isinstance(ttl, int) else Text(showable(str(ttl))),
        )
    console = Console()
    console.print(table, width=None if console.is_terminal else _WIDE)


def _members(handle: Handle, outcome: Outcome) -> dict[str, object]:
    aliases: list[str] = []
    record = None
    if isinstance(outcome, Resolved):
        aliases = [*map(str, outcome.aliases)]
        record = outcome.record.to_json()
    return {**describe(handle, outcome), "aliases": aliases, "record": record}
