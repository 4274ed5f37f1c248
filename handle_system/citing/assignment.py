"""Giving handles to the versions of a TOML file that have none yet.

The file is its author's: comments, order and spacing stay, and one value comes
in.  That is done without a grammar of TOML of our own, and without a library
that writes it: an edit is *guessed* from the text and *proved* with the parser
that reads the file anyway.  Only an edit after which the file says exactly what
it said, and the new handle, is made; if there is none, the file stays as it is,
and an error says what to write by hand.
"""

import copy
import json
import re
import tomllib
from collections.abc import Collection, Iterator
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from handle_system.citing.shape import Node
from handle_system.citing.toml import read_toml
from handle_system.citing.values import NOT_YET_ASSIGNED, CitationError, Reading
from handle_system.citing.version_labels import same_label
from handle_system.handle import Handle
from handle_system.suffix.schemes import SuffixScheme
from handle_system.whole_file import write_whole

__all__ = ["Assigned", "assign_file", "assign_handles"]

_STRING = r"(?:\"[^\"\n]*\"|'[^'\n]*')"
_HANDLE_VALUE = re.compile(rf"\bhandle[ \t]*=[ \t]*({_STRING})")
_LABEL_LINE = re.compile(r"^([ \t]*)label[ \t]*=[^\r\n]*(\r?\n|\Z)", re.MULTILINE)
_LABEL_INLINE = re.compile(rf"\blabel[ \t]*=[ \t]*{_STRING}")


@dataclass(frozen=True, slots=True, kw_only=True)
class Assigned:
    """A handle that was given to a version.

    Attributes:
        path: The version's place in the file: ``work[0].version[2]``.
        label: The version's label.
        handle: Its new handle.
    """

    path: str
    label: str
    handle: Handle


def assign_handles(
    text: str,
    prefix: str,
    suffixes: SuffixScheme,
    *,
    labels: Collection[str] | None = None,
) -> tuple[str, tuple[Assigned, ...]]:
    """The text of a file of works with a handle for each version without one.

    Args:
        text: The file, as `read_toml` reads it.
        prefix: The prefix of the new handles.
        suffixes: Where suffixes come from; by policy `PilinSuffixes` (seed 002).
        labels: The labels of the versions that are meant; without them all.

    Returns:
        The new text, and what was assigned, in the order of the file.  A version
        whose handle is an environment variable's is left alone.

    Raises:
        CitationError: when the file cannot be read, or cannot be edited so that
            nothing else changes.
        HandleSyntaxError: when the prefix is none.
        MintingError: when no suffix can be given that is certain to be new.
    """
    read_toml(text, Reading(environment={}))
    assigned: list[Assigned] = []
    for path, place, label in _unassigned(tomllib.loads(text.removeprefix("\ufeff"))):
        if labels is not None and not any(same_label(label, one) for one in labels):
            continue
        handle = Handle(prefix, suffixes.mint())
        text = _edited(text, place, path, handle)
        assigned.append(Assigned(path=path, label=label, handle=handle))
    return text, tuple(assigned)


def assign_file(
    path: Path,
    prefix: str,
    suffixes: SuffixScheme,
    *,
    labels: Collection[str] | None = None,
) -> tuple[Assigned, ...]:
    """Do so in a file, which is replaced whole or not at all.

    Raises:
        OSError: when the file cannot be read or written.
        CitationError, HandleSyntaxError, MintingError: as `assign_handles`.
    """
    text = path.read_bytes().decode("utf-8")
    changed, assigned = assign_handles(text, prefix, suffixes, labels=labels)
    if assigned:
        write_whole(path, changed.encode("utf-8"))
    return assigned


def _unassigned(data: dict[str, Any]) -> Iterator[tuple[str, tuple[int, int], str]]:
    for node in Node(data).required("work").elements():
        versions = node.member("version")
        for version in versions.elements() if versions else ():
            handle = version.read("handle", lambda text, _: text.strip().casefold())
            if handle is None or handle in NOT_YET_ASSIGNED:
                label = version.required("label").text()
                work, index = (
                    int(n) for n in re.findall(r"\[([0-9]+)\]", version.path)
                )
                yield version.path, (work, index), label


def _edited(text: str, place: tuple[int, int], path: str, handle: Handle) -> str:
    mark = "\ufeff" if text.startswith("\ufeff") else ""
    text = text.removeprefix("\ufeff")
    expected = copy.deepcopy(tomllib.loads(text))
    work, version = place
    expected["work"][work]["version"][version]["handle"] = str(handle)
    # A basic string of TOML is a string of JSON, but for DEL, which is in no handle.
    value = json.dumps(str(handle), ensure_ascii=False)
    for guess in _guesses(text, value):
        try:
            proved = tomllib.loads(guess) == expected
        except tomllib.TOMLDecodeError:
            continue
        if proved:
            return mark + guess
    raise CitationError(
        f"the file cannot be edited without changing more: write handle = {value}",
        where=path,
    )


def _guesses(text: str, value: str) -> Iterator[str]:
    for found in _HANDLE_VALUE.finditer(text):
        if found[1][1:-1].strip().casefold() in NOT_YET_ASSIGNED:
            yield text[: found.start(1)] + value + text[found.end(1) :]
    for found in _LABEL_LINE.finditer(text):
        end = found[2] or "\n"
        before = text[: found.end()] + ("" if found[2] else end)
        yield f"{before}{found[1]}handle = {value}{end}{text[found.end() :]}"
    for found in _LABEL_INLINE.finditer(text):
        yield f"{text[: found.end()]}, handle = {value}{text[found.end() :]}"
