"""From sources to a citation: merge, validate, decide which version it is, check.

The front ends call `read_citation` with every source that they have, the one nearest to
the reader first: the directive, the page's metadata, the works file, the configuration.
So a page has one citation in whatever syntax it is written.

cattrs walks the merged tables once; the reader in the annotation of a field reads its
text. A fault is an error with the path of its value, ``versions[2].handle``, and the
source that gave the value knows the place. The same converter makes plain data of a
work again, as a source would give them.
"""

import re
from collections import ChainMap
from collections.abc import Callable, Iterable, Mapping, Sequence
from copy import deepcopy
from dataclasses import dataclass, fields, replace
from enum import StrEnum
from functools import lru_cache, partial
from typing import TYPE_CHECKING, Annotated, Any, TypeAlias, TypeVar

from handle_system.citing.card import Display
from handle_system.citing.checks import check_work, finding_about_citation
from handle_system.citing.citation import Citation
from handle_system.citing.creators import checked_creator, creator_table, divided
from handle_system.citing.documents import CitationError, Plain
from handle_system.citing.fields import (
    HandleReader,
    http_url,
    iso_date,
    one_line,
    one_of,
    read_orcid,
)
from handle_system.citing.formats import CitationFormat
from handle_system.citing.options import Part
from handle_system.citing.sources import Source, SourcePlace
from handle_system.citing.style import Date, Described, Name, Run, plain_text
from handle_system.citing.work import (
    ARTICLE_TYPES,
    Version,
    Work,
    WorkKind,
    covers,
)
from handle_system.errors import HandleSyntaxError
from handle_system.findings.finding import Excerpt, Finding
from handle_system.handle import Handle
from handle_system.proxies import DEFAULT_PROXIES, Proxies
from handle_system.typed_values import hint_of_names

if TYPE_CHECKING:
    import cattrs

T = TypeVar("T")

_Tables: TypeAlias = dict[Part, dict[str, Plain]]

_YES_OR_NO = {
    **dict.fromkeys(("yes", "true", "on", ""), True),
    **dict.fromkeys(("no", "false", "off"), False),
}
_KINDS = {kind.value: kind for kind in WorkKind}
_ARTICLE_KINDS = {kind: kind for kind in ARTICLE_TYPES}
_FORMATS = {
    "all": tuple(CitationFormat),
    **{form.value: (form,) for form in CitationFormat},
}
_COLUMNS = ("label", "date", "handle", "changes")
# The bounds of a document allow more, and each card and format has them all.
_MOST_CREATORS = 5_000
_MOST_VERSIONS = 5_000
# So many values that are left out are reported; a hostile source has thousands.
_MOST_LEFT_OUT = 20


@dataclass(frozen=True, slots=True, kw_only=True)
class PageCitation:
    """The citation of a page.

    Attributes:
        citation: The citation.
        display: The parts of its card that are shown.
        problems: The faults that checks found; they do not keep the card from being
            shown.
    """

    citation: Citation
    display: Display
    problems: tuple[Finding, ...] = ()


def read_citation(
    sources: Sequence[Source],
    reader: HandleReader,
    *,
    release: str | None = None,
) -> PageCitation:
    """The citation that sources give together.

    Args:
        sources: The sources, the nearest to the reader first; each value is taken
            from the first source that has it.
        reader: How handles are read.
        release: The release that the version must match, if the page speaks for
            the whole of what is released.

    A value that a citation can do without, and that cannot be read, is left out with
    a finding: a date, a licence, an ORCID, and so on.

    Raises:
        CitationError: if another value is wrong, or if no source gives a title or a
            version; it has the place of the value in its own source.
    """
    tables = {part: _merged(sources, part) for part in Part}
    left_out = [
        _finding_about_left_out(fault)
        for source in sources
        for fault in source.left_out
    ]
    listed = _structure(Work, Part.WORK, tables, sources, reader, left_out)
    _check_size(listed, sources)
    version, is_described = _version_in_hand(listed, tables, sources, reader, left_out)
    display = _structure(Display, Part.DISPLAY, tables, sources, reader)

    is_listed = listed.version(version.label) is not None
    belongs_to_history = is_listed or is_described or not listed.versions
    work = listed.with_version(version) if belongs_to_history else listed
    citation = Citation(work=work, version=version, proxies=reader.proxies)
    if display.example:
        return PageCitation(
            citation=citation, display=display, problems=tuple(left_out)
        )

    history = _origin(sources, Part.WORK, "versions")
    problems = check_work(
        work,
        version,
        release=release,
        file=history.file,
        is_from_environment=_is_from_environment(history, listed, version),
        suffix_policy=reader.suffix_policy,
    )
    located = _located(problems, listed, history)
    return PageCitation(
        citation=citation, display=display, problems=(*left_out, *located)
    )


