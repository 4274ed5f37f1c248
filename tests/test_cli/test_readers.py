"""The readers of all syntaxes: which text is prose, and its place in the file."""

import json
from pathlib import PurePath
from typing import Any

import pytest
from docutils.parsers.rst import directives, roles
from hypothesis import given
from hypothesis import strategies as st

from handle_cli.readers import (
    UnreadableError,
    metadata,
    normalized,
    read_references,
    span_of,
    syntax_of,
    within,
)
from handle_system import (
    HandleReference,
    HandleSyntaxError,
)
from handle_system.findings.finding import Place
from handle_system.found import Found
from handle_system.lines import Lines
from handle_system.settings import Settings
from handle_system.syntax import Syntax


def found(syntax: Syntax, text: str, **values: Any) -> list[str]:
    """The references of a text, as they stand in the file."""
    lines = Lines(text)
    read = []
    try:
        references = read_references(syntax, text, Settings(**values))
    except UnreadableError as error:
        return [f"unreadable: {error}"]
    for each in references:
        span = span_of(lines, each)
        written = text[slice(*span)] if span else f"elsewhere {each.written}"
        bad = isinstance(each.reference, HandleSyntaxError)
        read.append(f"malformed {written}" if bad else written)
    return read


CLUSTERS = {
    Syntax.RST: ":doi:`[see 10.1000/a, p. 3;\nalso doi:10.1000/b]`, :hdl:`20.1/c; 20.1/d`",
    Syntax.MARKDOWN: (
        "{doi}`[see 10.1000/a, p. 3; also doi:10.1000/b]`, {hdl}`20.1/c; 20.1/d`\n"
        "[see @doi:10.1000/e\\_f; @hdl:20.1/g]"
    ),
    Syntax.PYTHON: '"""See :doi:`[see 10.1000/a, p. 3; doi:10.1000/b]`."""\n',
}


@pytest.mark.parametrize(
    ("syntax", "expected"),
    [
        (Syntax.RST, ["10.1000/a", "doi:10.1000/b", "20.1/c", "20.1/d"]),
        (
            Syntax.MARKDOWN,
            [
                *["10.1000/a", "doi:10.1000/b", "20.1/c", "20.1/d"],
                *["doi:10.1000/e\\_f", "hdl:20.1/g"],
            ],
        ),
        (Syntax.PYTHON, ["10.1000/a", "doi:10.1000/b"]),
    ],
)
def test_clusters(syntax: Syntax, expected: list[str]) -> None:
    """Each reference of a cluster is read at its own place."""
    assert found(syntax, CLUSTERS[syntax]) == expected


RST = r"""
Title doi:10.1/title
====================

See hdl:20.1/a, (doi:10.1/(b)), **doi:10.1/bold** and http://dx.doi.org/10.1/c\_d_e.
Text :sup:`a doi:10.1/raised`, :strong:`doi:10.1/strong`, `doi:10.1/title-reference`.
Literal ``doi:10.1/no`` and :code:`doi:10.1/no`, `text doi:10.1/no <doi:10.1/target>`_
and :doi:`10.1/role`, :hdl:`Title <20.1/titled>`, :py:doi:`10.1/x`, :hdl:`bad`,
:doi:`20.1/not-a-doi`, `not closed doi:10.1/open.

Code::

    doi:10.1/no

- Item::

     doi:10.1/no

  doi:10.1/item

Quoted::

> doi:10.1/no

>>> doi:10.1/no

.. _named: https://doi.org/10.1/named;x
.. _page: https://example.org/10.1/no
__ hdl:20.1/anonymous
.. _below:
   https://doi.org/10.1/below
.. _first:
.. _second:

   doi:10.1/quote

.. [1] doi:10.1/footnote
.. |sub| replace:: doi:10.1/substitution
.. a comment doi:10.1/no

   doi:10.1/no

.. note:: doi:10.1/note

   doi:10.1/inside

   .. code-block:: python

      # doi:10.1/no

   doi:10.1/after
"""


def test_restructuredtext() -> None:
    """Literals, code, doctests, comments and link texts are skipped."""
    assert found(Syntax.RST, RST) == [
        "doi:10.1/title",
        "hdl:20.1/a",
        "doi:10.1/(b)",
        "doi:10.1/bold",
        r"http://dx.doi.org/10.1/c\_d_e",
        "doi:10.1/raised",
        "doi:10.1/strong",
        "doi:10.1/title-reference",
        "doi:10.1/target",
        "10.1/role",
        "20.1/titled",
        "10.1/x",
        "malformed bad",
        "malformed 20.1/not-a-doi",
        "doi:10.1/open",
        "doi:10.1/item",
        "https://doi.org/10.1/named;x",
        "hdl:20.1/anonymous",
        "https://doi.org/10.1/below",
        "doi:10.1/quote",
        "doi:10.1/footnote",
        "doi:10.1/substitution",
        "doi:10.1/note",
        "doi:10.1/inside",
        "doi:10.1/after",
    ]


