"""``--verify``: what the records say about the references of files."""

from collections.abc import Iterable, Iterator

from handle_cli.findings import Finding, Read
from handle_cli.levels import Level
from handle_cli.resolving import ask
from handle_system.verifying.checked import CheckedHandle, CheckedPlace
from handle_system.verifying.severity import FindingCode
from handle_system.verifying.verdict import verdict_of
from handle_system.verifying.verification_settings import VerificationSettings

__all__ = ["verify"]


_LEVELS = {
    FindingCode.NOT_REGISTERED: Level.ERROR,
    FindingCode.RECORD: Level.WARNING,
    FindingCode.NO_VALUES: Level.WARNING,
    FindingCode.REFUSED: Level.NOTE,
    FindingCode.UNREACHABLE: Level.NOTE,
}


def verify(
    references: Iterable[Read], settings: VerificationSettings
) -> Iterator[Finding]:
    """What is found at the records, at every place of each handle.

    Args:
        references: The references.
        settings: Whom to ask, and how.
    """
    places: dict[str, list[Read]] = {}
    for read in references:
        places.setdefault(read.reference.handle.comparison_key, []).append(read)
    firsts = [reads[0].reference.handle for reads in places.values()]
    for handle, outcome in ask(firsts, settings).items():
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
        if checked.code is None:
            continue
        for read in reads:
            yield Finding(
                place=read.place,
                level=_LEVELS[checked.code],
                code=checked.code.value,
                message=checked.said,
            )
