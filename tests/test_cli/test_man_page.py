"""The manual page of the command is made from its help, and man shows it."""

import re
import shutil
import subprocess

import click
import pytest

from handle_cli.command import hdl
from tests.command_line import runner


def page() -> str:
    return runner().invoke(hdl, ["man"], catch_exceptions=False).stdout


def shown(width: int = 78) -> subprocess.CompletedProcess[str]:
    """What man shows, without the signs of its backspaces."""
    return subprocess.run(
        ["man", "--warnings=w", "--local-file", "-"],
        input=page(),
        env={"LC_ALL": "C.UTF-8", "MANWIDTH": str(width), "PATH": "/usr/bin:/bin"},
        capture_output=True,
        encoding="utf-8",
        check=False,
        timeout=60,
    )


needs_man = pytest.mark.skipif(
    shutil.which("man") is None or shutil.which("groff") is None,
    reason="there is no man, or no groff",
)


@needs_man
def test_man_shows_the_page() -> None:
    """It has the sections of a manual page, and no warning."""
    done = shown()
    titles = re.findall(r"^[A-Z].*", done.stdout, re.MULTILINE)

    assert done.stderr == ""
    assert titles[1:] == [
        *("NAME", "SYNOPSIS", "DESCRIPTION", "OPTIONS", "COMMANDS"),
        *("EXIT STATUS", "ENVIRONMENT", "FILES"),
    ]
    assert (
        "       hdl - Read, check, resolve and make handles and DOIs.\n" in done.stdout
    )
    assert "       2      an argument, a setting or a file that cannot be used\n" in (
        done.stdout
    )


@needs_man
def test_what_is_typed_can_be_copied() -> None:
    """Hyphens, quotation marks and backslashes stay those of a shell."""
    text = shown(400).stdout

    assert 'bash  eval "$(_HDL_COMPLETE=bash_source hdl)"\n' in text
    assert "hdl resolve --resolver records.json 20.1000/100\n" in text
    assert not set("\u2010\u2018\u2019\u2212\u2013") & set(text)


def test_every_command_and_option_is_there() -> None:
    """The page leaves out no subcommand and no option."""
    text = page()

    def commands(command: click.Command, context: click.Context) -> None:
        assert f'.SS "{context.command_path}"\n' in text or command is hdl
        for parameter in command.get_params(context):
            if isinstance(parameter, click.Option) and not parameter.hidden:
                option = parameter.opts[0].replace("-", r"\-")
                assert f'.B "{option}' in text or f", {option}" in text
        if isinstance(command, click.Group):
            for name in command.list_commands(context):
                found = command.get_command(context, name)
                assert found is not None
                commands(found, click.Context(found, info_name=name, parent=context))

    commands(hdl, click.Context(hdl, info_name="hdl"))


def test_text_is_no_request() -> None:
    """A line that begins with a dot or a quotation mark stays text."""
    requests = re.findall(r"(?m)^[.']\S*", page())

    assert set(requests) <= {
        *(".TH", ".SH", ".SS", ".PP", ".TP", ".B", ".nf", ".fi"),
    }
