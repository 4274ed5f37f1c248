"""Parts of the manual that are made from the code, so that they cannot disagree.

``handle-options`` lists the settings of a group, from the rows of the schema;
``handle-warnings`` the kinds of findings, from their table;
``handle-front-ends`` which of them each front end tells, from the same table;
``plugin-options`` the options of the Markdown plugin, from its signature and docstring.
"""

import inspect
import json
import re
from collections.abc import Iterator
from types import NoneType, UnionType
from typing import Annotated, Literal, Union, get_args, get_origin

from docutils import nodes
from docutils.statemachine import StringList
from sphinx.application import Sphinx
from sphinx.util.docutils import SphinxDirective
from sphinx.util.typing import ExtensionMetadata
from warning_examples import EXAMPLES

from handle_system.findings.codes import Code, FrontEnd
from handle_system.settings import ROWS, Row
from mdit_handle import handle_plugin

# An argument in a docstring: its name, and its text with the lines below it.
DESCRIBED = re.compile(r"^    (\w+): (.+(?:\n {5,}.+)*)", re.MULTILINE)


class FromCode(SphinxDirective):
    """reStructuredText that is made by a subclass, in the directive's place."""

    def run(self) -> list[nodes.Node]:
        source = self.get_source_info()[0]
        return self.parse_content_to_nodes_of(StringList(list(self.lines()), source))

    def parse_content_to_nodes_of(self, lines: StringList) -> list[nodes.Node]:
        made = nodes.Element()
        self.state.nested_parse(lines, self.content_offset, made)
        return made.children

    def lines(self) -> Iterator[str]:
        raise NotImplementedError


# Each setting in its group, with a value as an example; every setting needs one.
GROUPS: dict[str, dict[str, object]] = {
    "Links": {
        "proxies": {"102.100.272": "https://resolver.example.org/hdl/"},
        "known_proxies": ["https://hdl.example.org/"],
        "recognize": False,
        "display": "handle",
        "text_prefixes": ["handles-in-germany"],
        "severity": {"placeholder": "warning", "typographic": "off"},
        "ignore": ["placeholder"],
        "suffix_policy": {"102.100.272": "pilin", "20.1000": "[a-z]+-[0-9]{4}"},
    },
    "Verification": {
        "verify": True,
        "resolver": ["drafts.json", "https://hdl.handle.net/"],
        "servers": ["190.12.34.56", "h.example.org:2641"],
        "cache": "../.cache/handles.sqlite",
        "ignore_case": ["cnri.test"],
        "verify_ignore": ["20.5000.drafts", "20.1000/draft-*"],
        "verify_exclude_documents": ["archive/*"],
        "budget": 500,
        "connections": 4,
        "timeout": 30.0,
        "linkcheck": False,
        "place_url": "https://git.example.org/docs/blob/main/{file}#L{line}",
    },
    "References": {
        "references": "references.json",
        "references_age": 30,
        "retractions": "retraction_watch.csv",
    },
    "Citing": {
        "cite": "root",
        "work": "../CITATION.cff",
        "version": "2.0",
        "cite_show": ["reference", "history", "bibtex"],
        "cite_items": ["manual.pdf"],
        "environment": ["MANUAL_HANDLE"],
        "linkset": True,
    },
    "Without Sphinx": {
        "exclude": ["old/*"],
        "gitignore": False,
        "built": True,
        "syntax": {".txt": "rst"},
        "style": "docs/apa.csl",
        "text": False,
        "roles": False,
        "fences": False,
        "document_charset": "latin-1",
        "strict": True,
        "page": {"title": "Suffixes", "version": "1.0"},
    },
}
FRONT_ENDS = {
    FrontEnd.SPHINX: "Sphinx",
    FrontEnd.HDL: "``hdl``",
    FrontEnd.LANGUAGE_SERVER: "the editor",
    FrontEnd.MARKDOWN_IT: "markdown-it-py",
    FrontEnd.PYTHON_MARKDOWN: "Python-Markdown",
    FrontEnd.PANDOC: "Pandoc",
    FrontEnd.MYSTMD: "mystmd",
}
# The settings that the purposes of others mention by name.
MENTIONED = re.compile("``(proxies|references|resolver)``")


