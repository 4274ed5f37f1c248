"""Try `hdl lsp` in JupyterLab with jupyterlab-lsp: what its user sees, and does.

    python -m trials.jupyterlab JUPYTER_LAB FOLDER

JUPYTER_LAB is the command `jupyter-lab` of an environment that has jupyterlab-lsp, too;
FOLDER has the npm package playwright-core. jupyterlab-lsp offers no quick fixes.
"""

import json
import re
import subprocess
import sys
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from tempfile import TemporaryDirectory

from tests.tools.browser_links import find_browser
from trials.editor_project import compare, said_address, write_project

SCRIPT = Path(__file__).with_suffix(".mjs")
MANUAL = Path(__file__).parents[1] / "example_docs" / "in-your-editor.rst"
_ADDRESS = re.compile(r"(http://127\.0\.0\.1:\d+/lab)")
_CELL = "A cell with doi:10.1016/s0140-6736(97)11096-0."
_CODE: dict[str, object] = {
    "execution_count": None,
    "outputs": [],
    "source": "import os",
}
_NOTEBOOK = {
    "cells": [
        {"cell_type": "markdown", "id": "a", "metadata": {}, "source": _CELL},
        {"cell_type": "code", "id": "b", "metadata": {}, **_CODE},
    ],
    "metadata": {"kernelspec": {"name": "python3", "display_name": "Python 3"}},
    "nbformat": 4,
    "nbformat_minor": 5,
}
_EXPECTED = {
    "cell": ["doi:10.1016/s0140-6736(97)11096-0"],
    "findings": [
        "doi:10.1007/s00799-005-0128-x",
        "doi:10.1O00/182",
        "doi:10.1016/s0140-6736(97)11096-0",
    ],
    "hover": [
        (
            "Kahn, Robert; Wilensky, Robert (2006). A framework for distributed "
            "digital object services. International Journal on Digital Libraries."
        ),
        "https://doi.org/10.1007/s00799-005-0128-x",
    ],
    "offered": ["Kahn and Wilensky (2006)", "Wakefield et al. (1998), retracted"],
    "line": "{doi}`10.1007/s00799-005-0128-x",
}


def main() -> None:
    """Start JupyterLab, run the script in a browser, and compare what it prints."""
    command, modules = sys.argv[1:]
    browser = find_browser()
    assert browser is not None, "no Chromium"
    with TemporaryDirectory() as name:
        folder = Path(name)
        write_project(folder)
        (folder / "cells.ipynb").write_text(json.dumps(_NOTEBOOK))
        (folder / "jupyter_server_config.json").write_text(json.dumps(_settings()))
        with _running(Path(command).resolve(), folder) as address:
            run = subprocess.run(
                ["node", SCRIPT, browser, address],
                capture_output=True,
                check=False,
                cwd=modules,
                encoding="utf-8",
                timeout=300,
            )
    assert run.returncode == 0, run.stdout + run.stderr
    compare(dict(map(json.loads, run.stdout.splitlines())), _EXPECTED)


def _settings() -> object:
    """The settings as the manual prints them, with the command of this environment."""
    printed = MANUAL.read_text(encoding="utf-8").partition("code-block:: json")[2]
    block = printed.partition("\n\n")[2].partition("\n\n")[0]
    command = json.dumps(str(Path(sys.prefix, "bin", "hdl")))
    settings: object = json.loads(block.replace('"hdl", "lsp"', f'{command}, "lsp"'))
    return settings


@contextmanager
def _running(command: Path, folder: Path) -> Iterator[str]:
    """The address of JupyterLab in a folder."""
    server = subprocess.Popen(
        [
            *(str(command), "--no-browser", "--allow-root", "--ServerApp.port=0"),
            *("--ServerApp.ip=127.0.0.1", "--IdentityProvider.token="),
            f"--config={folder / 'jupyter_server_config.json'}",
        ],
        stderr=subprocess.PIPE,
        cwd=folder,
        encoding="utf-8",
    )
    try:
        assert server.stderr is not None
        yield said_address(server.stderr, _ADDRESS)
    finally:
        server.terminate()
        server.wait()


if __name__ == "__main__":
    main()
