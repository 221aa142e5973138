"""The nonlinear oscillator of two masses, each driven by the foot of its spring.

Reichl 2011, 7.1: as many drives as masses, which a cubic spring and a damper couple.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

from cranebridge.twin.language import (
    Box,
    Components,
    Crane,
    Expressions,
    Line,
    Parameter,
    Quantity,
    Shape,
)


class TwoMassOscillator(Crane):
    """Two masses on springs whose feet are moved."""

    name = "two-mass"
    description = "nonlinear oscillator of two masses, fully actuated"
    coordinates = (
        Quantity("y_1", "m", "displacement of the first mass"),
        Quantity("y_2", "m", "displacement of the second mass"),
    )
    parameters = (
        Parameter("m_1", "kg", "first mass", 0.5),
        Parameter("m_2", "kg", "second mass", 0.5),
        Parameter("c_1", "N/m", "stiffness of the first spring", 150.0),
        Parameter("c_3", "N/m", "stiffness of the second spring", 150.0),
        Parameter("k", "N*s/m", "damper between the masses", 1.5, "non-negative"),
        Parameter("alpha", "N/m^3", "cubic spring between the masses", 2e6, "non-negative"),
    )
    inputs = (
        Quantity("u_1", "m", "displacement of the first spring's foot"),
        Quantity("u_2", "m", "displacement of the second spring's foot"),
    )
    outputs = (
        Quantity("y_1", "m", "displacement of the first mass"),
        Quantity("y_2", "m", "displacement of the second mass"),
    )

    def kinetic_energy(self, q: Components, v: Components, p: Components) -> Any:
        """Both masses."""
        return 0.5 * (p.m_1 * v.y_1**2 + p.m_2 * v.y_2**2)

    def potential_energy(self, q: Components, p: Components) -> Any:
        """Springs, their feet at zero."""
        springs = 0.5 * (p.c_1 * q.y_1**2 + p.c_3 * q.y_2**2)
        return springs + p.alpha / 4 * (q.y_2 - q.y_1) ** 4

    def drive_power(self, q: Components, v: Components, u: Components, p: Components) -> Any:
        """Forces that the moved feet add."""
        return p.c_1 * u.u_1 * v.y_1 + p.c_3 * u.u_2 * v.y_2

    def other_forces(self, q: Components, v: Components, p: Components) -> Expressions:
        """Damper between the masses."""
        damping = p.k * (v.y_2 - v.y_1)
        return {"y_1": damping, "y_2": -damping}

    def output_map(self, q: Components, p: Components) -> Expressions:
        """Both masses."""
        return {"y_1": q.y_1, "y_2": q.y_2}

    def scene(self, q: Components, p: Components) -> Sequence[Shape]:
        """Two boxes 4 cm apart, and what couples them."""
        first, second = (q.y_1, 0, 0), (0.04 + q.y_2, 0, 0)
        size = (0.01, 0.01, 0.01)
        return Box(first, size=size), Line(first, second), Box(second, size=size)
