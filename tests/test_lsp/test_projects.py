"""The project of a document: nearest settings, files that change, and whom it trusts."""

import json
from pathlib import Path

import pytest

from tests.language_client import Editor, Message, editor_of, span

pytestmark = pytest.mark.slow

WRONG = "doi:10.1O00/182"
PULLING: Message = {
    "textDocument": {"diagnostic": {}},
    "workspace": {
        "didChangeWatchedFiles": {"dynamicRegistration": True},
        "diagnostics": {"refreshSupport": True},
    },
}


def work(*, state: str = "retracted") -> Message:
    updates = [{"state": state, "by": "10.1000/n", "date": "2021-01-02"}]
    return {
        "id": "doi:10.1000/1",
        "type": "book",
        "title": "One",
        "custom": {"updates": updates},
    }


def project(folder: Path, settings: str = "") -> Path:
    folder.mkdir(exist_ok=True)
    (folder / "pyproject.toml").write_text(f"[tool.handle]\n{settings}\n")
    return folder


def codes(diagnostics: list[Message]) -> list[tuple[str, int]]:
    """The kind and the severity of each finding."""
    return [(each["code"], each["severity"]) for each in diagnostics]


def changed(
    editor: Editor, uri: str, before: list[tuple[str, int]], version: int = 1
) -> list[tuple[str, int]]:
    """The findings when they are no longer the same."""
    while True:
        found = codes(editor.diagnostics(uri, version))
        if found != before:
            return found


def test_each_document_has_the_settings_of_its_project(tmp_path: Path) -> None:
    """The nearest settings count, also of a folder that is in no workspace."""
    one = project(tmp_path / "one", 'severity = { "broken-address" = "error" }')
    two = project(tmp_path / "two", 'ignore = ["broken-address"]')
    outside = project(tmp_path / "outside", 'exclude = ["old/*"]')
    inner = project(one / "inner", 'severity = { "broken-address" = "warning" }')
    with editor_of(one, two) as editor:

        def said(path: Path) -> list[tuple[str, int]]:
            return codes(editor.diagnostics(editor.open(path, WRONG)))

        assert said(one / "a.md") == [("broken-address", 1)]
        assert said(one / "none" / "a.md") == [("broken-address", 1)]
        assert said(inner / "a.md") == [("broken-address", 2)]
        assert said(two / "a.md") == []
        assert said(outside / "a.md") == [("broken-address", 3)]
        assert said(outside / "old" / "a.md") == []


def test_files_that_change_are_read_again(tmp_path: Path) -> None:
    """Without a client that watches files, settings and works take effect by themselves."""
    folder = project(tmp_path / "one")
    works = folder / "references.json"
    works.write_text(json.dumps([work()]))
    with editor_of(folder) as editor:
        uri = editor.open(folder / "a.md", f"doi:10.1000/1 {WRONG}")
        both = codes(editor.diagnostics(uri))
        assert both == [("retracted", 2), ("broken-address", 3)]

        project(folder, 'ignore = ["broken-address"]')
        assert changed(editor, uri, both) == [("retracted", 2)]

        works.write_text(json.dumps([work(state="corrected")]))
        assert changed(editor, uri, [("retracted", 2)]) == [("corrected", 3)]

        works.unlink()
        assert changed(editor, uri, [("corrected", 3)]) == []

        project(folder)
        assert changed(editor, uri, []) == [("broken-address", 3)]

        (folder / ".hdlignore").write_text("a.md\n")
        assert changed(editor, uri, [("broken-address", 3)]) == []


