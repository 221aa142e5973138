"""Limits of a law's inputs: those of the machine, and where it has none what the motion suggests.

A linear law answers a large deviation with inputs in proportion, however large. Where the machine's
limits are not known, an input is kept within `REACH` times what the feedforward asks of it at most.
An input that holds a weight all the time, such as a winch's torque, is kept from changing its sign:
a rope that is paid out faster than the load falls goes slack, and then the law means nothing.
"""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np
from numpy.typing import NDArray

from cranebridge.control.model import ReferenceMotion
from cranebridge.control.weights import UNUSED, quantity_sizes
from cranebridge.inverse import SpeedDrive
from cranebridge.limits import Limits
from cranebridge.twin.language import names

Array = NDArray[np.float64]

REACH = 10.0
"""How many times the feedforward's largest magnitude an input may reach."""
HOLDING = 0.5
"""An input that never falls below this part of its largest magnitude holds something."""


SPEED_REACH = 3.0
"""How many times its largest magnitude a velocity reference may reach without `limits.v`."""


def speed_limits(
    reference: ReferenceMotion, limits: Limits, drives: Sequence[SpeedDrive]
) -> tuple[Array, Array]:
    """Return limits of the inputs of a law whose inputs are velocity references to drives."""
    least, most = input_limits(reference, limits)
    crane = reference.crane
    columns = [names(crane.inputs).index(drive.input) for drive in drives]
    moved = [names(crane.coordinates).index(drive.coordinate) for drive in drives]
    largest = np.abs(reference.hold[:, columns]).max(axis=0)
    sizes = quantity_sizes([crane.coordinates[i] for i in moved], largest)
    for drive, column, size in zip(drives, columns, sizes, strict=True):
        bound = limits.v.get(drive.coordinate)
        reach = SPEED_REACH * size
        least[column] = -reach if bound is None else bound.least
        most[column] = reach if bound is None else bound.most
    return least, most


def input_limits(reference: ReferenceMotion, limits: Limits) -> tuple[Array, Array]:
    """Return the least and the largest value of each input."""
    inputs, u = reference.crane.inputs, reference.forces
    largest = np.abs(u).max(axis=0)
    least, most = np.empty(len(inputs)), np.empty(len(inputs))
    for i, quantity in enumerate(inputs):
        bound = limits.u.get(quantity.name)
        if bound is not None:
            least[i], most[i] = bound.least, bound.most
            continue
        peers = max(
            size for size, p in zip(largest, inputs, strict=True) if p.unit == quantity.unit
        )
        size = largest[i] if largest[i] > UNUSED * peers else peers
        reach = REACH * size if size > 0.0 else np.inf
        low, high = float(u[:, i].min()), float(u[:, i].max())
        least[i] = 0.0 if low >= HOLDING * high > 0.0 else -reach
        most[i] = 0.0 if high <= HOLDING * low < 0.0 else reach
    return least, most
