"""Lists of references as files that readers download: BibTeX and RIS.

Builders of websites write them beside the page of a list that asks for them. Works without
metadata are left out.
"""

from collections.abc import Iterator
from pathlib import Path
from posixpath import basename, dirname, join
from typing import TYPE_CHECKING

from sphinx.util.osutil import relative_uri

from handle_system.citing.formats import CitationFormat
from handle_system.describing.described_work import DescribedWork
from handle_system.describing.lists import ReferenceList
from handle_system.describing.parts import Parts, Shown
from sphinxcontrib_handle.domain import HandleDomain, handle_domain
from sphinxcontrib_handle.links import proxies_of
from sphinxcontrib_handle.messages import _
from sphinxcontrib_handle.project_page import project_page
from sphinxcontrib_handle.website import is_website, page_url, write_text

if TYPE_CHECKING:
    from sphinx.application import Sphinx
    from sphinx.builders import Builder
    from sphinx.environment import BuildEnvironment

_FORMATS = (CitationFormat.BIBTEX, CitationFormat.RIS)


def write_downloads(app: "Sphinx", env: "BuildEnvironment") -> None:
    """Write the files of all lists that ask for them, if the builder makes a website."""
    if not is_website(app.builder):
        return
    # Many projects offer no list, and need nothing that writes references.
    from handle_system.describing.exporting import exported  # noqa: PLC0415

    domain = handle_domain(env)
    proxies = proxies_of(app.config)
    for lists in project_page(env).lists.by_page.values():
        for index, reference_list in enumerate(lists):
            if not reference_list.options.is_offered:
                continue
            works = list(_described_works(domain, reference_list))
            for form in _FORMATS:
                url = _address(app.builder, reference_list.page, index, form)
                text = exported(works, form.value, proxies)
                write_text(Path(app.builder.outdir, url), text)


def download_parts(
    env: "BuildEnvironment", reference_list: ReferenceList, index: int
) -> Parts:
    """The line below a list on a website that leads to its files; none if there are none.

    Args:
        env: The environment, which knows the document that is written.
        reference_list: The list.
        index: Its number on its page, from 0.
    """
    domain = handle_domain(env)
    builder = domain.builder
    if not reference_list.options.is_offered:
        return ()
    if not any(_described_works(domain, reference_list)):
        return ()
    here = page_url(builder, env.docname)
    line: list[str | Shown] = []
    for form in _FORMATS:
        url = _address(builder, reference_list.page, index, form)
        attributes = {
            "class": "reference download internal",
            "download": "",
            "href": relative_uri(here, url),
        }
        line.append(" · " if line else f"{_('Download this list:')} ")
        line.append(Shown((form.heading,), attributes, "a"))
    return (Shown(tuple(line), {"class": "hdl-download"}, "p"),)


def _described_works(
    domain: HandleDomain, reference_list: ReferenceList
) -> Iterator[DescribedWork]:
    """The works of a list that have metadata, in its order."""
    for entry in reference_list.entries.values():
        work = domain.references.get(entry.handle)
        if work is not None and work.has_metadata:
            yield work


def _address(builder: "Builder", page: str, index: int, form: CitationFormat) -> str:
    """The address of a file from the root of the site."""
    number = f"-{index + 1}" if index else ""
    name = f"{basename(page)}-references{number}{form.file_suffix}"
    return join(dirname(page_url(builder, page)), name)
