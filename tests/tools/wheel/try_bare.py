"""Test the wheel alone: the core works without any framework.

Run by `check_wheel.py`, isolated, in an environment with only the wheel and its
requirements.
"""

import json
import subprocess
import sys
from importlib.metadata import version
from importlib.util import find_spec
from pathlib import Path

import handle_system
from handle_pipelines.mystmd import javascript
from handle_system import (
    DEFAULT_PROXIES,
    Handle,
    HandleReference,
    RecordsResolver,
)
from handle_system.resolving.outcomes import NotRegistered, Resolved

for framework in ("sphinx", "docutils", "markdown_it"):
    assert find_spec(framework) is None, framework
assert "site-packages" in Path(handle_system.__file__).parts, handle_system.__file__
assert version("sphinxcontrib-handle") == handle_system.__version__

without_extra = subprocess.run(
    [sys.executable, "-I", "-c", "import mdit_handle"],
    capture_output=True,
    text=True,
    check=False,
)
assert without_extra.returncode == 1, without_extra
assert without_extra.stderr.endswith(
    'install it with: pip install "sphinxcontrib-handle[markdown]"\n'
), without_extra.stderr

reference = HandleReference.parse("hdl:10.1045/april2006-paskin")
assert DEFAULT_PROXIES.link(reference) == "https://doi.org/10.1045/april2006-paskin"

resolver = RecordsResolver({"20.1000/100": "https://example.org/one"})
match resolver.resolve(Handle.parse("20.1000/100")):
    case Resolved(record):
        assert record.target == "https://example.org/one"
    case other:
        raise AssertionError(other)
assert resolver.resolve(Handle.parse("20.1000/101")) == NotRegistered()

done = subprocess.run(
    [sys.executable, "-I", "-c", "from handle_pipelines.mystmd import main; main()"],
    check=True,
    capture_output=True,
)
assert [role["name"] for role in json.loads(done.stdout)["roles"]] == ["hdl", "doi"]
assert "spawnSync" in javascript()

done = subprocess.run(
    [sys.executable, "-I", "-c", "from handle_pipelines.pandoc import main; main()"],
    input=b'{"meta": {}, "blocks": [{"t": "Para", "c": [{"t": "Str", "c": "doi:10.1000/182"}]}]}',
    check=True,
    capture_output=True,
)
assert json.loads(done.stdout)["blocks"][0]["c"][0]["t"] == "Link"

print(f"bare: sphinxcontrib-handle {handle_system.__version__} parses and resolves")
