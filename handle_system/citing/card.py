"""The card "Cite this version", without any markup.

A front end renders a `Card` and adds no text: so all front ends say the same. A
card reads, in this order: its heading, a notice on an old version, the reference,
the statements, the formats, and the history with the newest version first.

All texts of a card are translated when it is made; identifiers are never part of a
translated message. The two statements are those of the PILIN Handle Suffix Format
policy (seed 002), word for word; PILIN's citation policy asks for both encodings of
a handle, the ``hdl:`` URI and the resolvable URL, "where practical".
"""

from collections.abc import Callable
from dataclasses import dataclass
from enum import StrEnum

from handle_system.citing.citation import Citation, CitationFormat
from handle_system.citing.formats import CitationExport, export
from handle_system.handle import Handle
from handle_system.proxies import Proxies
from handle_system.reference import HandleReference

__all__ = [
    "Card",
    "HistoryRow",
    "InlineText",
    "Label",
    "Statement",
    "Translate",
    "make_card",
    "untranslated",
]

#: Turns an English message into the reader's language.
Translate = Callable[[str], str]

# The place of the identifier: not every language puts it last.
_IDENTIFIER = "{identifier}"


def _(message: str) -> str:
    """Mark a message for the collectors of gettext."""
    return message


class Label(StrEnum):
    """Every message of a card; the value is the English text."""

    CITE_LATEST = _("To cite the latest version of this work use {identifier}")
    """The statement for the work through time (seed 002)."""
    CITE_THIS = _("To cite this version of this work, use {identifier}")
    """The statement for the version in hand (seed 002)."""
    OLD_VERSION = _("You are reading an old version; the latest is {identifier}")
    """The notice on a version that is not the latest one."""
    NO_IDENTIFIER = _("This version has no persistent identifier yet")
    """The statement for a version without a handle and without an address."""
    NO_IDENTIFIER_BUT_URL = _(
        "This version has no persistent identifier yet; its address is {identifier}"
    )
    """The statement for a version without a handle."""
    NOT_YET_ASSIGNED = _("not yet assigned")
    """The identifier of such a version in the history."""
    TITLE = _("Cite this version")
    """The heading."""
    HISTORY = _("Version history")
    """The caption of the table of versions."""
    VERSION = _("Version")
    """A column of that table, and a word of the reference."""
    DATE = _("Date")
    """A column: the day of publication."""
    CHANGES = _("Status & changes")
    """A column: the version's status and changes."""
    IDENTIFIER = _("Identifier")
    """A column: the version's handle."""
    THIS_VERSION = _("this version")
    """The mark of the row of the version in hand."""
    REFERENCE = _("Reference")
    """The name of the formatted reference."""
    FORMATS = _("Formats")
    """The name of the formats for reference managers."""
    PLAIN_TEXT = _("Plain text")
    """The one format whose name is a word."""
    COPY = _("Copy")
    """The button that copies a text."""
    COPIED = _("Copied")
    """The button after that."""


@dataclass(frozen=True, slots=True)
class InlineText:
    """A run of text; with `href`, an identifier that links there.

    The text is exact: no smart quotes, no hyphenation.

    Attributes:
        text: The text.
        href: The target of a link.
        uri: The ``hdl:`` or ``doi:`` URI of the handle that the link leads to.
        is_second: Whether it repeats the identifier before it in its other encoding.
    """

    text: str
    href: str | None = None
    uri: str | None = None
    is_second: bool = False


@dataclass(frozen=True, slots=True, kw_only=True)
class Statement:
    """A sentence of the card.

    Attributes:
        label: Its message, by which front ends name a CSS class.
        content: The sentence, its identifier as a link.
    """

    label: Label
    content: tuple[InlineText, ...]


@dataclass(frozen=True, slots=True, kw_only=True)
class HistoryRow:
    """A version in the table of the history.

    Attributes:
        label: The version's label.
        date: Its date, ISO 8601, or nothing.
        changes: Its status and changes, or nothing.
        identifier: Its handle, or the words for none.
        is_this: Whether it is the version in hand.
    """

    label: str
    date: str
    changes: str
    identifier: tuple[InlineText, ...]
    is_this: bool


