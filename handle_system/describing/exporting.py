"""Works of the file of references in the formats of reference managers.

The card's writers write the entries, so identifiers, names and special characters stand
in a list as they stand in a card.  What the formats have no field for is left out.
"""

from collections.abc import Callable, Iterable, Mapping, Sequence
from functools import partial
from typing import Any

from handle_system.citing.citation import slug, without_unknown
from handle_system.citing.formats import CitationFormat, bibtex, csl_json, ris
from handle_system.citing.style import RichText, first_and_last_page
from handle_system.describing.described_work import DescribedWork
from handle_system.describing.items import csl_item, first_date, id_of
from handle_system.describing.rich_text import plain_line
from handle_system.proxies import Proxies

__all__ = ["EXPORT_FORMATS", "exported"]

_BIBTEX_TYPES: Mapping[str, str] = {
    "article-journal": "article",
    "article-magazine": "article",
    "article-newspaper": "article",
    "book": "book",
    "chapter": "incollection",
    "dataset": "dataset",
    "entry": "incollection",
    "entry-dictionary": "incollection",
    "entry-encyclopedia": "incollection",
    "paper-conference": "inproceedings",
    "report": "techreport",
    "review": "article",
    "review-book": "article",
    "software": "software",
    "thesis": "phdthesis",
}
# The field of each type of entry for what contains the work, and for the publisher.
_CONTAINER_FIELDS = {"incollection": "booktitle", "inproceedings": "booktitle"}
_PUBLISHER_FIELDS = {
    "misc": "organization",
    "phdthesis": "school",
    "software": "organization",
    "techreport": "institution",
}
_TEX_COMMANDS = {
    "i": "emph",
    "b": "textbf",
    "sub": "textsubscript",
    "sup": "textsuperscript",
}
_RIS_TYPES: Mapping[str, str] = {
    "article-journal": "JOUR",
    "article-magazine": "MGZN",
    "article-newspaper": "NEWS",
    "book": "BOOK",
    "chapter": "CHAP",
    "dataset": "DATA",
    "entry": "CHAP",
    "entry-dictionary": "DICT",
    "entry-encyclopedia": "ENCYC",
    "map": "MAP",
    "paper-conference": "CPAPER",
    "patent": "PAT",
    "report": "RPRT",
    "review": "JOUR",
    "review-book": "JOUR",
    "software": "COMP",
    "standard": "STAND",
    "thesis": "THES",
    "webpage": "ELEC",
}


def exported(works: Iterable[DescribedWork], name: str, proxies: Proxies) -> str:
    """Works in a format of `EXPORT_FORMATS`; those without metadata are left out.

    Args:
        works: The works, in their order.
        name: The name of the format.
        proxies: The proxies that handles link to.
    """
    described = [work for work in works if work.has_metadata]
    return EXPORT_FORMATS[name](described, proxies)


def _entries(
    write: Callable[[DescribedWork, str, Proxies], str],
    works: Sequence[DescribedWork],
    proxies: Proxies,
) -> str:
    """The works in a format whose entries have keys."""
    keys = _keys(works)
    return "\n".join(
        write(work, key, proxies) for work, key in zip(works, keys, strict=True)
    )


def _bibtex_entry(work: DescribedWork, key: str, proxies: Proxies) -> str:
    variables = csl_item(work.item)
    item = work.style_item
    entry_type = _BIBTEX_TYPES.get(str(variables.get("type")), "misc")
    genre = _line(variables, "genre").casefold()
    if entry_type == "phdthesis" and "master" in genre:
        entry_type = "mastersthesis"
    issue = item.issue or _line(variables, "number")
    month = _month(work.item)
    fields: bibtex.Fields = [
        ("author", bibtex.people(item.authors)),
        ("editor", bibtex.people(item.editors)),
        # A second pair of braces keeps styles from changing the letters' case.
        ("title", f"{{{_tex_of_runs(item.title)}}}" if item.title else None),
        (_CONTAINER_FIELDS.get(entry_type, "journal"), bibtex.tex(item.container)),
        ("series", _tex(variables, "collection-title")),
        ("edition", _tex(variables, "edition")),
        ("volume", bibtex.tex(item.volume)),
        ("number", bibtex.tex(issue)),
        ("pages", bibtex.pages(item.pages)),
        ("version", bibtex.tex(item.version)),
        (
            _PUBLISHER_FIELDS.get(entry_type, "publisher"),
            f"{{{bibtex.tex(item.publisher)}}}" if item.publisher else None,
        ),
        ("address", _tex(variables, "publisher-place")),
        ("year", bibtex.tex(item.year)),
        ("month", bibtex.month(month) if month else None),
        *bibtex.identifier_fields(work.handle, proxies.link(work.handle)),
    ]
    return bibtex.entry(entry_type, key, fields)


