"""Radau points of an interval: differentiation, quadrature, polynomials through them.

The d points are those of Radau IIA, the last is the end of the interval. A state is the polynomial
of degree d through its value at the begin and those at the points; a control the polynomial of
degree d - 1 through the points.

References
----------
E. Hairer, G. Wanner, Solving Ordinary Differential Equations II, Springer 1996, IV.5 and VII.4.
"""

from __future__ import annotations

import math
from dataclasses import dataclass

import casadi as ca
import numpy as np
from numpy.typing import NDArray

from cranebridge.inverse import Piecewise

Array = NDArray[np.float64]


@dataclass(frozen=True, eq=False)
class Radau:
    """The method of a degree.

    Attributes
    ----------
    points : numpy.ndarray
        In (0, 1], the last is 1.
    weights : numpy.ndarray
        Of the quadrature over the interval.
    slopes : numpy.ndarray
        ``slopes[k, j]``: derivative at point j of the polynomial that is 1 at node k of (0, points)
        and 0 at the others.
    """

    points: Array
    weights: Array
    slopes: Array

    @property
    def degree(self) -> int:
        """The number of points."""
        return self.points.size

    @property
    def inner_coefficients(self) -> Array:
        """Bernstein's coefficients of a state but the first and last, by begin and points.

        Where these, the begin and the end are within limits, so is the whole polynomial.
        """
        nodes, k = np.concatenate([[0.0], self.points]), np.arange(self.degree + 1)
        binomial = np.array([math.comb(self.degree, j) for j in k])
        values = binomial * nodes[:, None] ** k * (1.0 - nodes[:, None]) ** k[::-1]
        return np.asarray(np.linalg.inv(values)[1:-1])

    def states(self, mesh: Array, values: Array) -> Piecewise:
        """Return the polynomials through values at the begins and points, (N, d + 1, signals)."""
        return _through(mesh, np.concatenate([[0.0], self.points]), values)

    def controls(self, mesh: Array, values: Array) -> Piecewise:
        """Return the polynomials through values at the points, (N, d, signals)."""
        return _through(mesh, self.points, values)

    def times(self, mesh: Array) -> Array:
        """Return the times of the points, a row for each interval."""
        return np.asarray(mesh[:-1, None] + np.diff(mesh)[:, None] * self.points)


def radau(degree: int) -> Radau:
    """Return the method with `degree` points."""
    points = np.array(ca.collocation_points(degree, "radau"))
    nodes = np.concatenate([[0.0], points])
    powers = np.arange(degree + 1)
    basis = np.linalg.inv(nodes[:, None] ** powers)
    rates = powers[1:] * points[:, None] ** powers[:-1]
    weights = (1.0 / powers[1:]) @ np.linalg.inv(points[:, None] ** powers[:-1])
    return Radau(points, weights, (rates @ basis[1:]).T)


def _through(mesh: Array, nodes: Array, values: Array) -> Piecewise:
    powers = np.arange(nodes.size)
    basis = np.linalg.inv(nodes[:, None] ** powers)
    terms = np.einsum("pj,ijn->pin", basis, values)
    scaled = [terms[k] / np.diff(mesh)[:, None] ** k for k in powers]
    return Piecewise(np.stack(scaled[::-1]), mesh)
