"""The services of registration agencies: their addresses, their limits, polite requests.

Crossref and DataCite are asked at their REST interfaces, where the later statements
about a work stand, too; DataCite's CSL-JSON has none of them.  Both also answer about
many DOIs at once, in a list.

**Add a registration agency.** Add the host that `doi.org` redirects to, with its
`Agency`, to `AGENCIES` in `handle_system/describing/services.py`. That is enough if it
answers in CSL-JSON. Give the rate limit that it publishes, with the source; else
`_UNPUBLISHED_LIMIT`. An agency with a better interface than CSL-JSON gets its
`interface` and `media_type`, and one that answers about many DOIs at once its
`list_query`. Then `metadata_in()` and `item_of()` in `answers.py` have to know the
shape of its answers, a function in `items.py` makes the item of one, and
`read_updates()` reads its statements. Put a real answer, cut down, into
`tests/test_core/test_describing.py`, let the server of
`tests/test_core/test_agencies.py` play it, and name the agency in
`example_docs/references.rst`.
"""

import re
import threading
from collections.abc import Callable, Iterable, Mapping
from dataclasses import dataclass, replace
from typing import TYPE_CHECKING, NamedTuple
from urllib.parse import quote, urlsplit

from handle_system import __version__
from handle_system.encoding import encode_path
from handle_system.handle import Handle
from handle_system.resolving import HttpSettings
from handle_system.resolving.gate import Attempt, Gate, RateLimit
from handle_system.resolving.outcomes import Unreachable
from handle_system.resolving.resolvers import Closing
from handle_system.resolving.rest_api import LARGEST_BODY, Answer, NoAnswerError
from handle_system.text import several

if TYPE_CHECKING:
    from handle_system.resolving.http_client import HttpClient

#: The media type that every agency answers in.
CSL_JSON = "application/vnd.citationstyles.csl+json"
# Seconds for which a server may ask to be left alone before a DOI is given up.
_PATIENCE = 30.0
_MAILTO = re.compile(r"[!-'*-~]+@[!-'*-~]+")
# Requests that a service answers within its window of five minutes, at any pace.
_WINDOW = 400


@dataclass(frozen=True, slots=True, kw_only=True)
class Agency:
    """A registration agency.

    Attributes:
        name: Its name.
        limit: The rate limit of its service.
        polite_limit: The limit for those who give an address of e-mail.
        burst_limit: The limit for those who send few requests; `None` if it is the same.
        interface: The base of its REST interface; empty if the redirect is followed.
        media_type: The media type to ask for.
        list_query: The query that asks the interface for many DOIs, with `{count}` and
            `{dois}`; empty if it answers about one at a time.
        list_term: What stands before each DOI in that query.
        search_query: The query that asks it for a work without its DOI, with `{title}`
            and `{author}`, the family name of the first author.
        list_limit: The limit of such queries; `None` if they count as any other.
        polite_list_limit: The same for those who give an address.
    """

    name: str
    limit: RateLimit
    polite_limit: RateLimit
    burst_limit: RateLimit | None = None
    interface: str = ""
    media_type: str = CSL_JSON
    list_query: str = ""
    list_term: str = ""
    search_query: str = ""
    list_limit: RateLimit | None = None
    polite_list_limit: RateLimit | None = None

    def limit_for(
        self, count: int, *, is_polite: bool, is_list: bool = False
    ) -> RateLimit:
        """The limit of so many requests, about one DOI each or about lists of them."""
        limit_of_lists = self.polite_list_limit if is_polite else self.list_limit
        if is_list and limit_of_lists is not None:
            return limit_of_lists
        if self.burst_limit is not None and count <= _WINDOW:
            return self.burst_limit
        return self.polite_limit if is_polite else self.limit

    def address(self, handle: Handle) -> str:
        """The address of the metadata of one DOI, at the REST interface."""
        return f"{self.interface}{encode_path(str(handle))}"

    def list_address(self, handles: Iterable[Handle]) -> str:
        """The address of the metadata of many DOIs, at the REST interface."""
        terms = [
            f"{self.list_term}{quote(str(handle), safe='/:()')}" for handle in handles
        ]
        query = self.list_query.format(count=len(terms), dois=",".join(terms))
        return f"{self.interface.removesuffix('/')}?{query}"


