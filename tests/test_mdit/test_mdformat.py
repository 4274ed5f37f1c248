"""A document that mdformat has formatted keeps its references."""

import mdformat
import mdformat.plugins
import pytest
from markdown_it import MarkdownIt

from mdit_handle import handle_plugin, mdformat_extension

SICI = "10.1002/(SICI)1097-4679(199902)55:2<241::AID-JCLP12>3.0.CO;2-V"

UNCHANGED = (
    "See hdl:20.1000/100, doi:10.1000/_abc_ and doi:10.1000/a_b*c.",
    f"<hdl:20.1000/100> <doi:{SICI}> <hdl:20.1000/a b>",
    f"doi:{SICI} and https://doi.org/{SICI}.",
    "{hdl}`20.1000/100` {doi}`a title <10.1000/1>` {hdl}``20.1000/a`b``",
    "{hdl}`not a handle` {hdl}`!20.1000/1` {hdl}`~20.1000/1`",
    "[a](hdl:20.1000/1) [b](<hdl:20.1000/a b>) [](doi:10.1/x)",
    "[a](hdl:cnri.test/日本) [b](hdl:latin1@20.1000/é) [c](hdl:20.1000/50%)",
    "[doi:10.1000/a_b*c](https://doi.org/10.1000/a_b*c)",
    "doi:10.1000/a\\_b hdl:20.1000/a&amp;b doi:10.1657/x[ZHU]y",
    "*see doi:10.1000/x* doi:10.1000/x\\_ **<doi:10.1000/_>**",
    "> hdl:20.1000/a_b_\n>\n> - DOI: 10.1000/182",
    "![doi:10.1000/a_b <hdl:20.1000/1>](x.png)",
    "```{cite-version}\n:title: a\n:work: 20.1000/1\n:version: 1\n```",
)


@pytest.fixture(autouse=True)
def _loaded(monkeypatch: pytest.MonkeyPatch) -> None:
    """Load the extension as its entry point does."""
    monkeypatch.setitem(
        mdformat.plugins.PARSER_EXTENSIONS, "handle", mdformat_extension
    )


def _formatted(source: str, **options: object) -> str:
    return mdformat.text(source, options=options, extensions={"handle"})


@pytest.mark.parametrize("source", UNCHANGED)
def test_references_are_written_as_they_were(source: str) -> None:
    """References stay as written."""
    assert _formatted(source).strip() == source.strip()


@pytest.mark.parametrize("source", UNCHANGED)
def test_formatting_keeps_the_links(source: str) -> None:
    """A formatted document, wrapped or not, renders to the same page."""
    md = MarkdownIt("commonmark").use(handle_plugin)

    for formatted in (_formatted(source), _formatted(source, wrap=20)):
        page, before = md.render(formatted), md.render(source)
        assert page.split() == before.split()


@pytest.mark.parametrize(
    "source",
    [
        "\\{hdl}`20.1000/100`",
        "{hdl\\}`20.1000/100` and \\{DOI\\}`10.1000/1`",
        "see &#123;hdl}`20.1000/100`",
    ],
)
def test_roles_that_their_author_escaped_stay_escaped(source: str) -> None:
    """An escaped role does not become a role."""
    assert _formatted(source) == f"{source}\n"
    assert _formatted(source, wrap=10).split() == source.split()


@pytest.mark.parametrize(
    ("source", "formatted"),
    [
        (
            "Title\n=\n* a\n* __b__ hdl:20.1000/a_b_",
            "# Title\n\n- a\n- __b__ hdl:20.1000/a_b_\n",
        ),
        # Mdformat merges the text of an image inside an image.
        (
            "![a ![hdl:20.1000/a_b c](x.png)](y.png)",
            "![a hdl:20.1000/a_b c](y.png)\n",
        ),
        # A reference that is not an autolink does not become one.
        (
            "\\<hdl:20.1000/100> &lt;hdl:20.1000/1&gt;",
            "\\<hdl:20.1000/100> \\<hdl:20.1000/1>\n",
        ),
        ("hdl:20.1000/1 \\{ref}`x` \\{`y`", "hdl:20.1000/1 {ref}`x` {`y`\n"),
    ],
)
def test_other_text_is_formatted(source: str, formatted: str) -> None:
    """mdformat formats all other text, which does not become a reference."""
    assert _formatted(source) == formatted