class Settings(FromCode):
    """The settings of a group: type, default, purpose, an example and who obeys each."""

    required_arguments = 1
    final_argument_whitespace = True

    def lines(self) -> Iterator[str]:
        listed = {name for group in GROUPS.values() for name in group}
        if listed != {*ROWS}:
            raise self.error(f"in one list only: {sorted(listed ^ {*ROWS})}")
        for name, example in GROUPS[self.arguments[0]].items():
            row = ROWS[name]
            is_option = row.is_for(FrontEnd.SPHINX)
            purpose = MENTIONED.sub(r":confval:`handle_\1`", row.purpose)
            yield f".. confval:: {'handle_' * is_option}{name}"
            yield ""
            yield f"   Type: ``{type_text(row.hint)}``. Default: ``{row.default!r}``."
            yield ""
            yield f"   {purpose}"
            yield ""
            if is_option:
                yield "   .. code-block:: python"
                yield ""
                yield f"      handle_{name} = {example!r}".replace("'", '"')
            else:
                yield "   .. code-block:: toml"
                yield ""
                yield f"      {name} = {toml_text(example)}"
            yield ""
            yield f"   Obeyed by {', '.join(obeying(row))}."
            for reason in dict.fromkeys(row.reasons.values()):
                names = [
                    title
                    for front_end, title in FRONT_ENDS.items()
                    if row.reasons.get(front_end) == reason
                ]
                yield f"   Not by {', '.join(names)}: {reason}."
            yield ""


def obeying(row: Row) -> list[str]:
    """The names of the front ends that obey a setting."""
    return [title for front_end, title in FRONT_ENDS.items() if row.is_for(front_end)]


def toml_text(value: object) -> str:
    """A value as TOML writes it."""
    if isinstance(value, dict):
        entries = (f'"{key}" = {toml_text(entry)}' for key, entry in value.items())
        return f"{{ {', '.join(entries)} }}"
    return json.dumps(value)


class Warnings(FromCode):
    """Each kind of warning under a target, with a bad and a good example."""

    def lines(self) -> Iterator[str]:
        for kind in Code:
            yield f".. _handle.{kind}:"
            yield ""
            yield f".. rubric:: handle.{kind}"
            yield ""
            yield kind.help
            yield ""
            if example := EXAMPLES.get(kind):
                yield from code(example.language, "Bad", example.bad)
                yield from code(example.language, "Good", example.good)


class FrontEnds(FromCode):
    """Which kinds of findings each front end tells, with a link to each kind."""

    def lines(self) -> Iterator[str]:
        yield ".. list-table::"
        yield "   :header-rows: 1"
        yield ""
        yield "   * - Kind"
        for name in FRONT_ENDS.values():
            yield f"     - {name}"
        for kind in Code:
            yield f"   * - :ref:`{kind} <handle.{kind}>`"
            for front_end in FRONT_ENDS:
                yield f"     - {'yes' if front_end in kind.said_by else '–'}"


def code(language: str, caption: str, text: str) -> Iterator[str]:
    """A block of code with a caption."""
    yield f".. code-block:: {language}"
    yield f"   :caption: {caption}"
    yield ""
    yield from (f"   {line}".rstrip() for line in text.splitlines())
    yield ""


class PluginOptions(FromCode):
    """Each option of the Markdown plugin."""

    def lines(self) -> Iterator[str]:
        text = inspect.getdoc(handle_plugin) or ""
        described = dict(DESCRIBED.findall(text.partition("Args:")[2]))
        for each in inspect.signature(handle_plugin).parameters.values():
            if each.kind is inspect.Parameter.KEYWORD_ONLY:
                yield f"``{each.name}``"
                yield f"   {' '.join(described[each.name].split())}"


def type_text(hint: object) -> str:
    """A type as a reader of ``conf.py`` would say it."""
    if hint is NoneType:
        return "None"
    origin, arguments = get_origin(hint), get_args(hint)
    if origin is Annotated:
        # Without the checks of values.
        return type_text(arguments[0])
    if origin is Literal:
        return " | ".join(map(repr, arguments))
    if origin in {Union, UnionType}:
        return " | ".join(map(type_text, arguments))
    if isinstance(origin, type):
        return f"{origin.__name__}[{', '.join(map(type_text, arguments))}]"
    return hint.__name__ if isinstance(hint, type) else str(hint)


def setup(app: Sphinx) -> ExtensionMetadata:
    app.add_directive("handle-options", Settings)
    app.add_directive("handle-warnings", Warnings)
    app.add_directive("handle-front-ends", FrontEnds)
    app.add_directive("plugin-options", PluginOptions)
    return {"parallel_read_safe": True, "parallel_write_safe": True}
