"""Reading a citation from a page's metadata.

A page says the same as the directive says, under the same names: in a field
list of reStructuredText, or in the front matter of MyST and Markdown::

    :cite-title: Handle Suffix Format Policy          ---
    :cite-version: 1.0                                cite-title: Handle Suffix …
    :cite-handle: 102.100.272/0N8J991QH               cite-version: "1.0"
                                                      ---

``cite-versions`` is the directive's body: the version history, a line each.  In
front matter a list is as good as lines, and a table ``cite`` as good as names
that begin with it.  A number is refused: YAML has read ``1.10`` as 1.1 already.
"""

import datetime as dt
import json
from collections.abc import Iterator, Mapping
from dataclasses import dataclass, field

from handle_system.citing.options import FLAG_OPTIONS, TEXT_OPTIONS
from handle_system.citing.source import SOURCE_OPTION
from handle_system.citing.values import CitationError
from handle_system.citing.yaml import load_yaml

__all__ = ["PageCitation", "read_front_matter", "read_page"]

_PREFIX = "cite-"
_TABLE = "cite"
_HISTORY = "versions"
_NAMES = (SOURCE_OPTION, *TEXT_OPTIONS, *FLAG_OPTIONS, _HISTORY)
# How a list is written in a line, by option; elsewhere a list is an error.
_JOINTS = {"creators": "; ", "formats": " ", _HISTORY: "\n"}


@dataclass(frozen=True, slots=True, kw_only=True)
class PageCitation:
    """What a page says, as `read_options` takes it.

    Attributes:
        options: Text by option; a directive's own options go before these.
        body: The lines of the version history, unnumbered: a page's metadata
            have lost their lines.
        places: What errors call each option.
        source: The file that describes the work, as it is written.
    """

    options: Mapping[str, str] = field(default_factory=dict)
    body: tuple[tuple[None, str], ...] = ()
    places: Mapping[str, str] = field(default_factory=dict)
    source: str | None = None

    @property
    def label(self) -> str | None:
        """Which version the page says that it is."""
        return self.options.get("version")


def read_page(metadata: Mapping[str, object]) -> PageCitation:
    """What a page's metadata say about citing it; other metadata are passed over.

    Raises:
        CitationError: when a value is no text, or a name beginning with
            ``cite-`` is no option.
    """
    options: dict[str, str] = {}
    places: dict[str, str] = {}
    lines: list[str] = []
    source = None
    for place, name, value in _entries(metadata):
        if name not in _NAMES:
            raise CitationError(
                f"no such option; there are {', '.join(_NAMES)}", where=place
            )
        text = _text(value, name, place)
        if name == _HISTORY:
            lines += text.splitlines()
        elif name == SOURCE_OPTION:
            source = text
        else:
            options[name] = text
            places[name] = place
    return PageCitation(
        options=options,
        body=tuple((None, line) for line in lines),
        places=places,
        source=source,
    )


def read_front_matter(text: str) -> Mapping[str, object]:
    """A page's metadata from its front matter, which is YAML.

    Front matter that is no table has none, and what does not speak of citing is
    not read at all.

    Raises:
        CitationError: when it speaks of citing and is no YAML.
    """
    if _TABLE not in text:
        return {}
    try:
        loaded = load_yaml(text, "front matter", is_typed=True)
    except CitationError as error:
        raise CitationError(
            error.reason, where="front matter", line=error.line
        ) from error
    if not isinstance(loaded, dict):
        return {}
    return {key: value for key, value in loaded.items() if isinstance(key, str)}


def _entries(metadata: Mapping[str, object]) -> Iterator[tuple[str, str, object]]:
    table = _plain(metadata.get(_TABLE))
    if isinstance(table, dict):
        for name, value in table.items():
            yield f"{_TABLE}.{name}", str(name), value
    for key, value in metadata.items():
        if key.startswith(_PREFIX):
            yield key, key.removeprefix(_PREFIX), value


def _plain(value: object) -> object:
    """The value; what MyST-Parser has written as JSON for Sphinx, read again."""
    if isinstance(value, str) and value[:1] in {"{", "["}:
        try:
            return json.loads(value)
        except (ValueError, RecursionError):
            return value
    return value


def _text(value: object, name: str, place: str) -> str:
    # A creator's name may stand in braces, and is no JSON then.
    plain = _plain(value) if name in _JOINTS else value
    match plain:
        case str():
            return plain
        case None:
            return ""
        case bool():
            return "yes" if plain else "no"
        case int() | float():
            raise CitationError(
                f'text is expected here, not a number: write "{plain}" in quotes',
                where=place,
            )
        case dt.date() if not isinstance(plain, dt.datetime):
            return plain.isoformat()
        case list() if name in _JOINTS:
            return _JOINTS[name].join(
                _text(element, "", f"{place}[{index}]")
                for index, element in enumerate(plain)
            )
    raise CitationError("text is expected here", where=place)
