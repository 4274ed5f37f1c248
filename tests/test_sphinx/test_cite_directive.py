"""The directive `cite-version`: what is read, from where, and what is said of it."""

import re
from xml.etree import ElementTree as ET

import pytest
from docutils import nodes

from tests.policy_sources import CFF, OPTIONS, TOML
from tests.test_sphinx.conftest import MakeProject
from tests.test_sphinx.project import Built

SHOW = {"cite_show": ["history", "uris", "reference", "bibtex", "cff"]}
WORK = "https://hdl.handle.net/102.100.272/Y35XYS0QH"
VERSION = "https://hdl.handle.net/102.100.272/0N8J991QH"


def directive(**options: str) -> str:
    """A page with a block that has these options."""
    lines = [f"   :{name}: {value}" for name, value in options.items()]
    return "\n".join(["Title", "=====", "", ".. cite-version::", *lines, ""])


def block_of(built: Built, page: str = "index.html") -> str:
    """The block on a page."""
    _, _, rest = built.page(page).partition('<section class="hdl-cite"')
    assert rest
    return rest.partition("</section>")[0]


def test_block_says_what_the_options_say(project: MakeProject) -> None:
    """Two statements in the words of the policy, each with the identifier's link."""
    built = project(directive(**OPTIONS)).build("text")

    assert built.page("index.txt") == (
        "Title\n*****\n\n"
        "PILIN Project (2007). Handle Suffix Format Policy. Version 1.0.\n"
        f"{VERSION}\n\n"
        f"To cite the latest version of this work use\n{WORK}\n\n"
        f"To cite this version of this work, use\n{VERSION}\n"
    )
    assert built.warnings == ""


