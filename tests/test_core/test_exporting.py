"""Works of the file of references for other programs, as a card has them, too."""

import json
import re
import shutil
import subprocess
from typing import Any

import pytest

from handle_system.citing.citation import Citation
from handle_system.citing.formats import CitationFormat
from handle_system.citing.style import Date, Described, Run
from handle_system.citing.work import (
    ARTICLE_TYPES,
    Creator,
    Version,
    Work,
    WorkKind,
)
from handle_system.describing.described_work import DescribedWork
from handle_system.describing.exporting import EXPORT_FORMATS, exported
from handle_system.handle import Handle
from handle_system.proxies import DEFAULT_PROXIES

ARTICLE = {
    "id": "doi:10.5555/a",
    "type": "article-journal",
    "title": "Urns -- ``hot'' & <i>in vitro</i>, H<sub>2</sub>O",
    "author": [
        {"family": "Carberry", "given": "Josiah", "suffix": "Jr."},
        {"literal": "Friends, Inc."},
        {"family": "others"},
    ],
    "issued": {"date-parts": [[2018, 2, 6]]},
    "container-title": "Journal of Psychoceramics",
    "volume": "12",
    "issue": "3",
    "page": "453S-458S",
    "publisher": "Press",
    "language": "en",
    "DOI": "10.5555/a",
    "custom": {"agency": "Crossref", "asked": "2026-11-25"},
}
CHAPTER = {
    "id": "hdl:20.1000/100",
    "type": "chapter",
    "title": "Urns",
    "editor": [{"family": "Doe", "given": "Ann"}],
    "issued": {"date-parts": [[2019]]},
    "container-title": "Pots",
    "collection-title": "Lecture Notes in Urns",
    "publisher": "Press & Sons",
    "publisher-place": "Oxford",
    "edition": "2",
    "page": "e17",
}
BIBTEX = r"""@article{carberry-2018-urns,
  author = {Carberry, Jr., Josiah and {Friends, Inc.} and others},
  title = {{Urns -{}- `{}`hot'{}' \& \emph{in vitro}, H\textsubscript{2}O}},
  journal = {Journal of Psychoceramics},
  volume = {12},
  number = {3},
  pages = {453S--458S},
  publisher = {{Press}},
  year = {2018},
  month = feb,
  doi = {10.5555/a},
  url = {https://doi.org/10.5555/a},
}

@incollection{doe-2019-urns,
  editor = {Doe, Ann},
  title = {{Urns}},
  booktitle = {Pots},
  series = {Lecture Notes in Urns},
  edition = {2},
  pages = {e17},
  publisher = {{Press \& Sons}},
  address = {Oxford},
  year = {2019},
  eprint = {20.1000/100},
  eprinttype = {hdl},
  url = {https://hdl.handle.net/20.1000/100},
}
"""
# The tilde is a space at the end of a line.
RIS = """TY  - JOUR
ID  - carberry-2018-urns
AU  - Carberry, Josiah, Jr.
AU  - Friends Inc.
AU  - others
TI  - Urns -- ``hot'' & in vitro, H2O
T2  - Journal of Psychoceramics
VL  - 12
IS  - 3
SP  - 453S
EP  - 458S
PB  - Press
PY  - 2018
DA  - 2018/02/06
DO  - 10.5555/a
UR  - https://doi.org/10.5555/a
LA  - en
ER  -~

TY  - CHAP
ID  - doe-2019-urns
ED  - Doe, Ann
TI  - Urns
T2  - Pots
T3  - Lecture Notes in Urns
SP  - e17
ET  - 2
PB  - Press & Sons
CY  - Oxford
PY  - 2019
UR  - https://hdl.handle.net/20.1000/100
ER  -~
""".replace("~", " ")


def works(*items: dict[str, Any]) -> list[DescribedWork]:
    """The works of stored items."""
    return [
        DescribedWork(Handle.parse(item["id"].partition(":")[2]), item)
        for item in items
    ]


def export(name: str, *items: dict[str, Any]) -> str:
    return exported(works(*items), name, DEFAULT_PROXIES)


@pytest.mark.parametrize(("name", "text"), [("bibtex", BIBTEX), ("ris", RIS)])
def test_whole_entries(name: str, text: str) -> None:
    """Each field stands where the format has it, and identifiers as in a card."""
    assert export(name, ARTICLE, CHAPTER) == text


def test_csl_json() -> None:
    """Items have no members of our own, and keep the keys by which they are cited."""
    article, chapter = json.loads(export("csl-json", ARTICLE, CHAPTER))

    assert article["id"] == "doi:10.5555/a"
    assert article["URL"] == "https://doi.org/10.5555/a"
    assert article["title"] == ARTICLE["title"]
    assert "custom" not in article
    assert chapter["id"] == "hdl:20.1000/100"
    assert chapter["custom"] == {"handle": "20.1000/100"}
    assert "DOI" not in chapter


