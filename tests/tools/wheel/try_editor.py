"""Test the wheel with `[editor]`: the language server answers without Sphinx.

Run by `check_wheel.py`, isolated, in its own environment; writes into the current
folder.
"""

import json
import subprocess
import sysconfig
from importlib.metadata import version
from importlib.util import find_spec
from pathlib import Path
from typing import IO, Any

HDL = Path(sysconfig.get_path("scripts"), "hdl")
PAGE = Path.cwd() / "page.md"


def message(method: str, params: object, number: int | None = None) -> bytes:
    """A message of an editor; a request if it has a number."""
    content: dict[str, Any] = {"jsonrpc": "2.0", "method": method, "params": params}
    if number is not None:
        content["id"] = number
    body = json.dumps(content).encode()
    return b"Content-Length: %d\r\n\r\n" % len(body) + body


def next_message(stream: IO[bytes]) -> Any:
    """The next message of the server."""
    length = 0
    while line := stream.readline().strip():
        name, _, value = line.partition(b":")
        if name == b"Content-Length":
            length = int(value)
    assert length, "the server has ended"
    return json.loads(stream.read(length))


for framework in ("sphinx", "myst_parser"):
    assert find_spec(framework) is None, framework

item = {"uri": PAGE.as_uri(), "languageId": "markdown", "version": 1}
document = {"uri": PAGE.as_uri()}
capabilities: dict[str, Any] = {"textDocument": {"diagnostic": {}}}
server = subprocess.Popen(
    [HDL, "lsp", "--stdio"], stdin=subprocess.PIPE, stdout=subprocess.PIPE
)
assert server.stdin is not None
assert server.stdout is not None
server.stdin.write(
    message("initialize", {"processId": None, "capabilities": capabilities}, 1)
    + message("initialized", {})
    + message("textDocument/didOpen", {"textDocument": {**item, "text": "{hdl}`x`"}})
    + message("textDocument/diagnostic", {"textDocument": document}, 2)
)
server.stdin.flush()
answers: dict[int, Any] = {}
while 2 not in answers:
    answer = next_message(server.stdout)
    answers[answer.get("id", 0)] = answer
server.stdin.write(message("shutdown", None, 3) + message("exit", None))
server.stdin.close()

assert answers[1]["result"]["serverInfo"]["name"] == "hdl", answers
(finding,) = answers[2]["result"]["items"]
assert (finding["source"], finding["code"]) == ("hdl", "syntax"), finding
assert server.wait(60) == 0
print(f"[editor]: the language server answers, with pygls {version('pygls')}")
