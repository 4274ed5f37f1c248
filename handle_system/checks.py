"""The checks of a valid reference, each by the kind of its findings.

`handle_system.diagnose` asks them about every reference but the ordinary ones.
"""

import re
import sys
import unicodedata
from collections.abc import Callable, Iterator, Mapping
from contextlib import suppress
from dataclasses import replace
from functools import partial
from typing import TYPE_CHECKING
from urllib.parse import unquote

from handle_system.doi_repair import (
    OF_LIBRARY,
    agency_doi,
    mended_number,
    mended_opening,
    plain_prefix,
    publisher_doi,
    restored_doi,
)
from handle_system.encoding import decode
from handle_system.errors import DOI_ERRORS, HandleSyntaxError, brief
from handle_system.findings.codes import Code, Severity
from handle_system.findings.finding import Finding
from handle_system.forms import BARE_FORMS, FORM_OPENING, MAX_OCTETS, ReferenceForm
from handle_system.handle import SLASH_LOOK_ALIKE, Handle, split_handle
from handle_system.proxies import DEFAULT_PROXIES, DOI_HOSTS, OWN_PAGES
from handle_system.reference import HandleReference, reference_or_none
from handle_system.reference_ends import HYPHEN_LOOK_ALIKES
from handle_system.text import DIRECTION_MARK, SURROUNDING_SPACE, compiled

if TYPE_CHECKING:
    from handle_system.suffix_policy import SuffixPolicy

