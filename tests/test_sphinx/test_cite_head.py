"""Metadata of pages for machines, and the targets of the handles in it."""

import json
from collections.abc import Iterator
from contextlib import contextmanager
from functools import partial
from html.parser import HTMLParser
from http.server import SimpleHTTPRequestHandler, ThreadingHTTPServer
from pathlib import Path
from typing import Any
from urllib.parse import urljoin

import pytest

from tests.background import serving
from tests.test_sphinx.conftest import MakeProject, needs_sphinx_8_1
from tests.test_sphinx.project import Project

pytestmark = pytest.mark.slow

WORKS = """\
[[work]]
title = "Über <handles> & \\"DOIs\\"</script>"
creators = ["Carberry, Josiah <0000-0002-1825-0097>", "PILIN Project"]
publisher = "Monash University"
handle = "102.100.272/Y35XYS0QH"
kind = "report"
license = "CC-BY-SA-2.5"
language = "en"
[[work.version]]
label = "0.9"
date = 2007-05-25
handle = "cnri.test/日本"
[[work.version]]
label = "1.0"
date = 2007-06-26
handle = "102.100.272/0N8J991QH"
[[work.version]]
label = "2.0"
date = 2008-01-02
handle = "10.1000/a<b"
"""
INDEX = "Index\n=====\n\n.. toctree::\n   :glob:\n\n   **\n"
POLICY = """\
Policy
======

.. cite-version::
   :source: /works.toml
   :version: 1.0
   :history:
   :formats: bibtex cff
"""
OTHER = "Other\n=====\n"
TITLE = 'Über <handles> & "DOIs"</script>'


class Head(HTMLParser):
    """The links, names and JSON-LD of a page's head."""

    def __init__(self, page: str) -> None:
        super().__init__()
        self.links: list[tuple[str, str, str | None]] = []
        self.metas: list[tuple[str, str]] = []
        self.data: list[dict[str, object]] = []
        self._script: str | None = None
        self.feed(page)

    def handle_starttag(self, tag: str, attrs: list[tuple[str, str | None]]) -> None:
        values = dict(attrs)
        if tag == "link" and values["rel"] in RELATIONS:
            self.links.append(
                (values["rel"] or "", values["href"] or "", values.get("type"))
            )
        elif tag == "meta" and (values.get("name") or "").startswith(
            ("citation_", "DC", "z:")
        ):
            self.metas.append((values["name"] or "", values["content"] or ""))
        elif tag == "script" and values.get("type") == "application/ld+json":
            self._script = ""

    def handle_data(self, data: str) -> None:
        if self._script is not None:
            self._script += data

    def handle_endtag(self, tag: str) -> None:
        if tag == "script" and self._script is not None:
            self.data.append(json.loads(self._script))
            self._script = None


RELATIONS = {
    *("cite-as", "latest-version", "predecessor-version", "successor-version"),
    *("version-history", "author", "license", "type", "item", "describedby"),
    "linkset",
}


@pytest.fixture(scope="module")
def site(tmp_path_factory: pytest.TempPathFactory) -> Project:
    """Three pages, one of which is a version."""
    return Project(
        tmp_path_factory.mktemp("cite_head"),
        {
            "index.rst": INDEX,
            "guide/policy.rst": POLICY,
            "other.rst": OTHER,
            "works.toml": WORKS,
        },
        html_baseurl="https://example.org/docs",
        handle_linkset=True,
        # The "<" of its DOI is there to be escaped.
        handle_severity={"cut-off": "off"},
        epub_copyright="x",
        version="1",
    )


def test_metadata_of_the_author_stand_alone(project: MakeProject) -> None:
    """What the page says of itself wins: Zotero would join two contents of one name."""
    page = """\
Policy
======

.. meta::
   :citation_doi: 10.5555/own
   :citation_author: Own, "Jane" <x> name="citation_title"

.. cite-version::
   :title: Policy
   :creators: Doe, Jane; Roe, Richard
   :version: 1.0
   :handle: 10.5555/ours
"""
    head = Head(project({"index.rst": page}).build().page())

    metas = [pair for pair in head.metas if pair[0].startswith("citation_")]
    assert metas == [
        ("citation_doi", "10.5555/own"),
        ("citation_author", 'Own, "Jane" <x> name="citation_title"'),
        ("citation_title", "Policy"),
        ("citation_public_url", "https://doi.org/10.5555/ours"),
    ]


