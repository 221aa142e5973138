"""Tasks that cannot be planned, and odd input: refused in one sentence that names what is wrong."""

from __future__ import annotations

import time
from collections.abc import Mapping
from pathlib import Path
from typing import Any

import pytest
import tomli_w

from cranebridge.errors import CranebridgeError, InputError
from cranebridge.job.planning import replan
from cranebridge.scenario import load_scenario

HOLD = 98.1  # torque that holds the load of 100 kg on a drum of 0.1 m


def refuse(
    folder: Path,
    path: Mapping[str, Any],
    limits: Mapping[str, Any] | None = None,
    obstacles: Any = None,
    crane: str = "overhead",
) -> str:
    """Load a scenario that must be refused, and return the message."""
    table: dict[str, Any] = {
        "crane": {"model": crane},
        "path": {"kind": "optimal", **path},
        "limits": {"u": {"F_t": 300.0, "M_w": [-150.0, -50.0]}, **(limits or {})},
    }
    if obstacles is not None:
        table["obstacles"] = obstacles
    file = folder / "task.toml"
    file.write_text(tomli_w.dumps(table))
    with pytest.raises(CranebridgeError) as refused:
        load_scenario(str(file))
    message = str(refused.value)
    assert "\n" not in message
    assert len(message) < 300
    return message


WAY = {"start": [0.0, -5.0], "goal": [6.0, -3.0]}


def test_a_winch_too_weak_for_the_weight_is_named(tmp_path: Path) -> None:
    message = refuse(tmp_path, WAY, {"u": {"M_w": 0.9 * HOLD}})
    assert "the start cannot be held" in message
    assert "u.M_w" in message
    assert "-88.29 to 88.29 N*m" in message


def test_a_rope_that_must_not_carry_the_weight_is_named(tmp_path: Path) -> None:
    message = refuse(tmp_path, WAY, {"rope": [100.0, 900.0]})
    assert "rope.T_cable" in message
    assert "100 to 900 N" in message


@pytest.mark.parametrize("end", ["start", "goal"])
def test_an_end_inside_an_obstacle_is_named(tmp_path: Path, end: str) -> None:
    x, z = WAY[end]
    box = {"kind": "box", "low": [x - 1.0, z - 1.0], "high": [x + 1.0, z + 1.0]}
    far = {"kind": "box", "low": [20.0, -9.0], "high": [21.0, -8.0]}
    message = refuse(tmp_path, WAY, obstacles=[far, box])
    assert message == f"the {end} is inside obstacle 2"


def test_clearance_belongs_to_the_obstacle(tmp_path: Path) -> None:
    box = {"kind": "box", "low": [7.0, -4.0], "high": [8.0, -2.0], "clearance": 1.5}
    assert refuse(tmp_path, WAY, obstacles=[box]) == "the goal is inside obstacle 1"


@pytest.mark.parametrize("top", [0.0, -0.5])
def test_a_wall_that_cannot_be_passed_is_named_soon(tmp_path: Path, top: float) -> None:
    """Up to the rail, and below it by less than the shortest rope: nothing is optimised."""
    far = {"kind": "box", "low": [20.0, -9.0], "high": [21.0, -8.0]}
    wall = {"kind": "box", "low": [2.0, -20.0], "high": [4.0, top]}
    started = time.process_time()
    message = refuse(tmp_path, WAY, {"q": {"l": [1.0, 8.0]}}, [far, wall])
    assert time.process_time() - started < 8.0
    assert "no way past obstacle 1 (box), obstacle 2 (box) was found" in message
    assert "straight it would touch obstacle 2" in message
    assert "over the obstacles q.l stands in the way (1 to 8 m)" in message


@pytest.mark.parametrize(("longest", "end"), [([1.0, 4.0], "start"), ([3.5, 8.0], "goal")])
def test_a_rope_shorter_or_longer_than_the_way_is_named(
    tmp_path: Path, longest: list[float], end: str
) -> None:
    message = refuse(tmp_path, WAY, {"q": {"l": longest}})
    assert f"the {end} cannot be held" in message
    assert "q.l" in message
    assert f"{longest[0]:g} to {longest[1]:g} m" in message


