"""An editor for the tests: it writes and reads the messages of the protocol itself.

It starts ``hdl lsp`` as editors do, in a process of its own, and waits for messages, never
for a time.
"""

import json
import os
import subprocess
import sys
from collections.abc import Callable, Iterator, Mapping, Sequence
from contextlib import contextmanager
from pathlib import Path
from queue import Queue
from threading import Thread
from typing import Any, TypeAlias

__all__ = ["Editor", "Message", "editor_of", "position", "span"]

Message: TypeAlias = dict[str, Any]
# Seconds; a server that says nothing for so long has failed.
_LONGEST_WAIT = 60


def position(line: int, character: int) -> Message:
    """A position, both numbers from 0."""
    return {"line": line, "character": character}


def span(line: int, start: int, end: int) -> Message:
    """A range in one line."""
    return {"start": position(line, start), "end": position(line, end)}


class Editor:
    """A client that is connected with a server.

    Attributes:
        received: The messages of the server, in their order, but for answers.
        capabilities: What the server says that it can do.
    """

    def __init__(self, process: "subprocess.Popen[bytes]") -> None:
        self._process = process
        self._queue: Queue[Message | None] = Queue()
        self._number = 0
        self._versions: dict[str, int] = {}
        self._answers: dict[int, Message] = {}
        self.received: list[Message] = []
        self.capabilities: Message = {}
        Thread(target=self._receive, daemon=True).start()

    def _receive(self) -> None:
        stream = self._process.stdout
        assert stream is not None
        while True:
            length = 0
            while (line := stream.readline().strip()) or not length:
                if not line:
                    self._queue.put(None)
                    return
                name, _, value = line.partition(b":")
                if name.lower() == b"content-length":
                    length = int(value)
            self._queue.put(json.loads(stream.read(length)))

    def _write(self, message: Message) -> None:
        stream = self._process.stdin
        assert stream is not None
        content = json.dumps({"jsonrpc": "2.0", **message}).encode()
        stream.write(b"Content-Length: %d\r\n\r\n" % len(content) + content)
        stream.flush()

    def notify(self, method: str, params: object) -> None:
        """Send a notification."""
        self._write({"method": method, "params": params})

    def send_request(self, method: str, params: object) -> int:
        """Send a request, and give its number."""
        self._number += 1
        self._write({"id": self._number, "method": method, "params": params})
        return self._number

    def request(self, method: str, params: object) -> Any:
        """Send a request, and wait for its result."""
        return self.answer(self.send_request(method, params))

    def answer(self, number: int) -> Any:
        """Wait for the result of a request."""
        while number not in self._answers:
            self._take(self._next())
        answer = self._answers.pop(number)
        assert "error" not in answer, answer["error"]
        return answer["result"]

    def wait_for(self, method: str, fits: Callable[[Message], bool]) -> Message:
        """The parameters of the next message of the server that fits."""
        while True:
            for index, message in enumerate(self.received):
                params: Message = message.get("params") or {}
                if message["method"] == method and fits(params):
                    del self.received[index]
                    return params
            self._take(self._next())

    def _next(self) -> Message:
        message = self._queue.get(timeout=_LONGEST_WAIT)
        assert message is not None, "the server has ended"
        return message

    def _take(self, message: Message) -> None:
        if "method" not in message:
            self._answers[message["id"]] = message
            return
        self.received.append(message)
        if "id" in message:
            self._write({"id": message["id"], "result": None})

    def open(self, path: Path | str, text: str, language: str = "markdown") -> str:
        """Open a document, and give its URI."""
        uri = path.as_uri() if isinstance(path, Path) else path
        self._versions[uri] = 1
        item = {"uri": uri, "languageId": language, "version": 1, "text": text}
        self.notify("textDocument/didOpen", {"textDocument": item})
        return uri

    def change(self, uri: str, *changes: Message) -> int:
        """Change a document, and give the number of the new version."""
        self._versions[uri] += 1
        version = self._versions[uri]
        name = {"uri": uri, "version": version}
        params = {"textDocument": name, "contentChanges": changes}
        self.notify("textDocument/didChange", params)
        return version

    def close(self, uri: str) -> None:
        """Close a document."""
        self.notify("textDocument/didClose", {"textDocument": {"uri": uri}})

    def diagnostics(self, uri: str, version: int = 1) -> list[Message]:
        """Wait for the findings of a version of a document that are pushed."""
        params = self.wait_for(
            "textDocument/publishDiagnostics",
            lambda params: params["uri"] == uri and params.get("version") == version,
        )
        found: list[Message] = params["diagnostics"]
        return found

    def has_diagnostics(self, uri: str) -> bool:
        """Whether findings of a document were pushed, as far as was received."""
        return any(
            message["method"] == "textDocument/publishDiagnostics"
            and message["params"]["uri"] == uri
            for message in self.received
        )

    @property
    def process_id(self) -> int:
        """The number of the process of the server."""
        return self._process.pid

    def closed(self, uri: str) -> list[Message]:
        """Wait for the findings of a document that is closed: there should be none."""
        params = self.wait_for(
            "textDocument/publishDiagnostics",
            lambda params: params["uri"] == uri and "version" not in params,
        )
        found: list[Message] = params["diagnostics"]
        return found

    def at(self, method: str, uri: str, line: int, character: int) -> Any:
        """Ask for something at a position of a document."""
        where = {"textDocument": {"uri": uri}, "position": position(line, character)}
        return self.request(f"textDocument/{method}", where)

    def actions(self, uri: str, part: Message, shown: Sequence[Message] = ()) -> Any:
        """The quick fixes for a part of a document."""
        context = {"diagnostics": shown}
        params = {"textDocument": {"uri": uri}, "range": part, "context": context}
        return self.request("textDocument/codeAction", params)

    def message(self) -> str:
        """Wait for a message to the user."""
        shown = self.wait_for("window/showMessage", lambda _params: True)["message"]
        assert isinstance(shown, str)
        return shown


@contextmanager
def editor_of(
    *folders: Path,
    capabilities: Mapping[str, Any] | None = None,
    options: Sequence[str] = (),
    environment: Mapping[str, str] | None = None,
    command: Sequence[str] = (sys.executable, "-m", "handle_cli", "lsp"),
) -> Iterator[Editor]:
    """An editor with folders in its workspace, whose server has another folder."""
    process = subprocess.Popen(
        [*command, *options],
        stdin=subprocess.PIPE,
        stdout=subprocess.PIPE,
        cwd="/",
        env={**os.environ, **(environment or {})},
    )
    try:
        editor = Editor(process)
        workspace = [{"uri": each.as_uri(), "name": each.name} for each in folders]
        params = {
            "processId": None,
            "rootUri": workspace[0]["uri"] if workspace else None,
            "workspaceFolders": workspace,
            "capabilities": capabilities or {},
        }
        editor.capabilities = editor.request("initialize", params)["capabilities"]
        editor.notify("initialized", {})
        yield editor
        editor.request("shutdown", None)
        editor.notify("exit", None)
        assert process.wait(_LONGEST_WAIT) == 0
    finally:
        process.kill()
        process.wait()
        for stream in (process.stdin, process.stdout):
            assert stream is not None
            stream.close()
