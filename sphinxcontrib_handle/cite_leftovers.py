"""What earlier builds put into a site and no page offers any more is taken away.

A page that cites no longer would leave its formats behind, and a site that no longer
cites its linkset; both would be published with the rest, and say what is not so.

What a build writes is listed in a hidden file of the site itself, for several builders
may share what Sphinx remembers of the documents, and not each has written what another
has.  A file goes only if it still is, octet for octet, what is listed: the project may
have put one of its own there.
"""

from collections.abc import Iterable
from hashlib import sha256
from pathlib import Path

__all__ = ["remove_leftovers"]

_LIST = ".handle-files"


def remove_leftovers(site: Path, written: Iterable[Path]) -> None:
    """Remove what is listed and not among what this build wrote, and list that.

    Args:
        site: The folder of the site.
        written: The files in it that this build wrote, or left as they were.
    """
    listing = site / _LIST
    before = _listed(listing)
    now = {path.relative_to(site).as_posix(): _digest(path) for path in written}
    for name, digest in before.items():
        path = site / name
        # Nobody's list reaches beyond the site.
        is_inside = path.resolve().is_relative_to(site.resolve())
        if name not in now and is_inside and _digest(path) == digest:
            path.unlink(missing_ok=True)
    if now == before:
        return
    if now:
        lines = (f"{digest} {name}\n" for name, digest in sorted(now.items()))
        listing.write_text("".join(lines), "utf-8", "surrogateescape")
    else:
        listing.unlink(missing_ok=True)


def _listed(listing: Path) -> dict[str, str]:
    if not listing.is_file():
        return {}
    text = listing.read_text("utf-8", "surrogateescape")
    if "\0" in text:
        # No name of a file holds it.
        return {}
    parts = (line.partition(" ") for line in text.split("\n"))
    return {name: digest for digest, _, name in parts if digest and name}


def _digest(path: Path) -> str:
    return sha256(path.read_bytes()).hexdigest() if path.is_file() else "missing"
