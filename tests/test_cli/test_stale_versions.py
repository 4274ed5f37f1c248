"""``hdl check`` reports what a repository says of its own old versions, and nothing else."""

import json
from pathlib import Path

import pytest

from handle_cli.command import hdl
from handle_cli.repositories import Git
from handle_cli.stale_versions import OwnVersions
from handle_system import DEFAULT_PROXIES
from handle_system.describing.described_works import DescribedWorks
from tests.command_line import runner

CITATION = """\
cff-version: 1.2.0
message: Please cite it.
title: A tool
version: 2.0
authors:
  - name: The team
identifiers:
  - type: doi
    value: 10.5281/zenodo.100
    description: The concept DOI, for all versions
  - type: doi
    value: 10.5281/zenodo.101
    description: version 1.0
  - type: doi
    value: 10.5281/zenodo.102
    description: version 1.5
  - type: doi
    value: 10.5281/zenodo.103
    description: version 2.0
"""
WORKS = """\
[[work]]
title = "A tool"
handle = "10.5281/zenodo.100"

[[work.version]]
label = "1.0"
handle = "10.5281/zenodo.101"

[[work.version]]
label = "2.0"
handle = "10.5281/zenodo.103"

[[work.version]]
label = "3.0"
"""
OLD_BADGE = (
    "[![DOI](https://zenodo.org/badge/DOI/10.5281/zenodo.101.svg)]"
    "(https://doi.org/10.5281/zenodo.101)"
)
CONCEPT = "Cite https://doi.org/10.5281/zenodo.100."
SAID = (
    "README.md:{}: warning: 10.5281/zenodo.101: this is the identifier of an old version, "
    "says {}, version 1.0, latest 2.0, all versions 10.5281/zenodo.100 [stale-version]"
)


def _check(folder: Path, monkeypatch: pytest.MonkeyPatch, **files: str) -> list[str]:
    """The lines about old versions in a check of a folder with these files."""
    names = {
        "readme": "README.md",
        "citation": "CITATION.cff",
        "works": "docs/works.toml",
        "project": "pyproject.toml",
        "page": "page.md",
    }
    for key, text in files.items():
        path = folder / names[key]
        path.parent.mkdir(exist_ok=True)
        path.write_text(text, "utf-8")
    monkeypatch.chdir(folder)
    result = runner().invoke(hdl, ["check"])
    said = [line for line in result.stdout.splitlines() if "stale-version" in line]
    warned = any(": warning: " in line for line in said)
    assert result.exit_code == int(warned), result.output
    return said


@pytest.mark.parametrize("source", ["citation", "works"])
def test_readme_with_an_old_badge(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, source: str
) -> None:
    """An old badge and its link are warnings, whichever file names the version."""
    name = {"citation": "CITATION.cff", "works": "docs/works.toml"}[source]
    text = {"citation": CITATION, "works": WORKS}[source]
    readme = f"# Tool\n\n{OLD_BADGE}\n"

    said = _check(tmp_path, monkeypatch, readme=readme, **{source: text})

    assert said == [SAID.format(f"3:{column}", name) for column in (38, 79)]


