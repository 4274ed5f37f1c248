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
from typing import NamedTuple, cast

from markdown_it.rules_core import StateCore
from markdown_it.token import Token

from handle_system.citing.card import make_card
from handle_system.citing.card_html import SCRIPT, STATIC, STYLESHEET, card_html
from handle_system.citing.citation import Citation, slug
from handle_system.citing.fields import CitationError, HandleReader
from handle_system.citing.pipeline import citation
from handle_system.citing.sources import (
    Source,
    configuration_source,
    directive_source,
    file_source,
    page_source,
    read_front_matter,
)
from handle_system.citing.structure import work_source
from handle_system.citing.work import Work
from handle_system.proxies import Proxies
from handle_system.reference import HandleReference
from mdit_handle.options import Options
from mdit_handle.positions import Position
from mdit_handle.record import Env, record_citation, record_problem, record_reference

__all__ = ["SCRIPT", "STATIC", "STYLESHEET", "cite_rule", "given_work"]

_NAME = "{cite-version}"
_FENCES = frozenset({"fence", "colon_fence"})
_HYPHENS = "---"
#: The variable that holds the name of the version that Read the Docs builds.
_READ_THE_DOCS = "READTHEDOCS_VERSION"


class Directive(NamedTuple):
    """The text between the fences.

    Attributes:
        options: Text by name.
        body: Lines with their numbers in the document, from 1.
        lines: The lines of the options, likewise.
    """

    options: dict[str, str | None]
    body: list[tuple[int | None, str]]
    lines: dict[str, int]


def cite_rule(options: Options) -> Callable[[StateCore], None]:
    """The core rule, for a parser with these options."""

    def handle_cite(state: StateCore) -> None:
        if _NAME not in state.src:
            return
        page = list(state.tokens)
        anchors: set[str] = set()
        for index, token in enumerate(page):
            if token.type in _FENCES and token.info.split()[:1] == [_NAME]:
                state.tokens[index] = _card(token, page, state.env, options, anchors)

    return handle_cite


def read_directive(content: str, line: int) -> Directive:
    """Read the text between the fences as MyST does; `line` is that of its first line.

    Options are the lines at the top that begin with a colon, or those between two lines
    of hyphens.  An empty line after them is not part of the body.
    """
    numbered = list(enumerate(content.splitlines(), line))
    directive = Directive({}, [], {})
    is_block = bool(numbered) and numbered[0][1].startswith(_HYPHENS)
    if is_block:
        numbered.pop(0)
    while numbered and (is_block or numbered[0][1].lstrip().startswith(":")):
        number, text = numbered.pop(0)
        if is_block and text.startswith(_HYPHENS):
            break
        name, _, value = text.strip().removeprefix(":").partition(":")
        if name.strip():
            directive.options[name.strip()] = _unquoted(value.strip()) or None
            directive.lines[name.strip()] = number
    if numbered and not numbered[0][1].strip():
        numbered.pop(0)
    directive.body.extend(numbered)
    return directive


def _unquoted(text: str) -> str:
    is_quoted = len(text) > 1 and text[0] in "\"'" and text.endswith(text[0])
    return text[1:-1] if is_quoted else text


def _card(
    token: Token, page: Sequence[Token], env: Env, options: Options, anchors: set[str]
) -> Token:
    """The card in the place of a fence; the fence itself, if it is no citation."""
    line = token.map[0] + 1 if token.map else None
    directive = read_directive(token.content, (line or 0) + 1)
    try:
        sources = _sources(directive, page, env, options)
        reader = HandleReader(proxies=options.proxies, environment=options.environment)
        cited = citation(sources, reader, release=options.release)
    except CitationError as error:
        own = directive.lines.get(error.where.strip(":"))
        record_citation(env, str(error), error.line or own or line)
        return token
    _record(cited, env, line)
    stem = f"cite-{slug(cited.work.title)}".rstrip("-")
    names = (stem if number == 1 else f"{stem}-{number}" for number in count(1))
    anchor = next(name for name in names if name not in anchors)
    anchors.add(anchor)
    made = Token("html_block", "", 0, map=token.map, block=True, level=token.level)
    made.content = card_html(make_card(cited, options.translate), anchor)
    return made


def _record(cited: Citation, env: Env, line: int | None) -> None:
    for handle in cited.handles:
        reference = HandleReference(handle=handle)
        href = cited.proxies.link(reference)
        record_reference(env, str(handle), reference, href, Position(line))
    for problem in cited.problems:
        record_problem(env, problem, problem.line or line)


def _sources(
    directive: Directive, page: Sequence[Token], env: Env, options: Options
) -> list[Source]:
    """The sources of a citation, the nearest to the reader first.

    A Markdown document may be anybody's: without the caller's leave it has no file read.

    Raises:
        CitationError: when one of them cannot be read.
    """
    own = directive_source(directive.options, directive.body, directive.lines)
    metadata = page_source(_metadata(page, env))
    sources = [own, metadata]
    named = own.works_file or metadata.works_file
    if named:
        sources.append(_works_file(named, env, options))
    elif options.work is not None:
        sources.append(options.work)
    settings = {
        "handle_version": options.version or "",
        "read_the_docs": options.environment.get(_READ_THE_DOCS, ""),
        "release": options.release or "",
    }
    sources.append(configuration_source(settings, options.cite_show))
    return sources


def _metadata(page: Sequence[Token], env: Env) -> Mapping[str, object]:
    if page and page[0].type == "front_matter":
        try:
            return read_front_matter(page[0].content)
        except CitationError as error:
            # Front matter begins below its line of hyphens.
            line = None if error.line is None else error.line + 1
            raise CitationError(error.reason, where=error.where, line=line) from error
    given = env.get("metadata")
    return cast("Mapping[str, object]", given) if isinstance(given, Mapping) else {}


def _works_file(named: str, env: Env, options: Options) -> Source:
    name, _, identity = named.partition("#")
    if options.sources is None:
        reason = "no file is read here: the plugin was given no folder of sources"
        raise CitationError(reason, where=":source:")
    folder = options.sources.resolve()
    page = env.get("path")
    beside = Path(page).parent if isinstance(page, str) else Path()
    path = (folder / beside / name).resolve()
    if not path.is_relative_to(folder):
        reason = "the file is outside of the folder of sources"
        raise CitationError(reason, where=":source:")
    return file_source(path, identity or None, proxies=options.proxies)


def given_work(
    work: Work | str | os.PathLike[str] | None, proxies: Proxies
) -> Source | None:
    """The source of the work that a caller of the plugin gives.

    Raises:
        CitationError: when a file does not describe it.
    """
    if work is None:
        return None
    if isinstance(work, Work):
        return work_source(work)
    name, _, identity = os.fspath(work).partition("#")
    return file_source(Path(name), identity or None, proxies=proxies)
