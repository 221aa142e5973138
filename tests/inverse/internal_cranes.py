"""Cranes with internal dynamics: the systems of the benchmark C (stable inversion).

Each states its energies in coordinates in which the benchmark's equations can be checked by eye.
"""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

import casadi as ca
import numpy as np

from cranebridge.inverse import ServoProblem
from cranebridge.path import Cylindrical, Line, polynomial
from cranebridge.twin import Crane, Parameter, Quantity, find_crane


class HookCrane(Crane):
    """Trolley, hook on a rope, load on a sling: the hook follows the path (C.1)."""

    name = "test-hook"
    description = "double pendulum crane whose hook is the output; z points down"
    coordinates = (
        Quantity("s", "m", "trolley position"),
        Quantity("l", "m", "rope length"),
        Quantity("x", "m", "hook position, horizontal"),
        Quantity("z", "m", "hook position, down"),
        Quantity("theta", "rad", "sling angle from the vertical"),
    )
    parameters = (
        Parameter("m_t", "kg", "trolley mass", 10.0),
        Parameter("m_h", "kg", "hook mass", 20.0),
        Parameter("m", "kg", "load mass", 100.0),
        Parameter("l_2", "m", "sling length", 1.5),
        Parameter("J", "kg*m^2", "winch inertia", 0.1),
        Parameter("r", "m", "winch radius", 0.1),
        Parameter("k", "N*m*s/rad", "sling damping", 0.0, "real"),
        Parameter("g", "m/s^2", "gravity", 9.81),
    )
    inputs = (Quantity("F", "N", "trolley force"), Quantity("M", "N*m", "winch torque, pays out"))
    outputs = (
        Quantity("x", "m", "hook position, horizontal"),
        Quantity("z", "m", "hook position, down"),
    )
    multipliers = (Quantity("lambda", "N/m", "rope force divided by rope length"),)
    ropes = (Quantity("T_1", "N", "hoist rope force"),)

    def kinetic_energy(self, q: Any, v: Any, p: Any) -> Any:
        """Trolley, winch, hook and load."""
        v_x = v.x + p.l_2 * ca.cos(q.theta) * v.theta
        v_z = v.z - p.l_2 * ca.sin(q.theta) * v.theta
        hook = p.m_t * v.s**2 + p.J / p.r**2 * v.l**2 + p.m_h * (v.x**2 + v.z**2)
        return 0.5 * (hook + p.m * (v_x**2 + v_z**2))

    def potential_energy(self, q: Any, p: Any) -> Any:
        """Weights of hook and load."""
        return -p.g * (p.m_h * q.z + p.m * (q.z + p.l_2 * ca.cos(q.theta)))

    def drive_power(self, q: Any, v: Any, u: Any, p: Any) -> Any:
        """Trolley force and winch torque."""
        return u.F * v.s + u.M * v.l / p.r

    def other_forces(self, q: Any, v: Any, p: Any) -> Mapping[str, Any]:
        """Damping of the sling."""
        return {"theta": -p.k * v.theta}

    def constraints(self, q: Any, p: Any) -> Mapping[str, Any]:
        """Rope length."""
        return {"lambda": 0.5 * ((q.x - q.s) ** 2 + q.z**2 - q.l**2)}

    def output_map(self, q: Any, p: Any) -> Mapping[str, Any]:
        """Hook position."""
        return {"x": q.x, "z": q.z}

    def rope_forces(self, q: Any, lam: Any, p: Any) -> Mapping[str, Any]:
        """Multiplier times length."""
        return {"T_1": lam["lambda"] * q.l}

    def rest(self, y: Mapping[str, float], p: Mapping[str, float]) -> Mapping[str, float]:
        """Trolley above the hook."""
        return {"s": y["x"], "l": y["z"]}


