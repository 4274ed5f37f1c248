"""Laws of the plugin on random text."""

import json
import os
import re
from html.parser import HTMLParser
from pathlib import Path
from typing import Any

import pytest
from hypothesis import example, given
from hypothesis import strategies as st
from markdown_it import MarkdownIt
from mdit_py_plugins.footnote import footnote_plugin

from handle_system.errors import HandleSyntaxError
from handle_system.handle import Handle
from handle_system.proxies import DEFAULT_PROXIES
from handle_system.reference import HandleReference
from mdit_handle import handle_plugin, render_report
from tests.strategies import handles

pytestmark = pytest.mark.slow

PARSERS = {
    "commonmark": MarkdownIt("commonmark").use(handle_plugin),
    "typographer": MarkdownIt("js-default", {"typographer": True, "linkify": True}).use(
        handle_plugin
    ),
    "footnotes": MarkdownIt("gfm-like").use(footnote_plugin).use(handle_plugin),
    "zero": MarkdownIt("zero").use(handle_plugin),
}

#: No HTML of the author: every tag and attribute comes from the parser or the plugin.
SAFE = MarkdownIt("commonmark", {"html": False}).use(handle_plugin)

PIECES = (
    *("hdl:", "doi:", "info:hdl/", "urn:doi:", "https://doi.org/", "doi.org/10."),
    *("hdl.handle.net/2", "10.1000/", "20.1000/", "DOI: 10.1/", "hdl:/", "hdl://"),
    *("<", ">", "[", "]", "(", ")", "](", "{hdl}`", "{doi}`", "`", "``", "![", "[^1]"),
    *(
        "*",
        "_",
        "**",
        "~~",
        "\\",
        "&amp;",
        "&lt;",
        "&#58;",
        "&",
        ";",
        "|",
        "\n",
        "\n\n",
    ),
    *(
        " ",
        "\t",
        "> ",
        "* ",
        "# ",
        "    ",
        "```\n",
        "```{cite-version}\n",
        ":title: a\n",
    ),
    *(
        ":version: 1\n",
        ":work: 20.1000/1\n",
        "[1]: hdl:1.2/x\n",
        "[1]",
        "^[",
        "$",
        "{.a}",
    ),
    *(
        '"',
        "'",
        "--",
        "...",
        "(c)",
        "%",
        "%2F",
        "%zz",
        "<b>",
        "</a>",
        "<a href='",
        "日本",
    ),
    *(
        "<script>",
        "javascript:",
        "\x00",
        "\ufffd",
        "\u200b",
        "\xa0",
        "é",
        "x",
        "1",
        "#",
        "?",
    ),
)

markdown = st.lists(st.one_of(st.sampled_from(PIECES), st.text(max_size=3))).map(
    "".join
)


class _Attributes(HTMLParser):
    """A page's tags with the names of their attributes, and all addresses."""

    def __init__(self) -> None:
        super().__init__()
        self.tags: set[tuple[str, ...]] = set()
        self.addresses: list[str] = []

    def handle_starttag(self, tag: str, attrs: list[tuple[str, str | None]]) -> None:
        self.tags.add((tag, *sorted(name for name, _ in attrs)))
        written = dict(attrs)
        if "hdl" in (written.get("class") or "").split() and tag == "a":
            self.addresses.append(written.get("href") or "")


@pytest.mark.parametrize("name", PARSERS)
@given(source=markdown)
@example("![](hdl:20.1000/1)[](<")
@example("[](hdl:1.2/x)[](doi:x)")
@example("{hdl}`\n`<hdl:1.2/\n>")
def test_rendering_never_raises(name: str, source: str) -> None:
    """Any text and its report can be rendered."""
    env: dict[str, object] = {}

    assert isinstance(PARSERS[name].render(source, env), str)
    assert render_report(env).splitlines()[-1].startswith("document: references: ")


@given(source=markdown)
def test_text_gives_no_tag_and_no_attribute_of_its_own(source: str) -> None:
    """A page has only the tags and attributes of the syntax and of the plugin."""
    page = _Attributes()
    page.feed(SAFE.render(source))
    bare = _Attributes()
    bare.feed(MarkdownIt("commonmark", {"html": False}).render(source))

    assert page.tags - bare.tags <= {
        ("a", "class", "href"),
        ("a", "class", "href", "title"),
        ("span", "class"),
        # Running text that was meant for a reference, which has a record.
        ("span",),
        # A malformed reference, a card that cannot be made, and the reason.
        *(("span", "class", "title"), ("code", "class", "title")),
        ("section", "aria-label", "class"),
        ("p", "class"),
        # CommonMark's elements in the rest of the text.
        *(("em",), ("strong",), ("code",), ("br",)),
        *(("a", "href"), ("a", "href", "title")),
        *(("img", "alt", "src"), ("img", "alt", "src", "title")),
    }


