"""Every option, once: its type, its default, what it accepts and what it is for.

A field of `HandleOptions` is the option ``handle_<field>``.  The loop at the end
registers them all, checks what ``conf.py`` gives, and the manual's page is made
from the same fields.  A value that cannot be used never stops a build: it is
warned of by name, and the default holds; in a mapping or a list only the entry
at fault is lost.
"""

# ruff: noqa: RUF009 - `option` is `dataclasses.field` with fixed metadata.

from dataclasses import MISSING, Field, dataclass, fields
from functools import lru_cache
from typing import TYPE_CHECKING, Any, cast

from handle_system.display import DisplayStyle
from handle_system.proxies import DEFAULT_BASES, KNOWN_BASES, Proxies
from handle_system.resolving import (
    DEFAULT_RESOLVER,
    DEFAULT_TIMEOUT,
    MOST_CONNECTIONS,
)
from sphinxcontrib_handle.messages import HandleWarning, warn
from sphinxcontrib_handle.option_checks import (
    Checked,
    check_budget,
    check_cache,
    check_documents,
    check_handles,
    check_items,
    check_known,
    check_names,
    check_place_url,
    check_proxy,
    check_resolver,
    check_role,
    check_severity,
    check_shown,
    check_text,
    check_timeout,
    mapping_of,
    one_of,
    whole_number,
    yes_or_no,
)
from sphinxcontrib_handle.option_field import option

if TYPE_CHECKING:
    from collections.abc import Callable

    from sphinx.application import Sphinx
    from sphinx.config import Config

__all__ = ["HandleOptions", "options", "proxies", "setup_options"]


@dataclass(frozen=True, slots=True, kw_only=True)
class HandleOptions:
    """The options; each field ``x`` is ``handle_x`` in ``conf.py``."""

    proxies: dict[str, str] = option(
        dict(DEFAULT_BASES),
        mapping_of(check_proxy),
        "Which proxy resolves which handles: base URL by prefix. The longest prefix "
        'wins; ``"10"`` covers ``10.1045``, and ``""`` all. It is laid over the '
        "default, so that an institution adds only its own.",
    )
    known_proxies: list[str] = option(
        list(KNOWN_BASES),
        check_known,
        "Base URLs that are recognised in documents besides those of "
        "``handle_proxies``, and come out as links to the proxy of the prefix.",
    )
    recognize: bool = option(
        True,  # noqa: FBT003 - the default
        yes_or_no,
        "Whether references already in the documents are made right. Off, only the "
        "roles work. A page switches it off with the field ``no-handle`` (in Markdown, "
        "in its front matter), and a link or a block with the class ``no-handle``.",
    )
    myst_rules: bool = option(
        True,  # noqa: FBT003 - the default
        yes_or_no,
        "Whether MyST's parser gets the Markdown plugin, which reads references in "
        "text. Off, only links of the author and roles are set.",
    )
    roles: dict[str, str] = option(
        {},
        mapping_of(check_role),
        'Roles of the project\'s own, each bound to a prefix: with ``{"policy": '
        '"102.100.272"}`` the role ``policy`` takes a suffix, and ``Y35XYS0QH`` in it is '
        "``102.100.272/Y35XYS0QH``.",
    )
    display: DisplayStyle = option(
        "uri",
        one_of("uri", "url", "handle"),
        "What a role without a title shows: ``uri`` the scheme and the handle, "
        "``url`` the link, ``handle`` the handle alone.",
    )
    print_identifiers: bool = option(
        False,  # noqa: FBT003 - the default
        yes_or_no,
        "Whether what is printed shows the identifiers of links that have a title of "
        "their own: in parentheses behind them in LaTeX, and their address behind them "
        "when a web page is printed. Plain text and manual pages always show them.",
        rebuild="html",
    )
    index: bool = option(
        False,  # noqa: FBT003 - the default
        yes_or_no,
        "Whether there is an index of identifiers, as a page and as a chapter of the "
        "book, which ``:ref:`handle-identifiers``` refers to.",
        rebuild="html",
    )
    severity: dict[str, str] = option(
        {},
        mapping_of(check_severity),
        "How severe a kind of warning is, by its subtype: ``error``, ``warning``, "
        "``info`` or ``off``. For what verification finds, it decides what the "
        "reports and the exit status of ``handlecheck`` make of it, too.",
        rebuild="",
    )
    verify: bool = option(
        False,  # noqa: FBT003 - the default
        yes_or_no,
        "Whether every build verifies at the handles' own records that they are "
        "registered. The builder ``handlecheck`` does so in any case.",
        rebuild="",
    )
    resolver: str | list[str] = option(
        DEFAULT_RESOLVER,
        check_resolver,
        "Who is asked: a proxy's base URL, or the path of a file of records, relative "
        "to the source folder; or a list of them, asked in order. What links lead to "
        "is ``handle_proxies``.",
        rebuild="",
    )
    linkcheck: bool = option(
        True,  # noqa: FBT003 - the default
        yes_or_no,
        "Whether the builder ``linkcheck`` asks for handles at their records, and "
        "reports every place of each as its author wrote it.",
        rebuild="",
    )
    connections: int = option(
        8,
        whole_number(1, MOST_CONNECTIONS),
        "How many connections may be open at once.",
        rebuild="",
    )
    timeout: float = option(
        DEFAULT_TIMEOUT,
        check_timeout,
        "Seconds for one request, from its first octet to its last.",
        rebuild="",
    )
    budget: int | None = option(
        None,
        check_budget,
        "How many handles one build may ask for at most; those whose last "
        "verification is longest ago have the first turn.",
        rebuild="",
    )
    cache: str | bool | None = option(
        None,
        check_cache,
        "Where outcomes are kept from one build to the next: a path, relative to the "
        "source folder; without one, a file in the folder of the doctrees. ``False`` "
        "(on the command line ``0``) keeps none.",
        rebuild="",
    )
    verify_ignore: list[str] = option(
        [],
        check_handles,
        "Handles that are not asked for: prefixes, each with those derived from it "
        "(``20.1000``), and handles in which ``*`` stands for any text "
        "(``20.1000/draft-*``).",
        rebuild="",
    )
    verify_exclude_documents: list[str] = option(
        [],
        check_documents,
        "Documents whose references are not verified: patterns of their names, such as "
        "``drafts/*``.",
        rebuild="",
    )
    place_url: str | None = option(
        None,
        check_place_url,
        "Where the page that ``handlecheck`` writes links each place to: an address "
        "with ``{file}``, the file's path in the repository, ``{line}`` or "
        "``{document}`` in it. Without it, the source file itself.",
        rebuild="",
    )
    cite: str | bool = option(
        False,  # noqa: FBT003 - the default
        one_of(False, "root", "every"),  # noqa: FBT003 - a value allowed
        "Where the block ``cite-version`` stands without a directive: at the end of the "
        '``"root"`` page, or of ``"every"`` page. A page with a directive, or with the '
        "field ``no-cite``, has none.",
    )
    work: str | None = option(
        None,
        check_text,
        "The file that describes the work which the documents are: a TOML file of works "
        "or a ``CITATION.cff``, relative to the source folder; with ``#`` and an ``id`` "
        "if it describes several.",
    )
    version: str | None = option(
        None,
        check_text,
        "Which version of the work this is, if no page says so. Without it, the name of "
        "the version on Read the Docs, else the ``release``.",
    )
    cite_show: list[str] = option(
        [],
        check_shown,
        "What every block shows beside the two statements: ``history``, ``uris``, "
        "``reference``, and formats (``bibtex``, ``ris``, ``csl-json``, ``cff``, "
        "``text``).",
    )
    environment: list[str] = option(
        [],
        check_names,
        "Names of the environment variables that ``env:NAME`` may read in place of a "
        "handle. Pages and files of works cannot read any other.",
    )
    linkset: bool = option(
        False,  # noqa: FBT003 - the default
        yes_or_no,
        "Whether a site has a ``linkset.json``, which lists the link relations of all "
        "pages that are versions of works.",
        rebuild="html",
    )
    cite_items: list[str] = option(
        [],
        check_items,
        "The same documents in other shapes, such as a PDF: addresses, or paths in the "
        "built site. The root page links to them, for machines.",
        rebuild="html",
    )


