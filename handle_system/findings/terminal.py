"""The report for people at a terminal: each finding with its line of the source.

The first line of a finding has the form of GNU's messages, ``path:line:column: level:
message [code]``, of which terminals and editors make links.  Below it stand the line of
the source with the reference underlined, the facts, the other places, and what helps.
"""

from collections.abc import Callable, Iterable, Sequence
from itertools import groupby
from typing import NamedTuple, TypeAlias

from handle_system.errors import columns, showable
from handle_system.findings.finding import Excerpt, Finding, Place
from handle_system.findings.reports import Style, unstyled, with_shared_notes

#: Finds the line of the source that a place is in; an empty one if it is not known.
SourceLine: TypeAlias = Callable[[Place], str]

_GUTTER = "  | "
_MOST_OTHER_PLACES = 3
# Characters for each column of the terminal: marks of accents take none.
_LONGEST_COUNTED = 10


def terminal_report(
    findings: Iterable[Finding],
    source_line: SourceLine,
    *,
    is_mended: Callable[[Finding], bool] = lambda _finding: False,
    style: Style = unstyled,
    width: int = 80,
) -> str:
    """Write the findings by file and line, each at its first place.

    Args:
        findings: The findings.
        source_line: Finds the line of a place.
        is_mended: Whether ``hdl fix`` mends a finding; its help says so.
        style: Adds colours to a text.
        width: The columns of the terminal; only lines of the source are cut to them.
    """
    ordered = sorted(with_shared_notes(findings), key=lambda finding: finding.places)
    writer = _Writer(source_line, is_mended, style, width)
    files = [
        "\n".join(line for finding in its_findings for line in writer.lines(finding))
        for _, its_findings in groupby(ordered, key=lambda finding: finding.first.file)
    ]
    # An empty line stands before the summary, too.
    return "\n\n".join(files) + "\n" if files else ""


class _Underline(NamedTuple):
    """A part of a line with marks below it.

    Attributes:
        start: Where it begins in the line, in code points.
        end: The offset behind it.
        marks: One mark for each column, or more.
        colour: The colour of the marks; `None` for that of the text.
    """

    start: int
    end: int
    marks: str
    colour: str | None


class _Writer:
    """Writes single findings."""

    def __init__(
        self,
        source_line: SourceLine,
        is_mended: Callable[[Finding], bool],
        style: Style,
        width: int,
    ) -> None:
        self._source_line = source_line
        self._is_mended = is_mended
        self._style = style
        self._width = width

    def lines(self, finding: Finding) -> list[str]:
        """The lines of a finding."""
        drawing = self._drawing(finding)
        lines = [self._first_line(finding, is_drawn=bool(drawing)), *drawing]
        lines += [f"  {fact}" for fact in finding.facts]
        lines += self._other_places(finding)
        lines += self._help(finding)
        return lines

    def _first_line(self, finding: Finding, *, is_drawn: bool) -> str:
        message = finding.message
        if not is_drawn:
            message = finding.named_message_at(finding.first)
        level = self._style(
            finding.severity.value, fg=finding.severity.colour, bold=True
        )
        code = self._style(f"[{finding.code}]", dim=True)
        line = f"{level}: {showable(message)} {code}"
        if not finding.first.file:
            return line
        place = self._style(showable(finding.first.in_file), bold=True)
        return f"{place}: {line}"

    def _drawing(self, finding: Finding) -> list[str]:
        """The line of the source and its marks; nothing if the reference is not in it."""
        place = finding.first
        if not place.written or not place.column:
            return []
        line = self._source_line(place).replace("\t", " ")
        start = place.column - 1
        if not line.startswith(place.written, start):
            return []
        underlines = [
            _Underline(
                start,
                start + len(place.written),
                _marks(place.written, finding.excerpt),
                finding.severity.colour,
            )
        ]
        if finding.other_excerpt is not None:
            underlines += _underlined_other(line, underlines[0], finding.other_excerpt)
        return self._drawn(line, sorted(underlines))

    def _drawn(self, line: str, underlines: Sequence[_Underline]) -> list[str]:
        """The line, cut around its parts, and the marks below them."""
        first, last = self._window(line, underlines[0].start, underlines[-1].end)
        cut = "…" if first else ""
        gutter = self._style(_GUTTER, dim=True)
        marks = ""
        column = 0
        for underline in underlines:
            left = columns(cut + showable(line[first : underline.start]))
            blanks = " " * (left - column)
            marks += blanks + self._style(underline.marks, fg=underline.colour)
            column = left + len(underline.marks)
        rest = "…" if last < len(line) else ""
        shown = f"{cut}{showable(line[first:last])}{rest}"
        return [f"{gutter}{shown.rstrip()}", f"{gutter}{marks}"]

    def _window(self, line: str, start: int, end: int) -> tuple[int, int]:
        """The offsets of the part of a line that is shown."""
        room = self._width - len(_GUTTER)
        # A line may be a whole page, and counting its columns for each finding takes long.
        if len(line) <= _LONGEST_COUNTED * room and columns(line) <= room:
            return len(line) - len(line.lstrip()), len(line)
        # A mark of omission stands on each side.
        context = max((room - columns(line[start:end]) - 2) // 2, 0)
        return max(start - context, 0), min(end + context, len(line))

    def _other_places(self, finding: Finding) -> list[str]:
        others = [showable(place.in_file) for place in finding.places[1:]]
        if not others:
            return []
        names = ", ".join(others[:_MOST_OTHER_PLACES])
        more = len(others) - _MOST_OTHER_PLACES
        if more > 0:
            names += f" and {more} more"
        return [self._style(f"  also {names}", dim=True)]

    def _help(self, finding: Finding) -> list[str]:
        label = self._style("help:", fg="green", bold=True)
        lines = []
        if finding.suggestion is not None:
            mark = " (hdl fix)" if self._is_mended(finding) else ""
            lines.append(f"  {label} write {showable(finding.suggestion)}{mark}")
        if finding.advice:
            # Some advice is a few lines to paste.
            first, *rest = map(showable, finding.advice.splitlines())
            colon = ":" if finding.command else ""
            lines.append(f"  {label} {first}{colon}")
            lines += [f"        {line}" for line in rest]
        if finding.command:
            lines.append(f"        {finding.command}")
        return lines


def _marks(written: str, excerpt: Excerpt | None) -> str:
    """The marks below a reference: a caret where its parsing stopped, if that is known."""
    if excerpt is None or excerpt.text != written:
        return "^" * max(columns(showable(written)), 1)
    before = columns(showable(written[: excerpt.start]))
    wrong = columns(showable(written[excerpt.start : excerpt.end]))
    return "~" * before + "^" * max(wrong, 1)


def _underlined_other(
    line: str, reference: _Underline, excerpt: Excerpt
) -> list[_Underline]:
    """The text that a reference is compared with, if the line holds it.

    The line may hold it several times; the one that is compared stands before the
    reference, and nearest to it.
    """
    text = excerpt.text[excerpt.start : excerpt.end]
    start = line.rfind(text, 0, reference.start)
    if start < 0:
        start = line.find(text, reference.end)
    if start < 0:
        return []
    return [
        _Underline(start, start + len(text), "-" * columns(showable(text)), colour=None)
    ]
