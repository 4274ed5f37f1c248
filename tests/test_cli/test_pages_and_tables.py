"""HTML and tables: what counts in them, where it stands, and what is written there."""

import csv
import io
import json
from itertools import groupby
from operator import attrgetter
from pathlib import Path

import pytest
from click.testing import Result
from hypothesis import given
from hypothesis import strategies as st

from handle_cli.command import hdl
from handle_cli.readers import ReadingRules, read_references, span_of
from handle_cli.readers.tables import cells_of, read_csv
from handle_cli.rewriting import RewritingRules, rewrite
from handle_system import HandleSyntaxError
from handle_system.diagnostics import findings_about
from handle_system.lines import Lines
from handle_system.settings import Settings
from handle_system.syntax import Syntax
from tests.command_line import runner


def found(syntax: Syntax, text: str) -> list[str]:
    """The references of a text as they stand in the file; errors begin with a cross."""
    lines = Lines(text)
    read = []
    for reference in read_references(syntax, text, Settings()):
        span = span_of(lines, reference)
        assert span is not None
        is_error = isinstance(reference.reference, HandleSyntaxError)
        read.append("x " * is_error + text[slice(*span)])
    return read


def run(*arguments: str) -> Result:
    return runner().invoke(hdl, arguments, catch_exceptions=False)


@pytest.mark.parametrize(
    ("page", "expected"),
    [
        ("<p>See doi:10.1000/182, hdl:20.1000/1.", ["doi:10.1000/182", "hdl:20.1000/1"]),
        ("<a href='http://dx.doi.org/10.1/a&amp;b'>x</a>", ["http://dx.doi.org/10.1/a&amp;b"]),
        ("<A\nclass=x HREF = hdl:20.1/a>x</A>", ["hdl:20.1/a"]),
        ('<a href=" doi:10.1/a ">t</a>', ["doi:10.1/a"]),
        ('<link rel="cite-as" href="https://doi.org/10.1/a"/>', ["https://doi.org/10.1/a"]),
        ('<base href="https://doi.org/10.1/a">', []),
        # The text of a link is no reference, and what stands behind it is.
        ('<a href="x.html">doi:10.1/no</a> doi:10.1/yes', ["doi:10.1/yes"]),
        ('<a name="x">doi:10.1/yes</a>', ["doi:10.1/yes"]),
        ("doi:10.1002/1097(19980815)17:15&lt;1661::AID-SIM968&gt;3.0.CO;2-2,", ["doi:10.1002/1097(19980815)17:15&lt;1661::AID-SIM968&gt;3.0.CO;2-2"]),
        ("a < b, doi:10.1/yes", ["doi:10.1/yes"]),
        # A line may break there.
        ("doi:10.1000/<wbr>18<WBR/>2 <a>10.1000/<wbr>1</a>", ["doi:10.1000/<wbr>18<WBR/>2"]),
        ("doi:10.1000/<wbr></wbr>182", ["doi:10.1000/<wbr></wbr>182"]),
        ("<table><tr><th>DOI</th></tr><tr><td>10.1/<wbr>a.</td></tr><tr><td>doi:10.1/<wbr>b.</td></tr></table>", ["10.1/<wbr>a.", "doi:10.1/<wbr>b."]),
        ("<code>doi:10.1/no</code><pre>doi:10.1/no</pre> doi:10.1/yes", ["doi:10.1/yes"]),
        ("<svg/>doi:10.1/yes", ["doi:10.1/yes"]),
        ("<script>'<p>doi:10.1/no</p>'</SCRIPT >doi:10.1/yes", ["doi:10.1/yes"]),
        ("<style>doi:10.1/no", []),
        ("<!-- doi:10.1/no --><!DOCTYPE doi:10.1/no><?php doi:10.1/no ?>doi:10.1/yes", ["doi:10.1/yes"]),
        ("<!--> doi:10.1/yes", ["doi:10.1/yes"]),
        ("<!-- doi:10.1/no", []),
        ("</table></td>doi:10.1/yes</tr><td><th>doi:10.1/too", ["doi:10.1/yes", "doi:10.1/too"]),
        ('doi:10.1/yes <a href="doi:10.1/no', ["doi:10.1/yes"]),
        # A template's values are not known.
        ('<a href="https://doi.org/{{ doi }}">x</a> {% cite doi:10.1/no %}', []),
        ('<a href="doi:10.1/%zz">x</a>', ["x doi:10.1/%zz"]),
    ],
)  # fmt: skip
def test_links_and_text_of_pages_are_read(page: str, expected: list[str]) -> None:
    """Links and text count; code, scripts, comments and texts of links do not."""
    assert found(Syntax.HTML, page) == expected


