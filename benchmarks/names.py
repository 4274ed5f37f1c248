"""Compare parsing and finding names with the libraries in use today.

    python benchmarks/names.py
    HANDLE_TEST_DATA=…/data python benchmarks/names.py --rounds 9
    python benchmarks/names.py --only reading --references dois.txt
    python benchmarks/names.py --only reading --show-wrong

There are three parts:

`reading`
    From a reference's text to its link: `HandleReference.parse` and
    `Proxies.link`, beside the whole path of idutils (`detect_identifier_schemes`,
    `normalize_pid`, `to_url`).  It also counts wrong links.
`finding`
    `find_references` over prose with one reference in a thousand characters,
    beside the `match` of linkify-it-py, which finds URLs only.
`prose`
    `find_references` over prose without references, beside `str.count(":")`, the
    lower bound for any search.

`--references` names a file of identifiers, one a line.  Without it, the collected
vectors in the folder `HANDLE_TEST_DATA` are used, which are difficult by choice;
without these, identifiers invented from a seed, in the forms that 39 public
documentation repositories use, and as often.  `urllib` alone computes the expected
link of a file's line.  The prose has a seed, too.

`pip install --group bench` installs the other libraries.

Rounds alternate, each ratio is taken inside a round from processor time, and the
median of the rounds is shown with the least and the greatest: read the ratios,
not the seconds.  The exit status is 1 if a goal is missed or one of our links is
wrong.
"""

import argparse
import gc
import json
import os
import random
import re
import statistics
import sys
from collections import Counter
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from pathlib import Path
from time import process_time
from urllib.parse import quote, unquote, urlsplit

import idutils
from linkify_it import LinkifyIt

from handle_system.errors import HandleSyntaxError
from handle_system.handle import Handle
from handle_system.proxies import DEFAULT_PROXIES
from handle_system.reference import HandleReference
from handle_system.scanning import find_references

DEFAULT_SEED = 20261120

# Goals: speed relative to idutils and linkify-it-py; time relative to `str.count`.
IDUTILS_GOAL = 4.2
LINKIFY_GOAL = 28.0
COUNT_GOAL = 20.0

# The written forms of references, with their counts among 2,600.
FORMS = (
    ("https://doi.org/{url}", 987),
    ("{bare}", 574),
    ("doi:{uri}", 493),
    ("doi: {uri}", 240),
    ("http://doi.org/{url}", 90),
    ("http://dx.doi.org/{url}", 64),
    ("https://dx.doi.org/{url}", 13),
    ("doi.org/{url}", 6),
    ("https://www.doi.org/{url}", 3),
    ("DOI:{uri}", 2),
)
HANDLE_FORMS = (
    ("http://hdl.handle.net/{url}", 66),
    ("https://hdl.handle.net/{url}", 22),
    ("hdl:{uri}", 8),
    ("{bare}", 8),
    ("hdl.handle.net/{url}", 2),
    ("info:hdl/{uri}", 1),
    ("hdl:/{uri}", 1),
)
_ONE_HANDLE_IN = 24

# RFC 3986: the characters of a URL.
_URL = re.compile(r"(?:[A-Za-z0-9\-._~:/?#@!$&'()*+,;=\[\]]|%[0-9A-Fa-f]{2})+")

_PROXY = re.compile(
    r"https?://(?:(?:dx\.|www\.)?doi\.org|hdl\.handle\.net)/", re.IGNORECASE
)
_TAIL = re.compile("([^?#]*)(.*)", re.DOTALL)

_WORDS = [
    "the",
    "of",
    "and",
    "a",
    "to",
    "in",
    "is",
    "that",
    "it",
    "as",
    "for",
    "was",
    "with",
    "be",
    "by",
    "on",
    "not",
    "he",
    "his",
    "but",
    "at",
    "are",
    "this",
    "have",
    "from",
    "or",
    "one",
    "had",
    "which",
    "their",
    "archive",
    "record",
    "version",
    "document",
    "identifier",
    "name",
    "persistent",
    "library",
    "reference",
    "collection",
    "repository",
    "research",
    "data",
    "citation",
    "author",
    "published",
    "resolve",
    "system",
    "between",
    "within",
    "through",
    "because",
    "several",
    "however",
    "example",
    "and/or",
    "see",
    "also",
    "figure",
    "table",
    "chapter",
    "section",
    "measured",
    "values",
    "observed",
    "results",
]


@dataclass(frozen=True, slots=True)
class Row:
    """A written reference, its expected handle and link."""

    text: str
    handle: Handle
    link: str


