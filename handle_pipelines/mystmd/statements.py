"""The directive ``cite-version``: how to cite this version, and the latest one."""

from collections.abc import Iterable, Iterator
from os import PathLike
from pathlib import Path

from handle_pipelines.mystmd.tree import (
    CARD_CLASS,
    Log,
    Node,
    line_of,
    log_finding,
    reference_link,
    text_node,
    text_or_nothing,
)
from handle_system.citing.card import Card, Text, make_card
from handle_system.citing.checks import finding_about_citation
from handle_system.citing.documents import CitationError
from handle_system.citing.fields import HandleReader
from handle_system.citing.pipeline import (
    PageCitation,
    is_about_another_work,
    read_citation,
)
from handle_system.citing.sources import NamedFile, SourcePlace, directive_source
from handle_system.citing.style import Run
from handle_system.citing.works_files import file_source, works_path
from handle_system.proxies import Proxies
from handle_system.reference import reference_or_none


def statements(
    data: Node,
    proxies: Proxies,
    log: Log,
    work: str | PathLike[str] | None = None,
) -> list[Node]:
    """The paragraphs of a citation; the reason, if it cannot be made.

    Args:
        data: The directive, as mystmd gives it.
        proxies: Where links lead.
        log: Takes what is wrong or suspicious.
        work: The file that describes the work, if the project names one.
    """
    line = line_of(data.get("node"))
    try:
        cited = _read_citation(data, proxies, work)
    except CitationError as error:
        log_finding(finding_about_citation(error), line, log)
        return [_paragraph([text_node(str(error))])]
    for problem in cited.problems:
        log_finding(problem, line, log)
    card = make_card(cited.citation)
    return [
        _paragraph(_inline(run, proxies) for run in line) for line in _lines_of(card)
    ]


def _read_citation(
    data: Node, proxies: Proxies, work: str | PathLike[str] | None
) -> PageCitation:
    """The citation of a directive.

    Raises:
        CitationError: when it cannot be read.
    """
    given = data.get("options")
    options = given if isinstance(given, dict) else {}
    texts = {name: text_or_nothing(value) for name, value in options.items()}
    rows = [(None, line) for line in text_or_nothing(data.get("body")).splitlines()]
    sources = [directive_source(texts, rows)]
    reader = HandleReader(proxies=proxies)
    if work is not None:
        file = NamedFile(str(work), SourcePlace("work"))
        path, identity = works_path(file, Path())
        described = file_source(file, path, identity, proxies=proxies)
        if not is_about_another_work(sources, described, reader):
            sources.append(described)
    return read_citation(sources, reader)


def _lines_of(card: Card) -> Iterator[Text]:
    """The notice on an old version, and each statement with what it tells to use."""
    if card["notice"]:
        yield card["notice"]
    for statement in card["statements"]:
        term = Run(f"{statement['term']} ")
        for description in statement["descriptions"]:
            yield [term, *description]


def _paragraph(children: Iterable[Node]) -> Node:
    return {"type": "paragraph", "class": CARD_CLASS, "children": [*children]}


def _inline(run: Run, proxies: Proxies) -> Node:
    """The node of a part of a line."""
    text = text_node(run.text)
    if run.href and run.classes:
        reference = reference_or_none(run.href, proxies)
        if reference is not None:
            return reference_link(reference, run.text)
        # A proxy keeps the address for a page of its own.
        return {"type": "link", "url": run.href, "children": [text]}
    if "i" in run.tags:
        return {"type": "emphasis", "children": [text]}
    return text
