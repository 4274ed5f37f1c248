"""Registering versions: where each handle is to lead, and the files that say so.

A version is published at an address, and its handle is to lead there; the
work's handle is to lead to where the latest version is.  Both are in the same
data that the pages are cited from, so what is registered cannot differ from
what is printed.

Two writers, for the two ways into a handle server: the batch file of the
Handle.Net tools (HANDLE.NET Technical Manual, version 9, chapter 4), and the
requests of the JSON interface (chapter 14).  Neither holds a password: batch
files are authenticated where they are submitted, and requests where they are
sent.  DOIs are registered with their agencies, and are left out.
"""

import json
import re
from collections.abc import Collection, Iterator
from dataclasses import dataclass

from handle_system.citing.work import Work
from handle_system.encoding import encode_path
from handle_system.handle import Handle

__all__ = [
    "Administrator",
    "LeftOut",
    "Plan",
    "Registration",
    "RestRequest",
    "batch_file",
    "plan",
    "rest_requests",
    "rest_text",
]

_URL_INDEX = 1
_ADMIN_INDEX = 100
_TTL = 86400  # Seconds; the servers' own default.
_VALUE_PERMISSIONS = "1110"  # All but writing by the public.
_PERMISSIONS = re.compile("[01]{12}")
_SPACE = re.compile(r"\s")


@dataclass(frozen=True, slots=True, kw_only=True)
class Administrator:
    """Who may change the registered handles.

    Attributes:
        handle: A handle that holds the key, or the list of those who may.
        index: Which of its values; 200 is the list, 300 a key.
        permissions: Twelve digits, ``0`` or ``1``: add and delete handles, add
            and delete derived prefixes, modify, remove, add and read values,
            modify, remove and add administrators, list handles.

    Raises:
        ValueError: when the permissions are no such digits.
    """

    handle: Handle
    index: int = 200
    permissions: str = "110011111111"

    def __post_init__(self) -> None:
        if not _PERMISSIONS.fullmatch(self.permissions):
            raise ValueError(f"{self.permissions!r} is not twelve digits, 0 or 1")

    @classmethod
    def of_prefix(cls, prefix: str) -> "Administrator":
        """The administrators of a prefix, whose own handle is ``0.NA/prefix``."""
        return cls(handle=Handle("0.NA", prefix))


@dataclass(frozen=True, slots=True)
class Registration:
    """A handle and the address it is to lead to."""

    handle: Handle
    url: str


@dataclass(frozen=True, slots=True)
class LeftOut:
    """What is not registered, and why, in a sentence without a full stop."""

    what: str
    reason: str


@dataclass(frozen=True, slots=True, kw_only=True)
class Plan:
    """What is to be registered, the versions in their order, then the work.

    Attributes:
        registrations: Handles with their addresses.
        left_out: Versions, or the work, that cannot be registered.
    """

    registrations: tuple[Registration, ...]
    left_out: tuple[LeftOut, ...]


@dataclass(frozen=True, slots=True, kw_only=True)
class RestRequest:
    """A request of the JSON interface.

    Attributes:
        method: The HTTP method.
        path: Path and query, from the server's root.
        body: The JSON text to send.
    """

    method: str
    path: str
    body: str


def plan(work: Work) -> Plan:
    """What of a work and its versions is to be registered."""
    registrations: list[Registration] = []
    left_out: list[LeftOut] = []
    latest = work.latest
    versions = (
        (f"version {version.label}", version.handle, version.url)
        for version in work.versions
    )
    work_url = work.url or (latest.url if latest else None)
    for what, handle, url in (*versions, ("the work", work.handle, work_url)):
        if handle is None:
            left_out.append(LeftOut(what, "it has no handle yet"))
        elif handle.is_doi:
            reason = f"{handle} is a DOI, and registered with its agency"
            left_out.append(LeftOut(what, reason))
        elif url is None:
            left_out.append(LeftOut(what, "no url says where it is published"))
        else:
            registrations.append(Registration(handle, url))
    return Plan(registrations=tuple(registrations), left_out=tuple(left_out))


def batch_file(
    registrations: Collection[Registration],
    administrator: Administrator,
    *,
    registered: Collection[Handle] = (),
) -> str:
    """The registrations as a batch file of the Handle.Net tools.

    A handle that is registered already is modified, another is created.

    Raises:
        ValueError: when a handle holds white space, which divides the words of
            a batch file and cannot be escaped there.

    >>> paper = Registration(Handle("1234", "5"), "https://example.org/5/")
    >>> print(batch_file([paper], Administrator.of_prefix("1234")), end="")
    CREATE 1234/5
    100 HS_ADMIN 86400 1110 ADMIN 200:110011111111:0.NA/1234
    1 URL 86400 1110 UTF8 https://example.org/5/
    <BLANKLINE>
    """
    return "".join(
        f"{line}\n"
        for registration in registrations
        for line in _batch_lines(registration, administrator, registered)
    )


def rest_requests(
    registrations: Collection[Registration],
    administrator: Administrator,
    *,
    registered: Collection[Handle] = (),
) -> tuple[RestRequest, ...]:
    """The registrations as requests of the JSON interface.

    A handle that is registered already has its one address replaced; another is
    created, and the request is refused if it was registered meanwhile.
    """
    return tuple(
        _request(registration, administrator, known=registration.handle in registered)
        for registration in registrations
    )


def rest_text(requests: Collection[RestRequest]) -> str:
    """The requests as the text of a JSON file, to be sent by a program."""
    rows = [
        {
            "method": request.method,
            "path": request.path,
            "body": json.loads(request.body),
        }
        for request in requests
    ]
    return f"{json.dumps(rows, ensure_ascii=False, indent=2)}\n"


def _batch_lines(
    registration: Registration,
    administrator: Administrator,
    registered: Collection[Handle],
) -> Iterator[str]:
    for handle in (registration.handle, administrator.handle):
        if _SPACE.search(str(handle)):
            raise ValueError(
                f"{str(handle)!r} holds white space, and a batch file cannot name it"
            )
    known = registration.handle in registered
    shape = f"{_TTL} {_VALUE_PERMISSIONS}"
    yield f"{'MODIFY' if known else 'CREATE'} {registration.handle}"
    if not known:
        who = (
            f"{administrator.index}:{administrator.permissions}:{administrator.handle}"
        )
        yield f"{_ADMIN_INDEX} HS_ADMIN {shape} ADMIN {who}"
    yield f"{_URL_INDEX} URL {shape} UTF8 {registration.url}"
    yield ""


def _request(
    registration: Registration, administrator: Administrator, *, known: bool
) -> RestRequest:
    address: dict[str, object] = {
        "index": _URL_INDEX,
        "type": "URL",
        "data": {"format": "string", "value": registration.url},
        "ttl": _TTL,
    }
    admin: dict[str, object] = {
        "index": _ADMIN_INDEX,
        "type": "HS_ADMIN",
        "data": {
            "format": "admin",
            "value": {
                "handle": str(administrator.handle),
                "index": administrator.index,
                "permissions": administrator.permissions,
            },
        },
        "ttl": _TTL,
    }
    query = f"index={_URL_INDEX}" if known else "overwrite=false"
    values = [address] if known else [address, admin]
    return RestRequest(
        method="PUT",
        path=f"/api/handles/{encode_path(str(registration.handle))}?{query}",
        body=json.dumps({"values": values}, ensure_ascii=False),
    )
