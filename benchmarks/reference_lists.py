"""Compare lists of references from a file with the same lists, written by hand.

    python -m benchmarks.reference_lists

``sphinx-build`` builds a project of many pages, each with references in its text, in its
own process and in four ways:

- ``bare``: without lists, without a file of references;
- ``file``: without lists, with a file that describes every work;
- ``hand``: with lists that an author wrote, without a file;
- ``lists``: with ``handle-references`` on every page, and the file.

The lists of the last two show the same.  The four take turns in going first; ratios of
processor time are taken inside a round, and the median is shown.  The goals: lists from
the file take at most 1.05 times those by hand, and a file alone at most 1.02 times none;
then each link, which the file describes, takes at most 100 µs more.

Where Cachegrind is there, a tool of Valgrind, the instructions of such a link are counted
beside it, as `benchmarks.instructions` counts those of a reference: ``bare`` and ``file``
are built in two sizes, and the differences tell.  Full runs of the garbage collector, which
take longer where the items of a file are in memory, are part of the seconds alone.
"""

import argparse
import json
import statistics
import tempfile
from pathlib import Path

from benchmarks.instructions import WITHOUT_FULL_RUNS, sphinx_build
from benchmarks.linking_builds import processor_time
from benchmarks.processes import counts_instructions, instructions, seconds
from benchmarks.verifying_builds import WORDS

DIRECTIVE = ".. handle-references::"


def reference_item(number: int) -> dict[str, object]:
    """An invented item, as an agency describes an article of two people."""
    return {
        "id": f"doi:10.5000/h-{number}",
        "type": "article-journal",
        "title": f"On the ductility of urns under load, part {number}",
        "author": [
            {"family": "Carberry", "given": "Josiah S."},
            {"family": f"Name{number % 97}", "given": "Lucretia"},
        ],
        "issued": {"date-parts": [[1990 + number % 30, 1 + number % 12, 3]]},
        "container-title": "Journal of Psychoceramics",
        "volume": str(number % 50),
        "issue": "4",
        "page": f"{number}-{number + 9}",
        "publisher": "Society of Psychoceramics",
        "language": "en",
        "DOI": f"10.5000/h-{number}",
        "custom": {"agency": "Crossref", "asked": "2026-11-23"},
    }


def handwritten(number: int) -> str:
    """The entry of the item in a list, as an author writes it."""
    return (
        f"* Carberry, Josiah S.; Name{number % 97}, Lucretia ({1990 + number % 30}). On "
        f"the ductility of urns under load, part {number}. *Journal of Psychoceramics* "
        f"{number % 50}(4), {number}–{number + 9}. https://doi.org/10.5000/h-{number}"
    )


def write_project(
    folder: Path, pages: int, references: int, *, with_file: bool, list_form: str
) -> None:
    """Write a project.

    Args:
        folder: Its folder, which does not exist.
        pages: How many pages it has.
        references: How many references are on each page.
        with_file: Whether a file describes the works.
        list_form: ``hand``, ``directive`` or empty.
    """
    folder.mkdir()
    settings = 'extensions = ["sphinxcontrib_handle"]\nhtml_theme = "basic"\n'
    if with_file:
        settings += 'handle_references = "references.json"\n'
        items = [reference_item(number) for number in range(pages * references)]
        (folder / "references.json").write_text(json.dumps(items, indent=1))
    (folder / "conf.py").write_text(settings)
    names = [f"page{number}" for number in range(pages)]
    toctree = "\n   ".join(["", *names])
    (folder / "index.rst").write_text(f"Index\n=====\n\n.. toctree::\n{toctree}\n")
    prose = " ".join(WORDS * 4)
    for page, name in enumerate(names):
        numbers = range(page * references, (page + 1) * references)
        blocks = [f"{prose} doi:10.5000/h-{number} {prose}" for number in numbers]
        if list_form == "hand":
            blocks.append("\n".join(map(handwritten, numbers)))
        elif list_form == "directive":
            blocks.append(DIRECTIVE)
        body = "\n\n".join(blocks)
        (folder / f"{name}.rst").write_text(f"{name}\n{'=' * len(name)}\n\n{body}\n")


def main() -> None:
    """Measure and print the ratios."""
    parser = argparse.ArgumentParser(description=__doc__.partition("\n")[0])
    parser.add_argument("--pages", type=int, default=500)
    parser.add_argument("--references", type=int, default=10, help="on each page")
    parser.add_argument("--rounds", type=int, default=5)
    parser.add_argument("--counted-pages", type=int, nargs=2, default=[10, 40])
    parser.add_argument("--no-instructions", action="store_true", help="seconds alone")
    options = parser.parse_args()
    with tempfile.TemporaryDirectory() as temporary:
        folder = Path(temporary)
        shape = options.pages, options.references
        write_project(folder / "bare", *shape, with_file=False, list_form="")
        write_project(folder / "file", *shape, with_file=True, list_form="")
        write_project(folder / "hand", *shape, with_file=False, list_form="hand")
        write_project(folder / "lists", *shape, with_file=True, list_form="directive")
        names = ["bare", "file", "hand", "lists"]
        rounds: list[dict[str, float]] = []
        for number in range(options.rounds):
            first = number % len(names)
            order = names[first:] + names[:first]
            took = {
                name: processor_time(folder / name, folder / "out") for name in order
            }
            rounds.append(took)
            shown = (f"{name} {took[name]:.2f} s" for name in names)
            print(", ".join(shown), flush=True)
    file_ratios = [took["file"] / took["bare"] for took in rounds]
    list_ratios = [took["lists"] / took["hand"] for took in rounds]
    links = options.pages * options.references
    link_times = [(took["file"] - took["bare"]) / links * 1_000_000 for took in rounds]
    print(f"file alone: {spread(file_ratios)} (goal: at most 1.02)")
    print(f"lists: {spread(list_ratios)} of those by hand (goal: at most 1.05)")
    print(f"a described link: {spread(link_times, 0)} µs (goal: at most 100)")
    if counts_instructions() and not options.no_instructions:
        counted = instructions_of_link(options.counted_pages, options.references)
        print(f"a described link: {counted:.3f} million instructions")


def instructions_of_link(sizes: list[int], references: int) -> float:
    """Millions of instructions that a link takes because a file describes its work.

    Args:
        sizes: The pages of a small and of a larger project.
        references: How many references are on each page.
    """
    small, large = sizes
    a_link: list[float] = []
    for with_file in (False, True):
        counts: list[int] = []
        for pages in sizes:
            with tempfile.TemporaryDirectory() as temporary:
                folder = Path(temporary, "project")
                write_project(
                    folder, pages, references, with_file=with_file, list_form=""
                )
                configuration = folder / "conf.py"
                own = configuration.read_text()
                configuration.write_text(f"{WITHOUT_FULL_RUNS}{own}")
                seconds(sphinx_build(folder))  # It writes the bytecode.
                counts.append(instructions(sphinx_build(folder)))
        links = (large - small) * references
        a_link.append((counts[1] - counts[0]) / links / 1_000_000)
    bare, described = a_link
    return described - bare


def spread(values: list[float], digits: int = 3) -> str:
    """The median of values, and their range."""
    least, median, most = (
        f"{value:.{digits}f}"
        for value in (min(values), statistics.median(values), max(values))
    )
    return f"{median} ({least} to {most})"


if __name__ == "__main__":
    main()
