"""A bad and a good example for each kind of warning, as the manual shows them.

A kind is caused by a page, or by the configuration.  The tests build both examples.
"""

import json
from dataclasses import dataclass

__all__ = ["EXAMPLES", "WITHOUT_EXAMPLE", "Example"]


@dataclass(frozen=True, slots=True)
class Example:
    """Source that causes a warning, and what to write instead."""

    bad: str
    good: str
    language: str = "rst"


def card(*lines: str) -> str:
    """The source of a card: options first, then the rows of its history."""
    shown = (":work: 20.1000/manual", *lines)
    return "\n".join([".. cite-version::", *(f"   {line}".rstrip() for line in shown)])


def history(row: str) -> Example:
    """A first row of a history that contradicts the second, and one that does not."""
    last = "2.0 | 2026-01-01 | 20.1000/manual-2"
    return Example(
        card(":version: 2.0", "", row, last),
        card(":version: 2.0", "", "1.0 | 2025-01-01 | 20.1000/manual-1", last),
    )


def records(bad: dict[str, object]) -> Example:
    """Records of a work and of its version 2.0: some wrong, and the right ones."""
    good = {
        "20.1000/manual": LATEST,
        "20.1000/manual-1": "https://example.org/1.0/",
        "20.1000/manual-2": LATEST,
    }
    return Example(json.dumps(bad, indent=2), json.dumps(good, indent=2), "json")


#: The address of version 2.0, the latest.
LATEST = "https://example.org/2.0/"
#: Two works as references.
KAHN = "Kahn, R. (2006). A framework for distributed objects. IJDL 6, 115."
PASKIN = "Paskin, N. (2005). Identifiers for scientific data. DSJ 4, 12."

