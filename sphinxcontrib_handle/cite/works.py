"""Works and versions in the environment: which page is which version of which work.

The data of the domain is plain and pickled.  It is written while pages are read, in
several processes, and complete from ``env-updated`` on.
"""

import os
from collections.abc import Mapping
from contextlib import suppress
from itertools import chain
from pathlib import Path
from posixpath import join
from typing import TYPE_CHECKING, Any, NamedTuple

from docutils import nodes

from handle_system.citing.checks import check_targets
from handle_system.citing.citation import Citation
from handle_system.citing.fields import CitationError
from handle_system.citing.pipeline import from_plain, to_plain
from handle_system.citing.sources import (
    READ_THE_DOCS,
    Source,
    configuration_source,
    file_source,
    read_front_matter,
    works_path,
)
from handle_system.encoding import encode_file
from sphinxcontrib_handle.collect import page_fields
from sphinxcontrib_handle.config import proxies
from sphinxcontrib_handle.domain import handle_domain
from sphinxcontrib_handle.messages import citation_warning, warn

if TYPE_CHECKING:
    from sphinx.application import Sphinx
    from sphinx.builders import Builder
    from sphinx.environment import BuildEnvironment

    from handle_system.verifying.findings import Verdict

__all__ = [
    "CitedPage",
    "citation_sources",
    "cited_pages",
    "note_cited",
    "note_shared_problem",
    "page_metadata",
    "page_url",
    "report_shared_problems",
    "report_targets",
]


class CitedPage(NamedTuple):
    """A card of a page.

    Attributes:
        citation: The citation that it shows.
        anchor: The id of the card on the page.
        source: The file that holds it, as Sphinx shows it.
        line: Its line there, from 1; 0 if not known.
        is_own: Whether the page is this version.  Other pages are parts of the work,
            and the version's handle leads to the root page.
    """

    citation: Citation
    anchor: str
    source: str = ""
    line: int = 0
    is_own: bool = True


def note_cited(env: "BuildEnvironment", page: CitedPage) -> int:
    """Record a card of the page that is being read; its number on the page."""
    kept = handle_domain(env).data["cited"].setdefault(env.docname, [])
    kept.append((to_plain(page.citation), *page[1:]))
    return len(kept) - 1


def cited(env: "BuildEnvironment", docname: str, number: int) -> CitedPage:
    """A card of a page by its number."""
    plain, *rest = handle_domain(env).data["cited"][docname][number]
    return CitedPage(from_plain(plain, proxies(env.config)), *rest)


def cited_pages(env: "BuildEnvironment") -> dict[str, CitedPage]:
    """The first card of each page that is no example: the root page, then by name."""
    pages: dict[str, CitedPage] = {}
    kept: Mapping[str, list[Any]] = handle_domain(env).data["cited"]
    for docname in sorted(kept, key=lambda name: (name != env.config.root_doc, name)):
        cards = (cited(env, docname, each) for each in range(len(kept[docname])))
        page = next((each for each in cards if not each.citation.display.example), None)
        if page is not None:
            pages[docname] = page
    return pages


def page_metadata(document: nodes.document) -> Mapping[str, Any]:
    """The field list of a page, or its front matter, by name.

    Sphinx has not collected them yet when cards are made.  Front matter is read from the
    file: MyST-Parser makes numbers of it, and 1.10 would be 1.1.

    Raises:
        CitationError: when the front matter is about a citation and cannot be read.
    """
    found: dict[str, Any] = dict(page_fields(document))
    if any(name == "cite" or name.startswith("cite-") for name in found):
        with suppress(OSError, UnicodeDecodeError):
            text = Path(str(document.get("source", ""))).read_text("utf-8-sig")
            found.update(read_front_matter(text))
    return found


def citation_sources(
    document: nodes.document, written: Source, page: Source
) -> list[Source]:
    """All sources of a page's citation, the nearest to the reader first.

    A file that ``conf.py`` names may be anywhere.  One that a page names is in the
    source folder, and the project lets pages insert files.

    Args:
        document: The page.
        written: The directive.
        page: The page's metadata.

    Raises:
        CitationError: when the works file cannot be read.
    """
    env: BuildEnvironment = document.settings.env
    config, folder = env.config, Path(env.srcdir)
    sources, file = [written, page], None
    named = written.works_file or page.works_file
    if named and not document.settings.file_insertion_enabled:
        reason = "pages may not name files here: file_insertion_enabled is off"
        raise CitationError(reason, where=":source:")
    if named:
        beside = Path(env.doc2path(env.docname)).parent
        file = works_path(named, beside, folder)
    elif config.handle_work:
        file = works_path(config.handle_work, folder)
    if file is not None:
        path, identity = file
        env.note_dependency(str(path))
        sources.append(file_source(path, identity, proxies=proxies(config)))
    read_the_docs = os.environ.get(READ_THE_DOCS, "")
    settings = {
        "project": config.project,
        "author": config.author,
        "copyright": config.copyright,
        "release": config.release,
        "handle_version": config.handle_version or "",
        "read_the_docs": read_the_docs,
    }
    sources.append(configuration_source(settings, config.handle_cite_show))
    if read_the_docs or "env:" in repr([each.values for each in sources]):
        # The environment may be another one in the next build.
        env.note_reread()
    return sources


def note_shared_problem(env: "BuildEnvironment", kind: str, message: str) -> None:
    """Record what is wrong with the site's own citation, to report it once."""
    kept = handle_domain(env).data["shared_problems"]
    kept.setdefault(env.docname, []).append((kind, message))


def report_shared_problems(app: "Sphinx", env: "BuildEnvironment") -> list[str]:
    """Report what is wrong with the site's own citation once, whatever pages show it.

    Sphinx calls this after reading.
    """
    kept = handle_domain(env).data["shared_problems"]
    for kind, message in dict.fromkeys(chain.from_iterable(kept.values())):
        warn(app.config, kind, message, location=app.config.root_doc)
    kept.clear()
    return []


def report_targets(app: "Sphinx", verdicts: Mapping[str, "Verdict"]) -> None:
    """Warn of handles that do not lead where citations say, each once.

    Args:
        app: The application.
        verdicts: The verdicts on handles, by `Handle.comparison_key`.
    """
    reported: set[str] = set()
    for docname, page in cited_pages(app.env).items():
        targets = {
            handle: verdicts[handle.comparison_key].target
            for handle in page.citation.handles
            if handle.comparison_key in verdicts
        }
        work, this = page.citation.work, page.citation.version
        urls = _page_urls(app, docname) if page.is_own else []
        for problem in check_targets(work, this, targets, page_urls=urls):
            if str(problem) not in reported:
                reported.add(str(problem))
                location = f"{page.source}:{page.line}" if page.line else docname
                kind = citation_warning(problem.code)
                warn(app.config, kind, str(problem), location=location)


def page_url(builder: "Builder", docname: str) -> str:
    """The address of a page from the root of the site."""
    return builder.get_target_uri(docname).partition("#")[0]


def _page_urls(app: "Sphinx", docname: str) -> list[str]:
    """The addresses that a page may have, as far as they are known.

    A builder that writes no pages does not know how the site names them, so both ways
    are as good.
    """
    base = app.config.html_baseurl
    if not base:
        return []
    if app.builder.format == "html":
        return [join(base, page_url(app.builder, docname))]
    path = encode_file(docname)
    suffix = app.config.html_file_suffix or ".html"
    return [join(base, f"{path}{suffix}"), join(base, f"{path}/")]
