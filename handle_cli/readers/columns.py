"""Columns of tables for identifiers, and what stands where an identifier belongs.

The name of a column says that its cells hold identifiers, and each that holds none is
told.  But a "handle" may also be an account, "HDL" a value of blood, and "DOI" a question
that is answered with yes: what is no identifier counts only beside what looks like one.
"""

import re
from collections.abc import Iterable, Iterator, Mapping, Sequence
from typing import NamedTuple

from handle_cli.readers import ReadingRules
from handle_cli.readers.html_parts import shown
from handle_system import HandleReference, HandleSyntaxError
from handle_system.errors import OtherThingError, PlaceholderError, brief
from handle_system.found import Found, Markup
from handle_system.text import compiled

# What the names of the columns end in.
_NAME = re.compile(r"(?P<kind>doi|handle|hdl)s?\W*\Z")
# What people write where there is no identifier; "n/a" could be a handle.
_NO_VALUE = frozenset(
    {
        *("", "n/a", "n.a", "na", "nan", "none", "null", "nil"),
        *(
            "no",
            "no doi",
            "no handle",
            "not applicable",
            "not available",
            "unavailable",
        ),
        *("unknown", "false", "0"),
    }
)
_MARKS_OF_NOTHING = " \t\r\n-\u2013\u2014.~*"
# Words for an identifier that is to come, with or without a scheme or a proxy.
_TO_COME = r"""(?ix)
    (?:https?://[^/\s]+/ | (?:hdl|doi):)? \s*
    (?: pending | forthcoming | in\ (?:press|preparation|progress|review) | submitted
      | reserved | tb[acd] | todo | fixme | coming\ soon | x{3,} | \?+ | \.{3} | …
      | to\ be\ (?:assigned|announced|confirmed|decided|determined|added)
      | not\ (?:yet\ )?(?:assigned|published|registered|minted) | not\ yet\ available )
    \.?
"""
# What ends a sentence or a part of it, and stands in no reference of a text.
_END_OF_SENTENCE = ".,;:!?"
# The address of a site.
_ADDRESS = re.compile(r"https?://|www\.", re.IGNORECASE)
# What is an identifier, or was certainly meant for one: a form with a scheme, an address
# of a proxy, or a prefix of numbers.
_LIKELY = r"""(?ix)
    \b(?:hdl|doi)\s*: | \b(?:handle\.net|doi\.org)/
    | (?<![0-9.]) [12][0-9]\.[0-9]{4,9} (?![0-9])
    | \A[0-9]{4,9}/
"""
# Several identifiers in one cell, as repositories export them.
_PART = r"(?>(?:\s|\|\||;(?=\s))*)(?P<part>(?>(?:[^|;\s]++|\|(?!\|)|;(?!\s)|[^\S\r\n]++(?=[^|;\s]))+))"


def parts_of(content: str) -> Iterator[tuple[int, str]]:
    """The identifiers in a cell, one behind the other, and where each begins.

    A search would begin anew at each character of the space at the end.
    """
    pattern = compiled(_PART)
    part = pattern.match(content)
    while part is not None:
        yield part.start("part"), part["part"]
        part = pattern.match(content, part.end())


def is_no_value(text: str) -> bool:
    """Whether a text in the place of an identifier says that there is none."""
    return text.strip(_MARKS_OF_NOTHING).casefold() in _NO_VALUE


def is_to_come(text: str) -> bool:
    """Whether a text in the place of an identifier says that there will be one."""
    return compiled(_TO_COME).fullmatch(text.strip()) is not None


def is_address(text: str) -> bool:
    """Whether a text is the address of a site."""
    return _ADDRESS.match(text) is not None


