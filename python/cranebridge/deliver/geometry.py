"""The geometry of a path as CasADi expressions: from progress to the outputs, any start and goal.

The classes of :mod:`cranebridge.path` have start and goal built in. The on-line generator needs
them as arguments, so the same Taylor recurrences (Griewank and Walther, *Evaluating Derivatives*,
Chapter 13) are written here once more over symbols.
"""

from __future__ import annotations

import math
from collections.abc import Callable, Iterator
from fractions import Fraction

import casadi as ca

from cranebridge.errors import InputError
from cranebridge.path import (
    Combined,
    Cylindrical,
    Hold,
    Line,
    Path,
    Piece,
    Profile,
    Rotation,
    ScaledPath,
)

Series = list[ca.SX]

# Below this, the vector part of a unit quaternion is no rotation, in either precision.
_NO_ROTATION = 1e-9


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


def geometry_function(path: Path, order: int) -> ca.Function:
    """Build ``(start, goal, progress, near) -> gammas``.

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
        are continued; `gammas` has all outputs, then all their rates, and so on.
    """
    count = len(path.outputs)
    start, goal = ca.SX.sym("start", count), ca.SX.sym("goal", count)
    near = ca.SX.sym("near", count)
    progress = ca.SX.sym("progress", order + 1)
    series = [progress[k] / math.factorial(k) for k in range(order + 1)]
    gammas = ca.SX(count, order + 1)
    for part in leaves(path):
        rows = [path.outputs.index(name) for name in part.outputs]
        build = _BUILD[type(part)]
        outputs = build(start[rows], goal[rows], series, near[rows])
        for row, output in zip(rows, outputs, strict=True):
            for k, coefficient in enumerate(output):
                gammas[row, k] = math.factorial(k) * coefficient
    return ca.Function(
        "geometry",
        [start, goal, progress, near],
        ca.cse([ca.densify(ca.vec(gammas))]),
        ["start", "goal", "progress", "near"],
        ["gammas"],
    )


def _line(start: ca.SX, goal: ca.SX, c: Series, _near: ca.SX) -> list[Series]:
    result = []
    for i in range(start.numel()):
        step = goal[i] - start[i]
        # from the nearer end: start + (goal - start) would miss the goal by a rounding
        value = ca.if_else(c[0] > 0.5, goal[i] + step * (c[0] - 1.0), start[i] + step * c[0])
        result.append([value, *(step * ck for ck in c[1:])])
    return result


def _cylindrical(start: ca.SX, goal: ca.SX, c: Series, near: ca.SX) -> list[Series]:
    radius, angle, height = _line(start, goal, c, near)
    cos, sin = _cos_sin(angle)
    return [_multiply(radius, cos), _multiply(radius, sin), height]


def _rotation(start: ca.SX, goal: ca.SX, c: Series, near: ca.SX) -> list[Series]:
    """R(t) = R_a exp(e~ s c(t)), the short way, as in :mod:`cranebridge.path.rotation`."""
    axis, angle = _axis_and_angle(start, goal)
    first = _bryant_matrix(start)
    along = axis @ axis.T
    p0, p1, p2 = first @ along, first @ (ca.SX.eye(3) - along), first @ ca.skew(axis)
    cos, sin = _cos_sin([angle * ck for ck in c])

    def entry(i: int, j: int) -> Series:
        series = [p1[i, j] * ck + p2[i, j] * sk for ck, sk in zip(cos, sin, strict=True)]
        series[0] += p0[i, j]
        return series

    branch = ca.sign(ca.cos(start[1]))
    r11, r12, r13, r23, r33 = (entry(*ij) for ij in ((0, 0), (0, 1), (0, 2), (1, 2), (2, 2)))
    squares = [a + b for a, b in zip(_multiply(r11, r11), _multiply(r12, r12), strict=True)]
    angles = [
        _arctan2(_times(-branch, r23), _times(branch, r33)),
        _arctan2(r13, _times(branch, _sqrt(squares))),
        _arctan2(_times(-branch, r12), _times(branch, r11)),
    ]
    for i, phi in enumerate(angles):
        turn = 2.0 * math.pi
        phi[0] += turn * ca.floor((near[i] - phi[0]) / turn + 0.5)
    return angles


