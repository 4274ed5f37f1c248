"""Compare citations by identifier with those of sphinxcontrib-bibtex, build after build.

    python -m benchmarks.citing_builds
    python -m benchmarks.citing_builds --jobs 4 --rounds 1

A project has many pages that cite many works, and one list of all of them. It is written
four times: with identifiers, as names and years and as numbers, and with keys of
sphinxcontrib-bibtex in its styles ``author_year`` and ``plain``. ``sphinx-build`` builds
each three times: from nothing; with nothing changed; and after one page has cited a work
that nobody cited before, and that comes first in the list. Processor seconds are those of
``sphinx-build`` and its children; the variants take turns in going first.

Then the pages are compared: how many were read and written after the change, and how many
differ from those of a build from nothing. The exit status is 1 if one of ours differs, if
more than the changed page was read, or if ``--jobs`` processes write other pages than one.
"""

import argparse
import json
import re
import resource
import shutil
import subprocess
import sys
import tempfile
from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path

from benchmarks.processes import environment

WORDS = (
    "A sentence of prose that stands between the citations of a page, as authors do."
)
#: The number of the work that nobody cites before the change; it sorts first.
NEW_WORK = 0


@dataclass(frozen=True, slots=True, kw_only=True)
class Variant:
    """A way to cite.

    Attributes:
        name: Its name in the output.
        is_ours: Whether identifiers are cited, and no keys.
        style: The value of ``handle_display``, or the style of the bibliography.
    """

    name: str
    is_ours: bool
    style: str


VARIANTS = (
    Variant(name="ours, names", is_ours=True, style="citation"),
    Variant(name="bibtex, names", is_ours=False, style="author_year"),
    Variant(name="ours, numbers", is_ours=True, style="number"),
    Variant(name="bibtex, numbers", is_ours=False, style="plain"),
)


@dataclass(frozen=True, slots=True)
class Shape:
    """The size of a project."""

    pages: int
    citations: int
    works: int


def family(number: int) -> str:
    """The name of the author of a work; names sort as numbers do."""
    return f"N{number:05}"


def write_project(folder: Path, shape: Shape, variant: Variant) -> None:
    """Write a project, which cites every work but the new one."""
    folder.mkdir()
    settings = ['html_theme = "basic"', "html_sidebars = {}"]
    if variant.is_ours:
        settings += [
            'extensions = ["sphinxcontrib_handle"]',
            'handle_references = "references.json"',
            f"handle_display = {variant.style!r}",
        ]
        items = [item(number) for number in range(shape.works + 1)]
        (folder / "references.json").write_text(json.dumps(items, indent=1))
        listing = ".. handle-references::\n   :documents: *\n"
    else:
        settings += [
            'extensions = ["sphinxcontrib.bibtex"]',
            'bibtex_bibfiles = ["references.bib"]',
        ]
        if variant.style == "author_year":
            settings.append('bibtex_reference_style = "author_year"')
        entries = "".join(entry(number) for number in range(shape.works + 1))
        (folder / "references.bib").write_text(entries)
        listing = ".. bibliography::\n   :style: plain\n"
    (folder / "conf.py").write_text("\n".join(settings) + "\n")
    names = "".join(f"   page{number}\n" for number in range(shape.pages))
    (folder / "index.rst").write_text(
        f"Index\n=====\n\n.. toctree::\n\n   works\n{names}"
    )
    (folder / "works.rst").write_text(f"Works\n=====\n\n{listing}")
    for page in range(shape.pages):
        write_page(folder, page, shape, variant)


def write_page(
    folder: Path, page: int, shape: Shape, variant: Variant, more: str = ""
) -> None:
    """Write a page, whose citations are some of all works."""
    first = page * shape.citations
    numbers = range(first, first + shape.citations)
    cited = [cite(1 + number % shape.works, variant) for number in numbers]
    body = "\n\n".join(f"{WORDS} {citation} {WORDS}" for citation in [*cited, more])
    name = f"page{page}"
    (folder / f"{name}.rst").write_text(f"{name}\n{'=' * len(name)}\n\n{body}\n")


def cite(number: int, variant: Variant) -> str:
    """The citation of a work in brackets."""
    if variant.is_ours:
        return f":doi:`[10.5555/work.{number}]`"
    return f":cite:p:`work{number}`"


def item(number: int) -> dict[str, object]:
    """A work in a file of references."""
    return {
        "id": f"doi:10.5555/work.{number}",
        "type": "article-journal",
        "title": f"On the ductility of urns, part {number}",
        "author": [{"family": family(number), "given": "A."}],
        "issued": {"date-parts": [[2000 + number % 20]]},
        "container-title": "Journal of Psychoceramics",
    }


