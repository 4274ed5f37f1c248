"""What a reader sees of a reference: its text, and what hovering tells."""

from typing import Literal, assert_never

from handle_system.proxies import Proxies, link_at
from handle_system.reference import HandleReference, reference_or_none

__all__ = ["DisplayStyle", "anchor", "hover", "shown", "shows"]

#: ``uri``: the scheme and the handle; ``url``: the link; ``handle``: it alone.
DisplayStyle = Literal["uri", "url", "handle"]


def shown(
    reference: HandleReference, proxies: Proxies, style: DisplayStyle = "uri"
) -> str:
    """The text of a reference that has none of its own.

    The handle is spelled as its author did, not percent-encoded: it is there to
    be read.

    >>> from handle_system.proxies import DEFAULT_PROXIES
    >>> shown(HandleReference.parse("10.1000/a<b"), DEFAULT_PROXIES)
    'doi:10.1000/a<b'
    """
    match style:
        case "uri":
            scheme = "doi" if reference.handle.is_doi else "hdl"
            return f"{scheme}:{reference.handle}"
        case "url":
            return proxies.link(reference)
        case "handle":
            return str(reference.handle)
        case _:
            assert_never(style)


def shows(text: str, reference: HandleReference, proxies: Proxies) -> bool:
    """Whether a text is the identifier itself, in any form, and no title.

    >>> from handle_system.proxies import DEFAULT_PROXIES
    >>> reference = HandleReference.parse("hdl:20.1000/100")
    >>> [shows(text, reference, DEFAULT_PROXIES) for text in ("20.1000/100", "here")]
    [True, False]
    """
    told = reference_or_none(text, proxies)
    return told is not None and told.handle == reference.handle


def anchor(reference: HandleReference, proxies: Proxies) -> tuple[str, str, str, bool]:
    """All that the element of a link tells, at half the price of its parts.

    These are the link; what hovering tells, as `hover` gives it; the handle's text; and
    whether that is a DOI.

    >>> from handle_system.proxies import DEFAULT_PROXIES
    >>> anchor(HandleReference.parse("hdl:/20.1000/1"), DEFAULT_PROXIES)
    ('https://hdl.handle.net/20.1000/1', 'hdl:20.1000/1 (hdl.handle.net)', '20.1000/1', False)
    """
    handle = reference.handle
    is_doi = handle.is_doi
    base = proxies.base_of(handle)
    text = str(handle)
    title = _title(text, proxies.name_of[base], is_doi)
    return link_at(base, text, reference), title, text, is_doi


def hover(reference: HandleReference, proxies: Proxies) -> str:
    """The title of a link: which identifier, and which proxy resolves it.

    >>> from handle_system.proxies import DEFAULT_PROXIES
    >>> hover(HandleReference.parse("hdl:/20.1000/100"), DEFAULT_PROXIES)
    'hdl:20.1000/100 (hdl.handle.net)'
    """
    handle = reference.handle
    name = proxies.name_of[proxies.base_of(handle)]
    return _title(str(handle), name, handle.is_doi)


def _title(handle: str, proxy: str, is_doi: bool) -> str:  # noqa: FBT001 - a part, not a switch
    return f"doi:{handle} ({proxy})" if is_doi else f"hdl:{handle} ({proxy})"
