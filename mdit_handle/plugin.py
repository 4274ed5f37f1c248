"""The plugin: its options, its rules, and their places in the chains."""

from collections.abc import Callable, Collection, Mapping, Sequence
from functools import cache
from os import PathLike
from pathlib import Path
from typing import TYPE_CHECKING, TypeAlias, TypeVar, get_args

from markdown_it import MarkdownIt
from markdown_it.ruler import Ruler
from markdown_it.rules_core import inline as inline_of_core
from markdown_it.rules_inline import autolink, html_inline, link, text

from handle_system.findings.codes import Code, Severity
from handle_system.presenting import DisplayStyle
from handle_system.proxies import DEFAULT_PROXIES, Proxies
from handle_system.settings import Settings
from mdit_handle.inline import (
    CITE_NAME,
    LINKS_RULE,
    OptionsOf,
    inline_rule,
    note_target,
    note_target_in_html,
    noting,
    text_rule,
)
from mdit_handle.inline_markup import Options
from mdit_handle.links import handle_links

if TYPE_CHECKING:
    from markdown_it.rules_core import StateCore

    from handle_system.citing.work import Work
    from mdit_handle.cite import Citations

StrPath: TypeAlias = str | PathLike[str]

_Rule = TypeVar("_Rule")


def handle_plugin(  # noqa: PLR0913 - options, each by its name
    md: MarkdownIt,
    *,
    proxies: Proxies | Mapping[str, str] = DEFAULT_PROXIES,
    known_proxies: Collection[str] = (),
    document_charset: str | None = None,
    display: DisplayStyle = "uri",
    references: StrPath | Sequence[StrPath] | None = None,
    retractions: StrPath | None = None,
    suffix_policy: Mapping[str, str] | None = None,
    severity: Mapping[str, str] | None = None,
    text_prefixes: Collection[str] = (),
    text: bool = True,
    roles: bool = True,
    cite: bool = True,
    version: str | None = None,
    translate: Callable[[str], str] | None = None,
    release: str | None = None,
    work: "Work | str | PathLike[str] | None" = None,
    cite_show: Collection[str] = (),
    sources: str | PathLike[str] | None = None,
    environment: Mapping[str, str] | None = None,
) -> None:
    """Make links of the handles and DOIs in a document.

    Args:
        md: The parser.
        proxies: Base of the link by prefix, or a `Proxies`.
        known_proxies: More base URLs to recognise in documents, beside those of the
            public proxies.
        document_charset: Charset of percent-encoded octets that are not UTF-8, in
            links and roles.
        display: The text of a reference that has none of its own: ``uri``
            (``hdl:20.1000/100``), ``url``, the ``handle`` alone, or, if `references`
            has them, the name and year of the work (``citation``) or its number in
            the list that ``{handle-references}`` shows (``number``).
        references: The file of references that ``hdl references update`` writes, or
            several, the first of which wins: links get the reference as their title,
            and the record of a work that was retracted, corrected and so on has a
            finding. The files are read once, here.
        retractions: A copy of the file of Retraction Watch (CSV), whose states of works
            are added to those of `references`.
        suffix_policy: The format of suffixes by prefix, ``pilin`` or a regular
            expression of the whole suffix: a suffix without it has a finding
            ``suffix``.
        severity: The severity of each kind of finding: ``error``, ``warning``, ``note``,
            or ``off``. ``undescribed`` is off by default.
        text_prefixes: Prefixes without a digit or a dot whose handles are recognised
            in running text behind ``hdl:``.
        text: Whether references in running text become links.
        roles: Whether ``{hdl}`…``` and ``{doi}`…``` are read.
        cite: Whether the directive ``{cite-version}`` is read.
        version: Which version of a work its pages are, if they do not say.
        translate: A function that translates the words of a citation.
        release: The release of what the documents describe; a citation of another
            version is recorded as doubtful.
        work: The work that the documents are, if they do not say: a `Work`, or a
            file that describes it, with ``#`` and an ``id`` if it describes several.
        cite_show: The parts of every citation: ``history``, ``uris``, ``reference``,
            and formats (``bibtex``, ``ris``, ``csl-json``, ``cff``, ``text``).
        sources: The folder whose files documents may name with ``source``. Without
            it they can name none. A document's own path in it is ``env["path"]``.
        environment: The environment variables that documents may name, such as
            `os.environ`. Without it they can name none.

    Raises:
        CitationError: when the work's file does not describe it.
        ValueError: when a proxy or a format of suffixes cannot be used, or there is no
            such `display`, kind, severity or thing to show.
    """
    _check(display, get_args(DisplayStyle), "display")
    for code, level in (severity or {}).items():
        _check(code, [*Code], "severity")
        _check(level, [*Severity], f"severity.{code}")
    if isinstance(proxies, Proxies):
        known_proxies = (*proxies.also, *known_proxies)
        proxies = proxies.bases
    values = Settings(
        proxies=dict(proxies),
        known_proxies=[*known_proxies],
        display=display,
        severity=dict(severity or {}),
        suffix_policy=dict(suffix_policy or {}),
        text_prefixes=[*text_prefixes],
        text=text,
        roles=roles,
    )
    works = None
    if references is not None or retractions:
        from handle_system.describing.described_works import read_described_works  # noqa: PLC0415 - not loaded if not wanted

        works = read_described_works(_paths(references or ()))
        works = works.with_retractions(Path(retractions) if retractions else None)
    options = Options(values=values, charset=document_charset, works=works)
    add_links(md, lambda _state: options)
    if works is not None:
        # Most pages have no file of references, and do without these.
        from handle_system.describing.page_settings import (  # noqa: PLC0415 - see above
            PageSettings,
        )
        from mdit_handle.page_citations import (  # noqa: PLC0415 - see above
            PageCitations,
        )

        settings = PageSettings(
            proxies=values.link_proxies, display=display, translate=translate or str
        )
        page_citations = PageCitations(works, settings, values.policy)
        md.core.ruler.after(LINKS_RULE, "handle_page_citations", page_citations.rule)
    if not cite:
        return

    @cache
    def citations() -> "Citations":
        from mdit_handle.cite import Citations  # noqa: PLC0415 - loads all of citing

        return Citations(
            values,
            version=version or "",
            translate=translate,
            release=release,
            work=work,
            show=cite_show,
            sources=sources,
            environment=environment,
            references=works,
        )

    def handle_cite(state: "StateCore") -> None:
        if CITE_NAME in state.src:
            citations().rule(state)

    md.core.ruler.after(LINKS_RULE, "handle_cite", handle_cite)
    if work is not None or cite_show:
        # Read them now, so that a mistake is an error here.
        citations()


