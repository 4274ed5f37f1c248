"""`handle_system.citing.documents`: TOML and YAML as text, within bounds."""

from collections.abc import Callable
from contextlib import suppress

import pytest
from hypothesis import given
from hypothesis import strategies as st

from handle_system.citing.documents import Plain, read_toml, read_yaml
from handle_system.citing.fields import CitationError

Read = Callable[[str], Plain]


def test_values_are_text_as_it_is_written() -> None:
    """1.10 is not 1.1, in TOML and in YAML; dates and flags are text too."""
    assert read_toml(
        "\ufeffa = 1.10\nb = 2007-06-26\nc = true\nd = [2, {e = 'x'}]"
    ) == {"a": "1.10", "b": "2007-06-26", "c": "yes", "d": ["2", {"e": "x"}]}
    assert read_yaml("a: 1.10\nb: 2007-06-26\nc: true\nd: [2, {e: x}]\nf:") == {
        "a": "1.10",
        "b": "2007-06-26",
        "c": "true",
        "d": ["2", {"e": "x"}],
        "f": "",
    }


def test_tags_make_no_objects() -> None:
    """A tag of YAML is ignored; a merge key is a key."""
    assert read_yaml("a: !!python/object/apply:os.system [x]\n<<: {b: c}") == {
        "a": ["x"],
        "<<": {"b": "c"},
    }


BOMB = "a0: &a0 [x, x, x, x, x, x, x, x, x, x]\n" + "".join(
    f"a{n}: &a{n} [{', '.join([f'*a{n - 1}'] * 8)}]\n" for n in range(1, 18)
)
MERGES = "a0: &a0 {x: 1}\n" + "".join(
    f"a{n}: &a{n} {{<<: [*a{n - 1}, *a{n - 1}]}}\n" for n in range(1, 40)
)


@pytest.mark.parametrize(
    ("read", "text", "line", "reason"),
    [
        (
            read_toml,
            "a = \n",
            None,
            "this is not TOML: Invalid value (at line 1, column 5)",
        ),
        (
            read_yaml,
            "a: x\nb: [\n",
            3,
            "this is not YAML: expected the node content, but found '<stream end>'",
        ),
        (
            read_yaml,
            "a: \x00",
            None,
            (
                "this is not YAML: unacceptable character #x0000: "
                "special characters are not allowed"
            ),
        ),
        (read_yaml, "? [a]\n: b", 1, "this is not YAML: found unhashable key"),
        (
            read_yaml,
            "x:\n a: &a [*a]",
            2,
            "this is not YAML: found unconstructable recursive node",
        ),
        (
            read_toml,
            f"a = 1\nb = {'1' * 5_000}",
            2,
            "it has a number of 1,000 digits or more",
        ),
        (
            read_toml,
            f"b = 0x{'f' * 5_000}",
            1,
            "it has a number of 1,000 digits or more",
        ),
        (read_toml, f"\n[{'a.' * 100_000}b]", 2, "it is nested too deep"),
        (read_toml, f"{'a.' * 19}b = [1]", None, "it is nested too deep"),
        (read_toml, f"a = {'[' * 5_000}", None, "it is nested too deep"),
        (read_yaml, "[" * 2_000, 1, "it is nested too deep"),
        (read_yaml, "[[]," * 600, None, "it is nested too deep"),
        (read_yaml, "- " * 2_000, None, "it is nested too deep"),
        (read_yaml, BOMB, None, "it has more than 20000 values"),
        (read_yaml, MERGES, None, "it is nested too deep"),
        (read_toml, f"a = [{'1,' * 20_001}]", None, "it has more than 20000 values"),
        (
            read_toml,
            f"a = '{'x ' * 5_001}'",
            None,
            "a value has 10002 characters, and at most 10000 are read",
        ),
        (
            read_toml,
            "#" * 500_001,
            None,
            "it has 500001 characters, and at most 500000 are read",
        ),
        (
            read_yaml,
            "#" * 100_001,
            None,
            "it has 100001 characters, and at most 100000 are read",
        ),
    ],
    ids=lambda value: str(value)[:20] if isinstance(value, str) else "",
)
def test_document_out_of_bounds(
    read: Read, text: str, line: int | None, reason: str
) -> None:
    """A stranger's file costs a bounded time and space, and the error has the line
    where it is known."""
    with pytest.raises(CitationError) as caught:
        read(text)
    assert str(caught.value) == f"the file: {reason}"
    assert caught.value.line == line


@pytest.mark.parametrize("read", [read_toml, read_yaml])
@given(text=st.text(st.sampled_from("a1.=[]{}:-,&*!'\"\\\n# \t\ufeff\x00é")))
def test_reading_fails_in_one_way(read: Read, text: str) -> None:
    """Any text is plain data, or an error."""
    with suppress(CitationError):
        assert isinstance(read(text), str | list | dict)
