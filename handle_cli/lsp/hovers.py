"""What an editor shows at a reference: its work, links and short citations."""

import re
from collections.abc import Collection, Iterator

from lsprotocol import types

from handle_cli.lsp.reading import Located, Reading
from handle_cli.markdown_text import markdown_text, without_markup
from handle_system import Handle
from handle_system.citing.style import plain_text
from handle_system.describing.described_work import DescribedWork
from handle_system.describing.list_parts import update_parts
from handle_system.describing.lists import LABELS
from handle_system.describing.parts import Shown, text_of
from handle_system.describing.updates import Update
from handle_system.errors import showable
from handle_system.proxies import Proxies
from handle_system.text import several

# Editors say behind it how a link is followed. The hover shows the work: VS Code reads
# this title as Markdown, where a link may run a command.
_OPEN = "Open the record"
# In characters on each side: what an author writes beside an identifier.
_AROUND = 1_000
# Without what ends an address in Markdown, or escapes the sign that does.
_WEB_ADDRESS = re.compile(r"https?://[!-;=?-\[\]-~]+")


def hover(
    reading: Reading,
    located: Located,
    open_readings: Collection[Reading],
    *,
    in_markdown: bool,
) -> types.Hover | None:
    """The work that a reference names; nothing at one that is malformed.

    Args:
        reading: The reading of its document.
        located: The reference.
        open_readings: The readings of the open documents of its project.
        in_markdown: Whether the client shows Markdown.
    """
    reference = located.reference
    if reference is None:
        return None
    work = reading.project.work(reference.handle)
    proxies = reading.project.linking.link_proxies
    lines = []
    update = work.shown_update if work is not None else None
    if update is not None:
        lines.append(_state(update, proxies, in_markdown=in_markdown))
    lines.append(_reference_of(work, in_markdown=in_markdown))
    lines.append(_link(proxies.link(reference), in_markdown=in_markdown))
    count = _citations(open_readings, reference.handle)
    if count:
        lines.append(count)
    kind = types.MarkupKind.Markdown if in_markdown else types.MarkupKind.PlainText
    content = types.MarkupContent(kind, ("\n\n" if in_markdown else "\n").join(lines))
    return types.Hover(content, located.range)


def _state(update: Update, proxies: Proxies, *, in_markdown: bool) -> str:
    """What became of a work, in the words of a list, and who says it.

    A list leads to identifiers alone; here any notice is shown.
    """
    said = update_parts(update, proxies, str)
    written = "".join(_said(part, in_markdown=in_markdown) for part in said)
    if not update.by or update.handle is not None:
        return written
    noun = update.state.source_noun
    return f"{written} · {_noun(noun, update.by, in_markdown=in_markdown)}"


def _said(part: str | Shown, *, in_markdown: bool) -> str:
    """A part of a statement, whose texts are our own."""
    if isinstance(part, str):
        return part
    text = text_of(part.parts or ())
    if "href" in part.attributes:
        return _noun(text, part.attributes["href"], in_markdown=in_markdown)
    return f"**{text}**" if in_markdown and part.tag == "strong" else text


def _noun(noun: str, address: str, *, in_markdown: bool) -> str:
    """A noun, such as "notice", as a link where its address is one."""
    if in_markdown and _WEB_ADDRESS.fullmatch(address):
        return f"[{noun}](<{address}>)"
    return f"{noun} {_link(address, in_markdown=in_markdown)}"


def _reference_of(work: DescribedWork | None, *, in_markdown: bool) -> str:
    """The reference of a work, as the client shows text."""
    runs = work.reference() if work is not None else ()
    if not runs:
        return LABELS["missing"]
    return markdown_text(runs) if in_markdown else showable(plain_text(runs))


def _link(address: str, *, in_markdown: bool) -> str:
    if not in_markdown:
        return showable(address)
    if _WEB_ADDRESS.fullmatch(address):
        return f"<{address}>"
    return without_markup(address)


def _citations(readings: Collection[Reading], handle: Handle) -> str:
    """How often open documents cite a work; nothing if once."""
    citing = [reading for reading in readings if handle in reading.citations]
    total = sum(reading.citations[handle] for reading in citing)
    # The cells of a notebook are documents of one file.
    files = {reading.document.notebook or reading.document.uri for reading in citing}
    if total < 2:
        return ""
    where = "this file" if len(files) == 1 else several(len(files), "open file")
    return f"Cited {several(total, 'time')} in {where}"


def links(reading: Reading) -> Iterator[types.DocumentLink]:
    """The references as links, which editors open."""
    for located in reading.references:
        if located.is_exact and located.reference is not None:
            address = reading.project.linking.link_proxies.link(located.reference)
            yield types.DocumentLink(located.range, address, _OPEN)


def hints(reading: Reading, part: types.Range) -> Iterator[types.InlayHint]:
    """Authors and year behind the identifiers in a part of the document.

    There is none where the text beside the identifier is about its work already.
    """
    for located in reading.touching(part):
        reference = located.reference
        if reference is None or located.found.beside is not None:
            continue
        work = reading.project.work(reference.handle)
        short = work.author_and_year() if work is not None else ""
        if work is None or not short or short in _text_around(reading, located):
            continue
        is_retracted = work.retraction is not None
        yield types.InlayHint(
            located.range.end,
            showable(f"{short}, retracted" if is_retracted else short),
            padding_left=True,
            tooltip=showable(work.title()),
        )


def _text_around(reading: Reading, located: Located) -> str:
    """The text of the line around a reference; a line may hold thousands of them."""
    place = located.found.place
    row = reading.row(place.line)
    start = max(place.column - 1, 0)
    return row[max(start - _AROUND, 0) : start + _AROUND]
