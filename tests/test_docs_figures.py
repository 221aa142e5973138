"""Tables of the documentation: one command makes them, those from the code are as it says."""

from __future__ import annotations

import importlib
import re
import subprocess
import sys
from pathlib import Path
from types import ModuleType

import pytest

ROOT = Path(__file__).parents[1]
FOLDER = ROOT / "scripts" / "figures"
PAGES = [ROOT / "README.md", ROOT / "CONTRIBUTING.md", *sorted((ROOT / "docs").rglob("*.md"))]


@pytest.fixture
def marks(monkeypatch: pytest.MonkeyPatch) -> ModuleType:
    monkeypatch.syspath_prepend(FOLDER)
    return importlib.import_module("marks")


def figures(*arguments: str) -> subprocess.CompletedProcess[str]:
    return subprocess.run([sys.executable, FOLDER, *arguments], capture_output=True, text=True)


def named() -> dict[str, str]:
    """Return the script of every name in the command's table."""
    table = (FOLDER / "__main__.py").read_text(encoding="utf-8")
    return dict(re.findall(r'^    "([\w-]+)": Figure\("(\w+)"', table, re.MULTILINE))


def test_tables_from_the_code_are_what_it_says() -> None:
    done = figures("--check")
    assert (done.returncode, done.stdout) == (0, ""), done.stdout + done.stderr


def test_every_script_is_behind_the_command() -> None:
    scripts = {file.stem for file in FOLDER.glob("*.py")} - {"__main__", "marks"}
    assert scripts == {*named().values(), "docs_pictures"}


def test_names_in_the_documents_are_known() -> None:
    shown = {
        name
        for page in PAGES
        for name in re.findall(r"scripts/docs --figures ([\w-]+)", page.read_text(encoding="utf-8"))
    }
    assert len(shown) > 5
    assert shown <= set(named())
    assert figures("--check", "no-such").returncode == 2


def test_parts_between_marks_have_their_scripts() -> None:
    for page in PAGES:
        for name in re.findall(r"<!-- made by (\S+) -->", page.read_text(encoding="utf-8")):
            assert (ROOT / name).is_file(), f"{page.name}: {name}"


def test_part_between_marks_is_replaced_and_nothing_else(marks, monkeypatch, tmp_path) -> None:
    monkeypatch.setattr(marks, "DOCS", tmp_path)
    begin, end = marks.BEGIN.format("rows"), marks.END
    other = "{}old\n{}".format(marks.BEGIN.format("other"), end)
    file = tmp_path / "page.md"
    file.write_text(f"# Page\n\n{other}\n{begin}old\n{end}\nafter\n", encoding="utf-8")
    (made,) = marks.page_with("| new |\n", "page.md", "rows").values()
    assert made.decode() == f"# Page\n\n{other}\n{begin}| new |\n{end}\nafter\n"
    with pytest.raises(SystemExit, match=r"docs/page.md has no marks of rowse"):
        marks.page_with("", "page.md", "rowse")
