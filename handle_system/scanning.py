"""Finding references in running text.

Only forms that say what they are count: a bare ``a/b`` in prose is never a handle,
and a URL that merely contains an identifier is left alone.

A reference **starts** at a scheme or a proxy's name that no ASCII letter, digit or
character of a URL precedes.  Pandoc's ``@`` may precede it, and so may a word and its
colon (``Available at:https://doi.org/10.…``) that are no scheme of a URI.  Where markup,
brackets or spaces stand between a label (``**DOI:**``, ``DOI :``) and the identifier, the
reference is the identifier alone.  So it is behind the label ``DOI`` without a colon, in
``⟨…⟩``, in ``DOI (…)`` and in a list behind ``DOIs:``, if its prefix has four digits or more.
A shortcode (``{{< … >}}``) is code.

Where it **ends**, `handle_system.reference_ends` says.

A broken address (``https:/doi.org/10.…``) is read as it was certainly meant, and
`handle_system.diagnose` reports it.  A DOI before a ``<`` that nothing closes on its line
is one half of a SICI, and no reference.  Nor is one that a space cuts in two.

Every search remembers where it ended, so time is linear in the text.
"""

import re
from collections.abc import Collection, Iterable, Iterator
from dataclasses import replace
from typing import TypeAlias
from urllib.parse import unquote

from handle_system.doi_repair import (
    MISSPELT_SCHEME,
    SPACED_DAMAGED_DOI,
    MendedOpening,
    mended_opening,
)
from handle_system.errors import (
    DOI_ERRORS,
    CutError,
    HandleSyntaxError,
    ModifierError,
)
from handle_system.forms import (
    ANY_PATH,
    FORM_OPENING,
    FORMS,
    HEADS,
    WORDS,
)
from handle_system.found import Found
from handle_system.handle import SLASH_LOOK_ALIKE, not_a_slash
from handle_system.proxies import DEFAULT_PROXIES, DOI_HOSTS, Proxies
from handle_system.reference import HandleReference, reference_or_none
from handle_system.reference_ends import LETTER_OR_DIGIT, ReferenceEnds
from handle_system.shortcodes import shortcodes
from handle_system.text import compiled, exact_text, fold_ascii

_LABELS = tuple(row.head for row in FORMS if row.is_label)
_COLONS = ":\uff1a"
# Marks of emphasis, and the brackets that East Asian writing puts around a label.
_LABEL_MARKS = r"*_~\])\u3008-\u3011\u3014-\u301b\uff08\uff09\uff3b\uff3d"
# French puts one of them before a colon.
_LABEL_SPACES = r" \t\xa0\u202f\u3000"
# The brackets that some archives put around a DOI.
_ANGLES = "\u27e8\u2329"

# Every reference in running text holds one of the words of the forms, with punctuation
# behind it, or the name of a known proxy.
_OPENING = re.compile(
    f"(?:{'|'.join(WORDS)})(?:[^0-9a-z\\s]|[{_LABEL_SPACES}]{{1,8}}[{_COLONS}])"
)
# Or it is a DOI in the place of a link's target, in brackets, or behind a label.
_NUMBER = re.compile(r"10\.[0-9]{4,9}[./%]")
# A file may hold the word alone, as in `doi = {10.1000/182}`.
_WORD = re.compile(f"(?:{'|'.join(WORDS)})(?![a-z])")


def _candidate_patterns() -> str:
    """The patterns of where a form begins, behind its first ":"."""
    patterns = []
    for head in HEADS:
        rests = [
            re.escape(row.opening.removeprefix(f"{head}:"))
            for row in FORMS
            if row.head == head
        ]
        if head == "info":
            # It may stand doubled before a URL.
            rests.append("(?=https?:)")
        colon = f"[{_COLONS}]" if head in _LABELS else ":"
        patterns.append(f"(?<=(?P<{head}>{head}){colon})(?:{'|'.join(rests)})")
    return "|".join(patterns)


