"""Co-Simulation from a saved state: again from where a run began, and on from where it ended."""

from __future__ import annotations

from collections.abc import Callable

import numpy as np
import pytest
from fmu_driver import Exported

from cranebridge.errors import InputError
from cranebridge.plant.description.fmu import inspect
from cranebridge.plant.plant import Plant
from cranebridge.plant.protocol.controls import Controls
from cranebridge.plant.sandbox.child_process import PlantStatusError

Build = Callable[[str, int], Exported]


@pytest.mark.parametrize("fmi", [2, 3])
def test_runs_from_saved_states_are_one_run_in_parts(exported: Build, fmi: int) -> None:
    assert inspect(exported("pendulum", fmi).path).restores_state
    times, torque = np.linspace(0.0, 1.0, 6), np.array([[0.0, 3.0, -2.0, 5.0, 1.0, 0.0]]).T
    names = {"outputs": ("phi", "omega"), "rtol": 1e-10}
    with Plant(exported("pendulum", fmi).path, interface="cs") as plant:
        whole = plant.simulate(
            times=times, inputs=Controls.linear(times, torque, ("tau",)), **names
        )
        found = []
        for i in range(5):
            span, kept = times[i : i + 2], torque[i : i + 2]
            # one that is thrown away, far from what shall be, then the one that counts
            for rows in (kept + np.array([[0.0], [20.0]]), kept):
                run = plant.simulate(
                    times=span,
                    inputs=Controls.linear(span, rows, ("tau",)),
                    saved="resume" if i or rows is kept else "begin",
                    **names,
                ).complete()
                found.append(run.outputs[-1])
        # the FMU's own tolerance, on other steps after each return
        assert np.array(found[1::2]) == pytest.approx(whole.outputs[1:], abs=1e-8)
        assert np.abs(np.array(found[::2]) - whole.outputs[1:]).min() > 1e-3
        with pytest.raises(PlantStatusError, match=r"begins at t = 0\.8 or 1 s, not at 0\.4 s"):
            plant.simulate(times=times[2:4], saved="resume")
        with pytest.raises(PlantStatusError, match="no saved state to go on from"):
            plant.simulate(times=times[2:4], saved="resume")


@pytest.mark.parametrize("fmi", [2, 3])
def test_events_that_are_ahead_belong_to_the_state(exported: Build, fmi: int) -> None:
    with Plant(exported("stairs", fmi).path, interface="cs") as plant:
        ends = np.array([0.0, 0.25, 0.5, 0.75, 1.0, 1.25])
        counts = []
        for i in range(5):
            for again in (False, True):
                run = plant.simulate(
                    times=ends[i : i + 2], saved="resume" if i or again else "begin"
                )
            counts.append(run.outputs[-1, 0])
        whole = plant.simulate(times=ends).outputs[1:, 0]
    assert counts == whole.tolist()
    assert counts[-1] - counts[0] == 4  # at 0.3, 0.6, 0.9 and 1.2 s, once each


def test_model_exchange_has_no_saved_state_here(exported: Build) -> None:
    with (
        Plant(exported("pendulum", 2).path) as plant,
        pytest.raises(InputError, match="cannot save"),
    ):
        plant.simulate(times=[0.0, 1.0], saved="begin")
