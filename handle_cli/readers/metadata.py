r"""Plain text, and metadata: BibTeX and BibLaTeX databases, and ``CITATION.cff``.

All of a plain text is prose.  In metadata, identifiers stand in fields, often bare.
In BibTeX, everything outside of entries is a comment, and programs keep addresses in
fields of their own (``bdsk-url-1``): a field whose whole content is one URL counts.
TeX's escapes (``\_``, ``\%``) and braces are decoded.  In a citation file the keys of
the Citation File Format 1.2.0 count.
"""

import re
from collections.abc import Iterator
from itertools import pairwise

import yaml

from handle_cli.readers import (
    UnreadableError,
    at,
    parse_role,
    parse_target,
)
from handle_system import Proxies, find_references
from handle_system.found import Found, Markup
from handle_system.lines import Lines

_ENTRY = re.compile(r"@[ ]*(?P<kind>[A-Za-z]+)[ \t\r\n]*[{(]|\Z")
_NO_ENTRIES = frozenset({"comment", "preamble", "string"})
# A field; in its value, braces may be nested once, as in "\url{…}".
_FIELD = re.compile(
    r"""
    [,\s] (?P<name>[A-Za-z][A-Za-z0-9_-]*) \s*=\s*
    (?: \{ (?P<braced> [^{}]*+ (?: \{ [^{}]*+ \} [^{}]*+ )* ) \}
      | "  (?P<quoted> [^"]*+ ) " )
    """,
    re.VERBOSE,
)
_ESCAPE = re.compile(r"\\([_%&#${}])|(?:\\url)?[{}]")
_ADDRESS = re.compile(r"[A-Za-z]{3,5}:\S{1,2000}")
_NOTES = frozenset({"note", "annote", "annotation", "howpublished", "addendum"})
_HANDLE_TYPE = re.compile(
    r"(?:eprinttype|archiveprefix)\s*=\s*[{\"]\s*(?:hdl|handle)\b", re.IGNORECASE
)
_DOI_KEYS = frozenset({"doi", "collection-doi"})
_URL_KEYS = re.compile("url|value|repository(?:-.+)?")


def read_plain(text: str, proxies: Proxies) -> Iterator[Found]:
    """The references of a text without markup."""
    lines = Lines(text)
    for found in find_references(text, proxies=proxies, malformed=True):
        written = text[found.start : found.end]
        yield from at(lines, found.start, Markup.PLAIN, found.reference, written)


def read_bibtex(text: str, proxies: Proxies) -> Iterator[Found]:
    """The references in the identifiers, addresses and notes of a bibliography."""
    lines = Lines(text)
    for entry, following in pairwise(_ENTRY.finditer(text)):
        if entry["kind"].lower() in _NO_ENTRIES:
            continue
        start, end = entry.end(), following.start()
        is_handle = _HANDLE_TYPE.search(text, start, end) is not None
        for field in _FIELD.finditer(text, start, end):
            name, written = field["name"].lower(), field[field.lastgroup or 0].strip()
            plain = _plain(written)
            offset = text.index(written, field.start(field.lastgroup or 0))
            if name in _NOTES:
                yield from _in_note(lines, offset, written, proxies)
            elif plain and (name == "doi" or (name == "eprint" and is_handle)):
                reference, _ = parse_role(plain, proxies, doi_only=name == "doi")
                yield from at(lines, offset, Markup.FIELD, reference, written)
            elif name == "url" or _ADDRESS.fullmatch(plain):
                # Authors leave out the scheme.
                has_scheme = ":" in plain.partition("/")[0]
                target = plain if has_scheme else f"https://{plain}"
                reference = parse_target(target, proxies)
                yield from at(lines, offset, Markup.LINK, reference, written)


def _plain(written: str) -> str:
    """A text of TeX without its markup."""
    return _ESCAPE.sub(r"\1", written)


def _in_note(lines: Lines, offset: int, note: str, proxies: Proxies) -> Iterator[Found]:
    for found in find_references(note, proxies=proxies, malformed=True):
        written = note[found.start : found.end]
        reference = parse_target(_plain(written), proxies) or found.reference
        begin = offset + found.start
        yield from at(lines, begin, Markup.PLAIN, reference, written)


def read_citation_file(text: str, proxies: Proxies) -> Iterator[Found]:
    """The references in the identifiers and addresses of a citation file.

    Raises:
        UnreadableError: when the file is not YAML.
    """
    lines = Lines(text)
    try:
        root = yaml.compose(text, Loader=yaml.SafeLoader)
    except yaml.YAMLError as error:
        raise UnreadableError("it is not YAML") from error
    waiting: list[yaml.Node | None] = [root]
    seen: set[int] = set()
    while waiting:
        node = waiting.pop()
        # An alias is the node that it refers to.
        if node is None or id(node) in seen:
            continue
        seen.add(id(node))
        if isinstance(node, yaml.SequenceNode):
            waiting += node.value
        elif isinstance(node, yaml.MappingNode):
            waiting += (value for _, value in node.value)
            yield from _in_mapping(lines, node, proxies)


def _in_mapping(
    lines: Lines, node: yaml.MappingNode, proxies: Proxies
) -> Iterator[Found]:
    scalars = [
        (key.value, value)
        for key, value in node.value
        if isinstance(key, yaml.ScalarNode) and isinstance(value, yaml.ScalarNode)
    ]
    is_doi = any(key == "type" and value.value == "doi" for key, value in scalars)
    for key, value in scalars:
        written = value.value.strip()
        start = value.start_mark.index
        offset = max(lines.text.find(written, start, value.end_mark.index), start)
        if written and (key in _DOI_KEYS or (key == "value" and is_doi)):
            reference, _ = parse_role(written, proxies, doi_only=True)
            yield from at(lines, offset, Markup.FIELD, reference, written)
        elif _URL_KEYS.fullmatch(key):
            reference = parse_target(written, proxies)
            yield from at(lines, offset, Markup.LINK, reference, written)
