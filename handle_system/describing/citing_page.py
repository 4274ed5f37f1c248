"""A page that cites works and knows no project: what is shown of each citation.

The list of such a page is the only one: ``{handle-references}`` shows it, and citations
lead to its entries.  Without it they lead to the works, and have no numbers and no
letters.

A front end finds the links of a page in a tree of its own, and writes there what is
decided here.
"""

from collections.abc import Callable, Iterable, Sequence
from typing import NamedTuple

from handle_system.citing.in_text import (
    CitingStyle,
    Label,
    citation_text,
    citing_style,
    signs_around,
)
from handle_system.describing.described_work import DescribedWork
from handle_system.describing.list_html import list_html
from handle_system.describing.list_options import ListOptions
from handle_system.describing.reference_lists import Entry, Mention, ReferenceLists
from handle_system.describing.references import References
from handle_system.describing.retraction import (
    RETRACTED,
    NoticeWords,
    notice_words,
    retraction_of,
    says_retracted,
)
from handle_system.handle import Handle
from handle_system.presenting import DisplayStyle, display_text
from handle_system.proxies import Proxies
from handle_system.reference import HandleReference

__all__ = ["CitedWork", "CitingPage", "Mark", "ShownCitation", "ShownCitations"]

# The name of the only document, which is a part of ids.
_PAGE = "page"


class CitedWork(NamedTuple):
    """A link to a work, and what stands around it.

    Attributes:
        handle: The identifier of the work.
        words: The words before and behind it in a cluster.
        text_behind: The beginning of the text behind it.
        is_in_heading: Whether it stands in a heading, which gets no mark.
    """

    handle: Handle
    words: tuple[str, str] = ("", "")
    text_behind: str = ""
    is_in_heading: bool = False


class Mark(NamedTuple):
    """The mark behind the link to a retracted work.

    Attributes:
        left: The bracket before its word; empty where a bracket stands already.
        word: Its word.
        right: The bracket behind its word.
        address: The address of the notice; empty if that is not known.
        notice: The words of the link to the notice; `None` if that is not known.
    """

    left: str
    word: str
    right: str
    address: str
    notice: NoticeWords | None


class ShownCitation(NamedTuple):
    """What is shown of one citation, in the order of the text.

    Attributes:
        before: The text before the link.
        text: The text of the link.
        entry_id: The id of the entry that the link leads to; empty if it leads to the
            work.
        mark: The mark behind the link, if the work was retracted and nobody says so.
        behind: The text behind the mark.
    """

    before: str
    text: str
    entry_id: str
    mark: Mark | None
    behind: str


class ShownCitations(NamedTuple):
    """What is shown of citations that stand together.

    Attributes:
        opening: The bracket before them; empty if there is none.
        citations: The citations.
        closing: The bracket behind them.
    """

    opening: str
    citations: list[ShownCitation]
    closing: str


class CitingPage:
    """A page that cites works.

    Args:
        handles: The handles of its links, in their order.
        lists: The options of each of its lists.
        works: The works.
        proxies: Where links lead.
        display: The text of a reference that has none of its own.
        translate: Turns an English word into the reader's language.
    """

    def __init__(
        self,
        handles: Iterable[Handle],
        lists: Sequence[ListOptions],
        works: References,
        proxies: Proxies,
        display: DisplayStyle,
        translate: Callable[[str], str] = str,
    ) -> None:
        self._works = works
        self._proxies = proxies
        self._display = display
        self._translate = translate
        mentions = [
            Mention(_PAGE, handle, number) for number, handle in enumerate(handles, 1)
        ]
        self._lists = ReferenceLists(
            {_PAGE: list(lists)},
            {_PAGE: mentions},
            works,
            key=lambda handle: handle.comparison_key,
            translate=translate,
            is_numbered=display == "number",
        )

    def id_of_place(self, number: int) -> str:
        """The id of a link, by its number from 1; empty if no list leads back to it."""
        return self._lists.id_of_place(_PAGE, number)

    def style(self, *, is_bracketed: bool) -> CitingStyle | None:
        """How the text cites works; `None` if it shows their identifiers."""
        return citing_style(self._display, is_bracketed=is_bracketed)

    def together(
        self, cited: Sequence[CitedWork], style: CitingStyle
    ) -> ShownCitations:
        """What is shown of citations that stand together."""
        texts = [self._text(work, style) for work in cited]
        words = [work.words for work in cited]
        opening, separator, closing = signs_around(style, texts, words)
        shown: list[ShownCitation] = []
        for work, text in zip(cited, texts, strict=True):
            prefix = work.words[0]
            before = separator if shown else ""
            if prefix:
                before += f"{prefix} "
            shown.append(self._shown(work, text, before, style))
        return ShownCitations(opening, shown, closing)

    def _text(self, cited: CitedWork, style: CitingStyle) -> str:
        """The text of a citation; empty if too little is known of its work."""
        work = self._works.get(cited.handle)
        if work is None and style != "number":
            return ""
        item = (work or DescribedWork(cited.handle, {})).style_item
        entry = self._entry(cited.handle)
        label = entry.label if entry else Label()
        locator = cited.words[1]
        return citation_text(item, label, style, self._translate, locator=locator)

    def _shown(
        self, cited: CitedWork, text: str, before: str, style: CitingStyle
    ) -> ShownCitation:
        behind = ""
        if not text:
            reference = HandleReference(handle=cited.handle)
            text = display_text(reference, self._proxies)
            locator = cited.words[1]
            behind = f", {locator}" if locator else ""
        entry = self._entry(cited.handle)
        return ShownCitation(
            before=before,
            text=text,
            entry_id=entry.id if entry else "",
            mark=self.mark(cited, text, is_number=style == "number"),
            behind=behind,
        )

    def _entry(self, handle: Handle) -> Entry | None:
        return self._lists.entry(_PAGE, handle)

    def is_retracted(self, handle: Handle) -> bool:
        """Whether a work was retracted."""
        return retraction_of(self._works.get(handle)) is not None

    def mark(
        self, cited: CitedWork, text: str, *, is_number: bool = False
    ) -> Mark | None:
        """The mark behind a link; `None` if its reader needs none.

        Args:
            cited: The link.
            text: The text of the link.
            is_number: Whether it is a number, which stands in brackets already.
        """
        retraction = retraction_of(self._works.get(cited.handle))
        if retraction is None or cited.is_in_heading:
            return None
        if says_retracted([text, cited.text_behind], self._translate):
            return None
        left, right = ("", "") if is_number else ("[", "]")
        if retraction.handle is None:
            return Mark(left, self._translate(RETRACTED), right, "", None)
        address = self._proxies.link(retraction.handle)
        notice = notice_words(retraction, address, self._translate)
        return Mark(left, notice.word, right, address, notice)

    def lists_html(self) -> list[str]:
        """Each list of the page as HTML."""
        return [
            list_html(
                reference_list, self._lists, self._works, self._proxies, self._translate
            )
            for reference_list in self._lists.by_page[_PAGE]
        ]
