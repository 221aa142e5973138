"""The pictures of the documentation: made by a script that runs, used, and small."""

from __future__ import annotations

import importlib.util
from pathlib import Path

import numpy as np
import pytest

from browsers import CHROMEDRIVER, CHROMIUM
from cranebridge.job import solve_scenario
from cranebridge.report import write_report
from cranebridge.scenario import load_scenario

ROOT = Path(__file__).parents[1]
FOLDER = ROOT / "docs" / "pictures"


@pytest.fixture(scope="module")
def script():
    file = ROOT / "scripts" / "figures" / "docs_pictures.py"
    spec = importlib.util.spec_from_file_location("docs_pictures", file)
    module = importlib.util.module_from_spec(spec)
    spec.loader.exec_module(module)
    return module


def test_every_picture_has_its_maker_and_its_page(script) -> None:
    made = {file.name for file in FOLDER.iterdir()}
    drawn_from_code = {"architecture.svg"}  # compared in test_docs_figures.py
    assert made == {*script.PICTURES, *drawn_from_code}
    pages = [ROOT / "README.md", *(ROOT / "docs").rglob("*.md")]
    text = "".join(page.read_text(encoding="utf-8") for page in pages)
    assert [name for name in made if f"pictures/{name})" not in text] == []


def test_readme_opens_with_pictures_of_less_than_a_megabyte() -> None:
    opening = (ROOT / "README.md").read_text(encoding="utf-8").partition("\n## ")[0]
    assert "pictures/rotary.gif" in opening
    assert "pictures/report.png" in opening
    size = sum((FOLDER / name).stat().st_size for name in ("rotary.gif", "report.png"))
    assert size < 1_000_000


@pytest.mark.skipif(not (CHROMIUM and CHROMEDRIVER), reason="no Chromium")
def test_scene_is_drawn_from_a_report(script, tmp_path: Path) -> None:
    from PIL import Image

    scenario = load_scenario("overhead", [])
    report = write_report(tmp_path / "report.html", scenario, solve_scenario(scenario))
    pictures = []
    for part in (0.0, 1.0):
        script.scene_picture(report, tmp_path / "scene.png", part)
        pictures.append(np.asarray(Image.open(tmp_path / "scene.png").convert("RGB"), dtype=int))
    assert len(np.unique(pictures[0].reshape(-1, 3), axis=0)) > 20  # not blank
    moved = np.abs(pictures[1] - pictures[0]).max(axis=2) > 30
    assert 0.001 < moved.mean() < 0.5  # the crane moved, the rest did not