MARKDOWN = r"""---
doi: doi:10.1/matter
description: doi:10.1/no
---
# doi:10.1/title

See hdl:20.1/a, <doi:10.1/angled.>, *doi:10.1/emphasis* and doi:10.1/c\_d&amp;e.
Code `doi:10.1/no`, ``a ` doi:10.1/no``, <b title="doi:10.1/no">doi:10.1/bold</b>,
<a href="doi:10.1/href">doi:10.1/no</a> <!-- doi:10.1/no <a href="doi:10.1/no"> -->
[text doi:10.1/no](doi:10.1/target. "a title"), [x](<https://doi.org/10.1/a b>),
[![doi:10.1/no](badge.svg)](http://dx.doi.org/10.1/badge_(1)), [doi:10.1/no][label]
{doi}`10.1/role` {hdl}`Title <20.1/titled>` {ref}`doi:10.1/no` {doi}`nothing`
[bad](doi:10.1/%zz)

[label]: https://doi.org/10.1/definition "doi:10.1/no"

    doi:10.1/no

- item

      doi:10.1/no

  doi:10.1/item

```python
doi:10.1/no
```

```{note} doi:10.1/note
doi:10.1/inside
~~~
doi:10.1/no
~~~
```

:::{code-block} text
doi:10.1/no
:::

<!--
doi:10.1/no
-->
% doi:10.1/no

<p align="center">
  doi:10.1/text <a class="x" href='doi:10.1/block'>doi:10.1/no</a> <kbd>doi:10.1/no</kbd>
  <!-- <a href="doi:10.1/no"> --> <script>"<a href='doi:10.1/no'>"</script>
</p>

<details>

doi:10.1/details
</details>

  <b>doi:10.1/paragraph</b>

</my-tag>
doi:10.1/behind

doi:10.1/line
<my-tag>
doi:10.1/lazy

```{toctree}
Title <doi:10.1/entry>
```
doi:10.1/last
"""


def test_markdown() -> None:
    """Code and link texts are skipped; HTML is read as a page is, front matter for its DOI."""
    assert found(Syntax.MARKDOWN, MARKDOWN) == (
        [
            "doi:10.1/matter",
            "doi:10.1/title",
            "hdl:20.1/a",
            "doi:10.1/angled.",
            "doi:10.1/emphasis",
            r"doi:10.1/c\_d&amp;e",
            "doi:10.1/bold",
            "doi:10.1/href",
            "doi:10.1/target.",
            "https://doi.org/10.1/a b",
            "http://dx.doi.org/10.1/badge_(1)",
            "10.1/role",
            "20.1/titled",
            "malformed nothing",
            "malformed doi:10.1/%zz",
            "https://doi.org/10.1/definition",
            "doi:10.1/item",
            "doi:10.1/note",
            "doi:10.1/inside",
            "doi:10.1/text",
            "doi:10.1/block",
            "doi:10.1/details",
            "doi:10.1/paragraph",
            "doi:10.1/behind",
            "doi:10.1/line",
            "doi:10.1/lazy",
            "doi:10.1/entry",
            "doi:10.1/last",
        ]
    )


@pytest.mark.parametrize(
    ("syntax", "text", "expected"),
    [
        (Syntax.RST, r":hdl:`20.1/a\\`, :hdl:`20.1/b`", [r"20.1/a\\", "20.1/b"]),
        (Syntax.RST, r"``a\`` doi:10.1/a ``\``", ["doi:10.1/a"]),
        (Syntax.MARKDOWN, r"{hdl}`20.1/a\`, {hdl}`20.1/b`", ["20.1/a\\", "20.1/b"]),
        (Syntax.RST, ":hdl:``20.1/no`` doi:10.1/a", ["doi:10.1/a"]),
        (
            Syntax.RST,
            "**see doi:10.1/a**-x *doi:10.1/b*/c",
            ["doi:10.1/a", "doi:10.1/b"],
        ),
        (Syntax.RST, "*doi:10.1/a*b doi:10.1/c*d-*", ["doi:10.1/a*b", "doi:10.1/c*d-"]),
        (Syntax.MARKDOWN, r"\` doi:10.1/a `doi:10.1/no`", ["doi:10.1/a"]),
    ],
)
def test_backslashes_before_quotes(
    syntax: Syntax, text: str, expected: list[str]
) -> None:
    """In Markdown code a backslash is ordinary; elsewhere two of them are no escape."""
    assert found(syntax, text) == expected


def test_a_notebook_is_read_in_its_markdown_cells() -> None:
    """Sources are strings or lists with JSON's escapes; code and output are skipped."""
    cells = [
        {"cell_type": "markdown", "metadata": {"source": "doi:10.1/no"}, "source": []},
        {"cell_type": "code", "outputs": [{"text": "doi:10.1/no"}], "source": ["x"]},
        {
            "metadata": {},
            "source": [
                'é "doi:10.1/a"\n',
                "\n",
                "`doi:10.1/no`\n",
                "hdl:20.1/\U0001f600",
            ],
            "cell_type": "markdown",
        },
        {"source": "doi:10.1/c", "cell_type": "markdown"},
    ]
    text = json.dumps({"metadata": {"title": "doi:10.1/no"}, "cells": cells}, indent=1)

    assert found(Syntax.NOTEBOOK, text) == [
        "doi:10.1/a",
        "elsewhere hdl:20.1/\U0001f600",
        "doi:10.1/c",
    ]


PYTHON = '''"""Module doi:10.1/module.

    doi:10.1/quote
"""
x = "doi:10.1/no"  # doi:10.1/no
class C:
    """é doi:10.1/class::

        doi:10.1/no

    doi:10.1/more
    """
    x = 1
    """doi:10.1/attribute"""
    async def f(self):
        r"doi:10.1/method"
'''


# Every `doi`, identifiers of type doi, and addresses are read.
CFF = """cff-version: 1.2.0
doi: 10.1/software
title: doi:10.1/no
url: "https://dx.doi.org/10.1/url"
repository-code: https://example.org/10.1/no
identifiers:
  - type: url
    value: https://example.org/1/2
  - type: doi
    value: '10.1/identifier'  # doi:10.1/no
  - value: 20.1/not-a-doi
    type: doi
"""
# `doi`, notes, an `eprint` that holds a handle, and any address are read.
BIBTEX = r"""doi = {10.1/no} outside
@comment{doi = {10.1/no}}
@article{key,
  title = {About doi:10.1/no {and} "more"},
  doi = {10.1/a\_b},
  url = "https://dx.doi.org/10.1/url",
  note = {See \url{hdl:20.1/note}.},
  eprint = {20.1/eprint}, eprinttype = {hdl},
}
@misc(other, eprint = {2101.00001}, archivePrefix = {arXiv}, doi = {nothing})
@article{saved, title = {doi:10.1/no more of it}, eprint = { https://doi.org/10.1/b},
  bdsk-url-1 = {https://doi.org/10.1/c}, file = {https://example.org/10.1/no}}
"""

