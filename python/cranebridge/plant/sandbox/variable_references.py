"""Variables of a plant in value references: names and values checked, then numbers."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping, Sequence
from typing import TypeVar

import numpy as np

from cranebridge.errors import InputError, unknown
from cranebridge.plant.description import NOT_NUMBERS, PlantInfo, PlantSignal, named, refuse_array
from cranebridge.plant.protocol import VariableReference, VariableValues

Value = tuple[PlantSignal, float]
T = TypeVar("T")


def is_discrete(signal: PlantSignal) -> bool:
    """Whether an input changes at events only, as a tunable parameter does."""
    held = signal.variability in ("discrete", "tunable")
    return held or not signal.type.startswith("Float")


def reference_of(signal: PlantSignal) -> VariableReference:
    """Name a number to the child, as `variable_block` understands it."""
    if signal.size != 1:
        return signal.value_reference, signal.type, signal.element, signal.size
    if signal.type == "Float64":
        return signal.value_reference
    return signal.value_reference, signal.type


def number_reference(
    info: PlantInfo, signals: Mapping[str, PlantSignal], kind: str, name: str
) -> VariableReference:
    """Name a number by its name; an error unless it is one."""
    if name not in signals:
        refuse_array(info.arrays, kind, name)
        raise unknown(f"{kind} of '{info.name}'", name, signals)
    signal = signals[name]
    if signal.type in NOT_NUMBERS:
        raise _no_number(info, signal)
    return reference_of(signal)


def _no_number(info: PlantInfo, signal: PlantSignal) -> InputError:
    what = f"an array of {signal.type}" if signal.name in info.arrays else signal.type
    return InputError(f"'{signal.name}' is no numerical scalar, but {what}.")


def unknown_variable(info: PlantInfo, kind: str, name: str, known: Iterable[str]) -> InputError:
    """Say what a name is that none of the known ones is: no number, or nothing at all."""
    signal = info.signals().get(name)
    if signal is not None and signal.type in NOT_NUMBERS:
        return _no_number(info, signal)
    return unknown(f"{kind} of '{info.name}'", name, known)


def output_names(info: PlantInfo, outputs: Sequence[str] | None) -> tuple[str, ...]:
    """Names of outputs, arrays by their elements; the FMU's own if none are given."""
    if outputs is None:
        return info.output_names
    signals = info.signals() if info.arrays else {}  # an array of no numbers has no elements here
    return named({n: shape for n, shape in info.arrays.items() if n not in signals}, outputs)


def refuse_whole_array(info: PlantInfo, kind: str, name: str) -> None:
    """Raise an error if a name is that of an array."""
    if name in info.arrays and name in info.signals():  # of no numbers: its elements have no names
        raise _no_number(info, info.signals()[name])
    refuse_array(info.arrays, kind, name)


def checked_value(info: PlantInfo, signal: PlantSignal, value: float) -> float:
    """Return a value that the variable may have."""
    if signal.type in NOT_NUMBERS:
        raise _no_number(info, signal)
    signal.check(finite(signal.name, value))
    return float(value)


def finite(name: str, value: float) -> float:
    """Return a value that is finite."""
    if not np.isfinite(value):
        raise InputError(f"the value {value} for '{name}' is not finite.")
    return float(value)


# ---------------------------------------------------------------------------- values


def values_of(info: PlantInfo, parameters: Mapping[str, float]) -> tuple[VariableValues, ...]:
    """Translate values of parameters."""
    return rows_of(info, parameter_values(info, parameters))


def structure_values(info: PlantInfo) -> tuple[VariableValues, ...]:
    """Translate the structural parameters that the plant was opened with."""
    known = {signal.name: signal for signal in info.structural}
    return rows_of(info, [(known[name], value) for name, value in info.structure.items()])


def parameter_values(info: PlantInfo, parameters: Mapping[str, float]) -> list[Value]:
    """Find parameters by name; their values are checked."""
    known = {signal.name: signal for signal in info.parameters}
    found = []
    for name, value in parameters.items():
        check_parameter(info, known, name)
        found.append((known[name], checked_value(info, known[name], value)))
    return found


def check_parameter(info: PlantInfo, known: Mapping[str, PlantSignal], name: str) -> None:
    """Raise an error that says why a name is none of a parameter that can be set."""
    refuse_whole_array(info, "parameter", name)
    if any(name == signal.name for signal in info.structural):
        raise InputError(
            f"'{name}' is a structural parameter: give it when the plant is opened (structure)."
        )
    if name not in known:
        raise unknown_variable(info, "parameter", name, known)


def rows_of(info: PlantInfo, found: Sequence[Value]) -> tuple[VariableValues, ...]:
    """Put the values of each variable together."""
    return tuple([(*key, tuple(row)) for key, row in whole_variables(info, found, float).items()])


def whole_variables(
    info: PlantInfo, found: Sequence[tuple[PlantSignal, T]], of_start: Callable[[float], T]
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


def _kept(signal: PlantSignal) -> float:
    """Start value of an element that is set with others of its array."""
    if signal.start is None:
        raise InputError(
            f"'{signal.name}' has no start value: give all elements of its array, or none."
        )
    return signal.start
