"""Markdown (CommonMark, GFM, MyST, MkDocs) and notebooks, read by `mdit_handle`.

The plugin records the references in what markdown-it parses.  This reader adds what
belongs to frameworks: it parses the content of directives, of MkDocs' admonitions and
tabs, and of footnotes as Markdown of its own, leaves out comments, and reads the DOI in
front matter and blocks of HTML.

The documents of Quarto and R Markdown are Markdown here: their cells are fences of code.
Of MDX, the modules and expressions are left out.  Of a Jupyter notebook, the Markdown
cells are read, at their places in the JSON text.
"""

import re
from collections.abc import (
    Iterable,
    Iterator,
    Mapping,
    MutableMapping,
    Sequence,
)
from functools import cached_property
from itertools import pairwise
from typing import Any

from markdown_it import MarkdownIt
from markdown_it.common.utils import unescapeAll
from markdown_it.rules_core import StateCore
from markdown_it.token import Token

from handle_cli.readers import (
    CITE_VERSION,
    CODE_DIRECTIVES,
    ENTRY_DIRECTIVES,
    PICTURE_DIRECTIVES,
    ReadingRules,
    UnreadableError,
    at,
    normalized,
    within,
)
from handle_cli.readers.citations import identifiers_of_card, outside_of_fields
from handle_cli.readers.html import read_html
from handle_cli.readers.json_places import (
    JsonValue,
    elements,
    json_document,
    members,
)
from handle_system import Proxies
from handle_system.findings.finding import Place
from handle_system.found import Found, Markup
from handle_system.lines import Lines
from handle_system.text import compiled
from mdit_handle.beside import found_in_block
from mdit_handle.inline_markup import Options, may_hold_markup
from mdit_handle.plugin import add_links

_FRONT_MATTER = re.compile(r"\A---[ ]*\n(?:.*\n)*?(?:---|\.\.\.)[ ]*(?=\n|\Z)")
_COLON_FENCE = re.compile(r"^[ >]*:{3,}(?=[ ]*(?:[{\w-].*)?$)", re.MULTILINE)
# A fence of colons, as markdown-it reads it here.
_FENCE_MARK = re.compile("~{3,}")
_DIRECTIVE = re.compile(r"\{([^\s{}]+)\}[ ]*(.*)")
_OPTIONS = re.compile(r"---\n(?:.*\n)*?---\n|(?::[^:\s]+:.*\n)+")
# The caption of code, as an option of a directive.
_CAPTION = re.compile(r"^:?caption:[ ]*(?P<text>.*)$", re.MULTILINE)
_LIST_MARK = re.compile(r"(?:[-*+]|[0-9]{1,9}[.)])[ ]+")
_BODY_HEAD = re.compile(
    r'(?:!!!|\?\?\?\+?|===[!+]?)[ ]+["\w]|\[\^[^\]]+\]:|:[ ]{1,3}\S'
)
# The label may hold escaped brackets. The target may stand on the next line, behind the
# mark of a quotation.
_DEFINITION = re.compile(
    r"\[(?>(?:[^\\\[\]]|\\.)*)\]:\s*(?:(?<=\n)[ >]+)?(?:<([^<>\n]*)>|(\S+))", re.DOTALL
)
#: The directives in fences of backticks or tildes whose content is prose, in Sphinx,
#: MyST and their usual extensions. Every other ``{name}`` may be a language of code
#: that runs, as in ``{python}`` or ``{mermaid}``.
PROSE_DIRECTIVES = ENTRY_DIRECTIVES | frozenset(
    """
    admonition algorithm article-info aside assumption attention attributions axiom
    band blockquote button-link button-ref caption card card-carousel carousel caution
    centered citation cite-version claim class compound conjecture container
    corollary criterion csv-table danger definition deprecated describe details div
    dropdown embed epigraph error example exercise exercise-end exercise-start figure
    figure-md flat-table footer full-width glossary grid grid-item grid-item-card
    handle-references header highlights hint hlist iframe image important include
    index info item-list keypoints lemma line-block list-table lists margin
    md-admonition nonumber note notes object observation only parsed pull-quote
    proof property proposition question quote remark replace rst-class rubric
    sectionauthor seealso sidebar solution solution-end solution-start subfigure
    success tab tab-item tab-set table tabs tags tasks theorem tip todo toggle topic
    versionadded versionchanged versionremoved warning
    """.split()  # noqa: SIM905 (a list of words reads better than one of strings)
)
_CODE = CODE_DIRECTIVES | {"bibliography", "tableofcontents"}
# In MDX: code, which may hold anything; a module up to an empty line; a brace.
_MDX_MARK = (
    r"(?m)^[ ]*(?P<fence>`{3,}|~{3,}).*(?:\n(?![ ]*(?P=fence)).*)*(?:\n[ ]*(?P=fence).*)?"
    r"|`[^`\n]*`|\\."
    r"|(?P<program>^(?:import[ ]+(?:[\"'{*]|\w+[ ]*(?:,|from\b))"
    r"|export[ ]+(?:const|let|var|function|default|class|async|[{*])).*(?:\n.*\S.*)*)"
    r"|[{}]"
)
_NO_LINE_END = re.compile(r"[^\n]")
# One character of a string's value (RFC 8259, section 7): a pair of surrogates is one.
_CHARACTER = re.compile(
    r"\\u[dD][89abAB][0-9a-fA-F]{2}\\u[dD][c-fC-F][0-9a-fA-F]{2}"
    r"|\\u[0-9a-fA-F]{4}|\\.|[^\\]",
    re.DOTALL,
)
# Columns from one tab stop to the next in Markdown (CommonMark, section 2.2).
_TAB_WIDTH = 4
# Each level is parsed again.
_DEEPEST = 12
# Characters of inline text that are parsed together: tokens take a hundred times the room.
_PORTION = 500_000
# Lines of a paragraph that are parsed together.
_MOST_LINES = 5_000


