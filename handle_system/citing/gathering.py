"""A page's citation from all of its sources at once.

The four sources are a directive, the page's metadata, a file of works
(`citing.source`), and the configuration; the nearest to the reader wins, value
by value.  Every front end asks here, so that one page has one citation in
whatever syntax it is written.
"""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field, replace

from handle_system.citing.block import Display
from handle_system.citing.label import SaidLabels
from handle_system.citing.options import (
    FLAG_OPTIONS,
    TEXT_OPTIONS,
    CitationContext,
    CitationRequest,
    read_options,
)
from handle_system.citing.page import read_page
from handle_system.citing.source import SOURCE_OPTION, SourceName
from handle_system.citing.values import CitationError, Reading
from handle_system.citing.work import Work

__all__ = [
    "DIRECTIVE_OPTIONS",
    "EXAMPLE_OPTION",
    "Surroundings",
    "gather_citation",
    "named_source",
]

#: A flag: the block is only shown, and its page is no version of the work.
EXAMPLE_OPTION = "example"
#: Every option of the directive.
DIRECTIVE_OPTIONS = (SOURCE_OPTION, *TEXT_OPTIONS, *FLAG_OPTIONS, EXAMPLE_OPTION)


@dataclass(frozen=True, slots=True, kw_only=True)
class Surroundings:
    """What is known of a page beside its directive.

    Attributes:
        metadata: The page's metadata: its field list, or its front matter.
        work: The work as a file gives it.
        said: Which version this is, by places further off than the page.
        display: What the configuration shows on every page.
        reading: How handles are read.
    """

    metadata: Mapping[str, object] = field(default_factory=dict)
    work: Work | None = None
    said: SaidLabels = field(default_factory=SaidLabels)
    display: Display = field(default_factory=Display)
    reading: Reading = field(default_factory=Reading)


def gather_citation(
    options: Mapping[str, str | None],
    body: Sequence[tuple[int | None, str]],
    around: Surroundings,
) -> CitationRequest:
    """The citation of a page.

    Args:
        options: The directive's options; none, for a page without one.
        body: The directive's numbered lines; without any, the page's metadata
            give the history.
        around: What else is known.

    Raises:
        CitationError: where a source does not say what it should; its place is
            named as that source has it.
    """
    page = read_page(around.metadata)
    _check_names(options)
    options = {
        name: options[name]
        for name in options
        if name not in {SOURCE_OPTION, EXAMPLE_OPTION}
    }
    nearer = {name: options[name] for name in options if name in page.places}
    places = {name: page.places[name] for name in page.places if name not in nearer}
    own_body = [(line, text) for line, text in body if text.strip()]
    return read_options(
        {**page.options, **options},
        own_body or page.body,
        CitationContext(
            work=around.work,
            said=replace(around.said, page=page.label),
            display=around.display,
            reading=around.reading,
            places=places,
        ),
    )


def named_source(
    options: Mapping[str, str | None],
    metadata: Mapping[str, object],
    configured: str | None = None,
) -> SourceName | None:
    """The file that describes the work: the directive's, the page's, or the site's.

    The first two are relative to the page, the last to wherever its front end
    says.  `SourceName.is_configured` tells them apart.

    Raises:
        CitationError: when the page's metadata are no citation.
    """
    nearer = options.get(SOURCE_OPTION) or read_page(metadata).source
    if nearer and nearer.strip():
        return SourceName.parse(nearer)
    if configured and configured.strip():
        return replace(SourceName.parse(configured), is_configured=True)
    return None


def _check_names(options: Mapping[str, str | None]) -> None:
    for name in options:
        if name not in DIRECTIVE_OPTIONS:
            raise CitationError(
                f"no such option; there are {', '.join(DIRECTIVE_OPTIONS)}",
                where=f":{name}:",
            )
