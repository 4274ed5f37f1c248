r"""Metadata: BibTeX and BibLaTeX databases, and ``CITATION.cff``.

Identifiers stand in fields, often bare.  In BibTeX, everything outside of entries is
a comment, and programs keep addresses in fields of their own (``bdsk-url-1``): a field
whose whole content is one URL counts.  TeX's escapes (``\_``, ``\%``) and braces are
decoded.  In a citation file the keys of the Citation File Format 1.2.0 count.
"""

import re
from collections.abc import Iterator

import yaml

from handle_cli.readers.plain import read_plain
from handle_cli.readers.source import (
    Lines,
    SourceKind,
    SourceReference,
    UnreadableError,
    parse_field,
    parse_target,
)
from handle_system import HandleReference, HandleSyntaxError, Proxies

__all__ = ["read_bibtex", "read_citation_file"]

_ENTRY = re.compile(r"@[ ]*(?P<kind>[A-Za-z]+)[ \t\r\n]*[{(]")
_FIELD = re.compile(r"[,\s](?P<name>[A-Za-z][A-Za-z0-9_-]*)\s*=\s*(?P<mark>[{\"])")
_EDGE = re.compile(r"\\.|[{}\"]", re.DOTALL)
_ESCAPE = re.compile(r"\\([_%&#${}])|(?:\\url)?[{}]")
_ADDRESS = re.compile(r"[A-Za-z]{3,5}:\S{1,2000}")
_NOTES = frozenset({"note", "annote", "annotation", "howpublished", "addendum"})
_NO_ENTRIES = frozenset({"comment", "preamble", "string"})
_DOI_KEYS = frozenset({"doi", "collection-doi"})
_URL_KEYS = re.compile("url|value|repository(?:-.+)?")


def read_bibtex(text: str, proxies: Proxies) -> Iterator[SourceReference]:
    """The references in the identifiers, addresses and notes of a bibliography."""
    lines = Lines(text)
    for fields in _entries(text):
        for name, (start, end) in fields.items():
            content = text[start:end]
            if name in _NOTES:
                yield from _in_note(lines, start, content, proxies)
                continue
            written = content.strip()
            plain = _ESCAPE.sub(r"\1", written)
            kind = SourceKind.FIELD
            reference: HandleReference | HandleSyntaxError | None
            if name == "doi" or (name == "eprint" and _is_handle(text, fields)):
                reference = parse_field(plain, proxies, doi_only=name == "doi")
            elif name == "url" or _ADDRESS.fullmatch(plain):
                kind = SourceKind.TARGET
                reference = _parse_address(plain, proxies)
            else:
                continue
            if reference is not None:
                line, column = lines.place(start + content.index(written))
                yield SourceReference(
                    kind=kind,
                    reference=reference,
                    written=written,
                    line=line,
                    column=column,
                )


def _in_note(
    lines: Lines, start: int, content: str, proxies: Proxies
) -> Iterator[SourceReference]:
    for each in read_plain(content, proxies):
        span = Lines(content).span(each)
        reference = each.reference
        if "\\" in each.written:
            plain = _ESCAPE.sub(r"\1", each.written)
            reference = parse_target(plain, proxies) or reference
        if span:
            line, column = lines.place(start + span[0])
            yield SourceReference(
                kind=SourceKind.PLAIN,
                reference=reference,
                written=each.written,
                line=line,
                column=column,
            )


def _parse_address(
    target: str, proxies: Proxies
) -> HandleReference | HandleSyntaxError | None:
    """The reference in a field for a URL, in which authors leave out the scheme."""
    if ":" in target.partition("/")[0]:
        return parse_target(target, proxies)
    reference = parse_target(f"https://{target}", proxies)
    return reference if isinstance(reference, HandleReference) else None


def _is_handle(text: str, fields: dict[str, tuple[int, int]]) -> bool:
    kind = fields.get("eprinttype") or fields.get("archiveprefix")
    return kind is not None and text[slice(*kind)].strip().lower() in {"hdl", "handle"}


def _entries(text: str) -> Iterator[dict[str, tuple[int, int]]]:
    """The spans of the fields of each entry, by the fields' names."""
    found = [*_ENTRY.finditer(text)]
    ends = [*(entry.start() for entry in found), len(text)][1:]
    for entry, end in zip(found, ends, strict=False):
        if entry["kind"].lower() not in _NO_ENTRIES:
            yield dict(_fields(text, entry.end(), end))


def _fields(text: str, start: int, end: int) -> Iterator[tuple[str, tuple[int, int]]]:
    position = start
    while (field := _FIELD.search(text, position, end)) is not None:
        first = position = field.end()
        depth = 0
        for edge in _EDGE.finditer(text, first, end):
            mark = edge[0]
            if mark == "{":
                depth += 1
            elif mark == "}" and depth:
                depth -= 1
            elif mark == ("}" if field["mark"] == "{" else '"') and not depth:
                position = edge.end()
                yield field["name"].lower(), (first, edge.start())
                break
        else:
            # A field that is not closed hides the rest of the entry.
            return


def read_citation_file(text: str, proxies: Proxies) -> Iterator[SourceReference]:
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
) -> Iterator[SourceReference]:
    scalars = [
        (key.value, value)
        for key, value in node.value
        if isinstance(key, yaml.ScalarNode) and isinstance(value, yaml.ScalarNode)
    ]
    is_doi = any(key == "type" and value.value == "doi" for key, value in scalars)
    for key, value in scalars:
        content = value.value.strip()
        reference: HandleReference | HandleSyntaxError | None
        if key in _DOI_KEYS or (key == "value" and is_doi):
            kind = SourceKind.FIELD
            reference = parse_field(content, proxies, doi_only=True)
        elif _URL_KEYS.fullmatch(key):
            kind = SourceKind.TARGET
            reference = parse_target(content, proxies)
        else:
            continue
        if reference is not None:
            start, end = value.start_mark.index, value.end_mark.index
            found = lines.text.find(content, start, end)
            line, column = lines.place(max(found, start))
            yield SourceReference(
                kind=kind,
                reference=reference,
                written=content,
                line=line,
                column=column,
            )
