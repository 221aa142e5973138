"""Cranes on a base that moves: what is prescribed over time stands in the equations as coordinates.

A crane declares *motions* b: the heave of its ship, the pitch of its deck, where its rail lies. Its
energies, constraints and outputs are written with q.NAME and v.NAME of them, as of coordinates, and
Lagrange's equations of the other coordinates hold with b(t) as a known function: the total
derivative of dT/dv has b' and b'' in it. In place of an equation of motion, a motion has

    b'' = a_b,    with the input a_b,  and the output b,

so that the servo problem is solved for b(t) together with the path of the load, and says how many
derivatives of b the controls need. Whoever moves the crane forward gives a_b as an input.
"""

from __future__ import annotations

from collections.abc import Mapping
from functools import wraps
from typing import Any

from cranebridge.errors import InputError
from cranebridge.twin.language.crane import Components, Crane, Quantity, names


def acceleration_of(motion: Quantity) -> Quantity:
    """Return the input that stands for a motion's acceleration: ``a_heave``."""
    unit = f"{motion.unit}/s^2" if motion.unit != "1" else "1/s^2"
    return Quantity(f"a_{motion.name}", unit, f"prescribed acceleration of {motion.name}")


def with_motions(kind: type[Crane]) -> type[Crane]:
    """Return a crane's class with its motions among coordinates, inputs and outputs.

    Parameters
    ----------
    kind : type
        The class as its author wrote it; returned as it is, if it has no motions.
    """
    motions = kind.motions
    if not motions or "_motions_added" in vars(kind):
        return kind
    # made once, and no longer than the class itself: cranes of one class are equal
    if "_with_motions" not in vars(kind):
        setattr(kind, "_with_motions", _made(kind))  # noqa: B010 - not declared for all cranes
    made: type[Crane] = vars(kind)["_with_motions"]
    return made


def _made(kind: type[Crane]) -> type[Crane]:
    motions = kind.motions

    @wraps(kind.output_map)
    def output_map(self: Crane, q: Components, p: Components) -> Any:
        found = kind.output_map(self, q, p)
        if not isinstance(found, Mapping):
            return found
        return {**found, **{name: q[name] for name in names(motions)}}

    inputs = tuple(acceleration_of(motion) for motion in motions)
    added = {
        "__module__": kind.__module__,
        "__qualname__": kind.__qualname__,
        "__doc__": kind.__doc__,
        "coordinates": (*kind.coordinates, *motions),
        "inputs": (*kind.inputs, *inputs),
        "outputs": (*kind.outputs, *motions),
        "output_map": output_map,
        "_motions_added": True,
        "__reduce__": lambda self: (_anew, (kind,)),
    }
    return type(kind.__name__, (kind,), added)


def _anew(kind: type[Crane]) -> Crane:
    """Return a crane in a worker process, where the class that was made here is in no module."""
    return with_motions(kind)()


def steered(crane: Crane) -> tuple[Quantity, ...]:
    """Return the inputs that are controls: all but the accelerations of motions."""
    given = {acceleration_of(motion).name for motion in crane.motions}
    return tuple(quantity for quantity in crane.inputs if quantity.name not in given)


def followed(crane: Crane) -> tuple[Quantity, ...]:
    """Return the outputs whose path a scenario gives: all but the motions."""
    given = names(crane.motions)
    return tuple(quantity for quantity in crane.outputs if quantity.name not in given)


def require_no_motions(crane: Crane, what: str, instead: str) -> None:
    """Refuse a crane with motions where they are not taken into account.

    Parameters
    ----------
    crane : Crane
        Which crane.
    what : str
        What does not take them, such as ``"planning"``.
    instead : str
        What to do.

    Raises
    ------
    InputError
        If it has any.
    """
    if crane.motions:
        raise InputError(
            f"{what} does not know motions that are prescribed over time, and crane "
            f"'{crane.name}' has them ({', '.join(names(crane.motions))}); {instead}"
        )
