"""`hdl doctor` says what is there, what is configured, and what to do next."""

import datetime as dt
import json
import re
from pathlib import Path

import pytest
from click.testing import Result

import handle_system
from handle_cli import doctor as doctor_module
from handle_cli.command import hdl
from handle_cli.site_builders import configurations
from tests.command_line import runner
from tests.proxy_server import running


@pytest.fixture(autouse=True)
def project(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """An empty project on a machine without pandoc and git."""
    folder = tmp_path / "project"
    folder.mkdir()
    (tmp_path / "bin").mkdir()
    monkeypatch.chdir(folder)
    monkeypatch.setenv("PATH", str(tmp_path / "bin"))
    monkeypatch.setattr(doctor_module, "_HOSTS", {})
    monkeypatch.setattr("platform.python_version", lambda: "3.13.1")
    return folder


def run(*arguments: str) -> Result:
    return runner().invoke(hdl, ["doctor", *arguments], catch_exceptions=False)


OK_VERSIONS = f"ok       hdl {handle_system.__version__}, Python 3.13.1"
WITHOUT_PROGRAMS = """\
note     git is not installed: hdl check does not obey .gitignore
"""


def test_nothing_is_there_yet() -> None:
    """Each thing that is missing has the command that makes it."""
    done = run()

    assert done.stdout == (
        f"{OK_VERSIONS}\n"
        "note     no configuration of Sphinx, MkDocs or another site builder\n"
        "         help: hdl check and hdl fix need none\n"
        "note     pyproject.toml: there is no [tool.handle]\n"
        "         help: hdl init\n"
        "note     there is no file of references\n"
        "         help: hdl references update\n"
        f"{WITHOUT_PROGRAMS}"
    )
    assert done.stderr == ("\n5 checked: 4 notes.\nTo check the project: hdl check\n")
    assert done.exit_code == 0


def test_a_project(project: Path) -> None:
    """The configuration, the settings and the works are counted."""
    docs = project / "docs"
    docs.mkdir()
    (docs / "conf.py").write_text(
        'extensions = [\n    "sphinxcontrib.handle",\n]\n'
        'handle_references = "references.json"\n'
    )
    asked = dt.date.today() - dt.timedelta(days=177)  # noqa: DTZ011 (as the command)
    custom = {"agency": "Crossref", "asked": str(asked)}
    items = [{"id": f"doi:10.1000/{n}", "title": "A", "custom": custom} for n in "12"]
    (docs / "references.json").write_text(json.dumps(items))
    (project / "pyproject.toml").write_text(
        '[tool.handle]\nresolver = ["https://example.org/"]\ncache = ".hdl.sqlite"\n'
    )
    (project / ".hdlignore").write_text("# old pages\nold/*\n\nnew/*\n")

    done = run()

    assert done.stdout == (
        f"{OK_VERSIONS}\n"
        "ok       docs/conf.py: Sphinx loads the plugin; it sets handle_references\n"
        "ok       pyproject.toml: [tool.handle] sets resolver, cache\n"
        'note     pyproject.toml: hdl check --verify refuses "resolver" in [tool.handle]\n'
        "         help: --trust-config, in projects whose settings you trust\n"
        "ok       .hdlignore: 2 patterns of paths that are skipped\n"
        f"note     docs/references.json: 2 works, last asked {asked}, 177 days ago\n"
        "         help: hdl references update --refresh\n"
        f"{WITHOUT_PROGRAMS}"
    )
    assert done.stderr == ("\n7 checked: 3 notes.\nTo check the project: hdl check\n")
    assert done.exit_code == 0
    assert str(project) not in done.output


def test_works_that_nobody_was_asked_about(project: Path) -> None:
    """They are counted beside those that were; handles, and what nobody asks for, are not."""
    today = dt.date.today()  # noqa: DTZ011 (as the command)
    items = [
        {"id": "doi:10.1000/1", "title": "A", "custom": {"asked": str(today)}},
        {"id": "doi:10.1000/2", "title": "A"},
        {"id": "doi:10.1000/3", "title": "A"},
        {"id": "doi:10.1000/gone", "custom": {"unregistered": str(today)}},
        {"id": "doi:10.9999/1", "title": "A"},
        {"id": "hdl:20.1000/1", "title": "A"},
    ]
    (project / "references.json").write_text(json.dumps(items))
    (project / "pyproject.toml").write_text(
        '[tool.handle]\nverify_ignore = ["10.9999/*"]\n'
    )

    assert (
        f"note     references.json: 6 works, last asked {today}, 0 days ago; "
        "agencies were never asked about 2\n"
        "         help: hdl references update --refresh\n"
    ) in run().stdout


SPHINX = 'extensions = ["sphinxcontrib_handle"]\n'
OTHER_FILES = (
    "note     {}: {} reads docs/{}, and hdl docs/references.json\n"
    '         help: name the same files, in "references" of [tool.handle]\n'
)


@pytest.mark.parametrize(
    ("name", "text", "builder", "other"),
    [
        (
            "docs/conf.py",
            f'{SPHINX}handle_references = "works.json"\n',
            "Sphinx",
            "works.json",
        ),
        (
            "docs/conf.py",
            f'{SPHINX}handle_references = ["own.json", "references.json"]\n',
            "Sphinx",
            "own.json, docs/references.json",
        ),
        ("docs/conf.py", f'{SPHINX}handle_references = ["references.json"]\n', "", ""),
        ("docs/conf.py", f"{SPHINX}handle_references = found()\n", "", ""),
        ("docs/conf.py", f"{SPHINX}handle_references = ['\\0', {{[]}}]\n", "", ""),
        ("docs/conf.py", f"{SPHINX}handle_references = '\\0'\n", "", ""),
        (
            "mkdocs.yml",
            "markdown_extensions: {handle: {references: docs/works.json}}\n",
            "MkDocs",
            "works.json",
        ),
        (
            "docs/_config.yml",
            "sphinx:\n  {extra_extensions: [sphinxcontrib_handle], config: {handle_references: works.json}}",
            "Jupyter Book 1",
            "works.json",
        ),
    ],
)
def test_other_files_of_references(
    project: Path, name: str, text: str, builder: str, other: str
) -> None:
    """A site builder that names other files than the command reads is told."""
    docs = project / "docs"
    docs.mkdir()
    (docs / "references.json").write_text('[{"id": "doi:10.1000/1", "title": "A"}]')
    (docs / "_toc.yml").write_text("root: index\n")
    (project / name).write_text(text)
    (project / "pyproject.toml").write_text(
        '[tool.handle]\nreferences = "docs/references.json"\n'
    )

    done = run()

    expected = OTHER_FILES.format(name, builder, other) if builder else ""
    read = (
        "note     docs/references.json: 1 work; agencies were never asked about 1\n"
        "         help: hdl references update --refresh\n"
    )
    assert done.stdout.endswith(f"{read}{expected}{WITHOUT_PROGRAMS}")
    assert done.exit_code == 0


@pytest.mark.parametrize(
    ("name", "text", "table", "is_said"),
    [
        ("docs/conf.py", SPHINX, "", True),
        ("docs/conf.py", SPHINX, 'references = "docs/references.json"\n', False),
        ("docs/conf.py", f"{SPHINX}handle_references = found()\n", "", False),
        ("docs/conf.py", "extensions = []\n", "", False),
        ("mkdocs.yml", "markdown_extensions: [handle]\n", "", True),
        ("_quarto.yml", "filters: [pandoc-handle]\n", "", False),
    ],
)
def test_a_file_of_references_that_no_builder_reads(
    project: Path, name: str, text: str, table: str, *, is_said: bool
) -> None:
    """A configuration that names none is told, once there is a file; Sphinx reads the table."""
    docs = project / "docs"
    docs.mkdir()
    (project / name).write_text(text)
    (project / "pyproject.toml").write_text(f"[tool.handle]\n{table}")
    said = "reads no file of references, and hdl docs/references.json\n"
    assert said not in run().stdout

    (docs / "references.json").write_text('[{"id": "doi:10.1000/1", "title": "A"}]')

    assert (said in run().stdout) is is_said


def test_the_program_that_a_style_needs(project: Path) -> None:
    """Its absence is a warning where a style is used, and nothing elsewhere."""
    assert "pandoc" not in run().stdout
    (project / "pyproject.toml").write_text('[tool.handle]\nstyle = "apa.csl"\n')

    assert (
        "warning  --style needs the program pandoc "
        "(https://pandoc.org/installing.html), which is not installed"
    ) in run().stdout


def test_a_setting_that_one_command_refuses(project: Path) -> None:
    """The check obeys proxies of one's own; only what is written needs trust."""
    (project / "pyproject.toml").write_text(
        '[tool.handle]\nproxies = { "20.1000" = "https://example.org/" }\n'
    )
    (project / "a.md").write_text("[x](https://example.org/20.1000/1)\n")
    refusal = 'pyproject.toml: hdl fix refuses "proxies" in [tool.handle]\n'

    assert refusal in run().stdout
    checked = runner().invoke(hdl, ["check", "a.md"])
    assert checked.stderr.endswith("1 reference, 0 errors, 0 warnings, 0 notes\n")
    assert runner().invoke(hdl, ["fix", "a.md"]).exit_code == 2


def test_a_file_of_references_outside_of_the_project_is_not_named(
    project: Path,
) -> None:
    """The output goes into bug reports."""
    outside = project.parent / "jane" / "works.json"
    text = f"{SPHINX}handle_references = {str(outside)!r}\n"
    (project / "conf.py").write_text(text)

    done = run()

    assert (
        "conf.py: Sphinx reads a file outside of the project, and hdl " in done.stdout
    )
    assert "jane" not in done.output


#: The file of each site builder, before the plugin is added and where its lines go.
SITES = {
    "docs/conf.py": "extensions = []\n",
    "conf.py": "import os\nextensions = []\n",
    "_config.yml": "title: A book\n",
    "myst.yml": "version: 1\n",
    "mkdocs.yml": "site_name: A\nx: !!python/name:os.system\n",
    "properdocs.yml": "site_name: A\n",
    "zensical.toml": '[project]\nsite_name = "A"\n',
    "pelicanconf.py": 'MARKDOWN = {"extension_configs": {}}\n',
    "_quarto.yml": "project:\n  type: website\n",
}


@pytest.mark.parametrize("name", SITES)
def test_the_lines_for_a_site_builder_are_enough(project: Path, name: str) -> None:
    """The lines that the help shows load the plugin, where they are added as they are."""
    path = project / name
    path.parent.mkdir(exist_ok=True)
    path.write_text(SITES[name])
    (project / "_toc.yml").touch()
    said = run().stdout
    message, lines = re.findall(
        rf"^note     {name}: (.*)\n         help: add\n((?: {{15}}.*\n)+)",
        said,
        re.MULTILINE,
    )[0]

    with path.open("a") as file:
        file.write(re.sub(r"(?m)^ {15}", "", lines))

    assert message.endswith(" does not load the plugin")
    assert "ok" in re.findall(
        rf"^(\w+) +{name}: .* loads the plugin", run().stdout, re.MULTILINE
    )
    assert not configurations(project)[0].problem


def test_the_plugin_of_mystmd_that_shows_findings(project: Path) -> None:
    """It is known by the name that the manual gives its file, in any folder."""
    (project / "myst.yml").write_text("project:\n  plugins:\n    - js/handles.mjs\n")

    assert "ok       myst.yml: mystmd loads the plugin\n" in run().stdout


def test_many_configurations(project: Path) -> None:
    """Fifty are read: parsing them all could take hours."""
    for number in range(60):
        folder = project / f"docs{number:02}"
        folder.mkdir()
        (folder / "conf.py").write_text("extensions = ['sphinxcontrib_handle']\n")

    assert len(configurations(project)) == 50
    assert run().stdout.count("Sphinx loads the plugin") == 50


def test_a_configuration_is_not_run(project: Path) -> None:
    """A stranger's conf.py is text, whatever it says."""
    (project / "conf.py").write_text(
        "open('run', 'w').close()\nextensions = ['sphinxcontrib_handle']\n"
    )

    assert "ok       conf.py: Sphinx loads the plugin\n" in run().stdout
    assert not (project / "run").exists()


@pytest.mark.parametrize(
    ("name", "content", "problem"),
    [
        ("conf.py", b"x = (\n", "it cannot be read, from line 1 on"),
        ("conf.py", b"x = " + b"-" * 200_000 + b"1", "it cannot be read"),
        ("conf.py", b"\xff", "it cannot be read"),
        ("conf.py", b"a" * 500_001, "it is larger than 500 kB"),
        ("mkdocs.yml", b"a: [b\n", "it cannot be read, from line 2 on"),
        ("zensical.toml", b"[a\n", "it cannot be read"),
    ],
)
def test_a_configuration_that_cannot_be_read(
    project: Path, name: str, content: bytes, problem: str
) -> None:
    """It is named, with the line, and the other lines stay."""
    (project / name).write_bytes(content)

    done = run()

    assert f"warning  {name}: {problem}\n" in done.stdout
    assert done.exit_code == 1


@pytest.mark.parametrize(
    ("name", "content", "set_names"),
    [
        ("conf.py", "handle_x = {[]: 1}\nextensions = [[], {}, 1]\n", "handle_x"),
        ("conf.py", 'handle_references = ["\\ud800", b"x", 1]\n', "handle_references"),
        ("_config.yml", "1: 2\n    handle_x: 2026-02-01\n", "handle_x"),
        ("mkdocs.yml", "[{handle: {1: 2, strict: [{}]}}, {}, 1]\n", "1, strict"),
    ],
)
def test_a_configuration_with_values_of_any_type(
    project: Path, name: str, content: str, set_names: str
) -> None:
    """What is no text has no name, and the rest is read."""
    if name == "_config.yml":
        (project / "_toc.yml").touch()
        extensions = "[sphinxcontrib_handle, [], {a: b}]"
        content = f"sphinx:\n  extra_extensions: {extensions}\n  config:\n    {content}"
    elif name == "mkdocs.yml":
        content = f"markdown_extensions: {content}"
    else:
        content = f"{content}extra = 'sphinxcontrib_handle'\n"
    (project / name).write_text(content)

    line = next(line for line in run().stdout.splitlines() if f" {name}: " in line)
    assert line.endswith(f" loads the plugin; it sets {set_names}")


@pytest.mark.parametrize("day", ["2026-02-31", "9999-99-99", "0000-00-00"])
def test_a_day_that_the_calendar_lacks(project: Path, day: str) -> None:
    """The work was never asked for, as far as the file says."""
    item = {"id": "doi:10.1/a", "title": "x", "custom": {"asked": day}}
    (project / "references.json").write_text(json.dumps([item]))

    assert "references.json: 1 work" in run().stdout


def test_settings_that_cannot_be_used(project: Path) -> None:
    """They are one line, and nothing is read by them."""
    (project / "pyproject.toml").write_text("[tool.handle]\ncashe = 'x'\n")

    done = run()

    assert done.stdout.splitlines()[3:] == [
        "error    pyproject.toml: tool.handle: 'cashe' is unknown; did you mean cache?"
    ]
    assert done.stderr.startswith("\n3 checked: 1 error, 1 note.\n")
    assert done.exit_code == 1


def test_a_version_that_is_too_old(monkeypatch: pytest.MonkeyPatch) -> None:
    """What is installed is compared with what this package requires."""
    monkeypatch.setattr(doctor_module, "version", lambda _name: "1.0")
    monkeypatch.setattr(
        doctor_module,
        "requires",
        lambda _name: ["sphinx>=7.4 ; extra == 'sphinx'", "click>=0.5"],
    )

    done = run()

    assert done.stdout.splitlines()[1:3] == [
        "warning  sphinx 1.0 is installed, and sphinx>=7.4 is needed",
        '         help: pip install "sphinx>=7.4"',
    ]
    assert done.exit_code == 1


def test_servers_are_asked_only_on_request() -> None:
    """An answer is one whatever it says, and a server without one is an error."""
    with running({"10.1000/182": "https://example.org/"}) as server:
        run()
        assert not server.asked
        good = run("--online", "--resolver", server.url)
    bad = run("--online", "--resolver", server.url.replace("://", "://me:secret@"))

    assert re.search(
        rf"^ok +{server.url}: 10.1000/182 in \d\.\d s$", good.stdout, re.MULTILINE
    )
    assert good.exit_code == 0
    assert f"error    {server.url.replace('://', '://…@')}: " in bad.stdout
    assert "secret" not in bad.output
    assert bad.exit_code == 1


def test_a_server_that_knows_no_such_handle() -> None:
    """It answers, and that is what was asked."""
    with running({}) as server:
        done = run("--online", "--resolver", server.url)

    assert (
        f"ok       {server.url}: it answers that 10.1000/182 is not registered\n"
        in (done.stdout)
    )


def test_a_resolver_is_for_servers() -> None:
    """Without the question nobody is named in vain."""
    done = run("--resolver", "records.json")

    assert done.exit_code == 2
    assert "Error: --resolver is for --online\n" in done.stderr


def test_no_file_outside_of_the_project_is_read(project: Path) -> None:
    """Settings that are not trusted have no file read that is somebody else's."""
    (project.parent / "private.json").write_text('[{"id": "doi:10.1000/1"}]')
    (project / "pyproject.toml").write_text(
        '[tool.handle]\nreferences = ["../private.json"]\n'
    )

    done = run()

    refused = 'pyproject.toml: hdl check refuses "references" in [tool.handle]'
    assert refused in done.stdout
    assert "private.json" not in done.stdout


def test_no_link_out_of_the_project_is_followed(project: Path) -> None:
    """A configuration or a file of references elsewhere is not this project's."""
    elsewhere = project.parent / "elsewhere"
    elsewhere.mkdir()
    (elsewhere / "conf.py").write_text("handle_private = 1\n")
    (elsewhere / "references.json").write_text('[{"id": "doi:10.1000/1"}]')
    for name in ("conf.py", "references.json"):
        (project / name).symlink_to(elsewhere / name)

    done = run()

    reason = "a symbolic link leads to it, out of the project"
    assert "conf.py" not in done.stdout
    assert f"error    references.json: {reason}\n" in done.stdout
    assert "1 work" not in done.stdout


def test_a_text_is_a_list_of_one(project: Path) -> None:
    """A resolver in ``conf.py`` and a list of it alone in the table are the same."""
    docs = project / "docs"
    docs.mkdir()
    (docs / "conf.py").write_text(f"{SPHINX}handle_resolver = 'records.json'\n")
    (project / "pyproject.toml").write_text(
        '[tool.handle]\nresolver = ["docs/records.json"]\n'
    )

    done = run()

    assert "docs/conf.py" in done.stdout
    assert "differ in" not in done.stdout


def test_what_conf_py_and_the_table_give_differently(project: Path) -> None:
    """Each such setting is named; one that both give alike, or in another way, is not."""
    docs = project / "docs"
    docs.mkdir()
    (docs / "conf.py").write_text(
        f"{SPHINX}handle_display = 'url'\nhandle_timeout = 10\nhandle_work = '../a.toml'\n"
        "handle_cache = 'a.sqlite'\nhandle_verify = False\nhandle_version = '1'\n"
        "handle_resolver = ['records.json', '\\0']\nbudget = 5\nhandle_budget = -1\n"
    )
    (project / "pyproject.toml").write_text(
        '[tool.handle]\ndisplay = "handle"\ntimeout = 10\nwork = "a.toml"\nbudget = 5\n'
        'cache = "a.sqlite"\nverify = true\nresolver = "docs/records.json"\nlinkset = 1\n'
    )

    done = run()

    assert (
        "note     docs/conf.py and [tool.handle] differ in cache, display, resolver, "
        "verify: Sphinx obeys its own\n"
        "         help: set it in one of them\n"
    ) in done.stdout
    assert (
        "note     pyproject.toml: tool.handle.linkset: must be true or false, not 1\n"
    ) in done.stdout
