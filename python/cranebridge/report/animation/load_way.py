"""Which body of a scene follows the path, and where it is for given outputs."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

import casadi as ca
import numpy as np

from cranebridge.report.animation.bodies import Array
from cranebridge.report.animation.shape_values import ShapeSymbols, along
from cranebridge.twin.language import (
    Box,
    Crane,
    Cylinder,
    Plate,
    Shape,
    Sphere,
    Trolley,
    names,
    points_of,
)

_EXACT = 1e-9
"""Parts of its size by which a point may miss what the outputs tell: rounding, at any place."""


@dataclass(frozen=True, eq=False)
class LoadMap:
    """The position of the load as an affine function of the outputs: offset + matrix y."""

    offset: Array
    matrix: Array

    def __call__(self, outputs: Array) -> Array:
        """Return positions, shape (times, 3), for outputs of shape (times, outputs)."""
        return np.asarray(self.offset + np.asarray(outputs) @ self.matrix.T)


def followed(
    crane: Crane, shapes: Sequence[Shape], symbols: ShapeSymbols, p: Array, q: Array
) -> tuple[ca.SX | None, LoadMap | None]:
    """Return the point that follows the path, and how the outputs tell it.

    The first load that the outputs tell is taken, then any other body that they do; where they
    tell none (an output can be an angle), the first load, without a map.

    Parameters
    ----------
    crane : Crane
        Whose outputs.
    shapes : sequence of Shape
        Its scene.
    symbols : ShapeSymbols
        What the shapes are expressions of.
    p, q : numpy.ndarray
        Parameter values, and coordinates of shape (times, coordinates).
    """
    loads = [shape for shape in shapes if getattr(shape, "role", "") == "load"]
    others = [shape for shape in shapes if isinstance(shape, Sphere | Box | Trolley)]
    outputs = _outputs(crane, symbols)
    for shape in (*loads, *others):
        point = _middle(shape)
        found = affine(point, outputs, symbols, p, q)
        if found is not None and np.abs(found.matrix).max() > _EXACT:
            return point, found
    return (_middle(loads[0]) if loads else None), None


def affine(
    point: ca.SX, outputs: ca.SX, symbols: ShapeSymbols, p: Array, q: Array
) -> LoadMap | None:
    """Return the affine function of the outputs that a point is for any coordinates, or None."""
    random = np.random.default_rng(0)
    size = np.maximum(np.abs(q).max(axis=0), 1.0)
    count = 4 * (outputs.numel() + 2)
    places = q[0] + 0.3 * size * random.standard_normal((count, q.shape[1]))
    values = along(ca.vertcat(point, outputs), symbols, p, places)
    if not np.isfinite(values).all():
        return None
    given = np.column_stack([np.ones(count), values[:, 3:]])
    fitted: Array = np.linalg.lstsq(given, values[:, :3], rcond=None)[0].astype(float)
    missed = np.abs(given @ fitted - values[:, :3]).max()
    if missed > _EXACT * max(np.abs(values).max(), 1.0):
        return None
    return LoadMap(fitted[0], fitted[1:].T)


def _outputs(crane: Crane, symbols: ShapeSymbols) -> ca.SX:
    found = crane.output_map(*symbols.named(crane))
    return ca.SX(ca.vertcat(*(found[name] for name in names(crane.outputs))))


def _middle(shape: Shape) -> ca.SX:
    points = points_of(shape)
    if isinstance(shape, Cylinder):
        return ca.SX(0.5 * (points["begin"] + points["end"]))
    if isinstance(shape, Plate):
        return ca.SX(sum(points.values()) / len(points))
    return points["at"]
