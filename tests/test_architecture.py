"""The shape of the project: who may import whom, and how large a room may be.

A core without frameworks, thin front ends on it.  What can be read off the
source is read off its syntax tree, so that an import inside a function counts
too; what happens at run time is tried in a fresh interpreter.
"""

import ast
import re
import subprocess
import sys
from collections.abc import Iterable, Iterator
from dataclasses import dataclass
from graphlib import CycleError, TopologicalSorter
from importlib import import_module
from itertools import pairwise
from pathlib import Path
from typing import Any

import pytest

ROOT = Path(__file__).parent.parent

CORE = "handle_system"

FRONT_ENDS = {
    "sphinxcontrib_handle": {"docutils", "markdown_it", "myst_parser", "sphinx"},
    "mdit_handle": {"markdown_it"},
    "handle_cli": {"click", "rich"},
}
"""Each front end, and what it may import beside the core and the standard library."""

NETWORK = {
    *("aiohttp", "asyncio", "ftplib", "http", "httpx", "requests", "socket"),
    *("socketserver", "ssl", "urllib.request", "urllib3", "xmlrpc"),
}
"""What speaks to the network; the transport and its connections alone do."""

PERCENT_ENCODERS = {
    *("quote", "quote_from_bytes", "quote_plus", "urlencode"),
    *("unquote", "unquote_plus", "unquote_to_bytes"),
}
"""What `urllib.parse` percent-encodes with; `handle_system.encoding` alone does."""

EXCEPTIONS: dict[tuple[str, str], str] = {
    ("handle_cli.output", "json"): "What it writes for programs is not the wire's.",
    ("handle_cli.serving", "http"): "It is a server, and asks nobody.",
    ("handle_cli.serving", "socket"): "It listens at addresses of both kinds.",
    **{
        (f"handle_cli.sources.{name}", "re"): "It reads a document's own syntax."
        for name in (
            *("bibtex", "blocks", "cff", "columns", "markdown", "markdown_blocks"),
            *("markdown_links", "notebook", "piece", "role_places", "rst"),
            *("python", "python_docstrings", "rst_blocks"),
        )
    },
    ("handle_cli.sources.notebook", "json"): "A notebook is JSON, and not the wire's.",
    ("handle_system.citing.yaml", "yaml"): (
        "Optional, and loaded only when a CITATION.cff or front matter is read."
    ),
    (
        "handle_system.resolving.connections",
        "http",
    ): "It is the transport's inner half.",
    (
        "handle_system.resolving.connections",
        "urllib3",
    ): "It is the transport's inner half.",
    (
        "handle_system.resolving.connections",
        "socket",
    ): "It is the transport's inner half.",
    (
        "handle_system.resolving.connections",
        "ssl",
    ): "It is the transport's inner half.",
    (
        "handle_system.resolving.multiplexer",
        "socket",
    ): "A thread wakes another through a pair of them; it opens none to a server.",
    ("handle_system.encoding", "urllib.parse"): "It is the home of percent-encoding.",
    ("handle_system.resolving.tls", "certifi"): "Optional: a system may trust nobody.",
    (
        "handle_system.resolving.tls",
        "ssl",
    ): "It says whom to trust, and opens no connection.",
    (
        "handle_system.resolving.transport",
        "http",
    ): "It is the one that opens connections.",
    (
        "handle_system.resolving.transport",
        "urllib3",
    ): "It is the one that opens connections.",
    ("handle_system.resolving.transport", "urllib.parse"): (
        "User and password in a proxy variable are percent-encoded."
    ),
    ("mdit_handle.mentions", "re"): "It reads Markdown's role syntax.",
    ("mdit_handle.source", "re"): "It reads Markdown's escapes and entities.",
    ("mdit_handle.targets", "re"): "It reads Markdown's autolinks.",
    ("mdit_handle.terminators", "re"): "It finds markdown-it's own characters.",
    ("mdit_handle.text", "re"): "It wraps the pattern of markdown-it's own rule.",
    ("sphinxcontrib_handle.linkcheck", "re"): "`linkcheck_ignore` holds patterns.",
    ("sphinxcontrib_handle.lines", "re"): "It looks for lines in the author's markup.",
    (
        "sphinxcontrib_handle.whole_identifiers",
        "re",
    ): "It finds the characters again that it has put in.",
}
"""What a rule below forbids to the others and allows to one module, and why."""

LONGEST_MODULE = 300


