"""An overhead crane on an elastic rope in several formulations, and with lumps of mass in its rope.

Benchmark B3: the same machine in coordinates of different kinds, with EA/2 (d - l)^2 / l for each
element of free length l. The winch pays out the top element.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from itertools import pairwise
from typing import Any

import casadi as ca

from cranebridge.twin import Crane, Parameter, Quantity

_PARAMETERS = (
    Parameter("m", "kg", "load mass", 10000.0),
    Parameter("m_t", "kg", "trolley mass", 1000.0),
    Parameter("J", "kg*m^2", "winch inertia", 20.0),
    Parameter("r", "m", "winch radius", 0.25),
    Parameter("EA", "N", "rope stiffness", 2e7),
    Parameter("g", "m/s^2", "gravity", 9.81),
)
_DRIVES = (Quantity("s", "m", "trolley position"), Quantity("l", "m", "rope paid out"))


class Displacements(Crane):
    """Absolute positions: the spring force is a small difference of large lengths."""

    name = "test-rope-displacements"
    description = "overhead crane, its rope a spring between absolute positions"
    lumps = 0
    coordinates = (*_DRIVES, Quantity("x", "m", "load"), Quantity("z", "m", "load"))
    parameters = _PARAMETERS
    inputs = (Quantity("F_t", "N", "trolley force"), Quantity("M_w", "N*m", "winch torque"))
    outputs = (Quantity("x", "m", "load"), Quantity("z", "m", "load"))

    def places(self, q: Any) -> list[tuple[Any, Any]]:
        """Trolley, lumps, load."""
        lumps = [(q[f"x_{i}"], q[f"z_{i}"]) for i in range(1, self.lumps + 1)]
        return [(q.s, 0.0), *lumps, (q.x, q.z)]

    def free_lengths(self, q: Any, p: Any) -> list[Any]:
        """What the winch pays out, and the others."""
        return [q.l, *(p.l_e for _ in range(self.lumps))]

    def distances(self, q: Any) -> list[Any]:
        """Square of the distance from one to the next."""
        places = self.places(q)
        return [(b[0] - a[0]) ** 2 + (b[1] - a[1]) ** 2 for a, b in pairwise(places)]

    def kinetic_energy(self, q: Any, v: Any, p: Any) -> Any:
        """Trolley, winch, load, lumps."""
        drives = p.m_t * v.s**2 + p.J / p.r**2 * v.l**2 + p.m * (v.x**2 + v.z**2)
        lumps = range(1, self.lumps + 1)
        return 0.5 * (drives + sum(p.mu * (v[f"x_{i}"] ** 2 + v[f"z_{i}"] ** 2) for i in lumps))

    def potential_energy(self, q: Any, p: Any) -> Any:
        """Weights and stretch."""
        weight = p.m * p.g * q.z
        weight += sum(p.mu * p.g * q[f"z_{i}"] for i in range(1, self.lumps + 1))
        elements = zip(self.distances(q), self.free_lengths(q, p), strict=True)
        return weight + sum(0.5 * p.EA * (ca.sqrt(d2) - free) ** 2 / free for d2, free in elements)

    def drive_power(self, q: Any, v: Any, u: Any, p: Any) -> Any:
        """Trolley force and winch torque."""
        return u.F_t * v.s + u.M_w * v.l / p.r

    def output_map(self, q: Any, p: Any) -> Mapping[str, Any]:
        """Load."""
        return {"x": q.x, "z": q.z}

    def rest(self, y: Mapping[str, float], p: Mapping[str, float]) -> Mapping[str, float]:
        """Elements one above the other, stretched by the load's weight alone."""
        stretch = 1.0 + p["m"] * p["g"] / p["EA"]
        height = [y["z"] + k * p["l_e"] * stretch for k in range(self.lumps, 0, -1)]
        found = {"s": y["x"], "l": -(height[0] if height else y["z"]) / stretch}
        for number, z in enumerate(height, 1):
            found |= {f"x_{number}": y["x"], f"z_{number}": z}
        return found


def _lumped(lumps: int, *stretches: Quantity) -> tuple[Quantity, ...]:
    places = [Quantity(f"{axis}_{i}", "m", "lump") for i in range(1, lumps + 1) for axis in "xz"]
    load = Quantity("x", "m", "load"), Quantity("z", "m", "load")
    return (*_DRIVES, *places, *load, *stretches)


_LUMPS = (
    Parameter("mu", "kg", "lump mass", 16.0),
    Parameter("l_e", "m", "free length of a lower element", 2.0),
)


class OneLump(Displacements):
    """One lump."""

    name, lumps, coordinates = "test-rope-one-lump", 1, _lumped(1)
    parameters = _PARAMETERS + _LUMPS


class TwoLumps(Displacements):
    """Two lumps."""

    name, lumps, coordinates = "test-rope-two-lumps", 2, _lumped(2)
    parameters = _PARAMETERS + _LUMPS


