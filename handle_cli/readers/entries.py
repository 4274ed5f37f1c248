"""The entries of bibliographies and citation files, as text beside their identifiers."""

import re
import sys
from collections.abc import Iterator

import yaml

from handle_system.text_beside import TextBeside, bibtex_entry, entry

_KEY = re.compile(r"\s*+[^\s,{}=\"]*+\s*+,")
_NAME = re.compile(r"[\s,]*+(?P<name>[^\s,={}\"#%()]++)\s*+=\s*+")
_NEXT_PART = re.compile(r"\s*+#\s*+")
_ABBREVIATION = re.compile(r"[^\s,{}\"#]++")
_MARK = re.compile(r"[{}\")]")
_CFF_FIELDS = frozenset(
    """
    collection-title conference date-published date-released edition institution issue
    issue-date issue-title journal notes number publisher section volume volume-title
    year year-original
    """.split()  # noqa: SIM905 (a list of words reads better than one of strings)
)
# Parts of a work often have the identifier of the whole.
_CFF_PARTS = frozenset({"conference-paper"})
_MOST_NAMES = 100


def read_bibtex_entry(kind: str, source: str) -> TextBeside | None:
    r"""The text of an entry of BibTeX or BibLaTeX; `None` if it has no title.

    Args:
        kind: The type of the entry, such as ``article``.
        source: The entry from its key on.

    >>> read_bibtex_entry("article", 'k, title = "{A} " # {Handle}, year = 2006}').title
    '{A}  Handle'
    """
    return bibtex_entry(kind, dict(_bibtex_fields(source)))


def _bibtex_fields(source: str) -> Iterator[tuple[str, str]]:
    """The names of the fields of an entry, in lower case, and their values."""
    key = _KEY.match(source)
    position = key.end() if key else 0
    while name := _NAME.match(source, position):
        value, position = _bibtex_value(source, name.end())
        if position < 0:
            return
        yield name["name"].lower(), value


def _bibtex_value(source: str, position: int) -> tuple[str, int]:
    """A value, whose parts are joined by ``#``, and the offset behind it.

    The offset is negative if the value never ends.
    """
    parts: list[str] = []
    while True:
        start, end, position = _bibtex_part(source, position)
        if position < 0:
            return "", -1
        parts.append(source[start:end])
        joint = _NEXT_PART.match(source, position)
        if joint is None:
            return " ".join(parts), position
        position = joint.end()


def _bibtex_part(source: str, position: int) -> tuple[int, int, int]:
    """The span of a text in braces or quotation marks, or of an abbreviation.

    The third offset is the one behind it, negative if it never ends.
    """
    opening = source[position : position + 1]
    if opening in {"{", '"'} and opening:
        end = _end_of_text(source, position + 1, "}" if opening == "{" else '"')
        return position + 1, end, end + 1 if end >= 0 else -1
    abbreviation = _ABBREVIATION.match(source, position)
    if abbreviation is None:
        return position, position, -1
    return position, abbreviation.end(), abbreviation.end()


def end_of_bibtex_entry(text: str, start: int, limit: int) -> int:
    """The offset of the brace or parenthesis that closes an entry.

    It is `limit` if nothing closes it.

    Args:
        text: The bibliography.
        start: The offset behind the mark that opens the entry.
        limit: The offset where the next entry begins.

    >>> end_of_bibtex_entry("@book{k, note = {)}} more", 6, 25)
    19
    """
    closing = "}" if text[start - 1] == "{" else ")"
    end = _end_of_text(text, start, closing, limit)
    return limit if end < 0 else end


def _end_of_text(
    source: str, position: int, closing: str, limit: int = sys.maxsize
) -> int:
    """The offset of the mark that closes a text outside of all braces in it, or -1."""
    depth = 0
    for mark in _MARK.finditer(source, position, limit):
        if mark[0] == closing and depth == 0:
            return mark.start()
        if mark[0] == "{":
            depth += 1
        elif mark[0] == "}":
            depth -= 1
    return -1


def read_cff_entry(mapping: yaml.MappingNode) -> TextBeside | None:
    """The text of an entry of a citation file; `None` if it has no title.

    Args:
        mapping: The preferred citation, or one of the references.
    """
    members = {
        key.value: value
        for key, value in mapping.value
        if isinstance(key, yaml.ScalarNode)
    }
    authors = _cff_names(members.get("authors"))
    editors = _cff_names(members.get("editors"))
    others = [_cff_text(node) for key, node in members.items() if key in _CFF_FIELDS]
    pages = [_cff_text(members.get(key)) for key in ("start", "end", "pages")]
    is_part = "collection-title" in members
    is_part = is_part or _cff_text(members.get("type")) in _CFF_PARTS
    return entry(
        "\n".join([*others, *editors]),
        title=_cff_text(members.get("title")),
        people=" and ".join(authors or editors),
        pages="-".join(filter(None, pages)),
        is_part=is_part,
        journal=_cff_text(members.get("journal")),
    )


def _cff_names(people: yaml.Node | None) -> list[str]:
    """The names in a list of people and bodies."""
    listed = people.value if isinstance(people, yaml.SequenceNode) else []
    names = []
    # An alias can stand for the same long list in each entry.
    for person in listed[:_MOST_NAMES]:
        parts = _cff_scalars(person)
        given = parts.get("given-names", "")
        family_parts = (parts.get("name-particle"), parts.get("family-names"))
        family = " ".join(filter(None, family_parts))
        if family:
            names.append(f"{family}, {given}")
        elif given or parts.get("name"):
            # The braces of TeX hold the name of a body together.
            names.append(f"{{{parts.get('name') or given}}}")
    return names


def _cff_text(node: yaml.Node | None) -> str:
    """A text; of a conference, a publisher or an institution the name."""
    if isinstance(node, yaml.ScalarNode):
        return str(node.value)
    return _cff_scalars(node).get("name", "")


def _cff_scalars(node: yaml.Node | None) -> dict[str, str]:
    """The members of a mapping that are texts."""
    if not isinstance(node, yaml.MappingNode):
        return {}
    return {
        key.value: value.value
        for key, value in node.value
        if isinstance(key, yaml.ScalarNode) and isinstance(value, yaml.ScalarNode)
    }
