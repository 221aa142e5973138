"""Cranes in fewer coordinates, by a coordinate map of a crane in redundant ones.

With q = F(mu) on the constraint manifold and the null-space matrix P = dF/dmu, G P = 0, the
energies, drives and outputs of the redundant crane become those of the reduced one:

    T~(mu, nu) = T(F, P nu),   V~ = V(F),   s~ = s(F),   u^T B~ nu = u^T B P nu

(thesis 4.6-4.13). Lagrange's equations of T~ and V~ are the null-space reduction of the redundant
ones; :mod:`cranebridge.inverse.stepping.size_reduction` shows that this commutes with index
reduction. A map may keep some of the constraints (thesis 5.111-5.116).
"""

from __future__ import annotations

import math
from collections.abc import Mapping
from typing import Any, ClassVar

import casadi as ca

from cranebridge.twin.cranes import (
    OverheadCrane,
    RotaryCrane,
    RotaryCraneRedundant,
    RotaryCraneRotationless,
)
from cranebridge.twin.language import (
    Components,
    Crane,
    Expressions,
    NamedNumbers,
    Quantity,
    names,
)


class ReducedCrane(Crane):
    """A crane that a coordinate map makes from one in more coordinates.

    A subclass declares `base`, its own coordinates and the multipliers of the constraints that it
    keeps, and writes `place` and `find`.

    Attributes
    ----------
    base : Crane
        The crane in more coordinates; parameters, inputs and outputs are its.
    """

    base: ClassVar[Crane]

    def place(self, q: Components, p: Components) -> Expressions:
        """Coordinates of the base, F(mu), by name."""
        raise NotImplementedError

    def find(self, q: Mapping[str, float], p: Mapping[str, float]) -> Mapping[str, float]:
        """Own coordinates of a configuration of the base: the inverse of `place`."""
        raise NotImplementedError

    def base_coordinates(self, q: Components, p: Components) -> ca.SX:
        """F(mu) as a vector in the base's order."""
        placed = self.place(q, p)
        return ca.SX(ca.vertcat(*(placed[name] for name in names(self.base.coordinates))))

    def base_velocities(self, q: Components, v: Components, p: Components) -> ca.SX:
        """P nu as a vector in the base's order."""
        mu, nu = ca.vertcat(*q), ca.vertcat(*v)
        return ca.SX(ca.jtimes(self.base_coordinates(q, p), mu, nu))

    def _moved(self, q: Components, v: Components, p: Components) -> tuple[Components, Components]:
        coordinates = names(self.base.coordinates)
        return (
            Components(coordinates, self.base_coordinates(q, p)),
            Components(coordinates, self.base_velocities(q, v, p)),
        )

    def _placed(self, q: Components, p: Components) -> Components:
        return Components(names(self.base.coordinates), self.base_coordinates(q, p))

    def kinetic_energy(self, q: Components, v: Components, p: Components) -> Any:
        """T(F, P nu)."""
        return self.base.kinetic_energy(*self._moved(q, v, p), p)

    def potential_energy(self, q: Components, p: Components) -> Any:
        """V(F)."""
        return self.base.potential_energy(self._placed(q, p), p)

    def drive_power(self, q: Components, v: Components, u: Components, p: Components) -> Any:
        """Power of the drives, which does not depend on coordinates."""
        place, moving = self._moved(q, v, p)
        return self.base.drive_power(place, moving, u, p)

    def other_forces(self, q: Components, v: Components, p: Components) -> Expressions:
        """P^T Q."""
        forces = self.base.other_forces(*self._moved(q, v, p), p)
        if not forces:
            return {}
        Q = ca.vertcat(*(forces.get(name, 0.0) for name in names(self.base.coordinates)))
        P = ca.jacobian(self.base_coordinates(q, p), ca.vertcat(*q))
        return dict(zip(names(self.coordinates), ca.vertsplit(P.T @ Q), strict=True))

    def constraints(self, q: Components, p: Components) -> Expressions:
        """The constraints that the map does not fulfil by itself."""
        given = self.base.constraints(self._placed(q, p), p)
        return {name: given[name] for name in names(self.multipliers)}

    def output_map(self, q: Components, p: Components) -> Expressions:
        """s(F)."""
        return self.base.output_map(self._placed(q, p), p)

    def rest(self, y: NamedNumbers, p: NamedNumbers) -> Mapping[str, float]:
        """The base's rest position in the own coordinates."""
        coordinates = names(self.base.coordinates)
        guess = {**y, **self.base.rest(y, p)}
        return self.find({name: guess.get(name, 0.0) for name in coordinates}, p)


