"""TOML and YAML as plain values, within bounds, with each number as written.

The values are text, lists and tables, and nothing else: ``1.10`` is the text
"1.10" in both languages, and a date is its ISO 8601 text. Works files, front
matter and ``CITATION.cff`` may come from strangers, so size, depth, number and
length of values are bounded, and no tag of YAML makes an object.
"""

import datetime as dt
import re
import tomllib
from collections.abc import Callable, Iterator
from typing import Any, TypeAlias

from handle_system.citing.fields import CitationError

__all__ = ["Plain", "load_toml", "plain", "read_toml", "read_yaml"]

#: Text, or a list or table of such values.
Plain: TypeAlias = str | list["Plain"] | dict[str, "Plain"]

# In characters; PyYAML reads some 40 a millisecond, tomllib a thousand.
_LONGEST_YAML = 100_000
_LONGEST_TOML = 500_000
# Bounds of the values, with each alias of YAML counted as a copy.
_DEEPEST = 20
_TOO_DEEP = "it is nested too deep"
_MOST_VALUES = 20_000
_LONGEST_VALUE = 10_000
# Python refuses to read longer integers, and its error has no line.
_LONG_NUMBER = re.compile("[0-9A-Fa-f_]{1000}")
# tomllib needs quadratic time for a dotted key: 600 kB of one take two minutes.
_DEEP_KEY = re.compile(
    r"(?<![\w-])(?:"
    r"""(?:"(?:[^"\\\n]|\\.){0,99}"|'[^'\n]{0,99}'|[\w-]{1,99})[ \t]{0,9}\.[ \t]{0,9}"""
    r"){20}"
)
# PyYAML needs quadratic time for open brackets.
_DEEP_BRACKETS = re.compile(r"(?:[\[{][^\]}\[{]*+){50}")


def load_toml(text: str, parse_float: Callable[[str], Any] = float) -> dict[str, Any]:
    """A TOML document as `tomllib` loads it, if it is within bounds.

    Raises:
        CitationError: if it is not TOML, or out of bounds.
    """
    # Some editors begin a file with a byte order mark.
    text = text.removeprefix("\ufeff")
    _check(text, _LONGEST_TOML, _DEEP_KEY)
    try:
        return tomllib.loads(text, parse_float=parse_float)
    except RecursionError as error:
        raise _error(_TOO_DEEP) from error
    except tomllib.TOMLDecodeError as error:
        raise _error(f"this is not TOML: {error}") from error


def read_toml(text: str) -> Plain:
    """The values of a TOML document.

    Raises:
        CitationError: if it is not TOML, or out of bounds.
    """
    return plain(load_toml(text, parse_float=str))


def read_yaml(text: str) -> Plain:
    """The values of a YAML document; merge keys (``<<``) are ordinary keys.

    Raises:
        CitationError: if it is not YAML, with its line, or out of bounds.
    """
    _check(text, _LONGEST_YAML, _DEEP_BRACKETS)
    # PyYAML is loaded for YAML alone; most works files are TOML.
    import yaml  # noqa: PLC0415 - see above

    try:
        # This loader makes text, lists and dictionaries, whatever a tag says.
        return plain(yaml.load(text, Loader=yaml.BaseLoader))  # noqa: S506 - see above
    except RecursionError as error:
        raise _error(_TOO_DEEP) from error
    except yaml.YAMLError as error:
        mark = getattr(error, "problem_mark", None)
        reason = getattr(error, "problem", None) or str(error).partition("\n")[0]
        line = mark.line + 1 if mark else None
        raise _error(f"this is not YAML: {reason}", line) from error


def plain(loaded: object) -> Plain:
    """Values of a document as text, lists and tables, within bounds.

    Raises:
        CitationError: if they are out of bounds, or if one is a float: its spelling
            is lost.
    """
    return _plain(loaded, _DEEPEST, iter(range(_MOST_VALUES)))


def _check(text: str, longest: int, too_deep: re.Pattern[str]) -> None:
    if len(text) > longest:
        raise _error(f"it has {len(text)} characters, and at most {longest} are read")
    for pattern, reason in (
        (_LONG_NUMBER, "it has a number of 1,000 digits or more"),
        (too_deep, _TOO_DEEP),
    ):
        found = pattern.search(text)
        if found:
            raise _error(reason, text.count("\n", 0, found.start()) + 1)


def _plain(value: object, depth: int, budget: Iterator[int]) -> Plain:
    if not depth:
        raise _error(_TOO_DEEP)
    if next(budget, None) is None:
        raise _error(f"it has more than {_MOST_VALUES} values")
    match value:
        case dict():
            return {
                str(_plain(key, 1, iter([0]))): _plain(each, depth - 1, budget)
                for key, each in value.items()
            }
        case list():
            return [_plain(each, depth - 1, budget) for each in value]
        case bool():
            return "yes" if value else "no"
        case float():
            raise _error(
                f'text is expected here, not a number: write "{value}" in quotes'
            )
        case dt.date() | dt.time():
            return value.isoformat()
    text = "" if value is None else str(value)
    if len(text) > _LONGEST_VALUE:
        raise _error(
            f"a value has {len(text)} characters, and at most {_LONGEST_VALUE} are read"
        )
    return text


def _error(reason: str, line: int | None = None) -> CitationError:
    return CitationError(reason, "the file", line)
