"""Forms that people were seen to write, in each syntax that holds them.

`field.jsonl` and `trees.jsonl` state what was written, and what was expected of it.
"""

import json
from pathlib import Path
from typing import Any

import pytest

from handle_cli.readers import read_references
from handle_system import HandleReference
from handle_system.diagnostics import findings_about
from handle_system.found import Found
from handle_system.settings import Settings
from handle_system.syntax import Syntax

CORPUS = Path(__file__).parent.parent / "corpus"
ROWS: dict[str, dict[str, Any]] = {
    row["id"]: row
    for name in ("field.jsonl", "trees.jsonl")
    for line in (CORPUS / name).read_text("utf-8").splitlines()
    if line
    for row in [json.loads(line)]
}

#: What a row in running text holds: the references, and the kinds of findings.
IN_TEXT: dict[str, tuple[list[str], list[str]]] = {
    "T4-059": (["doi:10.1007/BF00138396"], []),
    "T4-061": (["doi:10.1002/hyp.10012"], []),
    "T4-062": (["doi:10.1000/184"], []),
    "T4-064": (["doi:10.1109/ICRA.2017.7989086"], []),
    "T4-065": (["doi:10.5334/tismir.167"], []),
    "T4-067": (["doi:10.1109/IRC.2018.00014"], []),
    "T4-068": (["doi:10.1093/llc/fqu064"], ["broken-address"]),
    "T4-073": (["doi:10.1093/pan/mpl013"], ["broken-address"]),
    "T4-082": (["doi:10.1000/187"], []),
    "space-before-colon-1": (["doi:10.1000/abc"], []),
}
#: What a row in its own syntax holds.
IN_SYNTAX: dict[str, tuple[Syntax, list[str], list[str]]] = {
    "T4-051": (Syntax.BIBTEX, ["doi:10.1029/2022MS003156"], ["address-in-field"]),
    "T4-053": (Syntax.BIBTEX, ["doi:10.1029/2022MS003157"], ["address-in-field"]),
    "T4-055": (Syntax.CFF, ["doi:10.5281/zenodo.10675692"], ["address-in-field"]),
    "T4-050": (Syntax.BIBTEX, [""], ["link"]),
    "T4-086": (Syntax.BIBTEX, [""], ["link"]),
    "T4-056": (
        Syntax.MARKDOWN,
        ["doi:10.1016/j.ultramic.2010.10.001"],
        ["broken-address"],
    ),
    "T4-066": (Syntax.RST, ["doi:10.5281/zenodo.6915978"], []),
    "T4-070": (Syntax.MARKDOWN, ["doi:10.1093/nargab/lqab022"], ["broken-address"]),
    "T4-088": (Syntax.MARKDOWN, [""], ["empty"]),
    "T4-089": (Syntax.MARKDOWN, ["doi:10.1093/pan/mpl014"], ["other-target"]),
    "bib-encoded-slash": (Syntax.BIBTEX, [""], ["link"]),
    "triple-doubled": (Syntax.MARKDOWN, ["doi:10.1000/1"], ["doubled-scheme"]),
    "bib-empty-doi": (Syntax.BIBTEX, [""], ["empty"]),
    "trailing-backtick": (
        Syntax.MARKDOWN,
        ["doi:10.1000/a.x%60"],
        ["trailing-punctuation"],
    ),
    "cff-doi-as-url": (Syntax.CFF, ["doi:10.1000/v1"], ["address-in-field"]),
    "space-before-colon-2": (Syntax.RST, ["doi:10.1000/abc"], []),
}
#: By syntax: a document with a text in it.
DOCUMENTS = {
    Syntax.RST: "{}\n",
    Syntax.MARKDOWN: "{}\n",
    Syntax.MDX: "{}\n",
    Syntax.PLAIN: "{}\n",
    Syntax.PYTHON: 'def f():\n    r"""{}"""\n',
    Syntax.BIBTEX: "@misc{{a,\n  note = {{see {}}},\n}}\n",
}


def _said(references: list[Found]) -> tuple[list[str], list[str]]:
    """The references and the kinds of findings; an error is an empty text."""
    uris = [
        found.reference.uri() if isinstance(found.reference, HandleReference) else ""
        for found in references
    ]
    kinds = [
        finding.code.value for found in references for finding in findings_about(found)
    ]
    return uris, kinds


def _text_of(name: str) -> str:
    row = ROWS[name]
    text: str = row.get("input") or row["source"]
    return text.partition(" (also")[0].strip()


@pytest.mark.parametrize("syntax", DOCUMENTS)
@pytest.mark.parametrize("name", IN_TEXT)
def test_in_text(name: str, syntax: Syntax) -> None:
    """Running text has the same references and findings in each syntax."""
    if syntax is Syntax.MDX and "<" in _text_of(name):
        pytest.skip("angle brackets are elements in MDX")
    document = DOCUMENTS[syntax].format(_text_of(name))

    references = read_references(syntax, document, Settings())

    assert _said(references) == IN_TEXT[name]


@pytest.mark.parametrize("name", IN_TEXT)
def test_in_a_notebook(name: str) -> None:
    """A notebook has them in its cells."""
    cell = {"cell_type": "markdown", "source": [_text_of(name)]}
    notebook = json.dumps({"cells": [cell]})

    references = read_references(Syntax.NOTEBOOK, notebook, Settings())

    assert _said(references) == IN_TEXT[name]


@pytest.mark.parametrize("name", IN_SYNTAX)
def test_in_its_syntax(name: str) -> None:
    """What only one syntax can hold is read there."""
    syntax, *expected = IN_SYNTAX[name]
    text = _text_of(name)
    if syntax is Syntax.BIBTEX and not text.startswith("@"):
        text = f"@misc{{a,\n  {text},\n}}\n"

    references = read_references(syntax, text, Settings())

    assert [*_said(references)] == expected


PLACEHOLDERS = ROWS["T4-075"]["input"].split()


@pytest.mark.parametrize("written", PLACEHOLDERS)
@pytest.mark.parametrize(
    "syntax", [Syntax.RST, Syntax.MARKDOWN, Syntax.BIBTEX, Syntax.CFF]
)
def test_placeholders(written: str, syntax: Syntax) -> None:
    """Each is one in text, in a role and in a field."""
    doi = written if written.startswith("10.") else f"10.5281/{written}"
    sources = {
        Syntax.RST: f"doi:{doi} :doi:`{doi}`",
        Syntax.MARKDOWN: f"doi:{doi} {{doi}}`{doi}`",
        Syntax.BIBTEX: f'@misc{{a,\n  doi = "{doi}",\n}}',
        Syntax.CFF: f'doi: "{doi}"',
    }
    references = read_references(syntax, sources[syntax], Settings())
    if syntax is Syntax.BIBTEX and "{" in doi:
        pytest.skip("TeX's braces are no characters")

    assert references
    assert set(_said(references)[1]) == {"placeholder"}


@pytest.mark.parametrize(
    "syntax", [Syntax.RST, Syntax.PYTHON, Syntax.BIBTEX, Syntax.PLAIN]
)
def test_entities(syntax: Syntax) -> None:
    """Entities are reported where nothing decodes them, with the characters."""
    text = ROWS["T4-076"]["input"]
    document = DOCUMENTS[syntax].format(text)

    (found,) = read_references(syntax, document, Settings())
    (finding,) = findings_about(found)

    assert finding.code.value == "entity"
    assert finding.suggestion == (
        "doi:10.1002/(SICI)1097-4679(199902)55:2%3C241::AID-JCLP12%3E3.0.CO;2-V"
    )
