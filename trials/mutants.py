"""Change the code at random, one place at a time: a test must fail.

    HYPOTHESIS_PROFILE=ci python -m trials.mutants --changes 150 --seed 1
    python -m trials.mutants --changes 50 --within handle_system/describing handle_pipelines
    python -m trials.mutants --at handle_system/handle.py:125

Copies the tree to a temporary folder and changes one place there: it flips a comparison,
swaps ``and`` with ``or`` or ``break`` with ``continue``, drops a ``not`` or the value of a
``return``, negates a condition, or changes a number, a truth value or a string.  Then it
runs the test files of the module, nearest first, until one fails.
It prints each change that no test notices as ``file:line: change``; such a change is a
missing test, or has no effect.

Docstrings, annotations, the types of ``cast``, type variables, decorators, ``__all__``
and the text of f-strings stay as they are.  A test file that fails must pass without the
change.  A change takes a few seconds, one that no test notices a minute or two; `--skip`
goes on behind the first changes of a seed.  Run it by hand: some changes have no effect,
and whoever reads the list tells them from missing tests.
"""

import argparse
import ast
import os
import random
import resource
import shutil
import signal
import sys
import tempfile
from collections.abc import Iterator, Sequence
from copy import deepcopy
from functools import cache
from importlib import import_module
from pathlib import Path
from typing import NamedTuple

import pytest

# The longest that one test file may run, in seconds of CPU and in seconds.
CPU_SECONDS = 90
SECONDS = 400
# The largest memory that one test file may use, in octets.
MEMORY = 4_000_000_000

ROOT = Path(__file__).parent.parent
NOT_COPIED = shutil.ignore_patterns(
    ".git", ".venv*", "build", "dist", "__pycache__", ".*_cache", ".hypothesis"
)

