"""``hdl check --verify``: the findings at the records of the handles in files."""

from collections.abc import Iterable

from handle_cli.findings import Finding, Level, Read
from handle_cli.output import trouble
from handle_cli.resolving import ask
from handle_system.resolving.cache import open_cache
from handle_system.resolving.outcomes import Unreachable
from handle_system.verifying.findings import FindingCode, verdict_of
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
) -> tuple[list[Finding], bool]:
    """The findings at the records, and whether no handle could be verified.

    Every place of a handle has its finding.

    Args:
        references: The references.
        settings: The resolvers to ask, and how.
    """
    places: dict[str, list[Read]] = {}
    for read in references:
        places.setdefault(read.reference.handle.comparison_key, []).append(read)
    outcomes = ask(
        [reads[0].reference.handle for reads in places.values()],
        settings.resolvers,
        http=settings.http,
        cache=open_cache(settings.cache, warn=trouble) if settings.cache else None,
        budget=settings.budget,
        connections=settings.connections,
    )
    findings = []
    for handle, outcome in outcomes.items():
        verdict = verdict_of(handle, outcome)
        if verdict.code is None:
            continue
        findings += [
            Finding(
                place=read.place,
                level=_LEVELS[verdict.code],
                code=verdict.code.value,
                message=verdict.description,
            )
            for read in places[handle.comparison_key]
        ]
    unreachable = [isinstance(each, Unreachable) for each in outcomes.values()]
    return findings, bool(unreachable) and all(unreachable)
