"""References from a committed file: lists, titles and texts of links, findings.

`handle_references` names the file, which ``hdl references update`` writes. A build reads
it once, and asks no server. All that comes from the file is put into a page as the page is
written, so a doctree does not grow stale when the file changes: `report_works` names the
pages to write again.

Text of the file enters a doctree as text of nodes. Each builder escapes it.
"""

import datetime as dt
import json
from collections.abc import Iterable, Iterator, Mapping, Sequence
from itertools import groupby
from os.path import commonpath
from pathlib import Path
from typing import TYPE_CHECKING

from docutils import nodes
from sphinx.builders.html import StandaloneHTMLBuilder

from handle_system.citing.style import Name, Run, plain_text
from handle_system.describing.described_work import DescribedWork
from handle_system.describing.findings import (
    finding_about_age,
    findings_about_undescribed_works,
    findings_about_works,
    refresh_command,
    update_command,
    works_with_news,
)
from handle_system.describing.list_options import ListOptions
from handle_system.describing.reference_lists import (
    LABELS,
    Entry,
    Mention,
    ReferenceList,
    ReferenceLists,
)
from handle_system.describing.references import (
    STYLESHEET,
    USUAL_NAME,
)
from handle_system.findings.codes import Code
from handle_system.findings.finding import Finding, Place
from handle_system.handle import Handle
from handle_system.ignored_case import IgnoredCase
from handle_system.presenting import (
    Presenter,
)
from handle_system.proxies import Proxies
from handle_system.reference import HandleReference
from handle_system.text import several
from sphinxcontrib_handle.back_links import back_line
from sphinxcontrib_handle.domain import (
    HandleDomain,
    RecordedPlace,
    handle_domain,
    recorded_handle,
)
from sphinxcontrib_handle.links import HAS_LINKS, proxies_of, set_presented, settings_of
from sphinxcontrib_handle.list_downloads import download_line
from sphinxcontrib_handle.messages import (
    _,
    logger,
    report,
    report_about_run,
    report_finding_about_run,
)
from sphinxcontrib_handle.reference_nodes import ReferencesNode
from sphinxcontrib_handle.references_files import file_paths, shown_path
from sphinxcontrib_handle.update_lines import (
    address_nodes,
    update_nodes,
)

if TYPE_CHECKING:
    from sphinx.application import Sphinx
    from sphinx.environment import BuildEnvironment

__all__ = [
    "ListFiller",
    "add_works_to_head",
    "files_of_commands",
    "findings_about_cited_works",
    "make_lists",
    "report_works",
]

_TAG_NODES: dict[str, type[nodes.TextElement]] = {
    "i": nodes.emphasis,
    "b": nodes.strong,
    "sub": nodes.subscript,
    "sup": nodes.superscript,
}
#: The handles of a list in HTML, for machines: an attribute of its node.
LISTED_HANDLES = "handle-listed"
# The formats whose lists have numbers with brackets.
_COUNTING_FORMATS = frozenset({"html", "latex"})
# Addresses are long words, so lines are not justified.
_BEGIN_LATEX = "\\begingroup\\raggedright"
# A setting of paragraphs must hold until they end.
_END_LATEX = "\\par\\endgroup"