def is_about_another_work(
    nearer: Sequence[Source], site_file: Source, reader: HandleReader
) -> bool:
    """Whether a page names another work than the works file of its whole site.

    The handles of the works tell, or their titles where one of them has no handle. The
    authors and the licence of the site say nothing about another work.

    Args:
        nearer: The sources that come before the file.
        site_file: The works file of the site, which no page names.
        reader: How handles are read.
    """
    of_page, of_site = _merged(nearer, Part.WORK), site_file.table(Part.WORK)
    handles = _handle_of(of_page, reader), _handle_of(of_site, reader)
    if all(handles):
        return handles[0] != handles[1]
    titles = [_on_one_line(table.get("title", "")) for table in (of_page, of_site)]
    return all(titles) and titles[0] != titles[1]


def _handle_of(table: Mapping[str, Plain], reader: HandleReader) -> Handle | None:
    """The handle of a work; `None` without one, and for one that is reported later."""
    try:
        return reader.read(str(table.get("handle", "")))
    except ValueError:
        return None


def _merged(sources: Sequence[Source], part: Part) -> dict[str, Plain]:
    tables = (dict(source.table(part)) for source in sources)
    return dict(ChainMap(*tables))


def _check_size(work: Work, sources: Sequence[Source]) -> None:
    bounds = (
        ("creators", len(work.creators), _MOST_CREATORS),
        ("versions", len(work.versions), _MOST_VERSIONS),
    )
    for name, count, most in bounds:
        if count > most:
            place = _origin(sources, Part.WORK, name).place(Part.WORK, name)
            reason = f"there are {count}, and at most {most} are read"
            raise CitationError(reason, place.where, place.line)


def _version_in_hand(
    work: Work,
    tables: _Tables,
    sources: Sequence[Source],
    reader: HandleReader,
    left_out: list[Finding],
) -> tuple[Version, bool]:
    """The version, and whether a source describes it beside the history.

    Values of the sources replace those of its row in the history.
    """
    label = _label(work, tables)
    listed = work.version(label)
    given = {**tables[Part.VERSION], "label": listed.label if listed else label}
    given_tables = {**tables, Part.VERSION: given}
    version = _structure(Version, Part.VERSION, given_tables, sources, reader, left_out)
    described = given_tables[Part.VERSION].keys() - {"label"}
    if listed is not None:
        values = {name: getattr(version, name) for name in described}
        version = replace(listed, **values)
    # Addresses alone are those of the page, whatever version it is.
    return version, bool(described - {"url", "pdf"})


def _label(work: Work, tables: _Tables) -> str:
    """The label of the version in hand: as a source says, or the best that it may be.

    Raises:
        CitationError: if there is none.
    """
    said = _on_one_line(tables[Part.VERSION].get("label", ""))
    if said:
        return said
    built = _on_one_line(tables[Part.BUILD].get("read_the_docs", ""))
    version = work.version(built)
    if version is not None and version.label:
        return version.label
    release = _on_one_line(tables[Part.BUILD].get("release", ""))
    for version in reversed(work.ordered):
        if version.label and covers(version.label, release):
            return version.label
    if release:
        return release
    if work.latest is not None and work.latest.label:
        return work.latest.label
    raise CitationError(
        "no option, history or configuration says which version this is: set "
        '"version" on the page or in the file of the work, or "release" of the project',
        where=":version:",
    )


