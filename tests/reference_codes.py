"""The kinds of findings about valid references."""

from handle_system.checks import CHECKS
from handle_system.findings.codes import Code

REFERENCE_CODES = frozenset(
    # What the target of a link, a field and a project's policy say stands elsewhere.
    {*CHECKS, Code.OTHER_TARGET, Code.ADDRESS_IN_FIELD, Code.SUFFIX}
)
