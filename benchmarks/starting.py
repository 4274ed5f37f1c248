"""Count what starts: the extension in a build, and the command.

    python -m benchmarks.starting
    python -m benchmarks.starting --rounds 1 --no-instructions

An application of Sphinx is made with and without the extension, and tells how long the
import and set-up of the extension took in its process. ``hdl --help`` and ``hdl check`` of one small file
stand beside a command of click's that writes one word. Processor seconds are the median
of the rounds, in each of which every command runs once; ratios are those inside a round.
Cachegrind counts instructions, which repeat on a busy machine.

The goals: the extension at most 50 ms of a processor beside Sphinx, ``hdl --help`` at most
2 times the command of click's, and ``hdl check`` at most 3 times. The exit status is 1 if
one is missed.
"""

import argparse
import sys
import tempfile
from collections.abc import Mapping, Sequence
from pathlib import Path
from statistics import median

from benchmarks.processes import counts_instructions, instructions, run, seconds

IMPORT_GOAL = 0.05
RATIO_GOALS = {"hdl --help": 2.0, "hdl check": 3.0}
_CLICK = """
import click

@click.command()
@click.argument("word")
def write(word: str) -> None:
    click.echo(word)

write()
"""
_SPHINX = """
import sys
import time
from sphinx.application import Sphinx
from sphinx.cmd.build import main
from sphinx.util.docutils import docutils_namespace, patch_docutils

folder, *extensions = sys.argv[1:]
with patch_docutils(folder), docutils_namespace():
    app = Sphinx(
        folder,
        None,
        f"{folder}/out",
        f"{folder}/doctrees",
        "html",
        {"html_theme": "basic"},
        status=None,
    )
    started = time.process_time()
    for extension in extensions:
        app.setup_extension(extension)
    print(time.process_time() - started, file=sys.stderr)
"""
_PAGE = "See doi:10.1000/182 and hdl:20.1000/100.\n"


def commands(folder: Path) -> Mapping[str, Sequence[str]]:
    """Write what the commands need into a folder; the commands by their names."""
    for name, text in (
        ("click_command.py", _CLICK),
        ("start_sphinx.py", _SPHINX),
        ("page.md", _PAGE),
        ("index.rst", "Index\n=====\n"),
    ):
        (folder / name).write_text(text)
    hdl = [sys.executable, "-m", "handle_cli"]
    start_sphinx = [sys.executable, "start_sphinx.py", str(folder)]
    return {
        "click": [sys.executable, "click_command.py", "word"],
        "hdl --help": [*hdl, "--help"],
        "hdl check": [*hdl, "check", "page.md"],
        "Sphinx": start_sphinx,
        "Sphinx, extension": [*start_sphinx, "sphinxcontrib_handle"],
    }


def main() -> int:
    """Measure and print; the exit status."""
    parser = argparse.ArgumentParser(description=__doc__.partition("\n")[0])
    parser.add_argument("--rounds", type=int, default=15)
    parser.add_argument("--no-instructions", action="store_true", help="seconds alone")
    parser.add_argument("--no-goals", action="store_true", help="exit with 0 always")
    options = parser.parse_args()
    is_counted = not options.no_instructions and counts_instructions()
    with tempfile.TemporaryDirectory() as temporary:
        folder = Path(temporary)
        timed = commands(folder)
        for command in timed.values():
            seconds(command, folder)  # It writes the bytecode.
        used: dict[str, list[float]] = {name: [] for name in timed}
        extension: list[float] = []
        for _ in range(options.rounds):
            for name, command in timed.items():
                used[name].append(seconds(command, folder))
            extension.append(float(run(timed["Sphinx, extension"], folder)))
        for name, command in timed.items():
            print(f"{name:18} {median(used[name]) * 1000:7.1f} ms", end="")
            if is_counted:
                counted = instructions(command, folder) / 1_000_000
                print(f" {counted:9.1f} million instructions", end="")
            print(flush=True)
    return 0 if print_goals(used, median(extension)) or options.no_goals else 1


def print_goals(used: Mapping[str, Sequence[float]], extension: float) -> bool:
    """Print the figures that are judged; whether the goals are met.

    Args:
        used: The processor seconds of each round, by the command.
        extension: Those of the import and set-up of the extension.
    """
    print(
        f"the extension beside Sphinx: {extension * 1000:.0f} ms; "
        f"goal: at most {IMPORT_GOAL * 1000:.0f}"
    )
    is_met = extension <= IMPORT_GOAL
    for name, goal in RATIO_GOALS.items():
        pairs = zip(used[name], used["click"], strict=True)
        ratio = median(more / less for more, less in pairs)
        print(f"{name}: {ratio:.2f} x a click command; goal: at most {goal:.0f}")
        is_met = is_met and ratio <= goal
    return is_met


if __name__ == "__main__":
    sys.exit(main())
