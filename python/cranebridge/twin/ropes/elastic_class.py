"""The class of a crane on an elastic rope, made from the crane with the rigid one."""

from __future__ import annotations

from functools import lru_cache
from typing import Any

import casadi as ca
import numpy as np

from cranebridge.errors import InputError
from cranebridge.twin.language import (
    Components,
    Crane,
    HoistRope,
    Parameter,
    Quantity,
    followed,
    names,
    vector,
)
from cranebridge.twin.ropes.elastic_crane import (
    DAMPING,
    LUMP_LENGTH,
    LUMP_MASS,
    STIFFNESS,
    ElasticRope,
    ElasticRopeCrane,
    forces_of,
)

MOST_LUMPS = 8
"""The path needs 4 + 2n derivatives, the last of them without noticeable effect on the load."""


@lru_cache(maxsize=64)
def elastic(crane: Crane, rope: ElasticRope) -> Crane:
    """Return a crane with an elastic hoist rope; the same class for the same crane and rope.

    Parameters
    ----------
    crane : Crane
        A crane that says by `hoist_rope` where its rope is.
    rope : ElasticRope
        Stiffness, damping and lumps of the rope.

    Raises
    ------
    InputError
        If the crane has no such rope, or the rope cannot be.

    Examples
    --------
    >>> from cranebridge.twin import find_crane
    >>> slack = elastic(find_crane("overhead"), ElasticRope(stiffness=2e6))
    >>> [coordinate.name for coordinate in slack.coordinates]
    ['s', 'l', 'x', 'z', 'stretch']
    """
    _require_rope(rope)
    hoist, drives = _parts(crane)
    _require_geometry(crane, hoist)
    load = [
        next((own for own in crane.coordinates if own.name == output.name), output)
        for output in followed(crane)
    ]
    n = rope.lumps
    elements = ("stretch",) if not n else tuple(f"stretch_{k}" for k in range(1, n + 2))
    lumps = tuple(tuple(f"{axis.name}_{k}" for axis in load) for k in range(1, n + 1))
    moving = [own for own in crane.coordinates if own.name in drives]
    weights = [
        Quantity(name, "m", f"position of lump {k}, {axis}")
        for k, place in enumerate(lumps, 1)
        for name, axis in zip(place, names(followed(crane)), strict=True)
    ]
    stretches = [
        Quantity(name, "m", f"stretch of the rope{_part(k, n)}") for k, name in enumerate(elements)
    ]
    ties = [
        Quantity(name.replace("stretch", "lambda"), "N/m", f"rope force by length{_part(k, n)}")
        for k, name in enumerate(elements)
    ]
    forces = [
        Quantity(name, "N", f"rope force{_part(k, n)}")
        for k, name in enumerate(forces_of(hoist.force, n))
    ]
    other_ropes = [own for own in crane.ropes if own.name != hoist.force]
    other_ties = [own for own in crane.multipliers if own.name != hoist.multiplier]
    declared = {
        "coordinates": (*moving, *weights, *load, *stretches),
        "parameters": (*crane.parameters, *_parameters(rope)),
        "multipliers": (*other_ties, *ties),
        "ropes": (*other_ropes, *forces),
    }
    for group, given in declared.items():
        twice = {own for own in names(given) if names(given).count(own) > 1}
        if twice:
            raise InputError(
                f"crane.rope: crane '{crane.name}' has '{min(twice)}' in its {group} already, "
                "which is a name of the elastic rope; rename it"
            )
    made = type(
        f"Elastic{type(crane).__name__}",
        (ElasticRopeCrane,),
        {
            "__doc__": f"{type(crane).__doc__ or crane.description}\n\nOn an elastic rope.",
            "name": f"{crane.name}-elastic",
            "description": f"{crane.description}; elastic rope" + (f", {n} lumps" if n else ""),
            "inputs": crane.inputs,
            "outputs": crane.outputs,
            "motions": crane.motions,
            "_motions_added": True,
            "base": crane,
            "rope": rope,
            "drives": drives,
            "hoist": hoist,
            "elements": elements,
            "lumps": lumps,
            "__reduce__": _reduced,
            **declared,
        },
    )
    found: Crane = made()
    return found


def _reduced(crane: ElasticRopeCrane) -> Any:
    """Say how a worker process makes the crane anew: its class is in no module."""
    return elastic, (crane.base, crane.rope)


def _part(k: int, lumps: int) -> str:
    if not lumps:
        return ""
    return {0: " at the winch", lumps: " at the load"}.get(k, f" below lump {k}")


def _parameters(rope: ElasticRope) -> tuple[Parameter, ...]:
    found = [Parameter(STIFFNESS, "N", "stiffness of the rope: force by strain", rope.stiffness)]
    if rope.damping is not None:
        found.append(
            Parameter(DAMPING, "N*s", "damping of the rope: force by strain rate", rope.damping)
        )
    if rope.lumps:
        mass, length = rope.lump_mass, rope.lump_length
        assert mass is not None  # `_require_rope` asked for both
        assert length is not None
        found.append(Parameter(LUMP_MASS, "kg", "mass of each lump of the rope", mass))
        found.append(Parameter(LUMP_LENGTH, "m", "free length of rope below each lump", length))
    return tuple(found)


