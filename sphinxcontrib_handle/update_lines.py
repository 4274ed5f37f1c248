"""The line that says what became of a work, in lists of references and in cards.

Files of references change without the documents, so nothing of them is in a doctree: the
line is made as a page is written.
"""

from typing import TYPE_CHECKING

from docutils import nodes

from handle_system.describing.list_parts import update_parts
from handle_system.describing.parts import html_of
from handle_system.describing.updates import Update
from handle_system.handle import Handle
from handle_system.presenting import address_html, address_segments, classes_of
from sphinxcontrib_handle.cite.nodes import CardNode
from sphinxcontrib_handle.domain import handle_domain
from sphinxcontrib_handle.links import proxies_of
from sphinxcontrib_handle.messages import _
from sphinxcontrib_handle.reference_nodes import DateNode, NoticeNode

if TYPE_CHECKING:
    from sphinx.environment import BuildEnvironment

__all__ = [
    "address_nodes",
    "article_update_html",
    "put_article_updates",
    "update_nodes",
]

_STAY_WITH_NEXT = "\\nopagebreak"


def put_article_updates(document: nodes.document, env: "BuildEnvironment") -> None:
    """Say in the cards of a document what became of the articles that describe the works.

    Builders of HTML write the card in another way (`article_update_html`).
    """
    for card in document.findall(CardNode):
        update = _article_update(env, card)
        if update is None:
            continue
        names = [statement["name"] for statement in card["card"]["statements"]]
        # The statements come before more about the work.
        definitions = [*card.findall(nodes.definition)]
        definition = definitions[names.index("cite_article")]
        definition += update_nodes(env, update)


def article_update_html(env: "BuildEnvironment", card: CardNode) -> str:
    """What became of the article of a card, as HTML; empty if there is no news."""
    update = _article_update(env, card)
    if update is None:
        return ""
    return html_of(update_parts(update, proxies_of(env.config), _))


def _article_update(env: "BuildEnvironment", card: CardNode) -> Update | None:
    article = card["card"]["article"] if "card" in card else ""
    if not article:
        return None
    work = handle_domain(env).references.get(Handle.parse(article))
    return work.listed_update if work else None


def update_nodes(env: "BuildEnvironment", update: Update) -> list[nodes.Node]:
    """The line below a reference, on its page in print.

    Args:
        env: The environment of the build.
        update: What became of the work.
    """
    line = _update_line(env, update)
    if handle_domain(env).builder_format == "latex":
        return [nodes.raw("", _STAY_WITH_NEXT, format="latex"), line]
    return [line]


def address_nodes(env: "BuildEnvironment", url: str) -> list[nodes.Node]:
    """An address, which breaks after slashes only.

    Args:
        env: The environment of the build.
        url: The address.
    """
    domain = handle_domain(env)
    match domain.builder_format:
        case "html" if domain.builder_name == "epub":
            # Sphinx writes the address behind each link whose text it is not.
            return [nodes.Text(url)]
        case "html":
            # One node: pages have thousands of segments.
            html = address_html(url, "hdl-segment")
            return [nodes.raw("", html, format="html")]
        case "latex":
            first, *others = address_segments(url)
            made: list[nodes.Node] = [nodes.Text(first)]
            for segment in others:
                made.append(nodes.raw("", "\\allowbreak{}", format="latex"))
                made.append(nodes.Text(segment))
            return made
        case _:
            return [nodes.Text(url)]


def _update_line(env: "BuildEnvironment", update: Update) -> nodes.paragraph:
    """The line that says what became of a work."""
    label = _(update.state.label)
    noun = _(update.state.source_noun)
    classes = ["hdl-mark", f"hdl-mark-{update.state.value}"]
    line = nodes.paragraph(classes=["hdl-update"])
    # Where no stylesheet draws a frame, the serious ones stand out, too.
    shown_as = nodes.strong if update.state.is_serious else nodes.inline
    line += shown_as("", label, classes=classes)
    if update.date:
        line += nodes.Text(" ")
        line += DateNode("", update.date)
    handle = update.handle
    if handle is None:
        return line
    where = proxies_of(env.config)
    url = where.link(handle)
    classes = list(classes_of(handle))
    attributes = {"internal": False, "refuri": url, "classes": classes}
    if handle_domain(env).builder_format == "html":
        notice = NoticeNode("", noun, reftitle=url, **attributes)
        notice["label"] = f"{noun}, {url}"
        line += [nodes.Text(" · "), notice]
    else:
        # On paper a bare "notice" leads nowhere.
        link = nodes.reference("", "", **attributes)
        link += address_nodes(env, url)
        line += [nodes.Text(": "), link]
    return line
