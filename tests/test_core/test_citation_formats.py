"""`handle_system.citing.formats`: the formats of reference managers."""

import json
import re
from dataclasses import replace

import pytest
import yaml
from hypothesis import given
from hypothesis import strategies as st

from handle_system.citing.citation import Citation
from handle_system.citing.fields import HandleReader
from handle_system.citing.formats import CitationFormat
from handle_system.citing.pipeline import read_work
from handle_system.citing.style import Date, Described, Run
from handle_system.citing.work import (
    ARTICLE_TYPES,
    Creator,
    Version,
    Work,
    WorkKind,
)
from handle_system.citing.works_files import read_works
from handle_system.errors import HandleSyntaxError
from handle_system.handle import Handle
from handle_system.proxies import DEFAULT_PROXIES

# What authors write is read with the usual proxies.
READER = HandleReader(proxies=DEFAULT_PROXIES)

TEXT = st.text(st.characters(exclude_categories=["C", "Z"]), min_size=1)
REPORT = Citation(
    work=Work(
        title="Handle Suffix Format Policy",
        creators=(
            Creator.person("Carberry", "Josiah", orcid="0000-0002-1825-0097"),
            Creator(name="PILIN Project"),
        ),
        publisher="Monash University",
        kind=WorkKind.REPORT,
        language="en",
    ),
    version=Version(
        label="V1.0",
        date=Date(2007, 6, 26),
        handle=Handle.parse("102.100.272/0N8J991QH"),
    ),
)


def cited(handle: Handle | None = None, label: str = "1", **work: object) -> Citation:
    """A version of a work called x."""
    made = Work(**{"title": "x", **work})  # type: ignore[arg-type] # as the test has it
    return Citation(work=made, version=Version(label=label, handle=handle))


def text(citation: Citation, form: str) -> str:
    """The citation in a format."""
    return CitationFormat(form).export(citation)


BIBTEX = """\
@techreport{carberry-2007-1.0,
  author = {Carberry, Josiah and {PILIN Project}},
  title = {{Handle Suffix Format Policy}},
  version = {1.0},
  institution = {{Monash University}},
  year = {2007},
  month = jun,
  eprint = {102.100.272/0N8J991QH},
  eprinttype = {hdl},
  url = {https://hdl.handle.net/102.100.272/0N8J991QH},
}
"""
RIS = """\
TY  - RPRT
ID  - carberry-2007-1.0
AU  - Carberry, Josiah
AU  - PILIN Project
TI  - Handle Suffix Format Policy
ET  - 1.0
PB  - Monash University
PY  - 2007
DA  - 2007/06/26
UR  - https://hdl.handle.net/102.100.272/0N8J991QH
LA  - en
ER  - \n"""
REFERENCE = (
    "Carberry, Josiah; PILIN Project (2007). Handle Suffix Format Policy. Version 1.0. "
    "Monash University. https://hdl.handle.net/102.100.272/0N8J991QH\n"
)
CSL = {
    "id": "carberry-2007-1.0",
    "type": "report",
    "title": "Handle Suffix Format Policy",
    "author": [
        {"family": "Carberry", "given": "Josiah"},
        {"literal": "PILIN Project"},
    ],
    "version": "1.0",
    "publisher": "Monash University",
    "issued": {"date-parts": [[2007, 6, 26]]},
    "URL": "https://hdl.handle.net/102.100.272/0N8J991QH",
    "language": "en",
    "custom": {"handle": "102.100.272/0N8J991QH"},
}


DOI = cited(Handle.parse("10.1000/a_b&c<d>2;$1~^"))
DOI_LINK = "https://doi.org/10.1000/a_b%26c%3Cd%3E2;$1~%5E"
# The identifier, and its link: BibLaTeX encodes nothing when it makes a link of it.
LEFT_TO_THE_URL = {
    "1234/a{b": "https://hdl.handle.net/1234/a%7Bb",
    "10.1000/a{b": "https://doi.org/10.1000/a%7Bb",
    "1234/a{b}": "https://hdl.handle.net/1234/a%7Bb%7D",
    "1234/a}{b": "https://hdl.handle.net/1234/a%7D%7Bb",
    "1234/50%": "https://hdl.handle.net/1234/50%25",
    "10.1000/a#b": "https://doi.org/10.1000/a%23b",
    "1234/a?b": "https://hdl.handle.net/1234/a%3Fb",
    "1234/a b": "https://hdl.handle.net/1234/a%20b",
    "1234/a\\b": "https://hdl.handle.net/1234/a%5Cb",
}


