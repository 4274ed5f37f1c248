"""Each kind of finding is said by the front ends that its row names, in the same words.

``golden/findings.json`` has the words.  To rewrite that file, run
``HANDLE_WRITE_GOLDEN=1 pytest tests/test_parity/test_said_by.py`` in one process, without
``-n``, and review the changes.
"""

import json
import os
import re
from collections import defaultdict
from collections.abc import Callable, Iterator, Mapping
from contextlib import ExitStack
from pathlib import Path
from typing import Any, NamedTuple, TypeAlias

import pytest

from handle_system.findings.codes import Code, FrontEnd
from handle_system.findings.finding import Finding
from tests.language_client import Editor, editor_of
from tests.test_parity.front_ends import (
    USUAL,
    Said,
    by_extension,
    by_mystmd,
    by_pandoc,
    by_plugin,
    checked_by_command,
    resolver_of,
    said,
    sphinx_project,
    spied_findings,
    without_function_of_myst,
    write_project,
)
from tests.test_parity.kinds import CASES, Case

pytestmark = pytest.mark.slow

GOLDEN = Path(__file__).parent / "golden" / "findings.json"
SYNTAXES = {"rst": "rst", "markdown": "md"}

#: What is said, and on which lines.
Lines: TypeAlias = dict[Said, set[int]]


class Heard(NamedTuple):
    """What the programs say of a case that read whole projects.

    Attributes:
        sphinx: The findings of builds, by syntax.
        command: Those of ``hdl check``.
        document: What the language server reads, by syntax.
    """

    sphinx: dict[str, list[Finding]]
    command: dict[str, list[dict[str, Any]]]
    document: dict[str, Path]


def _page(code: Code, syntax: str) -> tuple[str, str]:
    """The name and the text of the page of a case."""
    case = CASES[code]
    text = case.rst if syntax == "rst" else case.markdown
    return f"{code}-{syntax}.{SYNTAXES[syntax]}", f"{text}\n"


@pytest.fixture(scope="module")
def heard_together(tmp_path_factory: pytest.TempPathFactory) -> dict[Code, Heard]:
    """What is said of the cases that stand in one project."""
    folder = tmp_path_factory.mktemp("said")
    usual = [code for code, case in CASES.items() if case.around is None]
    texts = dict(_page(code, syntax) for code in usual for syntax in SYNTAXES)
    with pytest.MonkeyPatch.context() as patch, spied_findings(patch) as findings:
        sphinx_project(folder / "sphinx", texts).build("handlecheck")
        at_pages: dict[str, list[Finding]] = defaultdict(list)
        for finding in findings:
            for place in finding.places:
                at_pages[place.file].append(finding.at(place))
    project = folder / "project"
    project.mkdir()
    write_project(project, USUAL, texts)
    rows = json.loads(checked_by_command(project).output)
    heard = {}
    for code in usual:
        names = {syntax: _page(code, syntax)[0] for syntax in SYNTAXES}
        heard[code] = Heard(
            sphinx={syntax: at_pages[name] for syntax, name in names.items()},
            command={
                syntax: [row for row in rows if row["file"] == name]
                for syntax, name in names.items()
            },
            document={syntax: project / name for syntax, name in names.items()},
        )
    return heard


def _heard_alone(code: Code, case: Case, folder: Path) -> Heard:
    """What is said of a case that needs something around its page."""
    around = case.around or USUAL
    heard = Heard({}, {}, {})
    for syntax, suffix in SYNTAXES.items():
        _name, text = _page(code, syntax)
        name = f"page.{suffix}"
        place = folder / syntax
        project = place / "project"
        project.mkdir(parents=True)
        with pytest.MonkeyPatch.context() as patch, ExitStack() as stack:
            resolver = stack.enter_context(resolver_of(around, place, patch))
            if code is Code.MYST:
                stack.enter_context(without_function_of_myst(patch))
            findings = stack.enter_context(spied_findings(patch))
            sphinx_project(place / "sphinx", {name: text}, around, resolver).build(
                "handlecheck"
            )
            heard.sphinx[syntax] = [*findings]
            write_project(project, around, {name: text})
            asked = ("--verify", "--resolver", resolver) if resolver else ()
            done = checked_by_command(project, *asked)
            heard.command[syntax] = json.loads(done.output)
        # What is not about a page is about the file that stands beside it.
        others = [other for other in around.files if other in {"a.bib", "a.cff"}]
        heard.document[syntax] = project / (others or [name])[0]
    return heard


_LANGUAGES = {".rst": "restructuredtext", ".md": "markdown", ".bib": "bibtex"}


@pytest.fixture(scope="module")
def editor() -> Iterator[Editor]:
    """An editor with the language server."""
    with editor_of() as editor:
        yield editor


def _shown_in(editor: Editor, path: Path) -> list[dict[str, Any]]:
    """The messages of the language server about a document."""
    language = _LANGUAGES.get(path.suffix, "plaintext")
    uri = editor.open(path, path.read_text("utf-8"), language)
    return editor.diagnostics(uri)


_LEVELS = {1: "error", 2: "warning", 3: "note"}


def _as_said(message: Mapping[str, Any]) -> tuple[str, str, str]:
    """Code, severity and text of a message of the language server."""
    return (
        message["code"],
        _LEVELS[message["severity"]],
        message["message"],
    )


