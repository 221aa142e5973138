"""The one-step method, with the figures that it has and the limits that it has."""

from __future__ import annotations

import casadi as ca
import numpy as np
import pytest
from black_boxes import (
    HOLD,
    LOAD,
    OSCILLATOR,
    BlackBox,
    _crane,
    oscillator_target,
    overhead_record,
)

from cranebridge.errors import InputError
from cranebridge.learn.laws.stepwise import StepwiseResult, step_by_step


def steps_of(
    box: BlackBox, target: np.ndarray, u0: tuple[float, ...], eps: float
) -> StepwiseResult:
    x = ca.SX.sym("x", box.states)
    outputs = ca.Function("h", [x], [box.h(x)])

    def advance(state, _since, _until, u, w):
        end = np.array(box._step(state, u, w)).ravel()
        return end, np.array(outputs(end)).ravel()

    start = np.array(box.start)
    begin = start, np.array(u0), np.array(outputs(start)).ravel()
    time = box.step * np.arange(len(target))
    return step_by_step(advance, time, target, begin, eps, np.full(box.inputs, 1e-2))


@pytest.mark.parametrize(("eps", "listed"), [(1e-4, (0.50e-3, 0.70e-3)), (1e-6, (4.8e-6, 6.6e-6))])
def test_oscillator_has_the_errors_that_independent_code_found(eps, listed) -> None:
    target = oscillator_target(OSCILLATOR.step * np.arange(401))
    found = steps_of(OSCILLATOR, target, (0.0, 0.0), eps)
    error = np.abs(found.outputs - target).max(axis=0)
    assert error == pytest.approx(listed, rel=0.02)


@pytest.mark.parametrize("eps", [1e-8, 0.0])
def test_too_little_regularisation_diverges_and_says_so(eps) -> None:
    target = oscillator_target(OSCILLATOR.step * np.arange(401))
    with pytest.raises(InputError, match=r"one-step method diverged at t = .* larger one"):
        steps_of(OSCILLATOR, target, (0.0, 0.0), eps)


def _forces(x: ca.SX, u: ca.SX) -> ca.SX:
    accelerations, _, _ = _crane(x, u[0], HOLD + u[1], LOAD, (0.0, 0.0, 0.0))
    return ca.vertcat(x[3:6], *accelerations)


def test_crane_is_out_of_its_reach() -> None:
    """The trolley's force acts on the load after four differentiations: not one step ahead."""
    crane = BlackBox(
        f=_forces,
        h=lambda x: x[1:3],
        states=6,
        inputs=2,
        step=0.01,
        parts=1,
        start=(0.0, 0.0, 4.0, 0.0, 0.0, 0.0),
    )
    _, target, _ = overhead_record(301, begin=0.0)
    # much regularisation controls nothing: the load stays metres behind
    found = steps_of(crane, target, (0.0, 0.0), 5e-5)
    assert np.abs(found.outputs - target).max() > 1.0
    # and little of it breaks down
    with pytest.raises(InputError, match=r"diverged at t = .*or another law"):
        steps_of(crane, target, (0.0, 0.0), 1e-12)