def collected_rows(folder: Path) -> list[Row]:
    """The valid references among the collected vectors, unchanged."""
    rows = []
    for line in (folder / "peer.jsonl").read_text(encoding="ascii").splitlines():
        vector = json.loads(line)
        expected = vector["expected"]
        if (
            vector["mode"] == "exact"
            and vector["firmness"] != "open"
            and expected["verdict"] == "valid"
        ):
            handle = Handle(*expected["handle"].split("/", maxsplit=1))
            rows.append(Row(vector["input"], handle, expected["url"]))
    return rows


def listed_rows(path: Path, count: int) -> list[Row]:
    """The first `count` references of a file that have a handle.

    A line is a bare handle, or a URL at doi.org or hdl.handle.net whose query and
    fragment are valid in a URL.  The proxies' own pages and shortDOIs are left out.
    """
    rows = []
    for line in path.read_text(encoding="utf-8").splitlines():
        found = _PROXY.match(line)
        text, tail = line, ""
        if found is not None:
            text, tail = _TAIL.fullmatch(line[found.end() :]).groups()  # type: ignore[union-attr]  # matches any text
            text = unquote(text)
        prefix, slash, suffix = text.partition("/")
        if not prefix.startswith(tuple("0123456789")) or not slash or not suffix:
            continue
        base = "https://hdl.handle.net/"
        if prefix == "10" or prefix.startswith("10."):
            base = "https://doi.org/"
        link = f"{base}{quote(text, safe='-._~:@/!$()*,;=')}{tail}"
        rows.append(Row(line, Handle(prefix, suffix), link))
    return rows[:count]


def invented_rows(seed: int, count: int) -> list[Row]:
    """References to invented identifiers in the shapes that publishers use."""
    rng = random.Random(seed)
    rows = []
    for number in range(count):
        is_doi = number % _ONE_HANDLE_IN > 0
        text = rng.choice(_DOI_SHAPES if is_doi else _HANDLE_SHAPES)(rng)
        handle = Handle(*text.split("/", maxsplit=1))
        forms = FORMS if is_doi else HANDLE_FORMS
        (form,) = rng.choices(
            [form for form, _ in forms], [often for _, often in forms]
        )
        link = DEFAULT_PROXIES.link(handle)
        path = link.split("/", maxsplit=3)[3]
        rows.append(Row(form.format(url=path, uri=path, bare=text), handle, link))
    rng.shuffle(rows)
    return rows


_DOI_SHAPES: Sequence[Callable[[random.Random], str]] = (
    lambda rng: f"10.5281/zenodo.{rng.randrange(10**7)}",
    lambda rng: (
        f"10.1016/j.{_letters(rng, 6)}.20{rng.randrange(10, 26)}.{_digits(rng, 6)}"
    ),
    lambda rng: (
        f"10.1016/S{_digits(rng, 4)}-{_digits(rng, 4)}({_digits(rng, 2)}){_digits(rng, 5)}-{_digits(rng, 1)}"
    ),
    lambda rng: (
        f"10.1038/s{_digits(rng, 5)}-0{_digits(rng, 2)}-{_digits(rng, 5)}-{_digits(rng, 1)}"
    ),
    lambda rng: f"10.1371/journal.p{_letters(rng, 3)}.{_digits(rng, 7)}",
    lambda rng: (
        f"10.1007/978-3-{_digits(rng, 3)}-{_digits(rng, 5)}-{_digits(rng, 1)}_{_digits(rng, 2)}"
    ),
    lambda rng: (
        f"10.1109/{_letters(rng, 4).upper()}.20{_digits(rng, 2)}.{_digits(rng, 7)}"
    ),
    lambda rng: f"10.1145/{_digits(rng, 7)}.{_digits(rng, 7)}",
    lambda rng: f"10.21105/joss.{_digits(rng, 5)}",
    lambda rng: (
        f"10.1002/(SICI){_digits(rng, 4)}-{_digits(rng, 4)}({_digits(rng, 6)})"
        f"{_digits(rng, 2)}:{_digits(rng, 1)}<{_digits(rng, 3)}::AID-"
        f"{_letters(rng, 4).upper()}{_digits(rng, 1)}>3.0.CO;2-{_letters(rng, 1).upper()}"
    ),
)
_HANDLE_SHAPES: Sequence[Callable[[random.Random], str]] = (
    lambda rng: f"{_digits(rng, 5)}/{_digits(rng, 4)}",
    lambda rng: f"20.500.{_digits(rng, 5)}/{_digits(rng, 5)}",
    lambda rng: f"21.T11{_digits(rng, 3)}/{rng.getrandbits(80):020x}",
    lambda rng: (
        f"11858/00-001M-0000-00{rng.getrandbits(8):02X}-{rng.getrandbits(16):04X}-{_digits(rng, 1)}"
    ),
    lambda rng: f"2027/uc1:b{_digits(rng, 6)}",
)


def _digits(rng: random.Random, count: int) -> str:
    return "".join(rng.choices("0123456789", k=count))


