"""Options: declared once, checked by name, each of effect."""

from dataclasses import fields
from typing import Any

import pytest

from sphinxcontrib_handle.config import HandleOptions, options
from sphinxcontrib_handle.messages import HandleWarning
from tests.test_sphinx.conftest import MakeProject

PAGE = (
    "Title\n=====\n\n:hdl:`20.1000/100` :doi:`10.1000/182` hdl:102.100.272/Y35XYS0QH\n"
)


def test_defaults_are_those_of_the_dataclass(project: MakeProject) -> None:
    """What a project does not set is what the dataclass says."""
    built = project(PAGE).build()

    assert options(built.app.config) == HandleOptions()
    assert built.warnings == ""


@pytest.mark.parametrize("name", [each.name for each in fields(HandleOptions)])
def test_every_option_is_explained(name: str) -> None:
    """Each has a check, a help of whole sentences, and says what it makes stale."""
    [each] = [each for each in fields(HandleOptions) if each.name == name]

    assert callable(each.metadata["check"])
    assert each.metadata["help"].endswith(".")
    assert each.metadata["rebuild"] in {"", "env", "html"}


@pytest.mark.parametrize("kind", HandleWarning)
def test_every_warning_is_explained(kind: HandleWarning) -> None:
    """Each kind has a name fit for `suppress_warnings`."""
    assert kind.value == kind.value.lower()
    assert "." not in kind.value


@pytest.mark.parametrize(
    ("name", "value", "complaint"),
    [
        ("proxies", "https://doi.org/", "'https://doi.org/' is not a dictionary"),
        (
            "proxies",
            {"10": "ftp://example.org/"},
            (
                "'ftp://example.org/' is not the base of a proxy: an http or https URL with "
                "a host, an optional port and path, and nothing else"
            ),
        ),
        (
            "proxies",
            {10: "https://doi.org/"},
            "10: 'https://doi.org/' is not text for text",
        ),
        ("known_proxies", "https://doi.org/", "'https://doi.org/' is not a list"),
        ("recognize", "yes", "'yes' is none of True, False"),
        ("recognize", 1, "1 is none of True, False"),
        ("display", "short", "'short' is none of 'uri', 'url', 'handle'"),
        ("severity", {"syntax": "loud"}, "'loud' is none of error, warning, info, off"),
        ("severity", {"syntex": "off"}, "'syntex' is no kind of warning"),
        ("roles", ["policy"], "['policy'] is not a dictionary"),
        (
            "roles",
            {"Policy": "20.1000"},
            "'Policy' is not the name of a role: lower-case letters, digits, hyphens",
        ),
        (
            "roles",
            {"p": "1/2"},
            "'1/2' is not a prefix: \"/\" is not allowed in a prefix",
        ),
        ("verify", "yes", "'yes' is none of True, False"),
        ("connections", 0, "0 is not a whole number from 1 to 256"),
        ("connections", True, "True is not a whole number from 1 to 256"),
        ("timeout", "soon", "'soon' is not a number of seconds up to 600"),
        ("budget", -1, "-1 is neither a whole number nor None"),
        ("cache", True, "True is neither a path nor False"),
        ("resolver", [], "[] is neither a URL or path nor a list of them"),
        (
            "resolver",
            ["ftp://example.org/"],
            (
                "'ftp://example.org/': 'ftp://example.org/' is not the base of a proxy: an http "
                "or https URL with a host, an optional port and path, and nothing else"
            ),
        ),
        ("verify_ignore", "20.1000", "'20.1000' is not a list"),
        ("verify_exclude_documents", "drafts/*", "'drafts/*' is not a list"),
        (
            "place_url",
            "https://forge.example/{path}",
            (
                "'https://forge.example/{path}' is not an address with {file}, {line}, "
                "{document} and no other braces"
            ),
        ),
        (
            "place_url",
            "javascript:{file}",
            (
                "'javascript:{file}' is not an address with {file}, {line}, {document} and no "
                "other braces"
            ),
        ),
    ],
)
def test_error_in_a_value_is_told_by_name(
    project: MakeProject, name: str, value: object, complaint: str
) -> None:
    """A value that cannot be used is warned of, and the default holds."""
    built = project(PAGE, **{f"handle_{name}": value}).build()

    assert built.warnings == f"WARNING: handle_{name}: {complaint} [handle.config]\n"
    default = getattr(HandleOptions(), name)
    found = getattr(options(built.app.config), name)
    assert found == ({} if isinstance(value, dict) else default)