CORE = "tests/test_core/test_"
COMMAND = "tests/test_cli/test_"
SPHINX = "tests/test_sphinx/test_"
MARKDOWN = (
    "tests/test_mdit/test_plugin.py",
    "tests/test_mdit/test_record.py",
    "tests/test_mdit/test_properties.py",
    f"{COMMAND}readers.py",
)
DOCUTILS = (
    f"{SPHINX}docutils.py",
    f"{SPHINX}lines.py",
    f"{COMMAND}readers.py",
    f"{COMMAND}places.py",
    f"{SPHINX}recognition.py",
    f"{SPHINX}roles.py",
)
REFERENCES = (
    f"{CORE}describing.py",
    f"{CORE}agencies.py",
    f"{COMMAND}referencing.py",
    "tests/test_mdit/test_references.py",
    f"{SPHINX}references.py",
)
REFERENCING = (f"{COMMAND}referencing.py", f"{COMMAND}parsing.py")
PYTHON_MARKDOWN = ("tests/test_python_markdown",)
MYSTMD = ("tests/test_mystmd/test_plugin.py", "tests/test_parity/test_cases.py")
READERS = tuple(
    f"{COMMAND}{name}.py" for name in ("readers", "places", "fixing", "checking")
)
# The test files of each module, nearest first.
TESTS: dict[str, tuple[str, ...]] = {
    "handle_system/forms.py": (
        f"{CORE}scanning.py",
        f"{CORE}reference.py",
        f"{CORE}vectors.py",
        f"{CORE}diagnostics.py",
        f"{COMMAND}readers.py",
    ),
    "handle_system/scanning.py": (
        f"{CORE}scanning.py",
        f"{CORE}vectors.py",
        f"{CORE}diagnostics.py",
        f"{COMMAND}readers.py",
        "tests/test_parity/test_damaged.py",
    ),
    "handle_system/reference_ends.py": (f"{CORE}scanning.py", f"{CORE}vectors.py"),
    "handle_system/reference.py": (
        f"{CORE}reference.py",
        f"{CORE}vectors.py",
        f"{CORE}scanning.py",
        f"{CORE}diagnostics.py",
        f"{CORE}proxies.py",
    ),
    "handle_system/handle.py": (
        f"{CORE}handle.py",
        f"{CORE}reference.py",
        f"{CORE}vectors.py",
    ),
    "handle_system/diagnostics.py": (f"{CORE}diagnostics.py", f"{CORE}scanning.py"),
    "handle_system/checks.py": (
        f"{CORE}diagnostics.py",
        f"{CORE}suffix_policy.py",
        f"{CORE}vectors.py",
        f"{CORE}scanning.py",
        f"{COMMAND}readers.py",
    ),
    "handle_system/role_content.py": (
        f"{CORE}role_content.py",
        f"{COMMAND}readers.py",
        f"{SPHINX}roles.py",
    ),
    "handle_system/found.py": (
        "tests/test_architecture.py",
        f"{CORE}scanning.py",
        "tests/test_mdit/test_record.py",
        f"{COMMAND}readers.py",
        f"{COMMAND}fixing.py",
        f"{SPHINX}lines.py",
    ),
    "handle_system/lines.py": (
        f"{CORE}lines.py",
        f"{COMMAND}places.py",
        "tests/test_mdit/test_record.py",
        f"{COMMAND}readers.py",
        f"{SPHINX}lines.py",
    ),
    "handle_system/proxies.py": (
        f"{CORE}proxies.py",
        f"{CORE}reference.py",
        f"{CORE}vectors.py",
        f"{CORE}scanning.py",
    ),
    "handle_system/citing/style.py": (
        f"{CORE}style.py",
        f"{CORE}citation_formats.py",
        f"{CORE}citation_card.py",
        *REFERENCES,
    ),
    "handle_system/describing/agencies.py": (
        f"{CORE}agencies.py",
        f"{COMMAND}referencing.py",
    ),
    "handle_system/describing/csl_styles.py": (f"{COMMAND}referencing.py",),
    "handle_system/describing/work_findings.py": REFERENCES,
    "handle_system/describing/items.py": REFERENCES,
    "handle_system/describing/described_work.py": REFERENCES,
    "handle_system/describing/described_works.py": REFERENCES,
    "handle_system/describing/references_file.py": REFERENCES,
    "handle_system/describing/rich_text.py": REFERENCES,
    "handle_system/describing/updates.py": REFERENCES,
    "mdit_handle/cite.py": ("tests/test_mdit/test_cite.py", *MARKDOWN),
    "mdit_handle/inline.py": MARKDOWN,
    "mdit_handle/links.py": MARKDOWN,
    "mdit_handle/mdformat_extension.py": ("tests/test_mdit/test_mdformat.py",),
    "mdit_handle/plugin.py": (
        *MARKDOWN,
        "tests/test_mdit/test_references.py",
        "tests/test_mdit/test_cite.py",
    ),
    "mdit_handle/positions.py": (
        "tests/test_mdit/test_record.py",
        f"{COMMAND}places.py",
        f"{COMMAND}readers.py",
    ),
    "mdit_handle/record.py": ("tests/test_mdit/test_record.py", *MARKDOWN),
    "mdit_handle/inline_markup.py": ("tests/test_mdit/test_references.py", *MARKDOWN),
    "sphinxcontrib_handle/rst.py": DOCUTILS,
    "sphinxcontrib_handle/lines.py": (
        f"{SPHINX}lines.py",
        f"{SPHINX}coming_from.py",
        *DOCUTILS,
    ),
    "sphinxcontrib_handle/links.py": (
        *DOCUTILS,
        f"{SPHINX}myst.py",
        "tests/test_parity/test_cases.py",
        "tests/test_parity/test_suffix_policy.py",
    ),
    "sphinxcontrib_handle/references_list.py": (
        f"{SPHINX}references.py",
        f"{SPHINX}typeset.py",
        "tests/test_parity/test_reading_list.py",
    ),
    "handle_pipelines/mystmd/__init__.py": MYSTMD,
    "handle_pipelines/mystmd/statements.py": MYSTMD,
    "handle_pipelines/mystmd/plugin.py": MYSTMD,
    "handle_pipelines/mystmd/tree.py": MYSTMD,
    "handle_pipelines/python_markdown/cards.py": PYTHON_MARKDOWN,
    "handle_pipelines/python_markdown/citing.py": PYTHON_MARKDOWN,
    "handle_pipelines/python_markdown/decoding.py": PYTHON_MARKDOWN,
    "handle_pipelines/python_markdown/extension.py": PYTHON_MARKDOWN,
    "handle_pipelines/python_markdown/fences.py": PYTHON_MARKDOWN,
    "handle_pipelines/python_markdown/inline.py": PYTHON_MARKDOWN,
    "handle_pipelines/python_markdown/links.py": PYTHON_MARKDOWN,
    "handle_pipelines/python_markdown/page.py": PYTHON_MARKDOWN,
    "handle_pipelines/python_markdown/places.py": PYTHON_MARKDOWN,
    "handle_pipelines/python_markdown/reporting.py": PYTHON_MARKDOWN,
    "handle_pipelines/python_markdown/settings.py": PYTHON_MARKDOWN,
    "handle_pipelines/python_markdown/styles.py": PYTHON_MARKDOWN,
    "handle_pipelines/mystmd/works.py": MYSTMD,
    "handle_cli/listing_references.py": REFERENCING,
    "handle_cli/references_files.py": REFERENCING,
    "handle_cli/referencing.py": REFERENCING,
    "handle_cli/updating_references.py": REFERENCING,
    "handle_cli/readers/__init__.py": READERS,
    "handle_cli/readers/docstrings.py": READERS,
    "handle_cli/readers/html.py": (*READERS, "tests/test_cli/test_pages_and_tables.py"),
    "handle_cli/readers/latex.py": (*READERS, "tests/test_cli/test_latex.py"),
    "handle_cli/readers/tables.py": (
        *READERS,
        "tests/test_cli/test_pages_and_tables.py",
    ),
    "handle_cli/readers/markdown.py": READERS,
    "handle_cli/readers/metadata.py": READERS,
    "handle_cli/readers/rst.py": READERS,
}
# The test files of whatever stands on a module: they are run behind the nearest ones.
FRONT_ENDS = (
    f"{CORE}errors.py",
    f"{CORE}suffix_policy.py",
    f"{CORE}ignored_case.py",
    *READERS,
    f"{COMMAND}parsing.py",
    f"{COMMAND}charsets.py",
    *MARKDOWN,
    f"{SPHINX}recognition.py",
    f"{SPHINX}roles.py",
    f"{SPHINX}measured_faults.py",
    f"{SPHINX}documents.py",
    f"{SPHINX}myst.py",
    f"{SPHINX}extension.py",
    f"{SPHINX}notebooks.py",
    "tests/test_architecture.py",
    "tests/test_parity/test_cases.py",
    "tests/test_parity/test_text_prefixes.py",
)
# The modules about works, on which little else stands.
ABOUT_WORKS = (
    "handle_system/citing/",
    "handle_system/describing/",
    "handle_cli/listing_references.py",
    "handle_cli/references_files.py",
    "handle_cli/referencing.py",
    "handle_cli/updating_references.py",
    "handle_pipelines/mystmd/",
    "sphinxcontrib_handle/references_list.py",
)
# Imported once, before a process is forked for each test file; no module of the tree.
SHARED_MODULES = (
    "cattrs",
    "click",
    "docutils.core",
    "docutils.parsers.rst.states",
    "hypothesis.strategies",
    "markdown_it",
    "rich.console",
    "sphinx.application",
    "sphinx.builders.html",
    "tomlkit",
    "urllib3",
    "yaml",
)

