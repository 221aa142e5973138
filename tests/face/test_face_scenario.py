"""Scenarios in Python: other values, made without a file, refused with a sentence."""

from __future__ import annotations

from pathlib import Path

import numpy as np
import pytest

import cranebridge as cb
from cranebridge.errors import InputError
from cranebridge.face import SecondOpinion
from cranebridge.job import solve_scenario, summary
from cranebridge.scenario import load_scenario, ready_scenarios

LINE = {
    "kind": "line",
    "start": [0.0, -4.0],
    "goal": [5.0, -1.0],
    "duration": 3.0,
    "profile": "polynomial",
    "smoothness": 4,
}


def test_values_by_key_are_those_of_the_command_line() -> None:
    values = {"path.duration": 15.0, "crane.m": 120, "solve.step": np.float64(0.02)}
    texts = ["path.duration=15.0", "crane.m=120", "solve.step=0.02"]
    expected = load_scenario("rotary", texts).complete()
    assert cb.load("rotary").with_(values).complete() == expected
    assert cb.load("rotary").with_(texts).complete() == expected
    assert cb.load("rotary", values).complete() == expected


@pytest.mark.parametrize("name", ready_scenarios())
def test_nothing_changed_is_the_same_scenario(name: str) -> None:
    scenario = cb.load(name)
    assert scenario.with_({}).tables == scenario.tables


def test_other_values_leave_the_scenario_as_it_is() -> None:
    scenario = cb.load("overhead")
    other = scenario.with_({"path.goal": np.array([4.0, -2.0]), "limits.u": {"F_t": (-9, 9.5)}})
    assert scenario.tables.path["goal"] == [5.0, -1.0]
    assert scenario.tables.limits.u == {}
    assert other.tables.path["goal"] == [4.0, -2.0]
    assert other.tables.limits.u == {"F_t": [-9, 9.5]}
    with pytest.raises(AttributeError):
        scenario.name = "mine"


@pytest.mark.parametrize(
    ("values", "message"),
    [
        ({"path.duraton": 3.0}, "Did you mean 'duration'"),
        ({"pth.duration": 3.0}, "Did you mean 'path'"),
        ({"solve.method": "index2"}, "index"),
        ({"duration": 3.0}, "TABLE.KEY"),
        ({"path.duration": None}, "cannot be None"),
        ("path.duration=3", "a list or a mapping"),
    ],
)
def test_wrong_key_is_a_sentence(values, message: str) -> None:
    with pytest.raises(InputError, match=message):
        cb.load("overhead").with_(values)


def test_jobs_take_what_load_returns() -> None:
    scenario = cb.load("overhead", ["crane.m=120"])
    solved = solve_scenario(scenario)
    assert summary(scenario, solved)["status"] == "solved"
    assert scenario.problem.parameters["m"] == 120.0


def test_scenario_without_a_file_is_that_of_the_file() -> None:
    made = cb.Scenario.of("overhead", LINE, solve={"step": 0.1}).solve()
    read = cb.load("overhead", {"path": LINE, "solve.step": 0.1}).solve()
    np.testing.assert_array_equal(made.feedforward.u, read.feedforward.u)
    assert len(made.time) == 31


def test_unknown_table_has_the_closest_match() -> None:
    with pytest.raises(InputError, match="Did you mean 'limits'"):
        cb.Scenario.of("overhead", LINE, limit={"tracking": 1.0})


def test_relative_files_start_from_the_scenario(tmp_path: Path, monkeypatch) -> None:
    file = tmp_path / "mine.toml"
    cb.load("overhead").save(file)
    text = file.read_text().replace('model = "OverheadCrane"', 'fmu = "mine.fmu"')
    file.write_text(text.replace('fmi = "2.0"\n', ""))
    monkeypatch.chdir("/")
    scenario = cb.load(file)
    assert scenario.with_({"path.duration": 4.0}).tables.plant.fmu == str(tmp_path / "mine.fmu")
    assert scenario.with_({"plant.fmu": "other.fmu"}).tables.plant.fmu == str(
        tmp_path / "other.fmu"
    )


def test_saved_scenario_is_repeated(tmp_path: Path) -> None:
    scenario = cb.load("overhead").with_({"path.duration": 4.0, "crane.m": 120.0})
    again = cb.load(scenario.save(tmp_path / "mine.toml"))
    assert again.complete() == scenario.complete()
    with pytest.raises(InputError, match="exists"):
        scenario.save(tmp_path / "mine.toml")


def test_path_is_found_when_it_is_needed(monkeypatch) -> None:
    # reading it is cheap, also after other values; what is wrong with limits shows at once
    scenario = cb.load("container-hop")
    monkeypatch.setattr(
        "cranebridge.scenario.scenario.find_problem", lambda *_: pytest.fail("planned")
    )
    other = scenario.with_({"crane.m": 9000.0})
    assert repr(other) == "Scenario(container-hop: crane gantry, optimal path, not yet found)"
    assert "not yet found" in other._repr_html_()
    with pytest.raises(InputError, match="Did you mean"):
        scenario.with_({"limits.v": {"thetta": 1.0}})


def test_stopped_motion_goes_on_from_its_state() -> None:
    scenario = cb.load("two-mass")
    time = 0.5 * scenario.problem.path.duration
    stopped = scenario.plan(stop_at=time)
    assert stopped.duration < scenario.problem.path.duration - time + 1e-12
    running = scenario.solve().feedforward
    np.testing.assert_allclose(stopped.feedforward.u[0], running.controls(time), rtol=1e-6)
    # other values keep the path that was found
    finer = stopped.scenario.with_({"solve.step": 0.005}).solve()
    np.testing.assert_allclose(finer.feedforward.u[-1], stopped.feedforward.u[-1], atol=1e-9)
    assert finer.time[-1] == stopped.time[-1]
    assert repr(stopped).startswith("Planned(two-mass: least time, ")


def test_path_of_its_own_is_not_planned() -> None:
    with pytest.raises(InputError, match="has a path of its own"):
        cb.load("overhead").plan()
    with pytest.raises(InputError, match="goal with at"):
        cb.load("overhead").plan(goal=[1.0, -2.0])


def test_plant_is_fmu_or_twin() -> None:
    with pytest.raises(InputError, match="'fmu' or 'twin'"):
        cb.load("overhead").verify(plant="real")


def test_another_method_gives_a_second_opinion() -> None:
    path = {"kind": "optimal", "start": [0.0, 0.0], "goal": [0.002, 0.005], "method": "collocation"}
    limits = {"limits.u": {"u_1": 0.02, "u_2": 0.02}}
    opinion = cb.load("two-mass").with_({"path": path, **limits}).plan()
    assert isinstance(opinion, SecondOpinion)
    flat = opinion.opinions.flat
    assert flat is not None
    # both are near the one optimum: the program's mesh and the flat plan's splines
    assert opinion.duration == pytest.approx(flat.duration, rel=0.05)
    assert opinion.passed
    assert opinion.units["u.u_1"] == "m"
    assert abs(opinion["u.u_1"]).max() <= 0.02 * (1 + 1e-5)
    assert repr(opinion).startswith("SecondOpinion(two-mass: least time by collocation, ")
    assert "collocation" in opinion._repr_html_()
    (axes,) = opinion.plot("u")
    assert axes.get_ylabel() == "position [mm]"
