"""Reports for machines, held to the schemas that others have published for them."""

from handle_system.verifying.report_junit import junit_report
from handle_system.verifying.report_sarif import sarif_report
from tests.report_schemas import needs_xml_schemas, wrong_junit, wrong_sarif
from tests.test_core.test_reports import ALL, IGNORED, MALFORMED, SEVERE


def test_sarif_is_valid() -> None:
    """With every kind of finding, and with none."""
    report = sarif_report([*ALL, *SEVERE], malformed=MALFORMED, version="1.0")

    assert wrong_sarif(report) == []
    assert wrong_sarif(sarif_report([], version="1.0")) == []


def test_the_schema_of_sarif_finds_what_is_wrong() -> None:
    """A check that finds nothing in anything would prove nothing."""
    assert wrong_sarif('{"version": "2.1.0", "runs": [{}]}') == [
        "['runs', 0]: 'tool' is a required property"
    ]


@needs_xml_schemas
def test_junit_is_valid() -> None:
    """With every kind of finding, and with none."""
    report = junit_report([*ALL, *SEVERE], malformed=MALFORMED, ignored=IGNORED)

    assert wrong_junit("<testsuites lost='1'/>") != []
    assert wrong_junit(report) == []
    assert wrong_junit(junit_report([])) == []
