"""References from a committed file: lists, titles and texts of links, findings.

`handle_references` names the file, which ``hdl references update`` writes. A build reads
it once, and asks no server. All that comes from the file is put into a page as the page is
written, so a doctree does not grow stale when the file changes: `report_works` names the
pages to write again.

Text of the file enters a doctree as text of nodes. Each builder escapes it.
"""

import datetime as dt
import json
from collections.abc import Iterable, Mapping
from os.path import commonpath
from pathlib import Path
from typing import TYPE_CHECKING

from docutils import nodes

from handle_system.citing.style import Name, plain_text
from handle_system.describing.described_work import DescribedWork
from handle_system.describing.described_works import STYLESHEET
from handle_system.describing.list_parts import citing_pages
from handle_system.describing.lists import (
    Entry,
    ReferenceList,
)
from handle_system.describing.parts import Parts, Shown, html_of
from handle_system.describing.work_findings import (
    finding_about_age,
    update_command,
)
from handle_system.findings.codes import Code
from handle_system.handle import Handle
from handle_system.ignored_case import IgnoredCase
from handle_system.proxies import Proxies
from handle_system.text import safe_in_script, several
from sphinxcontrib_handle.back_links import links_from, pages_of_pdf
from sphinxcontrib_handle.citation_nodes import ReferencesNode
from sphinxcontrib_handle.domain import (
    HandleDomain,
    RecordedPlace,
    handle_domain,
    recorded_handle,
)
from sphinxcontrib_handle.last_build import LastBuild, rests_on
from sphinxcontrib_handle.links import proxies_of, settings_of
from sphinxcontrib_handle.list_downloads import download_parts
from sphinxcontrib_handle.messages import (
    _,
    logger,
    report,
    report_about_run,
    report_finding_about_run,
)
from sphinxcontrib_handle.part_nodes import PartsWriter
from sphinxcontrib_handle.project_page import findings_about_works, project_page
from sphinxcontrib_handle.references_files import file_paths, shown_path
from sphinxcontrib_handle.verification.builders import verifies
from sphinxcontrib_handle.website import is_website

if TYPE_CHECKING:
    from sphinx.application import Sphinx
    from sphinx.environment import BuildEnvironment

#: The handles of a list in HTML, for machines: an attribute of its node.
LISTED_HANDLES = "handle-listed"
# Set on a document that got a list in HTML.
_HAS_LISTS = "handle-has-lists"
# Readers load the head of a page before its first word, so it has all works of a list or
# none: files to download serve machines, too.
_MOST_LINKED = 500
_LONGEST_HEAD = 200_000
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
        self._page = project_page(env)
        self._writer = PartsWriter(env)

    def fill(self) -> None:
        """Put all of them in."""
        domain = self._domain
        is_html = domain.builder.format == "html"
        is_for_web = is_website(domain.builder)
        for placeholder in list(self._document.findall(ReferencesNode)):
            page = placeholder["page"]
            index = placeholder["index"]
            reference_list = self._page.lists.by_page[page][index]
            parts: Parts = ()
            # Links in the text are checked already, and notices are not the author's.
            if domain.builder.name != "linkcheck":
                link_to = links_from(self._env, page, self._page.lists)
                parts = self._page.list_of(index, page, link_to, leads_back=is_html)
            made: list[nodes.Element] = []
            if parts and is_for_web:
                # One node, however many works the list has.
                html = html_of(parts, external="reference external")
                html += html_of(download_parts(self._env, reference_list, index))
                made.append(nodes.raw("", html, format="html"))
            else:
                for part in parts:
                    if isinstance(part, Shown):
                        made += self._list(part, reference_list)
            if made and is_html:
                entries = reference_list.entries.values()
                made[0][LISTED_HANDLES] = [str(entry.handle) for entry in entries]
                self._document[_HAS_LISTS] = True
            placeholder.replace_self(made)

    def _list(self, shown: Shown, reference_list: ReferenceList) -> list[nodes.Element]:
        """The nodes of a list, which each builder writes."""
        builder_format = self._domain.builder.format
        # Other writers count in their own way, and have the number in the text.
        is_numbered = self._page.lists.is_numbered
        is_counted = is_numbered and builder_format in _COUNTING_FORMATS
        made: nodes.Element = nodes.bullet_list(bullet="*")
        if is_counted:
            made = nodes.enumerated_list(enumtype="arabic", prefix="[", suffix="]")
        made["classes"] = shown.attributes["class"].split()
        entries = reference_list.entries.values()
        for item, entry in zip(shown.parts or (), entries, strict=True):
            if isinstance(item, Shown):
                number = ""
                if is_numbered and not is_counted:
                    number = f"[{entry.label.number}] "
                made.append(self._item(item, entry, reference_list.page, number))
        if builder_format != "latex":
            return [made]
        return [
            nodes.raw("", _BEGIN_LATEX, format="latex"),
            made,
            nodes.raw("", _END_LATEX, format="latex"),
        ]

    def _item(
        self, shown: Shown, entry: Entry, page: str, number: str
    ) -> nodes.list_item:
        """An entry, as the page shows it, with the way back of this builder."""
        domain = self._domain
        item = nodes.list_item("", *self._writer.nodes_of(shown.parts or (), page))
        line, *_others = item.findall(nodes.paragraph)
        if number:
            line.insert(0, nodes.Text(number))
        if domain.builder.format == "latex":
            # The writer takes no id from an item.
            line.insert(0, nodes.target("", "", ids=[entry.id]))
            back = pages_of_pdf(domain, self._page.lists, entry)
        else:
            item["ids"].append(entry.id)
            # In HTML they stand in the line of the entry.
            others: Parts = ()
            if domain.builder.format != "html":
                link_to = links_from(self._env, page, self._page.lists)
                others = citing_pages(entry, page, link_to, _)
            back = self._writer.nodes_of(others, page)
        if back:
            item += nodes.paragraph("", "", *back, classes=["hdl-back"])
        return item