def read_markdown(text: str, rules: ReadingRules) -> Iterator[Found]:
    """The references in the prose, the links and the roles of a Markdown text."""
    return _in_document(normalized(text), _parser(rules), rules)


def read_mdx(text: str, rules: ReadingRules) -> Iterator[Found]:
    """The references in the prose and the links of a text in MDX.

    Its modules and expressions are programs, and indented text is no code.
    """
    parser = _parser(rules).disable("code")
    return _in_document(_without_programs(normalized(text)), parser, rules)


def _parser(rules: ReadingRules) -> MarkdownIt:
    parser = MarkdownIt("commonmark").enable(["table", "strikethrough"])
    options = Options(
        values=rules.values,
        charset=rules.charset,
        keep_found=True,
    )
    add_links(parser, lambda _state: options, reads_html=True)
    return parser


def _in_document(text: str, parser: MarkdownIt, rules: ReadingRules) -> Iterator[Found]:
    """The references in the front matter of a document, and below it."""
    matter = _FRONT_MATTER.match(text)
    if matter is None:
        yield from _Text(text, parser, rules).read()
        return
    last_line = matter[0].rindex("\n") + 1
    if "doi" in matter[0].lower():
        # Most front matter has none, and needs no parser of YAML.
        from handle_cli.readers.metadata import (  # noqa: PLC0415 (see above)
            read_front_matter,
        )

        yield from read_front_matter(matter[0][:last_line], rules)
    rest = "\n" * matter[0].count("\n") + text[matter.end() :]
    yield from _Text(rest, parser, rules).read()


def _without_programs(text: str) -> str:
    """A text in MDX with spaces in the place of programs."""
    spans = []
    opened = []
    for mark in compiled(_MDX_MARK).finditer(text):
        if mark["program"]:
            spans.append(mark.span())
        elif mark[0] == "{":
            opened.append(mark.start())
        elif mark[0] == "}" and opened:
            start = opened.pop()
            if not opened:
                spans.append((start, mark.end()))
    parts = []
    position = 0
    for start, end in spans:
        parts += [text[position:start], _NO_LINE_END.sub(" ", text[start:end])]
        position = end
    return "".join([*parts, text[position:]])


