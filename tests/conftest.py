"""Rules for every test: no network, and no settings of the shell.

The guard against the network is in `loopback_guard/sitecustomize.py`; this
module installs it.  A test that tries an outside address fails, even if the code under
test handles the refusal as an unreachable server.

Hypothesis profiles (choose with `HYPOTHESIS_PROFILE` or `--hypothesis-profile`):

`local`
    The default: other examples at every run, so that many runs find more.
`ci`
    The same examples at every run, so that a red run means a change.
`quick`
    A tenth as many, for `make quick`.
`thorough`
    Twenty times as many, for a long look at one property.
"""

import importlib.metadata
import importlib.util
import os
import random
from collections.abc import Iterator
from pathlib import Path

import pytest
from hypothesis import HealthCheck, settings

from tests.loopback_guard import sitecustomize as guard

# Sphinx's fixtures, if Sphinx is installed: the tests of the core and of plain Markdown
# run without it.
if importlib.util.find_spec("sphinx") is not None:
    pytest_plugins = ["sphinx.testing.fixtures"]

# Durations depend on the machine: no deadline, and no health check that measures one.
settings.register_profile(
    "local",
    deadline=None,
    print_blob=True,
    suppress_health_check=[HealthCheck.too_slow],
)
settings.register_profile("ci", settings.get_profile("local"), derandomize=True)
settings.register_profile("quick", settings.get_profile("local"), max_examples=10)
settings.register_profile("thorough", settings.get_profile("local"), max_examples=2000)
settings.load_profile(os.environ.get("HYPOTHESIS_PROFILE", "local"))

# Variables of a shell or a build service that change an HTTP client; a build's dates,
# colours, language or version; the width of a terminal; or the warnings and pipes of a
# child process.  Every `…_proxy` and `LC_…` is removed, too, in either case.
_HERITAGE = {
    # Sphinx treats a build service as a terminal with colours.
    "CI",
    "COLUMNS",
    "CURL_CA_BUNDLE",
    "FORCE_COLOR",
    # Set by the git hook that runs the tests; valid for its repository only.
    "GIT_DIR",
    "GIT_INDEX_FILE",
    "GIT_PREFIX",
    "GIT_WORK_TREE",
    "LANG",
    "LANGUAGE",
    "LINES",
    "NO_COLOR",
    "PYTHONIOENCODING",
    "PYTHONOPTIMIZE",
    "PYTHONUTF8",
    "PYTHONWARNINGS",
    "READTHEDOCS",
    "READTHEDOCS_VERSION",
    "REQUESTS_CA_BUNDLE",
    "SOURCE_DATE_EPOCH",
    "SSL_CERT_DIR",
    "SSL_CERT_FILE",
    # A dumb terminal gets no progress bar.
    "TERM",
    "TTY_COMPATIBLE",
    "TTY_INTERACTIVE",
}

_REPORTED = ("sphinx", "docutils", "markdown-it-py", "myst-parser", "urllib3")


def pytest_addoption(parser: pytest.Parser) -> None:
    """An order other than that of the files: a test must not need the one before it."""
    parser.addoption(
        "--order",
        type=int,
        metavar="SEED",
        help="run files, and the tests of each, in the random order of this number",
    )


# Before pytest itself brings together the tests that share a fixture.
@pytest.hookimpl(tryfirst=True)
def pytest_collection_modifyitems(
    config: pytest.Config, items: list[pytest.Item]
) -> None:
    """Shuffle the tests; those of a file stay together, because many share a build."""
    seed: int | None = config.getoption("--order")
    if seed is None:
        return
    shuffled = random.Random(seed)  # noqa: S311 — an order, not a secret
    paths = list(dict.fromkeys(item.path for item in items))
    shuffled.shuffle(paths)
    shuffled.shuffle(items)
    places = {path: place for place, path in enumerate(paths)}
    items.sort(key=lambda item: places[item.path])


def pytest_configure() -> None:
    """Clean the environment, and guard child processes, too."""
    for name in list(os.environ):
        ends = name.lower().endswith("_proxy")
        if ends or name.upper().startswith("LC_") or name in _HERITAGE:
            del os.environ[name]
    guard_folder = str(Path(guard.__file__).parent)
    inherited = os.environ.get("PYTHONPATH", "").split(os.pathsep)
    os.environ["PYTHONPATH"] = os.pathsep.join(
        [guard_folder, *(path for path in inherited if path not in {"", guard_folder})]
    )


@pytest.hookimpl(optionalhook=True)
def pytest_xdist_auto_num_workers() -> int:
    """One process more than cores, because some tests wait for a server."""
    return (os.cpu_count() or 1) + 1


def pytest_report_header(config: pytest.Config) -> list[str]:
    """Name the tested versions and the order, so that a log of a failure is complete."""
    installed = []
    for name in _REPORTED:
        try:
            installed.append(f"{name} {importlib.metadata.version(name)}")
        except importlib.metadata.PackageNotFoundError:
            installed.append(f"no {name}")
    header = ["with: " + ", ".join(installed)]
    seed: int | None = config.getoption("--order")
    if seed is not None:
        header.append(f"order: {seed}")
    return header


@pytest.fixture(scope="session", autouse=True)
def _notes_of_attempts(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """The file in which this process and its children record attempts."""
    notes = tmp_path_factory.mktemp("loopback_guard") / "attempts.txt"
    os.environ[guard.NOTES] = str(notes)
    return notes


@pytest.fixture(autouse=True)
def _stays_on_loopback(_notes_of_attempts: Path) -> Iterator[None]:
    """Fail a test that tries an address outside loopback."""
    yield
    if _notes_of_attempts.exists():
        attempts = _notes_of_attempts.read_text(encoding="utf-8").splitlines()
        _notes_of_attempts.unlink()
        pytest.fail(f"outside loopback: {'; '.join(attempts)}", pytrace=False)
