"""The description of a crane: names, units and the handful of expressions that define it.

A crane author subclasses :class:`Crane`, declares coordinates, parameters, inputs, outputs,
multipliers and ropes, and writes energies, the drives' power, constraints and the output map as on
paper. Everything else follows by differentiation (:mod:`cranebridge.twin.language.lagrange`).
"""

from __future__ import annotations

import math
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any, ClassVar, Literal

import casadi as ca

from cranebridge.errors import InputError, unknown

if TYPE_CHECKING:
    from cranebridge.twin.language.hoist_rope import HoistRope
    from cranebridge.twin.language.shapes import Shape

Expressions = Mapping[str, Any]


class PartError(InputError):
    """A part of a crane does not fit; `entry` is its name, `call` its class."""

    def __init__(
        self, sentence: str, entry: str = "", attribute: str = "parts", call: str = ""
    ) -> None:
        super().__init__(sentence)
        self.entry, self.attribute, self.call = entry, attribute, call


@dataclass(frozen=True)
class Quantity:
    """A named scalar with its SI unit and what it means."""

    name: str
    unit: str
    meaning: str


@dataclass(frozen=True)
class Parameter(Quantity):
    """A parameter with its default value and the values that it can take."""

    value: float
    domain: Literal["positive", "non-negative", "real"] = "positive"

    def check(self, value: object) -> float:
        """Return `value` as a float, or raise an InputError that says why it cannot be one."""
        if isinstance(value, bool) or not isinstance(value, int | float):
            raise InputError(f"parameter {self.name} [{self.unit}] must be a number, got {value!r}")
        try:
            number = float(value)
        except OverflowError:  # a whole number of more than 300 digits
            number = math.inf
        if not math.isfinite(number):
            raise InputError(f"parameter {self.name} [{self.unit}] must be finite, got {number}")
        too_small = number <= 0.0 if self.domain == "positive" else number < 0.0
        if self.domain != "real" and too_small:
            raise InputError(
                f"parameter {self.name} [{self.unit}] ({self.meaning}) must be {self.domain}, "
                f"got {number:g}"
            )
        return number


class Components:
    """The components of a symbolic vector by name: ``q.s``, ``lam["lambda"]``.

    `kind` is what messages call a component, such as ``"parameter"``.
    """

    def __init__(self, names: Sequence[str], vector: ca.SX, kind: str = "component") -> None:
        self._vector = vector
        self._kind = kind
        self._index = {name: i for i, name in enumerate(names)}

    def __getattr__(self, name: str) -> Any:
        if name.startswith("_"):
            raise AttributeError(name)
        return self[name]

    def __getitem__(self, name: str) -> Any:
        if name not in self._index:
            raise unknown(self._kind, name, self._index)
        return self._vector[self._index[name]]

    def __iter__(self) -> Iterator[Any]:
        return (self._vector[i] for i in self._index.values())


class NamedNumbers(Mapping[str, float]):
    """Numbers by name, as `rest` gets them: ``p.L`` as in the energies, or ``p["L"]``.

    A mapping that cannot be changed. A name that is declared comes before the mapping's own, such
    as ``values``. `kind` is what messages call one, such as ``"parameter"``.
    """

    def __init__(self, kind: str, values: Mapping[str, float]) -> None:
        self._kind = kind
        self._values = dict(values)

    def __getattribute__(self, name: str) -> Any:
        if not name.startswith("_") and name in self._values:
            return self._values[name]
        return super().__getattribute__(name)

    def __getattr__(self, name: str) -> float:
        if name.startswith("_"):
            raise AttributeError(name)
        return self[name]

    def __setattr__(self, name: str, value: object) -> None:
        if not name.startswith("_"):
            raise AttributeError(f"{self._kind} '{name}' cannot be changed here")
        super().__setattr__(name, value)

    def __getitem__(self, name: str) -> float:
        if name not in self._values:
            raise unknown(self._kind, str(name), self._values)
        return self._values[name]

    def __contains__(self, name: object) -> bool:
        return name in self._values

    def __iter__(self) -> Iterator[str]:
        return iter(self._values)

    def __len__(self) -> int:
        return len(self._values)

    def __repr__(self) -> str:
        return repr(self._values)

    def get(self, name: str, default: Any = None) -> Any:
        """Return a number, or `default` where there is none of that name."""
        return self._values.get(name, default)


