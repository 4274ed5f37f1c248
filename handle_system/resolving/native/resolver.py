"""Resolution over the Handle System's own protocol, past every HTTP interface.

Two kinds of addresses name who is asked::

    hdl://server[:port][?transport=udp]    this server, whatever the prefix
    hdl:[?roots=FILE]                      the responsible server, from the roots down

The roots stand in a file that the Handle System's own software keeps in
``~/.handle/bootstrap_handles`` and brings up to date.  None is built in: a list of
servers in a library goes stale unnoticed.
"""

import json
import threading
from collections.abc import Mapping
from contextlib import suppress
from pathlib import Path
from typing import Any, Final, Self
from urllib.parse import parse_qsl, urlsplit

from handle_system.handle import Handle
from handle_system.resolving.alias import follow_aliases
from handle_system.resolving.json_shape import RecordError
from handle_system.resolving.native.lookup import (
    PrefixNotRegisteredError,
    ServiceError,
    Sites,
    Walk,
    sites_in,
)
from handle_system.resolving.native.messages import SUCCESS, Answer, Message
from handle_system.resolving.native.octets import MessageError, OctetReader
from handle_system.resolving.native.sites import Server, Site
from handle_system.resolving.native.transport import Address, exchange
from handle_system.resolving.native.values import read_values
from handle_system.resolving.outcome import NotRegistered, Outcome, Unreachable
from handle_system.resolving.rest_api import outcome_of_body

__all__ = ["NativeResolver", "read_roots"]

#: The port of the Handle System (RFC 3652, section 2.3).
PORT: Final = 2641
_TIMEOUT: Final = 10.0
_NOT_RESPONSIBLE: Final = 301
_ROOT: Final = "0.NA/0.NA"
_LARGEST_ROOTS: Final = 4_000_000


class NativeResolver:
    """Asks handle servers over TCP or UDP.

    Args:
        top: The sites to ask first.
        from_roots: Whether `top` are roots, which know who is responsible; else they
            answer for every prefix.
        prefer_udp: Whether UDP is tried before TCP.
        timeout: Seconds for one exchange.
        name: What reports call it.
    """

    def __init__(
        self,
        top: Sites,
        *,
        from_roots: bool,
        prefer_udp: bool = False,
        timeout: float = _TIMEOUT,
        name: str = "hdl:",
    ) -> None:
        self.name = name
        self._top = top
        self._known: dict[str, Sites] | None = {} if from_roots else None
        self._prefer_udp = prefer_udp
        self._timeout = timeout
        self._site_asked = from_roots
        self._lock = threading.Lock()

    @classmethod
    def at(cls, address: str, *, timeout: float = _TIMEOUT) -> Self:
        """The resolver that an ``hdl:`` address names.

        Raises:
            ValueError: when it names none, or its file of roots cannot be read.
        """
        parts = urlsplit(address)
        options = dict(parse_qsl(parts.query, strict_parsing=bool(parts.query)))
        if parts.scheme != "hdl" or parts.path.strip("/") or parts.username:
            raise ValueError(f"{address!r} is not an address of a handle server")
        if parts.hostname is None:
            file = Path(options.pop("roots", "~/.handle/bootstrap_handles"))
            top, udp = read_roots(file.expanduser()), ""
        else:
            udp = options.pop("transport", "tcp").lower()
            port = parts.port or PORT
            top = (Site((Server(parts.hostname, {"TCP": port, "UDP": port}),)),)
        if options or udp not in {"", "tcp", "udp"}:
            raise ValueError(
                f"{address!r}: the options are roots=FILE of hdl: and "
                "transport=udp of hdl://"
            )
        return cls(
            top,
            from_roots=parts.hostname is None,
            prefer_udp=udp == "udp",
            timeout=timeout,
            name=address,
        )

    def resolve(self, handle: Handle, /) -> Outcome:
        """Resolve a handle; aliases are followed."""
        return follow_aliases(self._resolve(handle), self._resolve)

    def _resolve(self, handle: Handle) -> Outcome:
        try:
            answer = self._walk().resolve(handle)
            if answer.code == _NOT_RESPONSIBLE and self._learn_site():
                answer = self._walk().resolve(handle)
            return outcome_of_body(handle, _as_json(handle, answer))
        except PrefixNotRegisteredError:
            return NotRegistered()
        except (ServiceError, MessageError, RecordError) as error:
            return Unreachable(str(error))

    def _walk(self) -> Walk:
        return Walk(self._top, self._known, self._exchange, prefer_udp=self._prefer_udp)

    def _exchange(self, address: Address, request: Message) -> Message:
        return exchange(address, request, self._timeout)

    def _learn_site(self) -> bool:
        """Whether the server turned out to be one of several, each of which has a part.

        A server that is asked for another's part says that it is not responsible.
        """
        with self._lock:
            if not self._site_asked:
                site = self._walk().site_info()
                self._site_asked = True
                if len(site.servers) > 1:
                    self._top = (site,)
            return len(self._top[0].servers) > 1


def read_roots(file: Path) -> Sites:
    """The root sites in a file ``{"handles": {"0.NA/0.NA": {"values": […]}, …}}``.

    The record of ``0.NA/0.NA`` holds sites, or names services that are in the file.

    Raises:
        ValueError: when the file cannot be read or holds no root.
    """
    try:
        if file.stat().st_size > _LARGEST_ROOTS:
            raise ValueError(f"{file}: more than {_LARGEST_ROOTS} octets")
        records: Mapping[str, Any] = json.loads(file.read_bytes())["handles"]
        pending, sites = [_ROOT], list[Site]()
        for name in pending:
            found, services = sites_in(records[name]["values"])
            sites += found
            pending += [
                str(service)
                for service in services
                if str(service) in records and str(service) not in pending
            ]
    except OSError as error:
        raise ValueError(f"{file}: {error.strerror}") from error
    except (KeyError, RecursionError, TypeError) as error:
        raise ValueError(f"{file}: not a file of roots: {error!r}") from error
    if not sites:
        raise ValueError(f"{file}: {_ROOT} names no site")
    return tuple(sites)


def _as_json(handle: Handle, message: Message) -> dict[str, object]:
    """The answer as a proxy writes it."""
    if message.code == SUCCESS:
        answer = Answer.of(message)
        return {
            "responseCode": SUCCESS,
            "handle": answer.name.decode("utf-8", "replace"),
            "values": read_values(answer.values),
        }
    # Only an answer that succeeds repeats the handle; its request's number is checked.
    error: dict[str, object] = {"responseCode": message.code, "handle": str(handle)}
    with suppress(MessageError):
        error["message"] = OctetReader(message.body).text()
    return error
