"""The command, run in this process."""

from inspect import signature
from typing import Any

from click.testing import CliRunner

__all__ = ["runner"]


def runner() -> CliRunner:
    """A runner that keeps the two outputs apart; click did not by itself before 8.2."""
    settings: dict[str, Any] = {}
    if "mix_stderr" in signature(CliRunner).parameters:
        settings["mix_stderr"] = False
    return CliRunner(**settings)
