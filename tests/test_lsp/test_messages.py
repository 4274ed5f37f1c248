"""The messages of an editor, as they come in."""

import subprocess
import sys
from io import BytesIO, RawIOBase

import pytest

from handle_cli.lsp.messages import BoundedInput

LARGE = 64 * 1024 * 1024 + 1


class Stream(BytesIO, RawIOBase):
    """Octets that a reader takes as those of a file."""


def stream(*parts: bytes) -> BoundedInput:
    return BoundedInput(Stream(b"".join(parts)))


def test_a_usual_message() -> None:
    """It is read as it stands."""
    messages = stream(
        b"Content-Length: 2\r\n", b"\r\n", b"{}", b"Content-Length: 3\r\n"
    )

    assert messages.readline() == b"Content-Length: 2\r\n"
    assert messages.readline() == b"\r\n"
    assert messages.read(2) == b"{}"
    assert messages.readline() == b"Content-Length: 3\r\n"


def test_a_large_message(capsys: pytest.CaptureFixture[str]) -> None:
    """It is passed over with its headers, and the next one is read."""
    header = f"Content-Length: {LARGE}\r\nContent-Type: x\r\n\r\n".encode()
    messages = stream(header, b" " * LARGE, b"Content-Length: 2\r\n")

    assert messages.readline() == b"Content-Length: 2\r\n"
    assert (
        capsys.readouterr().err == "hdl: a message of 67,108,865 octets is not read\n"
    )


@pytest.mark.parametrize("digits", ["999999999999", "9" * 5_000])
def test_a_length_that_nobody_sends(digits: str) -> None:
    """The server ends with its input, as at any end, and with no traceback."""
    done = subprocess.run(
        [sys.executable, "-m", "handle_cli", "lsp"],
        input=f"Content-Length: {digits}\r\n\r\n{{}}".encode(),
        capture_output=True,
        check=False,
    )

    assert done.returncode == 0
    assert b"Traceback" not in done.stderr
    assert done.stdout == b""
    assert done.stderr.endswith(b" octets is not read\n")
