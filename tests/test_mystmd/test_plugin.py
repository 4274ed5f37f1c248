"""The plugin for mystmd: syntax trees in, syntax trees out."""

import io
import json
import subprocess
import sys
from pathlib import Path
from types import SimpleNamespace
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from handle_pipelines.mystmd import main
from handle_pipelines.mystmd.tree import correct_targets, link_references, role
from handle_pipelines.mystmd.works import (
    describe_page,
    read_works,
)
from handle_system import DEFAULT_PROXIES, find_references
from tests.real_mystmd import MYST, said_by_mystmd
from tests.strategies import any_text, reference_like


def text(value: str) -> dict[str, Any]:
    return {"type": "text", "value": value}


def strong(value: str) -> dict[str, Any]:
    return {"type": "strong", "children": [text(value)]}


def link(url: str, shown: str, **more: Any) -> dict[str, Any]:
    return {"type": "link", "url": url, "children": [text(shown)], **more}


def ours(url: str, shown: str) -> dict[str, Any]:
    return {"type": "link", "url": url, "class": "hdl", "children": [text(shown)]}


def linked(*children: Any) -> tuple[Any, list[str]]:
    """The children of a paragraph after the first transform, and the messages."""
    messages: list[str] = []
    tree: Any = {
        "type": "root",
        "children": [{"type": "paragraph", "children": [*children]}],
    }
    link_references(tree, DEFAULT_PROXIES, messages.append)
    return tree["children"][0]["children"], messages


def run(*arguments: str, data: bytes = b"") -> subprocess.CompletedProcess[bytes]:
    code = "from handle_pipelines.mystmd import main; main()"
    return subprocess.run(
        [sys.executable, "-c", code, *arguments],
        input=data,
        capture_output=True,
        check=False,
    )


SICI = "10.1002/(SICI)1097-4679(199902)55:2<241::AID-JCLP12>3.0.CO;2-V"


def test_a_role_with_several_identifiers() -> None:
    """A role makes a link of each, with the words around them, and names its line."""
    messages: list[str] = []
    content = "[see 10.1000/a, p. 3;\nalso doi:10.5072/b]"

    assert role("doi", content, DEFAULT_PROXIES, messages.append, 7) == [
        text("(see "),
        ours("hdl:10.1000/a", "doi:10.1000/a"),
        text(", p. 3; also "),
        ours("hdl:10.5072/b", "doi:10.5072/b"),
        text(")"),
    ]
    assert messages == [
        'line 8: warning: doi:10.5072/b: "10.5072" is a prefix for tests [handle.placeholder]'
    ]


