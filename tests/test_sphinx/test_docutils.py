"""reStructuredText in plain docutils, and the two names of docutils that are replaced."""

import io
from collections.abc import Iterator
from pathlib import Path
from types import SimpleNamespace
from typing import Any

import pytest
from docutils import nodes
from docutils.core import publish_doctree
from docutils.parsers.rst import Directive, directives, roles, states
from docutils.parsers.rst import Parser as DocutilsParser
from docutils.transforms.universal import SmartQuotes
from sphinx.util.docutils import docutils_namespace

from handle_system.found import Found
from sphinxcontrib_handle import lines, rst
from sphinxcontrib_handle.domain import handle_domain
from sphinxcontrib_handle.lines import SourceLines
from sphinxcontrib_handle.links import LinkTargets
from tests.test_sphinx.conftest import MakeProject
from tests.test_sphinx.project import Link, page


def messages(text: str, path: str = "/page.rst") -> str:
    """The messages of docutils about a page, information too."""
    stream = io.StringIO()
    # The parser registers its roles with docutils.
    with docutils_namespace():
        publish_doctree(
            text,
            source_path=path,
            parser=rst.Parser(),
            settings_overrides={"warning_stream": stream, "report_level": 1},
        )
    return stream.getvalue()


DOUBLED = "info:https://doi.org/10.1000/1: a scheme is written before a proxy's URL; "


def test_a_scheme_before_a_url_is_reported_by_docutils() -> None:
    """The URL is the reference, and the message names the scheme before it, too."""
    assert messages("One\n*two* info:https://doi.org/10.1000/1.\n") == (
        f"/page.rst:2: (INFO/1) {DOUBLED}write doi:10.1000/1\n"
    )


def test_a_scheme_before_a_url_is_reported_by_sphinx(project: MakeProject) -> None:
    """The same in a project that wants to be warned."""
    made = project(
        page("See info:https://doi.org/10.1000/1."),
        handle_severity={"doubled-scheme": "warning"},
    )

    assert made.build().warnings == (
        f"index.rst:4: WARNING: {DOUBLED}write doi:10.1000/1 [handle.doubled-scheme]\n"
    )


def test_a_role_without_its_first_colon_at_the_beginning() -> None:
    """Nothing before it is needed to see it."""
    assert messages("doi:`10.1000/182`\n") == (
        "/page.rst:1: (WARNING/2) doi:`10.1000/182`: the role lacks its first colon; "
        "write :doi:`10.1000/182`\n"
        "    doi:`10.1000/182`\n"
        "    ~~~~~~~~~~~~~~~~^\n"
    )


def test_the_role_for_dois_takes_no_other_handle() -> None:
    """In docutils as in Sphinx; the role for handles takes both."""
    assert (
        messages(":hdl:`20.1000/100`, :hdl:`10.1000/182`, :doi:`10.1000/182`\n") == ""
    )
    assert messages(":doi:`20.1000/100`\n") == (
        '/page.rst:1: (ERROR/3) 20.1000/100: the prefix of a DOI is "10" or begins with '
        '"10."; write hdl:20.1000/100\n'
        "    20.1000/100\n"
        "    ~~~~~~^\n"
    )


def of_other_words(*_arguments: object, **_options: object) -> Any:
    """A role that shows a text of its own, with a literal at its beginning."""
    literal = nodes.literal("", "hdl:20.1000/a, ")
    text = nodes.Text("hdl:20.1000/b and hdl:20.1000/c")
    return [nodes.emphasis("", "", literal, text)], []


def test_the_parser_registers_no_roles(project: MakeProject) -> None:
    """Docutils without our parser, and a project without our extension, have their own.

    A role that stays registered would be found by both.
    """
    publish_doctree(":doi:`10.1000/182`", parser=rst.Parser())
    stream = io.StringIO()
    publish_doctree(":doi:`10.1000/182`", settings_overrides={"warning_stream": stream})
    made = project(
        page(":doi:`10.1000/182`"),
        ours=False,
        extensions=("sphinx.ext.extlinks",),
        extlinks={"doi": ("https://example.org/%s", "DOI %s")},
    )
    built = made.build(strict=True)

    assert 'Unknown interpreted text role "doi".' in stream.getvalue()
    assert built.warnings == ""
    assert built.links() == [
        Link("https://example.org/10.1000/182", "DOI 10.1000/182", None)
    ]