FLIPPED: dict[type[ast.cmpop], type[ast.cmpop]] = {
    ast.Eq: ast.NotEq,
    ast.NotEq: ast.Eq,
    ast.Lt: ast.LtE,
    ast.LtE: ast.Lt,
    ast.Gt: ast.GtE,
    ast.GtE: ast.Gt,
    ast.Is: ast.IsNot,
    ast.IsNot: ast.Is,
    ast.In: ast.NotIn,
    ast.NotIn: ast.In,
}
# Nodes whose parts stay as they are.  In Python 3.11, the parts of an f-string have no
# place of their own.
LEFT_ALONE = (ast.JoinedStr, ast.Import, ast.ImportFrom)


class Change(NamedTuple):
    """One change of the code.

    Attributes:
        module: The module, a path from the root of the tree.
        line: The line of the changed node.
        start, end: The span of the node, in octets of the module.
        before, after: The node's code before and after the change, on one line.
    """

    module: str
    line: int
    start: int
    end: int
    before: str
    after: str

    def __str__(self) -> str:
        return f"{self.module}:{self.line}: {self.before} -> {self.after}"

    def apply(self, source: bytes) -> bytes:
        """Return the changed source of the module."""
        return source[: self.start] + self.after.encode() + source[self.end :]


def main() -> int:
    """Try the changes; return 1 if no test noticed one of them."""
    parser = argparse.ArgumentParser(description=__doc__.partition("\n")[0])
    parser.add_argument("--changes", type=int, default=50)
    parser.add_argument("--seed", type=int, default=20261123)
    parser.add_argument("--skip", type=int, default=0, help="the first changes")
    parser.add_argument(
        "--within", metavar="PATH", nargs="+", default=[""], help="modules or folders"
    )
    parser.add_argument("--at", metavar="FILE:LINE", help="every change of one line")
    options = parser.parse_args()
    changes = [change for module in TESTS for change in changes_of(module)]
    if options.at:
        module, _, line = options.at.rpartition(":")
        chosen = [
            each for each in changes if (each.module, each.line) == (module, int(line))
        ]
    else:
        inside = tuple(options.within)
        changes = [change for change in changes if change.module.startswith(inside)]
        chosen = random.Random(options.seed).sample(changes, options.changes)
        chosen = chosen[options.skip :]
    for name in SHARED_MODULES:
        import_module(name)
    with tempfile.TemporaryDirectory() as folder:
        copy = Path(folder, "tree")
        shutil.copytree(ROOT, copy, ignore=NOT_COPIED)
        noticed = 0
        for tried, change in enumerate(chosen, 1):
            if is_noticed(copy, change):
                noticed += 1
            else:
                print(change, flush=True)
            print(f"{tried} tried, {noticed} noticed", file=sys.stderr, flush=True)
    print(f"{len(chosen)} of {len(changes)} changes tried, {noticed} noticed by a test")
    return 0 if noticed == len(chosen) else 1