@pytest.mark.parametrize(
    ("citation", "form", "expected"),
    [
        (REPORT, "bibtex", BIBTEX),
        (REPORT, "ris", RIS),
        (REPORT, "text", REFERENCE),
        (
            DOI,
            "bibtex",
            (
                "@misc{x-1,\n  title = {{x}},\n  version = {1},\n"
                f"  doi = {{10.1000/a_b&c<d>2;$1~^}},\n  url = {{{DOI_LINK}}},\n}}\n"
            ),
        ),
        (
            DOI,
            "ris",
            (
                "TY  - GEN\nID  - x-1\nTI  - x\nET  - 1\nDO  - 10.1000/a_b&c<d>2;$1~^\n"
                # A semicolon would divide two addresses.
                f"UR  - {DOI_LINK.replace(';', '%3B')}\nER  - \n"
            ),
        ),
        (
            # U+2028 ends a line for some readers; in the address it is encoded.
            cited(Handle("10.1000", "a\u2028TY  - BOOK")),
            "ris",
            (
                "TY  - GEN\nID  - x-1\nTI  - x\nET  - 1\n"
                "UR  - https://doi.org/10.1000/a%E2%80%A8TY%20%20-%20BOOK\nER  - \n"
            ),
        ),
        *(
            (
                cited(Handle.parse(handle)),
                "bibtex",
                (
                    f"@misc{{x-1,\n  title = {{{{x}}}},\n  version = {{1}},\n"
                    f"  url = {{{link}}},\n}}\n"
                ),
            )
            for handle, link in LEFT_TO_THE_URL.items()
        ),
        (cited(), "text", "x. Version 1.\n"),
        (cited(title="Why?", publisher="P"), "text", "Why? Version 1. P.\n"),
        (
            Citation(
                work=Work(title="Policy"),
                version=Version(
                    label="1.0", date=Date(2007, 6, 26), url="https://e.org/1/"
                ),
            ),
            "text",
            "Policy (2007). Version 1.0. https://e.org/1/\n",
        ),
    ],
)
def test_whole_text(citation: Citation, form: str, expected: str) -> None:
    """The handle stands in the field of each format for handles or addresses, only a DOI
    in that for DOIs, and an identifier that would link elsewhere in the address alone. A
    reference reads well, whatever is not known."""
    assert text(citation, form) == expected


@pytest.mark.parametrize(
    ("citation", "item"),
    [
        (REPORT, CSL),
        (
            DOI,
            {
                "id": "x-1",
                "type": "document",
                "title": "x",
                "version": "1",
                "DOI": "10.1000/a_b&c<d>2;$1~^",
                "URL": DOI_LINK,
            },
        ),
    ],
)
def test_csl_json(citation: Citation, item: dict[str, object]) -> None:
    """The same holds in CSL-JSON, where the handle is a custom field."""
    assert json.loads(text(citation, "csl-json")) == [item]


@pytest.mark.parametrize(
    ("date", "form", "written"),
    [
        (Date(2007, 6), "bibtex", "  year = {2007},\n  month = jun,\n}"),
        (Date(2007, 6), "ris", "PY  - 2007\nDA  - 2007/06\nER"),
        (Date(2007, 6), "csl-json", "[\n          2007,\n          6\n        ]"),
        (Date(2007, 6), "text", "x (2007). Version 1.\n"),
        (Date(2007), "bibtex", "  year = {2007},\n}"),
        (Date(2007), "ris", "PY  - 2007\nER"),
        (Date(2007), "csl-json", "[\n          2007\n        ]"),
    ],
)
def test_a_date_is_written_as_far_as_it_is_known(
    date: Date, form: str, written: str
) -> None:
    """A month or a year that stands alone gets no day."""
    version = Version(label="1", date=date)
    made = Citation(work=Work(title="x"), version=version)

    assert written in text(made, form)
    assert "date-released" not in text(made, "cff")


