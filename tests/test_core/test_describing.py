"""Items, updates and the file of references."""

import json
import subprocess
import sys
from collections.abc import Mapping
from pathlib import Path
from typing import Any

import pytest
from hypothesis import HealthCheck, example, given, settings
from hypothesis import strategies as st

from handle_system.citing.style import Date, Described, Name, Run, plain_text, reference
from handle_system.describing.described_work import DescribedWork
from handle_system.describing.described_works import (
    DescribedWorks,
    read_described_works,
)
from handle_system.describing.items import (
    csl_item,
    describe,
    id_of,
    item_of_csl,
    item_of_datacite,
)
from handle_system.describing.references_file import file_text, read_references_file
from handle_system.describing.rich_text import (
    clean_text,
    plain_line,
    read_runs,
    tagged_text,
)
from handle_system.describing.states import State
from handle_system.describing.updates import (
    Update,
    is_notice,
    read_updates,
)
from handle_system.describing.work_findings import finding_about_work, quoted
from handle_system.findings.codes import Code
from handle_system.handle import Handle
from handle_system.proxies import DEFAULT_PROXIES
from tests.strategies import written_references

DOI = Handle.parse("10.5555/urns")
JSON_VALUES = st.recursive(
    st.none() | st.booleans() | st.integers() | st.floats() | st.text(),
    lambda inner: st.lists(inner) | st.dictionaries(st.text(), inner),
    max_leaves=8,
)


# DataCite Metadata Schema 4.5, appendix 3.
UNKNOWN_VALUES = [
    *("unac", "unal", "unap", "unas", "unav", "unkn"),
    *("none", "null", "tba", "etal", "at"),
]


def update_of(item: Mapping[str, Any]) -> Update | None:
    """The update of a work that this item describes."""
    return DescribedWork(DOI, item).update


class TestRichText:
    """`rich_text`: cleaned text."""

    @pytest.mark.parametrize(
        ("value", "text"),
        [
            ("A <em>small</em> title", "A <i>small</i> title"),
            ("x<jats:sub>2</jats:sub><sup>−6</sup>", "x<sub>2</sub><sup>−6</sup>"),
            ("&lt;scp&gt;DNA&lt;/scp&gt; &amp;amp; RNA", "DNA & RNA"),
            ("p < 0.05 and q > 1", "p < 0.05 and q > 1"),
            ("<script>alert(1)</script>x<img src=x onerror=alert(1)>", "x"),
            ("<script>alert(1) is not closed", "alert(1) is not closed"),
            ("<i>never closed", "never closed"),
            ("<i>never <i>closed", "never closed"),
            ("closed</i> only", "closed only"),
            ("<i>a <i>b</i> c", "<i>a b</i> c"),
            ("<i>a <b>b</i> c</b>", "<i>a </i><i><b>b</b></i><b> c</b>"),
            ("one<br/>two", "one two"),
            (
                "a<title>b</title>c<p>d</p>e<div>f</div>g<li>h</li>i",
                "a b c d e f g h i",
            ),
            (
                "a<jats:title>b</jats:title>c<jats:p>d</jats:p>e<jats:break/>f",
                "a b c d e f",
            ),
            ("  a \t\r\n b  ", "a b"),
            ("a b ", "a b"),
            (" a b", "a b"),
            ("a  b", "a b"),
            ("a <i> b </i> c", "a <i>b </i>c"),
            ("\u202egnp.\u202c \x00\x1b[31mred\ufeff\u00ad", "gnp. [31mred"),
            ("می\u200cخواهم", "می\u200cخواهم"),
            ("&#x202E;abc&#0;", "abc\ufffd"),
            ("lone \ud800 surrogate \uffff", "lone surrogate"),
            (["", None, "first", "second"], "first"),
            ([["nested"]], ""),
            (12, "12"),
            (1.5, "1.5"),
            (True, ""),
            ({"a": 1}, ""),
            (
                (
                    "<mml:math><mml:mi>x</mml:mi><mml:annotation>\\x</mml:annotation>"
                    "</mml:math> is"
                ),
                "x is",
            ),
        ],
    )
    def test_clean_text(self, value: object, text: str) -> None:
        """Known tags stay, all others go, and nothing is left that hides."""
        assert clean_text(value, is_escaped=True) == text

    @pytest.mark.parametrize("name", UNKNOWN_VALUES)
    def test_codes_for_unknown_values(self, name: str) -> None:
        """A code of DataCite for an unknown value is no text, however it is written."""
        for code in (f"(:{name})", f":{name}", f":{name.upper()}"):
            assert clean_text(code) == ""
            assert clean_text(f"{code} or else") == f"{code} or else"

    def test_markup_of_other_languages_is_text(self) -> None:
        """LaTeX, reStructuredText and Markdown stay as they are written."""
        text = r"\input{/etc/passwd} $\write18{id}$ `a <https://x>`_ |s| ![x](y)"

        assert clean_text(text) == text

    def test_length_is_bounded(self) -> None:
        """A thousand characters of a line are kept, inside of tags as well."""
        assert clean_text("x" * 5000) == "x" * 1000
        assert len(plain_line("<i>" + "x" * 5000 + "</i>")) == 1000
        assert clean_text("<i>" + "x" * 5000 + "</i>").endswith("x</i>")
        assert clean_text("x" * 1000 + "<i>y</i>") == "x" * 1000

    @given(st.text(alphabet="<>/ibsubp &;lt\u202ex\n"))
    def test_cleaning_is_done_once(self, text: str) -> None:
        """Cleaned runs are one line, and written and read again they are the same."""
        runs = read_runs(clean_text(text))

        assert plain_text(runs).isprintable()
        assert read_runs(tagged_text(runs)) == runs or "<" in plain_text(runs)


# The types of Crossref's API, without those for which CSL has none.
CROSSREF_TYPES = [
    "book",
    "book-chapter",
    "book-part",
    "book-section",
    "book-series",
    "book-set",
    "database",
    "dataset",
    "dissertation",
    "edited-book",
    "journal",
    "journal-article",
    "journal-issue",
    "journal-volume",
    "monograph",
    "peer-review",
    "posted-content",
    "proceedings",
    "proceedings-article",
    "reference-book",
    "reference-entry",
    "report",
    "report-component",
    "report-series",
    "standard",
]


# CSL 1.0.2, appendix III.
CSL_TYPES = [
    *("article", "article-journal", "article-magazine", "article-newspaper", "bill"),
    *("book", "broadcast", "chapter", "classic", "collection", "dataset", "document"),
    *("entry", "entry-dictionary", "entry-encyclopedia", "event", "figure", "graphic"),
    *("hearing", "interview", "legal_case", "legislation", "manuscript", "map"),
    *("motion_picture", "musical_score", "pamphlet", "paper-conference", "patent"),
    *("performance", "periodical", "personal_communication", "post", "post-weblog"),
    *("regulation", "report", "review", "review-book", "software", "song", "speech"),
    *("standard", "thesis", "treaty", "webpage"),
]


