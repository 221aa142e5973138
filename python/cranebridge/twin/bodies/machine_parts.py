"""The parts of a crane: bodies, ropes, winches, cylinders, gears, drives, springs, dampers.

Each says its own energy, power or condition in a `MechanismState`; the crane's are their sums.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from itertools import pairwise
from typing import Any

import casadi as ca

from cranebridge.twin.bodies.mechanism_state import MechanismState
from cranebridge.twin.bodies.part_values import UNIT, Axis, Point, Value, Vector, direction
from cranebridge.twin.bodies.solids import Solid
from cranebridge.twin.language import Quantity

ORIGIN: Vector = (0.0, 0.0, 0.0)
OWN = "by what it acts on"
"""The unit of a value which depends on whether the part acts on a length or on an angle."""


def _in(unit: str | tuple[str, ...], default: Any = ...) -> Any:
    """Return a field whose values have a unit."""
    if default is ...:
        return field(metadata={UNIT: unit})
    return field(default=default, metadata={UNIT: unit})


@dataclass(frozen=True)
class Part:
    """What a crane is made of; energies and powers that a part does not have are zero.

    Attributes
    ----------
    name : str
        Its name.
    """

    name: str

    def quantities(self) -> tuple[Quantity, ...]:
        """Return its own coordinates."""
        return ()

    def inputs(self) -> Sequence[str]:
        """Return the names of its inputs."""
        return ()

    def points_used(self) -> Sequence[Point]:
        """Return the points of bodies that it acts on."""
        return ()

    def kinetic(self, state: MechanismState) -> Any:
        """Kinetic energy."""
        return 0.0

    def potential(self, state: MechanismState) -> Any:
        """Potential energy."""
        return 0.0

    def power(self, state: MechanismState, u: Any) -> Any:
        """Power of its inputs."""
        return 0.0

    def dissipation(self, state: MechanismState) -> Any:
        """Rayleigh's function: half the power that is lost in damping."""
        return 0.0


# ---------------------------------------------------------------------------- bodies


@dataclass(frozen=True)
class Body(Part):
    """A rigid body, carried by the joint of its name.

    Attributes
    ----------
    mass : float, str or Parameter
        Mass; of a body with a shape the shape says it.
    centre : tuple
        Mass centre in the body's frame; of a shape its own where it is left out.
    inertia : tuple
        Moments of inertia about the centre along the body's axes, J_x, J_y, J_z; or six entries
        of the tensor, with J_xy, J_xz, J_yz behind them.
    shape : Solid
        What `rod`, `box`, `cylinder` or `sphere` returns.
    points : mapping
        Points of the body by name, which others write as "BODY.POINT".
    """

    mass: Value = _in("kg", 0.0)
    centre: Vector | None = _in("m", None)
    inertia: tuple[Value, ...] = _in("kg*m^2", ORIGIN)
    shape: Solid | None = None
    points: Mapping[str, Vector] = field(default_factory=dict, metadata={UNIT: "m"}, hash=False)

    def properties(self, state: MechanismState) -> tuple[Any, Any, Any]:
        """Return mass, centre and inertia tensor."""
        mass, centre, inertia = state.number(self.mass), self.centre or ORIGIN, self.inertia
        if self.shape is not None:
            mass = self.shape.weight(state.number)
            inertia = self.shape.inertia(state.number)
            centre = self.centre or self.shape.centre(state.number)
        J = ca.diag(ca.vertcat(*(_number(state, one) for one in inertia[:3])))
        for (i, j), one in zip(((0, 1), (0, 2), (1, 2)), inertia[3:], strict=False):
            J[i, j] = J[j, i] = _number(state, one)
        return mass, ca.SX(ca.vertcat(*(_number(state, one) for one in centre))), ca.SX(J)

    def kinetic(self, state: MechanismState) -> Any:
        """m/2 v_c^2 + 1/2 w.J w."""
        mass, centre, J = self.properties(state)
        return state.frame(self.name).kinetic_energy(mass, centre, J)

    def potential(self, state: MechanismState) -> Any:
        """Weight at the mass centre."""
        mass, centre, _ = self.properties(state)
        return mass * state.p.g * state.frame(self.name).point(centre)[2]