@pytest.mark.parametrize(
    ("children", "expected"),
    [
        (
            [text("See hdl:20.1000/1, and doi:10.1000/2.")],
            [
                text("See "),
                ours("hdl:20.1000/1", "hdl:20.1000/1"),
                text(", and "),
                ours("hdl:10.1000/2", "doi:10.1000/2"),
                text("."),
            ],
        ),
        (
            # mystmd cuts a DOI at what looks like a host.
            [
                text("a doi:10.1002/(SICI)1097-4679(199902)55:2<241::AID-JCLP12>"),
                link("http://3.0.CO", "3.0.CO"),
                text(";2-V."),
            ],
            [
                text("a "),
                ours(
                    "hdl:10.1002/(SICI)1097-4679(199902)55:2%3C241::AID-JCLP12%3E3.0.CO;2-V",
                    f"doi:{SICI}",
                ),
                text("."),
            ],
        ),
        (
            # A link that mystmd made stays one that it may make a citation of.
            [
                link(
                    "https://doi.org/10.1002/(SICI)1097-4679(199902)55:2",
                    "https://doi.org/10.1002/(SICI)1097-4679(199902)55:2",
                ),
                text("<241::AID-JCLP12>"),
                link("http://3.0.CO", "3.0.CO"),
                text(";2-V"),
            ],
            [
                ours(
                    "https://doi.org/10.1002/(SICI)1097-4679(199902)55:2%3C241::AID-JCLP12%3E3.0.CO;2-V",
                    f"https://doi.org/{SICI}",
                )
            ],
        ),
        (
            # In angle brackets an address ends where its author ends it.
            [link("https://doi.org/10.1000/a", "https://doi.org/10.1000/a"), text("(b)")],
            [ours("https://doi.org/10.1000/a", "https://doi.org/10.1000/a"), text("(b)")],
        ),
        (
            [text("doi:10.1000/a"), link("https://doi.org/10.1000/b", "https://doi.org/10.1000/b")],
            [
                ours("hdl:10.1000/a", "doi:10.1000/a"),
                ours("https://doi.org/10.1000/b", "https://doi.org/10.1000/b"),
            ],
        ),
        (
            [link("http://example.com", "example.com"), text(" and hdl:20.1000/1")],
            [
                link("http://example.com", "example.com"),
                text(" and "),
                ours("hdl:20.1000/1", "hdl:20.1000/1"),
            ],
        ),
        (
            # A label is marked up, and the identifier behind it is not.
            [strong("DOI:"), text(" 10.1000/a, 10.1000/b")],
            [strong("DOI:"), text(" "), ours("hdl:10.1000/a", "10.1000/a"), text(", 10.1000/b")],
        ),
        (
            [strong("hdl"), text(": 20.1000/a"), strong("See"), text(" 10.1000/b")],
            [strong("hdl"), text(": "), ours("hdl:20.1000/a", "20.1000/a"), strong("See"), text(" 10.1000/b")],
        ),
        (
            [strong("DOI"), text(":doi:10.1000/a")],
            [strong("DOI"), text(":"), ours("hdl:10.1000/a", "doi:10.1000/a")],
        ),
        (
            [{"type": "inlineCode", "value": "hdl:20.1/a"}, text("a/b")],
            [{"type": "inlineCode", "value": "hdl:20.1/a"}, text("a/b")],
        ),
        (
            [{"type": "link", "url": "/x", "children": [{"type": "strong", "children": [text("hdl:20.1/a")]}]}],
            [{"type": "link", "url": "/x", "children": [{"type": "strong", "children": [text("hdl:20.1/a")]}]}],
        ),
    ],
)  # fmt: skip
def test_references_in_text_become_links(children: Any, expected: Any) -> None:
    """Only running text changes; what mystmd cut is whole again."""
    assert linked(*children) == (expected, [])


@pytest.mark.parametrize(
    "kind",
    [
        *("cite", "citeGroup", "crossReference", "link"),
        *("code", "html", "inlineCode", "inlineMath", "math", "raw"),
        *("output", "outputs"),
    ],
)
def test_nodes_that_stay_as_they_are(kind: str) -> None:
    """Citations, links, code, formulas and output have no links to handles."""
    node = {"type": kind, "children": [strong("doi:10.1000/a"), text("doi:10.1000/b")]}
    before = json.dumps(node)

    children, messages = linked(node, text("doi:10.1000/c"))

    assert json.dumps(children[0]) == before
    assert children[1:] == [ours("hdl:10.1000/c", "doi:10.1000/c")]
    assert messages == []


def test_a_link_has_the_line_of_its_reference() -> None:
    """mystmd and the log name the line."""
    position = {"start": {"line": 7, "column": 1}, "end": {"line": 7, "column": 1}}
    children, messages = linked({**text("doi:10.5072/1 ."), "position": position})

    assert [child["position"] for child in children] == [position, position]
    assert messages == [
        'line 7: warning: doi:10.5072/1: "10.5072" is a prefix for tests [handle.placeholder]'
    ]


