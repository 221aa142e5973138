"""A crane as a list of parts: bodies, joints, ropes, winches, drives.

The parts say their energies and powers (`machine_parts`), joints say how bodies move (`joints`);
this class adds them up into an ordinary `Crane` whose equations of motion follow by
differentiation. Its coordinates are those of the joints, rope lengths and places of point masses
(minimal coordinates of the tree); closed loops and ropes are constraints with multipliers.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Any, ClassVar

import casadi as ca
import numpy as np
from numpy.typing import NDArray

from cranebridge.errors import InputError, unknown
from cranebridge.expressions import parse
from cranebridge.twin.bodies.body_scene import scene_of_parts
from cranebridge.twin.bodies.cancelling_terms import without_zeros
from cranebridge.twin.bodies.mechanism import Mechanism
from cranebridge.twin.bodies.redundant_rows import Independent, NotClosedError, independent_rows
from cranebridge.twin.bodies.rest_search import find_rest
from cranebridge.twin.bodies.rotationless_mechanism import RotationlessMechanism
from cranebridge.twin.language import (
    Components,
    Crane,
    Expressions,
    Parameter,
    PartError,
    Quantity,
    Shape,
    names,
)

Array = NDArray[np.float64]

_FAITHFUL = 1e-6
"""A row that was dropped must hold to this (m, rad) at a rest position: Newton leaves 1e-10."""


@dataclass(frozen=True, eq=False)
class _Loops:
    """Conditions of all joints that close loops, and which of them are kept."""

    conditions: tuple[Quantity, ...]
    chosen: Independent | None

    @property
    def kept(self) -> tuple[Quantity, ...]:
        """The conditions that are constraints."""
        return () if self.chosen is None else tuple(self.conditions[i] for i in self.chosen.kept)

    @property
    def dropped(self) -> tuple[Quantity, ...]:
        """The conditions that follow from others."""
        return () if self.chosen is None else tuple(self.conditions[i] for i in self.chosen.dropped)


class _OfParts:
    """A declaration that follows from the parts, of a class and of its instances."""

    def __init__(self, group: str) -> None:
        self.group = group

    def __get__(self, instance: Any, owner: type[BodyCrane]) -> Any:
        return getattr(owner, f"_{self.group}_of_parts")()


class BodyCrane(Crane):
    """A crane of parts; a subclass declares `name`, `parts` and `outputs`.

    Attributes
    ----------
    parts : tuple
        Bodies, joints, ropes, winches, cylinders, gears, drives, springs and dampers.
    outputs : dict
        What shall follow the path, by name: "BODY.x", "BODY.POINT.z", a coordinate, or an
        expression of them.
    parameters : tuple of Parameter
        Those that do not stand in a part (optional).
    plane : str
        Axes in which point masses move: "xyz", or "xz" for a planar crane.
    start : dict
        A guess of coordinates near rest: it chooses between positions in which loops close
        (optional).
    rotationless : bool
        Coordinates are mass centres and directors of all bodies, every joint is a constraint.
    """

    parts: ClassVar[tuple[Any, ...]]
    plane: ClassVar[str] = "xyz"
    start: ClassVar[Mapping[str, float]] = {}
    rotationless: ClassVar[bool] = False
    coordinates: ClassVar[Any] = _OfParts("coordinates")
    inputs: ClassVar[Any] = _OfParts("inputs")
    outputs: ClassVar[Any] = _OfParts("outputs")
    parameters: ClassVar[Any] = _OfParts("parameters")
    multipliers: ClassVar[Any] = _OfParts("multipliers")
    ropes: ClassVar[Any] = _OfParts("ropes")
    _written: ClassVar[Mapping[str, Any]] = {}

    def __init_subclass__(cls, **further: Any) -> None:
        super().__init_subclass__(**further)
        # What the author wrote makes way for what follows from it.
        own = {group: vars(cls)[group] for group in ("outputs", "parameters") if group in vars(cls)}
        for group in own:
            delattr(cls, group)
        cls._written = {**cls._written, **own}
        if "description" not in vars(cls):
            text = (cls.__doc__ or "").strip() or f"{getattr(cls, 'name', cls.__name__)} of parts"
            cls.description = text.splitlines()[0].rstrip(".")

    # ------------------------------------------------------------------------ declarations

    @classmethod
    def mechanism(cls) -> Mechanism:
        """Return the parts by name, put together once."""
        if "_mechanism" not in vars(cls):
            declared = cls._written.get("parameters", ())
            if not isinstance(declared, tuple):
                raise PartError("parameters must be a tuple of Parameter(...)", "", "parameters")
            for one in declared:
                if not isinstance(one, Parameter):
                    what = f"parameters must hold Parameter(...) only, got {one!r}"
                    raise PartError(what, "", "parameters")
            outputs = cls._written.get("outputs")
            parts = getattr(cls, "parts", None)
            kind = RotationlessMechanism if cls.rotationless else Mechanism
            cls._mechanism = kind(parts, declared, outputs, cls.plane)  # type: ignore[attr-defined]
        made: Mechanism = vars(cls)["_mechanism"]
        return made

    @classmethod
    def _coordinates_of_parts(cls) -> tuple[Quantity, ...]:
        return cls.mechanism().coordinates

    @classmethod
    def _inputs_of_parts(cls) -> tuple[Quantity, ...]:
        return cls.mechanism().inputs

    @classmethod
    def _outputs_of_parts(cls) -> tuple[Quantity, ...]:
        return cls.mechanism().outputs

    @classmethod
    def _parameters_of_parts(cls) -> tuple[Parameter, ...]:
        return cls.mechanism().parameters

    @classmethod
    def _ropes_of_parts(cls) -> tuple[Quantity, ...]:
        ropes = cls.mechanism().ropes
        return tuple(Quantity(name, "N", f"force of the rope {name}") for name in ropes)

    @classmethod
    def _multipliers_of_parts(cls) -> tuple[Quantity, ...]:
        ropes = cls.mechanism().ropes.values()
        meant = {True: ("N/m", "force divided by length"), False: ("N", "force")}
        of_ropes = tuple(
            Quantity(rope.multiplier, unit, f"rope {rope.name}, {meaning}")
            for rope in ropes
            for unit, meaning in (meant[len(rope.path) == 2],)
        )
        return (*cls.loops().kept, *of_ropes)

    @classmethod
    def loops(cls) -> _Loops:
        """Return the conditions that close loops; those that follow from others are dropped."""
        if "_loops" not in vars(cls):
            cls._loops = cls._closed()  # type: ignore[attr-defined]
        found: _Loops = vars(cls)["_loops"]
        return found

    @classmethod
    def _closed(cls) -> _Loops:
        q, p = cls._symbols()
        mechanism = cls.mechanism()
        every = mechanism.conditions(
            mechanism.state(Components(names(mechanism.coordinates), q), p[0])
        )
        if not every:
            return _Loops((), None)
        conditions = [Quantity(one.name, one.row.unit, one.meaning) for one in every]
        g = ca.SX(ca.vertcat(*(one.row.value for one in every)))
        rows = ca.Function("rows", [q, p[1]], [g, ca.jacobian(g, q)])
        given = np.array([one.value for one in mechanism.parameters])

        def at(x: Array) -> tuple[Array, Array]:
            value, slope = rows(x, given)
            return np.array(value)[:, 0], np.array(slope)

        try:
            chosen = independent_rows(at, cls._guess())
        except NotClosedError as error:
            worst = int(np.argmax(np.abs(error.rows)))
            unit = "m" if conditions[worst].unit == "N" else "as a cosine"
            cut = every[worst].joint
            which = "" if cut is None else f"{type(cut).__name__} '{cut.name}': "
            on = "" if cut is None else f" on '{cut.on}'"
            raise PartError(
                f"{which}the loop that it closes{on} cannot be closed: "
                f"{abs(error.rows[worst]):.3g} {unit} remain at the nearest position found; check "
                "points and lengths, or give a guess in `start`",
                "" if cut is None else cut.name,
                call=type(cut).__name__,
            ) from None
        return _Loops(tuple(conditions), chosen)

    @classmethod
    def _symbols(cls) -> tuple[ca.SX, tuple[Components, ca.SX]]:
        mechanism = cls.mechanism()
        p = ca.SX.sym("p", len(mechanism.parameters))
        by_name = Components(names(mechanism.parameters), p, "parameter")
        return ca.SX.sym("q", len(mechanism.coordinates)), (by_name, p)

    @classmethod
    def _guess(cls) -> Array:
        mechanism = cls.mechanism()
        if isinstance(mechanism, RotationlessMechanism):
            given = np.array([one.value for one in mechanism.parameters])
            return cls._lifted(cls.tree()._guess(), given)
        known = names(mechanism.coordinates)
        for name in cls.start:
            if name not in known:
                raise PartError(str(unknown("coordinate in start", name, known)), name, "start")
        return np.array([float(cls.start.get(name, 0.0)) for name in known])

    @classmethod
    def tree(cls) -> type[BodyCrane]:
        """Return the same crane in the coordinates of its joints."""
        if "_tree" not in vars(cls):
            cls._tree = type(cls.__name__, (cls,), {"rotationless": False})  # type: ignore[attr-defined]
        found: type[BodyCrane] = vars(cls)["_tree"]
        return found

    @classmethod
    def _lifted(cls, x: Array, given: Array) -> Array:
        """Return rotationless coordinates from those of the joints."""
        mechanism, tree = cls.mechanism(), cls.tree()
        assert isinstance(mechanism, RotationlessMechanism)
        q, (p, p_vector) = tree._symbols()
        placed = tree.mechanism().state(Components(names(tree.mechanism().coordinates), q), p)
        found = ca.Function("lifted", [q, p_vector], [mechanism.lifted(placed)])(x, given)
        return np.array(found)[:, 0]

    def require_parts(self) -> None:
        """Put the parts together and close all loops."""
        self.mechanism()
        self._guess()
        self.loops()

    def remarks(self) -> tuple[str, ...]:
        """Return which conditions of closed loops follow from the others, and were dropped."""
        loops = self.loops()
        if loops.chosen is None:
            return ()
        total, kept = len(loops.conditions), len(loops.kept)
        return tuple(
            f"{one.meaning}: this row follows from the others (rank {kept} of {total} at "
            f"{len(loops.chosen.states)} random positions) and is dropped"
            for one in loops.dropped
        )

    # ------------------------------------------------------------------------ mechanics

    @classmethod
    def _forms(cls) -> tuple[ca.Function, ca.Function]:
        """Return kinetic energy and power of the drives, without terms that cancel."""
        if "_made_forms" not in vars(cls):
            parts = cls.mechanism()
            q, (p, given) = cls._symbols()
            v = ca.SX.sym("v", q.numel())
            u = ca.SX.sym("u", len(parts.inputs))
            by_name = [Components(names(parts.coordinates), one) for one in (q, v)]
            state = parts.state(by_name[0], p, by_name[1])
            drives = Components(names(parts.inputs), u)
            energy = ca.SX(sum((part.kinetic(state) for part in parts.parts), ca.SX(0)))
            power = ca.SX(sum((part.power(state, drives) for part in parts.parts), ca.SX(0)))
            others = ca.vertcat(q, given)
            energy = without_zeros(energy, v, v, others)
            power = without_zeros(power, u, v, others) if parts.inputs else power
            cls._made_forms = (  # type: ignore[attr-defined]
                ca.Function("T", [q, v, given], [energy]),
                ca.Function("P", [q, v, u, given], [power]),
            )
        made: tuple[ca.Function, ca.Function] = vars(cls)["_made_forms"]
        return made

    def kinetic_energy(self, q: Components, v: Components, p: Components) -> Any:
        """Sum over the parts."""
        return self._forms()[0](*(ca.vertcat(*one) for one in (q, v, p)))

    def potential_energy(self, q: Components, p: Components) -> Any:
        """Sum over the parts."""
        state = self.mechanism().state(q, p)
        return sum((part.potential(state) for part in self.mechanism().parts), ca.SX(0))

    def drive_power(self, q: Components, v: Components, u: Components, p: Components) -> Any:
        """Sum over the parts."""
        return self._forms()[1](*(ca.vertcat(*one) for one in (q, v, u, p)))

    def other_forces(self, q: Components, v: Components, p: Components) -> Expressions:
        """Derivatives of Rayleigh's function of all dampers."""
        state = self.mechanism().state(q, p, v)
        lost = sum((part.dissipation(state) for part in self.mechanism().parts), ca.SX(0))
        if lost.is_zero():
            return {}
        forces = -ca.gradient(lost, ca.vertcat(*v))
        return dict(zip(names(self.coordinates), ca.vertsplit(forces), strict=True))

    def constraints(self, q: Components, p: Components) -> Expressions:
        """Conditions of closed loops that are kept, and rope lengths."""
        mechanism = self.mechanism()
        state = mechanism.state(q, p)
        every = self._conditions(q, p)
        found = {name: every[name] for name in names(self.loops().kept)}
        ropes = mechanism.ropes.values()
        return found | {rope.multiplier: rope.constraint(state) for rope in ropes}

    def _conditions(self, q: Components, p: Components) -> dict[str, Any]:
        """Return all conditions by name, those that are dropped, too."""
        mechanism = self.mechanism()
        return {one.name: one.row.value for one in mechanism.conditions(mechanism.state(q, p))}

    def output_map(self, q: Components, p: Components) -> Expressions:
        """The outputs' texts."""
        mechanism = self.mechanism()
        known = mechanism.output_symbols(mechanism.state(q, p))
        return {
            name: parse(f"output '{name}'", text, known)
            for name, text in mechanism.output_texts.items()
        }

    def rope_forces(self, q: Components, lam: Components, p: Components) -> Expressions:
        """From the ropes' multipliers."""
        state = self.mechanism().state(q, p)
        ropes = self.mechanism().ropes.values()
        return {rope.name: rope.force(state, lam[rope.multiplier]) for rope in ropes}

    def scene(self, q: Components, p: Components) -> Sequence[Shape]:
        """Bodies, ropes and cylinders as lines between their points."""
        return scene_of_parts(self.mechanism().state(q, p))

    def rest(self, y: Mapping[str, float], p: Mapping[str, float]) -> Mapping[str, float]:
        """Newton's method on constraints, outputs and equilibrium, from the author's guess."""
        given = np.array([p[name] for name in names(self.parameters)])
        if self.rotationless:
            tree = self.tree()()
            placed = tree.rest(y, p)
            x = np.array([placed[name] for name in names(tree.coordinates)])
            return dict(zip(names(self.coordinates), self._lifted(x, given).tolist(), strict=True))
        known = dict(zip(names(self.coordinates), self._guess().tolist(), strict=True))
        known |= {name: y[name] for name in names(self.coordinates) if name in y}
        known |= self._rope_lengths(known, p)
        guess = np.array(list(known.values()))
        wanted = np.array([y[name] for name in names(self.outputs)])
        lengths = [winch.coordinate for winch in self.mechanism().winches.values()]
        positive = [i for i, name in enumerate(names(self.coordinates)) if name in lengths]
        found = find_rest(self, guess, wanted, given, positive)
        self._require_faithful(found, given)
        return dict(zip(names(self.coordinates), map(float, found), strict=True))

    def _rope_lengths(
        self, values: Mapping[str, float], p: Mapping[str, float]
    ) -> dict[str, float]:
        """Return a guess of what winches have paid out: the way of their ropes at a position."""
        mechanism = self.mechanism()
        q = Components(names(self.coordinates), ca.SX([*values.values()]))
        given = ca.SX([p[name] for name in names(self.parameters)])
        state = mechanism.state(q, Components(names(self.parameters), given))
        found = {}
        for rope in mechanism.ropes.values():
            ways = [ca.norm_2(span) for span in rope.spans(state)]
            way = sum(ways[:-1]) + rope.falls * ways[-1] - state.number(rope.length)
            for winch in rope.winches(state):
                name = mechanism.winches[winch].coordinate
                if name not in self.start:
                    found[name] = max(float(ca.DM(way)) / len(rope.winches(state)), 0.0)
        return found

    def _require_faithful(self, x: Array, given: Array) -> None:
        """Refuse parameters with which a condition that was dropped does not hold."""
        loops = self.loops()
        if not loops.dropped:
            return
        q, (p, p_vector) = self._symbols()
        every = self._conditions(Components(names(self.coordinates), q), p)
        rows = ca.vertcat(*(every[name] for name in names(loops.conditions)))
        left = np.abs(np.array(ca.Function("rows", [q, p_vector], [rows])(x, given)))[:, 0]
        kept = left[list(loops.chosen.kept)] if loops.chosen else left
        if kept.max(initial=0.0) > _FAITHFUL:
            return  # the start is refused with its own sentence
        for one, value in zip(loops.conditions, left, strict=True):
            if value > _FAITHFUL:
                raise InputError(
                    f"crane '{self.name}': with these parameters a loop cannot be closed: "
                    f"{one.meaning} is off by {value:.3g}, and no freedom is left to mend it"
                )
