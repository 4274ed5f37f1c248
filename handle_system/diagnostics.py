"""Diagnostics: suspicious properties of valid references.

Nothing here makes a reference invalid.  A finding suggests text to paste only where
that text is certain.
"""

import re
from collections.abc import Iterator, Sequence
from dataclasses import replace
from typing import TYPE_CHECKING

from handle_system.doi_repair import BARE_DOI
from handle_system.errors import (
    HandleSyntaxError,
    OtherThingError,
    PlaceholderError,
    brief,
)
from handle_system.findings.codes import Code, Severity
from handle_system.findings.finding import Excerpt, Finding
from handle_system.forms import BARE_FORMS, ReferenceForm
from handle_system.found import Found, Markup
from handle_system.proxies import DEFAULT_PROXIES
from handle_system.reference import HandleReference, reference_or_none
from handle_system.role_content import WITHOUT_BRACES
from handle_system.text import compiled

if TYPE_CHECKING:
    from handle_system.suffix_policy import SuffixPolicy

#: Kinds that are rarely mistakes.
UNUSUAL = frozenset({Code.PREFIX_CHARACTER, Code.RESERVED_CHARACTER})


def diagnose(
    reference: HandleReference, suffix_policy: "SuffixPolicy | None" = None
) -> tuple[Finding, ...]:
    """Return the findings about a reference, in the order of `Code`.

    Args:
        reference: The reference.
        suffix_policy: The formats of suffixes by prefix.

    >>> for finding in diagnose(HandleReference.parse("10.1000/a%2Fb")):
    ...     print(finding.code, "->", finding.suggestion)
    looks-encoded -> doi:10.1000/a/b
    """
    is_ordinary = _is_ordinary(reference)
    if is_ordinary and not suffix_policy:
        return ()
    # Most references are ordinary.
    from handle_system.checks import check, check_suffix  # noqa: PLC0415 (see above)

    findings = () if is_ordinary else tuple(check(reference))
    if not suffix_policy:
        return findings
    return (*findings, *check_suffix(reference, suffix_policy))


def _is_ordinary(reference: HandleReference) -> bool:
    """Whether a reference is written as most are, and no check has anything to say."""
    source = reference.source
    return (
        source.endswith(str(reference.handle))
        and ORDINARY.fullmatch(source) is not None
    )


#: References as most are written, about which no check has anything to say: a scheme or
#: a usual proxy, a prefix of numbers that is not one for tests, and a suffix of one
#: segment that is no placeholder.  It holds a digit above 1 and ends in a letter or a digit,
#: for the digits 0 and 1 stand in placeholders, too, such as "0000" and "10.tbd".  Or it
#: ends in a digit with fewer zeros behind it than any of them.
ORDINARY = re.compile(
    r"""
    (?: (?: doi: | info:doi/ | https?://(?:(?:dx|www)\.)?doi\.org/ ) 10
      | (?: hdl: | info:hdl/ | https?://hdl\.handle\.net/ ) [1-9][0-9]{1,7} )
    (?!\.(?:5072/|5281/(?!zenodo\.)|10\.)) (?:\.[1-9][0-9]{0,8}){0,3} /
    (?: (?=[01A-Za-z._-]{0,100}[2-9]) [0-9A-Za-z._-]{0,100}[0-9A-Za-z]
      | [0-9A-Za-z._-]{0,100}[1-9]0{0,4} )
    """,
    re.VERBOSE,
)
# A label in the text of a link.
_OPENING = {")": "(", "]": "["}
_LABEL = re.compile(r"\A(?:doi|hdl)\s*:?\s+(?=[0-9])", re.IGNORECASE)
_MILDEST = [Severity.OFF, Severity.NOTE, Severity.WARNING, Severity.ERROR].index
# Where markup says that it is a reference, these are errors if nobody can read it.
_MISTYPED = frozenset({Code.BROKEN_ADDRESS, Code.PREFIX_LOOK_ALIKE})
_DECLARED = frozenset({Markup.ROLE, Markup.FIELD, Markup.CARD})
# Nothing in what is written is wrong.
_WITHOUT_EXCERPT = frozenset({Code.EMPTY, Code.TARGET})


def findings_about(
    found: Found, suffix_policy: "SuffixPolicy | None" = None
) -> list[Finding]:
    """The findings about a reference in a document, or about what was meant for one.

    A fragment in running text is nobody's mistake, so nothing is said about its ``#``.

    Args:
        found: The reference at its place.
        suffix_policy: The formats of suffixes by prefix.
    """
    reference = found.reference
    if isinstance(reference, HandleSyntaxError):
        findings = [_finding_about_malformed(found, reference)]
    else:
        findings = _findings_about_valid(found, reference, suffix_policy)
    if not findings:
        return []
    # The span of a doubled scheme begins with the second one.
    source = reference.source
    written = source if source.endswith(found.written) else found.written
    place = replace(found.place, written=written)
    return [finding.at(place) for finding in findings]


