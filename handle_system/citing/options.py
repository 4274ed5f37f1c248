"""Reading a citation from a directive's options and body.

The directive is written the same in reStructuredText, MyST and Markdown; its
options arrive as text, its body as lines.  Every option is optional if another
source gives it (`CitationContext`): what is written here goes before what is
written there, value by value.

::

    .. cite-version::
       :title: Handle Suffix Format Policy
       :work: 102.100.272/Y35XYS0QH
       :version: 1.0
       :date: 2007-06-26
       :handle: 102.100.272/0N8J991QH
       :history:

The body, if there is one, is the version history, one version a line and the
oldest first, in the columns of PILIN's own tables (seed 002)::

    0.9 | 2007-05-25 | -                     | Draft for comment
    1.0 | 2007-06-26 | 102.100.272/0N8J991QH | Initial release to public

The options describe one of these versions, or one more.
"""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field, replace
from typing import NamedTuple

from handle_system.citing.block import Display
from handle_system.citing.history import HistoryLine, placed, read_history
from handle_system.citing.label import SaidLabels, choose_label
from handle_system.citing.people import read_creators
from handle_system.citing.values import (
    NOT_YET_ASSIGNED,
    CitationError,
    Reading,
    read_date,
    read_flag,
    read_formats,
    read_kind,
    read_language,
    read_license,
    read_line,
    read_url,
)
from handle_system.citing.work import Version, Work

__all__ = [
    "FLAG_OPTIONS",
    "TEXT_OPTIONS",
    "CitationContext",
    "CitationRequest",
    "read_options",
]

#: Options with a value.
TEXT_OPTIONS = (
    "title",
    "work",
    "version",
    "date",
    "handle",
    "changes",
    "creators",
    "publisher",
    "kind",
    "license",
    "language",
    "url",
    "formats",
)
#: Options that are on when they are written; ``no`` turns one off.
FLAG_OPTIONS = ("history", "uris", "reference")


@dataclass(frozen=True, slots=True, kw_only=True)
class CitationRequest:
    """What a directive asks for.

    Attributes:
        work: The work, with its history.
        this: The version in hand. It is not in the history when only its label
            is given and the history does not know that; see `check_work`.
        display: What is shown.
    """

    work: Work
    this: Version
    display: Display


@dataclass(frozen=True, slots=True, kw_only=True)
class CitationContext:
    """What a directive finds around it.

    Attributes:
        work: The work as another source gives it.
        label: Which version this is, if no option says so.
        said: What other places say of that, if `label` does not.
        display: What is shown anyway; an option adds to it, or turns it off.
        reading: How handles are read.
        places: What errors call an option that is written elsewhere than in the
            directive, by its name.
    """

    work: Work | None = None
    label: str | None = None
    said: SaidLabels = field(default_factory=SaidLabels)
    display: Display = field(default_factory=Display)
    reading: Reading = field(default_factory=Reading)
    places: Mapping[str, str] = field(default_factory=dict)


def read_options(
    options: Mapping[str, str | None],
    body: Sequence[tuple[int | None, str]] = (),
    context: CitationContext | None = None,
) -> CitationRequest:
    """Read the directive ``cite-version``.

    Args:
        options: Text by option name, without colons; a flag's may be `None`.
        body: The lines of the body, each with its number in the source, if known.
        context: What else is known.

    Raises:
        CitationError: where a value is not what it should be, where an option
            is unknown, and where title or version are given nowhere.
    """
    context = context or CitationContext()
    reading = context.reading
    known = {*TEXT_OPTIONS, *FLAG_OPTIONS}
    for name in options:
        if name not in known:
            raise CitationError(
                f"no such option; there are {', '.join((*TEXT_OPTIONS, *FLAG_OPTIONS))}",
                where=f":{name}:",
            )
    given = {
        name: _Given(options[name] or "", context.places.get(name, f":{name}:"))
        for name in options
    }
    rows = read_history(body, reading)
    work = _read_work(given, context.work, reading)
    if rows:
        work = replace(work, versions=tuple(row.version for row in rows))
    this = _read_this(given, work, rows, context)
    described = any(name in given for name in ("date", "handle", "changes"))
    if described or not work.versions or work.version(this.label) is not None:
        work = placed(this, work)
    return CitationRequest(
        work=work, this=this, display=_read_display(given, context.display)
    )


class _Given(NamedTuple):
    """What is written for an option, and where."""

    text: str
    place: str


def _read_work(
    given: Mapping[str, _Given], base: Work | None, reading: Reading
) -> Work:
    if base is None and "title" not in given:
        raise CitationError(
            "a work needs a title, and no other source gives one", where=":title:"
        )
    work = base or Work(title="-")
    if "title" in given:
        work = replace(work, title=read_line(*given["title"]))
    if "work" in given:
        work = replace(work, handle=reading.handle(*given["work"]))
    if "creators" in given:
        work = replace(work, creators=read_creators(*given["creators"]))
    if "publisher" in given:
        work = replace(work, publisher=read_line(*given["publisher"]))
    if "kind" in given:
        work = replace(work, kind=read_kind(*given["kind"]))
    if "language" in given:
        work = replace(work, language=read_language(*given["language"]))
    if "license" in given:
        work = replace(work, license=read_license(*given["license"]))
    return work


def _read_this(
    given: Mapping[str, _Given],
    work: Work,
    rows: tuple[HistoryLine, ...],
    context: CitationContext,
) -> Version:
    label = context.label or choose_label(work, context.said)
    if "version" in given:
        label = read_line(*given["version"])
    if label is None and work.latest is not None:
        label = work.latest.label
    if label is None:
        raise CitationError(
            "which version this is, nothing says: neither this option, "
            "nor a history, nor the configuration",
            where=":version:",
        )
    label = read_line(label, ":version:")
    known = work.version(label)
    this = known or Version(label=label)
    if "date" in given:
        this = replace(this, date=read_date(*given["date"]))
    if "handle" in given:
        this = replace(this, handle=context.reading.handle(*given["handle"]))
    if "changes" in given:
        this = replace(this, changes=read_line(*given["changes"]))
    if "url" in given:
        this = replace(this, url=read_url(*given["url"]))
    for row in rows:
        if row.version is known:
            _check_agreement(this, row, given)
    return this


def _check_agreement(
    this: Version, row: HistoryLine, given: Mapping[str, _Given]
) -> None:
    """Options and body stand side by side: they must not contradict each other."""
    for name, said, written in (
        ("date", this.date, row.version.date),
        ("handle", this.handle, row.version.handle),
        ("changes", this.changes, row.version.changes),
    ):
        if said != written and written not in {None, ""}:
            raise CitationError(
                f"{said or NOT_YET_ASSIGNED[0]}, but the row of version "
                f"{row.version.label} "
                f"says {written}",
                where=given[name].place,
                line=row.line,
            )


def _read_display(given: Mapping[str, _Given], display: Display) -> Display:
    flags = {name: read_flag(*given[name]) for name in FLAG_OPTIONS if name in given}
    formats = display.formats
    if "formats" in given:
        formats = read_formats(*given["formats"])
    return Display(
        history=flags.get("history", display.history),
        uris=flags.get("uris", display.uris),
        reference=flags.get("reference", display.reference),
        formats=formats,
    )
