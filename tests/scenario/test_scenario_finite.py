"""Numbers that are none are refused where they are read, with file, row and column."""

from __future__ import annotations

import math
import re
from pathlib import Path

import numpy as np
import pytest

from cranebridge.campaign.design.designs import read_design
from cranebridge.errors import InputError
from cranebridge.inverse.problem import ServoProblem
from cranebridge.job.campaign.campaigning import campaign_design
from cranebridge.job.learning.saved_trials import _NotFiniteError, _restored
from cranebridge.plan.task.consistent_states import given_state
from cranebridge.scenario import load_scenario
from cranebridge.scenario.black_box_scenario import read_columns
from cranebridge.verify.other_start import start_elsewhere


@pytest.mark.parametrize("bad", ["nan", "inf", "-inf", "", "two"])
def test_tables_name_row_and_column(tmp_path: Path, bad: str) -> None:
    # a blank line counts: rows are those that an editor shows
    file = tmp_path / "table.csv"
    file.write_text(f"time,x,F\n0,1,2\n\n1,2,{bad}\n2,3,4\n")
    named = re.escape(f"row 4, column F: '{bad}' is no finite number")
    with pytest.raises(InputError, match=named) as told:
        read_columns("learn.target", str(file), ["x"])
    assert str(file) in str(told.value)
    with pytest.raises(InputError, match=re.escape(f"column F: '{bad}' is no finite")) as told:
        read_design(file)
    assert "line 4" in str(told.value)
    assert str(file) in str(told.value)


def test_good_tables_are_read(tmp_path: Path) -> None:
    file = tmp_path / "table.csv"
    file.write_text("time, F, x\n0,1,2\n\n1,2,1e-3\n")
    time, values = read_columns("learn.target", str(file), ["x"])
    assert (time.tolist(), values[:, 0].tolist()) == ([0.0, 1.0], [2.0, 1e-3])


@pytest.mark.parametrize("column", range(4))
@pytest.mark.parametrize("bad", ["nan", "inf"])
def test_saved_trial_with_such_numbers_is_refused(column: int, bad: str) -> None:
    content = {"broken": [], "failed": "", "outputs": ["x"], "verdicts": []}
    inputs = np.array([[1.0], [2.0], [3.0], [4.0]])
    rows = [[str(i), str(i + 1), "5", "6"] for i in range(4)]

    def text() -> str:
        return "\n".join(map(",".join, [["time", "u.F", "gamma.x", "y.x"], *rows])) + "\n"

    assert _restored(content, text(), inputs) is not None
    rows[1][column] = bad
    title = ["time", "u.F", "gamma.x", "y.x"][column]
    with pytest.raises(_NotFiniteError, match=f"row 3, column {re.escape(title)}: '{bad}'"):
        _restored(content, text(), inputs)


@pytest.mark.parametrize("bad", [math.nan, math.inf, -math.inf])
def test_start_values_must_be_finite(bad: float) -> None:
    problem = load_scenario("overhead").problem
    crane, p = problem.crane, problem.parameter_vector
    with pytest.raises(InputError, match=r"crane\.initial\.s must be a finite number"):
        ServoProblem(crane, problem.path, problem.parameters, {"s": bad})
    q = np.array([0.0, 4.0, 0.0, -4.0])
    with pytest.raises(InputError, match=r"plant\.start\.v\.x must be finite"):
        start_elsewhere(crane, p, q, 0.0 * q, {"v": {"x": bad}})
    with pytest.raises(InputError, match=r"path\.state\.q\.x must be a finite number"):
        given_state(crane, problem.parameters, {"x": bad}, {}, "path.state")


PLACES = (
    "plant.start.q.x={}",
    "plant.start.v.x={}",
    "crane.initial.s={}",
    "crane.parameters.m={}",
    "plant.parameters.m={}",
    "plant.variants.a.m={}",
    "path.start=[{},-4.0]",
    "path.goal=[5.0,{}]",
    "path.duration={}",
    "limits.tracking={}",
    "limits.u={{F_t=[{},1.0]}}",
    "control.weights={{'q.x'={}}}",
    "campaign.vary={{'plant.parameters.m'={{uniform=[1.0,{}]}}}}",
    "campaign.vary={{'plant.parameters.m'={{normal=[{},1.0]}}}}",
    "campaign.vary={{'plant.parameters.m'={{values=[{},1.0]}}}}",
    "obstacles=[{{kind='box',low=[{},0.0],high=[1.0,1.0]}}]",
    "disturbance=[{{on='F_t',kind='table',times=[0.0,1.0],values=[1.0,{}]}}]",
)


@pytest.mark.parametrize("place", PLACES)
def test_every_place_of_a_scenario_refuses_them(place: str) -> None:
    for bad in ("nan", "inf"):
        with pytest.raises(InputError, match=bad):
            campaign_design(load_scenario("overhead", [place.format(bad)]))
