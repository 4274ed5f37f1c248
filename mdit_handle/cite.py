"""The directive ``{cite-version}``: how to cite this version of a work, and the work.

It is read from the tokens of the fences that markdown-it, and the plugins
``colon_fence`` and ``front_matter`` where they are loaded, have made.  So it needs
no syntax of its own, and without this plugin a page shows its source in a block of
code; so it does here when the source is no citation.
"""

from collections.abc import Callable

from markdown_it.rules_core import StateCore
from markdown_it.token import Token

from handle_system.citation_block import citation_block
from handle_system.citation_checks import check_work
from handle_system.citation_options import (
    CitationContext,
    CitationRequest,
    read_options,
)
from handle_system.citation_values import CitationError, Reading
from handle_system.handle import Handle
from handle_system.reference import HandleReference
from mdit_handle.cite_tokens import cite_tokens
from mdit_handle.directive import directive_name, read_directive
from mdit_handle.options import Options
from mdit_handle.record import Env, record_citation, record_problem, record_reference

__all__ = ["cite_rule"]

_NAME = "cite-version"
_FENCES = frozenset({"fence", "colon_fence"})


def cite_rule(options: Options) -> Callable[[StateCore], None]:
    """The core rule, for a parser with these options."""

    def handle_cite(state: StateCore) -> None:
        fences = [token for token in state.tokens if token.type in _FENCES]
        if not any(directive_name(fence.info) == _NAME for fence in fences):
            return
        tokens: list[Token] = []
        for token in state.tokens:
            if token.type in _FENCES and directive_name(token.info) == _NAME:
                tokens += _read(token, state.env, options)
            else:
                tokens.append(token)
        state.tokens = tokens

    return handle_cite


def _read(token: Token, env: Env, options: Options) -> list[Token]:
    line = token.map[0] + 1 if token.map else None
    directive = read_directive(token.content, (line or 0) + 1)
    context = CitationContext(
        label=options.version, reading=Reading(proxies=options.proxies)
    )
    try:
        request = read_options(directive.options, directive.body, context)
    except CitationError as error:
        record_citation(env, str(error), error.line or line)
        return [token]
    for handle in _handles(request):
        reference = HandleReference(handle=handle)
        href = options.proxies.link(reference)
        record_reference(env, str(handle), reference, href, (line, None))
    for problem in check_work(request.work, request.this):
        record_problem(env, problem, line)
    block = citation_block(
        request.work, request.this, request.display, proxies=options.proxies
    )
    tokens = cite_tokens(block, options.translate, options.proxies, token.level)
    tokens[0].map = token.map
    return tokens


def _handles(request: CitationRequest) -> list[Handle]:
    versions = (*request.work.versions, request.this)
    handles = (request.work.handle, *(version.handle for version in versions))
    return list(dict.fromkeys(handle for handle in handles if handle is not None))
