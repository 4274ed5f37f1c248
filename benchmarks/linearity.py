"""Time of reading grows with the text: hostile texts, doubled step by step.

    python benchmarks/linearity.py
    python benchmarks/linearity.py --from 64 --to 4096 --only find_references

Each text is a unit repeated, or one with a head and a tail, made to hurt: long
runs that could be walked again and again, brackets that never close, openers
that are looked behind, and things that look like the beginning of a reference
and are none.  For each length the processor's time is measured, again where it
seems to have grown too much (the least counts, so that other work on the
machine does not), and the largest growth of a step is shown; linear is 2.0,
quadratic 4.0.

The exit status is 1 if a step took more than `--limit` times the one before.
Steps that take less than `--floor` milliseconds are not judged: they are too
short to be measured.
"""

import argparse
import gc
import sys
from collections.abc import Callable
from dataclasses import dataclass
from time import process_time

from handle_system.diagnosis import diagnose
from handle_system.errors import HandleSyntaxError
from handle_system.handle import Handle
from handle_system.proxy import DEFAULT_PROXIES
from handle_system.reference import HandleReference
from handle_system.scan import find_references, may_hold_reference


@dataclass(frozen=True, slots=True)
class Hostile:
    """A text of any length: a unit repeated between a head and a tail."""

    unit: str
    head: str = ""
    tail: str = ""

    def of(self, length: int) -> str:
        """So many characters of it, or a few less."""
        times = (length - len(self.head) - len(self.tail)) // len(self.unit)
        return f"{self.head}{self.unit * times}{self.tail}"

    def __str__(self) -> str:
        parts = [ascii(part)[1:-1] for part in (self.head, self.unit, self.tail)]
        if len(parts[1]) > 24:
            parts[1] = f"{parts[1][:10]}…{parts[1][-10:]}"
        return f"{parts[0]}[{parts[1]}]{parts[2]}"


TEXTS = (
    # Beginnings of references that are none, or that never end.
    *map(Hostile, ("hdl:", "doi:", "hdl:1.1/", "doi:10.1/", "urn:hdl:", "info:hdl/")),
    *map(Hostile, ("doi: ", "doi: 10.1", "hdl:a", "hdl:1", "hdl:%", "hdl:jis@", "l:")),
    *map(Hostile, ("https://doi.org/", "https://doi.org/https://doi.org/10.1/x ")),
    *map(Hostile, ("http://x,", "http://", "https://a@doi.org/", "doi.org/10.")),
    *map(Hostile, ("http://" + "x" * 293 + " ", "http://" + "x" * 1000)),
    *map(Hostile, ("hdl.handle.net/1 ", "Hdl.Handle.Net/1", "hdl.handle.net/")),
    *map(Hostile, ("hdl://", "hdl://1.1.1.1/", "hdl://a:1/", "hdl://[::1]:1/a")),
    # References that end at once, in a text without white space.
    *map(Hostile, ("<doi:10.1/x", "<doi:10.1/x>", "doi:10.1/x)", "doi:10.1/x<")),
    *map(
        Hostile, ("doi:10.1/a<1:,", "doi.org/10.1/a<b,", "doi:10.1/x日", "hdl:1.1/x、")
    ),
    *map(Hostile, ('hdl:1.1/x"', "doi:10.1/x[^1]", "<hdl:1.1/a%zz", "<hdl:1.1/x ")),
    *map(Hostile, ("doi:10.1/é日", "doi:10.1/%zz ", "hdl:1.1/\ud800", "hdl:1.1/x\x00")),
    # Brackets.
    *map(Hostile, ("(", "((((", "()", "[", "{(<", "<", ">", "<1:", "<1:>", ")(")),
    *(
        Hostile(unit, "doi:10.1/x")
        for unit in ("(", ")", "[", "<", "<1:", "<1:>", "[(")
    ),
    *(Hostile(unit, "<doi:10.1/x", ">") for unit in ("<", ">", "<>", "><", " ", "(")),
    # Trailing punctuation and emphasis.
    *(
        Hostile(unit, "hdl:1.1/x")
        for unit in (".", ",;", "*", "_*", "~", ".*", "\u200b")
    ),
    *map(Hostile, (".", "*", "_", "~", "*_", "*hdl:1.1/x* ", "_hdl:1.1/x_ *a ")),
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
    # What `diagnose` looks for.
    *(
        Hostile(unit, "10.1/")
        for unit in ("%2F", ";doi:10.1/x", " doi:", "<a", "<", ")")
    ),
    *(
        Hostile(unit, "10.1/")
        for unit in ("e\u0301", "\u200b", "\u202e", "／", "–", " ")
    ),
    *(Hostile(unit, "10.1/x") for unit in (".", ").", "'", "(", "(.", "(a).")),
    Hostile("https://doi.org/10.1/x/", "https://doi.org/"),
    Hostile("/https://x.example", "https://doi.org/10.1/x"),
    # White space, and text of none of it all.
    *map(
        Hostile, (" ", "\u200b", "\n", "x", "日本", "a/b ", "10.1/x ", ": ", "/", "?#")
    ),
    Hostile(" ", "hdl:", "10.1/x"),
    Hostile("\u200b", "hdl:10.1/x"),
)


