"""Settings of a verification: the servers to ask, and how."""

from collections.abc import Mapping
from dataclasses import dataclass

from handle_system.resolving import (
    DEFAULT_RESOLVER,
    DEFAULT_TIMEOUT,
    HttpSettings,
    checked_address,
    is_address,
)

__all__ = ["VerificationSettings"]


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
                checked_address(resolver)
        # More connections gain nothing, and look like an attack.
        if not 1 <= self.connections <= 256:
            raise ValueError(f"{self.connections} connections are not from 1 to 256")
        if not 0 < self.timeout <= 600:
            raise ValueError(
                f"a time-out of {self.timeout} is not one of up to 600 seconds"
            )
        if self.budget is not None and self.budget < 0:
            raise ValueError(f"a budget of {self.budget} is negative")

    @property
    def http(self) -> HttpSettings:
        """The settings of the HTTP client."""
        return HttpSettings(
            timeout=self.timeout,
            user_agent=self.user_agent,
            tls_verify=self.tls_verify,
            tls_cacerts=self.tls_cacerts,
        )

    def filter_arguments(self) -> list[str]:
        """The arguments that give these settings to the resolving filter.

        Without the cache: its URL may hold a password, and other users of a machine
        can read arguments.
        """
        cacerts = [self.tls_cacerts] if isinstance(self.tls_cacerts, str) else []
        if isinstance(self.tls_cacerts, Mapping):
            cacerts = [f"{host}={path}" for host, path in self.tls_cacerts.items()]
        options = [
            *(("resolver", each) for each in self.resolvers),
            ("connections", self.connections),
            ("timeout", self.timeout),
            ("budget", self.budget),
            ("user-agent", self.user_agent or None),
            *(("tls-cacerts", each) for each in cacerts),
        ]
        return [
            *(f"--{name}={value}" for name, value in options if value is not None),
            *([] if self.tls_verify else ["--no-tls-verify"]),
        ]
