"""Targets: metadata of works, the file that keeps them, locations, and mystmd's trees."""

import json
import random
import unicodedata
from collections.abc import Iterable
from functools import cache
from pathlib import Path
from tempfile import TemporaryDirectory
from typing import Any

from handle_pipelines.mystmd.tree import correct_targets, link_references
from handle_system.citing.style import plain_text
from handle_system.describing.described_works import read_described_works
from handle_system.describing.items import (
    csl_item,
    describe,
    item_of_csl,
    item_of_datacite,
)
from handle_system.describing.references_file import file_text, read_references_file
from handle_system.describing.updates import read_updates
from handle_system.errors import showable
from handle_system.handle import Handle
from handle_system.proxies import DEFAULT_PROXIES
from handle_system.resolving.locations import (
    Reader,
    choose,
    possible,
    read_locations,
)
from tests.strategies import PIECES
from trials.fuzz.mutation import mixed, mutated

__all__ = ["fuzz_answer", "fuzz_locations", "fuzz_references", "fuzz_tree"]

DOI = Handle("10.1000", "x")
_ITEM = {
    "id": "doi:10.1000/x",
    "type": "article-journal",
    "title": "A <i>study</i> of H<sub>2</sub>O",
    "author": [{"family": "Doe", "given": "Jane"}, {"literal": "A body"}],
    "issued": {"date-parts": [[2020, 2, 29]]},
    "container-title": "Journal",
    "volume": "5",
    "page": "1-9",
    "custom": {
        "agency": "Crossref",
        "asked": "2026-11-23",
        "updates": [{"state": "retracted", "by": "10.1000/n", "date": "2021-01-01"}],
        "accepted": ["10.1000/m"],
        "reference": "Doe, J. <i>A study</i>.",
    },
}
_CROSSREF = {
    "DOI": "10.1000/X",
    "type": "journal-article",
    "title": ["RETRACTED: A &lt;i&gt;study&lt;/i&gt;", "Another"],
    "subtitle": [],
    "author": [{"family": "Doe", "given": "J.", "suffix": None}, {"name": "Body"}],
    "published": {"date-parts": [[None]]},
    "update-to": [{"type": "erratum", "DOI": "10.1000/y"}],
    "updated-by": [
        {"type": "retraction", "DOI": "10.1000/n", "updated": {"date-time": "2020-01-01"}}
    ],
    "relation": {"is-preprint-of": [{"id-type": "doi", "id": "10.1000/z"}]},
}  # fmt: skip
_DATACITE = {
    "doi": "10.1000/x",
    "titles": [{"title": "Data"}, {"title": "Sub", "titleType": "Subtitle"}],
    "creators": [{"name": "Doe, J.", "nameType": "Personal", "familyName": "Doe"}],
    "publisher": {"name": "Archive"},
    "publicationYear": 2020,
    "types": {"citeproc": "dataset", "resourceTypeGeneral": "Dataset"},
    "container": {"title": "Series", "firstPage": "1", "lastPage": 2},
    "relatedIdentifiers": [
        {
            "relatedIdentifier": "10.1000/z",
            "relatedIdentifierType": "DOI",
            "relationType": "IsPreviousVersionOf",
        }
    ],
}
_LOCATIONS = (
    '<locations chooseby="locatt,country,weighted" http_sc="302">'
    '<location id="0" href="https://a.example/?a&amp;b" weight="1" country="gb"/>'
    '<location href_template="https://b.example/{hdl}" weight="0"/></locations>'
)
_PIECES = (
    *("{", "}", "[", "]", '"', ":", ",", "null", "true", "NaN", "-1", "1e999", "[[[["),
    *("<i>", "</i>", "<b", "<script>", "&lt;sub&gt;", "&amp;", "&#x202e;", "<!--"),
    *("\\u0000", "\\ud800", "\\u202e", "\\u001b[31m", "\\n::error::x", "##[group]"),
    *("9" * 5000, "javascript:x", "<<<<<<< HEAD\n", '"custom":3', '"updates":[3]'),
    *('"id":"hdl:20.1/a"', '"id":[]', '"DOI":"10.1000/y"', '"title":[[null]]'),
)
_XML = (
    *("<location ", "/>", "<locations>", "</locations>", "<!DOCTYPE x>", "&lol;", "&"),
    *('href="javascript:x"', 'href_template="{hdl}{hdl}{hdl}"', 'weight="inf"', '="'),
    *('weight="NaN"', 'chooseby="x,weighted"', 'country="??"', 'score="1e999"', "\0"),
    *('include="20.1/a"', "<![CDATA[", "]]>", "<?x?>", "xmlns:a='b'", "\ud800", "é"),
)


