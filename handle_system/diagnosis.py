"""What is suspicious about a valid reference.

Nothing here makes a reference invalid: each finding is a value, with text that
can be pasted in its place where one can be told.
"""

import re
from collections.abc import Callable, Iterable
from dataclasses import replace

from handle_system.diagnostic import Diagnostic, DiagnosticCode
from handle_system.errors import LONGEST_SUGGESTION
from handle_system.reference import HandleReference
from handle_system.suspicious_characters import ASCII_CHECKS, CHARACTER_CHECKS
from handle_system.suspicious_forms import (
    FORM_CHECKS,
    PLACEHOLDER_WORD,
    TEST_PREFIXES,
    is_fine_if_plain,
)

__all__ = ["Diagnostic", "DiagnosticCode", "diagnose"]

_Check = Callable[[HandleReference], Iterable[Diagnostic]]

_CHECKS = (*CHARACTER_CHECKS, *FORM_CHECKS)
_CHECKS_OF_ASCII = (*ASCII_CHECKS, *FORM_CHECKS)
# Nearly every handle is of this kind, and each is asked for: of printable ASCII, no
# longer than most, with no "%" or "|", no comma or semicolon but before a digit, a
# letter or digit at its end, and a prefix of digits; and no placeholder.
_PLAIN = re.compile(
    rf"(?!(?:{'|'.join(map(re.escape, sorted(TEST_PREFIXES)))})/)[0-9.]{{1,99}}/"
    rf"(?!{PLACEHOLDER_WORD}\Z)"
    r"(?>(?:[!-$&-+\--:<-{}~]++|[,;](?=[0-9])){1,99})(?<=[0-9A-Za-z])"
)
_LONGEST_PLAIN = 500


def diagnose(reference: HandleReference) -> tuple[Diagnostic, ...]:
    """The findings about a reference, in the order of `DiagnosticCode`.

    Raises:
        TypeError: for anything else than a reference.

    >>> for finding in diagnose(HandleReference.parse("10.1000/a%2Fb")):
    ...     print(finding.code, "->", finding.suggestion)
    looks-encoded -> doi:10.1000/a/b
    """
    if not isinstance(reference, HandleReference):
        raise TypeError(f"a HandleReference is wanted, not {type(reference).__name__}")
    text = str(reference.handle)
    if (
        len(text) <= _LONGEST_PLAIN
        and _PLAIN.fullmatch(text)
        and is_fine_if_plain(reference)
    ):
        return ()
    checks = _CHECKS_OF_ASCII if text.isascii() else _CHECKS
    return tuple(
        _pasteable(finding) for check in checks for finding in check(reference)
    )


def _pasteable(finding: Diagnostic) -> Diagnostic:
    if finding.suggestion is None or len(finding.suggestion) <= LONGEST_SUGGESTION:
        return finding
    return replace(finding, suggestion=None)
