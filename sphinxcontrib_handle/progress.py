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

from handle_system.verifying.verification import Progress

if TYPE_CHECKING:
    from sphinx.application import Sphinx

__all__ = ["shown_progress"]

logger = logging.getLogger(__name__)

_WORDS = "verifying handles... "


@contextmanager
def shown_progress(app: "Sphinx") -> Iterator[Progress | None]:
    """What is to be told of the progress, while the context lasts."""
    bar = _Bar() if app.verbosity < 1 and _is_watched() else None
    logger.info(_WORDS, nonl=True, color="bold")
    # What is left to wait for is often little: then there is one line, and no bar.
    yield None if bar is None else bar.tell
    if bar is not None:
        bar.wipe()
    logger.info("done")


def _is_watched() -> bool:
    return (
        sys.stdout.isatty()
        and not os.environ.get("CI")
        and os.environ.get("TERM") != "dumb"
    )


class _Bar:
    """Figures behind the words, in place of those before."""

    def __init__(self) -> None:
        self._percent = -1
        self._width = 0

    def tell(self, done: int, total: int) -> None:
        """Show how far it is."""
        percent = 100 * done // total if total else 100
        # Thousands of answers are a hundred lines at most.
        if percent != self._percent:
            self._percent = percent
            self._write(f"[{percent: >3}%] {done}/{total}")

    def wipe(self) -> None:
        """Leave the words alone."""
        self._write("")

    def _write(self, figures: str) -> None:
        logger.info("%s\r", figures.ljust(self._width), nonl=True)
        self._width = max(self._width, len(figures))
        logger.info(_WORDS, nonl=True, color="bold")
