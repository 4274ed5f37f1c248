"""The page that the trials of editors open, with its works, and what is seen of it."""

import json
import re
from collections.abc import Iterable, Mapping
from pathlib import Path

__all__ = ["COMPLETED", "FIXED", "PAGE", "compare", "said_address", "write_project"]

PAGE = """\
# Names and vaccines

Names outlive servers ([Taylor et al., 1999](doi:10.1007/s00799-005-0128-x)),
and doi:10.1O00/182 says how. In 1998, a paper frightened many parents
(doi:10.1016/s0140-6736(97)11096-0).

"""
#: The page after its suggestion is written.
FIXED = PAGE.replace("10.1O00/182", "10.1000/182")
#: The page with a work that is completed behind it.
COMPLETED = f"{FIXED}{{doi}}`10.1007/s00799-005-0128-x"
_WORKS = [
    {
        "id": "doi:10.1016/s0140-6736(97)11096-0",
        "type": "article-journal",
        "title": "Ileal-lymphoid-nodular hyperplasia, non-specific colitis, and "
        "pervasive developmental disorder in children",
        "author": [
            {"family": "Wakefield", "given": "A. J."},
            {"family": "Murch", "given": "S. H."},
            {"family": "others"},
        ],
        "issued": {"date-parts": [[1998]]},
        "container-title": "The Lancet",
        "volume": "351",
        "issue": "9103",
        "page": "637-641",
        "custom": {
            "updates": [
                {
                    "state": "retracted",
                    "by": "10.1016/s0140-6736(10)60175-4",
                    "date": "2010-02-06",
                }
            ]
        },
    },
    {
        "id": "doi:10.1007/s00799-005-0128-x",
        "type": "article-journal",
        "title": "A framework for distributed digital object services",
        "author": [
            {"family": "Kahn", "given": "Robert"},
            {"family": "Wilensky", "given": "Robert"},
        ],
        "issued": {"date-parts": [[2006]]},
        "container-title": "International Journal on Digital Libraries",
    },
]


def write_project(folder: Path) -> None:
    """Write the page, its works and the settings into a folder."""
    (folder / "pyproject.toml").write_text("[tool.handle]\n")
    (folder / "history.md").write_text(PAGE, encoding="utf-8")
    works = json.dumps(_WORKS, ensure_ascii=False)
    (folder / "references.json").write_text(works, encoding="utf-8")


def compare(seen: Mapping[str, object], expected: Mapping[str, object]) -> None:
    """Print what was seen, and end with an error if it is not what is expected."""
    for what, value in expected.items():
        mark = "as expected" if seen.get(what) == value else f"not {value!r}"
        print(f"{what}: {seen.get(what)!r}, {mark}")
    assert {what: seen.get(what) for what in expected} == expected


def said_address(lines: Iterable[str], pattern: re.Pattern[str]) -> str:
    """The address that a server says when it listens: the first group of a pattern."""
    said = ""
    for line in lines:
        said += line
        if address := pattern.search(line):
            return address[1]
    raise AssertionError(said)
