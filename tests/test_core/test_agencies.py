"""`handle_system.describing.agencies`: two requests a DOI, and no landing page."""

import datetime as dt
from collections.abc import Iterator
from contextlib import ExitStack
from dataclasses import dataclass, replace
from typing import Any

import pytest

from handle_system.describing.agencies import Agencies
from handle_system.describing.answers import Described, Description, NoMetadata
from handle_system.describing.described_work import DescribedWork
from handle_system.describing.services import AGENCIES, CROSSREF, DATACITE, Agency
from handle_system.describing.states import State
from handle_system.describing.updates import Update
from handle_system.handle import Handle
from handle_system.resolving import HttpSettings
from handle_system.resolving.gate import Gate, RateLimit
from handle_system.resolving.outcomes import NotRegistered, Unreachable
from tests.agency_server import (
    CSL_JSON,
    AgencyServer,
    Reply,
    as_csl,
    redirect,
    running_agency,
)
from tests.background import FakeClock, nobody_at

pytestmark = pytest.mark.slow

DOI = Handle.parse("10.5555/Urns")
ARTICLE = {
    "DOI": "10.5555/urns",
    "type": "journal-article",
    "title": ["On tea urns"],
    "author": [{"family": "Carberry", "given": "Josiah", "sequence": "first"}],
    "issued": {"date-parts": [[2021, 4]]},
    "container-title": ["Journal of Psychoceramics"],
}
ITEM = {
    "id": "doi:10.5555/Urns",
    "type": "article-journal",
    "title": "On tea urns",
    "author": [{"family": "Carberry", "given": "Josiah"}],
    "issued": {"date-parts": [[2021, 4]]},
    "container-title": "Journal of Psychoceramics",
    "DOI": "10.5555/Urns",
}
UNLIMITED = RateLimit(tries=2)


@dataclass
class World:
    """The servers of a test, each of which plays one host."""

    resolver: AgencyServer
    crossref: AgencyServer
    datacite: AgencyServer
    jalc: AgencyServer
    publisher: AgencyServer

    def describe(self, handle: Handle = DOI, **options: Any) -> Description:
        """Ask for a DOI as if the resolver were doi.org."""
        with self.agencies(**options) as agencies:
            return agencies.describe(handle)

    def agencies(self, **options: Any) -> Agencies:
        """The agencies of these servers, without limits of their rates."""
        known = {
            self.crossref.origin: replace(
                AGENCIES["https://api.crossref.org"],
                interface=f"{self.crossref.url}works/",
            ),
            self.datacite.origin: replace(
                AGENCIES["https://api.datacite.org"],
                interface=f"{self.datacite.url}dois/",
            ),
            self.jalc.origin: AGENCIES["https://japanlinkcenter.org"],
        }
        return Agencies(
            self.resolver.url,
            agencies=known,
            today=lambda: dt.date(2026, 11, 23),
            make_gate=lambda _limit: Gate(UNLIMITED),
            **options,
        )

    @property
    def requests(self) -> int:
        """How many requests all servers got."""
        servers = (self.resolver, self.crossref, self.datacite, self.jalc)
        return sum(len(server.requests) for server in servers)


@pytest.fixture
def world() -> Iterator[World]:
    with ExitStack() as stack:
        yield World(*(stack.enter_context(running_agency()) for _ in range(5)))


def test_crossref(world: World) -> None:
    """Crossref is asked at its REST interface, which has the updates."""
    update = {
        "DOI": "10.5555/R",
        "type": "retraction",
        "source": "retraction-watch",
        "updated": {"date-parts": [[2022, 2, 6]]},
    }
    world.resolver.answer(str(DOI), redirect(f"{world.crossref.url}transform"))
    message = {"status": "ok", "message": {**ARTICLE, "updated-by": [update]}}
    world.crossref.answer(f"works/{DOI}", as_csl(message, "application/json"))

    custom = {
        "agency": "Crossref",
        "asked": "2026-11-23",
        "updates": [{"state": "retracted", "by": "10.5555/r", "date": "2022-02-06"}],
    }
    assert world.describe() == Described({**ITEM, "custom": custom})
    assert world.requests == 2
    assert world.crossref.headers_seen[0]["Accept"] == "application/json"


