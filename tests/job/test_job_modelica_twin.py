"""Verbs of a crane that is read from Modelica: with parts, arrays and starts of its own."""

from __future__ import annotations

import shutil
from pathlib import Path

import casadi as ca
import numpy as np
import pytest

pytest.importorskip("rumoca")


import cranebridge as cb
from cranebridge.errors import StructureError
from cranebridge.frontend import library_path, load_model
from cranebridge.job import verify_scenario
from cranebridge.job.campaign.campaign_work import scenario_work
from cranebridge.job.solving import solve_scenario
from cranebridge.scenario import Origin, Scenario
from cranebridge.twin import ServoChoice, find_crane

DATA = Path(__file__).parents[1] / "data" / "modelica"
GANTRY: dict[str, object] = {
    "model": f"{library_path()}/GantryCrane.mo:GantryCrane",
    "inputs": ["F_t", "M_w"],
    "outputs": ["x", "z"],
}
WINCH = {
    "model": f"{DATA}/WinchCrane.mo:WinchCrane",
    "inputs": ["F", "M"],
    "outputs": ["x", "z"],
    "ropes": ["S"],
}
PARTS = {
    "model": f"{DATA}/PartsCrane.mo:Bridge",
    "inputs": ["u[1]", "u[2]"],
    "outputs": ["r[1]", "r[2]"],
    "ropes": ["S"],
}


def scenario_of(crane: dict[str, object], start: tuple[float, float], **tables: object) -> Scenario:
    path = {"kind": "line", "start": list(start), "goal": [5.0, -4.0], "duration": 8.0}
    path |= {"profile": "polynomial", "smoothness": 4}
    limits = {"ropes": "pull", "tracking": 1e-6}
    content = {"crane": crane, "path": path, "limits": limits, **tables}
    return Scenario.of_tables(content, Origin("own", "own", Path.cwd())).require_values()


@pytest.mark.parametrize("crane", [WINCH, PARTS], ids=["outputs", "parts"])
def test_plant_of_the_same_source_starts_where_the_path_does(crane):
    """No start value is a parameter: states of the same name are set; nothing is in the map."""
    result = verify_scenario(scenario_of(crane, (1.0, -5.0)))
    assert result.certificate is not None
    assert result.certificate.status == "one source"
    assert result.tracking is not None
    assert max(result.tracking.max_error.values()) < 1e-8
    assert all(verdict.passed for verdict in result.verdicts)


def test_drag_that_is_switched_off_is_in_the_equations_all_the_same():
    """The accelerations are those of the model's explicit form, with the drag switched on."""
    file = f"{library_path()}/GantryCrane.mo"
    crane = find_crane(file, choice=ServoChoice(("F_t", "M_w"), ("x", "z")))
    model, change = load_model(file), {"c_d": 1.0, "w_x": 8.0, "d_t": 50.0}
    q, v, u = [0.3, 0.5, -7.0], [0.2, -0.1, 0.3], [100.0, -19000.0, 0.0, 0.0]
    p = [change.get(parameter.name, parameter.start) for parameter in model.parameters]
    a = np.array(model.rhs(0.0, [*q, *v], u, p)).ravel()[3:]
    own = crane.parameter_values(change)
    e = crane.stated_equations()
    motion = ca.Function("motion", [e.q, e.v, e.a, e.u, e.p], [e.motion])
    residual = motion(q, v, a, u[:2], list(own.values()))
    np.testing.assert_allclose(np.array(residual).ravel(), 0.0, atol=1e-9 * 2e4)


def test_runs_of_a_campaign_need_the_files_of_the_work_only(tmp_path):
    """As on another machine: the package is gone; the error is that of a plant as varied."""
    package = tmp_path / "Mine"
    package.mkdir()
    (package / "package.mo").write_text("package Mine\nend Mine;\n", encoding="utf-8")
    text = Path(str(WINCH["model"]).rpartition(":")[0]).read_text(encoding="utf-8")
    (package / "WinchCrane.mo").write_text(f"within Mine;\n{text}", encoding="utf-8")
    model = f"{package}/WinchCrane.mo:WinchCrane"
    work = scenario_work(scenario_of({**WINCH, "model": model}, (0.0, -6.0)))
    assert set(work.files) == {
        *("scenario.toml", "plant.fmu", "modelica/Mine/package.mo"),
        "modelica/Mine/WinchCrane.mo",
    }
    shutil.rmtree(package)
    runner = work.begin()
    try:
        row = runner(0, {"crane.m": 2100.0})
    finally:
        runner.close()
    assert row["passed"] is True
    assert row["max_error.x"] < 1e-8


def test_names_with_dots_are_whole_in_keys():
    scenario = scenario_of(PARTS, (0.0, -6.0)).with_(
        {"crane.trolley.m": 700.0, "limits.v.trolley.s": 2.0, "crane.initial.winch.s": 6.0}
    )
    assert scenario.problem.parameters["trolley.m"] == 700.0
    assert scenario.problem.initial == {"winch.s": 6.0}
    assert set(scenario.limits.v) == {"trolley.s"}


def test_controller_of_a_crane_with_parts_holds_it():
    """Its state feedback reads velocities, which are local variables of the model."""
    control = {"kind": "lqr", "cycle": 0.01}
    start = {"q": {"phi": 0.02}}
    result = verify_scenario(
        scenario_of(PARTS, (0.0, -6.0), control=control, plant={"start": start, "settle": 20.0})
    )
    assert result.tracking is not None
    assert max(np.abs(list((result.tracking.lasting_offset or {"": np.inf}).values()))) < 1e-3


def test_scenario_in_python_takes_the_names_of_the_model():
    path = {"kind": "line", "start": [0.0, -6.0], "goal": [5.0, -4.0], "duration": 8.0}
    path |= {"profile": "polynomial", "smoothness": 4}
    crane = {key: value for key, value in WINCH.items() if key != "model"}
    scenario = cb.Scenario.of(str(WINCH["model"]), path, **crane)
    assert scenario.name == "WinchCrane"
    assert scenario.crane == scenario_of(WINCH, (0.0, -6.0)).crane
    assert scenario.solve()["rope.S"].min() > 0.0


@pytest.mark.parametrize("crane", [WINCH, GANTRY], ids=["winch", "gantry"])
def test_index_3_comes_to_the_exact_controls_with_first_order(crane):
    """The mass matrix of stated equations is not symmetric, nor are coordinates redundant."""
    scenario = scenario_of(crane, (0.0, -6.0))
    errors = []
    for step in (0.02, 0.01):
        given = {"solve.step": step}
        exact = solve_scenario(scenario.with_(given)).feedforward.u
        other = scenario.with_({**given, "solve.method": "index3"})
        errors.append(np.abs(solve_scenario(other).feedforward.u - exact).max())
    assert errors[1] < 0.01 * np.ptp(exact, axis=0).max()
    assert errors[0] / errors[1] == pytest.approx(2.0, rel=0.15)


def test_projection_refuses_coordinates_without_mass_in_a_sentence():
    scenario = scenario_of(WINCH, (0.0, -6.0)).with_({"solve.method": "projection"})
    with pytest.raises(StructureError, match="x, z carry no mass"):
        solve_scenario(scenario)