EACH_END = ["doi:10.1/a", "doi:10.1/b"]


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        (
            PYTHON,
            [
                "doi:10.1/module",
                "doi:10.1/quote",
                "doi:10.1/class",
                "doi:10.1/more",
                "doi:10.1/attribute",
                "doi:10.1/method",
            ],
        ),
        # Of another version, or a template: what can be told is read.
        ('"""doi:10.1/a"""\ndef (\nprint "x"', ["doi:10.1/a"]),
        ('\ufeff# -*- coding: utf-8 -*-\n\n"doi:10.1/a"', ["doi:10.1/a"]),
        (
            (
                "async def f(\n  a: dict[str, int] = {':': 1},  # : (\n) -> None:  # x\n"
                "  # :\n  'doi:10.1/a'"
            ),
            ["doi:10.1/a"],
        ),
        ("class C[T: int](A):\n\n  U'''doi:10.1/a '''", ["doi:10.1/a"]),
        ('def f():\n  a = {"b":\n    "doi:10.1/no"}', []),
        ('def f():\n  """doi:10.1/no {}""".format(1)', []),
        ('def f():\n  f"doi:10.1/no"\ndef g():\n  b"doi:10.1/no"', []),
        ("x = \"\"\"\ndef f():\n  '''doi:10.1/no'''\n\"\"\"", []),
        # Escapes are Python's, unless the string is raw; what is none stays.
        (
            r"'See doi:10.1/a\u002fb.\nMore doi:10.1/c'",
            ["elsewhere doi:10.1/a/b", "doi:10.1/c"],
        ),
        (r"r'See doi:10.1/a.\nMore'", [r"doi:10.1/a.\nMore"]),
        # A reference begins a line that ends as Windows ends it.
        ('"""One\r\ndoi:10.1/a\r\ndoi:10.1/b"""\r\n', ["doi:10.1/a", "doi:10.1/b"]),
        ('r"""One \\\r\ndoi:10.1/a"""\r\n', ["doi:10.1/a"]),
        ("a = 'not closed\ndef f():\n  'doi:10.1/a'", ["doi:10.1/a"]),
        ("'doi:10.1/no\n", []),
        ("'''doi:10.1/no", []),
        # The quotes of both kinds end the text: they are not indented code.
        *(
            (
                f"{quotes}doi:10.1/a\n\n.. code::\n\n    x\n\ndoi:10.1/b{quotes}",
                EACH_END,
            )
            for quotes in ('"""', "'''")
        ),
        *(
            (
                f"{quotes}.. code:: sh\n\n    doi:10.1/no\n\ndoi:10.1/a{quotes}",
                ["doi:10.1/a"],
            )
            for quotes in ('"""', "'''")
        ),
    ],
)
def test_a_docstring_is_told_from_its_tokens(text: str, expected: list[str]) -> None:
    """A docstring is a statement that is nothing but a string; the rest is code."""
    assert found(Syntax.PYTHON, text) == expected


@pytest.mark.parametrize(
    ("syntax", "text"),
    [
        (Syntax.RST, "See https://id.example.org/hdl/20.1/a."),
        (Syntax.MARKDOWN, "See https://id.example.org/hdl/20.1/a."),
        (Syntax.MARKDOWN, "[a](https://id.example.org/hdl/20.1/a)"),
        (Syntax.PYTHON, '"""See https://id.example.org/hdl/20.1/a."""'),
        (Syntax.PLAIN, "See https://id.example.org/hdl/20.1/a."),
        (Syntax.BIBTEX, "@a{b, url = {https://id.example.org/hdl/20.1/a}}"),
    ],
)
def test_the_urls_of_a_proxy_of_ones_own_are_read(syntax: Syntax, text: str) -> None:
    """URLs of a configured proxy are found without another reference near them."""
    proxies = {"20.1": "https://id.example.org/hdl/"}
    assert found(syntax, text, proxies=proxies) == ["https://id.example.org/hdl/20.1/a"]


@pytest.mark.parametrize(
    ("syntax", "text"),
    [
        (Syntax.RST, "`old <https://id.example.org/20.1/a>`_"),
        (Syntax.RST, "`old`_\n\n.. _old: https://id.example.org/20.1/a"),
        (Syntax.RST, "See https://id.example.org/20.1/a."),
        (Syntax.MARKDOWN, "[old](https://id.example.org/20.1/a)"),
        (Syntax.HTML, '<a href="https://id.example.org/20.1/a">old</a>'),
    ],
)
def test_a_proxy_needs_no_word_of_an_identifier(syntax: Syntax, text: str) -> None:
    """A link to a configured proxy is found whose address has no "hdl" and no "doi"."""
    proxies = {"20.1": "https://id.example.org/"}
    assert found(syntax, text, proxies=proxies) == ["https://id.example.org/20.1/a"]