def zenodo(world: World, number: int, relation: str, *others: int) -> Handle:
    """A DOI of Zenodo, whose answer relates it to others."""
    doi = f"10.5281/zenodo.{number}"
    attributes = {
        "doi": doi,
        "titles": [{"title": "Urns"}],
        "relatedIdentifiers": [
            {
                "relationType": relation,
                "relatedIdentifierType": "DOI",
                "relatedIdentifier": f"10.5281/zenodo.{other}",
            }
            for other in others
        ],
    }
    world.resolver.answer(doi, redirect(f"{world.datacite.url}csl"))
    world.datacite.answer(f"dois/{doi}", as_csl({"data": {"attributes": attributes}}))
    return Handle.parse(doi)


def updates_of(description: Description) -> object:
    assert isinstance(description, Described)
    return description.item["custom"].get("updates")


def test_a_newer_version_at_zenodo(world: World) -> None:
    """One more request, to the concept DOI, names the newest version."""
    zenodo(world, 10, "HasVersion", 11, 15, 12)
    old = zenodo(world, 11, "IsVersionOf", 10)
    newest = zenodo(world, 15, "IsVersionOf", 10)

    assert updates_of(world.describe(old)) == [
        {"state": "superseded", "by": "10.5281/zenodo.15"}
    ]
    assert world.requests == 3
    assert world.datacite.requests[-1] == "/dois/10.5281/zenodo.10"
    assert updates_of(world.describe(newest)) is None


def test_a_concept_doi_of_zenodo(world: World) -> None:
    """The concept DOI means all versions, and is never superseded by one."""
    concept = zenodo(world, 10, "HasVersion", 11, 15, 12)

    assert updates_of(world.describe(concept)) is None
    assert world.requests == 2


def test_no_answer_about_a_concept_doi(world: World) -> None:
    """Without an answer the version is asked for again; one that is not known is none."""
    version = zenodo(world, 11, "IsVersionOf", 10)
    assert updates_of(world.describe(version)) is None

    world.datacite.answer("dois/10.5281/zenodo.10", Reply(status=503))

    assert isinstance(world.describe(version), Unreachable)


def test_another_repository_has_no_concept_doi(world: World) -> None:
    """Only Zenodo's versions cost another request."""
    attributes = {
        "doi": "10.5555/urns",
        "titles": [{"title": "Urns"}],
        "relatedIdentifiers": [
            {"relationType": "IsVersionOf", "relatedIdentifier": "10.5281/zenodo.1"}
        ],
    }
    world.resolver.answer(str(DOI), redirect(f"{world.datacite.url}csl"))
    world.datacite.answer(f"dois/{DOI}", as_csl({"data": {"attributes": attributes}}))

    assert updates_of(world.describe()) is None
    assert world.requests == 2


def test_zenodo_at_a_resolver_of_ones_own(world: World) -> None:
    """A resolver that is no agency answers for the concept DOI, too."""
    concept, version = "10.5281/zenodo.10", "10.5281/zenodo.11"
    for doi, relation, other in (
        (concept, "HasVersion", "10.5281/zenodo.12"),
        (version, "IsVersionOf", concept),
    ):
        related = [{"relationType": relation, "relatedIdentifier": other}]
        attributes = {"titles": [{"title": "Urns"}], "relatedIdentifiers": related}
        world.resolver.describe(doi, {"data": {"attributes": attributes}})

    assert updates_of(world.describe(Handle.parse(version))) == [
        {"state": "superseded", "by": "10.5281/zenodo.12"}
    ]