def test_head_of_a_version(site: Project) -> None:
    """Relations, metadata and JSON-LD describe their page; the linkset has the same links."""
    built = site.build()
    head = Head(built.page("guide/policy.html"))

    base = "https://example.org/docs"
    stem = f"{base}/guide/uber-handles-dois-script-1.0"
    assert head.links == [
        ("cite-as", "https://hdl.handle.net/102.100.272/0N8J991QH", None),
        ("latest-version", "https://hdl.handle.net/102.100.272/Y35XYS0QH", None),
        (
            "predecessor-version",
            "https://hdl.handle.net/cnri.test/%E6%97%A5%E6%9C%AC",
            None,
        ),
        ("successor-version", "https://doi.org/10.1000/a%3Cb", None),
        (
            "version-history",
            f"{base}/guide/policy.html#cite-uber-handles-dois-script",
            None,
        ),
        ("author", "https://orcid.org/0000-0002-1825-0097", None),
        ("license", "https://spdx.org/licenses/CC-BY-SA-2.5", None),
        ("type", "https://schema.org/Report", None),
        ("describedby", f"{stem}.bib", "application/x-bibtex"),
        ("describedby", f"{stem}.cff", "application/yaml"),
        ("linkset", f"{base}/linkset.json", "application/linkset+json"),
    ]
    assert head.metas == [
        ("citation_title", TITLE),
        ("citation_author", "Carberry, Josiah"),
        ("citation_author_orcid", "https://orcid.org/0000-0002-1825-0097"),
        ("citation_author", "PILIN Project"),
        ("citation_publication_date", "2007/06/26"),
        ("citation_technical_report_institution", "Monash University"),
        ("citation_language", "en"),
        ("citation_public_url", "https://hdl.handle.net/102.100.272/0N8J991QH"),
        ("z:itemType", "report"),
        ("DC.title", TITLE),
        ("DC.creator", "Carberry, Josiah"),
        ("DC.creator", "PILIN Project"),
        ("DC.publisher", "Monash University"),
        ("DC.date", "2007-06-26"),
        ("DC.type", "Text"),
        ("DC.identifier", "hdl:102.100.272/0N8J991QH"),
        ("DC.language", "en"),
        ("DC.rights", "https://spdx.org/licenses/CC-BY-SA-2.5"),
        ("DCTERMS.isVersionOf", "https://hdl.handle.net/102.100.272/Y35XYS0QH"),
        ("DCTERMS.replaces", "https://hdl.handle.net/cnri.test/%E6%97%A5%E6%9C%AC"),
        ("DCTERMS.isReplacedBy", "https://doi.org/10.1000/a%3Cb"),
    ]
    [data] = head.data
    assert data["name"] == TITLE
    assert data["url"] == f"{base}/guide/policy.html"
    assert data["@id"] == "https://hdl.handle.net/102.100.272/0N8J991QH"
    assert built.warnings == ""
    for name in ("index.html", "other.html", "genindex.html"):
        other = Head(built.page(name))
        assert (other.links, other.metas, other.data) == ([], [], [])

    [context] = json.loads(built.page("linkset.json"))["linkset"]
    assert context.pop("anchor") == f"{base}/guide/policy.html"
    assert [
        (rel, target["href"], target.get("type"))
        for rel, targets in context.items()
        for target in targets
    ] == [link for link in head.links if link[0] != "linkset"]


@pytest.mark.parametrize("builder", ["text", "latex", "epub"])
def test_only_the_web_has_it(site: Project, builder: str) -> None:
    """EPUB and plain text have neither metadata nor a linkset."""
    built = site.build(builder)

    assert not (built.out / "linkset.json").exists()
    if builder == "epub":
        assert Head(built.page("guide/policy.xhtml")).links == []


def test_site_without_versions_has_no_linkset(project: MakeProject) -> None:
    """An example adds no metadata to its page."""
    page = POLICY + "   :example:\n"
    built = project(
        {"index.rst": page, "works.toml": WORKS}, handle_linkset=True
    ).build()

    assert Head(built.page()).links == []
    assert not (built.out / "linkset.json").exists()


@pytest.mark.parametrize(
    ("builder", "page"),
    [
        ("html", "guide/policy.html"),
        ("dirhtml", "guide/policy/"),
        pytest.param("singlehtml", "index.html", marks=needs_sphinx_8_1),
    ],
)
def test_without_a_base_links_are_relative(
    project: MakeProject, builder: str, page: str
) -> None:
    """Each relative link leads to a file of the site."""
    policy = {"index.rst" if builder == "singlehtml" else "guide/policy.rst": POLICY}
    built = project(
        {"index.rst": INDEX, "works.toml": WORKS, **policy}, handle_linkset=True
    ).build(builder)
    name = f"{page}index.html" if page.endswith("/") else page

    def own(root: str, links: list[tuple[str, str, str | None]]) -> list[str]:
        found = [urljoin(root, href) for _, href, _ in links]
        return [href for href in found if href.startswith("https://site.example/")]

    site_root = "https://site.example/x/"
    in_head = own(f"{site_root}{page}", Head(built.page(name)).links)
    [context] = json.loads(built.page("linkset.json"))["linkset"]
    anchor = urljoin(f"{site_root}linkset.json", context.pop("anchor"))
    in_linkset = own(
        f"{site_root}linkset.json",
        [(rel, t["href"], None) for rel, targets in context.items() for t in targets],
    )

    assert anchor in {f"{site_root}{page}", site_root}
    files = [href.partition("#")[0].removeprefix(site_root) for href in in_head]
    assert [file for file in files if not (built.out / file).exists()] == []
    assert len(files) == 4
    assert {
        href.replace(f"{site_root}#", f"{site_root}{page}#") for href in in_linkset
    } == {href for href in in_head if not href.endswith("linkset.json")}


