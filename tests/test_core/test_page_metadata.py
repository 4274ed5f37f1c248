"""`handle_system.citing.page_metadata`: what a page says to machines."""

import datetime as dt

import pytest

from handle_system.citing.cited import Cited
from handle_system.citing.formats import CitationFormat
from handle_system.citing.page_metadata import (
    LinkedFile,
    Meta,
    PageFiles,
    PageLink,
    page_metadata,
)
from handle_system.citing.work import Creator, Version, Work, WorkKind
from handle_system.handle import Handle

VERSIONS = (
    Version(label="0.9", handle=Handle.parse("102.100.272/OLD")),
    Version(
        label="1.0",
        date=dt.date(2007, 6, 26),
        handle=Handle.parse("102.100.272/0N8J991QH"),
    ),
    Version(label="1.1", handle=Handle.parse("102.100.272/NEW")),
)
WORK = Work(
    title="Handle Suffix Format Policy",
    creators=(
        Creator.person("Carberry", "Josiah", orcid="0000-0002-1825-0097"),
        Creator(name="PILIN Project"),
    ),
    publisher="Monash University",
    handle=Handle.parse("102.100.272/Y35XYS0QH"),
    versions=VERSIONS,
    kind=WorkKind.REPORT,
    license="CC-BY-SA-4.0",
    language="en",
)
FILES = PageFiles(
    page_url="https://example.org/1.0/",
    history_url="#version-history",
    linkset_url="../linkset.json",
    formats=((CitationFormat.BIBTEX, "cite/policy.bib"),),
    items=(
        LinkedFile("https://example.org/1.0/policy.pdf", "application/pdf"),
        LinkedFile("policy.epub", "application/epub+zip"),
    ),
)


def link(suffix: str) -> str:
    """The link of one of the handles."""
    return f"https://hdl.handle.net/102.100.272/{suffix}"


def test_links_of_a_version_with_everything() -> None:
    """Every relation is there, and `cite-as` is the version's, not the work's."""
    links = page_metadata(Cited(work=WORK, version=VERSIONS[1]), FILES).links

    assert links == (
        PageLink(rel="cite-as", href=link("0N8J991QH")),
        PageLink(rel="latest-version", href=link("Y35XYS0QH")),
        PageLink(rel="predecessor-version", href=link("OLD")),
        PageLink(rel="successor-version", href=link("NEW")),
        PageLink(rel="version-history", href="#version-history"),
        PageLink(rel="author", href="https://orcid.org/0000-0002-1825-0097"),
        PageLink(rel="license", href="https://spdx.org/licenses/CC-BY-SA-4.0"),
        PageLink(rel="type", href="https://schema.org/Report"),
        PageLink(rel="type", href="https://schema.org/AboutPage"),
        PageLink(
            rel="item",
            href="https://example.org/1.0/policy.pdf",
            type="application/pdf",
        ),
        PageLink(rel="item", href="policy.epub", type="application/epub+zip"),
        PageLink(
            rel="describedby", href="cite/policy.bib", type="application/x-bibtex"
        ),
        PageLink(
            rel="linkset", href="../linkset.json", type="application/linkset+json"
        ),
    )


def test_metadata_of_a_version_with_everything() -> None:
    """Highwire's and Dublin Core's names are there, with the handle as a handle."""
    metas = page_metadata(Cited(work=WORK, version=VERSIONS[1]), FILES).metas

    assert metas == (
        Meta("citation_title", "Handle Suffix Format Policy"),
        Meta("citation_author", "Carberry, Josiah"),
        Meta("citation_author_orcid", "https://orcid.org/0000-0002-1825-0097"),
        Meta("citation_author", "PILIN Project"),
        Meta("citation_publication_date", "2007/06/26"),
        Meta("citation_technical_report_institution", "Monash University"),
        Meta("citation_language", "en"),
        Meta("citation_public_url", link("0N8J991QH")),
        Meta("citation_pdf_url", "https://example.org/1.0/policy.pdf"),
        Meta("z:itemType", "report"),
        Meta("DC.title", "Handle Suffix Format Policy"),
        Meta("DC.creator", "Carberry, Josiah"),
        Meta("DC.creator", "PILIN Project"),
        Meta("DC.publisher", "Monash University"),
        Meta("DC.date", "2007-06-26"),
        Meta("DC.type", "Text"),
        Meta("DC.identifier", "hdl:102.100.272/0N8J991QH"),
        Meta("DC.language", "en"),
        Meta("DC.rights", "https://spdx.org/licenses/CC-BY-SA-4.0"),
        Meta("DCTERMS.isVersionOf", link("Y35XYS0QH")),
        Meta("DCTERMS.replaces", link("OLD")),
        Meta("DCTERMS.isReplacedBy", link("NEW")),
    )