def _finding_about_malformed(found: Found, error: HandleSyntaxError) -> Finding:
    """The finding about what was meant for a reference."""
    code = found.malformed_code
    severity = code.severity(in_text=found.markup.is_text)
    if code is Code.EMPTY and found.markup is Markup.FIELD:
        severity = Severity.NOTE
    if found.markup is Markup.CELL:
        severity = _severity_in_cell(error, severity)
    if code in _MISTYPED and found.markup in _DECLARED:
        severity = Severity.ERROR
    if error.reason == WITHOUT_BRACES:
        # Outside MyST, code behind a label shows an identifier.
        code = Code.MARKUP
        severity = Severity.NOTE
    excerpt = Excerpt(error.source, *error.span)
    advice = ""
    if code is Code.TARGET:
        advice = f"for the handle write :hdl:`{error.source}`"
    return Finding(
        code=code,
        subject=error.source,
        message=error.reason,
        severity=severity,
        suggestion=error.suggestion,
        excerpt=None if code in _WITHOUT_EXCERPT else excerpt,
        advice=advice,
    )


def _severity_in_cell(error: HandleSyntaxError, severity: Severity) -> Severity:
    """The severity of what is wrong in a cell: tables are made before all is known."""
    if isinstance(error, PlaceholderError):
        return Severity.NOTE
    # Repositories export the addresses of their pages.
    return Severity.WARNING if isinstance(error, OtherThingError) else severity


def _findings_about_valid(
    found: Found, reference: HandleReference, suffix_policy: "SuffixPolicy | None"
) -> list[Finding]:
    """The findings about a reference, as severe as they are where it stands."""
    in_text = found.markup.is_text
    findings = []
    for finding in diagnose(reference, suffix_policy):
        if in_text and finding.code is Code.RESERVED_CHARACTER:
            continue
        severity = finding.severity
        if in_text:
            severity = min(severity, finding.code.severity(in_text=True), key=_MILDEST)
        findings.append(replace(finding, severity=severity))
    if not in_text:
        findings += _findings_at(found, reference, findings)
    return findings


def _findings_at(
    found: Found, reference: HandleReference, others: Sequence[Finding]
) -> Iterator[Finding]:
    """What is said about a reference because of the markup in which it stands.

    Args:
        found: The reference at its place.
        reference: It.
        others: What is said about it anywhere.
    """
    if found.markup.is_target and reference.form is ReferenceForm.BARE:
        message = "without a scheme, a link leads to a file of that name"
        yield Finding.of_kind(
            Code.BROKEN_ADDRESS, reference.source, message, reference.uri()
        )
    other = _shown_instead(found.shown, reference) if found.shown else None
    if other is not None and not _is_same_mistake(other, reference, others):
        shown, leads = (brief(each.uri()) for each in (other, reference))
        message = f"the text shows {shown}, and the link leads to {leads}"
        yield Finding.of_kind(Code.OTHER_TARGET, reference.source, message)
    is_address = reference.form not in BARE_FORMS and reference.handle.is_doi
    if found.markup is Markup.FIELD and is_address and not others:
        message = "the field takes the DOI alone"
        yield Finding.of_kind(
            Code.ADDRESS_IN_FIELD, reference.source, message, str(reference.handle)
        )


def _is_same_mistake(
    shown: HandleReference, reference: HandleReference, findings: Sequence[Finding]
) -> bool:
    """Whether one of two identifiers is the other one, with a mistake that is known."""
    suggested = {finding.suggestion for finding in findings}
    meant = {finding.suggestion for finding in diagnose(shown)}
    return shown.uri() in suggested or reference.uri() in meant


def _shown_instead(text: str, reference: HandleReference) -> HandleReference | None:
    """The other identifier that the text of a link shows, if it is nothing else."""
    # A text that ends in dots is shortened, and each identifier holds a slash or a colon.
    if text.endswith(("...", "\u2026")) or ("/" not in text and ":" not in text):
        return None
    bare = _LABEL.sub("", text.strip()).rstrip(".,;:")
    # The bracket that closes what stands around the link.
    if bare[-1:] in _OPENING and _OPENING[bare[-1]] not in bare:
        bare = bare[:-1]
    is_bare_doi = compiled(BARE_DOI).fullmatch(bare) is not None
    shown = reference_or_none(bare, DEFAULT_PROXIES)
    if shown is None or not (is_bare_doi or shown.form not in BARE_FORMS):
        return None
    handles = shown.handle, reference.handle
    # A short DOI stands for another one.
    is_short = "10" in {handle.prefix for handle in handles}
    if handles[0] == handles[1] or is_short or _is_broken_line(text, bare, reference):
        return None
    return shown


def _is_broken_line(text: str, bare: str, reference: HandleReference) -> bool:
    """Whether a text is the identifier with spaces, or its begin in front of a separator.

    Programs that write pages break a line behind a slash, and go on in another link.
    """
    joined = "".join(bare.replace("\N{SOFT HYPHEN}", "").split())
    shown = reference_or_none(joined, DEFAULT_PROXIES)
    if shown is None:
        return False
    begin, whole = shown.handle.comparison_key, reference.handle.comparison_key
    last = text.rstrip()[-1]
    # A full stop at the end was taken off.
    cut = begin.removesuffix(last) + last
    return begin == whole or (last in "/.-_" and whole.startswith(cut))
