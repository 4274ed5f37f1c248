"""The plugin with presets, renderers and other plugins."""

import json
import re
import subprocess
import sys
from collections.abc import Callable
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path
from typing import Any

import pytest
from markdown_it import MarkdownIt
from markdown_it.rules_inline import StateInline, autolink, link, text
from markdown_it.token import Token
from markdown_it.utils import read_fixture_file

from handle_system.proxies import Proxies
from mdit_handle import handle_plugin
from tests.test_mdit.parsers import FIXTURES, parser_for

ROOT = Path(__file__).parent.parent.parent

InlineRule = Callable[[StateInline, bool], bool]

LINKED = '<a href="https://hdl.handle.net/20.1000/100" class="hdl">hdl:20.1000/100</a>'


def _inline(md: MarkdownIt, source: str) -> list[Token]:
    [token] = [each for each in md.parse(source) if each.type == "inline"]
    return token.children or []


def test_tokens_of_a_reference_in_text() -> None:
    """A reference in text becomes an ordinary link with the plugin's markup."""
    md = MarkdownIt("commonmark").use(handle_plugin)

    env: dict[str, list[object]] = {}
    [_, block, _] = md.parse("hdl:20.1000/100", env)

    assert [token.as_dict() for token in block.children or ()] == [
        {
            **Token("link_open", "a", 1).as_dict(),
            "attrs": [
                ["href", "https://hdl.handle.net/20.1000/100"],
                ["class", "hdl"],
            ],
            "markup": "handle",
            "info": "auto",
            "meta": {
                "handle": "20.1000/100",
                "record": env["handles"][0],
                "line_in_block": 1,
            },
        },
        {
            **Token("text", "", 0).as_dict(),
            "content": "hdl:20.1000/100",
            "level": 1,
            "markup": "hdl:20.1000/100",
            "info": "handle",
        },
        {
            **Token("link_close", "a", -1).as_dict(),
            "markup": "handle",
            "info": "auto",
        },
    ]


@pytest.mark.parametrize(
    ("source", "info"),
    [
        ("<hdl:20.1000/100>", "auto"),
        ("{hdl}`20.1000/100`", "auto"),
        ("{hdl}`a title <20.1000/100>`", ""),
        ("[a title](hdl:20.1000/100)", ""),
    ],
)
def test_tokens_of_a_link_with_a_text_of_its_own(source: str, info: str) -> None:
    """A link is `auto` if its text is the reference itself."""
    opening, *_, closing = _inline(MarkdownIt().use(handle_plugin), source)

    assert (opening.type, opening.markup, opening.info) == ("link_open", "handle", info)
    assert opening.meta["handle"] == opening.meta["record"]["handle"] == "20.1000/100"
    assert (closing.type, closing.info) == ("link_close", info)


@pytest.mark.parametrize("source", ["[](doi:10.1/x)", "<doi:10.1/x>", "doi:10.1/x"])
def test_text_of_a_link_stands_within_it(source: str) -> None:
    """A link opens and closes once; its text does neither, and is one level below."""
    md = MarkdownIt("commonmark").use(handle_plugin)

    tokens = _inline(md, source)

    assert [(token.nesting, token.level) for token in tokens] == [
        *[(1, 0), (0, 1), (-1, 0)]
    ]


def test_tokens_carry_plain_values_only() -> None:
    """Tokens and `env` hold only plain data."""
    md = MarkdownIt("gfm-like").use(handle_plugin)
    env: dict[str, object] = {}
    tokens = md.parse(
        "doi:10.1000/182 [a](hdl:20.1000/1) {hdl}`x`\n\n"
        "```{cite-version}\n:title: a\n:version: 1\n:work: 20.1000/1\n```\n",
        env,
    )

    assert set(env) == {"handles"}
    inline = [child for token in tokens for child in token.children or ()]
    for token in (*tokens, *inline):
        values = [*token.meta.values(), *token.attrs.values()]
        assert json.loads(json.dumps(values)) == values


def test_proxies_are_an_option() -> None:
    """Handles link to an institution's proxy, and its links are recognised."""
    bases = {"102.100.272": "https://resolver.example.org/hdl/"}
    source = (
        "hdl:102.100.272/Y35XYS0QH https://resolver.example.org/hdl/20.1000/100 "
        "[a](https://resolver.example.org/hdl/20.1000/100)"
    )
    expected = [
        "https://resolver.example.org/hdl/102.100.272/Y35XYS0QH",
        "https://hdl.handle.net/20.1000/100",
        "https://hdl.handle.net/20.1000/100",
    ]

    for proxies in (bases, Proxies(bases)):
        tokens = _inline(MarkdownIt().use(handle_plugin, proxies=proxies), source)
        links = [token for token in tokens if token.type == "link_open"]
        assert [link.attrs["href"] for link in links] == expected