def _worth_parsing(blocks: Sequence[Token], proxies: Proxies) -> Iterator[Token]:
    """The blocks whose inline text may hold a reference, each behind its opening.

    They are independent of the others, but for definitions of links, which are read
    by themselves.
    """
    for opening, block in pairwise(blocks):
        if block.type == "inline" and may_hold_markup(block.content, proxies):
            yield opening
            yield block


def _portions(blocks: Iterable[Token]) -> Iterator[list[Token]]:
    """The blocks, copied, in portions that can be parsed one after the other.

    A paragraph of many lines becomes several: no reference goes beyond a line.
    """
    portion: list[Token] = []
    size = 0
    for block in blocks:
        lines = block.content.split("\n") if block.type == "inline" else [""]
        for first in range(0, len(lines), _MOST_LINES):
            # A cell stays behind its opening.
            if size > _PORTION and (first or block.type != "inline"):
                yield portion
                portion = []
                size = 0
            some = lines[first : first + _MOST_LINES]
            part = block.copy(content="\n".join(some), children=[])
            if len(some) < len(lines) and block.map:
                part.map = [block.map[0] + first, block.map[0] + first + len(some)]
            portion.append(part)
            size += len(part.content)
    yield portion


class _Text:
    """A text, and the texts within it, which one parser reads."""

    def __init__(
        self, text: str, parser: MarkdownIt, rules: ReadingRules, depth: int = 0
    ) -> None:
        self._lines = Lines(text)
        self._rows = self._lines.rows
        self._parser = parser
        self._rules = rules
        # How many texts it stands in.
        self._depth = depth

    def read(self) -> Iterator[Found]:
        """Its references."""
        # A fence of colons is one of tildes by another name.
        fenced = _COLON_FENCE.sub(_as_tildes, self._lines.text)
        state = StateCore(fenced, self._parser, {})
        for found in self._inline(state):
            # Definitions are read below, whether they are used or not.
            is_definition = found.markup is Markup.DEFINITION
            if not is_definition and not _is_comment(self._rows[found.place.line - 1]):
                yield found
        yield from self._definitions(state.env)
        bodies = _Bodies(self._rows)
        for token in state.tokens:
            if not token.map:
                continue
            first = token.map[0]
            if token.type == "html_block":
                yield from self._in_html(token.content, first)
            elif self._depth == _DEEPEST:
                continue
            elif token.type == "fence":
                yield from self._in_fence(token, first)
            elif token.type == "code_block" and bodies.has(first):
                yield from self._inside(token.content, first)

    def _inline(self, state: StateCore) -> Iterator[Found]:
        """Parse a text, and give the references in its inline text.

        That is parsed in portions; the blocks are the state's tokens in the end.
        """
        chain = self._parser.core.ruler
        rules = dict(zip(chain.get_active_rules(), chain.getRules(""), strict=True))
        # These two see the whole document, and the others one portion after the other.
        rules.pop("normalize")(state)
        rules.pop("block")(state)
        blocks = state.tokens
        for portion in _portions(
            _worth_parsing(blocks, self._rules.values.link_proxies)
        ):
            state.tokens = portion
            for rule in rules.values():
                rule(state)
            for block in state.tokens:
                for _token, found in found_in_block(block.children or ()):
                    yield found
        state.tokens = blocks

    def _definitions(self, env: MutableMapping[str, Any]) -> Iterator[Found]:
        """The targets of link definitions, whether they are used or not.

        CommonMark takes a footnote of one word or one link for a definition.
        """
        repeated = env.get("duplicate_refs", ())
        definitions = [
            *env.get("references", {}).items(),
            *((definition["label"], definition) for definition in repeated),
        ]
        for label, definition in definitions:
            if label.startswith("^") and self._depth < _DEEPEST:
                yield from self._in_footnote(definition["map"])
                continue
            yield from self._in_definition(definition)

    def _in_definition(self, definition: Mapping[str, Any]) -> Iterator[Found]:
        """The reference that is the target of a definition."""
        lines = self._lines
        first, last = (lines.offset(row + 1, 1) for row in definition["map"])
        target = _DEFINITION.search(lines.text, first, last)
        if target is not None:
            # One group is the target between angle brackets, the other without them.
            group = target.lastindex or 0
            written = target[group]
            reference = self._rules.parse_target(unescapeAll(written))
            if reference is not None:
                yield from at(
                    lines, target.start(group), Markup.LINK, reference, written
                )
                return
        href = definition["href"]
        reference = self._rules.parse_target(href)
        if reference is not None:
            # It stands somewhere in the definition.
            place = Place("", definition["map"][0] + 1)
            yield Found(reference, written=href, markup=Markup.LINK, place=place)

    def _in_footnote(self, span: Sequence[int]) -> Iterator[Found]:
        """The references in a footnote on the lines of a span."""
        first, last = span
        _label, _colon, text = "\n".join(self._rows[first:last]).partition("]:")
        yield from self._inside(text, first)

    def _in_html(self, content: str, first: int) -> Iterator[Found]:
        """The references in a block of HTML, which is read as a page is."""
        if not self._rules.may_hold_identifier(content):
            return
        references = read_html(content, self._rules)
        yield from within(references, content.split("\n"), self._rows, first)

    def _in_fence(self, token: Token, first: int) -> Iterator[Found]:
        """The references in a directive, or in a fence of colons without a name."""
        content = _with_colons(token.content, self._rows, first + 1)
        directive = _DIRECTIVE.match(token.info.strip())
        name = directive[1].lower() if directive else ""
        is_of_colons = self._rows[first].lstrip(" >").startswith(":")
        if name == "eval-rst":
            # Docutils is loaded only where a page needs it.
            from handle_cli.readers.rst import read_rst  # noqa: PLC0415 (see above)

            references = read_rst(content, self._rules)
            # Markdown's own markup would be text there.
            plain = map(_as_plain, references)
            yield from within(plain, content.split("\n"), self._rows, first + 1)
        elif directive and _holds_prose(name, is_of_colons=is_of_colons):
            if name not in PICTURE_DIRECTIVES:
                yield from self._inside(directive[2], first, is_plain=True)
            references = self._in_body(
                content, first + 1, is_plain=name in ENTRY_DIRECTIVES
            )
            if name == CITE_VERSION:
                identifiers = identifiers_of_card(
                    content, self._rules.values.link_proxies
                )
                lines = content.split("\n")
                fields = [*within(identifiers, lines, self._rows, first + 1)]
                yield from fields
                references = outside_of_fields(references, fields)
            yield from references
        elif name in CODE_DIRECTIVES:
            options = _OPTIONS.match(content)
            caption = _CAPTION.search(options[0]) if options else None
            if caption is not None:
                line = first + 1 + content.count("\n", 0, caption.start())
                yield from self._inside(caption["text"], line)
        elif not directive and is_of_colons:
            # A title stands behind the name, or in the attributes.
            yield from self._inside(token.info, first, is_plain=True)
            yield from self._inside(content, first + 1)

    def _in_body(self, content: str, first: int, *, is_plain: bool) -> Iterator[Found]:
        """The references in the options of a directive, which are plain, and below."""
        options = _OPTIONS.match(content)
        head = options[0] if options else ""
        rest = content[len(head) :]
        line = first + head.count("\n")
        yield from self._inside(head, first, is_plain=True)
        yield from self._inside(rest, line, is_plain=is_plain)

    def _inside(
        self, text: str, first: int, *, is_plain: bool = False
    ) -> Iterator[Found]:
        """The references of a text in the document; in plain text, roles are none."""
        if not self._rules.may_hold_identifier(text):
            return
        inner = _Text(text, self._parser, self._rules, self._depth + 1)
        for found in within(inner.read(), text.split("\n"), self._rows, first):
            yield _as_plain(found) if is_plain else found