def _on_one_line(value: Plain) -> str:
    return " ".join(str(value).split())


def _is_from_environment(history: Source, listed: Work, version: Version) -> bool:
    """Whether a row of the history has the version's handle from a variable."""
    rows = history.table(Part.WORK).get("versions")
    row = listed.version(version.label)
    if row is None or not isinstance(rows, list):
        return False
    # The rows of a works file are tables, in the order of the versions.
    written = rows[listed.versions.index(row)]
    handle = written.get("handle", "") if isinstance(written, dict) else ""
    return isinstance(handle, str) and handle.strip().startswith("env:")


def _located(
    problems: Sequence[Finding], listed: Work, history: Source
) -> tuple[Finding, ...]:
    """The problems, each with the line of its version in the page.

    The subject of a problem is the label of a version, or an identifier.
    """
    if not problems:
        return ()
    lines: dict[str, int | None] = {}
    for index, version in enumerate(listed.versions):
        place = history.places.get((Part.WORK, f"versions[{index}]"))
        line = place.line if place else None
        lines[version.label] = line
        lines.setdefault(str(version.handle), line)
    return tuple(
        problem.at(replace(problem.first, line=lines.get(problem.subject) or 0))
        for problem in problems
    )


def read_work(source: Source, reader: HandleReader) -> Work:
    """The work that one source describes, with its history.

    Raises:
        CitationError: if a value is wrong, or there is no title.
    """
    for fault in source.left_out:
        raise fault
    tables = {Part.WORK: dict(source.table(Part.WORK))}
    return _structure(Work, Part.WORK, tables, [source], reader)


def to_plain(page: PageCitation) -> dict[str, Any]:
    """The citation of a page as plain data, for an environment that is pickled.

    Proxies and problems are left out.
    """
    unstructure = _converter().unstructure
    return {
        "work": unstructure(page.citation.work),
        "version": unstructure(page.citation.version),
        "display": unstructure(page.display),
    }


def from_plain(plain: Mapping[str, Any], proxies: Proxies) -> PageCitation:
    """The citation of a page that `to_plain` gave."""
    structure = _converter().structure
    citation = Citation(
        work=structure(plain["work"], Work),
        version=structure(plain["version"], Version),
        proxies=proxies,
    )
    return PageCitation(citation=citation, display=structure(plain["display"], Display))


def work_source(work: Work) -> Source:
    """A work that a program made, as a source; its values are read like any other."""
    return Source(
        values={Part.WORK: _converter().unstructure(work)},
        places={(Part.WORK, ""): SourcePlace("work.")},
    )


def _origin(sources: Sequence[Source], part: Part, path: str) -> Source:
    """The source of a value; for a missing one the works file, if there is one."""
    for source in sources:
        if any(path.startswith(name) for name in source.table(part)):
            return source
    for source in sources:
        if (Part.WORK, "") in source.places:
            return source
    return Source()


_ARTICLE = "article"
# A name or an index in the path of a value: ``versions[2].date``.
_STEP = re.compile("[a-z]+|[0-9]+")
#: The values without which a citation is made, by the path of a value.
_OPTIONAL = re.compile(
    r"versions\[[0-9]+\]\.(?:date|changes|url|pdf|status)"
    r"|(?:article\.)?creators\[[0-9]+\]\.orcid"
    r"|article\.(?:kind|journal|volume|issue|pages|publisher|year|url)"
    r"|publisher|kind|license|language|url|copyright|contact|date|changes|pdf"
)


