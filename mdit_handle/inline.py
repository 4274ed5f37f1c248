"""The inline rules: a reference is taken before other rules cut it up.

markdown-it asks its rule for text first, wherever it is in a block.  The rule of this
module stands in its place: text ends where a reference begins, and there the tokens of the
reference follow.

The tokens of a link are markdown-it's own, with a class and a title.  Text that is an
identifier is a ``text_special``, like the text of an escape: the typographer and
``linkify`` leave it alone, and the core rule ``text_join`` makes plain text of it.
"""

from bisect import bisect_right
from collections.abc import Callable, MutableMapping, Sequence
from dataclasses import dataclass, field
from html import unescape
from typing import Any

from markdown_it.rules_core import StateCore
from markdown_it.rules_inline import StateInline, backtick
from markdown_it.token import Token

from handle_system.errors import DOI_ERRORS, HandleSyntaxError
from handle_system.found import Found, Markup, parse_target
from handle_system.presenting import UNLINKED_CLASSES, Presented
from handle_system.reference import HandleReference
from handle_system.scanning import may_hold_reference
from mdit_handle.inline_markup import (
    InlineCluster,
    InlineMarkup,
    Markups,
    Options,
    find_in_block,
    may_hold_markup,
    targets_in_html,
)
from mdit_handle.record import HANDLES

CoreRule = Callable[[StateCore], None]
#: An inline rule of markdown-it: whether it matched, without tokens if silent.
InlineRule = Callable[[StateInline, bool], bool]

#: Notes in the tokens of a rule what they show; see `note_target`.
Note = Callable[[StateInline, int, int, Options], None]

#: The plugin's options for a document; `None` if it stays as it is.
OptionsOf = Callable[[StateCore], Options | None]

#: The key in ``env``, while documents are parsed, one within another: a `Reading` for
#: each, or `None` if it holds no reference. Without such a document the key is missing.
READINGS = "handle_readings"
#: The name of the directive for citations.
CITE_NAME = "{cite-version}"
#: The name of the core rule that completes links.
LINKS_RULE = "handle_links"
#: The value of `Token.markup` in the tokens of this plugin.
MARKUP = "handle"
#: The key in `Token.meta` of the words before and behind a link that cites its work: in a
#: cluster, and where a file of references gives it its text.
CITED = "cited"
#: The key in `Token.meta` of what opens a cluster: whether brackets stand around it.
CLUSTER = "cluster"
#: The key in `Token.meta` of what opens a cluster whose author asks for names.
NAMED = "named"
#: The key in `Token.meta` of the `Found` that a token shows, until the page is whole; where
#: `Options.keep_found` asks for it, it stays.
FOUND = "found"
#: The key of an `InlineMarkup` in `Token.meta`, until the core rule takes it away. That
#: looks at tokens of some types alone (`_SHOWING` in `mdit_handle.links`).
REFERENCE = "handle_reference"
#: The type of a token that holds the source of a reference.
SOURCE = "handle_source"


@dataclass(slots=True)
class Reading:
    """A document that may hold references, while its inline text is parsed.

    Attributes:
        options: How references are read.
        state: The block that is being parsed.
        starts: Where the references start in it.
        markups: Their markup.
    """

    options: Options
    state: StateInline | None = None
    starts: Sequence[int] = ()
    markups: Sequence[InlineMarkup | InlineCluster] = ()
    _known: dict[str, Markups] = field(default_factory=dict)

    def enter(self, state: StateInline) -> None:
        """Read the references of a block; of equal blocks, those of one."""
        markups = self._known.get(state.src)
        if markups is None:
            markups = find_in_block(state, self.options)
            self._known[state.src] = markups
        self.state = state
        self.starts, self.markups = markups


