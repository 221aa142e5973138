"""What a crane looks like that says nothing of it: bodies from its coordinates and outputs.

Nothing here depends on how outputs are called. Gravity tells which of them is up; a driven
coordinate that stands above the load at both ends of the motion is a trolley; constraints tell
which bodies a rope joins.
"""

from __future__ import annotations

import re
from collections.abc import Mapping, Sequence
from dataclasses import dataclass

import casadi as ca
import numpy as np

from cranebridge.errors import SolutionError, StructureError
from cranebridge.forward import crane_dynamics
from cranebridge.report.animation.bodies import Array
from cranebridge.report.animation.shape_values import ShapeSymbols, along
from cranebridge.twin.language import (
    Components,
    Crane,
    Line,
    Shape,
    Sphere,
    Trolley,
    followed,
    names,
)

_VERTICAL = 1e-3
"""Least cosine between the gradients of weight and an output that is taken for a height: a light
hook has little part in the weight, a horizontal one none."""
_LEVEL = 0.1
"""Parts of a height's cosine that an output has which is taken for horizontal."""
_ABOVE = 1e-3
"""Parts of the scene's size by which a trolley at rest may miss the load that hangs below it."""
_FOLLOWS = 0.3
"""Parts of the load's travel by which that of a trolley may differ: it can end swinging."""
_CLEARLY = 0.02
"""Parts of the scene's size by which the travel of others differs where one is the trolley's."""
_AXIS = re.compile(r"^([xyz])(_.*|\d*)$|^(.*)_([xyz])$")
_ENTRY = re.compile(r"\[([123])\]$")


@dataclass(frozen=True, eq=False)
class PictureGuess:
    """The motion from which a picture is guessed, and its expressions.

    Attributes
    ----------
    rest : int
        The row at which the crane rests: the first, or the last of a motion that starts moving.
    """

    crane: Crane
    symbols: ShapeSymbols
    p: Array
    q: Array
    rest: int = 0

    def named(self) -> tuple[Components, Components]:
        """Return coordinates and parameters by name."""
        return self.symbols.named(self.crane)

    def values(self, expressions: ca.SX) -> Array:
        """Return expressions along the motion."""
        return along(expressions, self.symbols, self.p, self.q)


def guessed_shapes(guess: PictureGuess) -> list[Shape]:
    """Return what can be drawn of a crane without a scene; nothing if no length is an output."""
    found = _position(guess)
    if found is None:
        return []
    load, sides = found
    places = guess.values(load)
    points = _points_of_coordinates(guess, load, sides[2])
    parts = {"load": load, **{f"point {name}": at for name, at in points.items()}}
    trolley = _trolley(guess, load, list(points.values()), places, sides)
    shapes: list[Shape] = []
    if trolley is not None:
        shapes.append(trolley)
        parts["trolley"] = ca.vertcat(*trolley.at)
    ropes = _ropes(guess, parts)
    if not ropes and trolley is not None:
        ropes = [Line(trolley.at, load)]
    extent = float(np.linalg.norm(np.ptp(places, axis=0))) or 1.0
    hooks = [Sphere(at, 0.012 * extent, "drive") for at in points.values()]
    return [*shapes, *ropes, *hooks, Sphere(load)]


def _position(guess: PictureGuess) -> tuple[ca.SX, tuple[float, float, float]] | None:
    """Return the load's position from the outputs that are lengths, and 1 or -1 for each axis.

    Where z points down everything is turned half about x: a mere change of sign would show a
    mirrored crane.
    """
    outputs = guess.crane.output_map(*guess.named())
    lengths = {
        entry.name: ca.SX(outputs[entry.name])
        for entry in followed(guess.crane)
        if entry.unit == "m"
    }
    if not lengths:
        return None
    climb = dict(zip(lengths, _climb(guess, list(lengths.values())), strict=True))
    upright = max(climb, key=lambda name: abs(climb[name]))
    if abs(climb[upright]) < _VERTICAL:  # without weight the name has to tell
        upright = "z"
    sign = -1.0 if climb.get(upright, 0.0) < 0.0 else 1.0
    z = lengths.pop(upright, ca.SX(0.0))
    steep = _LEVEL * abs(climb.get(upright, 1.0))
    level = [name for name in lengths if abs(climb[name]) <= steep]
    # with y up, as in Modelica's MultiBody, what comes towards the viewer is z
    second, side = ("z", -1.0) if _letter(upright) == "y" else ("y", 1.0)
    x, y = (_take(axis, level, lengths) for axis in ("x", second))
    sides = (1.0, sign * side, sign)
    return ca.vertcat(x, sides[1] * y, sides[2] * z), sides


