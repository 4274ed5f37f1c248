"""Every option, once: its type with the checks of a value, its default, its purpose.

A field of `HandleOptions` is the option ``handle_<field>``. `setup_options` registers
the fields, and the manual's page is made from them. A value that cannot be used never
stops a build: a warning names it, and the default holds. In a dictionary or a list
only the wrong entry is lost.
"""

# ruff: noqa: RUF009, FBT003
# `option` is `dataclasses.field`, and True and False are values.

import ast
from collections.abc import Iterator
from dataclasses import Field, dataclass, field, fields
from itertools import chain
from pathlib import Path
from types import UnionType
from typing import (
    TYPE_CHECKING,
    Annotated,
    Any,
    Literal,
    TypeAlias,
    Union,
    get_args,
    get_origin,
)

from sphinx.config import ENUM

from handle_system.citing.formats import CitationFormat
from handle_system.citing.options import FLAGS
from handle_system.describing.age import USUAL_AGE, Days
from handle_system.findings.codes import Code, Severity
from handle_system.findings.finding import Finding, Place
from handle_system.presenting import DisplayStyle
from handle_system.proxies import DEFAULT_BASES, Proxies
from handle_system.resolving import DEFAULT_RESOLVER
from handle_system.settings import (
    Prefix,
    SettingError,
    one_of,
    plain_type,
    structure_entries,
)
from handle_system.suffix_policy import SuffixFormat
from handle_system.text import closest_name
from handle_system.verifying.verification_settings import (
    Budget,
    Connections,
    HandlePattern,
    ResolverName,
    Seconds,
    ServerName,
)
from sphinxcontrib_handle.messages import (
    report_about_run,
    report_finding_about_run,
)

if TYPE_CHECKING:
    from sphinx.application import Sphinx
    from sphinx.config import Config

__all__ = ["HandleOptions", "setup_options"]


def option(
    default: object,
    description: str,
    *,
    rebuild: Literal["", "env", "html"] = "env",
) -> Any:
    """Declare an option.

    Args:
        default: The value without one in ``conf.py``; must pickle.
        description: The purpose of the option, in sentences, for the manual.
        rebuild: The part that a change makes stale: ``"env"`` the documents, ``"html"`` the
            pages only, ``""`` nothing.
    """
    metadata = {
        "default": default,
        "description": description,
        "rebuild": rebuild,
    }
    return field(metadata=metadata)


def _check_prefix(prefix: str) -> None:
    Proxies({prefix: DEFAULT_RESOLVER})


def _check_base(base: str) -> None:
    Proxies(also=[base])


def _check_place_url(template: str) -> None:
    # Few projects set the option, and need what checks it.
    from handle_system.citing.fields import is_http_url  # noqa: PLC0415
    from handle_system.verifying.findings import (  # noqa: PLC0415 (as well)
        PLACE_FIELDS,
        place_url,
    )

    sample = place_url(template, "x", 1, "x")
    if not is_http_url(sample) or {"{", "}"} & set(sample) or sample == template:
        listed = ", ".join(PLACE_FIELDS)
        raise ValueError(
            f"{template!r} is not an address with {listed} and no other braces"
        )


def _check_item(place: str) -> None:
    # As above.
    from handle_system.citing.fields import is_http_url  # noqa: PLC0415

    is_path = place and ":" not in place and not place.startswith("/")
    if not is_path and not is_http_url(place):
        raise ValueError(f"{place!r} is neither an address nor a path in the site")


# The types of settings that only `conf.py` has, with their checks.
_Prefix: TypeAlias = Annotated[str, _check_prefix]
_Base: TypeAlias = Annotated[str, _check_base]
_Kind: TypeAlias = Annotated[str, one_of(tuple(Code))]
# Sphinx calls a note ``info``.
_SEVERITIES = (*Severity, "info")
_Severity: TypeAlias = Annotated[str, one_of(_SEVERITIES)]
_PlaceUrl: TypeAlias = Annotated[str, _check_place_url]
_Item: TypeAlias = Annotated[str, _check_item]
_CardPart: TypeAlias = Annotated[str, one_of((*FLAGS, *CitationFormat))]


