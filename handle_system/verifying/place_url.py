"""Where a place in a document can be looked at: an address made of a template.

Such as that of a forge, which shows a file at one of its lines:
``https://forge.example/docs/blob/main/{file}#L{line}``.
"""

from handle_system.encoding import encode_file

__all__ = ["PLACE_FIELDS", "place_url"]

#: What a template may hold.
PLACE_FIELDS = ("{file}", "{line}", "{document}")


def place_url(template: str, file: str, line: int, document: str) -> str:
    """The address of a place.

    Args:
        template: An address with some of `PLACE_FIELDS` in it.
        file: The file, with forward slashes.
        line: The line in it, from 1; with 0 the address has no fragment.
        document: The document's name.

    >>> place_url("https://forge.example/{file}#L{line}", "docs/a b.rst", 3, "a b")
    'https://forge.example/docs/a%20b.rst#L3'
    """
    if not line:
        template = template.partition("#")[0]
    values = (encode_file(file), str(line or ""), encode_file(document))
    # What was put in is percent-encoded, and holds no brace.
    for name, value in zip(PLACE_FIELDS, values, strict=True):
        template = template.replace(name, value)
    return template
