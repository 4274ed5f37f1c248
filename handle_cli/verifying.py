"""``--verify``: what the records say about the references of files."""

from collections.abc import Iterable, Iterator

from handle_cli.findings import Finding, Level, Read
from handle_cli.resolving import ask
from handle_system.checked import CheckedHandle, CheckedPlace
from handle_system.verdict import verdict_of

__all__ = ["verify"]


def verify(
    references: Iterable[Read], *, resolvers: tuple[str, ...], cache: str | None
) -> Iterator[Finding]:
    """What is found at the records, at every place of each handle.

    Args:
        references: The references.
        resolvers: Whom to ask.
        cache: Path of the cache.
    """
    places: dict[str, list[Read]] = {}
    for read in references:
        places.setdefault(read.reference.handle.comparison_key, []).append(read)
    firsts = [reads[0].reference.handle for reads in places.values()]
    for handle, outcome in ask(firsts, resolvers=resolvers, cache=cache).items():
        reads = places[handle.comparison_key]
        checked = CheckedHandle(
            verdict=verdict_of(handle, outcome),
            places=tuple(
                CheckedPlace(
                    document=read.place.file,
                    file=read.place.file,
                    line=read.place.line,
                    written=read.place.written,
                )
                for read in reads
            ),
        )
        if not checked.said:
            continue
        level = Level.NOTE if checked.is_unknown else Level.WARNING
        for read in reads:
            yield Finding(
                place=read.place,
                level=Level.ERROR if checked.is_broken else level,
                code="record" if checked.outcome == "resolved" else checked.outcome,
                message=checked.said,
            )
