"""``python -m handle_cli``, the same as ``hdl``."""

import errno
import os
import sys
from io import TextIOWrapper
from pathlib import Path
from typing import IO

from handle_system.errors import showable

try:
    import click

    from handle_cli.command import hdl
    from handle_cli.output import Exit, trouble
except ModuleNotFoundError as error:
    sys.stderr.write(
        f"hdl needs {error.name}, which is not installed: "
        'pip install "sphinxcontrib-handle[cli]"\n'
    )
    sys.exit(2)

__all__ = ["main"]


def main() -> None:
    """Run the command with the arguments of the process."""
    _open_streams()
    sys.exit(_run())


def _run() -> int:
    try:
        # Click would exit with 1, which says that something was found.
        return int(hdl(prog_name="hdl", standalone_mode=False) or Exit.FINE)
    except click.Abort:
        trouble("interrupted")
        return Exit.INTERRUPTED
    except click.ClickException as error:
        error.show()
        return error.exit_code
    except OSError as error:
        # What is left to be written has nowhere to go.
        sys.stdout = _nothing("w")
        if error.errno != errno.EPIPE:
            where = str(error.filename or "what was found cannot be written")
            trouble(f"Error: {showable(where)}: {error.strerror or error}")
            return Exit.WRONG
        # Who reads has seen enough, as with ``| head``.
        return Exit.FINDINGS


def _open_streams() -> None:
    """Put something in place of the streams that were closed before.

    And have escaped what the standard output cannot take, as the standard error does
    by itself: the help is not written by us.
    """
    for name in ("stdin", "stdout", "stderr"):
        if getattr(sys, name) is None:
            setattr(sys, name, _nothing("r" if name == "stdin" else "w"))
    if isinstance(sys.stdout, TextIOWrapper) and sys.stdout.errors == "strict":
        sys.stdout.reconfigure(errors="backslashreplace")


def _nothing(mode: str) -> IO[str]:
    return Path(os.devnull).open(mode, encoding="utf-8")


if __name__ == "__main__":
    main()
