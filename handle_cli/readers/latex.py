r"""LaTeX: the targets of links, DOIs in ``\doi``, and text, with TeX's escapes decoded.

Comments, verbatim text, keys of citations and names of files are no text.  The value of
a macro or of a parameter (``#1``) is not known, and an identifier that holds one is none.
A block ends at an empty line, an item, a heading and an environment: what stands beside
its only reference may be a written one, as in ``\bibitem``.

It is one pass over the characters that TeX gives a meaning.  An argument that is not
closed within a bound is none, and up to that bound no other one is looked for.
"""

import re
import unicodedata
from bisect import bisect_right
from collections.abc import Iterator
from typing import NamedTuple

from handle_cli.readers import Block, ReadingRules, at
from handle_cli.readers.columns import identifier_in
from handle_cli.readers.tex import CHARACTER_OF_NAME, plain_of_tex
from handle_system import HandleReference
from handle_system.found import Found, Markup
from handle_system.lines import Lines

# Where a line may break: nothing is shown there.
_JOINT = r"""
    \\ (?: [-/] | (?:no)?linebreak \[[0-3]\]
        | (?: (?:allow|no)break (?![A-Za-z@]) | penalty-?[0-9]++ )
          (?> (?: [ \t\r] | \n (?! [ \t\r]*+ \n ) )* ) )
"""
_TOKEN = re.compile(
    r"""
    (?P<character>
        (?P<held> \{ )?
        \\ (?:
            (?P<accent> ["'`^~=.] | [uvHcdbrk](?=[ {\\]) ) [ ]*+
            (?: \{ \\? (?P<inner> [A-Za-z] ) \} | (?: \\(?=[ij](?![A-Za-z])) )? (?P<letter> [A-Za-z] ) )
          | (?P<name> CHARACTER_NAMES ) (?![A-Za-z@]) (?: \{\} | [ ] )?
          | (?P<sign> [_%&\#${}] )
        )
        (?(held) \} )
    )
  | (?P<comparison> \$ [ ]* (?P<mark> [<>] ) [ ]* \$ )
  | (?P<quote> `` | '' )
  | (?P<joint> JOINT )
  | (?P<command> \\ (?P<word> [A-Za-z@]++ ) \*?+ )
  | (?P<symbol> \\ .? )
  | (?P<comment> % [^\n]*+ (?> (?: \n [ \t]*+ (?! [\r\n] ) )? ) )
  | (?P<empty> \n [ \t\r]*+ \n \s*+ )
  | (?P<space> ~++ )
  | (?P<brace> [{}]++ | \$++ )
    """.replace(
        "CHARACTER_NAMES",
        r"textless|textgreater|textunderscore|textasciitilde|slash|textendash|textemdash"
        r"|ss|ae|AE|oe|OE|aa|AA|o|O|l|L|i|j",
    ).replace("JOINT", _JOINT),
    re.VERBOSE | re.DOTALL,
)
_CHARACTERS = CHARACTER_OF_NAME | {
    "AA": "Å",
    "AE": "Æ",
    "L": "Ł",
    "O": "Ø",
    "OE": "Œ",
    "aa": "å",
    "ae": "æ",
    "i": "i",
    "j": "j",
    "l": "ł",
    "o": "ø",
    "oe": "œ",
    "slash": "/",
    "ss": "ß",
    "textemdash": "—",
    "textendash": "–",
}
_COMBINING = {
    '"': "\u0308",
    "'": "\u0301",
    "`": "\u0300",
    "^": "\u0302",
    "~": "\u0303",
    "=": "\u0304",
    ".": "\u0307",
    "u": "\u0306",
    "v": "\u030c",
    "H": "\u030b",
    "c": "\u0327",
    "d": "\u0323",
    "b": "\u0331",
    "r": "\u030a",
    "k": "\u0328",
}
# In a block, a brace or a command is the first: a space for who looks for references,
# and nothing for who reads the text. A link is the second.
_MARKUP = "\x1f"
_LINK = "\x1e"
_ADDRESS_WORDS = frozenset({"url", "burl"})
_DOI_WORDS = frozenset({"doi", "DOI"})
_VERBATIM_WORDS = frozenset({"verb", "Verb", "lstinline", "mintinline"})
_VERBATIM = re.compile(r"\*?(?:\[[^\]\n]{0,200}+\])?(?:\{\w{1,20}\}(?=\S))?")
_VERBATIM_ENVIRONMENTS = frozenset(
    """
    BVerbatim LVerbatim SaveVerbatim Verbatim VerbatimOut alltt code comment filecontents
    lstlisting minted verbatim
    """.split()  # noqa: SIM905 (a list of words reads better than one of strings)
)
# What follows them is the name of a macro, and no call of it.
_DEFINING_WORDS = frozenset(
    """
    DeclareDocumentCommand DeclareRobustCommand DeclareUrlCommand NewDocumentCommand
    ProvideDocumentCommand RenewDocumentCommand def edef gdef let newcommand
    providecommand renewcommand xdef
    """.split()  # noqa: SIM905 (a list of words reads better than one of strings)
)
# The conditionals of TeX and those with "@"; others of the name are macros (ifthenelse).
# A comment holds none, and begins behind no backslash.
_BRANCH = re.compile(
    r"""
    \\ (?: (?: (?P<if> if (?: @[A-Za-z@]+ | x|num|dim|odd|case|cat|defined|csname|true|false
        |[hmv]mode|inner|void|[hv]box|eof )? ) | (?P<else> else ) | (?P<fi> fi ) )
        (?![A-Za-z@]) | [^A-Za-z@] )
    | % [^\n]*+
    """,
    re.VERBOSE,
)
_DEFINED = re.compile(r"\s*+\*?\s*+\{?\s*+\\[A-Za-z@]++")
_NEW_BLOCK = frozenset(
    """
    chapter item par paragraph part section subparagraph subsection subsubsection
    """.split()  # noqa: SIM905 (a list of words reads better than one of strings)
)
# Their first argument is a key, a name, a file or a length.
_WITHOUT_TEXT = re.compile(
    r"""
    [A-Za-z]*[Cc]ite(?:|p|t|alp|alt|author|year|num|text|title|url|date|s|yearpar)
    | (?:auto|[Cc]|eq|name|page|sub|v)?ref | bib(?:field|info|item|liography|liographystyle) | BibitemShut
    | addbibresource | documentclass | hyper(?:target|link) | include
    | includegraphics | input | label | lstinputlisting | RequirePackage | usepackage
    """,
    re.VERBOSE,
)
_GAP = re.compile(r"(?>(?:[ \t\r]|\n(?![ \t\r]*+\n)|%[^\n]*+\n)*)")
_NAME_ARGUMENT = re.compile(r"\s*+\{[^{}]{0,200}+\}\s*+")
_MARK_IN_TARGET = re.compile(r"\\.|[{}]", re.DOTALL)
_MARK_IN_TEXT = re.compile(r"\\.|%[^\n]*+|[{}\]]", re.DOTALL)
# A macro whose value is not known, a parameter of one, or a value from a template.
_UNKNOWN = re.compile(r"\\[A-Za-z@]|\#[0-9\#]|[${}]")
_PARAMETER = re.compile(r"\#[0-9\#]")
_BREAK_IN_TARGET = re.compile(rf"%?[ \t\r]*+\n\s*+ | {_JOINT}", re.VERBOSE)
_SPACE = re.compile(r"\s++")
# Some classes have a number or an address of the journal there.
_MEANT_FOR_DOI = re.compile(
    r"(?:doi\s*:\s*|https?://[^/\s]++/)?1[0Oo][./]", re.IGNORECASE
)
# REVTeX gives it this value.
_DOI_BASE = re.compile(r"\\doibase\s*+")
# In characters.
_LONGEST_TARGET = 3_000
_LONGEST_TEXT = 6_000
_LONGEST_LABEL = 500
# A longer block is divided: behind what may stand in an identifier, only a huge one.
_LONGEST_BLOCK = 50_000
_LONGEST_BLOCKS = dict.fromkeys(("character", "comparison", "comment"), 1_000_000)
_LONGEST_VERBATIM = 1_000