def test_a_page_is_rewritten() -> None:
    """Links and text become canonical links."""
    page = (
        "<a href='http://dx.doi.org/10.1/a&amp;b'>x</a> doi:10.1/c\n"
        "<a href=http://dx.doi.org/10.1/d>x</a> doi:10.1/it's\n"
    )
    done = rewrite(Syntax.HTML, page, RewritingRules(values=Settings()))

    assert done.text == (
        "<a href='https://doi.org/10.1/a%26b'>x</a> https://doi.org/10.1/c\n"
        "<a href=https://doi.org/10.1/d>x</a> https://doi.org/10.1/it%27s\n"
    )
    assert done.left == []


TABLE = """\
id,Handle,doi,identifier,note
1,20.1000/1,10.1000/1,ISBN 12,"x ""q"" doi:10.1000/182
hdl:20.1000/2"
2,nope,20.1000/3,102.100.272/X,
3,https://doi.org/10.1000/3, https://doi.org/10.1000/4 ,12/34,http://dx.doi.org/10.1000/5
4,20.1000/7||20.1000/8; 20.1000/9,n/a,,n/a
5,hdl:20.1000/7||hdl:20.1000/8.,https://doi.org/10.1000/7||https://doi.org/10.1000/8,,hdl:20.1/a||hdl:20.1/b
"""


def test_the_cells_of_a_table_are_read() -> None:
    """Bare handles count in columns for them, and elsewhere what counts in text."""
    assert found(Syntax.CSV, TABLE) == [
        *("20.1000/1", "10.1000/1", "doi:10.1000/182", "hdl:20.1000/2"),
        *("x nope", "x 20.1000/3", "102.100.272/X"),
        *("https://doi.org/10.1000/3", "https://doi.org/10.1000/4"),
        "http://dx.doi.org/10.1000/5",
        *("20.1000/7", "20.1000/8", "20.1000/9"),
        *("hdl:20.1000/7", "hdl:20.1000/8."),
        *("https://doi.org/10.1000/7", "https://doi.org/10.1000/8"),
        *("hdl:20.1/a", "hdl:20.1/b"),
    ]


MALFORMED = ["20.5555-x", "20.5555", "20.5555\u2013x", "20.5555/", "/x", "20.5555 x"]
NO_PROXY = "this is not an address of doi.org, hdl.handle.net or another known proxy"
FORMS = [
    *("{}", "hdl:{}", "doi:{}", "https://hdl.handle.net/{}", "https://doi.org/{}"),
    *("https://hdl.handel.net/{}", '<a href="https://hdl.handle.net/{}">x</a>'),
]


def table(syntax: Syntax, name: str, *contents: str) -> str:
    """A table whose second column has a name and cells."""
    if syntax is Syntax.CSV:
        written = io.StringIO()
        csv.writer(written).writerows(
            [["id", name], *(["1", cell] for cell in contents)]
        )
        return written.getvalue()
    rows = "".join(f"<tr><td>1</td><td>{cell}</td></tr>" for cell in contents)
    return f"<table><tr><th>id</th><th>{name}</th></tr>{rows}</table>"


def said(syntax: Syntax, name: str, *contents: str) -> list[str]:
    """What is said about the cells of a column."""
    return [
        f"{finding.severity} [{finding.code}] {finding.first.written}: {finding.message}"
        for read in read_references(syntax, table(syntax, name, *contents), Settings())
        for finding in findings_about(read)
    ]