def options(config: "Config") -> HandleOptions:
    """The options of a project, checked."""
    return HandleOptions(
        **{
            each.name: getattr(config, f"handle_{each.name}")
            for each in fields(HandleOptions)
        }
    )


def proxies(config: "Config") -> Proxies:
    """The proxies that the project's options name; built once."""
    return _proxies(
        tuple(config.handle_proxies.items()), tuple(config.handle_known_proxies)
    )


@lru_cache(maxsize=8)
def _proxies(bases: tuple[tuple[str, str], ...], also: tuple[str, ...]) -> Proxies:
    return Proxies(dict(bases), also=also)


def setup_options(app: "Sphinx") -> None:
    """Register the options, and check them before Sphinx checks their types."""
    for each in fields(HandleOptions):
        app.add_config_value(
            f"handle_{each.name}",
            _registered(each),
            each.metadata["rebuild"],
            types=Any,  # The check below says more, and mends.
        )
    # Sphinx's own check of types is at 800; ours says more, and mends.
    app.connect("config-inited", _check_options, priority=400)


def _check_options(_app: "Sphinx", config: "Config") -> None:
    for each in fields(HandleOptions):
        name = f"handle_{each.name}"
        check = cast("Callable[[object], Checked]", each.metadata["check"])
        value, complaints = check(getattr(config, name))
        for complaint in complaints:
            warn(config, HandleWarning.CONFIG, f"{name}: {complaint}")
        setattr(config, name, _default(each) if value is None else value)


def _registered(each: "Field[Any]") -> object:
    """The default as Sphinx is told it.

    Of a number with a fraction it does not take another from the command line, but of
    a function it does.
    """
    default = _default(each)
    return (lambda _config: default) if isinstance(default, float) else default


def _default(each: "Field[Any]") -> object:
    if each.default_factory is not MISSING:
        return each.default_factory()
    return each.default