@pytest.mark.parametrize(
    ("form", "ending"),
    [
        ("bibtex", ".bib"),
        ("ris", ".ris"),
        ("csl-json", ".csl.json"),
        ("cff", ".cff"),
        ("text", ".txt"),
    ],
)
def test_each_format_has_a_file(form: str, ending: str) -> None:
    """The name of a file is lower-case ASCII, whatever the title; a media type and a
    name for readers belong to the format."""
    made = CitationFormat(form)
    odd = Citation(work=Work(title="日本"), version=Version(label="二"))

    assert made.file_name(REPORT) == f"handle-suffix-format-policy-1.0{ending}"
    assert made.file_name(odd) == f"work{ending}"
    assert made.heading
    assert "/" in made.media_type


def test_bibtex_prints_every_character_as_itself() -> None:
    """Commands replace TeX's special characters, and braces hold names together."""
    creators = (
        Creator(name="Rock and Roll, Inc."),
        Creator.person("Plato"),
        Creator.person("Smith, Jr.", "Ann and Bob"),
        Creator.person("von Neumann", "John"),
    )
    made = text(
        cited(
            title=r"50% & $ # _ ^ ~ \ {x} <y>|",
            creators=creators,
        ),
        "bibtex",
    )

    assert (
        "  author = {{Rock and Roll, Inc.} and {Plato} and "
        "{Smith, Jr.}, {Ann and Bob} and von Neumann, John},\n"
        r"  title = {{50\% \& \$ \# \_ \textasciicircum{} \textasciitilde{} "
        r"\textbackslash{} \textbraceleft{}x\textbraceright{} "
        r"\textless{}y\textgreater{}\textbar{}}},"
    ) in made


@pytest.mark.parametrize(
    ("kind", "entry", "field", "ris", "csl"),
    [
        ("document", "misc", "organization", "GEN", "document"),
        ("manual", "manual", "organization", "GEN", "document"),
        ("report", "techreport", "institution", "RPRT", "report"),
        ("software", "software", "organization", "COMP", "software"),
        ("dataset", "dataset", "publisher", "DATA", "dataset"),
    ],
)
def test_each_kind_has_its_type(
    kind: str, entry: str, field: str, ris: str, csl: str
) -> None:
    """Every kind of work has a type in every format, and BibTeX's field for a body."""
    work = cited(kind=WorkKind(kind), publisher="P")

    assert text(work, "bibtex").startswith(f"@{entry}{{x-1,\n")
    assert f"  {field} = {{{{P}}}},\n" in text(work, "bibtex")
    assert text(work, "ris").startswith(f"TY  - {ris}\n")
    assert json.loads(text(work, "csl-json"))[0]["type"] == csl


@given(title=TEXT, name=TEXT, suffix=TEXT)
def test_no_text_leaves_its_field(title: str, name: str, suffix: str) -> None:
    """Whatever is cited: BibTeX's braces match and close at the end, and every line
    of RIS is a tag."""
    try:
        handle = Handle("1234", suffix)
    except HandleSyntaxError:
        return
    made = cited(handle, title, title=title, creators=(Creator(name=name),))

    assert_text_stays_in_fields(made)


def assert_text_stays_in_fields(made: Citation) -> None:
    """The braces of each entry of BibTeX match, and each line of RIS is a tag."""
    for entry in text(made, "bibtex").removesuffix("\n").split("\n\n"):
        depths = [0]
        for character in entry:
            depths.append(depths[-1] + (character == "{") - (character == "}"))
        assert depths[-1] == 0
        assert min(depths[entry.index("{") + 1 : -1]) == 1
    lines = filter(None, text(made, "ris").splitlines())
    assert all(re.match("[A-Z][A-Z0-9]  - ", line) for line in lines)


@pytest.mark.parametrize(
    ("creator", "name"),
    [
        (Creator(name="Friends, Inc."), "Friends Inc."),
        (Creator.person("King, Jr.", "Martin Luther"), "King Jr., Martin Luther"),
        (Creator.person("Plato"), "Plato"),
        (Creator(name=","), ","),
    ],
)
def test_ris_has_a_comma_between_names_alone(creator: Creator, name: str) -> None:
    """A body with a comma in its name is not taken for a person."""
    assert f"\nAU  - {name}\n" in text(cited(creators=(creator,)), "ris")


