"""The core: what a handle is, how it is written, linked, resolved and cited.

No framework is imported here, and nothing opens a connection before a resolver
is asked.  Each name is loaded when it is first used, so that a program which only links
does not pay for a database and an HTTP client, nor the help of the command for a parser.
"""

from importlib import import_module
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from handle_system.citing.work import Creator, Version, Work
    from handle_system.diagnostics import diagnose
    from handle_system.errors import HandleSyntaxError
    from handle_system.findings.codes import Code
    from handle_system.findings.finding import Finding
    from handle_system.forms import ReferenceForm
    from handle_system.found import Found
    from handle_system.handle import Handle
    from handle_system.proxies import DEFAULT_PROXIES, Proxies
    from handle_system.reference import HandleReference
    from handle_system.resolving.cache import CachingResolver
    from handle_system.resolving.many import resolve_many
    from handle_system.resolving.outcomes import (
        NotRegistered,
        NoValues,
        Outcome,
        OutcomeName,
        Refused,
        Resolved,
        Unreachable,
    )
    from handle_system.resolving.records import HandleRecord, HandleValue
    from handle_system.resolving.resolvers import (
        ProxyResolver,
        RecordsResolver,
        Resolver,
    )
    from handle_system.scanning import find_references

__all__ = [
    "DEFAULT_PROXIES",
    "CachingResolver",
    "Code",
    "Creator",
    "Finding",
    "Found",
    "Handle",
    "HandleRecord",
    "HandleReference",
    "HandleSyntaxError",
    "HandleValue",
    "NoValues",
    "NotRegistered",
    "Outcome",
    "OutcomeName",
    "Proxies",
    "ProxyResolver",
    "RecordsResolver",
    "ReferenceForm",
    "Refused",
    "Resolved",
    "Resolver",
    "Unreachable",
    "Version",
    "Work",
    "diagnose",
    "find_references",
    "resolve_many",
]

__version__ = "0.2.0"

_MODULE_OF = {
    "CachingResolver": "resolving.cache",
    "Code": "findings.codes",
    "Creator": "citing.work",
    "DEFAULT_PROXIES": "proxies",
    "Finding": "findings.finding",
    "Found": "found",
    "Handle": "handle",
    "HandleRecord": "resolving.records",
    "HandleReference": "reference",
    "HandleSyntaxError": "errors",
    "HandleValue": "resolving.records",
    "NoValues": "resolving.outcomes",
    "NotRegistered": "resolving.outcomes",
    "Outcome": "resolving.outcomes",
    "OutcomeName": "resolving.outcomes",
    "Proxies": "proxies",
    "ProxyResolver": "resolving.resolvers",
    "RecordsResolver": "resolving.resolvers",
    "ReferenceForm": "forms",
    "Refused": "resolving.outcomes",
    "Resolved": "resolving.outcomes",
    "Resolver": "resolving.resolvers",
    "Unreachable": "resolving.outcomes",
    "Version": "citing.work",
    "Work": "citing.work",
    "diagnose": "diagnostics",
    "find_references": "scanning",
    "resolve_many": "resolving.many",
}


# A type checker would take any name for one that is there.
if not TYPE_CHECKING:

    def __getattr__(name: str) -> object:
        module = _MODULE_OF.get(name)
        if module is None:
            raise AttributeError(f"module {__name__!r} has no attribute {name!r}")
        value = getattr(import_module(f"{__name__}.{module}"), name)
        # Python asks here only for what the module does not have yet.
        globals()[name] = value
        return value

    def __dir__() -> list[str]:
        # For help and completion, a name that is not loaded yet is one, too.
        return sorted({*globals(), *__all__})
