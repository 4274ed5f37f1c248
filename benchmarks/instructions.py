"""Count what the extension adds to a page of Sphinx and what one reference takes.

    python -m benchmarks.instructions
    python -m benchmarks.instructions --pages 2 4 --no-goals

Cachegrind counts the instructions of a whole build. That count repeats to a few parts in
ten thousand on a busy machine, where times swing by a third. Each project is built in two
sizes. The difference is the price of the pages alone, without the start of Python, of
Sphinx and of the extension. Beside it stand the processor seconds of the larger build
without Cachegrind, of all its processes. Judge the instructions.

A page has 20 paragraphs of 60 words, with emphasis and a literal each. There are three
projects: pages without the extension, pages with it, and pages with it and a DOI in each
paragraph, which docutils makes a link, too, without the extension. The goals: a page
without a reference at most 1.02 times the plain one; a build of 300 such pages, with
what is loaded once, at most 1.03 times; and a reference at most 0.25 million instructions
beyond docutils' own link.

The configuration of each project keeps Python's garbage collector from full runs, with
the extension and without it. One takes some 28 million instructions, and it depends on
all that is loaded when one is due: at 5 and 25 pages, one fell into a single one of the
builds and added 0.07 million to a reference. Their number is the same: 1 in each build of
2, 5 and 10 pages, 2 at 60 and 3 at 105. The usual runs, over young objects, are counted.
What is left of chance is the folder of the checkout, whose name moves the price of a
reference by up to 0.01 million; in one folder it repeats.

The exit status is 1 if a goal is missed. Cachegrind is a tool of Valgrind; without it, the
benchmark shows seconds alone, and exits with 0.
"""

import argparse
import random
import shutil
import sys
import tempfile
from collections.abc import Mapping, Sequence
from pathlib import Path

from benchmarks.processes import counts_instructions, instructions, seconds
from benchmarks.verifying_builds import WORDS

PARAGRAPHS = 20
PAGE_GOAL = 1.02
BUILD_GOAL = 1.03
MANY_PAGES = 300
REFERENCE_GOAL = 0.25
EXTENSION = "sphinxcontrib_handle"
#: What keeps the garbage collector from full runs, in ``conf.py``.
WITHOUT_FULL_RUNS = """\
import gc

gc.set_threshold(*gc.get_threshold()[:2], 1_000_000)
"""
#: Each project: its extensions, and whether its paragraphs have a DOI.
PROJECTS: Mapping[str, tuple[tuple[str, ...], bool]] = {
    "plain": ((), False),
    "plain, with links": ((), True),
    "extension": ((EXTENSION,), False),
    "extension, with links": ((EXTENSION,), True),
}


def write_project(
    folder: Path, pages: int, extensions: Sequence[str], *, has_links: bool
) -> None:
    """Write a project of that many pages, beside its index."""
    folder.mkdir()
    configuration = f'extensions = {[*extensions]}\nhtml_theme = "basic"\n'
    (folder / "conf.py").write_text(f"{WITHOUT_FULL_RUNS}{configuration}")
    names = [f"page{number}" for number in range(pages)]
    toctree = "\n   ".join(["", *names])
    (folder / "index.rst").write_text(f"Index\n=====\n\n.. toctree::\n{toctree}\n")
    chance = random.Random(1)
    for name in names:
        paragraphs = [_paragraph(chance, has_links) for _ in range(PARAGRAPHS)]
        body = "\n\n".join(paragraphs)
        (folder / f"{name}.rst").write_text(f"{name}\n{'=' * len(name)}\n\n{body}\n")


def _paragraph(chance: random.Random, has_link: bool) -> str:  # noqa: FBT001 - private
    words = chance.choices(WORDS, k=60)
    words[10] = f"*{words[10]}*"
    words[20] = f"``{words[20]}``"
    if has_link:
        words[30] = f"https://doi.org/10.5000/h-{chance.randrange(10**6)}"
    return " ".join(words)


def sphinx_build(source: Path) -> list[str]:
    """The command that builds a project from scratch."""
    out = source / "_build"
    shutil.rmtree(out, ignore_errors=True)
    return [sys.executable, "-m", "sphinx", "-q", "-E", "-a", str(source), str(out)]


def main() -> int:
    """Measure and print; the exit status."""
    parser = argparse.ArgumentParser(description=__doc__.partition("\n")[0])
    parser.add_argument("--pages", type=int, nargs=2, default=[5, 65])
    parser.add_argument("--no-instructions", action="store_true", help="seconds alone")
    parser.add_argument("--no-goals", action="store_true", help="exit with 0 always")
    options = parser.parse_args()
    small, large = options.pages
    is_counted = not options.no_instructions and counts_instructions()
    a_page: dict[str, float] = {}
    once: dict[str, float] = {}
    with tempfile.TemporaryDirectory() as temporary:
        for name, (extensions, has_links) in PROJECTS.items():
            folders = [Path(temporary, f"{name} {size}") for size in (small, large)]
            for folder, size in zip(folders, (small, large), strict=True):
                write_project(folder, size, extensions, has_links=has_links)
            seconds(sphinx_build(folders[0]))  # It writes the bytecode.
            used = seconds(sphinx_build(folders[1]))
            print(f"{name:22} {used:6.2f} s", end="", flush=True)
            if is_counted:
                counts = [
                    instructions(sphinx_build(folder)) / 1_000_000 for folder in folders
                ]
                a_page[name] = (counts[1] - counts[0]) / (large - small)
                once[name] = counts[0] - small * a_page[name]
                print(f" {a_page[name]:10.2f} million instructions a page", end="")
            print(flush=True)
    is_met = not is_counted or print_goals(a_page, once)
    return 0 if is_met or options.no_goals else 1


def print_goals(a_page: Mapping[str, float], once: Mapping[str, float]) -> bool:
    """Print the figures that are judged; whether the goals are met.

    Args:
        a_page: Millions of instructions a page, by the project.
        once: Millions of instructions of a build without any page.
    """
    ratio = a_page["extension"] / a_page["plain"]
    whole = {name: once[name] + MANY_PAGES * a_page[name] for name in a_page}
    whole_ratio = whole["extension"] / whole["plain"]
    own_links = a_page["plain, with links"] - a_page["plain"]
    links = a_page["extension, with links"] - a_page["extension"]
    reference = (links - own_links) / PARAGRAPHS
    print(f"page without a reference: {ratio:.3f} x plain; goal: at most {PAGE_GOAL}")
    print(
        f"a build of {MANY_PAGES} such pages, with what is loaded once: {whole_ratio:.3f} x "
        f"plain; goal: at most {BUILD_GOAL}"
    )
    print(
        f"a reference: {reference:.2f} million instructions beyond docutils' own link; "
        f"goal: at most {REFERENCE_GOAL}"
    )
    is_met = ratio <= PAGE_GOAL and whole_ratio <= BUILD_GOAL
    return is_met and reference <= REFERENCE_GOAL


if __name__ == "__main__":
    sys.exit(main())
