"""Simulation of a plant model with events by its own functions, for the tests: no FMU, no C."""

from __future__ import annotations

from collections.abc import Callable, Sequence

import numpy as np
from scipy.integrate import DOP853

from cranebridge.frontend.flat_model import PlantModel

Inputs = Callable[[float], np.ndarray]
_PASSES, _LOOKS = 20, 8


def start_states(model: PlantModel, p: np.ndarray) -> np.ndarray:
    """Start values of the states; they do not depend on the memory."""
    return np.array(model.initial(np.concatenate([p, np.zeros(model.memory)]))).ravel()


def settled(
    model: PlantModel,
    t: float,
    x: np.ndarray,
    u: Sequence[float],
    p: np.ndarray,
    memory: np.ndarray | None = None,
) -> tuple[np.ndarray, np.ndarray]:
    """Parameters with the memory behind them, and the states, after an event.

    Parameters
    ----------
    memory : numpy.ndarray, optional
        What was before; without it the model is initialized.
    """
    if model.events is None:
        return p, x
    initial = memory is None
    if memory is None:
        nothing = np.concatenate([p, np.zeros(model.memory)])
        memory = np.array(model.events.start(t, x, u, nothing)).ravel()
    for _ in range(_PASSES):
        before = memory, x
        found = model.events.update(t, x, u, np.concatenate([p, memory]), float(initial))
        memory, x = (np.array(part).ravel() for part in found[:2])
        if np.array_equal(memory, before[0]) and np.array_equal(x, before[1]):
            return np.concatenate([p, memory]), x
    raise AssertionError("the event does not come to an end")


def simulate(
    model: PlantModel,
    x: np.ndarray,
    inputs: Inputs,
    p: np.ndarray,
    times: np.ndarray,
    tolerance: float = 1e-12,
) -> tuple[np.ndarray, list[np.ndarray], list[float]]:
    """States and parameters with memory at the times, and the times of the state events."""
    q, x = settled(model, times[0], x, inputs(times[0]), p)
    t, states, memories, events = float(times[0]), [x], [q], []
    for end in times[1:]:
        while t < end:
            t, x, q, happened = _smooth_part(model, t, x, inputs, q, end, tolerance)
            events += [t] if happened else []
        states.append(x)
        memories.append(q)
    return np.array(states), memories, events


def _smooth_part(
    model: PlantModel,
    t: float,
    x: np.ndarray,
    inputs: Inputs,
    q: np.ndarray,
    end: float,
    tolerance: float,
) -> tuple[float, np.ndarray, np.ndarray, bool]:
    """Integrate to the end or to the next event, and through it."""

    def rhs(t: float, x: np.ndarray) -> np.ndarray:
        return np.array(model.rhs(t, x, inputs(t), q)).ravel()

    def sides(t: float, x: np.ndarray) -> np.ndarray:
        if model.events is None:
            return np.zeros(0, dtype=bool)
        return np.array(model.events.indicators(t, x, inputs(t), q)).ravel() > 0.0

    solver = DOP853(rhs, t, x, end, rtol=tolerance, atol=tolerance)
    before = sides(t, x)
    while solver.status == "running":
        assert solver.step() is None
        if model.events is None:
            continue
        dense, low = solver.dense_output(), solver.t_old
        for high in np.linspace(solver.t_old, solver.t, _LOOKS + 1)[1:]:
            if np.array_equal(sides(high, dense(high)), before):
                low = high
                continue
            while low < (middle := 0.5 * (low + high)) < high:
                same = np.array_equal(sides(middle, dense(middle)), before)
                low, high = (middle, high) if same else (low, middle)
            q, x = settled(
                model, high, dense(high), inputs(high), q[: len(model.parameters)],
                q[len(model.parameters) :],
            )  # fmt: skip
            return high, x, q, True
    return solver.t, solver.y, q, False