class ListFiller:
    """Puts the lists of references of a document in the place of their placeholders."""

    def __init__(self, document: nodes.document, env: "BuildEnvironment") -> None:
        """Take a document that is about to be written."""
        self._document = document
        self._env = env
        self._domain = handle_domain(env)
        self._proxies = proxies_of(env.config)

    def fill(self) -> None:
        """Put all of them in."""
        # Links in the text are checked already, and notices are not the author's.
        is_link_check = self._domain.builder_name == "linkcheck"
        for placeholder in list(self._document.findall(ReferencesNode)):
            page = placeholder["page"]
            lists = self._domain.lists
            reference_list = lists.by_page[page][placeholder["index"]]
            is_shown = reference_list.entries and not is_link_check
            self._document[HAS_LINKS] = True
            made = self._list(reference_list, lists) if is_shown else []
            download = download_line(
                self._domain, reference_list, placeholder["index"], self._env.docname
            )
            if is_shown and download is not None:
                made.append(download)
            placeholder.replace_self(made)

    def _list(
        self, reference_list: ReferenceList, lists: ReferenceLists
    ) -> list[nodes.Node]:
        builder_format = self._domain.builder_format
        # Other writers count in their own way, and have the number in the text.
        is_counted = lists.is_numbered and builder_format in _COUNTING_FORMATS
        entries = [
            self._entry(entry, reference_list.page, lists, is_counted=is_counted)
            for entry in reference_list.entries.values()
        ]
        made: nodes.Element
        if is_counted:
            made = nodes.enumerated_list(
                "",
                *entries,
                enumtype="arabic",
                prefix="[",
                suffix="]",
                classes=["hdl-references", "hdl-numbered"],
            )
        else:
            classes = ["hdl-references"]
            made = nodes.bullet_list("", *entries, bullet="*", classes=classes)
        if builder_format == "html":
            handles = [str(entry.handle) for entry in reference_list.entries.values()]
            made[LISTED_HANDLES] = handles
        if builder_format != "latex":
            return [made]
        return [
            nodes.raw("", _BEGIN_LATEX, format="latex"),
            made,
            nodes.raw("", _END_LATEX, format="latex"),
        ]

    def _entry(
        self, entry: Entry, page: str, lists: ReferenceLists, *, is_counted: bool
    ) -> nodes.list_item:
        domain = self._domain
        work = domain.references.get(entry.handle) or DescribedWork(entry.handle, {})
        letter = "" if lists.is_numbered else entry.label.letter
        runs = work.reference(_, letter=letter)
        line = nodes.paragraph()
        item = nodes.list_item("", line)
        if domain.builder_format == "latex":
            # The writer takes no id from an item.
            line += nodes.target("", "", ids=[entry.id])
        else:
            item["ids"].append(entry.id)
        if lists.is_numbered and not is_counted:
            line += nodes.Text(f"[{entry.label.number}] ")
        line += _inline(runs)
        if runs:
            line += nodes.Text(" ")
        line += self._address(work.handle)
        update = work.listed_update
        if update is not None:
            item += update_nodes(self._env, update)
        if not runs:
            item += nodes.paragraph("", _(LABELS["missing"]), classes=["hdl-missing"])
        back = back_line(self._env, domain, entry, page)
        if back is not None:
            item += back
        return item

    def _address(self, handle: Handle) -> nodes.reference:
        """The link of a work, whose text is its address."""
        reference = HandleReference(handle=handle)
        presenter = Presenter(proxies=self._proxies, display="url")
        presented = presenter.present(reference)
        link = nodes.reference("", "", internal=False)
        set_presented(link, presented)
        link += address_nodes(self._env, presented.text)
        return link


def _inline(runs: Iterable[Run]) -> Iterator[nodes.Node]:
    """Runs as nodes; nothing in their text is markup."""
    for outermost, group in groupby(runs, lambda run: run.tags[:1]):
        if outermost:
            inner = [Run(run.text, run.tags[1:]) for run in group]
            yield _TAG_NODES[outermost[0]]("", "", *_inline(inner))
        else:
            yield nodes.Text("".join(run.text for run in group))


def make_lists(app: "Sphinx", env: "BuildEnvironment") -> None:
    """Make all lists of references, when all documents are read."""
    domain = handle_domain(env)
    is_numbered = app.config.handle_display == "number"
    mentions = _mentions(domain)
    ignored_case = IgnoredCase(app.config.handle_ignore_case)
    options = {
        page: [ListOptions(*fields) for fields in lists]
        for page, lists in domain.data["reference_lists"].items()
    }
    lists = ReferenceLists(
        options,
        {name: mentions[name] for name in _in_order(env) if name in mentions},
        domain.references,
        key=ignored_case.key,
        translate=_,
        is_numbered=is_numbered,
        is_one_page=app.builder.name == "singlehtml",
    )
    domain.made_lists = lists
    if is_numbered:
        _report_unlisted(app, lists, mentions)


def _mentions(domain: HandleDomain) -> dict[str, list[Mention]]:
    """The references of each document that count for lists.

    An identifier that only a bibliography or a footnote of one holds is listed there,
    and a citation card shows the document's own.
    """
    mentions: dict[str, list[Mention]] = {}
    for document, recorded in domain.data["places"].items():
        of_document = mentions.setdefault(document, [])
        for fields in recorded:
            place = RecordedPlace(*fields)
            is_in_bibliography = place.source.endswith(".bib")
            if not place.handle or place.is_card or is_in_bibliography:
                continue
            handle = recorded_handle(place.handle)
            of_document.append(Mention(document, handle, place.number))
    return mentions


def _in_order(env: "BuildEnvironment") -> Iterator[str]:
    """The documents in the order of the tables of contents, then all others by name."""
    yielded: set[str] = set()
    waiting = [env.config.root_doc]
    while waiting:
        name = waiting.pop()
        if name not in yielded:
            yielded.add(name)
            yield name
            waiting += reversed(env.toctree_includes.get(name, []))
    yield from sorted(env.found_docs - yielded)


