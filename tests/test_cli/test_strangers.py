"""`hdl` in a repository of somebody else: nothing in it is obeyed."""

import csv
import json
import os
import re
import subprocess
import sys
from contextlib import closing
from operator import itemgetter
from pathlib import Path
from types import SimpleNamespace
from typing import Any

import pytest
from click.testing import Result

from handle_cli.command import hdl
from handle_cli.lsp.projects import Projects
from handle_system import Handle, HandleRecord
from handle_system.resolving import resolvers
from handle_system.resolving.cache import SqliteCache
from handle_system.resolving.outcomes import Resolved
from tests.background import nobody_at
from tests.command_line import runner
from tests.recipes import read_recipe

# GitHub's runner takes the first form at the start of a line, and the second anywhere.
_COMMANDS = re.compile(r"(?m)^\s*::[A-Za-z]|##[A-Za-z]*\[")


@pytest.fixture
def project(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    folder = tmp_path / "project"
    folder.mkdir()
    (folder / "pyproject.toml").touch()
    monkeypatch.chdir(folder)
    return folder


def run(*arguments: str) -> Result:
    return runner().invoke(hdl, arguments, catch_exceptions=False)


class TestCommandsOfBuildServices:
    """A workflow obeys lines of its log, whoever wrote their text."""

    @pytest.fixture(autouse=True)
    def hostile(self, project: Path) -> None:
        text = (
            "::stop-commands::x\n \t::add-mask::y\nhdl:20.1/a##[add-mask]z\n"
            "\n{hdl}`::set-env name=a::b` [x](doi:10.1/##vso[task.setvariable]%zz)\n"
        )
        (project / "::stop-commands::a.md").write_text(text)
        (project / "b\n::debug::c ##[debug]d.md").write_text(text)
        (project / "::error::binary.md").write_bytes(b"\0")
        (project / "::error::c.cff").write_text("doi: hdl:20.1/a##[add-mask]z\n")

    @pytest.mark.parametrize(
        "arguments",
        [
            ["check", "."],
            ["check", "--format", "json", "."],
            ["check", "--format", "sarif", "."],
            ["check", "--format", "junit", "."],
            ["list", "."],
            ["list", "--format", "json", "."],
            ["list", "--format", "csv", "."],
            ["fix", "--diff", "."],
            ["fix", "--json", "."],
            ["fix", "--yes", "."],
            ["parse", "::stop::##[mask]a"],
        ],
        ids=" ".join,
    )
    def test_no_output_is_a_command(self, arguments: list[str]) -> None:
        """No line of the output is a command, in any format."""
        done = run(*arguments)

        assert "mask" in done.output or ":stop" in done.output
        assert _COMMANDS.findall(done.output) == []

    def test_only_the_format_for_github_writes_commands(self) -> None:
        """Each line of it is one command of its own."""
        done = run("check", "--format", "github", ".")

        starts = [line.split(" ")[0] for line in done.stdout.splitlines()]
        assert len(starts) >= 5
        assert set(starts) <= {"::error", "::warning", "::notice"}


@pytest.mark.parametrize(
    "hook", read_recipe(".pre-commit-hooks.yaml"), ids=itemgetter("id")
)
def test_a_hook_takes_no_name_of_a_file_for_an_option(
    project: Path, hook: dict[str, Any]
) -> None:
    """A tracked file with the name of an option is read like any other."""
    name = "--stdin-name=x.md"
    (project / name).write_text("doi:10.1000/1 [x](doi:10.1000/%zz)\n")
    command, *options = hook["entry"].split()
    done = run(*options, *hook["args"], name)

    assert (command, done.exit_code) == ("hdl", 1)
    assert name in done.stdout


@pytest.mark.parametrize("sign", ["=", "+", "-", "@", "＝", "＋", "－", "＠"])
def test_no_cell_is_a_formula(project: Path, sign: str) -> None:
    """A spreadsheet runs the text of no cell, also where a name begins it."""
    (project / f"{sign}cmd.md").write_text("doi:10.1000/1 doi:10.1O00/1\n")

    for command in (["list", "--format=csv"], ["check", "--format=csv"]):
        rows = [*csv.reader(run(*command, ".").stdout.splitlines()[1:])]
        assert {row[0] for row in rows} == {f"'{sign}cmd.md"}


@pytest.mark.parametrize("sign", ["=", "+", "-", "@", "＝", " =", '"='])
def test_no_part_of_a_cell_is_a_formula(project: Path, sign: str) -> None:
    """Neither is a part that a spreadsheet takes for a cell, as a semicolon divides them."""
    (project / f"x;{sign}cmd.md").write_text("doi:10.1000/1 doi:10.1O00/1\n")
    before = sign[:-1]

    for command in (["list", "--format=csv"], ["check", "--format=csv"]):
        rows = [*csv.reader(run(*command, ".").stdout.splitlines()[1:])]
        assert {row[0] for row in rows} == {f"x;{before}'{sign[-1]}cmd.md"}


class TestLinksOut:
    """A file that a command reads without being told is one of the project."""

    @pytest.fixture
    def secret(self, tmp_path: Path) -> Path:
        """A folder beside the project."""
        folder = tmp_path / "secret"
        folder.mkdir()
        return folder

    def linked(self, project: Path, secret: Path, name: str, text: str) -> None:
        """Make a link in the project to a file beside it."""
        (secret / name).write_text(text)
        (project / name).symlink_to(secret / name)

    def test_references(self, project: Path, secret: Path) -> None:
        """A file of references may hold what its owner reads, and nobody else."""
        update = '{"state": "retracted", "by": "10.1000/n", "date": "2020-01-01"}'
        item = f'[{{"id": "doi:10.1000/1", "custom": {{"updates": [{update}]}}}}]'
        self.linked(project, secret, "references.json", item)
        (project / "a.md").write_text("doi:10.1000/1\n")
        reason = "a symbolic link leads to it, out of the project"

        for command in (["check", "."], ["references", "list"]):
            done = run(*command)
            assert done.exit_code == 2
            assert done.output == f"Error: references.json: {reason}\n"
        assert "[retracted]" in run("check", "--references=references.json").output

    @pytest.mark.parametrize("name", ["pyproject.toml", ".hdlignore"])
    def test_settings(self, project: Path, secret: Path, name: str) -> None:
        """Settings of another project are not obeyed."""
        (project / "pyproject.toml").unlink()
        self.linked(project, secret, name, "# other\n")

        done = run("check", ".")

        reason = "a symbolic link leads to it, out of the project"
        assert done.output == f"Error: {name}: {reason}\n"
        assert done.exit_code == 2

    @pytest.mark.parametrize("name", ["CITATION.cff", "works.toml", "pyproject.toml"])
    def test_own_versions(self, project: Path, secret: Path, name: str) -> None:
        """The versions of another project are not named."""
        description = "The identifier of version"
        texts = {
            "CITATION.cff": "identifiers:\n"
            f'- {{type: doi, value: 10.5281/1, description: "{description} 1.0"}}\n'
            f'- {{type: doi, value: 10.5281/2, description: "{description} 2.0"}}\n',
            "works.toml": '[[work]]\ntitle = "T"\n'
            '[[work.version]]\nlabel = "1.0"\nhandle = "10.5281/1"\n'
            '[[work.version]]\nlabel = "2.0"\nhandle = "10.5281/2"\n',
            "pyproject.toml": '[project]\nversion = "2.0"\n',
        }
        (secret / name).write_text(texts[name])
        own = project / "own"
        own.mkdir()
        (own / name).symlink_to(secret / name)
        (own / "README.md").write_text("doi:10.5281/1\n")
        if name != "CITATION.cff":
            (own / "CITATION.cff").write_text("version: 1.0\ndoi: 10.5281/1\n")

        linked = run("check", "own/README.md", "own/CITATION.cff").output
        (own / name).unlink()
        (own / name).write_text(texts[name])
        copied = run("check", "own/README.md", "own/CITATION.cff").output

        assert "stale-version" not in linked
        assert "stale-version" in copied

    def test_an_editor(self, project: Path, secret: Path) -> None:
        """The server shows no works of another folder, and says why."""
        (project / ".hdlignore").write_text("")
        self.linked(project, secret, "references.json", '[{"id": "doi:10.1000/1"}]')

        opened = Projects().at(project)

        assert [*opened.works.references] == []
        assert "a symbolic link leads to it, out of the project" in opened.problem


class TestFixing:
    """`hdl fix` writes what its user names, and nothing that a link leads to."""

    @pytest.fixture
    def elsewhere(self, tmp_path: Path) -> Path:
        folder = tmp_path / "elsewhere"
        folder.mkdir()
        (folder / "notes.md").write_text("doi:10.1000/1\n")
        return folder

    @pytest.mark.parametrize(
        ("link", "target", "named"),
        [
            ("docs/notes.md", "../../elsewhere/notes.md", "docs/notes.md"),
            ("docs/more", "../../elsewhere", "docs/more"),
            ("docs/more", "../../elsewhere", "docs/more/notes.md"),
            ("docs", "../elsewhere", "docs/notes.md"),
        ],
    )
    @pytest.mark.parametrize("before", ["", "{project}/"])
    def test_a_link_that_the_shell_names_stays_in_the_project(
        self,
        project: Path,
        elsewhere: Path,
        link: str,
        target: str,
        named: str,
        before: str,
    ) -> None:
        """A named link, or a path through one, writes nothing out of the project."""
        (project / link).parent.mkdir(exist_ok=True)
        (project / link).symlink_to(target)
        done = run("fix", "--yes", before.format(project=project) + named)

        assert done.exit_code == 2
        assert done.stderr.endswith(
            "notes.md: not written: a symbolic link leads to it, out of the project\n"
        )
        assert (elsewhere / "notes.md").read_text() == "doi:10.1000/1\n"

    def test_a_link_inside_of_the_project_is_followed(self, project: Path) -> None:
        """The target of a named link within the project is written."""
        (project / "a.md").write_text("doi:10.1000/1\n")
        (project / "b.md").symlink_to("a.md")
        done = run("fix", "--yes", "b.md")

        assert (done.exit_code, done.output) == (1, "b.md\n")
        assert (project / "a.md").read_text() == "https://doi.org/10.1000/1\n"

    def test_a_folder_outside_of_the_project_is_written_if_it_is_named(
        self, project: Path, elsewhere: Path
    ) -> None:
        """The user may name any folder, and any file."""
        assert project.is_dir()
        assert run("fix", "--yes", "../elsewhere").exit_code == 1
        assert (elsewhere / "notes.md").read_text() == "https://doi.org/10.1000/1\n"

    def test_a_save_during_the_write_is_not_lost(
        self, project: Path, monkeypatch: pytest.MonkeyPatch
    ) -> None:
        """A file that an editor saves while the disk works keeps what was saved."""
        path = project / "a.md"
        path.write_text("doi:10.1000/1\n")
        fsync = os.fsync

        def save_meanwhile(descriptor: int) -> None:
            fsync(descriptor)
            path.write_text("saved\n")

        monkeypatch.setattr(os, "fsync", save_meanwhile)
        done = run("fix", "--yes", "a.md")

        assert (done.exit_code, done.output) == (
            2,
            "a.md: not written: it changed after it was read\n",
        )
        assert path.read_text() == "saved\n"

    def test_what_a_killed_writer_left_is_removed(self, project: Path) -> None:
        """A later write removes what its name, its process and its age give away."""
        ended = subprocess.Popen([sys.executable, "-c", ""])
        ended.wait()
        removed = f".hdl-write-{ended.pid}-0123456789abcdef"
        staying = [
            f".hdl-write-{os.getpid()}-0123456789abcdef",
            f".hdl-write-{ended.pid}-0123456789abcde",
            f".hdl-write-{ended.pid}-0123456789abcdefg",
            ".hdl-write-99999999999-0123456789abcdef",
            ".hdl-write-9999999999-0123456789abcdef",
            f".hdl-write-{ended.pid}",
            ".hdl-new",
        ]
        recent = f".hdl-write-{ended.pid}-aaaaaaaaaaaaaaaa"
        for name in (removed, *staying, recent):
            (project / name).touch()
        link = project / f".hdl-write-{ended.pid}-bbbbbbbbbbbbbbbb"
        link.symlink_to(removed)
        # A folder of the user, as an earlier version made them for itself.
        notes = project / ".hdl-notes"
        notes.mkdir(mode=0o700)
        (notes / "new").mkdir()
        (notes / "new" / "thoughts.md").touch()
        folder = project / f".hdl-write-{ended.pid}-cccccccccccccccc"
        folder.mkdir(mode=0o700)
        (folder / "new").touch()
        for path in project.glob(".hdl-*"):
            if path.name != recent:
                os.utime(path, (0, 0), follow_symlinks=False)
        names = {path.name for path in project.iterdir()}
        (project / "a.md").write_text("doi:10.1000/1\n")

        assert run("fix", "--yes", "a.md").exit_code == 1

        assert {path.name for path in project.iterdir()} == names - {removed} | {"a.md"}
        assert (notes / "new" / "thoughts.md").exists()

    def test_a_repository_names_no_server_that_links_lead_to(
        self, project: Path
    ) -> None:
        """A server in `proxies` is refused, unless the command line trusts it."""
        (project / "a.md").write_text("doi:10.1000/1\n")
        settings = project / "pyproject.toml"
        settings.write_text('[tool.handle.proxies]\n10 = "https://evil.example/"\n')
        refused = run("fix", "--yes", "a.md")

        assert (refused.exit_code, refused.stdout) == (2, "")
        assert refused.stderr == (
            "Error: pyproject.toml: tool.handle.proxies names 'https://evil.example/', "
            "which is not a public proxy; pass --trust-config to allow it\n"
        )
        assert (project / "a.md").read_text() == "doi:10.1000/1\n"
        assert run("fix", "--yes", "--trust-config", "a.md").exit_code == 1
        assert (project / "a.md").read_text() == "https://evil.example/10.1000/1\n"

    def test_a_repository_chooses_among_the_public_proxies(self, project: Path) -> None:
        """A public proxy needs no trust."""
        (project / "a.md").write_text("doi:10.1000/1\n")
        settings = project / "pyproject.toml"
        settings.write_text('[tool.handle.proxies]\n10 = "https://hdl.handle.net/"\n')

        assert run("fix", "--yes", "a.md").exit_code == 1
        assert (project / "a.md").read_text() == "https://hdl.handle.net/10.1000/1\n"


class TestSettings:
    """The settings of a repository are named, bounded, and those of its owner."""

    @pytest.mark.parametrize(
        ("settings", "patterns", "names"),
        [
            ("[tool.other]\na = 1\n", "# none\n", []),
            ("[tool.handle]\n", "", []),
            ('[tool.handle]\nignore = "placeholder"\n', "", ["pyproject.toml"]),
            (
                '[tool.handle]\nexclude = "b"\n',
                "*.txt\n",
                ["pyproject.toml", ".hdlignore"],
            ),
            ("", "*.txt\n", [".hdlignore"]),
        ],
    )
    def test_the_files_that_are_obeyed_are_named(
        self,
        project: Path,
        monkeypatch: pytest.MonkeyPatch,
        settings: str,
        patterns: str,
        names: list[str],
    ) -> None:
        """`hdl check` says which files can leave findings out."""
        (project / "pyproject.toml").write_text(settings)
        (project / ".hdlignore").write_text(patterns)
        (project / "docs").mkdir()
        (project / "docs" / "a.md").touch()
        monkeypatch.chdir(project / "docs")
        done = run("check", ".")

        named = ", ".join(f"../{name}" for name in names)
        line = f"settings: {named}\n" if names else ""
        assert done.stderr == (
            f"{line}0 references, 0 errors, 0 warnings, 0 notes\n"
            "no reference in 1 file: 1 .md\nTo check the whole project: hdl check ..\n"
        )

    @pytest.mark.parametrize("is_trusted", [True, False])
    def test_a_cache_of_the_repository_is_named(
        self, project: Path, *, is_trusted: bool
    ) -> None:
        """A repository may invent outcomes: the command says where they come from."""
        settings = project / "pyproject.toml"
        settings.write_text('[tool.handle]\ncache = "answers/kept"\n')
        (project / "a.md").write_text("hdl:20.1000/invented\n")
        invented = Handle.parse("20.1000/invented")
        option = ["--trust-config"] if is_trusted else []
        with nobody_at() as server:
            command = ["check", "--verify", "--resolver", server, *option, "a.md"]
            before = run(*command)
            with closing(SqliteCache(project / "answers" / "kept")) as cache:
                record = HandleRecord.of_url(invented, "https://example.org/")
                cache.remember(server, invented, Resolved(record))
            after = run(*command)

        assert (before.exit_code, after.exit_code) == (3, 0)
        assert before.stderr.startswith("settings: pyproject.toml\n")
        assert ("settings: pyproject.toml, answers/kept\n" in after.stderr) == (
            not is_trusted
        )

    @pytest.mark.parametrize(
        ("name", "size", "reason"),
        [
            ("pyproject.toml", 500_001, "pyproject.toml: it is larger than 500 kB"),
            (".hdlignore", 500_001, ".hdlignore: it is larger than 500 kB"),
        ],
    )
    def test_large_settings_are_refused(
        self, project: Path, name: str, size: int, reason: str
    ) -> None:
        """The command reads settings only as far as their bound."""
        (project / name).write_text("*a*b*c*d\n" * (size // 9) + " " * (size % 9))
        done = run("check", ".")

        assert (done.exit_code, done.output) == (2, f"Error: {reason}\n")

    @pytest.mark.parametrize(
        ("name", "content", "reason"),
        [
            (
                ".hdlignore",
                "a/*\n" * 1_001,
                "tool.handle.exclude and .hdlignore: more than 1,000 patterns",
            ),
            (
                "pyproject.toml",
                f"[tool.handle]\nexclude = '{'[!' * 300}'\n",
                "tool.handle.exclude and .hdlignore: a pattern of more than 500 characters",
            ),
            (
                "pyproject.toml",
                f"[tool.handle]\nverify_ignore = {['20.1/*'] * 1_001}\n",
                "tool.handle.verify_ignore: more than 1,000 patterns",
            ),
        ],
    )
    def test_patterns_are_bounded(
        self, project: Path, name: str, content: str, reason: str
    ) -> None:
        """Patterns of a stranger cost no more than a thousand short ones."""
        (project / name).write_text(content)
        done = run("check", ".")

        assert (done.exit_code, done.output) == (
            2,
            f"Error: pyproject.toml: {reason}\n",
        )

    @pytest.mark.parametrize("setting", ["resolver", "references"])
    def test_a_pipe_is_no_file_of_the_project(
        self, project: Path, setting: str
    ) -> None:
        """A pipe, which may never end, is not opened."""
        os.mkfifo(project / "pipe.json")
        settings = f"[tool.handle]\n{setting} = 'pipe.json'\n"
        (project / "pyproject.toml").write_text(settings)
        done = run("check", "--verify", ".")

        assert (done.exit_code, done.output) == (
            2,
            (
                f"Error: pyproject.toml: tool.handle.{setting} names 'pipe.json', which is "
                f"not a file of the project; pass --{setting}, or --trust-config to allow "
                "it\n"
            ),
        )

    def test_a_records_file_has_a_bound(
        self, project: Path, monkeypatch: pytest.MonkeyPatch
    ) -> None:
        """A records file that a repository names is read only as far as its bound."""
        monkeypatch.setattr(resolvers, "_LARGEST_RECORDS_FILE", 20)
        (project / "pyproject.toml").write_text("[tool.handle]\nresolver = 'r.json'\n")
        (project / "r.json").write_text('{"20.1000/1": null}  ')
        done = run("check", "--verify", ".")

        assert done.exit_code == 2
        assert done.stderr.endswith("r.json: it is larger than 20 bytes\n")

    def test_items_that_are_none_are_not_counted_for_ever(self, project: Path) -> None:
        """A file of references full of trouble is one finding."""
        (project / "references.json").write_text(f"[{'{},' * 5_000}{{}}]")
        (project / "a.md").touch()
        done = run("check", ".")

        assert done.stdout == (
            'references.json: note: item 1 has no identifier: write "id": "doi:10.…" or '
            '"hdl:…" (and at least 999 other items) [references]\n'
        )

    def test_references_are_not_written_out_of_the_project(
        self, project: Path, tmp_path: Path
    ) -> None:
        """A link in the place of the file of references is not written through."""
        item = {
            "id": "doi:10.1/a",
            "custom": {"updates": [{"state": "retracted", "by": "10.1/b"}]},
        }
        text = json.dumps([item])
        (tmp_path / "others.json").write_text(text)
        (project / "references.json").symlink_to("../others.json")
        done = run("references", "accept", "10.1/b")

        assert (done.exit_code, done.output) == (
            2,
            "Error: references.json: a symbolic link leads to it, out of the project\n",
        )
        assert (tmp_path / "others.json").read_text() == text

    @pytest.mark.parametrize("changed", ["st_uid", "st_dev"])
    def test_the_search_ends_at_the_folders_of_others(
        self, project: Path, monkeypatch: pytest.MonkeyPatch, changed: str
    ) -> None:
        """Like git, `hdl` reads no settings above a change of owner or file system."""
        (project / "pyproject.toml").write_text("[tool.handle]\nunknown = 1\n")
        (project / "docs").mkdir()
        (project / "docs" / "a.md").touch()
        monkeypatch.chdir(project / "docs")
        assert run("check", ".").exit_code == 2

        real_stat = Path.stat

        def stat_of_others(path: Path, **options: Any) -> Any:
            status = real_stat(path, **options)
            if path != project:
                return status
            names = ("st_mode", "st_uid", "st_dev")
            values = {name: getattr(status, name) for name in names}
            values[changed] += 1
            return SimpleNamespace(**values)

        monkeypatch.setattr(Path, "stat", stat_of_others)
        assert run("check", ".").exit_code == 0
