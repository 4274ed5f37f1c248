"""The core: what a handle is, how it is written, linked, resolved and cited.

No framework is imported here, and nothing opens a connection before a resolver
is asked.  Each name is loaded when it is first used, so that a program which only links
does not pay for a database and an HTTP client, nor the help of the command for a parser.

The modules::

    handle.py                 what a handle is
    forms.py                  the table of written forms
    shortcodes.py             calls of programs that make sites, whose arguments are code
    reference.py              how each form is parsed
    role_content.py           how the content of a role is read
    role_citations.py         roles with several identifiers, each with what is said about it
    scanning.py reference_ends.py
                              where a reference starts in running text, and where it ends
    proxies.py                the one link of a handle, and which URLs are links to handles
    presenting.py             how a reference is shown: address, classes, title and text
    found.py lines.py         a reference where it was found, and the lines of a file
    diagnostics.py checks.py doi_repair.py
                              what is suspicious about a reference, and what was meant
    doi_host.py               what stands behind doi.org: a shortDOI, a page, or a mistake
    text_beside.py            the text beside a reference that can be compared with its work
    errors.py encoding.py text.py
                              errors of reading, percent-encoding, plain text
    collector.py              Python's garbage collector, while thousands of values are made
    text_runs.py              running text that other programs cut into nodes
    suffix.py suffix_policy.py
                              PILIN suffixes, and the formats that a project asks for
    findings/
                              what is said about a reference, a work, a file or a run:
                              kinds, one shape, reports
    typed_values.py           typed values, from conf.py, TOML and JSON
    settings.py               every setting: its type, default, purpose, and who obeys it
    project_file.py project_options.py
                              the table [tool.handle] of pyproject.toml, and where it is
    syntax.py                 the syntaxes of files
    ignored_case.py           prefixes whose servers ignore the case of suffixes
    foreign_files.py          the one door to a file that others may have written
    database_files.py         the same for a database of SQLite, and what lies beside it
    resolving/                records, where they lead, outcomes, resolvers, HTTP, the cache, the filter
    verifying/
                              from outcomes to findings, and the reports: all verified
                              handles, and the page of HTML
    citing/
                              works and versions: read, checked, formatted, registered;
                              the style of references
    describing/
                              what an identifier stands for: items, states, updates, the
                              file of references
      agencies.py services.py answers.py
                              who is asked for metadata, how politely, and what answers
                              mean
      retraction_watch.py     states of works from a copy of the file of Retraction Watch
      finding_dois.py         which DOI a work has that is written without one
      unregistered.py         what did not exist when it was asked for
      agency_lists.py asking_order.py
                              many DOIs in one request, and which comes next
      comparing/              whether a text is about the work that its identifier names
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
