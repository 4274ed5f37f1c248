"""What earlier runs learned, for the process that builds.

Usually that is everything: then no other process is started, which takes longer than
to look thousands of handles up.

The cache is closed again after each look.  A process that builds may fork, and a
database must not be open then.
"""

from collections.abc import Callable, Mapping, Sequence
from pathlib import Path

from handle_system.bases import checked_base
from handle_system.handle import Handle
from handle_system.resolving.caching import CachingResolver
from handle_system.resolving.old_cache import Cache
from handle_system.resolving.outcome import Outcome, Unreachable
from handle_system.resolving.records_file import RecordsResolver
from handle_system.resolving.resolver_chain import ResolverChain
from handle_system.verifying.verdict import Verdict, plain_verdict, verdict_of
from handle_system.verifying.verification_settings import (
    VerificationSettings,
    is_address,
)

__all__ = ["Memory"]


class _Nobody:
    """Stands where somebody would be asked."""

    def resolve(self, _handle: Handle, /) -> Outcome:
        return Unreachable("not asked")


class Memory:
    """What is remembered of the resolvers of some settings.

    Args:
        settings: Whom to ask, and what is remembered where.
        records: The files of records among the resolvers, by their names there.
        warn: Is told, in one line, of a cache that cannot be used.
    """

    def __init__(
        self,
        settings: VerificationSettings,
        records: Mapping[str, RecordsResolver],
        warn: Callable[[str], object],
    ) -> None:
        self._chain: ResolverChain | None = None
        self._cache: Cache | None = None
        # Who has the first word, if that is one whose answers are remembered.
        first = settings.resolvers[0]
        self._first = checked_base(first) if is_address(first) else None
        # Not begun by looking whether there is anything in it.
        if settings.cache is not None and Path(settings.cache).exists():
            cache = self._cache = Cache(settings.cache, warn=warn)
            self._chain = ResolverChain(
                CachingResolver(_Nobody(), cache, name=checked_base(each))
                if is_address(each)
                else records[each]
                for each in settings.resolvers
            )

    def recall(
        self, handles: Mapping[str, Handle]
    ) -> tuple[dict[str, Verdict], Sequence[str]]:
        """What is known of these handles, and the keys of those to be asked for.

        Where less than half is known there is not much to be remembered, and from
        then on all is to be asked for.

        Args:
            handles: The handles, by `Handle.comparison_key`.
        """
        if self._chain is None:
            return {}, tuple(handles)
        try:
            verdicts = self._sound(handles)
            others = {key: each for key, each in handles.items() if key not in verdicts}
            recalled = self._chain.recall(others)
            for key, outcome in recalled.known.items():
                answered = recalled.asked.get(key)
                verdicts[key] = verdict_of(handles[key], outcome, answered=answered)
        finally:
            self._chain.close()
        if 2 * len(verdicts) < len(handles):
            self._chain = None
        return verdicts, recalled.to_ask

    def _sound(self, handles: Mapping[str, Handle]) -> dict[str, Verdict]:
        """The verdicts that are nearly all: it leads somewhere, and nothing more."""
        if self._cache is None or self._first is None:
            return {}
        found = self._cache.recall_targets(self._first, handles)
        return {
            key: plain_verdict(handles[key], target, answered)
            for key, (target, answered) in found.items()
        }

    @property
    def is_worth_asking(self) -> bool:
        """Whether there is anything to be remembered."""
        return self._chain is not None
