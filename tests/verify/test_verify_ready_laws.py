"""Ready scenarios with `control.kind = "lqr"` and nothing else: cranes of different kinds."""

from __future__ import annotations

from pathlib import Path

import numpy as np
import pytest

from cranebridge.control import design_law, simulate_loop
from cranebridge.job import verify_scenario
from cranebridge.job.solving import solve_scenario
from cranebridge.plant.sandbox.child_process import PlantError
from cranebridge.scenario import load_scenario, ready_scenarios
from further import further

CYCLE = 0.005
SETTLE = 2.0


@pytest.mark.parametrize(
    "name", ["gantry", "quadrotor", further("navy3d-pulley-safe"), further("cablev-translate")]
)
def test_default_law_is_no_worse_than_the_sampled_feedforward(name) -> None:
    scenario = load_scenario(name)
    design = design_law(solve_scenario(scenario).feedforward, CYCLE, limits=scenario.limits)
    reference = design.reference
    duration = reference.time[-1] - reference.time[0] + SETTLE
    alone = simulate_loop(reference, None, duration).errors()
    led = simulate_loop(reference, design.law, duration).errors()
    # Held inputs let the state at the samples differ by what acceleration moves in a cycle. The law
    # sees that as an error: it may put that much to another place, and not more.
    moved = CYCLE**2 * float(np.abs(reference.a).max())
    assert led.max() <= max(alone.max(), moved)
    assert led.max() < 1e-5
    assert led[-1] <= max(alone[-1], 0.1 * moved)


@pytest.mark.parametrize(
    ("name", "settings"),
    [
        further("navy2d-pulley-safe", []),
        ("flexible-jib-outer", []),  # begins before its path
        # ropes that pull all the time: rope 1 of the ready scenario goes slack
        ("navy2d-elastic", ["path.duration=8.0", "path.start=[-3,-15]", "path.goal=[-6,-12]"]),
    ],
)
def test_default_law_follows_on_the_fmu(name, settings) -> None:
    settings = ["control.kind=lqr", "plant.certify=false", *settings]
    tracking = verify_scenario(load_scenario(name, settings)).tracking
    without, law = tracking.compared["open loop"], tracking.compared["lqr"]
    assert all(verdict.passed for verdict in tracking.verdicts), name
    largest = max(law.max_error.values())
    # of a plant that is the twin only what the hold does is left; the elastic one differs
    assert largest < (1e-5 if name != "navy2d-elastic" else 0.25 * max(without.max_error.values()))
    for output, peak in law.peak.items():
        assert peak <= 1.05 * without.peak[output]


def test_table_of_the_docs_has_every_ready_scenario() -> None:
    text = (Path(__file__).parents[2] / "docs" / "control-figures.md").read_text(encoding="utf-8")
    made = text.split("<!-- made by scripts/figures/lqr_table.py -->")[1].split("<!-- end")[0]
    rows = [[cell.strip(" `") for cell in line.split("|")[1:-1]] for line in made.splitlines()[3:]]
    assert [row[0] for row in rows] == list(ready_scenarios())
    # one cannot be solved, whatever drives it; all others have figures without and with the law
    (refused,) = (row for row in rows if not row[3])
    assert refused[0] == "navy3d-pulley-rough"
    assert "is not smooth enough" in refused[-1]


def test_slack_rope_is_told_where_a_law_loses_the_crane() -> None:
    settings = ["control.kind=lqr", "limits.u={u_1=240, u_2=320}"]
    scenario = load_scenario("navy2d-elastic", settings)
    told = r"rope T_cable1_A would have to push with 442\.2 N at 2\.01 s"
    with pytest.raises(PlantError, match=told):  # the plant gives up
        verify_scenario(scenario)
