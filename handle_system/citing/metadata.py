"""The metadata of a page for machines: links, names and contents, JSON-LD, linkset.

Link relations: ``cite-as`` (RFC 8574), the relations between versions (RFC 5829),
and those of FAIR Signposting level 1. Contents of ``meta`` elements: the
``citation_…`` names of Highwire Press, which Google Scholar's inclusion guidelines
ask for, Dublin Core, and Zotero's item type; without that, Zotero takes every page
with a ``citation_title`` for an article in a journal. JSON-LD in the words of
schema.org, and a site's ``linkset.json`` (RFC 9264).

``cite-as`` is always the version's own address, never the work's: the latter leads
to text that the reader has not read.

`head_html` makes the elements of a page's head of them.
"""

import json
import re
from collections.abc import Mapping
from dataclasses import dataclass
from html import escape
from typing import TypeAlias

from handle_system.citing.citation import Citation, without_unknown
from handle_system.citing.fields import is_http_url
from handle_system.citing.formats import CitationFormat
from handle_system.citing.style import Name
from handle_system.citing.work import WorkKind
from handle_system.handle import Handle
from handle_system.text import safe_in_script

# By kind: the type at schema.org, in the vocabulary of the Dublin Core Metadata
# Initiative, and in Zotero.
_TYPES = {
    WorkKind.DOCUMENT: ("CreativeWork", "Text", "document"),
    WorkKind.MANUAL: ("TechArticle", "Text", "document"),
    WorkKind.REPORT: ("Report", "Text", "report"),
    WorkKind.SOFTWARE: ("SoftwareSourceCode", "Software", "computerProgram"),
    WorkKind.DATASET: ("Dataset", "Dataset", "dataset"),
}
_SCHEMA = "https://schema.org"
_LINKSET = "linkset"
# In HTML that Sphinx writes, which has no bare quotation mark or bracket in a value.
_NAME_OF_META = re.compile(r'<meta\s[^>]*?\bname="([^"]*)"', re.IGNORECASE)


#: A link of the page: the relation, the target, and its media type if it matters.
PageLink: TypeAlias = tuple[str, str, str | None]


@dataclass(frozen=True, slots=True, kw_only=True)
class PageFiles:
    """The addresses of a page and the files beside it.

    Attributes:
        page_url: The page, absolute.
        history_url: The version history.
        linkset_url: The site's ``linkset.json``.
        formats: The citation in formats for reference managers, as files.
        items: The same content in other shapes (a PDF, an EPUB), each with its
            media type.
    """

    page_url: str | None = None
    history_url: str | None = None
    linkset_url: str | None = None
    formats: tuple[tuple[CitationFormat, str], ...] = ()
    items: tuple[tuple[str, str], ...] = ()


_NO_FILES = PageFiles()


def page_links(
    citation: Citation, files: PageFiles = _NO_FILES
) -> tuple[PageLink, ...]:
    """The links of a page that is a version of a work; unknown ones are left out."""
    work = citation.work
    before, after = work.neighbours(citation.version)
    targets = [
        ("cite-as", citation.link(citation.version.handle), None),
        ("latest-version", citation.link(work.handle), None),
        ("predecessor-version", citation.link(before), None),
        ("successor-version", citation.link(after), None),
        ("version-history", files.history_url, None),
        *(("author", creator.orcid_url, None) for creator in work.creators),
        ("license", work.license_url, None),
        ("type", f"{_SCHEMA}/{_TYPES[work.kind][0]}", None),
        # A page with its content in other files is a landing page as well.
        ("type", f"{_SCHEMA}/AboutPage" if files.items else None, None),
        *(("item", href, media_type) for href, media_type in files.items),
        *(("describedby", href, form.media_type) for form, href in files.formats),
        (_LINKSET, files.linkset_url, "application/linkset+json"),
    ]
    return tuple((rel, href, media_type) for rel, href, media_type in targets if href)


def page_metas(
    citation: Citation, files: PageFiles = _NO_FILES
) -> tuple[tuple[str, str], ...]:
    """The names and contents of ``meta`` elements; unknown ones are left out."""
    work = citation.work
    this = citation.version
    before, after = work.neighbours(this)
    date = this.date.isoformat() if this.date else None
    publisher_name = "citation_publisher"
    if work.kind is WorkKind.REPORT:
        publisher_name = "citation_technical_report_institution"
    _, dublin_core, zotero = _TYPES[work.kind]
    contents = [
        ("citation_title", work.title),
        *(
            pair
            for creator in work.creators
            for pair in (
                ("citation_author", _highwire_name(creator, work.creators)),
                ("citation_author_orcid", creator.orcid_url),
            )
        ),
        ("citation_publication_date", date and date.replace("-", "/")),
        (publisher_name, work.publisher),
        ("citation_doi", citation.doi),
        ("citation_language", work.language),
        ("citation_public_url", citation.url),
        *(("citation_pdf_url", url) for url in _pdf_urls(citation, files)),
        ("z:itemType", zotero),
        ("DC.title", work.title),
        *(("DC.creator", creator.sort_name) for creator in work.creators),
        ("DC.publisher", work.publisher),
        ("DC.date", date),
        ("DC.type", dublin_core),
        # The identifier without its proxy.
        ("DC.identifier", this.handle.uri() if this.handle else None),
        ("DC.language", work.language),
        ("DC.rights", work.license_url or work.license_name),
        ("DCTERMS.isVersionOf", citation.link(work.handle)),
        ("DCTERMS.replaces", citation.link(before)),
        ("DCTERMS.isReplacedBy", citation.link(after)),
    ]
    return tuple((name, content) for name, content in contents if content)


