"""What other programs make of our formats: their schemas, parsers, and TeX.

These tests need programs that are not needed otherwise; each says what it
misses when it is skipped.
"""

import importlib.util
import json
import os
import shutil
import subprocess
from pathlib import Path
from typing import Any

import pytest
import yaml

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
from handle_system.handle import Handle

PEOPLE = (
    Creator.person("Carberry", "Josiah", orcid="0000-0002-1825-0097"),
    Creator(name="PILIN Project and Friends, Inc."),
)
NASTY = r'50% of $100 & "A_B" \ {x}} ~ ^ # end'
SICI = "10.1002/(SICI)1097-4679(199902)55:2<241::AID-JCLP12>3.0.CO;2-V"
CASES = [
    *(
        Citation(
            work=Work(
                title="Handle Suffix Format Policy",
                creators=PEOPLE,
                publisher="Monash University",
                handle=Handle.parse("102.100.272/Y35XYS0QH"),
                kind=kind,
                license="CC-BY-SA-4.0",
            ),
            version=Version(
                label=f"1.{number}",
                date=Date(2007, 6, 26),
                handle=Handle.parse("102.100.272/0N8J991QH"),
            ),
        )
        for number, kind in enumerate(WorkKind)
    ),
    Citation(
        work=Work(title=NASTY, creators=(Creator(name=NASTY),), publisher=NASTY),
        version=Version(label=NASTY, handle=Handle.parse(SICI)),
    ),
    Citation(work=Work(title="Draft"), version=Version(label="0.1")),
]
WITH_ARTICLE = [
    Citation(
        work=Work(
            title="Handles",
            creators=PEOPLE,
            kind=work_kind,
            article=Described(
                title=(Run(NASTY),),
                type=kind,
                authors=PEOPLE,
                container=NASTY,
                volume="9",
                issue="97",
                pages="6111-6113",
                publisher="Monash University",
                date=Date(2024),
                handle=handle,
            ),
        ),
        version=Version(label="3.1.0"),
    )
    for work_kind in (WorkKind.SOFTWARE, WorkKind.DOCUMENT)
    for kind, handle in zip(
        ARTICLE_TYPES.values(),
        (Handle("10.5555", "joes.06111"), Handle.parse(SICI), *[None] * 4),
        strict=True,
    )
]


def schema_of(form: CitationFormat) -> Any:
    """The published schema of a format: that of CFF is in its own converter."""
    path = os.environ.get("CSL_SCHEMA", "")
    if form is CitationFormat.CFF:
        found = importlib.util.find_spec("cffconvert")
        folder = Path(found.origin).parent if found and found.origin else Path()
        path = str(folder / "schemas" / "1.2.0" / "schema.json")
    if not Path(path).is_file():
        pytest.skip(f"no schema of {form.heading} is here: cffconvert, CSL_SCHEMA")
    return json.loads(Path(path).read_text("utf-8"))


@pytest.mark.parametrize("form", [CitationFormat.CFF, CitationFormat.CSL_JSON])
@pytest.mark.parametrize(
    "cited", [*CASES, *WITH_ARTICLE], ids=lambda cited: cited.version.label[:3]
)
def test_text_validates(cited: Citation, form: CitationFormat) -> None:
    """Each ``CITATION.cff`` is valid by the schema 1.2.0, and each item of CSL-JSON by
    ``csl-data.json``."""
    schema, jsonschema = schema_of(form), pytest.importorskip("jsonschema")
    # JSON is YAML.
    jsonschema.validate(yaml.safe_load(form.export(cited)), schema)


@pytest.mark.parametrize("cited", CASES, ids=lambda cited: cited.version.label[:3])
def test_ris_is_read_back(cited: Citation) -> None:
    """A parser of RIS finds the title and the one link as they are."""
    rispy = pytest.importorskip("rispy")

    (record,) = rispy.loads(CitationFormat.RIS.export(cited))

    assert record["title"] == cited.work.title
    link = cited.url and cited.url.replace(";", "%3B")
    assert record.get("urls", [None]) == [link]
    assert record.get("doi") == cited.doi


@pytest.mark.parametrize("cited", CASES, ids=lambda cited: cited.version.label[:3])
def test_bibtex_is_read_back(cited: Citation) -> None:
    """A parser of BibTeX finds as many creators, and the handle in its field."""
    pybtex = pytest.importorskip("pybtex.database")

    parsed = pybtex.parse_string(CitationFormat.BIBTEX.export(cited), "bibtex")
    entry = parsed.entries[cited.key]

    handle = None if cited.doi else cited.version.handle
    assert entry.fields.get("eprint") == (str(handle) if handle else None)
    assert entry.fields.get("doi") == cited.doi
    assert entry.fields.get("url") == cited.url
    assert len(entry.persons.get("author", [])) == len(cited.work.creators)


