"""Reading several identifiers that are cited together, and what is said about each.

::

    content  = "[" cited *( ";" white-space cited ) "]"
             | plain 1*( ";" white-space plain )
             | reference "," white-space locator
             | "@" plain *( ";" white-space [ "@" ] plain )
    cited    = [ prefix white-space ] plain
    plain    = reference [ "," white-space locator ]

This is the content of a role. Brackets ask for a citation in brackets, and only they hold
a prefix. An ``@`` asks for the names of authors, also where works are cited by numbers: no
prefix of a handle begins with it. An identifier in a cluster has no white space, and the
``;2-2`` of a SICI ends none. Any other content is left to `handle_system.role_content`.

Markdown has Pandoc's clusters, too: brackets in running text, where each reference stands
behind an ``@`` and has its scheme, or in ``@{…}``.
"""

import re
from collections.abc import Callable, Iterator, Sequence
from typing import NamedTuple, TypeAlias

from handle_system.errors import HandleSyntaxError
from handle_system.forms import ReferenceForm
from handle_system.found import Found, Markup
from handle_system.proxies import Proxies
from handle_system.reference import HandleReference
from handle_system.role_content import RoleContent, read_role_content, reference_reader
from handle_system.text import compiled

# Before an identifier, as in Pandoc: its authors are a part of the sentence.
_NAME_SIGN = "@"
_PART_END = re.compile(r";\s+")
_WORD = re.compile(r"\S+")
# Cheap: most roles hold one identifier.
_DIVIDER = re.compile(r"[;,]\s")
_DIGIT_OR_DOT = re.compile("[0-9.]")
# A word that its author certainly meant as an identifier.
_MEANT = r"(?i)10\.\d|(?:doi|hdl|info|urn|https?):"
# A word behind an identifier that may be another one: "10.5/6" is a page or a verse.
_SECOND = r"(?i)10\.\d{4}|(?:doi|hdl|info|urn|https?):"

# A reference of Pandoc's; an "@" within a word is that of an address.
_PANDOC_REFERENCE = r"(?<![^\s(\[])@(?:\{(?P<braced>[^{}\s]+)\}|(?P<bare>\S+))"

#: Reads a reference as the role does.
Read: TypeAlias = Callable[[str], HandleReference]


class CitedReference(NamedTuple):
    """One reference of a cluster.

    Attributes:
        reference: The reference.
        written: It, as its author wrote it.
        start: Where it begins in the content.
        prefix: The words before it: ``see``.
        locator: The words behind it: ``p. 3``.
    """

    reference: HandleReference
    written: str
    start: int
    prefix: str = ""
    locator: str = ""

    @property
    def found(self) -> Found:
        """The reference as it was found; where in a source, a front end knows."""
        return Found(self.reference, written=self.written, markup=Markup.ROLE)


class Cluster(NamedTuple):
    """Several references that are cited together, or one with a locator or such a mark.

    Attributes:
        cited: The references, in order; at least one.
        is_bracketed: Whether its author wrote brackets around it.
        is_named: Whether its author asks for names, also where works have numbers.
    """

    cited: tuple[CitedReference, ...]
    is_bracketed: bool
    is_named: bool = False

    @property
    def texts(self) -> list[str]:
        """The text before each reference, and that behind the last one."""
        words = [(cited.prefix, cited.locator) for cited in self.cited]
        return [*texts_around(words, is_bracketed=self.is_bracketed)]


def read_role(
    text: str,
    *,
    proxies: Proxies,
    document_charset: str | None = None,
    doi_only: bool = False,
) -> RoleContent | Cluster:
    """Read a role's content: one reference, or a cluster of them.

    Args:
        text: The content, with the escapes of its markup decoded.
        proxies: The proxies whose URLs are references.
        document_charset: Charset of percent-encoded octets that are not UTF-8.
        doi_only: Whether only a DOI will do, as in the role ``doi``.

    Raises:
        HandleSyntaxError: if it holds no reference, or a part of a cluster holds none.
    """
    read = reference_reader(proxies, document_charset, doi_only=doi_only)
    cluster = read_cluster(text, read)
    if cluster is not None:
        return cluster
    return read_role_content(
        text, proxies=proxies, document_charset=document_charset, doi_only=doi_only
    )