def json_ld_text(citation: Citation, files: PageFiles = _NO_FILES) -> str:
    """A version of a work in the words of schema.org, safe in a ``script`` element."""
    work = citation.work
    this = citation.version
    kind = _TYPES[work.kind][0]
    before, _ = work.neighbours(this)
    publisher = None
    if work.publisher is not None:
        publisher = {"@type": "Organization", "name": work.publisher}
    work_data = {
        "@type": kind,
        "@id": citation.link(work.handle),
        "name": work.title,
        "identifier": _identifier(citation, work.handle),
    }
    data = {
        "@context": _SCHEMA,
        "@type": kind,
        "@id": citation.url,
        "name": work.title,
        "version": this.label,
        "datePublished": this.date.isoformat() if this.date else None,
        "author": [_person(creator) for creator in work.creators] or None,
        "publisher": publisher,
        "identifier": _identifier(citation, this.handle),
        "url": files.page_url or citation.url,
        "license": work.license_url,
        "inLanguage": work.language,
        "isBasedOn": citation.link(before),
        "exampleOfWork": work_data if work.handle else None,
    }
    return safe_in_script(json.dumps(without_unknown(data), ensure_ascii=False))


def head_html(
    citation: Citation, files: PageFiles = _NO_FILES, own_head: str = ""
) -> str:
    """The links, names and contents, and JSON-LD as elements of a page's head.

    Args:
        citation: The citation of the page.
        files: The addresses of the page and the files beside it.
        own_head: What its author has put into the head. Names that have a content there
            get no other: Zotero would join the two.
    """
    own_names = {name.lower() for name in _NAME_OF_META.findall(own_head)}
    links = (
        _element("link", rel=rel, href=href, type=media_type)
        for rel, href, media_type in page_links(citation, files)
    )
    metas = (
        _element("meta", name=name, content=content)
        for name, content in page_metas(citation, files)
        if name.lower() not in own_names
    )
    json_ld = json_ld_text(citation, files)
    script = f'<script type="application/ld+json">{json_ld}</script>'
    return "\n".join([*links, *metas, script])


def linkset_text(pages: Mapping[str, tuple[PageLink, ...]]) -> str:
    """The links of a site's pages, by their addresses: ``application/linkset+json``.

    Pages are sorted by address: one site has one linkset.
    """
    contexts = []
    for url in sorted(pages):
        targets: dict[str, list[dict[str, object]]] = {}
        for rel, href, media_type in pages[url]:
            # The linkset is not a link of the pages that it describes.
            if rel != _LINKSET:
                target = without_unknown({"href": href, "type": media_type})
                targets.setdefault(rel, []).append(target)
        contexts.append({"anchor": url, **targets})
    return f"{json.dumps({_LINKSET: contexts}, ensure_ascii=False, indent=2)}\n"


def _element(tag: str, **attributes: str | None) -> str:
    given = without_unknown(attributes).items()
    written = (f'{name}="{escape(str(value))}"' for name, value in given)
    return f"<{tag} {' '.join(written)} />"


def _pdf_urls(citation: Citation, files: PageFiles) -> list[str]:
    """The PDF files of the version; Google Scholar takes absolute addresses only."""
    urls = [
        href
        for href, media_type in files.items
        if media_type == "application/pdf" and is_http_url(href)
    ]
    pdf = citation.version.pdf
    if pdf is not None and pdf not in urls:
        urls.append(pdf)
    return urls


def _highwire_name(creator: Name, creators: tuple[Name, ...]) -> str:
    # Zotero takes one name of the form "A B, C D" for two people's.
    parts = creator.sort_name.split(", ")[:2]
    is_divided = len(creators) == 1 and all(" " in part for part in parts)
    return creator.whole if is_divided else creator.sort_name


def _person(creator: Name) -> dict[str, object]:
    if not creator.family and not creator.orcid:
        # A body, or a person by one name: schema.org has no type for either.
        return {"@type": "Organization", "name": creator.name}
    return without_unknown(
        {
            "@type": "Person",
            "@id": creator.orcid_url,
            "name": creator.whole,
            "givenName": creator.given or None,
            "familyName": creator.family or None,
            "honorificSuffix": creator.suffix or None,
        }
    )


def _identifier(citation: Citation, handle: Handle | None) -> dict[str, object] | None:
    if handle is None:
        return None
    return {
        "@type": "PropertyValue",
        "propertyID": handle.scheme,
        "value": handle.uri(),
        "url": citation.link(handle),
    }
