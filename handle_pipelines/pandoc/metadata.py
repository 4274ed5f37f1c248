"""What the metadata of a document say: the settings of the filter, and bibliographies.

::

    bibliography: references.json
    handle:
      proxies: {"102.100.272": "https://resolver.example.org/hdl/"}
      severity: {placeholder: off}     # error, warning, note or off
      strict: true                     # a warning or an error ends the run
"""

from collections.abc import Mapping
from dataclasses import dataclass, field
from pathlib import Path
from typing import Annotated, Any, TypeAlias

from handle_pipelines.pandoc.tree import plain_text
from handle_system.findings.codes import Code, Severity
from handle_system.findings.finding import Policy
from handle_system.proxies import DEFAULT_PROXIES, Proxies
from handle_system.settings import TOML, SettingError, one_of, structure

__all__ = ["Bibliographies", "FilterSettings", "bibliographies_of", "settings_of"]

_Code: TypeAlias = Annotated[str, one_of([*Code])]
_Level: TypeAlias = Annotated[str, one_of([severity.value for severity in Severity])]


@dataclass(frozen=True, slots=True, kw_only=True)
class _Table:
    """The table ``handle``; its values have the types of texts in YAML."""

    proxies: Mapping[str, str] = field(default_factory=dict)
    severity: Mapping[_Code, _Level] = field(default_factory=dict)
    strict: bool = False


@dataclass(frozen=True, slots=True)
class FilterSettings:
    """The settings of the filter.

    Attributes:
        proxies: Where links lead.
        policy: The severities of findings.
        is_strict: Whether a warning or an error ends the run of Pandoc.
    """

    proxies: Proxies
    policy: Policy
    is_strict: bool


@dataclass(frozen=True, slots=True)
class Bibliographies:
    """The bibliographies that a document names.

    Attributes:
        files: Those that may be files of references.
        has_others: Whether other bibliographies may hold the works that are cited.
    """

    files: tuple[Path, ...]
    has_others: bool


def settings_of(metadata: object) -> FilterSettings:
    """The settings in the metadata of a document.

    Raises:
        SettingError: when one cannot be used.
    """
    table = metadata.get("handle") if isinstance(metadata, dict) else None
    if table is None:
        # Most documents have none, and the filter starts for each of them.
        return FilterSettings(DEFAULT_PROXIES, Policy({}), is_strict=False)
    plain = _plain_value(table)
    if isinstance(plain, dict) and isinstance(plain.get("severity"), dict):
        plain["severity"] = {
            code: _level(value) for code, value in plain["severity"].items()
        }
    read: _Table = structure(plain, _Table, TOML)
    try:
        proxies = Proxies(read.proxies)
    except ValueError as error:
        raise SettingError(str(error), ".proxies") from error
    return FilterSettings(proxies, Policy(read.severity), read.strict)


def bibliographies_of(metadata: object) -> Bibliographies:
    """The bibliographies in the metadata of a document."""
    if not isinstance(metadata, dict):
        return Bibliographies((), has_others=False)
    named = _plain_value(metadata.get("bibliography"))
    names = named if isinstance(named, list) else [named]
    paths = [Path(name) for name in names if isinstance(name, str) and name]
    files = tuple(path for path in paths if path.suffix == ".json")
    has_others = len(files) < len(paths) or "references" in metadata
    return Bibliographies(files, has_others)


def _level(value: object) -> object:
    """A severity: YAML reads ``off`` as false."""
    return "off" if value is False else value


def _plain_value(value: object) -> Any:
    """The value of a node of metadata as Python has it."""
    match value:
        case {"t": "MetaMap", "c": dict(entries)}:
            return {str(key): _plain_value(entry) for key, entry in entries.items()}
        case {"t": "MetaList", "c": [*entries]}:
            return [_plain_value(entry) for entry in entries]
        case {"t": "MetaBool", "c": bool(truth)}:
            return truth
        case {"t": "MetaString", "c": str(text)}:
            return text
        case {"t": "MetaInlines" | "MetaBlocks", "c": content}:
            return plain_text(content)
    return ""
