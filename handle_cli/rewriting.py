"""The canonical way to write the references of a text.

An edit is made only if reading the edited text gives the same references again,
in the same order: so that nothing is changed into something else, and a second
run finds nothing to do.  What cannot be written safely where it stands, and what
deserves a look first because something about it is suspicious, stays as it is.
"""

from collections.abc import Callable, Sequence
from dataclasses import dataclass
from enum import StrEnum

from handle_cli.files import ignored_lines
from handle_cli.mentions import Mention, mentions
from handle_cli.sources import PieceKind, Syntax
from handle_cli.sources.columns import Columns
from handle_cli.sources.role_places import RolePlaces
from handle_system import (
    HandleReference,
    HandleSyntaxError,
    Proxies,
    ReferenceForm,
    diagnose,
)
from handle_system.role_content import read_role_content

__all__ = ["Aim", "Edit", "rewritten"]

# How often a file is read again to find the edits that disturb others.
_MOST_TRIALS = 200
_RST = frozenset({Syntax.RST, Syntax.PYTHON})
_MARKDOWN = frozenset({Syntax.MARKDOWN, Syntax.NOTEBOOK})
_BEFORE_ROLE = frozenset(" \t\n\r-:/'\"<([{")
_AFTER_ROLE = frozenset(" \t\n\r'\")]}>-/\\:.,;!?")


class Aim(StrEnum):
    """What references in running text become; links' targets become links."""

    LINK = "link"
    ROLE = "role"


@dataclass(frozen=True, slots=True)
class Edit:
    """Text to be put in place of a half-open span."""

    start: int
    end: int
    text: str


def rewritten(syntax: Syntax, text: str, proxies: Proxies, aim: Aim) -> str:
    """The text with its references written canonically.

    Args:
        syntax: How the text is read.
        text: A file's text.
        proxies: Where links lead.
        aim: What references in running text become.
    """
    found = mentions(syntax, text, proxies)
    if not found:
        return text
    ignored = ignored_lines(text)
    columns = Columns(text) if syntax in _RST else None
    roles = RolePlaces(syntax, text) if aim is Aim.ROLE else None
    edits = []
    for mention in found:
        if ignored and text.count("\n", 0, mention.start) + 1 in ignored:
            continue
        written = _written(syntax, text, mention, proxies, roles)
        if written is None or written == text[mention.start : mention.end]:
            continue
        if columns is None or columns.take(mention.start, mention.end, written):
            edits.append(Edit(mention.start, mention.end, written))

    def holds(chosen: Sequence[Edit]) -> bool:
        again = mentions(syntax, _applied(text, chosen), proxies)
        return _same(found, again)

    return _applied(text, _undisturbed(edits, holds))


def _undisturbed(
    edits: Sequence[Edit], holds: Callable[[Sequence[Edit]], bool]
) -> list[Edit]:
    """The edits that can be made together; none, if it takes too long to find out.

    Halves are tried, and halves of them, so that one among many is soon found.
    What was left is tried once more with all that is kept, until nothing changes:
    a second run would do the same.
    """
    kept: list[Edit] = []
    left = [*edits]
    trials = 0
    while True:
        groups, left = [left] if left else [], []
        before = len(kept)
        while groups:
            group = groups.pop()
            trials += 1
            if trials > _MOST_TRIALS:
                return []
            tried = sorted([*kept, *group], key=lambda edit: edit.start)
            half = len(group) // 2
            if holds(tried):
                kept = tried
            elif half:
                groups += [group[half:], group[:half]]
            else:
                left += group
        if len(kept) == before or not left:
            return kept


def _same(wanted: Sequence[Mention], found: Sequence[Mention]) -> bool:
    return len(wanted) == len(found) and all(map(_is_same, wanted, found))


def _is_same(mention: Mention, other: Mention) -> bool:
    # Running text may become a role, and never a link's target.
    if other.kind not in {mention.kind, PieceKind.ROLE}:
        return False
    one, again = mention.reference, other.reference
    if isinstance(one, HandleReference):
        return one == again
    return isinstance(again, HandleSyntaxError) and one.source == again.source


def _applied(text: str, edits: Sequence[Edit]) -> str:
    parts = []
    position = 0
    for edit in edits:
        parts += [text[position : edit.start], edit.text]
        position = edit.end
    return "".join([*parts, text[position:]])


def _written(
    syntax: Syntax,
    text: str,
    mention: Mention,
    proxies: Proxies,
    roles: RolePlaces | None,
) -> str | None:
    """What to write for a mention; `None` to leave it."""
    reference = mention.reference
    if isinstance(reference, HandleSyntaxError) or diagnose(reference):
        return None
    if reference.server is not None or reference.index is not None:
        # No link says which server is asked, or for which value.
        return None
    raw = text[mention.start : mention.end]
    if "\n" in raw:
        # What is joined over a line's end may be two blocks.
        return None
    if syntax is Syntax.BIBTEX and raw.count("{") != raw.count("}"):
        # One of a pair of braces stands outside, and would be left alone.
        return None
    match mention.kind:
        case PieceKind.ROLE:
            return None
        case PieceKind.FIELD:
            return _bare(reference)
        case PieceKind.RUNNING if roles and roles.hold(mention.start, mention.end):
            return _role(syntax, text, mention, reference)
        case PieceKind.RUNNING | PieceKind.TARGET:
            is_text = mention.kind is PieceKind.RUNNING
            return _link(syntax, raw, proxies.link(reference), is_text=is_text)


def _bare(reference: HandleReference) -> str | None:
    if reference.form is ReferenceForm.BARE:
        return None
    if reference.query is not None or reference.fragment is not None:
        return None
    # A field has quotes and braces of its own.
    written = str(reference.handle)
    return (
        written if written.isascii() and not set(written) & set("\"'{}\\#%&_") else None
    )


def _link(syntax: Syntax, raw: str, link: str, *, is_text: bool) -> str | None:
    if syntax is Syntax.BIBTEX and (is_text or "\\" in raw):
        # What of a link TeX takes for itself, depends on the style.
        return None
    if syntax in _RST:
        escaped = _escaped_in_rst(link)
        # In a docstring a backslash would be Python's as well.
        return None if escaped != link and syntax is Syntax.PYTHON else escaped
    if syntax in _MARKDOWN and is_text and set(link) & set("*~") and link != raw:
        return None
    return link


def _escaped_in_rst(link: str) -> str:
    """The link with what reStructuredText takes for markup escaped."""
    return "".join(
        f"\\{character}"
        if character == "*" or (character == "_" and not following.isalnum())
        else character
        for character, following in zip(link, [*link[1:], " "], strict=True)
    )


def _role(
    syntax: Syntax, text: str, mention: Mention, reference: HandleReference
) -> str | None:
    if syntax not in _RST | _MARKDOWN:
        return None
    content = str(reference.handle)
    if reference.query is not None or reference.fragment is not None:
        content = reference.uri()
    if not content.isascii() or set(content) & set("`\\\"'<>"):
        return None
    if read_role_content(content, proxies=Proxies()).reference != reference:
        return None
    name = "doi" if reference.handle.is_doi else "hdl"
    if syntax in _MARKDOWN:
        return f"{{{name}}}`{content}`"
    before = text[mention.start - 1 : mention.start] if mention.start else " "
    after = text[mention.end : mention.end + 1] or " "
    if before not in _BEFORE_ROLE or after not in _AFTER_ROLE:
        return None
    return f":{name}:`{content}`"
