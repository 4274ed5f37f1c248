"""The extension for VS Code, as far as it can be tested without VS Code.

`.ci/run` checks its types and its style, and packages it, where npm is.
"""

import json
import re
from pathlib import Path
from typing import Any

from handle_cli.lsp.documents import Document, syntax_of_document
from handle_cli.project_settings import usual_settings

FOLDER = Path(__file__).parents[2] / "editors" / "vscode"
MANIFEST: dict[str, Any] = json.loads((FOLDER / "package.json").read_text("utf-8"))
SOURCE = (FOLDER / "src" / "extension.ts").read_text("utf-8")


def test_the_server_reads_every_language_of_the_extension() -> None:
    """The extension sends no language that the server would not read."""
    listed = re.findall(r"(?s)const languages = \[(.*?)\]", SOURCE)
    languages = re.findall(r'"(\w+)"', listed[0])
    settings = usual_settings(Path.cwd())

    assert len(languages) > 5
    for language in languages:
        document = Document("untitled:1", language, 1, "")
        assert syntax_of_document(document, settings) is not None, language


def test_a_restricted_workspace_chooses_no_program() -> None:
    """The settings of a repository that nobody trusts cannot name the command."""
    untrusted = MANIFEST["capabilities"]["untrustedWorkspaces"]
    (setting,) = MANIFEST["contributes"]["configuration"]["properties"]

    assert untrusted["supported"] == "limited"
    assert untrusted["restrictedConfigurations"] == [setting] == ["handle.server"]


def test_no_program_of_a_workspace_is_started() -> None:
    """Windows looks for a program in the current folder first: it is the extension's."""
    assert "options: { cwd }" in SOURCE
    assert "const cwd = context.extensionPath;" in SOURCE


def test_the_manual_names_the_package() -> None:
    """The manual and the extension's own page install the file that is made."""
    package = f"{MANIFEST['name']}-{MANIFEST['version']}.vsix"
    manual = FOLDER.parents[1] / "example_docs" / "in-your-editor.rst"

    assert package in manual.read_text("utf-8")
    assert package in (FOLDER / "README.md").read_text("utf-8")
