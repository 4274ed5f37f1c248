"""The file of references: CSL-JSON, one item an identifier, beside the documents.

A build reads the file and asks no server; the command ``hdl references update`` writes
it.  The same items give the same bytes: they are sorted by identifier, one member a
line, so that a change is readable where changes are reviewed.

A project may have several files.  The first one that has an identifier describes it, so
corrections by hand stand in a file that the command does not write.

pandoc, Quarto, Zotero and citeproc read the file as it is.  Members of our own stand in
``custom``, the schema's field for additions::

    {"agency": "Crossref", "asked": "2026-11-23", "refreshed": "2026-11-25",
     "updates": [{"state": "retracted", "by": "10.1000/notice", "date": "2010-02-06"}],
     "accepted": ["10.1000/notice"], "described": "10.1000/other",
     "version-of": "10.5281/zenodo.1", "reference": "Text of a CSL style"}

``asked`` is the day on which an item was asked for.  Two members are about the whole file,
and stand in its first item alone: ``refreshed`` is the day of its last refresh, which
changes one line if there is no news, and ``not-found`` lists the identifiers that no
agency described when the command asked.  A DOI that does not exist has an item of its own
(`handle_system.describing.unregistered`).
"""

import json
import os
import re
from codecs import BOM_UTF8
from collections.abc import Iterable, Mapping
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

from handle_system.collector import collector_at_rest
from handle_system.describing.items import (
    JsonObject,
    custom_of,
    day_of,
    handle_in,
    identifiers,
)
from handle_system.describing.unregistered import unregistered_on
from handle_system.describing.updates import unknown_state
from handle_system.errors import HandleSyntaxError, brief, showable
from handle_system.foreign_files import read_foreign_file, why_unread
from handle_system.handle import Handle
from handle_system.text import several

# What a URI reads as something else than it looks like, and what surrounds one.
_ENCODED = re.compile("[%?# ]")
_MEMBERS_OF_FILE = frozenset(("refreshed", "not-found"))
# In bytes; ten thousand items have some twelve million.
_LARGEST_FILE = 32 * 1024 * 1024
#: How many files are read, the first ones.
MOST_FILES = 20
# After so many items that cannot be read, nobody wants to count the rest.
_MOST_PROBLEMS = 1_000
# An identifier that is written in another way than as a URI of ours begins with these.
_IDENTIFIERS = ("10.", "doi:", "hdl:", "https:", "http:")
# git begins these lines where it could not merge two versions of a file.
_CONFLICT_MARKS = ("<<<<<<< ", "=======", ">>>>>>> ", "||||||| ")
# What may stand in an item that a person wrote; "alias" comes from an agency alone.
_STATES_BY_HAND = "retracted, concern, superseded, published, corrected or reinstated"
# The items of the other side are asked for again.
_AFTER_MERGE = "take either side, then run hdl references update"


@dataclass(frozen=True, slots=True)
class ReferencesFile:
    """The items of one file.

    Attributes:
        path: The file.
        items: The items as they stand in the file, each by its identifier.
        problem: Why the file, some of its items or their states cannot be read, without
            a full stop; empty if all is read.
        data: The content; empty if there is no file.
        is_missing: Whether there is no file. The command makes it.
        refreshed: The day on which all its items were asked for, as ISO 8601 writes it;
            empty if unknown. It stands in the file, and not in `items`.
        not_found: The identifiers that were asked for, and that no agency described.
    """

    path: Path
    items: Mapping[Handle, JsonObject] = field(default_factory=dict)
    problem: str = ""
    data: bytes = b""
    is_missing: bool = False
    refreshed: str = ""
    not_found: frozenset[Handle] = frozenset()

    def asked(self, handle: Handle) -> str:
        """The day on which an item was last asked for; empty if it never was."""
        return max(self.refreshed, _asked(self.items.get(handle, {})))

    @property
    def never_asked(self) -> list[Handle]:
        """The DOIs of items that nobody asked for: a person wrote them, or a database."""
        return [
            handle
            for handle, item in self.items.items()
            if handle.is_doi and not self.asked(handle) and not unregistered_on(item)
        ]

    @property
    def last_asked(self) -> str:
        """The day since which no item was asked for, as ISO 8601 writes it.

        It is that of the item that waits longest; items that nobody asked for do not
        count, because a person wrote them.  It is empty if there are no others.
        """
        days = (
            max(self.refreshed, _asked(item))
            for handle, item in self.items.items()
            if handle.is_doi
        )
        return min(filter(None, days), default="")


