"""Works as a list of references and a hover show them."""

from collections.abc import Callable
from typing import TypeAlias

from handle_system.citing.in_text_style import letters
from handle_system.describing.described_work import DescribedWork
from handle_system.describing.described_works import DescribedWorks
from handle_system.describing.lists import (
    LABELS,
    Entry,
    Mention,
    ReferenceList,
    ReferenceLists,
)
from handle_system.describing.page_settings import PageSettings
from handle_system.describing.parts import Parts, Shown, Target, parts_of
from handle_system.describing.updates import Update
from handle_system.handle import Handle
from handle_system.presenting import classes_of
from handle_system.proxies import Proxies

#: Gives the link to a mention in another document; `None` if the output lacks that.
LinkTo: TypeAlias = Callable[[Mention], Shown | None]

# More marks or pages in a row help nobody; their count follows.
_MOST = 20


def list_parts(
    reference_list: ReferenceList,
    lists: ReferenceLists,
    works: DescribedWorks,
    settings: PageSettings,
    link_to: LinkTo | None = None,
    *,
    leads_back: bool = True,
) -> Parts:
    """A list of references; nothing if it has no entry.

    Args:
        reference_list: The list.
        lists: All lists of the project, which know the ids of places.
        works: The works that files describe.
        settings: How works are shown.
        link_to: Gives links to other documents; `None` if there are none.
        leads_back: Whether entries lead back to the text.
    """
    items: list[Shown] = []
    for entry in reference_list.entries.values():
        work = works.work(entry.handle)
        letter = "" if lists.is_numbered else entry.label.letter
        back: Parts = ()
        if leads_back:
            back = _back(entry, reference_list.page, lists, settings, link_to)
        paragraphs = work_parts(work, settings, letter=letter, behind=back)
        items.append(Shown(paragraphs, {"id": entry.id}, "li"))
    if not items:
        return ()
    name, classes = "ul", "hdl-references"
    if lists.is_numbered:
        name, classes = "ol", "hdl-references hdl-numbered"
    return (Shown(tuple(items), {"class": classes}, name),)


def work_parts(
    work: DescribedWork,
    settings: PageSettings,
    *,
    letter: str = "",
    behind: Parts = (),
) -> Parts:
    """The paragraphs about a work: its reference with its address, and what became of it.

    Args:
        work: The work; one that no file describes has no metadata.
        settings: How works are shown.
        letter: The letter behind its year.
        behind: What stands behind its address.
    """
    translate = settings.translate
    runs = work.reference(translate, letter=letter)
    url = settings.proxies.link(work.handle)
    line: list[str | Shown] = [*parts_of(runs)]
    if line:
        line.append(" ")
    line += [_link(work.handle, url, url), *behind]
    paragraphs = [Shown(tuple(line), tag="p")]
    update = work.listed_update
    if update is not None:
        said = update_parts(update, settings.proxies, translate)
        paragraphs.append(Shown(said, {"class": "hdl-update"}, "p"))
    if not runs:
        missing = translate(LABELS["missing"])
        paragraphs.append(Shown((missing,), {"class": "hdl-missing"}, "p"))
    return tuple(paragraphs)


def _link(handle: Handle, url: str, text: str, **attributes: str) -> Shown:
    classes = " ".join(classes_of(handle))
    return Shown((text,), {"class": classes, "href": url, **attributes}, "a")


def update_parts(
    update: Update, proxies: Proxies, translate: Callable[[str], str]
) -> Parts:
    """What became of a work: the mark, the date, and a link to who says it.

    Args:
        update: What became of it.
        proxies: Where the link leads.
        translate: Turns an English word into the reader's language.
    """
    # Where no stylesheet draws a frame, the serious ones stand out, too.
    tag = "strong" if update.state.is_serious else "span"
    classes = f"hdl-mark hdl-mark-{update.state.value}"
    parts: list[str | Shown] = [
        Shown((translate(update.state.label),), {"class": classes}, tag)
    ]
    if update.date:
        parts += [" ", Shown((update.date,), {"datetime": update.date}, "time")]
    if update.handle is not None:
        noun = translate(update.state.source_noun)
        url = proxies.link(update.handle)
        names = {"title": url, "aria-label": f"{noun}, {url}"}
        parts += [" · ", _link(update.handle, url, noun, **names)]
    return tuple(parts)


def _back(
    entry: Entry,
    page: str,
    lists: ReferenceLists,
    settings: PageSettings,
    link_to: LinkTo | None,
) -> Parts:
    """What leads from an entry back to places, with the space before it."""
    marks = _marks(entry, page, lists, settings)
    pages: Parts = ()
    if link_to is not None:
        pages = citing_pages(entry, page, link_to, settings.translate)
    if not marks and not pages:
        return ()
    between = (" ",) if marks and pages else ()
    return (" ", Shown((*marks, *between, *pages), {"class": "hdl-back"}))


def _marks(
    entry: Entry, page: str, lists: ReferenceLists, settings: PageSettings
) -> Parts:
    """The marks of the places on the page of a list: an arrow, or an arrow and letters."""
    ids = [
        lists.id_of_place(mention.document, mention.number)
        for mention in entry.mentions
        if mention.document == page
    ]
    places = [Target(page, name) for name in ids if name]
    if not places:
        return ()
    label = settings.translate(LABELS["back"])
    if len(places) == 1:
        return (_mark(places[0], "↑", label),)
    marks: list[str | Shown] = [Shown(("↑",), {"aria-hidden": "true"})]
    for index, place in enumerate(places[:_MOST]):
        letter = letters(index)
        marks += [" ", _mark(place, letter, f"{label}, {letter}")]
    if len(places) > _MOST:
        marks.append(f" +{len(places) - _MOST}")
    return (Shown(tuple(marks), {"class": "hdl-ups"}),)


def citing_pages(
    entry: Entry, page: str, link_to: LinkTo, translate: Callable[[str], str]
) -> Parts:
    """The titles of other documents that cite a work, each once; nothing if none does.

    Args:
        entry: The entry of the work.
        page: The document that shows it.
        link_to: Gives the link to a document.
        translate: Turns an English word into the reader's language.
    """
    first: dict[str, Mention] = {}
    for mention in entry.mentions:
        if mention.document != page:
            first.setdefault(mention.document, mention)
    links = [link for link in map(link_to, first.values()) if link is not None]
    if not links:
        return ()
    parts: list[str | Shown] = []
    for link in links[:_MOST]:
        parts += [", " if parts else f"{translate(LABELS['cited_in'])} ", link]
    if len(links) > _MOST:
        parts.append(f", +{len(links) - _MOST}")
    return tuple(parts)


def _mark(target: Target, text: str, label: str) -> Shown:
    attributes = {
        "class": "hdl-up",
        "href": f"#{target.id}",
        "role": "doc-backlink",
        "aria-label": label,
    }
    return Shown((text,), attributes, "a", target=target)
