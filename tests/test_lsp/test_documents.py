"""Documents of an editor: positions, changes, kinds of documents, and what is said."""

import json
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st
from lsprotocol import types

from handle_cli.command import hdl
from handle_cli.lsp.documents import Document
from handle_cli.lsp.positions import (
    Encoding,
    line_starts,
    offset_of_units,
    units_of,
    with_line_feeds,
)
from tests.command_line import runner
from tests.language_client import Editor, Message, editor_of, position, span

LETTERS = "letters stand for digits in the prefix"
WRONG = "doi:10.1O00/182"
RETRACTED = {
    "id": "doi:10.1000/1",
    "type": "article-journal",
    "title": "A quite different paper about whales and bees",
    "author": [{"family": "Doe", "given": "J."}],
    "issued": {"date-parts": [[2020]]},
    "DOI": "10.1000/1",
    "custom": {
        "updates": [{"state": "retracted", "by": "10.1000/n", "date": "2021-01-02"}]
    },
}
CELL = {"cell_type": "markdown", "metadata": {}, "source": [WRONG]}
NOTEBOOK = json.dumps(
    {"cells": [CELL], "metadata": {}, "nbformat": 4, "nbformat_minor": 5}
)
ENCODINGS = st.sampled_from(["utf-8", "utf-16", "utf-32"])
TEXTS = st.text(st.sampled_from("aé日😀\r\n\f\x85\u2028 "), max_size=30)


@pytest.fixture
def project(tmp_path: Path) -> Path:
    (tmp_path / "pyproject.toml").write_text("[tool.handle]\n")
    (tmp_path / "references.json").write_text(json.dumps([RETRACTED]))
    return tmp_path


def capabilities_with(*encodings: str) -> dict[str, Any]:
    return {"general": {"positionEncodings": [*encodings]}}


LINKS = "textDocument/documentLink"


def where(diagnostics: list[Message]) -> list[tuple[int, int, int, str]]:
    """The line, the two columns and the kind of each finding."""
    return [
        (
            each["range"]["start"]["line"],
            each["range"]["start"]["character"],
            each["range"]["end"]["character"],
            each["code"],
        )
        for each in diagnostics
    ]


@given(text=TEXTS, encoding=ENCODINGS)
def test_units_and_offsets(text: str, encoding: Encoding) -> None:
    """The offset of the units before a character is that of the character."""
    sizes = {
        "utf-8": ("utf-8", 1),
        "utf-16": ("utf-16-le", 2),
        "utf-32": ("utf-32-le", 4),
    }
    codec, size = sizes[encoding]
    for offset in range(len(text) + 1):
        units = len(text[:offset].encode(codec)) // size
        assert units_of(text[:offset], encoding) == units
        assert offset_of_units(text, units, encoding) == offset
    assert offset_of_units(text, 1_000, encoding) == len(text)


@given(text=TEXTS)
def test_lines_end_at_three_ends_alone(text: str) -> None:
    """A form feed, U+0085 and U+2028 end no line, as the protocol has it."""
    lines = text.replace("\r\n", "\n").replace("\r", "\n").split("\n")
    document = Document("file:///a.md", "markdown", 1, text)

    assert with_line_feeds(text) == "\n".join(lines)
    assert len(line_starts(text)) == len(lines)
    assert [document.row(number) for number in range(len(lines) + 1)] == [*lines, ""]


@given(text=TEXTS, encoding=ENCODINGS, data=st.data(), new=TEXTS)
def test_a_change_replaces_what_is_between_two_positions(
    text: str, encoding: Encoding, data: st.DataObject, new: str
) -> None:
    """An editor that sends a part of a text has the same text as the server."""
    # Between a carriage return and its line feed there is no position.
    offsets = [
        offset
        for offset in range(len(text) + 1)
        if text[max(offset - 1, 0) : offset + 1] != "\r\n"
    ]
    start, end = sorted(data.draw(st.sampled_from(offsets)) for _ in range(2))
    starts = line_starts(text)

    def place(offset: int) -> types.Position:
        line = max(n for n, begin in enumerate(starts) if begin <= offset)
        return types.Position(line, units_of(text[starts[line] : offset], encoding))

    part = types.Range(place(start), place(end))
    change = types.TextDocumentContentChangePartial(part, new)
    before = Document("file:///a.md", "markdown", 1, text)

    after = before.changed(2, [change], encoding)

    assert after.text == text[:start] + new + text[end:]
    assert after.version == 2


