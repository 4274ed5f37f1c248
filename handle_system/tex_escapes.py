r"""What TeX makes of the escapes in an address.

Databases write ``10.1000/a\_b``, and some ``10.1000/a{\_}b``, for what stands in
``doi`` and ``url`` is typeset by some styles as it is.  Who takes such a field for
the address itself gets a link that leads nowhere.
"""

import re

__all__ = ["without_tex_escapes"]

_ESCAPE = re.compile(r"\{\\([_%&#$])\}|\\([_%&#${}])")


def without_tex_escapes(text: str) -> str:
    r"""The text with TeX's escapes of single characters read.

    >>> without_tex_escapes(r"10.1000/a\_b{\_}c")
    '10.1000/a_b_c'
    """
    if "\\" not in text:
        return text
    return _ESCAPE.sub(lambda found: found[1] or found[2], text)
