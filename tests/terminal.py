"""Run the command in a terminal."""

import fcntl
import os
import pty
import struct
import subprocess
import sys
import termios
from collections.abc import Sequence
from contextlib import suppress

__all__ = ["in_terminal"]


def in_terminal(
    arguments: Sequence[str], answers: bytes = b"", *, columns: int = 80
) -> str:
    """The output of the command in a terminal of a width, with what was typed ahead."""
    ours, theirs = pty.openpty()
    size = struct.pack("HHHH", 24, columns, 0, 0)
    fcntl.ioctl(theirs, termios.TIOCSWINSZ, size)
    # Typed ahead, so that they are shown first and not in the middle of something.
    os.write(ours, answers)
    command = [sys.executable, "-m", "handle_cli", *arguments]
    seen = b""
    # Linux reports the end of the output as an error.
    with (
        subprocess.Popen(command, stdin=theirs, stdout=theirs, stderr=theirs),
        suppress(OSError),
    ):
        os.close(theirs)
        while read := os.read(ours, 4096):
            seen += read
    os.close(ours)
    return seen.decode().replace("\r\n", "\n")
