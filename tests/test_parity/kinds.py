"""What causes a finding of each kind, in the syntax of each front end.

Most kinds are about a reference, a link, a role or a card.  It stands on the same line of
a page in reStructuredText, a page in Markdown, a tree of mystmd and a document of Pandoc.
The other kinds need something around the page: a file, a setting, or a server.
"""

import json
from collections.abc import Mapping
from enum import Enum, auto
from typing import Any, NamedTuple

from handle_system.findings.codes import Code

__all__ = ["CASES", "POLICY", "RECORDS", "REFERENCES", "Case", "Server", "Surroundings"]

#: The records of the registered handles.
RECORDS: dict[str, object] = {
    "20.1000/manual": "https://example.org/2.0/",
    "20.1000/manual-1": "https://example.org/1.0/",
    "20.1000/manual-2": "https://example.org/2.0/",
    "20.1000/registered": "https://example.org/",
    "20.1000/nowhere": "urn:x",
    "20.1000/empty": {"responseCode": 200, "values": []},
    "20.1000/refusing": {"responseCode": 402},
    "20.1000/silent": {"responseCode": 5},
}
POLICY = {"102.100.272": "pilin"}
_STATES = ("retracted", "concern", "superseded", "published", "corrected", "alias")
_KAHN: dict[str, object] = {
    "id": "doi:10.1000/kahn",
    "type": "article-journal",
    "title": "A framework for distributed digital object services",
    "author": [{"family": "Kahn", "given": "Robert"}],
    "issued": {"date-parts": [[2006]]},
}
REFERENCES = json.dumps(
    [
        {
            "id": f"doi:10.1000/{state}",
            "type": "article-journal",
            "title": f"A work {state}",
            "custom": {"updates": [{"state": state, "by": "10.1000/notice"}]},
        }
        for state in _STATES
    ]
    + [_KAHN]
)
# In the far future, so that it is never long ago.
_UNREGISTERED = json.dumps(
    [
        {
            "id": "doi:10.1000/made-up",
            "DOI": "10.1000/made-up",
            "type": "document",
            "custom": {"unregistered": "2999-01-01"},
        }
    ]
)
_OLD_REFERENCES = json.dumps(
    [{**_KAHN, "custom": {"agency": "Crossref", "asked": "2019-01-01"}}]
)
_CITATION_FILE = """\
cff-version: 1.2.0
message: Cite it.
title: A manual
authors: [{name: The authors}]
version: "2.0"
identifiers:
  - {type: doi, value: 10.1000/manual, description: All versions}
  - {type: doi, value: 10.1000/manual-1, description: Version 1.0}
  - {type: doi, value: 10.1000/manual-2, description: Version 2.0}
"""


class Server(Enum):
    """Who is asked about the handles of a case."""

    NOBODY = auto()
    """Nothing is verified."""
    RECORDS = auto()
    """A server with `RECORDS`."""
    MISSING = auto()
    """A server that does not exist."""
    STOPPING = auto()
    """A process that stops after its first answer."""


class Surroundings(NamedTuple):
    """What stands around the page that causes a finding.

    Attributes:
        files: Files beside the page, by name.
        conf: The configuration of the Sphinx project.
        table: Lines of ``[tool.handle]``.
        severity: The severities that the project sets, for a kind that is off by default.
        options: Options of the Markdown plugin, and of the extension of Python-Markdown.
        references: The file of references.
        server: Who is asked.
        records: Other records of the server, by handle.
    """

    files: Mapping[str, str] = {}
    conf: Mapping[str, object] = {}
    table: str = ""
    severity: Mapping[str, str] = {}
    options: Mapping[str, Any] = {}
    references: str = REFERENCES
    server: Server = Server.NOBODY
    records: Mapping[str, object] = {}


class Case(NamedTuple):
    """What causes a finding, in the syntax of each front end.

    Attributes:
        rst: A page in reStructuredText.
        markdown: A page in Markdown.
        arguments: How mystmd calls its plugin.
        mystmd: What mystmd gives it; nothing if it has no such thing.
        pandoc: The blocks of a document of Pandoc.
        around: What stands around the page; `None` if nothing has to.
    """

    rst: str
    markdown: str
    arguments: tuple[str, ...]
    mystmd: dict[str, object]
    pandoc: list[dict[str, object]]
    around: Surroundings | None = None


def _tree(*children: dict[str, object]) -> dict[str, object]:
    return {"type": "root", "children": [_paragraph(1, *children)]}


def _paragraph(line: int, *children: dict[str, object]) -> dict[str, object]:
    position = {"start": {"line": line}}
    return {"type": "paragraph", "children": [*children], "position": position}


def _words(text: str) -> list[dict[str, object]]:
    nodes: list[dict[str, object]] = []
    for index, word in enumerate(text.split(" ")):
        nodes += [{"t": "Space"}] if index else []
        nodes += [{"t": "Str", "c": word}]
    return nodes


def _text(source: str) -> Case:
    return _paragraphs(f"See {source} now.")


