"""The roles: their content, names and display, and their findings."""

import pytest

from tests.test_sphinx.conftest import MakeProject
from tests.test_sphinx.project import Link, page

HDL = "https://hdl.handle.net/"
SICI = "10.1002/(SICI)1097-4679(199902)55:2<241::AID-JCLP12>3.0.CO;2-V"
SICI_LINK = (
    "https://doi.org/10.1002/(SICI)1097-4679(199902)55:2%3C241::AID-JCLP12%3E3.0.CO;2-V"
)


CONTENTS = [
    (":hdl:`20.1000/100`", f"{HDL}20.1000/100", "hdl:20.1000/100"),
    # Copies of such a role are often registered in capitals as well.
    (":DOI:`10.1000/182`", "https://doi.org/10.1000/182", "doi:10.1000/182"),
    (":hdl:`hdl:/20.1000/100`", f"{HDL}20.1000/100", "hdl:20.1000/100"),
    (":hdl:`10.1000/182`", "https://doi.org/10.1000/182", "doi:10.1000/182"),
    (
        ":doi:`https://doi.org/10.1000/182`",
        "https://doi.org/10.1000/182",
        "doi:10.1000/182",
    ),
    (f":doi:`{SICI}`", SICI_LINK, f"doi:{SICI}"),
    (f":doi:`A title <{SICI}>`", SICI_LINK, "A title"),
    (":doi:`a < b <10.1000/182>`", "https://doi.org/10.1000/182", "a < b"),
    (":hdl:`~20.1000/100`", f"{HDL}20.1000/100", "20.1000/100"),
    (":hdl:`hdl:~20.1000/100`", f"{HDL}~20.1000/100", "hdl:~20.1000/100"),
    (
        ':hdl:`20.1000/it\'s -- "x"...1`',
        f"{HDL}20.1000/it%27s%20--%20%22x%22...1",
        'hdl:20.1000/it\'s -- "x"...1',
    ),
    (
        ":hdl:`20.1000/a*b*|c|_`",
        f"{HDL}20.1000/a*b*%7Cc%7C_",
        "hdl:20.1000/a*b*|c|_",
    ),
    (":hdl:`20.1000/50%`", f"{HDL}20.1000/50%25", "hdl:20.1000/50%"),
    (":hdl:`20.1000/a?b#c`", f"{HDL}20.1000/a%3Fb%23c", "hdl:20.1000/a?b#c"),
    (
        ":hdl:`cnri.test/日本`",
        f"{HDL}cnri.test/%E6%97%A5%E6%9C%AC",
        "hdl:cnri.test/日本",
    ),
    (
        ":hdl:`a title\non two lines <20.1000/1>`",
        f"{HDL}20.1000/1",
        "a title on two lines",
    ),
    (':hdl:`"Quoted" -- title <20.1000/1>`', f"{HDL}20.1000/1", "“Quoted” – title"),
]


def test_role_content(project: MakeProject) -> None:
    """A role takes any characters, with or without a title; only a title gets typography."""
    built = project(page("\n\n".join(role for role, _href, _text in CONTENTS))).build()

    assert [(link.href, link.text) for link in built.links()] == [
        (href, text) for _role, href, text in CONTENTS
    ]
    assert built.warnings == ""


def test_suppression_shows_and_does_not_link(project: MakeProject) -> None:
    """After `!` the identifier is shown, and neither linked nor recorded."""
    built = project(page("See :hdl:`!20.1000/a--b` here.")).build()

    assert built.links() == []
    assert '<span class="hdl no-handle">hdl:20.1000/a--b</span>' in built.page()
    assert built.app.env.domains["handle"].places() == []  # type: ignore[attr-defined]


@pytest.mark.parametrize(
    ("display", "text"),
    [
        ("uri", "hdl:20.1000/50%"),
        ("url", "https://hdl.handle.net/20.1000/50%25"),
        ("handle", "20.1000/50%"),
    ],
)
def test_display_of_a_role_without_title(
    project: MakeProject, display: str, text: str
) -> None:
    """`handle_display` chooses the text: URI, URL, or the handle alone."""
    built = project(page(":hdl:`20.1000/50%`"), handle_display=display).build()

    assert [link.text for link in built.links()] == [text]