DESCRIBED = Citation(
    work=Work(
        title="psychoceramics",
        creators=(Creator.person("Carberry", "Josiah"),),
        kind=WorkKind.SOFTWARE,
        publisher="Zenodo",
        article=Described(
            type="article-journal",
            title=(Run("psychoceramics: cracks & data"),),
            authors=(
                Creator.person("Carberry", "Josiah"),
                Creator.person("Potts", "Clay"),
            ),
            container="Journal of Open Example Software",
            volume="9",
            issue="97",
            pages="6111-6113",
            date=Date(2024),
            handle=Handle("10.5555", "joes.06111"),
        ),
    ),
    version=Version(
        label="3.1.0",
        date=Date(2026, 10, 2),
        handle=Handle("10.5555", "zenodo.1000003"),
    ),
)
BIBTEX_WITH_ARTICLE = """\
@software{carberry-2026-3.1.0,
  author = {Carberry, Josiah},
  title = {{psychoceramics}},
  version = {3.1.0},
  organization = {{Zenodo}},
  year = {2026},
  month = oct,
  doi = {10.5555/zenodo.1000003},
  url = {https://doi.org/10.5555/zenodo.1000003},
}

@article{carberry-2024-psychoceramics,
  author = {Carberry, Josiah and Potts, Clay},
  title = {{psychoceramics: cracks \\& data}},
  journal = {Journal of Open Example Software},
  volume = {9},
  number = {97},
  pages = {6111--6113},
  year = {2024},
  doi = {10.5555/joes.06111},
  url = {https://doi.org/10.5555/joes.06111},
}
"""
RIS_WITH_ARTICLE = """\
TY  - COMP
ID  - carberry-2026-3.1.0
AU  - Carberry, Josiah
TI  - psychoceramics
ET  - 3.1.0
PB  - Zenodo
PY  - 2026
DA  - 2026/10/02
DO  - 10.5555/zenodo.1000003
UR  - https://doi.org/10.5555/zenodo.1000003
ER  - \n
TY  - JOUR
ID  - carberry-2024-psychoceramics
AU  - Carberry, Josiah
AU  - Potts, Clay
TI  - psychoceramics: cracks & data
T2  - Journal of Open Example Software
VL  - 9
IS  - 97
SP  - 6111
EP  - 6113
PY  - 2024
DO  - 10.5555/joes.06111
UR  - https://doi.org/10.5555/joes.06111
ER  - \n"""
CFF_ARTICLE = """\
  type: "article"
  title: "psychoceramics: cracks & data"
  authors:
    - family-names: "Carberry"
      given-names: "Josiah"
    - family-names: "Potts"
      given-names: "Clay"
  journal: "Journal of Open Example Software"
  volume: "9"
  issue: "97"
  start: "6111"
  end: "6113"
  year: "2024"
  doi: "10.5555/joes.06111"
  url: "https://doi.org/10.5555/joes.06111"
"""