def _structure(
    kind: type[T],
    part: Part,
    tables: _Tables,
    sources: Sequence[Source],
    reader: HandleReader,
    left_out: list[Finding] | None = None,
) -> T:
    """The `Work`, `Version` or `Display` that a table describes.

    Args:
        kind: The type.
        part: The part of the table.
        tables: The tables; what is left out of one is taken from it.
        sources: The sources of the values.
        reader: How handles are read.
        left_out: The findings about values that are left out; `None` if a wrong value
            of any kind is an error.

    Raises:
        CitationError: at the first value that is wrong, or missing.
    """
    import cattrs  # noqa: PLC0415 - most projects have no citation

    try:
        return _converter(reader).structure(dict(tables.get(part, {})), kind)
    except cattrs.BaseValidationError as error:
        faults = [_fault(text) for text in cattrs.transform_error(error, "", _reason)]
        needed = [(reason, path) for reason, path in faults if not _removable(path)]
        errors = []
        for reason, path in needed[:1] or faults[:_MOST_LEFT_OUT]:
            place = _origin(sources, part, path).place(part, path)
            errors.append(CitationError(reason, place.where.rstrip(". "), place.line))
        if needed or left_out is None:
            errors[0].excerpt = _excerpt(error)
            raise errors[0] from None
    left_out += map(_finding_about_left_out, errors)
    tables[part] = _without(tables[part], [path for _, path in faults])
    return _structure(kind, part, tables, sources, reader)


def _finding_about_left_out(fault: CitationError) -> Finding:
    advice = "the citation is made without it"
    return replace(finding_about_citation(fault), advice=advice)


def _fault(text: str) -> tuple[str, str]:
    """The reason and the path of a fault as cattrs writes it."""
    reason, _, path = text.rpartition(" @ ")
    return reason, path.removeprefix(".")


def _removable(path: str) -> str:
    """The path of what is left out for a fault; empty if it is needed."""
    if _OPTIONAL.fullmatch(path):
        return path
    # Without its title, its names or its identifier there is no article.
    return _ARTICLE if path.partition(".")[0] == _ARTICLE else ""


def _without(table: dict[str, Plain], paths: Iterable[str]) -> dict[str, Plain]:
    """A table without the optional values of these paths."""
    removable = set(map(_removable, paths))
    if _ARTICLE in removable:
        removable = {path for path in removable if not path.startswith("article.")}
    rest = deepcopy(table)
    for path in {path.partition("[")[0] for path in removable if "[" in path}:
        container, name = _container(rest, path)
        container[name] = _as_tables(name, container[name])
    for path in removable:
        container, name = _container(rest, path)
        container.pop(name, None)
    return rest


def _container(table: dict[str, Plain], path: str) -> tuple[dict[str, Any], str]:
    """The table that holds the value of a path, and its name there."""
    *steps, name = _STEP.findall(path)
    container: Any = table
    for step in steps:
        container = container[int(step) if step.isdigit() else step]
    return container, name


def _as_tables(name: str, value: Plain) -> list[Plain]:
    """The versions or creators of a table, each as a table of its own."""
    divide, read = _LISTS[name]
    rows: Any = value
    if isinstance(value, str):
        rows = [row for row in divide(value) if row.strip()]
    return [dict(read(row)) for row in rows]


def _excerpt(error: BaseException) -> Excerpt | None:
    """The part of a text that the first fault is about, if it is about one."""
    while isinstance(error, BaseExceptionGroup):
        error = error.exceptions[0]
    if isinstance(error, HandleSyntaxError):
        return Excerpt(error.source, *error.span)
    return None


def _reason(error: BaseException, _: type | None) -> str:
    import cattrs  # noqa: PLC0415 - see `_structure`

    match error:
        case cattrs.ForbiddenExtraKeysError():
            names = getattr(error.cl, "_fields", None) or [
                known_field.name for known_field in fields(error.cl)
            ]
            unknown = min(error.extra_fields)
            return f"there is no key {unknown}; {hint_of_names(unknown, names)}"
        case KeyError():
            return f"a {error.args[0]} is required, and no source gives one"
    return str(error)


