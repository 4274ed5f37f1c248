"""Handles and DOIs in Markdown: a plugin for markdown-it-py.

>>> from markdown_it import MarkdownIt
>>> md = MarkdownIt("commonmark").use(handle_plugin)
>>> print(md.render("See <hdl:20.1000/100>."), end="")
<p>See <a href="https://hdl.handle.net/20.1000/100" class="hdl">hdl:20.1000/100</a>.</p>
"""

from mdit_handle.plugin import handle_plugin
from mdit_handle.record import render_report

__all__ = ["handle_plugin", "render_report"]
