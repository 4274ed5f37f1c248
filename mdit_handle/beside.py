"""The references in an inline block of Markdown, with the texts beside them."""

from collections.abc import Iterator, Sequence

from markdown_it.token import Token

from handle_system.found import Found
from handle_system.text_beside import text_beside
from mdit_handle.inline import FOUND, end_of

_SPACES = {"softbreak", "hardbreak"}


def found_in_block(tokens: Sequence[Token]) -> Iterator[tuple[Token, Found]]:
    """The tokens of a block that show references, and these, each with the text beside it.

    Args:
        tokens: The inline tokens, where each that shows a reference has it in its
            ``meta``.
    """
    places = [index for index, token in enumerate(tokens) if FOUND in token.meta]
    for index in places:
        token = tokens[index]
        found: Found = token.meta[FOUND]
        if token.type == "link_open":
            end = end_of(tokens, index)
            # A text of ours says nothing of what the author means.
            own_text = "" if found.is_citation else _text_of(tokens[index:end])
            around = None
            if len(places) == 1:
                around = _text_of(tokens[:index]), _text_of(tokens[end:])
            found = found._replace(beside=text_beside(own_text, around))
        yield token, found


def _text_of(tokens: Sequence[Token]) -> str:
    """The text that tokens show."""
    return "".join(map(_shown, tokens))


def _shown(token: Token) -> str:
    if token.type in _SPACES:
        return " "
    # The content of a tag is the tag, and of a picture its description.
    return "" if token.type == "html_inline" else token.content