@given(source=markdown)
def test_every_address_is_a_link_of_ours(source: str) -> None:
    """A link to a handle is a web address; each record holds its reference."""
    env: dict[str, list[dict[str, Any]]] = {}
    page = _Attributes()
    page.feed(SAFE.render(source, env))

    for address in page.addresses:
        assert address.startswith(("https://doi.org/", "https://hdl.handle.net/"))
        assert not set(address) & set("\"'<>\\` \n\t|{}^")
        assert address.isascii()
        assert SAFE.normalizeLink(address) == address
    for record in env["handles"]:
        if record["handle"] is None:
            assert record["diagnostics"]
        else:
            handle = HandleReference.parse(record["written"]).handle
            assert str(handle) == record["handle"]


@pytest.mark.parametrize("name", ["commonmark", "footnotes", "typographer"])
@given(source=markdown)
@example("|a|\n|-|\n|\\|^[hdl:1.2/x]|")
def test_places_are_within_the_document(name: str, source: str) -> None:
    """Lines, columns and spans are within the document, and a span holds its text."""
    env: dict[str, list[dict[str, Any]]] = {}
    PARSERS[name].render(source, env)
    source = re.sub("\r\n?", "\n", source).replace("\0", "\ufffd")
    lines = source.split("\n")

    for record in env["handles"]:
        line, column, span = record["line"], record["column"], record["span"]
        if line is not None:
            assert 1 <= line <= len(lines)
        if column is not None:
            assert 1 <= column <= len(lines[line - 1])
        if span is not None:
            start, end = span
            assert source[start:end] == record["written"]
            if record["markup"] == "text":
                before = source[:start].rpartition("\n")[2]
                assert before == lines[line - 1][: column - 1]


@given(source=st.text(alphabet=st.characters(exclude_characters="`\n")))
def test_a_role_reads_as_its_content_does(source: str) -> None:
    """A role whose content is a reference is recorded with its handle."""
    content = source.strip()
    env: dict[str, list[dict[str, object]]] = {}
    SAFE.parse(f"x {{hdl}}`x {content}` {{hdl}}`{content}`.", env)
    try:
        handle = str(HandleReference.parse(content).handle) if content else None
    except HandleSyntaxError:
        return
    if (
        content
        and handle is not None
        and content[0] not in "!~<"
        and "\x00" not in content
    ):
        assert handle in [record["handle"] for record in env["handles"]]


def _plain(source: str) -> bool:
    return not any(sign in source.lower() for sign in ("hdl", "doi", "{"))


@given(source=markdown.filter(_plain))
def test_text_without_a_handle_is_left_alone(source: str) -> None:
    """A page without `hdl`, `doi` or a brace is rendered as without the plugin."""
    assert SAFE.render(source) == MarkdownIt("commonmark", {"html": False}).render(
        source
    )


@given(handle=handles)
def test_a_canonical_uri_leads_to_its_handle(handle: Handle) -> None:
    """Autolinks, links and definitions accept every handle's canonical URI."""
    uri = HandleReference(handle=handle).uri()
    page = _Attributes()
    page.feed(SAFE.render(f"<{uri}> [x](<{uri}>) [x]\n\n[x]: <{uri}>"))

    assert page.addresses == [DEFAULT_PROXIES.link(handle)] * 3


SUITES = os.environ.get("MARKDOWN_SUITES")

PRESETS = ("commonmark", "gfm-like", "js-default", "zero")


_LINK = re.compile(
    '<a href="https://hdl.handle.net/20.1000/100" class="hdl">'
    r"(hdl:20.1000/100)</a>"
)

needs_suites = pytest.mark.skipif(
    SUITES is None, reason="MARKDOWN_SUITES names no folder of suites in JSON"
)


def _changed(preset: str, options: dict[str, bool], template: str) -> list[str]:
    """The examples whose output changes, except for links of our own handle."""
    bare = MarkdownIt(preset, options)
    plugin = MarkdownIt(preset, options).use(handle_plugin)
    suites = [
        json.loads(path.read_text()) for path in Path(SUITES or "").glob("*.json")
    ]
    pages = [template.format(each["markdown"]) for suite in suites for each in suite]
    assert len(pages) > 600
    return [
        page
        for page in pages
        if _LINK.sub(r"\1", plugin.render(page)) != bare.render(page)
    ]


@needs_suites
@pytest.mark.parametrize("preset", PRESETS)
@pytest.mark.parametrize("typographer", [False, True])
def test_examples_are_left_alone(preset: str, typographer: bool) -> None:  # noqa: FBT001 - a column of the table
    """No example of any suite changes, because none holds a handle."""
    assert _changed(preset, {"typographer": typographer}, "{}") == []


@needs_suites
@pytest.mark.parametrize("preset", ["commonmark", "gfm-like"])
@pytest.mark.parametrize(
    "template", ["hdl:20.1000/100 {}", "{}\n\nhdl:20.1000/100\n", "{} hdl:20.1000/100"]
)
def test_examples_beside_a_handle_are_left_alone(preset: str, template: str) -> None:
    """A handle beside an example does not change the example."""
    assert _changed(preset, {}, template) == []
