"""Where a reference may not become longer."""

import io

import pytest
from docutils.core import publish_doctree
from docutils.nodes import Element, reference

from handle_cli.rewriting import Aim, rewritten
from handle_cli.sources import Syntax
from handle_cli.sources.columns import Columns
from handle_system import DEFAULT_PROXIES

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
    """What would be too long for its place is left; all else is written."""
    fixed = rewritten(Syntax.RST, PAGE, DEFAULT_PROXIES, Aim.LINK)

    assert fixed == (
        PAGE.replace("doi:10.1/b", "https://doi.org/10.1/b")
        .replace("doi:10.1/f", "https://doi.org/10.1/f")
        .replace("doi:10.1/g", "https://doi.org/10.1/g")
    )


def test_docutils_reads_what_is_written_as_it_did_before() -> None:
    """As many tables, rows and sections, and no more to complain about."""
    fixed = rewritten(Syntax.RST, PAGE, DEFAULT_PROXIES, Aim.LINK)

    assert _outline(fixed) == _outline(PAGE)


def _outline(source: str) -> tuple[list[str], str]:
    complaints = io.StringIO()
    tree = publish_doctree(source, settings_overrides={"warning_stream": complaints})
    tags = [
        node.tagname
        for node in tree.findall(Element)
        if not isinstance(node, reference)
    ]
    return tags, complaints.getvalue()


@pytest.mark.parametrize(
    ("text", "written", "expected"),
    [
        ("doi:10.1/x\n==========\n", "doi:10.1/yy", False),
        ("doi:10.1/x\r\n===========\r\n", "doi:10.1/yy", True),
        ("doi:10.1/x\n==========", "doi:10.1/y", True),
        ("doi:10.1/x 漢字\n==============\n", "doi:10.1/", True),
        ("doi:10.1/x 漢字\n==============\n", "doi:10.1/yy", False),
        ("doi:10.1/x\n", "doi:10.1/yy", True),
        ("doi:10.1/x", "doi:10.1/yy", True),
    ],
)
def test_a_title_takes_what_its_underline_has_room_for(
    text: str, written: str, *, expected: bool
) -> None:
    """Wide characters take two columns; what is as long as before fits always."""
    assert Columns(text).take(0, len("doi:10.1/x"), written) is expected
