"""The crane on an elastic rope: made of any crane whose load hangs on one rope.

The rope is a chain of elements from the point where it leaves the crane (top) over n lumps of mass
to the load. The winch changes the free length l_1 = l of the first element; the others keep theirs.
The stretch e_k of each element is a coordinate without mass, and a constraint ties it to the
distance d_k of its ends:

    0.5 (d_k . d_k - (l_k + e_k)^2) = 0,     V_k = EA e_k^2 / (2 l_k).

The balance of e_k is T_k = (EA e_k + D e_k') / l_k = lambda_k (l_k + e_k), regular for any force.
The difference of two lengths of which the stretch is a millionth is nowhere taken, as it would be
in V = EA (|d| - l)^2 / (2 l): nothing is lost for EA = 2e10 N.

The balance of the winch gets T_1^2 / (2 EA) by itself, from dV/dl: the rope that it pays out is
strained already and brings its energy along. The mass of the rope that is paid out is not modelled.

Drives, their inertia, friction and power are those of the crane without load: its energies with the
mass of the load and the drag on it set to zero. The load is in Cartesian coordinates.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace
from typing import Any, ClassVar

import casadi as ca

from cranebridge.errors import InputError
from cranebridge.twin.language import (
    Components,
    Crane,
    Expressions,
    HoistRope,
    Line,
    NamedNumbers,
    Shape,
    Sphere,
    drag,
    followed,
    names,
    points_of,
    vector,
)


@dataclass(frozen=True)
class ElasticRope:
    """The rope that a crane gets; the values are the defaults of the crane's parameters.

    Attributes
    ----------
    stiffness : float
        EA in N: the force that would stretch the rope to twice its length.
    damping : float or None
        D in N s: the force is (EA e + D e') / l; None without damping.
    lumps : int
        How many point masses the rope has between its ends.
    lump_mass : float or None
        Mass of each in kg, where there are any.
    lump_length : float or None
        Free length in m of each element below a lump.
    """

    stiffness: float
    damping: float | None = None
    lumps: int = 0
    lump_mass: float | None = None
    lump_length: float | None = None


STIFFNESS, DAMPING, LUMP_MASS, LUMP_LENGTH = "EA", "D", "m_lump", "l_lump"
ROPE_PARAMETERS: Mapping[str, str] = {
    "stiffness": STIFFNESS,
    "damping": DAMPING,
    "lump_mass": LUMP_MASS,
    "lump_length": LUMP_LENGTH,
}
"""The parameters that a rope adds to a crane, by what they are called in `ElasticRope`."""


class ElasticRopeCrane(Crane):
    """A crane on an elastic rope; its classes are made by :func:`cranebridge.twin.ropes.elastic`.

    Attributes
    ----------
    base : Crane
        The crane with the rigid rope.
    rope : ElasticRope
        What is known of its rope.
    drives : tuple of str
        The coordinates of the crane that are no coordinates of its load.
    hoist : HoistRope
        The names that the crane gives of its rope; `top` is of no use.
    elements : tuple of str
        The names of the stretches, from the winch to the load.
    lumps : tuple of tuple of str
        The names of the positions of the lumps, from the winch to the load.
    """

    base: ClassVar[Crane]
    rope: ClassVar[ElasticRope]
    drives: ClassVar[tuple[str, ...]]
    hoist: ClassVar[HoistRope]
    elements: ClassVar[tuple[str, ...]]
    lumps: ClassVar[tuple[tuple[str, ...], ...]]

    # ---------------------------------------------------------------- the crane without its load

    def _unloaded(self, p: Components) -> Components:
        """Return the parameters of the crane with the rigid rope, the load without mass."""
        absent = (self.hoist.mass, self.hoist.drag)
        known = names(self.base.parameters)
        values = [ca.SX(0) if name in absent else p[name] for name in known]
        return Components(known, ca.vertcat(*values), "parameter")

    def _of_base(self, method: str, motion: Sequence[Components], *others: Components) -> Any:
        """Return what a method of the rigid crane says of the drives, its load at zero.

        Cranes differentiate by their coordinates: these are symbols first and values then.

        Parameters
        ----------
        method : str
            Its name.
        motion : sequence of Components
            Coordinates of this crane, and velocities where the method takes them.
        *others : Components
            What the method takes besides.
        """
        known = names(self.base.coordinates)
        symbols = [ca.SX.sym(f"base_{order}", len(known)) for order in range(len(motion))]
        values = [
            ca.vertcat(*(part[name] if name in self.drives else 0 for name in known))
            for part in motion
        ]
        given = [*(Components(known, symbol, "coordinate") for symbol in symbols), *others]
        found = getattr(self.base, method)(*given)

        def valued(expression: Any) -> Any:
            return ca.substitute([ca.SX(expression)], symbols, values)[0]

        if isinstance(found, Mapping):
            return {name: valued(expression) for name, expression in found.items()}
        return valued(found)

    # ---------------------------------------------------------------- geometry

    @property
    def _load(self) -> tuple[str, ...]:
        return names(followed(self))

    def _at(self, q: Components, place: Sequence[str]) -> Any:
        return ca.vertcat(*(q[name] for name in place))

    def _points(self, q: Components, p: Components) -> list[Any]:
        """Return the ends of the elements: top, lumps, load."""
        top = self._top(q, p)
        planar = len(self._load) == 2
        below = [self._at(q, place) for place in (*self.lumps, self._load)]
        return [top[[0, 2]] if planar else top, *below]

    def _top(self, q: Components, p: Components) -> Any:
        symbol = ca.SX.sym("base", len(self.base.coordinates))
        known = names(self.base.coordinates)
        stated = self.base.hoist_rope(Components(known, symbol, "coordinate"), p)
        assert stated is not None  # it made this class
        values = [q[name] if name in self.drives else ca.SX(0) for name in known]
        return ca.substitute(vector(stated.top, 3, "top"), symbol, ca.vertcat(*values))

    def _free_lengths(self, q: Components, p: Components) -> list[Any]:
        return [q[self.hoist.length], *(p[LUMP_LENGTH] for _ in self.lumps)]

    # ---------------------------------------------------------------- mechanics

    def kinetic_energy(self, q: Components, v: Components, p: Components) -> Any:
        """Drives, lumps and load."""
        drives = self._of_base("kinetic_energy", (q, v), self._unloaded(p))
        lumps = sum(ca.sumsqr(self._at(v, place)) for place in self.lumps)
        load = p[self.hoist.mass] * ca.sumsqr(self._at(v, self._load))
        return drives + 0.5 * (load + (p[LUMP_MASS] * lumps if self.lumps else 0))

    def potential_energy(self, q: Components, p: Components) -> Any:
        """Weight of drives, lumps and load, strain of each element."""
        drives = self._of_base("potential_energy", (q,), self._unloaded(p))
        weight = p[self.hoist.mass] * q[self._load[-1]]
        for place in self.lumps:
            weight += p[LUMP_MASS] * q[place[-1]]
        strain = sum(
            q[name] ** 2 / length
            for name, length in zip(self.elements, self._free_lengths(q, p), strict=True)
        )
        return drives + p[self.hoist.gravity] * weight + 0.5 * p[STIFFNESS] * strain

    def drive_power(self, q: Components, v: Components, u: Components, p: Components) -> Any:
        """Power of the drives, which is that of the crane with the rigid rope."""
        return self._of_base("drive_power", (q, v), u, self._unloaded(p))

    def other_forces(self, q: Components, v: Components, p: Components) -> Expressions:
        """Friction of the drives, air on the load, damping of each element."""
        given = self._of_base("other_forces", (q, v), self._unloaded(p))
        forces = {name: force for name, force in given.items() if name in self.drives}
        if self.hoist.drag is not None:
            wind = [p[name] for name in self.hoist.wind]
            still = [0] * (len(self._load) - len(wind))
            air = drag(self._at(v, self._load), (*wind, *still), p[self.hoist.drag])
            forces |= dict(zip(self._load, ca.vertsplit(air), strict=True))
        if self.rope.damping is not None:
            for name, length in zip(self.elements, self._free_lengths(q, p), strict=True):
                forces[name] = -p[DAMPING] * v[name] / length
        return forces

    def constraints(self, q: Components, p: Components) -> Expressions:
        """Length of each element, and what else the crane has."""
        found = dict(self._of_base("constraints", (q,), p))
        found.pop(self.hoist.multiplier or "", None)
        points = self._points(q, p)
        lengths = self._free_lengths(q, p)
        for k, (name, length) in enumerate(zip(self.elements, lengths, strict=True)):
            d = points[k + 1] - points[k]
            found[self._tie(name)] = 0.5 * (ca.sumsqr(d) - (length + q[name]) ** 2)
        return found

    def massless(self, q: Components, lam: Components, p: Components) -> Expressions:
        """Balance of each element; with damping it is the equation of motion, of first order."""
        found = dict(self._of_base("massless", (q,), self._with_rigid_rope(lam), p))
        if self.rope.damping is None:
            for name, length in zip(self.elements, self._free_lengths(q, p), strict=True):
                strained = p[STIFFNESS] * q[name] / length
                found[name] = strained - lam[self._tie(name)] * (length + q[name])
        return found

    def output_map(self, q: Components, p: Components) -> Expressions:
        """Load position, and what is prescribed over time."""
        return {name: q[name] for name in names(self.outputs)}

    def rope_forces(self, q: Components, lam: Components, p: Components) -> Expressions:
        """Multiplier times length, for each element."""
        found = {
            force: lam[self._tie(name)] * (length + q[name])
            for force, name, length in zip(
                self._forces, self.elements, self._free_lengths(q, p), strict=True
            )
        }
        others = self._of_base("rope_forces", (q,), self._with_rigid_rope(lam), p)
        others.pop(self.hoist.force, None)
        return {**others, **found}

    def _with_rigid_rope(self, lam: Components) -> Components:
        """Return the multipliers of the crane with the rigid rope, that of this rope zero."""
        known = names(self.base.multipliers)
        own = [ca.SX(0) if name == self.hoist.multiplier else lam[name] for name in known]
        return Components(known, ca.vertcat(*own) if own else ca.SX(0, 1), "multiplier")

    @staticmethod
    def _tie(element: str) -> str:
        """Return the multiplier of an element."""
        return element.replace("stretch", "lambda")

    @property
    def _forces(self) -> tuple[str, ...]:
        """The names of the forces of the elements, from the winch to the load."""
        return forces_of(self.hoist.force, len(self.lumps))

    # ---------------------------------------------------------------- picture and start

    def scene(self, q: Components, p: Components) -> Sequence[Shape]:
        """What the crane looks like, with its lumps and with the load where it is."""
        known = names(self.base.coordinates)
        free = [i for i, name in enumerate(known) if name not in self.drives]
        symbol = ca.SX.sym("base", len(known))
        base = Components(known, symbol, "coordinate")
        values = ca.vertcat(*(q[n] if n in self.drives else symbol[i] for i, n in enumerate(known)))
        hanging = symbol[free]
        outputs = self.base.output_map(base, p)
        rigid = _in_space([outputs[name] for name in self._load])
        points = [_in_space(ca.vertsplit(point)) for point in self._points(q, p)]

        def moved(point: Any) -> Any:
            own = ca.substitute(point, symbol, values)
            if not ca.depends_on(own, hanging):
                return own
            beside = own - ca.substitute(rigid, symbol, values)
            return points[-1] + ca.substitute(beside, hanging, ca.SX.zeros(hanging.shape))

        bodies: list[Shape] = []
        for body in self.base.scene(base, p):
            if isinstance(body, Line) and body.force == self.hoist.force:
                forces = self._forces
                bodies += [Line(points[k], points[k + 1], forces[k]) for k in range(len(forces))]
                bodies += [Sphere(point, role="drive") for point in points[1:-1]]
                continue
            found = {field: moved(at) for field, at in points_of(body).items()}
            corners = [found.pop(field) for field in [*found] if field.startswith("corners")]
            changed: dict[str, Any] = {**found, **({"corners": corners} if corners else {})}
            bodies.append(replace(body, **changed))
        return bodies

    def rest(self, y: NamedNumbers, p: NamedNumbers) -> Mapping[str, float]:
        """The rigid crane's rest, the rope hanging straight down and stretched by its load."""
        rigid = self.base.rest(y, p)
        rigid = {**{name: y[name] for name in names(self.motions)}, **rigid}
        found = {name: value for name, value in rigid.items() if name in self.drives}
        weight, height = p[self.hoist.mass] * p[self.hoist.gravity], y[self._load[-1]]
        left = rigid[self.hoist.length]
        for place, name in zip(reversed(self.lumps), reversed(self.elements), strict=False):
            found[name] = weight * p[LUMP_LENGTH] / p[STIFFNESS]
            left -= p[LUMP_LENGTH] + found[name]
            height += p[LUMP_LENGTH] + found[name]
            found |= {key: y[axis] for key, axis in zip(place, self._load, strict=True)}
            found[place[-1]] = height
            weight += p[LUMP_MASS] * p[self.hoist.gravity]
        if self.lumps and left <= 0.0:
            raise InputError(
                f"crane.rope: {len(self.lumps)} lumps with {p[LUMP_LENGTH]:g} m of rope below each "
                f"are longer than the rope of {rigid[self.hoist.length]:g} m at rest; give a "
                "shorter lump_length or fewer lumps"
            )
        found[self.hoist.length] = left / (1.0 + weight / p[STIFFNESS])
        found[self.elements[0]] = left - found[self.hoist.length]
        return found


def forces_of(force: str, lumps: int) -> tuple[str, ...]:
    """Return the names of the forces of a rope's elements: `force` is that at the load."""
    if not lumps:
        return (force,)
    return ("T_top", *(f"T_{k}" for k in range(2, lumps + 1)), force)


def _in_space(position: Sequence[Any]) -> Any:
    x, *across, z = position
    return ca.vertcat(x, across[0] if across else 0, z)
