"""The inline rules: a reference is taken before other rules cut it up.

markdown-it calls inline rules only at certain characters, at the latest at the ``:``
of ``doi:``.  Like markdown-it's own rule ``linkify``, the rule `handle_rule` takes
back the part of the reference that is already pending as text.

The tokens of a link are markdown-it's own, with a class and a title.  Text that is an
identifier is a ``text_special``, like the text of an escape: the typographer and
``linkify`` leave it alone, and the core rule ``text_join`` makes plain text of it.
"""

import re
from bisect import bisect_left, bisect_right
from collections.abc import Callable, Sequence
from contextlib import suppress

from markdown_it.common.utils import normalizeReference
from markdown_it.rules_inline import StateInline, backtick
from markdown_it.token import Token

from handle_system.display import hover, shown, shows
from handle_system.errors import HandleSyntaxError
from handle_system.proxies import Proxies
from handle_system.reference import HandleReference
from handle_system.role_content import read_role_content
from handle_system.scanning import may_hold_reference
from mdit_handle.options import Options
from mdit_handle.references import Note

__all__ = [
    "MALFORMED",
    "MARKUP",
    "NOTE",
    "SOURCE",
    "Find",
    "InlineRule",
    "dress",
    "handle_rule",
    "noting_code",
    "noting_links",
    "stopping_text",
]

#: An inline rule of markdown-it: whether it matched, without tokens if silent.
InlineRule = Callable[[StateInline, bool], bool]
#: The references in the source of a block; rules ask again and again for the same one.
Find = Callable[[str], Sequence[Note]]

#: The value of `Token.markup` in the tokens of this plugin.
MARKUP = "handle"
#: The class of text that was meant as a reference and is malformed.
MALFORMED = "hdl hdl-malformed"
#: The key of a `Note` in `Token.meta`, until the core rule takes it away.
NOTE = "handle_note"
#: The type of a token that holds the source of a reference.
SOURCE = "handle_source"
_ROLES = ("{hdl}`", "{doi}`")
_ROLE_WITHOUT_BRACES = re.compile(r"(?<![\w:])(?:hdl|doi):\Z", re.IGNORECASE)
_ROLE_NAME_END = len("{hdl}")


def handle_rule(
    options: Options, find: Find, *, keep_source: bool = False
) -> InlineRule:
    """The rule for references in running text, in ``<…>`` and in roles.

    Args:
        options: The plugin's options.
        find: Finds the references in a block.
        keep_source: Whether each reference becomes one token that holds its source,
            for programs that write Markdown again.
    """

    def handle(state: StateInline, silent: bool) -> bool:  # noqa: FBT001 - markdown-it's signature
        references = find(state.src)
        found = None
        if references:
            found = _reference_at(state, references, find, silent=silent)
        if found is None and options.roles and state.src[state.pos] == "{":
            found = _role_at(state)
        if found is None:
            return False
        if keep_source and not silent:
            token = state.push(SOURCE, "", 0)
            token.content = state.src[found.start : found.end]
        elif not silent:
            _push(state, found, options)
        state.pos = found.end
        return True

    return handle


def _reference_at(
    state: StateInline,
    references: Sequence[Note],
    find: Find,
    *,
    silent: bool,
) -> Note | None:
    """The reference that has begun at this position or before it, and not ended."""
    position = state.pos
    index = bisect_right(references, position, key=_start) - 1
    if index < 0:
        return None
    found = references[index]
    begun = state.src[found.start : position]
    if not silent and begun and not state.pending.endswith(begun):
        # Another rule has taken its beginning.
        return None
    if state.env.get("references") and state.src[found.end - 1] == "]":
        found = _before_label(state, found, find)
    if not position < found.end <= state.posMax:
        return None
    if not silent and begun:
        state.pending = state.pending[: -len(begun)]
    return found


def _start(reference: Note) -> int:
    return reference.start


def _before_label(state: StateInline, found: Note, find: Find) -> Note:
    """The reference without the ``[label]`` of a link directly behind it."""
    opening = state.src.rfind("[", found.start, found.end)
    label = normalizeReference(state.src[opening + 1 : found.end - 1])
    if opening < 0 or label not in state.env["references"]:
        return found
    shorter = find(state.src[found.start : opening])
    if not shorter:
        return found
    end = found.start + shorter[0].end
    return shorter[0]._replace(source=state.src, start=found.start, end=end)


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