_BUILD: dict[type[Path], Callable[[ca.SX, ca.SX, Series, ca.SX], list[Series]]] = {
    Line: _line,
    # What a scenario holds can move on line: it is a line whose start is its goal.
    Hold: _line,
    Cylindrical: _cylindrical,
    Rotation: _rotation,
}


def _axis_and_angle(start: ca.SX, goal: ca.SX) -> tuple[ca.SX, ca.SX]:
    a, b = _quaternion(start), _quaternion(goal)
    w = ca.dot(a, b)
    v = a[0] * b[1:] - b[0] * a[1:] - ca.cross(a[1:], b[1:])
    length = ca.sqrt(ca.sumsqr(v))
    sign = ca.if_else(w < 0.0, -1.0, 1.0)
    return sign * v / ca.fmax(length, _NO_ROTATION), 2.0 * ca.atan2(length, ca.fabs(w))


def _quaternion(phi: ca.SX) -> ca.SX:
    (c1, c2, c3), (s1, s2, s3) = ca.vertsplit(ca.cos(phi / 2)), ca.vertsplit(ca.sin(phi / 2))
    return ca.vertcat(
        c1 * c2 * c3 - s1 * s2 * s3,
        s1 * c2 * c3 + c1 * s2 * s3,
        c1 * s2 * c3 - s1 * c2 * s3,
        c1 * c2 * s3 + s1 * s2 * c3,
    )


def _bryant_matrix(phi: ca.SX) -> ca.SX:
    (c1, c2, c3), (s1, s2, s3) = ca.vertsplit(ca.cos(phi)), ca.vertsplit(ca.sin(phi))
    return ca.vertcat(
        ca.horzcat(c2 * c3, -c2 * s3, s2),
        ca.horzcat(c1 * s3 + s1 * s2 * c3, c1 * c3 - s1 * s2 * s3, -s1 * c2),
        ca.horzcat(s1 * s3 - c1 * s2 * c3, s1 * c3 + c1 * s2 * s3, c1 * c2),
    )


def _times(factor: ca.SX, a: Series) -> Series:
    return [factor * ak for ak in a]


def _convolve(a: Series, b: Series) -> ca.SX:
    return sum((x * y for x, y in zip(a, reversed(b), strict=True)), ca.SX(0))


def _multiply(a: Series, b: Series) -> Series:
    return [_convolve(a[: k + 1], b[: k + 1]) for k in range(len(a))]


def _divide(a: Series, b: Series) -> Series:
    out = [a[0] / b[0]]
    for k in range(1, len(a)):
        out.append((a[k] - _convolve(b[1 : k + 1], out[:k])) / b[0])
    return out


def _sqrt(a: Series) -> Series:
    out = [ca.sqrt(a[0])]
    for k in range(1, len(a)):
        inner = _convolve(out[1:k], out[1:k]) if k > 1 else ca.SX(0)
        out.append((a[k] - inner) / (2.0 * out[0]))
    return out


def _cos_sin(a: Series) -> tuple[Series, Series]:
    c, s = [ca.cos(a[0])], [ca.sin(a[0])]
    slope = _differentiate(a)
    for k in range(1, len(a)):
        c_k, s_k = -_convolve(slope[:k], s[:k]) / k, _convolve(slope[:k], c[:k]) / k
        c.append(c_k)
        s.append(s_k)
    return c, s


def _arctan2(y: Series, x: Series) -> Series:
    dx, dy = _differentiate(x), _differentiate(y)
    x_, y_ = x[:-1], y[:-1]
    top = [a - b for a, b in zip(_multiply(x_, dy), _multiply(y_, dx), strict=True)]
    below = [a + b for a, b in zip(_multiply(x_, x_), _multiply(y_, y_), strict=True)]
    rate = _divide(top, below)
    return [ca.atan2(y[0], x[0]), *(r / (k + 1) for k, r in enumerate(rate))]


def _differentiate(a: Series) -> Series:
    return [(k + 1) * ak for k, ak in enumerate(a[1:])]
