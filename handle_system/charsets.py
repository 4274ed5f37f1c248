"""The character sets that a reference's octets may be in (seed 004, section 3).

An explicit table: Python's own registry also holds things that are no charset
of a document (``punycode``, ``unicode_escape``, ``rot13``), and one that hides
ASCII in other octets (``utf-7``), which would let a reference look like another
handle than the one it names.  UTF-16 and UTF-32 are left out for a plainer
reason: their octets hold NUL, which no URI carries.
"""

__all__ = ["charset_named"]

# Python codec: names under which documents declare it (IANA's preferred name
# and aliases, lower case, "_" and " " written "-").
_NAMES_OF_CODEC = {
    "utf-8": ("utf-8", "utf8", "csutf8", "utf-8-sig", "unicode-1-1-utf-8"),
    "ascii": ("us-ascii", "ascii", "ansi-x3.4-1968", "iso646-us", "iso-ir-6"),
    "iso8859-1": ("iso-8859-1", "latin1", "latin-1", "l1", "iso8859-1", "cp819"),
    "iso8859-2": ("iso-8859-2", "latin2", "latin-2", "l2", "iso8859-2"),
    "iso8859-3": ("iso-8859-3", "latin3", "latin-3", "l3", "iso8859-3"),
    "iso8859-4": ("iso-8859-4", "latin4", "latin-4", "l4", "iso8859-4"),
    "iso8859-5": ("iso-8859-5", "cyrillic", "iso8859-5"),
    "iso8859-6": ("iso-8859-6", "arabic", "ecma-114", "asmo-708", "iso8859-6"),
    "iso8859-7": ("iso-8859-7", "greek", "greek8", "ecma-118", "iso8859-7"),
    "iso8859-8": ("iso-8859-8", "hebrew", "iso8859-8", "iso-8859-8-i"),
    "iso8859-9": ("iso-8859-9", "latin5", "latin-5", "l5", "iso8859-9"),
    "iso8859-10": ("iso-8859-10", "latin6", "latin-6", "l6", "iso8859-10"),
    "iso8859-11": ("iso-8859-11", "iso8859-11"),
    "iso8859-13": ("iso-8859-13", "iso8859-13"),
    "iso8859-14": ("iso-8859-14", "latin8", "latin-8", "l8", "iso8859-14"),
    "iso8859-15": ("iso-8859-15", "latin9", "latin-9", "l9", "iso8859-15"),
    "iso8859-16": ("iso-8859-16", "latin10", "latin-10", "l10", "iso8859-16"),
    "cp874": ("windows-874", "cp874", "dos-874"),
    "tis-620": ("tis-620", "tis620"),
    "cp1250": ("windows-1250", "cp1250", "x-cp1250"),
    "cp1251": ("windows-1251", "cp1251", "x-cp1251"),
    "cp1252": ("windows-1252", "cp1252", "x-cp1252"),
    "cp1253": ("windows-1253", "cp1253", "x-cp1253"),
    "cp1254": ("windows-1254", "cp1254", "x-cp1254"),
    "cp1255": ("windows-1255", "cp1255", "x-cp1255"),
    "cp1256": ("windows-1256", "cp1256", "x-cp1256"),
    "cp1257": ("windows-1257", "cp1257", "x-cp1257"),
    "cp1258": ("windows-1258", "cp1258", "x-cp1258"),
    "cp437": ("ibm437", "cp437"),
    "cp850": ("ibm850", "cp850"),
    "cp852": ("ibm852", "cp852"),
    "cp866": ("ibm866", "cp866"),
    "koi8-r": ("koi8-r", "koi8r", "koi"),
    "koi8-u": ("koi8-u", "koi8u"),
    "mac-roman": ("macintosh", "mac", "x-mac-roman"),
    "mac-cyrillic": ("x-mac-cyrillic",),
    "shift-jis": ("shift-jis", "sjis", "x-sjis", "ms-kanji"),
    "cp932": ("windows-31j", "cp932", "ms932"),
    "euc-jp": ("euc-jp", "x-euc-jp", "eucjp"),
    # "jis" is seed 004's own example, `hdl:jis@cnri.test/…`.
    "iso2022-jp": ("iso-2022-jp", "jis", "iso2022-jp"),
    "iso2022-jp-2": ("iso-2022-jp-2", "iso2022-jp-2"),
    "gb2312": ("gb2312", "euc-cn", "gb-2312-80", "x-gb2312"),
    "gbk": ("gbk", "cp936", "windows-936", "x-gbk"),
    "gb18030": ("gb18030",),
    "hz": ("hz-gb-2312", "hz"),
    "big5": ("big5", "big-5", "x-x-big5"),
    "big5hkscs": ("big5-hkscs", "big5hkscs"),
    "cp950": ("cp950", "windows-950"),
    "euc-kr": ("euc-kr", "euckr", "ks-c-5601-1987", "korean"),
    "cp949": ("cp949", "windows-949", "uhc"),
    "iso2022-kr": ("iso-2022-kr", "iso2022-kr"),
}

_CODEC_OF_NAME = {
    name: codec for codec, names in _NAMES_OF_CODEC.items() for name in names
}
_LONGEST_NAME = max(map(len, _CODEC_OF_NAME))


def charset_named(name: str) -> str | None:
    """The Python codec for a charset's name in any letter case, or `None`.

    >>> charset_named("JIS"), charset_named("Shift_JIS"), charset_named("punycode")
    ('iso2022-jp', 'shift-jis', None)
    """
    if len(name) > _LONGEST_NAME:
        return None
    return _CODEC_OF_NAME.get(name.lower().replace("_", "-").replace(" ", "-"))
