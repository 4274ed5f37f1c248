"""What other extensions make: it is left as it is, and stops nothing."""

import pytest

from tests.test_sphinx.conftest import MakeProject

PAGE = """
Title
=====

See hdl:20.1000/1 and :hdl:`bad`.
"""

ODD_NODES = """
from pathlib import Path
from docutils import nodes
from sphinx.transforms import SphinxTransform

class Odd(SphinxTransform):
    default_priority = 100

    def apply(self):
        for paragraph in list(self.document.findall(nodes.paragraph)):
            paragraph.source, paragraph.line = {place}
            paragraph += nodes.reference("", "nowhere", refuri=None)

def setup(app):
    app.add_transform(Odd)
"""

OWN_BUILDER = """
from sphinx.builders import Builder

class Own(Builder):
    name = "own"
    format = "text"

    def get_outdated_docs(self):
        return self.env.found_docs

    def get_target_uri(self, docname, typ=None):
        return docname

    def write_doc(self, docname, doctree):
        (self.outdir / docname).write_text(doctree.astext())

def setup(app):
    app.add_builder(Own)
"""

MODULE_WITHOUT_FILE = """
import sys, types

made = types.ModuleType("made")

def function():
    \"\"\"See :hdl:`bad`.\"\"\"

function.__module__ = "made"
made.function = function
sys.modules["made"] = made
"""


@pytest.mark.parametrize("place", ['Path("x.y"), 4', 'None, "3"'])
def test_nodes_with_odd_attributes(project: MakeProject, place: str) -> None:
    """A source that is a path, a line that is a text, a link without a target."""
    built = project(PAGE, prelude=ODD_NODES.format(place=place)).build("pseudoxml")

    assert 'refuri="https://hdl.handle.net/20.1000/1"' in built.page("index.pseudoxml")
    assert "nowhere" in built.page("index.pseudoxml")
    first, *_ = built.warnings.splitlines()
    assert first.startswith("index.rst:4: WARNING: ")


def test_a_builder_of_text_that_writes_by_itself(
    project: MakeProject, monkeypatch: pytest.MonkeyPatch
) -> None:
    """It has no translator to be replaced."""
    made = project(PAGE, extensions=("own_builder",))
    made.write({"own_builder.py": OWN_BUILDER})
    monkeypatch.syspath_prepend(made.source)
    built = made.build("own")

    assert "See hdl:20.1000/1 and bad." in built.page("index")


def test_a_docstring_of_no_file_is_named_as_sphinx_names_it(
    project: MakeProject,
) -> None:
    """Its name is made no path of."""
    page = "Title\n=====\n\n.. autofunction:: made.function\n"
    built = project(
        page, prelude=MODULE_WITHOUT_FILE, extensions=("sphinx.ext.autodoc",)
    ).build()

    first, *_ = built.warnings.splitlines()
    assert first.startswith("docstring of made.function:1: WARNING: ")
