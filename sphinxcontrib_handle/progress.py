"""How far verification is, at the end of a build that has to wait for it.

A line that is written over and over is for somebody who watches.  In a log, and
where ``-v`` asks for every line, there is one at the beginning and its end; with
``-q`` there is none at all.
"""

import os
import sys
from collections.abc import Iterator
from contextlib import contextmanager
from typing import TYPE_CHECKING

from sphinx.util import logging

from handle_system.verification import Progress

if TYPE_CHECKING:
    from sphinx.application import Sphinx

__all__ = ["shown_progress"]

logger = logging.getLogger(__name__)

_WORDS = "verifying handles... "
# As wide as the figures can be that "done" takes the place of.
_WIDTH = 32


@contextmanager
def shown_progress(app: "Sphinx") -> Iterator[Progress | None]:
    """What is to be told of the progress, while the context lasts."""
    watched = app.verbosity < 1 and _is_watched()
    logger.info(_WORDS, nonl=True, color="bold")
    # What is left to wait for is often little: then there is one line, and no bar.
    yield _bar() if watched else None
    logger.info("done")


def _is_watched() -> bool:
    return (
        sys.stdout.isatty()
        and not os.environ.get("CI")
        and os.environ.get("TERM") != "dumb"
    )


def _bar() -> Progress:
    told = -1

    def tell(done: int, total: int) -> None:
        nonlocal told
        percent = 100 * done // total if total else 100
        # Thousands of answers are a hundred lines at most.
        if percent == told:
            return
        told = percent
        figures = f"[{percent: >3}%] {done}/{total}"
        logger.info("%s", figures.ljust(_WIDTH), nonl=True)
        logger.info("\r", nonl=True)
        logger.info(_WORDS, nonl=True, color="bold")

    return tell