@pytest.mark.parametrize(
    ("url", "children", "expected"),
    [
        ("hdl:20.1000/1", [text("x")], ("https://hdl.handle.net/20.1000/1", "x")),
        ("http://dx.doi.org/10.1%2F2", [text("x")], ("https://doi.org/10.1/2", "x")),
        ("doi:10.1000/2", [], ("https://doi.org/10.1000/2", "doi:10.1000/2")),
        ("../a/b", [text("x")], ("../a/b", "x")),
        ("javascript:a/b", [text("x")], ("javascript:a/b", "x")),
        ("hdl:nope", [text("x")], ("hdl:nope", "x")),
    ],
)
def test_links_lead_to_their_proxy(
    url: str, children: list[Any], expected: tuple[str, str]
) -> None:
    """The second transform writes the one address of each handle."""
    messages: list[str] = []
    tree = {"type": "link", "url": url, "children": children}
    correct_targets(tree, DEFAULT_PROXIES, messages.append)

    assert (tree["url"], tree["children"][0]["value"]) == expected
    assert len(messages) == (url == "hdl:nope")


@pytest.mark.parametrize(
    ("shown", "given", "title"),
    [
        ("the report", {}, "hdl:20.1000/1 (hdl.handle.net)"),
        ("the report", {"title": "Mine"}, "Mine"),
        ("20.1000/1", {}, None),
    ],
)
def test_titles(shown: str, given: dict[str, str], title: str | None) -> None:
    """A link whose text is no identifier has the title that it has elsewhere."""
    tree = link("hdl:20.1000/1", shown, **given)

    correct_targets(tree, DEFAULT_PROXIES, print)

    assert tree.get("title") == title


def test_every_link_leads_to_its_proxy() -> None:
    """A link that is malformed, or no reference, hides no other."""
    urls = ["hdl:nope", "../a/b", 3, "doi:10.1000/2", "hdl:20.1000/1"]
    links = [{"type": "link", "url": url} for url in urls]
    messages: list[str] = []

    correct_targets({"children": links}, DEFAULT_PROXIES, messages.append)

    assert len(messages) == 1
    assert [each["url"] for each in links] == [
        *urls[:3],
        "https://doi.org/10.1000/2",
        "https://hdl.handle.net/20.1000/1",
    ]


WAKEFIELD = {
    "id": "doi:10.1016/s0140-6736(97)11096-0",
    "author": [{"family": "Wakefield", "given": "A. J."}],
    "issued": {"date-parts": [[1998]]},
    "title": "Ileal-lymphoid-nodular hyperplasia",
    "custom": {
        "updates": [
            {
                "state": "retracted",
                "date": "2010-02-06",
                "by": "10.1016/s0140-6736(10)60175-4",
            }
        ]
    },
}


@pytest.mark.parametrize(
    ("url", "shown", "expected"),
    [
        # mystmd has put breaks into the text, as it does where it has 20 characters.
        ("hdl:10.1000/a-long-name", "doi:10.1000\u200b/a\u200b-long\u200b-name", "doi:10.1000/a-long-name"),
        (f"hdl:{SICI}", f"doi:{SICI}".replace("-", "\u200b-"), f"doi:{SICI}"),
        # An author's own text, and an identifier that has such a character.
        ("hdl:20.1000/1", "a\u200b-text", "a\u200b-text"),
        ("hdl:20.1000/a%E2%80%8Bb", "hdl:20.1000/a\u200bb", "hdl:20.1000/a\u200bb"),
    ],
)  # fmt: skip
def test_identifiers_have_no_breaks(url: str, shown: str, expected: str) -> None:
    """An identifier is copied as it is, and needs no title that repeats it."""
    tree: Any = {"type": "root", "children": [link(url, shown, **{"class": "hdl"})]}

    correct_targets(tree, DEFAULT_PROXIES, lambda _: None)

    (made,) = tree["children"]
    assert made["children"] == [text(expected)]
    assert ("title" in made) == ("text" in shown)


