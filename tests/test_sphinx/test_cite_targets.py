"""Whether handles lead where a citation says: told by a build that verifies."""

import json

import pytest

from tests.test_sphinx.conftest import MakeProject
from tests.test_sphinx.project import Project

PAGE = """\
Policy
======

.. cite-version::
   :title: Policy
   :work: 20.1000/w
   :version: 2.0

   1.0 | 2020-01-01 | 20.1000/1
   2.0 | 2021-01-01 | 20.1000/2
"""
HERE = "https://example.org/docs/policy.html"
RIGHT = {
    "20.1000/w": HERE,
    "20.1000/1": "https://example.org/1.0/policy.html",
    "20.1000/2": HERE,
}
ELSEWHERE = "https://example.org/elsewhere"
WORK_TARGET = (
    "policy.rst:4: WARNING: the work's handle leads to https://example.org/elsewhere, "
    f"and that of its latest version, 2.0, to {HERE}; have 20.1000/w lead to "
    f"{HERE} [handle.cite-work-target]\n"
)
VERSION_TARGET = (
    "policy.rst:4: WARNING: the handle of version 2.0 leads to "
    f"https://example.org/elsewhere, and not to this page, {HERE}; have 20.1000/2 lead "
    f"to {HERE} [handle.cite-version-target]\n"
)


def verified(
    project: MakeProject, records: dict[str, str], page: str = PAGE, **settings: object
) -> Project:
    """A project that verifies at records."""
    files = {
        "index.rst": "Index\n=====\n\n.. toctree::\n\n   policy\n",
        "policy.rst": page,
        "records.json": json.dumps(records),
    }
    conf = {
        "handle_verify": True,
        "handle_cache": False,
        "handle_resolver": "records.json",
        "html_baseurl": "https://example.org/docs/",
    }
    return project(files, **{**conf, **settings})


@pytest.mark.parametrize("builder", ["html", "text", "handlecheck"])
@pytest.mark.parametrize(
    ("elsewhere", "warning"),
    [
        ({}, ""),
        ({"20.1000/w": ELSEWHERE}, WORK_TARGET),
        ({"20.1000/2": ELSEWHERE, "20.1000/w": ELSEWHERE}, VERSION_TARGET),
    ],
)
def test_handle_that_leads_elsewhere_is_told(
    project: MakeProject, builder: str, elsewhere: dict[str, str], warning: str
) -> None:
    """The work's leads to its latest version, the version's to this very page."""
    built = verified(project, {**RIGHT, **elsewhere}).build(builder)

    assert built.warnings == warning


def test_address_of_a_page_is_that_of_its_builder(project: MakeProject) -> None:
    """In folders a page has no file's name, and the old address is another one."""
    folder = "https://example.org/docs/policy/"
    in_folders = {**RIGHT, "20.1000/2": folder, "20.1000/w": folder}

    assert verified(project, in_folders).build("dirhtml").warnings == ""
    assert verified(project, in_folders).build("handlecheck").warnings == ""
    assert (
        "[handle.cite-version-target]"
        in verified(project, in_folders).build("html").warnings
    )


def test_page_is_not_judged_without_an_address(project: MakeProject) -> None:
    """Without `html_baseurl` nobody knows where the page will be."""
    records = {**RIGHT, "20.1000/2": ELSEWHERE, "20.1000/w": ELSEWHERE}

    assert verified(project, records, html_baseurl="").build().warnings == ""


def test_declared_address_is_as_good(project: MakeProject) -> None:
    """A version that is published elsewhere says where."""
    page = PAGE.replace("2.0\n\n", f"2.0\n   :url: {ELSEWHERE}\n\n", 1)
    records = {**RIGHT, "20.1000/2": ELSEWHERE, "20.1000/w": ELSEWHERE}

    assert verified(project, records, page).build().warnings == ""


def test_nothing_is_judged_by_what_is_not_known(project: MakeProject) -> None:
    """A handle that is not registered is told as such, and as nothing more."""
    records = {key: RIGHT[key] for key in ("20.1000/w", "20.1000/1")}

    warnings = verified(project, records).build().warnings

    assert warnings == (
        "policy.rst:10: WARNING: 20.1000/2: this handle is not registered "
        "[handle.not-registered]\n"
    )


def test_pages_of_the_sites_work_are_parts_of_it(project: MakeProject) -> None:
    """With a block on every page the version's handle leads to the root page."""
    works = (
        '[[work]]\ntitle = "T"\nhandle = "20.1000/w"\n'
        '[[work.version]]\nlabel = "2.0"\nhandle = "20.1000/2"\n'
    )
    root = "https://example.org/docs/"
    settings = {"handle_work": "works.toml", "handle_cite": "every"}

    def warnings(target: str) -> str:
        records = {"20.1000/w": target, "20.1000/2": target}
        made = verified(project, records, "Policy\n======\n", **settings)
        made.write({"works.toml": works})
        return made.build().warnings

    assert warnings(root) == ""
    assert warnings(ELSEWHERE) == (
        "index.rst: WARNING: the handle of version 2.0 leads to "
        "https://example.org/elsewhere, and not to this page, "
        "https://example.org/docs/index.html; have 20.1000/2 lead to "
        "https://example.org/docs/index.html "
        "[handle.cite-version-target]\n"
    )
