"""Targets: files whose parts are written, or handed to another program.

In a notebook `hdl fix` may change the sources of Markdown cells, and nothing else, and a
second run changes nothing.  A style reaches pandoc as a copy without links.
"""

import json
import random
from typing import Any
from xml.etree.ElementTree import fromstring

from handle_cli.readers import UnreadableError
from handle_cli.rewriting import RewritingRules, rewrite
from handle_system.describing.style_files import StyleError, style_of
from handle_system.settings import Settings
from handle_system.syntax import Syntax
from trials.fuzz.mutation import mixed, mutated
from trials.fuzz.names import reference_like

__all__ = ["fuzz_notebook", "fuzz_style"]

_RULES = RewritingRules(values=Settings(), unsafe=True)
_JSON_PIECES = (
    *(
        '"',
        "\\",
        '\\"',
        "\\n",
        "\\u00e9",
        "\\ud83d\\ude00",
        "[",
        "]",
        "{",
        "}",
        ",",
        ":",
    ),
    *('"source":', '"cells":', '"cell_type":"markdown",', " ", "\n", "doi:10.1000/1"),
)
_STYLE_PIECES = (
    *('<link rel="independent-parent" href="http://example.org/"/>', "<!--", "-->"),
    *('<x:link xmlns:x="x" rel="independent-parent" href="/etc/passwd"/>', "<![CDATA["),
    *(
        "<!DOCTYPE style [<!ENTITY a SYSTEM '/etc/passwd'>]>",
        "&a;",
        "&lt;",
        "]]>",
        "?>",
    ),
    *('<text macro="a"/>', '<macro name="a"/>', "<choose>", "</choose>", "<?x ", "\0"),
    *(
        'xmlns=""',
        'xmlns:x="http://purl.org/net/xbiblio/csl"',
        "<x:include/>",
        "'",
        '"',
    ),
)
_STYLE = (
    '<?xml version="1.0" encoding="utf-8"?>\n'
    '<style xmlns="http://purl.org/net/xbiblio/csl" class="in-text" version="1.0">'
    '<info><title>Own</title><link rel="self" href="http://example.org/own"/></info>'
    '<macro name="a"><text variable="title" prefix="&lt;"/></macro>'
    '<macro name="b"><text macro="a"/><choose><if type="book"/></choose></macro>'
    '<citation><layout><text macro="b"/></layout></citation></style>'
)


def fuzz_notebook(rng: random.Random) -> str:
    """A notebook, whose parts hold equal strings; what became of it."""
    text = mutated(_notebook(rng), _JSON_PIECES, rng)
    try:
        done = rewrite(Syntax.NOTEBOOK, text, _RULES)
    except UnreadableError:
        return "refused"
    if done.text == text:
        return "kept"
    assert _without_prose(done.text) == _without_prose(text), text
    assert rewrite(Syntax.NOTEBOOK, done.text, _RULES).text == done.text, text
    return "written"


def _notebook(rng: random.Random) -> str:
    prose = [
        mixed([reference_like(rng), "doi:10.1000/1", " ", "\n", "é", '"'], rng, 6)
        for _ in range(3)
    ]
    cells = []
    for _ in range(rng.randint(1, 4)):
        source: Any = rng.choice(prose)
        cell = {
            "metadata": {"source": rng.choice(prose)},
            "cell_type": rng.choice(("markdown", "markdown", "code", "raw")),
            "source": source if rng.random() < 0.5 else [source, rng.choice(prose)],
            "outputs": [{"text": [rng.choice(prose)]}],
        }
        members = list(cell.items())
        rng.shuffle(members)
        cells.append(dict(members))
    notebook = {"metadata": {"title": rng.choice(prose)}, "cells": cells}
    indent = rng.choice((None, 1))
    return json.dumps(notebook, indent=indent, ensure_ascii=rng.random() < 0.5)


def _without_prose(text: str) -> Any:
    """A notebook without the sources of its Markdown cells."""
    notebook = json.loads(text)
    for cell in notebook["cells"]:
        if isinstance(cell, dict) and cell.get("cell_type") == "markdown":
            cell["source"] = None
    return repr(notebook)


def fuzz_style(rng: random.Random) -> str:
    """A file of a style; whether it is used."""
    text = mutated(_STYLE, _STYLE_PIECES, rng)
    try:
        copy = style_of(text.encode("utf-8", "surrogatepass"), "own.csl").copy
    except StyleError:
        return "refused"
    # The copy is ours.
    root = fromstring(copy)  # noqa: S314 (see above)
    names = [element.tag.rpartition("}")[2] for element in root.iter()]
    assert "link" not in names, text
    assert "include" not in names, text
    assert b"<!" not in copy, text
    assert style_of(copy, "own.csl").copy == copy, text
    return "used"
