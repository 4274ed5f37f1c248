"""Percent-encoding and character sets: the one module that knows "%XX".

A handle itself carries no escapes: "the handle name space by itself does not
impose any hex or escape encoding" (seed 004, section 3.1).  They come in when a
handle is written as a URI and go out again when one is read.
"""

import re
from itertools import pairwise
from urllib.parse import quote

from handle_system.charsets import charset_named
from handle_system.errors import LONGEST_SUGGESTION, HandleSyntaxError, brief

__all__ = [
    "decode",
    "decode_ascii",
    "decode_leniently",
    "encode_file",
    "encode_path",
    "encode_query",
    "locate",
]

# What CNRI's own link writer leaves literal in a path; the public proxy reads
# the rest back from upper-case %XX to the same octets.
_PATH_LITERAL = r"A-Za-z0-9\-._~:@/!$()*,;="
# Query and fragment of RFC 3986, section 3.4 and 3.5; escapes stay as written.
_QUERY_LITERAL = r"A-Za-z0-9\-._~:@/?!$&'()*+,;="

# Runs of so many at a time: what is made of a longer one on its way to an escape
# would be several times the text.
_NOT_PATH_LITERAL = re.compile(f"[^{_PATH_LITERAL}]{{1,1000}}")
_NOT_QUERY_LITERAL = re.compile(f"%(?![0-9A-Fa-f]{{2}})|[^%{_QUERY_LITERAL}]{{1,1000}}")
_MALFORMED_ESCAPE = re.compile("%(?![0-9A-Fa-f]{2})")
# So many at a time: the `re` module takes a hundred octets of memory for each
# repetition of a group, which for megabytes of escapes is much, and slow.
_ESCAPES = re.compile(rb"(?>(?:%[0-9A-Fa-f]{2}){1,1000})")
_SURROGATE = re.compile("[\ud800-\udfff]")
_ASCII_RUN = re.compile(r"[\x00-\x7f]+")
_DOT_SEGMENTS = frozenset({".", ".."})


def encode_path(handle: str) -> str:
    """Write a handle's text as the path of a link.

    UTF-8, with upper-case ``%XX`` for everything but
    ``A-Z a-z 0-9 - . _ ~ : @ / ! $ ( ) * , ; =``.  A segment that is only ``.``
    or ``..`` would be removed by a browser, so the slash after it (at the end:
    before it) is written ``%2F`` (DOI Handbook, "Encoding rules for URLs").

    >>> encode_path("10.1000/a/../b?c")
    '10.1000/a/..%2Fb%3Fc'
    """
    # Of most there is nothing to write otherwise, which is told in half the time.
    plain = _NOT_PATH_LITERAL.search(handle) is None
    path = handle if plain else _NOT_PATH_LITERAL.sub(_escape, handle)
    return _keep_dot_segments(path) if "/." in path else path


def encode_query(text: str) -> str:
    """Make a query or fragment fit for a URL; what is encoded already stays.

    >>> encode_query("urlappend=%3Bseq=6 <7>")
    'urlappend=%3Bseq=6%20%3C7%3E'
    """
    return _NOT_QUERY_LITERAL.sub(_escape, text)


def encode_file(path: str) -> str:
    r"""Write a file's path, with forward slashes, as a relative URL.

    An octet of a name that is no UTF-8, which Python keeps as a surrogate, is
    written as that octet.

    >>> encode_file("a b/caf\udce9.rst")
    'a%20b/caf%E9.rst'
    """
    try:
        octets = path.encode("utf-8", "surrogateescape")
    except UnicodeEncodeError:
        # A name on Windows, of which half a character was cut off.
        octets = path.encode("utf-8", "surrogatepass")
    return quote(octets, safe="/")


def decode(
    source: str,
    start: int,
    end: int,
    *,
    modifier: str | None = None,
    document_charset: str | None = None,
) -> str:
    """Read the percent-encoded octets of ``source[start:end]``.

    The decision procedure of seed 004, section 3.2, in its order: the charset
    that a modifier names; else UTF-8; else the charset of the document that
    holds the reference; else an error that names the octets.  Overlong and
    surrogate sequences are not UTF-8 (RFC 3629, section 3).  ``+`` is never a
    space.

    Raises:
        HandleSyntaxError: on a malformed escape, and on octets that are not
            text in that charset.
    """
    if modifier is None and source.find("%", start, end) < 0:
        return source[start:end]
    malformed = _MALFORMED_ESCAPE.search(source, start, end)
    if malformed:
        shown = source[malformed.start() : min(malformed.start() + 3, end)]
        raise HandleSyntaxError(
            source,
            malformed.span(),
            f'"%" begins an escape of two hexadecimal digits, and {shown!r} is none',
            suggestion=_with_escapes_mended(source, start, end),
        )
    surrogate = _SURROGATE.search(source, start, end)
    if surrogate:
        raise HandleSyntaxError(
            source, surrogate.span(), "a lone surrogate is not a character"
        )
    if modifier is not None:
        charset = charset_named(modifier)
        if charset is None:
            raise HandleSyntaxError(
                source, (start, end), f'"{brief(modifier)}" is not a known charset'
            )
        return _decode_in(charset, modifier, source, start, end)
    text = source[start:end]
    try:
        return _octets(text).decode("utf-8")
    except UnicodeDecodeError as error:
        charset = charset_named(document_charset) if document_charset else None
        if document_charset and charset not in {None, "utf-8"}:
            return _decode_in(charset or "", document_charset, source, start, end)
        span = _octets_span(text, error.start, error.end, start)
        octets = source[slice(*span)]
        raise HandleSyntaxError(
            source,
            span,
            f"the octets {brief(octets)} are not UTF-8, and no charset is given for them",
        ) from error