@pytest.mark.parametrize(
    ("limit", "named"),
    [
        ({"v": {"x": 0.2}}, "v.x is 0.3 m/s"),
        ({"q": {"s": [0.5, 9.0]}}, "q.s is 0 m"),
    ],
)
def test_a_start_beyond_a_limit_is_named(tmp_path: Path, limit: dict[str, Any], named: str) -> None:
    state = {"q": {"s": 0.0, "x": 0.0, "z": -5.0}, "v": {"x": 0.3}}
    message = refuse(tmp_path, {"state": state, "goal": [6.0, -3.0]}, limit)
    assert "the start is beyond a limit" in message
    assert named in message


def test_a_goal_beyond_a_limit_is_named(tmp_path: Path) -> None:
    state = {"q": {"s": 6.0, "x": 6.0, "z": -3.0}, "v": {"s": 3.0, "x": 3.0}}
    message = refuse(tmp_path, {"start": [0.0, -5.0], "goal_state": state}, {"v": {"s": 2.5}})
    assert "the goal is beyond a limit" in message
    assert "v.s is 3 m/s" in message
    assert "limits.v.s allows -2.5 to 2.5 m/s" in message


@pytest.mark.parametrize(
    ("state", "named"),
    [
        # the rope is 5 m from trolley to load, not 4 m
        ({"q": {"s": 0.0, "l": 4.0, "x": 3.0, "z": -4.0}}, "path.state.q contradicts"),
        # the load moves away from the trolley, the rope does not get longer
        (
            {"q": {"s": 0.0, "x": 0.0, "z": -5.0}, "v": {"s": 0.0, "l": 0.0, "x": 0.0, "z": -0.1}},
            "path.state.v contradicts",
        ),
        # a rope that is level carries nothing
        ({"q": {"s": 0.0, "x": 5.0, "z": 0.0}}, "the crane cannot hold the load there"),
        ({"q": {"x": 0.0, "z": -5.0}}, "path.state.q does not determine the state"),
        ({"q": {"X": 0.0}}, "unknown coordinate in path.state.q 'X'"),
        ({"q": {"s": 0.0}, "w": {}}, "unknown key of path.state"),
        ({"q": {"s": float("nan"), "x": 0.0, "z": -5.0}}, "path.state.q.s"),
        ({"q": [0.0, 5.0, 0.0, -5.0]}, "path.state.q must be a table"),
        ({}, "path.state.q does not determine the state"),
        (5.0, "path.state must be a table"),
    ],
)
def test_a_state_that_cannot_be_is_refused(tmp_path: Path, state: Any, named: str) -> None:
    assert named in refuse(tmp_path, {"state": state, "goal": [6.0, -3.0]})


def test_a_via_point_inside_an_obstacle_is_named(tmp_path: Path) -> None:
    box = {"kind": "box", "low": [2.0, -5.0], "high": [4.0, -3.0]}
    message = refuse(tmp_path, {**WAY, "via": [[1.0, -2.0], [3.0, -4.0]]}, obstacles=[box])
    assert message == "via point 2 is inside obstacle 1"


def test_a_via_point_that_cannot_be_held_is_named(tmp_path: Path) -> None:
    message = refuse(tmp_path, {**WAY, "via": [[3.0, -9.0]]}, {"q": {"l": [1.0, 8.0]}})
    assert "via point 1" in message
    assert "q.l" in message


@pytest.mark.parametrize(
    ("path", "named"),
    [
        ({**WAY, "gaol": [0.0, 0.0]}, "Did you mean 'goal'"),
        ({**WAY, "objective": "tme"}, "Did you mean 'time'"),
        ({**WAY, "objective": 3}, "path.objective"),
        ({**WAY, "objective": "effort"}, "path.duration"),
        ({**WAY, "duration": 5.0}, "path.duration"),
        ({**WAY, "objective": "effort", "duration": float("nan")}, "path.duration"),
        ({**WAY, "objective": "effort", "duration": -1.0}, "path.duration"),
        ({**WAY, "objective": "weighted"}, "path.effort"),
        ({**WAY, "objective": "weighted", "effort": -1.0}, "path.effort"),
        ({**WAY, "effort": 1.0}, "path.effort"),
        ({**WAY, "method": "flatt"}, "Did you mean 'flat'"),
        ({**WAY, "accuracy": 5.0}, "path.accuracy"),
        ({**WAY, "accuracy": "fine"}, "path.accuracy"),
        ({**WAY, "overshoot": 1}, "path.overshoot"),
        ({**WAY, "via": []}, "path.via"),
        ({**WAY, "via": [[1.0]]}, "path.via[0]"),
        ({**WAY, "via": [1.0, 2.0]}, "path.via[0]"),
        ({**WAY, "via": "there"}, "path.via"),
        ({**WAY, "times": [1.0]}, "path.via"),
        ({**WAY, "via": [[3.0, -4.0]], "times": []}, "path.times"),
        ({**WAY, "via": [[3.0, -4.0]], "times": [0.0]}, "path.times"),
        ({**WAY, "via": [[3.0, -4.0]], "times": [float("inf")]}, "path.times"),
        ({"start": [0.0, -5.0]}, "goal"),
        ({"goal": [0.0, -5.0]}, "start"),
        ({"start": [0.0], "goal": [6.0, -3.0]}, "path.start"),
        ({"start": [0.0, float("inf")], "goal": [6.0, -3.0]}, "path.start[1]"),
        ({"start": "here", "goal": [6.0, -3.0]}, "path.start"),
        ({**WAY, "state": {"q": {}}}, "both are given"),
    ],
)
def test_odd_keys_of_the_path_are_refused(tmp_path: Path, path: dict[str, Any], named: str) -> None:
    assert named in refuse(tmp_path, path)