def test_version_of_which_little_is_known() -> None:
    """What is not known is not said: a draft has no `cite-as` at all."""
    draft = Version(label="2.0")
    work = Work(title="Policy", handle=Handle("1234", "work"), versions=(draft,))

    page = page_metadata(Cited(work=work, version=draft))

    assert page.links == (
        PageLink(rel="latest-version", href="https://hdl.handle.net/1234/work"),
        PageLink(rel="type", href="https://schema.org/CreativeWork"),
    )
    assert page.metas == (
        Meta("citation_title", "Policy"),
        Meta("z:itemType", "document"),
        Meta("DC.title", "Policy"),
        Meta("DC.type", "Text"),
        Meta("DCTERMS.isVersionOf", "https://hdl.handle.net/1234/work"),
    )


def test_doi_is_named_as_one() -> None:
    """Only a DOI is a `citation_doi`, and it is one without its proxy."""
    version = Version(label="1", handle=Handle("10.1000", "a<b>"))

    metas = page_metadata(Cited(work=Work(title="x"), version=version)).metas

    assert Meta("citation_doi", "10.1000/a<b>") in metas
    assert Meta("DC.identifier", "doi:10.1000/a%3Cb%3E") in metas
    assert Meta("citation_public_url", "https://doi.org/10.1000/a%3Cb%3E") in metas


@pytest.mark.parametrize("kind", WorkKind)
def test_every_kind_has_a_type(kind: WorkKind) -> None:
    """Every kind of work is something at schema.org, with its own publisher's name."""
    work = Work(title="x", kind=kind, publisher="P")

    page = page_metadata(Cited(work=work, version=Version(label="1")))

    (link_of_type,) = (link for link in page.links if link.rel == "type")
    assert link_of_type.href.startswith("https://schema.org/")
    is_report = kind is WorkKind.REPORT
    assert (Meta("citation_publisher", "P") in page.metas) is not is_report


@pytest.mark.parametrize(
    ("kind", "zotero", "dublin_core"),
    [
        (WorkKind.DOCUMENT, "document", "Text"),
        (WorkKind.MANUAL, "document", "Text"),
        (WorkKind.REPORT, "report", "Text"),
        (WorkKind.SOFTWARE, "computerProgram", "Software"),
        (WorkKind.DATASET, "dataset", "Dataset"),
    ],
)
def test_kind_is_not_left_to_be_guessed(
    kind: WorkKind, zotero: str, dublin_core: str
) -> None:
    """Zotero would take anything with a title for an article in a journal."""
    cited = Cited(work=Work(title="x", kind=kind), version=Version(label="1"))

    metas = page_metadata(cited).metas

    assert Meta("z:itemType", zotero) in metas
    assert Meta("DC.type", dublin_core) in metas


def test_address_of_a_pdf_is_absolute_or_not_given() -> None:
    """Google Scholar makes nothing of a relative one; Signposting does."""
    cited = Cited(work=Work(title="x"), version=Version(label="1"))
    files = PageFiles(items=(LinkedFile("x.pdf", "application/pdf"),))

    page = page_metadata(cited, files)

    assert "citation_pdf_url" not in {meta.name for meta in page.metas}
    assert PageLink(rel="item", href="x.pdf", type="application/pdf") in page.links


@pytest.mark.parametrize(
    ("creators", "names"),
    [
        (
            [Creator.person("García Márquez", "Gabriel José")],
            ["Gabriel José García Márquez"],
        ),
        ([Creator.person("García", "Gabriel José")], ["García, Gabriel José"]),
        ([Creator(name="PILIN Project")], ["PILIN Project"]),
        (
            [Creator.person("García Márquez", "Gabriel José"), Creator(name="B")],
            ["García Márquez, Gabriel José", "B"],
        ),
    ],
    ids=["two words each", "one word", "body", "not alone"],
)
def test_one_author_stays_one(creators: list[Creator], names: list[str]) -> None:
    """Zotero divides a name that stands alone at a comma between pairs of words."""
    work = Work(title="x", creators=tuple(creators))

    metas = page_metadata(Cited(work=work, version=Version(label="1"))).metas

    assert [meta.content for meta in metas if meta.name == "citation_author"] == names
