"""Which site builders a project has, and whether their configuration names this package.

A configuration is read as text, as a syntax tree or as data.  None of it is ever run.
"""

import ast
import os
import re
import warnings
from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from enum import Enum
from itertools import islice
from pathlib import Path, PurePath
from types import MappingProxyType
from typing import Any, NamedTuple

from handle_cli.paths import may_name_a_file
from handle_cli.references_files import USUAL_FOLDERS
from handle_system.citing.documents import load_toml, read_yaml
from handle_system.foreign_files import read_foreign_file, stays_inside, why_unread

# In octets.
_LONGEST_CONFIGURATION = 500_000
# A stranger's repository may have any number of folders.
_MOST_CONFIGURATIONS = 50
_OPTIONS_OF_SPHINX = "handle_"
_FILE_OF_MYSTMD = "myst.yml"


class SiteBuilder(Enum):
    """A program that makes a site, for which this package has a plugin."""

    SPHINX = "Sphinx"
    JUPYTER_BOOK = "Jupyter Book 1"
    MYSTMD = "mystmd"
    MKDOCS = "MkDocs"
    PROPERDOCS = "ProperDocs"
    ZENSICAL = "Zensical"
    PELICAN = "Pelican"
    QUARTO = "Quarto"


# They configure Python-Markdown in one way, which tells all options.
_OF_MKDOCS = frozenset(
    {SiteBuilder.MKDOCS, SiteBuilder.PROPERDOCS, SiteBuilder.ZENSICAL}
)


class Plugin(NamedTuple):
    """What a configuration says of the plugin of this package.

    Attributes:
        is_named: Whether it names the plugin itself.
        options: The options of the plugin that it sets, with their values; `None` for one
            that only a run tells.
    """

    is_named: bool = False
    options: Mapping[str, object] = MappingProxyType({})

    @property
    def settings(self) -> Mapping[str, object]:
        """The values that reading tells, by the names of the settings."""
        return {
            name.removeprefix(_OPTIONS_OF_SPHINX): value
            for name, value in self.options.items()
            if value is not None
        }

    @property
    def references(self) -> tuple[str, ...]:
        """The files of references that it names."""
        value = self.settings.get("references")
        names = [value] if isinstance(value, str) else value
        if not isinstance(names, list | tuple):
            return ()
        texts = (name for name in names if isinstance(name, str))
        return tuple(filter(may_name_a_file, texts))


_NO_PLUGIN = Plugin()


@dataclass(frozen=True, slots=True, kw_only=True)
class Configuration:
    """The file that configures a site builder.

    Attributes:
        builder: The program that reads the file.
        path: The file.
        plugin: What it says of the plugin, as far as reading tells it.
        problem: Why the file could not be read; else empty.
    """

    builder: SiteBuilder
    path: Path
    plugin: Plugin = _NO_PLUGIN
    problem: str = ""

    def files_of_references(
        self, of_table: tuple[Path, ...]
    ) -> tuple[Path, ...] | None:
        """The files of references that the builder reads; `None` if only a run tells.

        Args:
            of_table: Those that the table ``[tool.handle]`` names.
        """
        if self.plugin.references:
            return tuple(self.path.parent / name for name in self.plugin.references)
        is_set = any(name.endswith("references") for name in self.plugin.options)
        if is_set or not self.plugin.is_named:
            return None
        if self.obeys_table:
            return of_table
        return () if self.builder in _OF_MKDOCS else None

    @property
    def obeys_table(self) -> bool:
        """Whether the builder takes settings from the table ``[tool.handle]``."""
        return bool(_PROGRAMS[self.builder].options)

    def lines_to_add(self, references: Path | None) -> str:
        """What an author adds to the file, in its own language.

        Args:
            references: The file of references of the project; `None` if it has none.
        """
        program = _PROGRAMS[self.builder]
        named = ""
        if references is not None:
            relative = os.path.relpath(references, self.path.parent)
            named = program.references.format(name=PurePath(relative).as_posix())
        return program.lines.format(references=named)


def configurations(root: Path) -> list[Configuration]:
    """The configurations in a folder, and in the folders of documents below it.

    The current folder comes first, because somebody chose it.  No more than fifty are
    read.
    """
    usual = (root / name for name in USUAL_FOLDERS)
    below = sorted(path for path in root.iterdir() if _may_hold_documents(path))
    folders = dict.fromkeys([Path.cwd(), root, *usual, *below])
    found = (
        _configuration(builder, folder / name)
        for folder in folders
        for builder, program in _PROGRAMS.items()
        for name in program.files
        if _is_configuration(folder / name) and stays_inside(folder / name, root)
    )
    return [*islice(found, _MOST_CONFIGURATIONS)]


def is_below_mystmd(folder: Path) -> bool:
    """Whether mystmd makes the pages of a folder: it or one above it has the configuration."""
    resolved = folder.resolve()
    folders = (resolved, *resolved.parents)
    return any((candidate / _FILE_OF_MYSTMD).is_file() for candidate in folders)


def _may_hold_documents(path: Path) -> bool:
    return not path.name.startswith(".") and path.is_dir()


def _is_configuration(path: Path) -> bool:
    # Jekyll has a file of the same name, and no table of contents beside it.
    if path.name == "_config.yml" and not path.with_name("_toc.yml").is_file():
        return False
    return path.is_file()


def _configuration(builder: SiteBuilder, path: Path) -> Configuration:
    try:
        text = read_foreign_file(path, _LONGEST_CONFIGURATION).decode("utf-8-sig")
        plugin = _PROGRAMS[builder].plugin(text)
    except OSError as error:
        return Configuration(builder=builder, path=path, problem=why_unread(error))
    except (ValueError, SyntaxError, RecursionError, MemoryError) as error:
        # A text of another charset, syntax or depth.
        line = getattr(error, "lineno", None) or getattr(error, "line", None)
        where = f", from line {line} on" if line else ""
        problem = f"it cannot be read{where}"
        return Configuration(builder=builder, path=path, problem=problem)
    return Configuration(builder=builder, path=path, plugin=plugin)


