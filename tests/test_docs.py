"""What the documents show is run."""

from __future__ import annotations

import re
import shlex
import subprocess
import sys
import tomllib
from pathlib import Path

import pytest

from cranebridge.scenario import load_scenario
from cranebridge.twin import CRANES

ROOT = Path(__file__).parents[1]
DOCUMENTS = [ROOT / "README.md", *sorted((ROOT / "docs").glob("*.md"))]


def blocks(document: Path, language: str) -> list[str]:
    return re.findall(rf"```{language}\n(.*?)```", document.read_text(), re.DOTALL)


COMMANDS = [
    (document.name, line.lstrip("$ ").split("#")[0].strip())
    for document in DOCUMENTS
    for block in blocks(document, "console")
    for line in block.splitlines()
    if line.startswith("$ ")
]


@pytest.mark.parametrize(("document", "command"), COMMANDS)
def test_shown_command_runs(document: str, command: str, tmp_path: Path) -> None:
    program, *arguments = shlex.split(command)
    assert program in ("cranebridge", ".venv/bin/cranebridge")
    (tmp_path / "examples").symlink_to(ROOT / "examples")
    executable = Path(sys.executable).with_name("cranebridge")
    done = subprocess.run(
        [executable, *arguments], cwd=tmp_path, capture_output=True, text=True, timeout=120
    )
    # A verdict may fail (that is what `check navy2d` shows), a user's mistake may not be shown.
    assert done.returncode in (0, 1), done.stderr
    assert "Traceback" not in done.stderr


@pytest.mark.parametrize("document", DOCUMENTS, ids=lambda document: document.name)
def test_shown_python_runs(document: Path) -> None:
    for block in blocks(document, "python"):
        exec(compile(block, str(document), "exec"), {})


def test_shown_scenario_is_valid(tmp_path: Path) -> None:
    (text,) = blocks(ROOT / "docs" / "scenarios.md", "toml")
    file = tmp_path / "shown.toml"
    file.write_text(text)
    tomllib.loads(text)
    assert load_scenario(str(file)).problem.path.duration == 20.0


def test_every_crane_has_its_section() -> None:
    text = (ROOT / "docs" / "cranes.md").read_text()
    for name in CRANES:
        assert f"## {name}\n" in text


@pytest.mark.parametrize("document", DOCUMENTS, ids=lambda document: document.name)
def test_links_lead_somewhere(document: Path) -> None:
    for target in re.findall(r"\]\(([^)#]+)\)", document.read_text()):
        assert (document.parent / target).exists(), target
