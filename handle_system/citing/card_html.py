"""The card as HTML: one markup for Sphinx, the Markdown plugin and programs.

::

    section.hdl-cite[aria-label][data-copy][data-copied]
        p.hdl-cite-heading
        p.hdl-cite-old?
        p.hdl-cite-reference?
        p.hdl-cite-latest? p.hdl-cite-this
        div.hdl-formats? > details.hdl-format[name]*
        table.hdl-history?

The markup is well-formed XML, so it stands in EPUB too. It works without a script; the
script adds buttons that copy. Stylesheet and script are in `STATIC`.
"""

import re
from collections.abc import Iterable, Mapping
from html import escape
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
_PROXY = re.compile("https?://[^/]*/", re.IGNORECASE)


def card_html(
    card: Card,
    anchor: str,
    downloads: Mapping[CitationFormat, tuple[str, str]] | None = None,
) -> str:
    """The card as HTML.

    Args:
        card: The card.
        anchor: The id of its element, unique in the page; empty for none.
        downloads: The address and the name of the file of each format, if there is one.
    """
    labels = {label: escape(text) for label, text in card.labels.items()}
    identity = f' id="{escape(anchor)}"' if anchor else ""
    # No landmark: a page may have several, and those need names of their own.
    opening = (
        f'<section class="hdl-cite"{identity} role="group" '
        f'aria-label="{labels[Label.TITLE]}" data-copy="{labels[Label.COPY]}" '
        f'data-copied="{labels[Label.COPIED]}">'
    )
    parts = [
        opening,
        f'<p class="hdl-cite-heading" aria-hidden="true">{labels[Label.TITLE]}</p>',
    ]
    if card.notice is not None:
        parts.append(statement_html(card.notice))
    if card.reference:
        parts.append(_paragraph("hdl-cite-reference", card.reference))
    parts += map(statement_html, card.statements)
    if card.formats:
        parts.append(f'<div class="hdl-formats" aria-label="{labels[Label.FORMATS]}">')
        for export in card.formats:
            name = card.labels[Label.PLAIN_TEXT]
            if export.format is not CitationFormat.TEXT:
                name = export.format.heading
            file = (downloads or {}).get(export.format)
            parts.append(_format(export, name, f"{anchor}-formats", file))
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
    return "".join(
        escape(each.text) if each.href is None else _link(each.text, each.href)
        for each in content
    )


def _link(text: str, href: str) -> str:
    """A link whose text breaks after slashes only.

    In a narrow column the stylesheet hides the address of the proxy, so that the
    handle is left.
    """
    base = _PROXY.match(text)
    parts = []
    for segment in _SEGMENT.finditer(text):
        is_base = base is not None and segment.end() <= base.end()
        name = ' class="hdl-base"' if is_base else ""
        parts.append(f"<span{name}>{escape(segment.group())}</span>")
    broken = "<wbr />".join(parts)
    return f'<a class="hdl reference external" href="{escape(href)}">{broken}</a>'


def _format(
    export: CitationExport, name: str, group: str, file: tuple[str, str] | None
) -> str:
    language = LANGUAGES.get(export.format, "text")
    download = ""
    if file is not None:
        href, file_name = map(escape, file)
        download = (
            f'\n<p class="hdl-download"><a class="reference download internal" '
            f'download="{file_name}" href="{href}">{file_name}</a></p>'
        )
    return (
        f'<details class="hdl-format" name="{escape(group)}">'
        f"<summary>{escape(name)}</summary>\n"
        f'<pre><code class="language-{language}">{escape(export.text)}</code></pre>'
        f"{download}</details>"
    )


def _history(card: Card, labels: Mapping[Label, str]) -> str:
    head = "".join(f'<th scope="col">{escape(name)}</th>' for name in card.columns)
    rows = "\n".join(_row(row, labels[Label.THIS_VERSION]) for row in card.history)
    return (
        f'<table class="hdl-history docutils"><caption>{labels[Label.HISTORY]}</caption>\n'
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