# Sphinx holds the values: nothing makes an object of this class.
@dataclass(init=False, repr=False, eq=False)
class HandleOptions:
    """The options; each field ``x`` is ``handle_x`` in ``conf.py``."""

    proxies: dict[_Prefix, _Base] = option(
        dict(DEFAULT_BASES),
        'The proxy that links use, by prefix. The longest prefix wins: ``"10"`` covers '
        '``10.1045``, and ``""`` covers everything. Your entries are added to the default.',
    )
    # `handle_proxies` has one address for a prefix, that of its links.  These are the
    # addresses that links led to before: none belongs to a prefix, and none is written.
    known_proxies: list[_Base] = option(
        [],
        "More base URLs to recognise in documents, beside those of the public proxies. "
        "Links still use the proxy that ``handle_proxies`` gives for the prefix.",
    )
    recognize: bool = option(
        True,
        "Whether references in text and targets of links are recognised. If False, only "
        "roles make links. The page field ``no-handle`` (in Markdown: front matter) "
        "switches it off for a page, the class ``no-handle`` for a link or a block.",
    )
    display: DisplayStyle = option(
        "uri",
        "The text of a role without a title: ``uri`` shows the scheme and the handle, "
        "``url`` the link, ``handle`` the handle alone, ``citation`` the name and the year "
        "of the work, ``number`` its number in a list of references, both in empty links of "
        "Markdown as well, if ``handle_references`` has them.",
    )
    references: str | list[str] | None = option(
        None,
        "The file of references that ``hdl references update`` writes, relative to the "
        "source folder, or a list of files, the first of which wins.",
        rebuild="",
    )
    references_age: Days = option(
        USUAL_AGE,
        "A note says so when what became of the works in the last file of "
        "``handle_references`` was not asked for in so many days; 0 means never.",
        rebuild="",
    )
    severity: dict[_Kind, _Severity] = option(
        {},
        "The severity of each kind of finding: ``error``, ``warning``, ``note`` or "
        "``off``. A note is logged as information, and ``info`` is another word for it "
        "here. For outcomes it also sets the reports and the exit status of "
        "``handlecheck``.",
        rebuild="",
    )
    text_prefixes: list[Prefix] = option(
        [],
        "Prefixes without a digit or a dot whose handles are recognised in running text "
        "behind ``hdl:``. Other words there, as in ``HDL:LDL/TC``, are not prefixes.",
    )
    ignore_case: list[Prefix] = option(
        [],
        "Prefixes whose servers ignore the ASCII case of suffixes. Lists show handles "
        "under them once, and verification and records files take all spellings for one "
        "handle. A prefix that is derived from another one needs an entry of its own.",
    )
    suffix_policy: dict[Prefix, SuffixFormat] = option(
        {},
        "The format of the suffixes of each prefix: ``pilin`` for nine characters that "
        "write a time, or a regular expression of the whole suffix, such as "
        "``[a-z]+-[0-9]{4}``. A suffix without the format is a finding ``suffix``. A prefix "
        "that is derived from another one needs an entry of its own.",
    )
    verify: bool = option(
        False,
        "Whether every build asks for the record of each handle. The builder "
        "``handlecheck`` always does.",
        rebuild="",
    )
    resolver: ResolverName | list[ResolverName] = option(
        DEFAULT_RESOLVER,
        "The resolver, or a list of resolvers that are asked in order: the URL of a proxy, "
        "the path of a records file relative to the source folder, or an ``hdl:`` address. "
        "It does not affect links; ``handle_proxies`` does.",
        rebuild="",
    )
    servers: list[ServerName] = option(
        [],
        "The servers that are asked, over the Handle System's own protocol, for the "
        "references that name them, such as ``hdl://190.12.34.56/1234/567``. An entry is an "
        "IP address, or a host with its port. A reference to any other server is verified "
        "at ``handle_resolver``.",
        rebuild="",
    )
    linkcheck: bool = option(
        True,
        "Whether the builder ``linkcheck`` checks handle links at their records, and "
        "reports every place as its author wrote it.",
        rebuild="",
    )
    connections: Connections = option(
        8,
        "The largest number of requests at the same time.",
        rebuild="",
    )
    timeout: Seconds = option(
        10,
        "The time limit of one request, in seconds.",
        rebuild="",
    )
    budget: Budget | None = option(
        None,
        "The largest number of handles that one build asks servers for. The handles "
        "that were verified longest ago come first.",
        rebuild="",
    )
    cache: str | bool | None = option(
        None,
        "The cache of outcomes: a path relative to the source folder, or a ``redis://`` "
        "URL. Without one, it is a file in the doctree folder. ``False`` (on the command "
        "line ``0``) switches it off.",
        rebuild="",
    )
    verify_ignore: list[HandlePattern] = option(
        [],
        "Handles that are not verified: a prefix, which includes the prefixes derived from "
        "it, or a handle in which ``*`` matches any text.",
        rebuild="",
    )
    verify_exclude_documents: list[str] = option(
        [],
        "Documents whose references are not verified, as patterns of document names.",
        rebuild="",
    )
    place_url: _PlaceUrl | None = option(
        None,
        "The address that the report of ``handlecheck`` links each place to. It holds "
        "``{file}`` (the path in the repository), ``{line}`` or ``{document}``. Without it, "
        "places link to the source files.",
        rebuild="",
    )
    cite: Literal["root", "every", False] = option(
        False,
        'Where a citation card stands without a directive: at the end of the ``"root"`` '
        'page or of ``"every"`` page. A page with a directive of its own, or with the field '
        "``no-cite``, gets none.",
    )
    work: str | None = option(
        None,
        "The file that describes the work: a TOML file or a ``CITATION.cff``, relative to "
        "the source folder. A TOML file with several works needs ``#`` and an id.",
    )
    version: str | None = option(
        None,
        "The version of the work that this build is, if a page does not say. Without it, "
        "the version that Read the Docs builds counts, then ``release``.",
    )
    cite_show: list[_CardPart] = option(
        [],
        "Parts that every card shows beside the two statements: ``reference``, "
        "``history``, ``uris``, ``about``, and the formats "
        f"{', '.join(f'``{name}``' for name in CitationFormat)}.",
    )
    environment: list[str] = option(
        [],
        "The environment variables that ``env:NAME`` may read as a handle. Pages and works "
        "files can read no other.",
    )
    linkset: bool = option(
        False,
        "Whether the site gets a ``linkset.json``, which lists the link relations of all "
        "pages that are versions of works.",
        rebuild="html",
    )
    cite_items: list[_Item] = option(
        [],
        "Other formats of the same documents, such as a PDF: addresses, or paths in the "
        "built site. The root page links to them for machines.",
        rebuild="html",
    )


