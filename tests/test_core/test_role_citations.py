"""Roles with several identifiers."""

import pytest
from hypothesis import example, given
from hypothesis import strategies as st

from handle_system.errors import HandleSyntaxError
from handle_system.proxies import DEFAULT_PROXIES
from handle_system.role_citations import Cluster, read_pandoc_cluster, read_role
from handle_system.role_content import RoleContent
from tests.strategies import reference_like

SICI = "10.1002/(SICI)1097-4679(199902)55:2<241::AID-JCLP12>3.0.CO;2-V"


def parts(text: str, *, doi_only: bool = False) -> list[tuple[str, str, str]]:
    """The prefix, the identifier and the locator of each reference of a cluster."""
    cluster = read_role(text, proxies=DEFAULT_PROXIES, doi_only=doi_only)
    assert isinstance(cluster, Cluster)
    for cited in cluster.cited:
        behind = text.replace("\n", " ")[cited.start :]
        assert behind.startswith(cited.written)
    return [(cited.prefix, cited.written, cited.locator) for cited in cluster.cited]


@pytest.mark.parametrize(
    ("text", "cited"),
    [
        ("10.1000/a, p. 3", [("", "10.1000/a", "p. 3")]),
        ("10.1000/a; 10.1000/b", [("", "10.1000/a", ""), ("", "10.1000/b", "")]),
        (
            " 10.1000/a, pp. 3, 5;\n doi:10.1000/b ",
            [("", "10.1000/a", "pp. 3, 5"), ("", "doi:10.1000/b", "")],
        ),
        ("[10.1000/a]", [("", "10.1000/a", "")]),
        ("[ 10.1000/a ]", [("", "10.1000/a", "")]),
        (
            "[see 10.1000/a, p. 3; also doi:10.1000/b]",
            [("see", "10.1000/a", "p. 3"), ("also", "doi:10.1000/b", "")],
        ),
        (
            "[see  for\nexample 10.1000/a p. 3 and 7]",
            [("see for example", "10.1000/a", "p. 3 and 7")],
        ),
        (f"[{SICI}; {SICI}, p. 1]", [("", SICI, ""), ("", SICI, "p. 1")]),
        (
            "[https://doi.org/10.1000/a; hdl:20.1000/b%20c]",
            [("", "https://doi.org/10.1000/a", ""), ("", "hdl:20.1000/b%20c", "")],
        ),
        ("[and/or 20.1000/1]", [("and/or", "20.1000/1", "")]),
        ("[10.1000/a,]", [("", "10.1000/a,", "")]),
        ("@10.1000/a", [("", "10.1000/a", "")]),
        (" @20.1000/a b ", [("", "20.1000/a b", "")]),
        (
            "@10.1000/a, p. 3;\n@doi:10.1000/b; 10.1000/c",
            [
                ("", "10.1000/a", "p. 3"),
                ("", "doi:10.1000/b", ""),
                ("", "10.1000/c", ""),
            ],
        ),
    ],
)
def test_clusters(text: str, cited: list[tuple[str, str, str]]) -> None:
    """Parts are divided by a semicolon and white space, and a locator follows a comma."""
    assert parts(text) == cited


@pytest.mark.parametrize(
    "text",
    [
        "10.1000/a",
        SICI,
        f"a; title, with marks <{SICI}>",
        "[a title] <20.1000/1>",
        "20.1000/a; b",
        "20.1000/a; b/c",
        "20.1000/a, b; and/or",
        "@me at <10.1000/a>",
        "~20.1000/a, b",
        "!20.1000/a; 20.1000/b",
    ],
)
def test_other_content(text: str) -> None:
    """One identifier is read as before, with its title, its mark and its spaces."""
    assert isinstance(read_role(text, proxies=DEFAULT_PROXIES), RoleContent)


def test_brackets_and_names() -> None:
    """Only brackets that its author wrote stand around a cluster, and a sign asks for names."""
    read = [
        read_role(text, proxies=DEFAULT_PROXIES)
        for text in ("[10.1000/a]", "10.1000/a, p. 3", "@10.1000/a")
    ]

    assert [
        (cluster.is_bracketed, cluster.is_named)
        for cluster in read
        if isinstance(cluster, Cluster)
    ] == [(True, False), (False, False), (False, True)]