@pytest.mark.parametrize(
    ("display", "text"),
    [
        ("uri", "hdl:20.1000/a b"),
        ("url", "https://hdl.handle.net/20.1000/a%20b"),
        ("handle", "20.1000/a b"),
    ],
)
def test_display(display: str, text: str) -> None:
    """An option sets the text of links without their own text."""
    md = MarkdownIt().use(handle_plugin, display=display)

    for source in ("{hdl}`20.1000/a b`", "[](<hdl:20.1000/a b>)"):
        _, shown, _ = _inline(md, source)
        assert shown.content == text


def test_running_text_can_be_left_alone() -> None:
    """Without `text`, only references that the author marked are linked."""
    md = MarkdownIt().use(handle_plugin, text=False)
    page = md.render("hdl:20.1000/100 <hdl:20.1000/100> [hdl:20.1000/100](doi:10.1/x)")

    assert page == (
        f"<p>hdl:20.1000/100 {LINKED} "
        '<a href="https://doi.org/10.1/x" class="hdl doi" '
        'title="doi:10.1/x (doi.org)">hdl:20.1000/100</a></p>\n'
    )


@pytest.mark.parametrize(
    ("source", "linked"),
    [
        ("<code>doi:10.1/a</code> doi:10.1/b", ["doi:10.1/b"]),
        ("<KBD class=x>doi:10.1/a</KBD> doi:10.1/b", ["doi:10.1/b"]),
        ("doi:10.1/a<code>doi:10.1/b</code>doi:10.1/c", ["doi:10.1/a", "doi:10.1/c"]),
        ("doi:10.1/a <pre>x\ndoi:10.1/b</pre>", ["doi:10.1/a"]),
        ("<tt>`</tt>` <tt>doi:10.1/b</tt> doi:10.1/c", ["doi:10.1/c"]),
        # These are no elements, or end nowhere.
        ("<code> doi:10.1/a", ["doi:10.1/a"]),
        ("\\<code>doi:10.1/a\\</code>", ["doi:10.1/a"]),
        ("&lt;code>doi:10.1/a&lt;/code>", ["doi:10.1/a"]),
        ("`<code>` doi:10.1/a `</code>`", ["doi:10.1/a"]),
        ("<code-x>doi:10.1/a</code-x>", ["doi:10.1/a"]),
        ("</code>doi:10.1/a<code>", ["doi:10.1/a"]),
    ],
)
def test_code_in_html_is_left_alone(source: str, linked: list[str]) -> None:
    """Text in an element of HTML for code or input holds no references."""
    md = MarkdownIt("commonmark").use(handle_plugin)

    assert re.findall(r"<a href[^>]*>(.*?)</a>", md.render(source)) == linked


def test_roles_and_citations_can_be_left_alone() -> None:
    """Without `roles` and `cite`, both are ordinary CommonMark."""
    md = MarkdownIt().use(handle_plugin, roles=False, cite=False)
    source = (
        "{hdl}`hdl:20.1000/100`\n\n```{cite-version}\n:title: a\n:version: 1\n```\n"
    )

    assert md.render(source) == MarkdownIt().render(source)


def test_citations_are_translated() -> None:
    """The words of a citation are translated; its identifiers are not."""
    words = {
        "To cite this version of this work, use": "Zitiere:",
        "Version": "Fassung",
    }
    md = MarkdownIt().use(
        handle_plugin,
        translate=lambda message: words.get(message, message),
        version="1",
    )
    page = md.render(
        "```{cite-version}\n:title: a\n:work: 20.1000/1\n\n1 | | 20.1000/100 |\n```\n"
    )

    statement = page.partition("<dt>")[2].partition("</div>")[0]
    assert re.sub("<[^>]*>", " ", statement).split() == [
        *("Zitiere:", "a", ".", "Fassung", "1."),
        *("https://hdl.handle.net/", "20.1000/", "100"),
    ]


def test_tokens_nest() -> None:
    """What a token opens, another one closes, one level deeper in between."""
    inline = (
        MarkdownIt("commonmark")
        .use(handle_plugin)
        .parse("*x {hdl}`!20.1000/1` [y](hdl:20.1000/2)* hdl:20.1000/3 {hdl}`nope`")[1]
    )
    assert inline.children is not None

    level = 0
    for token in inline.children:
        level -= token.nesting == -1
        assert token.level == level, token
        level += token.nesting == 1
    assert level == 0


