"""`hdl references find`: the DOIs that entries lack, from both agencies."""

from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest
from click.testing import Result

from handle_cli.command import hdl
from handle_cli.finding_references import with_dois
from handle_system import Handle
from handle_system.resolving import gate
from handle_system.settings import Settings
from tests.agency_server import AgencyServer, Reply, as_csl
from tests.background import serving
from tests.command_line import runner

BIB = """\
% Works without a DOI, and one with.
@article{urns,
  author = {Doe, Ann and Roe, Bob},
  title  = {Testing a {Framework} for {\\"U}rns in wild rivers},
  journal = {Phys. Rev. B},
  year = 2011,
  volume = {12},
  pages = {7--19},
}
@article{vague, author={Doe, Ann}, title={A vague description of many urns}, year=2012}
@phdthesis{thesis, author={Poe, Zoe}, title={A long thesis about small urns},
  school={Urn School}, year=2013}
@article{twice, author={Doe, Ann}, title={Two works with one long title}, year=2014}
@misc{nobody, title={Of no known author and year}}
@article{known, author={Doe, Ann}, title={Known}, year=2015, doi={10.1000/known}}
@article{made-up, author={Smith, J}, title={A framework that nobody has written}, year=2021}
"""
URNS = {
    "DOI": "10.1000/urns",
    "type": "journal-article",
    "title": ["Testing a Framework for &Uuml;rns in Wild Rivers"],
    "author": [{"family": "Doe", "given": "A."}],
    "issued": {"date-parts": [[2011, 3]]},
    "container-title": ["Physical Review B"],
    "volume": "12",
    "page": "7-19",
}
OTHER = {**URNS, "DOI": "10.1000/other", "volume": "99"}


def work(doi: str, title: str, family: str, year: int, kind: str) -> dict[str, Any]:
    return {
        "DOI": doi,
        "type": kind,
        "title": [title],
        "author": [{"family": family}],
        "issued": {"date-parts": [[year]]},
    }


WORKS = [
    OTHER,
    URNS,
    work(
        "10.1000/vague",
        "A vague description of many urns",
        "Doe",
        2012,
        "journal-article",
    ),
    work(
        "10.1000/thesis", "A long thesis about small urns", "Poe", 2013, "dissertation"
    ),
    work(
        "10.1000/one", "Two works with one long title", "Doe", 2014, "journal-article"
    ),
    work(
        "10.1000/two", "Two works with one long title", "Doe", 2014, "journal-article"
    ),
]


class SearchServer(AgencyServer):
    """Both agencies; Crossref answers with all works, however little they agree."""

    refusal: Reply | None = None

    def next_reply(self, path: str) -> Reply:
        with self.lock:
            self.requests.append(path)
        if path.startswith("/dois?"):
            return self.refusal or as_csl({"data": []})
        return as_csl({"message": {"items": WORKS}})


@pytest.fixture(autouse=True)
def project(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    (tmp_path / "pyproject.toml").write_text("[tool.handle]\n")
    (tmp_path / "refs.bib").write_text(BIB, "utf-8")
    monkeypatch.chdir(tmp_path)
    monkeypatch.setattr(gate, "_PAUSE", 0.0)


@pytest.fixture
def server() -> Iterator[SearchServer]:
    with serving(SearchServer()) as server:
        yield server


def find(server: AgencyServer, *options: str) -> Result:
    arguments = ["references", "find", "--resolver", server.url, *options, "refs.bib"]
    return runner().invoke(hdl, arguments, catch_exceptions=False)


SAID = """\
10.1000/urns may be the DOI of urns: title, first author, year, volume, first page and container agree
10.1000/vague may be the DOI of vague: title, first author and year agree
10.1000/thesis may be the DOI of thesis: title, first author and year agree; it is a thesis, so look at it
twice: 2 works agree; none is suggested
nobody: it has no author and no year
made-up: no work agrees
"""


def test_what_is_found_is_suggested(server: SearchServer) -> None:
    """Each entry without a DOI gets a line, and the file stays as it is."""
    done = find(server)

    assert done.exit_code == 0
    assert done.stdout == SAID
    assert done.stderr == (
        "refs.bib: 6 works without an identifier, 3 found\n"
        "1 DOI can be written. The file is not changed without --write.\n"
    )
    assert Path("refs.bib").read_text("utf-8") == BIB


def test_what_is_certain_is_written(server: SearchServer) -> None:
    """Only where container, or volume and first page, agree, too; the rest stays."""
    done = find(server, "--write")
    again = find(server, "--write")

    assert done.exit_code == 0
    assert done.stderr.splitlines()[-1] == "refs.bib: 1 DOI written"
    expected = BIB.replace(
        "@article{urns,\n", "@article{urns,\n  doi = {10.1000/urns},\n"
    )
    assert Path("refs.bib").read_text("utf-8") == expected
    assert "of urns" not in again.stdout


def test_the_requests(server: SearchServer) -> None:
    """Title and first author are asked for, in small letters, at both agencies."""
    find(server)

    title = "testing a framework for urns in wild rivers"
    assert sorted(server.requests)[:1] != []
    assert (
        f"/works?rows=20&query.bibliographic={title}&query.author=doe"
        in server.requests
    )
    assert f"/dois?page[size]=20&query={title} doe" in server.requests
    # Nobody is asked for an entry without author and year.
    assert len(server.requests) == 10


@pytest.mark.parametrize(
    "refusal", [Reply(status=503), Reply(status=400), Reply(body=b"<html>")]
)
def test_without_an_answer_of_both_nothing_is_suggested(
    server: SearchServer, refusal: Reply
) -> None:
    """The agency that did not answer might have another work that agrees."""
    server.refusal = refusal

    done = find(server, "--write")

    assert "may be the DOI" not in done.stdout
    assert "5 works got no answer: run the command again." in done.stderr
    assert Path("refs.bib").read_text("utf-8") == BIB


def test_nobody_answers(server: SearchServer) -> None:
    """The exit code says that nothing was learned."""
    Path("refs.bib").write_text(BIB.replace("@misc", "@comment"), "utf-8")
    server.refusal = Reply(status=403)

    assert find(server).exit_code == 3


@pytest.mark.parametrize(
    ("text", "left"),
    [
        ("@article{a, title={T}}\n", []),
        ("@ARTICLE { a ,\n title={T}}\n", []),
        ("@article(a, title={T})\n", ["a"]),
        ("@article{a, title={T}}\n@comment{x}\n@book{b,title={@article{a,}}}\n", []),
        ("@article{a, title={T}}\n@article{a, title={U}}\n", ["a"]),
        ("@article{a, title={T}, doi={}}\n", ["a"]),
    ],
)
def test_an_entry_is_changed_only_for_sure(text: str, left: list[str]) -> None:
    """What reads otherwise than meant is left as it is, and named."""
    new, named = with_dois(text, {"a": Handle.parse("10.1000/1")}, Settings())

    assert named == left
    assert (new == text) is bool(left)
    assert new.count("doi = {10.1000/1}") == (0 if left else 1)


@pytest.mark.parametrize("doi", ["10.1000/a}b", "10.1000/a%b", "10.1000/a\\b"])
def test_a_hostile_doi_is_not_written(doi: str) -> None:
    """Nothing that an agency answers ends a field, or begins a command of TeX."""
    text = "@article{a, title={T}}\n"

    assert with_dois(text, {"a": Handle.parse(doi)}, Settings()) == (text, ["a"])
