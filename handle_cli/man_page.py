"""``hdl man``: the manual page of the command, made from its help.

The page is written in the macros of man(7), in which groff and mandoc read it.
"""

import re
from collections.abc import Iterator
from typing import Any

import click

import handle_system
from handle_cli.output import print_line

# A paragraph that begins with this mark keeps its lines (click, "Preventing Rewrapping").
_KEEPS_LINES = "\b"
_EXIT_CODES = "Exit codes:"
_CODE = re.compile(r"\s*(\d+)\s+(.+)")

_FILES = {
    "pyproject.toml": "The table [tool.handle] holds the settings of a project.",
    ".hdlignore": "Patterns of paths that are skipped, one to a line.",
    "references.json": "The metadata of cited works, beside the documents.",
}
_ENVIRONMENT = {
    "NO_COLOR": "If it is set, nothing is coloured.",
    "HTTPS_PROXY": "The HTTP proxy by way of which servers are asked.",
}


@click.command()
@click.pass_context
def man(context: click.Context) -> None:
    """Write the manual page of this command, which the program man shows.

    "hdl man | man -l -" shows it. In ~/.local/share/man/man1/hdl.1, or in another folder
    of manual pages, "man hdl" finds it.
    """
    print_line("\n".join(man_page(context.find_root())))


def man_page(context: click.Context) -> Iterator[str]:
    """The lines of the manual page of a command.

    Args:
        context: The context of the command.
    """
    command = context.command
    name = str(context.info_name)
    yield f'.TH "{name.upper()}" "1" "" "{name} {handle_system.__version__}" ""'
    yield from (".SH NAME", rf"{name} \- {_escaped(command.get_short_help_str(200))}")
    yield from (".SH SYNOPSIS", *_usage(context))
    paragraphs = (command.help or "").split("\n\n")
    yield ".SH DESCRIPTION"
    for paragraph in paragraphs:
        if _EXIT_CODES not in paragraph:
            yield from _paragraph(paragraph)
    yield ".SH OPTIONS"
    yield from _options(context)
    yield ".SH COMMANDS"
    yield from _subcommands(context)
    yield ".SH EXIT STATUS"
    for paragraph in paragraphs:
        if _EXIT_CODES in paragraph:
            codes = filter(None, map(_CODE.fullmatch, paragraph.splitlines()))
            for code in codes:
                yield from _tagged(code[1], code[2])
    for title, entries in (("ENVIRONMENT", _ENVIRONMENT), ("FILES", _FILES)):
        yield f".SH {title}"
        for tag, text in entries.items():
            yield from _tagged(tag, text)


def _subcommands(context: click.Context) -> Iterator[str]:
    """A subsection for each subcommand, and for those of a subcommand."""
    command = context.command
    if not isinstance(command, click.Group):
        return
    for name in command.list_commands(context):
        subcommand = command.get_command(context, name)
        if subcommand is None or subcommand.hidden:
            continue
        inner = click.Context(subcommand, info_name=name, parent=context)
        yield f".SS {_quoted(inner.command_path)}"
        yield from _usage(inner)
        for paragraph in (subcommand.help or "").split("\n\n"):
            yield from _paragraph(paragraph)
        yield from _options(inner)
        yield from _subcommands(inner)


def _usage(context: click.Context) -> Iterator[str]:
    pieces = context.command.collect_usage_pieces(context)
    yield f".B {_quoted(context.command_path)}"
    yield _escaped(" ".join(pieces))


def _options(context: click.Context) -> Iterator[str]:
    records = (
        parameter.get_help_record(context)
        for parameter in context.command.get_params(context)
    )
    for record in records:
        # Newer versions of click have one of each argument, without a text.
        if record is not None and record[1]:
            yield from _tagged(*record)


def _tagged(tag: str, text: str) -> Iterator[str]:
    yield from (".TP", f".B {_quoted(tag)}", _escaped(text))


def _paragraph(paragraph: str) -> Iterator[str]:
    lines = paragraph.splitlines()
    yield ".PP"
    if lines and lines[0].strip() == _KEEPS_LINES:
        yield ".nf"
        yield from map(_escaped, lines[1:])
        yield ".fi"
    else:
        yield _escaped(" ".join(line.strip() for line in lines))


def _quoted(text: str) -> str:
    """A text as one argument of a macro."""
    inner = _escaped(text).replace('"', r"\(dq")
    return f'"{inner}"'


def _escaped(text: Any) -> str:
    """A text that groff shows as it is; a hyphen stays one that can be copied."""
    shown = str(text).replace("\\", r"\e").replace("-", r"\-")
    # Typographic signs and accents are made of these.
    shown = shown.replace("`", r"\(ga").replace("'", r"\(aq")
    shown = shown.replace("^", r"\(ha").replace("~", r"\(ti")
    return rf"\&{shown}" if shown.startswith((".", "\\(aq")) else shown
