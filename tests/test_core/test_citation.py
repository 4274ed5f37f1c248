"""`handle_system.citing.work`: works, their versions, and who made them."""

import datetime as dt

import pytest
from hypothesis import given
from hypothesis import strategies as st

from handle_system.citing.work import Creator, Version, Work, is_http_url, is_orcid
from handle_system.handle import Handle

WORK = Handle.parse("102.100.272/Y35XYS0QH")
FIRST = Version(
    label="1.0", date=dt.date(2007, 6, 26), handle=Handle.parse("102.100.272/0N8J991QH")
)
SECOND = Version(label="1.1", handle=Handle.parse("102.100.272/SECOND001"))
DRAFT = Version(label="2.0")
POLICY = Work(title="Policy", handle=WORK, versions=(FIRST, SECOND, DRAFT))


def test_latest_version_is_the_last_with_a_handle() -> None:
    """Nobody is sent to a version that is still in preparation."""
    assert POLICY.latest == SECOND
    assert POLICY.with_versions(DRAFT).latest == DRAFT
    assert POLICY.with_versions().latest is None


def test_only_what_comes_before_the_latest_is_old() -> None:
    """The latest version and a draft after it are not old."""
    assert [POLICY.is_old(version) for version in POLICY.versions] == [
        True,
        False,
        False,
    ]
    assert not POLICY.is_old(Version(label="7"))


def test_version_is_found_by_its_label_in_other_spelling() -> None:
    """A label is found exactly first, and then by what it means."""
    twins = POLICY.with_versions(Version(label="v1.0"), FIRST)

    assert POLICY.version("V1.0.0") == FIRST
    assert twins.version("1.0") is FIRST
    assert POLICY.version("3") is None


def test_neighbours_are_those_with_a_handle() -> None:
    """Predecessor and successor skip what has no identifier."""
    gap = POLICY.with_versions(FIRST, DRAFT, SECOND)

    assert gap.after(FIRST) == SECOND
    assert gap.before(SECOND) == FIRST
    assert gap.before(FIRST) is None
    assert gap.after(SECOND) is None
    assert gap.after(Version(label="7")) is None
    assert gap.before(Version(label="7")) is None


def test_person_is_named_both_ways() -> None:
    """A person reads one way and sorts the other; a body has one name."""
    person = Creator.person("Carberry", "Josiah", orcid="0000-0002-1825-0097")

    assert (person.name, person.sort_name) == ("Josiah Carberry", "Carberry, Josiah")
    assert person.orcid_url == "https://orcid.org/0000-0002-1825-0097"
    assert Creator.person("Plato").sort_name == "Plato"
    assert Creator(name="PILIN Project").sort_name == "PILIN Project"
    assert Creator(name="PILIN Project").orcid_url is None


@pytest.mark.parametrize(
    ("fields", "message"),
    [
        ({"name": ""}, "a name is text with no space around it, not ''"),
        ({"name": "a", "given": "a"}, "a given name needs the family name beside it"),
        ({"name": "a\x07"}, "a name is one line of text, with no U+0007 in it"),
        (
            {"name": "a", "orcid": "0000-0002-1825-0098"},
            "'0000-0002-1825-0098' is not an ORCID",
        ),
    ],
)
def test_error_creator_that_cannot_be(fields: dict[str, str], message: str) -> None:
    """A creator in hand has a name, and an ORCID that holds."""
    with pytest.raises(ValueError) as caught:
        Creator(**fields)

    assert str(caught.value) == message


def test_error_work_and_version_that_cannot_be() -> None:
    """Addresses and licences are what they say, or there is no value."""
    with pytest.raises(ValueError) as url:
        Version(label="1", url="javascript:alert(1)")
    with pytest.raises(ValueError) as work_url:
        Work(title="a", url="//example.org/")
    with pytest.raises(ValueError) as licence:
        Work(title="a", license="all rights reserved")
    with pytest.raises(ValueError) as language:
        Work(title="a", language="English, mostly")

    assert str(url.value) == (
        "'javascript:alert(1)' is not an absolute http or https URL"
    )
    assert (
        str(work_url.value) == "'//example.org/' is not an absolute http or https URL"
    )
    assert str(language.value) == "'English, mostly' is no BCP 47 language tag"
    assert str(licence.value) == (
        "'all rights reserved' is neither an SPDX identifier nor an address"
    )


def test_licence_has_an_address() -> None:
    """An SPDX identifier has a page; an address is its own."""
    address = "https://creativecommons.org/licenses/by-sa/2.5/au/"

    assert Work(title="a").license_url is None
    assert Work(title="a", license=address).license_url == address
    assert Work(title="a", license="CC-BY-SA-4.0").license_url == (
        "https://spdx.org/licenses/CC-BY-SA-4.0"
    )


@given(st.integers(0, 10**15 - 1))
def test_each_number_has_one_check_digit(number: int) -> None:
    """Of the eleven possible last characters of an ORCID exactly one holds."""
    digits = f"{number:015d}"
    stem = f"{digits[:4]}-{digits[4:8]}-{digits[8:12]}-{digits[12:]}"

    assert sum(is_orcid(stem + check) for check in "0123456789X") == 1


@given(st.text())
def test_addresses_hold_nothing_that_ends_an_attribute(text: str) -> None:
    """What counts as an address has no space, quote, bracket or control in it."""
    if is_http_url(text):
        assert text.lower().startswith(("http://", "https://"))
    assert not is_http_url(f'https://example.org/"{text}')
    assert not is_http_url(f"https://example.org/\n{text}")
