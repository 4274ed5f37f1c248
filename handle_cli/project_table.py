"""The values of the table ``[tool.handle]``, each of the kind that it has to be."""

import tomllib
from collections.abc import Mapping
from pathlib import Path

__all__ = [
    "SettingsError",
    "pairs",
    "project_table",
    "seconds",
    "text",
    "texts",
    "whole_number",
]


class SettingsError(ValueError):
    """What a project says cannot be used."""


def project_table(path: Path, known: frozenset[str]) -> Mapping[str, object]:
    """The table of a project; empty if there is none.

    Raises:
        SettingsError: when the file cannot be read, or has a key that is not known.
    """
    if not path.is_file():
        return {}
    try:
        with path.open("rb") as file:
            table = tomllib.load(file).get("tool", {}).get("handle", {})
    except (OSError, ValueError, AttributeError) as error:
        raise SettingsError(f"{path}: {error}") from error
    if not isinstance(table, dict):
        raise SettingsError(f"{path}: tool.handle is not a table")
    unknown = sorted(set(table) - known)
    if unknown:
        listed = ", ".join(sorted(known))
        raise SettingsError(f"{path}: tool.handle.{unknown[0]} is none of {listed}")
    return table


def texts(table: Mapping[str, object], name: str) -> tuple[str, ...]:
    """A list of texts, or a text.

    Raises:
        ValueError: when it is neither.
    """
    value = table.get(name, [])
    values = [value] if isinstance(value, str) else value
    if not isinstance(values, list) or not all(
        isinstance(each, str) for each in values
    ):
        raise ValueError(f"{name} is not a list of texts")
    return tuple(values)


def text(table: Mapping[str, object], name: str) -> str | None:
    """A text, if it is there.

    Raises:
        ValueError: when it is none.
    """
    value = table.get(name)
    if value is None or (isinstance(value, str) and value):
        return value
    raise ValueError(f"{name} is not a text")


def pairs(table: Mapping[str, object], name: str) -> dict[str, str]:
    """A table of texts.

    Raises:
        ValueError: when it is none.
    """
    value = table.get(name, {})
    if not isinstance(value, dict) or not all(
        isinstance(each, str) for each in value.values()
    ):
        raise ValueError(f"{name} is not a table of texts")
    return value


def whole_number(table: Mapping[str, object], name: str) -> int | None:
    """A whole number, if it is there.

    Raises:
        ValueError: when it is none.
    """
    value = table.get(name)
    if value is None or (isinstance(value, int) and not isinstance(value, bool)):
        return value
    raise ValueError(f"{name} is not a whole number")


def seconds(table: Mapping[str, object], name: str) -> float | None:
    """A number of seconds, if it is there.

    Raises:
        ValueError: when it is none.
    """
    value = table.get(name)
    if isinstance(value, float):
        return value
    try:
        return whole_number(table, name)
    except ValueError:
        raise ValueError(f"{name} is not a number of seconds") from None
