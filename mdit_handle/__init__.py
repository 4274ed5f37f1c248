"""Handles and DOIs in Markdown: a plugin for markdown-it-py.

>>> from markdown_it import MarkdownIt
>>> md = MarkdownIt("commonmark").use(handle_plugin)
>>> print(md.render("See <hdl:20.1000/100>."), end="")
<p>See <a href="https://hdl.handle.net/20.1000/100" class="hdl">hdl:20.1000/100</a>.</p>
"""

try:
    from mdit_handle.plugin import handle_plugin
    from mdit_handle.record import render_report
except ModuleNotFoundError as error:
    if error.name != "markdown_it":
        raise
    message = (
        "mdit_handle needs markdown-it-py; install it with: "
        'pip install "sphinxcontrib-handle[markdown]"'
    )
    raise ModuleNotFoundError(message, name=error.name) from None

__all__ = ["handle_plugin", "render_report"]
