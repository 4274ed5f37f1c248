"""`hdl fix`: it changes references and nothing else."""

import json
import os
import sys
from pathlib import Path

import pytest
from click.testing import Result
from hypothesis import assume, given
from hypothesis import strategies as st

from handle_cli import rewriting
from handle_cli.command import hdl
from handle_cli.files import SourceFile
from handle_cli.readers import UnreadableError, read_references
from handle_cli.rewriting import Aim, Left, Rewriting, RewritingRules, rewrite
from handle_cli.text_files import write_text
from handle_cli.writing import write_file
from handle_system import HandleReference
from handle_system.findings.finding import Place
from handle_system.found import Found
from handle_system.settings import Settings
from handle_system.syntax import Syntax
from tests.command_line import runner


def fixed(
    syntax: Syntax, text: str, *, roles: bool = False, aim: Aim | None = None
) -> str:
    rules = RewritingRules(values=Settings(), aim=Aim.ROLE if roles else aim)
    return rewrite(syntax, text, rules).text


@pytest.mark.parametrize("aim", [None, *Aim])
@pytest.mark.parametrize(
    ("syntax", "text"),
    [
        (Syntax.RST, ":doi:`[see 10.1000/a, p. 3; also doi:10.1000/b]` is"),
        (Syntax.MARKDOWN, "{doi}`10.1000/a; 10.1000/b` is"),
        (Syntax.MARKDOWN, "[see @doi:10.1000/a, p. 3; @doi:10.1000/b] is"),
    ],
)
def test_clusters_stay(syntax: Syntax, text: str, aim: Aim | None) -> None:
    """A citation in brackets, or of several works, is no link, and stays."""
    assert fixed(syntax, text, aim=aim) == text