def inline_rule(rule: CoreRule, options_of: OptionsOf) -> CoreRule:
    """The core rule for inline text, which first notes whether it may hold references.

    A rule of another plugin may parse a text within a document, with the same ``env``.

    Args:
        rule: The core rule that it stands for. MyST-NB switches other rules off.
        options_of: Gives the plugin's options.
    """

    def inline(state: StateCore) -> None:
        # `configure()` after `use()` drops that rule, which ends what begins here.
        if LINKS_RULE not in state.md.core.ruler.get_active_rules():
            rule(state)
            return
        options = options_of(state)
        is_worth = options is not None and _is_worth(state, options)
        reading = Reading(options) if options and is_worth else None
        if options and not options.keep_found:
            state.env.setdefault(HANDLES, [])
        # Every token asks for the key, and most documents hold no reference.
        if reading is not None or READINGS in state.env:
            state.env.setdefault(READINGS, []).append(reading)
        rule(state)

    return inline


def _is_worth(state: StateCore, options: Options) -> bool:
    """Whether the text of a document, or a definition, may hold a reference."""
    definitions = state.env.get("references", {}).values()
    texts = [state.src, *(str(definition["href"]) for definition in definitions)]
    if not state.src:
        # The cells of a notebook were parsed before, one by one.
        texts += [block.content for block in state.tokens if block.type == "inline"]
    return any(may_hold_markup(text, options.values.link_proxies) for text in texts)


def take_reading(env: MutableMapping[str, Any]) -> Reading | None:
    """The document whose inline text has been parsed, if it may hold references."""
    if READINGS not in env:
        return None
    readings: list[Reading | None] = env[READINGS]
    reading = readings.pop()
    if not readings:
        del env[READINGS]
    return reading


def text_rule(rule: InlineRule) -> InlineRule:
    """The rule for text, which also reads references in text, ``<…>`` and roles.

    Args:
        rule: The rule for text that it stands for.
    """

    def text(state: StateInline, silent: bool) -> bool:  # noqa: FBT001 - markdown-it's signature
        if READINGS not in state.env:
            return rule(state, silent)
        reading = state.env[READINGS][-1]
        if reading is None:
            return rule(state, silent)
        # It is asked for each token, and to know the block again costs least.
        if reading.state is not state:
            reading.enter(state)
        starts = reading.starts
        if not starts:
            return rule(state, silent)
        index = bisect_right(starts, state.pos)
        begins = index > 0 and starts[index - 1] == state.pos
        if begins and _take(state, reading, index - 1, silent=silent):
            return True
        if index == len(starts):
            return rule(state, silent)
        # Versions of markdown-it stop in one of two ways: at that end, or at a "/".
        end = state.posMax
        begin = starts[index]
        state.posMax = min(begin, end)
        is_text = rule(state, silent)
        state.posMax = end
        if begin < state.pos:
            if not silent:
                state.pending = state.pending[: begin - state.pos]
            state.pos = begin
        return is_text

    return text


def _take(state: StateInline, reading: Reading, index: int, *, silent: bool) -> bool:
    """Take the reference that begins here, unless it ends beyond what is parsed."""
    markup = reading.markups[index]
    options = reading.options
    if markup.end > state.posMax:
        return False
    if options.keep_source and not silent:
        state.push(SOURCE, "", 0).content = state.src[markup.start : markup.end]
    elif not silent and isinstance(markup, InlineCluster):
        _push_cluster(state, markup, options)
    elif not silent and isinstance(markup, InlineMarkup):
        _push(state, markup, options)
    state.pos = markup.end
    return True


def _push_cluster(state: StateInline, markup: InlineCluster, options: Options) -> None:
    """Push the tokens of a cluster: its links, and the words around them."""
    opening = state.push("span_open", "span", 1)
    opening.attrs["class"] = "hdl-cluster"
    opening.markup = MARKUP
    cluster = markup.cluster
    opening.meta[CLUSTER] = cluster.is_bracketed
    if cluster.is_named:
        opening.meta[NAMED] = True
    *before, behind = cluster.texts
    for cited, link, text in zip(cluster.cited, markup.links, before, strict=True):
        _push_text(state, text)
        first = len(state.tokens)
        _push_reference(state, link, options)
        state.tokens[first].meta[CITED] = (cited.prefix, cited.locator)
    _push_text(state, behind)
    state.push("span_close", "span", -1).markup = MARKUP


