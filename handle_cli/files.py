"""Find the files to read, read their text, and read the project's settings.

The command reads one file at a time, whole and as UTF-8, so the largest file bounds
its memory.  Line ends stay as they are.  The settings are the table ``[tool.handle]``
of ``pyproject.toml`` and the file ``.hdlignore``::

    [tool.handle]
    exclude = ["old/*"]              # in addition to .hdlignore
    ignore = ["placeholder"]         # codes of findings that are not reported
    syntax = { ".txt" = "rst" }      # the syntax of files with a suffix
    proxies = { "102.100.272" = "https://resolver.example.org/hdl/" }
    references = "docs/references.json"  # a file, or several; see hdl references
    style = "docs/apa.csl"           # the CSL style of hdl references update
    severity = { "not-registered" = "warning" }  # error, warning, note or off
    suffix_policy = { "102.100.272" = "pilin" }  # formats of suffixes, by prefix
    text_prefixes = ["handles-in-germany"]  # count in text without a digit or a dot
    ignore_case = ["cnri.test"]      # prefixes whose servers ignore the case of suffixes

    # How --verify asks:
    resolver = ["records.json"]
    servers = ["190.12.34.56"]       # asked for hdl://190.12.34.56/1234/567
    verify_ignore = ["20.1000/draft-*"]  # prefixes and handles to leave out
    cache = ".cache/handles.sqlite"
    connections = 8
    timeout = 10                     # seconds
    budget = 500                     # the most handles to ask for

The settings of a checked repository are not trusted.  They name a server, or a file
outside the project, only if the command line allows it.
"""

import os
import re
import stat
from collections.abc import Callable, Collection, Iterable, Iterator, Mapping
from dataclasses import dataclass, field
from difflib import get_close_matches
from fnmatch import translate
from pathlib import Path, PurePath
from typing import Annotated, TypeAlias, TypeVar

import click

from handle_cli.charsets import decode_file, is_utf_16
from handle_cli.findings import RULES
from handle_cli.output import UnusableError, trouble
from handle_cli.readers import Syntax, UnreadableError, syntax_of
from handle_system import Proxies
from handle_system.citing.documents import load_toml
from handle_system.errors import showable
from handle_system.proxies import KNOWN_BASES
from handle_system.resolving import DEFAULT_RESOLVER, is_address
from handle_system.settings import TOML, Prefix, SettingError, one_of, structure
from handle_system.suffix_policy import SuffixFormat, SuffixPolicy
from handle_system.text import without_passwords
from handle_system.verifying.findings import (
    SKIPPED,
    CheckedPlace,
    ReportRow,
    Severity,
)
from handle_system.verifying.handle_patterns import HandlePatterns
from handle_system.verifying.verification_settings import (
    Budget,
    Connections,
    HandlePattern,
    ResolverName,
    Seconds,
    ServerName,
    VerificationSettings,
)

Result = TypeVar("Result")

#: The settings that name servers and files, and that only a verification obeys.
SETTINGS_OF_VERIFICATION = ("resolver", "servers", "cache")
# The path that stands for the standard input.
_STDIN = Path("-")
# Folders of installed or built files are skipped.  They have one of these names, or
# hold one of these files: a Python environment, Sphinx output, a cache directory
# (bford.info/cachedir).
_FOREIGN_NAMES = frozenset({"__pycache__", "node_modules"})
_FOREIGN_MARKS = ("pyvenv.cfg", ".buildinfo", "CACHEDIR.TAG")
# Folders in which Git, Mercurial and others keep their own files, and run some.
_VERSION_CONTROL = frozenset({".git", ".hg", ".svn", ".bzr", ".jj", "cvs", "_darcs"})
_SETTINGS_FILE = "pyproject.toml"
# Patterns of paths that are skipped, one to a line; ``#`` begins a comment.
_IGNORE_FILE = ".hdlignore"
# In octets; the settings of a stranger's repository are read as well.
_LONGEST_SETTINGS_FILE = 500_000
# How many patterns a list has, and how many characters each has.
_MOST_PATTERNS = 1_000
_LONGEST_PATTERN = 500


