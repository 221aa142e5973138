"""The programs that run the documentation's pages notice what is wrong on a page."""

from __future__ import annotations

from pathlib import Path

import pytest

from pages import commands, compare, run_page, same


@pytest.mark.parametrize(
    ("shown", "printed"),
    [
        ("largest error 1.23 mm", "  largest error  1.2312 mm"),
        ("load x 4.0e-10 m", "load x 4.1e-10 m"),
        ("duration ... s, 3 ways", "duration 4.183 s, 3 ways"),
        ("at -0.5 s", "at -0.5000 s"),
        ("rope T_cable: 981.0 N (1)", "rope T_cable: 981.0 N (1)"),
    ],
)
def test_same_lines_are_the_same(shown: str, printed: str) -> None:
    assert same(shown, printed)


@pytest.mark.parametrize(
    ("shown", "printed"),
    [
        ("largest error 1.23 mm", "largest error 1.25 mm"),
        ("largest error 1.23 mm", "largest error 1.23 m"),
        ("3 ways", "4 ways"),
        ("at 0.5 s", "at -0.5 s"),
        ("1.0e-10 m", "1.0e-9 m"),
        ("passed", "failed"),
        ("rope pulls", "rope pulls not"),
    ],
)
def test_other_lines_are_not(shown: str, printed: str) -> None:
    assert not same(shown, printed)


def test_what_is_shown_must_stand_in_order() -> None:
    compare("a\n...\nc 1.0\n", "a\nb\nc 1.0\n", "here")
    with pytest.raises(AssertionError, match="here does not print\na"):
        compare("c 1.0\na\n", "a\nb\nc 1.0\n", "here")


def test_commands_and_their_output_are_told_apart() -> None:
    assert list(commands("$ a b\nout\n$ c\n")) == [("a b", "out\n"), ("c", "")]


def test_page_with_a_wrong_number_is_refused(tmp_path: Path) -> None:
    page = tmp_path / "page.md"
    cells = "```python\nx = 2 * 21\n```\n\n```python\nprint(f'{x:.1f}')\n```\n"
    text = f"{cells}\n```text output\n%s\n```\n"
    page.write_text(text % "42.0")
    assert run_page(page, tmp_path)["x"] == 42
    page.write_text(text % "43.2")
    with pytest.raises(AssertionError, match=r"does not print\n43\.2"):
        run_page(page, tmp_path)


def test_command_that_ends_otherwise_is_refused(tmp_path: Path) -> None:
    page = tmp_path / "page.md"
    page.write_text("```console\n$ cranebridge check nothing\n```\n")
    with pytest.raises(AssertionError, match="nothing"):
        run_page(page, tmp_path)
    page.write_text("```console exit=2\n$ cranebridge check nothing\nerror: ...\n```\n")
    run_page(page, tmp_path)
