"""The shapes of a crane's scene along a motion: expressions become numbers."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass

import casadi as ca
import numpy as np

from cranebridge.report.animation.bodies import Array
from cranebridge.twin.language import Components, Crane, Shape, names, points_of, sizes_of


@dataclass(frozen=True, eq=False)
class ShapeSymbols:
    """The symbols of coordinates and parameters that shapes are expressions of."""

    q: ca.SX
    p: ca.SX

    @classmethod
    def of(cls, crane: Crane) -> ShapeSymbols:
        """Return symbols for a crane."""
        return cls(ca.SX.sym("q", len(crane.coordinates)), ca.SX.sym("p", len(crane.parameters)))

    def named(self, crane: Crane) -> tuple[Components, Components]:
        """Return them as a crane's methods take them."""
        coordinates, parameters = names(crane.coordinates), names(crane.parameters)
        return Components(coordinates, self.q), Components(parameters, self.p)


@dataclass(frozen=True, eq=False)
class PlacedShape:
    """A shape along a motion.

    Attributes
    ----------
    shape : Shape
        What it is.
    points : dict of str to numpy.ndarray
        Its points and directions by field, each of shape (times, 3).
    sizes : dict of str to tuple of float
        The sizes that are given, in m.
    """

    shape: Shape
    points: dict[str, Array]
    sizes: dict[str, tuple[float, ...]]


def parameter_vector(crane: Crane, parameters: Mapping[str, float]) -> Array:
    """Return parameter values in the crane's order."""
    return np.array([parameters[name] for name in names(crane.parameters)])


def along(expressions: ca.SX, symbols: ShapeSymbols, p: Array, q: Array) -> Array:
    """Return the values of a vector of expressions, a row for each row of coordinates."""
    function = ca.Function("along", [symbols.q, symbols.p], [ca.densify(expressions)])
    # one column of parameters belongs to all times
    return np.array(function(q.T, np.tile(p[:, None], (1, len(q))))).T


def place(shapes: Sequence[Shape], symbols: ShapeSymbols, p: Array, q: Array) -> list[PlacedShape]:
    """Return shapes with their points at each row of coordinates; sizes are those of the first."""
    points = [points_of(shape) for shape in shapes]
    sizes = [sizes_of(shape) for shape in shapes]
    parts = [part for entry in (*points, *sizes) for part in entry.values()]
    if not parts:
        return []
    values = along(ca.vertcat(*parts), symbols, p, q)
    ends = np.cumsum([part.numel() for part in parts])[:-1]
    columns = iter(np.split(values, ends, axis=1))
    placed = [{name: next(columns) for name in entry} for entry in points]
    sized = [{name: tuple(next(columns)[0].tolist()) for name in entry} for entry in sizes]
    return [PlacedShape(*entry) for entry in zip(shapes, placed, sized, strict=True)]
