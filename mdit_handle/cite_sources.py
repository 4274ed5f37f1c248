"""Where a page's citation comes from, beside its directive.

The page's front matter, where a plugin has made a token of it; else what the caller
has put into ``env["metadata"]``.  A file that the page names, within the folder that
the caller opens to pages; else the caller's own work.  A Markdown document may be
anybody's: without the caller's leave no file is read, and no environment variable.
"""

from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import cast

from markdown_it.token import Token

from handle_system.citing.gathering import Surroundings, named_source
from handle_system.citing.label import SaidLabels
from handle_system.citing.page import read_front_matter
from handle_system.citing.source import SOURCE_OPTION, SourceName, read_source
from handle_system.citing.values import CitationError, Reading
from handle_system.citing.work import Work
from mdit_handle.options import Options
from mdit_handle.record import Env

__all__ = ["metadata_of", "surroundings"]

#: The variable that holds the name of the version that Read the Docs builds.
_READ_THE_DOCS = "READTHEDOCS_VERSION"
#: Where the caller may say what a page's metadata are, and which file it is.
_METADATA, _PATH = "metadata", "path"


def metadata_of(tokens: Sequence[Token], env: Env) -> Mapping[str, object]:
    """A page's metadata.

    Raises:
        CitationError: when its front matter speaks of citing and is no YAML.
    """
    if tokens and tokens[0].type == "front_matter":
        try:
            return read_front_matter(tokens[0].content)
        except CitationError as error:
            # The front matter's lines begin after its three hyphens.
            line = None if error.line is None else error.line + 1
            raise CitationError(error.reason, where=error.where, line=line) from error
    given = env.get(_METADATA)
    return cast("Mapping[str, object]", given) if isinstance(given, Mapping) else {}


def surroundings(
    own_options: Mapping[str, str | None],
    metadata: Mapping[str, object],
    env: Env,
    options: Options,
) -> Surroundings:
    """All that is known of a page beside its directive.

    Raises:
        CitationError: when the page's metadata, or the file, are no citation.
    """
    reading = Reading(proxies=options.proxies, environment=options.environment)
    named = named_source(own_options, metadata)
    return Surroundings(
        metadata=metadata,
        work=_read(named, env, options, reading) if named else options.work,
        said=SaidLabels(
            configured=options.version,
            read_the_docs=options.environment.get(_READ_THE_DOCS) or None,
            release=options.release,
        ),
        display=options.cite_show,
        reading=reading,
    )


def _read(named: SourceName, env: Env, options: Options, reading: Reading) -> Work:
    if options.sources is None:
        raise CitationError(
            "no file is read here: the plugin was given no folder of sources",
            where=f":{SOURCE_OPTION}:",
        )
    folder = options.sources.resolve()
    page = env.get(_PATH)
    beside = Path(page).parent if isinstance(page, str) else Path()
    path = (folder / beside / named.path).resolve()
    if not path.is_relative_to(folder):
        raise CitationError(
            "the file is outside of the folder of sources", where=f":{SOURCE_OPTION}:"
        )
    return read_source(path, named.id, reading=reading)
