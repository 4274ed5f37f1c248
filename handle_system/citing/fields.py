"""Fields of a citation: each reader turns the text of an author into a value.

A reader knows nothing of the place where its text stands; it raises `ValueError` with a
reason, and `citing.pipeline` adds the place.
"""

import datetime as dt
import re
from collections.abc import Collection, Mapping
from dataclasses import dataclass, field
from functools import partial
from os import environ
from typing import TypeVar

from packaging.licenses import (
    InvalidLicenseExpression,
    canonicalize_license_expression,
)

from handle_system.citing.style import Date
from handle_system.errors import showable
from handle_system.handle import Handle
from handle_system.proxies import Proxies
from handle_system.reference import HandleReference, reference_or_none
from handle_system.suffix_policy import SuffixPolicy
from handle_system.text import compiled
from handle_system.typed_values import did_you_mean

T = TypeVar("T")

#: How an author writes that a handle does not exist yet; the first is canonical.
NOT_YET_ASSIGNED = ("not yet assigned", "-", "")

# Tabs and line ends are white space. The controls of direction (UAX 9, section 2) would
# turn text of the page after them; the marks U+200E and U+200F do not.
_CONTROLS = re.compile(
    "[\x00-\x08\x0e-\x1f\x7f-\x84\x86-\x9f\ud800-\udfff\u202a-\u202e\u2066-\u2069]"
)
_ORCID = (
    r"(?i)(?:https?://orcid\.org/|orcid\.org/|orcid:[ ]*)?"
    r"([0-9]{4}-?[0-9]{4}-?[0-9]{4}-?[0-9]{3}[0-9Xx])/?"
)
# An identifier may hold each of these marks, but rarely a space behind it.
_BETWEEN_HANDLES = re.compile(r"[,;]\s+|\s+(?:and|&)\s+")
_DATE = re.compile("([0-9]{4})(?:-([0-9]{2})(?:-([0-9]{2}))?)?")
_HTTP_URL = re.compile(r"https?://[^\s/?#\\<>\"]++[^\s<>\"]*+", re.IGNORECASE)


@dataclass(frozen=True, slots=True, kw_only=True)
class HandleReader:
    """Reads a handle as an author writes it.

    Attributes:
        proxies: The proxies whose URLs are handles.
        environment: The variables that ``env:NAME`` may read, and no others;
            see `allowed_variables`.
        suffix_policy: The formats of suffixes, by prefix.
    """

    proxies: Proxies
    environment: Mapping[str, str] = field(default_factory=dict, hash=False)
    suffix_policy: SuffixPolicy | None = None

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
                f"the environment variable {showable(name)} may not be read: list it in "
                "handle_environment in conf.py, or name it with --env on the command line"
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
        # A search would begin anew at each character of a long space.
        line = " ".join(text.split())
        several = [part.strip() for part in _BETWEEN_HANDLES.split(line)]
        if len(several) > 1 and all(self._is_reference(part) for part in several):
            raise ValueError(
                f"{showable(text)} are {len(several)} identifiers, and one stands here: "
                "give each version its own"
            )
        reference = HandleReference.parse(text, proxies=self.proxies)
        if reference != HandleReference(handle=reference.handle):
            raise ValueError(
                f"{showable(text)} is more than a handle, which a citation names alone: "
                f"write {showable(str(reference.handle))}"
            )
        return reference.handle

    def _is_reference(self, text: str) -> bool:
        return reference_or_none(text, self.proxies) is not None


def allowed_variables(names: Collection[str]) -> dict[str, str]:
    """The variables of the environment that an allow list names; unset ones are empty."""
    return {name: environ.get(name, "") for name in names}


def one_line(text: str) -> str:
    """Text on one line; each run of white space becomes one space.

    Raises:
        ValueError: if nothing is left, or if it holds a control character, of
            direction too.
    """
    match = _CONTROLS.search(text)
    if match:
        raise ValueError(f"U+{ord(match.group()):04X} is a control character")
    collapsed = " ".join(text.split())
    if not collapsed:
        raise ValueError("there is no text here")
    return collapsed


