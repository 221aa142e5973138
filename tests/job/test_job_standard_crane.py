"""A user's crane of the Standard Library's parts, from its model to the report, with two plants."""

from __future__ import annotations

import json
from collections.abc import Callable
from pathlib import Path

import pytest

pytest.importorskip("rumoca")

from cranebridge.frontend.compile.modelica_path import find_library

MODEL = Path(__file__).parents[1] / "data" / "modelica" / "MyBridge.mo"
SCENARIO = f"""
[crane]
model = "{MODEL.as_posix()}:MyBridge"
inputs = ["i_b", "i_t", "i_h"]
outputs = ["x", "y", "z"]
[path]
kind = "line"
start = [0.0, -6.0, 0.0]
goal = [4.0, -4.0, 3.0]
duration = 10.0
profile = "polynomial"
smoothness = 4
[limits]
tracking = 1e-8
"""
# The library's bridge crane, written by hand in the load's coordinates, with z up and y across; the
# rotors' inertia is part of the masses that they move.
SECOND = """
[plant]
model = "BridgeCrane"
[plant.map.parameters]
m = "load.m"
m_b = "bridge.m + bridgeMotor.J*(bridgeMotor.ratio*bridgeWheel.ratio)**2 - trolleyMotor.J*(trolleyMotor.ratio*trolleyWheel.ratio)**2"
m_t = "trolley.m + trolleyMotor.J*(trolleyMotor.ratio*trolleyWheel.ratio)**2"
J_w = "hoistMotor.J*hoistMotor.ratio**2"
r_w = "1/drum.ratio"
g = "world.g"
[plant.map.inputs]
F_b = "bridgeMotor.k*bridgeMotor.ratio*bridgeWheel.ratio*i_b"
F_t = "trolleyMotor.k*trolleyMotor.ratio*trolleyWheel.ratio*i_t"
M_w = "hoistMotor.k*hoistMotor.ratio*i_h"
[plant.map.signals]
y = "z"
z = "y"
"bridgeRail.s" = "b"
"rail.s" = "s"
"rope.s" = "l"
"universal.phi_a" = "atan2(b - y, -z)"
"universal.phi_b" = "asin((x - s)/l)"
[plant.map.start]
b_start = "bridgeRail.s"
s_start = "rail.s"
x_start = "x"
y_start = "z"
z_start = "y"
v_b_start = "v_bridgeRail.s"
v_s_start = "v_rail.s"
v_x_start = "v_x"
v_y_start = "v_z"
v_z_start = "v_y"
"""  # noqa: E501


@pytest.mark.slow
@pytest.mark.skipif(find_library("Modelica") is None, reason="MODELICAPATH has no Modelica")
@pytest.mark.parametrize(("plant", "certificate"), [("", "one source"), (SECOND, "same")])
def test_crane_of_standard_parts_goes_from_its_model_to_a_verified_report(
    run: Callable[..., tuple[int, str, str]], plant: str, certificate: str, tmp_path: Path
) -> None:
    (tmp_path / "bridge.toml").write_text(SCENARIO + plant, encoding="utf-8")
    folder = tmp_path / "out"
    code, _, message = run("run", str(tmp_path / "bridge.toml"), "-o", str(folder))
    assert code == 0, message
    summary = json.loads((folder / "summary.json").read_text(encoding="utf-8"))
    assert summary["structure"]["index"] == 5
    assert summary["certificate"]["status"] == certificate
    assert summary["certificate"]["max_relative_difference"] < 1e-12
    assert max(summary["tracking"]["max_error"].values()) < 1e-8
    assert {verdict["status"] for verdict in summary["verdicts"]} == {"passed"}
    assert (folder / "report.html").stat().st_size > 10_000
