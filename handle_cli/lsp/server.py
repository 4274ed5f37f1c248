"""The server: what it answers, and when it says something by itself.

One thread reads documents, because parsers of one process are not faster in two.  A
reading is shared by all who ask for it, and no cancelled request ends it.  Findings are
*pushed* when the author pauses, unless the client *pulls* them; never both.
"""

import asyncio
import gc
import sys
import time
from collections.abc import Callable, Iterable, Mapping, Sequence
from concurrent.futures import ThreadPoolExecutor
from contextlib import suppress
from functools import partial
from hashlib import sha256
from pathlib import Path
from typing import Any, TypeAlias
from urllib.parse import urlsplit

from lsprotocol import types
from pygls.lsp.server import LanguageServer
from pygls.protocol import LanguageServerProtocol, default_converter, lsp_method

import handle_system
from handle_cli.lsp.actions import ACCEPT, FETCH, OPEN, code_actions
from handle_cli.lsp.commands import Done, accept, fetch
from handle_cli.lsp.completion import TRIGGERS, completions, documentation, named_work
from handle_cli.lsp.diagnostics import SOURCE, diagnostics
from handle_cli.lsp.documents import (
    Document,
    Documents,
    file_of,
    syntax_of_document,
)
from handle_cli.lsp.hovers import hints, hover, links
from handle_cli.lsp.pauses import Pauses
from handle_cli.lsp.positions import Encoding
from handle_cli.lsp.projects import Project, Projects, Times, Works
from handle_cli.lsp.reading import Reading, read_document
from handle_cli.project_settings import ProjectSettings, usual_settings
from handle_system import Handle
from handle_system.errors import showable

# Seconds between two looks at the times of files, for clients that watch none.
_BETWEEN_LOOKS = 2
# In seconds; how long the thread that reads may keep a request waiting, each time.
_SWITCH_INTERVAL = 0.001
_WATCHED = ("**/pyproject.toml", "**/.hdlignore", "**/*.json")

_Report: TypeAlias = (
    types.RelatedFullDocumentDiagnosticReport
    | types.RelatedUnchangedDocumentDiagnosticReport
)


class _Protocol(LanguageServerProtocol):
    """pygls' protocol with documents of our own.

    The documents of pygls divide lines as `str.splitlines` does, and its handlers of
    notifications each leave a future behind.  These are called in their place.
    """

    _server: "HandleServer"

    @lsp_method(types.TEXT_DOCUMENT_DID_OPEN)
    def lsp_text_document__did_open(
        self, params: types.DidOpenTextDocumentParams
    ) -> None:
        """Take a document over."""
        self._server.opened(params.text_document)

    @lsp_method(types.TEXT_DOCUMENT_DID_CHANGE)
    def lsp_text_document__did_change(
        self, params: types.DidChangeTextDocumentParams
    ) -> None:
        """Change a document."""
        self._server.changed(params.text_document, params.content_changes)

    @lsp_method(types.TEXT_DOCUMENT_DID_CLOSE)
    def lsp_text_document__did_close(
        self, params: types.DidCloseTextDocumentParams
    ) -> None:
        """Forget a document."""
        self._server.closed(params.text_document.uri)

    @lsp_method(types.NOTEBOOK_DOCUMENT_DID_OPEN)
    def lsp_notebook_document__did_open(
        self, params: types.DidOpenNotebookDocumentParams
    ) -> None:
        """Take the cells of a notebook over."""
        for cell in params.cell_text_documents:
            self._server.opened(cell, params.notebook_document.uri)

    @lsp_method(types.NOTEBOOK_DOCUMENT_DID_CHANGE)
    def lsp_notebook_document__did_change(
        self, params: types.DidChangeNotebookDocumentParams
    ) -> None:
        """Open, change and close cells of a notebook."""
        cells = params.change.cells
        if cells is None:
            return
        if cells.structure is not None:
            for cell in cells.structure.did_open or ():
                self._server.opened(cell, params.notebook_document.uri)
            for name in cells.structure.did_close or ():
                self._server.closed(name.uri)
        for change in cells.text_content or ():
            self._server.changed(change.document, change.changes)

    @lsp_method(types.NOTEBOOK_DOCUMENT_DID_CLOSE)
    def lsp_notebook_document__did_close(
        self, params: types.DidCloseNotebookDocumentParams
    ) -> None:
        """Forget the cells of a notebook."""
        for cell in params.cell_text_documents:
            self._server.closed(cell.uri)


