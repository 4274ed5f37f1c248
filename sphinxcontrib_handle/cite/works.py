"""Works and versions in the environment: which page is which version of which work.

The data of the domain is plain and pickled.  It is written while pages are read, in
several processes, and complete from ``env-updated`` on.
"""

import os
from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from functools import lru_cache
from pathlib import Path
from posixpath import join
from typing import TYPE_CHECKING, Any

from docutils import nodes

from handle_system.citing.checks import check_targets
from handle_system.citing.citation import Citation, CitationProblem
from handle_system.citing.fields import (
    CitationError,
    HandleReader,
    allowed_variables,
)
from handle_system.citing.sources import (
    Source,
    configuration_source,
    file_source,
    page_source,
    read_front_matter,
)
from handle_system.citing.structure import from_plain, to_plain
from handle_system.encoding import encode_file
from handle_system.handle import Handle
from handle_system.proxies import Proxies
from sphinxcontrib_handle.config import options, proxies
from sphinxcontrib_handle.domain import handle_domain
from sphinxcontrib_handle.messages import citation_warning, warn

if TYPE_CHECKING:
    from sphinx.application import Sphinx
    from sphinx.environment import BuildEnvironment

    from handle_system.verifying.findings import Verdict

__all__ = [
    "CitedPage",
    "citation_sources",
    "cited_pages",
    "note_cited",
    "page_metadata",
    "report_targets",
    "setup_works",
]

#: The variable that holds the name of the version that Read the Docs builds.
_READ_THE_DOCS = "READTHEDOCS_VERSION"
_FENCE = "---"


@dataclass(frozen=True, slots=True, kw_only=True)
class CitedPage:
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
    citation = to_plain(page.citation)
    kept.append((citation, page.anchor, page.source, page.line, page.is_own))
    return len(kept) - 1


def cited(env: "BuildEnvironment", docname: str, number: int) -> CitedPage:
    """A card of a page by its number."""
    plain, anchor, source, line, is_own = handle_domain(env).data["cited"][docname][
        number
    ]
    return CitedPage(
        citation=from_plain(plain, proxies(env.config)),
        anchor=anchor,
        source=source,
        line=line,
        is_own=is_own,
    )


def cited_pages(env: "BuildEnvironment") -> dict[str, CitedPage]:
    """The first card of each page that is no example: the root page, then by name."""
    pages: dict[str, CitedPage] = {}
    kept: Mapping[str, list[Any]] = handle_domain(env).data["cited"]
    for docname in sorted(kept, key=lambda name: (name != env.config.root_doc, name)):
        cards = (cited(env, docname, each) for each in range(len(kept[docname])))
        page = next((each for each in cards if not each.citation.is_example), None)
        if page is not None:
            pages[docname] = page
    return pages


def page_metadata(document: nodes.document) -> Mapping[str, Any]:
    """The field list of a page, or its front matter, by name.

    Sphinx has not collected them yet when cards are made.  Front matter is read from the
    file: MyST-Parser makes numbers of it, and 1.10 would be 1.1.
    """
    found: dict[str, Any] = {}
    for child in document.children:
        if isinstance(child, nodes.docinfo | nodes.field_list):
            for field in child.findall(nodes.field):
                name, body = field.children
                found[name.astext().strip()] = body.astext()
    if any(name == "cite" or name.startswith("cite-") for name in found):
        found.update(read_front_matter(_front_matter(document)))
    return found


def _front_matter(document: nodes.document) -> str:
    try:
        text = Path(str(document.get("source", ""))).read_text(encoding="utf-8-sig")
    except (OSError, UnicodeDecodeError):
        return ""
    opening, _, rest = text.partition("\n")
    matter, closing, _ = rest.partition(f"\n{_FENCE}")
    return matter if opening.rstrip() == _FENCE and closing else ""


def citation_sources(
    document: nodes.document, written: Source, metadata: Mapping[str, Any]
) -> tuple[list[Source], HandleReader]:
    """All sources of a page's citation, the nearest to the reader first.

    Raises:
        CitationError: when the metadata or the works file cannot be read.
    """
    env: BuildEnvironment = document.settings.env
    config, chosen = env.config, options(env.config)
    page = page_source(metadata)
    settings = {
        name: getattr(config, name)
        for name in ("project", "author", "copyright", "release")
    }
    settings["handle_version"] = chosen.version or ""
    settings["read_the_docs"] = os.environ.get(_READ_THE_DOCS, "")
    configured = configuration_source(settings, chosen.cite_show)
    named = written.works_file or page.works_file
    sources = [written, page]
    if named:
        path, _, identity = named.partition("#")
        sources.append(_works_file(env, _inserted(document, path), identity))
    elif chosen.work:
        path, _, identity = chosen.work.partition("#")
        sources.append(_works_file(env, Path(env.srcdir, path), identity))
    sources.append(configured)
    if settings["read_the_docs"] or "env:" in repr([each.values for each in sources]):
        # The environment may be another one in the next build.
        env.note_reread()
    reader = HandleReader(
        proxies=proxies(config),
        environment=allowed_variables(chosen.environment),
    )
    return sources, reader


