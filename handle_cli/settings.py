"""What a project says about its files: ``[tool.handle]`` and ``.hdlignore``.

::

    [tool.handle]
    exclude = ["old/*"]              # besides what .hdlignore lists
    ignore = ["placeholder"]         # codes of findings that are not reported
    syntax = { ".txt" = "rst" }      # how files of a suffix are read
    proxies = { "102.100.272" = "https://resolver.example.org/hdl/" }
    resolver = ["records.json"]      # whom --verify asks
"""

import tomllib
from collections.abc import Mapping
from dataclasses import dataclass, field
from pathlib import Path, PurePath

from handle_cli.sources import Syntax, syntax_of
from handle_system import DEFAULT_PROXIES, Proxies

__all__ = ["IGNORE_FILE", "ProjectSettings", "SettingsError"]

#: Patterns of paths that are passed over, one to a line; ``#`` begins a comment.
IGNORE_FILE = ".hdlignore"


class SettingsError(ValueError):
    """What a project says cannot be used."""


@dataclass(frozen=True, slots=True, kw_only=True)
class ProjectSettings:
    """What holds for the files of a project.

    Attributes:
        root: The folder that paths are named from.
        exclude: Patterns of paths that are passed over.
        ignore: Codes of findings that are not reported.
        syntax: How files of a suffix are read.
        proxies: Where links lead.
        resolvers: Whom verification asks.
    """

    root: Path
    exclude: tuple[str, ...] = ()
    ignore: frozenset[str] = frozenset()
    syntax: Mapping[str, Syntax] = field(default_factory=dict)
    proxies: Proxies = DEFAULT_PROXIES
    resolvers: tuple[str, ...] = ()

    @classmethod
    def of(cls, folder: Path) -> "ProjectSettings":
        """The settings of the project that `folder` is in.

        Its root is the nearest folder, from here upwards, that holds a
        ``pyproject.toml`` or an ignore file; without any, the folder itself.

        Raises:
            SettingsError: when a file cannot be read, or has another shape.
        """
        folder = folder.absolute()
        for root in (folder, *folder.parents):
            if (root / "pyproject.toml").is_file() or (root / IGNORE_FILE).is_file():
                break
        else:
            root = folder
        table = _table(root / "pyproject.toml")
        try:
            return cls(
                root=root,
                exclude=(*_texts(table, "exclude"), *_lines(root / IGNORE_FILE)),
                ignore=frozenset(_texts(table, "ignore")),
                syntax={
                    suffix.lower(): Syntax(name)
                    for suffix, name in _pairs(table, "syntax").items()
                },
                proxies=Proxies(_pairs(table, "proxies")),
                resolvers=tuple(
                    each if "://" in each else str(root / each)
                    for each in _texts(table, "resolver")
                ),
            )
        except ValueError as error:
            raise SettingsError(f"pyproject.toml: tool.handle: {error}") from error

    def syntax_of(self, path: PurePath) -> Syntax | None:
        """How a file is read; `None` if it is not."""
        return self.syntax.get(path.suffix.lower()) or syntax_of(path)


_KNOWN = {"exclude", "ignore", "syntax", "proxies", "resolver"}


def _table(path: Path) -> Mapping[str, object]:
    if not path.is_file():
        return {}
    try:
        with path.open("rb") as file:
            table = tomllib.load(file).get("tool", {}).get("handle", {})
    except (OSError, ValueError, AttributeError) as error:
        raise SettingsError(f"{path}: {error}") from error
    if not isinstance(table, dict):
        raise SettingsError(f"{path}: tool.handle is not a table")
    unknown = sorted(set(table) - _KNOWN)
    if unknown:
        known = ", ".join(sorted(_KNOWN))
        raise SettingsError(f"{path}: tool.handle.{unknown[0]} is none of {known}")
    return table


def _texts(table: Mapping[str, object], name: str) -> tuple[str, ...]:
    value = table.get(name, [])
    values = [value] if isinstance(value, str) else value
    if not isinstance(values, list) or not all(
        isinstance(each, str) for each in values
    ):
        raise ValueError(f"{name} is not a list of texts")
    return tuple(values)


def _pairs(table: Mapping[str, object], name: str) -> dict[str, str]:
    value = table.get(name, {})
    if not isinstance(value, dict) or not all(
        isinstance(each, str) for each in value.values()
    ):
        raise ValueError(f"{name} is not a table of texts")
    return value


def _lines(path: Path) -> tuple[str, ...]:
    if not path.is_file():
        return ()
    try:
        text = path.read_text(encoding="utf-8-sig")
    except (OSError, ValueError) as error:
        raise SettingsError(f"{path}: {error}") from error
    stripped = map(str.strip, text.splitlines())
    return tuple(line for line in stripped if line and not line.startswith("#"))
