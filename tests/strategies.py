"""Strategies of the property tests: handles, references and texts around them.

Generated handles cover every character that a handle can hold. The pool holds handles
that broke software, because a generator rarely finds a SICI.
"""

import string

from hypothesis import strategies as st

from handle_system.handle import Handle
from handle_system.proxies import OWN_PAGES
from handle_system.text import SURROUNDING_SPACE

DIFFICULT_HANDLES: tuple[str, ...] = (
    # Plain handles.
    "10.1000/182",
    "20.1000/100",
    "10.1045/april2006-paskin",
    "0.NA/10.1000",
    "0.TYPE/URL",
    "10320/loc",
    "a/b",
    "10/cr3qwn",
    "21.T11148/0694e24e79a6e4b9a2c4",
    "12345.1.2/x",
    "102.100.272/0N8J991QH",
    "cnri-1/1995.;9",
    "berkeley.cs/ucb-cstr-94.45",
    # SICI: brackets of every kind, semicolons, colons.
    "10.1175/1520-0493(1972)100<0081:OTAOSH>2.3.CO;2",
    "10.1002/(SICI)1097-4679(199902)55:2<241::AID-JCLP12>3.0.CO;2-V",
    "10.1002/(SICI)1521-3978(199806)46:4/5<493::AID-PROP493>3.0.CO;2-P",
    "10.1657/1523-0430(07-512)[ZHU]2.0.CO;2",
    # Characters of markup and typography.
    "10.1000/a--b...c",
    "10.1000/100_x_",
    "10.1000/*b*c",
    "10.1000/a~b~",
    "10.1000/'x'y",
    "10.1000/|x|y",
    "10.1000/a&amp;b",
    "10.1000/${7*7}",
    "10.1000/</a><a href=javascript:alert(1)>x",
    '10.1000/"onmouseover="alert(1)',
    "10.1000/\\href{x}{y}",
    # Characters of URLs.
    "cnri.test/handle%abc",
    "cnri.test/handle%25abc",
    "10.1000/a%2Fb",
    "10.1000/a?b#c",
    "10.1000/a+b c",
    "10.1000/a/../b",
    "10.1000/./a",
    "10.1000/..",
    "10.1000/.",
    "10.1000//x//",
    "10.1000///",
    "20.1000/5555/",
    "2027/loc.ark:/13960/t6349vh5n",
    "2027/uc1:b3",
    "10.1000/a@b",
    "10.1000/hdl:10.1000/1",
    "10.1000/https://doi.org/10.1000/1",
    "a%b/c",
    "?a/b",
    "#a/b",
    "300/1:2",
    "190.12.34.56/1234/5",
    # Scripts, planes, forms of normalisation, directions.
    "cnri.test/日本",
    "20.1000/café",
    "20.1000/cafe\u0301",
    "20.1000/\u212b",
    "20.1000/straße",
    "10.1000/É",
    "20.1000/İstanbul",
    "20.1000/ไทย",
    "20.1000/한국",
    "20.1000/שלום/10",
    "20.1000/\U00020bb7",
    "20.1000/👩\u200d🔬",
    "10.1000/a\u200bb",
    "10.1000/a\xa0b",
    "10.1000/abc\u202edef",
    "10.1000/a\u2028b",
    "10.1000/a\ufffdb",
    "10\u20241000/182",
    "\u0661\u0660.1000/1",
    "10.1000/\uff0f",
    'any-printable-characters/a-zA-Z0-9!@#$$%^&*()_ "< > , . ? / ~ | \\',
    # Path segments and hosts of the proxies.
    "handle/20.1000/100",
    "hdl/20.1000/100",
    "doi.org.test/x",
)
"""Handles that have broken software, or are likely to."""

CONTROLS = "".join(map(chr, [*range(0x20), *range(0x7F, 0xA0)]))
_NOT_IN_PREFIX = CONTROLS + SURROUNDING_SPACE + " \u180e:@/."

_TELLING_CHARACTERS = (
    "%?#&;+\"'<>()[]{}|\\^`*_~!$,=-.:@/ 019aAfFzZ"
    "éÉſıİK日\u0301\u200b\u200d\u202e\ufeff\ufffd\xa0\U00020bb7👩"
)

segments = st.text(
    st.one_of(
        st.sampled_from(string.ascii_letters + string.digits + "-_%?#éKſ日"),
        st.characters(
            exclude_categories=["Cs", "Zs"], exclude_characters=_NOT_IN_PREFIX
        ),
    ),
    min_size=1,
    max_size=6,
)
"""Segments of a prefix."""

prefixes = st.one_of(
    st.sampled_from(["10", "10.1000", "10.1000.1", "20.1000", "0.NA", "cnri.test"]),
    st.lists(segments, min_size=1, max_size=3).map(".".join),
    st.lists(segments, min_size=1, max_size=2).map(
        lambda tail: ".".join(["10", *tail])
    ),
)
"""Prefixes, many of them of DOIs."""

suffixes = st.text(
    st.one_of(
        st.sampled_from(_TELLING_CHARACTERS),
        st.characters(exclude_categories=["Cs"], exclude_characters=CONTROLS),
    ),
    min_size=1,
    max_size=12,
)
"""Suffixes: any characters except controls and lone surrogates."""

