"""Check that reading time grows linearly: hostile texts, doubled step by step.

    python benchmarks/linearity.py
    python benchmarks/linearity.py --only find_references --others-to 4096

The readers of documents (`DOCUMENT_READERS`) read whole pages, for which a parser
needs longer; their texts are doubled to `--documents-to`.

Each text is a repeated unit, with or without a head and a tail, that provokes
backtracking: long runs, brackets that never close, openers that need look-behind,
and false starts of references.  The named shapes (`NAMED`) are doubled from 64 kB
to 4 MB, the others to 512 kB or to `--others-to`; 4 MB for all takes some minutes
longer.  Rows are printed as they are measured.

For each length the processor time is measured, again if it seems to have grown too
much (the least counts, to exclude other work on the machine).  The growth of the last
step is shown and judged; linear is 2.0, quadratic 4.0.  The exit status is 1 if the last
step took more than `--limit` times the one before, and so did the step to a text that is
twice as long.

A library may itself take more than linear time for many pieces of markup in one
paragraph.  Such a row is judged beside as many characters of the library's own markup,
which the library reads without us: it may grow as they do, and both are shown.

A step whose end takes less than `--floor` nanoseconds a character is not judged,
and shown as "fast".  There, one or two character searches skip the text, or its
first word is refused, and memory dominates the time: text that exceeds the
processor's cache costs up to three times as much a character, and would look
quadratic.  The floor hides at most 8 milliseconds for 4 MB.  A quadratic part that
takes longer at the greatest length is judged, however little it took before,
because only the end of a step has to be above the floor.

Where the C library allows it, memory is kept between readings: see `keep_memory`,
and `--fresh-memory` for the opposite.
"""

import argparse
import ctypes
import gc
import logging
import sys
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from pathlib import Path
from tempfile import TemporaryDirectory
from time import perf_counter, process_time

from docutils.core import publish_doctree
from markdown import Markdown

from handle_cli.readers import read_references
from handle_system.describing.comparing.other_work import differences
from handle_system.describing.rich_text import read_runs
from handle_system.diagnostics import diagnose
from handle_system.errors import HandleSyntaxError
from handle_system.handle import Handle
from handle_system.proxies import DEFAULT_PROXIES
from handle_system.reference import HandleReference
from handle_system.role_citations import read_role
from handle_system.scanning import find_references, may_hold_reference
from handle_system.settings import Settings
from handle_system.syntax import Syntax
from handle_system.text_beside import (
    TextBeside,
    TextKind,
    link_label,
    written_reference,
)
from sphinxcontrib_handle.rst import Parser

# Least seconds of a measurement, and most readings.
ENOUGH = 0.005
MOST = 20

# Options of mallopt(3): blocks outside the heap, free memory kept at its end, growth
# step.
_MMAP_MAX, _TRIM_THRESHOLD, _TOP_PAD = -4, -1, -2


def units(length: int, unit: str) -> int:
    """The number of units in about `length` characters, a multiple of 1024."""
    return length // 1024 * max(1, 1024 // len(unit))


@dataclass(frozen=True, slots=True)
class Hostile:
    """A text of any length: a unit repeated between a head and a tail.

    Attributes:
        own: A unit of the library's own markup, whose growth is no fault of ours.
    """

    unit: str
    head: str = ""
    tail: str = ""
    own: str = ""

    def of(self, length: int) -> str:
        """The text at about this length.

        Twice the length is exactly twice the units: an odd number of octets can be an
        error where an even number is valid text.
        """
        return f"{self.head}{self.unit * units(length, self.unit)}{self.tail}"

    def __str__(self) -> str:
        parts = [ascii(part)[1:-1] for part in (self.head, self.unit, self.tail)]
        if len(parts[1]) > 24:
            parts[1] = f"{parts[1][:10]}…{parts[1][-10:]}"
        return f"{parts[0]}[{parts[1]}]{parts[2]}"


@dataclass(frozen=True, slots=True)
class Nested(Hostile):
    """Half of the text opens brackets, the other half closes them."""

    closers: str = ")"

    def of(self, length: int) -> str:
        """The text at about this length."""
        depth = units(length, self.unit + self.closers)
        return f"{self.head}{self.unit * depth}{self.closers * depth}{self.tail}"

    def __str__(self) -> str:
        return f"{self.head}[{self.unit}][{self.closers}]{self.tail}"