@pytest.mark.parametrize(
    ("written", "in_tex"),
    [
        ("a--b", "a-{}-b"),
        ("a---b", "a-{}-{}-b"),
        ("``a''", "`{}`a'{}'"),
        ("it's `a`", "it's `a`"),
        ("?`a!`", "?{}`a!{}`"),
        ("a,,b", "a,{},b"),
        ("a–b", "a–b"),
    ],
)
def test_characters_that_tex_joins(written: str, in_tex: str) -> None:
    """No two characters of a title become another one."""
    entry = export("bibtex", {"id": "doi:10.5555/a", "title": written})

    assert f"  title = {{{{{in_tex}}}}},\n" in entry


@pytest.mark.skipif(shutil.which("pandoc") is None, reason="there is no pandoc")
@pytest.mark.parametrize(
    ("name", "reader"),
    [("bibtex", "biblatex"), ("bibtex", "bibtex"), ("csl-json", "csljson")],
)
def test_pandoc_reads_what_is_exported(name: str, reader: str) -> None:
    """Another program reads title, pages and names as they were."""
    # pandoc itself makes quotation marks of quotes.
    article = {**ARTICLE, "title": "Urns -- & <i>in vitro</i>, H<sub>2</sub>O"}
    done = subprocess.run(
        ["pandoc", f"--from={reader}", "--to=csljson"],
        input=export(name, article, CHAPTER),
        capture_output=True,
        check=True,
        encoding="utf-8",
    )
    read = json.loads(done.stdout)[0]

    assert read["type"] == "article-journal"
    assert article["title"] in read["title"]
    assert read["page"] == "453S-458S"
    assert read["author"][0]["family"] == "Carberry"
    assert read["DOI"] == "10.5555/a"


def test_keys_differ() -> None:
    """Two works of one author, year and word have two keys."""
    same = [{**ARTICLE, "id": f"doi:10.5555/{number}"} for number in range(3)]

    keys = [
        line.partition("{")[2].rstrip(",")
        for line in export("bibtex", *same).splitlines()
        if line.startswith("@")
    ]

    assert keys == [
        "carberry-2018-urns",
        "carberry-2018-urns-2",
        "carberry-2018-urns-3",
    ]


@pytest.mark.parametrize(
    ("item", "entry_type"),
    [
        ({"type": "thesis"}, "phdthesis"),
        ({"type": "thesis", "genre": "Master's thesis"}, "mastersthesis"),
        ({"type": "report"}, "techreport"),
        ({"type": "article"}, "misc"),
        ({"type": "odd"}, "misc"),
        ({}, "misc"),
    ],
)
def test_types_of_bibtex(item: dict[str, str], entry_type: str) -> None:
    """Each type has the entry that styles know; others are of no type."""
    text = export("bibtex", {"id": "doi:10.5555/a", "title": "Urns", **item})

    assert text.startswith(f"@{entry_type}{{urns,\n")


@pytest.mark.parametrize("name", [*EXPORT_FORMATS, "text"])
def test_hostile_metadata(name: str) -> None:
    """Nothing in an item ends its entry, and what is unknown is left out."""
    hostile = {
        "id": "doi:10.5555/}x",
        "title": "a}\n@book{evil,\nER  - \nTY  - BOOK\\input{/etc/passwd}",
        "author": [{"literal": "x}\nAU  - y"}, 3],
        "page": ["odd"],
        "issued": {"date-parts": [["x"]]},
        "volume": {"a": 1},
    }

    text = export(name, hostile, {"id": "doi:10.5555/none"})

    if name == "bibtex":
        assert text.count("{") == text.count("}")
        assert text.count("\n@") == 0
    elif name == "ris":
        assert [line[:2] for line in text.splitlines()].count("TY") == 1
    elif name == "text":
        assert len(text.splitlines()) == 1
    else:
        assert len(json.loads(text)) == 1


PEOPLE = (
    Creator.person("Carberry", "Josiah", "Jr."),
    Creator.person("Plato"),
    Creator(name="Friends, Inc."),
    Creator.person("von Neumann", "John"),
)
NAMES = [
    {"family": "Carberry", "given": "Josiah", "suffix": "Jr."},
    {"family": "Plato"},
    {"literal": "Friends, Inc."},
    {"family": "von Neumann", "given": "John"},
]
TITLE = "Urns -- 50% ``hot'' & {cold} \\input"


def without_name(text: str) -> str:
    """An export without the key of each entry, by which lists and cards differ."""
    return re.sub(r'(?m)^(@\w+\{|ID  - |    "id": ).*$', r"\1", text)