_FORM = rf"(?:{FORM_OPENING}|https?://)"
# Where a second reference may begin: with a form, or as a bare DOI behind punctuation or a
# dash, as at the end of a range.
_SECOND_REFERENCE = (
    rf"(?ai)(?:[,;|\s{HYPHEN_LOOK_ALIKES}\u2014-](?=10\.[0-9]{{4,9}}/))|(?={_FORM})"
)
_BIDIRECTIONAL = re.compile(DIRECTION_MARK)
# Unicode's format characters and separators of lines and paragraphs, but the above.
_INVISIBLE = re.compile(
    "[\u00ad\u0600-\u0605\u06dd\u070f\u0890\u0891\u08e2\u180e\u200b-\u200d\u2028\u2029"
    "\u2060-\u2064\u206a-\u206f\ufeff\ufff9-\ufffb\U000110bd\U000110cd"
    "\U00013430-\U0001343f\U0001bca0-\U0001bca3\U0001d173-\U0001d17a"
    "\U000e0001\U000e0020-\U000e007f]"
)
# Before the handle, the charset of its octets; see `handle_system.encoding`.
_MODIFIER = re.compile(rf"[{SURROUNDING_SPACE}]*[A-Za-z0-9_.:+-]+@")
_JOINERS = "\u200c\u200d"
_DAMAGED = re.compile("\ufffd")
# The characters that typography replaces.
_PLAIN_OF_TYPOGRAPHIC = {
    **dict.fromkeys("‘’", "'"),
    **dict.fromkeys("“”", '"'),
    **dict.fromkeys(HYPHEN_LOOK_ALIKES, "-"),
    "…": "...",
    "—": "---",
}
# Before another DOI, a dash is that of a range.
_TYPOGRAPHIC = re.compile(
    rf"[{''.join(_PLAIN_OF_TYPOGRAPHIC)}](?!10\.[0-9]{{4,9}}/)", re.ASCII
)
_WHITE_SPACE = re.compile(r"\s+")
_ESCAPE = re.compile("%[0-9A-Fa-f]{2}")
_TRAILING = frozenset("/.,;:!?'\"`’”»")
_OPENER_OF = {")": "(", "]": "[", "}": "{", ">": "<"}
#: DSpace's default prefix, and DataCite's prefix for tests.
_TEST_PREFIXES = frozenset({"123456789", "10.5072"})
# What people write until there is an identifier: alone, or as the last part of a suffix,
# and marks of templates around it. `ORDINARY` in `handle_system.diagnostics` takes nothing
# for one that holds a digit above 1.
_PLACEHOLDER = r"""(?x)
    (?ai: (?: 10\. | (?:[a-z]+[./]){0,4} )
        (?: tb[acd] | todo | fixme | placeholder | pending | replace_[a-z_]* | 0?x{3,} | 0?n{3,} | (?<=\.)0{5,}
          | [a-z]* (?: __[a-z_-]*[a-z]__
            | \[ (?: id | doi | number | suffix | x{3,} | n{3,} ) \] ) )
      | ([nx])\1{2,}(?:\.\1{3,})+
      | zenodo\.? )
    | [^<>]* < (?ai: [a-z _-]* ) >
    | [^{}]* \{ [\w .:-]* \} | [^{}]* \{\{ [\w .:-]* \}\}
"""
_CHARACTER_OF_ENTITY = {
    "lt": "<",
    "gt": ">",
    "amp": "&",
    "quot": '"',
    "apos": "'",
    "nbsp": "\xa0",
    "lpar": "(",
    "rpar": ")",
    "lsqb": "[",
    "rsqb": "]",
    "semi": ";",
    "colon": ":",
    "period": ".",
    "sol": "/",
    "ndash": "–",
    "hyphen": "\u2010",
    "lowbar": "_",
}
_ENTITY = (
    rf"(?i)&(?:(?P<name>{'|'.join(_CHARACTER_OF_ENTITY)})"
    r"|\#(?P<decimal>[0-9]{2,7})|\#x(?P<hexadecimal>[0-9a-f]{2,6}));"
)
_HTTP = re.compile(rf"[{SURROUNDING_SPACE}]*https?:", re.IGNORECASE)
# The year and the month before the "<" of a SICI.
_PART_OF_SICI = re.compile(r"\((?:SICI|[0-9]{4,8})\)", re.IGNORECASE)
# The last characters of a SICI before its check character, which may be "#".
_END_OF_SICI = re.compile(r"[0-9]\.CO;2-\Z", re.IGNORECASE)
_INNER = rf"(?ais)/({_FORM}.*|(?:dx\.|www\.)?doi\.org/10[./].*)"
_DOUBLED_SCHEME = (
    rf"(?ai)(?:{FORM_OPENING}|info:)(?:(?P<url>https?://)|{FORM_OPENING})"
    r"|doi:(?P<host>(?:dx\.|www\.)?doi\.org/)"
)
_NOT_USUAL_IN_PREFIX = re.compile("[^0-9A-Za-z._-]")
# The public proxy resolves such a handle.
_INNER_DOTS = 'CNRI\'s proxy reads the segment ".." in a link as "..%2F"'
# How the messages begin that are notes, whatever the others of their kind are.
_LEGAL_AND_ODD = ("'/'", _INNER_DOTS)
_REPOSITORY = re.compile("(?:handle/){0,100}")
_PROXY_HOSTS = DOI_HOSTS | {"hdl.handle.net"}


#: Messages, each with text to paste if it is certain.
_Findings = Iterator[tuple[str, str | None]]


def check(reference: HandleReference) -> Iterator[Finding]:
    """The findings about a reference, in the order of `Code`."""
    text = str(reference.handle)
    checks = _CHECKS_OF_ASCII if text.isascii() else CHECKS
    for code, findings_of in checks.items():
        for message, suggestion in findings_of(reference, text):
            finding = Finding.of_kind(code, reference.source, message, suggestion)
            # A typographic sign may have been meant.
            may_be_meant = code is Code.TYPOGRAPHIC and suggestion is None
            if may_be_meant or message.startswith(_LEGAL_AND_ODD):
                finding = replace(finding, severity=Severity.NOTE)
            yield finding