@pytest.mark.parametrize(
    ("role", "message"),
    [
        (
            ":doi:`20.1000/100`",
            (
                '20.1000/100: the prefix of a DOI is "10" or begins with "10."; '
                "write hdl:20.1000/100\n"
                "    20.1000/100\n"
                "    ~~~~~~^"
            ),
        ),
        (
            ":doi:`banana`",
            ('banana: no "/" between prefix and suffix\n    banana\n          ^'),
        ),
        (
            ":hdl:`not a handle`",
            (
                "not a handle: "
                "a handle is prefix/suffix, with no white space in the prefix\n"
                "    not a handle\n"
                "       ^"
            ),
        ),
        (
            ":hdl:`A title <20.1000/>`",
            (
                "A title <20.1000/>: "
                'the suffix is missing: nothing after "/"\n'
                "    A title <20.1000/>\n"
                "                     ^"
            ),
        ),
        (
            ":hdl:`hdl:20.1000/50%-off`",
            (
                "hdl:20.1000/50%-off: "
                "\"%\" begins an escape of two hexadecimal digits, and '%-o' is none; "
                "write hdl:20.1000/50%25-off\n"
                "    hdl:20.1000/50%-off\n"
                "                  ^"
            ),
        ),
    ],
    ids=["not-a-doi", "banana", "no-handle", "no-suffix", "lone-percent"],
)
def test_error_shows_the_character(
    project: MakeProject, role: str, message: str
) -> None:
    """Malformed content is an error with a caret, and no link."""
    built = project(page(role)).build()

    reason, _, drawing = message.partition("\n")
    assert built.warnings == (
        f"index.rst:4: ERROR: {reason} [handle.syntax]\n{drawing}\n"
    )
    assert built.links() == []
    assert 'class="hdl hdl-malformed"' in built.page()


def test_a_role_of_extlinks_is_left_alone(project: MakeProject) -> None:
    """A project's own `doi` stays, with one message; `hdl` is the extension's."""
    built = project(
        page(":doi:`10.1000/182` :hdl:`20.1000/1`"),
        extensions=("sphinx.ext.extlinks",),
        extlinks={"doi": ("https://example.org/own/%s", "own %s")},
    ).build()

    assert [link.href for link in built.links()] == [
        "https://example.org/own/10.1000/182",
        f"{HDL}20.1000/1",
    ]
    assert built.warnings == ""
    assert built.status.count("sphinxcontrib_handle leaves it alone") == 1
    assert (
        "the role 'doi' is registered already and stays as it is; "
        "sphinxcontrib_handle leaves it alone\n"
    ) in built.status


def test_a_role_made_in_conf_py_is_left_alone(project: MakeProject) -> None:
    """A copied `doi_role.py` stays, too, whatever the order of extensions."""
    prelude = """
from docutils import nodes

def doi_role(typ, rawtext, text, lineno, inliner, options={}, content=[]):
    return [nodes.reference("", "DOI:" + text, refuri="https://doi.org/" + text)], []

def setup(app):
    app.add_role("doi", doi_role)
"""
    built = project(page(":doi:`10.1000/182`"), prelude=prelude).build()

    assert built.links() == [
        Link("https://doi.org/10.1000/182", "DOI:10.1000/182", None)
    ]
    assert built.warnings == ""


def test_a_role_that_gives_text_alone(project: MakeProject) -> None:
    """A project's own role may return plain text."""
    prelude = """
from docutils import nodes

def setup(app):
    app.add_role("plain", lambda *args, **options: ([nodes.Text(args[2])], []))
"""
    built = project(page(":plain:`doi:10.1000/1`"), prelude=prelude).build()

    assert "<p>doi:10.1000/1</p>" in built.page()
    assert built.warnings == ""


def test_a_role_made_of_ours(project: MakeProject) -> None:
    """`.. role:: mine(hdl)` gives the link its classes."""
    text = ".. role:: mine(hdl)\n   :class: special\n\n:mine:`20.1000/1`"
    built = project(page(text)).build()

    assert built.warnings == ""
    assert '<a class="hdl special reference external"' in built.page()


