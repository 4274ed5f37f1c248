"""MyST pages: the Markdown plugin reads their references."""

import sys
from types import ModuleType
from typing import Any

import pytest
from docutils import nodes
from markdown_it import MarkdownIt

from sphinxcontrib_handle.myst import wrap_parsers
from tests.test_sphinx.conftest import MakeProject
from tests.test_sphinx.project import Built

pytestmark = pytest.mark.slow

HDL = "https://hdl.handle.net/"
DOI = "https://doi.org/"
ALL = ["smartquotes", "replacements", "linkify", "strikethrough", "attrs_inline"]


def build(project: MakeProject, text: str, **conf: object) -> Built:
    """A Markdown page with MyST's typography on."""
    conf.setdefault("myst_enable_extensions", ALL)
    return project(
        {"index.md": f"# Title\n\n{text}\n"}, extensions=("myst_parser",), **conf
    ).build()


def targets(built: Built, document: str = "index") -> list[str]:
    """The targets of the links in a doctree."""
    return [link["refuri"] for link in built.tree(document).findall(nodes.reference)]


@pytest.mark.parametrize(
    ("reference", "href"),
    [
        ("doi:10.1000/a--b...c'd'(c)e", f"{DOI}10.1000/a--b...c%27d%27(c)e"),
        ("doi:10.1000/_abc_", f"{DOI}10.1000/_abc_"),
        ("hdl:20.1000/a*b*c", f"{HDL}20.1000/a*b*c"),
        ("doi:10.1000/a(*b*)c", f"{DOI}10.1000/a(*b*)c"),
        ("doi:10.1000/a~~b~~c", f"{DOI}10.1000/a~~b~~c"),
        (
            "doi:10.1657/0430(07)[ZHU]2.0.CO;2",
            f"{DOI}10.1657/0430(07)%5BZHU%5D2.0.CO;2",
        ),
        (
            "https://doi.org/10.1002/(SICI)1097(1999)36:4<419::AID-P5>3.0.CO;2-U",
            f"{DOI}10.1002/(SICI)1097(1999)36:4%3C419::AID-P5%3E3.0.CO;2-U",
        ),
        ("doi.org/10.1000/a...b--c", f"{DOI}10.1000/a...b--c"),
        ("hdl:cnri.test/日本", f"{HDL}cnri.test/%E6%97%A5%E6%9C%AC"),
    ],
)
def test_text_is_linked_as_written(
    project: MakeProject, reference: str, href: str
) -> None:
    """Typography, emphasis and linkify leave a reference whole."""
    built = build(project, f'"See" {reference} -- here...')

    assert [(link.href, link.text) for link in built.links()] == [(href, reference)]
    assert built.warnings == ""
    assert "<p>“See” " in built.page()
    assert " – here…</p>" in built.page()


