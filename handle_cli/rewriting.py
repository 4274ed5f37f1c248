"""The canonical way to write the references of a text.

A reference is rewritten only where the text holds it exactly as written.  The new text
is read once more: unless it gives the references that were meant, in the same order and
of the same kinds, the old text stays.  So a second run changes nothing.
"""

import re
from dataclasses import dataclass
from enum import StrEnum

from handle_cli.findings import ignored_lines
from handle_cli.readers import (
    Lines,
    SourceKind,
    SourceReference,
    Syntax,
    read_references,
)
from handle_system import (
    HandleReference,
    HandleSyntaxError,
    Proxies,
    ReferenceForm,
    diagnose,
)

__all__ = ["Aim", "RewritingRules", "rewritten"]

_RST = frozenset({Syntax.RST, Syntax.PYTHON})
_MARKDOWN = frozenset({Syntax.MARKDOWN, Syntax.NOTEBOOK})
_METADATA = frozenset({Syntax.BIBTEX, Syntax.CFF})
_BEFORE_ROLE = frozenset(" \t\n\r-:/'\"<([{")
_AFTER_ROLE = frozenset(" \t\n\r'\")]}>-/\\:.,;!?")
_QUOTED_BEFORE = re.compile(r"[\s:,(\[{]\"\Z")
_QUOTED_AFTER = re.compile(r"\"[\s:,)\]}]")
# Characters of a field that BibTeX and YAML read as markup.
_FIELD_MARKUP = frozenset("\"'{}\\#%&_")


class Aim(StrEnum):
    """The new form of references in running text; links' targets become links."""

    LINK = "link"
    ROLE = "role"


@dataclass(frozen=True, slots=True, kw_only=True)
class RewritingRules:
    """How references are rewritten.

    Attributes:
        proxies: Where links lead.
        aim: The new form of references in running text.
        unsafe: Whether suggestions are applied that change the identifier.
        data: Whether data for programs is rewritten.
    """

    proxies: Proxies
    aim: Aim = Aim.LINK
    unsafe: bool = False
    data: bool = False


def rewritten(syntax: Syntax, text: str, rules: RewritingRules) -> str:
    """The text with its references written canonically.

    Args:
        syntax: How the text is read.
        text: A file's text.
        rules: How references are rewritten.

    Raises:
        UnreadableError: when the syntax does not allow the text.
    """
    references = read_references(syntax, text, rules.proxies)
    ignored = ignored_lines(text)
    lines = Lines(text)
    parts: list[str] = []
    expected: list[_Meaning] = []
    position = 0
    for each in references:
        span = lines.span(each)
        meant = _meant(each, rules)
        new = None
        if meant and span and span[0] >= position and each.line not in ignored:
            new = _written(syntax, text, span, each, meant, rules)
        if new is None or span is None or meant is None or new == each.written:
            expected.append(_meaning(each.kind, each.reference))
            continue
        is_role = each.kind is SourceKind.TEXT and rules.aim is Aim.ROLE
        expected.append(_meaning(SourceKind.ROLE if is_role else each.kind, meant))
        parts += [text[position : span[0]], new]
        position = span[1]
    if not parts:
        return text
    new_text = "".join([*parts, text[position:]])
    after = read_references(syntax, new_text, rules.proxies)
    found = [_meaning(each.kind, each.reference) for each in after]
    return new_text if found == expected else text


_Meaning = tuple[SourceKind, HandleReference | str]


def _meaning(
    kind: SourceKind, reference: HandleReference | HandleSyntaxError
) -> _Meaning:
    """The part of a reference that rewriting must not change."""
    if isinstance(reference, HandleSyntaxError):
        return kind, reference.source
    return kind, reference


def _meant(source: SourceReference, rules: RewritingRules) -> HandleReference | None:
    """The reference to write; `None` where a person has to look at it first."""
    reference = source.reference
    if isinstance(reference, HandleSyntaxError):
        suggestions = [reference.suggestion]
    elif reference.server is not None or reference.index is not None:
        # A link cannot say which server to ask, or for which value.
        return None
    else:
        suggestions = [each.suggestion for each in diagnose(reference)]
        if not suggestions:
            return reference if source.kind is not SourceKind.ROLE else None
    if len(suggestions) != 1 or suggestions[0] is None:
        return None
    try:
        meant = HandleReference.parse(suggestions[0], proxies=rules.proxies)
    except HandleSyntaxError:
        return None
    if isinstance(reference, HandleReference):
        is_safe = meant.handle == reference.handle
    else:
        is_safe = source.kind is not SourceKind.ROLE or meant.handle.is_doi
    return meant if (is_safe or rules.unsafe) and not diagnose(meant) else None