def _rewritten(
    reference: HandleReference, handle: str, *, as_uri: bool = False
) -> str | None:
    """Return the reference with another handle, to be pasted; `None` if it is none.

    A bare reference stays bare if it then reads as that handle; any other becomes
    the canonical URI.
    """
    try:
        changed = replace(reference, handle=split_handle(handle))
    except HandleSyntaxError:
        return None
    if reference.form is ReferenceForm.BARE and not as_uri:
        again = reference_or_none(handle, DEFAULT_PROXIES)
        if again is not None and again.handle == changed.handle:
            return handle
    return changed.uri()


def _character(
    pattern: re.Pattern[str],
    effect: str,
    replacement: str | None,
    reference: HandleReference,
    text: str,
) -> _Findings:
    found = pattern.search(text)
    if found:
        mended = text if replacement is None else pattern.sub(replacement, text)
        suggestion = None if mended == text else _rewritten(reference, mended)
        yield f"{_named(found[0])} {effect}", suggestion


def _invisible(reference: HandleReference, text: str) -> _Findings:
    """An invisible character; a joiner between letters that join is none."""
    for found in _INVISIBLE.finditer(text):
        if found[0] not in _JOINERS or not _joins(text, found.start()):
            suggestion = _rewritten(reference, _without_invisible(text))
            yield f"{_named(found[0])} is invisible", suggestion
            return


def _joins(text: str, position: int) -> bool:
    """Whether a joiner stands where writing needs one (RFC 5892, A.1 and A.2)."""
    # Few texts hold a joiner.
    import idna  # noqa: PLC0415 (see above)

    try:
        return idna.valid_contextj(text, position)
    except ValueError:
        # The character before has no name, such as one for private use.
        return False


def _without_invisible(text: str) -> str:
    return "".join(
        character
        for position, character in enumerate(text)
        if not _INVISIBLE.match(character)
        or (character in _JOINERS and _joins(text, position))
    )


def _white_space(reference: HandleReference, text: str) -> _Findings:
    # That at the end is told as such.
    space = _WHITE_SPACE.search(text.rstrip())
    if space:
        # Only a remark in brackets is certainly not part of the handle.
        has_remark = text[space.end() : space.end() + 1] in {"(", "["}
        suggestion = _rewritten(reference, text[: space.start()])
        message = "white space inside a handle is rarely meant"
        yield message, suggestion if has_remark else None


def _prefix_look_alike(reference: HandleReference, text: str) -> _Findings:
    prefix, suffix = reference.handle.prefix, reference.handle.suffix
    plain = plain_prefix(prefix)
    if plain != prefix:
        message = f'the prefix is not the "{brief(plain)}" that it looks like'
        yield message, _rewritten(reference, f"{plain}/{suffix}")
    elif not reference.handle.is_doi:
        return
    elif restored := restored_doi(text):
        yield 'no prefix of a DOI begins with "10.10."', _rewritten(reference, restored)
    elif meant := agency_doi(text):
        message = f'the DOI of that number is "{meant}"'
        yield message, _rewritten(reference, meant)


def _not_nfc(reference: HandleReference, text: str) -> _Findings:
    composed = unicodedata.normalize("NFC", text)
    if composed != text:
        message = (
            "the handle is not in Unicode's Normalization Form C, "
            "and names something else than its twin that is"
        )
        yield message, _rewritten(reference, composed)


def _typographic(reference: HandleReference, text: str) -> _Findings:
    found = _TYPOGRAPHIC.search(text)
    if found:
        plain = _TYPOGRAPHIC.sub(lambda mark: _PLAIN_OF_TYPOGRAPHIC[mark[0]], text)
        # An em dash may stand for one hyphen as well as for three.
        suggestion = None if "—" in text else _rewritten(reference, plain)
        one = _PLAIN_OF_TYPOGRAPHIC[found[0]]
        yield f'{_named(found[0])} is what typography makes of "{one}"', suggestion


