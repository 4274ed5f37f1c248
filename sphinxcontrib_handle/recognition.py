"""Making right what is already in a document: the first pass.

It runs at 215: after translation (20), which brings new text, and after the
classes of ``.. class::`` are set (210), one of which switches it off; before
substitutions (220) and before names are resolved (260 and later), so that a
name which was part of an identifier is gone before anyone misses its target.
"""

from typing import TYPE_CHECKING, Any

from docutils import nodes
from sphinx.transforms import SphinxTransform

from sphinxcontrib_handle.lines import LineFinder
from sphinxcontrib_handle.link_repair import LinkRepair
from sphinxcontrib_handle.links import MALFORMED, WRITTEN, marked
from sphinxcontrib_handle.messages import HandleWarning, warn
from sphinxcontrib_handle.options import options, proxies
from sphinxcontrib_handle.reading import reading
from sphinxcontrib_handle.text_repair import TextRepair

if TYPE_CHECKING:
    from sphinx.application import Sphinx

__all__ = ["PAGE_SWITCH", "Recognition", "setup_recognition"]

#: Priority at which docutils puts substitutions in.
_SUBSTITUTIONS = 220

#: The field, or key of a page's front matter, that switches recognition off.
PAGE_SWITCH = "no-handle"


class Recognition(SphinxTransform):
    """Find references, put links right, and tell where they are."""

    default_priority = 215

    def apply(self, **_kwargs: Any) -> None:
        """Work on one document, or on one translated message."""
        text = None
        if options(self.config).recognize and not is_switched_off(self.document):
            text = self._repair()
        if reading(self.env).is_marked and not is_translated_message(self.document):
            lines = LineFinder(self.document, self.config.source_encoding)
            self._locate(lines)
            if text is not None:
                self._advise(text, lines)

    def _repair(self) -> TextRepair:
        where = proxies(self.config)
        known = reading(self.env)
        text = TextRepair(self.document, known, where)
        text.run()
        if text.is_unfinished and self.default_priority < _SUBSTITUTIONS:
            self.document.transformer.add_transform(LateRecognition)
        links = LinkRepair(known, where, self.config.source_encoding)
        links.run(self.document)
        return text

    def _advise(self, text: TextRepair, lines: LineFinder) -> None:
        """Say what to write where reStructuredText reads markup in a reference."""
        for node, written in text.kept_names:
            source, line = lines.find(node, written)
            warn(
                self.config,
                HandleWarning.TARGET,
                f"{node.rawsource} is a target of this document, and stays a link to "
                f"it; for the handle write :hdl:`{written}`",
                location=f"{source}:{line or ''}",
            )
        for node, written in text.marked_up:
            warn(
                self.config,
                HandleWarning.MARKUP,
                "the reference is linked, but reStructuredText reads markup in it; "
                f"write :hdl:`{written}`",
                location=f"{node.source}:{node.line or ''}",
            )

    def _locate(self, lines: LineFinder) -> None:
        """Give each reference the line on which it stands itself."""
        known = reading(self.env)
        known.marked = list(marked(self.document))
        for node in known.marked:
            if node.get("support_smartquotes") is False:
                known.texts[id(node)] = node.astext()
            if WRITTEN in node:
                node.source, node.line = lines.find(node, node[WRITTEN])
            elif MALFORMED in node:
                node.source, node.line = lines.find(node, node[MALFORMED][1])


class Marking(SphinxTransform):
    """Tell links that docutils made of URIs in running text from their author's.

    At 10 Sphinx gives every node without a source its text for one, and with that
    an autolink of MyST would look the same.
    """

    default_priority = 5

    def apply(self, **_kwargs: Any) -> None:
        """Remember the links of one document."""
        self.mark(self.document)

    def mark(self, element: nodes.Element) -> None:
        """Remember the links in an element."""
        known = reading(self.env)
        for link in element.findall(nodes.reference):
            if link.rawsource and "refuri" in link and "name" not in link:
                text = link.astext()
                if link["refuri"] in {text, f"mailto:{text}"}:
                    known.note_standalone(link)


class TranslatedMarking(Marking):
    """The same for blocks that a translation took the place of, at 20."""

    # After they are counted (25).
    default_priority = 26

    def apply(self, **_kwargs: Any) -> None:
        """Remember the links of one document's translated blocks."""
        progress: dict[str, int] = self.document.get("translation_progress", {})
        if progress.get("translated"):
            for block in self.document.findall(nodes.TextElement):
                if block.get("translated"):
                    self.mark(block)


class LateRecognition(Recognition):
    """The same once more, for references that go on in a substitution."""

    default_priority = _SUBSTITUTIONS + 2


def is_translated_message(document: nodes.document) -> bool:
    """Whether this is one translated message on its own; it comes again with its page."""
    return str(document.get("source", "")).endswith(":<translated>")


def is_switched_off(document: nodes.document) -> bool:
    """Whether the page's field list or front matter says so."""
    for child in document.children:
        if isinstance(child, (nodes.docinfo, nodes.field_list)):
            for field in child.findall(nodes.field):
                name, body = field.children
                if name.astext().strip().lower() == PAGE_SWITCH:
                    return is_on(body.astext())
    return False


def is_on(switch: str) -> bool:
    """Whether the text of a field switches something on, as an empty one does."""
    return str(switch).strip().lower() not in {"false", "no", "off", "0"}


def setup_recognition(app: "Sphinx") -> None:
    """Register the first pass."""
    app.add_transform(Marking)
    app.add_transform(TranslatedMarking)
    app.add_transform(Recognition)
