"""The help of the command, as the command itself prints it.

``command-help`` without an argument shows the help of ``hdl``; with one, that of
the subcommand of this name, or of a subcommand's own (``cache show``).
"""

import click
from docutils import nodes
from sphinx.application import Sphinx
from sphinx.util.docutils import SphinxDirective
from sphinx.util.typing import ExtensionMetadata

from handle_cli.command import hdl


class CommandHelp(SphinxDirective):
    """What ``--help`` prints."""

    optional_arguments = 1
    final_argument_whitespace = True

    def run(self) -> list[nodes.Node]:
        context = click.Context(hdl, info_name="hdl", terminal_width=78)
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


def setup(app: Sphinx) -> ExtensionMetadata:
    app.add_directive("command-help", CommandHelp)
    return {"version": "1", "parallel_read_safe": True, "parallel_write_safe": True}