def test_datacite(world: World) -> None:
    """DataCite is asked for its JSON, which has the relations."""
    attributes = {
        "doi": "10.5555/urns",
        "titles": [
            {"title": "Urnes", "titleType": "TranslatedTitle"},
            {"title": "Urns"},
        ],
        "creators": [
            {"name": "Doe, Ann", "familyName": "Doe", "givenName": "Ann"},
            {"name": "Urn Lab", "nameType": "Organizational"},
        ],
        "publisher": {"name": "Repository"},
        "publicationYear": 2021,
        "version": "1.0",
        "types": {"resourceTypeGeneral": "Dataset", "citeproc": "dataset"},
        "relatedIdentifiers": [
            {
                "relationType": "IsPreviousVersionOf",
                "relatedIdentifierType": "DOI",
                "relatedIdentifier": "10.5555/urns-2",
            }
        ],
    }
    world.resolver.answer(str(DOI), redirect(f"{world.datacite.url}x"))
    answer = as_csl({"data": {"attributes": attributes}}, "application/vnd.api+json")
    world.datacite.answer(f"dois/{DOI}", answer)

    described = world.describe()

    assert isinstance(described, Described)
    assert described.item == {
        "id": "doi:10.5555/Urns",
        "type": "dataset",
        "title": "Urns",
        "author": [{"family": "Doe", "given": "Ann"}, {"literal": "Urn Lab"}],
        "issued": {"date-parts": [[2021]]},
        "publisher": "Repository",
        "version": "1.0",
        "DOI": "10.5555/Urns",
        "custom": {
            "agency": "DataCite",
            "asked": "2026-11-23",
            "updates": [{"state": "superseded", "by": "10.5555/urns-2"}],
        },
    }
    assert world.requests == 2
    assert world.datacite.headers_seen[0]["Accept"] == "application/vnd.api+json"


def test_another_agency(world: World) -> None:
    """The redirect to another agency is followed; its address may begin with a space."""
    world.resolver.answer(str(DOI), redirect(f" {world.jalc.url}data/x"))
    answer = {
        "DOI": "10.5555/urns",
        "title": "<i>Urna</i>",
        "container-title": "Acta",
        "number": "1",
        "author": [{"family": "Sato", "given": "K."}],
    }
    world.jalc.answer("data/x", as_csl(answer))

    described = world.describe()

    assert isinstance(described, Described)
    assert described.item["type"] == "article-journal"
    assert described.item["issue"] == "1"
    assert described.item["title"] == "<i>Urna</i>"


def test_the_spelling_of_an_address(world: World) -> None:
    """The host of an agency is known in any case, and with the usual port."""
    for address in (
        f"HTTP://LOCALHOST:{world.jalc.server_port}/data/x",
        f"http://localhost:{world.jalc.server_port}/data/x",
    ):
        world.resolver.answer(str(DOI), redirect(address))
        world.jalc.answer("data/x", as_csl(ARTICLE))
        origin = f"http://localhost:{world.jalc.server_port}"
        jalc = Agency(name="JaLC", limit=UNLIMITED, polite_limit=UNLIMITED)

        with Agencies(world.resolver.url, agencies={origin: jalc}) as agencies:
            assert isinstance(agencies.describe(DOI), Described)


@pytest.mark.parametrize(
    "location", ["http://127.0.0.1:{port}/x", "HTTPS://127.0.0.1:{port}/x"]
)
def test_an_agency_is_asked_with_tls(world: World, location: str) -> None:
    """A redirect to an agency without TLS is followed with TLS."""
    port = world.jalc.server_port
    world.resolver.answer(str(DOI), redirect(location.format(port=port)))
    jalc = Agency(name="JaLC", limit=UNLIMITED, polite_limit=UNLIMITED)
    known = {f"https://127.0.0.1:{port}": jalc}

    with Agencies(world.resolver.url, agencies=known) as agencies:
        description = agencies.describe(DOI)

    # The server that plays the agency has no TLS.
    assert isinstance(description, Unreachable)
    assert description.reason.startswith(f"127.0.0.1:{port}: TLS: ")


