"""Compare a Sphinx build of references with one of the same links, written by hand.

    python -m benchmarks.linking_builds

``sphinx-build`` builds a project of many pages in its own process: with handwritten
links (```text <https://doi.org/…>`__``) without the extension, then with ``doi:…`` in
the text and the extension.  Both produce the same links.  They alternate in going
first; ratios are taken inside a round, and the median is shown.  The goal is at most
1.05 times the time of the plain links.
"""

import argparse
import resource
import shutil
import statistics
import subprocess
import sys
import tempfile
from pathlib import Path

from benchmarks.processes import environment
from benchmarks.verifying_builds import WORDS

PLAIN = "`doi:{0} <https://doi.org/{0}>`__"
REFERENCE = "doi:{0}"


def write_project(
    folder: Path, pages: int, references: int, form: str, *extensions: str
) -> None:
    """Write a project whose references all have one form."""
    folder.mkdir()
    (folder / "conf.py").write_text(
        f'extensions = {[*extensions]}\nhtml_theme = "basic"\n'
    )
    names = [f"page{number}" for number in range(pages)]
    toctree = "\n   ".join(["", *names])
    (folder / "index.rst").write_text(f"Index\n=====\n\n.. toctree::\n{toctree}\n")
    prose = " ".join(WORDS * 4)
    for number, name in enumerate(names):
        first = number * references
        written = [
            form.format(f"10.5000/h-{first + each}") for each in range(references)
        ]
        body = "\n\n".join(f"{prose} {each} {prose}" for each in written)
        (folder / f"{name}.rst").write_text(f"{name}\n{'=' * len(name)}\n\n{body}\n")


def processor_time(source: Path, out: Path) -> float:
    """Processor seconds of one build from scratch."""
    shutil.rmtree(out, ignore_errors=True)
    before = resource.getrusage(resource.RUSAGE_CHILDREN)
    command = [sys.executable, "-m", "sphinx", "-q", "-E", "-a", str(source), str(out)]
    subprocess.run(command, check=True, env=environment())
    after = resource.getrusage(resource.RUSAGE_CHILDREN)
    return after.ru_utime + after.ru_stime - before.ru_utime - before.ru_stime


def main() -> None:
    """Measure and print the ratio."""
    parser = argparse.ArgumentParser(description=__doc__.partition("\n")[0])
    parser.add_argument("--pages", type=int, default=500)
    parser.add_argument("--references", type=int, default=20, help="on each page")
    parser.add_argument("--rounds", type=int, default=5)
    options = parser.parse_args()
    ratios = []
    with tempfile.TemporaryDirectory() as temporary:
        folder = Path(temporary)
        shape = options.pages, options.references
        write_project(folder / "plain", *shape, PLAIN)
        write_project(folder / "ours", *shape, REFERENCE, "sphinxcontrib_handle")
        for number in range(options.rounds):
            order = ["plain", "ours"] if number % 2 else ["ours", "plain"]
            took = {
                name: processor_time(folder / name, folder / "out") for name in order
            }
            ratios.append(took["ours"] / took["plain"])
            print(f"plain {took['plain']:.2f} s, ours {took['ours']:.2f} s", flush=True)
    median = statistics.median(ratios)
    print(f"{median:.3f} x plain links ({min(ratios):.3f} to {max(ratios):.3f})")


if __name__ == "__main__":
    main()
