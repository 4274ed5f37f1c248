"""The sources of a citation, each as a plain mapping with the places of its values.

There are five: a directive's options, a page's metadata, a works file (TOML or
``CITATION.cff``), the project's configuration, and a `Work` that a caller made.
Every source says the same things under the same names::

    title creators publisher handle kind license language url      the work
    versions                          its history: a list of tables of
                                      label, date, handle, changes, url,
                                      or of rows, see `citing.pipeline`
    this.label this.date this.handle this.changes this.url
                                      the version in hand
    show.reference show.history show.uris show.formats show.example
                                      the parts of the card
    built.release built.read_the_docs the build
    file.id                           the name by which pages choose a work of a file

`citing.pipeline` merges them. Nothing is validated here but the shape of a source.
"""

import os
import re
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field, replace
from functools import lru_cache
from pathlib import Path
from typing import NamedTuple

from handle_system.citing.fields import (
    CitationError,
    Plain,
    plain,
    read_toml,
    read_yaml,
)
from handle_system.proxies import DEFAULT_PROXIES, Proxies

__all__ = [
    "OPTIONS",
    "READ_THE_DOCS",
    "Directive",
    "Place",
    "Source",
    "chosen_source",
    "configuration_source",
    "directive_source",
    "file_source",
    "page_source",
    "read_directive",
    "read_front_matter",
    "read_works",
    "works_path",
]

#: The environment variable that holds the name of the version that Read the Docs builds.
READ_THE_DOCS = "READTHEDOCS_VERSION"
#: The name in a source, by the option of the directive.
_PATHS = {
    "title": "title",
    "work": "handle",
    "version": "this.label",
    "date": "this.date",
    "handle": "this.handle",
    "changes": "this.changes",
    "creators": "creators",
    "publisher": "publisher",
    "kind": "kind",
    "license": "license",
    "language": "language",
    "url": "this.url",
    "reference": "show.reference",
    "history": "show.history",
    "uris": "show.uris",
    "formats": "show.formats",
    "example": "show.example",
}
#: The options of the directive ``cite-version``; "source" names a works file.
OPTIONS = ("source", *_PATHS)
# The name in a source, by the name in `conf.py`.
_SETTINGS = {
    "project": "title",
    "handle_version": "this.label",
    "release": "built.release",
    "read_the_docs": "built.read_the_docs",
}
# The options of a directive, between lines of hyphens or each after a colon.
_HEAD = re.compile(
    r"---.*\n(?:(?!---).*\n)*(?:---.*\n)?"
    r"|(?::.*\n(?:[ \t]+\S.*\n)*)*"
)
_OPTION = re.compile(
    r"^(?!---)(?=.*\S):?(?P<name>[^:\n]*):?(?P<value>.*(?:\n[ \t]+\S.*)*)",
    re.MULTILINE,
)
_QUOTED = re.compile(r"(['\"])(.*)\1")
_NAMES = re.compile(r",\s+(?:and\s+)?|\s+and\s+")
_COPYRIGHT = re.compile(r"^(?:©|\(c\)|copyright)?[\s%Y0-9,–-]*", re.IGNORECASE)
_CFF_SUFFIXES = (".cff", ".yml", ".yaml")
#: What Sphinx has where `conf.py` sets nothing.
_UNSET = {"", "unknown", "Project name not set", "Author name not set"}


@dataclass(frozen=True, slots=True)
class Place:
    """A place within a source, and its line if known.

    A name that ends with a colon is whole; others are extended by the path of a
    value below them.
    """

    where: str
    line: int | None = None


@dataclass(frozen=True, slots=True, kw_only=True)
class Source:
    """One source of a citation.

    Attributes:
        values: Text, lists and tables by name; see the module.
        places: The places of values, by the beginning of their paths.
        works_file: The works file that the source names: ``works.toml#id``.
        toml_file: The file's name, if the source is TOML.
    """

    values: Mapping[str, Plain] = field(default_factory=dict)
    places: Mapping[str, Place] = field(default_factory=dict)
    works_file: str | None = None
    toml_file: str | None = None

    def place(self, path: str) -> Place:
        """The place of a value, by its path: ``versions[2].handle``."""
        names = (name for name in self.places if path.startswith(name))
        known = max(names, key=len, default="")
        found = self.places.get(known, Place(f":{path}:"))
        rest = "" if found.where.endswith(":") else path[len(known) :]
        return replace(found, where=f"{found.where}{rest}")


