"""``hdl register``: the handles of a works file, as a handle server takes them."""

from collections.abc import Iterator, Mapping
from pathlib import Path

import click

from handle_cli.assigning import env_option
from handle_cli.output import Exit, resolver_option, say, trouble
from handle_cli.resolving import ask
from handle_system.citing.fields import CitationError, HandleReader, allowed_variables
from handle_system.citing.pipeline import read_work
from handle_system.citing.registration import (
    URL_INDEX,
    Administrator,
    Registration,
    batch_file,
    plan,
    rest_text,
)
from handle_system.citing.sources import chosen_source, toml_sources
from handle_system.errors import HandleSyntaxError, showable
from handle_system.handle import Handle
from handle_system.reference import HandleReference
from handle_system.resolving.outcomes import (
    NotRegistered,
    Outcome,
    Refused,
    Resolved,
    Unreachable,
    describe,
)

__all__ = ["register"]


@click.command(short_help="Write the registrations of works for a handle server.")
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
    help="The administrator of new handles.  [default: 200:0.NA/ and the prefix]",
)
@click.option("--new", is_flag=True, help="Ask no server: no handle is registered yet.")
@env_option
@resolver_option
def register(  # noqa: PLR0913 - one argument for each option
    file: Path,
    *,
    name: str | None,
    form: str,
    admin: str | None,
    new: bool,
    variables: tuple[str, ...],
    resolvers: tuple[str, ...],
) -> None:
    """Write the registrations that a handle server needs for the works in FILE.

    FILE is a TOML file of works.  Each version's handle leads to its "url", and the
    work's handle to the work's own "url" or to that of the latest version.  A handle
    that leads elsewhere is modified, one that is not registered is created, and one
    that leads there already is skipped; without --resolver and --new the public
    proxy is asked.

    Nothing is sent, and the output holds no key or password.  DOIs are left out:
    their agencies register them.

    Exits with 2 if the file cannot be read, and with 3 if no server gave an answer.
    """
    exits = click.get_current_context().exit
    try:
        wanted = _wanted(
            file, name, HandleReader(environment=allowed_variables(variables))
        )
        handles = [each.handle for each in wanted]
        outcomes = {} if new else ask(handles, resolvers)
        for handle, outcome in outcomes.items():
            if isinstance(outcome, (Unreachable, Refused)):
                reason = describe(handle, outcome)["reason"] or "refused"
                trouble(showable(f"{handle}: not known whether registered: {reason}"))
                exits(Exit.UNKNOWN)
        known = {k for k, v in outcomes.items() if not isinstance(v, NotRegistered)}
        write = rest_text if form == "json" else batch_file
        remaining = list(_remaining(wanted, outcomes))
        text = write(remaining, _administrator(admin), registered=known)
        if text:
            say(text.removesuffix("\n"))
    except HandleSyntaxError as error:
        trouble(str(error))
        exits(Exit.WRONG)
    except (CitationError, OSError, ValueError) as error:
        trouble(showable(f"{file}: {error}"))
        exits(Exit.WRONG)


def _wanted(file: Path, name: str | None, reader: HandleReader) -> list[Registration]:
    """The registrations of the file; a message names each that is left out."""
    sources = toml_sources(file.read_text(encoding="utf-8"), file.name)
    if name is not None:
        sources = (chosen_source(sources, name, file.name),)
    wanted = []
    for source in sources:
        work = read_work(source, reader)
        registrations, left_out = plan(work)
        wanted += registrations
        for sentence in left_out:
            trouble(showable(f"{work.title}, {sentence}"))
    return wanted


def _remaining(
    wanted: list[Registration], outcomes: Mapping[Handle, Outcome]
) -> Iterator[Registration]:
    """The registrations that a server does not have, and that a file can change."""
    for each in wanted:
        outcome = outcomes.get(each.handle)
        if not isinstance(outcome, Resolved):
            yield each
        elif describe(each.handle, outcome)["target"] == each.url:
            trouble(showable(f"{each.handle}: leads to {each.url} already"))
        elif not any(
            value.type == "URL" and value.index == URL_INDEX
            for value in outcome.record.values
        ):
            trouble(
                showable(
                    f"{each.handle}: change it by hand to lead to {each.url}: its "
                    f"record has no address at index {URL_INDEX}"
                )
            )
        else:
            yield each


def _administrator(written: str | None) -> Administrator | None:
    if written is None:
        return None
    reference = HandleReference.parse(written)
    index = 200 if reference.index is None else reference.index
    return Administrator(reference.handle, index)
