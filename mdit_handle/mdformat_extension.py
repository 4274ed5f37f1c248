"""What keeps references as they are when mdformat formats a document.

Mdformat writes a document anew from its tokens.  On its own it takes an autolink
that CommonMark gives up, such as one around a SICI, for text and escapes its
brackets; it escapes the underscores of an identifier, and percent-encodes targets.
With this extension, which it finds by its entry point, a reference is one token
that holds its source, and is written as it was.
"""

from collections.abc import Mapping, Sequence
from typing import TYPE_CHECKING

from markdown_it import MarkdownIt
from markdown_it.common.utils import escapeHtml
from markdown_it.rules_core import StateCore
from markdown_it.rules_inline import StateInline
from markdown_it.token import Token

from handle_system.proxies import Proxies
from mdit_handle.mentions import Malformed, Mention
from mdit_handle.nesting import in_images
from mdit_handle.options import Options
from mdit_handle.reader import add_reading, end, settle
from mdit_handle.targets import Targets

if TYPE_CHECKING:
    from markdown_it.tree import SyntaxTreeNode

__all__ = ["RENDERERS", "update_mdit"]

_TYPE = "handle_source"
_ROLES = frozenset({"{hdl}", "{doi}"})
_ROLE_LENGTH = 5
_TEXT = frozenset({"text", "text_special"})


def update_mdit(mdit: MarkdownIt) -> None:
    """Make the parser keep the sources of references."""
    options = Options()

    def finish(state: StateCore) -> None:
        settle(state)
        document = end(state)
        for token in state.tokens:
            if token.type != "inline":
                continue
            _restore_escapes(token.children or ())
            if document is not None:
                within = document.nesting.within(token)
                targets = Targets(token.content, mdit, options.proxies, within)
                _restore_targets(token, targets)
                _restore_images(token)

    add_reading(mdit, options, _push_source)
    mdit.core.ruler.before("linkify", "handle_links", finish)
    mdit.add_render_rule(_TYPE, _as_html)


def _push_source(
    state: StateInline, mention: Mention | Malformed, _proxies: Proxies
) -> None:
    token = state.push(_TYPE, "", 0)
    token.content = state.src[mention.start : mention.end]


def _restore_targets(token: Token, targets: Targets) -> None:
    for child in token.children or ():
        if child.type == "image":
            targets.pass_over(child)
        elif child.type == "link_open":
            target = targets.take(str(child.attrs["href"]))
            if target is not None:
                child.attrs["href"] = target.written


def _restore_images(token: Token) -> None:
    # Of an image's alternative text only that is read which is text.
    for child in in_images(token.children or ()):
        if child.type == _TYPE:
            child.type = "text"


def _restore_escapes(children: Sequence[Token]) -> None:
    """Keep what keeps a role's name before code from being one."""
    for index, child in enumerate(children):
        if child.type == "code_inline":
            name = _text_before(children, index)
            if (
                "".join(token.content for token in name)[-_ROLE_LENGTH:].lower()
                in _ROLES
            ):
                for token in name:
                    if token.type == "text_special":
                        token.type, token.content = _TYPE, token.markup


def _text_before(children: Sequence[Token], index: int) -> Sequence[Token]:
    """The tokens of the text before one, as far as a role's name reaches."""
    start = index
    length = 0
    while start and length < _ROLE_LENGTH and children[start - 1].type in _TEXT:
        start -= 1
        length += len(children[start].content)
    return children[start:index]


def _as_html(_renderer: object, tokens: list[Token], index: int, *_: object) -> str:
    return escapeHtml(tokens[index].content)


def _as_markdown(node: "SyntaxTreeNode", _context: object) -> str:
    return node.content


#: What mdformat writes a type of node with.
RENDERERS: Mapping[str, object] = {_TYPE: _as_markdown}