EXAMPLES = {
    "syntax": Example(":hdl:`20.1000`", ":hdl:`20.1000/100`"),
    "link": Example("`the report <hdl:20.1000>`__", "`the report <hdl:20.1000/100>`__"),
    "target": Example(
        "See hdl:20.1000/part_\n\n.. _part: https://example.org/",
        "See :hdl:`20.1000/part_`\n\n.. _part: https://example.org/",
    ),
    "markup": Example("doi:`10.1000/182`", ":doi:`10.1000/182`"),
    "malformed": Example("doi:20.1000/100", "hdl:20.1000/100"),
    "config": Example('handle_verify = "yes"', "handle_verify = True", "python"),
    "bidirectional": Example("hdl:20.1000/abc%E2%80%AEdef", "hdl:20.1000/abcdef"),
    "invisible": Example("hdl:20.1000/ab%E2%80%8Bcd", "hdl:20.1000/abcd"),
    "damaged": Example("hdl:20.1000/caf%EF%BF%BD", "hdl:20.1000/café"),
    "white-space": Example("hdl:20.1000/a%20b", "hdl:20.1000/a-b"),
    "slash-look-alike": Example("hdl:20.1000/a∕b", "hdl:20.1000/a/b"),
    "prefix-look-alike": Example(":hdl:`٢٠.1000/100`", ":hdl:`20.1000/100`"),
    "not-nfc": Example("hdl:20.1000/cafe%CC%81", "hdl:20.1000/caf%C3%A9"),
    "typographic": Example("hdl:20.1000/a–b", "hdl:20.1000/a-b"),
    "looks-encoded": Example(":hdl:`20.1000/a%2Fb`", ":hdl:`20.1000/a/b`"),
    "broken-address": Example(
        "https:/doi.org/10.1000/182", "https://doi.org/10.1000/182"
    ),
    "doubled-scheme": Example(
        "https://doi.org/doi:10.1000/182", "https://doi.org/10.1000/182"
    ),
    "glued": Example(
        "doi:10.1000/182;doi:10.1000/183", "doi:10.1000/182; doi:10.1000/183"
    ),
    "trailing-punctuation": Example(":doi:`10.1000/182.`", ":doi:`10.1000/182`."),
    "placeholder": Example("doi:10.5281/zenodo.XXXXXXX", "doi:10.5281/zenodo.6381129"),
    "entity": Example("doi:10.1000/a&lt;b", "doi:10.1000/a<b:c>d"),
    "cut-off": Example(
        ":doi:`10.1002/(SICI)1099(1999`", ":doi:`10.1002/(SICI)1099(1999)`"
    ),
    "other-target": Example(
        "`10.1000/182 <https://doi.org/10.1000/183>`__",
        "`10.1000/183 <https://doi.org/10.1000/183>`__",
    ),
    "proxy-path": Example(":hdl:`api/handles/20.1000/100`", ":hdl:`20.1000/100`"),
    "prefix-character": Example(":hdl:`ab+c.1/x`", ":hdl:`ab-c.1/x`"),
    "reserved-character": Example(":hdl:`hdl:20.1000/a#b`", ":hdl:`20.1000/a#b`"),
    "suffix": Example("hdl:102.100.272/Y35XYSOQH", "hdl:102.100.272/Y35XYS0QH"),
    "server": Example("hdl://hdl.example.org:2641/20.1000/100", "hdl:20.1000/100"),
    "not-registered": records({"20.1000/manual": LATEST}),
    "record": records({"20.1000/manual": "urn:isbn:0", "20.1000/manual-2": LATEST}),
    "no-values": records(
        {
            "20.1000/manual": {"responseCode": 200, "values": []},
            "20.1000/manual-2": LATEST,
        }
    ),
    "citation": Example(
        card(":title: A manual", ":handle: 20.1000"),
        card(":title: A manual", ":handle: 20.1000/manual-2"),
    ),
    "cite-not-yet-assigned": Example(
        card(":handle: not yet assigned"), card(":handle: 20.1000/manual-2")
    ),
    "cite-not-in-history": Example(
        card(":version: 2.0", "", "1.0 | 2025-01-01 | 20.1000/manual-1"),
        card(
            ":version: 2.0",
            "",
            "1.0 | 2025-01-01 | 20.1000/manual-1",
            "2.0 | 2026-01-01 | 20.1000/manual-2",
        ),
    ),
    "cite-work-as-version": Example(
        card(":handle: 20.1000/manual"), card(":handle: 20.1000/manual-2")
    ),
    "cite-same-handle": history("1.0 | 2025-01-01 | 20.1000/manual-2"),
    "cite-same-label": history("2.0 | 2025-01-01 | 20.1000/manual-1"),
    "cite-placeholder": Example(
        card(":handle: 20.1000/TBA"), card(":handle: 20.1000/manual-2")
    ),
    "cite-date-order": history("1.0 | 2027-01-01 | 20.1000/manual-1"),
    "cite-label-order": history("3.0 | 2027-01-01 | 20.1000/manual-1"),
    "cite-release": Example(
        'release = "2.1"  # and on the page, :version: 2.0', 'release = "2.0"', "python"
    ),
    "same-doi": Example(
        f"{KAHN} doi:10.5555/objects\n\n{PASKIN} doi:10.5555/objects",
        f"{KAHN} doi:10.5555/objects\n\n{PASKIN} doi:10.5555/data",
    ),
    "cite-work-target": records(
        {
            "20.1000/manual": "https://example.org/1.0/",
            "20.1000/manual-1": "https://example.org/1.0/",
            "20.1000/manual-2": LATEST,
        }
    ),
    "cite-version-target": records(
        {"20.1000/manual": LATEST, "20.1000/manual-2": "https://example.org/1.0/"}
    ),
}

#: The kinds that a server or a machine causes, or that no page can show.
WITHOUT_EXAMPLE = {
    # These are about bibliographies, and about Markdown.
    "address-in-field",
    "empty",
    # The file of references says so.
    "references",
    "references-age",
    # It is about the files of a repository.
    "stale-version",
    "skipped",
    "retracted",
    "concern",
    "superseded",
    "published",
    "corrected",
    "alias",
    "unregistered",
    "undescribed",
    "other-work",
    "too-long",
    "myst",
    "cache",
    "nothing-verified",
    "verification-stopped",
    "refused",
    "unreachable",
}
