"""Works by author, year and title, in the form that fits the place.

In a role, a bare identifier is written; behind ``doi:`` and ``hdl:`` in text, an
identifier with its scheme; behind ``@``, where documents are for pandoc, the key of the
file of references.
"""

import re
from collections.abc import Collection, Sequence
from dataclasses import dataclass
from typing import Any

from lsprotocol import types

from handle_cli.lsp.documents import Document
from handle_cli.lsp.positions import Encoding, offset_of_units, units_of
from handle_cli.lsp.projects import Project, Row
from handle_system import Handle
from handle_system.citing.style import plain_text
from handle_system.describing.described_work import DescribedWork
from handle_system.errors import showable
from handle_system.syntax import Syntax

#: The characters behind which an editor asks by itself.
TRIGGERS = (":", "`", "@")
# More are found by typing on.
_MOST_ITEMS = 100
_LONGEST_TITLE = 80
# What may stand before the cursor on its line.  In a role there may be several words.
_IN_ROLE = re.compile(
    r"(?:\{|:)(?P<role>hdl|doi)(?::[a-z]{1,10})?(?:\}|:)`(?P<typed>[^`]{0,100})\Z",
    re.IGNORECASE,
)
_BEHIND_SCHEME = re.compile(
    r"(?<![\w/.@])(?P<whole>(?P<scheme>doi|hdl):(?P<typed>[^\s`<>\"]{0,100}))\Z",
    re.IGNORECASE,
)
_BEHIND_AT = re.compile(
    r"(?<![\w.@`\\])-?@(?P<whole>\{?(?:(?:doi|hdl):)?(?P<typed>[^\s\]@;{}`]{0,100}))\Z",
    re.IGNORECASE,
)
_WITH_CITATION_KEYS = {Syntax.MARKDOWN, Syntax.MDX, Syntax.NOTEBOOK}
# Characters that every syntax reads as part of an identifier, also at its end.
_PLAIN_HANDLE = re.compile(r"[\w./:()+-]*[\w]")
# A key that pandoc reads without braces (pandoc's manual, "Citation syntax").
_PLAIN_KEY = re.compile(r"\w+(?:[:.#$%&+?<>~/-]\w+)*")
# What ends a key in braces, or begins markup of its own there: a tag, code.
_NO_KEY = re.compile(r"[{}`\\\r\n]|<[a-zA-Z/!?]")


@dataclass(frozen=True, slots=True)
class _Request:
    """What an author has begun to write.

    Attributes:
        typed: The words that the work is searched by.
        start: Where what is replaced begins on the line.
        form: ``role``, ``text`` or ``key``.
        only_dois: Whether only a DOI may stand there.
    """

    typed: str
    start: int
    form: str
    only_dois: bool = False


def completions(
    document: Document,
    syntax: Syntax | None,
    position: types.Position,
    project: Project,
    encoding: Encoding,
    cited: Collection[Handle],
) -> types.CompletionList | None:
    """The works that fit what stands before a position; `None` if none is meant there.

    The server filters them, and is asked again at the next key.

    Args:
        document: The document.
        syntax: How it is read.
        position: Where its author writes.
        project: Its project.
        encoding: How positions are counted.
        cited: The works that the document cites, which come first.
    """
    row = document.row(position.line)
    before = row[: offset_of_units(row, position.character, encoding)]
    request = _request(before, syntax)
    if request is None:
        return None
    rows = _matching(project.works.rows, request, cited)
    start = types.Position(position.line, units_of(before[: request.start], encoding))
    replaced = types.Range(start, position)
    written = before[request.start :]
    items = []
    for number, row_of_work in enumerate(rows[:_MOST_ITEMS]):
        work = project.work(row_of_work.handle)
        if work is not None:
            edit = types.TextEdit(replaced, inserted_text(work, request.form))
            items.append(_item(document.uri, work, number, edit, row_of_work, written))
    return types.CompletionList(is_incomplete=True, items=items)


def _request(before: str, syntax: Syntax | None) -> _Request | None:
    """What is begun at the end of a text."""
    if syntax is None:
        return None
    role = _IN_ROLE.search(before)
    if role is not None:
        is_doi = role["role"].lower() == "doi"
        return _Request(role["typed"], role.start("typed"), "role", only_dois=is_doi)
    key = _BEHIND_AT.search(before)
    if key is not None and syntax in _WITH_CITATION_KEYS:
        return _Request(key["typed"], key.start("whole"), "key")
    scheme = _BEHIND_SCHEME.search(before)
    if scheme is None:
        return None
    is_doi = scheme["scheme"].lower() == "doi"
    return _Request(scheme["typed"], scheme.start("whole"), "text", only_dois=is_doi)


def _matching(
    rows: Sequence[Row], request: _Request, cited: Collection[Handle]
) -> list[Row]:
    """The works that have all words: those of the document first, retracted ones last."""
    matching = list(rows)
    for word in request.typed.casefold().split():
        # One list a word is twice as fast as one condition for all of them.
        matching = [row for row in matching if word in row.words]
    if request.only_dois:
        matching = [row for row in matching if row.handle.is_doi]
    matching.sort(key=lambda row: (row.is_retracted, row.handle not in cited))
    return matching


def inserted_text(work: DescribedWork, form: str) -> str:
    """The identifier of a work in the form that fits the place."""
    handle = work.handle
    if form == "role":
        text = str(handle)
        return text if _PLAIN_HANDLE.fullmatch(text) else handle.uri()
    if form == "text":
        text = f"{handle.scheme}:{handle}"
        return text if _PLAIN_HANDLE.fullmatch(text) else handle.uri()
    # Pandoc compares a key letter by letter with the id in the file.
    name = work.item.get("id")
    key = name if isinstance(name, str) and name else handle.uri()
    if _NO_KEY.search(key):
        key = handle.uri()
    return key if _PLAIN_KEY.fullmatch(key) else f"{{{key}}}"


def _item(
    uri: str,
    work: DescribedWork,
    number: int,
    edit: types.TextEdit,
    row: Row,
    written: str,
) -> types.CompletionItem:
    label = showable(work.author_and_year()) or showable(str(work.handle))
    title = showable(plain_text(work.described.title))[:_LONGEST_TITLE]
    if row.is_retracted:
        label = f"{label}, retracted"
    tags = [types.CompletionItemTag.Deprecated] if row.is_retracted else None
    return types.CompletionItem(
        label=label,
        label_details=types.CompletionItemLabelDetails(description=title),
        kind=types.CompletionItemKind.Reference,
        detail=showable(str(work.handle)),
        sort_text=f"{number:03}",
        # Editors that compare it with what was typed keep what the server has chosen.
        filter_text=written or row.words,
        tags=tags,
        text_edit=edit,
        # JupyterLab knows no edits, and would insert the label.
        insert_text=edit.new_text,
        data=[uri, str(work.handle)],
    )


def documentation(project: Project, handle: Handle) -> str:
    """The reference of a work, behind its state."""
    work = project.work(handle)
    return showable(work.title()) if work is not None else ""


def named_work(data: Any) -> tuple[str, Handle] | None:
    """The document and the work of an item, as the client sends them back."""
    match data:
        case [str(uri), str(written)]:
            return uri, Handle.parse(written)
    return None