def read_cluster(text: str, read: Read) -> Cluster | None:
    """Read the content of a role as a cluster; `None` if it is none.

    Args:
        text: The content, with the escapes of its markup decoded.
        read: Reads a reference as the role does.

    Raises:
        HandleSyntaxError: if a part of a cluster holds no reference.

    >>> from handle_system.proxies import DEFAULT_PROXIES
    >>> read = reference_reader(DEFAULT_PROXIES)
    >>> cluster = read_cluster("[see 10.1000/a, p. 3; 10.1000/b]", read)
    >>> [(cited.prefix, cited.written, cited.locator) for cited in cluster.cited]
    [('see', '10.1000/a', 'p. 3'), ('', '10.1000/b', '')]
    """
    text = text.replace("\n", " ")
    content = text.strip()
    start = text.find(content)
    if content[:1] == "[" and content[-1:] == "]":
        bracketed = _bracketed(text, start + 1, start + len(content) - 1, read)
        return Cluster(bracketed, is_bracketed=True)
    has_title = content.endswith(">")
    if content[:1] == _NAME_SIGN and not has_title:
        named = _named(text, start, start + len(content), read)
        return Cluster(named, is_bracketed=False, is_named=True)
    has_mark = content[:1] in {"!", "~"}
    if has_title or has_mark or _DIVIDER.search(content) is None:
        return None
    cited = _plain(text, start, start + len(content), read)
    return None if cited is None else Cluster(cited, is_bracketed=False)


def is_pandoc_key(text: str, start: int) -> bool:
    """Whether a reference that was found in running text is a key of Pandoc's.

    >>> is_pandoc_key("As @{doi:10.1000/182} says", 5)
    True

    Args:
        text: The text.
        start: Where the reference begins.
    """
    return text.endswith(("@", "@{"), max(start - 2, 0), start)


def read_pandoc_cluster(
    text: str, start: int, end: int, *, proxies: Proxies
) -> Cluster | None:
    """Read what stands between brackets in running text as a cluster of Pandoc's.

    It is `None` if a part holds no reference behind an ``@``, or several: then other keys
    are cited, too, and the brackets are those of another program.

    Args:
        text: The text, with the escapes of its markup decoded.
        start: Where the content of the brackets begins.
        end: Where it ends.
        proxies: The proxies whose URLs are references.
    """
    cited: list[CitedReference] = []
    for first, last in _parts(text, start, end):
        references = list(compiled(_PANDOC_REFERENCE).finditer(text, first, last))
        if len(references) != 1:
            return None
        one = _pandoc_reference(text, references[0], first, last, proxies)
        if one is None:
            return None
        cited.append(one)
    return Cluster(tuple(cited), is_bracketed=True)


def _pandoc_reference(
    text: str, marked: re.Match[str], start: int, end: int, proxies: Proxies
) -> CitedReference | None:
    """The reference behind an ``@``, with the words of its part."""
    group = "braced" if marked["braced"] is not None else "bare"
    written = marked[group]
    behind = text[marked.end() : end]
    if group == "bare" and behind.strip():
        written = written.removesuffix(",")
    try:
        reference = HandleReference.parse(written, proxies=proxies)
    except HandleSyntaxError:
        return None
    if reference.form in {ReferenceForm.BARE, ReferenceForm.VALUE}:
        return None
    return CitedReference(
        reference=reference,
        written=written,
        start=marked.start(group),
        prefix=_words(text[start : marked.start()]),
        locator=_words(behind).removeprefix(",").strip(),
    )


def texts_around(
    words: Sequence[tuple[str, str]], *, is_bracketed: bool
) -> Iterator[str]:
    """The text before each reference of a cluster, and that behind the last one.

    Args:
        words: The prefix and the locator of each reference.
        is_bracketed: Whether brackets stand around them.

    >>> list(texts_around([("see", "p. 3"), ("", "")], is_bracketed=True))
    ['(see ', ', p. 3; ', ')']
    """
    text = "(" if is_bracketed else ""
    for index, (prefix, locator) in enumerate(words):
        separator = "; " if index else ""
        yield f"{text}{separator}{prefix} " if prefix else f"{text}{separator}"
        text = f", {locator}" if locator else ""
    yield f"{text})" if is_bracketed else text


def _parts(text: str, start: int, end: int) -> Iterator[tuple[int, int]]:
    """Where each part between semicolons begins and ends."""
    for division in _PART_END.finditer(text, start, end):
        yield start, division.start()
        start = division.end()
    yield start, end