def _require_rope(rope: ElasticRope) -> None:
    """Refuse a rope whose values are no rope."""
    given = {
        "stiffness": (rope.stiffness, "EA in N"),
        "damping": (rope.damping, "in N s; leave it out for none"),
        "lump_mass": (rope.lump_mass, "in kg"),
        "lump_length": (rope.lump_length, "in m"),
    }
    for key, (value, unit) in given.items():
        if value is not None and not (np.isfinite(value) and value > 0.0):
            raise InputError(f"crane.rope.{key} must be positive ({unit}), got {value:g}")
    if rope.lumps not in range(MOST_LUMPS + 1):
        raise InputError(f"crane.rope.lumps must be 0 to {MOST_LUMPS}, got {rope.lumps}")
    for key in ("lump_mass", "lump_length"):
        if rope.lumps and given[key][0] is None:
            raise InputError(f"crane.rope.lumps = {rope.lumps} needs crane.rope.{key}")
        if not rope.lumps and given[key][0] is not None:
            raise InputError(f"crane.rope.{key} is of no use without crane.rope.lumps")


def _parts(crane: Crane) -> tuple[HoistRope, tuple[str, ...]]:
    """Return what a crane says of its rope, and the coordinates of its drives."""
    coordinates, known = names(crane.coordinates), names(crane.parameters)
    q, v = (ca.SX.sym(name, len(coordinates)) for name in "qv")
    p = ca.SX.sym("p", len(known))
    hoist = crane.hoist_rope(Components(coordinates, q), Components(known, p))
    if hoist is None:
        raise InputError(
            f"crane '{crane.name}' does not say where its one hoist rope is (hoist_rope), so that "
            "crane.rope cannot make it elastic"
        )
    for group, given in {
        "coordinates": (hoist.length,),
        "parameters": (hoist.mass, hoist.gravity, hoist.drag, *hoist.wind),
        "multipliers": (hoist.multiplier,),
        "ropes": (hoist.force,),
    }.items():
        missing = [one for one in given if one and one not in names(getattr(crane, group))]
        if missing:
            raise InputError(
                f"crane '{crane.name}': hoist_rope() names '{missing[0]}', which is none of its "
                f"{group}"
            )
    absent = {hoist.mass, hoist.drag}
    unloaded = ca.vertcat(*(0 if one in absent else p[i] for i, one in enumerate(known)))
    energy = ca.SX(
        crane.kinetic_energy(
            Components(coordinates, q), Components(coordinates, v), Components(known, unloaded)
        )
    )
    momentum = ca.simplify(ca.gradient(energy, v))
    drives = tuple(
        name
        for i, name in enumerate(coordinates)
        if name in names(crane.motions) or not ca.SX(momentum[i]).is_zero()
    )
    return hoist, drives


def _require_geometry(crane: Crane, hoist: HoistRope) -> None:
    """Refuse a crane of which the load does not hang at the end of the rope.

    The distance of the load from the top is the rope's length, wherever the crane is; in redundant
    coordinates the constraint says so.
    """
    coordinates, known = names(crane.coordinates), names(crane.parameters)
    q, p = ca.SX.sym("q", len(coordinates)), ca.SX.sym("p", len(known))
    q_, p_ = Components(coordinates, q), Components(known, p)
    outputs = crane.output_map(q_, p_)
    load = [outputs[name] for name in names(followed(crane))]
    stated = crane.hoist_rope(q_, p_)
    assert stated is not None
    try:
        top = vector(stated.top, 3, "top")
    except ValueError as error:
        raise InputError(f"crane '{crane.name}': hoist_rope(): {error}") from None
    if len(load) not in (2, 3):
        raise InputError(
            f"crane '{crane.name}': crane.rope needs the position of the load as outputs, x and z "
            f"or x, y and z; the crane has {len(load)}"
        )
    beneath = ca.vertcat(load[0], load[1] if len(load) == 3 else 0, load[-1]) - top
    missing = 0.5 * (ca.sumsqr(beneath) - q_[hoist.length] ** 2)
    if hoist.multiplier is not None:
        missing -= crane.constraints(q_, p_)[hoist.multiplier]
    found = ca.Function("found", [q, p], [missing])
    random = np.random.default_rng(1)
    values = np.array([parameter.value for parameter in crane.parameters])
    for _ in range(3):
        place = random.uniform(0.2, 1.2, len(coordinates))
        if abs(float(found(place, values))) > 1e-9 * (1.0 + np.abs(values).max() ** 2):
            raise InputError(
                f"crane '{crane.name}': the distance of its outputs from the top that hoist_rope() "
                f"gives is not '{hoist.length}', so that its load does not hang on this rope"
            )