@pytest.mark.parametrize(
    ("name", "syntax"),
    [
        ("a/b.RST", Syntax.RST),
        ("a.rst", Syntax.RST),
        ("a.rest", Syntax.RST),
        ("README.md", Syntax.MARKDOWN),
        ("a.markdown", Syntax.MARKDOWN),
        ("a.qmd", Syntax.MARKDOWN),
        ("a.Rmd", Syntax.MARKDOWN),
        ("a.mdx", Syntax.MDX),
        ("a.ipynb", Syntax.NOTEBOOK),
        ("a.py", Syntax.PYTHON),
        ("a.pyi", Syntax.PYTHON),
        ("a.txt", Syntax.PLAIN),
        ("CITATION.cff", Syntax.CFF),
        ("a.bib", Syntax.BIBTEX),
        ("a.html", Syntax.HTML),
        ("a.HTM", Syntax.HTML),
        ("a.xhtml", Syntax.HTML),
        ("a.csv", Syntax.CSV),
        ("a.tsv", Syntax.CSV),
        ("paper.TeX", Syntax.LATEX),
        ("logo.png", None),
        ("Makefile", None),
    ],
)
def test_the_syntax_is_told_by_the_name(name: str, syntax: Syntax | None) -> None:
    """The suffix decides in any letter case; other kinds of files are not read."""
    assert syntax_of(PurePath(name)) is syntax


_WORDS = st.sampled_from(
    [
        *("doi:10.1/a", "hdl:20.1/b(c)", "``", "`", "```", "~~~", "\\", "\\_", "&amp;"),
        *(
            "[",
            "](",
            ")",
            "]",
            "<",
            ">",
            "<!--",
            "-->",
            "<a ",
            "</a>",
            "$",
            "::",
            ".. ",
        ),
        *("\n", "\n\n", "    ", "- ", "{doi}`", ":doi:`", '"', "'''", '"""', "\r\n"),
        *("\\href{", "\\url|", "\\doi{", "\\begin{verbatim}", "%", "~"),
        *("{", "}", "@a{b,", " doi = {", "doi: ", "é", "\U0001f600", "\u2028", "\0"),
    ]
)


@given(st.sampled_from(Syntax), st.lists(_WORDS, max_size=40).map("".join))
def test_every_reference_has_a_place_in_the_file(syntax: Syntax, text: str) -> None:
    """Hostile text raises nothing else; lines and columns are those of the file."""
    try:
        references = read_references(syntax, text, Settings())
    except UnreadableError:
        return
    rows = text.split("\n")

    for each in references:
        assert 1 <= each.place.line <= len(rows)
        assert 0 <= each.place.column <= len(rows[each.place.line - 1])
    assert references == sorted(
        references, key=lambda each: (each.place.line, each.place.column)
    )


@pytest.mark.parametrize(
    "name",
    [
        *("{python}", "{r}", "{r, echo=FALSE}", "{julia}", "{bash}", "{ojs}", "{dot}"),
        *("{webr-r}", "{pyodide}", "{mermaid}", "{code-cell} ipython3", "{.python}"),
        *("{math}", "{my-own}", "python", ""),
    ],
)
@pytest.mark.parametrize("fence", ["```", "~~~~"])
def test_fences_of_code_are_code(name: str, fence: str) -> None:
    """A fence whose name is that of no directive for prose may be a program."""
    text = f"{fence}{name}\n# doi:10.1/no\n{fence}\n\ndoi:10.1/a\n"

    assert found(Syntax.MARKDOWN, text) == ["doi:10.1/a"]


@pytest.mark.parametrize(
    "opening",
    [
        *("```{note}", "````{Admonition} Title", "~~~{grid-item}", "```{prf:theorem}"),
        *("```{py:function} f(x)", ":::{note}", ":::{my-own}", "::: callout-note"),
        *(":::: {.column width=50%}", ":::"),
    ],
)
def test_fences_of_prose_are_read(opening: str) -> None:
    """Directives for prose, and fences of colons, hold prose."""
    fence = opening[: len(opening) - len(opening.lstrip("`~:"))]
    text = f"{opening}\ndoi:10.1/inside\n{fence}\n"

    assert found(Syntax.MARKDOWN, text) == ["doi:10.1/inside"]


def test_a_list_of_references_is_no_prose() -> None:
    """The content of a directive that is known to hold none is not read."""
    text = ":::{bibliography}\ndoi:10.1/no\n:::\n\ndoi:10.1/a\n"

    assert found(Syntax.MARKDOWN, text) == ["doi:10.1/a"]


def test_a_tab_indents_the_text_of_an_admonition() -> None:
    """An admonition of MkDocs in a list ends where its text is no longer indented."""
    text = "   !!! note\n\n\tdoi:10.1/a\n"

    assert found(Syntax.MARKDOWN, text) == ["doi:10.1/a"]


QUARTO = """\
---
title: doi:10.1/no
---

Text [@doi10] doi:10.1/a `r doi("10.1/no")`

```{r, fig.cap="doi:10.1/no"}
# doi:10.1/no
```

::: {.callout-note}
doi:10.1/b
:::
"""

MDX = """\
---
title: doi:10.1/no
---
import Card from "./doi:10.1/no"
export const a = {
  b: "doi:10.1/no",
}

import of doi:10.1/a from there

<Card href="https://doi.org/10.1/href" doi={"doi:10.1/no"}>

    doi:10.1/indented {/* doi:10.1/no */} {a.map((b) => { return "doi:10.1/no" })}

</Card>

```js
export const c = "{"
```

`{` doi:10.1/b \\{ doi:10.1/c } doi:10.1/d { doi:10.1/e
"""


def test_quarto_and_r_markdown() -> None:
    """Cells and inline code are code."""
    assert {syntax_of(PurePath(name)) for name in ("a.qmd", "a.Rmd", "a.rmd")} == {
        Syntax.MARKDOWN
    }
    assert found(Syntax.MARKDOWN, QUARTO) == ["doi:10.1/a", "doi:10.1/b"]