def _current_folder(
    _context: click.Context, _parameter: click.Parameter, paths: tuple[str, ...]
) -> tuple[str, ...]:
    """The paths, or the current folder if there are none."""
    return paths or (".",)


paths_argument = click.argument(
    "paths",
    nargs=-1,
    metavar="[PATH…]",
    callback=_current_folder,
    type=click.Path(exists=True, allow_dash=True),
)
max_file_size_option = click.option(
    "--max-file-size",
    type=click.FloatRange(min=0, min_open=True),
    default=10,
    show_default=True,
    metavar="MB",
    help="Skip files that are larger.",
)
trust_config_option = click.option(
    "--trust-config",
    is_flag=True,
    help="Let [tool.handle] name servers, and files outside of the project.",
)
stdin_name_option = click.option(
    "--stdin-name",
    metavar="FILE",
    help='Name of the standard input, the PATH "-"; its suffix chooses the syntax.',
)


@dataclass(frozen=True, slots=True, kw_only=True)
class ProjectSettings:
    """The settings of a project.

    Attributes:
        root: The project's folder, which patterns of paths start from.
        files: The files that hold a setting or a pattern.
        excluded: The paths that are skipped.
        syntax: How files of a suffix are read.
        proxies: Where links lead.
        severities: How much findings matter, by code, where the project decides it.
        verification: How verification asks.
        verify_ignore: Handles that it does not ask for.
        references: The files of references, the first of which wins.
        style: The CSL style of references, a path from the root; empty if there is none.
        suffix_policy: The formats of suffixes, by prefix.
        text_prefixes: Prefixes that count in running text without a digit or a dot.
    """

    root: Path
    files: tuple[Path, ...]
    excluded: "PathPatterns"
    syntax: Mapping[str, Syntax]
    proxies: Proxies
    severities: Mapping[str, Severity]
    verification: VerificationSettings
    verify_ignore: HandlePatterns
    references: tuple[Path, ...]
    style: str
    suffix_policy: SuffixPolicy
    text_prefixes: frozenset[str]


def project_settings(
    trusted: Collection[str] = (*SETTINGS_OF_VERIFICATION, "proxies"),
) -> ProjectSettings:
    """The settings of the project that the command is called in.

    Its root is the nearest folder, from the current one upwards, that holds a
    ``pyproject.toml`` or an ignore file; without any, the current folder.

    Args:
        trusted: The settings that may name a server, or a file outside of the project.

    Raises:
        UnusableError: when they cannot be used.
    """
    try:
        root = _project_root(Path.cwd())
        return _settings(root, _read_table(root / _SETTINGS_FILE), trusted)
    except (OSError, ValueError) as error:
        raise UnusableError(showable(f"pyproject.toml: {error}")) from error


def _project_root(folder: Path) -> Path:
    """The nearest folder, from the given one upwards, that holds settings.

    As with git, the search ends where the owner of the folders or the file system
    changes: anybody may put a file into ``/tmp``.
    """
    own = folder.stat()
    for candidate in (folder, *folder.parents):
        status = candidate.stat()
        if (status.st_uid, status.st_dev) != (own.st_uid, own.st_dev):
            break
        if any((candidate / name).is_file() for name in (_SETTINGS_FILE, _IGNORE_FILE)):
            return candidate
    return folder


def _settings(root: Path, table: "_Table", trusted: Collection[str]) -> ProjectSettings:
    ignored = _ignored_patterns(root / _IGNORE_FILE)
    severities = {code: Severity(name) for code, name in table.severity.items()}
    severities |= dict.fromkeys(table.ignore, Severity.OFF)
    resolvers = [
        _located(root, name, "resolver", trusted) for name in table.resolver
    ] or [DEFAULT_RESOLVER]
    cache = None
    if table.cache is not None:
        cache = _located(root, table.cache, "cache", trusted)
    if table.servers and "servers" not in trusted:
        raise ValueError(
            f"tool.handle.servers names {table.servers[0]!r}; "
            "pass --trust-config to allow it"
        )
    if "proxies" not in trusted:
        _refuse_unknown_proxies(table.proxies)
    _check_patterns(table.verify_ignore, "tool.handle.verify_ignore")
    files = {_SETTINGS_FILE: table != _Table(), _IGNORE_FILE: bool(ignored)}
    return ProjectSettings(
        root=root,
        files=tuple(root / name for name, is_obeyed in files.items() if is_obeyed),
        excluded=PathPatterns([*table.exclude, *ignored]),
        syntax={suffix.lower(): Syntax(name) for suffix, name in table.syntax.items()},
        proxies=Proxies(table.proxies),
        severities=severities,
        verification=VerificationSettings(
            resolvers=tuple(resolvers),
            servers=table.servers,
            ignore_case=table.ignore_case,
            connections=table.connections,
            timeout=table.timeout,
            budget=table.budget,
            cache=cache,
        ),
        verify_ignore=HandlePatterns(table.verify_ignore),
        references=tuple(
            Path(_located(root, path, "references", trusted))
            for path in table.references
        ),
        style=table.style,
        suffix_policy=SuffixPolicy(table.suffix_policy),
        text_prefixes=frozenset(table.text_prefixes),
    )