def identifier_in(
    text: str, rules: ReadingRules, *, doi_only: bool
) -> HandleReference | HandleSyntaxError:
    """The identifier that a text in its place is, or what is wrong with the text.

    The error is an `OtherThingError` for the address of another site, and a
    `PlaceholderError` for words that stand for an identifier to come.
    """
    if is_to_come(text):
        reason = f'"{brief(text)}" is a placeholder'
        return PlaceholderError(text, (0, len(text)), reason)
    reference = rules.parse_field(text, doi_only=doi_only)
    if reference is None:
        return HandleSyntaxError(text, (0, len(text)), "there is no identifier in it")
    if not isinstance(reference, OtherThingError):
        return reference
    if is_address(text) and rules.values.link_proxies.locate(text, 0) is None:
        return reference
    # What is another thing elsewhere is a mistake here.
    return HandleSyntaxError(
        reference.source,
        reference.span,
        reference.reason,
        suggestion=reference.suggestion,
    )


def to_the_ends(
    references: Sequence[Found], parts: Mapping[int, str], rules: ReadingRules
) -> Sequence[Found]:
    """The references of a text in a cell, each with the full stop behind it.

    A text leaves it out, because it ends a sentence there.  Where nothing but identifiers
    stands in a cell, it belongs to one of them.

    Args:
        references: The references of the text.
        parts: The parts of the cell, by the offset at which each begins.
        rules: How references are recognised.
    """
    if not parts.keys() <= {found.start for found in references}:
        return references
    return [
        _to_the_end(found, parts.get(found.start, ""), rules) for found in references
    ]


def _to_the_end(found: Found, part: str, rules: ReadingRules) -> Found:
    """A reference to the end of its part, if only punctuation stands between."""
    behind = part[found.end - found.start :]
    if not behind or behind.strip(_END_OF_SENTENCE):
        return found
    reference = identifier_in(shown(part), rules, doi_only=False)
    if not isinstance(reference, HandleReference):
        return found
    return found._replace(
        reference=reference,
        end=found.start + len(part),
        written=part,
        markup=Markup.CELL,
    )


class CellForIdentifiers(NamedTuple):
    """What was read in a cell of a column for identifiers.

    Attributes:
        text: Its text.
        as_text: The references in it, if it is read as text anywhere else is.
        as_field: What it holds, if it is read as a place for identifiers.
    """

    text: str
    as_text: Sequence[Found]
    as_field: Sequence[Found]


class Column:
    """A column whose name is that of a kind of identifiers.

    Attributes:
        takes_dois_only: Whether its identifiers are DOIs.
    """

    def __init__(self, kind: str, *, is_whole: bool) -> None:
        self.takes_dois_only = kind == "doi"
        # A longer name, such as "account handle", is that of other things more often.
        self._has_whole_name = is_whole
        self._cells: list[CellForIdentifiers] = []

    @classmethod
    def named(cls, name: str) -> "Column | None":
        """The column of a name; `None` if that is no name of identifiers."""
        name = name.strip("\ufeff \t\r\n").casefold()
        end = _NAME.search(name)
        if end is None:
            return None
        return cls(end["kind"], is_whole=end.start() == 0)

    def add(self, cell: CellForIdentifiers) -> None:
        """Take up a cell that is filled."""
        self._cells.append(cell)

    def references(self, *, is_regular: bool = True) -> Iterator[Found]:
        """What its cells hold, when all were read.

        Args:
            is_regular: Whether each of its cells certainly stands below its name.
        """
        is_for_identifiers = is_regular and self._is_for_identifiers()
        for cell in self._cells:
            yield from cell.as_field if is_for_identifiers else cell.as_text

    def _is_for_identifiers(self) -> bool:
        if any(map(self._is_likely, self._cells)):
            return True
        return self._has_whole_name and all(
            is_to_come(cell.text) for cell in self._cells
        )

    def _is_likely(self, cell: CellForIdentifiers) -> bool:
        """Whether a cell shows that the column is one for identifiers."""
        if holds_identifier(cell.as_text) or compiled(_LIKELY).search(cell.text):
            return True
        return self._has_whole_name and "/" in cell.text


def holds_identifier(references: Iterable[Found]) -> bool:
    """Whether one of the references is valid."""
    return any(isinstance(found.reference, HandleReference) for found in references)