class Directive(NamedTuple):
    """The text of a directive ``cite-version``, in parts.

    Attributes:
        options: Text by name; `None` for an option without text.
        body: Lines with their numbers.
        lines: The lines of the options, by name.
    """

    options: dict[str, str | None]
    body: list[tuple[int | None, str]]
    lines: dict[str, int]


def read_directive(text: str, line: int) -> Directive:
    """Divide the text of a directive into options and body.

    Options are the lines at the top that begin with a colon, or those between two lines
    of hyphens; an indented line continues the option before it.

    Args:
        text: The text below the directive's name, without its indentation.
        line: The number of its first line.
    """
    text = f"{text.rstrip()}\n"
    found = _HEAD.match(text)
    head = found.group() if found else ""
    body = text.removeprefix(head).splitlines()
    directive = Directive({}, [*enumerate(body, line + head.count("\n"))], {})
    counted = 0
    for option in _OPTION.finditer(head):
        line += head.count("\n", counted, option.start())
        counted = option.start()
        name = option["name"].strip()
        value = " ".join(map(str.strip, option["value"].splitlines())).strip()
        quoted = _QUOTED.fullmatch(value)
        directive.options[name] = (quoted[2] if quoted else value) or None
        directive.lines[name] = line
    return directive


def directive_source(
    options: Mapping[str, str | None],
    body: Sequence[tuple[int | None, str]] = (),
    lines: Mapping[str, int] | None = None,
) -> Source:
    """The directive ``cite-version``.

    Args:
        options: Text by the name of an option, without colons; a flag's may be
            `None`.
        body: The lines of the body, each with its number in the page, if known.
        lines: The lines of options, by name.

    Raises:
        CitationError: if there is no such option.
    """
    source = _source(
        (Place(f":{name}:", (lines or {}).get(name)), name, text or "")
        for name, text in options.items()
    )
    rows = [(line, text) for line, text in body if text.strip()]
    if not rows:
        return source
    places = {
        f"versions[{index}]": Place(
            f"version history, {text.partition('|')[0].strip() or index + 1}:", line
        )
        for index, (line, text) in enumerate(rows)
    }
    return replace(
        source,
        values={**source.values, "versions": [text for _, text in rows]},
        places={**source.places, **places},
    )


def page_source(metadata: Mapping[str, object]) -> Source:
    """A page's metadata: a field list of rST, or the front matter of Markdown.

    ::

        :cite-title: Handle Suffix Format Policy          ---
        :cite-version: 1.0                                cite:
                                                            title: Handle Suffix …
                                                            version: 1.0
                                                          ---

    Names are those of the directive's options. ``cite-versions`` is its body, as
    lines, a list of lines, or a list of tables. Other metadata are ignored.

    Raises:
        CitationError: if a name beginning with ``cite-`` is no option, or a value
            is a float, of which YAML has lost the spelling: ``1.10`` is 1.1 then.
            `read_front_matter` keeps it.
    """
    table = metadata.get("cite")
    given = [
        (f"cite.{name}", str(name), value)
        for name, value in (table.items() if isinstance(table, dict) else ())
    ]
    given += [
        (key, key.removeprefix("cite-"), value)
        for key, value in metadata.items()
        if key.startswith("cite-")
    ]
    entries = []
    for where, name, value in given:
        try:
            entries.append((Place(where), name, plain(value)))
        except CitationError as error:
            raise CitationError(error.reason, where=where) from error
    return _source(entries, (*OPTIONS, "versions"))


