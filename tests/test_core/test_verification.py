"""Verifying in a process of its own."""

import json
import os
import shutil
import subprocess
import sys
import threading
from dataclasses import replace
from datetime import UTC, datetime, timedelta
from http.server import BaseHTTPRequestHandler
from pathlib import Path
from time import time

import pytest

import handle_system
from handle_system.handle import Handle
from handle_system.resolving.http_settings import UnusableSettingError
from handle_system.resolving.old_cache import Cache
from handle_system.resolving.outcome import OutcomeName
from handle_system.resolving.proxy_resolver import ProxyResolver
from handle_system.resolving.records_file import RecordsFileError
from handle_system.verifying.verdict import Verdict
from handle_system.verifying.verification import Verification
from handle_system.verifying.verification_settings import VerificationSettings
from tests import faults
from tests.fake_clock import FakeClock
from tests.loopback_guard import sitecustomize as loopback_guard
from tests.proxy_server import Record, alias_of, running

ONE = Handle("20.1000", "1")
TWO = Handle("20.1000", "2")
DOI = Handle("10.1000", "ABC")


def test_each_distinct_handle_is_asked_for_once_while_the_caller_goes_on() -> None:
    """However often and in whatever spelling it is submitted."""
    with running({"20.1000/1": "https://example.org/1", "10.1000/ABC": []}) as proxy:
        verification = Verification(VerificationSettings(resolvers=(proxy.url,)))
        verification.submit([ONE, DOI])
        verification.submit([Handle("10.1000", "abc"), TWO, ONE])
        verdicts = verification.finish()

        assert {
            "20.1000/1": Verdict(
                handle="20.1000/1",
                outcome=OutcomeName.RESOLVED,
                target="https://example.org/1",
            ),
            "10.1000/abc": Verdict(
                handle="10.1000/ABC",
                outcome=OutcomeName.RESOLVED,
                problems=("its record has neither a URL nor a location",),
            ),
            "20.1000/2": Verdict(
                handle="20.1000/2", outcome=OutcomeName.NOT_REGISTERED
            ),
        } == verdicts
        assert proxy.asked == {"20.1000/1": 1, "10.1000/ABC": 1, "20.1000/2": 1}


@pytest.mark.parametrize("connections", [1, 16])
def test_what_aliases_stand_for_is_asked_for_once_too(connections: int) -> None:
    """However many stand for it, and if it is itself written somewhere."""
    names = ["x", "y", "one", "two", "stray", "gone"]
    records: dict[str, Record] = {
        "20.1000/x": alias_of("20.1000/y"),
        "20.1000/y": alias_of("20.1000/x"),
        "20.1000/one": alias_of("20.1000/target"),
        "20.1000/two": alias_of("20.1000/TARGET"),
        "20.1000/TARGET": alias_of("20.1000/target"),
        "20.1000/target": "https://example.org/",
        "20.1000/stray": alias_of("20.1000/gone"),
    }
    with running(records) as proxy:
        settings = VerificationSettings(resolvers=(proxy.url,), connections=connections)
        verification = Verification(settings)
        verification.submit(Handle("20.1000", name) for name in names)
        verdicts = verification.finish()

        assert [each.problems for each in verdicts.values()] == [
            ("its aliases lead in a circle, back to 20.1000/x",),
            ("its aliases lead in a circle, back to 20.1000/y",),
            (),
            (),
            ("it is an alias of 20.1000/gone, which is not registered",),
            (),
        ]
        assert proxy.asked == dict.fromkeys([*records, "20.1000/gone"], 1)


def test_an_alias_that_leads_nowhere_is_remembered_as_any_other(tmp_path: Path) -> None:
    """It takes nothing of a budget, and is as old as it is."""
    stray = Handle("20.1000", "stray")
    then = FakeClock(datetime.now(UTC) - timedelta(minutes=30)).clock
    with running({str(stray): alias_of("20.1000/gone")}) as proxy:
        resolver = ProxyResolver(proxy.url)
        with Cache(tmp_path / "c", clock=then) as cache:
            cache.remember(resolver.name, stray, resolver.resolve(stray))
        proxy.requests.clear()
        verification = Verification(
            VerificationSettings(
                resolvers=(proxy.url,), cache=str(tmp_path / "c"), budget=0
            )
        )
        verification.submit([stray])
        (verdict,) = verification.finish().values()

        assert proxy.requests == []
    assert verdict == Verdict(
        handle="20.1000/stray",
        outcome=OutcomeName.RESOLVED,
        problems=("it is an alias of 20.1000/gone, which is not registered",),
    )
    assert verdict.answered == int(then.now().timestamp())


