"""`handle_system.citing.registration`: files that register versions."""

import json

import pytest

from handle_system.citing.registration import (
    Administrator,
    LeftOut,
    Registration,
    batch_file,
    plan,
    rest_requests,
    rest_text,
)
from handle_system.citing.work import Version, Work
from handle_system.handle import Handle

FIRST = Registration(Handle.parse("102.100.272/0N8J991QH"), "https://example.org/1.0/")
WHOLE = Registration(Handle.parse("102.100.272/Y35XYS0QH"), "https://example.org/")
OURS = Administrator.of_prefix("102.100.272")


def test_plan_follows_the_work() -> None:
    """Versions lead to their pages, and the work to the latest one's."""
    first = Version(label="1.0", handle=FIRST.handle, url=FIRST.url)
    draft = Version(label="2.0", url="https://example.org/2.0/")
    work = Work(title="Policy", handle=WHOLE.handle, versions=(first, draft))

    made = plan(work)

    assert made.registrations == (FIRST, Registration(WHOLE.handle, FIRST.url))
    assert made.left_out == (LeftOut("version 2.0", "it has no handle yet"),)


def test_work_with_an_address_of_its_own_leads_there() -> None:
    """An address that always shows the latest version needs no change later."""
    work = Work(title="Policy", handle=WHOLE.handle, url=WHOLE.url)

    assert plan(work).registrations == (WHOLE,)


def test_what_cannot_be_registered_is_left_out_with_its_reason() -> None:
    """DOIs are others' to register, and a handle must lead somewhere."""
    work = Work(
        title="Policy",
        versions=(
            Version(label="1", handle=Handle("10.1000", "5"), url="https://e.org/"),
            Version(label="2", handle=Handle("1234", "5")),
        ),
    )

    made = plan(work)

    assert made.registrations == ()
    assert made.left_out == (
        LeftOut("version 1", "10.1000/5 is a DOI, and registered with its agency"),
        LeftOut("version 2", "no url says where it is published"),
        LeftOut("the work", "it has no handle yet"),
    )


def test_batch_file_creates_and_modifies() -> None:
    """New handles get an administrator; known ones a new address only."""
    text = batch_file([FIRST, WHOLE], OURS, registered=[WHOLE.handle])

    assert text == (
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
        (Handle("1234", "a b"), OURS),
        (Handle("1234", "5"), Administrator(handle=Handle("0.NA", "a b"))),
    ],
)
def test_error_of_a_handle_that_a_batch_file_cannot_hold(
    handle: Handle, administrator: Administrator
) -> None:
    """White space would make another handle, so it is refused."""
    with pytest.raises(ValueError) as caught:
        batch_file([Registration(handle, "https://example.org/")], administrator)

    assert str(caught.value) in {
        "'1234/a b' holds white space, and a batch file cannot name it",
        "'0.NA/a b' holds white space, and a batch file cannot name it",
    }


def test_requests_create_and_modify() -> None:
    """A new handle is not written over; a known one has one value replaced."""
    administrator = Administrator(
        handle=Handle("1234", "admins"), index=300, permissions="011111110011"
    )
    odd = Registration(Handle("1234", "a b?c"), "https://example.org/")

    created, changed = rest_requests(
        [odd, WHOLE], administrator, registered=[WHOLE.handle]
    )

    assert (created.method, created.path) == (
        "PUT",
        "/api/handles/1234/a%20b%3Fc?overwrite=false",
    )
    assert json.loads(created.body) == {
        "values": [
            {
                "index": 1,
                "type": "URL",
                "data": {"format": "string", "value": "https://example.org/"},
                "ttl": 86400,
            },
            {
                "index": 100,
                "type": "HS_ADMIN",
                "data": {
                    "format": "admin",
                    "value": {
                        "handle": "1234/admins",
                        "index": 300,
                        "permissions": "011111110011",
                    },
                },
                "ttl": 86400,
            },
        ]
    }
    assert changed.path == "/api/handles/102.100.272/Y35XYS0QH?index=1"
    assert [value["index"] for value in json.loads(changed.body)["values"]] == [1]


def test_requests_are_a_file() -> None:
    """All requests in one JSON file, each with its body as data."""
    requests = rest_requests([FIRST], OURS)

    (row,) = json.loads(rest_text(requests))

    assert row == {
        "method": "PUT",
        "path": "/api/handles/102.100.272/0N8J991QH?overwrite=false",
        "body": json.loads(requests[0].body),
    }


def test_error_permissions() -> None:
    """Permissions are twelve digits, or there is no administrator."""
    with pytest.raises(ValueError) as caught:
        Administrator(handle=Handle("0.NA", "1234"), permissions="1111")

    assert str(caught.value) == "'1111' is not twelve digits, 0 or 1"