def read_front_matter(page: str) -> Mapping[str, Plain]:
    """A page's metadata from its front matter, with numbers as they are written.

    Front matter without the word ``cite`` is not read.

    Args:
        page: The text of the page.

    Raises:
        CitationError: if it has the word and is not YAML, with the line.
    """
    opening, _, rest = page.partition("\n")
    matter, closing, _ = rest.partition("\n---")
    if opening.rstrip() != "---" or not closing or "cite" not in matter:
        return {}
    try:
        # Below the line of hyphens, as in the page, so that errors have its lines.
        loaded = read_yaml(f"\n{matter}")
    except CitationError as error:
        raise CitationError(error.reason, "front matter", error.line) from error
    return loaded if isinstance(loaded, dict) else {}


def works_path(
    named: str, folder: Path, root: Path | None = None
) -> tuple[Path, str | None]:
    """The path and the id in the name of a works file: ``works.toml#id``.

    Args:
        named: The name.
        folder: The folder from which a relative path leads.
        root: The folder of the sources, for a name in a document: the file is in it,
            and a path that begins with a slash leads from it.

    Raises:
        CitationError: if the file is elsewhere.
    """
    name, _, identity = named.partition("#")
    path = Path(folder, name)
    if root is not None:
        path = Path(root, name.lstrip("/")) if name.startswith("/") else path
        # `Path.resolve` fails for a symbolic link that leads to itself.
        path = Path(os.path.realpath(path))
        if not path.is_relative_to(os.path.realpath(root)):
            raise CitationError(
                "the file is outside of the source folder", where=":source:"
            )
    return path, identity or None


def file_source(
    path: Path, identity: str | None = None, *, proxies: Proxies = DEFAULT_PROXIES
) -> Source:
    """The work that a file describes: ``works.toml``, or a ``CITATION.cff``.

    Args:
        path: A file whose name ends with ``.toml``, ``.cff``, ``.yml``, ``.yaml``.
        identity: The ``id`` of the work; `None` for a file's only work.
        proxies: The proxies whose URLs are handles among the identifiers of a
            ``CITATION.cff``.

    Raises:
        CitationError: if the file cannot be read, or has no such work; it begins
            with the file's name.
    """
    if path.suffix.casefold() not in {".toml", *_CFF_SUFFIXES}:
        raise CitationError(
            "a works file ends with .toml, or with .cff", where=path.name
        )
    try:
        text = path.read_text(encoding="utf-8-sig")
    except (OSError, UnicodeDecodeError) as error:
        raise CitationError(f"it cannot be read: {error}", path.name) from error
    return chosen_source(read_works(text, path.name, proxies), identity, path.name)


# Every page of a site may name the same file.
@lru_cache(maxsize=16)
def read_works(
    text: str, name: str, proxies: Proxies = DEFAULT_PROXIES
) -> tuple[Source, ...]:
    """The works of a file's text, in its order; a ``CITATION.cff`` has one.

    In TOML::

        [[work]]
        id = "suffix-format"       # names the work where there are several
        title = "Handle Suffix Format Policy"
        creators = [
            "PILIN Project",
            { family = "Carberry", given = "Josiah", orcid = "0000-0002-1825-0097" },
        ]
        publisher = "Monash University"
        handle = "102.100.272/Y35XYS0QH"
        kind = "report"            # document, manual, report, software, dataset
        license = "CC-BY-SA-2.5"   # an SPDX identifier, or a URL
        language = "en"
        url = "https://example.org/suffix-format/"

        [[work.version]]
        label = "1.0"
        date = 2007-06-26
        handle = "102.100.272/0N8J991QH"
        changes = "Initial release to public"
        url = "https://example.org/suffix-format/1.0/"

    Required are ``title`` and ``label``. For YAML see `citing.cff`.

    Args:
        text: The text.
        name: The file's name; it is YAML if it ends with ``.cff``, ``.yml``, ``.yaml``.
        proxies: The proxies whose URLs are handles among the identifiers of a
            ``CITATION.cff``.

    Raises:
        CitationError: if the text is in another syntax, or has another shape; it
            names the file and its line, which is no line of the page that names it.
    """
    try:
        if not name.casefold().endswith(_CFF_SUFFIXES):
            return tuple(_toml_works(read_toml(text), name))
        # PyYAML is loaded with it, and most works files are TOML.
        from handle_system.citing.cff import cff_data  # noqa: PLC0415 - see above

        values, paths = cff_data(read_yaml(text), proxies)
    except CitationError as error:
        place = name if error.line is None else f"{name}:{error.line}"
        where = f"{place}: {error.where}".removesuffix(": the file")
        raise CitationError(error.reason, where) from error
    places = {known: Place(f"{name}: {path}") for known, path in paths.items()}
    return (Source(values=values, places=places),)


