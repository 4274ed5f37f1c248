"""TOML and YAML as plain values, within bounds, with each number as written.

The values are text, lists and tables, and nothing else: ``1.10`` is the text
"1.10" in both languages, and a date is its ISO 8601 text. Works files, front
matter and ``CITATION.cff`` may come from strangers, so size, depth, number and
length of values are bounded, and no tag of YAML makes an object.
"""

import datetime as dt
import re
import tomllib
from typing import TypeAlias

import yaml

from handle_system.citing.fields import CitationError

__all__ = ["Plain", "plain", "read_toml", "read_yaml"]

#: Text, or a list or table of such values.
Plain: TypeAlias = str | list["Plain"] | dict[str, "Plain"]

# In characters; PyYAML reads some 40 a millisecond, tomllib a thousand.
_LONGEST_YAML = 100_000
_LONGEST_TOML = 500_000
# Bounds of the values, with each alias of YAML counted as a copy.
_DEEPEST = 20
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
_BRACKET = re.compile(r"[][{}]")
_MOST_BRACKETS = 50
_WHOLE = "the file"


def read_toml(text: str) -> Plain:
    """The values of a TOML document.

    Raises:
        CitationError: if it is not TOML, with its line where that is known, or
            if it is out of bounds.
    """
    # Some editors begin a file with a byte order mark.
    text = text.removeprefix("\ufeff")
    _check_text(text, _LONGEST_TOML)
    try:
        loaded = tomllib.loads(text, parse_float=str)
    except tomllib.TOMLDecodeError as error:
        raise CitationError(f"this is not TOML: {error}", where=_WHOLE) from error
    except RecursionError as error:
        raise CitationError("it is nested too deep", where=_WHOLE) from error
    return plain(loaded)


def read_yaml(text: str) -> Plain:
    """The values of a YAML document; merge keys (``<<``) are ordinary keys.

    Raises:
        CitationError: if it is not YAML, with its line where that is known, or
            if it is out of bounds.
    """
    _check_text(text, _LONGEST_YAML)
    depth = 0
    for bracket in _BRACKET.findall(text):
        depth = depth + 1 if bracket in "[{" else max(depth - 1, 0)
        if depth > _MOST_BRACKETS:
            raise CitationError("it is nested too deep", where=_WHOLE)
    try:
        # This loader makes text, lists and dictionaries, whatever a tag says.
        loaded = yaml.load(text, Loader=yaml.BaseLoader)  # noqa: S506 - see above
    except yaml.MarkedYAMLError as error:
        line = error.problem_mark.line + 1 if error.problem_mark else None
        raise CitationError(
            f"this is not YAML: {error.problem}", where=_WHOLE, line=line
        ) from error
    except (yaml.YAMLError, ValueError) as error:
        reason = str(error).partition("\n")[0]
        raise CitationError(f"this is not YAML: {reason}", where=_WHOLE) from error
    except RecursionError as error:
        raise CitationError("it is nested too deep", where=_WHOLE) from error
    return plain(loaded)


def _check_text(text: str, longest: int) -> None:
    if len(text) > longest:
        raise CitationError(
            f"it has {len(text)} characters, and at most {longest} are read",
            where=_WHOLE,
        )
    for pattern, reason in (
        (_LONG_NUMBER, "it has a number of 1,000 digits or more"),
        (_DEEP_KEY, "it has a key of 20 parts or more"),
    ):
        found = pattern.search(text)
        if found:
            line = text.count("\n", 0, found.start()) + 1
            raise CitationError(reason, where=_WHOLE, line=line)


def plain(loaded: object) -> Plain:
    """Values of a document as text, lists and tables, within bounds.

    Raises:
        CitationError: if they are out of bounds, or if one is a float: its spelling
            is lost.
    """
    count = 0
    level = [loaded]
    for _ in range(_DEEPEST):
        below: list[object] = []
        for value in level:
            if isinstance(value, (dict, list)):
                below += value.values() if isinstance(value, dict) else value
            if count + len(below) > _MOST_VALUES:
                raise CitationError(
                    f"it has more than {_MOST_VALUES} values", where=_WHOLE
                )
        count += len(below)
        level = below
    if level:
        raise CitationError("it is nested too deep", where=_WHOLE)
    return _text(loaded)


def _text(value: object) -> Plain:
    match value:
        case dict():
            return {str(key): _text(each) for key, each in value.items()}
        case list():
            return [_text(each) for each in value]
        case bool():
            return "yes" if value else "no"
        case float():
            raise CitationError(
                f'text is expected here, not a number: write "{value}" in quotes',
                where=_WHOLE,
            )
        case dt.date() | dt.time():
            return value.isoformat()
    text = "" if value is None else str(value)
    if len(text) > _LONGEST_VALUE:
        raise CitationError(
            f"a value has {len(text)} characters, and at most {_LONGEST_VALUE} are "
            "read",
            where=_WHOLE,
        )
    return text
