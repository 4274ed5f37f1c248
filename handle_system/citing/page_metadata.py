"""What a page says to machines about how it is cited.

Link relations, for whoever follows links: ``cite-as`` (RFC 8574), the relations
between versions (RFC 5829), and those of FAIR Signposting level 1.  Names and
contents for ``meta`` elements, for whoever reads those: the ``citation_…`` names
of Highwire Press, which Google Scholar's inclusion guidelines ask for, Dublin
Core, and the one name by which Zotero knows what sort of thing this is; without
it, whatever has a ``citation_title`` is an article in a journal to Zotero.

``cite-as`` is always the version's own address, never the work's: whoever follows
it to cite what was read must not end up at what was written later.

These are values; the writer of a page makes elements of them, and escapes.
"""

from collections.abc import Iterator
from dataclasses import dataclass

from handle_system.citing.cited import Cited
from handle_system.citing.fields import is_http_url
from handle_system.citing.formats import CitationFormat
from handle_system.citing.work import Version, WorkKind
from handle_system.handle import Handle
from handle_system.reference import HandleReference

__all__ = [
    "LinkedFile",
    "Meta",
    "PageFiles",
    "PageLink",
    "PageMetadata",
    "page_metadata",
]

#: The type of a work at schema.org, by its kind.
SCHEMA_TYPES = {
    WorkKind.DOCUMENT: "CreativeWork",
    WorkKind.MANUAL: "TechArticle",
    WorkKind.REPORT: "Report",
    WorkKind.SOFTWARE: "SoftwareSourceCode",
    WorkKind.DATASET: "Dataset",
}
# By the vocabulary of the Dublin Core Metadata Initiative; the others are texts.
_DCMI_TYPES = {WorkKind.SOFTWARE: "Software", WorkKind.DATASET: "Dataset"}
# Zotero's own names of item types; it reads them under a prefix of its own.
_ZOTERO_TYPES = {
    WorkKind.DOCUMENT: "document",
    WorkKind.MANUAL: "document",
    WorkKind.REPORT: "report",
    WorkKind.SOFTWARE: "computerProgram",
    WorkKind.DATASET: "dataset",
}
LINKSET_TYPE = "application/linkset+json"
_PDF = "application/pdf"


@dataclass(frozen=True, slots=True, kw_only=True)
class PageLink:
    """A link from the page.

    Attributes:
        rel: The relation, as it is registered.
        href: Where it leads.
        type: The media type of what is there, if it matters.
    """

    rel: str
    href: str
    type: str | None = None


@dataclass(frozen=True, slots=True)
class Meta:
    """A name and its content."""

    name: str
    content: str


@dataclass(frozen=True, slots=True)
class LinkedFile:
    """A file that belongs to a page: its address and media type."""

    href: str
    type: str


@dataclass(frozen=True, slots=True, kw_only=True)
class PageFiles:
    """What is known of a page and the files beside it.

    Attributes:
        page_url: The page's own address, absolute.
        history_url: Where its version history is shown.
        linkset_url: Where the site's ``linkset.json`` is.
        formats: Its citation in formats for reference managers, as files.
        items: The same content in other shapes: a PDF, an EPUB.
    """

    page_url: str | None = None
    history_url: str | None = None
    linkset_url: str | None = None
    formats: tuple[tuple[CitationFormat, str], ...] = ()
    items: tuple[LinkedFile, ...] = ()


@dataclass(frozen=True, slots=True, kw_only=True)
class PageMetadata:
    """What a page says to machines, in the order in which it says it."""

    links: tuple[PageLink, ...]
    metas: tuple[Meta, ...]


def page_metadata(cited: Cited, files: PageFiles | None = None) -> PageMetadata:
    """The links and metadata of a page that is a version of a work.

    What is not known is left out; the same data give the same metadata.
    """
    files = files or PageFiles()
    return PageMetadata(
        links=(*_version_links(cited, files), *_other_links(cited, files)),
        metas=(*_highwire(cited, files), *_dublin_core(cited)),
    )


