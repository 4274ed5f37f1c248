"""The settings of a project: the table ``[tool.handle]`` and the file ``.hdlignore``.

::

    [tool.handle]
    exclude = ["old/*"]              # besides those in .hdlignore
    ignore = ["placeholder"]         # codes of findings that are not reported
    syntax = { ".txt" = "rst" }      # how files of a suffix are read
    proxies = { "102.100.272" = "https://resolver.example.org/hdl/" }
    severity = { "not-registered" = "warning" }  # error, warning, note or off

    # How --verify asks:
    resolver = ["records.json"]
    verify_ignore = ["20.1000/draft-*"]  # prefixes and handles that are not asked for
    cache = ".cache/handles.sqlite"
    connections = 8
    timeout = 10                     # seconds
    budget = 500                     # the most handles to ask for

The repository that is checked may be anybody's.  Unless the command line allows it, its
settings name no server, and no file outside the project.
"""

import tomllib
from collections.abc import Callable, Mapping
from dataclasses import dataclass, field, replace
from pathlib import Path, PurePath
from typing import Any

import click

from handle_cli.findings import RULES, Level
from handle_cli.readers import Syntax, syntax_of
from handle_system import DEFAULT_PROXIES, HandleSyntaxError, Proxies
from handle_system.errors import showable
from handle_system.resolving import is_address
from handle_system.verifying.handle_patterns import HandlePatterns
from handle_system.verifying.verification_settings import VerificationSettings

__all__ = [
    "ProjectSettings",
    "SettingsError",
    "project_settings",
    "verification_settings",
]

# Patterns of paths that are skipped, one to a line; ``#`` begins a comment.
_IGNORE_FILE = ".hdlignore"
_OFF = "off"


class SettingsError(ValueError):
    """Settings of a project that cannot be used."""


@dataclass(frozen=True, slots=True, kw_only=True)
class ProjectSettings:
    """The settings of a project.

    Attributes:
        root: The project's folder, which patterns of paths start from.
        exclude: Patterns of paths that are skipped.
        ignore: Codes of findings that are not reported.
        syntax: How files of a suffix are read.
        proxies: Where links lead.
        levels: How much findings matter, by code; `None` for not at all.
        verification: How verification asks.
        verify_ignore: Handles that it does not ask for.
        untrusted: The settings that name a server or a file outside of the project,
            with their values.
    """

    root: Path
    exclude: tuple[str, ...] = ()
    ignore: frozenset[str] = frozenset()
    syntax: Mapping[str, Syntax] = field(default_factory=dict)
    proxies: Proxies = DEFAULT_PROXIES
    levels: Mapping[str, Level | None] = field(default_factory=dict)
    verification: VerificationSettings = field(default_factory=VerificationSettings)
    verify_ignore: HandlePatterns = field(default_factory=HandlePatterns)
    untrusted: Mapping[str, str] = field(default_factory=dict)

    @classmethod
    def of(cls, folder: Path) -> "ProjectSettings":
        """The settings of the project that a folder is in.

        Its root is the nearest folder, from here upwards, that holds a
        ``pyproject.toml`` or an ignore file; without any, the folder itself.

        Raises:
            SettingsError: when they cannot be used.
        """
        folder = folder.absolute()
        for root in (folder, *folder.parents):
            if (root / "pyproject.toml").is_file() or (root / _IGNORE_FILE).is_file():
                break
        else:
            root = folder
        path = root / "pyproject.toml"
        try:
            table = _read_table(path)
            ignored = _read_patterns(root / _IGNORE_FILE)
        except (OSError, ValueError) as error:
            raise SettingsError(f"{path}: {error}") from error
        try:
            return cls(
                root=root,
                exclude=(*table["exclude"], *ignored),
                ignore=frozenset(table["ignore"]),
                syntax={
                    suffix.lower(): Syntax(name)
                    for suffix, name in table["syntax"].items()
                },
                proxies=Proxies(table["proxies"]),
                levels=_levels(table["severity"]),
                verification=_verification(root, table),
                verify_ignore=HandlePatterns(table["verify_ignore"]),
                untrusted=_untrusted(root, table),
            )
        except HandleSyntaxError as error:
            reason = f"verify_ignore: {error.source!r}: {error.reason}"
            raise SettingsError(f"pyproject.toml: tool.handle: {reason}") from error
        except ValueError as error:
            raise SettingsError(f"pyproject.toml: tool.handle: {error}") from error

    def syntax_of(self, path: PurePath) -> Syntax | None:
        """How a file is read; `None` if it is not."""
        return self.syntax.get(path.suffix.lower()) or syntax_of(path)


def project_settings() -> ProjectSettings:
    """The settings of the project that the command is called in.

    Raises:
        click.UsageError: when they cannot be used.
    """
    try:
        return ProjectSettings.of(Path.cwd())
    except SettingsError as error:
        raise click.UsageError(showable(str(error))) from error


