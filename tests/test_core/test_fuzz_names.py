"""A hundred thousand mutated texts, held to the laws of names."""

import random

import pytest

from tests.tools import fuzz_names

INPUTS = 100_000
PARTS = 10


@pytest.mark.slow
@pytest.mark.parametrize("part", range(PARTS))
def test_fuzz(part: int) -> None:
    """No text breaks a law, and every form is among what was tried."""
    outcomes = fuzz_names.run(fuzz_names.DEFAULT_SEED + part, INPUTS // PARTS)
    assert outcomes.total() == INPUTS // PARTS
    assert set(outcomes) == {
        *("refused", "bare", "value", "hdl", "info", "urn", "doi", "proxy"),
    }
    # A fuzzer whose inputs are all refused tests the refusal only.
    assert outcomes["refused"] < 0.8 * outcomes.total()


def test_inputs_are_seeded() -> None:
    """A seed gives the same inputs every time, and another seed gives others."""
    one, again, other = (
        [text for text, _ in fuzz_names.inputs(seed, 50)] for seed in (1, 1, 2)
    )
    assert one == again
    assert one != other


def test_a_broken_law_is_shown() -> None:
    """The first input that breaks a law ends the run, and is told with its seed."""

    def broken(text: str, rng: random.Random) -> str:
        assert isinstance(rng, random.Random)
        raise AssertionError(f"{len(text)} characters")

    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(fuzz_names, "check", broken)
        with pytest.raises(AssertionError, match=r"^input 0 of seed 1: '.*characters$"):
            fuzz_names.run(1, 1)