class MastCrane(Crane):
    """Trolley with a hinged rigid mast; a point at the distance a below the hinge is led (C.2)."""

    name = "test-mast"
    description = "trolley with a hinged rigid mast"
    coordinates = (
        Quantity("s", "m", "trolley position"),
        Quantity("phi", "rad", "angle of the mast from hanging down"),
    )
    parameters = (
        Parameter("m_t", "kg", "trolley mass", 200.0),
        Parameter("m", "kg", "mast mass", 300.0),
        Parameter("L", "m", "mast length", 4.0),
        Parameter("a", "m", "distance of the led point from the hinge", 4.0),
        Parameter("k", "N*m*s/rad", "friction of the hinge", 50.0, "real"),
        Parameter("g", "m/s^2", "gravity", 9.81, "real"),
    )
    inputs = (Quantity("F", "N", "trolley force"),)
    outputs = (Quantity("y", "m", "led point, horizontal"),)

    def kinetic_energy(self, q: Any, v: Any, p: Any) -> Any:
        """Trolley and mast."""
        swing = p.m * p.L**2 / 3 * v.phi**2 + p.m * p.L * ca.cos(q.phi) * v.phi * v.s
        return 0.5 * ((p.m_t + p.m) * v.s**2 + swing)

    def potential_energy(self, q: Any, p: Any) -> Any:
        """Weight of the mast."""
        return -p.m * p.g * p.L / 2 * ca.cos(q.phi)

    def drive_power(self, q: Any, v: Any, u: Any, p: Any) -> Any:
        """Trolley force."""
        return u.F * v.s

    def other_forces(self, q: Any, v: Any, p: Any) -> Mapping[str, Any]:
        """Friction of the hinge."""
        return {"phi": -p.k * v.phi}

    def output_map(self, q: Any, p: Any) -> Mapping[str, Any]:
        """The led point."""
        return {"y": q.s + p.a * ca.sin(q.phi)}

    def rest(self, y: Mapping[str, float], p: Mapping[str, float]) -> Mapping[str, float]:
        """Mast hanging down."""
        return {"s": y["y"]}


class MastWithPendulum(MastCrane):
    """The mast's trolley carries an undamped pendulum, too: a saddle and a centre together."""

    name = "test-mast-pendulum"
    coordinates = (*MastCrane.coordinates, Quantity("psi", "rad", "angle of the pendulum"))

    def kinetic_energy(self, q: Any, v: Any, p: Any) -> Any:
        """A pendulum of 10 kg and 1 m besides."""
        swing = v.s**2 + v.psi**2 + 2 * ca.cos(q.psi) * v.psi * v.s
        return super().kinetic_energy(q, v, p) + 0.5 * 10.0 * swing

    def potential_energy(self, q: Any, p: Any) -> Any:
        """Weight of the pendulum besides."""
        return super().potential_energy(q, p) - 10.0 * p.g * ca.cos(q.psi)


class MastWithPuck(MastCrane):
    """A puck of 10 kg lies on ice beside the mast: a saddle and a neutral motion together."""

    name = "test-mast-puck"
    coordinates = (*MastCrane.coordinates, Quantity("x", "m", "position of the puck"))

    def kinetic_energy(self, q: Any, v: Any, p: Any) -> Any:
        """The puck besides."""
        return super().kinetic_energy(q, v, p) + 5.0 * v.x**2


class TowedPuck(Crane):
    """A trolley is led; a puck on ice feels a dashpot between them and the trolley's wind."""

    name = "test-puck"
    description = "trolley and a puck that nothing brings back"
    coordinates = (
        Quantity("y", "m", "trolley position"),
        Quantity("x", "m", "position of the puck"),
    )
    parameters = (
        Parameter("m", "kg", "mass of each", 2.0),
        Parameter("d", "N*s/m", "dashpot", 0.0, "real"),
        Parameter("c", "N*s/m", "force on the puck per speed of the trolley", 0.0, "real"),
    )
    inputs = (Quantity("F", "N", "trolley force"),)
    outputs = (Quantity("y", "m", "trolley position"),)

    def kinetic_energy(self, q: Any, v: Any, p: Any) -> Any:
        """Both masses."""
        return 0.5 * p.m * (v.y**2 + v.x**2)

    def potential_energy(self, q: Any, p: Any) -> Any:
        """None."""
        return 0

    def drive_power(self, q: Any, v: Any, u: Any, p: Any) -> Any:
        """Trolley force."""
        return u.F * v.y

    def other_forces(self, q: Any, v: Any, p: Any) -> Mapping[str, Any]:
        """Dashpot and wind."""
        return {"y": -p.d * (v.y - v.x), "x": p.d * (v.y - v.x) + p.c * v.y}

    def output_map(self, q: Any, p: Any) -> Mapping[str, Any]:
        """The trolley."""
        return {"y": q.y}


class MastOfChangingFriction(MastCrane):
    """A mast whose hinge drives it beyond s = 1 m, where its friction is negative."""

    name = "test-mast-changing"

    def other_forces(self, q: Any, v: Any, p: Any) -> Mapping[str, Any]:
        """Friction that falls along the rail."""
        return {"phi": -p.k * (1 - q.s) * v.phi}


