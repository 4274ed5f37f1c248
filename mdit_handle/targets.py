"""The targets of inline links, as their author wrote them.

By the time a link is a token its target has been normalised: percent-encoded, and
a lone ``%`` made ``%25``.  So the targets are read once more from the source, with
markdown-it's own reader, and paired with the tokens in their order.
"""

from collections import deque
from dataclasses import dataclass

from markdown_it import MarkdownIt

from handle_system.proxy import Proxies
from handle_system.scan import may_hold_reference

__all__ = ["Target", "Targets"]

_WHITE_SPACE = frozenset(" \t\n")


@dataclass(frozen=True, slots=True)
class Target:
    """A link's target: as written, and where in the block's source."""

    written: str
    start: int


class Targets:
    """The targets of one block's inline links that may be references."""

    def __init__(self, source: str, md: MarkdownIt, proxies: Proxies) -> None:
        self._by_href: dict[str, deque[Target]] | None = None
        self._source = source
        self._md = md
        self._proxies = proxies

    def take(self, href: str) -> Target | None:
        """The next target that is normalised to `href`, if there is one."""
        if self._by_href is None:
            self._by_href = self._read()
        queue = self._by_href.get(href)
        return queue.popleft() if queue else None

    def _read(self) -> dict[str, deque[Target]]:
        source = self._source
        end = len(source)
        targets: dict[str, deque[Target]] = {}
        position = source.find("](")
        while position >= 0:
            start = position + 2
            while start < end and source[start] in _WHITE_SPACE:
                start += 1
            found = self._md.helpers.parseLinkDestination(source, start, end)
            if found.ok and may_hold_reference(found.str, proxies=self._proxies):
                href = self._md.normalizeLink(found.str)
                targets.setdefault(href, deque()).append(Target(found.str, start))
            position = source.find("](", position + 2)
        return targets
