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
from typing import TYPE_CHECKING

from markdown_it.rules_core import StateCore
from markdown_it.token import Token

from handle_system.citing.card import Card, make_card
from handle_system.citing.card_html import (
    SCRIPT,
    STATIC,
    STYLESHEET,
    card_html,
    notice_html,
)
from handle_system.citing.checks import finding_about_citation
from handle_system.citing.citation import slug
from handle_system.citing.documents import CitationError
from handle_system.citing.fields import HandleReader
from handle_system.citing.formats import CitationFormat
from handle_system.citing.options import FLAGS
from handle_system.citing.pipeline import (
    PageCitation,
    is_about_another_work,
    read_citation,
    work_source,
)
from handle_system.citing.sources import (
    READ_THE_DOCS,
    Directive,
    NamedFile,
    Source,
    SourcePlace,
    configuration_source,
    directive_source,
    page_source,
    read_directive,
    read_front_matter,
    unexpected_argument,
)
from handle_system.citing.work import Work
from handle_system.citing.works_files import file_source, works_path
from handle_system.errors import showable
from handle_system.findings.finding import Place
from handle_system.handle import Handle
from handle_system.presenting import MALFORMED_CLASSES
from handle_system.reference import HandleReference
from handle_system.settings import Settings
from handle_system.typed_values import did_you_mean
from mdit_handle.inline import CITE_NAME
from mdit_handle.record import add_finding, add_record, add_reference

if TYPE_CHECKING:
    from handle_system.describing.described_works import DescribedWorks

__all__ = ["SCRIPT", "STATIC", "STYLESHEET", "Citations"]

_FENCES = frozenset({"fence", "colon_fence"})
# The parts that every card may show.
_PARTS = (*FLAGS, *CitationFormat)