def problem_of(crane: Crane, path: Any, **parameters: float) -> ServoProblem:
    """Return a servo problem with some parameters changed."""
    return ServoProblem(crane, path, crane.parameter_values(parameters))


def hook_problem(k: float) -> ServoProblem:
    """Return C.1."""
    path = Line(("x", "z"), (0.0, 4.0), (5.0, 2.0), polynomial(5.0))
    return problem_of(HookCrane(), path, k=k)


def mast_problem(a: float, k: float, duration: float = 3.0) -> ServoProblem:
    """Return C.2."""
    path = Line(("y",), (0.0,), (3.0,), polynomial(duration))
    return problem_of(MastCrane(), path, a=a, k=k)


def jib_problem(inner: float, outer: float) -> ServoProblem:
    """Return C.4: from the radius `inner` to `outer`, 60 degrees of slewing, 5 m up, 15 s."""
    ends = (inner, 0.0, -20.0), (outer, np.pi / 3, -15.0)
    path = Cylindrical(("x", "y", "z"), polynomial(15.0), *ends)
    return problem_of(find_crane("flexible-jib"), path)


class RodCrane(Crane):
    """A trolley that follows a path, with a rod whose end is told by its position, not by an angle.

    At rest x of the rod's end is free and z follows from it; beyond 90 degrees it cannot be so.
    """

    name = "test-rod"
    description = "trolley with a rod in dependent coordinates"
    coordinates = tuple(Quantity(name, "m", "position") for name in ("s", "x", "z"))
    parameters = (Parameter("L", "m", "length of the rod", 1.0),)
    inputs = (Quantity("F", "N", "trolley force"),)
    outputs = (Quantity("y", "m", "trolley position"),)
    multipliers = (Quantity("lambda", "N/m", "force of the rod divided by its length"),)

    def kinetic_energy(self, q: Any, v: Any, p: Any) -> Any:
        """Trolley of 10 kg, end of the rod of 1 kg."""
        return 0.5 * (10.0 * v.s**2 + v.x**2 + v.z**2)

    def potential_energy(self, q: Any, p: Any) -> Any:
        """Weight of the rod's end."""
        return 9.81 * q.z

    def drive_power(self, q: Any, v: Any, u: Any, p: Any) -> Any:
        """Trolley force."""
        return u.F * v.s

    def constraints(self, q: Any, p: Any) -> Mapping[str, Any]:
        """Length of the rod."""
        return {"lambda": 0.5 * ((q.x - q.s) ** 2 + q.z**2 - p.L**2)}

    def output_map(self, q: Any, p: Any) -> Mapping[str, Any]:
        """Trolley position."""
        return {"y": q.s}

    def rest(self, y: Mapping[str, float], p: Mapping[str, float]) -> Mapping[str, float]:
        """Rod hanging down."""
        return {"s": y["y"], "x": y["y"], "z": -p["L"]}


class TwoNonlinearStages(Crane):
    """A load whose output is a cubic of its position, and a massless cubic spring in its rod.

    Position and spring are found by Newton's method in different stages, and the second needs the
    acceleration that follows from the first.
    """

    name = "test-stages"
    description = "two nonlinear stages, one after the other"
    coordinates = (
        Quantity("s", "m", "trolley position"),
        Quantity("x", "m", "load position"),
        Quantity("r", "m", "deflection of the spring"),
    )
    parameters = ()
    inputs = (Quantity("F", "N", "trolley force"),)
    outputs = (Quantity("y", "m", "cubic of the load position"),)
    multipliers = (Quantity("lambda", "N", "force of the rod"),)

    def kinetic_energy(self, q: Any, v: Any, p: Any) -> Any:
        """Trolley and load of 1 kg each."""
        return 0.5 * (v.s**2 + v.x**2)

    def potential_energy(self, q: Any, p: Any) -> Any:
        """None."""
        return 0.0

    def drive_power(self, q: Any, v: Any, u: Any, p: Any) -> Any:
        """Trolley force."""
        return u.F * v.s

    def constraints(self, q: Any, p: Any) -> Mapping[str, Any]:
        """The rod."""
        return {"lambda": q.x - q.s}

    def output_map(self, q: Any, p: Any) -> Mapping[str, Any]:
        """A cubic of the position."""
        return {"y": q.x + q.x**3 / 3}

    def massless(self, q: Any, lam: Any, p: Any) -> Mapping[str, Any]:
        """Balance of the spring."""
        return {"r": q.r + q.r**3 - lam["lambda"]}