def _located(root: Path, value: str, name: str, trusted: Collection[str]) -> str:
    """The address that a setting names, or the absolute path of its file.

    Raises:
        ValueError: when it is not trusted, and not a file of the project.
    """
    path = _real(root / value)
    reason = ""
    # Opening a pipe may take for ever.
    is_special = path.exists() and not path.is_file()
    if is_address(value) or is_special or not path.is_relative_to(_real(root)):
        reason = "not a file of the project"
    elif not _VERSION_CONTROL.isdisjoint(part.casefold() for part in path.parts):
        reason = "a file of the version control"
    if reason and name not in trusted:
        raise ValueError(
            f"tool.handle.{name} names {without_passwords(repr(value))}, "
            f"which is {reason}; "
            f"pass --{name}, or --trust-config to allow it"
        )
    return value if is_address(value) else str(path)


def _refuse_unknown_proxies(proxies: Mapping[str, str]) -> None:
    """Refuse the address of a server that is none of the public proxies.

    Raises:
        ValueError: with its name.
    """
    for base in Proxies(proxies).bases.values():
        if base not in KNOWN_BASES:
            raise ValueError(
                f"tool.handle.proxies names {base!r}, which is not a public proxy; "
                "pass --trust-config to allow it"
            )


def _ignored_patterns(path: Path) -> list[str]:
    """The patterns of an ignore file."""
    lines = (line.strip() for line in _read_text(path).splitlines())
    return [line for line in lines if line and not line.startswith("#")]


def _read_text(path: Path) -> str:
    """The text of a settings file; none if there is no such file.

    Raises:
        UnusableError: when it is too large, or not UTF-8.
    """
    if not path.is_file():
        return ""
    with path.open("rb") as stream:
        content = stream.read(_LONGEST_SETTINGS_FILE + 1)
    if len(content) > _LONGEST_SETTINGS_FILE:
        size = f"{_LONGEST_SETTINGS_FILE // 1000} kB"
        raise UnusableError(f"{path.name}: it is larger than {size}")
    try:
        return content.decode("utf-8-sig")
    except UnicodeDecodeError as error:
        reason = f"it is not UTF-8, from octet {error.start} on"
        raise UnusableError(f"{path.name}: {reason}") from error


def _check_code(code: str) -> None:
    if code not in RULES:
        closest = get_close_matches(code, RULES, n=1)
        hint = f"; did you mean {closest[0]}?" if closest else ""
        raise ValueError(f"{code!r} is no code of a finding{hint}")


_Code: TypeAlias = Annotated[str, _check_code]
_Level: TypeAlias = Annotated[str, one_of([each.level for each in Severity])]
_SyntaxName: TypeAlias = Annotated[str, one_of([*Syntax])]


@dataclass(frozen=True, slots=True, kw_only=True)
class _Table:
    """The table ``[tool.handle]``: a field is a setting, as the module describes it."""

    budget: Budget | None = None
    cache: str | None = None
    connections: Connections = VerificationSettings().connections
    exclude: tuple[str, ...] = ()
    ignore: tuple[_Code, ...] = ()
    ignore_case: tuple[Prefix, ...] = ()
    proxies: Mapping[str, str] = field(default_factory=dict)
    references: tuple[str, ...] = ()
    resolver: tuple[ResolverName, ...] = ()
    servers: tuple[ServerName, ...] = ()
    severity: Mapping[_Code, _Level] = field(default_factory=dict)
    style: str = ""
    suffix_policy: Mapping[Prefix, SuffixFormat] = field(default_factory=dict)
    syntax: Mapping[str, _SyntaxName] = field(default_factory=dict)
    text_prefixes: tuple[Prefix, ...] = ()
    timeout: Seconds = VerificationSettings().timeout
    verify_ignore: tuple[HandlePattern, ...] = ()