def test_entry_in_a_code_block(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """The entry to copy is code, and is read all the same."""
    readme = "```bibtex\n@software{tool,\n doi = {10.5281/ZENODO.101}\n}\n```\n"

    (said,) = _check(tmp_path, monkeypatch, readme=readme, citation=CITATION)

    assert said.startswith("README.md:3:9: warning: 10.5281/ZENODO.101: this is the id")


def test_badge_beside_the_concept(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """A badge is about the present, also where the text names all versions."""
    readme = f"{OLD_BADGE}\n\n{CONCEPT}\n"

    said = _check(tmp_path, monkeypatch, readme=readme, citation=CITATION)

    assert said == [SAID.format("1:38", "CITATION.cff")]


@pytest.mark.parametrize(
    "readme",
    [
        CONCEPT,
        CONCEPT + " Our article used https://doi.org/10.5281/zenodo.101.",
        "Our article used version 1.0 (https://doi.org/10.5281/zenodo.101).",
        "Versions: doi:10.5281/zenodo.101, doi:10.5281/zenodo.102.",
        "Cite https://doi.org/10.5281/zenodo.103.",
        "A dataset: https://doi.org/10.5281/zenodo.1010.",
        "[![DOI](https://zenodo.org/badge/DOI/10.5281/zenodo.100.svg)](x)",
        "[![DOI](https://zenodo.org/badge/12345.svg)](x)",
        f"v1.0 {OLD_BADGE}",
        OLD_BADGE + "\n" + OLD_BADGE.replace("101", "103"),
        f"<!-- hdl: ignore -->\n{OLD_BADGE}",
    ],
)
def test_nothing_is_said_of_history(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, readme: str
) -> None:
    """The concept, the latest version, history and other works are no findings."""
    assert not _check(tmp_path, monkeypatch, readme=readme, citation=CITATION)


def test_other_pages_may_name_old_versions(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Only a README speaks of the project as it is."""
    page = "See https://doi.org/10.5281/zenodo.101."

    assert not _check(tmp_path, monkeypatch, page=page, citation=CITATION)


@pytest.mark.parametrize(
    "citation",
    [
        # The identifier of the latest version is not known yet.
        CITATION.replace("version 2.0", "").replace("version: 2.0", "version: 3.0"),
        # Of several versions, and so of none.
        CITATION.replace("version 1.0", "version 1.0 and above"),
        CITATION.replace("version 1.0", "the article"),
        CITATION.replace("version 1.0", "version 2"),
        "cff-version: [",
        "",
    ],
)
def test_what_is_not_certain(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, citation: str
) -> None:
    """Without the words of a file, no identifier is old."""
    readme = f"{OLD_BADGE}\n"
    if "version 2.0" not in citation and citation.startswith("cff-version: 1"):
        readme = readme.replace("101", "102")

    assert not _check(tmp_path, monkeypatch, readme=readme, citation=citation)


def test_citation_file_with_an_old_identifier(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """The file's own words and those of the works file are compared."""
    citation = """\
cff-version: 1.2.0
message: Cite it.
title: A tool
version: 1.0
doi: 10.5281/zenodo.101
authors: [{name: The team}]
"""

    said = _check(tmp_path, monkeypatch, citation=citation, works=WORKS)

    old_version = (
        "CITATION.cff:4:10: warning: 1.0: this version is older than 2.0, which "
        "docs/works.toml names [stale-version]"
    )
    old_identifier = (
        "CITATION.cff:5:6: warning: 10.5281/zenodo.101: this is the identifier of an old "
        "version, says docs/works.toml, version 1.0, latest 2.0, all versions "
        "10.5281/zenodo.100 [stale-version]"
    )
    assert said == [old_version, old_identifier]


@pytest.mark.parametrize(
    ("version", "is_said"),
    [
        ("2.1", True),
        ("2.1.dev0", False),
        ("3.0rc1", False),
        ("2.0.1", False),
        ("1.9", False),
    ],
)
def test_version_of_pyproject(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, version: str, *, is_said: bool
) -> None:
    """A later final version there is a note, since it may be the next release."""
    project = f'[project]\nname = "tool"\nversion = "{version}"\n'

    said = _check(tmp_path, monkeypatch, citation=CITATION, project=project)

    expected = (
        f"CITATION.cff:4:10: note: 2.0: this version is older than {version}, which "
        "pyproject.toml names [stale-version]"
    )
    assert said == ([expected] if is_said else [])


def test_what_helps(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """A report for programs has the identifier to write."""
    (tmp_path / "README.md").write_text(OLD_BADGE, "utf-8")
    (tmp_path / "CITATION.cff").write_text(CITATION, "utf-8")
    monkeypatch.chdir(tmp_path)

    result = runner().invoke(hdl, ["check", "--format", "json"])

    suggestions = {row["suggestion"] for row in json.loads(result.stdout)}
    assert suggestions == {"10.5281/zenodo.103"}


@pytest.mark.slow
def test_many_identifiers_and_works_take_linear_time(tmp_path: Path) -> None:
    """Quadratic work on them takes longer than any test may."""
    works = "".join(
        f'[[work]]\nhandle = "10.9/w{number}"\n'
        f'[[work.version]]\nlabel = "1.0"\nhandle = "10.9/v{number}"\n'
        f'[[work.version]]\nlabel = "2.0"\nhandle = "10.9/n{number}"\n'
        for number in range(2_000)
    )
    (tmp_path / "works.toml").write_text(works)
    line = "see doi:10.9/v1 " * 50_000

    old = OwnVersions(DEFAULT_PROXIES, tmp_path, DescribedWorks(()), Git()).read(
        line, "README.md", tmp_path
    )

    assert [finding.first.column for finding in old.staying] == [
        9 + 16 * number for number in range(50_000)
    ]
