"""What each kind of finding is, in a sentence: services show it as its title."""

from collections.abc import Mapping

from handle_cli.levels import MALFORMED, SKIPPED
from handle_system.diagnostics import DiagnosticCode
from handle_system.verifying.findings import FINDING_DESCRIPTIONS

__all__ = ["RULES"]

#: The sentence of each code.
RULES: Mapping[str, str] = {
    MALFORMED: "What was meant for a reference to a handle is malformed.",
    SKIPPED: "A file was not read.",
    DiagnosticCode.BIDIRECTIONAL: "A reference holds a bidirectional control.",
    DiagnosticCode.INVISIBLE: "A reference holds an invisible character.",
    DiagnosticCode.DAMAGED: "A reference was decoded wrongly before: it holds U+FFFD.",
    DiagnosticCode.WHITE_SPACE: "A reference holds white space.",
    DiagnosticCode.SLASH_LOOK_ALIKE: "A reference holds what looks like a slash only.",
    DiagnosticCode.PREFIX_LOOK_ALIKE: "A prefix only looks like another one.",
    DiagnosticCode.NOT_NFC: "A handle is not in Normalization Form C.",
    DiagnosticCode.TYPOGRAPHIC: "A reference holds typographic signs.",
    DiagnosticCode.LOOKS_ENCODED: "A bare handle holds what look like percent-escapes.",
    DiagnosticCode.DOUBLED_SCHEME: "A reference stands inside a proxy's URL.",
    DiagnosticCode.GLUED: "A reference stands inside another one's suffix.",
    DiagnosticCode.TRAILING_PUNCTUATION: "A reference ends in punctuation.",
    DiagnosticCode.PLACEHOLDER: "A handle is a placeholder.",
    DiagnosticCode.PROXY_PATH: "A prefix is a part of a proxy's address.",
    DiagnosticCode.TOO_LONG: "A handle is longer than servers take.",
    DiagnosticCode.SERVER: "A reference names a server, which links do not reach.",
    **{code.value: sentence for code, sentence in FINDING_DESCRIPTIONS.items()},
}