@pytest.mark.parametrize(
    ("syntax", "roles", "before", "after"),
    [
        (Syntax.RST, False, "(doi:10.1000/182).", "(https://doi.org/10.1000/182)."),
        (
            Syntax.RST,
            False,
            "`a doi:10.1/x <http://dx.doi.org/10.1/x>`_ ``doi:10.1/x`` doi:10.1/b*c_\n",
            ("`a doi:10.1/x <https://doi.org/10.1/x>`_ ``doi:10.1/x`` "
            "https://doi.org/10.1/b\\*c\\_\n"),
        ),
        (Syntax.RST, False, ":doi:`doi:10.1/x`", ":doi:`doi:10.1/x`"),
        (
            Syntax.MARKDOWN,
            False,
            '[doi:10.1/x](http://dx.doi.org/10.1/x "t") hdl:20.1/a_b `hdl:20.1/a`\r\n',
            ('[doi:10.1/x](https://doi.org/10.1/x "t") '
            "https://hdl.handle.net/20.1/a_b `hdl:20.1/a`\r\n"),
        ),
        (Syntax.MARKDOWN, False, "<doi:10.1/x> hdl:/20.1/é", "<https://doi.org/10.1/x> https://hdl.handle.net/20.1/%C3%A9"),
        (Syntax.MARKDOWN, False, "hdl://10.0.0.1/20.1/x doi:10.5072/x", "hdl://10.0.0.1/20.1/x doi:10.5072/x"),
        (Syntax.MARKDOWN, False, "hdl:20.1/a <!-- hdl: ignore -->", "hdl:20.1/a <!-- hdl: ignore -->"),
        (Syntax.CFF, False, "doi: https://doi.org/10.1/x\nurl: http://dx.doi.org/10.1/x", "doi: 10.1/x\nurl: https://doi.org/10.1/x"),
        (Syntax.BIBTEX, False, "@a{b, doi = {https://doi.org/10.1/x}, note = {doi:10.1/x}}", "@a{b, doi = {10.1/x}, note = {doi:10.1/x}}"),
        (Syntax.BIBTEX, False, "@a{b, doi = {https://doi.org/10.1/{X}},}", "@a{b, doi = {10.1/X},}"),
        # A handle that is no DOI stays in a field for DOIs, and others are rewritten.
        (Syntax.BIBTEX, False, "@a{b, doi = {hdl:1773/3}} @a{c, doi = {doi:10.1/x}}", "@a{b, doi = {hdl:1773/3}} @a{c, doi = {10.1/x}}"),
        # Behind a label, a link stands where the identifier stood.
        (Syntax.MARKDOWN, False, "**DOI**:10.1/x *doi:*10.1/y", "**DOI**:https://doi.org/10.1/x *doi:*https://doi.org/10.1/y"),
        # A line's end ends what a reference can hold, whatever stands before it.
        (Syntax.MARKDOWN, False, "doi:10.1/x\\\nfoo", "https://doi.org/10.1/x\\\nfoo"),
        (Syntax.RST, False, "- doi:10.1/x\\\n- next", "- https://doi.org/10.1/x\\\n- next"),
        # Rewritten, this paragraph would be a definition, which shows nothing.
        (Syntax.MARKDOWN, False, "[1]: doi: 10.1/x", "[1]: doi: 10.1/x"),
        # Text that a reference may follow, written before another one.
        (Syntax.RST, False, "10.1000/hdl:20.1000/1\nhdl:20.1000/1", "10.1000/hdl:20.1000/1\nhttps://hdl.handle.net/20.1000/1"),
        (Syntax.PYTHON, False, 'x = "doi:10.1/x"\n', 'x = "doi:10.1/x"\n'),
        (Syntax.PYTHON, False, '"""See doi:10.1/x.\\nMore."""', '"""See https://doi.org/10.1/x.\\nMore."""'),
        (Syntax.PYTHON, False, '"""See doi:10.1/x and doi:10.1/y_."""\n', '"""See https://doi.org/10.1/x and doi:10.1/y_."""\n'),
        (
            Syntax.NOTEBOOK,
            False,
            '{"cells": [{"cell_type": "markdown", "source": ["\\"doi:10.1/x\\"\\n"]}]}',
            '{"cells": [{"cell_type": "markdown", "source": ["\\"https://doi.org/10.1/x\\"\\n"]}]}',
        ),
        # JSON doubles the backslash at the end of the first one.
        (
            Syntax.NOTEBOOK,
            False,
            '{"cells": [{"cell_type": "markdown", "source": "doi:10.1/a\\\\ doi:10.1/b"}]}',
            '{"cells": [{"cell_type": "markdown", "source": "doi:10.1/a\\\\ https://doi.org/10.1/b"}]}',
        ),
        # In text, roles are written where the syntax has them.
        (
            Syntax.RST,
            True,
            "doi:10.1/x, `t <http://dx.doi.org/10.1/x>`_ ahdl:20.1/a, hdl:20.1/a",
            ":doi:`10.1/x`, `t <https://doi.org/10.1/x>`_ ahdl:20.1/a, :hdl:`20.1/a`",
        ),
        (Syntax.MARKDOWN, True, "hdl:20.1/a#b", "{hdl}`hdl:20.1/a#b`"),
        # In MDX they would be expressions.
        (Syntax.MDX, True, "{b} hdl:20.1/a [x](hdl:20.1/b)", "{b} hdl:20.1/a [x](https://hdl.handle.net/20.1/b)"),
        # It depends on its place what an escape or an entity means.
        # What stands around them is as before.
        (
            Syntax.MARKDOWN,
            False,
            "At:doi:10.1/x, DOI : 10.1/x, doi: <10.1/x>, DOI 10.1109/x^[a], ⟨10.1109/x⟩, <URL:http://dx.doi.org/10.1/x>",
            ("At:https://doi.org/10.1/x, DOI : https://doi.org/10.1/x, doi: <https://doi.org/10.1/x>, "
            "DOI https://doi.org/10.1109/x^[a], ⟨https://doi.org/10.1109/x⟩, <https://doi.org/10.1/x>"),
        ),
        (
            Syntax.RST,
            False,
            "At:doi:10.1/x, DOI : 10.1/x, doi: <10.1/x>.\n\n:DOI: 10.1/x\n",
            "At:https://doi.org/10.1/x, DOI : https://doi.org/10.1/x, doi: <https://doi.org/10.1/x>.\n\n:DOI: https://doi.org/10.1/x\n",
        ),
        (
            Syntax.MARKDOWN,
            True,
            "At:doi:10.1/x, DOI : 10.1/x, doi: <10.1/x>.",
            "At:{doi}`10.1/x`, DOI : {doi}`10.1/x`, doi: <{doi}`10.1/x`>.",
        ),
        # The arguments of shortcodes are code; a broken address is mended.
        (
            Syntax.MARKDOWN,
            False,
            ('{{< cite "http://dx.doi.org/10.1/x" >}} {% a doi:10.1/x %} https://https://doi.org/10.1/x '
            "[a](https://doi-org.lib.example.edu/10.1/x) [b](10.1000/182)"),
            ('{{< cite "http://dx.doi.org/10.1/x" >}} {% a doi:10.1/x %} https://doi.org/10.1/x '
            "[a](https://doi.org/10.1/x) [b](https://doi.org/10.1000/182)"),
        ),
        # The key of a citation is looked up as it is written.
        (Syntax.MARKDOWN, False, "[@url:http://dx.doi.org/10.1/x]", "[@url:http://dx.doi.org/10.1/x]"),
        (Syntax.MARKDOWN, False, "[@doi:10.1/x; @{doi:10.1/y}] doi:10.1/z", "[@doi:10.1/x; @{doi:10.1/y}] https://doi.org/10.1/z"),
        (Syntax.MARKDOWN, False, "hdl:20.1/a\\_b hdl:20.1/a&amp;b hdl:20.1/c", "hdl:20.1/a\\_b hdl:20.1/a&amp;b https://hdl.handle.net/20.1/c"),
        (Syntax.MARKDOWN, False, '<a href="hdl:20.1/c"\n>x</a>', '<a href="https://hdl.handle.net/20.1/c"\n>x</a>'),
        (Syntax.MARKDOWN, False, "```{python}\nhdl:20.1/c\n```", "```{python}\nhdl:20.1/c\n```"),
        # In a part in reStructuredText, Markdown's roles would be text.
        (
            Syntax.MARKDOWN,
            True,
            "doi:10.1/a\n\n```{eval-rst}\ndoi:10.1/b\n```",
            "{doi}`10.1/a`\n\n```{eval-rst}\nhttps://doi.org/10.1/b\n```",
        ),
        (Syntax.PLAIN, True, "hdl:20.1/a", "https://hdl.handle.net/20.1/a"),
        (
            Syntax.RST,
            True,
            ".. _a:\n   hdl:20.1/a\n",
            ".. _a:\n   https://hdl.handle.net/20.1/a\n",
        ),
        (Syntax.RST, True, ".. _a:\n\n   hdl:20.1/a\n", ".. _a:\n\n   :hdl:`20.1/a`\n"),
    ],
)  # fmt: skip
def test_references_become_canonical_links_or_roles(
    syntax: Syntax, before: str, after: str, *, roles: bool
) -> None:
    """Code, link texts, roles, servers and suspicious references stay."""
    assert fixed(syntax, before, roles=roles) == after


