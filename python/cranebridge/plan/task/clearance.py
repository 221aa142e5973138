"""How far load and ropes are from obstacles, exactly and in a smooth form that is never larger."""

from __future__ import annotations

from collections.abc import Sequence

import casadi as ca

from cranebridge.errors import InputError
from cranebridge.plan.task.obstacles import Obstacle
from cranebridge.plan.task.task import PlanTask
from cranebridge.twin import Crane, equations_of_motion
from cranebridge.twin.language import Components, Line, names, vector

_ALONG_ROPE = 8
"""Points at which a planner looks at a rope, besides its load's end."""


def clearances(
    crane: Crane,
    obstacles: Sequence[Obstacle],
    outputs: ca.SX,
    q: ca.SX,
    p: ca.SX,
    sharpness: float | None = None,
) -> ca.SX:
    """Return a row [m] for each obstacle and point; negative where it is touched.

    Parameters
    ----------
    crane : Crane
        Which crane.
    obstacles : sequence of Obstacle
        What must not be touched.
    outputs, q, p : casadi.SX
        Outputs, coordinates and parameters.
    sharpness : float, optional
        Of the smooth form [1/m]: it is less than the exact one by up to log(sides) / sharpness.
    """
    rows = []
    for obstacle in obstacles:
        points = [load_point(crane, outputs)]
        if obstacle.rope:
            points += _rope_points(crane, q, p)
        for point in points:
            sides = obstacle.sides(point)
            rows += [_largest(side, sharpness) - obstacle.clearance for side in sides]
    return ca.vertcat(ca.SX(0, 1), *rows)


def clearance_function(crane: Crane, obstacles: Sequence[Obstacle]) -> ca.Function:
    """Return ``(outputs, q, p) -> what is left of each clearance``, at points of the ropes."""
    model = equations_of_motion(crane)
    y = ca.SX.sym("y", len(crane.outputs))
    least = [ca.mmin(clearances(crane, (one,), y, model.q, model.p)) for one in obstacles]
    rows = ca.vertcat(ca.SX(0, 1), *least)
    return ca.Function("clear", [y, model.q, model.p], [ca.densify(rows)])


def rope_functions(crane: Crane, obstacle: Obstacle) -> tuple[ca.Function, ...]:
    """Return ``(q, p, share) -> what is left of a clearance`` at a share of the way along a rope.

    One for each rope and each list of sides: each is convex in `share`, their least is not.
    """
    model, share = equations_of_motion(crane), ca.SX.sym("share")
    rows = [
        ca.densify(_largest(side, None) - obstacle.clearance)
        for begin, end in _ropes(crane, model.q, model.p)
        for side in obstacle.sides(begin + share * (end - begin))
    ]
    return tuple(ca.Function("rope", [model.q, model.p, share], [row]) for row in rows)


def rope_coordinates(crane: Crane) -> tuple[str, ...]:
    """Return the coordinates that tell where the ropes are."""
    model = equations_of_motion(crane)
    points = ca.vertcat(*_rope_points(crane, model.q, model.p))
    own = zip(names(crane.coordinates), ca.vertsplit(model.q), strict=True)
    return tuple(name for name, q in own if ca.depends_on(points, q))


def clearance_count(task: PlanTask) -> int:
    """Return how many rows `clearances` gives for the obstacles of a task."""
    model = equations_of_motion(task.crane)
    y = ca.SX.sym("y", len(task.crane.outputs))
    return int(clearances(task.crane, task.obstacles, y, model.q, model.p).numel())


def load_axes(crane: Crane) -> tuple[int, int | None, int]:
    """Return which outputs are the load's x, y and z; a planar crane has no y.

    Raises
    ------
    InputError
        If the outputs are no position.
    """
    own = names(crane.outputs)
    for prefix in ("", "r_"):
        x, y, z = (f"{prefix}{axis}" for axis in "xyz")
        if x in own and z in own:
            return own.index(x), own.index(y) if y in own else None, own.index(z)
    raise InputError(
        f"obstacles need the load's position as outputs x, z or x, y, z; crane '{crane.name}' has "
        f"{', '.join(own)}"
    )


def load_point(crane: Crane, outputs: ca.SX) -> ca.SX:
    """Return the load's position as x, y, z; a planar crane moves at y = 0."""
    axes = load_axes(crane)
    return ca.vertcat(*(0.0 if axis is None else outputs[axis] for axis in axes))


def _ropes(crane: Crane, q: ca.SX, p: ca.SX) -> list[tuple[ca.SX, ca.SX]]:
    """Return where the ropes that the crane's picture shows begin and end."""
    coordinates, parameters = names(crane.coordinates), names(crane.parameters)
    scene = crane.scene(Components(coordinates, q), Components(parameters, p))
    ropes = [body for body in scene or () if isinstance(body, Line)]
    if not ropes:
        raise InputError(
            f"an obstacle has rope = true, but crane '{crane.name}' draws no rope; give it a "
            "scene() with lines"
        )
    return [(vector(rope.begin, 3, "begin"), vector(rope.end, 3, "end")) for rope in ropes]


def _rope_points(crane: Crane, q: ca.SX, p: ca.SX) -> list[ca.SX]:
    """Return points along all ropes."""
    return [
        begin + i / _ALONG_ROPE * (end - begin)
        for begin, end in _ropes(crane, q, p)
        for i in range(_ALONG_ROPE)
    ]


def _largest(sides: list[ca.SX], sharpness: float | None) -> ca.SX:
    """Return the largest, or a smooth function that is never larger."""
    if len(sides) == 1:
        return sides[0]
    largest = sides[0]
    for side in sides[1:]:
        largest = ca.fmax(largest, side)
    if sharpness is None:
        return largest
    # log-sum-exp around the largest, which only shifts it and keeps it from overflowing
    total = sum(ca.exp(sharpness * (side - largest)) for side in sides)
    return largest + (ca.log(total) - ca.log(len(sides))) / sharpness