@pytest.mark.parametrize(
    ("name", "rule", "source", "expected"),
    [
        ("text", text, "one *two*", "ONE <em>TWO</em>"),
        ("link", link, "[one](/a)", '<a href="/A">one</a>'),
        ("autolink", autolink, "<https://a.example>", '<a href="HTTPS://A.EXAMPLE">'),
    ],
)
def test_another_rule_stays_in_use(
    name: str, rule: InlineRule, source: str, expected: str
) -> None:
    """The plugin asks the rule that was there for all that is no reference."""

    def shouting(state: StateInline, silent: bool) -> bool:  # noqa: FBT001 - markdown-it's signature
        count = len(state.tokens)
        taken = rule(state, silent)
        if taken and not silent:
            state.pending = state.pending.upper()
            for token in state.tokens[count:]:
                if "href" in token.attrs:
                    token.attrs["href"] = str(token.attrs["href"]).upper()
        return taken

    md = MarkdownIt("commonmark")
    md.inline.ruler.at(name, shouting)

    assert md.use(handle_plugin).renderInline(source).startswith(expected)


def test_a_link_that_shows_its_identifier_with_an_escape_has_no_title() -> None:
    """The text of a link is that of all its parts together."""
    source = "[doi:10.1000/a\\_b](doi:10.1000/a_b)"

    assert MarkdownIt("commonmark").use(handle_plugin).renderInline(source) == (
        '<a href="https://doi.org/10.1000/a_b" class="hdl doi">doi:10.1000/a_b</a>'
    )


def test_configure_after_use_drops_the_plugin() -> None:
    """`configure` after `use` disables the plugin's rules."""
    md = MarkdownIt().use(handle_plugin).configure("commonmark")
    env: dict[str, object] = {}

    assert md.render("hdl:20.1000/100 [a](hdl:20.1000/1)", env) == (
        '<p>hdl:20.1000/100 <a href="hdl:20.1000/1">a</a></p>\n'
    )
    assert "handles" not in env


def test_one_parser_in_many_threads() -> None:
    """Threads that share a parser get their own references only."""
    md = MarkdownIt("commonmark").use(handle_plugin)
    pages = [
        "\n\n".join(f"*a* hdl:20.1000/{page}.{block} `b`" for block in range(20))
        for page in range(20)
    ]
    expected = [md.render(page) for page in pages]
    with ThreadPoolExecutor(8) as pool:
        found = list(pool.map(md.render, pages * 3))

    assert found == expected * 3


def test_nothing_of_a_document_stays_in_the_parser() -> None:
    """A parser's earlier documents do not change a page."""
    md = MarkdownIt("commonmark").use(handle_plugin)
    assert ">doi:10.1/a&amp;b</a>" in md.render("doi:10.1/a&amp;b")
    md.disable("entity")
    assert ">doi:10.1/a&amp;amp;b</a>" in md.render("doi:10.1/a&amp;b")
    md.enable("entity")
    first = md.render("doi:10.1000/182[1]\n\n[1]: https://example.org")
    md.render("doi:10.1000/182[1]")

    assert md.render("doi:10.1000/182[1]\n\n[1]: https://example.org") == first
    assert "%5B1%5D" in md.render("doi:10.1000/182[1]")


def test_a_parser_within_a_parser() -> None:
    """A rule may parse another text with the same parser and `env`."""
    md = MarkdownIt("commonmark").use(handle_plugin)

    def inner(state: StateInline, silent: bool) -> bool:  # noqa: FBT001 - its caller is markdown-it
        if state.src[state.pos] != "@":
            return False
        if not silent:
            token = state.push("html_inline", "", 0)
            token.content = md.render("x *y* \n\nhdl:20.1000/2", state.env)
            md.render("nothing", state.env)
        state.pos += 1
        return True

    md.inline.ruler.push("inner", inner)
    env: dict[str, list[dict[str, object]]] = {}
    md.render("hdl:20.1000/1 @ hdl:20.1000/3", env)

    handles = sorted(str(each["handle"]) for each in env["handles"])
    assert handles == ["20.1000/1", "20.1000/2", "20.1000/3"]
    assert set(env) == {"handles"}


