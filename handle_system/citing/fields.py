"""Reading what authors write: documents become plain values, and text becomes fields.

*Documents.* TOML and YAML are read as text, lists and tables, and nothing else:
``1.10`` is the text "1.10" in both languages, and a date is its ISO 8601 text. Works
files, front matter and ``CITATION.cff`` may come from strangers, so size, depth, number
and length of values are bounded, and no tag of YAML makes an object.

*Fields.* Every source gives text. A reader of a field knows nothing of the place where
its text stands; it raises `ValueError` with a reason, and `citing.pipeline` adds the
place.
"""

import datetime as dt
import re
import tomllib
from collections.abc import Callable, Collection, Iterator, Mapping
from dataclasses import dataclass, field
from functools import partial
from os import environ
from typing import Any, TypeAlias, TypeVar

from handle_system.errors import showable
from handle_system.handle import Handle
from handle_system.proxies import DEFAULT_PROXIES, Proxies
from handle_system.reference import HandleReference

__all__ = [
    "NOT_YET_ASSIGNED",
    "CitationError",
    "HandleReader",
    "Plain",
    "allowed_variables",
    "http_url",
    "is_http_url",
    "iso_date",
    "language_tag",
    "license_name",
    "load_toml",
    "one_line",
    "one_of",
    "plain",
    "read_orcid",
    "read_toml",
    "read_yaml",
]

T = TypeVar("T")

#: Text, or a list or table of such values.
Plain: TypeAlias = str | list["Plain"] | dict[str, "Plain"]
#: How an author writes that a handle does not exist yet; the first is canonical.
NOT_YET_ASSIGNED = ("not yet assigned", "-", "")

# Tabs and line ends are white space. The controls of direction (UAX 9, section 2) would
# turn text of the page after them; the marks U+200E and U+200F do not.
_CONTROLS = re.compile(
    "[\x00-\x08\x0e-\x1f\x7f-\x84\x86-\x9f\ud800-\udfff\u202a-\u202e\u2066-\u2069]"
)
_ORCID = re.compile(
    r"(?:https?://orcid\.org/|orcid\.org/|orcid:[ ]*)?"
    r"([0-9]{4}-?[0-9]{4}-?[0-9]{4}-?[0-9]{3}[0-9Xx])/?",
    re.IGNORECASE,
)
_HTTP_URL = re.compile(r"https?://[^\s/?#\\<>\"]++[^\s<>\"]*+", re.IGNORECASE)

_TOO_DEEP = "it is nested too deep"
# Bounds of the values, with each alias of YAML counted as a copy.
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


class CitationError(ValueError):
    """A source does not hold a citation.

    Strangers write sources, so a character that would not show as itself is escaped.

    Attributes:
        reason: The fault; lines after the first draw the text.
        where: The place within the source: ``:date:``, ``work[0].title``.
        line: The line of the source, if known.
    """

    def __init__(self, reason: str, where: str, line: int | None = None) -> None:
        super().__init__(reason, where, line)
        self.reason = "\n".join(map(showable, reason.split("\n")))
        self.where = showable(where)
        self.line = line

    def __str__(self) -> str:
        return f"{self.where.removesuffix(':')}: {self.reason}"


def load_toml(text: str, parse_float: Callable[[str], Any] = float) -> dict[str, Any]:
    """A TOML document as `tomllib` loads it, if it is within bounds.

    Raises:
        CitationError: if it is not TOML, or out of bounds.
    """
    # Some editors begin a file with a byte order mark.
    text = text.removeprefix("\ufeff")
    # tomllib reads some thousand characters a millisecond, PyYAML forty.
    _check(text, 500_000, _DEEP_KEY)
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
    _check(text, 100_000, _DEEP_BRACKETS)
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
        raise _error(
            f"this is not YAML: {reason}", mark.line + 1 if mark else None
        ) from error


def plain(loaded: object) -> Plain:
    """Values of a document as text, lists and tables, within bounds.

    Raises:
        CitationError: if they are out of bounds, or if one is a float: its spelling
            is lost.
    """
    return _plain(loaded, 20, iter(range(_MOST_VALUES)))


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
        case float():
            raise _error(
                f'text is expected here, not a number: write "{value}" in quotes'
            )
    text = "" if value is None else str(value)
    if len(text) > _LONGEST_VALUE:
        raise _error(
            f"a value has {len(text)} characters, and at most {_LONGEST_VALUE} are read"
        )
    return text


def _error(reason: str, line: int | None = None) -> CitationError:
    return CitationError(reason, "the file", line)


