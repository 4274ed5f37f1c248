"""Works and their versions from a TOML file.

One file holds any number of works, each with its whole history::

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
    license = "CC-BY-SA-2.5"   # an SPDX identifier, or an address
    language = "en"
    url = "https://example.org/suffix-format/"

    [[work.version]]           # the oldest first
    label = "1.0"
    date = 2007-06-26
    handle = "102.100.272/0N8J991QH"
    changes = "Initial release to public"
    url = "https://example.org/suffix-format/1.0/"

Required are ``title`` and ``label``.  A handle is written in any of its forms;
``"env:NAME"`` takes it from an environment variable, and ``"not yet assigned"``
says what it says, as leaving it out does.  A creator is text as in the
directive's option, or a table of ``name`` or of ``family`` and ``given``, each
with an ``orcid`` if there is one.
"""

import tomllib
from dataclasses import dataclass

from handle_system.citing.people import read_creators, read_orcid
from handle_system.citing.shape import Node
from handle_system.citing.values import (
    CitationError,
    Reading,
    read_date,
    read_kind,
    read_language,
    read_license,
    read_line,
    read_url,
)
from handle_system.citing.work import Creator, Version, Work, WorkKind

__all__ = ["NamedWork", "choose_work", "read_toml"]

_WORK_KEYS = (
    *("id", "title", "creators", "publisher", "handle", "kind", "license"),
    *("language", "url", "version"),
)
_VERSION_KEYS = ("label", "date", "handle", "changes", "url")
_CREATOR_KEYS = ("name", "family", "given", "orcid")


@dataclass(frozen=True, slots=True, kw_only=True)
class NamedWork:
    """A work of a file, with the name by which pages choose it.

    Attributes:
        id: The name; `None` if the file gives none.
        work: The work.
    """

    id: str | None
    work: Work


def read_toml(text: str, reading: Reading | None = None) -> tuple[NamedWork, ...]:
    """The works of a TOML file; for its schema see the module.

    Raises:
        CitationError: when the text is no TOML, with its line; or where a value
            is not what it should be, with its path.
    """
    reading = reading or Reading()
    try:
        # Some editors begin a file with a byte order mark.
        top = Node(tomllib.loads(text.removeprefix("\ufeff")))
    except tomllib.TOMLDecodeError as error:
        raise CitationError(f"this is no TOML: {error}", where="the file") from error
    except RecursionError as error:
        raise CitationError("it is nested too deep", where="the file") from error
    top.only(("work",))
    works = top.required("work")
    if isinstance(works.value, dict):
        raise works.error("a work begins with [[work]], in double brackets")
    named = tuple(_read_work(node, reading) for node in works.elements())
    seen: set[str] = set()
    for index, work in enumerate(named):
        if work.id is not None and work.id in seen:
            raise CitationError(
                f'"{work.id}" names another work before', where=f"work[{index}].id"
            )
        seen |= {work.id} if work.id else set()
    return named


def choose_work(works: tuple[NamedWork, ...], name: str | None = None) -> Work:
    """The work of that name, or the only one.

    Raises:
        CitationError: when there is no work of that name, or no name and not
            exactly one work.
    """
    names = ", ".join(work.id for work in works if work.id) or "none has an id"
    if name is None:
        if len(works) == 1:
            return works[0].work
        raise CitationError(
            f"there are {len(works)} works ({names}): name one of them by its id",
            where="work",
        )
    for named in works:
        if named.id == name:
            return named.work
    raise CitationError(f'no work has the id "{name}" ({names})', where="work")


def _read_work(node: Node, reading: Reading) -> NamedWork:
    node.only(_WORK_KEYS)
    versions = node.member("version")
    work = Work(
        title=read_line(node.required("title").text(), f"{node.path}.title"),
        creators=_creators(node.member("creators")),
        publisher=node.read("publisher", read_line),
        handle=node.read("handle", reading.handle),
        versions=tuple(
            _read_version(version, reading) for version in versions.elements()
        )
        if versions
        else (),
        kind=node.read("kind", read_kind) or WorkKind.DOCUMENT,
        license=node.read("license", read_license),
        language=node.read("language", read_language),
        url=node.read("url", read_url),
    )
    return NamedWork(id=node.read("id", read_line), work=work)


def _read_version(node: Node, reading: Reading) -> Version:
    node.only(_VERSION_KEYS)
    date = node.member("date")
    return Version(
        label=read_line(node.required("label").text(), f"{node.path}.label"),
        date=read_date(date.date_text(), date.path) if date else None,
        changes=node.read("changes", read_line) or "",
        handle=node.read("handle", reading.handle),
        url=node.read("url", read_url),
    )


def _creators(node: Node | None) -> tuple[Creator, ...]:
    if node is None:
        return ()
    if node.is_text:
        return read_creators(node.text(), node.path)
    return tuple(
        creator for element in node.elements() for creator in _creator(element)
    )


def _creator(node: Node) -> tuple[Creator, ...]:
    if node.is_text:
        return read_creators(node.text(), node.path)
    node.only(_CREATOR_KEYS)
    parts = {
        name: part
        for name in ("name", "family", "given")
        if (part := node.read(name, read_line))
    }
    orcid = node.read("orcid", read_orcid)
    match parts:
        case {"name": name, **others} if not others:
            return (Creator(name=name, orcid=orcid),)
        case {"family": family, **others} if "name" not in others:
            return (Creator.person(family, others.get("given"), orcid=orcid),)
    raise node.error("a creator has a name, or a family name and perhaps a given one")
