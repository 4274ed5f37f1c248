"""Citations in a page of Markdown, its list, and the way back."""

import json
import re
from copy import deepcopy
from html import unescape
from pathlib import Path
from typing import Any

import pytest
from markdown_it import MarkdownIt
from markdown_it.rules_core import StateCore

from mdit_handle import handle_plugin

KAHN = "10.5555/kahn"
KAHN_2 = "10.5555/kahn-2"
PASKIN = "10.5555/paskin"
BAD = "10.5555/s0140-6736(97)1"
NOTICE = "10.5555/s0140-6736(10)2"
LIST = "\n```{handle-references}\n```\n"


def item(doi: str, *families: str, year: int, **fields: object) -> dict[str, object]:
    """An item of a file of references."""
    return {
        "id": f"doi:{doi}",
        "title": f"Title of {doi.partition('/')[2]}",
        "author": [{"family": family} for family in families],
        "issued": {"date-parts": [[year]]},
        **fields,
    }


RETRACTION = {"state": "retracted", "by": NOTICE, "date": "2010-02-06"}
ITEMS = (
    item(KAHN, "Kahn", year=2006),
    item(KAHN_2, "Kahn", year=2006),
    item(PASKIN, "Paskin", "Roe", year=2005),
    item(BAD, "Wakefield", year=1998, custom={"updates": [RETRACTION]}),
)


@pytest.fixture
def references(tmp_path: Path) -> Path:
    """A file of references."""
    path = tmp_path / "references.json"
    path.write_text(json.dumps(ITEMS), "utf-8")
    return path


def render(references: Path, source: str, **options: Any) -> str:
    """The HTML of a page."""
    options = {"display": "citation", **options}
    md = MarkdownIt("commonmark").use(handle_plugin, references=references, **options)
    return str(md.render(source))


def text(html: str) -> str:
    """The text of HTML in one line."""
    return " ".join(unescape(re.sub("<[^>]*>", "", html)).split())


def body(html: str) -> str:
    """The text without the list."""
    return text(re.sub("<[uo]l.*?</[uo]l>", "", html, flags=re.DOTALL))


def entries(html: str) -> list[str]:
    """The text of each entry."""
    return [text(found) for found in re.findall('<li id="ref.*?</li>', html)]


PAGE = (
    f"{{doi}}`{PASKIN}`, [](doi:{PASKIN}), {{doi}}`{PASKIN}, p. 3`, "
    f"[see @doi:{KAHN}, p. 3; @doi:{KAHN_2}], {{doi}}`{KAHN}; 10.5555/none`, "
    f"{{doi}}`~{KAHN}`, {{doi}}`a title <{KAHN}>`, doi:{KAHN}\n"
)


@pytest.mark.parametrize(
    ("display", "expected"),
    [
        (
            "citation",
            (
                "Paskin and Roe (2005), Paskin and Roe (2005), Paskin and Roe (2005, p. "
                "3), (see Kahn, 2006a, p. 3; Kahn, 2006b), Kahn (2006a); "
                f"doi:10.5555/none, {KAHN}, a title, doi:{KAHN}"
            ),
        ),
        (
            "number",
            (
                "[1], [1], [1, p. 3], [see 2, p. 3; 3], [2, 4], "
                f"{KAHN}, a title, doi:{KAHN}"
            ),
        ),
        (
            "uri",
            (
                f"doi:{PASKIN}, doi:{PASKIN}, doi:{PASKIN}, p. 3, (see Kahn, 2006a, p. 3; "
                f"Kahn, 2006b), doi:{KAHN}; doi:10.5555/none, {KAHN}, a title, doi:{KAHN}"
            ),
        ),
    ],
)
def test_texts(references: Path, display: str, expected: str) -> None:
    """Roles, empty links and clusters name their works as the option says."""
    assert body(render(references, PAGE + LIST, display=display)) == expected


def test_without_a_list(references: Path) -> None:
    """Without a list citations lead to the works, without letters, numbers and ids."""
    source = f"{{doi}}`{KAHN}`, [@doi:{KAHN_2}]"
    html = render(references, source)

    assert body(html) == "Kahn (2006), (Kahn, 2006)"
    assert re.findall('href="([^"]*)"', html) == [
        f"https://doi.org/{KAHN}",
        f"https://doi.org/{KAHN_2}",
    ]
    assert " id=" not in html
    assert body(render(references, source, display="number")) == (
        f"doi:{KAHN}, doi:{KAHN_2}"
    )


def test_without_a_file() -> None:
    """Without a file the directive is code, as ever."""
    html = MarkdownIt("commonmark").use(handle_plugin).render(LIST)

    assert html == '<pre><code class="language-{handle-references}"></code></pre>\n'


@pytest.mark.parametrize(
    ("display", "options", "expected"),
    [
        ("citation", "", ["Kahn", "Paskin", "Wakefield"]),
        ("number", "", ["Wakefield", "Paskin", "Kahn"]),
        ("number", ":sort: name\n", ["Kahn", "Paskin", "Wakefield"]),
        ("citation", ":sort: mention\n", ["Wakefield", "Paskin", "Kahn"]),
        ("citation", ":sort: year\n", ["Kahn", "Paskin", "Wakefield"]),
    ],
)
def test_order(
    references: Path, display: str, options: str, expected: list[str]
) -> None:
    """The list is in the order of names, of years or of the first mentions."""
    source = (
        f"doi:{BAD} doi:{PASKIN} doi:{KAHN}\n\n```{{handle-references}}\n{options}```\n"
    )
    html = render(references, source, display=display)

    assert [re.split("[ ;]", entry)[0] for entry in entries(html)] == expected
    assert ("<ol " in html) == (display == "number")


def test_words_are_translated(references: Path) -> None:
    """The words of citations, of the mark and of the list are those of the reader."""
    words = {"and": "und", "retracted": "zurückgezogen", "Back to the text": "Zurück"}
    html = render(
        references,
        f"{{doi}}`{PASKIN}` {{doi}}`{BAD}`\n{LIST}",
        translate=lambda word: words.get(word, word),
    )

    assert body(html) == "Paskin und Roe (2005) Wakefield (1998) [zurückgezogen]"
    assert 'aria-label="Zurück"' in html


def test_hostile_metadata(tmp_path: Path) -> None:
    """Text of the file is text, in citations, titles and lists."""
    hostile = '<script>alert("x")</script>'
    path = tmp_path / "references.json"
    work = item(KAHN, f'"&{hostile}', year=2006, publisher=hostile)
    path.write_text(json.dumps([work]), "utf-8")
    html = render(path, f"{{doi}}`{KAHN}` [@doi:{KAHN}, <b>p</b>]\n{LIST}")

    assert "<script" not in html
    assert "<b>" not in html


def test_links_that_a_plugin_nests(references: Path) -> None:
    """A link within a link stays as it is, and the others have their places."""

    def nest(state: StateCore) -> None:
        for block in state.tokens:
            if block.type == "inline" and block.children:
                first, inside, last, *others = block.children
                inner = deepcopy(first), deepcopy(last)
                for token in inner:
                    token.level += 1
                block.children = [first, inner[0], inside, inner[1], last, *others]

    md = MarkdownIt("commonmark").use(handle_plugin, references=references)
    md.core.ruler.after("handle_links", "nest", nest)
    html = md.render(f"doi:{KAHN}\n\ndoi:{PASKIN}\n{LIST}")

    assert re.findall(' id="(cites[^"]*)"', html) == ["cites-page-1", "cites-page-2"]