def test_mdx() -> None:
    """Modules and expressions are code, indented text is none."""
    assert syntax_of(PurePath("a.mdx")) is Syntax.MDX
    assert found(Syntax.MDX, MDX) == [
        "doi:10.1/a",
        "https://doi.org/10.1/href",
        "doi:10.1/indented",
        "doi:10.1/b",
        "doi:10.1/c",
        "doi:10.1/d",
        "doi:10.1/e",
    ]


@pytest.mark.parametrize("character", "\v\f\x1c\x85\u2028\u2029\r")
def test_other_line_ends_move_no_column(character: str) -> None:
    """Each is one character, and ends no line for an editor that counts them."""
    text = f"one{character}two doi:10.1/a\r\nthree\r\n"

    assert normalized(text) == "one two doi:10.1/a\nthree\n"


def test_an_escape_may_hide_a_reference() -> None:
    """Text in which only the parsed one holds a reference is parsed."""
    assert found(Syntax.RST, r"See doi\:10.1/a.") == [r"doi\:10.1/a"]


def test_a_role_of_markdown_without_its_braces() -> None:
    """The message says that the braces are missing, and blames no prefix."""
    [role] = read_references(
        Syntax.MARKDOWN, "See doi:`10.1785/gssrl.81.3.530`.", Settings()
    )

    assert str(role.reference) == (
        "a role has its name in braces\n"
        "    doi:`10.1785/gssrl.81.3.530`\n"
        "    ~~~^\n"
        "write {doi}`10.1785/gssrl.81.3.530`"
    )
    assert (role.place.line, role.place.column) == (1, 5)


def test_a_malformed_reference_in_a_note_of_bibtex() -> None:
    """It is read with its error, so that the command reports it."""
    [note] = read_references(
        Syntax.BIBTEX, "@a{k, note = {See doi:20.5/3.}}", Settings()
    )

    assert str(note.reference) == (
        'the prefix of a DOI is "10" or begins with "10."\n'
        "    doi:20.5/3\n"
        "        ~~~^\n"
        "write hdl:20.5/3"
    )


def test_every_definition_of_a_link_is_read() -> None:
    """One that another hides is read, and one that goes on in the next line."""
    text = "[a]: doi:10.1/first\n[a]: doi:10.1/second\n\n> [b]:\n> doi:10.1/quoted\n"
    references = read_references(Syntax.MARKDOWN, text, Settings())

    assert [
        (str(each.reference), each.place.line, each.place.column) for each in references
    ] == [
        ("doi:10.1/first", 1, 6),
        ("doi:10.1/second", 2, 6),
        ("doi:10.1/quoted", 5, 3),
    ]


@pytest.mark.parametrize(
    ("line", "column"),
    [
        ("one doi:10.1/a", 5),
        ("doi:10.1/a", 1),
        ("doi:10.1/a two", 1),
        ("one doi:10.1/a two", 5),
        # The end of a line is taken: what is before it marks or indents.
        ("doi:10.1/a doi:10.1/a", 12),
        ("doi:10.1/a doi:10.1/a two", 0),
        ("adoi:10.1/a doi:10.1/a two", 0),
        ("nothing", 0),
    ],
)
def test_a_row_of_a_text_within_a_line(line: str, column: int) -> None:
    """A row has a column where its line holds it at the end, or once."""
    inner = Found(HandleReference.parse("doi:10.1/a"), 0, 10, place=Place("", 1, 1))

    [found] = within([inner], ["doi:10.1/a"], ["above", line, "below"], 1)

    assert (found.place.line, found.place.column) == (2, column)


def test_a_line_behind_the_end_of_a_text() -> None:
    """A line that a parser counts behind the end of a file is its last line."""
    inner = Found(HandleReference.parse("doi:10.1/a"), place=Place("", 3))

    [found] = within([inner], ["doi:10.1/a"], ["above", "doi:10.1/a"], 1)

    assert (found.place.line, found.place.column) == (2, 0)


def test_a_row_whose_tab_was_divided_has_a_line_only() -> None:
    """The parser made spaces of a part of the tab: the row is not the line's end."""
    text = "- ```{note}\n\tdoi:10.1/a\n  ```\n"
    [read] = read_references(Syntax.MARKDOWN, text, Settings())

    assert (read.place.line, read.place.column) == (2, 0)


@pytest.mark.parametrize("syntax", Syntax)
@pytest.mark.parametrize(
    "mark",
    [
        *(" ``", " `a", ":a", "[](", "[", "<a ", "<!--", "$a", "\\`", "`` ` "),
        *(" .. ", "a::\n\n", "\n>>> ", "\n```\n", "- ", "\n\n     ", "\n- a\n\n  "),
        *(
            " doi:10.1/a",
            "`doi:10.1/a` ",
            "\n\n::: {a}\n",
            '"',
            "\ndef a(",
            "\n<div>\n",
        ),
        *("def a(:'doi:10.1/a'", "def a(x='", "\n#:'doi:10.1/a'"),
        *("@a{b, c = {", "- type: doi\n  value: x\n", '{"cells": [', ".. _a"),
    ],
)
def test_marks_that_are_never_closed_take_linear_time(
    syntax: Syntax, mark: str
) -> None:
    """Hundreds of unclosed marks take linear time; a hang fails the test."""
    text = f"doi:10.1/a {mark * 250}\n"

    assert len(found(syntax, text)) <= 251


