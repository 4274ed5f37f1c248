"""Test the wheel with `[cli]`: the command runs without Sphinx.

Run by `check_wheel.py`, isolated, in its own environment; writes into the current
folder.  The parsers docutils and markdown-it-py are installed.
"""

import json
import subprocess
import sys
import sysconfig
from importlib.metadata import version
from importlib.util import find_spec
from pathlib import Path

HDL = Path(sysconfig.get_path("scripts"), "hdl")


def run(*arguments: str, status: int = 0) -> str:
    """The command's output; its exit status must be `status`."""
    done = subprocess.run(
        arguments, capture_output=True, encoding="utf-8", check=False, timeout=60
    )
    assert done.returncode == status, done
    return done.stdout


for framework in ("sphinx", "myst_parser"):
    assert find_spec(framework) is None, framework

said = f"hdl, version {version('sphinxcontrib-handle')}\n"
assert run(str(HDL), "--version") == said
assert run(sys.executable, "-I", "-m", "handle_cli", "--version") == said

# The white space is suspicious.
link = run(str(HDL), "link", "hdl:20.1000/a b", status=1)
assert link == "https://hdl.handle.net/20.1000/a%20b\n", link
(parsed,) = json.loads(run(str(HDL), "parse", "--json", "http://dx.doi.org/10.1000/1"))
assert parsed["uri"] == "doi:10.1000/1", parsed

docs = Path("docs")
docs.mkdir()
page = docs / "page.rst"
page.write_text("See doi:10.1000/182 and ``doi:none``.\n")
assert json.loads(run(str(HDL), "check", "--format", "json", "docs")) == []
(docs / "notes.md").write_text("A {hdl}`none` here.\n")
(found,) = json.loads(run(str(HDL), "check", "--format", "json", "docs", status=1))
assert (found["file"], found["line"], found["code"]) == (
    "docs/notes.md",
    1,
    "syntax",
), found
run(str(HDL), "fix", "--yes", "docs", status=1)
assert page.read_text() == "See https://doi.org/10.1000/182 and ``doi:none``.\n"

# `--verify` imports the HTTP client and the database, which load late.
records = Path("records.json")
records.write_text('{"10.1000/182": "https://example.org/"}')
run(str(HDL), "check", "--verify", "--resolver", str(records), str(page))
records.write_text("{}")
run(str(HDL), "check", "--verify", "--resolver", str(records), str(page), status=1)
resolve = (str(HDL), "resolve", "--resolver", str(records), "10.1000/182")
run(*resolve, status=1)

print("[cli]: the command hdl parses, links, checks, fixes and verifies")
