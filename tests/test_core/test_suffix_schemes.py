"""`handle_system.suffix.schemes`: the plain ways to make up suffixes."""

import threading
import uuid
from pathlib import Path

import pytest

from handle_system.suffix.schemes import SequentialSuffixes, UUIDSuffixes


def test_uuid_suffix_is_a_random_uuid() -> None:
    """The text of a version 4 UUID, as RFC 4122 writes it."""
    suffix = UUIDSuffixes().mint()
    assert str(uuid.UUID(suffix)) == suffix
    assert uuid.UUID(suffix).version == 4


def test_uuid_suffix_of_the_given_maker() -> None:
    """What makes the UUIDs is an argument."""
    one = uuid.UUID("12345678-1234-5678-1234-567812345678")
    assert UUIDSuffixes(lambda: one).mint() == "12345678-1234-5678-1234-567812345678"


def test_sequence_from_one() -> None:
    """The numbers as people count."""
    scheme = SequentialSuffixes()
    assert [scheme.mint() for _ in range(3)] == ["1", "2", "3"]


def test_sequence_of_fixed_width() -> None:
    """Zeros in front as far as the width goes, and no number cut."""
    scheme = SequentialSuffixes(start=98, width=2)
    assert [scheme.mint() for _ in range(3)] == ["98", "99", "100"]
    assert SequentialSuffixes(start=0, width=4).mint() == "0000"


def test_sequence_goes_on_after_a_restart(tmp_path: Path) -> None:
    """No number twice, and none left out."""
    for expected in ("7", "8", "9"):
        scheme = SequentialSuffixes(start=7, state=tmp_path / "state")
        assert scheme.mint() == expected


def test_start_above_what_the_file_has_reached(tmp_path: Path) -> None:
    """A later start leaves numbers out, an earlier one repeats none."""
    state = tmp_path / "state"
    assert SequentialSuffixes(start=5, state=state).mint() == "5"
    assert SequentialSuffixes(start=1, state=state).mint() == "6"
    assert SequentialSuffixes(start=100, state=state).mint() == "100"


@pytest.mark.parametrize("with_file", [True, False])
def test_threads_count_together(tmp_path: Path, *, with_file: bool) -> None:
    """Eight threads give each number once."""
    scheme = SequentialSuffixes(state=tmp_path / "state" if with_file else None)
    minted: list[str] = []

    def work() -> None:
        minted.extend(scheme.mint() for _ in range(10))

    threads = [threading.Thread(target=work) for _ in range(8)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    assert sorted(map(int, minted)) == list(range(1, 81))


@pytest.mark.parametrize(
    ("start", "width", "message"),
    [
        (-1, 0, "start is -1, and not a number from 0 to 2**63 - 1"),
        (
            2**63,
            0,
            "start is 9223372036854775808, and not a number from 0 to 2**63 - 1",
        ),
        (1, -1, "width is -1, and not a number of digits"),
    ],
)
def test_error_of_an_argument(start: int, width: int, message: str) -> None:
    """Wrong numbers are refused before anything is minted."""
    with pytest.raises(ValueError) as caught:
        SequentialSuffixes(start=start, width=width)
    assert str(caught.value) == message
