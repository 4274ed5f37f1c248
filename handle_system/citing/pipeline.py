"""From sources to a citation: merge, decide which version it is, validate, check.

The front ends call `citation` with every source that they have, the one nearest
to the reader first: the directive, the page's metadata, the works file, the
configuration. So a page has one citation in whatever syntax it is written.
"""

import re
from collections.abc import Mapping, Sequence
from dataclasses import replace
from typing import TypeVar

from handle_system.citing.checks import check_work
from handle_system.citing.citation import Citation, CitationProblem, Display
from handle_system.citing.documents import Plain
from handle_system.citing.fields import (
    CitationError,
    HandleReader,
    one_line,
)
from handle_system.citing.sources import Place, Source
from handle_system.citing.structure import structure
from handle_system.citing.work import Version, Work, covers

__all__ = ["citation", "read_work"]

T = TypeVar("T")

_THIS = "this."
_SHOW = "show."


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
    listed = merged.work()
    label = _label(listed, merged)
    known = listed.version(label)
    given = merged.below(_THIS).keys() - {"label"}
    this = merged.structured(Version, _THIS, {"label": known.label if known else label})
    if known:
        this = replace(known, **{name: getattr(this, name) for name in given})
    is_listed = known or given - {"url"} or not listed.versions
    made = Citation(
        work=listed.with_version(this) if is_listed else listed,
        version=this,
        proxies=reader.proxies,
        display=merged.structured(Display, _SHOW),
    )
    if made.display.example:
        return made
    problems = check_work(made.work, this, release=release, toml_file=merged.toml_file)
    located = (merged.located(each, listed.versions) for each in problems)
    return replace(made, problems=tuple(located))


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
            if (name.startswith(prefix) if prefix else "." not in name)
        }

    def structured(
        self, kind: type[T], prefix: str, also: Mapping[str, Plain] | None = None
    ) -> T:
        """A value of the core, of the values below a prefix."""
        try:
            return structure(kind, {**self.below(prefix), **(also or {})}, self._reader)
        except CitationError as error:
            raise self._error(f"{prefix}{error.where}", error.reason) from error

    def read(self, name: str) -> str:
        """The text of a name on one line, or nothing."""
        written = str(self.values.get(name, "")).strip()
        try:
            return one_line(written) if written else ""
        except ValueError as error:
            raise self._error(name, str(error)) from error

    def located(
        self, problem: CitationProblem, listed: Sequence[Version]
    ) -> CitationProblem:
        """A problem with the line of its version in the history."""
        for index, version in enumerate(listed):
            if version.label == problem.version:
                place = self._origins["versions"].place(f"versions[{index}]")
                return replace(problem, line=place.line)
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
    said = merged.read("this.label")
    if said:
        return said
    built = work.version(str(merged.values.get("built.read_the_docs", "")))
    if built:
        return built.label
    release = merged.read("built.release")
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
