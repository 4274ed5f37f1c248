"""Findings about identifiers that name another work than the text beside them."""

from typing import Any

from handle_system.describing.compared_texts import CitedText, findings_about_texts
from handle_system.describing.described_works import DescribedWorks
from handle_system.describing.references_file import ReferencesFile
from handle_system.findings.codes import Code, Severity
from handle_system.findings.finding import Excerpt, Fact, Finding, Place
from handle_system.handle import Handle
from handle_system.text_beside import (
    TextBeside,
    bibtex_entry,
    link_label,
    written_reference,
)
from tests.test_core.test_other_work import BESIDE_KAHN, BESIDE_PASKIN, KAHN

DOI = Handle.parse("10.1007/s00799-005-0128-x")
KAHN_ITEM: dict[str, Any] = {"id": f"doi:{DOI}", **KAHN}


def described(*items: dict[str, Any]) -> DescribedWorks:
    """Files of references, each with one item."""
    return DescribedWorks(
        ReferencesFile(path=None, items={DOI: item})  # type: ignore[arg-type] # no file is read
        for item in items
    )


def text(
    beside: TextBeside | None, line: int, file: str = "a.md", handle: Handle = DOI
) -> CitedText:
    """A text on a line of a file."""
    assert beside is not None
    return CitedText(handle, Place(file, line), beside)


def test_another_work() -> None:
    """The finding says which work it is, and shows the text it was compared with."""
    label = text(link_label("Taylor et al. (1999)"), 4)

    assert findings_about_texts([label], described(KAHN_ITEM)) == [
        Finding(
            code=Code.OTHER_WORK,
            subject="10.1007/s00799-005-0128-x",
            message="another work: Kahn and Wilensky (2006)",
            severity=Severity.WARNING,
            places=(Place("a.md", 4),),
            other_excerpt=Excerpt("Taylor et al. (1999)", 0, 20),
            facts=(
                Fact("it is", '"A framework for distributed digital object services"'),
            ),
            advice="correct the identifier or the text",
        )
    ]


def test_another_work_of_the_same_people_is_a_note() -> None:
    """Where somebody of the work is named, the author may know better."""
    fields = {"title": "Handles as names of all things", "author": "Kahn, R."}
    entry = text(bibtex_entry("book", {**fields, "year": "1995"}), 1)

    (finding,) = findings_about_texts([entry], described(KAHN_ITEM))

    assert finding.severity is Severity.NOTE
    assert finding.other_excerpt == Excerpt("Handles as names of all things", 0, 30)


def test_the_same_work_is_no_finding() -> None:
    """Nothing is said where text and item agree, or there is no item."""
    texts = [text(written_reference(BESIDE_KAHN), 1)]

    assert findings_about_texts(texts, described(KAHN_ITEM)) == []
    assert findings_about_texts(texts, DescribedWorks(())) == []


def test_an_item_by_hand_accepts_a_text() -> None:
    """The first file that has an item is believed."""
    texts = [text(written_reference(BESIDE_PASKIN), 1)]
    by_hand = {
        "id": f"doi:{DOI}",
        "title": "On objects",
        "author": [{"family": "Paskin"}],
    }

    assert len(findings_about_texts(texts, described(KAHN_ITEM))) == 1
    assert findings_about_texts(texts, described(by_hand, KAHN_ITEM)) == []


def test_one_identifier_beside_two_works() -> None:
    """Without any metadata, the second text has the finding."""
    texts = [
        text(written_reference(BESIDE_KAHN), 3),
        text(written_reference(BESIDE_KAHN), 5),
        text(written_reference(BESIDE_PASKIN), 7),
    ]

    assert findings_about_texts(texts, DescribedWorks(())) == [
        Finding(
            code=Code.SAME_DOI,
            subject="10.1007/s00799-005-0128-x",
            message="also beside another work on line 3",
            severity=Severity.WARNING,
            places=(Place("a.md", 7),),
            other_excerpt=Excerpt(BESIDE_PASKIN.strip(), 0, 82),
            facts=(
                Fact(
                    "there",
                    '"Kahn, R. and Wilensky, R. (2006). A framework for distributed '
                    'digital object services. Int. J. Digit…"',
                ),
            ),
            advice="correct the identifier that is wrong",
        )
    ]


def test_what_is_known_to_be_wrong_is_said_once() -> None:
    """Where the item shows which text is wrong, the pair says nothing new."""
    texts = [
        text(written_reference(BESIDE_PASKIN), 3),
        text(written_reference(BESIDE_KAHN), 5),
    ]

    findings = findings_about_texts(texts, described(KAHN_ITEM))

    assert [finding.code for finding in findings] == [Code.OTHER_WORK]


def test_only_texts_of_one_file_and_one_identifier_are_compared() -> None:
    """A test that invents works in another file is no mistake."""
    other_doi = Handle.parse("10.1000/1")
    texts = [
        text(written_reference(BESIDE_KAHN), 3),
        text(written_reference(BESIDE_PASKIN), 3, file="b.md"),
        text(written_reference(BESIDE_PASKIN), 5, handle=other_doi),
    ]

    assert findings_about_texts(texts, DescribedWorks(())) == []


def test_texts_are_plain_data_in_an_environment() -> None:
    """A text comes back from its strings."""
    fields = {"title": "T", "author": "A", "pages": "1", "journal": "J"}
    entry = bibtex_entry("inbook", fields)
    assert entry is not None

    plain = entry.to_plain()

    assert plain == ("entry", "T\n1\nJ\nA", "T", "A", "1", True, "J")
    assert type(plain[0]) is str
    assert TextBeside.from_plain(plain) == entry
