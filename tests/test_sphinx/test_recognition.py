"""References in a document become links, and nothing else changes."""

import re

import pytest
from docutils import nodes

from sphinxcontrib_handle.domain import handle_domain
from tests.test_sphinx.conftest import MakeProject
from tests.test_sphinx.project import Built, Project, page

pytestmark = pytest.mark.slow

HDL = "https://hdl.handle.net/"
DOI = "https://doi.org/"

Pairs = list[tuple[str, str]]


def joined(reference: str, link: str) -> tuple[str, Pairs]:
    """A sentence with a reference, and its one expected link."""
    return f"See {reference} here.", [(link, reference)]


TEXTS: dict[str, tuple[str, Pairs]] = {
    "hdl": joined("hdl:20.1000/100", f"{HDL}20.1000/100"),
    "any-case": joined("Hdl:102.100.272/QD9QVGMQH", f"{HDL}102.100.272/QD9QVGMQH"),
    "parentheses": joined("hdl:20.1000/(1)", f"{HDL}20.1000/(1)"),
    "brackets": joined(
        "doi:10.1657/0430(07)[ZHU]2.0", f"{DOI}10.1657/0430(07)%5BZHU%5D2.0"
    ),
    "sici": joined(
        "doi:10.1002/(SICI)1097(199902)55:2<241::AID-J12>3.0.CO;2-V",
        f"{DOI}10.1002/(SICI)1097(199902)55:2%3C241::AID-J12%3E3.0.CO;2-V",
    ),
    "non-ascii": joined("hdl:cnri.test/日本", f"{HDL}cnri.test/%E6%97%A5%E6%9C%AC"),
    "at-sign": joined(
        "hdl:20.1000/日foo@bar.org", f"{HDL}20.1000/%E6%97%A5foo@bar.org"
    ),
    "underscore": joined("hdl:20.1000/100_x_", f"{HDL}20.1000/100_x_"),
    "two-underscores": joined("hdl:20.1000/abc__", f"{HDL}20.1000/abc__"),
    "underscore-after-cut": joined("hdl:20.1000/日_", f"{HDL}20.1000/%E6%97%A5_"),
    "emphasis-inside": joined("doi:10.1000/a(*b*)c", f"{DOI}10.1000/a(*b*)c"),
    "strong-inside": joined("doi:10.1000/a(**b**)c", f"{DOI}10.1000/a(**b**)c"),
    "markup-set-apart": (
        r"doi:10.1000/182\ *new*, doi:10.1000/\ *a*, *see*\ doi:10.1000/183",
        [
            (f"{DOI}10.1000/182", "doi:10.1000/182"),
            (f"{DOI}10.1000/183", "doi:10.1000/183"),
        ],
    ),
    "proxy": joined("http://dx.doi.org/10.1000%2F182", f"{DOI}10.1000/182"),
    "dead-proxy": joined(
        "http://resolver.net.au/hdl/102.100.272/X", f"{HDL}102.100.272/X"
    ),
    "no-scheme": joined("doi.org/10.1000/182", f"{DOI}10.1000/182"),
    "query": joined("hdl:20.1000/1?noredirect#x", f"{HDL}20.1000/1?noredirect#x"),
    "in-emphasis": (
        "*see doi:10.1000/182*",
        [(f"{DOI}10.1000/182", "doi:10.1000/182")],
    ),
    "quoted": ('"hdl:20.1000/3"', [(f"{HDL}20.1000/3", "hdl:20.1000/3")]),
    "escaped": (r"doi:10.1000/a\_b", [(f"{DOI}10.1000/a_b", "doi:10.1000/a_b")]),
    "sentence": (
        "Is it hdl:20.1000/100? (doi:10.1000/(182)).",
        [
            (f"{HDL}20.1000/100", "hdl:20.1000/100"),
            (f"{DOI}10.1000/(182)", "doi:10.1000/(182)"),
        ],
    ),
    "angle-brackets": (
        "Go to <http://hdl.handle.net/20.1000/111> now.",
        [(f"{HDL}20.1000/111", "http://hdl.handle.net/20.1000/111")],
    ),
    "title-keeps-its-own": (
        "`A paper <hdl:20.1000/1>`_",
        [(f"{HDL}20.1000/1", "A paper")],
    ),
    "named-target": (
        "Paper_\n\n.. _Paper: hdl:/102.100.272/Y35XYS0QH",
        [(f"{HDL}102.100.272/Y35XYS0QH", "Paper")],
    ),
    "target-ends-in-underscore": (
        "Paper_\n\n.. _Paper: hdl:20.1000/1_",
        [(f"{HDL}20.1000/1_", "Paper")],
    ),
    "indirect-target": (
        "Other_\n\n.. _Other: Paper_\n.. _Paper: hdl:20.1000/1",
        [(f"{HDL}20.1000/1", "Other")],
    ),
    "anonymous-target": ("paper__\n\n__ hdl:20.1000/3", [(f"{HDL}20.1000/3", "paper")]),
    "anonymous-beside-a-reference": (
        "hdl:20.1000/abc__ and paper__\n\n__ hdl:20.1000/3",
        [(f"{HDL}20.1000/abc__", "hdl:20.1000/abc__"), (f"{HDL}20.1000/3", "paper")],
    ),
    "text-holders": (
        "`https://doi.org/10.1000/1`, :sup:`doi:10.1000/2` **see doi:10.1000/3**",
        [
            (f"{DOI}10.1000/1", "https://doi.org/10.1000/1"),
            (f"{DOI}10.1000/2", "doi:10.1000/2"),
            (f"{DOI}10.1000/3", "doi:10.1000/3"),
        ],
    ),
    "name-that-ends-in-a-target": (
        "See hdl:20.1000/x:abc_ here\n\n.. _abc: https://example.org/",
        [(f"{HDL}20.1000/x:abc_", "hdl:20.1000/x:abc_")],
    ),
    "name-in-emphasis": (
        "*see hdl:20.1000/abc_ here*\n\n.. _abc: https://example.org/",
        [(f"{HDL}20.1000/abc_", "hdl:20.1000/abc_")],
    ),
    "anonymous-links-in-order": (
        "hdl:20.1000/a__ one__ two__\n\n__ https://example.org/1\n__ https://example.org/2",
        [
            (f"{HDL}20.1000/a__", "hdl:20.1000/a__"),
            ("https://example.org/1", "one"),
            ("https://example.org/2", "two"),
        ],
    ),
    "start-strings-inside": (
        "One\ntwo doi:10.1000/*b*c, doi:10.1000/*d",
        [
            (f"{DOI}10.1000/*b*c", "doi:10.1000/*b*c"),
            (f"{DOI}10.1000/*d", "doi:10.1000/*d"),
        ],
    ),
    "link-in-a-substitution": (
        "|d|_ and |d|\n\n.. |d| replace:: doi:10.1000/1\n.. _d: https://example.org/",
        [
            ("https://example.org/", "doi:10.1000/1"),
            (f"{DOI}10.1000/1", "doi:10.1000/1"),
        ],
    ),
    "malformed": (
        "https://doi.org/10.1000/50%-off https://doi.org/10.1000 doi:10.1000/ hdl:1/",
        [
            ("https://doi.org/10.1000/50%-off",) * 2,
            ("https://doi.org/10.1000",) * 2,
        ],
    ),
    "other-text": (
        "`hdl:20.1000/1 <https://example.org/>`_",
        [("https://example.org/", "hdl:20.1000/1")],
    ),
    # Text without a reference.
    "hardware": ("the HDL:LDL ratio, hdl:module/port", []),
    "bare": ("10.1000/182 and 20.1000/1 and and/or", []),
    "inside-a-url": (
        "https://example.org/?id=doi:10.1000/182",
        [("https://example.org/?id=doi:10.1000/182",) * 2],
    ),
    "publisher": (
        "https://example.org/article/10.3847/1538-4357/aca283/meta",
        [("https://example.org/article/10.3847/1538-4357/aca283/meta",) * 2],
    ),
    "other-info": ("info:ddc/22/eng//004.678", [("info:ddc/22/eng//004.678",) * 2]),
    "own-pages": (
        "https://www.doi.org/the-identifier/what-is-a-doi/",
        [("https://www.doi.org/the-identifier/what-is-a-doi/",) * 2],
    ),
    "literals": (
        (
            "``hdl:20.1000/1`` :math:`doi:10.1/1` :code:`doi:10.1/1` :file:`doi:10.1/1` "
            ":kbd:`doi:10.1/1` :samp:`doi:10.1/1`"
        ),
        [],
    ),
    "blocks": (
        (
            ">>> 'doi:10.1000/2'\n\n::\n\n   hdl:20.1000/1\n\n.. code::\n\n   hdl:20.1000/1\n\n"
            ".. hdl:20.1000/1\n\n.. math::\n\n   doi:10.1/1\n\n.. raw:: html\n\n   doi:10.1/1"
        ),
        [],
    ),
    "signature": (".. py:function:: f(x='doi:10.1000/1')", []),
}