def _looks_encoded(reference: HandleReference, text: str) -> _Findings:
    if reference.form in BARE_FORMS and _ESCAPE.search(text):
        message = "a bare handle is not percent-decoded, and this one holds escapes"
        if _MODIFIER.match(reference.source):
            as_uri = f"hdl:{reference.source.strip(SURROUNDING_SPACE)}"
            is_read = reference_or_none(as_uri, DEFAULT_PROXIES) is not None
            yield message, as_uri if is_read else None
            return
        # Else it was never encoded: cnri.test/handle%abc, an example of Sun (1998).
        with suppress(HandleSyntaxError):
            decoded = decode(text, 0, len(text))
            yield message, _rewritten(reference, decoded, as_uri=True)


def _broken_address(reference: HandleReference, _: str) -> _Findings:
    source = reference.source
    start = len(source) - len(source.lstrip(SURROUNDING_SPACE))
    mended = mended_opening(source, start)
    if mended is None and reference.form in BARE_FORMS:
        mended = mended_number(source, start)
    # A project may know the proxy of its library.
    is_known = reference.form is ReferenceForm.PROXY
    if mended is not None and not (is_known and mended.reason == OF_LIBRARY):
        # A valid DOI may be mistyped, too: "doi:10.1O00/182".
        meant = reference_or_none(mended.applied_to(source), DEFAULT_PROXIES)
        yield mended.reason, (meant or reference).uri()


def _doubled_scheme(reference: HandleReference, _: str) -> _Findings:
    source = reference.source
    doubled = compiled(_DOUBLED_SCHEME).match(source)
    if doubled is not None:
        message = "a scheme is written twice"
        if doubled["url"] or doubled["host"]:
            message = "a scheme is written before a proxy's URL"
        yield message, reference.uri()
    elif reference.form is ReferenceForm.PROXY or _is_nested(source):
        found = compiled(_INNER).search(source, source.find("//") + 2)
        inner = found and reference_or_none(found[1], DEFAULT_PROXIES)
        # A suffix may hold such text; then the inner reference is another one.
        if inner and inner.handle == reference.handle:
            yield "a reference is written inside a proxy's URL", reference.uri()


def _is_nested(source: str) -> bool:
    """Whether a source is a URL that was not broken, but read as the one inside it."""
    return _HTTP.match(source) is not None and mended_opening(source.lstrip()) is None


def _glued(reference: HandleReference, _: str) -> _Findings:
    suffix = reference.handle.suffix
    second = compiled(_SECOND_REFERENCE).search(suffix, 1)
    if second and _is_meant_for_reference(suffix[second.end() :]):
        yield "a second reference stands inside the suffix", None


def _is_meant_for_reference(text: str) -> bool:
    """Whether a text is a reference, or was meant for a DOI."""
    try:
        HandleReference.parse(text)
    except DOI_ERRORS:
        return True
    except HandleSyntaxError:
        return False
    return True


def _trailing_punctuation(reference: HandleReference, _: str) -> _Findings:
    suffix = reference.handle.suffix
    if suffix[-1].isalnum():
        return
    excess = {
        closer: suffix.count(closer) - suffix.count(opener)
        for closer, opener in _OPENER_OF.items()
    }
    end = len(suffix)
    while end:
        last = suffix[end - 1]
        if excess.get(last, 0) > 0:
            excess[last] -= 1
        elif last not in _TRAILING and not last.isspace():
            break
        end -= 1
    if 0 < end < len(suffix) and not compiled(_PLACEHOLDER).fullmatch(suffix):
        trailing = brief(suffix[end:])
        quote = '"' if "'" in trailing else "'"
        message = f"{quote}{trailing}{quote} at the end is probably not meant"
        kept = f"{reference.handle.prefix}/{suffix[:end]}"
        yield message, _rewritten(reference, kept)


def _placeholder(reference: HandleReference, _: str) -> _Findings:
    reason = _why_placeholder(reference.handle)
    if reason:
        yield reason, None