def test_links_to_works_that_a_file_describes(tmp_path: Path) -> None:
    """A link has the reference as its title; what became of the work is logged."""
    path = tmp_path / "references.json"
    path.write_text(json.dumps([WAKEFIELD, {"id": "nothing"}]))
    url = "https://doi.org/10.1016/s0140-6736(97)11096-0"
    links: list[dict[str, Any]] = [
        {"type": "link", "url": url, "position": {"start": {"line": 3}}},
        {"type": "link", "url": url, "title": "Mine"},
        {"type": "link", "url": "https://doi.org/10.1000/182"},
        {"type": "link", "url": 3},
    ]
    messages: list[str] = []
    works = read_works(path, messages.append)
    tree = {"children": links}
    targets = correct_targets(tree, DEFAULT_PROXIES, messages.append, works)
    describe_page(tree, targets, works, DEFAULT_PROXIES, messages.append)

    assert [link.get("title") for link in links] == [
        (
            "Retracted 2010-02-06. Wakefield, A. J. (1998). "
            "Ileal-lymphoid-nodular hyperplasia."
        ),
        "Mine",
        None,
        None,
    ]
    retracted = (
        "warning: 10.1016/s0140-6736(97)11096-0: retracted on 2010-02-06, notice "
        "https://doi.org/10.1016/s0140-6736(10)60175-4; cite another work, or accept the notice: "
        "hdl references accept '10.1016/s0140-6736(10)60175-4' [handle.retracted]"
    )
    assert messages == [
        (
            f'{path}: warning: item 2 (nothing) has no identifier: write "id": "doi:10.…" or '
            '"hdl:…" [handle.references]'
        ),
        f"line 3: {retracted}",
        retracted,
    ]


def test_marks_and_the_list_of_the_page(tmp_path: Path) -> None:
    """Readers see what became of a work; the list has each work once."""
    path = tmp_path / "references.json"
    path.write_text(json.dumps([BAD]))
    works = read_works(path, lambda _: None)
    target = "https://doi.org/10.1000/bad"
    heading: Any = {"type": "heading", "children": [link(target, "x")]}
    paragraph: Any = {
        "type": "paragraph",
        "children": [link(target, "x"), text(" here")],
    }
    own: Any = {"type": "paragraph", "class": "hdl-cite"}
    own["children"] = [link("https://doi.org/10.1000/own", "own")]
    place: Any = {"type": "div", "class": "hdl-references", "children": []}
    tree: Any = {"type": "root", "children": [heading, paragraph, own, place]}

    targets = correct_targets(tree, DEFAULT_PROXIES, lambda _: None, works)
    describe_page(tree, targets, works, DEFAULT_PROXIES, lambda _: None)

    address = "https://doi.org/10.1000/notice"
    notice = link(address, "retracted", title=f"Retracted 2010-02-06: {address}")
    assert len(heading["children"]) == 1
    assert paragraph["children"][1:] == [
        text(" ["),
        notice,
        text("]"),
        text(" here"),
    ]
    assert place["type"] == "list"
    (item,) = place["children"]
    reference, update = item["children"]
    nodes = reference["children"]
    assert {"type": "emphasis", "children": [text("A bad thing")]} in nodes
    assert nodes[-1] == link(target, target, **{"class": "hdl doi"})
    assert update == {
        "type": "paragraph",
        "children": [
            {"type": "strong", "children": [text("Retracted")]},
            text(" 2010-02-06 · "),
            link(address, "notice", title=address, **{"class": "hdl doi"}),
        ],
    }