def _bracketed(
    text: str, start: int, end: int, read: Read
) -> tuple[CitedReference, ...]:
    """The references between brackets, each with what stands around it."""
    return tuple(
        _cited(text, first, last, read) for first, last in _parts(text, start, end)
    )


def _cited(text: str, start: int, end: int, read: Read) -> CitedReference:
    """The reference in a part: its first word that is one, and the words around it."""
    end -= len(text[start:end]) - len(text[start:end].rstrip())
    error: HandleSyntaxError | None = None
    for word in _WORD.finditer(text, start, end):
        is_last = word.end() == end
        written = word[0] if is_last else word[0].removesuffix(",")
        try:
            reference = _read_word(written, read)
        except HandleSyntaxError as problem:
            is_only = is_last and not text[start : word.start()].strip()
            if error is None and (is_only or compiled(_MEANT).match(written)):
                error = _error_within(problem, text, word.start(), read)
            continue
        if reference is not None:
            return CitedReference(
                reference=reference,
                written=written,
                start=word.start(),
                prefix=_words(text[start : word.start()]),
                locator=_locator(text, word.end(), end, read),
            )
    if error is not None:
        raise error
    raise HandleSyntaxError(text, (start, end), "there is no identifier here")


def _named(text: str, start: int, end: int, read: Read) -> tuple[CitedReference, ...]:
    """The references behind a name sign: a cluster, or one that may hold white space."""
    cited = (
        _plain(text, start, end, read) if _DIVIDER.search(text, start, end) else None
    )
    if cited is not None:
        return cited
    start += len(_NAME_SIGN)
    written = text[start:end]
    try:
        reference = read(written)
    except HandleSyntaxError as problem:
        raise _error_within(problem, text, start, read) from None
    return (CitedReference(reference, written, start),)


def _plain(
    text: str, start: int, end: int, read: Read
) -> tuple[CitedReference, ...] | None:
    """The references of a cluster without brackets; `None` if it is one reference.

    ``20.1000/a; b`` is a handle with a semicolon and a space. Where the second part
    certainly means an identifier, it is malformed.
    """
    cited: list[CitedReference] = []
    for beginning, last in _parts(text, start, end):
        first = beginning + text.startswith(_NAME_SIGN, beginning, last)
        word, _, behind = text[first:last].partition(" ")
        behind = behind.strip()
        has_locator = word.endswith(",") and behind != ""
        written = word[:-1] if has_locator else word
        try:
            reference = _read_word(written, read)
        except HandleSyntaxError as problem:
            if cited and compiled(_MEANT).match(written):
                raise _error_within(problem, text, first, read) from None
            return None
        if reference is None or (behind and not has_locator):
            return None
        locator = _locator(text, first + len(word), last, read)
        one = CitedReference(
            reference=reference, written=written, start=first, locator=locator
        )
        cited.append(one)
    return tuple(cited)


def _locator(text: str, start: int, end: int, read: Read) -> str:
    """The words behind a reference.

    Raises:
        HandleSyntaxError: if they hold another one, which nothing would link or check.
    """
    for word in _WORD.finditer(text, start, end):
        if compiled(_SECOND).match(word[0]) is None:
            continue
        try:
            read(word[0])
        except HandleSyntaxError:
            continue
        reason = (
            'a second identifier stands here; a semicolon, as in "a; b", divides works'
        )
        raise HandleSyntaxError(text, word.span(), reason)
    return _words(text[start:end])


def _read_word(word: str, read: Read) -> HandleReference | None:
    """The reference that a word is; `None` for a word with a slash, as in "and/or"."""
    if word[:1] in {"!", "~"}:
        reason = f'"{word[0]}" stands only before a single identifier'
        raise HandleSyntaxError(word, (0, 1), reason)
    reference = read(word)
    is_bare = reference.form in {ReferenceForm.BARE, ReferenceForm.VALUE}
    if is_bare and _DIGIT_OR_DOT.search(reference.handle.prefix) is None:
        return None
    return reference


def _words(text: str) -> str:
    """Words with one space between them."""
    return " ".join(text.split())


def _error_within(
    error: HandleSyntaxError, text: str, start: int, read: Read
) -> HandleSyntaxError:
    """An error of one word as one of the whole content, whose suggestion can be read."""
    if error.suggestion is not None:
        try:
            read(error.suggestion)
        except HandleSyntaxError:
            error.suggestion = None
    return error.within(text, start)
