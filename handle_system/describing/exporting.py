"""Works of the file of references in the formats of reference managers.

The card's writers write the entries, so identifiers, names and special characters stand
in a list as they stand in a card.  What the formats have no field for is left out.
"""

from collections.abc import Callable, Iterable, Mapping, Sequence
from functools import partial

from handle_system.citing.citation import slug, without_unknown
from handle_system.citing.entries import Entry
from handle_system.citing.formats import CitationFormat, bibtex, csl_json, ris
from handle_system.describing.described_work import DescribedWork
from handle_system.describing.items import csl_item, first_date, id_of
from handle_system.describing.rich_text import plain_line
from handle_system.proxies import Proxies

__all__ = ["EXPORT_FORMATS", "exported"]


def exported(works: Iterable[DescribedWork], name: str, proxies: Proxies) -> str:
    """Works in a format of `EXPORT_FORMATS`; those without metadata are left out.

    Args:
        works: The works, in their order.
        name: The name of the format.
        proxies: The proxies that handles link to.
    """
    described = [work for work in works if work.has_metadata]
    return EXPORT_FORMATS[name](described, proxies)


def _written(
    write: Callable[[Entry], str], works: Sequence[DescribedWork], proxies: Proxies
) -> str:
    """The works in a format whose entries have keys."""
    keys = _keys(works)
    return "\n".join(
        write(_entry(work, key, proxies)) for work, key in zip(works, keys, strict=True)
    )


def _entry(work: DescribedWork, key: str, proxies: Proxies) -> Entry:
    variables = csl_item(work.item)
    return Entry(
        key=key,
        type=str(variables.get("type")),
        item=work.style_item,
        handle=work.handle,
        url=proxies.link(work.handle),
        date=first_date(variables.get("issued")),
        genre=plain_line(variables.get("genre")),
        number=plain_line(variables.get("number")),
        series=plain_line(variables.get("collection-title")),
        edition=plain_line(variables.get("edition")),
        place=plain_line(variables.get("publisher-place")),
        language=plain_line(variables.get("language")),
    )


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
    CitationFormat.BIBTEX.value: partial(_written, bibtex.write_entry),
    CitationFormat.RIS.value: partial(_written, ris.write_entry),
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