NAMED = (
    *map(Hostile, ("hdl:", "((((", "....")),
    Hostile("hdl:", "", "10.1/x"),
    Hostile("hdl:", "https://doi.org/", "10.1/x"),
    *(Hostile(unit, "doi:10.1/x") for unit in ("(", "[(", ".", "hdl:")),
    *(Hostile(".", head) for head in ("10.1/x", "hdl:1.1/x", "https://doi.org/10.")),
    *(Nested("(", head) for head in ("", "doi:10.1/x", "10.1/x")),
    Nested("([{", "doi:10.1/x", closers="}])"),
    Nested("<1:", "doi:10.1/x", closers=">"),
)
"""The shapes that cost readers of names most, up to the greatest length."""

OTHERS = (
    # False starts of references, and references that never end.
    *map(Hostile, ("doi:", "hdl:1.1/", "doi:10.1/", "urn:hdl:", "info:hdl/")),
    *map(Hostile, ("doi: ", "doi: 10.1", "hdl:a", "hdl:1", "hdl:%", "hdl:jis@", "l:")),
    *map(Hostile, ("https://doi.org/", "https://doi.org/https://doi.org/10.1/x ")),
    *map(Hostile, ("http://x,", "http://", "https://a@doi.org/", "doi.org/10.")),
    *map(Hostile, ("http://" + "x" * 293 + " ", "http://" + "x" * 1000)),
    *map(Hostile, ("hdl.handle.net/1 ", "Hdl.Handle.Net/1", "hdl.handle.net/")),
    *map(Hostile, ("hdl://", "hdl://1.1.1.1/", "hdl://a:1/", "hdl://[::1]:1/a")),
    # References that end at once, in text without white space.
    # Openers that are never closed, labels, and damaged beginnings.
    *map(Hostile, ("doi:10.1/x(", "doi:10.1/x[(", "**DOI:**", "doi:doi:")),
    *map(Hostile, ("https:/doi.org/10.1/x(", "https://doi.org:10.1/x(", "@doi:10.1/x")),
    *map(Hostile, ("<doi:10.1/x", "<doi:10.1/x>", "doi:10.1/x)", "doi:10.1/x<")),
    *map(
        Hostile, ("doi:10.1/a<1:,", "doi.org/10.1/a<b,", "doi:10.1/x日", "hdl:1.1/x、")
    ),
    *map(Hostile, ('hdl:1.1/x"', "doi:10.1/x[^1]", "<hdl:1.1/a%zz", "<hdl:1.1/x ")),
    *map(Hostile, ("doi:10.1/é日", "doi:10.1/%zz ", "hdl:1.1/\ud800", "hdl:1.1/x\x00")),
    # Brackets.
    *map(Hostile, ("(", "()", "[", "{(<", "<", ">", "<1:", "<1:>", ")(")),
    *(Hostile(unit, "doi:10.1/x") for unit in (")", "[", "<", "<1:", "<1:>")),
    *(Hostile(unit, "<doi:10.1/x", ">") for unit in ("<", ">", "<>", "><", " ", "(")),
    # Trailing punctuation and emphasis.
    *(Hostile(unit, "hdl:1.1/x") for unit in (",;", "*", "_*", "~", ".*", "\u200b")),
    *map(Hostile, ("*", "_", "~", "*_", "*hdl:1.1/x* ", "_hdl:1.1/x_ *a ")),
    *map(Hostile, ("hdl:1.1/x_ ", "*a _b ~c ", "**hdl:1.1/x*", "hdl:1.1/x.*_.")),
    Hostile("*", "", "hdl:1.1/x"),
    Hostile("* ", "", "hdl:1.1/x*"),
    Hostile(" hdl:1.1/x*", "*"),
    # Escapes, charsets, segments, long prefixes.
    *(
        Hostile(unit, "hdl:10.1/")
        for unit in ("%", "%4", "%41", "%FF", "%E6%97", "%2F")
    ),
    *(Hostile(unit, "hdl:jis@a/") for unit in ("%1B$B", "%1B(B", "\x1b$B", "日", "%")),
    *(Hostile(unit, "hdl:gb18030@a/") for unit in ("%81", "%81%30", "%B1%B1")),
    *(
        Hostile(unit, "https://hdl.handle.net/a/")
        for unit in ("..%2F", "/", "../", "%2F")
    ),
    *(Hostile(unit, "", "a/b") for unit in ("a.", "10.", "a", "@", "1", "日", "org.")),
    *(Hostile(unit, "hdl:", "/b") for unit in ("a.", "1", "@", "%2E", "%61", "é")),
    *(Hostile(unit, "", "doi.org/x") for unit in ("a.", "x", "doi.org.")),
    *(Hostile(unit, "", ":a/b") for unit in ("1", "a", "0")),
    *(Hostile(unit, "https://doi.org/") for unit in ("1", "a", "1a", "%31", "/", "?")),
    *(Hostile(unit, "https://") for unit in ("a", "a.", "@", ":", "[")),
    # The mistakes that `diagnose` looks for.
    *(
        Hostile(unit, "10.1/")
        for unit in ("%2F", ";doi:10.1/x", " doi:", "<a", "<", ")")
    ),
    *(
        Hostile(unit, "10.1/")
        for unit in ("e\u0301", "\u200b", "\u202e", "／", "–", " ")
    ),
    *(Hostile(unit, "10.1/x") for unit in (").", "'", "(", "(.", "(a).")),
    Hostile("https://doi.org/10.1/x/", "https://doi.org/"),
    Hostile("/https://x.example", "https://doi.org/10.1/x"),
    # Tags of metadata.
    *map(Hostile, ("<i>", "</i>", "<i>a</i>", "<script>", "<a ", "<a b=", "<i><b>")),
    # Clusters of a role.
    *map(Hostile, ("10.1/x; ", "10.1/x, ", "; ", ", ", "see a/b ", "10.1/; ", ";\n")),
    # Names, titles and TeX.
    *map(
        Hostile,
        ("Ab", "Ab-", "Ab ", "a b ", "A.", "A. Ab, ", "{", "\\", '\\"{', "&amp;"),
    ),
    # White space, and text without references.
    *map(
        Hostile, (" ", "\u200b", "\n", "x", "日本", "a/b ", "10.1/x ", ": ", "/", "?#")
    ),
    Hostile(" ", "hdl:", "10.1/x"),
    Hostile("\u200b", "hdl:10.1/x"),
)
"""Other costly shapes, up to a lesser length by default."""


