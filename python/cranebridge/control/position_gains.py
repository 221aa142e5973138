"""Gains over position, for motions that are not known in advance: a grid of laws at rest.

At each point of a grid of drive positions (rope length, radius, ...) the crane is at rest, and the
stationary optimal gain there is computed; between the points gains are interpolated, on each axis
linearly, and beyond the grid its edge holds. The motion must be slow against the loop.
"""

from __future__ import annotations

import itertools
from collections.abc import Mapping, Sequence
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from cranebridge.control.discretisation import discretise
from cranebridge.control.law import Kind, Law, law_of
from cranebridge.control.reference import Reference
from cranebridge.control.rest import drive_names, rest_state
from cranebridge.control.riccati import stationary
from cranebridge.control.weights import Weights, input_weight, state_sizes, state_weight
from cranebridge.errors import InputError, unknown
from cranebridge.forward.linearisation import linearise
from cranebridge.twin import Crane
from cranebridge.twin.crane import names

Array = NDArray[np.float64]


@dataclass(frozen=True, eq=False)
class PositionGains:
    """Gains on a grid of drive positions.

    Attributes
    ----------
    crane : Crane
        The crane.
    axes : tuple of str
        Drive coordinates.
    points : tuple of numpy.ndarray
        Increasing positions on each axis.
    laws : Law
        The gains, a row for each point of the grid, the last axis fastest; its times count them.
    """

    crane: Crane
    axes: tuple[str, ...]
    points: tuple[Array, ...]
    laws: Law

    def corners(self, q: Array) -> tuple[NDArray[np.intp], Array]:
        """Return rows of the table and their weights, a column for each of the 2^axes corners.

        Parameters
        ----------
        q : numpy.ndarray
            Coordinates of the crane, a row for each time.
        """
        coordinates = names(self.crane.coordinates)
        low, part = [], []
        for name, points in zip(self.axes, self.points, strict=True):
            value = np.clip(q[:, coordinates.index(name)], points[0], points[-1])
            i = np.clip(np.searchsorted(points, value, side="right") - 1, 0, points.size - 2)
            low.append(i)
            part.append((value - points[i]) / (points[i + 1] - points[i]))
        rows, weights = [], []
        shape = tuple(points.size for points in self.points)
        for corner in itertools.product((0, 1), repeat=len(shape)):
            place = tuple(i + side for i, side in zip(low, corner, strict=True))
            rows.append(np.ravel_multi_index(place, shape))
            sides = [p if side else 1.0 - p for p, side in zip(part, corner, strict=True)]
            weights.append(np.prod(sides, axis=0))
        return np.column_stack(rows), np.column_stack(weights)

    def along(self, reference: Reference) -> Law:
        """Return the law with the gains of a motion's positions."""
        rows, weights = self.corners(reference.q)

        def interpolated(table: Array) -> Array:
            return np.asarray(np.einsum("tc,tcij->tij", weights, table[rows]))

        laws = self.laws
        K = interpolated(laws.K)
        return Law(
            crane=self.crane,
            kind=laws.kind,
            cycle=laws.cycle,
            delay=laws.delay,
            time=reference.time,
            K=K,
            integrals=laws.integrals,
            K_integral=interpolated(laws.K_integral),
            K_past=interpolated(laws.K_past),
            disturbances=(),
            K_disturbance=K[:, :, :0],
        )


def design_over_position(
    reference: Reference,
    axes: Mapping[str, Sequence[float]],
    weights: Weights,
    independent: Sequence[str],
    kind: Kind = "lqr",
    delay: float = 0.0,
) -> PositionGains:
    """Design gains over positions.

    Parameters
    ----------
    reference : Reference
        Crane, parameters and cycle; its first row is where drives that are no axis stay, and where
        the search for a rest begins.
    axes : mapping of str to sequence of float
        Positions of drive coordinates: at least two on each axis, increasing.
    weights : Weights
        The cost's weights; see :func:`cranebridge.control.weights.choose_weights`.
    independent : sequence of str
        Independent coordinates at all positions.
    kind, delay : str, float
        As in :func:`cranebridge.control.law.design_law`.

    Raises
    ------
    InputError
        If an axis is no drive coordinate or its positions do not increase.
    SolutionError
        If the crane has no rest at a position.
    """
    points = _points(reference.crane, axes)
    q, u = _rests(reference, tuple(axes), points)
    still = Reference(
        crane=reference.crane,
        parameters=reference.parameters,
        cycle=reference.cycle,
        lead=delay,
        time=np.arange(float(len(q))),
        q=q,
        v=np.zeros_like(q),
        a=np.zeros_like(q),
        u=u,
        outputs=np.zeros((len(q), len(reference.crane.outputs))),
        hold=u,
    )
    model = linearise(
        still.crane, still.parameters, q, still.v, u, still.time, independent=independent
    )
    sampled = discretise(model, still.cycle, delay, integrals=kind == "lqi")
    Q = still.cycle * state_weight(weights, model, still, sampled.integrals, sampled.past)
    R = still.cycle * input_weight(weights, still.crane)
    sizes = state_sizes(sampled, weights, reference)
    gains = [
        stationary(A, B, Q_, R, sizes)[1] for A, B, Q_ in zip(sampled.A, sampled.B, Q, strict=True)
    ]
    laws = law_of(still.crane, kind, model.coordinates, sampled, np.array(gains))
    return PositionGains(still.crane, tuple(axes), points, laws)


def _points(crane: Crane, axes: Mapping[str, Sequence[float]]) -> tuple[Array, ...]:
    known = drive_names(crane)
    for name in axes:
        if name not in known:
            raise unknown(f"drive coordinate of crane '{crane.name}'", name, known)
    points = tuple(np.asarray(values, dtype=float) for values in axes.values())
    if not points:
        raise InputError("gains over position need at least one drive coordinate as an axis")
    for name, values in zip(axes, points, strict=True):
        if values.ndim != 1 or values.size < 2 or not (np.diff(values) > 0.0).all():
            raise InputError(f"the positions of {name} must be at least two increasing numbers")
    return points


def _rests(
    reference: Reference, axes: tuple[str, ...], points: tuple[Array, ...]
) -> tuple[Array, Array]:
    """Return coordinates and inputs at all points; each search begins at the rest before it."""
    q, u, found = reference.q[0], reference.u[0], []
    for place in itertools.product(*points):
        drives = dict(zip(axes, map(float, place), strict=True))
        q, u = rest_state(reference.crane, reference.parameters, drives, q, u)
        found.append((q, u))
    return np.array([one[0] for one in found]), np.array([one[1] for one in found])
