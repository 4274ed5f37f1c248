"""MyST pages get the Markdown plugin, so that they read references as Markdown does.

MyST has no hook for plugins.  In the modules that call ``create_md_parser`` that function
is replaced by one whose parsers add the plugin before they parse.  By then a parser knows
its document, and so the application: others in the same process stay as they are.
``handle_myst_rules = False`` switches the plugin off.
"""

import sys
from typing import TYPE_CHECKING, Any

from sphinxcontrib_handle.collect import PAGE_SWITCH, is_on
from sphinxcontrib_handle.links import (
    FROM_TEXT,
    PROBLEM,
    WRITTEN,
    reference_settings,
)
from sphinxcontrib_handle.messages import HandleWarning, warn

if TYPE_CHECKING:
    from collections.abc import Callable

    from docutils import nodes
    from markdown_it import MarkdownIt
    from markdown_it.token import Token
    from markdown_it.tree import SyntaxTreeNode
    from sphinx.application import Sphinx

__all__ = ["setup_myst", "wrap_parsers"]

#: The modules that call ``create_md_parser`` by a name of their own.
_CALLERS = ("myst_parser.parsers.sphinx_", "myst_nb.sphinx_")
_FUNCTION = "create_md_parser"
#: Set on the replacement, so that it is made once.
_IS_OURS = "adds_handle_plugin"


def setup_myst(app: "Sphinx") -> None:
    """Add the plugin to MyST's parser, if MyST is loaded."""
    # All extensions are loaded by then, whatever their order.
    app.connect("builder-inited", wrap_parsers)


def wrap_parsers(app: "Sphinx") -> None:
    """Replace the functions that create parsers; a second call changes nothing."""
    for name in _CALLERS:
        module: Any = sys.modules.get(name)
        create = getattr(module, _FUNCTION, None)
        if module is not None and create is None:
            warn(
                app.config,
                HandleWarning.MYST,
                f"{name} has no {_FUNCTION}: handles in the text of Markdown pages are "
                "not linked",
            )
        elif create is not None and not hasattr(create, _IS_OURS):
            setattr(module, _FUNCTION, _with_plugin(create))


def _with_plugin(create: "Callable[..., MarkdownIt]") -> "Callable[..., MarkdownIt]":
    def create_md_parser(*args: Any, **kwargs: Any) -> "MarkdownIt":
        md = create(*args, **kwargs)
        parse = md.parse

        def parse_first(src: str, env: Any = None) -> "list[Token]":
            md.parse = parse  # type: ignore[method-assign] # as it was
            _add_plugin(md, src)
            return parse(src, env)

        md.parse = parse_first  # type: ignore[method-assign] # there is no hook
        return md

    setattr(create_md_parser, _IS_OURS, True)
    return create_md_parser


def _add_plugin(md: "MarkdownIt", src: str) -> None:
    """Add the plugin, if the application and the page want it."""
    from mdit_handle import handle_plugin  # noqa: PLC0415 - MyST brings markdown-it

    settings: Any = getattr(md.options.get("document"), "settings", None)
    wanted = reference_settings(settings)
    if wanted is None or not wanted.recognize or _is_page_off(src):
        return
    if not settings.env.config.handle_myst_rules:
        return
    md.use(
        handle_plugin,
        proxies=wanted.proxies,
        document_charset=wanted.charset,
        roles=False,
        cite=False,
    )
    for rule in (_render_link, _render_span, _render_code_inline):
        md.add_render_rule(rule.__name__[1:], rule, fmt="docutils")


def _is_page_off(src: str) -> bool:
    """Whether the front matter of a page switches it off."""
    from myst_parser.config.main import (  # noqa: PLC0415 - it is loaded by now
        TopmatterReadError,
        read_topmatter,
    )

    try:
        matter = read_topmatter(src) or {}
    except TopmatterReadError:
        return False
    values = [value for key, value in matter.items() if str(key).lower() == PAGE_SWITCH]
    return any(is_on("" if value is None else str(value)) for value in values)


def _render_link(renderer: Any, token: "SyntaxTreeNode") -> None:
    """Render a link; one to a handle is marked for the transform of links."""
    record = token.meta.get("record")
    if record is None or record["handle"] is None:
        renderer.render_link(token)
        return
    href, written = token.attrs["href"], record["written"]
    template = None
    if record["markup"] != "text":
        # A template says how a link looks, and not where it leads.
        template = renderer.md_config.url_schemes.get(written.partition(":")[0]) or {}
        token.attrs["href"] = written
    renderer.render_link_url(token, template)
    token.attrs["href"] = href
    node = _made(renderer, token)
    node["refuri"] = href
    node[WRITTEN] = written
    if record["markup"] == "text":
        node[FROM_TEXT] = True
    if "hdl" not in node["classes"]:
        # Older versions of the plugin for attributes replace classes.
        node["classes"].append("hdl")


def _render_span(renderer: Any, token: "SyntaxTreeNode") -> None:
    renderer.render_span(token)
    _mark_problem(renderer, token)


def _render_code_inline(renderer: Any, token: "SyntaxTreeNode") -> None:
    renderer.render_code_inline(token)
    _mark_problem(renderer, token)


def _mark_problem(renderer: Any, token: "SyntaxTreeNode") -> None:
    """Mark malformed text, which the transform of links reports."""
    record = token.meta.get("record")
    if record is not None:
        [finding] = record["diagnostics"]
        message = finding["message"]
        reason = message.partition("\n")[0]
        problem = [finding["code"], record["written"], reason, message]
        _made(renderer, token)[PROBLEM] = problem


def _made(renderer: Any, token: "SyntaxTreeNode") -> "nodes.Element":
    """The node that was made last, on the line of its reference."""
    node: nodes.Element = renderer.current_node.children[-1]
    if node.line is not None:
        node.line += token.meta.get("line_in_block", 1) - 1
    return node