MARKDOWN_CELL = '"cell_type": "markdown"'


@pytest.mark.parametrize(
    ("syntax", "text"),
    [
        # Metadata and outputs may stand before the source, and hold an equal string.
        (
            Syntax.NOTEBOOK,
            (
                '{"cells": [{"metadata": {"a": ["doi:10.1/x"]}, "source": ["doi:10.1/x@"], '
                f"{MARKDOWN_CELL}}}]}}"
            ),
        ),
        (
            Syntax.NOTEBOOK,
            (
                '{"a": "doi:10.1/x", "cells": '
                f'[{{{MARKDOWN_CELL}, "source": "doi:10.1/x@"}}]}}'
            ),
        ),
        (
            Syntax.NOTEBOOK,
            (
                '{"cells": [{"cell_type": "code", "outputs": ["doi:10.1/x"], "source": []}, '
                f'{{{MARKDOWN_CELL}, "source": ["doi:10.1/x@", "\\n", 1]}}, 2]}}'
            ),
        ),
        # The last member of a name counts.
        (
            Syntax.NOTEBOOK,
            (
                f'{{"cells":[{{{MARKDOWN_CELL},"source":"doi:10.1/x",'
                '"source" : [ "doi:10.1/x@" , ""] }\t]}\n'
            ),
        ),
        # The tag of a value in YAML, and the label of a link.
        (Syntax.CFF, "url: !<doi:10.1/x> doi:10.1/x@\n"),
        (Syntax.CFF, "url: !<doi:10.1/x> 'doi:10.1/x@'\n"),
        (Syntax.MARKDOWN, "[a\\]: doi:10.1/x b]: doi:10.1/x@\n"),
        (Syntax.MARKDOWN, "> [a\\]: doi:10.1/x]:\n> doi:10.1/x@\n"),
    ],
)
def test_the_part_that_is_read_is_the_one_that_is_written(
    syntax: Syntax, text: str
) -> None:
    """An equal text elsewhere in the file stays."""
    before = text.replace("@", "")
    after = text.replace("doi:10.1/x@", "https://doi.org/10.1/x")

    assert fixed(syntax, before) == after


def test_a_reader_that_is_wrong_about_a_place(monkeypatch: pytest.MonkeyPatch) -> None:
    """A change in another part of the file than the one that is read is not written."""
    text = "`doi:10.1/a` doi:10.1/a"
    places = iter([Place("", 1, 2), Place("", 1, 26)])

    def read(*_arguments: object) -> list[Found]:
        reference = HandleReference.parse("doi:10.1/a")
        return [Found(reference, written="doi:10.1/a", place=next(places))]

    monkeypatch.setattr(rewriting, "read_references", read)
    done = rewrite(Syntax.MARKDOWN, text, RewritingRules(values=Settings()))

    reason = "the file would be read differently afterwards, so all of it stays"
    assert (done.text, done.rewritten) == (text, [])
    assert done.left == [Left(Place(), "", reason)]


@pytest.mark.parametrize(
    "text",
    [
        "::: {.note}\nSee doi:10.1/x\n:::\n",
        ":::{note}\nSee doi:10.1/x\n:::\n",
        "```{note}\nSee doi:10.1/x\n```\n",
        "```{figure} a.png\n:width: 1\n\nSee doi:10.1/x\n```\n",
        "```{code-block} python\n---\ncaption: See doi:10.1/x\n---\nx\n```\n",
        "a[^1]\n\n[^1]: See doi:10.1/x\n",
        "Term\n: See doi:10.1/x\n",
        "!!! note\n    See doi:10.1/x\n",
        "> See doi:10.1/x\n",
        "| See doi:10.1/x |\n|---|\n",
    ],
)
def test_roles_are_written_in_every_part_that_holds_markup(text: str) -> None:
    """Below a directive, in a footnote, a definition, a caption and a cell too."""
    expected = text.replace("doi:10.1/x", "{doi}`10.1/x`")

    assert fixed(Syntax.MARKDOWN, text, roles=True) == expected


PAGE = """\
About doi:10.1/a
================

Room for doi:10.1/b
===========================================

==========
doi:10.1/c
==========

+------------+---+
| doi:10.1/d | x |
| +          +---+
| doi:10.1/d | y |
+------------+---+

==========  ===============
id          what
==========  ===============
doi:10.1/e  see doi:10.1/f
            and doi:10.1/f
==========  ===============

==  ==========  =
a   doi:10.1/e  b
==  ==========  =

doi:10.1/g

| a verse doi:10.1/g

----------

doi:10.1/g
"""