class HandleServer(LanguageServer):
    """The language server of ``hdl lsp``.

    Attributes:
        documents: The open documents.
        projects: Their projects.
        resolver: The server that is asked for metadata, if that is chosen.
        pauses: How long findings wait for an author who types.
    """

    def __init__(self, resolver: str, *, trusts_config: bool = False) -> None:
        """Make a server without documents.

        Args:
            resolver: The server that is asked for metadata.
            trusts_config: Whether settings may name servers and files outside of their
                project.
        """
        markdown = types.NotebookCellLanguage("markdown")
        selector = types.NotebookDocumentFilterWithCells(cells=[markdown])
        super().__init__(
            "hdl",
            handle_system.__version__,
            notebook_document_sync=types.NotebookDocumentSyncOptions([selector]),
            protocol_cls=_Protocol,
            converter_factory=default_converter,
        )
        self.resolver = resolver
        self.documents = Documents()
        self.projects = Projects(trusts_config=trusts_config)
        self._reader = ThreadPoolExecutor(1, thread_name_prefix="reading")
        self._readings: dict[str, Reading] = {}
        self._running: dict[str, tuple[Document, asyncio.Future[Reading]]] = {}
        self._publishing: dict[str, asyncio.Task[None]] = {}
        self.pauses = Pauses(time.monotonic)
        self._told: dict[Path, str] = {}
        self._tasks: set[asyncio.Future[Any]] = set()

    # What the client can do.

    @property
    def encoding(self) -> Encoding:
        """The code units in which positions count."""
        encoding: Encoding = self.server_capabilities.position_encoding or "utf-16"  # type: ignore[assignment] # pygls gives its value
        return encoding

    @property
    def pulls(self) -> bool:
        """Whether the client asks for findings, so that none are to be pushed."""
        documents = self.client_capabilities.text_document
        return documents is not None and documents.diagnostic is not None

    @property
    def opens_pages(self) -> bool:
        """Whether the client opens web pages."""
        window = self.client_capabilities.window
        shown = window.show_document if window is not None else None
        return shown is not None and shown.support

    @property
    def shows_markdown(self) -> bool:
        """Whether the client shows Markdown at a reference."""
        documents = self.client_capabilities.text_document
        capability = documents.hover if documents is not None else None
        formats = capability.content_format if capability is not None else None
        return types.MarkupKind.Markdown in (formats or ())

    # Documents that come, change and go.

    def opened(self, item: types.TextDocumentItem, notebook: str = "") -> None:
        """Take a document over, and say what is to be said about it."""
        self.documents.add(item, notebook)
        self._readings.pop(item.uri, None)
        self.publish(item.uri)

    def changed(
        self,
        name: types.VersionedTextDocumentIdentifier,
        changes: Sequence[types.TextDocumentContentChangeEvent],
    ) -> None:
        """Change a document, and say what is to be said when its author pauses."""
        self.documents.change(name, changes, self.encoding)
        document = self.documents.get(name.uri)
        if document is not None:
            self.pauses.changed(name.uri, len(document.text))
        self.publish(name.uri, self.pauses.left(name.uri))

    def closed(self, uri: str) -> None:
        """Forget a document."""
        self.documents.close(uri)
        self._readings.pop(uri, None)
        self._running.pop(uri, None)
        self.pauses.forget(uri)
        waiting = self._publishing.pop(uri, None)
        if waiting is not None:
            waiting.cancel()
        if not self.pulls:
            params = types.PublishDiagnosticsParams(uri, [])
            self.text_document_publish_diagnostics(params)

    def folder_of(self, document: Document) -> Path | None:
        """The folder of a document; that of the workspace for one without a file."""
        if document.path is not None:
            return document.path.parent
        root = self.workspace.root_path
        return Path(root) if root else None

    # Reading.

    def last_reading(self, uri: str) -> Reading | None:
        """The last reading of a document, of this or of an older version."""
        return self._readings.get(uri)

    def readings_of(self, project: Project) -> list[Reading]:
        """The last readings of the documents of a project."""
        root = project.settings.root
        return [
            reading
            for reading in self._readings.values()
            if reading.project.settings.root == root
        ]

    async def reading(self, uri: str) -> Reading | None:
        """The reading of a document as it is now; `None` if it is not open."""
        while True:
            document = self.documents.get(uri)
            if document is None:
                return None
            last = self._readings.get(uri)
            if last is not None and last.document is document:
                return last
            reading = await asyncio.shield(self._run(document))
            # It may have changed or gone meanwhile.
            if self.documents.get(uri) is document:
                self._readings[uri] = reading
                self._tell(reading.project)

    def _run(self, document: Document) -> asyncio.Future[Reading]:
        """The reading of a document, which begins if nobody asked for it before."""
        running = self._running.get(document.uri)
        if running is not None and running[0] is document and not running[1].done():
            return running[1]
        loop = asyncio.get_running_loop()
        future = loop.run_in_executor(self._reader, self._read, document)
        self._running[document.uri] = document, future
        return future

    def _read(self, document: Document) -> Reading:
        """Read a document, in the thread for it; not one that has changed meanwhile."""
        project = self.projects.at(self.folder_of(document))
        if self.documents.get(document.uri) is not document:
            return Reading(document, project, self.encoding)
        reading = read_document(document, project, self.encoding)
        # Thousands of them would delay the answers to others.
        reading.diagnostics = diagnostics(reading)
        return reading

    async def project_of(self, document: Document) -> Project:
        """The project of a document, which does not wait for documents to be read."""
        folder = self.folder_of(document)
        return await asyncio.to_thread(self.projects.at, folder)

    def _tell(self, project: Project) -> None:
        """Say once what is wrong with the settings of a project."""
        root = project.settings.root
        if project.problem and self._told.get(root) != project.problem:
            self.show(f"{root}: {project.problem}", types.MessageType.Warning)
        self._told[root] = project.problem

    def show(self, text: str, kind: types.MessageType) -> None:
        """Show a message to the user.

        VS Code makes links of ``[text](target)`` in it, also of commands, and a message may
        quote a stranger's file.
        """
        shown = showable(text).replace("](", "] (")
        self.window_show_message(types.ShowMessageParams(kind, f"hdl: {shown}"))

    # Findings.

    def publish(self, uri: str, pause: float = 0) -> None:
        """Push the findings of a document after a pause, unless the client pulls them."""
        waiting = self._publishing.pop(uri, None)
        if waiting is not None:
            waiting.cancel()
        if self.documents.get(uri) is None or self.pulls:
            return
        task = asyncio.ensure_future(self._publish_after(uri, pause))
        self._publishing[uri] = task

    async def _publish_after(self, uri: str, pause: float) -> None:
        await asyncio.sleep(pause)
        reading = await self.reading(uri)
        if reading is not None:
            version = reading.document.version
            params = types.PublishDiagnosticsParams(uri, reading.diagnostics, version)
            self.text_document_publish_diagnostics(params)

    # Files that change.

    def refresh(self) -> None:
        """Judge all open documents again: settings or works have changed."""
        self._readings.clear()
        self._running.clear()
        for uri in self.documents:
            self.publish(uri)
        workspace = self.client_capabilities.workspace
        if workspace is None:
            return
        pulled = workspace.diagnostics
        if pulled is not None and pulled.refresh_support:
            self.workspace_diagnostic_refresh(None)
        hinted = workspace.inlay_hint
        if hinted is not None and hinted.refresh_support:
            self.workspace_inlay_hint_refresh(None)

    def keep(self, awaitable: asyncio.Future[Any]) -> None:
        """Keep a task until it ends."""
        self._tasks.add(awaitable)
        awaitable.add_done_callback(self._tasks.discard)

    async def look_at_files(self) -> None:
        """Look at the times of the few files that decide what is said, for ever."""
        while True:
            await asyncio.sleep(_BETWEEN_LOOKS)
            judged = [
                (self.folder_of(reading.document), reading.project.times)
                for reading in self._readings.values()
            ]
            if await asyncio.to_thread(self._are_old, judged):
                self.refresh()

    def _are_old(self, judged: Iterable[tuple[Path | None, Times]]) -> bool:
        """Whether a file has changed since a document of a folder was judged."""
        return any(
            self.projects.times(folder) != times for folder, times in set(judged)
        )

    def watch_files(self) -> None:
        """Ask the client to watch files, if it can."""
        workspace = self.client_capabilities.workspace
        watching = workspace.did_change_watched_files if workspace is not None else None
        if watching is None or not watching.dynamic_registration:
            return
        watchers = [types.FileSystemWatcher(pattern) for pattern in _WATCHED]
        registration = types.Registration(
            "files",
            types.WORKSPACE_DID_CHANGE_WATCHED_FILES,
            types.DidChangeWatchedFilesRegistrationOptions(watchers),
        )
        self.client_register_capability(types.RegistrationParams([registration]))

    async def warm_up(self) -> None:
        """Load the usual parser and the works, so that no page has to wait for them."""
        loop = asyncio.get_running_loop()
        page = Document("untitled:", "markdown", 0, "doi:10.1000/182")
        project = Project(usual_settings(Path.cwd()), Works())
        await loop.run_in_executor(
            self._reader, read_document, page, project, self.encoding
        )
        for folder in self.workspace.folders.values():
            path = file_of(folder.uri)
            if path is not None:
                project = await asyncio.to_thread(self.projects.at, path)
                await asyncio.to_thread(getattr, project.works, "rows")
        # What is loaded now stays. Looking through it for garbage, while a long
        # document is read, would delay every answer.
        gc.freeze()

    # Commands.

    async def run(
        self, uri: str, command: Callable[[Path, ProjectSettings], Done]
    ) -> None:
        """Run a command that a quick fix names, and say what came of it.

        Args:
            uri: The document.
            command: The command, for the folder and the settings of a document.
        """
        document = self.documents.get(uri)
        folder = self.folder_of(document) if document is not None else None
        if folder is None:
            reason = "the document has no folder, so there is no file of references"
            self.show(reason, types.MessageType.Warning)
            return
        project = await asyncio.to_thread(self.projects.at, folder)
        done = await asyncio.to_thread(command, folder, project.settings)
        kind = types.MessageType.Info if done.is_fine else types.MessageType.Warning
        self.show(done.message, kind)
        self.refresh()