def _check(value: str, choices: Collection[str], option: str) -> None:
    if value in choices:
        return
    from handle_system.typed_values import (  # noqa: PLC0415 - not loaded if not wanted
        did_you_mean,
    )

    raise ValueError(f"{option}: {did_you_mean(str(value), choices)}")


def _paths(references: StrPath | Sequence[StrPath]) -> list[Path]:
    if isinstance(references, str | PathLike):
        return [Path(references)]
    return [Path(path) for path in references]


def add_links(
    md: MarkdownIt, options_of: OptionsOf, *, reads_html: bool = False
) -> None:
    """Add the rules that read references and make links of them.

    Args:
        md: The parser.
        options_of: Gives the options for a document; `None` leaves it as it is.
        reads_html: Whether the targets of links in inline HTML are found too.
    """
    add_reading(md, options_of)
    if reads_html:
        rule = _active_rules(md.inline.ruler).get("html_inline", html_inline)
        md.inline.ruler.at("html_inline", noting(rule, note_target_in_html))
    # "linkify" makes links of what has no scheme, such as "dx.doi.org/10.1000/182".
    md.core.ruler.after("linkify", LINKS_RULE, handle_links)


def add_reading(md: MarkdownIt, options_of: OptionsOf) -> None:
    """Add the rules that read references while a document is parsed."""
    # Other plugins may have replaced markdown-it's rules.
    inline = _active_rules(md.core.ruler).get("inline", inline_of_core)
    md.core.ruler.at("inline", inline_rule(inline, options_of))
    ruler = md.inline.ruler
    active = _active_rules(ruler)
    ruler.at("link", noting(active.get("link", link), note_target))
    ruler.at("autolink", noting(active.get("autolink", autolink), note_target))
    ruler.at("text", text_rule(active.get("text", text)))
    if hasattr(md.inline, "add_terminator_char"):
        # So that text without any markup is not read to its end for each reference.
        md.inline.add_terminator_char("/")


def _active_rules(ruler: Ruler[_Rule]) -> dict[str, _Rule]:
    return dict(zip(ruler.get_active_rules(), ruler.getRules(""), strict=True))
