"""From sources to a citation: merge, decide which version it is, validate, check.

The front ends call `citation` with every source that they have, the one nearest
to the reader first: the directive, the page's metadata, the works file, the
configuration. So a page has one citation in whatever syntax it is written.
"""

import re
from collections.abc import Callable, Mapping, Sequence
from dataclasses import replace
from typing import TypeVar

from handle_system.citing.checks import check_work
from handle_system.citing.citation import Citation, CitationProblem, Display
from handle_system.citing.documents import Plain
from handle_system.citing.fields import (
    NOT_YET_ASSIGNED,
    CitationError,
    HandleReader,
    one_line,
    yes_or_no,
)
from handle_system.citing.sources import Place, Source
from handle_system.citing.structure import structure
from handle_system.citing.work import Version, Work, covers

__all__ = ["citation", "read_work"]

T = TypeVar("T")

_EXAMPLE = "example"
_THIS = "this."
_SHOW = "show."
_HINTS = ("release", "read_the_docs")


def citation(
    sources: Sequence[Source],
    reader: HandleReader | None = None,
    *,
    release: str | None = None,
) -> Citation:
    """The citation that sources give together.

    Args:
        sources: The sources, the nearest to the reader first; each value is taken
            from the first source that has it.
        reader: How handles are read.
        release: The release that the version must match, if the page speaks for
            the whole of what is released.

    Returns:
        The citation; its problems are the faults that do not keep a card from
        being shown.

    Raises:
        CitationError: if a value is wrong, or if no source gives a title or a
            version; it has the place of the value in its own source.
    """
    reader = reader or HandleReader()
    merged = _Merged(sources, reader)
    work = merged.work()
    label = _label(work, merged)
    known = work.version(label)
    own = merged.structured(Version, _THIS, {"label": known.label if known else label})
    given = merged.below(_THIS)
    this = known or own
    for name in given.keys() - {"label"}:
        if known:
            merged.check_agreement(name, known, own)
        this = replace(this, **{name: getattr(own, name)})
    if given.keys() - {"label", "url"} or not work.versions or known:
        work = work.with_version(this)
    # A flag without text is on.
    is_off = merged.read(_EXAMPLE, yes_or_no) is False
    is_example = _EXAMPLE in merged.values and not is_off
    made = Citation(
        work=work,
        version=this,
        proxies=reader.proxies,
        display=merged.structured(Display, _SHOW),
        is_example=is_example,
    )
    problems = (
        ()
        if is_example
        else check_work(work, this, release=release, toml_file=merged.toml_file)
    )
    return replace(made, problems=tuple(merged.located(each) for each in problems))


def read_work(source: Source, reader: HandleReader | None = None) -> Work:
    """The work that one source describes, with its history.

    Raises:
        CitationError: if a value is wrong, or there is no title.
    """
    return _Merged([source], reader or HandleReader()).work()


class _Merged:
    """The values of all sources, and the source of each value."""

    def __init__(self, sources: Sequence[Source], reader: HandleReader) -> None:
        self.values: dict[str, Plain] = {}
        self._origins: dict[str, Source] = {}
        self._reader = reader
        self._sources = sources
        for source in reversed(sources):
            self.values.update(source.values)
            self._origins.update(dict.fromkeys(source.values, source))

    @property
    def toml_file(self) -> str | None:
        """The TOML file that holds the history, if one does."""
        origin = self._origins.get("versions") or self._origins.get("title")
        return origin.toml_file if origin else None

    def work(self) -> Work:
        """The work with the history as it is listed."""
        if not self.values.get("title"):
            raise self._error("title", "a work needs a title, and no source gives one")
        return self.structured(Work, "")

    def below(self, prefix: str) -> dict[str, Plain]:
        """The values whose names begin so; without a prefix, those of the work."""
        return {
            name.removeprefix(prefix): value
            for name, value in self.values.items()
            if (name.startswith(prefix) and prefix)
            or not (prefix or "." in name or name in {_EXAMPLE, *_HINTS})
        }

    def structured(
        self, kind: type[T], prefix: str, also: Mapping[str, Plain] | None = None
    ) -> T:
        """A value of the core, of the values below a prefix."""
        try:
            return structure(kind, {**self.below(prefix), **(also or {})}, self._reader)
        except CitationError as error:
            raise self._error(f"{prefix}{error.where}", error.reason) from error

    def read(self, name: str, reader: Callable[[str], T]) -> T | None:
        """The text of a name as a reader makes it a value; `None` if it is empty."""
        written = str(self.values.get(name, "")).strip()
        try:
            return reader(written) if written else None
        except ValueError as error:
            raise self._error(name, str(error)) from error

    def check_agreement(self, name: str, row: Version, own: Version) -> None:
        """Options beside a row of the same source must not contradict it."""
        written, said = getattr(row, name), getattr(own, name)
        source = self._origins[f"{_THIS}{name}"]
        if written and written != said and source is self._origins["versions"]:
            raise self._error(
                f"{_THIS}{name}",
                f"{said or NOT_YET_ASSIGNED[0]}, but the row of version {row.label} "
                f"says {written}",
            )

    def located(self, problem: CitationProblem) -> CitationProblem:
        """A problem with the line of its version in the history."""
        source = self._origins.get("versions")
        rows = self.values.get("versions", ())
        for index, row in enumerate(rows if source else ()):
            if isinstance(row, dict) and row.get("label") == problem.version:
                line = source.place(f"versions[{index}]").line if source else None
                return replace(problem, line=line)
        return problem

    def _error(self, path: str, reason: str) -> CitationError:
        for name, source in self._origins.items():
            if re.match(rf"{re.escape(name)}(?![^.\[])", path):
                place = source.place(path)
                break
        else:
            # A missing value: the works file is the place for it, if there is one.
            files = [source for source in self._sources if "" in source.places]
            place = files[0].place(path) if files else Place(f":{path}:")
        return CitationError(reason, where=place.where, line=place.line)


def _label(work: Work, merged: _Merged) -> str:
    """The label of the version in hand; of those that do not name it, the best."""
    said = merged.read("this.label", one_line)
    if said:
        return said
    built = work.version(str(merged.values.get("read_the_docs", "")))
    if built:
        return built.label
    release = merged.read("release", one_line)
    if release:
        named = work.version(release)
        covering = [each for each in work.versions if covers(each.label, release)]
        nearest = max(covering, key=lambda each: each.label.count("."), default=None)
        meant = named or nearest
        return meant.label if meant else release
    if work.latest:
        return work.latest.label
    raise CitationError(
        "no option, history or configuration says which version this is",
        where=":version:",
    )
