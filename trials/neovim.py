"""Try `hdl lsp` in Neovim 0.11: what its user sees, and what two keys do.

    python -m trials.neovim NVIM

NVIM is the command, by default `nvim`. Neovim pulls findings and counts in UTF-8.
"""

import json
import os
import subprocess
import sys
import tempfile
from pathlib import Path

SCRIPT = Path(__file__).with_suffix(".lua")
PAGE = "日本😀 doi:10.1O00/182\n\nSee <doi:10.1000/1> here.\n\n\n"
WORKS = [
    {
        "id": "doi:10.1000/1",
        "type": "article-journal",
        "title": "Of whales",
        "author": [{"family": "Wakefield", "given": "A."}],
        "issued": {"date-parts": [[1998]]},
        "custom": {
            "updates": [{"state": "retracted", "by": "10.1000/n", "date": "2010-02-06"}]
        },
    },
    {
        "id": "doi:10.1000/2",
        "type": "book",
        "title": "A framework",
        "author": [{"family": "Kahn", "given": "R."}],
        "issued": {"date-parts": [[2006]]},
    },
]
EXPECTED = {
    "findings": [["broken-address", "doi:10.1O00/182"], ["retracted", "doi:10.1000/1"]],
    "encoding": "utf-8",
    "hover": "Wakefield, A. (1998). *Of whales*.\n\n"
    "<https://doi.org/10.1000/1> · [notice](<https://doi.org/10.1000/n>)",
    "fixed": "日本😀 doi:10.1000/182",
    "left": [["retracted", "doi:10.1000/1"]],
    "offered": "Kahn (2006)",
    "chosen": "{doi}`10.1000/2",
}


def main() -> None:
    """Run the script in Neovim, and compare what it prints."""
    command = sys.argv[1] if len(sys.argv) > 1 else "nvim"
    with tempfile.TemporaryDirectory() as name:
        folder = Path(name)
        (folder / "pyproject.toml").write_text("[tool.handle]\n")
        (folder / "page.md").write_text(PAGE, encoding="utf-8")
        (folder / "references.json").write_text(json.dumps(WORKS))
        run = subprocess.run(
            [command, "--headless", "-u", "NONE", "-S", str(SCRIPT)],
            capture_output=True,
            check=True,
            cwd=folder,
            encoding="utf-8",
            env={**os.environ, "PYTHON": sys.executable},
            timeout=120,
        )
    lines = [line for line in run.stdout.splitlines() if line.startswith("[")]
    seen = dict(map(json.loads, lines))
    for what, expected in EXPECTED.items():
        mark = "as expected" if seen.get(what) == expected else f"not {expected!r}"
        print(f"{what}: {seen.get(what)!r}, {mark}")
    assert seen == EXPECTED, run.stderr


if __name__ == "__main__":
    main()