@dataclass(frozen=True, slots=True, kw_only=True)
class HandleReader:
    """Reads a handle as an author writes it.

    Attributes:
        proxies: The proxies whose URLs are handles.
        environment: The variables that ``env:NAME`` may read, and no others;
            see `allowed_variables`.
    """

    proxies: Proxies = DEFAULT_PROXIES
    environment: Mapping[str, str] = field(default_factory=dict, hash=False)

    def read(self, text: str) -> Handle | None:
        """A handle in any of its written forms; `None` is "not yet assigned".

        ::

            handle = reference | "env:" variable | "not yet assigned" | "-" | nothing

        An allowed variable that is unset or empty means "not yet assigned": the
        identifier of a release is often known only when it is built. No message
        shows a variable's value, because it may be a secret.

        Raises:
            ValueError: if the text is no handle, has a query, fragment, index or
                server beside it, or names a variable that is not allowed.
        """
        text = text.strip()
        if not text.startswith("env:"):
            return self._handle(text)
        name = text.removeprefix("env:")
        if name not in self.environment:
            raise ValueError(
                f"the environment variable {showable(name)} is not on the list of "
                "those that may be read: --env on the command line, "
                "handle_environment in conf.py"
            )
        try:
            return self._handle(self.environment[name].strip())
        except ValueError:
            # Without the cause: it quotes the value.
            reason = f"the environment variable {showable(name)} holds no handle"
            raise ValueError(reason) from None

    def _handle(self, text: str) -> Handle | None:
        if text.casefold() in NOT_YET_ASSIGNED:
            return None
        reference = HandleReference.parse(text, proxies=self.proxies)
        if reference != HandleReference(handle=reference.handle):
            raise ValueError(
                f"{showable(text)} is more than a handle, which a citation names alone: "
                f"write {showable(str(reference.handle))}"
            )
        return reference.handle


def allowed_variables(names: Collection[str]) -> dict[str, str]:
    """The variables of the environment that an allow list names; unset ones are empty."""
    return {name: environ.get(name, "") for name in names}


def one_line(text: str) -> str:
    """Text on one line; each run of white space becomes one space.

    Raises:
        ValueError: if nothing is left, or if it holds a control character, of
            direction too.
    """
    found = _CONTROLS.search(text)
    if found:
        raise ValueError(f"U+{ord(found.group()):04X} is a control character")
    collapsed = " ".join(text.split())
    if not collapsed:
        raise ValueError("there is no text here")
    return collapsed


def iso_date(text: str) -> dt.date:
    """A date as ISO 8601 writes it: ``2007-06-26``.

    Raises:
        ValueError: if it is not one, or not a day of the calendar.
    """
    text = text.strip()
    if not re.fullmatch("[0-9]{4}-[0-9]{2}-[0-9]{2}", text):
        raise ValueError(
            f"a date is written 2007-06-26 (year, month, day), not {showable(text)!r}"
        )
    try:
        return dt.date.fromisoformat(text)
    except ValueError as error:
        raise ValueError(f"{text} is not a day of the calendar") from error


def is_http_url(text: str) -> bool:
    """Whether the text is an absolute address that a page may link to."""
    return _HTTP_URL.fullmatch(text) is not None and not _CONTROLS.search(text)


def _written_as(pattern: re.Pattern[str], described: str, text: str) -> str:
    """Text that is written like the pattern, or a `ValueError`."""
    text = one_line(text)
    if not pattern.fullmatch(text):
        raise ValueError(f"{text!r} is not {described}")
    return text


#: An absolute http or https URL.
http_url = partial(_written_as, _HTTP_URL, "an absolute http or https URL")
#: A licence: an SPDX identifier, or a URL.
license_name = partial(
    _written_as,
    re.compile(rf"[a-z0-9.+-]+|{_HTTP_URL.pattern}", re.IGNORECASE),
    "an SPDX identifier or a URL",
)
#: A language by its BCP 47 tag: ``en``, ``pt-BR``.
language_tag = partial(
    _written_as,
    re.compile("[A-Za-z]{2,8}(?:-[A-Za-z0-9]{1,8})*"),
    "a BCP 47 language tag",
)


def read_orcid(text: str) -> str:
    """An ORCID, bare or as a URL; its check digit is ISO 7064, MOD 11-2.

    Raises:
        ValueError: if it is not one, or its check digit is wrong.

    >>> read_orcid("https://orcid.org/0000-0002-1825-0097")
    '0000-0002-1825-0097'
    """
    found = _ORCID.fullmatch(text.strip())
    if found is None:
        raise ValueError(
            f"{text.strip()!r} is not an ORCID, which is written 0000-0000-0000-0000"
        )
    digits = found[1].replace("-", "").upper()
    total = 0
    for digit in digits[:-1]:
        total = (total + int(digit)) * 2
    if "0123456789X"[(12 - total % 11) % 11] != digits[-1]:
        raise ValueError(f"the check digit of the ORCID {text.strip()!r} is wrong")
    return "-".join(digits[start : start + 4] for start in range(0, 16, 4))


def one_of(known: Mapping[str, T], text: str) -> T:
    """The value of a word, in any letter case.

    Raises:
        ValueError: if the word is not known.
    """
    word = text.strip().casefold()
    if word not in known:
        raise ValueError(f"{word!r} is none of {', '.join(filter(None, known))}")
    return known[word]
