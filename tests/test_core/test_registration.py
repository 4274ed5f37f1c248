"""`handle_system.citing.registration`: files that register versions."""

import json

import pytest

from handle_system.citing.registration import (
    Administrator,
    Registration,
    batch_file,
    plan,
    rest_text,
)
from handle_system.citing.work import Version, Work
from handle_system.handle import Handle

FIRST = Registration(Handle.parse("102.100.272/0N8J991QH"), "https://example.org/1.0/")
WHOLE = Registration(Handle.parse("102.100.272/Y35XYS0QH"), "https://example.org/")


def test_plan_follows_the_work() -> None:
    """Versions lead to their pages, and the work to the latest one's, or to an address
    of its own; each handle without a registration has a sentence that says why."""
    versions = (
        Version(label="1.0", handle=FIRST.handle, url=FIRST.url),
        Version(label="2.0", url="https://example.org/2.0/"),
        Version(label="3", handle=Handle("10.1000", "5"), url="https://e.org/"),
        Version(label="4", handle=Handle("1234", "5")),
    )
    work = Work(title="Policy", handle=WHOLE.handle, versions=versions[:2])
    own = Work(title="Policy", handle=WHOLE.handle, url=WHOLE.url)
    rest = Work(title="Policy", versions=versions[2:])

    assert plan(work) == (
        [FIRST, Registration(WHOLE.handle, FIRST.url)],
        ["version 2.0: it has no handle yet"],
    )
    assert plan(own) == ([WHOLE], [])
    assert plan(rest) == (
        [],
        [
            "version 3: the agency of the DOI 10.1000/5 registers it",
            "version 4: no url says where it is published",
            "the work: it has no handle yet",
        ],
    )


def test_batch_file_creates_and_modifies() -> None:
    """New handles get an administrator; known ones a new address only."""
    assert batch_file([FIRST, WHOLE], registered=[WHOLE.handle]) == (
        "CREATE 102.100.272/0N8J991QH\n"
        "100 HS_ADMIN 86400 1110 ADMIN 200:110011111111:0.NA/102.100.272\n"
        "1 URL 86400 1110 UTF8 https://example.org/1.0/\n"
        "\n"
        "MODIFY 102.100.272/Y35XYS0QH\n"
        "1 URL 86400 1110 UTF8 https://example.org/\n"
        "\n"
    )


@pytest.mark.parametrize(
    ("handle", "administrator"),
    [
        (Handle("1234", "a b"), None),
        (Handle("1234", "5"), Administrator(Handle("0.NA", "a b"))),
    ],
)
def test_handle_that_a_batch_file_cannot_hold(
    handle: Handle, administrator: Administrator | None
) -> None:
    """White space would make another handle or another command: it is an error."""
    with pytest.raises(ValueError) as caught:
        batch_file([Registration(handle, "https://example.org/")], administrator)

    wrong = administrator.handle if administrator else handle
    assert str(caught.value) == (
        f"{str(wrong)!r} holds white space, and a batch file cannot name it"
    )


def test_requests_create_and_modify() -> None:
    """A new handle is not written over; a known one has one value replaced."""
    odd = Registration(Handle("1234", "a b?c"), "https://example.org/")
    administrator = Administrator(Handle("1234", "admins"), 300)

    created, changed = json.loads(
        rest_text([odd, WHOLE], administrator, registered=[WHOLE.handle])
    )

    url = {
        "index": 1,
        "type": "URL",
        "data": {"format": "string", "value": "https://example.org/"},
        "ttl": 86400,
    }
    admin = {"handle": "1234/admins", "index": 300, "permissions": "110011111111"}
    assert created == {
        "method": "PUT",
        "path": "/api/handles/1234/a%20b%3Fc?overwrite=false",
        "body": {
            "values": [
                url,
                {
                    "index": 100,
                    "type": "HS_ADMIN",
                    "data": {"format": "admin", "value": admin},
                    "ttl": 86400,
                },
            ]
        },
    }
    assert changed == {
        "method": "PUT",
        "path": "/api/handles/102.100.272/Y35XYS0QH?index=1",
        "body": {"values": [url]},
    }
