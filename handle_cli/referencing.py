"""``hdl references``: the file that describes the works which documents cite.

``update`` asks the registration agencies and writes the file, ``import`` takes a database
of BibTeX over, ``find`` looks for the DOIs that one lacks, ``list`` prints the references,
and ``accept`` silences a notice.  Only ``update``, ``find``, and ``import`` with an option
ask a server.
"""

from collections.abc import Iterable, Sequence
from functools import partial
from pathlib import Path
from typing import NamedTuple

import click

from handle_cli.files import (
    find_files,
    max_file_size_option,
    paths_argument,
    print_skipped,
    read_with,
    trust_config_option,
)
from handle_cli.finding_references import find_dois
from handle_cli.ignoring import wanted_references
from handle_cli.importing_references import import_bibliography
from handle_cli.listing_references import json_entry, markdown_entry, text_entry
from handle_cli.output import UnusableError, as_json, print_error, print_line
from handle_cli.paths import shown_path
from handle_cli.project_settings import ProjectSettings, project_settings
from handle_cli.references_files import (
    files_to_read,
    files_to_write,
    old_file,
    readable_works,
    references_option,
)
from handle_cli.references_writing import WrittenFile, accept_notice
from handle_cli.updating_references import (
    BUILT_IN_STYLE,
    UpdateRun,
    agency_option,
    announce,
    conclude,
    format_references,
    mailto_option,
    usable_style,
)
from handle_system import Handle, HandleReference, Proxies
from handle_system.describing.compared_texts import CitedText
from handle_system.describing.described_work import DescribedWork
from handle_system.describing.described_works import (
    DescribedWorks,
    read_described_works,
)
from handle_system.describing.exporting import EXPORT_FORMATS, exported
from handle_system.describing.items import custom_of
from handle_system.describing.work_findings import findings_about_retractions
from handle_system.errors import showable
from handle_system.findings.finding import Finding, Place
from handle_system.text import several

# Works that a message names; others are counted.
_MOST_NAMED = 5


@click.group()
def references() -> None:
    """Write, print and correct the file of references.

    The file is CSL-JSON, which pandoc, Quarto and Zotero read, and stands beside the
    documents. "hdl references update" writes it from the metadata of the registration
    agencies. Builds and "hdl check" read it, and ask no server.

    Without --references the file is "references" in [tool.handle], else the nearest
    references.json: in the folder of a PATH, in one above it, or in a folder such as
    docs below it. A new file is made beside conf.py, or in the first PATH.
    """


references.add_command(import_bibliography)
references.add_command(find_dois)


