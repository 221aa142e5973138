"""The observer's part of a controller's C module: its functions of the crane, printed as C.

The filter itself (:mod:`cranebridge.control.observer.filter`) is written as loops over matrices:
the covariance of twenty states would be tens of thousands of scalar operations.
"""

from __future__ import annotations

import casadi as ca
import numpy as np

from cranebridge.control.code.controller import Controller
from cranebridge.control.observer import (
    Observer,
    Sensor,
    corrected_disturbances,
    disturbed,
    is_relative,
    output_slopes,
    state_slopes,
)
from cranebridge.emit import Precision, Value, emit_function, literal

IMPOSSIBLE = 1e4
"""Standard deviations from what was expected beyond which a reading is lost, however little is
known: far more than any start that an observer does not know of."""


def observer_sizes(observer: Observer, controller: Controller) -> dict[str, int]:
    """Return sizes of the observer's arrays; none is zero where C has an array."""
    whole, rest = controller.delay
    way = (whole + (1 if rest else 0)) * len(controller.inputs)
    estimated = len(observer.constants)
    return {
        "COORDINATES": len(observer.crane.coordinates),
        "STATES": len(observer.states),
        "MOVING": 2 * len(observer.motion.independent),
        "ESTIMATED": estimated,
        "SIZE_D": max(estimated, 1),
        "WAY": way,
        "SIZE_WAY": max(way, 1),
    }


def observer_values(controller: Controller, precision: Precision) -> dict[str, Value]:
    """Return what is filled into the observer's template."""
    observer = controller.observer
    assert observer is not None
    q, v, d = controller.estimate

    def row(values: np.ndarray) -> str:
        return ", ".join(literal(value, precision) for value in values.tolist())

    return {
        "SENSOR_NOISE": row(np.array([sensor.deviation**2 for sensor in observer.sensors])),
        "GROWTH": row(observer.growth),
        "VARIANCE": row(np.diagonal(observer.covariance)),
        "TOGETHER": "\n".join(
            f"    s->P[{i} * STATES + {j}] = s->P[{j} * STATES + {i}] = {literal(x, precision)};"
            for i, j, x in together(observer)
        ),
        "DRIVE_PLACES": bool(observer.places),
        "ESTIMATED_TEXT": "disturbances" + (", places of drives" if observer.places else ""),
        "INPUTS_TEXT": "inputs" + (", places of drives with them" if observer.places else ""),
        "Q_START": row(q),
        "V_START": row(v),
        "D_START": row(d if d.size else np.zeros(1)),
        "HOLD_START": row(controller.hold[0]),
        "FUNCTIONS": "\n".join(
            emit_function(function, function.name(), precision, "real")
            for function in crane_functions(controller)
        ),
        "MOVES": _moves(controller, precision),
        "GATE": literal(gate_of(observer) ** 2, precision),
        "IMPOSSIBLE": literal(IMPOSSIBLE**2, precision),
        **whole_numbers(observer),
        **{name: str(size) for name, size in observer_sizes(observer, controller).items()},
    }


def gate_of(observer: Observer) -> float:
    """Return the standard deviations beyond which a reading is refused."""
    return observer.gate or IMPOSSIBLE


def whole_numbers(observer: Observer) -> dict[str, str]:
    """Return the tables of whole numbers: of the sensors, and of what is never negative."""
    relative = [is_relative(observer, i) for i in range(len(observer.constants))]
    return {
        "EVERY": ", ".join(str(sensor.samples(observer.cycle)) for sensor in observer.sensors),
        "PATIENCE": ", ".join(str(_patience(observer, sensor)) for sensor in observer.sensors),
        "RELATIVE": ", ".join(str(int(one)) for one in relative) or "0",
    }


def together(observer: Observer) -> list[tuple[int, int, float]]:
    """Return the entries of the start's covariance beside its diagonal: row, column, value."""
    P = observer.covariance
    return [(int(i), int(j), float(P[i, j])) for i, j in np.argwhere(np.triu(P, 1))]


def _patience(observer: Observer, sensor: Sensor) -> int:
    """Return how many readings of a sensor are refused in a row before one is taken again."""
    return round(observer.patience / (sensor.samples(observer.cycle) * observer.cycle))


def crane_functions(controller: Controller) -> list[ca.Function]:
    """Return what the filter needs of the crane, for its parameters.

    ``readings(q, v, d) -> (y, C)``, ``correct(q, v, d, dx) -> (q, v, d)``, ``signals(q, v) -> s``,
    ``move(q, v, d, u, h) -> (A, q, v)`` with the slopes A before, and d where drives have places;
    matrices column by column.
    """
    observer, signals = controller.observer, controller.signals
    assert observer is not None
    assert signals is not None
    n, f = len(observer.crane.coordinates), len(observer.motion.independent)
    q, v = ca.SX.sym("q", n), ca.SX.sym("v", n)
    d, dx = ca.SX.sym("d", len(observer.constants)), ca.SX.sym("dx", len(observer.states))
    u, h = ca.SX.sym("u", len(observer.crane.inputs)), ca.SX.sym("h")
    known = ca.SX(ca.DM(observer.parameter_vector))
    w, p = disturbed(observer, d, known)
    y, C = output_slopes(observer, q, v, p)
    dq, dv = observer.motion.tangent(q, v, p)
    d_new = corrected_disturbances(observer, d, dx[2 * f :])
    changed = disturbed(observer, d_new, known)[1]
    corrected = observer.motion.complete(q + dq @ dx[: 2 * f], v + dv @ dx[: 2 * f], changed)
    A = state_slopes(observer, q, v, u, w, p)
    moved = observer.motion.step(q, v, u, w, p, h)
    places = {"d_new": observer.moved(d, u, h)} if observer.places else {}
    return [
        _function("readings", {"q": q, "v": v, "d": d}, {"y": y, "C": C}),
        _function(
            "correct",
            {"q": q, "v": v, "d": d, "dx": dx},
            {"q_new": corrected[0], "v_new": corrected[1], "d_new": d_new},
        ),
        _function("signals", {"q": q, "v": v}, {"s": signals(q, v, known)}),
        # in one: slopes and the step's first stage factorise the same matrix
        _function(
            "move",
            {"q": q, "v": v, "d": d, "u": u, "h": h},
            {"A": A, "q_new": moved[0], "v_new": moved[1], **places},
        ),
    ]


def _function(name: str, takes: dict[str, ca.SX], gives: dict[str, ca.SX]) -> ca.Function:
    results = ca.cse([ca.densify(result) for result in gives.values()])
    return ca.Function(name, list(takes.values()), results, list(takes), list(gives))


def moves(controller: Controller) -> list[tuple[int, float]]:
    """Return the parts of a cycle's prediction: inputs of an age, newest 0, and how long in s."""
    (whole, rest), observer = controller.delay, controller.observer
    parts = [*([(whole + 1, rest)] if rest else []), (whole, controller.cycle - rest)]
    steps = 1 if observer is None else observer.steps
    return [(age, time / steps) for age, time in parts for _ in range(steps)]


def _moves(controller: Controller, precision: Precision) -> str:
    """Return the calls that predict a cycle."""
    return "\n".join(
        f"    move_on(s, acting + {age} * INPUTS, {literal(time, precision)});"
        for age, time in moves(controller)
    )
