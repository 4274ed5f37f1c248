"""`handle_system.citing.reference`: a line for a bibliography."""

import datetime as dt

from handle_system.citing.cited import Cited
from handle_system.citing.pieces import Piece, text_of
from handle_system.citing.reference import plain_text, reference
from handle_system.citing.work import Creator, Version, Work
from handle_system.handle import Handle

WORK = Work(
    title="Is this a title?",
    creators=(Creator.person("Carberry", "Josiah"), Creator(name="PILIN Project")),
    publisher="Monash University",
)
FIRST = Version(
    label="1.0", date=dt.date(2007, 6, 26), handle=Handle.parse("102.100.272/0N8J991QH")
)


def test_reference_ends_with_the_whole_link() -> None:
    """Creators, year, title, version, publisher, and an address that survives."""
    link = "https://hdl.handle.net/102.100.272/0N8J991QH"

    assert reference(Cited(work=WORK, version=FIRST)) == (
        Piece(
            "Carberry, Josiah; PILIN Project (2007). Is this a title? Version 1.0. "
            "Monash University. "
        ),
        Piece(link, link),
    )


def test_reference_of_what_is_hardly_known() -> None:
    """What is not known leaves no trace; a missing identifier says so."""
    cited = Cited(work=Work(title="Draft"), version=Version(label="v2"))

    assert plain_text(cited) == "Draft. Version 2. not yet assigned\n"


def test_words_are_translated() -> None:
    """The one word of the reference is in the reader's language."""
    german = {"Version": "Fassung", "not yet assigned": "noch nicht vergeben"}

    pieces = reference(Cited(work=WORK, version=FIRST), lambda text: german[text])
    draft = reference(
        Cited(work=Work(title="Draft"), version=Version(label="2")),
        lambda text: german[text],
    )

    assert "Fassung 1.0." in text_of(pieces)
    assert text_of(draft) == "Draft. Fassung 2. noch nicht vergeben"