def read_latex(text: str, rules: ReadingRules) -> Iterator[Found]:
    """The references in the links and the text of a document."""
    # A shortDOI looks like an identifier only there.
    if "\\doi" in text or rules.may_hold_identifier(text):
        yield from _Document(Lines(text), rules).references()


class _Piece(NamedTuple):
    """A part of a block: where it begins there, and its span in the file."""

    begin: int
    start: int
    end: int
    is_literal: bool


class _Block(Block):
    """A text without markup, and where each part of it stands in the file.

    It has a character for each command, brace and link.
    """

    def __init__(self) -> None:
        super().__init__()
        self._pieces: list[_Piece] = []

    def add_written(
        self, part: str, start: int, end: int, *, is_literal: bool = False
    ) -> None:
        """Add a part, which is written in a span of the file."""
        if part:
            self._pieces.append(_Piece(self.length, start, end, is_literal))
            self.add(part)

    def add_link(self, found: Found | None, start: int, end: int) -> None:
        """Add a link, and the reference that it leads to, if it does to one."""
        if found is not None:
            self.keep(found, self.length, self.length + 1)
        self.add_written(_LINK, start, end)

    def shown(self, part: str) -> str:
        """A part of the text as readers see it, on one line."""
        return super().shown(part.replace(_MARKUP, "").replace(_LINK, ""))

    def span(self, begin: int, end: int) -> tuple[int, int]:
        """The span in the file of a part of the text, which is not empty."""
        first = self._piece(begin)
        last = self._piece(end - 1)
        start = first.start + (begin - first.begin) * first.is_literal
        stop = last.start + end - last.begin if last.is_literal else last.end
        return start, stop

    def _piece(self, offset: int) -> _Piece:
        number = bisect_right(self._pieces, offset, key=lambda piece: piece.begin)
        return self._pieces[number - 1]


