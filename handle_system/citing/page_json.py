"""What a page, and a site, say to machines in JSON.

JSON-LD in the words of schema.org, for search engines: a page is a version, an
example of a work.  And the site's ``linkset.json`` (RFC 9264): the links of all
its pages in one place, for whoever does not read HTML.
"""

import json
from collections.abc import Mapping

from handle_system.citing.cited import Cited
from handle_system.citing.page_metadata import SCHEMA_TYPES, PageFiles, PageMetadata
from handle_system.citing.work import Creator
from handle_system.handle import Handle
from handle_system.reference import HandleReference

__all__ = ["json_ld", "json_ld_text", "linkset", "linkset_text"]

# In an element of HTML, "</script>" would end it wherever it stands, and "<!--"
# would hide what follows. JSON can write the same characters as escapes.
_SCRIPT_SAFE = str.maketrans(
    {
        "<": "\\u003C",
        ">": "\\u003E",
        "&": "\\u0026",
        "\u2028": "\\u2028",
        "\u2029": "\\u2029",
    }
)


def json_ld(cited: Cited, files: PageFiles | None = None) -> dict[str, object]:
    """A version of a work in the words of schema.org, as plain data."""
    work, version = cited.work, cited.version
    kind = SCHEMA_TYPES[work.kind]
    before = work.before(version)
    page_url = files.page_url if files else None
    publisher = {"@type": "Organization", "name": work.publisher}
    data: dict[str, object | None] = {
        "@context": "https://schema.org",
        "@type": kind,
        "@id": cited.url,
        "name": work.title,
        "version": version.label,
        "datePublished": version.date.isoformat() if version.date else None,
        "author": [_person(creator) for creator in work.creators] or None,
        "publisher": publisher if work.publisher else None,
        "identifier": _identifier(cited, cited.handle),
        "url": page_url or cited.url,
        "license": work.license_url,
        "inLanguage": work.language,
        "isBasedOn": cited.proxies.link(before.handle)
        if before and before.handle
        else None,
        "exampleOfWork": None,
    }
    if work.handle is not None:
        data["exampleOfWork"] = {
            "@type": kind,
            "@id": cited.proxies.link(work.handle),
            "name": work.title,
            "identifier": _identifier(cited, work.handle),
        }
    return {name: value for name, value in data.items() if value is not None}


def json_ld_text(cited: Cited, files: PageFiles | None = None) -> str:
    """The same as text that can stand in a ``script`` element as it is."""
    return json.dumps(json_ld(cited, files), ensure_ascii=False).translate(_SCRIPT_SAFE)


def linkset(pages: Mapping[str, PageMetadata]) -> dict[str, object]:
    """The links of a site's pages, by their addresses, as plain data (RFC 9264).

    Pages are sorted by address, so that one site has one linkset, in whatever
    order its pages were built.
    """
    return {"linkset": [_context(url, pages[url]) for url in sorted(pages)]}


def linkset_text(pages: Mapping[str, PageMetadata]) -> str:
    """The same as the text of a file, ``application/linkset+json``."""
    return f"{json.dumps(linkset(pages), ensure_ascii=False, indent=2)}\n"


def _context(url: str, page: PageMetadata) -> dict[str, object]:
    targets: dict[str, list[dict[str, str]]] = {}
    for link in page.links:
        # The linkset is not a link of what it describes.
        if link.rel != "linkset":
            target = {"href": link.href}
            if link.type is not None:
                target["type"] = link.type
            targets.setdefault(link.rel, []).append(target)
    return {"anchor": url, **targets}


def _person(creator: Creator) -> dict[str, object]:
    if creator.family is None and creator.orcid is None:
        # A body, or a person by one name: schema.org has no type for "either".
        return {"@type": "Organization", "name": creator.name}
    data = {
        "@type": "Person",
        "@id": creator.orcid_url,
        "name": creator.name,
        "givenName": creator.given,
        "familyName": creator.family,
    }
    return {name: value for name, value in data.items() if value is not None}


def _identifier(cited: Cited, handle: Handle | None) -> dict[str, str] | None:
    if handle is None:
        return None
    return {
        "@type": "PropertyValue",
        "propertyID": "doi" if handle.is_doi else "hdl",
        "value": HandleReference(handle=handle).uri(),
        "url": cited.proxies.link(handle),
    }