class TestItems:
    """`items`: from an answer to a clean item."""

    @pytest.mark.parametrize(
        ("handle", "name"),
        [
            ("10.1000/日本", "doi:10.1000/日本"),
            ("10.1000/A(b)<1::c>;2-O", "doi:10.1000/A(b)<1::c>;2-O"),
            ("20.1000/100", "hdl:20.1000/100"),
            ("10.1000/50%", "doi:10.1000/50%25"),
            ("10.1000/a?b#c", "doi:10.1000/a%3Fb%23c"),
            ("10.1000/{a}", "doi:10.1000/%7Ba%7D"),
            ("10.1000/a\u200bb", "doi:10.1000/a%E2%80%8Bb"),
        ],
    )
    def test_ids_are_literal(self, handle: str, name: str) -> None:
        """An id has the characters of the identifier, unless it could not be read."""
        assert item_of_csl({}, Handle.parse(handle))["id"] == name

    @settings(suppress_health_check=[HealthCheck.function_scoped_fixture])
    @given(written_references())
    def test_ids_are_read_back(
        self, tmp_path: Path, reference: tuple[str, Handle]
    ) -> None:
        """The file of references has the item under the identifier that it is about."""
        _, handle = reference
        path = tmp_path / "references.json"
        path.write_text(json.dumps([{"id": id_of(handle)}]), "utf-8")

        assert [*read_references_file(path).items] == [handle]

    @pytest.mark.parametrize("name", CROSSREF_TYPES)
    def test_types_of_crossref(self, name: str) -> None:
        """Each has a type of CSL, so that styles know what they format."""
        assert item_of_csl({"type": name}, DOI)["type"] != "document"

    @pytest.mark.parametrize("name", CSL_TYPES)
    def test_types_of_csl(self, name: str) -> None:
        """Each stays as it is, in the file of references and for a style."""
        assert item_of_csl({"type": name}, DOI)["type"] == name
        assert csl_item({"type": name})["type"] == name

    @pytest.mark.parametrize(
        ("field", "names"),
        [
            ("container-title", ["container-title"]),
            ("volume", ["volume"]),
            ("issue", ["issue"]),
            ("page", ["page"]),
            ("number", ["article-number"]),
            ("publisher", ["publisher"]),
            ("publisher-place", ["publisher-place", "publisher-location"]),
            ("edition", ["edition", "edition-number"]),
            ("version", ["version"]),
            ("genre", ["genre", "degree"]),
            ("collection-title", ["collection-title"]),
        ],
    )
    def test_texts_of_an_answer(self, field: str, names: list[str]) -> None:
        """An item has each text that a style prints, whatever the answer calls it."""
        for name in names:
            assert item_of_csl({"type": "book", name: "12"}, DOI)[field] == "12"

    def test_a_message_of_crossref(self) -> None:
        """Lists become texts, types become those of CSL, and odd members go."""
        answer = {
            "type": "proceedings-article",
            "title": ["Urns &amp; <i>tea</i>"],
            "subtitle": ["A study"],
            "author": [
                {"family": "Doe", "given": "Ann", "affiliation": [{"name": "X"}]},
                {"family": "Roe", "given": "B.", "suffix": "Jr."},
                {"name": "The Group"},
                {"family": "Mono"},
                {},
                "text",
            ],
            "issued": {"date-parts": [[None]]},
            "published": {"date-parts": [["1998", "2", 28]]},
            "container-title": ["Lecture Notes in Urns", "Proc. Urns"],
            "page": "1-9",
            "language": "EN",
            "abstract": "not kept",
            "event": {"name": "X"},
        }

        assert item_of_csl(answer, DOI) == {
            "id": "doi:10.5555/urns",
            "type": "paper-conference",
            "title": "Urns & <i>tea</i>: A study",
            "author": [
                {"family": "Doe", "given": "Ann"},
                {"family": "Roe", "given": "B.", "suffix": "Jr."},
                {"literal": "The Group"},
                {"literal": "Mono"},
            ],
            "issued": {"date-parts": [[1998, 2, 28]]},
            "container-title": "Proc. Urns",
            "collection-title": "Lecture Notes in Urns",
            "page": "1-9",
            "language": "en",
            "DOI": "10.5555/urns",
        }

    @pytest.mark.parametrize(
        ("kind", "written", "book", "series"),
        [
            (
                "book-chapter",
                ["Lecture Notes in Urns", "Pots"],
                "Pots",
                "Lecture Notes in Urns",
            ),
            (
                "book-chapter",
                ["Pots", "Lecture Notes in Urns"],
                "Pots",
                "Lecture Notes in Urns",
            ),
            ("proceedings-article", ["Urns", "Pots"], "Pots", "Urns"),
            (
                "reference-entry",
                ["Studies in Urns", "Topics in Pots"],
                "Topics in Pots",
                "Studies in Urns",
            ),
            ("book-chapter", ["Pots", "Pots"], "Pots", None),
            ("book-chapter", "Lecture Notes in Urns", "Lecture Notes in Urns", None),
            # A journal, perhaps with its abbreviation.
            (
                "journal-article",
                ["Journal of Urns", "J. Urns"],
                "Journal of Urns",
                None,
            ),
        ],
    )
    def test_two_containers(
        self, kind: str, written: object, book: str, series: str | None
    ) -> None:
        """The last one is the book, unless it begins like a known series."""
        item = item_of_csl({"type": kind, "container-title": written}, DOI)

        assert item["container-title"] == book
        assert item.get("collection-title") == series

    def test_the_series_of_a_monograph(self) -> None:
        """A monograph keeps its publisher, whom its series does not displace."""
        answer = {
            "type": "monograph",
            "title": "Urns",
            "publisher": "Press",
            "container-title": ["Lecture Notes in Urns"],
        }

        item = item_of_csl(answer, DOI)

        assert plain_text(reference(describe(item))) == "Urns. Press."
        assert item["collection-title"] == "Lecture Notes in Urns"
        del answer["publisher"]
        item = item_of_csl(answer, DOI)
        assert plain_text(reference(describe(item))) == "Urns. Lecture Notes in Urns."

    @pytest.mark.parametrize(
        ("general_type", "citeproc", "kind", "text"),
        [
            ("Dataset", "dataset", "Series", "Data. Repo."),
            ("Dataset", "dataset", "DataRepository", "Data. Repo."),
            ("Text", "article-journal", "Series", "Data. Urns."),
            ("JournalArticle", "article-journal", "Journal", "Data. Urns."),
            ("Text", "report", "Series", "Data. Repo."),
            ("BookChapter", "chapter", "Series", "Data. Urns."),
        ],
    )
    def test_the_series_at_datacite(
        self, general_type: str, citeproc: str, kind: str, text: str
    ) -> None:
        """DataCite's series is the journal of an article, and no publisher of data."""
        attributes = {
            "titles": [{"title": "Data"}],
            "publisher": "Repo",
            "types": {"resourceTypeGeneral": general_type, "citeproc": citeproc},
            "container": {"type": kind, "title": "Urns"},
        }

        item = item_of_datacite(attributes, DOI)

        assert plain_text(reference(describe(item))) == text
        assert "Urns" in (item.get("container-title"), item.get("collection-title"))

    @pytest.mark.parametrize(
        "written", ["null", ":(unav)", "(:unas)", "[s.n.]", ["null"], "undefined"]
    )
    def test_placeholders(self, written: object) -> None:
        """A placeholder in any field is nothing."""
        answer = {
            "title": written,
            "volume": written,
            "publisher": written,
            "author": [{"family": written, "given": written}, {"name": written}],
        }

        assert set(item_of_csl(answer, DOI)) == {"id", "type", "DOI"}

    def test_a_person_named_null(self) -> None:
        """People are named Null; a program writes it in small letters."""
        answer = {"author": [{"family": "Null", "given": "Ann"}]}

        assert item_of_csl(answer, DOI)["author"] == answer["author"]

    @pytest.mark.parametrize(
        "member",
        [
            {"name": "0000-0002-1801-8992"},
            {"literal": "https://orcid.org/0000-0002-1801-899X"},
            {"family": "0000-0002-1801-8992"},
        ],
    )
    def test_an_orcid_is_no_name(self, member: dict[str, str]) -> None:
        """An iD in the place of a name names nobody."""
        answer = {"title": "Urns", "author": [{"family": "Doe"}, member]}

        assert item_of_csl(answer, DOI)["author"] == [{"literal": "Doe"}]

    @pytest.mark.parametrize(
        ("written", "tag"),
        [
            ("EN", "en"),
            ("eng", "en"),
            ("ger", "de"),
            ("deu", "de"),
            ("chi-TW", "zh-tw"),
            ("pt-BR", "pt-br"),
            ("zh-Hant", "zh-hant"),
            ("es-419", "es-419"),
            ("nds", "nds"),
            ("English", None),
            ("e", None),
            (":unav", None),
        ],
    )
    def test_languages(self, written: str, tag: str | None) -> None:
        """A language has its shortest code, with script and region."""
        assert item_of_csl({"language": written}, DOI).get("language") == tag
        assert csl_item({"language": written}).get("language") == tag

    @pytest.mark.parametrize(
        ("member", "name"),
        [
            (
                {
                    "family": "Gogh",
                    "given": "Vincent",
                    "non-dropping-particle": "van",
                },
                Name.person("van Gogh", "Vincent"),
            ),
            (
                {
                    "family": "Beethoven",
                    "given": "Ludwig",
                    "dropping-particle": "van",
                },
                Name.person("Beethoven", "Ludwig van"),
            ),
            (
                {
                    "family": "Alembert",
                    "given": "Jean",
                    "non-dropping-particle": "d’",
                },
                Name.person("d’Alembert", "Jean"),
            ),
        ],
    )
    def test_particles(self, member: dict[str, str], name: Name) -> None:
        """A particle is a part of the name, as Zotero and pandoc export it."""
        assert describe({"author": [member]}).authors == (name,)
        stored = item_of_csl({"title": "x", "author": [member]}, DOI)
        assert describe(stored).authors == (name,)

    def test_family_name_alone(self) -> None:
        """It is a person's where a person wrote it, and may be a body's in an answer."""
        member = {"family": "Gogh", "non-dropping-particle": "van"}

        assert describe({"author": [member]}).authors == (Name.person("van Gogh"),)
        assert item_of_csl({"title": "x", "author": [member]}, DOI)["author"] == [
            {"literal": "van Gogh"}
        ]

    @pytest.mark.parametrize(
        ("title", "whole"),
        [
            ("Urns", "Urns: A study"),
            ("Urns:", "Urns: A study"),
            ("Urns.", "Urns. A study"),
            ("Urns?", "Urns? A study"),
            ("Urns!", "Urns! A study"),
            ("A STUDY of urns", "A STUDY of urns"),
            ("", "A study"),
        ],
    )
    def test_subtitles(self, title: str, whole: str) -> None:
        """A subtitle stands behind the title, once, and behind one mark."""
        answer = {"title": title, "subtitle": "A study"}

        assert item_of_csl(answer, DOI)["title"] == whole

    def test_identifier_that_needs_encoding(self) -> None:
        """The id is a URI, which leads back to the handle."""
        handle = Handle.parse("20.1000/a%b#c")

        assert item_of_csl({"title": "x"}, handle) == {
            "id": "hdl:20.1000/a%25b%23c",
            "type": "document",
            "title": "x",
        }

    def test_names_of_datacite(self) -> None:
        """The name of a person is divided at its comma; that of a body is not."""
        creators = [
            {"name": "Doe, Ann", "nameType": "Personal"},
            {"name": "Mono", "nameType": "Personal", "givenName": None},
            {"name": "University, Department", "nameType": "Organizational"},
            {"name": "Lab, Urns"},
        ]

        assert item_of_datacite({"creators": creators}, DOI)["author"] == [
            {"family": "Doe", "given": "Ann"},
            {"literal": "Mono"},
            {"literal": "University, Department"},
            {"literal": "Lab, Urns"},
        ]

    def test_attributes_of_datacite(self) -> None:
        """An item has what DataCite says of the work and of the journal or book."""
        attributes = {
            "titles": [
                {"title": "Urnen", "titleType": "TranslatedTitle"},
                {"title": "Urns"},
            ],
            "types": {"resourceTypeGeneral": "Text", "citeproc": "article-journal"},
            "publicationYear": 2021,
            "publisher": {"name": "Urn Press"},
            "version": "v2",
            "container": {
                "title": "The Urn",
                "volume": "3",
                "issue": "4",
                "firstPage": "15",
                "lastPage": "19",
            },
            "language": "en",
        }

        assert item_of_datacite(attributes, DOI) == {
            "id": "doi:10.5555/urns",
            "type": "article-journal",
            "title": "Urns",
            "issued": {"date-parts": [[2021]]},
            "publisher": "Urn Press",
            "version": "v2",
            "container-title": "The Urn",
            "volume": "3",
            "issue": "4",
            "page": "15-19",
            "language": "en",
            "DOI": "10.5555/urns",
        }

    @pytest.mark.parametrize(
        ("general", "kind"),
        [("Dataset", "dataset"), ("Preprint", "article"), ("Software", "software")],
    )
    def test_types_of_datacite(self, general: str, kind: str) -> None:
        """The general type counts where DataCite's own type for styles loses it."""
        types = {"resourceTypeGeneral": general, "citeproc": "article"}

        assert item_of_datacite({"types": types}, DOI)["type"] == kind

    def test_the_server_of_a_preprint(self) -> None:
        """A preprint names its server, and not the laboratory that runs it."""
        answer = {
            "type": "posted-content",
            "title": "Urns",
            "publisher": "Urn Laboratory",
            "institution": [{"name": "urnRxiv"}],
        }

        assert item_of_csl(answer, DOI)["publisher"] == "urnRxiv"
        answer.pop("institution")
        assert item_of_csl(answer, DOI)["publisher"] == "Urn Laboratory"

    @pytest.mark.parametrize(
        ("issued", "stored"),
        [
            ({"raw": "2019-05"}, {"date-parts": [[2019]]}),
            ({"date-parts": [[None]], "literal": "in press"}, {"literal": "in press"}),
            ("2019", {"date-parts": [[2019]]}),
        ],
    )
    def test_dates_in_words(self, issued: object, stored: dict[str, Any]) -> None:
        """An agency may give a date as a text."""
        assert item_of_csl({"title": "x", "issued": issued}, DOI)["issued"] == stored

    @pytest.mark.parametrize(
        ("written", "read"),
        [
            ([9999, 12, 31], [9999, 12, 31]),
            ([1, 1, 1], [1, 1, 1]),
            ([2019, 13, 1], [2019]),
            ([2019, 12, 32], [2019, 12]),
            ([2019, 0, 1], [2019]),
            ([2019, 5, 1, 12], [2019, 5, 1]),
        ],
    )
    def test_parts_of_a_date(self, written: list[int], read: list[int]) -> None:
        """A date ends before a part that no calendar has."""
        issued = {"date-parts": [written]}
        stored = item_of_csl({"title": "x", "issued": issued}, DOI)["issued"]

        assert stored == {"date-parts": [read]}

    @pytest.mark.parametrize("year", [10_000, 0, None, "soon"])
    def test_a_year_that_cannot_be_read(self, year: object) -> None:
        """A date without a year from 1 to 9999 is left out."""
        issued = {"date-parts": [[year, 3, 15]]}

        assert "issued" not in item_of_csl({"title": "x", "issued": issued}, DOI)

    def test_an_item_for_styles(self) -> None:
        """A style gets every variable, of a shape and a form that it expects."""
        item = {
            "id": "roe",
            "type": ["odd"],
            "title": ["A <em>title</em>"],
            "translator": [{"family": "Roe", "given": "J."}, 3],
            "number": 7,
            "version": "v1.26.4",
            "page": "137-137",
            "issued": "1888-05-01",
            "accessed": {"date-parts": [["2020", 1]]},
            "original-date": {"literal": "in press"},
            "event-date": {"date-parts": [[-44, 3, 15]]},
            "language": "eng",
            "keyword": {"shape": "odd"},
            "custom": {"agency": "Crossref"},
        }

        assert csl_item(item) == {
            "type": "document",
            "title": "A <i>title</i>",
            "translator": [{"family": "Roe", "given": "J."}],
            "number": "7",
            "version": "1.26.4",
            "page": "137",
            "issued": {"date-parts": [[1888]]},
            "accessed": {"date-parts": [[2020, 1]]},
            "original-date": {"literal": "in press"},
            "event-date": {"date-parts": [[-44]]},
            "language": "en",
        }

    def test_an_item_for_the_built_in_style(self) -> None:
        """The style of the project gets each part of a reference, as plain values."""
        item = {
            "title": "A <i>title</i>",
            "author": [{"family": "Roe", "given": "J."}],
            "editor": [{"literal": "The Group"}],
            "issued": {"date-parts": [[2021, 5]]},
            "version": "v2.1",
            "container-title": "The Urn",
            "volume": 3,
            "issue": "4",
            "page": "15-19",
            "number": "e7",
            "publisher": "Urn Press",
        }

        assert describe(item) == Described(
            title=(Run("A "), Run("title", ("i",))),
            authors=(Name.person("Roe", "J."),),
            editors=(Name("The Group"),),
            date=Date(2021, 5),
            version="2.1",
            container="The Urn",
            volume="3",
            issue="4",
            pages="15-19",
            number="e7",
            publisher="Urn Press",
        )
        assert describe(item).pages_or_number == "15-19"
        assert describe({**item, "page": ""}).pages_or_number == "e7"

    def test_very_many_names(self) -> None:
        """Forty names are kept: the first ones, and the last."""
        people = [{"literal": f"N{number}"} for number in range(5000)]

        names = item_of_csl({"title": "x", "author": people}, DOI)["author"]

        assert len(names) == 40
        assert names[-2:] == [{"literal": "N38"}, {"literal": "N4999"}]

    @given(JSON_VALUES)
    @example([1])
    def test_any_shape(self, value: Any) -> None:
        """No member of an answer or of a file is an exception, whatever its shape."""
        names = [
            "type",
            "title",
            "subtitle",
            "author",
            "editor",
            "issued",
            "container-title",
            "number",
            "page",
            "custom",
            "updated-by",
            "update-to",
            "relation",
            "relatedIdentifiers",
            "types",
            "container",
            "titles",
            "creators",
            "publisher",
            "publicationYear",
            "language",
            "DOI",
            "version",
        ]
        for name in names:
            answer = {name: value}
            for wrapped in (answer, {name: [value]}, {name: {"date-parts": [value]}}):
                json.dumps(item_of_csl(wrapped, DOI))
                json.dumps(item_of_datacite(wrapped, DOI))
                json.dumps(read_updates(wrapped, {DOI}))
                describe(wrapped)
                json.dumps(csl_item(wrapped))
                update_of(wrapped)
                is_notice(wrapped)
        for name in ("updates", "accepted", "described", "notice"):
            update_of({"title": "x", "custom": {name: value}})
            update_of({"title": "x", "custom": {name: [value]}})

    @pytest.mark.parametrize(
        ("issued", "year"),
        [
            ({"date-parts": [[2020, 1]]}, "2020"),
            ({"date-parts": [["2020"]]}, "2020"),
            ({"date-parts": [[2020], [2021]]}, "2020"),
            ({"raw": "5 May 2020"}, "2020"),
            ("2020-05-01", "2020"),
            (2020, "2020"),
            ({"date-parts": [[0]]}, ""),
            ({"date-parts": [[-350]]}, "350 BCE"),
            ({"literal": "ca. 350 BCE"}, "ca. 350 BCE"),
            ({"literal": "in press"}, "in press"),
            ("forthcoming", "forthcoming"),
            ("-0350-01-01", ""),
            ("05-2020", "2020"),
            ({"literal": "x" * 100}, ""),
            ({"date-parts": []}, ""),
            ("20201", ""),
        ],
    )
    def test_year(self, issued: object, year: str) -> None:
        """People write dates in several ways."""
        assert describe({"issued": issued}).year == year


