"""From sources to a citation: merge, validate, decide which version it is, check.

The front ends call `citation` with every source that they have, the one nearest to
the reader first: the directive, the page's metadata, the works file, the
configuration. So a page has one citation in whatever syntax it is written.

cattrs walks the merged data once; the reader in the annotation of a field reads its
text. A fault is an error with the path of its value, ``versions[2].handle``, and the
source that gave the value knows the place. The same converter makes plain data of a
work again, as a source would give them.
"""

import datetime as dt
import re
from collections import ChainMap
from collections.abc import Callable, Mapping, Sequence
from dataclasses import fields, replace
from enum import StrEnum
from functools import lru_cache, partial
from typing import Any, TypeVar

import cattrs
from cattrs.gen import make_dict_structure_fn

from handle_system.citing.checks import check_work
from handle_system.citing.citation import Citation, CitationFormat, Display
from handle_system.citing.fields import (
    CitationError,
    HandleReader,
    Plain,
    iso_date,
    one_line,
    one_of,
)
from handle_system.citing.sources import Place, Source
from handle_system.citing.work import Creator, Version, Work, WorkKind, covers
from handle_system.handle import Handle
from handle_system.proxies import DEFAULT_PROXIES, Proxies
from handle_system.reference import HandleReference

__all__ = ["citation", "from_plain", "read_work", "to_plain", "work_source"]

T = TypeVar("T")

_YES_OR_NO = {
    **dict.fromkeys(("yes", "true", "on", ""), True),
    **dict.fromkeys(("no", "false", "off"), False),
}
_ALL_FORMATS = {
    "all": tuple(CitationFormat),
    **{form.value: (form,) for form in CitationFormat},
}
_ORCID_AT_END = re.compile(r" ?(<[^<>]*>|\((?=[^()0-9]*[0-9])[^()]*\))$")
# A creator ends at a semicolon that stands in no braces.
_CREATOR = re.compile(r"(?:[^;{]|\{[^}]*\}?)+")
_COLUMNS = ("label", "date", "handle", "changes")


def citation(
    sources: Sequence[Source],
    reader: HandleReader | None = None,
    *,
    release: str | None = None,
) -> Citation:
    """The citation that sources give together.

    Args:
        sources: The sources, the nearest to the reader first; each value is taken
            from the first source that has it.
        reader: How handles are read.
        release: The release that the version must match, if the page speaks for
            the whole of what is released.

    Returns:
        The citation; its problems are the faults that do not keep a card from
        being shown.

    Raises:
        CitationError: if a value is wrong, or if no source gives a title or a
            version; it has the place of the value in its own source.
    """
    reader = reader or HandleReader()
    values = dict(ChainMap(*(dict(source.values) for source in sources)))
    listed = _structure(Work, "", values, sources, reader)
    own = (name.removeprefix("this.") for name in values if name.startswith("this."))
    given = {*own} - {"label"}
    label = _label(listed, values)
    known = listed.version(label)
    values["this.label"] = known.label if known else label
    this = _structure(Version, "this", values, sources, reader)
    if known:
        this = replace(known, **{name: getattr(this, name) for name in given})
    is_listed = known or given - {"url"} or not listed.versions
    made = Citation(
        work=listed.with_version(this) if is_listed else listed,
        version=this,
        proxies=reader.proxies,
        display=_structure(Display, "show", values, sources, reader),
    )
    if made.display.example:
        return made
    history = _origin(sources, "versions")
    problems = check_work(made.work, this, release=release, toml_file=history.toml_file)
    lines = {
        version.label: history.places.get(f"versions[{index}]", Place("")).line
        for index, version in enumerate(listed.versions if problems else ())
    }
    located = (replace(each, line=lines.get(each.version or "")) for each in problems)
    return replace(made, problems=tuple(located))


def read_work(source: Source, reader: HandleReader | None = None) -> Work:
    """The work that one source describes, with its history.

    Raises:
        CitationError: if a value is wrong, or there is no title.
    """
    return _structure(Work, "", source.values, [source], reader or HandleReader())


