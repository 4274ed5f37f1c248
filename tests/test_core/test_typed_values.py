"""`handle_system.typed_values`: typed values from conf.py, TOML and JSON."""

import json
import subprocess
import sys
from dataclasses import dataclass, field
from typing import Annotated, Any, Literal

import pytest
from hypothesis import given
from hypothesis import strategies as st

from handle_system.typed_values import (
    PYTHON,
    TOML,
    Notation,
    SettingError,
    one_of,
    structure,
    structure_entries,
)
from handle_system.verifying.verification_settings import VerificationSettings

Level = Annotated[str, one_of(["error", "warning", "off"])]


@dataclass(frozen=True, kw_only=True)
class Table:
    """Settings of every type."""

    verify: bool = False
    number: int | None = None
    seconds: float = 10.0
    names: tuple[str, ...] = ()
    levels: dict[str, Level] = field(default_factory=dict)
    style: Literal["uri", "url", False] = "uri"


@pytest.mark.parametrize(
    ("notation", "members", "message"),
    [
        (PYTHON, {"verfy": True}, "'verfy' is unknown; did you mean verify?"),
        (
            PYTHON,
            {"x": 1},
            "'x' is none of verify, number, seconds, names, levels, style",
        ),
        (PYTHON, {"verify": 1}, "verify: must be True or False, not 1"),
        (TOML, {"verify": 1}, "verify: must be true or false, not 1"),
        (PYTHON, {"number": True}, "number: must be a whole number or None, not True"),
        (TOML, {"number": True}, "number: must be a whole number, not true"),
        (PYTHON, {"seconds": "1"}, "seconds: must be a number, not '1'"),
        (PYTHON, {"names": "a"}, "names: must be a list, not 'a'"),
        (TOML, {"names": ["a", 1]}, "names[1]: must be text, not 1"),
        (PYTHON, {"levels": []}, "levels: must be a dictionary, not []"),
        (TOML, {"levels": []}, "levels: must be a table, not []"),
        (
            PYTHON,
            {"levels": {"a": "eror"}},
            "levels['a']: 'eror' is unknown; did you mean error?",
        ),
        (
            PYTHON,
            {"style": "urll"},
            "style: must be 'uri' or 'url' or False, not 'urll'; did you mean 'url'?",
        ),
        (PYTHON, {"style": 0}, "style: must be 'uri' or 'url' or False, not 0"),
    ],
)
def test_a_wrong_value_is_named_with_its_place(
    notation: Notation, members: dict[str, object], message: str
) -> None:
    """The message has the setting, the entry, the type that is expected, and the value."""
    with pytest.raises(SettingError) as caught:
        structure(members, Table, notation)

    assert str(caught.value) == message


def test_values_of_the_right_type_are_taken() -> None:
    """A whole number is a good number, and in TOML one text is a list of one."""
    members = {"number": 3, "seconds": 3, "names": "a", "levels": {"a": "off"}}

    assert structure(members, Table, TOML) == Table(
        number=3, seconds=3.0, names=("a",), levels={"a": "off"}
    )
    assert structure({"style": False}, Table) == Table(style=False)


def test_only_wrong_entries_are_left_out() -> None:
    """Each wrong entry of a list or dictionary is a complaint, and the rest is usable."""
    complaints: list[str] = []
    hint: Any = str | list[Level]

    assert structure_entries(["off", 1, "of", "error"], hint, complaints) == [
        *("off", "error")
    ]
    assert structure_entries({"a": "off", 1: "off"}, dict[str, Level], complaints) == {
        "a": "off"
    }
    assert complaints == [
        "1 is not text",
        "'of' is unknown; did you mean off?",
        "1 is not text",
    ]
    with pytest.raises(SettingError, match=r"^must be text or a list, not 3$"):
        structure_entries(3, hint, complaints)


def test_no_message_shows_a_password() -> None:
    """Values in messages have no user info, also where an address is malformed."""
    with pytest.raises(SettingError) as caught:
        structure({"number": "redis://me:se/cr@et@host/0"}, Table)

    assert str(caught.value) == (
        "number: must be a whole number or None, not 'redis://…@host/0'"
    )


@given(
    st.builds(
        VerificationSettings,
        resolvers=st.lists(st.sampled_from(["https://doi.org/", "r.json", "hdl:"])).map(
            tuple
        ),
        connections=st.integers(1, 256),
        timeout=st.floats(0.001, 600),
        cache=st.none() | st.text(),
        budget=st.none() | st.integers(0, 10**12),
        rate=st.none() | st.floats(0.001, 1000),
        user_agent=st.text(),
        tls_cacerts=st.none() | st.text() | st.dictionaries(st.text(), st.text()),
    )
)
def test_the_line_for_the_child_loses_nothing(settings: VerificationSettings) -> None:
    """Settings come back from one line of JSON as they were."""
    line = settings.to_line()

    assert "\n" not in line
    assert VerificationSettings.from_line(line) == settings


@pytest.mark.parametrize(
    "line", ["", "[]", "no JSON", '{"connections": 0}', '{"timeout": "1"}', '{"x": 1}']
)
def test_error_on_a_line_that_is_none(line: str) -> None:
    """A line of another shape raises a `ValueError`."""
    with pytest.raises(ValueError):
        VerificationSettings.from_line(line)


def test_a_project_without_settings_loads_no_cattrs() -> None:
    """Hooks run the command for every commit, so it loads what it needs."""
    code = (
        "import sys, json, handle_cli.checking; "
        "from handle_cli.project_settings import project_settings; project_settings(); print(json.dumps('cattrs' in sys.modules))"
    )
    done = subprocess.run(
        [sys.executable, "-c", code], capture_output=True, check=True, cwd="/"
    )

    assert json.loads(done.stdout) is False
