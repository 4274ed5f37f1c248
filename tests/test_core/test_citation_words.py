"""`handle_system.citing.words`: the block's sentences, and their places."""

import re

from handle_system.citing.words import PLACE, Words, around


def test_statements_are_those_of_the_policy() -> None:
    """The words are PILIN's (seed 002), and the identifier follows them."""
    assert around(Words.CITE_LATEST) == (
        "To cite the latest version of this work use ",
        "",
    )
    assert around(Words.CITE_THIS) == ("To cite this version of this work, use ", "")


def test_translation_puts_the_identifier_where_its_language_does() -> None:
    """A catalogue may move the identifier, and words may follow it."""
    german = {Words.CITE_THIS.value: "Für diese Fassung {identifier} angeben"}.get

    assert around(Words.CITE_THIS, lambda text: german(text) or text) == (
        "Für diese Fassung ",
        " angeben",
    )


def test_translation_that_lost_the_place_keeps_the_identifier() -> None:
    """An identifier is shown whatever a catalogue says."""
    assert around(Words.CITE_THIS, lambda _: "Diese Fassung zitieren:") == (
        "Diese Fassung zitieren: ",
        "",
    )


def test_no_message_holds_an_identifier() -> None:
    """Translators see words and places, never a handle or an address."""
    for words in Words:
        assert not re.search("[/:]", words.value)
        assert words.value.count(PLACE) <= 1
        assert "{" not in words.value.replace(PLACE, "")
