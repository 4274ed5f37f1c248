"""The environment of the processes that benchmarks start."""

import os

__all__ = ["environment"]


def environment() -> dict[str, str]:
    """An environment in which the second run of a process is like the third.

    Bytecode is kept: otherwise each process would compile an editable checkout again. The
    order of sets repeats.
    """
    kept = dict(os.environ)
    kept.pop("PYTHONDONTWRITEBYTECODE", None)
    return kept | {"PYTHONHASHSEED": "0"}
