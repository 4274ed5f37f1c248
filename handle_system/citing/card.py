"""The card "Cite this version", and its HTML.

A front end renders a `Card` and adds no text: so all front ends say the same. A card
reads, in this order: its heading, a notice on an old version, the reference, the
statements, the formats, and the history with the newest version first.

All texts of a card are translated when it is made; identifiers are never part of a
translated message. The two statements are those of the PILIN Handle Suffix Format
policy (seed 002), word for word; PILIN's citation policy asks for both encodings of a
handle, the ``hdl:`` URI and the resolvable URL, "where practical".

Sphinx, the Markdown plugin and programs have one markup::

    section.hdl-cite[aria-label][data-copy][data-copied][data-reference]
        p.hdl-cite-heading
        p.hdl-cite-old?
        p.hdl-cite-reference?
        p.hdl-cite-latest? p.hdl-cite-this
        div.hdl-formats? > details.hdl-format[name]*
            summary
            div.hdl-format-body > pre, p.hdl-actions
        table.hdl-history?

The markup is well-formed XML, so it stands in EPUB too. It works without a script; the
script adds buttons that copy. Stylesheet and script are in `STATIC`.
"""

import re
from collections.abc import Callable, Iterable, Mapping
from dataclasses import dataclass
from html import escape
from itertools import groupby
from pathlib import Path
from typing import TypeAlias

from handle_system.citing.citation import Citation, CitationFormat
from handle_system.citing.formats import export
from handle_system.handle import Handle
from handle_system.reference import HandleReference

__all__ = [
    "LABELS",
    "LANGUAGES",
    "SCRIPT",
    "STATIC",
    "STYLESHEET",
    "Card",
    "InlineText",
    "Text",
    "card_html",
    "make_card",
]

#: The folder with the stylesheet and the script.
STATIC = Path(__file__).parent / "static"
#: The name of the stylesheet there; its custom properties take a theme's colours.
STYLESHEET = "handle-cite.css"
#: The name of the script there.
SCRIPT = "handle-cite.js"
#: The language of a format, as highlighters call it.
LANGUAGES = {
    CitationFormat.BIBTEX: "bibtex",
    CitationFormat.CSL_JSON: "json",
    CitationFormat.CFF: "yaml",
}
# The place of the identifier: not every language puts it last.
_IDENTIFIER = "{identifier}"
_SEGMENT = re.compile("[^/]*/+|[^/]+")


#: Every message of a card by its name, in English.
LABELS = {
    # The statements for the work through time and the version in hand (seed 002).
    "cite_latest": "To cite the latest version of this work use {identifier}",
    "cite_this": "To cite this version of this work, use {identifier}",
    # The notice on a version that is not the latest one.
    "old_version": "You are reading an old version; the latest is {identifier}",
    # The statement for a version without a handle, with and without an address.
    "no_identifier": "This version has no persistent identifier yet",
    "no_identifier_but_url": (
        "This version has no persistent identifier yet; its address is {identifier}"
    ),
    # The identifier of such a version in the history.
    "not_yet_assigned": "not yet assigned",
    "title": "Cite this version",
    # The caption of the table of versions, its columns, and the mark of one row.
    "history": "Version history",
    "version": "Version",
    "date": "Date",
    "changes": "Status & changes",
    "identifier": "Identifier",
    "this_version": "this version",
    # The formatted reference, and the formats for reference managers.
    "reference": "Reference",
    "formats": "Formats",
    CitationFormat.TEXT.value: "Plain text",
    # The button that copies a text, before and after that.
    "copy": "Copy",
    "copied": "Copied",
}


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


#: A paragraph, or a cell of a table.
Text: TypeAlias = tuple[InlineText, ...]


@dataclass(frozen=True, slots=True, kw_only=True)
class Card:
    """The card, in the reader's language.

    Attributes:
        labels: The text of every label that holds no identifier, by its name.
        paragraphs: By name, in their order: ``old``, the notice on an old version;
            ``reference``, as a bibliography prints it; ``latest`` and ``this``, the
            statements on how to cite the work, and this version.
        formats: The formats of reference managers, each with its name for readers
            and the citation in it.
        columns: The headings of the history's columns.
        history: The versions, the newest first, or none: of each the label, date and
            changes, and the handle or the words for none.
        this_row: The row of the version in hand, if it is listed.
    """

    labels: Mapping[str, str]
    paragraphs: Mapping[str, Text]
    formats: tuple[tuple[CitationFormat, str, str], ...]
    columns: tuple[str, ...]
    history: tuple[tuple[Text, ...], ...]
    this_row: int | None


