"""What is known of one document while it is parsed.

It lies in the parser's ``env`` from the start of the inline parsing to the end of
it, under a key of our own: a parser may be used by several threads at once, and
nothing of a document may stay behind in it.
"""

from dataclasses import dataclass, field

from markdown_it.ruler import StateBase
from markdown_it.rules_inline import StateInline
from markdown_it.token import Token

from mdit_handle.mentions import (
    Malformed,
    Mention,
    Mentions,
    find_mentions,
    may_mention,
)
from mdit_handle.options import Options
from mdit_handle.record import Env
from mdit_handle.source import Syntax

__all__ = ["Document", "document_of", "mentions_of"]

_KEY = "mdit_handle"


@dataclass(slots=True, kw_only=True)
class Document:
    """The references of one document.

    Attributes:
        may_mention: Whether it is worth looking for any.
        syntax: What of its source is markup.
        outer: The document that this one is parsed within, if it is.
        blocks: What each block's source mentions; `None` for nothing.
        made: Tokens that were made for a mention, by the token's identity.
    """

    may_mention: bool
    syntax: Syntax
    outer: "Document | None"
    blocks: dict[str, Mentions | None] = field(default_factory=dict)
    made: dict[int, tuple[Token, Mention | Malformed]] = field(default_factory=dict)

    @classmethod
    def begin(cls, state: StateBase, options: Options) -> "Document":
        """Look whether there is anything to look for."""
        worth_it = may_mention(state.src, options.proxies)
        document = cls(
            may_mention=worth_it,
            syntax=_syntax_of(state) if worth_it else Syntax(),
            outer=document_of(state.env),
        )
        state.env[_KEY] = document
        return document

    @classmethod
    def end(cls, env: Env) -> "Document | None":
        """Take the document out of the parser's environment."""
        document = document_of(env)
        if document is not None and document.outer is not None:
            env[_KEY] = document.outer
        else:
            env.pop(_KEY, None)
        return document

    def note(self, token: Token, mention: Mention | Malformed) -> None:
        """Remember what a token was made for."""
        self.made[id(token)] = (token, mention)


def document_of(env: Env) -> Document | None:
    """The document that is being parsed; `None` outside of a whole parse."""
    document = env.get(_KEY)
    return document if isinstance(document, Document) else None


def mentions_of(state: StateInline, options: Options) -> Mentions | None:
    """What the block of a state mentions; `None` for nothing."""
    document = document_of(state.env)
    if document is None:
        # No core rule has begun one; without it nested blocks would be read anew.
        document = Document.begin(state, options)
        document.may_mention = True
    if not document.may_mention:
        return None
    source = state.src
    if source in document.blocks:
        return document.blocks[source]
    found = None
    if may_mention(source, options.proxies):
        found = find_mentions(source, options, document.syntax)
    document.blocks[source] = found
    return found


def _syntax_of(state: StateBase) -> Syntax:
    rules = state.md.inline.ruler.get_active_rules()
    return Syntax(
        escapes="escape" in rules,
        entities="entity" in rules,
        code="backticks" in rules,
        autolinks="autolink" in rules,
        labels=state.env.get("references", {}),
    )
