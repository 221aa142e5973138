"""What a user asks of a plant becomes a request to the child process: names checked, then numbers.

Names become value references, tables become arrays of doubles.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import replace
from typing import Any, TypeVar

import numpy as np
from numpy.typing import ArrayLike, NDArray

from cranebridge.errors import InputError, unknown
from cranebridge.plant.description import (
    NOT_NUMBERS,
    Interface,
    PlantInfo,
    Signal,
    named,
    refuse_array,
)
from cranebridge.plant.protocol import Controls, to_message, wire

Array = NDArray[np.float64]
Body = dict[str, Any]
Arrays = dict[str, Array]
Reference = int | tuple[int, str] | tuple[int, str, int, int]
Value = tuple[Signal, float]
Row = tuple[int, str, list[float]]
T = TypeVar("T")


# ---------------------------------------------------------------------------- simulation


def simulation_request(
    info: PlantInfo,
    interface: Interface,
    inputs: Controls | None,
    parameters: Mapping[str, float],
    start: Mapping[str, float],
    names: Sequence[str],
) -> tuple[Body, Arrays]:
    """Check all names of a simulation and translate them to value references."""
    signals = info.signals()
    inputs = _stopped(inputs, signals)
    controls, arrays = _controls(info, inputs, signals)
    before, state_values, expected = _start_values(info, interface, start, signals)
    states = info.states
    if interface == "cs":
        states = tuple(name for name in states if name in signals)
    body = {
        "command": "simulate",
        "controls": controls,
        "references": _references(inputs, signals),
        "discrete": [name for name in controls.get("names", ()) if is_discrete(signals[name])],
        "intermediate": _intermediate(info, inputs, signals),
        "outputs": [_number(info, signals, "output", name) for name in names],
        "output_names": list(names),
        "state_names": list(states),
        "state_references": [_reference(signals[n]) for n in states if n in signals],
        "state_values": state_values,
        "jacobian": _jacobian_references(info, interface),
        "values": _rows(info, [*_parameters(info, parameters), *before]),
        "expected": expected,
        "variable_step": info.variable_step,
        "max_order": info.max_input_derivative_order,
    }
    return body, arrays


def _controls(
    info: PlantInfo, inputs: Controls | None, signals: Mapping[str, Signal]
) -> tuple[Body, Arrays]:
    if inputs is None:
        return {}, {}
    for name in inputs.names:
        _refuse_array(info, "input", name)
        if name not in info.input_names and name not in _tunable(info):
            raise _unknown(info, "input", name, info.input_names)
        _number(info, signals, "input", name)
    _check_held(inputs, signals)
    if inputs.drives is not None:
        for name in inputs.drives.inputs:
            if is_discrete(signals[name]):
                raise InputError(f"drive controller: the input '{name}' is discrete.")
        for name in (*inputs.drives.positions, *inputs.drives.velocities):
            _number(info, signals, "output", name)
            through = info.output_dependencies.get(name, ())
            if through:
                raise InputError(
                    f"drive controller: '{name}' depends directly on {', '.join(through)}; "
                    "feeding it back would make an algebraic loop."
                )
    if inputs.law is not None:
        for name in inputs.names:
            if is_discrete(signals[name]):
                raise InputError(f"controller: the input '{name}' is discrete.")
        for name in inputs.law.readings:
            _number(info, signals, "output", name)
    return to_message(inputs)


def _tunable(info: PlantInfo) -> set[str]:
    """Parameters that may change during a run, as a held input does."""
    return {signal.name for signal in info.parameters if signal.variability == "tunable"}


def is_discrete(signal: Signal) -> bool:
    """Whether an input changes at events only, as a tunable parameter does."""
    held = signal.variability in ("discrete", "tunable")
    return held or not signal.type.startswith("Float")


def _stopped(inputs: Controls | None, signals: Mapping[str, Signal]) -> Controls | None:
    """Add a stop at each change of a discrete input: it is an event."""
    if inputs is None:
        return None
    columns = [i for i, n in enumerate(inputs.names) if n in signals and is_discrete(signals[n])]
    if not columns:
        return inputs
    values = inputs.coefficients[-1][:, columns]
    changes = inputs.breakpoints[1:-1][(np.diff(values, axis=0) != 0.0).any(axis=1)]
    return replace(inputs, stops=np.union1d(inputs.stops, changes))


def _check_held(inputs: Controls, signals: Mapping[str, Signal]) -> None:
    """Discrete inputs are held, those that are whole take whole numbers."""
    for i, name in enumerate(inputs.names):
        signal = signals[name]
        if not is_discrete(signal):
            continue
        if inputs.coefficients[:-1, :, i].any():
            raise InputError(
                f"the input '{name}' is discrete: its values are to be held (Controls.hold)."
            )
        for value in np.unique(inputs.coefficients[-1, :, i]):
            signal.check(float(value))


def _references(inputs: Controls | None, signals: Mapping[str, Signal]) -> dict[str, Reference]:
    if inputs is None:
        return {}
    names = list(inputs.names)
    if inputs.drives is not None:
        names += [*inputs.drives.positions, *inputs.drives.velocities]
    if inputs.law is not None:
        names += inputs.law.readings
    return {name: _reference(signals[name]) for name in names}


def _intermediate(
    info: PlantInfo, inputs: Controls | None, signals: Mapping[str, Signal]
) -> list[str]:
    """Inputs and measured outputs that can be set and read within a communication step."""
    if not info.intermediate_update:
        return []
    return [name for name in _references(inputs, signals) if signals[name].intermediate]


def values(info: PlantInfo, parameters: Mapping[str, float]) -> list[Row]:
    """Translate values of parameters."""
    return _rows(info, _parameters(info, parameters))


def structure_rows(info: PlantInfo) -> list[Row]:
    """Translate the structural parameters that the plant was opened with."""
    known = {signal.name: signal for signal in info.structural}
    return _rows(info, [(known[name], value) for name, value in info.structure.items()])


def _parameters(info: PlantInfo, parameters: Mapping[str, float]) -> list[Value]:
    known = {signal.name: signal for signal in info.parameters}
    found = []
    for name, value in parameters.items():
        _check_parameter(info, known, name)
        found.append((known[name], _value(info, known[name], value)))
    return found


def _check_parameter(info: PlantInfo, known: Mapping[str, Signal], name: str) -> None:
    _refuse_array(info, "parameter", name)
    if any(name == signal.name for signal in info.structural):
        raise InputError(
            f"'{name}' is a structural parameter: give it when the plant is opened (structure)."
        )
    if name not in known:
        raise _unknown(info, "parameter", name, known)


def _rows(info: PlantInfo, found: Sequence[Value]) -> list[Row]:
    return [(*key, row) for key, row in _whole(info, found, float).items()]


def _whole(
    info: PlantInfo, found: Sequence[tuple[Signal, T]], of_start: Callable[[float], T]
) -> dict[tuple[int, str], list[T]]:
    """Values of whole variables: FMI does not set an element of an array alone."""
    rows: dict[tuple[int, str], list[T | None]] = {}
    for signal, value in found:
        row = rows.setdefault((signal.value_reference, signal.type), [None] * signal.size)
        row[signal.element] = value
    open_rows = {key for key, row in rows.items() if any(value is None for value in row)}
    for signal in info.variables if open_rows else ():
        key = (signal.value_reference, signal.type)
        if key in open_rows and rows[key][signal.element] is None:
            rows[key][signal.element] = of_start(_kept(signal))
    return {key: [value for value in row if value is not None] for key, row in rows.items()}


def _kept(signal: Signal) -> float:
    """Start value of an element that is set with others of its array."""
    if signal.start is None:
        raise InputError(
            f"'{signal.name}' has no start value: give all elements of its array, or none."
        )
    return signal.start


def _start_values(
    info: PlantInfo, interface: Interface, start: Mapping[str, float], signals: Mapping[str, Signal]
) -> tuple[list[Value], list[tuple[int, float]], list[tuple[Reference, float, str]]]:
    """Values before initialization, states after it, and what to expect in between.

    Model Exchange sets the continuous states themselves. Co-Simulation cannot: a state with a start
    value of its own takes the value; for one that is calculated from a single parameter, the
    parameter gets the value, and the child checks that the state follows.
    """
    before: list[Value] = []
    after: list[tuple[int, float]] = []
    expected: list[tuple[Reference, float, str]] = []
    for name, value in start.items():
        if interface == "me" and name in info.states:
            after.append((info.states.index(name), _finite(name, value)))
            continue
        _refuse_array(info, "variable", name)
        if name not in signals:
            raise unknown(f"variable of '{info.name}'", name, signals)
        signal = signals[name]
        if signal.initial == "calculated":
            sources = info.initial_dependencies.get(name, ())
            if len(sources) != 1 or sources[0] not in signals:
                raise InputError(
                    f"'{name}' is calculated at the start and cannot be set in Co-Simulation; "
                    f"set what it depends on: {', '.join(sources) or 'not told by the FMU'}."
                )
            expected.append((_reference(signal), float(value), name))
            signal = signals[sources[0]]
        before.append((signal, _value(info, signal, value)))
    return before, after, expected


# ---------------------------------------------------------------------------- single points


def points_request(
    info: PlantInfo,
    states: ArrayLike,
    inputs: ArrayLike | None,
    parameters: ArrayLike | None,
    parameter_names: Sequence[str] | None,
    times: ArrayLike | None,
    names: Sequence[str],
) -> tuple[Body, Arrays]:
    """Request for many points: a row each of states, inputs, parameters and times."""
    x = table(states, len(info.states), "states")
    if not len(x):
        raise InputError("states: one row at least is needed.")
    arrays = {"states": x, "inputs": input_table(info, inputs, len(x))}
    body = point_body(info, names)
    if parameters is not None:
        known = {signal.name: signal for signal in info.parameters}
        chosen = list(parameter_names if parameter_names is not None else known)
        for name in chosen:
            _check_parameter(info, known, name)
        given = table(parameters, len(chosen), "parameters")
        columns = [(known[name], column) for name, column in zip(chosen, given.T, strict=True)]
        whole = _whole(info, columns, lambda start: np.full(len(given), start))
        body["parameter_signals"] = [(*key, len(row)) for key, row in whole.items()]
        arrays["parameters"] = np.array([c for row in whole.values() for c in row]).T
        arrays["parameters"] = arrays["parameters"].reshape(len(given), -1)
    arrays["times"] = np.zeros(len(x)) if times is None else np.array(times, dtype=float)
    if any(len(array) != len(x) for array in arrays.values()):
        raise InputError("states, inputs, parameters and times need the same number of rows.")
    if not np.isfinite(arrays["times"]).all():
        raise InputError("times: a value is not finite.")
    return body, arrays


def point_body(info: PlantInfo, names: Sequence[str]) -> Body:
    """Value references of inputs and outputs; the position of outputs that are states, else -1."""
    signals = info.signals()
    return {
        "values": [],
        "inputs": [_reference(signal) for signal in info.inputs],
        "discrete": any(is_discrete(signal) for signal in info.inputs),
        "outputs": [_number(info, signals, "output", name) for name in names],
        "output_states": [info.states.index(name) if name in info.states else -1 for name in names],
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


def state_references(info: PlantInfo) -> tuple[list[int], list[int]]:
    """Value references of the states and of their derivatives, where they are scalars."""
    signals = info.signals()
    return (
        [signals[name].value_reference for name in info.states],
        [signals[name].value_reference for name in info.derivatives],
    )


def _jacobian_references(info: PlantInfo, interface: Interface) -> tuple[list[int], list[int]]:
    """Value references for df/dx, where the FMU gives directional derivatives."""
    if interface != "me" or not differentiable(info, ()):
        return [], []
    return state_references(info)


def input_table(info: PlantInfo, inputs: ArrayLike | None, rows: int) -> Array:
    """Inputs, a row for each point; their start values if not given."""
    if inputs is None:
        row = [signal.start or 0.0 for signal in info.inputs]
        return np.tile(np.array(row, dtype=float), (rows, 1))
    return table(inputs, len(info.inputs), "inputs")


def table(given: ArrayLike, columns: int, what: str) -> Array:
    """Return finite numbers with so many columns."""
    rows = np.array(given, dtype=float, order="C")
    if rows.ndim != 2 or rows.shape[1] != columns:
        raise InputError(f"{what}: {columns} columns are needed, the shape is {rows.shape}.")
    if not np.isfinite(rows).all():
        raise InputError(f"{what}: a value is not finite.")
    return rows


def increasing(times: ArrayLike) -> Array:
    """Return output times: two or more, finite, increasing."""
    grid = np.array(times, dtype=float)
    if grid.ndim != 1 or len(grid) < 2 or not (np.diff(grid) > 0.0).all():
        raise InputError("output times: two or more increasing times are needed.")
    if not np.isfinite(grid).all():
        raise InputError("output times: not finite.")
    return grid


def require_room(times: int, variables: int) -> None:
    """Refuse more numbers than an answer may have."""
    if times * variables > wire.ANSWER_DOUBLES:
        raise InputError(
            f"{times:,} output times of {variables} variables are more than the "
            f"{wire.ANSWER_DOUBLES:,} numbers that are taken from a plant; use fewer times."
        )


# ---------------------------------------------------------------------------- variables


def _reference(signal: Signal) -> Reference:
    """Name a number to the child, as `variable_block` understands it."""
    if signal.size != 1:
        return signal.value_reference, signal.type, signal.element, signal.size
    if signal.type == "Float64":
        return signal.value_reference
    return signal.value_reference, signal.type


def _number(info: PlantInfo, signals: Mapping[str, Signal], kind: str, name: str) -> Reference:
    if name not in signals:
        refuse_array(info.arrays, kind, name)
        raise unknown(f"{kind} of '{info.name}'", name, signals)
    signal = signals[name]
    if signal.type in NOT_NUMBERS:
        raise _no_number(info, signal)
    return _reference(signal)


def _no_number(info: PlantInfo, signal: Signal) -> InputError:
    what = f"an array of {signal.type}" if signal.name in info.arrays else signal.type
    return InputError(f"'{signal.name}' is no numerical scalar, but {what}.")


def _unknown(info: PlantInfo, kind: str, name: str, known: Iterable[str]) -> InputError:
    """Say what a name is that none of the known ones is: no number, or nothing at all."""
    signal = info.signals().get(name)
    if signal is not None and signal.type in NOT_NUMBERS:
        return _no_number(info, signal)
    return unknown(f"{kind} of '{info.name}'", name, known)


def named_outputs(info: PlantInfo, outputs: Sequence[str]) -> tuple[str, ...]:
    """Put its elements in place of an array's name; an array of no numbers has none to name."""
    signals = info.signals() if info.arrays else {}
    return named({n: shape for n, shape in info.arrays.items() if n not in signals}, outputs)


def _refuse_array(info: PlantInfo, kind: str, name: str) -> None:
    if name in info.arrays and name in info.signals():  # of no numbers: its elements have no names
        raise _no_number(info, info.signals()[name])
    refuse_array(info.arrays, kind, name)


def _value(info: PlantInfo, signal: Signal, value: float) -> float:
    if signal.type in NOT_NUMBERS:
        raise _no_number(info, signal)
    signal.check(_finite(signal.name, value))
    return float(value)


def _finite(name: str, value: float) -> float:
    if not np.isfinite(value):
        raise InputError(f"the value {value} for '{name}' is not finite.")
    return float(value)