class OverheadCraneMinimal(ReducedCrane):
    """Planar overhead crane in 3 minimal coordinates (thesis 4.70-4.72, z up)."""

    name = "overhead-minimal"
    description = "planar overhead crane in 3 minimal coordinates"
    base = OverheadCrane()
    coordinates = (
        *OverheadCrane.coordinates[:2],
        Quantity("theta", "rad", "swing angle, positive towards positive x"),
    )
    parameters = OverheadCrane.parameters
    inputs = OverheadCrane.inputs
    outputs = OverheadCrane.outputs

    def place(self, q: Components, p: Components) -> Expressions:
        """Load on a circle about the trolley."""
        x, z = q.s + q.l * ca.sin(q.theta), -q.l * ca.cos(q.theta)
        return {"s": q.s, "l": q.l, "x": x, "z": z}

    def find(self, q: Mapping[str, float], p: Mapping[str, float]) -> Mapping[str, float]:
        """Swing angle from the load's place below the trolley."""
        return {"s": q["s"], "l": q["l"], "theta": math.atan2(q["x"] - q["s"], -q["z"])}


_SWING = (
    Quantity("theta_1", "rad", "swing angle about the jib"),
    Quantity("theta_2", "rad", "swing angle in the plane of jib and rope"),
)


class RotaryCraneMinimal(ReducedCrane):
    """Rotary crane in 5 minimal coordinates (thesis 5.87-5.90)."""

    name = "rotary-minimal"
    description = "3D rotary crane in 5 minimal coordinates"
    base: ClassVar[Crane] = RotaryCrane()
    coordinates = (*RotaryCrane.coordinates[:3], *_SWING)
    parameters = RotaryCrane.parameters
    inputs = RotaryCrane.inputs
    outputs = RotaryCrane.outputs

    def place(self, q: Components, p: Components) -> Expressions:
        """Load on a sphere about the trolley."""
        return {"phi": q.phi, "s": q.s, "l": q.l, **_hanging(q)}

    def find(self, q: Mapping[str, float], p: Mapping[str, float]) -> Mapping[str, float]:
        """Swing angles from the load's place in the frame of the jib."""
        return {name: q[name] for name in ("phi", "s", "l")} | _swing(q["phi"], q["s"], q)


class RotaryCraneFromRedundant(ReducedCrane):
    """The 10-coordinate crane reduced to the 6 dependent coordinates (thesis 5.135, 5.111-5.116).

    Four of the five constraints are fulfilled by the map; that of the hoist rope is kept.
    """

    name = "rotary-redundant-to-6"
    description = "3D rotary crane of rope winches, reduced from 10 to 6 coordinates"
    base = RotaryCraneRedundant()
    coordinates = RotaryCrane.coordinates
    parameters = RotaryCraneRedundant.parameters
    inputs = RotaryCraneRedundant.inputs
    outputs = RotaryCraneRedundant.outputs
    multipliers = RotaryCraneRedundant.multipliers[-1:]

    def place(self, q: Components, p: Components) -> Expressions:
        """Jib and trolley from slewing angle and radius, ropes from their ways."""
        cos, sin = ca.cos(q.phi), ca.sin(q.phi)
        return {
            "x_2": -p.r * cos,
            "y_2": -p.r * sin,
            "x_0": q.s * cos,
            "y_0": q.s * sin,
            "L_1": q.s + p.alpha * p.r,
            "L_2": q.s + p.r + q.l,
            "L_0": q.s + p.r,
            "x": q.x,
            "y": q.y,
            "z": q.z,
        }

    def find(self, q: Mapping[str, float], p: Mapping[str, float]) -> Mapping[str, float]:
        """Slewing angle and radius from the trolley's place."""
        own = {"phi": math.atan2(q["y_0"], q["x_0"]), "s": math.hypot(q["x_0"], q["y_0"])}
        return own | {"l": q["L_2"] - q["L_0"]} | {name: q[name] for name in ("x", "y", "z")}


