"""What a repository says of its own versions, in several files that age apart.

``CITATION.cff`` and ``works.toml`` say in words which identifier is which version's, and
`own_citations` knows what earlier commits and the metadata of works say.  A README or a ``CITATION.cff`` that names an earlier version as the project's own is
``stale-version``.  A file that lists several versions, or says beside an identifier whose
version it is, tells history: nothing is said of it.
"""

import re
from collections.abc import Callable, Iterator, Mapping, Sequence
from functools import cache, partial
from itertools import chain
from pathlib import Path, PurePath
from typing import NamedTuple

from handle_cli.edits import Edit
from handle_cli.ignoring import ignored_lines
from handle_cli.own_citations import (
    BADGE,
    CITATION_FILE,
    EarlierTexts,
    OwnCitations,
    identifiers,
    naming,
    old_label,
    read_citation_file,
)
from handle_cli.repositories import Git
from handle_system import Handle, Proxies
from handle_system.citing.documents import CitationError, load_toml
from handle_system.citing.releases import (
    History,
    Release,
    histories_of_cff,
    histories_of_works,
    merged,
)
from handle_system.citing.work import is_before, parse_label
from handle_system.citing.works_files import LARGEST_WORKS_FILE
from handle_system.describing.described_works import DescribedWorks
from handle_system.findings.codes import Code, Severity
from handle_system.findings.finding import Fact, Finding, Place
from handle_system.foreign_files import read_foreign_file, stays_inside
from handle_system.lines import Lines
from handle_system.project_file import SETTINGS_FILE

_WORKS_FILES = ("works.toml", "docs/works.toml", "doc/works.toml")
_README = re.compile(r"readme(?:\.[a-z]+)*", re.IGNORECASE)
_CFF_KEY = re.compile(
    r"^(?P<key>version|doi)[ ]*:[ ]*[\"']?(?P<value>[^\s\"'#]+)", re.MULTILINE
)


class OldVersions(NamedTuple):
    """What a file says of old versions of its project.

    Attributes:
        mended: The findings about what the edits write anew.
        staying: The other findings.
        edits: What makes the citations of a README those of the present version.
    """

    mended: list[Finding]
    staying: list[Finding]
    edits: Sequence[Edit]