def _push(state: StateInline, found: Note, options: Options) -> None:
    """Push the tokens of a reference."""
    note, text, is_title = found, found.written, False
    if note.meant is None:
        try:
            role = read_role_content(
                text,
                proxies=options.proxies,
                document_charset=options.document_charset,
                doi_only=state.src.startswith(("{d", "{D"), note.start),
            )
        except HandleSyntaxError as error:
            note = note._replace(meant=error)
        else:
            meant = role.reference if role.linked else None
            note = note._replace(written=role.written, meant=meant)
            style = options.display if role.with_scheme else "handle"
            text = role.title or shown(role.reference, options.proxies, style)
            is_title = role.title is not None
    # Links do not nest: in a link the reference is only text.
    opening = None if state.linkLevel > 0 else _push_opening(state, text, note, options)
    # A title is prose, unless it names an identifier.
    if is_title and not may_hold_reference(text, proxies=options.proxies):
        state.push("text", "", 0).content = text
    else:
        special = state.push("text_special", "", 0)
        special.content = special.markup = text
        special.info = MARKUP
    if opening is not None:
        closing = state.push(opening.type.replace("open", "close"), opening.tag, -1)
        closing.markup = MARKUP
        if opening.tag == "a" and not is_title:
            opening.info = closing.info = "auto"


def _push_opening(state: StateInline, text: str, note: Note, options: Options) -> Token:
    """Push what opens a link, or a span where there is none."""
    if isinstance(note.meant, HandleReference):
        opening = state.push("link_open", "a", 1)
        is_identifier = note.markup != "role" or shows(
            text, note.meant, options.proxies
        )
        dress(opening, note.meant, options.proxies, is_identifier=is_identifier)
    else:
        opening = state.push("span_open", "span", 1)
        opening.attrs["class"] = MALFORMED if note.meant else "hdl no-handle"
        opening.markup = MARKUP
    opening.meta[NOTE] = note
    return opening


def dress(
    token: Token,
    reference: HandleReference,
    proxies: Proxies,
    *,
    is_identifier: bool = False,
) -> None:
    """Give a ``link_open`` the address of a reference, its classes, and a title.

    A text that shows the identifier needs no title: a screen reader would read the
    identifier twice.  A title that the author wrote stays.
    """
    is_doi = reference.handle.is_doi
    token.attrs["href"] = proxies.link(reference)
    token.attrJoin("class", "hdl doi" if is_doi else "hdl")
    if not is_identifier:
        token.attrs.setdefault("title", hover(reference, proxies))
    token.markup = MARKUP
    token.meta["handle"] = str(reference.handle)


def noting_code(rule: InlineRule, options: Options) -> InlineRule:
    """The rule for code, which also notes code that was meant as a role.

    In ``doi:`10.1/x` `` the braces are missing.  It stays text and code.
    """

    def noting(state: StateInline, silent: bool) -> bool:  # noqa: FBT001 - markdown-it's signature
        start, name = state.pos, _ROLE_WITHOUT_BRACES.search(state.pending[-5:])
        if not rule(state, silent):
            return False
        # Without a closing run the backticks are pending text.
        if name and not silent and not state.pending:
            with suppress(HandleSyntaxError):
                note = _note_of_code(state, start - len(name[0]), name[0], options)
                state.tokens[-1].meta[NOTE] = note
        return True

    return noting


def _note_of_code(state: StateInline, start: int, name: str, options: Options) -> Note:
    """The code that has just been read behind the name of a role."""
    content = state.tokens[-1].content
    HandleReference.parse(name + content, proxies=options.proxies)
    written = name + state.src[start + len(name) : state.pos]
    meant = HandleSyntaxError(
        written,
        (0, len(name)),
        "a role has its name in braces",
        suggestion=f"{{{name[:-1].lower()}}}`{content}`",
    )
    return Note(state.src, start, state.pos, written, "role", meant)


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


def stopping_text(rule: InlineRule, find: Find) -> InlineRule:
    """The rule for text, which also stops where a reference begins.

    Before version 4.1 markdown-it cannot be told to stop at a ``/``, and so would not
    stop at all in ``doi.org/10.1000/182``.
    """

    def text(state: StateInline, silent: bool) -> bool:  # noqa: FBT001 - markdown-it's signature
        references = find(state.src)
        index = bisect_left(references, state.pos, key=_start)
        if index == len(references):
            return rule(state, silent)
        end, begin = state.posMax, references[index].start
        state.posMax = min(end, begin)
        try:
            return state.pos < begin and rule(state, silent)
        finally:
            state.posMax = end

    return text
