"""Asking a proxy server over HTTP."""

from types import TracebackType
from typing import Self
from urllib.parse import urlsplit

from handle_system.clock import SYSTEM_CLOCK, Clock
from handle_system.handle import Handle
from handle_system.http_settings import HttpSettings
from handle_system.outcome import Outcome, Unreachable
from handle_system.rest_api import Answer, api_path, outcome_of_answer

__all__ = ["ProxyResolver"]


class ProxyResolver:
    """Resolves by asking a proxy's REST interface."""

    def __init__(
        self,
        base_url: str,
        *,
        http: HttpSettings | None = None,
        tries: int = 3,
        clock: Clock = SYSTEM_CLOCK,
    ) -> None:
        # urllib3 is loaded by those who resolve over HTTP, and nobody else.
        from handle_system.transport import Transport  # noqa: PLC0415

        self.base_url = check_base(base_url)
        self._tries = tries
        self._clock = clock
        self._transport: Transport = Transport(self.base_url, http or HttpSettings())

    def resolve(self, handle: Handle, /) -> Outcome:
        """Ask for `handle`."""
        path = api_path(handle)
        outcome: Outcome = Unreachable("it was not asked")
        for number in range(self._tries):
            if number:
                self._clock.sleep(0.25 * 2 ** (number - 1))
            answer = self._transport.get(path)
            if isinstance(answer, Answer):
                outcome = outcome_of_answer(handle, answer)
                if answer.status not in {429, 502, 503, 504}:
                    return outcome
            else:
                outcome = Unreachable(answer.reason)
                if not answer.again:
                    return outcome
        return outcome

    def close(self) -> None:
        """Close the connections that are kept open."""
        self._transport.close()

    def __enter__(self) -> Self:
        return self

    def __exit__(
        self,
        kind: type[BaseException] | None,
        error: BaseException | None,
        trace: TracebackType | None,
    ) -> None:
        self.close()


def check_base(base_url: str) -> str:
    """The base of a proxy's addresses, ending in a slash.

    Raises:
        ValueError: when it is no http or https address, or one with a query, a
            fragment or credentials.
    """
    parts = urlsplit(base_url)
    if parts.scheme not in {"http", "https"} or not parts.hostname:
        raise ValueError(f"a proxy's base is an http or https URL, not {base_url!r}")
    if parts.query or parts.fragment or "@" in parts.netloc:
        raise ValueError(
            f"a proxy's base has no query, fragment or credentials: {base_url!r}"
        )
    return base_url if base_url.endswith("/") else f"{base_url}/"
