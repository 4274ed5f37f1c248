"""What is written of a work for machines: links, metas, JSON-LD, files that register it."""

import json
from dataclasses import replace

import pytest
from hypothesis import given
from hypothesis import strategies as st

from handle_system.citing.citation import Citation
from handle_system.citing.formats import CitationFormat
from handle_system.citing.metadata import (
    PageFiles,
    json_ld_text,
    linkset_text,
    page_links,
    page_metas,
)
from handle_system.citing.registration import (
    Alias,
    Registration,
    batch_file,
    plan,
    rest_text,
)
from handle_system.citing.style import Date
from handle_system.citing.work import Creator, Version, Work, WorkKind
from handle_system.handle import Handle
from handle_system.reference import HandleReference

VERSIONS = (
    Version(label="0.9", handle=Handle.parse("102.100.272/OLD")),
    Version(
        label="1.0",
        date=Date(2007, 6, 26),
        handle=Handle.parse("102.100.272/0N8J991QH"),
    ),
    Version(label="1.1", handle=Handle.parse("102.100.272/NEW")),
)
POLICY = Citation(
    work=Work(
        title="Handle Suffix Format Policy",
        creators=(
            Creator.person("Carberry", "Josiah", orcid="0000-0002-1825-0097"),
            Creator(name="PILIN Project"),
        ),
        publisher="Monash University",
        handle=Handle.parse("102.100.272/Y35XYS0QH"),
        # In no order: the metadata follow the order of the labels.
        versions=(VERSIONS[2], *VERSIONS[:2]),
        kind=WorkKind.REPORT,
        license="CC-BY-SA-4.0",
        language="en",
    ),
    version=VERSIONS[1],
)
DRAFT = Citation(work=Work(title="x"), version=Version(label="1"))
FILES = PageFiles(
    page_url="https://example.org/1.0/",
    history_url="#version-history",
    linkset_url="../linkset.json",
    formats=((CitationFormat.BIBTEX, "cite/policy.bib"),),
    items=(
        ("https://example.org/1.0/policy.pdf", "application/pdf"),
        ("policy.pdf", "application/pdf"),
    ),
)
LINE = st.text(st.characters(exclude_categories=["C", "Z"]), min_size=1)


def link(suffix: str) -> str:
    """The link of one of the handles."""
    return f"https://hdl.handle.net/102.100.272/{suffix}"


def test_links_of_a_version() -> None:
    """Every relation is there; `cite-as` is the version's, not the work's."""
    assert page_links(POLICY, FILES) == (
        ("cite-as", link("0N8J991QH"), None),
        ("latest-version", link("Y35XYS0QH"), None),
        ("predecessor-version", link("OLD"), None),
        ("successor-version", link("NEW"), None),
        ("version-history", "#version-history", None),
        ("author", "https://orcid.org/0000-0002-1825-0097", None),
        ("license", "https://spdx.org/licenses/CC-BY-SA-4.0", None),
        ("type", "https://schema.org/Report", None),
        ("type", "https://schema.org/AboutPage", None),
        ("item", "https://example.org/1.0/policy.pdf", "application/pdf"),
        ("item", "policy.pdf", "application/pdf"),
        ("describedby", "cite/policy.bib", "application/x-bibtex"),
        ("linkset", "../linkset.json", "application/linkset+json"),
    )


def test_metas_of_a_version() -> None:
    """The names of Highwire and Dublin Core are there, with the handle as a handle, and
    only absolute addresses of a PDF."""
    assert page_metas(POLICY, FILES) == (
        ("citation_title", "Handle Suffix Format Policy"),
        ("citation_author", "Carberry, Josiah"),
        ("citation_author_orcid", "https://orcid.org/0000-0002-1825-0097"),
        ("citation_author", "PILIN Project"),
        ("citation_publication_date", "2007/06/26"),
        ("citation_technical_report_institution", "Monash University"),
        ("citation_language", "en"),
        ("citation_public_url", link("0N8J991QH")),
        ("citation_pdf_url", "https://example.org/1.0/policy.pdf"),
        ("z:itemType", "report"),
        ("DC.title", "Handle Suffix Format Policy"),
        ("DC.creator", "Carberry, Josiah"),
        ("DC.creator", "PILIN Project"),
        ("DC.publisher", "Monash University"),
        ("DC.date", "2007-06-26"),
        ("DC.type", "Text"),
        ("DC.identifier", "hdl:102.100.272/0N8J991QH"),
        ("DC.language", "en"),
        ("DC.rights", "https://spdx.org/licenses/CC-BY-SA-4.0"),
        ("DCTERMS.isVersionOf", link("Y35XYS0QH")),
        ("DCTERMS.replaces", link("OLD")),
        ("DCTERMS.isReplacedBy", link("NEW")),
    )