def _take(axis: str, level: list[str], lengths: Mapping[str, ca.SX]) -> ca.SX:
    """Return the level output that carries an axis in its name, or the first without any."""
    for wanted in (axis, None):
        for name in level:
            if _letter(name) == wanted:
                level.remove(name)
                return lengths[name]
    return ca.SX(0.0)


def _climb(guess: PictureGuess, outputs: Sequence[ca.SX]) -> list[float]:
    """Return how much each output goes with the weight: the cosine of their gradients at rest.

    Of a crane whose equations are stated, which has no energies: against its fall without drives.
    """
    if guess.crane.stated_equations() is not None:
        return _against_the_fall(guess, outputs)
    q, p = guess.named()
    weight = ca.gradient(ca.SX(guess.crane.potential_energy(q, p)), guess.symbols.q)
    rows = [ca.gradient(output, guess.symbols.q) for output in outputs]
    start = along(ca.vertcat(weight, *rows), guess.symbols, guess.p, guess.q[[guess.rest]])
    first, *others = start.reshape(len(outputs) + 1, -1)
    sizes = [np.linalg.norm(first) * np.linalg.norm(other) for other in others]
    return [
        float(first @ other / size) if size > 0 else 0.0
        for other, size in zip(others, sizes, strict=True)
    ]


def _against_the_fall(guess: PictureGuess, outputs: Sequence[ca.SX]) -> list[float]:
    """Return the direction cosines of the outputs' accelerations at rest with all drives off."""
    q, u = guess.q[guess.rest], np.zeros(len(guess.crane.inputs))
    try:
        dynamics = crane_dynamics(guess.crane)
        a = np.array(dynamics.accelerations(q, np.zeros_like(q), u, guess.p)[0]).ravel()
    except (SolutionError, StructureError):
        return [0.0] * len(outputs)
    rows = ca.jacobian(ca.vertcat(*outputs), guess.symbols.q)
    start = along(ca.vec(rows), guess.symbols, guess.p, guess.q[[guess.rest]])
    fall = -start.reshape(len(q), len(outputs)).T @ a
    size = float(np.linalg.norm(fall))
    return [float(part / size) if size > 0 else 0.0 for part in fall]


def _letter(name: str) -> str | None:
    found, entry = _AXIS.match(name), _ENTRY.search(name)
    if found is not None:
        return found[1] or found[4]
    return "xyz"[int(entry[1]) - 1] if entry else None


def _points_of_coordinates(guess: PictureGuess, load: ca.SX, sign: float) -> dict[str, ca.SX]:
    """Return points whose coordinates carry the axes in their names, such as x_h and z_h."""
    groups: dict[str, dict[str, ca.SX]] = {}
    for i, entry in enumerate(guess.crane.coordinates):
        found = _AXIS.match(entry.name)
        if found is not None and entry.unit == "m":
            rest = found[2] if found[1] else found[3]
            groups.setdefault(rest, {})[found[1] or found[4]] = guess.symbols.q[i]
    zero = ca.SX(0.0)
    points = {}
    for rest, axes in groups.items():
        if not {"x", "z"} <= set(axes):
            continue
        at = ca.vertcat(axes["x"], sign * axes.get("y", zero), sign * axes["z"])
        # of the load itself, whichever of its axes is up
        if any(not ca.depends_on(load, axis) for axis in axes.values()):
            points[rest] = at
    return points


