"""Gains over position, for motions that are not known in advance: a grid of laws at rest.

At each point of a grid of drive positions (rope length, radius, ...) the crane is at rest, and the
stationary optimal gain there is computed; between the points gains are interpolated
(:mod:`cranebridge.control.design.gain_axes`). The motion must be slow against the loop.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace
from itertools import product
from typing import Any

import numpy as np
from numpy.typing import NDArray

from cranebridge.control.design.gain_axes import Axis, corners
from cranebridge.control.design.law import Law, LawDesign, law_of
from cranebridge.control.design.riccati import stationary
from cranebridge.control.design.thinning import TABLES
from cranebridge.control.law_kinds import OPTIMAL_LAWS, Kind
from cranebridge.control.model import ReferenceMotion, discretise, drive_names, rest_state
from cranebridge.control.weights import Weights, input_weight, state_sizes, state_weight
from cranebridge.errors import InputError, unknown
from cranebridge.forward import linearise
from cranebridge.twin import Crane
from cranebridge.twin.language import names

Array = NDArray[np.float64]


@dataclass(frozen=True, eq=False)
class PositionGains:
    """Gains on a grid of positions.

    Attributes
    ----------
    crane : Crane
        The crane.
    axes : tuple of Axis
        Drive coordinates, or outputs (``y.NAME``); none where the gains are the same everywhere.
    laws : Law
        The gains, a row for each point of the grid, the last axis fastest; its times count them.
    error : float
        What interpolated gains are wrong by at most, of the largest part of an input; not a number
        where it was not looked at.
    """

    crane: Crane
    axes: tuple[Axis, ...]
    laws: Law
    error: float = float("nan")

    def corners(self, q: Array) -> tuple[NDArray[np.intp], Array]:
        """Return rows of the table and their weights, a column for each corner.

        Parameters
        ----------
        q : numpy.ndarray
            Coordinates of the crane, a row for each time; all axes must be coordinates.
        """
        coordinates = names(self.crane.coordinates)
        return corners(self.axes, q[:, [coordinates.index(axis.name) for axis in self.axes]])

    def places(self, reference: ReferenceMotion) -> Array:
        """Return where a motion is on the axes, a row for each time."""
        crane = self.crane
        known = dict(zip(names(crane.coordinates), reference.q.T, strict=True))
        known |= {f"y.{n}": reference.outputs[:, i] for i, n in enumerate(names(crane.outputs))}
        found = [known[axis.name] for axis in self.axes]
        return np.column_stack(found) if found else np.zeros((len(reference.time), 0))

    def describe(self) -> list[str]:
        """Return what the gains follow, line by line."""
        if not self.axes:
            return ["gains over position: the same everywhere"]
        lines = [
            f"gains over position: {len(self.laws.K)} rows, wrong by {self.error:.2g} of the "
            "largest part of an input between them, for motions that are slow against the loop"
        ]
        for axis in self.axes:
            first, last = axis.points[0], axis.points[-1]
            where = "all round" if axis.turning else f"from {first:.4g} to {last:.4g}"
            lines.append(f"{axis.name}: {axis.points.size} positions, {where}")
        return lines

    def along(self, reference: ReferenceMotion) -> Law:
        """Return the law with the gains of a motion's positions."""
        rows, weights = corners(self.axes, self.places(reference))
        found: dict[str, Any] = {
            name: np.einsum("tc,tcij->tij", weights, getattr(self.laws, name)[rows])
            for name in TABLES
        }
        return replace(self.laws, time=reference.time, **found)


def design_over_position(
    reference: ReferenceMotion,
    axes: Mapping[str, Sequence[float]],
    weights: Weights,
    independent: Sequence[str],
) -> PositionGains:
    """Design gains over positions of drives.

    Parameters
    ----------
    reference : ReferenceMotion
        Crane, parameters and cycle; its first row is where drives that are no axis stay, and where
        the search for a rest begins.
    axes : mapping of str to sequence of float
        Positions of drive coordinates: at least two on each axis, increasing.
    weights : Weights
        The cost's weights; see :func:`cranebridge.control.weights.choose_weights`.
    independent : sequence of str
        Independent coordinates at all positions.

    Raises
    ------
    InputError
        If an axis is no drive coordinate or its positions do not increase.
    SolutionError
        If the crane has no rest at a position.
    """
    grid = _grid(reference.crane, axes)
    q, u, found = reference.q[0], reference.u[0], []
    for place in product(*(axis.points for axis in grid)):
        wanted = dict(zip(axes, map(float, place), strict=True))
        q, u = rest_state(reference.crane, reference.parameters, wanted, q, u)
        found.append((q, u))
    rests = [np.array([one[i] for one in found]) for i in (0, 1)]
    design = design_at_rests(reference, rests[0], rests[1], weights, independent)
    return PositionGains(reference.crane, grid, design.law)


def design_at_rests(
    reference: ReferenceMotion,
    q: Array,
    u: Array,
    weights: Weights,
    independent: Sequence[str],
    kind: Kind = "lqr",
    delay: float = 0.0,
) -> LawDesign:
    """Return the stationary optimal laws at many rests, a row for each.

    Parameters
    ----------
    reference : ReferenceMotion
        Crane, parameters, cycle, and the motion whose size the states have.
    q, u : numpy.ndarray
        Coordinates and inputs at the rests.
    weights, independent
        As in `design_over_position`.
    kind, delay : str, float
        As in :func:`cranebridge.control.design.law.design_law`.
    """
    still = still_reference(reference, q, u, delay)
    model = linearise(still.crane, still.parameters, q, still.v, u, still.time, independent)
    sampled = discretise(model, still.cycle, delay, OPTIMAL_LAWS[kind].integrals)
    Q = still.cycle * state_weight(weights, model, still, sampled.integrals, sampled.past)
    R = still.cycle * input_weight(weights, still.crane)
    sizes = state_sizes(sampled, weights, reference)
    found = [
        stationary(A, B, Q_, R, sizes) for A, B, Q_ in zip(sampled.A, sampled.B, Q, strict=True)
    ]
    gains = np.array([K for _, K in found])
    return LawDesign(
        law=law_of(still.crane, kind, model.coordinates, sampled, gains),
        reference=still,
        model=model,
        sampled=sampled,
        gains=gains,
        weights=weights,
        cost=found[0][0],
        uncontrollable=(),
    )


def still_reference(
    reference: ReferenceMotion, q: Array, u: Array, delay: float
) -> ReferenceMotion:
    """Return many rests of a motion's crane as rows of a reference, whose times count them."""
    none = np.zeros_like(q)
    return ReferenceMotion(
        crane=reference.crane,
        parameters=reference.parameters,
        cycle=reference.cycle,
        lead=delay,
        time=np.arange(float(len(q))),
        q=q,
        v=none,
        a=none,
        u=u,
        outputs=np.zeros((len(q), len(reference.crane.outputs))),
        hold=u,
    )


def _grid(crane: Crane, axes: Mapping[str, Sequence[float]]) -> tuple[Axis, ...]:
    known = drive_names(crane)
    for name in axes:
        if name not in known:
            raise unknown(f"drive coordinate of crane '{crane.name}'", name, known)
    points = [np.asarray(values, dtype=float) for values in axes.values()]
    if not points:
        raise InputError("gains over position need at least one drive coordinate as an axis")
    for name, values in zip(axes, points, strict=True):
        if values.ndim != 1 or values.size < 2 or not (np.diff(values) > 0.0).all():
            raise InputError(f"the positions of {name} must be at least two increasing numbers")
    return tuple(Axis(name, values) for name, values in zip(axes, points, strict=True))