@pytest.mark.parametrize(
    ("syntax", "text", "expected"),
    [
        # A line between two paragraphs is no front matter's beginning.
        (Syntax.MARKDOWN, "---\n\nSee doi:10.1/a.\n", ["doi:10.1/a"]),
        (Syntax.MARKDOWN, "---\r\na: doi:10.1/no\r\n---\r\ndoi:10.1/a", ["doi:10.1/a"]),
        (
            Syntax.MARKDOWN,
            "---\nDOI: 10.1/a\ncitation:\n  doi: 'doi:10.1/b'\nother:\n  doi: 10.1/no\n---\n",
            ["10.1/a", "doi:10.1/b"],
        ),
        (
            Syntax.MARKDOWN,
            "---\ndoi: ''\ndoi: {{ doi }}\n---\ndoi:10.1/a",
            ["doi:10.1/a"],
        ),
        (
            Syntax.MARKDOWN,
            '---\ndoi: "{{ page.doi }}"\n---\ndoi:10.1/a',
            ["doi:10.1/a"],
        ),
        (Syntax.MARKDOWN, "---\ndoi: [10.1/no\n---\ndoi:10.1/a", ["doi:10.1/a"]),
        (
            Syntax.MARKDOWN,
            "---\ndoi: in press\n---\ndoi:10.1/a",
            ["malformed in press", "doi:10.1/a"],
        ),
        (Syntax.MDX, "---\ndoi: 10.1/a\n---\n{x} doi:10.1/b", ["10.1/a", "doi:10.1/b"]),
        # As the renderers read it.
        (Syntax.MARKDOWN, r"See hdl\:20.1/a.", [r"hdl\:20.1/a"]),
        (Syntax.RST, r"See `this <doi\:10.1/a>`_.", [r"doi\:10.1/a"]),
        (
            Syntax.MARKDOWN,
            "1. b\n\n       doi:10.1/no\n\n   doi:10.1/a",
            ["doi:10.1/a"],
        ),
        (Syntax.MARKDOWN, "> ```\n> doi:10.1/no\n> ```\n> doi:10.1/a", ["doi:10.1/a"]),
        (Syntax.MARKDOWN, "````\n```\ndoi:10.1/no\n````\ndoi:10.1/a", ["doi:10.1/a"]),
        (Syntax.MARKDOWN, "<PRE>\ndoi:10.1/no\n\n</Pre>\ndoi:10.1/a", ["doi:10.1/a"]),
        (
            Syntax.MARKDOWN,
            "<div>\ndoi:10.1/a\n```\ndoi:10.1/b",
            ["doi:10.1/a", "doi:10.1/b"],
        ),
        (Syntax.MARKDOWN, "\tdoi:10.1/no\n- a\n\n  doi:10.1/a", ["doi:10.1/a"]),
        (
            Syntax.RST,
            "a::\n\n\n  doi:10.1/no\n\n doi:10.1/no\ndoi:10.1/a",
            ["doi:10.1/a"],
        ),
        (Syntax.RST, "a::\nb doi:10.1/a\n\n doi:10.1/b", ["doi:10.1/a", "doi:10.1/b"]),
        (Syntax.RST, "..\n doi:10.1/no\n\ndoi:10.1/a", ["doi:10.1/a"]),
        (
            Syntax.RST,
            "a\n..b doi:10.1/a .. x\n ... doi:10.1/b",
            ["doi:10.1/a", "doi:10.1/b"],
        ),
        (
            Syntax.MARKDOWN,
            "[1]: doi: 10.1/a\n\n[2]: doi:10.1/b 'c'",
            ["doi: 10.1/a", "doi:10.1/b"],
        ),
        (Syntax.MARKDOWN, "doi:10.1/a\\\r\nb", ["doi:10.1/a"]),
        (Syntax.RST, "::\n\n  doi:10.1/no", []),
        (
            Syntax.RST,
            "  >>> doi:10.1/no\n  doi:10.1/no\n \t\ndoi:10.1/a",
            ["doi:10.1/a"],
        ),
        (
            Syntax.MARKDOWN,
            (
                '!!! note "A"\n    doi:10.1/a\n\n    doi:10.1/b\n\n'
                '=== "Tab"\n\n    doi:10.1/c\n\n        doi:10.1/no\n'
            ),
            ["doi:10.1/a", "doi:10.1/b", "doi:10.1/c"],
        ),
        (Syntax.MARKDOWN, "[^1]: a\n\n    doi:10.1/a\n", ["doi:10.1/a"]),
        (Syntax.MARKDOWN, "::: tip\ndoi:10.1/a\n:::\n", ["doi:10.1/a"]),
        (
            Syntax.MARKDOWN,
            "> !!! note\n>\n>     doi:10.1/a\n>\n> b\n>\n>     doi:10.1/no\n",
            ["doi:10.1/a"],
        ),
        # Pandoc and Quarto nest them, also with as many colons.
        (
            Syntax.MARKDOWN,
            (
                ":::: {.columns}\n::: {.column width=5}\ndoi:10.1/a\n:::\n"
                "::: {.column}\n```{python}\ndoi:10.1/no\n```\ndoi:10.1/b\n:::\n::::\n"
            ),
            ["doi:10.1/a", "doi:10.1/b"],
        ),
        (
            Syntax.MARKDOWN,
            "::: a\n::: b\ndoi:10.1/a\n:::\ndoi:10.1/b\n:::\n\ndoi:10.1/c\n",
            ["doi:10.1/a", "doi:10.1/b", "doi:10.1/c"],
        ),
        (
            Syntax.MARKDOWN,
            "````{note}\n::: tip\ndoi:10.1/a\n:::\n````\n",
            ["doi:10.1/a"],
        ),
        (
            Syntax.MARKDOWN,
            ':::note[T doi:10.1/a]\n:::\n\n::: {.tip title="doi:10.1/b"}\n:::\n',
            ["doi:10.1/a", "doi:10.1/b"],
        ),
        (
            Syntax.MARKDOWN,
            "Term\n\n:   doi:10.1/a\n\n    doi:10.1/b\n\n        doi:10.1/no\n",
            ["doi:10.1/a", "doi:10.1/b"],
        ),
        (Syntax.MARKDOWN, "```{eval-rst}\n:doi:`10.1/a`\n```", ["10.1/a"]),
        (
            Syntax.CFF,
            CFF,
            [
                "10.1/software",
                "https://dx.doi.org/10.1/url",
                "10.1/identifier",
                "malformed 20.1/not-a-doi",
            ],
        ),
        (Syntax.CFF, "references:\n- collection-doi: 10.1/a", ["10.1/a"]),
        (
            Syntax.CFF,
            (
                "repository: https://doi.org/10.1/a\n"
                "repository-artifact: https://doi.org/10.1/b\n"
                "repository-code: https://doi.org/10.1/c\n"
                "repositories: https://doi.org/10.1/no\n"
            ),
            [f"https://doi.org/10.1/{name}" for name in "abc"],
        ),
        (
            Syntax.BIBTEX,
            BIBTEX,
            [
                r"10.1/a\_b",
                "https://dx.doi.org/10.1/url",
                "hdl:20.1/note",
                "20.1/eprint",
                "malformed nothing",
                "https://doi.org/10.1/b",
                "https://doi.org/10.1/c",
            ],
        ),
        # TeX's names of characters are decoded, and other commands of TeX reported.
        (
            Syntax.BIBTEX,
            (
                r"@a{b, doi={10.1/a{\textless}1::A{\textgreater}b}, doi={10.1/a$<$1:$>$},"
                r" doi={10.1/a{\&}b}, doi={10.1/\alpha}, url={10.1000/a},"
                r" doi={10.1/a{\textunderscore}b{\textasciitilde}}}"
            ),
            [
                r"10.1/a{\textless}1::A{\textgreater}b",
                "10.1/a$<$1:$>$",
                r"10.1/a{\&}b",
                r"malformed 10.1/\alpha",
                "malformed 10.1000/a",
                r"10.1/a{\textunderscore}b{\textasciitilde}",
            ],
        ),
        # An object that looks like a cell is none unless it is in the list of cells.
        (
            Syntax.NOTEBOOK,
            (
                '{"cells": [{"cell_type": "markdown", "source": ["doi:10.1/a"], '
                '"metadata": {"cell_type": "markdown", "source": ["doi:10.1/no"]}}]}'
            ),
            ["doi:10.1/a"],
        ),
        (
            Syntax.PLAIN,
            "a\n\n    `doi:10.1/a`\n> hdl:20.1/b.\n",
            ["doi:10.1/a`", "hdl:20.1/b"],
        ),
        (
            Syntax.BIBTEX,
            "@a{b, url={hdl.handle.net/20.1/a}}",
            ["hdl.handle.net/20.1/a"],
        ),
        (Syntax.RST, "See `https://doi.org/10.1/a`.", ["https://doi.org/10.1/a"]),
        (Syntax.RST, "adoi:10.1/a, doi:10.1/a", ["doi:10.1/a"]),
        (Syntax.RST, f"{'x ' * 6_000} doi:10.1/a", ["doi:10.1/a"]),
        (Syntax.RST, "See doi:`10.1/a`.", ["malformed doi:`10.1/a`"]),
        # An empty cell ends nothing.
        (Syntax.RST, ".. csv-table::\n\n   a, , doi:10.1/a\n", ["doi:10.1/a"]),
        # Captions of code.
        (
            Syntax.RST,
            (
                ".. code-block:: python\n   :name: doi:10.1/no\n"
                "   :caption: See *this*, doi:10.1/a\n\n   doi:10.1/no\n"
            ),
            ["doi:10.1/a"],
        ),
        (
            Syntax.MARKDOWN,
            (
                "```{code-block} python\n:name: doi:10.1/no\n:caption: See doi:10.1/a\n"
                "\ndoi:10.1/no\n```\n\n> :::{literalinclude} doi:10.1/no\n> ---\n"
                "> caption: doi:10.1/b\n> ---\n> :::\n"
            ),
            ["doi:10.1/a", "doi:10.1/b"],
        ),
        # Bodies of admonitions in the items of lists.
        (
            Syntax.MARKDOWN,
            (
                "1. !!! note\n\n       doi:10.1/a\n\n   b\n\n       doi:10.1/no\n\n"
                "- * ??? note\n\n        doi:10.1/b\n"
            ),
            ["doi:10.1/a", "doi:10.1/b"],
        ),
    ],
)
def test_prose_and_fields_are_told_from_their_look_alikes(
    syntax: Syntax, text: str, expected: list[str]
) -> None:
    """Prose, texts of MkDocs and MyST, and fields are read; code and comments are not."""
    assert found(syntax, text) == expected