def _report_unlisted(
    app: "Sphinx", lists: ReferenceLists, mentions: Mapping[str, Sequence[Mention]]
) -> None:
    """Say once that documents have no numbers, because no list names them."""
    unlisted = sorted(
        name for name in mentions if mentions[name] and lists.used_by(name) is None
    )
    if not unlisted:
        return
    message = (
        f"no list of references names {several(len(unlisted), 'document')}, whose "
        f"citations have no numbers; the first is {unlisted[0]}"
    )
    report_about_run(app.config, Code.REFERENCES, message)


def report_works(app: "Sphinx", env: "BuildEnvironment") -> None:
    """Report what became of the works, and which ones nobody describes."""
    domain = handle_domain(env)
    has_files = bool(file_paths(app))
    if domain.data["reference_lists"] and not has_files:
        logger.info(
            "the lists of references have no metadata: name a file of references in "
            "handle_references"
        )
    _report_texts(app)
    cited = domain.cited()
    if has_files or app.config.handle_retractions:
        _report_updates(app, cited)
    if not has_files:
        return
    _report_missing(app, cited)
    _report_age(app)


def files_of_commands(app: "Sphinx") -> list[str]:
    """The files that a command has to name, as paths from the current folder on."""
    paths = file_paths(app)
    # The command finds a single file of the usual name by itself.
    is_usual = [path.name for path in paths] == [USUAL_NAME]
    return [] if is_usual else [shown_path(path) for path in paths]


def _report_updates(
    app: "Sphinx",
    cited: dict[Handle, list[RecordedPlace]],
) -> None:
    """Report each place that cites a work which was retracted, not described and so on."""
    findings = _findings_about_updates(app, cited)
    findings += _findings_about_undescribed(app, cited)
    for finding in findings:
        # A reader of one page sees what is wrong with that page.
        for place in finding.places:
            report(app.config, finding.at(place))


def _report_texts(app: "Sphinx") -> None:
    """Report each text that is about another work than the identifier beside it."""
    for finding in _findings_about_texts(app):
        report(app.config, finding)


def findings_about_cited_works(
    app: "Sphinx", cited: Mapping[Handle, Sequence[RecordedPlace]]
) -> list[Finding]:
    """What became of the works that documents cite, and which were not meant."""
    return [
        *_findings_about_updates(app, cited),
        *_findings_about_undescribed(app, cited),
        *_findings_about_texts(app),
    ]


def _findings_about_updates(
    app: "Sphinx", cited: Mapping[Handle, Sequence[RecordedPlace]]
) -> list[Finding]:
    """What became of the works that documents cite, by the files of references."""
    references = handle_domain(app.env).references
    files = files_of_commands(app)
    # There is news of few works, and a project may have many places.
    places = {
        work.handle: [recorded.place for recorded in cited[work.handle]]
        for work in works_with_news(cited, references)
    }
    return findings_about_works(
        places,
        references,
        files,
        proxies=proxies_of(app.config),
        reserved=settings_of(app.config).unverified,
    )


def _findings_about_undescribed(
    app: "Sphinx", cited: Mapping[Handle, Sequence[RecordedPlace]]
) -> list[Finding]:
    """Which works that documents name the files of references do not describe."""
    domain = handle_domain(app.env)
    reserved = settings_of(app.config).unverified
    places: dict[Handle, list[Place]] = {}
    for handle, its_places in cited.items():
        # Most works are described, and a project may have many places.
        if handle in domain.references or handle in reserved:
            continue
        for recorded in its_places:
            if not recorded.is_card:
                places.setdefault(handle, []).append(recorded.place)
    files = [shown_path(path) for path in file_paths(app)]
    command = update_command(files, [shown_path(Path(app.srcdir))])
    return findings_about_undescribed_works(places, domain.references, command)


def _findings_about_texts(app: "Sphinx") -> list[Finding]:
    """Which texts are about other works than the identifiers beside them."""
    domain = handle_domain(app.env)
    texts = domain.texts()
    if not texts:
        return []
    # Most projects have no such texts, and need nothing that compares them.
    from handle_system.describing.cited_texts import (  # noqa: PLC0415
        findings_about_texts,
    )

    return findings_about_texts(texts, domain.references)