class TestArticle:
    """The article that describes a work stands beside it in every format."""

    @pytest.mark.parametrize(
        ("form", "expected"),
        [
            ("bibtex", BIBTEX_WITH_ARTICLE),
            ("ris", RIS_WITH_ARTICLE),
            (
                "text",
                (
                    "Carberry, Josiah (2026). psychoceramics. Version 3.1.0. Zenodo. "
                    "https://doi.org/10.5555/zenodo.1000003\n"
                    "Carberry, Josiah; Potts, Clay (2024). psychoceramics: cracks & data. "
                    "Journal of Open Example Software 9(97), 6111–6113. "
                    "https://doi.org/10.5555/joes.06111\n"
                ),
            ),
        ],
    )
    def test_entry(self, form: str, expected: str) -> None:
        """The version comes first."""
        assert text(DESCRIBED, form) == expected

    def test_item(self) -> None:
        """CSL-JSON has two items."""
        [version, article] = json.loads(text(DESCRIBED, "csl-json"))

        assert version["id"] == "carberry-2026-3.1.0"
        assert article == {
            "id": "carberry-2024-psychoceramics",
            "type": "article-journal",
            "title": "psychoceramics: cracks & data",
            "author": [
                {"family": "Carberry", "given": "Josiah"},
                {"family": "Potts", "given": "Clay"},
            ],
            "container-title": "Journal of Open Example Software",
            "volume": "9",
            "issue": "97",
            "page": "6111-6113",
            "issued": {"date-parts": [[2024]]},
            "DOI": "10.5555/joes.06111",
            "URL": "https://doi.org/10.5555/joes.06111",
        }

    def test_cff(self) -> None:
        """It is the preferred citation of software; a document is that itself, and has the
        article among its references."""
        of_software = text(DESCRIBED, "cff")
        document = replace(DESCRIBED.work, kind=WorkKind.DOCUMENT)
        of_document = text(replace(DESCRIBED, work=document), "cff")

        assert of_software.endswith(f"preferred-citation:\n{CFF_ARTICLE}")
        indented = CFF_ARTICLE.replace("\n", "\n  ").removesuffix("  ")
        assert of_document.endswith(f"references:\n  -{indented[1:]}")
        assert 'preferred-citation:\n  type: "generic"\n' in of_document

    def test_cff_is_read_back(self) -> None:
        """A file that names an article gives the work that it was written from."""
        [source] = read_works(text(DESCRIBED, "cff"), "CITATION.cff", DEFAULT_PROXIES)

        read = read_work(source, READER)

        assert read.article == DESCRIBED.work.article
        assert read.version("3.1.0") == DESCRIBED.version

    @pytest.mark.parametrize(
        ("kind", "entry", "fields", "ris", "csl"),
        [
            ("article", "article", ("journal", "publisher"), "JOUR", "article-journal"),
            (
                "conference-paper",
                "inproceedings",
                ("booktitle", "publisher"),
                "CPAPER",
                "paper-conference",
            ),
            ("book", "book", ("series", "publisher"), "BOOK", "book"),
            ("report", "techreport", ("series", "institution"), "RPRT", "report"),
            ("thesis", "phdthesis", ("series", "school"), "THES", "thesis"),
            ("other", "misc", ("howpublished", "organization"), "GEN", "document"),
        ],
    )
    def test_kind(
        self, kind: str, entry: str, fields: tuple[str, str], ris: str, csl: str
    ) -> None:
        """Every kind has a type in every format, and the fields of that type."""
        container, publisher = fields
        article = Described(
            title=(Run("y"),),
            type=ARTICLE_TYPES[kind],
            container="C",
            publisher="P",
            date=Date(words="in press"),
        )
        made = cited(article=article)

        assert text(made, "bibtex").endswith(
            f"@{entry}{{y-in-press-y,\n  title = {{{{y}}}},\n  {container} = {{C}},\n"
            f"  {publisher} = {{{{P}}}},\n  year = {{in press}},\n}}\n"
        )
        assert f"\n\nTY  - {ris}\n" in text(made, "ris")
        item = json.loads(text(made, "csl-json"))[1]
        assert item["type"] == csl
        assert item["issued"] == {"literal": "in press"}
        assert "DOI" not in item

    @given(title=TEXT, name=TEXT)
    def test_no_text_leaves_its_field(self, title: str, name: str) -> None:
        """BibTeX's braces match and close at the end, and every line of RIS is a tag."""
        article = Described(
            type="article-journal",
            title=(Run(title),),
            authors=(Creator(name=name),),
            container=name,
            volume=title,
            issue=name,
            pages=title,
            publisher=name,
            date=Date(words=title),
        )
        made = cited(article=article)

        assert_text_stays_in_fields(made)


