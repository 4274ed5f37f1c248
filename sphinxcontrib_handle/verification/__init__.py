"""Verification: a child process beside the build, two builders, reports.

`setup_verification` registers all of it.
"""

from typing import TYPE_CHECKING

from sphinxcontrib_handle.verification.builders import (
    HandleCheckBuilder,
    replace_linkcheck,
)
from sphinxcontrib_handle.verification.run import VerificationRun

if TYPE_CHECKING:
    from sphinx.application import Sphinx

__all__ = ["setup_verification"]


def setup_verification(app: "Sphinx") -> None:
    """Register the builders and the run of each build."""
    app.add_builder(HandleCheckBuilder)
    app.connect("config-inited", replace_linkcheck)
    run = VerificationRun()
    # After the extensions that add references there, such as bibliographies.
    app.connect("env-updated", run.start, priority=900)
    app.connect("build-finished", run.finish)
