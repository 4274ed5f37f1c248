"""Where a reference ends in running text.

It ends, in this order:

1. Directly after ``<``: at the matching ``>`` in the block.
2. Else at white space, a control character, a double quote, a direction mark, or
   punctuation outside ASCII; but a direction mark or a look-alike of a hyphen between two
   ASCII letters or digits belongs.
3. If its suffix begins with an ASCII character: before Han, Kana or Hangul.
4. At the first closing bracket that has no opener inside the reference, and before the
   first opening bracket that is not closed inside.  A ``<`` belongs only if its ``>``
   comes before all these and the text between holds a ``:`` and does not begin with
   ``/``: a SICI, not a tag.  ``[^``, ``^[``, ``[@``, ``{.``, ``{#``, ``{}`` and the marks
   of a shortcode belong to none, nor does the text of a link, ``[…](``.
5. Before trailing ``. , ; : ! ? '``, and before a run of ``*``, ``_`` or ``~``
   that closes an opener in the text, or that follows such punctuation.

Every search remembers where it ended, so time is linear in the text.
"""

import re
import unicodedata
from collections import defaultdict
from collections.abc import Collection
from functools import cached_property
from itertools import groupby

from handle_system.forms import MAX_OCTETS
from handle_system.found import Found
from handle_system.handle import CONTROL
from handle_system.shortcodes import OPENING_OF_SHORTCODE
from handle_system.text import DIRECTION_MARK, compiled

#: Characters that stand for a hyphen in text that was typeset.
HYPHEN_LOOK_ALIKES = "\u2010\u2011\u2012\u2013\u2043\u2212\ufe63\uff0d"

_TRAILING = ".,;:!?'\u200b\u200c\u200d\u2060\ufeff"
_EMPHASIS = frozenset("*_~")
# White space and controls, a double quote, what a decoder leaves of a broken
# character, and whatever may be punctuation: all but the others of ASCII. Python takes
# milliseconds to compile a set of characters up to the last of Unicode.
_MAY_END = re.compile("[^!#-~]")
_NOT_ASCII = re.compile(r"[^\x00-\x7f]")
_DIRECTION = re.compile(DIRECTION_MARK)
#: A letter or a digit of ASCII.
LETTER_OR_DIGIT = re.compile("[0-9A-Za-z]")
_COLON = re.compile(":")
# An octet before a bracket is the ESC of ISO-2022's sequences: "(B" and "$(D" are no text.
# Where a footnote, a citation, attributes or a shortcode begin, no bracket is a reference's.
# Each alternative begins with its character: few references hold one, and a search for
# several characters is fast.
_BRACKET = re.compile(
    rf"\[\^|\^\[|\[-?@|\{{[.#:}}]|{OPENING_OF_SHORTCODE}"
    r"|\((?<!%1B\()(?<!%1B\$\()|\)|\[|\]|\{|\}|<|>",
    re.IGNORECASE,
)
# What follows the text of a link.
_TARGET = frozenset("([")
_CLOSER_OF = {"(": ")", "[": "]", "{": "}"}
_CLOSING = {closer: re.compile(re.escape(closer)) for closer in _CLOSER_OF.values()}
# Han, Kana and Hangul.
_CJK_LETTER = (
    "[\u1100-\u11ff\u2e80-\u2fdf\u3005-\u3007\u3021-\u3029\u3031-\u3035"
    "\u3038-\u303c\u3041-\u309f\u30a1-\u30fa\u30fc-\u30ff\u3105-\u312f\u3131-\u318e\u31a0-\u31bf\u31f0-\u31ff"
    "\u3400-\u4dbf\u4e00-\u9fff\ua960-\ua97f\uac00-\ud7ff\uf900-\ufaff\uff66-\uffdc"
    "\U0001b000-\U0001b16f\U00020000-\U0003ffff]"
)
_LINE_END = re.compile("[\n\r]")
_RUN = re.compile(r"\*+|_+|~+")


