"""The way back from an entry of a list to the places that cite the work.

On the page of the list each place has its mark; other pages are named by their titles.
A PDF names its pages, and text and manual pages the documents.
"""

from collections.abc import Iterable, Sequence
from typing import TYPE_CHECKING

from docutils import nodes

from handle_system.citing.in_text import letters
from handle_system.describing.reference_lists import LABELS, Entry, Mention
from sphinxcontrib_handle.domain import HandleDomain
from sphinxcontrib_handle.in_text import is_in_output, link_within_project
from sphinxcontrib_handle.messages import _
from sphinxcontrib_handle.reference_nodes import BackNode

if TYPE_CHECKING:
    from sphinx.environment import BuildEnvironment

__all__ = ["back_line"]

# More marks in a row help nobody; their count follows.
_MOST_MARKS = 20
# The arrow is a picture of what the names of the links say.
_ARROW = '<span aria-hidden="true">↑</span>'
# TeX knows the pages of labels, and which of them follow each other.
_BEGIN_PAGES = "\\begingroup\\def\\hdlpage{}"
_END_PAGES = "\\endgroup"
_PAGE = (
    "\\edef\\hdlnext{{\\getpagerefnumber{{{label}}}}}"
    "\\ifx\\hdlnext\\hdlpage\\else"
    "\\ifx\\hdlpage\\empty\\else, \\fi"
    "\\pageref{{{label}}}\\let\\hdlpage\\hdlnext\\fi"
)


def back_line(
    env: "BuildEnvironment", domain: HandleDomain, entry: Entry, page: str
) -> nodes.paragraph | None:
    """The line below an entry that leads back; none if nothing leads there.

    Args:
        env: The environment.
        domain: The domain, which has the lists.
        entry: The entry.
        page: The document that shows it.
    """
    builder = domain.builder
    mentions = [
        mention
        for mention in entry.mentions
        if builder is None or is_in_output(builder, mention.document)
    ]
    line = nodes.paragraph("", "", classes=["hdl-back"])
    if domain.builder_format == "latex":
        line += _pages_of_pdf(domain, mentions)
        return line if line.children else None
    if domain.builder_format == "html":
        own = [mention for mention in mentions if mention.document == page]
        line += _marks(domain, own)
    others = _other_documents(env, domain, mentions, page)
    if others and line.children:
        line += nodes.Text(" ")
    line += others
    return line if line.children else None


def _marks(domain: HandleDomain, mentions: Sequence[Mention]) -> list[nodes.Node]:
    """A mark for each place on the page: an arrow, or an arrow and letters."""
    ids = [
        domain.lists.id_of_place(mention.document, mention.number)
        for mention in mentions
    ]
    ids = [name for name in ids if name]
    label = _(LABELS["back"])
    if len(ids) <= 1:
        return [_mark("↑", name, label) for name in ids]
    marks = nodes.inline("", "", classes=["hdl-ups"])
    marks += nodes.raw("", _ARROW, format="html")
    for index, name in enumerate(ids[:_MOST_MARKS]):
        letter = letters(index)
        marks += nodes.Text(" ")
        marks += _mark(letter, name, f"{label}, {letter}")
    if len(ids) > _MOST_MARKS:
        marks += nodes.Text(f" +{len(ids) - _MOST_MARKS}")
    return [marks]


def _mark(text: str, target: str, label: str) -> BackNode:
    return BackNode(
        "", text, refid=target, internal=True, label=label, classes=["hdl-up"]
    )


def _other_documents(
    env: "BuildEnvironment",
    domain: HandleDomain,
    mentions: Iterable[Mention],
    page: str,
) -> list[nodes.Node]:
    """The titles of the other documents that cite the work, each once."""
    first: dict[str, Mention] = {}
    for mention in mentions:
        if mention.document != page:
            first.setdefault(mention.document, mention)
    if not first:
        return []
    named = nodes.inline("", "", classes=["hdl-pages"])
    named += nodes.Text(f"{_('Cited in:')} ")
    for index, mention in enumerate(first.values()):
        if index:
            named += nodes.Text(", ")
        named += _title_of(env, domain, mention, page)
    return [named]


def _title_of(
    env: "BuildEnvironment", domain: HandleDomain, mention: Mention, page: str
) -> nodes.Node:
    """The title of a document, which leads to its first mention of the work."""
    title = env.titles[mention.document].astext()
    is_plain = domain.builder_format in {"man", "text"}
    if is_plain or domain.builder is None:
        return nodes.Text(title)
    place = domain.lists.id_of_place(mention.document, mention.number)
    target = link_within_project(domain.builder, page, mention.document, place)
    return nodes.reference("", title, internal=True, **target)


def _pages_of_pdf(
    domain: HandleDomain, mentions: Iterable[Mention]
) -> list[nodes.Node]:
    """The pages of a PDF that cite the work, each once."""
    labels = [
        domain.lists.id_of_place(mention.document, mention.number)
        for mention in mentions
    ]
    pages = "".join(_PAGE.format(label=label) for label in labels if label)
    if not pages:
        return []
    commands = f"{_BEGIN_PAGES}{pages}{_END_PAGES}"
    return [
        nodes.Text(f"{_('Cited on page')} "),
        nodes.raw("", commands, format="latex"),
    ]
