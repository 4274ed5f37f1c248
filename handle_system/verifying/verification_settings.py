"""Settings of a verification: the servers to ask, and how."""

from collections.abc import Mapping
from dataclasses import dataclass
from typing import TYPE_CHECKING
from urllib.parse import urlsplit

from handle_system.bases import checked_base

if TYPE_CHECKING:
    from handle_system.resolving.http_client import HttpSettings

__all__ = [
    "DEFAULT_RESOLVER",
    "DEFAULT_TIMEOUT",
    "LONGEST_TIMEOUT",
    "MOST_CONNECTIONS",
    "VerificationSettings",
    "is_address",
]

#: The resolver without configuration.  It answers for every handle, also for DOIs.
DEFAULT_RESOLVER = "https://hdl.handle.net/"

#: Seconds.
DEFAULT_TIMEOUT = 10.0
#: More connections gain nothing, and look like an attack.
MOST_CONNECTIONS = 256
#: Seconds.
LONGEST_TIMEOUT = 600


@dataclass(frozen=True, slots=True, kw_only=True)
class VerificationSettings:
    """How to verify handles.

    Attributes:
        resolvers: Base URLs of proxies and paths of records files, in the order in
            which they are asked.
        connections: The most connections open at once.
        timeout: Request timeout in seconds.
        cache: The path of the cache; `None` for no cache.
        budget: The most handles to ask for in one run.  Handles that were never
            verified come first, then those verified longest ago.
        user_agent: The value of the ``User-Agent`` header; empty for the default.
        tls_verify: Whether to check certificates.
        tls_cacerts: Trusted authorities: a path, or a path for each host.

    Raises:
        ValueError: A resolver is neither a base URL nor a path, or a number is out of
            bounds.
    """

    resolvers: tuple[str, ...] = (DEFAULT_RESOLVER,)
    connections: int = 8
    timeout: float = DEFAULT_TIMEOUT
    cache: str | None = None
    budget: int | None = None
    user_agent: str = ""
    tls_verify: bool = True
    tls_cacerts: str | Mapping[str, str] | None = None

    def __post_init__(self) -> None:
        for resolver in self.resolvers:
            if is_address(resolver):
                checked_base(resolver)
        if not 1 <= self.connections <= MOST_CONNECTIONS:
            raise ValueError(
                f"{self.connections} connections are not from 1 to {MOST_CONNECTIONS}"
            )
        if not 0 < self.timeout <= LONGEST_TIMEOUT:
            raise ValueError(
                f"a time-out of {self.timeout} is not one of up to {LONGEST_TIMEOUT} seconds"
            )
        if self.budget is not None and self.budget < 0:
            raise ValueError(f"a budget of {self.budget} is negative")

    @property
    def http(self) -> "HttpSettings":
        """The settings of the HTTP client."""
        # Loads the client, which settings alone do not need.
        from handle_system.resolving.http_client import HttpSettings  # noqa: PLC0415 (see above)

        return HttpSettings(
            timeout=self.timeout,
            user_agent=self.user_agent,
            tls_verify=self.tls_verify,
            tls_cacerts=self.tls_cacerts,
        )

    def filter_arguments(self) -> list[str]:
        """The arguments that give these settings to the resolving filter."""
        arguments = [f"--resolver={each}" for each in self.resolvers]
        arguments += [f"--connections={self.connections}", f"--timeout={self.timeout}"]
        if self.cache is not None:
            arguments.append(f"--cache={self.cache}")
        if self.budget is not None:
            arguments.append(f"--budget={self.budget}")
        if self.user_agent:
            arguments.append(f"--user-agent={self.user_agent}")
        if not self.tls_verify:
            arguments.append("--no-tls-verify")
        if isinstance(self.tls_cacerts, str):
            arguments.append(f"--tls-cacerts={self.tls_cacerts}")
        elif self.tls_cacerts is not None:
            for host, path in self.tls_cacerts.items():
                arguments.append(f"--tls-cacerts={host}={path}")
        return arguments


def is_address(resolver: str) -> bool:
    """Whether a resolver is given by a URL; anything else is a path.

    The drive of a Windows path is a "scheme" of one letter.
    """
    return len(urlsplit(resolver).scheme) > 1