def is_noticed(copy: Path, change: Change) -> bool:
    """Whether a test of the module fails after the change, and passes without it."""
    changed = copy / change.module
    original = changed.read_bytes()
    times = changed.stat()
    failing = None
    changed.write_bytes(change.apply(original))
    try:
        for file in test_files(change.module):
            if not passes(copy, file):
                failing = file
                break
    finally:
        # With the time of the original, for which there may be bytecode.
        changed.write_bytes(original)
        os.utime(changed, ns=(times.st_atime_ns, times.st_mtime_ns))
    if failing is not None and not passes_unchanged(copy, failing):
        sys.exit(f"{failing} fails without a change")
    return failing is not None


def test_files(module: str) -> list[str]:
    """The test files of a module, nearest first, each once."""
    further = REFERENCES if module.startswith(ABOUT_WORKS) else FRONT_ENDS
    return list(dict.fromkeys((*TESTS[module], *further)))


@cache
def passes_unchanged(copy: Path, test_file: str) -> bool:
    """Whether a test file passes in the copy of the tree as it is."""
    return passes(copy, test_file)


def passes(copy: Path, test_file: str) -> bool:
    """Whether a test file passes in the copy of the tree, in a process of its own."""
    sys.stdout.flush()
    child = os.fork()
    if not child:
        run_tests(copy, test_file)
    _, status = os.waitpid(child, 0)
    return status == 0


def run_tests(copy: Path, test_file: str) -> None:
    """Run a test file, and end the process with the exit code of pytest."""
    code = 1
    try:
        quiet = os.open(os.devnull, os.O_RDWR)
        for descriptor in range(3):
            os.dup2(quiet, descriptor)
        resource.setrlimit(resource.RLIMIT_CPU, (CPU_SECONDS, CPU_SECONDS))
        resource.setrlimit(resource.RLIMIT_AS, (MEMORY, MEMORY))
        signal.alarm(SECONDS)
        os.chdir(copy)
        sys.path[0] = str(copy)
        # For the processes that tests start in other folders.
        os.environ["PYTHONPATH"] = str(copy)
        # Two changes within a second may have sources of the same length.
        sys.dont_write_bytecode = True
        # The pytest plugin of Hypothesis comes after Hypothesis here.
        quiet_rewriting = "ignore::pytest.PytestAssertRewriteWarning"
        options = ["-x", "-q", "-p", "no:cacheprovider", "-W", quiet_rewriting]
        code = int(pytest.main([*options, test_file]))
    finally:
        os._exit(code)