def crossref(kind: str, by: str = "10.5555/n", *date: int) -> dict[str, Any]:
    """A member of ``updated-by``."""
    return {"type": kind, "DOI": by, "updated": {"date-parts": [list(date)]}}


class TestUpdates:
    """`updates`: what became of a work."""

    @pytest.mark.parametrize(
        ("answer", "updates"),
        [
            (
                {
                    "updated-by": [
                        crossref("retraction", "10.5555/R", 2010, 2, 6),
                        crossref("correction", "10.5555/c", 2004, 3, 6),
                    ]
                },
                [
                    {"state": "corrected", "by": "10.5555/c", "date": "2004-03-06"},
                    {"state": "retracted", "by": "10.5555/r", "date": "2010-02-06"},
                ],
            ),
            # Two sources state the same: once, with the earlier date.
            (
                {
                    "updated-by": [
                        crossref("retraction", "10.5555/r", 2011),
                        crossref("retraction", "10.5555/r", 2010, 2),
                    ]
                },
                [{"state": "retracted", "by": "10.5555/r", "date": "2010-02"}],
            ),
            (
                {
                    "updated-by": [
                        crossref("retraction", "10.5555/a", 2010, 13, 6),
                        crossref("retraction", "10.5555/b", 2011, 2, 32),
                        crossref("retraction", "10.5555/c", 20112),
                    ]
                },
                [
                    {"state": "retracted", "by": "10.5555/a", "date": "2010"},
                    {"state": "retracted", "by": "10.5555/b", "date": "2011-02"},
                    {"state": "retracted", "by": "10.5555/c"},
                ],
            ),
            # As publishers spell them.
            (
                {
                    "updated-by": [
                        crossref("Retraction", "10.5555/r", 2010),
                        crossref("expression-of-concern", "10.5555/c", 2011),
                        crossref("Erratum", "10.5555/e", 2012),
                    ]
                },
                [
                    {"state": "retracted", "by": "10.5555/r", "date": "2010"},
                    {"state": "concern", "by": "10.5555/c", "date": "2011"},
                    {"state": "corrected", "by": "10.5555/e", "date": "2012"},
                ],
            ),
            # A work that updates itself: an uncorrected proof became the article.
            ({"updated-by": [crossref("new_version", "10.5555/URNS")]}, []),
            ({"updated-by": [crossref("correction", "10.5555/URNS")]}, []),
            ({"updated-by": [crossref("conference_announcement")]}, []),
            # A notice with the identifier of the work, or without one.
            (
                {"updated-by": [crossref("retraction", "10.5555/URNS", 2012, 9)]},
                [{"state": "retracted", "date": "2012-09"}],
            ),
            (
                {"updated-by": [crossref("expression_of_concern", "10.5555/URNS")]},
                [{"state": "concern"}],
            ),
            ({"updated-by": [{"type": "withdrawal"}]}, [{"state": "retracted"}]),
            # Only a time.
            (
                {
                    "updated-by": [
                        {
                            "type": "retraction",
                            "DOI": "10.5555/r",
                            "updated": {"date-time": "2012-09-01T00:00:00Z"},
                        }
                    ]
                },
                [{"state": "retracted", "by": "10.5555/r", "date": "2012-09-01"}],
            ),
            (
                {"relation": {"is-replaced-by": [{"id": "10.7777/New"}]}},
                [{"state": "superseded", "by": "10.7777/new"}],
            ),
            ({"relation": {"is-replaced-by": [{"id": "10.5555/Urns"}]}}, []),
            ({"relation": {"is-replaced-by": [{"id": "3", "id-type": "pmid"}]}}, []),
            (
                {"relation": {"is-preprint-of": [{"id": "10.5555/Late"}]}},
                [{"state": "published", "by": "10.5555/late"}],
            ),
            ({"relation": {"has-preprint": [{"id": "10.5555/early"}]}}, []),
            ({"relation": {"is-version-of": [{"id": "10.5555/all"}]}}, []),
            ({"relation": {"is-preprint-of": [{"id": "https://x.example"}]}}, []),
        ],
    )
    def test_crossref(self, answer: dict[str, Any], updates: list[Any]) -> None:
        """Crossref's updates and relations, without those that say nothing."""
        assert read_updates(answer, {DOI}) == updates

    @pytest.mark.parametrize(
        ("doi", "kind", "by", "updates"),
        [
            (
                "10.5555/urns.v1",
                "IsPreviousVersionOf",
                "https://doi.org/10.5555/urns.v2",
                [{"state": "superseded", "by": "10.5555/urns.v2"}],
            ),
            (
                "10.5555/urns",
                "IsObsoletedBy",
                "10.5555/pots",
                [{"state": "superseded", "by": "10.5555/pots"}],
            ),
            (
                "10.5555/urns",
                "IsObsoletedBy",
                "10.7777/pots",
                [{"state": "superseded", "by": "10.7777/pots"}],
            ),
            ("10.5555/urns", "IsObsoletedBy", "10.5555/URNS", []),
            # Its copies elsewhere.
            ("10.48550/arxiv.2001.1", "IsVersionOf", "10.13140/rg.2.2.1", []),
            ("10.48550/arxiv.2001.1", "IsVersionOf", "10.5281/zenodo.1", []),
            # figshare: the address of all versions.
            (
                "10.6084/m9.figshare.1.v1",
                "IsPreviousVersionOf",
                "10.6084/m9.figshare.1",
                [],
            ),
            # GBIF: the paper of another publisher.
            ("10.15468/dl.urns", "IsPreviousVersionOf", "10.5555/paper", []),
            ("10.5281/zenodo.2", "IsVersionOf", "10.5281/zenodo.1", []),
            ("10.5555/urns", "IsVersionOf", "10.7777/urns", []),
            (
                "10.48550/arxiv.2001.1",
                "IsVersionOf",
                "10.7777/urns",
                [{"state": "published", "by": "10.7777/urns"}],
            ),
            ("10.5555/urns", "IsPreviousVersionOf", "not a doi", []),
        ],
    )
    def test_datacite(self, doi: str, kind: str, by: str, updates: list[Any]) -> None:
        """DataCite's relations, without those of addresses and of papers."""
        related = {"relationType": kind, "relatedIdentifier": by}
        answer = {"relatedIdentifiers": [related]}

        assert read_updates(answer, {Handle.parse(doi)}) == updates

    def test_a_preprint_at_datacite(self) -> None:
        """A preprint that is a version of another publisher's work was published."""
        related = {"relationType": "IsVersionOf", "relatedIdentifier": "10.7777/a"}
        answer = {
            "types": {"resourceTypeGeneral": "Preprint"},
            "relatedIdentifiers": [related],
        }

        assert read_updates(answer, {DOI}) == [
            {"state": "published", "by": "10.7777/a"}
        ]

    @pytest.mark.parametrize(
        ("title", "is_retracted"),
        [
            ("RETRACTED: On urns", True),
            ("RETRACTED. On urns", True),
            ("RETRACTED – On urns", True),
            ("RETRACTED ARTICLE: On urns", True),
            ("RETRACTED CHAPTER: On urns", True),
            ("WITHDRAWN: On urns", True),
            ("REMOVED: On urns", True),
            ("[Retracted] On urns", True),
            ("[RETRACTED] On urns", True),
            ("(Retracted Article) On urns", True),
            ("On urns (Retracted Article)", True),
            ("On urns (Retracted article. See vol. 3, pg. 5, 2012)", True),
            ("On urns [RETRACTED ARTICLE]", True),
            ("Retracted: On urns", True),
            ("Retracted - On urns", True),
            ("Retracted Article: On urns", True),
            ("Article Withdrawn: On urns", True),
            ("ARTICLE WITHDRAWN: On urns", True),
            ("Withdrawn Article: On urns", True),
            ("Notice of Retraction: On urns", True),
            ("NOTICE OF RETRACTION: On urns", True),
            ("<b>RETRACTED</b>: On urns", True),
            ("Retraction: On urns", False),
            ("RETRACTION: On urns", False),
            ("Retraction notice to: On urns", False),
            ("Retracted articles and who cites them", False),
            ("Retracted-looking urns", False),
            ("RETRACTED LIVES", False),
            ("RETRACTED-BUT-CITED WORKS", False),
            ("Removed: a memoir", False),
            ("[Removed] from the urn", False),
            ("Withdrawn: a memoir", False),
            ("Withdrawn from the world", False),
            ("The notice of retraction: a genre", False),
            ("Who cites a retracted article (retracted articles)", False),
            ("A (Retracted) urn", False),
            (["RETRACTED: no text"], False),
        ],
    )
    def test_titles(self, title: object, *, is_retracted: bool) -> None:
        """The title of a retracted work says so; that of a notice is no finding."""
        update = update_of({"title": title})

        assert update == (Update(State.RETRACTED) if is_retracted else None)

    @pytest.mark.parametrize(
        ("update", "is_a_notice"),
        [
            ({"type": "retraction", "DOI": "10.5555/other"}, True),
            ({"type": "withdrawal", "DOI": "10.5555/other"}, True),
            ({"type": "retraction", "DOI": "10.5555/URNS"}, False),
            ({"type": "new_version", "DOI": "10.5555/other"}, False),
            ({"type": "correction", "DOI": "10.5555/other"}, False),
            ({"type": "retraction"}, False),
        ],
    )
    def test_what_is_a_notice(
        self, update: dict[str, str], *, is_a_notice: bool
    ) -> None:
        """A notice retracts another work; whoever does is not retracted by itself."""
        answer = {"updated-by": [crossref("retraction", "10.5555/urns")]}
        answer["update-to"] = [update]

        assert is_notice(answer, {DOI}) is is_a_notice
        stated = [] if is_a_notice else [{"state": "retracted"}]
        assert read_updates(answer, {DOI}) == stated

    @pytest.mark.parametrize(
        ("title", "is_retracted"),
        [
            ("RETRACTED ARTICLE: On urns", True),
            ("On urns", True),
            ("Removal of urns", True),
            ("Retraction Note to: On urns", False),
            ("Retraction: On urns", False),
            ("RETRACTION NOTICE TO “ON URNS”", False),
            ("Statement of Retraction", False),
            ("Statement of Removal", False),
            ("Editorial retraction", False),
            ("Editor’s Note on Retracted Article", False),
        ],
    )
    def test_an_article_and_its_notice_that_retract_each_other(
        self, title: str, *, is_retracted: bool
    ) -> None:
        """The title tells which is the notice."""
        answer = {
            "title": [title],
            "update-to": [{"type": "retraction", "DOI": "10.5555/other"}],
            "updated-by": [crossref("retraction", "10.5555/other", 2012)],
        }

        stated = {"state": "retracted", "by": "10.5555/other", "date": "2012"}
        assert read_updates(answer, {DOI}) == ([stated] if is_retracted else [])

    def test_one_record_with_several_types(self) -> None:
        """Of one record the retraction is stale; other records say what they say."""
        retraction = crossref("retraction", "10.5555/n", 2012)
        concern = crossref("expression_of_concern", "10.5555/n", 2012)
        stale = [{**retraction, "record-id": 7}, {**concern, "record-id": "7"}]
        apart = [{**retraction, "record-id": "8"}, {**concern, "record-id": "7"}]
        unnumbered = [retraction, concern]

        states = [
            [update["state"] for update in read_updates({"updated-by": updates}, {DOI})]
            for updates in (stale, apart, unnumbered)
        ]

        both = ["concern", "retracted"]
        assert states == [["concern"], both, both]

    @pytest.mark.parametrize(
        ("date", "stored"),
        [
            ("2020-05-01", {"state": "retracted", "date": "2020-05-01"}),
            ("2020-05-01T10:00:00Z", {"state": "retracted", "date": "2020-05-01"}),
            ("2020", {"state": "retracted", "date": "2020"}),
            (None, {"state": "retracted"}),
        ],
    )
    def test_withdrawn_at_datacite(self, date: object, stored: dict[str, str]) -> None:
        """A date of the type Withdrawn retracts a work; other dates say nothing."""
        withdrawn = {"date": date, "dateType": "Withdrawn"}
        other = {"date": "2019", "dateType": "Updated"}

        assert read_updates({"dates": [other, withdrawn]}, {DOI}) == [stored]

    def test_the_work_as_its_own_notice(self) -> None:
        """Written by hand, too, a work may be its own notice, but not its new version."""
        own = [{"state": "superseded", "by": str(DOI)}]
        assert update_of({"custom": {"updates": own}}) is None

        own = [{"state": "retracted", "by": str(DOI), "date": "2012"}]
        item = {"custom": {"updates": own}}
        assert update_of(item) == Update(State.RETRACTED, date="2012")
        assert DescribedWork(DOI, item, accepted=[str(DOI)]).update is None

    def test_a_notice_with_the_title_of_a_retracted_work(self) -> None:
        """A work that updates another one is a notice, whatever its title."""
        answer = {"title": "Retracted: On urns", "update-to": [{"DOI": "10.5555/x"}]}

        assert is_notice(answer)
        item = {"title": "Retracted: On urns", "custom": {"notice": True}}
        assert update_of(item) is None

    @pytest.mark.parametrize(
        ("updates", "state"),
        [
            (["corrected", "published"], "published"),
            (["published", "superseded"], "superseded"),
            (["superseded", "concern"], "concern"),
            (["concern", "retracted"], "retracted"),
            (["Retracted"], "retracted"),
            (["expression_of_concern"], "concern"),
            (["withdrawal"], "retracted"),
            (["exploded"], None),
            ([], None),
        ],
    )
    def test_the_most_serious_one_counts(
        self, updates: list[str], state: str | None
    ) -> None:
        """One update counts, the most serious one."""
        stored = [{"state": each, "by": "10.5555/n"} for each in updates]

        update = update_of({"custom": {"updates": stored}})

        assert (update and update.state) == state

    def test_reinstatement(self) -> None:
        """A reinstatement takes back the retractions before it, and no later one."""
        before = {"state": "retracted", "by": "10.5555/a", "date": "2010"}
        reinstated = {"state": "reinstated", "by": "10.5555/b", "date": "2011-05"}
        after = {"state": "retracted", "by": "10.5555/c", "date": "2012"}

        item = {"title": "RETRACTED: x", "custom": {"updates": [before, reinstated]}}
        assert update_of(item) is None
        item = {"custom": {"updates": [before, reinstated, after]}}
        assert update_of(item) == Update(State.RETRACTED, "10.5555/c", "2012")
        answer = {"updated-by": [crossref("reinstatement", "10.5555/b", 2011)]}
        stored = {"state": "reinstated", "by": "10.5555/b", "date": "2011"}
        assert read_updates(answer, {DOI}) == [stored]

    @pytest.mark.parametrize("state", ["reinstated", "Reinstated", "reinstatement"])
    def test_reinstatement_without_a_date(self, state: str) -> None:
        """A reinstatement by hand, without a date, takes back all retractions."""
        retracted = {"state": "retracted", "by": "10.5555/a", "date": "2010"}
        item = {"custom": {"updates": [retracted, {"state": state}]}}

        assert update_of(item) is None

    def test_accepted_notices(self) -> None:
        """An accepted notice is silent; a later one is not."""
        first = {"state": "concern", "by": "10.5555/First", "date": "2010"}
        later = {"state": "retracted", "by": "10.5555/later", "date": "2012"}
        custom = {"updates": [first], "accepted": ["doi:10.5555/first"]}

        assert update_of({"custom": custom}) is None
        custom = {**custom, "updates": [first, later]}
        update = update_of({"custom": custom})
        assert update == Update(State.RETRACTED, "10.5555/later", "2012")
        # Without a notice, the identifier of the work stands for it.
        item = {"title": "RETRACTED: x", "custom": {"accepted": ["10.5555/URNS"]}}
        assert update_of(item) is None

    def test_alias(self) -> None:
        """Metadata about another DOI make the identifier an alias."""
        item = {"custom": {"described": "10.5555/other"}}

        update = update_of(item)

        assert update == Update(State.ALIAS, "10.5555/other")
        assert update_of({"custom": {"described": "10.5555/URNS"}}) is None

    @pytest.mark.parametrize(
        ("update", "text"),
        [
            (
                Update(State.RETRACTED, "10.5555/n", "2010-02-06"),
                "retracted on 2010-02-06, notice https://doi.org/10.5555/n",
            ),
            (Update(State.RETRACTED), "retracted"),
            (
                Update(State.CONCERN, "10.5555/n", "2010"),
                "expression of concern in 2010, notice https://doi.org/10.5555/n",
            ),
            (
                Update(State.SUPERSEDED, "10.5555/v2"),
                "superseded, newer version https://doi.org/10.5555/v2",
            ),
            (
                Update(State.PUBLISHED, "10.5555/a"),
                "published since, article https://doi.org/10.5555/a",
            ),
            (Update(State.PUBLISHED, "", "2012"), "published in 2012"),
            (
                Update(State.CORRECTED, "10.5555/n"),
                "corrected, correction https://doi.org/10.5555/n",
            ),
            (
                Update(State.CORRECTED, "a notice in print"),
                "corrected, correction a notice in print",
            ),
            (
                Update(State.ALIAS, "10.5555/o"),
                "an alias, identifier of the work https://doi.org/10.5555/o",
            ),
        ],
    )
    def test_findings(self, update: Update, text: str) -> None:
        """Each state has its words, and its notice is a fact."""
        assert (
            finding_about_work(DOI, update, proxies=DEFAULT_PROXIES).message_with_facts
            == text
        )

    @pytest.mark.parametrize("state", State)
    def test_every_state_has_a_row(self, state: State) -> None:
        """Each state has a label, words for its source, and a kind with a sentence."""
        assert state.label[0].isupper()
        assert state.source_noun[0].islower()
        assert Code(state.value).sentence.endswith(".")


