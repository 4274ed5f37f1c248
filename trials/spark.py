"""Run the manual's recipe for Spark, with a real Spark and a real Redis.

    pip install pyspark
    python -m trials.spark --handles 20000

The recipe is the one that `example_docs/scale.rst` prints; only its two addresses change.
The first run asks a local server for each handle once, the second takes all of them from
Redis. No handle is lost, and none is there twice. A mistyped option fails the job.
Java 17 and `redis-server` or `valkey-server` are needed.
"""

import argparse
import json
import shutil
import socket
import subprocess
import tempfile
import textwrap
import time
from collections import Counter
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import Any

from pyspark import SparkConf, SparkContext

from tests.proxy_server import running

MANUAL = Path(__file__).parent.parent / "example_docs" / "scale.rst"
CAPTION = "   :caption: Spark: one filter a partition\n"


def printed_recipe() -> str:
    """The Python code that the manual prints."""
    block = MANUAL.read_text("utf-8").partition(CAPTION)[2]
    lines = []
    for line in block.splitlines():
        if line.strip() and not line.startswith("   "):
            break
        lines.append(line)
    return textwrap.dedent("\n".join(lines))


@contextmanager
def redis_server(folder: str) -> Iterator[str]:
    """A server on a free port; its address."""
    program = shutil.which("redis-server") or shutil.which("valkey-server")
    if program is None:
        raise SystemExit("there is neither redis-server nor valkey-server")
    with socket.socket() as held:
        held.bind(("127.0.0.1", 0))
        port = held.getsockname()[1]
    options = [
        "--port",
        str(port),
        "--bind",
        "127.0.0.1",
        "--save",
        "",
        "--dir",
        folder,
    ]
    with subprocess.Popen(
        [program, *options], stdout=subprocess.PIPE, text=True
    ) as server:
        assert server.stdout is not None
        for line in server.stdout:
            if "Ready to accept connections" in line:
                break
        yield f"redis://127.0.0.1:{port}/0"
        server.kill()


def run_recipe(context: SparkContext, lines: list[str], recipe: str) -> list[Any]:
    """The outcomes that the recipe makes of the lines."""
    names: dict[str, Any] = {"handles": context.parallelize(lines)}
    exec(recipe, names)  # noqa: S102 (the manual's own code)
    return [json.loads(line) for line in names["outcomes"].collect()]


def check(rows: list[Any], lines: list[str]) -> None:
    """Stop if a line is lost or there twice, or if a handle is not resolved."""
    counts = Counter(row["written"] for row in rows)
    lost = set(lines) - set(counts)
    doubled = [written for written, count in counts.items() if count > 1]
    outcomes = Counter(row["outcome"] for row in rows)
    if lost or doubled or len(rows) != len(lines) or set(outcomes) != {"resolved"}:
        raise SystemExit(f"{len(lost)} lost, {len(doubled)} twice, {dict(outcomes)}")


def main() -> None:
    """Run the recipe twice, and once with a mistyped option."""
    parser = argparse.ArgumentParser(description=__doc__.partition("\n")[0])
    parser.add_argument("--handles", type=int, default=20_000)
    count = parser.parse_args().handles
    lines = [f"20.1000/{number}" for number in range(count)]
    settings = SparkConf().setMaster("local[2]").set("spark.ui.enabled", "false")
    context = SparkContext(conf=settings.setAppName("handles"))
    context.setLogLevel("OFF")
    with (
        tempfile.TemporaryDirectory() as folder,
        redis_server(folder) as redis_url,
        running(dict.fromkeys(lines, "https://example.org/")) as server,
    ):
        recipe = printed_recipe()
        for printed, actual in (
            ("https://hdl.example.org/", server.url),
            ("redis://cache.example.org/0", redis_url),
        ):
            if printed not in recipe:
                raise SystemExit(f"the recipe does not name {printed}")
            recipe = recipe.replace(printed, actual)
        for name in ("first", "second"):
            begin = time.monotonic()
            check(run_recipe(context, lines, recipe), lines)
            seconds = time.monotonic() - begin
            asked = server.asked.total()
            print(
                f"{name} run: {count} handles, none lost, none twice, {seconds:.0f} s; "
                f"{asked} requests so far",
                flush=True,
            )
        if asked != count or max(server.asked.values()) > 1:
            raise SystemExit("a handle was asked for twice")
        try:
            run_recipe(context, lines, recipe.replace("--resolver", "--resolvr"))
        except Exception as error:
            if "error code 2" not in str(error) and "exited with 2" not in str(error):
                raise
            print("a mistyped option: the job fails with the exit code 2")
        else:
            raise SystemExit("a mistyped option is a silent loss of every line")
    context.stop()


if __name__ == "__main__":
    main()