def read_references_files(paths: Iterable[Path]) -> list[ReferencesFile]:
    """Read files, each once; a missing one has no items."""
    files: dict[str, ReferencesFile] = {}
    for path in paths:
        # A project may name one file many times, and any number of files.
        real_path = os.path.realpath(path)
        if real_path in files:
            continue
        if len(files) < MOST_FILES:
            files[real_path] = read_references_file(path)
        else:
            reason = (
                f"it is not read: {MOST_FILES} files of references are read at most"
            )
            files[real_path] = _unreadable(path, reason)
    return list(files.values())


def read_references_file(path: Path) -> ReferencesFile:
    """Read one file; nothing that it holds is an exception.

    An item that cannot be read is left out, and the others are read.
    """
    try:
        data = read_foreign_file(path, _LARGEST_FILE)
    except FileNotFoundError:
        return ReferencesFile(path, is_missing=True)
    except OSError as error:
        return _unreadable(path, why_unread(error))
    if not data:
        # The command has just made it, or a person, for the command.
        return ReferencesFile(path)
    with collector_at_rest():
        return _read(path, data)


def _read(path: Path, data: bytes) -> ReferencesFile:
    """The file that has this content."""
    try:
        loaded = _items_of(data)
    except ValueError as error:
        return _unreadable(path, str(error), data)
    items: dict[Handle, JsonObject] = {}
    problems: list[str] = []
    for number, item in enumerate(loaded, start=1):
        reason = _add_item(items, item)
        if reason:
            problems.append(f"item {number} {reason}")
        if len(problems) >= _MOST_PROBLEMS:
            reason = f"{problems[0]} (and at least {_MOST_PROBLEMS - 1} other items)"
            return _unreadable(path, reason, data)
    problem = ""
    if problems:
        others = len(problems) - 1
        also = f" (and {several(others, 'other item')})" if others else ""
        problem = showable(f"{problems[0]}{also}")
    refreshed, not_found = _take_members_of_file(items)
    return ReferencesFile(
        path, items, problem, data, refreshed=refreshed, not_found=not_found
    )


def file_text(
    items: Mapping[Handle, JsonObject],
    refreshed: str = "",
    not_found: Iterable[Handle] = (),
) -> str:
    """The text of a file: the same items give the same text.

    Args:
        items: The items.
        refreshed: The day on which all of them were asked for; empty if unknown.
        not_found: The identifiers that no agency described.
    """
    ordered = [items[key] for key in sorted(items)]
    about_file: JsonObject = {}
    if refreshed:
        about_file["refreshed"] = refreshed
    names = sorted(handle.comparison_key for handle in not_found)
    if names:
        about_file["not-found"] = names
    if about_file and ordered:
        first = ordered[0]
        # In front, so that no other line gets a comma.
        custom = {**about_file, **custom_of(first)}
        ordered[0] = {**first, "custom": custom}
    return json.dumps(ordered, ensure_ascii=False, indent=1) + "\n"


def _items_of(data: bytes) -> list[object]:
    """The list in a file.

    Raises:
        ValueError: when there is none; the message is a reason.
    """
    try:
        text = data.removeprefix(BOM_UTF8).decode("utf-8")
        loaded = json.loads(text, object_pairs_hook=_object)
    except UnicodeDecodeError as error:
        raise ValueError(f"it is not UTF-8, from octet {error.start} on") from error
    except json.JSONDecodeError as error:
        raise ValueError(_json_problem(text, error)) from error
    except RecursionError as error:
        raise ValueError("it is nested too deep") from error
    except ValueError as error:
        raise ValueError("it has a number that is too long") from error
    if not isinstance(loaded, list):
        reason = "it is not a list of items (CSL-JSON)"
        raise ValueError(reason)  # noqa: TRY004 - the bytes are wrong, not a type
    return loaded


class _TwoItems(dict[str, Any]):
    """An object with two ids: a merge that kept the lines of both sides."""