def _push_text(state: StateInline, text: str) -> None:
    if text:
        state.push("text", "", 0).content = text


def _push(state: StateInline, markup: InlineMarkup, options: Options) -> None:
    """Push the tokens of a reference."""
    found = markup.found
    if found and found.markup is Markup.ROLE and state.src[markup.start] != "{":
        # The braces are missing: it stays text and code.
        state.pos = state.src.index("`", markup.start)
        state.pending += state.src[markup.start : state.pos]
        backtick(state, False)  # noqa: FBT003 - markdown-it's signature
        state.tokens[-1].meta[REFERENCE] = markup
        return
    _push_reference(state, markup, options)


def _push_reference(state: StateInline, markup: InlineMarkup, options: Options) -> None:
    """Push the tokens of a reference: a link with its text, or the text alone."""
    opening = None
    is_code = markup.found is None and (
        markup.text == state.src[markup.start : markup.end]
    )
    # Links do not nest: in a link the reference is only text.
    if state.linkLevel == 0 and not is_code:
        opening = _push_opening(state, markup, options)
    # A title is prose, unless it names an identifier.
    if markup.is_title and not may_hold_reference(
        markup.text, proxies=options.values.link_proxies
    ):
        state.push("text", "", 0).content = markup.text
    else:
        special = state.push("text_special", "", 0)
        special.content = special.markup = markup.text
        special.info = MARKUP
    if opening is not None:
        closing = state.push(opening.type.replace("open", "close"), opening.tag, -1)
        closing.markup = MARKUP
        if opening.tag == "a" and not markup.is_title:
            opening.info = closing.info = "auto"


def _push_opening(state: StateInline, markup: InlineMarkup, options: Options) -> Token:
    """Push what opens a link, or a span where there is none."""
    found = markup.found
    if found is not None and isinstance(found.reference, HandleReference):
        opening = state.push("link_open", "a", 1)
        presented = options.presenter.present(found, markup.text)
        present_link(opening, presented, found.reference)
        is_role = found.markup is Markup.ROLE
        if options.works is not None and is_role and not markup.is_title:
            # The mark "~" of a role asks for the handle alone.
            is_handle = markup.text == str(found.reference.handle)
            if not is_handle:
                opening.meta[CITED] = ("", "")
    elif found is not None and found.markup.is_text and _is_linkified(state, found):
        # It stays the link that it is without this plugin.
        opening = state.push("link_open", "a", 1)
        opening.attrs["href"] = state.md.normalizeLink(found.written)
    else:
        opening = state.push("span_open", "span", 1)
        if found is None:
            opening.attrs["class"] = " ".join(UNLINKED_CLASSES)
        elif not found.markup.is_text:
            present_malformed(opening, options.presenter.present(found))
        opening.markup = MARKUP
    opening.meta[REFERENCE] = markup
    return opening


def _is_linkified(state: StateInline, found: Found) -> bool:
    """Whether markdown-it makes a link of an address in text, and it is no half of a DOI."""
    is_address = found.written.lower().startswith(("http://", "https://"))
    is_whole = isinstance(found.reference, DOI_ERRORS)
    return is_whole and is_address and bool(state.md.options.get("linkify"))


def present_link(
    token: Token, presented: Presented, reference: HandleReference
) -> None:
    """Give a ``link_open`` the address of a reference, its classes, and its title."""
    token.attrs["href"] = presented.href
    token.attrJoin("class", " ".join(presented.classes))
    if presented.title:
        token.attrs["title"] = presented.title
    token.markup = MARKUP
    token.meta["handle"] = str(reference.handle)


def present_malformed(token: Token, presented: Presented) -> None:
    """Give the token of a malformed reference its classes, and the reason as its title."""
    token.attrs = {"class": " ".join(presented.classes), "title": presented.title}


