"""Asking a proxy server over HTTP.

This is the loop around three parts that know nothing of each other: what is
asked and answered (`handle_system.resolving.old_rest_api`), how octets travel
(`handle_system.resolving.transport`), and when a request may go (`handle_system.resolving.host_gate`).

Whatever a server does, one handle takes at most its tries times the time-out,
and one second for the pauses between them, from its first request on.
"""

from collections.abc import Callable
from types import TracebackType
from typing import Self
from urllib.parse import urlsplit

from handle_system.bases import checked_base
from handle_system.handle import Handle
from handle_system.resolving.alias import follow_aliases, leads_on
from handle_system.resolving.answer import Answer, NoAnswer
from handle_system.resolving.asked_once import AskedOnce
from handle_system.resolving.clock import SYSTEM_CLOCK, Clock
from handle_system.resolving.host_gate import HostGate
from handle_system.resolving.http_settings import HttpSettings
from handle_system.resolving.inquiry import Inquiry, Step
from handle_system.resolving.manners import Manners, RequestBudget, manners_for
from handle_system.resolving.old_rest_api import Reading, api_path, read_answer
from handle_system.resolving.outcome import Outcome, Unreachable
from handle_system.resolving.retry_after import retry_after_seconds
from handle_system.text import several

__all__ = ["ProxyResolver"]

# For all pauses of one handle together, and for one of them where the server
# does not say.
_PAUSES = 0.9
_PAUSE = 0.5


class ProxyResolver:
    """Resolves by asking a proxy's REST interface, and follows aliases.

    Safe to be used by many threads.  Close it, or use it as a context, to close
    the connections that it keeps.

    Attributes:
        name: The proxy's base URL: by this name a cache knows the resolver.
    """

    name: str

    def __init__(  # noqa: PLR0913 (one for each choice)
        self,
        base_url: str,
        *,
        http: HttpSettings | None = None,
        manners: Manners | None = None,
        budget: RequestBudget | None = None,
        notice: Callable[[str], object] = lambda _text: None,
        clock: Clock = SYSTEM_CLOCK,
        once: bool = False,
    ) -> None:
        """Prepare to ask the proxy at `base_url`; nothing is sent yet.

        Args:
            base_url: What comes before ``api/handles/``, such as
                ``https://hdl.handle.net/``.
            http: Time-out, certificates, HTTP proxies, user agent.
            manners: How it is asked; by default as befits its host.
            budget: How many requests may be made, shared with whom it is given
                to as well.
            notice: Is told, once and in one line, when the proxy is given up.
            clock: What time it is.
            once: Whether an answer holds for as long as this resolver is used, as
                in a run over many handles, of which some stand for the same.

        Raises:
            ValueError: when `base_url` is no http or https address or holds
                more than a base, or certificates to be trusted cannot be read.
        """
        # urllib3 is loaded by those who resolve over HTTP, and nobody else.
        from handle_system.resolving.transport import Transport  # noqa: PLC0415 (see above)

        self.name = checked_base(base_url)
        self._http = http or HttpSettings()
        self._manners = manners or manners_for(self.name)
        self._budget = budget
        self._clock = clock
        # How late the last try may begin, counted from when the first did.
        self._patience = self._http.timeout * (self._manners.tries - 1) + 1.0
        host = urlsplit(self.name).netloc
        self._gate = HostGate(host, self._manners, clock, notice)
        self._transport: Transport = Transport(self.name, self._http)
        self._once = AskedOnce(self._ask_server) if once else None
        self._ask = self._once or self._ask_server

    def resolve(self, handle: Handle, /) -> Outcome:
        """What comes of asking the proxy for `handle`."""
        return follow_aliases(self._ask(handle), self._ask)

    def inquire(self, handle: Handle, /) -> Inquiry | None:
        """What to ask the proxy for `handle`, where nothing holds it back."""
        if not self._gate.stands_open or self._budget is not None:
            return None
        if self._once is not None and not self._once.begin(handle):
            return None
        begun = self._clock.monotonic()
        return Inquiry(
            self._transport,
            api_path(handle),
            conclude=lambda answer: self._conclude(handle, begun, answer),
            abandon=lambda: self._settle(handle, None),
        )

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

    def _ask_server(
        self,
        handle: Handle,
        begun: float | None = None,
        answer: Answer | NoAnswer | None = None,
    ) -> Outcome:
        """One handle, aliases not followed.

        Args:
            handle: The handle.
            begun: When it was first asked for, if it was.
            answer: What came of that.
        """
        refusal = self._gate.refusal() if answer is None else None
        if refusal is not None:
            return Unreachable(refusal)
        path = api_path(handle)
        tries = 1 if self._gate.doubtful else self._manners.tries
        outcome: Outcome
        for number in range(tries):
            if answer is None:
                if self._budget is not None and not self._budget.take():
                    limit = several(self._budget.limit, "request")
                    return Unreachable(f"not asked: the budget of {limit} is spent")
                self._gate.enter()
                try:
                    begun = self._clock.monotonic() if begun is None else begun
                    answer = self._transport.get(path)
                finally:
                    self._gate.leave()
            reading = _read(handle, answer)
            outcome = reading.outcome
            if reading.spoke:
                self._gate.report(answered=True)
                return outcome
            may_wait = 0.0
            if reading.again and begun is not None and number + 1 < tries:
                may_wait = begun + self._patience - self._clock.monotonic()
            if not self._pause(answer, number, may_wait):
                break
            answer = None
        self._gate.report(answered=False)
        return outcome

    def _conclude(
        self, handle: Handle, begun: float, answer: Answer | NoAnswer
    ) -> Step:
        """What the answer to an inquiry leads to."""
        try:
            reading = _read(handle, answer)
        except BaseException:
            self._settle(handle, None)
            raise
        if not reading.spoke:
            # Who wants to know as well does not wait for what waits for a thread: all
            # of them may be taken by those who do.
            self._settle(handle, None)
            return lambda: self._ask_on(handle, begun, answer)
        self._gate.report(answered=True)
        outcome = reading.outcome
        self._settle(handle, outcome)
        if leads_on(outcome):
            return lambda: follow_aliases(outcome, self._ask)
        return outcome

    def _ask_on(
        self, handle: Handle, begun: float, answer: Answer | NoAnswer
    ) -> Outcome:
        """One handle, of which an inquiry has learned nothing."""

        def ask_on(handle: Handle) -> Outcome:
            return self._ask_server(handle, begun, answer)

        outcome = self._once(handle, ask_on) if self._once else ask_on(handle)
        return follow_aliases(outcome, self._ask)

    def _settle(self, handle: Handle, outcome: Outcome | None) -> None:
        if self._once is not None:
            self._once.end(handle, outcome)

    def _pause(self, answer: Answer | NoAnswer, number: int, may_wait: float) -> bool:
        """Wait before the next try, or let all wait; whether there is to be one."""
        seconds = min(_PAUSE, _PAUSES * 2**number / (2 ** (self._manners.tries - 1)))
        if isinstance(answer, Answer) and answer.is_busy:
            wanted = retry_after_seconds(answer.retry_after or "", self._clock.now())
            seconds = seconds if wanted is None else wanted
            self._gate.pause(min(seconds, self._patience))
            return seconds <= may_wait
        if seconds > may_wait:
            return False
        self._clock.sleep(seconds)
        return True


def _read(handle: Handle, answer: Answer | NoAnswer) -> Reading:
    if isinstance(answer, NoAnswer):
        return Reading(Unreachable(answer.reason), spoke=False, again=answer.again)
    return read_answer(handle, answer)
