"""Finding references in running text: where one ends.

The rules, in the order in which they apply:

1. Directly after ``<`` a reference runs to the matching ``>`` in the block.
2. Else at white space, a control character, a double quote or CJK punctuation.
3. A DOI that is ASCII so far ends before Han, Kana or Hangul.
4. At the first closing bracket that has no opener inside the reference.  A
   ``<`` belongs only if its ``>`` comes before all these and what is between
   holds a ``:`` and does not begin with ``/``: a SICI, not a tag.  A ``[``
   before ``^`` begins a footnote's mark.
5. Before trailing ``. , ; : ! ? ' ’ ” »``, and before a run of ``*``, ``_`` or
   ``~`` that closes an opener in the text, or that follows such punctuation.
"""

import re
from collections.abc import Sequence

__all__ = ["Extents"]

_TRAILING = ".,;:!?'’”»"
_INVISIBLE = "\u200b\u200c\u200d\u2060\ufeff"
_EMPHASIS = frozenset("*_~")

# White space and controls (and what a decoder leaves of a broken character);
# the double quote; the punctuation of CJK text, not its letters 々〆〇.
_HARD_END = re.compile(
    '[\\s\x00-\x1f\x7f-\x9f\ud800-\udfff"'
    "\u3001-\u3004\u3008-\u3020\u3030\u303d-\u303f\u30a0\u30fb"
    "\ufe10-\ufe19\ufe30-\ufe4f\ufe50-\ufe6b"
    "\uff01-\uff0f\uff1a-\uff20\uff3b-\uff40\uff5b-\uff65]"
)
_BRACKET = re.compile(r"[()\[\]{}<>]")
_OPENER_OF = {")": "(", "]": "[", "}": "{"}
_NOT_ASCII = re.compile(r"[^\x00-\x7f]")
_CJK_LETTER = re.compile(
    "[\u1100-\u11ff\u2e80-\u2fdf\u3005-\u3007\u3021-\u3029\u3031-\u3035"
    "\u3038-\u303c\u3041-\u309f\u30a1-\u30fa\u30fc-\u30ff\u3105-\u312f\u3131-\u318e\u31a0-\u31bf\u31f0-\u31ff"
    "\u3400-\u4dbf\u4e00-\u9fff\ua960-\ua97f\uac00-\ud7ff\uf900-\ufaff\uff66-\uffdc"
    "\U0001b000-\U0001b16f\U00020000-\U0003ffff]"
)
_DOI = re.compile(r"10[./]")
_RUN = re.compile(r"\*+|_+|~+")
_CONTROL = re.compile("[\x00-\x1f\x7f-\x9f\ud800-\udfff]")