@pytest.fixture(scope="module")
def pages(tmp_path_factory: pytest.TempPathFactory) -> Built:
    """A project with a page for each text."""
    files = {f"{name}.rst": page(text) for name, (text, _links) in TEXTS.items()}
    index = page(".. toctree::\n   :glob:\n\n   *")
    return Project(
        tmp_path_factory.mktemp("texts"), {"index.rst": index, **files}
    ).build()


@pytest.mark.parametrize("name", TEXTS)
def test_text_has_the_links_expected(pages: Built, name: str) -> None:
    """Each reference is one link to its proxy, in its author's words, without a message."""
    links = [(link.href, link.text) for link in pages.links(f"{name}.html")]

    assert links == TEXTS[name][1]
    assert pages.warnings == ""


def test_reference_nodes_are_standard(project: MakeProject) -> None:
    """The tree has plain references, with one attribute of the extension: a number."""
    built = project(page("See hdl:cnri.test/日本 here.")).build()

    [link] = built.tree().findall(nodes.reference)
    assert link.astext() == "hdl:cnri.test/日本"
    assert {name: value for name, value in link.attributes.items() if value != []} == {
        "classes": ["hdl"],
        "handle-place": 1,
        "internal": False,
        "refuri": "https://hdl.handle.net/cnri.test/%E6%97%A5%E6%9C%AC",
        "support_smartquotes": False,
    }


