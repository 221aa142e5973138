"""What friction a drive has: the numbers of an element, read from a scenario and checked.

The elastoplastic element (Uhlar 2009, 5.4.6) is a spring of stiffness E in series with a slider:
with the drive's travel x = x_e + x_p its force is

    F = E x_e,   |F| <= L(x'),   x_p' = 0 while |F| < L,

the stop operator of x. The limit L is constant (Coulomb), or falls from the static limit to it
(Stribeck):

    L(v) = F_c + (F_s - F_c) exp(-(v / v_s)^2).

LuGre (Canudas de Wit 1995) has the same spring near rest and the same limit: its
z' = v - E |v| z / L(v) comes near the limit over a travel of L / E, where here z' = v until
|E z| = L.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any

import numpy as np
from numpy.typing import NDArray

from cranebridge.errors import InputError, unknown
from cranebridge.twin import Crane
from cranebridge.twin.language import names, steered

Array = NDArray[np.float64]

FRICTIONS: Mapping[str, str] = {
    "elastoplastic": "a spring up to the limit, which sticks, then slides: presliding, Coulomb",
    "smooth": "limit tanh(v / velocity): it never sticks, the drive creeps",
}
"""Kinds of friction."""


@dataclass(frozen=True)
class DriveFriction:
    """Friction of a drive.

    Forces and travels are those of its input: N and m, or N m and rad.

    Attributes
    ----------
    input : str
        The crane's input whose drive it is.
    kind : str
        One of `FRICTIONS`.
    limit : float
        Coulomb's: the most that it holds, and what it slides against.
    stiffness : float
        E of kind elastoplastic.
    viscous : float
        Force per velocity, beside the element.
    static : float
        Limit at rest, `limit` without Stribeck's effect.
    stribeck_velocity : float
        v_s; where it is 0 the limit is constant.
    velocity : float
        What smooths the force of kind smooth.
    start : float
        Force in the spring at the start.
    """

    input: str
    kind: str = "elastoplastic"
    limit: float = 0.0
    stiffness: float = 0.0
    viscous: float = 0.0
    static: float = 0.0
    stribeck_velocity: float = 0.0
    velocity: float = 0.0
    start: float = 0.0

    @property
    def sticks(self) -> bool:
        """Whether it has a spring, and so a memory."""
        return self.kind == "elastoplastic"

    @property
    def largest(self) -> float:
        """The most that it gives without its viscous part."""
        return max(self.limit, self.static) if self.stribeck_velocity else self.limit

    def level(self, v: Array) -> tuple[Array, Array, Array]:
        """Return the limit L(v) with its first and its second derivative."""
        if self.stribeck_velocity == 0.0:
            none = np.zeros_like(v)
            return none + self.limit, none, none
        part = v / self.stribeck_velocity
        more = (self.static - self.limit) * np.exp(-(part**2))
        first = -2.0 * part * more / self.stribeck_velocity
        second = (4.0 * part**2 - 2.0) * more / self.stribeck_velocity**2
        return self.limit + more, first, second


def read_friction(
    tables: Mapping[str, Mapping[str, Any]], crane: Crane
) -> tuple[DriveFriction, ...]:
    """Return the friction of a crane's drives from tables ``crane.friction`` by input.

    Raises
    ------
    InputError
        With the key that is wrong, and what to do.
    """
    return tuple(_read(name, table, crane) for name, table in tables.items())


def _read(name: str, table: Mapping[str, Any], crane: Crane) -> DriveFriction:
    if name not in names(steered(crane)):
        raise unknown("input in crane.friction", name, names(steered(crane)))
    given = {key: value for key, value in table.items() if value is not None}
    found = DriveFriction(name, **given)
    where = f"crane.friction.{name}"
    if found.sticks:
        _require_elastoplastic(found, given, where)
    else:
        _require_smooth(found, given, where)
    return found


def _require_elastoplastic(found: DriveFriction, given: Mapping[str, Any], where: str) -> None:
    for key, what in (("stiffness", "of the spring until it slides"), ("limit", "that it holds")):
        if getattr(found, key) <= 0.0:
            raise InputError(f"{where}.{key} must be positive: the {key} {what}; give it")
    if "velocity" in given:
        raise InputError(f"{where}.velocity is of kind 'smooth'; a spring takes its place here")
    if ("static" in given) != ("stribeck_velocity" in given):
        raise InputError(
            f"{where}: static and stribeck_velocity belong together: the limit falls from the one "
            "over the other; give both or none"
        )
    if "static" in given and found.static < found.limit:
        raise InputError(
            f"{where}.static = {found.static:g} is below limit = {found.limit:g}; friction at rest "
            "is not smaller than while it slides"
        )
    if "stribeck_velocity" in given and found.stribeck_velocity <= 0.0:
        raise InputError(f"{where}.stribeck_velocity must be positive")
    if abs(found.start) > found.largest:
        raise InputError(
            f"{where}.start = {found.start:g} is more than the spring holds: {found.largest:g}"
        )


def _require_smooth(found: DriveFriction, given: Mapping[str, Any], where: str) -> None:
    for key in ("stiffness", "static", "stribeck_velocity", "start"):
        if key in given:
            raise InputError(f"{where}.{key} is of kind 'elastoplastic', not of 'smooth'")
    if found.limit > 0.0 and found.velocity <= 0.0:
        raise InputError(f"{where}.velocity must be positive: it smooths the force; give it")
