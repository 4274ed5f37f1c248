"""The builder ``linkcheck``, with handles asked for at their records.

Sphinx's own follows a DOI to its publisher, who often answers machines with a
refusal, keeps one place of each link, and names the address that it went to.
Here handles' links are taken out of what it checks, and their results are put
back in its own words: one for each place, as its author wrote it.
"""

import re
from pathlib import Path
from typing import TYPE_CHECKING, Any

from sphinx.builders import linkcheck
from sphinx.builders.linkcheck import CheckExternalLinksBuilder, CheckResult

from handle_system.errors import showable
from sphinxcontrib_handle.domain import handle_domain
from sphinxcontrib_handle.links import linked_reference
from sphinxcontrib_handle.options import options, proxies

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator

    from sphinx.application import Sphinx

    from handle_system.proxies import Proxies
    from handle_system.verifying.checked import CheckedHandle, CheckedPlace
    from sphinxcontrib_handle.verified import Verified

__all__ = ["HandleLinkCheckBuilder", "setup_linkcheck"]


class HandleLinkCheckBuilder(CheckExternalLinksBuilder):
    """Sphinx's link checker for all links but handles'."""

    #: Waits for what verification found; set by `sphinxcontrib_handle.verification`
    #: when it starts.
    verified_handles: "Callable[[], Verified] | None" = None

    def init(self) -> None:
        """Compile the project's own exceptions."""
        super().init()
        self._ignored = [re.compile(each) for each in self.config.linkcheck_ignore]
        self._excluded = [
            re.compile(each) for each in self.config.linkcheck_exclude_documents
        ]

    def leaves_out(self, document: str, written: str, link: str) -> bool:
        """Whether the project has its links there, or such links, unchecked.

        A pattern may have been written for the reference or for what it links to: of
        a role, the checker used to see the link alone.
        """
        return any(
            each.match(written) or each.match(link) for each in self._ignored
        ) or any(each.match(document) for each in self._excluded)

    def finish(self) -> None:
        """Check the other links, then add the handles to both reports."""
        known = proxies(self.config)
        recorded = {place.key for place in handle_domain(self.env).places()}
        self.hyperlinks = {
            uri: link
            for uri, link in self.hyperlinks.items()
            if _key_of(uri, known) not in recorded
        }
        super().finish()
        out = Path(self.outdir)
        with (
            Path(out, "output.txt").open("a", encoding="utf-8") as self.txt_outfile,
            Path(out, "output.json").open("a", encoding="utf-8") as self.json_outfile,
        ):
            for result in self._results():
                self.process_result(result)
        if self.broken_hyperlinks:
            # Sphinx 9 keeps the application under another name.
            attributes: dict[str, Any] = vars(self)
            app = attributes.get("_app") or attributes["app"]
            app.statuscode = 1

    def _results(self) -> "Iterator[CheckResult]":
        if self.verified_handles is None:
            return
        found = self.verified_handles()
        for checked in found.checked:
            for place in checked.places:
                yield _result(place, *_said(checked))
        for ignored in found.ignored:
            for place in ignored.places:
                yield _result(place, "ignored", "")


def _key_of(uri: str, known: "Proxies") -> str | None:
    """Which handle a link leads to, if any.

    One that the project wants to be a link as any other was not recorded, and is
    checked as one.
    """
    reference = linked_reference(uri, known)
    return None if reference is None else reference.handle.comparison_key


def _said(checked: "CheckedHandle") -> tuple[str, str]:
    """The word for it in a link checker, and what else there is to say."""
    if checked.severity.fails:
        return "broken", checked.said
    if checked.is_unknown or checked.is_broken:
        return "ignored", checked.said
    return "working", f" ({checked.said})" if checked.said else ""


def _result(place: "CheckedPlace", status: str, message: str) -> CheckResult:
    # Sphinx 8.1 has plain strings where later ones have an enumeration.
    enumeration: Any = getattr(linkcheck, "_Status", str)
    return CheckResult(
        uri=showable(place.written),
        docname=place.document,
        lineno=place.line,
        status=enumeration(status),
        message=message,
        code=0,
    )


def setup_linkcheck(app: "Sphinx") -> None:
    """Take the place of Sphinx's builder, unless another extension has."""
    app.connect("config-inited", _replace_builder)


def _replace_builder(app: "Sphinx", config: Any) -> None:
    if not options(config).linkcheck:
        return
    if app.registry.builders.get("linkcheck") is CheckExternalLinksBuilder:
        app.add_builder(HandleLinkCheckBuilder, override=True)
