"""What can be used of an option's value, and what is wrong with the rest."""

from collections.abc import Callable, Iterable, Mapping
from contextlib import suppress
from os import PathLike, fspath
from typing import cast

from handle_system.citing.fields import is_http_url
from handle_system.citing.formats import CitationFormat
from handle_system.errors import HandleSyntaxError
from handle_system.handle import Handle
from handle_system.proxies import Proxies
from handle_system.resolving import LONGEST_TIMEOUT
from handle_system.verifying.findings import PLACE_FIELDS, place_url
from handle_system.verifying.handle_patterns import HandlePatterns
from handle_system.verifying.verification_settings import VerificationSettings
from sphinxcontrib_handle.messages import SEVERITIES, HandleWarning

__all__ = [
    "Checked",
    "check_budget",
    "check_cache",
    "check_documents",
    "check_handles",
    "check_items",
    "check_known",
    "check_names",
    "check_place_url",
    "check_proxy",
    "check_resolver",
    "check_role",
    "check_severity",
    "check_shown",
    "check_text",
    "check_timeout",
    "mapping_of",
    "one_of",
    "whole_number",
    "yes_or_no",
]

#: How ``-D``, which knows text alone, says `False`.
NO_WRITTEN = "0"

#: What a checker returns: the part of a value that can be used (`None`: nothing
#: of it), and what is wrong with the rest.
Checked = tuple[object | None, list[str]]


def one_of(*allowed: object) -> Callable[[object], Checked]:
    """Check that a value is one of those."""
    listed = ", ".join(map(repr, allowed))

    def check(value: object) -> Checked:
        if any(
            value is each or (value == each and type(value) is type(each))
            for each in allowed
        ):
            return value, []
        return None, [f"{value!r} is none of {listed}"]

    return check


yes_or_no = one_of(True, False)  # noqa: FBT003 - these are the values allowed


def mapping_of(check: Callable[[str, str], str | None]) -> Callable[[object], Checked]:
    """Check a mapping of strings, entry by entry; a complaint drops the entry."""

    def check_mapping(value: object) -> Checked:
        if not isinstance(value, Mapping):
            return None, [f"{value!r} is not a dictionary"]
        good: dict[str, str] = {}
        complaints = []
        for key, entry in value.items():
            if not isinstance(key, str) or not isinstance(entry, str):
                complaints.append(f"{key!r}: {entry!r} is not text for text")
                continue
            complaint = check(key, entry)
            if complaint is None:
                good[key] = entry
            else:
                complaints.append(complaint)
        return good, complaints

    return check_mapping


def check_proxy(prefix: str, base: str) -> str | None:
    """Check one entry of `handle_proxies`."""
    try:
        Proxies({prefix: base})
    except ValueError as error:
        return str(error)
    return None


def check_role(name: str, prefix: str) -> str | None:
    """Check one entry of `handle_roles`."""
    if name != name.lower() or not name.replace("-", "").isalnum():
        return (
            f"{name!r} is not the name of a role: lower-case letters, digits, hyphens"
        )
    try:
        Handle(prefix, "x")
    except HandleSyntaxError as error:
        return f"{prefix!r} is not a prefix: {error.reason}"
    return None


def check_known(value: object) -> Checked:
    """Check a list of proxies' base URLs."""
    if isinstance(value, str) or not isinstance(value, Iterable):
        return None, [f"{value!r} is not a list"]
    good = []
    complaints = []
    for base in value:
        try:
            Proxies(also=[str(base)])
        except ValueError as error:
            complaints.append(str(error))
        else:
            good.append(str(base))
    return good, complaints


def check_resolver(value: object) -> Checked:
    """Check who is asked: one, or a list of them."""
    listed = [value] if isinstance(value, (str, PathLike)) else value
    if not isinstance(listed, (list, tuple)) or not listed:
        return None, [f"{value!r} is neither a URL or path nor a list of them"]
    good = []
    complaints = []
    for each in map(_as_text, listed):
        if not isinstance(each, str) or not each:
            complaints.append(f"{each!r} is neither a URL nor a path")
            continue
        try:
            VerificationSettings(resolvers=(each,))
        except ValueError as error:
            complaints.append(f"{each!r}: {error}")
        else:
            good.append(each)
    if listed is not value and good:
        return good[0], []
    return good or None, complaints


