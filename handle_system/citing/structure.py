"""Plain data become works, versions and options of display, validated once.

cattrs walks the data; `citing.fields` reads each text. Every fault is an error
with the path of its value: ``versions[2].handle``.
"""

import datetime as dt
import re
from collections.abc import Callable, Mapping
from dataclasses import dataclass, fields
from functools import lru_cache, partial
from operator import eq
from typing import Any, TypeAlias, TypeVar

import cattrs
from cattrs import AttributeValidationNote, IterableValidationNote
from cattrs.gen import make_dict_structure_fn, override

from handle_system.citing.citation import Citation, CitationFormat, Display
from handle_system.citing.fields import (
    CitationError,
    HandleReader,
    iso_date,
    one_line,
    orcid,
    yes_or_no,
)
from handle_system.citing.sources import Source
from handle_system.citing.work import TEXT_FIELDS, Creator, Version, Work, WorkKind
from handle_system.handle import Handle
from handle_system.proxies import DEFAULT_PROXIES, Proxies

__all__ = ["from_plain", "read_creators", "structure", "to_plain", "work_source"]

T = TypeVar("T")
_Hook: TypeAlias = Callable[[Any, Any], Any]

_ORCID_AT_END = re.compile(r" ?(?:<([^<>]*)>|\((?=[^()0-9]*[0-9])([^()]*)\))$")
# A creator ends at a semicolon that stands in no braces.
_CREATOR = re.compile(r"(?:[^;{]|\{[^}]*\}?)+")


def structure(kind: type[T], data: Mapping[str, Any], reader: HandleReader) -> T:
    """The `Work`, `Version` or `Display` that plain data describe.

    Raises:
        CitationError: at the first value that is wrong; its place is the path.
    """
    converter = _converter(reader.proxies, frozenset(reader.environment.items()))
    try:
        return converter.structure(data, kind)
    except cattrs.BaseValidationError as error:
        raise _located(error) from None


def to_plain(citation: Citation) -> dict[str, Any]:
    """A citation as plain data, for an environment that is pickled.

    Proxies and problems are left out.
    """
    plain: dict[str, Any] = _exact_converter().unstructure(citation)
    return plain


def from_plain(
    plain: Mapping[str, Any], proxies: Proxies = DEFAULT_PROXIES
) -> Citation:
    """The citation that `to_plain` gave."""
    return _exact_converter().structure({**plain, "proxies": proxies}, Citation)


def work_source(work: Work) -> Source:
    """A work that a program made, as a source."""

    def without_nothing(value: Any) -> Any:
        if isinstance(value, dict):
            return {k: without_nothing(each) for k, each in value.items() if each}
        if isinstance(value, list):
            return [without_nothing(each) for each in value]
        return value

    values = _exact_converter().unstructure(work)
    values["versions"] = list(values["versions"])
    values["creators"] = [
        # A table has a name, or a family name.
        {k: v for k, v in each.items() if k != "name" or not each["family"]}
        for each in values["creators"]
    ]
    return Source(values=without_nothing(values))


@lru_cache(maxsize=1)
def _exact_converter() -> cattrs.Converter:
    converter = cattrs.Converter()
    converter.register_unstructure_hook(Handle, str)
    converter.register_structure_hook(Handle, lambda text, _: Handle.parse(text))
    converter.register_unstructure_hook(dt.date, dt.date.isoformat)
    converter.register_structure_hook(dt.date, lambda text, _: iso_date(text))
    for kind in (WorkKind, CitationFormat):
        converter.register_unstructure_hook(kind, lambda member: member.value)
    converter.register_structure_hook(Proxies, lambda proxies, _: proxies)
    converter.register_unstructure_hook(
        Citation,
        cattrs.gen.make_dict_unstructure_fn(
            Citation,
            converter,
            proxies=override(omit=True),
            problems=override(omit=True),
        ),
    )
    return converter


@lru_cache(maxsize=16)
def _converter(
    proxies: Proxies, variables: frozenset[tuple[str, str]]
) -> cattrs.Converter:
    """The converter for sources: they give text, however it is nested."""
    reader = HandleReader(proxies=proxies, environment=dict(variables))
    converter = cattrs.Converter()

    def creators(value: object, _: object) -> tuple[Creator, ...]:
        if isinstance(value, str):
            return read_creators(value)
        rows = converter.structure(_of_type(list, value), list[_CreatorRow])
        return tuple(creator for row in rows for creator in row.creators)

    def creator_row(value: object, _: object) -> _CreatorRow:
        if isinstance(value, str):
            return _CreatorRow(read_creators(value))
        return _CreatorRow(
            (converter.structure(_with_name(_of_type(dict, value)), Creator),)
        )

    def versions(value: object, _: object) -> tuple[Version, ...]:
        return tuple(converter.structure(_of_type(list, value), list[Version]))

    for kind, hook in (
        (Handle, _text_hook(reader.read)),
        (dt.date, _text_hook(iso_date)),
        (WorkKind, _text_hook(_kind)),
        (bool, _text_hook(yes_or_no)),
        (_CreatorRow, creator_row),
    ):
        converter.register_structure_hook(kind, hook)
    for generic, hook in (
        (tuple[CitationFormat, ...], _text_hook(_formats)),
        (tuple[Creator, ...], creators),
        (tuple[Version, ...], versions),
    ):
        converter.register_structure_hook_func(partial(eq, generic), hook)
    # cattrs looks hooks up when it makes a table's: these come last, inner first.
    for table in (Creator, Version, Work, Display):
        converter.register_structure_hook(table, _table_hook(table, converter))
    return converter