class _Document:
    """A document that is read from its beginning to its end."""

    def __init__(self, lines: Lines, rules: ReadingRules) -> None:
        self._lines = lines
        self._text = lines.text
        self._rules = rules
        self._block = _Block()
        # The offset before which no argument is closed.
        self._open_until = 0

    def references(self) -> Iterator[Found]:
        """All references, block by block."""
        position = 0
        end = len(self._text)
        while (token := _TOKEN.search(self._text, position)) is not None:
            self._add_literal(position, token.start())
            position = token.end()
            kind = token.lastgroup or ""
            if kind == "command":
                if _ends_block(token["word"]):
                    yield from self._end_block()
                position = self._after_command(token)
            elif kind == "empty":
                yield from self._end_block()
            else:
                self._block.add_written(_plain(token), *token.span())
            if self._block.length > _LONGEST_BLOCKS.get(kind, _LONGEST_BLOCK):
                yield from self._end_block()
            if position < 0:
                # What follows the end of a document is no part of it.
                position = end
        self._add_literal(position, end)
        yield from self._end_block()

    def _add_literal(self, start: int, end: int) -> None:
        self._block.add_written(self._text[start:end], start, end, is_literal=True)

    def _after_command(self, token: re.Match[str]) -> int:
        """Read a command with the arguments that are no text; the offset behind them.

        It is negative at the end of the document.
        """
        word = token["word"]
        end = token.end()
        if word == "href":
            return self._after_link(end)
        if word in _ADDRESS_WORDS or word in _DOI_WORDS:
            return self._after_address(token)
        if word in {"nolinkurl", "path"}:
            return self._after_shown_address(end)
        if word in {"begin", "end"}:
            return self._after_environment(token)
        if word in _VERBATIM_WORDS:
            return self._after_verbatim(end)
        if word == "iffalse":
            return self._after_branch(end)
        if word in _DEFINING_WORDS:
            name = _DEFINED.match(self._text, end)
            end = name.end() if name else end
        elif _WITHOUT_TEXT.fullmatch(word):
            end = self._after_arguments(end)
            while word.endswith("cites") and self._after_arguments(end) > end:
                end = self._after_arguments(end)
        end = self._after_gap(end)
        self._block.add_written(_MARKUP, token.start(), end)
        return end

    def _after_branch(self, position: int) -> int:
        r"""The offset behind the ``\else`` or ``\fi`` of an ``\iffalse``."""
        depth = 0
        for mark in _BRANCH.finditer(self._text, position):
            kind = mark.lastgroup
            if depth == 0 and kind in {"else", "fi"}:
                return mark.end()
            if kind == "if":
                depth += 1
            elif kind == "fi":
                depth -= 1
        return len(self._text)

    def _after_link(self, position: int) -> int:
        r"""Read the target and the text of ``\href``."""
        target = self._argument(self._after_options(position))
        if target is None:
            return position
        label = self._argument(target[1] + 1, is_text=True)
        end = target[1] + 1
        shown = ""
        if label is not None:
            end = label[1] + 1
            shown = _shown(self._text[slice(*label)])
        found = self._in_target(target, is_doi=False)
        if found is not None:
            found = found._replace(shown=shown[:_LONGEST_LABEL])
        self._block.add_link(found, position, end)
        return end

    def _after_address(self, token: re.Match[str]) -> int:
        r"""Read the argument of ``\url`` or ``\doi``."""
        target = self._argument(token.end())
        if target is None and self._text.startswith(("|", "!", "+"), token.end()):
            target = self._delimited(token.end())
        if target is None:
            self._block.add_written(_MARKUP, *token.span())
            return token.end()
        found = self._in_target(target, is_doi=token["word"] in _DOI_WORDS)
        self._block.add_link(found, token.start(), target[1] + 1)
        return target[1] + 1

    def _after_shown_address(self, position: int) -> int:
        r"""Read the argument of ``\nolinkurl``, which is text without comments."""
        target = self._argument(position)
        if target is None:
            return position
        self._block.add_written(_MARKUP, position, target[0])
        raw = self._text[slice(*target)]
        if "\\" in raw:
            self._block.add_written(plain_of_tex(raw), *target)
        else:
            self._add_literal(*target)
        self._block.add_written(_MARKUP, target[1], target[1] + 1)
        return target[1] + 1

    def _after_environment(self, token: re.Match[str]) -> int:
        name = self._argument(token.end())
        if name is None:
            return token.end()
        environment = self._text[slice(*name)].strip()
        if token["word"] == "end":
            return -1 if environment == "document" else name[1] + 1
        if environment.rstrip("*") in _VERBATIM_ENVIRONMENTS:
            return self._behind(f"\\end{{{environment}}}", name[1])
        return name[1] + 1

    def _after_verbatim(self, position: int) -> int:
        """The offset behind a text between two equal characters, or in braces."""
        options = _VERBATIM.match(self._text, position)
        start = options.end() if options else position
        if self._text.startswith("{", start):
            braced = self._argument(start)
            return braced[1] + 1 if braced else start
        span = self._delimited(start)
        return span[1] + 1 if span else start

    def _after_options(self, position: int) -> int:
        """The offset behind arguments in brackets."""
        while True:
            start = self._after_gap(position)
            if start < self._open_until or not self._text.startswith("[", start):
                return position
            position = self._behind_closing(start, "]", _MARK_IN_TEXT, _LONGEST_TEXT)
            if position < 0:
                return start

    def _after_arguments(self, position: int) -> int:
        """The offset behind arguments in brackets, and the one in braces behind them."""
        position = self._after_options(position)
        argument = self._argument(position, is_text=True)
        return position if argument is None else argument[1] + 1

    def _after_gap(self, position: int) -> int:
        gap = _GAP.match(self._text, position)
        return gap.end() if gap else position

    def _argument(
        self, position: int, *, is_text: bool = False
    ) -> tuple[int, int] | None:
        """The span of the argument in braces that follows an offset, if one does.

        Args:
            position: The offset.
            is_text: Whether a comment may stand in it.
        """
        start = self._after_gap(position)
        if start < self._open_until or not self._text.startswith("{", start):
            return None
        marks = _MARK_IN_TEXT if is_text else _MARK_IN_TARGET
        longest = _LONGEST_TEXT if is_text else _LONGEST_TARGET
        end = self._behind_closing(start, "}", marks, longest)
        return None if end < 0 else (start + 1, end - 1)

    def _behind_closing(
        self, start: int, closing: str, marks: re.Pattern[str], longest: int
    ) -> int:
        """The offset behind the mark that closes an argument; negative if none does."""
        depth = 0
        for mark in marks.finditer(self._text, start + 1, start + longest):
            if mark[0] == closing and depth == 0:
                return mark.end()
            if mark[0] == "{":
                depth += 1
            elif mark[0] == "}":
                depth -= 1
        self._open_until = start + longest
        return -1

    def _delimited(self, position: int) -> tuple[int, int] | None:
        """The span of a text on one line between two equal characters."""
        delimiter = self._text[position : position + 1]
        if not delimiter or delimiter.isalnum() or delimiter in " \t\r\n*{}[]\\#%":
            return None
        limit = position + _LONGEST_VERBATIM
        end = self._text.find(delimiter, position + 1, limit)
        if end < 0 or "\n" in self._text[position:end]:
            return None
        return position + 1, end

    def _behind(self, mark: str, position: int) -> int:
        """The offset behind the next mark; that of the end if there is none."""
        start = self._text.find(mark, position)
        return len(self._text) if start < 0 else start + len(mark)

    def _in_target(self, span: tuple[int, int], *, is_doi: bool) -> Found | None:
        raw = self._text[slice(*span)]
        written = raw.strip()
        address = _BREAK_IN_TARGET.sub("", _DOI_BASE.sub("https://doi.org/", written))
        plain = plain_of_tex(address)
        if not plain or _UNKNOWN.search(plain):
            return None
        start = span[0] + raw.find(written)
        if is_doi:
            if _MEANT_FOR_DOI.match(plain) is None:
                return None
            reference = identifier_in(plain, self._rules, doi_only=True)
            markup = Markup.CELL
        else:
            target = self._rules.parse_target(plain)
            if target is None:
                return None
            reference = target
            markup = Markup.LINK
        return next(at(self._lines, start, markup, reference, written))

    def _end_block(self) -> Iterator[Found]:
        """The references of the block, each with the text beside it; a new one begins."""
        block, self._block = self._block, _Block()
        for found in self._rules.find(block.text.replace(_MARKUP, " ")):
            start, end = block.span(found.start, found.end)
            is_sound = isinstance(found.reference, HandleReference)
            if self._is_cut(start, end, is_sound=is_sound):
                continue
            written = self._text[start:end]
            for one in at(self._lines, start, Markup.PLAIN, found.reference, written):
                block.keep(one, found.start, found.end)
        yield from block.references()

    def _is_cut(self, start: int, end: int, *, is_sound: bool) -> bool:
        """Whether a reference in text goes on in a macro, whose value is not known."""
        if _PARAMETER.search(self._text, start, end + 2):
            return True
        if self._text.startswith(("{", "$"), end):
            return True
        return not is_sound and self._text.startswith("\\", end)