# No limit of these services is published.
_UNPUBLISHED_LIMIT = RateLimit(connections=1, rate=5.0)
#: Crossref, "Announcing changes to REST API rate limits" (2025).
CROSSREF = Agency(
    name="Crossref",
    limit=RateLimit(connections=1, rate=5.0),
    polite_limit=RateLimit(connections=3, rate=10.0),
    interface="https://api.crossref.org/works/",
    media_type="application/json",
    list_query="rows={count}&filter={dois}",
    list_term="doi:",
    search_query="rows=20&query.bibliographic={title}&query.author={author}",
    list_limit=RateLimit(connections=1, rate=1.0),
    polite_list_limit=RateLimit(connections=3, rate=3.0),
)
#: DataCite, "Rate limit": 500 requests in five minutes, 1,000 with an address.
DATACITE = Agency(
    name="DataCite",
    limit=RateLimit(connections=2, rate=1.6),
    polite_limit=RateLimit(connections=3, rate=3.3),
    burst_limit=RateLimit(connections=3, rate=10.0),
    interface="https://api.datacite.org/dois/",
    media_type="application/vnd.api+json",
    # Without a size a page has 25, and says nothing of the others.
    list_query="page%5Bsize%5D={count}&ids={dois}",
    # All words have to stand in an answer.
    search_query="page%5Bsize%5D=20&query={title}%20{author}",
)
#: The agency of each service that the resolver redirects to.
AGENCIES: Mapping[str, Agency] = {
    "https://api.crossref.org": CROSSREF,
    "https://data.crossref.org": CROSSREF,
    "https://api.datacite.org": DATACITE,
    "https://data.crosscite.org": DATACITE,
    "https://data.datacite.org": DATACITE,
    "https://data.medra.org": Agency(
        name="mEDRA", limit=_UNPUBLISHED_LIMIT, polite_limit=_UNPUBLISHED_LIMIT
    ),
    "https://japanlinkcenter.org": Agency(
        name="JaLC", limit=_UNPUBLISHED_LIMIT, polite_limit=_UNPUBLISHED_LIMIT
    ),
    "https://ra.publications.europa.eu": Agency(
        name="OP", limit=_UNPUBLISHED_LIMIT, polite_limit=_UNPUBLISHED_LIMIT
    ),
}
# Prefixes of large repositories that register their DOIs with DataCite: Zenodo, arXiv,
# figshare, ResearchGate, Dryad, OSF, GBIF, Harvard Dataverse, PANGAEA.
_DATACITE_PREFIXES = frozenset(
    (
        "10.5281",
        "10.48550",
        "10.6084",
        "10.13140",
        "10.5061",
        "10.17605",
        "10.15468",
        "10.7910",
        "10.1594",
    )
)


def usual_agency(handle: Handle) -> Agency:
    """The agency that a DOI most likely has, by its prefix."""
    return DATACITE if handle.prefix in _DATACITE_PREFIXES else CROSSREF


class Reply(NamedTuple):
    """What came of a request to a service.

    Attributes:
        result: The answer; trouble that may pass is an outcome.
        wants_no_more: Whether the server wants to be left alone, or has failed often.
    """

    result: Answer | Unreachable
    wants_no_more: bool = False


