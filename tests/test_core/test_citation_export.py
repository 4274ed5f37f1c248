"""`handle_system.citing.export`: formats as texts and files."""

import pytest

from handle_system.citing.block import Display, citation_block
from handle_system.citing.cited import Cited
from handle_system.citing.export import export
from handle_system.citing.formats import CitationFormat
from handle_system.citing.pieces import text_of
from handle_system.citing.work import Version, Work
from handle_system.handle import Handle

WORK = Work(title="Handle Suffix Format Policy", handle=Handle("1234", "work"))
FIRST = Version(label="V1.0", handle=Handle("1234", "first"))
CITED = Cited(work=WORK, version=FIRST)


@pytest.mark.parametrize(
    ("form", "file_name", "beginning"),
    [
        (
            CitationFormat.BIBTEX,
            "handle-suffix-format-policy-1.0.bib",
            "@misc{handle-suffix-format-policy-1.0,\n",
        ),
        (CitationFormat.RIS, "handle-suffix-format-policy-1.0.ris", "TY  - GEN\n"),
        (
            CitationFormat.CSL_JSON,
            "handle-suffix-format-policy-1.0.csl.json",
            "[\n  {\n",
        ),
        (
            CitationFormat.CFF,
            "handle-suffix-format-policy-1.0.cff",
            'cff-version: "1.2.0"\n',
        ),
        (
            CitationFormat.TEXT,
            "handle-suffix-format-policy-1.0.txt",
            "Handle Suffix Format Policy. Version 1.0. https://hdl.handle.net/1234/first\n",
        ),
    ],
)
def test_each_format_has_text_and_file(
    form: CitationFormat, file_name: str, beginning: str
) -> None:
    """Every format is written, twice the same, and has a name for its file."""
    made = export(CITED, form)

    assert (made.format, made.file_name) == (form, file_name)
    assert made.text.startswith(beginning)
    assert made.text.endswith("\n")
    assert made == export(CITED, form)
    assert form.heading
    assert "/" in form.media_type


@pytest.mark.parametrize("form", CitationFormat)
def test_handle_is_a_handle_in_every_format(form: CitationFormat) -> None:
    """Each format leads to the version's own handle, and calls it no DOI."""
    text = export(CITED, form).text

    assert "1234/first" in text
    assert "doi" not in text.lower()


def test_file_of_a_title_without_ascii_letters_has_a_name() -> None:
    """Whatever a work is called, there is a name that every server holds."""
    cited = Cited(work=Work(title="日本"), version=Version(label="二"))

    assert export(cited, CitationFormat.RIS).file_name == "work.ris"


def test_block_has_what_is_asked_for() -> None:
    """Reference and formats are in the block on request, in the order given."""
    display = Display(
        reference=True, formats=(CitationFormat.RIS, CitationFormat.BIBTEX)
    )

    block = citation_block(WORK, FIRST, display)
    bare = citation_block(WORK, FIRST)

    assert text_of(block.reference()) == (
        "Handle Suffix Format Policy. Version 1.0. https://hdl.handle.net/1234/first"
    )
    assert [made.format for made in block.exports] == [
        CitationFormat.RIS,
        CitationFormat.BIBTEX,
    ]
    assert (bare.reference(), bare.exports) == ((), ())
