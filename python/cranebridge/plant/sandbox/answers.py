"""Answers of the child process, checked: foreign code ran where they come from."""

from __future__ import annotations

import math
from collections.abc import Mapping
from typing import Any

import numpy as np
from numpy.typing import NDArray

from cranebridge.plant.description import PlantInfo, plain
from cranebridge.plant.plant_choices import TOOLS
from cranebridge.plant.protocol import LinearizationRequest, PointsRequest, SimulationRequest
from cranebridge.plant.sandbox.child_process import PlantStatusError, PlantValueError
from cranebridge.plant.sandbox.plant_results import Dense, Linearization, Rates, Simulation

Array = NDArray[np.float64]
Log = tuple[str, ...]


def simulation(
    request: SimulationRequest, reply: Mapping[str, Any], results: Mapping[str, Array], log: Log
) -> Simulation:
    """Result of a simulation."""
    grid, names, state_names = request.times, request.output_names, request.state_names
    ended = str(reply.get("ended", ""))
    if ended:
        grid = grid[: len(results.get("outputs", grid))]
    y = expect(results, "outputs", (len(grid), len(names)), log)
    x = expect(results, "states", (len(grid), len(state_names)), log)
    require_finite(y, names, "at output time number {row}", log)
    require_finite(x, state_names, "at output time number {row}", log)
    counts, seconds = counters(reply, log)
    return Simulation(
        time=grid,
        outputs=y,
        states=x,
        output_names=names,
        state_names=state_names,
        steps=counts[0],
        rejected=counts[1],
        evaluations=counts[2],
        events=counts[3],
        method=_method(request),
        interpolation=plain(str(reply.get("interpolation", "")), 100),
        seconds=seconds,
        set_back=reply.get("set_back") is True,
        log=log,
        dense=nodes(results, names, state_names, log) if request.dense and len(grid) else None,
        ended=ended,
        **(_law_results(request, results, log) if not ended else {}),
    )


def _method(request: SimulationRequest) -> str:
    method = request.method if request.fmu.is_model_exchange else "Co-Simulation"
    tool = TOOLS.get(request.fmu.backend)
    return method if tool is None else f"{tool.name}, {method}"


def _law_results(
    request: SimulationRequest, results: Mapping[str, Array], log: Log
) -> dict[str, Array]:
    """What a sampled controller measured, gave out and said; nothing where there is none."""
    law = request.controls.law if request.controls is not None else None
    if law is None:
        return {}
    samples, inputs, signals = law.time.size, law.first.size, law.resolution.size
    given = expect(results, "given", (samples, inputs), log)
    names = tuple(f"input {i + 1} of the controller" for i in range(inputs))
    require_finite(given, names, "at sample number {row}", log)
    status = expect(results, "controller", (samples,), log)
    require_finite(status[:, None], ("status of the controller",), "at sample number {row}", log)
    measured = expect(results, "measured", (samples, signals), log)
    estimated = expect(results, "estimated", (samples, law.estimates), log)
    return {
        "given": given,
        "measured": measured,
        "controller_status": status,
        "estimated": estimated,
    }


def counters(reply: Mapping[str, Any], log: Log) -> tuple[list[int], float]:
    """Steps, rejected steps, evaluations and events; and the time that it took."""
    try:
        counts = [int(reply[key]) for key in ("steps", "rejected", "evaluations", "events")]
        seconds = float(reply["seconds"])
        sound = all(0 <= count < 2**53 for count in counts) and 0.0 <= seconds < math.inf
    except (KeyError, TypeError, ValueError, OverflowError):
        sound = False
    if not sound:
        raise PlantStatusError("the child process returned no counters.", log)
    return counts, seconds


def input_order(
    _request: SimulationRequest, reply: Mapping[str, Any], _results: Mapping[str, Array], log: Log
) -> int:
    """Order of input derivatives that an FMU takes."""
    order = reply.get("order")
    if not isinstance(order, int) or order < 0:
        raise PlantStatusError("the child process returned no order of input derivatives.", log)
    return order


