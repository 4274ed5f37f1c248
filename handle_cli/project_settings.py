"""The settings of a project.

They are the table ``[tool.handle]`` of ``pyproject.toml`` and the patterns of paths in
the file ``.hdlignore``::

    [tool.handle]
    exclude = ["old/*"]              # in addition to .hdlignore
    ignore = ["placeholder"]         # codes of findings that are not reported
    gitignore = false                # read what git ignores, too
    built = true                     # read what a build made, too
    syntax = { ".txt" = "rst" }      # the syntax of files with a suffix
    proxies = { "102.100.272" = "https://resolver.example.org/hdl/" }
    references = "docs/references.json"  # a file, or several; see hdl references
    references_age = 90              # days until a note asks for a refresh; 0: never
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

from collections.abc import Collection, Mapping, Sequence
from dataclasses import dataclass, field
from pathlib import Path
from typing import Annotated, TypeAlias

from handle_cli.output import UnusableError
from handle_cli.paths import (
    LEADS_OUT,
    PathPatterns,
    check_patterns,
    outside_reason,
    real_path,
    stays_inside,
)
from handle_cli.readers import Syntax
from handle_system import Proxies
from handle_system.citing.documents import load_toml
from handle_system.describing.age import USUAL_AGE, Days
from handle_system.errors import brief
from handle_system.findings.codes import Code, Severity
from handle_system.foreign_files import read_foreign_file, why_unread
from handle_system.proxies import KNOWN_BASES
from handle_system.resolving import DEFAULT_RESOLVER, is_address
from handle_system.settings import TOML, Prefix, SettingError, one_of, structure
from handle_system.suffix_policy import PILIN, SuffixFormat, SuffixPolicy
from handle_system.text import closest_name, without_passwords
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

#: The settings that only a verification obeys.
SETTINGS_OF_VERIFICATION = ("resolver", "servers", "cache")
#: The settings that may name a server, a file outside of the project or a pattern, and
#: that a repository may set only if the command line allows it.
SETTINGS_TO_TRUST = (
    *SETTINGS_OF_VERIFICATION,
    "proxies",
    "references",
    "suffix_policy",
)
#: The file that holds the table, and the one with patterns of paths that are skipped.
SETTINGS_FILE = "pyproject.toml"
# One pattern to a line; ``#`` begins a comment.
IGNORE_FILE = ".hdlignore"
#: The longest file of settings, in bytes; those of a stranger's repository are read, too.
LONGEST_SETTINGS_FILE = 500_000


@dataclass(frozen=True, slots=True, kw_only=True)
class ProjectSettings:
    """The settings of a project.

    Attributes:
        root: The project's folder, which patterns of paths start from.
        files: The files that hold a setting, a pattern, or outcomes of a repository.
        excluded: The paths that are skipped.
        obeys_gitignore: Whether what git ignores is skipped.
        reads_built: Whether what a build made is read.
        syntax: How files of a suffix are read.
        proxies: Where links lead.
        severities: How much findings matter, by code, where the project decides it.
        verification: How verification asks.
        verify_ignore: Handles that it does not ask for.
        references: The files of references, the first of which wins.
        references_age: The days after which a file of references is old; 0 if never.
        style: The CSL style of references, a path from the root; empty if there is none.
        suffix_policy: The formats of suffixes, by prefix.
        text_prefixes: Prefixes that count in running text without a digit or a dot.
    """

    root: Path
    files: tuple[Path, ...]
    excluded: PathPatterns
    obeys_gitignore: bool
    reads_built: bool
    syntax: Mapping[str, Syntax]
    proxies: Proxies
    severities: Mapping[str, Severity]
    verification: VerificationSettings
    verify_ignore: HandlePatterns
    references: tuple[Path, ...]
    references_age: int
    style: str
    suffix_policy: SuffixPolicy
    text_prefixes: frozenset[str]


def project_settings(
    untrusted: Collection[str] = (), folder: Path | None = None
) -> ProjectSettings:
    """The settings of the project that a folder belongs to.

    Its root is the nearest folder, from that one upwards, that holds a
    ``pyproject.toml`` or an ignore file; without any, the folder itself.

    Args:
        untrusted: Those of `SETTINGS_TO_TRUST` that the command obeys without being told
            to: a value that needs trust is an error. All others do no harm.
        folder: The folder, by default the current one.

    Raises:
        UnusableError: when they cannot be used.
    """
    try:
        root = project_root(folder or Path.cwd())
        return _settings_of_table(
            root, _read_table(root), ignored_patterns(root), untrusted
        )
    except OSError as error:
        # The error itself may name a file as a setting spells it.
        reason = error.strerror or type(error).__name__
        raise UnusableError(f"pyproject.toml: {reason}") from error
    except ValueError as error:
        raise UnusableError(f"pyproject.toml: {error}") from error


def usual_settings(root: Path) -> ProjectSettings:
    """The settings of a project that sets nothing."""
    return _settings_of_table(root, _Table(), [], ())


def settings_of_suffixes(*, trust_config: bool) -> ProjectSettings:
    """The settings of a command that makes suffixes, and neither links nor asks.

    Args:
        trust_config: Whether a format may be a regular expression, which may never end.

    Raises:
        UnusableError: when the settings cannot be used.
    """
    return project_settings(() if trust_config else ("suffix_policy",))


def project_root(folder: Path) -> Path:
    """The nearest folder, from the given one upwards, that holds settings.

    As with git, the search ends where the owner of the folders or the file system
    changes: anybody may put a file into ``/tmp``.
    """
    own = folder.stat()
    for candidate in (folder, *folder.parents):
        status = candidate.stat()
        if (status.st_uid, status.st_dev) != (own.st_uid, own.st_dev):
            break
        if any((candidate / name).is_file() for name in (SETTINGS_FILE, IGNORE_FILE)):
            return candidate
    return folder


def _settings_of_table(
    root: Path, table: "_Table", ignored: Sequence[str], untrusted: Collection[str]
) -> ProjectSettings:
    severities = {code: Severity(name) for code, name in table.severity.items()}
    severities |= dict.fromkeys(table.ignore, Severity.OFF)
    resolvers = [
        _located(root, name, "resolver", untrusted) for name in table.resolver
    ] or [DEFAULT_RESOLVER]
    cache = None
    if table.cache is not None:
        cache = _located(root, table.cache, "cache", untrusted)
    if table.servers and "servers" in untrusted:
        raise ValueError(
            f"tool.handle.servers names {table.servers[0]!r}; "
            "pass --trust-config to allow it"
        )
    if "proxies" in untrusted:
        _refuse_unknown_proxies(table.proxies)
    if "suffix_policy" in untrusted:
        _refuse_patterns(table.suffix_policy)
    check_patterns(table.verify_ignore, "tool.handle.verify_ignore")
    is_obeyed = {SETTINGS_FILE: table != _Table(), IGNORE_FILE: bool(ignored)}
    files = [root / name for name in is_obeyed if is_obeyed[name]]
    if cache is not None and "cache" in untrusted and Path(cache).exists():
        # Its outcomes count, and a repository may have invented them.
        files.append(Path(cache))
    return ProjectSettings(
        root=root,
        files=tuple(files),
        excluded=PathPatterns([*table.exclude, *ignored]),
        obeys_gitignore=table.gitignore,
        reads_built=table.built,
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
            Path(_located(root, path, "references", untrusted))
            for path in table.references
        ),
        references_age=table.references_age,
        style=table.style,
        suffix_policy=SuffixPolicy(table.suffix_policy),
        text_prefixes=frozenset(table.text_prefixes),
    )


def _located(root: Path, value: str, name: str, untrusted: Collection[str]) -> str:
    """The address that a setting names, or the absolute path of its file.

    Raises:
        ValueError: when it is not trusted, and not a file of the project.
    """
    located = value
    reason = "not a file of the project"
    # An address may hold a password, which an error of the file system would show.
    if not is_address(value):
        try:
            path = real_path(root / value)
            reason = outside_reason(path, root)
        except OSError as error:
            problem = error.strerror or type(error).__name__
            shown = brief(without_passwords(repr(value)))
            raise ValueError(f"tool.handle.{name} names {shown}: {problem}") from error
        located = str(path)
    if reason and name in untrusted:
        raise ValueError(
            f"tool.handle.{name} names {without_passwords(repr(value))}, "
            f"which is {reason}; "
            f"pass --{name}, or --trust-config to allow it"
        )
    return located


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


def _refuse_patterns(formats: Mapping[str, str]) -> None:
    """Refuse a format of suffixes that is a regular expression: it may never end.

    Raises:
        ValueError: with its prefix.
    """
    for prefix, suffix_format in formats.items():
        if suffix_format != PILIN:
            raise ValueError(
                f"tool.handle.suffix_policy has a regular expression for {prefix!r}; "
                "pass --trust-config to allow it"
            )


def ignored_patterns(root: Path) -> list[str]:
    """The patterns of the ignore file of a project.

    Raises:
        UnusableError: when it cannot be read, is too large, or not UTF-8.
    """
    lines = (line.strip() for line in _read_text(root / IGNORE_FILE).splitlines())
    return [line for line in lines if line and not line.startswith("#")]


def _read_text(path: Path) -> str:
    """The text of a settings file; none if there is no such file.

    Raises:
        UnusableError: when it cannot be read, is too large, not UTF-8, or reached by a
            symbolic link that leads out of the project.
    """
    if not path.is_file():
        return ""
    if not stays_inside(path, path.parent):
        raise UnusableError(f"{path.name}: {LEADS_OUT}")
    try:
        return read_foreign_file(path, LONGEST_SETTINGS_FILE).decode("utf-8-sig")
    except OSError as error:
        raise UnusableError(f"{path.name}: {why_unread(error)}") from error
    except UnicodeDecodeError as error:
        reason = f"it is not UTF-8, from octet {error.start} on"
        raise UnusableError(f"{path.name}: {reason}") from error


def _check_code(code: str) -> None:
    if code not in list(Code):
        closest = closest_name(code, Code)
        hint = f"; did you mean {closest}?" if closest else ""
        raise ValueError(f"{code!r} is not the code of a finding{hint}")


_Code: TypeAlias = Annotated[str, _check_code]
_Level: TypeAlias = Annotated[str, one_of([severity.value for severity in Severity])]
_SyntaxName: TypeAlias = Annotated[str, one_of([*Syntax])]


@dataclass(frozen=True, slots=True, kw_only=True)
class _Table:
    """The table ``[tool.handle]``: a field is a setting, as the module describes it."""

    budget: Budget | None = None
    built: bool = False
    cache: str | None = None
    connections: Connections = VerificationSettings().connections
    exclude: tuple[str, ...] = ()
    gitignore: bool = True
    ignore: tuple[_Code, ...] = ()
    ignore_case: tuple[Prefix, ...] = ()
    proxies: Mapping[str, str] = field(default_factory=dict)
    references: tuple[str, ...] = ()
    references_age: Days = USUAL_AGE
    resolver: tuple[ResolverName, ...] = ()
    servers: tuple[ServerName, ...] = ()
    severity: Mapping[_Code, _Level] = field(default_factory=dict)
    style: str = ""
    suffix_policy: Mapping[Prefix, SuffixFormat] = field(default_factory=dict)
    syntax: Mapping[str, _SyntaxName] = field(default_factory=dict)
    text_prefixes: tuple[Prefix, ...] = ()
    timeout: Seconds = VerificationSettings().timeout
    verify_ignore: tuple[HandlePattern, ...] = ()


def written_settings(root: Path) -> Mapping[str, object] | None:
    """The table ``[tool.handle]`` as it is written; `None` if there is none.

    Raises:
        UnusableError: when the file cannot be read, is too large, or not UTF-8.
        ValueError: when it is not TOML, or the setting is no table.
    """
    match load_toml(_read_text(root / SETTINGS_FILE)):
        case {"tool": {"handle": dict(table)}}:
            return table
        case {"tool": {"handle": _}}:
            raise ValueError("tool.handle is not a table")
    return None


def _read_table(root: Path) -> _Table:
    """The settings that a project gives, each of its type.

    Raises:
        ValueError: when one is unknown, or of another type.
    """
    table = written_settings(root)
    if not table:
        return _Table()
    try:
        settings: _Table = structure(table, _Table, TOML)
    except SettingError as error:
        raise ValueError(f"tool.handle{error.path}: {error.reason}") from error
    return settings
