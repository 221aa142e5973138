"""A plant that starts elsewhere: the rest of its state follows, and it must take it."""

from __future__ import annotations

import math

import numpy as np
import pytest
from overhead_plants import overhead_fmu

from cranebridge.errors import InputError
from cranebridge.job import verify_scenario
from cranebridge.scenario import load_scenario
from cranebridge.twin.language.crane import names
from cranebridge.verify.other_start import start_elsewhere


def started(name: str, **given: dict[str, float]) -> tuple[dict[str, float], dict[str, float]]:
    """Start a ready scenario's crane elsewhere than at rest; q and v by coordinate."""
    problem = load_scenario(name).problem
    coordinates = names(problem.crane.coordinates)
    rest = {"overhead": [0.0, 4.0, 0.0, -4.0], "rotary": [0.0, 5.0, 5.0, 5.0, 0.0, -5.0]}[name]
    order = {"overhead": ("s", "l", "x", "z"), "rotary": ("phi", "s", "l", "x", "y", "z")}[name]
    q = np.array([rest[order.index(coordinate)] for coordinate in coordinates])
    p = problem.parameter_vector
    found = start_elsewhere(problem.crane, p, q, np.zeros(len(q)), given)
    return tuple(dict(zip(coordinates, part.tolist(), strict=True)) for part in found)


def test_displaced_load_rises_on_its_rope_and_the_drives_stay() -> None:
    q, v = started("rotary", q={"y": 0.3})
    assert q["y"] == 0.3
    assert (q["phi"], q["s"], q["l"]) == (0.0, 5.0, 5.0)
    assert q["x"] == pytest.approx(5.0, abs=1e-15)
    assert q["z"] == pytest.approx(-math.sqrt(25.0 - 0.09), rel=1e-14)
    assert set(v.values()) == {0.0}


def test_swinging_load_moves_along_its_circle() -> None:
    q, v = started("overhead", q={"x": 0.4}, v={"x": 0.1})
    assert v["x"] == 0.1
    assert (v["s"], v["l"]) == (0.0, 0.0)
    # across the rope: x' (x - s) + z' z = 0
    assert v["z"] == pytest.approx(-0.1 * 0.4 / q["z"], rel=1e-12)


def test_drives_stay_only_if_a_state_is_found_with_them() -> None:
    # straight below the trolley nothing but the rope's length can change the height
    q, _ = started("overhead", q={"z": -3.0})
    assert q["z"] == -3.0
    assert math.hypot(q["x"] - q["s"], q["z"]) == pytest.approx(q["l"], rel=1e-12)


def test_drives_move_where_all_else_is_given() -> None:
    q, _ = started("overhead", q={"x": 0.4, "z": -3.0})
    assert (q["x"], q["z"]) == (0.4, -3.0)
    assert math.hypot(q["x"] - q["s"], q["z"]) == pytest.approx(q["l"], rel=1e-12)


def test_contradictions_and_unknown_names_are_refused() -> None:
    with pytest.raises(InputError, match=r"plant\.start\.q: .* its constraints contradict s, l"):
        started("overhead", q={"s": 0.0, "l": 4.0, "x": 5.0, "z": -1.0})
    with pytest.raises(InputError, match=r"plant\.start\.v: .* contradict"):
        started("overhead", v={"s": 0.0, "l": 0.0, "x": 0.0, "z": 1.0})
    with pytest.raises(InputError, match=r"unknown coordinate in plant\.start\.q 'xx'"):
        load_scenario("overhead", ["plant.start.q.xx=1"])


def test_open_loop_from_elsewhere_swings_as_a_pendulum() -> None:
    # A heavy trolley does not move: the load swings with sqrt(g/l) about where it should be.
    still = ["path.goal=[0.0, -4.0]", "crane.m_t=1e9", "crane.J=1e9"]
    settings = [*still, "plant.certify=false", "plant.start.q.x=0.01", "plant.start.v.x=0.02"]
    tracking = verify_scenario(load_scenario("overhead", settings)).tracking
    omega = math.sqrt(9.81 / 4.0)
    t = tracking.time
    swing = 0.01 * np.cos(omega * t) + 0.02 / omega * np.sin(omega * t)
    # the frequency of a swing of 1 / 240 rad is lower by 1e-6 of itself
    assert tracking.error[:, 0] == pytest.approx(swing, abs=2e-7)


@pytest.mark.parametrize("value", [0.1, -0.1])
@pytest.mark.parametrize("given", ["q.x", "v.x"])
def test_plant_that_does_not_take_the_start_is_refused(given: str, value: float, tmp_path) -> None:
    file = overhead_fmu(tmp_path, still=("theta_start", "v_theta_start"))
    settings = [f"plant.fmu='{file}'", "plant.certify=false", f"plant.start.{given}={value}"]
    with pytest.raises(InputError, match=r"plant\.map\.start"):
        verify_scenario(load_scenario("overhead", settings))
