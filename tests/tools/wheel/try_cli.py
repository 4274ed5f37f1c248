"""Try the wheel with `[cli]`: the command answers, with no Sphinx anywhere.

Run by `check_wheel.py`, isolated, in an environment of its own.
"""

import subprocess
import sysconfig
from importlib.util import find_spec
from pathlib import Path

for framework in ("sphinx", "docutils"):
    assert find_spec(framework) is None, framework

hdl = Path(sysconfig.get_path("scripts"), "hdl")
link = subprocess.run(
    [hdl, "link", "hdl:20.1000/a b"], capture_output=True, text=True, check=False
)

assert (link.returncode, link.stderr) == (0, ""), link
assert link.stdout == "https://hdl.handle.net/20.1000/a%20b\n", link
print("[cli]: the command hdl links")
