"""A list of references as text, Markdown and JSON: ``hdl references list``."""

import re
from collections.abc import Iterable, Iterator

from handle_system import Proxies
from handle_system.citing.style import Run, plain_text
from handle_system.describing.described_work import DescribedWork
from handle_system.describing.updates import Update
from handle_system.errors import showable

# Any of these is markup within a line of Markdown, and these at its beginning.
_MARKDOWN = re.compile(r"[\\`*_{}\[\]<>|~&$]")
_MARKDOWN_BEGINNING = re.compile(r"(?:[-+#=:]|[0-9]+[.)])")
_MARKDOWN_MARKS = {"i": ("*", "*"), "b": ("**", "**")}


def text_entry(work: DescribedWork, proxies: Proxies) -> str:
    """The reference, its link, and a line for its state."""
    reference = plain_text(work.reference())
    url = proxies.link(work.handle)
    lines = [showable(f"{reference} {url}".strip())]
    state = _state_line(work.shown_update, proxies)
    if state:
        lines.append(showable(f"    {state}"))
    if not reference:
        lines.append("    No metadata yet")
    return "\n".join(lines)


def markdown_entry(work: DescribedWork, proxies: Proxies) -> str:
    """An item of a list; nothing in the text of the reference is markup."""
    reference = _markdown_text(work.reference())
    if _MARKDOWN_BEGINNING.match(reference):
        # A character reference begins neither a list nor a heading.
        reference = f"&#{ord(reference[0])};{reference[1:]}"
    entry = f"- {reference} <{proxies.link(work.handle)}>".replace("-  ", "- ")
    state = _state_line(work.shown_update, proxies)
    if state:
        words, _, url = state.partition(": ")
        entry += f"\\\n  **{words}**" + (f": <{url}>" if url else "")
    if not reference:
        entry += "\\\n  No metadata yet"
    return entry


def json_entry(work: DescribedWork, proxies: Proxies) -> dict[str, object]:
    """The reference, its link and its state, each apart."""
    update = work.shown_update
    return {
        "id": work.handle.uri(),
        "reference": plain_text(work.reference()),
        "url": proxies.link(work.handle),
        "state": update.state.value if update else None,
        "by": (update.by or None) if update else None,
        "date": (update.date or None) if update else None,
    }


def _state_line(update: Update | None, proxies: Proxies) -> str:
    """``Retracted 2010-02-06: https://doi.org/…``, or nothing."""
    if update is None:
        return ""
    when = f" {update.date}" if update.date else ""
    url = f": {proxies.link(update.handle)}" if update.handle else ""
    return f"{update.state.label}{when}{url}"


def _markdown_text(runs: Iterable[Run]) -> str:
    """Runs in Markdown; nothing in their text is markup."""
    parts: list[str] = []
    open_tags: list[str] = []
    for run in _apart(runs):
        tags = run.tags
        shared = 0
        while tags[shared : shared + 1] == tuple(open_tags[shared : shared + 1]) != ():
            shared += 1
        while len(open_tags) > shared:
            parts.append(_markdown_mark(open_tags.pop())[1])
        for tag in tags[shared:]:
            open_tags.append(tag)
            parts.append(_markdown_mark(tag)[0])
        parts.append(_MARKDOWN.sub(r"\\\g<0>", showable(run.text)))
    parts += [_markdown_mark(tag)[1] for tag in reversed(open_tags)]
    return "".join(parts)


def _markdown_mark(tag: str) -> tuple[str, str]:
    return _MARKDOWN_MARKS.get(tag, (f"<{tag}>", f"</{tag}>"))


def _apart(runs: Iterable[Run]) -> Iterator[Run]:
    """The runs, without tags around white space: a mark does not stand beside it."""
    for run in runs:
        if not run.tags:
            yield run
            continue
        text = run.text
        core = text.strip()
        start = text.index(core)
        if start:
            yield Run(text[:start])
        if core:
            yield Run(core, run.tags)
        if text[start + len(core) :]:
            yield Run(text[start + len(core) :])
