"""What is written for people and for programs.

Texts come from arguments, files and servers: what a terminal would hide or obey
is shown as an escape.  JSON is written in ASCII, which every terminal and pipe
takes.
"""

import json
import sys
from collections.abc import Iterable

import click

from handle_system.errors import showable

__all__ = ["as_json", "json_option", "say", "say_rows", "trouble"]

json_option = click.option(
    "--json", "in_json", is_flag=True, help="Write JSON, for programs."
)


def as_json(value: object) -> str:
    """The value as JSON, for programs."""
    return json.dumps(value, indent=2)


def say(text: str = "") -> None:
    """Write a line to the standard output."""
    click.echo(_writable(text))


def trouble(text: str) -> None:
    """Write a line to the standard error."""
    click.echo(_writable(text), err=True)


def say_rows(rows: Iterable[tuple[str, str]]) -> None:
    """Write names and what they are, one below the other."""
    for name, value in rows:
        say(f"  {name:<10}{showable(value)}")


def _writable(text: str) -> str:
    # A terminal may know fewer characters than a handle does.
    encoding = sys.stdout.encoding or "ascii"
    return text.encode(encoding, "backslashreplace").decode(encoding)
