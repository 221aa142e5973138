"""Signals that are made from a motion, whoever moved, or the reason why they cannot be.

The powers of a plant's drives are made elsewhere (`plant_signals`): they need fewer velocities.
"""

from __future__ import annotations

from functools import cache

import numpy as np
from numpy.typing import NDArray

from cranebridge.inverse import (
    DERIVED,
    MOTION,
    SIGNAL_GROUPS,
    Signal,
    signal_function,
    signals,
)
from cranebridge.inverse.kernels import MappedFunctions
from cranebridge.numerics import LazyColumns
from cranebridge.twin import Crane

Array = NDArray[np.float64]


def add_derived(
    crane: Crane, parameters: Array, values: LazyColumns, missing: dict[str, str]
) -> None:
    """Add the derived signals that are not there yet, or the reason why they cannot be had."""
    for signal in signals(crane).values():
        known = signal.title in values or signal.title in missing or signal.group in missing
        if signal.group not in DERIVED or known:
            continue
        needed = [title for title in _needed(crane, signal) if title not in values]
        if needed:
            why = missing.get(needed[0]) or missing.get(needed[0].partition(".")[0])
            behind = f", and {why}" if why else ", which such a motion does not show"
            missing[signal.title] = f"it is made from {', '.join(needed)}{behind}"
        else:
            _add(crane, signal, parameters, values)


def _add(crane: Crane, signal: Signal, parameters: Array, values: LazyColumns) -> None:
    """Add a signal; made where it is asked for."""

    def make() -> dict[str, Array]:
        needed = _needed(crane, signal)
        zero = np.zeros_like(next(iter(values.values())))
        columns = [
            np.column_stack([values[title] if title in needed else zero for title in titles])
            if titles
            else np.zeros((zero.size, 0))
            for titles in _titles(crane)
        ]
        found = MappedFunctions((signal_function(crane, (signal,)),), "never")
        return {signal.title: found("bounds", *columns, parameters)[0][:, 0]}

    values.later([signal.title], make)


def _titles(crane: Crane) -> list[list[str]]:
    """Return the titles of the signals that expressions are functions of, group after group."""
    return [[f"{key}.{x.name}" for x in SIGNAL_GROUPS[key].quantities(crane)] for key in MOTION]


@cache
def _needed(crane: Crane, signal: Signal) -> tuple[str, ...]:
    """Return the titles of the signals that a signal is made from."""
    function = signal_function(crane, (signal,))
    found = []
    for i, titles in enumerate(_titles(crane)):
        columns = set(function.jac_sparsity(0, i).get_triplet()[1])
        found += [title for j, title in enumerate(titles) if j in columns]
    return tuple(found)