def entry(number: int) -> str:
    """The same work in a bibliography."""
    return (
        f"@article{{work{number}, author = {{{family(number)}, A.}}, "
        f"title = {{On the ductility of urns, part {number}}}, "
        f"journal = {{Journal of Psychoceramics}}, year = {2000 + number % 20}, "
        f"doi = {{10.5555/work.{number}}}}}\n"
    )


@dataclass(frozen=True, slots=True)
class Run:
    """One run of ``sphinx-build``."""

    seconds: float
    output: str

    @property
    def read(self) -> int:
        """The number of documents that were read."""
        counts = re.findall(r"(\d+) added, (\d+) changed", self.output)
        return sum(int(count) for count in counts[0]) if counts else 0


def build(source: Path, out: Path, jobs: int) -> Run:
    """Run ``sphinx-build`` in a process of its own."""
    before = resource.getrusage(resource.RUSAGE_CHILDREN)
    command = [sys.executable, "-m", "sphinx", "-j", str(jobs), str(source), str(out)]
    finished = subprocess.run(
        command, check=True, env=environment(), capture_output=True, text=True
    )
    after = resource.getrusage(resource.RUSAGE_CHILDREN)
    used = after.ru_utime + after.ru_stime - before.ru_utime - before.ru_stime
    return Run(used, finished.stdout)


def pages_of(out: Path) -> Iterator[Path]:
    """The files of the documents."""
    for path in out.glob("*.html"):
        if path.name not in {"genindex.html", "search.html"}:
            yield path


def contents(out: Path) -> dict[str, bytes]:
    """What each page holds."""
    return {path.name: path.read_bytes() for path in pages_of(out)}


def times_of(out: Path) -> dict[str, int]:
    """When each page was written."""
    return {path.name: path.stat().st_mtime_ns for path in pages_of(out)}


def differing(first: dict[str, bytes], second: dict[str, bytes]) -> int:
    """The number of pages that two builds do not write alike."""
    names = first.keys() | second.keys()
    return sum(first.get(name) != second.get(name) for name in names)


def measure(folder: Path, shape: Shape, variant: Variant, jobs: int) -> bool:
    """Measure a variant and print a line; whether all is as promised."""
    source = folder / variant.name
    out = folder / "out"
    shutil.rmtree(source, ignore_errors=True)
    shutil.rmtree(out, ignore_errors=True)
    write_project(source, shape, variant)
    full = build(source, out, jobs)
    unchanged = build(source, out, jobs)
    times = times_of(out)
    changed_page = shape.pages // 2
    write_page(source, changed_page, shape, variant, cite(NEW_WORK, variant))
    changed = build(source, out, jobs)
    now = times_of(out)
    written = sum(time != times.get(name) for name, time in now.items())
    pages = contents(out)
    shutil.rmtree(out)
    build(source, out, 1)
    stale = differing(pages, contents(out))
    shutil.rmtree(out)
    build(source, out, jobs)
    unlike = differing(contents(out), pages) if not stale else 0
    print(
        f"{variant.name:16} full {full.seconds:6.2f} s, unchanged "
        f"{unchanged.seconds:5.2f} s, one work added {changed.seconds:5.2f} s: "
        f"{changed.read} read, {written} written, {stale} differ from a build from "
        f"nothing; -j {jobs}: {unlike} differ from -j 1",
        flush=True,
    )
    is_right = stale == 0 and unlike == 0 and changed.read == 1
    return is_right or not variant.is_ours


def main() -> int:
    """Measure and print."""
    parser = argparse.ArgumentParser(description=__doc__.partition("\n")[0])
    parser.add_argument("--pages", type=int, default=300)
    parser.add_argument("--citations", type=int, default=10, help="on each page")
    parser.add_argument("--works", type=int, default=1000)
    parser.add_argument("--jobs", type=int, default=1)
    parser.add_argument("--rounds", type=int, default=3)
    options = parser.parse_args()
    shape = Shape(options.pages, options.citations, options.works)
    is_right = True
    with tempfile.TemporaryDirectory() as temporary:
        for number in range(options.rounds):
            first = number % len(VARIANTS)
            for variant in VARIANTS[first:] + VARIANTS[:first]:
                is_right &= measure(Path(temporary), shape, variant, options.jobs)
    return 0 if is_right else 1


if __name__ == "__main__":
    sys.exit(main())
