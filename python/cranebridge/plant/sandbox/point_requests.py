"""Evaluations that a user asks of a plant become requests to the child process."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any, Literal

import numpy as np
from numpy.typing import ArrayLike, NDArray

from cranebridge.errors import InputError
from cranebridge.plant.description import PlantInfo
from cranebridge.plant.protocol import Instantiation, LinearizationRequest, PointsRequest
from cranebridge.plant.sandbox.variable_references import (
    check_parameter,
    is_discrete,
    number_reference,
    output_names,
    reference_of,
    values_of,
    whole_variables,
)

Array = NDArray[np.float64]

# Step in s of the differences along the plant's own trajectory. Order 4: for motions of some rad/s
# truncation and rounding are about 1e-12 of a first derivative, 1e-9 of a second one.
DIFFERENCE_STEP = 1e-3
# Of this step, by command and whether the FMU gives directional derivatives: one difference of
# exact rates bears a smaller step than two of values.
_STEPS = {
    ("derivatives", False): 0.0,
    ("rates", False): 1.0,
    ("rates", True): 1.0,
    ("second_rates", False): 1.0,
    ("second_rates", True): 0.1,
}


def points_request(
    command: Literal["derivatives", "rates", "second_rates"],
    info: PlantInfo,
    fmu: Instantiation,
    states: ArrayLike,
    inputs: ArrayLike | None,
    parameters: ArrayLike | None,
    parameter_names: Sequence[str] | None,
    outputs: Sequence[str] | None,
    times: ArrayLike | None,
) -> PointsRequest:
    """Request for many points: a row each of states, inputs, parameters and times."""
    _require_model_exchange(command, fmu)
    names = output_names(info, outputs)
    x = _table(states, len(info.states), "states")
    if not len(x):
        raise InputError("states: one row at least is needed.")
    u = _input_table(info, inputs, len(x))
    what, p = _parameter_table(info, parameters, parameter_names)
    t = np.zeros(len(x)) if times is None else np.array(times, dtype=float)
    if any(len(rows) != len(x) for rows in (u, t, *(() if p is None else (p,)))):
        raise InputError("states, inputs, parameters and times need the same number of rows.")
    if not np.isfinite(t).all():
        raise InputError("times: a value is not finite.")
    variables = _variables(info, names)
    directional = command != "derivatives" and differentiable(info, names)
    return PointsRequest(
        command=command,
        fmu=fmu,
        **variables,
        directional=directional,
        states=state_references(info)[0] if directional else (),
        x=x,
        u=u,
        t=t,
        p=p,
        parameter_sizes=what,
        discrete=any(is_discrete(signal) for signal in info.inputs),
        step=_STEPS[command, directional] * DIFFERENCE_STEP,
    )


def linearization_request(
    info: PlantInfo,
    fmu: Instantiation,
    state: ArrayLike,
    inputs: ArrayLike | None,
    parameters: Mapping[str, float],
    outputs: Sequence[str] | None,
    time: float,
) -> LinearizationRequest:
    """Request for the Jacobian at a point."""
    _require_model_exchange("directional", fmu)
    whole = [signal.name for signal in info.inputs if is_discrete(signal)]
    if whole:
        raise InputError(f"'directional' needs continuous inputs; {', '.join(whole)} is not.")
    names = output_names(info, outputs)
    x = _table(np.atleast_1d(np.asarray(state, dtype=float))[None], len(info.states), "x")
    u = _input_table(info, None if inputs is None else np.atleast_1d(inputs)[None], 1)
    directional = differentiable(info, names)
    states, derivatives = state_references(info) if directional else ((), ())
    return LinearizationRequest(
        fmu=fmu,
        **_variables(info, names),
        directional=directional,
        states=states,
        derivatives=derivatives,
        x=x[0],
        u=u[0],
        t=np.array([time]),
        values=values_of(info, parameters),
    )


def _require_model_exchange(what: str, fmu: Instantiation) -> None:
    if not fmu.is_model_exchange:
        raise InputError(f"'{what}' needs Model Exchange; this plant runs as Co-Simulation.")


def _variables(info: PlantInfo, names: tuple[str, ...]) -> dict[str, Any]:
    """Inputs and outputs; the position of outputs that are states, else -1."""
    signals = info.signals()
    return {
        "inputs": tuple(reference_of(signal) for signal in info.inputs),
        "outputs": tuple(number_reference(info, signals, "output", name) for name in names),
        "names": names,
        "output_states": tuple(
            info.states.index(name) if name in info.states else -1 for name in names
        ),
    }


def differentiable(info: PlantInfo, names: Sequence[str]) -> bool:
    """Whether the FMU gives directional derivatives of these variables by its states.

    The standard allows outputs and derivatives of states as unknowns, and states that are scalar
    variables as knowns. The derivative of a state needs no call.
    """
    signals = info.signals()
    # Of arrays only whole ones: differences serve as well there.
    scalar = all(
        name in signals and signals[name].size == 1
        for name in (*info.states, *info.derivatives, *info.input_names, *names)
    )
    unknowns = {*info.output_names, *info.derivatives, *info.states}
    real = all(signals[name].type == "Float64" for name in names if name in signals)
    return info.can_get_derivatives and scalar and real and unknowns.issuperset(names)


def state_references(info: PlantInfo) -> tuple[tuple[int, ...], tuple[int, ...]]:
    """Value references of the states and of their derivatives, where they are scalars."""
    signals = info.signals()
    return (
        tuple(signals[name].value_reference for name in info.states),
        tuple(signals[name].value_reference for name in info.derivatives),
    )


# ---------------------------------------------------------------------------- tables


def _input_table(info: PlantInfo, inputs: ArrayLike | None, rows: int) -> Array:
    """Inputs, a row for each point; their start values if not given."""
    if inputs is None:
        row = [signal.start or 0.0 for signal in info.inputs]
        return np.tile(np.array(row, dtype=float), (rows, 1))
    return _table(inputs, len(info.inputs), "inputs")


def _parameter_table(
    info: PlantInfo, parameters: ArrayLike | None, names: Sequence[str] | None
) -> tuple[tuple[tuple[int, str, int], ...], Array | None]:
    """Whole parameters with their sizes, and their values, a row for each point."""
    if parameters is None:
        return (), None
    known = {signal.name: signal for signal in info.parameters}
    chosen = list(names if names is not None else known)
    for name in chosen:
        check_parameter(info, known, name)
    given = _table(parameters, len(chosen), "parameters")
    columns = [(known[name], column) for name, column in zip(chosen, given.T, strict=True)]
    whole = whole_variables(info, columns, lambda start: np.full(len(given), start))
    rows = np.array([column for row in whole.values() for column in row]).T
    sizes = tuple((*key, len(row)) for key, row in whole.items())
    return sizes, rows.reshape(len(given), -1)


def _table(given: ArrayLike, columns: int, what: str) -> Array:
    """Return finite numbers with so many columns."""
    rows = np.array(given, dtype=float, order="C")
    if rows.ndim != 2 or rows.shape[1] != columns:
        raise InputError(f"{what}: {columns} columns are needed, the shape is {rows.shape}.")
    if not np.isfinite(rows).all():
        raise InputError(f"{what}: a value is not finite.")
    return rows
