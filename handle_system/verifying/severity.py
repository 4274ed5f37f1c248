"""How severe what verification finds is: by kind, and as a project wishes.

Only that a handle is not registered is news about the documents.  Everything
else is told and held against nobody, unless a project asks for more.
"""

from collections.abc import Mapping
from enum import StrEnum
from types import MappingProxyType

__all__ = ["FINDING_SENTENCES", "USUAL_SEVERITIES", "FindingCode", "Severity"]


class Severity(StrEnum):
    """How severe a finding is."""

    ERROR = "error"
    WARNING = "warning"
    INFO = "info"
    OFF = "off"

    @property
    def fails(self) -> bool:
        """Whether a check that comes to such a finding has failed."""
        return self in {Severity.ERROR, Severity.WARNING}


class FindingCode(StrEnum):
    """What can be found about a handle, one for each outcome."""

    NOT_REGISTERED = "not-registered"
    RECORD = "record"
    """It is resolved, and its record leads nowhere."""
    NO_VALUES = "no-values"
    REFUSED = "refused"
    UNREACHABLE = "unreachable"


#: What holds unless a project says otherwise.
USUAL_SEVERITIES: Mapping[FindingCode, Severity] = MappingProxyType(
    {
        FindingCode.NOT_REGISTERED: Severity.WARNING,
        FindingCode.RECORD: Severity.INFO,
        FindingCode.NO_VALUES: Severity.INFO,
        FindingCode.REFUSED: Severity.INFO,
        FindingCode.UNREACHABLE: Severity.INFO,
    }
)

#: What each kind of finding is, in a sentence.
FINDING_SENTENCES: Mapping[FindingCode, str] = MappingProxyType(
    {
        FindingCode.NOT_REGISTERED: "A handle that the documents refer to is not registered.",
        FindingCode.RECORD: "A handle is registered, and its record leads nowhere.",
        FindingCode.NO_VALUES: "A handle is registered, and its record shows nothing.",
        FindingCode.REFUSED: "A handle could not be verified: the server refused to answer.",
        FindingCode.UNREACHABLE: "A handle could not be verified: nobody answered.",
    }
)
