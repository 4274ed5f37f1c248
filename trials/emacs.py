"""Try `hdl lsp` in Emacs with eglot and markdown-mode: what its user sees and does.

    python -m trials.emacs EMACS

EMACS is the command, by default `emacs`. Findings are pushed, and positions count in
UTF-16.
"""

import json
import os
import subprocess
import sys
from pathlib import Path
from tempfile import TemporaryDirectory

from trials.editor_project import COMPLETED, compare, write_project

SCRIPT = Path(__file__).with_suffix(".el")
_NOTICE = "https://doi.org/10.1016/s0140-6736(10)60175-4"
_EXPECTED = {
    "findings": [
        [
            (
                "hdl [other-work]: another work: Kahn and Wilensky (2006), it is "
                '"A framework for distributed digital object services"\n'
                "correct the identifier or the text"
            ),
            "doi:10.1007/s00799-005-0128-x",
        ],
        [
            (
                "hdl [broken-address]: letters stand for digits in the prefix\n"
                "write doi:10.1000/182"
            ),
            "doi:10.1O00/182",
        ],
        [
            (
                f"hdl [retracted]: retracted on 2010-02-06, notice {_NOTICE}\n"
                "cite another work, or accept the notice"
            ),
            "doi:10.1016/s0140-6736(97)11096-0",
        ],
    ],
    "hover": [
        (
            "Wakefield, A. J.; Murch, S. H. et al. (1998). Ileal-lymphoid-nodular "
            "hyperplasia, non-specific colitis, and pervasive developmental disorder "
            "in children. *The Lancet* 351(9103), 637–641."
        ),
        f"<https://doi.org/10.1016/s0140-6736(97)11096-0> · [notice](<{_NOTICE}>)",
    ],
    "actions": [
        "Write doi:10.1000/182",
        "Get the metadata of doi:10.1000/182 (asks doi.org)",
        "Ignore here: <!-- hdl: ignore -->",
    ],
    "offered": "Kahn and Wilensky (2006)",
    "page": COMPLETED,
}


def main() -> None:
    """Run the script in Emacs, and compare what it prints."""
    command = sys.argv[1] if len(sys.argv) > 1 else "emacs"
    with TemporaryDirectory() as name:
        folder = Path(name)
        write_project(folder)
        run = subprocess.run(
            [command, "--batch", "--load", str(SCRIPT)],
            capture_output=True,
            check=True,
            cwd=folder,
            encoding="utf-8",
            env={**os.environ, "PYTHON": sys.executable, "LANG": "C.UTF-8"},
            timeout=120,
        )
    lines = [line for line in run.stdout.splitlines() if line.startswith("[")]
    compare(dict(map(json.loads, lines)), _EXPECTED)


if __name__ == "__main__":
    main()
