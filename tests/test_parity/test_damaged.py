"""Damaged and malformed references weigh the same in Sphinx, in MyST and in the command.

In running text they are information, for nothing says that they are references. A broken
address as the target of a link, whose link leads to the handle that is meant, is a warning,
and so is one half of a SICI. A role that cannot be read is an error. The message says what
to write.
"""

import re
from pathlib import Path

import pytest
from markdown_it import MarkdownIt

from handle_cli.command import hdl
from mdit_handle import handle_plugin
from mdit_handle.record import HANDLES
from tests.command_line import runner
from tests.test_sphinx.project import Project

RST = """\
See https:/doi.org/10.1000/182.

`See <https:/doi.org/10.1000/182>`_.

See doi:20.5/3.

See doi:10.1000/a<0081: and

:doi:`https:/doi.org/10.1000/182`

.. parsed-literal::

   See doi:20.5/3 and https:/doi.org/10.1000/182.

| doi:DOI: 10.1000/182

See https://doi.org/PENDING.

`See <https://doi.org/arXiv:2106.01234>`_.

See https://doi.org/a.2014.001.

:doi:`https://doi.org/DOI`
"""
MARKDOWN = """\
See https:/doi.org/10.1000/182.

[See](https:/doi.org/10.1000/182).

See doi:20.5/3.

See doi:10.1000/a<0081: and

{doi}`https:/doi.org/10.1000/182`

~~~
See doi:20.5/3 and https:/doi.org/10.1000/182.
~~~

doi:DOI: 10.1000/182

See https://doi.org/PENDING.

[See](https://doi.org/arXiv:2106.01234).

See https://doi.org/a.2014.001.

{doi}`https://doi.org/DOI`
"""
ADDRESS = "https:/doi.org/10.1000/182: the address is broken; write doi:10.1000/182"
DOI_ONLY = 'the prefix of a DOI is "10" or begins with "10."'
HALF = 'doi:10.1000/a<: nothing closes the "<" behind it: is it one half of a SICI?'
TWICE = "doi:DOI: 10.1000/182: a scheme is written twice; write doi:10.1000/182"
DOI_HOST = "https://doi.org/"
PLACEHOLDER = '"{}" is a placeholder'
ARXIV = (
    f'{DOI_HOST}arXiv:2106.01234: "arXiv:2106.01234" is no DOI; '
    "write doi:10.48550/arXiv.2106.01234"
)
LOST = f'{DOI_HOST}a.2014.001: "a.2014.001" is neither a DOI nor a page of doi.org'

#: By line: the message, its kind, and its severity by default.
MESSAGES = [
    (1, ADDRESS, "broken-address", "note"),
    (3, ADDRESS, "broken-address", "warning"),
    (5, f"doi:20.5/3: {DOI_ONLY}; write hdl:20.5/3", "malformed", "note"),
    (7, HALF, "markup", "warning"),
    (9, ADDRESS, "broken-address", "warning"),
    (15, TWICE, "doubled-scheme", "note"),
    (
        17,
        f"{DOI_HOST}PENDING: {PLACEHOLDER.format('PENDING')}",
        "placeholder",
        "warning",
    ),
    (19, ARXIV, "broken-address", "warning"),
    (21, LOST, "broken-address", "note"),
    (23, f"{DOI_HOST}DOI: {PLACEHOLDER.format('DOI')}", "placeholder", "warning"),
]


@pytest.mark.parametrize("shows_all", [False, True])
def test_sphinx(tmp_path: Path, *, shows_all: bool) -> None:
    """Sphinx reports each on its line, and nothing where references are switched off."""
    notes = [kind for _, _, kind, severity in MESSAGES if severity == "note"]
    built = Project(
        tmp_path,
        {
            "index.rst": RST,
            "off.rst": f":orphan:\n\n.. rst-class:: no-handle\n\n{RST.splitlines()[4]}\n",
            "page.md": f"---\norphan:\n---\n{MARKDOWN}",
        },
        extensions=("myst_parser",),
        handle_severity=dict.fromkeys(notes if shows_all else (), "warning"),
    ).build()
    levels = {"error": "ERROR", "warning": "WARNING", "note": "WARNING"}
    expected = [
        f"{name}:{line + shift}: {levels[severity]}: {message} [handle.{kind}]"
        for name, shift in (("index.rst", 0), ("page.md", 3))
        for line, message, kind, severity in MESSAGES
        if severity != "note" or shows_all
    ]

    warnings = [line for line in built.warnings.splitlines() if line.endswith("]")]
    assert sorted(warnings) == sorted(expected)
    for page in ("index.html", "page.html"):
        assert "See doi:20.5/3." in re.sub("</?span[^>]*>", "", built.page(page))
        assert 'href="https://doi.org/arXiv:2106.01234"' in built.page(page)
        assert "doi.org/10/" not in built.page(page)


def test_plugin() -> None:
    """The plugin records each, and leaves the text of what is malformed."""
    env: dict[str, list[dict[str, object]]] = {}
    html = MarkdownIt("commonmark").use(handle_plugin).render(MARKDOWN, env)

    said = [
        (record["line"], each["code"], each["level"])
        for record in env[HANDLES]
        for each in record["diagnostics"]  # type: ignore[attr-defined] # plain data
    ]
    assert said == [(line, kind, severity) for line, _, kind, severity in MESSAGES]
    assert "<p>See <span>doi:20.5/3</span>.</p>" in html
    assert '<a href="https://doi.org/arXiv:2106.01234">See</a>' in html


def test_plugin_beside_linkify() -> None:
    """An address that leads nowhere stays the link that markdown-it makes of it."""
    text = "See https://doi.org/PENDING."
    html = MarkdownIt("gfm-like").use(handle_plugin).render(text)

    assert html == MarkdownIt("gfm-like").render(text)


@pytest.mark.parametrize(
    "address",
    [
        "https://doi.org/10.1145/",
        "http://dx.doi.org/%3%E6",
        "https://hdl.handle.net/hdl:10.1175/1<",
    ],
)
def test_plugin_beside_linkify_at_half_a_doi(address: str) -> None:
    """What was meant for a DOI and is malformed is no link, with linkify either."""
    md = MarkdownIt("gfm-like").use(handle_plugin)
    env: dict[str, list[dict[str, object]]] = {}
    html = md.render(f"See {address} 3.", env)

    shown = address.replace("<", "&lt;")
    assert html == f"<p>See <span>{shown}</span> 3.</p>\n"
    assert len(env[HANDLES]) == 1


@pytest.mark.parametrize(("name", "text"), [("a.rst", RST), ("a.md", MARKDOWN)])
def test_command(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, name: str, text: str
) -> None:
    """The command gives the same weight to each."""
    monkeypatch.chdir(tmp_path)
    (tmp_path / name).write_text(text, "utf-8")
    done = runner().invoke(hdl, ("check", name), catch_exceptions=False)

    levels = re.findall(
        r"^a\.\w+:(\d+):\d+: (\w+): .* \[(.*)\]$", done.stdout, re.MULTILINE
    )
    assert levels == [
        (str(line), severity, kind) for line, _, kind, severity in MESSAGES
    ]
