"""The help of the command and transcripts, as the command itself prints them.

``command-help`` without an argument shows the help of ``hdl``; with one, that of
the subcommand of this name, or of a subcommand's own (``cache show``).
``transcript`` runs a command line in the folder of the manual, and shows its output.
"""

import contextlib
import shlex

import click
from click.testing import CliRunner
from docutils import nodes
from sphinx.application import Sphinx
from sphinx.util.docutils import SphinxDirective
from sphinx.util.typing import ExtensionMetadata

from handle_cli.command import hdl


class CommandHelp(SphinxDirective):
    """The output of ``--help``."""

    optional_arguments = 1
    final_argument_whitespace = True

    def run(self) -> list[nodes.Node]:
        # Subcommands have the names of the help option from their group.
        context = click.Context(
            hdl, info_name="hdl", terminal_width=78, **hdl.context_settings
        )
        command: click.Command = hdl
        for name in " ".join(self.arguments).split():
            found = (
                command.get_command(context, name)
                if isinstance(command, click.Group)
                else None
            )
            if found is None:
                raise self.error(f"{context.command_path} has no subcommand {name!r}")
            command = found
            context = click.Context(
                command, info_name=name, parent=context, terminal_width=78
            )
        text = command.get_help(context)
        block = nodes.literal_block(text, text, language="none")
        self.set_source_info(block)
        return [block]


class Transcript(SphinxDirective):
    """A command line, and its output."""

    required_arguments = 1
    final_argument_whitespace = True

    def run(self) -> list[nodes.Node]:
        line = self.arguments[0]
        with contextlib.chdir(self.env.srcdir):
            done = CliRunner(env={"COLUMNS": "78", "NO_COLOR": "1"}).invoke(
                hdl, shlex.split(line)[1:]
            )
        if done.exception is not None and not isinstance(done.exception, SystemExit):
            raise self.error(f"{line}: {done.exception!r}")
        text = f"$ {line}\n{done.output.rstrip()}"
        block = nodes.literal_block(text, text, language="console")
        self.set_source_info(block)
        return [block]


def setup(app: Sphinx) -> ExtensionMetadata:
    app.add_directive("command-help", CommandHelp)
    app.add_directive("transcript", Transcript)
    return {"version": "1", "parallel_read_safe": True, "parallel_write_safe": True}
