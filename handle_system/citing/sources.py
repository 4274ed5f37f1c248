"""The sources of a citation, each as plain tables with the places of their values.

There are five: a directive's options, a page's metadata, a works file (TOML or
``CITATION.cff``), the project's configuration, and a `Work` that a caller made.
Every source fills the same four tables, one a `Part`, whose keys are the fields of
`Work`, `Version` and `Display`::

    WORK      title creators publisher handle kind license language url copyright
              contact, and versions: the history, a list of tables or of rows
    VERSION   label date handle changes url pdf       the version in hand
    DISPLAY   reference history uris formats about example
    BUILD     release read_the_docs

`citing.pipeline` merges them. Nothing is validated here but the shape of a source.

Each source is there for something that no other one can do:

* a directive stands where readers shall see the card, and an author writes a first one
  without any file;
* its rows are the table of versions that PILIN's documents have, to paste and to read;
* a page's metadata are the only words of its own where ``handle_cite`` makes the cards,
  or where a notebook has no directive; a table ``cite`` is what YAML offers for them, and
  ``cite-…`` what field lists and notebooks have;
* a works file has several works and their histories, and ``hdl register`` writes handles
  into it;
* ``CITATION.cff`` is what GitHub, Zenodo and reference managers read, so that a
  repository which has one repeats nothing;
* ``conf.py`` holds title, authors and release of every Sphinx project anyway.

A value out of the environment is not one more way: it stands in place of a handle that is
registered while the documentation is built.
"""

import re
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, field, replace
from typing import NamedTuple

from handle_system.citing.creators import creators_of_project
from handle_system.citing.documents import CitationError, Plain, plain, read_yaml
from handle_system.citing.options import FIELDS, FLAGS, OPTIONS, SOURCE_OPTION, Part
from handle_system.errors import brief
from handle_system.typed_values import hint_of_names

#: The environment variable that holds the name of the version that Read the Docs builds.
READ_THE_DOCS = "READTHEDOCS_VERSION"

