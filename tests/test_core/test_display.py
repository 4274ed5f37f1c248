"""What a reader sees of a reference."""

import pytest
from hypothesis import given

from handle_system.display import DisplayStyle, hover, shown
from handle_system.handle import Handle
from handle_system.proxies import DEFAULT_PROXIES, Proxies
from handle_system.reference import HandleReference
from tests.strategies import written_references


@pytest.mark.parametrize(
    ("written", "style", "text"),
    [
        ("10.1000/182", "uri", "doi:10.1000/182"),
        ("https://dx.doi.org/10.1000/A%3Cb", "uri", "doi:10.1000/A<b"),
        ("https://dx.doi.org/10.1000/A%3Cb", "url", "https://doi.org/10.1000/A%3Cb"),
        ("https://dx.doi.org/10.1000/A%3Cb", "handle", "10.1000/A<b"),
        ("hdl:/20.1000/100", "uri", "hdl:20.1000/100"),
        ("hdl:/20.1000/100?x#y", "url", "https://hdl.handle.net/20.1000/100?x#y"),
        ("cnri.test/日本", "uri", "hdl:cnri.test/日本"),
        ("cnri.test/日本", "handle", "cnri.test/日本"),
    ],
)
def test_shown(written: str, style: DisplayStyle, text: str) -> None:
    """A reference without text of its own shows its URI, its link, or the handle."""
    reference = HandleReference.parse(written)
    assert shown(reference, DEFAULT_PROXIES, style) == text


@pytest.mark.parametrize(
    ("written", "title"),
    [
        ("10.1000/182", "doi:10.1000/182 (doi.org)"),
        ("hdl:/20.1000/100", "hdl:20.1000/100 (hdl.handle.net)"),
        ("102.100.272/X", "hdl:102.100.272/X (resolver.example.org:8000/hdl)"),
    ],
)
def test_hover(written: str, title: str) -> None:
    """Hovering tells the identifier, and who resolves it."""
    proxies = Proxies({"102.100.272": "http://resolver.example.org:8000/hdl"})
    assert hover(HandleReference.parse(written), proxies) == title


@given(written_references())
def test_spelling(written: tuple[str, Handle]) -> None:
    """The author's spelling is shown, decoded, in the text and in the title."""
    reference = HandleReference.parse(written[0])
    handle = str(written[1])
    assert shown(reference, DEFAULT_PROXIES, "handle") == handle
    text = shown(reference, DEFAULT_PROXIES)
    assert text.endswith(f":{handle}")
    assert hover(reference, DEFAULT_PROXIES).startswith(f"{text} (")