def test_a_name_that_is_a_target_stays_a_link_to_it(project: MakeProject) -> None:
    """A name that is a target stays one, and a message says what to write."""
    text = "One\nhdl:20.1000/abc_ two\n\n.. _abc: https://example.org/"
    built = project(page(text)).build()

    assert [link.href for link in built.links()] == ["https://example.org/"]
    assert built.warnings == (
        "index.rst:5: WARNING: hdl:20.1000/abc_: abc_ is a target of this document, "
        "and stays a link to it; for the handle write :hdl:`hdl:20.1000/abc_` [handle.target]\n"
    )


@pytest.mark.parametrize("scheme", ["doi:", "https://doi.org/"])
@pytest.mark.parametrize(
    ("text", "written", "shown"),
    [
        ("10.5281/zenodo.|id|", "10.5281/zenodo.|id|", "10.5281/zenodo.|id|</span>"),
        ("10.5281/|id|", "10.5281/", "10.5281/</span>123"),
    ],
    ids=["not substituted", "substituted"],
)
def test_a_substitution_behind_a_reference_is_reported(
    project: MakeProject, scheme: str, text: str, written: str, shown: str
) -> None:
    """A reference with a substitution in it is a warning, and no link."""
    text = f"One\ntwo {scheme}{text}\n\n.. |id| replace:: 123"
    built = project(page(text)).build()

    assert built.links() == []
    assert f"{scheme}{shown}" in built.page()
    assert built.warnings == (
        f"index.rst:5: WARNING: {scheme}{written}: a substitution continues the "
        "reference, which is not linked; put the whole reference into the substitution "
        "[handle.markup]\n"
        f"    {scheme}{written}\n"
        f"    {'~' * (len(scheme + written) - 1)}^\n"
    )


@pytest.mark.parametrize(
    ("scheme", "default_role"),
    [("doi", None), ("hdl", None), ("DOI", None), ("doi", "py:obj")],
)
def test_a_role_without_its_first_colon_is_reported(
    project: MakeProject, scheme: str, default_role: str | None
) -> None:
    """A role without its first colon is a warning, and no link."""
    text = page(f"One\ntwo {scheme}:`10.1000/182`")
    built = project(text, default_role=default_role).build()

    assert built.links() == []
    role = f":{scheme.lower()}:`10.1000/182`"
    assert built.warnings == (
        f"index.rst:5: WARNING: {scheme}:`10.1000/182`: the role lacks its first colon; "
        f"write {role} [handle.markup]\n"
        f"    {scheme}:`10.1000/182`\n"
        "    ~~~~~~~~~~~~~~~~^\n"
    )


@pytest.mark.parametrize(
    "text", ["my:`10.1000/182`", "doi:`a/b c`_", "doi: `10.1000/182`", "x doi:`text`"]
)
def test_other_text_before_a_backquote_is_left_alone(
    project: MakeProject, text: str
) -> None:
    """Only a DOI or a handle in the backquotes counts as a role."""
    built = project(page(f"{text}\n\n.. _a/b c: https://example.org/")).build()

    assert built.warnings == ""