@dataclass(frozen=True, slots=True, kw_only=True)
class Card:
    """The card, in the reader's language.

    Attributes:
        labels: The text of every `Label` that holds no identifier.
        notice: The notice on an old version, if it is one.
        reference: The reference as a bibliography prints it, or nothing.
        statements: The sentences on how to cite the work, then this version.
        formats: The citation for reference managers.
        history: The versions, the newest first, or none.
    """

    labels: dict[Label, str]
    notice: Statement | None
    reference: tuple[InlineText, ...]
    statements: tuple[Statement, ...]
    formats: tuple[CitationExport, ...]
    history: tuple[HistoryRow, ...]

    def format_name(self, form: CitationFormat) -> str:
        """The name of a format for readers."""
        is_text = form is CitationFormat.TEXT
        return self.labels[Label.PLAIN_TEXT] if is_text else form.heading

    @property
    def columns(self) -> tuple[str, ...]:
        """The headings of the history's columns."""
        columns = (Label.VERSION, Label.DATE, Label.CHANGES, Label.IDENTIFIER)
        return tuple(self.labels[column] for column in columns)


def untranslated(message: str) -> str:
    """The message as it stands."""
    return message


def make_card(
    citation: Citation,
    translate: Translate = untranslated,
    *,
    page_url: str | None = None,
) -> Card:
    """The card of a citation, with the parts that its display asks for.

    Args:
        citation: The citation.
        translate: The catalogue of messages.
        page_url: The absolute address of the page, for a version that has neither
            a handle nor a published address.

    >>> from handle_system.citing.work import Work
    >>> card = make_card(Citation(
    ...     work=Work(title="Policy", handle=Handle.parse("102.100.272/Y35XYS0QH")),
    ...     version=Version(label="1.0", handle=Handle.parse("102.100.272/0N8J991QH")),
    ... ))
    >>> for statement in card.statements:
    ...     print("".join(part.text for part in statement.content))
    To cite the latest version of this work use https://hdl.handle.net/102.100.272/Y35XYS0QH
    To cite this version of this work, use https://hdl.handle.net/102.100.272/0N8J991QH
    """
    work, this, display = citation.work, citation.version, citation.display
    own_address = citation.url or page_url

    def identifier(handle: Handle) -> tuple[InlineText, ...]:
        return _identifier(handle, citation.proxies, with_uri=display.uris)

    def statement(label: Label, content: tuple[InlineText, ...]) -> Statement:
        return Statement(
            label=label, content=_sentence(translate(label.value), content)
        )

    latest = identifier(work.handle) if work.handle else ()
    statements = [statement(Label.CITE_LATEST, latest)] if latest else []
    if this.handle:
        statements.append(statement(Label.CITE_THIS, identifier(this.handle)))
    elif own_address:
        link = (InlineText(own_address, own_address),)
        statements.append(statement(Label.NO_IDENTIFIER_BUT_URL, link))
    else:
        statements.append(statement(Label.NO_IDENTIFIER, ()))
    is_old = work.is_old(this) and bool(latest)
    return Card(
        labels={
            each: translate(each.value) for each in Label if _IDENTIFIER not in each
        },
        notice=statement(Label.OLD_VERSION, latest) if is_old else None,
        reference=_reference(citation, translate) if display.reference else (),
        statements=tuple(statements),
        formats=tuple(export(citation, form) for form in display.formats),
        history=tuple(
            HistoryRow(
                label=version.label,
                date=version.date.isoformat() if version.date else "",
                changes=version.changes,
                identifier=identifier(version.handle)
                if version.handle
                else (InlineText(translate(Label.NOT_YET_ASSIGNED.value)),),
                is_this=version is work.version(this.label),
            )
            for version in reversed(work.ordered if display.history else ())
        ),
    )


def _reference(citation: Citation, translate: Translate) -> tuple[InlineText, ...]:
    """The reference with its whole link, which survives being copied (Crossref)."""
    text = citation.reference(translate(Label.VERSION.value))
    if citation.url is None:
        return (InlineText(text),)
    uri = HandleReference(handle=citation.handle).uri() if citation.handle else None
    return (InlineText(f"{text} "), InlineText(citation.url, citation.url, uri))


def _identifier(
    handle: Handle, proxies: Proxies, *, with_uri: bool
) -> tuple[InlineText, ...]:
    """A handle's link; then, in brackets, its URI, which leads to the same place."""
    url, uri = proxies.link(handle), HandleReference(handle=handle).uri()
    link = InlineText(url, url, uri)
    if not with_uri:
        return (link,)
    return (
        link,
        InlineText(" (", is_second=True),
        InlineText(uri, url, uri, is_second=True),
        InlineText(")", is_second=True),
    )


def _sentence(
    message: str, identifier: tuple[InlineText, ...]
) -> tuple[InlineText, ...]:
    """A message with its identifier; at the end, where a translation lost the place."""
    before, place, after = message.partition(_IDENTIFIER)
    if not place and identifier:
        before = f"{message.rstrip()} "
    content = (InlineText(before), *identifier, InlineText(after))
    return tuple(part for part in content if part.text)