def test_draft_says_only_what_is_known() -> None:
    """A version without a handle has no `cite-as` and no identifier."""
    assert page_links(DRAFT) == (("type", "https://schema.org/CreativeWork", None),)
    assert page_metas(DRAFT) == (
        ("citation_title", "x"),
        ("z:itemType", "document"),
        ("DC.title", "x"),
        ("DC.type", "Text"),
    )
    assert json.loads(json_ld_text(DRAFT)) == {
        "@context": "https://schema.org",
        "@type": "CreativeWork",
        "name": "x",
        "version": "1",
    }


def test_doi_is_named_as_one() -> None:
    """Only a DOI is a `citation_doi`, and it is one without its proxy."""
    version = Version(label="1", handle=Handle("10.1000", "a<b>"))
    doi = Citation(work=Work(title="x"), version=version)

    assert set(page_metas(doi)) - set(page_metas(DRAFT)) == {
        ("citation_doi", "10.1000/a<b>"),
        ("citation_public_url", "https://doi.org/10.1000/a%3Cb%3E"),
        ("DC.identifier", "doi:10.1000/a%3Cb%3E"),
    }
    assert json.loads(json_ld_text(doi))["identifier"]["propertyID"] == "doi"


@pytest.mark.parametrize(
    ("kind", "schema", "dublin_core", "zotero"),
    [
        ("document", "CreativeWork", "Text", "document"),
        ("manual", "TechArticle", "Text", "document"),
        ("report", "Report", "Text", "report"),
        ("software", "SoftwareSourceCode", "Software", "computerProgram"),
        ("dataset", "Dataset", "Dataset", "dataset"),
    ],
)
def test_every_kind_has_a_type(
    kind: str, schema: str, dublin_core: str, zotero: str
) -> None:
    """Without its type, Zotero takes any page with a title for a journal's article."""
    work = Work(title="x", kind=WorkKind(kind), publisher="P")
    made = Citation(work=work, version=Version(label="1"))

    assert page_links(made)[0][1] == f"https://schema.org/{schema}"
    assert ("DC.type", dublin_core) in page_metas(made)
    assert ("z:itemType", zotero) in page_metas(made)
    assert (("citation_publisher", "P") in page_metas(made)) is (kind != "report")


@pytest.mark.parametrize(
    ("creators", "names"),
    [
        (
            [Creator.person("García Márquez", "Gabriel José")],
            ["Gabriel José García Márquez"],
        ),
        ([Creator.person("García", "Gabriel José")], ["García, Gabriel José"]),
        (
            [Creator.person("García Márquez", "Gabriel José"), Creator(name="B")],
            ["García Márquez, Gabriel José", "B"],
        ),
    ],
    ids=["two words each", "one word", "not alone"],
)
def test_one_author_stays_one(creators: list[Creator], names: list[str]) -> None:
    """Zotero divides a name that stands alone at a comma between pairs of words."""
    work = Work(title="x", creators=tuple(creators))

    metas = page_metas(Citation(work=work, version=Version(label="1")))
    assert [content for name, content in metas if name == "citation_author"] == names


def test_json_ld_of_a_version() -> None:
    """A version is an example of its work, and based on the version before it."""
    assert json.loads(json_ld_text(POLICY, FILES)) == {
        "@context": "https://schema.org",
        "@type": "Report",
        "@id": link("0N8J991QH"),
        "name": "Handle Suffix Format Policy",
        "version": "1.0",
        "datePublished": "2007-06-26",
        "author": [
            {
                "@type": "Person",
                "@id": "https://orcid.org/0000-0002-1825-0097",
                "name": "Josiah Carberry",
                "givenName": "Josiah",
                "familyName": "Carberry",
            },
            {"@type": "Organization", "name": "PILIN Project"},
        ],
        "publisher": {"@type": "Organization", "name": "Monash University"},
        "identifier": {
            "@type": "PropertyValue",
            "propertyID": "hdl",
            "value": "hdl:102.100.272/0N8J991QH",
            "url": link("0N8J991QH"),
        },
        "url": "https://example.org/1.0/",
        "license": "https://spdx.org/licenses/CC-BY-SA-4.0",
        "inLanguage": "en",
        "isBasedOn": link("OLD"),
        "exampleOfWork": {
            "@type": "Report",
            "@id": link("Y35XYS0QH"),
            "name": "Handle Suffix Format Policy",
            "identifier": {
                "@type": "PropertyValue",
                "propertyID": "hdl",
                "value": "hdl:102.100.272/Y35XYS0QH",
                "url": link("Y35XYS0QH"),
            },
        },
    }


