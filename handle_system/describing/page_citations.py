"""A page that cites works: what is shown of its references, and what is said about them.

A front end hands over what it found, in the order of the text, and how its lists are to be
made. It gets what to show in the place of its links as `Parts`, its lists, and the findings.
It finds, and writes in a tree of its own; all else is decided here.

A page has one document, and its list is the only one: ``{handle-references}`` shows it, and
citations lead to its entries. Without it they lead to the works, and have no numbers and no
letters. A project has many documents, whose links are written in any order: there the links
of each document are counted when they are found, and each has kept its number.

**Add a front end.** It finds references with `find_references()` or takes the targets
of links, asks a `Presenter` how each is shown, and stands on the room of a page, as
`mdit_handle/page_citations.py` does in one module. It writes three functions:

- *find*: each `Found` in the order of the text, with its place, as a `FoundInPage`; not
  linked if it stays text, as where `Presented.href` is empty. In running text
  `find_references()` finds it (`malformed=True`, since findings tell of those, too), in
  the target of a link `parse_target()` (`handle_system/found.py`), in a role
  `read_role()` (`handle_system/role_citations.py`), whose cluster has a `Found` for each
  link. `text_beside()` (`handle_system/text_beside.py`) makes the text beside a link: of
  its own text and, if it is the only one of its block, of the text around it there;
- *write*: `Parts` into its tree. `Shown.link` names a link that it asked about, whose
  attributes are completed and whose class is joined; `parts` of `None` leave what the
  link holds. What the output cannot hold, such as a class, is left out;
- *render*: one `CitingPage`, then `shown_link()` or `shown_cluster()` for each of its
  links in the same order, `list_of()` for each list, and `findings()`, or
  `findings_by_found()` where each reference has a record. `Policy`
  (`handle_system/findings/finding.py`) leaves out the kinds that are off. Settings come
  from `read()` (`handle_system/settings.py`).

It was tried for mistune, without lines and settings: 17 functions, 276 lines.

Then a member of `FrontEnd` (`handle_system/findings/codes.py`), its column in
`tests/test_parity/test_page.py`, which has one document with each kind of finding and
each mark, and a golden page there.
"""

from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import replace
from typing import NamedTuple, TypeAlias

from handle_system.citing.in_text_style import (
    CitingStyle,
    Label,
    citation_text,
    citing_style,
    signs_around,
)
from handle_system.describing.described_works import DescribedWorks
from handle_system.describing.list_options import ListOptions
from handle_system.describing.list_parts import LinkTo, list_parts, work_parts
from handle_system.describing.lists import (
    KeptOrder,
    Mention,
    ReferenceLists,
)
from handle_system.describing.page_settings import PageSettings
from handle_system.describing.parts import Parts, Shown, Target
from handle_system.describing.states import State
from handle_system.describing.updates import Update
from handle_system.describing.work_findings import CitedWorks
from handle_system.diagnostics import findings_about
from handle_system.findings.finding import Finding, Place
from handle_system.found import Found
from handle_system.handle import Handle
from handle_system.presenting import display_text
from handle_system.reference import HandleReference
from handle_system.role_citations import texts_around

#: The name of the document of a page that knows no others, which is a part of ids.
PAGE = "page"
_NO_WORDS = ("", "")
#: The word of the mark behind a link to a retracted work, in English.
RETRACTED = "retracted"
_RETRACTED_CLASS = "hdl-retracted"
#: Where an author says it, it stands within so many characters behind the link.
NEAR = 20
# The stem of the word in English, as titles of publishers and authors have it.
_STEM = "retract"
# A link that stands alone, and stays as it is.
_KEPT_LINK: Parts = (Shown(None, {}, "a", 0),)

#: The beginning of the text behind a link, or behind a cluster, where its author may say
#: what became of the work; `None` where no mark may stand, such as in a heading. It goes on
#: behind an element that holds the link, to the end of the block. It is asked for where a
#: work was retracted.
TextBehind: TypeAlias = Callable[[], str | None]


class LinkOrderError(Exception):
    """A front end asks about another link than the one that it found next."""


