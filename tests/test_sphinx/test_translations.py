"""What the pages say is said in the reader's language."""

import gettext
from pathlib import Path

import pytest

from tests.test_sphinx.conftest import MakeProject
from tests.tools.catalogue import LANGUAGES, messages, path_of, translations


@pytest.mark.parametrize("language", LANGUAGES)
def test_translation_is_complete(language: str) -> None:
    """Every message is translated, with its place for an identifier, and no other."""
    catalog = translations(language)
    told = {str(each.id): str(each.string) for each in catalog if each.id}

    assert sorted(told) == messages()
    for message, translated in told.items():
        assert translated
        assert translated.count("{identifier}") == message.count("{identifier}")
        assert list(catalog[message].check()) == []


@pytest.mark.parametrize("language", LANGUAGES)
def test_compiled_translation_is_up_to_date(language: str) -> None:
    """What Sphinx reads says what the source says (`python -m tests.tools.catalogue`)."""
    with path_of(language).with_suffix(".mo").open("rb") as file:
        compiled = gettext.GNUTranslations(file)

    assert {message: compiled.gettext(message) for message in messages()} == {
        str(each.id): each.string for each in translations(language) if each.id
    }


@pytest.mark.parametrize(
    ("language", "title", "empty"),
    [
        ("de", "Digitale Objektbezeichner (DOI)", "Keine Kennungen."),
        ("fr", "Identifiants numériques d’objet (DOI)", "Aucun identifiant."),
        ("es", "Identificadores de objetos digitales (DOI)", "Ningún identificador."),
        ("ja", "デジタルオブジェクト識別子 (DOI)", "識別子はありません。"),
        ("nl", "Digital object identifiers (DOI)", "No identifiers."),
    ],
)
def test_pages_are_in_the_language_of_the_project(
    project: MakeProject, language: str, title: str, empty: str
) -> None:
    """A list is labelled in the project's language, and in English where there is none."""
    text = (
        "T\n=\n\ndoi:10.1000/1 hdl:20.1000/1\n\n.. handle-list::\n\n"
        ".. handle-list::\n   :documents: none\n"
    )
    page = project(text, language=language).build("text").page("index.txt")

    assert title in page
    assert empty in page


def test_catalogue_is_inside_the_package() -> None:
    """A wheel that holds the package holds the translations."""
    package = Path(__file__).parent.parent.parent / "sphinxcontrib_handle"

    assert path_of("de").is_relative_to(package)