@pytest.mark.parametrize(
    ("text", "links"),
    [
        (r"hdl:20.1000/a\_b&amp;c", [(f"{HDL}20.1000/a_b%26c", "hdl:20.1000/a_b&c")]),
        ("**doi:10.1000/182**", [(f"{DOI}10.1000/182", "doi:10.1000/182")]),
        ("*see doi:10.1000/182*", [(f"{DOI}10.1000/182", "doi:10.1000/182")]),
        ("`doi:10.1000/182`", []),
        (
            "[doi:10.1/x](https://example.org/)",
            [("https://example.org/", "doi:10.1/x")],
        ),
        ("![doi:10.1/x](https://example.org/x.png)", []),
        ('<b title="hdl:20.1000/1">x</b>', []),
        ("[t](doi:10.1000/a--b)", [(f"{DOI}10.1000/a--b", "t")]),
        ("[*t*](HDL:20.1000/a;b)", [(f"{HDL}20.1000/a;b", "t")]),
        ("[](doi:10.1000/5)", [(f"{DOI}10.1000/5", "doi:10.1000/5")]),
        ("<info:hdl/20.1000/1>", [(f"{HDL}20.1000/1", "info:hdl/20.1000/1")]),
        (
            "<doi:10.1002/(SICI)1<2::A>3>",
            [(f"{DOI}10.1002/(SICI)1%3C2::A%3E3", "doi:10.1002/(SICI)1<2::A>3")],
        ),
        (
            "[r][n] [n]\n\n[n]: hdl:20.1000/7",
            [(f"{HDL}20.1000/7", "r"), (f"{HDL}20.1000/7", "n")],
        ),
        (
            "see doi:10.1000/182[^a].\n\n[^a]: x",
            [(f"{DOI}10.1000/182", "doi:10.1000/182")],
        ),
        (
            "HDL:LDL and [x](https://example.org/a--b)",
            [("https://example.org/a--b", "x")],
        ),
        ("[x](hdl:20.1000/1){.no-handle .external}", [("hdl:20.1000/1", "x")]),
        (
            "doi:10.1000/1... doi.org/10.1000/2.. *hdl:20.1/3*.....",
            [
                (f"{DOI}10.1000/1", "doi:10.1000/1"),
                (f"{DOI}10.1000/2", "doi.org/10.1000/2"),
                (f"{HDL}20.1/3", "hdl:20.1/3"),
            ],
        ),
        (
            "doi:10.1000/1\\\nx hdl:20.1/2\\\\\ny",
            [
                (f"{DOI}10.1000/1", "doi:10.1000/1"),
                (f"{HDL}20.1/2%5C", "hdl:20.1/2\\"),
            ],
        ),
    ],
)
def test_page_has_the_links_expected(
    project: MakeProject, text: str, links: list[tuple[str, str]]
) -> None:
    """Links, autolinks and text of a Markdown page."""
    built = build(project, text)

    assert [(link.href, link.text) for link in built.links()] == links
    assert built.warnings == ""


def test_an_autolink_keeps_the_dot_at_its_end(project: MakeProject) -> None:
    """Its brackets say that the dot is part of the reference, so it is a warning."""
    built = build(project, "<doi:10.1000/a.>")

    assert [(link.href, link.text) for link in built.links()] == [
        (f"{DOI}10.1000/a.", "doi:10.1000/a.")
    ]
    assert built.warnings == (
        "index.md:3: WARNING: doi:10.1000/a.: '.' at the end is probably not meant; "
        "write doi:10.1000/a [handle.trailing-punctuation]\n"
    )


def test_a_reference_is_diagnosed_once(
    project: MakeProject, monkeypatch: pytest.MonkeyPatch
) -> None:
    """The transform reports what is suspicious; the plugin keeps no record beside it."""
    asked: list[str] = []
    monkeypatch.setattr("mdit_handle.links.add_found", asked.append)
    built = build(project, "doi:10.5072/example and [x](doi:10.5072/two)")

    assert asked == []
    assert [link.text for link in built.links()] == ["doi:10.5072/example", "x"]


def test_attributes_of_links_stay(project: MakeProject) -> None:
    """The author's classes and titles stay when the address changes."""
    built = build(project, '<hdl:20.1/1>{.mine} [x](hdl:20.1/2 "title"){.other}')

    links = built.tree().findall(nodes.reference)
    assert [(sorted(link["classes"]), link.get("reftitle")) for link in links] == [
        (["hdl", "mine"], None),
        (["hdl", "other"], "title"),
    ]


def test_templates_keep_titles_and_classes(project: MakeProject) -> None:
    """A template of `myst_url_schemes` keeps its titles and classes, and loses its address."""
    built = build(
        project,
        "<doi:10.1000/ab;cd> and [x](doi:10.1000/ab;cd#e)",
        myst_url_schemes={
            "https": None,
            "doi": {
                "url": "https://example.org/{{path}}",
                "title": "DOI {{path}}",
                "classes": ["special"],
            },
        },
    )

    assert [(link.href, link.text) for link in built.links()] == [
        (f"{DOI}10.1000/ab;cd", "DOI 10.1000/ab;cd"),
        (f"{DOI}10.1000/ab;cd#e", "x"),
    ]
    assert built.page().count('class="hdl doi special reference external"') == 2