def test_a_reference_only_within_a_document_without_any() -> None:
    """A document that holds none may parse a text that does, and keeps nothing of it."""
    md = MarkdownIt("commonmark").use(handle_plugin)

    def inner(state: StateInline, silent: bool) -> bool:  # noqa: FBT001 - its caller is markdown-it
        if state.src[state.pos] != "@":
            return False
        if not silent:
            md.parse("[x](hdl:20.1000/2)", state.env)
        state.pos += 1
        return True

    md.inline.ruler.push("inner", inner)
    env: dict[str, list[dict[str, object]]] = {}

    assert md.render("a @ b @ [c](d)", env) == '<p>a  b  <a href="d">c</a></p>\n'
    assert [record["handle"] for record in env["handles"]] == ["20.1000/2"] * 2
    assert set(env) == {"handles"}


@pytest.mark.parametrize(
    "source",
    [
        "d&#111;i:10.1000/182",
        "&#x64;oi&colon;10.1000/182",
        r"<x> https://resolver\.net.au/hdl/10.1000/182",
        "https:&sol;/resolver&period;net.au/hdl/10.1000/182",
        r"[x](10\.1000/182)",
        "{DOI}`10.1000/182`",
        "[x][y]\n\n[y]: doi:10.1000/182",
    ],
)
def test_the_only_reference_of_a_document_in_disguise(source: str) -> None:
    """A page is read if escapes, entities, roles or definitions hold its only reference."""
    env: dict[str, list[dict[str, object]]] = {}
    MarkdownIt("commonmark").use(handle_plugin).render(f"a *b*\n\n{source}", env)

    assert [record["handle"] for record in env["handles"]] == ["10.1000/182"]


def test_a_role_has_an_ascii_name() -> None:
    """A letter that only folds to one of ASCII makes no role."""
    md = MarkdownIt("commonmark").use(handle_plugin)

    page = md.render("{do\u0131}`10.1000/182` doi:10.1000/1")

    assert page.startswith("<p>{do\u0131}<code>10.1000/182</code> <a ")


def test_several_links_without_a_text_in_a_block() -> None:
    """Each of them gets its text, between other links, emphasis and images."""
    md = MarkdownIt("commonmark").use(handle_plugin)

    page = md.render(
        r"[](doi:10.1/a) *b* ![c\*](d) [e](f)[](doi:10.1/g)[h](doi:10.1/i)[]()"
    )

    assert page == (
        '<p><a href="https://doi.org/10.1/a" class="hdl doi">doi:10.1/a</a> '
        '<em>b</em> <img src="d" alt="c*" /> <a href="f">e</a>'
        '<a href="https://doi.org/10.1/g" class="hdl doi">doi:10.1/g</a>'
        '<a href="https://doi.org/10.1/i" class="hdl doi" title="doi:10.1/i (doi.org)">'
        'h</a><a href=""></a></p>\n'
    )


@pytest.mark.parametrize("filling", ["\n", "\\", " \n", "<code>"])
def test_long_fillings_take_linear_time(filling: str) -> None:
    """A long page with one reference is parsed."""
    env: dict[str, list[dict[str, object]]] = {}
    MarkdownIt("commonmark").use(handle_plugin).render(
        f"hdl:20.1000/1 {filling * 50_000}", env
    )

    assert [each["handle"] for each in env["handles"]] == ["20.1000/1"]


@pytest.mark.parametrize(
    ("style", "message"),
    [
        ("foo", "display: 'foo' is none of uri, url, handle, citation, number"),
        ("citaton", "display: 'citaton' is unknown; did you mean citation?"),
    ],
)
def test_an_unknown_display_is_refused(style: Any, message: str) -> None:
    """`handle_plugin` names what `display` may be."""
    with pytest.raises(ValueError) as error:
        MarkdownIt().use(handle_plugin, display=style)

    assert str(error.value) == message


@pytest.mark.parametrize(
    ("severity", "message"),
    [
        (
            {"malfromed": "off"},
            "severity: 'malfromed' is unknown; did you mean malformed?",
        ),
        (
            {"malformed": "mild"},
            "severity.malformed: 'mild' is none of error, warning, note, off",
        ),
    ],
)
def test_an_unknown_severity_is_refused(severity: Any, message: str) -> None:
    """`handle_plugin` names what `severity` may hold."""
    with pytest.raises(ValueError) as error:
        MarkdownIt().use(handle_plugin, severity=severity)

    assert str(error.value) == message


