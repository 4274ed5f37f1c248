"""The way back from an entry of a list to other documents that cite the work.

Pages are named by their titles. A PDF names its own pages.
"""

from typing import TYPE_CHECKING

from docutils import nodes

from handle_system.describing.list_parts import LinkTo
from handle_system.describing.lists import Entry, Mention, ReferenceLists
from handle_system.describing.parts import Shown, Target
from sphinxcontrib_handle.domain import HandleDomain, handle_domain
from sphinxcontrib_handle.messages import _
from sphinxcontrib_handle.part_nodes import link_within_project

if TYPE_CHECKING:
    from sphinx.environment import BuildEnvironment

# TeX knows the pages of labels, and which of them follow each other.
_BEGIN_PAGES = "\\begingroup\\def\\hdlpage{}"
_END_PAGES = "\\endgroup"
_PAGE = (
    "\\edef\\hdlnext{{\\getpagerefnumber{{{label}}}}}"
    "\\ifx\\hdlnext\\hdlpage\\else"
    "\\ifx\\hdlpage\\empty\\else, \\fi"
    "\\pageref{{{label}}}\\let\\hdlpage\\hdlnext\\fi"
)


def links_from(env: "BuildEnvironment", page: str, lists: ReferenceLists) -> LinkTo:
    """A function that gives the link from a document to a mention in another one.

    Args:
        env: The environment.
        page: The document that shows a list.
        lists: All lists.
    """
    domain = handle_domain(env)

    def link_to(mention: Mention) -> Shown | None:
        document = mention.document
        place = lists.id_of_place(document, mention.number)
        if not domain.has_page(document):
            return None
        where = link_within_project(domain, page, document, place)
        address = where.get("refuri") or f"#{place}"
        title = env.titles[document].astext()
        return Shown((title,), {"href": address}, "a", target=Target(document, place))

    return link_to


def pages_of_pdf(
    domain: HandleDomain, lists: ReferenceLists, entry: Entry
) -> list[nodes.Node]:
    """The pages of a PDF that cite the work of an entry, each once."""
    labels = [
        lists.id_of_place(mention.document, mention.number)
        for mention in entry.mentions
        if domain.has_page(mention.document)
    ]
    pages = "".join(_PAGE.format(label=label) for label in labels if label)
    if not pages:
        return []
    commands = f"{_BEGIN_PAGES}{pages}{_END_PAGES}"
    return [
        nodes.Text(f"{_('Cited on page')} "),
        nodes.raw("", commands, format="latex"),
    ]