def fuzz_references(rng: random.Random) -> str:
    """A file of any content gives texts without controls, and is written as it was read."""
    content = mutated(json.dumps([_ITEM, {**_ITEM, "id": "hdl:20.1/y"}]), _PIECES, rng)
    path = _file()
    path.write_bytes(content.encode("utf-8", "surrogatepass"))
    works = read_described_works([path])
    _check_texts(problem for _, problem in works.unreadable_files())
    for handle in works:
        work = works.get(handle)
        assert work is not None
        texts = [plain_text(work.reference()), work.author_and_year()]
        update = work.update
        if update is not None:
            texts.append(update.date)
            # A handle is exact, and escaped where it is written.
            if update.handle is None:
                texts += [update.by, update.statement]
        _check_texts(texts)
        _check_texts(_strings(csl_item(work.item)))
        _ = work.sort_key()
    file = read_references_file(path)
    path.write_text(file_text(dict(file.items)), "utf-8", "surrogatepass")
    again = read_references_file(path)
    assert again.problem or again.items.keys() == file.items.keys()
    return "refused" if file.problem else "read"


def fuzz_answer(rng: random.Random) -> str:
    """An agency's answer of any shape gives an item that the file can keep."""
    template = rng.choice((_CROSSREF, _DATACITE))
    try:
        answer = json.loads(mutated(json.dumps(template), _PIECES, rng))
    except (ValueError, RecursionError):
        return "no JSON"
    if not isinstance(answer, dict):
        return "no object"
    make_item = rng.choice((item_of_csl, item_of_datacite))
    item = make_item(answer, DOI)
    updates = read_updates(answer, {DOI})
    item["custom"] = {"updates": updates}
    _check_texts(_strings(item))
    assert len(json.dumps(item)) < 200_000, "it is bounded"
    known = describe(item)
    _check_texts([known.year, known.container, plain_text(known.title)])
    path = _file()
    path.write_text(file_text({DOI: item}), "utf-8")
    assert not read_references_file(path).problem
    return "item with updates" if updates else "item"


def fuzz_locations(rng: random.Random) -> str:
    """Locations of any XML give few candidates, the chosen ones among the possible."""
    locations = read_locations([("10320/loc", mutated(_LOCATIONS, _XML, rng))])
    candidates = possible(locations)
    assert len(locations.candidates) <= 256
    for candidate in candidates:
        target = candidate.written_target(DOI)
        assert target is None or len(target) < 100_000
    assert all(chosen in candidates for chosen in choose(locations, Reader()))
    if locations.is_unreadable:
        return "unreadable"
    return "candidates" if candidates else "no candidates"


def fuzz_tree(rng: random.Random) -> str:
    """A tree of mystmd keeps its text, and its links lead to http or https addresses."""
    texts = [mixed(PIECES, rng, 6) for _ in range(rng.randint(1, 4))]
    children: list[dict[str, Any]] = []
    for text in texts:
        node: dict[str, Any] = {"type": "text", "value": text}
        if rng.random() < 0.3:
            url = rng.choice((text, f"http://{text}"))
            node = {"type": "link", "url": url, "children": [node]}
        children.append(node)
    tree: dict[str, Any] = {"type": "paragraph", "children": children}
    messages: list[str] = []
    link_references(tree, DEFAULT_PROXIES, messages.append)
    correct_targets(tree, DEFAULT_PROXIES, messages.append)
    # mystmd puts zero-width spaces of its own into the texts of links.
    assert _without_breaks(_values(tree)) == _without_breaks(texts)
    links = [node for node in tree["children"] if node.get("class") == "hdl"]
    assert all(node["url"].startswith(("https:", "http:")) for node in links)
    return "with links" if links else "without links"


def _without_breaks(texts: Iterable[str]) -> str:
    return "".join(texts).replace("\u200b", "")


def _check_texts(texts: Iterable[str]) -> None:
    """No text holds a control, or a character that turns or ends the text after it."""
    for text in texts:
        hidden = [one for one in text if unicodedata.category(one) in {"Cc", "Cs"}]
        assert not hidden, f"controls in {showable(text)}"
        assert not set(text) & set("\u202a\u202b\u202d\u202e\u2066\u2067\u2028\u2029")


def _strings(value: object) -> Iterable[str]:
    if isinstance(value, str):
        yield value
    elif isinstance(value, dict):
        for name, inner in value.items():
            # The handle of a notice is exact, and escaped where it is written.
            if name != "by":
                yield from _strings(inner)
    elif isinstance(value, list):
        for inner in value:
            yield from _strings(inner)


def _values(node: dict[str, Any]) -> Iterable[str]:
    if "value" in node:
        yield node["value"]
    for child in node.get("children", ()):
        yield from _values(child)


@cache
def _folder() -> "TemporaryDirectory[str]":
    return TemporaryDirectory(prefix="fuzz-")


def _file() -> Path:
    return Path(_folder().name) / "references.json"
