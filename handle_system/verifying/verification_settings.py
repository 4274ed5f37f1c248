"""Settings of a verification: the servers to ask, and how.

``conf.py``, ``[tool.handle]`` and the options of commands use the types that stand here,
so that each bound is written once.  A build hands the settings to its child process as
one line of JSON.
"""

from dataclasses import asdict, dataclass
from typing import Annotated, Any, Self, TypeAlias

from handle_system.resolving import (
    DEFAULT_RESOLVER,
    DEFAULT_TIMEOUT,
    HttpSettings,
    checked_address,
    is_address,
)
from handle_system.typed_values import Prefix, check_fields
from handle_system.verifying.handle_patterns import HandlePatterns
from handle_system.verifying.servers import canonical_server

#: How many connections are open at once, unless a project sets another number.
USUAL_CONNECTIONS = 8


def _check_resolver(name: str) -> None:
    if is_address(name):
        checked_address(name)


def _check_connections(number: int) -> None:
    # More connections gain nothing, and look like an attack.
    if not 1 <= number <= 256:
        raise ValueError(f"{number} connections are not from 1 to 256")


def _check_timeout(seconds: float) -> None:
    # No server answers in less than a millisecond.
    if not 0.001 <= seconds <= 600:
        raise ValueError(f"a time-out of {seconds} seconds is not from 0.001 to 600")


def _check_budget(number: int) -> None:
    if number < 0:
        raise ValueError(f"a budget of {number} is negative")


def _check_rate(rate: float) -> None:
    if not rate >= 0.001:
        raise ValueError(f"a rate of {rate} requests a second is not at least 0.001")


def _check_server(server: str) -> None:
    canonical_server(server)


def _check_pattern(pattern: str) -> None:
    HandlePatterns([pattern])


#: The base URL of a proxy, an ``hdl:`` address, or the path of a records file.
ResolverName: TypeAlias = Annotated[str, _check_resolver]
#: A server that references name: an IP address, or a host with its port.
ServerName: TypeAlias = Annotated[str, _check_server]
#: How many handles are asked for at the same time.
Connections: TypeAlias = Annotated[int, _check_connections]
#: The time limit of one request.
Seconds: TypeAlias = Annotated[float, _check_timeout]
#: How many handles servers are asked for in one run.
Budget: TypeAlias = Annotated[int, _check_budget]
#: Requests a second.
Rate: TypeAlias = Annotated[float, _check_rate]
#: A prefix, or a handle in which ``*`` stands for any text.
HandlePattern: TypeAlias = Annotated[str, _check_pattern]


@dataclass(frozen=True, slots=True, kw_only=True)
class VerificationSettings:
    """How to verify handles.

    Attributes:
        resolvers: Base URLs of proxies and paths of records files, in the order in
            which they are asked.
        servers: The servers that are asked for the references that name them, such as
            ``hdl://190.12.34.56/1234/567``; the resolvers are asked for all others.
        connections: The most connections open at once.
        timeout: Request timeout in seconds.
        cache: The path of the cache; `None` for no cache.
        budget: The most handles to ask for in one run.  Handles that were never
            verified come first, then those verified longest ago.
        rate: The most requests a second to each server; `None` for the usual limit.
        always_ask: Whether to ask also for handles that the cache has good news about.
        ignore_case: The prefixes under which the ASCII case of suffixes does not count.
        user_agent: The value of the ``User-Agent`` header; empty for the default.
        tls_verify: Whether to check certificates.
        tls_cacerts: Trusted authorities: a path, or a path for each host.

    Whoever makes one of values that nobody has checked calls `check_fields`.
    """

    resolvers: tuple[ResolverName, ...] = (DEFAULT_RESOLVER,)
    servers: tuple[ServerName, ...] = ()
    connections: Connections = USUAL_CONNECTIONS
    timeout: Seconds = DEFAULT_TIMEOUT
    cache: str | None = None
    budget: Budget | None = None
    rate: Rate | None = None
    always_ask: bool = False
    ignore_case: tuple[Prefix, ...] = ()
    user_agent: str = ""
    tls_verify: bool = True
    tls_cacerts: str | dict[str, str] | None = None

    @classmethod
    def from_line(cls, line: str | bytes) -> Self:
        """Read the line that `to_line` wrote.

        Raises:
            ValueError: when it is another line.
        """
        # Most programs that read settings hand them to no process.
        import json  # noqa: PLC0415 (see above)

        members: dict[str, Any] = json.loads(line)
        try:
            for name, value in members.items():
                if isinstance(value, list):
                    # JSON has no tuples.
                    members[name] = tuple(value)
            settings = cls(**members)
            check_fields(settings)
        except (AttributeError, TypeError) as error:
            raise ValueError("no settings of a verification") from error
        return settings

    def to_line(self) -> str:
        """All settings as one line of JSON, the password of a cache among them.

        Write it to a pipe: other users of a machine can read arguments.
        """
        # Most programs that read settings hand them to no process.
        import json  # noqa: PLC0415 (see above)

        return json.dumps(asdict(self))

    @property
    def canonical_servers(self) -> frozenset[str]:
        """The servers as ``host:port``, by which they are compared."""
        return frozenset(map(canonical_server, self.servers))

    @property
    def http(self) -> HttpSettings:
        """The settings of the HTTP client."""
        return HttpSettings(
            timeout=self.timeout,
            user_agent=self.user_agent,
            tls_verify=self.tls_verify,
            tls_cacerts=self.tls_cacerts,
        )