def make_server(resolver: str, *, trusts_config: bool = False) -> HandleServer:
    """A server with all that it answers.

    Args:
        resolver: The server that is asked for metadata, if that is chosen.
        trusts_config: Whether settings may name servers and files outside of their
            project.
    """
    sys.setswitchinterval(_SWITCH_INTERVAL)
    server = HandleServer(resolver, trusts_config=trusts_config)
    for method, handler in _HANDLERS.items():
        server.feature(method, _OPTIONS.get(method))(handler)
    server.command(ACCEPT)(_accept)
    server.command(FETCH)(_fetch)
    server.command(OPEN)(_open)
    return server


async def _initialized(ls: HandleServer, _params: types.InitializedParams) -> None:
    ls.watch_files()
    ls.keep(asyncio.ensure_future(ls.look_at_files()))
    ls.keep(asyncio.ensure_future(ls.warm_up()))


def _files_changed(
    ls: HandleServer, _params: types.DidChangeWatchedFilesParams
) -> None:
    ls.refresh()


def _configuration_changed(
    _ls: HandleServer, _params: types.DidChangeConfigurationParams
) -> None:
    """Editors have no settings of the server: the project of a document has them."""


def _saved(ls: HandleServer, params: types.DidSaveTextDocumentParams) -> None:
    ls.publish(params.text_document.uri)