def to_plain(citation: Citation) -> dict[str, Any]:
    """A citation as plain data, for an environment that is pickled.

    Proxies and problems are left out.
    """
    parts = {
        "work": citation.work,
        "version": citation.version,
        "display": citation.display,
    }
    return {name: _converter().unstructure(part) for name, part in parts.items()}


def from_plain(
    plain: Mapping[str, Any], proxies: Proxies = DEFAULT_PROXIES
) -> Citation:
    """The citation that `to_plain` gave."""
    structure = _converter().structure
    return Citation(
        work=structure(plain["work"], Work),
        version=structure(plain["version"], Version),
        display=structure(plain["display"], Display),
        proxies=proxies,
    )


def work_source(work: Work) -> Source:
    """A work that a program made, as a source; its values are read like any other."""
    return Source(values=_converter().unstructure(work), places={"": Place("work.")})


def _label(work: Work, values: Mapping[str, Plain]) -> str:
    """The label of the version in hand; of those that do not name it, the best."""
    said, built, release = (
        " ".join(str(values.get(name, "")).split())
        for name in ("this.label", "built.read_the_docs", "built.release")
    )
    covering = [each for each in work.ordered if covers(each.label, release)]
    known = (
        Version(label=said),
        work.version(built),
        *reversed(covering),
        Version(label=release),
        work.latest,
    )
    label = next((each.label for each in known if each and each.label), None)
    if label is None:
        raise CitationError(
            "no option, history or configuration says which version this is",
            where=":version:",
        )
    return label


def _origin(sources: Sequence[Source], path: str) -> Source:
    """The source of a value; for a missing one the works file, if there is one."""
    for source in sources:
        if any(path.startswith(name) for name in source.values):
            return source
    files = (source for source in sources if "" in source.places)
    return next(files, Source())


def _structure(
    kind: type[T],
    prefix: str,
    values: Mapping[str, Plain],
    sources: Sequence[Source],
    reader: HandleReader,
) -> T:
    """The `Work`, `Version` or `Display` that the values below a prefix describe.

    Raises:
        CitationError: at the first value that is wrong, or missing.
    """
    data = {
        name.rpartition(".")[2]: value
        for name, value in values.items()
        if name.rpartition(".")[0] == prefix
    }
    try:
        return _converter(reader).structure(data, kind)
    except cattrs.BaseValidationError as error:
        faults = cattrs.transform_error(error, prefix, _reason)
        reason, _, path = faults[0].rpartition(" @ ")
        path = path.removeprefix(".")
        place = _origin(sources, path).place(path)
        raise CitationError(reason, place.where.rstrip(". "), place.line) from None


def _reason(error: BaseException, _: type | None) -> str:
    match error:
        case cattrs.ForbiddenExtraKeysError():
            known = ", ".join(each.name for each in fields(error.cl))
            return f"there is no key {min(error.extra_fields)}; there are {known}"
        case KeyError():
            return f"a {error.args[0]} is required, and no source gives one"
    return str(error)


@lru_cache(maxsize=16)
def _converter(reader: HandleReader | None = None) -> cattrs.Converter:
    """The converter for values that are text, however it is nested."""
    converter = cattrs.Converter(
        omit_if_default=True,
        forbid_extra_keys=True,
        unstruct_collection_overrides={tuple: list},
    )
    for kind, read in (
        (Handle, (reader or HandleReader()).read),
        (dt.date, iso_date),
        (WorkKind, partial(one_of, {kind.value: kind for kind in WorkKind})),
        (bool, partial(one_of, _YES_OR_NO)),
    ):
        converter.register_structure_hook(kind, partial(_text, read))
    converter.register_structure_hook_factory(
        lambda kind: hasattr(kind, "__metadata__"),
        lambda kind: partial(_text, kind.__metadata__[0]),
    )
    converter.register_structure_hook_func(
        lambda kind: kind == tuple[CitationFormat, ...], _formats
    )
    _register_table(converter, Creator, _creator, _divided)
    _register_table(converter, Version, _row, str.splitlines)
    converter.register_unstructure_hook(
        Handle, lambda handle: HandleReference(handle=handle).uri()
    )
    converter.register_unstructure_hook(StrEnum, lambda member: member.value)
    converter.register_unstructure_hook(dt.date, dt.date.isoformat)
    converter.register_unstructure_hook(bool, lambda flag: "yes" if flag else "no")
    return converter


