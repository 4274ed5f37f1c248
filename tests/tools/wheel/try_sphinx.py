"""Try the wheel with `[sphinx]`: a project of three lines builds and links.

Run by `check_wheel.py`, isolated, in an environment of its own; builds in the
folder it is started in.
"""

from importlib.metadata import version
from importlib.util import find_spec
from pathlib import Path

from sphinx.cmd.build import main

for framework in ("markdown_it", "myst_parser"):
    assert find_spec(framework) is None, framework

source = Path("source")
source.mkdir()
(source / "conf.py").write_text('extensions = ["sphinxcontrib_handle"]\n')
(source / "index.rst").write_text("A\n=\n\nSee hdl:20.1000/100.\n")
status = main(["-q", "-W", "-b", "html", "source", "built"])
page = Path("built", "index.html").read_text(encoding="utf-8")

assert status == 0
assert 'href="https://hdl.handle.net/20.1000/100"' in page, page
assert 'href="hdl:' not in page, page
print(f"[sphinx]: a project built by Sphinx {version('sphinx')}")