@pytest.mark.parametrize(
    ("text", "doi_only", "message"),
    [
        (
            "[see there]",
            False,
            "there is no identifier here\n    [see there]\n     ~~~~~~~~^",
        ),
        (
            "[10.1000/a; see ]",
            False,
            (
                'no "/" between prefix and suffix\n'
                "    [10.1000/a; see ]\n"
                "                   ^"
            ),
        ),
        ("[]", False, "there is no identifier here\n    []\n     ^"),
        (
            "[see 10.1000/a; also doi:10.1000/50%, p. 2]",
            False,
            (
                "\"%\" begins an escape of two hexadecimal digits, and '%' is none\n"
                "    [see 10.1000/a; also doi:10.1000/50%, p. 2]\n"
                "                                       ^\n"
                "write [see 10.1000/a; also doi:10.1000/50%25, p. 2]"
            ),
        ),
        (
            "10.1000/a; doi:10.1000/50%",
            False,
            (
                "\"%\" begins an escape of two hexadecimal digits, and '%' is none\n"
                "    10.1000/a; doi:10.1000/50%\n"
                "                             ^\n"
                "write 10.1000/a; doi:10.1000/50%25"
            ),
        ),
        (
            "@doi:10.1000/50%",
            False,
            (
                "\"%\" begins an escape of two hexadecimal digits, and '%' is none\n"
                "    @doi:10.1000/50%\n"
                "                   ^\n"
                "write @doi:10.1000/50%25"
            ),
        ),
        (
            "[10.1000/a; 20.1000/b]",
            True,
            (
                'the prefix of a DOI is "10" or begins with "10."\n'
                "    [10.1000/a; 20.1000/b]\n"
                "                ~~~~~~^"
            ),
        ),
        (
            "[10.1000/a; ~10.1000/b]",
            False,
            (
                '"~" stands only before a single identifier\n'
                "    [10.1000/a; ~10.1000/b]\n"
                "                ^"
            ),
        ),
        (
            "[see 10.1000/a, 10.1000/b]",
            True,
            (
                'a second identifier stands here; a semicolon, as in "a; b", divides '
                "works\n"
                "    [see 10.1000/a, 10.1000/b]\n"
                "                    ~~~~~~~~^"
            ),
        ),
        (
            "10.1000/a, and doi:10.1000/b",
            False,
            (
                'a second identifier stands here; a semicolon, as in "a; b", divides '
                "works\n"
                "    10.1000/a, and doi:10.1000/b\n"
                "                   ~~~~~~~~~~~~^"
            ),
        ),
    ],
)
def test_errors(text: str, message: str, *, doi_only: bool) -> None:
    """A part without an identifier is an error at its place, and the suggestion is the
    whole content."""
    with pytest.raises(HandleSyntaxError) as caught:
        read_role(text, proxies=DEFAULT_PROXIES, doi_only=doi_only)

    assert str(caught.value) == message


@pytest.mark.parametrize(
    "locator",
    ["10.5", "10.5/6", "and/or", "https://example.org/10.1000", "doi:10.1000"],
)
def test_locator(locator: str) -> None:
    """Numbers, words and other addresses are no second identifier."""
    cluster = read_role(f"[10.1000/a, p. 3, {locator}]", proxies=DEFAULT_PROXIES)

    assert isinstance(cluster, Cluster)
    assert [cited.locator for cited in cluster.cited] == [f"p. 3, {locator}"]


def read_or_error(text: str) -> RoleContent | Cluster | HandleSyntaxError:
    """What a role holds, or what is wrong with it."""
    try:
        return read_role(text, proxies=DEFAULT_PROXIES)
    except HandleSyntaxError as error:
        return error


SIGNS = st.sampled_from(["", "@"])
WORDS = st.text(alphabet="abc ,;[]<>@\n", max_size=12)


@given(st.lists(st.tuples(WORDS, reference_like, WORDS), min_size=1, max_size=3), SIGNS)
@example([("", "10.1/a", ""), ("", "hdl:hdl:20.1/x", "")], "")
def test_laws(written: list[tuple[str, str, str]], sign: str) -> None:
    """Each reference stands where the cluster says, they come in order, and a suggestion
    can be read, at least to the next part that is malformed."""
    content = "; ".join(" ".join(part) for part in written)
    for text in (f"{sign}{content.lstrip()}", f"[{content}]"):
        cluster = read_or_error(text)
        if isinstance(cluster, HandleSyntaxError) and cluster.suggestion is not None:
            mended = read_or_error(cluster.suggestion)
            if isinstance(mended, HandleSyntaxError):
                assert mended.span[0] > cluster.span[0]
        if isinstance(cluster, Cluster):
            line = text.replace("\n", " ")
            end = 0
            for cited in cluster.cited:
                assert cited.start >= end
                end = cited.start + len(cited.written)
                assert line[cited.start : end] == cited.written


def pandoc(text: str) -> list[tuple[str, str, str]] | None:
    """The prefix, the identifier and the locator of each reference in brackets."""
    cluster = read_pandoc_cluster(text, 1, len(text) - 1, proxies=DEFAULT_PROXIES)
    if cluster is None:
        return None
    assert cluster.is_bracketed
    for cited in cluster.cited:
        assert text[cited.start :].startswith(cited.written)
    return [(cited.prefix, cited.written, cited.locator) for cited in cluster.cited]


@pytest.mark.parametrize(
    ("text", "cited"),
    [
        ("[@doi:10.1000/a]", [("", "doi:10.1000/a", "")]),
        (
            "[see @doi:10.1000/a, p. 3; also @hdl:20.1000/b]",
            [("see", "doi:10.1000/a", "p. 3"), ("also", "hdl:20.1000/b", "")],
        ),
        ("[@doi:10.1000/a pp. 3, 5]", [("", "doi:10.1000/a", "pp. 3, 5")]),
        ("[@{doi:10.1000/a}, p. 3]", [("", "doi:10.1000/a", "p. 3")]),
        ("[@https://doi.org/10.1000/a]", [("", "https://doi.org/10.1000/a", "")]),
        (f"[@doi:{SICI}; @doi:{SICI}]", [("", f"doi:{SICI}", "")] * 2),
    ],
)
def test_pandoc_clusters(text: str, cited: list[tuple[str, str, str]]) -> None:
    """In Pandoc's brackets each reference stands behind an "@"."""
    assert pandoc(text) == cited


@pytest.mark.parametrize(
    "text",
    [
        "[@doi:10.1000/a; see there]",
        "[@smith04; @doi:10.1000/a]",
        "[@doi:10.1000/a @doi:10.1000/b]",
        "[-@doi:10.1000/a]",
        "[me@doi:10.1000/a]",
        "[@10.1000/a]",
        "[@doi:20.1000/a]",
        "[doi:10.1000/a]",
        "[]",
    ],
)
def test_brackets_of_others(text: str) -> None:
    """Brackets that hold other keys, or no mark, are no cluster of identifiers."""
    assert pandoc(text) is None
