"""`hdl resolve` and `hdl cache`: records, targets, and remembered outcomes."""

import json
from pathlib import Path

import pytest
from click.testing import Result

from handle_cli.command import hdl
from handle_system import Handle, HandleRecord, NotRegistered, Resolved
from handle_system.resolving.cache import SqliteCache
from tests.background import START
from tests.command_line import runner
from tests.faults import cut_json
from tests.native_server import running_natively
from tests.proxy_server import running


@pytest.fixture
def records(tmp_path: Path) -> str:
    alias = {"index": 1, "type": "HS_ALIAS", "data": "20.1000/100"}
    path = tmp_path / "records.json"
    path.write_text(
        json.dumps(
            {
                "20.1000/100": "https://example.org/[red]one",
                "20.1000/alias": {"values": [alias]},
                "20.1000/mail": {
                    "values": [{"index": 2, "type": "EMAIL", "data": "a@example.org"}]
                },
            }
        )
    )
    return str(path)


def run(*arguments: str) -> Result:
    return runner().invoke(hdl, arguments, catch_exceptions=False)


def _lines(text: str) -> list[str]:
    return [" ".join(line.split()) for line in text.splitlines()]


@pytest.mark.parametrize(
    ("text", "code", "lines"),
    [
        (
            "hdl:20.1000/alias",
            0,
            [
                "20.1000/alias: resolved",
                "by way of 20.1000/alias → 20.1000/100",
                "index type data ttl",
                "1 URL https://example.org/[red]one 86400",
                "leads to https://example.org/[red]one",
            ],
        ),
        ("20.1000/missing", 1, ["20.1000/missing: not registered"]),
        (
            "20.1000/mail",
            1,
            [
                "20.1000/mail: resolved",
                "index type data ttl",
                "2 EMAIL a@example.org",
                "leads nowhere: its record has neither a URL nor a location",
            ],
        ),
    ],
)
def test_a_record_is_a_table_with_its_aliases(
    records: str, text: str, code: int, lines: list[str]
) -> None:
    """The table shows values, aliases and the target; no markup takes effect.

    An unregistered handle and a record without a target exit with 1.
    """
    done = run("resolve", "--resolver", records, text)

    assert (done.exit_code, _lines(done.stdout)) == (code, lines)


def test_resolve_writes_json(records: str) -> None:
    """JSON has the outcome and the whole record, as the proxy returns it."""
    done = run("resolve", "--json", "--resolver", records, "20.1000/100", "20.1000/x")
    found, missing = json.loads(done.stdout)

    assert found["target"] == "https://example.org/[red]one"
    assert found["record"]["values"][0]["type"] == "URL"
    assert missing == {
        "handle": "20.1000/x",
        "outcome": "not-registered",
        "target": None,
        "reason": None,
        "aliases": [],
        "record": None,
    }


def test_a_server_is_asked() -> None:
    """`--resolver` names the proxy, which gets one request for a handle."""
    with running({"20.1000/1": "https://example.org/1"}) as server:
        done = run("resolve", "--resolver", server.url, "20.1000/1", "hdl:20.1000/1")

        assert dict(server.asked) == {"20.1000/1": 1}
    assert done.stdout.endswith("leads to https://example.org/1\n")


@pytest.mark.parametrize(
    ("arguments", "code", "lines"),
    [
        (["--type", "url", "20.1000/several"], 0, ["1 URL https://e.x/ 5"]),
        (
            ["--type", "URL.", "20.1000/several"],
            0,
            ["1 URL https://e.x/ 5", "2 URL.sub https://e.y/ 5"],
        ),
        (["--index", "-3", "20.1000/several"], 0, ["-3 EMAIL a@e.x 5"]),
        (
            ["--index", "2", "--type", "EMAIL", "20.1000/several"],
            0,
            ["2 URL.sub https://e.y/ 5", "-3 EMAIL a@e.x 5"],
        ),
        (["2:20.1000/several"], 0, ["2 URL.sub https://e.y/ 5"]),
        (
            ["--type", "EMAIL", "2:20.1000/several"],
            0,
            ["2 URL.sub https://e.y/ 5", "-3 EMAIL a@e.x 5"],
        ),
        (["9:20.1000/several"], 1, None),
        (["--type", "HS_ADMIN", "20.1000/several"], 1, None),
        (["--type", "HS_ADMIN", "20.1000/none"], 1, []),
    ],
)
def test_values_are_selected_by_type_and_index(
    tmp_path: Path, arguments: list[str], code: int, lines: list[str] | None
) -> None:
    """A value of either list is shown; a missing one is a finding."""
    rows = [
        (1, "URL", "https://e.x/"),
        (2, "URL.sub", "https://e.y/"),
        (-3, "EMAIL", "a@e.x"),
    ]
    values = [{"index": i, "type": t, "data": d, "ttl": 5} for i, t, d in rows]
    path = tmp_path / "records.json"
    path.write_text(json.dumps({"20.1000/several": {"values": values}}))
    done = run("resolve", "--resolver", str(path), *arguments)
    in_json = run("resolve", "--json", "--resolver", str(path), *arguments)
    ((member),) = json.loads(in_json.stdout)

    assert (done.exit_code, in_json.exit_code) == (code, code)
    shown = _lines(done.stdout)[1:]
    if lines is None:
        assert shown == ["its record has none of the values that are asked for"]
    else:
        assert shown == (["index type data ttl", *lines] if lines else [])
    if member["record"]:
        assert len(member["record"]["values"]) == len(lines or [])


