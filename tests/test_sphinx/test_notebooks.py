"""MyST-NB's notebooks, and its pages with code cells: read as other MyST pages are."""

import json
import re

import pytest

from tests.test_sphinx.conftest import MakeProject
from tests.test_sphinx.project import Built
from tests.test_sphinx.test_myst import targets

pytestmark = pytest.mark.slow

pytest.importorskip("myst_nb")

HDL = "https://hdl.handle.net/"
DOI = "https://doi.org/"
# In one process, Sphinx keeps what other projects add to the default.
SUFFIXES: dict[str, object] = {
    "source_suffix": {".rst": "restructuredtext", ".md": "myst-nb", ".ipynb": "myst-nb"}
}

CELLS = (
    ("markdown", "# Title\n\nSee doi:10.1000/182 and\n{doi}`10.1000/role`.\n"),
    ("code", "# doi:10.1000/code\n1 + 1"),
    (
        "markdown",
        (
            "| a | b |\n|---|---|\n| hdl:20.1000/1 | [x](doi:10.1000/target) |\n\n"
            "[y][later] <hdl:20.1000/2> doi:10.1000/182"
        ),
    ),
    ("markdown", "[later]: hdl:20.1000/later\n\nSee\nhdl:20.1000/50%."),
    ("raw", "doi:10.1000/raw"),
)
LINKS = [
    f"{DOI}10.1000/182",
    f"{DOI}10.1000/role",
    f"{HDL}20.1000/1",
    f"{DOI}10.1000/target",
    f"{HDL}20.1000/later",
    f"{HDL}20.1000/2",
    f"{DOI}10.1000/182",
]

PAGE = """\
---
file_format: mystnb
kernelspec: {name: python3}
---
# Title

See doi:10.1000/182 and [x](doi:10.1000/target).

```{code-cell} ipython3
# doi:10.1000/code
```

> quoted
> [y](doi:10.5072/example), and
> [z](hdl:nothing)

```{note}
Inside
hdl:20.1000/1 <hdl:20.1000/2>
```
"""


def notebook(
    *cells: tuple[str, str],
    outputs: list[dict[str, object]] | None = None,
    **metadata: object,
) -> str:
    """The JSON of a notebook with these types and sources of cells.

    Every cell of code has the outputs.
    """
    written = []
    for number, (kind, source) in enumerate(cells):
        cell: dict[str, object] = {
            "cell_type": kind,
            "id": f"cell-{number}",
            "metadata": {},
            "source": source.splitlines(keepends=True),
        }
        if kind == "code":
            cell |= {"outputs": outputs or [], "execution_count": None}
        written.append(cell)
    whole = {
        "cells": written,
        "metadata": metadata,
        "nbformat": 4,
        "nbformat_minor": 5,
    }
    return json.dumps(whole, indent=1)


def build(project: MakeProject, name: str, text: str, **conf: object) -> Built:
    """A project of one page for MyST-NB, whose cells are not executed."""
    conf.setdefault("nb_execution_mode", "off")
    # Without a run nobody knows the language of the cells.
    conf.setdefault("suppress_warnings", ["myst-nb.lexer"])
    return project({name: text}, extensions=("myst_nb",), **SUFFIXES, **conf).build()


def test_references_in_a_notebook(project: MakeProject) -> None:
    """Text, links and roles of Markdown cells are links; no code and no raw text is."""
    built = build(project, "index.ipynb", notebook(*CELLS[:3], *CELLS[4:], CELLS[3]))

    assert targets(built) == LINKS
    assert built.warnings == ""


def test_references_in_a_page_with_a_code_cell(project: MakeProject) -> None:
    """The page is read like any other, and messages name its lines."""
    built = build(project, "index.md", PAGE)

    assert targets(built) == [
        f"{DOI}10.1000/182",
        f"{DOI}10.1000/target",
        f"{DOI}10.5072/example",
        f"{HDL}20.1000/1",
        f"{HDL}20.1000/2",
    ]
    assert built.warnings == (
        'index.md:14: WARNING: doi:10.5072/example: "10.5072" is a prefix for tests '
        "[handle.placeholder]\n"
        'index.md:15: ERROR: hdl:nothing: no "/" between prefix and suffix [handle.link]\n'
        "    hdl:nothing\n"
        "               ^\n"
    )


def test_lines_of_references_in_a_notebook(project: MakeProject) -> None:
    """A message names the line of the file, the first reference before the second."""
    text = notebook(
        ("markdown", "# Title\n\nSee doi:10.5072/example here."),
        ("markdown", "Again\ndoi:10.5072/example."),
    )
    built = build(project, "index.ipynb", text)

    lines = [
        number for number, row in enumerate(text.split("\n"), 1) if "doi:10.5072" in row
    ]
    reported = re.findall(r"index\.ipynb:(\d+): WARNING: doi:10\.5072", built.warnings)
    assert [int(line) for line in reported] == lines


def test_a_notebook_of_an_application_without_the_extension(
    project: MakeProject,
) -> None:
    """In one process, notebooks of other applications stay as they are."""
    text = notebook(("markdown", "# T\n\nhdl:20.1000/1 <hdl:20.1000/2>"))
    first = build(project, "index.ipynb", text)
    other = project(
        {"index.ipynb": text},
        extensions=("myst_nb",),
        ours=False,
        nb_execution_mode="off",
        **SUFFIXES,
    ).build()

    assert targets(first) == [f"{HDL}20.1000/1", f"{HDL}20.1000/2"]
    assert targets(other) == ["hdl:20.1000/2"]


def test_notebooks_can_be_left_alone(project: MakeProject) -> None:
    """The switch for other MyST pages holds."""
    text = notebook(("markdown", "# T\n\nhdl:20.1000/1"))
    built = build(project, "index.ipynb", text, handle_recognize=False)

    assert targets(built) == []


@pytest.mark.parametrize("markdown", ["commonmark", "gfm", "myst"])
def test_references_in_outputs(project: MakeProject, markdown: str) -> None:
    """An output in Markdown is linked as the page is, whatever its dialect."""
    output = "See hdl:20.1000/output, **doi:10.1000/1** and [x](doi:10.1000/target)."
    text = notebook(
        ("markdown", "# Title"),
        ("code", "Markdown('…')"),
        outputs=[
            {
                "output_type": "display_data",
                "metadata": {},
                "data": {"text/markdown": output, "text/plain": "<Markdown>"},
            }
        ],
    )
    built = build(project, "index.ipynb", text, nb_render_markdown_format=markdown)
    alone = build(
        project,
        "index.ipynb",
        text,
        nb_render_markdown_format=markdown,
        handle_recognize=False,
    )

    assert targets(built) == [
        f"{HDL}20.1000/output",
        f"{DOI}10.1000/1",
        f"{DOI}10.1000/target",
    ]
    assert built.warnings == ""
    assert f"{HDL}20.1000/output" not in targets(alone)