def _find(text: str) -> None:
    may_hold_reference(text, proxies=DEFAULT_PROXIES)
    for _ in find_references(text):
        pass


def _parse(text: str) -> None:
    try:
        reference = HandleReference.parse(text)
    except HandleSyntaxError as error:
        str(error)
    else:
        reference.uri()
        DEFAULT_PROXIES.link(reference)
        hash(reference)


def _parse_handle(text: str) -> None:
    try:
        handle = Handle.parse(text)
    except HandleSyntaxError as error:
        str(error)
    else:
        str(handle.prefix_chain[-1])
        DEFAULT_PROXIES.link(handle)


def _from_link(text: str) -> None:
    try:
        HandleReference.from_link(text, document_charset="shift_jis")
    except HandleSyntaxError as error:
        str(error)


def _diagnose(text: str) -> None:
    try:
        reference = HandleReference.parse(text)
    except HandleSyntaxError:
        return
    diagnose(reference)


def _read_role(text: str) -> None:
    for content in (text, f"[{text}]"):
        try:
            read_role(content, proxies=DEFAULT_PROXIES)
        except HandleSyntaxError as error:
            str(error)


def _read_runs(text: str) -> None:
    read_runs(text)


def _compare(text: str) -> None:
    written_reference(text)
    link_label(text)
    beside = TextBeside(TextKind.ENTRY, text, title=text, people=text, pages=text)
    differences(beside, {"title": text, "author": [{"family": text}]})


def _read_rst(text: str) -> None:
    read_references(Syntax.RST, text, Settings())


def _read_markdown(text: str) -> None:
    read_references(Syntax.MARKDOWN, text, Settings())