def _toml_works(top: Plain, name: str) -> Iterator[Source]:
    """The works of a TOML document."""
    works = top.get("work") if isinstance(top, dict) and len(top) == 1 else None
    if works is None:
        raise CitationError("it has the key work, and no other", "the file")
    paths = {"id": "file.id", "version": "versions"}
    for index, work in enumerate(works if isinstance(works, list) else [works]):
        if not isinstance(works, list) or not isinstance(work, dict):
            raise CitationError(
                "a work begins with [[work]], in double brackets", "work"
            )
        yield Source(
            values={paths.get(key, key): work[key] for key in work},
            places={
                "": Place(f"{name}: work[{index}]."),
                "versions": Place(f"{name}: work[{index}].version"),
            },
            toml_file=name,
        )


def chosen_source(sources: Sequence[Source], identity: str | None, name: str) -> Source:
    """The work of that id, or a file's only one.

    Raises:
        CitationError: if there is none, or several and no id.
    """
    ids = [str(each.values.get("file.id", "")) for each in sources]
    found = [i for i, each in enumerate(ids) if identity in {None, each}]
    if len(found) == 1:
        return sources[found[0]]
    names = ", ".join(filter(None, ids)) or "no ids"
    reason = f"there are {len(ids)} works ({names}): name one of them by its id"
    if identity and not found:
        reason = f'no work has the id "{identity}"; there are {names}'
    raise CitationError(reason, where=name)


def configuration_source(
    settings: Mapping[str, str], show: Sequence[str] = ()
) -> Source:
    """The configuration of a project.

    Args:
        settings: Settings by name: ``project`` is the title of a work that no other
            source describes, ``author`` its creators (commas and "and" divide names
            of two words or more), ``copyright`` their holder if there is no author,
            ``release`` the release that the documentation describes,
            ``handle_version`` the version of the work, and ``read_the_docs`` the
            name under which Read the Docs builds.
        show: The parts of the card: ``history``, ``uris``, ``reference``, formats.
    """
    known = {name: text for name, text in settings.items() if text not in _UNSET}
    values: dict[str, Plain] = {
        path: known[name] for name, path in _SETTINGS.items() if name in known
    }
    creators = known.get("author") or _COPYRIGHT.sub("", known.get("copyright", ""))
    names = [name for name in _NAMES.split(creators) if name]
    if not all(" " in name for name in names):
        names = [creators]
    if creators.strip():
        values["creators"] = [{"name": name} for name in names]
    flags = [name for name in show if name in {"reference", "history", "uris"}]
    values.update({f"show.{name}": "yes" for name in flags})
    formats = " ".join(name for name in show if name not in flags)
    if formats:
        values["show.formats"] = formats
    places = {
        **{path: Place(f"{name}:") for name, path in _SETTINGS.items()},
        "creators": Place("author:"),
        "show.": Place("handle_cite_show:"),
    }
    return Source(values=values, places=places)


def _source(
    entries: Iterable[tuple[Place, str, Plain]], known: Sequence[str] = OPTIONS
) -> Source:
    """The source of named values."""
    values: dict[str, Plain] = {}
    places: dict[str, Place] = {}
    for place, name, value in entries:
        if name not in known:
            raise CitationError(
                f"no such option; there are {', '.join(known)}", place.where, place.line
            )
        path = _PATHS.get(name, name)
        values[path], places[path] = value, place
    works_file = str(values.pop("source", "")).strip() or None
    return Source(values=values, places=places, works_file=works_file)