def _inserted(document: nodes.document, name: str) -> Path:
    """The path of a file that a page names.

    A file that ``conf.py`` names may be anywhere.  One that a page names is in the
    source folder, and the project lets pages insert files.

    Raises:
        CitationError: when that is not so.
    """
    env: BuildEnvironment = document.settings.env
    path = Path(env.relfn2path(name)[1])
    if not path.resolve().is_relative_to(Path(env.srcdir).resolve()):
        reason = "the file is outside of the source folder"
        raise CitationError(reason, where=":source:")
    if not document.settings.file_insertion_enabled:
        reason = "pages may not name files here: file_insertion_enabled is off"
        raise CitationError(reason, where=":source:")
    return path


def _works_file(env: "BuildEnvironment", path: Path, identity: str) -> Source:
    """The work of a file.

    Raises:
        CitationError: when it is not there, or describes none.
    """
    env.note_dependency(str(path))
    try:
        status = path.stat()
        stamp = (status.st_mtime_ns, status.st_size)
    except OSError:
        stamp = (0, 0)  # Reading it says what is wrong.
    return _read(path, identity or None, proxies(env.config), stamp)


@lru_cache(maxsize=64)
def _read(
    path: Path, identity: str | None, where: Proxies, _stamp: tuple[int, int]
) -> Source:
    """Read a file once for all the pages that name it."""
    return file_source(path, identity, proxies=where)


def note_shared_problem(env: "BuildEnvironment", kind: str, message: str) -> None:
    """Record a problem of a citation that is on many pages, to report it once."""
    kept = handle_domain(env).data["shared_problems"]
    kept.setdefault(env.docname, []).append((kind, message))


def _report_shared_problems(app: "Sphinx", env: "BuildEnvironment") -> list[str]:
    kept = handle_domain(env).data["shared_problems"]
    first: dict[tuple[str, str], str] = {}
    for docname in sorted(kept, key=lambda name: (name != env.config.root_doc, name)):
        for problem in kept[docname]:
            first.setdefault(tuple(problem), docname)
    for (kind, message), docname in first.items():
        warn(app.config, kind, message, location=docname)
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
        found = (
            (each, verdicts.get(each.comparison_key)) for each in page.citation.handles
        )
        targets = {
            handle: verdict.target
            for handle, verdict in found
            if verdict is not None and verdict.target is not None
        }
        for problem in _target_problems(app, docname, page, targets):
            if str(problem) not in reported:
                reported.add(str(problem))
                location = f"{page.source}:{page.line}" if page.line else docname
                kind = citation_warning(problem.code)
                warn(app.config, kind, str(problem), location=location)


def _target_problems(
    app: "Sphinx", docname: str, page: CitedPage, targets: Mapping[Handle, str]
) -> Iterator[CitationProblem]:
    """The problems that remain whichever address the page has."""
    addresses = [*_addresses(app, docname)] if page.is_own else [None]
    work, this = page.citation.work, page.citation.version
    first, *others = (
        check_targets(work, this, targets, page_url=address) for address in addresses
    )
    for problem in first:
        if all(problem.code in {each.code for each in found} for found in others):
            yield problem


def _addresses(app: "Sphinx", docname: str) -> Iterator[str | None]:
    """The address of a page, as far as it is known.

    A builder that writes no pages does not know how the site names them, so both ways
    are as good.
    """
    base = app.config.html_baseurl
    if not base:
        yield None
    elif app.builder.format == "html":
        yield join(base, app.builder.get_target_uri(docname).partition("#")[0])
    else:
        path = encode_file(docname)
        yield join(base, f"{path}{app.config.html_file_suffix or '.html'}")
        yield join(base, f"{path}/")


def setup_works(app: "Sphinx") -> None:
    """Register the events that complete the data."""
    app.connect("env-updated", _report_shared_problems)
