"""The inline rules: a reference is taken before other rules cut it up.

markdown-it calls inline rules only at certain characters, at the latest at the ``:``
of ``doi:``.  Like markdown-it's own rule ``linkify``, the rule `handle_rule` takes
back the part of the reference that is already pending as text.
"""

from bisect import bisect_left, bisect_right
from collections.abc import Callable, Sequence
from functools import lru_cache

from markdown_it import MarkdownIt
from markdown_it.common.utils import normalizeReference
from markdown_it.rules_core import StateCore
from markdown_it.rules_inline import StateInline, backtick

from handle_system.display import shown
from handle_system.errors import HandleSyntaxError
from handle_system.reference import HandleReference
from handle_system.role_content import read_role_content
from handle_system.scanning import may_hold_reference
from mdit_handle.options import Options
from mdit_handle.references import SourceReference, find_source_references
from mdit_handle.tokens import MALFORMED, MARKUP, NOTE, Note, dress

__all__ = [
    "SOURCE",
    "Finder",
    "InlineRule",
    "handle_rule",
    "noting_links",
    "stopping_text",
]

#: An inline rule of markdown-it: whether it matched, without tokens if silent.
InlineRule = Callable[[StateInline, bool], bool]

#: The type of a token that holds the source of a reference.
SOURCE = "handle_source"
_ROLES = ("{hdl}`", "{doi}`")
_ROLE_NAME_END = len("{hdl}")
# Rules are called many times in a block, and a block may hold other inline texts.
_BLOCKS_AT_ONCE = 16


class Finder:
    """Finds the references in blocks, and remembers the last blocks of a document.

    Args:
        md: The parser whose blocks they are.
        options: The plugin's options.
    """

    def __init__(self, md: MarkdownIt, options: Options) -> None:
        self._md = md
        self._options = options
        self.find = lru_cache(maxsize=_BLOCKS_AT_ONCE)(self.find_now)

    def find_now(self, source: str) -> Sequence[SourceReference]:
        """The references in the source of a block."""
        options = self._options
        rules = self._md.inline.ruler.get_active_rules()
        return find_source_references(source, options.proxies, rules, text=options.text)

    def forget(self, _state: StateCore) -> None:
        """The core rule that begins a document: rules may have been switched since."""
        self.find.cache_clear()


def handle_rule(
    options: Options, finder: Finder, *, keep_source: bool = False
) -> InlineRule:
    """The rule for references in running text, in ``<…>`` and in roles.

    Args:
        options: The plugin's options.
        finder: Finds the references in a block.
        keep_source: Whether each reference becomes one token that holds its source,
            for programs that write Markdown again.
    """
    find = finder.find

    def handle(state: StateInline, silent: bool) -> bool:  # noqa: FBT001 - markdown-it's signature
        references = find(state.src)
        found = role = None
        if references:
            found = _reference_at(state, references, finder, silent=silent)
        if found is None and options.roles and state.src[state.pos] == "{":
            role = _role_at(state)
        taken = found or role
        if taken is None:
            return False
        if silent:
            pass
        elif keep_source:
            token = state.push(SOURCE, "", 0)
            token.content = state.src[taken.start : taken.end]
        elif found is not None:
            start, end, reference, written, markup = found
            note = Note(state.src, start, end, written, markup, reference)
            _push_link(state, note, reference, options, written)
        elif role is not None:
            _push_role(state, role, options)
        state.pos = taken.end
        return True

    return handle


def _reference_at(
    state: StateInline,
    references: Sequence[SourceReference],
    finder: Finder,
    *,
    silent: bool,
) -> SourceReference | None:
    """The reference that has begun at this position or before it, and not ended."""
    position = state.pos
    index = bisect_right(references, position, key=_start) - 1
    if index < 0:
        return None
    found = references[index]
    if state.env.get("references") and state.src[found.end - 1] == "]":
        found = _before_label(state, found, finder)
    if not position < found.end <= state.posMax:
        return None
    begun = state.src[found.start : position]
    if begun and not silent:
        pending = state.pending
        if not pending.endswith(begun):
            return None
        state.pending = pending[: -len(begun)]
    return found


def _start(reference: SourceReference) -> int:
    return reference.start


def _before_label(
    state: StateInline, found: SourceReference, finder: Finder
) -> SourceReference:
    """The reference without the ``[label]`` of a link directly behind it."""
    opening = state.src.rfind("[", found.start, found.end)
    label = normalizeReference(state.src[opening + 1 : found.end - 1])
    if opening < 0 or label not in state.env["references"]:
        return found
    before = finder.find_now(state.src[found.start : opening])
    if not before:
        return found
    end = found.start + before[0].end
    return before[0]._replace(start=found.start, end=end)


