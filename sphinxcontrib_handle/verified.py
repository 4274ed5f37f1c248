"""Bringing places of this project and verdicts of the core together."""

from collections.abc import Iterable, Mapping
from pathlib import Path

from handle_system.checked import CheckedHandle, CheckedPlace
from handle_system.verdict import Verdict
from sphinxcontrib_handle.domain import Place

__all__ = ["verified"]

# What Sphinx puts between a module's file and the name of a documented object.
_DOCSTRING = ":docstring of "


def verified(
    places: Iterable[Place], verdicts: Mapping[str, Verdict], *, root: Path
) -> list[tuple[CheckedHandle, Place]]:
    """Each handle once, in the order of first places, with its first place.

    Args:
        places: Every place, in order.
        verdicts: What is known, by comparison key.
        root: The folder that files are named relative to.
    """
    by_key: dict[str, list[Place]] = {}
    for place in places:
        by_key.setdefault(place.key, []).append(place)
    return [
        (
            CheckedHandle(
                verdict=verdicts[key],
                places=tuple(_checked(place, root) for place in found),
            ),
            found[0],
        )
        for key, found in by_key.items()
        if key in verdicts
    ]


def _checked(place: Place, root: Path) -> CheckedPlace:
    file = Path(place.source.partition(_DOCSTRING)[0])
    if file.is_absolute() and file.is_relative_to(root):
        file = file.relative_to(root)
    return CheckedPlace(
        document=place.document,
        file=file.as_posix(),
        line=place.line,
        written=place.written,
    )
