"""``hdl resolve``: what a handle's record says."""

from collections.abc import Iterable
from dataclasses import replace

import click
from rich.console import Console
from rich.table import Table
from rich.text import Text

from handle_cli.output import Exit, as_json, json_option, progress_bar, say, trouble
from handle_cli.parsing import read_references, texts_argument
from handle_system.errors import showable
from handle_system.handle import Handle
from handle_system.resolving.old_many import resolve_many
from handle_system.resolving.outcome import Outcome, OutcomeName, Resolved
from handle_system.resolving.record_data import data_to_json
from handle_system.resolving.records_file import RecordsFileError
from handle_system.resolving.resolver import close_resolver
from handle_system.resolving.value import HandleValue
from handle_system.verifying.resolver_building import build_resolver
from handle_system.verifying.verdict import Verdict, verdict_of
from handle_system.verifying.verification_settings import VerificationSettings

__all__ = ["ask", "resolve"]

_WIDE = 200
_LABELS = {
    OutcomeName.RESOLVED: "resolved",
    OutcomeName.NOT_REGISTERED: "not registered",
    OutcomeName.NO_VALUES: "registered, with no public value",
    OutcomeName.REFUSED: "refused",
    OutcomeName.UNREACHABLE: "not reached",
}


@click.command(short_help="Show the record of each handle, and where it leads.")
@texts_argument
@click.option(
    "--server", "servers", multiple=True, metavar="URL", help="A proxy to be asked."
)
@click.option(
    "--records",
    multiple=True,
    type=click.Path(exists=True, dir_okay=False),
    help="A file of records to be asked, before any proxy.",
)
@json_option
def resolve(
    texts: tuple[str, ...],
    *,
    servers: tuple[str, ...],
    records: tuple[str, ...],
    in_json: bool,
) -> None:
    """Show the record of each TEXT's handle as a table, and where it leads.

    Without --server and --records the public proxy https://hdl.handle.net/ is
    asked.  Aliases are followed and named.

    Exits with 1 if a handle is not registered or its record leads nowhere, with
    2 if a text is no reference, with 3 if no server gave an answer.
    """
    references, wrong = read_references(texts)
    handles = [each.handle for each in references]
    outcomes = ask(handles, VerificationSettings(), resolvers=(*records, *servers))
    if in_json:
        say(as_json([_members(*each) for each in outcomes.items()]))
    else:
        for handle, outcome in outcomes.items():
            _show(handle, outcome)
    click.get_current_context().exit(Exit.WRONG if wrong else _code(outcomes))


def ask(
    handles: Iterable[Handle],
    settings: VerificationSettings,
    *,
    resolvers: tuple[str, ...] = (),
) -> dict[Handle, Outcome]:
    """What comes of asking for the handles, with a bar where somebody watches.

    Args:
        handles: What to ask for.
        settings: Whom to ask, and how.
        resolvers: Whom to ask instead: base URLs and paths of records files.

    Raises:
        click.UsageError: when a resolver cannot be used.
    """
    try:
        if resolvers:
            settings = replace(settings, resolvers=resolvers)
        resolver = build_resolver(settings, notice=trouble, warn=trouble)
    except (RecordsFileError, ValueError) as error:
        raise click.UsageError(showable(str(error))) from error
    with progress_bar("Asking") as show:
        try:
            return resolve_many(
                handles,
                resolver,
                connections=settings.connections,
                budget=settings.budget,
                progress=lambda _handle, _outcome, done, total: show(done, total),
            )
        finally:
            close_resolver(resolver)


def _code(outcomes: dict[Handle, Outcome]) -> Exit:
    verdicts = [verdict_of(*each) for each in outcomes.items()]
    if any(each.outcome is OutcomeName.NOT_REGISTERED for each in verdicts):
        return Exit.FINDINGS
    if any(each.problems for each in verdicts):
        return Exit.FINDINGS
    unknown = {OutcomeName.UNREACHABLE, OutcomeName.REFUSED}
    if any(each.outcome in unknown for each in verdicts):
        return Exit.UNKNOWN
    return Exit.FINE


def _show(handle: Handle, outcome: Outcome) -> None:
    verdict = verdict_of(handle, outcome)
    said = _LABELS[verdict.outcome]
    say(
        showable(
            f"{handle}: {said}" + (f", {verdict.reason}" if verdict.reason else "")
        )
    )
    if isinstance(outcome, Resolved):
        if verdict.aliases:
            chain = (*verdict.aliases, str(outcome.record.handle))
            say(f"by way of {showable(' → '.join(chain))}")
        _table(outcome.record.values)
    if verdict.target is not None:
        say(f"leads to {showable(verdict.target)}")
    for problem in verdict.problems:
        say(f"wrong: {showable(problem)}")


def _table(values: Iterable[HandleValue]) -> None:
    table = Table(box=None, pad_edge=False)
    for name in ("index", "type", "data", "ttl"):
        table.add_column(name, overflow="fold")
    for value in values:
        ttl = value.ttl
        written = f"{ttl} s" if isinstance(ttl, int) else ttl.isoformat()
        # As `Text`, so that brackets in a record are no markup.
        table.add_row(
            str(value.index),
            Text(showable(value.type)),
            Text(showable(_shown(value))),
            written,
        )
    console = Console()
    console.print(table, width=None if console.is_terminal else _WIDE)


def _shown(value: HandleValue) -> str:
    if isinstance(value.data, str):
        return value.data
    written = data_to_json(value.data)
    return as_json(written["value"]).replace("\n", " ")


def _members(handle: Handle, outcome: Outcome) -> dict[str, object]:
    verdict: Verdict = verdict_of(handle, outcome)
    record = outcome.record.to_json() if isinstance(outcome, Resolved) else None
    members = verdict.to_json()
    # Just now: nothing is remembered here.
    del members["answered"]
    return {**members, "record": record}