# A reference may begin where the group begins that matches, whose name is the kind, and
# its path begins behind the whole match.  Every candidate is found by its ":" or "/".
_CANDIDATE = re.compile(
    rf"[{_COLONS}/](?:{_candidate_patterns()}"
    r"|(?<=(?P<https>https):)//|(?<=(?P<http>http):)//"
    r"|(?:(?<=(?P<host_3>www\.doi\.org)[:/])|(?<=(?P<host_2>dx\.doi\.org)[:/])"
    r"|(?<=(?P<host_1>doi\.org)[:/]))(?=10\.|%20|abs/|doi(?:/|%3A))"
    r"|(?<=(?P<host>hdl\.handle\.net)/)(?=[0-9])"
    rf"|(?<=(?P<label>[{_LABEL_MARKS}{_LABEL_SPACES}])[{_COLONS}])"
    r"|(?:(?<=[0-9]{4}/)|(?<=\.[0-9]/)|(?<=\.[0-9]{2}/)|(?<=\.[0-9]{3}/))(?P<number>))",
    re.IGNORECASE | re.ASCII,
)
_HOSTS = frozenset({"host", "host_1", "host_2", "host_3"})
# Whose addresses can be mistyped.
_MISTYPED_HOSTS = DOI_HOSTS | {"hdl.handle.net"}
# A reference that follows one of these directly is the middle of a word, of a URL or
# of a file's path.
_NOT_BEFORE = re.compile(r"[0-9A-Za-z\-.:/?#@&=+%$\\]")
# The word before a colon, of at most so many characters. It says what follows, unless it
# is the scheme of a URI that goes on.
_WORD_BEFORE = re.compile(r"[\w.-]*+\Z")
_LONGEST_WORD = 60
_MOST_WORDS = 4
_SCHEMES_BEFORE_URI = frozenset(
    """
    acct blob feed filesystem ftp ftps http https hxxp hxxps info jar javascript mailto
    oid sftp sip ssh svn tel urn view-source wyciwyg xri
    """.split()  # noqa: SIM905 (a list of words reads better than one of strings)
)
# The scheme of a broken address, before the name of a host.
_BROKEN_SCHEME = rf"(?ai)(?:https?[:/]{{1,5}}|{MISSPELT_SCHEME}://)\Z"
_LONGEST_BROKEN_SCHEME = len("hhtttpss://")

# A prefix with a digit or a dot, and what only looks like the slash behind it.
_OTHER_SLASH = (
    r"(?a)[ \xa0]?(?=[A-Za-z_-]{0,100}[0-9.])[0-9A-Za-z._-]{1,200}+"
    rf"(?P<slash>{SLASH_LOOK_ALIKE.pattern})(?=\S)"
)
# The beginning of a path, after the opening of each scheme and the host of a proxy.
_PATH_BEHIND = {row.head: row.path for row in FORMS}
_PATH_BEHIND_HOST = re.compile(ANY_PATH)
_NUMBERED_HEADS = frozenset(row.head for row in FORMS if row.is_numbered)
_DIGIT_OR_DOT = re.compile("[0-9.]")
# Openings in a row; the group is the last.
_OPENINGS = (
    rf"(?ai)(?:(?:{FORM_OPENING})[ \xa0]?(?={FORM_OPENING})){{0,8}}"
    rf"(?P<last>{FORM_OPENING})"
)
# A label up to its colon, and what may stand between that and the identifier.
_LABEL = (
    rf"(?ai)(?P<head>{'|'.join(_LABELS)})"
    rf"(?P<marks>[{_LABEL_MARKS}{_LABEL_SPACES}]{{1,8}})\Z"
)
_LONGEST_LABEL = max(map(len, _LABELS)) + 8
_BEHIND_LABEL = (
    # Code may end behind the colon, and a second colon names a field in notes.
    rf"(?>(?:[`\0:](?=[{_LABEL_SPACES}]))?)[{_LABEL_SPACES}{_LABEL_MARKS}]{{0,8}}+[<{_ANGLES}]?+"
    r"(?=10\.[0-9]|(?P<number>[0-9]))"
)
# A DOI up to its slash, behind a label without a colon, in an angle bracket, or in a list.
_LABELLED_NUMBER = (
    rf"(?ai)(?:(?P<label>doi)[{_LABEL_MARKS}]{{0,4}}"
    rf"(?:[{_LABEL_SPACES}]{{1,4}}[{_LABEL_MARKS}]{{0,4}}|[{_LABEL_SPACES}]{{0,4}}\()"
    rf"|(?P<plural>dois)[{_LABEL_MARKS}]{{0,4}}:[{_LABEL_MARKS}]{{0,4}}[{_LABEL_SPACES}]{{1,4}}"
    rf"|(?P<next>(?:[,;][{_LABEL_SPACES}]{{0,4}}|[{_LABEL_SPACES}])(?:(?:and|&)[{_LABEL_SPACES}])?)"
    rf"|[{_ANGLES}])"
    r"(?P<number>10\.[0-9]{4,9}(?:\.[0-9]{1,9}){0,3})\Z"
)
_LONGEST_NUMBER = len("dois:") + 12 + len("10") + 4 * len(".123456789")
# A label with a space behind it, which stands behind doi.org.
_SPACED_LABEL = r"(?i)doi:[ \xa0](?=10\.[0-9])"
# How much text, in characters, may be read again after a label that nothing follows.
_LONGEST_READ_AGAIN = 200