def _why_placeholder(handle: Handle) -> str:
    parts = (handle.prefix, handle.suffix)
    placeholders = [part for part in parts if compiled(_PLACEHOLDER).fullmatch(part)]
    if handle.prefix in _TEST_PREFIXES:
        return f'"{handle.prefix}" is a prefix for tests'
    return f'"{brief(placeholders[0])}" is a placeholder' if placeholders else ""


def is_placeholder(handle: Handle) -> bool:
    """Whether a handle stands for one that there will be, or is one for tests."""
    return bool(_why_placeholder(handle))


def _entity(reference: HandleReference, text: str) -> _Findings:
    if reference.fragment and text.endswith("&"):
        # In a URI, the "#" of a numeric entity begins a fragment.
        text += f"#{unquote(reference.fragment)}"
        reference = replace(reference, fragment=None)
    entity = compiled(_ENTITY).search(text) if "&" in text else None
    if entity is not None:
        message = (
            f'"{entity[0]}" is an entity of HTML, which stands for another character'
        )
        yield message, _rewritten(reference, compiled(_ENTITY).sub(_character_of, text))


def _character_of(entity: re.Match[str]) -> str:
    """The character that an entity stands for."""
    digits, hexadecimal = entity["decimal"], entity["hexadecimal"]
    if digits is None and hexadecimal is None:
        return _CHARACTER_OF_ENTITY[entity["name"].lower()]
    code = int(digits) if digits else int(hexadecimal, 16)
    return chr(min(code, sys.maxunicode))


def _cut_off(reference: HandleReference, _: str) -> _Findings:
    suffix = reference.handle.suffix
    if not reference.handle.is_doi or suffix.isalnum():
        return
    if reference.fragment == "" and _END_OF_SICI.search(suffix):
        message = (
            'the "#" at the end belongs to the SICI; in a URI it begins a fragment'
        )
        whole = replace(reference, fragment=None)
        yield message, _rewritten(whole, f"{reference.handle}#")
    for closer, opener in _OPENER_OF.items():
        if opener == "<" and not _PART_OF_SICI.search(suffix):
            continue
        if opener in suffix and suffix.count(opener) > suffix.count(closer):
            yield f'nothing closes the "{opener}" in it', None
            return


def _proxy_path(reference: HandleReference, text: str) -> _Findings:
    prefix, suffix = reference.handle.prefix, reference.handle.suffix
    whose = "a proxy's"
    address = f"{prefix}/"
    inner = None
    if prefix == "handle":
        # Repositories have their own pages at /handle/prefix/suffix.
        whose = "a repository's"
        inner = _REPOSITORY.sub("", suffix, count=1)
    elif prefix.lower() in _PROXY_HOSTS and suffix[0].isdecimal():
        inner = suffix
    elif inner := publisher_doi(f"//{text}"):
        whose = "a publisher's"
        address = text[: text.find(inner)]
    if inner is not None:
        message = f'"{brief(address)}" is part of {whose} address, not of a handle'
        yield message, _rewritten(reference, inner, as_uri=True)
    elif prefix in OWN_PAGES:
        message = f'proxies keep "/{prefix}/" for their own pages'
        yield f"{message}, so a link to this handle does not resolve it", None
    elif suffix.startswith("../"):
        message = 'a suffix that begins with the segment ".." cannot be asked for'
        yield f"{message} over HTTP, so a link does not resolve it", None
    elif ".." in suffix.split("/")[:-1]:
        yield f"{_INNER_DOTS}; other HTTP servers refuse it or remove it", None
    elif suffix.isspace():
        # Behind other characters it is told as such.
        message = f"proxies remove {_named(suffix[-1])} at the end of a handle"
        yield f"{message}, so a link leads to another one", None


