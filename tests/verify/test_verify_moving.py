"""Motions that start or end moving, on real FMUs: started so, followed, judged until their end."""

from __future__ import annotations

import json
from dataclasses import replace
from pathlib import Path

import numpy as np
import pytest
from overhead_plants import only_co_simulation, overhead_fmu
from scipy.interpolate import make_interp_spline

from cranebridge.errors import InputError
from cranebridge.expressions import parse
from cranebridge.inverse.index1.solution import solve_index1
from cranebridge.inverse.problem import time_grid
from cranebridge.job import verify_on_twin, verify_scenario
from cranebridge.job.summaries import summary
from cranebridge.job.verifying import certify_scenario, open_plant, plant_file
from cranebridge.path import BSplinePath, tail
from cranebridge.scenario import Scenario, load_scenario, ready_scenarios
from cranebridge.twin.language.crane import names
from cranebridge.verify.mapping.plant_map import PlantMap
from further import further, mostly_further

CUT = 0.37  # of the duration: all of these cranes swing there


def cut(name: str, *settings: str, part: float = CUT) -> Scenario:
    """Return a ready scenario whose path is the rest of its own."""
    scenario = load_scenario(name, settings)
    path = scenario.problem.path
    rest = replace(scenario.problem, path=tail(path, part * path.duration))
    return scenario.with_problem(rest)


def swinging_spline(moving_end: bool) -> BSplinePath:
    """Return the overhead crane's own path of degree 9 from 0.9 s on, as a spline."""
    path = load_scenario("overhead").problem.path
    begin, end = 0.9, 2.2 if moving_end else path.duration
    nodes = (end - begin) * np.sin(0.5 * np.pi * np.arange(10) / 9) ** 2
    knots = np.repeat([0.0, end - begin], 10)
    spline = make_interp_spline(nodes, path(begin + nodes).T, k=9, t=knots)
    points = spline.c if moving_end else np.vstack([spline.c[:5], np.tile(path(end).T, (5, 1))])
    return BSplinePath(
        path.outputs, 9, tuple(knots.tolist()), tuple(map(tuple, points.tolist())), True, moving_end
    )


def spline_scenario(folder: Path, path: BSplinePath, *settings: str) -> Scenario:
    """Write and load the scenario of the overhead crane with a spline."""
    table = {
        "kind": "spline",
        "degree": path.degree,
        "knots": list(path.times),
        "coefficients": [list(point) for point in path.coefficients],
        "moving_start": path.moving_start,
        "moving_end": path.moving_end,
    }
    rows = "\n".join(f"{key} = {json.dumps(value)}" for key, value in table.items())
    file = folder / "swinging.toml"
    file.write_text(
        f'[crane]\nmodel = "overhead"\n[path]\n{rows}\n'
        '[solve]\nstep = 0.01\n[plant]\nmodel = "OverheadCrane"\n[limits]\ntracking = 1e-3\n'
    )
    return load_scenario(str(file), settings)


@pytest.mark.parametrize("name", ["overhead", "rotary", further("navy3d"), further("bridge")])
def test_a_load_that_swings_at_the_start_follows_as_well_as_from_rest(name: str) -> None:
    whole, moving = verify_scenario(load_scenario(name)), verify_scenario(cut(name))
    assert np.abs(moving.feedforward.v[0]).max() > 0.1
    assert moving.exit_code == 0
    assert moving.certificate.status == "same"
    largest = max(moving.tracking.max_error.values())
    # the shorter motion has less time to drift: as good, up to the integrator's luck with its steps
    assert largest < 3.0 * max(whole.tracking.max_error.values())
    assert moving.tracking.residual_swing < 1e-6
    assert next(v for v in moving.verdicts if v.name == "error explained").passed
    balance = moving.tracking.energy_balance
    # energy at the start and the drives' work make that at the end, to the integrator's tolerance
    assert abs(balance) < 1e-7


@pytest.mark.parametrize(("fmi", "interface"), [("3.0", "me"), ("2.0", "cs"), further("3.0", "cs")])
def test_other_interfaces_start_moving_too(fmi: str, interface: str) -> None:
    settings = [f"plant.fmi='{fmi}'", f"plant.interface='{interface}'", "plant.step=0.002"]
    verified = verify_scenario(cut("overhead", *settings))
    assert max(verified.tracking.max_error.values()) < 1e-6
    assert verified.exit_code == 0


