"""Fuzz the reading of names: seeded, aware of the grammar, and checked by laws.

    python -m trials.fuzz.names --inputs 1000000 --seed 20261120

Each input is a reference, or a few of them in prose, mutated: pieces of the
grammar put in, taken out, doubled, re-encoded, and single characters changed.
What comes out of it is held to the laws of names (see `check`); the first input
that breaks one ends the run and is shown.
"""

import argparse
import random
import sys
from collections import Counter
from collections.abc import Callable, Iterator
from time import perf_counter

from handle_system.diagnostics import diagnose
from handle_system.errors import HandleSyntaxError, showable
from handle_system.handle import Handle
from handle_system.proxies import DEFAULT_PROXIES, Proxies
from handle_system.reference import HandleReference
from handle_system.scanning import find_references, may_hold_reference
from tests.strategies import PIECES, TELLING_HANDLES

DEFAULT_SEED = 20261120

_SCHEMES = (
    *("", "hdl:", "HDL:", "hdl:/", "hdl://", "hdl:///", "doi:", "DOI: ", "info:hdl/"),
    *("info:doi/", "urn:hdl:", "urn:doi:", "https://doi.org/", "http://dx.doi.org/"),
    *("https://hdl.handle.net/", "http://resolver.net.au/hdl/", "doi.org/", "300:"),
    *("hdl://190.12.34.56/", "hdl://[::1]:2641/", "hdl:300:", "hdl:jis@", "//doi.org/"),
    *("https://doi.org/https://doi.org/", "https://hdl.handle.net/hdl:"),
    *("https://example.org/", "https://handle.example.org/x/"),
)
_WORDS = (
    "See ",
    " and ",
    "(",
    ") ",
    "\n",
    ", ",
    ". ",
    "*",
    "_",
    "<",
    "> ",
    "、",
    "[^1]",
)
_CHARSETS = (None, None, "utf-8", "latin1", "shift_jis", "iso-2022-jp", "no-such")
_PROXIES = (
    DEFAULT_PROXIES,
    Proxies(
        {
            "10": "https://hdl.handle.net/",
            "20.1000": "http://handle.example.org:8000/x",
        },
        also=["https://doi.org", "https://handle.example.org/x/y/"],
    ),
)

# A proxy's own first path segments: no handle's link comes back from there.
_OWN_SEGMENTS = {"api", "doira", "ra", "static", "images", "css", "js", "favicon.ico"}


def inputs(seed: int, count: int) -> Iterator[tuple[str, random.Random]]:
    """Texts to try, each with a generator of its own for what else is chosen."""
    source = random.Random(seed)
    for _ in range(count):
        rng = random.Random(source.getrandbits(64))
        text = "".join(_reference(rng) for _ in range(rng.choice((1, 1, 1, 2, 3))))
        for _ in range(rng.choice((0, 1, 1, 2, 4, 8))):
            text = rng.choice(_MUTATIONS)(text, rng)
        yield text, rng


def _reference(rng: random.Random) -> str:
    text = rng.choice(TELLING_HANDLES)
    if rng.random() < 0.5:
        text = _escape_some(text, rng)
    text = rng.choice(_SCHEMES) + text
    if rng.random() < 0.2:
        text += rng.choice(("?noredirect", "#s2", "?a=%3B#b", "?", "#"))
    if rng.random() < 0.3:
        text = rng.choice(_WORDS) + text + rng.choice(_WORDS)
    return text


def _escape_some(text: str, rng: random.Random) -> str:
    return "".join(
        "".join(f"%{octet:02X}" for octet in character.encode())
        if rng.random() < 0.3
        else character
        for character in text
    )


def _put_in(text: str, rng: random.Random) -> str:
    place = rng.randint(0, len(text))
    return text[:place] + rng.choice(PIECES) + text[place:]


def _take_out(text: str, rng: random.Random) -> str:
    start = rng.randint(0, len(text))
    return text[:start] + text[start + rng.randint(1, 4) :]


def _change_one(text: str, rng: random.Random) -> str:
    if not text:
        return text
    place = rng.randrange(len(text))
    code = rng.choice(
        (rng.randrange(0x80), rng.randrange(0x3100), rng.randrange(0x110000))
    )
    return text[:place] + chr(code) + text[place + 1 :]


def _double_part(text: str, rng: random.Random) -> str:
    start = rng.randint(0, len(text))
    end = min(len(text), start + rng.randint(1, 20))
    return text[:end] + text[start:end] * rng.choice((1, 1, 2, 50)) + text[end:]


def _swap_case(text: str, rng: random.Random) -> str:
    place = rng.randint(0, len(text))
    return text[:place].swapcase() + text[place:]


def _splice(text: str, rng: random.Random) -> str:
    return text[: rng.randint(0, len(text))] + _reference(rng)


