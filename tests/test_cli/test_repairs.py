"""What `hdl fix` writes without being asked names the work that its author named."""

import html
import re
from urllib.parse import unquote

import pytest
from hypothesis import assume, example, given
from hypothesis import strategies as st

from handle_cli.readers import UnreadableError
from handle_cli.rewriting import RewritingRules, Rewritten, rewrite
from handle_system import HandleReference
from handle_system.diagnostics import findings_about
from handle_system.findings.codes import Code
from handle_system.settings import Settings
from handle_system.syntax import Syntax
from handle_system.text import SURROUNDING_SPACE
from tests.test_parity.kinds import CASES, POLICY
from tests.test_parity.test_mistyped import DOCUMENTS, ROWS, SYNTAXES

#: By a pattern of what is written: the repairs whose identifier differs from it by more than
#: its encoding and letter case, and why nobody is asked.
EXCEPTED = {
    r"(?=[0-9.]*[OolI])[1lI][0Oo]\.[0-9OolI]{4,9}(?=/)": (
        "Only digits and dots are in the number of a DOI, so no other DOI is written so."
    ),
    "[\u2044\u2215\u29f8\uff0f]": (
        "Without a slash there is no identifier, so no other one is written so."
    ),
    "(?i)urn:(?:doi|hdl):[^/]*:": "In a URN, the first colon is the slash.",
}
#: The kinds of findings that a repair without ``--unsafe`` can end, and why it is certain.
REPAIRED = {
    Code.SYNTAX: "the content of the role holds the identifier",
    Code.LINK: "the target holds the identifier",
    Code.MALFORMED: "the text holds the identifier",
    Code.BROKEN_ADDRESS: "the address is broken, and its identifier is whole",
    Code.DOUBLED_SCHEME: "a scheme or an address goes",
    Code.ADDRESS_IN_FIELD: "the address goes",
}
OPENINGS = [
    *("", "doi:", "doi: ", "DOI:doi:", "doi:https://doi.org/", "https://doi.org/"),
    *("http://dx.doi.org/", "https:/doi.org/", "https://doi.org/doi:", "hdl:"),
    *("https://doi.org/DOI: ", "https://doi.org/https://doi.org/", "https://doi.org:"),
    *("https://doi.org/abs/", "https://doi.org.", "https://hdl.handle.net/", "doi："),
    *("https://hdl.handle.net/handle/", "info:doi/", "urn:doi:", "doi.org/"),
    *("https://doi-org.proxy.example.edu/", "https://doi.org/https://zenodo.org/doi/"),
    *("https://onlinelibrary.wiley.com/doi/abs/", "https://doi.org/a/", "doi.org:"),
    *("https://doi.com/", "htps://dio.org/", "https://hdl.handel.net/"),
    *(
        "https://urldefense.com/v3/__https://doi.org/",
        "https://google.com/url?q=http://doi.org/",
    ),
]
PREFIXES = [
    *("10.1000", "10.5281", "10.48550", "110.1000", "1010.1000", "101000", "0.1000"),
    *("10.10.1000", ".1000", "10-1000", "1O.1000", "10.1O00", "20.1000", "10.xxxx"),
    *("10．1000", "10.5072", "102.100.272", ""),
]
SUFFIXES = [
    *("182", "a–b", "a%2Fb", "zenodo.123", "10.5281/zenodo.345", "zenodo/123", "a."),
    *("12802953", "arXiv:2106.01234", "a b", "a&lt;b", "50%-off", "a/", "a\u200bb"),
    *("(SICI)1097(1999)55:2<241::A>3.0", "a/full", "a?b#c", "Y35XYSOQH", "cr3qwn"),
    *(
        "a__;!!x$",
        "a&sa=D",
        "PENDING",
        "10.1000/182",
        "1\u20444",
        "9787302331094",
        "A\u0301",
    ),
]
SLASHES = ["/", "%2F", "／", "//", ":", ""]


# Behind the identifier in an address that a program rewrote, its own text follows.
_ENDS = re.compile(r"\Z|[?#]|__;|&\w+=")


def _repairs(syntax: Syntax, text: str, *, only_wrong: bool) -> list[Rewritten]:
    rules = RewritingRules(
        values=Settings(suffix_policy=POLICY),
        only_wrong=only_wrong,
        data=True,
    )
    return rewrite(syntax, text, rules).rewritten


def _names_the_same(repair: Rewritten) -> bool:
    """Whether the old text ends in the new identifier, decoded and in any letter case."""
    reference = repair.after.reference
    assert isinstance(reference, HandleReference)
    handle = str(reference.handle).casefold()
    written = repair.before.reference.source.strip(SURROUNDING_SPACE)
    for text in (written, html.unescape(written)):
        for decoded in (text, unquote(text)):
            plain = decoded.casefold()
            if reference.handle.prefix == "10":
                # Behind the host, a shortDOI has no prefix.
                plain = re.sub("doi.org/+(?:10/)?", "doi.org/10/", plain)
            begin = plain.rfind(handle)
            before, after = plain[:begin], plain[begin + len(handle) :]
            # A host may have lost the slash behind it.
            is_begin = not re.search(r"(?<!doi\.org)(?<!doi\.or)[\w.%-]\Z", before)
            if begin >= 0 and is_begin and _ENDS.match(after):
                return True
    return False


def _assert_the_same(repair: Rewritten) -> None:
    written = repair.before.reference.source
    if any(re.search(pattern, written) for pattern in EXCEPTED):
        return
    assert _names_the_same(repair), (repair.old, repair.new)


@given(
    place=st.sampled_from([*DOCUMENTS]),
    parts=st.tuples(*map(st.sampled_from, (OPENINGS, PREFIXES, SLASHES, SUFFIXES))),
    only_wrong=st.booleans(),
)
@example(
    place="markdown target",
    parts=("https://doi.org/", "110.1000", "/", "182"),
    only_wrong=True,
)
@example(place="bibtex doi", parts=("", "101000", "/", "182"), only_wrong=True)
def test_no_repair_changes_which_work_is_meant(
    place: str, parts: tuple[str, ...], *, only_wrong: bool
) -> None:
    """Without ``--unsafe``, the identifier stays the same after decoding and case folding."""
    syntax, document = DOCUMENTS[place]
    text = document.format("".join(parts))
    try:
        repairs = _repairs(syntax, text, only_wrong=only_wrong)
    except UnreadableError:
        assume(False)  # noqa: FBT003 (as hypothesis has it)
    for repair in repairs:
        _assert_the_same(repair)


@pytest.mark.parametrize("row", ROWS)
def test_rows(row: str) -> None:
    """Nor in what people wrote."""
    for syntax, text in ROWS[row].items():
        if syntax in SYNTAXES:
            for repair in _repairs(SYNTAXES[syntax], text, only_wrong=False):
                _assert_the_same(repair)


def test_kinds() -> None:
    """The kinds of findings that end unasked are those of which it is certain."""
    pages = [
        (Syntax.MARKDOWN, "[x](doi:10.1000/50%-off) {doi}`doi:10.1000/50%-off`"),
        (Syntax.BIBTEX, "@book{b,\n  doi = {https://doi.org/10.1000/182},\n}\n"),
    ]
    for case in CASES.values():
        pages += [(Syntax.RST, case.rst), (Syntax.MARKDOWN, case.markdown)]
    ended = set()
    for syntax, text in pages:
        for repair in _repairs(syntax, text, only_wrong=True):
            ended |= {finding.code for finding in findings_about(repair.before)}
            _assert_the_same(repair)

    assert ended == set(REPAIRED)