def remembering(
    folder: Path, url: str, handles: list[Handle], *, now: datetime | None = None
) -> VerificationSettings:
    """Settings with a cache in which these handles are."""
    clock = FakeClock(now or datetime.now(UTC)).clock
    with ProxyResolver(url) as resolver, Cache(folder / "c", clock=clock) as cache:
        for handle in handles:
            cache.remember(resolver.name, handle, resolver.resolve(handle))
    return VerificationSettings(resolvers=(url,), cache=str(folder / "c"))


def test_what_is_remembered_takes_no_process(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Not even one that could not be started; and no database is left open."""
    handles = [Handle("20.1000", str(number)) for number in range(1200)]
    known = {str(handle): f"https://example.org/{handle}" for handle in handles[1:]}
    with running(known) as proxy:
        settings = remembering(tmp_path, proxy.url, handles)
        proxy.requests.clear()
        monkeypatch.setattr(sys, "executable", "/nonexistent/python")
        verification = Verification(settings)
        told: list[tuple[int, int]] = []
        for start in range(0, 1200, 20):
            verification.submit(handles[start : start + 20])
            assert not list(tmp_path.glob("c-*"))
        verdicts = verification.finish(lambda done, total: told.append((done, total)))

        assert proxy.requests == []
    assert told == []
    assert [str(handle) for handle in handles] == list(verdicts)
    targets = [verdict.target for verdict in verdicts.values()]
    assert targets == [None, *known.values()]
    assert verdicts["20.1000/0"].outcome is OutcomeName.NOT_REGISTERED
    assert all(verdict.answered is not None for verdict in verdicts.values())


def test_an_interrupted_look_leaves_no_database_open(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """For who builds may go on, and fork."""

    def interrupt(*_: object, **_options: object) -> None:
        raise KeyboardInterrupt

    monkeypatch.setattr("handle_system.verifying.memory.verdict_of", interrupt)
    with running({}) as proxy:
        settings = remembering(tmp_path, proxy.url, [ONE])
        verification = Verification(settings)
        verification.submit([ONE])
        with pytest.raises(KeyboardInterrupt):
            verification.finish()

    assert not list(tmp_path.glob("c-*"))


@pytest.mark.parametrize("remembered", [0, 1, 5, 9])
def test_only_what_is_not_remembered_is_asked_for(
    tmp_path: Path, remembered: int
) -> None:
    """And what is told of the progress counts all."""
    handles = [Handle("20.1000", str(number)) for number in range(10)]
    with running({str(handle): "https://example.org/" for handle in handles}) as proxy:
        settings = remembering(tmp_path, proxy.url, handles[:remembered])
        proxy.requests.clear()
        verification = Verification(settings)
        verification.submit(handles)
        told: list[tuple[int, int]] = []
        verdicts = verification.finish(lambda done, total: told.append((done, total)))

        assert list(verdicts) == [str(handle) for handle in handles]
        assert proxy.asked == {str(handle): 1 for handle in handles[remembered:]}
    assert {verdict.outcome for verdict in verdicts.values()} == {OutcomeName.RESOLVED}
    assert told[-1] == (10, 10)
    assert told == sorted(told)


def test_what_is_remembered_for_too_long_is_asked_for(tmp_path: Path) -> None:
    """As if it had never been known."""
    with running({"20.1000/1": "https://example.org/"}) as proxy:
        then = datetime.now(UTC) - timedelta(days=400)
        settings = remembering(tmp_path, proxy.url, [ONE], now=then)
        verification = Verification(settings)
        verification.submit([ONE])
        (verdict,) = verification.finish().values()

        assert proxy.asked == {"20.1000/1": 2}
    assert verdict.target == "https://example.org/"


def test_a_cache_that_cannot_be_used_is_told_once(tmp_path: Path) -> None:
    """Though both processes want to look into it."""
    (tmp_path / "c").write_bytes(b"SQLite format 3\0" + b"?" * 4000)
    (tmp_path / "folder").mkdir()
    with running({"20.1000/1": "https://example.org/"}) as proxy:
        for name in ("c", "folder"):
            verification = Verification(
                VerificationSettings(resolvers=(proxy.url,), cache=str(tmp_path / name))
            )
            verification.submit([ONE])
            (verdict,) = verification.finish().values()

            assert verdict.target == "https://example.org/"
            assert len(verification.warnings) == 1
    assert sorted(path.name for path in tmp_path.iterdir()) == [
        "c",
        "c.aside",
        "folder",
    ]


def test_records_and_proxies_are_remembered_in_their_order(tmp_path: Path) -> None:
    """What a file of records knows is never asked of others, nor remembered."""
    (tmp_path / "records.json").write_text('{"20.1000/1": "https://example.org/mine"}')
    known = {"20.1000/1": "https://example.org/1", "20.1000/2": "https://example.org/2"}
    with running(known) as proxy:
        first = remembering(tmp_path, proxy.url, [ONE, TWO])
        proxy.requests.clear()
        verification = Verification(
            replace(first, resolvers=(str(tmp_path / "records.json"), proxy.url))
        )
        verification.submit([ONE, TWO])
        verdicts = verification.finish()

        assert proxy.requests == []
    assert [verdict.target for verdict in verdicts.values()] == [
        "https://example.org/mine",
        "https://example.org/2",
    ]
    assert [verdict.answered is None for verdict in verdicts.values()] == [True, False]


def test_never_more_connections_are_open_than_allowed() -> None:
    """As the server counts them."""
    handles = [Handle("20.1000", str(number)) for number in range(60)]
    with running({str(handle): "https://example.org/" for handle in handles}) as proxy:
        settings = VerificationSettings(resolvers=(proxy.url,), connections=3)
        verification = Verification(settings)
        verification.submit(handles)
        told: list[tuple[int, int]] = []
        verdicts = verification.finish(lambda done, total: told.append((done, total)))

        assert len(verdicts) == 60
        assert proxy.most_connections <= 3
        assert told == sorted(told)
        assert told[-1] == (60, 60)


def test_who_is_named_twice_is_asked_once() -> None:
    """With the slash at its end or without."""
    with running({}) as proxy:
        twice = (proxy.url, proxy.url.removesuffix("/"))
        verification = Verification(VerificationSettings(resolvers=twice))
        verification.submit([ONE])
        verdicts = verification.finish()

        assert verdicts["20.1000/1"].outcome is OutcomeName.NOT_REGISTERED
        assert proxy.asked == {"20.1000/1": 1}


def test_records_files_are_asked_without_a_process(tmp_path: Path) -> None:
    """And all of them before a handle counts as not registered."""
    first = tmp_path / "first.json"
    first.write_text(json.dumps({"20.1000/1": "https://example.org/1"}))
    second = tmp_path / "second.json"
    second.write_text(json.dumps({"20.1000/2": "https://example.org/2"}))
    settings = VerificationSettings(resolvers=(str(first), str(second)))

    verification = Verification(settings)
    verification.submit([ONE, TWO, DOI])

    assert [(each.handle, each.target) for each in verification.finish().values()] == [
        ("20.1000/1", "https://example.org/1"),
        ("20.1000/2", "https://example.org/2"),
        ("10.1000/ABC", None),
    ]


def test_a_missing_records_file_is_an_error_before_the_start(tmp_path: Path) -> None:
    """It is a slip of the configuration, not of a document."""
    missing = tmp_path / "missing.json"

    with pytest.raises(RecordsFileError) as caught:
        Verification(VerificationSettings(resolvers=(str(missing),)))

    expected = f"{missing}: it cannot be read: No such file or directory"
    assert expected == str(caught.value)


def test_a_process_that_dies_leaves_everything_unknown(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    """Nothing is called broken because our own machinery is."""
    monkeypatch.setattr(
        "handle_system.verifying.verification._WORKER", "handle_system.nowhere"
    )
    verification = Verification(VerificationSettings())
    verification.submit([ONE])
    verdict = verification.finish()["20.1000/1"]

    assert OutcomeName.UNREACHABLE is verdict.outcome
    assert verdict.reason.startswith("the process that verifies has stopped: ")
    assert "No module named handle_system.nowhere" in verdict.reason


def test_a_verdict_says_when_the_server_answered(tmp_path: Path) -> None:
    """In an earlier run, or in this one; never where nobody answered."""
    days_ago = FakeClock(datetime.now(UTC) - timedelta(days=5))
    then = int(days_ago.clock.now().timestamp())
    with running({"20.1000/1": "https://example.org/1", "20.1000/2": []}) as proxy:
        proxy.records["10.1000/ABC"] = {"responseCode": 2}
        settings = VerificationSettings(
            resolvers=(proxy.url,), cache=str(tmp_path / "c")
        )
        with Cache(tmp_path / "c", clock=days_ago.clock) as cache:
            outcome = ProxyResolver(proxy.url).resolve(ONE)
            cache.remember(ProxyResolver(proxy.url).name, ONE, outcome)
        begun = int(time())
        verification = Verification(settings)
        verification.submit([ONE, TWO, DOI])
        one, two, doi = verification.finish().values()

    assert one.answered == then
    assert two.answered is not None
    assert begun <= two.answered <= time()
    assert (doi.outcome, doi.answered) == (OutcomeName.UNREACHABLE, None)


def test_closing_early_leaves_no_process() -> None:
    """A build that fails does not wait."""
    with running({"20.1000/1": "https://example.org/1"}) as proxy:
        verification = Verification(VerificationSettings(resolvers=(proxy.url,)))
        verification.submit([ONE])
        verification.close()

        assert {"20.1000/1"} == verification.finish().keys()


class Hanging:
    """A proxy's way to answer: the first who asks, and nobody after."""

    def __init__(self) -> None:
        self.asked = 0
        self.is_waited_for = threading.Event()
        self.is_left = threading.Event()

    def __call__(self, handler: BaseHTTPRequestHandler) -> None:
        self.asked += 1
        if self.asked == 1:
            faults.send(handler, faults.right_answer(handler))
            return
        self.is_waited_for.set()
        faults.wait_for_the_end(handler)
        self.is_left.set()


@pytest.fixture
def _patience(monkeypatch: pytest.MonkeyPatch) -> None:
    """As much as a slow disk may ask for: a test that fails of it is stopped."""
    monkeypatch.setattr("handle_system.verifying.verification._PATIENCE", 600.0)


@pytest.mark.usefixtures("_patience")
def test_closing_does_not_wait_and_keeps_what_was_learned(tmp_path: Path) -> None:
    """Not for a request that may last, nor for all the others.

    And in the one file that a build service is told to keep.
    """
    hanging = Hanging()
    handles = [Handle("20.1000", str(number)) for number in range(100)]
    with running({str(handle): hanging for handle in handles}) as proxy:
        verification = Verification(
            VerificationSettings(
                resolvers=(proxy.url,),
                connections=1,
                timeout=600.0,
                cache=str(tmp_path / "kept" / "c"),
            )
        )
        verification.submit(handles)
        assert hanging.is_waited_for.wait()
        process = verification._process
        verification.close()

        assert process is not None
        assert process.returncode == 0
        assert [path.name for path in (tmp_path / "kept").iterdir()] == ["c"]
        with Cache(tmp_path / "kept" / "c") as cache:
            kept = [entry.outcome for entry in cache.entries()]
        assert kept == [OutcomeName.RESOLVED]
        assert len(proxy.requests) == 2


START_AND_DIE = """
import os, signal, sys
from handle_system.handle import Handle
from handle_system.verifying.verification import Verification
from handle_system.verifying.verification_settings import VerificationSettings

settings = VerificationSettings(resolvers=(sys.argv[1],), timeout=600.0)
verification = Verification(settings)
verification.submit([Handle("20.1000", "1"), Handle("20.1000", "2")])
if sys.argv[2] == "finishing":
    verification._tell({"end": True})
sys.stdin.read()
os.kill(os.getpid(), signal.SIGKILL)
"""


@pytest.mark.parametrize("moment", ["reading", "finishing"])
def test_no_process_outlives_who_started_it(moment: str) -> None:
    """Not even where that one was killed, and could say nothing."""
    hanging = Hanging()
    with (
        running({"20.1000/1": hanging, "20.1000/2": hanging}) as proxy,
        subprocess.Popen(
            [sys.executable, "-c", START_AND_DIE, proxy.url, moment],
            stdin=subprocess.PIPE,
        ) as build,
    ):
        assert hanging.is_waited_for.wait()
        assert build.stdin is not None
        build.stdin.close()

        assert hanging.is_left.wait()


@pytest.mark.usefixtures("_patience")
def test_an_interrupted_wait_leaves_no_process(tmp_path: Path) -> None:
    """Whoever interrupts a build wants it to end.

    How far it is, is told at once, and not only when there is another answer.
    """
    hanging = Hanging()
    told = []
    processes = []

    def interrupt(done: int, total: int) -> None:
        told.append((done, total))
        processes.append(verification._process)
        raise KeyboardInterrupt

    with running({"20.1000/1": hanging, "20.1000/2": hanging}) as proxy:
        settings = VerificationSettings(
            resolvers=(proxy.url,), timeout=600.0, cache=str(tmp_path / "c")
        )
        earlier = Verification(settings)
        earlier.submit([ONE])
        earlier.finish()
        verification = Verification(settings)
        verification.submit([ONE, TWO])
        with pytest.raises(KeyboardInterrupt):
            verification.finish(interrupt)

        assert told == [(1, 2)]
        (process,) = processes
        assert process is not None
        assert process.returncode == 0


def test_modules_that_lie_about_are_not_imported(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """A project may have a `json.py` where it is built."""
    (tmp_path / "json.py").write_text("raise SystemExit('not this one')")
    monkeypatch.chdir(tmp_path)
    with running({"20.1000/1": "https://example.org/1"}) as proxy:
        verification = Verification(VerificationSettings(resolvers=(proxy.url,)))
        verification.submit([ONE])
        verdicts = verification.finish()

    assert verdicts["20.1000/1"].outcome is OutcomeName.RESOLVED


VERIFY_ONE = """
import sys

sys.path.append(sys.argv[1])
from handle_system.handle import Handle
from handle_system.verifying.verification import Verification
from handle_system.verifying.verification_settings import VerificationSettings

verification = Verification(VerificationSettings(resolvers=(sys.argv[2],)))
verification.submit([Handle("20.1000", "1")])
print(verification.finish()["20.1000/1"].outcome)
"""


def test_the_package_is_found_where_it_was_found_here(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Even where it is not installed, or another one is.

    What lies beside it, such as an old back-port of a module of the standard library,
    is not taken for that.
    """
    shutil.copytree(Path(handle_system.__file__).parent, tmp_path / "handle_system")
    (tmp_path / "handle_system" / "__init__.py").write_text('__version__ = "copied"\n')
    (tmp_path / "enum.py").write_text("raise SystemExit('not this one')")
    monkeypatch.setenv("PYTHONPATH", str(Path(loopback_guard.__file__).parent))
    with running({"20.1000/1": "https://example.org/1"}) as proxy:
        done = subprocess.run(
            [sys.executable, "-S", "-P", "-c", VERIFY_ONE, str(tmp_path), proxy.url],
            check=True,
            capture_output=True,
            text=True,
        )

        assert done.stdout == "resolved\n"
        assert [each["User-Agent"] for each in proxy.headers_seen] == [
            "handle-system/copied"
        ]


def use_worker(code: str, folder: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """Have another module run in the process that verifies: some code, then it."""
    (folder / "another_worker.py").write_text(
        f"{code}\n"
        "import runpy\n"
        "runpy.run_module('handle_system.verifying.verification_worker', run_name='__main__')\n"
    )
    path = os.pathsep.join(filter(None, (str(folder), os.environ.get("PYTHONPATH"))))
    monkeypatch.setenv("PYTHONPATH", path)
    monkeypatch.setattr(
        "handle_system.verifying.verification._WORKER", "another_worker"
    )


@pytest.mark.parametrize(
    "greeting", ["Welcome to the cluster\n", "{you} are welcome\n", "Welcome! "]
)
def test_greetings_on_standard_output_are_passed_over(
    greeting: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Some environments greet whoever starts Python, and not all end the line.

    Where all is remembered, verdicts are the first that is told.
    """
    use_worker(f"print({greeting!r}, end='', flush=True)", tmp_path, monkeypatch)
    outcomes = []
    with running({"20.1000/1": "https://example.org/1"}) as proxy:
        settings = VerificationSettings(
            resolvers=(proxy.url,), cache=str(tmp_path / "c")
        )
        for _ in range(2):
            verification = Verification(settings)
            verification.submit([ONE])
            outcomes.append(verification.finish()["20.1000/1"].outcome)

        assert outcomes == [OutcomeName.RESOLVED, OutcomeName.RESOLVED]
        assert proxy.asked == {"20.1000/1": 1}


def test_the_two_understand_each_other_whatever_other_pipes_are_written_in(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    """What the environment says of them is said of what people read."""
    monkeypatch.setenv("PYTHONIOENCODING", "utf-16")
    with running({"20.1000/1": "https://example.org/1"}) as proxy:
        verification = Verification(VerificationSettings(resolvers=(proxy.url,)))
        verification.submit([ONE])

        assert verification.finish()["20.1000/1"].outcome is OutcomeName.RESOLVED


@pytest.mark.parametrize(
    ("variable", "value", "address", "reason"),
    [
        (
            "HTTP_PROXY",
            "socks5://me:secret@[::1]:1",
            "http://127.0.0.1:1/",
            "the proxy socks5://[::1]:1 cannot be used: only http and https proxies can",
        ),
        (
            "REQUESTS_CA_BUNDLE",
            "/nowhere/authorities.pem",
            "https://127.0.0.1:1/",
            (
                "the certificates in /nowhere/authorities.pem cannot be used: "
                "No such file or directory"
            ),
        ),
    ],
)
def test_a_choice_that_cannot_be_followed_is_an_error_before_the_start(
    variable: str,
    value: str,
    address: str,
    reason: str,
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    """Nobody is to take it for a network that is not there."""
    monkeypatch.setenv(variable, value)

    with pytest.raises(UnusableSettingError) as caught:
        Verification(VerificationSettings(resolvers=(address,)))

    assert str(caught.value) == f"{variable}: {reason}"


def test_a_choice_that_nobody_needs_is_not_looked_at(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Certificates where nothing is encrypted, and all of it where no server is asked."""
    monkeypatch.setenv("SSL_CERT_FILE", "/nowhere/authorities.pem")
    with running({"20.1000/1": "https://example.org/1"}) as proxy:
        verification = Verification(VerificationSettings(resolvers=(proxy.url,)))
        verification.submit([ONE])
        assert verification.finish()["20.1000/1"].outcome is OutcomeName.RESOLVED

    monkeypatch.setenv("ALL_PROXY", "socks5://127.0.0.1:1")
    (tmp_path / "r.json").write_text("{}")
    verification = Verification(
        VerificationSettings(resolvers=(str(tmp_path / "r.json"),))
    )
    verification.submit([ONE])
    assert verification.finish()["20.1000/1"].outcome is OutcomeName.NOT_REGISTERED


BUG = """
from handle_system.resolving.proxy_resolver import ProxyResolver

def resolve(self, handle):
    raise RuntimeError("this should not happen")

ProxyResolver.resolve = ProxyResolver.inquire = resolve
"""


def test_an_error_of_our_own_is_told_in_its_own_words(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """In one line, and nothing is called broken."""
    use_worker(BUG, tmp_path, monkeypatch)
    verification = Verification(
        VerificationSettings(resolvers=("http://127.0.0.1:1/",))
    )
    verification.submit([ONE])
    verdict = verification.finish()["20.1000/1"]

    assert verdict.outcome is OutcomeName.UNREACHABLE
    assert verdict.reason == (
        "the process that verifies has stopped: RuntimeError: this should not happen"
    )


def test_a_process_that_cannot_be_started_leaves_everything_unknown(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    """And no file open."""
    monkeypatch.setattr(sys, "executable", "/nowhere/python")
    verification = Verification(VerificationSettings())
    verification.submit([ONE])
    verdict = verification.finish()["20.1000/1"]

    assert verdict.outcome is OutcomeName.UNREACHABLE
    assert verdict.reason == (
        "the process that verifies has stopped: "
        "[Errno 2] No such file or directory: '/nowhere/python'"
    )
    assert verification._errors is None


def test_nothing_submitted_starts_nothing() -> None:
    """A project without a reference pays nothing."""
    verification = Verification(VerificationSettings())

    assert verification.finish() == {}


def test_a_verdict_survives_its_way_through_a_pipe() -> None:
    """As plain JSON."""
    verdict = Verdict(
        handle="20.1000/日本",
        outcome=OutcomeName.RESOLVED,
        target="https://example.org/",
        aliases=("20.1000/1",),
        problems=("x",),
        answered=1_800_000_000,
    )
    read = Verdict.from_json(json.loads(json.dumps(verdict.to_json())))

    assert (read, read.answered) == (verdict, verdict.answered)


@pytest.mark.parametrize("resolver", ["https://a.example/?q", "ftp://a.example/"])
def test_error_for_a_resolver_that_is_no_base(resolver: str) -> None:
    """A URL with a query, or of another scheme, is refused at once."""
    with pytest.raises(ValueError, match="is not the base of a proxy"):
        VerificationSettings(resolvers=(resolver,))
