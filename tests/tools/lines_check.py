"""Are exactly those handles reported that are not registered, each at its right lines?

    python -m tests.tools.lines_check docs/source --count 20

verifies a documentation tree, which has the extension on, twice with ``-b handlecheck``
against a proxy on loopback.  The first time that proxy knows nothing, so that every place
of every handle is reported: each is looked up in its file, and must stand on the line that
is told, as often as it is told.  The second time it knows all handles but some, chosen by
chance: exactly those must be reported, at all their places.  Where else in the sources the
handles stand is listed for a reader to judge; it may be a comment, or a literal.
"""

import argparse
import json
import random
import subprocess
import sys
import tempfile
from collections import Counter
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any, NamedTuple
from urllib.parse import unquote

from handle_system import HandleReference, HandleSyntaxError
from tests.proxy_server import running

__all__ = ["Reported", "Told", "check_lines", "elsewhere", "main", "verify"]

_SAID = ": this handle is not registered"
_SOURCES = {".bib", ".ipynb", ".md", ".py", ".rst", ".txt"}


class Told(NamedTuple):
    """One place as the report tells it."""

    handle: str
    file: str
    line: int
    written: str


@dataclass(frozen=True, slots=True)
class Reported:
    """What one verification reported.

    Attributes:
        handles: Every handle of the documents.
        unregistered: Those that are said not to be registered.
        places: The places of these.
        returncode: What the build exited with.
        warnings: How many warnings it gave of handles that are not registered.
    """

    handles: list[str]
    unregistered: set[str]
    places: list[Told]
    returncode: int
    warnings: int


def verify(
    source: Path, work: Path, known: dict[str, str], options: Sequence[str]
) -> Reported:
    """Verify the tree against a proxy that knows some handles."""
    out = work / f"knows-{len(known)}"
    with running(known) as server:
        run = subprocess.run(
            [
                *(sys.executable, "-m", "sphinx", "-b", "handlecheck", "-q"),
                *("-D", f"handle_resolver={server.url}"),
                *("-D", f"handle_cache={out}.sqlite"),
                *("-d", work / "doctrees", "-w", f"{out}.warnings"),
                *options,
                *(source, out),
            ],
            capture_output=True,
            check=False,
        )
    try:
        rows = json.loads((out / "output.json").read_text("utf-8"))
        sarif = json.loads((out / "report.sarif").read_text("utf-8"))
    except FileNotFoundError:
        raise SystemExit(run.stderr.decode("utf-8", "replace")) from None
    return Reported(
        handles=[row["handle"] for row in rows],
        unregistered={
            row["handle"] for row in rows if row["outcome"] == "not-registered"
        },
        places=list(_places(sarif)),
        returncode=run.returncode,
        warnings=Path(f"{out}.warnings")
        .read_text("utf-8")
        .count("[handle.not-registered]"),
    )


def _places(sarif: Any) -> Iterator[Told]:
    for result in sarif["runs"][0]["results"]:
        if result["ruleId"] == "handle.not-registered":
            location = result["locations"][0]["physicalLocation"]
            written = result["message"]["text"].removesuffix(_SAID)
            yield Told(
                HandleReference.parse(written).handle.comparison_key,
                unquote(location["artifactLocation"]["uri"]),
                location.get("region", {}).get("startLine", 0),
                written,
            )


def check_lines(source: Path, places: Sequence[Told]) -> tuple[int, list[str]]:
    """How many places are right, and those that are not, in words."""
    wrong = []
    told: Counter[tuple[str, int, str]] = Counter()
    for place in places:
        path = source / place.file
        lines = path.read_text("utf-8").split("\n") if path.is_file() else []
        again = told[place.file, place.line, place.handle]
        # An entry of a bibliography is told for each page that cites it.
        told[place.file, place.line, place.handle] += path.suffix != ".bib"
        if not 0 < place.line <= len(lines):
            wrong.append(f"{place.file}:{place.line} is no line, for {place.written}")
            continue
        line = lines[place.line - 1]
        if again >= _times(line, place):
            shown = line.strip()[:120]
            wrong.append(f"{place.file}:{place.line} has no {place.written}: {shown}")
    return len(places) - len(wrong), wrong