_HISTORY = (Part.WORK, "versions")
# The field of each setting of `conf.py`.
_SETTINGS = {
    "project": (Part.WORK, "title"),
    "handle_version": (Part.VERSION, "label"),
    "release": (Part.BUILD, "release"),
    "read_the_docs": (Part.BUILD, "read_the_docs"),
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
_COPYRIGHT = re.compile(r"^(?:©|\(c\)|copyright)?[\s%Y0-9,–-]*", re.IGNORECASE)
#: What Sphinx has where `conf.py` sets nothing.
_UNSET = {"", "unknown", "Project name not set", "Author name not set"}


@dataclass(frozen=True, slots=True)
class SourcePlace:
    """A place within a source, and its line if known.

    A name that ends with a colon is whole; others are extended by the path of a
    value below them.
    """

    where: str
    line: int | None = None


class NamedFile(NamedTuple):
    """A works file as a source names it.

    Attributes:
        name: Its path, with the id of a work if there are several: ``works.toml#id``.
        place: The place of the name.
    """

    name: str
    place: SourcePlace


@dataclass(frozen=True, slots=True, kw_only=True)
class Source:
    """One source of a citation.

    Attributes:
        values: The tables; see the module.
        places: The places of values, by their part and the beginning of their path.
        identity: The name by which pages choose a work of a file.
        works_file: The works file that the source names.
        file: The file's name, if the source is TOML or a ``CITATION.cff``.
        left_out: The faults of values that the source has and its tables have not.
    """

    values: Mapping[Part, Mapping[str, Plain]] = field(default_factory=dict)
    places: Mapping[tuple[Part, str], SourcePlace] = field(default_factory=dict)
    identity: str = ""
    works_file: NamedFile | None = None
    file: str | None = None
    left_out: tuple[CitationError, ...] = ()

    def table(self, part: Part) -> Mapping[str, Plain]:
        """The table of a part."""
        return self.values.get(part, {})

    def place(self, part: Part, path: str) -> SourcePlace:
        """The place of a value by its path: ``versions[2].handle``."""
        beginnings = [
            beginning
            for known_part, beginning in self.places
            if known_part is part and path.startswith(beginning)
        ]
        if not beginnings:
            return SourcePlace(f":{path}:")
        beginning = max(beginnings, key=len)
        place = self.places[part, beginning]
        if place.where.endswith(":"):
            return place
        rest = path[len(beginning) :]
        return replace(place, where=f"{place.where}{rest}")


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
    head_match = _HEAD.match(text)
    head = head_match.group() if head_match else ""
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


def unexpected_argument(argument: str) -> CitationError:
    """The error about text behind the name of the directive ``cite-version``."""
    return CitationError(
        f"it takes no argument; name a file with the option :source: {brief(argument)}",
        "cite-version",
    )


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
        CitationError: if there is no such option, or a value is out of bounds.
    """
    entries: list[_Entry] = []
    for name, text in options.items():
        line = lines.get(name) if lines else None
        entries.append(_bounded_entry(name, text or "", SourcePlace(f":{name}:", line)))
    rows = [(line, text) for line, text in body if text.strip()]
    if not rows:
        return _source(entries)

    versions = [text for _, text in rows]
    entries.append(_bounded_entry("versions", versions, SourcePlace("version history")))
    source = _source(entries, (*OPTIONS, "versions"))
    places = dict(source.places)
    for index, (line, text) in enumerate(rows):
        label = text.partition("|")[0].strip() or index + 1
        place = SourcePlace(f"version history, {label}:", line)
        places[Part.WORK, f"versions[{index}]"] = place
    return replace(source, places=places)


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
        CitationError: if a name beginning with ``cite-`` is no option, a value is out
            of bounds, or it is a float, of which YAML has lost the spelling: ``1.10``
            is 1.1 then. `read_front_matter` keeps it.
    """
    entries = []
    table = metadata.get("cite")
    if isinstance(table, dict):
        for name, value in table.items():
            entries.append(
                _bounded_entry(str(name), value, SourcePlace(f"cite.{name}"))
            )
    for key, value in metadata.items():
        if key.startswith("cite-"):
            name = key.removeprefix("cite-")
            entries.append(_bounded_entry(name, value, SourcePlace(key)))
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


def configuration_source(
    settings: Mapping[str, str], show: Sequence[str] = ()
) -> Source:
    """The configuration of a project.

    Args:
        settings: Settings by name: ``project`` is the title of a work that no other
            source describes, ``author`` its creators (see `creators_of_project`),
            ``copyright`` the copyright, and its holder the creator if there is no
            author, ``release`` the release that the documentation describes,
            ``handle_version`` the version of the work, and ``read_the_docs`` the
            name under which Read the Docs builds.
        show: The parts of the card: `FLAGS` and formats.
    """
    values: dict[Part, dict[str, Plain]] = {part: {} for part in Part}
    places: dict[tuple[Part, str], SourcePlace] = {}
    set_here = {name: text for name, text in settings.items() if text not in _UNSET}
    for name, (part, key) in _SETTINGS.items():
        places[part, key] = SourcePlace(f"{name}:")
        if name in set_here:
            values[part][key] = set_here[name]

    copyright_line = set_here.get("copyright", "")
    places[Part.WORK, "copyright"] = SourcePlace("copyright:")
    if copyright_line.strip():
        values[Part.WORK]["copyright"] = copyright_line
    creators = set_here.get("author") or _COPYRIGHT.sub("", copyright_line)
    places[Part.WORK, "creators"] = SourcePlace("author:")
    if creators.strip():
        values[Part.WORK]["creators"] = creators_of_project(creators)

    places[Part.DISPLAY, ""] = SourcePlace("handle_cite_show:")
    for flag in FLAGS:
        if flag in show:
            values[Part.DISPLAY][flag] = "yes"
    formats = [name for name in show if name not in FLAGS]
    if formats:
        values[Part.DISPLAY]["formats"] = " ".join(formats)
    return Source(values=values, places=places)


class _Entry(NamedTuple):
    """A value under the name of an option, with its place."""

    name: str
    value: Plain
    place: SourcePlace


def _bounded_entry(name: str, value: object, place: SourcePlace) -> _Entry:
    """A value of a page, within the bounds of documents."""
    try:
        return _Entry(name, plain(value), place)
    except CitationError as error:
        raise CitationError(error.reason, place.where, place.line) from error


def _source(entries: Iterable[_Entry], names: Sequence[str] = OPTIONS) -> Source:
    """The source of values under the names of options."""
    values: dict[Part, dict[str, Plain]] = {part: {} for part in Part}
    places: dict[tuple[Part, str], SourcePlace] = {}
    works_file = None
    for name, value, place in entries:
        if name not in names:
            reason = f"no such option; {hint_of_names(name, names)}"
            raise CitationError(reason, place.where, place.line)
        if name == SOURCE_OPTION:
            file_name = str(value).strip()
            works_file = NamedFile(file_name, place) if file_name else None
            continue
        part, key = FIELDS.get(name, _HISTORY)
        values[part][key] = value
        places[part, key] = place
    return Source(values=values, places=places, works_file=works_file)
