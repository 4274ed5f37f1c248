"""The project speaks of itself alone.

What is written here is read by people who have the project and nothing else: a
path of one machine, the place where one of us gets packages from, or a paper
that is not in the tree tells them nothing.
"""

import re
import subprocess
from collections.abc import Iterator
from pathlib import Path

import pytest

ROOT = Path(__file__).parent.parent

# Written so that no pattern is found in its own source.
FORBIDDEN = {
    "a path of one machine": r"(?<![\w./:~-])/(?:work|home|root|Users|opt)/(?=\w)",
    "a package registry": (
        r"\b(?:pypi\.org|pythonhosted\.org|npmjs\.(?:com|org)|crates\.io"
        r"|conda\.anaconda\.org|proxy\.golang\.org)"
    ),
    "a neighbouring folder": r"(?<![\w.-])(?:\.\./)*[s]hared/",
    "a paper outside the tree": r"\b(?:DESIGN(?:\.md| \d)|[r]esearch/[\w-]+\.md)",
    "a task list": r"(?i)\b[i]ssue (?:#|no\. ?)?\d",
}

# The test data beside the checkout, where there are some, are found by one line.
EXCEPTIONS = {(".ci/run", "a neighbouring folder")}


def _tracked() -> list[str]:
    listing = subprocess.run(
        ["git", "ls-files", "-z"], cwd=ROOT, capture_output=True, check=True
    )
    return sorted(filter(None, listing.stdout.decode().split("\0")))


def _texts() -> Iterator[tuple[str, str]]:
    for place in _tracked():
        path = ROOT / place
        # A file may be deleted in the working tree, or be an image.
        if path.is_file() and b"\0" not in (content := path.read_bytes()):
            yield place, content.decode("utf-8", "replace")


@pytest.mark.parametrize("what", FORBIDDEN)
def test_no_file_speaks_of(what: str) -> None:
    """No tracked text names what only its writers can see."""
    if not (ROOT / ".git").exists():
        pytest.skip("not a checkout: which files are the project's is not known")
    pattern = re.compile(FORBIDDEN[what])
    named = [
        f"{place}:{number}: {line.strip()[:120]}"
        for place, text in _texts()
        if (place, what) not in EXCEPTIONS
        for number, line in enumerate(text.splitlines(), start=1)
        if pattern.search(line)
    ]

    assert named == []


@pytest.mark.parametrize(
    ("what", "text"),
    [
        ("a path of one machine", "see `/" + "home/ada/handles`"),
        ("a package registry", "https://py" + "pi.org/project/x"),
        ("a neighbouring folder", "../sha" + "red/data"),
        ("a paper outside the tree", "DES" + "IGN 4 says so"),
        ("a task list", "as in iss" + "ue 12"),
    ],
)
def test_what_is_looked_for_is_found(what: str, text: str) -> None:
    """Each pattern matches what it is there for."""
    assert re.search(FORBIDDEN[what], text)


@pytest.mark.parametrize(
    "text",
    [
        "https://example.org/home/page",
        "exclude = ['/roots/']",
        "hdl:20.1000/work/one",
        "strategies shared by all tests",
        "the research of others",
    ],
)
def test_ordinary_words_are_left_alone(text: str) -> None:
    """Addresses and handles that merely look like it are not meant."""
    assert not any(re.search(pattern, text) for pattern in FORBIDDEN.values())