@dataclass(frozen=True, kw_only=True, slots=True)
class Import:
    """One imported name and where it is imported.

    Attributes:
        name: In full: `from a.b import c` is `a.b.c`, whether `c` is a module
            or something in one.
        line: The line it stands on.
        for_types: Under `if TYPE_CHECKING:`, so never executed.
        deferred: In a function, so executed when that is called.
    """

    name: str
    line: int
    for_types: bool
    deferred: bool

    def is_of(self, module: str) -> bool:
        """Whether `module`, or something in it, is what is imported."""
        return self.name == module or self.name.startswith(module + ".")


@dataclass(frozen=True, slots=True)
class Module:
    """A module of the project by its dotted name."""

    name: str
    path: Path

    @property
    def place(self) -> str:
        return self.path.relative_to(ROOT).as_posix()

    @property
    def text(self) -> str:
        return self.path.read_text(encoding="utf-8")

    @property
    def tree(self) -> ast.Module:
        return ast.parse(self.text, self.place)

    @property
    def imports(self) -> list[Import]:
        is_package = self.path.name == "__init__.py"
        package = self.name if is_package else self.name.rpartition(".")[0]
        return list(_imports(self.tree, package))


def _imports(
    node: ast.AST, package: str, *, for_types: bool = False, deferred: bool = False
) -> Iterator[Import]:
    match node:
        case ast.Import():
            names = [alias.name for alias in node.names]
        case ast.ImportFrom():
            parts = package.split(".")[: 1 - node.level or None] if node.level else []
            source = ".".join([*parts, *filter(None, [node.module])])
            names = [f"{source}.{alias.name}" for alias in node.names]
        case _:
            names = []
    for name in names:
        assert isinstance(node, ast.Import | ast.ImportFrom)
        yield Import(
            name=name, line=node.lineno, for_types=for_types, deferred=deferred
        )
    if isinstance(node, ast.If) and ast.unparse(node.test).endswith("TYPE_CHECKING"):
        for typed in node.body:
            yield from _imports(typed, package, for_types=True, deferred=deferred)
        children: list[ast.AST] = [*node.orelse]
    else:
        children = [*ast.iter_child_nodes(node)]
    is_function = isinstance(node, ast.FunctionDef | ast.AsyncFunctionDef | ast.Lambda)
    for child in children:
        yield from _imports(
            child, package, for_types=for_types, deferred=deferred or is_function
        )


def _modules(package: str) -> list[Module]:
    found = []
    for path in sorted((ROOT / package).rglob("*.py")):
        parts = path.relative_to(ROOT).with_suffix("").parts
        if parts[-1] == "__init__":
            parts = parts[:-1]
        found.append(Module(".".join(parts), path))
    return found


def _python(code: str, *arguments: str) -> str:
    """What `code` prints, run in a fresh interpreter that finds the packages."""
    start = f"import sys; sys.path.insert(0, {str(ROOT)!r})\n"
    run = subprocess.run(
        [sys.executable, "-c", start + code, *arguments],
        capture_output=True,
        text=True,
        check=False,
    )
    assert run.returncode == 0, run.stderr
    return run.stdout.strip()


# In front of what is tried without some libraries: to import one, or anything in
# it, is an ImportError, as where it is not installed.
_UNIMPORTABLE = """
from importlib.abc import MetaPathFinder

class Without(MetaPathFinder):
    def find_spec(self, name, path=None, target=None):
        if name.partition(".")[0] in sys.argv[1:]:
            raise ModuleNotFoundError(f"No module named {name!r}", name=name)

sys.meta_path.insert(0, Without())
"""

ALL_PACKAGES = [CORE, *FRONT_ENDS]
CORE_MODULES = _modules(CORE)
FRONT_END_MODULES = [module for name in FRONT_ENDS for module in _modules(name)]
ALL_MODULES = [*CORE_MODULES, *FRONT_END_MODULES]


def _top(name: str) -> str:
    return name.partition(".")[0]


def test_the_imports_of_a_module_are_read_from_its_syntax_tree() -> None:
    """Relative, deferred and type-checking imports are told apart, and all found."""
    source = (
        "import os.path, re as regex\n"
        "from . import a\n"
        "from ..b import c\n"
        "if TYPE_CHECKING:\n"
        "    from d import e\n"
        "def f():\n"
        "    import g\n"
        "class H:\n"
        "    def i(self):\n"
        "        if True:\n"
        "            from .j import k\n"
    )
    found = [
        (imported.name, imported.line, imported.for_types, imported.deferred)
        for imported in _imports(ast.parse(source), "top.sub")
    ]

    assert found == [
        ("os.path", 1, False, False),
        ("re", 1, False, False),
        ("top.sub.a", 2, False, False),
        ("top.b.c", 3, False, False),
        ("d.e", 5, True, False),
        ("g", 7, False, True),
        ("top.sub.j.k", 11, False, True),
    ]


