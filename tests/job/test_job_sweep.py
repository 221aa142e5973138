"""Sweeps: many values of some keys solved in one call, as a table."""

from __future__ import annotations

import json
from pathlib import Path

import numpy as np
import pytest
from typer.testing import CliRunner

import cranebridge
from cranebridge.cli import app
from cranebridge.errors import InputError
from cranebridge.job.solving import solve_scenario
from cranebridge.job.sweeping import read_sweep, sweep_into


def test_swept_payloads_are_those_that_are_solved_alone() -> None:
    told: list[float] = []
    sweep = sweep_into(cranebridge.load("rotary"), ["crane.m=50:200:4"], progress=told.append)
    assert told == sorted(told)
    assert told[-1] == 1.0
    for point in sweep.points:
        alone = solve_scenario(cranebridge.load("rotary", [f"crane.m={point.values['crane.m']!r}"]))
        for i, name in enumerate(("M_b", "F_t", "M_w")):
            assert point.figures[f"peak.{name}"] == np.abs(alone.feedforward.u[:, i]).max()
        margins = [verdict.margin for verdict in alone.verdicts]
        assert [verdict.margin for verdict in point.verdicts] == margins


def test_torque_that_holds_a_load_is_its_weight_on_the_drum() -> None:
    hold = ["path={kind='hold', value=[0.0, -4.0], duration=1.0}"]
    sweep = sweep_into(
        cranebridge.load("overhead", hold), ["crane.m=100:300:3", "crane.r=0.1:0.2:2"]
    )
    for point in sweep.points:
        m, r = point.values["crane.m"], point.values["crane.r"]
        assert point.figures["peak.M_w"] == pytest.approx(m * 9.81 * r, rel=1e-12)
        assert point.figures["least.T_cable"] == pytest.approx(m * 9.81, rel=1e-12)
    assert len(sweep.points) == 6
    assert sweep.exit_code == 0


def test_a_path_can_be_swept_too_and_what_cannot_be_solved_is_told() -> None:
    """At half the time the load would have to fall faster than it can: the rope pushes."""
    sweep = sweep_into(cranebridge.load("navy2d"), ["path.duration=2:5:2"])
    assert [point.status for point in sweep.points] == ["failed", "passed"]
    smooth = sweep_into(cranebridge.load("overhead"), ["path.smoothness=3:4:2"])
    assert [point.status for point in smooth.points] == ["not solved", "passed"]
    assert "not smooth enough" in smooth.points[0].reason
    assert smooth.exit_code == 1


def test_table_is_written(tmp_path: Path) -> None:
    folder = tmp_path / "swept"
    command = ["solve", "overhead", "--sweep", "crane.m=50:300:3", "-o", str(folder)]
    result = CliRunner().invoke(app, command)
    assert result.exit_code == 0, result.output
    table = np.genfromtxt(folder / "sweep.csv", delimiter=",", names=True)
    np.testing.assert_array_equal(table["cranem"], [50.0, 175.0, 300.0])
    points = json.loads((folder / "summary.json").read_text())["sweep"]["points"]
    assert [point["figures"]["peak.M_w"] for point in points] == table["peakM_w"].tolist()


@pytest.mark.parametrize(
    "text", ["crane.m", "crane.m=1", "crane.m=1:2", "crane.m=a:b:3", "=1:2:3", "crane.m=1:2:3:4"]
)
def test_wrong_sweeps_are_refused_with_an_example(text: str) -> None:
    with pytest.raises(InputError, match=r"crane\.m=1000:30000:100"):
        read_sweep(text)


def test_unknown_keys_of_a_sweep_are_named() -> None:
    with pytest.raises(InputError, match="Did you mean 'm'"):
        sweep_into(cranebridge.load("overhead"), ["crane.mm=1:2:2"])
    with pytest.raises(InputError, match="100,000"):
        sweep_into(cranebridge.load("overhead"), ["crane.m=1:2:1000", "crane.r=1:2:1000"])