def make_card(
    citation: Citation,
    translate: Callable[[str], str] = str,
    *,
    page_url: str | None = None,
) -> Card:
    """The card of a citation, with the parts that its display asks for.

    Args:
        citation: The citation.
        translate: Turns an English message into the reader's language.
        page_url: The absolute address of the page, for a version that has neither
            a handle nor a published address.

    >>> from handle_system import Version, Work
    >>> card = make_card(Citation(
    ...     work=Work(title="Policy", handle=Handle.parse("102.100.272/Y35XYS0QH")),
    ...     version=Version(label="1.0", handle=Handle.parse("102.100.272/0N8J991QH")),
    ... ))
    >>> for name in ("latest", "this"):
    ...     print("".join(part.text for part in card.paragraphs[name]))
    To cite the latest version of this work use https://hdl.handle.net/102.100.272/Y35XYS0QH
    To cite this version of this work, use https://hdl.handle.net/102.100.272/0N8J991QH
    """
    work, this, display = citation.work, citation.version, citation.display
    labels = {name: translate(message) for name, message in LABELS.items()}
    latest = _identifier(citation, work.handle)
    own = _identifier(citation, this.handle)
    statement, address = "cite_this" if own else "no_identifier", this.url or page_url
    if not own and address:
        statement, own = "no_identifier_but_url", (InlineText(address, address),)
    paragraphs: dict[str, Text] = {}
    if latest and work.is_old(this):
        paragraphs["old"] = _sentence(labels["old_version"], latest)
    if display.reference:
        # Its link is shown whole, and survives being copied (Crossref).
        text = citation.reference(labels["version"])
        paragraphs["reference"] = (
            (InlineText(f"{text} "), own[0]) if citation.url else (InlineText(text),)
        )
    if latest:
        paragraphs["latest"] = _sentence(labels["cite_latest"], latest)
    paragraphs["this"] = _sentence(labels[statement], own)
    unassigned = (InlineText(labels["not_yet_assigned"]),)
    listed, versions = work.version(this.label), work.ordered[::-1]
    rows = (
        (
            (InlineText(version.label),),
            (InlineText(version.date.isoformat() if version.date else ""),),
            (InlineText(version.changes),),
            _identifier(citation, version.handle) or unassigned,
        )
        for version in versions
    )
    return Card(
        labels={
            name: labels[name]
            for name, message in LABELS.items()
            if _IDENTIFIER not in message
        },
        paragraphs=paragraphs,
        formats=tuple(
            (form, labels.get(form, form.heading), export(citation, form))
            for form in display.formats
        ),
        columns=tuple(
            labels[name] for name in ("version", "date", "changes", "identifier")
        ),
        history=tuple(rows) if display.history else (),
        this_row=versions.index(listed) if listed else None,
    )


def _identifier(citation: Citation, handle: Handle | None) -> Text:
    """A handle's link; then, in brackets, its URI, which leads to the same place."""
    if handle is None:
        return ()
    url, uri = citation.proxies.link(handle), HandleReference(handle=handle).uri()
    second = (
        InlineText(" (", is_second=True),
        InlineText(uri, url, uri, is_second=True),
        InlineText(")", is_second=True),
    )
    return (InlineText(url, url, uri), *(second if citation.display.uris else ()))


def _sentence(message: str, identifier: Text) -> Text:
    """A message with its identifier; at the end, where a translation lost the place."""
    before, place, after = message.partition(_IDENTIFIER)
    if identifier and not place:
        before = f"{message.rstrip()} "
    content = (InlineText(before), *identifier, InlineText(after))
    return tuple(part for part in content if part.text)