def _letters(rng: random.Random, count: int) -> str:
    return "".join(rng.choices("abcdefghijklmnopqrstuvwxyz", k=count))


def prose(seed: int, length: int, references: Sequence[str] = ()) -> tuple[str, int]:
    """Prose of about `length` characters, one colon in 500, and its reference count.

    Each thousand characters hold one of the references, if there are any.
    """
    rng = random.Random(seed)
    pieces: list[str] = []
    size, colon, reference, sentence = 0, 500, 500, 0
    count = 0
    while size < length:
        word = rng.choice(_WORDS)
        if references and size >= reference:
            word = f"({rng.choice(references)})"
            reference += 1000
            count += 1
        sentence += 1
        if size >= colon:
            word += ":"
            colon += 500
        elif sentence > 12 and rng.random() < 0.2:
            word += rng.choice((".", ".", ".", "?", ".\n"))
            sentence = 0
        elif rng.random() < 0.08:
            word += ","
        pieces.append(word)
        size += len(word) + 1
    return " ".join(pieces), count


# From text to link, with each library.


def ours(text: str) -> str | None:
    """The link, or None."""
    try:
        return DEFAULT_PROXIES.link(HandleReference.parse(text))
    except HandleSyntaxError:
        return None


def idutils_path(text: str) -> str | None:
    """The whole path of idutils from text to link, as its users write it."""
    schemes = idutils.detect_identifier_schemes(text)
    for scheme in ("doi", "handle"):
        if scheme in schemes:
            normalized = idutils.normalize_pid(text, scheme)
            url: str = idutils.to_url(normalized, scheme, url_scheme="https")
            return url or None
    return None


def judged(row: Row, link: str | None) -> str:
    """The verdict on a link: right, equivalent, or how it is wrong."""
    if link == row.link:
        return "right"
    if link is None:
        return "none"
    if _URL.fullmatch(link) is None:
        return "no URL"
    parts, wanted = urlsplit(link), urlsplit(row.link)
    if unquote(parts.path) != unquote(wanted.path) or parts[3:] != wanted[3:]:
        return "another handle"
    return "same, otherwise" if parts.netloc == wanted.netloc else "another proxy"


@dataclass(frozen=True, slots=True)
class Ratio:
    """Median seconds of two contenders, and the ratios of all rounds."""

    one: float
    other: float
    ratios: tuple[float, ...]

    @property
    def median(self) -> float:
        """The median of the ratios, each taken inside a round."""
        return statistics.median(self.ratios)

    def __str__(self) -> str:
        return f"{self.median:.1f} ({min(self.ratios):.1f} to {max(self.ratios):.1f})"


def compared(
    one: Callable[[], object],
    other: Callable[[], object],
    rounds: int,
    scale: float = 1,
) -> Ratio:
    """The ratio of the time of `one` to the scaled time of `other`."""
    ones, others = [], []
    for _ in range(rounds):
        ones.append(_seconds(one))
        others.append(_seconds(other) * scale)
    ratios = tuple(first / second for first, second in zip(ones, others, strict=True))
    return Ratio(statistics.median(ones), statistics.median(others), ratios)


def _seconds(work: Callable[[], object]) -> float:
    begin = process_time()
    work()
    return process_time() - begin


def _repeated(work: Callable[[], object], times: int) -> Callable[[], None]:
    def repeated() -> None:
        for _ in range(times):
            work()

    return repeated


