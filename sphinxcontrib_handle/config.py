"""Every option, once: its type, its default, the values it accepts, and its help.

A field of `HandleOptions` is the option ``handle_<field>``. `setup_options` registers
them all, and the manual's page is made from the same fields. A value that cannot be used
never stops a build: a warning names it, and the default holds. In a mapping or a list
only the wrong entry is lost.
"""

# ruff: noqa: RUF009, FBT003, TRY004, TRY301
# `option` is `dataclasses.field`; True and False are values; and whatever is wrong with
# a value is a `ValueError`.

from collections.abc import Callable, Iterable, Mapping
from dataclasses import MISSING, Field, dataclass, field, fields
from os import PathLike, fspath
from typing import TYPE_CHECKING, Any, Literal

from handle_system.citing.fields import is_http_url
from handle_system.citing.formats import CitationFormat
from handle_system.display import DisplayStyle
from handle_system.errors import HandleSyntaxError
from handle_system.handle import Handle
from handle_system.proxies import DEFAULT_BASES, KNOWN_BASES, Proxies
from handle_system.resolving import (
    DEFAULT_RESOLVER,
    DEFAULT_TIMEOUT,
    LONGEST_TIMEOUT,
    MOST_CONNECTIONS,
)
from handle_system.verifying.findings import PLACE_FIELDS, place_url
from handle_system.verifying.handle_patterns import HandlePatterns
from handle_system.verifying.verification_settings import VerificationSettings
from sphinxcontrib_handle.links import proxies_of
from sphinxcontrib_handle.messages import SEVERITIES, HandleWarning, warn

if TYPE_CHECKING:
    from sphinx.application import Sphinx
    from sphinx.config import Config

__all__ = ["Check", "HandleOptions", "options", "proxies", "setup_options"]

#: Returns the part of a value that can be used, and passes what is wrong with the rest
#: to the function that it is given. Raises `ValueError` if nothing can be used.
Check = Callable[[Any, Callable[[str], None]], object]


def option(
    default: object,
    check: Check,
    help: str,  # noqa: A002 - the usual name of an option's help
    rebuild: Literal["", "env", "html"] = "env",
) -> Any:
    """Declare an option.

    Args:
        default: The value without one in ``conf.py``; must pickle.
        check: Checks a value.
        help: What the option is for, in sentences, for the manual.
        rebuild: What a change makes stale: ``"env"`` the documents, ``"html"`` the
            pages only, ``""`` nothing.
    """
    metadata = {"check": check, "help": help, "rebuild": rebuild}
    if isinstance(default, (dict, list)):
        factory = type(default)
        return field(default_factory=lambda: factory(default), metadata=metadata)
    return field(default=default, metadata=metadata)


def one_of(*allowed: object) -> Check:
    """Check that a value is one of those; ``1`` is not ``True``."""
    listed = ", ".join(map(repr, allowed))

    def check(value: object, _complain: object) -> object:
        if not any(value == each and type(value) is type(each) for each in allowed):
            raise ValueError(f"{value!r} is none of {listed}")
        return value

    return check


def whole_number(least: int, most: int) -> Check:
    """Check a whole number and its bounds."""

    def check(value: object, _complain: object) -> object:
        if type(value) is not int or not least <= value <= most:
            raise ValueError(f"{value!r} is not a whole number from {least} to {most}")
        return value

    return check


def list_of(check_entry: Callable[[str], object]) -> Check:
    """Check a list of texts, of which it keeps the good ones.

    Args:
        check_entry: Raises `ValueError` for an entry that cannot be used.
    """

    def check(value: object, complain: Callable[[str], None]) -> object:
        if isinstance(value, str) or not isinstance(value, Iterable):
            raise ValueError(f"{value!r} is not a list")
        good = []
        for entry in value:
            try:
                if not isinstance(entry, str):
                    raise ValueError(f"{entry!r} is not text")
                check_entry(entry)
            except ValueError as error:
                complain(str(error))
            else:
                good.append(entry)
        return good

    return check