def _as_tildes(fence: re.Match[str]) -> str:
    return fence[0].replace(":", "~")


def _with_colons(content: str, rows: Sequence[str], first: int) -> str:
    """The content of a fence, with fences of colons where its rows have them.

    Args:
        content: The content, as markdown-it reads it.
        rows: The rows of the document.
        first: The index of the row that holds the first line of the content.
    """
    lines = content.split("\n")
    for number, row in enumerate(rows[first : first + len(lines)]):
        if _COLON_FENCE.match(row):
            lines[number] = _FENCE_MARK.sub(_as_colons, lines[number], count=1)
    return "\n".join(lines)


def _as_colons(mark: re.Match[str]) -> str:
    return ":" * len(mark[0])


def _as_plain(found: Found) -> Found:
    """A reference as it is in text where no markup of Markdown is read."""
    is_text = found.markup is Markup.TEXT
    return found._replace(markup=Markup.PLAIN) if is_text else found


def _is_comment(row: str) -> bool:
    """Whether a line is a comment of MyST."""
    return row.lstrip(" >").startswith("%")


def _holds_prose(name: str, *, is_of_colons: bool) -> bool:
    """Whether the content of a directive is prose.

    Fences of colons are for prose, and a name with a colon is that of an object's
    description, or of a theorem or proof.
    """
    if is_of_colons or ":" in name:
        return name not in _CODE
    return name in PROSE_DIRECTIVES


