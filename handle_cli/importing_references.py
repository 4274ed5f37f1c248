"""``hdl references import``: from a database of BibTeX to the file of references."""

from collections import Counter
from collections.abc import Iterable, Mapping, Sequence
from pathlib import Path

import click

from handle_cli.bibliographies import (
    BibliographyEntry,
    bibliography_text,
    read_bibliography,
)
from handle_cli.bibtex_roles import ReplacedRole, replace_roles, replaced_roles
from handle_cli.charsets import encoding_option
from handle_cli.files import (
    SourceFile,
    find_files,
    max_file_size_option,
    print_skipped,
    read_with,
)
from handle_cli.output import Exit, print_error, print_line
from handle_cli.paths import shown_path
from handle_cli.project_settings import ProjectSettings, project_settings
from handle_cli.readers import SourceText
from handle_cli.references_files import files_to_write, references_option
from handle_cli.references_writing import WrittenFile
from handle_cli.text_files import write_text
from handle_cli.updating_references import (
    UpdateRun,
    agency_option,
    announce,
    mailto_option,
)
from handle_system import Handle
from handle_system.describing.described_works import (
    DescribedWorks,
    read_described_works,
)
from handle_system.describing.items import JsonObject, custom_of, has_metadata
from handle_system.describing.unregistered import unregistered_on
from handle_system.describing.work_findings import update_command
from handle_system.errors import showable
from handle_system.findings.finding import Finding, Place
from handle_system.syntax import Syntax
from handle_system.text import several


@click.command("import", short_help="Take the works of a .bib file over.")
@click.argument(
    "bibliography",
    metavar="FILE.bib",
    type=click.Path(exists=True, dir_okay=False, path_type=Path),
)
@click.argument("paths", nargs=-1, metavar="[PATH]…", type=click.Path(exists=True))
@references_option
@click.option(
    "--ask",
    is_flag=True,
    help="Ask the registration agencies for the metadata of DOIs, and take those of the "
    "file where nobody answers.",
)
@mailto_option
@agency_option
@click.option(
    "--yes",
    is_flag=True,
    help="Write the new roles into the documents of PATHs, in the place of the old ones.",
)
@encoding_option
@max_file_size_option
def import_bibliography(  # noqa: PLR0913 (one for each option)
    bibliography: Path,
    *,
    paths: tuple[str, ...],
    given_files: tuple[Path, ...],
    ask: bool,
    mailto: str,
    resolver: str,
    yes: bool,
    encoding: str | None,
    max_file_size: float,
) -> None:
    """Take the works of a database of BibTeX over into the file of references.

    Every entry with an identifier (a DOI, a handle, an article at arXiv) becomes an
    item, with the metadata that the entry has. Works that the file of references
    describes stay as they are. The command names the entries without an identifier,
    and those with the identifier of an entry before them and another title.
    It needs the extra "bibtex".

    With PATHs it lists what becomes of each role of sphinxcontrib-bibtex in them, and
    of "[@key]" in Markdown, and why some stay. It changes a document only with --yes, and no directive: their options
    differ.

    Exits with 0, or with 2 if a file or a setting cannot be used.
    """
    if yes and not paths:
        raise click.UsageError("--yes is for PATHs")
    settings = project_settings([] if given_files else ["references"])
    text = bibliography_text(bibliography, encoding)
    read = read_bibliography(text, settings.values)
    for problem in read.problems:
        print_error(f"{bibliography}: {problem}")
    files = files_to_write(given_files, settings, paths or (str(bibliography.parent),))
    file = WrittenFile(files[-1], settings.root)
    new = _new_items(read.entries, read_described_works(files))
    place = Place(str(bibliography))
    wanted = {handle: place for handle in new if handle.is_doi}
    if ask and wanted:
        run = UpdateRun(file=file, wanted=wanted, resolver=resolver, mailto=mailto)
        announce(run, len(wanted), len(wanted))
        run.ask_agencies(settings.verification.http)
    file.write(_taken_over(new, file))
    without = [entry for entry in read.entries if entry.handle is None]
    for entry in without:
        title = f": {entry.title}" if entry.title else ""
        print_line(showable(f"{entry.key} has no identifier{title}"))
    same = len(read.entries) - len(without) - len(new)
    parts = [f"{several(len(new), 'work')} added", f"{same} already described"]
    parts.append(f"{len(without)} without an identifier")
    print_error(f"{shown_path(file.path)}: {', '.join(parts)}.")
    if wanted and not ask:
        named = map(shown_path, given_files)
        folder = shown_path(bibliography.parent)
        command = update_command(named, paths or (folder,), refreshes=True)
        print_error(f"No agency was asked about retractions: {command}")
    if paths:
        handles = {entry.key.lower(): entry.handle for entry in read.entries}
        replacing = _Replacing(paths, handles, settings, writes=yes)
        for source_file in find_files(paths, settings, max_file_size):
            replacing.take_file(source_file)
        replacing.conclude()
        click.get_current_context().exit(replacing.code)


