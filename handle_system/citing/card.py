"""The card "Cite this version", in the reader's language.

A front end renders a `Card` and adds no text: so all front ends say the same. A card
reads, in this order: its heading, the statements, the formats, and the history with the
newest version first. The notice on an old version stands below the title of the page.

All texts of a card are translated when it is made; identifiers are never part of a
translated message. The two statements are those of the PILIN project (*Handle Suffix
Format Policy*, 2007), word for word. Its citation policy asks for both encodings of a
handle, the ``hdl:`` URI and the resolvable URL, "where practical".

A card is dictionaries and lists of runs of text; `to_plain` makes lists of the runs, so
that a doctree can keep it.  `citing.card_html` writes it as HTML.

**Change how the card looks.** What it says is in `handle_system/citing/card.py`, a line
as runs of text. `card_html.py` there writes it as HTML, and `static/handle-cite.css`
and `handle-cite.js` give it its look and its buttons; other builders of Sphinx take the
nodes of `sphinxcontrib_handle/cite/content.py`, and mystmd the paragraphs of
`handle_pipelines/mystmd/statements.py`. These tests need no browser:

- `tests/test_core/test_card_look.py`: each class of the stylesheet is written, colours
  are the theme's, a fixed colour has its contrast;
- `tests/test_core/test_citation_card.py`: the HTML is well-formed with any text, and
  every part has its place and its name;
- `tests/test_parity/test_cite_cases.py`: the golden files hold the whole card as HTML,
  LaTeX, plain text and a manual page; rewrite them as that file says, and read the
  difference.

How it looks in themes, dark and light, narrow and on paper, needs one: `python -m
trials.card FOLDER PICTURES`, which keeps a picture of each view.
"""

from collections.abc import Callable
from dataclasses import dataclass
from typing import Any, TypeAlias, TypedDict

from handle_system.citing.citation import Citation
from handle_system.citing.fields import is_http_url
from handle_system.citing.formats import CitationFormat
from handle_system.citing.style import Described, Run, reference
from handle_system.citing.work import Version
from handle_system.handle import Handle
from handle_system.presenting import Presenter, classes_of
from handle_system.reference import HandleReference

# The place of the identifier: not every language puts it last.
_IDENTIFIER = "{identifier}"

#: Every message of a card by its name, in English.
LABELS = {
    "title": "Cite this version",
    # The statements for the version in hand and for the work through time, in the words
    # of PILIN's policy. The reference, or the identifier, stands below.
    "cite_this": "To cite this version of this work, use",
    "cite_latest": "To cite the latest version of this work use",
    "cite_article": "To cite the article that describes this work, use",
    # In place of the first statement, for a version without a handle.
    "no_identifier": "This version has no persistent identifier yet",
    # The notice on a version that is not the latest one.
    "old_version": f"You are reading an old version; the latest is {_IDENTIFIER}",
    # More about the work, on request.
    "license": "Licence",
    "copyright": "Copyright",
    "contact": "Contact",
    "pdf": "PDF",
    # The caption of the table of versions, its columns, and the mark of one row.
    "history": "Version history",
    "version": "Version",
    "date": "Date",
    "changes": "Status & changes",
    "identifier": "Identifier",
    "this_version": "this version",
    # The identifier of a version without a handle in the history.
    "not_yet_assigned": "not yet assigned",
    # The formats for reference managers; names of formats are not translated.
    "formats": "Formats",
    CitationFormat.TEXT.value: "Plain text",
    # The buttons that copy the reference or a format, and their text after that.
    "copy_reference": "Copy reference",
    "copy": "Copy",
    "copied": "Copied",
}


@dataclass(frozen=True, slots=True, kw_only=True)
class Display:
    """The parts of a card that are shown.

    Attributes:
        reference: The reference as a bibliography prints it.
        history: The table of versions.
        uris: The ``hdl:`` or ``doi:`` URI below each link.
        about: The licence, the copyright, the contact and the PDF, as far as known.
        formats: The formats for reference managers, in the order given.
        example: Whether the page only shows the card and is no version of the work;
            nothing is checked then.
    """

    reference: bool = True
    history: bool = False
    uris: bool = False
    about: bool = False
    formats: tuple[CitationFormat, ...] = ()
    example: bool = False


#: A line of text.
Text: TypeAlias = list[Run]


class Statement(TypedDict):
    """A term, and one or more descriptions of it.

    Attributes:
        name: The name of the term in `LABELS`.
        term: The term: a statement of the policy, or a word such as "Licence".
        descriptions: The text to use, or the value.
    """

    name: str
    term: str
    descriptions: list[Text]


