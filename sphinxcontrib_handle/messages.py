"""Everything the extension warns of, each kind under its own name.

A kind's value is its subtype: Sphinx prints it as ``[handle.syntax]`` and
``suppress_warnings = ["handle.syntax"]`` silences it.  How severe a kind is can
be changed with `handle_severity`.  The manual's list of warnings is made from
the docstrings here.
"""

from enum import StrEnum
from typing import TYPE_CHECKING

from sphinx.util import logging
from sphinx.util.logging import is_suppressed_warning

from handle_system.diagnostics import DiagnosticCode
from handle_system.verifying.findings import Severity

if TYPE_CHECKING:
    from docutils.nodes import Node
    from sphinx.config import Config

    from handle_system.citing.citation import CitationCode

__all__ = ["SEVERITIES", "HandleWarning", "citation_warning", "severity_of", "warn"]

logger = logging.getLogger(__name__)

#: What `handle_severity` can make of a kind, and the level it is logged at.
SEVERITIES = {
    Severity.ERROR: 40,
    Severity.WARNING: 30,
    Severity.INFO: 20,
    Severity.OFF: 0,
}


class HandleWarning(StrEnum):
    """The kinds of warnings, by subtype."""

    SYNTAX = "syntax"
    """The content of a role is not a reference to a handle. The message marks the
    character; the text is shown without a link."""

    LINK = "link"
    """The target of a link is a malformed reference. A URL stays as it is; any other
    target becomes plain text."""

    TARGET = "target"
    """A reference contains a name with an underscore at its end that is a target in the
    same document. The name stays a link to the target. The message says what to write
    for the handle."""

    MARKUP = "markup"
    """Markup keeps a reference from being linked: a substitution continues it, as in
    ``doi:10.5281/zenodo.|id|``, or a role lacks its first colon."""

    MYST = "myst"
    """MyST creates its parsers in a way that this version does not know. References in
    the text of Markdown pages are not linked; links of the author are."""

    CONFIG = "config"
    """A value in ``conf.py`` cannot be used. The default, or the rest of the entries,
    holds instead."""

    # Findings about valid references; logged as information.

    BIDIRECTIONAL = "bidirectional"
    """A bidirectional control, which makes the handle look like another one."""

    INVISIBLE = "invisible"
    """A zero-width or other invisible character."""

    DAMAGED = "damaged"
    """U+FFFD, which replaces text that was decoded wrongly."""

    WHITE_SPACE = "white-space"
    """White space inside: legal, and rarely intended."""

    SLASH_LOOK_ALIKE = "slash-look-alike"
    """A character that looks like a slash."""

    PREFIX_LOOK_ALIKE = "prefix-look-alike"
    """A prefix with digits or dots that are not ASCII, or a DOI that lost a digit."""

    NOT_NFC = "not-nfc"
    """Not in Normalization Form C: a different handle than its NFC twin."""

    TYPOGRAPHIC = "typographic"
    """Typographic quotes, dashes or dots, as smart typography inserts them."""

    LOOKS_ENCODED = "looks-encoded"
    """Percent-escapes in a bare handle, where they are not decoded."""

    DOUBLED_SCHEME = "doubled-scheme"
    """A proxy's URL around a reference with a scheme or a proxy of its own."""

    GLUED = "glued"
    """A second reference inside the suffix."""

    TRAILING_PUNCTUATION = "trailing-punctuation"
    """Punctuation or a closing bracket at the end."""

    PLACEHOLDER = "placeholder"
    """A placeholder, or a prefix for tests."""

    PROXY_PATH = "proxy-path"
    """A prefix that the public proxies reserve for their own pages, or the name of a
    proxy."""

    TOO_LONG = "too-long"
    """More than 2,048 octets, the limit of the reference server."""

    SERVER = "server"
    """The reference names a server. Links go to the proxy instead."""

    NOTHING_VERIFIED = "nothing_verified"
    """There is at least one handle, and no handle has an outcome from a server, a
    records file or the cache: there is no network, or no server."""

    VERIFICATION_STOPPED = "verification-stopped"
    """The process that verifies could not start or stopped early, so some handles have
    no outcome."""

    NOT_REGISTERED = "not-registered"
    """A handle is not registered. There is one warning for each handle, at its first
    place, and it names all others."""

    RECORD = "record"
    """A handle is registered, and its record leads nowhere: it has no URL, one that is
    not absolute, or an alias of a missing handle. Logged as information."""

    NO_VALUES = "no-values"
    """A handle is registered, and its record has no public values. Logged as
    information."""

    CACHE = "cache"
    """The cache is damaged and starts again, or it cannot be used, and the build
    continues without it."""

    REFUSED = "refused"
    """The server requires authentication for some handles. One line for all of them,
    logged as information."""

    UNREACHABLE = "unreachable"
    """Some handles could not be verified: no response, or an invalid one. One line for
    all of them, logged as information."""

    CITATION = "citation"
    """A ``cite-version`` card cannot be made: an option is missing or malformed."""

    CITE_NOT_YET_ASSIGNED = "cite-not-yet-assigned"
    """The work or the version of a card has no handle yet; the card says so."""

    CITE_NOT_IN_HISTORY = "cite-not-in-history"
    """The version of this page is not in the version history."""

    CITE_WORK_AS_VERSION = "cite-work-as-version"
    """A version has the handle of the work."""

    CITE_SAME_HANDLE = "cite-same-handle"
    """Two versions have the same handle."""

    CITE_SAME_LABEL = "cite-same-label"
    """Two versions have the same label."""

    CITE_PLACEHOLDER = "cite-placeholder"
    """A handle is a placeholder, or has a prefix for tests."""

    CITE_DATE_ORDER = "cite-date-order"
    """A version has an earlier date than the version before it."""

    CITE_LABEL_ORDER = "cite-label-order"
    """A label comes before the label of the version above it."""

    CITE_RELEASE = "cite-release"
    """The version of this page is not the release."""

    CITE_WORK_TARGET = "cite-work-target"
    """The handle of the work does not lead where the handle of its latest version
    leads. Only with verification."""

    CITE_VERSION_TARGET = "cite-version-target"
    """The handle of a version does not lead to the page of that version. Only with
    verification and ``html_baseurl``."""