def _trolley(
    guess: PictureGuess,
    load: ca.SX,
    points: Sequence[ca.SX],
    places: Array,
    sides: tuple[float, float, float],
) -> Trolley | None:
    """Return the trolley: coordinates that stand above the load at rest and travel as it does."""
    size = max(float(np.ptp(places, axis=0).max()), 1e-6)
    moving = [axis for axis in (0, 1) if np.ptp(places[:, axis]) > 1e-9 * size]
    taken = {name for at in (load, *points) for name in (str(part) for part in at.elements())}
    lengths = [
        i
        for i, entry in enumerate(guess.crane.coordinates)
        if entry.unit == "m" and str(guess.symbols.q[i]) not in taken
    ]
    at: list[ca.SX] = [ca.SX(0.0)] * 3
    for axis in moving:
        place = sides[axis] * places[:, axis]
        above = [i for i in lengths if _stands_above(guess, i, place, size)]
        # a rope that is a constraint says itself where it hangs; else a drive moves it
        held = [i for i in above if i in _held(guess)]
        chosen = held or [i for i in above if i in _driven(guess)]
        missed = sorted((_missed(guess, i, place), i) for i in chosen)
        # a trolley and a bridge may go nearly the same way: one of them is above at the end, too
        if not missed or (len(missed) > 1 and missed[1][0] < _CLEARLY * size):
            return None
        at[axis] = sides[axis] * guess.symbols.q[missed[0][1]]
    if not moving:
        return None
    top = float(places[:, 2].max())
    at[2] = ca.SX(0.0 if top < 0.0 else top + 0.3 * size)
    return Trolley(tuple(at), across=(0, 1, 0) if moving == [0, 1] else None)


def _stands_above(guess: PictureGuess, i: int, place: Array, size: float) -> bool:
    travel = abs(place[-1] - place[0])
    above = abs(guess.q[guess.rest, i] - place[guess.rest]) < _ABOVE * size
    return bool(above and _missed(guess, i, place) < _FOLLOWS * max(travel, size))


def _missed(guess: PictureGuess, i: int, place: Array) -> float:
    """Return by how much the travel of a coordinate differs from the load's."""
    way = guess.q[:, i]
    return float(abs((way[-1] - way[0]) - (place[-1] - place[0])))


def _held(guess: PictureGuess) -> set[int]:
    """Return the coordinates that constraints contain."""
    found = [ca.SX(part) for part in guess.crane.constraints(*guess.named()).values()]
    return set(ca.jacobian_sparsity(ca.vertcat(*found), guess.symbols.q).get_triplet()[1])


def _driven(guess: PictureGuess) -> list[int]:
    """Return the lengths among the coordinates on which a drive acts."""
    crane, (q, p) = guess.crane, guess.named()
    v, u = (
        ca.SX.sym(key, len(group)) for key, group in (("v", crane.coordinates), ("u", crane.inputs))
    )
    power = crane.drive_power(
        q, Components(names(crane.coordinates), v), Components(names(crane.inputs), u), p
    )
    rows = set(ca.jacobian_sparsity(ca.gradient(ca.SX(power), v), u).get_triplet()[0])
    return [i for i, entry in enumerate(crane.coordinates) if i in rows and entry.unit == "m"]


def _ropes(guess: PictureGuess, parts: Mapping[str, ca.SX]) -> list[Line]:
    """Return a line for each constraint that contains the coordinates of exactly two bodies."""
    crane, (q, p) = guess.crane, guess.named()
    held = crane.constraints(q, p)
    uses = {
        name: set(ca.jacobian_sparsity(part, guess.symbols.q).get_triplet()[1])
        for name, part in parts.items()
    }
    lines = []
    for name, expression in held.items():
        columns = set(ca.jacobian_sparsity(ca.SX(expression), guess.symbols.q).get_triplet()[1])
        joined = [part for part, own in uses.items() if own and own <= columns]
        if len(joined) == 2:
            first, second = joined
            lines.append(Line(parts[first], parts[second], _force(guess, name)))
    return lines


def _force(guess: PictureGuess, multiplier: str) -> str | None:
    """Return the rope force that depends on one multiplier only, if there is one."""
    crane, (q, p) = guess.crane, guess.named()
    lam = ca.SX.sym("lam", len(crane.multipliers))
    forces = crane.rope_forces(q, Components(names(crane.multipliers), lam), p)
    wanted = {names(crane.multipliers).index(multiplier)}
    for name, expression in forces.items():
        if set(ca.jacobian_sparsity(ca.SX(expression), lam).get_triplet()[1]) == wanted:
            return name
    return None