def test_items_are_on_the_root_page(project: MakeProject) -> None:
    """The root page has its items, with their addresses and types."""
    built = project(
        {"index.rst": POLICY, "works.toml": WORKS},
        html_baseurl="https://example.org/",
        handle_cite_items=[
            "policy.pdf",
            "https://example.com/policy.epub",
            "x.unknown",
        ],
    ).build()
    head = Head(built.page())

    assert [link for link in head.links if link[0] == "item"] == [
        ("item", "https://example.org/policy.pdf", "application/pdf"),
        ("item", "https://example.com/policy.epub", "application/epub+zip"),
        ("item", "https://example.org/x.unknown", "application/octet-stream"),
    ]
    assert ("type", "https://schema.org/AboutPage", None) in head.links
    assert ("citation_pdf_url", "https://example.org/policy.pdf") in head.metas


def test_build_of_one_page_keeps_the_links_of_all(project: MakeProject) -> None:
    """The linkset covers the site, whatever pages a build writes again."""
    made = project(
        {
            "index.rst": INDEX,
            "a.rst": POLICY,
            "b.rst": POLICY.replace("1.0", "2.0"),
            "works.toml": WORKS,
        },
        handle_linkset=True,
    )
    first = made.build().page("linkset.json")
    made.write({"a.rst": POLICY + "\nMore.\n"})
    assert made.build().page("linkset.json") == first

    (made.source / "b.rst").unlink()

    anchors = [each["anchor"] for each in json.loads(first)["linkset"]]
    assert anchors == ["a.html", "b.html"]
    left = json.loads(made.build().page("linkset.json"))["linkset"]
    assert [each["anchor"] for each in left] == ["a.html"]


@contextmanager
def served(folder: Path) -> Iterator[str]:
    """The address at which a folder is served, on this machine."""

    class Quiet(SimpleHTTPRequestHandler):
        def log_message(self, *_args: object) -> None:
            """Log nothing."""

    handler = partial(Quiet, directory=folder)
    with serving(ThreadingHTTPServer(("127.0.0.1", 0), handler)) as server:
        yield f"http://127.0.0.1:{server.server_port}/"


def test_signposting_client_reads_the_links_back(project: MakeProject) -> None:
    """A client of FAIR Signposting finds the handles, in head and linkset."""
    reason = "signposting, a client of FAIR Signposting, is not installed"
    signposting = pytest.importorskip("signposting", reason=reason)
    out = (
        project(
            {
                "index.rst": POLICY + "   :title: Policy\n",
                "other.rst": f":orphan:\n\n{OTHER}",
                "works.toml": WORKS,
            },
            handle_cite_items=["policy.pdf"],
            handle_linkset=True,
        )
        .build()
        .out
    )
    with served(out) as root:
        head = signposting.find_signposting_html(f"{root}index.html")
        linkset = signposting.find_signposting_linkset(f"{root}linkset.json")
        own = linkset.for_context(f"{root}index.html")

    for found in (head, own):
        assert found.citeAs.target == "https://hdl.handle.net/102.100.272/0N8J991QH"
        assert {each.target for each in found.authors} == {
            "https://orcid.org/0000-0002-1825-0097"
        }
        assert found.license.target == "https://spdx.org/licenses/CC-BY-SA-2.5"
        assert {each.target for each in found.types} == {
            "https://schema.org/Report",
            "https://schema.org/AboutPage",
        }
        assert {(each.target, each.type) for each in found.items} == {
            (f"{root}policy.pdf", "application/pdf")
        }
        assert {(each.target, each.type) for each in found.describedBy} == {
            (f"{root}policy-1.0.bib", "application/x-bibtex"),
            (f"{root}policy-1.0.cff", "application/yaml"),
        }
    assert {each.target for each in head.linksets} == {f"{root}linkset.json"}


BASE = "https://example.org/docs/"
ELSEWHERE = "https://example.org/elsewhere"
# By page: where the handles of its work and of its version lead; `None`: nowhere.
TARGETS = {
    "declared": (ELSEWHERE, ELSEWHERE),
    "folder": (f"{BASE}folder/", f"{BASE}folder/"),
    "right": (f"{BASE}right.html", f"{BASE}right.html"),
    "unknown": (f"{BASE}unknown.html", None),
    "repository": (f"{ELSEWHERE}/doi", f"{BASE}repository.html"),
    "version": (ELSEWHERE, ELSEWHERE),
    "work": (ELSEWHERE, f"{BASE}work.html"),
}