def _about_unlisted(env: "BuildEnvironment") -> str:
    """That documents have no numbers, because no list names them; empty if all have."""
    if env.config.handle_display != "number":
        return ""
    lists = project_page(env).lists
    unlisted = sorted(
        name
        for name in handle_domain(env).data["places"]
        if lists.mentions(name) and lists.used_by(name) is None
    )
    if not unlisted:
        return ""
    return (
        f"no list of references names {several(len(unlisted), 'document')}, whose "
        f"citations have no numbers; the first is {unlisted[0]}"
    )


def report_works(app: "Sphinx", env: "BuildEnvironment") -> None:
    """Report what is said of works; where nothing has changed, only of the same ones."""
    domain = handle_domain(env)
    builds = domain.data["last_builds"]
    now = rests_on(env)
    domain.rests_on = now
    last = LastBuild(*builds.get(app.builder.name, ("", (), "")))
    if last.rests_on == now:
        domain.told = frozenset(last.told)
        _report(app, env, last.unlisted)
        return
    unlisted = _about_unlisted(env)
    pages = domain.data["reference_lists"]
    orders = domain.data["orders"]
    domain.data["orders"] = {
        place: order for place, order in orders.items() if place[0] in pages
    }
    told = _spellings(domain, _report(app, env, unlisted))
    builds[app.builder.name] = tuple(LastBuild(now, tuple(told), unlisted))


def _spellings(domain: HandleDomain, handles: Iterable[Handle]) -> list[str]:
    """All ways in which documents spell handles."""
    key = IgnoredCase(domain.env.config.handle_ignore_case).key
    keys = set(map(key, handles))
    spellings = {place.handle for place in domain.places()}
    return sorted(text for text in spellings if key(recorded_handle(text)) in keys)


def _report(app: "Sphinx", env: "BuildEnvironment", unlisted: str) -> set[Handle]:
    """Report what is said of works.

    Args:
        app: The application.
        env: The environment.
        unlisted: What is said of documents that no list names.

    Returns:
        The works of which something is said.
    """
    domain = handle_domain(env)
    if unlisted:
        report_about_run(app.config, Code.REFERENCES, unlisted)
    has_files = bool(file_paths(env))
    if domain.data["reference_lists"] and not has_files:
        logger.info(
            "the lists of references have no metadata: name a file of references in "
            "handle_references"
        )
    told: set[Handle] = set()
    for finding in findings_about_works(env):
        told.add(Handle.parse(finding.subject))
        if finding.code is Code.UNREGISTERED and verifies(app):
            # The verification asks anew.
            continue
        # A reader of one page sees what is wrong with that page.
        for place in finding.places:
            report(app.config, finding.at(place))
    if has_files:
        told.update(_report_missing(app, domain.cited()))
        _report_age(app)
    return told


def _report_missing(
    app: "Sphinx",
    cited: dict[Handle, list[RecordedPlace]],
) -> list[Handle]:
    """Say how many identifiers the files lack, and which command adds them.

    Returns:
        The identifiers.
    """
    if not cited:
        return []
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
        return []
    files = file_paths(app.env)
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
    return missing


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
    files = [shown_path(path) for path in file_paths(app.env)]
    old = finding_about_age(
        handle_domain(app.env).facts.last_asked,
        app.config.handle_references_age,
        files[-1],
        update_command(files, [shown_path(Path(app.srcdir))], refreshes=True),
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
    # Few pages have lists, and `only` takes some of them away.
    handles: list[str] = []
    if _HAS_LISTS in doctree:
        for element in doctree.findall(nodes.Element):
            handles += element.get(LISTED_HANDLES, ())
    if not handles:
        return
    app.add_css_file(STYLESHEET)
    if is_website(app.builder):
        # Themes put it into the head as it is.
        # Two lists of a page may have the same work.
        listed = dict.fromkeys(handles)
        if len(listed) > _MOST_LINKED:
            return
        references = handle_domain(app.env).references
        works = map(references.get, map(Handle.parse, listed))
        script = linked_data(filter(None, works), proxies_of(app.config))
        if len(script) <= _LONGEST_HEAD:
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
    data = {
        "@context": "https://schema.org",
        "@type": "WebPage",
        "citation": citations,
    }
    text = safe_in_script(json.dumps(data))
    return f'<script type="application/ld+json">{text}</script>'


def _linked_name(name: Name) -> dict[str, str]:
    """A person, or a body, for JSON-LD; a name that does not divide tells by its words."""
    # Only lists on websites need what knows persons.
    from handle_system.citing.creators import is_person  # noqa: PLC0415

    is_a_person = bool(name.family) or is_person(name.name)
    return {
        "@type": "Person" if is_a_person else "Organization",
        "name": name.whole,
    }
