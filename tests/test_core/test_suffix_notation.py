"""`handle_system.suffix.notation`: nine digits, and the time that they tell."""

from datetime import UTC, datetime, timedelta, timezone

import pytest
from hypothesis import given
from hypothesis import strategies as st

from handle_system.errors import HandleSyntaxError
from handle_system.handle import Handle
from handle_system.suffix.notation import (
    ALPHABET,
    EPOCH,
    LAST_MILLISECOND,
    from_datetime,
    from_milliseconds,
    to_datetime,
    to_milliseconds,
)

LAST = datetime(2420, 8, 16, 3, 29, 20, 670_000, tzinfo=UTC)

milliseconds = st.integers(0, LAST_MILLISECOND)
zones = st.timedeltas(timedelta(hours=-23), timedelta(hours=23)).map(timezone)
moments = st.datetimes(
    EPOCH.replace(tzinfo=None) + timedelta(days=1),
    LAST.replace(tzinfo=None) - timedelta(days=1),
    timezones=zones,
)


@pytest.mark.parametrize(
    ("suffix", "count", "moment"),
    [
        ("Y35XYS0QH", 13_399_357_792_865, "2007-05-25T03:49:52.865+00:00"),
        ("0N8J991QH", 13_399_797_034_750, "2007-05-30T05:50:34.750+00:00"),
        ("000000000", 0, "1582-10-15T00:00:00.000+00:00"),
        ("100000000", 1, "1582-10-15T00:00:00.001+00:00"),
        ("010000000", 31, "1582-10-15T00:00:00.031+00:00"),
        ("ZZZZZZZZZ", 26_439_622_160_670, "2420-08-16T03:29:20.670+00:00"),
    ],
)
def test_suffix_and_its_time(suffix: str, count: int, moment: str) -> None:
    """The policy's own suffixes and the ends of the range, in both directions."""
    assert to_milliseconds(suffix) == count
    assert from_milliseconds(count) == suffix
    assert to_datetime(suffix).isoformat(timespec="milliseconds") == moment
    assert from_datetime(datetime.fromisoformat(moment)) == suffix


@pytest.mark.parametrize(
    "suffix",
    [
        *("2RDV0T0QH", "R67T0T0QH", "K80DCJ3QH", "3SYFCJ3QH", "9JYF41BQH"),
        *("HS0W13DQH", "PFKJT1FQH", "84L8V1FQH", "3LY1PKFQH", "QD9QVGMQH"),
        "SBH93VNQH",
    ],
)
def test_suffixes_that_the_project_minted(suffix: str) -> None:
    """Those in PILIN's other policies lead to the year of the project: the
    alphabet is right, and the table of digits that the policy prints is not."""
    assert datetime(2007, 5, 1, tzinfo=UTC) < to_datetime(suffix)
    assert to_datetime(suffix) < datetime(2007, 12, 31, tzinfo=UTC)


def test_alphabet_skips_the_vowels() -> None:
    """31 digits in rising order, none of them A, E, I, O or U."""
    assert len(ALPHABET) == 31
    assert sorted(ALPHABET) == list(ALPHABET)
    assert set(ALPHABET) == set("0123456789ABCDEFGHIJKLMNOPQRSTUVWXYZ") - set("AEIOU")
    assert [ALPHABET.index(digit) + 1 for digit in "PSTZ"] == [22, 25, 26, 31]


@given(milliseconds)
def test_every_number_has_one_suffix(number: int) -> None:
    """Nine digits of the alphabet, which read back, and are a handle's suffix."""
    suffix = from_milliseconds(number)

    assert len(suffix) == 9
    assert set(suffix) <= set(ALPHABET)
    assert to_milliseconds(suffix) == number
    assert from_datetime(to_datetime(suffix)) == suffix
    assert Handle("102.100.272", suffix).suffix == suffix


@given(st.text(ALPHABET, min_size=9, max_size=9))
def test_every_nine_digits_are_one_number(suffix: str) -> None:
    """No suffix is left without a time, and none has two."""
    assert from_milliseconds(to_milliseconds(suffix)) == suffix


@given(moments)
def test_moment_is_kept_to_the_millisecond(moment: datetime) -> None:
    """Whatever its time zone; what is finer is cut off, never rounded up."""
    read = to_datetime(from_datetime(moment))

    assert read.tzinfo is UTC
    assert timedelta() <= moment - read < timedelta(milliseconds=1)


@given(milliseconds, milliseconds)
def test_later_moments_have_larger_suffixes(one: int, other: int) -> None:
    """Read from the right, suffixes sort as the times that they tell."""
    suffixes = sorted([from_milliseconds(one), from_milliseconds(other)], key=_reversed)
    assert [to_milliseconds(suffix) for suffix in suffixes] == sorted([one, other])


def _reversed(text: str) -> str:
    return text[::-1]