handles = st.one_of(
    st.sampled_from(DIFFICULT_HANDLES).map(
        lambda text: Handle(*text.split("/", maxsplit=1))
    ),
    st.builds(Handle, prefixes, suffixes),
)
"""Handles, difficult ones among them."""

any_text = st.text(
    st.one_of(
        st.sampled_from(_TELLING_CHARACTERS),
        st.sampled_from("hdloinfurntps:/.10"),
        st.characters(exclude_categories=[]),
    ),
    max_size=30,
)
"""Any text, including lone surrogates, controls and unassigned characters."""

PIECES = (
    *("hdl:", "HDL:", "doi:", "DOI: ", "info:hdl/", "info:doi/", "urn:hdl:"),
    *("urn:doi:", "https://doi.org/", "http://dx.doi.org/", "doi.org/"),
    *("https://hdl.handle.net/", "hdl.handle.net/", "http://resolver.net.au/hdl/"),
    *("https://", "http:", "//", "://", "/", "//190.12.34.56/", "//[::1]:2641/"),
    *("10.1000/", "10.1/x", "20.1000/100", "cnri.test/", "10/", "300:", "jis@"),
    *("latin1@", "utf-8@", "@", "%", "%2F", "%C3%A9", "%FF", "%07", "%E6%97%A5"),
    *("(", ")", "[", "]", "{", "}", "<", ">", "<1:2>", "*", "_", "~", "**"),
    *(".", ",", ";", ":", "!", "?", "#", "'", '"', "’", "»", "…", "\\", "|", "&"),
    *(" ", "\n", "\t", "\xa0", "\u200b", "\u3000", "\ufeff", "\x00", "\ud800"),
    *("見", "é", "，", "：", "ſ", "ı", "x", "1", "a.b"),
)

reference_like = st.lists(
    st.one_of(st.sampled_from(PIECES), st.sampled_from(DIFFICULT_HANDLES), any_text),
    max_size=8,
).map("".join)
"""Texts made of the pieces of references, mostly malformed."""


_NEARLY_COMMON = (
    *("doi:", "10.1/x", "hdl:20.1000/100", "https://doi.org/", "doi.org/10.1/a"),
    *("info:hdl/1/x", "INFO:doi/", "urn:doi:", "http://HDL.handle.net/1887/4"),
    *("https://example.org/", "http://resolver.net.au/hdl/", "1:", "@", "%2F"),
    *("(SICI)", "<199:AID>", "<a>", ":b", ";2", "[^", "[", "]", "}"),
    *("https://", "a", "A1", ".", "..", "_", "-", "/", ",", ":", "?", " ", "\n"),
    *("<", ">", "*", "~"),
    *("(", ")", "é", "日", "\u200b", "’"),
)

nearly_common = st.lists(st.sampled_from(_NEARLY_COMMON), max_size=8).map("".join)
"""Texts with and almost with references of the common kind."""


@st.composite
def percent_encoded(draw: st.DrawFn, text: str) -> str:
    """The text percent-encoded, more than necessary, in either case."""
    escaped = []
    for character in text:
        must = not character.isalnum() and character not in "-._~!$()*,;=:@/"
        must = must or (character in SURROUNDING_SPACE)
        if must or draw(st.integers(0, 5)) == 0:
            form = draw(st.sampled_from(["%{:02X}", "%{:02x}"]))
            escaped += [form.format(octet) for octet in character.encode()]
        else:
            escaped.append(character)
    return "".join(escaped)


@st.composite
def written_references(draw: st.DrawFn) -> tuple[str, Handle]:
    """A handle as a URI in one of its forms, and the handle."""
    # A proxy has pages of its own at these.
    handle = draw(handles.filter(lambda handle: handle.prefix not in OWN_PAGES))
    prefix = draw(percent_encoded(handle.prefix))
    suffix = draw(percent_encoded(handle.suffix))
    slash = draw(st.sampled_from(["/", "/", "%2F", "%2f"]))
    schemes = ["hdl:", "HDL:", "hdl:/", "info:hdl/", "urn:hdl:", "Info:HDL/"]
    schemes += ["hdl://190.12.34.56/", "hdl://h.example.org:2641/", "hdl:300:"]
    if handle.is_doi:
        schemes += ["doi:", "DOI:", "info:doi/", "urn:doi:"]
        schemes += ["https://doi.org/", "HTTP://DX.DOI.ORG:80/", "//www.doi.org/"]
    schemes += ["https://hdl.handle.net/", "http://hdl.loc.gov/"]
    schemes += ["https://hdl.handle.net:443/", "http://resolver.net.au/hdl/"]
    scheme = draw(st.sampled_from(schemes))
    query = draw(st.sampled_from(["", "?noredirect", "?urlappend=%3Ba=1", "?", "?a b"]))
    fragment = draw(st.sampled_from(["", "#s2", "#", "#é"]))
    return f"{scheme}{prefix}{slash}{suffix}{query}{fragment}", handle


sentences = st.sampled_from(
    [
        "",
        "See ",
        "see also\n",
        "(a, b) and [c] ",
        "Ratio 3:4, at 10:30; ",
        "an open ( bracket ",
        "HDL:LDL/TC of 3.1 ",
        "https://example.org/10.1000/1?x=doi:10.1/y ",
        "日本語、",
        "2 < 3 ",
        "snake_case and a * b ",
    ]
)
"""Texts that do not change a reference beside them."""
