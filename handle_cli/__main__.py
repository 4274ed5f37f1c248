"""``python -m handle_cli``, the same as ``hdl``."""

import os
import sys
from pathlib import Path
from typing import IO

from handle_cli.command import hdl
from handle_cli.exits import Exit
from handle_cli.output import trouble
from handle_system.errors import showable

__all__ = ["main"]


def main() -> None:
    """Run the command with the arguments of the process."""
    _open_streams()
    try:
        hdl(prog_name="hdl")
    except OSError as error:
        # A reader who goes away is Click's to notice; what is left is a full disk.
        sys.stdout = _nothing("w")
        where = showable(str(error.filename or "what was found cannot be written"))
        trouble(f"Error: {where}: {error.strerror or error}")
        sys.exit(Exit.WRONG)


def _open_streams() -> None:
    """Put something in place of the streams that were closed before."""
    for name in ("stdin", "stdout", "stderr"):
        if getattr(sys, name) is None:
            setattr(sys, name, _nothing("r" if name == "stdin" else "w"))


def _nothing(mode: str) -> IO[str]:
    return Path(os.devnull).open(mode, encoding="utf-8")


if __name__ == "__main__":
    main()
