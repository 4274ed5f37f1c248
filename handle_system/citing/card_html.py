"""The card as HTML: one markup for Sphinx, the Markdown plugin and programs.

::

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
from collections.abc import Iterable, Mapping
from html import escape
from itertools import groupby
from pathlib import Path

from handle_system.citing.card import Card, HistoryRow, InlineText, Label, Statement
from handle_system.citing.formats import CitationExport, CitationFormat

__all__ = ["SCRIPT", "STATIC", "STYLESHEET", "card_html", "statement_html"]

#: The folder with the stylesheet and the script.
STATIC = Path(__file__).parent / "static"
#: The name of the stylesheet there; its custom properties take a theme's colours.
STYLESHEET = "handle-cite.css"
#: The name of the script there.
SCRIPT = "handle-cite.js"

_CLASSES = {
    Label.OLD_VERSION: "hdl-cite-old",
    Label.CITE_LATEST: "hdl-cite-latest",
    Label.CITE_THIS: "hdl-cite-this",
    Label.NO_IDENTIFIER: "hdl-cite-this",
    Label.NO_IDENTIFIER_BUT_URL: "hdl-cite-this",
}
#: The language of a format, as highlighters call it.
LANGUAGES = {
    CitationFormat.BIBTEX: "bibtex",
    CitationFormat.CSL_JSON: "json",
    CitationFormat.CFF: "yaml",
}
_SEGMENT = re.compile("[^/]*/+|[^/]+")
# A longer segment of an address may fill a line of a narrow column.
_LONG_SEGMENT = 28


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
    # No landmark: a page may have several, and those need names of their own.
    opening = (
        f'<section class="hdl-cite"{identity} role="group" '
        f'aria-label="{labels[Label.TITLE]}" data-copy="{labels[Label.COPY]}" '
        f'data-copied="{labels[Label.COPIED]}" '
        f'data-reference="{labels[Label.REFERENCE]}">'
    )
    parts = [
        opening,
        f'<p class="hdl-cite-heading">{labels[Label.TITLE]}</p>',
    ]
    if card.notice is not None:
        parts.append(statement_html(card.notice))
    if card.reference:
        parts.append(_paragraph("hdl-cite-reference", card.reference))
    parts += map(statement_html, card.statements)
    if card.formats:
        name = labels[Label.FORMATS]
        parts.append(f'<div class="hdl-formats" role="group" aria-label="{name}">')
        for export in card.formats:
            name = card.format_name(export.format)
            file = (downloads or {}).get(export.format)
            parts.append(_format(export, name, group or f"{anchor}-formats", file))
        parts.append("</div>")
    if card.history:
        parts.append(_history(card, labels))
    parts.append("</section>\n")
    return "\n".join(parts)


def statement_html(statement: Statement) -> str:
    """One sentence, as a paragraph."""
    return _paragraph(_CLASSES[statement.label], statement.content)


def _paragraph(name: str, content: Iterable[InlineText]) -> str:
    return f'<p class="{name}">{_inline(content)}</p>'


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
    has_base = bool(path) and part.text == part.href and part.text.endswith(path)
    base = len(part.text) - len(path) if has_base else 0
    segments = []
    for segment in _SEGMENT.finditer(part.text):
        name = "hdl-base" if segment.end() <= base else "hdl-segment"
        long = " hdl-long" if len(segment.group()) > _LONG_SEGMENT else ""
        text = escape(segment.group())
        segments.append(f'<span class="{name}{long}">{text}</span>')
    names = {"doi": "hdl doi ", "hdl": "hdl "}.get(scheme, "")
    data = f' data-scheme="{scheme}:"' if has_base else ""
    return (
        f'<a class="{names}reference external" href="{escape(part.href)}"{data}>'
        f"{'<wbr />'.join(segments)}</a>"
    )


def _format(
    export: CitationExport, name: str, group: str, file: tuple[str, str] | None
) -> str:
    language = LANGUAGES.get(export.format, "text")
    download = ""
    if file is not None:
        href, file_name = map(escape, file)
        download = (
            f'<a class="reference download internal" download="{file_name}" '
            f'href="{href}">{file_name}</a>'
        )
    return (
        f'<details class="hdl-format" name="{escape(group)}">'
        f"<summary>{escape(name)}</summary>\n"
        '<div class="hdl-format-body">'
        f'<pre><code class="language-{language}">{escape(export.text)}</code></pre>\n'
        f'<p class="hdl-actions">{download}</p></div></details>'
    )


def _history(card: Card, labels: Mapping[Label, str]) -> str:
    head = "".join(f'<th scope="col">{escape(name)}</th>' for name in card.columns)
    rows = "\n".join(_row(row, labels[Label.THIS_VERSION]) for row in card.history)
    return (
        f'<table class="hdl-history"><caption>{labels[Label.HISTORY]}</caption>\n'
        f"<thead><tr>{head}</tr></thead>\n<tbody>{rows}</tbody></table>"
    )


def _row(row: HistoryRow, this_version: str) -> str:
    opening, badge = "<tr>", ""
    if row.is_this:
        opening = '<tr class="hdl-this-version" aria-current="true">'
        badge = f' <span class="hdl-badge">{this_version}</span>'
    return (
        f'{opening}<th scope="row">{escape(row.label)}{badge}</th>'
        f'<td class="hdl-date">{escape(row.date)}</td><td>{escape(row.changes)}</td>'
        f"<td>{_inline(row.identifier)}</td></tr>"
    )
