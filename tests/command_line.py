"""Run the command in this process."""

from inspect import signature
from typing import Any

from click.testing import CliRunner

__all__ = ["runner"]


def runner() -> CliRunner:
    """A runner that separates the two outputs; click before 8.2 needs `mix_stderr`."""
    settings: dict[str, Any] = {}
    if "mix_stderr" in signature(CliRunner).parameters:
        settings["mix_stderr"] = False
    return CliRunner(**settings)