def _role_at(state: StateInline) -> Note | None:
    """The role ``{hdl}`…``` or ``{doi}`…``` that begins here."""
    start = state.pos
    ticks = start + _ROLE_NAME_END
    if state.src[start : ticks + 1].lower() not in _ROLES:
        return None
    # markdown-it's rule says where the code ends.
    state.pos = ticks
    backtick(state, True)  # noqa: FBT003 - markdown-it's signature
    end, state.pos = state.pos, start
    code = state.src[ticks:end]
    length = len(code) - len(code.lstrip("`"))
    written = code[length:-length]
    if not written or end > state.posMax:
        return None
    return Note(state.src, start, end, written, "role")


def noting_links(rule: InlineRule, options: Options) -> InlineRule:
    """A rule that makes links, which also notes the target of each and where it stands.

    In the token the target is normalized: percent-encoded, and a lone ``%`` is ``%25``.
    """

    def noting(state: StateInline, silent: bool) -> bool:  # noqa: FBT001 - markdown-it's signature
        start, count = state.pos, len(state.tokens)
        if not rule(state, silent):
            return False
        # The text that was pending may come before the link.
        for token in () if silent else state.tokens[count : count + 2]:
            if token.type == "link_open":
                href = str(token.attrs["href"])
                if may_hold_reference(href, proxies=options.proxies):
                    token.meta[NOTE] = _note_of_link(state, start, href)
                break
        return True

    return noting


def _note_of_link(state: StateInline, start: int, href: str) -> Note:
    """The target of the link that begins at `start` and has just been read."""
    source, end = state.src, state.pos
    if source[start] == "<":
        return Note(source, start, end, source[start + 1 : end - 1], "autolink")
    close = state.md.helpers.parseLinkLabel(state, start, False)  # noqa: FBT003 - markdown-it's signature
    state.pos = end
    if source[close + 1 : close + 2] != "(":
        return Note(source, start, start, href, "definition")
    position = close + 2
    while source[position].isspace():
        position += 1
    found = state.md.helpers.parseLinkDestination(source, position, end)
    return Note(source, position, end, found.str, "link")


def stopping_text(rule: InlineRule, finder: Finder) -> InlineRule:
    """The rule for text, which also stops where a reference begins.

    Before version 4.1 markdown-it cannot be told to stop at a ``/``, and so would not
    stop at all in ``doi.org/10.1000/182``.
    """

    def text(state: StateInline, silent: bool) -> bool:  # noqa: FBT001 - markdown-it's signature
        references = finder.find(state.src)
        index = bisect_left(references, state.pos, key=_start)
        if index == len(references):
            return rule(state, silent)
        if references[index].start == state.pos:
            return False
        end = state.posMax
        state.posMax = min(end, references[index].start)
        try:
            return rule(state, silent)
        finally:
            state.posMax = end

    return text


def _push_role(state: StateInline, note: Note, options: Options) -> None:
    is_doi = state.src.startswith(("{d", "{D"), state.pos)
    try:
        content = read_role_content(
            note.written, proxies=options.proxies, doi_only=is_doi
        )
    except HandleSyntaxError as error:
        _push_span(state, MALFORMED, note.written, note._replace(meant=error))
        return
    style = options.display if content.with_scheme else "handle"
    identifier = shown(content.reference, options.proxies, style)
    text = content.title or identifier
    if content.linked:
        note = note._replace(written=content.written, meant=content.reference)
        is_title = content.title is not None
        _push_link(state, note, content.reference, options, text, is_title=is_title)
    else:
        _push_span(state, "hdl no-handle", text)


def _push_link(
    state: StateInline,
    note: Note,
    reference: HandleReference,
    options: Options,
    text: str,
    *,
    is_title: bool = False,
) -> None:
    """Push a link; inside another link only its text, because links do not nest."""
    if state.linkLevel > 0:
        _push_text(state, text, options, is_title=is_title)
        return
    opening = state.push("link_open", "a", 1)
    opening.meta[NOTE] = note
    dress(opening, reference, options.proxies, is_identifier=not is_title)
    _push_text(state, text, options, is_title=is_title)
    closing = state.push("link_close", "a", -1)
    closing.markup = MARKUP
    opening.info = closing.info = "" if is_title else "auto"


def _push_text(
    state: StateInline, text: str, options: Options, *, is_title: bool
) -> None:
    """Push an identifier, or a title, which is prose unless it names an identifier."""
    if is_title and not may_hold_reference(text, proxies=options.proxies):
        state.push("text", "", 0).content = text
    else:
        _push_exact(state, text)


def _push_span(
    state: StateInline, css: str, text: str, note: Note | None = None
) -> None:
    if state.linkLevel > 0:
        _push_exact(state, text)
        return
    opening = state.push("span_open", "span", 1)
    opening.attrs["class"] = css
    if note is not None:
        opening.meta[NOTE] = note
    _push_exact(state, text)
    closing = state.push("span_close", "span", -1)
    opening.markup = closing.markup = MARKUP


def _push_exact(state: StateInline, text: str) -> None:
    token = state.push("text_special", "", 0)
    token.content = token.markup = text
    token.info = MARKUP
