"""Published recipes: the hooks, the action and the workflows."""

import os
import re
import shutil
import subprocess
from collections.abc import Mapping
from pathlib import Path
from types import MappingProxyType
from typing import Any

import yaml

ROOT = Path(__file__).parent.parent
BASH = shutil.which("bash")

# The sentence above each recipe in the manual.
PRE_COMMIT = "With pre-commit:"
GITLAB = "On GitLab,"


def read_recipe(name: str) -> Any:
    """The content of a YAML file."""
    return yaml.safe_load((ROOT / name).read_text("utf-8"))


def manual_recipe(beginning: str, page: str = "ci") -> Any:
    """The code block below a sentence of a page of the manual."""
    manual = (ROOT / "example_docs" / f"{page}.rst").read_text("utf-8")
    _, _, after = manual.partition(beginning)
    _, _, block = after.partition(".. code-block:: yaml\n\n")
    lines = []
    for line in block.splitlines():
        if line and not line.startswith("   "):
            break
        lines.append(line.removeprefix("   "))
    return yaml.safe_load("\n".join(lines))


def run_step(
    name: str,
    values: Mapping[str, str],
    *,
    folder: Path,
    temporary: Path,
    environ: Mapping[str, str] = MappingProxyType({}),
) -> subprocess.CompletedProcess[str]:
    """Run a step of the action like a GitHub runner.

    Args:
        name: The step's name.
        values: The value of each expression in the step's variables.
        folder: The repository.
        temporary: The runner's temporary folder.
        environ: Further variables of the runner.
    """
    steps = read_recipe("action.yml")["runs"]["steps"]
    (step,) = (each for each in steps if each.get("name") == name)
    variables = {
        variable: re.sub(r"\$\{\{ (.*?) \}\}", lambda found: values[found[1]], value)
        for variable, value in step["env"].items()
    }
    script = temporary / "step.sh"
    script.write_text(step["run"], encoding="utf-8")
    return subprocess.run(
        [str(BASH), "--noprofile", "--norc", "-eo", "pipefail", str(script)],
        cwd=folder,
        env={**os.environ, "RUNNER_TEMP": str(temporary), **variables, **environ},
        capture_output=True,
        encoding="utf-8",
        check=False,
        timeout=300,
    )