class _Bodies:
    """Tells which indented blocks are bodies of admonitions, definitions and the like.

    The nearest line before a block that stands less deep shows it.
    """

    def __init__(self, rows: Sequence[str]) -> None:
        self._rows = rows

    def has(self, number: int) -> bool:
        """Whether the block that begins on a line, from 0, is a body."""
        head = self._heads[number]
        return head is not None and _BODY_HEAD.match(head) is not None

    @cached_property
    def _heads(self) -> list[str | None]:
        """For each line the nearest one before it that stands less deep."""
        heads: list[str | None] = []
        # The lines above that stand less and less deep, with their depths.
        above: list[tuple[int, str]] = []
        for row in self._rows:
            expanded = row.expandtabs(_TAB_WIDTH)
            text = expanded.lstrip(" >")
            if not text.strip():
                heads.append(None)
                continue
            depth = len(expanded) - len(text)
            while above and above[-1][0] >= depth:
                above.pop()
            heads.append(above[-1][1] if above else None)
            # An item of a list may begin with an admonition, which stands deeper.
            while mark := _LIST_MARK.match(text):
                above.append((depth, ""))
                text = text[mark.end() :]
                depth += mark.end()
            above.append((depth, text))
        return heads


def read_notebook(text: str, rules: ReadingRules) -> Iterator[Found]:
    """The references in the Markdown cells of a notebook.

    Raises:
        UnreadableError: when the file is not JSON.
    """
    try:
        sources = list(_markdown_sources(text))
    except (ValueError, RecursionError) as error:
        raise UnreadableError("it is not JSON") from error
    parser = _parser(rules)
    lines = Lines(text)
    for strings in sources:
        source = "".join(string.value for string in strings)
        if not rules.may_hold_identifier(source):
            continue
        source_lines = Lines(source)
        offsets = [
            character.start()
            for string in strings
            for character in _CHARACTER.finditer(text, string.start + 1, string.end - 1)
        ]
        for found in _in_document(normalized(source), parser, rules):
            place = found.place
            offset = offsets[source_lines.offset(place.line, max(place.column, 1))]
            line, column = lines.place(offset)
            place = Place("", line, column if place.column else 0)
            # The file doubles a backslash, and no reference is half of one.
            written = found.written.replace("\\", "\\\\")
            yield found._replace(written=written, place=place)


def _markdown_sources(text: str) -> Iterator[list[JsonValue]]:
    """The strings that are the source of each Markdown cell of a notebook.

    Raises:
        ValueError: when the text is not JSON.
        RecursionError: when it is nested too deep.
    """
    notebook = json_document(text)
    if not isinstance(notebook.value, dict):
        return
    cells = members(text, notebook).get("cells")
    if cells is None or not isinstance(cells.value, list):
        return
    for cell in elements(text, cells):
        match cell.value:
            case {"cell_type": "markdown", "source": str()}:
                yield [members(text, cell)["source"]]
            case {"cell_type": "markdown", "source": [*_]}:
                strings = elements(text, members(text, cell)["source"])
                yield [string for string in strings if isinstance(string.value, str)]