@pytest.mark.parametrize(
    ("encodings", "chosen", "start"),
    [((), "utf-16", 5), (("utf-16",), "utf-16", 5), (("utf-8", "utf-16"), "utf-8", 11)],
)
def test_positions_count_as_client_and_server_agree(
    project: Path, encodings: tuple[str, ...], chosen: str, start: int
) -> None:
    """UTF-16 unless the client prefers another one; a code point beyond counts twice."""
    capabilities = capabilities_with(*encodings) if encodings else {}
    with editor_of(project, capabilities=capabilities) as editor:
        uri = editor.open(project / "a.md", f"日本😀 {WRONG}\n")

        assert editor.capabilities["positionEncoding"] == chosen
        assert where(editor.diagnostics(uri)) == [
            (0, start, start + len(WRONG), "broken-address")
        ]


@pytest.fixture(scope="module")
def editor(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Editor]:
    """One editor for tests that open documents of projects of their own."""
    workspace = tmp_path_factory.mktemp("workspace")
    (workspace / "references.json").write_text(json.dumps([RETRACTED]))
    with editor_of(workspace) as editor:
        yield editor


def test_an_argument_that_editors_add(project: Path) -> None:
    """Libraries of editors name the standard streams in an argument of their own."""
    with editor_of(project, options=["--stdio"]) as editor:
        uri = editor.open(project / "a.md", WRONG)

        assert where(editor.diagnostics(uri)) == [(0, 0, len(WRONG), "broken-address")]