@pytest.mark.parametrize("encoding", ["utf-8-sig", "utf-16", "utf-32-be"])
def test_encodings(world: World, encoding: str) -> None:
    """An answer in an encoding of Unicode is read, with its byte order mark."""
    body = '{"title": "Zwölf Urnen"}'.encode(encoding)
    world.resolver.answer(str(DOI), Reply(body=body))

    described = world.describe()

    assert isinstance(described, Described)
    assert described.item["title"] == "Zwölf Urnen"


@pytest.mark.parametrize("host", ["doi.org", "www.doi.org", "dx.doi.org"])
def test_names_of_the_resolver(
    world: World, monkeypatch: pytest.MonkeyPatch, host: str
) -> None:
    """Each name of doi.org is asked as https://doi.org, which redirects to agencies."""
    # It plays an HTTP proxy, which would get requests without TLS.
    monkeypatch.setenv("https_proxy", world.resolver.url)
    monkeypatch.setenv("http_proxy", world.resolver.url)

    with Agencies(f"http://{host}/", make_gate=lambda _limit: Gate(UNLIMITED)) as doi:
        description = doi.describe(DOI)

    assert isinstance(description, Unreachable)
    assert description.reason.startswith("doi.org: through the HTTP proxy: ")
    assert world.resolver.requests == []


def test_no_landing_page_is_opened(world: World) -> None:
    """A redirect to a host that is no agency is not followed."""
    world.resolver.answer(str(DOI), redirect(f"{world.publisher.url}article"))

    host = world.publisher.url.split("/")[2]
    reason = f"it leads to {host}, which is not a registration agency's service"
    assert world.describe() == NoMetadata(reason)
    assert world.publisher.requests == []


@pytest.mark.parametrize(
    "location",
    ["javascript:alert(1)", "http://[", "//x.example/", "", "file:///etc/passwd"],
)
def test_odd_redirects(world: World, location: str) -> None:
    """A redirect to no web address is not followed."""
    world.resolver.answer(str(DOI), redirect(location))

    assert isinstance(world.describe(), NoMetadata)
    assert world.requests == 1


def test_not_registered(world: World) -> None:
    """A 404 of the resolver says that the DOI is not registered."""
    assert world.describe() == NotRegistered()


BOMB = b'{"title": ' + b"[" * 500_000


@pytest.mark.parametrize(
    ("reply", "reason"),
    [
        (
            Reply(status=404, body=b"Resource not found.", content_type="text/plain"),
            "Crossref has no metadata of it",
        ),
        (
            Reply(body=b"Resource not found.", content_type="application/json"),
            "the answer of Crossref is not JSON",
        ),
        (Reply(body=b"<html>", status=200), "the answer of Crossref is not JSON"),
        (
            Reply(body=BOMB, content_type="application/json"),
            "the answer of Crossref is not JSON",
        ),
        (Reply(body=b"\xff{}"), "the answer of Crossref is not JSON"),
        (as_csl([]), "the answer of Crossref is not an object"),
        (as_csl("text"), "the answer of Crossref is not an object"),
        (as_csl({}), "the answer of Crossref says nothing of the work"),
        (Reply(status=406), "Crossref gave none (HTTP 406)"),
        (Reply(status=204), "Crossref gave none (HTTP 204)"),
        (redirect("/elsewhere"), "Crossref gave none (HTTP 302)"),
    ],
)
def test_answers_without_metadata(world: World, reply: Reply, reason: str) -> None:
    """Each answer that describes nothing is said to be one."""
    world.resolver.answer(str(DOI), redirect(f"{world.crossref.url}x"))
    world.crossref.answer(f"works/{DOI}", reply)

    assert world.describe() == NoMetadata(reason)


def test_a_large_answer_is_refused(world: World) -> None:
    """An answer of more than two mebibytes is not read."""
    world.resolver.answer(str(DOI), redirect(f"{world.crossref.url}x"))
    world.crossref.answer(f"works/{DOI}", Reply(body=b" " * (2 * 1024 * 1024 + 1)))

    description = world.describe()

    assert isinstance(description, Unreachable)
    assert description.reason.endswith("the answer is larger than 2,097,152 bytes")


