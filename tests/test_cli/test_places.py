"""`hdl list` names the line and the column of each reference, in every construct.

Each source holds references only where they are found, except those whose suffix begins
with ``no``. Their places are those of their text in the file, in order.
"""

import json
import re
from pathlib import Path

import pytest

from handle_cli.command import hdl
from tests.command_line import runner

# As written in the file, with the escapes of its syntax.
_REFERENCE = re.compile(r"(?:doi|hdl)\\?:10\.1/(?!no)[\w\\]*\w")

RST = {
    "paragraphs": "One\ntwo doi:10.1/a three\ndoi:10.1/a\n\ndoi:10.1/a\n",
    "emphasis": "*one doi:10.1/a\ntwo* **doi:10.1/b** `doi:10.1/c`\n",
    "roles": ":doi:`doi:10.1/a` :hdl:`A\ntitle <hdl:10.1/b>` :doi:`doi:10.1/a`\n",
    "links": "`doi:10.1/no <doi:10.1/a>`_ `x\n<hdl:10.1/b>`__ `y <doi\\:10.1/c>`_\n",
    "literals before": "``doi:10.1/no`` adoi:10.1/no doi:10.1/a ``doi:10.1/no``\n",
    "equal named links": (
        "A `has <https://e.org/x>`_ and doi:10.1/a then `has <https://e.org/x>`_ end\n"
        "doi:10.1/b\n"
    ),
    "equal references": "doi:10.1/a, doi:10.1/a\nand doi:10.1/a doi:10.1/a\n",
    "nested lists": "- one\n\n  - two\n    doi:10.1/a\n\n    1. doi:10.1/b\n       doi:10.1/b\n",
    "definition list": "term doi:10.1/a : class\n   one\n   doi:10.1/b\n",
    "fields": ":field: one\n   doi:10.1/a\n:doi\\:10.1/b: x\n",
    "option list": "-a  One doi:10.1/a\n    doi:10.1/b\n",
    "line block": "| one\n| two\n  doi:10.1/a\n|   doi:10.1/b\n",
    "quote": "   one\n   doi:10.1/a\n\n   -- doi:10.1/b\n",
    "footnote": "[#]_ [c]_\n\n.. [#] one\n   doi:10.1/a\n.. [c] doi:10.1/b\n",
    "titles": "=========\ndoi:10.1/a\n=========\n\ndoi:10.1/b\n----------\n",
    "grid table": (
        "+------------+------------+\n"
        "| doi:10.1/a | doi:10.1/a |\n"
        "|            | doi:10.1/a |\n"
        "+============+============+\n"
        "| - doi:10.1/b            |\n"
        "|                         |\n"
        "|   doi:10.1/b            |\n"
        "+------------+------------+\n"
    ),
    "simple table": (
        "==========  ==========\n"
        "doi:10.1/a  doi:10.1/a\n"
        "==========  ==========\n"
        "one         doi:10.1/b\n"
        "doi:10.1/b  doi:10.1/b\n"
        "==========  ==========\n"
    ),
    "table in a table": (
        "+----------------------------+\n"
        "| .. list-table::            |\n"
        "|                            |\n"
        "|    * - doi:10.1/a          |\n"
        "|      - doi:10.1/a          |\n"
        "|                            |\n"
        "| +------------+-----------+ |\n"
        "| | doi:10.1/b | one       | |\n"
        "| |            | hdl:10.1/c| |\n"
        "| +------------+-----------+ |\n"
        "+----------------------------+\n"
    ),
    "csv table": (
        ".. csv-table:: doi:10.1/a\n   :header: one, hdl:10.1/b\n\n"
        '   doi:10.1/a, "doi:10.1/a"\n   one , doi:10.1/c\n'
        '   "one\n   two doi:10.1/c", doi:10.1/c\n'
    ),
    "a target in a cell with quotation marks": (
        '.. csv-table::\n\n   one, ".. _a ""b"": doi:10.1/a"\n'
    ),
    "an image in a substitution": (
        ".. |a| image:: x.png\n   :target: doi:10.1/a\n.. |b| replace:: doi:10.1/a\n"
    ),
    "substitutions": (
        "|a| |b|\n\n.. |a| replace:: one doi:10.1/a\n.. |b| replace:: one\n   doi:10.1/a\n"
    ),
    "targets": (
        ".. _one: doi:10.1/a\n.. _two:\n   doi:10.1/b\n__ hdl:10.1/c\n.. _d: doi:10.1/a\n"
    ),
    "equal texts of a directive": (
        ".. video:: doi:10.1/a\n   :alt: doi:10.1/a\n   :target: doi:10.1/a\n"
    ),
    "targets in tables": (
        "+-------------------+\n"
        "| .. _one:          |\n"
        "|    doi:10.1/a     |\n"
        "| .. _b: doi:10.1/b |\n"
        "| .. _c: doi:10.1/b |\n"
        "|                   |\n"
        "+-------------------+\n\n"
        ".. list-table::\n\n   * - .. _e: doi:10.1/a\n       .. _f: doi:10.1/a\n"
    ),
    "directives": (
        ".. note:: one\n   doi:10.1/a\n   :option: doi:10.1/b\n\n   doi:10.1/a\n\n"
        "   .. figure:: x.png\n      :alt: doi:10.1/c\n      :target: doi:10.1/d\n\n"
        "      Caption doi:10.1/c\n\n.. unknown::\n\n   doi:10.1/a\n"
    ),
    "tabs": "a\tdoi:10.1/a\tdoi:10.1/a\n\n-\tone\n\tdoi:10.1/b\n\n\tdoi:10.1/c\n",
    "characters of two columns": "日本 doi:10.1/a \U0001f600 doi:10.1/b\n",
    "lines of other systems": "one\r\ndoi:10.1/a\r\n\r\n- doi:10.1/b\r\n",
    "a mark of the byte order": "\ufeffdoi:10.1/a doi:10.1/b\n=====================\n",
}
MARKDOWN = {
    "a mark of the byte order": "\ufeff[a](doi:10.1/a)\n\ndoi:10.1/b\n",
    "a fence behind a mark of the byte order": (
        "\ufeff```python\n[1]\n```\n\n~~~{note}\ndoi:10.1/a\n~~~\n"
    ),
    "tabs": (
        "!!! note\n\n\tdoi:10.1/a\n\tdoi:10.1/b\n\n[^1]: one two\n\n\tdoi:10.1/c\n\n"
        '- !!! note\n\n\t  one\n\n=== "Tab"\n\n\tdoi:10.1/d\n'
    ),
    "footnotes": (
        "[^1]: doi:10.1/a.\n[^2]: [one](doi:10.1/b)\n[^3]: *doi:10.1/a*\n"
        "> [^4]: <hdl:10.1/c>,\n\n[^1]: (doi:10.1/a)\n\n[^1], [^3]\n"
    ),
}
PYTHON = {
    "functions": (
        'def f():\n    """One doi:10.1/a\n\n    two doi:10.1/a\n      doi:10.1/b\n    """\n'
    ),
    "line feeds after carriage returns": (
        'def f():\r\n    """One.\r\n\r\n    See doi:10.1/a and\r\n    doi:10.1/b.\r\n    """\r\n'
    ),
    "continued lines": (
        'def f():\n    """One \\\n    two doi:10.1/a\n    doi:10.1/b \\\n\\\n  doi:10.1/c\n    """\n'
    ),
    "a continued line of another system": '"""One \\\r\ntwo\r\ndoi:10.1/a\r\n"""\r\n',
    "escapes": (
        '"""\\u00e9\\t\\x41 \\N{BULLET} \\101 \\\\ \\d doi:10.1/a \\n\\\ndoi:10.1/b"""\n'
    ),
    "raw strings": 'r"""\\n\\u00e9 doi:10.1/a \\\ndoi:10.1/b"""\n',
    "tabs": 'def f():\n\t"""One.\n\n\tdoi:10.1/a\n\t\tdoi:10.1/b\n\t"""\n',
    "a mark of the byte order": "\ufeff'doi:10.1/a'\nx = 1\n'doi:10.1/b'\n",
    "strings that are not closed": (
        '"""doi:10.1/a"""\nx = "it (\n"""doi:10.1/b"""\n'
        "def f():\n    'doi:10.1/c'\n    x = '''doi:10.1/no\n\n    'doi:10.1/no'\n"
    ),
    "brackets that are not opened": "x = )\n'doi:10.1/a'\n",
    "statements": (
        "x = 'doi:10.1/no'\n'doi:10.1/no' + x\n(\n'doi:10.1/no'\n)\nx = \\\n'doi:10.1/no'\n"
        "'doi:10.1/a' # 'x'\n# \\\n'doi:10.1/b'\nf'doi:10.1/no'\nb'doi:10.1/no'\n"
    ),
}
SOURCES = [
    *((f"{name}.rst", text) for name, text in RST.items()),
    *((f"{name}.md", text) for name, text in MARKDOWN.items()),
    *((f"{name}.py", text) for name, text in PYTHON.items()),
]


