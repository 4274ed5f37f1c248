"""The directive ``{cite-version}``: the citation card of a Markdown document.

::

    ```{cite-version}
    :title: Handle Suffix Format Policy
    :history:

    0.9 | 2007-05-25 | - | Draft for comment
    ```

It is read from the fences that markdown-it, and the plugins ``colon_fence`` and
``front_matter`` where they are loaded, have made.  Without this plugin a page shows its
source in a block of code; so it does here when the source is no citation.

The card is HTML of this package, in one token.  A page that shows it links the files
`STYLESHEET` and, for buttons that copy, `SCRIPT` in the folder `STATIC`, or holds their
text; all three are names of this module.
"""

import os
from collections.abc import Callable, Mapping, Sequence
from itertools import count
from pathlib import Path
from typing import cast

from markdown_it.rules_core import StateCore
from markdown_it.token import Token

from handle_system.citing.card import make_card
from handle_system.citing.card_html import SCRIPT, STATIC, STYLESHEET, card_html
from handle_system.citing.citation import slug
from handle_system.citing.fields import CitationError, HandleReader
from handle_system.citing.pipeline import citation
from handle_system.citing.sources import (
    Directive,
    Source,
    configuration_source,
    directive_source,
    file_source,
    page_source,
    read_directive,
    read_front_matter,
    works_path,
)
from handle_system.citing.structure import work_source
from handle_system.citing.work import Work
from handle_system.proxies import Proxies
from handle_system.reference import HandleReference
from mdit_handle.options import Options
from mdit_handle.positions import Position
from mdit_handle.record import record_citation, record_problem, record_reference

__all__ = ["SCRIPT", "STATIC", "STYLESHEET", "cite_rule", "given_work"]

_NAME = "{cite-version}"
_FENCES = frozenset({"fence", "colon_fence"})
#: The variable that holds the name of the version that Read the Docs builds.
_READ_THE_DOCS = "READTHEDOCS_VERSION"


def cite_rule(options: Options) -> Callable[[StateCore], None]:
    """The core rule, for a parser with these options."""

    def handle_cite(state: StateCore) -> None:
        if _NAME not in state.src:
            return
        anchors: set[str] = set()
        for index, token in enumerate(state.tokens):
            if token.type in _FENCES and token.info.split()[:1] == [_NAME]:
                state.tokens[index] = _card(token, state, options, anchors)

    return handle_cite


def _card(token: Token, state: StateCore, options: Options, anchors: set[str]) -> Token:
    """The card in the place of a fence; the fence itself, if it is no citation."""
    line = token.map[0] + 1 if token.map else None
    directive = read_directive(token.content, (line or 0) + 1)
    try:
        sources = _sources(directive, state, options)
        reader = HandleReader(proxies=options.proxies, environment=options.environment)
        cited = citation(sources, reader, release=options.release)
    except CitationError as error:
        own = directive.lines.get(error.where.strip(":"))
        record_citation(state.env, str(error), error.line or own or line)
        return token
    for handle in cited.handles:
        reference = HandleReference(handle=handle)
        href = cited.proxies.link(reference)
        record_reference(state.env, str(handle), reference, href, Position(line))
    for problem in cited.problems:
        record_problem(state.env, problem, problem.line or line)
    stem = f"cite-{slug(cited.work.title)}".rstrip("-")
    names = (stem if number == 1 else f"{stem}-{number}" for number in count(1))
    anchor = next(name for name in names if name not in anchors)
    anchors.add(anchor)
    made = Token("html_block", "", 0, map=token.map, block=True, level=token.level)
    made.content = card_html(make_card(cited, options.translate), anchor)
    return made


def _sources(
    directive: Directive, state: StateCore, options: Options
) -> Sequence[Source]:
    """The sources of a citation, the nearest to the reader first.

    A Markdown document may be anybody's: without the caller's leave it has no file read.

    Raises:
        CitationError: when one of them cannot be read.
    """
    own = directive_source(*directive)
    metadata = page_source(_metadata(state))
    sources = [own, metadata]
    named = own.works_file or metadata.works_file
    if named and options.sources is None:
        reason = "no file is read here: the plugin was given no folder of sources"
        raise CitationError(reason, where=":source:")
    if named and options.sources is not None:
        folder = Path(options.sources, Path(str(state.env.get("path", ""))).parent)
        path, identity = works_path(named, folder, options.sources)
        sources.append(file_source(path, identity, proxies=options.proxies))
    elif options.work is not None:
        sources.append(options.work)
    settings = {
        "handle_version": options.version or "",
        "read_the_docs": options.environment.get(_READ_THE_DOCS, ""),
        "release": options.release or "",
    }
    return [*sources, configuration_source(settings, options.cite_show)]


def _metadata(state: StateCore) -> Mapping[str, object]:
    """The front matter, or the metadata that the caller gives."""
    if state.tokens[0].type == "front_matter":
        return read_front_matter(state.src)
    given = state.env.get("metadata")
    return cast("Mapping[str, object]", given) if isinstance(given, Mapping) else {}


def given_work(
    work: Work | str | os.PathLike[str] | None, proxies: Proxies
) -> Source | None:
    """The source of the work that a caller of the plugin gives.

    Raises:
        CitationError: when a file does not describe it.
    """
    if isinstance(work, Work):
        return work_source(work)
    if work is None:
        return None
    path, identity = works_path(os.fspath(work), Path())
    return file_source(path, identity, proxies=proxies)