def verification_settings(
    settings: ProjectSettings,
    *,
    resolvers: tuple[str, ...],
    cache: str | None,
    trust_config: bool,
) -> VerificationSettings:
    """How verification asks: as the command line says, else as the project does.

    Raises:
        click.UsageError: when the project may not decide it.
    """
    given = {"resolver": resolvers, "cache": cache}
    for name, value in settings.untrusted.items():
        if not (given[name] or trust_config):
            raise click.UsageError(
                showable(
                    f"pyproject.toml: tool.handle.{name} names {value!r}, which is "
                    f"not a file of the project; pass --{name}, or --trust-config to "
                    "allow it"
                )
            )
    how = settings.verification
    try:
        return replace(
            how, resolvers=resolvers or how.resolvers, cache=cache or how.cache
        )
    except ValueError as error:
        raise click.UsageError(showable(str(error))) from error


def _are_texts(values: object) -> bool:
    return isinstance(values, list) and all(isinstance(each, str) for each in values)


def _is_number(value: object) -> bool:
    return isinstance(value, (int, float)) and not isinstance(value, bool)


_KINDS: Mapping[str, Callable[[Any], bool]] = {
    "a list of texts": lambda value: isinstance(value, str) or _are_texts(value),
    "a table of texts": lambda value: (
        isinstance(value, dict) and _are_texts([*value.values()])
    ),
    "a text": lambda value: isinstance(value, str) and value != "",
    "a whole number": lambda value: _is_number(value) and not isinstance(value, float),
    "a number of seconds": _is_number,
}
# The kind and the default of each setting.
_SETTINGS: Mapping[str, tuple[str, object]] = {
    "budget": ("a whole number", None),
    "cache": ("a text", None),
    "connections": ("a whole number", VerificationSettings().connections),
    "exclude": ("a list of texts", []),
    "ignore": ("a list of texts", []),
    "proxies": ("a table of texts", {}),
    "resolver": ("a list of texts", []),
    "severity": ("a table of texts", {}),
    "syntax": ("a table of texts", {}),
    "timeout": ("a number of seconds", VerificationSettings().timeout),
    "verify_ignore": ("a list of texts", []),
}


def _read_table(path: Path) -> dict[str, Any]:
    """The value of every setting, each of its kind.

    Raises:
        OSError: when the file cannot be read.
        ValueError: when it cannot be used.
    """
    document = tomllib.loads(path.read_text("utf-8")) if path.is_file() else {}
    tool = document.get("tool", {})
    given = tool.get("handle", {}) if isinstance(tool, dict) else tool
    if not isinstance(given, dict):
        raise ValueError("tool.handle is not a table")  # noqa: TRY004 (of the file)
    for name in sorted(set(given) - set(_SETTINGS)):
        raise ValueError(f"tool.handle.{name} is none of {', '.join(_SETTINGS)}")
    table = {name: default for name, (_, default) in _SETTINGS.items()}
    for name, value in given.items():
        kind, _ = _SETTINGS[name]
        if not _KINDS[kind](value):
            raise ValueError(f"tool.handle: {name} is not {kind}")
        is_list = kind == "a list of texts" and isinstance(value, str)
        table[name] = [value] if is_list else value
    return table


def _read_patterns(path: Path) -> list[str]:
    text = path.read_text("utf-8-sig") if path.is_file() else ""
    stripped = map(str.strip, text.splitlines())
    return [line for line in stripped if line and not line.startswith("#")]


def _verification(root: Path, table: Mapping[str, Any]) -> VerificationSettings:
    """How verification asks; paths are relative to the project's root."""
    resolvers = tuple(
        each if is_address(each) else str(root / each) for each in table["resolver"]
    )
    cache = table["cache"]
    if cache is not None and not is_address(cache):
        cache = str(root / cache)
    return VerificationSettings(
        resolvers=resolvers or VerificationSettings().resolvers,
        connections=table["connections"],
        timeout=table["timeout"],
        budget=table["budget"],
        cache=cache,
    )


def _untrusted(root: Path, table: Mapping[str, Any]) -> dict[str, str]:
    """The settings that name a server, or a file outside of the project."""
    named = [("resolver", each) for each in table["resolver"]]
    named += [("cache", each) for each in [table["cache"]] if each is not None]
    return {
        name: value
        for name, value in named
        if is_address(value)
        or not (root / value).resolve().is_relative_to(root.resolve())
    }


def _levels(wanted: Mapping[str, str]) -> dict[str, Level | None]:
    for code, name in wanted.items():
        if code not in RULES:
            raise ValueError(f"severity: {code!r} is no code of a finding")
        if name not in {*Level, _OFF}:
            listed = ", ".join((*Level, _OFF))
            raise ValueError(f"severity: {name!r} is none of {listed}")
    return {
        code: None if name == _OFF else Level(name) for code, name in wanted.items()
    }
