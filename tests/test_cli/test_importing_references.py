"""``hdl references import``: works of a .bib file, and what becomes of its roles."""

import json
import sys
from pathlib import Path
from typing import Any

import pytest
from click.testing import Result

from handle_cli.command import hdl
from tests.agency_server import running_agency
from tests.command_line import runner

BIBLIOGRAPHY = r"""
@string{ijdl = "International Journal on Digital Libraries"}

@article{kahn2006,
  author = {Kahn, Robert and {van der} Berg, K{\"a}te and {The Team}},
  title = {A framework for {Distributed} objects \& more},
  journal = ijdl,
  year = 2006, month = apr, volume = 6, number = {2}, pages = {115--123},
  doi = {10.1007/s00799-005-0128-x},
}
@techreport{pilin, author = {PILIN}, title = {Policy}, institution = {Monash},
  number = {7}, eprint = {102.100.272/0N8J991QH}, eprinttype = {hdl}}
@misc{preprint, author = {Doe, Jane and others}, title = {Urns}, date = {2020-05-01},
  eprint = {2005.00001v2}, archiveprefix = {arXiv}}
@inproceedings{address, author = {Doe, Jane}, title = {By address},
  booktitle = {Proceedings}, year = {1999}, url = {https://doi.org/10.1000/182}}
@book{none, author = {Knuth, Donald E.}, title = {The {\TeX}book}, year = {1986}}
"""
ITEMS: list[dict[str, Any]] = [
    {
        "id": "doi:10.1000/182",
        "type": "paper-conference",
        "title": "By address",
        "author": [{"family": "Doe", "given": "Jane"}],
        "issued": {"date-parts": [[1999]]},
        "container-title": "Proceedings",
        "DOI": "10.1000/182",
    },
    {
        "id": "doi:10.1007/s00799-005-0128-x",
        "type": "article-journal",
        "title": "A framework for Distributed objects & more",
        "author": [
            {"family": "Kahn", "given": "Robert"},
            {"family": "van der Berg", "given": "Käte"},
            {"literal": "The Team"},
        ],
        "issued": {"date-parts": [[2006, 4]]},
        "container-title": "International Journal on Digital Libraries",
        "volume": "6",
        "issue": "2",
        "page": "115-123",
        "DOI": "10.1007/s00799-005-0128-x",
    },
    {
        "id": "doi:10.48550/arXiv.2005.00001",
        "type": "document",
        "title": "Urns",
        "author": [{"family": "Doe", "given": "Jane"}],
        "issued": {"date-parts": [[2020, 5, 1]]},
        "DOI": "10.48550/arXiv.2005.00001",
    },
    {
        "id": "hdl:102.100.272/0N8J991QH",
        "type": "report",
        "title": "Policy",
        "author": [{"literal": "PILIN"}],
        "publisher": "Monash",
    },
]
RST = """\
Shown by :cite:t:`kahn2006` and others :cite:p:`{see}kahn2006{p. 3},ADDRESS`.
See :cite:`pilin, kahn2006`, :footcite:`preprint` and :cite:ts:`kahn2006{p. 3}`.

:cite:p:`none,kahn2006` :cite:year:`kahn2006` :cite:`unknown` :cite:t:`{see}kahn2006`

.. bibliography::
   :filter: docname in docnames
"""
MARKDOWN = "So {cite:p}`kahn2006`.\n\n```{footbibliography}\n```\n"
LISTED = """\
page.md:1: {cite:p}`kahn2006` -> {doi}`[10.1007/s00799-005-0128-x]`
page.md:3: ```{footbibliography} -> ```{handle-references}
page.rst:1: :cite:t:`kahn2006` -> :doi:`@10.1007/s00799-005-0128-x`
page.rst:1: :cite:p:`{see}kahn2006{p. 3},ADDRESS` -> \
:doi:`[see 10.1007/s00799-005-0128-x, p. 3; 10.1000/182]`
page.rst:2: :cite:`pilin, kahn2006` -> \
:hdl:`[102.100.272/0N8J991QH; 10.1007/s00799-005-0128-x]`
page.rst:2: :footcite:`preprint` -> :doi:`[10.48550/arXiv.2005.00001]`
page.rst:2: :cite:ts:`kahn2006{p. 3}` -> :doi:`@10.1007/s00799-005-0128-x, p. 3`
page.rst:4: :cite:p:`none,kahn2006` stays: none has no identifier
page.rst:4: :cite:year:`kahn2006` stays: no role shows what cite:year shows
page.rst:4: :cite:`unknown` stays: no entry has the key unknown
page.rst:4: :cite:t:`{see}kahn2006` stays: only brackets hold words before an identifier
page.rst:6: .. bibliography:: -> .. handle-references::
"""