@given(LINE, LINE)
def test_json_ld_cannot_leave_its_script(title: str, suffix: str) -> None:
    """Whatever a work is called, its text ends no element, and says the same."""
    hostile = f"{title}</script><!--"
    handle = Handle("1234", f"{suffix}<")
    made = json_ld_text(
        Citation(work=Work(title=hostile), version=Version(label="1", handle=handle))
    )

    assert not {"<", ">", "&", "\n", "\u2028"} & set(made)
    assert json.loads(made)["name"] == hostile


def test_json_ld_expands() -> None:
    """A JSON-LD processor reads it, with the context's words in place of the web."""
    jsonld = pytest.importorskip("pyld.jsonld")
    data = json.loads(json_ld_text(POLICY))
    data["@context"] = {"@vocab": "https://schema.org/"}

    (expanded,) = jsonld.expand(data)
    assert expanded["@id"] == link("0N8J991QH")
    assert expanded["@type"] == ["https://schema.org/Report"]
    (identifier,) = expanded["https://schema.org/identifier"]
    value = "hdl:102.100.272/0N8J991QH"
    assert identifier["https://schema.org/value"] == [{"@value": value}]


def test_linkset_has_the_pages_by_their_addresses() -> None:
    """One set for a site, in one order, without the links to itself."""
    files = PageFiles(linkset_url="https://e.org/linkset.json")
    pages = {
        "https://e.org/b/": page_links(POLICY, files),
        "https://e.org/a/": page_links(DRAFT, FILES),
    }
    a, b = json.loads(linkset_text(pages))["linkset"]

    assert linkset_text(dict(reversed(pages.items()))) == linkset_text(pages)
    assert a == {
        "anchor": "https://e.org/a/",
        "version-history": [{"href": "#version-history"}],
        "type": [
            {"href": "https://schema.org/CreativeWork"},
            {"href": "https://schema.org/AboutPage"},
        ],
        "item": [
            {"href": "https://example.org/1.0/policy.pdf", "type": "application/pdf"},
            {"href": "policy.pdf", "type": "application/pdf"},
        ],
        "describedby": [{"href": "cite/policy.bib", "type": "application/x-bibtex"}],
    }
    assert b["anchor"] == "https://e.org/b/"
    assert b["cite-as"] == [{"href": link("0N8J991QH")}]
    assert "linkset" not in b


FIRST = Registration(Handle.parse("102.100.272/0N8J991QH"), "https://example.org/1.0/")
WHOLE = Registration(Handle.parse("102.100.272/Y35XYS0QH"), "https://example.org/")


def test_plan_follows_the_work() -> None:
    """Versions lead to their pages, and the work to the latest one's, or to an address
    of its own; each handle without a registration has a sentence that says why."""
    versions = (
        Version(label="1.0", handle=FIRST.handle, url=FIRST.url),
        Version(label="2.0", url="https://example.org/2.0/"),
        Version(label="3", handle=Handle("10.1000", "5"), url="https://e.org/"),
        Version(label="4", handle=Handle("1234", "5")),
    )
    work = Work(title="Policy", handle=WHOLE.handle, versions=versions[:2])
    own = Work(title="Policy", handle=WHOLE.handle, url=WHOLE.url)
    rest = Work(title="Policy", versions=versions[2:])

    assert plan(work) == (
        [FIRST, Registration(WHOLE.handle, FIRST.url)],
        ["version 2.0: it has no handle yet"],
    )
    assert plan(own) == ([WHOLE], [])
    assert plan(rest) == (
        [],
        [
            "version 3: the agency of the DOI 10.1000/5 registers it",
            "version 4: no url says where it is published",
            "the work: it has no handle yet",
        ],
    )