class Extents:
    """How far references reach in one text.

    Positions are asked for in rising order; each search remembers where it
    ended, so that all of them together stay linear in the text.

    Args:
        text: The text.
        spans: The half-open spans of the references that were found in it, in
            order; who finds another adds its own.
    """

    __slots__ = ("_angles", "_depths", "_next", "_passed", "_spans", "_text", "_unread")

    def __init__(self, text: str, spans: Sequence[tuple[int, int]]) -> None:
        self._text = text
        self._next: dict[str, int] = {}
        self._angles: dict[int, int] | None = None
        # Emphasis is balanced over the text between references only.
        self._spans = spans
        self._passed = 0
        self._unread = 0
        self._depths: dict[str, int] = {}

    def closing_angle(self, begin: int) -> int | None:
        """Where the ``>`` is that matches a ``<`` directly before `begin`."""
        if begin == 0 or self._text[begin - 1] != "<":
            return None
        if self._angles is None:
            self._angles = _matching_angles(self._text)
        close = self._angles.get(begin - 1)
        if close is None or self._find(_CONTROL, begin) < close:
            return None
        return close

    def end_of_run(self, start: int) -> int:
        """Where a run that began before `start` ends: rules 2 to 4."""
        text = self._text
        end = self._find(_HARD_END, start)
        if _DOI.match(text, start):
            letter = self._find(_NOT_ASCII, start)
            if letter < end and _CJK_LETTER.match(text, letter):
                end = letter
        return self._end_at_bracket(start, end)

    def trimmed(self, start: int, end: int, begin: int) -> int:
        """`end` without what trails after the reference from `begin`: rule 5."""
        text = self._text
        while True:
            while end > start and text[end - 1] in _TRAILING + _INVISIBLE:
                end -= 1
            if end <= start or text[end - 1] not in _EMPHASIS:
                return end
            mark = text[end - 1]
            run = end
            while run > start and text[run - 1] == mark:
                run -= 1
            if text[run - 1] not in _TRAILING and not self._is_open(mark, begin):
                return end
            end = run

    def _end_at_bracket(self, start: int, end: int) -> int:
        text = self._text
        depth = {"(": 0, "[": 0, "{": 0}
        position = start
        while True:
            found = _BRACKET.search(text, position, end)
            if found is None:
                return end
            position = found.end()
            bracket = found.group()
            if bracket == "[" and text.startswith("^", position):
                return found.start()
            if bracket in depth:
                depth[bracket] += 1
            elif bracket == "<":
                close = self._sici_close(found.start(), end)
                if close is None:
                    return found.start()
                position = close + 1
            elif bracket == ">" or depth[_OPENER_OF[bracket]] == 0:
                return found.start()
            else:
                depth[_OPENER_OF[bracket]] -= 1

    def _sici_close(self, opening: int, end: int) -> int | None:
        if self._text.startswith("/", opening + 1):
            return None
        close = self._find_text(">", opening)
        if close >= end or self._find_text(":", opening) >= close:
            return None
        return close

    def _is_open(self, mark: str, begin: int) -> bool:
        # What a reference holds is no markup.
        for start, end in self._spans[self._passed :]:
            self._count_runs(start)
            self._unread = end
        self._passed = len(self._spans)
        self._count_runs(begin)
        self._unread = max(self._unread, begin)
        return self._depths.get(mark, 0) > 0

    def _count_runs(self, end: int) -> None:
        for run in _RUN.finditer(self._text, self._unread, end):
            self._count(run.group()[0], run.start(), run.end())

    def _count(self, mark: str, start: int, end: int) -> None:
        before = self._text[start - 1 : start] if start else ""
        after = self._text[end : end + 1]
        opens = _is_beside(after, before)
        closes = _is_beside(before, after)
        if mark == "_" and opens and closes:
            # In the middle of a word it is a character like any other.
            opens, closes = _is_punctuation(before), _is_punctuation(after)
        depth = self._depths.get(mark, 0)
        # In "***a* b**" the run of three is closed by the two others.
        length = end - start
        if closes and depth:
            self._depths[mark] = max(depth - length, 0)
        elif opens:
            self._depths[mark] = depth + length

    def _find(self, pattern: re.Pattern[str], start: int) -> int:
        known = self._next.get(pattern.pattern, -1)
        if known < start:
            found = pattern.search(self._text, start)
            known = found.start() if found else len(self._text)
            self._next[pattern.pattern] = known
        return known

    def _find_text(self, wanted: str, start: int) -> int:
        known = self._next.get(wanted, -1)
        if known < start:
            known = self._text.find(wanted, start)
            if known < 0:
                known = len(self._text)
            self._next[wanted] = known
        return known


def _is_beside(near: str, far: str) -> bool:
    """Whether a run of marks belongs to the character on the one side of it.

    CommonMark 0.31, section 6.2: "left-flanking" and "right-flanking".
    """
    if not near or near.isspace():
        return False
    return not (_is_punctuation(near) and far and far.isalnum())


def _is_punctuation(character: str) -> bool:
    return not (character.isalnum() or character.isspace())


def _matching_angles(text: str) -> dict[int, int]:
    opened: list[int] = []
    matching: dict[int, int] = {}
    for found in re.finditer("[<>]", text):
        if found.group() == "<":
            opened.append(found.start())
        elif opened:
            matching[opened.pop()] = found.start()
    return matching