_MUTATIONS: tuple[Callable[[str, random.Random], str], ...] = (
    *(_put_in, _put_in, _take_out, _change_one, _change_one),
    *(_double_part, _swap_case, _splice),
)


def check(text: str, rng: random.Random) -> str:
    """Hold the laws of names to one text; what came of it, in a word.

    Raises:
        AssertionError: when a law is broken. Anything else that is raised breaks
            the first of them: reading raises `HandleSyntaxError` and nothing else.
    """
    proxies = rng.choice(_PROXIES)
    _check_text(text, proxies)
    charset = rng.choice(_CHARSETS)
    try:
        reference = HandleReference.parse(
            text, document_charset=charset, proxies=proxies
        )
    except HandleSyntaxError as error:
        _check_error(error, text)
        _check_suggestion(error, proxies, charset)
        return "refused"
    _check_reference(reference, proxies)
    return str(reference.form)


def _check_error(error: HandleSyntaxError, text: str) -> None:
    start, end = error.span
    assert error.source == text, "the error is about the text"
    assert 0 <= start <= end <= len(text), "the span lies in the text"
    lines = str(error).split("\n")
    assert all(showable(line) == line for line in lines), "the message is showable"
    assert len(str(error)) < 3_000, "the message is one to read"


def _check_suggestion(
    error: HandleSyntaxError, proxies: Proxies, charset: str | None
) -> None:
    if error.suggestion is not None:
        assert error.suggestion != error.source, "a suggestion changes something"
        HandleReference.parse(
            error.suggestion, document_charset=charset, proxies=proxies
        )


def _check_reference(reference: HandleReference, proxies: Proxies) -> None:
    handle = reference.handle
    assert Handle(handle.prefix, handle.suffix) == handle, "the handle is valid"
    uri = reference.uri()
    again = HandleReference.parse(uri, proxies=proxies)
    assert again == reference, "its URI gives the same reference"
    assert str(again.handle) == str(handle), "... in the same spelling"
    assert again.uri() == uri, "a URI is canonical"
    link = proxies.link(reference)
    assert link.isascii(), "a link is ASCII"
    assert link.isprintable(), "a link holds no control"
    assert " " not in link, "a link holds no space"
    own = _OWN_SEGMENTS | {
        base.split("/")[3].casefold()
        for base in (*proxies.bases.values(), *proxies.also)
    }
    if handle.prefix.casefold() not in own:
        back = HandleReference.from_link(link, proxies=proxies)
        assert back is not None, "a link is read back"
        assert str(back.handle) == str(handle), "... to its handle"
        assert back.query == reference.query, "... with its query"
        assert back.fragment == reference.fragment, "... with its fragment"
        assert proxies.link(back) == link, "a link is canonical"
    for finding in diagnose(reference):
        assert showable(finding.message) == finding.message, "findings are showable"
        if finding.suggestion is not None:
            HandleReference.parse(finding.suggestion)


def _check_text(text: str, proxies: Proxies) -> None:
    last = 0
    for found in find_references(text, proxies=proxies):
        assert last <= found.start < found.end <= len(text), "spans are in order"
        last = found.end
        written = text[found.start : found.end]
        read = HandleReference.parse(written, proxies=proxies)
        assert read == found.reference, "what is found is what is read"
        assert found.reference.source.endswith(written), "... and says where from"
        assert found.reference.form == read.form, "... and in which form"
    if last:
        assert may_hold_reference(text, proxies=proxies), "the cheap test agrees"


def run(seed: int, count: int) -> Counter[str]:
    """Check so many inputs; how often each form came out.

    Raises:
        AssertionError: for the first that breaks a law, with the input.
    """
    outcomes: Counter[str] = Counter()
    for number, (text, rng) in enumerate(inputs(seed, count)):
        try:
            outcomes[check(text, rng)] += 1
        except Exception as error:
            raise AssertionError(
                f"input {number} of seed {seed}: {text!a}: "
                f"{type(error).__name__}: {error}"
            ) from error
    return outcomes


def main() -> int:
    """Run from the command line."""
    parser = argparse.ArgumentParser(description="Fuzz the reading of names.")
    parser.add_argument("--inputs", type=int, default=100_000)
    parser.add_argument("--seed", type=int, default=DEFAULT_SEED)
    options = parser.parse_args()
    begin = perf_counter()
    outcomes = run(options.seed, options.inputs)
    seconds = perf_counter() - begin
    print(
        f"{options.inputs:,} inputs, seed {options.seed}, {seconds:.0f} s, no failure"
    )
    for outcome, count in outcomes.most_common():
        print(f"{outcome:10}{count:12,}")
    return 0


if __name__ == "__main__":
    sys.exit(main())
