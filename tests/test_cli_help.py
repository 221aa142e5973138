"""The command line's help: every verb in a group, one line each."""

from __future__ import annotations

import pytest
from typer.testing import CliRunner

from cranebridge.cli import app
from cranebridge.cli.groups import VERBS
from cranebridge.scenarios import ready_scenarios

READY = ready_scenarios()


def test_help_shows_every_verb_once_in_its_group_and_in_full() -> None:
    text = CliRunner().invoke(app, ["--help"], env={"COLUMNS": "80"}).output
    assert "..." not in text.replace("[ARGS]...", "")
    sections = dict(part.split(":\n", 1) for part in text.split("\n\n") if ":\n" in part)
    shown = {
        title: [line.split()[0] for line in sections[title].splitlines() if line.strip()]
        for title in VERBS
    }
    assert shown == {title: list(verbs) for title, verbs in VERBS.items()}


@pytest.mark.parametrize("verb", [verb for verbs in VERBS.values() for verb in verbs])
def test_every_verb_has_a_help_that_fits_the_terminal(verb: str) -> None:
    result = CliRunner().invoke(app, [verb, "--help"], env={"COLUMNS": "80"})
    assert result.exit_code == 0
    assert max(map(len, result.output.splitlines())) <= 80


def offered(words: str, shell: str = "bash") -> list[str]:
    """Return what the installed completion of a shell would offer after these words."""
    env = {
        "_CRANEBRIDGE_COMPLETE": f"complete_{shell}",
        "COMP_WORDS": words,
        "COMP_CWORD": str(len(words.split(" ")) - 1),
        "_TYPER_COMPLETE_ARGS": words,
    }
    result = CliRunner().invoke(app, [], env=env, prog_name="cranebridge")
    return result.output.splitlines()


@pytest.mark.parametrize(
    ("words", "names"),
    [
        ("cranebridge ver", ["verify"]),
        ("cranebridge run rotary-s", [name for name in READY if name.startswith("rotary-s")]),
        ("cranebridge init over", ["overhead"]),
        ("cranebridge export NavyCrane3DP", ["NavyCrane3DPulley"]),
        ("cranebridge deliver rotary --to mode", ["modelica"]),
        ("cranebridge solve rotary --method i", ["index1", "index3", "inversion"]),
        ("cranebridge study conv", ["convergence"]),
    ],
)
def test_shell_completes_verbs_scenarios_cranes_formats_and_methods(
    words: str, names: list[str]
) -> None:
    assert names
    assert offered(words) == names


def test_shell_completes_scenario_files_and_folders(tmp_path, monkeypatch) -> None:
    (tmp_path / "rot").mkdir()
    (tmp_path / "rot" / "mine.toml").touch()
    (tmp_path / "rot" / "mine.txt").touch()
    monkeypatch.chdir(tmp_path)
    assert "rot/" in offered("cranebridge check rot")
    assert offered("cranebridge check rot/m") == ["rot/mine.toml"]