def test_four_sources_give_one_block(
    project: MakeProject, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Options, field list, front matter, TOML and CITATION.cff: the same block."""
    monkeypatch.setenv("POLICY_HANDLE", "102.100.272/0N8J991QH")
    fields = "\n".join(f":cite-{name}: {value}" for name, value in OPTIONS.items())
    matter = "\n".join(f'cite-{name}: "{value}"' for name, value in OPTIONS.items())
    table = "\n".join(f'  {name}: "{value}"' for name, value in OPTIONS.items())
    bare = "Title\n=====\n\n.. cite-version::\n"
    built = project(
        {
            "index.rst": directive(**OPTIONS),
            "fields.rst": f":orphan:\n{fields}\n\n{bare}",
            "matter.md": f"---\norphan: true\n{matter}\n---\n\n# Title\n\n"
            "```{cite-version}\n```\n",
            "table.md": f"---\norphan: true\ncite:\n{table}\n---\n\n# Title\n\n"
            "```{cite-version}\n```\n",
            "sub/toml.rst": ":orphan:\n\n" + directive(source="../works.toml#policy"),
            "sub/page.rst": f":orphan:\n:cite-source: /works.toml\n\n{bare}",
            "cff.rst": ":orphan:\n\n" + directive(source="CITATION.cff"),
            "works.toml": TOML,
            "CITATION.cff": CFF,
        },
        extensions=("myst_parser",),
        handle_cite_show=SHOW["cite_show"],
        handle_environment=["POLICY_HANDLE"],
    ).build()

    first = block_of(built)
    for name in ("fields", "matter", "table", "sub/toml", "sub/page", "cff"):
        assert block_of(built, f"{name}.html") == first, name
    assert built.warnings == ""


@pytest.mark.parametrize(
    ("said", "label"),
    [
        (["1.1", "1.2", "1.3", "1.4", "1.5"], "1.1"),
        (["", "1.2", "1.3", "1.4", "1.5"], "1.2"),
        (["", "", "1.3", "1.4", "1.5"], "1.3"),
        (["", "", "", "1.4", "1.5"], "1.4"),
        (["", "", "", "latest", "1.5"], "1.5"),
        (["", "", "", "", "1.5.3"], "1.5"),
        (["", "", "", "", ""], "1.6"),
    ],
)
def test_version_is_said_by_the_nearest_place(
    project: MakeProject, monkeypatch: pytest.MonkeyPatch, said: list[str], label: str
) -> None:
    """Option, page, configuration, Read the Docs, release, the latest: in this order."""
    option, page, configured, read_the_docs, release = said
    monkeypatch.setenv("READTHEDOCS_VERSION", read_the_docs)
    field = f":cite-version: {page}\n\n" if page else ""
    own = {"version": option} if option else {}
    rows = "".join(f"\n   1.{n} | 2020-01-0{n} | 20.1000/{n}" for n in range(1, 7))
    made = project(
        {
            "index.rst": "Index\n=====\n\n.. toctree::\n\n   page\n",
            "page.rst": field + directive(title="T", work="20.1000/w", **own) + rows,
        },
        handle_version=configured or None,
        release=release,
    ).build()

    cite_this = made.page("page.html").partition("To cite this version")[2]
    link, _, _ = cite_this.partition("</p>")
    assert f'href="https://hdl.handle.net/20.1000/{label[2:]}"' in link


@pytest.mark.parametrize(
    ("page", "warning"),
    [
        (
            directive(title="T", version="1.0", date="26 June 2007"),
            (
                "index.rst:7: WARNING: :date: a date is written 2007-06-26 (year, month, "
                "day), not '26 June 2007' [handle.citation]\n"
            ),
        ),
        (
            directive(title="T", version="1", work="10.1000"),
            (
                'index.rst:7: WARNING: :work: no "/": a handle is prefix/suffix '
                "[handle.citation]\n    10.1000\n           ^\n"
            ),
        ),
        (
            directive(title="T", version="1") + "\n   1 | 2007\n",
            (
                "index.rst:8: WARNING: version history, 1: a date is written 2007-06-26 "
                "(year, month, day), not '2007' [handle.citation]\n"
            ),
        ),
        (
            directive(version="1"),
            (
                "index.rst:4: WARNING: :title: a work needs a title, and no source "
                "gives one [handle.citation]\n"
            ),
        ),
        (
            directive(title="T"),
            (
                "index.rst:4: WARNING: :version: no option, history or configuration says "
                "which version this is [handle.citation]\n"
            ),
        ),
        (
            directive(title="T", version="1", example="maybe"),
            (
                "index.rst:7: WARNING: :example: 'maybe' is neither yes nor no "
                "[handle.citation]\n"
            ),
        ),
        (
            ":cite-date: soon\n:orphan:\n\n" + directive(title="T", version="1"),
            (
                "index.rst:1: WARNING: cite-date: a date is written 2007-06-26 (year, "
                "month, day), not 'soon' [handle.citation]\n"
            ),
        ),
        (
            directive(source="gone.toml"),
            (
                "index.rst:4: WARNING: gone.toml: it cannot be read: No such "
                "file or directory [handle.citation]\n"
            ),
        ),
        (
            directive(source="works.toml"),
            (
                'index.rst:4: WARNING: works.toml: work[0].version[1].handle: no "/": a '
                "handle is prefix/suffix [handle.citation]\n    banana\n          ^\n"
            ),
        ),
    ],
)
def test_error_is_located(project: MakeProject, page: str, warning: str) -> None:
    """A malformed citation is told by its option, row, field or path, and its line."""
    works = (
        '[[work]]\ntitle = "T"\n[[work.version]]\nlabel = "1"\n'
        '[[work.version]]\nlabel = "2"\nhandle = "banana"\n'
    )
    built = project({"index.rst": page, "works.toml": works}).build()

    assert built.warnings == warning
    assert "hdl-cite" not in built.page().partition("</head>")[2]


HISTORY = "\n   1.0 | 2020-01-01 | 20.1000/1\n   2.0 | 2021-01-01 | {}\n"


@pytest.mark.parametrize(
    ("options", "body", "warning"),
    [
        (
            {"work": "20.1000/w", "version": "1"},
            "",
            (
                "4: WARNING: version 1 has no handle yet; have one assigned before this "
                "version is published: hdl mint --prefix 20.1000 "
                "[handle.cite-not-yet-assigned]"
            ),
        ),
        (
            {"version": "1", "handle": "20.1000/1"},
            "",
            (
                "4: WARNING: the work T has no handle yet; give the handle that leads to "
                "its latest version [handle.cite-not-yet-assigned]"
            ),
        ),
        (
            {"work": "20.1000/w", "version": "1", "handle": "20.1000/w"},
            "",
            (
                "4: WARNING: version 1 is given the work's own handle, 20.1000/w; that "
                "handle follows the work to its latest version: give this version one of "
                "its own, or write not yet assigned [handle.cite-work-as-version]"
            ),
        ),
        (
            {"work": "20.1000/w", "version": "1.0"},
            HISTORY.format("20.1000/1"),
            (
                "10: WARNING: version 2.0 has the handle of version 1.0, 20.1000/1; give "
                "each version its own, or write not yet assigned for the one that has none "
                "[handle.cite-same-handle]"
            ),
        ),
        (
            {"work": "20.1000/w", "version": "1.0"},
            HISTORY.format("TBA/TBA"),
            (
                "10: WARNING: version 2.0 has a placeholder for a handle, TBA/TBA; write not "
                "yet assigned until there is one [handle.cite-placeholder]"
            ),
        ),
        (
            {"work": "20.1000/w", "version": "2.0"},
            "\n   1.0 | 2022-01-01 | 20.1000/1\n   2.0 | 2021-01-01 | 20.1000/2\n",
            (
                "10: WARNING: version 2.0 is dated 2021-01-01, before version 1.0 of "
                "2022-01-01; correct a date, or list versions with the oldest first "
                "[handle.cite-date-order]"
            ),
        ),
        (
            {"work": "20.1000/w", "version": "2.0"},
            "\n   2.0 | 2021-01-01 | 20.1000/2\n   1.0 | 2020-01-01 | 20.1000/1\n",
            (
                "9: WARNING: version 2.0 is not listed in its order; list versions with "
                "the oldest first: 1.0, 2.0 [handle.cite-label-order]"
            ),
        ),
        (
            {"work": "20.1000/w", "version": "2.0"},
            "\n   2.0 | 2021-01-01 | 20.1000/2\n   V2 | 2022-01-01 | 20.1000/1\n",
            (
                "10: WARNING: version V2 is in the history twice; keep one of the two "
                "[handle.cite-same-label]"
            ),
        ),
    ],
)
def test_doubt_is_warned_of_by_its_name(
    project: MakeProject, options: dict[str, str], body: str, warning: str
) -> None:
    """Each finding has a line and a subtype, says what to write, and stops nothing."""
    built = project(directive(title="T", **options) + body).build()

    assert built.warnings == f"index.rst:{warning}\n"
    assert "hdl-cite-this" in built.page()


def test_version_outside_of_the_history_is_warned_of(project: MakeProject) -> None:
    """The warning has the row to paste."""
    page = directive(title="T", work="20.1000/w", version="3.0")
    built = project(page + HISTORY.format("20.1000/2")).build()

    assert built.warnings == (
        "index.rst:4: WARNING: version 3.0 is not in the history (1.0, 2.0); add the "
        "row 3.0 | - | - [handle.cite-not-in-history]\n"
    )


def test_release_is_matched_where_the_block_speaks_for_the_site(
    project: MakeProject,
) -> None:
    """On the root page, and where the site's work is cited; not for a page's own work."""
    own = {"title": "T", "work": "20.1000/w", "handle": "20.1000/1"}
    works = '[[work]]\ntitle = "S"\nhandle = "20.1000/s"\n[[work.version]]\n'
    built = project(
        {
            "index.rst": directive(**own, version="1.0"),
            "own.rst": ":orphan:\n\n" + directive(**own, version="1.0"),
            "site.rst": ":orphan:\n\n.. cite-version::\n   :version: 1.0\n",
            "other.toml": works + 'label = "1.0"\nhandle = "20.1000/2"\n',
            "works.toml": works + 'label = "1.0"\nhandle = "20.1000/2"\n',
        },
        handle_work="works.toml",
        release="2.0",
    )
    built.write({"own.rst": ":orphan:\n\n" + directive(source="other.toml")})
    said = "this is version 1.0, and the release is 2.0"

    lines = [line for line in built.build().warnings.splitlines() if said in line]
    assert [line.partition(" WARNING")[0] for line in lines] == [
        "index.rst:4:",
        "site.rst:3:",
    ]


def test_kinds_of_doubt_can_be_silenced_one_by_one(project: MakeProject) -> None:
    """A subtype silences its kind and no other."""
    page = directive(title="T", version="1")
    built = project(page, suppress_warnings=["handle.cite-not-yet-assigned"]).build()

    assert built.warnings == ""


def test_file_is_a_dependency_of_the_page(project: MakeProject) -> None:
    """A page is read again when the file that describes its work has changed."""
    made = project(
        {"index.rst": directive(source="works.toml"), "works.toml": TOML},
        suppress_warnings=["handle.cite-not-yet-assigned"],
        handle_environment=["POLICY_HANDLE"],
    )
    assert "no persistent identifier yet" in made.build().page()

    made.write({"works.toml": TOML.replace("env:POLICY_HANDLE", "20.1000/new")})

    assert "https://hdl.handle.net/20.1000/new" in made.build().page()


def test_variable_is_a_dependency_of_the_page(
    project: MakeProject, monkeypatch: pytest.MonkeyPatch
) -> None:
    """A page is read again when a variable that holds a handle has changed."""
    made = project(
        {
            "index.rst": directive(source="works.toml"),
            "other.rst": ":orphan:\n\nOther\n=====\n",
            "works.toml": TOML,
        },
        handle_environment=["POLICY_HANDLE"],
    )
    first = made.build()
    monkeypatch.setenv("POLICY_HANDLE", "20.1000/assigned")
    second = made.build()

    assert first.warnings.count("has no handle yet") == 1
    assert second.warnings == ""
    assert "https://hdl.handle.net/20.1000/assigned" in second.page()
    assert "0 added, 1 changed, 0 removed" in second.status


def test_old_version_says_so(project: MakeProject) -> None:
    """A version that is not the latest leads its reader to the latest."""
    page = directive(title="T", work="20.1000/w", version="1.0")
    built = project(page + HISTORY.format("20.1000/2")).build("text")

    assert built.page("index.txt").split("\n\n")[1:2] == [
        (
            "You are reading an old version; the latest is\n"
            "https://hdl.handle.net/20.1000/w"
        )
    ]


def test_identifiers_are_recorded_where_they_stand(project: MakeProject) -> None:
    """Every handle of the block is verified and listed, with its own line."""
    page = directive(title="T", work="20.1000/w", version="1.0")
    built = project(page + HISTORY.format("20.1000/2")).build()

    places = built.app.env.get_domain("handle").places()  # type: ignore[attr-defined]
    assert [(place.line, place.handle) for place in places] == [
        (6, "20.1000/w"),
        (9, "20.1000/1"),
        (10, "20.1000/2"),
    ]


def test_typography_and_translators_leave_the_block_alone(
    project: MakeProject,
) -> None:
    """Text of a citation is data; the words around it are of the project's language."""
    page = directive(title='"A"--B', version="1", work="20.1000/a--b")
    settings = {
        "language": "de",
        "handle_cite_show": ["reference", "text"],
        "suppress_warnings": ["handle.cite-not-yet-assigned"],
    }
    text = project(page, **settings).build("text").page("index.txt")
    messages = project(page, **settings).build("gettext").page("index.pot")

    assert "https://hdl.handle.net/20.1000/a--b" in text
    assert text.startswith(
        'Title\n*****\n\n"A"--B. Fassung 1.\n\n'
        "Um die neueste Fassung dieses Werks zu zitieren,"
    )
    assert "Diese Fassung hat noch keinen dauerhaften Bezeichner" in text
    assert re.findall('^msgid "(.+)"$', messages, re.MULTILINE) == ["Title"]


def test_first_block_says_what_the_page_is(project: MakeProject) -> None:
    """A page with several blocks shows them all, and is what its first one says."""
    one = directive(title="T", work="20.1000/w", version="1", handle="20.1000/1")
    two = one.partition("\n\n")[2].replace("20.1000/1", "20.1000/2")
    built = project(f"{one}\n{two}").build()
    page = built.page()

    assert page.count('<section class="hdl-cite"') == 2
    assert re.findall('<link rel="cite-as" href="([^"]+)" />', page) == [
        "https://hdl.handle.net/20.1000/1"
    ]
    assert re.findall('id="(cite[^"]*)"', page) == ["cite-t", "cite-0"]


def test_other_writers_can_be_referred_to(project: MakeProject) -> None:
    """A reference to a version leads to its block in LaTeX and Texinfo as well."""
    version = {"title": "T", "work": "20.1000/w", "version": "1", "handle": "20.1000/1"}
    made = project(
        directive(**version) + "\n:handle:version:`20.1000/1`\n",
        latex_documents=[("index", "book.tex", "T", "A", "manual")],
        texinfo_documents=[("index", "book", "T", "A", "book", "", "")],
    )

    tex = made.build("latex").page("book.tex")
    texinfo = made.build("texinfo").page("book.texi")

    assert r"\phantomsection\label{\detokenize{index:cite-t}}" in tex
    assert r"\hyperref[\detokenize{index:cite-t}]" in tex
    assert "@anchor{index cite-t}" in texinfo
    assert "@ref{" in texinfo


def test_block_of_a_page_without_a_title(project: MakeProject) -> None:
    """Notice and block have their places even so."""
    works = (
        '[[work]]\ntitle = "T"\nhandle = "20.1000/w"\n'
        '[[work.version]]\nlabel = "1"\nhandle = "20.1000/1"\n'
        '[[work.version]]\nlabel = "2"\nhandle = "20.1000/2"\n'
    )
    built = project(
        {"index.rst": "Text.\n", "works.toml": works},
        handle_work="works.toml",
        handle_cite="root",
        handle_version="1",
    ).build("text")

    text = built.page("index.txt")
    assert text.startswith("You are reading an old version; the latest is\n")
    assert text.index("Text.") < text.index("To cite the latest version")
    assert text.count("You are reading an old version") == 2


def test_tree_as_xml_has_the_tags_of_docutils(project: MakeProject) -> None:
    """Whoever reads the tree needs to know no tag of ours."""
    page = directive(
        title="T", work="20.1000/w", version="1.0", formats="all", history=""
    )
    built = project(page + HISTORY.format("20.1000/2")).build("xml")

    tree = ET.parse(built.out / "index.xml")  # noqa: S314 - our own output
    tags = {element.tag for element in tree.iter()}
    assert "table" in tags
    assert tags <= {*nodes.node_class_names, "tabular_col_spec"}
