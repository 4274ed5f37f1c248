"""How much of a server's time is taken.

The public proxies are everybody's, and publish no limit; 8 connections and 20
requests a second stay well below what their other polite clients take (about
10 connections a host).  A server on loopback, and one that an institution runs
for itself, set their own pace by how fast they answer.
"""

import threading
from dataclasses import dataclass
from urllib.parse import urlsplit

__all__ = ["OWN_SERVER", "PUBLIC_PROXY", "Manners", "RequestBudget", "manners_for"]


@dataclass(frozen=True, slots=True, kw_only=True)
class Manners:
    """How a server is asked.

    Attributes:
        connections: How many at once, at most; `None` for as many as ask.
        rate: Requests a second, at most; `None` for no limit.
        tries: How often one handle is asked for while no answer comes.
        give_up_after: So many handles in a row without an answer, and the
            server is left alone.
        give_up_for: For so many seconds; then one handle is tried.
    """

    connections: int | None = None
    rate: float | None = None
    tries: int = 3
    give_up_after: int = 12
    give_up_for: float = 30.0


OWN_SERVER = Manners()
PUBLIC_PROXY = Manners(connections=8, rate=20.0)

# Domains whose proxies serve the public; theirs are all hosts below them, too.
_PUBLIC_DOMAINS = ("handle.net", "doi.org", "loc.gov")


def manners_for(base_url: str) -> Manners:
    """The manners to show to a proxy, by its host.

    >>> manners_for("https://hdl.handle.net/").rate
    20.0
    """
    host = (urlsplit(base_url).hostname or "").rstrip(".")
    public = any(
        host == domain or host.endswith(f".{domain}") for domain in _PUBLIC_DOMAINS
    )
    return PUBLIC_PROXY if public else OWN_SERVER


class RequestBudget:
    """How many requests a whole run may make, over all its resolvers.

    Attributes:
        limit: That number.
    """

    __slots__ = ("_left", "_lock", "limit")

    def __init__(self, limit: int) -> None:
        self.limit = limit
        self._left = limit
        self._lock = threading.Lock()

    @property
    def left(self) -> int:
        """How many remain."""
        return self._left

    def take(self) -> bool:
        """Take one; whether there was one to take."""
        with self._lock:
            if self._left <= 0:
                return False
            self._left -= 1
            return True
