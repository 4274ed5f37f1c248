"""A connection that one thread looks after, among many others."""

from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from handle_system.resolving.connections import PlainConnection
    from handle_system.resolving.inquiry import Inquiry
    from handle_system.resolving.transport import Transport

__all__ = ["Line"]


class Line:
    """A connection, and what is asked over it.

    Attributes:
        transport: To whom it leads.
        connection: The connection.
        socket: Its socket.
        key: Of the handle that is asked for.
        inquiry: What is asked, until the answer comes.
        deadline: When that is to be here.
    """

    __slots__ = ("connection", "deadline", "inquiry", "key", "socket", "transport")

    def __init__(self, transport: "Transport", connection: "PlainConnection") -> None:
        self.transport = transport
        self.connection = connection
        self.socket = connection.sock
        self.key = ""
        self.inquiry: Inquiry | None = None
        self.deadline = 0.0