@lru_cache(maxsize=16)
def _converter(reader: HandleReader | None = None) -> "cattrs.Converter":
    """The converter between plain data and the types of a citation."""
    import cattrs  # noqa: PLC0415 - see `_structure`

    converter = cattrs.Converter(
        omit_if_default=True,
        forbid_extra_keys=True,
        unstruct_collection_overrides={tuple: list},
    )
    _register_texts(converter, reader or HandleReader(proxies=DEFAULT_PROXIES))
    _register_names(converter)
    _register_rows(converter, Version, _row, str.splitlines)
    converter.register_structure_hook(
        Described,
        lambda value, _: _described(converter.structure(value, _ArticleTable)),
    )
    converter.register_unstructure_hook(
        Described, lambda article: converter.unstructure(_article_table(article))
    )
    converter.register_structure_hook_func(
        lambda kind: kind == tuple[CitationFormat, ...], _formats
    )
    _register_plain_data(converter)
    return converter


# The reader of a text of an article.
_Line = Annotated[str, one_line]


@dataclass(frozen=True, slots=True, kw_only=True)
class _ArticleTable:
    """The table of an article that describes a work, as an author writes it."""

    title: _Line
    kind: Annotated[str, partial(one_of, _ARTICLE_KINDS)] = "article"
    creators: tuple[Name, ...] = ()
    journal: _Line = ""
    volume: _Line = ""
    issue: _Line = ""
    pages: _Line = ""
    publisher: _Line = ""
    year: _Line = ""
    handle: Handle | None = None
    url: Annotated[str, http_url] | None = None


def _described(table: _ArticleTable) -> Described:
    """The article of a table."""
    return Described(
        type=ARTICLE_TYPES[table.kind],
        title=(Run(table.title),),
        authors=table.creators,
        date=_year_or_words(table.year) if table.year else None,
        container=table.journal,
        volume=table.volume,
        issue=table.issue,
        pages=table.pages,
        publisher=table.publisher,
        handle=table.handle,
        url=table.url,
    )


def _year_or_words(text: str) -> Date:
    """The year of an article, which need not be a number: "in press"."""
    try:
        return iso_date(text)
    except ValueError:
        return Date(words=text)


def _article_table(article: Described) -> _ArticleTable:
    """The table of an article."""
    kinds = {csl_type: kind for kind, csl_type in ARTICLE_TYPES.items()}
    return _ArticleTable(
        title=plain_text(article.title),
        kind=kinds.get(article.type, "other"),
        creators=article.authors,
        journal=article.container,
        volume=article.volume,
        issue=article.issue,
        pages=article.pages,
        publisher=article.publisher,
        year=article.date.isoformat() if article.date else "",
        handle=article.handle,
        url=article.url,
    )


def _register_texts(converter: "cattrs.Converter", reader: HandleReader) -> None:
    """Read values that are text."""
    readers: tuple[tuple[type, Callable[[str], object]], ...] = (
        (Handle, reader.read),
        (Date, iso_date),
        (WorkKind, partial(one_of, _KINDS)),
        (bool, partial(one_of, _YES_OR_NO)),
    )
    for kind, read in readers:
        converter.register_structure_hook(kind, partial(_text, read))
    # The reader of a field stands in its annotation.
    converter.register_structure_hook_factory(
        lambda kind: hasattr(kind, "__metadata__"),
        lambda kind: partial(_text, kind.__metadata__[0]),
    )


def _register_names(converter: "cattrs.Converter") -> None:
    """Read and write names as tables, where a table, and a list of them, may be text."""
    from cattrs import cols, gen  # noqa: PLC0415 - see `_structure`

    read_line = gen.override(struct_hook=partial(_text, one_line))
    structure_table = cols.namedtuple_dict_structure_factory(
        Name,
        converter,
        "from_converter",
        True,  # noqa: FBT003 - other keys are errors; the parameter has no name
        name=read_line,
        family=read_line,
        given=read_line,
        suffix=read_line,
        orcid=gen.override(struct_hook=partial(_text, read_orcid)),
    )
    _register_rows(converter, Name, _creator, divided, structure_table)
    converter.register_unstructure_hook(
        Name,
        cols.namedtuple_dict_unstructure_factory(Name, converter, True),  # noqa: FBT003 - without unknown parts; the parameter has no name
    )