@dataclass(frozen=True, slots=True)
class _CreatorRow:
    """An element of a list of creators: text names one or more, a table one."""

    creators: tuple[Creator, ...]


def _table_hook(kind: type, converter: cattrs.Converter) -> _Hook:
    overrides: dict[str, Any] = {
        name: override(struct_hook=_text_hook(read))
        for name, read in TEXT_FIELDS.items()
        if name in kind.__annotations__
    }
    make: Callable[[Any, Any], Any] = make_dict_structure_fn(
        kind, converter, _cattrs_forbid_extra_keys=True, **overrides
    )
    return lambda value, _: make(_of_type(dict, value), kind)


def _text_hook(read: Callable[[str], object]) -> _Hook:
    return lambda value, _: read(_of_type(str, value))


def _of_type(kind: type[T], value: object) -> T:
    if not isinstance(value, kind):
        known: dict[type, str] = {str: "text", list: "a list", dict: "a table"}
        # cattrs collects the errors of an author, whatever their type.
        raise ValueError(  # noqa: TRY004
            f"{known[kind]} is expected here, not {known.get(type(value), 'text')}"
        )
    return value


def _with_name(table: dict[str, Any]) -> dict[str, Any]:
    """A person's table with the whole name; a table has a name or a family name."""
    if ("name" in table) == ("family" in table):
        raise ValueError(
            "a creator has a name, or a family name and perhaps a given one"
        )
    if "name" in table:
        return table
    parts = (table.get("given"), table["family"])
    return {**table, "name": " ".join(part for part in parts if isinstance(part, str))}


def read_creators(text: str) -> tuple[Creator, ...]:
    """Creators in a line, divided by semicolons.

    ::

        creators = creator *( ";" creator )
        creator  = ( family "," given | name | "{" name "}" ) [ "<" ORCID ">" ]

    Braces keep the commas and semicolons of a name: ``{Rock, Paper; Scissors}``.

    Raises:
        ValueError: if a creator has no name, or an ORCID is wrong.

    >>> [c.name for c in read_creators("Carberry, Josiah; PILIN Project")]
    ['Josiah Carberry', 'PILIN Project']
    """
    parts = (part.strip() for part in _CREATOR.findall(one_line(text)))
    creators = tuple(_creator(part) for part in parts if part)
    if not creators:
        raise ValueError("there is no name here")
    return creators


def _creator(text: str) -> Creator:
    found = _ORCID_AT_END.search(text)
    number = orcid(found[1] or found[2] or "") if found else None
    name = text[: found.start()] if found else text
    family, comma, given = (part.strip() for part in name.partition(","))
    if name.startswith("{") and name.endswith("}"):
        comma, family = "", name[1:-1].strip()
    if not family:
        raise ValueError(f"{text!r} has no name: write Family, Given or Name")
    if comma:
        return Creator.person(family, given, orcid=number)
    return Creator(name=family, orcid=number)


def _kind(text: str) -> WorkKind:
    try:
        return WorkKind(text.strip().casefold())
    except ValueError as error:
        raise ValueError(
            f"{text.strip()!r} is none of {', '.join(WorkKind)}"
        ) from error


def _formats(text: str) -> tuple[CitationFormat, ...]:
    """Names of formats, divided by spaces or commas; ``all`` for every one."""
    names = text.replace(",", " ").casefold().split()
    if names == ["all"]:
        return tuple(CitationFormat)
    for name in names or ["nothing"]:
        if name not in set(CitationFormat):
            raise ValueError(f"{name!r} is none of all, {', '.join(CitationFormat)}")
    return tuple(dict.fromkeys(CitationFormat(name) for name in names))


def _located(error: Exception, path: str = "") -> CitationError:
    """The first fault, with the path that cattrs noted on the way to it."""
    while isinstance(error, cattrs.BaseValidationError):
        parent = path
        error = error.exceptions[0]
        for note in getattr(error, "__notes__", ()):
            if isinstance(note, AttributeValidationNote):
                path = f"{path}.{note.name}".removeprefix(".")
            elif isinstance(note, IterableValidationNote):
                path = f"{path}[{note.index}]"
    match error:
        case cattrs.ForbiddenExtraKeysError():
            known = ", ".join(each.name for each in fields(error.cl))
            name = min(error.extra_fields)
            place = f"{path}.{name}".removeprefix(".")
            return CitationError(f"no such key; there are {known}", where=place)
        case KeyError():
            return CitationError(f"{error.args[0]} is missing", where=parent)
    return CitationError(str(error), where=path)
