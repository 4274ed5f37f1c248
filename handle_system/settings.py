"""Every setting, once: its type with the checks of a value, its default, its purpose.

A field of `Settings` is a setting.  ``conf.py`` calls it ``handle_<name>``, the table
``[tool.handle]`` and the other front ends call it by its name.  A front end reads its
settings with `read`, declares none, and says in `Row.reasons` why it does without one.

Defaults are empty where something is built in, so that the value of a project adds to it.

**Add a setting.** It is one row: a field of `Settings` in `handle_system/settings.py`
with its type, its default, its purpose, why each front end that does not obey it does
without, whether it names a file, whether a stranger's value may do harm, and what a
change makes anew. The type says everything about a value: an annotation such as
`Annotated[int, _check_budget]`, where a check raises `ValueError` for a value that
cannot be used. `handle_system.typed_values` reads it with cattrs: types, checks,
unknown names, "did you mean …" and the place in a message need no code of yours. A
default is empty where something is built in, so that a list adds to it.

From the row come `handle_<name>` in `conf.py`, the name in `[tool.handle]` for Sphinx,
the command and the editor, the option of Python-Markdown and of Pandoc, and its part of
the manual. Add an example to `GROUPS` in `example_docs/_ext/tables_from_code.py` and a
value to `TABLE` in `tests/test_parity/test_settings.py`; if markdown-it-py or mystmd
obeys it, add an argument to `handle_plugin()` or `main()`. A test fails until all of
this is done. Then obey it: `settings.values` in the command, `app.config` in Sphinx,
`settings` in the pipelines. A setting of verification is a field of
`VerificationSettings`, too (`handle_system/verifying/verification_settings.py`), whose
fields go to the child process as one line of JSON; `Settings.verification()` takes it
over from the row.
"""

# ruff: noqa: RUF009, FBT003
# `_row` is `dataclasses.field`, and True and False are values.

from collections.abc import Callable, Mapping
from dataclasses import dataclass, field, fields
from functools import cached_property
from types import MappingProxyType
from typing import Annotated, Any, Literal, NamedTuple, TypeAlias

from handle_system.citing.formats import CitationFormat
from handle_system.citing.options import FLAGS
from handle_system.findings.codes import EVERYWHERE, Code, FrontEnd, Severity
from handle_system.findings.finding import Policy
from handle_system.presenting import DisplayStyle
from handle_system.proxies import Proxies
from handle_system.resolving import DEFAULT_RESOLVER, DEFAULT_TIMEOUT, is_address
from handle_system.suffix_policy import SuffixFormat, SuffixPolicy
from handle_system.syntax import Syntax
from handle_system.typed_values import (
    PYTHON,
    Notation,
    Prefix,
    SettingError,
    did_you_mean,
    one_of,
    structure,
    structure_entries,
)
from handle_system.verifying.handle_patterns import HandlePatterns
from handle_system.verifying.verification_settings import (
    USUAL_CONNECTIONS,
    Budget,
    Connections,
    HandlePattern,
    ResolverName,
    Seconds,
    ServerName,
    VerificationSettings,
)

_SPHINX = FrontEnd.SPHINX
_HDL = FrontEnd.HDL
_EDITOR = FrontEnd.LANGUAGE_SERVER
_MARKDOWN_IT = FrontEnd.MARKDOWN_IT
_PYTHON_MARKDOWN = FrontEnd.PYTHON_MARKDOWN
_PANDOC = FrontEnd.PANDOC
_MYSTMD = FrontEnd.MYSTMD

_Reasons: TypeAlias = Mapping[FrontEnd, str]


class Row(NamedTuple):
    """A setting, and who obeys it.

    Attributes:
        name: Its name.
        hint: Its type, with the checks of values.
        default: The value of a project that does not set it.
        purpose: Its purpose in sentences, for the manual.
        reasons: Why front ends do without it; all others obey it.
        names_file: Whether a value that is no address is the path of a file.
        trust: Why the command and the editor do not take it from a stranger: it names a
            server or a file, or it is a regular expression, which may never end.
        rebuild: The part of a site that a change makes stale: ``"env"`` the documents,
            ``"html"`` the pages only, ``""`` nothing.
    """

    name: str
    hint: Any
    default: Any
    purpose: str
    reasons: _Reasons
    names_file: bool
    trust: Literal["", "server", "file", "pattern"]
    rebuild: Literal["", "env", "html"]

    def is_for(self, front_end: FrontEnd) -> bool:
        """Whether a front end obeys the setting."""
        return front_end not in self.reasons


