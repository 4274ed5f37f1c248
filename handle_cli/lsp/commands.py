"""The commands that quick fixes run: they change the file of references.

They are the command's own, in a process of their own, because they write to the standard
output, which belongs to the protocol here.
"""

import subprocess
import sys
from collections.abc import Sequence
from pathlib import Path
from typing import NamedTuple

from handle_cli.project_settings import ProjectSettings
from handle_cli.references_files import files_to_write
from handle_system import DEFAULT_PROXIES, Handle

__all__ = ["Done", "accept_notice", "get_metadata"]

# Seconds: an agency may answer slowly.
_LONGEST_RUN = 120
# How a line of ``hdl references update`` begins that says why there is no answer.
_NO_ANSWER = "no answer "
# How it ends: with the place in the document that stands in.
_PLACE = ": <stdin>:1"


class Done(NamedTuple):
    """What came of a command.

    Attributes:
        is_fine: Whether it did what was asked for.
        message: What it said, in one line.
    """

    is_fine: bool
    message: str


def accept_notice(notice: Handle, folder: Path, settings: ProjectSettings) -> Done:
    """Silence a notice about works: ``hdl references accept``.

    Args:
        notice: Its identifier.
        folder: The folder of the document.
        settings: The settings of its project.
    """
    files = _options(folder, settings)
    return _run(["accept", *files, "--", notice.uri()], folder)


def get_metadata(
    doi: Handle, folder: Path, settings: ProjectSettings, resolver: str
) -> Done:
    """Ask for the metadata of one DOI: ``hdl references update``.

    Args:
        doi: The DOI.
        folder: The folder of the document.
        settings: The settings of its project.
        resolver: The server to ask.
    """
    files = [*_options(folder, settings), "--resolver", resolver]
    # The command reads documents: one with a link to the DOI stands in.
    document = f"<{DEFAULT_PROXIES.link(doi)}>\n"
    return _run(["update", *files, "-"], folder, document)


def _options(folder: Path, settings: ProjectSettings) -> list[str]:
    files = files_to_write((), settings, [str(folder)])
    return [option for path in files for option in ("--references", str(path))]


def _run(arguments: Sequence[str], folder: Path, text: str = "") -> Done:
    # With -P no module of the folder is imported in the place of an installed one.
    command = [sys.executable, "-P", "-m", "handle_cli", "references", *arguments]
    try:
        run = subprocess.run(  # noqa: S603 (the command of this project)
            command,
            cwd=folder,
            input=text,
            capture_output=True,
            check=False,
            encoding="utf-8",
            errors="replace",
            timeout=_LONGEST_RUN,
        )
    except (OSError, subprocess.TimeoutExpired) as error:
        return Done(is_fine=False, message=str(error))
    return Done(is_fine=run.returncode == 0, message=_said(run.stdout + run.stderr))


def _said(output: str) -> str:
    """The one line of a command's output that matters most: what failed, else its end."""
    lines = output.strip().splitlines()
    for line in lines:
        if line.startswith(_NO_ANSWER):
            identifier, reason = line.removeprefix(_NO_ANSWER).split(maxsplit=1)
            return f"no answer about {identifier}: {reason.removesuffix(_PLACE)}"
    said = lines[-1] if lines else "done"
    return said.removeprefix("Error: ")
