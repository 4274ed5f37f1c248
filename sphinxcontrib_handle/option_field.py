"""How an option is declared: a field whose metadata carries all there is to know."""

from collections.abc import Callable
from dataclasses import field
from typing import Any, Literal

from sphinxcontrib_handle.option_checks import Checked

__all__ = ["Rebuild", "option"]

Rebuild = Literal["", "env", "html"]


def option(
    default: object,
    check: Callable[[object], Checked],
    help: str,  # noqa: A002 - what the option's help is called
    rebuild: Rebuild = "env",
) -> Any:
    """Declare an option.

    Args:
        default: The value without one in ``conf.py``; must pickle.
        check: What can be used of a value.
        help: What the option is for, in sentences, for the manual.
        rebuild: What a change makes stale: ``"env"`` the documents, ``"html"`` the
            pages only, ``""`` nothing.
    """
    metadata = {"check": check, "help": help, "rebuild": rebuild}
    if isinstance(default, (dict, list)):
        factory = type(default)
        return field(default_factory=lambda: factory(default), metadata=metadata)
    return field(default=default, metadata=metadata)
