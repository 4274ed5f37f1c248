"""Servers that references name are asked only if a setting names them, too."""

from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st

from handle_system import Handle, HandleReference
from handle_system.typed_values import check_fields
from handle_system.verifying.process import VerificationProcess
from handle_system.verifying.servers import (
    canonical_server,
    key_at_server,
    line_of,
    read_line,
    server_to_ask,
    server_to_ask_for,
)
from handle_system.verifying.verification_settings import VerificationSettings
from tests.native_server import running_natively
from tests.proxy_server import running
from tests.strategies import handles

pytestmark = pytest.mark.slow

HANDLE = Handle("20.1000", "1")
PROXY = {"20.1000/1": "https://example.org/proxy"}
NATIVE = {"20.1000/1": "https://example.org/native"}


@pytest.mark.parametrize(
    ("server", "canonical"),
    [
        ("190.12.34.56", "190.12.34.56:2641"),
        ("190.12.34.56:02641", "190.12.34.56:2641"),
        ("H.Example.org:2642", "h.example.org:2642"),
        ("[0:0:0:0:0:0:0:1]", "[::1]:2641"),
    ],
)
def test_a_server_has_one_name(server: str, canonical: str) -> None:
    """Letter case, the usual port and the spelling of an IPv6 address do not count."""
    reference = HandleReference.parse(f"hdl://{server}/20.1000/1")

    assert canonical_server(server) == canonical
    assert server_to_ask(reference.server, {canonical}) == canonical
    assert server_to_ask_for(f"hdl://{server}/20.1000/1", {canonical}) == canonical


@pytest.mark.parametrize(
    "text",
    [
        *("", "h.example.org", "a b", "190.12.34.56/20.1", "hdl://190.12.34.56", "::1"),
        *("u@190.12.34.56", "190.12.34.56?x", "190.12.34.56:0", "190.12.34.56:65536"),
    ],
)
def test_a_server_that_no_reference_can_name_is_refused(text: str) -> None:
    """A name without a port is the prefix of a reference, so it is no server."""
    with pytest.raises(ValueError) as caught:
        check_fields(VerificationSettings(servers=(text,)))

    assert str(caught.value) == (
        f"{text!r} is not a server: write an IP address, or a host with its port, "
        "such as 190.12.34.56 or h.example.org:2641"
    )


@pytest.mark.parametrize(
    "written",
    [
        *("hdl:20.1000/1", "20.1000/1//x", "https://example.org/", "no // handle"),
        *("hdl://h.example.org:2642/20.1000/1", "hdl://h.example.org/20.1000/1"),
    ],
)
def test_other_references_are_for_the_resolvers(written: str) -> None:
    """Another server, another port, and text that is no reference ask nobody."""
    assert server_to_ask_for(written, {"h.example.org:2641"}) is None


def test_a_key_at_a_server_is_no_other_handles_key() -> None:
    """A handle has one key for the resolvers, and one for each server."""
    handle = Handle.parse("20.1000/A")

    assert key_at_server(handle, None) == handle.comparison_key
    assert key_at_server(handle, "h:1") == "h:1/20.1000/A"


@given(handles, st.sampled_from([None, "190.12.34.56:2641", "h.example.org:1"]))
def test_a_line_to_the_process_is_read_as_it_was_meant(
    handle: Handle, server: str | None
) -> None:
    """Every handle comes back in its spelling, with its server, on one line."""
    line = line_of(handle, server)
    read, its_server = read_line(line)

    assert "\n" not in line
    assert (str(read), its_server) == (str(handle), server)


def test_the_process_asks_the_server_and_the_resolvers_apart() -> None:
    """One handle has a verdict from the server, and one from the resolvers."""
    with running(PROXY) as proxy, running_natively(NATIVE) as server:
        settings = VerificationSettings(
            resolvers=(proxy.url,), servers=(server.netloc,)
        )
        process = VerificationProcess(settings)
        handles = {"20.1000/1": HANDLE, "at it": HANDLE, "none": Handle("20.1000", "2")}
        process.submit(handles, {"at it": server.netloc, "none": server.netloc})
        verdicts = process.finish()

    targets = {key: verdict.target for key, verdict in verdicts.items()}
    assert targets == {
        "20.1000/1": "https://example.org/proxy",
        "at it": "https://example.org/native",
        "none": None,
    }
    assert verdicts["none"].description == "this handle is not registered"
    assert proxy.asked == {"20.1000/1": 1}
    assert sorted(server.asked) == ["20.1000/1", "20.1000/2"]


def test_a_line_alone_sends_nobody_anywhere() -> None:
    """A server that no setting names gets no request: the resolvers do."""
    with running(PROXY) as proxy, running_natively(NATIVE) as server:
        process = VerificationProcess(VerificationSettings(resolvers=(proxy.url,)))
        process.submit({"at it": HANDLE}, {"at it": server.netloc})
        verdicts = process.finish()

    assert verdicts["at it"].target == "https://example.org/proxy"
    assert server.asked == []


def test_servers_and_resolvers_share_a_budget() -> None:
    """The budget is that of the run."""
    with running(PROXY) as proxy, running_natively(NATIVE) as server:
        settings = VerificationSettings(
            resolvers=(proxy.url,), servers=(server.netloc,), budget=1
        )
        process = VerificationProcess(settings)
        handles = {"20.1000/1": HANDLE, "at it": HANDLE}
        process.submit(handles, {"at it": server.netloc})
        reasons = {verdict.reason for verdict in process.finish().values()}

    assert reasons == {"", "not asked: the budget of 1 handle is spent"}
    assert len(server.asked) + proxy.asked.total() == 1


def test_a_cache_keeps_the_answers_of_the_server_apart(tmp_path: Path) -> None:
    """The second run asks nobody; asked again, the server is, and not the resolvers."""
    with running(PROXY) as proxy, running_natively(NATIVE) as server:
        settings = VerificationSettings(
            resolvers=(proxy.url,),
            servers=(server.netloc,),
            cache=str(tmp_path / "cache.sqlite"),
        )
        for _ in range(2):
            process = VerificationProcess(settings)
            handles = {"20.1000/1": HANDLE, "at it": HANDLE}
            process.submit(handles, {"at it": server.netloc})
            verdicts = process.finish()
        again = process.ask_again({"at it": verdicts["at it"]})

    assert verdicts["20.1000/1"].target == "https://example.org/proxy"
    assert verdicts["at it"].target == "https://example.org/native"
    assert all(verdict.is_remembered for verdict in verdicts.values())
    assert again["at it"].target == "https://example.org/native"
    assert not again["at it"].is_remembered
    assert proxy.asked == {"20.1000/1": 1}
    assert server.asked == ["20.1000/1"] * 2
