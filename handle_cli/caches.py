"""``hdl cache``: the outcomes that earlier verifications left in a cache."""

from datetime import UTC, datetime
from pathlib import Path

import click

from handle_cli.output import as_json, json_option, say, trouble
from handle_system.errors import showable
from handle_system.resolving.cache import CacheEntry, SqliteCache, is_cache_file

__all__ = ["cache"]


def _only_caches(
    _context: click.Context, _parameter: click.Parameter, path: str
) -> str:
    if not is_cache_file(Path(path)):
        raise click.BadParameter(f"{showable(path)} is not a cache of this version")
    return path


_path = click.argument(
    "path",
    type=click.Path(exists=True, dir_okay=False, readable=True),
    callback=_only_caches,
)


@click.group
def cache() -> None:
    """Show, export or prune a cache of outcomes."""


@cache.command
@_path
@json_option
def show(path: str, *, in_json: bool) -> None:
    """List the outcomes in the cache at PATH, one handle to a line."""
    with SqliteCache(path, warn=trouble) as opened:
        entries = opened.entries()
    if in_json:
        say(as_json([_members(entry) for entry in entries]))
        return
    for entry in entries:
        target = entry.outcome.target
        leads = "" if target is None else f", leads to {target}"
        asked, until = _moment(entry.asked), _moment(entry.until)
        when = f"on {asked}, believed until {until}"
        say(showable(f"{entry.handle}: {entry.outcome.name} {when}{leads}"))


@cache.command
@_path
def export(path: str) -> None:
    """Write the outcomes in the cache at PATH as JSON."""
    with SqliteCache(path, warn=trouble) as opened:
        say(as_json([_members(entry) for entry in opened.entries()]))


@cache.command
@_path
@json_option
def prune(path: str, *, in_json: bool) -> None:
    """Forget all outcomes that are no longer believed."""
    with SqliteCache(path, warn=trouble) as opened:
        forgotten = opened.prune()
        kept = len(opened.entries())
    if in_json:
        say(as_json({"forgotten": forgotten, "kept": kept}))
    else:
        say(f"forgotten: {forgotten}, kept: {kept}")


def _members(entry: CacheEntry) -> dict[str, object]:
    return {
        "resolver": entry.resolver,
        "handle": str(entry.handle),
        "outcome": entry.outcome.name,
        "target": entry.outcome.target,
        "asked": _moment(entry.asked),
        "fresh_until": _moment(entry.until),
    }


def _moment(seconds: int) -> str:
    return datetime.fromtimestamp(seconds, UTC).isoformat(timespec="minutes")
