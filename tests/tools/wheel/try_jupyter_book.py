"""Test the wheel with `[sphinx]` in Jupyter Book 1: a book with a notebook builds.

Run by `check_wheel.py`, isolated, in an environment with the versions that Jupyter Book
pins; builds in the current folder.
"""

import json
import subprocess
import sys
from importlib.metadata import version
from pathlib import Path

CONFIGURATION = """\
title: A book
author: Jane Doe
execute:
  execute_notebooks: "off"
sphinx:
  extra_extensions:
    - sphinxcontrib_handle
  config:
    language: en
    # Nothing runs here, so nobody says what the cells are written in.
    suppress_warnings: [myst-nb.lexer]
"""
CONTENTS = """\
format: jb-book
root: intro
chapters:
  - file: notebook
  - file: code
"""
INTRO = """\
# A book

See doi:10.1000/182, [a target](hdl:20.1000/1) and {hdl}`20.1000/2`.

```{cite-version}
:title: A book
:version: 1.0
:date: 2024-05-01
:handle: 20.1000/book-1
:work: 20.1000/book
```
"""
CODE = """\
---
file_format: mystnb
kernelspec: {name: python3, display_name: Python 3}
---
# Code

See doi:10.1000/code and [x](doi:10.1000/target).

```{code-cell} ipython3
# doi:10.1000/none
1 + 1
```
"""
NOTEBOOK = {
    "cells": [
        {
            "cell_type": "markdown",
            "id": "first",
            "metadata": {},
            "source": [
                "# Notebook\n",
                "\n",
                "See hdl:20.1000/notebook and\n",
                "<doi:10.1000/2>.",
            ],
        },
        {
            "cell_type": "code",
            "execution_count": None,
            "id": "second",
            "metadata": {},
            "outputs": [],
            "source": ["# doi:10.1000/none"],
        },
    ],
    "metadata": {
        "kernelspec": {
            "display_name": "Python 3",
            "language": "python",
            "name": "python3",
        },
        "language_info": {"name": "python", "pygments_lexer": "ipython3"},
    },
    "nbformat": 4,
    "nbformat_minor": 5,
}

book = Path("book")
book.mkdir()
Path(book, "_config.yml").write_text(CONFIGURATION, encoding="utf-8")
Path(book, "_toc.yml").write_text(CONTENTS, encoding="utf-8")
Path(book, "intro.md").write_text(INTRO, encoding="utf-8")
Path(book, "code.md").write_text(CODE, encoding="utf-8")
Path(book, "notebook.ipynb").write_text(json.dumps(NOTEBOOK), encoding="utf-8")
subprocess.run(
    [Path(sys.executable).with_name("jupyter-book"), "build", "-W", "-n", "book"],
    check=True,
    timeout=300,
    stdin=subprocess.DEVNULL,
)

HDL, DOI = "https://hdl.handle.net/", "https://doi.org/"
LINKS = {
    "intro": (
        f"{DOI}10.1000/182",
        f"{HDL}20.1000/1",
        f"{HDL}20.1000/2",
        f"{HDL}20.1000/book-1",
    ),
    "notebook": (f"{HDL}20.1000/notebook", f"{DOI}10.1000/2"),
    "code": (f"{DOI}10.1000/code", f"{DOI}10.1000/target"),
}
for name, links in LINKS.items():
    page = Path(book, "_build", "html", f"{name}.html").read_text(encoding="utf-8")
    for link in links:
        assert f'href="{link}"' in page, (link, page)
    assert 'href="doi:' not in page, page
    assert 'href="hdl:' not in page, page
    assert "10.1000/none" not in page.replace("# doi:10.1000/none", ""), page
intro = Path(book, "_build", "html", "intro.html").read_text(encoding="utf-8")
assert "To cite this version of this work, use" in intro, intro

print(
    f"[sphinx]: a book built by Jupyter Book {version('jupyter-book')}, Sphinx "
    f"{version('sphinx')}, MyST-NB {version('myst-nb')}, MyST-Parser {version('myst-parser')}"
)
