"""The command ``hdl``: its help, and its subcommands, which are imported on demand.

A hook runs the command for every commit, so a subcommand imports only the modules that
it needs: no HTTP client, database or tables without a use for them.

**Add a format of a command.** `hdl check` takes its formats from `REPORTS`, and `hdl
references list` those of works from the table of formats (`handle_system/citing/formats/__init__.py`);
both need nothing else. The formats that a command has by itself are names in the
`click.Choice` of its option `--format`, and a branch where it writes: `hdl list` in
`handle_cli/listing.py`, `hdl references list` in `handle_cli/referencing.py`, `hdl
register` in `handle_cli/registering.py`. A format for programs goes to the standard
output whole, whatever a terminal is like, and all else that the command says goes to
the standard error. What it quotes is hostile text: `as_json()` (`handle_cli/output.py`)
writes JSON, since build services obey words in a log, and a cell passes
`without_formula()`. The manual shows the docstring of the command, which names the
formats. Then a test that reads the output with a library that others use and compares
all of it, and `CHANGELOG.md`.
"""

import errno
import io
import sys
from importlib import import_module
from typing import NamedTuple

import click

import handle_system
from handle_cli.output import Exit, UnusableError, print_error
from handle_system.errors import HandleSyntaxError, showable
from handle_system.text import closest_name


class _Subcommand(NamedTuple):
    """A subcommand.

    Attributes:
        target: The module and the name of its function.
        summary: Its line in the help, which imports none of them.
    """

    target: str
    summary: str


# What a reader comes for, and the subcommands for it; the help lists them in this order.
_SECTIONS = {
    "Documents": {
        "check": _Subcommand(
            "checking:check", "Find malformed and suspicious references in files."
        ),
        "fix": _Subcommand(
            "fixing:fix", "Rewrite references in files to their canonical links."
        ),
        "list": _Subcommand(
            "listing:list_references", "List the references in files and folders."
        ),
    },
    "Cited works": {
        "references": _Subcommand(
            "referencing:references", "Fetch the metadata of cited works into one file."
        ),
    },
    "Set up a project": {
        "init": _Subcommand(
            "initializing:init", "Write the settings of a project, after one question."
        ),
        "doctor": _Subcommand(
            "doctor:doctor",
            "Say what is installed and configured, and what to do next.",
        ),
        "lsp": _Subcommand(
            "lsp.command:lsp",
            "Serve an editor: findings, hovers, fixes and completion.",
        ),
    },
    "One identifier": {
        "parse": _Subcommand(
            "parsing:parse", "Show the parts of handles, and what is suspicious."
        ),
        "link": _Subcommand(
            "parsing:link", "Write the one correct link of each handle."
        ),
        "resolve": _Subcommand(
            "resolving:resolve", "Show the record of each handle, and where it leads."
        ),
    },
    "Servers": {
        "serve": _Subcommand("serving:serve", "Run a handle proxy on this machine."),
        "cache": _Subcommand(
            "resolving:cache", "Show the servers' answers in a cache, and remove some."
        ),
    },
    "Register your own handles": {
        "mint": _Subcommand(
            "minting:mint", "Make new suffixes, which encode the current time."
        ),
        "suffix": _Subcommand(
            "minting:suffix", 'Show when a suffix from "hdl mint" was made.'
        ),
        "assign": _Subcommand(
            "registering:assign",
            "Assign handles to the versions in FILE that have none yet.",
        ),
        "register": _Subcommand(
            "registering:register",
            "Write the registrations of works for a handle server.",
        ),
    },
}
_COMMANDS = {
    name: command for section in _SECTIONS.values() for name, command in section.items()
}


class _Subcommands(click.Group):
    def list_commands(self, _context: click.Context) -> list[str]:
        """The names of the subcommands."""
        return list(_COMMANDS)

    def get_command(
        self, _context: click.Context, cmd_name: str
    ) -> click.Command | None:
        """The subcommand of that name, from the module that holds it."""
        if cmd_name not in _COMMANDS:
            return None
        module, function = _COMMANDS[cmd_name].target.split(":")
        command: click.Command = getattr(
            import_module(f"handle_cli.{module}"), function
        )
        return command

    def resolve_command(
        self, ctx: click.Context, args: list[str]
    ) -> tuple[str | None, click.Command | None, list[str]]:
        """The subcommand that the arguments name; an unknown one names the closest."""
        name = args[0]
        if name == "help":
            # As people know it from git: "hdl help check".
            return super().resolve_command(ctx, [*(args[1:2] or ["--help"]), "--help"])
        if name not in _COMMANDS and not name.startswith("-"):
            closest = closest_name(name, _COMMANDS)
            hint = f" Did you mean {closest}?" if closest else ""
            ctx.fail(f"No such command '{showable(name)}'.{hint}")
        return super().resolve_command(ctx, args)

    def format_commands(
        self, ctx: click.Context, formatter: click.HelpFormatter
    ) -> None:
        """Write the list of subcommands without importing them."""
        del ctx
        width = max(map(len, _COMMANDS))
        for title, commands in _SECTIONS.items():
            # All sections have one left column.
            rows = [
                (name.ljust(width), command.summary)
                for name, command in commands.items()
            ]
            with formatter.section(title):
                formatter.write_dl(rows)

    def invoke(self, ctx: click.Context) -> object:
        """Run a subcommand, and give each failure an exit code."""
        try:
            return super().invoke(ctx)
        except (KeyboardInterrupt, click.Abort):
            print_error("")
            print_error("interrupted")
            ctx.exit(Exit.INTERRUPTED)
        except HandleSyntaxError as error:
            # The text is an argument: readers of files report their own errors.
            raise UnusableError(*str(error).split("\n", 1)) from error
        except OSError as error:
            # Click ends quietly when the reader of a pipe has gone.
            if error.errno == errno.EPIPE:
                raise
            # Python would try to write the rest of the output again.
            sys.stdout = io.StringIO()
            where = error.filename or "the output cannot be written"
            raise UnusableError(f"{where}: {error.strerror or error}") from error


@click.group(cls=_Subcommands, context_settings={"help_option_names": ["-h", "--help"]})
@click.version_option(handle_system.__version__, "-V", "--version", prog_name="hdl")
def hdl() -> None:
    """Read, check, resolve and make handles and DOIs.

    A handle is an identifier such as 20.1000/100; a DOI is a handle whose prefix
    is 10 or begins with "10.".  Every subcommand takes them in any written form:
    bare, with hdl:, doi:, info: or urn:, or as a proxy's URL.

    \b
    Examples:
      hdl parse "doi:10.1000/182"
      hdl link 20.1000/100
      hdl resolve --resolver records.json 20.1000/100
      hdl check
      hdl list --format csv
      hdl fix --diff docs
      hdl references update

    \b
    Exit codes:
      0  success
      1  a finding, or a change
      2  an argument, a setting or a file that cannot be used
      3  no answer from any server, so nothing is known
      130  interrupted

    \b
    Completion of commands and options, for the shell's start-up file:
      bash  eval "$(_HDL_COMPLETE=bash_source hdl)"
      zsh   eval "$(_HDL_COMPLETE=zsh_source hdl)"
      fish  _HDL_COMPLETE=fish_source hdl | source
      PowerShell  $env:_HDL_COMPLETE = "powershell_source"
                  hdl | Out-String | Invoke-Expression
                  $env:_HDL_COMPLETE = $null
    """  # noqa: D301 (the mark is a backspace, not two characters)