def _prefix_character(reference: HandleReference, _: str) -> _Findings:
    prefix = reference.handle.prefix
    other = _NOT_USUAL_IN_PREFIX.search(prefix)
    if other is None:
        return
    is_told = plain_prefix(prefix) != prefix or compiled(_PLACEHOLDER).fullmatch(prefix)
    if not is_told and not _INVISIBLE.search(prefix):
        message = "prefixes in use hold letters, digits, dots, hyphens and underscores"
        yield f"{message}, and not {_named(other[0])}", None


def _reserved_character(reference: HandleReference, text: str) -> _Findings:
    if reference.form is not ReferenceForm.HDL:
        return
    if reference.fragment == "" and _END_OF_SICI.search(reference.handle.suffix):
        return
    if reference.fragment is not None:
        message = 'in a URI, a "#" begins a fragment'
        yield f"{message}; if it belongs to the handle, write %23", None
    elif '"' in text and '"' in reference.source:
        yield "a URI holds no raw quotation mark; write %22", reference.uri()


def _too_long(_: HandleReference, text: str) -> _Findings:
    octets = len(text.encode())
    if octets > MAX_OCTETS:
        yield f"{octets} octets; the reference server takes {MAX_OCTETS}", None


def _server(reference: HandleReference, _: str) -> _Findings:
    if reference.server is not None:
        message = f"a link goes to the proxy, not to the server {reference.server}"
        yield message, replace(reference, server=None).uri()


def check_suffix(
    reference: HandleReference, suffix_policy: "SuffixPolicy"
) -> Iterator[Finding]:
    """The finding about a suffix that has not the format which a project asks for."""
    problem = suffix_policy.problem(reference.handle)
    if problem is not None:
        suggestion = None
        if problem.suggestion is not None:
            meant = f"{reference.handle.prefix}/{problem.suggestion}"
            suggestion = _rewritten(reference, meant)
        yield Finding.of_kind(Code.SUFFIX, reference.source, problem.reason, suggestion)


def _named(character: str) -> str:
    return f"U+{ord(character):04X} {unicodedata.name(character, '')}".rstrip()


#: The checks of a valid reference, each by the kind of its findings.
CHECKS: Mapping[Code, Callable[[HandleReference, str], _Findings]] = {
    Code.BIDIRECTIONAL: partial(
        _character,
        _BIDIRECTIONAL,
        "changes the direction in which the handle is shown",
        "",
    ),
    Code.INVISIBLE: _invisible,
    Code.DAMAGED: partial(
        _character, _DAMAGED, "stands where a character was lost in decoding", None
    ),
    Code.WHITE_SPACE: _white_space,
    Code.SLASH_LOOK_ALIKE: partial(
        _character, SLASH_LOOK_ALIKE, 'looks like "/" and is another character', "/"
    ),
    Code.PREFIX_LOOK_ALIKE: _prefix_look_alike,
    Code.NOT_NFC: _not_nfc,
    Code.TYPOGRAPHIC: _typographic,
    Code.LOOKS_ENCODED: _looks_encoded,
    Code.BROKEN_ADDRESS: _broken_address,
    Code.DOUBLED_SCHEME: _doubled_scheme,
    Code.GLUED: _glued,
    Code.TRAILING_PUNCTUATION: _trailing_punctuation,
    Code.PLACEHOLDER: _placeholder,
    Code.ENTITY: _entity,
    Code.CUT_OFF: _cut_off,
    Code.PROXY_PATH: _proxy_path,
    Code.PREFIX_CHARACTER: _prefix_character,
    Code.RESERVED_CHARACTER: _reserved_character,
    Code.TOO_LONG: _too_long,
    Code.SERVER: _server,
}

# Those that a handle in ASCII, as most are, can fail.
_CHECKS_OF_ASCII = {
    code: check
    for code, check in CHECKS.items()
    if code
    not in {
        Code.BIDIRECTIONAL,
        Code.INVISIBLE,
        Code.DAMAGED,
        Code.SLASH_LOOK_ALIKE,
        Code.NOT_NFC,
        Code.TYPOGRAPHIC,
    }
}