@pytest.mark.parametrize("syntax", [Syntax.CSV, Syntax.HTML])
@pytest.mark.parametrize(
    "name", ["handle", "DOI", "hdl", "RetractionDOI", "paper_handle"]
)
@pytest.mark.parametrize("form", FORMS)
@pytest.mark.parametrize("malformed", MALFORMED)
def test_a_cell_without_an_identifier_is_told(
    syntax: Syntax, name: str, form: str, malformed: str
) -> None:
    """Each cell of a column for identifiers that holds none has one finding."""
    right = "10.1000/182"

    assert len(said(syntax, name, form.format(malformed), right)) == 1
    assert said(syntax, name, form.format(right), right) in (
        [],
        # The misspelt host has its own finding, when it is known.
        said(syntax, name, "https://hdl.handel.net/10.1000/182"),
    )


@pytest.mark.parametrize("syntax", [Syntax.CSV, Syntax.HTML])
@pytest.mark.parametrize(
    ("name", "content", "expected"),
    [
        ("doi", "pending", ['note [placeholder] pending: "pending" is a placeholder']),
        ("handle", "In press.", ['note [placeholder] In press.: "In press." is a placeholder']),
        (
            "doi",
            "https://doi.org/tbd",
            ['note [placeholder] https://doi.org/tbd: "https://doi.org/tbd" is a placeholder'],
        ),
        (
            "doi",
            "https://example.org/landing",
            [f"warning [link] https://example.org/landing: {NO_PROXY}"],
        ),
        (
            "doi",
            "ark:/12148/x",
            ["error [link] ark:/12148/x: this ark: URI is not a handle"],
        ),
        ("doi", "hdl:20.5555-x", ['error [link] hdl:20.5555-x: no "/" between prefix and suffix']),
        *(("doi", content, []) for content in ("n/a", "", "\u2014", "Unavailable", "no DOI")),
        ("doi", '<a href="https://doi.org/10.1000/1">paper</a>', []),
        # These may be the names of accounts, values of blood, and answers.
        ("DOI", "Yes", []),
        ("handle", "@somebody", []),
        ("Twitter handle", "https://example.org/somebody", []),
        ("file_handle", "data/x.csv", []),
        ("HDL", "45.2", []),
    ],
)  # fmt: skip
def test_what_a_cell_for_identifiers_says(
    syntax: Syntax, name: str, content: str, expected: list[str]
) -> None:
    """Words for what is to come are a note, another site's address is a warning."""
    assert said(syntax, name, content) == expected


STOP = "'.' at the end is probably not meant"


@pytest.mark.parametrize("syntax", [Syntax.CSV, Syntax.HTML])
@pytest.mark.parametrize("name", ["handle", "doi"])
@pytest.mark.parametrize(
    "form",
    [
        "{}",
        *("hdl:{}", "doi:{}", "info:doi/{}", "https://doi.org/{}", "doi.org/{}"),
        "https://hdl.handle.net/{}",
    ],
)
def test_a_cell_is_an_identifier_to_its_end(
    syntax: Syntax, name: str, form: str
) -> None:
    """No sentence ends in a cell for identifiers: its full stop is told, in any form."""
    stopped = form.format("10.1000/lib-1.")
    right = form.format("10.1000/lib-2")
    expected = [f"warning [trailing-punctuation] {stopped}: {STOP}"]

    assert said(syntax, name, stopped, right) == expected
    assert said(syntax, name, f"{right}; {stopped}") == expected
    assert said(syntax, name, right, f"doi:10.1000/3. Smith wrote {right}.") == []


@pytest.mark.parametrize("syntax", [Syntax.CSV, Syntax.HTML])
def test_a_full_stop_in_a_cell_is_no_part_of_a_link(syntax: Syntax) -> None:
    """Whether it is meant is not for the command to say, and a link would hide it."""
    text = table(syntax, "handle", "hdl:20.5000/lib-1.", "hdl:20.5000/lib-2")
    done = rewrite(syntax, text, RewritingRules(values=Settings()))
    link = "https://hdl.handle.net/20.5000/lib-2"
    unsafe = rewrite(syntax, text, RewritingRules(values=Settings(), unsafe=True))

    assert done.text == text.replace("hdl:20.5000/lib-2", link)
    assert [left.reason for left in done.left] == [f"{STOP} (--unsafe)"]
    assert unsafe.text == done.text.replace("hdl:20.5000/lib-1.", "20.5000/lib-1")


