"""The written forms of a handle, in one table.

What recognises a form anywhere is made of its row: where a reference starts in running
text, which text is worth looking at, what a link's target says it is, which schemes a
handle does not begin with.
"""

import re
from collections.abc import Callable
from dataclasses import dataclass
from enum import StrEnum

__all__ = [
    "ANY_PATH",
    "FORMS",
    "FORM_OPENING",
    "HEADS",
    "WORDS",
    "ReferenceForm",
    "WrittenForm",
]

#: The longest handle that the reference server takes.
MAX_OCTETS = 2048


class ReferenceForm(StrEnum):
    """The ways in which a handle is written."""

    BARE = "bare"
    """The handle itself: ``10.1045/april2006-paskin``. Nothing is decoded."""
    VALUE = "value"
    """One value of it, index first: ``300:0.NA/10``."""
    HDL = "hdl"
    """``hdl:…``, ``hdl:/…`` and ``hdl://…`` (seeds 001 to 004)."""
    INFO = "info"
    """``info:hdl/…`` and ``info:doi/…`` (seed 003, RFC 4452)."""
    URN = "urn"
    """``urn:hdl:…`` and ``urn:doi:…``, which the public proxy accepts."""
    DOI = "doi"
    """``doi:10.…``."""
    PROXY = "proxy"
    """A proxy's URL, and ``doi.org/10.…`` without a scheme."""


# A prefix holds no ":" and no "/", which also bounds how far this looks; it is atomic and
# has an end, for each repetition takes memory.
_PREFIX = rf"(?P<prefix>(?>(?:[^\s:/%\"]++|%(?!2[Ff])){{1,{MAX_OCTETS}}}))"
_SLASH = "(?:/|%2[Ff])"
#: A prefix and the slash behind it.
ANY_PATH = f"{_PREFIX}{_SLASH}"


@dataclass(frozen=True, slots=True, kw_only=True)
class WrittenForm:
    """One row: how a reference of a form begins.

    Attributes:
        form: The form.
        opening: What it begins with, in lower case, up to a colon or a slash.
        after: A pattern of what may stand between that and its path.
        doi_only: Whether only a DOI may follow.
        in_text: A pattern of what has to follow in running text, up to the slash in the
            handle, with a group ``prefix``.
        counts: Whether a prefix counts in running text.
        base: Where its link leads, if that is no proxy of handles.
    """

    form: ReferenceForm
    opening: str
    after: str = ""
    doi_only: bool = False
    in_text: str = ANY_PATH
    counts: Callable[[str], object] = bool
    base: str = ""

    @property
    def head(self) -> str:
        """The scheme."""
        return self.opening.partition(":")[0]


_NUMBER = r"(?:[ \xa0](?=[0-9]))?"
_HDL_PATH = (
    r"(?:[ \xa0](?=[0-9]))?"
    r"(?://\[[0-9A-Fa-f:.]*\](?::[0-9]+)?/|//[0-9A-Za-z.-]+:[0-9]+/|/{0,3})"
    rf"(?:[0-9]{{1,10}}:)?{_PREFIX}{_SLASH}"
)
_DOI_PATH = rf"[ \xa0]?(?:[0-9A-Za-z_.-]++@)?(?=10[./%]){_PREFIX}{_SLASH}"
# In a URN, the first ":" may stand for the slash.
_URN_PATH = rf"{_PREFIX}(?:[:/]|%2[Ff])"
# The prefixes of handles in use hold a digit or a dot: HDL:LDL is none.
_DIGIT_OR_DOT = re.compile("[0-9.]").search

FORMS = (
    WrittenForm(
        form=ReferenceForm.HDL,
        opening="hdl:",
        after=_NUMBER,
        in_text=_HDL_PATH,
        counts=_DIGIT_OR_DOT,
    ),
    WrittenForm(
        form=ReferenceForm.DOI,
        opening="doi:",
        after=_NUMBER,
        doi_only=True,
        in_text=_DOI_PATH,
    ),
    WrittenForm(form=ReferenceForm.INFO, opening="info:hdl/"),
    WrittenForm(form=ReferenceForm.INFO, opening="info:doi/", doi_only=True),
    WrittenForm(form=ReferenceForm.URN, opening="urn:hdl:", in_text=_URN_PATH),
    WrittenForm(
        form=ReferenceForm.URN, opening="urn:doi:", doi_only=True, in_text=_URN_PATH
    ),
)

#: The schemes of the forms.
HEADS = tuple(dict.fromkeys(row.head for row in FORMS))
#: Every reference that is no URL has one of these words; escapes may hide the rest.
WORDS = tuple(dict.fromkeys(re.findall("[a-z]+", row.opening)[-1] for row in FORMS))
#: A pattern of how a reference begins.
FORM_OPENING = "|".join(re.escape(row.opening) for row in FORMS)