@pytest.mark.parametrize(
    "foreign",
    [
        {"handle_references": "references.json"},
        {"env": SimpleNamespace(config=object())},
        {"env": SimpleNamespace(config={"handle_recognize": True})},
        {"env": "production"},
    ],
)
def test_settings_of_other_programs(foreign: dict[str, object]) -> None:
    """Docutils' settings may hold anything; the inliner acts only on its own."""
    tree = publish_doctree(
        "One hdl:20.1/a",
        parser=DocutilsParser(inliner=rst.Inliner()),
        settings_overrides=foreign,
    )

    assert [link["refuri"] for link in tree.findall(nodes.reference)] == ["hdl:20.1/a"]


@pytest.mark.parametrize(
    ("text", "tree"),
    [
        (
            ".. role:: mine(doi)\n   :class: special\n\n:mine:`10.1000/182`",
            '<reference classes="hdl doi special"',
        ),
        (".. default-role:: doi\n\n`10.1000/182`", "<reference"),
        (".. role:: doi(literal)\n\n:doi:`10.1000/182`", "<literal"),
    ],
)
def test_directives_that_name_a_role(text: str, tree: str) -> None:
    """They find the role of a text that is parsed; a text can have its own instead."""
    stream = io.StringIO()
    with docutils_namespace():
        document = publish_doctree(
            text,
            parser=rst.Parser(),
            settings_overrides={"warning_stream": stream, "report_level": 1},
        )

    assert tree in document.pformat()
    assert stream.getvalue() == ""


def test_references_in_a_text_that_a_role_made() -> None:
    """They are linked from the first character on, although no line holds them."""
    with docutils_namespace():
        roles.register_local_role("of-other-words", of_other_words)
        document = publish_doctree("One :of-other-words:`x`.\n", parser=rst.Parser())

    assert [link.astext() for link in document.findall(nodes.reference)] == [
        "hdl:20.1000/b",
        "hdl:20.1000/c",
    ]
    assert document.astext() == "One hdl:20.1000/a, hdl:20.1000/b and hdl:20.1000/c."


@pytest.mark.parametrize(
    ("text", "links"),
    [
        (r"doi:\ 10.1000/a", []),
        (r"doi:10.1000/a\ b", ["doi:10.1000/a"]),
        ("doi:10.1000/a\\", ["doi:10.1000/a"]),
        (r"**DOI:**\ 10.1000/a", []),
        (r"*doi:10.1000/a\ b*", ["doi:10.1000/a"]),
    ],
)
def test_an_escaped_space(text: str, links: list[str]) -> None:
    """It separates, and a reference neither continues nor begins across it."""
    with docutils_namespace():
        document = publish_doctree(text, parser=rst.Parser())

    assert [link.astext() for link in document.findall(nodes.reference)] == links


BROKEN = "https:/doi.org/10.1000/1: the address is broken; write doi:10.1000/1"


def test_a_broken_address_is_a_warning_in_a_link() -> None:
    """In running text it is information: it may be an example."""
    assert messages(
        "One https:/doi.org/10.1000/1\nand `x <https:/doi.org/10.1000/1>`_.\n"
    ) == (f"/page.rst:1: (INFO/1) {BROKEN}\n/page.rst:2: (WARNING/2) {BROKEN}\n")


def test_a_mistyped_doi_is_a_warning_in_markup() -> None:
    """A DOI with letters in its number is valid, and nobody registers one."""
    reason = "letters stand for digits in the prefix; write doi:10.1000/1"

    assert (
        messages("doi:10.1O00/1\n")
        == f"/page.rst:1: (INFO/1) doi:10.1O00/1: {reason}\n"
    )
    assert messages("`x <https://doi.org/10.1O00/1>`__\n") == (
        f"/page.rst:1: (WARNING/2) https://doi.org/10.1O00/1: {reason}\n"
    )
    assert messages(":doi:`doi:10.1O00/1`\n") == (
        f"/page.rst:1: (WARNING/2) doi:10.1O00/1: {reason}\n"
    )


def test_a_name_of_a_target_in_a_reference() -> None:
    """Docutils reads names in text alone: not in emphasis, and not in a role."""
    target = "\n\n.. _abc:\n\nTarget\n"
    assert messages(f"*hdl:20.1000/abc_* :hdl:`20.1000/abc_`{target}") == (
        '/page.rst:3: (INFO/1) Hyperlink target "abc" is not referenced.\n'
    )
    assert messages(f"One\nhdl:20.1000/abc_{target}") == (
        "/page.rst:2: (WARNING/2) hdl:20.1000/abc_: abc_ is a target of this document, "
        "and stays a link to it; for the handle write :hdl:`hdl:20.1000/abc_`\n"
    )