def pairs_of(check_pair: Callable[[str, str], object]) -> Check:
    """Check a mapping of texts, of which it keeps the good entries.

    Args:
        check_pair: Raises `ValueError` for an entry that cannot be used.
    """

    def check(value: object, complain: Callable[[str], None]) -> object:
        if not isinstance(value, Mapping):
            raise ValueError(f"{value!r} is not a dictionary")
        good = {}
        for key, entry in value.items():
            try:
                if not isinstance(key, str) or not isinstance(entry, str):
                    raise ValueError(f"{key!r}: {entry!r} is not text for text")
                check_pair(key, entry)
            except ValueError as error:
                complain(str(error))
            else:
                good[key] = entry
        return good

    return check


def _proxy(prefix: str, base: str) -> None:
    Proxies({prefix: base})


def _known_proxy(base: str) -> None:
    Proxies(also=[base])


def _role(name: str, prefix: str) -> None:
    if name != name.lower() or not name.replace("-", "").isalnum():
        raise ValueError(
            f"{name!r} is not the name of a role: lower-case letters, digits, hyphens"
        )
    try:
        Handle(prefix, "x")
    except HandleSyntaxError as error:
        raise ValueError(f"{prefix!r} is not a prefix: {error.reason}") from None


def _severity(subtype: str, severity: str) -> None:
    if subtype not in set(HandleWarning):
        raise ValueError(f"{subtype!r} is no kind of warning")
    if severity not in SEVERITIES:
        raise ValueError(f"{severity!r} is none of {', '.join(SEVERITIES)}")


def _resolver(value: object, complain: Callable[[str], None]) -> object:
    entries = [value] if isinstance(value, (str, PathLike)) else value
    if not isinstance(entries, (list, tuple)) or not entries:
        raise ValueError(f"{value!r} is neither a URL or path nor a list of them")
    good = []
    for entry in map(_as_text, entries):
        if not isinstance(entry, str) or not entry:
            complain(f"{entry!r} is neither a URL nor a path")
            continue
        try:
            VerificationSettings(resolvers=(entry,))
        except ValueError as error:
            complain(f"{entry!r}: {error}")
        else:
            good.append(entry)
    if not good:
        return None
    return good[0] if entries is not value else good


def _as_text(value: object) -> object:
    """A path as text; anything else as it is."""
    return fspath(value) if isinstance(value, PathLike) else value


# Sphinx's option -D knows text alone, and writes False as "0".


def _timeout(value: object, _complain: object) -> object:
    try:
        seconds = float(value) if isinstance(value, (str, int, float)) else 0
    except ValueError:
        seconds = 0
    if isinstance(value, bool) or not 0 < seconds <= LONGEST_TIMEOUT:
        raise ValueError(
            f"{value!r} is not a number of seconds up to {LONGEST_TIMEOUT:g}"
        )
    return seconds


def _budget(value: object, _complain: object) -> object:
    if isinstance(value, str) and value.isascii() and value.isdecimal():
        value = int(value)
    if value is not None and (type(value) is not int or value < 0):
        raise ValueError(f"{value!r} is neither a whole number nor None")
    return value


def _cache(value: object, _complain: object) -> object:
    value = False if value == "0" else _as_text(value)
    if (
        value is True
        or not (value is None or isinstance(value, (str, bool)))
        or value == ""
    ):
        raise ValueError(f"{value!r} is neither a path nor False")
    return value


def _text(value: object, _complain: object) -> object:
    if value is not None and not (isinstance(value, str) and value.strip()):
        raise ValueError(f"{value!r} is neither text nor None")
    return value


def _handles(entry: str) -> None:
    try:
        HandlePatterns([entry])
    except HandleSyntaxError as error:
        raise ValueError(
            f"{entry!r} is neither a prefix nor a handle: {error.reason}"
        ) from None


def _document(pattern: str) -> None:
    if not pattern.strip():
        raise ValueError(f"{pattern!r} is no pattern of documents")


def _place_url(value: object, _complain: object) -> object:
    if value is None:
        return None
    sample = place_url(value, "x", 1, "x") if isinstance(value, str) else ""
    if not is_http_url(sample) or {"{", "}"} & set(sample) or sample == value:
        listed = ", ".join(PLACE_FIELDS)
        raise ValueError(
            f"{value!r} is not an address with {listed} and no other braces"
        )
    return value


