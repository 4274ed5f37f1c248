"""``hdl cache``: what is remembered of earlier verifications."""

import click

from handle_cli.output import json_option, say, trouble
from handle_system.cache import Cache
from handle_system.errors import showable

__all__ = ["cache"]

_path = click.argument("path", type=click.Path(exists=True, dir_okay=False))


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
            until = entry.fresh_until.isoformat(timespec="minutes")
            target = "" if entry.target is None else f" {entry.target}"
            say(showable(f"{entry.handle}: {entry.outcome} until {until}{target}"))


@cache.command
@_path
def export(path: str) -> None:
    """Write what the cache at PATH remembers as JSON."""
    with Cache(path, warn=trouble) as opened:
        say(opened.to_json())


@cache.command
@_path
def prune(path: str) -> None:
    """Forget what may not be believed any more."""
    with Cache(path, warn=trouble) as opened:
        forgotten = opened.prune()
        kept = len(opened.entries())
    say(f"forgotten: {forgotten}, kept: {kept}")