class OfText(Directive):
    """A directive that parses a text of its own."""

    def run(self) -> list[nodes.Node]:
        parsed, _messages = self.state.inline_text("one\ntwo :doi:`x`", self.lineno)
        return parsed


def test_a_text_that_a_directive_made_has_lines() -> None:
    """Its rows are counted from the line that the directive names."""
    with docutils_namespace():
        directives.register_directive("of-text", OfText)
        said = messages("One\n\n.. of-text::\n")

    assert said == (
        '/page.rst:4: (ERROR/3) x: no "/" between prefix and suffix\n    x\n     ^\n'
    )


TABLE = """
+------------+---------------------+
| one        | two                 |
+------------+---------------------+
| one        | +-----+-----------+ |
| doi:10.1/a | | x   | - one     | |
|            | |     |           | |
|            | |     |   :doi:`x`| |
|            | +-----+-----------+ |
+------------+---------------------+
"""


def test_a_message_in_nested_tables_names_its_line() -> None:
    """Docutils' own line of a cell is one too high for each table around it."""
    assert messages(TABLE.removeprefix("\n")).partition("\n")[0] == (
        '/page.rst:7: (ERROR/3) x: no "/" between prefix and suffix'
    )


def test_the_inline_text_of_states_is_wrapped_once() -> None:
    """Docutils' method stays for other inliners, and installing twice changes nothing."""
    rst.install()
    installed = states.Inliner, states.RSTState.inline_text
    rst.install()

    assert (states.Inliner, states.RSTState.inline_text) == installed
    assert states.Inliner is rst.Inliner


def test_other_inliners_are_given_no_machine() -> None:
    """A parser with an inliner of its own reads pages as docutils does."""
    docutils_inliner = rst.Inliner.__bases__[0]
    rst.install()
    tree = publish_doctree(
        "One hdl:20.1/a\n", parser=DocutilsParser(inliner=docutils_inliner())
    )

    assert [link["refuri"] for link in tree.findall(nodes.reference)] == ["hdl:20.1/a"]


def test_two_applications_in_a_process_read_alike(project: MakeProject) -> None:
    """Only the application that loaded the extension makes links; its lines stay right."""
    text = page(TABLE)
    first = project(text).build()
    other = project(text, ours=False).build()
    again = project(text).build()

    line = 'index.rst:11: ERROR: x: no "/" between prefix and suffix [handle.syntax]'
    assert first.warnings.partition("\n")[0] == line
    assert again.warnings == first.warnings
    assert again.links() == first.links()
    assert other.links() == []
    assert 'Unknown interpreted text role "doi"' in other.warnings
    places = handle_domain(again.app.env).places()
    assert [(place.line, place.handle) for place in places] == [(9, "10.1/a")]


def test_what_cannot_be_placed_is_reported_all_the_same(project: MakeProject) -> None:
    """Text that an extension makes has no line in a file; its page is named."""
    made = project(
        page("|made|"),
        prelude=(
            "def setup(app):\n"
            "    def source(app, name, text):\n"
            "        text[0] += '\\n.. |made| replace:: :doi:`x` doi:10.1/made\\n'\n"
            "    app.connect('source-read', source)\n"
        ),
    )
    built = made.build()

    assert built.warnings.partition("\n")[0] == (
        'index.rst:6: ERROR: x: no "/" between prefix and suffix [handle.syntax]'
    )
    assert [place.handle for place in handle_domain(built.app.env).places()] == [
        "10.1/made"
    ]


class CountedRows(list[str]):
    """The lines of a file, which count how often one is read."""

    def __init__(self, rows: list[str]) -> None:
        super().__init__(rows)
        self.read = 0

    def __getitem__(self, index: Any) -> Any:
        self.read += 1
        return super().__getitem__(index)

    def __iter__(self) -> Iterator[str]:
        for row in super().__iter__():
            self.read += 1
            yield row