# What ends so is half of a DOI before a space, if the other half follows: a word with a
# digit and a full stop, or a number that is no year.
_FIRST_HALF = re.compile(r"/(?:[A-Za-z]{1,2}\.)?\Z")
_LONGEST_FIRST_HALF = len("/xx.")
_OTHER_HALF = (
    r"(?ai)[ \xa0](?=[a-z().-]*[0-9])"
    r"(?:[0-9a-z()-]++(?>(?:\.[0-9a-z()-]++)+)|(?!(?:1[5-9]|20)[0-9]{2}\b)[0-9]{2,})"
    r"(?=[.,;:)\]]*(?:\s|\Z))"
)
_SPACE = re.compile(r"\s")

# Octets of a character beyond ASCII, and the end of a DOI without a suffix.
_OCTETS = re.compile("%[89A-F][0-9A-F]", re.IGNORECASE)
_PREFIX_OF_DOI = re.compile(r"10\.[0-9]{4,9}/\Z")
_NOTHING_BEHIND = re.compile(r"[.,;:!?)\]}>\"']{0,3}(?:\s|\Z)")

# The errors of text that was meant for a reference, whatever else stands in it.
_CERTAIN_ERRORS = (*DOI_ERRORS, ModifierError)

_SPACE_INSIDE = "a space cuts the DOI in two"

# The reference at a candidate, if there is one, and the position where to go on.
_Looked: TypeAlias = tuple[Found | None, int]


def find_references(
    text: str,
    *,
    proxies: Proxies = DEFAULT_PROXIES,
    escaped: Collection[int] = frozenset(),
    malformed: bool = False,
    document_charset: str | None = None,
    text_prefixes: Collection[str] = frozenset(),
) -> Iterator[Found]:
    """Find the references in running text, in order, none overlapping.

    Explicit forms are found: ``hdl:``, ``doi:``, ``info:hdl/``, ``info:doi/``,
    ``urn:hdl:``, ``urn:doi:``, the URLs of known proxies, and without a scheme
    ``doi.org/10.…`` (also ``dx.`` and ``www.``) and ``hdl.handle.net/`` before a digit.
    After ``hdl:`` the prefix must hold a digit or a dot, or be one of `text_prefixes`:
    ``HDL:LDL/TC`` is no handle.

    Args:
        text: One block (a paragraph, a table cell) with the escapes and entities of
            its markup already decoded.
        proxies: The proxies whose URLs are references.
        escaped: The positions of characters that were escaped: a mark of emphasis
            among them is a delimiter only if its counterpart is escaped too.
        malformed: Whether also text is found that was certainly meant for a reference
            and is malformed (``doi:20.5/3``). Its `Found.reference` is the error; a
            `CutError` is a warning, any other is for information.
        document_charset: Charset of the document, for percent-encoded octets that are
            not UTF-8.
        text_prefixes: Prefixes without a digit or a dot that count behind ``hdl:``, in
            any ASCII case.

    >>> [found.reference.uri() for found in find_references(
    ...     "See hdl:20.1000/100, (doi: 10.1000/(182)) or a/b."
    ... )]
    ['hdl:20.1000/100', 'doi:10.1000/(182)']
    """
    text = exact_text(text)
    if may_hold_reference(text, proxies=proxies):
        scanner = _Scanner(
            text,
            proxies,
            escaped,
            malformed=malformed,
            charset=document_charset,
            text_prefixes=frozenset(map(fold_ascii, text_prefixes)),
        )
        yield from scanner.references()


def may_hold_reference(text: str, *, proxies: Proxies) -> bool:
    """Whether it is worth looking: `False` means that no reference is there.

    A cheap test for front ends that pass every block and every link's target: nearly
    all text names no scheme and no proxy.
    """
    return _names_form_or_host(text.lower(), _OPENING, proxies)


