"""Test the wheel with `[markdown]`: a page renders without Sphinx.

Run by `check_wheel.py`, isolated, in its own environment.
"""

from importlib.metadata import version
from importlib.util import find_spec

from markdown_it import MarkdownIt

from mdit_handle import handle_plugin

for framework in ("sphinx", "docutils"):
    assert find_spec(framework) is None, framework

page = MarkdownIt("commonmark").use(handle_plugin).render("# A\n\nSee <hdl:20.1000/é>.")

assert '<a href="https://hdl.handle.net/20.1000/%C3%A9"' in page, page
print(f"[markdown]: a page rendered by markdown-it-py {version('markdown-it-py')}")