def end_of(tokens: Sequence[Token], start: int) -> int:
    """The index behind the token that closes what a token opens."""
    level = tokens[start].level
    for index in range(start + 1, len(tokens)):
        if tokens[index].nesting == -1 and tokens[index].level == level:
            return index + 1
    return start + 1


def noting(rule: InlineRule, note: Note) -> InlineRule:
    """A rule that makes tokens, which also notes the reference that one of them shows.

    Args:
        rule: The rule that it stands for.
        note: Notes it, in a document that may hold references.
    """

    def noting_rule(state: StateInline, silent: bool) -> bool:  # noqa: FBT001 - markdown-it's signature
        if silent or READINGS not in state.env:
            return rule(state, silent)
        reading = state.env[READINGS][-1]
        start = state.pos
        count = len(state.tokens)
        is_made = rule(state, silent)
        if is_made and reading is not None:
            note(state, start, count, reading.options)
        return is_made

    return noting_rule


def note_target(state: StateInline, start: int, count: int, options: Options) -> None:
    """Note what the target of a link is.

    In the token the target is normalized: percent-encoded, and a lone ``%`` is ``%25``.

    Args:
        state: The state in which its block is parsed.
        start: Where the link begins.
        count: How many tokens stand before its own.
        options: The plugin's options.
    """
    # The text that was pending may come before the link.
    for token in state.tokens[count : count + 2]:
        if token.type == "link_open":
            href = str(token.attrs["href"])
            markup = None
            if may_hold_reference(href, proxies=options.values.link_proxies):
                markup = _target(state, start, href, options)
            # `None` says that the target is none, so that nobody looks again.
            token.meta[REFERENCE] = markup
            return


def _target(
    state: StateInline, start: int, href: str, options: Options
) -> InlineMarkup | None:
    """The target of the link that begins at `start` and has just been read."""
    source = state.src
    end = state.pos
    if source[start] == "<":
        written = text = source[start + 1 : end - 1]
        begin = start + 1
        kind = Markup.AUTOLINK
    else:
        close = state.md.helpers.parseLinkLabel(state, start, False)  # noqa: FBT003 - markdown-it's signature
        state.pos = end
        # The label of a definition may stand before a bracket too.
        if end <= close + 1 or source[close + 1] != "(":
            reference = read_target(href, href, options)
            if reference is None:
                return None
            found = Found(reference, written=href, markup=Markup.DEFINITION)
            return InlineMarkup(source, start, start, found)
        begin = close + 2
        kind = Markup.LINK
        while source[begin].isspace():
            begin += 1
        destination = state.md.helpers.parseLinkDestination(source, begin, end)
        text = destination.str
        written = source[begin : destination.pos]
        if written.startswith("<"):
            begin += 1
            written = written[1:-1]
    reference = read_target(text, href, options)
    if reference is None:
        return None
    found = Found(reference, begin, begin + len(written), written, kind)
    begins = start if kind is Markup.AUTOLINK else begin
    return InlineMarkup(source, begins, end, found)


def note_target_in_html(
    state: StateInline, start: int, _count: int, options: Options
) -> None:
    """Note what the target of the tag is that was made last.

    Args:
        state: The state in which its block is parsed.
        start: Where the tag begins.
        options: The plugin's options.
    """
    token = state.tokens[-1]
    for begin, written in targets_in_html(token.content):
        target = unescape(written)
        reference = read_target(target, target, options)
        if reference is not None:
            first = start + begin
            last = first + len(written)
            found = Found(reference, first, last, written, Markup.LINK)
            token.meta[REFERENCE] = InlineMarkup(state.src, first, last, found)


def read_target(
    written: str, href: str, options: Options
) -> HandleReference | HandleSyntaxError | None:
    """The reference that the target of a link is, or its error; `None` for any other.

    Args:
        written: The target, with its escapes and entities decoded.
        href: It, normalized: that makes ASCII of the name of a host.
        options: The plugin's options.
    """
    proxies = options.values.link_proxies
    reference = parse_target(written, proxies, options.charset, options.folder)
    if reference is None and href != written:
        reference = parse_target(href, proxies, options.charset, options.folder)
    return reference