def whole_number(least: int, most: int) -> Callable[[object], Checked]:
    """Check a whole number and its bounds."""

    def check(value: object) -> Checked:
        if type(value) is int and least <= value <= most:
            return value, []
        return None, [f"{value!r} is not a whole number from {least} to {most}"]

    return check


def check_timeout(value: object) -> Checked:
    """Check a number of seconds."""
    seconds = value
    if isinstance(value, str):
        with suppress(ValueError):
            seconds = float(value)
    if type(seconds) in {int, float} and 0 < cast("float", seconds) <= LONGEST_TIMEOUT:
        return seconds, []
    return None, [f"{value!r} is not a number of seconds up to {LONGEST_TIMEOUT:g}"]


def check_budget(value: object) -> Checked:
    """Check a number of handles, or none."""
    if isinstance(value, str) and value.isascii() and value.isdecimal():
        value = int(value)
    if value is None or (type(value) is int and value >= 0):
        return value, []
    return None, [f"{value!r} is neither a whole number nor None"]


def check_cache(value: object) -> Checked:
    """Check where outcomes are kept."""
    value = False if value == NO_WRITTEN else _as_text(value)
    if value is None or value is False or (isinstance(value, str) and value):
        return value, []
    return None, [f"{value!r} is neither a path nor False"]


def _as_text(value: object) -> object:
    """A path as text; anything else as it is."""
    return fspath(value) if isinstance(value, PathLike) else value


def check_severity(subtype: str, severity: str) -> str | None:
    """Check one entry of `handle_severity`."""
    if subtype not in set(HandleWarning):
        return f"{subtype!r} is no kind of warning"
    if severity not in SEVERITIES:
        return f"{severity!r} is none of {', '.join(SEVERITIES)}"
    return None


def check_text(value: object) -> Checked:
    """Check a line of text, or none."""
    if value is None or (isinstance(value, str) and value.strip()):
        return value, []
    return None, [f"{value!r} is neither text nor None"]


def list_of(check: Callable[[str], str | None]) -> Callable[[object], Checked]:
    """Check a list of texts, one by one; a complaint drops the entry."""

    def check_list(value: object) -> Checked:
        if not isinstance(value, (list, tuple)):
            return None, [f"{value!r} is not a list"]
        complaints = [
            check(each) if isinstance(each, str) else f"{each!r} is not text"
            for each in value
        ]
        good = [
            each
            for each, complaint in zip(value, complaints, strict=True)
            if complaint is None
        ]
        return good, [complaint for complaint in complaints if complaint is not None]

    return check_list


def _check_handles(entry: str) -> str | None:
    try:
        HandlePatterns([entry])
    except HandleSyntaxError as error:
        return f"{entry!r} is neither a prefix nor a handle: {error.reason}"
    except ValueError as error:
        return str(error)
    return None


def _check_document(pattern: str) -> str | None:
    return None if pattern.strip() else f"{pattern!r} is no pattern of documents"


def check_place_url(value: object) -> Checked:
    """Check the address of a place, or none."""
    if value is None:
        return value, []
    if isinstance(value, str):
        sample = place_url(value, "x", 1, "x")
        if is_http_url(sample) and not {"{", "}"} & set(sample) and sample != value:
            return value, []
    fields = ", ".join(PLACE_FIELDS)
    return None, [f"{value!r} is not an address with {fields} and no other braces"]


def _check_shown(name: str) -> str | None:
    known = (*("reference", "history", "uris"), *CitationFormat)
    return None if name in known else f"{name!r} is none of {', '.join(known)}"


def _check_item(place: str) -> str | None:
    if is_http_url(place) or not (":" in place or place.startswith("/") or not place):
        return None
    return f"{place!r} is neither an address nor a path in the site"


check_documents = list_of(_check_document)
check_handles = list_of(_check_handles)
check_shown = list_of(_check_shown)
check_items = list_of(_check_item)


def check_names(value: object) -> Checked:
    """Check a list of names."""
    if not isinstance(value, (list, tuple)):
        return None, [f"{value!r} is not a list"]
    good = [each for each in value if isinstance(each, str) and each]
    return good, [f"{each!r} is not a name" for each in value if each not in good]
