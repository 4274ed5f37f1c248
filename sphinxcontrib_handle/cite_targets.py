"""Whether handles lead where citations say, once a build has verified them.

A page's own address is known where ``html_baseurl`` is set.  A builder that makes no
pages does not know how they are named on the web, so there either way of naming them
is good.
"""

from collections.abc import Mapping
from posixpath import join
from typing import TYPE_CHECKING

from handle_system.citing.checks import CitationProblem
from handle_system.citing.cited import distinct_handles
from handle_system.citing.targets import check_targets
from handle_system.encoding import encode_file
from handle_system.handle import Handle
from handle_system.verifying.findings import Verdict
from sphinxcontrib_handle.cite_files import is_website, url_of
from sphinxcontrib_handle.cite_store import cited_pages
from sphinxcontrib_handle.cited_page import CitedPage
from sphinxcontrib_handle.messages import citation_warning, warn

if TYPE_CHECKING:
    from sphinx.application import Sphinx

__all__ = ["tell_targets"]


def tell_targets(app: "Sphinx", verdicts: Mapping[str, Verdict]) -> None:
    """Warn of handles that lead elsewhere; of each once, at its first page.

    Args:
        app: The application.
        verdicts: What is known of handles, by `Handle.comparison_key`.
    """
    told: set[str] = set()
    for docname, page in cited_pages(app.env).items():
        leads_to = _targets(page, verdicts)
        for problem in _problems(app, docname, page, leads_to):
            if str(problem) not in told:
                told.add(str(problem))
                location = f"{page.source}:{page.line}" if page.line else docname
                kind = citation_warning(problem.code)
                warn(app.config, kind, str(problem), location=location)


def _targets(page: CitedPage, verdicts: Mapping[str, Verdict]) -> dict[Handle, str]:
    """Where the handles lead that a page's citation names."""
    targets: dict[Handle, str] = {}
    for handle in distinct_handles(page.work, page.this):
        verdict = verdicts.get(handle.comparison_key)
        if verdict is not None and verdict.target is not None:
            targets[handle] = verdict.target
    return targets


def _problems(
    app: "Sphinx", docname: str, page: CitedPage, leads_to: Mapping[Handle, str]
) -> list[CitationProblem]:
    """What is wrong, whichever address the page has."""
    # Part of the site's work: its version's handle leads to the root page.
    addresses = _addresses(app, docname) if page.is_own else [None]
    first, *others = (
        check_targets(page.work, page.this, leads_to, page_url=address)
        for address in addresses
    )
    codes = [{problem.code for problem in found} for found in others]
    return [
        problem for problem in first if all(problem.code in known for known in codes)
    ]


def _addresses(app: "Sphinx", docname: str) -> list[str | None]:
    base = app.config.html_baseurl
    if not base:
        return [None]
    if is_website(app.builder):
        return [join(base, url_of(app.builder, docname))]
    path = encode_file(docname)
    suffix = app.config.html_file_suffix or ".html"
    return [join(base, f"{path}{suffix}"), join(base, f"{path}/")]