def test_the_place_of_a_repeated_text_is_the_reference() -> None:
    """The place is that of the reference, not of a literal or a word like it."""
    (each,) = read_references(
        Syntax.RST, "a\n\n``doi:10.1/x`` bdoi:10.1/x doi:10.1/x\n", Settings()
    )

    assert (each.place.line, each.place.column) == (3, 28)


@pytest.mark.parametrize(
    "text",
    [
        ".. include:: /etc/passwd\n\ndoi:10.1/a",
        ".. csv-table::\n   :url: http://127.0.0.1:9/\n\ndoi:10.1/a",
        ".. role:: doi(literal)\n\ndoi:10.1/a",
        ".. default-role:: doi\n\ndoi:10.1/a",
    ],
)
def test_a_file_reaches_nothing_outside_of_it(text: str) -> None:
    """Nothing is included or fetched, and docutils' registries stay unchanged."""
    before = dict(vars(roles)["_roles"]), directives.directive, roles.role

    assert found(Syntax.RST, text)[-1] == "doi:10.1/a"
    assert (dict(vars(roles)["_roles"]), directives.directive, roles.role) == before


@pytest.mark.parametrize(
    ("field", "handle", "reason", "suggestion"),
    [
        ("doi={N/A}", "", 'the prefix of a DOI is "10" or begins with "10."', None),
        (
            "doi={10．1000/319}",
            "",
            'the prefix of a DOI is "10" or begins with "10."',
            "10.1000/319",
        ),
        (
            "doi={20.1000/1}",
            "",
            'the prefix of a DOI is "10" or begins with "10."',
            # The field takes no other handle.
            None,
        ),
        (
            "url={10.21105/joss.1}",
            "",
            'an address begins with its scheme, "https:"',
            "https://doi.org/10.21105/joss.1",
        ),
        (
            r"doi={10.1/\alpha}",
            "",
            r"\alpha is a command of TeX, and no part of an identifier",
            None,
        ),
        (r"doi={10.1/a$<$1:2$>${\&}b}", "10.1/a<1:2>&b", "", None),
        (r"doi={10.1/a{\textunderscore}b}", "10.1/a_b", "", None),
        (r"doi={10.1/a{\textasciitilde}b}", "10.1/a~b", "", None),
        (r"doi={10.1/a{\textless}b{\textgreater}}", "10.1/a<b>", "", None),
    ],
)
def test_fields_of_bibtex(
    field: str, handle: str, reason: str, suggestion: str | None
) -> None:
    """A field is decoded, or its error says what to write, if that is certain."""
    (read,) = read_references(Syntax.BIBTEX, f"@a{{b, {field}}}", Settings())
    if isinstance(read.reference, HandleSyntaxError):
        assert (read.reference.reason, read.reference.suggestion) == (
            reason,
            suggestion,
        )
    else:
        assert (str(read.reference.handle), reason) == (handle, "")