class Crane:
    """A crane as an underactuated multibody system with holonomic and servo constraints.

        M(q) q'' = f(q, q') + B(q)^T u - G(q)^T lambda,   g(q) = 0,   s(q) = gamma(t)

    Subclasses declare the class attributes and implement the methods below; instances hold no
    state, so that two of one class are equal. In the methods `q`, `v`, `a`, `u`, `lam` and `p` give
    coordinates, velocities, accelerations, inputs, multipliers and parameters by name: ``p.m``, or
    ``p["m"]``, which is the way for a name such as ``lambda``.

    Attributes
    ----------
    name : str
        The name in scenarios.
    description : str
        One sentence.
    coordinates, inputs, outputs, multipliers, ropes : tuple of Quantity
        Names, units and meanings. Drive coordinates come first, load coordinates after them. Each
        multiplier belongs to the constraint of the same name.
    parameters : tuple of Parameter
        The parameters with their defaults.
    motions : tuple of Quantity
        What moves as prescribed over time, such as the heave of a ship: coordinates whose course a
        scenario gives. See :mod:`cranebridge.twin.language.moving_base`.
    """

    name: ClassVar[str]
    description: ClassVar[str]
    coordinates: ClassVar[tuple[Quantity, ...]]
    parameters: ClassVar[tuple[Parameter, ...]]
    inputs: ClassVar[tuple[Quantity, ...]]
    outputs: ClassVar[tuple[Quantity, ...]]
    multipliers: ClassVar[tuple[Quantity, ...]] = ()
    ropes: ClassVar[tuple[Quantity, ...]] = ()
    motions: ClassVar[tuple[Quantity, ...]] = ()
    has_model_names: ClassVar[bool] = False
    """Whether quantities are named as in a model: its local variables mean the same, too."""

    def __eq__(self, other: object) -> bool:
        return type(self) is type(other)

    def __hash__(self) -> int:
        return hash(type(self))

    def kinetic_energy(self, q: Components, v: Components, p: Components) -> Any:
        """Kinetic energy T(q, v) in J."""
        raise NotImplementedError

    def potential_energy(self, q: Components, p: Components) -> Any:
        """Potential energy V(q) in J."""
        raise NotImplementedError

    def drive_power(self, q: Components, v: Components, u: Components, p: Components) -> Any:
        """Power u^T B(q) v of the drives in W; the input matrix B is its mixed derivative."""
        raise NotImplementedError

    def other_forces(self, q: Components, v: Components, p: Components) -> Expressions:
        """Generalised forces that no energy describes (friction, damping), by coordinate."""
        return {}

    def constraints(self, q: Components, p: Components) -> Expressions:
        """Holonomic constraints g(q) = 0, by the name of their multiplier."""
        return {}

    def output_map(self, q: Components, p: Components) -> Expressions:
        """The outputs s(q) that shall follow the path, by name."""
        raise NotImplementedError

    def rope_forces(self, q: Components, lam: Components, p: Components) -> Expressions:
        """Rope forces in N, by name; positive pulls."""
        return {}

    def rope_forces_in_motion(
        self, q: Components, v: Components, a: Components, u: Components, p: Components
    ) -> Expressions:
        """Rope forces of ropes without a multiplier, by name: from accelerations `a` and inputs.

        In minimal coordinates no constraint stands for a rope; its force follows from the balance
        of what it holds, such as the winch.
        """
        return {}

    def massless(self, q: Components, lam: Components, p: Components) -> Expressions:
        """Conditions that replace the equation of motion of a massless coordinate, by coordinate.

        The balance of a massless part is an algebraic condition. As it falls out of the
        Lagrangian it can be singular (where a rope force vanishes); then an equivalent regular
        form is stated here, in terms of `q` and `lam`.
        """
        return {}

    def require_parts(self) -> None:
        """Raise a PartError if what the crane is made of does not fit together."""

    def remarks(self) -> tuple[str, ...]:
        """Return what a reader of the equations should know, a sentence each."""
        return ()

    def hoist_rope(self, q: Components, p: Components) -> HoistRope | None:
        """The rope that the load hangs on, which ``[crane.rope]`` makes elastic; None without."""
        return None

    def stated_equations(self) -> Any:
        """Equations of motion as a whole, where they do not follow from energies; else None."""
        return None

    def model_states(self, q: Components, v: Components, p: Components) -> Expressions:
        """States of the model that the crane is read from, by name: where a plant starts."""
        return {}

    def variables_in(self, model: str) -> tuple[str, ...]:
        """Return the variables of a Modelica model that are the crane's own: a plant shows them."""
        return ()

    def scene(self, q: Components, p: Components) -> Sequence[Shape]:
        """What the crane looks like: bodies of :mod:`cranebridge.twin.language.shapes`, z up.

        Without any, it is drawn from its coordinates as well as can be.
        """
        return ()

    def rest(self, y: NamedNumbers, p: NamedNumbers) -> Mapping[str, float]:
        """Coordinates near the rest position with the outputs `y`: where Newton starts.

        Outputs and parameters are numbers here, by name as in the energies (``p.L``) or as in a
        mapping (``p["L"]``).
        It need not be exact, but it chooses the branch (a trolley on this side of the tower).
        Coordinates that are left out and carry the name of an output take its value; others zero.
        """
        return {}

    def parameter_values(self, overrides: Mapping[str, object] | None = None) -> dict[str, float]:
        """Return all parameter values: the defaults, changed by `overrides` after checking them."""
        known = {parameter.name: parameter for parameter in self.parameters}
        values = {name: parameter.value for name, parameter in known.items()}
        for name, value in (overrides or {}).items():
            if name not in known:
                raise unknown(f"parameter of crane '{self.name}'", name, known)
            values[name] = known[name].check(value)
        return values


def names(quantities: Sequence[Quantity]) -> tuple[str, ...]:
    """Return the names of `quantities`."""
    return tuple([quantity.name for quantity in quantities])