@references.command(short_help="Fetch the metadata that the file of references lacks.")
@paths_argument
@references_option
@click.option(
    "--refresh", is_flag=True, help="Ask for all identifiers again; print the changes."
)
@click.option(
    "--budget",
    type=click.IntRange(min=1),
    metavar="N",
    help="The most identifiers to ask for; --refresh begins with those that were not "
    "asked for longest.",
)
@mailto_option
@click.option(
    "--style",
    metavar="FILE",
    help='Format all references in this CSL style, with pandoc, instead of "style" '
    'of [tool.handle]; "built-in" is the style of this program.',
)
@agency_option
@trust_config_option
@max_file_size_option
def update(  # noqa: PLR0913 (one for each option)
    paths: tuple[str, ...],
    *,
    given_files: tuple[Path, ...],
    refresh: bool,
    budget: int | None,
    mailto: str,
    style: str | None,
    resolver: str,
    trust_config: bool,
    max_file_size: float,
) -> None:
    """Describe the DOIs in files and folders, from their own metadata.

    The command asks the registration agencies for metadata: Crossref and DataCite in
    lists of DOIs, others one by one. It opens no page of a publisher. It writes the answers into the last
    file of references. Ctrl-C keeps the answers so far; run the command again to go on.

    Write the items of handles that are not DOIs by hand. An item that you wrote yourself
    keeps its text; --refresh asks only for later notices about the work. DOIs that
    "verify_ignore" of [tool.handle] names are not asked for.

    Exits with 0 if there is nothing to look at, with 1 if there is: a work has a new
    state or is another one than the text beside its DOI says, or a DOI has neither
    metadata nor an item, or got no answer. Exits with 2 if a file or a setting cannot
    be used, with 3 if no server answered, with 130 if you stopped it.
    """
    settings = _settings(given_files, trust_config=trust_config)
    files = files_to_write(given_files, settings, paths)
    file = WrittenFile(files[-1], settings.root)
    works = readable_works(files, makes_last=True)
    cited = _read_cited(paths, settings, max_file_size)
    places = cited.places
    dois = _dois_to_ask(places, settings)
    if refresh:
        # Also those that another file describes: they may be retracted since.
        in_file = _dois_to_ask(file.items, settings)
        # Those that were never asked for come first, and then the oldest.
        to_ask = sorted(dict.fromkeys([*in_file, *dois]), key=file.asked)
    else:
        to_ask = [handle for handle in dois if not _is_described(handle, works)]
    wanted = {handle: places.get(handle) for handle in to_ask[:budget]}
    used_style = usable_style(style, settings, trust_config=trust_config)
    run = UpdateRun(
        file=file,
        wanted=wanted,
        by_hand={handle for handle in wanted if _is_written_by_hand(handle, works)},
        texts=cited.texts,
        resolver=resolver,
        mailto=mailto,
        is_refresh=refresh,
        is_whole=len(wanted) == len(to_ask),
    )
    announce(run, len(to_ask), len(dois))
    code = run.ask_agencies(settings.verification.http)
    if used_style is not None:
        # Also without an answer: somebody may have corrected an item.
        unprinted = format_references(file, used_style)
        if unprinted:
            _name_unprinted(unprinted)
        if used_style != BUILT_IN_STYLE:
            _name_other_files(files[:-1], places)
    elif (run.added or run.changed) and file.is_partly_styled:
        print_error(
            "some references are in the built-in style: pass --style again, or name "
            'it as "style" in [tool.handle]'
        )
    without_item = [
        handle for handle in places if not handle.is_doi and handle not in works
    ]
    conclude(run, paths, without_item)
    click.get_current_context().exit(code)


def _dois_to_ask(handles: Iterable[Handle], settings: ProjectSettings) -> list[Handle]:
    """The DOIs among handles that the project wants to be asked for."""
    return [
        handle
        for handle in handles
        if handle.is_doi and handle not in settings.values.unverified
    ]


def _name_unprinted(handles: Sequence[Handle]) -> None:
    """Say for which works the style prints nothing."""
    named = ", ".join(showable(str(handle)) for handle in handles[:_MOST_NAMED])
    others = len(handles) - _MOST_NAMED
    more = f" and {others} more" if others > 0 else ""
    verb = "keeps" if len(handles) == 1 else "keep"
    print_error(
        f"the style prints nothing for {several(len(handles), 'work')}, which {verb} "
        f"the built-in style: {named}{more}"
    )


def _name_other_files(files: Sequence[Path], cited: Iterable[Handle]) -> None:
    """Say how many cited works that the first files describe are in the built-in style."""
    works = map(read_described_works(files).get, cited)
    count = sum(
        work is not None
        and work.has_metadata
        and "reference" not in custom_of(work.item)
        for work in works
    )
    if count:
        verb = "keeps" if count == 1 else "keep"
        print_error(
            f"{several(count, 'work')} that other files describe {verb} the built-in style"
        )