@pytest.fixture(autouse=True)
def project(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """A folder with a .bib file, which is the current one."""
    (tmp_path / "refs.bib").write_text(BIBLIOGRAPHY, "utf-8")
    monkeypatch.chdir(tmp_path)
    return tmp_path


def _items(folder: Path) -> list[dict[str, Any]]:
    loaded = json.loads((folder / "references.json").read_text("utf-8"))
    assert isinstance(loaded, list)
    return loaded


def test_entries_become_items(project: Path) -> None:
    """An entry with an identifier is an item, with names, accents and macros read."""
    result = runner().invoke(hdl, ["references", "import", "refs.bib"])

    assert result.exit_code == 0, result.output
    assert result.stdout == "none has no identifier: The TeXbook\n"
    assert result.stderr == (
        "references.json: 4 works added, 0 already described, 1 without an identifier.\n"
        "No agency was asked about retractions: hdl references update --refresh\n"
    )
    assert _items(project) == ITEMS


@pytest.mark.parametrize("month", ["9" * 4_301, "99", "²"])
def test_a_month_that_is_none(project: Path, month: str) -> None:
    """The entry has its year alone."""
    entry = (
        f"@misc{{a, title={{x}}, doi={{10.1000/1}}, year=2020, month={{{month}}}}}\n"
    )
    (project / "refs.bib").write_text(entry)
    result = runner().invoke(hdl, ["references", "import", "refs.bib"])

    assert result.exit_code == 0, result.output
    (item,) = _items(project)
    assert item["issued"] == {"date-parts": [[2020]]}


def test_described_works_stay(project: Path) -> None:
    """What the file of references says already is not replaced."""
    item = {"id": "doi:10.1000/182", "type": "book", "title": "Mine"}
    (project / "references.json").write_text(json.dumps([item]), "utf-8")

    first = runner().invoke(hdl, ["references", "import", "refs.bib"])
    written = (project / "references.json").read_bytes()
    second = runner().invoke(hdl, ["references", "import", "refs.bib"])

    assert "3 works added, 1 already described" in first.stderr
    assert "0 works added, 4 already described" in second.stderr
    assert _items(project)[0] == item
    assert (project / "references.json").read_bytes() == written


def test_list_of_roles(project: Path) -> None:
    """Each role and directive has its counterpart in the list, or the reason why not."""
    (project / "page.rst").write_text(RST, "utf-8")
    (project / "page.md").write_text(MARKDOWN, "utf-8")

    result = runner().invoke(hdl, ["references", "import", "refs.bib", "."])

    assert result.exit_code == 0, result.output
    assert result.stdout == "none has no identifier: The TeXbook\n" + LISTED
    assert result.stderr.endswith(
        "citations by keys, and directives: 8 have a counterpart, 4 stay; "
        "as long as citations stay, keep their bibliography beside the new list\n"
        "6 citations in 2 files. No document is changed without --yes.\n"
    )
    assert (project / "page.rst").read_text("utf-8") == RST


def test_count_of_one_role(project: Path) -> None:
    """One role has a counterpart; where all have one, no bibliography is kept."""
    (project / "page.rst").write_text("See :cite:`kahn2006`.\n", "utf-8")

    result = runner().invoke(hdl, ["references", "import", "refs.bib", "page.rst"])

    assert result.stderr.endswith(
        "citations by keys, and directives: 1 has a counterpart, 0 stay\n"
        "1 citation in 1 file. No document is changed without --yes.\n"
    )


def _replaced(*arguments: str) -> Result:
    return runner().invoke(hdl, ["references", "import", "refs.bib", *arguments])


def test_roles_are_replaced(project: Path) -> None:
    """With --yes documents get the new roles; a second run finds nothing to replace."""
    (project / "page.rst").write_text(RST, "utf-8")
    (project / "page.md").write_text(MARKDOWN, "utf-8")

    first = _replaced("--yes", ".")
    second = _replaced("--yes", ".")

    assert first.exit_code == 0
    assert first.stdout == "none has no identifier: The TeXbook\n" + LISTED
    assert first.stderr.endswith(
        "\n6 citations replaced in 2 files; replace the directives yourself.\n"
    )
    assert (project / "page.rst").read_text("utf-8") == (
        "Shown by :doi:`@10.1007/s00799-005-0128-x` and others "
        ":doi:`[see 10.1007/s00799-005-0128-x, p. 3; 10.1000/182]`.\n"
        "See :hdl:`[102.100.272/0N8J991QH; 10.1007/s00799-005-0128-x]`, "
        ":doi:`[10.48550/arXiv.2005.00001]` and "
        ":doi:`@10.1007/s00799-005-0128-x, p. 3`.\n" + RST.partition("{p. 3}`.\n")[2]
    )
    assert (project / "page.md").read_text("utf-8") == (
        "So {doi}`[10.1007/s00799-005-0128-x]`.\n\n```{footbibliography}\n```\n"
    )
    assert "replaced in" not in second.stderr


ELSEWHERE = """\
A :cite:`kahn2006`
==================

In code ``:cite:`kahn2006```, and in a table:

==================  ===
:cite:`kahn2006`    one
==================  ===

.. code-block:: rst

   :cite:`kahn2006`

.. :cite:`kahn2006`

At last :cite:`kahn2006`.
"""


def test_roles_stay_where_the_new_ones_are_not_read(project: Path) -> None:
    """Code and comments stay as they are, and titles and tables keep their width."""
    page = project / "page.rst"
    page.write_text(ELSEWHERE, "utf-8")

    lines = _replaced("--yes", "page.rst").stdout.splitlines()[1:]

    why = "no citation is read there, or another width would break a title or a table"
    assert lines == [
        *(f"page.rst:{n}: :cite:`kahn2006` stays: {why}" for n in (1, 4, 7, 12, 14)),
        "page.rst:16: :cite:`kahn2006` -> :doi:`[10.1007/s00799-005-0128-x]`",
    ]
    assert page.read_text("utf-8") == ELSEWHERE.replace(
        "last :cite:`kahn2006`", "last :doi:`[10.1007/s00799-005-0128-x]`"
    )


def test_brackets_of_pandoc(project: Path) -> None:
    """In Markdown, brackets with keys of the database name identifiers; others stay."""
    page = project / "a.md"
    page.write_text(
        "So [see @kahn2006, p. 3; @pilin] and [@{kahn2006}], `[@kahn2006]`.\n"
        "[-@kahn2006] [@none] [@kahn2006; @unknown] [@user] me [me@kahn2006].\n"
        "[@kahn2006](x.md) ![@kahn2006](x.png) \\[@kahn2006]\n",
        "utf-8",
    )
    other = project / "a.rst"
    other.write_text("So [@kahn2006].\n", "utf-8")

    result = _replaced("--yes", ".")

    assert result.stdout.splitlines()[1:] == [
        (
            "a.md:1: [see @kahn2006, p. 3; @pilin] -> "
            "[see @{doi:10.1007/s00799-005-0128-x}, p. 3; @{hdl:102.100.272/0N8J991QH}]"
        ),
        "a.md:1: [@{kahn2006}] -> [@{doi:10.1007/s00799-005-0128-x}]",
        (
            "a.md:1: [@kahn2006] stays: no citation is read there, or another width would "
            "break a title or a table"
        ),
        "a.md:2: [-@kahn2006] stays: no brackets leave names out",
        "a.md:2: [@none] stays: none has no identifier",
        "a.md:2: [@kahn2006; @unknown] stays: no entry has the key unknown",
    ]
    assert page.read_text("utf-8").startswith(
        "So [see @{doi:10.1007/s00799-005-0128-x}, p. 3; @{hdl:102.100.272/0N8J991QH}] "
        "and [@{doi:10.1007/s00799-005-0128-x}], `[@kahn2006]`.\n"
    )
    assert other.read_text("utf-8") == "So [@kahn2006].\n"


def test_citations_stay_in_a_project_of_mystmd(project: Path) -> None:
    """mystmd cites by the keys, and shows names neither for a role nor for brackets with braces."""
    book = project / "book"
    (book / "part").mkdir(parents=True)
    (book / "myst.yml").write_text("version: 1\nproject: {}\n")
    page = book / "part" / "a.md"
    page.write_text(
        "[see @kahn2006, p. 3] {cite}`kahn2006`\n\n```{bibliography}\n```\n"
    )
    written = page.read_text("utf-8")
    beside = project / "a.md"
    beside.write_text("[@{kahn2006}, p. 3]\n", "utf-8")

    result = _replaced("--yes", ".")

    why = "mystmd makes the citations of this page, and none of roles or braces"
    assert result.stdout.splitlines()[1:] == [
        "a.md:1: [@{kahn2006}, p. 3] -> [@{doi:10.1007/s00799-005-0128-x}, p. 3]",
        f"book/part/a.md:1: [see @kahn2006, p. 3] stays: {why}",
        f"book/part/a.md:1: {{cite}}`kahn2006` stays: {why}",
        f"book/part/a.md:3: ```{{bibliography}} stays: {why}",
    ]
    assert page.read_text("utf-8") == written
    assert result.stderr.endswith("\n1 citation replaced in 1 file.\n")


def test_other_texts_keep_their_form(project: Path) -> None:
    """Line ends and charsets stay; docstrings and notebooks are read as such."""
    (project / "a.rst").write_bytes(
        b".. -*- coding: latin-1 -*-\r\n\r\n\xe9 :cite:t:`pilin`\r\n"
    )
    (project / "b.py").write_text(
        '"""See :cite:t:`kahn2006`."""\nX = ":cite:t:`pilin`"\n'
    )
    cell = {"cell_type": "markdown", "metadata": {}, "source": ["{cite:t}`kahn2006`"]}
    notebook = {"cells": [cell], "metadata": {}, "nbformat": 4, "nbformat_minor": 5}
    (project / "c.ipynb").write_text(json.dumps(notebook))

    assert _replaced("--yes", "a.rst", "b.py", "c.ipynb").exit_code == 0

    assert (project / "a.rst").read_bytes() == (
        b".. -*- coding: latin-1 -*-\r\n\r\n\xe9 :hdl:`@102.100.272/0N8J991QH`\r\n"
    )
    assert (project / "b.py").read_text() == (
        '"""See :doi:`@10.1007/s00799-005-0128-x`."""\nX = ":cite:t:`pilin`"\n'
    )
    cell["source"] = ["{doi}`@10.1007/s00799-005-0128-x`"]
    assert json.loads((project / "c.ipynb").read_text()) == notebook


def test_a_document_that_cannot_be_written(project: Path) -> None:
    """It is named, the others are written, and the status says so."""
    page = project / "a.rst"
    page.write_text("See :cite:`kahn2006`.\n", "utf-8")
    page.chmod(0o444)
    (project / "b.rst").write_text("See :cite:`kahn2006`.\n", "utf-8")

    result = _replaced("--yes", ".")

    assert result.exit_code == 2
    assert "a.rst: not written: it is read-only\n" in result.stderr
    assert result.stderr.endswith("\n1 citation replaced in 1 file.\n")
    assert page.read_text("utf-8") == "See :cite:`kahn2006`.\n"


def test_nothing_is_written_without_documents() -> None:
    """The option needs paths."""
    result = _replaced("--yes")

    assert result.exit_code == 2
    assert result.stderr.endswith("Error: --yes is for PATHs\n")


def test_faults_of_a_bibliography(project: Path) -> None:
    """What pybtex cannot read is said, and the rest is taken over."""
    broken = (
        "@article{a, title = {A}, journal = nowhere, doi = {10.1000/1}}\n@book{a,}\n"
    )
    (project / "refs.bib").write_text(broken, "utf-8")

    result = runner().invoke(hdl, ["references", "import", "refs.bib"])

    assert result.exit_code == 0, result.output
    first, second, *_ = result.stderr.splitlines()
    assert first == "refs.bib: undefined string in line 1: nowhere"
    assert second == "refs.bib: repeated bibliography entry: a"
    assert [item["id"] for item in _items(project)] == ["doi:10.1000/1"]


def test_macros_that_double(project: Path) -> None:
    """A kilobyte of macros, each twice the one before it, makes no gigabytes."""
    doubling = "".join(
        f"@string{{a{number} = a{number - 1} # a{number - 1}}}\n"
        for number in range(1, 64)
    )
    text = (
        f'@string{{a0 = "text"}}\n{doubling}@misc{{k, doi = {{10.1/1}}, title = a63}}'
    )
    (project / "works.bib").write_text(text)

    done = runner().invoke(hdl, ["references", "import", "works.bib"])

    reason = "its macros make more than 20,000,000 characters"
    assert done.exit_code == 2
    assert done.output == f"Error: the bibliography: {reason}\n"


def test_without_pybtex(monkeypatch: pytest.MonkeyPatch) -> None:
    """The message names the extra that is missing."""
    monkeypatch.setitem(sys.modules, "pybtex", None)

    result = runner().invoke(hdl, ["references", "import", "refs.bib"])

    assert result.exit_code == 2
    assert 'pip install "sphinxcontrib-handle[bibtex]"' in result.stderr


def test_asked_for(project: Path) -> None:
    """The agency's metadata win, and the entry's where nobody knows the DOI.

    That a DOI does not exist is kept beside them, and told.
    """
    described = {
        "DOI": "10.1000/182",
        "type": "journal-article",
        "title": ["From the agency"],
    }
    with running_agency() as server:
        server.describe("10.1000/182", described)
        result = runner().invoke(
            hdl,
            ["references", "import", "--ask", "--resolver", server.url, "refs.bib"],
        )

    titles = {item["id"]: item["title"] for item in _items(project)}
    gone = [
        item["id"]
        for item in _items(project)
        if "unregistered" in item.get("custom", {})
    ]
    assert gone == ["doi:10.1007/s00799-005-0128-x", "doi:10.48550/arXiv.2005.00001"]
    assert result.exit_code == 0, result.output
    assert titles == {
        "doi:10.1000/182": "From the agency",
        "doi:10.1007/s00799-005-0128-x": "A framework for Distributed objects & more",
        "doi:10.48550/arXiv.2005.00001": "Urns",
        "hdl:102.100.272/0N8J991QH": "Policy",
    }


def test_two_works_with_one_identifier(project: Path) -> None:
    """The first entry becomes the item, and the other is named if its title differs."""
    (project / "refs.bib").write_text(
        "@misc{one, title = {A First}, doi = {10.1000/1}}\n"
        "@misc{again, title = {A first}, doi = {10.1000/1}}\n"
        "@misc{two, title = {Another}, doi = {10.1000/1}}\n"
    )

    done = runner().invoke(hdl, ["references", "import", "refs.bib"])

    assert done.stderr == (
        "two: 10.1000/1 is also in an entry before it, with another title: A First\n"
        "references.json: 1 work added, 2 already described, 0 without an identifier.\n"
        "No agency was asked about retractions: hdl references update --refresh\n"
    )
    assert [item["title"] for item in _items(project)] == ["A First"]