def test_images_keep_everything_but_the_target(project: MakeProject) -> None:
    """The link of an image leads to the proxy, and the image stays the same."""
    text = ".. image:: https://example.org/doi:10.1/x.png\n   :target: hdl:20.1000/9"
    built = project(page(text)).build()

    assert [link.href for link in built.links()] == [f"{HDL}20.1000/9"]
    assert 'src="https://example.org/doi:10.1/x.png"' in built.page()


def test_external_toctree_entries(project: MakeProject) -> None:
    """Toctree entries lead to the proxy, keep their text, and are recorded."""
    text = (
        ".. toctree::\n\n   https://dx.doi.org/10.1000/182\n"
        "   Named <http://hdl.handle.net/20.1000/9>\n   https://example.org/\n"
        "   Ext <hdl:20.1000/113>\n   doi:10.1000/1\n"
    )
    built = project(page(text)).build()

    assert [(link.href, link.text) for link in built.links()] == [
        (f"{DOI}10.1000/182", "https://dx.doi.org/10.1000/182"),
        (f"{HDL}20.1000/9", "Named"),
        ("https://example.org/", "https://example.org/"),
        (f"{HDL}20.1000/113", "Ext"),
        (f"{DOI}10.1000/1", "doi:10.1000/1"),
    ]
    places = handle_domain(built.app.env).places()
    assert [(each.line, each.written, each.handle) for each in places] == [
        (6, "https://dx.doi.org/10.1000/182", "10.1000/182"),
        (7, "http://hdl.handle.net/20.1000/9", "20.1000/9"),
        (9, "hdl:20.1000/113", "20.1000/113"),
        (10, "doi:10.1000/1", "10.1000/1"),
    ]
    assert built.warnings == ""


@pytest.mark.parametrize(
    ("text", "hrefs", "warning"),
    [
        (
            "`bad <hdl:foo>`_",
            [],
            'hdl:foo: no "/" between prefix and suffix\n    hdl:foo\n           ^',
        ),
        (
            "bad_\n\n.. _bad: hdl:foo",
            [],
            'hdl:foo: no "/" between prefix and suffix\n    hdl:foo\n           ^',
        ),
        (
            "`bad <https://doi.org/10.1000/50%-off>`_",
            ["https://doi.org/10.1000/50%-off"],
            (
                "https://doi.org/10.1000/50%-off: "
                "\"%\" begins an escape of two hexadecimal digits, and '%-o' is none; "
                "write https://doi.org/10.1000/50%25-off\n"
                "    https://doi.org/10.1000/50%-off\n"
                "                              ^"
            ),
        ),
    ],
    ids=["phrase", "target", "url"],
)
def test_malformed_links_are_told(
    project: MakeProject, text: str, hrefs: list[str], warning: str
) -> None:
    """A malformed URL stays; another malformed target is no link; both are errors."""
    built = project(page(text)).build()

    assert [link.href for link in built.links()] == hrefs
    reason, _, drawing = warning.partition("\n")
    assert f": ERROR: {reason} [handle.link]\n{drawing}\n" in built.warnings
    assert built.warnings.count("index.rst:") == 1
    assert ('class="hdl hdl-malformed"' in built.page()) == (not hrefs)


BEFORE_A_PAGE = "{}\n\nTitle\n=====\n\nhdl:20.1000/1, :hdl:`20.1000/2`\n"


@pytest.mark.parametrize(
    ("text", "recognize", "hrefs"),
    [
        (
            "hdl:20.1000/1, doi:10.1000/1, :hdl:`20.1000/2`, `x <hdl:20.1000/3>`_",
            False,
            ["hdl:20.1000/1", f"{HDL}20.1000/2", "hdl:20.1000/3"],
        ),
        *(
            (BEFORE_A_PAGE.format(field), True, [href, f"{HDL}20.1000/2"])
            for field, href in (
                (":no-handle:", "hdl:20.1000/1"),
                (":no-handle: true", "hdl:20.1000/1"),
                (":No-Handle:", "hdl:20.1000/1"),
                (":no-handle: false", f"{HDL}20.1000/1"),
            )
        ),
        (
            (
                ".. rst-class:: no-handle\n\ndoi:10.1000/1 and `x <hdl:20.1000/2>`_\n\n"
                ".. role:: no-handle\n\n:no-handle:`doi:10.1000/8`, doi:10.1000/9"
            ),
            True,
            ["hdl:20.1000/2", f"{DOI}10.1000/9"],
        ),
    ],
)
def test_off_for_the_project_a_page_or_a_block(
    project: MakeProject,
    text: str,
    recognize: bool,  # noqa: FBT001 - a column of the table
    hrefs: list[str],
) -> None:
    """`handle_recognize`, a field or a class `no-handle` switch off all but roles."""
    built = project(text, handle_recognize=recognize).build()

    assert [link.href for link in built.links()] == hrefs