def _number(state: MechanismState, value: Any) -> Any:
    return value if isinstance(value, ca.SX) else state.number(value)


@dataclass(frozen=True)
class PointMass(Part):
    """A mass without extent, free in space (or in the crane's plane): a load, a hook.

    Attributes
    ----------
    mass : float, str or Parameter
        Its mass.
    coordinates : tuple of str
        Names of its place along x, y, z (or x and z); by default these letters, with "_NAME" behind
        them if there are several point masses.
    """

    mass: Value = _in("kg", 0.0)
    coordinates: tuple[str, ...] | None = None

    def kinetic(self, state: MechanismState) -> Any:
        """m/2 v^2."""
        return 0.5 * state.number(self.mass) * ca.sumsqr(state.rate(self.name))

    def potential(self, state: MechanismState) -> Any:
        """Weight."""
        return state.number(self.mass) * state.p.g * state.place(self.name)[2]


# ---------------------------------------------------------------------------- ropes


@dataclass(frozen=True)
class Winch(Part):
    """A winch: its drum pays out the rope length that is its coordinate.

    Attributes
    ----------
    at : str or tuple
        The point where the rope leaves it.
    inertia : float, str or Parameter
        Inertia of drum and motor about the drum's axis.
    radius : float, str or Parameter
        Of the drum; a text may name the coordinate where the rope lies in layers.
    torque : str
        Its input; positive pays out.
    length : str
        Its coordinate.
    """

    at: Point = "ground"
    inertia: Value = _in("kg*m^2", 0.0)
    radius: Value = _in("m", 1.0)
    torque: str | None = None
    length: str | None = None

    @property
    def coordinate(self) -> str:
        """Name of its coordinate."""
        return self.length or f"l_{self.name}"

    def quantities(self) -> tuple[Quantity, ...]:
        """The rope length."""
        return (Quantity(self.coordinate, "m", f"rope length that {self.name} has paid out"),)

    def inputs(self) -> Sequence[str]:
        """Its torque."""
        return () if self.torque is None else (self.torque,)

    def points_used(self) -> Sequence[Point]:
        """Where the rope leaves it."""
        return (self.at,)

    def speed(self, state: MechanismState) -> Any:
        """Turning speed of the drum, positive pays out."""
        return state.v[self.coordinate] / state.number(self.radius)

    def kinetic(self, state: MechanismState) -> Any:
        """J/2 (l'/r)^2."""
        return 0.5 * state.number(self.inertia) * self.speed(state) ** 2

    def power(self, state: MechanismState, u: Any) -> Any:
        """M l'/r."""
        return 0.0 if self.torque is None else u[self.torque] * self.speed(state)