def file_may_hold_reference(text: str, *, proxies: Proxies) -> bool:
    """Whether it is worth parsing a file: `False` means that no reference is there.

    It holds of more texts than `may_hold_reference`: a file has fields for identifiers,
    and escapes.
    """
    return _names_form_or_host(text.lower(), _WORD, proxies)


def _names_form_or_host(lower: str, form: re.Pattern[str], proxies: Proxies) -> bool:
    """Whether a text in lower case names a form, by a pattern, a proxy's host, or a DOI."""
    if "10." in lower and _NUMBER.search(lower) is not None:
        return True
    # Nearly every text holds none.
    if not _holds_one(lower, proxies.words_and_hosts):
        return False
    return form.search(lower) is not None or _holds_one(lower, proxies.hosts)


def _holds_one(text: str, parts: Iterable[str]) -> bool:
    # Nearly every text comes here, and a loop is faster than `any`.
    for part in parts:  # noqa: SIM110 (see above)
        if part in text:
            return True
    return False


class _Scanner:
    """Finds the references of one text."""

    def __init__(
        self,
        text: str,
        proxies: Proxies,
        escaped: Collection[int],
        *,
        malformed: bool,
        charset: str | None,
        text_prefixes: Collection[str],
    ) -> None:
        self._text = text
        self._ends = ReferenceEnds(text, escaped)
        self._proxies = proxies
        self._malformed = malformed
        self._charset = charset
        self._text_prefixes = text_prefixes
        # Where the last DOI of a list ends, which begins with "DOIs:".
        self._end_in_list = -1
        # A span that no candidate stands in or behind.
        self._no_code = (len(text) + 1, len(text) + 1)

    def references(self) -> Iterator[Found]:
        """Walk from one candidate to the next."""
        position = 0
        code = shortcodes(self._text)
        start, end = next(code, self._no_code)
        for mark in _CANDIDATE.finditer(self._text):
            kind = mark.lastgroup or ""
            begin = mark.start(kind)
            while end <= begin:
                start, end = next(code, self._no_code)
            if begin < position or start <= begin:
                continue
            found, position = self._look(kind, begin, mark.end())
            if found is not None:
                self._ends.pass_over(found)
                yield found

    def _look(self, kind: str, begin: int, path: int) -> _Looked:
        """Look at a candidate.

        Args:
            kind: The name of its group in `_CANDIDATE`.
            begin: Where the candidate begins.
            path: Where the path behind its opening begins.
        """
        if kind in {"https", "http"}:
            return self._look_at_url(begin, path)
        if kind in _HOSTS:
            return self._look_at_host(begin, path)
        if kind == "label":
            return self._look_behind_label(path)
        if kind == "number":
            return self._look_at_number(path)
        if not self._may_start(begin) and not self._is_field_name(kind, begin, path):
            return None, path
        return self._look_at_scheme(kind, begin, path)

    def _look_at_url(self, begin: int, path: int) -> _Looked:
        tail = self._proxies.locate(self._text, begin)
        may_start = self._may_start(begin)
        # A project may know the proxy of its library.
        is_own = tail is not None and tail.host not in _MISTYPED_HOSTS
        mended = None
        if may_start and not is_own:
            mended = mended_opening(self._text, begin)
        if mended is not None:
            return self._read_mended(begin, mended)
        if tail is None or not may_start:
            # Another URL is skipped whole, with all that it contains.
            return None, self._ends.end_of_run(path)
        opening = self._text[begin : tail.start]
        other = self._look_at_other_slash(begin, tail.start, opening)
        path = tail.start
        # Most often the number of a prefix follows.
        if tail.host in DOI_HOSTS and not self._text[path : path + 1].isdecimal():
            label = compiled(_SPACED_LABEL).match(self._text, path)
            path = label.end() if label else path
        return other or self._read(begin, path)

    def _look_at_host(self, begin: int, path: int) -> _Looked:
        if self._may_start(begin):
            mended = mended_opening(self._text, begin)
            if mended is not None:
                return self._read_mended(begin, mended)
            if _PATH_BEHIND_HOST.match(self._text, path) is None:
                opening = self._text[begin:path]
                other = self._look_at_other_slash(begin, path, opening)
                return other or (None, path)
            return self._read(begin, path)
        window = self._text[max(begin - _LONGEST_BROKEN_SCHEME, 0) : begin]
        scheme = compiled(_BROKEN_SCHEME).search(window)
        if scheme is not None:
            start = begin - len(scheme[0])
            mended = mended_opening(self._text, start)
            if mended is not None and self._may_start(start):
                return self._read_mended(start, mended)
        return None, path

    def _look_at_scheme(self, head: str, begin: int, path: int) -> _Looked:
        text = self._text
        doubled = self._look_at_doubled_scheme(head, begin, path)
        if doubled is not None:
            return doubled
        mended = mended_opening(text, begin)
        if mended is not None:
            return self._read_mended(begin, mended)
        end = self._path_behind(head, path)
        is_usual_colon = text[path - 1] in "/:"
        if end is not None and is_usual_colon:
            return self._read(begin, end)
        # Behind the wide colon of East Asian writing, the path follows without a space.
        if end == path:
            return self._read(begin, end, opening=f"{head}:")
        if head in _LABELS and (labelled := self._behind_label(head, path)):
            return self._read(labelled, labelled, opening=f"{head}:")
        other = self._look_at_other_slash(begin, path, f"{head}:")
        if other is not None:
            return other
        space = None
        if head == "doi":
            space = compiled(SPACED_DAMAGED_DOI).match(text, path)
        number = space.end() if space else path
        if (
            self._malformed
            and head in _LABELS
            and text[number : number + 1].isdecimal()
        ):
            found, position = self._read(begin, number)
            # A long run is passed over: reading it again and again takes quadratic time.
            if found is not None or position - path > _LONGEST_READ_AGAIN:
                return found, position
        return None, path

    def _look_at_other_slash(
        self, begin: int, path: int, opening: str
    ) -> _Looked | None:
        """Look for a path whose slash is another character, of an East Asian keyboard.

        Args:
            begin: Where the reference begins.
            path: Where its path begins.
            opening: What the reference begins with, as it is usually written.
        """
        text = self._text
        if not self._malformed or text.isascii():
            return None
        other = compiled(_OTHER_SLASH).match(text, path)
        if other is None:
            return None
        suffix = other.end()
        end = self._ends.trimmed(suffix, self._ends.end_of_run(suffix, suffix), begin)
        if end == suffix:
            return None
        slash = other.start("slash")
        meant = f"{opening}{text[path:slash].lstrip()}/{text[suffix:end]}"
        if reference_or_none(meant, self._proxies, self._charset) is None:
            return None
        written = text[begin:end]
        span = (slash - begin, suffix - begin)
        reason = not_a_slash(text[slash:suffix])
        error = HandleSyntaxError(written, span, reason, suggestion=meant)
        return Found(error, begin, end, written), end

    def _look_at_doubled_scheme(
        self, first_head: str, begin: int, path: int
    ) -> _Looked | None:
        """Look behind a scheme that another opening or a proxy's URL follows.

        Return `None` for a scheme that stands alone.
        """
        text = self._text
        # Most often the number of a prefix follows, and no scheme.
        if text[path : path + 1].isdecimal():
            return None
        others = compiled(_OPENINGS).match(text, path)
        last = others.end() if others else path
        if not text.startswith("//", last):
            tail = self._proxies.locate(text, last)
            if tail is not None:
                # Before a URL, one label is a label, as "URL:" is.
                is_open = text[begin - 1 : begin] == "<"
                is_label = others is None and first_head in _LABELS and not is_open
                scheme = None if is_label else begin
                return self._read(last, tail.start, scheme=scheme)
        if others is None:
            return None
        head = others["last"].lower().partition(":")[0]
        inner_path = self._path_behind(head, last)
        if inner_path is None:
            return None, path
        return self._read(others.start("last"), inner_path, scheme=begin)

    def _path_behind(self, head: str, path: int) -> int | None:
        """Return where the path begins behind the opening of a form, if one follows."""
        following = compiled(_PATH_BEHIND[head]).match(self._text, path)
        if following is None:
            return None
        if head in _NUMBERED_HEADS:
            prefix = unquote(following["prefix"].rpartition("@")[2])
            is_listed = fold_ascii(prefix) in self._text_prefixes
            if not is_listed and not _DIGIT_OR_DOT.search(prefix):
                return None
        # One space may follow "doi:" and "hdl:", as many authors put it there.
        return path + self._text.startswith((" ", "\xa0"), path)

    def _look_behind_label(self, path: int) -> _Looked:
        """Look behind a colon that marks or brackets separate from its label."""
        head = self._label_before(path - 1)
        if head is None:
            return None, path
        begin = self._behind_label(head, path)
        if begin is None:
            return None, path
        return self._read(begin, begin, opening=f"{head}:")

    def _label_before(self, colon: int) -> str | None:
        """Return the label before a colon and the marks or brackets around the label."""
        first = max(colon - _LONGEST_LABEL, 0)
        label = compiled(_LABEL).search(self._text[first:colon])
        if label is None or not self._may_start(first + label.start()):
            return None
        head = label["head"].lower()
        # "HDL : 45/60" is a ratio.
        is_spaced = head != "doi" and _SPACE.search(label["marks"])
        return None if is_spaced else head

    def _behind_label(self, head: str, path: int) -> int | None:
        """Return where the identifier begins behind the colon of a label, if it does."""
        gap = compiled(_BEHIND_LABEL).match(self._text, path)
        if gap is None or (gap["number"] and head == "doi"):
            return None
        if self._path_behind(head, gap.end()) is None:
            return None
        is_open = gap[0].endswith("<") and self._ends.closing_angle(gap.end()) is None
        return None if is_open else gap.end()

    def _look_at_number(self, path: int) -> _Looked:
        """Look before a slash for a DOI in an angle bracket, behind a label or in a list."""
        slash = path - 1
        first = max(slash - _LONGEST_NUMBER, 0)
        labelled = compiled(_LABELLED_NUMBER).search(self._text[first:slash])
        if labelled is None:
            return None, path
        start = first + labelled.start()
        if labelled["next"] and start != self._end_in_list:
            return None, path
        has_label = labelled["label"] or labelled["plural"]
        if has_label and not self._may_start(start):
            return None, path
        begin = first + labelled.start("number")
        found, position = self._read(begin, begin, opening="doi:")
        if found is not None and (labelled["plural"] or labelled["next"]):
            self._end_in_list = found.end
        return found, position

    def _may_start(self, begin: int) -> bool:
        """Whether a reference may start: the text before is none of it, or says what it is."""
        if self._is_free(begin):
            return True
        return self._text[begin - 1 : begin] == ":" and self._is_behind_words(begin - 1)

    def _is_field_name(self, head: str, begin: int, path: int) -> bool:
        """Whether a label is the name of a field: ``:DOI: 10.1000/182``."""
        is_named = head in _LABELS and self._text[begin - 1 : begin] == ":"
        is_alone = is_named and not self._text[max(begin - 2, 0) : begin - 1].strip()
        return is_alone and self._text[path : path + 1].isspace()

    def _is_behind_words(self, colon: int) -> bool:
        """Whether the text before a colon is no part of an address that goes on.

        It is a word (``Available at:https://doi.org/10.…``), several, or in markup.
        """
        text = self._text
        for _ in range(_MOST_WORDS):
            word = _WORD_BEFORE.search(text, max(colon - _LONGEST_WORD, 0), colon)
            begin = colon if word is None else word.start()
            if begin == colon:
                # Behind nothing, a colon begins the name of a role.
                before = text[colon - 1 : colon]
                return before.strip() != "" and self._is_free(colon)
            if text[begin:colon].lower() in _SCHEMES_BEFORE_URI:
                return False
            if self._is_free(begin):
                return True
            if text[begin - 1] != ":":
                return False
            colon = begin - 1
        return False

    def _is_free(self, begin: int) -> bool:
        """Whether the text before is not part of a word or an address that goes on.

        A ``*`` or ``~`` is a delimiter of markup, and so is a run of ``_`` that does
        not follow a word. An ``@`` is Pandoc's, unless it follows a letter or a digit.
        """
        before = begin - 1
        while before >= 0 and self._text[before] == "_":
            before -= 1
        if before >= 0 and self._text[before] == "@":
            return before == 0 or not self._text[before - 1].isalnum()
        return before < 0 or _NOT_BEFORE.match(self._text, before) is None

    def _read_mended(self, begin: int, mended: MendedOpening) -> _Looked:
        """Read a reference whose beginning is damaged, as it was certainly meant."""
        return self._read(begin, mended.path, opening=mended.opening, stop=mended.end)

    def _read(
        self,
        begin: int,
        path: int,
        *,
        scheme: int | None = None,
        opening: str | None = None,
        stop: int | None = None,
    ) -> _Looked:
        """Read the reference that begins at `begin`, and its path at `path`.

        Args:
            begin: Where the reference begins.
            path: Where its path begins.
            scheme: Where a scheme begins that stands doubled before it.
            opening: The text to read in place of everything before `path`.
            stop: Where the path ends, if the address goes on behind it.
        """
        text = self._text
        first = begin if scheme is None else scheme
        close = self._ends.closing_angle(first)
        if close is not None:
            end = begin + len(text[begin:close].rstrip())
            position = run_end = close
        else:
            following = _PATH_BEHIND_HOST.match(text, path)
            suffix = following.end() if following else None
            run_end = self._ends.end_of_run(path, suffix)
            end = self._ends.trimmed(path, run_end, begin)
            position = end if end > path else max(run_end, path)
        if end <= path:
            return None, position
        written = text[begin:end]
        readable = written
        if opening is not None:
            readable = f"{opening}{text[path : min(end, stop or end)]}"
        reference = reference_or_none(readable, self._proxies, self._charset)
        if reference is None:
            return self._malformed_at(begin, written), position
        if reference.handle.is_doi:
            if self._ends.is_half_of_sici(end):
                return self._half_of_sici(begin, end), position
            other_half = self._other_half(run_end) if close is None else None
            if other_half is not None:
                return self._cut_in_two(begin, path, run_end, other_half), other_half
        source = text[first:end]
        if reference.source != source:
            reference = replace(reference, source=source)
        return Found(reference, begin, end, written), position

    def _other_half(self, end: int) -> int | None:
        """Return where the other half ends of a DOI that a space at `end` cuts in two."""
        # Most references end in a letter or a digit.
        if self._text[end - 1] not in "/.":
            return None
        before = self._text[max(end - _LONGEST_FIRST_HALF, 0) : end]
        if _FIRST_HALF.search(before) is None:
            return None
        half = compiled(_OTHER_HALF).match(self._text, end)
        return half and half.end()

    def _cut_in_two(self, begin: int, path: int, space: int, end: int) -> Found | None:
        """Return a DOI as malformed because of the space in it."""
        if not self._malformed:
            return None
        text = self._text
        written = text[begin:end]
        span = (space - begin, space + 1 - begin)
        meant = f"doi:{text[path:space]}{text[space + 1 : end]}"
        error = HandleSyntaxError(written, span, _SPACE_INSIDE, suggestion=meant)
        return Found(error, begin, end, written)

    def _malformed_at(self, begin: int, written: str) -> Found | None:
        """Return text that was certainly meant for a reference."""
        # Other running text that is not a reference is not an error.
        if not self._malformed:
            return None
        try:
            HandleReference.parse(
                written, proxies=self._proxies, document_charset=self._charset
            )
        except HandleSyntaxError as error:
            # Behind an address, an ellipsis is nothing that was meant.
            wrong = written[slice(*error.span)]
            is_empty = LETTER_OR_DIGIT.search(wrong) is None
            is_certain = (
                error.suggestion is not None
                or (isinstance(error, _CERTAIN_ERRORS) and not is_empty)
                or self._is_incomplete(written, begin + len(written))
            )
            if is_certain:
                # The frames of the traceback would be kept with it.
                error = error.with_traceback(None)
                return Found(error, begin, begin + len(written), written)
        return None

    def _is_incomplete(self, written: str, end: int) -> bool:
        """Whether octets are no text, or nothing at all follows the prefix of a DOI."""
        if _OCTETS.search(written):
            return True
        is_elided = self._text.startswith(("..", "\u2026"), end)
        is_end = _NOTHING_BEHIND.match(self._text, end) is not None
        return is_end and not is_elided and _PREFIX_OF_DOI.search(written) is not None

    def _half_of_sici(self, begin: int, end: int) -> Found | None:
        """Return a DOI as malformed because of the ``<`` behind it."""
        if not self._malformed:
            return None
        written = self._text[begin : end + 1]
        span = (len(written) - 1, len(written))
        reason = 'nothing closes the "<" behind it: is it one half of a SICI?'
        error = CutError(written, span, reason)
        return Found(error, begin, end + 1, written)