class ExportedText(TypedDict):
    """The citation in a format of reference managers.

    Attributes:
        name: The format, by the name that an author writes.
        heading: The format's name for readers.
        language: The language of the text, as highlighters call it.
        text: The text.
    """

    name: str
    heading: str
    language: str
    text: str


class HistoryRow(TypedDict):
    """A version in the history.

    Attributes:
        label: Its label.
        date: Its date in ISO 8601, or nothing.
        changes: Its status and changes.
        identifier: Its handle, or the words for none.
        is_this_version: Whether it is the version in hand.
    """

    label: str
    date: str
    changes: str
    identifier: Text
    is_this_version: bool


class Card(TypedDict):
    """The card.

    Attributes:
        labels: The text of every label that holds no identifier, by its name.
        notice: The notice on an old version; nothing for the latest one.
        statements: How to cite this version, and the work.
        article: The handle of the article that describes the work, if there is one. What
            became of the article is shown below its statement (see `citing.card_html`).
        has_address: Whether the reference holds the address of this version. It has
            none before it has a handle, and HTML shows the address of the page then.
        about: More about the work.
        formats: The formats for reference managers.
        columns: The headings of the history's columns.
        history: The versions, the newest first, or none.
    """

    labels: dict[str, str]
    notice: Text
    statements: list[Statement]
    article: str
    has_address: bool
    about: list[Statement]
    formats: list[ExportedText]
    columns: list[str]
    history: list[HistoryRow]


def make_card(
    citation: Citation,
    display: Display | None = None,
    translate: Callable[[str], str] = str,
) -> Card:
    """The card of a citation, with the parts that its display asks for.

    Args:
        citation: The citation.
        display: The parts that are shown.
        translate: Turns an English message into the reader's language.

    >>> from handle_system import Version, Work
    >>> card = make_card(Citation(
    ...     work=Work(title="Policy", handle=Handle.parse("102.100.272/Y35XYS0QH")),
    ...     version=Version(label="1.0", handle=Handle.parse("102.100.272/0N8J991QH")),
    ... ))
    >>> for statement in card["statements"]:
    ...     print(statement["term"], plain_text(statement["descriptions"][0]))
    To cite this version of this work, use Policy. Version 1.0. https://hdl.handle.net/102.100.272/0N8J991QH
    To cite the latest version of this work use https://hdl.handle.net/102.100.272/Y35XYS0QH
    """
    display = display or Display()
    labels = {name: translate(message) for name, message in LABELS.items()}
    statements = [_this_version(citation, display, labels, translate)]
    if citation.work.article is not None:
        article = citation.work.article
        statements.append(_article(citation, article, labels, translate))
    if citation.work.handle is not None:
        statements.append(_latest_version(citation, display, labels))
    columns = ("version", "date", "changes", "identifier")
    return Card(
        labels={
            name: labels[name]
            for name, message in LABELS.items()
            if _IDENTIFIER not in message
        },
        notice=_notice(citation, labels),
        statements=statements,
        article=str(citation.article_handle or ""),
        has_address=citation.url is not None,
        about=_about(citation, labels) if display.about else [],
        formats=[_exported(citation, form, labels) for form in display.formats],
        columns=[labels[name] for name in columns],
        history=_history(citation, labels) if display.history else [],
    )


def to_plain(part: Any) -> Any:
    """A card, or a part of one, as plain data, for a doctree that is pickled.

    Lists stand in the place of runs.
    """
    match part:
        case Run(text, tags, href, classes):
            return [text, [*tags], href, [*classes]]
        case dict():
            return {name: to_plain(member) for name, member in part.items()}
        case list():
            return [*map(to_plain, part)]
    return part


def from_plain(plain: Any) -> Any:
    """The card, or the part of one, of which `to_plain` gave the data."""
    match plain:
        case [str(text), [*tags], str(href), [*classes]]:
            return Run(text, tuple(tags), href, tuple(classes))
        case dict():
            return {name: from_plain(member) for name, member in plain.items()}
        case list():
            return [*map(from_plain, plain)]
    return plain