def _read_table(path: Path) -> _Table:
    """The settings that a project gives, each of its type.

    Raises:
        ValueError: when one is unknown, or of another type.
    """
    table: object = {}
    match load_toml(_read_text(path)):
        case {"tool": {"handle": found}}:
            table = found
    if not isinstance(table, dict):
        raise ValueError("tool.handle is not a table")  # noqa: TRY004 (of the author)
    if not table:
        return _Table()
    try:
        settings: _Table = structure(table, _Table, TOML)
    except SettingError as error:
        raise ValueError(f"tool.handle{error.path}: {error.reason}") from error
    return settings


@dataclass(frozen=True, slots=True, kw_only=True)
class SourceFile:
    """A file to be read.

    Attributes:
        path: Its path; ``-`` for the standard input.
        name: Its name in reports, from the current folder on.
        syntax: How it is read; `None` if files of its kind are not read.
        is_named: Whether the command line names it, rather than its folder.
        encoding: The charset that the command line names.
    """

    path: Path
    name: str
    syntax: Syntax | None
    is_named: bool = False
    encoding: str | None = None


def find_files(
    paths: Iterable[str],
    settings: ProjectSettings,
    stdin_name: str | None = None,
    encoding: str | None = None,
) -> Iterator[SourceFile]:
    """The named files, and the files in the named folders, in a stable order.

    The settings exclude named files, too, because hooks name the files that changed.
    Hidden, installed and built files in folders are skipped, and so are symbolic links
    to files outside of the project.
    """
    seen: set[Path] = set()
    for given in paths:
        path = Path(given)
        if path == _STDIN:
            syntax = _syntax_of(PurePath(stdin_name or "stdin.md"), settings)
            name = stdin_name or "<stdin>"
            yield SourceFile(
                path=path,
                name=name,
                syntax=syntax,
                is_named=True,
                encoding=encoding,
            )
            continue
        is_named = not path.is_dir()
        for each in [path] if is_named else _inside(path, settings):
            syntax = _syntax_of(each, settings)
            is_new = each.absolute() not in seen
            seen.add(each.absolute())
            if is_new and (syntax or is_named) and not _is_excluded(each, settings):
                name = PurePath(os.path.relpath(each)).as_posix()
                yield SourceFile(
                    path=each,
                    name=name,
                    syntax=syntax,
                    is_named=is_named,
                    encoding=encoding,
                )


def _syntax_of(path: PurePath, settings: ProjectSettings) -> Syntax | None:
    return settings.syntax.get(path.suffix.lower()) or syntax_of(path)


def _inside(folder: Path, settings: ProjectSettings) -> Iterator[Path]:
    own = _real(folder), _real(settings.root)
    for current, folders, names in os.walk(folder):
        here = Path(current)
        folders[:] = sorted(
            name
            for name in folders
            if not name.startswith(".")
            and name not in _FOREIGN_NAMES
            and not any((here / name / mark).is_file() for mark in _FOREIGN_MARKS)
            and not _is_excluded(here / name, settings)
        )
        for path in (here / name for name in sorted(names)):
            # A symbolic link does not lead out of the project.
            if not path.is_symlink() or any(
                _real(path).is_relative_to(each) for each in own
            ):
                yield path


def stays_inside(path: Path, root: Path) -> bool:
    """Whether a named path is inside the project, or outside of it as it is written.

    A shell names symbolic links, too, as in ``docs/*``: one that leads from the project,
    or from the folder that holds it, to a place elsewhere is not the user's choice.

    Args:
        path: The path.
        root: The folder of the project.
    """
    written = Path(os.path.abspath(path))  # noqa: PTH100 (`resolve` follows links)
    around = [folder for folder in (Path.cwd(), root) if folder in written.parents]
    bounds = around or [written.parent]
    real = _real(path)
    return any(real.is_relative_to(_real(folder)) for folder in bounds)