def setup_options(app: "Sphinx") -> None:
    """Register the options, and check them before Sphinx checks their types."""
    for option_field in fields(HandleOptions):
        app.add_config_value(
            f"handle_{option_field.name}",
            option_field.metadata["default"],
            option_field.metadata["rebuild"],
            types=_sphinx_types(option_field.type),
            description=option_field.metadata["description"],
        )
    # Sphinx checks types at 800, and keeps a value of the wrong type.
    app.connect("config-inited", _check_options, priority=400)


def _sphinx_types(hint: Any) -> ENUM | tuple[type, ...]:
    """The type of an option as Sphinx wants it."""
    if get_origin(hint) is Literal:
        return ENUM(*get_args(hint))
    is_union = get_origin(hint) in {Union, UnionType}
    alternatives = get_args(hint) if is_union else (hint,)
    plain = map(plain_type, alternatives)
    return tuple(get_origin(kind) or kind for kind in plain)


def _check_options(app: "Sphinx", config: "Config") -> None:
    complaints: list[str] = []
    for option_field in fields(HandleOptions):
        name = f"handle_{option_field.name}"
        if getattr(config, name) is option_field.metadata["default"]:
            # Most projects set nothing, and need no cattrs.
            continue
        wrong: list[str] = []
        value = _with_text_paths(getattr(config, name))
        setattr(config, name, _usable(option_field, value, wrong))
        complaints += [f"{name}: {complaint}" for complaint in wrong]
    # Only now can the severity of warnings be read.
    for complaint in complaints:
        report_about_run(config, Code.CONFIG, complaint)
    path = Path(app.confdir, "conf.py")
    known = [option_field.name for option_field in fields(HandleOptions)]
    for name, line in _unknown_options(path, config):
        closest = closest_name(name.removeprefix("handle_"), known)
        hint = f"; did you mean handle_{closest}?" if closest else ""
        message = f"{name} is not an option{hint}"
        finding = Finding.of_kind(Code.CONFIG, "", message).at(Place(str(path), line))
        report_finding_about_run(config, finding, location=f"{path}:{line}")


def _with_text_paths(value: object) -> object:
    """A value with text in the place of paths, also in a list."""
    if isinstance(value, list):
        return [_with_text_paths(entry) for entry in value]
    return str(value) if isinstance(value, Path) else value


def _usable(option_field: "Field[Any]", value: Any, complaints: list[str]) -> object:
    """The part of a value that can be used; the default if there is none."""
    default = option_field.metadata["default"]
    value = _from_command_line(value, _sphinx_types(option_field.type))
    try:
        usable = structure_entries(value, option_field.type, complaints)
    except SettingError as error:
        complaints.append(error.reason)
        return default
    is_empty_list = isinstance(usable, list) and not usable
    return default if is_empty_list else usable


def _from_command_line(value: object, types: ENUM | tuple[type, ...]) -> object:
    """The value of a text after ``-D``; Sphinx converts by the type of the default alone."""
    if isinstance(types, ENUM) or not isinstance(value, str):
        return value
    is_number = int in types or float in types
    if is_number and value.isdecimal():
        return int(value)
    return False if bool in types and value == "0" else value


def _unknown_options(path: Path, config: "Config") -> Iterator[tuple[str, int]]:
    """The names in ``conf.py`` that look like options and are none, with their lines.

    A name that ``conf.py`` itself reads is a variable of its own, and so is a name in a
    function.
    """
    if not path.is_file():
        return
    tree = ast.parse(path.read_bytes())
    local = (ast.FunctionDef, ast.AsyncFunctionDef, ast.ClassDef)
    settings = (node for node in tree.body if not isinstance(node, local))
    read = {
        node.id
        for node in ast.walk(tree)
        if isinstance(node, ast.Name) and isinstance(node.ctx, ast.Load)
    }
    for node in chain.from_iterable(map(ast.walk, settings)):
        if (
            isinstance(node, ast.Name)
            and node.id.startswith("handle_")
            and node.id not in read
            and node.id not in config
        ):
            yield node.id, node.lineno
