"""Telling what verification found: warnings at their places, one line of all."""

from collections import Counter
from typing import TYPE_CHECKING

from sphinx.util import logging

from handle_system.resolving.outcome import OutcomeName
from handle_system.text import several
from sphinxcontrib_handle.messages import HandleWarning, warn
from sphinxcontrib_handle.verified import Verified

if TYPE_CHECKING:
    from sphinx.config import Config

__all__ = ["tell"]

logger = logging.getLogger(__name__)

_MOST_REASONS = 3


def tell(config: "Config", found: Verified) -> None:
    """Tell what was found."""
    for checked, first in zip(found.checked, found.firsts, strict=True):
        if checked.code is not None and not checked.is_unknown:
            kind = HandleWarning(checked.code.value)
            warn(config, kind, checked.message, location=first.location)
    for outcome in (OutcomeName.REFUSED, OutcomeName.UNREACHABLE):
        _tell_unknown(config, outcome, found)
    _tell_summary(found)


def _tell_unknown(config: "Config", outcome: OutcomeName, found: Verified) -> None:
    """One line for all handles that came to it: it is no news about the documents."""
    unknown = [each.verdict for each in found.checked if each.outcome is outcome]
    if not unknown:
        return
    # Of each who was asked there is one.
    reasons = Counter(
        reason for verdict in unknown for reason in verdict.reason.split("; ")
    )
    # The commonest first; those of equal number in the order of the alphabet.
    ordered = sorted(reasons, key=lambda reason: (-reasons[reason], reason))
    more = len(ordered) - _MOST_REASONS
    if more > 0:
        ordered[_MOST_REASONS:] = [f"and {several(more, 'more reason')}"]
    warn(
        config,
        HandleWarning(outcome.value),
        f"{len(unknown)} of {several(len(found.verdicts), 'handle')} could not be "
        f"verified, which says nothing against {'it' if len(unknown) == 1 else 'them'}: "
        f"{'; '.join(ordered)}",
    )


def _tell_summary(found: Verified) -> None:
    ignored = f", {len(found.ignored)} ignored" if found.ignored else ""
    logger.info(
        "handles: %s, %s, %d resolved%s",
        several(found.references, "reference"),
        several(len(found.verdicts) + len(found.ignored), "distinct handle"),
        sum(
            verdict.outcome is OutcomeName.RESOLVED
            for verdict in found.verdicts.values()
        ),
        ignored,
    )
