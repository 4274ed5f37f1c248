"""Verify in a child process, over real HTTP; exclude handles by pattern."""

import os
import select
import signal
import subprocess
import sys
from pathlib import Path
from threading import Event
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from handle_system.handle import Handle
from handle_system.resolving.outcomes import OutcomeName
from handle_system.text import SURROUNDING_SPACE
from handle_system.typed_values import check_fields
from handle_system.verifying.handle_patterns import HandlePatterns
from handle_system.verifying.process import VerificationProcess
from handle_system.verifying.verdicts import Verdict
from handle_system.verifying.verification_settings import VerificationSettings
from tests.proxy_server import Record, alias_of, running
from tests.strategies import handles

pytestmark = pytest.mark.slow

RECORDS: dict[str, Record] = {
    "20.1000/1": "https://example.org/1",
    "20.1000/2": alias_of("20.1000/none"),
}


def process_for(*resolvers: str, **settings: object) -> VerificationProcess:
    """A process with these resolvers."""
    return VerificationProcess(
        VerificationSettings(resolvers=resolvers, **settings)  # type: ignore[arg-type]  # the keywords of each case
    )


def by_key(*handles: str) -> dict[str, Handle]:
    """Handles by comparison key, for handles without letters."""
    return {handle: Handle.parse(handle) for handle in handles}


def test_each_handle_is_asked_for_once_and_has_a_verdict() -> None:
    """Verdicts keep the order and spelling of submission; aliases are followed."""
    with running(RECORDS) as proxy:
        process = process_for(proxy.url)
        process.submit(
            {**by_key("20.1000/1", "20.1000/2"), "10.1/a b": Handle("10.1", "A b")}
        )
        process.submit(by_key("20.1000/2", "20.1000/3"))
        verdicts = process.finish()

        assert max(proxy.asked.values()) == 1
    assert verdicts == {
        "20.1000/1": Verdict(
            handle="20.1000/1",
            outcome=OutcomeName.RESOLVED,
            target="https://example.org/1",
            possible_targets=("https://example.org/1",),
            addresses=("https://example.org/1",),
        ),
        "20.1000/2": Verdict(
            handle="20.1000/2",
            outcome=OutcomeName.RESOLVED,
            reason="it is an alias of 20.1000/none, which is not registered",
        ),
        "10.1/a b": Verdict(handle="10.1/A b", outcome=OutcomeName.NOT_REGISTERED),
        "20.1000/3": Verdict(handle="20.1000/3", outcome=OutcomeName.NOT_REGISTERED),
    }
    assert [each.answered is None for each in verdicts.values()] == [False] * 4
    assert (process.failure, process.messages) == ("", [])


def test_a_bare_handle_that_looks_like_another_form_stays_itself(
    tmp_path: Path,
) -> None:
    """Handles with escapes, white space or a URL's form are verified as written."""
    handles = ["doi.org/10.1000/1", "20.1000/%41", "20.1000/a ", "1/x?y#z\u2028"]
    (tmp_path / "r.json").write_text("{}")
    process = process_for(str(tmp_path / "r.json"))
    process.submit(by_key(*handles))

    assert {key: each.outcome for key, each in process.finish().items()} == (
        dict.fromkeys(handles, OutcomeName.NOT_REGISTERED)
    )


