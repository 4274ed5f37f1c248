"""`handle_system.citing.cff_writing`: a `CITATION.cff`."""

import datetime as dt

import pytest
import yaml
from hypothesis import given
from hypothesis import strategies as st

from handle_system.citing.cff_writing import cff
from handle_system.citing.cited import Cited
from handle_system.citing.work import Creator, Version, Work, WorkKind
from handle_system.handle import Handle

PEOPLE = (
    Creator.person("Carberry", "Josiah", orcid="0000-0002-1825-0097"),
    Creator(name="PILIN Project"),
)
FIRST = Version(
    label="1.0", date=dt.date(2007, 6, 26), handle=Handle.parse("102.100.272/0N8J991QH")
)
HEAD = (
    'cff-version: "1.2.0"\n'
    'message: "If you cite this work, please cite the version that you have read."\n'
)


def test_software_is_described_at_the_root() -> None:
    """Work and version are told apart, and neither handle is called a DOI."""
    work = Work(
        title="Handles",
        creators=PEOPLE,
        handle=Handle.parse("102.100.272/Y35XYS0QH"),
        kind=WorkKind.SOFTWARE,
        license="MIT",
    )

    assert cff(Cited(work=work, version=FIRST)) == (
        f"{HEAD}"
        'type: "software"\n'
        'title: "Handles"\n'
        "authors:\n"
        '  - family-names: "Carberry"\n'
        '    given-names: "Josiah"\n'
        '    orcid: "https://orcid.org/0000-0002-1825-0097"\n'
        '  - name: "PILIN Project"\n'
        'version: "1.0"\n'
        'date-released: "2007-06-26"\n'
        "identifiers:\n"
        '  - type: "other"\n'
        '    value: "hdl:102.100.272/0N8J991QH"\n'
        '    description: "Version 1.0 of the work."\n'
        '  - type: "other"\n'
        '    value: "hdl:102.100.272/Y35XYS0QH"\n'
        '    description: "The work: '
        'this identifier always leads to its latest version."\n'
        'license: "MIT"\n'
        'url: "https://hdl.handle.net/102.100.272/0N8J991QH"\n'
    )


def test_document_is_described_as_preferred_citation() -> None:
    """What is no software says what it is, with its publisher."""
    work = Work(
        title="Policy",
        publisher="Monash University",
        kind=WorkKind.REPORT,
        license="https://creativecommons.org/licenses/by-sa/2.5/au/",
    )
    body = (
        'title: "Policy"\n'
        "authors:\n"
        '  - name: "Monash University"\n'
        'version: "2"\n'
        'doi: "10.1000/182"\n'
        "identifiers:\n"
        '  - type: "doi"\n'
        '    value: "10.1000/182"\n'
        '    description: "Version 2 of the work."\n'
        'license-url: "https://creativecommons.org/licenses/by-sa/2.5/au/"\n'
        'url: "https://doi.org/10.1000/182"\n'
    )
    inner = "".join(f"  {line}\n" for line in body.splitlines())

    version = Version(label="2", handle=Handle("10.1000", "182"))

    assert cff(Cited(work=work, version=version)) == (
        f"{HEAD}{body}"
        "preferred-citation:\n"
        '  type: "report"\n'
        f"{inner}"
        "  publisher:\n"
        '    name: "Monash University"\n'
    )


def test_doi_that_the_schema_does_not_know_is_an_other_identifier() -> None:
    """The schema's pattern is narrower than the DOI; the file stays valid."""
    version = Version(label="1", handle=Handle.parse("10.1002/55:2<241::A>3.0"))
    work = Work(title="x", kind=WorkKind.DATASET)

    text = cff(Cited(work=work, version=version))

    assert "\ndoi:" not in text
    assert '  - type: "other"\n    value: "doi:10.1002/55:2%3C241::A%3E3.0"\n' in text


@given(st.text(min_size=1))
def test_every_text_is_read_back(text: str) -> None:
    """No text can leave its value, whatever YAML makes of its characters."""
    try:
        work = Work(title=text, creators=(Creator(name=text),))
        version = Version(label=text)
    except ValueError:
        return

    file = cff(Cited(work=work, version=version))
    # This loader makes nothing but strings.
    read = yaml.load(file, Loader=yaml.BaseLoader)  # noqa: S506

    assert read["title"] == text
    assert read["authors"] == [{"name": text}]
    assert read["version"] == text
    assert read["preferred-citation"]["title"] == text


@pytest.mark.parametrize("text", ["a\ufeffb", "a\ufffeb", "\U0001f600", "yes", "1.10"])
def test_odd_text_is_read_back(text: str) -> None:
    """Marks of byte order, non-characters, and words that YAML takes for values."""
    read = yaml.safe_load(
        cff(Cited(work=Work(title=text), version=Version(label="1.10")))
    )

    assert (read["title"], read["version"]) == (text, "1.10")