def test_titles_and_tables_keep_their_columns() -> None:
    """A reference in a title or a table stays, unless its link has the same width."""
    assert fixed(Syntax.RST, PAGE) == PAGE.replace(
        "doi:10.1/g", "https://doi.org/10.1/g"
    )


RST = """\
.. image:: x.png
   :target: doi:10.1/no
   :alt: A picture, see
      doi:10.1/no there

.. figure:: https://dx.doi.org/10.1/stays
   :target: https://dx.doi.org/10.1/no

   A caption, see doi:10.1/yes.

   :Field: doi:10.1/yes

.. |badge| image:: x.png
   :target: doi:10.1/no
.. |words| replace:: see doi:10.1/no
.. note:: see doi:10.1/no
   and doi:10.1/no
.. topic:: About doi:10.1/no

   doi:10.1/yes
.. glossary::
   term
      Read doi:10.1/yes

.. toctree::
   :maxdepth: 1

   page
   Title <doi:10.1/no>
.. index:: doi:10.1/no

:Identifier: doi:10.1/yes
*see doi:10.1/no there* and **bold doi:10.1/no** or 2 * 3 doi:10.1/yes * 4,
*doi:10.1/no*, <doi:10.1/yes>

.. _label: doi:10.1/no
.. [1] See doi:10.1/yes
"""

MARKDOWN = """\
# About doi:10.1/yes

```{figure} x.png
:target: doi:10.1/no
:alt: see doi:10.1/no

:Caption: doi:10.1/yes
```
> ```{image} https://dx.doi.org/10.1/stays
> ---
> target: doi:10.1/no
> ---
> ```

:::{note} doi:10.1/no
---
class: doi:10.1/no
---
doi:10.1/yes
:::

```{toctree}
Title <doi:10.1/no>
```
```{toctree}
:maxdepth: 1

Title <doi:10.1/no>
```

- *doi:10.1/yes* and <doi:10.1/no>, < doi:10.1/yes >
---
doi:10.1/yes
---
"""


@pytest.mark.parametrize(
    ("syntax", "page", "role"),
    [
        (Syntax.RST, RST, ":doi:`10.1/{}`"),
        (Syntax.MARKDOWN, MARKDOWN, "{{doi}}`10.1/{}`"),
    ],
)
def test_roles_are_written_where_markup_is_read(
    syntax: Syntax, page: str, role: str
) -> None:
    """No role is written in options, targets, toctrees, emphasis or angle brackets."""
    wanted = (
        page.replace("doi:10.1/yes", role.format("yes"))
        .replace("https://dx.doi.org/10.1/no", "https://doi.org/10.1/no")
        .replace("doi:10.1/no", "https://doi.org/10.1/no")
    )

    assert fixed(syntax, page, roles=True) == wanted


@pytest.mark.parametrize(
    ("syntax", "aim", "before", "after"),
    [
        (Syntax.MARKDOWN, Aim.LINK, "{hdl}`20.1/b`, x", "https://hdl.handle.net/20.1/b, x"),
        (Syntax.MARKDOWN, Aim.LINK, "{hdl}`A title <20.1/c>`", "[A title](https://hdl.handle.net/20.1/c)"),
        (Syntax.MARKDOWN, Aim.LINK, "{doi}`~10.1/d`", "[10.1/d](https://doi.org/10.1/d)"),
        (Syntax.MARKDOWN, Aim.LINK, "{hdl}`20.1/e`x", "[hdl:20.1/e](https://hdl.handle.net/20.1/e)x"),
        (Syntax.MARKDOWN, Aim.LINK, "{doi}`A <10.1/a(b)>`", "[A](<https://doi.org/10.1/a(b)>)"),
        (Syntax.MARKDOWN, Aim.LINK, "{doi}``A <10.1/a>``", "[A](https://doi.org/10.1/a)"),
        (Syntax.MARKDOWN, Aim.LINK, "{doi}`[A] <10.1/a>`", "{doi}`[A] <10.1/a>`"),
        (Syntax.MARKDOWN, None, "{hdl}`20.1/b`", "{hdl}`20.1/b`"),
        (Syntax.MARKDOWN, Aim.AUTOLINK, "doi:10.1/a {hdl}`20.1/b`.", "<https://doi.org/10.1/a> [hdl:20.1/b](https://hdl.handle.net/20.1/b)."),
        (Syntax.MARKDOWN, Aim.AUTOLINK, "https://doi.org/10.1/a {hdl}`20.1/b`", "<https://doi.org/10.1/a> <https://hdl.handle.net/20.1/b>"),
        (Syntax.MDX, Aim.AUTOLINK, "doi:10.1/a", "https://doi.org/10.1/a"),
        (Syntax.RST, Aim.LINK, ":hdl:`20.1/b`, x", "https://hdl.handle.net/20.1/b, x"),
        (Syntax.RST, Aim.LINK, ":doi:`[A] <10.1/a>`-x", "`[A] <https://doi.org/10.1/a>`__-x"),
        (Syntax.RST, Aim.LINK, ":doi:`10.1/a`-x", "`doi:10.1/a <https://doi.org/10.1/a>`__-x"),
        (Syntax.RST, Aim.AUTOLINK, "doi:10.1/a :doi:`10.1/b`", "https://doi.org/10.1/a https://doi.org/10.1/b"),
        (Syntax.PYTHON, Aim.LINK, '""":doi:`A <10.1/a>`"""', '"""`A <https://doi.org/10.1/a>`__"""'),
        (Syntax.BIBTEX, Aim.AUTOLINK, "@a{b, url = {doi:10.1/x}}", "@a{b, url = {https://doi.org/10.1/x}}"),
    ],
)  # fmt: skip
def test_roles_become_links(syntax: Syntax, aim: Aim, before: str, after: str) -> None:
    """A role with a title becomes a link with a text, another one its address."""
    assert fixed(syntax, before, aim=aim) == after