def _register_rows(
    converter: "cattrs.Converter",
    kind: type[T],
    table: Callable[[object], dict[str, Any]],
    divide: Callable[[str], list[str]],
    structure_table: Callable[[dict[str, Any], type[T]], T] | None = None,
) -> None:
    """Read a list of tables of a class, where each table, and the list, may be text."""
    from cattrs.gen import make_dict_structure_fn  # noqa: PLC0415 - see `_structure`

    structure = structure_table or make_dict_structure_fn(
        kind, converter, _cattrs_forbid_extra_keys=True
    )

    def structure_all(value: object, _: object) -> tuple[T, ...]:
        if isinstance(value, str):
            value = [part for part in divide(value) if part.strip()]
        items = _of_type(list, value)
        return tuple(converter.structure(items, list[kind]))  # type: ignore[valid-type] # the class is an argument

    converter.register_structure_hook(
        kind, lambda value, _: structure(table(value), kind)
    )
    converter.register_structure_hook_func(
        lambda type_: type_ == tuple[kind, ...],  # type: ignore[valid-type] # the class is an argument
        structure_all,
    )


def _register_plain_data(converter: "cattrs.Converter") -> None:
    """Write values as a source would give them."""
    converter.register_unstructure_hook(Handle, Handle.uri)
    converter.register_unstructure_hook(StrEnum, lambda member: member.value)
    converter.register_unstructure_hook(Date, Date.isoformat)
    converter.register_unstructure_hook(bool, lambda flag: "yes" if flag else "no")


def _text(read: Callable[[str], T], value: object, _: object) -> T:
    return read(_of_type(str, value))


def _of_type(kind: type[T], value: object) -> T:
    if isinstance(value, kind):
        return value
    # cattrs collects the errors of an author, whatever their type.
    raise ValueError(
        f"{_type_name(kind)} is expected here, not {_type_name(type(value))}"
    )


def _type_name(kind: type) -> str:
    if kind is list:
        return "a list"
    if kind is dict:
        return "a table"
    return "text"


def _formats(value: object, _: object) -> tuple[CitationFormat, ...]:
    """Names of formats in a list, or divided by spaces or commas; ``all`` for every one."""
    if isinstance(value, str):
        # Nothing at all is no name of a format.
        value = value.replace(",", " ").split() or [""]
    formats: list[CitationFormat] = []
    for name in _of_type(list, value):
        formats += one_of(_FORMATS, str(name))
    return tuple(dict.fromkeys(formats))


def _row(value: object) -> dict[str, Any]:
    """A version as a table, or as a row of a history.

    ::

        row    = label [ "|" date [ "|" handle [ "|" changes ] ] ]
        date   = year [ "-" month [ "-" day ] ] | "-" | nothing
        handle = a reference in any of its forms | "env:" variable
                 | "not yet assigned" | "-" | nothing

    The columns are those of PILIN's tables (*Handle Suffix Format Policy*, 2007). The changes may hold the
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
    columns = zip(_COLUMNS, cells, strict=False)
    return {name: cell for name, cell in columns if cell not in {"", "-"}}


def _creator(value: object) -> dict[str, Any]:
    """A creator as a table, or in a line."""
    table = creator_table(value) if isinstance(value, str) else value
    return checked_creator(_of_type(dict, table))


#: How a text is divided into rows, and how a row is read, by the name of the list.
_LISTS: Mapping[
    str, tuple[Callable[[str], list[str]], Callable[[object], dict[str, Any]]]
] = {
    "versions": (str.splitlines, _row),
    "creators": (divided, _creator),
}
