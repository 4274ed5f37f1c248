"""`handle_system.citing.label`: which version a page is."""

import pytest

from handle_system.citing.label import SaidLabels, choose_label
from handle_system.citing.work import Version, Work

WORK = Work(
    title="Policy",
    versions=tuple(Version(label=label) for label in ("1", "V1.1", "1.2", "2.0")),
)


NOTHING = Work(title="x")


def test_nearest_place_wins() -> None:
    """The page goes before the configuration, that before the others."""
    said = {
        "page": "1",
        "configured": "v1.1",
        "read_the_docs": "v1.2",
        "release": "2.0.1",
    }

    chosen = []
    while said:
        chosen.append(choose_label(WORK, SaidLabels(**said)))
        said.pop(next(iter(said)))

    assert chosen == ["1", "V1.1", "1.2", "2.0"]
    assert choose_label(WORK, SaidLabels()) is None
    assert choose_label(WORK, SaidLabels(page=" ", configured="", release=" ")) is None


@pytest.mark.parametrize("name", ["latest", "stable", "main", "v3"])
def test_name_of_a_build_that_is_no_version_is_passed_over(name: str) -> None:
    """Read the Docs builds branches too; those are no versions of the history."""
    said = SaidLabels(read_the_docs=name, release="2.0")

    assert choose_label(WORK, said) == "2.0"
    assert choose_label(NOTHING, said) == "2.0"


def test_what_is_said_outright_stays() -> None:
    """A label that the history lacks is kept, for the checks to find."""
    assert choose_label(WORK, SaidLabels(page="7")) == "7"
    assert choose_label(NOTHING, SaidLabels(page=" 7 ")) == "7"


@pytest.mark.parametrize(
    ("release", "label"),
    [("1.2.7", "1.2"), ("1.1.3", "V1.1"), ("1.9", "1"), ("v2", "2.0"), ("3.1", "3.1")],
)
def test_release_means_the_nearest_version(release: str, label: str) -> None:
    """A release within a version is that version; another is itself."""
    assert choose_label(WORK, SaidLabels(release=release)) == label
    assert choose_label(NOTHING, SaidLabels(release=f" {release} ")) == release
