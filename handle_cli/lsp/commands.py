"""The commands that quick fixes run: they change the file of references."""

import datetime as dt
from pathlib import Path
from typing import NamedTuple, assert_never

from handle_cli.output import UnusableError
from handle_cli.project_settings import ProjectSettings
from handle_cli.references_files import files_to_write
from handle_cli.references_writing import WrittenFile, accept_notice
from handle_cli.updating_references import format_references, usable_style
from handle_system import Handle
from handle_system.describing.agencies import Agencies
from handle_system.describing.answers import Described, NoMetadata
from handle_system.describing.unregistered import (
    may_be_unregistered,
    unregistered_item,
)
from handle_system.resolving.outcomes import NotRegistered, Unreachable
from handle_system.text import several


class Done(NamedTuple):
    """What came of a command.

    Attributes:
        is_fine: Whether it did what was asked for.
        message: It, in one line.
    """

    is_fine: bool
    message: str


def accept(notice: Handle, folder: Path, settings: ProjectSettings) -> Done:
    """Silence a notice about works, as ``hdl references accept`` does.

    Args:
        notice: Its identifier.
        folder: The folder of the document.
        settings: The settings of its project.
    """
    try:
        files = files_to_write((), settings, [str(folder)])
        works = accept_notice(notice, files, settings.root)
    except UnusableError as error:
        return Done(is_fine=False, message=error.message)
    about = ", ".join(map(str, works))
    return Done(is_fine=True, message=f"accepted  {notice}, about {about}")


def fetch(doi: Handle, folder: Path, settings: ProjectSettings, resolver: str) -> Done:
    """Take the metadata of one DOI over, as ``hdl references update`` does.

    Args:
        doi: The DOI.
        folder: The folder of the document.
        settings: The settings of its project.
        resolver: The server to ask.
    """
    try:
        return _fetch(doi, folder, settings, resolver)
    except UnusableError as error:
        return Done(is_fine=False, message=error.message)
    except ValueError as error:
        # The resolver cannot be asked.
        return Done(is_fine=False, message=str(error))


def _fetch(doi: Handle, folder: Path, settings: ProjectSettings, resolver: str) -> Done:
    files = files_to_write((), settings, [str(folder)])
    file = WrittenFile(files[-1], settings.root)
    style = usable_style(None, settings, trust_config=False)
    with Agencies(resolver, http=settings.verification.http) as agencies:
        description = agencies.describe(doi)
    if not isinstance(description, Described):
        if isinstance(description, NotRegistered) and may_be_unregistered(doi):
            today = dt.date.today()  # noqa: DTZ011 (the day of the user)
            file.write({doi: unregistered_item(doi, today)})
        elif not isinstance(description, Unreachable):
            # It is registered after all.
            gone = {doi: None} if doi in file.items else {}
            file.write(gone, not_found={doi})
        return Done(is_fine=False, message=_why_nothing_came(doi, description))
    file.write({doi: description.item})
    if style is not None:
        format_references(file, style)
    works = several(len(file), "work")
    return Done(is_fine=True, message=f"{file.path.name}: {works}, 1 added. Commit it.")


def _why_nothing_came(
    doi: Handle, description: NotRegistered | NoMetadata | Unreachable
) -> str:
    match description:
        case Unreachable(reason):
            return f"no answer about {doi}: {reason}"
        case NotRegistered():
            return f"{doi} is not registered"
        case NoMetadata(reason):
            return f"no metadata of {doi}: {reason}"
        case _:
            assert_never(description)
