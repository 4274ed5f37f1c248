"""What the block "cite this version" says, without any markup.

A block is a few lines of `Piece` values, text with or without a link, in the
order in which they are read.  A front end turns pieces into its nodes or tokens
and adds nothing: so all of them say the same.  Texts are English until a
`Translate` is handed in; identifiers are in no translated text.

The order and the words of the two statements are those of the PILIN policies
(seed 002); its citation policy asks for both encodings of a handle, the
``hdl:`` URI and the resolvable address, "where practical".
"""

from collections.abc import Collection
from dataclasses import dataclass

from handle_system.citing.cited import Cited
from handle_system.citing.export import CitationExport, export
from handle_system.citing.formats import CitationFormat
from handle_system.citing.pieces import Piece, ShownHandle
from handle_system.citing.reference import reference
from handle_system.citing.words import (
    Translate,
    Words,
    around,
    untranslated,
)
from handle_system.citing.work import Version, Work
from handle_system.handle import Handle
from handle_system.proxies import DEFAULT_PROXIES, Proxies
from handle_system.reference import HandleReference

__all__ = [
    "HEADINGS",
    "CitationBlock",
    "Display",
    "HistoryRow",
    "Piece",
    "ShownHandle",
    "Statement",
    "citation_block",
]


@dataclass(frozen=True, slots=True, kw_only=True)
class Statement:
    """A sentence about one identifier.

    Attributes:
        words: `Words.CITE_LATEST`, `Words.CITE_THIS` or `Words.OLD_VERSION`.
        shown: The identifier; `None` says "not yet assigned".
    """

    words: Words
    shown: ShownHandle | None

    def pieces(self, translate: Translate = untranslated) -> tuple[Piece, ...]:
        """The sentence: words, identifier, words."""
        before, after = around(self.words, translate)
        identifier = _identifier_pieces(self.shown, translate)
        whole = (Piece(before), *identifier, Piece(after))
        return tuple(piece for piece in whole if piece.text)


@dataclass(frozen=True, slots=True, kw_only=True)
class HistoryRow:
    """One version in the table of the history.

    Attributes:
        label: The version's label.
        date: Its date, ISO 8601, or nothing.
        changes: Its status and changes, or nothing.
        shown: Its handle; `None` says "not yet assigned".
        is_this: Whether it is the version in hand.
    """

    label: str
    date: str
    changes: str
    shown: ShownHandle | None
    is_this: bool

    def cells(
        self, translate: Translate = untranslated
    ) -> tuple[tuple[Piece, ...], ...]:
        """The cells under `HEADINGS`, in that order."""
        return (
            (Piece(self.label),),
            (Piece(self.date),) if self.date else (),
            (Piece(self.changes),) if self.changes else (),
            _identifier_pieces(self.shown, translate),
        )


@dataclass(frozen=True, slots=True, kw_only=True)
class Display:
    """What of a block is shown.

    Attributes:
        history: The table of versions.
        uris: The ``hdl:`` or ``doi:`` URI beside each link.
        reference: The reference as it would stand in a bibliography.
        formats: The formats for reference managers, in the order given.
    """

    history: bool = False
    uris: bool = False
    reference: bool = False
    formats: tuple[CitationFormat, ...] = ()

    @classmethod
    def of(cls, names: Collection[str]) -> "Display":
        """What is shown when a configuration lists names.

        >>> Display.of(["history", "ris"])
        Display(history=True, uris=False, reference=False, formats=(<CitationFormat.RIS: 'ris'>,))

        Raises:
            ValueError: when a name is none of a flag, nor that of a format.
        """
        flags = {"history", "uris", "reference"}
        return cls(
            **{flag: flag in names for flag in flags},
            formats=tuple(CitationFormat(name) for name in names if name not in flags),
        )


@dataclass(frozen=True, slots=True, kw_only=True)
class CitationBlock:
    """The whole block.

    Attributes:
        notice: That this is an old version, if it is.
        statements: How to cite the latest version, then this one.
        history: The table's rows, the oldest first; empty if not asked for.
        cited: The version as a bibliography has it, if that is asked for.
        exports: The formats for reference managers that are asked for.
    """

    notice: Statement | None
    statements: tuple[Statement, ...]
    history: tuple[HistoryRow, ...] = ()
    cited: Cited | None = None
    exports: tuple[CitationExport, ...] = ()

    def reference(self, translate: Translate = untranslated) -> tuple[Piece, ...]:
        """The reference as it would stand in a bibliography, if asked for."""
        return reference(self.cited, translate) if self.cited else ()


#: The columns of the version history, in order.
HEADINGS = (Words.VERSION, Words.DATE, Words.CHANGES, Words.IDENTIFIER)


def citation_block(
    work: Work,
    this: Version,
    display: Display | None = None,
    *,
    proxies: Proxies = DEFAULT_PROXIES,
) -> CitationBlock:
    """What to say about how to cite a version, and its work.

    Args:
        work: The work, with its history.
        this: The version in hand, whether the history has it or not.
        display: What is shown beside the two statements; by default nothing.
        proxies: Where handles' links lead.

    >>> from handle_system.handle import Handle
    >>> block = citation_block(
    ...     Work(title="Policy", handle=Handle.parse("102.100.272/Y35XYS0QH")),
    ...     Version(label="1.0", handle=Handle.parse("102.100.272/0N8J991QH")),
    ... )
    >>> for statement in block.statements:
    ...     print("".join(piece.text for piece in statement.pieces()))
    To cite the latest version of this work use https://hdl.handle.net/102.100.272/Y35XYS0QH
    To cite this version of this work, use https://hdl.handle.net/102.100.272/0N8J991QH
    """
    display = display or Display()

    def shown(handle: Handle | None) -> ShownHandle | None:
        if handle is None:
            return None
        uri = HandleReference(handle=handle).uri() if display.uris else None
        return ShownHandle(url=proxies.link(handle), uri=uri)

    cited = Cited(work=work, version=this, proxies=proxies)
    latest = shown(work.handle)
    old = work.is_old(this) and latest is not None
    here = (
        work.versions.index(work.version(this.label) or this)
        if work.version(this.label)
        else -1
    )
    return CitationBlock(
        notice=Statement(words=Words.OLD_VERSION, shown=latest) if old else None,
        statements=(
            Statement(words=Words.CITE_LATEST, shown=latest),
            Statement(words=Words.CITE_THIS, shown=shown(this.handle)),
        ),
        history=tuple(
            HistoryRow(
                label=version.label,
                date=version.date.isoformat() if version.date else "",
                changes=version.changes,
                shown=shown(version.handle),
                is_this=index == here,
            )
            for index, version in enumerate(work.versions)
        )
        if display.history
        else (),
        cited=cited if display.reference else None,
        exports=tuple(export(cited, form) for form in display.formats),
    )


def _identifier_pieces(
    shown: ShownHandle | None, translate: Translate
) -> tuple[Piece, ...]:
    if shown is None:
        return (Piece(translate(Words.NOT_YET_ASSIGNED.value)),)
    return shown.pieces