def test_what_stays_is_named_with_its_reason(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """The last lines of the standard error name each reference that needs a person."""
    monkeypatch.chdir(tmp_path)
    (tmp_path / "a.md").write_text(
        "{hdl}`nope` doi:10.5072/1 hdl:20.1/\\_a <doi:10.1/x.> doi:10.1/a\n"
        "{doi}`A\nb <10.1/b>` hdl://10.0.0.1/20.1/x https://doi.org/10.1/c\n"
        "<!-- hdl: ignore --> doi:10.5072/1\n"
    )
    (tmp_path / "b.bib").write_text("@a{b, doi = {10.1/x}, url = {hdl:20.1/x}}\n")
    done = run("--yes", "--to", "link", "a.md", "b.bib")

    assert done.exit_code == 1
    assert done.stderr == (
        'a.md:1:7: left: nope: no "/" between prefix and suffix\n'
        'a.md:1:13: left: doi:10.5072/1: "10.5072" is a prefix for tests\n'
        "a.md:1:27: left: hdl:20.1/\\_a: the file does not hold it as it is read\n"
        "a.md:1:41: left: doi:10.1/x.: '.' at the end is probably not meant (--unsafe)\n"
        "a.md:3:4: left: 10.1/b: the role goes on in the next line\n"
        "a.md:3:13: left: hdl://10.0.0.1/20.1/x: a link cannot name its server or its "
        "index\n"
        "b.bib:1:30: left: hdl:20.1/x: it is data (--data)\n"
    )
    again = run("--yes", "--to", "link", "a.md", "b.bib")
    assert (again.exit_code, again.stdout, again.stderr) == (0, "", done.stderr)


@pytest.mark.parametrize(
    ("syntax", "text"),
    [
        (Syntax.BIBTEX, "@a{b,\n  note = {see https://doi.org/10.1000/6},\n}\n"),
        (Syntax.BIBTEX, "@a{b, note = {see https://doi.org/10.1000/a_b}}\n"),
        (Syntax.MARKDOWN, "https://doi.org/10.1/a\\_b https://doi.org/10.1/a~b\n"),
        (Syntax.RST, "https://doi.org/10.1/a\\_b\n\n.. [1] |x|\n"),
        (Syntax.PYTHON, '"""`a <https://doi.org/10.1/b*c>`_"""\n'),
    ],
)
def test_what_is_canonical_is_not_named(syntax: Syntax, text: str) -> None:
    """Nothing is said of a canonical link that could not be written by a program."""
    done = rewrite(syntax, text, RewritingRules(values=Settings()))
    assert (done.text, done.left, done.rewritten) == (text, [], [])


def test_an_address_in_a_note_of_bibtex_becomes_the_canonical_one() -> None:
    """The note shows an address before and after; another form is its author's choice."""
    entry = (
        "@misc{c,\n"
        "  howpublished = {\\url{http://dx.doi.org/10.1000/11}},\n"
        "  note = {http://dx.doi.org/10.1000/a and http://dx.doi.org/10.1000/a_b},\n"
        "  annote = {doi:10.1000/12}}\n"
    )
    done = rewrite(Syntax.BIBTEX, entry, RewritingRules(values=Settings()))

    assert done.text == entry.replace(
        "http://dx.doi.org/10.1000/11", "https://doi.org/10.1000/11"
    ).replace("http://dx.doi.org/10.1000/a ", "https://doi.org/10.1000/a ")
    assert [left.written for left in done.left] == [
        "http://dx.doi.org/10.1000/a_b",
        "doi:10.1000/12",
    ]


@pytest.mark.parametrize(
    ("syntax", "before", "after"),
    [
        (
            Syntax.MARKDOWN,
            """\
doi:10.1/a http://dx.doi.org/10.1/b {doi}`10.1/c` <hdl:20.1/d> [e](doi:10.1/e)
http://doi.org/doi:10.1000/182 [f](10.1000/182)
{hdl}`nope` doi:10.5072/1 [10.1000/182](doi:10.1000/183)
""",
            """\
doi:10.1/a http://dx.doi.org/10.1/b {doi}`10.1/c` <hdl:20.1/d> [e](doi:10.1/e)
https://doi.org/10.1000/182 [f](https://doi.org/10.1000/182)
{hdl}`nope` doi:10.5072/1 [10.1000/182](doi:10.1000/183)
""",
        ),
        (
            Syntax.BIBTEX,
            "@a{b, doi = {https://doi.org/10.1/x}, url = {http://dx.doi.org/10.1/x}}",
            "@a{b, doi = {10.1/x}, url = {http://dx.doi.org/10.1/x}}",
        ),
        (Syntax.CFF, "doi: https://doi.org/10.1/x", "doi: 10.1/x"),
        (
            Syntax.RST,
            "doi:10.1/a :doi:`doi:10.1/x` https://https://doi.org/10.1/x",
            "doi:10.1/a :doi:`doi:10.1/x` https://doi.org/10.1/x",
        ),
    ],
)
def test_only_what_is_wrong_is_corrected(
    syntax: Syntax, before: str, after: str
) -> None:
    """With ``--only-wrong``, every sound form stays as its author wrote it."""
    rules = RewritingRules(values=Settings(), only_wrong=True)
    done = rewrite(syntax, before, rules)

    assert done.text == after
    again = rewrite(syntax, after, rules)
    assert (again.text, again.left, again.rewritten) == (after, done.left, [])


def test_the_option_for_what_is_wrong_names_what_it_leaves(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Only a reference that is wrong, and has no remedy, is named."""
    monkeypatch.chdir(tmp_path)
    page = tmp_path / "a.md"
    page.write_text(
        "{hdl}`nope` doi:10.1/a hdl://10.0.0.1/20.1/x http://doi.org/doi:10.1/b\n"
    )
    done = run("--yes", "--only-wrong", "a.md")

    assert (done.exit_code, done.stdout) == (1, "a.md\n")
    assert done.stderr == ('a.md:1:7: left: nope: no "/" between prefix and suffix\n')
    assert page.read_text() == (
        "{hdl}`nope` doi:10.1/a hdl://10.0.0.1/20.1/x https://doi.org/10.1/b\n"
    )


_WORDS = st.sampled_from(
    [
        *(
            "doi:10.1/a",
            "hdl:20.1/b(c)",
            "http://dx.doi.org/10.1/x_*y",
            "``",
            "`",
            "\\",
        ),
        *("[", "](", ")", "]", "<", ">", "*", "_", "$", "::", ".. ", "\n", "\n\n", " "),
        *("    ", "- ", "&amp;", "doi:10.1/%C3%A9", '"""', "\r\n", ". ", "é", "url: "),
        *("{hdl}`20.1/b`", ":doi:`A <10.1/c>`", "{doi}`~10.1/d`", ":hdl:`20.1/e`"),
        *("@a{b, url = {", "}", "hdl:20.1/%22", "hdl:20.1/%3Ca%3E", "?a=1&copy=2"),
        *(
            "\n====\n",
            "\n+--+\n",
            "| ",
            "\n==  ==\n",
            ".. x::\n",
            "   :y: ",
            "```{x}\n",
        ),
    ]
)