def test_a_process_that_cannot_start_leaves_every_handle_unreachable(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    """If the process cannot start, no handle is called broken.

    Without references, no process starts.
    """
    monkeypatch.setattr(sys, "executable", "/nowhere/python")
    process = process_for("https://hdl.handle.net/")
    process.submit({})
    assert process.failure == ""
    process.submit(by_key("1/1"))
    (verdict,) = process.finish().values()

    reason = "it cannot start: [Errno 2] No such file or directory: '/nowhere/python'"
    assert process.failure == reason
    assert verdict == Verdict(
        handle="1/1",
        outcome=OutcomeName.UNREACHABLE,
        reason=f"verification stopped: {reason}",
    )


@pytest.mark.parametrize(
    ("resolver", "variable", "failure"),
    [
        (
            "/nowhere/records.json",
            ("NO_PROXY", "*"),
            "/nowhere/records.json: it cannot be read: No such file or directory",
        ),
        (
            "http://127.0.0.1:1/",
            ("HTTP_PROXY", "socks5://me:secret@[::1]:1"),
            ("HTTP_PROXY: it is not the address of an http or https proxy"),
        ),
        (
            "https://127.0.0.1:1/",
            ("REQUESTS_CA_BUNDLE", "/nowhere/authorities.pem"),
            (
                "REQUESTS_CA_BUNDLE: /nowhere/authorities.pem cannot be used: "
                "No such file or directory"
            ),
        ),
    ],
)
def test_a_setting_that_cannot_be_used_is_named(
    resolver: str,
    variable: tuple[str, str],
    failure: str,
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    """The failure names the unusable setting."""
    monkeypatch.setenv(*variable)
    process = process_for(resolver)
    process.submit(by_key("1/1"))
    process.finish()

    assert (process.failure, process.is_unusable) == (failure, True)


def test_what_the_cache_knows_needs_no_certificates(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Authorities that cannot be read stop the process where a server is asked."""
    cache = str(tmp_path / "c.sqlite")
    with running(RECORDS) as proxy:
        settings = VerificationSettings(resolvers=(proxy.url,), cache=cache)
        for _ in range(2):
            process = VerificationProcess(settings)
            process.submit(by_key("20.1000/1"))
            (verdict,) = process.finish().values()
            assert (verdict.outcome, process.failure) == (OutcomeName.RESOLVED, "")
            monkeypatch.setenv("REQUESTS_CA_BUNDLE", "/nowhere/authorities.pem")
        process = VerificationProcess(settings)
        process.submit(by_key("20.1000/1", "20.1000/2"))
        remembered, other = process.finish().values()

    failure = (
        "REQUESTS_CA_BUNDLE: /nowhere/authorities.pem cannot be used: "
        "No such file or directory"
    )
    assert (process.failure, process.is_unusable) == (failure, False)
    assert remembered.outcome is OutcomeName.RESOLVED
    assert other.reason == f"verification stopped: {failure}"


class Hanging:
    """A record whose response waits until it is released."""

    def __init__(self) -> None:
        self.is_asked = Event()
        self.is_released = Event()

    def __call__(self, handler: Any) -> None:
        self.is_asked.set()
        self.is_released.wait()
        handler.answer(404, {"responseCode": 100})


def test_a_killed_process_loses_no_outcome_that_it_wrote() -> None:
    """If the process is killed, only handles without an outcome are unreachable."""
    hanging = Hanging()

    def kill(done: int, _total: int) -> None:
        if done == 1 and process._process is not None:
            process._process.kill()

    with running({**RECORDS, "20.1000/9": hanging}) as proxy:
        process = process_for(proxy.url)
        process.submit(by_key("20.1000/1", "20.1000/9"))
        verdicts = process.finish(kill)
        hanging.is_released.set()

    assert process.failure == "it was killed by SIGKILL"
    assert [each.outcome for each in verdicts.values()] == [
        OutcomeName.RESOLVED,
        OutcomeName.UNREACHABLE,
    ]
    assert verdicts["20.1000/9"].reason == (
        "verification stopped: it was killed by SIGKILL"
    )


def test_closing_early_ends_the_process() -> None:
    """`close` ends the process at once."""
    hanging = Hanging()
    with running({"20.1000/9": hanging}) as proxy:
        process = process_for(proxy.url)
        process.submit(by_key("20.1000/9"))
        assert hanging.is_asked.wait(60)
        child = process._process
        process.close()
        hanging.is_released.set()

    assert child is not None
    assert child.returncode == -signal.SIGKILL


FORKING_BUILD = """
import os, sys, time
from handle_system.handle import Handle
from handle_system.verifying.process import VerificationProcess
from handle_system.verifying.verification_settings import VerificationSettings

process = VerificationProcess(VerificationSettings(resolvers=(sys.argv[1],)))
process.submit({"20.1000/9": Handle("20.1000", "9")})
# A worker, which inherits the pipe to the process.
if os.fork() == 0:
    time.sleep(600)
print(process._process.pid, flush=True)
sys.stdin.read()
"""


@pytest.mark.skipif(sys.platform != "linux", reason="only Linux can watch any process")
def test_the_process_ends_with_a_killed_build_whose_workers_live_on() -> None:
    """The process ends, although an orphaned worker keeps the pipe to it open."""
    hanging = Hanging()
    with (
        running({"20.1000/9": hanging}) as proxy,
        subprocess.Popen(
            [sys.executable, "-c", FORKING_BUILD, proxy.url],
            stdin=subprocess.PIPE,
            stdout=subprocess.PIPE,
            text=True,
            start_new_session=True,
        ) as build,
    ):
        assert build.stdout is not None
        watched = os.pidfd_open(int(build.stdout.readline()))
        assert hanging.is_asked.wait(60)
        build.kill()
        try:
            # This process cannot wait for another's child.
            poll = select.poll()
            poll.register(watched, select.POLLIN)
            assert poll.poll(60_000)
        finally:
            os.close(watched)
            os.killpg(build.pid, signal.SIGKILL)
            hanging.is_released.set()


def test_modules_in_the_current_folder_are_not_imported(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """A module in the current folder, such as `json.py`, is not imported."""
    (tmp_path / "json.py").write_text("raise SystemExit('not this one')")
    (tmp_path / "r.json").write_text('{"20.1000/1": "https://example.org/1"}')
    monkeypatch.chdir(tmp_path)
    process = process_for("r.json")
    process.submit(by_key("20.1000/1"))

    assert process.finish()["20.1000/1"].outcome is OutcomeName.RESOLVED


@pytest.mark.parametrize(
    "greeting", ["Welcome to the cluster\n", "{you} are welcome\n"]
)
def test_other_output_and_encodings_of_the_environment_do_no_harm(
    greeting: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Output at Python's start, and another encoding, do not disturb the process."""
    (tmp_path / "usercustomize.py").write_text(
        f"print({greeting!r}, end='', flush=True)"
    )
    (tmp_path / "r.json").write_text('{"20.1000/ü": "https://example.org/ü"}')
    path = os.pathsep.join(filter(None, (str(tmp_path), os.environ.get("PYTHONPATH"))))
    monkeypatch.setenv("PYTHONPATH", path)
    monkeypatch.setenv("PYTHONIOENCODING", "utf-16")
    process = process_for(str(tmp_path / "r.json"))
    process.submit(by_key("20.1000/ü"))

    assert process.finish()["20.1000/ü"].outcome is OutcomeName.RESOLVED


def test_progress_counts_up_to_all_handles() -> None:
    """Progress is reported while the process works, not only at its end."""
    hanging = Hanging()
    told: list[tuple[int, int]] = []

    def progress(done: int, total: int) -> None:
        told.append((done, total))
        if done == 1:
            hanging.is_released.set()

    with running({**RECORDS, "20.1000/9": hanging}) as proxy:
        process = process_for(proxy.url, connections=2)
        process.submit(by_key("20.1000/1", "20.1000/9"))
        process.finish(progress)

    assert (1, 2) in told
    assert told == sorted(told)


def test_the_password_of_a_cache_is_no_argument_of_the_process() -> None:
    """Arguments are public on a machine, so they and messages omit the password."""
    with running(RECORDS) as proxy:
        process = process_for(proxy.url, cache="redis://:secret@127.0.0.1:1/0")
        process.submit(by_key("20.1000/1"))
        assert process._process is not None
        arguments = str(process._process.args)
        (verdict,) = process.finish().values()

    assert "secret" not in arguments
    assert verdict.outcome is OutcomeName.RESOLVED
    assert len(process.messages) == 1
    assert process.messages[0].startswith("warning: the cache at 127.0.0.1:1 cannot")
    assert "secret" not in process.messages[0]


@pytest.mark.parametrize(
    ("settings", "message"),
    [
        (
            {"resolvers": ("https://a.example/?q",)},
            "'https://a.example/?q' is not the base of a proxy",
        ),
        ({"connections": 0}, "0 connections are not from 1 to 256"),
        ({"timeout": 0}, "a time-out of 0 seconds is not from 0.001 to 600"),
        ({"budget": -1}, "a budget of -1 is negative"),
    ],
)
def test_error_for_a_setting_out_of_bounds(
    settings: dict[str, object], message: str
) -> None:
    """A setting out of bounds is a `ValueError` where what people wrote is read."""
    made = VerificationSettings(**settings)  # type: ignore[arg-type]  # the keywords of each case
    with pytest.raises(ValueError) as caught:
        check_fields(made)

    assert str(caught.value).startswith(message)


@pytest.mark.parametrize(
    ("entry", "meant", "not_meant"),
    [
        ("20.1000", ["20.1000/1", "20.1000.5/1", "20.1000/a/b"], ["20.10001/1"]),
        (" cnri.Test ", ["CNRI.test/x"], ["cnri/x"]),
        ("10", ["10.1000/1", "10/cr3qwn"], ["100.1/1"]),
        ("20.1000/a*", ["20.1000/a", "20.1000/abc"], ["20.1000/A", "20.1000.5/a"]),
        ("10.5555/A*", ["10.5555/a", "10.5555/ABC"], ["10.5555/ba"]),
        ("1/a*b*c", ["1/abc", "1/axxbyybzc"], ["1/ab", "1/acb", "1/abcd"]),
        ("1/a*a", ["1/aa", "1/aba"], ["1/a"]),
        ("1/[ab]?", ["1/[ab]?"], ["1/ax", "1/b?"]),
        ("1/*", ["1/x", "1/*"], ["1.2/x"]),
    ],
)
def test_an_entry_means_these_and_not_those(
    entry: str, meant: list[str], not_meant: list[str]
) -> None:
    """A prefix covers whole segments; in a pattern, only stars are special."""
    patterns = HandlePatterns([entry])

    assert [text for text in meant if Handle.parse(text) not in patterns] == []
    assert [text for text in not_meant if Handle.parse(text) in patterns] == []


@pytest.mark.parametrize(
    ("entry", "reason"),
    [
        ("", "the prefix is missing: a handle is prefix/suffix"),
        ("a b", "white space is not allowed in a prefix"),
        (
            "hdl:20.1000/1",
            "a handle has no scheme; read a reference with HandleReference.parse",
        ),
        ("20.1000/", 'the suffix is missing: nothing after "/"'),
        (
            "10.5*",
            (
                '"*" in a prefix: a prefix covers those derived from it; '
                "10.5*/* is a pattern of handles"
            ),
        ),
    ],
)
def test_error_for_an_entry_that_is_neither(entry: str, reason: str) -> None:
    """An invalid entry is reported with its reason."""
    with pytest.raises(ValueError) as caught:
        HandlePatterns([entry])

    assert getattr(caught.value, "reason", str(caught.value)) == reason


@given(handles.filter(lambda handle: "*" not in str(handle)))
def test_a_handle_means_itself_and_so_does_its_prefix(handle: Handle) -> None:
    """Any handle and its prefix are valid entries that cover the handle."""
    prefix = handle.prefix.upper() if handle.prefix.isascii() else handle.prefix

    assert handle in HandlePatterns([handle.prefix])
    assert Handle(prefix, handle.suffix) in HandlePatterns([handle.prefix])
    assert handle in HandlePatterns([f"{handle.prefix}/*"])
    if str(handle) == str(handle).strip(SURROUNDING_SPACE):
        # An entry cannot have trailing white space.
        assert handle in HandlePatterns([str(handle)])


@given(st.lists(st.text("ab", max_size=3), min_size=2, max_size=6), st.text("abc"))
def test_a_star_stands_for_any_text(pieces: list[str], between: str) -> None:
    """Any number of stars match any text, at any position."""
    pattern = "1/x" + "*".join(pieces)

    assert Handle("1", "x" + between.join(pieces)) in HandlePatterns([pattern])


def test_many_stars_are_read_in_linear_time() -> None:
    """A pattern of many stars takes linear time, unlike a regular expression."""
    patterns = HandlePatterns(["1/" + "*a" * 500 + "b"])

    assert Handle("1", "a" * 100_000) not in patterns
    assert Handle("1", "a" * 100_000 + "b") in patterns