class RotaryCraneFromRotationless(ReducedCrane):
    """The 42-coordinate crane in the 5 minimal coordinates (thesis 4.110-4.115).

    The winch angle is (l - l_0) / r_w, not l / r_w as in (4.115).
    """

    name = "rotary-rotationless-to-5"
    description = "3D rotary crane of rotationless bodies, reduced from 42 to 5 coordinates"
    base = RotaryCraneRotationless()
    coordinates = RotaryCraneMinimal.coordinates
    parameters = RotaryCraneRotationless.parameters
    inputs = RotaryCraneRotationless.inputs
    outputs = RotaryCraneRotationless.outputs

    def place(self, q: Components, p: Components) -> Expressions:
        """Mass centres and directors of bridge, trolley and winch; load; joint coordinates."""
        theta = (q.l - p.l_0) / p.r_w
        cos, sin, c, d = ca.cos(q.phi), ca.sin(q.phi), ca.cos(theta), ca.sin(theta)
        out, side, up = [cos, sin, 0.0], [-sin, cos, 0.0], [0.0, 0.0, 1.0]
        trolley = [q.s * cos, q.s * sin, 0.0]
        winch = [c * cos, c * sin, -d, *side, d * cos, d * sin, c]
        bodies = [0.0, 0.0, 0.0, *out, *side, *up, *trolley, *out, *side, *up, *trolley, *winch]
        values = [*bodies, *_hanging(q).values(), q.phi, q.s, theta]
        return dict(zip(names(self.base.coordinates), values, strict=True))

    def find(self, q: Mapping[str, float], p: Mapping[str, float]) -> Mapping[str, float]:
        """Joint coordinates, and swing angles from the load's place."""
        phi, s, length = q["theta_b"], q["s"], p["l_0"] + p["r_w"] * q["theta"]
        return {"phi": phi, "s": s, "l": length} | _swing(phi, s, q)


def _hanging(q: Components) -> dict[str, Any]:
    """Load position (thesis 5.89)."""
    cos, sin = ca.cos(q.phi), ca.sin(q.phi)
    radial = q.s + q.l * ca.sin(q.theta_2)
    lateral = -q.l * ca.cos(q.theta_2) * ca.sin(q.theta_1)
    return {
        "x": radial * cos - lateral * sin,
        "y": radial * sin + lateral * cos,
        "z": -q.l * ca.cos(q.theta_2) * ca.cos(q.theta_1),
    }


def _swing(phi: float, s: float, load: Mapping[str, float]) -> dict[str, float]:
    """Swing angles of a load, from its place relative to the trolley in the frame of the jib."""
    x, y, z = load["x"], load["y"], load["z"]
    radial = x * math.cos(phi) + y * math.sin(phi) - s
    lateral = y * math.cos(phi) - x * math.sin(phi)
    return {
        "theta_1": math.atan2(-lateral, -z),
        "theta_2": math.atan2(radial, math.hypot(lateral, z)),
    }


MINIMAL: dict[type[Crane], type[ReducedCrane]] = {
    type(reduced.base): reduced
    for reduced in (OverheadCraneMinimal, RotaryCraneMinimal, RotaryCraneFromRotationless)
}
"""The reduction to minimal coordinates of each crane that has one."""