@pytest.mark.parametrize(
    "field", ["note", "annote", "annotation", "howpublished", "addendum", "Note"]
)
def test_notes_of_bibtex_are_running_text(field: str) -> None:
    """Fields for remarks hold references among words; in other fields, nothing is one."""
    entry = "@a{{b, {} = {{At doi:10.1/x, now.}}}}"

    assert found(Syntax.BIBTEX, entry.format(field)) == ["doi:10.1/x"]
    assert found(Syntax.BIBTEX, entry.format("keywords")) == []


@pytest.mark.parametrize("kind", ["comment", "Comment", "string", "preamble"])
def test_what_is_no_entry_of_a_bibliography_holds_no_fields(kind: str) -> None:
    """A comment may hold an entry that is switched off."""
    text = f"@{kind}{{a, doi = {{10.1/no}}}}\n@book{{b, doi = {{10.1/yes}}}}\n"

    assert found(Syntax.BIBTEX, text) == ["10.1/yes"]


def test_an_alias_in_a_citation_file_is_read_once() -> None:
    """What stands beside it is read, too."""
    text = "a:\n  doi: 10.1/a\nb: &same\n  doi: 10.1/b\nc: *same\n"

    assert sorted(found(Syntax.CFF, text)) == ["10.1/a", "10.1/b"]


def test_an_address_without_its_scheme_is_drawn() -> None:
    """The caret stands where the scheme is missing."""
    (read,) = read_references(
        Syntax.BIBTEX, "@a{b, url = {10.21105/joss.1}}", Settings()
    )

    assert str(read.reference) == (
        'an address begins with its scheme, "https:"\n'
        "    10.21105/joss.1\n"
        "    ^\n"
        "write https://doi.org/10.21105/joss.1"
    )


def test_a_reference_with_a_backslash_in_a_notebook() -> None:
    """Its text is that of the file, which holds each backslash twice."""
    cell = {"cell_type": "markdown", "metadata": {}, "source": r"See doi:10.1/a\_b\_."}
    text = json.dumps({"nbformat": 4, "cells": [cell]})

    assert found(Syntax.NOTEBOOK, text) == [r"doi:10.1/a\\_b\\_"]


def test_a_file_that_is_nested_too_deeply_is_not_read() -> None:
    """The message says why; the other files are read."""
    text = "doi: 10.1/a\nx: " + "[" * 5000

    assert found(Syntax.CFF, text) == ["unreadable: it is nested too deeply"]


@pytest.mark.slow
def test_names_of_characters_without_an_end_are_read_once() -> None:
    """A docstring full of broken escapes takes the time that its length asks for.

    Quadratic work on it takes longer than any test may.
    """
    escapes = "\\N{" * 450_000

    assert found(Syntax.PYTHON, f'"""doi:10.1/a\n\n{escapes}\n"""\n') == ["doi:10.1/a"]


def test_a_long_citation_file_is_not_read(monkeypatch: pytest.MonkeyPatch) -> None:
    """A parser of YAML takes long for many small values."""
    monkeypatch.setattr(metadata, "_LONGEST_YAML", 100)

    assert found(Syntax.CFF, "# doi:10.1/abc\n" * 10) == [
        "unreadable: it has 150 characters, and at most 100 are read"
    ]


def test_keys_of_entries_are_no_references() -> None:
    """A field that names other entries, or a file, keeps its text: BibTeX compares it."""
    fields = ("crossref", "xdata", "xref", "related", "entryset", "ids", "file")
    lines = [f" {name} = {{doi:10.1000/9}}," for name in fields]
    text = "\n".join(["@misc{a,", *lines, " doi = {10.1000/1}}"])

    assert found(Syntax.BIBTEX, text) == ["10.1000/1"]
