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

from collections.abc import Callable, Collection, Mapping, Sequence
from itertools import count
from os import PathLike, fspath
from pathlib import Path

from markdown_it.rules_core import StateCore
from markdown_it.token import Token

from handle_system.citing.card import (
    SCRIPT,
    STATIC,
    STYLESHEET,
    card_html,
    make_card,
)
from handle_system.citing.citation import slug
from handle_system.citing.fields import CitationError, HandleReader
from handle_system.citing.formats import CitationFormat
from handle_system.citing.pipeline import citation, work_source
from handle_system.citing.sources import (
    READ_THE_DOCS,
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
from handle_system.citing.work import Work
from handle_system.found import Place
from handle_system.proxies import Proxies
from handle_system.reference import HandleReference
from mdit_handle.record import add_finding, add_record, add_reference

__all__ = ["SCRIPT", "STATIC", "STYLESHEET", "Citations"]

_NAME = "{cite-version}"
_FENCES = frozenset({"fence", "colon_fence"})
# The parts that every card may show.
_PARTS = ("reference", "history", "uris", *CitationFormat)


class Citations:
    """The citations of documents; for the arguments see `mdit_handle.handle_plugin`.

    Raises:
        CitationError: when the work's file does not describe it.
        ValueError: when there is no such thing to show.
    """

    def __init__(  # noqa: PLR0913 - options, each by its name
        self,
        proxies: Proxies,
        *,
        version: str | None,
        translate: Callable[[str], str] | None,
        release: str | None,
        work: Work | str | PathLike[str] | None,
        show: Collection[str],
        sources: str | PathLike[str] | None,
        environment: Mapping[str, str] | None,
    ) -> None:
        unknown = sorted({*show} - {*_PARTS})
        if unknown:
            raise ValueError(f"{unknown[0]!r} is none of {', '.join(_PARTS)}")
        self._reader = HandleReader(proxies=proxies, environment=environment or {})
        self._translate = translate or str
        self._release = release
        self._work: Source | None = None
        if isinstance(work, Work):
            self._work = work_source(work)
        elif work is not None:
            path, identity = works_path(fspath(work), Path())
            self._work = file_source(path, identity, proxies=proxies)
        self._folder = None if sources is None else Path(sources)
        settings = {
            "handle_version": version or "",
            "read_the_docs": self._reader.environment.get(READ_THE_DOCS, ""),
            "release": release or "",
        }
        self._settings = configuration_source(settings, tuple(show))

    def rule(self, state: StateCore) -> None:
        """The core rule."""
        if _NAME not in state.src:
            return
        anchors: set[str] = set()
        for index, token in enumerate(state.tokens):
            if token.type in _FENCES and token.info.split()[:1] == [_NAME]:
                state.tokens[index] = self._card(token, state, anchors)

    def _card(self, token: Token, state: StateCore, anchors: set[str]) -> Token:
        """The card in the place of a fence; the fence itself, if it is no citation."""
        line = token.map[0] + 1 if token.map else 0
        directive = read_directive(token.content, line + 1)
        try:
            sources = self._sources(directive, state)
            cited = citation(sources, self._reader, release=self._release)
        except CitationError as error:
            own = directive.lines.get(error.where.strip(":"))
            place = Place("", error.line or own or line)
            record = add_record(state.env, _NAME, "citation", place)
            add_finding(record, "citation", str(error))
            return token
        for handle in cited.handles:
            place = Place("", line)
            record = add_record(state.env, str(handle), "citation", place)
            reference = HandleReference(handle=handle)
            add_reference(record, reference, cited.proxies.link(reference))
        for problem in cited.problems:
            place = Place("", problem.line or line)
            record = add_record(state.env, _NAME, "citation", place)
            code = f"cite-{problem.code.value.replace('_', '-')}"
            add_finding(record, code, problem.message, problem.suggestion)
        stem = f"cite-{slug(cited.work.title)}".rstrip("-")
        names = (stem if number == 1 else f"{stem}-{number}" for number in count(1))
        anchor = next(name for name in names if name not in anchors)
        anchors.add(anchor)
        made = Token("html_block", "", 0, map=token.map, block=True, level=token.level)
        made.content = card_html(make_card(cited, self._translate), anchor)
        return made

    def _sources(self, directive: Directive, state: StateCore) -> Sequence[Source]:
        """The sources of a citation, the nearest to the reader first.

        A Markdown document may be anybody's: without the caller's leave it has no file
        read.

        Raises:
            CitationError: when one of them cannot be read.
        """
        own = directive_source(*directive)
        if state.tokens[0].type == "front_matter":
            metadata = page_source(read_front_matter(state.src))
        else:
            metadata = page_source(state.env.get("metadata") or {})
        sources = [own, metadata]
        named = own.works_file or metadata.works_file
        if named and self._folder is None:
            reason = "no file is read here: the plugin was given no folder of sources"
            raise CitationError(reason, where=":source:")
        if named and self._folder is not None:
            folder = Path(self._folder, Path(str(state.env.get("path", ""))).parent)
            path, identity = works_path(named, folder, self._folder)
            sources.append(file_source(path, identity, proxies=self._reader.proxies))
        elif self._work is not None:
            sources.append(self._work)
        return [*sources, self._settings]
