"""The options of citing, checked as the others are."""

import pytest

from sphinxcontrib_handle.config import options
from tests.test_sphinx.conftest import MakeProject


@pytest.mark.parametrize(
    ("name", "value", "kept", "complaints"),
    [
        ("version", "1.10", "1.10", []),
        ("version", 1.1, None, ["must be text or None, not 1.1"]),
        (
            "cite_show",
            ["history", "histroy", "bibtex", 3],
            ["history", "bibtex"],
            [
                (
                    "'histroy' is none of reference, history, uris, bibtex, ris, "
                    "csl-json, cff, text"
                ),
                "3 is not text",
            ],
        ),
        ("cite_show", "history", [], ["must be a list, not 'history'"]),
        (
            "cite_items",
            ["manual.pdf", "a/b.epub", "https://example.org/a"],
            ["manual.pdf", "a/b.epub", "https://example.org/a"],
            [],
        ),
        (
            "cite_items",
            ["/manual.pdf", "javascript:alert(1)", ""],
            [],
            [
                "'/manual.pdf' is neither an address nor a path in the site",
                "'javascript:alert(1)' is neither an address nor a path in the site",
                "'' is neither an address nor a path in the site",
            ],
        ),
    ],
)
def test_values_are_checked(
    project: MakeProject,
    name: str,
    value: object,
    kept: object,
    complaints: list[str],
) -> None:
    """Only the entry at fault is lost, and the warning names the ones allowed."""
    built = project("Title\n=====\n", **{f"handle_{name}": value}).build("dummy")

    assert getattr(options(built.app.config), name) == kept
    assert built.warnings == "".join(
        f"WARNING: handle_{name}: {complaint} [handle.config]\n"
        for complaint in complaints
    )
