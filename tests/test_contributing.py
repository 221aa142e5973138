"""CONTRIBUTING is proved: something new of each kind is added in a temporary copy of the package.

The files that are edited are those of CONTRIBUTING's table, no more and no fewer, and what was
added is used. All of it goes into one copy: what is new must not get into each other's way, either.
"""

from __future__ import annotations

import os
import re
import shutil
import subprocess
import sys
from pathlib import Path

import pytest

from additions import ADDITIONS, Addition

ROOT = Path(__file__).parents[1]
PACKAGE = ROOT / "python" / "cranebridge"
OUTSIDE = ("docs/", "modelica/", "pyproject.toml")

each_addition = pytest.mark.parametrize("addition", ADDITIONS, ids=lambda one: one.name)


def listed_files(addition: Addition) -> set[str]:
    """Return the files of the package in a section's table, without those that are optional."""
    text = (ROOT / "CONTRIBUTING.md").read_text(encoding="utf-8")
    section = text.split(f"## {addition.section}\n")[1].split("\n## ")[0]
    rows = re.findall(r"^\| (`.*`) \| (.*) \|$", section, re.MULTILINE)
    files = [
        name
        for cell, what in rows
        if "optional" not in what
        for name in cell.strip("`").split("`, `")
    ]
    return {name.replace("NAME", addition.name) for name in files if not name.startswith(OUTSIDE)}


@pytest.fixture(scope="module")
def changed(tmp_path_factory: pytest.TempPathFactory) -> tuple[Path, dict[str, str]]:
    """A folder with a copy of the package with all additions, and which edits had no place."""
    root, unplaced = tmp_path_factory.mktemp("copy"), dict[str, str]()
    (root / "modelica").symlink_to(ROOT / "modelica")  # where the package looks for it
    copy = root / "python" / "cranebridge"
    shutil.copytree(PACKAGE, copy, ignore=shutil.ignore_patterns("__pycache__"))
    for addition in ADDITIONS:
        for name, edits in addition.edits.items():
            file = copy / name
            text = file.read_text(encoding="utf-8") if file.exists() else ""
            if isinstance(edits, str) == bool(text):
                unplaced[addition.name] = f"{name} {'exists' if text else 'does not exist'}"
            for before, new in () if isinstance(edits, str) else edits:
                if text.count(before) != 1:
                    unplaced[addition.name] = f"{name} has {before!r} {text.count(before)} times"
                text = text.replace(before, new + before, 1)
            file.write_text(edits if isinstance(edits, str) else text, encoding="utf-8")
    return copy.parent, unplaced


@each_addition
def test_the_table_names_the_files_that_are_edited(addition: Addition) -> None:
    assert set(addition.edits) == listed_files(addition)


@each_addition
def test_what_is_added_works(
    addition: Addition, changed: tuple[Path, dict[str, str]], tmp_path: Path
) -> None:
    package, unplaced = changed
    assert addition.name not in unplaced, unplaced[addition.name]
    script = tmp_path / "use.py"
    script.write_text(addition.use, encoding="utf-8")
    ran = subprocess.run(
        [sys.executable, script],
        cwd=tmp_path,
        env={**os.environ, "PYTHONPATH": str(package)},
        capture_output=True,
        text=True,
        check=False,
    )
    assert ran.returncode == 0, ran.stderr


def test_every_table_of_files_is_carried_out() -> None:
    text = (ROOT / "CONTRIBUTING.md").read_text(encoding="utf-8")
    sections = re.findall(r"^## (Adding .*)$", text, re.MULTILINE)
    with_table = {
        name
        for name in sections
        if "| file | what |" in text.split(f"## {name}\n")[1].split("\n## ")[0]
    }
    assert with_table == {addition.section for addition in ADDITIONS}