def test_a_server_that_is_busy(world: World) -> None:
    """A server that asks for a pause is asked again."""
    world.resolver.answer(str(DOI), redirect(f"{world.crossref.url}x"))
    busy = Reply(status=429, headers={"Retry-After": "0"})
    world.crossref.answer(f"works/{DOI}", busy, as_csl({"message": ARTICLE}))

    assert isinstance(world.describe(), Described)
    assert len(world.crossref.requests) == 2


@pytest.mark.parametrize(
    ("status", "tries"),
    [
        *((401, 1), (403, 1), (407, 1), (408, 2), (425, 2), (429, 2)),
        *((500, 2), (502, 2), (503, 2), (504, 2), (505, 1), (511, 1), (520, 1)),
    ],
)
def test_trouble_is_no_statement(world: World, status: int, tries: int) -> None:
    """Trouble of a server says nothing about the DOI; trouble that may pass is retried."""
    trouble = Reply(status=status, headers={"Retry-After": "0"})
    world.resolver.answer(str(DOI), trouble)

    host = world.resolver.url.split("/")[2]
    assert world.describe() == Unreachable(f"{host}: HTTP {status}")
    assert world.requests == tries


def test_a_server_that_asks_for_a_long_pause(world: World) -> None:
    """It is not waited for, and the reason says how long the pause is."""
    busy = Reply(status=429, headers={"Retry-After": "3600"})
    world.resolver.answer(str(DOI), busy)

    host = world.resolver.url.split("/")[2]
    reason = f"{host}: HTTP 429, to be asked again after 3600 s"
    assert world.describe() == Unreachable(reason)
    assert world.requests == 1


def test_a_long_pause_gives_up_one_doi_alone(world: World) -> None:
    """The others are asked for at once, as if there had been no pause."""
    time = FakeClock()
    world.resolver.answer(str(DOI), Reply(status=429, headers={"Retry-After": "3600"}))
    other = Handle.parse("10.5555/other")
    world.resolver.describe(str(other), ARTICLE)

    gate = Gate(UNLIMITED, monotonic=time.monotonic, sleep=time.sleep)
    with Agencies(world.resolver.url, make_gate=lambda _limit: gate) as agencies:
        assert isinstance(agencies.describe(DOI), Unreachable)
        assert isinstance(agencies.describe(other), Described)
    assert time.sleeps == []


def test_no_server() -> None:
    """A resolver that does not exist is unreachable."""
    with nobody_at() as url, Agencies(url) as agencies:
        assert isinstance(agencies.describe(DOI), Unreachable)


def test_an_answer_about_another_doi(world: World) -> None:
    """It is kept under the author's DOI, and names the other one."""
    world.resolver.answer(str(DOI), redirect(f"{world.crossref.url}x"))
    notice = {"DOI": "10.5555/OTHER", "type": "new_version"}
    message = {**ARTICLE, "DOI": "10.5555/Other", "updated-by": [notice]}
    world.crossref.answer(f"works/{DOI}", as_csl({"message": message}))

    described = world.describe()

    assert isinstance(described, Described)
    assert described.item["id"] == "doi:10.5555/Urns"
    assert described.item["custom"] == {
        "agency": "Crossref",
        "asked": "2026-11-23",
        "described": "10.5555/other",
    }


def test_a_doi_that_holds_a_tag(world: World) -> None:
    """A part of a DOI between angle brackets is no markup, in the answer's DOIs as well."""
    doi = "10.5555/(SICI)1(1998)19:1<S1::AID-URN2>3.0.CO;2-U"
    notice = "10.5555/(SICI)1(1999)20:1<S9::AID-URN5>3.0.CO;2-X"
    update = {"DOI": notice, "type": "retraction"}
    world.resolver.describe(doi, {**ARTICLE, "DOI": doi, "updated-by": [update]})

    handle = Handle.parse(doi)
    with Agencies(world.resolver.url) as agencies:
        described = agencies.describe(handle)

    assert isinstance(described, Described)
    assert "described" not in described.item["custom"]
    standing = DescribedWork(handle, described.item).update
    assert standing == Update(State.RETRACTED, notice.lower())
    custom = {**described.item["custom"], "accepted": [notice]}
    assert DescribedWork(handle, {**described.item, "custom": custom}).update is None


