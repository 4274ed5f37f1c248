"""How mystmd starts the plugin: its arguments, its input and its output.

mystmd starts the file once without arguments, for the specification, and then for each
role, directive and transform.  The input and the output are JSON.  mystmd shows the
standard error with ``--debug``; another exit code than 0 ends its build.
"""

import json
import sys
from collections.abc import Collection, Sequence
from os import PathLike
from pathlib import Path
from typing import Any

from handle_pipelines.mystmd.tree import (
    LIST_CLASS,
    Node,
    correct_targets,
    line_of,
    link_references,
    role,
    text_or_nothing,
)
from handle_system.errors import showable
from handle_system.proxies import DEFAULT_PROXIES, Proxies

_ROLES = ("hdl", "doi")
_DIRECTIVE = "cite-version"
_LIST = "handle-references"
_TRANSFORMS = {"handle-references": "document", "handle-targets": "project"}
# The option of a directive in Sphinx that names a file; this plugin reads no file.
_UNKNOWN_OPTIONS = {"source"}


def main(
    arguments: Sequence[str] | None = None,
    *,
    proxies: Proxies = DEFAULT_PROXIES,
    known_proxies: Collection[str] = (),
    references: str | PathLike[str] | None = None,
    work: str | PathLike[str] | None = None,
) -> None:
    """Do what mystmd asks for, and write the result.

    Args:
        arguments: The arguments of the process.
        proxies: Where links lead.
        known_proxies: More base URLs to recognise in documents, beside those of the
            public proxies.
        references: The file that ``hdl references update`` writes; a relative path
            begins where mystmd was started.
        work: The file that describes the work that the documents are, such as
            ``CITATION.cff``, with ``#`` and an ``id`` if it describes several.
    """
    if arguments is None:
        arguments = sys.argv[1:]
    proxies = proxies.also_knowing(known_proxies)
    match arguments:
        case ["--role", name] if name in _ROLES:
            data = _read()
            content = text_or_nothing(data.get("body"))
            _write(role(name, content, proxies, _log, line_of(data.get("node"))))
        case ["--directive", name] if name == _DIRECTIVE:
            # mystmd starts this program for each role, and roles do without this.
            from handle_pipelines.mystmd.statements import (  # noqa: PLC0415 (see above)
                statements,
            )

            _write(statements(_read(), proxies, _log, work))
        case ["--directive", name] if name == _LIST:
            # The list is written when all links have their targets.
            _write([{"type": "div", "class": LIST_CLASS, "children": []}])
        case ["--transform", "handle-references"]:
            tree = _read()
            link_references(tree, proxies, _log)
            _write(tree)
        case ["--transform", "handle-targets"]:
            tree = _read()
            if references is None:
                correct_targets(tree, proxies, _log)
            else:
                _correct_and_describe(tree, Path(references), proxies)
            _write(tree)
        case []:
            _write(_specification())
        case _:
            raise SystemExit(f"handle_pipelines.mystmd: unknown arguments: {arguments}")


def _specification() -> Node:
    # Only the specification and the directive need the modules about citations.
    from handle_system.citing.options import OPTIONS  # noqa: PLC0415 (as it says)

    body = {"type": "string", "required": True}
    options = {
        name: {"type": "string"} for name in OPTIONS if name not in _UNKNOWN_OPTIONS
    }
    return {
        "name": "Handles and DOIs",
        "roles": [{"name": name, "body": body} for name in _ROLES],
        "directives": [
            {"name": _DIRECTIVE, "options": options, "body": {"type": "string"}},
            {"name": _LIST},
        ],
        "transforms": [
            {"name": name, "stage": stage} for name, stage in _TRANSFORMS.items()
        ],
    }


def _correct_and_describe(tree: Node, references: Path, proxies: Proxies) -> None:
    # Most projects have no file of references, and do without this.
    from handle_pipelines.mystmd.works import (  # noqa: PLC0415 (see above)
        describe_page,
        read_works,
    )

    works = read_works(references, _log)
    targets = correct_targets(tree, proxies, _log, works)
    describe_page(tree, targets, works, proxies, _log)


def _read() -> Node:
    """The table that mystmd gives.

    Raises:
        SystemExit: when it gives anything else.
    """
    try:
        data: Any = json.loads(sys.stdin.buffer.read())
    except RecursionError as error:
        raise SystemExit(
            "handle_pipelines.mystmd: the document is nested too deep"
        ) from error
    except ValueError as error:
        raise SystemExit(
            f"handle_pipelines.mystmd: the input cannot be read: {error}"
        ) from error
    if not isinstance(data, dict):
        raise SystemExit("handle_pipelines.mystmd: the input is not a table")
    return data


def _write(result: object) -> None:
    """Write the result.

    Raises:
        SystemExit: when it is nested too deep.
    """
    try:
        # In ASCII, which every pipe takes.
        text = json.dumps(result)
    except RecursionError as error:
        # Reading goes somewhat deeper than writing.
        raise SystemExit(
            "handle_pipelines.mystmd: the document is nested too deep"
        ) from error
    sys.stdout.write(text)


def _log(message: str) -> None:
    lines = map(showable, message.splitlines())
    sys.stderr.write("\n".join(lines) + "\n")
