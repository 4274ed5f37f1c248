"""The targets of a block's links, as their author wrote them.

By the time a link is a token its target has been normalised: percent-encoded, and
a lone ``%`` made ``%25``.  So the targets are read once more from the source, those
of inline links with markdown-it's own reader, and paired with the tokens in their
order.
"""

import re
from collections import deque
from collections.abc import Iterable, Iterator
from dataclasses import dataclass
from functools import cached_property

from markdown_it import MarkdownIt
from markdown_it.token import Token

from handle_system.proxies import Proxies
from handle_system.scanning import may_hold_reference
from mdit_handle.source import BLANK, CodeSpans, Syntax, read_source

__all__ = ["Target", "Targets"]

_WHITE_SPACE = frozenset(" \t\n")
_AUTOLINK = re.compile(r"<([A-Za-z][A-Za-z0-9+.-]{1,31}:[^<>\x00-\x20]*)>")


@dataclass(frozen=True, slots=True)
class Target:
    """A link's target: as written, and where in the block's source."""

    written: str
    start: int


_ByHref = dict[str, deque[Target]]
_CODE_ONLY = Syntax(escapes=False, entities=False)


class Targets:
    """The targets of one block's links that may be references.

    Args:
        source: The block's source.
        md: The parser that has read it.
        proxies: The proxies whose URLs are references.
        within: The half-open spans of texts within it, in order, whose links are
            not this block's.
    """

    def __init__(
        self,
        source: str,
        md: MarkdownIt,
        proxies: Proxies,
        within: Iterable[tuple[int, int]],
    ) -> None:
        self._written = source
        self._md = md
        self._proxies = proxies
        self._within = within
        self._inline: _ByHref | None = None
        self._autolinks: _ByHref | None = None

    @cached_property
    def _source(self) -> str:
        # What stands in code is no target.
        text = read_source(self._written, CodeSpans(self._written), _CODE_ONLY).text
        chunks: list[str] = []
        position = 0
        for start, end in self._within:
            if start >= position:
                chunks += (text[position:start], BLANK * (end - start))
                position = end
        return "".join((*chunks, text[position:])) if chunks else text

    def take(self, href: str) -> Target | None:
        """The next inline link's target that is normalised to `href`, if any is."""
        if self._inline is None:
            self._inline = self._by_href(self._read_inline())
        return _next(self._inline, href)

    def pass_over(self, image: Token) -> None:
        """Leave out the target that is the source of an image."""
        source = str(image.attrs.get("src", ""))
        if may_hold_reference(source, proxies=self._proxies):
            self.take(source)

    def take_autolink(self, href: str) -> Target | None:
        """The next autolink's target that is normalised to `href`, if any is."""
        if self._autolinks is None:
            self._autolinks = self._by_href(self._read_autolinks())
        return _next(self._autolinks, href)

    def _by_href(self, targets: Iterator[Target]) -> _ByHref:
        by_href: _ByHref = {}
        for target in targets:
            if may_hold_reference(target.written, proxies=self._proxies):
                href = self._md.normalizeLink(target.written)
                by_href.setdefault(href, deque()).append(target)
        return by_href

    def _read_inline(self) -> Iterator[Target]:
        source = self._source
        end = len(source)
        position = source.find("](")
        while position >= 0:
            start = position + 2
            while start < end and source[start] in _WHITE_SPACE:
                start += 1
            found = self._md.helpers.parseLinkDestination(source, start, end)
            if found.ok:
                yield Target(found.str, start)
            position = source.find("](", position + 2)

    def _read_autolinks(self) -> Iterator[Target]:
        for found in _AUTOLINK.finditer(self._source):
            yield Target(found[1], found.start())


def _next(by_href: _ByHref, href: str) -> Target | None:
    targets = by_href.get(href)
    return targets.popleft() if targets else None
