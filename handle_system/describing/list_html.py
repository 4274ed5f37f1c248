"""The list of references of a page as HTML, with the markup that the stylesheet knows.

Text of the file of references is escaped here.
"""

from collections.abc import Callable, Iterator
from html import escape

from handle_system.citing.in_text import letters
from handle_system.citing.style import run_html
from handle_system.describing.described_work import DescribedWork
from handle_system.describing.reference_lists import (
    LABELS,
    Entry,
    ReferenceList,
    ReferenceLists,
)
from handle_system.describing.references import References
from handle_system.describing.updates import Update
from handle_system.handle import Handle
from handle_system.presenting import address_html, classes_of
from handle_system.proxies import Proxies

__all__ = ["list_html", "update_html"]

# More marks in a row help nobody; their count follows.
_MOST_MARKS = 20


def list_html(
    reference_list: ReferenceList,
    lists: ReferenceLists,
    references: References,
    proxies: Proxies,
    translate: Callable[[str], str],
) -> str:
    """A list of references; empty if it has no entry.

    Args:
        reference_list: The list.
        lists: All lists of the page, which know the ids of places.
        references: The works that files describe.
        proxies: Where links lead.
        translate: Turns an English word into the reader's language.
    """
    if not reference_list.entries:
        return ""
    name = "ol" if lists.is_numbered else "ul"
    more = " hdl-numbered" if lists.is_numbered else ""
    lines = [f'<{name} class="hdl-references{more}">']
    for entry in reference_list.entries.values():
        parts = _entry(entry, lists, references, proxies, translate)
        lines.append(f'<li id="{entry.id}">{"".join(parts)}</li>')
    lines.append(f"</{name}>\n")
    return "\n".join(lines)


def _entry(
    entry: Entry,
    lists: ReferenceLists,
    references: References,
    proxies: Proxies,
    translate: Callable[[str], str],
) -> Iterator[str]:
    """The paragraphs of an entry."""
    work = references.get(entry.handle) or DescribedWork(entry.handle, {})
    letter = "" if lists.is_numbered else entry.label.letter
    runs = work.reference(translate, letter=letter)
    url = proxies.link(entry.handle)
    address = _link(entry.handle, url, address_html(url))
    text = "".join(map(run_html, runs))
    yield f"<p>{' '.join(filter(None, [text, address]))}</p>"
    update = work.listed_update
    if update is not None:
        yield f'<p class="hdl-update">{update_html(update, proxies, translate)}</p>'
    if not runs:
        missing = escape(translate(LABELS["missing"]))
        yield f'<p class="hdl-missing">{missing}</p>'
    back = _back(entry, lists, escape(translate(LABELS["back"])))
    if back:
        yield f'<p class="hdl-back">{back}</p>'


def _link(handle: Handle, url: str, content: str, attributes: str = "") -> str:
    classes = " ".join(classes_of(handle))
    return f'<a class="{classes}" href="{escape(url)}"{attributes}>{content}</a>'


def update_html(
    update: Update, proxies: Proxies, translate: Callable[[str], str]
) -> str:
    """What became of a work: the mark, the date, and a link to who says it.

    Args:
        update: What became of it.
        proxies: Where the link leads.
        translate: Turns an English word into the reader's language.
    """
    label = escape(translate(update.state.label))
    tag = "strong" if update.state.is_serious else "span"
    text = f'<{tag} class="hdl-mark hdl-mark-{update.state.value}">{label}</{tag}>'
    if update.date:
        date = escape(update.date)
        text += f' <time datetime="{date}">{date}</time>'
    if update.handle is None:
        return text
    noun = escape(translate(update.state.source_noun))
    url = proxies.link(update.handle)
    shown_url = escape(url)
    attributes = f' title="{shown_url}" aria-label="{noun}, {shown_url}"'
    return f"{text} · {_link(update.handle, url, noun, attributes)}"


def _back(entry: Entry, lists: ReferenceLists, label: str) -> str:
    """The marks that lead back: an arrow, or an arrow and letters."""
    names = [
        lists.id_of_place(mention.document, mention.number)
        for mention in entry.mentions
    ]
    if len(names) == 1:
        return _mark(names[0], "↑", label)
    marks = [
        _mark(name, letters(index), f"{label}, {letters(index)}")
        for index, name in enumerate(names[:_MOST_MARKS])
    ]
    if len(names) > _MOST_MARKS:
        marks.append(f"+{len(names) - _MOST_MARKS}")
    arrow = '<span aria-hidden="true">↑</span>'
    return f'<span class="hdl-ups">{arrow} {" ".join(marks)}</span>'


def _mark(name: str, text: str, label: str) -> str:
    return (
        f'<a class="hdl-up" href="#{name}" role="doc-backlink" '
        f'aria-label="{label}">{text}</a>'
    )
