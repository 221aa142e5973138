"""Whether a crane's expressions are numbers at its rest position, and its masses not negative."""

from __future__ import annotations

import math
from collections.abc import Mapping

import casadi as ca
import numpy as np
from numpy.typing import NDArray

from cranebridge.errors import InputError, unknown
from cranebridge.twin.language import (
    Components,
    Crane,
    Equations,
    NamedNumbers,
    equations_of_motion,
    names,
)
from cranebridge.twin.validation.error_places import failed, shown, wrong

_NEGATIVE = 1e-9
"""A mass matrix is computed with rounding errors far below this part of its largest entry."""


def rest_guess(
    crane: Crane, outputs: Mapping[str, float], p: Mapping[str, float]
) -> Mapping[str, float]:
    """Return what ``rest(y, p)`` of a crane gives, or raise an InputError with its place."""
    try:
        return crane.rest(NamedNumbers("output", outputs), NamedNumbers("parameter", p))
    except Exception as error:  # a user's crane can raise anything
        if isinstance(error, InputError) and type(crane).__module__.startswith("cranebridge."):
            raise  # one of ours says by itself what is wrong
        raise failed(crane, "rest", error) from error


def require_rest(crane: Crane, outputs: Mapping[str, float], p: Mapping[str, float]) -> None:
    """Raise an InputError if ``rest()`` or the equations at its position are no finite numbers."""
    own = not type(crane).__module__.startswith("cranebridge.")
    found = rest_guess(crane, outputs, p)
    if not isinstance(found, Mapping):
        raise wrong(crane, "rest", f"rest() must return a dict, got {shown(found)}")
    for name, value in found.items():
        require_known(crane, "rest", name, names(crane.coordinates))
        if not is_constant(value):
            what = f"rest() gives {shown(value)} for {name}; a finite number is needed"
            raise wrong(crane, "rest", what, entry=name)
    if own:  # tests do the same with the built-in cranes
        guess = {**outputs, **found}
        position = {name: float(guess.get(name, 0.0)) for name in names(crane.coordinates)}
        require_numbers(crane, position, p)


def require_known(crane: Crane, method: str, name: object, wanted: tuple[str, ...]) -> None:
    """Refuse a name that a method returned and that the crane does not have."""
    if name not in wanted:
        error = unknown(f"name in {method}():", str(name), wanted)
        raise wrong(crane, method, str(error), entry=str(name))


def is_constant(value: object) -> bool:
    """Whether CasADi takes a value as a constant: a finite number, NumPy's included."""
    if isinstance(value, bool | str | bytes | complex):
        return False
    try:
        return math.isfinite(value)  # type: ignore[arg-type]
    except Exception:  # no number: what happens then depends on what it is
        return False


def require_numbers(crane: Crane, coordinates: Mapping[str, float], p: Mapping[str, float]) -> None:
    """Raise an InputError if an expression or its derivative is no finite number at rest.

    Parameters
    ----------
    crane : Crane
        A crane that is complete.
    coordinates : mapping of str to float
        All coordinates at rest, by name.
    p : mapping of str to float
        All parameter values, by name.
    """
    model = equations_of_motion(crane)
    symbols = [model.q, model.v, model.a, model.lam, model.u, model.p]
    given = [
        np.array([coordinates[name] for name in names(crane.coordinates)]),
        np.zeros(model.v.numel()),
        np.zeros(model.a.numel()),
        # a force in every rope, so that none is divided by that has vanished
        np.ones(model.lam.numel()),
        np.zeros(model.u.numel()),
        np.array([p[name] for name in names(crane.parameters)]),
    ]
    for method, expressions in _expressions(crane, model).items():
        slopes = ca.densify(ca.jacobian(expressions, ca.vertcat(model.q, model.v)))
        function = ca.Function("rest", symbols, [ca.densify(expressions), slopes])
        values, derivatives = (np.array(part) for part in function(*given))
        if not np.isfinite(values).all():
            raise _no_number(crane, method, "", coordinates)
        if not np.isfinite(derivatives).all():
            column = int(np.argwhere(~np.isfinite(derivatives))[0, 1])
            by = [*names(crane.coordinates), *(f"{name}'" for name in names(crane.coordinates))]
            raise _no_number(crane, method, f"a derivative by {by[column]} of ", coordinates)
    mass = ca.Function(
        "mass", symbols, [ca.densify(model.mass_matrix), ca.densify(model.constraint_jacobian)]
    )
    M, G = (np.array(part) for part in mass(*given))
    _require_mass(crane, M, G, coordinates)


def _expressions(crane: Crane, model: Equations) -> dict[str, ca.SX]:
    """Return what the equations take from each method."""
    coordinates = names(crane.coordinates)
    q, v = Components(coordinates, model.q), Components(coordinates, model.v)
    p = Components(names(crane.parameters), model.p)
    potential = ca.SX(crane.potential_energy(q, p))
    other = crane.other_forces(q, v, p)
    return {
        "kinetic_energy": ca.vec(model.mass_matrix),
        "potential_energy": ca.vertcat(potential, ca.gradient(potential, model.q)),
        "drive_power": ca.vec(model.input_matrix),
        "constraints": ca.vertcat(model.constraints, ca.vec(model.constraint_jacobian)),
        "output_map": model.outputs,
        "rope_forces": model.ropes,
        "other_forces": ca.SX(ca.vertcat(*other.values())) if other else ca.SX(0, 1),
        "massless": model.motion[list(model.massless)],
    }


def _require_mass(
    crane: Crane,
    mass: NDArray[np.float64],
    constraints: NDArray[np.float64],
    coordinates: Mapping[str, float],
) -> None:
    """Refuse a kinetic energy that is negative for velocities that the constraints allow."""
    _, sizes, directions = np.linalg.svd(constraints)
    rank = int((sizes > _NEGATIVE * sizes.max(initial=0.0)).sum())
    free = directions[rank:].T
    if not free.size:
        return
    values, vectors = np.linalg.eigh(0.5 * free.T @ (mass + mass.T) @ free)
    vectors = free @ vectors
    if values[0] < -_NEGATIVE * max(np.abs(mass).max(), 1e-300):
        name = crane.coordinates[int(np.argmax(np.abs(vectors[:, 0])))].name
        raise wrong(
            crane,
            "kinetic_energy",
            f"kinetic_energy() is negative for a velocity of {name} at the rest position "
            f"{_position(coordinates)}; check its signs",
        )


def _no_number(crane: Crane, method: str, what: str, coordinates: Mapping[str, float]) -> Exception:
    return wrong(
        crane,
        method,
        f"{what}{method}() is no finite number at the rest position {_position(coordinates)}; "
        "choose other coordinates or another rest()",
    )


def _position(coordinates: Mapping[str, float]) -> str:
    return ", ".join(f"{name} = {value:.6g}" for name, value in coordinates.items())