def test_no_package_is_forgotten() -> None:
    """Every package at the top of the tree has its rules in this file."""
    top = {path.parent.name for path in ROOT.glob("*/__init__.py")}

    assert top == set(ALL_PACKAGES)


def _unexplained(module: Module, imports: Iterable[Import]) -> list[str]:
    """Those of a module's forbidden imports for which there is no exception."""
    excepted = [name for place, name in EXCEPTIONS if place == module.name]
    return [
        f"{module.place}:{found.line}: {found.name}"
        for found in imports
        if not any(found.is_of(name) for name in excepted)
    ]


@pytest.mark.parametrize("module", CORE_MODULES, ids=lambda module: module.place)
def test_the_core_imports_the_standard_library_and_itself(module: Module) -> None:
    """No framework, and no HTTP library but in the transport."""
    allowed = sys.stdlib_module_names | {CORE}
    foreign = [found for found in module.imports if _top(found.name) not in allowed]

    assert _unexplained(module, foreign) == []


@pytest.mark.parametrize("module", ALL_MODULES, ids=lambda module: module.place)
def test_only_the_transport_speaks_to_the_network(module: Module) -> None:
    """HTTP, sockets and TLS are imported where the connections are opened."""
    clients = [
        found
        for found in module.imports
        if any(found.is_of(client) for client in NETWORK)
    ]

    assert _unexplained(module, clients) == []


@pytest.mark.parametrize("module", ALL_MODULES, ids=lambda module: module.place)
def test_only_the_encoding_percent_encodes(module: Module) -> None:
    """Percent-encoding has one home, and everyone asks there."""
    encoders = [
        found
        for found in module.imports
        if found.is_of("urllib.parse") and found.name.split(".")[-1] in PERCENT_ENCODERS
    ]

    assert _unexplained(module, encoders) == []


@pytest.mark.parametrize("module", FRONT_END_MODULES, ids=lambda module: module.place)
def test_a_front_end_imports_its_framework_and_the_core(module: Module) -> None:
    """A front end knows its framework, and never the other front end."""
    package = _top(module.name)
    allowed = sys.stdlib_module_names | {CORE, package} | FRONT_ENDS[package]
    foreign = [found for found in module.imports if _top(found.name) not in allowed]

    assert _unexplained(module, foreign) == []


@pytest.mark.parametrize("module", FRONT_END_MODULES, ids=lambda module: module.place)
def test_a_front_end_holds_no_grammar_encoding_or_wire_format(module: Module) -> None:
    """`re`, `json`, `urllib` and the database are the core's."""
    core_matters = {"json", "re", "sqlite3", "urllib"}
    imports = [found for found in module.imports if _top(found.name) in core_matters]

    assert _unexplained(module, imports) == []


@pytest.mark.parametrize(("place", "name"), EXCEPTIONS)
def test_every_exception_is_still_needed(place: str, name: str) -> None:
    """An exception goes with the import that it was made for."""
    module = next((module for module in ALL_MODULES if module.name == place), None)

    assert module is not None
    assert any(found.is_of(name) for found in module.imports)


def test_arrows_in_the_core_go_one_way() -> None:
    """No two modules of the core need each other in order to be imported.

    Imports for type checkers and deferred ones do not count: the first never
    happen, and the second say in a comment why they are where they are (the
    linter insists).
    """
    names = {module.name for module in CORE_MODULES}
    arrows = {
        module.name: {
            found.name if found.name in names else found.name.rpartition(".")[0]
            for found in module.imports
            if _top(found.name) == CORE and not (found.for_types or found.deferred)
        }
        for module in CORE_MODULES
    }
    try:
        TopologicalSorter(arrows).prepare()
    except CycleError as error:
        pytest.fail(" → ".join(reversed(error.args[1])))


@pytest.mark.parametrize("module", ALL_MODULES, ids=lambda module: module.place)
def test_no_module_is_too_long(module: Module) -> None:
    """A module is a room with one job: it can be read at one sitting."""
    length = len(module.text.splitlines())

    assert length <= LONGEST_MODULE


_WAIVER = re.compile(r"#\s*(?:noqa: [A-Z]+\d+|type: ignore\[[a-z-]+\])")


@pytest.mark.parametrize("module", ALL_MODULES, ids=lambda module: module.place)
def test_what_is_waived_has_its_reason(module: Module) -> None:
    """A `noqa` or `type: ignore` is explained beside it, or on the line above."""
    lines = ["", *module.text.splitlines()]
    unexplained = [
        f"{module.place}:{number}: {line.strip()}"
        for number, (above, line) in enumerate(pairwise(lines), start=1)
        if (waiver := _WAIVER.search(line))
        and not _WAIVER.sub("", line[waiver.start() :]).strip()
        and not above.lstrip().startswith("#")
    ]

    assert unexplained == []


