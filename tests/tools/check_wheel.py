"""Build the wheel, inspect it, and test it in clean environments.

An editable install hides a file that the wheel lacks, a framework from another
group, and the checkout on the path.  So the wheel is installed in clean environments
outside the checkout, as its users do:

- alone, where the core works;
- with `[markdown]`, where a page renders and the tests of the core and of the
  plugin pass, without Sphinx;
- with `[python-markdown]`, where a page is made without Sphinx;
- with `[sphinx]`, where a project of three lines builds;
- with `[cli]`, where the command `hdl` parses, checks, fixes and verifies;
- with `[editor]`, where the language server answers without Sphinx;
- with the oldest allowed versions of both frameworks;
- with Jupyter Book 1 and the versions that it pins, where a book with a notebook builds.

Run it with ``make wheel``.  It needs the network only to reach a package index.
Every step has a time limit.
"""

import argparse
import os
import shutil
import subprocess
import sys
import tomllib
import zipfile
from pathlib import Path
from tempfile import TemporaryDirectory

ROOT = Path(__file__).resolve().parent.parent.parent
TRIALS = Path(__file__).parent / "wheel"

# In seconds; many times the duration of a step on a slow machine with two processors.
_LONGEST_STEP = 300
_LONGEST_TESTS = 1200


def main() -> None:
    """Build, inspect and test the wheel; stop at the first error."""
    arguments = argparse.ArgumentParser(description=__doc__)
    arguments.add_argument("--keep", type=Path, help="copy the wheel into this folder")
    keep: Path | None = arguments.parse_args().keep
    with TemporaryDirectory(prefix="wheel-") as name:
        folder = Path(name)
        wheel = build(folder)
        inspect(wheel)
        try_bare(wheel, folder)
        try_markdown(wheel, folder)
        try_python_markdown(wheel, folder)
        try_sphinx(wheel, folder)
        try_cli(wheel, folder)
        try_editor(wheel, folder)
        try_oldest(wheel, folder)
        try_jupyter_book(wheel, folder)
        if keep:
            keep.mkdir(parents=True, exist_ok=True)
            shutil.copy(wheel, keep)
            print(f"The wheel: {keep / wheel.name}")


def build(folder: Path) -> Path:
    """Build the one wheel of this checkout."""
    _run(
        *(sys.executable, "-m", "pip", "wheel", "--quiet", "--no-deps"),
        *("--wheel-dir", str(folder), str(ROOT)),
        cwd=folder,
    )
    (wheel,) = folder.glob("*.whl")
    return wheel


def inspect(wheel: Path) -> None:
    """Check that the wheel holds exactly the packages of this checkout.

    The files on disk count, not those in git: the build also leaves out a compiled
    translation that git ignores.
    """
    with zipfile.ZipFile(wheel) as archive:
        held = {name for name in archive.namelist() if not name.endswith("/")}
    with (ROOT / "pyproject.toml").open("rb") as file:
        project = tomllib.load(file)
    packages = project["tool"]["hatch"]["build"]["targets"]["wheel"]["packages"]
    expected = {
        path.relative_to(ROOT).as_posix()
        for package in packages
        for path in (ROOT / package).rglob("*")
        if path.is_file() and path.parent.name != "__pycache__"
    }
    metadata = {name for name in held if name.partition("/")[0].endswith(".dist-info")}
    _same("in the tree, not in the wheel", expected - held)
    _same("in the wheel, not in the tree", held - metadata - expected)
    typed = {f"{each}/py.typed" for each in packages if each != "sphinxcontrib"}
    _same("packages without types", typed - held)
    catalogues = {name for name in held if name.endswith(".po")}
    compiled = {name.removesuffix("po") + "mo" for name in catalogues}
    _same("translations that are not compiled", compiled - held)
    if not any(name.endswith("/licenses/LICENSE") for name in metadata):
        raise AssertionError(f"no LICENSE among {sorted(metadata)}")
    print(f"{wheel.name}: {len(held)} files, {len(packages)} packages")


def try_bare(wheel: Path, folder: Path) -> None:
    """Test the core with only the wheel and its requirements."""
    _try("try_bare.py", environment(folder / "bare", str(wheel)))