def _times(line: str, place: Told) -> int:
    """How often a line holds the reference as written, or at least its handle.

    What is written may go on in the next line, and a role of the project's own shows the
    address that it made.
    """
    plain = line.replace("\\", "").lower()
    first = place.written.split()[0].lower()
    wanted = {place.handle.lower(), unquote(place.written).lower()}
    if len(first) > len("https://doi.org/10."):
        wanted.add(first)
    return max(text.count(each) for each in wanted for text in (plain, unquote(plain)))


def elsewhere(source: Path, places: Sequence[Told]) -> Iterator[str]:
    """Lines of the sources that hold one of the handles and are not reported."""
    told = {((source / place.file).resolve(), place.line) for place in places}
    handles = sorted({place.handle.lower() for place in places})
    for path in sorted(source.rglob("*")):
        if path.suffix not in _SOURCES or not path.is_file():
            continue
        lines = path.read_text("utf-8", errors="replace").lower().split("\n")
        for number, line in enumerate(lines, start=1):
            is_told = (path.resolve(), number) in told
            if not is_told and any(handle in line for handle in handles):
                yield f"{path.relative_to(source)}:{number}: {line.strip()[:160]}"


def _spellings(reported: Reported) -> Iterator[tuple[str, str]]:
    """Each handle with itself, and with how else a document spells it.

    The letter case of a DOI does not count, so that any of them may be asked for.
    """
    for handle in reported.handles:
        yield handle, handle
    for place in reported.places:
        try:
            yield place.handle, str(HandleReference.parse(place.written).handle)
        except HandleSyntaxError:
            # A role of the project's own, which has a prefix of its own.
            continue


def main(arguments: Sequence[str] | None = None) -> int:
    """Check the tree that the command line names."""
    parser = argparse.ArgumentParser(description=__doc__.partition("\n")[0])
    parser.add_argument("source", type=Path)
    parser.add_argument("--count", type=int, default=20, help="how many are unknown")
    parser.add_argument("--seed", type=int, default=0)
    chosen, options = parser.parse_known_args(arguments)
    source = chosen.source.resolve()
    with tempfile.TemporaryDirectory() as folder:
        work = Path(folder)
        everything = verify(source, work, {}, options)
        count = min(chosen.count, len(everything.handles))
        chance = random.Random(chosen.seed)  # noqa: S311 - a sample, no secret
        unknown = set(chance.sample(everything.handles, count))
        known = {
            spelling: "https://example.org/"
            for handle, spelling in _spellings(everything)
            if handle not in unknown
        }
        some = verify(source, work, known, options)
    right, wrong = check_lines(source, everything.places)
    print(f"distinct handles: {len(everything.handles)}")
    print(f"places: {len(everything.places)}, on their lines: {right}")
    for line in wrong:
        print(f"  {line}")
    right_of_some, wrong_of_some = check_lines(source, some.places)
    print(f"not known to the proxy: {count}, reported: {len(some.unregistered)}")
    print(f"  of these not among the unknown: {sorted(some.unregistered - unknown)}")
    print(f"  unknown and not reported: {sorted(unknown - some.unregistered)}")
    print(f"  warnings: {some.warnings}, exit status: {some.returncode}")
    print(f"  places: {len(some.places)}, on their lines: {right_of_some}")
    expected = [place for place in everything.places if place.handle in unknown]
    print(f"  places told differently: {len({*expected} ^ {*some.places})}")
    print("elsewhere in the sources:")
    for line in elsewhere(source, everything.places):
        print(f"  {line}")
    is_right = (
        some.unregistered == unknown
        and not (wrong or wrong_of_some)
        and some.warnings == count
        and some.returncode == 1
    )
    return 0 if is_right else 1


if __name__ == "__main__":
    sys.exit(main())