# Private in name; the only way to see a pattern as Python does.
_PARSER: Any = import_module("re._parser")
_ONE_CHARACTER = {"ANY", "CATEGORY", "IN", "LITERAL", "NOT_LITERAL"}


def _repeats_groups_possessively(pattern: Any) -> bool:
    """Whether a parsed pattern repeats more than one character possessively."""
    for operation, argument in pattern:
        if str(operation) == "POSSESSIVE_REPEAT":
            repeated = argument[2]
            if len(repeated) > 1 or str(repeated[0][0]) not in _ONE_CHARACTER:
                return True
        inner = argument[1] if str(operation) == "BRANCH" else argument
        for each in inner if isinstance(inner, list | tuple) else [inner]:
            if isinstance(each, _PARSER.SubPattern) and _repeats_groups_possessively(
                each
            ):
                return True
    return False


@pytest.mark.parametrize("module", ALL_MODULES, ids=lambda module: module.place)
def test_no_pattern_repeats_a_group_possessively(module: Module) -> None:
    """Python 3.11.0 to 3.11.4 match `(?:ab)++` wrongly; `(?>(?:ab)+)` is right in all.

    They take the beginning of a repetition that fails for a part of the match
    (CPython 106052).  Debian 12 has Python 3.11.2.
    """
    repeating = [
        name
        for name, value in vars(import_module(module.name)).items()
        if isinstance(value, re.Pattern)
        and _repeats_groups_possessively(_PARSER.parse(value.pattern, value.flags))
    ]

    assert repeating == []


@pytest.mark.parametrize(
    ("pattern", "repeats"),
    [
        (r"[a-z]++\.?+x*+", False),
        (r"(?>(?:ab)+)(?:c|d)*", False),
        (r"(?:ab)++", True),
        (r"x|(y(?:ab++|%)*+)", True),
        (r"(?=(?:a|bc)?+)", True),
        (r"(?:a(?:bc)++)*", True),
    ],
)
def test_which_patterns_repeat_a_group_possessively(
    pattern: str, *, repeats: bool
) -> None:
    """Groups are found at any depth; single characters are not meant."""
    assert _repeats_groups_possessively(_PARSER.parse(pattern)) == repeats


def _undocumented(node: ast.AST, name: str) -> Iterator[str]:
    if not isinstance(node, ast.Module | ast.ClassDef | ast.FunctionDef):
        return
    if ast.get_docstring(node) is None and not _is_overload(node):
        yield name
    if not isinstance(node, ast.FunctionDef):
        for child in node.body:
            child_name = getattr(child, "name", "_")
            if not child_name.startswith("_"):
                yield from _undocumented(child, f"{name}.{child_name}")


def _is_overload(node: ast.AST) -> bool:
    return isinstance(node, ast.FunctionDef) and any(
        ast.unparse(decorator).endswith("overload") for decorator in node.decorator_list
    )


@pytest.mark.parametrize("module", CORE_MODULES, ids=lambda module: module.place)
def test_everything_public_in_the_core_is_documented(module: Module) -> None:
    """Every public module, class, method and function says what it is."""
    assert list(_undocumented(module.tree, module.name)) == []


def test_the_core_is_imported_without_frameworks_or_http() -> None:
    """Whoever only parses and links pays for neither."""
    unwanted = {
        *("docutils", "http", "markdown_it", "requests", "sphinx", "urllib3"),
        *("sqlite3", "ssl", *FRONT_ENDS),
    }
    loaded = _python("import handle_system; print(*sys.modules)").split()

    assert {_top(name) for name in loaded} & unwanted == set()


@pytest.mark.parametrize(
    ("attempt", "without"),
    [
        (
            "from handle_system import Handle; print(Handle.parse('20.1000/100'))",
            ["docutils", "markdown_it", "sphinx", "urllib3"],
        ),
        (
            "from mdit_handle import handle_plugin; print(handle_plugin.__name__)",
            ["docutils", "myst_parser", "sphinx", "urllib3"],
        ),
        (
            "from sphinxcontrib_handle import setup; print(setup.__name__)",
            ["markdown_it", "mdit_py_plugins", "myst_parser", "urllib3"],
        ),
    ],
    ids=["handle_system", "mdit_handle", "sphinxcontrib_handle"],
)
def test_each_package_is_imported_without_the_others_frameworks(
    attempt: str, without: list[str]
) -> None:
    """What is not installed with a package's own extra is not missed by it."""
    printed = _python(_UNIMPORTABLE + attempt, *without)

    assert printed in {"20.1000/100", "handle_plugin", "setup"}