@dataclass(frozen=True)
class Rope(Part):
    """A rope without mass along a path of points; between them it runs over small sheaves.

    Attributes
    ----------
    name : str
        Of the rope's force.
    path : tuple
        Points of bodies, in order; a winch may stand at either end.
    length : float, str or Parameter
        Rope between the ends besides what winches pay out.
    falls : int
        Parts of rope between the last two points (reeving).
    stiffness : float, str or Parameter
        EA in N; rigid where it is left out. The stretch is then a coordinate.
    """

    path: tuple[Point, ...] = ()
    length: Value = _in("m", 0.0)
    falls: int = 1
    stiffness: Value | None = _in("N", None)

    @property
    def stretch(self) -> str:
        """Name of the stretch."""
        return f"e_{self.name}"

    @property
    def multiplier(self) -> str:
        """Name of its multiplier."""
        return f"lambda_{self.name}"

    def quantities(self) -> tuple[Quantity, ...]:
        """The stretch of an elastic rope."""
        if self.stiffness is None:
            return ()
        return (Quantity(self.stretch, "m", f"stretch of the rope {self.name}"),)

    def points_used(self) -> Sequence[Point]:
        """All points of the path."""
        return self.path

    def free_length(self, state: MechanismState) -> Any:
        """Rope length without stretch."""
        winches = state.mechanism.winches
        paid_out = [state.q[winches[end].coordinate] for end in self.winches(state)]
        return sum(paid_out, state.number(self.length))

    def winches(self, state: MechanismState) -> list[str]:
        """Return the winches at its ends."""
        ends = (self.path[0], self.path[-1])
        return [one for one in ends if isinstance(one, str) and one in state.mechanism.winches]

    def stretched_length(self, state: MechanismState) -> Any:
        """Rope length."""
        length = self.free_length(state)
        return length if self.stiffness is None else length + state.q[self.stretch]

    def spans(self, state: MechanismState) -> list[Any]:
        """Return the vectors from point to point."""
        winches = state.mechanism.winches
        places = [
            state.place(winches[one].at if isinstance(one, str) and one in winches else one)
            for one in self.path
        ]
        return [end - begin for begin, end in pairwise(places)]

    def constraint(self, state: MechanismState) -> Any:
        """(d.d - (l/n)^2)/2 for one span of n falls; of several the sum of their lengths - l."""
        spans, length = self.spans(state), self.stretched_length(state)
        if len(spans) == 1:
            return 0.5 * (ca.sumsqr(spans[0]) - (length / self.falls) ** 2)
        ways = [ca.norm_2(one) for one in spans]
        return sum(ways[:-1]) + self.falls * ways[-1] - length

    def force(self, state: MechanismState, multiplier: Any) -> Any:
        """lambda l / n^2 for one span: lambda d is the pull of all n falls; else the multiplier."""
        if len(self.path) == 2:
            return multiplier * self.stretched_length(state) / self.falls**2
        return multiplier

    def potential(self, state: MechanismState) -> Any:
        """EA e^2 / (2 l)."""
        if self.stiffness is None:
            return 0.0
        e = state.q[self.stretch]
        return 0.5 * state.number(self.stiffness) * e**2 / self.free_length(state)


# ---------------------------------------------------------------------------- drives


@dataclass(frozen=True)
class HydraulicCylinder(Part):
    """A cylinder between two points; barrel and piston rod are slender rods on the line.

    Attributes
    ----------
    base, end : str or tuple
        Points of the barrel's and of the piston rod's eye.
    force : str
        Its input; positive extends.
    barrel, rod : tuple
        Mass and length of each, from its eye; none by default.
    """

    base: Point = "ground"
    end: Point = "ground"
    force: str | None = None
    barrel: tuple[Value, Value] | None = _in(("kg", "m"), None)
    rod: tuple[Value, Value] | None = _in(("kg", "m"), None)

    def inputs(self) -> Sequence[str]:
        """Its force."""
        return () if self.force is None else (self.force,)

    def points_used(self) -> Sequence[Point]:
        """Both eyes."""
        return self.base, self.end

    def length(self, state: MechanismState) -> Any:
        """Distance of the eyes."""
        return state.between((self.base, self.end))[0]

    def speed(self, state: MechanismState) -> Any:
        """Rate of the length."""
        return state.between((self.base, self.end))[1]

    def power(self, state: MechanismState, u: Any) -> Any:
        """F d|d|/dt."""
        return 0.0 if self.force is None else u[self.force] * self.speed(state)

    def kinetic(self, state: MechanismState) -> Any:
        """m/6 (v_1^2 + v_1.v_2 + v_2^2) of each slender rod, from the velocities of its ends."""
        total = 0.0
        for mass, (_, v_1), (_, v_2) in self._rods(state):
            total += mass / 6 * (ca.sumsqr(v_1) + ca.dot(v_1, v_2) + ca.sumsqr(v_2))
        return total

    def potential(self, state: MechanismState) -> Any:
        """Weight of each rod at its middle."""
        return sum(
            mass * state.p.g * (begin + end) / 2 for mass, (begin, _), (end, _) in self._rods(state)
        )

    def _rods(self, state: MechanismState) -> list[tuple[Any, Any, Any]]:
        """Return mass, and height and velocity of both ends, of barrel and piston rod."""
        base = state.common(*(state.mechanism.located(one)[0] for one in (self.base, self.end)))
        carrier = state.frame(base)

        def absolute(place: Any, rate: Any) -> tuple[Any, Any]:
            return carrier.point(place)[2], carrier.rate(place) + rate

        found = []
        for rod, near, far in ((self.barrel, self.base, self.end), (self.rod, self.end, self.base)):
            if rod is not None:
                mass, length = (state.number(one) for one in rod)
                A, B = state.place(near, base), state.place(far, base)
                v_A, v_B = state.rate(near, base), state.rate(far, base)
                along = (B - A) / ca.norm_2(B - A)
                turning = (v_B - v_A - along * ca.dot(along, v_B - v_A)) / ca.norm_2(B - A)
                ends = absolute(A, v_A), absolute(A + length * along, v_A + length * turning)
                found.append((mass, *ends))
        return found


