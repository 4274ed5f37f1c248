"""The command itself: its help, and its subcommands, loaded when they are asked for.

A hook runs the command for every commit, so that what a subcommand does not need
(the HTTP client, the database, the tables) is not imported for it.
"""

from importlib import import_module

import click

import handle_system

__all__ = ["hdl"]

_COMMANDS = {
    "parse": "parsing",
    "link": "parsing",
    "resolve": "resolving",
    "check": "checking",
    "list": "checking",
    "fix": "fixing",
    "serve": "serving",
    "mint": "minting",
    "assign": "assigning",
    "register": "registering",
    "suffix": "minting",
    "cache": "caches",
}
# `list` is a name of Python's own.
_ATTRIBUTES = {"list": "list_references"}


class _Subcommands(click.Group):
    def list_commands(self, _context: click.Context) -> list[str]:
        """The subcommands, in the order in which they are learned."""
        return list(_COMMANDS)

    def get_command(
        self, _context: click.Context, cmd_name: str
    ) -> click.Command | None:
        """The subcommand of that name, from the module that holds it."""
        module = _COMMANDS.get(cmd_name)
        if module is None:
            return None
        attribute = _ATTRIBUTES.get(cmd_name, cmd_name)
        command = getattr(import_module(f"handle_cli.{module}"), attribute)
        return command if isinstance(command, click.Command) else None


@click.group(cls=_Subcommands, context_settings={"help_option_names": ["-h", "--help"]})
@click.version_option(handle_system.__version__, prog_name="hdl")
def hdl() -> None:
    """Read, check, resolve and make handles and DOIs.

    A handle is an identifier such as 20.1000/100; a DOI is a handle whose prefix
    is 10 or begins with "10.".  Every subcommand takes them in any form in which
    they are written: bare, as hdl: or doi:, as info: or urn:, or as a proxy's URL.

    \b
    Examples:
      hdl parse "doi:10.1000/182"
      hdl link 20.1000/100
      hdl resolve --resolver records.json 20.1000/100
      hdl check docs README.md
      hdl list --format csv docs
      hdl fix --diff docs

    \b
    Exit codes:
      0  fine
      1  there is a finding, or a change
      2  the arguments, or a file they name, cannot be used
      3  no server answered, so nothing is known
      130  interrupted

    \b
    Completion of commands and options, for the shell's start-up file:
      bash  eval "$(_HDL_COMPLETE=bash_source hdl)"
      zsh   eval "$(_HDL_COMPLETE=zsh_source hdl)"
      fish  _HDL_COMPLETE=fish_source hdl | source
    """  # noqa: D301 (the mark is a backspace, not two characters)