class OwnVersions:
    """The files of a check that speak of the project's own versions.

    Other files that say more about them are read in the project alone: a stranger's may be
    a symbolic link to one elsewhere, whose versions would stand in the findings.
    """

    def __init__(
        self, proxies: Proxies, root: Path, works: DescribedWorks, git: Git
    ) -> None:
        """Read none yet.

        Args:
            proxies: Whose URLs are references.
            root: The folder of the project.
            works: The works that its files of references describe.
            git: git, as the run asks it.
        """
        self._proxies = proxies
        self._root = root
        self._works = works
        self._histories: dict[Path, list[History]] = {}
        self._earlier_texts = cache(git.earlier_texts)

    def read(self, text: str, name: str, folder: Path) -> OldVersions:
        """What a README or a citation file says of old versions; another file says nothing.

        Args:
            text: Its text.
            name: Its name in findings.
            folder: Its folder.
        """
        lines = Lines(text)
        file_name = PurePath(name).name
        edits: list[Edit] = []
        if file_name == CITATION_FILE:
            found = self._in_citation_file(text, folder)
        elif _README.fullmatch(file_name):
            own_citations = self._own_citations(lines, file_name, folder)
            found = chain(self._in_readme(lines, folder), own_citations.findings())
            edits = own_citations.edits()
        else:
            return OldVersions([], [], [])
        ignored = ignored_lines(text)
        edits = [edit for edit in edits if lines.place(edit.start)[0] not in ignored]
        mended = {edit.start for edit in edits}
        old = OldVersions([], [], edits)
        for finding, offset, written in found:
            line, column = lines.place(offset)
            if line not in ignored:
                findings = old.mended if offset in mended else old.staying
                findings.append(finding.at(Place(name, line, column, written)))
        return old

    def _own_citations(self, lines: Lines, name: str, folder: Path) -> OwnCitations:
        """How a README cites the project that the citation file beside it describes."""
        path = folder / CITATION_FILE
        text = self._text_of(path)
        of_works = (history.handles for history in self._histories_in(folder))
        named = chain(identifiers(text).values(), map(str, chain(*of_works)))
        return OwnCitations(
            lines,
            read_citation_file(text, self._proxies),
            self._proxies,
            known=frozenset(name.lower() for name in named),
            earlier=EarlierTexts(
                partial(self._earlier_texts, path),
                partial(self._earlier_texts, folder / name),
            ),
            works=self._works,
        )

    def _histories_in(self, folder: Path) -> list[History]:
        """The works that the files of a folder describe, read once."""
        if folder not in self._histories:
            citation_file = self._text_of(folder / CITATION_FILE)
            histories = histories_of_cff(citation_file, CITATION_FILE, self._proxies)
            for name in _WORKS_FILES:
                works_file = self._text_of(folder / name)
                histories += histories_of_works(works_file, name, self._proxies)
            self._histories[folder] = merged(histories)
        return self._histories[folder]

    def _in_readme(
        self, lines: Lines, folder: Path
    ) -> Iterator[tuple[Finding, int, str]]:
        """The identifiers of earlier versions, each with its offset and as written."""
        text = lines.text
        badges = {match.start("doi"): match["doi"] for match in BADGE.finditer(text)}
        written = identifiers(text)
        offsets: dict[str, list[int]] = {}
        for offset, identifier in written.items():
            offsets.setdefault(identifier.lower(), []).append(offset)
        badge_names = {doi.lower() for doi in badges.values()}
        for history in self._histories_in(folder):
            earlier = _by_name(history.earlier())
            current = {str(handle).lower() for handle in history.handles} - {*earlier}
            named = offsets.keys() & earlier.keys()
            own_badges = badge_names & {*earlier, *current}
            # Of several versions, the earlier ones are history.
            is_history = bool(offsets.keys() & current) or len(named) > 1
            for name in sorted(named):
                finding = _old_identifier(history, earlier[name])
                says = _line_reader(lines, earlier[name])
                for offset in offsets[name]:
                    # A badge is about the present; several of them list versions.
                    is_badge = offset in badges
                    tells_history = len(own_badges) > 1 if is_badge else is_history
                    if not tells_history and not says(offset):
                        yield finding, offset, written[offset]

    def _in_citation_file(
        self, text: str, folder: Path
    ) -> Iterator[tuple[Finding, int, str]]:
        """What the file itself says of its version and identifier, if it is old."""
        own = histories_of_cff(text, CITATION_FILE, self._proxies)
        labels = {release.label for history in own for release in history.releases}
        histories = [
            history
            for history in self._histories_in(folder)
            if own and _is_one(own[0], history)
        ]
        latest = [history.latest for history in histories]
        old = {
            name: _old_identifier(history, release)
            for history in histories
            for name, release in _by_name(history.earlier()).items()
        }
        project_label = _project_version(self._text_of(folder / SETTINGS_FILE))
        for match in _CFF_KEY.finditer(text):
            value = match["value"]
            offset = match.start("value")
            if match["key"] == "doi":
                for part in value.lower().split("doi.org/"):
                    if part in old:
                        yield old[part], offset, value
            elif value in labels:
                for release in latest:
                    if release and is_before(value, release.label):
                        finding = old_label(value, release.label, release.file)
                        yield finding, offset, value
                if project_label and is_before(value, project_label):
                    finding = old_label(
                        value, project_label, SETTINGS_FILE, Severity.NOTE
                    )
                    yield finding, offset, value

    def _text_of(self, path: Path) -> str:
        """The text of a file of the project; empty if it cannot be read."""
        if not stays_inside(path, self._root):
            return ""
        try:
            return read_foreign_file(path, LARGEST_WORKS_FILE).decode("utf-8-sig")
        except (OSError, UnicodeDecodeError):
            return ""


def _by_name(releases: Mapping[Handle, Release]) -> dict[str, Release]:
    """The releases by their identifiers in small letters."""
    return {str(handle).lower(): release for handle, release in releases.items()}


def _is_one(own: History, history: History) -> bool:
    """Whether a history has all versions of another one."""
    return {*own.releases} <= {*history.releases}


def _line_reader(lines: Lines, release: Release) -> Callable[[int], bool]:
    """Tells whether the line of an offset names a version, too.

    A line is read once: a page may be a single one, with thousands of identifiers.
    """
    pattern = naming(release.label)

    @cache
    def says(line: int) -> bool:
        return pattern.search(lines.rows[line - 1]) is not None

    return lambda offset: says(lines.place(offset)[0])


def _old_identifier(history: History, release: Release) -> Finding:
    """The finding about the identifier of an earlier version."""
    latest = history.latest
    latest_label = latest.label if latest else ""
    newest = latest.handle if latest else None
    of_work = min(history.work, key=str, default=None)
    facts = [Fact("version", release.label), Fact("latest", latest_label)]
    advice = "name the latest version, or the identifier of all versions"
    if of_work is not None:
        facts.append(Fact("all versions", str(of_work)))
    return Finding(
        code=Code.STALE_VERSION,
        subject=str(release.handle),
        message=f"this is the identifier of an old version, says {release.file}",
        severity=Code.STALE_VERSION.severity(),
        facts=tuple(facts),
        suggestion=str(newest) if newest else None,
        advice="" if newest else advice,
    )


def _project_version(text: str) -> str:
    """The released version that a ``pyproject.toml`` states; empty if there is none."""
    try:
        table = load_toml(text).get("project")
    except CitationError:
        return ""
    label = table.get("version") if isinstance(table, dict) else None
    number = parse_label(label) if isinstance(label, str) else None
    # The next version is under way.
    is_final = number is not None and not number.is_prerelease and not number.local
    return str(label) if is_final else ""
