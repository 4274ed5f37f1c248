"""The core rule that repairs links, and records what the document refers to.

It visits the finished inline tokens: markdown-it has decided by then what is a link, and
``linkify`` has made links of what has no scheme, such as ``dx.doi.org/10.1000/182``.
"""

from collections.abc import Callable, Sequence
from itertools import pairwise

from markdown_it.rules_core import StateCore
from markdown_it.token import Token

from handle_system.display import shown, shows
from handle_system.errors import HandleSyntaxError
from handle_system.reference import HandleReference
from handle_system.scanning import may_hold_reference
from mdit_handle.inline import MALFORMED, MARKUP, NOTE, dress
from mdit_handle.options import Options
from mdit_handle.positions import FindPosition, Page, Position
from mdit_handle.record import HANDLES, record_reference
from mdit_handle.references import Note, may_hold_markup

__all__ = ["exact", "link_rule", "plain_text_of_images"]

CoreRule = Callable[[StateCore], None]

_CELLS = frozenset({"td_open", "th_open"})
_NO_BLOCK = Token("", "", 0)


def link_rule(options: Options) -> CoreRule:
    """The core rule, for a parser with these options."""

    def handle_links(state: StateCore) -> None:
        state.env.setdefault(HANDLES, [])
        definitions = state.env.get("references", {}).values()
        texts = (state.src, *(str(each["href"]) for each in definitions))
        if any(may_hold_markup(text, options.proxies) for text in texts):
            _Document(state, options).finish()

    return handle_links


def exact(text: str, level: int) -> Token:
    """Text that the typographer must not change."""
    return Token(
        "text_special", "", 0, content=text, markup=text, info=MARKUP, level=level
    )


def plain_text_of_images(children: Sequence[Token]) -> None:
    """Make plain text of alternative texts, in which only text is rendered."""
    for token in children:
        token.meta.pop(NOTE, None)
        if token.type == "text_special":
            token.type = "text"
        if token.type == "image":
            plain_text_of_images(token.children or ())


class _Document:
    """A document that may hold references, while its links are repaired."""

    def __init__(self, state: StateCore, options: Options) -> None:
        self.tokens = state.tokens
        self.env = state.env
        self.options = options
        self.source = state.src
        self.page = Page(state.src)

    def finish(self) -> None:
        """Repair and record the links of all blocks, in their order."""
        for before, block in pairwise((_NO_BLOCK, *self.tokens)):
            if block.type == "inline":
                find: dict[str, FindPosition] = {}
                if before.type in _CELLS:
                    find[block.content] = self.page.cell(block)
                block.children = self._finish_block(block, find)

    def _finish_block(self, block: Token, find: dict[str, FindPosition]) -> list[Token]:
        children = block.children or []
        finished: list[Token] = []
        for index, token in enumerate(children):
            finished.append(token)
            if token.type == "text":
                continue
            if token.type == "image":
                plain_text_of_images(token.children or ())
            note: Note | None = token.meta.pop(NOTE, None)
            if token.type == "link_open" and token.markup != MARKUP:
                link = _link_at(children, index)
                note = self._repair(link, note, block.content)
                if note is not None and len(link) == 2:
                    finished.append(exact(self._text_of(note), token.level + 1))
            if note is not None:
                if note.source not in find:
                    find[note.source] = self.page.block(block, note.source)
                self._record(token, note, find[note.source])
        return finished

    def _repair(
        self, link: Sequence[Token], note: Note | None, source: str
    ) -> Note | None:
        """Give a link that is meant for a handle the right address; `None` if it is not."""
        opening, closing = link[0], link[-1]
        proxies = self.options.proxies
        href = str(opening.attrs.get("href", ""))
        is_off = "no-handle" in str(opening.attrs.get("class", "")).split()
        may_be_one = note or may_hold_reference(href, proxies=proxies)
        if opening is closing or is_off or not may_be_one:
            return None
        note = note or _guess(link, source, href)
        try:
            # Normalization makes ASCII of the name of a host.
            reference = self._read(note.written) or self._read(href)
        except HandleSyntaxError as error:
            if not href.lower().startswith(("http:", "https:")):
                _unlink(opening, closing)
            return note._replace(meant=error)
        if reference is None:
            return None
        inside = link[1:-1]
        text = "".join(token.content for token in inside)
        is_identifier = not inside or shows(text, reference, proxies)
        dress(opening, reference, proxies, is_identifier=is_identifier)
        if is_identifier:
            for token in inside:
                if token.type == "text":
                    token.type = "text_special"
        return note._replace(meant=reference)

    def _read(self, target: str) -> HandleReference | None:
        return HandleReference.from_link(
            target,
            proxies=self.options.proxies,
            document_charset=self.options.document_charset,
        )

    def _text_of(self, note: Note) -> str:
        if isinstance(note.meant, HandleReference):
            return shown(note.meant, self.options.proxies, self.options.display)
        return note.written

    def _record(self, opening: Token, note: Note, find: FindPosition) -> None:
        if note.meant is not None:
            position, span = self._locate(note, find)
            href = str(opening.attrs.get("href"))
            opening.meta["record"] = record_reference(
                self.env,
                note.written,
                note.meant,
                href,
                position,
                markup=note.markup,
                span=span,
            )

    def _locate(
        self, note: Note, find: FindPosition
    ) -> tuple[Position, tuple[int, int] | None]:
        """The position of a reference, and its span if the source holds it verbatim."""
        if note.start < 0:
            return Position(find(0).line if "\n" not in note.source else None), None
        position = find(note.start)
        if note.start == note.end:
            return Position(position.line), None
        # The title of a role comes before the reference, that of a link after it.
        search = note.source.rfind if note.markup == "role" else note.source.find
        found = search(note.written, note.start, note.end)
        if position.offset is None or found < 0:
            return position, None
        start = position.offset + found - note.start
        end = start + len(note.written)
        is_verbatim = self.source[start:end] == note.written
        return position, (start, end) if is_verbatim else None


def _unlink(opening: Token, closing: Token) -> None:
    """Make a malformed link, which would lead nowhere, plain text."""
    opening.type, closing.type = "span_open", "span_close"
    opening.tag = closing.tag = "span"
    opening.attrs = {"class": MALFORMED}
    opening.markup = closing.markup = MARKUP
    opening.info = closing.info = ""


def _link_at(children: Sequence[Token], start: int) -> Sequence[Token]:
    """The tokens of a link, from the one that opens it to the one that closes it."""
    level = children[start].level
    for end in range(start + 1, len(children)):
        if children[end].type == "link_close" and children[end].level == level:
            return children[start : end + 1]
    return children[start : start + 1]


def _guess(link: Sequence[Token], source: str, href: str) -> Note:
    """A link that was made of its text, as ``linkify`` does, and where that may stand."""
    text = "".join(token.content for token in link)
    first, last = source.find(text), source.rfind(text)
    if first < 0 or "\n" in source[first:last]:
        return Note(source, -1, 0, href, "link")
    end = first + len(text) if first == last else first
    return Note(source, first, end, href, "link")