@pytest.mark.parametrize(
    "conf",
    [
        {"myst_commonmark_only": True},
        {"myst_gfm_only": True},
        {"myst_all_links_external": True},
        {"myst_url_schemes": ["http", "https", "hdl", "doi"]},
    ],
    ids=lambda conf: next(iter(conf)),
)
def test_other_modes_of_myst(project: MakeProject, conf: dict[str, object]) -> None:
    """The links are the same in every mode of MyST."""
    text = "doi:10.1000/a_b_c <hdl:20.1000/1> [x](hdl:20.1000/2)"
    built = build(project, text, **{"myst_enable_extensions": [], **conf})

    assert [(link.href, link.text) for link in built.links()] == [
        (f"{DOI}10.1000/a_b_c", "doi:10.1000/a_b_c"),
        (f"{HDL}20.1000/1", "hdl:20.1000/1"),
        (f"{HDL}20.1000/2", "x"),
    ]
    assert built.warnings == ""


@pytest.mark.parametrize(
    ("matter", "conf", "links"),
    [
        ("no-handle: true", {}, ["hdl:20.1/1"]),
        ("No-Handle:", {}, ["hdl:20.1/1"]),
        ("'no-handle': yes", {}, ["hdl:20.1/1"]),
        ("x: y", {"handle_recognize": False}, ["hdl:20.1/1"]),
        *(
            (matter, {}, [f"{DOI}10.1/a--b", f"{HDL}20.1/1"])
            for matter in (
                "no-handle: false",
                "no-handle: 'off'",
                "no-handle: no # yes",
                "title: no-handle is off",
                "x:\n  no-handle: true",
            )
        ),
    ],
)
def test_off_switches(
    project: MakeProject, matter: str, conf: dict[str, object], links: list[str]
) -> None:
    """`no-handle` switches off a page, `handle_recognize` all pages."""
    built = project(
        {"index.md": f"---\n{matter}\n---\n\n# T\n\ndoi:10.1/a--b <hdl:20.1/1>\n"},
        extensions=("myst_parser",),
        myst_enable_extensions=["smartquotes", "replacements"],
        **conf,
    ).build()

    assert [link.href for link in built.links()] == links
    assert ("doi:10.1/a–b" in built.page()) == (len(links) == 1)


def test_malformed_links_are_told(project: MakeProject) -> None:
    """A malformed link is an error, and no link; code behind a label is information."""
    built = build(project, "[x](hdl:foo) and\n<hdl:20.1000/> and\ndoi:`10.1/1`")

    assert built.links() == []
    assert built.warnings == (
        'index.md:3: ERROR: hdl:foo: no "/" between prefix and suffix [handle.link]\n'
        "    hdl:foo\n           ^\n"
        'index.md:4: ERROR: hdl:20.1000/: the suffix is missing: nothing after "/" '
        "[handle.link]\n"
        "    hdl:20.1000/\n                ^\n"
    )
    assert (
        "index.md:5: doi:`10.1/1`: a role has its name in braces; write {doi}`10.1/1` "
        "[handle.markup]\n    doi:`10.1/1`\n    ~~~^\n"
    ) in built.status


def test_octets_of_another_charset_in_a_link(project: MakeProject) -> None:
    """Octets of the source's charset are kept, which MyST would decode as UTF-8."""
    source = "[*x*](hdl:latin1@20.1000/%E9) [y](hdl:20.1000/%E9)"
    built = build(project, source)
    latin = build(project, source, source_encoding="latin-1")

    assert [link.href for link in latin.links()] == [f"{HDL}20.1000/%C3%A9"] * 2

    assert [(link.href, link.text) for link in built.links()] == [
        (f"{HDL}20.1000/%C3%A9", "x")
    ]
    assert built.warnings == (
        "index.md:3: ERROR: hdl:20.1000/%E9: the octets %E9 are not "
        "UTF-8, and no charset is given for them [handle.link]\n    hdl:20.1000/%E9\n                ~~^\n"
    )


