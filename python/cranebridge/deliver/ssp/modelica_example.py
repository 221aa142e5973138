"""A Modelica model in which the feedforward drives the plant: the block diagram of both.

The table is in the model, in the form of ``Cranes.TimeTable``: values and exact rates of the
controls with cubic pieces between them, so that few rows are enough. The model needs no library but
``modelica/Cranes``.
"""

from __future__ import annotations

import re
from collections.abc import Iterable, Mapping
from typing import Any

import numpy as np

from cranebridge.deliver.ssp.builder import plant_of
from cranebridge.deliver.ssp.feedforward_ssp import connections_to
from cranebridge.deliver.ssp.system import Connection
from cranebridge.errors import InputError
from cranebridge.inverse import Feedforward, Samples, cycle_times, sample, signals


def modelica_model(
    feedforward: Feedforward,
    scenario: Mapping[str, Any],
    name: str,
    *,
    within: str = "",
    step: float = 0.2,
) -> str:
    """Write a Modelica model that moves a plant of ``modelica/Cranes`` by a feedforward.

    Parameters
    ----------
    feedforward : Feedforward
        The solution.
    scenario : mapping
        Its ``plant`` table names a model of ``modelica/Cranes``.
    name : str
        Name of the model.
    within : str
        Package that it belongs to; none by default.
    step : float
        Distance of rows in time [s]; the interpolation error is of fourth order in it.

    Raises
    ------
    InputError
        If the plant is no model of ``modelica/Cranes``, or an input is not a single control.
    """
    plant = scenario.get("plant", {}).get("model")
    if not isinstance(plant, str) or not re.fullmatch(r"[A-Za-z]\w*", plant):
        raise InputError("a Modelica model needs a plant.model of modelica/Cranes")
    problem = feedforward.problem
    mapping = plant_of(problem, scenario)[1]
    connections, driven = connections_to(problem, mapping)
    # inputs of a component must all be given: those that no drive is, as the plant starts with them
    given = {signal.name: signal.start or 0.0 for signal in mapping.info.inputs}
    constants = driven | {n: value for n, value in given.items() if n not in mapping.input_names}
    start = mapping.parameters(problem, feedforward.q[0], feedforward.v[0])
    samples = sample(feedforward, cycle_times(feedforward, step), both_sides=True)
    tables = [
        _table(samples, feedforward, connection.start)
        for connection in {c.start: c for c in connections}.values()
    ]
    return "\n".join(
        [
            *([f"within {within};"] if within else []),
            f'model {name} "{plant} that its feedforward moves from start to goal"',
            f"  Cranes.{plant} crane({_modifications(start)})",
            '    "The crane";',
            *tables,
            "equation",
            *_equations(connections, constants),
            *_annotation(feedforward, plant),
            f"end {name};",
            "",
        ]
    )


def _modifications(values: Mapping[str, float]) -> str:
    return ", ".join(f"{name}={_number(value)}" for name, value in values.items())


def _number(value: float) -> str:
    # Modelica has no negative zero worth writing
    return repr(float(value) + 0.0)


def _experiment(time: float) -> str:
    return "0" if time == 0.0 else _number(time)


def _table(samples: Samples, feedforward: Feedforward, control: str) -> str:
    signal = signals(feedforward.problem.crane)[f"u.{control}"]
    time, value, rate = samples.time, samples.value(signal), samples.rate(signal)
    # A knot is there twice, with the rates of both its sides: no piece has no length.
    begins = np.flatnonzero(np.diff(time) > 0.0)
    rows = [(time[k], value[k], rate[k], rate[k + 1]) for k in begins]
    rows.append((time[-1], value[-1], 0.0, 0.0))
    lines = ";\n".join("    " + ", ".join(_number(x) for x in row) for row in rows)
    meaning = signal.meaning[0].upper() + signal.meaning[1:]
    return f'  Cranes.TimeTable {control}(table=[\n{lines}])\n    "{meaning}";'


def _equations(connections: Iterable[Connection], constants: Mapping[str, float]) -> Iterable[str]:
    for connection in connections:
        right = f"{connection.start}.y"
        if connection.factor != 1.0:
            right = f"({_number(connection.factor)})*{right}"
        if connection.offset != 0.0:
            right = f"{right} + ({_number(connection.offset)})"
        yield f"  crane.{connection.end} = {right};"
    yield from (f"  crane.{name} = {_number(value)};" for name, value in constants.items())


def _annotation(feedforward: Feedforward, plant: str) -> list[str]:
    problem = feedforward.problem
    path = problem.path
    start, goal = (
        ", ".join(f"{value:.6g}" for value in path.derivatives(np.array([t]), 0)[0, :, 0])
        for t in (0.0, path.duration)
    )
    outputs = ", ".join(output.name for output in problem.crane.outputs)
    return [
        "  annotation (",
        f"    experiment(StartTime={_experiment(feedforward.time[0])}, "
        f"StopTime={_number(feedforward.time[-1])}, Tolerance=1e-9),",
        '    Documentation(info="<html>',
        f'<p>A <a href=\\"modelica://Cranes.{plant}\\">{plant}</a> that is moved by a feedforward:'
        "</p>",
        f"<p>from <code>({outputs}) = ({start})</code> to <code>({goal})</code> in "
        f"{path.duration:g} s.",
        "The tables are the forces and torques of the drives for this path, each with its exact",
        "rate.</p>",
        *_in_motion(feedforward),
        '</html>"));',
    ]


def _in_motion(feedforward: Feedforward) -> list[str]:
    """Say where the motion does not rest."""
    starts, ends = feedforward.problem.path.moving_ends
    found = []
    if starts:
        found.append(
            "<p>It starts moving: the start values of the crane are those of the path.</p>"
        )
    if ends:
        found.append("<p>It ends moving: after the end the controls mean nothing.</p>")
    return found
