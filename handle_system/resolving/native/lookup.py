"""Service lookup: from a prefix to the sites that serve it (RFC 3650, section 3.1).

The prefix ``P`` is itself the handle ``0.NA/P``.  A root knows its values: HS_SITE
holds a site, HS_SERV the name of another handle that holds some.  A server that has
passed a prefix on answers with a referral (codes 302 and 303), which carries the same
two kinds of values.

Every name is looked up from the roots down, so a server decides only about the prefix
that it was referred for.  One handle costs at most `MOST_STEPS` exchanges: circles of
services and of referrals end there.
"""

import secrets
from collections.abc import Callable, Iterable, Mapping, MutableMapping, Sequence
from typing import Any, Final

from handle_system.handle import Handle
from handle_system.resolving.native.messages import (
    RESOLUTION,
    SITE_INFO,
    Answer,
    Envelope,
    Message,
    MessageError,
    Query,
    string,
)
from handle_system.resolving.native.transport import Address, LostError
from handle_system.resolving.native.values import Site, read_site, read_values
from handle_system.resolving.outcomes import handle_or_none
from handle_system.resolving.rest_api import NOT_FOUND, SUCCESS

__all__ = ["PrefixNotRegisteredError", "ServiceError", "Sites", "Walk", "sites_in"]

#: How many exchanges one handle may cost.
MOST_STEPS: Final = 20
_SERVICE_TYPES: Final = (b"HS_SITE", b"HS_SITE.6", b"HS_SERV")
_REFERRALS: Final = frozenset({302, 303})

Exchange = Callable[[Address, Message], Message]
Sites = tuple[Site, ...]


class ServiceError(Exception):
    """No server could be found that answers for a handle; its text says why."""


class PrefixNotRegisteredError(ServiceError):
    """A root says that there is no such prefix."""


class Walk:
    """All exchanges for one handle.

    Args:
        top: The sites that are asked first: the roots, or one server.
        known: Sites of prefixes, by the prefix in capitals; grows.  `None` where
            `top` answers for every prefix.
        exchange: Sends a request to an address and gives the answer.
        prefer_udp: Whether UDP is tried before TCP.
    """

    def __init__(
        self,
        top: Sites,
        known: MutableMapping[str, Sites] | None,
        exchange: Exchange,
        *,
        prefer_udp: bool = False,
    ) -> None:
        self._top = top
        self._known = known
        self._exchange = exchange
        self._prefer_udp = prefer_udp
        self._steps = MOST_STEPS

    def resolve(self, handle: Handle) -> Message:
        """The answer of a server that is responsible for `handle`.

        Raises:
            ServiceError: when there is none; a `PrefixNotRegisteredError` when a
                root does not know the prefix.
            MessageError: when a server on the way names no site.
        """
        return self._ask(self._sites_of_prefix(handle.prefix), handle)

    def site_info(self) -> Site:
        """The site that the first of the top servers belongs to.

        Raises:
            ServiceError: when it does not say.
        """
        try:
            answer = self._send(self._top[0], 0, SITE_INFO, string("/"))
            return Site.from_json(read_site(answer.body))
        except (OSError, MessageError) as error:
            raise ServiceError(f"the server's site: {error}") from error

    def _ask(
        self, sites: Sequence[Site], handle: Handle, types: tuple[bytes, ...] = ()
    ) -> Message:
        """The answer of the first site that gives one; referrals are followed."""
        failure: Exception = ServiceError("no site serves it")
        name = str(handle).encode()
        query = Query(name, types=types).to_octets()
        for site in sorted(sites, key=lambda site: not site.primary):
            position = site.position_of(handle)
            try:
                answer = self._send(site, position, RESOLUTION, query)
                _check_name(answer, name)
            except (OSError, MessageError) as error:
                failure = error
                continue
            if answer.code in _REFERRALS:
                return self._ask(self._referred(answer), handle, types)
            return answer
        raise ServiceError(str(failure) or "timed out") from failure

    def _send(self, site: Site, position: int, opcode: int, body: bytes) -> Message:
        """The answer of one server of a site."""
        self._steps -= 1
        if self._steps < 0:
            raise ServiceError(f"not answered by {MOST_STEPS} servers")
        # Unguessable, for whoever forges datagrams.
        envelope = Envelope(secrets.randbits(31), 0)
        request = Message(opcode=opcode, body=body, envelope=envelope)
        server = site.servers[position]
        protocols = sorted({"TCP", "UDP"} & server.ports.keys())
        if not protocols:
            raise MessageError("a server that answers neither over TCP nor over UDP")
        addresses = [
            Address(server.host, server.ports[name], name) for name in protocols
        ]
        if self._prefer_udp:
            addresses.reverse()
        try:
            return self._exchange(addresses[0], request)
        except LostError:
            if len(addresses) == 1:
                raise
            return self._exchange(addresses[1], request)

    def _sites_of_prefix(self, prefix: str) -> Sites:
        """The sites of a prefix; the roots themselves serve the prefix 0."""
        if self._known is None or prefix.partition(".")[0] == "0":
            return self._top
        key = prefix.upper()
        if key not in self._known:
            answer = self._ask(self._top, Handle("0.NA", prefix), _SERVICE_TYPES)
            if answer.code == NOT_FOUND:
                raise PrefixNotRegisteredError(f"the prefix {prefix} is not registered")
            self._known[key] = self._sites_in_answer(answer)
        return self._known[key]

    def _referred(self, answer: Message) -> Sites:
        referral = Answer.of(answer)
        service = handle_or_none(referral.name.decode("utf-8", "replace"))
        if service is not None:
            return self._service(service)
        return self._sites_in(read_values(referral.values))

    def _service(self, service: Handle) -> Sites:
        """The sites that a service handle holds."""
        try:
            sites = self._sites_of_prefix(service.prefix)
        except PrefixNotRegisteredError as error:
            # News about the service, not about the handle that is asked for.
            raise ServiceError(str(error)) from error
        return self._sites_in_answer(self._ask(sites, service, _SERVICE_TYPES))

    def _sites_in_answer(self, answer: Message) -> Sites:
        if answer.code != SUCCESS:
            raise ServiceError(f"no service: response code {answer.code}")
        return self._sites_in(read_values(Answer.of(answer).values))

    def _sites_in(self, values: Iterable[Mapping[str, Any]]) -> Sites:
        sites, services = sites_in(values)
        for service in services:
            if not sites:
                sites = self._service(service)
        return sites


def sites_in(values: Iterable[Mapping[str, Any]]) -> tuple[Sites, list[Handle]]:
    """The sites in the values of a record, and the services that it names."""
    sites, services = [], []
    for value in values:
        data = value["data"]
        base = value["type"].upper().split(".")[0]
        if base == "HS_SITE" and data["format"] == "site":
            sites.append(Site.from_json(data["value"]))
        elif base == "HS_SERV" and data["format"] == "string":
            service = handle_or_none(data["value"])
            services += [] if service is None else [service]
    return tuple(sites), services


def _check_name(answer: Message, name: bytes) -> None:
    # Servers may write a name as it was registered, in other letter case.
    if answer.code == SUCCESS and Answer.of(answer).name.lower() != name.lower():
        raise MessageError("the answer is about another handle")
