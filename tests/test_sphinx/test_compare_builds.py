"""The tool that compares two builds."""

from pathlib import Path

import pytest

from tests.tools.compare_builds import main


def test_every_difference_is_listed(
    tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    """Links of identifiers come first; any other difference makes the status 1."""
    before, after = tmp_path / "before", tmp_path / "after"
    for folder, link, text in (
        (before, "hdl:20.1000/1", "old"),
        (after, "https://hdl.handle.net/20.1000/1", "new"),
    ):
        folder.mkdir()
        (folder / "a.html").write_text(f'<p><a href="{link}">x</a></p>')
        (folder / "b.html").write_text(f"<p>{text}</p>")
        (folder / "search.js").write_text(text)
    (after / "c.html").touch()

    assert main([str(before), str(after), "--except", "*.js"]) == 1
    assert capsys.readouterr().out == (
        'a.html:\n- <a href="hdl:20.1000/1">\n'
        '+ <a href="https://hdl.handle.net/20.1000/1">\n'
        "b.html:\n- old\n+ new\n"
        "c.html: in one build only\n"
        "of identifiers: 1, others: 2\n"
    )
