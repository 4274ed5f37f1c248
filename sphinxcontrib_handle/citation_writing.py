"""The block "cite this version" as it is written: above all as HTML.

The elements and classes are those of the Markdown plugin.  Formats fold away by
themselves (``details``); a script, where scripts run, adds buttons that copy.  Other
writers need to be told little: where it can be referred to, and where it begins.
"""

from functools import partial
from html import escape
from typing import TYPE_CHECKING

from docutils import nodes
from sphinx.util.osutil import relative_uri
from sphinx.writers.html5 import HTML5Translator
from sphinx.writers.latex import LaTeXTranslator
from sphinx.writers.manpage import ManualPageTranslator
from sphinx.writers.texinfo import TexinfoTranslator

from handle_system.citing.formats import CitationFormat
from sphinxcontrib_handle.citation_nodes import (
    CiteBlock,
    FormatBlock,
    FormatName,
    FormatText,
    HeadCell,
    HistoryName,
    HistoryTable,
    LabelCell,
    Sentence,
    ThisRow,
)
from sphinxcontrib_handle.cite_files import FormatFiles, url_of

if TYPE_CHECKING:
    from sphinx.application import Sphinx

__all__ = ["setup_citation_writing"]


def _visit_block(writer: HTML5Translator, node: CiteBlock) -> None:
    attributes = {
        "aria-label": node["label"],
        "data-copy": node["copy"],
        "data-copied": node["copied"],
        # No landmark: a page may have several, and those must have names of their own.
        "role": "group",
    }
    writer.body.append(writer.starttag(node, "section", **attributes))


def _depart_block(writer: HTML5Translator, _node: CiteBlock) -> None:
    writer.body.append("</section>\n")


def _visit_format(writer: HTML5Translator, node: FormatBlock) -> None:
    writer.body.append(writer.starttag(node, "details"))


def _depart_format(
    files: FormatFiles, writer: HTML5Translator, node: FormatBlock
) -> None:
    file = files.of(node.get("page", "")).get(CitationFormat(node["format"]))
    if file is not None:
        builder = writer.builder
        here = url_of(builder, builder.current_docname)
        href, name = escape(relative_uri(here, file.url)), escape(file.path.name)
        writer.body.append(
            f'<p class="hdl-download"><a class="reference download internal" '
            f'download="" href="{href}">{name}</a></p>\n'
        )
    writer.body.append("</details>\n")


def _visit_name(writer: HTML5Translator, node: FormatName) -> None:
    writer.body.append(writer.starttag(node, "summary", ""))


def _depart_name(writer: HTML5Translator, _node: FormatName) -> None:
    writer.body.append("</summary>\n")


def _visit_text(writer: HTML5Translator, node: FormatText) -> None:
    # Written out: docutils makes an attribute ``lang`` of a class of that name.
    language, text = escape(node["language"]), escape(node.astext())
    writer.body.append(
        f'<pre><code class="language-{language}">{text}\n</code></pre>\n'
    )
    raise nodes.SkipNode


def _skip(_writer: HTML5Translator, _node: HistoryName) -> None:
    # The table itself is labelled so.
    raise nodes.SkipNode


def _visit_history(writer: HTML5Translator, node: HistoryTable) -> None:
    writer.visit_table(node)
    name = escape(node["caption"])
    writer.body.append(f'<caption><span class="caption-text">{name}</span></caption>\n')


def _depart_history(writer: HTML5Translator, node: HistoryTable) -> None:
    writer.depart_table(node)


def _visit_this_row(writer: HTML5Translator, node: ThisRow) -> None:
    # Rows are counted, and classes given by it; only the attribute is added here.
    writer.visit_row(node)
    tag = writer.body.pop().rstrip().removesuffix(">")
    writer.body.append(f'{tag} aria-current="true">')


def _visit_head_cell(writer: HTML5Translator, node: HeadCell) -> None:
    _open_heading(writer, node, "col")


def _visit_label_cell(writer: HTML5Translator, node: LabelCell) -> None:
    _open_heading(writer, node, "row")


def _open_heading(writer: HTML5Translator, node: nodes.entry, scope: str) -> None:
    # Where writers of HTML count cells; no type says so.
    node.parent.column += 1  # type: ignore[union-attr]
    writer.body.append(writer.starttag(node, "th", "", scope=scope))


def _depart_cell(writer: HTML5Translator, _node: nodes.entry) -> None:
    writer.body.append("</th>\n")


def _depart_row(writer: HTML5Translator, node: ThisRow) -> None:
    writer.depart_row(node)


# Addresses are long words: lines need not be of one length, and one may break after
# a hyphen that stands in an address, or it would run off the paper.
_LATEX_SETTING = (
    "\\raggedright"
    "\\expandafter\\def\\expandafter\\UrlBreaks\\expandafter{\\UrlBreaks\\do\\-}%\n"
)
# Labels and dates are not broken; changes and identifiers share what room there is.
_LATEX_COLUMNS = "llLL"


def _visit_in_latex(writer: LaTeXTranslator, node: CiteBlock) -> None:
    writer.visit_container(node)
    writer.body.append(writer.hypertarget_to(node, anchor=True))
    writer.body.append(_LATEX_SETTING)


def _depart_in_latex(writer: LaTeXTranslator, node: CiteBlock) -> None:
    # What is set for a paragraph must hold until it ends.
    writer.body.append("\n\\par\n")
    writer.depart_container(node)


def _visit_history_in_latex(writer: LaTeXTranslator, node: HistoryTable) -> None:
    if writer.next_table_colspec is None:
        writer.next_table_colspec = _LATEX_COLUMNS
    writer.visit_table(node)


def _depart_history_in_latex(writer: LaTeXTranslator, node: HistoryTable) -> None:
    writer.depart_table(node)


def _visit_in_texinfo(writer: TexinfoTranslator, node: CiteBlock) -> None:
    for anchor in node["ids"]:
        writer.add_anchor(anchor, node)


def _depart_in_texinfo(_writer: TexinfoTranslator, _node: CiteBlock) -> None:
    """Nothing ends a container there."""


def _visit_in_man(writer: ManualPageTranslator, _node: nodes.container) -> None:
    # The first paragraph in a container is not set apart from what is before it.
    writer.ensure_eol()
    writer.body.append(".sp\n")


def _depart_in_man(_writer: ManualPageTranslator, _node: nodes.container) -> None:
    """Nothing ends a container there."""


def setup_citation_writing(app: "Sphinx", files: FormatFiles) -> None:
    """Register the nodes with the writers that do more than with their sort."""
    app.add_node(
        CiteBlock,
        html=(_visit_block, _depart_block),
        latex=(_visit_in_latex, _depart_in_latex),
        texinfo=(_visit_in_texinfo, _depart_in_texinfo),
        man=(_visit_in_man, _depart_in_man),
    )
    app.add_node(
        FormatBlock,
        html=(_visit_format, partial(_depart_format, files)),
        man=(_visit_in_man, _depart_in_man),
    )
    app.add_node(Sentence)
    app.add_node(FormatName, html=(_visit_name, _depart_name))
    app.add_node(FormatText, html=(_visit_text, None))
    app.add_node(HistoryName, html=(_skip, None))
    app.add_node(
        HistoryTable,
        html=(_visit_history, _depart_history),
        latex=(_visit_history_in_latex, _depart_history_in_latex),
    )
    app.add_node(ThisRow, html=(_visit_this_row, _depart_row))
    app.add_node(HeadCell, html=(_visit_head_cell, _depart_cell))
    app.add_node(LabelCell, html=(_visit_label_cell, _depart_cell))