def _read_python_markdown(text: str) -> None:
    """Make a page as MkDocs does."""
    Markdown(extensions=["handle", *_PYTHON_MARKDOWN]).convert(text)


def _read_plain_python_markdown(text: str) -> None:
    Markdown(extensions=_PYTHON_MARKDOWN).convert(text)


def _read_python(text: str) -> None:
    read_references(Syntax.PYTHON, text, Settings())


def _read_bibtex(text: str) -> None:
    read_references(Syntax.BIBTEX, text, Settings())


_PYTHON_MARKDOWN = ("attr_list", "footnotes", "tables", "pymdownx.mark")


def _publish(text: str) -> None:
    """Read a page as plain docutils does, which looks lines up in its file."""
    with TemporaryDirectory() as folder:
        path = Path(folder, "page.rst")
        path.write_text(text)
        publish_doctree(
            text,
            source_path=str(path),
            parser=Parser(),
            settings_overrides={"report_level": 5},
        )


READERS: dict[str, Callable[[str], None]] = {
    "find_references": _find,
    "HandleReference.parse": _parse,
    "Handle.parse": _parse_handle,
    "from_link": _from_link,
    "diagnose": _diagnose,
    "read_role": _read_role,
    "read_runs": _read_runs,
    "differences": _compare,
}
DOCUMENT_READERS: dict[str, Callable[[str], None]] = {
    "hdl check, reStructuredText": _read_rst,
    "hdl check, Markdown": _read_markdown,
    "Python-Markdown": _read_python_markdown,
    "hdl check, Python": _read_python,
    "hdl check, BibTeX": _read_bibtex,
    "docutils": _publish,
}
OWN_READERS: dict[str, Callable[[str], None]] = {
    "Python-Markdown": _read_plain_python_markdown,
}
"""How libraries read without us."""

_RST_PAGES = (
    Hostile("   a, doi:10.1/x\n", ".. csv-table::\n\n"),
    Hostile("doi:10.1/x\n   ", "|a|\n\n.. |a| replace:: "),
    Hostile("| doi:10.1/x  |\n+-------------+\n", "+-------------+\n"),
    # Docutils itself takes quadratic time for equal names of links.
    Hostile("`a <https://e.org>`__ doi:10.1/x\n\n"),
    Hostile("- doi:10.1/x\n"),
    Hostile("__ doi:10.1/x\n"),
    # Blocks of much markup, and of many links.
    Hostile("*a* doi:10.1/x\n"),
    Hostile("*a* ", "", "doi:10.1/x"),
    # Text that docutils refuses: a table with a mistake, titles in lists.
    Hostile("| doi:10.1/x |\n", "+---+\n", "+---+\n"),
    Hostile("- doi:10.1/x\n  ==========\n"),
)
DOCUMENTS: dict[str, tuple[Hostile, ...]] = {
    "hdl check, reStructuredText": _RST_PAGES,
    "docutils": _RST_PAGES,
    # Python-Markdown itself takes quadratic time for brackets that never close, and for
    # links behind one another in a paragraph before its version 3.11.
    "Python-Markdown": (
        Hostile("doi:10.1/x\n\n"),
        *(
            Hostile(unit, own="<http://e.org> ")
            for unit in (
                *("doi:10.1/x ", "<doi:10.1/x> ", "doi:20.5/3 ", "[@doi:10.1/x] "),
                *("{doi}`10.1/x` ", "{doi}`x\n", "&#100;oi:10.1/x "),
                *("==a doi:10.1/x ", "<b x=1> doi:10.1/x ", "<!-- doi:10.1/x "),
                "[x](doi:10.1/x) ",
            )
        ),
        Hostile("doi:10.1/a\\_b ", own="a\\_b <http://e.org> "),
        Hostile("```{cite-version}\n", "doi:10.1/x\n"),
        Hostile("```{handle-references}\n", "doi:10.1/x\n"),
    ),
    "hdl check, Markdown": (
        Hostile(">>>>para\n\n    code\n\n", "doi:10.1/x\n\n"),
        Hostile("| doi:10.1/x |\n", "| a |\n| - |\n"),
        Hostile("- doi:10.1/x\n"),
        Hostile("[^1]: doi:10.1/x\n\n"),
        Hostile("[^1]: ", "", "doi:10.1/x"),
        Hostile("!!! note\n\n\tdoi:10.1/x\n\n"),
        Hostile("*a* [b](doi:10.1/x)\n"),
        Hostile("*a* ", "", "doi:10.1/x"),
    ),
    "hdl check, Python": (
        Hostile('"""doi:10.1/x"""\n'),
        Hostile("doi:10.1/x \\\n", '"""', '"""'),
        *(Hostile(unit, "'doi:10.1/x'\n") for unit in ('x = "a\n', "(", "'", '"')),
        Hostile("\\'", "'doi:10.1/x'\n'"),
    ),
    "hdl check, BibTeX": (
        Hostile("@a{b, title={c}, doi={10.1/x}}\n"),
        Hostile("x = {10.1/x} ", "@a{b, title={c}, ", "}"),
        *(
            Hostile(unit, "@a{b, doi={10.1/x}, ")
            for unit in ("{", '"', "a#", "a=", ",")
        ),
        Hostile("{", "@a{b, doi={10.1/x}, c = "),
        Hostile('{"', "@a{b, doi={10.1/x}, c = "),
        Hostile("a # ", "@a{b, doi={10.1/x}, c = "),
    ),
}
"""Pages that cost a reader of documents most."""