def _new_items(
    entries: Iterable[BibliographyEntry], described: DescribedWorks
) -> dict[Handle, JsonObject]:
    """The items of works that no file of references describes."""
    new: dict[Handle, JsonObject] = {}
    for entry in entries:
        work = described.get(entry.handle) if entry.handle is not None else None
        is_new = work is None or (work.unregistered_on and not work.has_metadata)
        if entry.handle is None or not is_new:
            continue
        if entry.handle in new:
            _name_another_title(entry, entry.handle, new[entry.handle])
        else:
            new[entry.handle] = entry.item
    return new


def _name_another_title(
    entry: BibliographyEntry, handle: Handle, item: JsonObject
) -> None:
    """Write that an entry is about another work than one before it, if it is."""
    title = item.get("title", "")
    if title and entry.title and title.casefold() != entry.title.casefold():
        print_error(
            showable(
                f"{entry.key}: {handle} is also in an entry before it, with another "
                f"title: {title}"
            )
        )


def _taken_over(
    new: Mapping[Handle, JsonObject], file: WrittenFile
) -> dict[Handle, JsonObject]:
    """The items of entries that no agency described; a DOI may not even exist."""
    items = {}
    for handle, item in new.items():
        old = file.items.get(handle)
        if old is None:
            items[handle] = item
        elif not has_metadata(old) and unregistered_on(old):
            custom = {**custom_of(item), **custom_of(old)}
            items[handle] = {**item, "custom": custom}
    return items


class _Replacing:
    """What becomes of the roles in documents.

    Attributes:
        code: The exit code so far.
    """

    def __init__(
        self,
        paths: Sequence[str],
        handles: Mapping[str, Handle | None],
        settings: ProjectSettings,
        *,
        writes: bool,
    ) -> None:
        """Read no document yet.

        Args:
            paths: The paths that the user named.
            handles: The identifier of each key; `None` for an entry that has none.
            settings: The settings of the project.
            writes: Whether the documents are changed.
        """
        self.code = Exit.FINE
        self._paths = paths
        self._handles = handles
        self._settings = settings
        self._writes = writes
        self._counts: Counter[bool] = Counter()
        self._has_directives = False
        # How many roles each document gets.
        self._changed: list[int] = []

    def take_file(self, file: SourceFile) -> None:
        """List the roles of a document, and write it if that is wanted."""
        read = read_with(self._read, file)
        if isinstance(read, Finding):
            print_skipped(read)
            return
        old, new, roles = read
        for role in roles:
            became = f"-> {role.new}" if role.new else f"stays: {role.reason}"
            print_line(showable(f"{file.name}:{role.line}: {role.written} {became}"))
            self._counts[bool(role.new)] += 1
            self._has_directives = self._has_directives or role.is_directive
        count = sum(role.is_replaced for role in roles)
        if not count:
            return
        root = self._settings.root
        if self._writes and not write_text(file, old, new, self._paths, root):
            self.code = Exit.WRONG
            return
        self._changed.append(count)

    def _read(self, source: SourceText) -> tuple[str, str, list[ReplacedRole]]:
        """The old text, the new one, and the roles; a bibliography and the like have none."""
        if source.syntax in {Syntax.BIBTEX, Syntax.CFF, Syntax.LATEX}:
            return source.text, source.text, []
        roles = replaced_roles(
            source, self._handles, self._settings.values.link_proxies
        )
        new, decided = replace_roles(source, roles, self._settings)
        return source.text, new, decided

    def conclude(self) -> None:
        """Say how many citations have a counterpart, and what was written."""
        print_error(_counted(self._counts[True], self._counts[False]))
        if not self._changed:
            return
        citations = several(sum(self._changed), "citation")
        files = several(len(self._changed), "file")
        if not self._writes:
            print_error(
                f"{citations} in {files}. No document is changed without --yes."
            )
            return
        rest = "; replace the directives yourself" if self._has_directives else ""
        print_error(f"{citations} replaced in {files}{rest}.")


def _counted(replaced_count: int, kept_count: int) -> str:
    """How many citations and directives have a counterpart, and what the others need."""
    has = "has" if replaced_count == 1 else "have"
    stay = "stays" if kept_count == 1 else "stay"
    text = (
        f"citations by keys, and directives: {replaced_count} {has} a counterpart, "
        f"{kept_count} {stay}"
    )
    if kept_count == 0:
        return text
    # A citation leads nowhere without the directive that lists it.
    return f"{text}; as long as citations stay, keep their bibliography beside the new list"