@pytest.mark.parametrize(
    "cited", WITH_ARTICLE, ids=lambda cited: cited.work.article.type
)
def test_article_is_read_back(cited: Citation) -> None:
    """Parsers of RIS and BibTeX find two entries, and the article's identifier."""
    rispy = pytest.importorskip("rispy")
    pybtex = pytest.importorskip("pybtex.database")
    article = cited.work.article
    assert article is not None
    doi = str(article.handle) if article.handle else None

    _, record = rispy.loads(CitationFormat.RIS.export(cited))
    parsed = pybtex.parse_string(CitationFormat.BIBTEX.export(cited), "bibtex")
    [_, (key, entry)] = parsed.entries.items()

    assert (record["title"], record.get("doi")) == (NASTY, doi)
    assert (record["start_page"], record["end_page"]) == ("6111", "6113")
    assert key == "carberry-2024-50"
    assert entry.fields.get("doi") == doi
    assert entry.fields["pages"] == "6111--6113"
    assert len(entry.persons["author"]) == len(PEOPLE)


#: What Citation.js calls the formats that it reads.
CITATION_JS = {
    CitationFormat.BIBTEX: "@biblatex/text",
    CitationFormat.RIS: "@ris/file",
    CitationFormat.CSL_JSON: "@csl/list+object",
}


def citation_js(form: CitationFormat) -> list[dict[str, Any]]:
    """What Citation.js makes of every case in a format."""
    modules, node = os.environ.get("NPM_MODULES"), shutil.which("node")
    if not modules or not Path(modules, "node_modules/@citation-js/core").is_dir():
        pytest.skip("NPM_MODULES names no folder with Citation.js")
    if node is None:
        pytest.skip("no Node is installed")
    texts = [form.export(cited) for cited in CASES]
    asked = [
        {
            "type": CITATION_JS[form],
            "text": json.loads(text) if form is CitationFormat.CSL_JSON else text,
        }
        for text in texts
    ]
    script = Path(__file__).parent.parent / "tools" / "citation_js.mjs"
    done = subprocess.run(
        (node, str(script)),
        cwd=modules,
        input=json.dumps(asked),
        capture_output=True,
        encoding="utf-8",
        check=False,
    )
    assert done.returncode == 0, done.stderr
    found: list[dict[str, Any]] = json.loads(done.stdout)
    return found


@pytest.mark.slow
@pytest.mark.parametrize("form", CITATION_JS)
def test_citation_js_reads_it_back(form: CitationFormat) -> None:
    """Title, version, creators, date and address are what they were, in each format."""
    for cited, found in zip(CASES, citation_js(form), strict=True):
        (item,) = found["items"]
        assert item["title"] == cited.work.title
        assert item.get("edition", item.get("version")) == cited.number
        names = [
            " ".join(
                name[part] for part in ("literal", "given", "family") if part in name
            )
            for name in item.get("author", [])
        ]
        written = [creator.whole for creator in cited.work.creators]
        if form is CitationFormat.RIS:
            # A comma would divide a name there.
            written = [name.replace(",", "") for name in written]
        assert names == written
        date = cited.version.date
        parts = [date.year, date.month, date.day] if date else []
        issued = item["issued"]["date-parts"][0] if parts else []
        # BibTeX has no field for the day, and of RIS some types are read by the year.
        assert issued == parts[: len(issued)]
        assert bool(issued) is bool(parts)
        assert item.get("DOI") == cited.doi
        assert item.get("URL", "").replace("%3B", ";") == (cited.url or "")


@pytest.mark.slow
def test_citeproc_prints_a_handle_as_a_handle() -> None:
    """In the style of the APA the reference ends with the link, and is no DOI."""
    for cited, found in zip(CASES, citation_js(CitationFormat.CSL_JSON), strict=True):
        reference = found["reference"]
        address = f"https://doi.org/{cited.doi}" if cited.doi else cited.url
        assert reference.endswith(address or "(n.d.)."), reference
        assert ("doi.org" in reference) is (cited.doi is not None)


TEX = r"""\documentclass{article}
\usepackage[T1]{fontenc}
\usepackage[backend=biber]{biblatex}
\addbibresource{works.bib}
\begin{document}\nocite{*}\printbibliography\end{document}
"""


@pytest.mark.slow
def test_bibtex_compiles(tmp_path: Path) -> None:
    """Biber and BibLaTeX take every entry, without an error or a warning."""
    for program in ("pdflatex", "biber"):
        if shutil.which(program) is None:
            pytest.skip(f"{program} is not installed")
    entries = "\n".join(CitationFormat.BIBTEX.export(cited) for cited in CASES)
    (tmp_path / "works.bib").write_text(entries, encoding="utf-8")
    (tmp_path / "main.tex").write_text(TEX, encoding="utf-8")
    latex = ["pdflatex", "-interaction=nonstopmode", "-halt-on-error", "main"]

    def run(*command: str) -> str:
        done = subprocess.run(command, cwd=tmp_path, capture_output=True, check=False)
        output = done.stdout.decode("utf-8", "replace")
        assert done.returncode == 0, output
        return output

    run(*latex)
    read = run("biber", "main")
    run(*latex)

    assert "WARN" not in read
    assert "ERROR" not in read
    written = (tmp_path / "main.bbl").read_text(encoding="utf-8")
    assert written.count(r"\verb 102.100.272/0N8J991QH") == len(WorkKind)
    assert rf"\verb {SICI}" in written