@pytest.mark.parametrize(
    ("page", "expected"),
    [
        # The names of columns are in a row of headings alone.
        ("<table><tr><th>DOI</th><td>10.1/a</td></tr><tr><th>Title</th><td>b</td></tr></table>", []),
        ("<table><tr><td>DOI</td></tr><tr><td>nope</td></tr></table>", []),
        ("<table><thead><tr><th></th><th>DOI<tbody><tr><th>1<td>10.1/a<tr><th>2<td>nope", ["10.1/a", "x nope"]),
        # With a cell in the place of several, the columns are unknown.
        ("<table><tr><th>DOI</th></tr><tr><td rowspan=2>nope</td></tr></table> doi:10.1/a", ["doi:10.1/a"]),
        ("<table><tr><th colspan='1'>DOI</th></tr><tr><td>10.1/a</td></tr><tr><td>nope</td></tr></table>", ["10.1/a", "x nope"]),
        # The text of a link counts, if it is the identifier; code and pictures are nothing.
        ("<table><tr><th>DOI</th></tr><tr><td><a href='https://example.org'>10.1/a</a></td></tr></table>", ["10.1/a"]),
        ("<table><tr><th>DOI</th></tr><tr><td><code>nope</code><img src='a.svg'></td></tr></table>", []),
        ("<table><tr><th>DOI</th></tr><tr><td>{{ doi }}</td></tr></table>", []),
        ("<table><tr><th>DOI</th></tr><tr><td>10.1/<b>a</b></td></tr></table>", []),
        ("<table><tr><th>DOI</th></tr><tr><td>10.1/a</td></tr><tr><td><b>see</b> text</td></tr></table>", ["10.1/a", "x see"]),
        ("<table><tr><th>DOI</th></tr><tr><td>10.1/a</td></tr><tr><td>no\n  more</td></tr></table>", ["10.1/a", "x no\n  more"]),
        ("<table><tr><th>DOI</th></tr><tr><td><table><tr><td>nope</td></tr></table>10.1/a</td></tr></table>", ["10.1/a"]),
    ],
)  # fmt: skip
def test_columns_of_a_table_in_a_page(page: str, expected: list[str]) -> None:
    """A column is known by its heading where each row has one cell for each heading."""
    assert found(Syntax.HTML, page) == expected
    assert found(Syntax.MARKDOWN, f"doi:10.1/z\n\n{page}") == ["doi:10.1/z", *expected]


@pytest.mark.parametrize("delimiter", [",", ";", "\t", "|"])
@pytest.mark.parametrize("end", ["\n", "\r\n"])
def test_the_delimiter_is_that_of_the_first_row(delimiter: str, end: str) -> None:
    """Programs write tables with four of them."""
    rows = [["handle", '"a, b; c"', "d"], ["20.1000/1", "x", ""], ["", "20.1/no", ""]]
    text = end.join(map(delimiter.join, rows))

    assert found(Syntax.CSV, f"\ufeff{text}") == ["20.1000/1"]


@given(
    st.lists(
        st.lists(st.text('ab,"\r\n ;/\u2028', max_size=6), min_size=1, max_size=4),
        max_size=5,
    )
)
def test_cells_are_those_of_the_module_csv(rows: list[list[str]]) -> None:
    """Whatever that module writes, each cell has its content, its row and its column."""
    # The first row says which character divides the cells.
    rows = [["a", "b"], *rows]
    written = io.StringIO()
    csv.writer(written).writerows(rows)
    by_row = groupby(cells_of(written.getvalue()), key=attrgetter("row"))

    assert [[cell.value for cell in cells] for _, cells in by_row] == rows


@given(st.text('ab,"\n', max_size=20))
def test_any_text_is_a_table(text: str) -> None:
    """The cells of any text are those that the module reads, also of unclosed ones."""
    text = f"a,b\n{text}"
    # That module takes an empty line for a row without cells.
    expected = [cell for row in csv.reader(io.StringIO(text)) for cell in row or [""]]
    cells = [cell.value for cell in cells_of(text)]
    if text.endswith("\n") and cells[-1:] == [""] != expected[-1:]:
        cells.pop()
    assert cells == expected


