"""``hdl cache``: what is remembered of earlier verifications."""

from pathlib import Path

import click

from handle_cli.output import as_json, json_option, say, trouble
from handle_system.errors import showable
from handle_system.resolving.cache_opening import is_cache
from handle_system.resolving.old_cache import Cache

__all__ = ["cache"]


def _only_caches(
    _context: click.Context, _parameter: click.Parameter, path: str
) -> str:
    # A build moves aside what is no cache and begins one; who looks at a file does not.
    if not is_cache(Path(path)):
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
    """List what the cache at PATH remembers, one handle to a line."""
    with Cache(path, warn=trouble) as opened:
        if in_json:
            say(opened.to_json())
            return
        for entry in opened.entries():
            asked = entry.asked.isoformat(timespec="minutes")
            until = entry.fresh_until.isoformat(timespec="minutes")
            target = "" if entry.target is None else f", leads to {entry.target}"
            when = f"on {asked}, believed until {until}"
            say(showable(f"{entry.handle}: {entry.outcome} {when}{target}"))


@cache.command
@_path
def export(path: str) -> None:
    """Write what the cache at PATH remembers as JSON."""
    with Cache(path, warn=trouble) as opened:
        say(opened.to_json())


@cache.command
@_path
@json_option
def prune(path: str, *, in_json: bool) -> None:
    """Forget what may not be believed any more."""
    with Cache(path, warn=trouble) as opened:
        forgotten = opened.prune()
        kept = len(opened.entries())
    if in_json:
        say(as_json({"forgotten": forgotten, "kept": kept}))
    else:
        say(f"forgotten: {forgotten}, kept: {kept}")
