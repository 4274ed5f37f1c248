r"""LaTeX: what counts in it, where it stands, and what is left alone."""

from pathlib import Path

import pytest

from handle_cli.command import hdl
from handle_cli.lsp.documents import Document, syntax_of_document
from handle_cli.project_settings import usual_settings
from handle_cli.readers import read_references, span_of
from handle_cli.rewriting import RewritingRules, rewrite
from handle_system import HandleReference
from handle_system.diagnostics import findings_about
from handle_system.found import Found
from handle_system.lines import Lines
from handle_system.settings import Settings
from handle_system.syntax import Syntax
from tests.command_line import runner


def read(text: str) -> list[Found]:
    return read_references(Syntax.LATEX, text, Settings())


def handles(text: str) -> list[str]:
    """The handles of a text; errors are written as they stand, behind a cross."""
    shown = []
    for found in read(text):
        if isinstance(found.reference, HandleReference):
            shown.append(str(found.reference.handle))
        else:
            shown.append(f"x {found.written}")
    return shown


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        # Links and identifiers.
        (r"\href{https://doi.org/10.1/a}{text}", ["10.1/a"]),
        (r"\href[pdfnewwindow]{https://doi.org/10.1/a} {text}", ["10.1/a"]),
        (r"\url{http://dx.doi.org/10.1/a} \url|doi:10.1/b|", ["10.1/a", "10.1/b"]),
        (r"\doi{10.1/a}, \doi {doi:10.1/b}, \DOI{https://doi.org/10.1/c}", ["10.1/a", "10.1/b", "10.1/c"]),
        (r"\url{hdl:20.1000/1}", ["20.1000/1"]),
        (r"\doi{10/ghbcw4}", ["10/ghbcw4"]),
        (r"doi:\nolinkurl{10.1/a%20b}", ["10.1/a b"]),
        (r"\href {\doibase 10.1000/a} {text}", ["10.1000/a"]),
        ("\\href{https://doi.org/10.1/a%\n  b}{text}", ["10.1/ab"]),
        (r"\url{https://doi.org/10.1/a\allowbreak b}", ["10.1/ab"]),
        # The text of a link is no reference, and what stands behind it is.
        (r"\href{x.html}{doi:10.1/no} doi:10.1/yes", ["10.1/yes"]),
        # Text, in which markup ends an identifier.
        (r"See doi:10.1/a, \emph{doi:10.1/b}more, {\tt doi:10.1/c}.", ["10.1/a", "10.1/b", "10.1/c"]),
        (r"\textbf{DOI:} 10.1000/a, doi:~10.1/b, doi:\,10.1/c\par", ["10.1000/a", "10.1/b", "10.1/c"]),
        (r"doi:10.1/a\footnote{See https://doi.org/10.1/b}", ["10.1/a", "10.1/b"]),
        # Escapes.
        (r"doi:10.1/a\_b{\_}c\textunderscore d\&e\%28", ["10.1/a_b_c_d&e("]),
        (r"\doi{10.1/1097(1998)17:15\textless{}1::A\textgreater{}3.0}", ["10.1/1097(1998)17:15<1::A>3.0"]),
        (r"\doi{10.1/1097(1998)17:15$<$1::A$>$3.0}", ["10.1/1097(1998)17:15<1::A>3.0"]),
        (r"\href{https://doi.org/10.1/a\%28b\_c%29}{x}", ["10.1/a(b_c)"]),
        (r"doi:10.1/a\-b\/c", ["10.1/abc"]),
        (r"doi:10.1/a\linebreak[2]b\nolinebreak[3]c\penalty0 d\penalty-50 e\allowbreak f", ["10.1/abcdef"]),
        (r"doi:10.1/a\linebreak b doi:10.1/b\linebreak[4]c", ["10.1/a", "10.1/b"]),
        (r"\url{https://doi.org/10.1/a\linebreak[2]b} \doi{10.1/c\penalty0 d}", ["10.1/ab", "10.1/cd"]),
        # Comments.
        ("% doi:10.1/no\n50\\% of doi:10.1/yes % doi:10.1/no", ["10.1/yes"]),
        ("\\\\% doi:10.1/no", []),
        ("doi:10.1/a%\n  b", ["10.1/ab"]),
        (r"\begin{comment} doi:10.1/no \end{comment} doi:10.1/yes", ["10.1/yes"]),
        (r"\iffalse doi:10.1/no \fill doi:10.1/no \fi doi:10.1/yes", ["10.1/yes"]),
        (r"\iffalse \ifx\a\b x \else doi:10.1/no \fi doi:10.1/no \ifhmode\fi \else doi:10.1/yes \fi doi:10.1/b", ["10.1/yes", "10.1/b"]),
        (r"\iffalse \ifthenelse{x}{y} \if@draft \fi doi:10.1/no \fi doi:10.1/yes", ["10.1/yes"]),
        ("\\iffalse % \\ifx\n doi:10.1/no \\% \\fi doi:10.1/yes", ["10.1/yes"]),
        ("\\iffalse % \\fi\n doi:10.1/no \\fi doi:10.1/yes", ["10.1/yes"]),
        (r"The macros \url, \doi: and doi:10.1/yes, as: \url", ["10.1/yes"]),
        # Text that is shown as it is written.
        (r"\verb|doi:10.1/no| \verb*+doi:10.1/no+ doi:10.1/yes", ["10.1/yes"]),
        (r"\lstinline[x]{doi:10.1/no} \mintinline{tex}|doi:10.1/no| doi:10.1/yes", ["10.1/yes"]),
        ("\\begin{verbatim*}\ndoi:10.1/no%\n\\end{verbatim*}doi:10.1/yes", ["10.1/yes"]),
        ("\\begin{lstlisting}[language=x]\n\\url{doi:10.1/no}\n\\end{lstlisting}", []),
        ("\\begin{verbatim} doi:10.1/no", []),
        # Keys, names and files.
        (r"\cite{doi:10.1/no} \citep[doi:10.1/no][]{doi:10.1/no} doi:10.1/yes", ["10.1/yes"]),
        (r"\autocites[see][1]{a}[2]{doi:10.1/no}{doi:10.1/no}[]{doi:10.1/no}; doi:10.1/yes", ["10.1/yes"]),
        (r"\bibitem[doi:10.1/no]{doi:10.1/no} doi:10.1/yes \label{doi:10.1/no}", ["10.1/yes"]),
        (r"\input{doi:10.1/no}\includegraphics[a]{doi:10.1/no}doi:10.1/yes", ["10.1/yes"]),
        # Nobody knows the value of a macro.
        (r"\newcommand{\doi}[1]{doi:\href{https://doi.org/#1}{\nolinkurl{#1}}}", []),
        (r"\def\doi#1{\url{https://doi.org/#1}} \let\doi\x doi:10.1/yes", ["10.1/yes"]),
        (r"\renewcommand*\doi{10.1/no} doi:#1 doi:10.1/a#1 doi:10.1/yes", ["10.1/yes"]),
        (r"\href{https://doi.org/\mydoi}{x} \doi{\mydoi} \url{https://doi.org/$doi$}", []),
        (r"doi:10.1/\mysuffix{a} doi:10.1/a{b}", ["10.1/a"][:0]),
        # A number or an address of a journal.
        (r"\doi{} \doi{0000-0000} \doi{\url{www.example.org/doi/10.1/x}} \doi{in press}", []),
        # The end.
        ("doi:10.1/yes \\end{document} doi:10.1/no", ["10.1/yes"]),
        # Mistakes.
        (r"\doi{10.1000} \url{doi:10.1/%zz}", ["x 10.1000", "x doi:10.1/%zz"]),
        (r"\url{doi:10.1/yes", ["10.1/yes"]),
        (r"doi:10.1/yes \href{\href{\href{", ["10.1/yes"]),
        ("} doi:10.1/yes \\", ["10.1/yes"]),
    ],
)  # fmt: skip
def test_links_and_text_are_read(text: str, expected: list[str]) -> None:
    """Links, DOIs and text count; comments, verbatim text, keys and macros do not."""
    assert handles(text) == expected


