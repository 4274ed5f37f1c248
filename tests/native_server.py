"""A handle server on loopback that speaks the Handle System's own protocol."""

from collections.abc import Iterator, Mapping
from contextlib import ExitStack, contextmanager

from handle_cli.responders import NativeResponder
from handle_cli.serving import native_servers
from handle_system.handle import Handle
from handle_system.resolving.outcomes import Outcome
from handle_system.resolving.resolvers import RecordsResolver
from tests.background import serving


class NativeServer(RecordsResolver):
    """The records of a server, which notes each handle that it is asked for.

    Attributes:
        netloc: Its host and port.
        asked: The handles, in the order of the requests.
    """

    def __init__(self, records: Mapping[str, object]) -> None:
        super().__init__(records)
        self.netloc = ""
        self.asked: list[str] = []

    def look_up(self, handle: Handle, /) -> Outcome:
        """Note the handle, and look it up."""
        self.asked.append(str(handle))
        return super().look_up(handle)


@contextmanager
def running_natively(records: Mapping[str, object]) -> Iterator[NativeServer]:
    """A server while the context lasts, over TCP and UDP.

    Args:
        records: As in a file of records.
    """
    server = NativeServer(records)
    with ExitStack() as stack:
        responder = NativeResponder(server)
        servers = native_servers(responder, "127.0.0.1", 0)
        tcp, *_ = [stack.enter_context(serving(each)) for each in servers]
        server.netloc = tcp.netloc
        yield server
