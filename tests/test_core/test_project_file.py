"""`handle_system.project_file`: which pyproject.toml a build, a command and an editor obey."""

from pathlib import Path

import pytest

from handle_system.findings.codes import Severity
from handle_system.project_file import (
    ProjectFileError,
    finding_about_setting,
    ignored_patterns,
    project_root,
    written_settings,
)
from handle_system.typed_values import SettingError

TABLE = "[project]\nname = 'x'\n\n[tool.handle]\nexclude = ['old']\n"
OTHER = "[project]\nname = 'x'\n"


@pytest.fixture
def docs(tmp_path: Path) -> Path:
    """A folder three levels below another one."""
    folder = tmp_path / "top" / "package" / "docs"
    folder.mkdir(parents=True)
    return folder


def test_the_nearest_table_counts(docs: Path) -> None:
    """A ``pyproject.toml`` without the table hides none above it."""
    top = docs.parent.parent
    (top / "pyproject.toml").write_text(TABLE)
    (docs.parent / "pyproject.toml").write_text(OTHER)
    (docs / "pyproject.toml").write_text(OTHER)

    assert project_root(docs) == top
    (docs.parent / "pyproject.toml").write_text(TABLE + "# another\n")
    assert project_root(docs) == docs.parent


def test_an_ignore_file_counts(docs: Path) -> None:
    """A folder with patterns of paths to skip is a project, too."""
    (docs.parent.parent / "pyproject.toml").write_text(TABLE)
    (docs.parent / ".hdlignore").write_text("# none\nold\n\n")

    assert project_root(docs) == docs.parent
    assert ignored_patterns(docs.parent) == ["old"]


@pytest.mark.parametrize("name", [".git", ".hg", ".jj"])
def test_the_search_stays_in_the_repository(docs: Path, name: str) -> None:
    """Whoever has put a table above a repository does not decide about it."""
    (docs.parent.parent / "pyproject.toml").write_text(TABLE)
    (docs.parent / name).mkdir()

    assert project_root(docs) == docs
    (docs.parent / "pyproject.toml").write_text(OTHER)
    assert project_root(docs) == docs.parent
    (docs.parent / "pyproject.toml").write_text(TABLE + "# another\n")
    assert project_root(docs) == docs.parent


def test_without_a_table_the_nearest_file_counts(docs: Path) -> None:
    """It is where a table will stand; without any file it is the folder itself."""
    assert project_root(docs) == docs
    (docs.parent.parent / "pyproject.toml").write_text(OTHER)
    (docs.parent / "pyproject.toml").write_text(OTHER)
    assert project_root(docs) == docs.parent


@pytest.mark.parametrize(
    ("text", "message"),
    [
        ("]", "pyproject.toml: the file: this is not TOML: "),
        ("tool.handle = 1", "pyproject.toml: tool.handle is not a table"),
        (
            "x = 'ö'".encode("latin-1"),
            "pyproject.toml: it is not UTF-8, from octet 5 on",
        ),
        ("#" * 500_001, "pyproject.toml: it is larger than 500 kB"),
    ],
)
def test_a_broken_file_is_an_error_of_its_folder(
    docs: Path, text: str | bytes, message: str
) -> None:
    """The search ends at a file that cannot be used, which might have held the table."""
    (docs.parent.parent / "pyproject.toml").write_text(TABLE)
    data = text if isinstance(text, bytes) else text.encode()
    (docs.parent / "pyproject.toml").write_bytes(data)

    assert project_root(docs) == docs.parent
    with pytest.raises(ProjectFileError) as caught:
        written_settings(docs.parent)
    assert str(caught.value).startswith(message)


@pytest.mark.parametrize(
    ("text", "path", "line"),
    [
        ("[tool.handle]\n\nexclude = 1\n", ".exclude", 3),
        ("[a]\nexclude = 1\n[tool.handle]\nexclude = 1\n[b]\n", ".exclude[2]", 4),
        ("[tool.handle]\n[tool.handle.severity]\nx = 1\n", ".severity['x']", 2),
        ("[tool.handle]\nproxies.10 = 'x'\n", ".proxies", 2),
        ("[tool.handle]\nx = 1\n", "", 1),
        ("[a]\n[tool.handle]\nx = 1\n[b]\nexclude = 1\n", ".exclude", 2),
        ("tool = {handle = {exclude = 1}}\n", ".exclude", 0),
    ],
)
def test_a_finding_names_the_line_of_a_setting(
    tmp_path: Path, text: str, path: str, line: int
) -> None:
    """The line of the setting; of the table, if the setting stands in another way."""
    (tmp_path / "pyproject.toml").write_text(text)
    error = SettingError("no", path)

    finding = finding_about_setting(tmp_path, error, "p.toml", Severity.NOTE)
    assert (finding.first.file, finding.first.line) == ("p.toml", line)
    assert finding.message == f"tool.handle{path}: no"