@pytest.mark.parametrize(
    ("name", "value", "kept", "complaints"),
    [
        (
            "verify_ignore",
            ["20.1000", "hdl:20.1000/1", 1, "10.5*", "20.1/a*"],
            ["20.1000", "20.1/a*"],
            [
                (
                    "'hdl:20.1000/1' is neither a prefix nor a handle: a handle has no "
                    "scheme; read a reference with HandleReference.parse"
                ),
                "1 is not text",
                (
                    '"*" in a prefix: a prefix covers those derived from it; 10.5*/* is a '
                    "pattern of handles"
                ),
            ],
        ),
        (
            "verify_exclude_documents",
            ["drafts/*", " "],
            ["drafts/*"],
            ["' ' is no pattern of documents"],
        ),
        (
            "resolver",
            ["own.json", 3, "https://doi.org/"],
            ["own.json", "https://doi.org/"],
            ["3 is neither a URL nor a path"],
        ),
    ],
)
def test_good_entries_of_a_list_are_kept(
    project: MakeProject,
    name: str,
    value: object,
    kept: object,
    complaints: list[str],
) -> None:
    """Each of the others is told by itself."""
    built = project(PAGE, **{f"handle_{name}": value}).build()

    assert built.warnings == "".join(
        f"WARNING: handle_{name}: {complaint} [handle.config]\n"
        for complaint in complaints
    )
    assert getattr(options(built.app.config), name) == kept


@pytest.mark.parametrize(
    ("name", "written", "value"),
    [
        ("budget", "20", 20),
        ("budget", "0", 0),
        ("timeout", "2.5", 2.5),
        ("timeout", "20", 20.0),
        ("connections", "4", 4),
        ("cache", "0", False),
        ("cache", "kept/handles.sqlite", "kept/handles.sqlite"),
    ],
)
def test_the_command_line_can_say_it_too(
    project: MakeProject, name: str, written: str, value: object
) -> None:
    """With ``-D``, which knows text alone; ``0`` is how Sphinx has no written there."""
    overrides: dict[str, Any] = {f"handle_{name}": written}
    built = project(PAGE).build("dummy", **overrides)

    assert getattr(options(built.app.config), name) == value
    assert built.warnings == ""


@pytest.mark.parametrize(
    ("name", "written", "complaint"),
    [
        ("budget", "-1", "'-1' is neither a whole number nor None"),
        ("budget", "²", "'²' is neither a whole number nor None"),
        ("timeout", "nan", "'nan' is not a number of seconds up to 600"),
        ("timeout", "1e9", "'1e9' is not a number of seconds up to 600"),
    ],
)
def test_error_in_what_the_command_line_says(
    project: MakeProject, name: str, written: str, complaint: str
) -> None:
    """It is told as it was written."""
    overrides: dict[str, Any] = {f"handle_{name}": written}
    built = project(PAGE).build("dummy", **overrides)

    assert built.warnings == f"WARNING: handle_{name}: {complaint} [handle.config]\n"
    assert options(built.app.config) == HandleOptions()


def test_only_the_entry_at_fault_is_lost(project: MakeProject) -> None:
    """One bad entry of a mapping does not take the others with it."""
    built = project(
        PAGE,
        handle_proxies={
            "102.100.272": "https://resolver.example.org/hdl",
            "20.1000": "example.org",
        },
    ).build()

    assert built.warnings.count("WARNING") == 1
    assert [link.href for link in built.links()] == [
        "https://hdl.handle.net/20.1000/100",
        "https://doi.org/10.1000/182",
        "https://resolver.example.org/hdl/102.100.272/Y35XYS0QH",
    ]


def test_proxies_are_recognised_and_decide_links(project: MakeProject) -> None:
    """An institution's proxy is known in documents, and gets its prefix's links."""
    text = "T\n=\n\nhttps://resolver.example.org/hdl/20.1000/1 and doi:10.1000/182.\n"
    built = project(
        text,
        handle_proxies={
            "20.1000": "https://resolver.example.org/hdl/",
            "10": "https://hdl.handle.net/",
        },
    ).build()

    assert [link.href for link in built.links()] == [
        "https://resolver.example.org/hdl/20.1000/1",
        "https://hdl.handle.net/10.1000/182",
    ]


