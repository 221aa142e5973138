"""What the documents show is run."""

from __future__ import annotations

import importlib.util
import re
import shlex
import tomllib
from pathlib import Path

import pytest

from cranebridge.scenario import load_scenario
from cranebridge.twin import CRANES
from test_architecture import BASE, ORDER

ROOT = Path(__file__).parents[1]
CONTRIBUTING = ROOT / "CONTRIBUTING.md"
PAGES = sorted((ROOT / "docs").glob("*.md"))
DOCUMENTS = [ROOT / "README.md", CONTRIBUTING, *(page for page in PAGES if page.stem != "start")]
# The first page and the tutorials are run as a whole, in test_tutorials.py.
LINKED = [*DOCUMENTS, ROOT / "docs" / "start.md", *sorted((ROOT / "docs" / "tutorials").glob("*"))]


def blocks(document: Path, language: str) -> list[str]:
    return re.findall(rf"```{language}\n(.*?)```", document.read_text(), re.DOTALL)


# Each once, with the last document that shows it.
COMMANDS = {
    line.lstrip("$ ").split("#")[0].strip(): document.name
    for document in DOCUMENTS
    for block in blocks(document, "console")
    for line in block.splitlines()
    if line.startswith("$ ")
}


@pytest.mark.parametrize(("command", "document"), COMMANDS.items())
def test_shown_command_runs(command: str, document: str, tmp_path: Path, monkeypatch, run) -> None:
    # in this process, which has imported everything; tutorials start the program as users do
    program, *arguments = shlex.split(command)
    assert program in ("cranebridge", ".venv/bin/cranebridge")
    (tmp_path / "examples").symlink_to(ROOT / "examples")
    monkeypatch.chdir(tmp_path)
    code, _, errors = run(*arguments)
    # A verdict may fail (that is what `check navy2d` shows), a user's mistake may not be shown.
    assert code in (0, 1), errors
    assert "Traceback" not in errors


@pytest.mark.parametrize("document", DOCUMENTS, ids=lambda document: document.name)
def test_shown_python_runs(document: Path, tmp_path: Path, monkeypatch) -> None:
    monkeypatch.chdir(tmp_path)  # some write files
    for block in blocks(document, "python"):
        exec(compile(block, str(document), "exec"), {})


@pytest.mark.skipif(importlib.util.find_spec("pyfmi") is None, reason="PyFMI is not installed")
@pytest.mark.parametrize("document", DOCUMENTS, ids=lambda document: document.name)
def test_shown_python_for_pyfmi_runs(document: Path, tmp_path: Path, monkeypatch) -> None:
    monkeypatch.chdir(tmp_path)
    for block in blocks(document, "python pyfmi"):
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


@pytest.mark.parametrize("document", LINKED, ids=lambda document: document.name)
def test_links_lead_somewhere(document: Path) -> None:
    for target in re.findall(r"\]\(([^)#\s]+)(?:#[^)]*)?\)", document.read_text()):
        assert (document.parent / target).exists(), target


def test_contributing_names_files_that_exist() -> None:
    text = CONTRIBUTING.read_text(encoding="utf-8")
    named = {
        name
        for name in re.findall(r"`([\w./-]+\.(?:py|c|h|md|order|toml)|\w+/)`", text)
        if not re.search(r"NAME|Name", name)  # a file that is to be written
    }
    assert len(named) > 40
    places = (ROOT, ROOT / "python" / "cranebridge")
    missing = [name for name in named if not any((place / name).exists() for place in places)]
    assert missing == []


def test_contributing_tells_the_order_that_is_tested() -> None:
    rows = re.findall(
        r"^\| (`\w+`(?:, `\w+`)*) \| .* \| .*\|$", CONTRIBUTING.read_text(), re.MULTILINE
    )
    floors = [name for row in rows for name in re.findall(r"\w+", row)]
    assert (*floors, "__main__") == ORDER
    base = re.search(r"modules (`errors`.*?), which", CONTRIBUTING.read_text(), re.DOTALL)
    assert base is not None
    assert tuple(re.findall(r"`(\w+)`", base.group(1))) == BASE


def test_names_in_contributing_are_in_their_files() -> None:
    # each name that something must be registered in, and the module that holds it
    text = CONTRIBUTING.read_text(encoding="utf-8")
    for name, file in {
        "CRANES": "twin/catalogue.py",
        "MINIMAL": "twin/minimal.py",
        "KINDS": "path/kinds.py",
        "KEYS": "path/kinds.py",
        "PROFILES": "path/kinds.py",
        "_BUILD": "path/reading/table.py",
        "timed_profile": "path/reading/timed_profiles.py",
        "FORMATS": "deliver/formats.py",
        "SIGNAL_GROUPS": "inverse/signal_groups.py",
        "METHODS": "forward/schemes/scheme_choices.py",
        "OBSTACLES": "plan/task/obstacles.py",
        "LAW_KINDS": "learn/learn_choices.py",
        "DESIGNS": "campaign/campaign_choices.py",
        "_UNIT": "campaign/design/designs.py",
    }.items():
        assert f"`{name}`" in text
        source = (ROOT / "python" / "cranebridge" / file).read_text(encoding="utf-8")
        assert re.search(rf"^(def )?{name}\b", source, re.MULTILINE), (name, file)