def test_the_cut_motion_of_the_plant_is_the_rest_of_its_whole_motion() -> None:
    """The same plant under the same controls: started at rest, and started in the middle."""
    whole, moving = load_scenario("rotary"), cut("rotary")
    begin = whole.problem.path.duration - moving.problem.path.duration
    first = verify_scenario(whole).tracking
    second = verify_scenario(moving).tracking
    rows = np.searchsorted(first.time, begin + second.time - 1e-9)
    same = np.abs(first.time[np.clip(rows, 0, first.time.size - 1)] - begin - second.time) < 1e-9
    assert same.sum() > 1000
    # both miss the path by 4e-10 m at most
    difference = first.achieved[rows[same]] - second.achieved[same]
    assert np.abs(difference).max() < 1e-9


def flat_scenarios() -> list[str]:
    not_flat = {"flexible-jib", "flexible-jib-outer", "rpr"}
    return sorted(set(ready_scenarios()) - {"navy3d-pulley-rough"} - not_flat)


# models that other tests need as well, of all ways to write a start
ALWAYS = ["overhead", "overhead-real", "overhead-speed", "gantry", "bridge", "rotary-redundant"]
ALWAYS += ["navy2d", "cablev-general"]


@pytest.mark.parametrize("name", mostly_further(flat_scenarios(), *ALWAYS))
def test_every_ready_plant_starts_in_the_state_of_its_twin(name: str) -> None:
    scenario = cut(name)
    problem = scenario.problem
    solution = solve_index1(problem, time_grid(problem.path.duration, 0.05))
    with open_plant(scenario, plant_file(scenario)) as (plant, mapping):
        # plants that are meant to differ: their ropes stretch, by this part of the motion
        allowed = 2e-3 if scenario.tables.plant.parameters else 1e-9
        run = plant.simulate(
            times=[0.0, 1e-3],
            inputs=mapping.controls(solution.control_polynomial, problem),
            parameters={
                **mapping.parameters(problem, solution.q[0], solution.v[0]),
                **scenario.tables.plant.parameters,
            },
            start=mapping.start(problem, solution.q[0], solution.v[0]),
            outputs=mapping.readings,
        ).complete()
        seen = 0
        for i, coordinate in enumerate(names(problem.crane.coordinates)):
            states = ((coordinate, solution.q), (f"v.{coordinate}", solution.v))
            for signal, values in states:
                if mapping.missing([signal]):
                    continue
                found = mapping.signals([signal], run.outputs[:1], problem.parameter_vector)
                size = 1.0 + np.abs(values[:, i]).max()
                assert abs(found[0, 0] - values[0, i]) < allowed * size, signal
                seen += abs(values[0, i]) > 1e-3 and signal.startswith("v.")
        assert seen  # velocities that are not zero


def test_derived_start_velocities_are_those_written_by_hand() -> None:
    scenario = cut("bridge")
    problem, tables = scenario.problem, scenario.tables.plant.map.model_dump()
    solution = solve_index1(problem, time_grid(problem.path.duration, 0.05))
    state = solution.q[0], solution.v[0]
    with open_plant(scenario, plant_file(scenario)) as (plant, mapping):
        by_hand = mapping.parameters(problem, *state)
        start = {k: v for k, v in tables["start"].items() if not k.startswith("v_")}
        assert len(start) == 3
        derived = PlantMap(scenario.crane, plant.info, {**tables, "start": start})
        assert derived.parameters(problem, *state) == pytest.approx(by_hand, rel=1e-13, abs=1e-13)
        assert abs(by_hand["v_x_start"]) > 0.1
        twice = {**start, "v_z_start": "der(v_s)"}
        with pytest.raises(InputError, match=r"der\(\) takes an expression without velocities"):
            PlantMap(scenario.crane, plant.info, {"start": twice}).parameters(problem, *state)
        infinite = {**start, "x_start": "sqrt(-1 - l)"}
        with pytest.raises(InputError, match=r"x_start = 'sqrt\(-1 - l\)' has no finite real"):
            PlantMap(scenario.crane, plant.info, {"start": infinite}).parameters(problem, *state)


def test_der_is_a_function_of_start_values_only() -> None:
    with pytest.raises(InputError, match="unknown function in here"):
        parse("here", "der(x)", {"x": 1.0})


