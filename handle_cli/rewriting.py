"""The canonical way to write the references of a text.

A reference is rewritten only where the text holds it exactly as written.  The new text
is read once more: unless it gives the references that were meant, in the same order and
of the same kinds, the old text stays.  So a second run changes nothing.
"""

import re
from dataclasses import dataclass

from handle_cli.findings import ignored_lines
from handle_cli.readers import (
    Syntax,
    read_references,
    span_of,
)
from handle_system import (
    HandleReference,
    HandleSyntaxError,
    Proxies,
    ReferenceForm,
    diagnose,
)
from handle_system.found import Found, Markup
from handle_system.lines import Lines

_RST = {Syntax.RST, Syntax.PYTHON}
_MARKDOWN = {Syntax.MARKDOWN, Syntax.NOTEBOOK, Syntax.MDX}
# The characters beside a role of reStructuredText; the empty end of a text is in both.
_BEFORE_ROLE = " \t\n\r-:/'\"<([{"
_AFTER_ROLE = " \t\n\r'\")]}>-/\\:.,;!?"
# A string of JSON, with what stands beside its quotation marks.
_JSON_STRING = re.compile(r"[\s:,(\[{]\"\"[\s:,)\]}]")
# Characters of a field that BibTeX and YAML read as markup.
_FIELD_MARKUP = set("\"'{}\\#%&_")
# A link's characters that reStructuredText reads as markup.
_RST_MARKUP = re.compile("[*]|_(?![A-Za-z0-9])")


@dataclass(frozen=True, slots=True, kw_only=True)
class RewritingRules:
    """How references are rewritten.

    Attributes:
        proxies: Where links lead.
        roles: Whether references in running text become roles, and not links.
        unsafe: Whether suggestions are applied that change the identifier.
        data: Whether data for programs is rewritten.
    """

    proxies: Proxies
    roles: bool = False
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
    ignored = ignored_lines(text)
    lines = Lines(text)
    parts: list[str] = []
    expected = []
    position = 0
    for each in read_references(syntax, text, rules.proxies):
        start, end = span_of(lines, each) or (-1, -1)
        meant = _meant(each, rules)
        new = None
        if meant and start >= position and each.place.line not in ignored:
            around = text[max(start - 2, 0) : start], text[end : end + 2]
            new = _written(syntax, each, around, meant, rules)
        if meant is None or new is None or new == each.written:
            expected.append((each.markup, _comparable(each.reference)))
            continue
        is_role = each.markup is Markup.TEXT and rules.roles
        expected.append((Markup.ROLE if is_role else each.markup, meant))
        parts += [text[position:start], new]
        position = end
    if not parts:
        return text
    new_text = "".join([*parts, text[position:]])
    found = [
        (each.markup, _comparable(each.reference))
        for each in read_references(syntax, new_text, rules.proxies)
    ]
    return new_text if found == expected else text


def _comparable(
    reference: HandleReference | HandleSyntaxError,
) -> HandleReference | str:
    """The part of a reference that rewriting must not change."""
    if isinstance(reference, HandleSyntaxError):
        return reference.source
    return reference


def _meant(source: Found, rules: RewritingRules) -> HandleReference | None:
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
            return None if source.markup is Markup.ROLE else reference
    if len(suggestions) != 1 or suggestions[0] is None:
        return None
    try:
        meant = HandleReference.parse(suggestions[0], proxies=rules.proxies)
    except HandleSyntaxError:
        return None
    if isinstance(reference, HandleReference):
        is_safe = meant.handle == reference.handle
    else:
        is_safe = source.markup is not Markup.ROLE or meant.handle.is_doi
    return meant if (is_safe or rules.unsafe) and not diagnose(meant) else None


def _written(
    syntax: Syntax,
    source: Found,
    around: tuple[str, str],
    reference: HandleReference,
    rules: RewritingRules,
) -> str | None:
    """The canonical form at a place; `None` if it has none there."""
    kind, raw = source.markup, source.written
    if "\n" in raw or (not rules.data and _is_data(syntax, source, around)):
        return None
    if syntax in _MARKDOWN and not source.reference.source.endswith(raw):
        # It has escapes or entities, whose place decides what they mean.
        return None
    if kind is Markup.ROLE:
        new = None if set(reference.source) & set("`\\<>\n") else reference.source
    elif kind is Markup.FIELD:
        new = _bare(reference)
    elif kind is Markup.TEXT and rules.roles:
        new = _role(syntax, around, reference)
    else:
        link = rules.proxies.link(reference)
        new = _link(syntax, raw, link, is_text=not kind.is_target)
    fits = new is None or not source.keeps_width or len(new) == len(raw)
    return new if fits else None


def _is_data(syntax: Syntax, source: Found, around: tuple[str, str]) -> bool:
    """Whether a reference is data for a program: a string in JSON, or ``hdl:``."""
    if syntax is Syntax.PYTHON:
        return _JSON_STRING.fullmatch("".join(around)) is not None
    reference = source.reference
    return (
        syntax in {Syntax.BIBTEX, Syntax.CFF}
        and source.markup.is_target
        and isinstance(reference, HandleReference)
        and reference.form is ReferenceForm.HDL
    )


def _bare(reference: HandleReference) -> str | None:
    is_bare = reference.form is ReferenceForm.BARE
    if is_bare or reference.query is not None or reference.fragment is not None:
        return None
    # A field has quotes and braces of its own.
    written = str(reference.handle)
    is_markup = not written.isascii() or _FIELD_MARKUP & set(written)
    return None if is_markup else written


def _link(syntax: Syntax, raw: str, link: str, *, is_text: bool) -> str | None:
    if syntax in _RST:
        escaped = _RST_MARKUP.sub(r"\\\g<0>", link)
        # In a docstring a backslash would be Python's as well.
        return None if escaped != link and syntax is Syntax.PYTHON else escaped
    if syntax is Syntax.BIBTEX:
        # It depends on the style which characters of a link are markup.
        return None if is_text or set(raw) & set("\\{}") else link
    is_markup = syntax in _MARKDOWN and is_text and set(link) & set("*~")
    return None if is_markup else link


def _role(
    syntax: Syntax, around: tuple[str, str], reference: HandleReference
) -> str | None:
    content = str(reference.handle)
    if reference.query is not None or reference.fragment is not None:
        content = reference.uri()
    if not content.isascii() or set(content) & set("`\\\"'<>"):
        return None
    if syntax is Syntax.MDX:
        # Braces hold programs there.
        return None
    name = "doi" if reference.handle.is_doi else "hdl"
    if syntax in _MARKDOWN:
        return f"{{{name}}}`{content}`"
    before, after = around
    if before[-1:] not in _BEFORE_ROLE or after[:1] not in _AFTER_ROLE:
        return None
    return f":{name}:`{content}`"