def reading(options: argparse.Namespace) -> bool:
    """Measure from text to link."""
    data = os.environ.get("HANDLE_TEST_DATA")
    if options.references:
        rows = listed_rows(options.references, options.identifiers)
        whence = f"{len(set(rows)):,} different ones of {options.references.name}"
    elif data:
        distinct = collected_rows(Path(data))
        whence = f"{len(distinct)} collected, repeated"
        repeats = -(-options.identifiers // len(distinct))
        rows = (distinct * repeats)[: options.identifiers]
    else:
        rows = invented_rows(options.seed, options.identifiers)
        whence = f"invented, seed {options.seed}"
    texts = [row.text for row in rows]
    ratio = compared(
        lambda: [idutils_path(text) for text in texts],
        lambda: [ours(text) for text in texts],
        options.rounds,
    )
    print(f"\nreading: text to link, {len(rows):,} identifiers ({whence})")
    answers = {"ours": ours, "idutils": idutils_path}
    verdicts = {
        name: Counter(judged(row, answer(row.text)) for row in rows)
        for name, answer in answers.items()
    }
    columns = sorted(set().union(*verdicts.values()) | {"right"})
    print(f"{'':10}{'µs each':>10}" + "".join(f"{name:>16}" for name in columns))
    for name, spent in (("ours", ratio.other), ("idutils", ratio.one)):
        counts = "".join(f"{verdicts[name][column]:>16,}" for column in columns)
        print(f"{name:10}{spent / len(rows) * 1e6:>10.2f}{counts}")
    if options.show_wrong:
        _show_wrong(rows)
    return _goal("times faster than idutils", ratio, at_least=IDUTILS_GOAL) and (
        verdicts["ours"].total() == verdicts["ours"]["right"]
    )


def _show_wrong(rows: Sequence[Row]) -> None:
    for row in dict.fromkeys(rows):
        for name, answer in (
            ("ours", ours(row.text)),
            ("idutils", idutils_path(row.text)),
        ):
            verdict = judged(row, answer)
            if verdict != "right":
                print(f"  {name:8} {verdict:15} {row.text!a} -> {answer!a}")


def finding(options: argparse.Namespace) -> bool:
    """Measure finding references in prose."""
    rows = invented_rows(options.seed, 1000)
    references = [row.text for row in rows if row.text[0] not in "0123456789"]
    length = options.megabytes * 10**6
    text, count = prose(options.seed, length, references)
    part = text[: length // options.linkify_part]
    linkify = LinkifyIt()
    ratio = compared(
        lambda: linkify.match(part),
        lambda: list(find_references(text)),
        options.rounds,
        scale=len(part) / len(text),
    )
    found = [text[one.start : one.end] for one in find_references(text)]
    whole = dict.fromkeys(references, True)
    matched = [match.text for match in linkify.match(part) or ()]
    print(
        f"\nfinding: {len(text) / 1e6:.1f} MB of prose, {count:,} references "
        f"(seed {options.seed}); linkify-it-py on {len(part) / 1e6:.1f} MB, "
        "our time scaled to that"
    )
    print(f"{'':10}{'ms a MB':>10}{'found':>10}{'whole':>10}{'there':>10}")
    for name, spent, texts, there in (
        ("ours", ratio.other, found, count),
        ("linkify", ratio.one, matched, part.count("(")),
    ):
        right = sum(whole.get(one, False) for one in texts)
        each = spent / len(part) * 1e9
        print(f"{name:10}{each:>10.2f}{len(texts):>10,}{right:>10,}{there:>10,}")
    is_right = all(whole.get(one, False) for one in found) and len(found) == count
    met = _goal("times faster than linkify-it-py", ratio, at_least=LINKIFY_GOAL)
    return met and is_right


def without(options: argparse.Namespace) -> bool:
    """Measure prose without references."""
    text, _ = prose(options.seed, options.megabytes * 10**6)
    times = 20
    ratio = compared(
        lambda: list(find_references(text)),
        _repeated(lambda: text.count(":"), times),
        options.rounds,
        scale=1 / times,
    )
    print(
        f"\nprose: {len(text) / 1e6:.1f} MB without a reference (seed {options.seed}), "
        f"{text.count(':'):,} colons, {text.count('/'):,} slashes"
    )
    print(f"{'find_references':18}{ratio.one / len(text) * 1e9:>10.2f} ms a MB")
    print(f"{'str.count':18}{ratio.other / len(text) * 1e9:>10.2f} ms a MB")
    return _goal("times str.count", ratio, at_most=COUNT_GOAL)


def _goal(
    words: str,
    ratio: Ratio,
    *,
    at_least: float = 0.0,
    at_most: float = float("inf"),
) -> bool:
    met = at_least <= ratio.median <= at_most
    goal = f"at least {at_least:g}" if at_least else f"at most {at_most:g}"
    print(f"{ratio} {words}; goal: {goal}{'' if met else '  MISSED'}")
    return met


PARTS: dict[str, Callable[[argparse.Namespace], bool]] = {
    "reading": reading,
    "finding": finding,
    "prose": without,
}


def main() -> int:
    """Run from the command line."""
    parser = argparse.ArgumentParser(description="Names, beside other libraries.")
    parser.add_argument("--only", choices=list(PARTS), action="append")
    parser.add_argument("--rounds", type=int, default=7)
    parser.add_argument("--seed", type=int, default=DEFAULT_SEED)
    parser.add_argument("--identifiers", type=int, default=10_000)
    parser.add_argument("--references", type=Path, metavar="FILE", help="one a line")
    parser.add_argument("--megabytes", type=int, default=10)
    parser.add_argument(
        "--linkify-part", type=int, default=10, help="one in so many of the prose"
    )
    parser.add_argument("--show-wrong", action="store_true")
    parser.add_argument("--no-goals", action="store_true", help="exit with 0 always")
    options = parser.parse_args()
    gc.disable()
    print(
        f"Python {sys.version.split()[0]}, idutils {idutils.__version__}, "
        f"medians of {options.rounds} alternating rounds (least to greatest)"
    )
    results = [PARTS[name](options) for name in options.only or PARTS]
    return 0 if all(results) or options.no_goals else 1


if __name__ == "__main__":
    sys.exit(main())
