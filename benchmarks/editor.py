"""Measure the language server, as an editor waits for it.

A project has ten thousand works. The first findings of a page of 20 kB with 100 references,
an edit of it, a completion, the memory after many edits, and how long a hover in that page
waits while a page of a megabyte is read. The goals are 0.06 s for the first findings, 0.03 s
of processor time for an edit, 0.04 s for a completion, 1 MiB for 4,000 edits, and 0.5 s for
the slowest hover. Needs Linux.

Times include what else the machine does. `--server` names the command of another server,
which is measured in turn with this one.

    python -m benchmarks.editor
    python -m benchmarks.editor --rounds 1 --edits 100 --megabytes 0.1
"""

import argparse
import json
import os
import shlex
import statistics
import sys
import time
from collections import defaultdict
from collections.abc import Sequence
from pathlib import Path
from tempfile import TemporaryDirectory

from tests.language_client import Editor, editor_of, position, span

_WORKS = 10_000
_PARAGRAPH = (
    "Some words of a text that cites things (doi:10.1000/{0}) and "
    "<https://doi.org/10.1000/{0}> as *authors* do, and so on and on.\n\n"
)
_TICKS = os.sysconf("SC_CLK_TCK")


def write_project(folder: Path) -> None:
    """Write the settings and the works of a project."""
    (folder / "pyproject.toml").write_text("[tool.handle]\n")
    works = [
        {
            "id": f"doi:10.1000/{number}",
            "type": "article-journal",
            "title": f"Title {number} of a work",
            "author": [{"family": f"Doe{number}", "given": "Jane"}],
            "issued": {"date-parts": [[2000 + number % 20]]},
        }
        for number in range(_WORKS)
    ]
    (folder / "references.json").write_text(json.dumps(works))


def small_page() -> str:
    """A page of 20 kB with 100 references."""
    paragraphs = "".join(map(_PARAGRAPH.format, range(50)))
    return paragraphs + "word " * ((20_000 - len(paragraphs)) // 5)


def large_page(megabytes: float) -> str:
    """A page with two references in each paragraph."""
    count = int(megabytes * 1_000_000 / len(_PARAGRAPH))
    return "".join(map(_PARAGRAPH.format, range(count)))


def processor_seconds(process: int) -> float:
    """The processor time that a process has used."""
    fields = Path(f"/proc/{process}/stat").read_text().rpartition(")")[2].split()
    return (int(fields[11]) + int(fields[12])) / _TICKS


def resident_kibibytes(process: int) -> int:
    """The memory of a process."""
    status = Path(f"/proc/{process}/status").read_text()
    return int(status.partition("VmRSS:")[2].split()[0])


def measured(command: Sequence[str], edits: int, megabytes: float) -> dict[str, float]:
    """What one server needs for everything, once."""
    with TemporaryDirectory() as name:
        folder = Path(name)
        write_project(folder)
        with editor_of(folder, command=command) as editor:
            return _figures(editor, folder, edits, megabytes)


def _figures(
    editor: Editor, folder: Path, edits: int, megabytes: float
) -> dict[str, float]:
    figures: dict[str, float] = {}
    # An editor opens its first document after the server has read the works.
    warm = editor.open(folder / "warm.md", "{doi}`title")
    editor.diagnostics(warm)
    editor.at("completion", warm, 0, 11)
    time.sleep(1)

    started = time.perf_counter()
    uri = editor.open(folder / "page.md", small_page())
    editor.diagnostics(uri)
    figures["first findings, s"] = time.perf_counter() - started

    used = processor_seconds(editor.process_id)
    for _ in range(10):
        version = editor.change(uri, _insertion(0, "x"))
        editor.diagnostics(uri, version)
    used = processor_seconds(editor.process_id) - used
    figures["an edit, processor s"] = used / 10

    editor.change(uri, _insertion(1, "{doi}`title 77"))
    started = time.perf_counter()
    editor.at("completion", uri, 1, 14)
    figures["a completion, s"] = time.perf_counter() - started

    before = resident_kibibytes(editor.process_id)
    for number in range(edits):
        # What is written is taken away again, so that the page does not grow.
        deletion = {"range": span(1, 0, 8), "text": ""}
        change = deletion if number % 2 else _insertion(1, "doi:10.1")
        version = editor.change(uri, change)
        if number % 50 == 49:
            editor.diagnostics(uri, version)
            editor.at("hover", uri, 4, 50)
    grown = resident_kibibytes(editor.process_id) - before
    figures["memory of the edits, MiB"] = grown / 1024

    figures |= _large_page(editor, uri, folder, megabytes)
    return figures


def _large_page(
    editor: Editor, small: str, folder: Path, megabytes: float
) -> dict[str, float]:
    """The hovers in the small page, while a large one is read."""
    large = folder / "large.md"
    started = time.perf_counter()
    editor.open(large, large_page(megabytes))
    waits = []
    while not editor.has_diagnostics(large.as_uri()):
        asked = time.perf_counter()
        editor.at("hover", small, 4, 50)
        waits.append(time.perf_counter() - asked)
        time.sleep(0.02)
    return {
        "a large page, s": time.perf_counter() - started,
        "slowest hover meanwhile, s": max(waits),
    }


def _insertion(line: int, text: str) -> dict[str, object]:
    where = position(line, 0)
    return {"range": {"start": where, "end": where}, "text": text}


def main() -> None:
    """Measure and print."""
    parser = argparse.ArgumentParser(description=__doc__.partition("\n")[0])
    parser.add_argument("--rounds", type=int, default=5)
    parser.add_argument("--edits", type=int, default=4000)
    parser.add_argument("--megabytes", type=float, default=1)
    parser.add_argument("--server", help="the command of another server")
    options = parser.parse_args()
    commands = {"hdl lsp": [sys.executable, "-m", "handle_cli", "lsp"]}
    if options.server:
        commands["other"] = shlex.split(options.server)
    seen: dict[tuple[str, str], list[float]] = defaultdict(list)
    for _ in range(options.rounds):
        for name, command in commands.items():
            figures = measured(command, options.edits, options.megabytes)
            for what, value in figures.items():
                seen[what, name].append(value)
    for (what, name), values in sorted(seen.items()):
        print(
            f"{what:28} {name:8} {statistics.median(values):8.3f} "
            f"({min(values):.3f} to {max(values):.3f})"
        )


if __name__ == "__main__":
    main()
