"""The shells complete what is typed after `hdl`, as its help says."""

import os
import re
import shutil
import subprocess
import sys
from pathlib import Path

import pytest

from handle_cli.command import hdl
from tests.command_line import runner

BIN = Path(sys.executable).parent

# What a shell is asked, and its answer.
ASK = {
    "bash": 'COMP_WORDS=(hdl che) COMP_CWORD=1; _hdl_completion hdl; echo "$COMPREPLY"',
    # Its function can be called by its line editor alone; so it is asked for, and
    # what it would ask is asked.
    "zsh": 'whence -w _hdl_completion; print -- "${_comps[hdl]}"; '
    'COMP_WORDS="hdl che" COMP_CWORD=1 _HDL_COMPLETE=zsh_complete hdl',
    "fish": 'complete --do-complete "hdl che"',
}
ANSWERS = {
    "bash": r"check\n",
    "zsh": r"_hdl_completion: function\n_hdl_completion\nplain\ncheck\nFind .*\n",
    "fish": r"check\tFind .*\n",
}
# What a shell does not do by itself when it runs a script.
BEFORE = {"bash": "", "zsh": "autoload -Uz compinit; compinit -u -D; ", "fish": ""}
CALL = {
    "bash": ("bash", "--norc", "--noprofile", "-c"),
    "zsh": ("zsh", "-f", "-c"),
    "fish": ("fish", "--no-config", "-c"),
}


@pytest.mark.parametrize("shell", ASK)
def test_shells_complete(shell: str, tmp_path: Path) -> None:
    """The line in the help, put in the shell's start-up file, is all it takes."""
    if shutil.which(shell) is None:
        pytest.skip(f"there is no {shell}")
    if shutil.which("hdl", path=BIN) is None:
        pytest.skip("the command is not installed beside this Python")
    said = runner().invoke(hdl, ["--help"]).stdout
    line = re.search(rf"^ +{shell} +(\S.*)$", said, re.MULTILINE)
    assert line is not None
    done = subprocess.run(
        [*CALL[shell], f"{BEFORE[shell]}{line[1]}; {ASK[shell]}"],
        env={
            "PATH": os.pathsep.join((str(BIN), os.environ["PATH"])),
            "HOME": str(tmp_path),
            "LC_ALL": "C.UTF-8",
        },
        capture_output=True,
        encoding="utf-8",
        check=False,
        timeout=60,
    )

    assert done.stderr == ""
    assert re.fullmatch(ANSWERS[shell], done.stdout)
