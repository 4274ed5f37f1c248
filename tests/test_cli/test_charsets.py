"""The charset of a file: named on the command line, declared, or UTF-8."""

from pathlib import Path
from urllib.parse import quote

import pytest
from click.testing import Result

from handle_cli.command import hdl
from tests.command_line import runner

BIB = "@a{b, author = {Müller}, doi = {10.1000/182}}\n"


@pytest.fixture(autouse=True)
def _folder(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    (tmp_path / "pyproject.toml").write_text("[tool.handle]\n")
    monkeypatch.chdir(tmp_path)


def run(*arguments: str) -> Result:
    return runner().invoke(hdl, arguments, catch_exceptions=False)


def listed(*arguments: str) -> str:
    """The first line of the table without its heading; what is said beside it."""
    done = run("list", "--format", "csv", *arguments)
    assert done.exit_code == 0
    return done.stdout.partition("\n")[2] + done.stderr


JAPANESE = "日本 doi:10.1000/182 日本\n"
DECLARED = [
    ("a.rst", ".. -*- coding: euc-jp -*-\n\n", JAPANESE, "euc-jp"),
    ("a.md", "<!-- coding: shift_jis -->\n\n", JAPANESE, "shift-jis"),
    ("a.py", "# coding=iso-2022-jp\n", f'"""{JAPANESE}"""', "iso2022-jp"),
    ("a.bib", "% Encoding: Cp1252\n", BIB, "cp1252"),
    ("a.bib", "% !TeX encoding = latin1\n", BIB, "iso8859-1"),
    (
        "a.txt",
        '<?xml version="1.0" encoding="ISO-8859-1"?>\n',
        "Müller doi:10.1000/182\n",
        "iso8859-1",
    ),
    ("a.rst", "\ufeff", JAPANESE, "utf-16-le"),
    ("a.rst", "\ufeff", JAPANESE, "utf-16-be"),
    ("a.rst", "\ufeff", JAPANESE, "utf-8"),
    # UTF-8 that is not ASCII is certain, whatever the file declares.
    ("a.bib", "% Encoding: Cp1252\n", BIB, "utf-8"),
    ("a.rst", ".. coding: nonsense\n\n", JAPANESE, "utf-8"),
]


@pytest.mark.parametrize(("name", "head", "text", "codec"), DECLARED)
def test_a_declared_charset(name: str, head: str, text: str, codec: str) -> None:
    """A file's own declaration is heeded, and `hdl fix` writes in the same charset."""
    path = Path(name)
    path.write_bytes((head + text).encode(codec))

    written = listed(name)
    assert "https://doi.org/10.1000/182" in written
    assert written.startswith(f"{name},")
    if name.endswith(".bib"):
        return
    run("fix", "--yes", "--data", name)
    fixed = text.replace("doi:10.1000/182", "https://doi.org/10.1000/182")
    assert path.read_bytes() == (head + fixed).encode(codec)


def test_a_charset_that_the_user_names() -> None:
    """`--encoding` goes before everything; a file that is not in it is skipped."""
    Path("a.rst").write_bytes(JAPANESE.encode("euc-jp"))

    assert listed("--encoding", "EUC-JP", "a.rst").startswith("a.rst,1,4,doi,")
    checked = run("check", "--encoding", "EUC-JP", "a.rst")
    assert (checked.exit_code, checked.stdout) == (0, "")
    run("fix", "--yes", "--encoding", "EUC-JP", "a.rst")
    assert Path("a.rst").read_bytes().decode("euc-jp") == (
        "日本 https://doi.org/10.1000/182 日本\n"
    )
    wrong = run("check", "--encoding", "iso-2022-jp", "a.rst")
    assert wrong.stdout == (
        "a.rst: error: skipped: it is not iso-2022-jp, from octet 0 on [skipped]\n"
    )
    assert run("check", "--encoding", "punycode", "a.rst").exit_code == 2


def test_a_bibliography_that_declares_nothing() -> None:
    """It is read as ISO 8859-1, with a note; other files are skipped as before."""
    Path("a.bib").write_bytes(BIB.encode("iso8859-1"))
    Path("b.rst").write_bytes("Müller doi:10.1000/182\n".encode("iso8859-1"))

    assert listed("a.bib") == (
        "a.bib,1,33,bare,10.1000/182,10.1000/182,https://doi.org/10.1000/182\n"
        "a.bib: it is not UTF-8 and declares no charset; read as ISO-8859-1 "
        "(--encoding)\n"
    )
    assert run("check", "b.rst").stdout == (
        "b.rst: error: skipped: it is not UTF-8, from octet 1 on [skipped]\n"
    )


@pytest.mark.parametrize(
    ("name", "text"), [("ISO-2022-JP", "日本"), ("ISO-2022-KR", "한국")]
)
def test_text_that_looks_like_another_charset(name: str, text: str) -> None:
    """The octets are ASCII, so the command says what they look like."""
    Path("a.rst").write_bytes(f"{text} hdl:cnri.test/{text} \n".encode(name))

    done = run("check", "a.rst")
    assert done.stderr.startswith(
        f"a.rst: it looks like {name}, and is read as UTF-8 (--encoding)\n"
    )
    written = listed("--encoding", name, "a.rst")
    assert written.endswith(f"https://hdl.handle.net/cnri.test/{quote(text)}\n")


NIHON = "hdl:cnri.test/%C6%FC%CB%DC"
_BORDER = f"+{'-' * (len(NIHON) + 2)}+"
IN_EUC_JP = {
    "a.rst": (
        (
            f":hdl:`{NIHON}`, {NIHON}, `x <{NIHON}>`__\n\n.. _y: {NIHON}\n\n"
            f"{_BORDER}\n| {NIHON} |\n{_BORDER}\n"
        ),
        5,
    ),
    "a.md": (
        (
            f"{{hdl}}`{NIHON}`, {NIHON}, [x]({NIHON}), <{NIHON}>, [y]\n\n[y]: {NIHON}\n\n"
            f"<p>\n<a href='{NIHON}'>x</a>\n</p>\n\n```{{note}}\n{NIHON}\n```\n"
        ),
        7,
    ),
    "a.py": (f'"""See {NIHON}."""\n', 1),
    "a.txt": (f"See {NIHON}.\n", 1),
    "a.bib": (
        (
            "@misc{a, url = {http://hdl.handle.net/cnri.test/%C6%FC%CB%DC}, "
            f"note = {{{NIHON}}}, eprinttype = {{hdl}}, eprint = {{{NIHON}}}}}\n"
        ),
        3,
    ),
    "a.cff": (f"url: {NIHON}\n", 1),
}


@pytest.mark.parametrize("name", IN_EUC_JP)
def test_octets_in_the_charset_of_the_file(name: str) -> None:
    """They are those of the charset that is named; of none, if nobody names one."""
    text, count = IN_EUC_JP[name]
    Path(name).write_text(text, "ascii")

    checked = run("check", "--encoding", "euc-jp", name)
    rows = listed("--encoding", "euc-jp", name).splitlines()
    undeclared = run("check", name)

    assert (checked.exit_code, checked.stdout) == (0, "")
    assert len(rows) == count
    assert {row.split(",")[5] for row in rows} == {"cnri.test/日本"}
    assert undeclared.stdout.count(" octets %C6 are not UTF-8, and no charset") == count


def test_octets_in_the_charset_that_a_file_declares() -> None:
    """`hdl fix` writes the handle in UTF-8."""
    page = Path("a.rst")
    page.write_text(f".. -*- coding: euc-jp -*-\n\nSee {NIHON}.\n", "ascii")

    done = run("fix", "--yes", "a.rst")

    assert (done.exit_code, done.stderr) == (1, "")
    assert page.read_text().endswith(
        "See https://hdl.handle.net/cnri.test/%E6%97%A5%E6%9C%AC.\n"
    )


def test_a_database_that_declares_nothing_gives_octets_no_charset() -> None:
    """It is read as ISO 8859-1 because nobody says better."""
    Path("a.bib").write_bytes(
        "@misc{a, author = {Müller}, note = {hdl:20.1000/caf%E9}}".encode("latin1")
    )

    done = run("check", "a.bib")

    assert "note: hdl:20.1000/caf%E9: the octets %E9 are not UTF-8" in done.stdout