@pytest.mark.parametrize("name", EXPORT_FORMATS)
@pytest.mark.parametrize("handle", ["10.5555/a;b&c", "20.1000/100"])
@pytest.mark.parametrize(
    ("kind", "item_type"),
    [
        (WorkKind.DOCUMENT, "document"),
        (WorkKind.REPORT, "report"),
        (WorkKind.SOFTWARE, "software"),
        (WorkKind.DATASET, "dataset"),
    ],
)
def test_a_work_is_written_alike_in_a_card_and_in_a_list(
    name: str, handle: str, kind: WorkKind, item_type: str
) -> None:
    """The same data give the same bytes but for the key, whoever wrote them down."""
    version = Version(label="V1.0", date=Date(2007, 6, 26), handle=Handle.parse(handle))
    work = Work(
        title=TITLE, creators=PEOPLE, publisher="Press & Sons", kind=kind, language="en"
    )
    item = {
        "language": "en",
        "id": Handle.parse(handle).uri(),
        "type": item_type,
        "title": TITLE,
        "author": NAMES,
        "version": "V1.0",
        "publisher": "Press & Sons",
        "issued": {"date-parts": [[2007, 6, 26]]},
    }

    card = CitationFormat(name).export(Citation(work=work, version=version))

    listed = exported(
        [DescribedWork(Handle.parse(handle), item)], name, DEFAULT_PROXIES
    )
    assert without_name(card) == without_name(listed)


@pytest.mark.parametrize("name", EXPORT_FORMATS)
@pytest.mark.parametrize("kind", ARTICLE_TYPES.values())
@pytest.mark.parametrize(
    ("date", "issued"),
    [
        (Date(2024), {"date-parts": [[2024]]}),
        (Date(words="in press"), {"literal": "in press"}),
    ],
)
def test_an_article_is_written_alike_in_a_card_and_in_a_list(
    name: str, kind: str, date: Date, issued: dict[str, Any]
) -> None:
    """An article about a work, too, whatever its type, and before it is printed."""
    article = Described(
        title=(Run(TITLE),),
        type=kind,
        authors=PEOPLE,
        container="Pots & Pans",
        volume="9",
        issue="97",
        pages="6111-6113",
        publisher="Press",
        date=date,
        handle=Handle.parse("10.5555/a"),
    )
    work = Work(title="x", article=article)
    item = {
        "id": "doi:10.5555/a",
        "type": kind,
        "title": TITLE,
        "author": NAMES,
        "container-title": "Pots & Pans",
        "volume": "9",
        "issue": "97",
        "page": "6111-6113",
        "publisher": "Press",
        "issued": issued,
    }

    card = CitationFormat(name).export(Citation(work=work, version=Version(label="1")))

    last_entry = card.split("\n\n")[-1]
    listed = export(name, item)
    if name == "csl-json":
        assert (
            without_name(card).split("  {\n")[-1]
            == (without_name(listed).split("  {\n")[-1])
        )
    else:
        assert without_name(last_entry) == without_name(listed)


@pytest.mark.parametrize(
    ("name", "title"),
    [
        (
            "bibtex",
            r"{{The \textless{}i\textgreater{} tag\textless{}/i\textgreater{}}}",
        ),
        ("ris", "TI  - The <i> tag</i>"),
        ("csl-json", '"title": "The <i> tag</i>"'),
        ("text", "The <i> tag</i>. Version 1."),
    ],
)
def test_tags_in_a_title_of_an_author_are_text(name: str, title: str) -> None:
    """Only the metadata of agencies have tags; an author's title is exact."""
    work = Work(title="The <i> tag</i>")

    card = CitationFormat(name).export(Citation(work=work, version=Version(label="1")))

    assert title in card


def test_a_file_says_more_than_a_reference() -> None:
    """CSL-JSON keeps every variable, and the other formats those that they have."""
    report = {
        "id": "doi:10.5555/r",
        "type": "report",
        "title": "Urns",
        "number": "TR 5",
        "translator": [{"family": "Roe", "given": "J."}],
        "original-date": {"date-parts": [[1888]]},
        "collection-title": "<i>Pots</i>",
    }

    [item] = json.loads(export("csl-json", report))

    assert item["translator"] == report["translator"]
    assert item["original-date"] == report["original-date"]
    assert item["collection-title"] == "<i>Pots</i>"
    assert "  number = {TR 5},\n" in export("bibtex", report)
    assert "T3  - Pots\nIS  - TR 5\n" in export("ris", report)


@pytest.mark.parametrize(
    ("item", "bibtex", "ris"),
    [
        ({"number": "5"}, "  number = {5},\n", "IS  - 5\n"),
        (
            {"number": "e7", "container-title": "Urns", "issue": "3"},
            "  number = {3},\n  pages = {e7},\n",
            "IS  - 3\nSP  - e7\n",
        ),
        (
            {"number": "e7", "container-title": "Urns"},
            "  howpublished = {Urns},\n  pages = {e7},\n",
            "T2  - Urns\nSP  - e7\n",
        ),
    ],
)
def test_a_number_stands_once(item: dict[str, str], bibtex: str, ris: str) -> None:
    """The number of an article stands for its pages, and that of a report for itself."""
    work = {"id": "doi:10.5555/a", "title": "x", **item}

    assert bibtex in export("bibtex", work)
    assert ris in export("ris", work)
    assert export("bibtex", work).count(f"{{{item['number']}}}") == 1
