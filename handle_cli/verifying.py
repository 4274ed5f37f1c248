"""``--verify``: what the records say about the references of files."""

from collections.abc import Iterable, Iterator
from dataclasses import replace

import click

from handle_cli.findings import Finding, Read
from handle_cli.levels import Level
from handle_cli.output import progress_bar, trouble
from handle_system.errors import showable
from handle_system.handle import Handle
from handle_system.resolving.old_many import resolve_many
from handle_system.resolving.outcome import Outcome
from handle_system.resolving.records_file import RecordsFileError
from handle_system.resolving.resolver import close_resolver
from handle_system.verifying.checked import CheckedHandle, CheckedPlace
from handle_system.verifying.resolver_building import build_resolver
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


def ask(
    handles: Iterable[Handle],
    settings: VerificationSettings,
    *,
    resolvers: tuple[str, ...] = (),
) -> dict[Handle, Outcome]:
    """What comes of asking for the handles, with a bar where somebody watches.

    Args:
        handles: What to ask for.
        settings: Whom to ask, and how.
        resolvers: Whom to ask instead: base URLs and paths of records files.

    Raises:
        click.UsageError: when a resolver cannot be used.
    """
    try:
        if resolvers:
            settings = replace(settings, resolvers=resolvers)
        resolver = build_resolver(settings, notice=trouble, warn=trouble)
    except (RecordsFileError, ValueError) as error:
        raise click.UsageError(showable(str(error))) from error
    with progress_bar("Asking") as show:
        try:
            return resolve_many(
                handles,
                resolver,
                connections=settings.connections,
                budget=settings.budget,
                progress=lambda _handle, _outcome, done, total: show(done, total),
            )
        finally:
            close_resolver(resolver)
