"""When a build verifies handles.

Most builds verify nothing, and load nothing that asks servers.
"""

from typing import TYPE_CHECKING

from sphinxcontrib_handle.verification.builders import setup_builders, verifies

if TYPE_CHECKING:
    from sphinx.application import Sphinx
    from sphinx.environment import BuildEnvironment

    from sphinxcontrib_handle.verification.run import VerificationRun


class Verification:
    """The runs of an application; one that builds again starts anew."""

    def __init__(self) -> None:
        self._run: VerificationRun | None = None

    def start(self, app: "Sphinx", _env: "BuildEnvironment") -> None:
        """Verify the handles of all documents, if the project or the builder asks."""
        self._close()
        if not verifies(app):
            return
        # As the text at the top says.
        from sphinxcontrib_handle.verification.run import (  # noqa: PLC0415
            VerificationRun,
        )

        self._run = VerificationRun(app)
        self._run.submit()

    def finish(self, _app: "Sphinx", exception: Exception | None) -> None:
        """Report the results, unless the build has failed."""
        if self._run is not None and exception is None:
            self._run.report()
        self._close()

    def _close(self) -> None:
        if self._run is not None:
            self._run.close()
        self._run = None


def setup_verification(app: "Sphinx") -> None:
    """Register the builders and the run of each build."""
    setup_builders(app)
    verification = Verification()
    # After the extensions that add references there, such as bibliographies.
    app.connect("env-updated", verification.start, priority=900)
    app.connect("build-finished", verification.finish)
