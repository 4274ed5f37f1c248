"""The report of a document."""

import pytest
from markdown_it import MarkdownIt

from mdit_handle import handle_plugin, render_report

PAGE = """\
# On hdl:20.1000/100

See {hdl}`not a handle`, HDL:20.1000/100 and [x](hdl:20.1000/50%),
> and doi:10.5072/example.

[y][r]

[r]: doi:10.1000/ABC

```{cite-version}
:title: y
```
doi:10.1000/abc
"""

REPORT = """\
page.md:3:5: a handle is prefix/suffix, with no white space in the prefix [handle.syntax]
    not a handle
       ^
page.md:3:50: "%" begins an escape of two hexadecimal digits, and '%' is none \
[handle.link]
    hdl:20.1000/50%
                  ^
write hdl:20.1000/50%25
page.md:4:7: "10.5072" is a prefix for tests [handle.placeholder]
page.md:10: :version: no option, history or configuration says which version this is \
[handle.citation]
page.md: references: 5, handles: 3, findings: 4
"""


def _report(source: str) -> str:
    env: dict[str, object] = {}
    MarkdownIt("commonmark").use(handle_plugin).render(source, env)
    return render_report(env, name="page.md")


def test_report() -> None:
    """Every finding has a line that an editor makes a link of; equal handles are one."""
    assert _report(PAGE) == REPORT


def test_report_of_nothing() -> None:
    """A document without a reference has a report too."""
    assert _report("nothing") == ("page.md: references: 0, handles: 0, findings: 0\n")
    assert render_report({}) == "document: references: 0, handles: 0, findings: 0\n"


def test_report_says_what_to_write() -> None:
    """Where a finding knows better, the report says what to write."""
    assert _report("{hdl}`10.1000/a%2Fb`") == (
        "page.md:1:1: a bare handle is not percent-decoded, and this one holds escapes "
        "[handle.looks-encoded]\n"
        "    write doi:10.1000/a/b\n"
        "page.md: references: 1, handles: 1, findings: 1\n"
    )


@pytest.mark.parametrize(
    "source",
    [
        "{hdl}`\\x1b]0;\x1b[31m x` [a](<hdl:\x1b[31m@x/y>) {doi}`\u202ex`",
        "{hdl}`10.1000/e\u0301\U000de721`",
        "```{cite-version}\n:title: x\n:version: 1\n\n\x1b]0;x\x07 | 1 | 2 | 3\n```",
    ],
    ids=["messages", "suggestions", "places of citations"],
)
def test_report_shows_nothing_that_a_terminal_obeys(source: str) -> None:
    """Escape sequences of a hostile document, or of its name, do not get through."""
    env: dict[str, object] = {}
    MarkdownIt("commonmark").use(handle_plugin).render(source, env)
    report = render_report(env, name="\x1b[2J.md")

    assert "findings: 0" not in report
    assert report.replace("\n", "").isprintable()