def test_malformed_files_are_told_and_the_last_good_ones_stay(tmp_path: Path) -> None:
    """Half-written settings and works change nothing but what is said about them."""
    folder = project(tmp_path / "one", 'severity = { "broken-address" = "error" }')
    works = folder / "references.json"
    works.write_text(json.dumps([work()]))
    with editor_of(folder) as editor:
        uri = editor.open(folder / "a.md", f"doi:10.1000/1 {WRONG}")
        both = [("retracted", 2), ("broken-address", 1)]
        assert codes(editor.diagnostics(uri)) == both

        (folder / "pyproject.toml").write_text("[tool.handle]\nignore = nothing\n")
        problem = editor.message()
        version = editor.change(uri, {"range": span(0, 0, 0), "text": "x "})
        assert codes(editor.diagnostics(uri, version)) == both
        project(folder, 'severity = { "broken-address" = "erorr" }')
        other_problem = editor.message()

        works.write_text('[{"id": "doi:10.1000/1", <<<')
        found = changed(editor, uri, both, version)
        assert found == [("references", 2), *both]
        project(folder)
        mended = changed(editor, uri, found, version)
        assert mended == [("references", 2), ("retracted", 2), ("broken-address", 3)]

    assert problem.startswith(f"hdl: {folder}: pyproject.toml: ")
    assert other_problem == (
        f"hdl: {folder}: pyproject.toml: tool.handle.severity['broken-address']: "
        "'erorr' is unknown; did you mean error?"
    )
    assert not [each for each in editor.received if "Message" in each["method"]]


def test_watched_files(tmp_path: Path) -> None:
    """A client that watches files says when they change; one that pulls is asked to."""
    folder = project(tmp_path / "one")
    with editor_of(folder, capabilities=PULLING) as editor:
        registered = editor.wait_for("client/registerCapability", lambda _: True)
        uri = editor.open(folder / "a.md", WRONG)
        params = {"textDocument": {"uri": uri}}
        first = editor.request("textDocument/diagnostic", params)
        project(folder, 'ignore = ["broken-address"]')
        changes = [{"uri": (folder / "pyproject.toml").as_uri(), "type": 2}]
        editor.notify("workspace/didChangeWatchedFiles", {"changes": changes})
        editor.wait_for("workspace/diagnostic/refresh", lambda _: True)
        second = editor.request("textDocument/diagnostic", params)

    (registration,) = registered["registrations"]
    assert registration["method"] == "workspace/didChangeWatchedFiles"
    assert registration["registerOptions"]["watchers"] == [
        {"globPattern": pattern}
        for pattern in ("**/pyproject.toml", "**/.hdlignore", "**/*.json")
    ]
    assert codes(first["items"]) == [("broken-address", 3)]
    assert second["items"] == []


@pytest.mark.parametrize(
    ("options", "link", "told"),
    [
        ([], "https://hdl.handle.net/20.1000/5", 1),
        (["--trust-config"], "https://evil.example/20.1000/5", 0),
    ],
)
def test_settings_of_strangers(
    tmp_path: Path, options: list[str], link: str, told: int
) -> None:
    """They name no file outside of the project, and no server that a link leads to."""
    outside = tmp_path / "references.json"
    outside.write_text(json.dumps([work()]))
    reading = project(
        tmp_path / "one", 'proxies = { "20.1000" = "https://evil.example/" }'
    )
    files = project(tmp_path / "two", 'references = "../references.json"')
    with editor_of(reading, options=options) as editor:
        uri = editor.open(reading / "a.md", "https://evil.example/20.1000/5")
        params = {"textDocument": {"uri": uri}}
        (one,) = editor.request("textDocument/documentLink", params)
        assert one["target"] == link
        other = editor.open(files / "a.md", "doi:10.1000/1")
        found = codes(editor.diagnostics(other))

    messages = [
        each["params"]["message"]
        for each in editor.received
        if each["method"] == "window/showMessage"
    ]
    refusal = (
        f"hdl: {files}: pyproject.toml: tool.handle.references names "
        "'../references.json', which is not a file of the project; "
        "pass --references, or --trust-config to allow it"
    )
    assert found == ([] if told else [("retracted", 2)])
    assert messages == [refusal] * told


def test_a_module_in_the_folder_of_a_document_is_not_imported(tmp_path: Path) -> None:
    """A command of a fix runs the installed packages, whatever a repository holds."""
    folder = project(tmp_path / "one")
    (folder / "references.json").write_text(json.dumps([work()]))
    for name in ("handle_cli", "click", "json"):
        (folder / f"{name}.py").write_text("raise SystemExit('hostile')")
    with editor_of(folder) as editor:
        uri = editor.open(folder / "a.md", "doi:10.1000/1")
        shown = editor.diagnostics(uri)
        accept = editor.actions(uri, span(0, 3, 3), shown)[0]
        editor.request("workspace/executeCommand", accept["command"])

        assert editor.message() == "hdl: accepted  10.1000/n, about 10.1000/1"
