"""The observer's part of a controller's Structured Text: functions of the crane, and the filter.

The functions are those of the C module
(:func:`cranebridge.control.code.observer_c.crane_functions`), a statement for each operation; the
filter is loops over matrices, as there.
"""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass

import numpy as np

from cranebridge.control.code.controller import Controller
from cranebridge.control.code.observer_c import (
    IMPOSSIBLE,
    crane_functions,
    gate_of,
    moves,
    observer_sizes,
    together,
    whole_numbers,
)
from cranebridge.emit import Precision, Statements, Value, emit_statements, listed, number, numbers
from cranebridge.errors import InputError

MOST_STATEMENTS = 20_000
"""Statements of a crane's functions that are written at most. At some 25 bytes of a compiled
statement this is half a megabyte, which few PLCs have for one block."""

# Where the functions find their arguments and put their results.
_PLACES = {
    **{"q": "Place[{}]", "v": "Speed[{}]", "d": "Disturbance[{}]"},
    **{"q_new": "NewPlace[{}]", "v_new": "NewSpeed[{}]", "d_new": "NewDisturbance[{}]"},
    **{"y": "Expected[{}]", "C": "Slope[{}]", "dx": "Change[{}]", "s": "Signal{}"},
    **{"u": "Drive[{}]", "h": "Span", "A": "Rate[{}]"},
}


@dataclass(frozen=True)
class ObserverText:
    """What is filled into the template for an observer, and what it amounts to."""

    values: dict[str, Value]
    written: int
    looped: int


def observer_text(
    controller: Controller, measured: list[str], given: list[str], precision: Precision
) -> ObserverText:
    """Return what an observer adds to a function block.

    Parameters
    ----------
    controller : Controller
        With an observer.
    measured, given : list of str
        Names of what the sensors say, and of the inputs that are given out.
    precision : {"double", "single"}
        LREAL or REAL.

    Raises
    ------
    InputError
        If the crane's functions are too large for a PLC.
    """
    functions = {one.name(): one for one in crane_functions(controller)}
    size = sum(function.n_instructions() for function in functions.values())
    # constants and arguments have no statements: some are left where there are twice as many
    code: dict[str, Statements] = {}
    if size <= 2 * MOST_STATEMENTS:
        for name, function in functions.items():
            takes = [_PLACES[function.name_in(i)] for i in range(function.n_in())]
            gives = [_PLACES[function.name_out(i)] for i in range(function.n_out())]
            code[name] = emit_statements(function, takes, gives, precision)
        size = sum(len(one.lines) for one in code.values())
    if size > MOST_STATEMENTS:
        raise InputError(
            f"the observer of this crane has {size} operations, too many for Structured Text (at "
            f"most {MOST_STATEMENTS}); deliver C, or take a crane with fewer coordinates"
        )
    work = max(one.work for one in code.values())
    kind = "LREAL" if precision == "double" else "REAL"
    values: dict[str, Value] = {
        **_sizes(controller),
        **_numbers(controller, precision),
        **{name.upper(): indented(one.lines) for name, one in code.items()},
        "MOVE": indented(code["move"].lines, 8),
        "READ": indented(f"Reading[{i}] := {name};" for i, name in enumerate(measured)),
        "GIVE": indented(f"Acting[{i}] := {name};" for i, name in enumerate(given)),
        "WORK": indented(listed([f"W{i}" for i in range(work)], kind)),
        "DRIVE_PLACES": bool(controller.observer and controller.observer.places),
    }
    return ObserverText(values, written=size, looped=_looped(controller))


def _sizes(controller: Controller) -> dict[str, str]:
    """Return sizes of arrays, and their last elements."""
    observer = controller.observer
    assert observer is not None
    sizes = observer_sizes(observer, controller)
    n, m, inputs = sizes["STATES"], sizes["MOVING"], len(controller.inputs)
    sensors = len(observer.sensors)
    last = {
        "SENSOR": sensors,
        "SLOPE": sensors * n,
        "COORDINATE": sizes["COORDINATES"],
        "DISTURBANCE": sizes["SIZE_D"],
        "ESTIMATED": sizes["ESTIMATED"],
        "STATE": n,
        "MOVING": m,
        "ENTRY": n * n,
        "RATE": m * n,
        "INPUT": inputs,
        "ACTING": sizes["WAY"] + inputs,
        "MOVE": len(moves(controller)),
    }
    own = {"STATES": n, "MOVING": m, "SENSORS": sensors, "INPUTS": inputs}
    own |= {"NEXT_DIAGONAL": n + 1, "WAYS": sizes["WAY"] // inputs}
    own |= {f"LAST_{name}": size - 1 for name, size in last.items()}
    return {name: str(size) for name, size in own.items()}


def _numbers(controller: Controller, precision: Precision) -> dict[str, str]:
    """Return tables, and numbers in the text."""
    observer = controller.observer
    assert observer is not None
    q, v, d = controller.estimate
    parts = moves(controller)
    tables = {
        "NOISE": np.array([sensor.deviation**2 for sensor in observer.sensors]),
        "GROWTH": observer.growth,
        "VARIANCE": np.diagonal(observer.covariance),
        "PLACE": q,
        "SPEED": v,
        "DISTURBANCE": d if d.size else np.zeros(1),
        "HOLD": controller.hold[0],
        "MOVE_TIME": np.array([time for _, time in parts]),
    }
    inputs = len(controller.inputs)
    return {
        **whole_numbers(observer),
        "MOVE_FROM": ", ".join(str(age * inputs) for age, _ in parts),
        "GATE": number(gate_of(observer) ** 2, precision),
        "IMPOSSIBLE": number(IMPOSSIBLE**2, precision),
        "CYCLE": number(controller.cycle, precision),
        "TOGETHER": indented(
            f"Covariance[{at}] := {number(x, precision)};"
            for i, j, x in together(observer)
            for at in (i * len(observer.states) + j, j * len(observer.states) + i)
        ),
    } | {name: numbers(values, precision) for name, values in tables.items()}


def indented(lines: Iterable[str], indent: int = 4) -> str:
    """Return lines within a block."""
    return "\n".join(f"{' ' * indent}{line}" for line in lines)


def _looped(controller: Controller) -> int:
    """Return products in the loops over matrices in a step in which all sensors are read."""
    observer = controller.observer
    assert observer is not None
    n, m = len(observer.states), 2 * len(observer.motion.independent)
    reading = 2 * n * n + 4 * n
    moving = n * (3 * m + 2 * m * m) + 2 * n**3
    return len(observer.sensors) * reading + len(moves(controller)) * moving
