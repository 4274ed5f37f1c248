"""Parts of the manual that are made from the code, so that they cannot disagree.

``handle-options`` lists the options, from the fields of `HandleOptions`;
``handle-warnings`` the kinds of warnings, from the members of `HandleWarning`;
``plugin-options`` the options of the Markdown plugin, from its signature and docstring.
"""

import inspect
import re
from collections.abc import Iterator
from dataclasses import MISSING, Field, fields
from typing import Any, Literal, get_args, get_origin

from docutils import nodes
from docutils.statemachine import StringList
from sphinx.application import Sphinx
from sphinx.pycode import ModuleAnalyzer
from sphinx.util.docutils import SphinxDirective
from sphinx.util.typing import ExtensionMetadata

from mdit_handle import handle_plugin
from sphinxcontrib_handle.config import HandleOptions
from sphinxcontrib_handle.messages import HandleWarning

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


class Options(FromCode):
    """Each option: its type, its default, what it is for."""

    def lines(self) -> Iterator[str]:
        for each in fields(HandleOptions):
            yield f".. confval:: handle_{each.name}"
            yield f"   :type: ``{type_text(each.type)}``"
            yield f"   :default: ``{default(each)!r}``"
            yield ""
            yield f"   {each.metadata['help']}"
            yield ""


class Warnings(FromCode):
    """Each kind of warning, with its subtype."""

    def lines(self) -> Iterator[str]:
        analyzer = ModuleAnalyzer.for_module(HandleWarning.__module__)
        docs = analyzer.find_attr_docs()
        for each in HandleWarning:
            yield f"``handle.{each.value}``"
            for line in docs[HandleWarning.__name__, each.name]:
                yield f"   {line}" if line else ""


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
    if get_origin(hint) is Literal:
        return " | ".join(map(repr, get_args(hint)))
    return hint.__name__ if isinstance(hint, type) and not get_args(hint) else str(hint)


def default(each: "Field[Any]") -> object:
    if each.default_factory is not MISSING:
        return each.default_factory()
    return each.default


def setup(app: Sphinx) -> ExtensionMetadata:
    app.add_directive("handle-options", Options)
    app.add_directive("handle-warnings", Warnings)
    app.add_directive("plugin-options", PluginOptions)
    return {"parallel_read_safe": True, "parallel_write_safe": True}