def test_the_server_that_a_reference_names_is_asked_natively() -> None:
    """Without `--resolver`, `hdl://server/…` is asked over the native protocol."""
    with (
        running_natively({"20.1000/1": "https://example.org/named"}) as server,
        running({"20.1000/1": "https://example.org/proxy"}) as proxy,
    ):
        text = f"hdl://{server.netloc}/20.1000/1"
        natively = run("resolve", text)
        chosen = run("resolve", "--resolver", proxy.url, text)

    assert natively.stdout.endswith("leads to https://example.org/named\n")
    assert chosen.stdout.endswith("leads to https://example.org/proxy\n")


@pytest.mark.parametrize(
    ("texts", "code"),
    [
        (["20.1000/cut"], 3),
        (["20.1000/cut", "20.1000/missing"], 1),
        (["20.1000/cut", "20.1000/missing", "none"], 2),
    ],
)
def test_no_answer_is_no_conclusion(texts: list[str], code: int) -> None:
    """Without an answer the exit code is 3, unless there is a finding or an error."""
    with running({"20.1000/cut": cut_json}) as server:
        done = run("resolve", "--resolver", server.url, *texts)

    assert done.exit_code == code
    assert done.stdout.startswith("20.1000/cut: unreachable, ")


@pytest.mark.parametrize(
    ("resolver", "reason"),
    [
        (
            "https://",
            (
                "'https://' is not the base of a proxy: an http or https URL with a "
                "host, an optional port and path, and nothing else"
            ),
        ),
        ("no.json", "no.json: it cannot be read: No such file or directory"),
    ],
)
def test_a_resolver_that_cannot_be_used_is_a_wrong_argument(
    resolver: str, reason: str
) -> None:
    """An unusable resolver is one line and exit code 2, not a traceback."""
    done = run("resolve", "--resolver", resolver, "20.1/1")

    assert (done.exit_code, done.stderr) == (2, f"Error: {reason}\n")


@pytest.mark.skipif(not Path("/proc/self/fd").is_dir(), reason="needs /proc")
@pytest.mark.parametrize("records", ["{}", "no JSON"])
def test_a_cache_is_closed_when_all_is_asked(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, records: str
) -> None:
    """The cache is closed even if a file of records cannot be read."""
    monkeypatch.chdir(tmp_path)
    (tmp_path / "pyproject.toml").write_text('[tool.handle]\ncache = "c.sqlite"\n')
    (tmp_path / "r.json").write_text(records)
    (tmp_path / "a.md").write_text("doi:10.1/a\n")
    with running({"10.1/a": "https://example.org/a"}) as server:
        asked = ("--resolver", "r.json", "--resolver", server.url)
        done = run("check", "--verify", *asked, "a.md")
    opened = [each.resolve() for each in Path("/proc/self/fd").iterdir()]

    assert done.exit_code == (0 if records == "{}" else 2)
    assert [each for each in opened if each.name.startswith("c.sqlite")] == []


@pytest.fixture
def cache(tmp_path: Path) -> str:
    """A cache of long ago, with a fresh outcome."""
    path = tmp_path / "cache.sqlite"
    old, new = Handle("20.1000", "old\u202e"), Handle("20.1000", "new")
    with SqliteCache(path, now=START.timestamp) as opened:
        opened.remember("https://proxy.example/", old, NotRegistered())
    with SqliteCache(path) as opened:
        record = HandleRecord.of_url(new, "https://example.org/")
        opened.remember("https://proxy.example/", new, Resolved(record))
    return str(path)


def test_a_cache_is_shown(cache: str) -> None:
    """Each outcome has a row with its handle, its target, its resolver and its times."""
    names, new, old = _lines(run("cache", "show", cache).stdout)
    rows = json.loads(run("cache", "show", "--json", cache).stdout)

    assert names == "handle outcome target resolver asked fresh_until"
    assert new.startswith(
        "20.1000/new resolved https://example.org/ https://proxy.example/ 20"
    )
    assert old == (
        "20.1000/old\\u202e not-registered https://proxy.example/ "
        "2026-11-20T12:00+00:00 2026-11-20T13:00+00:00"
    )
    assert [row["handle"] for row in rows] == ["20.1000/new", "20.1000/old\u202e"]


def test_prune_forgets_old_outcomes(cache: str) -> None:
    """Fresh outcomes stay."""
    assert run("cache", "prune", cache).stdout == "forgotten: 1, kept: 1\n"
    assert run("cache", "prune", cache).stdout == "forgotten: 0, kept: 1\n"


