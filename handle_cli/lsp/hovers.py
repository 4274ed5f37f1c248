"""What an editor shows at a reference: its work, links and short citations."""

import re
from collections.abc import Collection, Iterator
from collections.abc import Set as AbstractSet
from itertools import groupby

from lsprotocol import types

from handle_cli.lsp.reading import Located, Reading
from handle_system import Handle
from handle_system.citing.style import RichText, Run, plain_text
from handle_system.describing.described_work import DescribedWork
from handle_system.describing.list_parts import update_parts
from handle_system.describing.lists import LABELS
from handle_system.describing.parts import Shown, text_of
from handle_system.describing.retraction import retraction_of
from handle_system.describing.updates import Update
from handle_system.errors import showable
from handle_system.proxies import Proxies
from handle_system.text import several

# Editors say behind it how a link is followed. The hover shows the work: VS Code reads
# this title as Markdown, where a link may run a command.
_OPEN = "Open the record"
# In characters on each side: what an author writes beside an identifier.
_AROUND = 1_000
# What may be markup of Markdown, with its tables, mathematics and links without brackets.
# No more is escaped: some editors show the backslashes.
_MARKUP = re.compile(r"([\\`*_\[\]<>&~|$@]|(?<=www)\.|/(?=/))", re.IGNORECASE)
# What begins a list or a heading at the beginning of a line.
_OPENING = re.compile(r"(\d{0,9})([.)#+=-])")
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


def markdown_text(runs: RichText) -> str:
    """A line of text in Markdown, with what is italic; nothing else in it is markup."""
    grouped = groupby(runs, key=_is_italic)
    parts = [(showable(plain_text(group)), italic) for italic, group in grouped]
    # What makes markup of a sign may stand in the part before or behind it.
    whole = "".join(text for text, _ in parts)
    signs = {sign.start() for sign in _MARKUP.finditer(whole)}
    written = []
    start = 0
    for text, is_italic in parts:
        end = start + len(text)
        escaped = "".join(_escaped(whole, at, signs) for at in range(start, end))
        before = whole[max(start - 1, 0) : start]
        after = whole[end : end + 1]
        if is_italic and _can_be_emphasised(text, before, after):
            escaped = f"*{escaped}*"
        written.append(escaped)
        start = end
    line = "".join(written).strip()
    opening = _OPENING.match(line)
    return f"{opening[1]}\\{line[opening.end(1) :]}" if opening else line


def _is_italic(run: Run) -> bool:
    return "i" in run.tags


def _can_be_emphasised(text: str, before: str, after: str) -> bool:
    """Whether asterisks around a text are markup (CommonMark 0.31, "Emphasis")."""
    opens = text[:1].isalnum() or not (text[:1].isspace() or before.isalnum())
    closes = text[-1:].isalnum() or not (text[-1:].isspace() or after.isalnum())
    return opens and closes


def _escaped(text: str, at: int, signs: AbstractSet[int]) -> str:
    """A character of a text, which is no markup where it is one of the signs."""
    return f"\\{text[at]}" if at in signs else text[at]


def _link(address: str, *, in_markdown: bool) -> str:
    if not in_markdown:
        return showable(address)
    if _WEB_ADDRESS.fullmatch(address):
        return f"<{address}>"
    return _MARKUP.sub(r"\\\1", showable(address))


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
        is_retracted = retraction_of(work) is not None
        yield types.InlayHint(
            located.range.end,
            showable(f"{short}, retracted" if is_retracted else short),
            padding_left=True,
            tooltip=showable(work.title()),
        )


def _text_around(reading: Reading, located: Located) -> str:
    """The text of the line around a reference; a line may hold thousands of them."""
    place = located.found.place
    row = reading.rows[place.line - 1]
    start = max(place.column - 1, 0)
    return row[max(start - _AROUND, 0) : start + _AROUND]
