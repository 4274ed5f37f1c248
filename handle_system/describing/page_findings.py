"""What is said about the works of a page or a project, when all references are found."""

from collections.abc import Iterable, Sequence
from typing import TYPE_CHECKING

from handle_system.describing.findings import (
    findings_about_undescribed_works,
    findings_about_works,
)
from handle_system.describing.page_settings import PageSettings
from handle_system.describing.references import References
from handle_system.findings.finding import Finding, Place
from handle_system.found import Found
from handle_system.reference import HandleReference

if TYPE_CHECKING:
    from handle_system.handle import Handle
    from handle_system.text_beside import TextBeside

__all__ = ["findings_about_cited_works"]


def findings_about_cited_works(
    found: Iterable[tuple[Found, bool]], works: References, settings: PageSettings
) -> list[Finding]:
    """What became of the works, which of them nobody describes, and which are not meant.

    Args:
        found: The references at their places, in the order of their files, and whether
            each cites its work, or a list shows it.
        works: The works that files describe.
        settings: What is said about works.
    """
    places: dict[Handle, list[Place]] = {}
    cited: dict[Handle, list[Place]] = {}
    texts: list[tuple[Handle, Place, TextBeside]] = []
    # One spelling stands for all that name the same.
    spellings: dict[str, Handle] = {}
    for one, is_cited in found:
        if not isinstance(one.reference, HandleReference):
            continue
        own = one.reference.handle
        handle = spellings.setdefault(settings.key(own), own)
        places.setdefault(handle, []).append(one.place)
        if is_cited and own not in settings.reserved:
            cited.setdefault(handle, []).append(one.place)
        if one.beside is not None:
            texts.append((handle, one.place, one.beside))
    findings = findings_about_works(
        places, works, settings.files, proxies=settings.proxies
    )
    if settings.is_complete:
        findings += findings_about_undescribed_works(
            cited, works, settings.update_command
        )
    return findings + _findings_about_texts(texts, works)


def _findings_about_texts(
    texts: "Sequence[tuple[Handle, Place, TextBeside]]", works: References
) -> list[Finding]:
    """The findings about texts that name other works than their identifiers."""
    if not texts:
        return []
    # Most pages have no such texts, and need nothing that compares them.
    from handle_system.describing.cited_texts import (  # noqa: PLC0415 (as it says)
        CitedText,
        findings_about_texts,
    )

    return findings_about_texts(map(CitedText._make, texts), works)
