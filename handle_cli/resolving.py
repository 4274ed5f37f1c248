"""``hdl resolve`` and ``hdl cache``: the records of handles, and remembered outcomes."""

from collections.abc import Callable, Iterable, Mapping, Sequence
from datetime import UTC, datetime
from pathlib import Path
from typing import assert_never

import click

from handle_cli.files import project_settings
from handle_cli.output import (
    Exit,
    UnusableError,
    as_json,
    json_option,
    resolver_option,
    say,
    say_table,
    show_progress,
    takes_older_names,
    trouble,
)
from handle_cli.parsing import parsed, texts_argument
from handle_system.errors import showable
from handle_system.handle import Handle
from handle_system.reference import HandleReference
from handle_system.resolving.building import build_resolver
from handle_system.resolving.cache import (
    Cache,
    SqliteCache,
    is_address_of_redis,
    open_cache,
)
from handle_system.resolving.many import resolve_many
from handle_system.resolving.outcomes import (
    NotRegistered,
    NoValues,
    Outcome,
    Refused,
    Resolved,
    Unreachable,
    describe,
    is_answer,
    is_good_news,
)
from handle_system.verifying.findings import (
    CheckedPlace,
    FindingCode,
    ReportRow,
    Severity,
    checked_handle,
    verdict_of,
)
from handle_system.verifying.verification_settings import VerificationSettings

__all__ = ["ask", "cache", "resolve", "verify"]

_SEVERITIES: dict[str, Severity] = {
    FindingCode.NOT_REGISTERED: Severity.ERROR,
    FindingCode.RECORD: Severity.WARNING,
    FindingCode.NO_VALUES: Severity.WARNING,
}


@click.command(
    short_help="Show the record of each handle, and where it leads.",
    context_settings=takes_older_names,
)
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
    references = [*parsed(texts)]
    handles = [each.handle for each in references if isinstance(each, HandleReference)]
    outcomes = ask(handles, resolvers=resolvers)
    if in_json:
        say(as_json([_members(*each) for each in outcomes.items()]))
    else:
        for handle, outcome in outcomes.items():
            _show(handle, outcome)
    codes = {_exit_code(outcome) for outcome in outcomes.values()} - {Exit.FINE}
    is_wrong = len(handles) < len(references)
    # For several handles, the lowest code counts.
    code = Exit.WRONG if is_wrong else min(codes, default=Exit.FINE)
    click.get_current_context().exit(code)


def _exit_code(outcome: Outcome) -> Exit:
    match outcome:
        case Resolved():
            return Exit.FINE if is_good_news(outcome) else Exit.FINDINGS
        case NotRegistered():
            return Exit.FINDINGS
        case NoValues():
            return Exit.FINE
        case Refused() | Unreachable():
            return Exit.UNKNOWN
        case _:
            assert_never(outcome)


def ask(
    handles: Iterable[Handle],
    *,
    resolvers: tuple[str, ...] = (),
    settings: VerificationSettings | None = None,
    cache: Cache | None = None,
) -> dict[Handle, Outcome]:
    """The outcomes of the handles, counted on a terminal.

    Args:
        handles: The handles.
        resolvers: The resolvers to ask instead of those in `settings`.
        settings: The resolvers to ask, and how; by default the public proxy.
        cache: The opened cache; it is closed at the end.

    Raises:
        UnusableError: when a resolver cannot be used.
    """
    settings = settings or VerificationSettings()
    try:
        resolver = build_resolver(
            resolvers or settings.resolvers,
            http=settings.http,
            cache=cache,
            budget=settings.budget,
            notice=trouble,
        )
    except ValueError as error:
        raise UnusableError(showable(str(error))) from error
    with resolver:
        return resolve_many(
            handles,
            resolver,
            connections=settings.connections,
            progress=show_progress,
        )


def verify(
    places: Mapping[Handle, Sequence[CheckedPlace]],
    settings: VerificationSettings,
    *,
    resolvers: tuple[str, ...],
    cache: str | None,
) -> tuple[list[ReportRow], bool]:
    """The findings at the records, and whether no handle could be verified.

    Args:
        places: The places of each handle.
        settings: The resolvers to ask, and how.
        resolvers: The resolvers to ask instead of those in `settings`.
        cache: The cache to use instead of the one in `settings`.
    """
    address = cache or settings.cache
    remembered = None if address is None else _opened_cache(address, warn=trouble)
    outcomes = ask(places, resolvers=resolvers, settings=settings, cache=remembered)
    provenance = {} if remembered is None else remembered.provenance
    rows = [
        checked_handle(
            verdict_of(handle, outcome, provenance.get(handle)),
            tuple(places[handle]),
            _SEVERITIES,
        )
        for handle, outcome in outcomes.items()
    ]
    is_anything_known = any(is_answer(outcome) for outcome in outcomes.values())
    return rows, bool(outcomes) and not is_anything_known


