"""Fixtures of the Sphinx tests."""

from collections.abc import Callable
from pathlib import Path

import pytest
from sphinx import version_info

from tests.test_sphinx.project import Project

MakeProject = Callable[..., Project]

#: Before, `-W` stops at the first warning of a build, warnings do not name their kind,
#: and `singlehtml` does not say that it begins to write.
needs_sphinx_8_1 = pytest.mark.skipif(
    version_info < (8, 1), reason="this is promised from Sphinx 8.1 on"
)


@pytest.fixture
def project(tmp_path: Path) -> MakeProject:
    """Write a project: `project({"index.rst": "…"}, handle_display="url")`."""
    count = 0

    def make(files: dict[str, str] | str, **settings: object) -> Project:
        nonlocal count
        count += 1
        if isinstance(files, str):
            files = {"index.rst": files}
        return Project(tmp_path / f"project-{count}", files, **settings)  # type: ignore[arg-type]

    return make
