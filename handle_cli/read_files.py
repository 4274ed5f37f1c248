"""Read the references of many files, in one process or in several.

Parsing takes nearly all the time of a check. With several processes, texts go to them and
references come back, in the order of the files. All else happens in one process, so that
the output is the same.
"""

import signal
from collections.abc import Iterable, Iterator
from functools import partial
from itertools import islice
from typing import TypeAlias

from handle_cli.files import SourceFile, source_of, unreadable
from handle_cli.ignoring import wanted_references
from handle_cli.project_settings import ProjectSettings
from handle_cli.readers import SourceText, UnreadableError
from handle_system.findings.finding import Finding
from handle_system.found import Found

#: A text and its references.
ReadText: TypeAlias = tuple[SourceText, list[Found]]

# The texts of so many files for each process are in memory at a time.
_FILES_AT_A_TIME = 16


def read_files(
    files: Iterable[SourceFile], settings: ProjectSettings, processes: int = 1
) -> Iterator[tuple[SourceFile, ReadText | Finding]]:
    """Read files in their order: each with its references, or why it is skipped.

    Args:
        files: The files.
        settings: The settings of the project.
        processes: How many processes parse them.
    """
    if processes > 1:
        yield from _read_in_processes(files, settings, processes)
        return
    for file in files:
        source = source_of(file)
        if isinstance(source, SourceText):
            yield file, _result(file, source, _read(source, settings))
        else:
            yield file, source


def _read_in_processes(
    files: Iterable[SourceFile], settings: ProjectSettings, processes: int
) -> Iterator[tuple[SourceFile, ReadText | Finding]]:
    # Hooks name few files, which one process reads sooner.
    from multiprocessing import Pool  # noqa: PLC0415 (see above)

    waiting = iter(files)
    # Ctrl-C ends this process, which then ends the others.
    ignored_signal = (signal.SIGINT, signal.SIG_IGN)
    with Pool(processes, signal.signal, ignored_signal) as pool:
        while some := list(islice(waiting, processes * _FILES_AT_A_TIME)):
            sources = [source_of(file) for file in some]
            texts = [source for source in sources if isinstance(source, SourceText)]
            read = iter(pool.map(partial(_read, settings=settings), texts))
            for file, source in zip(some, sources, strict=True):
                if isinstance(source, SourceText):
                    yield file, _result(file, source, next(read))
                else:
                    yield file, source


def _read(
    source: SourceText, settings: ProjectSettings
) -> list[Found] | UnreadableError:
    """The references of a text; an error is a result, too, which another process gets."""
    try:
        return wanted_references(source, settings)
    except UnreadableError as error:
        return error


def _result(
    file: SourceFile, source: SourceText, read: list[Found] | UnreadableError
) -> ReadText | Finding:
    if isinstance(read, UnreadableError):
        return unreadable(file, read)
    return source, read