def _written(
    syntax: Syntax,
    text: str,
    span: tuple[int, int],
    source: SourceReference,
    reference: HandleReference,
    rules: RewritingRules,
) -> str | None:
    """The canonical form at a place; `None` if it has none there."""
    kind, raw = source.kind, source.written
    has_roles = syntax in _RST | _MARKDOWN
    if "\n" in raw or (not rules.data and _is_data(syntax, text, span, source)):
        return None
    match kind:
        case SourceKind.ROLE:
            new = None if set(reference.source) & set("`\\<>\n") else reference.source
        case SourceKind.FIELD:
            new = _bare(reference)
        case SourceKind.TEXT if rules.aim is Aim.ROLE:
            new = _role(syntax, text, span, reference)
        case SourceKind.PLAIN if rules.aim is Aim.ROLE and not has_roles:
            new = None
        case _:
            link = rules.proxies.link(reference)
            new = _link(syntax, raw, link, is_text=kind is not SourceKind.TARGET)
    fits = new is None or not source.keeps_width or len(new) == len(raw)
    return new if fits else None


def _is_data(
    syntax: Syntax, text: str, span: tuple[int, int], source: SourceReference
) -> bool:
    """Whether a reference is data for a program: a string in JSON, or ``hdl:``."""
    if syntax is Syntax.PYTHON:
        before = text[max(span[0] - 2, 0) : span[0]]
        is_quoted = _QUOTED_BEFORE.match(before) and _QUOTED_AFTER.match(text, span[1])
        return is_quoted is not None
    reference = source.reference
    return (
        syntax in _METADATA
        and source.kind is SourceKind.TARGET
        and isinstance(reference, HandleReference)
        and reference.form is ReferenceForm.HDL
    )


def _bare(reference: HandleReference) -> str | None:
    if reference.form is ReferenceForm.BARE:
        return None
    if reference.query is not None or reference.fragment is not None:
        return None
    # A field has quotes and braces of its own.
    written = str(reference.handle)
    is_markup = not written.isascii() or _FIELD_MARKUP & set(written)
    return None if is_markup else written


def _link(syntax: Syntax, raw: str, link: str, *, is_text: bool) -> str | None:
    if syntax is Syntax.BIBTEX and (is_text or set(raw) & set("\\{}")):
        # It depends on the style which characters of a link are markup.
        return None
    if syntax in _RST:
        escaped = _escaped_in_rst(link)
        # In a docstring a backslash would be Python's as well.
        return None if escaped != link and syntax is Syntax.PYTHON else escaped
    if syntax in _MARKDOWN and is_text and set(link) & set("*~") and link != raw:
        return None
    return link


def _escaped_in_rst(link: str) -> str:
    """The link, with escapes where reStructuredText would read markup."""
    return "".join(
        f"\\{character}"
        if character == "*" or (character == "_" and not following.isalnum())
        else character
        for character, following in zip(link, [*link[1:], " "], strict=True)
    )


def _role(
    syntax: Syntax, text: str, span: tuple[int, int], reference: HandleReference
) -> str | None:
    if syntax not in _RST | _MARKDOWN:
        return None
    content = str(reference.handle)
    if reference.query is not None or reference.fragment is not None:
        content = reference.uri()
    if not content.isascii() or set(content) & set("`\\\"'<>"):
        return None
    name = "doi" if reference.handle.is_doi else "hdl"
    if syntax in _MARKDOWN:
        return f"{{{name}}}`{content}`"
    start, end = span
    before = text[start - 1 : start] if start else " "
    after = text[end : end + 1] or " "
    if before not in _BEFORE_ROLE or after not in _AFTER_ROLE:
        return None
    return f":{name}:`{content}`"
