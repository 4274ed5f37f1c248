"""The core: what a handle is, how it is written, linked, resolved and cited.

No framework is imported here, and nothing opens a connection before a resolver
is asked.
"""

from handle_system.diagnosis import Diagnostic, DiagnosticCode, diagnose
from handle_system.errors import HandleSyntaxError
from handle_system.handle import Handle
from handle_system.proxy import DEFAULT_PROXIES, Proxies
from handle_system.reference import HandleReference, ReferenceForm
from handle_system.scan import Found, find_references

__all__ = [
    "DEFAULT_PROXIES",
    "Diagnostic",
    "DiagnosticCode",
    "Found",
    "Handle",
    "HandleReference",
    "HandleSyntaxError",
    "Proxies",
    "ReferenceForm",
    "diagnose",
    "find_references",
]

__version__ = "0.1.0"