def _ris_record(work: DescribedWork, key: str, proxies: Proxies) -> str:
    variables = csl_item(work.item)
    item = work.style_item
    first, last = first_and_last_page(item.pages)
    tags: ris.Tags = [
        ("TY", _RIS_TYPES.get(str(variables.get("type")), "GEN")),
        ("ID", key),
        *(("AU", ris.person(name)) for name in item.authors),
        *(("ED", ris.person(name)) for name in item.editors),
        ("TI", plain_line(variables.get("title"))),
        ("T2", item.container),
        ("T3", _line(variables, "collection-title")),
        ("VL", item.volume),
        ("IS", item.issue),
        ("SP", first),
        ("EP", last),
        ("ET", item.version or _line(variables, "edition")),
        ("PB", item.publisher),
        ("CY", _line(variables, "publisher-place")),
        ("PY", item.year),
        ("DA", _ris_date(work.item)),
        *ris.identifier_tags(work.handle, proxies.link(work.handle)),
        ("LA", _line(variables, "language")),
    ]
    return ris.record(tags)


def _csl_json(works: Sequence[DescribedWork], proxies: Proxies) -> str:
    items = []
    for work in works:
        members = csl_json.identifier_members(work.handle, proxies.link(work.handle))
        items.append(
            {
                "id": id_of(work.handle),
                **csl_item(work.item),
                **without_unknown(members),
            }
        )
    return csl_json.file_text(items)


#: The writer of each format, by the name that a user writes.
EXPORT_FORMATS: Mapping[str, Callable[[Sequence[DescribedWork], Proxies], str]] = {
    CitationFormat.BIBTEX.value: partial(_entries, _bibtex_entry),
    CitationFormat.RIS.value: partial(_entries, _ris_record),
    CitationFormat.CSL_JSON.value: _csl_json,
}


def _keys(works: Iterable[DescribedWork]) -> list[str]:
    """A key for each work: ``carberry-2007-urns``; the same works give the same keys."""
    counts: dict[str, int] = {}
    keys: list[str] = []
    for work in works:
        item = work.style_item
        names = item.authors or item.editors
        title = slug(plain_line(work.item.get("title")))
        first_word = title.partition("-")[0]
        words = (slug(names[0].family) if names else "", slug(item.year), first_word)
        key = "-".join(word for word in words if word) or "work"
        counts[key] = counts.get(key, 0) + 1
        keys.append(key if counts[key] == 1 else f"{key}-{counts[key]}")
    return keys


def _line(variables: Mapping[str, Any], name: str) -> str:
    return plain_line(variables.get(name))


def _tex(variables: Mapping[str, Any], name: str) -> str:
    return bibtex.tex(_line(variables, name))


def _tex_of_runs(runs: RichText) -> str:
    """A title in TeX, with its italics, subscripts and the like."""
    parts: list[str] = []
    for run in runs:
        commands = "".join(f"\\{_TEX_COMMANDS[tag]}{{" for tag in run.tags)
        parts.append(f"{commands}{bibtex.tex(run.text)}{'}' * len(run.tags)}")
    return "".join(parts)


def _date(item: Mapping[str, Any]) -> list[int]:
    """Year, month and day of publication, as far as they are known."""
    return first_date(csl_item({"issued": item.get("issued")}).get("issued"))


def _month(item: Mapping[str, Any]) -> int:
    """The month of publication, or 0."""
    date = _date(item)
    return date[1] if len(date) > 1 else 0


def _ris_date(item: Mapping[str, Any]) -> str:
    """The date as RIS writes it, ``2007/06/26``, if more than the year is known."""
    date = _date(item)
    if len(date) < 2 or date[0] < 1:
        return ""
    year, *month_and_day = date
    return "/".join([f"{year:04d}", *(f"{part:02d}" for part in month_and_day)])