def test_known_proxies_are_modernised(project: MakeProject) -> None:
    """URLs of a base in `handle_known_proxies` come out at the prefix's proxy."""
    text = "T\n=\n\nhttp://old.example.org/handle/20.1000/1\n"
    conf = {"handle_known_proxies": ["https://old.example.org/handle/"]}

    assert [link.href for link in project(text, **conf).build().links()] == [
        "https://hdl.handle.net/20.1000/1"
    ]
    assert [link.href for link in project(text).build().links()] == [
        "http://old.example.org/handle/20.1000/1"
    ]


def test_every_kind_is_suppressed_by_its_own_name(project: MakeProject) -> None:
    """Of all kinds exactly those are silent that `suppress_warnings` names."""
    prelude = (
        "from sphinxcontrib_handle.messages import HandleWarning, warn\n"
        "def setup(app):\n"
        "    app.connect('builder-inited', lambda app: [\n"
        "        warn(app.config, kind, kind.value) for kind in HandleWarning])\n"
    )
    kinds = list(HandleWarning)
    for silent in (kinds[::2], kinds[1::2]):
        warnings = (
            project(
                PAGE,
                prelude=prelude,
                handle_severity={kind.value: "warning" for kind in kinds},
                suppress_warnings=[f"handle.{kind.value}" for kind in silent],
            )
            .build()
            .warnings
        )
        assert warnings.splitlines() == [
            f"WARNING: {kind.value} [handle.{kind.value}]"
            for kind in kinds
            if kind not in silent
        ]


@pytest.mark.parametrize(
    ("text", "kind"),
    [
        (":hdl:`not a handle`", "syntax"),
        ("`x <hdl:foo>`_", "link"),
        ("hdl:20.1000/abc_\n\n.. _abc: https://example.org/", "target"),
    ],
)
def test_each_kind_can_be_suppressed(
    project: MakeProject, text: str, kind: str
) -> None:
    """`suppress_warnings` silences one kind, and `handle` all of them."""
    text = f"T\n=\n\n{text}\n"

    assert f"[handle.{kind}]" in project(text).build().warnings
    for name in (f"handle.{kind}", "handle"):
        assert project(text, suppress_warnings=[name]).build().warnings == ""


@pytest.mark.parametrize(
    ("severity", "warning", "status"),
    [
        ("warning", 'index.rst:4: WARNING: no "/"', ""),
        ("error", 'index.rst:4: ERROR: no "/"', ""),
        ("info", "", 'no "/": a handle is prefix/suffix'),
        ("off", "", ""),
    ],
)
def test_severity_of_a_kind(
    project: MakeProject, severity: str, warning: str, status: str
) -> None:
    """`handle_severity` makes a kind an error, information, or nothing."""
    built = project(
        "T\n=\n\n:hdl:`banana`\n", handle_severity={"syntax": severity}
    ).build()

    assert built.warnings.startswith(warning)
    assert bool(built.warnings) == bool(warning)
    assert status in built.status


def test_a_change_of_proxies_reads_documents_again(project: MakeProject) -> None:
    """What decides links makes the environment stale; a severity does not."""
    made = project(PAGE)
    made.build()

    assert "0 added, 0 changed" in made.build(handle_severity={"syntax": "off"}).status
    again = made.build(handle_proxies={"": "https://example.org/"})
    assert again.links()[0].href == "https://example.org/20.1000/100"


@pytest.mark.parametrize("severity", ["loud", [], None])
def test_a_severity_that_is_none_stops_nothing(
    project: MakeProject, severity: object
) -> None:
    """Though others are told before it is found to be none."""
    built = project(
        PAGE, handle_proxies=1, handle_severity={"config": severity}
    ).build()

    assert built.warnings.splitlines()[0] == (
        "WARNING: handle_proxies: 1 is not a dictionary [handle.config]"
    )
    assert built.warnings.count("WARNING: handle_severity: ") == 1
