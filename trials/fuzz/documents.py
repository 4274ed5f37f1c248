"""Targets: Markdown, reStructuredText, and the files that describe works.

A page must hold no element or attribute that neither its syntax nor the extension makes:
`foreign_markup` compares it with the same parser's page without the extension.
"""

import json
import random
import re
from collections.abc import Sequence
from html.parser import HTMLParser
from typing import Any

from docutils.core import publish_parts
from docutils.parsers.rst import Parser as PlainParser
from docutils.writers.html5_polyglot import Writer
from markdown import Markdown
from markdown_it import MarkdownIt

from handle_system.citing.card import make_card
from handle_system.citing.card_html import card_html
from handle_system.citing.documents import CitationError
from handle_system.citing.fields import HandleReader
from handle_system.citing.formats import CitationFormat
from handle_system.citing.metadata import json_ld_text, page_metas
from handle_system.citing.pipeline import read_citation
from handle_system.citing.sources import Source, page_source, read_front_matter
from handle_system.citing.works_files import read_works
from handle_system.proxies import DEFAULT_PROXIES
from mdit_handle import handle_plugin, render_report
from sphinxcontrib_handle.rst import Parser
from tests.strategies import PIECES
from trials.fuzz.mutation import mixed, mutated
from trials.fuzz.names import reference_like

# What authors write is read with the usual proxies.
READER = HandleReader(proxies=DEFAULT_PROXIES)

__all__ = [
    "foreign_markup",
    "fuzz_cff",
    "fuzz_markdown",
    "fuzz_python_markdown",
    "fuzz_rst",
    "fuzz_toml",
    "fuzz_yaml",
    "markdown_document",
    "rst_document",
]

_HOSTILE = (
    *("<script>alert(1)</script>", "<b onclick=x>", "<img src=x onerror=x>", "</a>"),
    *("</section>", '"><svg onload=x>', "javascript:alert(1)", "data:text/html,<b>"),
    *('" onmouseover="x', "' autofocus='", "&lt;b&gt;", "&#60;b&#62;", "<!--", "-->"),
    *(
        "\x1b]0;x\x07",
        "\x00",
        "\ufffd",
        "\u202e",
        "\u2028",
        "\\href{x}{y}",
        "$$",
        "]]>",
    ),
    *("\n", "\n\n", "\n    ", " ", "x", "**", "*", "_", "`", "``", "~~", "|", "\\"),
)
_MARKDOWN = (
    *("[x](", "](", ")", "<", ">", "{hdl}`", "{doi}`", "![", "[^1]", "[^1]: ", "> "),
    *(
        "* ",
        "# ",
        "```\n",
        "\n```{cite-version}\n",
        ":title: ",
        ":version: ",
        ":work: ",
    ),
    *(":handle: ", ":creators: ", ":url: ", ":history:\n", "[1]: hdl:1.2/x\n", "[1]"),
    *("|a|\n|-|\n|", "&amp;", "&#58;", "\n```\n"),
)
_RST = (
    *(
        ":hdl:`",
        ":doi:`",
        "`x <",
        ">`_",
        ">`__",
        "`_ ",
        "|x|",
        ".. |x| replace:: ",
        "::",
    ),
    *(
        "\n.. _x: hdl:",
        "\n\n.. note::\n\n   ",
        "\n=====\n",
        "x_ ",
        "[1]_",
        "\n* ",
        "\n   ",
    ),
    *(
        ".. [1] ",
        "(:doi:`",
        ":sub:`",
        ":emphasis:`",
        "\n.. role:: a\n\n",
        ":a:`",
        "\n- ",
    ),
)
_CARD = (
    "aria-labelledby",
    "class",
    "data-copied",
    "data-copy",
    "data-copy-reference",
    "id",
    "role",
)
_WORK = (
    ("title", "Handle Suffix Format Policy"),
    ("publisher", "Monash University"),
    ("handle", "102.100.272/Y35XYS0QH"),
    ("kind", "report"),
    ("license", "MIT"),
    ("language", "en"),
    ("url", "https://example.org/"),
)
# The extension's elements in either syntax, with the names of their attributes.
_OURS = frozenset(
    {
        # A reference can split the markup around it; CommonMark then parses that
        # differently.
        ("a", "href"),
        ("img", "alt", "src"),
        ("cite",),
        ("tt", "class"),
        ("a", "class", "href"),
        ("a", "class", "data-scheme", "href"),
        ("a", "class", "href", "title"),
        # The reason why text is malformed.
        *((tag, "class", "title") for tag in ("code", "span")),
        ("div", "aria-label", "class", "role"),
        ("details", "class", "name"),
        ("pre", "tabindex"),
        ("section", *_CARD),
        *((tag, "class") for tag in ("span", "p", "details", "pre", "table", "div")),
        *((tag,) for tag in ("span", "p", "summary", "pre", "code", "em", "strong")),
        *((tag,) for tag in ("wbr", "br", "tbody", "thead", "tr", "td")),
        *((tag,) for tag in ("dd", "div", "dt", "i")),
        ("dd", "class"),
        ("dl", "class"),
        ("p", "class", "id"),
        ("th", "scope"),
        ("caption",),
        ("td", "class"),
        ("tr", "aria-current", "class"),
    }
)
_MARKDOWN_PAGE = MarkdownIt("commonmark", {"html": False}).enable("table")
_MARKDOWN_BARE = MarkdownIt("commonmark", {"html": False}).enable("table")
_MARKDOWN_PAGE.use(handle_plugin)
_PYTHON_MARKDOWN = ("tables", "pymdownx.superfences")
# A card or a list in the middle of a text divides it, so that other lines begin a block.
_OF_DIVIDED_TEXT = {
    *((tag,) for tag in ("blockquote", "h1", "hr", "li", "ol", "table", "th", "ul")),
    ("code", "class"),
    ("pre", "class", "title"),
}
# Where a reference takes a character that would begin markup, other markup begins.
_OF_OTHER_MARKUP = {(tag,) for tag in ("cite", "em", "strong", "sub", "sup", "tt")}
# Python-Markdown ends the target of a link within a placeholder, also of code, and drops
# the character behind emphasis that is not closed: "[x](a 'b> ](c `code`", "(**a*b".
_TORN = re.compile('\x02klzzwxh:[0-9]{0,3}"|(?<!\x02)klzzwxh:[0-9]+\x03')
# What no name of a tag or an attribute of ours has.
_NO_NAME = re.compile("[<:]")
_SETTINGS = {
    "report_level": 5,
    "halt_level": 6,
    "raw_enabled": False,
    "file_insertion_enabled": False,
    "_disable_config": True,
    "warning_stream": "",
}