class Services(Closing):
    """Sends requests to services, to each at its own pace.

    Safe for many threads.  Close it to close its connections.
    """

    def __init__(
        self,
        *,
        http: HttpSettings | None = None,
        mailto: str = "",
        count: int = 0,
        make_gate: Callable[[RateLimit], Gate] = Gate,
    ) -> None:
        """Prepare to ask; nothing is sent yet.

        Args:
            http: Time-out, certificates, user agent.
            mailto: An address of e-mail for the agencies, which answer faster then.
            count: How many works there are to ask for.
            make_gate: Makes the gate before one host.

        Raises:
            ValueError: when `mailto` is no address of e-mail.
        """
        if mailto and not _MAILTO.fullmatch(mailto):
            raise ValueError(f"{mailto!r} is not an address of e-mail")
        http = http or HttpSettings()
        agent = http.user_agent or f"handle-system/{__version__}"
        if mailto:
            agent = f"{agent} (mailto:{mailto})"
        self._http = replace(http, user_agent=agent)
        self._is_polite = bool(mailto)
        self._count = count
        self._make_gate = make_gate
        self._clients: dict[str, HttpClient] = {}
        self._gates: dict[tuple[str, RateLimit], Gate] = {}
        self._lock = threading.Lock()

    def connect(self, url: str) -> None:
        """Prepare the connections to the host of an address.

        Raises:
            ValueError: when certificates or an HTTP proxy cannot be used.
        """
        self._client(url)

    def limit_of(self, agency: Agency, *, is_list: bool = False) -> RateLimit:
        """The rate limit that holds at an agency."""
        return agency.limit_for(self._count, is_polite=self._is_polite, is_list=is_list)

    def answer(
        self, url: str, media_type: str, limit: RateLimit
    ) -> Answer | Unreachable:
        """An answer; trouble that may pass is an outcome."""
        return self.ask(url, media_type, limit).result

    def ask(
        self,
        url: str,
        media_type: str,
        limit: RateLimit,
        largest: int = LARGEST_BODY,
    ) -> Reply:
        """What came of a request, which is sent again where that may help.

        Args:
            url: The address.
            media_type: The media type to ask for.
            limit: The rate limit that holds for such requests.
            largest: The octets that an answer has at most.
        """
        client = self._client(url)
        gate = self._gate(url, limit)
        host = urlsplit(url).netloc
        if gate.is_closed():
            times = several(gate.limit.give_up_after, "failure")
            reason = f"{host}: not asked, after {times} in a row"
            return Reply(Unreachable(reason), wants_no_more=True)

        def send() -> Attempt[Reply]:
            try:
                answer = client.get(
                    url, accept=media_type, follows_redirects=False, largest=largest
                )
            except NoAnswerError as error:
                failure = Unreachable(f"{host}: {error.reason}")
                return Attempt(Reply(failure), again=error.again)
            gate.heed(answer.rate)
            return _attempt(answer, host)

        last = gate.attempt(send, _PATIENCE)
        gate.report(answered=last.is_answered)
        return last.result

    def close(self) -> None:
        """Close the connections that are kept open."""
        for client in self._clients.values():
            client.close()

    def _client(self, url: str) -> "HttpClient":
        # urllib3 is loaded here, by those who ask.
        from handle_system.resolving.http_client import HttpClient  # noqa: PLC0415 (see above)

        origin = origin_of(url)
        with self._lock:
            if origin not in self._clients:
                self._clients[origin] = HttpClient(url, self._http)
            return self._clients[origin]

    def _gate(self, url: str, limit: RateLimit) -> Gate:
        """The gate of a host, for requests that have one limit together."""
        key = (origin_of(url), limit)
        with self._lock:
            if key not in self._gates:
                self._gates[key] = self._make_gate(limit)
            return self._gates[key]


def _attempt(answer: Answer, host: str) -> Attempt[Reply]:
    """What an answer is worth, and whether to ask again."""
    reason = f"{host}: HTTP {answer.status}"
    if answer.asks_for_a_pause and answer.retry_after > _PATIENCE:
        # Nobody here waits so long: this request is given up, and others may be answered.
        reason += f", to be asked again after {answer.retry_after:.0f} s"
        return Attempt(Reply(Unreachable(reason), wants_no_more=True))
    failure = Unreachable(reason)
    if answer.asks_for_a_pause:
        reply = Reply(failure, wants_no_more=True)
        return Attempt(reply, again=True, pause=answer.retry_after)
    if answer.may_soon_differ:
        return Attempt(Reply(failure), again=True)
    if answer.status in {401, 403, 407} or answer.status > 504:
        return Attempt(Reply(failure))
    return Attempt(Reply(answer), is_answered=True)


def origin_of(url: str) -> str:
    """The scheme and the host of an address, with its port unless that is the usual one."""
    parts = urlsplit(url)
    usual_port = {"http": ":80", "https": ":443"}.get(parts.scheme, "")
    return f"{parts.scheme}://{parts.netloc.lower().removesuffix(usual_port)}"
