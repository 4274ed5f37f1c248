"""Whom to ask when handles are verified, and how: plain data for a pipe."""

from collections.abc import Mapping
from dataclasses import asdict, dataclass, fields
from typing import Any
from urllib.parse import urlsplit

from handle_system.bases import checked_base
from handle_system.resolving.http_settings import DEFAULT_TIMEOUT, HttpSettings

__all__ = [
    "DEFAULT_RESOLVER",
    "LONGEST_TIMEOUT",
    "MOST_CONNECTIONS",
    "VerificationSettings",
]

#: The proxy that is asked without configuration: it answers for every handle,
#: DOIs among them, from their own records.
DEFAULT_RESOLVER = "https://hdl.handle.net/"

#: More at once help nobody, and would be taken for an attack.
MOST_CONNECTIONS = 256
#: Seconds.
LONGEST_TIMEOUT = 600


@dataclass(frozen=True, slots=True, kw_only=True)
class VerificationSettings:
    """How handles are verified.

    Attributes:
        resolvers: Proxies' base URLs, and paths of records files, asked in
            this order.
        connections: How many connections may be open at once.
        timeout: Seconds for one request.
        cache: Path of the cache; `None` for none.
        budget: How many handles may be asked for at most; those whose last
            verification is longest ago come first.
        user_agent: Who asks; empty for this library's name.
        tls_verify: Whether certificates are checked.
        tls_cacerts: Authorities to trust: a path, or one for each host.

    Raises:
        ValueError: when a resolver is neither a base URL nor a path, or a number is
            out of bounds.
    """

    resolvers: tuple[str, ...] = (DEFAULT_RESOLVER,)
    connections: int = 8
    timeout: float = DEFAULT_TIMEOUT
    cache: str | None = None
    budget: int | None = None
    user_agent: str = ""
    tls_verify: bool = True
    tls_cacerts: str | dict[str, str] | None = None

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
            raise ValueError(f"a budget of {self.budget} is less than nothing")

    @property
    def is_local(self) -> bool:
        """Whether no resolver is asked over the network."""
        return not any(map(is_address, self.resolvers))

    @property
    def http(self) -> HttpSettings:
        """What of it is about HTTP, with what the environment says."""
        return HttpSettings(
            timeout=self.timeout,
            user_agent=self.user_agent,
            tls_verify=self.tls_verify,
            tls_cacerts=self.tls_cacerts,
        )

    def to_json(self) -> dict[str, object]:
        """The settings as plain JSON."""
        return asdict(self)

    @classmethod
    def from_json(cls, members: Mapping[str, object]) -> "VerificationSettings":
        """The settings that `to_json` gave."""
        known: dict[str, Any] = {each.name: members[each.name] for each in fields(cls)}
        return cls(**{**known, "resolvers": tuple(known["resolvers"])})


def is_address(resolver: str) -> bool:
    """Whether a resolver is named by a URL; anything else is a path.

    A Windows path has a "scheme" of one letter.
    """
    return len(urlsplit(resolver).scheme) > 1