def test_batch_file_creates_and_modifies() -> None:
    """New handles get an administrator; known ones a new address only."""
    assert batch_file([FIRST, WHOLE], registered=[WHOLE.handle]) == (
        "CREATE 102.100.272/0N8J991QH\n"
        "100 HS_ADMIN 86400 1110 ADMIN 200:110011111111:0.NA/102.100.272\n"
        "1 URL 86400 1110 UTF8 https://example.org/1.0/\n"
        "\n"
        "MODIFY 102.100.272/Y35XYS0QH\n"
        "1 URL 86400 1110 UTF8 https://example.org/\n"
        "\n"
    )


@pytest.mark.parametrize(
    ("handle", "administrator"),
    [
        (Handle("1234", "a b"), None),
        (Handle("1234", "5"), HandleReference(handle=Handle("0.NA", "a b"))),
    ],
)
def test_handle_that_a_batch_file_cannot_hold(
    handle: Handle, administrator: HandleReference | None
) -> None:
    """White space would make another handle or another command: it is an error."""
    with pytest.raises(ValueError) as caught:
        batch_file([Registration(handle, "https://example.org/")], administrator)

    wrong = administrator.handle if administrator else handle
    assert str(caught.value) == (
        f"{str(wrong)!r} holds white space, and a batch file cannot name it"
    )


def test_the_administrator_may_the_same_in_both_forms() -> None:
    """The JSON interface writes the permissions from their other end.

    All twelve are granted but those of derived prefixes, as CNRI's tools do.
    """
    (request,) = json.loads(rest_text([FIRST]))
    _, admin = request["body"]["values"]

    assert admin["data"]["value"]["permissions"] == "111111110011"
    assert " ADMIN 200:110011111111:0.NA/102.100.272\n" in batch_file([FIRST])


def test_an_alias_is_registered_like_an_address() -> None:
    """An alias is a value of its own type; its target may hold no white space either."""
    alias = Alias(Handle("102.100.272", "policy"), FIRST.handle)
    (created,) = json.loads(rest_text([alias]))

    assert batch_file([alias], registered=[alias.handle]) == (
        "MODIFY 102.100.272/policy\n"
        "1 HS_ALIAS 86400 1110 UTF8 102.100.272/0N8J991QH\n\n"
    )
    assert created["body"]["values"][0] == {
        "index": 1,
        "type": "HS_ALIAS",
        "data": {"format": "string", "value": "102.100.272/0N8J991QH"},
        "ttl": 86400,
    }
    with pytest.raises(ValueError, match=r"^'1/a b' holds white space"):
        batch_file([Alias(alias.handle, Handle("1", "a b"))])


def test_requests_create_and_modify() -> None:
    """A new handle is not written over; a known one has one value replaced."""
    odd = Registration(Handle("1234", "a b?c"), "https://example.org/")
    administrator = HandleReference.parse("300:1234/admins")

    created, changed = json.loads(
        rest_text([odd, WHOLE], administrator, registered=[WHOLE.handle])
    )

    url = {
        "index": 1,
        "type": "URL",
        "data": {"format": "string", "value": "https://example.org/"},
        "ttl": 86400,
    }
    admin = {"handle": "1234/admins", "index": 300, "permissions": "111111110011"}
    assert created == {
        "method": "PUT",
        "path": "/api/handles/1234/a%20b%3Fc?overwrite=false",
        "body": {
            "values": [
                url,
                {
                    "index": 100,
                    "type": "HS_ADMIN",
                    "data": {"format": "admin", "value": admin},
                    "ttl": 86400,
                },
            ]
        },
    }
    assert changed == {
        "method": "PUT",
        "path": "/api/handles/102.100.272/Y35XYS0QH?index=1",
        "body": {"values": [url]},
    }


def test_pdf_of_a_version_is_named_once() -> None:
    """The version may name the PDF that a site names as well, or another one."""
    for pdf, urls in (
        (FILES.items[0][0], [FILES.items[0][0]]),
        ("https://e.org/1.pdf", [FILES.items[0][0], "https://e.org/1.pdf"]),
    ):
        cited = replace(POLICY, version=replace(POLICY.version, pdf=pdf))
        metas = page_metas(cited, FILES)
        assert [text for name, text in metas if name == "citation_pdf_url"] == urls


def test_licence_without_an_address() -> None:
    """It stands in `DC.rights` as text, and in nothing that needs an address."""
    cited = replace(POLICY, work=replace(POLICY.work, license="House-Rules"))

    assert ("DC.rights", "House-Rules") in page_metas(cited)
    assert "license" not in {relation for relation, _, _ in page_links(cited)}
    assert "license" not in json.loads(json_ld_text(cited))
    assert "license" not in CitationFormat.CFF.export(cited)
