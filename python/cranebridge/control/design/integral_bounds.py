"""What is too far off to be fed back or integrated: a reading that no crane can have.

What is further from its reference than a crane is large is refused like a reading that is no
number: fed back, it would drive the inputs to their limits without a word. An output that is only
integrated has no gain of its own: one wrong reading of it leaves the inputs as they are, and stays
in its integral. What is nearer can be wrong, too: of a large error only a
part is integrated, and an integral moves no input by more than from the feedforward to its limit
(see `integrate` of the controller's C).
"""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np
from numpy.typing import NDArray

from cranebridge.control.model import ReferenceMotion
from cranebridge.twin.language import names

Array = NDArray[np.float64]

FAR = 5.0
"""How many times the largest magnitude in its unit, of all coordinates and outputs of a motion,
a signal may be from its reference; of less than one metre or radian those of one."""
RATE = 2.0
"""In 1/s: a velocity may be off by so many times what a coordinate may be off by."""
COUNTED = 0.02
"""Part of that which is integrated of a larger error: a sensor that reads zero for some samples
leaves little, and a load that really is so far off needs no integral to come back."""


def far_off(reference: ReferenceMotion, signals: Sequence[str]) -> Array:
    """Return from where on errors of ``q.NAME``, ``v.NAME``, ``y.NAME`` are beyond all sense."""
    crane = reference.crane
    quantities = (*crane.coordinates, *crane.outputs)
    largest = np.abs(np.hstack([reference.q, reference.outputs])).max(axis=0)
    units: dict[str, float] = {}
    for part, size in zip(quantities, largest, strict=True):
        units[part.unit] = max(units.get(part.unit, 1.0), float(size))
    titles = [*(f"q.{name}" for name in names(crane.coordinates))]
    titles += [f"y.{name}" for name in names(crane.outputs)]
    known = {title: units[part.unit] for title, part in zip(titles, quantities, strict=True)}
    known |= {f"v.{part.name}": RATE * units[part.unit] for part in crane.coordinates}
    return FAR * np.array([known[signal] for signal in signals])
