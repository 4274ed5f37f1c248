"""Registration agencies: the metadata of a DOI, in two requests.

The resolver is asked for CSL-JSON (content negotiation, as Crossref and DataCite
document it)::

    GET https://doi.org/10.1000/182
    Accept: application/vnd.citationstyles.csl+json

It redirects to the metadata service of the registration agency, and the host names the
agency.  A redirect to any other host leads to the page of a publisher, which is never
opened: such a DOI has no metadata for machines.

Crossref and DataCite are asked at their REST interfaces, where the later statements
about a work stand, too; DataCite's CSL-JSON has none of them.  For a version at Zenodo
the concept DOI is asked for, too: it alone names the newest version.

A resolver other than doi.org may answer itself, or redirect to itself.  Then no other
host is asked.
"""

import datetime as dt
import json
import re
import threading
from collections import Counter
from collections.abc import Callable, Iterable, Mapping
from dataclasses import dataclass, replace
from functools import partial
from typing import TYPE_CHECKING, Any, TypeAlias
from urllib.parse import urljoin, urlsplit

from handle_system import __version__
from handle_system.describing.items import (
    JsonObject,
    has_metadata,
    item_of_csl,
    item_of_datacite,
)
from handle_system.describing.rich_text import identifier_text
from handle_system.describing.states import State
from handle_system.describing.updates import is_notice, read_updates
from handle_system.describing.zenodo import ZENODO_PREFIX, concept_of, newer_version
from handle_system.encoding import encode_path
from handle_system.errors import brief
from handle_system.handle import Handle
from handle_system.proxies import DEFAULT_PROXIES, DOI_HOSTS, checked_base
from handle_system.reference import reference_or_none
from handle_system.resolving import HttpSettings
from handle_system.resolving.gate import (
    GLOBAL_HOSTS,
    Attempt,
    Gate,
    RateLimit,
    rate_limit_for,
)
from handle_system.resolving.outcomes import NotRegistered, Unreachable
from handle_system.resolving.resolvers import Closing
from handle_system.resolving.rest_api import Answer, NoAnswerError
from handle_system.text import several

if TYPE_CHECKING:
    from handle_system.resolving.http_client import HttpClient

__all__ = [
    "AGENCIES",
    "DOI_RESOLVER",
    "Agencies",
    "Agency",
    "Described",
    "Description",
    "NoMetadata",
    "Pace",
    "requests_a_second",
    "slowest_pace",
]

#: The resolver that is asked without configuration.
DOI_RESOLVER = "https://doi.org/"
_CSL_JSON = "application/vnd.citationstyles.csl+json"
# Seconds for which a server may ask to be left alone before a DOI is given up.
_PATIENCE = 30.0
_MAILTO = re.compile(r"[!-'*-~]+@[!-'*-~]+")
# Requests that DataCite answers within its window of five minutes, at any pace.
_DATACITE_WINDOW = 400


@dataclass(frozen=True, slots=True, kw_only=True)
class Agency:
    """A registration agency.

    Attributes:
        name: Its name.
        limit: The rate limit of its service.
        polite_limit: The limit for those who give an address of e-mail.
        interface: The base of its REST interface; empty if the redirect is followed.
        media_type: The media type to ask for.
    """

    name: str
    limit: RateLimit
    polite_limit: RateLimit
    interface: str = ""
    media_type: str = _CSL_JSON