def _texts_of(words: Said) -> tuple[str, str, str]:
    """The same of what is said, without advice."""
    facts = [f"{word} {value}" for word, value in words.facts]
    lines = [", ".join([words.message, *facts])]
    if words.suggestion is not None:
        lines.append(f"write {words.suggestion}")
    return words.code, words.level, "\n".join(lines)


def _lines_of(rows: list[dict[str, Any]], code: Code) -> Lines:
    lines: Lines = {}
    for row in rows:
        if row["code"] == code:
            lines.setdefault(Said.of(row), set()).add(row["line"])
    return lines


def _without_paths(lines: Lines, code: Code) -> Lines:
    """The same without what differs by run: a temporary folder."""
    if code is not Code.CACHE:
        return lines
    return {
        words._replace(message=re.sub(r"/\S+/", "/…/", words.message)): numbers
        for words, numbers in lines.items()
    }


@pytest.fixture(scope="module")
def golden() -> dict[str, list[Any]]:
    """The words of each kind, and the lines."""
    words: dict[str, list[Any]] = json.loads(GOLDEN.read_text("utf-8"))
    return words


def _golden_words(lines: Lines) -> list[Any]:
    return [
        {**words._asdict(), "lines": sorted(numbers)}
        for words, numbers in sorted(lines.items())
    ]


def _as_plain(value: object) -> Any:
    return json.loads(json.dumps(value))


@pytest.fixture(scope="module", autouse=True)
def _write_golden(golden: dict[str, list[Any]]) -> Any:
    yield
    if os.environ.get("HANDLE_WRITE_GOLDEN"):
        text = json.dumps(golden, indent=1, ensure_ascii=False, sort_keys=True)
        GOLDEN.write_text(f"{text}\n", "utf-8")


@pytest.fixture
def log_of_mystmd(
    monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> Callable[[Case, Path], str]:
    """Gives the log of the plugin for mystmd about a case."""
    return lambda case, references: by_mystmd(case, references, monkeypatch, capsys)


#: Front ends that say a kind of something else than the case.
_OTHERWISE = {
    # Citeproc says itself that it cannot read a file; the filter, which work is missing.
    Code.REFERENCES: {FrontEnd.PANDOC},
}


@pytest.mark.parametrize("code", Code)
def test_front_ends_say_the_same(
    code: Code,
    heard_together: dict[Code, Heard],
    editor: Editor,
    golden: dict[str, list[Any]],
    log_of_mystmd: Callable[[Case, Path], str],
    tmp_path: Path,
) -> None:
    """Those that its row names say it, in the same words and at the same place."""
    case = CASES[code]
    heard = heard_together.get(code) or _heard_alone(code, case, tmp_path)
    references = tmp_path / "references.json"
    references.write_text((case.around or USUAL).references, "utf-8")
    plugin: Lines = {}
    for words, line in by_plugin(case, references):
        if words.code == code:
            plugin.setdefault(words, set()).add(line)
    heard_lines = {
        "sphinx rst": said(heard.sphinx["rst"], code),
        "sphinx markdown": said(heard.sphinx["markdown"], code),
        "hdl rst": _lines_of(heard.command["rst"], code),
        "hdl markdown": _lines_of(heard.command["markdown"], code),
        "markdown-it": plugin,
        "python-markdown": said(by_extension(case, references), code),
    }
    all_said = {
        name: _without_paths(lines, code)
        for name, lines in heard_lines.items()
        if lines
    }
    expected = next(iter(all_said.values()))

    # These four give every word and every line.
    assert all_said == dict.fromkeys(all_said, expected)
    if os.environ.get("HANDLE_WRITE_GOLDEN"):
        # What this run leaves out stays.
        golden[code] = _golden_words(expected)
    assert _as_plain(_golden_words(expected)) == _as_plain(golden[code])

    # Pandoc names no lines, mystmd's log no severity, and the server shows no facts apart.
    pandoc = said(by_pandoc(case, references), code)
    assert [*pandoc] in ([], [*map(_without_line, expected)])
    log = log_of_mystmd(case, references)
    is_logged = f"[handle.{code}]" in log
    if is_logged:
        for words in expected:
            assert words.message in log
            assert words.suggestion is None or f"write {words.suggestion}" in log
    server = {
        syntax: {
            _as_said(message): message["range"]["start"]["line"] + 1
            for message in _shown_in(editor, path)
            if message["code"] == code
        }
        for syntax, path in heard.document.items()
    }
    for texts in filter(None, server.values()):
        assert {
            (kind, level, _start_of(text, expected)) for kind, level, text in texts
        } == {*map(_texts_of, expected)}

    saying = {FrontEnd(name.partition(" ")[0]) for name in all_said}
    if pandoc:
        saying.add(FrontEnd.PANDOC)
    if is_logged:
        saying.add(FrontEnd.MYSTMD)
    if any(server.values()):
        saying.add(FrontEnd.LANGUAGE_SERVER)
    assert saying == code.said_by - _OTHERWISE.get(code, set())


def _without_line(words: Said) -> Said:
    """The same without the line of another place."""
    return words._replace(message=re.sub(r" on line \d+", "", words.message))


def _start_of(text: str, expected: Lines) -> str:
    """A message of the server without the advice behind it.

    One about another file begins with its name.
    """
    text = text.removeprefix("references.json: ")
    starts = [_texts_of(words)[2] for words in expected]
    return next((start for start in starts if text.startswith(start)), text)
