"""A page of many lists grows with its size alone."""

from pathlib import Path

import pytest

from handle_system import Handle
from handle_system.describing.described_works import DescribedWorks
from handle_system.describing.list_options import ListOptions
from handle_system.describing.lists import Mention, ReferenceLists
from handle_system.describing.page_settings import PageSettings
from handle_system.proxies import DEFAULT_PROXIES
from tests.test_sphinx.project import Project

pytestmark = pytest.mark.slow

COUNT = range(60_000)
# Binary digits as letters that no id has.
_HAN = str.maketrans("01", "本語")


@pytest.mark.parametrize("name", ["handle-list", "handle-references"])
def test_a_page_has_few_lists(tmp_path: Path, name: str) -> None:
    """Of n lists of n identifiers, twenty are made, and the next one is named."""
    handles = " ".join(f"hdl:20.1000/t{number}" for number in range(40))
    lists = f".. {name}::\n\n" * 40
    files = {"index.rst": f"T\n=\n\n{handles}\n\n{lists}"}
    built = Project(tmp_path, files).build("html")

    reason = "a page has at most 20 lists; this one and the following are left out"
    assert built.warnings == (f"index.rst:46: WARNING: {reason} [handle.references]\n")
    # Each entry has its own address, and the text has one.
    links = [link.href for link in built.links()]
    assert links.count("https://hdl.handle.net/20.1000/t7") == 21


def test_lists_are_counted_for_each_page(tmp_path: Path) -> None:
    """Both directives count together, and a second page begins anew."""
    page = "T\n=\n\nhdl:20.1000/a\n\n"
    page += ".. handle-list::\n\n.. handle-references::\n\n" * 10
    files = {"index.rst": page, "other.rst": f":orphan:\n\n{page}"}
    built = Project(tmp_path, files).build("html")

    assert built.warnings == ""


def test_identifiers_that_look_alike_in_ids() -> None:
    """Ids of thousands of identifiers beyond ASCII take linear time, and differ.

    Quadratic work on them takes longer than any test may.
    """
    handles = [Handle("10.1000", f"日{number:b}".translate(_HAN)) for number in COUNT]
    mentions = [Mention("index", handle, 0) for handle in handles]

    lists = ReferenceLists(
        {"index": [ListOptions()]},
        {"index": mentions},
        DescribedWorks(()),
        PageSettings(proxies=DEFAULT_PROXIES),
    )

    ids = [entry.id for entry in lists.by_page["index"][0].entries.values()]
    assert ids[:2] + ids[-1:] == ["ref-10-1000", "ref-10-1000-2", "ref-10-1000-60000"]
    assert len({*ids}) == len(ids)