def test_lines_and_columns_are_those_of_the_file() -> None:
    """A reference stands where it is written, with escapes, behind comments too."""
    text = (
        "% doi:10.1/no\r\nSee {\\it doi:10.1/a\\_b}.\r\n\r\n"
        "  \\href{ https://doi.org/10.1/c }{x} % y\n\tdoi:10.1/d\n"
    )
    lines = Lines(text)
    places = [
        (found.place.line, found.place.column, text[slice(*span)])
        for found in read(text)
        if (span := span_of(lines, found))
    ]

    assert places == [
        (2, 10, "doi:10.1/a\\_b"),
        (4, 10, "https://doi.org/10.1/c"),
        (5, 2, "doi:10.1/d"),
    ]


BIBLIOGRAPHY = r"""
\begin{thebibliography}{9}
\bibitem[M\"uller(2006)]{a} M{\"u}ller, K. and \'{O}~Br\'{\i}ain, R. (2006).
  \newblock {A} \emph{framework} for {D}istributed objects.
  \newblock ``IJDL'' \textbf{6}, 115--123. \doi{10.1000/1}
\bibitem[{\citenamefont{Rubin}(1978)}]{b}%
  \bibfield {author} {\bibinfo {author} {\bibfnamefont {V.~C.}\ \bibnamefont
  {{Rubin}}},\ }\href {\doibase 10.1000/2} {\bibfield {journal} {\bibinfo {journal}
  {Astrophys. J.}\ }\textbf {\bibinfo {volume} {225}},\ \bibinfo {pages} {L107}
  (\bibinfo {year} {1978})}\BibitemShut {NoStop}%
\bibitem{c} Kahn, R. (2006). A framework, \emph{IJDL}. doi:10.1000/3, doi:10.1000/4.
\end{thebibliography}
As \href{https://doi.org/10.1000/5}{Kahn \& Wilensky (2006)} show, and doi:10.1000/6 too.
"""