def _real(path: Path) -> Path:
    """The path without symbolic links; `Path.resolve` fails for a loop of them."""
    return Path(os.path.realpath(path))


class PathPatterns:
    """Patterns of paths, as in ``.gitignore``.

    One with a slash describes a whole path from the project's folder, or the folders
    above a path; one without describes any part of it.

    Raises:
        ValueError: when there are too many patterns, or one is too long.
    """

    def __init__(self, patterns: Collection[str]) -> None:
        _check_patterns(patterns, "tool.handle.exclude and .hdlignore")
        wholes = [text for text in patterns if "/" in text.rstrip("/")]
        parts = [text for text in patterns if "/" not in text.rstrip("/")]
        self._whole = _any_of(wholes)
        self._part = _any_of(parts)

    def describe(self, path: PurePath) -> bool:
        """Whether a pattern describes a path, given from the project's folder on."""
        if any(map(self._part.match, path.parts)):
            return True
        folders_and_path = (path, *path.parents[:-1])
        return any(self._whole.match(folder.as_posix()) for folder in folders_and_path)


def _check_patterns(patterns: Collection[str], origin: str) -> None:
    """Refuse patterns that would take long to apply.

    Raises:
        ValueError: when there are too many patterns, or one is too long.
    """
    if len(patterns) > _MOST_PATTERNS:
        raise ValueError(f"{origin}: more than {_MOST_PATTERNS:,} patterns")
    if any(len(pattern) > _LONGEST_PATTERN for pattern in patterns):
        raise ValueError(
            f"{origin}: a pattern of more than {_LONGEST_PATTERN} characters"
        )


def _any_of(patterns: Iterable[str]) -> re.Pattern[str]:
    """One expression for all patterns, which needs one search for a path."""
    # Without patterns, one that no text matches.
    return re.compile(
        "|".join(translate(text.strip("/")) for text in patterns) or "(?!)"
    )


def _is_excluded(path: Path, settings: ProjectSettings) -> bool:
    return settings.excluded.describe(PurePath(os.path.relpath(path, settings.root)))


def read_with(
    reader: Callable[[Syntax, str], Result], file: SourceFile, max_megabytes: float
) -> Result | ReportRow:
    """The result of a reader for a file, or a finding if the file is skipped."""
    if file.syntax is None:
        return _skipped(file, Severity.INFO, "files of this kind are not read")
    limit = int(max_megabytes * 1_000_000)
    try:
        content = _read_octets(file.path, limit + 1)
        if len(content) > limit:
            reason = f"it is larger than {max_megabytes:g} MB (--max-file-size)"
            return _skipped(file, Severity.WARNING, reason)
        decoded = decode_file(content, file.syntax, file.encoding)
        if decoded.note:
            trouble(showable(f"{file.name}: {decoded.note}"))
        return reader(file.syntax, decoded.text)
    except OSError as error:
        reason = f"it cannot be read: {error.strerror or error}"
    except UnicodeDecodeError as error:
        charset = file.encoding or error.encoding.upper()
        reason = f"it is not {charset}, from octet {error.start} on"
    except UnreadableError as error:
        reason = str(error)
    return _skipped(file, Severity.ERROR if file.is_named else Severity.INFO, reason)


def _skipped(file: SourceFile, severity: Severity, reason: str) -> ReportRow:
    return ReportRow(
        title=file.name,
        places=(CheckedPlace(file=file.name, document=file.name),),
        code=SKIPPED,
        description=f"skipped: {reason}",
        severity=severity,
    )


def _read_octets(path: Path, limit: int) -> bytes:
    """The octets of a file, or of the standard input, up to a limit."""
    if path != _STDIN and not stat.S_ISREG(path.stat().st_mode):
        # A pipe or a device may never end.
        raise UnreadableError("it is no ordinary file")
    with click.open_file(path, "rb") as stream:
        content: bytes = stream.read(limit)
    if b"\0" in content and not is_utf_16(content):
        raise UnreadableError("it is binary")
    return content