BOX = {"kind": "box", "low": [2.0, -5.0], "high": [4.0, -4.0]}
STACK = {"kind": "stack", "x": [2.0, 3.0, 4.0], "height": [-4.0, -3.5]}


@pytest.mark.parametrize(
    ("obstacles", "named"),
    [
        ([{**BOX, "kind": "bx"}], "Did you mean 'box'"),
        ([{"low": [0.0, 0.0]}], "obstacles[0].kind"),
        ([BOX, {**BOX, "higth": [0.0, 0.0]}], "obstacles[1]"),
        ([{**BOX, "low": [5.0, -5.0]}], "obstacles[0].low"),
        ([{**BOX, "low": [2.0, -5.0, 0.0]}], "obstacles[0].low"),
        ([{**BOX, "low": [2.0, float("nan")]}], "obstacles[0].low[1]"),
        ([{**BOX, "clearance": -0.1}], "obstacles[0].clearance"),
        ([{**BOX, "clearance": "0.1"}], "obstacles[0].clearance"),
        ([{**BOX, "rope": 1}], "obstacles[0].rope"),
        ([{"kind": "cylinder", "center": [1.0, 1.0], "radius": 1.0}], "obstacles[0]"),
        ([{**STACK, "x": []}], "obstacles[0].x"),
        ([{**STACK, "x": [2.0, 3.0]}], "obstacles[0].x"),
        ([{**STACK, "x": [2.0, 2.0, 4.0]}], "obstacles[0].x"),
        ([{**STACK, "height": [1.0, True]}], "obstacles[0].height[1]"),
        ([{**STACK, "height": 3.0}], "obstacles[0].height"),
        ([{}], "obstacles[0].kind"),
        ({"kind": "box"}, "obstacles"),
        ([3.0], "obstacles"),
    ],
)
def test_odd_obstacles_are_refused(tmp_path: Path, obstacles: Any, named: str) -> None:
    assert named in refuse(tmp_path, WAY, obstacles=obstacles)


def test_a_cylinder_upside_down_is_refused(tmp_path: Path) -> None:
    way = {"start": [5.0, 0.0, -5.0], "goal": [-2.0, 2.0, -2.0]}
    row = {"kind": "cylinder", "center": [0.0, 3.0], "radius": 0.5, "bottom": 1.0, "top": 0.0}
    limits = {"u": {"M_b": 100.0}}
    assert "obstacles[0].bottom" in refuse(tmp_path, way, limits, [row], "rotary")


@pytest.mark.parametrize("moment", [-0.1, 3.0, float("nan"), float("inf")])
def test_a_stop_outside_the_motion_is_refused(moment: float) -> None:
    with pytest.raises(InputError, match="the motion runs from 0 to 3 s"):
        replan(load_scenario("overhead"), moment, None, lambda share: None)


def test_a_new_goal_needs_a_number_for_each_output() -> None:
    with pytest.raises(InputError, match=r"2 numbers \(x, z\)"):
        replan(load_scenario("overhead"), 1.0, (1.0, 2.0, 3.0), lambda share: None)


def test_a_crane_with_internal_dynamics_is_not_stopped() -> None:
    with pytest.raises(InputError, match="internal dynamics"):
        replan(load_scenario("flexible-jib"), 1.0, None, lambda share: None)