class TestCommands:
    """Commands in findings, safe to paste."""

    @pytest.mark.parametrize(
        ("text", "on_windows"),
        [
            ("docs", "docs"),
            (r"c:\my docs", r'"c:\my docs"'),
            ("10.1016/s0140-6736(10)60175-4", '"10.1016/s0140-6736(10)60175-4"'),
            ("it's", '"it\'s"'),
            ("-x", '"-x"'),
            ("", '""'),
        ],
    )
    def test_quoting_on_windows(
        self, monkeypatch: pytest.MonkeyPatch, text: str, on_windows: str
    ) -> None:
        """Windows' shells read quotation marks, and no apostrophes."""
        monkeypatch.setattr(sys, "platform", "win32")

        assert quoted(text) == on_windows

    @given(st.text('a "\\'))
    @example('\\" \\\\')
    def test_programs_of_windows_take_it_apart(self, text: str) -> None:
        """What is quoted is read as Python's own quoting for Windows is."""
        with pytest.MonkeyPatch.context() as patch:
            patch.setattr(sys, "platform", "win32")
            written = quoted(f" {text}")

        assert written == subprocess.list2cmdline([f" {text}"])


def item(identifier: str, title: str, **custom: object) -> dict[str, Any]:
    """A stored item."""
    stored: dict[str, Any] = {"id": identifier, "title": title}
    if custom:
        stored["custom"] = custom
    return stored


