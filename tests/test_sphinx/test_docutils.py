"""reStructuredText in plain docutils, and the two names of docutils that are replaced."""

import io

from docutils.core import publish_doctree
from sphinx.util.docutils import docutils_namespace

from sphinxcontrib_handle import rst
from tests.test_sphinx.conftest import MakeProject
from tests.test_sphinx.project import page


def messages(text: str, path: str = "/page.rst") -> str:
    """The messages of docutils about a page, information too."""
    stream = io.StringIO()
    # The parser registers its roles with docutils.
    with docutils_namespace():
        publish_doctree(
            text,
            source_path=path,
            parser=rst.Parser(),
            settings_overrides={"warning_stream": stream, "report_level": 1},
        )
    return stream.getvalue()


DOUBLED = "doi:https://doi.org/10.1000/1: a scheme is written before a proxy's URL; "


def test_a_scheme_before_a_url_is_reported_by_docutils() -> None:
    """The URL is the reference, and the message names the scheme before it, too."""
    assert messages("One\n*two* doi:https://doi.org/10.1000/1.\n") == (
        f"/page.rst:2: (INFO/1) {DOUBLED}write doi:10.1000/1\n"
    )


def test_a_scheme_before_a_url_is_reported_by_sphinx(project: MakeProject) -> None:
    """The same in a project that wants to be warned."""
    made = project(
        page("See doi:https://doi.org/10.1000/1."),
        handle_severity={"doubled-scheme": "warning"},
    )

    assert made.build().warnings == (
        f"index.rst:4: WARNING: {DOUBLED}write doi:10.1000/1 [handle.doubled-scheme]\n"
    )
