"""Generate a tree of documentation sources from a seed, for benchmarks of readers.

The shapes are those of real trees; the words are random.
"""

import json
import random
from base64 import b64encode
from collections.abc import Callable
from dataclasses import dataclass
from pathlib import Path

__all__ = ["SHARES", "WrittenTree", "write_tree"]

WORDS = """
    a an and are as at be by can date document each for from has have in is it its
    list name need no not note of on one or our page part people policy reader say
    see set should some state such text than that the their them then there this
    time to title two under use version was way we what when where which who will
    with work write year you collection identifier archive persistent institution
    publication resolution maintenance description management requirements naïve
    café Zürich señor überall
    """.split()  # noqa: SIM905 (a list of words reads better than one of strings)

#: Each syntax's share of the tree, by octets.
SHARES = {"rst": 0.28, "md": 0.34, "py": 0.24, "ipynb": 0.08, "txt": 0.05, "bib": 0.01}

_REFERENCES = (
    "doi:10.1000/{}",
    "https://doi.org/10.5281/zenodo.{}",
    "https://doi.org/10.1038/s41586-020-{}-2",
    "doi:10.1002/(SICI)1097-4679(199902)55:2<241::AID-JCLP{}>3.0.CO;2-V",
    "http://dx.doi.org/10.1045/april2006-{}",
    "https://hdl.handle.net/1887/{}",
    "hdl:20.1000/{}",
    "hdl:102.100.272/{}",
)


@dataclass(frozen=True, slots=True, kw_only=True)
class WrittenTree:
    """Files, references, octets in total and of the largest file."""

    files: int
    references: int
    octets: int
    largest: int


class _Author:
    """Writes prose with one reference per given number of octets."""

    def __init__(self, octets: int, seed: int) -> None:
        self.chance = random.Random(seed)
        self._octets = octets
        self.references = 0
        # Octets written since the last reference.
        self._owed = 0.0

    def owe(self, text: str) -> None:
        """Count written text, so that references follow in later prose."""
        self._owed += len(text)

    def reference(self) -> str | None:
        """A reference, if one is due."""
        if not self._octets or self._owed < self._octets:
            return None
        self._owed -= self._octets
        self.references += 1
        return self.chance.choice(_REFERENCES).format(self.chance.randrange(10**7))

    def words(self, count: int) -> str:
        """Random words."""
        return " ".join(self.chance.choices(WORDS, k=count))

    def sentence(self, marked: Callable[[str], str]) -> str:
        """A sentence with one marked word, and a reference if one is due."""
        words = self.chance.choices(WORDS, k=self.chance.randint(8, 22))
        at = self.chance.randrange(len(words))
        words[at] = marked(words[at])
        due = self.reference()
        if due is not None:
            words.append(f"({due})" if self.chance.random() < 0.5 else f"see {due}")
        return " ".join(words).capitalize() + self.chance.choice(".....:?")

    def paragraph(self, marked: Callable[[str], str], indent: str = "") -> str:
        """Lines of up to 88 characters."""
        text = " ".join(self.sentence(marked) for _ in range(self.chance.randint(2, 6)))
        lines = [""]
        for word in text.split(" "):
            if len(lines[-1]) + len(word) > 80:
                lines.append("")
            lines[-1] += f" {word}" if lines[-1] else word
        return "\n".join(indent + line for line in lines)

    def code(self, indent: str) -> str:
        """Some lines of code."""
        return "\n".join(
            f"{indent}{self.chance.choice(WORDS[:50])}_{number} = "
            f"compute({self.words(2).replace(' ', ', ')}, key={number}: 'a')"
            for number in range(self.chance.randint(2, 9))
        )


def write_tree(root: Path, octets: int, spacing: int, *, seed: int) -> WrittenTree:
    """Write a tree of about `octets` octets with a reference in every `spacing` of them.

    Args:
        root: An empty folder, or one whose other files are not read.
        octets: Size of all files together.
        spacing: Octets per reference; 0 for none.
        seed: The same seed gives the same tree.
    """
    author = _Author(spacing, seed)
    files = total = largest = 0
    for suffix, share in SHARES.items():
        left = octets * share
        while left > 0:
            folder = root / f"part{files // 100:03}"
            folder.mkdir(exist_ok=True)
            # Real trees have many small files and a few large ones.
            size = min(600_000, int(author.chance.lognormvariate(9.6, 1)))
            content = _file(author, suffix, size).encode()
            (folder / f"page{files:05}.{suffix}").write_bytes(content)
            files += 1
            total += len(content)
            left -= len(content)
            largest = max(largest, len(content))
    return WrittenTree(
        files=files, references=author.references, octets=total, largest=largest
    )


def _file(author: _Author, suffix: str, size: int) -> str:
    if suffix == "ipynb":
        return _notebook(author, size)
    block = {
        "rst": _rst_block,
        "md": _markdown_block,
        "py": _python_block,
        "txt": _plain_block,
        "bib": _bibtex_entry,
    }[suffix]
    return _filled(author, size, block)


def _filled(author: _Author, size: int, block: Callable[[_Author], str]) -> str:
    parts: list[str] = []
    length = 0
    while length < size:
        parts.append(block(author))
        length += len(parts[-1]) + 2
        author.owe(parts[-1])
    return "\n\n".join(parts) + "\n"


