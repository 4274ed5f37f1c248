"""Plain data become works, versions and options of display, validated once.

cattrs walks the data; the reader in the annotation of a field reads its text. Every
fault is an error with the path of its value: ``versions[2].handle``. The same
converter makes plain data of a work again, as a source would give them.
"""

import datetime as dt
import re
from collections.abc import Callable, Mapping
from dataclasses import fields
from functools import lru_cache, partial
from operator import eq
from typing import Any, TypeVar

import cattrs
from cattrs import AttributeValidationNote, IterableValidationNote
from cattrs.gen import make_dict_structure_fn

from handle_system.citing.citation import Citation, CitationFormat, Display
from handle_system.citing.fields import (
    CitationError,
    HandleReader,
    iso_date,
    one_line,
    orcid,
    yes_or_no,
)
from handle_system.citing.sources import Place, Source
from handle_system.citing.work import Creator, Version, Work, WorkKind
from handle_system.handle import Handle
from handle_system.proxies import DEFAULT_PROXIES, Proxies
from handle_system.reference import HandleReference

__all__ = ["from_plain", "read_creators", "structure", "to_plain", "work_source"]

T = TypeVar("T")

_ORCID_AT_END = re.compile(r" ?(?:<([^<>]*)>|\((?=[^()0-9]*[0-9])([^()]*)\))$")
# A creator ends at a semicolon that stands in no braces.
_CREATOR = re.compile(r"(?:[^;{]|\{[^}]*\}?)+")
_COLUMNS = ("label", "date", "handle", "changes")
_FORMATS = tuple[CitationFormat, ...]


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
    unstructure = _converter(DEFAULT_PROXIES, frozenset()).unstructure
    return {
        "work": unstructure(citation.work),
        "version": unstructure(citation.version),
        "display": unstructure(citation.display),
    }


def from_plain(
    plain: Mapping[str, Any], proxies: Proxies = DEFAULT_PROXIES
) -> Citation:
    """The citation that `to_plain` gave."""
    reader = HandleReader(proxies=proxies)
    return Citation(
        work=structure(Work, plain["work"], reader),
        version=structure(Version, plain["version"], reader),
        display=structure(Display, plain["display"], reader),
        proxies=proxies,
    )


def work_source(work: Work) -> Source:
    """A work that a program made, as a source; its values are read like any other."""
    values = _converter(DEFAULT_PROXIES, frozenset()).unstructure(work)
    return Source(values=values, places={"": Place("work")})


@lru_cache(maxsize=16)
def _converter(
    proxies: Proxies, variables: frozenset[tuple[str, str]]
) -> cattrs.Converter:
    """The converter for values that are text, however it is nested."""
    reader = HandleReader(proxies=proxies, environment=dict(variables))
    converter = cattrs.Converter(
        omit_if_default=True,
        forbid_extra_keys=True,
        unstruct_collection_overrides={tuple: list},
    )

    def versions(value: object, _: object) -> tuple[Version, ...]:
        if isinstance(value, str):
            value = [row for row in value.splitlines() if row.strip()]
        return tuple(converter.structure(_of_type(list, value), list[Version]))

    def version(value: object, _: object) -> Version:
        table = _row(value) if isinstance(value, str) else _of_type(dict, value)
        return make_version(table, Version)

    def creators(value: object, _: object) -> tuple[Creator, ...]:
        if isinstance(value, str):
            return read_creators(value)
        return tuple(converter.structure(_of_type(list, value), list[Creator]))

    def creator(value: object, _: object) -> Creator:
        if isinstance(value, str):
            return _creator(one_line(value))
        return make_creator(_with_name(_of_type(dict, value)), Creator)

    for kind, read in (
        (Handle, reader.read),
        (dt.date, iso_date),
        (WorkKind, _kind),
        (bool, yes_or_no),
    ):
        converter.register_structure_hook(kind, partial(_text, read))
    converter.register_structure_hook_factory(
        lambda kind: hasattr(kind, "__metadata__"),
        lambda kind: partial(_text, kind.__metadata__[0]),
    )
    for generic, hook in (
        (_FORMATS, partial(_text, _formats)),
        (tuple[Creator, ...], creators),
        (tuple[Version, ...], versions),
    ):
        converter.register_structure_hook_func(partial(eq, generic), hook)
    # cattrs looks hooks up when it makes a table's: the inner ones come first.
    make_table = partial(
        make_dict_structure_fn, converter=converter, _cattrs_forbid_extra_keys=True
    )
    make_creator, make_version = make_table(Creator), make_table(Version)
    converter.register_structure_hook(Creator, creator)
    converter.register_structure_hook(Version, version)

    converter.register_unstructure_hook(
        Handle, lambda handle: HandleReference(handle=handle).uri()
    )
    converter.register_unstructure_hook(WorkKind, lambda kind: kind.value)
    converter.register_unstructure_hook(dt.date, dt.date.isoformat)
    converter.register_unstructure_hook(bool, lambda flag: "yes" if flag else "no")
    converter.register_unstructure_hook_func(partial(eq, _FORMATS), " ".join)
    return converter


def _text(read: Callable[[str], T], value: object, _: object) -> T:
    return read(_of_type(str, value))


def _of_type(kind: type[T], value: object) -> T:
    if not isinstance(value, kind):
        known: dict[type, str] = {str: "text", list: "a list", dict: "a table"}
        # cattrs collects the errors of an author, whatever their type.
        raise ValueError(  # noqa: TRY004
            f"{known[kind]} is expected here, not {known.get(type(value), 'text')}"
        )
    return value


def _row(text: str) -> dict[str, str]:
    """A version as a row of a history.

    ::

        row    = label [ "|" date [ "|" handle [ "|" changes ] ] ]
        date   = year "-" month "-" day | "-" | nothing
        handle = a reference in any of its forms | "env:" variable
                 | "not yet assigned" | "-" | nothing

    The columns are those of PILIN's tables (seed 002). The changes may hold the
    separator; a handle that does is written as a URI, with ``%7C``.
    """
    cells = [cell.strip() for cell in text.split("|", len(_COLUMNS) - 1)]
    if not cells[0]:
        raise ValueError(
            "a row begins with the version's label: "
            "1.0 | 2007-06-26 | 102.100.272/0N8J991QH | Initial release"
        )
    columns = zip(_COLUMNS, cells, strict=False)
    return {name: cell for name, cell in columns if cell not in {"", "-"}}


def _with_name(table: dict[str, Any]) -> dict[str, Any]:
    """A creator's table with the whole name, which a person's may leave out."""
    if not table.keys() & {"name", "family"}:
        raise ValueError(
            "a creator has a name, or a family name and perhaps a given one"
        )
    parts = (table.get("given"), table.get("family"))
    return {"name": " ".join(part for part in parts if isinstance(part, str)), **table}


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