def test_a_default_role(project: MakeProject) -> None:
    """`default_role = "hdl"` works like the role."""
    built = project(page("`20.1000/1`"), default_role="hdl").build()

    assert [link.href for link in built.links()] == [f"{HDL}20.1000/1"]


def test_roles_in_markdown(project: MakeProject) -> None:
    """MyST's roles are the same."""
    text = "# T\n\n{hdl}`20.1000/1` {doi}`T <10.1000/182>` {hdl}``20.1000/a`b``\n{hdl}`!20.1000/1`\n"
    built = project({"index.md": text}, extensions=("myst_parser",)).build()

    assert built.warnings == ""
    assert [(link.href, link.text) for link in built.links()] == [
        (f"{HDL}20.1000/1", "hdl:20.1000/1"),
        ("https://doi.org/10.1000/182", "T"),
        (f"{HDL}20.1000/a%60b", "hdl:20.1000/a`b"),
    ]


@pytest.mark.parametrize(
    ("text", "message"),
    [
        (
            ":hdl:`10.1000/a%2Fb`",
            (
                "10.1000/a%2Fb: a bare handle is not percent-decoded, and this one holds "
                "escapes; write doi:10.1000/a/b [handle.looks-encoded]"
            ),
        ),
        (
            "hdl:123456789/1119",
            (
                'hdl:123456789/1119: "123456789" is a prefix for tests '
                "[handle.placeholder]"
            ),
        ),
        (
            ":hdl:`20.1000/a\u200bb`",
            (
                r"20.1000/a\u200bb: U+200B ZERO WIDTH SPACE is invisible; "
                "write 20.1000/ab [handle.invisible]"
            ),
        ),
    ],
    ids=["looks-encoded", "placeholder", "invisible"],
)
def test_what_leads_elsewhere_is_a_warning(
    project: MakeProject, text: str, message: str
) -> None:
    """The build warns of a reference that certainly leads elsewhere, or nowhere."""
    built = project(page(f"{text} hdl:20.1000/ordinary")).build()

    assert built.warnings == f"index.rst:4: WARNING: {message}\n"


@pytest.mark.parametrize(
    ("text", "message"),
    [
        (
            ":hdl:`20.1000/a b`",
            "20.1000/a b: white space inside a handle is rarely meant",
        ),
        (
            ":hdl:`20.1000/a/`",
            "20.1000/a/: '/' at the end is probably not meant; write 20.1000/a",
        ),
        (
            ":hdl:`20.1000/a—b`",
            '20.1000/a—b: U+2014 EM DASH is what typography makes of "---"',
        ),
        (
            ":hdl:`20.1000/a/../b`",
            (
                '20.1000/a/../b: CNRI\'s proxy reads the segment ".." in a link as '
                '"..%2F"; other HTTP servers refuse it or remove it'
            ),
        ),
        (
            "info:https://doi.org/10.1000/1",
            (
                "info:https://doi.org/10.1000/1: a scheme is written before a proxy's "
                "URL; write doi:10.1000/1"
            ),
        ),
    ],
    ids=["white-space", "slash at the end", "em dash", "inner dots", "doubled in text"],
)
def test_what_is_legal_and_odd_is_information(
    project: MakeProject, text: str, message: str
) -> None:
    """The build logs it as information, and so what the author of text may have meant."""
    built = project(page(f"{text} hdl:20.1000/ordinary")).build()

    assert built.warnings == ""
    assert f"index.rst:4: {message}\n" in built.status
    assert "20.1000/ordinary" not in built.status


@pytest.mark.parametrize(
    ("silenced", "handle"),
    [
        ("handle.placeholder", "123456789/1119"),
        ("handle.white-space", "20.1000/a b"),
        ("handle", "123456789/1119"),
        ("handle", "20.1000/a b"),
        ("handle.*", "123456789/1119"),
        ("handle.*", "20.1000/a b"),
    ],
)
def test_findings_can_be_suppressed(
    project: MakeProject, silenced: str, handle: str
) -> None:
    """`suppress_warnings` suppresses information, too."""
    text = page(f":hdl:`{handle}`")
    built = project(text, suppress_warnings=[silenced]).build()

    assert built.warnings == ""
    assert handle not in built.status