async def _pulled(ls: HandleServer, params: types.DocumentDiagnosticParams) -> _Report:
    uri = params.text_document.uri
    # Its author may still be typing.
    await asyncio.sleep(ls.pauses.left(uri))
    reading = await ls.reading(uri)
    found = reading.diagnostics if reading is not None else []
    identity = sha256(repr(found).encode("utf-8", "replace")).hexdigest()[:16]
    if params.previous_result_id == identity:
        return types.RelatedUnchangedDocumentDiagnosticReport(identity)
    return types.RelatedFullDocumentDiagnosticReport(found, result_id=identity)


async def _hover(ls: HandleServer, params: types.HoverParams) -> types.Hover | None:
    uri = params.text_document.uri
    document = ls.documents.get(uri)
    if document is None:
        return None
    row = document.row(params.position.line)
    reading = ls.last_reading(uri)
    located = reading.at(params.position, row) if reading is not None else None
    if located is None and (reading is None or reading.document is not document):
        reading = await ls.reading(uri)
        located = reading.at(params.position, row) if reading is not None else None
    if reading is None or located is None:
        return None
    open_readings = ls.readings_of(reading.project)
    return hover(reading, located, open_readings, in_markdown=ls.shows_markdown)


async def _links(
    ls: HandleServer, params: types.DocumentLinkParams
) -> list[types.DocumentLink]:
    reading = await ls.reading(params.text_document.uri)
    return list(links(reading)) if reading is not None else []