def test_a_role_in_the_text_of_a_link(project: MakeProject) -> None:
    """Links do not nest: in another's text a role shows its identifier."""
    built = build(
        project,
        "[a {hdl}`20.1/a--b` -- c](https://example.org/) "
        "[{doi}`t <10.1/x>`](hdl:20.1/1) [{hdl}`20.1/2`](index.md)",
    )

    assert [(link.href, link.text) for link in built.links()] == [
        ("https://example.org/", "a hdl:20.1/a--b – c"),
        (f"{HDL}20.1/1", "t"),
    ]
    assert built.page().count("</a>") - built.page().count("<a ") == 0
    assert "hdl:20.1/2" in built.page()
    assert built.warnings == ""


def test_links_to_any_target(project: MakeProject) -> None:
    """A link that MyST looks up in all domains causes no warning about this one."""
    built = build(project, "[x](nowhere)")

    # Some versions of MyST and Sphinx name the kind twice.
    assert built.warnings.replace(" [myst.xref_missing]", "") == (
        "index.md:3: WARNING: 'myst' cross-reference target not found: 'nowhere'\n"
    )


def test_applications_of_one_process(project: MakeProject) -> None:
    """Each application has its own proxies, or no plugin, in any order."""
    md = {"index.md": "# T\n\nhdl:20.1000/1\n"}
    added = {"other.md": "# U\n\nhdl:20.1000/2\n"}
    proxies = {"20": "https://other.example/"}
    first = project(md, extensions=("myst_parser",))
    second = project(md, extensions=("myst_parser",), handle_proxies=proxies)
    third = project(md, extensions=("myst_parser",), ours=False)

    # While the first is between two builds, the others are built.
    class Others(dict[str, str]):
        def items(self) -> Any:
            assert targets(second.build("dummy")) == ["https://other.example/20.1000/1"]
            assert targets(third.build("dummy")) == []
            return super().items()

    built = first.build("dummy", then=[Others(added)])

    assert targets(built, "other") == [f"{HDL}20.1000/2"]


def _module(name: str, **functions: object) -> Any:
    module: Any = ModuleType(name)
    vars(module).update(functions)
    return module


def test_consumers_are_wrapped_once(
    project: MakeProject, monkeypatch: pytest.MonkeyPatch
) -> None:
    """MyST-NB imports MyST's function under its own name, which is wrapped once."""
    created: list[tuple[object, ...]] = []

    def create(*args: object) -> MarkdownIt:
        created.append(args)
        return MarkdownIt("commonmark")

    notebooks = _module("myst_nb.sphinx_", create_md_parser=create)
    monkeypatch.setitem(sys.modules, notebooks.__name__, notebooks)
    built = project("hdl:20.1000/1").build()
    wrapped = notebooks.create_md_parser
    wrap_parsers(built.app)

    assert notebooks.create_md_parser is wrapped is not create
    md = wrapped("config", "renderer")
    assert created == [("config", "renderer")]
    # Without a document nobody wants the plugin.
    assert md.render("doi:10.1000/a") == "<p>doi:10.1000/a</p>\n"


def test_a_myst_without_the_function(
    project: MakeProject, monkeypatch: pytest.MonkeyPatch
) -> None:
    """The build goes on, and warns that Markdown text is not linked."""
    monkeypatch.setitem(sys.modules, "myst_nb.sphinx_", _module("myst_nb.sphinx_"))

    assert project("hdl:20.1000/1").build().warnings == (
        "WARNING: myst_nb.sphinx_ has no create_md_parser: handles in the text of "
        "Markdown pages are not linked [handle.myst]\n"
    )