def test_malformed_references_where_recognition_is_off(project: MakeProject) -> None:
    """There, as in a literal block, only roles are reported."""
    text = (
        ".. rst-class:: no-handle\n\ndoi:10.1/off<1: and :hdl:`role-off`\n\n"
        ".. parsed-literal::\n\n   doi:10.1/literal<1: and :hdl:`role-literal`\n\n"
        "doi:10.1/on<1: and"
    )

    built = project(page(text)).build()

    log = built.warnings + built.status
    reported = re.findall("role-off|role-literal|doi:10.1/[a-z]+(?=<: nothing)", log)
    assert [*dict.fromkeys(reported)] == ["role-off", "role-literal", "doi:10.1/on"]


def test_text_and_layout_around_references_stay(project: MakeProject) -> None:
    """Apart from links, a page is the same as without the extension."""
    text = page(
        'Text "quoted" -- and... *emphasis* with `a link <https://example.org/>`_,\n'
        "doi:10.1000/182, more_ text.\n\n.. _more: https://example.org/more\n\n"
        "- a list with hdl:20.1000/1\n\n| a line"
    )
    ours = project(text).build().page()
    plain = project(text, ours=False).build().page()

    link = (
        '<a class="hdl doi reference external" href="https://doi.org/10.1000/182">'
        "doi:10.1000/182</a>"
    )
    assert link in ours
    ours = ours.replace(link, "doi:10.1000/182")
    ours = ours.replace(
        '<a class="hdl reference external" href="https://hdl.handle.net/20.1000/1">',
        '<a class="reference external" href="hdl:20.1000/1">',
    )
    assert ours == plain


def test_the_typography_of_docutils_itself(project: MakeProject) -> None:
    """With docutils' own typography, as in nbsphinx, references stay whole."""
    parser = (
        "from docutils.parsers.rst import Parser\n"
        "class Plain(Parser):\n"
        "    supported = ('plain',)\n"
        "def setup(app):\n"
        "    app.add_source_parser(Plain)\n"
        "    app.add_source_suffix('.plain', 'plain')\n"
    )
    text = (
        'T\n=\n\n"See" https://doi.org/10.1000/a--b, hdl:20.1000/a...b, '
        ':hdl:`20.1000/c\'d` and :hdl:`a "title" <20.1000/e>`.\n\n'
        "`beside doi:10.1000/f--g -- here <https://example.org/>`__\n"
    )
    built = project({"index.plain": text}, prelude=parser).build()

    assert [link.text for link in built.links()] == [
        "https://doi.org/10.1000/a--b",
        "hdl:20.1000/a...b",
        "hdl:20.1000/c'd",
        "a “title”",
        "beside doi:10.1000/f--g -- here",
    ]
    assert "<p>“See” <a" in built.page()
    assert built.warnings == ""


@pytest.mark.parametrize(
    "text",
    [
        "`doi:10.1000/a--b <https://example.org/>`__",
        "`see doi:10.1000/a--b`_\n\n.. _see doi\\:10.1000/a--b: https://example.org/",
        ":ref:`see doi:10.1000/a--b <genindex>`",
        ":doc:`see doi:10.1000/a--b </index>`",
        ":hdl:`see doi:10.1000/a--b <20.1000/1>`",
        "_`see doi:10.1000/a--b`",
        "`doi:10.1000/a--b <hdl:nothing>`__",
    ],
)
def test_identifiers_in_a_text_that_is_not_theirs(
    project: MakeProject, text: str
) -> None:
    """Typography skips a text that holds an identifier, and reaches all others."""
    built = project(page(f'"So" -- {text}')).build()

    assert "doi:10.1000/a--b" in built.page()
    assert "<p>“So” – " in built.page()


def test_an_identifier_beside_a_link_that_is_switched_off(
    project: MakeProject,
) -> None:
    """Text of the class ``no-handle`` gets the usual typography."""
    text = ".. rst-class:: no-handle\n\n`doi:10.1000/a--b <https://example.org/>`__"
    built = project(page(text)).build()

    assert [link.text for link in built.links()] == ["doi:10.1000/a–b"]
