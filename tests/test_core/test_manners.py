"""`handle_system.resolving.manners`: how much of a server's time is taken."""

import threading

import pytest

from handle_system.resolving.manners import (
    OWN_SERVER,
    PUBLIC_PROXY,
    RequestBudget,
    manners_for,
)


@pytest.mark.parametrize(
    "base",
    [
        "https://hdl.handle.net/",
        "https://doi.org/",
        "http://dx.doi.org/",
        "https://WWW.DOI.ORG:443/",
        "https://hdl.loc.gov./",
    ],
)
def test_public_proxies_are_asked_gently(base: str) -> None:
    """8 connections and 20 requests a second."""
    assert manners_for(base) == PUBLIC_PROXY
    assert (PUBLIC_PROXY.connections, PUBLIC_PROXY.rate) == (8, 20.0)


@pytest.mark.parametrize(
    "base",
    [
        "http://127.0.0.1:8000/",
        "http://localhost/",
        "https://resolver.example.org/hdl/",
        "https://notdoi.org/",
        "https://doi.org.example.org/",
    ],
)
def test_ones_own_server_sets_its_own_pace(base: str) -> None:
    """Loopback, and what an institution runs for itself."""
    assert manners_for(base) == OWN_SERVER
    assert (OWN_SERVER.connections, OWN_SERVER.rate) == (None, None)


def test_a_budget_is_spent_once() -> None:
    """However many threads draw on it at once."""
    budget = RequestBudget(100)
    taken: list[bool] = []

    def take() -> None:
        taken.extend(budget.take() for _ in range(50))

    threads = [threading.Thread(target=take) for _ in range(4)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()

    assert (taken.count(True), taken.count(False)) == (100, 100)
    assert (budget.left, budget.limit) == (0, 100)