class Citations:
    """The citations of documents; for the arguments see `mdit_handle.handle_plugin`.

    Raises:
        CitationError: when the work's file does not describe it.
        ValueError: when there is no such thing to show.
    """

    def __init__(  # noqa: PLR0913 - options, each by its name
        self,
        values: Settings,
        *,
        version: str | None,
        translate: Callable[[str], str] | None,
        release: str | None,
        work: Work | str | PathLike[str] | None,
        show: Collection[str],
        sources: str | PathLike[str] | None,
        environment: Mapping[str, str] | None,
        references: "DescribedWorks | None",
    ) -> None:
        unknown = sorted({*show} - {*_PARTS})
        if unknown:
            raise ValueError(f"cite_show: {did_you_mean(unknown[0], _PARTS)}")
        self._reader = HandleReader(
            proxies=values.link_proxies,
            environment=environment or {},
            suffix_policy=values.suffixes,
        )
        self._translate = translate or str
        self._references = references
        self._policy = values.policy
        self._release = release
        self._work: Source | None = None
        if isinstance(work, Work):
            self._work = work_source(work)
        elif work is not None:
            file = NamedFile(fspath(work), SourcePlace("work"))
            path, identity = works_path(file, Path())
            self._work = file_source(file, path, identity, proxies=values.link_proxies)
        self._folder = None if sources is None else Path(sources)
        settings = {
            "handle_version": version or "",
            "read_the_docs": self._reader.environment.get(READ_THE_DOCS, ""),
            "release": release or "",
        }
        self._settings = configuration_source(settings, tuple(show))

    def rule(self, state: StateCore) -> None:
        """The core rule."""
        anchors: set[str] = set()
        notice = None
        for index, token in enumerate(state.tokens):
            if token.type not in _FENCES or token.info.split()[:1] != [CITE_NAME]:
                continue
            cited = self._cite(token, state)
            if cited is None:
                # The page shows the source of the directive.
                continue
            card = make_card(cited.citation, cited.display, self._translate)
            anchor = _anchor(cited, anchors)
            html = card_html(
                card,
                anchor,
                article_update=self._article_update(cited.citation.article_handle),
            )
            state.tokens[index] = _html_block(html, token)
            if card["notice"] and notice is None:
                notice = card
        if notice is not None:
            _insert_notice(state, notice)

    def _article_update(self, article: Handle | None) -> str:
        """What became of the article of a card, as HTML; empty if there is no news."""
        if article is None or self._references is None:
            return ""
        work = self._references.get(article)
        update = work.listed_update if work else None
        if update is None:
            return ""
        from handle_system.describing.list_parts import (  # noqa: PLC0415 - few cards have one
            update_parts,
        )
        from handle_system.describing.parts import html_of  # noqa: PLC0415 - see above

        said = update_parts(update, self._reader.proxies, self._translate)
        return html_of(said)

    def _cite(self, token: Token, state: StateCore) -> PageCitation | None:
        """The citation of a fence, if it is one; faults and handles are recorded."""
        directive = read_directive(token.content, _place(token).line + 1)
        try:
            argument = " ".join(token.info.split()[1:])
            if argument:
                raise unexpected_argument(argument)
            sources = self._sources(directive, state)
            cited = read_citation(sources, self._reader, release=self._release)
        except CitationError as error:
            place = _place(token, error.line)
            record = add_record(state.env, CITE_NAME, "citation", place)
            add_finding(record, finding_about_citation(error), self._policy)
            # The page shows the source of the directive, and why it is no citation.
            token.attrJoin("class", " ".join(MALFORMED_CLASSES))
            token.attrSet("title", showable(str(error)))
            return None
        handles = [*cited.citation.handles]
        if cited.citation.article_handle is not None:
            handles.append(cited.citation.article_handle)
        for handle in handles:
            place = _place(token)
            record = add_record(state.env, str(handle), "citation", place)
            reference = HandleReference(handle=handle)
            add_reference(record, reference, self._reader.proxies.link(reference))
        for problem in cited.problems:
            place = _place(token, problem.first.line)
            record = add_record(state.env, CITE_NAME, "citation", place)
            add_finding(record, problem, self._policy)
        return cited

    def _sources(self, directive: Directive, state: StateCore) -> Sequence[Source]:
        """The sources of a citation, the nearest to the reader first.

        Raises:
            CitationError: when one of them cannot be read.
        """
        own = directive_source(*directive)
        if state.tokens[0].type == "front_matter":
            page = page_source(read_front_matter(state.src))
        else:
            page = page_source(state.env.get("metadata") or {})
        sources = [own, page]
        file = own.works_file or page.works_file
        if file is not None:
            sources.append(self._works_source(file, state))
        elif self._work is not None and not is_about_another_work(
            sources, self._work, self._reader
        ):
            sources.append(self._work)
        return [*sources, self._settings]

    def _works_source(self, file: NamedFile, state: StateCore) -> Source:
        """The works file that a document names.

        A Markdown document may be anybody's: without the caller's leave it has no file
        read.

        Raises:
            CitationError: when the file cannot be read.
        """
        if self._folder is None:
            reason = "no file is read here: the plugin was given no folder of sources"
            raise CitationError(reason, file.place.where, file.place.line)
        folder = Path(self._folder, Path(str(state.env.get("path", ""))).parent)
        path, identity = works_path(file, folder, self._folder)
        return file_source(file, path, identity, proxies=self._reader.proxies)


def _place(token: Token, line: int | None = None) -> Place:
    """The place of a directive, or of a line of it or of its sources, if known."""
    if token.map is None:
        # Another plugin made the directive.
        return Place()
    return Place(line=line or token.map[0] + 1)


def _anchor(cited: PageCitation, anchors: set[str]) -> str:
    """An id for a card that no other card of the document has."""
    stem = f"cite-{slug(cited.citation.work.title)}".rstrip("-")
    anchor = stem
    for number in count(2):
        if anchor not in anchors:
            break
        anchor = f"{stem}-{number}"
    anchors.add(anchor)
    return anchor


def _html_block(html: str, token: Token) -> Token:
    """HTML in the place of a token."""
    block = Token("html_block", "", 0, map=token.map, block=True, level=token.level)
    block.content = html
    return block


def _insert_notice(state: StateCore, card: Card) -> None:
    """Put the notice on an old version below the title, if the document has one."""
    block = Token("html_block", "", 0, block=True)
    block.content = notice_html(card)
    place = 0
    for index, token in enumerate(state.tokens):
        if token.type == "heading_close" and token.tag == "h1" and token.level == 0:
            place = index + 1
            break
    else:
        if state.tokens and state.tokens[0].type == "front_matter":
            place = 1
    state.tokens.insert(place, block)