def _shown(name: str) -> None:
    known = ("reference", "history", "uris", *CitationFormat)
    if name not in known:
        raise ValueError(f"{name!r} is none of {', '.join(known)}")


def _name(name: str) -> None:
    if not name:
        raise ValueError("'' is not a name")


def _item(place: str) -> None:
    is_path = place and ":" not in place and not place.startswith("/")
    if not is_path and not is_http_url(place):
        raise ValueError(f"{place!r} is neither an address nor a path in the site")


@dataclass(frozen=True, slots=True, kw_only=True)
class HandleOptions:
    """The options; each field ``x`` is ``handle_x`` in ``conf.py``."""

    proxies: dict[str, str] = option(
        dict(DEFAULT_BASES),
        pairs_of(_proxy),
        'The proxy that links use, by prefix. The longest prefix wins: ``"10"`` covers '
        '``10.1045``, and ``""`` covers everything. Your entries are added to the default.',
    )
    known_proxies: list[str] = option(
        list(KNOWN_BASES),
        list_of(_known_proxy),
        "More base URLs to recognise in documents. Links still use the proxy that "
        "``handle_proxies`` gives for the prefix.",
    )
    recognize: bool = option(
        True,
        one_of(True, False),
        "Whether references in text and targets of links are recognised. If False, only "
        "roles make links. The page field ``no-handle`` (in Markdown: front matter) "
        "switches it off for a page, the class ``no-handle`` for a link or a block.",
    )
    myst_rules: bool = option(
        True,
        one_of(True, False),
        "Whether MyST's parser gets the Markdown plugin, which recognises references in "
        "text. If False, only roles and links that the author made are read.",
    )
    roles: dict[str, str] = option(
        {},
        pairs_of(_role),
        'Roles of your own, each bound to a prefix. With ``{"policy": "102.100.272"}``, '
        "the role ``policy`` with ``Y35XYS0QH`` means ``102.100.272/Y35XYS0QH``.",
    )
    display: DisplayStyle = option(
        "uri",
        one_of("uri", "url", "handle"),
        "The text of a role without a title: ``uri`` shows the scheme and the handle, "
        "``url`` the link, ``handle`` the handle alone.",
    )
    print_identifiers: bool = option(
        False,
        one_of(True, False),
        "Whether printed output shows the identifier behind a link with a title of its "
        "own: in parentheses in LaTeX, and as an address when a browser prints a page. "
        "Plain text and manual pages always show it.",
        rebuild="html",
    )
    index: bool = option(
        False,
        one_of(True, False),
        "Whether Sphinx writes an index of identifiers, as a page of a site and a chapter "
        "of a book. ``:ref:`handle-identifiers``` links to it.",
        rebuild="html",
    )
    severity: dict[str, str] = option(
        {},
        pairs_of(_severity),
        "The severity of each kind of warning: ``error``, ``warning``, ``info`` or "
        "``off``. For outcomes it also sets the reports and the exit status of "
        "``handlecheck``.",
        rebuild="",
    )
    verify: bool = option(
        False,
        one_of(True, False),
        "Whether every build asks for the record of each handle. The builder "
        "``handlecheck`` always does.",
        rebuild="",
    )
    resolver: str | list[str] = option(
        DEFAULT_RESOLVER,
        _resolver,
        "The resolver, or a list of resolvers that are asked in order: the URL of a proxy, "
        "the path of a records file relative to the source folder, or an ``hdl:`` address. "
        "It does not affect links; ``handle_proxies`` does.",
        rebuild="",
    )
    linkcheck: bool = option(
        True,
        one_of(True, False),
        "Whether the builder ``linkcheck`` checks handle links at their records, and "
        "reports every place as its author wrote it.",
        rebuild="",
    )
    connections: int = option(
        8,
        whole_number(1, MOST_CONNECTIONS),
        "The largest number of requests at the same time.",
        rebuild="",
    )
    timeout: float = option(
        DEFAULT_TIMEOUT,
        _timeout,
        "The time limit of one request, in seconds.",
        rebuild="",
    )
    budget: int | None = option(
        None,
        _budget,
        "The largest number of handles that one build asks servers for. The handles "
        "that were verified longest ago come first.",
        rebuild="",
    )
    cache: str | bool | None = option(
        None,
        _cache,
        "The cache of outcomes: a path relative to the source folder, or a ``redis://`` "
        "URL. Without one, it is a file in the doctree folder. ``False`` (on the command "
        "line ``0``) switches it off.",
        rebuild="",
    )
    verify_ignore: list[str] = option(
        [],
        list_of(_handles),
        "Handles that are not verified: a prefix, which includes the prefixes derived from "
        "it, or a handle in which ``*`` matches any text.",
        rebuild="",
    )
    verify_exclude_documents: list[str] = option(
        [],
        list_of(_document),
        "Documents whose references are not verified, as patterns of document names.",
        rebuild="",
    )
    place_url: str | None = option(
        None,
        _place_url,
        "The address that the report of ``handlecheck`` links each place to. It holds "
        "``{file}`` (the path in the repository), ``{line}`` or ``{document}``. Without it, "
        "places link to the source files.",
        rebuild="",
    )
    cite: str | bool = option(
        False,
        one_of(False, "root", "every"),
        'Where a citation card stands without a directive: at the end of the ``"root"`` '
        'page or of ``"every"`` page. A page with a directive of its own, or with the field '
        "``no-cite``, gets none.",
    )
    work: str | None = option(
        None,
        _text,
        "The file that describes the work: a TOML file or a ``CITATION.cff``, relative to "
        "the source folder. A TOML file with several works needs ``#`` and an id.",
    )
    version: str | None = option(
        None,
        _text,
        "The version of the work that this build is, if a page does not say. Without it, "
        "the version that Read the Docs builds counts, then ``release``.",
    )
    cite_show: list[str] = option(
        [],
        list_of(_shown),
        "Parts that every card shows beside the two statements: ``reference``, "
        "``history``, ``uris``, and the formats ``bibtex``, ``ris``, ``csl-json``, "
        "``cff``, ``text``.",
    )
    environment: list[str] = option(
        [],
        list_of(_name),
        "The environment variables that ``env:NAME`` may read as a handle. Pages and works "
        "files can read no other.",
    )
    linkset: bool = option(
        False,
        one_of(True, False),
        "Whether the site gets a ``linkset.json``, which lists the link relations of all "
        "pages that are versions of works.",
        rebuild="html",
    )
    cite_items: list[str] = option(
        [],
        list_of(_item),
        "Other formats of the same documents, such as a PDF: addresses, or paths in the "
        "built site. The root page links to them for machines.",
        rebuild="html",
    )