def test_a_plant_whose_states_have_no_parameters_is_started_by_its_states(tmp_path) -> None:
    fmu = overhead_fmu(tmp_path, name="other", starts=False)
    start = {
        "s": "s",
        "l": "l",
        "theta": "atan2(x - s, -z)",
        "v_s": "v_s",
        "v_l": "v_l",
        "v_theta": "der(atan2(x - s, -z))",
    }
    settings = [f"plant.fmu='{fmu}'"]
    settings += [f"plant.map.start.{name}='{text}'" for name, text in start.items()]
    verified = verify_scenario(cut("overhead", *settings))
    assert max(verified.tracking.max_error.values()) < 1e-6
    assert verified.certificate.status == "same"


def test_a_plant_that_starts_at_rest_is_refused_with_what_to_add(tmp_path) -> None:
    fmu = overhead_fmu(tmp_path, name="other", starts=False)
    with pytest.raises(InputError, match=r"v\.s is 0, the twin's is .*plant\.map\.start"):
        verify_scenario(cut("overhead", f"plant.fmu='{fmu}'", "plant.certify=false"))
    blind = overhead_fmu(tmp_path, name="blind", starts=False, outputs=("x", "z"))
    with pytest.raises(InputError, match=r"no start value of it takes a velocity"):
        verify_scenario(cut("overhead", f"plant.fmu='{blind}'", "plant.certify=false"))


def test_a_plant_of_another_start_is_not_compared_by_motions(tmp_path) -> None:
    """In Co-Simulation; before, its motions were found to be different."""
    fixed = overhead_fmu(tmp_path, name="fixed", still=("v_theta_start",))
    fmu = only_co_simulation(fixed, tmp_path / "fixed_cs.fmu")
    swing = "plant.map.start.theta_start='atan2(x - s, -z)'"
    settings = ["plant.interface='cs'", swing]
    certificate, _ = certify_scenario(cut("overhead", f"plant.fmu='{fmu}'", *settings))
    assert certificate.status == "incomplete"
    assert any("other starts of v." in entry.quantity for entry in certificate.not_compared)
    right = only_co_simulation(overhead_fmu(tmp_path), tmp_path / "right_cs.fmu")
    certificate, _ = certify_scenario(cut("overhead", f"plant.fmu='{right}'", *settings))
    assert certificate.status == "same by motions"


# ---------------------------------------------------------------------- the end


@pytest.mark.parametrize("moving_end", [False, True])
def test_a_spline_of_a_scenario_is_followed_until_its_end(tmp_path, moving_end: bool) -> None:
    scenario = spline_scenario(tmp_path, swinging_spline(moving_end))
    verified = verify_scenario(scenario)
    tracking = verified.tracking
    assert verified.exit_code == 0
    assert max(tracking.max_error.values()) < 1e-6
    duration = scenario.problem.path.duration
    content = summary(scenario, verified)
    assert content["start_state"]["v"]["s"] == verified.feedforward.v[0, 0]
    if moving_end:
        assert tracking.time[-1] == duration
        assert tracking.residual_swing is None
        assert content["tracking"]["unwatched"].startswith("the motion ends moving")
        assert "residual_swing" not in content["tracking"]
        assert content["end_state"]["v"]["x"] == verified.feedforward.v[-1, 2]
    else:
        assert tracking.time[-1] == duration + 2.0
        assert content["tracking"]["residual_swing"] < 1e-6
        assert "end_state" not in content
    assert "start_state" not in summary(
        load_scenario("overhead"), replace(verified, feedforward=solved_at_rest())
    )


def solved_at_rest():
    problem = load_scenario("overhead").problem
    return solve_index1(problem, time_grid(problem.path.duration, 0.05))


def test_the_twin_as_plant_starts_and_ends_moving(tmp_path) -> None:
    for scenario in (cut("overhead"), spline_scenario(tmp_path, swinging_spline(True))):
        verified = verify_on_twin(scenario)
        assert max(verified.tracking.max_error.values()) < 1e-6
        assert np.abs(verified.tracking.feedforward.v[0]).max() > 0.1


def test_a_motion_that_is_not_watched_after_its_end_says_so() -> None:
    verified = verify_scenario(load_scenario("overhead", ["plant.settle=0"]))
    assert verified.tracking.residual_swing is None
    assert verified.tracking.as_dict()["unwatched"] == "not watched after the end"