def _marked_in_rst(author: _Author) -> Callable[[str], str]:
    return lambda word: author.chance.choice(
        (
            f"*{word}*",
            f"**{word}**",
            f"``{word}: {word}()``",
            f":ref:`{word}`",
            f":py:func:`{word}.{word}`",
            f"`{word} <https://example.org/{word}/page>`_",
            f"{word}::{word}",
            word,
        )
    )


def _rst_block(author: _Author) -> str:
    chance = author.chance
    marked = _marked_in_rst(author)
    match chance.choices(range(9), (50, 8, 12, 8, 5, 4, 3, 5, 5))[0]:
        case 1:
            title = author.words(5)
            return f".. _{title.split()[0]}-{chance.randrange(999)}:\n\n{title}\n{'=' * len(title)}"
        case 2:
            return "\n".join(
                f"* {author.sentence(marked)}" for _ in range(chance.randint(2, 6))
            )
        case 3:
            return f".. code-block:: python\n   :linenos:\n\n{author.code('   ')}"
        case 4:
            return f".. note::\n\n{author.paragraph(marked, '   ')}"
        case 5:
            return f"{author.words(8)}::\n\n{author.code('    ')}"
        case 6:
            return f".. {author.words(9)}\n   {author.words(9)}"
        case 7:
            return (
                f"====== ======\n{author.words(1):<7}{author.words(1)}\n====== ======\n"
                f"{author.words(1):<7}{author.words(1)}\n====== ======"
            )
        case 8:
            return f".. function:: {author.words(1)}(a, b)\n\n   :param a: {author.words(9)}\n   :returns: {author.words(6)}"
        case _:
            return author.paragraph(marked)


def _marked_in_markdown(author: _Author) -> Callable[[str], str]:
    return lambda word: author.chance.choice(
        (
            f"*{word}*",
            f"**{word}**",
            f"`{word}: {word}()`",
            f"[{word}](https://example.org/{word}/page)",
            f"[{word}](../{word}.md#{word})",
            f"{{ref}}`{word}`",
            f"<br/>{word}",
            f"${word}_i$",
            word,
        )
    )


def _markdown_block(author: _Author) -> str:
    chance = author.chance
    marked = _marked_in_markdown(author)
    match chance.choices(range(8), (50, 9, 14, 8, 5, 5, 4, 5))[0]:
        case 1:
            return f"## {author.words(5)}"
        case 2:
            return "\n".join(
                f"- {author.sentence(marked)}" for _ in range(chance.randint(2, 6))
            )
        case 3:
            return f"```python\n{author.code('')}\n```"
        case 4:
            return f":::{{note}}\n{author.paragraph(marked)}\n:::"
        case 5:
            return f"> {author.sentence(marked)}"
        case 6:
            return f"![{author.words(4)}](images/{chance.randrange(999)}.png)"
        case 7:
            rows = (f"| {author.words(3)} | {author.words(4)} |" for _ in range(4))
            return "| a | b |\n|---|---|\n" + "\n".join(rows)
        case _:
            return author.paragraph(marked)


def _python_block(author: _Author) -> str:
    name = f"{author.chance.choice(WORDS[-24:-5])}_{author.chance.randrange(999)}"
    return (
        f"def {name}(first, second=None):\n"
        f'    """{author.words(6).capitalize()}.\n\n'
        f"{author.paragraph(_marked_in_rst(author), '    ')}\n\n"
        f"    Parameters\n    ----------\n    first : int\n"
        f"        {author.words(9)}\n"
        '    """\n'
        f"    # {author.words(9)}\n"
        "    if first:\n"
        f'        return {{"{author.words(1)}": [second, first, {author.chance.random()}]}}\n'
        f'    raise ValueError(f"{author.words(5)}: {{first!r}}")\n'
    )


def _plain_block(author: _Author) -> str:
    return author.paragraph(str)


def _bibtex_entry(author: _Author) -> str:
    chance = author.chance
    due = author.reference()
    author_names = f"{author.words(1).title()}, {author.words(1).title()}"
    fields = [
        f"  title = {{{author.words(9)}}},",
        f"  author = {{{author_names} and {author_names}}},",
        f"  year = {{{chance.randint(1990, 2026)}}},",
        *([f"  url = {{{due}}},"] if due and "(" not in due else []),
        *([f"  note = {{{due}}},"] if due and "(" in due else []),
    ]
    return f"@article{{key{chance.randrange(10**6)},\n" + "\n".join(fields) + "\n}"


def _notebook(author: _Author, size: int) -> str:
    cells: list[dict[str, object]] = []
    length = 0
    while length < size:
        if author.chance.random() < 0.5:
            source = _markdown_block(author)
            cells.append(
                {
                    "cell_type": "markdown",
                    "metadata": {},
                    "source": source.splitlines(keepends=True),
                }
            )
        else:
            picture = b64encode(author.chance.randbytes(1500)).decode()
            source = author.code("")
            cells.append(
                {
                    "cell_type": "code",
                    "execution_count": len(cells),
                    "metadata": {},
                    "outputs": [
                        {
                            "data": {"image/png": picture, "text/plain": ["<Figure>"]},
                            "metadata": {},
                            "output_type": "display_data",
                        }
                    ],
                    "source": source.splitlines(keepends=True),
                }
            )
            length += len(picture)
        length += len(source) + 60
        author.owe(json.dumps(cells[-1], indent=1))
    document = {"cells": cells, "metadata": {}, "nbformat": 4, "nbformat_minor": 5}
    return json.dumps(document, indent=1, ensure_ascii=False)
