"""A plain reference, as the card shows it in English."""

from handle_system.citing.citation import Citation
from handle_system.citing.style import RichText, plain_text

__all__ = ["write"]


def write(citation: Citation) -> str:
    """The reference with its link on one line; the article's on another."""
    lines = [_line(citation.reference(), citation.url)]
    article = citation.work.article
    if article is not None:
        reference = citation.article_reference(article)
        lines.append(_line(reference, citation.article_url(article)))
    return "".join(lines)


def _line(reference: RichText, url: str | None) -> str:
    text = plain_text(reference)
    if url is not None:
        text = f"{text} {url}"
    return f"{text}\n"