#: Kinds that are logged as information unless the project sets another severity.
_AS_INFORMATION = frozenset(
    {
        *map(HandleWarning, DiagnosticCode),
        HandleWarning.RECORD,
        HandleWarning.NO_VALUES,
        HandleWarning.REFUSED,
        HandleWarning.UNREACHABLE,
    }
)


def citation_warning(code: "CitationCode") -> HandleWarning:
    """The kind of warning that a finding about a citation is."""
    return HandleWarning(f"cite-{code.value.replace('_', '-')}")


def severity_of(config: "Config", kind: HandleWarning) -> Severity:
    """How severe a kind is in this project."""
    usual = Severity.INFO if kind in _AS_INFORMATION else Severity.WARNING
    wanted = getattr(config, "handle_severity", {})
    # While options are checked, theirs may be anything.
    chosen = wanted.get(kind.value) if isinstance(wanted, dict) else None
    return next((each for each in Severity if each == chosen), usual)


def warn(
    config: "Config",
    kind: HandleWarning,
    message: str,
    *,
    location: "Node | str | tuple[str, int | None] | None" = None,
) -> None:
    """Warn, at the severity that the project gives to this kind."""
    level = SEVERITIES[severity_of(config, kind)]
    # Sphinx suppresses warnings only, and no information.
    if not level or is_suppressed_warning("handle", kind, config.suppress_warnings):
        return
    first, line_break, drawing = message.partition("\n")
    if line_break and config.show_warning_types:
        # Sphinx puts the type behind the last line; a search for it finds the first.
        message = f"{first} [handle.{kind.value}]\n{drawing}"
        logger.log(level, message, location=location)
    else:
        logger.log(level, message, type="handle", subtype=kind.value, location=location)
