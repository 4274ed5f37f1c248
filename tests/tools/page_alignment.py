"""Two readings of one page side by side: which of their atoms stand for each other.

Where the two part, that is allowed only inside a link of an identifier: there the first
page may have markup and typography which the second has not (`doi:10.1000/_abc_` with
emphasis, `a–b` for `a--b`), and only such as comes of reading an identifier as prose, or
a backslash of TeX, which a bibliography takes for one of the identifier's characters.
Everything else is a difference.
"""

from collections.abc import Iterator
from dataclasses import dataclass

from tests.tools.page_reading import Page, PageLink

__all__ = ["TEX_SPECIAL", "Span", "align", "translated"]

#: What typography makes of what an author typed.
_TYPOGRAPHY = {
    "–": ("--",),
    "—": ("---", "--"),
    "…": ("...",),
    "‘": ("'",),
    "’": ("'",),
    "“": ('"', "&quot;"),
    "”": ('"', "&quot;"),
    "©": ("(c)", "(C)"),
    "®": ("(r)", "(R)"),
    "™": ("(tm)", "(TM)"),
    "±": ("+-",),
}
_PROSE_TAGS = ("<em", "</em", "<strong", "</strong", "<a ", "</a", "<span", "</span")
# What TeX escapes.
TEX_SPECIAL = "_%#&$~{}"
_EMPHASIS_TAGS = ("<em", "<strong")
# How many atoms must agree again, and how far away, for two pages to be in step.
_STEADY = 24
_REACH = 4000
_CONTEXT = 60


@dataclass(frozen=True, slots=True)
class Span:
    """Atoms of the second page, and where those of the first stand for them."""

    after: tuple[int, int]
    before: tuple[int, int]


def align(before: Page, after: Page, differences: list[str]) -> Iterator[Span]:
    """Spans that correspond; what does not is added to the differences."""
    first, second = before.atoms, after.atoms
    starts = {link.start: link for link in after.links}
    inside: tuple[int, int, PageLink] | None = None
    i = j = run_i = run_j = 0
    while i < len(first) or j < len(second):
        if j in starts and (inside is None or j >= inside[2].end):
            inside = (i, j, starts[j])
        if i < len(first) and j < len(second) and first[i] == second[j]:
            i += 1
            j += 1
            continue
        if inside is not None and (j < inside[2].end or j == inside[1]):
            begin_i, begin_j, link = inside
            end_i = _end_in_prose(first, begin_i, second[begin_j : link.end])
            if end_i is not None:
                yield Span((run_j, begin_j), (run_i, begin_i))
                yield Span((begin_j, link.end), (begin_i, end_i))
                i, j = run_i, run_j = end_i, link.end
                inside = None
                continue
        yield Span((run_j, j), (run_i, i))
        next_i, next_j = _in_step_again(first, second, i, j)
        differences.append(_described(before, after, (i, next_i), (j, next_j)))
        yield Span((j, next_j), (i, next_i))
        i, j = run_i, run_j = next_i, next_j
        inside = None
    yield Span((run_j, j), (run_i, i))


def _end_in_prose(first: list[str], start: int, wanted: list[str]) -> int | None:
    """Where in the first page that ends which reads as `wanted` was typed."""
    i, j = start, 0
    opened = 0
    is_emphasised = False
    while j < len(wanted):
        if i < len(first) and first[i] == wanted[j]:
            i += 1
            j += 1
            continue
        atom = first[i] if i < len(first) else ""
        if atom.startswith(_PROSE_TAGS):
            opened += -1 if atom.startswith("</") else 1
            is_emphasised = is_emphasised or atom.startswith(_EMPHASIS_TAGS)
            i += 1
            continue
        if (
            atom == "\\"
            and wanted[j] in TEX_SPECIAL
            and first[i + 1 : i + 2] == [wanted[j]]
        ):
            i += 1
            continue
        typed = _typed_for(atom, wanted, j)
        if typed:
            i += 1
            j += typed
        elif wanted[j] in {"*", "_"} and is_emphasised:
            j += 1
        else:
            return None
    while opened > 0 and i < len(first) and first[i].startswith("</"):
        opened -= 1
        i += 1
    return i if opened == 0 else None


def _typed_for(atom: str, wanted: list[str], j: int) -> int:
    for typed in _TYPOGRAPHY.get(atom, ()):
        atoms = [typed] if typed.startswith("&") else list(typed)
        if wanted[j : j + len(atoms)] == atoms:
            return len(atoms)
    return 0


def _in_step_again(
    first: list[str], second: list[str], i: int, j: int
) -> tuple[int, int]:
    """The nearest places from which on both agree for a while."""
    places = {
        tuple(first[at : at + _STEADY]): at
        for at in range(min(i + _REACH, len(first) - _STEADY), i - 1, -1)
    }
    for at in range(j, min(j + _REACH, len(second) - _STEADY + 1)):
        found = places.get(tuple(second[at : at + _STEADY]))
        if found is not None:
            return found, at
    return len(first), len(second)


def _described(
    before: Page, after: Page, old: tuple[int, int], new: tuple[int, int]
) -> str:
    lead = "".join(after.atoms[max(0, new[0] - _CONTEXT) : new[0]])
    gone = "".join(before.atoms[slice(*old)])
    come = "".join(after.atoms[slice(*new)])
    return f"after {lead!r}: {_cut(gone)!r} became {_cut(come)!r}"


def _cut(text: str) -> str:
    return text if len(text) <= 400 else f"{text[:200]} […] {text[-200:]}"


def translated(spans: list[Span], at: int, *, is_end: bool = False) -> int:
    """Where an atom of the second page stands in the first."""
    for span in spans:
        begin, end = span.after
        if (begin < at if is_end else begin <= at) and at <= end:
            same_length = end - begin == span.before[1] - span.before[0]
            if same_length:
                return span.before[0] + at - begin
            if at == end and (is_end or begin != at):
                return span.before[1]
            if at == begin:
                return span.before[0]
    return spans[-1].before[1] if spans else at