@references.command("list", short_help="Print the references.")
@click.argument(
    "paths",
    nargs=-1,
    metavar="[PATH]…",
    type=click.Path(exists=True, allow_dash=True),
)
@references_option
@click.option(
    "--format",
    "format_name",
    type=click.Choice(["text", "markdown", "json", *EXPORT_FORMATS]),
    default="text",
    show_default=True,
    help="The format of the references.",
)
@trust_config_option
@max_file_size_option
def list_works(
    paths: tuple[str, ...],
    *,
    given_files: tuple[Path, ...],
    format_name: str,
    trust_config: bool,
    max_file_size: float,
) -> None:
    """Print the references of the file, or of the works that PATHs cite.

    They are sorted as on a page: by name, and works without metadata last. A line
    below a reference says if the work was retracted, corrected or superseded. The formats
    bibtex, ris and csl-json are for other programs.

    Exits with 0, or with 2 if a file or a setting cannot be used.
    """
    settings = _settings(given_files, trust_config=trust_config)
    files = _existing(files_to_read(given_files, settings, paths))
    described = readable_works(files).with_retractions(settings.retractions)
    if paths:
        handles: Iterable[Handle] = _read_cited(paths, settings, max_file_size).places
    else:
        handles = described
    about_files = findings_about_retractions(described, shown_path)
    old = old_file(described, given_files, settings, paths)
    for finding in [*about_files, old] if old is not None else about_files:
        print_error(f"{finding.subject}: {finding}")
    works = [described.work(handle) for handle in handles]
    works.sort(key=DescribedWork.sort_key)
    match format_name:
        case "json":
            print_line(
                as_json(
                    [json_entry(work, settings.values.link_proxies) for work in works]
                )
            )
        case _ if format_name in EXPORT_FORMATS:
            _export(works, format_name, settings.values.link_proxies)
        case "markdown":
            for work in works:
                print_line(markdown_entry(work, settings.values.link_proxies))
        case _:
            print_line(
                "\n\n".join(
                    text_entry(work, settings.values.link_proxies) for work in works
                )
            )


def _export(works: list[DescribedWork], format_name: str, proxies: Proxies) -> None:
    """Print works for another program, and say how many of them have no metadata."""
    print_line(exported(works, format_name, proxies).removesuffix("\n"))
    left_out = [work for work in works if not work.has_metadata]
    if left_out:
        verb = "is" if len(left_out) == 1 else "are"
        print_error(
            f"{several(len(left_out), 'work')} without metadata {verb} left out"
        )


@references.command(short_help="Silence one notice, but not later ones.")
@click.argument("notice")
@references_option
@trust_config_option
def accept(notice: str, *, given_files: tuple[Path, ...], trust_config: bool) -> None:
    """Silence the notice with this identifier, such as that of a correction.

    Builds and "hdl check" no longer report the notice; pages and lists still show it to
    readers. The file remembers it for each work that it is about. A later notice about
    the same work is reported again. For a work without a notice, NOTICE is the
    identifier of the work itself.

    Exits with 0 if the notice is silenced, with 2 if no item has it, or a file or a
    setting cannot be used.
    """
    settings = _settings(given_files, trust_config=trust_config)
    files = _existing(files_to_read(given_files, settings))
    accepted = HandleReference.parse(notice).handle
    for handle in accept_notice(accepted, files, settings.root, settings.retractions):
        print_line(showable(f"accepted  {accepted}, about {handle}"))


def _settings(given: Sequence[Path], *, trust_config: bool) -> ProjectSettings:
    if trust_config:
        return project_settings()
    return project_settings(["retractions"] if given else ["references", "retractions"])


def _existing(files: tuple[Path, ...]) -> tuple[Path, ...]:
    if not files:
        raise UnusableError(
            "there is no file of references: make it with hdl references update, or name "
            'it with --references, or as "references" in [tool.handle]'
        )
    return files


def _is_described(handle: Handle, works: DescribedWorks) -> bool:
    work = works.get(handle)
    return work is not None and bool(work.reference()) and not work.unregistered_on


def _is_written_by_hand(handle: Handle, works: DescribedWorks) -> bool:
    """Whether a person described a work."""
    work = works.get(handle)
    return (
        work is not None
        and bool(work.reference())
        and not work.unregistered_on
        and "agency" not in custom_of(work.item)
    )


class _Cited(NamedTuple):
    """What files cite.

    Attributes:
        places: The handles, each with its first place.
        texts: The texts beside them that can be compared with their works.
    """

    places: dict[Handle, Place]
    texts: list[CitedText]


def _read_cited(
    paths: tuple[str, ...], settings: ProjectSettings, max_file_size: float
) -> _Cited:
    """Read which handles files refer to."""
    cited = _Cited({}, [])
    for file in find_files(paths, settings, max_file_size):
        references = read_with(partial(wanted_references, settings=settings), file)
        if isinstance(references, Finding):
            print_skipped(references)
            continue
        for found in references:
            if isinstance(found.reference, HandleReference):
                handle = found.reference.handle
                place = Place(file.name, found.place.line)
                cited.places.setdefault(handle, place)
                if found.beside is not None:
                    cited.texts.append(CitedText(handle, place, found.beside))
    return cited