# No limit of these services is published.
_UNPUBLISHED_LIMIT = RateLimit(connections=1, rate=5.0)
# Crossref, "Announcing changes to REST API rate limits" (2025), for single records.
_CROSSREF = Agency(
    name="Crossref",
    limit=RateLimit(connections=1, rate=5.0),
    polite_limit=RateLimit(connections=3, rate=10.0),
    interface="https://api.crossref.org/works/",
    media_type="application/json",
)
# DataCite, "Rate limit": 500 requests in five minutes, 1,000 with an address.
_DATACITE = Agency(
    name="DataCite",
    limit=RateLimit(connections=2, rate=1.6),
    polite_limit=RateLimit(connections=3, rate=3.3),
    interface="https://api.datacite.org/dois/",
    media_type="application/vnd.api+json",
)
_DATACITE_BURST = RateLimit(connections=3, rate=10.0)
#: The agency of each service that the resolver redirects to.
AGENCIES: Mapping[str, Agency] = {
    "https://api.crossref.org": _CROSSREF,
    "https://data.crossref.org": _CROSSREF,
    "https://api.datacite.org": _DATACITE,
    "https://data.crosscite.org": _DATACITE,
    "https://data.datacite.org": _DATACITE,
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


@dataclass(frozen=True, slots=True)
class Described:
    """The agency described the work.

    Attributes:
        item: The item, as the file stores it.
    """

    item: JsonObject


@dataclass(frozen=True, slots=True)
class NoMetadata:
    """The DOI is registered, and there are no metadata that a machine can read.

    Attributes:
        reason: Why, without a full stop.
    """

    reason: str


#: The result of asking for one DOI: a closed union.
Description: TypeAlias = Described | NoMetadata | NotRegistered | Unreachable


@dataclass(frozen=True, slots=True)
class _Metadata:
    """The answer about a work, and whose it is."""

    answer: JsonObject
    agency: str
    is_of_datacite: bool = False


_Failure: TypeAlias = NoMetadata | NotRegistered | Unreachable


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


@dataclass(frozen=True, slots=True)
class Pace:
    """How long an agency takes for its part of many DOIs.

    Attributes:
        agency: Its name.
        requests: How many requests it gets.
        rate: How many it gets a second.
    """

    agency: str
    requests: int
    rate: float

    @property
    def seconds(self) -> float:
        """How long that takes."""
        return self.requests / self.rate


def slowest_pace(
    handles: Iterable[Handle], agency_of_prefix: Mapping[str, str], *, is_polite: bool
) -> Pace:
    """The pace of the agency that takes longest; all are asked side by side.

    Args:
        handles: The DOIs.
        agency_of_prefix: The name of the agency of each prefix, as far as known. Others
            are taken for DOIs of Crossref, unless a large repository has the prefix.
        is_polite: Whether the agencies get an address of e-mail.
    """
    requests: Counter[str] = Counter()
    for handle in handles:
        usual = _DATACITE if handle.prefix in _DATACITE_PREFIXES else _CROSSREF
        name = agency_of_prefix.get(handle.prefix, usual.name)
        # A version at Zenodo costs a request for its concept DOI.
        requests[name] += 2 if handle.prefix == ZENODO_PREFIX else 1
    by_name = {agency.name: agency for agency in AGENCIES.values()}
    paces = [
        Pace(
            name, count, _rate(by_name.get(name, _CROSSREF), count, is_polite=is_polite)
        )
        for name, count in requests.items()
    ]
    return max(paces, key=lambda pace: pace.seconds)


def _rate(agency: Agency, count: int, *, is_polite: bool) -> float:
    """How many of a count of requests an agency gets a second."""
    limit = agency.polite_limit if is_polite else agency.limit
    if agency is _DATACITE and count <= _DATACITE_WINDOW:
        limit = _DATACITE_BURST
    return limit.rate or 1.0


def requests_a_second(*, is_polite: bool) -> float:
    """How many DOIs a second are asked for at the largest agency."""
    limit = _CROSSREF.polite_limit if is_polite else _CROSSREF.limit
    return limit.rate or 1.0


class Agencies(Closing):
    """Asks registration agencies for the metadata of DOIs.

    Safe for many threads.  Close it, or use it as a context, to close its connections.
    """

    def __init__(  # noqa: PLR0913 (one for each thing that may be replaced)
        self,
        resolver: str = DOI_RESOLVER,
        *,
        http: HttpSettings | None = None,
        mailto: str = "",
        count: int = 0,
        today: Callable[[], dt.date] = dt.date.today,
        agencies: Mapping[str, Agency] = AGENCIES,
        make_gate: Callable[[RateLimit], Gate] = Gate,
    ) -> None:
        """Prepare to ask; nothing is sent yet.

        Args:
            resolver: The base URL that is asked for each DOI.
            http: Time-out, certificates, user agent.
            mailto: An address of e-mail for the agencies, which answer faster then.
            count: How many requests there will be at one agency; see `Pace`.
            today: The date of an answer.
            agencies: The agency of each service, by its scheme and host.
            make_gate: Makes the gate before one host.

        Raises:
            ValueError: when `resolver` or `mailto` is none, or certificates or an HTTP
                proxy cannot be used.
        """
        if mailto and not _MAILTO.fullmatch(mailto):
            raise ValueError(f"{mailto!r} is not an address of e-mail")
        http = http or HttpSettings()
        agent = http.user_agent or f"handle-system/{__version__}"
        if mailto:
            agent = f"{agent} (mailto:{mailto})"
        self._http = replace(http, user_agent=agent)
        self._base = checked_base(resolver)
        self._is_polite = bool(mailto)
        self._is_burst = count <= _DATACITE_WINDOW
        self._today = today
        self._agencies = agencies
        self._make_gate = make_gate
        self._clients: dict[str, HttpClient] = {}
        self._gates: dict[str, Gate] = {}
        self._lock = threading.Lock()
        host = (urlsplit(self._base).hostname or "").rstrip(".")
        if host in DOI_HOSTS:
            # Its other names, and http, redirect here instead of to an agency.
            self._base = DOI_RESOLVER
        self._is_doi_org = host in GLOBAL_HOSTS
        self._client(self._base)

    def describe(self, handle: Handle) -> Description:
        """The metadata of a DOI, from its registration agency."""
        metadata = self._metadata(handle)
        if not isinstance(metadata, _Metadata):
            return metadata
        item = _item(handle, metadata, self._today())
        if not has_metadata(item):
            return NoMetadata(
                f"the answer of {metadata.agency} says nothing of the work"
            )
        concept = concept_of(metadata.answer, handle)
        if concept is not None:
            versions = self._metadata_of_concept(concept, metadata.agency)
            if isinstance(versions, Unreachable):
                # Whoever runs the command again learns of the newest version, too.
                return versions
            if isinstance(versions, _Metadata):
                _add_newer_version(item, newer_version(versions.answer, handle))
        return Described(item)

    def _metadata(self, handle: Handle) -> _Metadata | _Failure:
        """The answer about a DOI, asked for at the resolver first."""
        url = f"{self._base}{encode_path(str(handle))}"
        first = self._answer(url, _CSL_JSON, rate_limit_for(self._base))
        if isinstance(first, Unreachable):
            return first
        if first.status == 404:
            return NotRegistered()
        if not first.location:
            return _read(first, self._host_of(url))
        target = _absolute(url, first.location)
        if not self._is_doi_org and _origin(target) == _origin(url):
            limit = rate_limit_for(self._base)
            second = self._answer(target, _CSL_JSON, limit)
            return _read(second, self._host_of(url))
        target = self._with_tls(target)
        agency = self._agencies.get(_origin(target))
        if agency is None:
            host = brief(self._host_of(target)) or "nowhere"
            reason = f"it leads to {host}, which is not a registration agency's service"
            return NoMetadata(reason)
        return self._metadata_at(agency, handle, target)

    def _metadata_at(
        self, agency: Agency, handle: Handle, target: str
    ) -> _Metadata | _Failure:
        """The answer of an agency about a DOI, which the resolver redirects to a target."""
        if agency.interface:
            target = f"{agency.interface}{encode_path(str(handle))}"
        answer = self._answer(target, agency.media_type, self._limit(agency))
        return _read(answer, agency.name)

    def _metadata_of_concept(
        self, concept: Handle, agency_name: str
    ) -> _Metadata | _Failure:
        """The answer about a concept DOI, which its versions' agency has, too."""
        for agency in self._agencies.values():
            if agency.name == agency_name and agency.interface:
                return self._metadata_at(agency, concept, "")
        return self._metadata(concept)

    def close(self) -> None:
        """Close the connections that are kept open."""
        for client in self._clients.values():
            client.close()

    def _answer(
        self, url: str, media_type: str, limit: RateLimit
    ) -> Answer | Unreachable:
        """An answer; trouble that may pass is an outcome."""
        client = self._client(url)
        gate = self._gate(url, limit)
        host = self._host_of(url)
        if gate.is_closed():
            times = several(gate.limit.give_up_after, "failure")
            return Unreachable(f"{host}: not asked, after {times} in a row")
        send = partial(_attempt, client, url, media_type, host)
        last = gate.attempt(send, _PATIENCE)
        gate.report(answered=last.is_answered)
        return last.result

    def _with_tls(self, target: str) -> str:
        """The address of a known service with TLS, also where a redirect has none."""
        with_tls = re.sub("^http:", "https:", target, flags=re.IGNORECASE)
        return with_tls if _origin(with_tls) in self._agencies else target

    def _client(self, url: str) -> "HttpClient":
        # urllib3 is loaded here, by those who ask.
        from handle_system.resolving.http_client import HttpClient  # noqa: PLC0415 (see above)

        origin = _origin(url)
        with self._lock:
            if origin not in self._clients:
                self._clients[origin] = HttpClient(url, self._http)
            return self._clients[origin]

    def _gate(self, url: str, limit: RateLimit) -> Gate:
        origin = _origin(url)
        with self._lock:
            if origin not in self._gates:
                self._gates[origin] = self._make_gate(limit)
            return self._gates[origin]

    def _limit(self, agency: Agency) -> RateLimit:
        if agency is _DATACITE and self._is_burst:
            return _DATACITE_BURST
        return agency.polite_limit if self._is_polite else agency.limit

    def _host_of(self, url: str) -> str:
        return urlsplit(url).netloc


def _read(answer: Answer | Unreachable, agency: str) -> _Metadata | _Failure:
    """The meaning of the answer of an agency."""
    if isinstance(answer, Unreachable):
        return answer
    if answer.status in {404, 410}:
        return NoMetadata(f"{agency} has no metadata of it")
    if answer.status != 200:
        return NoMetadata(f"{agency} gave none (HTTP {answer.status})")
    try:
        # In UTF-8, -16 or -32, with or without a byte order mark.
        loaded = json.loads(answer.body)
    except (ValueError, RecursionError):
        return NoMetadata(f"the answer of {agency} is not JSON")
    if isinstance(loaded, list) and loaded:
        loaded = loaded[0]
    if not isinstance(loaded, dict):
        return NoMetadata(f"the answer of {agency} is not an object")
    data = loaded.get("data")
    if isinstance(data, dict) and isinstance(data.get("attributes"), dict):
        return _Metadata(data["attributes"], agency, is_of_datacite=True)
    message = loaded.get("message")
    return _Metadata(message if isinstance(message, dict) else loaded, agency)


def _item(handle: Handle, metadata: _Metadata, today: dt.date) -> JsonObject:
    """The item of an answer, with what we keep besides in ``custom``."""
    answer = metadata.answer
    if metadata.is_of_datacite:
        item = item_of_datacite(answer, handle)
    else:
        item = item_of_csl(answer, handle)
    names = map(answer.get, ("DOI", "doi"))
    written = next(filter(None, map(identifier_text, names)), "")
    told = reference_or_none(written, DEFAULT_PROXIES) if written else None
    described = handle if told is None else told.handle
    custom: dict[str, Any] = {"agency": metadata.agency, "asked": str(today)}
    if described != handle:
        custom["described"] = described.comparison_key
    names_of_work = {handle, described}
    if is_notice(answer, names_of_work):
        custom["notice"] = True
    updates = read_updates(answer, names_of_work)
    if updates:
        custom["updates"] = updates
    return {**item, "custom": custom}


def _add_newer_version(item: JsonObject, newer: Handle | None) -> None:
    """Add a newer version to an item that has just been made."""
    if newer is not None:
        update = {"state": State.SUPERSEDED, "by": newer.comparison_key}
        updates = item["custom"].setdefault("updates", [])
        if update not in updates:
            updates.append(update)


def _attempt(
    client: "HttpClient", url: str, media_type: str, host: str
) -> Attempt[Answer | Unreachable]:
    try:
        answer = client.get(url, accept=media_type, follows_redirects=False)
    except NoAnswerError as error:
        return Attempt(Unreachable(f"{host}: {error.reason}"), again=error.again)
    reason = f"{host}: HTTP {answer.status}"
    if answer.retry_after > _PATIENCE:
        reason += f", to be asked again after {answer.retry_after:.0f} s"
    failure = Unreachable(reason)
    if answer.asks_for_a_pause:
        return Attempt(failure, again=True, pause=answer.retry_after)
    if answer.may_soon_differ:
        return Attempt(failure, again=True)
    if answer.status in {401, 403, 407} or answer.status > 504:
        return Attempt(failure)
    return Attempt(answer, is_answered=True)


def _absolute(url: str, location: str) -> str:
    """The target of a redirect; empty if it has none."""
    try:
        target = urljoin(url, location.strip())
        urlsplit(target)
    except ValueError:
        return ""
    return target


def _origin(url: str) -> str:
    """The scheme and the host of an address, with its port unless that is the usual one."""
    parts = urlsplit(url)
    usual_port = {"http": ":80", "https": ":443"}.get(parts.scheme, "")
    return f"{parts.scheme}://{parts.netloc.lower().removesuffix(usual_port)}"