@pytest.mark.parametrize("is_direct", [True, False])
def test_a_resolver_of_ones_own(world: World, *, is_direct: bool) -> None:
    """A resolver may answer itself or redirect to itself; no other host is asked."""
    if is_direct:
        world.resolver.answer(str(DOI), as_csl(ARTICLE))
    else:
        world.resolver.describe(str(DOI), ARTICLE)

    described = world.describe()

    assert isinstance(described, Described)
    host = world.resolver.url.split("/")[2]
    custom = {"agency": host, "asked": "2026-11-23"}
    assert described.item == {**ITEM, "custom": custom}
    assert world.requests == len(world.resolver.requests) == (1 if is_direct else 2)


def test_a_resolver_that_redirects_in_circles(world: World) -> None:
    """The second answer is the last one."""
    world.resolver.answer(str(DOI), redirect(f"{world.resolver.url}{DOI}"))

    assert isinstance(world.describe(), NoMetadata)
    assert world.requests == 2


def test_headers(world: World) -> None:
    """One media type is asked for, and the agent names the address of e-mail."""
    world.resolver.describe(str(DOI), ARTICLE)

    world.describe(http=HttpSettings(user_agent="Docs/1"), mailto="docs@example.org")

    for headers in world.resolver.headers_seen:
        assert headers["Accept"] == CSL_JSON
        assert headers["User-Agent"] == "Docs/1 (mailto:docs@example.org)"


@pytest.mark.parametrize("mailto", ["nobody", "a b@c", "a@b)c", "a@b\r\nX: y"])
def test_no_address(mailto: str) -> None:
    """A text that is no address of e-mail is refused."""
    with pytest.raises(ValueError, match="is not an address of e-mail"):
        Agencies(mailto=mailto)


# The connections and the requests a second without an address of e-mail, and with one.
LIMITS = {
    "Crossref": [(1, 5.0), (3, 10.0)],
    "DataCite": [(2, 1.6), (3, 3.3)],
    "mEDRA": [(1, 5.0), (1, 5.0)],
    "JaLC": [(1, 5.0), (1, 5.0)],
    "OP": [(1, 5.0), (1, 5.0)],
}


@pytest.mark.parametrize(
    ("host", "name"),
    [
        ("api.crossref.org", "Crossref"),
        ("data.crossref.org", "Crossref"),
        ("api.datacite.org", "DataCite"),
        ("data.crosscite.org", "DataCite"),
        ("data.datacite.org", "DataCite"),
        ("data.medra.org", "mEDRA"),
        ("japanlinkcenter.org", "JaLC"),
        ("ra.publications.europa.eu", "OP"),
    ],
)
def test_services(host: str, name: str) -> None:
    """Each service belongs to an agency, whose limits hold."""
    agency = AGENCIES[f"https://{host}"]

    assert agency.name == name
    assert [
        (limit.connections, limit.rate) for limit in (agency.limit, agency.polite_limit)
    ] == LIMITS[name]


def test_rates() -> None:
    """An address of e-mail makes each agency two or three times as fast."""
    rates = [
        (limit.rate, polite_limit.rate)
        for limit, polite_limit in (
            (CROSSREF.limit, CROSSREF.polite_limit),
            (CROSSREF.list_limit, CROSSREF.polite_list_limit),
            (DATACITE.limit, DATACITE.polite_limit),
        )
        if limit and polite_limit
    ]
    assert rates == [(5.0, 10.0), (1.0, 3.0), (1.6, 3.3)]
    assert {origin.partition(":")[0] for origin in AGENCIES} == {"https"}


def test_few_requests_may_come_at_once() -> None:
    """So few that DataCite's window of five minutes does not fill are sent without a pause."""
    rates = [DATACITE.limit_for(count, is_polite=False).rate for count in (350, 1000)]
    assert rates == [10.0, 1.6]
