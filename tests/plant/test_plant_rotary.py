"""The rotary crane's feedforward drives its FMU: the load follows."""

from __future__ import annotations

import numpy as np
import pytest

from cranebridge.plant.export.fmu_export import cached_fmu
from cranebridge.plant.plant import Plant
from cranebridge.plant.protocol.controls import Controls


@pytest.mark.parametrize("fmi", ["2.0", "3.0"])
def test_load_follows_the_path_to_a_nanometre(exact, fmi):
    feedforward = exact("rotary", 2000)
    path = cached_fmu("RotaryCrane", fmi=fmi)
    controls = Controls.from_ppoly(
        feedforward.control_polynomial, ("M_b", "F_t", "M_w"), stops=[5.0, 15.0]
    )
    with Plant(path) as plant:
        run = plant.simulate(
            times=feedforward.time,
            inputs=controls,
            start=dict(zip(("phi", "s", "l"), feedforward.q[0], strict=False)),
            outputs=("x", "y", "z", "T_cable"),
        )
    assert np.abs(run.outputs[:, :3] - feedforward.gamma).max() < 2e-9
    assert run.outputs[:, 3] == pytest.approx(feedforward.ropes[:, 0], rel=1e-6)
    # The work does not grow with the 2001 output times: steps of the integrator between the stops,
    # twelve evaluations a step and three for its dense output.
    assert run.evaluations <= 15 * (run.steps + run.rejected) + 10
    assert run.steps < 200


def test_cosimulation_with_input_derivatives_follows_as_well(exact):
    feedforward = exact("rotary", 2000)
    controls = Controls.from_ppoly(
        feedforward.control_polynomial, ("M_b", "F_t", "M_w"), stops=[5.0, 15.0]
    )
    with Plant(cached_fmu("RotaryCrane"), interface="cs") as plant:
        run = plant.simulate(
            times=feedforward.time,
            inputs=controls,
            start={"s": 5.0, "l": 5.0},
            outputs=("x", "y", "z"),
            rtol=1e-11,
        )
    assert "order 3" in run.interpolation
    assert np.abs(run.outputs - feedforward.gamma).max() < 2e-9
