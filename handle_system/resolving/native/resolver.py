"""Resolution over the Handle System's own protocol, past every HTTP interface.

The roots stand in a file that the Handle System's own software keeps in
``~/.handle/bootstrap_handles`` and brings up to date.  None is built in: a list of
servers in a library goes stale unnoticed.
"""

import json
import threading
import time
from contextlib import suppress
from functools import partial
from pathlib import Path
from typing import Any, Final

from handle_system.errors import showable
from handle_system.handle import Handle
from handle_system.resolving.gate import Budget, Gate, RateLimit
from handle_system.resolving.native.addresses import NativeAddress
from handle_system.resolving.native.lookup import (
    PrefixNotRegisteredError,
    ServiceError,
    Sites,
    Walk,
    sites_in,
)
from handle_system.resolving.native.messages import (
    Answer,
    Message,
    MessageError,
    OctetReader,
)
from handle_system.resolving.native.transport import Address, LostError, exchange
from handle_system.resolving.native.values import Server, Site, read_values
from handle_system.resolving.outcomes import (
    NotRegistered,
    Outcome,
    Unreachable,
    follow_aliases,
)
from handle_system.resolving.records import RecordError
from handle_system.resolving.rest_api import NOT_RESPONSIBLE, SUCCESS, outcome_of_body

__all__ = ["NativeResolver", "read_roots"]

# Seconds between two tries.
_PAUSE: Final = 0.2
_ROOT: Final = "0.NA/0.NA"
_LARGEST_ROOTS: Final = 4_000_000


class NativeResolver:
    """Asks handle servers over TCP or UDP, and follows aliases.

    Attributes:
        name: Its address; a cache knows the resolver by it.
    """

    def __init__(
        self,
        address: str,
        *,
        timeout: float = 10.0,
        rate: float | None = None,
        budget: Budget | None = None,
    ) -> None:
        """Prepare to ask the servers behind `address`; nothing is sent yet.

        Args:
            address: See `NativeAddress`.
            timeout: Seconds for one exchange.
            rate: Requests a second to each server, at most; by default 20 on the way
                from the roots down, and no limit for a server that is named.
            budget: How many handles may be asked for.

        Raises:
            ValueError: when it is no such address, or its roots cannot be read.
        """
        where = NativeAddress.parse(address)
        self.name = address
        self._known: dict[str, Sites] | None = None
        self._top: Sites
        is_server = where.host is not None
        if where.host is None:
            self._top, self._known = read_roots(where.roots.expanduser()), {}
        else:
            ports = {"TCP": where.port, "UDP": where.port}
            self._top = (Site((Server(where.host, ports),)),)
        limit = RateLimit() if is_server else RateLimit(connections=8, rate=20.0)
        self._limit = limit if rate is None else RateLimit(rate=rate)
        self._gates: dict[str, Gate] = {}
        self._prefer_udp = where.protocol == "UDP"
        self._site_is_known = not is_server
        self._timeout = timeout
        self._budget = budget
        self._lock = threading.Lock()

    def resolve(self, handle: Handle, /) -> Outcome:
        """The outcome of asking the server that is responsible for `handle`."""
        return follow_aliases(self._ask(handle), self._ask)

    def _ask(self, handle: Handle) -> Outcome:
        if self._budget is not None and not self._budget.take():
            return Unreachable(self._budget.refusal)
        try:
            answer = self._walk().resolve(handle)
            if answer.code == NOT_RESPONSIBLE and self._is_one_of_several():
                answer = self._walk().resolve(handle)
            return _outcome_of(handle, answer)
        except PrefixNotRegisteredError:
            return NotRegistered()
        except (ServiceError, MessageError, RecordError) as error:
            return Unreachable(showable(str(error)))

    def _walk(self) -> Walk:
        # However many servers refer to each other, a handle takes no longer.
        deadline = time.monotonic() + self._timeout * self._limit.tries
        exchange = partial(self._exchange, deadline)
        return Walk(self._top, self._known, exchange, prefer_udp=self._prefer_udp)

    def _exchange(self, deadline: float, address: Address, request: Message) -> Message:
        """Exchange messages with a server, as often as its gate lets us try.

        Raises:
            OSError, MessageError: when the last try fails.
        """
        gate = self._gates.setdefault(address.host, Gate(self._limit))
        if gate.is_closed():
            raise OSError(gate.refusal(address.host))
        tries = 1 if gate.is_doubtful else gate.limit.tries
        for left in reversed(range(tries)):
            try:
                with gate.connections:
                    gate.wait()
                    seconds = min(self._timeout, deadline - time.monotonic())
                    answer = exchange(address, request, max(seconds, 0.0))
            except (OSError, MessageError) as error:
                if left and not isinstance(error, LostError):
                    gate.sleep(_PAUSE)
                    continue
                gate.report(answered=False)
                raise
            gate.report(answered=True)
            break
        return answer

    def _is_one_of_several(self) -> bool:
        """Whether the server turns out to be one of several that share their handles.

        Asked for a handle of another server, it says that it is not responsible.
        """
        with self._lock:
            if not self._site_is_known:
                self._site_is_known = True
                with suppress(ServiceError):
                    self._top = (self._walk().site_info(),)
        return self._known is None and len(self._top[0].servers) > 1


def read_roots(file: Path) -> Sites:
    """The root sites in a file ``{"handles": {"0.NA/0.NA": {"values": […]}, …}}``.

    The record of ``0.NA/0.NA`` holds sites, or names services that are in the file.

    Raises:
        ValueError: when the file cannot be read or holds no root.
    """
    try:
        if file.stat().st_size > _LARGEST_ROOTS:
            raise ValueError(f"{file}: more than {_LARGEST_ROOTS} octets")
        records: dict[str, Any] = json.loads(file.read_bytes())["handles"]
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
    except (AttributeError, KeyError, RecursionError, TypeError) as error:
        raise ValueError(f"{file}: not a file of roots: {error!r}") from error
    if not sites:
        raise ValueError(f"{file}: {_ROOT} names no site")
    return tuple(sites)


def _outcome_of(handle: Handle, message: Message) -> Outcome:
    """The outcome that an answer means, as if a proxy had written it."""
    # The walk has compared the handle; only an answer that succeeds repeats it.
    body: dict[str, object] = {"responseCode": message.code, "handle": str(handle)}
    if message.code == SUCCESS:
        body["values"] = read_values(Answer.of(message).values)
    else:
        with suppress(MessageError):
            body["message"] = OctetReader(message.body).text()
    return outcome_of_body(handle, body)
