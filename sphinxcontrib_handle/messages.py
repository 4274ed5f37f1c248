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
    """The target of a link is meant for a handle and is malformed. A URL stays as it
    is; any other becomes plain text, for it would lead nowhere."""

    TARGET = "target"
    """A reference to a handle holds a name that ends in an underscore, and that name
    is a target in the same document. It stays a link to that target; the message
    says what to write for the handle."""

    MARKUP = "markup"
    """Markup keeps a reference from being linked: a substitution continues it, as in
    ``doi:10.5281/zenodo.|id|``, or a role lacks its first colon."""

    MYST = "myst"
    """MyST creates its parsers in another way than this version knows. References in
    the text of Markdown pages are not linked; links of the author are."""

    CONFIG = "config"
    """A value in ``conf.py`` cannot be used. The option's default holds instead, or
    the rest of its entries."""

    # What is suspicious about a valid reference; told as information.

    BIDIRECTIONAL = "bidirectional"
    """A bidirectional control, which makes the handle look like another one."""

    INVISIBLE = "invisible"
    """A zero-width or other invisible character."""

    DAMAGED = "damaged"
    """U+FFFD, which stands where text was decoded wrongly before."""

    WHITE_SPACE = "white-space"
    """White space inside: legal, and rarely meant."""

    SLASH_LOOK_ALIKE = "slash-look-alike"
    """A character that looks like a slash and is none."""

    PREFIX_LOOK_ALIKE = "prefix-look-alike"
    """A prefix of digits or dots that are not the ASCII ones, or a DOI's that lost one."""

    NOT_NFC = "not-nfc"
    """Not in Normalization Form C, so another handle than its NFC twin."""

    TYPOGRAPHIC = "typographic"
    """Typographic quotes, dashes or dots, as "smart" typography puts them in."""

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
    """A prefix that the public proxies keep for their own pages, or a proxy's name."""

    TOO_LONG = "too-long"
    """More octets than the reference server takes."""

    SERVER = "server"
    """A server is named; links go to the proxy and do not reach it."""

    NOTHING_VERIFIED = "nothing_verified"
    """Verification was asked for, there is at least one handle, and none has an outcome
    from a server, a records file or the cache: there is no network, or no server."""

    VERIFICATION_STOPPED = "verification-stopped"
    """The process that verifies could not start or stopped early, so some handles have
    no outcome."""

    NOT_REGISTERED = "not-registered"
    """Verification asked for a handle, and there is none. Told once for each handle,
    at its first place, with all the others."""

    RECORD = "record"
    """A handle is registered, and its record leads nowhere: it has no URL, or one
    that is not absolute, or is an alias of a handle that is not there. Told as
    information."""

    NO_VALUES = "no-values"
    """A handle is registered, and its record shows nothing. Told as information."""

    CACHE = "cache"
    """The file that remembers outcomes is damaged, or is none, and begins anew; or it
    cannot be used at all, and the build goes on without it."""

    REFUSED = "refused"
    """The server answers for some handles only those it knows. One line for all of
    them, told as information, for it says nothing about the documents."""

    UNREACHABLE = "unreachable"
    """Some handles could not be verified: no answer, or none that makes sense. One
    line for all of them, told as information, for it says nothing about the
    documents."""

    CITATION = "citation"
    """A ``cite-version`` block cannot be made: an option is missing or malformed."""

    CITE_NOT_YET_ASSIGNED = "cite-not-yet-assigned"
    """A block's work, or its version, has no handle yet; the block says so."""

    CITE_NOT_IN_HISTORY = "cite-not-in-history"
    """The version in hand is not in the version history."""

    CITE_WORK_AS_VERSION = "cite-work-as-version"
    """A version is given the work's own handle."""

    CITE_SAME_HANDLE = "cite-same-handle"
    """Two versions have one handle."""

    CITE_SAME_LABEL = "cite-same-label"
    """Two versions have one label."""

    CITE_PLACEHOLDER = "cite-placeholder"
    """A handle is a stand-in, or one of a prefix for tests."""

    CITE_DATE_ORDER = "cite-date-order"
    """A version is older than the one before it."""

    CITE_LABEL_ORDER = "cite-label-order"
    """A version's label comes before that of the version before it."""

    CITE_RELEASE = "cite-release"
    """The version in hand is not that of the release."""

    CITE_WORK_TARGET = "cite-work-target"
    """Verification found that the work's handle does not lead where that of its latest
    version leads."""

    CITE_VERSION_TARGET = "cite-version-target"
    """Verification found that a version's handle does not lead to the page that says
    it is that version. Told where ``html_baseurl`` says what the page's address is."""


#: Kinds that are told as information unless the project says otherwise.
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