def test_the_text_beside_is_read() -> None:
    """A written reference and the label of a link are compared, with TeX decoded."""
    beside = {
        str(found.reference.handle): (found.beside.text, found.beside.people)
        for found in read(BIBLIOGRAPHY)
        if found.beside is not None and isinstance(found.reference, HandleReference)
    }

    assert beside == {
        "10.1000/1": (
            (
                "Müller, K. and Ó Bríain, R. (2006). A framework for Distributed objects."
                " “IJDL” 6, 115--123."
            ),
            "Müller, K.",
        ),
        "10.1000/2": (
            "V. C. Rubin, Astrophys. J. 225, L107 (1978)",
            "V. C. Rubin",
        ),
        "10.1000/5": ("Kahn & Wilensky (2006)", "Kahn & Wilensky"),
    }


def test_a_link_that_shows_another_identifier_is_told() -> None:
    """The text of a link is compared with its target."""
    (found,) = read(r"\href{https://doi.org/10.1000/1}{\texttt{doi:10.1000/a\_2}}")
    (finding,) = findings_about(found)

    assert finding.message == (
        "the text shows doi:10.1000/a_2, and the link leads to doi:10.1000/1"
    )


@pytest.mark.parametrize(
    "mark", [r"\linebreak[2]", r"\-", r"\allowbreak ", r"\penalty0 "]
)
def test_a_line_may_break_in_the_text_of_a_link(mark: str) -> None:
    """What allows it is no part of the identifier that the text shows."""
    (found,) = read(rf"\href{{https://doi.org/10.1000/12}}{{doi:10.1000/1{mark}2}}")

    assert list(findings_about(found)) == []


def test_no_file_is_rewritten(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """`hdl fix` leaves what `hdl check` reports, and says so; no summary promises more."""
    monkeypatch.chdir(tmp_path)
    before = (
        b"\\url{https://doi.org/doi:10.1000/182} http://dx.doi.org/10.1000/1 caf\xe9\n"
    )
    Path("paper.tex").write_bytes(before)
    note = (
        "paper.tex: it is not UTF-8 and declares no charset; read as ISO-8859-1 "
        "(--encoding)\n"
    )

    fixed = runner().invoke(hdl, ["fix", "--yes", "--only-wrong"])
    whole = runner().invoke(hdl, ["fix", "--yes", "."])
    checked = runner().invoke(hdl, ["check", "--format", "text"])

    left = "paper.tex:1:6: left: https://doi.org/doi:10.1000/182: no file of LaTeX is rewritten\n"
    assert (fixed.exit_code, fixed.stdout, fixed.stderr) == (0, "", note + left)
    assert whole.stderr == note + left + (
        "paper.tex:1:39: left: http://dx.doi.org/10.1000/1: no file of LaTeX is rewritten\n"
    )
    assert checked.exit_code == 1
    assert "hdl fix" not in checked.output
    assert Path("paper.tex").read_bytes() == before


def test_rewriting_leaves_every_reference() -> None:
    """Also with what guesses, and with another aim."""
    text = r"\url{https://doi.org/10.1O00/182} \href{http://dx.doi.org/10.1000/1}{x} doi:10.1000/2"
    done = rewrite(
        Syntax.LATEX, text, RewritingRules(values=Settings(), unsafe=True, data=True)
    )

    assert (done.text, len(done.left), done.rewritten) == (text, 3, [])


def test_a_long_text_is_divided_at_no_identifier() -> None:
    """A paragraph of any length is read in parts, and all its references are whole."""
    words = "a {b} " * 20_000
    text = f"doi:10.1/a {words} doi:10.1/b\\_c {words} \\doi{{10.1/d}}"

    assert handles(text) == ["10.1/a", "10.1/b_c", "10.1/d"]


@pytest.mark.parametrize("language", ["latex", "tex"])
def test_editors_read_it(language: str) -> None:
    """The language server reads the languages of the editors."""
    document = Document("untitled:1", language, 1, "")

    assert syntax_of_document(document, usual_settings(Path.cwd())) is Syntax.LATEX


@pytest.mark.parametrize(
    "unit",
    [
        *(
            "{",
            "\\href{",
            "\\href{a}{",
            "\\url|a",
            "\\verb|a",
            "\\bibitem[{",
            "\\cite[",
        ),
        *("\\begin{", "\\begin{verbatim}", "\\iffalse", "\\", "%", "{\\'", "~", "''"),
        *(
            "\\newcommand{",
            "doi:10.1/a{",
            "\\url %\n",
            "\\bibinfo {a} {b",
            "\\doi{10.1/",
        ),
    ],
)
def test_hostile_text_takes_linear_time(unit: str) -> None:
    """A hundred thousand characters of what is never closed take linear time."""
    text = "doi:10.1/yes " + unit * (100_000 // len(unit))

    assert handles(text)[0] == "10.1/yes"