_HOSTILE = (
    *("<", "<a ", "<!--", "<a b='", "<script>", "</", "&", "<a b=", "<a b=\"'"),
    *("{%", "<!", "<?", "<a href=x>", "<code>", "&#", "<a/", "<a b ="),
)


@pytest.mark.parametrize("part", _HOSTILE)
def test_what_is_never_closed_is_read_once(part: str) -> None:
    """It goes on to the end; a parser that looked again for each part would never end."""
    text = f"doi:10.1/a {part * 100_000}"
    assert found(Syntax.HTML, text)[:1] == ["doi:10.1/a"]


@pytest.mark.parametrize("part", ['"', '""a', ",", "\n", '"\n', "20.1/a||", "||", "; "])
def test_a_table_is_read_once(part: str) -> None:
    """A quotation mark that is never closed goes on to the end."""
    text = f"handle,b\n20.1/a,{part * 100_000}"
    assert found(Syntax.CSV, text)[:1] == ["20.1/a"]


def test_a_table_of_handles_is_checked_and_becomes_a_table(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Three thousand handles are verified; each finding is a row with its place."""
    monkeypatch.chdir(tmp_path)
    handles = [f"20.1000/{number}" for number in range(3_000)]
    Path("handles.csv").write_text(
        "\n".join(["title,handle", *(f'"a, b",{handle}' for handle in handles)]) + "\n"
    )
    address = "https://example.org/"
    known = {handle: address for handle in handles if not handle.endswith("99")}
    Path("records.json").write_text(json.dumps(known))
    done = run(
        *("check", "--verify", "--resolver", "records.json"),
        *("--format", "csv", "handles.csv"),
    )

    rows = list(csv.DictReader(io.StringIO(done.stdout)))
    assert done.exit_code == 1
    assert len(rows) == 30
    assert rows[0] == {
        "file": "handles.csv",
        "line": "101",
        "column": "8",
        "level": "warning",
        "code": "not-registered",
        "written": "20.1000/99",
        "message": "this handle is not registered",
        "help": "",
    }


def test_no_cell_of_the_report_is_a_formula(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Spreadsheets run what begins like one, whoever wrote it."""
    monkeypatch.chdir(tmp_path)
    for name in ("=cmd.csv", "@a.csv", "+b.csv", "-c.csv"):
        Path(name).write_text('doi\n10.1/a\n"=HYPERLINK(""x"")"\n@SUM\n+1\n-1\n')
    done = run(
        "check", "--format", "csv", "--", *sorted(p.name for p in Path().iterdir())
    )
    rows = list(csv.reader(io.StringIO(done.stdout)))

    assert len(rows) == 17
    assert {row[0] for row in rows[1:]} == {
        "'=cmd.csv",
        "'@a.csv",
        "'+b.csv",
        "'-c.csv",
    }
    assert {row[5] for row in rows[1:]} == {
        '\'=HYPERLINK(""x"")',
        "'@SUM",
        "'+1",
        "'-1",
    }


def test_tables_in_folders_are_data_and_stay(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """`hdl fix` leaves a table as a text file, unless it is named or `--data` is given."""
    monkeypatch.chdir(tmp_path)
    (tmp_path / "x").mkdir()
    table = tmp_path / "x" / "a.csv"
    table.write_text("note\ndoi:10.1/a\n")
    assert run("fix", "--yes", "x").exit_code == 0
    assert table.read_text() == "note\ndoi:10.1/a\n"
    assert run("fix", "--yes", "--data", "x").exit_code == 1
    assert table.read_text() == "note\nhttps://doi.org/10.1/a\n"


@pytest.mark.parametrize("space", [" ", "\u2003", "; ", "|| "])
def test_long_space_in_a_cell_takes_linear_time(space: str) -> None:
    """Quadratic work on it takes longer than any test may."""
    text = f"doi\n10.1000/1{space * 400_000}\n"

    references = list(read_csv(text, ReadingRules(Settings())))

    assert [reference.written for reference in references] == ["10.1000/1"]