def places(path: Path) -> list[tuple[str, int, int | None]]:
    """The references that the command lists, with their lines and columns."""
    done = runner().invoke(hdl, ["list", "--format", "json", str(path)])
    assert (done.exit_code, done.stderr) == (0, "")
    return [
        (row["written"], row["line"], row["column"]) for row in json.loads(done.stdout)
    ]


@pytest.mark.parametrize(("name", "text"), SOURCES, ids=[name for name, _ in SOURCES])
def test_each_reference_has_its_line_and_column(
    tmp_path: Path, name: str, text: str
) -> None:
    """Each reference is listed once, at the line and the column of its text."""
    path = tmp_path / name
    path.write_bytes(text.encode())

    assert places(path) == [
        (reference[0], number, reference.start() + 1)
        for number, line in enumerate(text.split("\n"), 1)
        for reference in _REFERENCE.finditer(line)
    ]


def test_a_cell_with_quotation_marks_has_a_line_only(tmp_path: Path) -> None:
    """Docutils halves quotation marks, so that the column in the file is unknown."""
    table = '.. csv-table::\n\n   one, "a ""b"" doi:10.1/a"\n'
    page = tmp_path / "a.rst"
    page.write_text(table)
    module = tmp_path / "a.py"
    module.write_text(f"def f():\n    '''\n{table}'''\n")

    assert places(page) == [("doi:10.1/a", 3, None)]
    assert places(module) == [("doi:10.1/a", 5, None)]


def test_a_definition_whose_label_looks_like_one(tmp_path: Path) -> None:
    """The label ends at its first bracket that is not escaped, in a notebook too."""
    text = "One.\n\n[a\\]: b]: doi:10.1/a\n"
    page = tmp_path / "a.md"
    page.write_text(text)
    cell = {"cell_type": "markdown", "metadata": {}, "source": text}
    notebook = tmp_path / "b.ipynb"
    notebook.write_text(json.dumps({"nbformat": 4, "cells": [cell]}, indent=1))
    row, column = next(
        (number, line.index("doi:") + 1)
        for number, line in enumerate(notebook.read_text().split("\n"), 1)
        if "doi:" in line
    )

    assert places(page) == [("doi:10.1/a", 3, 11)]
    assert places(notebook) == [("doi:10.1/a", row, column)]


def test_a_reference_that_cannot_be_placed_is_listed(tmp_path: Path) -> None:
    """Behind an escape in a title the offset is unknown: there is a line only."""
    path = tmp_path / "a.rst"
    path.write_text("One\n:doi:`a \\* title <10.1/a>`\n")

    assert places(path) == [("10.1/a", 2, None)]
