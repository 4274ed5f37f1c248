"""Test the wheel with `[sphinx]`: a project of three lines builds, links, verifies.

Run by `check_wheel.py`, isolated, in its own environment; builds in the current
folder.
"""

from importlib.metadata import version
from importlib.util import find_spec
from pathlib import Path

from sphinx import version_info
from sphinx.cmd.build import main

for framework in ("markdown_it", "myst_parser"):
    assert find_spec(framework) is None, framework


def build(*options: str) -> int:
    """Build every page anew, with warnings as errors; return the exit status."""
    return main(["-q", "-W", "-E", *options, "-b", "html", "source", "built"])


source = Path("source")
source.mkdir()
(source / "conf.py").write_text('extensions = ["sphinxcontrib_handle"]\n')
(source / "index.rst").write_text("A\n=\n\nSee hdl:20.1000/100.\n")
status = build()
page = Path("built", "index.html").read_text(encoding="utf-8")

assert status == 0
assert 'href="https://hdl.handle.net/20.1000/100"' in page, page
assert 'href="hdl:' not in page, page

# Verification runs in its own process, which must find the wheel as well.
records = source / "records.json"
verified = ("-D", "handle_verify=1", "-D", "handle_resolver=records.json")
records.write_text('{"20.1000/100": "https://example.org/"}')
assert build(*verified) == 0
records.write_text("{}")
# Before Sphinx 8.1, the first warning ends the build.
assert build(*verified) == (1 if version_info >= (8, 1) else 2)

(source / "conf.py").write_text('extensions = ["sphinxcontrib.handle"]\n')
assert build() == 0
assert Path("built", "index.html").read_text(encoding="utf-8") == page

print(f"[sphinx]: a project built and verified by Sphinx {version('sphinx')}")