def try_python_markdown(wheel: Path, folder: Path) -> None:
    """Test the extension of Python-Markdown, without Sphinx."""
    python = environment(folder / "python-markdown", f"{wheel}[python-markdown]")
    _try("try_python_markdown.py", python)


def try_markdown(wheel: Path, folder: Path) -> None:
    """Test the Markdown plugin and the core, without Sphinx."""
    python = environment(folder / "markdown", f"{wheel}[markdown]")
    _try("try_markdown.py", python)
    group = f"{ROOT / 'pyproject.toml'}:test-plain"
    # `--group` needs pip 25.1; the pip that venv brings is older.
    _run(python, "-m", "pip", "install", "--quiet", "--upgrade", "pip>=25.1")
    _run(python, "-m", "pip", "install", "--quiet", "--group", group)
    tests = folder / "tested"
    tests.mkdir()
    shutil.copy(ROOT / "pyproject.toml", tests)
    ignored = shutil.ignore_patterns("__pycache__", "test_sphinx", "test_parity")
    shutil.copytree(ROOT / "tests", tests / "tests", ignore=ignored)
    # A test compares a page of the manual with the core.
    shutil.copytree(ROOT / "example_docs", tests / "example_docs")
    _run(
        *(python, "-m", "pytest", "-q", "-p", "no:cacheprovider"),
        *("-n", "auto", "--dist", "loadfile"),
        *("tests/test_core", "tests/test_mdit"),
        cwd=tests,
        longest=_LONGEST_TESTS,
    )


def try_sphinx(wheel: Path, folder: Path) -> None:
    """Test the extension with the newest Sphinx for this Python."""
    _try("try_sphinx.py", environment(folder / "sphinx", f"{wheel}[sphinx]"))


def try_cli(wheel: Path, folder: Path) -> None:
    """Test the command by its installed name."""
    _try("try_cli.py", environment(folder / "cli", f"{wheel}[cli]"))


def try_editor(wheel: Path, folder: Path) -> None:
    """Test the language server."""
    _try("try_editor.py", environment(folder / "editor", f"{wheel}[editor]"))


def try_oldest(wheel: Path, folder: Path) -> None:
    """Test both frameworks in the oldest versions that their extras allow."""
    old = environment(folder / "old-sphinx", f"{wheel}[sphinx]", "sphinx==7.4.*")
    _try("try_sphinx.py", old)
    old = environment(
        folder / "old-markdown", f"{wheel}[markdown]", "markdown-it-py==3.0.*"
    )
    _try("try_markdown.py", old)


def try_jupyter_book(wheel: Path, folder: Path) -> None:
    """Test the extension in a book, whose builder pins old versions."""
    book = environment(
        folder / "jupyter-book", f"{wheel}[sphinx]", "jupyter-book==1.0.*"
    )
    _try("try_jupyter_book.py", book)


def environment(folder: Path, *requirements: str) -> str:
    """A new environment with `requirements`; return the path of its Python."""
    _run(sys.executable, "-m", "venv", str(folder))
    python = folder / ("Scripts/python.exe" if os.name == "nt" else "bin/python")
    _run(str(python), "-m", "pip", "install", "--quiet", *requirements)
    _run(str(python), "-m", "pip", "--quiet", "check")
    return str(python)


def _try(script: str, python: str) -> None:
    """Run a trial isolated from the shell's paths and from its own folder."""
    with TemporaryDirectory(prefix="trial-") as folder:
        _run(python, "-I", str(TRIALS / script), cwd=Path(folder))


def _same(what: str, names: set[str]) -> None:
    if names:
        raise AssertionError(f"{what}: {', '.join(sorted(names))}")


def _run(
    *command: str, cwd: Path | None = None, longest: float = _LONGEST_STEP
) -> None:
    sys.stdout.flush()
    # No user is there to answer a question.
    subprocess.run(
        command, cwd=cwd, check=True, timeout=longest, stdin=subprocess.DEVNULL
    )


if __name__ == "__main__":
    try:
        main()
    except (AssertionError, subprocess.SubprocessError) as error:
        sys.exit(f"The wheel is not as it should be: {error}")
