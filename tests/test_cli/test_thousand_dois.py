"""`hdl references update` for a thousand DOIs, whose server plays every trouble."""

import json
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest
from click.testing import Result

from handle_cli.command import hdl
from handle_system.resolving import gate
from tests.agency_server import AgencyServer, Reply, as_csl, redirect, running_agency
from tests.command_line import runner

COUNT = 1000


def work(doi: str, **members: Any) -> dict[str, Any]:
    """A work as Crossref describes it."""
    return {
        "DOI": doi,
        "type": "journal-article",
        "title": [f"On {doi}"],
        "author": [{"family": "Doe", "given": "Ann"}],
        "issued": {"date-parts": [[2020]]},
        **members,
    }


def retraction(notice: str) -> dict[str, Any]:
    """A retraction as Crossref states it."""
    return {
        "DOI": notice,
        "type": "retraction",
        "updated": {"date-parts": [[2022, 2, 6]]},
    }


def plays(answer: Callable[[str], object]) -> Callable[[AgencyServer, str], None]:
    """The server redirects to itself and answers in JSON."""

    def play(server: AgencyServer, doi: str) -> None:
        server.describe(doi, answer(doi))

    return play


def replies(*made: Reply) -> Callable[[AgencyServer, str], None]:
    """The server gives these replies in turn, and then describes the work."""

    def play(server: AgencyServer, doi: str) -> None:
        server.answer(doi, *made, as_csl(work(doi)))

    return play


def always(reply: Reply) -> Callable[[AgencyServer, str], None]:
    """The server gives one reply, however often it is asked."""

    def play(server: AgencyServer, doi: str) -> None:
        server.answer(doi, reply)

    return play


def nested(depth: int) -> Reply:
    return Reply(body=b"[" * depth, content_type="application/json")


#: What comes of each kind of DOI: the first word of its line, and its state.
DESCRIBED = "added"
TROUBLES: dict[str, tuple[Callable[[AgencyServer, str], None], str, str]] = {
    "plain": (plays(work), DESCRIBED, ""),
    "enveloped": (plays(lambda doi: {"message": work(doi)}), DESCRIBED, ""),
    "datacite": (
        plays(
            lambda doi: {
                "data": {"attributes": {"doi": doi, "titles": [{"title": "Data"}]}}
            }
        ),
        DESCRIBED,
        "",
    ),
    "retracted": (
        plays(lambda doi: work(doi, **{"updated-by": [retraction("10.5555/n")]})),
        DESCRIBED,
        "retracted",
    ),
    "own-notice": (
        plays(lambda doi: work(doi, **{"updated-by": [retraction(doi)]})),
        DESCRIBED,
        "retracted",
    ),
    "new-version-of-itself": (
        plays(
            lambda doi: work(
                doi, **{"updated-by": [{**retraction(doi), "type": "new_version"}]}
            )
        ),
        DESCRIBED,
        "",
    ),
    "preprint": (
        plays(
            lambda doi: work(doi, relation={"is-preprint-of": [{"id": "10.5555/late"}]})
        ),
        DESCRIBED,
        "published",
    ),
    "alias": (plays(lambda _: work("10.5555/other")), DESCRIBED, "alias"),
    "busy-once": (
        replies(Reply(status=429, headers={"Retry-After": "0"})),
        DESCRIBED,
        "",
    ),
    "down-twice": (replies(Reply(status=503), Reply(status=504)), DESCRIBED, ""),
    "utf-16": (
        always(Reply(body=json.dumps(work("x")).encode("utf-16"))),
        DESCRIBED,
        "",
    ),
    "hostile": (
        plays(lambda doi: work(doi, title="<script>\u202e\x1b[31m\\input{x}")),
        DESCRIBED,
        "",
    ),
    "crowd": (
        plays(lambda doi: work(doi, author=[{"name": "N"}] * 5000)),
        DESCRIBED,
        "",
    ),
    "list": (plays(lambda doi: [work(doi)]), DESCRIBED, ""),
    "unknown": (always(Reply(status=404)), "not found", ""),
    "landing-page": (always(redirect("https://example.org/")), "no metadata", ""),
    "nowhere": (always(redirect("http://[")), "no metadata", ""),
    "gone": (replies(*[Reply(status=410)] * 9), "no metadata", ""),
    "html": (always(Reply(body=b"<html>Welcome")), "no metadata", ""),
    "empty": (plays(lambda _: {}), "no metadata", ""),
    "placeholders": (
        plays(lambda _: {"title": ":(unav)", "author": [{"name": "null"}]}),
        "no metadata",
        "",
    ),
    "deep": (always(nested(100_000)), "no metadata", ""),
    "down": (always(Reply(status=503)), "no answer", ""),
    "forbidden": (always(Reply(status=403)), "no answer", ""),
    "huge": (always(Reply(body=b"[" + b" " * 3_000_000 + b"]")), "no answer", ""),
}


@pytest.fixture(autouse=True)
def project(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    (tmp_path / "pyproject.toml").write_text("[tool.handle]\n")
    (tmp_path / "docs").mkdir()
    monkeypatch.chdir(tmp_path)
    monkeypatch.setattr(gate, "_PAUSE", 0.0)


def update(server: AgencyServer, *options: str) -> Result:
    arguments = ["references", "update", "--resolver", server.url, *options, "docs"]
    return runner().invoke(hdl, arguments, catch_exceptions=False)


@pytest.mark.slow
@pytest.mark.timeout(600)
def test_a_thousand_dois() -> None:
    """Each DOI ends as its answer says, all else is kept, and the next run goes on."""
    kinds = list(TROUBLES)
    dois = {
        f"10.5555/{kinds[number % len(kinds)]}.{number}": kinds[number % len(kinds)]
        for number in range(COUNT)
    }
    Path("docs/a.rst").write_text("\n\n".join(f"doi:{doi}" for doi in dois))
    with running_agency() as server:
        for doi, kind in dois.items():
            TROUBLES[kind][0](server, doi)
        done = update(server)
        asked_first = len(server.requests)
        server.requests.clear()
        again = update(server)
        asked_again = {path.rpartition("/")[2] for path in server.requests}
    words = {doi: TROUBLES[kind][1] for doi, kind in dois.items()}
    described = {doi for doi, word in words.items() if word == DESCRIBED}
    unanswered = {doi for doi, word in words.items() if word == "no answer"}
    lines = done.stdout.splitlines()

    assert done.exit_code == 1
    for word in ("added", "not found", "no metadata"):
        expected = {doi for doi, its_word in words.items() if its_word == word}
        prefix = f"{word:<11} "
        named = {line[12:].split()[0] for line in lines if line.startswith(prefix)}
        assert named == expected, word
    # One server, one line.
    (failures,) = [line for line in lines if line.startswith("no answer")]
    assert f"({len(unanswered)} identifiers, such as " in failures
    file = json.loads(Path("docs/references.json").read_text("utf-8"))
    assert {item["DOI"] for item in file} == described
    states = {}
    for item in file:
        custom = item["custom"]
        named_states = [update["state"] for update in custom.get("updates", [])]
        alias = ["alias"] if "described" in custom and "alias" in item["DOI"] else []
        states[item["DOI"]] = "".join(named_states + alias)
    assert states == {doi: TROUBLES[dois[doi]][2] for doi in described}
    assert max(len(item["author"]) for item in file if "author" in item) == 40
    # Two requests a DOI, and three tries for those that are down.
    assert asked_first <= 3 * COUNT
    assert again.exit_code in {1, 3}
    assert asked_again <= {doi.rpartition("/")[2] for doi in set(dois) - described}
    assert f"{len(described)} works, 0 added" in again.stderr