def seconds(read: Callable[[str], None], text: str, rounds: int) -> float:
    """The least processor time of a reading.

    Short readings are repeated until they can be measured.
    """
    times: list[float] = []
    while len(times) < rounds or (sum(times) < ENOUGH and len(times) < MOST):
        begin = process_time()
        read(text)
        times.append(process_time() - begin)
    return min(times)


@dataclass(frozen=True, slots=True)
class Growth:
    """How one reader's time grew over one kind of text."""

    reader: str
    text: Hostile
    lengths: tuple[int, ...]
    times: tuple[float, ...]

    def last(self, floor: float) -> float:
        """The growth of the last step; 0 if it ends below `floor` seconds a character."""
        if len(self.times) == 1 or self.times[-1] < floor * self.lengths[-1]:
            return 0.0
        return self.times[-1] / max(self.times[-2], 1e-9)

    def row(self, floor: float) -> str:
        """The growth, the text, and the milliseconds of each length."""
        last = self.last(floor)
        factor = f"{last:5.2f}x" if last else "  fast"
        steps = " ".join(f"{spent * 1000:8.2f}" for spent in self.times)
        return f"{factor} {self.text!s:42} {steps}  ms"


def measure(
    name: str, text: Hostile, lengths: Sequence[int], options: argparse.Namespace
) -> Growth:
    """Measure one reader over one kind of text.

    If the last step grows too much, the text is doubled once more: a jump, as where a
    text outgrows the processor's cache, does not go on.
    """
    read = (READERS | DOCUMENT_READERS)[name]
    growth = measure_at(name, read, text, lengths, options)
    if growth.last(options.floor / 1e9) > options.limit:
        growth = measure_at(name, read, text, (*lengths, 2 * lengths[-1]), options)
    return growth


def grows_too_much(growth: Growth, options: argparse.Namespace) -> bool:
    """Whether a reader's time grows more than it may; prints the library's own growth."""
    floor = options.floor / 1e9
    last = growth.last(floor)
    if last <= options.limit:
        return False
    if not growth.text.own:
        return True
    own = Hostile(growth.text.own)
    read = OWN_READERS[growth.reader]
    alone = measure_at(growth.reader, read, own, growth.lengths, options)
    print(f"{alone.row(floor)}, without us", flush=True)
    return last > alone.last(floor)


def measure_at(
    name: str,
    read: Callable[[str], None],
    text: Hostile,
    lengths: Sequence[int],
    options: argparse.Namespace,
) -> Growth:
    """Measure one reader over texts of these lengths.

    A measurement that grows too much is repeated, because other work may delay it.
    """
    times: tuple[float, ...] = (float("inf"),) * len(lengths)
    for turn in range(1 + options.again):
        more = (
            seconds(read, text.of(length), options.rounds + turn) for length in lengths
        )
        times = tuple(map(min, times, more))
        if name in DOCUMENT_READERS:
            # The trees of docutils are cycles, some gigabytes of them.
            gc.collect()
        growth = Growth(name, text, tuple(lengths), times)
        if growth.last(options.floor / 1e9) <= options.limit:
            break
    return growth