def _ends_block(word: str) -> bool:
    return word in _NEW_BLOCK or word in {"begin", "bibitem", "end"}


def _plain(token: re.Match[str]) -> str:
    """What a token that is no command shows."""
    if token["accent"]:
        letter = token["inner"] or token["letter"]
        return unicodedata.normalize("NFC", letter + _COMBINING[token["accent"]])
    if token["name"]:
        return _CHARACTERS[token["name"]]
    match token.lastgroup:
        case "character":
            return token["sign"]
        case "comparison":
            return token["mark"]
        case "quote":
            return "“" if token["quote"] == "``" else "”"
        case "joint" | "comment":
            return ""
        case "symbol" | "space":
            return " "
    return _MARKUP


def _shown(raw: str) -> str:
    """The text that a part of a document shows, on one line."""
    parts = []
    position = 0
    while (token := _TOKEN.search(raw, position)) is not None:
        parts.append(raw[position : token.start()])
        position = token.end()
        if token.lastgroup != "command":
            parts.append(_plain(token))
        else:
            follows = _SPACE
            if _WITHOUT_TEXT.fullmatch(token["word"]):
                follows = _NAME_ARGUMENT
            behind = follows.match(raw, position)
            position = behind.end() if behind else position
    return _Block().shown("".join([*parts, raw[position:]])).strip()
