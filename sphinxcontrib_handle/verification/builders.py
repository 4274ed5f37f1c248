"""The builders ``handlecheck`` and ``linkcheck``.

Sphinx's own link checker follows a DOI to its publisher, who often refuses machines.
It also keeps one place of each link, and names the address that it went to.
`HandleLinkCheckBuilder` takes the links of handles out of that check, and reports
their verification: every place, as its author wrote it.

Sphinx wants the builders in every build, so what verifies is not loaded here.
"""

import re
from pathlib import Path
from typing import TYPE_CHECKING, Any

from sphinx.builders import linkcheck
from sphinx.builders.dummy import DummyBuilder
from sphinx.builders.linkcheck import CheckExternalLinksBuilder, CheckResult

from handle_system.errors import showable
from handle_system.findings.codes import Code
from sphinxcontrib_handle.domain import RecordedPlace, handle_domain, recorded_handle
from sphinxcontrib_handle.links import linked_reference, proxies_of

if TYPE_CHECKING:
    from collections.abc import Callable

    from sphinx.application import Sphinx

    from handle_system.verifying.verdicts import CheckedHandle
    from sphinxcontrib_handle.verification.report import Results


class HandleCheckBuilder(DummyBuilder):
    """Read the changed documents, and verify every handle of the project.

    The exit status is 1 if a handle is not registered or a reference is malformed, and
    3 if there was nothing wrong and nothing was verified.
    """

    name = "handlecheck"
    epilog = "The reports are in %(outdir)s."

    def init(self) -> None:
        """Remove the reports of an earlier run; if this one fails, they mislead."""
        super().init()
        # One builder alone writes reports.
        from sphinxcontrib_handle.verification.report import (  # noqa: PLC0415
            REPORT_FILES,
        )

        for name in REPORT_FILES:
            Path(self.outdir, name).unlink(missing_ok=True)


class HandleLinkCheckBuilder(CheckExternalLinksBuilder):
    """Sphinx's link checker for all links except those of handles."""

    #: Waits for the results; the run sets it.
    wait: "Callable[[], Results] | None" = None

    def ignores(self, place: RecordedPlace) -> bool:
        """Whether the project excludes a place from link checking.

        A pattern matches the reference or its link, which is all that Sphinx's link
        checker knows of a role.
        """
        link = proxies_of(self.config).link(recorded_handle(place.handle))
        return any(
            re.match(pattern, place.written) or re.match(pattern, link)
            for pattern in self.config.linkcheck_ignore
        ) or any(
            re.match(pattern, place.document)
            for pattern in self.config.linkcheck_exclude_documents
        )

    def finish(self) -> None:
        """Check the other links, then add the handles to both reports."""
        recorded = {place.key for place in handle_domain(self.env).places()}
        # The project may want a link of a proxy to be an ordinary link; then it is not
        # recorded, and Sphinx checks it.
        for uri in list(self.hyperlinks):
            reference = linked_reference(uri, proxies_of(self.config))
            if reference is not None and reference.handle.comparison_key in recorded:
                del self.hyperlinks[uri]
        super().finish()
        if self.wait is None:
            return
        results = self.wait()
        out = Path(self.outdir)
        with (
            Path(out, "output.txt").open("a", encoding="utf-8") as self.txt_outfile,
            Path(out, "output.json").open("a", encoding="utf-8") as self.json_outfile,
        ):
            for key, places in results.places.items():
                status, message = _status(results.checked(key)[0])
                for place in places:
                    self.process_result(_check_result(place, status, message))
            for places in results.ignored_places.values():
                for place in places:
                    self.process_result(_check_result(place, "ignored", ""))


def verifies(app: "Sphinx") -> bool:
    """Whether a build verifies handles: the project or the builder asks for it."""
    is_check = isinstance(app.builder, HandleCheckBuilder | HandleLinkCheckBuilder)
    return is_check or bool(app.config.handle_verify)


def _status(checked: "CheckedHandle") -> tuple[str, str]:
    """The link checker's status of a handle, and its message."""
    finding = checked.finding
    code = checked.verdict.code if checked.verdict else None
    if finding and finding.severity.fails:
        return "broken", finding.message
    if code and (code.is_unverified or code is Code.NOT_REGISTERED):
        # Also where the project wants to hear nothing of it.
        return "ignored", finding.message if finding else ""
    return "working", f" ({finding.message})" if finding else ""


def _check_result(place: RecordedPlace, status: str, message: str) -> CheckResult:
    # Sphinx 8.1 has plain strings where later versions have an enumeration.
    enumeration: Any = getattr(linkcheck, "_Status", str)
    return CheckResult(
        uri=showable(place.written),
        docname=place.document,
        lineno=place.line,
        status=enumeration(status),
        message=message,
        code=0,
    )


def _replace_linkcheck(app: "Sphinx", config: Any) -> None:
    """Register the link checker, unless another extension has replaced Sphinx's."""
    is_free = app.registry.builders.get("linkcheck") is CheckExternalLinksBuilder
    if config.handle_linkcheck and is_free:
        app.add_builder(HandleLinkCheckBuilder, override=True)


def setup_builders(app: "Sphinx") -> None:
    """Register the builders."""
    app.add_builder(HandleCheckBuilder)
    app.connect("config-inited", _replace_linkcheck)
