"""Projects that come from something else: what their documents say stays as it is.

Each test is a sentence of the manual's page ``coming-from``.
"""

import pytest

from tests.test_sphinx.conftest import MakeProject
from tests.test_sphinx.project import Link

PAGE = """
Title
=====

:doi:`10.1000/182` and :doi:`the handbook <10.1000/182>`.
"""

#: The role that many projects carry a copy of, in its essence.
COPIED_ROLE = """
from docutils import nodes
from sphinx.util.nodes import split_explicit_title

def doi_role(name, rawtext, text, lineno, inliner, options=None, content=()):
    titled, title, doi = split_explicit_title(text)
    address = "https://doi.org/" + doi
    shown = title if titled else "DOI:" + doi
    return [nodes.reference(shown, shown, internal=False, refuri=address)], []
"""


def without_titles(links: list[Link]) -> list[tuple[str, str]]:
    return [(link.href, link.text) for link in links]


@pytest.mark.parametrize(
    ("caption", "display"),
    [("doi:%s", "uri"), (None, "url"), ("%s", "handle")],
)
def test_each_caption_of_extlinks_has_its_display(
    project: MakeProject, caption: str | None, display: str
) -> None:
    """Without the entry in `extlinks`, addresses and texts are the same."""
    extlinks = {"doi": ("https://doi.org/%s", caption)}
    before = project(
        PAGE, extensions=("sphinx.ext.extlinks",), extlinks=extlinks, ours=False
    ).build()
    after = project(PAGE, handle_display=display).build()

    assert without_titles(after.links()) == without_titles(before.links())
    assert after.warnings == ""


def test_a_copied_role_can_be_deleted(project: MakeProject) -> None:
    """Addresses are the same; the shown scheme is in small letters."""
    setup = f"{COPIED_ROLE}\ndef setup(app):\n    app.add_role('doi', doi_role)\n"
    before = project(PAGE, prelude=setup, ours=False).build()
    after = project(PAGE).build()

    assert without_titles(before.links()) == [
        ("https://doi.org/10.1000/182", "DOI:10.1000/182"),
        ("https://doi.org/10.1000/182", "the handbook"),
    ]
    assert without_titles(after.links()) == [
        ("https://doi.org/10.1000/182", "doi:10.1000/182"),
        ("https://doi.org/10.1000/182", "the handbook"),
    ]


def test_a_role_is_found_in_capitals_too(project: MakeProject) -> None:
    """Copies of that role are often registered as `DOI` as well."""
    page = PAGE.replace(":doi:", ":DOI:")

    assert project(page).build().links() == project(PAGE).build().links()


def test_a_role_of_extlinks_for_one_prefix(project: MakeProject) -> None:
    """It stays, and its links go to the proxy."""
    page = PAGE.replace(":doi:", ":policy:").replace("10.1000/182", "Y35XYS0QH")
    before = project(
        page,
        extensions=("sphinx.ext.extlinks",),
        extlinks={"policy": ("https://hdl.handle.net/102.100.272/%s", None)},
        ours=False,
    ).build()
    after = project(
        page,
        extensions=("sphinx.ext.extlinks",),
        extlinks={
            "policy": ("hdl:102.100.272/%s", "https://hdl.handle.net/102.100.272/%s")
        },
    ).build()

    assert without_titles(after.links()) == without_titles(before.links())


def test_schemes_of_myst_can_be_deleted(project: MakeProject) -> None:
    """A scheme that MyST was told to turn into addresses is read without that."""
    page = "# Title\n\n<hdl:20.1000/113>, [the manual](hdl:20.1000/113)\n"
    schemes = {"http": None, "https": None, "hdl": "https://hdl.handle.net/{{path}}"}
    both = [
        project({"index.md": page}, extensions=("myst_parser",), **conf).build()
        for conf in ({"myst_url_schemes": schemes}, {})
    ]

    assert without_titles(both[0].links()) == without_titles(both[1].links())
    assert without_titles(both[1].links()) == [
        ("https://hdl.handle.net/20.1000/113", "hdl:20.1000/113"),
        ("https://hdl.handle.net/20.1000/113", "the manual"),
    ]


def test_bare_addresses_need_no_change(project: MakeProject) -> None:
    """What an author wrote out stays; its address is modernised."""
    page = "Title\n=====\n\nhttp://dx.doi.org/10.1000/182\n"

    assert without_titles(project(page).build().links()) == [
        ("https://doi.org/10.1000/182", "http://dx.doi.org/10.1000/182")
    ]
