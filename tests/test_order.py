"""The order in which tests run while coverage is measured."""

import itertools
import subprocess
import sys
from pathlib import Path

import pytest

pytestmark = pytest.mark.slow

ROOT = Path(__file__).parent.parent


def _collected(*arguments: str) -> list[str]:
    done = subprocess.run(
        (
            *(sys.executable, "-m", "pytest", "--collect-only", "-q"),
            *("-p", "no:cacheprovider", *arguments),
            *("tests/test_ci_run.py", "tests/test_endless_files.py"),
            "tests/test_wording.py",
        ),
        cwd=ROOT,
        capture_output=True,
        encoding="utf-8",
        check=True,
        timeout=60,
    )
    return [line for line in done.stdout.splitlines() if "::" in line]


def test_a_number_gives_another_order() -> None:
    """The same tests run, those of a file together; the same number gives the same order."""
    usual = _collected()
    shuffled = _collected("--order", "1")
    files = [test.partition("::")[0] for test in shuffled]

    assert sorted(shuffled) == sorted(usual)
    assert shuffled != usual
    assert shuffled == _collected("--order", "1")
    assert shuffled != _collected("--order", "2")
    assert sum(one != other for one, other in itertools.pairwise(files)) == 2
