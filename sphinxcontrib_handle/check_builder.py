"""The builder ``handlecheck``: it verifies, and writes nothing but reports."""

from typing import TYPE_CHECKING

from sphinx.builders.dummy import DummyBuilder

if TYPE_CHECKING:
    from sphinx.application import Sphinx

__all__ = ["CHECK_BUILDER", "HandleCheckBuilder", "setup_check_builder"]

#: The builder's name.
CHECK_BUILDER = "handlecheck"


class HandleCheckBuilder(DummyBuilder):
    """Reads what has changed, and has every handle of the project verified.

    Its exit status is 1 if a handle is not registered, or a reference is
    malformed.  What it learns is told by `sphinxcontrib_handle.verification`.
    """

    name = CHECK_BUILDER
    epilog = "The reports are in %(outdir)s."


def setup_check_builder(app: "Sphinx") -> None:
    """Register the builder."""
    app.add_builder(HandleCheckBuilder)
