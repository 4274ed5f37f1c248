"""MyST pages get the Markdown plugin: the same code as plain Markdown.

MyST has no hook for plugins. Its function ``create_md_parser`` is wrapped in the two
modules that call it. The plugin is added for documents of applications that loaded the
extension; ``handle_myst_rules = False`` switches it off.
"""

import sys
from functools import wraps
from typing import TYPE_CHECKING, Any

from sphinxcontrib_handle.options import proxies

if TYPE_CHECKING:
    from collections.abc import Callable

    from sphinx.application import Sphinx

__all__ = ["setup_myst", "wrap_parsers"]

#: The modules whose name ``create_md_parser`` is called when a page is read.
_CALLERS = ("myst_parser.parsers.sphinx_", "myst_nb.sphinx_")


def setup_myst(app: "Sphinx") -> None:
    """Add the plugin to MyST's parser, if MyST is there."""
    app.connect("builder-inited", wrap_parsers)


def wrap_parsers(app: "Sphinx") -> None:
    """Add the plugin to the parsers that are loaded; a second time changes nothing."""
    wanted = app.config.handle_recognize and app.config.handle_myst_rules
    for name in _CALLERS:
        module: Any = sys.modules.get(name)
        create = getattr(module, "create_md_parser", None)
        if create is not None:
            create = getattr(create, "__wrapped__", create)
            module.create_md_parser = _with_plugin(create, app) if wanted else create


def _with_plugin(create: "Callable[..., Any]", app: "Sphinx") -> "Callable[..., Any]":
    @wraps(create)
    def create_md_parser(*args: Any) -> Any:
        from mdit_handle import handle_plugin  # noqa: PLC0415 - MyST brings markdown-it

        md = create(*args)
        md.use(handle_plugin, proxies=proxies(app.config), roles=False, cite=False)
        return md

    return create_md_parser
