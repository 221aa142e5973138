"""Paths as CasADi functions whose start and goal are arguments, for planning on line.

The geometry is that of the path classes, evaluated over symbols, in two steps: from start, goal,
progress and its derivatives to the path's own coordinates and theirs, and from these to the
outputs. A motion that is planned while another one is under way begins with the own coordinates.
"""

from __future__ import annotations

import math
from collections.abc import Callable, Iterator, Sequence
from fractions import Fraction

import casadi as ca

from cranebridge.errors import InputError
from cranebridge.path.base import Path
from cranebridge.path.functions import Series, Value, taylor
from cranebridge.path.profiles import Piece, Profile
from cranebridge.path.shapes import (
    Combined,
    Cylindrical,
    Hold,
    Line,
    Rotation,
    ScaledPath,
    cylinder_outputs,
    line_series,
    rotation_series,
)

Geometry = Callable[[Sequence[Value], Sequence[Value], Series, Sequence[Value]], list[Series]]

_OWN: dict[type[Path], Geometry] = {
    Line: line_series,
    # What a scenario holds can move on line: it is a line whose start is its goal.
    Hold: line_series,
    Cylindrical: line_series,
    Rotation: rotation_series,
}


def leaves(path: Path) -> Iterator[Path]:
    """Yield the parts that a path is combined of, without any stretching of time."""
    if isinstance(path, ScaledPath):
        yield from leaves(path.base)
    elif isinstance(path, Combined):
        for part in path.parts:
            yield from leaves(part)
    else:
        yield path


def common_profile(path: Path) -> Profile:
    """Return the profile that all moving parts share, over a duration of 1.

    Raises
    ------
    InputError
        If the path is of a kind that has no start, goal and duration, or has several profiles.
    """
    profiles = []
    for part in leaves(path):
        if isinstance(part, Line | Cylindrical | Rotation):
            profiles.append(part.profile)
        elif not isinstance(part, Hold):
            raise InputError(
                "the generator plans paths of kind line, cylindrical, rotation, hold, or combined "
                f"of these; this path has a part of type {type(part).__name__}"
            )
    if not profiles:
        raise InputError("the generator needs a path that moves; all parts of this one hold")
    if any(profile != profiles[0] for profile in profiles[1:]):
        raise InputError("the generator needs one duration and profile for all parts of the path")
    length = profiles[0].pieces[-1].end
    pieces = tuple(
        Piece(Fraction(p.begin) / length, Fraction(p.end) / length, p.coefficients)
        for p in profiles[0].pieces
    )
    return Profile(pieces, profiles[0].names)


def end_points(path: Path) -> tuple[list[float], list[float]]:
    """Return start and goal in the path's own coordinates, in the order of the outputs."""
    start, goal = dict[str, float](), dict[str, float]()
    for part in leaves(path):
        if isinstance(part, Hold):
            first = last = part.value
        elif isinstance(part, Line | Cylindrical | Rotation):
            first, last = part.start, part.goal
            if isinstance(part, Rotation) and abs(part.angle) > math.pi + 1e-9:
                raise InputError(
                    "the generator turns the short way; the rotation of this path is longer than "
                    "half a turn"
                )
        else:
            raise InputError(f"a path of type {type(part).__name__} has no start and goal")
        start |= dict(zip(part.outputs, first, strict=True))
        goal |= dict(zip(part.outputs, last, strict=True))
    return [start[name] for name in path.outputs], [goal[name] for name in path.outputs]


def coordinate_names(path: Path) -> list[tuple[str, str]]:
    """Return name and unit of the path's own coordinates (``radius`` instead of ``x``)."""
    found = dict[str, tuple[str, str]]()
    for part in leaves(path):
        if isinstance(part, Cylindrical):
            own = [("radius", "m"), ("angle", "rad"), ("height", "m")]
            found |= dict(zip(part.outputs, own, strict=True))
        else:
            found |= {name: (name, "") for name in part.outputs}
    return [found[name] for name in path.outputs]


def own_coordinates_function(path: Path, order: int) -> ca.Function:
    """Build ``(start, goal, progress, near) -> own``.

    Parameters
    ----------
    path : Path
        Which kind of path gives which outputs; its start and goal play no part.
    order : int
        Highest derivative.

    Returns
    -------
    casadi.Function
        `progress` has c and its time derivatives, `near` outputs shortly before, from which angles
        are continued; `own` has all of the path's own coordinates (radius, angle and height on a
        cylinder, the outputs otherwise), then all their rates, and so on.
    """
    count = len(path.outputs)
    start, goal = ca.SX.sym("start", count), ca.SX.sym("goal", count)
    near = ca.SX.sym("near", count)
    progress = ca.SX.sym("progress", order + 1)
    series = taylor.from_derivatives(ca.vertsplit(progress))
    own = ca.SX(count, order + 1)
    for rows, part in _rows_of(path):
        first, last, before = (ca.vertsplit(values[rows]) for values in (start, goal, near))
        for row, found in zip(rows, _OWN[type(part)](first, last, series, before), strict=True):
            own[row, :] = ca.horzcat(*taylor.to_derivatives(found))
    return ca.Function(
        "own_coordinates",
        [start, goal, progress, near],
        ca.cse([ca.densify(ca.vec(own))]),
        ["start", "goal", "progress", "near"],
        ["own"],
    )


def outputs_function(path: Path, order: int) -> ca.Function:
    """Build ``own -> gammas``: the outputs and their derivatives from the path's own coordinates.

    See `own_coordinates_function`; `gammas` is in the same order.
    """
    count = len(path.outputs)
    flat = ca.SX.sym("own", count * (order + 1))
    own = ca.reshape(flat, count, order + 1)
    gammas = ca.SX(own)
    for rows, part in _rows_of(path):
        if not isinstance(part, Cylindrical):
            continue
        series = [taylor.from_derivatives(ca.horzsplit(own[row, :])) for row in rows]
        for row, found in zip(rows, cylinder_outputs(*series), strict=True):
            gammas[row, :] = ca.horzcat(*taylor.to_derivatives(found))
    return ca.Function(
        "outputs_of", [flat], ca.cse([ca.densify(ca.vec(gammas))]), ["own"], ["gammas"]
    )


def _rows_of(path: Path) -> Iterator[tuple[list[int], Path]]:
    """Yield the parts of a path with the positions of their outputs."""
    for part in leaves(path):
        yield [path.outputs.index(name) for name in part.outputs], part