class TestReferencesFile:
    """`references_file`: the file beside the documents."""

    def read(self, folder: Path, *contents: object) -> DescribedWorks:
        """Files with these contents, read in their order."""
        paths = []
        for number, content in enumerate(contents, start=1):
            path = folder / f"references{number}.json"
            if isinstance(content, bytes):
                path.write_bytes(content)
            else:
                path.write_text(json.dumps(content), "utf-8")
            paths.append(path)
        return read_described_works(paths)

    @pytest.mark.parametrize(
        ("content", "problem"),
        [
            (b"{", "it is not JSON: Expecting property name enclosed in double quotes"),
            (b"{}", "it is not a list of items (CSL-JSON)"),
            (b"\xff[]", "it is not UTF-8, from octet 0 on"),
            (b"[" * 100_000, "it is nested too deep"),
            (b"[" + b"1" * 5000 + b"]", "it has a number that is too long"),
            (
                b'[\n<<<<<<< HEAD\n{"id": "doi:10.1/a"}\n=======\n>>>>>>> b\n]',
                "line 2 is a mark of a merge conflict: take either side, then run hdl references update",
            ),
            (b"[1]", "item 1 is not an object"),
            (
                b'[{"id": "smith/2020"}]',
                (
                    'item 1 (smith/2020) has no identifier: write "id": "doi:10.…" or '
                    '"hdl:…"'
                ),
            ),
            (
                b'[{"id": "smith2020"}]',
                'item 1 (smith2020) has no identifier: write "id": "doi:10.…" or "hdl:…"',
            ),
            (
                b"[{}, {}, 3]",
                (
                    'item 1 has no identifier: write "id": "doi:10.…" or "hdl:…" '
                    "(and 2 other items)"
                ),
            ),
            (
                b'[{"id": "doi:10.1/a"}, {"id": "doi:10.1/A"}]',
                "item 2 describes 10.1/A, which an item before it describes",
            ),
            (
                b'[{"id": "doi:10.1/a", "DOI": "10.1/a", "id": "doi:10.1/b"}]',
                (
                    'item 1 has two members "id", as after a merge: take either side, '
                    "then run hdl references update"
                ),
            ),
            (
                b'[{"id": "doi:20.1/a"}]',
                'item 1 (doi:20.1/a) has no identifier: write "id": "doi:10.…" or "hdl:…"',
            ),
        ],
    )
    def test_files_that_cannot_be_read(
        self, tmp_path: Path, content: bytes, problem: str
    ) -> None:
        """There is one problem a file, with its path, and no exception."""
        references = self.read(tmp_path, content)

        ((file, said),) = references.unreadable_files()
        assert file.path == tmp_path / "references1.json"
        assert said.startswith(problem)

    def test_a_state_that_is_none_is_told(self, tmp_path: Path) -> None:
        """An item by hand with a misspelt state passes for one without; it is read."""
        references = self.read(
            tmp_path,
            [
                item("doi:10.1/a", "A", updates=[{"state": "Reinstated"}]),
                item("doi:10.1/b", "B", updates=[{"state": "new-version"}, "x", 3]),
                item("doi:10.1/c", "C", updates=[{"state": "retraced"}]),
                item("doi:10.1/d", "D", updates=[{"date": "2024"}]),
                # Whoever wrote this, a later version of the command may know more.
                item("doi:10.1/e", "E", updates=[{"state": "new"}], agency="Crossref"),
            ],
        )

        ((_, said),) = references.unreadable_files()
        assert said == (
            'item 3 (10.1/c) has the state "retraced": write retracted, concern, '
            "superseded, published, corrected or reinstated (and 1 other item)"
        )
        assert len(references.files[0].items) == 5

    @pytest.mark.parametrize("mark", ["<<<<<<< a", "=======", ">>>>>>> b", "||||||| c"])
    def test_each_mark_of_a_merge_conflict(self, tmp_path: Path, mark: str) -> None:
        """The problem names the line of the first mark that is left."""
        references = self.read(tmp_path, f"[\n{mark}\n]".encode())

        ((_, said),) = references.unreadable_files()
        assert (
            said
            == "line 2 is a mark of a merge conflict: take either side, then run hdl references update"
        )

    def test_another_member_twice(self, tmp_path: Path) -> None:
        """Of two members with one name the last one counts, as JSON is read."""
        octets = b'[{"id": "doi:10.5555/urns", "title": "Pots", "title": "Urns"}]'

        references = self.read(tmp_path, octets)

        assert list(references.unreadable_files()) == []
        work = references.get(DOI)
        assert work is not None
        assert plain_text(work.reference()) == "Urns."

    def test_the_other_items_are_read(self, tmp_path: Path) -> None:
        """An item that is none does not lose the others."""
        references = self.read(tmp_path, [1, item("doi:10.5555/urns", "Urns")])

        assert DOI in references
        assert len([*references.unreadable_files()]) == 1

    @pytest.mark.parametrize(
        ("customs", "last_asked"),
        [
            ([{"asked": "2020-01-01"}, {"asked": "2019-01-01"}], "2019-01-01"),
            ([{"refreshed": "2021-01-01"}, {"asked": "2019-01-01"}], "2021-01-01"),
            ([{"refreshed": "2018-01-01"}, {"asked": "2019-01-01"}], "2018-01-01"),
            # After a merge.
            ([{"refreshed": "2021-01-01"}, {"refreshed": "2020-01-01"}], "2020-01-01"),
            # People write items, too.
            ([{}, {"asked": "2019-01-01"}], "2019-01-01"),
            ([{"asked": "yesterday"}, {"asked": 2019}], ""),
            ([{}, {}], ""),
        ],
    )
    def test_when_it_was_last_asked(
        self, tmp_path: Path, customs: list[dict[str, object]], last_asked: str
    ) -> None:
        """The date of the file counts for all items, and else the oldest of theirs."""
        stored = [
            item(f"doi:10.5555/{number}", "Urns", **custom)
            for number, custom in enumerate(customs)
        ]
        (file,) = self.read(tmp_path, stored).files

        assert file.last_asked == last_asked
        assert all(
            "refreshed" not in item.get("custom", {}) for item in file.items.values()
        )

    def test_each_file_is_read_once(
        self, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
    ) -> None:
        """A project may spell the name of one file in many ways."""
        path = tmp_path / "references.json"
        path.write_text(json.dumps([item("doi:10.5555/urns", "Urns")]))
        (tmp_path / "link.json").symlink_to(path)
        monkeypatch.chdir(tmp_path)
        names = [
            "link.json",
            *(f"{'./' * number}references.json" for number in range(800)),
        ]
        references = read_described_works(map(Path, names))

        assert [file.path.name for file in references.files] == ["link.json"]
        assert [*references] == [DOI]

    def test_files_have_a_bound(self, tmp_path: Path) -> None:
        """The files beyond it are named, and not read."""
        paths = [tmp_path / f"{number}.json" for number in range(22)]
        for path in paths:
            path.write_text("[]")
        references = read_described_works(paths)

        reason = "it is not read: 20 files of references are read at most"
        assert [*references.unreadable_files()] == [
            (file, reason) for file in references.files[20:]
        ]

    def test_no_file(self, tmp_path: Path) -> None:
        """A file that does not exist yet has no items, and is no problem."""
        references = read_described_works([tmp_path / "none.json"])

        assert (len(references), [*references.unreadable_files()]) == (0, [])
        assert read_references_file(tmp_path).problem.endswith(
            "it is not an ordinary file"
        )

    @pytest.mark.parametrize(
        "stored",
        [
            {"id": "doi:10.5555/urns"},
            {"id": "doi:10.5555/URNS"},
            {"id": "doe2020", "DOI": "10.5555/urns"},
            {"id": "doe2020", "DOI": "https://doi.org/10.5555/urns"},
            {"id": "doe2020", "URL": "https://doi.org/10.5555/urns"},
            {"id": 7, "custom": {"handle": "10.5555/urns"}},
            {"id": "10.5555/urns"},
            {"id": "DOI: 10.5555/urns"},
            {"id": "HDL:10.5555/urns"},
            {"id": "http://dx.doi.org/10.5555/urns"},
            {"id": "https://doi.org/10.5555/urns"},
            {"id": "https://example.org/a", "URL": "https://doi.org/10.5555/urns"},
        ],
    )
    def test_identifiers(self, tmp_path: Path, stored: dict[str, Any]) -> None:
        """The first member that names an identifier counts, as other tools write it."""
        assert list(self.read(tmp_path, [stored])) == [DOI]

    def test_the_first_file_wins(self, tmp_path: Path) -> None:
        """A correction by hand wins, and does not hide what became of the work."""
        update = {"state": "retracted", "by": "10.5555/r", "date": "2010"}
        by_hand = [item("doi:10.5555/urns", "Right")]
        written = [item("doi:10.5555/urns", "Wrong", updates=[update])]

        work = self.read(tmp_path, by_hand, written).get(DOI)

        assert work is not None
        assert plain_text(work.reference()) == "Right."
        assert work.update == Update(State.RETRACTED, "10.5555/r", "2010")
        no_update = [item("doi:10.5555/urns", "Right", updates=[])]
        work = self.read(tmp_path, no_update, written).get(DOI)
        assert work is not None
        assert work.update is None
        accepting = [item("doi:10.5555/urns", "Right", accepted=["10.5555/R"])]
        work = self.read(tmp_path, accepting, written).get(DOI)
        assert work is not None
        assert work.update is None

    @pytest.mark.parametrize(
        ("custom", "title"),
        [
            ({}, "Urns."),
            ({"described": "10.5555/other"}, "Urns."),
            ({"updates": [{"state": "corrected"}]}, "Corrected. Urns."),
            (
                {"updates": [{"state": "retracted", "date": "2010"}]},
                "Retracted 2010. Urns.",
            ),
        ],
    )
    def test_title_of_a_link(
        self, tmp_path: Path, custom: dict[str, Any], title: str
    ) -> None:
        """The title of a link is the reference, behind the state if there is one."""
        work = self.read(tmp_path, [item("doi:10.5555/urns", "Urns", **custom)]).get(
            DOI
        )

        assert work is not None
        assert work.title() == title

    def test_readers_see_an_accepted_notice(self, tmp_path: Path) -> None:
        """Accepting a notice silences its finding; the title of a link still has it."""
        retraction = {"state": "retracted", "by": "10.5555/r", "date": "2010"}
        written = item(
            "doi:10.5555/urns", "Urns", updates=[retraction], accepted=["10.5555/r"]
        )

        work = self.read(tmp_path, [written]).get(DOI)

        assert work is not None
        assert work.update is None
        assert work.shown_update == Update(State.RETRACTED, "10.5555/r", "2010")
        assert work.title() == "Retracted 2010. Urns."

    def test_an_item_without_metadata_hides_none(self, tmp_path: Path) -> None:
        """An item that only takes a notice back leaves the text to the next file."""
        update = {"state": "retracted", "by": "10.5555/r"}
        written = [item("doi:10.5555/urns", "Urns", updates=[update])]
        by_hand = [{"id": "doi:10.5555/urns", "custom": {"updates": []}}]

        work = self.read(tmp_path, by_hand, written).get(DOI)

        assert work is not None
        assert plain_text(work.reference()) == "Urns."
        assert work.update is None
        text = [{"id": "doi:10.5555/urns", "custom": {"reference": "Roe, Urns."}}]
        work = self.read(tmp_path, text, written).get(DOI)
        assert work is not None
        assert plain_text(work.reference()) == "Roe, Urns."

    def test_a_stored_reference(self, tmp_path: Path) -> None:
        """The text of a CSL style replaces the built-in one; it is text as well."""
        stored = item("doi:10.5555/urns", "Urns", reference="D. <i>Urns</i> <script>")

        work = self.read(tmp_path, [stored]).get(DOI)

        assert work is not None
        assert tagged_text(work.reference()) == "D. <i>Urns</i> "[:-1]

    def test_an_item_that_says_nothing(self, tmp_path: Path) -> None:
        """It has no reference, and stands last in a list."""
        empty = item("doi:10.5555/a", ":unav")
        named = item("doi:10.5555/b", "Zebra")
        references = self.read(tmp_path, [empty, named])

        works = [references.get(handle) for handle in references]
        known = sorted((work for work in works if work), key=lambda one: one.sort_key())

        assert [str(work.handle) for work in known] == ["10.5555/b", "10.5555/a"]
        assert known[1].reference() == ()
        assert references.get(Handle.parse("10.5555/c")) is None

    def test_an_item_with_a_container_alone(self, tmp_path: Path) -> None:
        """It is sorted by its container, with which its reference begins."""
        issue = {
            "id": "doi:10.5555/a",
            "container-title": "Journal of Urns",
            "issued": {"date-parts": [[2020]]},
        }
        first = item("doi:10.5555/b", "Clay")
        last = item("doi:10.5555/c", "Zebra")
        references = self.read(tmp_path, [issue, first, last])

        works = [references.get(handle) for handle in references]
        known = sorted((work for work in works if work), key=lambda one: one.sort_key())

        assert [plain_text(work.reference()) for work in known] == [
            "Clay.",
            "Journal of Urns (2020).",
            "Zebra.",
        ]

    def test_text(self, tmp_path: Path) -> None:
        """The same items give the same octets, in the order of their identifiers."""
        items = {
            Handle.parse("10.5555/B"): item("doi:10.5555/B", "Zwölf"),
            Handle.parse("10.5555/a"): item("doi:10.5555/a", "Urns"),
        }

        text = file_text(items)

        assert text == (
            '[\n {\n  "id": "doi:10.5555/a",\n  "title": "Urns"\n },\n'
            ' {\n  "id": "doi:10.5555/B",\n  "title": "Zwölf"\n }\n]\n'
        )
        read = read_references_file(tmp_path / "none.json")
        assert file_text(read.items) == "[]\n"
        (tmp_path / "references.json").write_text(text, "utf-8")
        again = read_references_file(tmp_path / "references.json")
        assert file_text(again.items) == text