def card_html(
    card: Card,
    anchor: str,
    downloads: Mapping[CitationFormat, tuple[str, str]] | None = None,
    *,
    group: str = "",
) -> str:
    """The card as HTML.

    Args:
        card: The card.
        anchor: The id of its element, unique in the page; empty for none.
        downloads: The address and the name of the file of each format, if there is one.
        group: A name for the formats of this card, unique in the HTML document:
            browsers keep one of a group open. By default it is made of `anchor`.
    """
    labels = {label: escape(text) for label, text in card.labels.items()}
    identity = f' id="{escape(anchor)}"' if anchor else ""
    group = escape(group or f"{anchor}-formats")
    # No landmark: a page may have several, and those need names of their own.
    opening = (
        f'<section class="hdl-cite"{identity} role="group" '
        f'aria-label="{labels["title"]}" data-copy="{labels["copy"]}" '
        f'data-copied="{labels["copied"]}" '
        f'data-reference="{labels["reference"]}">'
    )
    parts = [
        opening,
        f'<p class="hdl-cite-heading">{labels["title"]}</p>',
        *(
            f'<p class="hdl-cite-{name}">{_inline(text)}</p>'
            for name, text in card.paragraphs.items()
        ),
    ]
    if card.formats:
        parts += [
            f'<div class="hdl-formats" role="group" aria-label="{labels["formats"]}">',
            *(
                f'<details class="hdl-format" name="{group}">'
                f"<summary>{escape(name)}</summary>\n"
                f'<div class="hdl-format-body"><pre><code class="language-'
                f'{LANGUAGES.get(form, "text")}">{escape(text)}</code></pre>\n'
                f'<p class="hdl-actions">{_download((downloads or {}).get(form))}</p>'
                "</div></details>"
                for form, name, text in card.formats
            ),
            "</div>",
        ]
    if card.history:
        head = "".join(f'<th scope="col">{escape(name)}</th>' for name in card.columns)
        rows = "\n".join(
            _row(row, labels["this_version"] if index == card.this_row else "")
            for index, row in enumerate(card.history)
        )
        parts.append(
            f'<table class="hdl-history"><caption>{labels["history"]}</caption>\n'
            f"<thead><tr>{head}</tr></thead>\n<tbody>{rows}</tbody></table>"
        )
    parts.append("</section>\n")
    return "\n".join(parts)


def _inline(content: Iterable[InlineText]) -> str:
    """Text and links; an identifier in its second encoding is an element of its own."""
    html = ""
    for is_second, parts in groupby(content, lambda part: part.is_second):
        text = "".join(map(_text_or_link, parts))
        html += f'<span class="hdl-second">{text}</span>' if is_second else text
    return html


def _text_or_link(part: InlineText) -> str:
    """A run of text; a link breaks after slashes only.

    In a narrow column the stylesheet shows the scheme of the handle's URI in place of
    the address of the proxy.
    """
    if part.href is None:
        return escape(part.text)
    scheme, _, path = (part.uri or "").partition(":")
    is_whole = path and part.text == part.href and part.text.endswith(path)
    base = len(part.text) - len(path) if is_whole else 0
    segments = []
    for segment in _SEGMENT.finditer(part.text):
        name = "hdl-base" if segment.end() <= base else "hdl-segment"
        # A segment of this length may fill a line of a narrow column.
        long = " hdl-long" if segment.end() - segment.start() > 28 else ""
        segments.append(f'<span class="{name}{long}">{escape(segment.group())}</span>')
    names = {"doi": "hdl doi ", "hdl": "hdl "}.get(scheme, "")
    data = f' data-scheme="{scheme}:"' if base else ""
    return (
        f'<a class="{names}reference external" href="{escape(part.href)}"{data}>'
        f"{'<wbr />'.join(segments)}</a>"
    )


def _download(file: tuple[str, str] | None) -> str:
    if file is None:
        return ""
    href, name = map(escape, file)
    return (
        f'<a class="reference download internal" download="{name}" '
        f'href="{href}">{name}</a>'
    )


def _row(row: tuple[Text, ...], mark: str) -> str:
    """A row of the history; the mark is that of the version in hand."""
    label, date, changes, identifier = map(_inline, row)
    opening = '<tr class="hdl-this-version" aria-current="true">' if mark else "<tr>"
    badge = f' <span class="hdl-badge">{mark}</span>' if mark else ""
    return (
        f'{opening}<th scope="row">{label}{badge}</th>'
        f'<td class="hdl-date">{date}</td><td>{changes}</td><td>{identifier}</td></tr>'
    )