class _Markup(HTMLParser):
    """The elements of a page with their attributes' names, and its addresses."""

    def __init__(self, html: str, source: str = "") -> None:
        super().__init__()
        self._source = source
        self.elements: set[tuple[str, ...]] = set()
        self.links: list[str] = []
        self.feed(html)

    def handle_starttag(self, tag: str, attrs: list[tuple[str, str | None]]) -> None:
        """Record an element; the parser calls this."""
        if (self.get_starttag_text() or "") not in self._source:
            self.elements.add((tag, *sorted(name for name, _ in attrs)))
        given = dict(attrs)
        if tag == "a" and "hdl" in (given.get("class") or "").split():
            self.links.append(given.get("href") or "")


def foreign_markup(page: str, bare: str, source: str = "") -> set[tuple[str, ...]]:
    """The page's elements that neither source, extension nor bare page have."""
    markup = _Markup(page, source)
    for link in markup.links:
        assert link.startswith(("http://", "https://")), link
    return markup.elements - _Markup(bare).elements - _OURS


def markdown_document(rng: random.Random) -> str:
    """A page of mostly invalid Markdown."""
    options = "\n".join(_options(rng))
    return _document(_MARKDOWN, f"\n\n```{{cite-version}}\n{options}\n```\n\n", rng)


def rst_document(rng: random.Random) -> str:
    """A page of mostly invalid reStructuredText."""
    options = "\n   ".join(_options(rng))
    return _document(_RST, f"\n\n.. cite-version::\n   {options}\n\n", rng)


def _document(markup: Sequence[str], citation: str, rng: random.Random) -> str:
    text = mixed((*PIECES, *_HOSTILE, *markup, *markup), rng)
    if rng.random() < 0.2:
        text += citation
    return text + reference_like(rng) + mixed(markup, rng, 8)


def _options(rng: random.Random) -> list[str]:
    """The options of a citation, some of them hostile."""
    values = {**dict(_WORK), "version": "1.0", "creators": "A; B", "history": ""}
    values = {"work": values.pop("handle"), "formats": "bibtex cff", **values}
    hostile = [each for each in _HOSTILE if "\n" not in each]
    chosen = rng.sample(sorted(values), rng.randint(0, 2))
    values.update({name: rng.choice(hostile) for name in chosen})
    return [f":{name}: {value}" for name, value in values.items()]


def fuzz_markdown(rng: random.Random) -> str:
    """Render a page of Markdown and its report."""
    text, env = markdown_document(rng), dict[str, Any]()
    page = _MARKDOWN_PAGE.render(text, env)
    foreign = foreign_markup(page, _MARKDOWN_BARE.render(text))
    assert not foreign, f"{text!a}: {foreign}"
    report = render_report(env)
    assert report.replace("\n", "").isprintable(), f"{text!a}: {report!a}"
    return "with references" if env["handles"] else "without"


