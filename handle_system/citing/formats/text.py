"""A plain reference, as the card shows it in English."""

from handle_system.citing.citation import Citation
from handle_system.citing.style import plain_text

__all__ = ["write"]


def write(citation: Citation) -> str:
    """The reference with its link on one line."""
    text = plain_text(citation.reference())
    if citation.url is not None:
        text = f"{text} {citation.url}"
    return f"{text}\n"