def version_target(name: str, target: str, suffix: str = ".html") -> str:
    """The warning of a version's handle that does not lead to its page."""
    page = f"{BASE}{name}{suffix}"
    return (
        f"{name}.rst:4: WARNING: the handle of version 2.0 leads to {target}, and not to "
        f"this page, {page}; have 20.1000/{name}-2 lead to {page} "
        "[handle.cite-version-target]"
    )


WORK_TARGET = (
    f"work.rst:4: WARNING: the work's handle leads to version 1.0, {ELSEWHERE}, and not to "
    f"the latest, 2.0; have 20.1000/work-w lead to {BASE}work.html "
    "[handle.cite-work-target]"
)
NOT_REGISTERED = (
    "unknown.rst:9: WARNING: 20.1000/unknown-2: this handle is not registered "
    "[handle.not-registered]"
)
ALWAYS = [NOT_REGISTERED, version_target("version", ELSEWHERE), WORK_TARGET]
IN_FOLDER = version_target("folder", f"{BASE}folder/")


def verified(folder: Path, files: dict[str, str], **settings: Any) -> Project:
    """A project that verifies at the records among its files."""
    return Project(
        folder,
        {"index.rst": INDEX, **files},
        handle_verify=True,
        handle_cache=False,
        handle_resolver="records.json",
        html_baseurl=BASE,
        **settings,
    )


@pytest.fixture(scope="module")
def targets(tmp_path_factory: pytest.TempPathFactory) -> Project:
    """A page for each pair of targets."""
    files, records = {}, {}
    for name, (work, version) in TARGETS.items():
        url = f"   :url: {ELSEWHERE}\n" if name == "declared" else ""
        older = f"   1.0 | 2020-01-01 | 20.1000/{name}-1\n" if name == "work" else ""
        files[f"{name}.rst"] = (
            f"Policy\n======\n\n.. cite-version::\n   :title: Policy\n"
            f"   :work: 20.1000/{name}-w\n   :version: 2.0\n{url}\n"
            f"{older}   2.0 | 2021-01-01 | 20.1000/{name}-2\n"
        )
        if older:
            records[f"20.1000/{name}-1"] = ELSEWHERE
        records[f"20.1000/{name}-w"] = work
        if version:
            records[f"20.1000/{name}-2"] = version
    files["records.json"] = json.dumps(records)
    return verified(tmp_path_factory.mktemp("targets"), files)


IN_FOLDERS = [
    version_target("repository", f"{BASE}repository.html", "/"),
    version_target("right", f"{BASE}right.html", "/"),
    version_target("version", ELSEWHERE, "/"),
    version_target("work", f"{BASE}work.html", "/"),
]


@pytest.mark.parametrize(
    ("builder", "base", "expected"),
    [
        ("html", BASE, [IN_FOLDER, *ALWAYS]),
        ("dirhtml", BASE, [NOT_REGISTERED, WORK_TARGET, *IN_FOLDERS]),
        # They do not know how the site names its pages.
        ("text", BASE, ALWAYS),
        ("handlecheck", BASE, ALWAYS),
        # Without an address no page is judged.
        ("html", "", [NOT_REGISTERED, WORK_TARGET]),
    ],
)
def test_handle_that_leads_elsewhere_is_reported(
    targets: Project, builder: str, base: str, expected: list[str]
) -> None:
    """The work's handle leads to no older version, a version's to its page."""
    warnings = targets.build(builder, html_baseurl=base).warnings

    assert sorted(warnings.splitlines()) == sorted(expected)


def test_pages_of_the_sites_work_are_parts_of_it(tmp_path: Path) -> None:
    """With a card on every page, the version's handle leads to the root page."""
    works = (
        '[[work]]\ntitle = "T"\nhandle = "20.1000/w"\n'
        '[[work.version]]\nlabel = "2.0"\nhandle = "20.1000/2"\n'
    )
    records = {"20.1000/w": ELSEWHERE, "20.1000/2": ELSEWHERE}
    files = {
        "policy.rst": OTHER,
        "works.toml": works,
        "records.json": json.dumps(records),
    }
    settings = {"handle_work": "works.toml", "handle_cite": "every"}

    assert verified(tmp_path, files, **settings).build().warnings == (
        f"index.rst: WARNING: the handle of version 2.0 leads to {ELSEWHERE}, and not to "
        f"this page, {BASE}index.html; have 20.1000/2 lead to {BASE}index.html "
        "[handle.cite-version-target]\n"
    )