def test_severities() -> None:
    """A record has the findings that the program wants, as severe as it wants them."""
    severity = {"syntax": "note", "citation": "off"}
    md = MarkdownIt("commonmark").use(handle_plugin, severity=severity)
    env: dict[str, list[dict[str, Any]]] = {}
    md.render("{hdl}`20.1000` and [x](hdl:20)\n\n```{cite-version}\n```\n", env)
    levels = [
        (found["code"], found["level"])
        for record in env["handles"]
        for found in record["diagnostics"]
    ]

    assert levels == [("syntax", "note"), ("link", "error")]


def test_a_malformed_reference_says_why() -> None:
    """The title of a malformed role, link and ``<…>`` is the reason, escaped."""
    md = MarkdownIt("commonmark").use(handle_plugin)
    reason = "no &quot;/&quot; between prefix and suffix"
    malformed = f'<span class="hdl hdl-malformed" title="{reason}">'

    page = md.render("{hdl}`20.1000`, [a](hdl:nope), <hdl:nope>, {hdl}`<b>`")

    assert page == (
        f"<p>{malformed}20.1000</span>, {malformed}a</span>, "
        f"{malformed}hdl:nope</span>, {malformed}&lt;b&gt;</span></p>\n"
    )


def test_a_malformed_link_has_the_tokens_of_a_span() -> None:
    """Renderers choose by the type of a token, and other plugins find its pair by it."""
    md = MarkdownIt("commonmark").use(handle_plugin)

    tokens = md.parseInline("[a](hdl:nope)")[0].children or []

    assert [(token.type, token.tag, token.nesting) for token in tokens] == [
        ("span_open", "span", 1),
        ("text", "", 0),
        ("span_close", "span", -1),
    ]


@pytest.mark.parametrize("scheme", ["http", "HTTPS"])
def test_a_malformed_url_stays_a_link(scheme: str) -> None:
    """Its author may mean another page of the proxy; the record has the finding."""
    md = MarkdownIt("commonmark").use(handle_plugin)
    env: dict[str, Any] = {}
    url = f"{scheme}://doi.org/10.1000/"

    page = md.render(f"[a]({url})", env)

    assert page == f'<p><a href="{url}">a</a></p>\n'
    assert [finding["code"] for finding in env["handles"][0]["diagnostics"]] == ["link"]


def test_without_its_extra_the_plugin_says_what_to_install() -> None:
    """Where markdown-it-py is missing, the import names the extra."""
    code = (
        "import sys\n"
        "sys.modules['markdown_it'] = None\n"
        f"sys.path.insert(0, {str(ROOT)!r})\n"
        "import mdit_handle\n"
    )
    run = subprocess.run(
        [sys.executable, "-c", code], capture_output=True, text=True, check=False
    )

    assert run.returncode == 1
    assert run.stderr.splitlines()[-1] == (
        "ModuleNotFoundError: mdit_handle needs markdown-it-py; install it with: "
        'pip install "sphinxcontrib-handle[markdown]"'
    )


def test_works_without_what_it_does_not_need() -> None:
    """A page without a citation needs neither Sphinx, docutils nor the card's modules."""
    code = (
        "import sys\n"
        "for name in ('sphinx', 'docutils', 'myst_parser', 'handle_system.citing.card',\n"
        "             'handle_system.citing.pipeline', 'cattrs', 'yaml'):\n"
        "    sys.modules[name] = None\n"
        f"sys.path.insert(0, {str(ROOT)!r})\n"
        "from markdown_it import MarkdownIt\n"
        "from mdit_handle import handle_plugin\n"
        "md = MarkdownIt().use(handle_plugin)\n"
        "print(md.render('hdl:20.1000/100'), end='')\n"
    )
    run = subprocess.run(
        [sys.executable, "-c", code], capture_output=True, text=True, check=False
    )

    assert (run.stdout, run.stderr) == (f"<p>{LINKED}</p>\n", "")


FOLDER = Path(__file__).parent / "fixtures"

CASES = [
    pytest.param(name, source, expected, id=f"{name}.md:{line} {title}")
    for name in FIXTURES
    for line, title, source, expected in read_fixture_file(FOLDER / f"{name}.md")
]


@pytest.mark.parametrize(("name", "source", "expected"), CASES)
def test_page(name: str, source: str, expected: str) -> None:
    """Each case renders to the output in its file."""
    assert parser_for(name).render(source) == expected


def test_every_file_is_read() -> None:
    """Every fixture file has a parser and at least one case."""
    files = sorted(FOLDER.glob("*.md"))

    assert sorted(FIXTURES) == sorted(file.stem for file in files)
    assert all(read_fixture_file(file) for file in files)