@given(st.one_of(st.text(), st.text(ALPHABET + "aeiouAEIOU", max_size=12)))
def test_reading_raises_nothing_else(text: str) -> None:
    """A text is a suffix or a located error, whose suggestion is one."""
    error = _error(text)
    if error is None:
        assert len(text) == 9
        return
    start, end = error.span
    assert error.source == text
    assert 0 <= start <= end <= len(text)
    assert error.suggestion is None or _error(error.suggestion) is None


def _error(text: str) -> HandleSyntaxError | None:
    try:
        to_milliseconds(text)
    except HandleSyntaxError as error:
        return error
    return None


@pytest.mark.parametrize(
    ("text", "message"),
    [
        (
            "Y35XYSUQH",
            (
                'the alphabet of PILIN suffixes skips the letter "U"\n'
                "    Y35XYSUQH\n"
                "          ^"
            ),
        ),
        (
            "Y35XYSOQH",
            (
                'the alphabet of PILIN suffixes skips the letter "O"\n'
                "    Y35XYSOQH\n"
                "          ^\n"
                "write Y35XYS0QH"
            ),
        ),
        (
            "y35xys0qh",
            (
                "a PILIN suffix is written in capital letters\n"
                "    y35xys0qh\n"
                "    ^\n"
                "write Y35XYS0QH"
            ),
        ),
        (
            " Y35XYS0QH",
            (
                "a PILIN suffix has digits and capital letters only\n"
                "     Y35XYS0QH\n"
                "    ^\n"
                "write Y35XYS0QH"
            ),
        ),
        (
            "Y35-YS0QH",
            (
                "a PILIN suffix has digits and capital letters only\n"
                "    Y35-YS0QH\n"
                "       ^"
            ),
        ),
        (
            # Fullwidth and Arabic digits are digits, but not these.
            "٣35XYS0QH",
            "a PILIN suffix has digits and capital letters only\n    ٣35XYS0QH\n    ^",
        ),
        (
            "BS47MFQH",
            (
                "a PILIN suffix has 9 characters, and this has 8\n"
                "    BS47MFQH\n"
                "            ^"
            ),
        ),
        (
            "Y35XYS0QHQH",
            (
                "a PILIN suffix ends after 9 characters, and this has 11\n"
                "    Y35XYS0QHQH\n"
                "             ~^"
            ),
        ),
        (
            "",
            "a PILIN suffix has 9 characters, and this has 0\n    \n    ^",
        ),
    ],
)
def test_error_of_a_text_that_is_no_suffix(text: str, message: str) -> None:
    """The error says what is wrong, shows where, and gives what was meant."""
    with pytest.raises(HandleSyntaxError) as caught:
        to_datetime(text)
    assert str(caught.value) == message


def test_error_of_a_very_long_text() -> None:
    """A megabyte is refused for its length, and not repaired."""
    with pytest.raises(HandleSyntaxError) as caught:
        to_milliseconds("0" * 10**6)
    assert caught.value.span == (9, 10**6)
    assert caught.value.suggestion is None


@pytest.mark.parametrize(
    ("moment", "message"),
    [
        (
            datetime(2007, 5, 25, 3, 49),  # noqa: DTZ001 - what is refused here
            (
                "2007-05-25T03:49:00 has no time zone: "
                "a PILIN suffix needs one moment, not one for each zone"
            ),
        ),
        (
            EPOCH - timedelta(microseconds=1),
            (
                "1582-10-14T23:59:59.999999+00:00 has no PILIN suffix: "
                "it lies before 1582-10-15T00:00:00Z, where the count begins"
            ),
        ),
        (
            LAST + timedelta(milliseconds=1),
            (
                "2420-08-16T03:29:20.671000+00:00 has no PILIN suffix: it lies after "
                "2420-08-16T03:29:20.670Z, the last that nine digits can write"
            ),
        ),
        (
            datetime.max.replace(tzinfo=timezone(timedelta(hours=-12))),
            (
                "9999-12-31T23:59:59.999999-12:00 has no PILIN suffix: it lies after "
                "2420-08-16T03:29:20.670Z, the last that nine digits can write"
            ),
        ),
    ],
)
def test_error_of_a_moment_without_suffix(moment: datetime, message: str) -> None:
    """The error says which moment, and where the suffixes begin and end."""
    with pytest.raises(ValueError) as caught:
        from_datetime(moment)
    assert str(caught.value) == message


@pytest.mark.parametrize("number", [-1, LAST_MILLISECOND + 1])
def test_error_of_a_number_without_suffix(number: int) -> None:
    """Nothing wraps round, and no suffix is longer or shorter than nine."""
    with pytest.raises(ValueError) as caught:
        from_milliseconds(number)
    assert str(caught.value) == (
        f"{number} milliseconds have no PILIN suffix: "
        "its nine digits write 0 to 26439622160670"
    )


def test_last_microseconds_of_the_range() -> None:
    """The last millisecond is whole."""
    assert from_datetime(LAST + timedelta(microseconds=999)) == "ZZZZZZZZZ"