@pytest.mark.parametrize("command", ["show", "prune"])
def test_a_redis_server_is_no_file(command: str) -> None:
    """The message does not show the password."""
    done = run("cache", command, "redis://:secret@cache.example.org/0")

    assert done.exit_code == 2
    assert done.stderr.endswith(
        "Error: Invalid value for 'PATH': a Redis server is not a file, and deletes old "
        "outcomes by itself\n"
    )


@pytest.mark.parametrize("way", ["path", "option", "settings"])
def test_forget_removes_handles(
    cache: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch, way: str
) -> None:
    """The cache is the first argument, an option or the project's setting."""
    monkeypatch.chdir(tmp_path)
    (tmp_path / "pyproject.toml").write_text('[tool.handle]\ncache = "cache.sqlite"\n')
    named = {"path": (cache,), "option": ("--cache", cache), "settings": ()}[way]
    texts = ("hdl:20.1000/new", "https://hdl.handle.net/20.1000/unknown")
    done = run("cache", "forget", *named, *texts)

    assert (done.exit_code, done.stdout) == (0, "forgotten: 1\n")
    (kept,) = json.loads(run("cache", "show", "--json", cache).stdout)
    assert kept["handle"] == "20.1000/old\u202e"


@pytest.mark.parametrize(
    ("arguments", "said"),
    [
        (
            ("20.1000/x",),
            "Error: name the cache: a PATH before the handles, or --cache\n",
        ),
        (("cache.sqlite",), "Error: Missing argument 'HANDLE…'.\n"),
        (("cache.sqlite", "no handle"), "Error: a handle is prefix/suffix"),
        (
            ("redis://me:secret@a:x/0", "20.1/x"),
            "Error: the cache is not the URL of a ",
        ),
    ],
)
def test_forget_needs_a_cache_and_handles(
    cache: str,
    tmp_path: Path,
    monkeypatch: pytest.MonkeyPatch,
    arguments: tuple[str, ...],
    said: str,
) -> None:
    """Each missing argument is named, with exit code 2 and no password."""
    monkeypatch.chdir(tmp_path)
    assert cache
    done = run("cache", "forget", *arguments)

    assert done.exit_code == 2
    assert said in done.stderr
    assert "secret" not in done.stderr


def test_a_value_that_a_remembered_record_lacks_is_asked_for_again(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """A finding about a value rests on no cached record, and no value is missed."""
    monkeypatch.chdir(tmp_path)
    (tmp_path / "a.md").write_text("hdl:20.1000/one\n")
    values = [{"index": 1, "type": "URL", "data": "https://example.org/"}]
    with running({"20.1000/one": {"values": values}}) as server:
        asked = ("--verify", "--resolver", server.url, "--cache", "c.sqlite")
        first = run("check", *asked, "a.md")
        (tmp_path / "c.rst").write_text(":hdl:`7:20.1000/one`\n")
        second = run("check", *asked, "c.rst")

        assert dict(server.asked) == {"20.1000/one": 2}
    assert first.stdout == ""
    assert second.stdout == (
        "c.rst:1:7: warning: 7:20.1000/one: its record has no value of index 7 "
        "[record]\n"
    )


def test_an_older_answer_is_named_as_such(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """`hdl check --verify` says when the answer was given if there is none now."""
    monkeypatch.chdir(tmp_path)
    (tmp_path / "a.md").write_text("hdl:20.1000/gone\n")
    with running({}) as server:
        asked = ("--verify", "--resolver", server.url, "--cache", "c.sqlite")
        first = run("check", *asked, "a.md")
    second = run("check", *asked, "a.md")

    finding = "a.md:1:1: warning: hdl:20.1000/gone: this handle is not registered"
    assert first.stdout == f"{finding} [not-registered]\n"
    assert second.stdout.startswith(f"{finding}; this is the answer of 20")
    assert " UTC, and there is none now: no connection to 127.0.0.1: " in second.stdout
    assert (first.exit_code, second.exit_code) == (1, 1)


@pytest.mark.parametrize("command", ["show", "prune"])
@pytest.mark.parametrize("content", [b"notes", b"SQLite format 3\0" + bytes(84)])
def test_a_file_that_is_no_cache_stays_as_it_is(
    tmp_path: Path, command: str, content: bytes
) -> None:
    """Any other file is a wrong argument, and no byte of it changes."""
    other = tmp_path / "notes"
    other.write_bytes(content)
    done = run("cache", command, str(other))

    reason = "the file is not a cache of this version, and stays as it is"
    assert done.exit_code == 2
    assert done.stderr == f"Error: the cache {other} cannot be used: {reason}\n"
    assert [file.name for file in tmp_path.iterdir()] == ["notes"]
    assert other.read_bytes() == content


def test_a_line_that_is_no_handle_is_named(records: str) -> None:
    """The others are resolved, and the code is that of a wrong text."""
    done = runner().invoke(
        hdl,
        ["resolve", "--resolver", records, "-"],
        input="20.1000/100\r\n\r\nnothing\r\n",
        catch_exceptions=False,
    )

    assert done.exit_code == 2
    assert done.stdout.startswith("20.1000/100: resolved\n")
    assert done.stderr == (
        '<stdin>:3: no "/" between prefix and suffix\n    nothing\n           ^\n'
    )