def _report_missing(
    app: "Sphinx",
    cited: dict[Handle, list[RecordedPlace]],
) -> None:
    """Say how many identifiers the files lack, and which command adds them."""
    # Nobody has metadata of what was asked for in vain, or is reserved.
    references = handle_domain(app.env).references
    in_vain = references.not_found
    reserved = settings_of(app.config).unverified
    missing = [
        handle
        for handle in cited
        if handle not in references and handle not in in_vain and handle not in reserved
    ]
    if not missing:
        return
    files = file_paths(app)
    read = [Path(app.srcdir), *_files_elsewhere(app, missing, cited)]
    command = update_command(map(shown_path, files), map(shown_path, read))
    verb = "is" if len(missing) == 1 else "are"
    count = several(len(missing), "identifier")
    lacking = f"{count} {verb} not in {shown_path(files[-1])}"
    if not files[-1].exists():
        lacking += ", which does not exist yet"
    by_hand = sum(not handle.is_doi for handle in missing)
    if not by_hand:
        them = "it" if len(missing) == 1 else "them"
        logger.info("%s; to add %s: %s", lacking, them, command)
    elif by_hand == len(missing):
        subject = "It" if by_hand == 1 else "They"
        logger.info("%s. %s %s.", lacking, subject, _hand_written(by_hand))
    else:
        others = "other" if len(missing) - by_hand == 1 else "others"
        hint = f"{by_hand} {_hand_written(by_hand)}. To add the {others}"
        logger.info("%s. %s: %s", lacking, hint, command)


# More files than these are named by their folder.
_MOST_NAMED_FILES = 3


def _files_elsewhere(
    app: "Sphinx",
    missing: Iterable[Handle],
    cited: Mapping[Handle, list[RecordedPlace]],
) -> list[Path]:
    """The files, or their folder, that cite what no file of the source folder cites.

    Those are docstrings of modules, and files that documents include.
    """
    folder = Path(app.srcdir).resolve()
    elsewhere: set[Path] = set()
    for handle in missing:
        sources = {
            Path(folder, place.source.partition(":docstring of ")[0]).resolve()
            for place in cited[handle]
        }
        if not any(source.is_relative_to(folder) for source in sources):
            elsewhere.update(source for source in sources if source.is_file())
    if len(elsewhere) > _MOST_NAMED_FILES:
        return [Path(commonpath(elsewhere))]
    return sorted(elsewhere)


def _report_age(app: "Sphinx") -> None:
    """Say if nobody asked for a long time what became of the works."""
    files = [shown_path(path) for path in file_paths(app)]
    old = finding_about_age(
        handle_domain(app.env).references,
        app.config.handle_references_age,
        files[-1],
        refresh_command(files, [shown_path(Path(app.srcdir))]),
        today=dt.date.today(),  # noqa: DTZ011 (the date of the user, as in the file)
    )
    if old is not None:
        report_finding_about_run(app.config, old)


def _hand_written(count: int) -> str:
    """The predicate for handles that no agency describes."""
    if count == 1:
        return "is not a DOI: write its item by hand"
    return "are not DOIs: write their items by hand"


def add_works_to_head(
    app: "Sphinx", context: dict[str, object], doctree: nodes.document
) -> None:
    """Link the stylesheet of lists, and name the works of those on a page."""
    handles: list[str] = []
    for listed in doctree.findall(nodes.Element):
        handles += listed.get(LISTED_HANDLES, [])
    if not handles:
        return
    app.add_css_file(STYLESHEET)
    builder = app.builder
    if isinstance(builder, StandaloneHTMLBuilder) and not builder.embedded:
        # Themes put it into the head as it is.
        # Two lists of a page may have the same work.
        references = handle_domain(app.env).references
        works = map(references.get, map(Handle.parse, dict.fromkeys(handles)))
        script = linked_data(filter(None, works), proxies_of(app.config))
        context["metatags"] = f"{context.get('metatags', '')}\n{script}"


def linked_data(works: Iterable[DescribedWork], proxies: Proxies) -> str:
    """The works that a page cites, as an element with JSON-LD; empty if none is known."""
    citations = []
    for work in works:
        if not work.has_metadata:
            continue
        item = work.described
        citation = {
            "@type": "CreativeWork",
            "@id": proxies.link(work.handle),
            "name": plain_text(item.title),
            "author": [_linked_name(name) for name in item.authors],
            "datePublished": item.year if item.year.isdecimal() else "",
            "isPartOf": item.container,
        }
        citations.append({name: value for name, value in citation.items() if value})
    if not citations:
        return ""
    # Most projects have no list.
    from handle_system.citing.metadata import safe_in_script  # noqa: PLC0415

    data = {
        "@context": "https://schema.org",
        "@type": "WebPage",
        "citation": citations,
    }
    text = safe_in_script(json.dumps(data))
    return f'<script type="application/ld+json">{text}</script>'


def _linked_name(name: Name) -> dict[str, str]:
    """A person, or a body, for JSON-LD; a name that does not divide tells by its words."""
    # As above.
    from handle_system.citing.creators import is_person  # noqa: PLC0415

    is_a_person = bool(name.family) or is_person(name.name)
    return {
        "@type": "Person" if is_a_person else "Organization",
        "name": name.whole,
    }
