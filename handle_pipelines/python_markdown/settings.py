"""The options of the extension, as a YAML file or a program gives them."""

from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import Annotated, Any, TypeAlias

from handle_system.findings.codes import Code, Severity
from handle_system.findings.finding import Policy
from handle_system.presenting import DisplayStyle
from handle_system.proxies import DEFAULT_PROXIES, Proxies
from handle_system.settings import TOML, Prefix, one_of, structure
from handle_system.suffix_policy import SuffixPolicy

__all__ = ["Settings", "read_settings"]


_Code: TypeAlias = Annotated[str, one_of([*Code])]
_Level: TypeAlias = Annotated[str, one_of([severity.value for severity in Severity])]


@dataclass(frozen=True, slots=True, kw_only=True)
class _Options:
    """The options as they are written; for most see `Settings`."""

    proxies: dict[str, str] = field(default_factory=dict)
    references: list[str] = field(default_factory=list)
    display: DisplayStyle = "uri"
    severity: dict[_Code, _Level] = field(default_factory=dict)
    ignore: list[_Code] = field(default_factory=list)
    suffix_policy: dict[Prefix, str] = field(default_factory=dict)
    text_prefixes: list[str] = field(default_factory=list)
    document_charset: str = ""
    version: str = ""
    page: dict[str, Any] = field(default_factory=dict)
    text: bool = True
    roles: bool = True
    cite: bool = True
    strict: bool = False


@dataclass(frozen=True, slots=True, kw_only=True)
class Settings:
    """How references are read, shown and reported.

    Attributes:
        proxies: Base of the link by prefix.
        references: The files of references; a relative path begins in the folder of the
            builder's configuration, if that is known, else in the current one.
        display: The text of a reference that has none of its own.
        policy: The severities of findings, and the kinds that are ignored.
        suffix_policy: The formats of suffixes, by prefix.
        text_prefixes: Prefixes that count in running text without a digit or a dot.
        document_charset: Charset of percent-encoded octets that are not UTF-8.
        version: Which version of a work its pages are, if they do not say.
        page: Metadata of the page, for the card, where no builder gives them.
        text: Whether references in running text become links.
        roles: Whether roles are read.
        cite: Whether fences are read.
        strict: Whether a page with a warning or an error ends the build, after all of
            its findings are told.
    """

    proxies: Proxies = DEFAULT_PROXIES
    references: tuple[str, ...] = ()
    display: DisplayStyle = "uri"
    policy: Policy
    suffix_policy: SuffixPolicy | None = None
    text_prefixes: frozenset[str] = frozenset()
    document_charset: str | None = None
    version: str = ""
    page: Mapping[str, Any] = field(default_factory=dict)
    text: bool = True
    roles: bool = True
    cite: bool = True
    strict: bool = False


def read_settings(written: Mapping[str, Any]) -> Settings:
    """The settings of options.

    Args:
        written: The options by name. ``proxies`` may be a `Proxies`.

    Raises:
        ValueError: when there is no such option, or its value cannot be used.
    """
    written = dict(written)
    given_proxies = written.pop("proxies", {})
    proxies = given_proxies if isinstance(given_proxies, Proxies) else None
    if proxies is None:
        written["proxies"] = given_proxies
    options: _Options = structure(written, _Options, TOML)
    return Settings(
        proxies=proxies or Proxies(options.proxies),
        references=tuple(options.references),
        display=options.display,
        policy=Policy(options.severity, options.ignore),
        suffix_policy=SuffixPolicy(options.suffix_policy)
        if options.suffix_policy
        else None,
        text_prefixes=frozenset(options.text_prefixes),
        document_charset=options.document_charset or None,
        version=options.version,
        page=options.page,
        text=options.text,
        roles=options.roles,
        cite=options.cite,
        strict=options.strict,
    )
