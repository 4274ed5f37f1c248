"""References given as arguments, or one to a line of the standard input."""

import sys
from collections.abc import Iterable, Iterator

import click

from handle_cli.output import trouble
from handle_system import HandleReference, HandleSyntaxError

__all__ = ["given", "read_references", "texts_argument"]

texts_argument = click.argument("texts", nargs=-1, required=True, metavar="TEXT…")


def given(texts: Iterable[str]) -> Iterator[str]:
    """The texts; ``-`` stands for the lines of the standard input."""
    for text in texts:
        if text == "-":
            lines = (line.rstrip("\r\n") for line in sys.stdin)
            yield from filter(str.strip, lines)
        else:
            yield text


def read_references(texts: Iterable[str]) -> tuple[list[HandleReference], int]:
    """The references, and how many texts were none; those are told of."""
    references = []
    wrong = 0
    for text in given(texts):
        try:
            references.append(HandleReference.parse(text))
        except HandleSyntaxError as error:
            trouble(str(error))
            wrong += 1
    return references, wrong