def options(config: "Config") -> HandleOptions:
    """The options of a project, checked."""
    names = (each.name for each in fields(HandleOptions))
    return HandleOptions(**{name: getattr(config, f"handle_{name}") for name in names})


def proxies(config: "Config") -> Proxies:
    """The proxies that the project's options name."""
    return proxies_of(config)


def setup_options(app: "Sphinx") -> None:
    """Register the options, and check them before Sphinx checks their types."""
    for each in fields(HandleOptions):
        default = _default(each)
        if isinstance(default, float):
            # Sphinx takes no fraction from the command line, but for a function's value.
            default = _constant(default)
        app.add_config_value(
            f"handle_{each.name}",
            default,
            each.metadata["rebuild"],
            types=Any,  # Our check says more, and keeps what can be used.
            description=each.metadata["help"],
        )
    # Sphinx checks types at 800.
    app.connect("config-inited", _check_options, priority=400)


def _constant(value: object) -> Callable[["Config"], object]:
    return lambda _config: value


def _check_options(_app: "Sphinx", config: "Config") -> None:
    for each in fields(HandleOptions):
        name = f"handle_{each.name}"
        complaints: list[str] = []
        check: Check = each.metadata["check"]
        try:
            value = check(getattr(config, name), complaints.append)
        except ValueError as error:
            complaints.append(str(error))
            value = None
        nothing = value is None and complaints
        setattr(config, name, _default(each) if nothing else value)
        for complaint in complaints:
            warn(config, HandleWarning.CONFIG, f"{name}: {complaint}")


def _default(each: "Field[Any]") -> object:
    if each.default_factory is not MISSING:
        return each.default_factory()
    return each.default
