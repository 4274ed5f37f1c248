"""``hdl register``: what a handle server is to be told of a file of works."""

from collections.abc import Iterable, Iterator
from itertools import chain, groupby
from pathlib import Path

import click

from handle_cli.output import Exit, say, trouble
from handle_cli.verifying import ask
from handle_system import HandleSyntaxError
from handle_system.citing.registration import (
    Administrator,
    Registration,
    batch_file,
    plan,
    rest_requests,
    rest_text,
)
from handle_system.citing.toml import choose_work, read_toml
from handle_system.citing.values import CitationError
from handle_system.citing.work import Work
from handle_system.errors import showable
from handle_system.handle import Handle
from handle_system.reference import HandleReference
from handle_system.resolving.outcome import (
    NotRegistered,
    Outcome,
    Refused,
    Resolved,
    Unreachable,
)
from handle_system.verifying.verdict import verdict_of
from handle_system.verifying.verification_settings import VerificationSettings

__all__ = ["register"]

_ADDRESS_INDEX = 1


@click.command
@click.argument("file", type=click.Path(exists=True, dir_okay=False, path_type=Path))
@click.option("--id", "name", metavar="ID", help="One of the file's works; else all.")
@click.option(
    "--format",
    "form",
    type=click.Choice(["batch", "json"]),
    default="batch",
    show_default=True,
    help="A batch file, or requests of the JSON interface.",
)
@click.option(
    "--admin",
    metavar="INDEX:HANDLE",
    help="Who may change new handles.  [default: 200:0.NA/ and the prefix]",
)
@click.option("--new", is_flag=True, help="Ask nobody: no handle is registered yet.")
@click.option(
    "--resolver",
    "resolvers",
    multiple=True,
    metavar="URL|FILE",
    help="A proxy, or a file of records, that is asked.",
)
def register(
    file: Path,
    *,
    name: str | None,
    form: str,
    admin: str | None,
    new: bool,
    resolvers: tuple[str, ...],
) -> None:
    """Write what a handle server is to be told of the works in FILE.

    FILE is a TOML file of works.  Each version's handle is to lead to its "url",
    and the work's handle to the work's own "url" or to that of the latest
    version.  What is registered already and leads elsewhere is modified, what is
    not registered is created, and what leads there already is passed over;
    without --resolver and --new the public proxy is asked.

    Nothing is sent, and no key or password is in what is written.  DOIs are
    registered with their agencies, and left out.

    Exits with 2 if the file cannot be read, and with 3 if no server gave an
    answer.
    """
    exits = click.get_current_context().exit
    try:
        works = _works(file, name)
        wanted = _wanted(works)
        outcomes: dict[Handle, Outcome] = {}
        if not new:
            handles = [each.handle for each in wanted]
            settings = VerificationSettings()
            outcomes = ask(handles, settings, resolvers=resolvers)
        for handle, outcome in outcomes.items():
            if isinstance(outcome, (Unreachable, Refused)):
                reason = verdict_of(handle, outcome).reason or "refused"
                trouble(showable(f"{handle}: not known whether registered: {reason}"))
                exits(Exit.UNKNOWN)
        written = _written(list(_open(wanted, outcomes)), outcomes, form, admin)
        if written:
            say(written.removesuffix("\n"))
    except HandleSyntaxError as error:
        trouble(str(error))
        exits(Exit.WRONG)
    except (CitationError, OSError, ValueError) as error:
        trouble(showable(f"{file}: {error}"))
        exits(Exit.WRONG)


def _works(file: Path, name: str | None) -> tuple[Work, ...]:
    works = read_toml(file.read_text(encoding="utf-8"))
    if name is not None:
        return (choose_work(works, name),)
    return tuple(named.work for named in works)


def _wanted(works: Iterable[Work]) -> list[Registration]:
    """Where handles are to lead; of the others it is said why they are left out."""
    plans = [(work, plan(work)) for work in works]
    for work, made in plans:
        for left in made.left_out:
            trouble(showable(f"{work.title}, {left.what}: {left.reason}"))
    return list(chain.from_iterable(made.registrations for _, made in plans))


def _open(
    wanted: Iterable[Registration], outcomes: dict[Handle, Outcome]
) -> Iterator[Registration]:
    """What is still to be done, of what is wanted."""
    for each in wanted:
        outcome = outcomes.get(each.handle)
        if isinstance(outcome, Resolved):
            values = outcome.record.values
            at = {value.index: value for value in values if value.type == "URL"}
            if verdict_of(each.handle, outcome).target == each.url:
                trouble(showable(f"{each.handle}: leads to {each.url} already"))
                continue
            if _ADDRESS_INDEX not in at:
                trouble(
                    showable(
                        f"{each.handle}: change it by hand to lead to {each.url}: its "
                        f"record has no address at index {_ADDRESS_INDEX}"
                    )
                )
                continue
        yield each


def _written(
    registrations: list[Registration],
    outcomes: dict[Handle, Outcome],
    form: str,
    admin: str | None,
) -> str:
    known = {
        handle
        for handle, outcome in outcomes.items()
        if not isinstance(outcome, NotRegistered)
    }
    groups = [
        (list(group), _administrator(admin, prefix))
        for prefix, group in groupby(registrations, lambda each: each.handle.prefix)
    ]
    if form == "json":
        return rest_text(
            [
                request
                for group, who in groups
                for request in rest_requests(group, who, registered=known)
            ]
        )
    return "".join(batch_file(group, who, registered=known) for group, who in groups)


def _administrator(written: str | None, prefix: str) -> Administrator:
    if written is None:
        return Administrator.of_prefix(prefix)
    reference = HandleReference.parse(written)
    return Administrator(
        handle=reference.handle,
        index=200 if reference.index is None else reference.index,
    )