def fuzz_python_markdown(rng: random.Random) -> str:
    """Make a page of Markdown as MkDocs does, and compare it with one without us."""
    text = markdown_document(rng)
    parser = Markdown(extensions=["handle", *_PYTHON_MARKDOWN])
    page = parser.convert(text)
    bare = Markdown(extensions=_PYTHON_MARKDOWN).convert(text)
    foreign = foreign_markup(page, bare, text) - _OF_DIVIDED_TEXT
    # What an author writes between "<" and ">" is a tag there, also an address, and one
    # that is not closed goes on to the end of the next one.
    foreign = {names for names in foreign if not _NO_NAME.search("".join(names))}
    assert not foreign, f"{text!a}: {foreign}"
    torn = len(_TORN.findall(page))
    assert page.count("klzzwxh") - torn <= bare.count("klzzwxh"), f"{text!a}"
    for finding in parser.handle_findings:
        line = finding.lines()[0]
        assert line.isprintable(), f"{text!a}: {line!a}"
    return "with references" if parser.handles else "without"


def _rendered(text: str, parser: PlainParser) -> str:
    parts = publish_parts(
        text, parser=parser, writer=Writer(), settings_overrides=_SETTINGS
    )
    return str(parts["body"])


def fuzz_rst(rng: random.Random) -> str:
    """Render a page of reStructuredText in plain docutils."""
    text = rst_document(rng)
    try:
        bare = _rendered(text, PlainParser())
    except ValueError:
        # Substitutions that hold each other.
        return "docutils fails"
    page = _rendered(text, Parser())
    foreign = foreign_markup(page, bare) - _OF_OTHER_MARKUP
    assert not foreign, f"{text!a}: {foreign}"
    return "with references" if 'class="hdl' in page else "without"


_VALUES = (
    *(
        "env:HOME",
        "env:GITHUB_TOKEN",
        "not yet assigned",
        "-",
        "1.10",
        "2026-11-22",
        "x",
    ),
    *(
        "'",
        '"',
        "[",
        "]",
        "{",
        "}",
        ",",
        "=",
        ": ",
        "\n",
        "- ",
        "&a ",
        "*a",
        "<<: ",
        "!!",
    ),
    *(
        "[[work]]\n",
        "[a.b]\n",
        "9" * 50,
        "0x",
        "1e5",
        "true",
        "~",
        "|",
        ">",
        "#",
        "'''",
    ),
    *("a.b.c.", "\t", "\r\n", "---\n", "!!python/object:os.system ", "%YAML 1.1\n"),
)


def fuzz_toml(rng: random.Random) -> str:
    """Parse a works file, and write its works in every form."""
    lines = [f'{name} = "{value}"' for name, value in _some(_WORK, rng)]
    lines += ["[[work.versions]]", 'label = "1.0"', "date = 2007-06-26"]
    text = _mutated_works("[[work]]\n" + "\n".join(lines) + "\n", rng)
    return _outcome(text, lambda: read_works(text, "works.toml", DEFAULT_PROXIES))


def fuzz_yaml(rng: random.Random) -> str:
    """Parse front matter, and write its work in every form."""
    lines = [f"  {name}: {value}" for name, value in _some(_WORK, rng)]
    lines += ["  creators: [A, B]", "  versions:", "    - 1.0 | 2007-06-26 | - | First"]
    text = _mutated_works("cite:\n" + "\n".join(lines) + "\n", rng)
    page = f"---\n{text}\n---\n"
    return _outcome(text, lambda: [page_source(read_front_matter(page))])


def fuzz_cff(rng: random.Random) -> str:
    """Parse a citation file, and write its work in every form."""
    lines = [f"{name}: {value}" for name, value in _some(_WORK, rng)]
    lines += ["cff-version: 1.2.0", "message: Cite it", "version: 1.0"]
    lines += ["authors:", "  - family-names: Carberry", "    given-names: Josiah"]
    lines += ["identifiers:", "  - type: doi", "    value: 10.1000/182"]
    text = _mutated_works("\n".join(lines) + "\n", rng)
    return _outcome(text, lambda: read_works(text, "CITATION.cff", DEFAULT_PROXIES))


def _some(
    pairs: Sequence[tuple[str, str]], rng: random.Random
) -> list[tuple[str, str]]:
    return [
        (name, rng.choice((value, value, rng.choice(_HOSTILE))))
        for name, value in pairs
        if name == "title" or rng.random() < 0.7
    ]


def _mutated_works(text: str, rng: random.Random) -> str:
    return mutated(text, (*_VALUES, *_HOSTILE, *PIECES), rng)


def _outcome(text: str, read: Any) -> str:
    try:
        sources: Sequence[Source] = read()
        for source in sources:
            _write([source], text)
    except CitationError:
        return "refused"
    return "read"


def _write(sources: Sequence[Source], text: str) -> None:
    made = read_citation(sources, release="1.0", reader=READER)
    cited = made.citation
    page = card_html(make_card(cited, made.display), "anchor")
    foreign = foreign_markup(page, "")
    assert not foreign, f"{text!a}: {foreign}"
    page_metas(cited)
    for each in CitationFormat:
        each.export(cited)
    json_ld = json_ld_text(cited)
    assert not set(json_ld) & set("<>&\u2028\u2029"), f"{text!a}: {json_ld!a}"
    json.loads(json_ld)
