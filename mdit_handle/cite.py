"""The directive ``{cite-version}``: how to cite this version of a work, and the work.

It is read from the tokens of the fences that markdown-it, and the plugins
``colon_fence`` and ``front_matter`` where they are loaded, have made.  So it needs
no syntax of its own, and without this plugin a page shows its source in a block of
code; so it does here when the source is no citation.
"""

from collections.abc import Callable

from markdown_it.rules_core import StateCore
from markdown_it.token import Token

from handle_system.citing.block import citation_block
from handle_system.citing.checks import check_work
from handle_system.citing.citation import CitationProblem
from handle_system.citing.cited import distinct_handles
from handle_system.citing.gathering import EXAMPLE_OPTION, gather_citation
from handle_system.citing.options import CitationRequest
from handle_system.citing.values import CitationError, read_flag
from handle_system.reference import HandleReference
from mdit_handle.cite_sources import metadata_of, surroundings
from mdit_handle.cite_tokens import cite_tokens
from mdit_handle.directive import Directive, directive_name, read_directive
from mdit_handle.options import Options
from mdit_handle.positions import Position
from mdit_handle.record import Env, record_citation, record_problem, record_reference

__all__ = ["cite_rule"]

_NAME = "cite-version"
_FENCES = frozenset({"fence", "colon_fence"})


def cite_rule(options: Options) -> Callable[[StateCore], None]:
    """The core rule, for a parser with these options."""

    def handle_cite(state: StateCore) -> None:
        if f"{{{_NAME}}}" not in state.src:
            return
        tokens: list[Token] = []
        for token in state.tokens:
            if token.type in _FENCES and directive_name(token.info) == _NAME:
                tokens += _Block(token, state, options).make()
            else:
                tokens.append(token)
        state.tokens = tokens

    return handle_cite


class _Block:
    """One block, from what is written to what is shown."""

    def __init__(self, token: Token, state: StateCore, options: Options) -> None:
        self.token = token
        self.options = options
        self.env: Env = state.env
        self.page = state.tokens
        self.line = token.map[0] + 1 if token.map else None
        self.directive: Directive = read_directive(token.content, (self.line or 0) + 1)

    def make(self) -> list[Token]:
        """The tokens of the block; the fence itself, if it is no citation."""
        own = self.directive.options
        try:
            metadata = metadata_of(self.page, self.env)
            around = surroundings(own, metadata, self.env, self.options)
            request = gather_citation(own, self.directive.body, around)
            is_example = EXAMPLE_OPTION in own and read_flag(
                own[EXAMPLE_OPTION], f":{EXAMPLE_OPTION}:"
            )
        except CitationError as error:
            line = error.line or self.directive.lines.get(error.where.strip(":"))
            record_citation(self.env, str(error), line or self.line)
            return [self.token]
        self._record(request, is_example=is_example)
        return self._shown(request)

    def _shown(self, request: CitationRequest) -> list[Token]:
        where = self.options.proxies
        block = citation_block(
            request.work, request.this, request.display, proxies=where
        )
        tokens = cite_tokens(block, self.options.translate, where, self.token.level)
        tokens[0].map = self.token.map
        return tokens

    def _record(self, request: CitationRequest, *, is_example: bool) -> None:
        where = self.options.proxies
        for handle in distinct_handles(request.work, request.this):
            reference = HandleReference(handle=handle)
            href = where.link(reference)
            record_reference(
                self.env, str(handle), reference, href, Position(self.line)
            )
        if is_example:
            return
        for problem in check_work(
            request.work, request.this, release=self.options.release
        ):
            record_problem(self.env, problem, self._line_of(problem))

    def _line_of(self, problem: CitationProblem) -> int | None:
        """The line of the version concerned in the body, if it stands there."""
        for line, text in self.directive.body:
            if text.partition("|")[0].strip() == problem.version:
                return line
        return self.line