def _opened_cache(address: str, *, warn: Callable[[str], object]) -> Cache:
    """The cache at a path or a URL.

    Raises:
        UnusableError: when a URL is none of a cache.
    """
    try:
        return open_cache(address, warn=warn)
    except ValueError as error:
        raise UnusableError(showable(str(error))) from error


def _show(handle: Handle, outcome: Outcome) -> None:
    said = f"{handle}: {outcome.name.replace('-', ' ')}"
    if not isinstance(outcome, Resolved):
        reason = f", {outcome.reason}" if outcome.reason else ""
        say(showable(f"{said}{reason}"))
        return
    say(showable(said))
    if outcome.aliases:
        way = (*outcome.aliases, outcome.record.handle)
        say(f"by way of {showable(' → '.join(map(str, way)))}")
    say_table(
        ("index", "type", "data", "ttl"),
        (
            (
                value.index,
                value.type,
                value.text or as_json(value.data).replace("\n", " "),
                value.json.get("ttl"),
            )
            for value in outcome.record.values
        ),
    )
    if outcome.target is None:
        say(f"leads nowhere: {showable(str(outcome.reason))}")
    else:
        say(f"leads to {showable(outcome.target)}")


def _members(handle: Handle, outcome: Outcome) -> dict[str, object]:
    members = {**describe(handle, outcome), "aliases": [], "record": None}
    if isinstance(outcome, Resolved):
        aliases = [*map(str, outcome.aliases)]
        members |= {"aliases": aliases, "record": outcome.record.to_json()}
    return members


_path = click.argument("path", type=click.Path(exists=True, dir_okay=False))


@click.group
def cache() -> None:
    """Show or prune a cache of outcomes, or make it forget handles."""


@cache.command
@_path
@json_option
def show(path: str, *, in_json: bool) -> None:
    """List the outcomes in the cache at PATH."""
    with SqliteCache(path, warn=_refuse) as opened:
        rows = [
            {
                "handle": str(entry.handle),
                "outcome": entry.outcome.name,
                "target": entry.outcome.target,
                "resolver": entry.resolver,
                "asked": _moment(entry.asked),
                "fresh_until": _moment(entry.until),
            }
            for entry in opened.entries()
        ]
    if in_json:
        say(as_json(rows))
    elif rows:
        say_table([*rows[0]], ([*row.values()] for row in rows))


@cache.command
@_path
def prune(path: str) -> None:
    """Forget all outcomes that are too old."""
    with SqliteCache(path, warn=_refuse) as opened:
        forgotten = opened.prune()
        say(f"forgotten: {forgotten}, kept: {len(opened.entries())}")


@cache.command(short_help="Forget the outcomes of HANDLEs.")
@click.argument("texts", nargs=-1, required=True, metavar="[PATH] HANDLE…")
@click.option("--cache", "address", help="The cache: a file, or a redis:// URL.")
def forget(texts: tuple[str, ...], *, address: str | None) -> None:
    """Forget the outcomes of each HANDLE, in the cache at PATH.

    Without PATH and --cache, it is the cache that [tool.handle] of pyproject.toml names.

    A cache holds no finding for long: whatever would be one is asked for again. Forget a
    handle that leads somewhere else now, before the cache asks for it again by itself.
    """
    if address is None:
        address, texts = _named_cache(texts)
    handles = [HandleReference.parse(text).handle for text in texts]
    with _opened_cache(address, warn=_refuse) as opened:
        forgotten = sum(map(opened.forget, handles))
    say(f"forgotten: {forgotten}")


def _named_cache(texts: tuple[str, ...]) -> tuple[str, tuple[str, ...]]:
    """The cache that the first argument or the project names, and the other arguments.

    Raises:
        UnusableError: when neither names one.
    """
    first, *others = texts
    if is_address_of_redis(first) or Path(first).is_file():
        if not others:
            raise click.UsageError("Missing argument 'HANDLE…'.")
        return first, tuple(others)
    named = project_settings().verification.cache
    if named is None:
        raise click.UsageError("name the cache: a PATH before the handles, or --cache")
    return named, texts


def _refuse(reason: str) -> None:
    raise UnusableError(reason)


def _moment(seconds: int) -> str:
    return datetime.fromtimestamp(seconds, UTC).isoformat(timespec="minutes")