def _version_links(cited: Cited, files: PageFiles) -> Iterator[PageLink]:
    work = cited.work
    for rel, handle in (
        ("cite-as", cited.handle),
        ("latest-version", work.handle),
        ("predecessor-version", _handle(work.before(cited.version))),
        ("successor-version", _handle(work.after(cited.version))),
    ):
        if handle is not None:
            yield PageLink(rel=rel, href=cited.proxies.link(handle))
    if files.history_url is not None:
        yield PageLink(rel="version-history", href=files.history_url)


def _other_links(cited: Cited, files: PageFiles) -> Iterator[PageLink]:
    work = cited.work
    for creator in work.creators:
        if creator.orcid_url is not None:
            yield PageLink(rel="author", href=creator.orcid_url)
    if work.license_url is not None:
        yield PageLink(rel="license", href=work.license_url)
    yield PageLink(rel="type", href=f"https://schema.org/{SCHEMA_TYPES[work.kind]}")
    if files.items:
        # A page with the content beside it is a landing page as well.
        yield PageLink(rel="type", href="https://schema.org/AboutPage")
    for item in files.items:
        yield PageLink(rel="item", href=item.href, type=item.type)
    for form, href in files.formats:
        yield PageLink(rel="describedby", href=href, type=form.media_type)
    if files.linkset_url is not None:
        yield PageLink(rel="linkset", href=files.linkset_url, type=LINKSET_TYPE)


def _highwire(cited: Cited, files: PageFiles) -> Iterator[Meta]:
    work, version = cited.work, cited.version
    yield Meta("citation_title", work.title)
    yield from _highwire_authors(cited)
    if version.date is not None:
        date = version.date.isoformat().replace("-", "/")
        yield Meta("citation_publication_date", date)
    if work.publisher is not None:
        name = "citation_publisher"
        if work.kind is WorkKind.REPORT:
            name = "citation_technical_report_institution"
        yield Meta(name, work.publisher)
    if cited.doi is not None:
        yield Meta("citation_doi", cited.doi)
    if work.language is not None:
        yield Meta("citation_language", work.language)
    if cited.url is not None:
        yield Meta("citation_public_url", cited.url)
    for item in files.items:
        # Google Scholar takes an absolute address, and no other.
        if item.type == _PDF and is_http_url(item.href):
            yield Meta("citation_pdf_url", item.href)
    yield Meta("z:itemType", _ZOTERO_TYPES[work.kind])


def _highwire_authors(cited: Cited) -> Iterator[Meta]:
    is_alone = len(cited.creators) == 1
    for creator in cited.creators:
        name = creator.sort_name
        if is_alone and all(" " in part for part in name.split(", ")[:2]):
            # Zotero takes one name of the form "A B, C D" for two people's.
            name = creator.name
        yield Meta("citation_author", name)
        if creator.orcid_url is not None:
            yield Meta("citation_author_orcid", creator.orcid_url)


def _dublin_core(cited: Cited) -> Iterator[Meta]:
    work, version = cited.work, cited.version
    yield Meta("DC.title", work.title)
    for creator in work.creators:
        yield Meta("DC.creator", creator.sort_name)
    if work.publisher is not None:
        yield Meta("DC.publisher", work.publisher)
    if version.date is not None:
        yield Meta("DC.date", version.date.isoformat())
    yield Meta("DC.type", _DCMI_TYPES.get(work.kind, "Text"))
    if cited.handle is not None:
        # Without the proxy: the identifier, not one of its addresses.
        yield Meta("DC.identifier", HandleReference(handle=cited.handle).uri())
    if work.language is not None:
        yield Meta("DC.language", work.language)
    if work.license_url is not None:
        yield Meta("DC.rights", work.license_url)
    for name, handle in (
        ("DCTERMS.isVersionOf", work.handle),
        ("DCTERMS.replaces", _handle(work.before(version))),
        ("DCTERMS.isReplacedBy", _handle(work.after(version))),
    ):
        if handle is not None:
            yield Meta(name, cited.proxies.link(handle))


def _handle(version: Version | None) -> Handle | None:
    return None if version is None else version.handle
