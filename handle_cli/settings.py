"""What a project says about its files: ``[tool.handle]`` and ``.hdlignore``.

::

    [tool.handle]
    exclude = ["old/*"]              # besides what .hdlignore lists
    ignore = ["placeholder"]         # codes of findings that are not reported
    syntax = { ".txt" = "rst" }      # how files of a suffix are read
    proxies = { "102.100.272" = "https://resolver.example.org/hdl/" }
    severity = { "not-registered" = "warning" }  # error, warning, note or off

    # How --verify asks:
    resolver = ["records.json", "https://hdl.handle.net/"]
    verify_ignore = ["20.1000/draft-*"]  # prefixes and handles that are not asked for
    cache = ".cache/handles.sqlite"
    connections = 8
    timeout = 10                     # seconds
    budget = 500                     # handles that are asked for at most
"""

from collections.abc import Mapping
from dataclasses import dataclass, field
from pathlib import Path, PurePath

from handle_cli.levels import Level
from handle_cli.project_table import (
    SettingsError,
    pairs,
    project_table,
    seconds,
    text,
    texts,
    whole_number,
)
from handle_cli.rules import RULES
from handle_cli.sources import Syntax, syntax_of
from handle_system import DEFAULT_PROXIES, Proxies
from handle_system.errors import HandleSyntaxError
from handle_system.verifying.handle_patterns import HandlePatterns
from handle_system.verifying.verification_settings import (
    VerificationSettings,
    is_address,
)

__all__ = ["IGNORE_FILE", "ProjectSettings", "SettingsError"]

_OFF = "off"
#: Patterns of paths that are passed over, one to a line; ``#`` begins a comment.
IGNORE_FILE = ".hdlignore"


@dataclass(frozen=True, slots=True, kw_only=True)
class ProjectSettings:
    """What holds for the files of a project.

    Attributes:
        root: The folder that paths are named from.
        exclude: Patterns of paths that are passed over.
        ignore: Codes of findings that are not reported.
        syntax: How files of a suffix are read.
        proxies: Where links lead.
        levels: How much findings matter, by their codes; `None` for not at all.
        verification: How verification asks.
        verify_ignore: Handles that it does not ask for.
    """

    root: Path
    exclude: tuple[str, ...] = ()
    ignore: frozenset[str] = frozenset()
    syntax: Mapping[str, Syntax] = field(default_factory=dict)
    proxies: Proxies = DEFAULT_PROXIES
    levels: Mapping[str, Level | None] = field(default_factory=dict)
    verification: VerificationSettings = field(default_factory=VerificationSettings)
    verify_ignore: HandlePatterns = field(default_factory=HandlePatterns)

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
        table = project_table(root / "pyproject.toml", _KNOWN)
        try:
            return cls(
                root=root,
                exclude=(*texts(table, "exclude"), *_lines(root / IGNORE_FILE)),
                ignore=frozenset(texts(table, "ignore")),
                syntax={
                    suffix.lower(): Syntax(name)
                    for suffix, name in pairs(table, "syntax").items()
                },
                proxies=Proxies(pairs(table, "proxies")),
                levels=_levels(pairs(table, "severity")),
                verification=_verification(root, table),
                verify_ignore=HandlePatterns(texts(table, "verify_ignore")),
            )
        except HandleSyntaxError as error:
            reason = f"verify_ignore: {error.source!r}: {error.reason}"
            raise SettingsError(f"pyproject.toml: tool.handle: {reason}") from error
        except ValueError as error:
            raise SettingsError(f"pyproject.toml: tool.handle: {error}") from error

    def syntax_of(self, path: PurePath) -> Syntax | None:
        """How a file is read; `None` if it is not."""
        return self.syntax.get(path.suffix.lower()) or syntax_of(path)


_KNOWN = frozenset(
    {
        *("exclude", "ignore", "severity", "syntax", "proxies"),
        *("resolver", "verify_ignore", "connections", "timeout", "budget", "cache"),
    }
)


def _verification(root: Path, table: Mapping[str, object]) -> VerificationSettings:
    """How verification asks; paths are relative to the project's root."""
    usual = VerificationSettings()
    resolvers = tuple(
        each if is_address(each) else str(root / each)
        for each in texts(table, "resolver")
    )
    connections = whole_number(table, "connections")
    timeout = seconds(table, "timeout")
    cache = text(table, "cache")
    return VerificationSettings(
        resolvers=resolvers or usual.resolvers,
        connections=usual.connections if connections is None else connections,
        timeout=usual.timeout if timeout is None else timeout,
        budget=whole_number(table, "budget"),
        cache=None if cache is None else str(root / cache),
    )


def _levels(wanted: Mapping[str, str]) -> dict[str, Level | None]:
    codes = RULES
    for code, name in wanted.items():
        if code not in codes:
            raise ValueError(f"severity: {code!r} is no code of a finding")
        if name not in {*Level, _OFF}:
            listed = ", ".join((*Level, _OFF))
            raise ValueError(f"severity: {name!r} is none of {listed}")
    return {
        code: None if name == _OFF else Level(name) for code, name in wanted.items()
    }


def _lines(path: Path) -> tuple[str, ...]:
    if not path.is_file():
        return ()
    try:
        text = path.read_text(encoding="utf-8-sig")
    except (OSError, ValueError) as error:
        raise SettingsError(f"{path}: {error}") from error
    stripped = map(str.strip, text.splitlines())
    return tuple(line for line in stripped if line and not line.startswith("#"))