def changes_of(module: str) -> Iterator[Change]:
    """Every change of a module that can be tried."""
    source = (ROOT / module).read_bytes()
    starts = [0]
    for row in source.splitlines(keepends=True):
        starts.append(starts[-1] + len(row))
    for node in changeable(ast.parse(source)):
        for place, new in changed_nodes(node):
            start = starts[place.lineno - 1] + place.col_offset
            end = starts[(place.end_lineno or 0) - 1] + (place.end_col_offset or 0)
            after = ast.unparse(ast.fix_missing_locations(new))
            if isinstance(new, ast.expr):
                after = f"({after})"
            yield Change(module, place.lineno, start, end, ast.unparse(place), after)


def changeable(node: ast.AST) -> Iterator[ast.AST]:
    """The node and those inside it, without those that stay as they are."""
    yield node
    for name, value in ast.iter_fields(node):
        if name in {"annotation", "returns", "decorator_list", "type_params"}:
            continue
        children: Sequence[object] = value if isinstance(value, list) else [value]
        for child in children:
            if isinstance(child, ast.AST) and not is_left_alone(child):
                yield from changeable(child)


def is_left_alone(node: ast.AST) -> bool:
    """Whether a node and all inside it stay as they are."""
    match node:
        case ast.Expr(value=ast.Constant()):
            # A docstring, or the three dots of an overload.
            return True
        case ast.Assign(targets=[ast.Name(id="__all__")]):
            return True
        case ast.If(test=ast.Name(id="TYPE_CHECKING")):
            return True
        case ast.Call(func=ast.Name(id="cast" | "TypeVar")):
            return True
        case _:
            return isinstance(node, LEFT_ALONE)


def changed_nodes(
    node: ast.AST,
) -> Iterator[tuple[ast.expr | ast.stmt, ast.expr | ast.stmt]]:
    """Each part of a node to replace, and its replacement."""
    match node:
        case ast.Constant():
            for constant in changed_constants(node.value):
                yield node, constant
        case ast.Return(value=ast.expr() as value) if not is_falsy(value):
            yield node, ast.Return(ast.Constant(None))
        case ast.Continue():
            yield node, ast.Break()
        case ast.Break():
            yield node, ast.Continue()
        case ast.expr():
            operator = changed_operator(node)
            if operator is not None:
                yield node, operator
    for condition in conditions_of(node):
        if not is_negated_elsewhere(condition):
            yield condition, ast.UnaryOp(ast.Not(), deepcopy(condition))


def changed_operator(node: ast.expr) -> ast.expr | None:
    """An expression with another operator; `None` if it has none to change."""
    match node:
        case ast.Compare(ops=[operator]):
            flipped = deepcopy(node)
            flipped.ops = [FLIPPED[type(operator)]()]
            return flipped
        case ast.BoolOp():
            swapped = deepcopy(node)
            swapped.op = ast.Or() if isinstance(node.op, ast.And) else ast.And()
            return swapped
        case ast.UnaryOp(op=ast.Not()):
            return deepcopy(node.operand)
        case _:
            return None


def conditions_of(node: ast.AST) -> Sequence[ast.expr]:
    """The conditions that a statement, an expression or a comprehension has itself."""
    match node:
        case ast.If() | ast.While() | ast.IfExp():
            return [node.test]
        case ast.comprehension():
            return node.ifs
        case _:
            return []


def changed_constants(value: object) -> Iterator[ast.Constant]:
    """Constants to put in the place of one."""
    match value:
        case bool():
            yield ast.Constant(not value)
        case int():
            yield ast.Constant(value + 1)
            yield ast.Constant(value - 1)
        case str():
            yield ast.Constant(f"{value}X")


def is_negated_elsewhere(condition: ast.expr) -> bool:
    """Whether a change of the condition's own node is its opposite."""
    match condition:
        case ast.Compare(ops=[operator]):
            return isinstance(
                operator, (ast.Eq, ast.NotEq, ast.Is, ast.IsNot, ast.In, ast.NotIn)
            )
        case ast.UnaryOp(op=ast.Not()):
            return True
        case _:
            return False


def is_falsy(value: ast.expr) -> bool:
    """Whether an expression is a constant that conditions take for `None`."""
    return isinstance(value, ast.Constant) and not value.value


if __name__ == "__main__":
    sys.exit(main())