def _paragraphs(*texts: str) -> Case:
    """Paragraphs of running text, with a line between them."""
    page = "\n\n".join(texts)
    children = [
        _paragraph(line, {"type": "text", "value": text})
        for line, text in zip(range(1, 2 * len(texts), 2), texts, strict=True)
    ]
    return Case(
        rst=page,
        markdown=page,
        arguments=("--transform",),
        mystmd={"type": "root", "children": children},
        pandoc=[{"t": "Para", "c": _words(text)} for text in texts],
    )


def _role(name: str, content: str) -> Case:
    code = {"t": "Code", "c": [["", [], []], content]}
    return Case(
        rst=f":{name}:`{content}`",
        markdown=f"{{{name}}}`{content}`",
        arguments=("--role", name),
        mystmd={"body": content},
        pandoc=[{"t": "Para", "c": [{"t": "Str", "c": f"{{{name}}}"}, code]}],
    )


def _link(target: str, text: str = "see") -> Case:
    node: dict[str, object] = {
        "type": "link",
        "url": target,
        "children": [{"type": "text", "value": text}],
    }
    link = {"t": "Link", "c": [["", [], []], _words(text), [target, ""]]}
    return Case(
        rst=f"`{text} <{target}>`__",
        markdown=f"[{text}]({target})",
        arguments=("--transform",),
        mystmd=_tree(node),
        pandoc=[{"t": "Para", "c": [link]}],
    )


def _card(body: str = "", **options: str) -> Case:
    usual = {"title": "A manual", "work": "20.1000/manual", **options}
    given = {name: value for name, value in usual.items() if value}
    shown = [f":{name}: {value}" for name, value in given.items()]
    rows = ["", *body.splitlines()] if body else []
    lines = [*shown, *rows]
    code: dict[str, object] = {
        "t": "CodeBlock",
        "c": [["", ["{cite-version}"], []], "\n".join(lines)],
    }
    return Case(
        rst="\n".join(
            [".. cite-version::", *(f"   {line}".rstrip() for line in lines)]
        ),
        markdown="\n".join(["```{cite-version}", *lines, "```"]),
        arguments=("--directive", "cite-version"),
        mystmd={"options": given, "body": body},
        pandoc=[code],
    )


def _history(row: str) -> Case:
    last = "2.0 | 2026-01-01 | 20.1000/manual-2"
    return _card(f"{row}\n{last}", version="2.0")


def _around(case: Case, **around: Any) -> Case:
    return case._replace(around=Surroundings(**around))


def _asking(handle: str) -> Case:
    """A handle that a server is asked about, beside one that is right."""
    text = f"{handle} and hdl:20.1000/registered"
    return _around(_text(text), server=Server.RECORDS)