@dataclass(frozen=True)
class Gear(Part):
    """A motor that turns `ratio` times as fast as what it drives.

    Attributes
    ----------
    on : str
        A coordinate, a winch or a gear.
    ratio : float, str or Parameter
        Speed of the motor for each unit of the other's speed.
    inertia : float, str or Parameter
        Inertia of the motor about its axis.
    """

    on: str = ""
    ratio: Value = _in("1", 1.0)
    inertia: Value = _in("kg*m^2", 0.0)

    def speed(self, state: MechanismState) -> Any:
        """Turning speed of the motor."""
        return state.number(self.ratio) * state.speed(self.on)

    def kinetic(self, state: MechanismState) -> Any:
        """J/2 (ratio w)^2."""
        return 0.5 * state.number(self.inertia) * self.speed(state) ** 2


@dataclass(frozen=True)
class Drive(Part):
    """A force or torque on a coordinate, on a winch or on a gear's motor; `name` is its input.

    Attributes
    ----------
    on : str
        What it acts on.
    """

    on: str = ""

    def inputs(self) -> Sequence[str]:
        """Its name."""
        return (self.name,)

    def power(self, state: MechanismState, u: Any) -> Any:
        """Force times speed."""
        return u[self.name] * state.speed(self.on)


@dataclass(frozen=True)
class Force(Part):
    """A force at a point, in a direction that is fixed in a body; `name` is its input.

    Attributes
    ----------
    at : str or tuple
        The point.
    axis : str or tuple of float
        The direction.
    of : str
        The body whose components `axis` has.
    """

    at: Point = "ground"
    axis: Axis = "x"
    of: str = "ground"

    def inputs(self) -> Sequence[str]:
        """Its name."""
        return (self.name,)

    def points_used(self) -> Sequence[Point]:
        """The point."""
        return (self.at,)

    def power(self, state: MechanismState, u: Any) -> Any:
        """F . v."""
        along = state.frame(self.of).rotation @ ca.DM(direction(self.axis))
        return u[self.name] * ca.dot(along, state.rate(self.at))


@dataclass(frozen=True)
class Spring(Part):
    """A linear spring on a coordinate, or between two points.

    Attributes
    ----------
    on : str or tuple
        A coordinate, or two points of bodies.
    stiffness : float, str or Parameter
        In N/m, or N*m/rad on an angle.
    free : float, str or Parameter
        The coordinate or length without force.
    """

    on: str | tuple[Point, Point] = ""
    stiffness: Value = _in(OWN, 0.0)
    free: Value = _in(OWN, 0.0)

    def points_used(self) -> Sequence[Point]:
        """Both points."""
        return () if isinstance(self.on, str) else self.on

    def potential(self, state: MechanismState) -> Any:
        """c/2 (x - x_0)^2."""
        x = state.q[self.on] if isinstance(self.on, str) else state.between(self.on)[0]
        return 0.5 * state.number(self.stiffness) * (x - state.number(self.free)) ** 2


@dataclass(frozen=True)
class Damper(Part):
    """A linear damper on a coordinate, winch or gear, or between two points.

    Attributes
    ----------
    on : str or tuple
        What it acts on, or two points of bodies.
    damping : float, str or Parameter
        In N*s/m, or N*m*s/rad on an angle.
    """

    on: str | tuple[Point, Point] = ""
    damping: Value = _in(OWN, 0.0)

    def points_used(self) -> Sequence[Point]:
        """Both points."""
        return () if isinstance(self.on, str) else self.on

    def dissipation(self, state: MechanismState) -> Any:
        """d/2 x'^2."""
        on = self.on
        rate = state.speed(on) if isinstance(on, str) else state.between(on)[1]
        return 0.5 * state.number(self.damping) * rate**2
