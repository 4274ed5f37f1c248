"""Try `hdl lsp` in VS Code: what its user sees, and what a few keys do.

    python -m trials.vscode CODE_SERVER FOLDER [PICTURE]

CODE_SERVER is the command of code-server, which shows VS Code in a browser. FOLDER has the
npm package playwright-core. The extension is packaged before, with `npm ci` and
`npm run package` in `editors/vscode`. PICTURE keeps the page with a hover, once in light
and once, with `-dark` in its name, in dark colours. Those of the manual, `editor.png`, are
compressed: `pngquant --strip --ext .png --force 64`.
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
from trials.editor_project import COMPLETED, compare, said_address, write_project

SCRIPT = Path(__file__).with_suffix(".mjs")
PACKAGES = Path(__file__).parents[1] / "editors" / "vscode"
_ADDRESS = re.compile(r"HTTP server listening on (\S+)")
# Nothing but the page, so that a picture is small and its text large.
_SETTINGS = {
    "security.workspace.trust.enabled": False,
    "workbench.startupEditor": "none",
    "workbench.activityBar.location": "hidden",
    "workbench.statusBar.visible": False,
    "workbench.layoutControl.enabled": False,
    "workbench.editor.editorActionsLocation": "hidden",
    "window.commandCenter": False,
    "window.menuBarVisibility": "hidden",
    "breadcrumbs.enabled": False,
    "editor.minimap.enabled": False,
    "editor.scrollbar.vertical": "hidden",
    "editor.overviewRulerBorder": False,
    "editor.renderLineHighlight": "none",
    "editor.wordWrap": "on",
    "editor.lineHeight": 24,
    "editor.hover.above": False,
    "editor.fontFamily": "DejaVu Sans Mono",
    "files.autoSave": "afterDelay",
    "files.autoSaveDelay": 50,
    "editor.autoClosingBrackets": "never",
    "editor.autoClosingQuotes": "never",
}
_EXPECTED = {
    "hover": [
        "retracted on 2010-02-06, notice https://doi.org/10.1016/s0140-6736(10)60175-4",
        "cite another work, or accept the noticehdl(retracted)",
        (
            "Wakefield, A. J.; Murch, S. H. et al. (1998). Ileal-lymphoid-nodular "
            "hyperplasia, non-specific colitis, and pervasive developmental disorder in "
            "children. The Lancet 351(9103), 637–641."
        ),
        "https://doi.org/10.1016/s0140-6736(97)11096-0 · notice",
        "Open the record (ctrl + click)",
        "View Problem (Alt+F8)",
        "Quick Fix... (Ctrl+.)",
    ],
    "problems": "3",
    "actions": [
        "Write doi:10.1000/182",
        "Ignore here: <!-- hdl: ignore -->",
        "Get the metadata of doi:10.1000/182 (asks doi.org)",
        "Open the record of doi:10.1000/182",
    ],
    "offered": "Kahn and Wilensky (2006)",
    "page": COMPLETED,
}


def main() -> None:
    """Start the editor, run the script in a browser, and compare what it prints."""
    command, modules, *picture = sys.argv[1:]
    (package,) = PACKAGES.glob("*.vsix")
    themes = {"": "Default Light Modern", "-dark": "Default Dark Modern"}
    for suffix, theme in themes.items():
        name = ""
        if picture:
            path = Path(picture[0]).resolve()
            name = str(path.with_name(f"{path.stem}{suffix}{path.suffix}"))
        with TemporaryDirectory() as folder:
            _try(Path(command), Path(modules), Path(folder), package, theme, name)


def _try(
    command: Path,
    modules: Path,
    folder: Path,
    package: Path,
    theme: str,
    picture: str,
) -> None:
    project = folder / "project"
    project.mkdir()
    write_project(project)
    server = [str(Path(sys.prefix, "bin", "hdl")), "lsp"]
    user = folder / "data" / "User"
    user.mkdir(parents=True)
    settings = {**_SETTINGS, "workbench.colorTheme": theme, "handle.server": server}
    (user / "settings.json").write_text(json.dumps(settings))
    browser = find_browser()
    assert browser is not None, "no Chromium"
    with _running(command.resolve(), folder, package) as address:
        run = subprocess.run(
            ["node", SCRIPT, browser, address, project, picture],
            capture_output=True,
            check=False,
            cwd=modules,
            encoding="utf-8",
            timeout=300,
        )
    assert run.returncode == 0, run.stdout + run.stderr
    seen = dict(map(json.loads, run.stdout.splitlines()))
    seen["page"] = (project / "history.md").read_text(encoding="utf-8")
    compare(seen, _EXPECTED)


@contextmanager
def _running(command: Path, folder: Path, package: Path) -> Iterator[str]:
    """The address of code-server with the extension."""
    start = [
        *(str(command), "--user-data-dir", str(folder / "data")),
        *("--extensions-dir", str(folder / "extensions")),
    ]
    subprocess.run(
        [*start, "--install-extension", str(package)], check=True, capture_output=True
    )
    options = ("--auth", "none", "--bind-addr", "127.0.0.1:0")
    server = subprocess.Popen(
        [*start, *options],
        stdout=subprocess.PIPE,
        stderr=subprocess.STDOUT,
        encoding="utf-8",
    )
    try:
        assert server.stdout is not None
        yield said_address(server.stdout, _ADDRESS)
    finally:
        server.terminate()
        server.wait()


if __name__ == "__main__":
    main()
