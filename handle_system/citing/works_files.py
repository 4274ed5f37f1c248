"""Works files: TOML that describes works and their versions, or a ``CITATION.cff``."""

import os
from collections.abc import Iterator, Sequence
from functools import lru_cache
from pathlib import Path

from handle_system.citing.documents import (
    CitationError,
    Plain,
    read_toml,
    read_yaml,
)
from handle_system.citing.options import Part
from handle_system.citing.sources import NamedFile, Source, SourcePlace
from handle_system.foreign_files import read_foreign_file, why_unread
from handle_system.proxies import Proxies

#: In octets: more than the characters that are read of any such file.
LARGEST_WORKS_FILE = 2_000_000
_CFF_SUFFIXES = (".cff", ".yml", ".yaml")


def works_path(
    file: NamedFile, folder: Path, root: Path | None = None
) -> tuple[Path, str | None]:
    """The path and the id in the name of a works file: ``works.toml#id``.

    Args:
        file: The file as a source names it.
        folder: The folder from which a relative path leads.
        root: The folder of the sources, for a name in a document: the file is in it,
            and a path that begins with a slash leads from it.

    Raises:
        CitationError: if the file is elsewhere.
    """
    name, _, identity = file.name.partition("#")
    path = Path(folder, name)
    if root is not None:
        if name.startswith("/"):
            path = Path(root, name.lstrip("/"))
        # `Path.resolve` fails for a symbolic link that leads to itself.
        path = Path(os.path.realpath(path))
        if not path.is_relative_to(os.path.realpath(root)):
            reason = "the file is outside of the source folder"
            raise CitationError(reason, file.place.where, file.place.line)
    return path, identity or None


def file_source(
    file: NamedFile,
    path: Path,
    identity: str | None = None,
    *,
    proxies: Proxies,
) -> Source:
    """The work that a file describes: ``works.toml``, or a ``CITATION.cff``.

    Args:
        file: The file as a source names it.
        path: Its path; the name ends with ``.toml``, ``.cff``, ``.yml``, ``.yaml``.
        identity: The ``id`` of the work; `None` for a file's only work.
        proxies: The proxies whose URLs are handles among the identifiers of a
            ``CITATION.cff``.

    Raises:
        CitationError: if the file cannot be read, with the place that names it; or if
            it has no such work, with the file's name.
    """
    where = f"{file.place.where.removesuffix(':')}: {file.name}"
    line = file.place.line
    if path.suffix.casefold() not in {".toml", *_CFF_SUFFIXES}:
        reason = "a works file ends with .toml, or with .cff"
        raise CitationError(reason, where, line)
    try:
        text = read_foreign_file(path, LARGEST_WORKS_FILE).decode("utf-8-sig")
    except FileNotFoundError as error:
        raise CitationError(f"there is no file {path}", where, line) from error
    except UnicodeDecodeError as error:
        raise CitationError(f"{path} is not UTF-8 text", where, line) from error
    except OSError as error:
        reason = f"{path} {why_unread(error).removeprefix('it ')}"
        raise CitationError(reason, where, line) from error
    works = read_works(text, path.name, proxies)
    return chosen_source(works, identity, path.name)


# Every page of a site may name the same file.
@lru_cache(maxsize=16)
def read_works(text: str, name: str, proxies: Proxies) -> tuple[Source, ...]:
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
        license = "CC-BY-SA-2.5"   # an SPDX identifier, a URL, or a name and <URL>
        copyright = "© Monash University"
        contact = "policy@example.org"   # or a URL
        language = "en"
        url = "https://example.org/suffix-format/"

        [[work.version]]
        label = "1.0"
        date = 2007-06-26
        handle = "102.100.272/0N8J991QH"
        changes = "Initial release to public"
        url = "https://example.org/suffix-format/1.0/"
        pdf = "https://example.org/suffix-format/1.0.pdf"

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
        if name.casefold().endswith(_CFF_SUFFIXES):
            # PyYAML is loaded with it, and most works files are TOML.
            from handle_system.citing.cff import read_cff  # noqa: PLC0415 - see above

            return (read_cff(read_yaml(text), name, proxies),)
        return tuple(_toml_works(read_toml(text), name))
    except CitationError as error:
        place = name if error.line is None else f"{name}:{error.line}"
        where = f"{place}: {error.where}".removesuffix(": the file")
        raise CitationError(error.reason, where) from error


def _toml_works(document: Plain, name: str) -> Iterator[Source]:
    """The works of a TOML document.

    Raises:
        CitationError: if it has another shape.
    """
    if not isinstance(document, dict) or [*document] != ["work"]:
        raise CitationError("it has the key work, and no other", "the file")
    works = document["work"]
    for index, work in enumerate(works if isinstance(works, list) else [works]):
        if not isinstance(works, list) or not isinstance(work, dict):
            raise CitationError(
                "a work begins with [[work]], in double brackets", "work"
            )
        path = f"work[{index}]"
        values = dict(work)
        identity = str(values.pop("id", ""))
        if "version" in values:
            values["versions"] = values.pop("version")
        yield Source(
            values={Part.WORK: values},
            places={
                (Part.WORK, ""): SourcePlace(f"{name}: {path}."),
                (Part.WORK, "versions"): SourcePlace(f"{name}: {path}.version"),
            },
            identity=identity,
            file=name,
        )


def chosen_source(works: Sequence[Source], identity: str | None, name: str) -> Source:
    """The work of that id, or a file's only one.

    Raises:
        CitationError: if there is none, or several and no id.
    """
    chosen = [work for work in works if identity in {None, work.identity}]
    if len(chosen) == 1:
        return chosen[0]
    identities = [work.identity for work in works if work.identity]
    names = ", ".join(identities) or "no ids"
    if identity and not chosen:
        reason = f'no work has the id "{identity}"; there are {names}'
    else:
        reason = f"there are {len(works)} works ({names}): name one of them by its id"
    raise CitationError(reason, where=name)
