"""Registering versions: the address of each handle, and the files that say so.

A version's handle leads to the address where the version is published; the work's
handle leads to the address of the latest version. Cards and registrations come from
the same data, so they cannot differ.

Two writers serve the two ways into a handle server: the batch file of the Handle.Net
tools (HANDLE.NET Technical Manual, version 9, chapter 4), and the requests of the
JSON interface (chapter 14). Neither holds a password: batch files are authenticated
where they are submitted, and requests where they are sent. DOIs are left out: their
agencies register them.
"""

import json
import re
from collections.abc import Collection
from dataclasses import dataclass

from handle_system.citing.work import Work
from handle_system.encoding import encode_path
from handle_system.handle import Handle
from handle_system.reference import HandleReference

__all__ = ["Registration", "batch_file", "plan", "rest_text"]

#: The index of the one address of a registered handle.
URL_INDEX = 1
_ADMIN_INDEX = 100
_TTL = 86400  # Seconds; the servers' own default.
# The public may not write; then the administrator's twelve permissions: add and
# delete handles, add and delete derived prefixes, modify, remove, add and read
# values, modify, remove and add administrators, list handles.
_SHAPE = f"{_TTL} 1110"
_PERMISSIONS = "110011111111"
# The index of the list of administrators.
_LIST = 200


@dataclass(frozen=True, slots=True)
class Registration:
    """A handle and the address that it is to lead to."""

    handle: Handle
    url: str


def plan(work: Work) -> tuple[list[Registration], list[str]]:
    """The registrations of a work, and a sentence for each handle that has none.

    The versions come in their order, then the work.
    """
    registrations: list[Registration] = []
    left_out: list[str] = []
    latest_url = work.latest.url if work.latest else None
    for name, handle, url in (
        *((f"version {each.label}", each.handle, each.url) for each in work.ordered),
        ("the work", work.handle, work.url or latest_url),
    ):
        if handle is None:
            left_out.append(f"{name}: it has no handle yet")
        elif handle.is_doi:
            left_out.append(f"{name}: the agency of the DOI {handle} registers it")
        elif url is None:
            left_out.append(f"{name}: no url says where it is published")
        else:
            registrations.append(Registration(handle, url))
    return registrations, left_out


def batch_file(
    registrations: Collection[Registration],
    administrator: HandleReference | None = None,
    *,
    registered: Collection[Handle] = (),
) -> str:
    """The registrations as a batch file of the Handle.Net tools.

    Args:
        registrations: The handles with their addresses.
        administrator: The administrator of new handles, ``index:handle``; 200, the
            default of the index, is the list of administrators, 300 a key. By default
            the list of the prefix's own handle, ``200:0.NA/prefix``.
        registered: Handles that are registered already: their address is modified.

    Raises:
        ValueError: if a handle holds white space, which divides the words of a
            batch file and cannot be escaped there.

    >>> paper = Registration(Handle("1234", "5"), "https://example.org/5/")
    >>> print(batch_file([paper]), end="")
    CREATE 1234/5
    100 HS_ADMIN 86400 1110 ADMIN 200:110011111111:0.NA/1234
    1 URL 86400 1110 UTF8 https://example.org/5/
    <BLANKLINE>
    """
    lines = []
    for each in registrations:
        who = administrator or _prefix_owner(each.handle)
        for handle in (each.handle, who.handle):
            if re.search(r"\s", str(handle)):
                raise ValueError(
                    f"{str(handle)!r} holds white space, and a batch file cannot name it"
                )
        if each.handle in registered:
            lines.append(f"MODIFY {each.handle}\n")
        else:
            lines.append(
                f"CREATE {each.handle}\n{_ADMIN_INDEX} HS_ADMIN {_SHAPE} ADMIN "
                f"{who.index or _LIST}:{_PERMISSIONS}:{who.handle}\n"
            )
        lines.append(f"{URL_INDEX} URL {_SHAPE} UTF8 {each.url}\n\n")
    return "".join(lines)


def rest_text(
    registrations: Collection[Registration],
    administrator: HandleReference | None = None,
    *,
    registered: Collection[Handle] = (),
) -> str:
    """The registrations as a JSON list of requests, for a program to send.

    Each has ``method``, ``path`` and ``body``. A new handle is refused if it was
    registered meanwhile. For the arguments see `batch_file`.
    """
    rows = []
    for each in registrations:
        who = administrator or _prefix_owner(each.handle)
        admin = {
            "handle": str(who.handle),
            "index": who.index or _LIST,
            "permissions": _PERMISSIONS,
        }
        values = [
            _value(URL_INDEX, "URL", "string", each.url),
            _value(_ADMIN_INDEX, "HS_ADMIN", "admin", admin),
        ]
        is_known = each.handle in registered
        query = f"index={URL_INDEX}" if is_known else "overwrite=false"
        path = f"/api/handles/{encode_path(str(each.handle))}?{query}"
        body = {"values": values[:1] if is_known else values}
        rows.append({"method": "PUT", "path": path, "body": body})
    return f"{json.dumps(rows, ensure_ascii=False, indent=2)}\n"


def _prefix_owner(handle: Handle) -> HandleReference:
    return HandleReference(handle=Handle("0.NA", handle.prefix))


def _value(index: int, kind: str, form: str, value: object) -> dict[str, object]:
    data = {"format": form, "value": value}
    return {"index": index, "type": kind, "data": data, "ttl": _TTL}