def _register_table(
    converter: cattrs.Converter,
    kind: type[T],
    table: Callable[[object], dict[str, Any]],
    divide: Callable[[str], list[str]],
) -> None:
    """Read a list of tables of a class, where each table, and the list, may be text."""
    make = make_dict_structure_fn(kind, converter, _cattrs_forbid_extra_keys=True)

    def structure_all(value: object, _: object) -> tuple[T, ...]:
        if isinstance(value, str):
            value = [part for part in divide(value) if part.strip()]
        return tuple(converter.structure(_of_type(list, value), list[kind]))  # type: ignore[valid-type] # the class is an argument

    converter.register_structure_hook(kind, lambda value, _: make(table(value), kind))
    converter.register_structure_hook_func(
        lambda each: each == tuple[kind, ...],  # type: ignore[valid-type] # as above
        structure_all,
    )


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


def _formats(value: object, _: object) -> tuple[CitationFormat, ...]:
    """Names of formats in a list, or divided by spaces or commas; ``all`` for every one."""
    if isinstance(value, str):
        value = value.replace(",", " ").split() or [""]
    names = _of_type(list, value)
    forms = [form for name in names for form in one_of(_ALL_FORMATS, str(name))]
    return tuple(dict.fromkeys(forms))


def _row(value: object) -> dict[str, Any]:
    """A version as a table, or as a row of a history.

    ::

        row    = label [ "|" date [ "|" handle [ "|" changes ] ] ]
        date   = year "-" month "-" day | "-" | nothing
        handle = a reference in any of its forms | "env:" variable
                 | "not yet assigned" | "-" | nothing

    The columns are those of PILIN's tables (seed 002). The changes may hold the
    separator; a handle that does is written as a URI, with ``%7C``.
    """
    if not isinstance(value, str):
        return _of_type(dict, value)
    cells = [cell.strip() for cell in value.split("|", len(_COLUMNS) - 1)]
    if not cells[0]:
        raise ValueError(
            "a row begins with the version's label: "
            "1.0 | 2007-06-26 | 102.100.272/0N8J991QH | Initial release"
        )
    return {
        name: cell
        for name, cell in zip(_COLUMNS, cells, strict=False)
        if cell not in {"", "-"}
    }


def _divided(text: str) -> list[str]:
    """Creators in a line, divided by semicolons: ``Carberry, Josiah; PILIN Project``."""
    creators = [part for part in _CREATOR.findall(one_line(text)) if part.strip()]
    if not creators:
        raise ValueError("there is no name here")
    return creators


def _creator(value: object) -> dict[str, Any]:
    """A creator as a table, or in a line.

    ::

        creator = ( family "," given | name | "{" name "}" ) [ "<" ORCID ">" ]

    Braces keep the commas and semicolons of a name: ``{Rock, Paper; Scissors}``. A
    person's table may leave the whole name out.
    """
    if isinstance(value, str):
        name, *orcid = _ORCID_AT_END.split(value.strip())
        family, comma, given = name.partition(",")
        if name.startswith("{") and name.endswith("}"):
            parts = {"name": name[1:-1]}
        elif comma:
            parts = {"family": family, "given": given}
        else:
            parts = {"name": name}
        # Empty brackets are no ORCID, which is an error.
        brackets = "".join(orcid)
        parts["orcid"] = brackets.strip("<>() ") or brackets
        value = {key: part.strip() for key, part in parts.items() if part.strip()}
    table = _of_type(dict, value)
    if not table.keys() & {"name", "family"}:
        raise ValueError(
            "a creator has a name, or a family name and perhaps a given one"
        )
    names = (table.get("given"), table.get("family"))
    return {"name": " ".join(name for name in names if isinstance(name, str)), **table}