class ReferenceEnds:
    """Where references end in one text, which is asked from left to right.

    Args:
        text: The text.
        escaped: The positions of characters that were escaped.
    """

    def __init__(self, text: str, escaped: Collection[int]) -> None:
        self._text = text
        self._escaped = escaped
        self._next: dict[re.Pattern[str], int] = {}
        self._next_end = -1
        self._found: list[Found] = []
        self._counted = 0
        self._open: defaultdict[tuple[str, bool], int] = defaultdict(int)

    def pass_over(self, found: Found) -> None:
        """Remember a reference: marks of emphasis in it do not count."""
        self._found.append(found)

    def closing_angle(self, begin: int) -> int | None:
        """Return where the ``>`` is that matches a ``<`` directly before `begin`."""
        if self._text[begin - 1 : begin] != "<":
            return None
        close = self._angles.get(begin - 1)
        if close is None or self._find(CONTROL, begin) < close:
            return None
        return close

    def is_half_of_sici(self, end: int) -> bool:
        """Whether a ``<`` follows that nothing closes on its line, and that is no tag."""
        if not self._text.startswith("<", end) or self._text.startswith("</", end):
            return False
        close = self._angles.get(end)
        return close is None or close > self._find(_LINE_END, end)

    def end_of_run(self, start: int, suffix: int | None = None) -> int:
        """Return where a run that began before `start` ends: rules 2 to 4.

        Args:
            start: A position in the run.
            suffix: Where the suffix of the handle in it begins, if it has one.
        """
        text = self._text
        end = self._hard_end(start)
        if suffix is not None and not text.isascii():
            end = self._end_at_letter(suffix, end)
        # Nobody writes a longer handle, and each reference looks no further.
        limit = min(end, start + MAX_OCTETS)
        # Few references hold a bracket.
        if _BRACKET.search(text, start, limit) is None:
            return end
        return self._end_at_bracket(start, end, limit)

    def _end_at_letter(self, suffix: int, end: int) -> int:
        """Return where a letter of East Asia ends a run before `end`: rule 3."""
        text = self._text
        if not text[suffix : suffix + 1].isascii():
            return end
        letter = max(self._find(_NOT_ASCII, suffix), suffix)
        if letter < end and compiled(_CJK_LETTER).match(text, letter):
            return letter
        return end

    def _hard_end(self, start: int) -> int:
        """Return where white space, a quote or the like ends a run: rule 2."""
        if self._next_end < start:
            mark = _MAY_END.search(self._text, start)
            # Nearly always the first one ends it.
            while mark is not None and not _ends(self._text, mark.start()):
                mark = _MAY_END.search(self._text, mark.end())
            self._next_end = len(self._text) if mark is None else mark.start()
        return self._next_end

    def _end_at_bracket(self, start: int, end: int, limit: int) -> int:
        """Return where a bracket ends a run before `end`: rule 4.

        Args:
            start: A position in the run.
            end: Where the run ends without brackets.
            limit: Where to stop looking for one.
        """
        opened: defaultdict[str, list[int]] = defaultdict(list)
        closed: list[tuple[int, int]] = []
        position = start
        while found := _BRACKET.search(self._text, position, limit):
            position = found.end()
            bracket = found[0]
            closer = _CLOSER_OF.get(bracket)
            if closer is not None:
                if self._find(_CLOSING[closer], position) >= end:
                    end = found.start()
                    break
                opened[closer].append(found.start())
            elif opened.get(bracket):
                opening = opened[bracket].pop()
                if bracket == "]" and self._text[position : position + 1] in _TARGET:
                    # It is the text of a link.
                    end = opening
                    break
                closed.append((opening, found.start()))
            elif bracket == "<" and (close := self._sici_close(found.start(), end)):
                position = close + 1
            else:
                end = found.start()
                break
        left_open = [opening for openings in opened.values() for opening in openings]
        if left_open:
            end = min(end, *left_open)
            # A bracket that closes behind the end is open before it.
            for opening, closing in sorted(closed, reverse=True):
                if opening < end <= closing:
                    end = opening
        return end

    def _sici_close(self, opening: int, end: int) -> int | None:
        close = self._angles.get(opening)
        is_tag = self._text.startswith("/", opening + 1)
        if is_tag or close is None or close >= end:
            return None
        if self._find(_COLON, opening) >= close:
            return None
        return close

    def trimmed(self, start: int, end: int, begin: int) -> int:
        """Return `end` without the marks that trail after a reference: rule 5."""
        text = self._text
        while end > start:
            if text[end - 1] in _TRAILING:
                end -= 1
                continue
            mark = text[end - 1]
            if mark not in _EMPHASIS:
                break
            # An escaped mark and a bare one are of different runs.
            delimiter = mark, end - 1 in self._escaped
            run = end - 1
            while (text[run - 1], run - 1 in self._escaped) == delimiter:
                run -= 1
            if text[run - 1] not in _TRAILING and not self._is_open(delimiter, begin):
                break
            end = run
        return end

    def _is_open(self, delimiter: tuple[str, bool], begin: int) -> bool:
        """Whether emphasis that a run of these marks opened is open at `begin`.

        Marks within references do not count.  Most texts never ask, so the runs
        are counted only here, each of them once.
        """
        spans = [(found.start, found.end) for found in self._found]
        for start, end in [*spans, (begin, begin)]:
            for run in _RUN.finditer(self._text, self._counted, start):
                places = range(run.start(), run.end())
                for is_escaped, part in groupby(places, self._escaped.__contains__):
                    self._count([*part], is_escaped=is_escaped)
            self._counted = end
        self._found.clear()
        return self._open[delimiter] > 0

    def _count(self, run: list[int], *, is_escaped: bool) -> None:
        mark = self._text[run[0]]
        before = self._text[run[0] - 1 : run[0]]
        after = self._text[run[-1] + 1 : run[-1] + 2]
        opens, closes = _is_beside(after, before), _is_beside(before, after)
        if mark == "_" and opens and closes:
            # In the middle of a word it is a character like any other.
            opens, closes = not before.isalnum(), not after.isalnum()
        # In "***a* b**" the run of three is closed by the two others.
        if closes and self._open[mark, is_escaped]:
            left = self._open[mark, is_escaped] - len(run)
            self._open[mark, is_escaped] = max(left, 0)
        elif opens:
            self._open[mark, is_escaped] += len(run)

    def _find(self, pattern: re.Pattern[str], start: int) -> int:
        known = self._next.get(pattern, -1)
        if known < start:
            found = pattern.search(self._text, start)
            known = found.start() if found else len(self._text)
            self._next[pattern] = known
        return known

    @cached_property
    def _angles(self) -> dict[int, int]:
        """Where the ``>`` is that matches each ``<``."""
        opened: list[int] = []
        matching: dict[int, int] = {}
        for found in re.finditer("[<>]", self._text):
            if found[0] == "<":
                opened.append(found.start())
            elif opened:
                matching[opened.pop()] = found.start()
        return matching


def _ends(text: str, position: int) -> bool:
    """Whether a reference ends at a character: rule 2."""
    character = text[position]
    if character.isascii() or character.isspace():
        return True
    if character in HYPHEN_LOOK_ALIKES or _DIRECTION.match(character):
        is_inside = position > 0 and LETTER_OR_DIGIT.match(text, position - 1)
        return not (is_inside and LETTER_OR_DIGIT.match(text, position + 1))
    category = unicodedata.category(character)
    # The fullwidth and small forms of ASCII's symbols count as punctuation too.
    is_form = "\ufe30" <= character <= "\uff65" and category[0] == "S"
    return is_form or category[0] == "P" or category in {"Cc", "Cs"}


def _is_beside(near: str, far: str) -> bool:
    """Whether a run of marks belongs to the character on the one side of it.

    CommonMark 0.31, section 6.2: "left-flanking" and "right-flanking".
    """
    return near.isalnum() or (near.strip() != "" and not far.isalnum())
