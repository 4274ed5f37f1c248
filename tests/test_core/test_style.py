"""The built-in style of references."""

import pytest

from handle_system.citing.style import (
    Date,
    Described,
    Name,
    RichText,
    Run,
    author_and_year,
    plain_text,
    reference,
)

ARTICLE = Described(
    title=(Run("Dose in porcelain "), Run("in vitro", ("i",)), Run("?")),
    authors=(Name.person("Carberry", "Josiah"), Name("Example Consortium")),
    date=Date(2018),
    container="Journal of Psychoceramics",
    volume="12",
    issue="3",
    pages="45-61",
    publisher="Example Press",
)


def people(count: int) -> tuple[Name, ...]:
    """So many names."""
    return tuple(Name.person(f"N{number}", "A.") for number in range(1, count + 1))


def titled(title: str, **fields: object) -> Described:
    """An item with a title."""
    return Described(title=(Run(title),), **fields)  # type: ignore[arg-type] # as the test has it


@pytest.mark.parametrize(
    ("item", "text"),
    [
        (
            ARTICLE,
            (
                "Carberry, Josiah; Example Consortium (2018). Dose in porcelain in vitro? "
                "Journal of Psychoceramics 12(3), 45–61."
            ),
        ),
        (
            titled("Pots", version="1.0", publisher="Inc.", date=Date(2019)),
            "Pots (2019). Version 1.0. Inc.",
        ),
        (titled("Pots", editors=people(1)), "N1, A. (Ed.). Pots."),
        (titled("Pots", editors=people(2)), "N1, A.; N2, A. (Eds.). Pots."),
        (
            titled("Pots", authors=people(1), editors=people(2)),
            "N1, A. Pots.",
        ),
        (
            titled("Pots", authors=(Name.person("Roe", "J.", "Jr."),), date=Date(2001)),
            "Roe, J., Jr. (2001). Pots.",
        ),
        (titled("Pots", container="Acta", pages="S1-S9"), "Pots. Acta, S1–S9."),
        (titled("Pots", container="Acta", pages="1--9"), "Pots. Acta, 1–9."),
        (titled("Pots", container="Acta", pages="137-137"), "Pots. Acta, 137."),
        (titled("Pots", container="Acta", issue="4"), "Pots. Acta (4)."),
        (titled("Pots", container="Acta", pages="e1-2-3"), "Pots. Acta, e1-2-3."),
        (Described(authors=people(1), date=Date(2001)), "N1, A. (2001)."),
        (Described(authors=people(1), container="Acta"), "N1, A. Acta."),
        (titled("なぜ？", authors=people(1)), "N1, A. なぜ？"),
        (titled("ما العلم؟", authors=people(1)), "N1, A. ما العلم؟"),
        (titled("“Who?”", authors=people(1)), "N1, A. “Who?”"),
        (titled("Editorial.", date=Date(2001)), "Editorial (2001)."),
        (titled("And then...", date=Date(2001)), "And then... (2001)."),
        (Described(container="Acta", volume="1", date=Date(2001)), "Acta 1 (2001)."),
        (Described(container="Acta", version="2"), "Acta. Version 2."),
        (titled("Pots", container="Acta", pages="453S-458S"), "Pots. Acta, 453S–458S."),
        (titled("Pots", container="Acta", pages="12a-12a"), "Pots. Acta, 12a."),
        (titled("Pots", container="Acta", pages="xii-xv"), "Pots. Acta, xii–xv."),
        (titled("Pots", container="Acta", pages="S-9"), "Pots. Acta, S-9."),
        (
            titled("Pots", authors=(*people(1), Name("others")), date=Date(2001)),
            "N1, A. et al. (2001). Pots.",
        ),
        (Described(), ""),
    ],
)
def test_reference(item: Described, text: str) -> None:
    """The reference has all that is known, each part with one end."""
    assert plain_text(reference(item)) == text


def test_more_than_eight_names_become_six() -> None:
    """Eight names are printed; of nine, the first six; a card prints all of them."""
    eight = titled("Pots", authors=people(8))
    nine = titled("Pots", authors=people(9))

    assert plain_text(reference(eight)).startswith("N1, A.; N2, A.;")
    assert "N8, A. Pots." in plain_text(reference(eight))
    assert plain_text(reference(nine)).endswith("; N6, A. et al. Pots.")
    assert "N9, A. Pots." in plain_text(reference(nine, is_shortened=False))


def test_one_text_is_in_italics() -> None:
    """The container is in italics, else the title; no run is empty."""

    def italics(runs: RichText) -> list[str]:
        assert all(run.text for run in runs)
        return [run.text for run in runs if "i" in run.tags]

    assert italics(reference(ARTICLE)) == ["in vitro", "Journal of Psychoceramics"]
    assert italics(reference(titled("Pots", publisher="Inc"))) == ["Pots"]
    mixed = Described(title=(Run("H"), Run("2", ("sub",)), Run("O", ("i",))))
    assert reference(mixed) == (
        Run("H", ("i",)),
        Run("2", ("i", "sub")),
        Run("O", ("i",)),
        Run("."),
    )


def test_text_is_exact() -> None:
    """Text that looks like markup stays as it is."""
    title = "<script>alert(1)</script> & \\input{x}"

    assert plain_text(reference(titled(title))) == f"{title}."


def test_words_are_translated() -> None:
    """Every word of the style comes from the translation."""
    item = titled("Töpfe", editors=people(1), version="1", date=Date(2001))
    german = {"Version": "Fassung", "Ed.": "Hrsg.", "and": "und"}

    def translate(word: str) -> str:
        return german[word]

    assert plain_text(reference(item, translate)) == (
        "N1, A. (Hrsg.) (2001). Töpfe. Fassung 1."
    )
    two = titled("Töpfe", authors=people(2))
    assert author_and_year(two, translate) == "N1 und N2"


@pytest.mark.parametrize(
    ("item", "text"),
    [
        (titled("Pots", authors=people(1), date=Date(2006)), "N1 (2006)"),
        (titled("Pots", authors=people(2), date=Date(2006)), "N1 and N2 (2006)"),
        (titled("Pots", authors=people(3), date=Date(2020)), "N1 et al. (2020)"),
        (titled("Pots", editors=people(3)), "N1 et al."),
        (titled("Pots", date=Date(2020)), "Pots (2020)"),
        (titled("Editorial.", date=Date(2020)), "Editorial (2020)"),
        (
            titled(
                "A catalogue of all urns and pots that were ever found, 1850 to now"
            ),
            "A catalogue of all urns and pots that were ever found, 1850…",
        ),
        (titled("x" * 100, date=Date(2020)), "x" * 60 + "… (2020)"),
        (titled("Pots", authors=(*people(1), Name("others"))), "N1 et al."),
        (titled("Pots", authors=(Name("others"),)), "others"),
        (Described(date=Date(2020)), ""),
    ],
)
def test_author_and_year(item: Described, text: str) -> None:
    """Running text names one author, two, or the first."""
    assert author_and_year(item) == text