def _read_python(text: str) -> Any:
    """The texts in a module of Python, and the options that it sets, from its syntax tree."""
    with warnings.catch_warnings():
        # Another version of Python may find something to warn of.
        warnings.simplefilter("ignore")
        tree = ast.parse(text)
    texts = []
    options: dict[str, object] = {}
    for node in ast.walk(tree):
        match node:
            case ast.Constant(value=str(value)):
                texts.append(value)
            case ast.Name(id=name, ctx=ast.Store()):
                options.setdefault(name, None)
            case ast.Assign(targets=[ast.Name(id=name)], value=assigned):
                options[name] = _literal(assigned)
    return {"texts": texts, "options": options}


def _literal(node: ast.expr) -> object:
    """The value of an expression; `None` if only a run of the module tells it."""
    try:
        return ast.literal_eval(node)
    except (ValueError, TypeError):
        return None


def _at(data: Any, names: Sequence[str]) -> Any:
    """What stands in tables below some names; `None` if it is not there."""
    for name in names:
        data = _members(data).get(name)
    return data


def _members(table: Any) -> dict[str, Any]:
    """What stands in a table behind names; nothing in anything else."""
    return table if isinstance(table, dict) else {}


def _entries(plugins: Any) -> Iterator[tuple[Any, Any]]:
    """The names in a list, or in tables of names, each with what stands behind it."""
    for entry in plugins if isinstance(plugins, list) else [plugins]:
        if isinstance(entry, dict):
            yield from entry.items()
            # The path of a plugin of mystmd is a value.
            yield from ((value, None) for value in entry.values())
        else:
            yield entry, None


class _Program(NamedTuple):
    """What is known of a site builder.

    Attributes:
        files: The names of its configuration.
        read: Reads a configuration as data.
        plugins: Where plugins are named in it.
        names: What the plugin is called there.
        lines: The lines to add to a configuration.
        references: What stands in them for a file of references.
        options: Where options of Sphinx stand in it.
    """

    files: tuple[str, ...]
    read: Callable[[str], Any]
    plugins: tuple[str, ...]
    names: re.Pattern[str]
    lines: str
    references: str = ""
    options: tuple[str, ...] = ()

    def plugin(self, text: str) -> Plugin:
        """What the text of a configuration says of the plugin."""
        data = self.read(text)
        is_named = False
        options: dict[str, object] = {}
        for name, value in _entries(_at(data, self.plugins)):
            if isinstance(name, str) and self.names.fullmatch(name):
                is_named = True
                options |= _members(value)
        if self.options:
            options |= {
                name: value
                for name, value in _members(_at(data, self.options)).items()
                if name.startswith(_OPTIONS_OF_SPHINX)
            }
        return Plugin(is_named, options)


_EXTENSION_OF_SPHINX = re.compile(r"sphinxcontrib[._]handle")
_EXTENSION_OF_MARKDOWN = re.compile("handle")
_MKDOCS = _Program(
    ("mkdocs.yml", "mkdocs.yaml"),
    read_yaml,
    ("markdown_extensions",),
    _EXTENSION_OF_MARKDOWN,
    """\
markdown_extensions:
  - handle{references}""",
    """:
      references: {name}""",
)

_PROGRAMS: Mapping[SiteBuilder, _Program] = {
    # The extension of Sphinx takes the file of references from the settings of the project.
    SiteBuilder.SPHINX: _Program(
        ("conf.py",),
        _read_python,
        ("texts",),
        _EXTENSION_OF_SPHINX,
        'extensions += ["sphinxcontrib_handle"]',
        options=("options",),
    ),
    SiteBuilder.JUPYTER_BOOK: _Program(
        ("_config.yml",),
        read_yaml,
        ("sphinx", "extra_extensions"),
        _EXTENSION_OF_SPHINX,
        """\
sphinx:
  extra_extensions:
    - sphinxcontrib_handle""",
        options=("sphinx", "config"),
    ),
    # The program handles.py names the file of references.
    SiteBuilder.MYSTMD: _Program(
        (_FILE_OF_MYSTMD,),
        read_yaml,
        ("project", "plugins"),
        # As in the manual.
        re.compile(r"(?:.*/)?handles\.(?:py|mjs)"),
        """\
project:
  plugins:
    - type: executable
      path: handles.py""",
    ),
    SiteBuilder.MKDOCS: _MKDOCS,
    SiteBuilder.PROPERDOCS: _MKDOCS._replace(files=("properdocs.yml",)),
    SiteBuilder.ZENSICAL: _Program(
        ("zensical.toml",),
        load_toml,
        ("project", "markdown_extensions"),
        _EXTENSION_OF_MARKDOWN,
        """\
[project.markdown_extensions.handle]
{references}strict = true""",
        """\
references = "{name}"
""",
    ),
    SiteBuilder.PELICAN: _Program(
        ("pelicanconf.py",),
        _read_python,
        ("texts",),
        _EXTENSION_OF_MARKDOWN,
        'MARKDOWN["extension_configs"]["handle"] = {{{references}}}',
        '"references": "{name}"',
    ),
    SiteBuilder.QUARTO: _Program(
        ("_quarto.yml",),
        read_yaml,
        ("filters",),
        re.compile("pandoc-handle"),
        """\
{references}filters:
  - pandoc-handle""",
        """\
bibliography: {name}
""",
    ),
}
