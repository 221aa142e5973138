"""Arrays of FMI 3: their shapes, and their elements as variables of their own.

An array is known here by its elements, named as in Modelica: ``x[1]``, ``A[2,3]``. They are counted
from one, the last index runs fastest. A dimension is a number, or the value of a structural
parameter or of a constant.
"""

from __future__ import annotations

import itertools
import math
import re
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import replace

from cranebridge.errors import InputError, unknown
from cranebridge.plant.description.plant_info import DescriptionError, PlantSignal

MAX_NUMBERS = 100_000
"""Elements that all arrays of a plant may have together; each takes some hundred bytes here."""

MAX_CHARACTERS = 10**7
"""Characters that the names of all these elements may have."""

NOT_NUMBERS = ("String", "Binary", "Clock")
Dimension = tuple[str, int]
"""A size (``"start", n``), or the variable that has it (``"valueReference", reference``)."""


def sized(
    signals: Sequence[PlantSignal],
    dimensions: Mapping[str, Sequence[Dimension]],
    structure: Mapping[str, float],
) -> tuple[list[PlantSignal], dict[str, tuple[int, ...]]]:
    """Give arrays their number of elements, structural parameters their values; and the shapes.

    Parameters
    ----------
    signals : sequence of PlantSignal
        As declared.
    dimensions : mapping of str to sequence of Dimension
        Of the arrays, by name.
    structure : mapping of str to float
        Values of structural parameters other than their start values.
    """
    signals = [_configured(signal, structure) for signal in signals]
    sizes = {signal.value_reference: signal for signal in signals if _is_a_size(signal)}
    shapes = {
        name: tuple(_length(name, dimension, sizes) for dimension in found)
        for name, found in dimensions.items()
    }
    total = sum(math.prod(shape) for shape in shapes.values())
    if total > MAX_NUMBERS:
        raise DescriptionError(f"all arrays have {total} elements, {MAX_NUMBERS} are allowed.")
    if sum(len(name) * math.prod(shape) for name, shape in shapes.items()) > MAX_CHARACTERS:
        raise DescriptionError("the names of large arrays are too long.")
    return [
        replace(signal, size=math.prod(shapes[signal.name])) if signal.name in shapes else signal
        for signal in signals
    ], shapes


def _configured(signal: PlantSignal, structure: Mapping[str, float]) -> PlantSignal:
    if signal.name not in structure:
        return signal
    return replace(signal, start=float(structure[signal.name]))


def _is_a_size(signal: PlantSignal) -> bool:
    whole = re.fullmatch(r"U?Int\d+", signal.type) is not None
    fixed = signal.causality == "structuralParameter" or signal.variability == "constant"
    return whole and fixed and signal.start is not None


def _length(name: str, dimension: Dimension, sizes: Mapping[int, PlantSignal]) -> int:
    kind, number = dimension
    if kind == "start":
        return number
    if number not in sizes:
        raise DescriptionError(
            f"a dimension of {name[:100]!a} is given by the value reference {number}, which is no "
            "whole structural parameter or constant."
        )
    value = sizes[number].start or 0.0
    if not 0.0 <= value <= 10**6 or value != int(value):
        raise DescriptionError(
            f"{name[:100]!a} has the size {value:.17g} by {sizes[number].name[:100]!a}."
        )
    return int(value)


def check_structure(signals: Iterable[PlantSignal], structure: Mapping[str, float]) -> None:
    """Refuse names that are no structural parameters, and values that they cannot have."""
    known = {s.name: s for s in signals if s.causality == "structuralParameter"}
    for name, value in structure.items():
        if name not in known:
            raise unknown("structural parameter", name, known)
        if not math.isfinite(value):
            raise InputError(f"the value {value} for '{name}' is not finite.")
        known[name].check(value)


# ---------------------------------------------------------------------------- elements


def element_names(name: str, shape: Sequence[int]) -> Iterator[str]:
    """Names of an array's elements, the last index running fastest; a scalar's own name."""
    if not shape:
        yield name
        return
    if 0 in shape:
        return
    for index in itertools.product(*(range(1, n + 1) for n in shape)):
        yield f"{name}[{','.join(map(str, index))}]"


def elements(
    signal: PlantSignal, shape: Sequence[int] | None, starts: Sequence[float] = ()
) -> list[PlantSignal]:
    """Return a numerical array as its elements; all else as it is.

    Parameters
    ----------
    signal : PlantSignal
        As declared.
    shape : sequence of int or None
        Its sizes; none for a scalar.
    starts : sequence of float
        Start values: one for each element, or one for all. Others do not belong to these sizes.
    """
    if shape is None or signal.type in NOT_NUMBERS:
        return [signal]
    values: Sequence[float | None] = starts
    if len(starts) != signal.size:
        values = [starts[0] if len(starts) == 1 else None] * signal.size
    return [
        replace(signal, name=name, element=i, start=start)
        for i, (name, start) in enumerate(
            zip(element_names(signal.name, shape), values, strict=True)
        )
    ]


def named(arrays: Mapping[str, tuple[int, ...]], names: Iterable[str]) -> tuple[str, ...]:
    """Put the names of its elements in place of an array's name."""
    return tuple(element for name in names for element in element_names(name, arrays.get(name, ())))


def refuse_array(arrays: Mapping[str, tuple[int, ...]], kind: str, name: str) -> None:
    """Refuse an array where one number is wanted."""
    if name not in arrays:
        return
    shape = arrays[name]
    first = f"{name}[{','.join('1' for _ in shape)}]"
    raise InputError(
        f"the {kind} '{name}' is an array of {' x '.join(map(str, shape))}: name its elements, "
        f"such as '{first}'."
    )