def keep_memory() -> bool:
    """Let glibc keep freed memory.  Return whether glibc is there.

    By default glibc returns large blocks to the system, from a size that it adapts at
    run time.  Each reading then pays for fresh pages, half as much as for its own
    work, from some step on: a jump that the reader did not cause.
    """
    try:
        mallopt = ctypes.CDLL(None).mallopt
    except (AttributeError, OSError, TypeError):
        return False
    options = {_MMAP_MAX: 0, _TRIM_THRESHOLD: 2**31 - 1, _TOP_PAD: 64 * 2**20}
    return all(mallopt(option, value) for option, value in options.items())


def doubled(first: int, last: int) -> tuple[int, ...]:
    """Doubled lengths in characters, from `first` to `last` kB."""
    lengths = [first * 1024]
    while lengths[-1] < last * 1024:
        lengths.append(2 * lengths[-1])
    return tuple(lengths)


def main() -> int:
    """Run from the command line."""
    parser = argparse.ArgumentParser(description="How time grows with hostile texts.")
    parser.add_argument("--from", dest="first", type=int, default=64, help="kB")
    parser.add_argument("--to", dest="last", type=int, default=4096, help="kB")
    parser.add_argument(
        "--others-to", type=int, default=512, help="kB, for all but the named shapes"
    )
    parser.add_argument(
        "--documents-to", type=int, default=256, help="kB, for pages of documents"
    )
    parser.add_argument("--rounds", type=int, default=1)
    parser.add_argument(
        "--again", type=int, default=5, help="measure what grew too much"
    )
    parser.add_argument("--limit", type=float, default=2.3)
    parser.add_argument(
        "--floor", type=float, default=2.0, help="nanoseconds a character"
    )
    names = [*READERS, *DOCUMENT_READERS]
    parser.add_argument("--only", choices=names, action="append")
    parser.add_argument("--group", choices=["named", "others"], action="append")
    parser.add_argument(
        "--fresh-memory", action="store_true", help="give it back between readings"
    )
    parser.add_argument("--all", action="store_true", help="show every row")
    options = parser.parse_args()
    floor = options.floor / 1e9
    groups = {
        "named": (NAMED, doubled(options.first, options.last), True),
        "others": (OTHERS, doubled(options.first, options.others_to), options.all),
    }
    # Findings of hostile text are made, and not printed.
    logging.getLogger().addHandler(logging.NullHandler())
    kept = not options.fresh_memory and keep_memory()
    print(f"memory is {'kept' if kept else 'given back'} between readings")
    gc.disable()
    begin = perf_counter()
    failed = 0
    for name in options.only or names:
        chosen = [groups[group] for group in options.group or groups]
        if name in DOCUMENTS:
            pages = doubled(options.first, options.documents_to)
            chosen = [(DOCUMENTS[name], pages, True)]
        for texts, lengths, shown in chosen:
            print(
                f"\n{name}: {len(texts)} kinds of text, "
                f"{options.first} kB to {lengths[-1] // 1024} kB",
                flush=True,
            )
            growths = []
            for text in texts:
                growth = measure(name, text, lengths, options)
                growths.append(growth)
                is_over = growth.last(floor) > options.limit
                if shown or is_over:
                    print(growth.row(floor), flush=True)
                failed += grows_too_much(growth, options)
            if not shown:
                growths.sort(key=lambda growth: growth.last(floor), reverse=True)
                print("most growth, and most time:")
                slowest = max(growths, key=lambda growth: growth.times[-1])
                for growth in (*growths[:3], slowest):
                    print(growth.row(floor), flush=True)
    verdict = "every last step is linear" if not failed else f"{failed} are not linear"
    print(
        f"\n{verdict}; {perf_counter() - begin:.0f} s, "
        f"{process_time():.0f} s of the processor's"
    )
    return 1 if failed else 0


if __name__ == "__main__":
    sys.exit(main())