@given(
    syntax=st.sampled_from(Syntax),
    text=st.lists(_WORDS, max_size=25).map("".join),
    aim=st.sampled_from([None, *Aim]),
)
def test_a_second_run_changes_nothing(
    syntax: Syntax, text: str, aim: Aim | None
) -> None:
    """A second run changes nothing, and finds the same references in the same order."""
    try:
        once = fixed(syntax, text, aim=aim)
    except UnreadableError:
        assume(False)  # noqa: FBT003 (as hypothesis has it)

    assert fixed(syntax, once, aim=aim) == once
    assert _references(syntax, once) == _references(syntax, text)


def _references(syntax: Syntax, text: str) -> list[HandleReference]:
    return [
        each.reference
        for each in read_references(syntax, text, Settings())
        if isinstance(each.reference, HandleReference)
    ]


def run(*arguments: str) -> Result:
    return runner().invoke(hdl, ("fix", *arguments), catch_exceptions=False)


def test_files_are_written_with_their_bytes_and_mode(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Line ends, a byte order mark and the mode stay; a diff writes nothing."""
    monkeypatch.chdir(tmp_path)
    (tmp_path / "pyproject.toml").touch()
    path = tmp_path / "a.md"
    before = b"\xef\xbb\xbf\xc3\xa9 doi:10.1/x\r\nb\x0c\n\nlast hdl:20.1/y"
    after = before.replace(b"doi:", b"https://doi.org/").replace(
        b"hdl:", b"https://hdl.handle.net/"
    )
    path.write_bytes(before)
    path.chmod(0o640)
    shown = run("--diff", ".")

    assert (shown.exit_code, path.read_bytes()) == (1, before)
    assert "+last https://hdl.handle.net/20.1/y" in shown.stdout.splitlines()
    done = run("--json", "--yes", "a.md")
    assert (done.exit_code, json.loads(done.stdout)) == (1, ["a.md"])
    assert path.read_bytes() == after
    assert path.stat().st_mode & 0o777 == 0o640
    again = run(".")
    assert (again.exit_code, again.stdout) == (0, "")
    assert sorted(each.name for each in tmp_path.iterdir()) == [
        "a.md",
        "pyproject.toml",
    ]


@pytest.mark.parametrize(
    ("text", "options", "fixed_text"),
    [
        ("[x](doi:10.1000/50%-off)", [], "[x](https://doi.org/10.1000/50%25-off)"),
        ("https://doi.org/doi:10.1000/1", [], "https://doi.org/10.1000/1"),
        ("[x](doi:20.5/3)", [], "[x](https://hdl.handle.net/20.5/3)"),
        # It is 10.1000/182, whose dot is lost.
        ("[x](doi:101000/182)", [], "[x](doi:101000/182)"),
        (
            "[x](doi:101000/182)",
            ["--unsafe"],
            "[x](https://doi.org/10.1000/182)",
        ),
        ("https://doi.org/110.1177/1", [], "https://doi.org/110.1177/1"),
        ("https://doi.org/110.1177/1", ["--unsafe"], "https://doi.org/10.1177/1"),
        ("{doi}`110.1177/1`", ["--unsafe"], "{doi}`10.1177/1`"),
        (
            "https://doi.org/arXiv:2106.01234",
            ["--unsafe"],
            "https://doi.org/10.48550/arXiv.2106.01234",
        ),
        ("https://doi.org/PENDING", ["--unsafe"], "https://doi.org/PENDING"),
        ("doi:10.5281/12802953", [], "doi:10.5281/12802953"),
        ("<doi:10.1000/1.>", [], "<doi:10.1000/1.>"),
        ("<doi:10.1000/1.>", ["--unsafe"], "<https://doi.org/10.1000/1>"),
        ("{doi}`10.1000/1.`", ["--unsafe"], "{doi}`10.1000/1`"),
        ("doi:10.5072/1", ["--unsafe"], "doi:10.5072/1"),
        ("hdl://10.0.0.1/20.1/x", ["--unsafe"], "hdl://10.0.0.1/20.1/x"),
        ("{hdl}`300:20.1/x.`", ["--unsafe"], "{hdl}`300:20.1/x.`"),
    ],
)
def test_the_one_suggestion_is_applied(
    tmp_path: Path, text: str, options: list[str], fixed_text: str
) -> None:
    """A suggestion that changes the identifier is applied only with `--unsafe`."""
    (tmp_path / "a.md").write_text(text)
    run("--yes", *options, str(tmp_path / "a.md"))

    assert (tmp_path / "a.md").read_text() == fixed_text


@pytest.mark.parametrize(
    ("name", "text"),
    [
        ("a.txt", "See doi:10.1/x\n"),
        ("a.py", '"""Data.\n\n{"url": "http://dx.doi.org/10.1/x"}\n"""\n'),
        ("a.bib", "@a{b, url = {hdl:20.1/x}}\n"),
        ("CITATION.cff", "url: hdl:20.1/x\n"),
    ],
)
def test_data_changes_only_if_that_is_asked_for(
    tmp_path: Path, name: str, text: str
) -> None:
    """Text files in folders, docstrings' JSON and `hdl:` in metadata are data."""
    (tmp_path / name).write_text(text)
    unasked = run("--yes", str(tmp_path))

    assert (unasked.exit_code, (tmp_path / name).read_text()) == (0, text)
    asked = run("--yes", "--data", str(tmp_path))
    assert asked.exit_code == 1
    assert "https://" in (tmp_path / name).read_text()


def test_without_a_terminal_nothing_is_written_unasked(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """The changes are shown, and the exit code is 1."""
    monkeypatch.chdir(tmp_path)
    (tmp_path / "a.md").write_text("doi:10.1/x\n")
    done = run("a.md")

    assert done.exit_code == 1
    assert done.stdout == (
        "--- a/a.md\n+++ b/a.md\n@@ -1 +1 @@\n-doi:10.1/x\n+https://doi.org/10.1/x\n"
    )
    assert done.stderr == "1 change in 1 file. Nothing is written without --yes.\n"
    assert (tmp_path / "a.md").read_text() == "doi:10.1/x\n"


def test_without_a_path_the_current_folder_is_read(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """It reads what a check without a path reads."""
    (tmp_path / "docs").mkdir()
    page = tmp_path / "docs" / "a.md"
    page.write_text("doi:doi: 10.1000/182\n")
    monkeypatch.chdir(tmp_path)

    assert run("--yes").stdout == "docs/a.md\n"
    assert page.read_text() == "https://doi.org/10.1000/182\n"
    assert run("--only-wrong").exit_code == 0


@pytest.mark.parametrize("name", ["myst.yml", "a.YAML", "a.txt"])
def test_the_keys_of_fields_stay(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, name: str
) -> None:
    """What a project reads as plain text may be YAML, whose keys are no labels."""
    settings = '[tool.handle]\nsyntax = { ".yml" = "plain", ".yaml" = "plain" }\n'
    (tmp_path / "pyproject.toml").write_text(settings)
    monkeypatch.chdir(tmp_path)
    text = "project:\n  doi: 10.1000/182\n  - {doi: 10.1000/183}\n  about: doi:10.1000/184\n"
    Path(name).write_text(text)
    done = run("--yes", name)

    link = "https://doi.org"
    if name == "a.txt":
        text = text.replace("doi: ", f"{link}/")
    assert Path(name).read_text() == text.replace("doi:10", f"{link}/10")
    reason = f"{name}:2:3: left: doi: 10.1000/182: its label is the key of a field\n"
    assert (reason in done.stderr) == (name != "a.txt")


@pytest.mark.parametrize("name", ["a.md", "a.html", "a.txt"])
def test_a_field_of_another_syntax_stays(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, name: str
) -> None:
    """A label that reStructuredText reads as the name of a field keeps nothing else back."""
    monkeypatch.chdir(tmp_path)
    text = "See doi:doi:10.1000/1.\n\n:DOI: 10.1000/2\n"
    Path(name).write_text(text)
    done = run("--yes", name)

    mended = text.replace("doi:doi:10.1000/1", "https://doi.org/10.1000/1")
    assert Path(name).read_text() == mended
    reason = f"{name}:3:2: left: DOI: 10.1000/2: its label is the key of a field\n"
    assert done.stderr == reason


def test_files_of_others_are_left_alone(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """A read-only file and a link out of the paths stay.

    The other name of a file with two keeps the old text, and the command says so.
    """
    monkeypatch.chdir(tmp_path)
    (tmp_path / "docs").mkdir()
    (tmp_path / "outside.md").write_text("doi:10.1/x")
    (tmp_path / "docs" / "inside.markdown").write_text("doi:10.1/x")
    (tmp_path / "docs" / "out.md").symlink_to("../outside.md")
    (tmp_path / "docs" / "z.md").write_text("doi:10.1/x")
    (tmp_path / "docs" / "z.md").chmod(0o444)
    (tmp_path / "other").hardlink_to("docs/inside.markdown")
    done = run("--yes", "docs")

    assert done.exit_code == 2
    assert done.stdout == "docs/inside.markdown\n"
    assert done.stderr == (
        "docs/inside.markdown: its other hard links keep the old text\n"
        "docs/out.md: not written: it is a symbolic link to a file outside of the "
        "paths\n"
        "docs/z.md: not written: it is read-only\n"
    )
    for name in ("outside.md", "docs/z.md", "other"):
        assert (tmp_path / name).read_text() == "doi:10.1/x"


def test_an_edit_by_somebody_else_is_not_lost(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """A file that changed since it was read is not replaced."""
    path = tmp_path / "a.md"
    path.write_text("doi:10.1/x")

    def edit(*arguments: object) -> Rewriting:
        path.write_text("doi:10.1/x and more")
        return rewrite(*arguments)  # type: ignore[arg-type] # passed on

    monkeypatch.setattr("handle_cli.fixing.rewrite", edit)
    done = run("--yes", str(path))

    assert done.exit_code == 2
    assert done.stderr.endswith("not written: it changed after it was read\n")
    assert path.read_text() == "doi:10.1/x and more"


def test_a_file_is_replaced_as_a_whole(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Replacement works for the longest names, and keeps the owner where allowed."""
    path = tmp_path / ("\u00e9" * 126 + ".md")
    path.write_bytes(b"old")
    owners = []

    def refuse(_path: Path, user: int, group: int) -> None:
        owners.append((user, group))
        raise PermissionError

    monkeypatch.setattr(os, "chown", refuse, raising=False)
    write_file(path, b"new", expected=b"old", root=tmp_path)

    assert owners == [(path.stat().st_uid, path.stat().st_gid)]
    assert path.read_bytes() == b"new"
    assert [each.name for each in tmp_path.iterdir()] == [path.name]


@pytest.mark.parametrize("setting", ["references = '../works.json'", "cache = '../c'"])
def test_settings_of_other_commands_do_not_matter(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, setting: str
) -> None:
    """A setting that needs trust stops only the commands that obey it."""
    monkeypatch.chdir(tmp_path)
    (tmp_path / "pyproject.toml").write_text(f"[tool.handle]\n{setting}\n")
    page = tmp_path / "page.md"
    page.write_text("doi:10.1000/182\n")

    done = run("--yes", "page.md")

    assert (done.exit_code, done.stdout) == (1, "page.md\n")
    assert page.read_text() == "https://doi.org/10.1000/182\n"


@pytest.mark.skipif(sys.platform == "win32", reason="Windows has no such pipes")
@pytest.mark.parametrize("place", ["pipe", "longer"])
def test_what_took_the_place_of_a_file_that_was_read(
    place: str, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    """A pipe keeps nobody waiting, and a longer file is not read whole."""
    path = tmp_path / "a.md"
    if place == "pipe":
        os.mkfifo(path)
    else:
        path.write_bytes(b"x" * 100)
    file = SourceFile(path=path, name="a.md", syntax=Syntax.MARKDOWN, encoding=None)

    assert not write_text(file, "old", "new", [str(tmp_path)], tmp_path)
    reasons = {
        "pipe": "it is not an ordinary file",
        "longer": "it changed after it was read",
    }
    assert capsys.readouterr().err == f"a.md: not written: {reasons[place]}\n"


def test_letters_alone_behind_the_host(tmp_path: Path) -> None:
    """They may be a word and no shortDOI, and stay without ``--unsafe``."""
    page = tmp_path / "a.md"
    page.write_text("https://doi.org/ssrn and https://doi.org/btm087\n")
    done = runner().invoke(hdl, ("fix", "--yes", str(page)))
    assert page.read_text() == "https://doi.org/ssrn and https://doi.org/10/btm087\n"
    assert "its letters may be a word and no shortDOI (--unsafe)" in done.output

    runner().invoke(hdl, ("fix", "--yes", "--unsafe", str(page)))
    assert page.read_text().startswith("https://doi.org/10/ssrn ")