def nodes(
    results: Mapping[str, Array],
    names: tuple[str, ...],
    state_names: tuple[str, ...],
    log: Log,
) -> Dense:
    """Nodes of the integrator's steps."""
    time, begins = (results.get(f"dense.{key}", np.empty(0)) for key in ("time", "starts"))
    sound = _ordered(time) and _ordered(begins) and begins[0] == 0 and begins[-1] < len(time)
    if not sound:
        raise PlantStatusError("the child process returned no nodes of its steps.", log)
    starts = begins.astype(np.int64)
    y = expect(results, "dense.outputs", (len(time), len(names)), log)
    x = expect(results, "dense.states", (len(time), len(state_names)), log)
    where = "between the output times, at node number {row}"
    require_finite(y, names, where, log)
    require_finite(x, state_names, where, log)
    return Dense(time, y, x, starts)


def _ordered(values: Array) -> bool:
    sound = values.ndim == 1 and len(values) > 0 and bool(np.isfinite(values).all())
    return sound and bool((np.diff(values) >= 0.0).all())


def points(
    info: PlantInfo,
    request: PointsRequest,
    _reply: Mapping[str, Any],
    results: Mapping[str, Array],
    log: Log,
) -> tuple[Array, Array]:
    """Derivatives and outputs at many points."""
    rows = len(request.x)
    rates = expect(results, "derivatives", (rows, len(info.states)), log)
    values = expect(results, "outputs", (rows, len(request.names)), log)
    require_finite(rates, info.derivatives, "in row {row}", log)
    require_finite(values, request.names, "in row {row}", log)
    return rates, values


def rates(
    info: PlantInfo,
    request: PointsRequest,
    reply: Mapping[str, Any],
    results: Mapping[str, Array],
    log: Log,
) -> Rates:
    """Derivatives and outputs at many points, and the outputs' time derivatives."""
    derivatives, values = points(info, request, reply, results, log)
    names = request.names
    found = expect(results, "output_rates", (len(request.x), len(names)), log)
    require_finite(found, _rates_of(names), "in row {row}", log)
    exact = request.directional and reply.get("time_dependent") is False
    return Rates(derivatives, values, found, names, exact)


def second_rates(
    request: PointsRequest, _reply: Mapping[str, Any], results: Mapping[str, Array], log: Log
) -> Array:
    """Second time derivatives of outputs at many points."""
    found = expect(results, "second_rates", (len(request.x), len(request.names)), log)
    require_finite(found, _rates_of(_rates_of(request.names)), "in row {row}", log)
    return found


def _rates_of(names: tuple[str, ...]) -> tuple[str, ...]:
    return tuple(f"der({name})" for name in names)


def linearization(
    info: PlantInfo,
    request: LinearizationRequest,
    _reply: Mapping[str, Any],
    results: Mapping[str, Array],
    log: Log,
) -> Linearization:
    """The Jacobian at a point, in its four blocks."""
    nx, nu, names = len(info.states), len(info.inputs), request.names
    jacobian = expect(results, "jacobian", (nx + len(names), nx + nu), log)
    columns = (*info.states, *info.input_names)
    require_finite(jacobian, columns, "in row {row} of the Jacobian", log)
    return Linearization(
        A=jacobian[:nx, :nx],
        B=jacobian[:nx, nx:],
        C=jacobian[nx:, :nx],
        D=jacobian[nx:, nx:],
        output_names=names,
        exact=request.directional,
    )


def expect(
    results: Mapping[str, Array], name: str, shape: tuple[int, ...], log: tuple[str, ...]
) -> Array:
    """Take an array from the child's answer; foreign code may have changed it."""
    array = results.get(name)
    if array is None or array.shape != shape:
        raise PlantStatusError(f"the child process returned no '{name}' of shape {shape}.", log)
    return array


def require_finite(values: Array, names: tuple[str, ...], what: str, log: tuple[str, ...]) -> None:
    """Raise an error that names the first value that is not finite."""
    bad = np.argwhere(~np.isfinite(values))
    if len(bad):
        row, column = bad[0]
        raise PlantValueError(
            f"{names[column]} is {values[row, column]} {what.format(row=row)}.", log
        )