def test_says_what_hdl_check_says(
    editor: Editor, project: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Each finding of `hdl check` about a page, at the same place: forms, states, works."""
    text = (
        f"# Title\n\nSee {WRONG}, {{hdl}}`20.1000`, doi:10.1000/1 and doi:10.1000/1.\n\n"
        "- [Kahn and Wilensky (2006)](https://doi.org/10.1000/1)\n\n"
        "doi:10.5281/zenodo.XXXXXXX <!-- hdl: ignore -->\n"
        "[x](https://doi.org/10.1000/1;x) doi:10.5281/zenodo.XXXXXXX\n"
    )
    (project / "a.md").write_text(text)
    monkeypatch.chdir(project)
    run = runner().invoke(hdl, ["check", "--format", "json", "a.md"])
    checked = {
        (row["line"] - 1, row["column"] - 1, row["code"], row["message"])
        for row in json.loads(run.stdout)
    }

    found = editor.diagnostics(editor.open(project / "a.md", text))

    shown = {
        (
            each["range"]["start"]["line"],
            each["range"]["start"]["character"],
            each["code"],
            # Facts and advice follow.
            next(row[3] for row in checked if each["message"].startswith(row[3])),
        )
        for each in found
    }
    assert shown == checked
    assert {code for _, _, code, _ in checked} == {
        "broken-address",
        "other-work",
        "placeholder",
        "retracted",
        "syntax",
    }


def test_a_finding(editor: Editor, project: Path) -> None:
    """A finding has its range, its kind, its severity, and below its message what helps."""
    uri = editor.open(project / "a.md", f"{WRONG}\n\n<doi:10.1000/1>\n")

    assert editor.diagnostics(uri) == [
        {
            "range": span(0, 0, 15),
            "severity": 3,
            "code": "broken-address",
            "source": "hdl",
            "message": f"{LETTERS}\nwrite doi:10.1000/182",
        },
        {
            "range": span(2, 1, 14),
            "severity": 2,
            "code": "retracted",
            "source": "hdl",
            "message": "retracted on 2021-01-02, notice https://doi.org/10.1000/n\n"
            "cite another work, or accept the notice",
        },
    ]


@pytest.mark.parametrize(
    ("text", "line"),
    [
        (f"a\r\n\r\nb {WRONG}\r\nc\r\n", 2),
        (f"a\r\rb {WRONG}\r", 2),
        (f"a\n\x0c\nb\u2028c\n\nx {WRONG}\n", 4),
        (f"\ufeff\n\n{WRONG}\n", 2),
    ],
    ids=["crlf", "cr", "other-ends", "mark"],
)
def test_a_change_below_any_line_end(
    editor: Editor, project: Path, text: str, line: int
) -> None:
    """Line ends that editors do not count shift no later change."""
    uri = editor.open(project / "a.md", text)
    first = [row[0] for row in where(editor.diagnostics(uri))]
    end = {"start": position(9, 0), "end": position(9, 0)}

    version = editor.change(uri, {"range": end, "text": f"\n\nz {WRONG}\n"})

    rows = where(editor.diagnostics(uri, version))
    assert first == [line]
    assert len(rows) == 2
    assert rows[0][0] == line
    assert rows[1][1:] == (2, 17, "broken-address")


def test_several_changes_at_once(editor: Editor, project: Path) -> None:
    """Each change is about the text after the one before it; a whole text is one, too."""
    uri = editor.open(project / "a.md", "nothing\n")
    assert editor.diagnostics(uri) == []

    version = editor.change(
        uri,
        {"text": f"one\ntwo {WRONG}\n"},
        {"range": span(0, 0, 3), "text": f"{WRONG}\n\n"},
        {"range": span(0, 3, 4), "text": ":"},
    )

    assert where(editor.diagnostics(uri, version)) == [
        (0, 0, 15, "broken-address"),
        (3, 4, 19, "broken-address"),
    ]


@pytest.mark.parametrize(
    ("name", "text", "language"),
    [
        ("a.rst", f".. note:: :doi:`{WRONG}`\n", "restructuredtext"),
        ("a.py", f'def f():\n    """See {WRONG}."""\n', "python"),
        ("a.txt", f"{WRONG}\n", "plaintext"),
        ("a.bib", "@a{b, doi = {10.1O00/182}}\n", "bibtex"),
        ("CITATION.cff", "cff-version: 1.2.0\ndoi: 10.1O00/182\n", "yaml"),
        ("a.mdx", f"import x from 'y'\n\n{WRONG}\n", "mdx"),
        ("a.qmd", f"{WRONG}\n", "quarto"),
        ("README", f"{WRONG}\n", "markdown"),
        ("a.html", f"<p>{WRONG}</p>\n", "html"),
        ("page.j2", f"<p>{WRONG}</p>\n", "html"),
        ("a.csv", "doi\n10.1O00/182\n", "csv"),
        (
            "a.ipynb",
            NOTEBOOK,
            "json",
        ),
        # JupyterLab names Markdown cells after their notebook.
        ("b.ipynb", f"{WRONG}\n", "ipythongfm"),
    ],
)
def test_kinds_of_documents(
    editor: Editor, project: Path, name: str, text: str, language: str
) -> None:
    """A document is read as `hdl check` reads a file of its name, or by its language."""
    found = editor.diagnostics(editor.open(project / name, text, language))

    assert [row[3] for row in where(found)] == ["broken-address"]


def test_the_charset_of_a_file(editor: Editor, project: Path) -> None:
    """Octets of a file that declares its charset, and has it, are decoded with that."""
    head = "<!-- coding: euc-jp -->\n\n"
    text = f"{head}日本 http://hdl.handle.net/20.1000/%C6%FC hdl:20.1000/%C6%FC\n"
    path = project / "a.md"
    path.write_bytes(text.encode("euc-jp"))
    uri = editor.open(path, text)
    links = {"textDocument": {"uri": uri}}

    assert editor.diagnostics(uri) == []
    assert [link["target"] for link in editor.request(LINKS, links)] == [
        "https://hdl.handle.net/20.1000/%E6%97%A5"
    ] * 2
    (canonical,) = editor.actions(uri, span(2, 5, 5))
    assert canonical["title"].endswith(": https://hdl.handle.net/20.1000/%E6%97%A5")

    # The file is UTF-8, whatever it declares, or it is not there.
    path.write_text(text, encoding="utf-8")
    version = editor.change(uri, {"text": text})
    assert editor.diagnostics(uri, version) != []
    path.unlink()
    version = editor.change(uri, {"text": text})
    assert editor.diagnostics(uri, version) != []


@pytest.mark.parametrize(
    ("name", "text", "language", "said"),
    [
        ("a.c", WRONG, "c", []),
        ("bad.ipynb", f'{{"cells": {WRONG}', "json", ["skipped"]),
    ],
)
def test_documents_that_are_not_read(
    editor: Editor, project: Path, name: str, text: str, language: str, said: list[str]
) -> None:
    """Other kinds of documents are left alone; a damaged one is said to be skipped."""
    found = editor.diagnostics(editor.open(project / name, text, language))

    assert [row[3] for row in where(found)] == said


@pytest.mark.parametrize(
    "uri",
    [
        "untitled:Untitled-1",
        "file:///nowhere/at%20all/%23.md",
        "git:/x/a.md?%7B%7D",
        # No file can have these names.
        "file:///x/a%00.md",
        "file:///x/\ud800.md",
        "file://[/a.md",
    ],
)
def test_documents_without_a_file(editor: Editor, uri: str) -> None:
    """Untitled documents and those of other schemes are read by their language."""
    text = f"{WRONG} <!-- coding: latin-1 -->"

    found = editor.diagnostics(editor.open(uri, text))

    assert where(found) == [(0, 0, 15, "broken-address")]


def test_an_untitled_document_belongs_to_the_workspace(editor: Editor) -> None:
    """A document without a folder has the works of the workspace."""
    found = editor.diagnostics(editor.open("untitled:1", "<doi:10.1000/1>"))

    assert where(found) == [(0, 1, 14, "retracted")]


def test_cells_of_a_notebook(project: Path) -> None:
    """Markdown cells that come, change and go are documents of their notebook's folder."""
    capabilities: Message = {"notebookDocument": {"synchronization": {}}}
    notebook = (project / "n.ipynb").as_uri()
    cell = notebook.replace("file:", "vscode-notebook-cell:") + "#W0"
    other = f"{cell}1"

    def item(uri: str, text: str) -> Message:
        return {"uri": uri, "languageId": "markdown", "version": 1, "text": text}

    def kind(uri: str) -> Message:
        return {"kind": 1, "document": uri}

    with editor_of(project, capabilities=capabilities) as editor:
        opened: Message = {
            "uri": notebook,
            "notebookType": "jupyter-notebook",
            "version": 1,
            "cells": [kind(cell)],
        }
        editor.notify(
            "notebookDocument/didOpen",
            {
                "notebookDocument": opened,
                "cellTextDocuments": [item(cell, "<doi:10.1000/1>")],
            },
        )
        assert where(editor.diagnostics(cell)) == [(0, 1, 14, "retracted")]
        array = {"start": 1, "deleteCount": 0, "cells": [kind(other)]}
        text = {
            "document": {"uri": cell, "version": 2},
            "changes": [{"range": span(0, 0, 15), "text": WRONG}],
        }
        structure = {"array": array, "didOpen": [item(other, WRONG)]}
        editor.notify(
            "notebookDocument/didChange",
            {
                "notebookDocument": {"uri": notebook, "version": 2},
                "change": {"cells": {"structure": structure, "textContent": [text]}},
            },
        )
        assert where(editor.diagnostics(other)) == [(0, 0, 15, "broken-address")]
        assert where(editor.diagnostics(cell, 2)) == [(0, 0, 15, "broken-address")]
        editor.notify(
            "notebookDocument/didClose",
            {
                "notebookDocument": {"uri": notebook},
                "cellTextDocuments": [{"uri": cell}, {"uri": other}],
            },
        )
        assert editor.closed(cell) == editor.closed(other) == []


def test_a_closed_document_has_no_findings(editor: Editor, project: Path) -> None:
    """What was said about a document goes with it; another of the same name is new."""
    uri = editor.open(project / "a.md", WRONG)
    assert len(editor.diagnostics(uri)) == 1

    editor.close(uri)

    assert editor.closed(uri) == []
    assert editor.at("hover", uri, 0, 3) is None
    assert len(editor.diagnostics(editor.open(project / "a.md", WRONG))) == 1


def test_findings_that_the_client_asks_for(project: Path) -> None:
    """A client that pulls gets no pushed findings, and those that it has not again."""
    capabilities: Message = {"textDocument": {"diagnostic": {}}}
    with editor_of(project, capabilities=capabilities) as editor:
        uri = editor.open(project / "a.md", WRONG)
        params = {"textDocument": {"uri": uri}}
        first = editor.request("textDocument/diagnostic", params)
        again = {**params, "previousResultId": first["resultId"]}
        second = editor.request("textDocument/diagnostic", again)
        editor.change(uri, {"text": "nothing"})
        third = editor.request("textDocument/diagnostic", again)
        unknown = {"textDocument": {"uri": "file:///unknown.md"}}
        none = editor.request("textDocument/diagnostic", unknown)

        assert where(first["items"]) == [(0, 0, 15, "broken-address")]
        assert second == {"kind": "unchanged", "resultId": first["resultId"]}
        assert (third["kind"], third["items"]) == ("full", [])
        assert (none["kind"], none["items"]) == ("full", [])
        assert editor.received == []


def test_a_cancelled_request_ends_no_reading(project: Path) -> None:
    """Others who wait for a reading get it, although its first request was cancelled."""
    capabilities: Message = {"textDocument": {"diagnostic": {}}}
    with editor_of(project, capabilities=capabilities) as editor:
        uri = editor.open(project / "a.md", f"word {WRONG}\n\n" * 500)
        params = {"textDocument": {"uri": uri}}
        number = editor.send_request("textDocument/diagnostic", params)
        editor.notify("$/cancelRequest", {"id": number})

        links = editor.request("textDocument/documentLink", params)

        assert len(links) == 500