@pytest.mark.parametrize("form", ["doi:10.1/{}", "doi:10.1/same"])
def test_lines_are_looked_up_in_one_pass(
    monkeypatch: pytest.MonkeyPatch, tmp_path: Path, form: str
) -> None:
    """Docutils counts the lines of a cell from 0; each line of the file is read twice at most."""
    rows = [f"   a, {form.format(number)}" for number in range(300)]
    path = tmp_path / "page.rst"
    path.write_text("\n".join([".. csv-table::", "", *rows, ""]))
    text = lines.FileText(path.read_text())
    counted = CountedRows(text.rows)
    text.rows = counted
    monkeypatch.setattr(lines, "_read_text", lambda *_file: text)
    found_lines: list[int] = []

    def record(_self: LinkTargets, _node: object, found: Found, kind: str = "") -> None:
        assert kind == ""
        found_lines.append(found.place.line)

    monkeypatch.setattr(LinkTargets, "record", record)
    messages(path.read_text(), str(path))

    assert found_lines == [*range(3, 303)]
    assert counted.read <= 2 * len(counted)


def test_uses_of_substitutions_are_looked_up_once(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    """The links of a definition do not make the document be searched again."""
    lookups = []
    definition = LinkTargets._definition

    def counted(self: LinkTargets, use: nodes.substitution_reference) -> Any:
        lookups.append(use)
        return definition(self, use)

    monkeypatch.setattr(LinkTargets, "_definition", counted)
    references = " ".join(f"doi:10.1/{number}" for number in range(100))
    uses = " ".join(["|a|"] * 10)
    reported = messages(f".. |a| replace:: {references}\n\n{uses}\n")

    assert reported == ""
    assert len(lookups) == 10


@pytest.mark.parametrize(
    ("line", "found"), [(1, 2), (5, 2), (6, 9), (9, 9), (11, 9), (12, 2)]
)
def test_the_nearest_line_is_found(tmp_path: Path, line: int, found: int) -> None:
    """Behind the end of the file a line says nothing: it is of something else."""
    document = tmp_path / "page.rst"
    rows = [""] * 10
    rows[1] = rows[8] = "hdl:20.1000/a"
    document.write_text("\n".join(rows) + "\n")

    assert SourceLines(None).find(str(document), line, "hdl:20.1000/a") == (
        str(document),
        found,
    )


@pytest.mark.parametrize("encoding", [None, "utf-8", "utf-16", "latin-1"])
def test_lines_are_read_in_the_encoding_of_the_project(
    tmp_path: Path, encoding: str | None
) -> None:
    """Without one, documents are UTF-8."""
    document = tmp_path / "page.rst"
    document.write_text("one\nhdl:20.1000/ä\n", encoding or "utf-8")

    assert SourceLines(encoding).find(str(document), 1, "hdl:20.1000/ä") == (
        str(document),
        2,
    )


@pytest.mark.parametrize(
    ("written", "shown"),
    [
        (":hdl:`20.1000/a--b`", "hdl:20.1000/a--b"),
        (":hdl:`!20.1000/a--b`", "hdl:20.1000/a--b"),
        (":hdl:`a--b <20.1000/c>`", "a\u2013b"),
        ("hdl:20.1000/a--b", "hdl:20.1000/a--b"),
        ("`a--b hdl:20.1000/a--b <https://e.org/>`_", "a--b hdl:20.1000/a--b"),
    ],
)
def test_typography_of_docutils_changes_no_identifier(written: str, shown: str) -> None:
    """The smart quotes of docutils leave the text of an identifier as it is."""
    with docutils_namespace():
        document = publish_doctree(
            f"One -- {written}.\n",
            parser=rst.Parser(),
            settings_overrides={"smart_quotes": True},
        )

    assert document.astext() == f"One \u2013 {shown}."


def test_typography_of_another_parser_changes_no_identifier() -> None:
    """Who uses docutils may have smart quotes of their own."""

    class OwnQuotes(SmartQuotes):
        pass

    class OwnParser(rst.Parser):
        def get_transforms(self) -> list[Any]:
            others = (one for one in super().get_transforms() if one is not SmartQuotes)
            return [*others, OwnQuotes]

    with docutils_namespace():
        document = publish_doctree(
            "One -- hdl:20.1000/a--b.\n",
            parser=OwnParser(),
            settings_overrides={"smart_quotes": True},
        )

    assert document.astext() == "One \u2013 hdl:20.1000/a--b."


def test_a_parser_that_is_used_again_does_not_grow() -> None:
    """Docutils adds patterns to its inliner for each document."""
    parser = rst.Parser()
    sizes = []
    for _ in range(3):
        publish_doctree("See hdl:20.1000/1.\n", parser=parser)
        assert parser.inliner is not None
        sizes.append(len(parser.inliner.implicit_dispatch))

    assert len({*sizes}) == 1