class FoundInPage(NamedTuple):
    """A reference that was found in a page, or what was meant for one.

    Attributes:
        found: It, at its place; without a place if nobody knows that.
        is_linked: Whether a link shows it, which counts for lists and can lead to them.
        is_checked: Whether somebody has said already what is wrong with it as such.
        number: Its number among the links; 0 if nothing can lead to it, and `None` if the
            page counts.
    """

    found: Found
    is_linked: bool = True
    is_checked: bool = False
    number: int | None = None


class PageLink(NamedTuple):
    """A link to a work, which a front end is about to write.

    Attributes:
        handle: The identifier of the work.
        text: The text of the link as it stands.
        words: The words before and behind it, if its text is not its author's: then it
            cites the work. `None` if it keeps its text.
        document: The name of its document.
        number: Its number as it was counted; `None` if the page counts.
        is_in_brackets: Whether square brackets stand around it, and its mark needs none.
    """

    handle: Handle
    text: str
    words: tuple[str, str] | None = None
    document: str = PAGE
    number: int | None = None
    is_in_brackets: bool = False


class CitingPage:
    """A page, or all documents of a project.

    Attributes:
        lists: The lists.
    """

    def __init__(
        self,
        found: Iterable[FoundInPage],
        lists: Mapping[str, Sequence[ListOptions]],
        works: DescribedWorks | None,
        settings: PageSettings,
        mentions: Mapping[str, Sequence[Mention]] | None = None,
        kept_order: KeptOrder | None = None,
    ) -> None:
        """Take over what was found.

        Args:
            found: The references, in the order of the text.
            lists: The options of the lists of each document that has any.
            works: The works that files describe; `None` if the project names no file.
            settings: How works are shown, and what is said about them.
            mentions: The links of each document, in the order of the project; `None` for
                those of `found`, which the page counts.
            kept_order: Gives a list the order that was kept, or has it made; `None` if
                no order is kept.
        """
        self._found = tuple(found)
        self._cites = settings.cites and works is not None
        self._works = works or DescribedWorks(())
        # Links lead to no list, and no work was retracted.
        self._keeps_links = not works and not any(lists.values())
        self._settings = settings
        self._linked: list[Handle] = []
        self._asked = 0
        if mentions is None:
            mentions = {PAGE: self._count_links()}
        self.lists = ReferenceLists(
            lists,
            mentions,
            self._works,
            settings,
            kept_order,
        )

    def _count_links(self) -> list[Mention]:
        """The links of the page itself."""
        mentions: list[Mention] = []
        for one in self._found:
            reference = one.found.reference
            if not one.is_linked or not isinstance(reference, HandleReference):
                continue
            number = one.number
            if number is None:
                self._linked.append(reference.handle)
                number = len(self._linked)
            mentions.append(Mention(PAGE, reference.handle, number))
        return mentions

    def shown_link(self, link: PageLink, text_behind: TextBehind) -> Parts:
        """What stands in the place of a link that stands alone.

        Args:
            link: The link.
            text_behind: Gives the text behind it.

        Raises:
            LinkOrderError: when the page counts, and another link was found next.
        """
        is_citing = link.words is not None
        style = self._style(is_bracketed=False) if is_citing else None
        if style is None and self._keeps_links:
            self._number_of(link)
            return _KEPT_LINK
        return self._shown([link], ("", ""), text_behind, style)

    def shown_cluster(
        self,
        links: Sequence[PageLink],
        text_behind: TextBehind,
        *,
        is_bracketed: bool,
        is_named: bool = False,
    ) -> Parts:
        """What stands in the place of a cluster, with the words around its links.

        Args:
            links: Its links; each has words.
            text_behind: Gives the text behind the cluster.
            is_bracketed: Whether its author wrote brackets around it.
            is_named: Whether its author asks for names, also where works have numbers.

        Raises:
            LinkOrderError: when the page counts, and another link was found next.
        """
        words = [link.words or _NO_WORDS for link in links]
        texts = tuple(texts_around(words, is_bracketed=is_bracketed))
        style = self._style(is_bracketed=is_bracketed, is_named=is_named)
        return self._shown(links, texts, text_behind, style)

    def list_of(
        self,
        index: int,
        document: str = PAGE,
        link_to: LinkTo | None = None,
        *,
        leads_back: bool = True,
    ) -> Parts:
        """A list, by its index among those of its document; nothing if it has no entry.

        Args:
            index: Its index.
            document: The document.
            link_to: Gives links to other documents; `None` if there are none.
            leads_back: Whether entries lead back to the text.
        """
        return list_parts(
            self.lists.by_page[document][index],
            self.lists,
            self._works,
            self._settings,
            link_to,
            leads_back=leads_back,
        )

    def entry(self, handle: Handle) -> Parts:
        """The paragraphs about a work, as its entry has them, for a hover."""
        return work_parts(self._works.work(handle), self._settings)

    def findings(self) -> list[Finding]:
        """All findings: those about each reference as such, and those about works.

        One without a place is told, too. Each has the severity of its kind, which may be
        off: see `Policy`.
        """
        policy = self._settings.suffix_policy
        as_such = [
            finding
            for one in self._found
            if not one.is_checked
            for finding in findings_about(one.found, policy)
        ]
        return as_such + self._findings_about_works()

    def findings_by_found(self) -> list[list[Finding]]:
        """The same for each reference that was found, at its place alone."""
        policy = self._settings.suffix_policy
        by_found = [
            [] if one.is_checked else findings_about(one.found, policy)
            for one in self._found
        ]
        about_works = self._findings_about_works()
        if not about_works:
            return by_found
        found_at: dict[tuple[str, Place], list[tuple[int, Handle]]] = {}
        for index, one in enumerate(self._found):
            if isinstance(one.found.reference, HandleReference):
                handle = one.found.reference.handle
                key = self._settings.key(handle)
                found_at.setdefault((key, one.found.place), []).append((index, handle))
        for finding in about_works:
            key = self._settings.key(Handle.parse(finding.subject))
            for place in dict.fromkeys(finding.places):
                for index, handle in found_at[key, place]:
                    own = replace(finding, subject=str(handle), places=(place,))
                    by_found[index].append(own)
        return by_found

    def _findings_about_works(self) -> list[Finding]:
        """What became of the works, which nobody describes, and which are not meant."""
        cited = CitedWorks(self._settings.key)
        for one in self._found:
            cited.add(one.found)
        return cited.findings(self._works, self._settings)

    def _style(
        self, *, is_bracketed: bool, is_named: bool = False
    ) -> CitingStyle | None:
        """How works are cited; `None` if links keep their texts."""
        if not self._cites:
            return None
        return citing_style(
            self._settings.display, is_bracketed=is_bracketed, is_named=is_named
        )

    def _shown(
        self,
        links: Sequence[PageLink],
        texts: Sequence[str],
        text_behind: TextBehind,
        style: CitingStyle | None,
    ) -> Parts:
        """What stands in the place of links that stand together.

        Args:
            links: The links.
            texts: The text before each of them, and that behind the last one.
            text_behind: Gives the text behind all of them.
            style: How they cite their works; `None` if they keep their texts.
        """
        stood = _Stood(links, texts, text_behind)
        if style is not None:
            return self._cited(stood, style)
        parts: list[str | Shown] = []
        for index, text in enumerate(texts[:-1]):
            parts += [text, *self._link(stood, index)]
        return _without_empty_texts([*parts, texts[-1]])

    def _cited(self, stood: "_Stood", style: CitingStyle) -> Parts:
        """What stands in the place of links that cite their works."""
        words = [link.words or _NO_WORDS for link in stood.links]
        citations = [self._citation(link, style) for link in stood.links]
        opening, separator, closing = signs_around(style, citations, words)
        parts: list[str | Shown] = []
        for index, (prefix, locator) in enumerate(words):
            citation = citations[index]
            behind = ""
            if not citation:
                # The identifier stands there, and the locator is no part of it.
                reference = HandleReference(handle=stood.links[index].handle)
                citation = display_text(reference, self._settings.proxies)
                behind = f", {locator}" if locator else ""
            parts += [
                separator if index else "",
                f"{prefix} " if prefix else "",
                *self._link(stood, index, citation, is_number=style == "number"),
                behind,
            ]
        if not opening:
            return _without_empty_texts(parts)
        inside = _without_empty_texts([opening, *parts, closing])
        return (Shown(inside, {"class": "hdl-bracket"}),)

    def _citation(self, link: PageLink, style: CitingStyle) -> str:
        """The text of a citation; empty if too little is known of its work."""
        entry = self.lists.name_of_entry(link.document, link.handle)
        _, locator = link.words or _NO_WORDS
        return citation_text(
            self._works.work(link.handle).described,
            entry.label if entry else Label(),
            style,
            self._settings.translate,
            locator=locator,
        )

    def _link(
        self,
        stood: "_Stood",
        index: int,
        citation: str | None = None,
        *,
        is_number: bool = False,
    ) -> Parts:
        """A link, and its mark if it needs one.

        Args:
            stood: The links that stand together.
            index: Which of them it is.
            citation: The text that it gets; `None` if it keeps its own.
            is_number: Whether that is a number, which stands in brackets already.
        """
        link = stood.links[index]
        attributes: dict[str, str] = {}
        place = self.lists.id_of_place(link.document, self._number_of(link))
        if place:
            attributes["id"] = place
        work = self._works.get(link.handle)
        retraction = work.retraction if work else None
        if retraction is not None:
            attributes["class"] = _RETRACTED_CLASS
        target = None
        used = self.lists.used_by(link.document)
        entry = self.lists.name_of_entry(link.document, link.handle)
        if citation is not None and used is not None and entry is not None:
            target = Target(used.page, entry.id)
            attributes |= {"href": f"#{entry.id}", "role": "doc-biblioref"}
        parts = None if citation is None else (citation,)
        shown = Shown(parts, attributes, "a", index, target)
        if retraction is None:
            return (shown,)
        text = link.text if citation is None else citation
        behind = stood.text_behind(index)
        if behind is None or says_retracted([text, behind], self._settings.translate):
            return (shown,)
        is_in_brackets = is_number or link.is_in_brackets
        return (shown, " ", self._mark(retraction, is_in_brackets=is_in_brackets))

    def _number_of(self, link: PageLink) -> int:
        """The number of a link that is written."""
        if link.number is not None:
            return link.number
        found = self._linked[self._asked] if self._asked < len(self._linked) else None
        if found != link.handle:
            raise LinkOrderError(
                f"the link to {link.handle} is written, and that to {found} was found next"
            )
        self._asked += 1
        return self._asked

    def _mark(self, retraction: Update, *, is_in_brackets: bool) -> Shown:
        """The mark behind a link, which leads to the notice if that is known."""
        translate = self._settings.translate
        word: str | Shown = translate(RETRACTED)
        if retraction.handle is not None:
            address = self._settings.proxies.link(retraction.handle)
            date = f" {retraction.date}" if retraction.date else ""
            state = translate(State.RETRACTED.label)
            noun = translate(State.RETRACTED.source_noun)
            attributes = {
                "href": address,
                "title": f"{state}{date}: {address}",
                "aria-label": f"{word}{date}, {noun}",
            }
            word = Shown((word,), attributes, "a")
        inside = (word,) if is_in_brackets else ("[", word, "]")
        return Shown(inside, {"class": "hdl-flag"})


class _Stood(NamedTuple):
    """Links that stand together, as they stood.

    Attributes:
        links: The links.
        texts: The text before each of them, and that behind the last one.
        behind: Gives the text behind all of them.
    """

    links: Sequence[PageLink]
    texts: Sequence[str]
    behind: TextBehind

    def text_behind(self, index: int) -> str | None:
        """The beginning of the text behind a link; `None` if no mark may stand there."""
        behind = self.behind()
        if behind is None:
            return None
        text = self.texts[index + 1]
        for number in range(index + 1, len(self.links)):
            if len(text) >= NEAR:
                break
            text += self.links[number].text + self.texts[number + 1]
        return f"{text}{behind}"[:NEAR]


def says_retracted(texts: Iterable[str], translate: Callable[[str], str] = str) -> bool:
    """Whether one of some texts says that a work was retracted.

    >>> says_retracted(["RETRACTED ARTICLE: On tea urns"])
    True
    """
    said = "\n".join(texts).casefold()
    return _STEM in said or translate(RETRACTED).casefold() in said


def _without_empty_texts(parts: Iterable[str | Shown]) -> Parts:
    return tuple(part for part in parts if part != "")
