"""Writing a file whole or not at all."""

import os
import stat
import tempfile
from contextlib import suppress
from pathlib import Path

__all__ = ["write_whole"]

# Characters of a file's name that its other name begins with; the longest that a file
# system has are of 255 octets.
_OF_THE_NAME = 40


def write_whole(path: Path, content: bytes) -> None:
    """Write a file so that it has the old content or the new one, never a part.

    Its mode stays, and a symbolic link goes on leading to it.

    Raises:
        OSError: when it cannot be written; then it is as it was.
    """
    path = path.resolve()
    beginning = f".{path.name[:_OF_THE_NAME]}."
    handle, temporary = tempfile.mkstemp(dir=path.parent, prefix=beginning)
    try:
        with os.fdopen(handle, "wb") as file:
            file.write(content)
            file.flush()
            os.fsync(file.fileno())
        Path(temporary).chmod(stat.S_IMODE(path.stat().st_mode))
        Path(temporary).replace(path)
    except BaseException:
        with suppress(OSError):
            Path(temporary).unlink()
        raise
