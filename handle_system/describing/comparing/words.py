"""The words of titles and names, as far as two spellings of them agree.

Hyphens, blanks that a scanner left, letter case, accents, TeX and HTML make no
difference: a text is reduced to its *letters*, and a word stands in another text if its
first letters do.
"""

import re
import unicodedata
from html import unescape

from handle_system.text import compiled

_TAG = re.compile(r"</?[A-Za-z][^<>]{0,200}+>")
_TEX_ACCENT = re.compile(
    r"\\(?:[\"'`^~=.]|[uvHtcdbrk](?=[\s{\\]))\s?\{?\\?([A-Za-z])\}?"
)
_TEX_LETTER = re.compile(
    r"\\(ss|ae|oe|aa|dh|th|[olij])(?![A-Za-z])\s?(?:\{\})?", re.IGNORECASE
)
_TEX = re.compile(r"\\[A-Za-z]++\*?|\\[^A-Za-z]|[{}$]")
# Letters that have no accent to take away.
_LETTERS = str.maketrans(
    {
        "ø": "o",
        "ł": "l",
        "đ": "d",
        "ð": "d",
        "þ": "th",
        "æ": "ae",
        "œ": "oe",
        "ı": "i",
    }
)
_WORD = re.compile(r"[^\W_]++")
_YEAR = re.compile(r"(?<!\d)(?:1[5-9]|20)\d\d(?!\d)")
# Chinese, Japanese and Korean, which write no spaces.
_WIDE = r"[\u3040-\u30ff\u3400-\u9fff\uac00-\ud7a3]"
# Words that many titles have tell nothing.
_COMMON = frozenset(
    """
    about after among analysis approach based between dans des during eine from für into
    method methods mit over para pour studies study that the their theory through toward
    towards und under upon using von with within without
    """.split()  # noqa: SIM905 (a list of words reads better than one of strings)
)
_SHORTEST_WORD = 4
# Endings differ: "object" stands in "objects".
_COMPARED_LETTERS = 7
# In letters: "Phys." and "Rev.".
_SHORTEST_ABBREVIATION = 3
_LONGEST_ACRONYM = 8
# A title of less tells too little.
_FEWEST_WORDS = 3
_FEWEST_LETTERS = 14


def plain(text: str) -> str:
    r"""A text without tags, TeX, accents and letter case.

    >>> plain(r"{\"U}ber <i>Gr{\"o}{\ss}e</i> &amp; Łódź")
    'uber  grosse  & lodz'
    """
    if "&" in text:
        # Deposits are escaped once, and often twice.
        text = unescape(unescape(text))
    if "<" in text:
        text = _TAG.sub(" ", text)
    if "\\" in text or "{" in text:
        text = _TEX_ACCENT.sub(r"\1", text)
        text = _TEX_LETTER.sub(r"\1", text)
        text = _TEX.sub("", text)
    if text.isascii():
        return text.lower()
    decomposed = unicodedata.normalize("NFKD", text)
    without_accents = "".join(filter(_is_no_accent, decomposed))
    return without_accents.casefold().translate(_LETTERS)


def words_of(plain_text: str) -> list[str]:
    """The words of a plain text."""
    return _WORD.findall(plain_text)


def letters_of(plain_text: str) -> str:
    """The letters and digits of a plain text alone."""
    return "".join(_WORD.findall(plain_text))


def years_of(plain_text: str) -> set[int]:
    """The numbers in a plain text that can be years."""
    return {int(year) for year in _YEAR.findall(plain_text)}


def is_latin(plain_text: str) -> bool:
    """Whether most letters of a plain text are those of English."""
    letters = [character for character in plain_text if character.isalpha()]
    latin = sum("a" <= letter <= "z" for letter in letters)
    return latin * 2 > len(letters)


def is_telling(name: str) -> bool:
    """Whether a word of a name is more than an initial."""
    return len(name) > 1 or compiled(_WIDE).search(name) is not None


def shared_part(title: str, letters: str) -> float | None:
    """How much of a plain title stands in the letters of another text.

    Args:
        title: The title.
        letters: The letters of the other text.

    Returns:
        The part of its telling words, by their length, from 0 to 1; `None` if the title
        has too few of them.

    >>> shared_part("objects and frameworks for handles", letters_of("a framework"))
    0.4166666666666667
    """
    words = _telling_words(title)
    length = sum(map(len, words))
    if len(words) < _FEWEST_WORDS or length < _FEWEST_LETTERS:
        return None
    shared = [word for word in words if word[:_COMPARED_LETTERS] in letters]
    return sum(map(len, shared)) / length


def shares_a_word(title: str, letters: str) -> bool:
    """Whether a word of a plain title, however short the title, is in other letters."""
    words = _telling_words(title) or _WORD.findall(title)
    return any(word[:_COMPARED_LETTERS] in letters for word in words)


def may_be_same_name(first: str, second: str) -> bool:
    """Whether two plain names may be those of one journal, abbreviated or not.

    >>> may_be_same_name("physical review", "phys. rev."), may_be_same_name("nature", "cell")
    (True, False)
    >>> may_be_same_name("jhep", "journal of high energy physics")
    True
    """
    begins, other_begins = (
        {word[:_SHORTEST_ABBREVIATION] for word in words_of(name)}
        for name in (first, second)
    )
    if any(len(begin) == _SHORTEST_ABBREVIATION for begin in begins & other_begins):
        return True
    short, long = sorted(map(letters_of, (first, second)), key=len)
    return len(short) <= _LONGEST_ACRONYM and shortens(short, long)


def shortens(short: str, word: str) -> bool:
    """Whether a word, or the letters of several, begin as a short one and hold its letters.

    >>> shortens("natl", "national"), shortens("jhep", "journalofhighenergyphysics")
    (True, True)
    """
    letters = iter(word)
    return short[:1] == word[:1] and all(letter in letters for letter in short)


def _telling_words(title: str) -> set[str]:
    words: set[str] = set()
    for word in _WORD.findall(title):
        if compiled(_WIDE).search(word):
            last = max(len(word) - 1, 1)
            words.update(word[start : start + 2] for start in range(last))
        elif len(word) >= _SHORTEST_WORD and word not in _COMMON:
            words.add(word)
    return words


def _is_no_accent(character: str) -> bool:
    return not unicodedata.combining(character)