CASES: dict[Code, Case] = {
    Code.SYNTAX: _role("hdl", "20.1000"),
    Code.LINK: _link("hdl:20.1000"),
    Code.TARGET: _text("hdl:20.1000/part_")._replace(
        rst="See hdl:20.1000/part_ now.\n\n.. _part: https://example.org/",
    ),
    Code.MARKUP: _text("doi:10.1000/a<0081: and"),
    Code.MALFORMED: _text("doi:20.5/3"),
    Code.BIDIRECTIONAL: _text("hdl:20.1000/abc%E2%80%AEdef"),
    Code.INVISIBLE: _text("hdl:20.1000/ab%E2%80%8Bcd"),
    Code.DAMAGED: _text("hdl:20.1000/caf%EF%BF%BD"),
    Code.WHITE_SPACE: _text("hdl:20.1000/a%20b"),
    Code.SLASH_LOOK_ALIKE: _text("hdl:20.1000/a∕b"),
    Code.PREFIX_LOOK_ALIKE: _role("hdl", "٢٠.1000/100"),
    Code.NOT_NFC: _text("hdl:20.1000/cafe%CC%81"),
    Code.TYPOGRAPHIC: _text("hdl:20.1000/a–b"),
    Code.LOOKS_ENCODED: _role("hdl", "20.1000/a%2Fb"),
    Code.BROKEN_ADDRESS: _text("https:/doi.org/10.1000/182"),
    Code.DOUBLED_SCHEME: _text("https://doi.org/doi:10.1000/182"),
    Code.GLUED: _text("doi:10.1000/182;doi:10.1000/183"),
    Code.TRAILING_PUNCTUATION: _role("doi", "10.1000/182."),
    Code.PLACEHOLDER: _text("doi:10.5281/zenodo.XXXXXXX"),
    Code.ENTITY: _role("doi", "10.1000/a&lt;b&gt;c"),
    Code.CUT_OFF: _link("https://doi.org/10.1016/S0140(97")._replace(
        markdown="[see](<https://doi.org/10.1016/S0140(97>)"
    ),
    Code.PROXY_PATH: _role("hdl", "api/handles/20.1000/100"),
    Code.PREFIX_CHARACTER: _role("hdl", "ab+c.1/x"),
    Code.RESERVED_CHARACTER: _role("hdl", "hdl:20.1000/a#b"),
    Code.TOO_LONG: _text("hdl:20.1000/" + "x" * 2048),
    Code.SERVER: _text("hdl://hdl.example.org:2641/20.1000/100"),
    Code.OTHER_TARGET: _link("https://doi.org/10.1000/182", "doi:10.1000/183"),
    Code.ADDRESS_IN_FIELD: _around(
        _text("nothing"),
        files={"a.bib": "@book{b,\n  doi = {https://doi.org/10.1000/182},\n}\n"},
    ),
    Code.EMPTY: _link("", "doi:10.1000/182"),
    Code.SUFFIX: _text("hdl:102.100.272/Y35XYSOQH"),
    Code.NOT_REGISTERED: _asking("hdl:20.1000/missing"),
    Code.RECORD: _asking("hdl:20.1000/nowhere"),
    Code.NO_VALUES: _asking("hdl:20.1000/empty"),
    Code.REFUSED: _asking("hdl:20.1000/refusing"),
    Code.UNREACHABLE: _asking("hdl:20.1000/silent"),
    Code.RETRACTED: _text("doi:10.1000/retracted"),
    Code.CONCERN: _text("doi:10.1000/concern"),
    Code.SUPERSEDED: _text("doi:10.1000/superseded"),
    Code.PUBLISHED: _text("doi:10.1000/published"),
    Code.CORRECTED: _text("doi:10.1000/corrected"),
    Code.ALIAS: _text("doi:10.1000/alias"),
    # An answer, of a server or a file, would stand in its place.
    Code.UNREGISTERED: _around(
        _text("doi:10.1000/made-up"), references=_UNREGISTERED, server=Server.MISSING
    ),
    Code.UNDESCRIBED: _around(
        _role("doi", "10.1000/nobody"), severity={"undescribed": "warning"}
    ),
    Code.OTHER_WORK: _paragraphs(
        "Paskin, N. (2005). Identifiers for scientific data. DSJ 4, 12. "
        "doi:10.1000/kahn"
    ),
    Code.SAME_DOI: _paragraphs(
        "Kahn, R. (2006). A framework for distributed objects. IJDL 6, 115. "
        "doi:10.1000/objects",
        "Paskin, N. (2005). Identifiers for scientific data. DSJ 4, 12. "
        "doi:10.1000/objects",
    ),
    Code.CITATION: _card(title=""),
    Code.CITE_NOT_YET_ASSIGNED: _card(version="2.0", handle="not yet assigned"),
    Code.CITE_NOT_IN_HISTORY: _card(
        "1.0 | 2025-01-01 | 20.1000/manual-1", version="2.0"
    ),
    Code.CITE_WORK_AS_VERSION: _card(version="2.0", handle="20.1000/manual"),
    Code.CITE_SAME_HANDLE: _history("1.0 | 2025-01-01 | 20.1000/manual-2"),
    Code.CITE_SAME_LABEL: _history("2.0 | 2025-01-01 | 20.1000/manual-1"),
    Code.CITE_PLACEHOLDER: _card(version="2.0", handle="20.1000/TBA"),
    Code.CITE_DATE_ORDER: _history("1.0 | 2027-01-01 | 20.1000/manual-1"),
    Code.CITE_LABEL_ORDER: _history("3.0 | 2027-01-01 | 20.1000/manual-1"),
    Code.CITE_RELEASE: _around(
        _card(version="2.0", handle="20.1000/manual-2"),
        conf={"release": "2.1", "root_doc": "page"},
        options={"release": "2.1"},
    ),
    Code.CITE_WORK_TARGET: _around(
        _history("1.0 | 2025-01-01 | 20.1000/manual-1"),
        server=Server.RECORDS,
        records={"20.1000/manual": "https://example.org/1.0/"},
    ),
    Code.CITE_VERSION_TARGET: _around(
        _card(version="2.0", handle="20.1000/manual-2"),
        conf={"html_baseurl": "https://example.org/3.0/"},
        server=Server.RECORDS,
    ),
    Code.STALE_VERSION: _around(
        _text("nothing"),
        files={
            "CITATION.cff": _CITATION_FILE,
            "README.md": "Please cite doi:10.1000/manual-1.\n",
        },
    ),
    # Only Python-Markdown obeys it.
    Code.CONFIG: _around(
        _text("nothing"), files={"pyproject.toml": "[tool.handle]\npage = 1\n"}
    ),
    Code.MYST: _around(_text("nothing")),
    Code.REFERENCES: _around(
        _text("doi:10.1000/kahn"), references="<<<<<<< HEAD\n[]\n"
    ),
    Code.REFERENCES_AGE: _around(_text("doi:10.1000/kahn"), references=_OLD_REFERENCES),
    Code.CACHE: _around(
        _text("hdl:20.1000/registered"),
        conf={"handle_cache": "conf.py"},
        server=Server.RECORDS,
    ),
    Code.NOTHING_VERIFIED: _around(
        _text("hdl:20.1000/registered"), server=Server.MISSING
    ),
    Code.VERIFICATION_STOPPED: _around(
        _text("hdl:20.1000/registered and hdl:20.1000/manual"),
        server=Server.STOPPING,
    ),
    Code.SKIPPED: _around(_text("nothing"), files={"a.cff": "doi: [10.1000/182\n"}),
}
