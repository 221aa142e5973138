"""A motion found by collocation: polynomials in every interval of its mesh."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from functools import cached_property
from typing import Literal

import casadi as ca
import numpy as np
from numpy.typing import ArrayLike, NDArray

from cranebridge.inverse import Piecewise
from cranebridge.plan.collocation.radau_points import Radau
from cranebridge.twin import Crane, equations_of_motion

Array = NDArray[np.float64]
Side = Literal["least", "most"]


@dataclass(frozen=True)
class ActiveLimit:
    """A limit at which a motion is for a while.

    Attributes
    ----------
    signal : str
        Such as ``u.F_t``.
    side : {"least", "most"}
        Which end of the range.
    share : float
        Of the duration.
    """

    signal: str
    side: Side
    share: float


@dataclass(frozen=True, eq=False)
class CollocationSamples:
    """A motion at some times; arrays have a row for each time.

    Attributes
    ----------
    time, q, v, a, lam, u, outputs, ropes : numpy.ndarray
        Time in s, coordinates, velocities, accelerations, multipliers, inputs, outputs, rope
        forces in N.
    """

    time: Array
    q: Array
    v: Array
    a: Array
    lam: Array
    u: Array
    outputs: Array
    ropes: Array


@dataclass(frozen=True, eq=False)
class CollocationSolution:
    """The motion and the controls that were found.

    Attributes
    ----------
    crane : Crane
        Which crane.
    parameters : mapping of str to float
        All of its parameters.
    method : Radau
        Points of an interval.
    mesh : numpy.ndarray
        Times between which all signals are polynomials [s].
    state_values : numpy.ndarray
        q and v at the begin and the points of every interval, (intervals, points + 1, 2 n).
    lam_values, u_values : numpy.ndarray
        At the points, (intervals, points, multipliers or inputs).
    cost : float
        What was made least.
    cost_change : float
        How cost differs from that on a mesh of half as many intervals: an estimate of the error.
        Not a number where there was no coarser mesh.
    active : tuple of ActiveLimit
        Limits that are reached.
    iterations : int
        Of IPOPT on the last mesh.
    """

    crane: Crane
    parameters: Mapping[str, float]
    method: Radau
    mesh: Array
    state_values: Array
    lam_values: Array
    u_values: Array
    cost: float
    cost_change: float
    active: tuple[ActiveLimit, ...]
    iterations: int

    @property
    def duration(self) -> float:
        """From the first to the last time [s]."""
        return float(self.mesh[-1] - self.mesh[0])

    @property
    def time(self) -> Array:
        """The first time and those of all points [s]."""
        return np.append(self.mesh[0], self.method.times(self.mesh))

    @property
    def q(self) -> Array:
        """Coordinates at these times, a row for each."""
        return self._states[:, : len(self.crane.coordinates)]

    @property
    def v(self) -> Array:
        """Velocities at these times."""
        return self._states[:, len(self.crane.coordinates) :]

    @property
    def u(self) -> Array:
        """Inputs at these times: at a node those of the interval that ends there."""
        return self._at_points(self.controls, self.u_values)

    @property
    def lam(self) -> Array:
        """Multipliers at these times, likewise."""
        return self._at_points(self.multipliers, self.lam_values)

    def _at_points(self, function: Piecewise, values: Array) -> Array:
        inner = values.reshape(values.shape[0] * values.shape[1], values.shape[2])
        return np.concatenate([function(self.mesh[:1]), inner])

    @property
    def _states(self) -> Array:
        points = self.state_values[:, 1:, :].reshape(-1, self.state_values.shape[2])
        return np.concatenate([self.state_values[0, :1, :], points])

    @cached_property
    def states(self) -> Piecewise:
        """q and v as piecewise polynomials."""
        return self.method.states(self.mesh, self.state_values)

    @cached_property
    def controls(self) -> Piecewise:
        """u as piecewise polynomials.

        They may jump between intervals, and near the begin of one pass the limits, which hold at
        the points.
        """
        return self.method.controls(self.mesh, self.u_values)

    @cached_property
    def multipliers(self) -> Piecewise:
        """Lambda as piecewise polynomials."""
        return self.method.controls(self.mesh, self.lam_values)

    def sample(self, times: ArrayLike) -> CollocationSamples:
        """Return the motion at any times; at a node that of the interval which ends there."""
        t = np.atleast_1d(np.asarray(times, float))
        n = len(self.crane.coordinates)
        left = np.where(np.isin(t, self.mesh[1:]), np.nextafter(t, -np.inf), t)
        state, u, lam = self.states(left), self.controls(left), self.multipliers(left)
        a = _rate(self.states)(left)[:, n:]
        model = equations_of_motion(self.crane)
        arguments = [model.q, model.v, model.a, model.lam, model.u, model.p]
        results = [ca.densify(model.outputs), ca.densify(model.ropes)]
        p = np.array([self.parameters[parameter.name] for parameter in self.crane.parameters])
        given = (state[:, :n].T, state[:, n:].T, a.T, lam.T, u.T, np.tile(p[:, None], t.size))
        found = ca.Function("sample", arguments, results).map(t.size)(*given)
        outputs, ropes = (np.array(part).T for part in found)
        return CollocationSamples(t, state[:, :n], state[:, n:], a, lam, u, outputs, ropes)


def _rate(function: Piecewise) -> Piecewise:
    powers = np.arange(function.c.shape[0] - 1, 0, -1)[:, None, None]
    return Piecewise(powers * function.c[:-1], function.x)