def _this_version(
    citation: Citation,
    display: Display,
    labels: dict[str, str],
    translate: Callable[[str], str],
) -> Statement:
    handle = citation.version.handle
    name = "no_identifier" if handle is None else "cite_this"
    description: Text = []
    # Without an address there is nothing else to use.
    if display.reference or citation.url is None:
        description += citation.reference(translate)
    address = _address(citation, handle, citation.version.url)
    if address is not None:
        if description:
            # The link is shown whole, and survives being copied (Crossref).
            description.append(Run(" "))
        description.append(address)
    descriptions = [description]
    if display.uris and handle is not None:
        descriptions.append([_uri(handle)])
    return Statement(name=name, term=labels[name], descriptions=descriptions)


def _address(citation: Citation, handle: Handle | None, url: str | None) -> Run | None:
    """The link of a handle; without one, the published address."""
    if handle is not None:
        return _handle_link(citation, handle)
    return Run(url, href=url) if url is not None else None


def _article(
    citation: Citation,
    article: Described,
    labels: dict[str, str],
    translate: Callable[[str], str],
) -> Statement:
    """The article that describes the work: its reference, and its address once."""
    description: Text = [*reference(article, translate, is_shortened=False)]
    address = _address(citation, article.handle, article.url)
    if address is not None:
        description += [Run(" "), address]
    return Statement(
        name="cite_article", term=labels["cite_article"], descriptions=[description]
    )


def _latest_version(
    citation: Citation, display: Display, labels: dict[str, str]
) -> Statement:
    handle = citation.work.handle
    assert handle is not None  # noqa: S101 - the caller has looked
    descriptions = [[_handle_link(citation, handle)]]
    if display.uris:
        descriptions.append([_uri(handle)])
    return Statement(
        name="cite_latest", term=labels["cite_latest"], descriptions=descriptions
    )


def _notice(citation: Citation, labels: dict[str, str]) -> Text:
    """The notice on an old version, with the address of the work."""
    handle = citation.work.handle
    if handle is None or not citation.work.is_old(citation.version):
        return []
    link = _handle_link(citation, handle)
    before, place, after = labels["old_version"].partition(_IDENTIFIER)
    if not place:
        # A translation has lost the place.
        before = f"{before.rstrip()} "
    runs = (Run(before), link, Run(after))
    return [run for run in runs if run.text]


def _about(citation: Citation, labels: dict[str, str]) -> list[Statement]:
    """The licence, the copyright, the contact and the PDF, as far as known."""
    work = citation.work
    values = (
        ("license", work.license_name, work.license_url),
        ("copyright", work.copyright, None),
        ("contact", work.contact, work.contact),
        ("pdf", citation.version.pdf, citation.version.pdf),
    )
    statements = []
    for name, text, href in values:
        if text is None:
            continue
        run = Run(text)
        # A contact may also be an address of e-mail, which stays text.
        if href is not None and is_http_url(href):
            run = Run(text, href=href)
        statements.append(Statement(name=name, term=labels[name], descriptions=[[run]]))
    return statements


def _exported(
    citation: Citation, form: CitationFormat, labels: dict[str, str]
) -> ExportedText:
    return ExportedText(
        name=form.value,
        heading=labels.get(form, form.heading),
        language=form.language,
        text=form.export(citation),
    )


def _history(citation: Citation, labels: dict[str, str]) -> list[HistoryRow]:
    """The versions, the newest first."""
    work = citation.work
    listed = work.version(citation.version.label)
    rows = []
    for version in reversed(work.ordered):
        is_this_version = version is listed
        rows.append(
            HistoryRow(
                label=version.label,
                date=version.date.isoformat() if version.date else "",
                changes=version.changes,
                identifier=_history_identifier(
                    citation, version, labels, is_linked=not is_this_version
                ),
                is_this_version=is_this_version,
            )
        )
    return rows


def _history_identifier(
    citation: Citation, version: Version, labels: dict[str, str], *, is_linked: bool
) -> Text:
    """The URI of a version's handle; that of the version in hand is linked above."""
    if version.handle is None:
        return [Run(labels["not_yet_assigned"])]
    href = citation.proxies.link(version.handle) if is_linked else ""
    return [_uri(version.handle, href)]


def _handle_link(citation: Citation, handle: Handle) -> Run:
    """The link of a handle, whose text is its address."""
    presenter = Presenter(proxies=citation.proxies, display="url")
    presented = presenter.present(HandleReference(handle=handle))
    return Run(presented.text, href=presented.href, classes=presented.classes)


def _uri(handle: Handle, href: str = "") -> Run:
    """The URI of a handle, which is literal text unless it is a link."""
    return Run(handle.uri(), href=href, classes=classes_of(handle))