def iso_date(text: str) -> Date:
    """A date as ISO 8601 writes it, as far as it is known: ``2007-06-26``, ``2007-06``.

    Raises:
        ValueError: if it is not one, or not a day of the calendar.
    """
    text = text.strip()
    written = _DATE.fullmatch(text)
    if written is None:
        raise ValueError(
            f"a date is written 2007-06-26 (year, month, day), not {showable(text)!r}"
        )
    year, month, day = written.groups()
    try:
        dt.date(int(year), int(month or 1), int(day or 1))
    except ValueError as error:
        raise ValueError(f"{text} is not a day of the calendar") from error
    return Date(int(year), int(month or 0), int(day or 0))


def is_http_url(text: str) -> bool:
    """Whether the text is an absolute address that a page may link to."""
    return _HTTP_URL.fullmatch(text) is not None and not _CONTROLS.search(text)


def spdx_url(name: str) -> str | None:
    """The page of a licence at spdx.org, if the name is an SPDX identifier.

    Letter case does not matter. An expression of several licences has no page of its
    own, nor has a licence that the list does not have.

    >>> spdx_url("mit")
    'https://spdx.org/licenses/MIT'
    """
    try:
        identifier = canonicalize_license_expression(name)
    except InvalidLicenseExpression:
        return None
    if " " in identifier or identifier.startswith("LicenseRef-"):
        return None
    # "Apache-2.0+" is that licence, or a later one.
    page = identifier.removesuffix("+")
    return f"https://spdx.org/licenses/{page}"


def _written_as(pattern: re.Pattern[str], described: str, text: str) -> str:
    """Text that is written like the pattern, or a `ValueError`."""
    text = one_line(text)
    if not pattern.fullmatch(text):
        raise ValueError(f"{text!r} is not {described}")
    return text


#: An absolute http or https URL.
http_url = partial(_written_as, _HTTP_URL, "an absolute http or https URL")
# With the tags of RFC 5646 that begin with "i" or "x", such as ``i-sami-no``.
_LANGUAGE = re.compile("(?:[A-Za-z]{2,8}|[ixIX](?=-))(?:-[A-Za-z0-9]{1,8})*")
#: A language by its BCP 47 tag: ``en``, ``pt-BR``, ``i-sami-no``.
language_tag = partial(_written_as, _LANGUAGE, "a BCP 47 language tag")
_LICENSE = re.compile(rf"(?P<name>[^<>]*+)<(?P<url>{_HTTP_URL.pattern})>")


def divided_license(text: str) -> tuple[str, str | None]:
    """The name of a licence, and its address if it has one.

    ::

        license = identifier of SPDX | URL | name | name "<" URL ">"

    >>> divided_license("MIT")
    ('MIT', 'https://spdx.org/licenses/MIT')
    >>> divided_license("Our licence <https://example.org/licence>")
    ('Our licence', 'https://example.org/licence')
    """
    named = _LICENSE.fullmatch(text)
    name = named["name"].rstrip() if named else ""
    if named and name:
        return name, named["url"]
    if is_http_url(text):
        return text, text
    return text, spdx_url(text)


def read_orcid(text: str) -> str:
    """An ORCID, bare or as a URL; its check digit is ISO 7064, MOD 11-2.

    Raises:
        ValueError: if it is not one, or its check digit is wrong.

    >>> read_orcid("https://orcid.org/0000-0002-1825-0097")
    '0000-0002-1825-0097'
    """
    match = compiled(_ORCID).fullmatch(text.strip())
    if match is None:
        raise ValueError(
            f"{text.strip()!r} is not an ORCID, which is written 0000-0000-0000-0000"
        )
    digits = match[1].replace("-", "").upper()
    total = 0
    for digit in digits[:-1]:
        total = (total + int(digit)) * 2
    if "0123456789X"[(12 - total % 11) % 11] != digits[-1]:
        raise ValueError(f"the check digit of the ORCID {text.strip()!r} is wrong")
    groups = (digits[start : start + 4] for start in range(0, 16, 4))
    return "-".join(groups)


def one_of(choices: Mapping[str, T], text: str) -> T:
    """The value of a word, in any letter case.

    Raises:
        ValueError: if the word is none of the choices.
    """
    word = text.strip().casefold()
    if word not in choices:
        raise ValueError(did_you_mean(word, list(filter(None, choices))))
    return choices[word]
