"""One line in `conf.py` is enough, beside any other extension."""

from pathlib import Path

import pytest
from sphinx.application import Sphinx
from sphinx.testing import restructuredtext
from sphinx.util.docutils import docutils_namespace

from handle_system import __version__
from sphinxcontrib_handle import ENV_VERSION
from tests.test_sphinx.conftest import MakeProject, needs_sphinx_8_1
from tests.test_sphinx.project import Link

TEXT = """
Title
=====

Roles :hdl:`20.1000/100` and :doi:`10.1000/182`, :doi:`with a title <10.1000/182>`;
plain hdl:20.1000/100, doi:10.1000/182 and http://dx.doi.org/10.1000%2F182.
"""

LINKS = [
    Link("https://hdl.handle.net/20.1000/100", "hdl:20.1000/100", None),
    Link("https://doi.org/10.1000/182", "doi:10.1000/182", None),
    Link("https://doi.org/10.1000/182", "with a title", "doi:10.1000/182 (doi.org)"),
    Link("https://hdl.handle.net/20.1000/100", "hdl:20.1000/100", None),
    Link("https://doi.org/10.1000/182", "doi:10.1000/182", None),
    Link("https://doi.org/10.1000/182", "http://dx.doi.org/10.1000%2F182", None),
]


MARKDOWN = """
# Title

Roles {hdl}`20.1000/100` and {doi}`10.1000/182`, {doi}`with a title <10.1000/182>`;
plain hdl:20.1000/100, doi:10.1000/182 and <http://dx.doi.org/10.1000%2F182>.
"""


@pytest.mark.parametrize(
    ("files", "extension"),
    [
        ({"index.rst": TEXT}, "sphinxcontrib_handle"),
        # The conventional name is the same extension.
        ({"index.rst": TEXT}, "sphinxcontrib.handle"),
        ({"index.md": MARKDOWN}, "sphinxcontrib_handle"),
    ],
)
def test_one_line_is_enough(
    project: MakeProject, files: dict[str, str], extension: str
) -> None:
    """Roles and references in the text of rST and MyST become links to the proxy."""
    extensions = (extension, "myst_parser")
    built = project(files, ours=False, extensions=extensions).build()

    assert built.warnings == ""
    assert built.links() == LINKS


def test_a_text_that_is_parsed_without_a_build(tmp_path: Path) -> None:
    """The tests of other extensions parse texts with an application that builds nothing."""
    with docutils_namespace():
        app = Sphinx(
            tmp_path,
            None,
            tmp_path / "out",
            tmp_path / "out",
            "html",
            confoverrides={"extensions": ["sphinxcontrib_handle"]},
            status=None,
        )

        parsed = restructuredtext.parse(app, "See doi:10.1000/182.\n")

    assert 'refuri="https://doi.org/10.1000/182"' in str(parsed)


def test_metadata_allows_parallel_builds(project: MakeProject) -> None:
    """The extension declares its version, and that it reads and writes in parallel."""
    extension = project(TEXT).build().app.extensions["sphinxcontrib_handle"]

    assert extension.version == __version__
    assert extension.parallel_read_safe
    assert extension.parallel_write_safe
    assert extension.metadata["env_version"] == ENV_VERSION


PAGE_BESIDE_OTHERS = """
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
    """The source may be a path, the line a text, and the target missing."""
    built = project(PAGE_BESIDE_OTHERS, prelude=ODD_NODES.format(place=place)).build(
        "pseudoxml"
    )

    assert 'refuri="https://hdl.handle.net/20.1000/1"' in built.page("index.pseudoxml")
    assert "nowhere" in built.page("index.pseudoxml")
    first, *_ = built.warnings.splitlines()
    assert first == (
        'index.rst:4: ERROR: bad: no "/" between prefix and suffix [handle.syntax]'
    )


@needs_sphinx_8_1
def test_a_builder_of_text_that_writes_by_itself(
    project: MakeProject, monkeypatch: pytest.MonkeyPatch
) -> None:
    """A builder without a translator is left alone."""
    made = project(PAGE_BESIDE_OTHERS, extensions=("own_builder",))
    made.write({"own_builder.py": OWN_BUILDER})
    monkeypatch.syspath_prepend(made.source)
    built = made.build("own")

    assert "See hdl:20.1000/1 and bad." in built.page("index")


def test_a_docstring_of_no_file_is_named_as_sphinx_names_it(
    project: MakeProject,
) -> None:
    """Its name does not become a path."""
    page = "Title\n=====\n\n.. autofunction:: made.function\n"
    built = project(
        page, prelude=MODULE_WITHOUT_FILE, extensions=("sphinx.ext.autodoc",)
    ).build()

    first, *_ = built.warnings.splitlines()
    assert first == (
        'docstring of made.function:1: ERROR: bad: no "/" between prefix and suffix '
        "[handle.syntax]"
    )