def _object(members_of_object: list[tuple[str, Any]]) -> JsonObject:
    """An object of the file, read as JSON is: the last of two members counts."""
    loaded = dict(members_of_object)
    if len(loaded) == len(members_of_object):
        return loaded
    names = [name for name, _ in members_of_object]
    return _TwoItems(loaded) if names.count("id") > 1 else loaded


def _unreadable(path: Path, reason: str, data: bytes = b"") -> ReferencesFile:
    return ReferencesFile(path, {}, showable(reason), data)


def _json_problem(text: str, error: json.JSONDecodeError) -> str:
    """Why a file is not JSON; a merge that stopped half-way is said to be one."""
    for number, line in enumerate(text.splitlines(), start=1):
        if line.startswith(_CONFLICT_MARKS):
            return f"line {number} is a mark of a merge conflict: {_AFTER_MERGE}"
    return f"it is not JSON: {error.msg}, line {error.lineno}"


def _add_item(items: dict[Handle, JsonObject], item: object) -> str:
    """Add an item under its identifier; the reason if it, or a state in it, is wrong."""
    if not isinstance(item, dict):
        return "is not an object"
    if isinstance(item, _TwoItems):
        return f'has two members "id", as after a merge: {_AFTER_MERGE}'
    handle = _handle_of(item)
    if handle is None:
        name = item.get("id")
        named = f" ({brief(name)})" if isinstance(name, str) else ""
        return (
            f'{named.strip()} has no identifier: write "id": "doi:10.…" or "hdl:…"'
        ).strip()
    if handle in items:
        return f"describes {brief(str(handle))}, which an item before it describes"
    items[handle] = item
    # Those of an agency come from a program, which may be newer than this one.
    state = None if "agency" in custom_of(item) else unknown_state(item)
    if state is None:
        return ""
    named = (
        f'has the state "{brief(state)}"' if state else "has an update without a state"
    )
    return f"({brief(str(handle))}) {named}: write {_STATES_BY_HAND}"


def _take_members_of_file(
    items: dict[Handle, JsonObject],
) -> tuple[str, frozenset[Handle]]:
    """Take what is about the whole file out of the items that have it.

    After a merge there may be two of them.  The earlier date holds for all items.
    """
    days: list[str] = []
    names: list[str] = []
    for handle, item in items.items():
        custom = custom_of(item)
        if _MEMBERS_OF_FILE.isdisjoint(custom):
            continue
        if "refreshed" in custom:
            days.append(day_of(custom["refreshed"]))
        names += identifiers(custom.get("not-found"))
        left = {
            name: value
            for name, value in custom.items()
            if name not in _MEMBERS_OF_FILE
        }
        items[handle] = {**item, "custom": left}
        if not left:
            del items[handle]["custom"]
    not_found = {handle for handle in map(handle_in, names) if handle is not None}
    return min(days, default=""), frozenset(not_found - items.keys())


def _asked(item: Mapping[str, Any]) -> str:
    """The day on which an item was asked for, as it stands in it."""
    return day_of(custom_of(item).get("asked"))


def _handle_of(item: Mapping[str, Any]) -> Handle | None:
    """The identifier of a stored item, from the first member that names one."""
    name = item.get("id")
    if isinstance(name, str):
        scheme, _, rest = name.partition(":")
        if scheme in {"doi", "hdl"}:
            handle = _from_uri(scheme, rest)
            if handle is not None:
                return handle
    names = [item.get("DOI"), custom_of(item).get("handle"), item.get("URL")]
    if isinstance(name, str) and name.lower().startswith(_IDENTIFIERS):
        # Any other name is a key of the author's, such as "smith/2020".
        names.append(name)
    handles = (handle_in(written) for written in names)
    return next((handle for handle in handles if handle is not None), None)


def _from_uri(scheme: str, rest: str) -> Handle | None:
    # Most identifiers need no decoding, and a file may have ten thousand.
    if _ENCODED.search(rest) is None:
        try:
            handle = Handle.parse(rest)
        except HandleSyntaxError:
            return None
        return handle if scheme == "hdl" or handle.is_doi else None
    return handle_in(f"{scheme}:{rest}")