class Stretches(Displacements):
    """The stretch of each element is a coordinate without mass, with a constraint."""

    name = "test-rope-stretches"
    description = "overhead crane, its rope's stretches as massless coordinates"
    coordinates = _lumped(0, Quantity("e_0", "m", "stretch"))
    multipliers: tuple[Quantity, ...] = (Quantity("lam_0", "N/m", "force divided by length"),)

    def potential_energy(self, q: Any, p: Any) -> Any:
        """Weights and stretch."""
        weight = p.m * p.g * q.z
        weight += sum(p.mu * p.g * q[f"z_{i}"] for i in range(1, self.lumps + 1))
        free = enumerate(self.free_lengths(q, p))
        return weight + sum(0.5 * p.EA * q[f"e_{k}"] ** 2 / length for k, length in free)

    def constraints(self, q: Any, p: Any) -> Mapping[str, Any]:
        """Length of each element."""
        elements = enumerate(zip(self.distances(q), self.free_lengths(q, p), strict=True))
        return {f"lam_{k}": 0.5 * (d2 - (free + q[f"e_{k}"]) ** 2) for k, (d2, free) in elements}

    def rest(self, y: Mapping[str, float], p: Mapping[str, float]) -> Mapping[str, float]:
        """As without stretches, with those under the load's weight."""
        found = dict(super().rest(y, p))
        strain = p["m"] * p["g"] / p["EA"]
        found["e_0"] = found["l"] * strain
        return found | {f"e_{k}": p["l_e"] * strain for k in range(1, self.lumps + 1)}


def _stretched(lumps: int) -> tuple[tuple[Quantity, ...], tuple[Quantity, ...]]:
    stretches = [Quantity(f"e_{k}", "m", "stretch") for k in range(lumps + 1)]
    multipliers = [Quantity(f"lam_{k}", "N/m", "force / length") for k in range(lumps + 1)]
    return _lumped(lumps, *stretches), tuple(multipliers)


class OneLumpStretches(Stretches):
    """One lump."""

    name, lumps = "test-rope-one-lump-stretches", 1
    coordinates, multipliers = _stretched(1)
    parameters = _PARAMETERS + _LUMPS


class TwoLumpsStretches(Stretches):
    """Two lumps."""

    name, lumps = "test-rope-two-lumps-stretches", 2
    coordinates, multipliers = _stretched(2)
    parameters = _PARAMETERS + _LUMPS


class RigidLumps(TwoLumps):
    """Two lumps on rigid segments."""

    name = "test-rope-rigid-lumps"
    parameters = tuple(p for p in _PARAMETERS + _LUMPS if p.name != "EA")
    multipliers = tuple(Quantity(f"lam_{k}", "N/m", "force / length") for k in range(3))

    def potential_energy(self, q: Any, p: Any) -> Any:
        """Weights."""
        return p.g * (p.m * q.z + p.mu * (q.z_1 + q.z_2))

    def constraints(self, q: Any, p: Any) -> Mapping[str, Any]:
        """Length of each segment."""
        elements = enumerate(zip(self.distances(q), self.free_lengths(q, p), strict=True))
        return {f"lam_{k}": 0.5 * (d2 - length**2) for k, (d2, length) in elements}

    def rest(self, y: Mapping[str, float], p: Mapping[str, float]) -> Mapping[str, float]:
        """One above the other."""
        return super().rest(y, {**p, "EA": 1e30})


class Polar(Displacements):
    """The rope's angle and the load's distance d in place of its position: minimal coordinates.

    The motion of d contains d'' and s'', which the path prescribes together; what the spring's
    force determines is l. Offsets with a regular system Jacobian ask for six derivatives.
    """

    name = "test-rope-polar"
    coordinates = (*_DRIVES, Quantity("d", "m", "distance"), Quantity("theta", "rad", "angle"))

    def place(self, q: Any) -> tuple[Any, Any]:
        """The load."""
        return q.s + q.d * ca.sin(q.theta), -q.d * ca.cos(q.theta)

    def kinetic_energy(self, q: Any, v: Any, p: Any) -> Any:
        """Trolley, winch, load."""
        x, z = self.place(q)
        position, rate = ca.vertcat(q.s, q.d, q.theta), ca.vertcat(v.s, v.d, v.theta)
        v_x, v_z = ca.jtimes(x, position, rate), ca.jtimes(z, position, rate)
        return 0.5 * (p.m_t * v.s**2 + p.J / p.r**2 * v.l**2 + p.m * (v_x**2 + v_z**2))

    def potential_energy(self, q: Any, p: Any) -> Any:
        """Weight and stretch."""
        return p.m * p.g * self.place(q)[1] + 0.5 * p.EA * (q.d - q.l) ** 2 / q.l

    def output_map(self, q: Any, p: Any) -> Mapping[str, Any]:
        """Load."""
        x, z = self.place(q)
        return {"x": x, "z": z}

    def rest(self, y: Mapping[str, float], p: Mapping[str, float]) -> Mapping[str, float]:
        """Below the trolley."""
        stretch = 1.0 + p["m"] * p["g"] / p["EA"]
        return {"s": y["x"], "l": -y["z"] / stretch, "d": -y["z"]}


ALL: Sequence[tuple[Crane, int]] = (
    (Displacements(), 0),
    (Stretches(), 0),
    (Polar(), 0),
    (OneLump(), 1),
    (OneLumpStretches(), 1),
    (TwoLumps(), 2),
    (TwoLumpsStretches(), 2),
)
"""Cranes with the number of lumps in their ropes."""