HEAD = (
    'cff-version: "1.2.0"\n'
    'message: "If you cite this work, please cite the version that you have read."\n'
)
SOFTWARE = """\
type: "software"
title: "Handles"
authors:
  - family-names: "Carberry"
    given-names: "Josiah"
    orcid: "https://orcid.org/0000-0002-1825-0097"
  - name: "PILIN Project"
version: "V1.0"
date-released: "2007-06-26"
identifiers:
  - type: "other"
    value: "hdl:102.100.272/0N8J991QH"
    description: "Version V1.0 of the work."
  - type: "other"
    value: "hdl:102.100.272/Y35XYS0QH"
    description: "The work: this identifier always leads to its latest version."
license: "MIT"
url: "https://hdl.handle.net/102.100.272/0N8J991QH"
"""
DOCUMENT = """\
title: "Policy"
authors:
  - name: "Monash University"
version: "2"
doi: "10.1000/182"
identifiers:
  - type: "doi"
    value: "10.1000/182"
    description: "Version 2 of the work."
license-url: "https://creativecommons.org/licenses/by-sa/2.5/au/"
url: "https://doi.org/10.1000/182"
"""


ANONYMOUS_DATA = """\
type: "dataset"
title: "x"
authors:
  - name: "anonymous"
version: "1"
identifiers:
  - type: "other"
    value: "doi:10.1002/55:2%3C241::A%3E3.0"
    description: "Version 1 of the work."
url: "https://doi.org/10.1002/55:2%3C241::A%3E3.0"
"""
INNER = "".join(f"  {line}\n" for line in DOCUMENT.splitlines())


@pytest.mark.parametrize(
    ("made", "expected"),
    [
        (
            Citation(
                work=Work(
                    title="Handles",
                    creators=REPORT.work.creators,
                    handle=Handle.parse("102.100.272/Y35XYS0QH"),
                    kind=WorkKind.SOFTWARE,
                    license="MIT",
                ),
                version=REPORT.version,
            ),
            SOFTWARE,
        ),
        (
            cited(
                Handle("10.1000", "182"),
                "2",
                title="Policy",
                publisher="Monash University",
                kind=WorkKind.REPORT,
                license="https://creativecommons.org/licenses/by-sa/2.5/au/",
            ),
            (
                f'{DOCUMENT}preferred-citation:\n  type: "report"\n{INNER}'
                '  publisher:\n    name: "Monash University"\n'
            ),
        ),
        (
            cited(Handle.parse("10.1002/55:2<241::A>3.0"), kind=WorkKind.DATASET),
            ANONYMOUS_DATA,
        ),
    ],
    ids=["software", "document", "data"],
)
def test_cff_of_a_work(made: Citation, expected: str) -> None:
    """The root describes software and data; a document is the preferred citation, too,
    with its type and publisher. Work and version are told apart; the publisher, or
    "anonymous", stands for authors that nobody names; and a DOI that the schema's
    pattern refuses is an identifier of another type."""
    assert text(made, "cff") == f"{HEAD}{expected}"


@given(
    st.one_of(
        st.text(min_size=1),
        st.sampled_from(["a\ufeffb", "a\ufffeb", "\U0001f600", "yes", "1.10", "0o7"]),
    )
)
def test_cff_text_is_read_back(written: str) -> None:
    """No text can leave its value, whatever YAML makes of its characters."""
    try:
        made = cited(label=written, title=written, creators=(Creator(name=written),))
    except ValueError:
        return

    read = yaml.safe_load(text(made, "cff"))
    assert (read["title"], read["version"]) == (written, written)
    assert read["authors"] == [{"name": written}]
    assert read["preferred-citation"]["title"] == written


def test_cff_has_no_two_authors_alike() -> None:
    """Two people of one name are two authors, as the schema has them; a body is one."""
    creators = (
        Creator.person("Wang", "Wei"),
        Creator.person("Wang", "Wei"),
        Creator.person("Wang", "Wei", orcid="0000-0002-1825-0097"),
        Creator.person("Wang", "Wei"),
        Creator(name="The Project"),
        Creator(name="The Project"),
    )

    authors = yaml.safe_load(text(cited(creators=creators), "cff"))["authors"]

    wang = {"family-names": "Wang", "given-names": "Wei"}
    assert authors == [
        wang,
        {**wang, "alias": "Wei Wang (2)"},
        {**wang, "orcid": "https://orcid.org/0000-0002-1825-0097"},
        {**wang, "alias": "Wei Wang (3)"},
        {"name": "The Project"},
    ]