def _find(text: str) -> None:
    may_hold_reference(text)
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
    DEFAULT_PROXIES.match(text)


def _diagnose(text: str) -> None:
    try:
        reference = HandleReference.parse(text)
    except HandleSyntaxError:
        return
    diagnose(reference)


READERS: dict[str, Callable[[str], None]] = {
    "find_references": _find,
    "HandleReference.parse": _parse,
    "Handle.parse": _parse_handle,
    "from_link, match": _from_link,
    "diagnose": _diagnose,
}


def seconds(read: Callable[[str], None], text: str, rounds: int) -> float:
    """The least processor time that reading took."""
    best = float("inf")
    for _ in range(rounds):
        begin = process_time()
        read(text)
        best = min(best, process_time() - begin)
    return best


@dataclass(frozen=True, slots=True)
class Growth:
    """How the time of one reader grew over one kind of text."""

    reader: str
    text: Hostile
    times: tuple[float, ...]

    def largest(self, floor: float) -> float:
        """The largest factor between two steps that could be measured."""
        return max(
            (
                second / first
                for first, second in zip(self.times, self.times[1:], strict=False)
                if second >= floor
            ),
            default=0.0,
        )


def measure(
    name: str, text: Hostile, lengths: list[int], rounds: int, patience: float
) -> Growth:
    """Measure one reader over one kind of text, as long as it is bearable."""
    times: list[float] = []
    for length in lengths:
        written = text.of(length)
        spent = seconds(READERS[name], written, rounds)
        times.append(spent)
        if spent > patience:
            break
    return Growth(name, text, tuple(times))


def remeasured(
    growth: Growth, lengths: list[int], options: argparse.Namespace
) -> Growth:
    """Again and again while it seems too much: a hiccup of the machine is no growth."""
    for _ in range(options.again):
        if growth.largest(options.floor / 1000) <= options.limit:
            break
        again = measure(
            growth.reader, growth.text, lengths, options.rounds + 1, options.patience
        )
        times = tuple(map(min, growth.times, again.times))
        growth = Growth(growth.reader, growth.text, times)
    return growth


def main() -> int:
    """Run from the command line."""
    parser = argparse.ArgumentParser(description="How time grows with hostile texts.")
    parser.add_argument("--from", dest="first", type=int, default=64, help="kB")
    parser.add_argument("--to", dest="last", type=int, default=4096, help="kB")
    parser.add_argument("--rounds", type=int, default=1)
    parser.add_argument(
        "--again", type=int, default=5, help="measure what grew too much"
    )
    parser.add_argument("--limit", type=float, default=2.3)
    parser.add_argument("--floor", type=float, default=5.0, help="milliseconds")
    parser.add_argument("--patience", type=float, default=20.0, help="seconds")
    parser.add_argument("--only", choices=list(READERS), action="append")
    parser.add_argument("--all", action="store_true", help="show every row")
    options = parser.parse_args()
    lengths = [options.first * 1024]
    while lengths[-1] < options.last * 1024:
        lengths.append(2 * lengths[-1])
    gc.disable()
    failed = 0
    print(f"{options.first} kB to {options.last} kB, {len(TEXTS)} kinds of text")
    for name in options.only or READERS:
        growths = [
            remeasured(
                measure(name, text, lengths, options.rounds, options.patience),
                lengths,
                options,
            )
            for text in TEXTS
        ]
        floor = options.floor / 1000
        growths.sort(key=lambda growth: growth.largest(floor), reverse=True)
        over = [growth for growth in growths if growth.largest(floor) > options.limit]
        failed += len(over)
        slowest = max(growths, key=lambda growth: growth.times[-1])
        print(
            f"\n{name}: {len(over)} over {options.limit}x a step; slowest "
            f"{slowest.times[-1] * 1000:.0f} ms, {slowest.text}"
        )
        for growth in growths if options.all else growths[: max(3, len(over))]:
            steps = " ".join(f"{spent * 1000:8.1f}" for spent in growth.times)
            print(f"{growth.largest(floor):5.2f}x {growth.text!s:42} {steps}  ms")
    print(f"\n{'every step is linear' if not failed else f'{failed} are not linear'}")
    return 1 if failed else 0


if __name__ == "__main__":
    sys.exit(main())