def decode_ascii(text: str) -> str:
    """Read text whose escapes are known to be well formed, and ASCII."""
    return _octets(text).decode("ascii") if "%" in text else text


def decode_leniently(text: str) -> str:
    """What the text most likely says, for questions that are not about handles."""
    if "%" not in text:
        return text
    octets = _ESCAPES.sub(_unescape, text.encode("utf-8", "replace"))
    return octets.decode("utf-8", "replace")


def locate(
    source: str, start: int, end: int, span: tuple[int, int], *, modifier: str | None
) -> tuple[int, int]:
    """Where characters `span` of what `decode` read are written in `source`.

    In UTF-8 a character is written raw, or as one escape for each of its
    octets.  Of other charsets only the whole is known: their characters share
    octets and shift states.
    """
    first, last = span
    if modifier is None and source.find("%", start, end) < 0:
        return start + first, start + last
    try:
        is_utf8 = modifier is None and bool(_octets(source[start:end]).decode())
    except UnicodeDecodeError:
        is_utf8 = False
    if not is_utf8:
        return start, end
    position = start
    width = _written_width(source, position)
    for _ in range(first):
        position += width
        width = _written_width(source, position)
    return position, position + width if first < last else position


def _written_width(source: str, position: int) -> int:
    if source[position : position + 1] != "%":
        return 1
    lead = int(source[position + 1 : position + 3], 16)
    octets = 1 + (lead >= 0xC0) + (lead >= 0xE0) + (lead >= 0xF0)
    return 3 * octets


def _with_escapes_mended(source: str, start: int, end: int) -> str | None:
    if len(source) > LONGEST_SUGGESTION:
        return None
    mended = _MALFORMED_ESCAPE.sub("%25", source[start:end])
    return f"{source[:start]}{mended}{source[end:]}"


def _octets(text: str) -> bytes:
    """The octets that a text with escapes stands for."""
    return _ESCAPES.sub(_unescape, text.encode())


def _unescape(run: re.Match[bytes]) -> bytes:
    return bytes.fromhex(run.group().decode().replace("%", ""))


def _escape(match: re.Match[str]) -> str:
    return "%" + match.group().encode().hex("%").upper()


def _keep_dot_segments(path: str) -> str:
    segments = path.split("/")
    pieces = [segments[0]]
    last = len(segments) - 1
    for number, (before, segment) in enumerate(pairwise(segments), start=1):
        hidden = before in _DOT_SEGMENTS or (
            number == last and segment in _DOT_SEGMENTS
        )
        pieces += ["%2F" if hidden else "/", segment]
    return "".join(pieces)


def _decode_in(charset: str, name: str, source: str, start: int, end: int) -> str:
    # ASCII characters are octets too: the second octet of a Shift_JIS
    # character, and all of an ISO-2022 one, may be written as themselves.
    # Characters beyond ASCII have been decoded with the document already.
    def read(match: re.Match[str]) -> str:
        octets = _octets(match.group())
        try:
            return octets.decode(charset)
        except UnicodeDecodeError as error:
            offset = start + match.start()
            span = _octets_span(match.group(), error.start, error.end, offset)
            raise HandleSyntaxError(
                source,
                span,
                f"the octets {brief(source[slice(*span)])} are not {brief(name)}",
            ) from error

    return _ASCII_RUN.sub(read, source[start:end])


def _octets_span(text: str, first: int, last: int, offset: int) -> tuple[int, int]:
    """Where octets `first` to `last` (half-open) of `text` are written."""
    octet = 0
    begin = None
    position = 0
    while position < len(text) and octet < last:
        if octet >= first and begin is None:
            begin = position
        escaped = text[position] == "%"
        octet += 1 if escaped else len(text[position].encode())
        position += 3 if escaped else 1
    return offset + (position if begin is None else begin), offset + position