def _row(
    default: object,
    purpose: str,
    reasons: _Reasons = MappingProxyType({}),
    *,
    names_file: bool = False,
    trust: Literal["", "server", "file", "pattern"] = "",
    rebuild: Literal["", "env", "html"] = "env",
) -> Any:
    columns = (default, purpose, reasons, names_file, trust, rebuild)
    # Nothing changes a value, so all projects may share one.
    return field(default_factory=lambda: default, metadata={"columns": columns})


def _for(*front_ends: FrontEnd, else_: str) -> _Reasons:
    """The reason of all front ends but these."""
    return dict.fromkeys(EVERYWHERE - {*front_ends}, else_)


def _check_days(number: int) -> None:
    if number < 0:
        raise ValueError(f"an age of {number} days is negative")


def _check_prefix_or_all(prefix: str) -> None:
    Proxies({prefix: DEFAULT_RESOLVER})


def _check_base(base: str) -> None:
    Proxies(also=[base])


def _check_place_url(template: str) -> None:
    # Few projects set it, and need what checks it.
    from handle_system.citing.fields import is_http_url  # noqa: PLC0415
    from handle_system.verifying.verdicts import (  # noqa: PLC0415 (few projects set it)
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
    # Few projects set it, and need what checks it.
    from handle_system.citing.fields import is_http_url  # noqa: PLC0415

    is_path = place and ":" not in place and not place.startswith("/")
    if not is_path and not is_http_url(place):
        raise ValueError(f"{place!r} is neither an address nor a path in the site")


# Days without a refresh; 0 is no limit.
_Days: TypeAlias = Annotated[int, _check_days]
_PrefixOrAll: TypeAlias = Annotated[str, _check_prefix_or_all]
_Base: TypeAlias = Annotated[str, _check_base]
_Kind: TypeAlias = Annotated[str, one_of(tuple(Code))]
# Sphinx calls a note ``info``.
_Severity: TypeAlias = Annotated[str, one_of((*Severity, "info"))]
_SyntaxName: TypeAlias = Annotated[str, one_of(tuple(Syntax))]
_PlaceUrl: TypeAlias = Annotated[str, _check_place_url]
_Item: TypeAlias = Annotated[str, _check_item]
_CardPart: TypeAlias = Annotated[str, one_of((*FLAGS, *CitationFormat))]

# Why front ends do without a setting.
_ASKS_NOBODY = "it asks no server for the records of handles; hdl check --verify does"
_HAS_NO_FILES = "the program around it chooses what is read"
_MAKES_NO_SITE = "it makes no site"
_HAS_NO_SWITCH = "leave the plugin out, or mark the text"
_WRITES_NO_LINKS = "it writes no links"
_KEEPS_TEXTS = "links keep their texts, and its citations have a style of their own"
_HAS_ONE_DOCUMENT = "it knows one document at a time"
_MAKES_NO_CARDS = "it makes no citation cards"
_NEEDS_DIGITS = "a prefix in its running text has a digit or a dot"
_IS_A_PROGRAMS = "findings are data, which the program around it weighs"
_TELLS_ALL = "it writes all that it finds to its standard error, which ends no build"
_READERS: _Reasons = {_HDL: _MAKES_NO_CARDS, _EDITOR: _MAKES_NO_CARDS}
_FILES_OF_COMMAND = _for(_HDL, _EDITOR, else_=_HAS_NO_FILES)
_ASKING = _for(_SPHINX, _HDL, else_=_ASKS_NOBODY)
_OF_SITES = _for(_SPHINX, else_=_MAKES_NO_SITE)
_READS_ALL = "it reads whatever a page may show"
_OF_PLUGINS = {
    _SPHINX: "its option is recognize, and roles and directives are always read",
    _HDL: _READS_ALL,
    _EDITOR: _READS_ALL,
    _PANDOC: _HAS_NO_SWITCH,
    _MYSTMD: _HAS_NO_SWITCH,
}


@dataclass(frozen=True, kw_only=True)
class Settings:
    """The settings of a project; a field holds a value of its type, and is not changed."""

    proxies: dict[_PrefixOrAll, _Base] = _row(
        {},
        'The proxy that links use, by prefix. The longest prefix wins: ``"10"`` covers '
        '``10.1045``, and ``""`` covers everything. Your entries are added to '
        "``https://doi.org/`` for DOIs and ``https://hdl.handle.net/`` for all others.",
        trust="server",
    )
    # `proxies` has one address for a prefix, that of its links.  These are the addresses
    # that links led to before: none belongs to a prefix, and none is written or asked.
    known_proxies: list[_Base] = _row(
        [],
        "More base URLs to recognise in documents, beside those of the public proxies. "
        "Links still use the proxy that ``proxies`` gives for the prefix.",
    )
    recognize: bool = _row(
        True,
        "Whether references in text and targets of links are recognised. If False, only "
        "roles make links. The page field ``no-handle`` (in Markdown: front matter) "
        "switches it off for a page, the class ``no-handle`` for a link or a block.",
        {
            **_for(_SPHINX, else_=_HAS_NO_SWITCH),
            _HDL: "exclude, and comments in files, say what is not read",
            _EDITOR: "exclude, and comments in files, say what is not read",
            _MARKDOWN_IT: "its option is text",
            _PYTHON_MARKDOWN: "its option is text",
        },
    )
    text: bool = _row(
        True, "Whether references in running text become links.", _OF_PLUGINS
    )
    roles: bool = _row(True, "Whether roles are read.", _OF_PLUGINS)
    fences: bool = _row(
        True,
        "Whether the fences of citation cards are read, in Python-Markdown also those of "
        "lists. The two front ends call it ``cite``.",
        _OF_PLUGINS,
    )
    document_charset: str = _row(
        "",
        "The charset of percent-encoded octets that are not UTF-8, in links and roles.",
        {
            **_for(_MARKDOWN_IT, _PYTHON_MARKDOWN, else_="its documents are UTF-8"),
            _SPHINX: "source_encoding says it",
            _HDL: "it is the charset of each file",
            _EDITOR: "it is the charset of each file",
        },
    )
    display: DisplayStyle = _row(
        "uri",
        "The text of a role without a title: ``uri`` shows the scheme and the handle, "
        "``url`` the link, ``handle`` the handle alone, ``citation`` the name and the year "
        "of the work, ``number`` its number in a list of references, both in empty links of "
        "Markdown as well, if ``references`` has them.",
        {
            _HDL: _WRITES_NO_LINKS,
            _EDITOR: _WRITES_NO_LINKS,
            _PANDOC: _KEEPS_TEXTS,
            _MYSTMD: _KEEPS_TEXTS,
        },
    )
    text_prefixes: list[Prefix] = _row(
        [],
        "Prefixes without a digit or a dot whose handles are recognised in running text "
        "behind ``hdl:``. Other words there, as in ``HDL:LDL/TC``, are not prefixes.",
        {_PANDOC: _NEEDS_DIGITS, _MYSTMD: _NEEDS_DIGITS},
    )
    severity: dict[_Kind, _Severity] = _row(
        {},
        "The severity of each kind of finding: ``error``, ``warning``, ``note`` or "
        "``off``. A note is logged as information, and ``info`` is another word for it "
        "here. For outcomes it also sets the reports and the exit status of "
        "``handlecheck``.",
        {_MYSTMD: _TELLS_ALL},
        rebuild="",
    )
    ignore: list[_Kind] = _row(
        [],
        "The kinds of findings that are not reported, as with the severity ``off``.",
        {_MARKDOWN_IT: _IS_A_PROGRAMS, _MYSTMD: _TELLS_ALL},
        rebuild="",
    )
    strict: bool = _row(
        False,
        "Whether a warning or an error ends the build, after all findings are told.",
        {
            _SPHINX: "sphinx-build -W says it",
            _HDL: "its exit status says it",
            _EDITOR: "it ends nothing",
            _MARKDOWN_IT: _IS_A_PROGRAMS,
            _MYSTMD: _TELLS_ALL,
        },
        rebuild="",
    )
    suffix_policy: dict[Prefix, SuffixFormat] = _row(
        {},
        "The format of the suffixes of each prefix: ``pilin`` for nine characters that "
        "write a time, or a regular expression of the whole suffix, such as "
        "``[a-z]+-[0-9]{4}``. A suffix without the format is a finding ``suffix``. A prefix "
        "that is derived from another one needs an entry of its own.",
        {
            _PANDOC: "a regular expression in a document of a stranger may never end",
            _MYSTMD: "hdl check says it",
        },
        trust="pattern",
    )
    references: str | list[str] | None = _row(
        None,
        "The file of references that ``hdl references update`` writes, or a list of files, "
        "the first of which wins.",
        {_PANDOC: "the document names its bibliography"},
        names_file=True,
        trust="file",
        rebuild="",
    )
    references_age: _Days = _row(
        90,
        "A note says so when what became of the works in the last file of "
        "``references`` was not asked for in so many days; 0 means never.",
        _for(_SPHINX, _HDL, _EDITOR, else_="hdl check says it"),
        rebuild="",
    )
    retractions: str = _row(
        "",
        "A copy of the file of Retraction Watch (CSV), whose states of works are added to "
        "those of ``references``.",
        {
            _PANDOC: "hdl check says it",
            _MYSTMD: "it begins anew for each page, and reading the file takes its time",
        },
        names_file=True,
        trust="file",
        rebuild="",
    )
    style: str = _row(
        "",
        "The file of the CSL style in which ``hdl references update`` formats references.",
        _for(
            _HDL, _EDITOR, else_="hdl references update formats references once for all"
        ),
        names_file=True,
        rebuild="",
    )
    exclude: list[str] = _row(
        [],
        "Patterns of paths that are skipped, in addition to those in ``.hdlignore``.",
        _FILES_OF_COMMAND,
        rebuild="",
    )
    gitignore: bool = _row(
        True,
        "Whether what git ignores is skipped.",
        {**_FILES_OF_COMMAND, _EDITOR: "it reads the files that are open"},
        rebuild="",
    )
    built: bool = _row(
        False,
        "Whether what a build made is read.",
        {**_FILES_OF_COMMAND, _EDITOR: "it reads the files that are open"},
        rebuild="",
    )
    syntax: dict[str, _SyntaxName] = _row(
        {},
        "The syntax of files by their suffix, in addition to the usual ones: "
        f"{', '.join(f'``{syntax}``' for syntax in Syntax)}.",
        _FILES_OF_COMMAND,
        rebuild="",
    )
    verify: bool = _row(
        False,
        "Whether every build asks for the record of each handle. The builder "
        "``handlecheck`` always does.",
        {**_for(_SPHINX, else_=_ASKS_NOBODY), _HDL: "its option is --verify"},
        rebuild="",
    )
    resolver: ResolverName | list[ResolverName] = _row(
        DEFAULT_RESOLVER,
        "The resolver, or a list of resolvers that are asked in order: the URL of a proxy, "
        "the path of a records file, or an ``hdl:`` address. "
        "It does not affect links; ``proxies`` does.",
        _ASKING,
        names_file=True,
        trust="server",
        rebuild="",
    )
    servers: list[ServerName] = _row(
        [],
        "The servers that are asked, over the Handle System's own protocol, for the "
        "references that name them, such as ``hdl://190.12.34.56/1234/567``. An entry is an "
        "IP address, or a host with its port. A reference to any other server is verified "
        "at ``resolver``.",
        _ASKING,
        trust="server",
        rebuild="",
    )
    linkcheck: bool = _row(
        True,
        "Whether the builder ``linkcheck`` checks handle links at their records, and "
        "reports every place as its author wrote it.",
        _OF_SITES,
        rebuild="",
    )
    ignore_case: list[Prefix] = _row(
        [],
        "Prefixes whose servers ignore the ASCII case of suffixes. Lists show handles "
        "under them once, and verification and records files take all spellings for one "
        "handle. A prefix that is derived from another one needs an entry of its own.",
        _for(
            _SPHINX, _HDL, _EDITOR, else_="its lists take handles as they are written"
        ),
    )
    connections: Connections = _row(
        USUAL_CONNECTIONS,
        "The largest number of requests at the same time.",
        _ASKING,
        rebuild="",
    )
    # The options and their documentation show a whole number, as people write it.
    timeout: Seconds = _row(
        int(DEFAULT_TIMEOUT),
        "The time limit of one request, in seconds.",
        _for(_SPHINX, _HDL, _EDITOR, else_=_ASKS_NOBODY),
        rebuild="",
    )
    budget: Budget | None = _row(
        None,
        "The largest number of handles that one run asks servers for. The handles "
        "that were verified longest ago come first.",
        _ASKING,
        rebuild="",
    )
    cache: str | Literal[False] | None = _row(
        None,
        "The cache of outcomes: a path, or a ``redis://`` URL. Without one, it is a file in "
        "the doctree folder of Sphinx, and ``hdl`` has none. ``False`` (on the command line "
        "``0``) switches it off.",
        _ASKING,
        names_file=True,
        trust="file",
        rebuild="",
    )
    verify_ignore: list[HandlePattern] = _row(
        [],
        "Handles that are not verified: a prefix, which includes the prefixes derived from "
        "it, or a handle in which ``*`` matches any text.",
        _for(_SPHINX, _HDL, _EDITOR, else_=_ASKS_NOBODY),
        rebuild="",
    )
    verify_exclude_documents: list[str] = _row(
        [],
        "Documents whose references are not verified, as patterns of document names.",
        {**_for(_SPHINX, else_=_ASKS_NOBODY), _HDL: "name the files to verify"},
        rebuild="",
    )
    place_url: _PlaceUrl | None = _row(
        None,
        "The address that the report of ``handlecheck`` links each place to. It holds "
        "``{file}`` (the path in the repository), ``{line}`` or ``{document}``. Without it, "
        "places link to the source files.",
        _OF_SITES,
        rebuild="",
    )
    cite: Literal["root", "every", False] = _row(
        False,
        'Where a citation card stands without a directive: at the end of the ``"root"`` '
        'page or of ``"every"`` page. A page with a directive of its own, or with the field '
        "``no-cite``, gets none.",
        {**_for(_SPHINX, else_=_HAS_ONE_DOCUMENT), **_READERS},
    )
    work: str | None = _row(
        None,
        "The file that describes the work: a TOML file or a ``CITATION.cff``. "
        "A TOML file with several works needs ``#`` and an id.",
        {
            **_READERS,
            _PANDOC: _MAKES_NO_CARDS,
            _PYTHON_MARKDOWN: "the front matter of a page describes its work",
        },
        names_file=True,
    )
    version: str | None = _row(
        None,
        "The version of the work that this build is, if a page does not say. Without it, "
        "the version that Read the Docs builds counts, then ``release``.",
        {
            **_READERS,
            _PANDOC: _MAKES_NO_CARDS,
            _MYSTMD: "the directive, or the file of its work, says it",
        },
    )
    cite_show: list[_CardPart] = _row(
        [],
        "Parts that every card shows beside the two statements: ``reference``, "
        "``history``, ``uris``, ``about``, and the formats "
        f"{', '.join(f'``{name}``' for name in CitationFormat)}.",
        {
            **_READERS,
            _PANDOC: _MAKES_NO_CARDS,
            _MYSTMD: "the options of the directive say it",
            _PYTHON_MARKDOWN: "the options of the fence say it",
        },
    )
    environment: list[str] = _row(
        [],
        "The environment variables that ``env:NAME`` may read as a handle. Pages and works "
        "files can read no other.",
        {
            _HDL: "its option is --env",
            _EDITOR: _MAKES_NO_CARDS,
            _PANDOC: _MAKES_NO_CARDS,
            _MYSTMD: "it reads no variables",
            _PYTHON_MARKDOWN: "it reads no variables",
        },
    )
    page: dict[str, Any] = _row(
        {},
        "Metadata of the page, for the card, where no builder gives them.",
        _for(_PYTHON_MARKDOWN, else_="its pages have front matter"),
    )
    linkset: bool = _row(
        False,
        "Whether the site gets a ``linkset.json``, which lists the link relations of all "
        "pages that are versions of works.",
        _OF_SITES,
        rebuild="html",
    )
    cite_items: list[_Item] = _row(
        [],
        "Other formats of the same documents, such as a PDF: addresses, or paths in the "
        "built site. The root page links to them for machines.",
        _OF_SITES,
        rebuild="html",
    )

    @cached_property
    def link_proxies(self) -> Proxies:
        """Where links lead, and which addresses are read."""
        return Proxies(self.proxies).also_knowing(self.known_proxies)

    @cached_property
    def policy(self) -> Policy:
        """The severities of findings."""
        return Policy(self.severity, self.ignore)

    @cached_property
    def suffixes(self) -> SuffixPolicy:
        """The formats of suffixes."""
        return SuffixPolicy(self.suffix_policy)

    @cached_property
    def unverified(self) -> HandlePatterns:
        """The handles that are not verified."""
        return HandlePatterns(self.verify_ignore)

    def verification(
        self, locate: Callable[[str], str], cache: str | None, **http: Any
    ) -> VerificationSettings:
        """How to verify.

        Args:
            locate: Gives the address or the path of a resolver from what is written.
            cache: The address of the cache; `None` for no cache.
            http: The settings of HTTP that are none of a project.
        """
        return VerificationSettings(
            resolvers=tuple(map(locate, self.resolvers)),
            servers=tuple(self.servers),
            ignore_case=tuple(self.ignore_case),
            connections=self.connections,
            timeout=self.timeout,
            budget=self.budget,
            cache=cache,
            **http,
        )

    @property
    def charset(self) -> str | None:
        """The charset of percent-encoded octets, if they are not UTF-8."""
        return self.document_charset or None

    @property
    def resolvers(self) -> list[str]:
        """The resolvers in their order."""
        return listed(self.resolver) or [DEFAULT_RESOLVER]

    @property
    def references_files(self) -> list[str]:
        """The files of references as they are written, the first of which wins."""
        return listed(self.references)


def listed(value: str | list[str] | None) -> list[str]:
    """The texts of a setting that takes one or several."""
    if isinstance(value, str):
        return [value]
    return value or []


#: Every setting by its name.
ROWS: Mapping[str, Row] = MappingProxyType(
    {
        setting.name: Row(setting.name, setting.type, *setting.metadata["columns"])
        for setting in fields(Settings)
    }
)
# Two front ends have another name for a setting, whose own means something else here.
_OTHER_NAMES: Mapping[tuple[FrontEnd, str], str] = {
    (_MARKDOWN_IT, "cite"): "fences",
    (_PYTHON_MARKDOWN, "cite"): "fences",
}


def read(
    written: Mapping[str, object],
    front_end: FrontEnd,
    notation: Notation = PYTHON,
    *,
    notes: list[SettingError] | None = None,
    complaints: list[SettingError] | None = None,
) -> dict[str, Any]:
    """The values of the settings that a front end obeys, by their names.

    Args:
        written: The values as they are written.
        front_end: The front end.
        notation: The language of messages.
        notes: Receives what is wrong with a setting of other front ends, in a table that
            all share; without it, such a setting is itself an error.
        complaints: Receives what cannot be used, which is left out; without it, the first
            is an error.

    Raises:
        SettingError: when a setting is unknown, or cannot be used.
    """
    values: dict[str, Any] = {}
    for name, value in written.items():
        try:
            row = _row_of(name, front_end, is_shared=notes is not None)
        except SettingError as error:
            _complain(error, complaints)
            continue
        is_own = row.is_for(front_end)
        wrong = complaints if is_own else notes
        reasons: list[str] = []
        try:
            if wrong is None:
                usable = structure(value, row.hint, notation)
            else:
                usable = structure_entries(value, row.hint, reasons, notation)
        except SettingError as error:
            located = SettingError(error.reason, f".{name}{error.path}")
            _complain(located, wrong)
            continue
        for reason in reasons:
            _complain(SettingError(reason, f".{name}"), wrong)
        is_anything_left = usable or not reasons
        if is_own and is_anything_left:
            values[row.name] = usable
    return values


def located(values: Mapping[str, Any], place: Callable[[str], str]) -> dict[str, Any]:
    """The values of settings, with the paths of files turned into others.

    Args:
        values: The values by name.
        place: Gives the other path for one as it is written.
    """
    return {
        name: _located(value, place) if ROWS[name].names_file else value
        for name, value in values.items()
    }


def _located(value: Any, place: Callable[[str], str]) -> Any:
    if isinstance(value, list):
        return [_located(entry, place) for entry in value]
    is_path = isinstance(value, str) and not is_address(value)
    return place(value) if is_path else value


def spelling(name: str, front_end: FrontEnd) -> str:
    """The name of a setting among the options of a front end."""
    for (named_by, other_name), own_name in _OTHER_NAMES.items():
        if (named_by, own_name) == (front_end, name):
            return other_name
    return name


def _row_of(name: str, front_end: FrontEnd, *, is_shared: bool) -> Row:
    """The row of a setting.

    Raises:
        SettingError: when there is none, or only other front ends obey it.
    """
    if not is_shared:
        name = _OTHER_NAMES.get((front_end, name), name)
    row = ROWS.get(name)
    if row is None:
        raise SettingError(did_you_mean(name, ROWS))
    if not is_shared and not row.is_for(front_end):
        raise SettingError(f"{name!r} is no option here: {row.reasons[front_end]}")
    return row


def _complain(error: SettingError, wrong: list[SettingError] | None) -> None:
    """Note an error, or raise it."""
    if wrong is None:
        raise error
    wrong.append(error)
