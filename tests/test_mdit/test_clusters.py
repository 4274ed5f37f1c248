"""References that are cited together in Markdown: roles, and Pandoc's brackets."""

from typing import Any

import pytest
from hypothesis import example, given
from hypothesis import strategies as st
from markdown_it import MarkdownIt

from mdit_handle import handle_plugin
from tests.strategies import reference_like


def rendered(source: str) -> tuple[str, list[dict[str, Any]]]:
    """The HTML of a paragraph, without its tags, and the records."""
    env: dict[str, Any] = {}
    html = MarkdownIt("commonmark").use(handle_plugin).render(source, env)
    return html.removeprefix("<p>").removesuffix("</p>\n"), env["handles"]


def link(handle: str) -> str:
    """The link to a DOI, whose text is the identifier."""
    return f'<a href="https://doi.org/{handle}" class="hdl doi">doi:{handle}</a>'


A = link("10.1000/a")
B = link("10.1000/b")


@pytest.mark.parametrize(
    ("source", "html"),
    [
        (
            "{doi}`[see 10.1000/a, p. 3; also doi:10.1000/b]`",
            f'<span class="hdl-cluster">(see {A}, p. 3; also {B})</span>',
        ),
        ("{doi}`10.1000/a; 10.1000/b`", f'<span class="hdl-cluster">{A}; {B}</span>'),
        ("{doi}`10.1000/a, p. 3`", f'<span class="hdl-cluster">{A}, p. 3</span>'),
        (
            "x [see @doi:10.1000/a, p. 3; @{doi:10.1000/b}].",
            f'x <span class="hdl-cluster">(see {A}, p. 3; {B})</span>.',
        ),
        (
            "*x* [@doi:10.1000/a <b>&amp; c]",
            f'<em>x</em> <span class="hdl-cluster">({A}, &lt;b&gt;&amp; c)</span>',
        ),
        (
            "[one {doi}`[10.1000/a; 10.1000/b]`](https://example.org)",
            (
                '<a href="https://example.org">one <span class="hdl-cluster">'
                "(doi:10.1000/a; doi:10.1000/b)</span></a>"
            ),
        ),
    ],
)
def test_clusters(source: str, html: str) -> None:
    """Each reference is a link of its own, and words and brackets stand around them."""
    assert rendered(source)[0] == html


@pytest.mark.parametrize(
    ("source", "html"),
    [
        ("[@doi:10.1000/a; @smith04]", f"[@{A}; @smith04]"),
        (r"\[@doi:10.1000/a]", f"[@{A}]"),
        ("[-@doi:10.1000/a]", f"[-@{A}]"),
        (
            "[@doi:10.1000/a](https://example.org)",
            '<a href="https://example.org">@doi:10.1000/a</a>',
        ),
        ("`[@doi:10.1000/a]`", "<code>[@doi:10.1000/a]</code>"),
        ("![@doi:10.1000/a]", f"![@{A}]"),
    ],
)
def test_brackets_of_others(source: str, html: str) -> None:
    """Other keys, links, code and pictures stay what they are."""
    assert rendered(source)[0] == html


def test_places() -> None:
    """Each reference has a record with its own place."""
    source = "A {doi}`[see 10.1000/a;\n10.1000/b]` and [@doi:10.1000/c;\nsee @doi:10.1000/d].\n"
    _, records = rendered(source)

    assert [
        (record["written"], record["line"], record["column"]) for record in records
    ] == [
        ("10.1000/a", 1, 14),
        ("10.1000/b", 2, 1),
        ("doi:10.1000/c", 2, 19),
        ("doi:10.1000/d", 3, 6),
    ]
    for record in records:
        start, end = record["span"]
        assert source[start:end] == record["written"]


def test_a_part_without_an_identifier() -> None:
    """A role with a part that cannot be read is text, with one record."""
    html, (record,) = rendered("{doi}`[10.1000/a; there]`")

    assert html == (
        '<span class="hdl hdl-malformed" title="no &quot;/&quot; between prefix and suffix">'
        "[10.1000/a; there]</span>"
    )
    assert record["handle"] is None


@given(st.lists(reference_like, min_size=1, max_size=3), st.sampled_from(("@", "")))
@example(["doi:10.1/a", "doi:10.1/b"], "@")
def test_spans_hold_what_is_written(references: list[str], mark: str) -> None:
    """The source holds each reference where its record says."""
    content = "; ".join(f"{mark}{reference}" for reference in references)
    source = f"[{content}]" if mark else f"{{hdl}}`[{content}]`"
    env: dict[str, Any] = {}
    MarkdownIt("commonmark").use(handle_plugin).render(source, env)
    for record in env["handles"]:
        if record["span"] is not None:
            start, end = record["span"]
            # As markdown-it reads it.
            text = source.replace("\r\n", "\n").replace("\r", "\n")
            text = text.replace("\0", "\ufffd")
            assert text[start:end] == record["written"]
