"""The laws of the trial that fuzzes each reader."""

import pytest

from trials.fuzz.__main__ import TARGETS, result_of

pytestmark = pytest.mark.slow


@pytest.mark.parametrize("target", TARGETS)
def test_the_first_inputs_break_no_law(target: str) -> None:
    """Some inputs of each target, so that a law never gets out of date unnoticed."""
    for number in range(500):
        assert result_of(target, 1, number)
