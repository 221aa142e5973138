"""Cranes of a notebook's cell: a class without a file does what the same class of a file does."""

from __future__ import annotations

import re
import shutil
from pathlib import Path

import numpy as np
import pytest

import cranebridge as cb
from cranebridge.errors import InputError
from cranebridge.job import plant_file
from cranebridge.twin import find_crane

SOURCE = (Path(__file__).parents[2] / "docs" / "tutorials" / "own-gantry.md").read_text(
    encoding="utf-8"
)
GANTRY = re.search(r"```python file=my_gantry.py\n(.*?)```", SOURCE, re.DOTALL)[1]
SCENARIO = re.search(r"```toml file=my_gantry.toml\n(.*?)```", SOURCE, re.DOTALL)[1]
PATH = {
    "kind": "line",
    "start": [0.0, -8.0],
    "goal": [6.0, -7.0],
    "duration": 20.0,
    "profile": "polynomial",
    "smoothness": 4,
}


def cell(text: str = GANTRY) -> type:
    """Execute text as a notebook does: in a namespace that has no file."""
    namespace: dict[str, object] = {"__name__": "a_notebook"}
    exec(compile(text, "<cell 1>", "exec"), namespace)
    return namespace["MyGantry"]


@pytest.fixture(scope="module")
def of_file(tmp_path_factory: pytest.TempPathFactory) -> cb.Scenario:
    folder = tmp_path_factory.mktemp("crane")
    (folder / "my_gantry.py").write_text(GANTRY, encoding="utf-8")
    (folder / "my_gantry.toml").write_text(SCENARIO, encoding="utf-8")
    return cb.load(folder / "my_gantry.toml", {"solve.step": 0.1})


@pytest.fixture(scope="module")
def of_cell(of_file: cb.Scenario) -> cb.Scenario:
    plant = of_file.tables.plant.model_dump(exclude_unset=True)
    return cb.Scenario.of(
        cell(),
        PATH,
        solve={"step": 0.1},
        limits={"v": {"s": 0.8, "l": 0.15}, "tracking": 1e-3},
        plant=plant,
    )


def test_class_of_a_cell_is_solved_as_that_of_a_file(of_cell, of_file) -> None:
    assert repr(of_cell.check()) == repr(of_file.check()).replace("my_gantry", "my-gantry")
    here, there = of_cell.solve(), of_file.solve()
    for name in there.names:
        np.testing.assert_array_equal(here[name], there[name])
    assert here.verdicts == there.verdicts


def test_class_of_a_cell_is_verified_on_a_given_fmu(of_cell, of_file, tmp_path) -> None:
    shutil.copy(plant_file(of_file), tmp_path / "given.fmu")
    table = {"fmu": str(tmp_path / "given.fmu"), "map": of_cell.tables.plant.map.model_dump()}
    verification = of_cell.with_({"plant": table}).verify()
    assert verification.passed
    assert verification.certificate.same
    assert max(verification.max_error.values()) < 1e-6  # step 0.1 s: interpolation of order 4
    assert verification.scenario.crane is of_cell.crane


def test_crane_is_known_by_its_mechanics() -> None:
    model = cb.Scenario.of(cell(), PATH).tables.crane.model
    assert re.fullmatch(r"memory:MyGantry:[0-9a-f]{16}", model)
    assert cb.Scenario.of(cell(), PATH).tables.crane.model == model  # the cell executed again
    for old, new in (
        ("-p.m * p.g * q.l", "-p.m * p.g * 2.0 * q.l"),
        ('"drum radius", 0.2', '"drum radius", 0.3'),
        ('"s": y["x"]', '"s": y["x"] + 0.1'),
    ):
        assert old in GANTRY
        changed = cell(GANTRY.replace(old, new))
        assert cb.Scenario.of(changed, PATH).tables.crane.model != model


def test_plan_of_a_class_that_was_changed_is_made_anew() -> None:
    # kept plans are looked up by all that they depend on; this is where they would be
    from cranebridge.scenario.problem import plan_source

    def source(text: str) -> dict:
        scenario = cb.Scenario.of(cell(text), PATH)
        return plan_source(scenario.tables, scenario.problem.parameters)

    lighter = GANTRY.replace("0.5 * (p.m_t", "0.4 * (p.m_t")
    assert source(GANTRY) == source(GANTRY)
    assert source(GANTRY) != source(lighter)


def test_wrong_class_of_a_cell_is_a_sentence() -> None:
    with pytest.raises(InputError, match=r"crane class MyGantry: .*output_map.*unknown coordinate"):
        cb.Scenario.of(cell(GANTRY.replace("q.s + q.l", "q.x + q.l")), PATH)
    with pytest.raises(InputError, match="derived from Crane"):
        cb.Scenario.of(int, PATH)


def test_built_in_class_keeps_its_name() -> None:
    kind = type(find_crane("gantry"))
    assert cb.Scenario.of(kind, PATH).tables.crane.model == "gantry"


def test_what_needs_a_file_says_so(of_cell, tmp_path) -> None:
    with pytest.raises(InputError, match=r"FILE\.py:MyGantry"):
        of_cell.with_({"campaign.vary": {"crane.m": {"uniform": [1.0, 2.0]}}}).campaign()
    with pytest.raises(InputError, match="is in no file"):
        of_cell.save(tmp_path / "mine.toml")
    of_cell.solve(tmp_path / "here")
    with pytest.raises(InputError, match="made in memory"):
        cb.load(tmp_path / "here" / "scenario.toml")