async def _hints(
    ls: HandleServer, params: types.InlayHintParams
) -> list[types.InlayHint]:
    reading = await ls.reading(params.text_document.uri)
    return list(hints(reading, params.range)) if reading is not None else []


async def _actions(
    ls: HandleServer, params: types.CodeActionParams
) -> list[types.CodeAction]:
    wanted = params.context.only
    if wanted and types.CodeActionKind.QuickFix not in wanted:
        return []
    reading = await ls.reading(params.text_document.uri)
    if reading is None:
        return []
    shown = params.context.diagnostics
    # All corrections of a long document take a while.
    return await asyncio.to_thread(
        code_actions,
        *(reading, params.range, shown, ls.resolver),
        can_open=ls.opens_pages,
    )


async def _complete(
    ls: HandleServer, params: types.CompletionParams
) -> types.CompletionList | None:
    uri = params.text_document.uri
    document = ls.documents.get(uri)
    if document is None:
        return None
    project = await ls.project_of(document)
    syntax = syntax_of_document(document, project.settings)
    reading = ls.last_reading(uri)
    cited = reading.citations if reading is not None else ()
    return completions(document, syntax, params.position, project, ls.encoding, cited)


async def _resolve(
    ls: HandleServer, item: types.CompletionItem
) -> types.CompletionItem:
    with suppress(ValueError):
        named = named_work(item.data)
        document = ls.documents.get(named[0]) if named is not None else None
        if named is not None and document is not None:
            project = await ls.project_of(document)
            item.documentation = documentation(project, named[1]) or None
    return item


async def _accept(ls: HandleServer, uri: str, name: str) -> None:
    await ls.run(uri, partial(accept, Handle.parse(name)))


async def _fetch(ls: HandleServer, uri: str, name: str) -> None:
    doi = Handle.parse(name)
    await ls.run(uri, partial(fetch, doi, resolver=ls.resolver))


async def _open(ls: HandleServer, address: str) -> None:
    if urlsplit(address).scheme in {"http", "https"}:
        ls.window_show_document(types.ShowDocumentParams(address, external=True))


_HANDLERS: Mapping[str, Callable[..., Any]] = {
    types.INITIALIZED: _initialized,
    types.WORKSPACE_DID_CHANGE_WATCHED_FILES: _files_changed,
    types.WORKSPACE_DID_CHANGE_CONFIGURATION: _configuration_changed,
    types.TEXT_DOCUMENT_DID_SAVE: _saved,
    types.TEXT_DOCUMENT_DIAGNOSTIC: _pulled,
    types.TEXT_DOCUMENT_HOVER: _hover,
    types.TEXT_DOCUMENT_DOCUMENT_LINK: _links,
    types.TEXT_DOCUMENT_INLAY_HINT: _hints,
    types.TEXT_DOCUMENT_CODE_ACTION: _actions,
    types.TEXT_DOCUMENT_COMPLETION: _complete,
    types.COMPLETION_ITEM_RESOLVE: _resolve,
}
_OPTIONS: Mapping[str, Any] = {
    types.TEXT_DOCUMENT_DIAGNOSTIC: types.DiagnosticOptions(
        inter_file_dependencies=False, workspace_diagnostics=False, identifier=SOURCE
    ),
    types.TEXT_DOCUMENT_CODE_ACTION: types.CodeActionOptions(
        code_action_kinds=[types.CodeActionKind.QuickFix]
    ),
    types.TEXT_DOCUMENT_COMPLETION: types.CompletionOptions(
        trigger_characters=[*TRIGGERS], resolve_provider=True
    ),
}
