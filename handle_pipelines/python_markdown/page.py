"""What is known of one text while Python-Markdown turns it into a page."""

from dataclasses import dataclass, field
from functools import cached_property
from html import escape
from pathlib import Path
from typing import NamedTuple
from xml.etree.ElementTree import Element

from markdown.util import AtomicString, code_escape

from handle_pipelines.python_markdown.places import Places
from handle_system.describing.described_works import DescribedWorks
from handle_system.describing.list_options import ListOptions
from handle_system.findings.finding import Finding
from handle_system.found import Found, Markup
from handle_system.presenting import Presented, Presenter
from handle_system.role_citations import Cluster
from handle_system.settings import Settings


@dataclass(slots=True)
class Showing:
    """What an element of the page shows.

    Attributes:
        found: The reference, or what was meant for one; `None` if it is text only.
        is_linked: Whether it is a link, or holds links.
        is_citing: Whether its text is ours, so that it may cite the work.
        cluster: The references that are cited together; `found` is `None` then.
        cluster_markup: How these are marked up.
        markup: The markup around it, by which its place is found; may be empty.
    """

    found: Found | None = None
    is_linked: bool = True
    is_citing: bool = False
    cluster: Cluster | None = None
    cluster_markup: Markup = Markup.TEXT
    markup: str = ""

    @property
    def all_found(self) -> list[Found]:
        """All that it shows, without places."""
        if self.cluster is not None:
            return [
                cited.found._replace(markup=self.cluster_markup, is_key=True)
                for cited in self.cluster.cited
            ]
        if self.found is None:
            return []
        return [self.found._replace(is_key=self.found.is_key or self.is_citing)]


class PageList(NamedTuple):
    """A list of references that the page shows.

    Attributes:
        block: The number of its HTML among the blocks that Python-Markdown keeps.
        options: What its author says of it.
    """

    block: int
    options: ListOptions


@dataclass(kw_only=True)
class Page:
    """One text, from its lines to its findings.

    Attributes:
        settings: How references are read, shown and reported.
        source: The text, before any extension changed it.
        places: The places of what is found in it.
        folder: The folder of the document, whose files are no references.
        works: The works that files of references describe.
        is_worth: Whether it may hold references.
        has_pairs: Whether PyMdown's pairs are markup.
        shown: What elements show. Python-Markdown moves elements, and copies none.
        lists: The lists of the page.
        list_count: How many its author has written.
        found: What was found in the text, in the order of the page.
        findings: The findings, before the project's policy.
        card_count: How many cards it has.
    """

    settings: Settings
    source: str
    places: Places
    folder: Path | None = None
    works: DescribedWorks | None = None
    is_worth: bool = False
    has_pairs: bool = False
    shown: dict[Element, Showing] = field(default_factory=dict)
    lists: list[PageList] = field(default_factory=list)
    list_count: int = 0
    found: list[Found] = field(default_factory=list)
    findings: list[Finding] = field(default_factory=list)
    card_count: int = 0

    @cached_property
    def presenter(self) -> Presenter:
        """Presents the references of the page."""
        return Presenter(
            proxies=self.settings.link_proxies,
            display=self.settings.display,
            works=self.works,
        )

    def element(self, presented: Presented, shown: Showing) -> Element:
        """An element of the page, whose text no other pattern reads."""
        element = Element("a" if presented.href else "span")
        present(element, presented)
        element.text = AtomicString(code_escape(presented.text))
        self.shown[element] = shown
        return element


def present(element: Element, presented: Presented) -> None:
    """Give an element the address, the classes and the title of a reference.

    Python-Markdown escapes no ``&`` of an attribute that looks like an entity.
    """
    if presented.href:
        element.set("href", escape(presented.href))
    classes = " ".join([*element.get("class", "").split(), *presented.classes])
    if classes:
        element.set("class", classes)
    if presented.title:
        element.set("title", presented.title.replace("&", "&amp;"))
