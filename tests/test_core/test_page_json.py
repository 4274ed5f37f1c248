"""`handle_system.citing.page_json`: JSON-LD and the linkset."""

import datetime as dt
import json
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from handle_system.citing.cited import Cited
from handle_system.citing.page_json import json_ld, json_ld_text, linkset, linkset_text
from handle_system.citing.page_metadata import LinkedFile, PageFiles, page_metadata
from handle_system.citing.work import Creator, Version, Work, WorkKind
from handle_system.handle import Handle

OLD = Version(label="0.9", handle=Handle.parse("102.100.272/OLD"))
FIRST = Version(
    label="1.0", date=dt.date(2007, 6, 26), handle=Handle.parse("102.100.272/0N8J991QH")
)
WORK = Work(
    title="Handle Suffix Format Policy",
    creators=(
        Creator.person("Carberry", "Josiah", orcid="0000-0002-1825-0097"),
        Creator(name="PILIN Project"),
    ),
    publisher="Monash University",
    handle=Handle.parse("102.100.272/Y35XYS0QH"),
    versions=(OLD, FIRST),
    kind=WorkKind.REPORT,
    license="CC-BY-SA-4.0",
    language="en",
)
CITED = Cited(work=WORK, version=FIRST)
LINE = st.text(st.characters(exclude_categories=["C", "Z"]), min_size=1)


def test_version_in_the_words_of_schema_org() -> None:
    """A version is an example of its work, and based on the one before."""
    assert json_ld(CITED, PageFiles(page_url="https://example.org/1.0/")) == {
        "@context": "https://schema.org",
        "@type": "Report",
        "@id": "https://hdl.handle.net/102.100.272/0N8J991QH",
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
            "url": "https://hdl.handle.net/102.100.272/0N8J991QH",
        },
        "url": "https://example.org/1.0/",
        "license": "https://spdx.org/licenses/CC-BY-SA-4.0",
        "inLanguage": "en",
        "isBasedOn": "https://hdl.handle.net/102.100.272/OLD",
        "exampleOfWork": {
            "@type": "Report",
            "@id": "https://hdl.handle.net/102.100.272/Y35XYS0QH",
            "name": "Handle Suffix Format Policy",
            "identifier": {
                "@type": "PropertyValue",
                "propertyID": "hdl",
                "value": "hdl:102.100.272/Y35XYS0QH",
                "url": "https://hdl.handle.net/102.100.272/Y35XYS0QH",
            },
        },
    }


def test_version_of_which_little_is_known() -> None:
    """What is not known is not said, and a DOI is called one."""
    draft = Cited(work=Work(title="x"), version=Version(label="1"))
    doi = Cited(
        work=Work(title="x", creators=(Creator.person("Plato"),)),
        version=Version(label="1", handle=Handle("10.1000", "5")),
    )

    assert json_ld(draft) == {
        "@context": "https://schema.org",
        "@type": "CreativeWork",
        "name": "x",
        "version": "1",
    }
    read: Any = json_ld(doi)
    assert read["identifier"]["propertyID"] == "doi"
    assert read["identifier"]["value"] == "doi:10.1000/5"
    assert read["author"] == [
        {"@type": "Person", "name": "Plato", "familyName": "Plato"}
    ]


@given(LINE, LINE)
def test_text_cannot_leave_its_script(title: str, suffix: str) -> None:
    """Whatever a work is called, its text ends no element, and says the same."""
    cited = Cited(
        work=Work(title=f"{title}</script><!--"),
        version=Version(label=title, handle=Handle("1234", f"{suffix}<")),
    )

    text = json_ld_text(cited)

    assert not {"<", ">", "&", "\n"} & set(text)
    assert json.loads(text) == json_ld(cited)


def test_json_ld_expands() -> None:
    """A JSON-LD processor takes it, with the context's words in place of the web."""
    jsonld = pytest.importorskip("pyld.jsonld")
    data = json_ld(CITED)
    data["@context"] = {"@vocab": "https://schema.org/"}

    (expanded,) = jsonld.expand(data)

    assert expanded["@id"] == "https://hdl.handle.net/102.100.272/0N8J991QH"
    assert expanded["@type"] == ["https://schema.org/Report"]
    (identifier,) = expanded["https://schema.org/identifier"]
    assert identifier["https://schema.org/value"] == [
        {"@value": "hdl:102.100.272/0N8J991QH"}
    ]


def test_linkset_has_the_pages_by_their_addresses() -> None:
    """One set for a site, in one order, without the links to itself."""
    files = PageFiles(
        linkset_url="https://example.org/linkset.json",
        items=(LinkedFile("https://example.org/a.pdf", "application/pdf"),),
    )
    pages = {
        "https://example.org/b/": page_metadata(CITED, files),
        "https://example.org/a/": page_metadata(
            Cited(work=Work(title="x"), version=Version(label="1")), files
        ),
    }
    item = {"href": "https://example.org/a.pdf", "type": "application/pdf"}
    about = {"href": "https://schema.org/AboutPage"}

    made = linkset(pages)

    assert made == {
        "linkset": [
            {
                "anchor": "https://example.org/a/",
                "type": [{"href": "https://schema.org/CreativeWork"}, about],
                "item": [item],
            },
            {
                "anchor": "https://example.org/b/",
                "cite-as": [{"href": "https://hdl.handle.net/102.100.272/0N8J991QH"}],
                "latest-version": [
                    {"href": "https://hdl.handle.net/102.100.272/Y35XYS0QH"}
                ],
                "predecessor-version": [
                    {"href": "https://hdl.handle.net/102.100.272/OLD"}
                ],
                "author": [{"href": "https://orcid.org/0000-0002-1825-0097"}],
                "license": [{"href": "https://spdx.org/licenses/CC-BY-SA-4.0"}],
                "type": [{"href": "https://schema.org/Report"}, about],
                "item": [item],
            },
        ]
    }
    assert json.loads(linkset_text(pages)) == made
    assert linkset_text(dict(reversed(pages.items()))) == linkset_text(pages)
