"""How long findings wait for an author who types."""

import pytest

from handle_cli.lsp.pauses import Pauses

PAGE = "file:///page.md"
OTHER = "file:///other.md"
SHORT = 1_000
LONG = 1_000_000


class Clock:
    """A clock that a test sets."""

    def __init__(self) -> None:
        self.now = 1_000.0

    def __call__(self) -> float:
        return self.now


@pytest.fixture
def clock() -> Clock:
    return Clock()


@pytest.fixture
def pauses(clock: Clock) -> Pauses:
    return Pauses(clock)


def test_first_change(pauses: Pauses) -> None:
    """The first change of a document is answered at once."""
    pauses.changed(PAGE, SHORT)
    assert pauses.left(PAGE) == 0


def test_run(pauses: Pauses, clock: Clock) -> None:
    """A run of keys is answered 0.15 seconds after its last one."""
    lefts = []
    for _ in range(4):
        pauses.changed(PAGE, SHORT)
        lefts.append(pauses.left(PAGE))
        clock.now += 0.1
    assert lefts == pytest.approx([0, 0.15, 0.15, 0.15])
    assert pauses.left(PAGE) == pytest.approx(0.05)
    clock.now += 0.1
    assert pauses.left(PAGE) == 0


def test_rest(pauses: Pauses, clock: Clock) -> None:
    """After a rest of twice the pause the next change is a first one again."""
    pauses.changed(PAGE, SHORT)
    clock.now += 0.2
    pauses.changed(PAGE, SHORT)
    assert pauses.left(PAGE) == pytest.approx(0.15)
    clock.now += 0.31
    pauses.changed(PAGE, SHORT)
    assert pauses.left(PAGE) == 0


def test_long_document(pauses: Pauses, clock: Clock) -> None:
    """A long document waits ten times as long, after its first change, too."""
    pauses.changed(PAGE, LONG)
    assert pauses.left(PAGE) == pytest.approx(1.5)
    clock.now += 60
    pauses.changed(PAGE, LONG)
    assert pauses.left(PAGE) == pytest.approx(1.5)


def test_two_documents(pauses: Pauses) -> None:
    """Keys in one document do not delay the findings of another."""
    pauses.changed(PAGE, SHORT)
    pauses.changed(PAGE, SHORT)
    pauses.changed(OTHER, SHORT)
    assert (pauses.left(PAGE) > 0, pauses.left(OTHER)) == (True, 0)


def test_closed(pauses: Pauses) -> None:
    """A document that was closed is one without changes."""
    pauses.changed(PAGE, SHORT)
    pauses.changed(PAGE, SHORT)
    pauses.forget(PAGE)
    assert pauses.left(PAGE) == 0
    pauses.changed(PAGE, SHORT)
    assert pauses.left(PAGE) == 0