def test_a_link_within_the_project_is_no_work(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """The list of a page has the handles of its links alone."""
    (tmp_path / "references.json").write_text("[]")
    monkeypatch.chdir(tmp_path)
    urls = ["guide/intro", "#a/b", "1/2", "api/10.1000/2", "hdl:20.1000/1"]
    links = [link(url, "x") for url in urls]
    place: Any = {"type": "div", "class": "hdl-references", "children": []}
    program = (
        "from handle_pipelines.mystmd import main; main(references='references.json')"
    )

    done = subprocess.run(
        [sys.executable, "-c", program, "--transform", "handle-targets"],
        input=json.dumps({"children": [*links, place]}).encode(),
        capture_output=True,
        check=True,
    )

    (item,) = json.loads(done.stdout)["children"][-1]["children"]
    line, _no_metadata = item["children"]
    assert [node["url"] for node in line["children"]] == [
        "https://hdl.handle.net/20.1000/1"
    ]


def test_the_card_of_a_file(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """The project's CITATION.cff says what the directive does not."""
    (tmp_path / "CITATION.cff").write_text(
        "cff-version: 1.2.0\nmessage: Cite it.\ntitle: A tool\nversion: 1.5.0\n"
        "doi: 10.1000/tool\nauthors:\n  - family-names: Rust\n"
    )
    monkeypatch.chdir(tmp_path)
    program = "from handle_pipelines.mystmd import main; main(work='CITATION.cff')"

    done = subprocess.run(
        [sys.executable, "-c", program, "--directive", "cite-version"],
        input=b"{}",
        capture_output=True,
        check=True,
    )

    assert b"A tool" in done.stdout
    assert b"1.5.0" in done.stdout
    assert done.stderr.count(b"\n") == 1
    assert b"[handle.cite-not-yet-assigned]" in done.stderr


def test_a_file_of_references_that_does_not_exist(tmp_path: Path) -> None:
    """The log names it, and the command that makes it."""
    messages: list[str] = []

    assert not read_works(tmp_path / "none.json", messages.append)
    path = tmp_path / "none.json"
    (message,) = messages
    assert message == (
        f"{path}: warning: there is no such file; correct its name, or make it with "
        "hdl references update [handle.references]"
    )


def test_the_file_of_references_is_an_argument(tmp_path: Path) -> None:
    """The program that an author writes names it."""
    (tmp_path / "references.json").write_text(json.dumps([WAKEFIELD]))
    program = (
        "from handle_pipelines.mystmd import main; main(references='references.json')"
    )
    tree = {"type": "link", "url": "doi:10.1016/s0140-6736(97)11096-0"}
    done = subprocess.run(
        [sys.executable, "-c", program, "--transform", "handle-targets"],
        input=json.dumps(tree).encode(),
        capture_output=True,
        check=True,
        cwd=tmp_path,
    )

    assert json.loads(done.stdout)["title"].startswith("Retracted 2010-02-06. ")
    assert b"[handle.retracted]" in done.stderr


@pytest.mark.parametrize(
    ("name", "content", "node"),
    [
        ("hdl", "20.1000/1", ours("hdl:20.1000/1", "hdl:20.1000/1")),
        ("doi", "Title <10.1000/1>", ours("hdl:10.1000/1", "Title")),
        ("hdl", "~20.1000/1", ours("hdl:20.1000/1", "20.1000/1")),
        ("hdl", "!20.1000/1", text("hdl:20.1000/1")),
        ("doi", "20.1000/1", text("20.1000/1")),
        ("hdl", "<script>", text("<script>")),
    ],
)
def test_roles(name: str, content: str, node: dict[str, Any]) -> None:
    """A role is a link, or the text of its content."""
    messages: list[str] = []

    assert role(name, content, DEFAULT_PROXIES, messages.append) == [node]
    assert bool(messages) == (node == text(content))


def test_a_malformed_role_is_named_with_its_line() -> None:
    """The log says which reference is malformed, where, and why."""
    data = {"body": "20.1000", "node": {"position": {"start": {"line": 3}}}}

    done = run("--role", "hdl", data=json.dumps(data).encode())

    assert done.stderr.decode() == (
        'line 3: error: 20.1000: no "/" between prefix and suffix [handle.syntax]\n'
    )


def test_malformed_text_is_named_and_stays_text() -> None:
    """Text that was certainly meant for a reference is told with what to write."""
    position = {"start": {"line": 7}}
    first = text("See doi:20.5/3, doi:10.1/x and ")
    second = {**text("doi:10.1000/a<0081: here"), "position": position}

    children, messages = linked(first, second)

    assert children == [
        text("See doi:20.5/3, "),
        ours("hdl:10.1/x", "doi:10.1/x"),
        text(" and "),
        second,
    ]
    assert messages == [
        (
            'note: doi:20.5/3: the prefix of a DOI is "10" or begins with "10."; '
            "write hdl:20.5/3 [handle.malformed]"
        ),
        (
            'line 7: warning: doi:10.1000/a<: nothing closes the "<" behind it: '
            "is it one half of a SICI? [handle.markup]"
        ),
    ]


@pytest.mark.parametrize("node", [None, 1, [], {"position": 3}])
def test_a_role_without_a_place(node: object) -> None:
    """A message about a role whose place is not known names the reference alone."""
    data = {"body": "20.1000", "node": node}

    done = run("--role", "hdl", data=json.dumps(data).encode())

    assert done.stderr.decode() == (
        'error: 20.1000: no "/" between prefix and suffix [handle.syntax]\n'
    )


@given(st.lists(st.one_of(any_text, reference_like), max_size=4))
def test_no_text_is_lost(texts: list[str]) -> None:
    """The page has the text of its author, and a link for each reference."""
    children, _ = linked(*map(text, texts))
    shown = [
        child.get("value") or child["children"][0]["value"]
        for child in children
        if child != text("")
    ]
    references = [
        found
        for found in find_references("".join(texts))
        if not isinstance(found.reference, Exception)
    ]

    assert "".join(shown) == "".join(texts)
    assert sum(child["type"] == "link" for child in children) == len(references)


json_values = st.recursive(
    st.none() | st.booleans() | st.integers() | any_text,
    lambda inner: st.lists(inner, max_size=3)
    | st.dictionaries(
        st.sampled_from(["type", "value", "url", "children", "position", "start", "line"]),
        inner | st.sampled_from(["text", "link", "paragraph", "hdl:20.1/a"]),
        max_size=5,
    ),
    max_leaves=20,
)  # fmt: skip


@given(json_values)
def test_a_tree_of_any_shape_is_taken(tree: Any) -> None:
    """What is no node stays as it is, and raises nothing."""
    before = json.dumps(tree)
    messages: list[str] = []
    for transform in (link_references, correct_targets):
        transform({"children": [tree]}, DEFAULT_PROXIES, messages.append)

    assert "hdl:" in before or json.dumps(tree) == before


def test_the_specification_is_what_the_plugin_answers_to() -> None:
    """mystmd finds the roles, the directive and the transforms by their names."""
    specification = json.loads(run().stdout)

    required = {"type": "string", "required": True}
    assert specification["roles"] == [
        {"name": "hdl", "body": required},
        {"name": "doi", "body": required},
    ]
    directive, list_directive = specification["directives"]
    assert list_directive == {"name": "handle-references"}
    assert (directive["name"], directive["body"]) == (
        "cite-version",
        {"type": "string"},
    )
    assert {"about", "date", "title"} <= set(directive["options"])
    assert all(option == {"type": "string"} for option in directive["options"].values())
    for entry in specification["transforms"]:
        done = run("--transform", entry["name"], data=b'{"type": "root"}')
        assert (done.returncode, done.stdout, done.stderr) == (
            0,
            b'{"type": "root"}',
            b"",
        )
    done = run("--role", "hdl", data=b'{"body": "20.1000/1"}')
    assert json.loads(done.stdout) == [ours("hdl:20.1000/1", "hdl:20.1000/1")]


@pytest.mark.parametrize("depth", [*range(480, 520), 5_000])
def test_a_document_that_is_nested_too_deep(
    depth: int, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    """The tree is written, or one message; reading and writing go down differently far."""
    tree = b'{"type": "emphasis", "children": [' * depth + b"]}" * depth
    monkeypatch.setattr("sys.stdin", SimpleNamespace(buffer=io.BytesIO(tree)))
    message = ""
    try:
        main(["--transform", "handle-targets"])
    except SystemExit as error:
        message = str(error)

    assert (message, capsys.readouterr().out) in [
        ("", tree.decode()),
        ("handle_pipelines.mystmd: the document is nested too deep", ""),
    ]


@pytest.mark.parametrize(
    ("arguments", "data", "message"),
    [
        (
            ["--role", "hdl"],
            b"[",
            b"handle_pipelines.mystmd: the input cannot be read: ",
        ),
        (
            ["--role", "hdl"],
            b'{"body": "\xff"}',
            b"handle_pipelines.mystmd: the input cannot be ",
        ),
        (
            ["--transform", "handle-targets"],
            b"[" * 200_000,
            b"handle_pipelines.mystmd: the document is nested too deep",
        ),
        (
            ["--transform", "handle-targets"],
            b"[]",
            b"handle_pipelines.mystmd: the input is not a ",
        ),
        (["--role", "os"], b"{}", b"handle_pipelines.mystmd: unknown arguments: "),
    ],
)
def test_input_that_cannot_be_read(
    arguments: list[str], data: bytes, message: bytes
) -> None:
    """The plugin ends with one message, and no traceback."""
    done = run(*arguments, data=data)

    assert (done.returncode, done.stdout, done.stderr.count(b"\n")) == (1, b"", 1)
    assert done.stderr.startswith(message)


def statements(**data: Any) -> tuple[str, str]:
    done = run("--directive", "cite-version", data=json.dumps(data).encode())
    paragraphs = json.loads(done.stdout)
    assert {paragraph["type"] for paragraph in paragraphs} == {"paragraph"}
    return (
        "\n".join(
            "".join(
                child.get("value") or child["children"][0]["value"]
                for child in paragraph["children"]
            )
            for paragraph in paragraphs
        ),
        done.stderr.decode(),
    )


def test_the_directive_says_how_to_cite() -> None:
    """The reference and the address of the work stand behind the two statements."""
    shown, log = statements(
        options={
            "title": "A <policy>",
            "work": "102.100.272/Y35XYS0QH",
            "version": "1.0",
            "history": "",
        },
        body="1.0 | 2007-06-26 | 102.100.272/0N8J991QH | First",
    )

    assert log == ""
    assert shown == (
        "To cite this version of this work, use A <policy> (2007). Version 1.0. "
        "https://hdl.handle.net/102.100.272/0N8J991QH\n"
        "To cite the latest version of this work use "
        "https://hdl.handle.net/102.100.272/Y35XYS0QH"
    )


def test_the_directive_links_to_a_page_of_the_proxy() -> None:
    """The address of such a handle is no reference, and the statement has it."""
    link = "https://hdl.handle.net/doiRA/x0"
    options = {"title": "A", "work": "doiRA/x0", "version": "1", "handle": "20.1/1"}

    done = run(
        "--directive", "cite-version", data=json.dumps({"options": options}).encode()
    )

    _, latest = json.loads(done.stdout)
    assert latest["children"] == [
        text("To cite the latest version of this work use "),
        {"type": "link", "url": link, "children": [text(link)]},
    ]


def test_a_citation_that_cannot_be_made_says_why() -> None:
    """The page and the log have the message."""
    shown, log = statements(
        options={"title": "A", "version": "1", "work": "nope"},
        node={"position": {"start": {"line": 6}}},
    )

    message = ':work: no "/" between prefix and suffix'
    assert shown == f"{message}\n    nope\n        ^"
    assert log == f"line 6: warning: {message} [handle.citation]\n"


BAD = {
    "id": "doi:10.1000/bad",
    "type": "book",
    "title": "A bad thing",
    "author": [{"family": "Rust"}],
    "custom": {
        "updates": [
            {"state": "retracted", "by": "10.1000/notice", "date": "2010-02-06"}
        ]
    },
}
PAGE = f"""# A page

See hdl:20.1000/100, doi:10.1000/182 and doi:{SICI}, [x](hdl:20.1000/5) and example.com.

{{hdl}}`Title <20.1000/6>`, {{doi}}`10.1000/7`, {{hdl}}`nope` and `hdl:20.1000/code`.

Cite doi:10.1000/bad here.

```{{handle-references}}
```

```{{cite-version}}
:title: A policy
:work: 102.100.272/Y35XYS0QH
:version: 1.0
:handle: 102.100.272/0N8J991QH
```
"""


@pytest.mark.slow
@pytest.mark.skipif(MYST is None, reason="MYSTMD names no command of mystmd")
def test_mystmd_shows_what_is_found(tmp_path: Path) -> None:
    """The other plugin starts the same program, and mystmd shows its findings."""
    (tmp_path / "references.json").write_text(json.dumps([BAD]))
    (tmp_path / "CITATION.cff").write_text(
        "cff-version: 1.2.0\ntitle: A tool\nversion: '1.0'\ndoi: 10.1000/tool\n"
        "authors:\n  - family-names: Doe\n    given-names: Jane\n"
    )
    page = (
        "# A page\n\nSee doi:10.5072/x and doi:10.1000/bad.\n\n"
        "{hdl}`Title <20.1000/6>`, {hdl}`nope`.\n\n"
        "```{handle-references}\n```\n\n```{cite-version}\n```\n"
    )
    call = 'main(references="references.json", work="CITATION.cff")'
    said = said_by_mystmd(tmp_path, page, call)
    written = (tmp_path / "_build" / "exports" / "index.md").read_text("utf-8")

    for message in (
        '⛔️ index.md:5 nope: no "/" between prefix and suffix [handle.syntax]\n',
        '⚠️  index.md:3 doi:10.5072/x: "10.5072" is a prefix for tests [',
        "⚠️  index.md:3 10.1000/bad: retracted on 2010-02-06, notice ",
        "index.md:10 the work A tool has no handle yet; ",
    ):
        assert message in said
    for wanted in (
        "[doi:10.5072/x](https://doi.org/10.5072/x)",
        '[Title](https://hdl.handle.net/20.1000/6 "hdl:20.1000/6 (',
        "**Retracted** 2010-02-06",
        "use Doe, Jane. *A tool*. Version 1.0. <https://doi.org/10.1000/tool>",
    ):
        assert wanted in written


@pytest.mark.slow
@pytest.mark.skipif(MYST is None, reason="MYSTMD names no command of mystmd")
def test_mystmd_says_once_what_is_wrong_with_a_file(tmp_path: Path) -> None:
    """A project of several pages has one finding about a file that is not there."""
    for name in ("a", "b", "c"):
        (tmp_path / f"{name}.md").write_text(f"# {name}\n\nSee doi:10.5072/x.\n")
    call = 'main(references="missing.json")'

    said = said_by_mystmd(tmp_path, "# Index\n", call, "a.md", "b.md", "c.md")

    assert said.count("missing.json: ") == 1
    assert said.count("is a prefix for tests") >= 3


@pytest.mark.slow
@pytest.mark.skipif(MYST is None, reason="MYSTMD names no command of mystmd")
def test_mystmd_builds_a_page(tmp_path: Path) -> None:
    """The real mystmd takes the plugin, and asks nobody about our links."""
    (tmp_path / "references.json").write_text(json.dumps([BAD]))
    said = said_by_mystmd(
        tmp_path,
        PAGE,
        'main(proxies=Proxies({"20.1000": "https://resolver.example.org/"}), '
        'references="references.json")',
        "--debug",
        plugin="type: executable\n      path: handles.py",
        prelude="from handle_system import Proxies",
    )
    written = (tmp_path / "_build" / "exports" / "index.md").read_text("utf-8")

    assert "\u200b" not in written
    assert "Could not find DOI" not in said
    assert 'no "/" between prefix and suffix' in said
    for wanted in (
        "[hdl:20.1000/100](https://resolver.example.org/20.1000/100)",
        "[doi:10.1000/182](https://doi.org/10.1000/182)",
        f"[doi:{SICI}](https://doi.org/10.1002/",
        '[x](https://resolver.example.org/20.1000/5 "hdl:20.1000/5 (resolver.example.org)")',
        "[example.com](http://example.com)",
        '[Title](https://resolver.example.org/20.1000/6 "hdl:20.1000/6 (',
        "[doi:10.1000/7](https://doi.org/10.1000/7)",
        "nope and `hdl:20.1000/code`",
        "use *A policy*. Version 1.0. <https://hdl.handle.net/102.100.272/0N8J991QH>",
        "*A bad thing*. <https://doi.org/10.1000/bad>\n",
        "**Retracted** 2010-02-06 · [notice](",
        '[doi:10.1000/bad](https://doi.org/10.1000/bad "Retracted 2010-02-06.',
        ' \\[[retracted](https://doi.org/10.1000/notice "Retracted 2010-02-06: ',
    ):
        assert wanted in written
    # The list has no version of the document itself.
    assert written.count("No metadata yet") == 6
